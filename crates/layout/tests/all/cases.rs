//! Recorded results of NumPy and PyTorch, compared with ours.

use belvedere_layout::{
    Answer, Bytes, Chain, Index, Layout, LayoutError, ReinterpretError, Reshape, Stage, s,
};
use serde_json::Value;
use std::ops::Range;

const RECORDED: &str = include_str!("../data/view_cases.json");

/// Cases of the section `view_ops` that are not view operations: which elements a mask selects
/// depends on the values.
const NO_VIEW_OPERATION: &[&str] = &["bool-mask"];

/// Runs every case of a section, and checks the number of cases.
fn for_each_case(section: &str, mut check: impl FnMut(&str, &Value)) {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap();
    let mut n_run = 0;
    for case in recorded[section].as_array().unwrap() {
        check(text(&case["id"]), case);
        n_run += 1;
    }
    assert_eq!(n_run, length(&recorded["meta"]["counts"][section]), "cases of {section}");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn length(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn lengths(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(length).collect()
}

fn stride(value: &Value) -> isize {
    isize::try_from(value.as_i64().unwrap()).unwrap()
}

fn strides(value: &Value) -> Vec<isize> {
    value.as_array().unwrap().iter().map(stride).collect()
}

/// Returns a layout with the given strides and the lowest possible start.
fn lowest(shape: &[usize], strides: &[isize]) -> Layout {
    let axes = shape.iter().zip(strides);
    let start = axes.map(|(&len, &stride)| (len as isize - 1) * (-stride).max(0)).sum::<isize>();
    Layout::from_strides(start as usize, shape, strides).unwrap()
}

#[test]
fn recorded_reshapes_match() {
    let mut n_of = [0; 3];
    for_each_case("reshape", |id, case| {
        let layout = lowest(&lengths(&case["shape"]), &strides(&case["strides"]));
        let expected = &case["expect"];
        let answer = layout.reshape(strides(&case["target"]));
        match text(&expected["result"]) {
            "view" => {
                check_view(id, &layout, answer, expected);
                n_of[0] += 1;
            }
            "copy_required" => {
                check_copy(id, answer, expected);
                n_of[1] += 1;
            }
            "error" => {
                check_error(id, answer.unwrap_err(), case);
                n_of[2] += 1;
            }
            other => panic!("{id}: no such result as {other}"),
        }
    });
    assert!(n_of.iter().all(|&n| n > 0), "views, copies and errors: {n_of:?}");
}

fn check_view(id: &str, layout: &Layout, answer: Result<Reshape, LayoutError>, expected: &Value) {
    let Ok(Reshape::View(view)) = answer else { panic!("{id}: {answer:?} is no view") };
    assert_eq!(view.shape(), lengths(&expected["shape"]), "{id}");
    let given = expected["strides"].as_array().unwrap();
    assert_eq!(view.rank(), given.len(), "{id}");
    for (k, wanted) in given.iter().enumerate().filter(|(_, it)| !it.is_null()) {
        assert_eq!(view.strides()[k], stride(wanted), "{id}: axis {k}");
    }
    assert!(view.offsets().eq(layout.offsets()), "{id}: another walk");
}

fn check_copy(id: &str, answer: Result<Reshape, LayoutError>, expected: &Value) {
    let Ok(Reshape::Copy { why }) = answer else { panic!("{id}: {answer:?} is no copy") };
    let numbers = &expected["why"];
    assert_eq!([why.axes.0, why.axes.1], *lengths(&expected["blocking_axes"]), "{id}");
    assert_eq!(why.stride, stride(&numbers["outer_stride"]), "{id}");
    assert_eq!(why.needed, stride(&numbers["needed"]) as i128, "{id}");
    assert_eq!(why.mark, length(&numbers["inner_numel"]), "{id}");
}

fn check_error(id: &str, error: LayoutError, case: &Value) {
    let has_open_length = strides(&case["target"]).contains(&-1);
    let is_right = match text(&case["expect"]["reason"]) {
        "size mismatch" if has_open_length => matches!(error, LayoutError::OpenLength { .. }),
        "size mismatch" => matches!(error, LayoutError::SizeMismatch { .. }),
        "more than one inferred dimension" => matches!(error, LayoutError::TwoOpenLengths { .. }),
        "negative dimension other than -1" => matches!(error, LayoutError::NegativeLength { .. }),
        other => panic!("{id}: no such reason as {other}"),
    };
    assert!(is_right, "{id}: {error:?}");
}

/// Strides of axes of length 1 have no effect; ours are those that NumPy reports.
#[test]
fn strides_of_unit_axes_are_reported_as_in_numpy() {
    for_each_case("reshape", |id, case| {
        if text(&case["expect"]["result"]) != "view" {
            return;
        }
        let layout = lowest(&lengths(&case["shape"]), &strides(&case["strides"]));
        let view = layout.view(strides(&case["target"])).unwrap();
        assert_eq!(view.strides(), strides(&case["numpy"]["strides"]), "{id}");
    });
}

#[test]
fn recorded_view_operations_match_numpy() {
    let mut skipped = Vec::new();
    for_each_case("view_ops", |id, case| {
        assert_eq!(text(&case["base"]), "arange(24).reshape(2,3,4)");
        if NO_VIEW_OPERATION.contains(&id) {
            skipped.push(id.to_string());
            return;
        }
        let base = Layout::row_major(&[2, 3, 4]).unwrap();
        let expected = &case["numpy"];
        if id == "repeat_interleave" {
            check_repetition(&base, &lengths(&expected["shape"]));
            return;
        }
        let view = view_operation(&base, id).unwrap();
        assert_eq!(view.shape(), lengths(&expected["shape"]), "{id}");
        assert_eq!(view.strides(), strides(&expected["strides"]), "{id}");
        assert_eq!(view.start(), length(&expected["offset"]), "{id}");
    });
    assert_eq!(skipped, NO_VIEW_OPERATION);
}

fn view_operation(base: &Layout, id: &str) -> Result<Layout, LayoutError> {
    match id {
        "slice-step" => base.slice(&s![.., ..;2, 1..]),
        "slice-neg-step" => base.slice(&s![.., ..;-1]),
        "select" => base.slice(&s![.., 1]),
        "permute" => base.permute(&[2, 0, 1]),
        "rot90" => base.rot90(1, 1, 2),
        "diagonal-offset-neg" => base.diagonal(-1, 1, 2),
        "broadcast_to" => base.broadcast_to([5, 2, 3, 4]),
        // Column-major order is row-major order with the axes reversed.
        "ravel-F" => base.reverse().reverse().merge(0, -1),
        other => panic!("no such operation as {other}"),
    }
}

/// Both libraries copy: no strides exist, and only a chain expresses it.
fn check_repetition(base: &Layout, shape: &[usize]) {
    let repeated = Chain::new(base.clone()).repeat(2, 2).unwrap();
    assert_eq!(repeated.shape(), shape);
    assert_eq!(repeated.as_layout(), None);
    let twice = base.offsets().flat_map(|offset| [Some(offset); 2]);
    assert!(repeated.offsets().eq(twice));
}

#[test]
fn recorded_reinterpretations_match_pytorch() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    for_each_case("dtype_view", |id, case| {
        let expected = &case["torch"];
        let (answer, error) = match id {
            "narrower" => (row(&[3, 4]).reinterpret(4, 2), None),
            "wider-odd-last" => (
                row(&[3, 3]).reinterpret(4, 8),
                Some(ReinterpretError::LastLength { len: 3, ratio: 2 }),
            ),
            "wider-misaligned-offset" => (
                row(&[3, 4]).narrow(1, 1, 2).unwrap().reinterpret(4, 8),
                Some(ReinterpretError::Start { start: 1, ratio: 2 }),
            ),
            "wider-outer-stride-not-multiple" => (
                lowest(&[3, 4], &[5, 1]).reinterpret(4, 8),
                Some(ReinterpretError::Stride { axis: 0, stride: 5, ratio: 2 }),
            ),
            other => panic!("no such case as {other}"),
        };
        assert_eq!(error.is_some(), expected.get("error").is_some(), "{id}");
        if let Some(error) = error {
            assert_eq!(answer, Err(LayoutError::Reinterpret(error)), "{id}");
            return;
        }
        let view = answer.unwrap();
        assert_eq!(view.shape(), lengths(&expected["shape"]), "{id}");
        assert_eq!(view.strides(), strides(&expected["strides"]), "{id}");
        assert_eq!(view.start(), length(&expected["offset"]), "{id}");
        assert_eq!(view.byte_strides(2).unwrap(), strides(&case["numpy"]["byte_strides"]), "{id}");
    });
}

/// One side of a pair: where its memory begins, the layout, the bytes of an element.
type Side = (usize, Layout, usize);

#[test]
fn recorded_overlaps_of_pairs_match_numpy() {
    for_each_case("overlap_pairs", |id, case| {
        let (one, two) = pair(id).unwrap();
        let yes_or_no = |it: &Value| if it.as_bool().unwrap() { Answer::Yes } else { Answer::No };
        assert_eq!(bytes(&one).overlaps(bytes(&two)), yes_or_no(&case["shares_exact"]), "{id}");
        assert_eq!(bytes(&two).overlaps(bytes(&one)), yes_or_no(&case["shares_exact"]), "{id}");
        let do_bounds_meet = bounds(&one).start < bounds(&two).end
            && bounds(&two).start < bounds(&one).end
            && !one.1.is_empty()
            && !two.1.is_empty();
        assert_eq!(do_bounds_meet, case["may_share_bounds"].as_bool().unwrap(), "{id}");
        if (one.0, one.2) == (two.0, two.2) {
            // In one memory of one element type, the layouts decide.
            assert_eq!(one.1.overlaps(&two.1), yes_or_no(&case["shares_exact"]), "{id}");
        }
    });
}

fn pair(id: &str) -> Result<(Side, Side), LayoutError> {
    let matrix = Layout::row_major(&[4, 20])?;
    Ok(match id {
        // The equation of the note: 20 a row apart, columns 7 and 3 apart, first column 3 of b.
        "numpy-doc-7-3" => {
            ((0, matrix.slice(&s![.., ..;7])?, 1), (0, matrix.slice(&s![.., 3..;3])?, 1))
        }
        "columns-block" => {
            let (left, right) = matrix.split_at(1, 10)?;
            ((0, left, 8), (0, right, 8))
        }
        "byte-interleave" => {
            let (even, odd) = (matrix.slice(&s![.., ..;2])?, matrix.slice(&s![.., 1..;2])?);
            ((0, even, 1), (1000, odd, 1))
        }
        "half-words-vs-whole" => {
            let high_halves = Layout::row_major(&[40])?.slice(&s![1..;2])?;
            ((0, Layout::row_major(&[20])?, 4), (0, high_halves, 2))
        }
        "empty" => ((0, matrix.clone(), 4), (0, matrix.narrow(0, 2, 0)?, 4)),
        other => panic!("no such pair as {other}"),
    })
}

fn bytes(side: &Side) -> Bytes<'_> {
    let (address, layout, size) = side;
    Bytes { address: *address, layout, size: *size }
}

fn bounds((address, layout, size): &Side) -> Range<usize> {
    let span = layout.span();
    address + span.start * size..address + span.end * size
}

#[test]
fn recorded_self_overlaps_match_numpy() {
    for_each_case("internal_overlap", |id, case| {
        let layout = lowest(&lengths(&case["shape"]), &strides(&case["strides"]));
        let expected = if case["overlaps"].as_bool().unwrap() { Answer::No } else { Answer::Yes };
        assert_eq!(layout.injective(), expected, "{id}");
    });
}

/// A view as tinygrad had them: strides from an offset that may be negative, and a box of indices
/// outside of which everything is padding.
struct MaskedView {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: isize,
    mask: Vec<Range<usize>>,
}

impl MaskedView {
    fn read(view: &Value) -> MaskedView {
        let shape = lengths(&view["shape"]);
        MaskedView {
            strides: strides(&view["strides"]),
            offset: stride(&view["offset"]),
            mask: mask(&view["mask"], &shape),
            shape,
        }
    }

    /// Computes the address of an index by its definition.
    fn address(&self, index: &[usize]) -> Option<usize> {
        let mut address = self.offset;
        for (k, &i) in index.iter().enumerate() {
            if !self.mask[k].contains(&i) {
                return None;
            }
            address += i as isize * self.strides[k];
        }
        Some(usize::try_from(address).expect("only padding lies outside of memory"))
    }

    /// The chain of one stage that is this view: what is valid, and padding around it.
    fn as_chain(&self) -> Chain {
        let corner: Vec<usize> = self.mask.iter().map(|it| it.start).collect();
        let inside: Vec<usize> = self.mask.iter().map(|it| it.len()).collect();
        let start = self.address(&corner).unwrap();
        let padding = self.mask.iter().zip(&self.shape).map(|(it, len)| (it.start, len - it.end));
        let valid = Layout::from_strides(start, &inside, &self.strides).unwrap();
        Chain::new(valid).pad(&padding.collect::<Vec<_>>()).unwrap()
    }

    /// Applies this view to a chain: its addresses are flat indices of the chain.
    ///
    /// A chain is only built by movements, so the strides are realised by movements: the flat index is split at
    /// every stride, the axes sliced, brought in order, and those of stride 0 repeated.
    fn over(&self, chain: &Chain) -> Result<Chain, LayoutError> {
        let mut stepped: Vec<usize> =
            (0..self.shape.len()).filter(|&k| self.strides[k] != 0 && self.shape[k] > 1).collect();
        stepped.sort_by_key(|&k| -self.strides[k]);
        let (mut frame, mut taken) = (Vec::new(), Vec::new());
        let (mut above, mut offset) = (chain.len(), self.offset as usize);
        for &k in &stepped {
            let step = self.strides[k] as usize;
            assert!(above.is_multiple_of(step), "strides that nest");
            let first = offset / step;
            assert!(first + self.shape[k] <= above / step, "a row is not left");
            taken.push(Index::from(first..first + self.shape[k]));
            frame.push(above / step);
            (above, offset) = (step, offset % step);
        }
        frame.push(above);
        taken.push(Index::from(offset));
        let sliced = chain.reshape([chain.len()])?.reshape(&frame)?.slice(&taken)?;

        let place = |k: &usize| stepped.iter().position(|it| it == k).map(|i| i as isize);
        let order: Vec<isize> = (0..self.shape.len()).filter_map(|k| place(&k)).collect();
        let mut ordered = sliced.permute(&order)?;
        for k in (0..self.shape.len()).filter(|k| place(k).is_none()) {
            ordered = ordered.unsqueeze(k as isize)?;
        }
        ordered.broadcast_to(&self.shape)
    }
}

fn mask(bounds: &Value, shape: &[usize]) -> Vec<Range<usize>> {
    let range = |it: &Value| length(&it[0])..length(&it[1]);
    match bounds.as_array() {
        Some(bounds) => bounds.iter().map(range).collect(),
        None => shape.iter().map(|&len| 0..len).collect(),
    }
}

/// The index of a position in row-major order, digit by digit from the last axis.
fn unravel(shape: &[usize], mut position: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for k in (0..shape.len()).rev() {
        index[k] = position % shape[k];
        position /= shape[k];
    }
    index
}

/// All thirteen stacks can be said by movements, so none is left out.
#[test]
fn recorded_stacks_of_two_views_merge_exactly_if_possible() {
    for_each_case("chain_merge", |id, case| {
        assert!(case["outer_view"]["mask"].is_null(), "{id}: only inner views have masks");
        let inner = MaskedView::read(&case["inner_view"]);
        let outer = MaskedView::read(&case["outer_view"]);
        let chain = outer.over(&inner.as_chain()).unwrap();

        let n: usize = outer.shape.iter().product();
        let address = |position| {
            let below = outer.address(&unravel(&outer.shape, position))?;
            inner.address(&unravel(&inner.shape, below))
        };
        assert_eq!(chain.shape(), outer.shape, "{id}");
        assert!(chain.offsets().eq((0..n).map(address)), "{id}: another walk");

        let is_one = case["exactly_mergeable"].as_bool().unwrap();
        assert_eq!(chain.depth() == 1, is_one, "{id}: {chain:?}");
        assert_eq!(case.get("merged").is_some(), is_one, "{id}");
        if is_one {
            check_merged(id, &chain.stages()[0], &case["merged"]);
        }
    });
}

fn check_merged(id: &str, stage: &Stage, merged: &Value) {
    let shape = stage.shape();
    let expected = mask(&merged["mask"], shape);
    let valid = |(&before, len): (&usize, &usize)| before..before + len;
    let lengths = stage.inside().unwrap().shape();
    let found: Vec<_> = stage.before().iter().zip(&lengths).map(valid).collect();
    assert_eq!(found, expected, "{id}");
    let inside = stage.inside().unwrap();
    let mut offset = inside.start() as isize;
    for (k, wanted) in strides(&merged["strides"]).into_iter().enumerate() {
        if found[k].len() > 1 {
            assert_eq!(inside.axes()[k].stride, wanted, "{id}: axis {k}");
        }
        offset -= found[k].start as isize * wanted;
    }
    assert_eq!(offset, stride(&merged["offset"]), "{id}: the offset of index 0");
}

//! Chains against a slow model: every movement operation, every run, every merge.

use crate::zoo;
use crate::zoo::model::{Model, Movement};
use crate::zoo::moves::{Taste, movement};
use crate::zoo::{Dice, full, layout_that_visits};
use belvedere_layout::{Chain, ChainRun, Layout};

fn assert_same(chain: &Chain, model: &Model, how: &[Movement]) {
    assert_eq!(chain.shape(), model.shape, "{how:?}");
    assert!(chain.offsets().eq(model.offsets.iter().copied()), "{how:?} became {chain:?}");
    if let Some(layout) = chain.as_layout() {
        assert!(layout.offsets().map(Some).eq(model.offsets.iter().copied()), "{how:?}");
    }
}

/// Writes out the runs of a chain from a position on.
fn expanded_from(chain: &Chain, position: usize) -> Vec<Option<usize>> {
    let mut offsets = Vec::new();
    for run in chain.runs_from(position) {
        match run {
            ChainRun::Padding { len } => offsets.extend((0..len).map(|_| None)),
            ChainRun::Elements { offset, stride, len } => {
                let at = |i| Some((offset as isize + i as isize * stride) as usize);
                offsets.extend((0..len).map(at));
            }
        }
    }
    offsets
}

fn expanded(chain: &Chain) -> Vec<Option<usize>> {
    assert!(chain.runs().eq(chain.runs_from(0)));
    expanded_from(chain, 0)
}

/// Checks `as_layout_up_to_reshape` and `of_copy` against the offsets of the chain.
fn assert_walk_and_copy(chain: &Chain, model: &Model, how: &[Movement]) {
    if let Some(walk) = chain.as_layout_up_to_reshape() {
        assert!(walk.offsets().map(Some).eq(model.offsets.iter().copied()), "{how:?}");
    }
    let base: Vec<usize> = chain.base().map_or(vec![], |it| it.offsets().collect());
    let copied = chain.of_copy();
    let through = copied.offsets().map(|it| it.map(|position| base[position]));
    assert!(through.eq(model.offsets.iter().copied()), "{how:?}: {copied:?}");
}

#[test]
fn random_movements_agree_with_the_model() {
    let mut dice = Dice::new(11);
    let n_chains = if full() { 200_000 } else { 10_000 };
    for _ in 0..n_chains {
        let base = zoo::layouts();
        let layout = dice.pick(&base).clone();
        if layout.is_empty() {
            continue;
        }
        let (mut chain, mut model) = (Chain::new(layout.clone()), Model::new(&layout));
        let mut how = Vec::new();
        for _ in 0..1 + dice.below(6) {
            let taste = Taste { pads: true, repeats: true, most: 300 };
            let step = movement(&mut dice, &model.shape, taste);
            chain = step.of_chain(&chain);
            model = model.apply(&step);
            how.push(step);
            assert_same(&chain, &model, &how);
            assert_eq!(expanded(&chain), model.offsets, "{how:?} of {layout:?}: {chain:?}");
            let from = dice.below(chain.len() + 1);
            assert_eq!(expanded_from(&chain, from), model.offsets[from..], "{how:?} from {from}");
            assert_walk_and_copy(&chain, &model, &how);
            assert_eq!(chain.depth() == 1, model.is_one_stage(), "{how:?} of {layout:?}");
        }
    }
}

#[test]
fn an_unpadded_chain_merges_exactly_if_one_layout_equals_it() {
    let (mut n_one, mut n_more) = (0, 0);
    for n in [4, 6, 8, 12] {
        let movements: Vec<(Vec<usize>, Vec<isize>)> = zoo::shapes_of(n)
            .into_iter()
            .filter(|shape| shape.len() <= 3)
            .flat_map(|shape| orders(shape.len()).into_iter().map(move |it| (shape.clone(), it)))
            .collect();
        let mut chains = vec![(Chain::new(Layout::row_major(&[n]).unwrap()), vec![])];
        // Three reshapes with a permutation each, in every combination, and a fourth reshape.
        for _ in 0..3 {
            let mut longer = Vec::new();
            for (chain, how) in &chains {
                for (shape, order) in &movements {
                    let moved = chain.reshape(shape).unwrap().permute(order).unwrap();
                    let mut how: Vec<_> = how.clone();
                    how.push((shape.clone(), order.clone()));
                    longer.push((moved, how));
                }
            }
            chains = longer;
        }
        for (chain, how) in &chains {
            for shape in zoo::shapes_of(n).iter().filter(|it| it.len() <= 2) {
                let last = chain.reshape(shape).unwrap();
                let visited: Vec<usize> = last.offsets().flatten().collect();
                let one = layout_that_visits(&visited, shape);
                assert_eq!(last.as_layout(), one, "{how:?} then {shape:?}");
                if one.is_some() { n_one += 1 } else { n_more += 1 }
            }
        }
    }
    println!("chains: {n_one} of four reshapes are one layout, {n_more} are not");
    assert!(n_one > 1000 && n_more > 1000);
}

/// All orders of `n` axes.
fn orders(n: usize) -> Vec<Vec<isize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for rest in orders(n - 1) {
        for at in 0..n {
            let mut order = rest.clone();
            order.insert(at, n as isize - 1);
            all.push(order);
        }
    }
    all
}

/// Stacks with too many elements to enumerate still merge.
#[test]
fn three_large_layouts_merge_although_no_two_of_them_do() {
    for scale in [1, 10, 1000, 100_000] {
        let n = 12 * scale * scale;
        let chain = Chain::new(Layout::row_major(&[n]).unwrap());
        let turn = |chain: Chain, shape: [usize; 2]| {
            chain.reshape(shape).unwrap().permute(&[1, 0]).unwrap()
        };
        let chain = turn(turn(chain, [2 * scale, 6 * scale]), [3 * scale, 4 * scale]);
        let merged = chain.reshape([2 * scale, 6 * scale]).unwrap();
        if scale == 1 {
            assert_eq!(merged.as_layout().unwrap().strides(), [1, 2]);
        }
        // Reshaping back always gives a single layout.
        let back = chain.permute(&[1, 0]).unwrap().reshape([6 * scale, 2 * scale]).unwrap();
        let back = back.permute(&[1, 0]).unwrap().as_layout().unwrap();
        assert_eq!(back, Layout::row_major(&[2 * scale, 6 * scale]).unwrap());
    }
}

#[test]
fn cancelling_carries_are_found() {
    let inner = Layout::from_strides(0, &[3, 2, 2], &[12, 10, 1]).unwrap();
    let every_third = Chain::new(inner).reshape([12]).unwrap();
    let every_third = every_third.slice(&belvedere_layout::s![0..7;3]).unwrap();
    assert_eq!(every_third.as_layout(), Layout::from_strides(0, &[3], &[11]).ok());
}

#[test]
fn slicing_off_padding_restores_the_layout() {
    for layout in zoo::layouts() {
        let chain = Chain::new(layout.clone());
        let padding = vec![(2, 3); chain.rank()];
        let ranges: Vec<_> = chain.shape().iter().map(|&len| 2..2 + len).collect();
        let back = chain.pad(&padding).unwrap().pad(&padding).unwrap();
        let outer: Vec<_> = ranges.iter().map(|it| it.start + 2..it.end + 2).collect();
        assert_eq!(back.shrink(&outer).unwrap().as_layout(), Some(layout));
    }
}

#[test]
fn a_chain_of_padding_only_has_one_stage() {
    let chain = Chain::new(Layout::row_major(&[3, 4]).unwrap()).pad(&[(0, 2), (0, 0)]).unwrap();
    let padding = chain.shrink(&[3..5, 0..4]).unwrap().reshape([8]).unwrap();
    assert_eq!(padding.depth(), 1);
    assert!(padding.offsets().all(|it| it.is_none()));
    assert_eq!(padding.runs().collect::<Vec<_>>(), [ChainRun::Padding { len: 8 }]);
    assert_eq!(padding.as_layout(), None);
}

#[test]
fn a_contiguous_chain_is_read_in_one_run() {
    let chain = Chain::new(Layout::row_major(&[20, 30, 40]).unwrap());
    let runs: Vec<_> = chain.runs().collect();
    assert_eq!(runs, [ChainRun::Elements { offset: 0, stride: 1, len: 24_000 }]);
}

#[test]
fn a_reshaped_transpose_is_read_in_as_many_runs_as_it_has_rows() {
    let columns = Layout::row_major(&[300, 400]).unwrap().t().unwrap();
    let chain = Chain::new(columns).reshape([600, 200]).unwrap();
    assert_eq!(chain.depth(), 2);
    // 400 columns of 300, cut at multiples of 200 where nothing needs to be cut: at most one run for
    // each end of a column or of a row of the new shape.
    assert!(chain.runs().count() <= 400 + 600);
}

#[test]
fn reshapes_visit_the_same_offsets() {
    for layout in zoo::layouts() {
        for shape in zoo::shapes_of(layout.len().max(1)) {
            let chain = Chain::new(layout.clone());
            let Ok(chain) = chain.reshape(&shape) else { continue };
            let walk = chain.as_layout_up_to_reshape().unwrap();
            assert!(walk.offsets().eq(layout.offsets()), "{layout:?} to {shape:?}");
        }
    }
}

#[test]
fn padding_of_outer_axes_does_not_split_runs() {
    let image = Layout::row_major(&[3, 20, 30]).unwrap();
    let padded = Chain::new(image).pad(&[(1, 0), (2, 1), (0, 0)]).unwrap();
    // One stretch of padding and one of elements for each plane, and the plane before them.
    assert_eq!(padded.reshape([4 * 23 * 30]).unwrap().runs().count(), 1 + 3 * 3);
    assert!(padded.runs_from(padded.len()).next().is_none());
    assert!(padded.runs_from(usize::MAX).next().is_none());
}

#[test]
fn transpose_narrow_and_select_of_a_chain_equal_permute_and_slice() {
    for layout in zoo::layouts().iter().filter(|it| it.rank() >= 2) {
        // With padding, which every operation has to preserve.
        let chain = Chain::new(layout.clone()).pad(&vec![(1, 2); layout.rank()]).unwrap();
        let all: Vec<isize> = (0..layout.rank() as isize).collect();
        let mut order = all.clone();
        order.swap(0, 1);
        assert_eq!(chain.transpose(0, 1), chain.permute(&order));
        let narrowed = chain.narrow(1, 1, 1).unwrap();
        let mut ranges: Vec<_> = chain.shape().iter().map(|&len| 0..len).collect();
        ranges[1] = 1..2;
        assert_eq!(narrowed, chain.shrink(&ranges).unwrap());
        let selected = chain.select(1, 1).unwrap();
        assert_eq!(selected, narrowed.squeeze(&[1]).unwrap());
        assert!(selected.offsets().eq(narrowed.offsets()));
        assert_eq!(narrowed.transpose(0, 1).unwrap().squeeze(&[0]).unwrap(), selected);
        assert!(chain.squeeze(&[0]).is_err() && chain.narrow(0, 1, usize::MAX).is_err());
        assert!(chain.select(0, isize::MIN).is_err() && chain.transpose(0, 99).is_err());
    }
}

//! Public functions never panic or overflow, for any arguments: they return a result or an error.
//!
//! The tests run with overflow checks, so a test that completes has passed. Layouts are created near the
//! limits of `isize`, where sums and products are most likely to overflow.

use belvedere_layout::compat::{FlattenMap, ShapeTracker, gradcore};
use belvedere_layout::{
    Axis, Bytes, Chain, Index, Layout, LayoutError, Pattern, Slice, broadcast, broadcast_shapes,
    explain_view, unravel_index,
};
use proptest::collection::vec;
use proptest::prelude::*;

const TOP: usize = isize::MAX as usize;

fn wild_length() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0usize..6,
        1 => any::<usize>(),
        1 => Just(TOP),
        1 => Just(usize::MAX),
        1 => (0u32..64).prop_map(|bits| 1 << bits),
        1 => (0u32..64).prop_map(|bits| (1 << bits) - 1),
    ]
}

fn wild_number() -> impl Strategy<Value = isize> {
    prop_oneof![
        6 => -7isize..8,
        1 => any::<isize>(),
        1 => Just(isize::MIN),
        1 => Just(isize::MIN + 1),
        1 => Just(isize::MAX),
        1 => (0u32..63).prop_map(|bits| 1 << bits),
        1 => (0u32..63).prop_map(|bits| -(1 << bits)),
    ]
}

/// Draws valid layouts: long ones by broadcasting, wide ones by large strides.
fn wild_layout() -> impl Strategy<Value = Layout> {
    let axis = (wild_length(), wild_number()).prop_map(|(len, stride)| Axis::new(len, stride));
    let ordinary = (0usize..5, -9isize..9).prop_map(|(len, stride)| Axis::new(len, stride));
    let axes = prop_oneof![3 => vec(axis, 0..5), 2 => vec(ordinary, 0..9)];
    let start = prop_oneof![Just(0), 0usize..100, Just(TOP), Just(TOP / 2), any::<usize>()];
    let unit_axes = prop_oneof![5 => Just(0usize), 1 => 0usize..64];
    (start, axes, unit_axes).prop_filter_map("does not fit", |(start, mut axes, n)| {
        axes.extend((0..n).map(|_| Axis::new(1, 5)));
        Layout::new(start, &axes).ok()
    })
}

fn wild_index() -> impl Strategy<Value = Index> {
    let maybe = || proptest::option::of(wild_number());
    prop_oneof![
        3 => (maybe(), maybe(), wild_number())
            .prop_map(|(start, stop, step)| Index::Slice(Slice { start, stop, step })),
        2 => wild_number().prop_map(Index::At),
        1 => Just(Index::NewAxis),
        1 => Just(Index::Ellipsis),
    ]
}

/// What is checked of every answer: errors print, layouts keep their promises.
fn look_at(result: &Result<Layout, LayoutError>) {
    match result {
        Ok(layout) => {
            let span = layout.span();
            assert!(span.end <= TOP + 1);
            assert!(layout.len() <= TOP);
            assert_eq!(layout.is_empty(), span.is_empty());
            assert_eq!(layout.strides().len(), layout.rank());
            assert_eq!(Layout::new(layout.start(), layout.axes()).as_ref(), Ok(layout));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let _ = error.kind();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn constructors(start: usize, shape in vec(wild_length(), 0..67), strides in vec(wild_number(), 0..67)) {
        look_at(&Layout::row_major(&shape));
        look_at(&Layout::col_major(&shape));
        look_at(&Layout::from_strides(start, &shape, &strides));
        look_at(&Layout::as_strided(start, start / 2, &shape, &strides));
        look_at(&Layout::scalar(start));
        look_at(&gradcore::create(&shape));
        let n = shape.len().min(strides.len()).min(4);
        look_at(&Layout::from_strides(start, &shape[..n], &strides[..n]));
        let _ = unravel_index(&shape, start);
        let _ = broadcast_shapes(&[&shape, &shape[..n]]);
        let _ = ShapeTracker::new(&shape);
    }

    #[test]
    fn axis_operations(layout in wild_layout(), numbers in vec(wild_number(), 0..9)) {
        look_at(&layout.permute(&numbers));
        look_at(&layout.flip(&numbers));
        look_at(&layout.squeeze(&numbers));
        look_at(&layout.t());
        look_at(&layout.mt());
        look_at(&Ok(layout.reverse()));
        look_at(&Ok(layout.squeeze_all()));
        look_at(&Ok(layout.coalesced()));
        if let [a, b, c, ..] = numbers[..] {
            look_at(&layout.transpose(a, b));
            look_at(&layout.swap_axes(a, b));
            look_at(&layout.move_axis(a, b));
            look_at(&layout.move_axes(&[a, b], &[b, a]));
            look_at(&layout.unsqueeze_axes(&[a, b]));
            look_at(&layout.rot90(a, b, c));
            look_at(&layout.diagonal(a, b, c));
            look_at(&layout.unsqueeze(a));
            look_at(&layout.merge(a, b));
            let _ = layout.flatten(a, b);
            if let Ok(map) = FlattenMap::new(&layout, a, b) {
                let _ = (map.to_parent(&[0, 0]), map.strides(), map.is_contiguous());
            }
        }
    }

    #[test]
    fn slices(layout in wild_layout(), index in vec(wild_index(), 0..9), axis in wild_number(), n in wild_length(), m in wild_length()) {
        look_at(&layout.slice(&index));
        for entry in &index {
            match *entry {
                Index::At(at) => look_at(&layout.select(axis, at)),
                Index::Slice(slice) => {
                    look_at(&layout.slice_axis(axis, slice));
                    let _ = slice.resolve(n);
                    look_at(&layout.step(axis, slice.step));
                }
                _ => {}
            }
        }
        look_at(&layout.narrow(axis, n, m));
        let mut slicer = layout.slicer();
        let _ = (slicer.stepped(n, m, axis), slicer.at(axis), slicer.new_axis(), slicer.full_axes(m));
        look_at(&slicer.finish());
        let _ = layout.split_at(axis, n);
        // A long axis may have as many parts as indices: iterate over the first ones only.
        if layout.resolve_axis(axis).is_ok_and(|k| layout.axes()[k].len / n.max(1) < 100) {
            let _ = layout.split(axis, n);
        }
        let _ = layout.chunk(axis, n % 100);
        look_at(&layout.windows(axis, n, m));
        look_at(&layout.sliding_window(&[axis, 0], &[n, m]));
        let _ = Chain::new(layout).slice(&index);
    }

    #[test]
    fn shapes(layout in wild_layout(), numbers in vec(wild_number(), 0..9), lengths in vec(wild_length(), 0..9)) {
        look_at(&layout.view(&numbers));
        look_at(&layout.view(&lengths));
        look_at(&layout.broadcast_to(&numbers));
        look_at(&layout.broadcast_to(&lengths));
        look_at(&layout.reshape_contiguous(&lengths));
        if let Ok(explanation) = explain_view(&layout, &numbers) {
            prop_assert!(!explanation.to_string().is_empty());
        }
        let axis = numbers.first().copied().unwrap_or(0);
        look_at(&layout.unflatten(axis, &numbers));
        let size = lengths.first().copied().unwrap_or(0);
        look_at(&layout.split_axis(axis, size));
        let _ = broadcast(&[&layout, &layout.reverse()]);
    }

    /// Shapes with the right number of elements, so that the matching of axes is reached.
    #[test]
    fn shapes_of_the_right_size(layout in wild_layout(), cuts in vec(1usize..7, 0..4)) {
        let mut shape = vec![layout.len()];
        for cut in cuts {
            let last = shape.pop().unwrap();
            if last % cut == 0 {
                shape.push(cut);
                shape.push(last / cut);
            } else {
                shape.push(last);
            }
        }
        look_at(&layout.view(&shape));
        let explanation = explain_view(&layout, &shape).unwrap();
        prop_assert!(!explanation.to_string().is_empty());
    }

    #[test]
    fn element_sizes(layout in wild_layout(), a in wild_length(), b in wild_length()) {
        look_at(&layout.reinterpret(a, b));
        look_at(&layout.reinterpret(8, 4));
        look_at(&layout.reinterpret(4, 8));
        look_at(&layout.split_elements(a));
        look_at(&layout.join_elements(a));
        let _ = layout.byte_strides(a);
        assert_eq!(layout.check_fits(b).is_ok(), layout.span().end <= b);
    }

    #[test]
    fn questions(a in wild_layout(), b in wild_layout(), address: usize, size in wild_length(), index in vec(wild_length(), 0..5)) {
        let _ = (a.overlaps(&b), a.injective(), a.is_dense(), a.is_contiguous(), a.is_col_major());
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
        let one = Bytes { address, layout: &a, size };
        let _ = one.overlaps(Bytes { address: 0, layout: &b, size: 4 });
        let _ = (a.offset(&index), a.offsets().next(), a.offsets().len());
        let _ = Chain::new(a).index(&index);
    }

    #[test]
    fn chains(
        layout in wild_layout(),
        numbers in vec(wild_number(), 0..9),
        lengths in vec(wild_length(), 0..9),
        index in vec(wild_index(), 0..4),
    ) {
        let mut chain = Chain::new(layout);
        let rank = chain.rank();
        let pairs: Vec<_> = (0..rank).map(|k| lengths.get(k).map_or((1, 2), |&n| (n, n / 2))).collect();
        let ranges: Vec<_> = (0..rank).map(|k| k..*lengths.get(k).unwrap_or(&5)).collect();
        let axis = numbers.first().copied().unwrap_or(0);
        let times = lengths.first().copied().unwrap_or(2);
        let some: Vec<Result<Chain, LayoutError>> = vec![
            chain.permute(&numbers),
            chain.flip(&numbers),
            chain.slice(&index),
            chain.shrink(&ranges),
            chain.broadcast_to(&numbers),
            chain.broadcast_to(&lengths),
            chain.reshape(&numbers),
            chain.pad(&pairs),
            chain.repeat(axis, times),
            chain.tile(&lengths),
            chain.unsqueeze(axis),
        ];
        for result in some {
            match result {
                Ok(next) => chain = next,
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        // Take several steps in a row where they go together.
        let padded = chain.pad(&vec![(1, 1); chain.rank()]).unwrap_or(chain);
        let flipped = padded.flip(&(0..padded.rank() as isize).collect::<Vec<_>>()).unwrap();
        let turned = flipped.permute(&(0..padded.rank() as isize).rev().collect::<Vec<_>>()).unwrap();
        let flat = turned.reshape([-1isize]).unwrap_or(turned);
        let _ = (flat.runs().take(20).count(), flat.as_layout(), flat.offsets().take(3).count());
    }

    #[test]
    fn patterns(
        text in prop_oneof!["[abc1() .>-]{0,24}", ".{0,12}", "[a-d (]{0,6}->[a-d )]{0,6}"],
        layout in wild_layout(),
        lengths in vec(("[a-d]", wild_length()), 0..3),
    ) {
        let lengths: Vec<(&str, usize)> = lengths.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        match text.parse::<Pattern>() {
            Ok(pattern) => match pattern.apply(&layout, &lengths) {
                Ok(rearranged) => if let Some(view) = rearranged.into_view() { look_at(&Ok(view)) },
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            },
            Err(error) => prop_assert!(error.to_string().lines().count() == 3, "{}", error),
        }
    }
}

/// Each of these has panicked, or brought the process down, once.
#[test]
fn regressions() {
    // A chain of 64 axes has no room for one more on the way to a repetition.
    let mut lengths = [1; 64];
    lengths[0] = 3;
    let full = Chain::new(Layout::row_major(&lengths).unwrap());
    for repeated in [full.repeat(0, 2), full.repeat(63, 2), full.tile(&[2; 2]), full.tile(&lengths)]
    {
        let repeated = repeated.unwrap();
        let ranks = repeated.stages().iter().filter_map(|it| it.inside()).map(|it| it.rank());
        assert!(ranks.max().unwrap() <= 64);
        assert_eq!(repeated.runs().map(|it| it.len()).sum::<usize>(), repeated.len());
    }

    let units = Chain::new(Layout::row_major(&[1; 64]).unwrap());
    let moved = units.slice(&[Index::NewAxis, Index::At(0)]).unwrap();
    assert_eq!(moved.rank(), 64);
    assert_eq!(units.tile(&[1; 64]).unwrap(), units);

    // A run that is sliced to one index has no stride, whatever the sum of the strides is.
    let row = Chain::new(Layout::row_major(&[(1usize << 61) + 2500]).unwrap());
    let padded = row.pad(&[(0, (1 << 61) - 2500)]).unwrap().reshape([2usize, 1 << 61]).unwrap();
    let padded = padded.shrink(&[0..2, 0..5000]).unwrap().pad(&[(0, 8), (0, 0)]).unwrap();
    let cut = padded.reshape([50_000]).unwrap().narrow(0, 0, 40_000).unwrap();
    let turned = cut.reshape([2, 20_000]).unwrap().transpose(0, 1).unwrap();
    let expanded = turned.runs().map(|it| it.len()).sum::<usize>();
    assert_eq!((expanded, turned.index(&[0, 0])), (40_000, Ok(Some(0))));

    let far = Layout::from_strides(0, &[2], &[1isize << 62]).unwrap();
    assert_eq!(far.windows(0, 0, 2).unwrap().shape(), [2, 0]);
    let flat = Layout::from_strides(0, &[1, 2], &[0, isize::MAX]).unwrap();
    assert_eq!(flat.diagonal(5, 0, 1).unwrap().shape(), [0]);

    // A seam of another layout, constructed by hand.
    let columns = Layout::row_major(&[3, 4]).unwrap().t().unwrap();
    let Err(LayoutError::NeedsCopy(mut refusal)) = columns.view([12]) else { panic!() };
    refusal.why.axes = (7, 9);
    assert!(refusal.to_string().contains("axis 7"));

    let long = format!("{} -> ?", "a".repeat(70_000));
    assert!(long.parse::<Pattern>().unwrap_err().to_string().ends_with('^'));
    let all = "... -> ...".parse::<Pattern>().unwrap();
    assert!(all.recipe(usize::MAX, &[]).is_err());
    let long = Layout::row_major(&[1]).unwrap().broadcast_to([1usize << 40]).unwrap();
    assert_eq!(long.split(0, 1).unwrap().len(), 1 << 40);
    assert_eq!(long.chunk(0, 1 << 39).unwrap().nth(3).unwrap().shape(), [2]);

    let still = Layout::from_strides(0, &[2], &[0]).unwrap();
    assert!(still.byte_strides(usize::MAX).is_err());
    // The stride of an axis of length 1 is never used, and must not be in the way.
    let wide = Layout::from_strides(0, &[1, 2], &[0, 1isize << 59]).unwrap();
    assert_eq!(wide.byte_strides(8).unwrap()[1], 1 << 62);
}

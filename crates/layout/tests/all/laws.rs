//! Algebraic laws that hold for every layout, over the zoo and over random layouts.

use crate::zoo;
use crate::zoo::{layout_that_visits, lowest_at_zero, offsets};
use belvedere_layout::{
    Answer, Axis, Chain, Index, Layout, Reshape, Slice, broadcast, unravel_index,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// The offset at an index by the definition, in plain arithmetic.
fn offset_by_definition(layout: &Layout, index: &[usize]) -> usize {
    let pairs = index.iter().zip(layout.axes());
    let distance: i128 = pairs.map(|(&i, axis)| i as i128 * axis.stride as i128).sum();
    usize::try_from(layout.start() as i128 + distance).unwrap()
}

#[test]
fn offsets_match_their_definition() {
    for layout in zoo::layouts() {
        let shape = layout.shape();
        for (flat, offset) in layout.offsets().enumerate() {
            let index = unravel_index(&shape, flat).unwrap();
            assert_eq!(layout.offset(&index).unwrap(), offset);
            assert_eq!(offset_by_definition(&layout, &index), offset);
        }
        assert_eq!(layout.offsets().len(), layout.len());
    }
}

#[test]
fn a_row_major_layout_has_offsets_0_1_2() {
    for layout in zoo::layouts() {
        let fresh = layout.to_row_major();
        assert_eq!(fresh.shape(), layout.shape());
        assert!(fresh.offsets().eq(0..layout.len()));
        assert_eq!(fresh, Layout::row_major(&layout.shape()).unwrap());
        // Column-major: the first axis varies fastest.
        let turned: Vec<usize> = layout.shape().iter().rev().copied().collect();
        let columns = Layout::col_major(&turned).unwrap();
        assert_eq!(columns, fresh.reverse());
    }
}

#[test]
fn moving_several_axes_equals_moving_them_one_by_one() {
    for layout in zoo::layouts() {
        let n = layout.rank() as isize;
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            assert_eq!(
                layout.move_axes(&[from], &[to]).unwrap(),
                layout.move_axis(from, to).unwrap()
            );
            for (second, place) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
                let moved = layout.move_axes(&[from, second], &[to - n, place]);
                if from == second || to == place {
                    assert!(moved.is_err());
                    continue;
                }
                let moved = moved.unwrap();
                assert_eq!(moved.axes()[to as usize], layout.axes()[from as usize]);
                assert_eq!(moved.axes()[place as usize], layout.axes()[second as usize]);
                assert_eq!(moved.move_axes(&[place, to], &[second, from]).unwrap(), layout);
            }
        }
        assert_eq!(layout.move_axes((), ()).unwrap(), layout);
        assert!(layout.move_axes(n, 0).is_err() && layout.move_axes((), 0).is_err());
    }
}

#[test]
fn unsqueeze_then_squeeze_of_several_axes_is_the_identity() {
    for layout in zoo::layouts() {
        let n = layout.rank() as isize + 2;
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let wider = layout.unsqueeze_axes(&[a - n, b]);
            if a == b {
                assert!(wider.is_err());
                continue;
            }
            let (first, second) = (a.min(b), a.max(b));
            let one_by_one = layout.unsqueeze(first).unwrap().unsqueeze(second).unwrap();
            assert_eq!(wider.as_ref().unwrap(), &one_by_one);
            assert_eq!(wider.unwrap().squeeze(&[b, a]).unwrap(), layout);
        }
        assert!(layout.unsqueeze_axes(&[n, 0]).is_err());
        assert!(layout.unsqueeze_axes(&[0; 70]).is_err());
    }
}

#[test]
fn flip_is_its_own_inverse() {
    for layout in zoo::layouts() {
        for axis in 0..layout.rank() as isize {
            let flipped = layout.flip(&[axis]).unwrap();
            assert_eq!(flipped.flip(&[axis]).unwrap(), layout);
            let last = layout.axes()[axis as usize].len.saturating_sub(1);
            if !layout.is_empty() {
                let ends = (flipped.select(axis, 0).unwrap(), flipped.select(axis, -1).unwrap());
                assert_eq!(ends.0, layout.select(axis, last as isize).unwrap());
                assert_eq!(ends.1, layout.select(axis, 0).unwrap());
            }
        }
    }
}

#[test]
fn permuting_back_is_the_identity() {
    for layout in zoo::layouts() {
        let rank = layout.rank() as isize;
        let order: Vec<isize> = (0..rank).map(|k| (k + 1) % rank).collect();
        let back: Vec<isize> = (0..rank).map(|k| (k + rank - 1) % rank).collect();
        assert_eq!(layout.permute(&order).unwrap().permute(&back).unwrap(), layout);
        assert_eq!(layout.reverse().reverse(), layout);
    }
}

#[test]
fn moving_an_axis_back_is_the_identity() {
    for layout in zoo::layouts() {
        for from in 0..layout.rank() as isize {
            for to in 0..layout.rank() as isize {
                let moved = layout.move_axis(from, to).unwrap();
                assert_eq!(moved.axes()[to as usize], layout.axes()[from as usize]);
                assert_eq!(moved.move_axis(to, from).unwrap(), layout);
            }
        }
    }
}

#[test]
fn four_rotations_by_90_degrees_are_the_identity() {
    for layout in zoo::layouts().iter().filter(|it| it.rank() >= 2) {
        let turn = |it: &Layout, n| it.rot90(n, 0, -1).unwrap();
        let once = turn(layout, 1);
        assert_eq!(turn(&once, 1), turn(layout, 2));
        assert_eq!(turn(&turn(&once, 1), 1), turn(layout, 3));
        assert_eq!(turn(&turn(&once, 1), 2), *layout);
        assert_eq!(turn(layout, -1), turn(layout, 3));
        assert_eq!(turn(layout, 4), *layout);
        // Element (i, j) of the rotated plane is element (j, last - i) of the plane.
        for (i, j) in (0..once.axes()[0].len).flat_map(|i| (0..2).map(move |j| (i, j))) {
            if layout.rank() == 2 && j < layout.axes()[0].len {
                let last = layout.axes()[1].len - 1;
                assert_eq!(once.offset(&[i, j]).unwrap(), layout.offset(&[j, last - i]).unwrap());
            }
        }
    }
}

#[test]
fn unsqueeze_then_squeeze_is_the_identity() {
    for layout in zoo::layouts() {
        for axis in 0..=layout.rank() as isize {
            let with_unit = layout.unsqueeze(axis).unwrap();
            assert_eq!(with_unit.squeeze(&[axis]).unwrap(), layout);
            assert_eq!(offsets(&with_unit), offsets(&layout));
        }
    }
}

#[test]
fn split_then_merge_of_an_axis_is_the_identity() {
    for layout in zoo::layouts() {
        for (k, axis) in layout.axes().iter().enumerate().filter(|(_, it)| it.len > 0) {
            for size in (1..=axis.len).filter(|it| axis.len.is_multiple_of(*it)) {
                let split = layout.split_axis(k as isize, size).unwrap();
                assert_eq!(offsets(&split), offsets(&layout));
                assert_eq!(split.merge(k as isize, k as isize + 1).unwrap(), layout);
            }
        }
    }
}

#[test]
fn reshape_round_trip_is_the_identity() {
    for layout in zoo::layouts().iter().filter(|it| !it.is_empty()) {
        for shape in zoo::shapes_of(layout.len()) {
            if let Reshape::View(view) = layout.reshape(&shape).unwrap() {
                assert_eq!(view.view(layout.shape()).unwrap(), *layout);
            }
        }
    }
}

#[test]
fn the_parts_of_a_split_cover_the_axis_in_order() {
    for layout in zoo::layouts().iter().filter(|it| it.rank() > 0) {
        for axis in 0..layout.rank() as isize {
            let whole = offsets(&layout.move_axis(axis, 0).unwrap());
            let joined = |parts: Vec<Layout>| -> Vec<usize> {
                let fronted = parts.iter().map(|it| it.move_axis(axis, 0).unwrap());
                fronted.flat_map(|it| offsets(&it)).collect()
            };
            for n in 1..5 {
                assert_eq!(joined(layout.split(axis, n).unwrap().collect()), whole);
                assert_eq!(joined(layout.chunk(axis, n).unwrap().collect()), whole);
            }
            let (left, right) =
                layout.split_at(axis, layout.axes()[axis as usize].len / 2).unwrap();
            assert_eq!(joined(vec![left, right]), whole);
        }
    }
}

#[test]
fn each_window_equals_a_narrow() {
    for layout in zoo::layouts() {
        for (k, axis) in layout.axes().iter().enumerate() {
            for (size, step) in [(1, 1), (2, 1), (3, 2), (axis.len, 5)] {
                if size > axis.len {
                    assert!(layout.windows(k as isize, size, step).is_err());
                    continue;
                }
                let windows = layout.windows(k as isize, size, step).unwrap();
                for i in 0..windows.axes()[k].len {
                    let window = windows.select(k as isize, i as isize).unwrap();
                    let narrowed = layout.narrow(k as isize, i * step, size).unwrap();
                    assert_eq!(window, narrowed.move_axis(k as isize, -1).unwrap());
                }
                assert!(windows.axes()[k].len * step + size > axis.len);
            }
        }
    }
}

#[test]
fn a_diagonal_has_equal_indices() {
    for layout in zoo::layouts().iter().filter(|it| it.rank() == 2) {
        for shift in -5..=5 {
            let diagonal = layout.diagonal(shift, 0, 1).unwrap();
            let (rows, columns) = (layout.axes()[0].len, layout.axes()[1].len);
            let expected: Vec<usize> = (0..rows as isize)
                .filter(|i| (0..columns as isize).contains(&(i + shift)))
                .map(|i| layout.offset(&[i as usize, (i + shift) as usize]).unwrap())
                .collect();
            assert_eq!(offsets(&diagonal), expected, "{layout:?} shifted by {shift}");
            assert_eq!(layout.t().unwrap().diagonal(-shift, 0, 1).unwrap(), diagonal);
        }
    }
}

#[test]
fn select_of_a_broadcast_axis_is_the_identity() {
    for layout in zoo::layouts() {
        let mut shape = layout.shape().to_vec();
        shape.insert(0, 3);
        let repeated = layout.broadcast_to(&shape).unwrap();
        for i in 0..3 {
            assert_eq!(repeated.select(0, i).unwrap(), layout);
        }
        let both = broadcast(&[&layout, &Layout::scalar(5).unwrap()]).unwrap();
        assert_eq!(both[0], layout);
        assert!(both[1].offsets().all(|offset| offset == 5));
        assert_eq!(both[1].shape(), layout.shape());
    }
}

#[test]
fn reinterpreted_elements_cover_the_same_bytes() {
    for layout in zoo::layouts() {
        for n in [2, 3, 8] {
            let split = layout.split_elements(n).unwrap();
            let expected: Vec<usize> =
                layout.offsets().flat_map(|it| it * n..(it + 1) * n).collect();
            assert_eq!(offsets(&split), expected);
            assert_eq!(split.join_elements(n).unwrap(), layout);
            if let Ok(smaller) = layout.reinterpret(8 * n, 8) {
                assert_eq!(offsets(&smaller), expected);
                assert_eq!(smaller.reinterpret(8, 8 * n).unwrap(), layout);
            }
        }
    }
}

/// What operations that take parts away, or only reorder, do to a layout without repetition.
#[test]
fn step_flip_move_and_diagonal_preserve_injectivity() {
    let injective = |it: &&Layout| it.injective() == Answer::Yes;
    for layout in zoo::layouts().iter().filter(injective) {
        for (k, _) in layout.axes().iter().enumerate() {
            let k = k as isize;
            for derived in [layout.step(k, -2), layout.flip(&[k]), layout.move_axis(k, 0)] {
                assert_eq!(derived.unwrap().injective(), Answer::Yes);
            }
        }
        if layout.rank() >= 2 {
            assert_eq!(layout.diagonal(0, 0, 1).unwrap().injective(), Answer::Yes);
        }
    }
}

fn small_layout() -> impl Strategy<Value = Layout> {
    let axis = (0usize..5, -7isize..8).prop_map(|(len, stride)| Axis::new(len, stride));
    vec(axis, 0..5).prop_map(|axes| lowest_at_zero(&axes))
}

/// Draws one entry of an index, including out-of-range positions.
fn some_index() -> impl Strategy<Value = Index> {
    let position = prop_oneof![-7isize..8, Just(isize::MIN), Just(isize::MAX)];
    let maybe = proptest::option::of(position.clone());
    prop_oneof![
        4 => (maybe.clone(), maybe, prop_oneof![-4isize..5, Just(isize::MIN), Just(isize::MAX)])
            .prop_map(|(start, stop, step)| Index::Slice(Slice { start, stop, step })),
        2 => position.prop_map(Index::At),
        1 => Just(Index::NewAxis),
        1 => Just(Index::Ellipsis),
    ]
}

/// Returns the positions that Python selects, by the definition of `slice.indices` in unbounded integers.
fn python_positions(slice: Slice, len: usize) -> Vec<usize> {
    let (len, step) = (len as i128, slice.step as i128);
    let (lower, upper) = if step < 0 { (-1, len - 1) } else { (0, len) };
    let bound = |given: Option<isize>, default: i128| match given {
        None => default,
        Some(it) if it < 0 => (it as i128 + len).max(lower),
        Some(it) => (it as i128).min(upper),
    };
    let (mut at, stop) = match step < 0 {
        true => (bound(slice.start, upper), bound(slice.stop, lower)),
        false => (bound(slice.start, lower), bound(slice.stop, upper)),
    };
    let mut positions = Vec::new();
    while (step > 0 && at < stop) || (step < 0 && at > stop) {
        positions.push(at as usize);
        at += step;
    }
    positions
}

#[test]
fn slices_match_python() {
    let bounds: Vec<Option<isize>> = (-7..=7).map(Some).chain([None]).collect();
    for len in 0..6 {
        let row = Layout::row_major(&[len]).unwrap();
        for &start in &bounds {
            for &stop in &bounds {
                for step in (-7..=7).filter(|&step| step != 0) {
                    let slice = Slice { start, stop, step };
                    let taken = row.slice_axis(0, slice).unwrap();
                    assert_eq!(offsets(&taken), python_positions(slice, len), "{slice:?} of {len}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Slicing all axes is slicing each in turn; an error is an error both times.
    #[test]
    fn an_index_expression_equals_its_entries_one_by_one(
        layout in small_layout(),
        index in vec(some_index(), 0..6),
    ) {
        let n_taken = index.iter().filter(|it| matches!(it, Index::At(_) | Index::Slice(_))).count();
        let n_ellipses = index.iter().filter(|it| **it == Index::Ellipsis).count();
        let sliced = layout.slice(&index);
        if n_ellipses > 1 || n_taken > layout.rank() {
            prop_assert!(sliced.is_err());
            return Ok(());
        }
        let mut expected = Ok(layout.clone());
        let mut k = 0;
        for entry in &index {
            let Ok(current) = expected.clone() else { break };
            expected = match *entry {
                Index::At(at) => { current.select(k, at) }
                Index::Slice(slice) => { k += 1; current.slice_axis(k - 1, slice) }
                Index::NewAxis => { k += 1; current.unsqueeze(k - 1) }
                Index::Ellipsis => { k += (layout.rank() - n_taken) as isize; Ok(current) }
            };
        }
        match (sliced, expected) {
            (Ok(sliced), Ok(expected)) => prop_assert_eq!(sliced, expected),
            (sliced, expected) => prop_assert!(sliced.is_err() && expected.is_err()),
        }
    }

    #[test]
    fn a_slice_of_a_slice_is_a_slice(
        len in 0usize..20,
        first in (-25isize..25, -25isize..25, 1isize..5),
        second in (-25isize..25, -25isize..25, -4isize..0),
    ) {
        let slice = |(start, stop, step)| Slice { start: Some(start), stop: Some(stop), step };
        let row = Layout::row_major(&[len]).unwrap();
        let once = row.slice_axis(0, slice(first)).unwrap();
        let twice = once.slice_axis(0, slice(second)).unwrap();
        let outer = python_positions(slice(first), len);
        let inner = python_positions(slice(second), outer.len());
        let expected: Vec<usize> = inner.iter().map(|&i| outer[i]).collect();
        prop_assert_eq!(offsets(&twice), expected);
    }

    /// A random way through view operations visits what the same way through a chain visits.
    #[test]
    fn layouts_and_chains_have_the_same_view_operations(
        layout in small_layout(),
        choices in vec((0usize..6, 0usize..8), 0..8),
    ) {
        let mut view = layout.clone();
        let mut chain = Chain::new(layout);
        for (what, number) in choices {
            let rank = view.rank() as isize;
            let axis = if rank == 0 { 0 } else { number as isize % rank };
            let order: Vec<isize> = (0..rank).map(|k| (k + axis) % rank.max(1)).collect();
            let step = Index::Slice(Slice::ALL.by([1, 2, -1, -2][number % 4]));
            let (next, moved) = match what {
                0 => (view.permute(&order), chain.permute(&order)),
                1 => (view.flip(&[axis]), chain.flip(&[axis])),
                2 => (view.slice(&[step]), chain.slice(&[step])),
                3 => (view.unsqueeze(axis), chain.unsqueeze(axis)),
                4 => (
                    view.slice(&[Index::Ellipsis, Index::At(0)]),
                    chain.slice(&[Index::Ellipsis, Index::At(0)]),
                ),
                _ => {
                    let wider: Vec<usize> = [&[2], &view.shape()[..]].concat();
                    (view.broadcast_to(&wider), chain.broadcast_to(&wider))
                }
            };
            prop_assert_eq!(next.as_ref().err(), moved.as_ref().err());
            let (Ok(next), Ok(moved)) = (next, moved) else { continue };
            if next.len() > 5000 {
                break;
            }
            prop_assert_eq!(moved.as_layout(), Some(next.clone()));
            let visits = layout_that_visits(&offsets(&next), &next.shape());
            prop_assert_eq!(visits, Some(next.clone()));
            (view, chain) = (next, moved);
        }
    }
}

#[test]
fn an_axis_of_length_0_can_be_unflattened() {
    let empty = Layout::row_major(&[0, 2]).unwrap();
    assert_eq!(empty.unflatten(0, [0, 3]).unwrap().shape(), [0, 3, 2]);
    assert_eq!(empty.unflatten(0, [-1, 3]).unwrap().shape(), [0, 3, 2]);
    assert_eq!(empty.split_axis(0, 3).unwrap().shape(), [0, 3, 2]);
    assert!(empty.unflatten(0, [2, 3]).is_err());
    assert!(empty.unflatten(1, [0, 2]).is_err());
}

#[test]
fn there_are_len_plus_1_windows_of_size_0() {
    let row = Layout::row_major(&[5]).unwrap();
    assert_eq!(row.windows(0, 0, 1).unwrap().shape(), [6, 0]);
    assert_eq!(row.windows(0, 0, 2).unwrap().shape(), [3, 0]);
}

#[test]
fn inclusive_ranges_take_their_end() {
    use belvedere_layout::s;
    let row = Layout::row_major(&[6]).unwrap();
    let taken = |index: &[Index]| offsets(&row.slice(index).unwrap());
    assert_eq!(taken(&s![1..=3]), [1, 2, 3]);
    assert_eq!(taken(&s![..=-2]), [0, 1, 2, 3, 4]);
    assert_eq!(taken(&s![2..=-1]), [2, 3, 4, 5]);
}

#[test]
fn chunking_an_empty_axis_gives_n_parts() {
    let empty = Layout::row_major(&[0, 3]).unwrap();
    assert!(empty.chunk(0, 4).unwrap().map(|it| it.shape()).eq([[0usize, 3]; 4]));
    assert_eq!(empty.split(0, 4).unwrap().len(), 1);
    assert_eq!(empty.chunk(1, 2).unwrap().len(), 2);
}

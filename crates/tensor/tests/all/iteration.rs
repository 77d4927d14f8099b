//! Iterators, indices and fixed-rank views, compared with `Layout::offsets` over unusual layouts.

use crate::zoo::{self, Freedom, TestRng};
use belvedere::prelude::*;
use belvedere::{Elements, FixedView, FixedViewMut, Iter, LayoutError};

/// Returns small layouts of all kinds.
fn layouts() -> Vec<Layout> {
    let mut rng = TestRng::new(31);
    let mut layouts = zoo::layouts();
    layouts.extend((0..zoo::rounds(150)).map(|_| {
        let shape = rng.shape(7, 60);
        rng.random_layout(&shape, Freedom::Any)
    }));
    layouts
}

/// Returns a slice long enough for a layout, with the offsets as values.
fn numbers(layout: &Layout) -> Vec<usize> {
    (0..layout.span().end).collect()
}

/// Collects the items from both ends, as the bits of `ends` say: 0 for the front, repeated.
fn from_both_ends<I: DoubleEndedIterator + ExactSizeIterator>(
    mut it: I,
    ends: u32,
) -> Vec<I::Item> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for step in 0.. {
        let len = it.len();
        assert_eq!(it.size_hint(), (len, Some(len)));
        let item = if ends >> (step % 8) & 1 == 0 { it.next() } else { it.next_back() };
        assert_eq!(item.is_some(), len > 0);
        match item {
            Some(item) if ends >> (step % 8) & 1 == 0 => front.push(item),
            Some(item) => back.push(item),
            None => break,
        }
    }
    assert!(it.next().is_none() && it.next_back().is_none(), "fused");
    front.extend(back.into_iter().rev());
    front
}

/// The ends from which items are taken: front, back, in turns, and mixed.
const ENDS: [u32; 5] = [0, 0xff, 0b0101_0101, 0b0111_0010, 0b1000_1110];

fn check_iter(iter: &Iter<'_, usize>, expected: &[usize], layout: &Layout) {
    for ends in ENDS {
        assert_eq!(from_both_ends(iter.clone(), ends), expected, "{layout:?} {ends:b}");
    }
    let push = |mut list: Vec<usize>, value| {
        list.push(value);
        list
    };
    assert_eq!(iter.clone().fold(Vec::new(), push), expected, "{layout:?}");
    assert!(iter.clone().rfold(Vec::new(), push).iter().eq(expected.iter().rev()), "{layout:?}");
    assert_eq!(iter.clone().sum::<usize>(), expected.iter().sum());
    assert_eq!(
        (iter.clone().count(), iter.clone().last()),
        (expected.len(), expected.last().copied())
    );
}

#[test]
fn elements_are_iterated_over_from_both_ends() {
    for layout in layouts() {
        let (data, expected) = (numbers(&layout), zoo::offsets(&layout));
        let view = View::new(&data, layout.clone()).unwrap();
        check_iter(&view.iter(), &expected, &layout);
        assert!(view.into_iter().eq(expected), "{layout:?}");
    }
}

#[test]
fn nth_skips_from_both_ends() {
    for layout in layouts() {
        let (data, expected) = (numbers(&layout), zoo::offsets(&layout));
        let view = View::new(&data, layout.clone()).unwrap();
        let n = expected.len();
        let step = if zoo::full() { 1 } else { 1 + n / 7 };
        for i in (0..=n + 1).step_by(step) {
            for j in (0..=n + 1).step_by(step) {
                let (mut iter, mut right) = (view.iter(), expected.iter().copied());
                assert_eq!(iter.nth(i), right.nth(i), "{layout:?} {i}");
                assert_eq!(iter.nth_back(j), right.nth_back(j), "{layout:?} {i} {j}");
                assert_eq!(iter.nth(1), right.nth(1), "{layout:?} {i} {j}");
                assert_eq!(iter.nth_back(1), right.nth_back(1), "{layout:?} {i} {j}");
                check_iter(&iter, &right.collect::<Vec<_>>(), &layout);
            }
        }
    }
}

#[test]
fn iterators_split_anywhere() {
    for layout in layouts() {
        let (mut data, expected) = (numbers(&layout), zoo::offsets(&layout));
        let view = View::new(&data, layout.clone()).unwrap();
        for n in 0..=expected.len() {
            let (left, right) = view.iter().split_at(n);
            check_iter(&left, &expected[..n], &layout);
            check_iter(&right, &expected[n..], &layout);
            // A part that was begun from both ends.
            let mut middle = view.iter();
            let (first, last) = (middle.next(), middle.next_back());
            let len = middle.len();
            let (left, right) = middle.split_at(n.min(len));
            let whole = first.into_iter().chain(left).chain(right).chain(last);
            assert!(whole.eq(expected.iter().copied()), "{layout:?} {n}");
        }
        if zoo::is_injective(&layout) {
            for n in 0..=expected.len() {
                let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
                let (left, right) = view.iter_mut().split_at(n);
                assert!(left.chain(right).map(|it| *it).eq(expected.iter().copied()));
            }
        }
    }
}

#[test]
#[should_panic(expected = "cannot split an iterator over 3 elements at 4")]
fn a_split_beyond_the_end_panics() {
    View::from(&[1, 2, 3][..]).iter().split_at(4);
}

#[test]
fn references_are_iterated_over_from_both_ends() {
    for layout in layouts().into_iter().filter(zoo::is_injective) {
        let (mut data, expected) = (numbers(&layout), zoo::offsets(&layout));
        let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
        for ends in ENDS {
            let found = from_both_ends(view.iter_mut(), ends);
            assert!(found.iter().map(|it| **it).eq(expected.iter().copied()), "{layout:?}");
        }
        for (k, element) in view.iter_mut().enumerate() {
            assert_eq!(std::mem::replace(element, 1000 + k), expected[k], "{layout:?}");
        }
        assert!(view.iter().eq((0..expected.len()).map(|k| 1000 + k)), "{layout:?}");
        view.iter_mut().for_each(|element| *element += 1);
        view.iter_mut().rev().for_each(|element| *element += 1);
        for element in &mut view {
            *element += 1;
        }
        assert_eq!(view.iter_mut().nth(1).map(|it| *it), (expected.len() > 1).then_some(1004));
        let all: Vec<usize> = view.into_iter().map(|it| *it).collect();
        assert!(all.into_iter().eq((0..expected.len()).map(|k| 1003 + k)), "{layout:?}");
        // Nothing else was written.
        for (offset, &value) in data.iter().enumerate() {
            assert!(value >= 1000 || value == offset && !expected.contains(&offset), "{layout:?}");
        }
    }
}

#[test]
fn indexed_elements_have_their_index() {
    for layout in layouts() {
        let mut data = numbers(&layout);
        let view = View::new(&data, layout.clone()).unwrap();
        for ends in ENDS {
            let found = from_both_ends(view.indexed_iter(), ends);
            for (k, (index, value)) in found.iter().enumerate() {
                assert_eq!(*index, index_of(&layout, k));
                assert_eq!((view[index], view.get(&index[..]).unwrap()), (*value, *value));
                assert_eq!(layout.offset(index).unwrap(), *value);
            }
            assert_eq!(found.len(), layout.len());
        }
        if zoo::is_injective(&layout) {
            let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
            for (index, value) in view.indexed_iter_mut() {
                assert_eq!(layout.offset(&index).unwrap(), *value);
            }
        }
    }
}

/// Returns the `k`-th index in row-major order, by counting.
fn index_of(layout: &Layout, k: usize) -> Vec<usize> {
    let mut index = vec![0; layout.rank()];
    for _ in 0..k {
        for (i, axis) in index.iter_mut().zip(layout.axes()).rev() {
            *i += 1;
            if *i < axis.len {
                break;
            }
            *i = 0;
        }
    }
    index
}

/// Checks parts of a view against their layouts, in this order.
fn check_parts<'v, I>(parts: I, expected: &[Layout], what: &str)
where
    I: DoubleEndedIterator<Item = View<'v, usize>> + ExactSizeIterator + Clone,
{
    for ends in ENDS {
        let found = from_both_ends(parts.clone(), ends);
        assert_eq!(found.len(), expected.len(), "{what}");
        for (part, layout) in found.iter().zip(expected) {
            assert_eq!(part.shape(), layout.shape(), "{what}");
            assert!(part.iter().eq(layout.offsets()), "{what}: {layout:?}");
        }
    }
    for n in 0..=expected.len() {
        assert_eq!(parts.clone().nth(n).is_some(), n < expected.len());
        if let (Some(part), Some(layout)) = (parts.clone().nth_back(n), expected.iter().nth_back(n))
        {
            assert!(part.iter().eq(layout.offsets()), "{what}: {layout:?} {n}");
        }
    }
}

/// Returns the lanes of a layout along an axis, by selecting all other axes.
fn lanes(layout: &Layout, axis: usize) -> Vec<Layout> {
    let mut parts = vec![layout.move_axis(axis as isize, -1).unwrap()];
    for _ in 1..layout.rank() {
        parts = parts.iter().flat_map(|it| positions(it, 0)).collect();
    }
    parts
}

fn positions(layout: &Layout, axis: isize) -> Vec<Layout> {
    let len = layout.axes()[layout.resolve_axis(axis).unwrap()].len;
    (0..len).map(|i| layout.select(axis, i as isize).unwrap()).collect()
}

fn as_view(lane: FixedView<'_, usize, 1>) -> View<'_, usize> {
    assert!(lane.iter().eq(lane.as_view().iter()));
    lane.as_view()
}

#[test]
fn rows_lanes_and_positions_are_those_of_the_layout() {
    for layout in layouts() {
        let data = numbers(&layout);
        let view = View::new(&data, layout.clone()).unwrap();
        for axis in 0..layout.rank() {
            let what = format!("{layout:?}, axis {axis}");
            check_parts(
                view.lanes(axis as isize).unwrap().map(as_view),
                &lanes(&layout, axis),
                &what,
            );
            let expected = positions(&layout, axis as isize);
            check_parts(view.axis_iter(axis as isize).unwrap(), &expected, &what);
            let all_lanes = lanes(&layout, axis);
            for n in [0, all_lanes.len() / 3, all_lanes.len()] {
                let (left, right) = view.lanes(axis as isize).unwrap().split_at(n);
                check_parts(left.map(as_view), &all_lanes[..n], &what);
                check_parts(right.map(as_view), &all_lanes[n..], &what);
            }
            for n in [0, expected.len() / 2, expected.len()] {
                let (left, right) = view.axis_iter(axis as isize).unwrap().split_at(n);
                check_parts(left, &expected[..n], &what);
                check_parts(right, &expected[n..], &what);
            }
            for size in 1..=layout.axes()[axis].len + 1 {
                let parts: Vec<Layout> = layout.split(axis as isize, size).unwrap().collect();
                check_parts(view.chunks(axis as isize, size).unwrap(), &parts, &what);
            }
        }
        let what = format!("{layout:?}");
        if layout.rank() > 0 {
            check_parts(view.rows().map(as_view), &lanes(&layout, layout.rank() - 1), &what);
            check_parts(view.outer_iter().unwrap(), &positions(&layout, 0), &what);
        } else {
            check_parts(view.rows().map(as_view), &[layout.unsqueeze(0).unwrap()], &what);
            assert!(view.outer_iter().is_err() && view.lanes(0).is_err());
        }
        let rank = layout.rank() as isize;
        assert!(view.axis_iter(rank).is_err() && view.lanes(-rank - 1).is_err());
    }
}

#[test]
fn windows_are_those_of_the_layout() {
    for layout in layouts().into_iter().filter(|it| it.rank() <= 4) {
        let data = numbers(&layout);
        let view = View::new(&data, layout.clone()).unwrap();
        let rank = layout.rank();
        for size in 0..=3 {
            let sizes: Vec<usize> = (0..rank).map(|k| (size + k) % 4).collect();
            let axes: Vec<isize> = (0..rank as isize).collect();
            let Ok(windows) = layout.sliding_window(&axes, &sizes) else {
                assert!(view.window_iter(&sizes).is_err(), "{layout:?} {sizes:?}");
                continue;
            };
            let mut expected = vec![windows];
            for _ in 0..rank {
                expected = expected.iter().flat_map(|it| positions(it, 0)).collect();
            }
            let what = format!("{layout:?} {sizes:?}");
            check_parts(view.window_iter(&sizes).unwrap(), &expected, &what);
            match rank {
                0 => check_fixed_windows::<0>(&view, &sizes, &expected, &what),
                1 => check_fixed_windows::<1>(&view, &sizes, &expected, &what),
                2 => check_fixed_windows::<2>(&view, &sizes, &expected, &what),
                3 => check_fixed_windows::<3>(&view, &sizes, &expected, &what),
                _ => {}
            }
        }
        assert!(view.window_iter(vec![1; rank + 1]).is_err());
    }
}

fn check_fixed_windows<const N: usize>(
    view: &View<'_, usize>,
    sizes: &[usize],
    expected: &[Layout],
    what: &str,
) {
    let view = view.fixed::<N>().unwrap();
    let windows = view.window_iter(sizes.try_into().unwrap()).unwrap();
    check_parts(windows.map(|it| it.as_view()), expected, what);
    let mut sizes = view.dims();
    if let Some(size) = sizes.last_mut() {
        *size += 1;
        assert!(view.window_iter(sizes).is_err());
    }
}

#[test]
fn parts_for_writing_are_disjoint_and_complete() {
    type Parts<'v> = Vec<ViewMut<'v, usize>>;
    type Divide = for<'v> fn(&'v mut Elements<usize>, isize) -> Parts<'v>;
    let divisions: [Divide; 5] = [
        |it, _| it.rows_mut().map(FixedViewMut::into_view).collect(),
        |it, axis| it.lanes_mut(axis).unwrap().rev().map(FixedViewMut::into_view).collect(),
        |it, axis| it.axis_iter_mut(axis).unwrap().collect(),
        |it, axis| it.chunks_mut(axis, 2).unwrap().rev().collect(),
        |it, axis| {
            let n = it.shape()[axis as usize] / 2;
            let (left, right) = it.axis_iter_mut(axis).unwrap().split_at(n);
            left.chain(right.rev()).collect()
        },
    ];
    for layout in layouts().into_iter().filter(zoo::is_injective) {
        for (axis, divide) in (0..layout.rank()).flat_map(|axis| divisions.map(|it| (axis, it))) {
            let mut data = vec![0; layout.span().end];
            let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
            for (n, part) in divide(&mut view, axis as isize).iter_mut().enumerate() {
                part.map(|it| it + n + 1);
            }
            // Each element was written by one part: the numbers of the parts are whole.
            assert!(view.iter().all(|it| it > 0), "{layout:?}");
            let n_written = data.iter().filter(|&&it| it > 0).count();
            assert_eq!(n_written, layout.len(), "{layout:?}");
            let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
            view.fill(0);
            divide(&mut view, axis as isize).iter_mut().for_each(|part| part.map(|it| it + 1));
            assert!(view.iter().all(|it| it == 1), "{layout:?}");
        }
    }
}

#[test]
fn indices_are_arrays_tuples_slices_and_vectors() {
    let data: Vec<i32> = (0..120).collect();
    let x = View::new(&data, Layout::row_major(&[2, 3, 4, 5]).unwrap()).unwrap();
    let index = [1, 2, 3, 4];
    let all = [
        x[index],
        x[&index],
        x[(1, 2, 3, 4)],
        x[&index[..]],
        x[index.to_vec()],
        x[&index.to_vec()],
    ];
    assert_eq!(all, [119; 6]);
    assert_eq!(x.select(0, 1).unwrap()[(1, 0, 0)], 80);
    assert_eq!(x.view([120]).unwrap()[7], 7);
    assert_eq!(x.view([2, 1, 12, 1, 5, 1]).unwrap()[(1, 0, 11, 0, 4, 0)], 119);
    assert_eq!(x.view([2, 1, 12, 1, 5, 1, 1]).unwrap()[[1, 0, 11, 0, 4, 0, 0]], 119);
    let scalar = x.slice(s![1, 2, 3, 4]).unwrap();
    assert_eq!((scalar[()], scalar[[]], scalar.get(&[]).unwrap()), (119, 119, 119));
}

#[test]
fn indices_out_of_bounds_are_refused_with_the_error() {
    for layout in layouts() {
        let data = numbers(&layout);
        let view = View::new(&data, layout.clone()).unwrap();
        for k in 0..layout.rank() {
            let mut index = vec![0; layout.rank()];
            index[k] = layout.axes()[k].len;
            let error = view.get(&index).unwrap_err();
            assert_eq!(error.to_string(), layout.offset(&index).unwrap_err().to_string());
        }
        assert!(view.get(vec![0; layout.rank() + 1]).is_err());
    }
    let text = |run: &dyn Fn() -> i32| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    };
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let read = x.read::<i32>().unwrap();
    for index in [[2, 0], [0, 3], [usize::MAX, 0]] {
        let expected = x.layout().offset(&index).unwrap_err().to_string();
        assert_eq!(text(&|| read[index]), expected);
        assert_eq!(text(&|| read[(index[0], index[1])]), expected);
        assert_eq!(text(&|| read.fixed::<2>().unwrap()[index]), expected);
        assert_eq!(x.get::<i32>(index).unwrap_err().to_string(), expected);
    }
    let error: Error = LayoutError::IndexCount { given: 1, rank: 2 }.into();
    assert_eq!(text(&|| read[0]), error.to_string());
    assert_eq!(text(&|| read[(0, 0, 0)]), x.layout().offset(&[0; 3]).unwrap_err().to_string());
}

#[test]
fn guards_are_indexed_iterated_over_and_viewed() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    assert_eq!(x.read::<i32>().unwrap().iter().sum::<i32>(), 66);
    assert_eq!(x.read::<i32>().unwrap().t().unwrap().to_vec().unwrap()[..3], [0, 4, 8]);
    let rows: Vec<i32> = x.read::<i32>().unwrap().rows().map(|row| row.iter().sum()).collect();
    assert_eq!(rows, [6, 22, 38]);
    let mut w = x.t().unwrap().write::<i32>().unwrap();
    w[[0, 2]] += 100;
    w[(3, 0)] = -1;
    for value in w.iter_mut().rev().take(2) {
        *value *= 2;
    }
    let mut sum = 0;
    for value in &w {
        sum += value;
    }
    for value in &mut w {
        *value -= 1;
    }
    assert_eq!(sum, 66 + 100 - 4 + 7 + 11);
    assert_eq!(w.select(0, 0).unwrap().to_vec().unwrap(), [-1, 3, 107]);
    drop(w);
    assert_eq!(x.to_vec::<i32>().unwrap(), [-1, 0, 1, -2, 3, 4, 5, 13, 107, 8, 9, 21]);
}

#[test]
fn iterators_and_parts_are_sent_to_threads_as_slices_are() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Iter<'_, f32>>();
    is_send_and_sync::<belvedere::IterMut<'_, f32>>();
    is_send_and_sync::<belvedere::SubViews<'_, f32>>();
    is_send_and_sync::<belvedere::SubViewsMut<'_, f32>>();
    is_send_and_sync::<FixedView<'_, f32, 2>>();
    is_send_and_sync::<FixedViewMut<'_, f32, 2>>();
    is_send_and_sync::<&Elements<f32>>();
    is_send_and_sync::<belvedere::ReadGuard<f32>>();
}

#[test]
fn fixed_views_have_the_elements_of_their_view() {
    for layout in layouts() {
        check_fixed::<0>(&layout);
        check_fixed::<1>(&layout);
        check_fixed::<2>(&layout);
        check_fixed::<3>(&layout);
        check_fixed::<7>(&layout);
    }
}

fn check_fixed<const N: usize>(layout: &Layout) {
    let (mut data, expected) = (numbers(layout), zoo::offsets(layout));
    let view = View::new(&data, layout.clone()).unwrap();
    let Ok(fixed) = view.fixed::<N>() else {
        assert_ne!(layout.rank(), N);
        return;
    };
    assert_eq!((fixed.dims().to_vec(), layout.rank()), (layout.shape().to_vec(), N));
    assert!(fixed.as_view().iter().eq(expected.iter().copied()), "{layout:?}");
    assert_eq!(fixed.as_view().layout().shape(), layout.shape());
    assert_eq!(fixed.as_slice(), view.as_slice(), "{layout:?}");
    for (k, (index, value)) in fixed.indexed_iter().enumerate() {
        assert_eq!((index.to_vec(), value), (index_of(layout, k), expected[k]));
        assert_eq!((fixed[index], fixed.get(index).unwrap(), value), (value, value, view[index]));
        // SAFETY: the index is that of an element.
        assert_eq!(unsafe { fixed.get_unchecked(index) }, value);
    }
    assert_eq!(fixed.indexed_iter().len(), expected.len());
    check_iter(&fixed.iter(), &expected, layout);
    assert_eq!((fixed.sum(), view.sum()), (expected.iter().sum(), expected.iter().sum()));
    for axis in 0..N {
        let mut index = [0; N];
        index[axis] = fixed.dims()[axis];
        let error = layout.offset(&index).unwrap_err();
        let is_first = layout.axes()[..axis].iter().all(|it| it.len > 0);
        let found = fixed.get(index).unwrap_err();
        assert!(!is_first || found.to_string() == error.to_string(), "{found}");
        let len = fixed.dims()[axis];
        for (start, count) in (0..=len).flat_map(|at| (0..=len - at).map(move |n| (at, n))) {
            let part = fixed.narrow(axis as isize, start, count).unwrap();
            let narrowed = layout.narrow(axis as isize, start, count).unwrap();
            assert!(part.iter().eq(narrowed.offsets()), "{layout:?} {axis} {start} {count}");
        }
        assert!(fixed.narrow(axis as isize, 0, len + 1).is_err());
    }
    if zoo::is_injective(layout) {
        let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
        let mut fixed = view.fixed_mut::<N>().unwrap();
        for k in 0..expected.len() {
            let index: [usize; N] = index_of(layout, k).try_into().unwrap();
            fixed[index] += 1000;
            // SAFETY: the index is that of an element.
            unsafe { *fixed.get_unchecked_mut(index) += 1000 };
        }
        assert!(
            fixed.iter_mut().map(|it| *it).eq(expected.iter().map(|it| it + 2000)),
            "{layout:?}"
        );
        assert_eq!(fixed.as_mut_slice().is_some(), layout.is_contiguous());
        fixed.into_view().iter_mut().for_each(|value| *value -= 1000);
        assert!(view.iter().eq(expected.iter().map(|offset| offset + 1000)), "{layout:?}");
    }
}

#[test]
fn fixed_views_are_divided_by_axis() {
    for layout in layouts().into_iter().filter(|it| it.rank() == 3) {
        let mut data = numbers(&layout);
        let fixed = View::new(&data, layout.clone()).unwrap().fixed::<3>().unwrap();
        for axis in 0..3 {
            for (i, part) in positions(&layout, axis as isize).iter().enumerate() {
                assert!(fixed.index_axis(axis, i).iter().eq(part.offsets()), "{layout:?}");
            }
        }
        let outer = from_both_ends(fixed.outer_iter(), ENDS[2]);
        let matrices = positions(&layout, 0);
        assert!(
            outer
                .iter()
                .map(|it| it.iter().collect::<Vec<_>>())
                .eq(matrices.iter().map(zoo::offsets))
        );
        for (matrix, layout) in outer.iter().zip(&matrices) {
            for (i, row) in positions(layout, 0).iter().enumerate() {
                assert!(matrix.row(i).iter().eq(row.offsets()));
            }
        }
        if zoo::is_injective(&layout) {
            let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
            let mut fixed = view.fixed_mut::<3>().unwrap();
            let [n, height, width] = fixed.dims();
            for (i, j) in (0..n).flat_map(|i| (0..height).map(move |j| (i, j))) {
                let mut matrix = fixed.index_axis_mut(0, i);
                (0..width).for_each(|k| matrix.row_mut(j)[k] += 1000);
            }
            assert!(view.iter().eq(layout.offsets().map(|it| it + 1000)), "{layout:?}");
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_iterators_agree_with_the_others() {
    use rayon::prelude::*;

    for layout in layouts() {
        let (mut data, expected) = (numbers(&layout), zoo::offsets(&layout));
        let view = View::new(&data, layout.clone()).unwrap();
        let found: Vec<usize> = view.par_iter().with_max_len(3).collect();
        assert_eq!(found, expected, "{layout:?}");
        let sums: Vec<usize> = view.par_rows().with_max_len(1).map(|row| row.sum()).collect();
        assert!(sums.into_iter().eq(view.rows().map(|row| row.sum())), "{layout:?}");
        for axis in 0..layout.rank() as isize {
            let parts = view.par_axis_iter(axis).unwrap().with_max_len(1);
            let sums: Vec<usize> = parts.map(|part| part.sum()).collect();
            let right = view.axis_iter(axis).unwrap().map(|part| part.sum());
            assert!(sums.into_iter().eq(right), "{layout:?} {axis}");
        }
        if zoo::is_injective(&layout) {
            let mut view = ViewMut::new(&mut data, layout.clone()).unwrap();
            view.par_iter_mut().with_max_len(2).enumerate().for_each(|(k, value)| *value = k);
            assert!(view.iter().eq(0..expected.len()), "{layout:?}");
            view.par_rows_mut().with_max_len(1).for_each(|mut row| row.fill(7));
            if layout.rank() > 0 {
                let parts = view.par_axis_iter_mut(0).unwrap();
                parts.for_each(|mut part| part.map(|it| it + 1));
                assert!(view.iter().all(|it| it == 8), "{layout:?}");
            }
        }
    }
}

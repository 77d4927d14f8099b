//! Sums and positions of the elements of views, compared with loops over single elements.

use belvedere::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Numbers whose sums tell which of them were added.
fn numbers(n: usize) -> Vec<u64> {
    (0..n as u64).map(|i| i * i + 7 * i + 1).collect()
}

/// Checks the sum of a view, and of the same view with the axes in every order and direction.
fn check_sum(view: &View<'_, u64>) {
    let expected: u64 = view.iter().sum();
    assert_eq!(view.sum(), expected, "{:?}", view.layout());
    match view.rank() {
        0 => assert_eq!(view.fixed::<0>().unwrap().sum(), expected),
        1 => assert_eq!(view.fixed::<1>().unwrap().sum(), expected, "{:?}", view.layout()),
        2 => assert_eq!(view.fixed::<2>().unwrap().sum(), expected, "{:?}", view.layout()),
        3 => assert_eq!(view.fixed::<3>().unwrap().sum(), expected, "{:?}", view.layout()),
        _ => {}
    }
}

#[test]
fn lanes_of_every_length_and_stride_are_summed() {
    let data = numbers(700);
    let all = View::new(&data, Layout::row_major([700]).unwrap()).unwrap();
    for len in 0..=140 {
        for step in [1, 2, 5, -1, -3] {
            let lane = all.step(0, step).unwrap().narrow(0, 0, len).unwrap();
            check_sum(&lane);
        }
        check_sum(&all.narrow(0, 3, 1).unwrap().broadcast_to([len]).unwrap());
    }
}

#[test]
fn matrices_of_every_width_are_summed() {
    let data = numbers(7 * 50);
    let all = View::new(&data, Layout::row_major([7, 50]).unwrap()).unwrap();
    for height in [0, 1, 2, 7] {
        for width in (0..=36).chain([50]) {
            let matrix = all.narrow(0, 0, height).unwrap().narrow(1, 50 - width, width).unwrap();
            for view in [matrix.clone(), matrix.flip([0]).unwrap(), matrix.flip([0, 1]).unwrap()] {
                check_sum(&view);
                check_sum(&view.t().unwrap());
                check_sum(&view.step(1, 2).unwrap());
                check_sum(&view.unsqueeze(1).unwrap().broadcast_to([height, 2, width]).unwrap());
            }
        }
    }
}

#[test]
fn axes_are_summed_in_any_order() {
    let data = numbers(3 * 4 * 5 * 6);
    let all = View::new(&data, Layout::row_major([3, 4, 5, 6]).unwrap()).unwrap();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let view = all.permute_dims(order).unwrap();
        check_sum(&view);
        check_sum(&view.flip([1, 2]).unwrap());
        for axis in 0..4 {
            check_sum(&view.select(axis, 1).unwrap());
            check_sum(&view.narrow(axis, 1, 2).unwrap());
            check_sum(&view.narrow(axis, 1, 0).unwrap());
        }
    }
    // More axes than a layout stores inline.
    check_sum(&all.view([3, 2, 2, 5, 1, 3, 2]).unwrap().flip([0, 3, 6]).unwrap());
}

#[test]
fn windows_of_every_size_are_summed_from_both_ends() {
    let data = numbers(5 * 7);
    let whole = View::new(&data, Layout::row_major([5, 7]).unwrap()).unwrap();
    for view in [whole.clone(), whole.t().unwrap(), whole.flip([0, 1]).unwrap()] {
        let fixed = view.fixed::<2>().unwrap();
        let [height, width] = fixed.dims();
        for (m, n) in (0..=height).flat_map(|m| (0..=width).map(move |n| (m, n))) {
            let sum = |i: usize, j: usize| -> u64 {
                (i..i + m).flat_map(|i| (j..j + n).map(move |j| (i, j))).map(|at| fixed[at]).sum()
            };
            let mut expected = Vec::new();
            for i in 0..=height - m {
                expected.extend((0..=width - n).map(|j| sum(i, j)));
            }
            let windows = fixed.window_iter([m, n]).unwrap();
            assert_eq!(windows.clone().map(|it| it.sum()).collect::<Vec<u64>>(), expected);
            assert!(windows.clone().all(|it| it.as_slice().is_none_or(|it| it.len() == m * n)));
            // A fold over what is left of an iterator that was advanced at both ends.
            for (n_front, n_back) in [(0, 0), (1, 0), (3, 1), (9, 2)] {
                let mut rest = windows.clone();
                let n_taken = rest.by_ref().take(n_front).count();
                let n_back = (0..n_back).map_while(|_| rest.next_back()).count();
                let mut found = Vec::new();
                rest.for_each(|window| found.push(window.sum()));
                assert_eq!(found, expected[n_taken..expected.len() - n_back]);
            }
        }
    }
}

#[test]
fn positions_are_folded_from_anywhere() {
    let data = numbers(24);
    let x = View::new(&data, Layout::row_major([2, 3, 4]).unwrap()).unwrap();
    check_positions(x.fixed::<3>().unwrap());
    check_positions(x.permute_dims([2, 0, 1]).unwrap().fixed::<3>().unwrap());
    check_positions(x.flip([0, 2]).unwrap().fixed::<3>().unwrap());
    check_positions(x.select(1, 1).unwrap().fixed::<2>().unwrap());
    check_positions(x.narrow(1, 1, 0).unwrap().fixed::<3>().unwrap());
    check_positions(x.select(0, 1).unwrap().select(0, 2).unwrap().fixed::<1>().unwrap());
    let scalar = View::new(&data, Layout::scalar(5).unwrap()).unwrap();
    check_positions(scalar.fixed::<0>().unwrap());
}

fn check_positions<const N: usize>(view: belvedere::FixedView<'_, u64, N>) {
    let expected: Vec<([usize; N], u64)> = view.indexed_iter().collect();
    let [first, last] = [expected.first(), expected.last()];
    assert_eq!((expected.len(), first.is_some()), (view.len(), !view.is_empty()));
    assert!(expected.iter().all(|&(index, value)| view.get(index).unwrap() == value));
    assert!(expected.is_sorted() || view.len() < 2, "row-major order");
    assert!(last.is_none_or(|(index, _)| (0..N).all(|k| index[k] + 1 == view.dims()[k])));
    for n_taken in 0..=expected.len() {
        let mut rest = view.indexed_iter();
        assert_eq!(rest.by_ref().take(n_taken).count(), n_taken);
        assert_eq!(rest.len(), expected.len() - n_taken);
        let mut found = Vec::new();
        rest.for_each(|it| found.push(it));
        assert_eq!(found, expected[n_taken..]);
    }
}

#[test]
fn guards_release_their_claim_when_a_loop_panics() {
    let x = Tensor::zeros([2, 3], DType::Int64).unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut guard = x.write::<i64>().unwrap();
        for j in 0..4 {
            guard[[1, j]] = 7;
        }
    }));
    let message = *outcome.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(message, "index 3 is out of range for axis 1 of length 3");
    assert_eq!(x.read::<i64>().unwrap().iter().collect::<Vec<i64>>(), [0, 0, 0, 7, 7, 7]);
    assert!(x.write::<i64>().is_ok());
}

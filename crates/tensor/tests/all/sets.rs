//! Unique elements, set operations and `searchsorted` match a reference for every layout and dtype.

use crate::zoo::values::{DTypeVisitor, NumericValue, for_each_dtype};
use crate::zoo::{self, GuardedTensor, TestElement};
use belvedere::prelude::*;
use belvedere::{
    Complex, Side, copies, intersect1d, isin, notin, setdiff1d, setxor1d, union1d, with_num_threads,
};

/// Returns whether two elements are equal; NaN is not equal to itself.
fn equal<T: TestElement>(x: T, y: T) -> bool {
    match (x.numeric_value(), y.numeric_value()) {
        (NumericValue::Int(x), NumericValue::Int(y)) => x == y,
        (NumericValue::Float(x), NumericValue::Float(y)) => x == y,
        (NumericValue::Complex(a, b), NumericValue::Complex(c, d)) => a == c && b == d,
        _ => unreachable!("both are of one type"),
    }
}

#[test]
fn unique_matches_the_reference() {
    struct Distinct;

    impl DTypeVisitor for Distinct {
        fn visit<T: TestElement>(&mut self) {
            for layout in zoo::layouts() {
                let guarded = GuardedTensor::<T>::new(&layout, 5);
                let (x, values) = (&guarded.tensor, guarded.values());
                let case = (T::DTYPE, &layout);
                let all = x.unique_all().unwrap();
                let found = all.values.to_vec::<T>().unwrap();
                let at = all.indices.to_vec::<i64>().unwrap();
                let inverse = all.inverse_indices.to_vec::<i64>().unwrap();
                let counts = all.counts.to_vec::<i64>().unwrap();
                assert_eq!(all.inverse_indices.shape(), layout.shape(), "{case:?}");
                assert_eq!([at.len(), counts.len()], [found.len(); 2], "{case:?}");

                // Values are sorted; each element equals its value; indices are those of the first
                // occurrence; and there are as many values as unique elements.
                let n_distinct = (0..values.len())
                    .filter(|&i| !values[..i].iter().any(|&x| equal(x, values[i])))
                    .count();
                assert_eq!(found.len(), n_distinct, "{case:?}");
                for (k, &value) in found.iter().enumerate() {
                    let is_nan = !equal(value, value);
                    let first = values.iter().position(|&x| equal(x, value));
                    assert!(is_nan || first == Some(at[k] as usize), "{case:?}");
                    let n = inverse.iter().filter(|&&it| it == k as i64).count();
                    assert_eq!(n as i64, counts[k], "{case:?}");
                    assert!(!is_nan || counts[k] == 1, "{case:?}");
                }
                for (i, &x) in values.iter().enumerate() {
                    let value = found[inverse[i] as usize];
                    assert!(equal(x, value) || !equal(x, x) && !equal(value, value), "{case:?}");
                }
                let by_sorting = all.values.sort(0).unwrap();
                zoo::guarded_tensor::assert_same(&by_sorting.to_vec::<T>().unwrap(), &found, case);
                check_parts::<T>(x, &found, &counts, &inverse);
                guarded.assert_unchanged("nothing is written");
            }
        }
    }

    for_each_dtype(&mut Distinct);
}

/// Checks that the other functions for unique elements agree.
fn check_parts<T: TestElement>(x: &Tensor, values: &[T], counts: &[i64], inverse: &[i64]) {
    let same =
        |x: &Tensor| zoo::guarded_tensor::assert_same(&x.to_vec::<T>().unwrap(), values, T::DTYPE);
    same(&x.unique_values().unwrap());
    let by_counts = x.unique_counts().unwrap();
    same(&by_counts.values);
    assert_eq!(by_counts.counts.to_vec::<i64>().unwrap(), counts);
    let by_inverse = x.unique_inverse().unwrap();
    same(&by_inverse.values);
    assert_eq!(by_inverse.inverse_indices.to_vec::<i64>().unwrap(), inverse);
}

#[test]
fn nans_are_unique_and_signed_zeros_are_equal() {
    let x = tensor![f64::NAN, -0.0, 1.0, 0.0, -f64::NAN, 1.0];
    let all = x.unique_all().unwrap();
    assert_eq!(all.values.to_vec::<f64>().unwrap()[..2], [0.0, 1.0]);
    assert_eq!(all.counts.to_vec::<i64>().unwrap(), [2, 2, 1, 1]);
    assert_eq!(all.indices.to_vec::<i64>().unwrap(), [1, 2, 0, 4]);
    assert_eq!(all.inverse_indices.to_vec::<i64>().unwrap(), [2, 0, 1, 0, 3, 1]);
    assert_eq!(
        isin(&x, &x).unwrap().to_vec::<bool>().unwrap(),
        [false, true, true, true, false, true]
    );
    assert_eq!(union1d(&x, &x).unwrap().len(), 6, "two NaNs from each");
    assert_eq!(intersect1d(&x, &x).unwrap().to_vec::<f64>().unwrap(), [0.0, 1.0]);
    assert_eq!(setdiff1d(&x, &x).unwrap().len(), 2);
}

#[test]
fn set_operations_match_the_reference() {
    struct Sets;

    impl DTypeVisitor for Sets {
        fn visit<T: TestElement>(&mut self) {
            let layouts = zoo::layouts();
            for (i, layout) in layouts.iter().enumerate() {
                let a = GuardedTensor::<T>::new(layout, i);
                let b =
                    GuardedTensor::<T>::small_integers(&layouts[(i * 7 + 3) % layouts.len()], i);
                let case = (T::DTYPE, layout, b.layout());
                let among = |x: T, list: &[T]| list.iter().any(|&y| equal(x, y));
                let is_in: Vec<bool> = a.values().iter().map(|&x| among(x, &b.values())).collect();
                let ours = isin(&a.tensor, &b.tensor).unwrap();
                assert_eq!(ours.shape(), layout.shape());
                assert_eq!(ours.to_vec::<bool>().unwrap(), is_in, "{case:?}");
                let ours = notin(&a.tensor, &b.tensor).unwrap().to_vec::<bool>().unwrap();
                assert!(ours.iter().zip(&is_in).all(|(x, y)| x != y), "{case:?}");

                let distinct = |x: &Tensor| x.unique_values().unwrap().to_vec::<T>().unwrap();
                let (xs, ys) = (distinct(&a.tensor), distinct(&b.tensor));
                let check = |found: Result<Tensor, Error>, expected: Vec<T>| {
                    let n = expected.len();
                    let expected = Tensor::from_vec(expected, [n]).unwrap().sort(0).unwrap();
                    let found = found.unwrap().to_vec::<T>().unwrap();
                    zoo::guarded_tensor::assert_same(
                        &found,
                        &expected.to_vec::<T>().unwrap(),
                        case,
                    );
                };
                let only = |xs: &[T], ys: &[T], is_in: bool| -> Vec<T> {
                    xs.iter().copied().filter(|&x| among(x, ys) == is_in).collect()
                };
                let rest = only(&ys, &xs, false);
                check(union1d(&a.tensor, &b.tensor), [&xs[..], &rest].concat());
                check(intersect1d(&a.tensor, &b.tensor), only(&xs, &ys, true));
                check(setdiff1d(&a.tensor, &b.tensor), only(&xs, &ys, false));
                check(setxor1d(&a.tensor, &b.tensor), [only(&xs, &ys, false), rest].concat());
            }
        }
    }

    for_each_dtype(&mut Sets);
}

#[test]
fn unique_values_of_broadcast_views_are_those_of_a_copy() {
    let (nan, re) = (f64::NAN, Complex::new);
    let floats = tensor![nan, -0.0, 1.0, 0.0, -nan, 1.0];
    let pairs = tensor![re(nan, 1.0), re(nan, 2.0), re(1.0, nan), re(1.0, 2.0), re(1.0, 2.0)];
    for x in [floats, pairs] {
        let n = x.len();
        let views = [x.broadcast_to([3, n]).unwrap(), x.broadcast_to([2, 2, n]).unwrap()];
        for view in views.iter().flat_map(|it| [it.clone(), it.t().unwrap_or(it.clone())]) {
            let (ours, expected) =
                (view.unique_values().unwrap(), view.copy().unwrap().unique_values().unwrap());
            assert_eq!(format!("{ours}"), format!("{expected}"));
            assert_eq!(ours.shape(), expected.shape());
        }
    }
}

#[test]
fn few_and_many_values_are_found_in_long_lists() {
    for n_list in [1usize, 2, 15, 16, 17, 1000] {
        let list: Vec<f32> = (0..n_list).map(|i| (i / 3) as f32 * 0.5).collect();
        let sorted = Tensor::from_vec(list.clone(), [n_list]).unwrap();
        for n in [1usize, 15, 16, 17, 62, 63, 400] {
            let wanted: Vec<f32> = (0..n).map(|i| ((i * 37) % 701) as f32 * 0.25 - 1.0).collect();
            let values = Tensor::from_vec(wanted.clone(), [n]).unwrap();
            let left = |x: &f32| list.iter().filter(|it| *it < x).count() as i64;
            let right = |x: &f32| list.iter().filter(|it| *it <= x).count() as i64;
            let ours = |side: Side| sorted.searchsorted(&values, side).unwrap().to_vec::<i64>();
            assert_eq!(ours(Side::Left).unwrap(), wanted.iter().map(left).collect::<Vec<_>>());
            assert_eq!(ours(Side::Right).unwrap(), wanted.iter().map(right).collect::<Vec<_>>());
        }
    }
}

#[test]
fn searchsorted_matches_counting() {
    struct Places;

    impl DTypeVisitor for Places {
        fn visit<T: TestElement>(&mut self) {
            let lists = [Layout::row_major(&[9]), Layout::row_major(&[30]).unwrap().step(0, -3)];
            let still = Layout::scalar(2).unwrap().broadcast_to([4]);
            let [dense, backwards] = lists.map(Result::unwrap);
            for list in [dense, backwards, still.unwrap(), Layout::row_major(&[0]).unwrap()] {
                let list = GuardedTensor::<T>::new(&list, 2);
                let in_order = list.tensor.sort(0).unwrap();
                for layout in zoo::layouts() {
                    let x = GuardedTensor::<T>::new(&layout, 1);
                    // The left insertion index is the number of smaller elements.
                    let count = |value: T, side: Side| {
                        let values = in_order.to_vec::<T>().unwrap();
                        let joined = match side {
                            Side::Left => [&[value][..], &values].concat(),
                            Side::Right => [&values[..], &[value]].concat(),
                        };
                        let n = joined.len();
                        let at = if side == Side::Left { 0 } else { n as i64 - 1 };
                        let order = Tensor::from_vec(joined, [n]).unwrap().argsort(0).unwrap();
                        let order = order.to_vec::<i64>().unwrap();
                        order.iter().position(|&it| it == at).unwrap() as i64
                    };
                    for side in [Side::Left, Side::Right] {
                        let case = (T::DTYPE, &layout, side, list.layout());
                        let expected: Vec<i64> =
                            x.values().iter().map(|&it| count(it, side)).collect();
                        let ours = in_order.searchsorted(&x.tensor, side).unwrap();
                        assert_eq!(ours.to_vec::<i64>().unwrap(), expected, "{case:?}");
                        assert_eq!(ours.shape(), layout.shape());
                        let sorter = list.tensor.argsort(0).unwrap().astype(DType::UInt32).unwrap();
                        let ours = list.tensor.searchsorted_by(&x.tensor, side, &sorter).unwrap();
                        assert_eq!(ours.to_vec::<i64>().unwrap(), expected, "{case:?}");
                        let small = x.tensor.narrow(0, 0, 1).map_or(x.tensor.clone(), |it| it);
                        let ours = in_order.searchsorted(&small, side).unwrap();
                        let n = ours.len();
                        let flat = ours.reshape([n]).unwrap().to_vec::<i64>().unwrap();
                        assert!(layout.rank() == 0 || flat == expected[..n], "{case:?}");
                    }
                }
            }
        }
    }

    for_each_dtype(&mut Places);
}

#[test]
fn isin_agrees_for_sparse_and_dense_lists() {
    let values: Vec<i64> = (-300..300).map(|i| i * 1_000_003).chain(-9..9).collect();
    let x = Tensor::from_slice(&values, [values.len()]).unwrap();
    // Sparse, dense, at the limits of the dtype, one element, none.
    let far: Vec<i64> = values.iter().copied().step_by(7).collect();
    let ends = vec![i64::MIN, i64::MAX, 0];
    for list in [far, (-50..50).step_by(3).collect(), ends, vec![-3], vec![]] {
        let expected: Vec<bool> = values.iter().map(|x| list.contains(x)).collect();
        let list = Tensor::from_slice(&list, [list.len()]).unwrap();
        assert_eq!(isin(&x, &list).unwrap().to_vec::<bool>().unwrap(), expected);
    }
}

#[test]
fn scalars_are_searched_as_the_dtype_of_the_list() {
    let list = tensor![1u8, 3, 200];
    assert_eq!(list.searchsorted(3, Side::Right).unwrap().item::<i64>().unwrap(), 2);
    assert_eq!(list.searchsorted(2.5, Side::Left).unwrap().item::<i64>().unwrap(), 1);
    let error = list.searchsorted(300, Side::Left).unwrap_err();
    assert_eq!(error.to_string(), "300 does not fit in uint8");
    assert!(isin(3, &list).unwrap().item::<bool>().unwrap());
    assert!(!isin(&list, 7).unwrap().any(()).unwrap().item::<bool>().unwrap());
    assert!(isin(2.0, 2).unwrap().item::<bool>().unwrap());
}

#[test]
fn sorted_list_is_cast_with_an_event_and_values_without_a_copy() {
    let (list, values) = (tensor![1, 2, 3], tensor![0.5, 2.0]);
    let (found, log) = copies::record(|| list.searchsorted(&values, Side::Left));
    assert_eq!(found.unwrap().to_vec::<i64>().unwrap(), [0, 1]);
    assert_eq!((log.len(), log[0].op, log[0].bytes), (1, "searchsorted", 24));
    let back = || values.searchsorted(&list.flip(&[0]).unwrap(), Side::Left);
    let (found, log) = copies::record(back);
    assert_eq!(found.unwrap().to_vec::<i64>().unwrap(), [2, 1, 1]);
    assert!(log.is_empty());
    let lens = tensor![3, 1].lens().pad(&[(1, 1)]).unwrap();
    assert_eq!(isin(&lens, &list).unwrap().to_vec::<bool>().unwrap(), [false, true, true, false]);
    assert!(copies::forbid(|| isin(&lens, &list)).is_err());
}

#[test]
fn large_sets_do_not_depend_on_the_number_of_threads() {
    let mut rng = zoo::TestRng::new(4);
    let values: Vec<i32> = (0..200_000).map(|_| rng.below(50_000) as i32 - 25_000).collect();
    let x = Tensor::from_vec(values, [400, 500]).unwrap().t().unwrap();
    let parts = |n: usize| {
        with_num_threads(n, || {
            let all = x.unique_all().unwrap();
            let parts = [all.indices, all.inverse_indices, all.counts];
            parts.map(|it| it.to_vec::<i64>().unwrap())
        })
    };
    let expected = parts(1);
    assert!(expected[0].len() > 40_000);
    for n in [2, 5, 8] {
        assert!(parts(n) == expected, "{n} threads");
    }
}

#[test]
fn searches_refuse_unsorted_and_non_1d_lists() {
    let (list, matrix) = (tensor![1, 2, 3], tensor![[1, 2], [3, 4]]);
    let text = |outcome: Result<Tensor, Error>| outcome.unwrap_err().to_string();
    let needs = "searchsorted needs a tensor of rank 1, got 2";
    assert_eq!(text(matrix.searchsorted(1, Side::Left)), needs);
    let by = |sorter: Tensor| text(list.searchsorted_by(1, Side::Left, &sorter));
    assert_eq!(by(tensor![0, 1]), "searchsorted needs shape [3], got [2]");
    assert_eq!(by(tensor![0, 1, 3]), "index 3 is out of range for axis 0 of length 3");
    assert_eq!(by(tensor![0, -1, 2]), "index -1 is out of range for axis 0 of length 3");
    assert!(by(tensor![0u64, u64::MAX, 2]).starts_with("index -1 is out of range"));
    assert_eq!(by(tensor![0.0, 1.0, 2.0]), "cannot cast float64 to int64 implicitly; use astype");
    let needs = "digitize needs ascending or descending edges, got 1";
    assert_eq!(text(list.digitize(&tensor![1, 3, 2], false)), needs);
    assert!(list.digitize(&matrix, false).is_err());
    assert!(list.digitize(&tensor![Complex::new(1.0, 0.0)], false).is_err());
}

#[test]
fn digitize_supports_ascending_and_descending_bins() {
    let x = tensor![0.2, 6.4, 3.0, 1.6, 1.0, f64::NAN];
    let bins = tensor![0.0, 1.0, 2.5, 4.0];
    let at = |bins: &Tensor, right| x.digitize(bins, right).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(at(&bins, false), [1, 4, 3, 2, 2, 4]);
    assert_eq!(at(&bins, true), [1, 4, 3, 2, 1, 4]);
    let down = bins.flip(&[0]).unwrap();
    assert_eq!(at(&down, false), [3, 0, 1, 2, 2, 0]);
    assert_eq!(at(&down, true), [3, 0, 1, 2, 3, 0]);
}

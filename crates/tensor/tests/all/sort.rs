//! Sorts match a reference: every layout and dtype, both directions, stable, into any output and in place, for
//! any number of threads.

use crate::zoo::values::{DTypeVisitor, NumericValue, for_each_dtype};
use crate::zoo::{self, GuardedTensor, TestElement, TestRng, guarded_tensor::assert_same};
use belvedere::prelude::*;
use belvedere::{argsort_into, copies, descending, sort_into, with_num_threads};
use std::cmp::Ordering;

/// Compares two elements: NaNs last and equal, zeros equal, complex numbers lexicographically.
fn order<T: TestElement>(x: T, y: T) -> Ordering {
    let real = |x: f64, y: f64| match (x.is_nan(), y.is_nan()) {
        (false, false) => x.partial_cmp(&y).unwrap(),
        (x, y) => x.cmp(&y),
    };
    match (x.numeric_value(), y.numeric_value()) {
        (NumericValue::Int(x), NumericValue::Int(y)) => x.cmp(&y),
        (NumericValue::Float(x), NumericValue::Float(y)) => real(x, y),
        (NumericValue::Complex(a, b), NumericValue::Complex(c, d)) => {
            let nans = |re: f64, im: f64| (re.is_nan(), im.is_nan());
            nans(a, b).cmp(&nans(c, d)).then(real(a, c)).then(real(b, d))
        }
        _ => unreachable!("both are of one type"),
    }
}

/// Returns the indices that sort a list, by the stable sort of the standard library.
fn positions<T: TestElement>(lane: &[T], is_descending: bool) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..lane.len()).collect();
    positions.sort_by(|&i, &j| match is_descending {
        true => order(lane[j], lane[i]),
        false => order(lane[i], lane[j]),
    });
    positions
}

/// Returns the row-major positions of the elements of each lane.
fn lanes(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let starts = (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i)));
    let at =
        |(o, i): (usize, usize)| (0..shape[axis]).map(move |k| (o * shape[axis] + k) * inner + i);
    starts.map(|start| at(start).collect()).collect()
}

/// Returns the elements sorted along an axis, and the indices that sort them.
fn sorted<T: TestElement>(
    values: &[T],
    shape: &[usize],
    axis: usize,
    is_descending: bool,
) -> (Vec<T>, Vec<i64>) {
    let (mut sorted, mut found) = (values.to_vec(), vec![0; values.len()]);
    for lane in lanes(shape, axis) {
        let elements: Vec<T> = lane.iter().map(|&at| values[at]).collect();
        for (&to, from) in lane.iter().zip(positions(&elements, is_descending)) {
            sorted[to] = elements[from];
            found[to] = from as i64;
        }
    }
    (sorted, found)
}

#[test]
fn sort_matches_the_reference_for_every_layout_and_dtype() {
    struct Sorts;

    impl DTypeVisitor for Sorts {
        fn visit<T: TestElement>(&mut self) {
            for layout in zoo::layouts() {
                let x = GuardedTensor::<T>::new(&layout, 3);
                for axis in 0..layout.rank() {
                    for is_descending in [false, true] {
                        let along = if is_descending {
                            descending(axis as isize)
                        } else {
                            (axis as isize).into()
                        };
                        let case = (T::DTYPE, &layout, axis, is_descending);
                        let (values, at) =
                            sorted(&x.values(), &layout.shape(), axis, is_descending);
                        let ours = x.tensor.sort(along).unwrap();
                        assert_same(&ours.to_vec::<T>().unwrap(), &values, case);
                        let ours = x.tensor.argsort(along).unwrap();
                        assert_eq!(ours.to_vec::<i64>().unwrap(), at, "{case:?}");
                    }
                }
                x.assert_unchanged("sorting makes a tensor");
            }
        }
    }

    for_each_dtype(&mut Sorts);
}

#[test]
fn sort_into_and_in_place_support_any_layout() {
    struct Outputs;

    impl DTypeVisitor for Outputs {
        fn visit<T: TestElement>(&mut self) {
            for layout in zoo::layouts() {
                let dense = Layout::row_major(&layout.shape()).unwrap();
                let x = GuardedTensor::<T>::new(&dense, 1);
                for axis in 0..layout.rank() {
                    let case = (T::DTYPE, &layout, axis);
                    let (out, place) = (
                        GuardedTensor::<T>::new(&layout, 9),
                        GuardedTensor::<i64>::new(&layout, 9),
                    );
                    let (values, at) = sorted(&x.values(), &layout.shape(), axis, true);
                    let along = descending(axis as isize);
                    let outcome = sort_into(&x.tensor, along, &out.tensor);
                    if !zoo::is_injective(&layout) {
                        assert!(matches!(outcome, Err(Error::Overlapping { .. })), "{case:?}");
                        assert!(out.tensor.sort_assign(along).is_err());
                        out.assert_unchanged(case);
                        continue;
                    }
                    outcome.unwrap();
                    out.assert_elements(&values, case);
                    argsort_into(&x.tensor, along, &place.tensor).unwrap();
                    place.assert_elements(&at, case);

                    let here = GuardedTensor::<T>::new(&layout, 4);
                    let (values, _) = sorted(&here.values(), &layout.shape(), axis, false);
                    let (outcome, log) = copies::record(|| here.tensor.sort_assign(axis as isize));
                    outcome.unwrap();
                    here.assert_elements(&values, case);
                    assert!(log.is_empty(), "nothing is copied in place");
                }
            }
        }
    }

    for_each_dtype(&mut Outputs);
}

#[test]
fn sort_into_overlapping_output_reads_before_written() {
    let fresh = || Tensor::from_vec((0..24).map(|i| i * 7 % 24).collect(), [4, 6]).unwrap();
    type Pick = fn(&Tensor) -> Result<Tensor, Error>;
    let views: [(Pick, Pick); 4] = [
        (|x| Ok(x.clone()), |x| Ok(x.clone())),
        (|x| Ok(x.clone()), |x| x.flip(&[1])),
        (|x| x.slice(s![..3, ..]), |x| x.slice(s![1.., ..])),
        (|x| x.slice(s![.., ..4]), |x| x.slice(s![..;-1, 2..])),
    ];
    for (source, target) in views {
        for axis in [0, 1] {
            let (x, apart) = (fresh(), fresh());
            let (from, to) = (source(&x).unwrap(), target(&x).unwrap());
            let expected = source(&apart).unwrap().sort(axis).unwrap();
            let (outcome, log) = copies::record(|| sort_into(&from, axis, &to));
            outcome.unwrap();
            assert_eq!(to.to_vec::<i32>().unwrap(), expected.to_vec::<i32>().unwrap());
            assert_eq!((log.len(), log[0].op), (1, "sort"));
            let x = fresh();
            let (from, to) = (source(&x).unwrap(), target(&x).unwrap());
            assert!(copies::forbid(|| sort_into(&from, axis, &to)).is_err());
            assert_eq!(x.to_vec::<i32>().unwrap(), fresh().to_vec::<i32>().unwrap());
        }
    }
}

/// Returns a long lane with many ties, and edge-case values on request.
fn long<T: TestElement>(n: usize, seed: u64, with_odd: bool) -> Vec<T> {
    let (mut rng, odd) = (TestRng::new(seed), T::edge_values());
    let value = |rng: &mut TestRng| match rng.below(4) {
        0 if with_odd => *rng.pick(&odd),
        0 | 1 => T::from_small(rng.below(100)),
        _ => T::from_numeric(match odd[0].numeric_value() {
            NumericValue::Int(_) => NumericValue::Int(rng.below(1 << 40) as i128 - (1 << 39)),
            NumericValue::Float(_) => NumericValue::Float(rng.below(1 << 40) as f64 - 7e11),
            NumericValue::Complex(..) => {
                NumericValue::Complex(rng.below(99) as f64, rng.below(1 << 30) as f64)
            }
        }),
    };
    (0..n).map(|_| value(&mut rng)).collect()
}

#[test]
fn long_lanes_are_sorted_for_any_number_of_threads() {
    struct Long;

    impl DTypeVisitor for Long {
        fn visit<T: TestElement>(&mut self) {
            // The longest lane is split among threads.
            let longest = match T::DTYPE {
                DType::Int16 | DType::Float32 | DType::Complex64 => 140_000,
                _ => 20_000,
            };
            for (n, with_odd) in [(2_000, true), (3_000, false), (longest, false)] {
                let values = long::<T>(n, n as u64, with_odd);
                let x = Tensor::from_vec(values.clone(), [n]).unwrap();
                let at = positions(&values, false);
                let sorted: Vec<T> = at.iter().map(|&at| values[at]).collect();
                for n_threads in [1, 2, 8] {
                    let case = (T::DTYPE, n, n_threads);
                    with_num_threads(n_threads, || {
                        assert_same(&x.sort(0).unwrap().to_vec::<T>().unwrap(), &sorted, case);
                        let found = x.argsort(0).unwrap().to_vec::<i64>().unwrap();
                        let is_same = found.iter().zip(&at).all(|(&x, &y)| x as usize == y);
                        assert!(is_same, "{case:?}");
                        let down = x.flip(&[0]).unwrap().copy().unwrap();
                        down.sort_assign(descending(0)).unwrap();
                        let back = down.flip(&[0]).unwrap().to_vec::<T>().unwrap();
                        assert_same(&back, &sorted, case);
                    });
                }
            }
        }
    }

    for_each_dtype(&mut Long);
}

#[test]
fn lanes_of_every_length_are_sorted() {
    struct Lengths;

    impl DTypeVisitor for Lengths {
        fn visit<T: TestElement>(&mut self) {
            for n in (0..70).chain((70..600).step_by(13)).chain([1024, 1500]) {
                let values = long::<T>(n, n as u64, n % 2 == 0);
                let x = Tensor::from_vec(values.clone(), [n]).unwrap();
                for is_descending in [false, true] {
                    let along = if is_descending { descending(0) } else { 0.into() };
                    let case = (T::DTYPE, n, is_descending);
                    let at = positions(&values, is_descending);
                    let sorted: Vec<T> = at.iter().map(|&at| values[at]).collect();
                    assert_same(&x.sort(along).unwrap().to_vec::<T>().unwrap(), &sorted, case);
                    let found = x.argsort(along).unwrap().to_vec::<i64>().unwrap();
                    assert!(found.iter().zip(&at).all(|(&x, &y)| x as usize == y), "{case:?}");
                    let place = x.copy().unwrap();
                    place.sort_assign(along).unwrap();
                    assert_same(&place.to_vec::<T>().unwrap(), &sorted, case);
                }
            }
        }
    }

    for_each_dtype(&mut Lengths);
}

#[test]
fn broadcast_lanes_are_sorted() {
    let row = Tensor::from_vec(long::<f64>(70, 3, true), [70]).unwrap();
    let x = row.broadcast_to([200, 70]).unwrap();
    for x in [x.clone(), x.t().unwrap(), x.flip(&[0, 1]).unwrap()] {
        let flat = x.copy().unwrap().to_vec::<f64>().unwrap();
        for axis in [0, 1] {
            let (expected, at) = sorted(&flat, &x.shape(), axis, true);
            let along = descending(axis as isize);
            assert_same(&x.sort(along).unwrap().to_vec::<f64>().unwrap(), &expected, axis);
            assert_eq!(x.argsort(along).unwrap().to_vec::<i64>().unwrap(), at, "{axis}");
        }
    }
}

#[test]
fn many_lanes_are_sorted_for_any_number_of_threads() {
    let values = long::<f32>(300 * 400, 5, true);
    let x = Tensor::from_vec(values.clone(), [300, 400]).unwrap();
    for x in [x.clone(), x.t().unwrap(), x.flip(&[0, 1]).unwrap(), x.step(1, 3).unwrap()] {
        for axis in [0, 1] {
            let flat = x.copy().unwrap().to_vec::<f32>().unwrap();
            let (expected, at) = sorted(&flat, &x.shape(), axis, false);
            for n in [1, 2, 3, 4, 8] {
                with_num_threads(n, || {
                    let ours = x.sort(axis as isize).unwrap().to_vec::<f32>().unwrap();
                    assert_same(&ours, &expected, (axis, n));
                    let ours = x.argsort(axis as isize).unwrap();
                    assert_eq!(ours.to_vec::<i64>().unwrap(), at, "{axis} {n}");
                });
            }
        }
    }
}

#[test]
fn topk_matches_the_start_of_sort() {
    struct First;

    impl DTypeVisitor for First {
        fn visit<T: TestElement>(&mut self) {
            let x = Tensor::from_vec(long::<T>(3 * 700, 8, true), [3, 700]).unwrap();
            for x in [x.clone(), x.flip(&[1]).unwrap(), x.slice(s![.., ..9]).unwrap()] {
                let len = x.shape()[1];
                for k in [0, 1, 2, 5, len / 3, len - 1, len] {
                    let part = |x: Tensor| x.narrow(1, 0, k).unwrap();
                    let top = x.topk(k, 1).unwrap();
                    let whole = part(x.sort(descending(1)).unwrap()).to_vec::<T>().unwrap();
                    assert_same(&top.values.to_vec::<T>().unwrap(), &whole, (T::DTYPE, k));
                    let at = part(x.argsort(descending(1)).unwrap()).to_vec::<i64>().unwrap();
                    assert_eq!(top.indices.to_vec::<i64>().unwrap(), at, "{} {k}", T::DTYPE);
                    let least = x.topk_least(k, -1).unwrap();
                    let whole = part(x.sort(1).unwrap()).to_vec::<T>().unwrap();
                    assert_same(&least.values.to_vec::<T>().unwrap(), &whole, (T::DTYPE, k));
                    let at = part(x.argsort(1).unwrap()).to_vec::<i64>().unwrap();
                    assert_eq!(least.indices.to_vec::<i64>().unwrap(), at, "{} {k}", T::DTYPE);
                }
            }
        }
    }

    for_each_dtype(&mut First);
}

#[test]
fn partition_puts_the_kth_element_in_place() {
    struct Partitions;

    impl DTypeVisitor for Partitions {
        fn visit<T: TestElement>(&mut self) {
            let values = long::<T>(101, 2, true);
            let x = Tensor::from_vec(values.clone(), [101]).unwrap().flip(&[0]).unwrap();
            let in_order = x.sort(0).unwrap().to_vec::<T>().unwrap();
            for k in [0isize, 1, 50, 99, 100, -1, -101] {
                let at = k.rem_euclid(101) as usize;
                let parts = x.partition(k, 0).unwrap().to_vec::<T>().unwrap();
                let found = x.argpartition(k, 0).unwrap().to_vec::<i64>().unwrap();
                let taken: Vec<T> = found.iter().map(|&it| values[100 - it as usize]).collect();
                for parts in [&parts, &taken] {
                    assert_eq!(order(parts[at], in_order[at]), Ordering::Equal, "{}", T::DTYPE);
                    assert!(parts[..at].iter().all(|&x| order(x, parts[at]) != Ordering::Greater));
                    assert!(parts[at..].iter().all(|&x| order(x, parts[at]) != Ordering::Less));
                    let mut all = parts.to_vec();
                    all.sort_by(|&x, &y| order(x, y));
                    let is_same = |(x, y): (&T, &T)| order(*x, *y) == Ordering::Equal;
                    assert!(
                        all.iter().zip(&in_order).all(is_same),
                        "a permutation of the elements"
                    );
                }
            }
        }
    }

    for_each_dtype(&mut Partitions);
}

#[test]
fn sort_keeps_the_bits_of_zeros_and_nans() {
    let bits = [0x8000_0000u32, 0, 0x7FC0_0001, 0x8000_0000, 0xFFC0_0007, 0x3F80_0000, 0];
    let x = Tensor::from_vec(bits.map(f32::from_bits).to_vec(), [7]).unwrap();
    let bits_of = |x: Tensor| x.bitcast(DType::UInt32).unwrap().to_vec::<u32>().unwrap();
    let expected = [bits[0], bits[1], bits[3], bits[6], bits[5], bits[2], bits[4]];
    assert_eq!(bits_of(x.sort(0).unwrap()), expected);
    let expected = [bits[2], bits[4], bits[5], bits[0], bits[1], bits[3], bits[6]];
    assert_eq!(bits_of(x.sort(descending(0)).unwrap()), expected);
    x.sort_assign(0).unwrap();
    assert_eq!(bits_of(x)[4..], [bits[5], bits[2], bits[4]]);
}

#[test]
fn sorts_refuse_invalid_arguments() {
    let x = tensor![[3, 1], [2, 4]];
    let text = |error: Error| error.to_string();
    assert_eq!(text(x.sort(2).unwrap_err()), "axis 2 is out of range: the axes are -2..=1");
    assert!(x.argsort(descending(isize::MIN)).is_err());
    let number = x.select(0, 0).unwrap().select(0, 0).unwrap();
    assert!(number.sort(0).is_err() && number.sort(-1).is_err() && number.topk(0, 0).is_err());
    let needs = "topk needs k to be at most the length of the axis, got 3";
    assert_eq!(text(x.topk(3, 0).unwrap_err()), needs);
    assert!(x.topk_least(usize::MAX, 0).is_err());
    let needs = "index 2 is out of range for axis 1 of length 2";
    assert_eq!(text(x.partition(2, -1).unwrap_err()), needs);
    assert!(x.partition(-3, 0).is_err() && x.argpartition(isize::MIN, 0).is_err());
    let out = Tensor::zeros([2, 3], DType::Int32).unwrap();
    let needs = "sort needs shape [2, 2], got [2, 3]";
    assert_eq!(text(sort_into(&x, 0, &out).unwrap_err()), needs);
    let out = Tensor::zeros([2, 2], DType::Int64).unwrap();
    assert_eq!(text(sort_into(&x, 0, &out).unwrap_err()), "expected a tensor of int32, got int64");
    argsort_into(&x, 0, &out).unwrap();
    let error = argsort_into(&x, 0, &x).unwrap_err();
    assert_eq!(text(error), "expected a tensor of int64, got int32");
    assert_eq!(x.to_vec::<i32>().unwrap(), [3, 1, 2, 4]);
}

#[test]
fn sorting_axes_larger_than_memory_is_an_error() {
    let x = tensor![1.5f32].broadcast_to([1usize << 46]).unwrap();
    let kind = |outcome: Result<Tensor, Error>| outcome.map(drop).unwrap_err().kind();
    assert_eq!(kind(x.sort(0)), ErrorKind::Memory);
    assert_eq!(kind(x.argsort(0)), ErrorKind::Memory);
    assert_eq!(kind(x.topk(1, 0).map(|it| it.values)), ErrorKind::Memory);
    assert_eq!(kind(x.unique_counts().map(|it| it.counts)), ErrorKind::Memory);
    assert_eq!(kind(x.median(())), ErrorKind::Memory);
    assert_eq!(kind(belvedere::isin(1.5, &x)), ErrorKind::Memory);
    // Each NaN is distinct; of a number there is one.
    let nan = tensor![f32::NAN].broadcast_to([1usize << 46]).unwrap();
    assert_eq!(kind(nan.unique_values()), ErrorKind::Memory);
    assert_eq!(kind(belvedere::union1d(&x, &nan)), ErrorKind::Memory);
    for distinct in [x.unique_values(), belvedere::union1d(&x, &x)] {
        assert_eq!(distinct.unwrap().to_vec::<f32>().unwrap(), [1.5]);
    }
}

#[test]
fn empty_tensors_are_sorted_along_any_axis() {
    for shape in [vec![0], vec![0, 3], vec![3, 0], vec![1 << 46, 0], vec![1 << 40, 1 << 20, 0]] {
        let x = Tensor::zeros(&shape, DType::Float32).unwrap();
        for axis in 0..shape.len() as isize {
            assert_eq!(x.sort(axis).unwrap().shape(), shape[..], "{shape:?}");
            assert_eq!(x.argsort(descending(axis)).unwrap().shape(), shape[..]);
            x.sort_assign(axis).unwrap();
            assert_eq!(x.topk(0, axis).unwrap().values.len(), 0);
        }
        assert_eq!(x.unique_all().unwrap().values.shape(), [0]);
        assert_eq!(x.median(0).unwrap().shape(), shape[1..]);
        assert_eq!(x.median(keep(())).unwrap().shape(), vec![1; shape.len()][..]);
        assert_eq!(x.histogram(3).unwrap().counts.to_vec::<i64>().unwrap(), [0, 0, 0]);
    }
}

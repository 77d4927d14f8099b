//! Quantiles and histograms match their definitions for every layout, any axes and any dtype.

use crate::zoo::values::{DTypeVisitor, NumericValue, for_each_dtype};
use crate::zoo::{self, GuardedTensor, TestElement, TestRng};
use belvedere::prelude::*;
use belvedere::{Bins, Interpolation, copies, with_num_threads};

/// Returns an element as `float64`.
fn number<T: TestElement>(x: T) -> f64 {
    match x.numeric_value() {
        NumericValue::Int(x) => x as f64,
        NumericValue::Float(x) => x,
        NumericValue::Complex(..) => unreachable!("complex numbers have no quantiles"),
    }
}

/// Returns a quantile by sorting, and the two elements next to it.
fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    if sorted.iter().any(|x| x.is_nan()) || sorted.is_empty() {
        return f64::NAN;
    }
    sorted.sort_by(f64::total_cmp);
    let position = q * (sorted.len() - 1) as f64;
    let (x, y) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    match position.fract() {
        _ if x == y => x,
        0.0 => x,
        share => x * (1.0 - share) + y * share,
    }
}

/// Returns the elements reduced to each result, in row-major order.
fn groups(shape: &[usize], values: &[f64], is_folded: &[bool]) -> Vec<Vec<f64>> {
    let kept: Vec<usize> = (0..shape.len()).filter(|&k| !is_folded[k]).collect();
    let mut groups = vec![Vec::new(); kept.iter().map(|&k| shape[k]).product()];
    for (flat, &value) in values.iter().enumerate() {
        let index = belvedere_layout::unravel_index(shape, flat).unwrap();
        groups[kept.iter().fold(0, |at, &k| at * shape[k] + index[k])].push(value);
    }
    groups
}

#[test]
fn quantile_matches_sorting_for_every_layout_and_dtype() {
    struct Quantiles(TestRng);

    impl DTypeVisitor for Quantiles {
        fn visit<T: TestElement>(&mut self) {
            if T::DTYPE.is_complex() {
                return;
            }
            for (i, layout) in zoo::layouts().iter().enumerate() {
                // Edge cases, or numbers that are interpolated without rounding error.
                let is_odd = i % 2 == 0;
                let x = if is_odd {
                    GuardedTensor::<T>::new(layout, i)
                } else {
                    GuardedTensor::small_integers(layout, i)
                };
                let is_folded: Vec<bool> = (0..layout.rank()).map(|_| self.0.one_in(2)).collect();
                let axes: Vec<isize> =
                    (0..layout.rank() as isize).filter(|&k| is_folded[k as usize]).collect();
                let values: Vec<f64> = x.values().into_iter().map(number).collect();
                let groups = groups(&layout.shape(), &values, &is_folded);
                let q = tensor![[0.0, 0.5], [0.25, 1.0]];
                let ours = x.tensor.quantile(&q, &axes[..]).unwrap();
                let medians = x.tensor.median(&axes[..]).unwrap();
                let skipped = x.tensor.nanmedian(&axes[..]).unwrap();
                let dtype = if T::DTYPE.is_floating() { T::DTYPE } else { DType::Float64 };
                let rank = layout.rank() - axes.len();
                assert_eq!((ours.dtype(), ours.rank(), medians.rank()), (dtype, rank + 2, rank));
                let numbers =
                    |x: &Tensor| x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
                let (ours, medians, skipped) =
                    (numbers(&ours), numbers(&medians), numbers(&skipped));
                let case = (T::DTYPE, layout, &axes);
                for (j, group) in groups.iter().enumerate() {
                    for (k, q) in [0.0, 0.5, 0.25, 1.0].into_iter().enumerate() {
                        let expected = quantile(group, q);
                        check(ours[k * groups.len() + j], expected, dtype, (&case, q));
                    }
                    check(medians[j], quantile(group, 0.5), dtype, (&case, "median"));
                    let rest: Vec<f64> = group.iter().copied().filter(|x| !x.is_nan()).collect();
                    check(skipped[j], quantile(&rest, 0.5), dtype, (&case, "nanmedian"));
                }
                x.assert_unchanged("nothing is written");
            }
        }
    }

    for_each_dtype(&mut Quantiles(TestRng::new(6)));
}

/// Checks a number up to rounding to a dtype, or up to the last digits.
#[track_caller]
fn check(found: f64, expected: f64, dtype: DType, case: impl std::fmt::Debug) {
    let rounded = tensor![expected].astype(dtype).unwrap().astype(DType::Float64).unwrap();
    let rounded = rounded.item::<f64>().unwrap();
    let is_near = (found - rounded).abs() <= 1e-3 * rounded.abs() + f64::MIN_POSITIVE;
    let is_same = found == rounded || found.is_nan() && rounded.is_nan();
    assert!(is_same || is_near && found.is_finite(), "{case:?}: {found} and not {rounded}");
}

#[test]
fn non_adjacent_axes_are_not_copied() {
    let x = Tensor::arange(0..24).unwrap().reshape([2, 3, 4]).unwrap();
    let turned = [x.reverse_dims(), x.flip(&[0, 2]).unwrap(), x.permute_dims(&[2, 0, 1]).unwrap()];
    for x in turned {
        let median = copies::forbid(|| x.median(())).unwrap();
        assert_eq!(median.item::<f64>().unwrap(), 11.5);
    }
    // The first two axes can be merged, and the last two; no other axes can.
    let (median, log) = copies::record(|| x.median(keep([0, 2])));
    assert_eq!(median.unwrap().to_vec::<f64>().unwrap(), [7.5, 11.5, 15.5]);
    assert!(log.is_empty());
    let gaps = x.slice(s![.., ..;2, 1..3]).unwrap();
    let (median, log) = copies::record(|| gaps.median(()));
    assert_eq!((median.unwrap().item::<f64>().unwrap(), log.len()), (11.5, 0));
}

#[test]
fn long_lanes_over_several_axes_are_split_among_threads() {
    let values: Vec<i32> = (0..60 * 50 * 40).map(|i| i * 7919 % 120_000).collect();
    let x = Tensor::from_vec(values.clone(), [60, 50, 40]).unwrap();
    let numbers: Vec<f64> = values.into_iter().map(f64::from).collect();
    let expected: Vec<f64> = groups(&[60, 50, 40], &numbers, &[true, false, true])
        .iter()
        .map(|group| quantile(group, 0.5))
        .collect();
    for n in [1, 2, 5] {
        let medians = with_num_threads(n, || x.median([2, 0])).unwrap();
        assert_eq!(medians.to_vec::<f64>().unwrap(), expected, "{n} threads");
    }
}

#[test]
fn quantiles_of_infinities_and_nan() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let of = |values: &[f64], q: f64| {
        let x = Tensor::from_slice(values, [values.len()]).unwrap();
        x.quantile(q, 0).unwrap().item::<f64>().unwrap()
    };
    assert_eq!(of(&[1.0, inf], 0.5), inf);
    assert_eq!(of(&[inf, inf, inf], 0.25), inf);
    assert_eq!(of(&[-inf, 5.0, inf], 0.5), 5.0);
    assert!(of(&[-inf, inf], 0.5).is_nan());
    assert!(of(&[1.0, nan, 2.0], 0.0).is_nan());
    assert!(of(&[], 0.5).is_nan());
    assert_eq!(of(&[f64::MAX, -f64::MAX], 0.0), -f64::MAX);
    assert_eq!(of(&[f64::MAX, f64::MAX], 0.5), f64::MAX);
    assert_eq!(of(&[-f64::MAX, f64::MAX], 0.5), 0.0);
    let x = Tensor::zeros([3, 0], DType::Float32).unwrap();
    assert!(x.median(1).unwrap().to_vec::<f32>().unwrap().iter().all(|x| x.is_nan()));
    assert_eq!(x.median(0).unwrap().shape(), [0]);
    assert!(tensor![nan, nan].nanmedian(()).unwrap().item::<f64>().unwrap().is_nan());
    assert_eq!(tensor![7].select(0, 0).unwrap().median(()).unwrap().item::<f64>().unwrap(), 7.0);
    let none = Tensor::zeros([0], DType::Float64).unwrap();
    assert_eq!(tensor![1.0, 2.0].quantile(&none, 0).unwrap().shape(), [0]);
}

#[test]
fn quantile_supports_keepdims_and_an_empty_list_of_axes() {
    let x = tensor![[3.0, 1.0], [2.0, 8.0]];
    assert_eq!(x.quantile(&tensor![0.5, 0.1, 1.0], keep(0)).unwrap().shape(), [3, 1, 2]);
    assert_eq!(x.median(keep(())).unwrap().shape(), [1, 1]);
    let alone = x.median([0; 0]).unwrap();
    assert_eq!(
        (alone.shape(), alone.to_vec::<f64>().unwrap()),
        (x.shape(), vec![3.0, 1.0, 2.0, 8.0])
    );
}

#[test]
fn quantile_into_writes_to_existing_outputs() {
    let out = GuardedTensor::<f32>::new(&Layout::row_major(&[3, 2]).unwrap().t().unwrap(), 0);
    let x = tensor![[1.0f32, 5.0, 2.0], [4.0, 4.0, 0.0]];
    belvedere::quantile_into(&x, &tensor![0.0, 1.0], 0, &out.tensor).unwrap();
    out.assert_elements(&[1.0, 4.0, 0.0, 4.0, 5.0, 2.0], "least and greatest");
    let place = x.select(1, 1).unwrap();
    belvedere::median_into(&x, 1, &place).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 2.0, 4.0, 4.0, 0.0]);
    let error = belvedere::median_into(&x, 0, &place).unwrap_err();
    assert_eq!(error.to_string(), "median needs shape [3], got [2]");
    let whole = Tensor::zeros([2], DType::Int32).unwrap();
    assert!(matches!(belvedere::median_into(&x, 1, &whole), Err(Error::Cast { .. })));
}

#[test]
fn several_quantiles_match_single_quantiles() {
    let mut rng = TestRng::new(1);
    let values: Vec<f32> = (0..5000).map(|_| rng.below(900) as f32 / 7.0).collect();
    let x = Tensor::from_vec(values, [5, 1000]).unwrap();
    let levels: Vec<f64> = (0..=40).map(|i| i as f64 / 40.0).collect();
    let q = Tensor::from_slice(&levels, [41]).unwrap();
    for between in [Interpolation::Linear, Interpolation::Hazen, Interpolation::Nearest] {
        for n in [1, 2, 8] {
            let all = with_num_threads(n, || x.quantile_by(&q, 1, between)).unwrap();
            for (i, &q) in levels.iter().enumerate() {
                let one = x.quantile_by(q, 1, between).unwrap();
                let row = all.select(0, i as isize).unwrap();
                assert_eq!(row.to_vec::<f32>().unwrap(), one.to_vec::<f32>().unwrap(), "{q}");
            }
        }
    }
}

#[test]
fn quantile_refuses_q_out_of_range() {
    let x = tensor![1.0, 2.0];
    let text = |outcome: Result<Tensor, Error>| outcome.unwrap_err().to_string();
    assert_eq!(text(x.quantile(1.5, 0)), "quantile needs quantiles from 0 to 1, got 1.5");
    assert_eq!(text(x.quantile(f64::NAN, 0)), "quantile needs quantiles from 0 to 1, got NaN");
    assert_eq!(
        text(x.percentile(&tensor![50.0, -1.0], 0)),
        "percentile needs percentiles from 0 to 100, got -1"
    );
    assert_eq!(text(x.median(1)), "axis 1 is out of range: the axes are -1..=0");
    let z = x.astype(DType::Complex64).unwrap();
    assert_eq!(text(z.nanmedian(0)), "nanmedian is not supported for complex64");
}

#[test]
fn histogram_matches_counting_for_every_layout_and_dtype() {
    struct Histograms;

    impl DTypeVisitor for Histograms {
        fn visit<T: TestElement>(&mut self) {
            if T::DTYPE.is_complex() {
                return;
            }
            for layout in zoo::layouts() {
                let x = GuardedTensor::<T>::new(&layout, 2);
                let weights = GuardedTensor::<f32>::small_integers(&layout, 3);
                let values: Vec<f64> = x.values().into_iter().map(number).collect();
                let edges = [-1.0, 0.0, 0.0, 1.5, 3.0, 3.0];
                let is_in = |x: f64, bin: usize| {
                    let is_last = bin == 4 && x == edges[5];
                    x >= edges[bin] && (x < edges[bin + 1] || is_last)
                };
                let expected: Vec<i64> = (0..5)
                    .map(|bin| values.iter().filter(|&&x| is_in(x, bin)).count() as i64)
                    .collect();
                let sums: Vec<f64> = (0..5)
                    .map(|bin| {
                        let pairs = values.iter().zip(weights.values());
                        pairs.filter(|&(&x, _)| is_in(x, bin)).map(|(_, w)| w as f64).sum()
                    })
                    .collect();
                let case = (T::DTYPE, &layout);
                let edges = Tensor::from_slice(&edges, [6]).unwrap();
                let ours = x.tensor.histogram(&edges).unwrap();
                assert_eq!(ours.counts.to_vec::<i64>().unwrap(), expected, "{case:?}");
                assert!(ours.edges.shares_memory(&edges).unwrap(), "explicit edges are returned");
                let bins = Bins::from(&edges).weights(&weights.tensor);
                let ours = x.tensor.histogram(bins).unwrap();
                assert_eq!(ours.counts.to_vec::<f64>().unwrap(), sums, "{case:?}");
            }
        }
    }

    for_each_dtype(&mut Histograms);
}

#[test]
fn uniform_bins_match_their_edges_despite_rounding() {
    let mut rng = TestRng::new(3);
    for round in 0..200 {
        let n = 1 + rng.below(50);
        let (from, width) = (rng.below(100) as f64 / 7.0 - 5.0, 0.1 + rng.below(100) as f64 / 3.0);
        let bins = Bins::new(n).range(from, from + width);
        let edges = tensor![0.0].histogram(bins.clone()).unwrap().edges;
        // The edges themselves and adjacent floats are the hard cases.
        let numbers = edges.to_vec::<f64>().unwrap();
        let near =
            numbers.iter().flat_map(|&x| [x.next_down(), x, x.next_up()]).collect::<Vec<_>>();
        let x = Tensor::from_slice(&near, [near.len()]).unwrap();
        let (ours, exact) = (x.histogram(bins).unwrap(), x.histogram(&edges).unwrap());
        let counts = ours.counts.to_vec::<i64>().unwrap();
        assert_eq!(counts, exact.counts.to_vec::<i64>().unwrap(), "{round}: {n} {from} {width}");
        assert_eq!(counts.iter().sum::<i64>() as usize, near.len() - 2);
    }
    let wide = tensor![-1.7e308, 0.1, 1.7e308].histogram(4).unwrap();
    assert_eq!(wide.counts.to_vec::<i64>().unwrap(), [1, 0, 1, 1]);
    let same = tensor![4, 4].histogram(2).unwrap();
    assert_eq!(same.edges.to_vec::<f64>().unwrap(), [3.5, 4.0, 4.5]);
    assert_eq!(same.counts.to_vec::<i64>().unwrap(), [0, 2]);
    let none = Tensor::zeros([0], DType::Float32).unwrap().histogram(1).unwrap();
    assert_eq!(
        (none.edges.dtype(), none.counts.to_vec::<i64>().unwrap()),
        (DType::Float32, vec![0])
    );
    assert_eq!(none.edges.to_vec::<f32>().unwrap(), [0.0, 1.0]);
}

#[test]
fn large_histograms_are_bitwise_equal_for_any_number_of_threads() {
    let mut rng = TestRng::new(9);
    let values: Vec<f32> = (0..300_000).map(|_| rng.below(1 << 20) as f32 / 1024.0).collect();
    let x = Tensor::from_vec(values, [600, 500]).unwrap();
    let weights = x.sqrt().unwrap();
    for x in [x.clone(), x.t().unwrap(), x.flip(&[0]).unwrap()] {
        let weights = weights.view(&*x.shape()).unwrap();
        let counts = |n: usize| {
            with_num_threads(n, || {
                let plain = x.histogram(100).unwrap().counts.to_vec::<i64>().unwrap();
                let bins = Bins::new(77).weights(&weights);
                (plain, x.histogram(bins).unwrap().counts.to_vec::<f64>().unwrap())
            })
        };
        let expected = counts(1);
        assert_eq!(expected.0.iter().sum::<i64>(), 300_000);
        for n in [2, 3, 8] {
            assert!(counts(n) == expected, "{n} threads");
        }
    }
}

#[test]
fn density_integrates_to_one() {
    let x = tensor![0.0, 0.5, 3.0, 3.5, 9.0];
    let edges = tensor![0.0, 1.0, 4.0];
    let density = x.histogram(Bins::from(&edges).density()).unwrap().counts;
    let expected = [0.5, 0.5 / 3.0];
    assert_eq!(density.to_vec::<f64>().unwrap(), expected);
}

#[test]
fn bincount_counts_integers() {
    let x = tensor![[1u8, 5], [1, 0]];
    assert_eq!(x.bincount(None, 0).unwrap().to_vec::<i64>().unwrap(), [1, 2, 0, 0, 0, 1]);
    let still = tensor![2i8].broadcast_to([1000]).unwrap();
    assert_eq!(still.bincount(None, 5).unwrap().to_vec::<i64>().unwrap(), [0, 0, 1000, 0, 0]);
    let weights = tensor![2i32].broadcast_to([1000]).unwrap();
    assert_eq!(
        still.bincount(Some(&weights), 0).unwrap().to_vec::<f64>().unwrap(),
        [0.0, 0.0, 2000.0]
    );
    assert_eq!(tensor![true, true].bincount(None, 0).unwrap().to_vec::<i64>().unwrap(), [0, 2]);
    let none = Tensor::zeros([0], DType::Int64).unwrap();
    assert_eq!(none.bincount(None, 2).unwrap().to_vec::<i64>().unwrap(), [0, 0]);
    assert_eq!(none.bincount(None, 0).unwrap().shape(), [0]);
}

#[test]
fn histogram_refuses_invalid_bins() {
    let x = tensor![1.0, 2.0];
    let text = |bins: Bins| x.histogram(bins).unwrap_err().to_string();
    assert_eq!(text(Bins::new(0)), "histogram needs at least one bin, got 0");
    assert_eq!(
        text(Bins::new(2).range(0.0, f64::INFINITY)),
        "histogram needs a finite range, got inf"
    );
    let needs = "histogram needs a range whose upper end is not below its lower end, got -2";
    assert_eq!(text(Bins::new(2).range(3.0, 1.0)), needs);
    assert_eq!(text(Bins::from(&tensor![1, 3, 2])), "histogram needs ascending edges, got 2");
    assert_eq!(text(Bins::from(&tensor![f64::NAN])), "histogram needs ascending edges, got NaN");
    assert_eq!(text(Bins::from(&tensor![[1, 3]])), "histogram needs a tensor of rank 1, got 2");
    let none = Tensor::zeros([0], DType::Int64).unwrap();
    assert_eq!(text(Bins::from(&none)), "histogram needs at least one edge, got 0");
    let weights = Bins::new(1).weights(&tensor![1.0]);
    assert_eq!(text(weights), "histogram needs shape [2], got [1]");
    let complex = tensor![Complex::new(1.0, 0.0), Complex::new(1.0, 0.0)];
    assert_eq!(text(Bins::new(1).weights(&complex)), "histogram is not supported for complex128");
    assert!(complex.histogram(1).is_err() && x.histogram(&complex).is_err());
    assert_eq!(tensor![f64::NAN].histogram(3).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(x.histogram(usize::MAX).unwrap_err().kind(), ErrorKind::Memory);
    assert_eq!(x.histogram(1 << 50).unwrap_err().kind(), ErrorKind::Memory);
    let text = |x: Tensor| x.bincount(None, 0).unwrap_err().to_string();
    assert_eq!(text(tensor![3, -2]), "bincount needs non-negative integers, got -2");
    assert_eq!(text(tensor![0.5]), "bincount is not supported for float64");
    assert_eq!(tensor![i64::MAX].bincount(None, 0).unwrap_err().kind(), ErrorKind::Memory);
    assert_eq!(tensor![u64::MAX].bincount(None, 0).unwrap_err().kind(), ErrorKind::Memory);
    assert_eq!(tensor![1].bincount(None, usize::MAX).unwrap_err().kind(), ErrorKind::Memory);
    assert!(tensor![1].bincount(Some(&x), 0).is_err());
}

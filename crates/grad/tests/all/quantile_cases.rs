//! Quantiles of all methods, several levels and axes, and what ignores NaN.

use crate::differences::{ALL, Case, case, complex, mask};
use belvedere::Interpolation as By;
use belvedere::prelude::*;
use belvedere::{Interpolation, keep};
use belvedere_grad::Tape;

/// Levels at which no interpolation method jumps for 3, 4 or 12 elements.
fn levels() -> Tensor {
    tensor![[0.11, 0.97], [0.62, 0.31]]
}

fn quantiles(x: &Tensor, by: Interpolation) -> Result<Tensor, Error> {
    let all = x.quantile_by(&levels(), (), by)?;
    x.quantile_by(&levels(), 1, by)?.add(&all.unsqueeze(-1)?)
}

fn with_nan(x: &Tensor) -> Result<Tensor, Error> {
    where_(&mask()?, x, f64::NAN)
}

pub(crate) const CASES: &[Case] = &[
    case("quantile", 1, ALL, |x| x[0].quantile(0.3, 0)),
    case("quantile all", 1, ALL, |x| x[0].quantile(0.77, ())),
    case("quantile kept", 1, ALL, |x| x[0].quantile(&levels(), keep(1))),
    case("quantile axes", 1, ALL, |x| x[0].unsqueeze(1)?.quantile(&levels(), [0, 1])),
    case("quantile ends", 1, ALL, |x| x[0].quantile(&tensor![0.0, 1.0, 0.5], 1)),
    case("quantile into", 1, ALL, |x| {
        let y = Tensor::zeros([4], DType::Float64)?;
        belvedere::quantile_into(&x[0], 0.4, 0, &y)?;
        Ok(y)
    }),
    case("quantile lower", 1, ALL, |x| quantiles(&x[0], By::Lower)),
    case("quantile higher", 1, ALL, |x| quantiles(&x[0], By::Higher)),
    case("quantile nearest", 1, ALL, |x| quantiles(&x[0], By::Nearest)),
    case("quantile midpoint", 1, ALL, |x| quantiles(&x[0], By::Midpoint)),
    case("quantile inverted_cdf", 1, ALL, |x| quantiles(&x[0], By::InvertedCdf)),
    case("quantile averaged", 1, ALL, |x| quantiles(&x[0], By::AveragedInvertedCdf)),
    case("quantile closest", 1, ALL, |x| quantiles(&x[0], By::ClosestObservation)),
    case("quantile interpolated", 1, ALL, |x| quantiles(&x[0], By::InterpolatedInvertedCdf)),
    case("quantile hazen", 1, ALL, |x| quantiles(&x[0], By::Hazen)),
    case("quantile weibull", 1, ALL, |x| quantiles(&x[0], By::Weibull)),
    case("quantile median_unbiased", 1, ALL, |x| quantiles(&x[0], By::MedianUnbiased)),
    case("quantile normal_unbiased", 1, ALL, |x| quantiles(&x[0], By::NormalUnbiased)),
    case("quantile level", 2, (0.15, 0.85), |x| x[0].quantile(&x[1].slice(s![.., 1])?, keep(1))),
    case("quantile level hazen", 2, (0.15, 0.85), |x| {
        x[0].quantile_by(&x[1].slice(s![1, ..2])?, (), By::Hazen)
    }),
    case("quantile level weibull", 2, (0.15, 0.85), |x| {
        x[0].quantile_by(&x[1].slice(s![1, ..2])?, (), By::Weibull)
    }),
    case("quantile level unbiased", 2, (0.15, 0.85), |x| {
        let normal = x[0].quantile_by(&x[1].slice(s![1, ..2])?, 0, By::NormalUnbiased)?;
        x[0].quantile_by(&x[1].slice(s![0, ..2])?, 0, By::MedianUnbiased)?.add(&normal)
    }),
    case("quantile level lower", 2, (0.15, 0.85), |x| {
        x[0].quantile_by(&x[1].slice(s![1, ..2])?, (), By::Lower)
    }),
    case("percentile", 1, ALL, |x| x[0].percentile(&tensor![12.0, 64.0], 0)),
    case("percentile level", 2, (15.0, 85.0), |x| x[0].percentile(&x[1].slice(s![0])?, ())),
    case("median", 1, ALL, |x| x[0].median(0)),
    case("median all", 1, ALL, |x| x[0].median(())),
    case("median kept", 1, ALL, |x| x[0].median(keep(1))),
    case("nanmedian", 1, ALL, |x| with_nan(&x[0])?.nanmedian(1)),
    case("nanmedian all", 1, ALL, |x| with_nan(&x[0])?.nanmedian(())),
    case("nanquantile", 1, ALL, |x| with_nan(&x[0])?.nanquantile(&levels(), 0)),
    case("nanquantile kept", 1, ALL, |x| with_nan(&x[0])?.nanquantile(0.3, keep(1))),
    case("nanquantile by", 1, ALL, |x| with_nan(&x[0])?.nanquantile_by(&levels(), 1, By::Weibull)),
    case("nanquantile level", 2, (0.15, 0.85), |x| {
        with_nan(&x[0])?.nanquantile(&x[1].slice(s![1])?, 0)
    }),
    case("partition", 1, ALL, |x| x[0].partition(1, 1)),
    case("partition 0", 1, ALL, |x| x[0].partition(-1, 0)),
    complex("partition complex", 1, ALL, |x| x[0].partition(1, 1)),
    case("bincount", 1, ALL, |x| {
        let bins = tensor![[0i64, 3, 1, 0], [2, 2, 0, 5], [1, 0, 0, 3]];
        bins.bincount(Some(&x[0]), 8)
    }),
    case("nanprod", 1, ALL, |x| with_nan(&x[0])?.nanprod(1)),
    case("nanprod all", 1, ALL, |x| with_nan(&x[0])?.mul(&mask()?)?.nanprod(())),
    case("nanprod kept", 1, ALL, |x| x[0].nanprod(keep(0))),
    complex("nanprod complex", 1, ALL, |x| with_nan(&x[0])?.nanprod(1)),
    case("nanvar", 1, ALL, |x| with_nan(&x[0])?.nanvar(0)),
    case("nanvar with", 1, ALL, |x| with_nan(&x[0])?.nanvar_with(keep(1), 0.5)),
    complex("nanvar complex", 1, ALL, |x| with_nan(&x[0])?.nanvar(())),
    case("nanstd", 1, ALL, |x| with_nan(&x[0])?.nanstd(())),
    case("nanstd with", 1, ALL, |x| with_nan(&x[0])?.nanstd_with((), 1.0)),
    complex("nanstd complex", 1, ALL, |x| with_nan(&x[0])?.nanstd(keep(0))),
];

/// A function that ignores NaN.
type Ignoring = fn(&Tensor) -> Result<Tensor, Error>;

#[test]
fn elements_that_are_nan_have_no_gradient_where_nan_is_ignored() {
    let functions: &[(&str, Ignoring)] = &[
        ("nansum", |x| x.nansum(1)),
        ("nanmean", |x| x.nanmean(0)),
        ("nanprod", |x| x.nanprod(())),
        ("nanvar", |x| x.nanvar(0)),
        ("nanstd", |x| x.nanstd(())),
        ("nanmax", |x| x.nanmax(0)),
        ("nanmin", |x| x.nanmin(())),
        ("nanmedian", |x| x.nanmedian(0)),
        ("nanquantile", |x| x.nanquantile(&levels(), ())),
    ];
    for (name, function) in functions {
        let value = |x: &Tensor| function(x)?.sum(());
        let x = tensor![[1.0, f64::NAN, 2.5], [0.5, 1.5, f64::NAN]];
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        let y = tape.record(|| value(&x)).unwrap();
        let found = tape.backward(&y).unwrap().wrt(&x).unwrap();
        for at in 0..6 {
            let at = [at / 3, at % 3];
            let old = x.get::<f64>(at).unwrap();
            let shifted = |h: f64| {
                x.set(at, old + h).unwrap();
                value(&x).unwrap().item::<f64>().unwrap()
            };
            let expected = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            x.set(at, old).unwrap();
            let found = found.get::<f64>(at).unwrap();
            assert!((found - expected).abs() < 1e-8, "{name} at {at:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn a_lane_without_numbers_passes_no_gradient_on() {
    let x = tensor![[f64::NAN, f64::NAN], [1.0, 3.0]];
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.nanmedian(1)).unwrap();
    let grads = tape.backward_with(&y, &tensor![5.0, 2.0]).unwrap();
    assert_eq!(grads.wrt(&x).unwrap().to_vec::<f64>().unwrap(), [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn of_equal_elements_those_at_the_selected_positions_have_the_gradient() {
    let x = tensor![2.0, 1.0, 2.0, 2.0];
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.median(())).unwrap();
    let found = tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [0.5, 0.0, 0.5, 0.0]);
}

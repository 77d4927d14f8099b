//! The forms of operations along axes agree for any strides: the method, `…_into` another tensor, and
//! `…_into` the memory of the input.

use belvedere::prelude::*;
use belvedere::random::Generator;
use belvedere::*;

type Method = fn(&Tensor) -> Result<Tensor, Error>;
type Into = fn(&Tensor, &Tensor) -> Result<(), Error>;

/// Operations along axis 1 by their names, and their other arguments.
macro_rules! along {
    ($($method:ident $into:ident $(($number:expr))?,)*) => {
        vec![$((stringify!($into), |x| x.$method(1 $(, $number)?), |x, out| $into(x, 1 $(, $number)?, out))),*]
    };
}

fn of_floats() -> Vec<(&'static str, Method, Into)> {
    along![
        sum sum_into, prod prod_into, mean mean_into, var_with var_into(1.0), std_with std_into(0.0), min min_into,
        max max_into, argmin argmin_into, argmax argmax_into, count_nonzero count_nonzero_into,
        nansum nansum_into, nanprod nanprod_into, nanmean nanmean_into, nanmin nanmin_into,
        nanmax nanmax_into, nanvar_with nanvar_into(0.0), nanstd_with nanstd_into(1.0),
        logsumexp logsumexp_into, norm_with norm_into(2.0), median median_into,
        cumulative_sum cumulative_sum_into, cumulative_prod cumulative_prod_into,
        cummax cummax_into, cummin cummin_into, logcumsumexp logcumsumexp_into,
        softmax softmax_into, log_softmax log_softmax_into, sort sort_into, argsort argsort_into,
    ]
}

fn of_truths() -> Vec<(&'static str, Method, Into)> {
    along![any any_into, all all_into,]
}

/// Returns a contiguous matrix of 18 × 20 elements, with some NaNs, and some rows of all true.
fn memory(dtype: DType) -> Tensor {
    if dtype == DType::Bool {
        return Tensor::from_fn([18, 20], |at| at[0] % 3 != 0 && (at[0] % 3 == 1 || at[1] == 7))
            .unwrap();
    }
    let value = |at: &[usize]| match at[0] * 31 + at[1] * 17 {
        i if i % 41 == 0 => f64::NAN,
        i => (i % 23) as f64 / 8.0 - 1.0,
    };
    Tensor::from_fn([18, 20], value).unwrap().astype(dtype).unwrap()
}

/// View operations.
const SEEN: [Method; 5] = [
    |x| Ok(x.clone()),
    |x| x.t(),
    |x| x.flip([0, 1]),
    |x| x.slice(s![..;3, 1..;2]),
    |x| x.slice(s![4])?.broadcast_to([6, 20]),
];

/// Returns whether elements are equal; reductions may have been rounded in another order.
fn same(x: &Tensor, y: &Tensor) -> bool {
    assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()));
    let is_close = x.isclose_with(y, 1e-12, 1e-12, true).unwrap();
    is_close.all(()).unwrap().item().unwrap()
}

fn check(name: &str, dtype: DType, method: Method, into: Into) {
    for (k, seen) in SEEN.into_iter().enumerate() {
        let x = memory(dtype);
        let view = seen(&x).unwrap();
        let expected = method(&view.copy().unwrap()).unwrap();
        assert!(same(&method(&view).unwrap(), &expected), "{name} {k}: the method");

        let (shape, to) = (expected.shape(), expected.dtype());
        let wide = Tensor::zeros([&*shape, &[2]].concat(), to).unwrap();
        for out in [Tensor::zeros(&*shape, to).unwrap(), wide.select(-1, 1).unwrap()] {
            into(&view, &out).unwrap();
            assert!(same(&out, &expected), "{name} {k}: another tensor");
        }
        let beside = wide.select(-1, 0).unwrap();
        assert!(same(&beside, &beside.zeros_like().unwrap()), "{name} {k}: beside");

        assert_eq!(to.size(), dtype.size(), "{name}: it fits into the memory");
        let first = x.view([-1]).unwrap().narrow(0, 0, expected.len()).unwrap();
        let out = first.bitcast(to).unwrap().view(&*shape).unwrap();
        into(&view, &out).unwrap();
        assert!(same(&out, &expected), "{name} {k}: what it reads");
    }
}

#[test]
fn operations_along_an_axis_may_write_to_their_input() {
    for (name, method, into) in of_floats() {
        check(name, DType::Float64, method, into);
    }
    for (name, method, into) in of_truths() {
        check(name, DType::Bool, method, into);
    }
}

#[test]
fn casts_may_write_to_their_input() {
    check("astype", DType::Float64, |x| x.astype(DType::Int64), |x, out| astype_into(x, out));
    check("astype", DType::Int32, |x| x.astype(DType::Float32), |x, out| astype_into(x, out));
    check("assign", DType::Float64, |x| x.copy(), |x, out| assign_into(x, out));
}

#[test]
fn map_assign_works_for_any_strides() {
    let square = |value: f64| value * value - 0.5;
    for seen in &SEEN[..4] {
        let x = memory(DType::Float64);
        let beside = x.copy().unwrap();
        let view = seen(&x).unwrap();
        seen(&beside).unwrap().copy_from(&view.map(square).unwrap()).unwrap();
        view.map_assign(square).unwrap();
        assert!(same(&x, &beside));
    }
    let spread = SEEN[4](&memory(DType::Float64)).unwrap();
    assert!(matches!(spread.map_assign(square), Err(Error::Overlapping { .. })));
}

#[test]
fn random_numbers_do_not_depend_on_the_output_layout() {
    for seen in &SEEN[..4] {
        let x = memory(DType::Float64);
        let out = seen(&x).unwrap();
        let expected = Generator::new(5).exponential(2.0, &*out.shape(), DType::Float64).unwrap();
        Generator::new(5).exponential_into(2.0, &out).unwrap();
        assert!(same(&out, &expected));
    }
}

#[test]
fn compress_matches_take_of_nonzero() {
    for seen in SEEN {
        let x = seen(&memory(DType::Float64)).unwrap();
        for axis in [0isize, 1, -1] {
            let n = x.shape()[axis.rem_euclid(2) as usize];
            let mask = Tensor::from_fn([n], |at| at[0] % 3 == 1).unwrap();
            let places = mask.nonzero().unwrap().remove(0);
            let expected = x.take(&places, axis).unwrap();
            assert!(same(&x.compress(&mask, axis).unwrap(), &expected));
            let none = x.compress(&Tensor::zeros([n], DType::Bool).unwrap(), axis).unwrap();
            assert!(none.is_empty());
        }
        let long = Tensor::ones([x.shape()[0] + 1], DType::Bool).unwrap();
        assert!(x.compress(&long, 0).is_err());
    }
}

#[test]
fn nanquantile_ignores_nan() {
    for seen in SEEN {
        let x = seen(&memory(DType::Float64)).unwrap();
        let found = x.nanquantile(&tensor![0.0, 0.3, 1.0], 1).unwrap();
        let lower = x.nanquantile_by(0.3, 1, Interpolation::Lower).unwrap();
        let median = x.nanmedian(1).unwrap();
        for (i, row) in x.rows().unwrap().enumerate() {
            let kept = row.compress(&row.isnan().unwrap().logical_not().unwrap(), 0).unwrap();
            let expected = kept.quantile(&tensor![0.0, 0.3, 1.0], 0).unwrap();
            assert!(same(&found.select(1, i as isize).unwrap(), &expected));
            let expected = kept.quantile_by(0.3, 0, Interpolation::Lower).unwrap();
            assert!(same(&lower.select(0, i as isize).unwrap(), &expected));
            let expected = kept.median(0).unwrap();
            assert!(same(&median.select(0, i as isize).unwrap(), &expected));
        }
    }
    let nothing = Tensor::full([2, 3], f64::NAN).unwrap().nanquantile(0.5, 1).unwrap();
    assert!(nothing.to_vec::<f64>().unwrap().iter().all(|it| it.is_nan()));
}

//! Derivatives up to the third order at the special points of elementwise rules: zeros, kinks, limits, and numbers whose
//! exponentials and squares overflow.

use belvedere::prelude::*;
use belvedere_grad::Tape;
use std::f64::consts::PI;

type Function = fn(&Tensor) -> Result<Tensor, Error>;

/// Returns the derivative of an elementwise function.
fn derivative(f: Function, x: &Tensor, order: usize) -> Result<Tensor, Error> {
    if order == 0 {
        return f(x);
    }
    let tape = Tape::new();
    tape.watch(x)?;
    let y = tape.record(|| derivative(f, x, order - 1)?.sum(()))?;
    match tape.backward(&y) {
        Ok(grads) => grads.wrt(x),
        // A constant.
        Err(error) if error.to_string().contains("did not record") => x.zeros_like(),
        Err(error) => Err(error),
    }
}

fn assert_close(found: f64, expected: f64, what: &str) {
    let is_close = found == expected || (found - expected).abs() <= 1e-11 * (1.0 + expected.abs());
    assert!(is_close, "{what}: {found}, expected {expected}");
}

/// Compares the derivatives of orders 1, 2 … at points, all of them in one tensor: NaN at one must not reach another.
fn check(name: &str, f: Function, rows: &[(f64, &[f64])]) {
    let points: Vec<f64> = rows.iter().map(|(at, _)| *at).collect();
    let x = Tensor::from_vec(points, [rows.len()]).unwrap();
    for order in 1..=rows.iter().map(|(_, it)| it.len()).max().unwrap() {
        let found = derivative(f, &x, order).unwrap().to_vec::<f64>().unwrap();
        for ((at, expected), found) in rows.iter().zip(found) {
            if let Some(&expected) = expected.get(order - 1) {
                assert_close(found, expected, &format!("{name}, order {order} at {at:e}"));
            }
        }
    }
}

#[test]
fn sinc_is_smooth_at_zero() {
    let (p2, p4) = (PI.powi(2), PI.powi(4));
    let near = |x: f64| {
        [
            -p2 * x / 3.0 + p4 * x.powi(3) / 30.0,
            -p2 / 3.0 + p4 * x * x / 10.0,
            p4 * x / 5.0 - PI.powi(6) * x.powi(3) / 42.0,
        ]
    };
    // x s″ + 2 s′ = -π sin(πx), and so on.
    let far = |x: f64| {
        let t = PI * x;
        let s0 = t.sin() / t;
        let s1 = (t.cos() - s0) / x;
        let s2 = (-PI * t.sin() - 2.0 * s1) / x;
        let s3 = (-p2 * t.cos() - 3.0 * s2) / x;
        [s1, s2, s3]
    };
    check(
        "sinc",
        |x| x.sinc(),
        &[
            (0.0, &[0.0, -p2 / 3.0, 0.0]),
            (-0.0, &[0.0, -p2 / 3.0, 0.0]),
            (1e-300, &near(1e-300)),
            (1e-8, &near(1e-8)),
            (-1e-4, &near(-1e-4)),
            (1e-3, &near(1e-3)),
            (0.6, &far(0.6)),
            (1.0, &[-1.0, 2.0, p2 - 6.0]),
            (-1.3, &far(-1.3)),
            (7.25, &far(7.25)),
            (1e6, &far(1e6)),
        ],
    );
    let half = tensor![0.0, 1.0].astype(DType::Float16).unwrap();
    let second = derivative(|x| x.sinc(), &half, 2).unwrap().astype(DType::Float64).unwrap();
    let found = second.to_vec::<f64>().unwrap();
    assert!((found[0] + 3.29).abs() < 0.01 && (found[1] - 2.0).abs() < 0.02, "{found:?}");
}

#[test]
fn powers_at_zero() {
    check("x^0", |x| x.pow(0.0), &[(0.0, &[0.0, 0.0, 0.0]), (2.0, &[0.0, 0.0, 0.0])]);
    check("x^1", |x| x.pow(1.0), &[(0.0, &[1.0, 0.0, 0.0]), (-2.0, &[1.0, 0.0, 0.0])]);
    check("x^2", |x| x.pow(2.0), &[(0.0, &[0.0, 2.0, 0.0]), (-3.0, &[-6.0, 2.0, 0.0])]);
    check("x^3", |x| x.pow(3.0), &[(0.0, &[0.0, 0.0, 6.0]), (2.0, &[12.0, 12.0, 6.0])]);
    check("x^-1", |x| x.pow(-1.0), &[(2.0, &[-0.25, 0.25, -0.375])]);
    check("x^NaN", |x| x.pow(0.0), &[(f64::NAN, &[0.0, 0.0])]);
    let ln2 = 2f64.ln();
    check("2^y", |y| Tensor::full(y.shape(), 2.0)?.pow(y), &[(0.0, &[ln2, ln2 * ln2])]);
    check("0^y", |y| y.zeros_like()?.pow(y), &[(0.0, &[0.0, 0.0]), (2.0, &[0.0, 0.0])]);
}

#[test]
fn kinks_and_limits() {
    check("abs", |x| x.abs(), &[(0.0, &[0.0, 0.0]), (-2.0, &[-1.0, 0.0])]);
    check("square", |x| x.square(), &[(0.0, &[0.0, 2.0, 0.0])]);
    check("relu", |x| x.relu(), &[(0.0, &[0.0, 0.0]), (3.0, &[1.0, 0.0])]);
    check("relu6", |x| x.relu6(), &[(0.0, &[0.0, 0.0]), (6.0, &[0.0, 0.0]), (5.0, &[1.0, 0.0])]);
    check("clip", |x| x.clip(-1.0, 1.0), &[(-1.0, &[1.0, 0.0]), (1.0, &[1.0, 0.0]), (2.0, &[0.0])]);
    check("log1p", |x| x.log1p(), &[(0.0, &[1.0, -1.0, 2.0])]);
    check("expm1", |x| x.expm1(), &[(0.0, &[1.0, 1.0, 1.0]), (-800.0, &[0.0, 0.0, 0.0])]);
    check(
        "erf",
        |x| x.erf(),
        &[(0.0, &[2.0 / PI.sqrt(), 0.0, -4.0 / PI.sqrt()]), (40.0, &[0.0, 0.0])],
    );
    check("tanh", |x| x.tanh(), &[(0.0, &[1.0, 0.0, -2.0]), (400.0, &[0.0, 0.0, 0.0])]);
    check("atan", |x| x.atan(), &[(0.0, &[1.0, 0.0, -2.0]), (1.0, &[0.5, -0.5, 0.5])]);
    check("asinh", |x| x.asinh(), &[(0.0, &[1.0, 0.0, -1.0])]);
    check("atanh", |x| x.atanh(), &[(0.0, &[1.0, 0.0, 2.0])]);
    check("asin", |x| x.asin(), &[(0.0, &[1.0, 0.0, 1.0])]);
    check("sigmoid", |x| x.sigmoid(), &[(0.0, &[0.25, 0.0, -0.125]), (-800.0, &[0.0, 0.0, 0.0])]);
    check("softplus", |x| x.softplus(), &[(0.0, &[0.5, 0.25, 0.0]), (800.0, &[1.0, 0.0, 0.0])]);
    check("swish", |x| x.swish(), &[(0.0, &[0.5, 0.5, 0.0]), (800.0, &[1.0, 0.0, 0.0])]);
    check("hypot", |x| x.hypot(&x.mul(2.0)?), &[(0.0, &[0.0, 0.0]), (1.0, &[5f64.sqrt(), 0.0])]);
    check("atan2", |x| x.atan2(x), &[(0.0, &[0.0, 0.0]), (1.0, &[0.0, 0.0])]);
    check("copysign", |x| x.copysign(-1.0), &[(0.0, &[0.0, 0.0]), (2.0, &[-1.0, 0.0])]);
    let root = PI.sqrt();
    check("erfinv", |x| x.erfinv(), &[(0.0, &[root / 2.0, 0.0, PI * root / 4.0])]);
    check("logit", |x| x.logit(), &[(0.5, &[4.0, 0.0, 32.0])]);
    check("cbrt", |x| x.cbrt(), &[(1.0, &[1.0 / 3.0, -2.0 / 9.0, 10.0 / 27.0])]);
    check("rsqrt", |x| x.rsqrt(), &[(1.0, &[-0.5, 0.75, -1.875])]);
    check("reciprocal", |x| x.reciprocal(), &[(-1.0, &[-1.0, -2.0, -6.0])]);
    check("log", |x| x.log(), &[(1.0, &[1.0, -1.0, 2.0]), (0.0, &[f64::INFINITY])]);
    check("logaddexp", |x| x.logaddexp(&x.zeros_like()?), &[(0.0, &[0.5, 0.25, 0.0])]);
    check("logaddexp", |x| x.logaddexp(x), &[(0.0, &[1.0, 0.0]), (800.0, &[1.0, 0.0])]);
    check("maximum", |x| x.maximum(x), &[(0.0, &[1.0, 0.0])]);
    check("minimum", |x| x.minimum(&x.zeros_like()?), &[(0.0, &[0.5, 0.0]), (-1.0, &[1.0, 0.0])]);
    check("leaky_relu", |x| x.leaky_relu(0.25), &[(0.0, &[0.25, 0.0]), (1.0, &[1.0, 0.0])]);
    check("hard_sigmoid", |x| x.hard_sigmoid(), &[(0.0, &[1.0 / 6.0, 0.0]), (4.0, &[0.0, 0.0])]);
    let rows: [(f64, &[f64]); 2] = [(0.0, &[0.5, 1.0 / 3.0]), (4.0, &[1.0, 0.0])];
    check("hard_swish", |x| x.hard_swish(), &rows);
    check("sqrt", |x| x.sqrt(), &[(0.0, &[f64::INFINITY]), (1.0, &[0.5, -0.25, 0.375])]);
}

#[test]
fn large_numbers_do_not_overflow_into_other_branches() {
    let density = 1.0 / (2.0 * PI).sqrt();
    let gelu = [0.5, 2.0 * density, 0.0];
    for large in [50.0, 1e10, 1e300] {
        let rows: [(f64, &[f64]); 3] =
            [(0.0, &gelu), (large, &[1.0, 0.0, 0.0]), (-large, &[0.0, 0.0, 0.0])];
        check("gelu", |x| x.gelu(), &rows);
        check("gelu_tanh", |x| x.gelu_tanh(), &[rows[1], rows[2]]);
        check("elu", |x| x.elu(1.5), &[(large, &[1.0, 0.0, 0.0]), (-large.min(50.0), &[0.0, 0.0])]);
        check("elu", |x| x.elu(1.5), &[(-1.0, &[1.5 * (-1f64).exp(); 3]), (0.0, &[1.5, 1.5, 1.5])]);
    }
    let half = tensor![300.0, -300.0, 20.0].astype(DType::Float16).unwrap();
    for f in [|x: &Tensor| x.gelu(), |x: &Tensor| x.gelu_tanh(), |x: &Tensor| x.elu(1.0)] {
        let second = derivative(f, &half, 2).unwrap().astype(DType::Float64).unwrap();
        assert_eq!(second.to_vec::<f64>().unwrap(), [0.0; 3]);
    }
}

#[test]
fn remainders_and_fused_operations_at_zeros_and_multiples() {
    check("x % 3", |x| x.remainder(3.0), &[(0.0, &[1.0, 0.0]), (3.0, &[1.0, 0.0])]);
    check("fmod(x, 3)", |x| x.fmod(3.0), &[(-0.0, &[1.0, 0.0]), (-6.0, &[1.0, 0.0])]);
    // -⌊7 / y⌋, and -trunc(7 / y).
    let rows: [(f64, &[f64]); 4] =
        [(2.0, &[-3.0, 0.0]), (7.0, &[-1.0, 0.0]), (f64::INFINITY, &[0.0]), (-2.0, &[4.0, 0.0])];
    check("7 % y", |y| Tensor::full(y.shape(), 7.0)?.remainder(y), &rows);
    let rows = [rows[0], rows[1], rows[2], (-2.0, &[3.0, 0.0][..])];
    check("fmod(7, y)", |y| Tensor::full(y.shape(), 7.0)?.fmod(y), &rows);
    check("x·x + x", |x| x.mul_add(x, x), &[(0.0, &[1.0, 2.0, 0.0]), (-0.5, &[0.0, 2.0, 0.0])]);
    check("lerp", |x| x.lerp(x, x), &[(0.0, &[1.0, 0.0, 0.0]), (1.0, &[1.0, 0.0, 0.0])]);
    check(
        "weight of lerp",
        |w| Tensor::full(w.shape(), 1.0)?.lerp(&Tensor::full(w.shape(), 3.0)?, w),
        &[(0.0, &[2.0, 0.0]), (1.0, &[2.0, 0.0]), (-4.0, &[2.0, 0.0])],
    );
    // x + 2x², and x + x / (1 + x²).
    let rows: [(f64, &[f64]); 2] = [(0.0, &[1.0, 4.0, 0.0]), (-0.25, &[0.0, 4.0, 0.0])];
    check("addcmul", |x| x.addcmul(x, x, 2.0), &rows);
    check("addcdiv", |x| x.addcdiv(x, &x.square()?.add(1.0)?, 1.0), &[(0.0, &[2.0, 0.0, -6.0])]);
    let infinite: &[f64] = &[f64::NEG_INFINITY];
    check(
        "addcdiv at a divisor of zero",
        |x| x.zeros_like()?.addcdiv(&Tensor::full(x.shape(), 1.0)?, x, 1.0),
        &[(0.0, infinite), (-0.0, infinite), (2.0, &[-0.25, 0.25])],
    );
}

#[test]
fn steps_and_replaced_elements() {
    check("heaviside", |x| x.heaviside(0.5), &[(0.0, &[0.0, 0.0]), (1.0, &[0.0, 0.0])]);
    check("heaviside of 0", |y| y.zeros_like()?.heaviside(y), &[(0.0, &[1.0, 0.0])]);
    check("heaviside of 1", |y| Tensor::full(y.shape(), 1.0)?.heaviside(y), &[(0.0, &[0.0])]);
    check("fmax with NaN", |x| x.fmax(f64::NAN), &[(0.0, &[1.0, 0.0]), (-2.0, &[1.0, 0.0])]);
    check("fmin with NaN", |x| x.fmin(f64::NAN), &[(0.0, &[1.0, 0.0]), (-2.0, &[1.0, 0.0])]);
    check(
        "nan_to_num",
        |x| x.nan_to_num(Some(0.0), None, None),
        &[(f64::NAN, &[0.0, 0.0]), (f64::INFINITY, &[0.0, 0.0]), (0.0, &[1.0, 0.0])],
    );
}

#[test]
fn elementary_functions_at_zero_and_one() {
    let (l2, l10, root) = (2f64.ln(), 10f64.ln(), PI.sqrt());
    check("sin", |x| x.sin(), &[(0.0, &[1.0, 0.0, -1.0])]);
    check("cos", |x| x.cos(), &[(0.0, &[0.0, -1.0, 0.0])]);
    check("tan", |x| x.tan(), &[(0.0, &[1.0, 0.0, 2.0])]);
    check("sinh", |x| x.sinh(), &[(0.0, &[1.0, 0.0, 1.0])]);
    check("cosh", |x| x.cosh(), &[(0.0, &[0.0, 1.0, 0.0])]);
    check("acos", |x| x.acos(), &[(0.0, &[-1.0, 0.0, -1.0]), (1.0, &[f64::NEG_INFINITY])]);
    check("acosh", |x| x.acosh(), &[(1.0, &[f64::INFINITY])]);
    check("exp", |x| x.exp(), &[(0.0, &[1.0; 3]), (-800.0, &[0.0; 3])]);
    check("exp2", |x| x.exp2(), &[(0.0, &[l2, l2 * l2, l2.powi(3)])]);
    check("log2", |x| x.log2(), &[(1.0, &[1.0 / l2, -1.0 / l2, 2.0 / l2])]);
    check("log10", |x| x.log10(), &[(1.0, &[1.0 / l10, -1.0 / l10, 2.0 / l10])]);
    check("erfc", |x| x.erfc(), &[(0.0, &[-2.0 / root, 0.0, 4.0 / root]), (40.0, &[0.0, 0.0])]);
    check("cbrt", |x| x.cbrt(), &[(0.0, &[f64::INFINITY])]);
    check("reciprocal", |x| x.reciprocal(), &[(0.0, &[f64::NEG_INFINITY])]);
}

/// Returns the gradient and the Hessian of a function of two numbers.
fn gradient_and_hessian(
    f: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
    at: [f64; 2],
) -> [f64; 6] {
    let x = Tensor::from_vec(at.to_vec(), [2]).unwrap();
    let gradient = |x: &Tensor| {
        let tape = Tape::new();
        tape.watch(x)?;
        let y = tape.record(|| f(&x.slice(s![0])?, &x.slice(s![1])?))?;
        tape.backward(&y)?.wrt(x)
    };
    let mut found = gradient(&x).unwrap().to_vec::<f64>().unwrap();
    for i in 0..2isize {
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        let y = tape.record(|| gradient(&x)?.slice(s![i])?.copy()).unwrap();
        let row = tape.backward(&y).unwrap().wrt(&x).unwrap();
        found.extend(row.to_vec::<f64>().unwrap());
    }
    found.try_into().unwrap()
}

#[test]
fn mixed_derivatives_exist_where_one_operand_is_zero() {
    let check = |name: &str, found: [f64; 6], expected: [f64; 6]| {
        for (found, expected) in found.into_iter().zip(expected) {
            assert_close(found, expected, name);
        }
    };
    // The gradient, then the rows of the Hessian.
    let pow = |at| gradient_and_hessian(|x, y| x.pow(y), at);
    let (l2, l3) = (2f64.ln(), 3f64.ln());
    check("pow", pow([2.0, 0.0]), [0.0, l2, 0.0, 0.5, 0.5, l2 * l2]);
    check("pow", pow([3.0, 1.0]), [1.0, 3.0 * l3, 0.0, 1.0 + l3, 1.0 + l3, 3.0 * l3 * l3]);
    check("pow", pow([0.0, 2.0]), [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let xlogy = |at| gradient_and_hessian(|x, y| x.xlogy(y), at);
    check("xlogy", xlogy([0.0, 2.0]), [l2, 0.0, 0.0, 0.5, 0.5, 0.0]);
    check("xlogy", xlogy([3.0, 2.0]), [l2, 1.5, 0.0, 0.5, 0.5, -0.75]);
    let hypot = |at| gradient_and_hessian(|x, y| x.hypot(y), at);
    check("hypot", hypot([0.0, 2.0]), [0.0, 1.0, 0.5, 0.0, 0.0, 0.0]);
    check("hypot", hypot([0.0, 0.0]), [0.0; 6]);
    let atan2 = |at| gradient_and_hessian(|y, x| y.atan2(x), at);
    check("atan2", atan2([0.0, 2.0]), [0.5, 0.0, 0.0, -0.25, -0.25, 0.0]);
    check("atan2", atan2([0.0, 0.0]), [0.0; 6]);
}

#[test]
fn lanes_of_equal_elements_have_no_part_in_second_derivatives() {
    let x = tensor![[0.0, 0.0, 0.0], [3.0, 0.0, 4.0]];
    let functions: [Function; 6] = [
        |x| x.norm_with(1, 2.0),
        |x| x.norm_with(1, 3.0),
        |x| x.norm_with(1, 1.5),
        |x| x.norm_with(1, f64::INFINITY),
        |x| x.std(1),
        |x| x.nanstd(1),
    ];
    for (n, f) in functions.into_iter().enumerate() {
        let weighted = |x: &Tensor| derivative_of_sum(f, x)?.mul(&tensor![1.0, 2.0, -1.0])?.sum(());
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        let y = tape.record(|| weighted(&x)).unwrap();
        let found = match tape.backward(&y) {
            Ok(grads) => grads.wrt(&x).unwrap().to_vec::<f64>().unwrap(),
            Err(_) => vec![0.0; 6],
        };
        assert_eq!(found[..3], [0.0; 3], "function {n}");
        assert!(found.iter().all(|it| it.is_finite()), "function {n}: {found:?}");
        // Along the elements that are not 0, where the derivative exists.
        for at in [3, 5] {
            let moved = |h: f64| {
                let mut values = x.to_vec::<f64>().unwrap();
                values[at] += h;
                let moved = Tensor::from_vec(values, [2, 3]).unwrap();
                weighted(&moved).unwrap().item::<f64>().unwrap()
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(
                (found[at] - expected).abs() < 1e-6,
                "function {n}, {at}: {found:?} {expected}"
            );
        }
    }
}

fn derivative_of_sum(f: Function, x: &Tensor) -> Result<Tensor, Error> {
    derivative(f, x, 1)
}

#[test]
fn products_with_zeros_have_derivatives_of_every_order() {
    // The sum of weighted prefix products as a polynomial in each element: its mixed derivatives are products.
    let functions: [Function; 3] = [
        |x| x.cumulative_prod(0)?.mul(&tensor![1.0, -2.0, 3.0, 0.5])?.sum(()),
        |x| x.prod(()),
        |x| x.flip([0])?.cumulative_prod(0)?.mul(&tensor![1.0, -2.0, 3.0, 0.5])?.sum(()),
    ];
    for values in
        [[2.0, 0.0, 3.0, -1.5], [0.0, 2.0, 0.0, 4.0], [2.0, 3.0, 4.0, 0.0], [1.0, 2.0, 3.0, 4.0]]
    {
        for (n, f) in functions.into_iter().enumerate() {
            let x = Tensor::from_vec(values.to_vec(), [4]).unwrap();
            // Linear in each element, so that differences are exact.
            let value = |moved: &[(usize, f64)]| {
                let mut values = values;
                moved.iter().for_each(|(at, h)| values[*at] += h);
                let x = Tensor::from_vec(values.to_vec(), [4]).unwrap();
                f(&x).unwrap().item::<f64>().unwrap()
            };
            for i in 0..4isize {
                let tape = Tape::new();
                tape.watch(&x).unwrap();
                let y = tape.record(|| derivative(f, &x, 1)?.slice(s![i])?.copy()).unwrap();
                let row = tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
                let i = i as usize;
                for (j, found) in row.into_iter().enumerate() {
                    let both = |a: f64, b: f64| value(&[(i, a), (j, b)]);
                    let expected = match i == j {
                        true => 0.0,
                        false => {
                            (both(1.0, 1.0) - both(1.0, -1.0) - both(-1.0, 1.0) + both(-1.0, -1.0))
                                / 4.0
                        }
                    };
                    assert_close(found, expected, &format!("{n} of {values:?}: {i}, {j}"));
                }
            }
        }
    }
}

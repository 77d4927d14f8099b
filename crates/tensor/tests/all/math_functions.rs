//! Mathematical functions match the standard library (`ulp.rs` measures how closely), activations match their
//! formulas, and gradients match finite differences.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::{self, GuardedTensor, TestElement};
use belvedere::*;

/// Compares a function with a reference bitwise, over all layouts.
fn check<T: TestElement, O: TestElement>(
    name: &str,
    make: impl Fn(&Tensor) -> Result<Tensor, Error>,
    write: impl Fn(&Tensor, &Tensor) -> Result<(), Error>,
    twin: impl Fn(T) -> O,
) {
    for (n, layout) in zoo::layouts().into_iter().enumerate() {
        let x = GuardedTensor::<T>::new(&layout, n);
        let expected: Vec<O> = x.values().into_iter().map(&twin).collect();
        let made = make(&x.tensor).unwrap();
        assert_eq!(made.dtype(), O::DTYPE);
        assert_same(&made.to_vec::<O>().unwrap(), &expected, (name, T::DTYPE, &layout));
        let out = GuardedTensor::<O>::new(
            &zoo::TestRng::new(n as u64).random_layout(&layout.shape(), zoo::Freedom::Injective),
            1,
        );
        write(&x.tensor, &out.tensor).unwrap();
        out.assert_elements(&expected, (name, T::DTYPE, &layout));
    }
}

/// Compares a function with an `f64` reference up to a few ULP, over all layouts.
fn check_near<T: TestElement>(
    name: &str,
    make: impl Fn(&Tensor) -> Result<Tensor, Error>,
    write: impl Fn(&Tensor, &Tensor) -> Result<(), Error>,
    twin: impl Fn(f64) -> f64,
) {
    let kept = if T::DTYPE.is_floating() { T::DTYPE } else { DType::Float64 };
    let limits = finfo(kept).unwrap();
    let wide = |x: &Tensor| x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
    for (n, layout) in zoo::layouts().into_iter().enumerate() {
        let x = GuardedTensor::<T>::new(&layout, n);
        let made = make(&x.tensor).unwrap();
        assert_eq!(made.dtype(), kept);
        let out =
            zoo::TestRng::new(n as u64).random_layout(&layout.shape(), zoo::Freedom::Injective);
        let out = GuardedTensor::<f64>::new(&out, 1).tensor;
        write(&x.tensor, &out).unwrap();
        assert_eq!(out.shape(), made.shape());
        let (inputs, made, out) = (wide(&x.tensor), wide(&made), wide(&out));
        // Overflow gives infinity.
        let exact: Vec<f64> = inputs.iter().map(|x| twin(*x)).collect();
        let expected = Tensor::from_vec(exact, [-1]).unwrap().astype(kept).unwrap();
        for (i, expected) in wide(&expected).into_iter().enumerate() {
            for found in [made[i], out[i]] {
                let near = (found - expected).abs() <= 2.0 * limits.eps * expected.abs() + 1e-45;
                let signs = [found.is_sign_negative(), expected.is_sign_negative()];
                let same = found == expected && signs[0] == signs[1];
                let fits = near && found.is_finite() || same || found.is_nan() && expected.is_nan();
                assert!(
                    fits,
                    "{name} of {} as {}: {found} and not {expected}",
                    inputs[i],
                    T::DTYPE
                );
            }
        }
    }
}

/// Tests a vectorized function for every dtype that supports it.
macro_rules! own {
    ($make:ident, $write:ident, $function:ident) => {
        let (make, write) = (|x: &Tensor| x.$make(), |x: &Tensor, out: &Tensor| $write(x, out));
        let name = stringify!($make);
        check_near::<f32>(name, make, write, f64::$function);
        check_near::<f64>(name, make, write, f64::$function);
        check_near::<f16>(name, make, write, f64::$function);
        check_near::<bf16>(name, make, write, f64::$function);
        check_near::<i32>(name, make, write, f64::$function);
        check_near::<u64>(name, make, write, f64::$function);
        check_near::<Bool>(name, make, write, f64::$function);
    };
}

/// Tests a function of the standard library for every dtype that supports it.
macro_rules! standard {
    ($make:ident, $write:ident, $function:ident) => {
        let (make, write) = (|x: &Tensor| x.$make(), |x: &Tensor, out: &Tensor| $write(x, out));
        let name = stringify!($make);
        check(name, make, write, |x: f32| x.$function());
        check(name, make, write, |x: f64| x.$function());
        check(name, make, write, |x: f16| f16::from_f32(x.to_f32().$function()));
        check(name, make, write, |x: bf16| bf16::from_f32(x.to_f32().$function()));
        check(name, make, write, |x: i32| (x as f64).$function());
        check(name, make, write, |x: u64| (x as f64).$function());
        check(name, make, write, |x: Bool| (x.is_true() as u8 as f64).$function());
    };
}

#[test]
fn unary_functions_match_std() {
    standard!(sqrt, sqrt_into, sqrt);
    standard!(acos, acos_into, acos);
    standard!(cbrt, cbrt_into, cbrt);
    standard!(atan, atan_into, atan);
}

#[test]
fn vectorized_functions_are_close_to_std() {
    own!(exp, exp_into, exp);
    own!(exp2, exp2_into, exp2);
    own!(expm1, expm1_into, exp_m1);
    own!(log, log_into, ln);
    own!(log1p, log1p_into, ln_1p);
    own!(log2, log2_into, log2);
    own!(log10, log10_into, log10);
    own!(sin, sin_into, sin);
    own!(cos, cos_into, cos);
    own!(tan, tan_into, tan);
    own!(sinh, sinh_into, sinh);
    own!(cosh, cosh_into, cosh);
    own!(tanh, tanh_into, tanh);
}

#[test]
fn float_div_and_pow_match_std() {
    let layout = Layout::row_major(&[30, 31]).unwrap().t().unwrap();
    let (x, y) = (GuardedTensor::<f64>::new(&layout, 1), GuardedTensor::<f64>::new(&layout, 8));
    let pairs: Vec<(f64, f64)> = x.values().into_iter().zip(y.values()).collect();
    let quotients: Vec<f64> = pairs.iter().map(|(x, y)| x / y).collect();
    let found = x.tensor.div(&y.tensor).unwrap();
    assert_same(&found.to_vec::<f64>().unwrap(), &quotients, "div");
    let found = x.tensor.pow(&y.tensor).unwrap().to_vec::<f64>().unwrap();
    for (&(x, y), found) in pairs.iter().zip(found) {
        let steps = (found.to_bits() as i64).wrapping_sub(x.powf(y).to_bits() as i64);
        let fits = steps.unsigned_abs() <= 1 || found.is_nan() && x.powf(y).is_nan();
        assert!(fits, "{x:e} to the power of {y:e}: {found:e}");
    }
    let halves: Vec<f16> = pairs.iter().map(|(x, _)| f16::from_f64(*x)).collect();
    let expected: Vec<f16> =
        halves.iter().map(|x| f16::from_f32(x.to_f32() / f16::from_f64(0.3).to_f32())).collect();
    let found = Tensor::from_vec(halves, [-1]).unwrap().div(f16::from_f64(0.3)).unwrap();
    assert_same(&found.to_vec::<f16>().unwrap(), &expected, "div of halves");
}

#[test]
fn complex_div_and_pow_are_close_to_the_formulas() {
    let parts = [0.0, 1.0, -2.5, 3e-3, 1e20, -1e-20];
    let mut numbers = Vec::new();
    for re in parts {
        numbers.extend(parts.map(|im| Complex::new(re, im)));
    }
    for &y in numbers.iter().filter(|y| y.norm() != 0.0) {
        let x = Tensor::from_vec(numbers.clone(), [-1]).unwrap();
        let found = x.div(y).unwrap().to_vec::<Complex<f64>>().unwrap();
        for (x, found) in numbers.iter().zip(found) {
            // Scaled by the magnitude of the divisor first, nothing overflows here.
            let unit = y / y.norm();
            let expected = x * unit.conj() / y.norm();
            assert!((found - expected).norm() <= 1e-15 * expected.norm(), "{x} / {y}: {found}");
        }
    }
    let x = tensor![Complex::new(0.0, 0.0), Complex::new(0.0, 2.0)];
    assert_eq!(x.pow(0).unwrap().to_vec::<Complex<f64>>().unwrap(), [Complex::ONE; 2]);
    let squares = x.pow(2).unwrap().to_vec::<Complex<f64>>().unwrap();
    assert!(squares[0] == Complex::ZERO && (squares[1] - Complex::new(-4.0, 0.0)).norm() < 1e-14);
}

/// An activation: its name, value, gradient, formula, and where it is not differentiable.
struct Activation {
    name: &'static str,
    value: fn(&Tensor) -> Result<Tensor, Error>,
    write: fn(&Tensor, &Tensor) -> Result<(), Error>,
    gradient: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
    formula: fn(f64) -> f64,
    corners: &'static [f64],
}

/// An activation without parameters, by its names.
macro_rules! activation {
    ($name:ident, $write:ident, $gradient:ident, $formula:expr, $corners:expr) => {
        Activation {
            name: stringify!($name),
            value: |x| x.$name(),
            write: |x, out| $write(x, out),
            gradient: |x, g| x.$gradient(g),
            formula: $formula,
            corners: $corners,
        }
    };
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the cumulative distribution function of the normal distribution, by integration.
fn normal_share(x: f64) -> f64 {
    let n = 20_000;
    let width = x / n as f64;
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let middle = |i: usize| density((i as f64 + 0.5) * width) * width;
    0.5 + (0..n).map(middle).sum::<f64>()
}

fn gelu_tanh(x: f64) -> f64 {
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
    x / 2.0 * (1.0 + inner.tanh())
}

fn activations() -> Vec<Activation> {
    vec![
        activation!(relu, relu_into, relu_grad, |x| x.max(0.0), &[0.0]),
        activation!(relu6, relu6_into, relu6_grad, |x| x.clamp(0.0, 6.0), &[0.0, 6.0]),
        activation!(gelu, gelu_into, gelu_grad, |x| x * normal_share(x), &[]),
        activation!(gelu_tanh, gelu_tanh_into, gelu_tanh_grad, gelu_tanh, &[]),
        activation!(sigmoid, sigmoid_into, sigmoid_grad, sigmoid, &[]),
        activation!(softplus, softplus_into, softplus_grad, |x| x.exp().ln_1p(), &[]),
        activation!(swish, swish_into, swish_grad, |x| x * sigmoid(x), &[]),
        activation!(
            hard_sigmoid,
            hard_sigmoid_into,
            hard_sigmoid_grad,
            |x| ((x + 3.0) / 6.0).clamp(0.0, 1.0),
            &[-3.0, 3.0]
        ),
        activation!(
            hard_swish,
            hard_swish_into,
            hard_swish_grad,
            |x| x * ((x + 3.0) / 6.0).clamp(0.0, 1.0),
            &[-3.0, 3.0]
        ),
        Activation {
            name: "leaky_relu",
            value: |x| x.leaky_relu(0.125),
            write: |x, out| leaky_relu_into(x, 0.125, out),
            gradient: |x, g| x.leaky_relu_grad(g, 0.125),
            formula: |x| if x > 0.0 { x } else { 0.125 * x },
            corners: &[0.0],
        },
        Activation {
            name: "elu",
            value: |x| x.elu(1.5),
            write: |x, out| elu_into(x, 1.5, out),
            gradient: |x, g| x.elu_grad(g, 1.5),
            formula: |x| if x > 0.0 { x } else { 1.5 * (x.exp() - 1.0) },
            corners: &[0.0],
        },
    ]
}

/// Returns numbers between -9 and 9, transposed, in the given dtype.
fn inputs(dtype: DType) -> Tensor {
    let x = Tensor::linspace(-9.0, 9.0, 13 * 11, DType::Float64).unwrap();
    x.reshape([13, 11]).unwrap().t().unwrap().flip(&[0]).unwrap().astype(dtype).unwrap()
}

#[test]
fn activations_match_their_formulas() {
    let precision = [
        (DType::Float16, 2e-3),
        (DType::BFloat16, 2e-2),
        (DType::Float32, 1e-6),
        (DType::Float64, 1e-8),
        (DType::Int16, 1e-8),
    ];
    for it in activations() {
        for (dtype, tolerance) in precision {
            let x = inputs(dtype);
            let found = (it.value)(&x).unwrap();
            let kept = if dtype.is_floating() { dtype } else { DType::Float64 };
            assert_eq!((found.dtype(), found.shape()), (kept, x.shape()), "{}", it.name);
            let out = Tensor::zeros([22, 26], DType::Float64).unwrap();
            let out = out.slice(s![..;2, ..;-2]).unwrap();
            (it.write)(&x, &out).unwrap();
            let wide = |x: &Tensor| x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            assert_eq!(wide(&out), wide(&found), "{}", it.name);
            for (x, found) in wide(&x).into_iter().zip(wide(&found)) {
                let expected = (it.formula)(x);
                let close = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
                assert!(close, "{} of {x} in {dtype}: {found} and not {expected}", it.name);
            }
        }
    }
}

#[test]
fn gradients_match_finite_differences() {
    for it in activations() {
        let x = inputs(DType::Float64);
        let upstream = tensor![[2.0], [-0.5]].broadcast_to([2, 13]).unwrap();
        let upstream = upstream.unsqueeze(1).unwrap().broadcast_to([2, 11, 13]).unwrap();
        let found = (it.gradient)(&x, &upstream).unwrap();
        assert_eq!(found.shape(), [2, 11, 13], "{}", it.name);
        let width = 1e-6;
        let at = |shift: f64| (it.value)(&x.add(shift).unwrap()).unwrap();
        let slope = (&at(width) - &at(-width)) / (2.0 * width);
        let expected = (&slope * &upstream).to_vec::<f64>().unwrap();
        let points = x.broadcast_to([2, 11, 13]).unwrap().to_vec::<f64>().unwrap();
        for (k, found) in found.to_vec::<f64>().unwrap().into_iter().enumerate() {
            let (x, expected) = (points[k], expected[k]);
            if it.corners.iter().any(|corner| (x - corner).abs() < 2.0 * width) {
                continue;
            }
            let close = (found - expected).abs() < 1e-7;
            assert!(close, "slope of {} at {x}: {found} and not {expected}", it.name);
        }
    }
}

#[test]
fn activations_do_not_overflow_and_propagate_nan() {
    for it in activations() {
        for dtype in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
            let x = tensor![f64::NAN, 1000.0, -1000.0, f64::INFINITY].astype(dtype).unwrap();
            let found = (it.value)(&x).unwrap().astype(DType::Float64).unwrap();
            let found = found.to_vec::<f64>().unwrap();
            assert!(found[0].is_nan(), "{} {dtype}", it.name);
            assert!(found[1..3].iter().all(|x| x.is_finite()), "{} {dtype} {found:?}", it.name);
            let bounded = (it.formula)(1e4) <= 6.0;
            let top = if bounded { (it.formula)(1e4) } else { f64::INFINITY };
            assert_eq!(found[3], top, "{} {dtype}", it.name);
            let slopes = (it.gradient)(&x, &Tensor::ones([4], dtype).unwrap()).unwrap();
            let slopes = slopes.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            assert!(slopes[1..3].iter().all(|x| x.is_finite()), "{} {dtype}", it.name);
        }
    }
}

#[test]
fn activations_refuse_complex_dtypes() {
    let x = tensor![Complex::new(1.0, 1.0)];
    for it in activations() {
        let error = (it.value)(&x).unwrap_err();
        let text = format!("{} is not supported for complex128", it.name);
        assert_eq!((error.to_string(), error.kind()), (text, ErrorKind::Unsupported));
        assert!((it.gradient)(&x, &x).is_err());
        assert!((it.write)(&x, &x).is_err());
    }
}

/// A number as the exponent selects a product or a root; an exponent in memory does not.
#[test]
fn powers_with_small_exponents_agree_with_those_in_memory() -> Result<(), Error> {
    let x = tensor![0.3, 1.0, 2.5, 7.0, 1e-3, 1e100, 0.0, f64::INFINITY, f64::NAN];
    for exponent in [2.0, 3.0, 4.0, 0.5, 1.5, -1.0, -2.0, -0.5, 0.0, 1.0, 2.5] {
        let (fast, slow) = (x.pow(exponent)?, x.pow(&Tensor::full([9], exponent)?)?);
        for (a, b) in fast.to_vec::<f64>()?.into_iter().zip(slow.to_vec::<f64>()?) {
            let is_close = a == b || a.is_nan() && b.is_nan() || (a / b - 1.0).abs() < 1e-15;
            assert!(is_close, "{exponent}: {a} and {b}");
        }
    }
    let n = tensor![-3, 0, 7, 50_000];
    for exponent in [2, 3, 4, 5] {
        let slow = n.pow(&Tensor::full([4], exponent)?)?;
        assert_eq!(n.pow(exponent)?.to_vec::<i32>()?, slow.to_vec::<i32>()?, "{exponent}");
    }
    assert_eq!(n.pow(2.0)?.dtype(), DType::Float64);
    assert_eq!(n.pow(0.5)?.dtype(), DType::Float64);
    assert_eq!(tensor![2.0f32].pow(2)?.dtype(), DType::Float32);
    assert!(n.pow(-1).is_err(), "integers have no negative powers");
    let z = tensor![Complex::new(1.0, 2.0)];
    assert_eq!(z.pow(2)?.to_vec::<Complex<f64>>()?, [Complex::new(-3.0, 4.0)]);
    n.pow_assign(2)?;
    assert_eq!(n.to_vec::<i32>()?[..3], [9, 0, 49]);
    Ok(())
}

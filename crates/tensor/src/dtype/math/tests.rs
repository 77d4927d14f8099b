//! Tests that results with FMA instructions and with emulated FMA are the same bits.

use super::{EmulatedFma, ForHalf, HardwareFma, MulAdd, double, single};

/// Numbers of all magnitudes, with many near the boundaries between cases.
fn numbers() -> impl Iterator<Item = f32> {
    let all = (0..60_000u32).map(|i| f32::from_bits(i.wrapping_mul(0x9E37_79B9)));
    let common = (0..60_000).map(|i| (i - 30_000) as f32 * 0.003_7);
    all.chain(common)
}

#[test]
fn emulated_fma_rounds_once() {
    let mut others = numbers().skip(17).chain([0.0; 17]);
    let mut third = numbers().skip(4_711).chain([1.0; 4_711]);
    for a in numbers() {
        let (b, c) = (others.next().unwrap(), third.next().unwrap());
        // Such that product and summand overlap in different bits.
        for c in [c, -a * b, a * b * 1.5, a * b * 1e-8, a * b * 3e7] {
            let (one, two) = (HardwareFma::mul_add(a, b, c), EmulatedFma::mul_add(a, b, c));
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{a:e} * {b:e} + {c:e}: {one:e} and {two:e}");
        }
    }
}

/// A name, and a function with FMA instructions and with emulated FMA.
macro_rules! pairs {
    ($module:ident: $($function:ident)*) => {
        [$((stringify!($function), $module::$function::<HardwareFma>, $module::$function::<EmulatedFma>)),*]
    };
}

#[test]
fn functions_have_the_same_bits_on_every_processor() {
    type Function = fn(f32) -> f32;
    let table: [(&str, Function, Function); 27] = pairs!(single: exp exp2 exp_m1 ln ln_1p log2 log10 sin_fast cos_fast
        tan_fast asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf logistic softplus swish gelu gelu_tanh sin);
    for (name, fused, emulated) in table {
        for x in numbers() {
            let (one, two) = (fused(x), emulated(x));
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{name} of {x:e}: {one:e} and {two:e}");
        }
    }
}

#[test]
fn functions_for_half_precision_have_the_same_bits_on_every_processor() {
    type Function = fn(f32) -> f32;
    macro_rules! pairs_for_half {
        ($($function:ident)*) => {
            [$((
                stringify!($function),
                single::$function::<ForHalf<HardwareFma>>,
                single::$function::<ForHalf<EmulatedFma>>,
            )),*]
        };
    }
    let table: [(&str, Function, Function); 19] = pairs_for_half!(exp exp2 exp_m1 ln ln_1p log2 log10 sin_fast cos_fast
        tan_fast asin acos atan sinh cosh tanh asinh atanh cbrt);
    for (name, fused, emulated) in table {
        for x in numbers() {
            let (one, two) = (fused(x), emulated(x));
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{name} of {x:e}: {one:e} and {two:e}");
        }
    }
}

/// Numbers of all magnitudes, common ones, and such around 1.
fn doubles() -> impl Iterator<Item = f64> {
    let all = (0..60_000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let common = (0..60_000).map(|i| (i - 30_000) as f64 * 0.003_7);
    let around_one = (0..20_000).map(|i| 1.0 + (i - 10_000) as f64 * 1.3e-9);
    all.chain(common).chain(around_one).chain([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 5e-324])
}

#[test]
fn double_functions_have_the_same_bits_on_every_processor() {
    type Function = fn(f64) -> f64;
    let table: [(&str, Function, Function); 23] = pairs!(double: exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin
        acos atan sinh cosh tanh asinh acosh atanh cbrt logistic softplus swish);
    for (name, fused, emulated) in table {
        for x in doubles() {
            let (one, two) = (fused(x), emulated(x));
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{name} of {x:e}: {one:e} and {two:e}");
        }
    }
}

#[test]
fn emulated_double_fma_rounds_once() {
    let wide = |i: u64| f64::from_bits((i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12) | 1023 << 52);
    for i in 0..200_000 {
        let (a, b) = (wide(i) - 1.5, -wide(i + 7_777) * 1e-3);
        // Such that product and summand overlap in different bits, and at midpoints.
        for c in [wide(i + 17), -a * b, a * b * 1.5, a * b * 1e-16, a * b * 3e15, 1.0, 0.0, -0.0] {
            let (one, two) = (HardwareFma::mul_add_f64(a, b, c), EmulatedFma::mul_add_f64(a, b, c));
            assert_eq!(one.to_bits(), two.to_bits(), "{a:e} * {b:e} + {c:e}: {one:e} and {two:e}");
        }
    }
}

#[test]
fn rounding_errors_of_products_are_exact() {
    let wide = |i: u64| f64::from_bits((i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12) | 1023 << 52);
    for i in 0..60_000 {
        let (a, b) = (wide(i), -wide(i + 7_777) * 1e-3);
        let errors =
            [HardwareFma::product_error(a, b, a * b), EmulatedFma::product_error(a, b, a * b)];
        assert_eq!(errors[0].to_bits(), errors[1].to_bits(), "{a:e} * {b:e}");
    }
}

#[test]
fn hypotenuses_have_the_same_bits_on_every_processor() {
    let wide = |i: u64| f64::from_bits(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    for i in 0..60_000 {
        let x = wide(i);
        for y in [wide(i + 7_777), x * 0.7, x * 1e-9, 0.0] {
            let results = [
                (double::hypot::<HardwareFma>(x, y), double::hypot::<EmulatedFma>(x, y)),
                (double::modulus::<HardwareFma>(x, y), double::modulus::<EmulatedFma>(x, y)),
                (double::atan2::<HardwareFma>(x, y), double::atan2::<EmulatedFma>(x, y)),
                (double::atan2::<HardwareFma>(y, x), double::atan2::<EmulatedFma>(y, x)),
            ];
            for (one, two) in results {
                let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
                assert!(same, "{x:e} and {y:e}: {one:e} and {two:e}");
            }
        }
    }
}

#[test]
fn powers_have_the_same_bits_on_every_processor() {
    for (x, y) in numbers().zip(numbers().skip(4_711)) {
        let results = [
            [single::power_fused::<HardwareFma>(x, y), single::power_fused::<EmulatedFma>(x, y)],
            [single::atan2::<HardwareFma>(x, y), single::atan2::<EmulatedFma>(x, y)],
        ];
        for [one, two] in results {
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{x:e} and {y:e}: {one:e} and {two:e}");
        }
    }
    for (i, x) in numbers().enumerate() {
        let (x, y) = (f64::from(x.abs()) * 1.000_000_1, (i as f64 - 60_000.0) * 1e-3);
        if double::power_in_fast_range(x, y) {
            let one = double::power_fast::<HardwareFma>(x, y);
            let two = double::power_fast::<EmulatedFma>(x, y);
            assert_eq!(one.to_bits(), two.to_bits(), "{x:e} to the power of {y:e}");
        }
    }
}

//! Tests that results with FMA instructions and with emulated FMA are the same bits.

use super::{EmulatedFma, HardwareFma, MulAdd, double, single};

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

#[test]
fn functions_have_the_same_bits_on_every_processor() {
    type Function = fn(f32) -> f32;
    let table: [(&str, Function, Function); 9] = [
        ("exp", single::exp::<HardwareFma>, single::exp::<EmulatedFma>),
        ("exp2", single::exp2::<HardwareFma>, single::exp2::<EmulatedFma>),
        ("ln", single::ln::<HardwareFma>, single::ln::<EmulatedFma>),
        ("ln_1p", single::ln_1p::<HardwareFma>, single::ln_1p::<EmulatedFma>),
        ("erf", single::erf::<HardwareFma>, single::erf::<EmulatedFma>),
        ("logistic", single::logistic::<HardwareFma>, single::logistic::<EmulatedFma>),
        ("softplus", single::softplus::<HardwareFma>, single::softplus::<EmulatedFma>),
        ("swish", single::swish::<HardwareFma>, single::swish::<EmulatedFma>),
        ("gelu", single::gelu::<HardwareFma>, single::gelu::<EmulatedFma>),
    ];
    for (name, fused, emulated) in table {
        for x in numbers() {
            let (one, two) = (fused(x), emulated(x));
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{name} of {x:e}: {one:e} and {two:e}");
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
            let pairs = [
                (double::hypot::<HardwareFma>(x, y), double::hypot::<EmulatedFma>(x, y)),
                (double::modulus::<HardwareFma>(x, y), double::modulus::<EmulatedFma>(x, y)),
            ];
            for (one, two) in pairs {
                let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
                assert!(same, "{x:e} and {y:e}: {one:e} and {two:e}");
            }
        }
    }
}

#[test]
fn powers_have_the_same_bits_on_every_processor() {
    for (i, x) in numbers().enumerate() {
        let (x, y) = (f64::from(x.abs()) * 1.000_000_1, (i as f64 - 60_000.0) * 1e-3);
        if double::power_in_fast_range(x, y) {
            let one = double::power_fast::<HardwareFma>(x, y);
            let two = double::power_fast::<EmulatedFma>(x, y);
            assert_eq!(one.to_bits(), two.to_bits(), "{x:e} to the power of {y:e}");
        }
    }
}

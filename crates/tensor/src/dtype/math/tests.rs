//! The same bits with and without instructions for fused multiplications.

use super::{Emulation, Instruction, MulAdd, single};

/// Numbers from all over, with many near the places where something changes.
fn numbers() -> impl Iterator<Item = f32> {
    let all = (0..60_000u32).map(|i| f32::from_bits(i.wrapping_mul(0x9E37_79B9)));
    let common = (0..60_000).map(|i| (i - 30_000) as f32 * 0.003_7);
    all.chain(common)
}

#[test]
fn fused_multiplications_without_an_instruction_round_once() {
    let mut others = numbers().skip(17).chain([0.0; 17]);
    let mut third = numbers().skip(4_711).chain([1.0; 4_711]);
    for a in numbers() {
        let (b, c) = (others.next().unwrap(), third.next().unwrap());
        // Such that the product meets the third number somewhere in its digits.
        for c in [c, -a * b, a * b * 1.5, a * b * 1e-8, a * b * 3e7] {
            let (one, two) = (Instruction::mul_add(a, b, c), Emulation::mul_add(a, b, c));
            let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
            assert!(same, "{a:e} * {b:e} + {c:e}: {one:e} and {two:e}");
        }
    }
}

#[test]
fn functions_have_the_same_bits_on_every_processor() {
    macro_rules! compare {
        ($($function:ident)*) => {$(
            for x in numbers() {
                let one = single::$function::<Instruction>(x);
                let two = single::$function::<Emulation>(x);
                let same = one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan();
                assert!(same, "{} of {x:e}: {one:e} and {two:e}", stringify!($function));
            }
        )*};
    }
    compare!(exp exp2 ln ln_1p erf logistic softplus swish gelu);
}

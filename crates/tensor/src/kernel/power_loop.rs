//! Powers of integers by repeated squaring.
//!
//! The elements of a chunk are squared together, as often as the greatest exponent needs: so there is a loop over vectors for each
//! bit, and no branch for an element.

use super::body::{BlockCall, Body};
use super::cpu::{BlockLoop, compiled};
use crate::Element;
use crate::dtype::{Integer, IntegerTask, MulAdd, Number};
use std::marker::PhantomData;

/// The elements that are computed together: few, because the greatest exponent counts for all, and some vectors.
const CHUNK_ELEMENTS: usize = 64;

/// Makes the body of powers of integers, which wrap around; a negative exponent gives 0.
pub(crate) struct IntegerPowers;

impl IntegerTask for IntegerPowers {
    type Output = Body<'static, 3>;

    fn run<T: Element<Wide: Integer>>(self) -> Body<'static, 3> {
        Body::new([T::DTYPE; 3], &(), compiled::<PowerLoop<T>>())
    }
}

struct PowerLoop<T>(PhantomData<T>);

impl<T: Element<Wide: Integer>> BlockLoop for PowerLoop<T> {
    type Args<'a> = BlockCall<3>;

    const HAS_AVX512: bool = true;

    /// # Safety
    /// That of `Body::call`; no block is broadcast, and no input is the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, x, y] = call.blocks.map(<*mut u8>::cast::<T>);
        let (mut bases, mut exponents) =
            ([T::default(); CHUNK_ELEMENTS], [T::default(); CHUNK_ELEMENTS]);
        let mut first = 0;
        while first < call.len {
            let len = CHUNK_ELEMENTS.min(call.len - first);
            // SAFETY: all blocks have `len` elements from `first` on (`Body::call`), and the arrays have room for as many.
            unsafe {
                bases.as_mut_ptr().copy_from_nonoverlapping(x.add(first), len);
                exponents.as_mut_ptr().copy_from_nonoverlapping(y.add(first), len);
                // What is left of another chunk must not cost more squarings.
                exponents[len..].fill(T::default());
                let results = powers(bases, exponents);
                out.add(first).copy_from_nonoverlapping(results.as_ptr(), len);
            }
            first += len;
        }
    }
}

#[inline(always)]
fn powers<T: Element<Wide: Integer>>(
    mut bases: [T; CHUNK_ELEMENTS],
    mut exponents: [T; CHUNK_ELEMENTS],
) -> [T; CHUNK_ELEMENTS] {
    let (zero, one) = (T::Wide::ZERO, T::Wide::ONE);
    let mut results = [T::default(); CHUNK_ELEMENTS];
    for (result, exponent) in results.iter_mut().zip(&mut exponents) {
        let is_negative = exponent.widen() < zero;
        *result = T::narrow(if is_negative { zero } else { one });
        *exponent = if is_negative { T::narrow(zero) } else { *exponent };
    }
    loop {
        let mut left = zero;
        for k in 0..CHUNK_ELEMENTS {
            let (base, exponent) = (bases[k].widen(), exponents[k].widen());
            let is_odd = exponent.and(one) != zero;
            let result = results[k].widen().times(if is_odd { base } else { one });
            let rest = exponent.shift_right(one);
            left = left.or(rest);
            results[k] = T::narrow(result);
            exponents[k] = T::narrow(rest);
            bases[k] = T::narrow(base.times(base));
        }
        if left == zero {
            return results;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_wrap_around_and_negative_exponents_give_zero() {
        macro_rules! compare {
            ($($type:ident)*) => {$(
                for round in 0..200u64 {
                    let bits = |i: usize| (round * 64 + i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    let bases: [$type; CHUNK_ELEMENTS] =
                        std::array::from_fn(|i| (bits(i) >> (bits(i) % 64)) as $type);
                    // All sizes of exponents, also of the greatest one of a chunk.
                    let exponents: [$type; CHUNK_ELEMENTS] =
                        std::array::from_fn(|i| (bits(i + 7_777) >> (round % 50 + 14)) as $type);
                    let found = powers(bases, exponents);
                    for i in 0..CHUNK_ELEMENTS {
                        let expected = match u32::try_from(exponents[i]) {
                            Ok(exponent) => bases[i].wrapping_pow(exponent),
                            Err(_) if exponents[i] > 0 => continue,
                            Err(_) => 0,
                        };
                        assert_eq!(found[i], expected, "{} to the power of {}", bases[i], exponents[i]);
                    }
                }
            )*};
        }
        compare!(i8 i16 i32 i64 u8 u16 u32 u64);
    }
}

//! Elements drawn from a distribution, block by block.

use super::ziggurat::normal;
use super::{BLOCK_ELEMENTS, Distribution, RandomStream};
use crate::dtype::{Float, FloatTask};
use crate::kernel::sequence::fill_in_order;
use crate::view::{AnyViewMut, Written};
use crate::{DType, Element, bf16, f16};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// The length of a part of the stream is `2^PART_LOG2` blocks of the cipher: 4 MiB.
const PART_LOG2: u32 = 16;

impl RandomStream {
    /// Returns the generator of the part that is `ahead` parts after this one.
    pub(super) fn numbers(&self, ahead: usize) -> ChaCha8Rng {
        let mut numbers = ChaCha8Rng::from_seed(self.key);
        numbers.set_stream(self.number);
        numbers.set_block_pos(self.part.wrapping_add(ahead as u64) << PART_LOG2);
        numbers
    }

    /// Returns a new key, drawn from this part.
    pub(crate) fn child_key(&self) -> [u8; 32] {
        let mut key = [0; 32];
        self.numbers(0).fill_bytes(&mut key);
        key
    }
}

/// Draws every element of the view.
///
/// # Panics
/// If the dtype is not the one that the distribution requires: floating-point, integer or `bool`.
pub(crate) fn draw(
    out: AnyViewMut<'_>,
    stream: RandomStream,
    distribution: Distribution,
) -> Written<'_> {
    let dtype = out.dtype();
    match distribution {
        Distribution::Bernoulli { chance } => {
            assert!(dtype.is_bool(), "bernoulli of {dtype}");
            // The number of the 2⁵³ equally likely values that count as true.
            let favourable = chance * (1u64 << 53) as f64;
            fill_blocks::<u8>(out, stream, |numbers| {
                u8::from(((numbers.next_u64() >> 11) as f64) < favourable)
            })
        }
        Distribution::Integers { low, count } => {
            assert!(dtype.is_integer(), "integers of {dtype}");
            let below = Below::new(count);
            let value = move |numbers: &mut ChaCha8Rng| low.wrapping_add(below.draw(numbers));
            match dtype.size() {
                1 => fill_blocks::<u8>(out, stream, |numbers| value(numbers) as u8),
                2 => fill_blocks::<u16>(out, stream, |numbers| value(numbers) as u16),
                4 => fill_blocks::<u32>(out, stream, |numbers| value(numbers) as u32),
                _ => fill_blocks::<u64>(out, stream, value),
            }
        }
        _ => dtype.with_float(DrawFloats { out, stream, distribution }).expect("floats"),
    }
}

/// Fills a view, one part of the stream for each block.
fn fill_blocks<T: Element>(
    out: AnyViewMut<'_>,
    stream: RandomStream,
    draw: impl Fn(&mut ChaCha8Rng) -> T + Sync,
) -> Written<'_> {
    fill_in_order(out, BLOCK_ELEMENTS, 8, |b, block: &mut [T]| {
        let mut numbers = stream.numbers(b);
        block.iter_mut().for_each(|x| *x = draw(&mut numbers));
    })
}

struct DrawFloats<'x> {
    out: AnyViewMut<'x>,
    stream: RandomStream,
    distribution: Distribution,
}

impl<'x> FloatTask for DrawFloats<'x> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let DrawFloats { out, stream, distribution } = self;
        match distribution {
            Distribution::Uniform { low, high } => {
                let (width, top) = (high - low, T::from_f64(greatest_below(high, T::DTYPE)));
                let digits = digits(T::DTYPE);
                // Rounding to `T` after the multiplication may give `high` itself.
                let within = move |share: f64| match T::from_f64(low + width * share) {
                    x if x.widen().double() < high => x,
                    _ => top,
                };
                let unit = 1.0 / (1u64 << digits) as f64;
                match T::DTYPE {
                    DType::Float64 => fill_blocks(out, stream, |numbers| {
                        within((numbers.next_u64() >> (64 - digits)) as f64 * unit)
                    }),
                    _ => fill_blocks(out, stream, |numbers| {
                        within(f64::from(numbers.next_u32() >> (32 - digits)) * unit)
                    }),
                }
            }
            Distribution::Normal { mean, std } => {
                fill_blocks(out, stream, |numbers| T::from_f64(mean + std * normal(numbers)))
            }
            Distribution::Exponential { scale } => {
                fill_blocks(out, stream, |numbers| T::from_f64(scale * exponential(numbers)))
            }
            Distribution::Integers { .. } | Distribution::Bernoulli { .. } => {
                unreachable!("`draw` has drawn them")
            }
        }
    }
}

/// Returns the binary digits of the significand of a floating-point dtype.
fn digits(dtype: DType) -> u32 {
    match dtype {
        DType::BFloat16 => bf16::MANTISSA_DIGITS,
        DType::Float16 => f16::MANTISSA_DIGITS,
        DType::Float32 => f32::MANTISSA_DIGITS,
        _ => f64::MANTISSA_DIGITS,
    }
}

/// Returns the greatest number of a dtype below `high`, which must be representable in it.
fn greatest_below(high: f64, dtype: DType) -> f64 {
    // `half` has no `next_down`: its bits are a sign and a magnitude.
    let half = |bits: u16| match bits {
        0 | 0x8000 => 0x8001,
        bits if bits & 0x8000 == 0 => bits - 1,
        bits => bits + 1,
    };
    match dtype {
        DType::BFloat16 => bf16::from_bits(half(bf16::from_f64(high).to_bits())).to_f64(),
        DType::Float16 => f16::from_bits(half(f16::from_f64(high).to_bits())).to_f64(),
        DType::Float32 => f64::from((high as f32).next_down()),
        _ => high.next_down(),
    }
}

/// Draws a uniform number in `[0, 1)`.
pub(super) fn unit(numbers: &mut ChaCha8Rng) -> f64 {
    (numbers.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Draws a number of the exponential distribution with scale 1, by inversion.
pub(super) fn exponential(numbers: &mut ChaCha8Rng) -> f64 {
    -libm::log1p(-unit(numbers))
}

/// Uniform integers below a count, by Lemire's method.
///
/// The upper word of a random word times the count is the result. Lower words below `2^64 mod count` would
/// make some results more likely than others, and are rejected.
#[derive(Clone, Copy)]
pub(super) struct Below {
    count: u128,
    rejected_below: u64,
}

impl Below {
    /// Prepares for a count from 1 to 2⁶⁴.
    pub(super) fn new(count: u128) -> Below {
        let rejected_below = match count <= 1 << 32 {
            true => (1 << 32) % count as u64,
            false => ((1 << 64) % count) as u64,
        };
        Below { count, rejected_below }
    }

    #[inline]
    pub(super) fn draw(self, numbers: &mut ChaCha8Rng) -> u64 {
        if self.count <= 1 << 32 {
            loop {
                let product = u64::from(numbers.next_u32()) * self.count as u64;
                if u64::from(product as u32) >= self.rejected_below {
                    return product >> 32;
                }
            }
        }
        loop {
            let product = u128::from(numbers.next_u64()) * self.count;
            if product as u64 >= self.rejected_below {
                return (product >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_below_a_count_are_uniform() {
        let mut numbers = RandomStream { key: [1; 32], number: 0, part: 0 }.numbers(0);
        for count in
            [1u128, 2, 3, 10, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 3 << 62, 1 << 64]
        {
            let below = Below::new(count);
            // `3 << 62` is three quarters of 2⁶⁴: without rejection the lowest third would be twice as likely.
            let mut thirds = [0; 3];
            for _ in 0..3000 {
                let x = u128::from(below.draw(&mut numbers));
                assert!(x < count);
                thirds[(x * 3 / count) as usize] += 1;
            }
            if count >= 1 << 31 {
                assert!(thirds.iter().all(|&n| (900..1100).contains(&n)), "{count}: {thirds:?}");
            }
        }
    }

    #[test]
    fn greatest_below_is_adjacent() {
        for high in [1.0, 1.5, -1.0, 0.0, 65504.0, 3.0e-8, -0.125] {
            for dtype in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
                let round = |x: f64| match dtype {
                    DType::Float16 => f16::from_f64(x).to_f64(),
                    DType::BFloat16 => bf16::from_f64(x).to_f64(),
                    DType::Float32 => f64::from(x as f32),
                    _ => x,
                };
                let (high, below) = (round(high), greatest_below(round(high), dtype));
                assert!(below < high && round(below) == below, "{dtype} {high}");
                let middle = round((below + high) / 2.0);
                assert!(middle == below || middle == high, "{dtype} {high}");
            }
        }
    }
}

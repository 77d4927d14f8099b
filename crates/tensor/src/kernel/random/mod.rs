//! Random numbers that do not depend on machines, threads or strides.
//!
//! **The problem.** A generator gives one number after the other. Threads that share it, or take a
//! part of its numbers each, get results that depend on how many they are; and some distributions
//! take more numbers for one element than for another.
//!
//! **The way out** is a generator that can be asked for any part of its stream at once: the ChaCha
//! cipher with eight rounds, of the `rand` crate, is a function of a key and a position. Elements are
//! counted in blocks of [`BLOCK`], in the order of their indices, and each block begins at a position of
//! its own, with far more room behind it than it ever takes.
//!
//! Functions of real numbers are those of the `libm` crate: those of the system differ in their last
//! bits from one machine to the next.

mod order;
mod ziggurat;

pub(crate) use order::{choose, choose_weighted, draw_weighted, order, permute, shuffle};

use super::sequence::fill_in_order;
use crate::dtype::{Float, FloatTask};
use crate::view::{AnyViewMut, Written};
use crate::{DType, Element, bf16, f16};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use ziggurat::normal;

/// Elements that are drawn from one part of the stream.
pub(crate) const BLOCK: usize = 4096;

/// The parts of the stream are so many blocks of the cipher long, as a power of two: four megabytes.
const ROOM: u32 = 16;

/// A part of a stream, and those behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    pub key: [u8; 32],
    pub number: u64,
    /// The part.
    pub part: u64,
}

impl Stream {
    /// The numbers of the part that is so many behind this one.
    fn numbers(&self, behind: usize) -> ChaCha8Rng {
        let mut numbers = ChaCha8Rng::from_seed(self.key);
        numbers.set_stream(self.number);
        numbers.set_block_pos(self.part.wrapping_add(behind as u64) << ROOM);
        numbers
    }

    /// A key that nobody else gets, from the numbers of this part.
    pub(crate) fn key_of_child(&self) -> [u8; 32] {
        let mut key = [0; 32];
        self.numbers(0).fill_bytes(&mut key);
        key
    }
}

/// How numbers are spread. The arguments have been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Distribution {
    /// From one to the other, which is not reached.
    Uniform {
        low: f64,
        high: f64,
    },
    Normal {
        mean: f64,
        std: f64,
    },
    Exponential {
        scale: f64,
    },
    /// So many integers, from 1 to 2⁶⁴, from one on that has these bits.
    Integers {
        low: u64,
        count: u128,
    },
    /// True with a chance.
    Bernoulli {
        chance: f64,
    },
}

/// Draws an element for each of the view's, which must be of floats, of integers or of `bool`, as the
/// distribution says; if not, this panics.
pub(crate) fn draw(out: AnyViewMut<'_>, stream: Stream, distribution: Distribution) -> Written<'_> {
    let dtype = out.dtype();
    match distribution {
        Distribution::Bernoulli { chance } => {
            assert!(dtype.is_bool(), "chances of {dtype}");
            // Of 2⁵³ equal chances so many are in favour.
            let favourable = chance * (1u64 << 53) as f64;
            each::<u8>(out, stream, |numbers| {
                u8::from(((numbers.next_u64() >> 11) as f64) < favourable)
            })
        }
        Distribution::Integers { low, count } => {
            assert!(dtype.is_integer(), "integers of {dtype}");
            let below = Below::new(count);
            let value = move |numbers: &mut ChaCha8Rng| low.wrapping_add(below.draw(numbers));
            match dtype.size() {
                1 => each::<u8>(out, stream, |numbers| value(numbers) as u8),
                2 => each::<u16>(out, stream, |numbers| value(numbers) as u16),
                4 => each::<u32>(out, stream, |numbers| value(numbers) as u32),
                _ => each::<u64>(out, stream, value),
            }
        }
        _ => dtype.with_float(Floats { out, stream, distribution }).expect("floats"),
    }
}

/// Fills a view with numbers, block by block.
fn each<T: Element>(
    out: AnyViewMut<'_>,
    stream: Stream,
    draw: impl Fn(&mut ChaCha8Rng) -> T + Sync,
) -> Written<'_> {
    fill_in_order(out, BLOCK, 8, |b, block: &mut [T]| {
        let mut numbers = stream.numbers(b);
        block.iter_mut().for_each(|x| *x = draw(&mut numbers));
    })
}

struct Floats<'x> {
    out: AnyViewMut<'x>,
    stream: Stream,
    distribution: Distribution,
}

impl<'x> FloatTask for Floats<'x> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let Floats { out, stream, distribution } = self;
        match distribution {
            Distribution::Uniform { low, high } => {
                let (width, top) = (high - low, T::from_f64(greatest_below(high, T::DTYPE)));
                let digits = digits(T::DTYPE);
                // Behind the multiplication there may be another rounding, up to `high` itself.
                let within = move |share: f64| match T::from_f64(low + width * share) {
                    x if x.widen().double() < high => x,
                    _ => top,
                };
                let unit = 1.0 / (1u64 << digits) as f64;
                match T::DTYPE {
                    DType::Float64 => each(out, stream, |numbers| {
                        within((numbers.next_u64() >> (64 - digits)) as f64 * unit)
                    }),
                    _ => each(out, stream, |numbers| {
                        within(f64::from(numbers.next_u32() >> (32 - digits)) * unit)
                    }),
                }
            }
            Distribution::Normal { mean, std } => {
                each(out, stream, |numbers| T::from_f64(mean + std * normal(numbers)))
            }
            Distribution::Exponential { scale } => {
                each(out, stream, |numbers| T::from_f64(scale * exponential(numbers)))
            }
            Distribution::Integers { .. } | Distribution::Bernoulli { .. } => {
                unreachable!("`draw` has drawn them")
            }
        }
    }
}

/// Binary digits of a floating-point type.
fn digits(dtype: DType) -> u32 {
    match dtype {
        DType::BFloat16 => bf16::MANTISSA_DIGITS,
        DType::Float16 => f16::MANTISSA_DIGITS,
        DType::Float32 => f32::MANTISSA_DIGITS,
        _ => f64::MANTISSA_DIGITS,
    }
}

/// The greatest number of a type that is smaller than another number of it.
pub(crate) fn greatest_below(high: f64, dtype: DType) -> f64 {
    // Halves are a sign and a magnitude, as all floats are.
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

/// From 0 to 1, without 1.
fn share(numbers: &mut ChaCha8Rng) -> f64 {
    (numbers.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The time until something happens that happens once in a unit of time.
fn exponential(numbers: &mut ChaCha8Rng) -> f64 {
    -libm::log1p(-share(numbers))
}

/// Whole numbers below a count, all with the same chance.
///
/// A random word times the count is spread over as many words; its upper word is the result. The
/// first few values of the lower word would make some results more likely than others, and are
/// drawn again.
#[derive(Clone, Copy)]
struct Below {
    count: u128,
    too_low: u64,
}

impl Below {
    /// For a count from 1 to 2⁶⁴.
    fn new(count: u128) -> Below {
        let too_low = match count <= 1 << 32 {
            true => (1 << 32) % count as u64,
            false => ((1 << 64) % count) as u64,
        };
        Below { count, too_low }
    }

    #[inline]
    fn draw(self, numbers: &mut ChaCha8Rng) -> u64 {
        if self.count <= 1 << 32 {
            loop {
                let spread = u64::from(numbers.next_u32()) * self.count as u64;
                if u64::from(spread as u32) >= self.too_low {
                    return spread >> 32;
                }
            }
        }
        loop {
            let spread = u128::from(numbers.next_u64()) * self.count;
            if spread as u64 >= self.too_low {
                return (spread >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_below_a_count_are_equally_likely() {
        let mut numbers = Stream { key: [1; 32], number: 0, part: 0 }.numbers(0);
        for count in
            [1u128, 2, 3, 10, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 3 << 62, 1 << 64]
        {
            let below = Below::new(count);
            // Three quarters of 2⁶⁴: without a second draw the lowest third of words would win.
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
    fn nothing_lies_between_a_number_and_the_greatest_below() {
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

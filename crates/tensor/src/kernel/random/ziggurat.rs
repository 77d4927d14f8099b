//! The normal distribution.
//!
//! **The problem.** Numbers of density `exp(-x²/2)`, fast, and bit-identical on every machine.
//!
//! **The simple solution** (Box–Muller) takes a logarithm and a sine for each pair. The ziggurat algorithm of Marsaglia
//! and Tsang covers the density with [`LAYERS`] layers of equal area: one random word selects a layer and a position in
//! it, which is accepted at once in 99 % of all cases. Otherwise an exponential decides; the tail of the lowest layer
//! takes logarithms.
//!
//! Of the 64 bits of a word, 8 select the layer, 1 is the sign and 53 are the position.

use super::draw::{exponential, unit};
use rand::Rng;
use rand::rngs::ChaCha8Rng;
use std::sync::LazyLock;

const LAYERS: usize = 256;

/// The start of the tail: the number for which the layers end exactly at the top of the curve.
const TAIL: f64 = 3.654_152_885_361_009;

struct Tables {
    /// The width of each layer, the lowest first; that of the lowest is its area divided by its height, tail included.
    reach: [f64; LAYERS + 1],
    /// The height of the curve there.
    height: [f64; LAYERS + 1],
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

impl Tables {
    fn new() -> Tables {
        let area = TAIL * density(TAIL)
            + (std::f64::consts::PI / 2.0).sqrt() * libm::erfc(TAIL / std::f64::consts::SQRT_2);
        let mut reach = [0.0; LAYERS + 1];
        reach[0] = area / density(TAIL);
        reach[1] = TAIL;
        for i in 1..LAYERS - 1 {
            let height = density(reach[i]) + area / reach[i];
            reach[i + 1] = (-2.0 * libm::log(height)).sqrt();
        }
        Tables { reach, height: reach.map(density) }
    }
}

fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// Draws a number of mean 0 and variance 1.
#[inline]
pub(super) fn normal(numbers: &mut ChaCha8Rng) -> f64 {
    let tables = &*TABLES;
    loop {
        let word = numbers.next_u64();
        let (strip, is_negative) = (word as usize % LAYERS, word & 0x100 != 0);
        let x = (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64) * tables.reach[strip];
        if x < tables.reach[strip + 1] || is_below(x, strip, tables, numbers) {
            return if is_negative { -x } else { x };
        }
        if strip == 0 {
            let x = tail(numbers);
            return if is_negative { -x } else { x };
        }
    }
}

/// Whether a place at the end of a strip is below the curve.
#[cold]
fn is_below(x: f64, strip: usize, tables: &Tables, numbers: &mut ChaCha8Rng) -> bool {
    if strip == 0 {
        return false;
    }
    let (low, high) = (tables.height[strip], tables.height[strip + 1]);
    low + (high - low) * unit(numbers) < density(x)
}

/// Returns a number of the tail.
#[cold]
fn tail(numbers: &mut ChaCha8Rng) -> f64 {
    loop {
        let beyond = exponential(numbers) / TAIL;
        if 2.0 * exponential(numbers) > beyond * beyond {
            return TAIL + beyond;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_have_one_area_and_reach_the_top() {
        let Tables { reach, height } = &*TABLES;
        let area = reach[0] * height[1];
        for i in 1..LAYERS {
            let strip = reach[i] * (height[i + 1] - height[i]);
            assert!((strip - area).abs() < 1e-9 * area, "strip {i}: {strip} and {area}");
        }
        assert_eq!((reach[LAYERS], height[LAYERS]), (0.0, 1.0));
    }
}

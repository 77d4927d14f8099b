//! The normal distribution, by the ziggurat algorithm.
//!
//! **The problem.** Draw numbers with density proportional to `exp(-x²/2)`, fast, with the same bits on every machine.
//!
//! **The plain solution** (Box–Muller) takes a logarithm and a sine for each pair. The ziggurat algorithm of Marsaglia
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

/// The start of the tail, chosen so that the topmost layer ends at the maximum of the density.
const TAIL: f64 = 3.654_152_885_361_009;

pub(super) struct Tables {
    /// The width of each layer, the lowest first; that of the lowest is its area divided by its height, tail included.
    width: [f64; LAYERS + 1],
    /// The density at these widths.
    height: [f64; LAYERS + 1],
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

impl Tables {
    fn new() -> Tables {
        let area = TAIL * density(TAIL)
            + (std::f64::consts::PI / 2.0).sqrt() * libm::erfc(TAIL / std::f64::consts::SQRT_2);
        let mut width = [0.0; LAYERS + 1];
        width[0] = area / density(TAIL);
        width[1] = TAIL;
        for i in 1..LAYERS - 1 {
            let height = density(width[i]) + area / width[i];
            width[i + 1] = (-2.0 * libm::log(height)).sqrt();
        }
        Tables { width, height: width.map(density) }
    }
}

fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// Draws a standard normal number.
#[inline]
pub(super) fn normal(numbers: &mut ChaCha8Rng) -> f64 {
    let tables = &*TABLES;
    loop {
        let word = numbers.next_u64();
        let (layer, is_negative) = (word as usize % LAYERS, word & 0x100 != 0);
        let x = (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64) * tables.width[layer];
        if x < tables.width[layer + 1] || is_below(x, layer, tables, numbers) {
            return if is_negative { -x } else { x };
        }
        if layer == 0 {
            let x = tail(numbers);
            return if is_negative { -x } else { x };
        }
    }
}

/// Whether a random point above `x`, near the edge of a layer, is below the density.
#[cold]
fn is_below(x: f64, layer: usize, tables: &Tables, numbers: &mut ChaCha8Rng) -> bool {
    if layer == 0 {
        return false;
    }
    let (low, high) = (tables.height[layer], tables.height[layer + 1]);
    low + (high - low) * unit(numbers) < density(x)
}

/// Draws a number of the tail, by Marsaglia's method.
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
    fn layers_have_equal_areas_and_end_at_the_maximum() {
        let Tables { width, height } = &*TABLES;
        let area = width[0] * height[1];
        for i in 1..LAYERS {
            let layer = width[i] * (height[i + 1] - height[i]);
            assert!((layer - area).abs() < 1e-9 * area, "layer {i}: {layer} and {area}");
        }
        assert_eq!((width[LAYERS], height[LAYERS]), (0.0, 1.0));
    }
}

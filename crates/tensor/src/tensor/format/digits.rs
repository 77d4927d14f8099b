//! Shortest decimal digits of floats, and the choice of scientific notation.

use crate::dtype::{f64_to_bf16, f64_to_f16};
use std::str::FromStr;

/// The type that a float was widened from, which determines its shortest digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatKind {
    F16,
    BF16,
    F32,
    F64,
}

/// The notation is scientific for smaller numbers.
pub(super) const SCIENTIFIC_BELOW: f64 = 1e-4;

impl FloatKind {
    /// The notation is scientific from this number on: integral digits may be inexact above it.
    pub(super) fn scientific_from(self) -> f64 {
        match self {
            FloatKind::F16 | FloatKind::BF16 => 1e3,
            FloatKind::F32 => 1e6,
            FloatKind::F64 => 1e16,
        }
    }

    /// Rounds to the nearest number of this type.
    pub(super) fn round(self, x: f64) -> f64 {
        match self {
            FloatKind::F16 => f64_to_f16(x).to_f64(),
            FloatKind::BF16 => f64_to_bf16(x).to_f64(),
            FloatKind::F32 => f64::from(x as f32),
            FloatKind::F64 => x,
        }
    }

    /// Returns whether an array of these numbers is in scientific notation. NumPy compares in the type of the
    /// array: a float32 of 0.0001 is not less than 0.0001, although it is as a float64.
    pub(super) fn is_scientific(self, values: &[f64]) -> bool {
        let sizes = || values.iter().map(|x| x.abs()).filter(|x| x.is_finite() && *x != 0.0);
        let (max, min) = (sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min));
        let ratio = if max == 0.0 { 1.0 } else { self.round(max / min) };
        max >= self.scientific_from().min(1e8)
            || min < self.round(SCIENTIFIC_BELOW)
            || ratio > 1000.0
    }

    /// Returns the `f64` with the fewest digits among those that round to `x` in this type.
    pub(super) fn shortest(self, x: f64) -> f64 {
        match self {
            FloatKind::F64 => x,
            FloatKind::F32 => read((x as f32).to_string()),
            // Five digits suffice for float16 and four for bfloat16. The successor of the nearest decimal
            // is needed at powers of two, above which the spacing is wider than below.
            FloatKind::F16 | FloatKind::BF16 => {
                let nearest = (0..5).map(|n| (n, format!("{x:.n$e}").replace('.', "")));
                let mut candidates = nearest.flat_map(|(n, text)| {
                    let (digits, power) = text.split_once('e').expect("the format has an exponent");
                    let (digits, power) = (read::<u32>(digits), read::<i32>(power) - n as i32);
                    [digits, digits + 1].map(|digits| read(format!("{digits}e{power}")))
                });
                candidates.find(|&it| self.round(it) == x).unwrap_or(x)
            }
        }
    }
}

/// Parses a number that was formatted here.
pub(super) fn read<T: FromStr>(text: impl AsRef<str>) -> T {
    text.as_ref().parse().ok().expect("formatted numbers can be parsed")
}

/// A finite non-negative number in decimal: `whole.fraction * 10^exponent`.
pub(super) struct Decimal {
    pub(super) whole: String,
    pub(super) fraction: String,
    exponent: i32,
}

impl Decimal {
    /// Returns the shortest digits of `x`, or the nearest number with `limit` digits after the point if those
    /// are fewer.
    pub(super) fn new(x: f64, kind: FloatKind, scientific: bool, limit: usize) -> Decimal {
        let short = kind.shortest(x);
        let short = if scientific { format!("{short:e}") } else { short.to_string() };
        let decimal = Decimal::split(&short);
        // Of several decimals with `n` digits the nearest is chosen, and of two equally near ones the even
        // one, as when rounding. The shortest digits are not always the nearest.
        let n = decimal.fraction.len().min(limit);
        let best = if scientific { format!("{x:.n$e}") } else { format!("{x:.n$}") };
        let is_cut = n < decimal.fraction.len();
        if is_cut || kind.round(read(&best)) == x { Decimal::split(&best) } else { decimal }
    }

    /// Parses a formatted number.
    pub(super) fn split(text: &str) -> Decimal {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0').into();
        Decimal { whole: whole.into(), fraction, exponent: read(exponent) }
    }

    /// Returns the number of digits of the exponent, at least two.
    pub(super) fn exponent_digits(&self) -> usize {
        if self.exponent.abs() < 100 { 2 } else { 3 }
    }

    /// Formats the exponent, such as `e-05`.
    pub(super) fn power(&self, n_digits: usize) -> String {
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("e{sign}{:0>n_digits$}", self.exponent.abs())
    }
}

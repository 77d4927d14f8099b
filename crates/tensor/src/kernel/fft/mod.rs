//! Discrete Fourier transforms along an axis.
//!
//! **The problem.** Lanes of any dtype and any stride are transformed into lanes of complex or real
//! numbers, which may be longer or shorter than the input.
//!
//! **The plain solution** casts the tensor, pads it, and transforms lane after lane. Here all three are
//! done lane by lane ([`lanes`]): a lane is cast directly into the output, or into a small buffer, and
//! padded with zeros there. The transforms are those of the `rustfft` and `realfft` crates ([`plans`]),
//! compiled with the feature `fft`.
//!
//! The first number of half a transform and, for an even length, the last one are real in theory. Their
//! imaginary parts are ignored, as NumPy does.

#[cfg(feature = "fft")]
mod lanes;
#[cfg(feature = "fft")]
mod plans;

#[cfg(feature = "fft")]
pub(crate) use lanes::{transform, transform_in_place};
#[cfg(feature = "fft")]
pub(crate) use plans::{forget_plans, lock_for_fork};

#[cfg(not(feature = "fft"))]
use crate::view::{AnyView, AnyViewMut, Written};

/// Which numbers are transformed into which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FftKind {
    /// Complex to complex, with the negative exponent.
    Forward,
    /// Complex to complex, with the positive exponent.
    Inverse,
    /// Real to the first `n / 2 + 1` complex numbers.
    FromReal,
    /// The first `n / 2 + 1` complex numbers to real.
    ToReal,
}

/// A transform along an axis.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "fft"), expect(dead_code, reason = "the back-end is off"))]
pub(crate) struct Transform {
    pub kind: FftKind,
    pub axis: usize,
    /// The number of points, at least 1: those on the real side of a real transform.
    pub n: usize,
    /// The factor of all results.
    pub scale: f64,
    /// Whether complex numbers are conjugated: the input of `ToReal`, the output of the others.
    pub conjugate: bool,
}

impl Transform {
    /// Returns the number of complex numbers that determine a transform of `n` real ones.
    pub(crate) fn half(&self) -> usize {
        self.n / 2 + 1
    }

    /// Returns the length of a lane of the result.
    pub(crate) fn len(&self) -> usize {
        if self.kind == FftKind::FromReal { self.half() } else { self.n }
    }

    /// Returns the cost of an element, in additions.
    #[cfg(feature = "fft")]
    fn cost(&self) -> usize {
        4 + self.n.ilog2() as usize
    }
}

/// Stands in for the back-end. Operations call `Feature::require` first.
#[cfg(not(feature = "fft"))]
pub(crate) fn transform<'x>(_: AnyViewMut<'x>, _: &AnyView<'_>, _: Transform) -> Written<'x> {
    unreachable!("the feature `fft` is off")
}

/// Stands in for the back-end. Operations call `Feature::require` first.
#[cfg(not(feature = "fft"))]
pub(crate) fn transform_in_place(_: AnyViewMut<'_>, _: Transform) {
    unreachable!("the feature `fft` is off")
}

/// Without the back-end there are no plans.
#[cfg(not(feature = "fft"))]
pub(crate) fn forget_plans() {}

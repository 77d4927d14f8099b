//! Plans of transforms, and those that were made lately.
//!
//! A plan holds the roots of unity that a length needs. To calculate them takes longer than a
//! transform does, so the last plans are kept, for both precisions apart: a few, and not of more
//! points together than one large transform has. What has not been asked for longest goes first.

use crate::Element;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::{Arc, Mutex};

/// The most plans that are kept.
const MOST: usize = 16;

/// The most points of all that are kept: 64 megabytes of `float64`, or less.
const MOST_POINTS: usize = 1 << 21;

/// What is transformed into what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Complex numbers, with the sign of the exponent of the Fourier transform.
    Forward,
    /// Complex numbers, with the other sign.
    Inverse,
    /// Real numbers into the first half of their transform.
    FromReal,
    /// The first half of a transform into real numbers.
    ToReal,
}

/// How to carry out a transform.
#[derive(Clone)]
pub(super) enum Plan<P> {
    Complex(Arc<dyn Fft<P>>),
    FromReal(Arc<dyn RealToComplex<P>>),
    ToReal(Arc<dyn ComplexToReal<P>>),
}

/// Plans, the one that was asked for last at the end.
pub(super) type Shelf<P> = Vec<(Kind, usize, Plan<P>)>;

/// The real numbers that transforms calculate in.
pub(super) trait Real: Element + FftNum {
    fn shelf() -> &'static Mutex<Shelf<Self>>;
}

impl Real for f32 {
    fn shelf() -> &'static Mutex<Shelf<f32>> {
        static SHELF: Mutex<Shelf<f32>> = Mutex::new(Vec::new());
        &SHELF
    }
}

impl Real for f64 {
    fn shelf() -> &'static Mutex<Shelf<f64>> {
        static SHELF: Mutex<Shelf<f64>> = Mutex::new(Vec::new());
        &SHELF
    }
}

/// A plan for `n` points, of which there must be at least one.
pub(super) fn plan<P: Real>(kind: Kind, n: usize) -> Plan<P> {
    // Nobody waits for the shelf: a child that was forked while it was in use would do so for ever.
    if let Ok(mut shelf) = P::shelf().try_lock()
        && let Some(at) = shelf.iter().position(|it| (it.0, it.1) == (kind, n))
    {
        let found = shelf.remove(at);
        shelf.push(found.clone());
        return found.2;
    }
    let plan = match kind {
        Kind::Forward => Plan::Complex(FftPlanner::new().plan_fft_forward(n)),
        Kind::Inverse => Plan::Complex(FftPlanner::new().plan_fft_inverse(n)),
        Kind::FromReal => Plan::FromReal(RealFftPlanner::new().plan_fft_forward(n)),
        Kind::ToReal => Plan::ToReal(RealFftPlanner::new().plan_fft_inverse(n)),
    };
    if let Ok(mut shelf) = P::shelf().try_lock() {
        shelf.push((kind, n, plan.clone()));
        let mut points: usize = shelf.iter().map(|it| it.1).sum();
        while shelf.len() > MOST || points > MOST_POINTS {
            points -= shelf.remove(0).1;
        }
    }
    plan
}

/// Frees the plans that are kept.
pub(crate) fn forget_plans() {
    fn forget<P: Real>() {
        if let Ok(mut shelf) = P::shelf().try_lock() {
            *shelf = Vec::new();
        }
    }
    forget::<f32>();
    forget::<f64>();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because there is one shelf.
    #[test]
    fn plans_are_kept_but_not_without_end() {
        let lengths = || f32::shelf().lock().unwrap().iter().map(|it| it.1).collect::<Vec<_>>();
        forget_plans();
        for n in 1..=MOST + 4 {
            plan::<f32>(Kind::Forward, n);
        }
        assert_eq!(lengths(), (5..=MOST + 4).collect::<Vec<_>>());
        plan::<f32>(Kind::Forward, 7);
        assert_eq!(lengths().last(), Some(&7), "asked for again");
        assert_eq!(lengths().len(), MOST, "and not made again");
        plan::<f32>(Kind::Inverse, MOST_POINTS / 2);
        plan::<f32>(Kind::Forward, MOST_POINTS / 2 + 64);
        assert_eq!(lengths(), [MOST_POINTS / 2 + 64], "two large ones are too much");
        forget_plans();
        assert_eq!(lengths(), [0usize; 0]);
    }
}

//! Plans of transforms, and a cache of the most recently used ones.
//!
//! A plan holds the twiddle factors for a length. Computing them takes longer than the transform, so
//! plans are cached, separately for each precision. The cache is bounded by the number of plans and by
//! the sum of their points; the least recently used plan is evicted first.

use super::FftKind;
use crate::Element;
use crate::cancel::check_memory;
use crate::fork::HeldLock;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of cached plans.
const MAX_PLANS: usize = 16;

/// The maximum sum of points of all cached plans: at most 64 MiB in double precision.
const MAX_POINTS: usize = 1 << 21;

/// A plan of one kind of transform for one length.
#[derive(Clone)]
pub(super) enum FftPlan<P> {
    Complex(Arc<dyn Fft<P>>),
    FromReal(Arc<dyn RealToComplex<P>>),
    ToReal(Arc<dyn ComplexToReal<P>>),
}

/// Cached plans, the most recently used one last.
pub(super) type PlanCache<P> = Vec<(FftKind, usize, FftPlan<P>)>;

/// The precisions of transforms: `f32` and `f64`.
pub(super) trait FftReal: Element + FftNum {
    fn cache() -> &'static Mutex<PlanCache<Self>>;
}

impl FftReal for f32 {
    fn cache() -> &'static Mutex<PlanCache<f32>> {
        static CACHE: Mutex<PlanCache<f32>> = Mutex::new(Vec::new());
        &CACHE
    }
}

impl FftReal for f64 {
    fn cache() -> &'static Mutex<PlanCache<f64>> {
        static CACHE: Mutex<PlanCache<f64>> = Mutex::new(Vec::new());
        &CACHE
    }
}

/// Returns a plan for `n ≥ 1` points, from the cache if it has one.
pub(super) fn plan<P: FftReal>(kind: FftKind, n: usize) -> FftPlan<P> {
    let mut cache = lock::<P>();
    if let Some(at) = cache.iter().position(|it| (it.0, it.1) == (kind, n)) {
        let found = cache.remove(at);
        cache.push(found.clone());
        return found.2;
    }
    drop(cache);
    // The planner allocates tables of up to four numbers for each point, and aborts if it cannot.
    check_memory::<Complex<P>>(n.saturating_mul(4));
    let plan = match kind {
        FftKind::Forward => FftPlan::Complex(FftPlanner::new().plan_fft_forward(n)),
        FftKind::Inverse => FftPlan::Complex(FftPlanner::new().plan_fft_inverse(n)),
        FftKind::FromReal => FftPlan::FromReal(RealFftPlanner::new().plan_fft_forward(n)),
        FftKind::ToReal => FftPlan::ToReal(RealFftPlanner::new().plan_fft_inverse(n)),
    };
    let mut cache = lock::<P>();
    cache.push((kind, n, plan.clone()));
    let mut points: usize = cache.iter().map(|it| it.1).sum();
    while cache.len() > MAX_PLANS || points > MAX_POINTS {
        points -= cache.remove(0).1;
    }
    plan
}

/// Frees the cached plans.
pub(crate) fn forget_plans() {
    *lock::<f32>() = Vec::new();
    *lock::<f64>() = Vec::new();
}

/// Takes the locks of the caches before a fork.
pub(crate) fn lock_for_fork() -> [Box<dyn HeldLock>; 2] {
    [Box::new(lock::<f32>()), Box::new(lock::<f64>())]
}

/// Locks a cache. Poisoning is ignored: every change of the cache is one call that does not panic.
fn lock<P: FftReal>() -> MutexGuard<'static, PlanCache<P>> {
    P::cache().lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because the cache is global.
    #[test]
    fn the_cache_of_plans_is_bounded() {
        let lengths = || f32::cache().lock().unwrap().iter().map(|it| it.1).collect::<Vec<_>>();
        forget_plans();
        for n in 1..=MAX_PLANS + 4 {
            plan::<f32>(FftKind::Forward, n);
        }
        assert_eq!(lengths(), (5..=MAX_PLANS + 4).collect::<Vec<_>>());
        plan::<f32>(FftKind::Forward, 7);
        assert_eq!(lengths().last(), Some(&7), "most recently used");
        assert_eq!(lengths().len(), MAX_PLANS, "found in the cache");
        plan::<f32>(FftKind::Inverse, MAX_POINTS / 2);
        plan::<f32>(FftKind::Forward, MAX_POINTS / 2 + 64);
        assert_eq!(lengths(), [MAX_POINTS / 2 + 64], "the bound on points evicts the other plans");
        forget_plans();
        assert_eq!(lengths(), [0usize; 0]);
    }
}

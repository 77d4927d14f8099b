//! Instruction sets: loops compiled once for each, and the choice between the copies at run time.
//!
//! A default build targets the baseline of its architecture (SSE2 on x86-64) and would leave most of the vector
//! unit idle. A [`BlockLoop`] is compiled for the baseline, for AVX2 (unless `HAS_AVX2` is `false`) and for AVX-512 (if
//! `HAS_AVX512` is `true`); [`compiled`] returns the copy for the processor that the program runs on. Everything that
//! such a loop calls must be inlined (`#[inline(always)]`): a call leads to code that is compiled for the baseline again.
//! `cargo xtask simd` counts the vector instructions of the copies.
//!
//! On AArch64 the baseline is all there is: it has NEON, vectors of 128 bits with FMA and conversions of half-precision
//! floats. `cargo xtask neon` counts its vector instructions, and runs tests of them by emulation.
//!
//! The fuzz targets (`cfg(fuzzing)`) have the copy for the baseline only: the copies of a loop differ in instructions, not
//! in the elements that they access, and each takes the compiler as long as the first.

#[cfg(target_arch = "x86_64")]
use crate::dtype::VectorFma;
use crate::dtype::{BaselineFma, MulAdd};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The instruction sets that loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Level {
    /// What every processor of the architecture has.
    Baseline = 1,
    /// 256-bit vectors with FMA and conversions of half-precision floats.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The same with 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Returns the best level of this processor, which is determined once: every body and every reducer is chosen by it.
#[inline]
pub(crate) fn level() -> Level {
    const BASELINE: u8 = Level::Baseline as u8;
    #[cfg(target_arch = "x86_64")]
    const AVX2: u8 = Level::Avx2 as u8;
    #[cfg(target_arch = "x86_64")]
    const AVX512: u8 = Level::Avx512 as u8;
    match DETECTED.load(Relaxed) {
        BASELINE => Level::Baseline,
        #[cfg(target_arch = "x86_64")]
        AVX2 => Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        AVX512 => Level::Avx512,
        _ => detect(),
    }
}

/// Whether the instruction set moves bytes within vector registers (`pshufb`, `tbl`): SSE2 does not.
#[inline]
pub(super) fn has_byte_shuffles() -> bool {
    cfg!(target_arch = "aarch64") || level() != Level::Baseline
}

/// The result of [`detect`], or 0 before its first call.
static DETECTED: AtomicU8 = AtomicU8::new(0);

#[cold]
fn detect() -> Level {
    let level = best_level();
    DETECTED.store(level as u8, Relaxed);
    level
}

fn best_level() -> Level {
    // Every feature that the AVX2 copies are compiled with: a virtual machine may hide one of them.
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("f16c")
        && std::arch::is_x86_feature_detected!("bmi2")
    {
        let is_wide = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512cd")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl");
        return if is_wide { Level::Avx512 } else { Level::Avx2 };
    }
    Level::Baseline
}

/// A loop over elements that is compiled for each instruction set.
pub(super) trait BlockLoop {
    /// What the loop works on.
    type Args<'a>;

    /// Whether there is a copy with 256-bit vectors. Not worth it for loops of calls, which are not vectorized.
    const HAS_AVX2: bool = true;

    /// Whether there is a copy with 512-bit vectors. Worth it only for loops with many arithmetic instructions per
    /// element; the others are bound by memory.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "a copy for x86-64 only"))]
    const HAS_AVX512: bool = false;

    /// Runs the loop. `M` is how this instruction set computes `a · b + c` with one rounding.
    ///
    /// Must be `#[inline(always)]`, see the module's documentation.
    ///
    /// # Safety
    /// That of the implementation, which names it.
    unsafe fn run<M: MulAdd>(args: Self::Args<'_>);
}

/// A copy of a loop for one instruction set.
///
/// # Safety
/// To call it: that of [`BlockLoop::run`].
pub(super) type Compiled<L> = for<'a> unsafe fn(<L as BlockLoop>::Args<'a>);

/// A loop over slices that is compiled for each instruction set, with many arithmetic instructions per element, and
/// written without unsafe code.
#[cfg(feature = "factorizations")]
pub(super) trait SafeLoop {
    /// What the loop works on.
    type Args<'a>;

    /// Runs the loop. Must be `#[inline(always)]`, see the module's documentation.
    fn run(args: Self::Args<'_>);
}

#[cfg(feature = "factorizations")]
impl<L: SafeLoop> BlockLoop for L {
    type Args<'a> = L::Args<'a>;

    const HAS_AVX512: bool = true;

    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(args: Self::Args<'_>) {
        <L as SafeLoop>::run(args);
    }
}

/// Runs the copy of a loop for this processor.
#[cfg(feature = "factorizations")]
pub(super) fn run_compiled<L: SafeLoop>(args: <L as SafeLoop>::Args<'_>) {
    // SAFETY: the loop has no preconditions (`SafeLoop::run` is a safe function).
    unsafe { compiled::<L>()(args) }
}

/// Returns the copy of a loop for this processor.
#[inline]
pub(super) fn compiled<L: BlockLoop>() -> Compiled<L> {
    if const { !L::HAS_AVX2 || cfg!(fuzzing) } {
        return baseline::<L>;
    }
    match level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if const { L::HAS_AVX512 } => avx512::<L>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => avx2::<L>,
        Level::Baseline => baseline::<L>,
    }
}

/// The copy of a loop for every processor, also where there is a better one.
///
/// # Safety
/// That of [`BlockLoop::run`].
pub(super) unsafe fn baseline<L: BlockLoop>(args: L::Args<'_>) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { L::run::<BaselineFma>(args) }
}

/// # Safety
/// That of [`BlockLoop::run`]; the processor must be of [`Level::Avx2`] or better.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn avx2<L: BlockLoop>(args: L::Args<'_>) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { L::run::<VectorFma<8>>(args) }
}

/// # Safety
/// That of [`BlockLoop::run`]; the processor must be of [`Level::Avx512`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi2")]
unsafe fn avx512<L: BlockLoop>(args: L::Args<'_>) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { L::run::<VectorFma<16>>(args) }
}

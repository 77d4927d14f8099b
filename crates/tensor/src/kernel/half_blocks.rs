//! Blocks of half-precision floats converted to `f32` and back, for functions that are computed in `f32`.
//!
//! The conversions of `dtype/half_floats.rs` are 10 to 20 integer instructions a vector. `float16` has instructions of its own
//! (F16C), which every processor of [`Level::Avx2`] has. They have the same bits, also for NaNs.

use super::cpu::{BlockLoop, Compiled, compiled};
use crate::Element;
use crate::dtype::MulAdd;
use std::marker::PhantomData;
#[cfg(target_arch = "x86_64")]
use {
    super::cpu::{Level, level},
    crate::DType,
    std::arch::x86_64::*,
};

/// Returns the loop that converts elements to the type that they are computed in.
#[inline]
pub(super) fn widen_loop<E: Element>() -> Compiled<WidenLoop<E>> {
    #[cfg(target_arch = "x86_64")]
    if E::DTYPE == DType::Float16 && level() != Level::Baseline {
        return widen_f16c::<E>;
    }
    compiled::<WidenLoop<E>>()
}

/// Returns the loop that converts elements back from the type that they are computed in.
#[inline]
pub(super) fn narrow_loop<E: Element>() -> Compiled<NarrowLoop<E>> {
    #[cfg(target_arch = "x86_64")]
    if E::DTYPE == DType::Float16 && level() != Level::Baseline {
        return narrow_f16c::<E>;
    }
    compiled::<NarrowLoop<E>>()
}

/// Converts contiguous elements to the type that they are computed in.
pub(super) struct WidenLoop<E>(PhantomData<E>);

impl<E: Element> BlockLoop for WidenLoop<E> {
    type Args<'a> = (*const E, *mut E::Wide, usize);

    const HAS_AVX512: bool = true;

    /// # Safety
    /// `len` elements must be readable from the first pointer on, and writable from the second on; they share no memory.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((from, to, len): Self::Args<'_>) {
        let mut i = 0;
        while i < len {
            // SAFETY: `i` is below `len`, and both pointers have `len` elements (this function's contract).
            unsafe { to.add(i).write(from.add(i).read().widen()) };
            i += 1;
        }
    }
}

/// Converts contiguous elements back from the type that they are computed in.
pub(super) struct NarrowLoop<E>(PhantomData<E>);

impl<E: Element> BlockLoop for NarrowLoop<E> {
    type Args<'a> = (*const E::Wide, *mut E, usize);

    const HAS_AVX512: bool = true;

    /// # Safety
    /// `len` elements must be readable from the first pointer on, and writable from the second on; they share no memory.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((from, to, len): Self::Args<'_>) {
        let mut i = 0;
        while i < len {
            // SAFETY: `i` is below `len`, and both pointers have `len` elements (this function's contract).
            unsafe { to.add(i).write(E::narrow(from.add(i).read())) };
            i += 1;
        }
    }
}

/// Elements of a 256-bit vector of `f32`.
#[cfg(target_arch = "x86_64")]
const LANES: usize = 8;

/// [`WidenLoop`] by instructions.
///
/// # Safety
/// - That of [`WidenLoop::run`];
/// - `E` must be `f16`;
/// - the processor must be of [`Level::Avx2`] or better.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn widen_f16c<E: Element>((from, to, len): (*const E, *mut E::Wide, usize)) {
    let mut i = 0;
    while i + LANES <= len {
        // SAFETY: elements from `i` up to `i + LANES` are in both blocks (this function's contract), `E` has the size of a
        // `u16` and `E::Wide` is `f32`; the loads and stores may be unaligned.
        unsafe {
            let halves = _mm_loadu_si128(from.add(i).cast());
            _mm256_storeu_ps(to.add(i).cast(), _mm256_cvtph_ps(halves));
        }
        i += LANES;
    }
    // SAFETY: the rest of the blocks, under the contract of this function.
    unsafe { WidenLoop::<E>::run::<crate::dtype::HardwareFma>((from.add(i), to.add(i), len - i)) }
}

/// [`NarrowLoop`] by instructions.
///
/// # Safety
/// - That of [`NarrowLoop::run`];
/// - `E` must be `f16`;
/// - the processor must be of [`Level::Avx2`] or better.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn narrow_f16c<E: Element>((from, to, len): (*const E::Wide, *mut E, usize)) {
    let mut i = 0;
    while i + LANES <= len {
        // SAFETY: elements from `i` up to `i + LANES` are in both blocks (this function's contract), `E` has the size of a
        // `u16` and `E::Wide` is `f32`; the loads and stores may be unaligned.
        unsafe {
            let singles = _mm256_loadu_ps(from.add(i).cast());
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles);
            _mm_storeu_si128(to.add(i).cast(), halves);
        }
        i += LANES;
    }
    // SAFETY: the rest of the blocks, under the contract of this function.
    unsafe { NarrowLoop::<E>::run::<crate::dtype::HardwareFma>((from.add(i), to.add(i), len - i)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn blocks_are_converted_as_single_elements_are() {
        let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        let mut wide = vec![0f32; halves.len()];
        let n = halves.len();
        // SAFETY: both vectors have `n` elements.
        unsafe { widen_loop::<f16>()((halves.as_ptr(), wide.as_mut_ptr(), n)) };
        for (half, wide) in halves.iter().zip(&wide) {
            assert_eq!(half.widen().to_bits(), wide.to_bits(), "{half}");
        }
        // Also between two halves, at their midpoints, and NaNs with all payloads of 10 bits.
        let singles: Vec<f32> = (0..0x8_0000u32 + 5)
            .flat_map(|i| [i << 13, (i << 13) + 0x1000, (i << 13) + 0x1001, (i << 13) + 0x0fff])
            .map(f32::from_bits)
            .collect();
        let n = singles.len();
        let mut narrowed = vec![f16::ZERO; n];
        // SAFETY: both vectors have `n` elements.
        unsafe { narrow_loop::<f16>()((singles.as_ptr(), narrowed.as_mut_ptr(), n)) };
        for (single, half) in singles.iter().zip(&narrowed) {
            assert_eq!(f16::narrow(*single).to_bits(), half.to_bits(), "{single:e}");
        }
    }
}

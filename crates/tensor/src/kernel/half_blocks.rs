//! Loops over half-precision floats, for functions that are computed in `f32`.
//!
//! Some elements at a time are converted to `f32`, computed by the loop for `f32`, and converted back. There are few enough for the
//! processor to convert the next ones while it computes these: the conversions of blocks of 1024 elements took as long as a
//! logarithm does.
//!
//! The conversions of `dtype/half_floats.rs` are 10 to 20 integer instructions a vector. `float16` has instructions of its own
//! (F16C, which every processor of [`Level::Avx2`](super::cpu::Level::Avx2) has; part of AArch64). They have the same bits, also for
//! NaNs.

use super::body::BlockCall;
use super::cpu::BlockLoop;
use crate::Element;
use crate::dtype::{ForHalf, MulAdd};
use half::bf16;
#[cfg(not(target_arch = "aarch64"))]
use half::f16;
#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Elements that are converted at a time: some vectors, and a multiple of the longest.
const CHUNK_ELEMENTS: usize = 64;

/// Elements as `f32`, on lines of their own.
#[repr(align(64))]
struct Singles([MaybeUninit<f32>; CHUNK_ELEMENTS]);

/// The format of half-precision floats: the context of [`HalfLoop`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HalfFormat {
    Float16,
    BFloat16,
}

/// A loop over `f32` for half-precision floats of either format, so that it is compiled once for both.
pub(super) struct HalfLoop<L, const N: usize>(PhantomData<L>);

impl<L, const N: usize> BlockLoop for HalfLoop<L, N>
where
    L: for<'a> BlockLoop<Args<'a> = BlockCall<N>>,
{
    type Args<'a> = BlockCall<N>;

    const HAS_AVX512: bool = true;

    /// # Safety
    /// - That of `Body::call` for blocks of a format, to which the context is a reference; no block is broadcast, and no input is the
    ///   output;
    /// - `L` must accept blocks of `f32` that are not broadcast, and write the whole output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<N>) {
        // SAFETY: the context is a reference to the format (this function's contract).
        let format = unsafe { *call.context.cast::<HalfFormat>() };
        let halves = call.blocks.map(<*mut u8>::cast::<u16>);
        let mut buffers = [const { Singles([const { MaybeUninit::uninit() }; _]) }; N];
        let singles = buffers.each_mut().map(|buffer| buffer.0.as_mut_ptr().cast::<f32>());
        let mut rest = [[0u16; CHUNK_ELEMENTS]; N];
        let mut first = 0;
        while first < call.len {
            let len = CHUNK_ELEMENTS.min(call.len - first);
            let is_whole = len == CHUNK_ELEMENTS;
            // SAFETY: `len` elements from `first` on are in each block; fewer than a chunk are copied to `rest`, which has room for
            // a chunk and is initialised. A buffer has room for a chunk as well. All are disjoint. The inputs are
            // initialised by `widen` before they are read, and the output by `L` (its contract) before `narrow` reads it.
            unsafe {
                let mut chunks = halves.map(|half| half.add(first));
                if !is_whole {
                    for k in 1..N {
                        rest[k].as_mut_ptr().copy_from_nonoverlapping(chunks[k], len);
                    }
                    chunks = rest.each_mut().map(|chunk| chunk.as_mut_ptr());
                }
                for k in 1..N {
                    widen::<M>(format, chunks[k], singles[k]);
                }
                let blocks = singles.map(<*mut f32>::cast::<u8>);
                L::run::<ForHalf<M>>(BlockCall {
                    blocks,
                    len: CHUNK_ELEMENTS,
                    broadcast: 0,
                    ..call
                });
                narrow::<M>(format, singles[0], chunks[0]);
                if !is_whole {
                    halves[0].add(first).copy_from_nonoverlapping(chunks[0], len);
                }
            }
            first += len;
        }
    }
}

/// Converts a chunk to `f32`.
///
/// # Safety
/// - Both pointers must have [`CHUNK_ELEMENTS`] elements, and share none;
/// - the processor must have the instructions of `M`.
#[inline(always)]
unsafe fn widen<M: MulAdd>(format: HalfFormat, from: *const u16, to: *mut f32) {
    // SAFETY: forwarded: same contract as this function. 8 lanes are F16C, and 16 are AVX-512.
    unsafe {
        match (format, M::HALF_LANES) {
            (HalfFormat::BFloat16, _) => each(from.cast::<bf16>(), to, bf16::widen),
            #[cfg(target_arch = "x86_64")]
            (_, 8) => widen_f16c(from, to),
            #[cfg(target_arch = "x86_64")]
            (_, 16) => widen_avx512(from, to),
            #[cfg(target_arch = "aarch64")]
            (HalfFormat::Float16, _) => widen_neon(from, to),
            #[cfg(not(target_arch = "aarch64"))]
            _ => each(from.cast::<f16>(), to, f16::widen),
        }
    }
}

/// Converts a chunk back from `f32`.
///
/// # Safety
/// That of [`widen`].
#[inline(always)]
unsafe fn narrow<M: MulAdd>(format: HalfFormat, from: *const f32, to: *mut u16) {
    // SAFETY: forwarded: same contract as this function. 8 lanes are F16C, and 16 are AVX-512.
    unsafe {
        match (format, M::HALF_LANES) {
            (HalfFormat::BFloat16, _) => each(from, to.cast::<bf16>(), bf16::narrow),
            #[cfg(target_arch = "x86_64")]
            (_, 8) => narrow_f16c(from, to),
            #[cfg(target_arch = "x86_64")]
            (_, 16) => narrow_avx512(from, to),
            #[cfg(target_arch = "aarch64")]
            (HalfFormat::Float16, _) => narrow_neon(from, to),
            #[cfg(not(target_arch = "aarch64"))]
            _ => each(from, to.cast::<f16>(), f16::narrow),
        }
    }
}

/// Converts each element of a chunk by a function.
///
/// # Safety
/// Both pointers must have [`CHUNK_ELEMENTS`] elements, and share none.
#[inline(always)]
unsafe fn each<A, O>(from: *const A, to: *mut O, f: impl Fn(A) -> O) {
    let mut i = 0;
    while i < CHUNK_ELEMENTS {
        // SAFETY: `i` is below the length of both (this function's contract).
        unsafe { to.add(i).write(f(from.add(i).read())) };
        i += 1;
    }
}

/// # Safety
/// That of [`each`]; the processor must have F16C.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn widen_f16c(from: *const u16, to: *mut f32) {
    for i in (0..CHUNK_ELEMENTS).step_by(8) {
        // SAFETY: 8 elements from `i` on are in the chunk (this function's contract); loads and stores may be unaligned.
        unsafe {
            _mm256_storeu_ps(to.add(i), _mm256_cvtph_ps(_mm_loadu_si128(from.add(i).cast())))
        };
    }
}

/// # Safety
/// That of [`each`]; the processor must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn widen_avx512(from: *const u16, to: *mut f32) {
    for i in (0..CHUNK_ELEMENTS).step_by(16) {
        // SAFETY: 16 elements from `i` on are in the chunk (this function's contract); loads and stores may be unaligned.
        unsafe {
            _mm512_storeu_ps(to.add(i), _mm512_cvtph_ps(_mm256_loadu_si256(from.add(i).cast())));
        }
    }
}

/// # Safety
/// That of [`each`]; the processor must have F16C.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn narrow_f16c(from: *const f32, to: *mut u16) {
    for i in (0..CHUNK_ELEMENTS).step_by(8) {
        // SAFETY: 8 elements from `i` on are in the chunk (this function's contract); loads and stores may be unaligned.
        unsafe {
            let singles = _mm256_loadu_ps(from.add(i));
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles);
            _mm_storeu_si128(to.add(i).cast(), halves);
        }
    }
}

/// # Safety
/// That of [`each`]; the processor must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn narrow_avx512(from: *const f32, to: *mut u16) {
    for i in (0..CHUNK_ELEMENTS).step_by(16) {
        // SAFETY: 16 elements from `i` on are in the chunk (this function's contract); loads and stores may be unaligned.
        unsafe {
            let singles = _mm512_loadu_ps(from.add(i));
            let halves = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles);
            _mm256_storeu_si256(to.add(i).cast(), halves);
        }
    }
}

/// # Safety
/// That of [`each`].
#[cfg(target_arch = "aarch64")]
#[inline]
#[target_feature(enable = "neon")]
unsafe fn widen_neon(from: *const u16, to: *mut f32) {
    for i in (0..CHUNK_ELEMENTS).step_by(4) {
        // SAFETY: 4 elements from `i` on are in the chunk (this function's contract); loads and stores are aligned to elements.
        unsafe {
            let halves = vreinterpret_f16_u16(vld1_u16(from.add(i)));
            vst1q_f32(to.add(i), vcvt_f32_f16(halves));
        }
    }
}

/// # Safety
/// That of [`each`].
#[cfg(target_arch = "aarch64")]
#[inline]
#[target_feature(enable = "neon")]
unsafe fn narrow_neon(from: *const f32, to: *mut u16) {
    for i in (0..CHUNK_ELEMENTS).step_by(4) {
        // SAFETY: 4 elements from `i` on are in the chunk (this function's contract); loads and stores are aligned to elements.
        unsafe {
            let halves = vcvt_f16_f32(vld1q_f32(from.add(i)));
            vst1_u16(to.add(i), vreinterpret_u16_f16(halves));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::BaselineFma;
    #[cfg(target_arch = "aarch64")]
    use half::f16;
    #[cfg(target_arch = "x86_64")]
    use {
        super::super::cpu::{Level, level},
        crate::dtype::VectorFma,
    };

    /// Compares the conversions of chunks with those of single elements, for instructions that the processor has.
    fn assert_same_bits<M: MulAdd>() {
        for format in [HalfFormat::Float16, HalfFormat::BFloat16] {
            let widened = |half: u16| match format {
                HalfFormat::Float16 => f16::from_bits(half).widen(),
                HalfFormat::BFloat16 => bf16::from_bits(half).widen(),
            };
            let narrowed = |single: f32| match format {
                HalfFormat::Float16 => f16::narrow(single).to_bits(),
                HalfFormat::BFloat16 => bf16::narrow(single).to_bits(),
            };
            for first in (0..=u16::MAX).step_by(CHUNK_ELEMENTS) {
                let halves: [u16; CHUNK_ELEMENTS] = std::array::from_fn(|i| first + i as u16);
                let mut wide = [0f32; CHUNK_ELEMENTS];
                // SAFETY: both are chunks; the caller names the instructions of this processor.
                unsafe { widen::<M>(format, halves.as_ptr(), wide.as_mut_ptr()) };
                for (half, wide) in halves.into_iter().zip(wide) {
                    assert_eq!(widened(half).to_bits(), wide.to_bits(), "{half:#x}");
                }
            }
            // Also between two halves, at their midpoints, and NaNs with all payloads of 10 bits.
            let singles: Vec<f32> = (0..0x8_0000u32)
                .flat_map(|i| [i << 13, (i << 13) + 0x1000, (i << 13) + 0x1001, (i << 13) + 0x0fff])
                .map(f32::from_bits)
                .collect();
            for singles in singles.as_chunks::<CHUNK_ELEMENTS>().0 {
                let mut halves = [0; CHUNK_ELEMENTS];
                // SAFETY: as above.
                unsafe { narrow::<M>(format, singles.as_ptr(), halves.as_mut_ptr()) };
                for (single, half) in singles.iter().zip(halves) {
                    assert_eq!(narrowed(*single), half, "{single:e}");
                }
            }
        }
    }

    #[test]
    fn chunks_are_converted_as_single_elements_are() {
        assert_same_bits::<BaselineFma>();
        #[cfg(target_arch = "x86_64")]
        if level() != Level::Baseline {
            assert_same_bits::<VectorFma<8>>();
        }
        #[cfg(target_arch = "x86_64")]
        if level() == Level::Avx512 {
            assert_same_bits::<VectorFma<16>>();
        }
    }
}

//! Rows written with streaming (non-temporal) stores, and short copies of bytes.
//!
//! A line that is written for the first time is fetched before, unless the whole of it is written with
//! streaming stores, which bypass the cache. That saves a third of the traffic of a large copy, but the next
//! read of the line goes to memory, so it is for outputs that would not stay in the cache in any case.

use super::cpu::Level;
use super::prefetch::Prefetcher;
use crate::plan::{CACHE_LINE_BYTES, LINE_GROUP_BYTES};
use std::mem::MaybeUninit;

/// Outputs of at least this size are written with streaming stores: more than the private caches of a core.
/// Transposed copies are faster this way from here on, even if both sides are in the shared cache.
pub(super) const STREAMING_MIN_BYTES: usize = 2 << 20;

/// Orders this thread's streaming stores before all of its later stores, and so makes them visible to threads
/// that synchronize with it.
pub(super) fn fence_streaming_stores() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE, which has the instruction, is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}

/// Rows of the same number of bytes on both sides. Steps are in bytes.
#[derive(Clone, Copy)]
pub(super) struct StreamedRows {
    pub out: *mut u8,
    pub out_step: isize,
    pub source: *const u8,
    pub source_step: isize,
    pub n: usize,
    pub len: usize,
    /// Whether the tail of the previous tile's rows, less than a line, is stored in front of the source's
    /// rows and is to be written with them; and whether the tail of these rows is to be stored there instead
    /// of being written. Each row of the source has room for a line in front of it then.
    pub joined: [bool; 2],
}

impl StreamedRows {
    /// Copies the rows, whole lines of them with streaming stores, and prefetches other memory meanwhile.
    ///
    /// # Safety
    /// - All bytes of the rows must be readable in the source and writable in the output, and the two sides
    ///   share none; so must those of the joined tail;
    /// - if rows are joined, the source must be writable, and so must a line in front of each row;
    /// - this thread must call `fence_streaming_stores` before the output is read or another thread is told
    ///   of it;
    /// - the processor must support `level`.
    pub(super) unsafe fn copy(self, level: Level, ahead: &mut Prefetcher<'_>) {
        // SAFETY: forwarded: same contract as this function; the level names the instructions.
        unsafe {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => copy_avx512(self, ahead),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => copy_avx2(self, ahead),
                Level::Baseline => self.copy_with::<BaselineStores>(ahead),
            }
        }
    }

    /// Few values are live in the loops, so that they stay in registers: the out-of-order window then covers
    /// enough loads to keep memory busy, which makes a difference of a half.
    ///
    /// # Safety
    /// The contract of `copy`, on a processor that has the instructions of `S`.
    #[inline(always)]
    unsafe fn copy_with<S: LineStore>(self, ahead: &mut Prefetcher<'_>) {
        let StreamedRows { out, out_step, source, source_step, n, len, joined } = self;
        let [before, after] = joined.map(|it| if it { CACHE_LINE_BYTES - 1 } else { 0 });
        for r in 0..n as isize {
            // SAFETY: the row and the tail of the previous one are contiguous in the output; both are inside
            // the source's row and the line in front of it.
            unsafe {
                let (out, source) = (out.offset(r * out_step), source.offset(r * source_step));
                let (before, after) = (out.addr() & before, (out.addr() + len) & after);
                copy_row_with::<S>(
                    out.sub(before),
                    source.sub(before),
                    before + len - after,
                    ahead,
                );
                if after > 0 {
                    type Line = MaybeUninit<[u8; CACHE_LINE_BYTES]>;
                    let last =
                        source.add(len).sub(CACHE_LINE_BYTES).cast::<Line>().read_unaligned();
                    source.sub(CACHE_LINE_BYTES).cast_mut().cast::<Line>().write_unaligned(last);
                }
            }
        }
    }
}

/// # Safety
/// The contract of `StreamedRows::copy` for one row, on a processor that has the instructions of `S`.
#[inline(always)]
unsafe fn copy_row_with<S: LineStore>(
    out: *mut u8,
    source: *const u8,
    len: usize,
    ahead: &mut Prefetcher<'_>,
) {
    let (mut to, mut from) = (out, source);
    let head = (to.addr().wrapping_neg() % CACHE_LINE_BYTES).min(len);
    // SAFETY: head, lines and tail are inside the row, and together they are all of it; `to` is aligned to
    // lines after the head.
    unsafe {
        if head > 0 {
            copy_bytes(to, from, head);
            (to, from) = (to.add(head), from.add(head));
        }
        let mut lines = (len - head) / CACHE_LINE_BYTES;
        let tail = (len - head) % CACHE_LINE_BYTES;
        while lines > 0 {
            ahead.request_part();
            let now = lines.min(LINE_GROUP_BYTES / CACHE_LINE_BYTES);
            for _ in 0..now {
                S::store_line(to, from);
                (to, from) = (to.add(CACHE_LINE_BYTES), from.add(CACHE_LINE_BYTES));
            }
            lines -= now;
        }
        if tail > 0 {
            copy_bytes(to, from, tail);
        }
    }
}

/// # Safety
/// The contract of `StreamedRows::copy`, on a processor with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn copy_avx512(rows: StreamedRows, ahead: &mut Prefetcher<'_>) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { rows.copy_with::<Avx512Stores>(ahead) }
}

/// # Safety
/// The contract of `StreamedRows::copy`, on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn copy_avx2(rows: StreamedRows, ahead: &mut Prefetcher<'_>) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { rows.copy_with::<Avx2Stores>(ahead) }
}

/// How one instruction set writes a line with streaming stores.
trait LineStore {
    /// Copies a line.
    ///
    /// # Safety
    /// A line must be readable at `source` and writable at `out`, which must be aligned to lines; the
    /// processor must have the instructions.
    unsafe fn store_line(out: *mut u8, source: *const u8);
}

/// Streaming stores that every processor of the architecture has; regular ones where there are none.
struct BaselineStores;

impl LineStore for BaselineStores {
    #[inline(always)]
    unsafe fn store_line(out: *mut u8, source: *const u8) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the four parts are the line; SSE2 is part of x86-64.
        unsafe {
            use std::arch::x86_64::*;
            for at in [0, 16, 32, 48] {
                _mm_stream_si128(out.add(at).cast(), _mm_loadu_si128(source.add(at).cast()));
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: the line is readable and writable, as the caller guarantees.
        unsafe {
            out.copy_from_nonoverlapping(source, CACHE_LINE_BYTES)
        }
    }
}

/// Streaming stores of 32 bytes.
#[cfg(target_arch = "x86_64")]
struct Avx2Stores;

#[cfg(target_arch = "x86_64")]
impl LineStore for Avx2Stores {
    #[inline(always)]
    unsafe fn store_line(out: *mut u8, source: *const u8) {
        use std::arch::x86_64::*;
        for at in [0, 32] {
            // SAFETY: both halves are inside the line, and the caller guarantees the instructions.
            unsafe {
                _mm256_stream_si256(out.add(at).cast(), _mm256_loadu_si256(source.add(at).cast()));
            }
        }
    }
}

/// Streaming stores of a whole line.
#[cfg(target_arch = "x86_64")]
struct Avx512Stores;

#[cfg(target_arch = "x86_64")]
impl LineStore for Avx512Stores {
    #[inline(always)]
    unsafe fn store_line(out: *mut u8, source: *const u8) {
        use std::arch::x86_64::*;
        // SAFETY: the line is readable and writable, and the caller guarantees the instructions.
        unsafe { _mm512_stream_si512(out.cast(), _mm512_loadu_si512(source.cast())) };
    }
}

/// Copies bytes, without a call if there are less than 512.
///
/// # Safety
/// `len` bytes must be readable at `source` and writable at `out`, and the two must share none.
#[inline(always)]
pub(super) unsafe fn copy_bytes(out: *mut u8, source: *const u8, len: usize) {
    type Part = [u8; 16];
    // SAFETY: each part is inside the `len` bytes, and so are both ends where `len` is at least the size of one. The
    // last part may overlap the one before it.
    unsafe {
        let part = |at: usize| {
            out.add(at)
                .cast::<Part>()
                .write_unaligned(source.add(at).cast::<Part>().read_unaligned());
        };
        match len {
            0 => {}
            1 => out.write(source.read()),
            2..4 => copy_ends::<u16>(out, source, len),
            4..8 => copy_ends::<u32>(out, source, len),
            8..16 => copy_ends::<u64>(out, source, len),
            16..512 => {
                for at in (0..len - 15).step_by(16) {
                    part(at);
                }
                part(len - 16);
            }
            _ => out.copy_from_nonoverlapping(source, len),
        }
    }
}

/// Copies the first and the last `size_of::<P>()` bytes, which may overlap.
///
/// # Safety
/// The contract of `copy_bytes`, for at least as many bytes as a `P` has.
#[inline(always)]
unsafe fn copy_ends<P>(out: *mut u8, source: *const u8, len: usize) {
    let last = len - size_of::<P>();
    // SAFETY: both parts are inside the `len` bytes.
    unsafe {
        let parts = [0, last].map(|at| source.add(at).cast::<P>().read_unaligned());
        for (at, part) in [0, last].into_iter().zip(parts) {
            out.add(at).cast::<P>().write_unaligned(part);
        }
    }
}

//! Software prefetching of cache lines that the hardware prefetcher does not predict.
//!
//! Lines that are far apart are not predicted. Prefetching them while other work is done hides the latency
//! of memory.

use crate::plan::{CACHE_LINE_BYTES, LINE_GROUP_BYTES};

/// Groups of lines that are requested for one tile. If there are more, the rest is fetched on demand.
const MAX_GROUPS: usize = 768;

/// The groups of cache lines that a tile of some shape reads, as offsets from its first byte.
///
/// The offsets are computed before the stores of the previous tile begin: any store that is issued while
/// streaming stores are under way has to queue behind them.
pub(super) struct PrefetchList {
    offsets: [isize; MAX_GROUPS],
    len: usize,
    /// Lines of a group.
    lines: usize,
}

/// Blocks at a stride: their number, and the stride in bytes.
pub(super) type StridedBlocks = (usize, isize);

impl PrefetchList {
    pub(super) fn new() -> PrefetchList {
        PrefetchList { offsets: [0; MAX_GROUPS], len: 0, lines: 0 }
    }

    /// Lists blocks of `block` bytes: the first is `first` bytes after `at`, the others are where the loops,
    /// innermost first, lead to from there.
    pub(super) fn set(
        &mut self,
        at: *const u8,
        first: isize,
        block: usize,
        loops: [StridedBlocks; 3],
    ) {
        let before = at.wrapping_offset(first).addr() % CACHE_LINE_BYTES;
        let is_aligned =
            loops.iter().all(|it| it.1.unsigned_abs().is_multiple_of(CACHE_LINE_BYTES));
        let max_before = if is_aligned { before } else { CACHE_LINE_BYTES - 1 };
        self.lines = (max_before + block.min(LINE_GROUP_BYTES)).div_ceil(CACHE_LINE_BYTES);
        self.len = 0;
        let [a, b, c] = loops;
        for i in 0..c.0 as isize {
            for k in 0..b.0 as isize {
                for l in 0..a.0 as isize {
                    for part in (0..block).step_by(LINE_GROUP_BYTES) {
                        if self.len == MAX_GROUPS {
                            return;
                        }
                        let at = i * c.1 + k * b.1 + l * a.1 + first - before as isize;
                        self.offsets[self.len] = at + part as isize;
                        self.len += 1;
                    }
                }
            }
        }
    }

    /// Returns a prefetcher for a tile at `at`, whose groups are requested in `times` parts.
    pub(super) fn at(&self, at: *const u8, times: usize) -> Prefetcher<'_> {
        let part = self.len.div_ceil(times.max(1));
        Prefetcher { at, offsets: &self.offsets[..self.len], part, lines: self.lines }
    }
}

/// The groups of lines that are yet to be requested.
pub(super) struct Prefetcher<'a> {
    at: *const u8,
    offsets: &'a [isize],
    part: usize,
    lines: usize,
}

impl Prefetcher<'_> {
    /// Returns a prefetcher that requests nothing.
    pub(super) fn none() -> Prefetcher<'static> {
        Prefetcher { at: std::ptr::null(), offsets: &[], part: 0, lines: 0 }
    }

    /// Requests the next part of the groups.
    #[inline(always)]
    pub(super) fn request_part(&mut self) {
        let (now, later) = self.offsets.split_at(self.part.min(self.offsets.len()));
        for &offset in now {
            let mut at = self.at.wrapping_offset(offset);
            for _ in 0..self.lines {
                prefetch(at);
                at = at.wrapping_add(CACHE_LINE_BYTES);
            }
        }
        self.offsets = later;
    }
}

/// Prefetches a line into the second-level cache: the sets of the first level hold few lines that are a power
/// of two bytes apart. The address need not be valid.
#[inline(always)]
pub(super) fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint that reads nothing and does not fault, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(at.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above. The intrinsic is unstable.
    unsafe {
        std::arch::asm!("prfm pldl2keep, [{}]", in(reg) at, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}

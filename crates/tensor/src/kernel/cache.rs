//! What the cache is told: lines that will be needed, and lines that it need not keep.
//!
//! A line that is written for the first time is fetched before, unless the whole of it is written past
//! the cache (a streaming store). That saves a third of the traffic of a large copy, but whoever reads
//! it next has to wait for memory, so it is for outputs that would not stay in the cache anyway.
//!
//! Where lines are far apart, the processor does not guess which comes next. Asking for them while
//! something else is being done takes the wait away.

use super::cpu::Level;
use crate::plan::{CACHE_LINE, STRETCH};
use std::mem::MaybeUninit;

/// Outputs of as many bytes are written past the cache: more than a core has for itself. Transposed copies
/// are faster so from here on, also if both sides are in the cache that all cores share.
pub(super) const STREAMED: usize = 2 << 20;

/// Makes what this thread has streamed visible to whoever comes next.
pub(super) fn finish_streaming() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this family has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}

/// Rows of as many bytes on both sides. Steps are in bytes.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub out: *mut u8,
    pub out_step: isize,
    pub source: *const u8,
    pub source_step: isize,
    pub n: usize,
    pub len: usize,
    /// Whether what was left over of the rows before these lies in front of the source's, and whether what
    /// is no whole line at the end of a row is to be left over in the same place: there is room for a
    /// line then.
    pub joined: [bool; 2],
}

impl Rows {
    /// Copies the rows, whole lines of them past the cache, and asks for others meanwhile.
    ///
    /// # Safety
    /// All bytes of the rows must be readable and writable, and the two sides share none; if rows are
    /// joined, the source must be writable, too. Before what was written is read, or another thread is told
    /// of it, this thread must call `finish_streaming`. The processor must be of the level at least.
    pub(super) unsafe fn stream(self, level: Level, soon: &mut Soon<'_>) {
        // SAFETY: the caller's promises.
        unsafe {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => rows_avx512(self, soon),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => rows_avx2(self, soon),
                Level::Baseline => self.copy::<Plain>(soon),
            }
        }
    }

    /// Few values are alive in the loops, so that they stay in registers: the processor looks far enough
    /// ahead then to keep memory busy, which makes a difference of a half.
    ///
    /// # Safety
    /// That of `Rows::stream`, on a processor that has the instructions.
    #[inline(always)]
    unsafe fn copy<W: Width>(self, soon: &mut Soon<'_>) {
        let Rows { out, out_step, source, source_step, n, len, joined } = self;
        let [before, after] = joined.map(|it| if it { CACHE_LINE - 1 } else { 0 });
        for r in 0..n as isize {
            // SAFETY: the row and what is left over of the one before it are blocks of the output.
            unsafe {
                let (out, source) = (out.offset(r * out_step), source.offset(r * source_step));
                let (before, after) = (out.addr() & before, (out.addr() + len) & after);
                row::<W>(out.sub(before), source.sub(before), before + len - after, soon);
                if after > 0 {
                    type Line = MaybeUninit<[u8; CACHE_LINE]>;
                    let last = source.add(len).sub(CACHE_LINE).cast::<Line>().read_unaligned();
                    source.sub(CACHE_LINE).cast_mut().cast::<Line>().write_unaligned(last);
                }
            }
        }
    }
}

/// # Safety
/// That of `Rows::stream` for one row, on a processor that has the instructions.
#[inline(always)]
unsafe fn row<W: Width>(out: *mut u8, source: *const u8, len: usize, soon: &mut Soon<'_>) {
    let (mut to, mut from) = (out, source);
    let head = (to.addr().wrapping_neg() % CACHE_LINE).min(len);
    // SAFETY: each part lies inside of the row, and together they are all of it; the middle one is whole
    // lines.
    unsafe {
        if head > 0 {
            short(to, from, head);
            (to, from) = (to.add(head), from.add(head));
        }
        let mut lines = (len - head) / CACHE_LINE;
        let tail = (len - head) % CACHE_LINE;
        while lines > 0 {
            soon.ask();
            let now = lines.min(STRETCH / CACHE_LINE);
            for _ in 0..now {
                W::line(to, from);
                (to, from) = (to.add(CACHE_LINE), from.add(CACHE_LINE));
            }
            lines -= now;
        }
        if tail > 0 {
            short(to, from, tail);
        }
    }
}

/// # Safety
/// That of `Rows::stream`, on a processor with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn rows_avx512(rows: Rows, soon: &mut Soon<'_>) {
    // SAFETY: the caller's promises.
    unsafe { rows.copy::<Avx512>(soon) }
}

/// # Safety
/// That of `Rows::stream`, on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn rows_avx2(rows: Rows, soon: &mut Soon<'_>) {
    // SAFETY: the caller's promises.
    unsafe { rows.copy::<Avx2>(soon) }
}

/// How a line is written past the cache.
trait Width {
    /// # Safety
    /// A line must be readable and writable, and the output be aligned to lines, on a processor that has the
    /// instructions.
    unsafe fn line(out: *mut u8, source: *const u8);
}

/// With what every processor of the family has.
struct Plain;

impl Width for Plain {
    #[inline(always)]
    unsafe fn line(out: *mut u8, source: *const u8) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise; every processor of this family has the instructions.
        unsafe {
            use std::arch::x86_64::*;
            for at in [0, 16, 32, 48] {
                _mm_stream_si128(out.add(at).cast(), _mm_loadu_si128(source.add(at).cast()));
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: the caller's promise.
        unsafe {
            out.copy_from_nonoverlapping(source, CACHE_LINE)
        }
    }
}

/// Two registers a line.
#[cfg(target_arch = "x86_64")]
struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Width for Avx2 {
    #[inline(always)]
    unsafe fn line(out: *mut u8, source: *const u8) {
        use std::arch::x86_64::*;
        for at in [0, 32] {
            // SAFETY: the caller's promise.
            unsafe {
                _mm256_stream_si256(out.add(at).cast(), _mm256_loadu_si256(source.add(at).cast()));
            }
        }
    }
}

/// One register a line.
#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Width for Avx512 {
    #[inline(always)]
    unsafe fn line(out: *mut u8, source: *const u8) {
        use std::arch::x86_64::*;
        // SAFETY: the caller's promise.
        unsafe { _mm512_stream_si512(out.cast(), _mm512_loadu_si512(source.cast())) };
    }
}

/// Copies some bytes, without a call if they are few.
///
/// # Safety
/// So many bytes must be readable and writable, and the two share none.
#[inline(always)]
pub(super) unsafe fn short(out: *mut u8, source: *const u8, len: usize) {
    type Part = [u8; 16];
    // SAFETY: each part lies inside of the bytes. The last one may cover some that were copied already.
    unsafe {
        let part = |at: usize| {
            out.add(at)
                .cast::<Part>()
                .write_unaligned(source.add(at).cast::<Part>().read_unaligned());
        };
        match len {
            0..16 => few(out, source, len),
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

/// # Safety
/// That of `short`, for less than 16 bytes.
#[inline(always)]
unsafe fn few(out: *mut u8, source: *const u8, len: usize) {
    // SAFETY: each part lies inside of the bytes, and the two parts cover them.
    unsafe {
        match len {
            8.. => two::<u64>(out, source, len),
            4.. => two::<u32>(out, source, len),
            2.. => two::<u16>(out, source, len),
            1 => out.write(source.read()),
            0 => {}
        }
    }
}

/// The first and the last of some bytes.
///
/// # Safety
/// That of `short`, for at least as many bytes as a `P` has.
#[inline(always)]
unsafe fn two<P>(out: *mut u8, source: *const u8, len: usize) {
    let last = len - size_of::<P>();
    // SAFETY: the caller's promise.
    unsafe {
        let parts = [0, last].map(|at| source.add(at).cast::<P>().read_unaligned());
        for (at, part) in [0, last].into_iter().zip(parts) {
            out.add(at).cast::<P>().write_unaligned(part);
        }
    }
}

/// Stretches of memory that will be read soon, asked for a few at a time.
///
/// Where they begin is written down beforehand: whatever is written while streaming stores are under way
/// has to queue behind them.
pub(super) struct Ahead {
    offsets: [isize; MOST_STRETCHES],
    len: usize,
    /// Lines of a stretch.
    lines: usize,
}

/// Stretches that are asked for. If there are more, the rest comes when it is needed.
const MOST_STRETCHES: usize = 768;

impl Ahead {
    pub(super) fn nothing() -> Ahead {
        Ahead { offsets: [0; MOST_STRETCHES], len: 0, lines: 0 }
    }

    /// Blocks of so many bytes, at the places that loops of so many turns and steps lead to, innermost
    /// first, the first of them at a distance from where the source begins.
    pub(super) fn set(
        &mut self,
        at: *const u8,
        first: isize,
        block: usize,
        loops: [(usize, isize); 3],
    ) {
        let before = at.wrapping_offset(first).addr() % CACHE_LINE;
        let is_lined = loops.iter().all(|it| it.1.unsigned_abs().is_multiple_of(CACHE_LINE));
        let most = if is_lined { before } else { CACHE_LINE - 1 };
        self.lines = (most + block.min(STRETCH)).div_ceil(CACHE_LINE);
        self.len = 0;
        let [a, b, c] = loops;
        for i in 0..c.0 as isize {
            for k in 0..b.0 as isize {
                for l in 0..a.0 as isize {
                    for part in (0..block).step_by(STRETCH) {
                        if self.len == MOST_STRETCHES {
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

    /// The same, seen from where their source begins, to be asked for so many times.
    pub(super) fn soon(&self, at: *const u8, times: usize) -> Soon<'_> {
        let part = self.len.div_ceil(times.max(1));
        Soon { at, offsets: &self.offsets[..self.len], part, lines: self.lines }
    }
}

/// What is yet to be asked for.
pub(super) struct Soon<'a> {
    at: *const u8,
    offsets: &'a [isize],
    part: usize,
    lines: usize,
}

impl Soon<'_> {
    /// Nothing.
    pub(super) fn nothing() -> Soon<'static> {
        Soon { at: std::ptr::null(), offsets: &[], part: 0, lines: 0 }
    }

    /// Asks for some stretches.
    #[inline(always)]
    fn ask(&mut self) {
        let (now, later) = self.offsets.split_at(self.part.min(self.offsets.len()));
        for &offset in now {
            let mut at = self.at.wrapping_offset(offset);
            for _ in 0..self.lines {
                fetch(at);
                at = at.wrapping_add(CACHE_LINE);
            }
        }
        self.offsets = later;
    }
}

/// Asks for a line, into the second-level cache: in the first one there is no room for many that are
/// powers of two apart. Any address will do.
#[inline(always)]
pub(super) fn fetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint reads nothing, and does not fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

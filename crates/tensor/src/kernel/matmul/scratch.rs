//! The memory of a tile kernel: buffers that operands are packed into.
//!
//! A product of several tiles allocates the buffers of all threads for its largest tile, before the first tile is written:
//! without enough memory the output is unchanged. A kernel that computes a single tile allocates them itself, before it
//! writes.

use crate::cancel::{check_memory, extend_scratch, scratch};
use std::mem::{self, MaybeUninit};

/// The memory that a kernel needs for a tile, in bytes. A tile of the same strides with fewer rows or columns needs at
/// most as much.
#[derive(Clone, Copy, Default)]
pub(super) struct TileMemory {
    /// The buffers of the kernel: the sum of [`buffer_bytes`] of each.
    pub own: usize,
    /// The buffers that `gemm` allocates, which aborts if it cannot.
    pub foreign: usize,
}

/// The unit of allocation, which is aligned for every dtype.
type ScratchUnit = [u64; 2];

/// Returns the bytes that a buffer of `n` elements takes up in a [`TileScratch`].
#[inline(always)]
pub(super) fn buffer_bytes<T>(n: usize) -> usize {
    n.saturating_mul(size_of::<T>()).div_ceil(size_of::<ScratchUnit>()) * size_of::<ScratchUnit>()
}

/// The memory of a thread, reused from tile to tile.
pub(super) struct TileScratch {
    /// The capacity of a vector, which stays empty.
    memory: Vec<ScratchUnit>,
    /// The bytes that `gemm` can allocate.
    checked_bytes: usize,
}

impl TileScratch {
    /// Returns scratch memory that is allocated when it is needed.
    #[inline(always)]
    pub(super) fn new() -> TileScratch {
        TileScratch { memory: Vec::new(), checked_bytes: 0 }
    }

    /// Checks that `n_threads` threads can allocate `needed` at once. Returns a function that makes the scratch memory of
    /// each.
    pub(super) fn for_threads(needed: TileMemory, n_threads: usize) -> impl Fn() -> TileScratch {
        let TileMemory { own, foreign } = needed;
        if foreign > 0 {
            check_memory::<u8>(own.saturating_add(foreign).saturating_mul(n_threads));
        }
        move || TileScratch {
            memory: scratch(own.div_ceil(size_of::<ScratchUnit>())),
            checked_bytes: foreign,
        }
    }

    /// Allocates what is missing of `needed`, and returns the memory to be divided into buffers. Without enough memory it
    /// cancels the kernel, which has written nothing yet.
    #[inline(always)]
    pub(super) fn buffers_for(&mut self, needed: TileMemory) -> ScratchBuffers<'_> {
        extend_scratch(&mut self.memory, needed.own.div_ceil(size_of::<ScratchUnit>()));
        if needed.foreign > self.checked_bytes {
            check_memory::<u8>(needed.foreign);
            self.checked_bytes = needed.foreign;
        }
        ScratchBuffers { left: self.memory.spare_capacity_mut() }
    }
}

/// The part of a [`TileScratch`] that has not been divided into buffers yet.
pub(super) struct ScratchBuffers<'s> {
    left: &'s mut [MaybeUninit<ScratchUnit>],
}

impl ScratchBuffers<'_> {
    /// Returns a buffer of `n` elements, which are not initialised: writable while the scratch memory is borrowed.
    ///
    /// # Panics
    /// If less memory is left.
    #[inline(always)]
    pub(super) fn take<T>(&mut self, n: usize) -> *mut T {
        const { assert!(align_of::<T>() <= align_of::<ScratchUnit>()) };
        let n_units = buffer_bytes::<T>(n) / size_of::<ScratchUnit>();
        let (buffer, left) = mem::take(&mut self.left).split_at_mut(n_units);
        self.left = left;
        buffer.as_mut_ptr().cast()
    }
}

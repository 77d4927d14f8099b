//! A piece of memory of our own.

use super::recycle;
use crate::Error;
use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// A cache line, and the widest vector register: no row that begins at the start of a block
/// straddles one.
pub(super) const ALIGN: usize = 64;

/// The size of the system's huge pages.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Blocks of at least this many bytes are aligned to huge pages, ask for them, and are kept when they
/// are freed: from here on page faults cost more than everything else about an allocation.
pub(super) const LARGE: usize = 1 << 20;

/// What allocators align to without being asked. More than that takes them as long as several small
/// allocations, so blocks that are not large are aligned here.
const EASY_ALIGN: usize = 16;

/// Bytes from the allocator, aligned.
///
/// Invariant: `base` came from the global allocator with the layout of `capacity` (`layout_of`) and is
/// owned, and from `ptr` on `capacity` bytes lie in it; or `capacity` is 0 and both dangle.
pub(super) struct Block {
    base: NonNull<u8>,
    ptr: NonNull<u8>,
    len: usize,
    capacity: usize,
}

// SAFETY: a block owns its memory.
unsafe impl Send for Block {}
// SAFETY: a block by itself gives no access to its memory.
unsafe impl Sync for Block {}

impl Block {
    /// So many bytes, all zero.
    pub(super) fn zeroed(len: usize) -> Result<Block, Error> {
        if len >= LARGE
            && let Some(mut block) = recycle::take(rounded(len))
        {
            // SAFETY: the block is ours, and its capacity is `len` rounded up.
            unsafe { block.ptr.as_ptr().write_bytes(0, len) };
            block.len = len;
            return Ok(block);
        }
        // SAFETY: `fresh` calls it with a layout of non-zero size.
        Block::fresh(len, |layout| unsafe { alloc::alloc_zeroed(layout) })
    }

    /// So many bytes of any value.
    pub(super) fn uninit(len: usize) -> Result<Block, Error> {
        if len >= LARGE
            && let Some(mut block) = recycle::take(rounded(len))
        {
            block.len = len;
            return Ok(block);
        }
        // SAFETY: `fresh` calls it with a layout of non-zero size.
        Block::fresh(len, |layout| unsafe { alloc::alloc(layout) })
    }

    fn fresh(len: usize, allocate: impl FnOnce(Layout) -> *mut u8) -> Result<Block, Error> {
        if len == 0 {
            let ptr = NonNull::without_provenance(std::num::NonZero::new(ALIGN).expect("not 0"));
            return Ok(Block { base: ptr, ptr, len: 0, capacity: 0 });
        }
        let capacity = rounded(len);
        let layout = layout_of(capacity).ok_or(Error::OutOfMemory { bytes: len })?;
        let Some(base) = NonNull::new(allocate(layout)) else {
            return Err(Error::OutOfMemory { bytes: len });
        };
        // SAFETY: where the allocator has not aligned, it gave `ALIGN` bytes more than the capacity.
        let ptr = unsafe { base.add(base.addr().get().wrapping_neg() % ALIGN) };
        if capacity >= LARGE {
            ask_for_huge_pages(ptr, capacity);
        }
        recycle::count_fresh(capacity);
        Ok(Block { base, ptr, len, capacity })
    }

    pub(super) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Gives the memory back to the allocator, instead of keeping it.
    pub(super) fn free(self) {
        let block = std::mem::ManuallyDrop::new(self);
        if block.capacity == 0 {
            return;
        }
        if let Some(layout) = layout_of(block.capacity) {
            recycle::count_freed(block.capacity);
            // SAFETY: the pointer came from the allocator with this layout (the invariant), and the
            // block, which is consumed, was its only owner.
            unsafe { alloc::dealloc(block.base.as_ptr(), layout) };
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let Block { base, ptr, len, capacity } = *self;
        let block = Block { base, ptr, len, capacity };
        // `self` dangles from here on and is not dropped again.
        match block.capacity >= LARGE {
            true => recycle::give(block),
            false => block.free(),
        }
    }
}

/// The bytes that are asked of the system: large blocks in steps of an eighth of their size, so that
/// one that was freed serves the next tensor of about its size.
fn rounded(len: usize) -> usize {
    if len < LARGE {
        return len;
    }
    // Not beyond what can be allocated at all: `layout_of` refuses it then.
    let step = len.checked_next_power_of_two().map_or(len, |power| (power / 16).max(4096));
    len.checked_next_multiple_of(step).unwrap_or(usize::MAX)
}

/// What is asked of the allocator for a block that is not empty: room for aligning it, unless it is large
/// and aligned by the allocator.
fn layout_of(capacity: usize) -> Option<Layout> {
    let (size, align) = match capacity {
        _ if capacity >= 2 * HUGE_PAGE => (capacity, HUGE_PAGE),
        _ if capacity >= LARGE => (capacity, ALIGN),
        _ => (capacity + ALIGN, EASY_ALIGN),
    };
    Layout::from_size_align(size, align).ok()
}

/// Asks the system to back memory with huge pages. Only advice: nothing depends on the answer.
fn ask_for_huge_pages(ptr: NonNull<u8>, len: usize) {
    #[cfg(target_os = "linux")]
    if ptr.as_ptr().addr().is_multiple_of(HUGE_PAGE) {
        // SAFETY: the range is memory of our own, and advice of this kind changes no contents.
        unsafe { libc::madvise(ptr.as_ptr().cast(), len, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (ptr, len);
}

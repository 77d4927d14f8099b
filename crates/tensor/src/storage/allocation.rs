//! Aligned heap allocations, with huge pages for large ones.

use super::free_list;
use crate::Error;
use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// The alignment of every allocation: a cache line and the widest vector register, so that no vector at
/// a multiple of its size straddles a cache line.
pub(super) const ALIGN: usize = 64;

/// The size of the system's huge pages in bytes.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Allocations of at least this many bytes use huge pages and go to the free list when they are dropped:
/// from this size on, page faults dominate the cost of an allocation.
const LARGE_BYTES: usize = 1 << 20;

/// The alignment that allocators provide without extra cost. A larger one takes them as long as several
/// small allocations, so allocations below `LARGE_BYTES` are aligned here.
const DEFAULT_ALIGN: usize = 16;

/// An owned heap allocation, aligned to `ALIGN`.
///
/// Invariants:
/// 1. If `capacity > 0`, `base` was returned by the global allocator for `layout_for(capacity)` and is
///    owned by this value alone.
/// 2. If `capacity > 0`, the `capacity` bytes from `ptr` on are inside of that allocation.
/// 3. If `capacity` is 0, both pointers dangle.
/// 4. `ptr` is aligned to `ALIGN`, and `len <= capacity`.
pub(super) struct Allocation {
    base: NonNull<u8>,
    ptr: NonNull<u8>,
    len: usize,
    capacity: usize,
}

// SAFETY: the memory is owned by this value alone and not bound to a thread.
unsafe impl Send for Allocation {}
// SAFETY: no method with `&self` accesses the memory.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Allocates `len` bytes, all zero.
    pub(super) fn zeroed(len: usize) -> Result<Allocation, Error> {
        if let Some(reused) = Allocation::reuse(len) {
            // SAFETY: the allocation is owned by this function and has at least `len` bytes.
            unsafe { reused.ptr.as_ptr().write_bytes(0, len) };
            return Ok(reused);
        }
        Allocation::fresh(len, alloc::alloc_zeroed)
    }

    /// Allocates `len` bytes, which may be uninitialised.
    pub(super) fn uninit(len: usize) -> Result<Allocation, Error> {
        if let Some(reused) = Allocation::reuse(len) {
            return Ok(reused);
        }
        Allocation::fresh(len, alloc::alloc)
    }

    /// Takes an allocation for `len` bytes from the free list, if it is large and there is one.
    fn reuse(len: usize) -> Option<Allocation> {
        if len < LARGE_BYTES {
            return None;
        }
        free_list::take(capacity_for(len)).map(|mut allocation| {
            allocation.len = len;
            allocation
        })
    }

    /// Allocates `len` bytes with a function of the global allocator.
    fn fresh(len: usize, allocate: unsafe fn(Layout) -> *mut u8) -> Result<Allocation, Error> {
        if len == 0 {
            let ptr = NonNull::without_provenance(std::num::NonZero::new(ALIGN).expect("not 0"));
            return Ok(Allocation { base: ptr, ptr, len: 0, capacity: 0 });
        }
        let capacity = capacity_for(len);
        let layout = layout_for(capacity).ok_or(Error::OutOfMemory { bytes: len })?;
        // SAFETY: the layout is of non-zero size, as both functions of the allocator require.
        let Some(base) = NonNull::new(unsafe { allocate(layout) }) else {
            return Err(Error::OutOfMemory { bytes: len });
        };
        // SAFETY: the offset is 0 if the allocator aligned to `ALIGN`; else it is below `ALIGN`, and the
        // layout has `ALIGN` bytes more than the capacity.
        let ptr = unsafe { base.add(base.addr().get().wrapping_neg() % ALIGN) };
        if capacity >= LARGE_BYTES {
            advise_huge_pages(ptr, capacity);
        }
        free_list::count_allocated(capacity);
        Ok(Allocation { base, ptr, len, capacity })
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

    /// Returns the memory to the allocator, bypassing the free list.
    pub(super) fn free(self) {
        let allocation = std::mem::ManuallyDrop::new(self);
        if allocation.capacity == 0 {
            return;
        }
        if let Some(layout) = layout_for(allocation.capacity) {
            free_list::count_freed(allocation.capacity);
            // SAFETY: `base` was returned by the allocator for this layout (invariant 1), and the only
            // owner is consumed here without running its `drop`.
            unsafe { alloc::dealloc(allocation.base.as_ptr(), layout) };
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let Allocation { base, ptr, len, capacity } = *self;
        // Takes over the ownership: `self` is not used again.
        let allocation = Allocation { base, ptr, len, capacity };
        match allocation.capacity >= LARGE_BYTES {
            true => free_list::put(allocation),
            false => allocation.free(),
        }
    }
}

/// Returns the capacity for `len` bytes: large ones are rounded up to steps of a sixteenth to an eighth of
/// their size, so that a freed allocation serves the next tensor of about its size.
fn capacity_for(len: usize) -> usize {
    if len < LARGE_BYTES {
        return len;
    }
    // On overflow the result exceeds what can be allocated, and `layout_for` returns `None`.
    let step = len.checked_next_power_of_two().map_or(len, |power| (power / 16).max(4096));
    len.checked_next_multiple_of(step).unwrap_or(usize::MAX)
}

/// Returns the allocator's layout for a non-zero capacity: large allocations are aligned by the allocator,
/// others have `ALIGN` extra bytes and are aligned here.
fn layout_for(capacity: usize) -> Option<Layout> {
    let (size, align) = match capacity {
        _ if capacity >= 2 * HUGE_PAGE_BYTES => (capacity, HUGE_PAGE_BYTES),
        _ if capacity >= LARGE_BYTES => (capacity, ALIGN),
        _ => (capacity + ALIGN, DEFAULT_ALIGN),
    };
    Layout::from_size_align(size, align).ok()
}

/// Advises the system to back memory with huge pages. The result is ignored: correctness does not depend on it.
fn advise_huge_pages(ptr: NonNull<u8>, len: usize) {
    #[cfg(target_os = "linux")]
    if ptr.as_ptr().addr().is_multiple_of(HUGE_PAGE_BYTES) {
        // SAFETY: the range is inside an allocation that the caller owns, and this advice does not
        // change its contents.
        unsafe { libc::madvise(ptr.as_ptr().cast(), len, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (ptr, len);
}

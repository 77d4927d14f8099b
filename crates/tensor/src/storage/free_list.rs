//! The free list: large allocations that are kept for the next tensor.
//!
//! A fresh allocation costs one page fault per page, measured at two thirds of the time of a 64 MB
//! copy. Numerical programs free and allocate the same sizes repeatedly, so up to 32 freed allocations and
//! 512 MiB are kept. [`stats`] reports them and [`trim`] returns them to the system.

use super::allocation::Allocation;
use crate::borrow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximal number of bytes in the list.
const MAX_KEPT_BYTES: usize = 512 << 20;

/// The maximal number of allocations in the list: searching it has to stay cheaper than a page fault.
const MAX_KEPT_ALLOCATIONS: usize = 32;

/// The free list, oldest allocation first.
static FREE_LIST: Mutex<Vec<Allocation>> = Mutex::new(Vec::new());
static IN_USE_BYTES: AtomicUsize = AtomicUsize::new(0);
static KEPT_BYTES: AtomicUsize = AtomicUsize::new(0);
static N_REUSED: AtomicUsize = AtomicUsize::new(0);

/// Memory usage of all tensors in the process, as returned by [`stats`].
///
/// Memory that the library did not allocate (vectors, mapped files, imported tensors) is not counted.
/// Neither are storages of up to 768 bytes: counting would cost as much as computing with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Bytes held by storages.
    pub in_use: usize,
    /// Bytes of freed allocations that are kept for reuse.
    pub kept: usize,
    /// How often a kept allocation was reused.
    pub reused: usize,
}

/// Returns the memory usage of all tensors in the process.
///
/// ```
/// use belvedere::{Tensor, DType, memory};
///
/// let before = memory::stats().in_use;
/// let x = Tensor::zeros([1024, 1024], DType::Float32)?;
/// assert!(memory::stats().in_use >= before + 4 * 1024 * 1024);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn stats() -> MemoryStats {
    MemoryStats {
        in_use: IN_USE_BYTES.load(Ordering::Relaxed),
        kept: KEPT_BYTES.load(Ordering::Relaxed),
        reused: N_REUSED.load(Ordering::Relaxed),
    }
}

/// Returns all kept allocations to the system, and the number of bytes that were freed.
///
/// Memory that the borrow checker keeps for later claims, at most a few KiB, is freed as well and not counted.
///
/// ```
/// use belvedere::{DType, Tensor, memory};
///
/// drop(Tensor::zeros([1024, 1024], DType::Float32)?);
/// assert!(memory::stats().kept >= 4 * 1024 * 1024);
/// assert!(memory::trim() >= 4 * 1024 * 1024);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn trim() -> usize {
    let allocations = std::mem::take(&mut *lock());
    borrow::trim_tables();
    free_all(allocations)
}

/// Frees allocations that were in the list, and returns their number of bytes.
fn free_all(allocations: Vec<Allocation>) -> usize {
    let bytes = allocations.iter().map(Allocation::capacity).sum();
    KEPT_BYTES.fetch_sub(bytes, Ordering::Relaxed);
    // `free` subtracts them from the bytes in use.
    IN_USE_BYTES.fetch_add(bytes, Ordering::Relaxed);
    allocations.into_iter().for_each(Allocation::free);
    bytes
}

/// Removes an allocation of exactly this capacity from the list.
pub(super) fn take(capacity: usize) -> Option<Allocation> {
    let mut list = lock();
    let at = list.iter().rposition(|it| it.capacity() == capacity)?;
    let allocation = list.remove(at);
    drop(list);
    KEPT_BYTES.fetch_sub(capacity, Ordering::Relaxed);
    IN_USE_BYTES.fetch_add(capacity, Ordering::Relaxed);
    N_REUSED.fetch_add(1, Ordering::Relaxed);
    Some(allocation)
}

/// Adds an allocation to the list, and frees the oldest ones while the list exceeds its limits: a program
/// that has moved on to other sizes rarely returns to the old ones.
pub(super) fn put(allocation: Allocation) {
    let capacity = allocation.capacity();
    if capacity > MAX_KEPT_BYTES {
        return allocation.free();
    }
    let mut list = lock();
    let mut evicted = Vec::new();
    // Not `KEPT_BYTES`, which other threads change before or after they hold the lock.
    let mut bytes: usize = list.iter().map(Allocation::capacity).sum();
    while list.len() >= MAX_KEPT_ALLOCATIONS || bytes + capacity > MAX_KEPT_BYTES {
        let oldest = list.remove(0);
        bytes -= oldest.capacity();
        evicted.push(oldest);
    }
    // Counted before another thread can take it, so that the counters never underflow.
    KEPT_BYTES.fetch_add(capacity, Ordering::Relaxed);
    IN_USE_BYTES.fetch_sub(capacity, Ordering::Relaxed);
    list.push(allocation);
    drop(list);
    free_all(evicted);
}

pub(super) fn count_allocated(capacity: usize) {
    IN_USE_BYTES.fetch_add(capacity, Ordering::Relaxed);
}

pub(super) fn count_freed(capacity: usize) {
    IN_USE_BYTES.fetch_sub(capacity, Ordering::Relaxed);
}

/// Locks the list. Poisoning is ignored: every change of the list is one call that does not panic.
pub(super) fn lock() -> MutexGuard<'static, Vec<Allocation>> {
    FREE_LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Large blocks are kept for the next tensor.
//!
//! A fresh block costs a page fault for each of its pages, which was measured at two thirds of the
//! time of a 64 MB copy. Programs that calculate free and allocate the same sizes all the time, so
//! a few freed blocks are kept. What is kept is bounded, can be asked for and can be given back.

use super::block::Block;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError};

/// The most bytes that are kept, all together.
const MOST_KEPT: usize = 512 << 20;

/// The most blocks that are kept: looking through them has to stay cheaper than a page fault.
const MOST_BLOCKS: usize = 32;

/// The oldest one first.
static KEPT: Mutex<Vec<Block>> = Mutex::new(Vec::new());
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static KEPT_BYTES: AtomicUsize = AtomicUsize::new(0);
static REUSED: AtomicUsize = AtomicUsize::new(0);

/// What the memory of tensors amounts to, by [`stats`]. Memory that came from elsewhere (vectors,
/// files) is not counted, and neither are tensors of up to 768 bytes: counting would cost as much as
/// calculating with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Bytes that tensors hold.
    pub in_use: usize,
    /// Bytes of freed blocks that are kept for the next tensor.
    pub kept: usize,
    /// How often a kept block was used again.
    pub reused: usize,
}

/// What the memory of tensors amounts to right now.
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
        in_use: IN_USE.load(Ordering::Relaxed),
        kept: KEPT_BYTES.load(Ordering::Relaxed),
        reused: REUSED.load(Ordering::Relaxed),
    }
}

/// Gives the blocks that are kept back to the system, and says how many bytes that was.
pub fn trim() -> usize {
    let blocks = std::mem::take(&mut *lock());
    free_all(blocks)
}

/// Gives blocks back that were kept, and says how many bytes that was.
fn free_all(blocks: Vec<Block>) -> usize {
    let bytes = blocks.iter().map(Block::capacity).sum();
    KEPT_BYTES.fetch_sub(bytes, Ordering::Relaxed);
    // They count as in use again for a moment, as `free` takes them off there.
    IN_USE.fetch_add(bytes, Ordering::Relaxed);
    blocks.into_iter().for_each(Block::free);
    bytes
}

/// A kept block of just this capacity.
pub(super) fn take(capacity: usize) -> Option<Block> {
    let mut kept = lock_if_free()?;
    let at = kept.iter().rposition(|block| block.capacity() == capacity)?;
    let block = kept.remove(at);
    drop(kept);
    KEPT_BYTES.fetch_sub(capacity, Ordering::Relaxed);
    IN_USE.fetch_add(capacity, Ordering::Relaxed);
    REUSED.fetch_add(1, Ordering::Relaxed);
    Some(block)
}

/// Keeps a block, and frees the oldest ones if too much is kept then: a program that has gone on to other
/// sizes does not come back to them.
pub(super) fn give(block: Block) {
    let capacity = block.capacity();
    let Some(mut kept) = lock_if_free().filter(|_| capacity <= MOST_KEPT) else {
        return block.free();
    };
    let mut old = Vec::new();
    // Not by the counter, which others change before or after they have the list.
    let mut bytes: usize = kept.iter().map(Block::capacity).sum();
    while kept.len() >= MOST_BLOCKS || bytes + capacity > MOST_KEPT {
        let block = kept.remove(0);
        bytes -= block.capacity();
        old.push(block);
    }
    // Counted before it can be taken: the counters never fall below zero.
    KEPT_BYTES.fetch_add(capacity, Ordering::Relaxed);
    IN_USE.fetch_sub(capacity, Ordering::Relaxed);
    kept.push(block);
    drop(kept);
    free_all(old);
}

pub(super) fn count_fresh(capacity: usize) {
    IN_USE.fetch_add(capacity, Ordering::Relaxed);
}

pub(super) fn count_freed(capacity: usize) {
    IN_USE.fetch_sub(capacity, Ordering::Relaxed);
}

/// The list unless somebody is at it, who in the child of a `fork` may never come back. The system's
/// allocator is then the better place to go.
fn lock_if_free() -> Option<std::sync::MutexGuard<'static, Vec<Block>>> {
    match KEPT.try_lock() {
        Ok(kept) => Some(kept),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The list, also after a panic elsewhere: every change of it is one call that does not panic.
fn lock() -> std::sync::MutexGuard<'static, Vec<Block>> {
    KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

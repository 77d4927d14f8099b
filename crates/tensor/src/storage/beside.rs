//! Small storages: the elements lie beside the record of who sees them.
//!
//! A result of sixteen numbers costs less to calculate than to allocate twice. And the allocator is slow
//! to align to more than it does anyway: it cuts what it was asked for out of something larger. So
//! there are a few sizes of records with room behind them, aligned here, by leaving some bytes unused.

use super::block::ALIGN;
use super::{Inner, Owner, Storage};
use crate::borrow::Borrows;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::Arc;

/// The most bytes that lie beside their record: with it they are still a piece that allocators have at hand
/// (the GNU C library up to 1032 bytes).
const MOST: usize = 768;

/// A record with room for `N` bytes behind it, not yet written.
type Uninit<const N: usize> = Arc<MaybeUninit<Inner<[MaybeUninit<u8>; N]>>>;

impl Storage {
    /// `len` bytes of any value, if they are few.
    #[inline]
    pub(super) fn beside(len: usize) -> Option<Storage> {
        match len {
            0 => None,
            1..=64 => Some(with_room::<{ 64 + ALIGN }>(len)),
            65..=256 => Some(with_room::<{ 256 + ALIGN }>(len)),
            257..=MOST => Some(with_room::<{ MOST + ALIGN }>(len)),
            _ => None,
        }
    }
}

/// A record with room for `N` bytes, and `len` of them in use.
fn with_room<const N: usize>(len: usize) -> Storage {
    assert!(len + ALIGN <= N, "there is room for the bytes wherever the first aligned one is");
    let record: Uninit<N> = Arc::new_uninit();
    let inner = Arc::as_ptr(&record).cast_mut().cast::<Inner<[MaybeUninit<u8>; N]>>();
    // SAFETY: the record was just allocated and nobody else has it, so each of its fields can be
    // written; all are, but for the room, which may stay as it is. The aligned byte and `len` more
    // lie in the room, and may be written beside a `&Inner`, because the room is an `UnsafeCell`.
    unsafe {
        let room = UnsafeCell::raw_get(&raw const (*inner)._room).cast::<u8>();
        let ptr = room.add(room.addr().wrapping_neg() % ALIGN);
        (&raw mut (*inner).ptr).write(NonNull::new_unchecked(ptr));
        (&raw mut (*inner).len).write(len);
        (&raw mut (*inner).writable).write(true);
        (&raw mut (*inner)._owner).write(Owner::Beside);
        (&raw mut (*inner).borrows).write(Borrows::new());
        Storage { inner: record.assume_init(), writable: true }
    }
}

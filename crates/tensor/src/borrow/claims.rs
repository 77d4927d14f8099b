//! The uncontended fast path of borrow checking: claims on several storages that never wait.
//!
//! [`claim`](super::claim) handles the same storage given twice, the order of claims, waiting and
//! errors; that takes longer than an addition of 16 elements. The functions here try the atomic word of
//! each storage once. If one storage is contended, the claims made so far are released and the caller
//! takes the slow path. Since they never wait they need no order, and a storage that is read
//! twice is claimed twice.

use super::BorrowState;
use super::state::Claim;
use crate::Storage;

/// Claims on at most one written and `M` read storages, each in its word; dropping it releases them.
pub(crate) struct Claims<'a, const M: usize> {
    written: Option<&'a BorrowState>,
    read: [Option<&'a BorrowState>; M],
}

/// Tries to take a short read claim on every storage without waiting; returns `None` if any is contended.
#[inline]
pub(crate) fn try_claim_reads<'a, const M: usize>(
    read: [Option<&'a Storage>; M],
) -> Option<Claims<'a, M>> {
    let mut claims = Claims { written: None, read: [None; M] };
    for (claim, storage) in claims.read.iter_mut().zip(read) {
        let Some(storage) = storage else { continue };
        let state = storage.borrows().state();
        if !state.try_claim_short_read() {
            return None;
        }
        *claim = Some(state);
    }
    Some(claims)
}

/// Tries to take a short write claim on a storage without waiting; returns `None` if it is contended.
#[inline]
pub(crate) fn try_claim_write(written: &Storage) -> Option<Claims<'_, 0>> {
    let state = written.borrows().state();
    // `then`, not `then_some`: `then_some` would construct a `Claims` even when the claim failed, and
    // dropping it would release another thread's claim.
    state.try_claim_short_write().then(|| Claims { written: Some(state), read: [] })
}

/// Tries to claim one storage for writing and others for reading without waiting; returns `None` if any
/// is contended.
#[inline]
pub(crate) fn try_claim<'a, const M: usize>(
    written: Option<&'a Storage>,
    read: [Option<&'a Storage>; M],
) -> Option<Claims<'a, M>> {
    let mut claims = Claims { written: None, read: [None; M] };
    if let Some(storage) = written {
        let state = storage.borrows().state();
        if !state.try_claim(true) {
            return None;
        }
        claims.written = Some(state);
    }
    for (claim, storage) in claims.read.iter_mut().zip(read) {
        let Some(storage) = storage else { continue };
        let state = storage.borrows().state();
        // The write claim covers the entire storage, and the operation handles its own overlap.
        if claims.written.is_some_and(|own| std::ptr::eq(own, state)) {
            continue;
        }
        if !state.try_claim(false) {
            return None;
        }
        *claim = Some(state);
    }
    Some(claims)
}

impl<const M: usize> Drop for Claims<'_, M> {
    #[inline]
    fn drop(&mut self) {
        if let Some(state) = self.written {
            state.release(Claim::Writer);
        }
        for state in self.read.iter().flatten() {
            state.release(Claim::Reader);
        }
    }
}

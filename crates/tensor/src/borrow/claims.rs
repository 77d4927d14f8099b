//! The uncontended fast path of borrow checking: claims on several storages that never wait.
//!
//! [`claim`](super::claim) handles the same storage given twice, the order of claims, waiting and
//! errors; that takes longer than an addition of 16 elements. The functions here try the atomic word of
//! each storage once. If one storage is contended, the claims made so far are released and the caller
//! takes the slow path. Since they never wait they need no order, and a storage that is read
//! twice is claimed twice.

use super::state::Claim;
use super::{BorrowState, ClaimRequest, with_own_callbacks};
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

/// Claims of a callback on at most one written and `M` read storages, each in its word; dropping it releases them.
pub(crate) struct CallbackClaims<'a, const M: usize> {
    written: Option<&'a BorrowState>,
    read: [Option<&'a BorrowState>; M],
    /// How many of them are the last ones in the list of this thread.
    n_listed: usize,
}

/// Like [`try_claim`], for an operation that calls a closure of the user: until the claims are dropped, a conflicting access
/// is an error, as for a guard. Returns `None` as well if a request is not for all elements of its storage.
#[inline]
pub(crate) fn try_claim_callback<'a, const M: usize>(
    written: Option<ClaimRequest<'a>>,
    read: [Option<ClaimRequest<'a>>; M],
) -> Option<CallbackClaims<'a, M>> {
    let claim = |request: ClaimRequest<'a>| {
        let state = request.storage.borrows().state();
        (request.is_for_all() && state.try_claim_callback(request.write)).then_some(state)
    };
    let mut claims = CallbackClaims { written: None, read: [None; M], n_listed: 0 };
    if let Some(request) = written {
        claims.written = Some(claim(request)?);
    }
    for (slot, request) in claims.read.iter_mut().zip(read) {
        let Some(request) = request else { continue };
        let state = request.storage.borrows().state();
        // As in `try_claim`.
        if claims.written.is_some_and(|own| std::ptr::eq(own, state)) {
            continue;
        }
        *slot = Some(claim(request)?);
    }
    claims.n_listed = with_own_callbacks(|own| {
        let n_before = own.len();
        let states = claims.written.iter().chain(claims.read.iter().flatten());
        own.extend(states.map(|state| state.address()));
        own.len() - n_before
    })?;
    Some(claims)
}

impl<const M: usize> Drop for CallbackClaims<'_, M> {
    #[inline]
    fn drop(&mut self) {
        if self.n_listed > 0 {
            // Callbacks end in the reverse order of their begin.
            with_own_callbacks(|own| own.truncate(own.len() - self.n_listed));
        }
        if let Some(state) = self.written {
            state.release(Claim::CallbackWriter);
        }
        for state in self.read.iter().flatten() {
            state.release(Claim::CallbackReader);
        }
    }
}

//! Borrows of storages in which nobody is in the way.
//!
//! [`operation`](super::operation) is ready for everything: for storages that come twice, for an order to
//! keep, for waiting and for errors. That takes longer than an addition of sixteen numbers. Here each
//! storage is asked once, in its word; if one of them is not quiet, what was claimed is given back, and
//! the operation goes the other way. Nobody waits, so there is no order to keep, and a storage that
//! is read twice is simply claimed twice.

use super::{Claim, State};
use crate::Storage;

/// What is claimed of quiet storages; dropping it releases it.
pub(crate) struct Quiet<'a, const M: usize> {
    written: Option<&'a State>,
    read: [Option<&'a State>; M],
}

/// Claims storages for reading that is soon over, if all of them are quiet.
#[inline]
pub(crate) fn quiet_briefly<'a, const M: usize>(
    read: [Option<&'a Storage>; M],
) -> Option<Quiet<'a, M>> {
    let mut claims = Quiet { written: None, read: [None; M] };
    for (claim, storage) in claims.read.iter_mut().zip(read) {
        let Some(storage) = storage else { continue };
        let state = storage.borrows().state();
        if !state.announce_briefly() {
            return None;
        }
        *claim = Some(state);
    }
    Some(claims)
}

/// Claims a storage for writing that is soon over, if it is quiet.
#[inline]
pub(crate) fn quiet_to_write_briefly(written: &Storage) -> Option<Quiet<'_, 0>> {
    let state = written.borrows().state();
    // Not `then_some`: a claim that was not granted would be dropped, and with it the one of somebody else.
    state.announce_brief_write().then(|| Quiet { written: Some(state), read: [] })
}

/// Claims one storage for writing and others for reading, if all of them are quiet.
#[inline]
pub(crate) fn quiet<'a, const M: usize>(
    written: Option<&'a Storage>,
    read: [Option<&'a Storage>; M],
) -> Option<Quiet<'a, M>> {
    let mut claims = Quiet { written: None, read: [None; M] };
    if let Some(storage) = written {
        let state = storage.borrows().state();
        if !state.announce(true) {
            return None;
        }
        claims.written = Some(state);
    }
    for (claim, storage) in claims.read.iter_mut().zip(read) {
        let Some(storage) = storage else { continue };
        let state = storage.borrows().state();
        // Who writes to a storage has all of it already, and knows what it reads there.
        if claims.written.is_some_and(|own| std::ptr::eq(own, state)) {
            continue;
        }
        if !state.announce(false) {
            return None;
        }
        *claim = Some(state);
    }
    Some(claims)
}

impl<const M: usize> Drop for Quiet<'_, M> {
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

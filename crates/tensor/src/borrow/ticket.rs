//! Requests for memory, and the tickets of those that are granted.

use super::state::Claim;
use super::table::Holder;
use crate::tensor::try_collect;
use crate::{Error, Storage};
use belvedere_layout::{Bytes, Layout};

/// A request to read or write the elements that a layout reaches in a storage.
#[derive(Clone, Copy)]
pub(crate) struct ClaimRequest<'a> {
    pub(crate) storage: &'a Storage,
    pub(crate) layout: &'a Layout,
    /// The size of an element in bytes.
    pub(crate) size: usize,
    pub(crate) write: bool,
}

impl ClaimRequest<'_> {
    /// Returns whether the request is for all bytes of the storage: a claim of the entire storage is exact then.
    #[inline]
    pub(super) fn is_for_all(&self) -> bool {
        self.layout.len().checked_mul(self.size) == Some(self.storage.len())
            && (self.layout.is_contiguous() || self.layout.is_col_major())
    }

    /// # Errors
    /// If the storage has no memory.
    fn check_memory(&self) -> Result<(), Error> {
        match self.storage.is_meta() {
            true => {
                let op = if self.write { "write" } else { "read" };
                Err(Error::NoValues { op, shape: self.layout.shape().into() })
            }
            false => Ok(()),
        }
    }
}

/// The claims of one operation or guard on one storage; dropping it releases them.
pub(crate) struct Ticket<'a> {
    storage: TicketStorage<'a>,
    claim: Claim,
}

/// The storage of a ticket: borrowed for an operation, shared for a guard.
enum TicketStorage<'a> {
    Borrowed(&'a Storage),
    Shared(Storage),
}

/// The maximal number of tensors of an operation with one output: it, and the six operands of a closure.
pub(crate) const SLOTS: usize = 7;

/// The tickets of an operation; dropping them releases the memory.
pub(crate) type Tickets<'a> = [Option<Ticket<'a>>; SLOTS];

/// Claims the memory of an operation, waiting for conflicting operations.
///
/// Requests of one operation never conflict with each other: the operation handles their overlap.
///
/// # Errors
/// If a guard holds a part of the memory, or inside [`without_waiting`](super::without_waiting) if another operation
/// does.
pub(crate) fn claim<'a>(
    requests: &[Option<ClaimRequest<'a>>; SLOTS],
) -> Result<Tickets<'a>, Error> {
    let mut tickets = [const { None }; SLOTS];
    claim_slots(requests, &mut tickets, Holder::Operation)?;
    Ok(tickets)
}

/// Like [`claim`], for an operation that calls a closure of the user: until the tickets are dropped, a conflicting
/// access is an error, as for a guard. They are written in place: they are large, and moving them would take as long as
/// a claim.
pub(crate) fn claim_guards<'a>(
    requests: &[Option<ClaimRequest<'a>>; SLOTS],
    tickets: &mut Tickets<'a>,
) -> Result<(), Error> {
    claim_slots(requests, tickets, Holder::Callback)
}

fn claim_slots<'a>(
    requests: &[Option<ClaimRequest<'a>>; SLOTS],
    tickets: &mut Tickets<'a>,
    holder: Holder,
) -> Result<(), Error> {
    let mut order = [0; SLOTS];
    let mut n_requests = 0;
    for n in (0..SLOTS).filter(|&n| requests[n].is_some()) {
        order[n_requests] = n;
        n_requests += 1;
    }
    claim_all(requests, &mut order[..n_requests], tickets, holder)
}

/// Like [`claim`], for any number of requests.
pub(crate) fn claim_slice<'a>(
    requests: &[Option<ClaimRequest<'a>>],
) -> Result<Vec<Option<Ticket<'a>>>, Error> {
    claim_list(requests, Holder::Operation)
}

/// Like [`claim_guards`], for any number of requests.
pub(crate) fn claim_guards_slice<'a>(
    requests: &[Option<ClaimRequest<'a>>],
) -> Result<Vec<Option<Ticket<'a>>>, Error> {
    claim_list(requests, Holder::Callback)
}

fn claim_list<'a>(
    requests: &[Option<ClaimRequest<'a>>],
    holder: Holder,
) -> Result<Vec<Option<Ticket<'a>>>, Error> {
    let mut order = try_collect(0..requests.len())?;
    let mut tickets: Vec<Option<Ticket<'a>>> = try_collect(requests.iter().map(|_| None))?;
    claim_all(requests, &mut order, &mut tickets, holder)?;
    Ok(tickets)
}

/// Claims one storage after the other, in ascending order of their addresses. `order` has the numbers of the
/// requests; those of `None` may be left out.
fn claim_all<'a>(
    requests: &[Option<ClaimRequest<'a>>],
    order: &mut [usize],
    tickets: &mut [Option<Ticket<'a>>],
    holder: Holder,
) -> Result<(), Error> {
    for request in requests.iter().flatten() {
        request.check_memory()?;
    }
    let state = |n: usize| requests[n].map(|it| std::ptr::from_ref(it.storage.borrows().state()));
    order.sort_unstable_by_key(|&n| state(n).map(|it| it.addr()));

    let mut k = 0;
    while k < order.len() {
        let group = order[k..].iter().take_while(|&&n| state(n) == state(order[k])).count();
        if let Some(first) = requests[order[k]] {
            let members = &order[k..k + group];
            let requested = || members.iter().filter_map(|&n| requests[n]);
            let state = first.storage.borrows().state();
            let claim = match holder {
                Holder::Operation => state.claim(requested)?,
                Holder::Callback | Holder::Guard => state.enter(requested, holder)?,
            };
            tickets[k] = Some(Ticket { storage: TicketStorage::Borrowed(first.storage), claim });
        }
        k += group;
    }
    Ok(())
}

/// Claims the memory of a guard.
///
/// Inlined, so that the ticket is made where the guard holds it: it would otherwise be returned through memory and copied
/// with wider loads than it was stored with, which are store-forwarding stalls.
///
/// # Errors
/// As for [`claim`].
#[inline(always)]
pub(crate) fn claim_guard(request: ClaimRequest<'_>) -> Result<Ticket<'static>, Error> {
    let claim = match try_claim_guard(request) {
        true if request.write => Claim::GuardWriter,
        true => Claim::GuardReader,
        false => enter_guard(request)?,
    };
    let storage = TicketStorage::Shared(request.storage.clone());
    Ok(Ticket { storage, claim })
}

/// Tries to claim the memory of a guard in the word of its storage.
#[inline]
fn try_claim_guard(request: ClaimRequest<'_>) -> bool {
    request.is_for_all() && request.storage.borrows().state().try_claim_guard(request.write)
}

/// Claims the memory of a guard in the table.
#[cold]
#[inline(never)]
fn enter_guard(request: ClaimRequest<'_>) -> Result<Claim, Error> {
    request.check_memory()?;
    request.storage.borrows().state().enter(|| [request].into_iter(), Holder::Guard)
}

impl<'a> ClaimRequest<'a> {
    /// The bytes that the request covers.
    pub(crate) fn bytes(self) -> Bytes<'a> {
        Bytes { address: self.storage.address(), layout: self.layout, size: self.size }
    }
}

impl Ticket<'_> {
    /// The claimed storage.
    pub(crate) fn storage(&self) -> &Storage {
        match &self.storage {
            TicketStorage::Borrowed(storage) => storage,
            TicketStorage::Shared(storage) => storage,
        }
    }
}

impl Drop for Ticket<'_> {
    #[inline]
    fn drop(&mut self) {
        self.storage().borrows().state().release(self.claim);
    }
}

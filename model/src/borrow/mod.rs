//! The borrow table: `crates/tensor/src/borrow/`, with statics that each execution makes anew.

#[path = "../../../crates/tensor/src/borrow/claims.rs"]
mod claims;
mod fork_tests;
#[path = "../../../crates/tensor/src/borrow/state.rs"]
mod state;
#[path = "../../../crates/tensor/src/borrow/table.rs"]
mod table;
mod tests;
#[path = "../../../crates/tensor/src/borrow/ticket.rs"]
mod ticket;

use crate::fork;
use crate::sync::atomic::AtomicU64;
use crate::sync::{Condvar, Mutex};
use state::BorrowState;
use std::cell::{Cell, RefCell};
use table::{ClaimTable, SharedTable};
pub(crate) use tests::claim_one;
use ticket::ClaimRequest;

/// The claims on one storage.
pub(crate) struct Borrows(BorrowState);

impl Borrows {
    pub(crate) fn new() -> Borrows {
        Borrows(BorrowState::new())
    }

    /// Like the claims on foreign memory, after the first use.
    pub(crate) fn by_region() -> Borrows {
        let regions = state::REGIONS_WORD & !(!0 << 32);
        Borrows(BorrowState { word: AtomicU64::new(fork::generation() | regions) })
    }

    pub(crate) fn state(&self) -> &BorrowState {
        &self.0
    }
}

fn new_table() -> SharedTable {
    SharedTable { table: Mutex::new(ClaimTable::new()), released: Condvar::new() }
}

loom::lazy_static! {
    /// One table, which all storages share: their addresses collide.
    static ref TABLE: SharedTable = new_table();
    /// The table in the memory of the child.
    static ref CHILD_TABLE: SharedTable = new_table();
}

fn table_of(_: &BorrowState) -> &'static SharedTable {
    match fork::generation() >> 32 {
        1 => &TABLE,
        _ => &CHILD_TABLE,
    }
}

loom::thread_local! {
    static REFUSES_TO_WAIT: Cell<bool> = Cell::new(false);
}

fn refuses_to_wait() -> bool {
    REFUSES_TO_WAIT.with(Cell::get)
}

loom::thread_local! {
    static OWN_CALLBACKS: RefCell<Vec<usize>> = RefCell::new(Vec::new());
}

fn with_own_callbacks<R>(f: impl FnOnce(&mut Vec<usize>) -> R) -> Option<R> {
    Some(OWN_CALLBACKS.with(|own| f(&mut own.borrow_mut())))
}

/// Runs `f` without waiting for operations.
fn without_waiting<R>(f: impl FnOnce() -> R) -> R {
    REFUSES_TO_WAIT.with(|it| it.set(true));
    let result = f();
    REFUSES_TO_WAIT.with(|it| it.set(false));
    result
}

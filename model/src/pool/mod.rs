//! The thread pool: `crates/tensor/src/pool/`, with workers that end.

#[path = "../../../crates/tensor/src/pool/offers.rs"]
mod offers;
#[path = "../../../crates/tensor/src/pool/region.rs"]
mod region;
mod tests;
#[path = "../../../crates/tensor/src/pool/worker.rs"]
mod worker;

/// Whether the thread is inside of a piece is of no importance here.
struct InPiece;

static IN_PIECE: InPiece = InPiece;

impl InPiece {
    fn set(&self, _: bool) {}
}

fn inside_piece<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// A thread looks once and then sleeps: the model tries every other time, too.
mod spin {
    pub(super) fn spin_until(is_done: impl Fn() -> bool) -> bool {
        is_done()
    }
}

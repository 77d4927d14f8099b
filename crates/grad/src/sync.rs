//! The primitives of synchronisation that `lease_table.rs` uses: `model/` compiles it with those of `loom`.

pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError, atomic};

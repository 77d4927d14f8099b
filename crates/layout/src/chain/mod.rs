//! Stacked layouts: what strides alone cannot say.
//!
//! A [`Chain`] reads an index through its outermost stage, takes the offset it gives as a position in
//! the next stage's shape, and so on down to memory. With a box mask on each stage it expresses every
//! movement of elements: reshapes of anything, padding, repetition, tiles. See [`Chain`] for what it
//! does, `merge_pair.rs` for how two stages become one again, `merge_stack.rs` for whole stacks.

mod affine_division;
mod merge_by_enumeration;
mod merge_pair;
mod merge_stack;
mod movement;
mod runs;
mod stack;
mod stage;

pub use runs::{ChainRun, ChainRuns};
pub use stack::Chain;
pub use stage::Stage;

//! `Chain`: a stack of layouts with padding, for index maps that a single strided layout cannot express.
//!
//! A [`Chain`] maps an index through its outermost stage, takes the resulting offset as a flat index
//! into the shape of the next stage, and so on down to memory. With padding around each stage it
//! expresses every movement operation: reshapes of any layout, padding, repetition, tiling.
//! `merge_pair.rs` merges two stages into one, `merge_stack.rs` whole stacks.

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

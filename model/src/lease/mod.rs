//! The table of leases: `crates/grad/src/lease_table.rs`, with operations that take claims as those of `crates/tensor` do
//! and tell the table what the observer of `crates/grad` does.

mod operations;
#[path = "../../../crates/grad/src/lease_table.rs"]
mod table;
mod tests;

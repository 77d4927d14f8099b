//! The tests of the crate, as one program.

mod coverage;
mod differences;
mod errors;
mod leases;
mod nested;
mod oracle;
mod programs;
mod views;

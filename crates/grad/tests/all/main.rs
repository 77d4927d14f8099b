//! The tests of the crate, as one program.

mod complex;
mod complex_cases;
mod complex_programs;
mod coverage;
mod differences;
mod errors;
mod factorization_cases;
mod fourier_cases;
mod leases;
mod nested;
mod oracle;
mod precision;
mod programs;
mod quantile_cases;
mod second_order;
mod views;

//! The tests of the crate, as one program.

mod checkpoints;
mod complex;
mod complex_cases;
mod complex_programs;
mod coverage;
mod custom;
mod differences;
mod errors;
mod factorization_cases;
mod fourier_cases;
mod functional;
mod leases;
mod nested;
mod oracle;
mod precision;
mod programs;
mod quantile_cases;
mod reports;
mod second_order;
mod special_points;
mod threads;
mod views;

use belvedere::Error;
use belvedere_grad::GradientError;

/// Returns the reason of a refused operation.
fn reason(error: &Error) -> &GradientError {
    let Error::Refused { reason, .. } = error else { panic!("{error}") };
    reason.downcast_ref().expect("an error of a gradient")
}

//! `ci`: what a change must pass before it lands.

use crate::failure::Outcome;
use crate::run::Runner;
use crate::{build_time, check, simd, test};

/// Check, test, simd (where there is an objdump) and build-time, one after the other; the first
/// failure ends it.
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    check::run(runner, &[])?;
    test::run(runner, &[])?;
    simd::run_if_possible(runner)?;
    build_time::run(runner, &[])
}

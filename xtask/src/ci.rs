//! `ci`: what a change must pass before it lands.

use crate::failure::Outcome;
use crate::run::Runner;
use crate::{build_time, check, python, simd, test, wheel};

/// Check, test, build-time and simd (where there is an objdump), which uses the same build, one after the
/// other; the first failure ends it. The wheel and its tests come last.
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    check::run(runner, &[])?;
    test::rust(runner, &[])?;
    build_time::run(runner, &[])?;
    simd::run_if_possible(runner)?;
    let python = python::python(runner)?;
    wheel::install(runner, &python)?;
    wheel::test(runner, &python, false)
}

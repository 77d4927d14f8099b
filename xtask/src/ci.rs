//! `ci`: what a change must pass before it lands.

use crate::failure::Outcome;
use crate::run::Runner;
use crate::{check, python, simd, test, wheel};

/// Runs check, the tests, the build without back-ends, simd (where there is an objdump), and the wheel
/// with its tests. The first failure ends it. Cold builds are not measured here: `build-time` reports them.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    check::run(runner, &[])?;
    test::rust(runner, &[])?;
    test::without_features(runner)?;
    simd::run_if_possible(runner)?;
    let python = python::python(runner)?;
    wheel::install(runner, &python)?;
    wheel::test(runner, &python, false)
}

//! `pictures`: those of the documents, drawn by the library itself.

use crate::failure::Outcome;
use crate::run::Runner;

/// Where they lie.
const FOLDER: &str = "docs";

/// Draws every picture again. A test of the package fails while one of them is old.
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let words = ["run", "--quiet", "--package", "belvedere-draw", "--example", "pictures", FOLDER];
    runner.run("pictures", runner.cargo().args(words))?;
    Ok(())
}

//! `pictures`: those of the documents, drawn by the library itself.

use std::fs;

use crate::browser;
use crate::failure::{Failure, Outcome};
use crate::run::Runner;

/// Where they lie.
const FOLDER: &str = "docs";

/// Takes the picture of the playground, too. It differs a little from machine to machine, with its fonts.
const PAGE_WORD: &str = "--page";

/// What the test in the browser leaves, and where it goes.
const TAKEN: &str = "target/browser/screenshots/readme.png";
const PAGE: &str = "docs/play.png";

/// Draws every picture again. A test of the package fails while one of them is old.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.iter().find(|word| *word != PAGE_WORD) {
        return Err(Failure::Usage(format!("`pictures` knows {PAGE_WORD} alone, not `{word}`")));
    }
    let words = ["run", "--quiet", "--package", "belvedere-draw", "--example", "pictures", FOLDER];
    runner.run("pictures", runner.cargo().args(words))?;
    if arguments.is_empty() {
        return Ok(());
    }
    let mut command = runner.cargo();
    browser::browser(runner)?.tell(&mut command);
    command.args(["test", "--package", "belvedere-cli", "--test", "browser"]);
    runner.run("page", &mut command)?;
    let (taken, page) = (runner.root().join(TAKEN), runner.root().join(PAGE));
    fs::copy(taken, page).map_err(|error| Failure::Step(format!("{PAGE}: {error}")))?;
    println!("{PAGE}");
    Ok(())
}

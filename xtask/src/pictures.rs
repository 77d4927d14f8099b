//! `pictures`: draws the pictures of the documents with the library.

use std::fs;

use crate::browser;
use crate::failure::{Failure, Outcome};
use crate::run::Runner;

/// The folder of the pictures.
const FOLDER: &str = "docs";

/// Also takes the screenshot of the playground, which depends on the fonts of the machine.
const PAGE_WORD: &str = "--page";

/// The screenshot of the browser test, and its destination.
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
    browser::browser(runner)?.set_variables(&mut command);
    command.args(["test", "--package", "belvedere-cli", "--test", "browser"]);
    runner.run("page", &mut command)?;
    let (taken, page) = (runner.root().join(TAKEN), runner.root().join(PAGE));
    fs::copy(taken, page).map_err(|error| Failure::Step(format!("{PAGE}: {error}")))?;
    println!("{PAGE}");
    Ok(())
}

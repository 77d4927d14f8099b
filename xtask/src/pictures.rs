//! `pictures`: draws the pictures of the documents with the library.

use std::fs;

use crate::browser;
use crate::failure::{Failure, Outcome};
use crate::run::Runner;

/// The folder of the pictures.
const FOLDER: &str = "docs";

/// Also takes the screenshot of the playground, which depends on the fonts of the machine.
const PAGE_OPTION: &str = "--page";

/// The screenshot of the browser test, and its destination.
const SCREENSHOT: &str = "target/browser/screenshots/readme.png";
const PAGE: &str = "docs/play.png";

/// Redraws every picture. A test of `belvedere-draw` fails if one of them is stale.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.iter().find(|word| *word != PAGE_OPTION) {
        return Err(Failure::Usage(format!("`pictures` takes {PAGE_OPTION} only, got `{word}`")));
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
    let (taken, page) = (runner.root().join(SCREENSHOT), runner.root().join(PAGE));
    fs::copy(taken, page).map_err(|error| Failure::Step(format!("{PAGE}: {error}")))?;
    println!("{PAGE}");
    Ok(())
}

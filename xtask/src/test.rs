//! `test` and `tiny`: all tests, or the few that cover the public face.

use crate::failure::Outcome;
use crate::run::Runner;

/// Tests read this variable: if it is set, they enumerate every case instead of a sample.
const FULL: &str = "BELVEDERE_FULL";

/// Unit, integration and documentation tests, each once.
pub fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let mut command = runner.cargo();
    command.args(cargo_arguments(arguments));
    if arguments.iter().any(|argument| argument == "--full") {
        command.env(FULL, "1");
    }
    runner.run("test", &mut command)?;
    Ok(())
}

/// The tests of the public face, in seconds.
pub fn tiny(runner: &mut Runner, _: &[String]) -> Outcome {
    let arguments = ["test", "--package", "belvedere-layout", "--test", "tiny"];
    runner.run("tiny", runner.cargo().args(arguments))?;
    Ok(())
}

/// The words for cargo, with those of the user in their places on either side of `--`.
///
/// Some tests measure (how many chains of views merge into one) and print their figures, which
/// belong in the log. `--show-output` prints what a successful test wrote, in one piece and
/// without a second run of the test; a test that is silent adds only its name.
fn cargo_arguments(user: &[String]) -> Vec<String> {
    let mut halves = user.splitn(2, |word| word == "--");
    let for_cargo = halves.next().unwrap_or(&[]).iter().filter(|word| *word != "--full");
    let for_tests = halves.next().unwrap_or(&[]).iter();

    let mut words = vec!["test".to_string()];
    if !for_cargo.clone().any(|word| names_a_package(word)) {
        // Beside a package, cargo would take `--workspace` to mean all of them.
        words.push("--workspace".to_string());
    }
    words.extend(for_cargo.cloned());
    words.extend(["--".to_string(), "--show-output".to_string()]);
    words.extend(for_tests.cloned());
    words
}

/// Whether a word for cargo chooses a package.
fn names_a_package(word: &str) -> bool {
    word.starts_with("-p") || word == "--package" || word.starts_with("--package=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(user: &str) -> String {
        let user: Vec<String> = user.split_whitespace().map(str::to_string).collect();
        cargo_arguments(&user).join(" ")
    }

    #[test]
    fn words_of_the_user_go_to_their_side_of_the_dashes() {
        assert_eq!(line(""), "test --workspace -- --show-output");
        assert_eq!(line("merge"), "test --workspace merge -- --show-output");
        assert_eq!(line("-- --exact a"), "test --workspace -- --show-output --exact a");
        assert_eq!(line("--doc -- a"), "test --workspace --doc -- --show-output a");
    }

    #[test]
    fn full_is_a_word_for_us_and_not_for_cargo() {
        assert_eq!(line("--full merge"), "test --workspace merge -- --show-output");
    }

    #[test]
    fn a_named_package_replaces_the_workspace() {
        assert_eq!(line("-p xtask"), "test -p xtask -- --show-output");
        assert_eq!(line("--package=xtask"), "test --package=xtask -- --show-output");
    }
}

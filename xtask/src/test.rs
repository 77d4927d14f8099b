//! `test` and `tiny`: all tests, or the few that cover the public interface.

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::{browser, python, wheel};

/// Tests read this variable: if it is set, they enumerate every case instead of a sample.
const FULL: &str = "BELVEDERE_FULL";

/// Options that are not passed on to cargo: every case instead of a sample, and no comparison with NumPy.
const FULL_WORD: &str = "--full";
const NO_NUMPY_WORD: &str = "--no-numpy";

/// Skips the part that follows it: the browser tests, or those of the Python package.
const SKIP_WORD: &str = "--skip";
const BROWSER_WORD: &str = "browser";
const PYTHON_WORD: &str = "python";

/// The package whose tests compare with NumPy.
const NUMPY_PACKAGE: &str = "belvedere";

/// The package with browser tests.
const BROWSER_PACKAGE: &str = "belvedere-cli";

/// The package whose tests are in Python.
const PYTHON_PACKAGE: &str = "belvedere-python";

/// The features of the tensor crate that convert to and from the types of other crates. They are off by default, and on in
/// tests and lints, so that the crate is compiled once for both.
pub(crate) const NEIGHBOURS: [&str; 2] = [
    "--features",
    "belvedere/image,belvedere/nalgebra,belvedere/ndarray,belvedere/rayon,belvedere/serde",
];

/// The package that has these features.
const NEIGHBOURS_PACKAGE: &str = "belvedere";

/// The option of cargo that selects documentation tests.
const DOC_WORD: &str = "--doc";

/// The packages with a `tiny` test program.
const TINY_PACKAGES: &[&str] = &["belvedere-layout", "belvedere"];

/// Runs unit, integration and documentation tests, each once; then those of the Python package.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    rust(runner, arguments)?;
    if !wants_python(arguments) {
        return Ok(());
    }
    let python = python::python(runner)?;
    wheel::install(runner, &python)?;
    wheel::test(runner, &python, is_full(arguments))
}

/// Runs the tests of the Rust crates.
pub(crate) fn rust(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let parts = [BROWSER_WORD, PYTHON_WORD];
    if let Some(part) = skipped(arguments).iter().find(|part| !parts.contains(part)) {
        let message = format!(
            "`{SKIP_WORD} {BROWSER_WORD}` and `{SKIP_WORD} {PYTHON_WORD}` are all that can be \
             skipped, not `{part}`"
        );
        return Err(Failure::Usage(message));
    }
    for part in skipped(arguments) {
        eprintln!("skipped: {SKIP_WORD} {part}");
    }
    let browser = wants_browser(arguments).then(|| browser::browser(runner)).transpose()?;
    let python = wants_numpy(arguments).then(|| python::python(runner)).transpose()?;
    for (step, words) in cargo_commands(arguments) {
        let mut command = runner.cargo();
        if let Some(browser) = &browser {
            browser.set_variables(&mut command);
        }
        if let Some(python) = &python {
            python.set_variables(&mut command);
        }
        if is_full(arguments) {
            command.env(FULL, "1");
        }
        runner.run(step, command.args(words))?;
    }
    Ok(())
}

/// Runs the tests of the public interface, which take seconds.
pub(crate) fn tiny(runner: &mut Runner, _: &[String]) -> Outcome {
    // One by one: for several packages, cargo skips those without such a test.
    for package in TINY_PACKAGES {
        let arguments = ["test", "--package", package, "--test", "tiny"];
        runner.run(&format!("tiny {package}"), runner.cargo().args(arguments))?;
    }
    Ok(())
}

/// Tests the crates without default features: the tensor crate compiles without any back-end, and its functions
/// return errors that name the missing feature; the program compiles with the features it requires.
pub(crate) fn without_features(runner: &mut Runner) -> Outcome {
    let mut test = runner.cargo();
    test.args(["test", "--package", "belvedere", "--no-default-features", "--test", "features"]);
    // Unoptimized: it is a test of the public functions, and another build of the whole crate.
    test.env("CARGO_PROFILE_TEST_OPT_LEVEL", "0").env("RUSTFLAGS", "-Dwarnings");
    runner.run("test without features", test.args(["--target-dir", "target/featureless"]))?;
    let mut check = runner.cargo();
    check.args(["check", "--package", "belvedere-cli", "--target-dir", "target/featureless"]);
    runner.run("check the program alone", &mut check)?;
    Ok(())
}

/// Whether the requested tests include comparisons with NumPy.
fn wants_numpy(user: &[String]) -> bool {
    let words = for_cargo(user);
    let packages = packages(words);
    let is_compared = packages.is_empty() || packages.contains(&NUMPY_PACKAGE);
    is_compared && !words.iter().any(|word| word == NO_NUMPY_WORD)
}

/// Whether the requested tests include those of the page.
fn wants_browser(user: &[String]) -> bool {
    let packages = packages(for_cargo(user));
    let is_paged = packages.is_empty() || packages.contains(&BROWSER_PACKAGE);
    is_paged && !skipped(user).contains(&BROWSER_WORD)
}

/// Whether the requested tests include those of the Python package: all tests, or the package by name. Other words
/// of the user select Rust tests.
fn wants_python(user: &[String]) -> bool {
    let words = for_cargo(user);
    let is_left_out = words.iter().any(|word| word == NO_NUMPY_WORD);
    let is_chosen = match packages(words).as_slice() {
        [] => cargo_commands(user) == cargo_commands(&[]),
        packages => packages.contains(&PYTHON_PACKAGE),
    };
    is_chosen && !is_left_out && !skipped(user).contains(&PYTHON_WORD)
}

fn is_full(user: &[String]) -> bool {
    for_cargo(user).iter().any(|word| word == FULL_WORD)
}

/// The parts that `--skip` names.
fn skipped(user: &[String]) -> Vec<&str> {
    let words = for_cargo(user);
    let pairs = words.iter().zip(words.iter().skip(1).map(String::as_str).chain([""]));
    pairs.filter(|(word, _)| *word == SKIP_WORD).map(|(_, part)| part).collect()
}

/// The words of the user before `--`.
fn for_cargo(user: &[String]) -> &[String] {
    user.split(|word| word == "--").next().unwrap_or(&[])
}

/// Options of cargo that select tests by where they are, without their values.
const TARGET_WORDS: &[&str] =
    &["--lib", "--bin", "--bins", "--test", "--tests", "--example", "--examples", "--all-targets"];

/// Returns the steps and their arguments for cargo, with those of the user on their side of `--`.
///
/// Some tests measure (how many chains of views merge into one) and print their figures, which
/// belong in the log. `--show-output` prints what a successful test wrote, in one piece and
/// without a second run of the test; a test that is silent adds only its name.
///
/// Documentation tests are a command of their own, without it: with `--show-output` rustdoc compiles every
/// example into a program of its own, which takes 175 s for the tensor crate, instead of all into one, 10 s.
fn cargo_commands(user: &[String]) -> Vec<(&'static str, Vec<String>)> {
    let is_target = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        TARGET_WORDS.contains(&name)
    };
    let has_doc = for_cargo(user).iter().any(|word| word == DOC_WORD);
    if has_doc {
        return vec![("doctest", cargo_arguments(user, &[]))];
    }
    if for_cargo(user).iter().any(is_target) {
        return vec![("test", cargo_arguments(user, &["--", "--show-output"]))];
    }
    vec![
        ("test", cargo_arguments(user, &["--all-targets", "--", "--show-output"])),
        ("doctest", cargo_arguments(user, &[DOC_WORD])),
    ]
}

/// Returns the arguments for cargo: those of the user before `--`, `added`, and those of the user after it.
fn cargo_arguments(user: &[String], added: &[&str]) -> Vec<String> {
    let for_cargo = for_cargo(user);
    let for_tests = user.get(for_cargo.len() + 1..).unwrap_or(&[]);

    let mut words = vec!["test".to_string()];
    let packages = packages(for_cargo);
    if packages.is_empty() {
        // With `--package`, `--workspace` would select all packages.
        words.push("--workspace".to_string());
    }
    if packages.is_empty() || packages.contains(&NEIGHBOURS_PACKAGE) {
        words.extend(NEIGHBOURS.map(str::to_string));
    }
    let mut theirs = for_cargo.iter();
    while let Some(word) = theirs.next() {
        match word.as_str() {
            FULL_WORD | NO_NUMPY_WORD => {}
            SKIP_WORD => drop(theirs.next()),
            _ => words.push(word.clone()),
        }
    }
    words.extend(added.iter().map(|word| word.to_string()));
    if !for_tests.is_empty() && !added.contains(&"--") {
        words.push("--".to_string());
    }
    words.extend(for_tests.iter().cloned());
    words
}

/// The packages that the words for cargo select: `-p a`, `-pa`, `--package a`, `--package=a`.
fn packages(words: &[String]) -> Vec<&str> {
    let mut packages = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "-p" || word == "--package" {
            packages.extend(words.next());
        } else if let Some(name) = word.strip_prefix("--package=").or(word.strip_prefix("-p")) {
            packages.push(name);
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of cargo for words of the user, without the features that are always the same.
    fn lines(user: &str) -> Vec<String> {
        let user: Vec<String> = user.split_whitespace().map(str::to_string).collect();
        let commands = cargo_commands(&user).into_iter();
        let features = format!(" {}", NEIGHBOURS.join(" "));
        commands.map(|(_, words)| words.join(" ").replace(&features, "")).collect()
    }

    #[test]
    fn documentation_tests_are_a_command_of_their_own() {
        let both = ["test --workspace --all-targets -- --show-output", "test --workspace --doc"];
        assert_eq!(lines(""), both);
        assert_eq!(lines("--full"), both);
        assert_eq!(lines("--doc"), ["test --workspace --doc"]);
        assert_eq!(lines("--test tiny"), ["test --workspace --test tiny -- --show-output"]);
        assert_eq!(lines("--test=tiny"), ["test --workspace --test=tiny -- --show-output"]);
    }

    #[test]
    fn user_arguments_keep_their_side_of_the_dashes() {
        let [test, doctest] = &lines("merge -- --exact a")[..] else { panic!("two commands") };
        assert_eq!(test, "test --workspace merge --all-targets -- --show-output --exact a");
        assert_eq!(doctest, "test --workspace merge --doc -- --exact a");
        assert_eq!(lines("--doc -- a"), ["test --workspace --doc -- a"]);
    }

    #[test]
    fn options_of_this_command_are_not_passed_to_cargo() {
        for user in ["--full merge", "--no-numpy merge", "--skip browser merge"] {
            assert_eq!(lines(user), lines("merge"), "{user}");
        }
        assert_eq!(
            lines("--lib -- --skip a"),
            ["test --workspace --lib -- --show-output --skip a"]
        );
    }

    #[test]
    fn the_browser_is_needed_for_tests_of_the_page() {
        let wants = |user: &str| {
            wants_browser(&user.split_whitespace().map(str::to_string).collect::<Vec<_>>())
        };
        for line in ["", "--full", "-p belvedere-cli", "merge -- --skip browser"] {
            assert!(wants(line), "{line}");
        }
        for line in ["--skip browser", "-p belvedere", "-p belvedere-cli --skip browser"] {
            assert!(!wants(line), "{line}");
        }
    }

    #[test]
    fn the_package_is_tested_with_everything_or_by_name() {
        let wants = |user: &str| {
            wants_python(&user.split_whitespace().map(str::to_string).collect::<Vec<_>>())
        };
        for line in ["", "--full", "--skip browser", "-p belvedere-python", "--full --skip browser"]
        {
            assert!(wants(line), "{line}");
        }
        for line in [
            "--skip python",
            "--skip browser --skip python",
            "--no-numpy",
            "-p belvedere",
            "-p belvedere-python --skip python",
            "merge",
            "-- merge",
        ] {
            assert!(!wants(line), "{line}");
        }
    }

    #[test]
    fn a_named_package_replaces_the_workspace() {
        assert_eq!(lines("-p xtask --lib"), ["test -p xtask --lib -- --show-output"]);
        assert_eq!(lines("--package=xtask --doc"), ["test --package=xtask --doc"]);
    }

    #[test]
    fn the_tensor_crate_is_tested_with_its_neighbours() {
        let has_features = |user: &str| {
            let user: Vec<String> = user.split_whitespace().map(str::to_string).collect();
            let commands = cargo_commands(&user).into_iter();
            commands
                .map(|(_, words)| words.contains(&NEIGHBOURS[1].to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(has_features(""), [true, true]);
        assert_eq!(has_features("-p belvedere --doc"), [true]);
        assert_eq!(has_features("-p belvedere-layout"), [false, false]);
    }

    #[test]
    fn numpy_is_needed_for_comparisons() {
        let wants = |user: &str| {
            wants_numpy(&user.split_whitespace().map(str::to_string).collect::<Vec<_>>())
        };
        for line in ["", "--full", "-p belvedere", "-pbelvedere", "merge -- -p xtask"] {
            assert!(wants(line), "{line}");
        }
        for line in ["--no-numpy", "-p xtask", "--package=belvedere-layout", "-p a --package b"] {
            assert!(!wants(line), "{line}");
        }
    }
}

//! `compat`: runs the test suites of other projects on the package's arrays. Not part of `ci`: it takes an hour, and a
//! new version of another project must not fail a change of this one.
//!
//! `python/compat/suites.toml` has the suites, `python/compat/run.py` runs them.

use std::env::{join_paths, split_paths};
use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::{python, wheel};

/// The environment, the checkouts and the logs.
const FOLDER: &str = "target/compat";

/// The packages whose tests run, and what they need, with fixed versions.
const REQUIREMENTS: &str = "python/compat/requirements.txt";

/// The program that runs the suites and prints the counts.
const PROGRAM: &str = "python/compat/run.py";

/// The option with the folder of a package that is built already.
const PACKAGE_WORD: &str = "--package";

/// Runs the suites that the user names, or all of them.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let (package, rest) = parse(arguments)?;
    let python = python::environment(runner, FOLDER, REQUIREMENTS)?;
    let mut command = python.command(runner);
    match package {
        Some(package) => {
            let inherited = command
                .get_envs()
                .find_map(|(name, value)| (name == "PYTHONPATH").then_some(value?.to_owned()))
                .unwrap_or_default();
            let folder = runner.root().join(package);
            let paths = [folder].into_iter().chain(split_paths(&inherited));
            let paths = paths.filter(|path| *path != PathBuf::new());
            let joined = join_paths(paths).map_err(|error| Failure::Usage(error.to_string()))?;
            command.env("PYTHONPATH", joined);
        }
        None => {
            // A wrong name is reported before the wheel is built, which takes minutes.
            let mut check = python.command(runner);
            check.args([PROGRAM, "--work", FOLDER, "--check"]).args(&rest);
            runner.run("check arguments", &mut check)?;
            let builder = python::python(runner)?;
            let wheel = wheel::build(runner, &builder)?;
            wheel::install_file(runner, &python, &wheel)?;
        }
    }
    command.args([PROGRAM, "--work", FOLDER]).args(rest);
    runner.run("compat", &mut command)?;
    Ok(())
}

/// The folder after `--package`, if it is given, and the other words, which the program parses.
fn parse(arguments: &[String]) -> Result<(Option<&str>, Vec<&String>), Failure> {
    let Some(i) = arguments.iter().position(|word| word == PACKAGE_WORD) else {
        return Ok((None, arguments.iter().collect()));
    };
    let Some(folder) = arguments.get(i + 1) else {
        let message = format!("`{PACKAGE_WORD}` needs the folder that contains `belvedere`");
        return Err(Failure::Usage(message));
    };
    let rest = arguments[..i].iter().chain(&arguments[i + 2..]);
    Ok((Some(folder), rest.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_taken_out_of_the_arguments() {
        let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        let given = words("--record --package python dask");
        let (package, rest) = parse(&given).expect("the folder is there");
        assert_eq!(package, Some("python"));
        assert_eq!(rest, ["--record", "dask"]);
        let given = words("dask");
        assert_eq!(parse(&given).expect("no folder is needed"), (None, vec![&given[0]]));
        assert!(parse(&words("dask --package")).is_err());
    }
}

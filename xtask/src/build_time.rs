//! `build-time`: the duration of cold builds, which a new user waits for.
//!
//! Durations are reported against goals, never asserted: they depend on what else runs on the machine.
//! The goals are for two idle cores.

use std::env;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use crate::failure::{Failure, Outcome};
use crate::python;
use crate::run::{Runner, seconds};
use crate::table::{self, Column};

/// The folder of cold builds, separate so that they reuse and invalidate nothing.
const FOLDER: &str = "target/cold";

/// Measures `cargo xtask ci` as well.
const CI_OPTION: &str = "--ci";

/// The builds of a user of Rust: a name for the report, a folder, and the arguments of cargo.
const BUILDS: [(&str, &str, &[&str]); 3] = [
    ("first command of the README", "first-command", &["build", "--package", "belvedere-cli"]),
    ("belvedere, default features", "default-features", &["build", "--package", "belvedere"]),
    (
        "belvedere, no features",
        "no-features",
        &["build", "--package", "belvedere", "--no-default-features"],
    ),
];

const BUILD_GOAL: Duration = Duration::from_secs(60);
const PIP_GOAL: Duration = Duration::from_secs(180);
const CI_GOAL: Duration = Duration::from_secs(15 * 60);

/// The goal for the size of `target/` after `cargo xtask ci`.
const TARGET_GOAL_BYTES: u64 = 6_000_000_000;

/// One row of the report: what was measured, the result, the goal, and their ratio.
type ReportRow = [String; 4];

/// Measures cold builds and prints a table of durations, goals and ratios.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let with_ci = match arguments {
        [] => false,
        [option] if option == CI_OPTION => true,
        _ => return Err(Failure::Usage(format!("build-time takes no argument or `{CI_OPTION}`"))),
    };
    remove_folder(runner, FOLDER)?;
    // Before the clock starts: downloads are not measured.
    runner.run("fetch", runner.isolated_cargo().args(["fetch", "--target", "host-tuple"]))?;
    let python = python::python(runner)?;

    let mut rows = Vec::new();
    for (name, folder, arguments) in BUILDS {
        let mut build = runner.isolated_cargo();
        build.args(arguments).arg("--target-dir").arg(format!("{FOLDER}/{folder}"));
        let took = runner.run(&format!("cold build of {folder}"), &mut build)?;
        rows.push(duration_row(name, took, BUILD_GOAL));
    }

    let mut pip = python.command(runner);
    pip.env("CARGO_TARGET_DIR", runner.root().join(FOLDER).join("pip"));
    // The build system is a program beside Python, which is looked up by name.
    let programs = runner.root().join(python.program()).parent().map(Path::to_path_buf);
    let path = env::var_os("PATH").unwrap_or_default();
    if let Ok(path) = env::join_paths(programs.into_iter().chain(env::split_paths(&path))) {
        pip.env("PATH", path);
    }
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    // Without isolation, since that would download the build system.
    pip.args(["--no-build-isolation", "--target", &format!("{FOLDER}/site-packages"), "./python"]);
    let took = runner.run("cold pip install", &mut pip)?;
    rows.push(duration_row("pip install ./python", took, PIP_GOAL));

    if with_ci {
        rows.extend(measure_ci(runner)?);
    }
    print!("\n{}", table::render(COLUMNS, &rows));
    Ok(())
}

/// The columns of the report.
const COLUMNS: [Column; 4] = [
    Column::Left("cold build"),
    Column::Right("took"),
    Column::Right("goal"),
    Column::Right("ratio"),
];

/// Runs `cargo xtask ci` in a clone of the last commit, whose `target/` is empty. Downloads are included.
fn measure_ci(runner: &mut Runner) -> Result<[ReportRow; 2], Failure> {
    let clone = format!("{FOLDER}/clone");
    let mut git = runner.command("git");
    runner.run("clone", git.args(["clone", "--quiet", "--local", ".", &clone]))?;
    let mut ci = runner.isolated_cargo();
    let folder = runner.root().join(&clone);
    ci.current_dir(&folder).env("CARGO_INCREMENTAL", "0").args(["xtask", "ci"]);
    let took = runner.run("cold ci", &mut ci)?;
    let bytes = folder_bytes(&folder.join("target"))
        .map_err(|error| Failure::Step(format!("{clone}/target: {error}")))?;
    let gigabytes = |bytes: u64| format!("{:.1} GB", bytes as f64 / 1e9);
    let ratio = format!("{:.2}", bytes as f64 / TARGET_GOAL_BYTES as f64);
    let size = ["target/ after ci".into(), gigabytes(bytes), gigabytes(TARGET_GOAL_BYTES), ratio];
    Ok([duration_row("cargo xtask ci", took, CI_GOAL), size])
}

fn duration_row(what: &str, took: Duration, goal: Duration) -> ReportRow {
    let ratio = took.as_secs_f64() / goal.as_secs_f64();
    let show = |duration| format!("{} s", seconds(duration));
    [what.to_string(), show(took), show(goal), format!("{ratio:.2}")]
}

/// Removes a folder below the root, if it exists.
fn remove_folder(runner: &Runner, folder: &str) -> Outcome {
    match fs::remove_dir_all(runner.root().join(folder)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::Step(format!("{folder} could not be removed: {error}")))
        }
        _ => Ok(()),
    }
}

/// The bytes of all files below a folder. Symbolic links are not followed.
fn folder_bytes(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { folder_bytes(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_duration_the_goal_and_their_ratio() {
        let row = duration_row("ci", Duration::from_secs(90), Duration::from_secs(60));
        assert_eq!(row, ["ci", "90.0 s", "60.0 s", "1.50"]);
    }

    #[test]
    fn the_size_of_a_folder_is_that_of_its_files() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let bytes = folder_bytes(&sources).expect("the sources can be read");
        let this = fs::metadata(sources.join("build_time.rs")).expect("this file exists").len();
        assert!(bytes > this);
    }
}

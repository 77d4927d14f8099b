//! `fuzz`: runs the fuzz targets and prints a table of the results.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::part::{self, Part, PartEnd};
use crate::run::Runner;

/// The version of cargo-fuzz that is installed. It is fixed, since its arguments and its output are relied on below.
const CARGO_FUZZ_VERSION: &str = "0.13.2";

/// Inputs that a run has found, not in the repository; and a few of them for each target that are, so that the first run does
/// not begin from nothing.
const CORPUS: &str = "fuzz/corpus";
const SEEDS: &str = "fuzz/seeds";

/// Tools are installed here, inside of the repository.
const TOOLS: &str = "target/tools";

/// The default duration of a target: long enough to notice recent defects, short enough to run all targets before a
/// commit that changes arithmetic.
const DEFAULT_SECONDS: u32 = 20;

/// An input that takes longer is a failure: none of a few kilobytes may cause that much work.
const MAX_INPUT_SECONDS: u32 = 20;

/// Runs all requested targets, even if an early one fails.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let request = parse(arguments, &existing_targets(runner.root())?)?;
    part::report(&parts(runner, &request)?)
}

/// Builds and runs the targets of a request.
pub(crate) fn parts(runner: &mut Runner, request: &FuzzRequest) -> Result<Vec<Part>, Failure> {
    let tool = cargo_fuzz(runner)?;
    // A separate step, so that the times in the table are those of fuzzing. One command for all targets shares the compiler's
    // work on their dependencies between the cores.
    let mut build = fuzz_command(runner, &tool, "build");
    if let [target] = &*request.targets {
        build.arg(target);
    }
    runner.run("build fuzz targets", &mut build)?;
    let run = |target: &String| {
        let result = run_target(runner, &tool, target, request.seconds);
        Part::from_result(&part_name(target), result)
    };
    Ok(request.targets.iter().map(run).collect())
}

/// The name of a target in the table.
fn part_name(target: &str) -> String {
    format!("fuzz target `{target}`")
}

/// Runs one target, which is built.
fn run_target(
    runner: &mut Runner,
    tool: &Path,
    target: &str,
    seconds: u32,
) -> Result<Part, Failure> {
    let mut command = fuzz_command(runner, tool, "run");
    command.arg(target).args(corpora(runner.root(), target)?);
    command.args(["--", &format!("-max_total_time={seconds}"), "-print_final_stats=1"]);
    command.arg(format!("-timeout={MAX_INPUT_SECONDS}"));
    let mut log = Log::default();
    let (status, duration) =
        runner.watch(&format!("fuzz {target}"), &mut command, |line| log.read(line))?;
    let executions = log.executions.unwrap_or_default();
    let end = match status.success() {
        true => PartEnd::Passed,
        false => PartEnd::Failed(log.failure_message()),
    };
    Ok(Part { cases: executions, executions, duration, end, ..Part::new(&part_name(target)) })
}

/// The folders of a target's inputs: that which new ones are written to, and the seeds, if there are any.
fn corpora(root: &Path, target: &str) -> Result<Vec<String>, Failure> {
    let [corpus, seeds] = [CORPUS, SEEDS].map(|folder| format!("{folder}/{target}"));
    fs::create_dir_all(root.join(&corpus))
        .map_err(|error| Failure::Step(format!("{corpus} could not be created: {error}")))?;
    let has_seeds = root.join(&seeds).is_dir();
    Ok([corpus].into_iter().chain(has_seeds.then_some(seeds)).collect())
}

/// A request to run all targets, for some seconds each.
pub(crate) fn all_targets(runner: &Runner, seconds: u32) -> Result<FuzzRequest, Failure> {
    Ok(FuzzRequest { seconds, targets: existing_targets(runner.root())? })
}

/// Which targets to run, and how long.
#[derive(Debug, PartialEq)]
pub(crate) struct FuzzRequest {
    /// The duration of each target.
    pub seconds: u32,
    /// The targets, in order.
    pub targets: Vec<String>,
}

/// Parses the arguments. No target means all.
fn parse(arguments: &[String], existing: &[String]) -> Result<FuzzRequest, Failure> {
    let mut request = FuzzRequest { seconds: DEFAULT_SECONDS, targets: Vec::new() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--seconds" {
            let value = words.next().map_or("", String::as_str);
            // For the fuzzer, zero means no limit.
            request.seconds = value.parse().ok().filter(|&n| n > 0).ok_or_else(|| {
                Failure::Usage(format!("--seconds needs a number from 1 on, got `{value}`"))
            })?;
        } else if existing.contains(word) {
            request.targets.push(word.clone());
        } else {
            let list = existing.join(", ");
            return Err(Failure::Usage(format!(
                "unknown fuzz target `{word}`, expected one of: {list}"
            )));
        }
    }
    if request.targets.is_empty() {
        request.targets = existing.to_vec();
    }
    Ok(request)
}

/// The names of the targets, sorted: the file names of `fuzz/fuzz_targets/*.rs`.
fn existing_targets(root: &Path) -> Result<Vec<String>, Failure> {
    let folder = "fuzz/fuzz_targets";
    let files = fs::read_dir(root.join(folder))
        .map_err(|error| Failure::Step(format!("there are no fuzz targets: {folder}: {error}")))?;
    let mut names: Vec<String> = files
        .filter_map(|file| Some(file.ok()?.file_name().to_str()?.strip_suffix(".rs")?.to_string()))
        .collect();
    names.sort();
    Ok(names)
}

/// Returns the path of cargo-fuzz, and installs it if needed.
fn cargo_fuzz(runner: &mut Runner) -> Result<PathBuf, Failure> {
    let program = runner.root().join(TOOLS).join(format!("bin/cargo-fuzz{EXE_SUFFIX}"));
    if !program.exists() {
        let mut install = runner.isolated_cargo();
        install.args(["install", "cargo-fuzz", "--version", CARGO_FUZZ_VERSION, "--locked"]);
        runner.run("install cargo-fuzz", install.args(["--root", TOOLS]))?;
    }
    Ok(program)
}

/// A command of cargo-fuzz: with debug assertions, overflow checks and AddressSanitizer, which finds the accesses outside of an
/// allocation that an assertion does not see; the targets that draw layouts only have few allocations and lose little time
/// by it. `fuzz/Cargo.toml` says how the targets are optimised.
fn fuzz_command(runner: &Runner, tool: &Path, verb: &str) -> Command {
    let mut command = runner.isolated(tool);
    // Coverage and sanitizers are unstable flags. `RUSTC_BOOTSTRAP` allows them in the stable compiler, so that the
    // tested code is what is shipped, and no second toolchain is needed.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.args(["fuzz", verb, "--dev", "--fuzz-dir", "fuzz", "--target-dir", "target/fuzz"]);
    // The default of one is compiled on one core only.
    command.args(["--codegen-units", "16"]);
    command
}

/// The results in the output of a target.
#[derive(Debug, Default)]
struct Log {
    /// The number of inputs.
    executions: Option<u64>,
    /// The path of the crashing input, relative to the root.
    crashing_input: Option<String>,
}

impl Log {
    /// Reads one line of the output.
    fn read(&mut self, line: &str) {
        if let Some((_, count)) = line.split_once("stat::number_of_executed_units:") {
            self.executions = count.trim().parse().ok();
        }
        if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.crashing_input = Some(path.trim().to_string());
        }
    }

    /// Returns the message of a failed run.
    fn failure_message(&self) -> String {
        match &self.crashing_input {
            Some(path) => format!("crashed on {path}"),
            None => "failed without a crashing input".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<FuzzRequest, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let existing = ["merge", "reshape"].map(str::to_string);
        parse(&words, &existing).map_err(|failure| failure.to_string())
    }

    #[test]
    fn no_target_means_all() {
        let targets = vec!["merge".to_string(), "reshape".to_string()];
        assert_eq!(parsed(""), Ok(FuzzRequest { seconds: 20, targets: targets.clone() }));
        assert_eq!(parsed("--seconds 3"), Ok(FuzzRequest { seconds: 3, targets }));
    }

    #[test]
    fn named_targets_keep_their_order() {
        let targets = vec!["reshape".to_string(), "merge".to_string()];
        assert_eq!(parsed("reshape --seconds 3 merge"), Ok(FuzzRequest { seconds: 3, targets }));
    }

    #[test]
    fn an_unknown_target_lists_those_there_are() {
        let message = "unknown fuzz target `slice`, expected one of: merge, reshape".to_string();
        assert_eq!(parsed("merge slice"), Err(message));
    }

    #[test]
    fn seconds_are_a_positive_number() {
        for (line, got) in [("--seconds", ""), ("--seconds 0", "0"), ("--seconds x", "x")] {
            let message = format!("--seconds needs a number from 1 on, got `{got}`");
            assert_eq!(parsed(line), Err(message));
        }
    }

    #[test]
    fn a_crash_says_where_its_input_is() {
        let mut log = Log::default();
        log.read("artifact_prefix='fuzz/artifacts/merge/'; Test unit written to fuzz/a/crash-1");
        log.read("stat::number_of_executed_units: 1914");
        assert_eq!(log.failure_message(), "crashed on fuzz/a/crash-1");
        assert_eq!(log.executions, Some(1914));
    }
}

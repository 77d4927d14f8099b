//! `soak`: the campaign, in one table: sanitizers and models, fuzzers, and tests that depend on the order of threads, on forks
//! and on memory.
//!
//! The sanitizers and models run once. Then each fuzzer and each test program gets a share of the given time: a fuzzer runs once,
//! for its share; a test program is repeated until its share is used up. A part runs to its end even if another one
//! failed. `part.rs` says what is counted.
//!
//! A test program may print `faults injected: N`; the numbers are added up.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};
use crate::fuzz;
use crate::model;
use crate::part::{self, Part, PartEnd, Row, TITLES};
use crate::python::{self, Python};
use crate::run::Runner;
use crate::sanitize;
use crate::wheel;

/// The default duration of the fuzzers and repeated tests together.
const DEFAULT_MINUTES: u32 = 10;

/// The file of the recorded table.
const RECORD: &str = "docs/campaign.md";

/// The fuzzers in Python, each a program with `--seed` and `--seconds`.
const PYTHON_FUZZERS: &[&str] = &["fuzz/python/programs.py", "fuzz/python/inputs.py"];

/// Tests of the core that are repeated: a name, the test program, and the filters of its tests.
const CORE_TESTS: &[(&str, &str, &[&str])] = &[
    ("threads", "all", &["threads::", "concurrent_writes::", "borrows::", "aliasing::"]),
    ("the thread pool", "pool", &[]),
    ("forks", "fork", &[]),
    ("allocations and streams that fail", "faults", &[]),
    ("memory limits of readers", "npy_memory", &[]),
    ("memory that is used", "memory", &[]),
    ("leaks", "leaks", &[]),
];

/// Files of the package's tests that are repeated.
const PACKAGE_TESTS: &[(&str, &str)] = &[
    ("threads, from Python", "python/tests/test_threads.py"),
    ("forks, from Python", "python/tests/test_fork.py"),
    ("memory limits, from Python", "python/tests/test_memory_limit.py"),
    ("interrupts", "python/tests/test_interrupt.py"),
    ("files that fail", "python/tests/test_file_faults.py"),
    ("lifetime of objects", "python/tests/test_lifetime.py"),
];

/// Of ten parts of the time, those of the fuzz targets and of the fuzzers in Python; the rest is for the tests.
const FUZZ_TENTHS: u32 = 5;
const PYTHON_TENTHS: u32 = 2;

/// Runs all parts, prints the table, and writes it to a file with `--record`.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let mut parts = sanitize::parts(runner);
    parts.push(sum("models: every interleaving", model::models(runner)));
    parts.push(sum("mutants of the modelled code", model::mutants(runner)));

    let tenth = Duration::from_secs(u64::from(request.minutes) * 6);
    let share = tenth * (10 - FUZZ_TENTHS - PYTHON_TENTHS) / n_repeated();
    let results = [
        ("fuzz targets", fuzz_targets(runner, tenth * FUZZ_TENTHS)),
        ("tests of the core", Ok(core_tests(runner, share))),
        ("the package", package_parts(runner, &request, share, tenth * PYTHON_TENTHS)),
    ];
    for (name, result) in results {
        match result {
            Ok(made) => parts.extend(made),
            Err(failure) => parts.push(Part::from_result(name, Err(failure))),
        }
    }
    if request.is_recorded {
        record(runner, &request, &parts)?;
    }
    part::report(&parts)
}

/// The number of test programs that are repeated.
fn n_repeated() -> u32 {
    (CORE_TESTS.len() + PACKAGE_TESTS.len()) as u32
}

/// Runs all fuzz targets; `duration` is that of all of them together.
fn fuzz_targets(runner: &mut Runner, duration: Duration) -> Result<Vec<Part>, Failure> {
    let mut request = fuzz::all_targets(runner, 1)?;
    request.seconds = (duration.as_secs() as u32 / request.targets.len().max(1) as u32).max(1);
    fuzz::parts(runner, &request)
}

/// Repeats the tests of the core, each for its share of the time.
fn core_tests(runner: &mut Runner, share: Duration) -> Vec<Part> {
    let test = |(name, program, filters): &(&str, &str, &[&str])| {
        let mut command = runner.cargo();
        command.args(["test", "--package", "belvedere", "--test", program, "--"]).args(*filters);
        repeat(runner, name, command.arg("--nocapture"), share)
    };
    CORE_TESTS.iter().map(test).collect()
}

/// Repeats tests of the package, each for its share of the time, and runs the fuzzers in Python.
fn package_parts(
    runner: &mut Runner,
    request: &SoakRequest,
    share: Duration,
    fuzz_duration: Duration,
) -> Result<Vec<Part>, Failure> {
    // The package is that of these sources, not one that was installed before.
    let python = python::python(runner)?;
    wheel::install(runner, &python)?;
    let mut parts = Vec::new();
    for (name, file) in PACKAGE_TESTS {
        let mut command = python.command(runner);
        command.args(["-m", "pytest", file, "--quiet", "-p", "no:cacheprovider", "-s"]);
        parts.push(repeat(runner, name, &mut command, share));
    }
    for program in PYTHON_FUZZERS {
        let share = fuzz_duration / PYTHON_FUZZERS.len() as u32;
        let result = python_fuzzer(runner, &python, program, share, request.seed);
        parts.push(Part::from_result(program, result));
    }
    Ok(parts)
}

/// One part with the counts of several.
fn sum(name: &str, parts: Vec<Part>) -> Part {
    let mut total = Part::new(name);
    parts.into_iter().for_each(|part| total.add(part));
    total
}

/// The arguments of the command line.
#[derive(Debug, PartialEq)]
struct SoakRequest {
    minutes: u32,
    seed: u32,
    is_recorded: bool,
}

fn parse(arguments: &[String]) -> Result<SoakRequest, Failure> {
    let mut request = SoakRequest { minutes: DEFAULT_MINUTES, seed: 1, is_recorded: false };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().map_or("", String::as_str);
            let number = value.parse::<u32>().ok().filter(|&n| n > 0);
            number.ok_or_else(|| {
                Failure::Usage(format!("{word} needs a number from 1 on, got `{value}`"))
            })
        };
        match word.as_str() {
            "--minutes" => request.minutes = number()?,
            "--seed" => request.seed = number()?,
            "--record" => request.is_recorded = true,
            _ => {
                let message = "expected --minutes N, --seed N or --record, got";
                return Err(Failure::Usage(format!("{message} `{word}`")));
            }
        }
    }
    Ok(request)
}

fn python_fuzzer(
    runner: &mut Runner,
    python: &Python,
    program: &str,
    share: Duration,
    seed: u32,
) -> Result<Part, Failure> {
    let mut command = python.command(runner);
    command.args([program, "--seed", &seed.to_string()]);
    command.args(["--seconds", &share.as_secs().max(1).to_string()]);
    let (status, output, duration) = runner.observe(program, &mut command)?;
    let [cases, executions, faults, _] = counts_of_fuzzer(&output).unwrap_or_default();
    // A fuzzer ends with 1 after a failure; a crash of the interpreter prints no counts.
    let end = PartEnd::from_status(status);
    let name = format!("`{program}`");
    Ok(Part { cases, executions, faults, duration, end, ..Part::new(&name) })
}

/// Reads the last line of a fuzzer, `cases=1 executions=2 faults=3 failures=0`.
fn counts_of_fuzzer(output: &str) -> Option<[u64; 4]> {
    let line = output.lines().rev().find(|line| line.starts_with("cases="))?;
    let mut words = line.split_whitespace();
    let mut counts = [0; 4];
    for (count, name) in counts.iter_mut().zip(["cases=", "executions=", "faults=", "failures="]) {
        *count = words.next()?.strip_prefix(name)?.parse().ok()?;
    }
    Some(counts)
}

/// Repeats a test program until its share of the time is used up, at least once, or until it fails.
fn repeat(runner: &mut Runner, name: &str, command: &mut Command, share: Duration) -> Part {
    let mut total = Part::new(name);
    let begin = Instant::now();
    loop {
        total.add(Part::from_result(name, Part::test_round(runner, name, command)));
        if total.has_failed() || begin.elapsed() >= share {
            return total;
        }
    }
}

/// Writes the table as Markdown.
fn record(runner: &mut Runner, request: &SoakRequest, parts: &[Part]) -> Outcome {
    let mut command = runner.command("git");
    let commit = runner.read("commit", command.args(["describe", "--always", "--dirty"]))?;
    let text = markdown(request, commit.trim(), &part::rows(parts));
    fs::write(runner.root().join(RECORD), text)
        .map_err(|error| Failure::Step(format!("{RECORD} could not be written: {error}")))
}

/// The recorded table.
fn markdown(request: &SoakRequest, commit: &str, rows: &[Row]) -> String {
    let [left, right] = ["---|", "---:|"];
    let mut text = format!(
        "# The campaign\n\n\
         `cargo xtask soak --minutes {} --seed {} --record` at commit {commit}. The time is that of fuzzers and repeated tests; \
         the sanitizers and models run once, to their end. Fuzz targets run with AddressSanitizer and overflow checks. A case is \
         an input, a program, a model or a test; an execution an operation, an interleaving or a round of tests; a fault an \
         invalid argument, a failure that was injected, or a mutant that a model has to find.\n\n| {} |\n|{left}{}{left}\n",
        request.minutes,
        request.seed,
        TITLES.join(" | "),
        right.repeat(TITLES.len() - 2),
    );
    for row in rows {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<SoakRequest, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        parse(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn arguments_are_parsed() {
        let default = SoakRequest { minutes: 10, seed: 1, is_recorded: false };
        assert_eq!(parsed(""), Ok(default));
        let long = SoakRequest { minutes: 90, seed: 7, is_recorded: true };
        assert_eq!(parsed("--seed 7 --record --minutes 90"), Ok(long));
        assert_eq!(
            parsed("--minutes 0"),
            Err("--minutes needs a number from 1 on, got `0`".to_string())
        );
        let message = "expected --minutes N, --seed N or --record, got `--fast`";
        assert_eq!(parsed("--fast"), Err(message.to_string()));
    }

    #[test]
    fn the_counts_of_a_fuzzer_are_those_of_its_last_line() {
        let output = "case 3\ncases=12 executions=340 faults=5 failures=1\n";
        assert_eq!(counts_of_fuzzer(output), Some([12, 340, 5, 1]));
        assert_eq!(counts_of_fuzzer("Segmentation fault"), None);
        assert_eq!(counts_of_fuzzer("cases=many"), None);
    }

    #[test]
    fn the_recorded_table_has_a_cell_for_each_title() {
        let request = SoakRequest { minutes: 1, seed: 2, is_recorded: true };
        let forks = Part { cases: 3, duration: Duration::from_secs(90), ..Part::new("forks") };
        let text = markdown(&request, "abc1234", &part::rows(&[forks])[..1]);
        let expected = "|---|---:|---:|---:|---:|---:|---|\n| forks | 3 | 0 | 0 | 0 | 1.5 | ok |\n";
        assert!(text.ends_with(expected), "{text}");
    }
}

//! `soak`: the campaign. Fuzzers, and tests that depend on the order of threads, on forks and on memory, for a given time.
//!
//! Each part gets a share of the time, and runs to its end even if another one failed. A fuzzer runs once, for its share; a
//! test program is repeated until its share is used up. The results are one table: cases (inputs, programs or tests),
//! executions (operations, or rounds), faults (invalid arguments and failures that were injected on purpose) and failures.
//!
//! A test program may print `faults injected: N`; the numbers are added up.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};
use crate::fuzz::{self, FuzzResult};
use crate::python::{self, Python};
use crate::run::Runner;
use crate::table::{self, Column};

/// The default duration of all parts together.
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

/// What a part of the campaign did.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    cases: u64,
    executions: u64,
    faults: u64,
    failures: u64,
    seconds: f64,
}

/// Runs all parts, prints the table, and writes it to a file with `--record`.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let python = python::python(runner)?;
    let tenth = Duration::from_secs(u64::from(request.minutes) * 6);
    let mut rows: Vec<(String, Tally)> = Vec::new();

    let mut targets = fuzz::all_targets(runner, 1)?;
    let n_targets = targets.targets.len().max(1) as u32;
    targets.seconds = (tenth.as_secs() as u32 * FUZZ_TENTHS / n_targets).max(1);
    for result in fuzz::run_targets(runner, &targets)? {
        rows.push((format!("fuzz target `{}`", result.target), tally_of_target(&result)));
    }
    let share = tenth * PYTHON_TENTHS / PYTHON_FUZZERS.len() as u32;
    for program in PYTHON_FUZZERS {
        let tally = python_fuzzer(runner, &python, program, share, request.seed)?;
        rows.push((format!("`{program}`"), tally));
    }
    let n_tests = (CORE_TESTS.len() + PACKAGE_TESTS.len()) as u32;
    let share = tenth * (10 - FUZZ_TENTHS - PYTHON_TENTHS) / n_tests;
    for (name, program, filters) in CORE_TESTS {
        let mut command = runner.cargo();
        command.args(["test", "--package", "belvedere", "--test", program, "--"]).args(*filters);
        command.arg("--nocapture");
        rows.push((name.to_string(), repeat(runner, name, &mut command, share)?));
    }
    for (name, file) in PACKAGE_TESTS {
        let mut command = python.command(runner);
        command.args(["-m", "pytest", file, "--quiet", "-p", "no:cacheprovider", "-s"]);
        rows.push((name.to_string(), repeat(runner, name, &mut command, share)?));
    }
    report(runner, &request, &rows)
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

fn tally_of_target(result: &FuzzResult) -> Tally {
    Tally {
        cases: result.executions,
        executions: result.executions,
        faults: 0,
        failures: u64::from(result.failure.is_some()),
        seconds: result.duration.as_secs_f64(),
    }
}

fn python_fuzzer(
    runner: &mut Runner,
    python: &Python,
    program: &str,
    share: Duration,
    seed: u32,
) -> Result<Tally, Failure> {
    let mut command = python.command(runner);
    command.args([program, "--seed", &seed.to_string()]);
    command.args(["--seconds", &share.as_secs().max(1).to_string()]);
    let (status, output, duration) = runner.observe(program, &mut command)?;
    let mut tally = tally_of_fuzzer(&output).unwrap_or_default();
    tally.seconds = duration.as_secs_f64();
    // A crash of the interpreter prints no counts.
    tally.failures = tally.failures.max(u64::from(!status.success()));
    Ok(tally)
}

/// Reads the last line of a fuzzer, `cases=1 executions=2 faults=3 failures=0`.
fn tally_of_fuzzer(output: &str) -> Option<Tally> {
    let line = output.lines().rev().find(|line| line.starts_with("cases="))?;
    let mut tally = Tally::default();
    for word in line.split_whitespace() {
        let (name, count) = word.split_once('=')?;
        let count = count.parse().ok()?;
        match name {
            "cases" => tally.cases = count,
            "executions" => tally.executions = count,
            "faults" => tally.faults = count,
            "failures" => tally.failures = count,
            _ => return None,
        }
    }
    Some(tally)
}

/// Repeats a test program until its share of the time is used up, at least once, or until it fails.
fn repeat(
    runner: &mut Runner,
    name: &str,
    command: &mut Command,
    share: Duration,
) -> Result<Tally, Failure> {
    let mut total = Tally::default();
    let begin = Instant::now();
    loop {
        let (status, output, duration) = runner.observe(name, command)?;
        total.executions += 1;
        total.cases += n_passed(&output);
        total.faults += n_faults(&output);
        total.seconds += duration.as_secs_f64();
        if !status.success() {
            // Tests print their failures to the standard output.
            eprint!("{output}");
            total.failures += 1;
        }
        if total.failures > 0 || begin.elapsed() >= share {
            return Ok(total);
        }
    }
}

/// Returns the sum of the numbers before the word `passed`, as in `test result: ok. 12 passed; …` and `12 passed in 3s`.
fn n_passed(output: &str) -> u64 {
    let words: Vec<&str> = output.split_whitespace().collect();
    let counts = words.windows(2).filter(|pair| pair[1].trim_end_matches([';', ',']) == "passed");
    counts.filter_map(|pair| pair[0].parse::<u64>().ok()).sum()
}

/// Returns the sum of the numbers after `faults injected:`.
fn n_faults(output: &str) -> u64 {
    let counts = output.lines().filter_map(|line| line.split_once("faults injected:"));
    counts.filter_map(|(_, count)| count.split_whitespace().next()?.parse::<u64>().ok()).sum()
}

const TITLES: [&str; 6] = ["part", "cases", "executions", "faults", "failures", "minutes"];

/// Prints the table, and writes it as Markdown if requested.
fn report(runner: &mut Runner, request: &SoakRequest, rows: &[(String, Tally)]) -> Outcome {
    let total = rows.iter().fold(Tally::default(), |total, (_, it)| Tally {
        cases: total.cases + it.cases,
        executions: total.executions + it.executions,
        faults: total.faults + it.faults,
        failures: total.failures + it.failures,
        seconds: total.seconds + it.seconds,
    });
    let cells: Vec<[String; 6]> =
        rows.iter().map(|(name, tally)| row(name, tally)).chain([row("total", &total)]).collect();
    let [part, numbers @ ..] = TITLES;
    let [a, b, c, d, e] = numbers.map(Column::Right);
    print!("\n{}", table::render([Column::Left(part), a, b, c, d, e], &cells));
    if request.is_recorded {
        let commit =
            runner.read("commit", runner.command("git").args(["rev-parse", "--short", "HEAD"]));
        let text = markdown(request, commit?.trim(), &cells);
        let path = runner.root().join(RECORD);
        fs::write(path, text)
            .map_err(|error| Failure::Step(format!("{RECORD} could not be written: {error}")))?;
    }
    match total.failures {
        0 => Ok(()),
        n => Err(Failure::Step(format!("{n} parts of the campaign failed"))),
    }
}

fn row(name: &str, tally: &Tally) -> [String; 6] {
    let Tally { cases, executions, faults, failures, seconds } = tally;
    let counts = [cases, executions, faults, failures].map(u64::to_string);
    let [cases, executions, faults, failures] = counts;
    [name.to_string(), cases, executions, faults, failures, format!("{:.1}", seconds / 60.0)]
}

/// The recorded table.
fn markdown(request: &SoakRequest, commit: &str, cells: &[[String; 6]]) -> String {
    let mut text = format!(
        "# The campaign\n\n\
         `cargo xtask soak --minutes {} --seed {} --record` at commit {commit}. Fuzz targets run with AddressSanitizer and \
         overflow checks. A case is an input, a program or a test; an execution an operation, or a round of tests; a fault an \
         invalid argument or a failure that was injected.\n\n| {} |\n|---|{}\n",
        request.minutes,
        request.seed,
        TITLES.join(" | "),
        "---:|".repeat(TITLES.len() - 1),
    );
    for row in cells {
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
        let expected =
            Tally { cases: 12, executions: 340, faults: 5, failures: 1, ..Tally::default() };
        assert_eq!(tally_of_fuzzer(output), Some(expected));
        assert_eq!(tally_of_fuzzer("Segmentation fault"), None);
        assert_eq!(tally_of_fuzzer("cases=many"), None);
    }

    #[test]
    fn passed_tests_and_injected_faults_are_added_up() {
        let core = "test result: ok. 12 passed; 0 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed\n";
        assert_eq!((n_passed(core), n_passed("48 passed, 1 skipped in 3.21s")), (15, 48));
        assert_eq!(n_faults("faults injected: 40\ntest a ... faults injected: 2 of 3\n"), 42);
        assert_eq!(n_faults("no faults"), 0);
    }

    #[test]
    fn the_recorded_table_has_a_cell_for_each_title() {
        let request = SoakRequest { minutes: 1, seed: 2, is_recorded: true };
        let cells = [row("forks", &Tally { cases: 3, seconds: 90.0, ..Tally::default() })];
        let text = markdown(&request, "abc1234", &cells);
        assert!(
            text.ends_with("|---|---:|---:|---:|---:|---:|\n| forks | 3 | 0 | 0 | 0 | 1.5 |\n"),
            "{text}"
        );
    }
}

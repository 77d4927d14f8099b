//! `Part`: what one part of a campaign did, and the table of all parts.
//!
//! The steps of `sanitize`, `model`, `fuzz` and `soak` are reported by the same columns: cases (inputs, programs, models or tests),
//! executions (operations, interleavings, or rounds of tests), faults (invalid arguments, and failures that were injected),
//! failures, and the time.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::table::{self, Column};

/// The counts of one part, and how it ended.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub name: String,
    pub cases: u64,
    pub executions: u64,
    pub faults: u64,
    pub duration: Duration,
    pub end: PartEnd,
}

/// How a part ended.
#[derive(Debug, PartialEq)]
pub(crate) enum PartEnd {
    /// Everything that was run is as it should be.
    Passed,
    /// It was not run, for this reason.
    Skipped(String),
    /// What failed.
    Failed(String),
}

impl Part {
    /// A part that has passed and counted nothing yet.
    pub(crate) fn new(name: &str) -> Part {
        let (name, duration) = (name.to_string(), Duration::ZERO);
        Part { name, cases: 0, executions: 0, faults: 0, duration, end: PartEnd::Passed }
    }

    /// A part that cannot be run here.
    pub(crate) fn skipped(name: &str, reason: &str) -> Part {
        eprintln!("\nSKIPPED: {name}: {reason}");
        Part { end: PartEnd::Skipped(reason.to_string()), ..Part::new(name) }
    }

    /// The result of a part: a step that could not be carried out is a failure of it, and the other parts are still run.
    pub(crate) fn from_result(name: &str, result: Result<Part, Failure>) -> Part {
        result.unwrap_or_else(|failure| Part {
            end: PartEnd::Failed(failure.to_string()),
            ..Part::new(name)
        })
    }

    /// One round of a test program, or of several that one command runs.
    pub(crate) fn test_round(
        runner: &mut Runner,
        name: &str,
        command: &mut Command,
    ) -> Result<Part, Failure> {
        let (status, output, duration) = runner.observe(name, command)?;
        if !status.success() {
            // Tests print their failures to the standard output.
            eprint!("{output}");
        }
        let (cases, faults) = (n_passed(&output), n_faults(&output));
        let end = PartEnd::from_status(status);
        Ok(Part { cases, executions: 1, faults, duration, end, ..Part::new(name) })
    }

    /// Adds the counts of another round. The first failure stays.
    pub(crate) fn add(&mut self, other: Part) {
        self.cases += other.cases;
        self.executions += other.executions;
        self.faults += other.faults;
        self.duration += other.duration;
        if self.end == PartEnd::Passed {
            self.end = other.end;
        }
    }

    /// Whether it failed.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.end, PartEnd::Failed(_))
    }

    /// The cells of its row.
    fn row(&self) -> Row {
        let result = match &self.end {
            PartEnd::Passed => "ok".to_string(),
            PartEnd::Skipped(reason) => format!("skipped: {reason}"),
            PartEnd::Failed(_) => "FAILED".to_string(),
        };
        self.cells(u64::from(self.has_failed()), result)
    }

    fn cells(&self, n_failures: u64, result: String) -> Row {
        let counts = [self.cases, self.executions, self.faults, n_failures];
        let [cases, executions, faults, failures] = counts.map(|it| it.to_string());
        let minutes = format!("{:.1}", self.duration.as_secs_f64() / 60.0);
        [self.name.clone(), cases, executions, faults, failures, minutes, result]
    }
}

impl PartEnd {
    /// How a process ended.
    pub(crate) fn from_status(status: ExitStatus) -> PartEnd {
        match status.success() {
            true => PartEnd::Passed,
            false => PartEnd::Failed(format!("ended with {status}")),
        }
    }
}

/// The cells of a row.
pub(crate) type Row = [String; 7];

/// The titles of the columns.
pub(crate) const TITLES: [&str; 7] =
    ["part", "cases", "executions", "faults", "failures", "minutes", "result"];

/// The rows of the table; the last is the total.
pub(crate) fn rows(parts: &[Part]) -> Vec<Row> {
    let mut total = Part::new("total");
    for part in parts {
        total.cases += part.cases;
        total.executions += part.executions;
        total.faults += part.faults;
        total.duration += part.duration;
    }
    let n_failures = parts.iter().filter(|part| part.has_failed()).count() as u64;
    let n_skipped = parts.iter().filter(|it| matches!(it.end, PartEnd::Skipped(_))).count();
    let result = match (n_failures, n_skipped) {
        (0, 0) => "ok".to_string(),
        (0, n) => format!("ok, {n} skipped"),
        _ => "FAILED".to_string(),
    };
    let total = total.cells(n_failures, result);
    parts.iter().map(Part::row).chain([total]).collect()
}

/// Prints the table, and fails if a part did.
pub(crate) fn report(parts: &[Part]) -> Outcome {
    let [part, cases, executions, faults, failures, minutes, result] = TITLES;
    let [a, b, c, d, e] = [cases, executions, faults, failures, minutes].map(Column::Right);
    let columns = [Column::Left(part), a, b, c, d, e, Column::Left(result)];
    print!("\n{}", table::render(columns, &rows(parts)));
    let message = |part: &Part| match &part.end {
        PartEnd::Failed(message) => Some(format!("{}: {message}", part.name)),
        _ => None,
    };
    let failures: Vec<String> = parts.iter().filter_map(message).collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure::Step(failures.join("\n       "))) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_and_injected_faults_are_added_up() {
        let core = "test result: ok. 12 passed; 0 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed\n";
        assert_eq!((n_passed(core), n_passed("48 passed, 1 skipped in 3.21s")), (15, 48));
        assert_eq!(n_faults("faults injected: 40\ntest a ... faults injected: 2 of 3\n"), 42);
        assert_eq!(n_faults("no faults"), 0);
    }

    #[test]
    fn the_total_adds_up_counts_and_failures() {
        let minute = Duration::from_secs(60);
        let forks = Part { cases: 3, executions: 2, duration: minute, ..Part::new("forks") };
        let end = PartEnd::Failed("ended with exit status: 1".to_string());
        let leaks = Part { cases: 1, faults: 5, end, ..Part::new("leaks") };
        let skipped = Part::skipped("valgrind", "not installed");
        let rows = rows(&[forks, leaks, skipped]);
        assert_eq!(rows[0], ["forks", "3", "2", "0", "0", "1.0", "ok"]);
        assert_eq!(rows[1], ["leaks", "1", "0", "5", "1", "0.0", "FAILED"]);
        assert_eq!(rows[2], ["valgrind", "0", "0", "0", "0", "0.0", "skipped: not installed"]);
        assert_eq!(rows[3], ["total", "4", "2", "5", "1", "1.0", "FAILED"]);
    }

    #[test]
    fn rounds_are_added_and_the_first_failure_stays() {
        let failed = |message: &str| PartEnd::Failed(message.to_string());
        let mut part = Part { cases: 2, ..Part::new("pool") };
        part.add(Part { cases: 3, end: failed("a"), ..Part::new("round") });
        part.add(Part { cases: 4, end: failed("b"), ..Part::new("round") });
        assert_eq!(part, Part { cases: 9, end: failed("a"), ..Part::new("pool") });
    }

    #[test]
    fn a_step_that_cannot_be_carried_out_is_a_failed_part() {
        let part = Part::from_result("fuzz", Err(Failure::Step("no compiler".to_string())));
        assert!(part.has_failed() && part.name == "fuzz", "{part:?}");
    }
}

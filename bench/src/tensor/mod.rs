//! `tensor`: tensor operations compared with other libraries.
//!
//! For each number of threads the program runs itself once, because some peers choose theirs when they
//! start. Within such a run all engines of a row take turns, and the first one rotates.

mod cases;
mod chart;
mod engines;
mod goal;
mod growth;
mod memory;
mod race;
mod report;
mod reuse;
mod transpositions;

use crate::failure::Failure;
use crate::{machine, results};
use cases::{CASES, Case};
use engines::python::Python;
use engines::{belvedere, candle, ndarray};
use growth::{Growth, Work};
use race::{Party, check, guarded, take_turns};
use report::{Report, Row};
use std::io::{IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command-line options.
#[derive(Default)]
pub struct Options {
    /// Fewer and shorter turns: about two minutes in all.
    quick: bool,
    /// Whether to include PyTorch.
    torch: bool,
    /// The number of threads of this process.
    threads: Option<usize>,
    /// The path of a Python that has NumPy and PyTorch.
    python: Option<PathBuf>,
    /// The path of a Python that has PyTorch, if it is another one.
    torch_python: Option<PathBuf>,
    /// Only rows whose names contain this.
    only: Option<String>,
    /// The folder for the recorded results.
    record: Option<PathBuf>,
}

impl Options {
    pub fn parse(words: &[&str]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || {
                let needs = || Failure::Usage(format!("{word} needs a value"));
                words.next().copied().ok_or_else(needs)
            };
            match word {
                "--quick" => options.quick = true,
                "--torch" => options.torch = true,
                "--threads" => {
                    let text = value()?;
                    let number = text.parse().ok().filter(|&n| n > 0);
                    let wrong =
                        || Failure::Usage(format!("--threads needs a positive number, got {text}"));
                    options.threads = Some(number.ok_or_else(wrong)?);
                }
                "--python" => options.python = Some(value()?.into()),
                "--torch-python" => {
                    options.torch = true;
                    options.torch_python = Some(value()?.into());
                }
                "--record" => options.record = Some(value()?.into()),
                "--only" => options.only = Some(value()?.to_string()),
                _ => return Err(Failure::Usage(format!("unknown option {word} of `tensor`"))),
            }
        }
        Ok(options)
    }

    /// The rounds of a row, and the nanoseconds that a turn may take.
    fn effort(&self) -> (usize, f64) {
        if self.quick { (3, 4e6) } else { (9, 30e6) }
    }
}

/// Times all rows for one and for two threads. If one run fails, the other still runs.
pub fn run(words: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(words)?;
    match options.threads {
        Some(threads) => run_with(&options, threads),
        None => {
            let runs = [1, 2].map(|threads| run_alone(words, threads));
            runs.into_iter().collect()
        }
    }
}

/// Runs this program again with the number of threads in every library's environment variable.
fn run_alone(words: &[&str], threads: usize) -> Result<(), Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::Child(error.to_string()))?;
    let mut command = Command::new(program);
    command.arg("tensor").args(words).args(["--threads", &threads.to_string()]);
    for variable in ["RAYON_NUM_THREADS", "BELVEDERE_NUM_THREADS"] {
        command.env(variable, threads.to_string());
    }
    let status = command.status().map_err(|error| Failure::Child(error.to_string()))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Child(format!("the run with {threads} threads ended with {status}"))),
    }
}

fn run_with(options: &Options, threads: usize) -> Result<(), Failure> {
    ::belvedere::set_num_threads(threads);
    if options.quick {
        engines::compare_samples();
    }
    let mut team = Team::new(options, threads);
    let wanted = |name: &str| options.only.as_ref().is_none_or(|it| name.contains(it));
    let cases: Vec<&Case> = CASES.iter().filter(|case| wanted(case.name)).collect();
    let mut memory = memory::Memcpy::new(threads);
    let mut rows = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        progress(n, cases.len(), case.name);
        memory.measure();
        rows.push(team.row(case, options.effort()));
    }
    progress(cases.len(), cases.len(), "");
    let on = match threads {
        1 => "1 thread".to_string(),
        n => format!("{n} threads"),
    };
    let report = Report {
        about: format!("{on}, best of {} turns, on {}", options.effort().0, machine::describe()),
        machine: team.about(),
        peers: team.names(),
        rows,
        memcpy: memory.best(),
        troubles: team.troubles.clone(),
    };
    if !report.rows.is_empty() {
        println!("{}", report.text());
        write_result(options, &format!("tensor-{threads}.md"), &report.markdown())?;
        write_result(options, &format!("tensor-{threads}.svg"), &chart::bars(&report))?;
        write_result(options, &format!("summary-{threads}.svg"), &chart::summary(&report))?;
    }
    if wanted(reuse::NAME) {
        let about = format!("{on}, on {}", machine::describe());
        let choices = reuse::run(about, options.quick);
        println!("{}", choices.text());
        write_result(options, &format!("copy-first-{threads}.md"), &choices.markdown())?;
        team.troubles.extend(choices.troubles().cloned());
    }
    if threads == 1 && wanted(transpositions::NAME) {
        match guarded(|| Ok(transpositions::run(options.quick, &mut memory))) {
            Ok(found) => {
                println!("{}", found.text());
                write_result(options, "transpositions.md", &found.markdown(&machine::describe()))?;
            }
            Err(error) => team.trouble(format!("transpositions: {error}")),
        }
    }
    // The largest sizes take long: only one of the two runs includes them.
    if wanted(growth::NAME) && (threads > 1) != options.quick {
        let about = format!("{on}, on {}", machine::describe());
        let growth = team.growth(options, about);
        write_result(options, "growth.md", &growth.markdown())?;
        write_result(options, "growth.svg", &growth.svg())?;
    }
    match team.troubles.as_slice() {
        [] => Ok(()),
        troubles => Err(Failure::Child(troubles.join("\n"))),
    }
}

/// The engines that take part, and the messages of failures.
struct Team {
    pythons: Vec<(&'static str, Python)>,
    troubles: Vec<String>,
}

impl Team {
    /// Starts all engines that are available.
    fn new(options: &Options, threads: usize) -> Team {
        let default =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/venv/bin/python");
        let python = options.python.clone().unwrap_or(default);
        let mut team = Team { pythons: Vec::new(), troubles: Vec::new() };
        for (name, library) in [("NumPy", "numpy"), ("PyTorch", "torch")] {
            let own = options.torch_python.as_ref().filter(|_| library == "torch");
            if library == "torch" && !options.torch {
                continue;
            }
            match Python::start(own.unwrap_or(&python), library, threads) {
                Ok(started) => team.pythons.push((name, started)),
                Err(error) => team.trouble(format!("{name} takes no part: {error}")),
            }
        }
        team
    }

    fn trouble(&mut self, what: String) {
        eprintln!("FAILED: {what}");
        self.troubles.push(what);
    }

    fn names(&self) -> Vec<String> {
        let pythons = self.pythons.iter().map(|(name, it)| format!("{name} {}", it.version));
        pythons.chain([ndarray::NAME.to_string(), candle::NAME.to_string()]).collect()
    }

    /// The machine and the versions, as a list in Markdown.
    fn about(&self) -> String {
        let peers = format!("compared with {}", self.names().join(", "));
        machine::details().into_iter().chain([peers]).map(|it| format!("- {it}\n")).collect()
    }

    /// Times every operation of `growth.rs` at every size.
    fn growth(&mut self, options: &Options, about: String) -> Growth {
        let sides = growth::sides(options.quick);
        let mut times = Vec::new();
        for (n, work) in Work::ALL.into_iter().enumerate() {
            let mut rows = Vec::new();
            for (i, &side) in sides.iter().enumerate() {
                progress(n * sides.len() + i, Work::ALL.len() * sides.len(), work.title());
                let mut jobs = vec![("Belvedere", Some(belvedere::growing(work, side)))];
                let pythons = self.pythons.iter();
                jobs.extend(pythons.map(|(name, it)| (*name, Some(it.growing(work, side)))));
                jobs.push(("ndarray", Some(ndarray::growing(work, side))));
                jobs.push(("candle", Some(candle::growing(work, side))));
                let (times, troubles) = growth::point(jobs, side, options.quick);
                rows.push(times);
                for trouble in troubles {
                    self.trouble(format!("{}: {trouble}", work.title()));
                }
            }
            times.push(rows);
        }
        progress(1, 1, "");
        let engines = ["Belvedere".to_string()].into_iter().chain(self.names()).collect();
        Growth { about, engines, sides, times }
    }

    /// The engines that have a case, ours first.
    fn jobs(&self, case: &Case) -> Vec<Party> {
        let mut jobs = vec![("Belvedere", belvedere::job(case))];
        jobs.extend(self.pythons.iter().map(|(name, python)| (*name, python.job(case))));
        jobs.push(("ndarray", ndarray::job(case)));
        jobs.push(("candle", candle::job(case)));
        jobs
    }

    /// Compares the results, and times all engines in turns.
    fn row(&mut self, case: &Case, effort: (usize, f64)) -> Row {
        let mut jobs = self.jobs(case);
        let mut troubles = check(&mut jobs);
        let (best, failed) = take_turns(&mut jobs, effort);
        troubles.extend(failed);
        let failed = troubles.iter().map(|it| it.0).collect();
        for (name, error) in troubles {
            self.trouble(format!("{} {}, {name}: {error}", case.name, case.dtype));
        }
        let peers = jobs.iter().zip(&best).skip(1).map(|((name, _), &time)| (*name, time));
        Row {
            name: case.name,
            dtype: case.dtype,
            bytes: case.bytes,
            goal: case.goal,
            ours: best[0],
            peers: peers.collect(),
            failed,
        }
    }
}

/// A progress bar that overwrites itself.
fn progress(done: usize, all: usize, what: &str) {
    let mut stderr = stderr();
    if stderr.is_terminal() {
        let filled = 30 * done / all.max(1);
        let bar: String = (0..30).map(|i| if i < filled { '█' } else { '░' }).collect();
        let text = if done < all { format!("{bar} {done}/{all} {what}") } else { String::new() };
        // A failure to show progress is ignored.
        let _ = write!(stderr, "\r{text:<90}\r").and_then(|()| stderr.flush());
    }
}

/// Writes results below `target/`, and to the folder given with `--record`.
fn write_result(options: &Options, name: &str, text: &str) -> Result<(), Failure> {
    results::write(name, text, options.record.as_deref())
}

//! `tensor`: work on elements, beside the peers.
//!
//! For each number of threads the program runs itself once, because some peers choose theirs when they
//! start. Within such a run all engines of a row take turns, and whoever begins changes.

mod cases;
mod chart;
mod engines;
mod goal;
mod growth;
mod memory;
mod report;
mod transpositions;

use crate::failure::Failure;
use crate::machine;
use cases::{CASES, Case};
use engines::python::Python;
use engines::{Job, belvedere, candle, ndarray};
use goal::Measured;
use growth::{Growth, Work};
use report::{Report, Row};
use std::fs;
use std::io::{IsTerminal, Write, stderr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The words of the user.
#[derive(Default)]
pub struct Options {
    /// A minute instead of many.
    quick: bool,
    /// Whether PyTorch is asked, too.
    torch: bool,
    /// So many threads, in this process.
    threads: Option<usize>,
    /// A Python that has the libraries.
    python: Option<PathBuf>,
    /// Only rows whose names contain this.
    only: Option<String>,
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
                    let wrong = || Failure::Usage(format!("{text} is no number of threads"));
                    options.threads = Some(number.ok_or_else(wrong)?);
                }
                "--python" => options.python = Some(value()?.into()),
                "--only" => options.only = Some(value()?.to_string()),
                _ => return Err(Failure::Usage(format!("tensor does not know {word}"))),
            }
        }
        Ok(options)
    }

    /// Rounds of a row, and the nanoseconds that a turn may take.
    fn effort(&self) -> (usize, f64) {
        if self.quick { (3, 4e6) } else { (9, 30e6) }
    }
}

/// Times all rows for one and for two threads.
pub fn run(words: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(words)?;
    match options.threads {
        Some(threads) => run_with(&options, threads),
        None => [1, 2].into_iter().try_for_each(|threads| run_alone(words, threads)),
    }
}

/// Runs this program again with a number of threads that everybody takes notice of.
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
    let count = NonZeroUsize::new(threads).expect("it was checked");
    ::belvedere::set_num_threads(count);
    let team = Team::new(options, threads)?;
    let wanted = |case: &&Case| options.only.as_ref().is_none_or(|it| case.name.contains(it));
    let cases: Vec<&Case> = CASES.iter().filter(wanted).collect();
    let mut memory = memory::Memcpy::new(threads);
    let mut rows = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        progress(n, cases.len(), case.name);
        memory.measure();
        rows.push(team.row(case, options.effort())?);
    }
    progress(cases.len(), cases.len(), "");
    let transpositions = match threads {
        1 if options.only.is_none() => Some(transpositions::run(options.quick, &mut memory)),
        _ => None,
    };
    let on = match threads {
        1 => "1 thread".to_string(),
        n => format!("{n} threads"),
    };
    let report = Report {
        about: format!("{on}, best of {} turns, on {}", options.effort().0, machine::describe()),
        peers: team.names(),
        rows,
        memcpy: memory.best(),
        transpositions,
    };
    println!("{}", report.text());
    keep(&format!("tensor-{threads}.md"), &report.markdown())?;
    keep(&format!("tensor-{threads}.svg"), &chart::bars(&report))?;
    if options.only.is_none() && (threads > 1) != options.quick {
        let about = format!("{on}, on {}", machine::describe());
        let growth = team.growth(options, about)?;
        keep("growth.md", &growth.markdown())?;
        keep("growth.svg", &growth.svg())?;
    }
    Ok(())
}

/// Who takes part.
struct Team {
    pythons: Vec<(&'static str, Python)>,
}

impl Team {
    fn new(options: &Options, threads: usize) -> Result<Team, Failure> {
        let default =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/venv/bin/python");
        let python = options.python.clone().unwrap_or(default);
        let mut pythons = Vec::new();
        for (name, library) in [("NumPy", "numpy"), ("PyTorch", "torch")] {
            if library == "torch" && !options.torch {
                continue;
            }
            let started = Python::start(&python, library, threads);
            pythons
                .push((name, started.map_err(|error| Failure::Child(format!("{name}: {error}")))?));
        }
        Ok(Team { pythons })
    }

    fn names(&self) -> Vec<String> {
        let pythons = self.pythons.iter().map(|(name, it)| format!("{name} {}", it.version));
        pythons.chain([ndarray::NAME.to_string(), candle::NAME.to_string()]).collect()
    }

    /// How the time for an element changes with the size.
    fn growth(&self, options: &Options, about: String) -> Result<Growth, Failure> {
        let sides = growth::sides(options.quick);
        let mut times = Vec::new();
        for (n, work) in Work::ALL.into_iter().enumerate() {
            let mut rows = Vec::new();
            for (i, &side) in sides.iter().enumerate() {
                progress(n * sides.len() + i, Work::ALL.len() * sides.len(), work.title());
                let mut jobs = vec![belvedere::growing(work, side)];
                jobs.extend(self.pythons.iter().map(|(_, python)| python.growing(work, side)));
                jobs.extend([ndarray::growing(work, side), candle::growing(work, side)]);
                rows.push(growth::point(&mut jobs, side, options.quick)?);
            }
            times.push(rows);
        }
        progress(1, 1, "");
        let engines = ["Belvedere".to_string()].into_iter().chain(self.names()).collect();
        Ok(Growth { about, engines, sides, times })
    }

    /// Everybody who does a piece of work, ours first.
    fn jobs(&self, case: &Case) -> Vec<(&'static str, Option<Box<dyn Job>>)> {
        let mut jobs = vec![("Belvedere", belvedere::job(case))];
        jobs.extend(self.pythons.iter().map(|(name, python)| (*name, python.job(case))));
        jobs.push(("ndarray", ndarray::job(case)));
        jobs.push(("candle", candle::job(case)));
        jobs
    }

    /// Compares the answers, and times everybody in turns.
    fn row(&self, case: &Case, (rounds, turn): (usize, f64)) -> Result<Row, Failure> {
        let mut jobs = self.jobs(case);
        check(case, &mut jobs)?;
        let failed = |error| Failure::Child(format!("{}: {error}", case.name));
        let mut best = vec![None::<f64>; jobs.len()];
        let mut counts = vec![1; jobs.len()];
        for (n, (_, job)) in jobs.iter_mut().enumerate() {
            let Some(job) = job else { continue };
            let once = job.time(1).map_err(failed)?.min(job.time(1).map_err(failed)?).max(20.0);
            counts[n] = ((turn / once) as usize).clamp(1, 1_000_000);
        }
        for round in 0..rounds {
            for step in 0..jobs.len() {
                let n = (round + step) % jobs.len();
                let Some(job) = &mut jobs[n].1 else { continue };
                let time = job.time(counts[n]).map_err(failed)? / counts[n] as f64;
                best[n] = Some(best[n].map_or(time, |best| best.min(time)));
            }
        }
        let peers =
            jobs.iter().zip(&best).skip(1).map(|((name, _), &time)| (*name, time)).collect();
        let ours = best[0].expect("every case is ours");
        Ok(Row {
            name: case.name,
            dtype: case.dtype,
            bytes: case.bytes,
            goal: case.goal,
            ours,
            peers,
        })
    }
}

/// Whether all answers are ours.
fn check(case: &Case, jobs: &mut [(&'static str, Option<Box<dyn Job>>)]) -> Result<(), Failure> {
    let mut ours = None;
    for (name, job) in jobs {
        let Some(job) = job else { continue };
        let answer =
            job.answer().map_err(|error| Failure::Child(format!("{}: {error}", case.name)))?;
        let ours = *ours.get_or_insert(answer);
        if !ours.agrees(&answer) {
            return Err(Failure::Disagreement {
                engine: name,
                row: format!("{} {}", case.name, case.dtype),
                ours: format!("{ours:?}"),
                theirs: format!("{answer:?}"),
            });
        }
    }
    Ok(())
}

/// A bar that overwrites itself, for somebody who is watching.
fn progress(done: usize, all: usize, what: &str) {
    let mut stderr = stderr();
    if stderr.is_terminal() {
        let filled = 30 * done / all.max(1);
        let bar: String = (0..30).map(|i| if i < filled { '█' } else { '░' }).collect();
        let text = if done < all { format!("{bar} {done}/{all} {what}") } else { String::new() };
        // A bar that cannot be shown is no reason to stop.
        let _ = write!(stderr, "\r{text:<90}\r").and_then(|()| stderr.flush());
    }
}

/// Writes results to where build products go.
fn keep(name: &str, text: &str) -> Result<(), Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    let path = folder.join(name);
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text));
    written.map_err(|error| Failure::Write(path, error))
}

impl Row {
    /// What the goal looks at.
    fn measured(&self, memcpy: f64) -> Measured<'_> {
        Measured { ours: self.ours, peers: &self.peers, share: self.share(memcpy) }
    }
}

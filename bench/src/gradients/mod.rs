//! `gradients --rust`: what tapes cost, on one thread. Training steps beside PyTorch are in `bench/src/python/gradients.py`.
//!
//! - *Recording*: the time of an operation on tensors of 16 elements that a tape records, minus that of the same operation
//!   without a tape. A tape of 100 operations finds its memory in the allocator; one of 10 000 takes new pages.
//! - *Writes*: the time of a write to 64 elements of a row or a column of a matrix, of which rows or columns are leased.
//! - *States*: programs that save all elements of a state in each turn, and overwrite one of them.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use belvedere::prelude::*;
use belvedere_grad::{Tape, no_tape};

use crate::failure::Failure;
use crate::table::markdown_table;
use crate::{machine, results};

/// The number of operations of a tape whose recording is timed.
const TAPE_LENGTHS: [usize; 2] = [100, 10_000];

/// The numbers of leased rows or columns.
const LEASES: [usize; 4] = [10, 100, 1000, 10_000];

/// The number of elements of a row; a column has as many, of a matrix with as many rows or columns as are leased and one.
const LEN: usize = 64;

/// The numbers of turns that overwrite a state.
const TURNS: [usize; 4] = [100, 1000, 10_000, 100_000];

/// The number of elements of the state.
const STATE: usize = 1000;

/// The command-line options.
#[derive(Default)]
struct Options {
    /// Fewer rounds, and no row that takes seconds.
    quick: bool,
    /// The folder for the recorded results.
    record: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--quick" => options.quick = true,
                "--record" => {
                    let needs = || Failure::Usage(format!("{word} needs a value"));
                    options.record = Some(words.next().copied().ok_or_else(needs)?.into());
                }
                _ => return Err(Failure::Usage(format!("unknown option {word} of `gradients`"))),
            }
        }
        Ok(options)
    }

    /// The number of rounds of `n` operations.
    fn rounds(&self, n: usize) -> usize {
        let n_operations = if self.quick { 100_000 } else { 2_000_000 };
        (n_operations / n).clamp(3, 2000)
    }
}

/// Times all rows, prints the tables and writes them as Markdown.
pub fn run(words: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(words)?;
    belvedere::set_num_threads(1);
    let tables = tables(&options).map_err(|error| Failure::Child(error.to_string()))?;
    let about = format!("Best of all rounds, 1 thread, on {}.", machine::describe());
    let text = format!("# Tapes\n\n{about}\n\n{}", tables.join("\n"));
    println!("{text}");
    results::write("gradients_rust.md", &text, options.record.as_deref())
}

fn tables(options: &Options) -> Result<[String; 3], Error> {
    Ok([recording(options)?, writes(options)?, states(options)?])
}

type Operation = Box<dyn Fn() -> Result<(), Error>>;

/// Operations on tensors of 16 elements, and the tensors that a tape watches.
fn operations() -> Result<(Vec<Tensor>, Vec<(&'static str, Operation)>), Error> {
    let [x, y, z] = [(); 3].map(|()| Tensor::ones([16], DType::Float32));
    let (x, y, z) = (x?, y?, z?);
    let watched = vec![x.clone(), y.clone(), z.clone()];
    let two = |f: fn(&Tensor, &Tensor) -> Result<Tensor, Error>| -> Operation {
        let (x, y) = (x.clone(), y.clone());
        Box::new(move || f(&x, &y).map(|it| drop(black_box(it))))
    };
    let one = |f: fn(&Tensor) -> Result<Tensor, Error>| -> Operation {
        let x = x.clone();
        Box::new(move || f(&x).map(|it| drop(black_box(it))))
    };
    let operations = vec![
        ("x * y", two(|x, y| x.mul(y))),
        ("x + y", two(|x, y| x.add(y))),
        ("x * 2", one(|x| x.mul(2.0))),
        ("exp(x)", one(Tensor::exp)),
        ("sum(x)", one(|x| x.sum(()))),
        ("z += y", Box::new(move || z.add_assign(&y)) as Operation),
    ];
    Ok((watched, operations))
}

/// Returns the best nanoseconds of an operation, over rounds of `n` calls.
fn best_time(
    rounds: usize,
    n: usize,
    operation: &Operation,
    mut around: impl FnMut(&mut dyn FnMut() -> Result<(), Error>) -> Result<(), Error>,
) -> Result<f64, Error> {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        around(&mut || {
            let begin = Instant::now();
            (0..n).try_for_each(|_| operation())?;
            best = best.min(begin.elapsed().as_secs_f64() * 1e9 / n as f64);
            Ok(())
        })?;
    }
    Ok(best)
}

fn recording(options: &Options) -> Result<String, Error> {
    let (watched, operations) = operations()?;
    let heading = ["operation on 16 float32", "without a tape ns", "not recorded ns"];
    let mut heading = heading.map(str::to_string).to_vec();
    heading.extend(TAPE_LENGTHS.map(|n| format!("recorded, tape of {n}: ns more")));
    let mut cells = vec![heading];
    for (name, operation) in &operations {
        let plain = best_time(options.rounds(100), 100, operation, |run| run())?;
        let other = Tape::new();
        other.watch(&Tensor::ones([16], DType::Float32)?)?;
        let unrecorded =
            best_time(options.rounds(100), 100, operation, |run| other.record(&mut *run))?;
        drop(other);
        let mut row =
            vec![name.to_string(), format!("{plain:.0}"), format!("+{:.0}", unrecorded - plain)];
        for n in TAPE_LENGTHS {
            let recorded = best_time(options.rounds(n), n, operation, |run| {
                let tape = Tape::new();
                watched.iter().try_for_each(|it| tape.watch(it))?;
                tape.record(&mut *run)
            })?;
            row.push(format!("+{:.0}", recorded - plain));
        }
        cells.push(row);
    }
    Ok(markdown_table(&cells))
}

/// Returns a matrix with one more line along an axis than are leased, of [`LEN`] elements each.
fn matrix(axis: isize, n_leases: usize) -> Result<Tensor, Error> {
    match axis {
        0 => Tensor::ones([n_leases + 1, LEN], DType::Float32),
        _ => Tensor::ones([LEN, n_leases + 1], DType::Float32),
    }
}

/// Returns the best nanoseconds of a write to a row or a column of a matrix, of which `n_leases` rows or columns are leased,
/// all elements but those of the last one.
fn time_of_write(
    options: &Options,
    leased: isize,
    written: isize,
    n_leases: usize,
) -> Result<f64, Error> {
    let x = matrix(leased, n_leases)?;
    let tape = Tape::new();
    let factor = Tensor::ones([LEN], DType::Float32)?;
    tape.watch(&factor)?;
    tape.record(|| {
        (0..n_leases as isize).try_for_each(|k| x.select(leased, k)?.mul(&factor).map(drop))
    })?;
    // The last row of leased rows is not leased, and every column has leased elements.
    let target = x.select(written, -1)?;
    let target = target.narrow(0, 0, LEN.min(target.len()))?;
    let value = target.copy()?;
    let write: Operation = Box::new(move || no_tape(|| target.copy_from(&value)));
    let time = best_time(options.rounds(1000), 10, &write, |run| run())?;
    drop(tape);
    Ok(time)
}

fn writes(options: &Options) -> Result<String, Error> {
    let mut heading =
        vec!["write of 64 elements (11 beside 10 leases of the other axis), ns".to_string()];
    heading.extend(LEASES.map(|k| format!("{k} leases")));
    let mut cells = vec![heading];
    let axes = [("row", 0), ("column", 1)];
    for (written_name, written) in axes {
        for (leased_name, leased) in axes {
            let mut row = vec![format!("{written_name}, {leased_name}s leased")];
            for n_leases in LEASES {
                row.push(format!("{:.0}", time_of_write(options, leased, written, n_leases)?));
            }
            cells.push(row);
        }
    }
    Ok(markdown_table(&cells))
}

/// `s = s + (x * x).sum(); x[i] = s` for `k` turns: each turn saves all of `x` and overwrites one element of it.
fn states(options: &Options) -> Result<String, Error> {
    let heading = ["turns", "recording ms", "backward ms", "µs a turn", "bytes kept from writes"];
    let mut cells = vec![heading.map(str::to_string).to_vec()];
    for k in TURNS.into_iter().filter(|&k| !options.quick || k <= 1000) {
        let x = Tensor::full([STATE], 1e-3)?;
        let tape = Tape::new();
        tape.watch(&x)?;
        let begin = Instant::now();
        let sum = tape.record(|| {
            let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
            for i in 0..k {
                sum = sum.add(&x.mul(&x)?.sum(())?)?.mul(1e-3)?;
                x.select(0, (i % STATE) as isize)?.copy_from(&sum)?;
            }
            Ok::<_, Error>(sum)
        })?;
        let recorded = begin.elapsed().as_secs_f64() * 1e3;
        let kept: usize = tape.report().copies.iter().map(|it| it.bytes).sum();
        let begin = Instant::now();
        tape.backward(&sum)?;
        let backward = begin.elapsed().as_secs_f64() * 1e3;
        cells.push(vec![
            k.to_string(),
            format!("{recorded:.1}"),
            format!("{backward:.1}"),
            format!("{:.1}", (recorded + backward) * 1e3 / k as f64),
            kept.to_string(),
        ]);
    }
    Ok(markdown_table(&cells))
}

//! `sweep`: every operation of the table over dtypes, layouts, shapes and sizes, on one thread.
//!
//! A row is a call with operands of some layout, compared with the same call on contiguous operands of equal values. The ratio
//! of the times is what the layout costs: 1 is the speed of contiguous operands. The sweep of the Python package, which
//! compares with NumPy and PyTorch, is `bench/src/python/sweep.py`.

mod calls;
mod generated;
mod heat_map;
mod operands;
mod report;

use std::hint::black_box;
use std::io::{IsTerminal, Write, stderr};
use std::path::PathBuf;
use std::time::Instant;

use belvedere::{DType, Error, Tensor, set_num_threads};

use crate::failure::Failure;
use crate::turns::{Batch, Turns, batch};
use crate::{machine, results};
use calls::{Call, OTHERS};
use generated::CALLS;
use operands::{Group, Pair, groups};
use report::{Report, Row};

/// The dtypes, without the second half-precision format: it is converted like `float16`.
const DTYPES: [DType; 14] = [
    DType::Bool,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Float16,
    DType::Float32,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
];

/// About as many elements, and shapes of one to four axes, with odd lengths among them.
struct Size {
    name: &'static str,
    shapes: &'static [&'static [usize]],
    /// Whether `--quick` includes it.
    is_quick: bool,
}

const SIZES: [Size; 6] = [
    Size { name: "1", shapes: &[&[1], &[1, 1]], is_quick: false },
    Size { name: "16", shapes: &[&[16], &[4, 4], &[2, 2, 4], &[5, 3, 1]], is_quick: true },
    Size {
        name: "4K",
        shapes: &[&[4096], &[64, 64], &[63, 65], &[15, 16, 17], &[8, 8, 8, 8]],
        is_quick: true,
    },
    Size {
        name: "64K",
        shapes: &[&[65536], &[256, 256], &[255, 257], &[31, 64, 33]],
        is_quick: false,
    },
    Size {
        name: "1M",
        shapes: &[&[1 << 20], &[1024, 1024], &[1023, 1025], &[64, 127, 129], &[32, 32, 32, 32]],
        is_quick: true,
    },
    Size { name: "4M", shapes: &[&[1 << 22], &[2048, 2048], &[127, 181, 183]], is_quick: false },
];

/// The nanoseconds of a turn, unless one call takes longer.
const TURN: f64 = 1e6;
const N_ROUNDS: usize = 5;
/// The nanoseconds of a call from which on three rounds must do.
const LONG_CALL: f64 = 2e7;
/// One call in this many is in the sample of `--quick`.
const QUICK_STRIDE: usize = 7;

/// The command-line options.
#[derive(Default)]
struct Options {
    /// A sample of the calls and sizes.
    quick: bool,
    /// Only calls whose function or expression contains this.
    only: Option<String>,
    /// The folder for the recorded results.
    record: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || {
                let needs = || Failure::Usage(format!("{word} needs a value"));
                words.next().copied().ok_or_else(needs)
            };
            match word {
                "--quick" => options.quick = true,
                "--only" => options.only = Some(value()?.to_string()),
                "--record" => options.record = Some(value()?.into()),
                _ => return Err(Failure::Usage(format!("unknown option {word} of `sweep`"))),
            }
        }
        Ok(options)
    }

    fn calls(&self) -> Vec<&'static Call> {
        let is_wanted = |call: &&Call| {
            let contains = |it: &String| call.function.contains(it) || call.expression.contains(it);
            self.only.as_ref().is_none_or(contains)
        };
        CALLS.iter().chain(OTHERS).filter(is_wanted).collect()
    }
}

/// Times all rows, prints the tables and writes them as Markdown, with a heat map.
pub fn run(words: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(words)?;
    let calls = options.calls();
    if calls.is_empty() {
        let only = options.only.unwrap_or_default();
        return Err(Failure::Usage(format!("no function or expression contains {only:?}")));
    }
    set_num_threads(1);
    let rows = rows(&calls, options.quick)?;
    let report = Report { about: machine::describe(), rows };
    println!("{}", report.markdown());
    results::write("sweep-rust.md", &report.markdown(), options.record.as_deref())?;
    results::write("sweep-rust.svg", &heat_map::draw(&report.rows), options.record.as_deref())
}

/// Times the calls, each with one of the shapes of a size. The operands of a shape are made once for all calls.
fn rows(calls: &[&'static Call], quick: bool) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let sizes = SIZES.iter().filter(|it| it.is_quick || !quick);
    for (k, size) in sizes.enumerate() {
        for (d, dtype) in DTYPES.into_iter().enumerate() {
            show_progress(&format!("{dtype}, {} elements", size.name));
            for (n, shape) in size.shapes.iter().enumerate() {
                // Another shape for each call, dtype and size.
                let has_shape = |at: usize| (at + d + k) % size.shapes.len() == n;
                let is_sampled =
                    |at: usize| !quick || (at + 3 * d + k).is_multiple_of(QUICK_STRIDE);
                let chosen =
                    calls.iter().enumerate().filter(|(at, _)| has_shape(*at) && is_sampled(*at));
                let mut groups_ = None;
                for (_, call) in chosen {
                    let groups = match &mut groups_ {
                        Some(groups) => groups,
                        none => none.insert(groups(shape, dtype).map_err(not_made)?),
                    };
                    for group in groups.iter() {
                        rows.extend(race(call, group, size.name, dtype, shape)?);
                    }
                }
            }
        }
    }
    show_progress("");
    Ok(rows)
}

fn not_made(error: Error) -> Failure {
    Failure::Child(format!("the operands were not made: {error}"))
}

/// Times a call on the contiguous operands of a group and on the others, in turns. There are no rows where the dtype or shape
/// is refused, and none for an operand that cannot be written to.
fn race(
    call: &'static Call,
    group: &Group,
    size: &'static str,
    dtype: DType,
    shape: &'static [usize],
) -> Result<Vec<Row>, Failure> {
    let run = |pair: &Pair| (call.call)(&pair.x, &pair.y);
    let Ok(expected) = run(&group.contiguous) else { return Ok(Vec::new()) };
    let mut accepted = Vec::new();
    for (placement, pair) in &group.others {
        let Ok(result) = run(pair) else { continue };
        if !is_same(&result, &expected).unwrap_or(false) {
            return Err(Failure::Disagreement {
                engine: "the same call on contiguous operands",
                row: format!("{}, {dtype}, {shape:?}, {placement}", call.expression),
                ours: format!("{result}"),
                theirs: format!("{expected}"),
            });
        }
        accepted.push((*placement, pair));
    }
    let begin = Instant::now();
    black_box(run(&group.contiguous)).ok();
    let once = begin.elapsed().as_secs_f64() * 1e9;
    let turns = Turns {
        n_rounds: if once < LONG_CALL { N_ROUNDS } else { 3 },
        n_calls: ((TURN / once.max(10.0)) as usize).clamp(1, 20_000),
        n_warm_up: 1,
    };
    let pairs = std::iter::once(&group.contiguous).chain(accepted.iter().map(|it| it.1));
    let batches: Vec<Batch<bool>> =
        pairs.map(|pair| batch(move || run(pair), |result| result.is_ok())).collect();
    let timings = turns.race(&[batches.iter().collect()]).concat();
    let row = |((placement, _), timing): (&(_, _), &crate::turns::Timing)| Row {
        call,
        size,
        dtype,
        shape,
        placement: *placement,
        contiguous: timings[0].best,
        time: timing.best,
    };
    Ok(accepted.iter().zip(&timings[1..]).map(row).collect())
}

/// Whether two results agree, but for the order of additions.
fn is_same(result: &Tensor, expected: &Tensor) -> Result<bool, Error> {
    if result.shape() != expected.shape() || result.dtype() != expected.dtype() {
        return Ok(false);
    }
    let tolerance = if result.dtype().size() <= 4 { 1e-2 } else { 1e-4 };
    let close = result.isclose_with(expected, tolerance, tolerance, true)?;
    close.all(())?.item::<bool>()
}

/// A progress line that overwrites itself.
fn show_progress(text: &str) {
    let mut stderr = stderr();
    if stderr.is_terminal() {
        // A failure to show progress is ignored.
        let _ = write!(stderr, "\r{text:<40}\r").and_then(|()| stderr.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_returns_the_same_for_every_layout() {
        let calls = Options::default().calls();
        for dtype in DTYPES {
            for shape in [&[5_usize][..], &[3, 4], &[2, 3, 5]] {
                for group in groups(shape, dtype).unwrap() {
                    for call in &calls {
                        let Ok(expected) = (call.call)(&group.contiguous.x, &group.contiguous.y)
                        else {
                            continue;
                        };
                        for (placement, pair) in &group.others {
                            let Ok(result) = (call.call)(&pair.x, &pair.y) else { continue };
                            assert!(
                                is_same(&result, &expected).unwrap(),
                                "{} of {dtype} {shape:?}, {placement}:\n{result}\n{expected}",
                                call.expression
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_part_of_an_expression_selects_calls() {
        let options = Options::parse(&["--only", "sort(0)"]).unwrap();
        let expressions: Vec<&str> = options.calls().iter().map(|it| it.expression).collect();
        assert_eq!(expressions, ["x.sort(0)"]);
    }

    #[test]
    fn wrong_options_are_refused() {
        let message = |words: &[&str]| Options::parse(words).err().map(|it| it.to_string());
        assert_eq!(message(&["--only"]).as_deref(), Some("--only needs a value"));
        assert_eq!(message(&["--fast"]).as_deref(), Some("unknown option --fast of `sweep`"));
        let failure = run(&["--only", "cosinus"]).unwrap_err();
        assert_eq!(failure.to_string(), "no function or expression contains \"cosinus\"");
    }
}

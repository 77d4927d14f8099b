//! `rust`: loops, closures and whole programs as users of ndarray write them, on one thread.
//!
//! Each row is the same work in both libraries, in the idiom of each; a row of Belvedere includes the
//! guard that its elements are borrowed with. Only the stencil among the programs uses two threads.

mod elements;
mod inputs;
mod programs;
mod report;
mod rows;
mod walks;
mod zips;

use std::path::PathBuf;

use crate::failure::Failure;
use crate::{machine, results};
use inputs::Inputs;
use report::{Line, Report};
use rows::{Effort, Rows};

/// The lengths of both axes: one where elements come from memory, and one where they are in a cache and
/// the cost of a call counts.
const SIDES: [usize; 2] = [1024, 128];

/// The command-line options.
#[derive(Default)]
struct Options {
    /// Fewer and shorter turns.
    quick: bool,
    /// Only rows whose names contain this.
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
                _ => return Err(Failure::Usage(format!("unknown option {word} of `rust`"))),
            }
        }
        Ok(options)
    }

    fn effort(&self) -> Effort {
        match self.quick {
            true => Effort { n_rounds: 21, turn: 2e5, total: 1e7 },
            false => Effort { n_rounds: 401, turn: 4e5, total: 3e8 },
        }
    }
}

/// Compares the results of all rows, times them, prints the table and writes it as Markdown.
pub fn run(words: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(words)?;
    belvedere::set_num_threads(1);
    // The threads of the stencil. An error says that the pool exists already, with its size.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(2).build_global();
    let inputs = SIDES.map(Inputs::new);
    let rows = compared_rows(&inputs, options.only.as_deref())?;
    let effort = options.effort();
    let lines: Vec<Line> = rows.iter().map(|row| row.time(effort)).collect();
    let about = format!(
        "Best of {} turns or fewer, 1 thread (the stencil: 2), on {}. For both libraries: huge pages, operands at the same \
         places of a page, loops aligned to 64 bytes (see DESIGN.md).",
        effort.n_rounds,
        machine::describe()
    );
    let report = Report { about, lines };
    println!("{}", report.text());
    results::write("rust.md", &report.markdown(), options.record.as_deref())
}

/// Makes all rows. Each is compared when it is made.
fn compared_rows<'a>(
    inputs: &'a [Inputs],
    only: Option<&'a str>,
) -> Result<Vec<rows::Row<'a>>, Failure> {
    let sections = [
        elements::add,
        elements::add_in_place,
        walks::add_rows,
        walks::add_matrices,
        walks::add_windows,
        walks::add_chunks,
        zips::add,
        programs::add,
    ];
    let mut rows = Rows::new(only);
    for section in sections {
        for inputs in inputs {
            section(&mut rows, inputs);
        }
    }
    rows.into_result()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_agree_on_every_row() {
        // Not a multiple of a vector, nor of the size of the chunks.
        let inputs = [Inputs::new(37)];
        if let Err(failure) = compared_rows(&inputs, None) {
            panic!("{failure}");
        }
    }

    #[test]
    fn options_without_a_value_are_refused() {
        let message = |words: &[&str]| Options::parse(words).err().map(|it| it.to_string());
        assert_eq!(message(&["--only"]).as_deref(), Some("--only needs a value"));
        assert_eq!(message(&["--fast"]).as_deref(), Some("unknown option --fast of `rust`"));
        assert_eq!(message(&["--quick", "--only", "zip"]), None);
    }
}

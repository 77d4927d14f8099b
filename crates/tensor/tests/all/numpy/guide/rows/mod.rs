//! The chapters of the guides, and the macro for their rows.

mod elements;
mod functions;
mod indexing;
mod matrix;
mod memory;
mod random;
mod reductions;

use super::{Chapter, Given, Row};

/// The rows of a chapter: names for the operands, then the expressions of NumPy, PyTorch and Belvedere. Ours returns a `Result`
/// (`=>`) or a tensor (`=`), or writes to `a` (`do`).
macro_rules! rows {
    ($names:pat = ($($numpy:literal, $torch:literal $kind:tt $ours:expr;)*)) => {
        &[$(Row {
            numpy: $numpy,
            torch: $torch,
            ours: rows!(@shown $kind $ours),
            run: {
                #[allow(unused_variables)]
                fn run(given: &Given) -> Result<Tensor, Error> {
                    let $names = given.list();
                    rows!(@run $kind given $ours)
                }
                run
            },
            changes: rows!(@changes $kind),
        }),*]
    };
    (@run => $given:ident $ours:expr) => { $ours };
    (@run = $given:ident $ours:expr) => { Ok($ours) };
    (@run do $given:ident $ours:expr) => { $ours.map(|()| $given.a.clone()) };
    (@shown = $ours:expr) => { stringify!($ours) };
    (@shown $kind:tt $ours:expr) => { concat!(stringify!($ours), "?") };
    (@changes =>) => { false };
    (@changes =) => { false };
    (@changes do) => { true };
}

use rows;

pub(super) const CHAPTERS: &[Chapter] = &[
    Chapter { title: "Creation", rows: memory::CREATION },
    Chapter { title: "Views", rows: memory::VIEWS },
    Chapter { title: "Slices", rows: memory::PARTS },
    Chapter { title: "Advanced indexing: integer arrays and masks", rows: indexing::ADVANCED },
    Chapter { title: "Assignment and in-place operations", rows: memory::WRITING },
    Chapter { title: "Joining and rearranging", rows: indexing::JOINS },
    Chapter { title: "Arithmetic", rows: elements::ARITHMETIC },
    Chapter { title: "Elementwise functions", rows: functions::FUNCTIONS },
    Chapter { title: "Comparison and selection", rows: elements::COMPARISONS },
    Chapter { title: "Complex numbers", rows: elements::COMPLEX },
    Chapter { title: "Reductions", rows: reductions::REDUCTIONS },
    Chapter { title: "Scans (cumulative operations)", rows: reductions::SCANS },
    Chapter { title: "Sorting, searching and sets", rows: reductions::ORDER },
    Chapter { title: "Matrix and tensor products", rows: matrix::PRODUCTS },
    Chapter { title: "Linear systems and matrix factorizations", rows: matrix::FACTORS },
    Chapter { title: "Fourier transforms", rows: matrix::TRANSFORMS },
    Chapter { title: "Neural networks", rows: matrix::NETWORKS },
    Chapter { title: "Random numbers", rows: random::RANDOM },
];

//! The rows, and how they are written.

mod chance;
mod elements;
mod functions;
mod many;
mod matrix;
mod memory;
mod pick;

use super::{Chapter, Given, Row};

/// Rows of a chapter: names for what is given, then what NumPy and PyTorch say, and what we do. It may fail
/// (`=>`) or not (`=`), or change `a` (`do`).
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
    Chapter { title: "Making tensors", rows: memory::CREATION },
    Chapter { title: "Views", rows: memory::VIEWS },
    Chapter { title: "Parts", rows: memory::PARTS },
    Chapter { title: "Parts by tensors of positions or truth", rows: pick::PICKS },
    Chapter { title: "Writing", rows: memory::WRITING },
    Chapter { title: "Joining and moving", rows: pick::JOINS },
    Chapter { title: "Arithmetic", rows: elements::ARITHMETIC },
    Chapter { title: "Functions of numbers", rows: functions::FUNCTIONS },
    Chapter { title: "Comparing and choosing", rows: elements::COMPARISONS },
    Chapter { title: "Complex numbers", rows: elements::COMPLEX },
    Chapter { title: "Reductions", rows: many::REDUCTIONS },
    Chapter { title: "Running totals", rows: many::SCANS },
    Chapter { title: "Order", rows: many::ORDER },
    Chapter { title: "Products", rows: matrix::PRODUCTS },
    Chapter { title: "Matrices taken apart", rows: matrix::FACTORS },
    Chapter { title: "Fourier transforms", rows: matrix::TRANSFORMS },
    Chapter { title: "Networks", rows: matrix::NETWORKS },
    Chapter { title: "Random numbers", rows: chance::CHANCE },
];

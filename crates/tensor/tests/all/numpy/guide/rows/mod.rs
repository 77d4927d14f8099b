//! The chapters of the guides, and the macro for their rows.
//!
//! The tests of `explain` evaluate the same rows.

mod elements;
mod functions;
mod indexing;
mod matrix;
mod memory;
mod random;
mod reductions;

use belvedere::{Error, Tensor};

/// The operands of the rows, which have the same names in Python.
pub(crate) struct Given {
    /// Matrices of 3 × 4 floats.
    pub a: Tensor,
    pub b: Tensor,
    /// A stack of two matrices of 3 × 4 floats.
    pub c: Tensor,
    /// Four floats.
    pub v: Tensor,
    /// Two indices.
    pub i: Tensor,
    /// 3 × 4 bools.
    pub m: Tensor,
    /// Four complex numbers.
    pub z: Tensor,
    /// A square matrix of 3 × 3 floats, symmetric and positive definite.
    pub s: Tensor,
    /// Eight integers, some of them equal.
    pub n: Tensor,
}

/// The same expression in three libraries.
pub(crate) struct Row {
    pub numpy: &'static str,
    /// Empty if PyTorch has no equivalent.
    pub torch: &'static str,
    pub ours: &'static str,
    pub run: fn(&Given) -> Result<Tensor, Error>,
    /// Whether it writes to `a` instead of returning a value.
    pub changes: bool,
}

pub(crate) struct Chapter {
    pub title: &'static str,
    pub rows: &'static [Row],
}

impl Given {
    pub(crate) fn new() -> Result<Given, Error> {
        use belvedere::Complex;
        let a = Tensor::from_vec((0..12).map(|it| f64::from(it * 5 % 12) - 3.5).collect(), [3, 4])?;
        let b =
            Tensor::from_vec((0..12).map(|it| f64::from(it * 7 % 12) + 0.25).collect(), [3, 4])?;
        let c =
            Tensor::from_vec((0..24).map(|it| f64::from(it * 11 % 24) / 4.0).collect(), [2, 3, 4])?;
        let z =
            [(1.0, 2.0), (-0.5, 0.25), (0.0, -3.0), (4.0, 0.0)].map(|(x, y)| Complex::new(x, y));
        Ok(Given {
            m: a.greater(&b)?,
            a,
            b,
            c,
            v: Tensor::from_vec(vec![0.5, -1.0, 2.0, 0.125], [4])?,
            i: Tensor::from_vec(vec![2i64, 0], [2])?,
            z: Tensor::from_vec(z.to_vec(), [4])?,
            s: Tensor::from_vec(vec![4.0, 1.0, 0.5, 1.0, 3.0, 0.25, 0.5, 0.25, 2.0], [3, 3])?,
            n: Tensor::from_vec(vec![3i64, 1, 4, 1, 5, 2, 6, 3], [8])?,
        })
    }

    pub(crate) fn list(&self) -> [&Tensor; 9] {
        [&self.a, &self.b, &self.c, &self.v, &self.i, &self.m, &self.z, &self.s, &self.n]
    }
}

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

pub(crate) const CHAPTERS: &[Chapter] = &[
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

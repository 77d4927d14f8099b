//! The guide for users of ndarray: both expressions of each row are run, and their values compared.
//!
//! The tables in `docs/ndarray.md` are generated from these rows: a stale page fails the test, and `BELVEDERE_WRITE=1`
//! rewrites it.

#[path = "../guides/page.rs"]
mod page;
// The results of the guide for candle have more types.
#[allow(dead_code)]
#[path = "../guides/outcome.rs"]
mod outcome;
#[path = "../guides/ndarray_rows.rs"]
mod rows;

use belvedere::Tensor;
use ndarray::{Array1, Array2, Array3, ArrayBase, Data, Dimension};
use outcome::Outcome;
use page::Page;

/// The operands of the rows.
pub(crate) struct Arrays {
    /// Matrices of 3 × 4 numbers.
    a: Array2<f64>,
    b: Array2<f64>,
    /// A stack of two matrices of 3 × 4 numbers.
    c: Array3<f64>,
    /// Four numbers.
    v: Array1<f64>,
}

/// The same expression in two libraries.
pub(crate) struct ArrayRow {
    theirs: &'static str,
    ours: &'static str,
    run_theirs: fn(&mut Arrays) -> Result<Outcome, Box<dyn std::error::Error>>,
    run_ours: fn(&[Tensor; 4]) -> Result<Outcome, belvedere::Error>,
    /// Whether it writes to `a` instead of returning a value.
    changes: bool,
}

pub(crate) struct ArrayChapter {
    title: &'static str,
    rows: &'static [ArrayRow],
}

/// Chapters whose rows return a value (`value`) or write to `a` (`changes`). The names are those of the operands.
macro_rules! chapters {
    ($names:tt $($kind:ident $title:literal ($($theirs:expr => $ours:expr;)*))*) => {
        &[$(ArrayChapter {
            title: $title,
            rows: &[$(chapters!(@row $kind $names $theirs, $ours)),*],
        }),*]
    };
    (@row $kind:ident $names:tt $theirs:expr, $ours:expr) => {
        ArrayRow {
            theirs: stringify!($theirs),
            ours: stringify!($ours),
            run_theirs: {
                #[allow(unused_imports, unused_variables)]
                fn theirs(arrays: &mut Arrays) -> Result<Outcome, Box<dyn std::error::Error>> {
                    use ndarray::{linalg::kron, prelude::*, stack, concatenate, Slice, Zip};
                    chapters!(@theirs $kind arrays $names $theirs)
                }
                theirs
            },
            run_ours: {
                #[allow(unused_imports, unused_variables)]
                fn ours(tensors: &[Tensor; 4]) -> Result<Outcome, belvedere::Error> {
                    use belvedere::prelude::*;
                    chapters!(@ours $kind tensors $names $ours)
                }
                ours
            },
            changes: chapters!(@changes $kind),
        }
    };
    (@theirs value $arrays:ident [$a:ident $b:ident $c:ident $v:ident] $theirs:expr) => {{
        let ($a, $b, $c, $v) = (&$arrays.a, &$arrays.b, &$arrays.c, &$arrays.v);
        Ok(Outcome::from($theirs))
    }};
    (@theirs changes $arrays:ident [$a:ident $b:ident $c:ident $v:ident] $theirs:expr) => {{
        let ($a, $b, $c, $v) = (&mut $arrays.a, &$arrays.b, &$arrays.c, &$arrays.v);
        $theirs;
        Ok(Outcome::from($arrays.a.view()))
    }};
    (@ours value $tensors:ident [$($name:ident)*] $ours:expr) => {{
        let [$($name),*] = $tensors;
        Ok(Outcome::from($ours))
    }};
    (@ours changes $tensors:ident [$($name:ident)*] $ours:expr) => {{
        let [$($name),*] = $tensors;
        $ours;
        Ok(Outcome::from($tensors[0].clone()))
    }};
    (@changes value) => { false };
    (@changes changes) => { true };
}

use chapters;

#[test]
fn the_guide_matches_ndarray() {
    let mut page = Page::new("ndarray.md", "ndarray", "tests/guides/ndarray_rows.rs");
    for chapter in rows::CHAPTERS {
        page.chapter(chapter.title);
        for row in chapter.rows {
            let mut arrays = operands();
            let tensors = tensors(&arrays);
            let ours = (row.run_ours)(&tensors);
            let ours = ours.unwrap_or_else(|error| panic!("{}: {error}", row.ours));
            let theirs = (row.run_theirs)(&mut arrays);
            let theirs = theirs.unwrap_or_else(|error| panic!("{}: {error}", row.theirs));
            ours.assert_near(&theirs, 1e-14, row.ours);
            page.row(
                row.theirs,
                row.ours,
                if row.changes { "in place" } else { ours.memory(&tensors) },
            );
        }
    }
    page.check();
}

/// Returns the operands.
fn operands() -> Arrays {
    Arrays {
        a: Array2::from_shape_fn((3, 4), |(i, j)| ((i * 4 + j) * 5 % 12) as f64 - 3.5),
        b: Array2::from_shape_fn((3, 4), |(i, j)| ((i * 4 + j) * 7 % 12) as f64 + 0.25),
        c: Array3::from_shape_fn((2, 3, 4), |(i, j, k)| {
            ((i * 12 + j * 4 + k) * 11 % 24) as f64 / 4.0
        }),
        v: Array1::from(vec![0.5, -1.0, 2.0, 0.125]),
    }
}

/// Returns the operands as tensors.
fn tensors(Arrays { a, b, c, v }: &Arrays) -> [Tensor; 4] {
    let [a, b] = [a, b].map(|it| Tensor::from(it.clone()));
    [a, b, Tensor::from(c.clone()), Tensor::from(v.clone())]
}

impl<T: ElementOfRow, S: Data<Elem = T>, D: Dimension> From<ArrayBase<S, D>> for Outcome {
    fn from(array: ArrayBase<S, D>) -> Outcome {
        Outcome::new(array.shape(), array.iter().map(|value| value.to_number()).collect())
    }
}

/// The element types of arrays in the rows.
trait ElementOfRow: Copy {
    fn to_number(self) -> f64;
}

impl ElementOfRow for f64 {
    fn to_number(self) -> f64 {
        self
    }
}

impl ElementOfRow for f32 {
    fn to_number(self) -> f64 {
        self.into()
    }
}

impl ElementOfRow for bool {
    fn to_number(self) -> f64 {
        u8::from(self).into()
    }
}

//! The guide for users of candle. This test runs Belvedere's expression of each row; the tests of `bench/`, which
//! depends on candle, run both and compare the values.
//!
//! The tables in `docs/candle.md` are generated from these rows: a stale page fails the test, and `BELVEDERE_WRITE=1`
//! rewrites it.

// Values are compared in `bench/`.
#[allow(dead_code)]
#[path = "../guides/outcome.rs"]
mod outcome;
#[path = "../guides/candle_rows.rs"]
mod rows;

use crate::page::Page;
use belvedere::{Error, Tensor};
use outcome::Outcome;

pub(crate) struct CandleRow {
    theirs: &'static str,
    ours: &'static str,
    /// Runs Belvedere's expression with the operands.
    run: fn(&[Tensor; 5]) -> Result<Outcome, Error>,
    /// Whether it writes to `a` instead of returning a value.
    changes: bool,
}

pub(crate) struct CandleChapter {
    title: &'static str,
    rows: &'static [CandleRow],
}

/// Chapters whose rows return a value (`value`) or write to `a` (`changes`). The names are those of the operands, and of
/// candle's device.
macro_rules! chapters {
    ($names:tt $($kind:ident $title:literal ($($theirs:expr => $ours:expr;)*))*) => {
        &[$(CandleChapter {
            title: $title,
            rows: &[$(chapters!(@row $kind $names $theirs, $ours)),*],
        }),*]
    };
    (@row $kind:ident $names:tt $theirs:expr, $ours:expr) => {
        CandleRow {
            theirs: stringify!($theirs),
            ours: stringify!($ours),
            run: |tensors| chapters!(@run $kind tensors $names $ours),
            changes: chapters!(@changes $kind),
        }
    };
    (@run $kind:ident $tensors:ident [$a:ident $b:ident $c:ident $v:ident $i:ident $cpu:ident] $ours:expr) => {{
        #[allow(unused_imports)]
        use belvedere::prelude::*;
        #[allow(unused_variables)]
        let [$a, $b, $c, $v, $i] = $tensors;
        chapters!(@result $kind $a $ours)
    }};
    (@result value $a:ident $ours:expr) => { Ok($ours.into()) };
    (@result changes $a:ident $ours:expr) => {{
        $ours;
        Ok($a.clone().into())
    }};
    (@changes value) => { false };
    (@changes changes) => { true };
}

use chapters;

#[test]
fn every_row_of_the_guide_for_candle_runs() {
    let mut page = Page::new("candle.md", "candle", "tests/guides/candle_rows.rs");
    for chapter in rows::CHAPTERS {
        page.chapter(chapter.title);
        for row in chapter.rows {
            let operands = operands().expect("small tensors");
            let outcome = (row.run)(&operands);
            let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", row.ours));
            let memory = if row.changes { "in place" } else { outcome.memory(&operands) };
            page.row(row.theirs, row.ours, memory);
        }
    }
    page.check();
}

/// Returns the operands: two matrices of 3 × 4 numbers, a stack of two of them, four numbers, and two indices.
fn operands() -> Result<[Tensor; 5], Error> {
    let numbers = |shape: &[usize], factor: usize| {
        let n: usize = shape.iter().product();
        (0..n).map(|k| (k * factor % n) as f32 + 0.25).collect::<Tensor>().reshape(shape)
    };
    let a = numbers(&[3, 4], 5)?.sub(4)?;
    let i = Tensor::from(vec![2u32, 0]);
    Ok([a, numbers(&[3, 4], 7)?, numbers(&[2, 3, 4], 11)?, numbers(&[4], 3)?, i])
}

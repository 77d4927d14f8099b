//! Programs of the expression language: `explain` and its reports neither panic nor take long.

#![no_main]

use belvedere_explain::report::{self, ReportOptions, draw};
use belvedere_explain::{Dialect, Kind, MAX_STEPS, explain, spellings};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// Pieces of programs besides the names of operations.
const PIECES: &[&str] = &[
    "x",
    "y",
    "z",
    " = ",
    "\n",
    "; ",
    "(",
    ")",
    "[",
    "]",
    ", ",
    ":",
    ".",
    "...",
    "None",
    "True",
    "x = arange(12)\n",
    "y = arange(24).reshape(2, 3, 4)\n",
    "z = zeros((10**6, 10**6))\n",
    "x.",
    "y.",
    "z.",
    "np.",
    "torch.",
    "np.linalg.",
    "x[",
    "y[",
    "z[",
    "x += ",
    "x[1:] += x[:-1]",
    "with no_copies():\n  ",
    " + ",
    " - ",
    " * ",
    " / ",
    " // ",
    " % ",
    " ** ",
    " @ ",
    " < ",
    " == ",
    " & ",
    "~",
    "-",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "4",
    "7",
    "10**18",
    "1.5",
    "2j",
    "(2, 3)",
    "(0, 1)",
    "[0, 2]",
    "[[1, 2], [3, 4]]",
    "axis=",
    "axis=0",
    "keepdims=True",
    "dtype=float32",
    "int8",
    "bool",
    "'ij,jk->ik'",
    "'a b -> b a'",
    "'linear'",
    "x > 3",
    "x, y",
    "arange(3)",
    "ones(4)",
    ".T",
    ".lens()",
    ".shape",
    ".expand(10**9, 12)",
    ".reshape(-1)",
    "() * ",
    "print(",
];

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut words = PIECES.to_vec();
    words.extend(spellings());
    words
});

/// Returns a program of the pieces that the bytes select, two bytes for each; or the text itself.
fn program(data: &[u8]) -> String {
    match data.split_first() {
        Some((first, rest)) if first % 4 != 0 => {
            let number = |pair: &[u8]| usize::from(pair[0]) << 8 | usize::from(pair[1]);
            // Every other piece is one of the syntax, so that programs are often valid.
            let piece = |(i, pair): (usize, &[u8])| match i % 2 {
                0 => PIECES[number(pair) % PIECES.len()],
                _ => WORDS[number(pair) % WORDS.len()],
            };
            rest.chunks_exact(2).enumerate().map(piece).collect()
        }
        _ => String::from_utf8_lossy(data).into_owned(),
    }
}

fuzz_target!(|data: &[u8]| {
    let source = program(data);
    let report = explain(&source, Some(Dialect::PyTorch));
    assert!(report.steps.len() <= MAX_STEPS + 1);
    for step in &report.steps {
        assert_eq!(step.error.is_some(), step.kind == Kind::Error);
        assert!(step.live_bytes <= step.peak_bytes || step.error.is_some());
    }
    report::plain(&report, ReportOptions { draw: None, plan: true });
    draw::svg(&report);
});

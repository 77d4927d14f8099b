//! Random sources: `explain` and the report formats never panic or hang.

use belvedere_cli::explain::{Dialect, Kind, Report, explain};
use belvedere_cli::play;
use belvedere_cli::report::{self, ReportOptions, draw, json};
use belvedere_draw::TextOptions;
use proptest::prelude::*;

/// Explains a source with both dialects, formats the report in every format and checks its invariants.
fn check_report(source: &str) -> Report {
    let report = explain(source, Some(Dialect::PyTorch));
    explain(source, Some(Dialect::NumPy));
    report::text(&report, ReportOptions { draw: Some(TextOptions::plain()), plan: true });
    let steps = &json::report(&report)["steps"];
    assert_eq!(steps.as_array().map(Vec::len), Some(report.steps.len()));
    let answer = play::answer(&report);
    assert_eq!(answer["steps"].as_array().map(Vec::len), Some(report.steps.len()));
    draw::html(&report);
    // An error is the last step, and its span is within the source.
    for (i, step) in report.steps.iter().enumerate() {
        assert_eq!(step.error.is_some(), step.kind == Kind::Error);
        assert!(step.error.is_none() || i + 1 == report.steps.len());
        if let Some(error) = &step.error {
            assert!(error.span.start <= error.span.end && error.span.end <= source.len());
        }
        assert!(step.inputs.iter().all(|&it| it < i));
    }
    report
}

const WORDS: [&str; 72] = [
    "x",
    "y",
    "=",
    ";",
    "\n",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ".",
    "...",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "@",
    "**",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "1.5",
    "2j",
    "1e400",
    "0x7f",
    "9223372036854775807",
    "9223372036854775808",
    "170141183460469231731687303715884105727",
    "'a b -> b a'",
    "\"float32\"",
    "float32",
    "complex64",
    "None",
    "True",
    "np.",
    "torch.",
    "F.",
    "import numpy as np\n",
    "print(",
    "len(",
    ".T",
    ".shape",
    ".strides",
    ".flags",
    ".real",
    "arange(12)",
    "zeros((2, 3))",
    "tensor(",
    ".reshape(",
    ".view(",
    ".permute(",
    ".expand(",
    ".pad(",
    ".tile(",
    ".repeat(",
    ".split(",
    ".unfold(",
    ".as_strided(",
    ".lens()",
    ".copy()",
    "[::-1]",
    "[None]",
    "[0]",
    "é",
    "#",
    "'",
];

const ARGUMENTS: [&str; 30] = [
    "",
    "0",
    "1",
    "2",
    "-1",
    "-5",
    "3, 4",
    "(2, 3)",
    "[6, 4]",
    "0, 1",
    "1, 0, 2",
    "(0, 1), (1, 0)",
    "2, 1, 1",
    "-1, 3",
    "9223372036854775807",
    "-9223372036854775808",
    "10**18, 4",
    "(10**9, 10**9)",
    "(0,)",
    "()",
    "None",
    "x",
    "y",
    "'a b c -> c (a b)'",
    "float32",
    "'uint8', 1",
    "dim=1",
    "axis=(0, 1)",
    "((1, 2), (0, 0), (3, 1))",
    "*x.shape",
];

fn words(n: usize) -> impl Strategy<Value = String> {
    let word = prop::sample::select(&WORDS[..]);
    prop::collection::vec(word, 0..n).prop_map(|words| words.concat())
}

/// `.name(arguments)`, for any name and any arguments.
fn call() -> impl Strategy<Value = String> {
    let names: Vec<&str> = belvedere_cli::explain::spellings().collect();
    let name = prop::sample::select(names);
    (name, prop::sample::select(&ARGUMENTS[..]), any::<bool>()).prop_map(
        |(name, given, is_read)| {
            if is_read && given.is_empty() {
                format!(".{name}")
            } else {
                format!(".{name}({given})")
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_explained(source in any::<String>()) {
        check_report(&source);
    }

    #[test]
    fn any_tokens_are_explained(source in words(40)) {
        check_report(&source);
        check_report(&format!("x = arange(24).reshape(2, 3, 4); y = x.T; {source}"));
    }

    #[test]
    fn any_calls_are_explained(calls in prop::collection::vec(call(), 1..6)) {
        check_report(&format!("y = ones(4); x = arange(24).reshape(2, 3, 4); x{}", calls.concat()));
    }

    #[test]
    fn every_function_accepts_any_arguments(call in call(), library in 0..4usize) {
        let library = ["", "np.", "torch.", "F."][library];
        check_report(&format!("y = ones(4); x = arange(24).reshape(2, 3, 4); {library}{}", &call[1..]));
    }

    #[test]
    fn an_edited_program_is_explained(from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(), word in words(3)) {
        let source = "import numpy as np\nx = np.arange(24).reshape(2, 3, 4)  # é\ny = x.permute(1, 0, 2)[:, ::-1]\n\
                      a, b = y.split([1, 1], dim=1); (a + b * 2).rearrange('h b w -> (b w) h', b=1)\nx[0, ..., None] = y.sum()\n";
        let ends: Vec<usize> = source.char_indices().map(|it| it.0).collect();
        let (from, to) = (*from.get(&ends), *to.get(&ends));
        let (from, to) = (from.min(to), from.max(to));
        check_report(&format!("{}{word}{}", &source[..from], &source[to..]));
    }
}

#[test]
fn every_name_accepts_every_list_of_arguments() {
    for name in belvedere_cli::explain::spellings() {
        for given in ARGUMENTS {
            for subject in [
                "x",
                "zeros((0, 3))",
                "arange(10**18)",
                "x.pad(1)",
                "x[0, 0, 0]",
                "x.expand(5, 2, 3, 4)",
            ] {
                explain(
                    &format!(
                        "y = ones(4); x = arange(24).reshape(2, 3, 4); {subject}.{name}({given})"
                    ),
                    None,
                );
            }
        }
    }
}

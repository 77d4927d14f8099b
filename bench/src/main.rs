//! Belvedere compared with other libraries: `cargo xtask bench <benchmark>`.
//!
//! Results of all engines are compared before anything is timed. The
//! engines take turns in one run (`turns.rs`), so that a busy machine slows them all alike.
//!
//! Progress goes to stderr; the table goes to stdout and, as Markdown, to `target/bench/`.

// `deny`, not `forbid`: a macro of ndarray allows it locally.
#![deny(unsafe_code)]

#[cfg(test)]
mod candle_guide;
mod failure;
mod gradients;
mod layout;
mod machine;
mod results;
mod rust;
mod sweep;
mod table;
mod tensor;
mod turns;

use std::env;
use std::process::ExitCode;

use failure::Failure;
use turns::Turns;

const USAGE: &str = "\
usage: cargo xtask bench [benchmark] [options]

  layout [--quick]  every view operation at ranks 1 to 8, compared with ndarray and candle;
                    --quick is a smoke test of about a second
  tensor [--quick] [--torch] [--threads N] [--python PATH] [--torch-python PATH] [--only TEXT]
         [--record FOLDER]
                    copies, arithmetic, reductions and products on 1 and 2 threads, compared with
                    ndarray, candle, NumPy and, with --torch, PyTorch; operands that are copied
                    first; and scaling with the size. --quick takes two minutes.
                    --python is a Python with NumPy and PyTorch, --torch-python one with PyTorch
                    alone; --only is a part of a row's name, or \"copy first\", \"transpositions\",
                    \"growth\"; --record writes tables and charts to a folder. This benchmark is
                    the default
  rust [--quick] [--only TEXT] [--record FOLDER]
                    element loops, row loops, closures over several operands, windows, chunks and
                    six programs on one thread, compared with ndarray; --quick takes half a minute
  sweep [--quick] [--only REGEX] [--peer numpy|torch] [--json FILE] [--record FOLDER]
                    every operation over dtypes, layouts, shapes and sizes from Python, compared with
                    NumPy or PyTorch; a table, the slowest rows and a heat map. --quick takes a
                    sample of about two minutes; runs without this program
  sweep --rust [--quick] [--only TEXT] [--record FOLDER]
                    the same from Rust: operands of other layouts compared with contiguous ones
  gradients [--threads N] [--quick] [--only TEXT] [--output FILE]
                    training steps and recorded operations from Python, compared with PyTorch; runs without
                    this program
  gradients --rust [--quick] [--record FOLDER]
                    what tapes cost in Rust: recorded operations, writes to saved tensors, states that are
                    overwritten
  python [--quick] [--only TEXT]
                    the cost of a call from Python, compared with NumPy; runs without this program
  help              this list";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Runs the named benchmark.
fn dispatch(words: &[&str]) -> Result<(), Failure> {
    match words {
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["tensor", rest @ ..] => tensor::run(rest),
        [] => tensor::run(&[]),
        [first, ..] if first.starts_with("--") => tensor::run(words),
        ["rust", rest @ ..] => rust::run(rest),
        ["sweep", rest @ ..] => sweep::run(rest),
        ["gradients", rest @ ..] => gradients::run(rest),
        ["layout"] => layout::run(Turns::FULL),
        ["layout", "--quick"] => layout::run(Turns::QUICK),
        _ => Err(Failure::Usage(format!("unknown arguments `{}`\n\n{USAGE}", words.join(" ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_arguments_are_quoted_above_the_usage() {
        let failure = dispatch(&["layuot", "--quick"]).expect_err("a typo");
        assert_eq!(failure.exit_code(), 2);
        let message = failure.to_string();
        assert!(message.starts_with("unknown arguments `layuot --quick`\n\nusage: "), "{message}");
    }
}

//! The project's tasks as one command: `cargo xtask <subcommand>`.
//!
//! It has no dependencies, so that it builds in a second or two. What a build or a test run needs is
//! written down here once, and the same command serves developers and continuous integration.
//!
//! Progress (command lines, durations, errors) goes to stderr; results (tables, figures) go to
//! stdout, so that they can be piped.

#![forbid(unsafe_code)]

mod allocations;
mod bench;
mod browser;
mod build_time;
mod calls;
mod check;
mod ci;
mod compat;
mod count;
mod examples;
mod failure;
mod fuzz;
mod generate;
mod guards;
mod model;
mod neon;
mod part;
mod paths;
mod phrases;
mod pictures;
mod python;
mod run;
mod sanitize;
mod simd;
mod size;
mod soak;
mod strip;
mod supply_chain;
mod table;
mod test;
mod tsan;
mod wheel;

use std::env;
use std::process::ExitCode;

use failure::{Failure, Outcome};
use run::Runner;

/// One row of the command table.
struct Subcommand {
    /// The word typed after `cargo xtask`.
    name: &'static str,
    /// What may follow it, in the notation of the usage text.
    arguments: &'static str,
    /// One line about what it does.
    summary: &'static str,
    /// Runs the subcommand with the arguments after its name.
    run: fn(&mut Runner, &[String]) -> Outcome,
}

/// The subcommands in the order of the usage text.
const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "tiny",
        arguments: "",
        summary: "smoke tests of the public API, in seconds; before each commit",
        run: test::tiny,
    },
    Subcommand {
        name: "check",
        arguments: "",
        summary: "formatting, lints, documentation, size; runs no test",
        run: check::run,
    },
    Subcommand {
        name: "test",
        arguments: "[--full] [--no-numpy] [--skip browser|python] [ARGS…]",
        summary: "all tests, in Python and a browser, too; --full enumerates",
        run: test::run,
    },
    Subcommand {
        name: "size",
        arguments: "",
        summary: "code lines of each file and its longest function, against the limits",
        run: size::run,
    },
    Subcommand {
        name: "calls",
        arguments: "",
        summary: "the functions that `x.T[::-1] + y` passes through, by file; needs valgrind",
        run: calls::run,
    },
    Subcommand {
        name: "build-time",
        arguments: "[--ci]",
        summary: "report how long cold builds take, against their goals; --ci: that of ci, too",
        run: build_time::run,
    },
    Subcommand {
        name: "ci",
        arguments: "",
        summary: "check, test, simd, the wheel: what a change must pass",
        run: ci::run,
    },
    Subcommand {
        name: "gen",
        arguments: "[--check]",
        summary: "write what the table in operations/ says; --check: fail if out of date",
        run: generate::run,
    },
    Subcommand {
        name: "python",
        arguments: "",
        summary: "build the Python package and install it below target/python",
        run: wheel::run,
    },
    Subcommand {
        name: "sanitize",
        arguments: "",
        summary: "the tensor crate's tests under AddressSanitizer, ThreadSanitizer and valgrind",
        run: sanitize::run,
    },
    Subcommand {
        name: "model",
        arguments: "",
        summary: "every interleaving of the borrow table and the thread pool, and mutants",
        run: model::run,
    },
    Subcommand {
        name: "simd",
        arguments: "",
        summary: "count vector instructions in the hot loops; fails where there are none",
        run: simd::run,
    },
    Subcommand {
        name: "neon",
        arguments: "",
        summary: "AArch64: count vector instructions, and run tests of kernels by emulation",
        run: neon::run,
    },
    Subcommand {
        name: "fuzz",
        arguments: "[--seconds N] [TARGET…]",
        summary: "run the fuzz targets (all of them, 20 seconds each)",
        run: fuzz::run,
    },
    Subcommand {
        name: "soak",
        arguments: "[--minutes N] [--seed N] [--record]",
        summary: "the campaign: sanitize, model, all fuzzers, repeated tests; one table",
        run: soak::run,
    },
    Subcommand {
        name: "supply-chain",
        arguments: "",
        summary: "dependencies, licences, unsafe code in them, packages and the wheel",
        run: supply_chain::run,
    },
    Subcommand {
        name: "bench",
        arguments: "[NAME] [ARGS…]",
        summary: "run a benchmark; all words go to the program in bench/",
        run: bench::run,
    },
    Subcommand {
        name: "compat",
        arguments: "[--package DIR] [--mirror DIR] [--record] [SUITE…]",
        summary: "the test suites of other projects on our arrays, against the recorded counts",
        run: compat::run,
    },
    Subcommand {
        name: "pictures",
        arguments: "[--page]",
        summary: "draw the pictures of the documents again; --page: that of the playground, too",
        run: pictures::run,
    },
    Subcommand { name: "help", arguments: "", summary: "this list", run: help },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let mut runner = Runner::new();
    let outcome = dispatch(&mut runner, &arguments);
    runner.print_durations();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Finds the subcommand by its name and runs it with the words after it.
fn dispatch(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let Some((name, rest)) = arguments.split_first() else {
        return help(runner, &[]);
    };
    let name = if name == "--help" || name == "-h" { "help" } else { name };
    match SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name) {
        Some(subcommand) if subcommand.arguments.is_empty() && !rest.is_empty() => {
            let got = rest.join(" ");
            Err(Failure::Usage(format!("`{name}` takes no arguments, got `{got}`")))
        }
        Some(subcommand) => (subcommand.run)(runner, rest),
        None => Err(Failure::Usage(format!("unknown subcommand `{name}`\n\n{}", usage()))),
    }
}

/// Prints the usage text.
fn help(_: &mut Runner, _: &[String]) -> Outcome {
    println!("{}", usage());
    Ok(())
}

/// The command table as text, one line a subcommand.
fn usage() -> String {
    let synopsis = |s: &Subcommand| format!("{} {}", s.name, s.arguments);
    let width = SUBCOMMANDS.iter().map(|s| synopsis(s).chars().count()).max().unwrap_or(0);
    let mut text = String::from("usage: cargo xtask <subcommand>\n");
    for subcommand in SUBCOMMANDS {
        text += &format!("\n  {:width$}  {}", synopsis(subcommand), subcommand.summary);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails_with(words: &[&str]) -> (String, u8) {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let failure = dispatch(&mut Runner::new(), &words).expect_err("wrong usage");
        (failure.to_string(), failure.exit_code())
    }

    #[test]
    fn an_unknown_subcommand_is_named_with_the_list() {
        let (message, exit_code) = fails_with(&["chekc"]);
        assert!(message.starts_with("unknown subcommand `chekc`\n"), "{message}");
        assert!(SUBCOMMANDS.iter().all(|s| message.contains(s.summary)), "{message}");
        assert_eq!(exit_code, 2);
    }

    #[test]
    fn a_subcommand_without_arguments_refuses_them() {
        let expected = "`size` takes no arguments, got `a b`".to_string();
        assert_eq!(fails_with(&["size", "a", "b"]), (expected, 2));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = SUBCOMMANDS.iter().map(|s| s.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SUBCOMMANDS.len());
    }
}

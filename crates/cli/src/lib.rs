#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod args;
pub mod play;
pub mod report;

pub use belvedere_explain as explain;

use args::{Cli, Command, Explain};
use belvedere_draw::TextOptions;
use clap::CommandFactory;
use explain::{MAX_SOURCE, step::Kind};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// Runs a subcommand and writes its output to `out`, with colours if `is_coloured`.
///
/// # Errors
/// If reading the source or writing the output fails.
pub fn run(cli: Cli, out: &mut dyn Write, is_coloured: bool) -> io::Result<ExitCode> {
    match cli.command {
        Command::Explain(args) => run_explain(&args, out, is_coloured),
        Command::Play(args) => play::run(&args, out),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "belvedere", out);
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn run_explain(args: &Explain, out: &mut dyn Write, is_coloured: bool) -> io::Result<ExitCode> {
    let source = match args.source.as_str() {
        "-" => read(&mut io::stdin().lock())?,
        source => source.into(),
    };
    let report = explain::explain(&source, args.dialect.map(Into::into));
    if let Some(path) = &args.svg {
        save(path, &report::draw::svg(&report))?;
    }
    if let Some(path) = &args.html {
        save(path, &report::draw::html(&report))?;
    }
    if args.json {
        writeln!(out, "{:#}", report::json::report(&report))?;
    } else {
        let style = if is_coloured { TextOptions::coloured() } else { TextOptions::plain() };
        let parts = report::ReportOptions { draw: args.draw.then_some(style), plan: args.plan };
        write!(out, "{}", report::text(&report, parts))?;
    }
    let failed = report.steps.iter().any(|step| step.kind == Kind::Error);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads a source text, up to one byte more than the maximum length, so that longer texts are reported.
fn read(from: &mut dyn Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(MAX_SOURCE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn save(path: &Path, text: &str) -> io::Result<()> {
    let with_path =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    std::fs::write(path, text).map_err(with_path)
}

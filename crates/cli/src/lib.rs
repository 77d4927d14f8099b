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

/// Does what the arguments ask for, and writes to `out`, in colours if they can be seen there.
///
/// # Errors
/// When something cannot be read or written.
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

/// Reads a text; not more of it than is explained.
fn read(from: &mut dyn Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(MAX_SOURCE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn save(path: &Path, text: &str) -> io::Result<()> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    std::fs::write(path, text).map_err(named)
}

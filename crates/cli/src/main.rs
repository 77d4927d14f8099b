//! The program `belvedere`.

#![forbid(unsafe_code)]

use anstream::{AutoStream, ColorChoice};
use belvedere_cli::args::Cli;
use clap::Parser;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Strips colours if the output is not a terminal or the environment disables them.
    let is_coloured = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    let mut out = anstream::stdout().lock();
    let done =
        belvedere_cli::run(cli, &mut out, is_coloured).and_then(|code| out.flush().map(|()| code));
    match done {
        Ok(code) => code,
        // The reader closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("belvedere: {error}");
            ExitCode::from(2)
        }
    }
}

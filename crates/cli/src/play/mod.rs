//! `belvedere play`: the playground, a local web page that draws what an expression does to memory.
//!
//! [`Server`] holds the connections, `http` decides who is answered and with what, `api` makes the answers,
//! and `page` has the files of the page, which are part of the program.

mod api;
mod http;
mod page;
mod server;

pub use api::answer;
pub use server::{DEFAULT_PORT, Options, Server};

use crate::args::Play;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;

/// Serves the page until Ctrl-C; says where it is first.
///
/// # Errors
/// When the port is taken, or the address is not ours.
pub fn run(args: &Play, out: &mut dyn Write) -> io::Result<ExitCode> {
    let server = Server::new(Options { host: args.host, port: args.port }).map_err(|error| {
        let at = SocketAddr::new(args.host, args.port);
        io::Error::new(error.kind(), format!("{at}: {error}; `--port 0` takes any free port"))
    })?;
    writeln!(out, "The playground is at {}", server.url())?;
    writeln!(out, "Ctrl-C stops it.")?;
    out.flush()?;
    if args.open && server.open_browser().is_err() {
        writeln!(out, "There is no program that opens pages; please open it yourself.")?;
        out.flush()?;
    }
    server.run()?;
    writeln!(out, "stopped")?;
    Ok(ExitCode::SUCCESS)
}

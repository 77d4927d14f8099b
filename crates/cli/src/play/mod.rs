//! `belvedere play`: the playground, a local web page that draws what an expression does to memory.
//!
//! [`Server`] accepts connections, `http` checks and routes requests, `api` builds the JSON for the page, `operands`
//! determines which elements of the operands a result was computed from, `page` holds the embedded files of the page,
//! and `timed_stream` closes connections whose client does not read.

mod api;
mod http;
mod operands;
mod page;
mod server;
mod timed_stream;

pub use api::answer;
pub use server::{DEFAULT_PORT, Options, Server};

use crate::args::Play;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;

/// Prints the address of the page and serves it until Ctrl-C.
///
/// # Errors
/// If the server cannot bind the address or the port.
pub fn run(args: &Play, out: &mut dyn Write) -> io::Result<ExitCode> {
    let server = Server::new(Options { host: args.host, port: args.port, ..Options::default() })
        .map_err(|error| {
            let at = SocketAddr::new(args.host, args.port);
            io::Error::new(
                error.kind(),
                format!("cannot listen on {at}: {error}; `--port 0` selects any free port"),
            )
        })?;
    writeln!(out, "The playground is at {}", server.url())?;
    writeln!(out, "Ctrl-C stops it.")?;
    out.flush()?;
    if args.open && server.open_browser().is_err() {
        writeln!(out, "No program to open a browser was found; open the address yourself.")?;
        out.flush()?;
    }
    server.run()?;
    writeln!(out, "stopped")?;
    Ok(ExitCode::SUCCESS)
}

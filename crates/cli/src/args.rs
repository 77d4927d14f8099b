//! The command line arguments.

use crate::explain::Dialect;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Shows what tensor expressions do to memory: views, copies, strides and overlap.
#[derive(Debug, Parser)]
#[command(name = "belvedere", version, max_term_width = 100)]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explain an expression step by step: shape, strides, view or copy, and the reason for a copy
    #[command(after_long_help = EXAMPLES, after_help = "--help shows examples and the language.")]
    Explain(Explain),
    /// Serve a local web page that draws the memory and the view of each step
    Play(Play),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// `belvedere explain`
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The expression; `-` reads it from standard input
    ///
    /// Statements end with `;` or at the end of a line. Put `--` before an expression that begins with `-`.
    #[arg(value_name = "EXPR")]
    pub source: String,

    /// Draw the memory and the grid of each step
    #[arg(long)]
    pub draw: bool,

    /// Write the pictures to an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Write the pictures to an HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print JSON instead of a table
    #[arg(long, conflicts_with = "draw")]
    pub json: bool,

    /// Show the loop nests of arithmetic and copies, and whether an operand is copied first
    #[arg(long)]
    pub plan: bool,

    /// Report differences from NumPy or PyTorch
    #[arg(long = "as", value_name = "LIBRARY")]
    pub dialect: Option<Library>,
}

/// `belvedere play`
#[derive(Debug, clap::Args)]
pub struct Play {
    /// The port; 0 selects any free port
    #[arg(long, value_name = "PORT", default_value_t = crate::play::DEFAULT_PORT)]
    pub port: u16,

    /// The address to listen on; the default is reachable from this machine only
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,

    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// A library to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Library {
    /// NumPy
    Numpy,
    /// PyTorch
    Torch,
}

impl From<Library> for Dialect {
    fn from(library: Library) -> Dialect {
        match library {
            Library::Numpy => Dialect::NumPy,
            Library::Torch => Dialect::PyTorch,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  Why does this view fail?
    belvedere explain 'arange(12).reshape(3,4).T.view(6,2)'
  Several statements, drawn
    belvedere explain --draw 'x = arange(24).reshape(2,3,4); x.permute(1,0,2)[:, ::-1]'
  The loop nest of an addition with broadcasting
    belvedere explain --plan 'a = zeros((3,1)); b = zeros(4); a + b'
  Differences from PyTorch
    belvedere explain --as torch 'arange(6)[::-1]; arange(6).repeat(2)'
  Arbitrary strides, over memory that holds 0, 1, 2, …
    belvedere explain 'tensor((4,3), strides=(1,4)).rearrange(\"(a b) c -> a (b c)\", a=2)'
  Read a file, print JSON
    belvedere explain --json - < steps.py

The language is a subset of Python: names, tuples, lists, positional and keyword arguments,
+ - * / @, and x[1:3, ..., None, ::-1]. Operations have the names of NumPy, PyTorch and the
Array API, as methods or functions, with or without the prefix np. or torch. The result is
a view whenever one exists. Where NumPy and PyTorch differ, the semantics are NumPy's: T
reverses all axes, repeat repeats elements, squeezing an axis longer than 1 is an error.
expand, narrow, select, unfold, unflatten, flatten(start, end), split(size), chunk(n) and
transpose(i, j) are PyTorch's. Strides of as_strided are in elements. lens() returns a lens,
on which view operations never copy; pad, tile and repeat return lenses.

The exit code is 1 if a step failed; the steps before it are shown.";

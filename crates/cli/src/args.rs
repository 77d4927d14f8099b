//! The command line arguments.

use crate::explain::Dialect;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// See what tensor expressions do to memory.
#[derive(Debug, Parser)]
#[command(name = "belvedere", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The things the program does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explains an expression: shape, strides, view or copy, and why, step by step
    #[command(after_long_help = EXAMPLES, after_help = "--help shows examples and the language.")]
    Explain(Explain),
    /// Serves a page that draws memory: type an expression, step through it, point at cells
    Play(Play),
    /// Prints a script that completes commands in a shell
    Completions {
        /// The shell it is for.
        shell: Shell,
    },
}

/// `belvedere explain`
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The expression; `-` reads it from standard input
    ///
    /// Statements end with `;` or at the end of a line. If it begins with a minus sign, put `--` in front.
    #[arg(value_name = "EXPR")]
    pub source: String,

    /// Draw the memory and the grid of each step
    #[arg(long)]
    pub draw: bool,

    /// Write the pictures to an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Write the pictures to a page of its own
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print JSON instead of a table
    #[arg(long, conflicts_with = "draw")]
    pub json: bool,

    /// Show the loops that arithmetic and copies run, and whether an operand is copied first
    #[arg(long)]
    pub plan: bool,

    /// Say where NumPy or PyTorch would do something else
    #[arg(long = "as", value_name = "LIBRARY")]
    pub dialect: Option<Library>,
}

/// `belvedere play`
#[derive(Debug, clap::Args)]
pub struct Play {
    /// The port; 0 takes any free one
    #[arg(long, value_name = "PORT", default_value_t = crate::play::DEFAULT_PORT)]
    pub port: u16,

    /// The address to listen at; others than this machine can see the page only if you change it
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
  Why can this not be viewed?
    belvedere explain 'arange(12).reshape(3,4).T.view(6,2)'
  A chain with names, drawn
    belvedere explain --draw 'x = arange(24).reshape(2,3,4); x.permute(1,0,2)[:, ::-1]'
  Which loops does a sum with broadcasting run?
    belvedere explain --plan 'a = zeros((3,1)); b = zeros(4); a + b'
  What would PyTorch do?
    belvedere explain --as torch 'arange(6)[::-1]; arange(6).repeat(2)'
  Strides of your own, over memory that counts 0 1 2 …
    belvedere explain 'tensor((4,3), strides=(1,4)).rearrange(\"(a b) c -> a (b c)\", a=2)'
  From a file, for a program
    belvedere explain --json - < steps.py

The language is Python's: names, tuples, lists, calls by position or name, + - * / @, and
x[1:3, ..., None, ::-1]. Operations have the names of NumPy, PyTorch and the Array API, as
methods or functions, with or without np. or torch. in front. View or copy is Belvedere's
rule: a view whenever one exists. Where NumPy and PyTorch differ, NumPy's meaning holds: T
reverses all axes, repeat repeats elements, squeezing a longer axis is an error. expand,
narrow, select, unfold, unflatten, flatten(start, end), split(size), chunk(n) and
transpose(i, j) are PyTorch's. as_strided counts elements. lens() looks at a tensor through
a lens, on which no movement copies; pad, tile and repeat do so by themselves.

The exit code is 1 when a step failed; the steps before it are shown.";

//! `neon`: the library compiled for AArch64: its vector instructions are counted, and a part of its tests runs by emulation.
//!
//! The emulator is slow, so these are the tests of what depends on the processor: kernels and functions, whose results
//! have the same bits everywhere.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::{Failure, Outcome};
use crate::part::{self, Part};
use crate::run::Runner;
use crate::simd::{self, Architecture};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The folder of the build.
const FOLDER: &str = "target/neon";

/// Programs and files that are needed beside a compiler, each with its package on Debian.
const LINKER: (&str, &str) = ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu");
const EMULATOR: (&str, &str) = ("qemu-aarch64", "qemu-user");
const C_LIBRARY: (&str, &str) = ("/usr/aarch64-linux-gnu/lib/libc.a", "libc6-dev-arm64-cross");

/// The compilers that may have the standard library of the target: that of rustup, and Debian's.
const COMPILERS: [&str; 2] = ["rustc", "/usr/bin/rustc"];

/// The back-ends that are tested: products have kernels for NEON.
const FEATURES: [&str; 3] = ["--no-default-features", "--features", "matmul,random"];

/// What runs under the emulator: a name, the arguments that select programs, and filters.
const TESTS: [(&str, &[&str], &[&str]); 4] = [
    ("AArch64: layouts", &["--package", "belvedere-layout", "--test", "tiny"], &[]),
    ("AArch64: public functions", &["--package", "belvedere", "--test", "tiny"], &[]),
    ("AArch64: bits of results", &["--package", "belvedere", "--test", "same_bits"], &[]),
    ("AArch64: kernels", &["--package", "belvedere", "--lib"], &["dtype::", "kernel::"]),
];

/// Builds for AArch64, counts vector instructions, runs the tests and prints the tables.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let Some(compiler) = compiler(runner).filter(|_| missing(runner).is_empty()) else {
        let problem = what_to_install(runner);
        if env::var_os("CI").is_some() {
            eprintln!("\nSKIPPED: nothing was compiled for AArch64: {problem}");
            return Ok(());
        }
        return Err(Failure::Step(problem));
    };
    let example = simd::EXAMPLE;
    let mut build = command(runner, compiler, "build");
    build.args(["--package", "belvedere", "--example", example]).args(FEATURES);
    runner.run("build hot loops for AArch64", &mut build)?;
    let program = format!("{FOLDER}/{TARGET}/release/examples/{example}");
    let counted = simd::count_in(runner, &Architecture::AARCH64, &program);
    let mut parts = Vec::new();
    for (name, selection, filters) in TESTS {
        let mut test = command(runner, compiler, "test");
        test.args(selection);
        if selection.contains(&"belvedere") {
            test.args(FEATURES);
        }
        let result = Part::test_round(runner, name, test.arg("--").args(filters));
        parts.push(Part::from_result(name, result));
    }
    part::report(&parts)?;
    counted
}

/// A command of cargo for the target.
fn command(runner: &Runner, compiler: &str, word: &str) -> Command {
    let mut command = runner.isolated_cargo();
    command.env("RUSTC", compiler);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER.0);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", EMULATOR.0);
    // Linked statically: QEMU 7.2 does not return from `pthread_create` of the C library of Debian's cross compiler if that is
    // a shared one. The names of functions have types in them, for the counts.
    command.env("RUSTFLAGS", "-Ctarget-feature=+crt-static -Csymbol-mangling-version=v0");
    // Optimized, as vector code is.
    command.args([word, "--release", "--target", TARGET, "--target-dir", FOLDER]);
    command
}

/// Returns the first compiler that has the standard library of the target.
fn compiler(runner: &Runner) -> Option<&'static str> {
    COMPILERS.into_iter().find(|compiler| {
        let output = runner.command(compiler).args(["--print", "sysroot"]).output();
        output.is_ok_and(|output| {
            let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_string();
            Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib").exists()
        })
    })
}

/// Returns the packages that are needed beside a compiler, and are not installed.
fn missing(runner: &Runner) -> Vec<&'static str> {
    let runs = |program: &str| {
        let status = runner.command(program).arg("--version").stdout(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let programs = [LINKER, EMULATOR].into_iter().filter(|it| !runs(it.0));
    let files = [C_LIBRARY].into_iter().filter(|it| !Path::new(it.0).exists());
    programs.chain(files).map(|it| it.1).collect()
}

/// Says which packages are to be installed.
fn what_to_install(runner: &Runner) -> String {
    let mut lines = Vec::new();
    if compiler(runner).is_none() {
        lines.push(format!(
            "the standard library for AArch64 is needed: `rustup target add {TARGET}`, or on Debian `dpkg --add-architecture \
             arm64 && apt update && apt install rustc-web libstd-rust-web-dev:arm64`"
        ));
    }
    let packages = missing(runner);
    if !packages.is_empty() {
        let packages = packages.join(" ");
        lines.push(format!(
            "a linker, a C library and an emulator are needed: on Debian `apt install {packages}`"
        ));
    }
    lines.join("; ")
}

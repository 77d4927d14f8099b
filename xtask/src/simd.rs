//! `simd`: whether the hot loops are vectorized.
//!
//! A loop that is no longer vectorized still gives correct results, three to ten times slower. The cause
//! may be far away (a function that is no longer inlined), so the instructions themselves are counted.

use std::collections::BTreeMap;
use std::process::Stdio;

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::table::{self, Column};

/// The folder of the build, whose symbol names differ from those of other builds.
const FOLDER: &str = "target/simd";

/// A program that calls all hot loops, so that they are all compiled.
const EXAMPLE: &str = "hot_loops";

/// A function that must use registers of 256 bits or more.
struct Hot {
    /// For the table.
    name: &'static str,
    /// A part of its symbol name: the element types. Where the code for two types is identical, the linker
    /// keeps one of them.
    types: &'static [&'static str],
    /// The operation, which is in the name of the last type parameter.
    op: &'static str,
}

#[rustfmt::skip]
const HOT: &[Hot] = &[
    Hot { name: "add f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f32, f32, f32,"], op: "arithmetic::ADD::" },
    Hot { name: "sub f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f32, f32, f32,"], op: "arithmetic::SUB::" },
    Hot { name: "mul f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f32, f32, f32,"], op: "arithmetic::MUL::" },
    Hot { name: "div f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f32, f32, f32,"], op: "arithmetic::DIV::" },
    Hot { name: "maximum f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f32, f32, f32,"], op: "extrema::MAXIMUM::" },
    Hot { name: "add f64", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f64, f64, f64,"], op: "arithmetic::ADD::" },
    Hot { name: "mul f64", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f64, f64, f64,"], op: "arithmetic::MUL::" },
    Hot { name: "div f64", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f64, f64, f64,"], op: "arithmetic::DIV::" },
    Hot { name: "add i32", types: &["avx2::<belvedere::kernel::body::BinaryLoop<i32, i32, i32,", "avx2::<belvedere::kernel::body::BinaryLoop<u32, u32, u32,"], op: "arithmetic::ADD::" },
    Hot { name: "mul i32", types: &["avx2::<belvedere::kernel::body::BinaryLoop<i32, i32, i32,", "avx2::<belvedere::kernel::body::BinaryLoop<u32, u32, u32,"], op: "arithmetic::MUL::" },
    Hot { name: "add i8", types: &["avx2::<belvedere::kernel::body::BinaryLoop<i8, i8, i8,", "avx2::<belvedere::kernel::body::BinaryLoop<u8, u8, u8,"], op: "arithmetic::ADD::" },
    Hot { name: "add f16", types: &["avx2::<belvedere::kernel::body::BinaryLoop<half::binary16::f16,"], op: "arithmetic::ADD::" },
    Hot { name: "mul f16", types: &["avx2::<belvedere::kernel::body::BinaryLoop<half::binary16::f16,"], op: "arithmetic::MUL::" },
    Hot { name: "less f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::BinaryLoop<f32, f32, belvedere::"], op: "compare::LESS::" },
    Hot { name: "sqrt f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::UnaryLoop<f32, f32,"], op: "power::SQRT::" },
    Hot { name: "sqrt f64", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::UnaryLoop<f64, f64,"], op: "power::SQRT::" },
    Hot { name: "negative f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::UnaryLoop<f32, f32,"], op: "arithmetic::negative_body::" },
    Hot { name: "relu f32", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::UnaryLoop<f32, f32,"], op: "activation::RELU::" },
    Hot { name: "relu f64", types: &["avx2::<belvedere::kernel::body::each_row::EachRow<belvedere::kernel::body::UnaryLoop<f64, f64,"], op: "activation::RELU::" },
    Hot { name: "sum f32 along runs", types: &["FloatSum<f32,"], op: "avx2::<belvedere::kernel::reducer::Horizontal<" },
    Hot { name: "sum f32 along rows", types: &["FloatSum<f32,"], op: "avx2::<belvedere::kernel::reducer::Vertical<" },
    Hot { name: "sum f64 along runs", types: &["FloatSum<f64,"], op: "avx2::<belvedere::kernel::reducer::Horizontal<" },
    Hot { name: "sum f64 along rows", types: &["FloatSum<f64,"], op: "avx2::<belvedere::kernel::reducer::Vertical<" },
    Hot { name: "max f32 along runs", types: &["MinMax<f32,"], op: "avx2::<belvedere::kernel::reducer::Horizontal<" },
    Hot { name: "argmax f32 along runs", types: &["ArgExtremum<f32,"], op: "avx2::<belvedere::kernel::reducer::Horizontal<" },
    Hot { name: "argmax f32 along rows", types: &["ArgExtremum<f32,"], op: "avx2::<belvedere::kernel::reducer::Vertical<" },
    Hot { name: "copy of every second f32", types: &["avx2::<belvedere::kernel::strided_copy::StridedRow<u32,"], op: "" },
    Hot { name: "exp f32", types: &["avx2::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "exponential::EXP::" },
    Hot { name: "log f32", types: &["avx2::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "exponential::LOG::" },
    Hot { name: "tanh f32", types: &["avx2::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "hyperbolic::TANH::" },
    Hot { name: "sigmoid f32", types: &["avx2::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "activation::SIGMOID::" },
    Hot { name: "gelu f32", types: &["avx2::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "activation::GELU::" },
    Hot { name: "erf f32", types: &["avx2::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "special::ERF::" },
    Hot { name: "sin f32", types: &["avx2::<belvedere::kernel::function::UnaryFastPath<f32,"], op: "trigonometry::Sin>" },
    Hot { name: "exp f16", types: &["avx2::<belvedere::kernel::half_blocks::HalfLoop<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "exponential::EXP::" },
    Hot { name: "log f16 wide", types: &["avx512::<belvedere::kernel::half_blocks::HalfLoop<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "exponential::LOG::" },
    Hot { name: "exp f32 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f32, f32,"], op: "exponential::EXP::" },
    Hot { name: "sin f32 wide", types: &["avx512::<belvedere::kernel::function::UnaryFastPath<f32,"], op: "trigonometry::Sin>" },
    Hot { name: "exp f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "exponential::EXP::" },
    Hot { name: "log f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "exponential::LOG::" },
    Hot { name: "tanh f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "hyperbolic::TANH::" },
    Hot { name: "asinh f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "hyperbolic::ASINH::" },
    Hot { name: "acosh f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "hyperbolic::ACOSH::" },
    Hot { name: "atan f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "trigonometry::ATAN::" },
    Hot { name: "asin f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "trigonometry::ASIN::" },
    Hot { name: "cbrt f64 wide", types: &["avx512::<belvedere::kernel::function::UnaryFused<f64, f64,"], op: "power::CBRT::" },
    Hot { name: "atan2 f64 wide", types: &["avx512::<belvedere::kernel::function::BinaryFused<f64,"], op: "trigonometry::ATAN2::" },
    Hot { name: "logaddexp f64 wide", types: &["avx512::<belvedere::kernel::function::BinaryFused<f64,"], op: "exponential::LOGADDEXP::" },
    Hot { name: "softmax f32", types: &["avx2::<belvedere::kernel::softmax::SoftmaxLoop<f32>"], op: "" },
    Hot { name: "logsumexp f32", types: &["LogSumExp<f32>"], op: "avx2::<belvedere::kernel::reducer::Horizontal<" },
    Hot { name: "where f32", types: &["avx2::<belvedere::kernel::body::TernaryLoop<belvedere::"], op: "f32, f32, f32" },
];

/// The instruction counts of one function.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    instructions: usize,
    /// Those with a register of 256 bits or more.
    wide: usize,
    calls: usize,
}

/// Builds the program, counts, and fails if a hot function uses no wide register.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    if !cfg!(target_arch = "x86_64") {
        return Err(Failure::Step(
            "hot loops are compiled for wide vectors on x86-64 only".to_string(),
        ));
    }
    if !has_objdump(runner) {
        return Err(Failure::Step("objdump is needed (on Debian: `apt install binutils`)".into()));
    }
    let mut build = runner.isolated_cargo();
    // Names with the types in them.
    build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0");
    // Without the back-ends, which have none of the loops.
    build.args(["build", "--release", "--package", "belvedere", "--no-default-features"]);
    build.args(["--example", EXAMPLE, "--target-dir", FOLDER]);
    runner.run("build hot loops", &mut build)?;

    let mut objdump = runner.command("objdump");
    objdump.args(["--disassemble", "--demangle", "--no-show-raw-insn"]);
    let text =
        runner.read("objdump", objdump.arg(format!("{FOLDER}/release/examples/{EXAMPLE}")))?;
    let functions = count(&text);

    let mut rows = Vec::new();
    let mut cold = Vec::new();
    for Hot { name, types, op } in HOT {
        let counted = sum(&functions, types, op);
        if counted.wide == 0 {
            let problem =
                if counted.instructions == 0 { "does not exist" } else { "is not vector code" };
            cold.push(format!("{name} {problem}"));
        }
        let numbers = [counted.instructions, counted.wide, counted.calls].map(|n| n.to_string());
        let [instructions, wide, calls] = numbers;
        rows.push([name.to_string(), instructions, wide, calls]);
    }
    print!("\n{}", table::render(COLUMNS, &rows));
    if cold.is_empty() { Ok(()) } else { Err(Failure::Step(cold.join("\n       "))) }
}

/// [`run`] where it is possible; prints a warning where it is not.
pub(crate) fn run_if_possible(runner: &mut Runner) -> Outcome {
    if cfg!(target_arch = "x86_64") && has_objdump(runner) {
        return run(runner, &[]);
    }
    eprintln!("\nSKIPPED: no vector instructions were counted, which needs x86-64 and objdump");
    Ok(())
}

/// The columns of the report.
const COLUMNS: [Column; 4] = [
    Column::Left("loop"),
    Column::Right("instructions"),
    Column::Right("wide"),
    Column::Right("calls"),
];

fn has_objdump(runner: &Runner) -> bool {
    let version = runner.command("objdump").arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Counts the instructions of each function in a disassembly.
fn count(text: &str) -> BTreeMap<&str, Counted> {
    let mut functions = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        // `0000000000015170 <a::foo::<f32>>:` begins a function.
        if let Some((_, name)) = line.split_once(" <").filter(|_| line.ends_with(">:")) {
            current = Some(name.trim_end_matches(">:"));
        } else if let (Some(name), Some((address, instruction))) = (current, line.split_once(":\t"))
            && address.trim_start().chars().all(|c| c.is_ascii_hexdigit())
        {
            let counted: &mut Counted = functions.entry(name).or_default();
            counted.instructions += 1;
            let is_wide = instruction.contains("%ymm") || instruction.contains("%zmm");
            counted.wide += usize::from(is_wide);
            counted.calls += usize::from(instruction.starts_with("call"));
        }
    }
    functions
}

/// The counts of all functions with one of these types and this operation in their names.
fn sum(functions: &BTreeMap<&str, Counted>, types: &[&str], op: &str) -> Counted {
    let mut total = Counted::default();
    for (name, counted) in functions {
        if name.contains(op) && types.iter().any(|types| name.contains(types)) {
            total.instructions += counted.instructions;
            total.wide += counted.wide;
            total.calls += counted.calls;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
a.out:     file format elf64-x86-64


Disassembly of section .text:

0000000000015170 <a::foo::<f32, a::main::{closure#1}>>:
   15170:\tpush   %rbx
   15171:\tvmulps (%rdi,%rax,4),%ymm0,%ymm0
   15178:\tcall   3a2f0 <expf>
   1517d:\tret

00000000000151b0 <a::foo::<f64, a::main::{closure#0}>>:
   151b0:\tmulsd  %xmm1,%xmm0
\t...
";

    #[test]
    fn instructions_belong_to_the_function_above_them() {
        let functions = count(TEXT);
        assert_eq!(functions.len(), 2);
        let first = Counted { instructions: 4, wide: 1, calls: 1 };
        assert_eq!(sum(&functions, &["foo::<f32,"], "closure#1"), first);
        let second = Counted { instructions: 1, wide: 0, calls: 0 };
        assert_eq!(sum(&functions, &["foo::<i8,", "foo::<f64,"], "main"), second);
        assert_eq!(sum(&functions, &["foo::<f64,"], "closure#1"), Counted::default());
    }
}

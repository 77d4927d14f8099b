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
pub(crate) const EXAMPLE: &str = "hot_loops";

/// How vector code is recognized in the disassembly for an architecture.
pub(crate) struct Architecture {
    objdump: &'static str,
    /// Returns the part of a symbol name that stands for one of [`HOT`].
    symbol: fn(&str) -> String,
    is_vector: fn(&str) -> bool,
    calls: &'static [&'static str],
}

impl Architecture {
    /// Vectors of 256 bits or more: those of 128 are also used for single numbers.
    const X86_64: Architecture = Architecture {
        objdump: "objdump",
        symbol: str::to_string,
        is_vector: |it| it.contains("%ymm") || it.contains("%zmm"),
        calls: &["call"],
    };

    /// Vectors of 128 bits. There is one copy of each loop.
    pub(crate) const AARCH64: Architecture = Architecture {
        objdump: "aarch64-linux-gnu-objdump",
        symbol: |it| it.replace("avx2::<", "baseline::<").replace("avx512::<", "baseline::<"),
        is_vector: is_neon,
        calls: &["bl\t", "blr\t"],
    };
}

/// Whether an instruction computes with whole NEON registers: those that fill or move one are also used for single numbers.
fn is_neon(instruction: &str) -> bool {
    let (name, operands) = instruction.split_once('\t').unwrap_or((instruction, ""));
    let is_move = ["movi", "mvni", "mov", "fmov", "dup"].contains(&name);
    !is_move && [".16b", ".8h", ".4s", ".2d"].iter().any(|lanes| operands.contains(lanes))
}

/// A function that must use vectors of the width that [`Architecture`] says.
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
    Hot { name: "logaddexp f64 wide", types: &["avx512::<belvedere::kernel::function::BinaryStaged<f64,"], op: "LogOfSum" },
    Hot { name: "softmax f32", types: &["avx2::<belvedere::kernel::softmax::SoftmaxLoop<f32>"], op: "" },
    Hot { name: "logsumexp f32", types: &["LogSumExp<f32>"], op: "avx2::<belvedere::kernel::reducer::Horizontal<" },
    Hot { name: "where f32", types: &["avx2::<belvedere::kernel::body::TernaryLoop<belvedere::"], op: "f32, f32, f32" },
];

/// The instruction counts of one function.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    instructions: usize,
    /// Those with vectors.
    vector: usize,
    calls: usize,
}

/// Builds the program, counts, and fails if a hot function has no vector instruction.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    if !cfg!(target_arch = "x86_64") {
        return Err(Failure::Step(
            "hot loops are compiled for wide vectors on x86-64 only".to_string(),
        ));
    }
    let mut build = runner.isolated_cargo();
    // Names with the types in them.
    build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0");
    // Without the back-ends, which have none of the loops.
    build.args(["build", "--release", "--package", "belvedere", "--no-default-features"]);
    build.args(["--example", EXAMPLE, "--target-dir", FOLDER]);
    runner.run("build hot loops", &mut build)?;

    let program = format!("{FOLDER}/release/examples/{EXAMPLE}");
    count_in(runner, &Architecture::X86_64, &program)
}

/// Counts the instructions of the hot functions in a program, prints them, and fails if one has no vector instruction.
pub(crate) fn count_in(runner: &mut Runner, architecture: &Architecture, program: &str) -> Outcome {
    if !has_objdump(runner, architecture) {
        let name = architecture.objdump;
        return Err(Failure::Step(format!("{name} is needed (on Debian: `apt install binutils`)")));
    }
    let mut objdump = runner.command(architecture.objdump);
    objdump.args(["--disassemble", "--demangle", "--no-show-raw-insn"]);
    let text = runner.read("objdump", objdump.arg(program))?;
    let functions = count(&text, architecture);

    let mut rows = Vec::new();
    let mut cold = Vec::new();
    for Hot { name, types, op } in HOT {
        let types: Vec<String> = types.iter().map(|it| (architecture.symbol)(it)).collect();
        let counted = sum(&functions, &types, &(architecture.symbol)(op));
        if counted.vector == 0 {
            let problem =
                if counted.instructions == 0 { "does not exist" } else { "is not vector code" };
            cold.push(format!("{name} {problem}"));
        }
        let numbers = [counted.instructions, counted.vector, counted.calls].map(|n| n.to_string());
        let [instructions, vector, calls] = numbers;
        rows.push([name.to_string(), instructions, vector, calls]);
    }
    print!("\n{}", table::render(COLUMNS, &rows));
    if cold.is_empty() { Ok(()) } else { Err(Failure::Step(cold.join("\n       "))) }
}

/// [`run`] where it is possible; prints a warning where it is not.
pub(crate) fn run_if_possible(runner: &mut Runner) -> Outcome {
    if cfg!(target_arch = "x86_64") && has_objdump(runner, &Architecture::X86_64) {
        return run(runner, &[]);
    }
    eprintln!("\nSKIPPED: no vector instructions were counted, which needs x86-64 and objdump");
    Ok(())
}

/// The columns of the report.
const COLUMNS: [Column; 4] = [
    Column::Left("loop"),
    Column::Right("instructions"),
    Column::Right("vector"),
    Column::Right("calls"),
];

fn has_objdump(runner: &Runner, architecture: &Architecture) -> bool {
    let version =
        runner.command(architecture.objdump).arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Counts the instructions of each function in a disassembly.
fn count<'a>(text: &'a str, architecture: &Architecture) -> BTreeMap<&'a str, Counted> {
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
            counted.vector += usize::from((architecture.is_vector)(instruction));
            let is_call = architecture.calls.iter().any(|call| instruction.starts_with(call));
            counted.calls += usize::from(is_call);
        }
    }
    functions
}

/// The counts of all functions with one of these types and this operation in their names.
fn sum(functions: &BTreeMap<&str, Counted>, types: &[impl AsRef<str>], op: &str) -> Counted {
    let mut total = Counted::default();
    for (name, counted) in functions {
        if name.contains(op) && types.iter().any(|it| name.contains(it.as_ref())) {
            total.instructions += counted.instructions;
            total.vector += counted.vector;
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
        let functions = count(TEXT, &Architecture::X86_64);
        assert_eq!(functions.len(), 2);
        let first = Counted { instructions: 4, vector: 1, calls: 1 };
        assert_eq!(sum(&functions, &["foo::<f32,"], "closure#1"), first);
        let second = Counted { instructions: 1, vector: 0, calls: 0 };
        assert_eq!(sum(&functions, &["foo::<i8,", "foo::<f64,"], "main"), second);
        assert_eq!(sum(&functions, &["foo::<f64,"], "closure#1"), Counted::default());
    }

    #[test]
    fn vector_instructions_of_neon_are_not_those_that_move_numbers() {
        for vector in [
            "fadd\tv0.4s, v1.4s, v2.4s",
            "ld2\t{v0.4s, v1.4s}, [x0]",
            "zip1\tv0.16b, v1.16b, v2.16b",
        ] {
            assert!(is_neon(vector), "{vector}");
        }
        for other in [
            "movi\tv0.2d, #0x0",
            "fadd\ts0, s1, s2",
            "mov\tv0.16b, v1.16b",
            "ldp\tq0, q1, [x0]",
            "ret",
        ] {
            assert!(!is_neon(other), "{other}");
        }
    }
}

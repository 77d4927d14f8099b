//! Results have the same bits on every processor: those of the elementwise operations of the table, of reductions, scans, casts
//! and sorts over fixed operands are compared with recorded ones, `tests/data/same_bits.txt`.
//!
//! The table was recorded with AVX-512; `cargo xtask neon` compares it on AArch64. Not in it: complex functions, which call
//! the C library, and matrix products and factorizations, which are sums in an order that the processor decides. A program of
//! its own, which is soon compiled for another processor.

#[allow(dead_code)]
#[path = "all/operations.rs"]
mod operations;

use belvedere::nn::{layer_norm, rms_norm};
use belvedere::prelude::*;
use belvedere::where_;
use operations::OPERATIONS;
use std::fmt::Write;
use std::fs;

/// More elements than a block of half-precision floats, and no multiple of a vector.
const LEN: usize = 1063;

/// The columns of the table: the results of the last one have one hash together.
const COLUMNS: [(&str, &[DType]); 5] = [
    ("float16", &[DType::Float16]),
    ("bfloat16", &[DType::BFloat16]),
    ("float32", &[DType::Float32]),
    ("float64", &[DType::Float64]),
    (
        "others",
        &[
            DType::Bool,
            DType::Int8,
            DType::Int16,
            DType::Int32,
            DType::Int64,
            DType::UInt8,
            DType::UInt16,
            DType::UInt32,
            DType::UInt64,
        ],
    ),
];

/// A linear congruential generator; the table depends on its numbers.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        self.0 ^ (self.0 >> 29)
    }

    /// Returns a number between -1 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Numbers of the size that functions are used for, of every magnitude, and special ones; integers of few bits and of all.
fn operand(dtype: DType, seed: u64) -> Tensor {
    let mut numbers = Numbers(seed);
    if !dtype.is_floating() {
        let values = (0..LEN).map(|i| numbers.bits() >> if i % 2 == 0 { 60 } else { 0 });
        return Tensor::from(values.collect::<Vec<u64>>()).astype(dtype).unwrap();
    }
    let special = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        5e-324,
        -1e-310,
        f64::MAX,
        1e30,
        -4e17,
    ];
    let values = (0..LEN).map(|i| match i % 8 {
        0..3 => 2.0 * numbers.unit(),
        3..5 => 90.0 * numbers.unit(),
        5 => numbers.unit() * (9.0 * numbers.unit()).exp2().floor(),
        6 => numbers.unit() * 2f64.powi((numbers.bits() % 200) as i32 - 100),
        _ => special[(numbers.bits() % special.len() as u64) as usize],
    });
    Tensor::from(values.collect::<Vec<f64>>()).astype(dtype).unwrap()
}

/// Finite numbers between -4 and 4.
fn matrix(dtype: DType) -> Tensor {
    let mut numbers = Numbers(7);
    let values: Vec<f64> = (0..LEN / 17 * 17).map(|_| 4.0 * numbers.unit()).collect();
    Tensor::from_vec(values, [17, -1]).unwrap().astype(dtype).unwrap()
}

type Function = fn(&Tensor) -> Result<Tensor, Error>;

/// Functions of a matrix, on runs and on rows.
const FUNCTIONS: &[(&str, Function)] = &[
    ("sum", |x| x.sum(())),
    ("sum of rows", |x| x.sum(0)),
    ("sum along rows", |x| x.sum(1)),
    ("sum of a transpose", |x| x.t()?.sum(1)),
    ("mean", |x| x.mean(())),
    ("mean of rows", |x| x.mean(0)),
    ("prod", |x| x.prod(1)),
    ("prod of rows", |x| x.prod(0)),
    ("var", |x| x.var(())),
    ("var of rows", |x| x.var(0)),
    ("std", |x| x.std(1)),
    ("norm", |x| x.norm(1)),
    ("norm of order 3", |x| x.norm_with((), 3.0)),
    ("logsumexp", |x| x.logsumexp(1)),
    ("logsumexp of rows", |x| x.logsumexp(0)),
    ("min", |x| x.min(0)),
    ("max", |x| x.max(1)),
    ("argmax", |x| x.argmax(())),
    ("argmin of rows", |x| x.argmin(0)),
    ("nansum", |x| x.nansum(1)),
    ("cumulative_sum", |x| x.cumulative_sum(1)),
    ("cumulative_sum of rows", |x| x.cumulative_sum(0)),
    ("cumulative_prod", |x| x.cumulative_prod(1)),
    ("logcumsumexp", |x| x.logcumsumexp(1)),
    ("softmax", |x| x.softmax(1)),
    ("softmax of rows", |x| x.softmax(0)),
    ("log_softmax", |x| x.log_softmax(1)),
    ("layer_norm", |x| layer_norm(x, 1, None, None, 1e-5)),
    ("rms_norm", |x| rms_norm(x, 1, None, 1e-5)),
    ("vecdot", |x| x.vecdot(&x.flip(0)?, 1)),
    ("median", |x| x.median(0)),
    ("sort", |x| x.sort(1)),
    ("argsort", |x| x.argsort(0)),
    ("transposed copy", |x| x.t()?.copy()),
    ("every third", |x| x.slice(s![.., ..;3])?.copy()),
    ("cast to int32", |x| x.astype(DType::Int32)),
    ("cast to uint8", |x| x.astype(DType::UInt8)),
    ("cast to float16", |x| x.astype(DType::Float16)),
    ("cast to bfloat16", |x| x.astype(DType::BFloat16)),
    ("cast to float32", |x| x.astype(DType::Float32)),
];

/// The FNV-1a hash of the bytes of results.
struct Hash(u64);

impl Hash {
    fn add(&mut self, x: &Tensor) {
        // All NaNs are one: their sign and payload depend on the instruction.
        let x = match x.dtype().is_floating() {
            true => where_(x.isnan().unwrap(), f64::NAN, x).unwrap(),
            false => x.copy().unwrap(),
        };
        for byte in x.ravel().unwrap().bitcast(DType::UInt8).unwrap().to_vec::<u8>().unwrap() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

/// Returns the hash of the results for some dtypes, or a dash if there is none.
fn hash(dtypes: &[DType], f: impl Fn(DType) -> Result<Tensor, Error>) -> String {
    let mut hash = Hash(0xCBF2_9CE4_8422_2325);
    let results: Vec<Tensor> = dtypes.iter().filter_map(|&dtype| f(dtype).ok()).collect();
    results.iter().for_each(|x| hash.add(x));
    if results.is_empty() { "-".to_string() } else { format!("{:016x}", hash.0) }
}

fn row(table: &mut String, name: &str, f: impl Fn(DType) -> Result<Tensor, Error>) {
    let cells = COLUMNS.map(|(_, dtypes)| hash(dtypes, &f));
    writeln!(table, "{}: {name}", cells.join(" ")).expect("writing to a string does not fail");
}

fn table() -> String {
    let names = COLUMNS.map(|it| it.0);
    let mut table = format!("{}: function\n", names.join(" "));
    for operation in OPERATIONS {
        row(&mut table, operation.name, |dtype| {
            let operands: Vec<Tensor> =
                (0..operation.n_operands as u64).map(|seed| operand(dtype, seed + 1)).collect();
            (operation.method)(&operands)
        });
    }
    for (name, function) in FUNCTIONS {
        row(&mut table, name, |dtype| function(&matrix(dtype)));
    }
    table
}

#[test]
fn results_are_those_of_the_recorded_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/same_bits.txt");
    let found = table();
    if std::env::var_os("BELVEDERE_WRITE").is_some() {
        return fs::write(path, found).expect("the table can be written");
    }
    let recorded = fs::read_to_string(path).expect("the table is there");
    let differing: Vec<_> =
        found.lines().zip(recorded.lines()).filter(|(found, recorded)| found != recorded).collect();
    assert!(
        found == recorded,
        "{} rows differ (BELVEDERE_WRITE=1 records the table): {differing:#?}",
        differing.len()
    );
}

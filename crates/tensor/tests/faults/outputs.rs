//! Operations with an existing output, large enough for several threads: after an allocation that fails, the output is
//! unchanged or complete.

use super::calls::for_each_source;
use super::{COUNTDOWN, HAS_FAILED, in_child, shared};
use belvedere::prelude::*;
use belvedere::random::Generator;
use belvedere::*;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// The length of both sides of a factor: a product has several tiles.
const SIDE: usize = 300;
/// The shape of tensors with long lanes.
const LANES: [usize; 2] = [100, 3000];

/// The operands of all calls.
struct Operands {
    /// Square matrices, of all dtypes that have a kernel of their own.
    f64: Tensor,
    f32: Tensor,
    f16: Tensor,
    i32: Tensor,
    u8: Tensor,
    complex: Tensor,
    /// A few rows as long as those of `tall`.
    few: Tensor,
    tall: Tensor,
    lanes: Tensor,
    mask: Tensor,
    /// Row numbers of `lanes`, each once.
    rows: Tensor,
    /// A position in each lane of `lanes`, for each element.
    positions: Tensor,
}

impl Operands {
    fn new() -> Result<Operands, Error> {
        let numbers = |shape: &[usize], step: i64| {
            let n = shape.iter().product::<usize>() as i64;
            Tensor::arange(0..n)?.mul(step)?.remainder(101)?.sub(50)?.reshape(shape)
        };
        let real = |shape: &[usize], step| numbers(shape, step)?.astype(DType::Float64);
        let square = real(&[SIDE, SIDE], 7)?;
        let lanes = real(&LANES, 7919)?;
        // The key of a negative zero does not determine it: the last lane needs other buffers than those before.
        lanes.assign(s![-1, 5], -0.0)?;
        Ok(Operands {
            f32: square.astype(DType::Float32)?,
            f16: square.mul(0.01)?.astype(DType::Float16)?,
            i32: square.astype(DType::Int32)?,
            u8: square.abs()?.astype(DType::UInt8)?,
            complex: square.astype(DType::Complex64)?,
            f64: square,
            few: real(&[5, 4000], 11)?,
            tall: real(&[700, 4000], 13)?,
            mask: lanes.greater(0.0)?,
            lanes,
            rows: Tensor::arange(0..LANES[0] as i64)?.flip(0)?,
            positions: numbers(&LANES, 3)?.abs()?,
        })
    }
}

/// A call of an operation that writes to an output.
struct OutputCall {
    /// Begins with the name of the function.
    name: &'static str,
    out: fn(&Operands) -> Result<Tensor, Error>,
    run: fn(&Operands, &Tensor) -> Result<(), Error>,
}

const fn call(
    name: &'static str,
    out: fn(&Operands) -> Result<Tensor, Error>,
    run: fn(&Operands, &Tensor) -> Result<(), Error>,
) -> OutputCall {
    OutputCall { name, out, run }
}

/// Returns an output of a shape and a dtype, without zeros.
fn sevens(shape: &[usize], dtype: DType) -> Result<Tensor, Error> {
    Tensor::full(shape, 7)?.astype(dtype)
}

fn square(dtype: DType) -> Result<Tensor, Error> {
    sevens(&[SIDE, SIDE], dtype)
}

fn long(dtype: DType) -> Result<Tensor, Error> {
    sevens(&LANES, dtype)
}

fn numbers() -> Generator {
    Generator::new(1)
}

use DType::{Bool, Complex64, Float16, Float32, Float64, Int32, Int64, UInt8};

#[rustfmt::skip]
const CALLS: &[OutputCall] = &[
    // Products: rows that are contiguous and not, few rows, batches, and each kind of kernel.
    call("matmul_into", |_| square(Float64), |x, out| matmul_into(&x.f64, &x.f64, out)),
    call("matmul_into transposed", |_| square(Float64), |x, out| matmul_into(&x.f64, &x.f64.t()?, out)),
    call("matmul_into of columns", |_| square(Float64), |x, out| matmul_into(&x.f64.t()?, &x.f64, &out.t()?)),
    call("matmul_into of few rows", |_| sevens(&[5, 700], Float64), |x, out| matmul_into(&x.few, &x.tall.t()?, out)),
    call("matmul_into of a batch", |_| sevens(&[30, 100, 100], Float64), |x, out| {
        let stack = x.lanes.view([30, 100, 100])?;
        matmul_into(&stack, &stack.mt()?, out)
    }),
    call("matmul_into of float32", |_| square(Float32), |x, out| matmul_into(&x.f32, &x.f32.t()?, out)),
    call("matmul_into of float16", |_| square(Float16), |x, out| matmul_into(&x.f16.t()?, &x.f16.t()?, out)),
    call("matmul_into of int32", |_| square(Int32), |x, out| matmul_into(&x.i32.t()?, &x.i32.t()?, out)),
    call("matmul_into of uint8", |_| square(UInt8), |x, out| matmul_into(&x.u8.t()?, &x.u8.t()?, out)),
    call("matmul_into of complex64", |_| square(Complex64), |x, out| matmul_into(&x.complex, &x.complex.t()?, out)),
    call("matmul_into of two dtypes", |_| square(Float64), |x, out| matmul_into(&x.f64, &x.i32.t()?, out)),
    call("matmul_add_into", |_| square(Float64), |x, out| matmul_add_into(&x.f64, &x.f64.t()?, out)),
    call("matmul_with", |_| square(Float64), |x, out| {
        matmul_with(&x.f64, &x.f64, out, Product { transpose_b: true, ..Product::default() })
    }),
    call("einsum_into", |_| square(Float64), |x, out| einsum_into("ij,kj->ki", &[&x.f64, &x.f64], out)),
    call("einsum_into of windows", |_| sevens(&[2993], Float64), |x, out| {
        einsum_into("nwk,nk->w", &[&x.lanes.windows(1, 8, 1)?, &x.lanes.slice(s![.., ..8])?], out)
    }),
    // Random numbers, in memory that is not contiguous.
    call("uniform_into", |_| long(Float64), |_, out| numbers().uniform_into(0.0, 1.0, &out.t()?)),
    call("normal_into", |_| long(Float64), |_, out| numbers().normal_into(0.0, 1.0, &out.t()?)),
    call("exponential_into", |_| long(Float32), |_, out| numbers().exponential_into(1.0, &out.t()?)),
    call("integers_into", |_| long(Int64), |_, out| numbers().integers_into(10, 99, &out.t()?)),
    call("bernoulli_into", |_| long(Bool), |_, out| numbers().bernoulli_into(0.5, &out.t()?)),
    call("shuffle", |x| x.lanes.add(1.0), |_, out| numbers().shuffle(out, 1)),
    // Functions of lanes.
    call("softmax_into", |_| long(Float64), |x, out| softmax_into(&x.lanes, 1, out)),
    call("softmax_into of columns", |_| long(Float64), |x, out| softmax_into(&x.lanes, 0, out)),
    call("log_softmax_into", |_| long(Float64), |x, out| log_softmax_into(&x.lanes, 1, out)),
    call("cumulative_sum_into", |_| long(Float64), |x, out| cumulative_sum_into(&x.lanes, 0, out)),
    call("cumulative_prod_into", |_| long(Float64), |x, out| cumulative_prod_into(&x.lanes, 0, out)),
    call("cummax_into", |_| long(Float64), |x, out| cummax_into(&x.lanes, 0, out)),
    call("cummin_into", |_| long(Float64), |x, out| cummin_into(&x.lanes, 0, out)),
    call("logcumsumexp_into", |_| long(Float64), |x, out| logcumsumexp_into(&x.lanes, 0, out)),
    call("sort_into", |_| long(Float64), |x, out| sort_into(&x.lanes, 1, out)),
    call("sort_into itself", |x| x.lanes.add(0.0), |_, out| sort_into(out, 1, out)),
    call("sort_assign", |x| x.lanes.add(0.0), |_, out| out.sort_assign(1)),
    call("argsort_into", |_| long(Int64), |x, out| argsort_into(&x.lanes, 1, out)),
    call("quantile_into", |_| sevens(&[20, 100], Float64), |x, out| {
        quantile_into(&x.lanes, &Tensor::linspace(0.0, 1.0, 20, Float64)?, 1, out)
    }),
    call("median_into", |_| sevens(&[100], Float64), |x, out| median_into(&x.lanes, 1, out)),
    // Elementwise: casts, operands that overlap the output, and more intermediate results than fit on the stack.
    call("eval_into", |_| long(Float64), |x, out| {
        let x = lazy(&x.lanes);
        let terms = (0..9).map(|n| x.clone().add(f64::from(n)));
        // The first operand is evaluated first: all terms are kept until the last one is known.
        terms.reduce(|sum, term| term.add(sum)).expect("terms").eval_into(out)
    }),
    call("clip_into", |_| long(Float64), |x, out| clip_into(&x.lanes, -3, 3, out)),
    call("where_into", |_| long(Float64), |x, out| where_into(&x.mask, &x.lanes, 0, out)),
    call("pow_into", |_| long(Float64), |x, out| pow_into(&x.lanes, 2, out)),
    call("pow_assign", |x| x.lanes.add(0.0), |_, out| out.pow_assign(2)),
    call("nan_to_num_into", |_| long(Float64), |x, out| nan_to_num_into(&x.lanes, None, None, None, out)),
    call("isclose_into", |_| long(Bool), |x, out| isclose_into(&x.lanes, &x.lanes.add(1.0)?, 0.01, 0.01, false, out)),
    call("conj_into", |_| square(Complex64), |x, out| conj_into(&x.complex, out)),
    call("map_into", |_| long(Float64), |x, out| zip((&x.lanes,)).map_into(out, |x: f64| x + 1.0)),
    call("map_assign", |x| x.lanes.add(0.0), |_, out| out.map_assign(|x: f64| x + 1.0)),
    call("assign_into", |_| long(Float64), |x, out| assign_into(&x.lanes.lens().reshape([3000, 100])?, &out.view([3000, 100])?)),
    call("assign_into itself", |x| x.f64.add(0.0), |_, out| assign_into(&out.t()?, out)),
    call("astype_into", |_| long(Int32), |x, out| astype_into(&x.lanes, out)),
    call("add_into", |x| x.f64.add(0.0), |x, out| add_into(&x.f32, &out.t()?, out)),
    // Reductions.
    call("sum_into", |_| sevens(&[3000], Float64), |x, out| sum_into(&x.lanes, 0, out)),
    call("sum_into of a lens", |_| sevens(&[100], Float64), |x, out| sum_into(&x.lanes.t()?.lens().reshape([100, 3000])?, 1, out)),
    call("sum_to_shape_into", |_| sevens(&[1, 3000], Float64), |x, out| sum_to_shape_into(&x.lanes, out)),
    call("logsumexp_into", |_| sevens(&[3000], Float64), |x, out| logsumexp_into(&x.lanes, 0, out)),
    call("norm_into", |_| sevens(&[3000], Float64), |x, out| norm_into(&x.lanes, 0, 3.0, out)),
    // Indices and joins.
    call("index_into", |_| long(Float64), |x, out| index_into(&x.lanes, at![&x.rows], out)),
    call("index_assign", |_| long(Float64), |x, out| out.index_assign(at![&x.rows], &x.lanes)),
    call("index_add_assign", |_| long(Float64), |x, out| out.index_add_assign(at![&x.rows], &x.lanes)),
    call("index_add_assign of itself", |x| x.lanes.add(0.0), |x, out| out.index_add_assign(at![&x.rows], out)),
    call("index_add", |_| long(Float64), |x, out| out.index_add(0, &x.rows, &x.lanes)),
    call("take_into", |_| long(Float64), |x, out| take_into(&x.lanes, &x.rows, 0, out)),
    call("put", |_| long(Float64), |x, out| out.put(&x.rows, 0, &x.lanes)),
    call("take_along_axis_into", |_| long(Float64), |x, out| take_along_axis_into(&x.lanes, &x.positions, 1, out)),
    call("scatter", |_| long(Float64), |x, out| out.scatter(1, &x.positions, &x.lanes)),
    call("scatter_add", |_| long(Float64), |x, out| out.scatter_add(1, &x.positions, &x.lanes)),
    call("masked_select_into", |x| sevens(&[x.mask.count_nonzero(())?.item::<i64>()? as usize], Float64), |x, out| {
        masked_select_into(&x.lanes, &x.mask, out)
    }),
    call("masked_assign", |_| long(Float64), |x, out| out.masked_assign(&x.mask, 1.0)),
    call("masked_assign of values", |_| long(Float64), |x, out| {
        out.masked_assign(&x.mask, &x.lanes.masked_select(&x.mask)?)
    }),
    call("compress_assign", |_| long(Float64), |x, out| out.compress_assign(&x.mask.select(0, 0)?, 1, 1.0)),
    call("concat_into", |_| sevens(&[200, 3000], Float64), |x, out| concat_into(&[&x.lanes, &x.mask.astype(Float32)?], 0, out)),
    call("concat_into itself", |x| stack(&[&x.f64, &x.f64], 0)?.view([2 * SIDE, SIDE]), |x, out| {
        concat_into(&[&x.f64.t()?, &out.slice(s![..SIDE as isize])?.t()?], 0, out)
    }),
    call("stack_into", |_| sevens(&[2, 100, 3000], Float64), |x, out| stack_into(&[&x.lanes, &x.lanes], 0, out)),
    call("fill", |_| long(Float64), |_, out| out.fill(1.0)),
    call("copy_from", |x| x.f64.add(0.0), |_, out| out.copy_from(&out.t()?)),
    call("assign", |x| x.f64.add(0.0), |_, out| out.assign(s![1..], &out.slice(s![..-1])?.flip(1)?)),
];

/// Returns the bits of all elements, as `float64`.
fn bits(x: &Tensor) -> Vec<u64> {
    let bits = |x: Tensor| {
        x.astype(Float64).unwrap().bitcast(DType::UInt64).unwrap().to_vec::<u64>().unwrap()
    };
    match x.dtype().is_complex() {
        true => [bits(x.real().unwrap()), bits(x.imag().unwrap())].concat(),
        false => bits(x.clone()),
    }
}

/// Calls an operation with a fault at each of its large allocations, and returns the number of these.
fn inject(call: &OutputCall) -> usize {
    let operands = Operands::new().unwrap();
    let output = || (call.out)(&operands).unwrap();
    let before = bits(&output());
    let mut complete = vec![];
    // Twice: the first call allocates what is kept.
    for _ in 0..2 {
        let out = output();
        (call.run)(&operands, &out).unwrap();
        complete = bits(&out);
    }
    assert!(complete != before, "{}: the output does not change", call.name);
    for n in 1.. {
        let out = output();
        memory::trim();
        HAS_FAILED.store(false, Relaxed);
        COUNTDOWN.store(n as isize, Relaxed);
        let outcome = (call.run)(&operands, &out);
        COUNTDOWN.store(0, Relaxed);
        let kind = outcome.err().map(|error| error.kind());
        let expected = if kind.is_some() { &before } else { &complete };
        assert!(bits(&out) == *expected, "{}: partly written at {n}, {kind:?}", call.name);
        if !HAS_FAILED.load(Relaxed) {
            assert_eq!(kind, None, "{}: the call without a fault", call.name);
            return n - 1;
        }
        assert!(kind.is_none_or(|it| it == ErrorKind::Memory), "{} at {n}: {kind:?}", call.name);
        assert!(n < 1000, "{}: an operation ends", call.name);
    }
    unreachable!("the loop returns")
}

#[test]
fn an_output_is_unchanged_or_complete_after_a_failed_allocation() {
    let faults: &AtomicUsize = shared();
    let mut failures = Vec::new();
    for n_threads in [1, 2] {
        for call in CALLS {
            let count = || faults.fetch_add(inject(call), Relaxed);
            let status = in_child(|| _ = with_num_threads(n_threads, count));
            if status != 0 {
                failures.push(format!("{} on {n_threads} threads: status {status}", call.name));
            }
        }
    }
    let faults = faults.load(Relaxed);
    println!("faults injected: {faults} in {} operations with an output", CALLS.len());
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
    assert!(faults > 2 * CALLS.len(), "{faults} faults");
}

/// Functions whose last parameter is no tensor to be written to, but the place of a new one.
const NOT_CALLED: &[&str] = &["try_element_into", "through_into"];

#[test]
fn every_function_with_an_output_is_called() {
    let called = |name: &str| CALLS.iter().any(|it| it.name.split(' ').next() == Some(name));
    let mut missing = Vec::new();
    for_each_source(&mut |text| {
        let names = text.split("pub fn ").skip(1).filter_map(|it| it.split(['(', '<']).next());
        let names = names.filter(|it| it.ends_with("_into") || it.ends_with("_assign"));
        missing.extend(names.filter(|it| !called(it)).map(str::to_owned));
    });
    missing.retain(|it| !NOT_CALLED.contains(&&**it));
    assert!(missing.is_empty(), "functions without a call in faults/outputs.rs: {missing:?}");
}

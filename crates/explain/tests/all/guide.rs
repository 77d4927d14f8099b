//! The rows of the guides: each expression of NumPy and PyTorch gives what the library's own operation gives.

// The rows have Belvedere's expressions as text for the guides.
#[allow(dead_code)]
#[path = "../../../tensor/tests/all/numpy/guide/rows/mod.rs"]
mod rows;

use belvedere::trace::{self, EventKind, Trace};
use belvedere::{Complex, DType, Error, Tensor};
use belvedere_explain::{Kind, Scalar, Step, explain};
use rows::{Given, Row};

/// The operands of the rows in the expression language, as arrays of a library.
fn operands(function: &str) -> String {
    let given = Given::new().expect("small tensors");
    let names = ["a", "b", "c", "v", "i", "m", "z", "s", "n"];
    let line = |(name, x): (&str, &Tensor)| {
        let (values, dtype) = (values(x), x.dtype());
        let values: Vec<String> = values.iter().map(text).collect();
        let shape: Vec<String> = x.shape().iter().map(usize::to_string).collect();
        let (values, shape) = (values.join(", "), shape.join(", "));
        format!("{name} = {function}([{values}], dtype={dtype}).reshape({shape})\n")
    };
    let import = "from numpy.lib.stride_tricks import sliding_window_view as window\n";
    import.to_string() + &names.into_iter().zip(given.list()).map(line).collect::<String>()
}

fn text(value: &Scalar) -> String {
    match value {
        Scalar::Bool(value) => if *value { "True" } else { "False" }.into(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => format!("{value:?}"),
        Scalar::Complex(re, im) => format!("{re:?} + {im:?}j"),
    }
}

fn values(x: &Tensor) -> Vec<Scalar> {
    let cast = |dtype| x.astype(dtype).expect("a cast to a wider type");
    match x.dtype() {
        it if it.is_complex() => {
            let list = cast(DType::Complex128).to_vec::<Complex<f64>>().expect("values");
            list.iter().map(|it| Scalar::Complex(it.re, it.im)).collect()
        }
        it if it.is_floating() => {
            let list = cast(DType::Float64).to_vec::<f64>().expect("values");
            list.into_iter().map(Scalar::Float).collect()
        }
        it => {
            let list = cast(DType::Int64).to_vec::<i64>().expect("values");
            list.into_iter().map(|value| Scalar::of_integer(value.into(), it)).collect()
        }
    }
}

fn is_close(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

fn agree(ours: &Scalar, theirs: &Scalar) -> bool {
    match (ours, theirs) {
        (Scalar::Float(a), Scalar::Float(b)) => is_close(*a, *b),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => is_close(*a, *c) && is_close(*b, *d),
        (a, b) => a == b,
    }
}

/// Returns what the library's own expression does to memory: the kind of its last operation, and the bytes copied.
fn effect(trace: &Trace) -> Option<(Kind, u128)> {
    let calls: Vec<_> = trace.events().iter().filter(|it| it.depth == 0).collect();
    let [call] = &calls[..] else { return None };
    let kind = match call.kind {
        EventKind::View => Kind::View,
        EventKind::InPlace => Kind::InPlace,
        EventKind::Copy(_) => Kind::Copy,
        _ => Kind::New,
    };
    Some((kind, trace.bytes_copied() as u128))
}

/// Compares an expression with the library's own; an error says how they differ.
fn compare(expr: &str, function: &str, row: &Row) -> Result<(), String> {
    let source = operands(function);
    let n_operands = explain(&source, None).steps.len();
    let whole = match row.changes {
        true => format!("{source}{expr}\na"),
        false => format!("{source}{expr}"),
    };
    let report = explain(&whole, None);
    let step: &Step = report.steps.last().expect("a report has steps");
    if let Some(error) = &step.error {
        return Err(error.message.clone());
    }
    let given = Given::new().expect("small tensors");
    let (result, trace) = trace::record(|| (row.run)(&given));
    let expected: Tensor = result.map_err(|error: Error| error.to_string())?;
    let Some(tensor) = &step.result else {
        let value = step.value.clone().unwrap_or_default();
        return Err(format!("it gives {value}, not a tensor"));
    };
    if tensor.chain.shape() != &*expected.shape() {
        return Err(format!("shape {:?}, not {:?}", tensor.chain.shape(), expected.shape()));
    }
    let is_random = expr.contains("rng") || expr.contains("random");
    let ours: Option<Vec<Scalar>> = (0..expected.len()).map(|i| tensor.element(i)).collect();
    match ours {
        Some(ours) if !is_random => {
            let dtype = tensor.dtype;
            let theirs = values(&expected.astype(dtype).map_err(|it| it.to_string())?);
            if !ours.iter().zip(&theirs).all(|(a, b)| agree(a, b)) {
                return Err(format!("{ours:?}, not {theirs:?}"));
            }
        }
        Some(_) => {}
        None => return Err("its values are unknown".into()),
    }
    // An expression of several operations may do them in another order.
    let n_steps = report.steps.len() - n_operands;
    let is_literal = row.ours.starts_with("Tensor::from");
    let Some((kind, bytes)) = effect(&trace).filter(|_| n_steps == 1 && !is_literal) else {
        return Ok(());
    };
    if (step.kind, step.bytes_copied) != (kind, bytes) {
        return Err(format!(
            "{:?} of {} bytes, not {kind:?} of {bytes}",
            step.kind, step.bytes_copied
        ));
    }
    let strides = tensor.layout().map(|it| it.strides());
    match strides == Some(expected.strides()) {
        true => Ok(()),
        false => Err(format!("strides {strides:?}, not {:?}", expected.strides())),
    }
}

/// Rows that are beyond the language, by a part of their text.
const BEYOND: &[&str] = &[
    // Functions as arguments, methods of functions, and outputs as arguments.
    "lambda",
    ".at(",
    ".accumulate(",
    "out=a",
    // Generators, and functions of other libraries that have other names here.
    "default_rng",
    "uniform_",
    "normal_",
    "exponential_",
    "bernoulli_",
    "multinomial",
    "scipy.signal",
    "ndtr",
    "expit",
    "np.correlate",
    "kthvalue",
    "index_put_",
    "ndmin",
    // PyTorch returns the indices as well.
    "torch.cummax",
    "torch.cummin",
];

/// Returns the expressions of all rows that are compared.
pub(crate) fn expressions() -> impl Iterator<Item = &'static str> {
    let rows = rows::CHAPTERS.iter().flat_map(|it| it.rows);
    let is_compared = |expr: &&str| !BEYOND.iter().any(|it| expr.contains(it));
    rows.flat_map(|it| [it.numpy, it.torch]).filter(is_compared)
}

#[test]
fn the_rows_of_the_guides_give_what_the_library_gives() {
    let (mut n_compared, mut different) = (0, Vec::new());
    for row in rows::CHAPTERS.iter().flat_map(|it| it.rows) {
        for (expr, function) in [(row.numpy, "np.array"), (row.torch, "torch.tensor")] {
            if expr.is_empty() || BEYOND.iter().any(|it| expr.contains(it)) {
                continue;
            }
            n_compared += 1;
            if let Err(why) = compare(expr, function, row) {
                different.push(format!("{expr}: {why}"));
            }
        }
    }
    assert!(different.is_empty(), "{} of {n_compared}:\n{}", different.len(), different.join("\n"));
    assert!(n_compared > 600, "{n_compared}");
}

//! `Report` and `Step`: the result of `explain`, one step for each call.

use belvedere::DType;
use belvedere_layout::{Chain, Layout, Seam, Shape, unravel_index};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A source text and its steps, up to the first that failed.
#[derive(Clone, Debug)]
pub struct Report {
    /// The source text.
    pub source: String,
    /// The steps, in the order of execution.
    pub steps: Vec<Step>,
}

/// The result of one call, operator or index expression.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The variable that the result was assigned to.
    pub name: Option<String>,
    /// The line of the program that called the operation, in the report of a trace.
    pub line: Option<SourceLine>,
    /// The source text up to and including this call.
    pub expr: String,
    /// The bytes of the source of the call itself, without the expression it is called on.
    pub span: Range<usize>,
    /// The canonical name of the operation: `reshape`, `getitem`, `add` …
    pub op: &'static str,
    /// Its effect on memory.
    pub kind: Kind,
    /// The resulting tensor; `None` for errors and for values that are not tensors.
    pub result: Option<TensorSnapshot>,
    /// The result as Python prints it, if it is not a tensor.
    pub value: Option<String>,
    /// The steps whose results are the operands.
    pub inputs: Vec<usize>,
    /// The number of bytes copied to new memory.
    pub bytes_copied: u128,
    /// Earlier steps whose results overlap this one.
    pub shares_with: Vec<usize>,
    /// Earlier steps for which overlap could not be decided.
    pub may_share_with: Vec<usize>,
    /// The error, if the step failed.
    pub error: Option<Failure>,
    /// Why no view exists, for a refused view and for a reshape that copied.
    pub why: Option<SeamCrossing>,
    /// The loops that the operation runs, for arithmetic and copies.
    pub plan: Option<String>,
    /// Differences from NumPy or PyTorch, if a dialect was given, and why values are unknown.
    pub remarks: Vec<String>,
    /// The bytes of the memory that was alive after the step.
    pub live_bytes: u128,
    /// The most bytes that were alive during the step, intermediate results included.
    pub peak_bytes: u128,
}

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The path of the file.
    pub file: Arc<str>,
    /// The line number, from 1.
    pub number: u32,
}

/// The effect of a step on memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// New memory with new values: `arange`, `zeros`, results of arithmetic.
    #[default]
    New,
    /// The same memory with another layout.
    View,
    /// New memory with the elements of the operand.
    Copy,
    /// Elements of existing memory were overwritten.
    InPlace,
    /// Memory of another library, a vector or a file, without a copy.
    Import,
    /// Memory that another library was given access to.
    Export,
    /// Not a tensor, but a number, a tuple or a bool.
    Value,
    /// The step failed.
    Error,
}

impl Kind {
    /// Returns its name: `new`, `view`, `copy`, `in place`, `import`, `export`, `value`, `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::New => "new",
            Kind::View => "view",
            Kind::Copy => "copy",
            Kind::InPlace => "in place",
            Kind::Import => "import",
            Kind::Export => "export",
            Kind::Value => "value",
            Kind::Error => "error",
        }
    }
}

/// The tensor that a step returned: its dtype, its layout or chain, and its memory.
#[derive(Clone, Debug)]
pub struct TensorSnapshot {
    /// The dtype.
    pub dtype: DType,
    /// The map from index to offset. One stage without padding is a strided view; anything else is a lens.
    pub chain: Chain,
    /// The number of its memory: results with equal numbers are in the same memory.
    pub memory: usize,
    /// The length of the memory in elements of this dtype.
    pub memory_len: usize,
    /// The contents of the memory, read as elements of this dtype.
    pub values: Values,
}

impl TensorSnapshot {
    /// Returns the strided layout; `None` for a lens, which has no strides.
    pub fn layout(&self) -> Option<Layout> {
        self.chain.as_layout()
    }

    /// Whether it is row-major contiguous.
    pub fn is_contiguous(&self) -> bool {
        self.layout().is_some_and(|layout| layout.is_contiguous())
    }

    /// Returns the size of its elements in bytes.
    pub fn n_bytes(&self) -> u128 {
        self.chain.len() as u128 * self.dtype.size() as u128
    }

    /// Returns the element at a flat (row-major) index; `None` if its value is unknown.
    pub fn element(&self, position: usize) -> Option<Scalar> {
        let index = unravel_index(self.chain.shape(), position).ok()?;
        match self.chain.index(&index).ok()? {
            Some(offset) => self.values.at(offset),
            None => Some(Scalar::zero(self.dtype)),
        }
    }
}

/// The contents of a memory.
#[derive(Clone, Debug)]
pub enum Values {
    /// Unknown: the tensor has more elements than are computed.
    Unknown,
    /// A list of all values.
    List(Arc<[Scalar]>),
}

impl Values {
    /// Returns the value at an offset; `None` if it is unknown or out of range.
    pub fn at(&self, offset: usize) -> Option<Scalar> {
        match self {
            Values::Unknown => None,
            Values::List(values) => values.get(offset).copied(),
        }
    }
}

/// The value of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
}

impl Scalar {
    /// Returns zero in a dtype.
    pub const fn zero(dtype: DType) -> Scalar {
        Scalar::of_integer(0, dtype)
    }

    /// Returns an integer as an element of a dtype.
    pub const fn of_integer(value: i128, dtype: DType) -> Scalar {
        if dtype.is_bool() {
            Scalar::Bool(value != 0)
        } else if dtype.is_integer() {
            Scalar::Int(value)
        } else if dtype.is_complex() {
            Scalar::Complex(value as f64, 0.0)
        } else {
            Scalar::Float(value as f64)
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Scalar::Bool(true) => f.pad("True"),
            Scalar::Bool(false) => f.pad("False"),
            Scalar::Int(value) => fmt::Display::fmt(&value, f),
            Scalar::Float(value) => f.pad(&float(value)),
            Scalar::Complex(re, im) => {
                let sign = if im.is_sign_negative() { "-" } else { "+" };
                f.pad(&format!("{}{sign}{}j", float(re), float(im.abs())))
            }
        }
    }
}

/// Formats a float with at most four decimals, as NumPy does: `2.` for 2.0.
fn float(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{value:.0}.");
    }
    if value.abs() >= 1e15 || value.abs() < 1e-4 {
        return format!("{value:.3e}");
    }
    let digits = format!("{value:.4}");
    digits.trim_end_matches('0').into()
}

/// An error and its position in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The error message, one sentence.
    pub message: String,
    /// The bytes of the source that caused it.
    pub span: Range<usize>,
    /// Suggestions and alternatives, one sentence each.
    pub help: Vec<String>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, span: Range<usize>) -> Failure {
        Failure { message: message.into(), span, help: Vec::new() }
    }

    pub(crate) fn help(mut self, help: &str) -> Failure {
        self.help.push(help.into());
        self
    }
}

/// Why a reshape needs a copy: the seam that the new shape crosses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeamCrossing {
    /// The layout to reshape. For `rearrange`: after the permutation, before axes are merged.
    pub from: Layout,
    /// The requested shape.
    pub to: Shape,
    /// The axes on both sides, their strides, and the new axis that crosses it.
    pub seam: Seam,
    /// The offsets of the last element before the seam and of the first one after it, in row-major order.
    pub jump: (usize, usize),
    /// The offset that the element after the seam would have if the two axes were one run; it may be outside the
    /// memory.
    pub expected: i128,
    /// Similar shapes for which a view exists.
    pub nearby: Vec<Shape>,
}

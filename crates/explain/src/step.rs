//! `Report` and `Step`: the result of an explanation, one step for each call.

use belvedere::DType;
use belvedere_layout::{Chain, Layout, Seam, Shape, unravel_index};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// An expression and all its steps, up to the first that failed.
#[derive(Clone, Debug)]
pub struct Report {
    /// The text that was explained.
    pub source: String,
    /// What was done, in the order in which it was done.
    pub steps: Vec<Step>,
}

/// One call, operator or index.
#[derive(Clone, Debug)]
pub struct Step {
    /// The variable that holds the result: on the last step of an assignment.
    pub name: Option<String>,
    /// The text up to and including this call.
    pub expr: String,
    /// The bytes of the source that this step is about: the call itself, without what it is called on.
    pub span: Range<usize>,
    /// What was done: `reshape`, `getitem`, `add` …, whatever the spelling.
    pub op: &'static str,
    /// Its effect on memory.
    pub kind: Kind,
    /// The tensor that came out; none for errors and plain values.
    pub result: Option<Seen>,
    /// What came out if it is no tensor, as Python would print it.
    pub value: Option<String>,
    /// The steps whose results went in.
    pub inputs: Vec<usize>,
    /// How many bytes were copied to new memory.
    pub bytes_copied: u128,
    /// Earlier steps whose result has an element in common with this one.
    pub shares_with: Vec<usize>,
    /// Earlier steps for which that could not be decided.
    pub may_share_with: Vec<usize>,
    /// What was wrong.
    pub error: Option<Failure>,
    /// Why no view exists: of a refused view, and of a copy that had to be made.
    pub why: Option<Why>,
    /// The loops that the operation runs, for arithmetic and copies.
    pub plan: Option<String>,
    /// Differences from NumPy or PyTorch, if a dialect was given.
    pub remarks: Vec<String>,
}

/// The effect of a step on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// New memory that holds something new: `arange`, `zeros`, results of arithmetic.
    New,
    /// The same memory with another layout.
    View,
    /// New memory with the elements of the old one.
    Copy,
    /// No tensor, but a number, a tuple or a truth value.
    Value,
    /// It failed.
    Error,
}

impl Kind {
    /// The word for it: `new`, `view`, `copy`, `value`, `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::New => "new",
            Kind::View => "view",
            Kind::Copy => "copy",
            Kind::Value => "value",
            Kind::Error => "error",
        }
    }
}

/// The tensor that a step returned: its dtype, its layout or chain, and its memory.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The type of the elements.
    pub dtype: DType,
    /// How an index becomes an offset. One stage without padding is a strided view; anything else is a lens.
    pub chain: Chain,
    /// Which memory it lies in: results with equal numbers share memory.
    pub memory: usize,
    /// How many elements of this type the memory holds.
    pub memory_len: usize,
    /// What lies in that memory, read as elements of this type.
    pub values: Values,
}

impl Seen {
    /// The strided layout, if strides describe it; otherwise it is seen through a lens.
    pub fn layout(&self) -> Option<Layout> {
        self.chain.as_layout()
    }

    /// Whether walking it in row-major order is walking memory without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.layout().is_some_and(|layout| layout.is_contiguous())
    }

    /// How many bytes its elements take.
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

/// The contents of a memory, in a compact form.
#[derive(Clone, Debug)]
pub enum Values {
    /// Unknown: the tensor is too large to be calculated.
    Unknown,
    /// The same everywhere.
    Same(Scalar),
    /// `start + i · step` at offset `i`, as numbers of some type.
    Counted {
        /// The value at offset 0.
        start: i128,
        /// What is added from one offset to the next.
        step: i128,
        /// The type they are shown as.
        dtype: DType,
    },
    /// Each one.
    Listed(Arc<[Scalar]>),
    /// A copy: offset `i` holds what the chain finds at position `i`, in row-major order.
    Copied(Arc<(Seen, Chain)>),
}

impl Values {
    /// What lies at an offset; `None` when it was not calculated, or there is nothing.
    pub fn at(&self, offset: usize) -> Option<Scalar> {
        match self {
            Values::Unknown => None,
            Values::Same(value) => Some(*value),
            Values::Counted { start, step, dtype } => {
                let value = step.checked_mul(offset as i128)?.checked_add(*start)?;
                Some(Scalar::of_integer(value, *dtype))
            }
            Values::Listed(values) => values.get(offset).copied(),
            Values::Copied(from) => from.0.seen_through(&from.1, offset),
        }
    }
}

impl Seen {
    /// The element that `chain`, over this memory, has at a position.
    fn seen_through(&self, chain: &Chain, position: usize) -> Option<Scalar> {
        let index = unravel_index(chain.shape(), position).ok()?;
        match chain.index(&index).ok()? {
            Some(offset) => self.values.at(offset),
            None => Some(Scalar::zero(self.dtype)),
        }
    }
}

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
}

impl Scalar {
    /// Zero of a type.
    pub const fn zero(dtype: DType) -> Scalar {
        Scalar::of_integer(0, dtype)
    }

    /// A whole number as an element of a type.
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

/// A float the short way: at most six digits that matter, `2.` instead of `2.0`.
fn float(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "nan".into()
        } else if value > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
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

/// What was wrong with a step, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One sentence with the numbers in it.
    pub message: String,
    /// The bytes of the source that are to blame.
    pub span: Range<usize>,
    /// What might have been meant, and ways out, one sentence each.
    pub help: Vec<String>,
}

/// Why a shape is not a view: the seam that it would cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// What was to be seen in another shape. For `rearrange`: with its axes in the new order, not yet
    /// joined.
    pub from: Layout,
    /// The shape it was to have.
    pub to: Shape,
    /// The axes on both sides, their strides, and the new axis that would lie across.
    pub seam: Seam,
    /// The offsets of the two neighbours, in row-major order, between which memory jumps: the last element
    /// inside of the seam and the one after it.
    pub jump: (usize, usize),
    /// Where the next element would have to lie for the two axes to be one run; it may lie outside of memory.
    pub expected: i128,
    /// Shapes near the one asked for that are views.
    pub nearby: Vec<Shape>,
}

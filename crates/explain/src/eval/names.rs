//! The operations of the expression language, and the names that libraries have for them.
//!
//! Each name works as a method and as a function whose first argument is the tensor, with or without a library in
//! front: `x.permute(1, 0)`, `permute(x, 1, 0)`, `torch.permute(x, (1, 0))`.

use super::error::{EvalError, EvalResult, Span};
pub(crate) use super::spellings::SPELLINGS;
use super::spellings::{BINARY, REDUCTIONS, UNARY};
use super::value::{Module, Value};
use crate::suggest::closest;
use belvedere::{DType, Error, Operand, Tensor};

/// A name of an operation, and the libraries that use it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub name: &'static str,
    pub op: Op,
    pub in_numpy: bool,
    pub in_torch: bool,
}

/// An operation of the expression language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Arange,
    Array,
    Empty,
    Eye,
    Full,
    Like,
    Linspace,
    Ones,
    Random,
    Tensor,
    Zeros,
    Flip,
    FlipColumns,
    FlipRows,
    MatrixTranspose,
    MoveAxis,
    Permute,
    ReverseAxes,
    Rot90,
    SwapAxes,
    Transpose,
    Bitcast,
    BroadcastAll,
    BroadcastTo,
    BroadcastLike,
    Flatten,
    Imag,
    Merge,
    Ravel,
    Real,
    Rearrange,
    Reshape,
    ReshapeLike,
    SplitAxis,
    Squeeze,
    Unflatten,
    Unsqueeze,
    View,
    ViewAsReal,
    ViewLike,
    AsStrided,
    Chunk,
    Diagonal,
    EqualParts,
    Narrow,
    Select,
    SlidingWindow,
    Split,
    SplitAt,
    Stepped,
    Unbind,
    Unfold,
    AsType,
    ColMajor,
    Contiguous,
    Copy,
    Lens,
    Pad,
    Repeat,
    Tile,
    Matmul,
    /// An elementwise function of one operand, by its name in `UNARY`.
    Unary(&'static str),
    /// An elementwise function of two operands, by its name in `BINARY`.
    Binary(&'static str),
    /// A reduction, by its name in `REDUCTIONS`.
    Reduction(&'static str),
    BroadcastShapes,
    Dtype,
    ElementSize,
    IsContiguous,
    Item,
    Len,
    NBytes,
    NDim,
    Offset,
    Print,
    Shape,
    SharesMemory,
    Size,
    Stride,
    Strides,
}

/// An elementwise function of one operand.
pub(crate) type UnaryFunction = fn(&Tensor) -> Result<Tensor, Error>;

/// An elementwise function of two operands.
pub(crate) type BinaryFunction = for<'a> fn(&'a Tensor, Operand<'a>) -> Result<Tensor, Error>;

/// A reduction over axes.
pub(crate) type ReductionFunction = fn(&Tensor, &[isize]) -> Result<Tensor, Error>;

impl Spelling {
    pub(crate) fn find(name: &str) -> Option<&'static Spelling> {
        SPELLINGS.iter().find(|it| it.name == name)
    }

    /// Whether it is an attribute, used without parentheses.
    pub(crate) fn is_attribute(&self) -> bool {
        use Op::{Dtype, ElementSize, Imag, MatrixTranspose, NBytes, NDim, Offset, Real};
        let methods = [
            "t",
            "reverse_dims",
            "matrix_transpose",
            "element_size",
            "dim",
            "storage_offset",
            "numel",
        ];
        let has_attribute = matches!(
            self.op,
            MatrixTranspose
                | Op::ReverseAxes
                | Dtype
                | ElementSize
                | Imag
                | NBytes
                | NDim
                | Offset
                | Real
                | Op::Shape
                | Op::Size
                | Op::Strides
        );
        has_attribute && !methods.contains(&self.name)
    }
}

impl Op {
    /// The name in reports, the same for all spellings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Op::Tensor => "tensor",
            Op::ReverseAxes => "T",
            Op::FlipColumns | Op::FlipRows => "flip",
            Op::Permute => "permute",
            Op::Unsqueeze => "unsqueeze",
            Op::BroadcastLike => "broadcast_to",
            Op::ReshapeLike => "reshape",
            Op::ViewLike => "view",
            Op::Contiguous => "contiguous",
            Op::Unbind => "unbind",
            Op::ElementSize => "element_size",
            Op::Like => "zeros_like",
            Op::Random => "random",
            Op::Unary(name) | Op::Binary(name) | Op::Reduction(name) => name,
            _ => SPELLINGS.iter().find(|it| it.op == self).map_or("call", |it| it.name),
        }
    }

    /// Whether the first argument of the function is not a tensor.
    pub(crate) fn is_creation(self) -> bool {
        use Op::{Arange, Array, Empty, Eye, Full, Linspace, Ones, Random, Tensor, Zeros};
        matches!(
            self,
            Arange | Array | Empty | Eye | Full | Linspace | Ones | Random | Tensor | Zeros
        )
    }
}

/// Returns the function with a name in a generated table.
fn function<F: Copy>(table: &[(&str, F)], name: &str) -> F {
    let entry = table.iter().find(|it| it.0 == name);
    entry.expect("every name of an operation is in its table").1
}

impl Op {
    /// Returns the elementwise function of one operand.
    pub(crate) fn unary(self) -> Option<UnaryFunction> {
        if let Op::Unary(name) = self { Some(function(UNARY, name)) } else { None }
    }

    /// Returns the elementwise function of two operands.
    pub(crate) fn binary(self) -> Option<BinaryFunction> {
        if let Op::Binary(name) = self { Some(function(BINARY, name)) } else { None }
    }

    /// Returns the reduction.
    pub(crate) fn reduction(self) -> Option<ReductionFunction> {
        if let Op::Reduction(name) = self { Some(function(REDUCTIONS, name)) } else { None }
    }
}

impl Op {
    /// Whether it takes any number of arguments.
    pub(crate) fn takes_several(self) -> bool {
        matches!(self, Op::BroadcastAll | Op::BroadcastShapes | Op::Print | Op::Len)
    }
}

/// Names of dtypes in addition to those of [`DType`]; Python's types are those of NumPy.
const TYPES: [(&str, DType); 25] = [
    ("bool_", DType::Bool),
    ("int", DType::Int64),
    ("long", DType::Int64),
    ("short", DType::Int16),
    ("byte", DType::Int8),
    ("float", DType::Float64),
    ("double", DType::Float64),
    ("half", DType::Float16),
    ("complex", DType::Complex128),
    ("cfloat", DType::Complex64),
    ("cdouble", DType::Complex128),
    ("b1", DType::Bool),
    ("i1", DType::Int8),
    ("i2", DType::Int16),
    ("i4", DType::Int32),
    ("i8", DType::Int64),
    ("u1", DType::UInt8),
    ("u2", DType::UInt16),
    ("u4", DType::UInt32),
    ("u8", DType::UInt64),
    ("f2", DType::Float16),
    ("f4", DType::Float32),
    ("f8", DType::Float64),
    ("c8", DType::Complex64),
    ("c16", DType::Complex128),
];

/// Returns the dtype with a name in a library.
pub(crate) fn type_named(name: &str, module: Module) -> Option<DType> {
    let is_torch = matches!(module, Module::PyTorch | Module::Functional);
    match name {
        "float" if is_torch => Some(DType::Float32),
        "int" if is_torch => Some(DType::Int32),
        _ => DType::from_name(name).or_else(|| TYPES.iter().find(|it| it.0 == name).map(|it| it.1)),
    }
}

/// Converts a value to a dtype.
pub(crate) fn dtype(value: &Value, span: &Span) -> EvalResult<DType> {
    match value {
        Value::DType(dtype) => Ok(*dtype),
        Value::Str(name, _) => {
            let plain = name.trim_start_matches(['<', '=', '|']).trim_start_matches("torch.");
            type_named(plain, Module::Bare).ok_or_else(|| {
                let error = EvalError::new(format!("unknown dtype {name:?}"), span);
                error.suggest(closest(name, DType::ALL.iter().map(|it| it.name())))
            })
        }
        other => Err(super::args::wrong_type("a dtype", other, span)
            .help("such as float32, int64 or \"float32\"")),
    }
}

/// Returns the library with a name or conventional alias.
pub(crate) fn module_named(name: &str) -> Option<Module> {
    match name {
        "np" | "numpy" => Some(Module::NumPy),
        "torch" => Some(Module::PyTorch),
        "F" => Some(Module::Functional),
        "xp" | "bv" | "belvedere" | "einops" => Some(Module::Bare),
        _ => None,
    }
}

/// Returns the submodule `name` of a library.
pub(crate) fn submodule(module: Module, name: &str) -> Option<Module> {
    match name {
        "functional" => Some(Module::Functional),
        "lib" | "stride_tricks" | "nn" | "random" | "linalg" => Some(module),
        _ => None,
    }
}

/// Returns the name of every operation of the language.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().map(|it| it.name)
}

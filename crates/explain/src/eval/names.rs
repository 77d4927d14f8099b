//! Every operation under all the names that people know it by.
//!
//! Each name works as a method and as a function whose first argument is the tensor, with or without a library in
//! front: `x.permute(1, 0)`, `permute(x, 1, 0)`, `torch.permute(x, (1, 0))`.

use super::trouble::{Fallible, Span, Trouble};
use super::value::{Module, Value};
use crate::suggest::closest;
use belvedere::DType;

/// A name of an operation, and who knows it by that name.
#[derive(Debug, PartialEq, Eq)]
pub struct Spelling {
    pub name: &'static str,
    pub op: Op,
    pub in_numpy: bool,
    pub in_torch: bool,
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
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
    Add,
    Divide,
    Matmul,
    Multiply,
    Negative,
    Subtract,
    Max,
    Mean,
    Min,
    Sum,
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

const NEITHER: (bool, bool) = (false, false);
const NUMPY: (bool, bool) = (true, false);
const TORCH: (bool, bool) = (false, true);
const BOTH: (bool, bool) = (true, true);

const fn spelling(name: &'static str, op: Op, (in_numpy, in_torch): (bool, bool)) -> Spelling {
    Spelling { name, op, in_numpy, in_torch }
}

/// Names of one operation stand together, those of NumPy and the Array API first.
pub static SPELLINGS: &[Spelling] = &[
    spelling("arange", Op::Arange, BOTH),
    spelling("array", Op::Array, NUMPY),
    spelling("asarray", Op::Array, BOTH),
    spelling("as_tensor", Op::Array, TORCH),
    spelling("from_numpy", Op::Array, TORCH),
    spelling("empty", Op::Empty, BOTH),
    spelling("eye", Op::Eye, BOTH),
    spelling("full", Op::Full, BOTH),
    spelling("empty_like", Op::Like, BOTH),
    spelling("ones_like", Op::Like, BOTH),
    spelling("zeros_like", Op::Like, BOTH),
    spelling("linspace", Op::Linspace, BOTH),
    spelling("ones", Op::Ones, BOTH),
    spelling("rand", Op::Random, BOTH),
    spelling("randn", Op::Random, BOTH),
    spelling("tensor", Op::Tensor, TORCH),
    spelling("zeros", Op::Zeros, BOTH),
    spelling("flip", Op::Flip, BOTH),
    spelling("fliplr", Op::FlipColumns, BOTH),
    spelling("flipud", Op::FlipRows, BOTH),
    spelling("mT", Op::MatrixTranspose, BOTH),
    spelling("matrix_transpose", Op::MatrixTranspose, NUMPY),
    spelling("moveaxis", Op::MoveAxis, BOTH),
    spelling("movedim", Op::MoveAxis, TORCH),
    spelling("move_axis", Op::MoveAxis, NEITHER),
    spelling("permute_dims", Op::Permute, NUMPY),
    spelling("permute", Op::Permute, TORCH),
    spelling("T", Op::ReverseAxes, BOTH),
    spelling("t", Op::ReverseAxes, TORCH),
    spelling("reverse_dims", Op::ReverseAxes, NEITHER),
    spelling("rot90", Op::Rot90, BOTH),
    spelling("swapaxes", Op::SwapAxes, BOTH),
    spelling("swapdims", Op::SwapAxes, TORCH),
    spelling("swap_axes", Op::SwapAxes, NEITHER),
    spelling("transpose", Op::Transpose, BOTH),
    spelling("bitcast", Op::Bitcast, NEITHER),
    spelling("broadcast_arrays", Op::BroadcastAll, NUMPY),
    spelling("broadcast_tensors", Op::BroadcastAll, TORCH),
    spelling("broadcast_to", Op::BroadcastTo, BOTH),
    spelling("expand", Op::BroadcastTo, TORCH),
    spelling("expand_as", Op::BroadcastLike, TORCH),
    spelling("flatten", Op::Flatten, BOTH),
    spelling("imag", Op::Imag, BOTH),
    spelling("merge", Op::Merge, NEITHER),
    spelling("ravel", Op::Ravel, BOTH),
    spelling("real", Op::Real, BOTH),
    spelling("rearrange", Op::Rearrange, BOTH),
    spelling("reshape", Op::Reshape, BOTH),
    spelling("reshape_as", Op::ReshapeLike, TORCH),
    spelling("split_axis", Op::SplitAxis, NEITHER),
    spelling("squeeze", Op::Squeeze, BOTH),
    spelling("squeeze_all", Op::Squeeze, NEITHER),
    spelling("unflatten", Op::Unflatten, TORCH),
    spelling("expand_dims", Op::Unsqueeze, NUMPY),
    spelling("unsqueeze", Op::Unsqueeze, TORCH),
    spelling("view", Op::View, BOTH),
    spelling("view_as_real", Op::ViewAsReal, TORCH),
    spelling("view_as", Op::ViewLike, TORCH),
    spelling("as_strided", Op::AsStrided, BOTH),
    spelling("chunk", Op::Chunk, TORCH),
    spelling("diagonal", Op::Diagonal, BOTH),
    spelling("array_split", Op::EqualParts, NUMPY),
    spelling("tensor_split", Op::EqualParts, TORCH),
    spelling("narrow", Op::Narrow, TORCH),
    spelling("select", Op::Select, TORCH),
    spelling("sliding_window_view", Op::SlidingWindow, NUMPY),
    spelling("split", Op::Split, BOTH),
    spelling("split_at", Op::SplitAt, NEITHER),
    spelling("step", Op::Stepped, NEITHER),
    spelling("unstack", Op::Unbind, NUMPY),
    spelling("unbind", Op::Unbind, TORCH),
    spelling("unfold", Op::Unfold, TORCH),
    spelling("windows", Op::Unfold, NEITHER),
    spelling("astype", Op::AsType, NUMPY),
    spelling("to", Op::AsType, TORCH),
    spelling("type", Op::AsType, TORCH),
    spelling("asfortranarray", Op::ColMajor, NUMPY),
    spelling("ascontiguousarray", Op::Contiguous, NUMPY),
    spelling("contiguous", Op::Contiguous, TORCH),
    spelling("materialize", Op::Contiguous, NEITHER),
    spelling("copy", Op::Copy, NUMPY),
    spelling("clone", Op::Copy, TORCH),
    spelling("lens", Op::Lens, NEITHER),
    spelling("pad", Op::Pad, BOTH),
    spelling("repeat", Op::Repeat, NUMPY),
    spelling("repeat_interleave", Op::Repeat, TORCH),
    spelling("tile", Op::Tile, BOTH),
    spelling("add", Op::Add, BOTH),
    spelling("divide", Op::Divide, BOTH),
    spelling("div", Op::Divide, TORCH),
    spelling("matmul", Op::Matmul, BOTH),
    spelling("mm", Op::Matmul, TORCH),
    spelling("bmm", Op::Matmul, TORCH),
    spelling("multiply", Op::Multiply, BOTH),
    spelling("mul", Op::Multiply, TORCH),
    spelling("negative", Op::Negative, BOTH),
    spelling("neg", Op::Negative, TORCH),
    spelling("subtract", Op::Subtract, BOTH),
    spelling("sub", Op::Subtract, TORCH),
    spelling("max", Op::Max, BOTH),
    spelling("mean", Op::Mean, BOTH),
    spelling("min", Op::Min, BOTH),
    spelling("sum", Op::Sum, BOTH),
    spelling("broadcast_shapes", Op::BroadcastShapes, BOTH),
    spelling("dtype", Op::Dtype, BOTH),
    spelling("itemsize", Op::ElementSize, BOTH),
    spelling("element_size", Op::ElementSize, TORCH),
    spelling("is_contiguous", Op::IsContiguous, TORCH),
    spelling("item", Op::Item, BOTH),
    spelling("len", Op::Len, BOTH),
    spelling("nbytes", Op::NBytes, BOTH),
    spelling("ndim", Op::NDim, BOTH),
    spelling("dim", Op::NDim, TORCH),
    spelling("storage_offset", Op::Offset, TORCH),
    spelling("offset", Op::Offset, NEITHER),
    spelling("print", Op::Print, BOTH),
    spelling("shape", Op::Shape, BOTH),
    spelling("shares_memory", Op::SharesMemory, NUMPY),
    spelling("may_share_memory", Op::SharesMemory, NUMPY),
    spelling("size", Op::Size, BOTH),
    spelling("numel", Op::Size, TORCH),
    spelling("stride", Op::Stride, TORCH),
    spelling("strides", Op::Strides, NUMPY),
];

impl Spelling {
    pub fn find(name: &str) -> Option<&'static Spelling> {
        SPELLINGS.iter().find(|it| it.name == name)
    }

    /// Whether it is read without parentheses.
    pub fn is_attribute(&self) -> bool {
        use Op::{Dtype, ElementSize, Imag, MatrixTranspose, NBytes, NDim, Offset, Real};
        let unread = [
            "t",
            "reverse_dims",
            "matrix_transpose",
            "element_size",
            "dim",
            "storage_offset",
            "numel",
        ];
        let is_read = matches!(
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
        is_read && !unread.contains(&self.name)
    }
}

impl Op {
    /// The name in reports: one for all spellings.
    pub fn name(self) -> &'static str {
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
            _ => SPELLINGS.iter().find(|it| it.op == self).map_or("call", |it| it.name),
        }
    }

    /// Whether the first argument of the function is not a tensor.
    pub fn makes(self) -> bool {
        use Op::{Arange, Array, Empty, Eye, Full, Linspace, Ones, Random, Tensor, Zeros};
        matches!(
            self,
            Arange | Array | Empty | Eye | Full | Linspace | Ones | Random | Tensor | Zeros
        )
    }
}

impl Op {
    /// Whether it is a function of any number of things.
    pub fn takes_several(self) -> bool {
        matches!(self, Op::BroadcastAll | Op::BroadcastShapes | Op::Print | Op::Len)
    }
}

/// Names of element types beside those of [`DType`]; Python's own types are NumPy's.
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

/// The type of elements that a name stands for, in the library it is taken from.
pub fn type_named(name: &str, module: Module) -> Option<DType> {
    let is_torch = matches!(module, Module::PyTorch | Module::Functional);
    match name {
        "float" if is_torch => Some(DType::Float32),
        "int" if is_torch => Some(DType::Int32),
        _ => DType::from_name(name).or_else(|| TYPES.iter().find(|it| it.0 == name).map(|it| it.1)),
    }
}

/// The type of elements that a value stands for.
pub fn dtype(value: &Value, span: &Span) -> Fallible<DType> {
    match value {
        Value::DType(dtype) => Ok(*dtype),
        Value::Text(name, _) => {
            let plain = name.trim_start_matches(['<', '=', '|']).trim_start_matches("torch.");
            type_named(plain, Module::Bare).ok_or_else(|| {
                let trouble = Trouble::new(format!("there is no type of elements {name:?}"), span);
                trouble.meant(closest(name, DType::ALL.iter().map(|it| it.name())))
            })
        }
        other => Err(super::args::wanted("a type of elements", other, span)
            .help("such as float32, int64 or \"float32\"")),
    }
}

/// The libraries whose names may stand in front of a function.
pub fn module_named(name: &str) -> Option<Module> {
    match name {
        "np" | "numpy" => Some(Module::NumPy),
        "torch" => Some(Module::PyTorch),
        "F" => Some(Module::Functional),
        "xp" | "bv" | "belvedere" | "einops" => Some(Module::Bare),
        _ => None,
    }
}

/// What `name` is inside of a library, if it is another library.
pub fn submodule(module: Module, name: &str) -> Option<Module> {
    match name {
        "functional" => Some(Module::Functional),
        "lib" | "stride_tricks" | "nn" | "random" | "linalg" => Some(module),
        _ => None,
    }
}

/// Every name of an operation that the language knows.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().map(|it| it.name)
}

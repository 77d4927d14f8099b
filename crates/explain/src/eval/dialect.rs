//! Differences from NumPy and PyTorch, reported as remarks.

use super::adapters::resolved;
use super::call::Call;
use super::reasons::list;
use super::table::{last, type_named};
use super::value::{Array, Library, Value};
use crate::step::Kind;
use belvedere::{DType, Shape, result_type};

/// A library to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// NumPy 2.
    NumPy,
    /// PyTorch 2.
    PyTorch,
}

impl Dialect {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::NumPy => "NumPy",
            Dialect::PyTorch => "PyTorch",
        }
    }

    fn library(self) -> Library {
        match self {
            Dialect::NumPy => Library::NumPy,
            Dialect::PyTorch => Library::PyTorch,
        }
    }
}

/// What a call did.
pub(super) struct Effect<'a> {
    /// The tensor that it returned.
    pub output: Option<&'a Array>,
    /// [`Kind::Error`] if it failed.
    pub kind: Kind,
    /// Whether it failed because no view exists.
    pub is_refusal: bool,
}

/// Returns the differences of a library, one sentence each.
pub(super) fn remarks(dialect: Dialect, call: &Call<'_>, effect: &Effect<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if effect.kind != Kind::Error {
        remarks.extend(other_name(dialect, call));
    }
    let constant = fixed_remark(dialect, call, effect).map(String::from);
    remarks.extend(constant.or_else(|| match dialect {
        Dialect::NumPy => numpy(call, effect),
        Dialect::PyTorch => torch(call, effect),
    }));
    if let (Some(output), Kind::View) = (effect.output, effect.kind)
        && output.chain().as_layout().is_none()
    {
        remarks.push(format!("has no lenses: it copies {} here", bytes(output.n_bytes())));
    }
    remarks.iter().map(|remark| format!("{} {remark}", dialect.name())).collect()
}

/// Operations whose spelling in a library is not a name of the table.
#[rustfmt::skip]
const SPELLINGS: [(Dialect, &str, &str); 11] = [
    (Dialect::NumPy, "unflatten", "`reshape`"),
    (Dialect::NumPy, "narrow", "`x[…]`"),
    (Dialect::NumPy, "select", "`x[…]`"),
    (Dialect::NumPy, "chunk", "`array_split`, with different part sizes"),
    (Dialect::NumPy, "unfold", "`sliding_window_view(…)[::step]`"),
    (Dialect::NumPy, "is_contiguous", "`flags.c_contiguous`"),
    (Dialect::NumPy, "expand", "`broadcast_to`"),
    (Dialect::NumPy, "permute", "`permute_dims`"),
    (Dialect::NumPy, "unsqueeze", "`expand_dims`"),
    (Dialect::PyTorch, "sliding_window_view", "`unfold`, one axis at a time"),
    (Dialect::PyTorch, "strides", "`stride()`, in elements"),
];

/// Returns the library's name for the operation, if it differs.
fn other_name(dialect: Dialect, call: &Call<'_>) -> Option<String> {
    let Call { operation, name, .. } = call;
    let names = |library| operation.names(library).map(last);
    // Operators and indices have no name in the source.
    let is_operator = operation.names(Library::Belvedere).all(|it| it != *name)
        && names(Library::NumPy).chain(names(Library::PyTorch)).all(|it| it != *name);
    if is_operator
        || ["getitem", "setitem"].contains(&operation.name)
        || (dialect, operation.name) == (Dialect::PyTorch, "repeat")
        || (dialect, operation.name) == (Dialect::NumPy, "torch_split")
        || names(dialect.library()).any(|it| it == *name)
    {
        return None;
    }
    let special = SPELLINGS.iter().find(|it| (it.0, it.1) == (dialect, operation.name));
    Some(match (special, names(dialect.library()).next()) {
        (Some((.., spelling)), _) => format!("spells this {spelling}"),
        (None, Some(known)) => format!("spells this `{known}`"),
        (None, None) => format!("has no `{name}`"),
    })
}

/// Returns the integers among the arguments after the tensor, one by one.
fn integers(call: &Call<'_>) -> Vec<i128> {
    let values = call.arguments.iter().skip(1).map(|it| &it.0);
    let items = values.flat_map(|it| it.items().unwrap_or(std::slice::from_ref(it)));
    items.filter_map(|it| if let Value::Int(it) = it { Some(*it) } else { None }).collect()
}

fn input_shape(call: &Call<'_>) -> Option<Shape> {
    call.arrays().next().map(|it| it.array.shape())
}

/// Returns the remark on an operation whose text is fixed.
fn fixed_remark(dialect: Dialect, call: &Call<'_>, effect: &Effect<'_>) -> Option<&'static str> {
    use Dialect::{NumPy, PyTorch};
    let index = || call.arguments.get(1).map(|it| &it.0);
    Some(match (dialect, call.operation.name) {
        (NumPy, _) if effect.is_refusal => "fails as well: `reshape(…, copy=False)` is an error",
        (PyTorch, _) if effect.is_refusal => {
            "fails as well: \"view size is not compatible with input tensor's size and stride\""
        }
        (NumPy, "getitem")
            if effect.output?.shape().is_empty() && !input_shape(call)?.is_empty() =>
        {
            "returns a scalar here, not a view"
        }
        (NumPy, "view") if !matches!(index()?, Value::DType(_) | Value::Str(..)) => {
            "takes a dtype here; use `reshape(…, copy=False)`"
        }
        (NumPy, "transpose") if is_pair(call) && input_shape(call)?.len() == 2 => {
            "takes a permutation of all axes: `transpose(i, j)` is the same for (1, 0) only"
        }
        (NumPy, "flatten") if integers(call) != [0, -1] => {
            "flattens all axes only, and always copies"
        }
        (NumPy, "as_strided") => "takes strides in bytes and does not check bounds",
        (NumPy, "broadcast_to" | "expand" | "expand_as" | "sliding_window_view" | "diagonal") => {
            "makes this view read-only"
        }
        (PyTorch, "getitem" | "setitem") if has_negative_step(index()?) => {
            "does not support negative steps; its `flip` copies"
        }
        (PyTorch, "transpose") if !is_pair(call) => {
            "takes two axes here; `permute` takes a permutation"
        }
        (PyTorch, "expand_dims") if integers(call).len() > 1 => "takes one axis here",
        (PyTorch, "as_strided") => "agrees: strides are in elements, and bounds are checked",
        _ => return None,
    })
}

fn numpy(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let shape = input_shape(call)?;
    match call.operation.name {
        "transpose" if is_pair(call) => {
            let rank = shape.len();
            Some(format!("takes a permutation of all axes: two of {rank} axes are an error"))
        }
        "flatten" if effect.kind == Kind::View => {
            let copied = bytes(effect.output?.n_bytes());
            Some(format!("always copies here: {copied}; its `ravel` does not"))
        }
        "torch_split" => {
            let (size, axis) = match integers(call)[..] {
                [size] => (size, 0),
                [size, axis, ..] => (size, axis),
                [] => return None,
            };
            let len = shape[resolved(axis.try_into().ok()?, shape.len()).ok()?];
            let parts = match len.checked_rem(usize::try_from(size).ok()?) {
                Some(0) => format!("{size} parts of length {} here", len as i128 / size),
                _ => format!("{size} parts of length {len} are an error"),
            };
            Some(format!("takes the number of parts: {parts}"))
        }
        _ => None,
    }
}

fn torch(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let shape = input_shape(call);
    match call.operation.name {
        "flip" | "fliplr" | "flipud" | "rot90" => {
            let copied = bytes(effect.output?.n_bytes());
            Some(format!("has no negative strides: it copies {copied} here"))
        }
        "squeeze" if effect.kind == Kind::Error => {
            let shape = shape?;
            let axis = |it: i128| resolved(it.try_into().ok()?, shape.len()).ok();
            let axes: Vec<usize> = integers(call).into_iter().map(axis).collect::<Option<_>>()?;
            let is_kept = |k: &usize| shape[*k] != 1 || !axes.contains(k);
            let kept: Vec<usize> = (0..shape.len()).filter(is_kept).map(|k| shape[k]).collect();
            Some(format!("ignores axes longer than 1: the result is {kept:?}"))
        }
        "repeat" if call.name == "repeat" => torch_repeat(&shape?, &integers(call)),
        "T" => match shape?.len() {
            0 | 2 => None,
            rank => Some(format!("deprecates `T` for {rank} axes, and `t()` is an error")),
        },
        "copy" => {
            let layout = call.arrays().next()?.array.chain().as_layout()?;
            let strides = layout.strides();
            (layout.is_dense() && !layout.is_contiguous())
                .then(|| format!("preserves the memory order: its `clone` has strides {strides:?}"))
        }
        _ => default_float(call, effect).or_else(|| promotion(call, effect)),
    }
}

/// Whether `transpose` was called with two integers, not with a tuple.
fn is_pair(call: &Call<'_>) -> bool {
    integers(call).len() == 2 && matches!(call.arguments.get(1), Some((Value::Int(_), _)))
}

fn has_negative_step(index: &Value) -> bool {
    let mut entries = index.items().unwrap_or_default().iter();
    entries.any(|it| matches!(it, Value::Slice(slice) if slice.step < 0))
}

/// Returns the remark for `repeat`, which is a tile in PyTorch.
fn torch_repeat(shape: &[usize], times: &[i128]) -> Option<String> {
    let call = format!("repeat({})", list(times));
    let Some(n_new) = times.len().checked_sub(shape.len()) else {
        return Some(format!(
            "tiles: `{call}` is an error, because it needs a count for each axis"
        ));
    };
    let lengths = std::iter::repeat_n(&1, n_new).chain(shape);
    let tiled = times.iter().zip(lengths).map(|(n, &len)| n.saturating_mul(len as i128));
    let tiled: Vec<i128> = tiled.collect();
    Some(format!("tiles: its `{call}` has shape {tiled:?}; `repeat_interleave` repeats elements"))
}

/// Returns the remark for a creation function without a dtype.
fn default_float(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let is_creation = ["zeros", "ones", "empty", "full", "eye", "arange", "linspace", "rand"]
        .contains(&call.operation.name);
    let has_dtype = call.arguments.iter().any(|(value, _)| match value {
        Value::DType(_) => true,
        Value::Str(name, _) => type_named(name, Library::Belvedere).is_some(),
        _ => false,
    });
    let is_float = effect.output?.dtype() == DType::Float64;
    (is_creation && is_float && !has_dtype).then(|| "defaults to float32".into())
}

/// Returns the remark for promotion: PyTorch ignores the width of an integer that is combined with a float.
fn promotion(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let types: Vec<DType> = call.arrays().map(|it| it.array.dtype()).collect();
    effect.output?;
    let (integer, other) = match types[..] {
        [a, b] if a.is_integer() && !b.is_integer() => (a, b),
        [a, b] if b.is_integer() && !a.is_integer() => (b, a),
        _ => return None,
    };
    let to = result_type(integer, other);
    (to != other && !other.is_bool())
        .then(|| format!("promotes {integer} and {other} to {other}, not {to}"))
}

/// Formats a number of bytes.
pub(crate) fn bytes(n: u128) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

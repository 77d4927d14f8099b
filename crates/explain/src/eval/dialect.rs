//! Differences from NumPy and PyTorch, reported as remarks.

use super::call::Call;
use super::table::type_named;
use super::value::{Array, Library, TracedArray, Value};
use crate::step::Kind;
use belvedere::{DType, result_type};

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
pub(super) enum Effect<'a> {
    /// It returned a value.
    Result(&'a Value, Kind),
    /// It refused a view.
    Refusal,
    /// It failed for another reason.
    Error,
}

impl Effect<'_> {
    fn output(&self) -> Option<&Array> {
        match self {
            Effect::Result(Value::Array(TracedArray { array, .. }), _) => Some(array),
            _ => None,
        }
    }

    fn is_view(&self) -> bool {
        matches!(self, Effect::Result(_, Kind::View))
    }
}

/// Returns the differences of a library, one sentence each.
pub(super) fn remarks(dialect: Dialect, call: &Call<'_>, effect: &Effect<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if !matches!(effect, Effect::Error | Effect::Refusal) {
        remarks.extend(other_name(dialect, call));
    }
    remarks.extend(match dialect {
        Dialect::NumPy => numpy(call, effect),
        Dialect::PyTorch => torch(call, effect),
    });
    if let Some(output) = effect.output()
        && effect.is_view()
        && output.chain().as_layout().is_none()
    {
        remarks.push(format!("has no lenses: it copies {} here", bytes(output.n_bytes())));
    }
    remarks.iter().map(|remark| format!("{} {remark}", dialect.name())).collect()
}

/// Returns the library's name for the operation, if it differs.
fn other_name(dialect: Dialect, call: &Call<'_>) -> Option<String> {
    let operation = call.operation;
    let name = |it: &'static str| it.rsplit_once('.').map_or(it, |it| it.1);
    let mut known = operation.names(dialect.library()).map(name);
    let is_operator = operation.names(Library::Belvedere).all(|it| it != call.name)
        && operation
            .names(Library::NumPy)
            .chain(operation.names(Library::PyTorch))
            .all(|it| name(it) != call.name);
    if is_operator
        || ["getitem", "setitem"].contains(&operation.name)
        || known.any(|it| it == call.name)
    {
        return None;
    }
    let special = match (dialect, operation.name) {
        (Dialect::NumPy, "unflatten") => "spells this `reshape`",
        (Dialect::NumPy, "narrow" | "select") => "spells this `x[…]`",
        (Dialect::NumPy, "chunk") => "spells this `array_split`, with different part sizes",
        (Dialect::NumPy, "unfold") => "spells this `sliding_window_view(…)[::step]`",
        (Dialect::NumPy, "is_contiguous") => "spells this `flags.c_contiguous`",
        (Dialect::NumPy, "expand") => "spells this `broadcast_to`",
        (Dialect::NumPy, "permute") => "spells this `permute_dims`",
        (Dialect::NumPy, "unsqueeze") => "spells this `expand_dims`",
        (Dialect::PyTorch, "sliding_window_view") => "spells this `unfold`, one axis at a time",
        (Dialect::PyTorch, "repeat") => return None,
        (Dialect::PyTorch, "strides") => "spells this `stride()`, in elements",
        _ => match operation.names(dialect.library()).map(name).next() {
            Some(known) => return Some(format!("spells this `{known}`")),
            None => return Some(format!("has no `{}`", call.name)),
        },
    };
    Some(special.into())
}

/// Returns the integers among the arguments after the tensor, one by one.
fn integers(call: &Call<'_>) -> Vec<i128> {
    let ints = |value: &Value| match value {
        Value::Int(value) => vec![*value],
        other => {
            let items = other.items().unwrap_or_default().iter();
            items.filter_map(|it| if let Value::Int(it) = it { Some(*it) } else { None }).collect()
        }
    };
    call.arguments.iter().skip(1).flat_map(|it| ints(&it.0)).collect()
}

fn numpy(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let input = call.arrays().next().map(|it| &it.array);
    let copied = effect.output().map(|it| bytes(it.n_bytes()));
    let rank = input.map_or(0, |it| it.shape().len());
    Some(match call.operation.name {
        _ if matches!(effect, Effect::Refusal) => {
            "fails as well: `reshape(…, copy=False)` is an error".into()
        }
        "getitem" if rank > 0 && effect.output()?.shape().is_empty() => {
            "returns a scalar here, not a view".into()
        }
        "view" if !matches!(call.arguments.get(1)?.0, Value::DType(_) | Value::Str(..)) => {
            "takes a dtype here; use `reshape(…, copy=False)`".into()
        }
        "transpose" if is_pair(call) => match rank {
            2 => "takes a permutation of all axes: `transpose(i, j)` is the same for (1, 0) only"
                .into(),
            rank => format!("takes a permutation of all axes: two of {rank} axes are an error"),
        },
        "flatten" if integers(call) != [0, -1] => {
            "flattens all axes only, and always copies".into()
        }
        "flatten" if effect.is_view() => {
            format!("always copies here: {}; its `ravel` does not", copied?)
        }
        "split" => {
            let size = usize::try_from(*integers(call).first()?).ok()?;
            let axis = integers(call).get(1).copied().unwrap_or(0);
            let axis = usize::try_from(if axis < 0 { axis + rank as i128 } else { axis }).ok()?;
            let len = *input?.shape().get(axis)?;
            match len.checked_rem(size) {
                Some(0) => {
                    format!("takes the number of parts: {size} parts of length {} here", len / size)
                }
                _ => {
                    format!("takes the number of parts: {size} parts of length {len} are an error")
                }
            }
        }
        "as_strided" => "takes strides in bytes and does not check bounds".into(),
        "broadcast_to" | "expand" | "expand_as" | "sliding_window_view" | "diagonal" => {
            "makes this view read-only".into()
        }
        _ => return None,
    })
}

fn torch(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let input = call.arrays().next().map(|it| &it.array);
    let copied = effect.output().map(|it| bytes(it.n_bytes()));
    Some(match call.operation.name {
        _ if matches!(effect, Effect::Refusal) => {
            "fails as well: \"view size is not compatible with input tensor's size and stride\""
                .into()
        }
        "getitem" | "setitem" if has_negative_step(call) => {
            "does not support negative steps; its `flip` copies".into()
        }
        "flip" | "fliplr" | "flipud" | "rot90" => {
            format!("has no negative strides: it copies {} here", copied?)
        }
        "squeeze" if matches!(effect, Effect::Error) => {
            let shape = input?.shape();
            let resolved = integers(call)
                .into_iter()
                .map(|it| if it < 0 { it + shape.len() as i128 } else { it });
            let axes: Vec<i128> = resolved.collect();
            let is_left = |k: usize| shape[k] != 1 || !axes.contains(&(k as i128));
            let kept: Vec<usize> =
                (0..shape.len()).filter(|&k| is_left(k)).map(|k| shape[k]).collect();
            let exist = axes.iter().all(|&it| it >= 0 && it < shape.len() as i128);
            return exist.then(|| format!("ignores axes longer than 1: the result is {kept:?}"));
        }
        "repeat" if call.name == "repeat" => return torch_repeat(&input?.shape(), &integers(call)),
        "T" => match input?.shape().len() {
            0 | 2 => return None,
            rank => format!("deprecates `T` for {rank} axes, and `t()` is an error"),
        },
        "transpose" if !is_pair(call) => {
            "takes two axes here; `permute` takes a permutation".into()
        }
        "expand_dims" if integers(call).len() > 1 => "takes one axis here".into(),
        "copy" => {
            let layout = input?.chain().as_layout()?;
            let is_kept = layout.is_dense() && !layout.is_contiguous();
            return is_kept.then(|| {
                let strides = layout.strides();
                format!("preserves the memory order: its `clone` has strides {strides:?}")
            });
        }
        "as_strided" => "agrees: strides are in elements, and bounds are checked".into(),
        _ => return default_float(call, effect).or_else(|| promotion(call, effect)),
    })
}

/// Whether `transpose` was called with two integers.
fn is_pair(call: &Call<'_>) -> bool {
    integers(call).len() == 2
        && !call.arguments.get(1).is_some_and(|(value, span)| {
            // A tuple of its own, not integers one by one.
            matches!(value, Value::Tuple(_)) && *span == call.span && call.is_tuple
        })
}

fn has_negative_step(call: &Call<'_>) -> bool {
    let entries = call.arguments.get(1).and_then(|it| it.0.items()).unwrap_or_default();
    entries.iter().any(|it| matches!(it, Value::Slice(slice) if slice.step < 0))
}

/// Returns the remark for `repeat`, which is a tile in PyTorch.
fn torch_repeat(shape: &[usize], times: &[i128]) -> Option<String> {
    let list: Vec<String> = times.iter().map(|it| it.to_string()).collect();
    let call = format!("repeat({})", list.join(", "));
    if times.len() < shape.len() {
        return Some(format!(
            "tiles: `{call}` is an error, because it needs a count for each axis"
        ));
    }
    let missing = times.len() - shape.len();
    let length = |(k, &n): (usize, &i128)| {
        let len = if k < missing { 1 } else { shape[k - missing] };
        (len as i128).saturating_mul(n)
    };
    let tiled: Vec<i128> = times.iter().enumerate().map(length).collect();
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
    let is_float = effect.output()?.dtype() == DType::Float64;
    (is_creation && is_float && !has_dtype).then(|| "defaults to float32".into())
}

/// Returns the remark for promotion: PyTorch ignores the width of an integer that is combined with a float.
fn promotion(call: &Call<'_>, effect: &Effect<'_>) -> Option<String> {
    let types: Vec<DType> = call.arrays().map(|it| it.array.dtype()).collect();
    let &[a, b] = &types[..] else { return None };
    effect.output()?;
    let to = result_type(a, b);
    let (whole, other) = match [a, b].map(DType::is_integer) {
        [true, false] => (a, b),
        [false, true] => (b, a),
        _ => return None,
    };
    (to != other && !other.is_bool())
        .then(|| format!("promotes {whole} and {other} to {other}, not {to}"))
}

/// Formats a number of bytes.
pub(crate) fn bytes(n: u128) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

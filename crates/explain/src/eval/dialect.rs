//! Differences from NumPy and PyTorch, reported as remarks.

use super::names::{Op, SPELLINGS, Spelling};
use super::value::Array;
use crate::step::Kind;
use belvedere::DType;
use belvedere_layout::Layout;

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
}

/// A property of a call that matters for remarks and is not visible in shapes and strides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A slice with a negative step.
    NegativeStep,
    /// Every axis was indexed by an integer.
    OneElement,
    /// A squeeze of an axis longer than 1.
    LongAxis { shape: Vec<usize> },
    /// `repeat` with these counts.
    Repeated { times: Vec<isize> },
    /// `transpose` with this number of integers.
    TransposeArguments { n: usize },
    /// `flatten` of a range of axes.
    PartialFlatten,
    /// `view` with a shape, not a dtype.
    ShapeView,
    /// `split` into parts of a given size.
    PartSize { size: usize, len: usize },
    /// A default floating-point dtype.
    DefaultFloat,
    /// A tuple of axes.
    SeveralAxes,
    /// A refused view.
    Refused,
    /// Promoted dtypes.
    Promoted { from: [DType; 2], to: DType },
}

/// What a call did, as input for the remarks.
pub(crate) struct Event<'a> {
    pub spelling: Option<&'static Spelling>,
    pub op: Option<Op>,
    pub input: Option<&'a Array>,
    pub output: Option<&'a Array>,
    pub kind: Kind,
    pub fact: Option<&'a Fact>,
}

/// Returns the differences of a library, one sentence each.
pub(crate) fn remarks(dialect: Dialect, event: &Event<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    let name = dialect.name();
    if let Some(other) = other_name(dialect, event.spelling) {
        remarks.push(format!("{name} {other}"));
    }
    let found = match dialect {
        Dialect::NumPy => numpy(event),
        Dialect::PyTorch => torch(event),
    };
    remarks.extend(found.map(|remark| format!("{name} {remark}")));
    if let Some(remark) = both(event) {
        remarks.push(format!("{name} {remark}"));
    }
    remarks
}

/// Returns the library's name for the operation, if it differs.
fn other_name(dialect: Dialect, spelling: Option<&'static Spelling>) -> Option<String> {
    let spelling = spelling?;
    let knows = |it: &Spelling| match dialect {
        Dialect::NumPy => it.in_numpy,
        Dialect::PyTorch => it.in_torch,
    };
    if knows(spelling) {
        return None;
    }
    match (dialect, spelling.op) {
        (Dialect::NumPy, Op::Unflatten) => return Some("spells this `reshape`".into()),
        (Dialect::NumPy, Op::Narrow | Op::Select) => return Some("spells this `x[…]`".into()),
        (Dialect::NumPy, Op::Chunk) => {
            return Some("spells this `array_split`, with different part sizes".into());
        }
        (Dialect::NumPy, Op::Unfold) => {
            return Some("spells this `sliding_window_view(…)[::step]`".into());
        }
        (Dialect::NumPy, Op::IsContiguous) => {
            return Some("spells this `flags.c_contiguous`".into());
        }
        (Dialect::PyTorch, Op::SlidingWindow) => {
            return Some("spells this `unfold`, one axis at a time".into());
        }
        (Dialect::PyTorch, Op::Repeat) => return None,
        (Dialect::PyTorch, Op::Strides) => {
            return Some("spells this `stride()`, in elements".into());
        }
        _ => {}
    }
    match SPELLINGS.iter().find(|it| it.op == spelling.op && knows(it)) {
        Some(known) => Some(format!("spells this `{}`", known.name)),
        None => Some(format!("has no `{}`", spelling.name)),
    }
}

/// Returns the remark for a lens, which neither library has.
fn both(event: &Event<'_>) -> Option<String> {
    let output = event.output?;
    let is_free = event.kind == Kind::View && output.layout().is_none();
    is_free.then(|| format!("has no lenses: it copies {} here", bytes(output.n_bytes())))
}

fn numpy(event: &Event<'_>) -> Option<String> {
    let copied = event.output.map(|it| bytes(it.n_bytes()));
    if event.fact == Some(&Fact::OneElement) {
        return Some("returns a scalar here, not a view".into());
    }
    match (event.op?, event.fact) {
        (_, Some(Fact::Refused)) => {
            Some("fails as well: `reshape(…, copy=False)` is an error".into())
        }
        (Op::View, Some(Fact::ShapeView)) => {
            Some("takes a dtype here; use `reshape(…, copy=False)`".into())
        }
        (Op::Transpose, Some(Fact::TransposeArguments { n: 2 })) => match event.input?.rank() {
            2 => Some(
                "takes a permutation of all axes: `transpose(i, j)` is the same for (1, 0) only"
                    .into(),
            ),
            rank => {
                Some(format!("takes a permutation of all axes: two of {rank} axes are an error"))
            }
        },
        (Op::Flatten, Some(Fact::PartialFlatten)) => {
            Some("flattens all axes only, and always copies".into())
        }
        (Op::Flatten, _) if event.kind == Kind::View => {
            Some(format!("always copies here: {}; its `ravel` does not", copied?))
        }
        (Op::Split, Some(Fact::PartSize { size, len })) => Some(match len.checked_rem(*size) {
            Some(0) => {
                format!("takes the number of parts: {size} parts of length {} here", len / size)
            }
            _ => format!("takes the number of parts: {size} parts of length {len} are an error"),
        }),
        (Op::AsStrided, _) => Some("takes strides in bytes and does not check bounds".into()),
        (Op::BroadcastTo | Op::BroadcastLike | Op::SlidingWindow | Op::Diagonal, _) => {
            Some("makes this view read-only".into())
        }
        (Op::Contiguous, _) if event.kind == Kind::View => None,
        _ => None,
    }
}

fn torch(event: &Event<'_>) -> Option<String> {
    let copied = event.output.map(|it| bytes(it.n_bytes()));
    if event.fact == Some(&Fact::NegativeStep) {
        return Some("does not support negative steps; its `flip` copies".into());
    }
    match (event.op?, event.fact) {
        (Op::Flip | Op::FlipColumns | Op::FlipRows | Op::Rot90, _) if event.output.is_some() => {
            Some(format!("has no negative strides: it copies {} here", copied?))
        }
        (_, Some(Fact::Refused)) => Some(
            "fails as well: \"view size is not compatible with input tensor's size and stride\""
                .into(),
        ),
        (Op::Squeeze, Some(Fact::LongAxis { shape })) => {
            Some(format!("ignores axes longer than 1: the result is {shape:?}"))
        }
        (Op::Squeeze, _) => None,
        (Op::Repeat, Some(Fact::Repeated { times })) => torch_repeat(event, times),
        (Op::ReverseAxes, _) => match event.input?.rank() {
            0 | 2 => None,
            rank => Some(format!("deprecates `T` for {rank} axes, and `t()` is an error")),
        },
        (Op::Transpose, Some(Fact::TransposeArguments { n })) if *n != 2 => {
            Some("takes two axes here; `permute` takes a permutation".into())
        }
        (Op::Unsqueeze, Some(Fact::SeveralAxes)) => Some("takes one axis here".into()),
        (Op::Copy, _) => memory_order_remark(event.input?),
        (_, Some(Fact::DefaultFloat)) => Some("defaults to float32".into()),
        (Op::Strides, _) => None,
        (_, Some(Fact::Promoted { from, to })) => promoted(*from, *to),
        (Op::AsStrided, _) => {
            Some("agrees: strides are in elements, and bounds are checked".into())
        }
        _ => None,
    }
}

/// Returns the remark for `repeat`, which is a tile in PyTorch.
fn torch_repeat(event: &Event<'_>, times: &[isize]) -> Option<String> {
    if event.spelling?.name != "repeat" {
        return None;
    }
    let shape = event.input?.shape();
    let list: Vec<String> = times.iter().map(|it| it.to_string()).collect();
    let call = format!("repeat({})", list.join(", "));
    if times.len() < shape.len() {
        return Some(format!(
            "tiles: `{call}` is an error, because it needs a count for each axis"
        ));
    }
    let missing = times.len() - shape.len();
    let length = |(k, &n): (usize, &isize)| {
        let len = if k < missing { 1 } else { shape[k - missing] };
        len as i128 * n as i128
    };
    let tiled: Vec<i128> = times.iter().enumerate().map(length).collect();
    Some(format!("tiles: its `{call}` has shape {tiled:?}; `repeat_interleave` repeats elements"))
}

/// Returns the remark for `clone`, which preserves dense strides in PyTorch.
fn memory_order_remark(input: &Array) -> Option<String> {
    let layout: Layout = input.layout().filter(|it| it.is_dense() && !it.is_contiguous())?;
    Some(format!("preserves the memory order: its `clone` has strides {:?}", layout.strides()))
}

/// Returns the remark for promotion: PyTorch ignores the width of an integer that is combined with a float.
fn promoted(from: [DType; 2], to: DType) -> Option<String> {
    let (whole, other) = match from.map(DType::is_integer) {
        [true, false] => (from[0], from[1]),
        [false, true] => (from[1], from[0]),
        _ => return None,
    };
    (to != other && !other.is_bool())
        .then(|| format!("promotes {whole} and {other} to {other}, not {to}"))
}

/// Formats a number of bytes.
pub(crate) fn bytes(n: u128) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

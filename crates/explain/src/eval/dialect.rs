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
    /// Its name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::NumPy => "NumPy",
            Dialect::PyTorch => "PyTorch",
        }
    }
}

/// Something about a call on which libraries disagree, and that shapes and strides do not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A slice that walks backwards.
    NegativeStep,
    /// Every axis was picked at one position.
    OneElement,
    /// An axis that is longer than 1 was to be dropped.
    LongAxis { shape: Vec<usize> },
    /// Elements repeated `n` times, along one axis or all.
    Repeated { times: Vec<isize> },
    /// `transpose` with this number of integers.
    TransposeOf { n: usize },
    /// `flatten` of some axes only.
    SomeAxes,
    /// `view` of a shape, not of a type.
    ShapeView,
    /// Parts of a size.
    PartsOf { size: usize, len: usize },
    /// No type was given for something with a fraction.
    DefaultFloat,
    /// A tuple of axes where one is taken.
    SeveralAxes,
    /// A view that does not exist.
    Refused,
    /// Types that were promoted.
    Promoted { from: [DType; 2], to: DType },
}

/// What a call did, for a comparison.
pub(crate) struct Event<'a> {
    pub spelling: Option<&'static Spelling>,
    pub op: Option<Op>,
    pub input: Option<&'a Array>,
    pub output: Option<&'a Array>,
    pub kind: Kind,
    pub fact: Option<&'a Fact>,
}

/// What a library would do otherwise, one sentence each.
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

/// How the library calls it, if not so.
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
            return Some("spells this `array_split`, and cuts elsewhere".into());
        }
        (Dialect::NumPy, Op::Unfold) => {
            return Some("spells this `sliding_window_view(…)[::step]`".into());
        }
        (Dialect::NumPy, Op::IsContiguous) => {
            return Some("spells this `flags.c_contiguous`".into());
        }
        (Dialect::PyTorch, Op::SlidingWindow) => {
            return Some("spells this `unfold`, an axis at a time".into());
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

/// What neither of the two can do: they have no lenses.
fn both(event: &Event<'_>) -> Option<String> {
    let output = event.output?;
    let is_free = event.kind == Kind::View && output.layout().is_none();
    is_free.then(|| format!("has no lenses: it copies {} here", bytes(output.n_bytes())))
}

fn numpy(event: &Event<'_>) -> Option<String> {
    let copied = event.output.map(|it| bytes(it.n_bytes()));
    if event.fact == Some(&Fact::OneElement) {
        return Some("gives the number itself here, not a view of it".into());
    }
    match (event.op?, event.fact) {
        (_, Some(Fact::Refused)) => {
            Some("refuses it, too: `reshape(…, copy=False)` is an error".into())
        }
        (Op::View, Some(Fact::ShapeView)) => {
            Some("takes a type here; the same is `reshape(…, copy=False)`".into())
        }
        (Op::Transpose, Some(Fact::TransposeOf { n: 2 })) => match event.input?.rank() {
            2 => Some(
                "takes `transpose(i, j)` as an order of all axes: the same for (1, 0) only".into(),
            ),
            rank => Some(format!("takes the order of all axes here: it refuses two of {rank}")),
        },
        (Op::Flatten, Some(Fact::SomeAxes)) => {
            Some("flattens all axes only, and always copies".into())
        }
        (Op::Flatten, _) if event.kind == Kind::View => {
            Some(format!("always copies here: {}; its `ravel` does not", copied?))
        }
        (Op::Split, Some(Fact::PartsOf { size, len })) => Some(match len.checked_rem(*size) {
            Some(0) => format!("takes the number of parts: {size} parts of {} here", len / size),
            _ => format!("takes the number of parts, and refuses {size} parts of {len}"),
        }),
        (Op::AsStrided, _) => Some("counts bytes here, and checks no bounds".into()),
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
        return Some("refuses negative steps; its `flip` copies instead".into());
    }
    match (event.op?, event.fact) {
        (Op::Flip | Op::FlipColumns | Op::FlipRows | Op::Rot90, _) if event.output.is_some() => {
            Some(format!("has no negative strides: it copies {} here", copied?))
        }
        (_, Some(Fact::Refused)) => Some(
            "refuses it, too: \"view size is not compatible with input tensor's size and stride\""
                .into(),
        ),
        (Op::Squeeze, Some(Fact::LongAxis { shape })) => {
            Some(format!("leaves an axis that is longer than 1 alone: the result is {shape:?}"))
        }
        (Op::Squeeze, _) => None,
        (Op::Repeat, Some(Fact::Repeated { times })) => torch_repeat(event, times),
        (Op::ReverseAxes, _) => match event.input?.rank() {
            0 | 2 => None,
            rank => Some(format!("warns that `T` of {rank} axes is deprecated, and refuses `t()`")),
        },
        (Op::Transpose, Some(Fact::TransposeOf { n })) if *n != 2 => {
            Some("takes two axes here; `permute` takes an order".into())
        }
        (Op::Unsqueeze, Some(Fact::SeveralAxes)) => Some("takes one axis here".into()),
        (Op::Copy, _) => kept_order(event.input?),
        (_, Some(Fact::DefaultFloat)) => Some("makes float32 where no type is given".into()),
        (Op::Strides, _) => None,
        (_, Some(Fact::Promoted { from, to })) => promoted(*from, *to),
        (Op::AsStrided, _) => Some("agrees: elements, and bounds are checked".into()),
        _ => None,
    }
}

/// `repeat` tiles in PyTorch.
fn torch_repeat(event: &Event<'_>, times: &[isize]) -> Option<String> {
    if event.spelling?.name != "repeat" {
        return None;
    }
    let shape = event.input?.shape();
    let list: Vec<String> = times.iter().map(|it| it.to_string()).collect();
    let call = format!("repeat({})", list.join(", "));
    if times.len() < shape.len() {
        return Some(format!("tiles, and refuses `{call}`: it wants a number for each axis"));
    }
    let missing = times.len() - shape.len();
    let length = |(k, &n): (usize, &isize)| {
        let len = if k < missing { 1 } else { shape[k - missing] };
        len as i128 * n as i128
    };
    let tiled: Vec<i128> = times.iter().enumerate().map(length).collect();
    Some(format!("tiles: its `{call}` is {tiled:?}; `repeat_interleave` repeats elements"))
}

/// PyTorch's copies keep the order in which the elements lie.
fn kept_order(input: &Array) -> Option<String> {
    let layout: Layout = input.layout().filter(|it| it.is_dense() && !it.is_contiguous())?;
    Some(format!("keeps the order of memory: its `clone` has strides {:?}", layout.strides()))
}

/// Only whether one is floating counts in PyTorch, and not how many bits the integers have.
fn promoted(from: [DType; 2], to: DType) -> Option<String> {
    let (whole, other) = match from.map(DType::is_integer) {
        [true, false] => (from[0], from[1]),
        [false, true] => (from[1], from[0]),
        _ => return None,
    };
    (to != other && !other.is_bool())
        .then(|| format!("makes {other} of {whole} and {other}, not {to}"))
}

/// A number of bytes for a sentence.
pub(crate) fn bytes(n: u128) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

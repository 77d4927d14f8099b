//! Every error: how it is caused, its message, its kind.

#![allow(clippy::single_range_in_vec_init, reason = "one axis is shrunk by a list of one range")]

use belvedere_layout::compat::gradcore;
use belvedere_layout::{
    Chain, ErrorKind, Index, Layout, LayoutError, Pattern, PatternProblem, ReinterpretError,
    broadcast_shapes, s, unravel_index,
};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::mem::discriminant;
use std::ops::Range;

/// Checks an error as the public API returns it, and its message.
type Said = (LayoutError, &'static str);

fn row(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

fn chain(shape: &[usize]) -> Chain {
    Chain::new(row(shape))
}

fn refused<T: Debug>(result: Result<T, LayoutError>) -> LayoutError {
    result.unwrap_err()
}

fn axis_errors() -> Vec<Said> {
    vec![
        (refused(row(&[3, 4]).select(2, 0)), "axis 2 is out of range: the axes are -2..=1"),
        (refused(row(&[3, 4]).step(-3, 1)), "axis -3 is out of range: the axes are -2..=1"),
        (refused(row(&[]).flip(&[0])), "axis 0 does not exist: a scalar has no axes"),
        (refused(row(&[3, 4]).flip(&[1, -1])), "axis 1 is given twice"),
        (refused(row(&[3, 4]).permute(&[0, 0])), "[0, 0] is not a permutation of 2 axes"),
        (
            refused(row(&[2, 3, 4]).flatten(2, 0)),
            "the range of axes from 2 to 0 ends before it starts",
        ),
    ]
}

fn index_errors() -> Vec<Said> {
    vec![
        (refused(row(&[3, 4]).offset(&[1])), "got 1 index for 2 axes"),
        (refused(row(&[3]).slice(&s![0, 0])), "got 2 indices for 1 axis"),
        (refused(row(&[3, 4]).select(0, 5)), "index 5 is out of range for axis 0 of length 3"),
        (
            refused(chain(&[3, 4]).slice(&s![.., -5])),
            "index -5 is out of range for axis 1 of length 4",
        ),
        (refused(unravel_index(&[7], 9)), "position 9 is out of range: there are 7 elements"),
        (
            refused(chain(&[5]).shrink(&[Range { start: 3, end: 1 }])),
            "the range 3..1 of axis 0 ends before it starts",
        ),
        (
            refused(row(&[10]).narrow(0, 8, 4)),
            "4 positions starting at 8 do not fit in axis 0 of length 10",
        ),
        (
            row(&[10]).slicer().stepped(8, 2, 4).unwrap_err(),
            "2 positions starting at 8 with step 4 do not fit in axis 0 of length 10",
        ),
        (
            refused(chain(&[5]).shrink(&[3..9])),
            "6 positions starting at 3 do not fit in axis 0 of length 5",
        ),
        (
            refused(row(&[3, 4]).slice(&[Index::Ellipsis, Index::Ellipsis])),
            "an index can have only one ellipsis",
        ),
    ]
}

fn shape_errors() -> Vec<Said> {
    vec![
        (refused(row(&[2, 3, 4]).dims::<2>()), "expected 2 axes, got 3: shape [2, 3, 4]"),
        (refused(row(&[2, 3, 4]).t()), "t takes at most 2 axes, got 3"),
        (refused(row(&[4]).mt()), "mt takes at least 2 axes, got 1"),
        (refused(gradcore::create(&[1; 11])), "tensor_create takes at most 10 axes, got 11"),
        (refused(Layout::from_strides(0, &[2, 3], &[1])), "got 2 lengths but 1 stride"),
        (refused(row(&[6]).windows(0, 7, 1)), "a window of 7 does not fit in axis 0 of length 6"),
        (refused(row(&[3, 1]).squeeze(&[0])), "cannot squeeze axis 0: its length is 3, not 1"),
        (
            refused(row(&[2, 3]).reshape([4, 2])),
            "cannot reshape [2, 3] into [4, 2]: 6 elements are not 8",
        ),
        (
            refused(row(&[2]).reshape([usize::MAX; 3])),
            "cannot reshape [2] into [18446744073709551615, 18446744073709551615, \
             18446744073709551615]: 2 elements are not more than 2^128",
        ),
        (
            refused(row(&[6]).reshape([-1, 2, -1])),
            "only one length may be -1, but axes 0 and 2 both are",
        ),
        (
            refused(row(&[6]).reshape([-2, 3])),
            "length -2 of axis 0 is negative; only -1 is allowed",
        ),
        (
            refused(row(&[3, 1]).broadcast_to([-1, 3, 4])),
            "length -1 keeps an existing length, but axis 0 is new",
        ),
        (
            refused(row(&[6]).reshape([-1, 4])),
            "cannot infer a length of -1: 6 elements are not divisible by 4",
        ),
        (
            refused(row(&[6]).reshape([-1, 0])),
            "cannot infer a length of -1 for 6 elements: another length is 0",
        ),
        (
            refused(row(&[6]).reshape([-1, i64::MAX, i64::MAX])),
            "cannot infer a length of -1: the others multiply to more than 6 elements",
        ),
        (refused(row(&[7]).split_axis(0, 3)), "axis 0 of length 7 cannot be split into parts of 3"),
        (refused(row(&[2, 3]).broadcast_to([3])), "2 axes cannot be broadcast to 1 axis"),
        (
            refused(broadcast_shapes(&[&[2, 3], &[2]])),
            "axis 0 of length 2 of operand 1 does not broadcast to 3",
        ),
    ]
}

fn value_errors() -> Vec<Said> {
    vec![
        (refused(Layout::row_major((2, -1))), "lengths must be at least 0, got -1 at position 1"),
        (refused(row(&[3, 4]).step(1, 0)), "the step for axis 1 must not be 0"),
        (
            refused(Layout::as_strided(6, 0, &[5, 3], &[1, 1])),
            "the layout reaches offsets 0..7, but the memory holds 6 elements",
        ),
        (refused(row(&[3, 4]).split(1, 0)), "the size of a part for axis 1 must not be 0"),
        (refused(row(&[3, 4]).chunk(0, 0)), "the number of parts for axis 0 must not be 0"),
        (
            refused(row(&[3, 4]).windows(0, 2, 0)),
            "the step between windows for axis 0 must not be 0",
        ),
        (refused(gradcore::create(&[3, 0])), "the length for axis 1 must not be 0"),
        (
            refused(row(&[3]).split_elements(0)),
            "the number of smaller elements for axis 1 must not be 0",
        ),
        (refused(row(&[5, 6]).sliding_window(&[0, 1], &[2])), "expected 2 window sizes, got 1"),
        (refused(chain(&[5, 6]).pad(&[(1, 1)])), "expected 2 paddings, got 1"),
        (refused(chain(&[5]).shrink(&[0..1, 0..1, 0..1])), "expected 1 ranges, got 3"),
    ]
}

fn view_errors() -> Vec<Said> {
    vec![
        (
            refused(row(&[3, 4]).t().unwrap().reshape_contiguous([12])),
            "shape [4, 3] with strides [1, 4] is not contiguous",
        ),
        (
            refused(row(&[3, 4]).t().unwrap().view([6, 2])),
            "cannot view [4, 3] (strides [1, 4]) as [6, 2] without a copy\n  \
             axis 0 has stride 1; to merge with axis 1 it would need stride 12 (3 · 4), \
             and new axis 0 crosses that seam\n  \
             reshape([6, 2]) copies 12 elements; \
             views that keep the seam exist: [2, 2, 3], [4, 1, 3], [2, 2, 3, 1] …",
        ),
        (
            refused(row(&[3, 4]).slice(&s![.., ..2]).unwrap().merge(0, 1)),
            "cannot view [3, 2] (strides [4, 1]) as [6] without a copy\n  \
             axis 0 has stride 4; to merge with axis 1 it would need stride 2 (2 · 1), \
             and new axis 0 crosses that seam\n  \
             reshape([6]) copies 6 elements; \
             views that keep the seam exist: [3, 1, 2], [3, 2, 1]",
        ),
    ]
}

fn reinterpret_errors() -> Vec<Said> {
    let words = row(&[3, 4]);
    vec![
        (
            refused(words.reinterpret(4, 6)),
            "cannot reinterpret elements of 4 bytes as elements of 6 bytes",
        ),
        (
            refused(words.reinterpret(0, 4)),
            "cannot reinterpret elements of 0 bytes as elements of 4 bytes",
        ),
        (
            refused(row(&[]).reinterpret(4, 2)),
            "a scalar has no last axis to hold elements of another size",
        ),
        (
            refused(words.t().unwrap().reinterpret(4, 2)),
            "elements of another size need a last axis of stride 1, got 4",
        ),
        (
            refused(words.narrow(1, 1, 2).unwrap().reinterpret(4, 8)),
            "the first element is at offset 1, which is not a multiple of 2",
        ),
        (
            refused(row(&[3, 5]).narrow(1, 0, 4).unwrap().reinterpret(4, 8)),
            "axis 0 has stride 5, which is not a multiple of 2",
        ),
        (
            refused(row(&[2, 3]).reinterpret(4, 8)),
            "the last axis has length 3, which is not a multiple of 2",
        ),
        (
            refused(row(&[3, 4]).join_elements(2)),
            "cannot join 2 elements: the last axis has length 4",
        ),
        (
            refused(row(&[2]).split_elements(1 << 62)),
            "4611686018427387904 smaller elements for each make offsets or their number exceed \
             isize::MAX",
        ),
    ]
}

fn limit_errors() -> Vec<Said> {
    let far = 1isize << 40;
    vec![
        (refused(Layout::row_major(&[1; 65])), "65 axes are too many: a layout has at most 64"),
        (
            refused(Layout::row_major(&[far, far])),
            "shape [1099511627776, 1099511627776] has more elements than isize::MAX",
        ),
        (
            refused(Layout::row_major(&[far, 0, far])),
            "the nonzero lengths of shape [1099511627776, 0, 1099511627776] multiply to more than \
             isize::MAX",
        ),
        (
            refused(row(&[0]).reshape([far, far, 0])),
            "the nonzero lengths of shape [1099511627776, 1099511627776, 0] multiply to more than \
             isize::MAX",
        ),
        (
            refused(chain(&[3, 4]).repeat(0, usize::MAX)),
            "shape [18446744073709551615, 3, 4] has more elements than isize::MAX",
        ),
        (
            refused(Layout::from_strides(3, &[5], &[-1])),
            "shape [5] with strides [-1] from start 3 reaches offset -1, \
             outside of 0..=isize::MAX",
        ),
        (
            refused(Layout::from_strides(1, &[2], &[isize::MAX])),
            "shape [2] with strides [9223372036854775807] from start 1 reaches offset \
             9223372036854775808, outside of 0..=isize::MAX",
        ),
        (
            refused(Layout::from_strides(0, &[2], &[isize::MAX]).unwrap().byte_strides(2)),
            "a stride of 9223372036854775807 elements of 2 bytes each does not fit in an isize",
        ),
        (
            refused(chain(&[2, 4]).pad(&[(0, 0), (1, usize::MAX)])),
            "padding axis 1 by 1 and 18446744073709551615 exceeds isize::MAX elements",
        ),
    ]
}

/// An invalid pattern, the problem, and the first line of the message.
fn pattern_errors() -> Vec<(LayoutError, PatternProblem, &'static str)> {
    use PatternProblem::*;
    let parsed = |pattern: &str| refused(pattern.parse::<Pattern>());
    let names = |n: usize| (0..n).map(|i| format!("a{i} ")).collect::<String>();
    let applied = |pattern: &str, shape: &[usize], lengths: &[(&str, usize)]| {
        refused(row(shape).rearrange(pattern, lengths))
    };
    vec![
        (parsed("a b"), NoArrow, "a pattern needs a `->` between its two sides"),
        (parsed("a -> b -> c"), SecondArrow, "a pattern has only one `->`"),
        (parsed("a, b -> a b"), Character(','), "unexpected character ',' in a pattern"),
        (parsed("a 2 -> a 2"), Number, "an axis has a name or is `1`; no other number is allowed"),
        (parsed("((a) b) -> a b"), NestedGroup, "a group cannot contain another group"),
        (parsed("(a b -> a b"), Unclosed, "this parenthesis is never closed"),
        (parsed("a b) -> a b"), Unopened, "this parenthesis was never opened"),
        (parsed("a a -> a"), Repeated, "this axis occurs twice on one side"),
        (
            parsed(&format!("{}-> a0", names(65))),
            TooManyNames,
            "a side has at most 64 names, one for each axis of a layout",
        ),
        (parsed("... a ... -> ... a"), SecondEllipsis, "a side can have only one `...`"),
        (
            parsed("(... a) -> ... a"),
            GroupedEllipsis,
            "on the left, `...` cannot be inside a group",
        ),
        (
            parsed("a b -> a"),
            MissingRight,
            "this axis is missing on the right; rearranging keeps every axis",
        ),
        (
            parsed("a -> a b"),
            UnknownRight,
            "this axis is missing on the left; rearranging adds no axis",
        ),
        (
            applied("a b -> b a", &[2, 3, 4], &[]),
            WrongRank { wanted: 2, rank: 3 },
            "the left side has 2 axes, but the rank is 3",
        ),
        (
            applied("a b ... -> ... b a", &[2], &[]),
            TooFewAxes { wanted: 2, rank: 1 },
            "the left side has 2 axes or more, but the rank is 1",
        ),
        (
            applied("a 1 -> a", &[2, 3], &[]),
            NotOne { axis: 1, len: 3 },
            "axis 1 is written as 1, but its length is 3",
        ),
        (
            applied("(a b) -> a b", &[6], &[]),
            TwoUnknown,
            "only one length of a group can be inferred; give this one",
        ),
        (
            applied("(a b) -> a b", &[6], &[("a", 4)]),
            Indivisible { axis: 0, len: 6, known: Some(4) },
            "axis 0 of length 6 cannot be split into parts of 4",
        ),
        (
            applied("(a b) -> a b", &[8], &[("a", 2), ("b", 2)]),
            WrongProduct { axis: 0, len: 8, product: Some(4) },
            "axis 0 has length 8, but its parts multiply to 4",
        ),
        (
            applied("a b -> b a", &[6, 2], &[("b", 5)]),
            WrongLength { axis: 1, len: 2, given: 5 },
            "axis 1 has length 2, but 5 was given for this name",
        ),
        (
            applied("a b -> b a", &[6, 2], &[("a", 6), ("c", 5)]),
            UnusedLength { name: "c".into() },
            "a length is given for \"c\", which is not in the pattern",
        ),
        (
            applied("a b -> b a", &[6, 2], &[("a", 6), ("b", 2), ("a", 6)]),
            LengthTwice,
            "two lengths are given for this axis",
        ),
    ]
}

/// All errors above with the kind of their group.
fn all() -> Vec<(LayoutError, String, ErrorKind)> {
    let groups = [
        (ErrorKind::Axis, axis_errors()),
        (ErrorKind::Index, index_errors()),
        (ErrorKind::Shape, shape_errors()),
        (ErrorKind::Value, value_errors()),
        (ErrorKind::View, view_errors()),
        (ErrorKind::View, reinterpret_errors()),
        (ErrorKind::Limit, limit_errors()),
    ];
    let mut all = Vec::new();
    for (kind, said) in groups {
        all.extend(said.into_iter().map(|(error, message)| (error, message.to_string(), kind)));
    }
    for (error, _, message) in pattern_errors() {
        // The pattern and the caret follow; the position of the caret is tested in `patterns.rs`.
        let said = error.to_string();
        let shown = said.strip_prefix(message).expect(message);
        all.push((error, format!("{message}{shown}"), ErrorKind::Pattern));
    }
    all
}

#[test]
fn every_error_has_its_message_and_kind() {
    for (error, message, kind) in all() {
        assert_eq!(error.to_string(), message);
        assert_eq!(error.kind(), kind, "{error}");
    }
}

/// `unwrap` and a `main` that returns an error print its `Debug`.
#[test]
fn debug_of_an_error_is_its_message() {
    for (error, message, _) in all() {
        assert_eq!((format!("{error:?}"), format!("{error:#?}")), (message.clone(), message));
        let (inner, text) = match &error {
            LayoutError::Reinterpret(inner) => (format!("{inner:?}"), inner.to_string()),
            LayoutError::Pattern(inner) => (format!("{inner:?}"), inner.to_string()),
            LayoutError::NeedsCopy(inner) => (format!("{inner:?}"), inner.to_string()),
            _ => continue,
        };
        assert_eq!(inner, text);
    }
}

#[test]
fn every_error_variant_can_occur() {
    let variants: HashSet<_> = all().iter().map(|(error, ..)| discriminant(error)).collect();
    assert_eq!(variants.len(), 37);
}

#[test]
fn every_reinterpretation_error_can_occur() {
    let mut variants = HashSet::new();
    for (error, message) in reinterpret_errors() {
        let LayoutError::Reinterpret(inner) = error else { panic!("{error:?}") };
        assert_eq!(inner.to_string(), message);
        variants.insert(discriminant(&inner));
    }
    assert_eq!(variants.len(), 8);
    let error = LayoutError::from(ReinterpretError::RankZero);
    assert_eq!(error.kind(), ErrorKind::View);
}

#[test]
fn every_pattern_error_can_occur() {
    let mut variants = HashSet::new();
    for (error, problem, message) in pattern_errors() {
        let LayoutError::Pattern(inner) = error else { panic!("{error:?}") };
        assert_eq!(inner.problem, problem);
        assert_eq!(inner.problem.to_string(), message);
        assert!(inner.to_string().starts_with(message));
        variants.insert(discriminant(&inner.problem));
    }
    assert_eq!(variants.len(), 22);
}

#[test]
fn every_message_is_lower_case_and_ends_without_a_full_stop() {
    for (_, message, _) in all() {
        let words = message.replace("isize::MAX", "");
        assert_eq!(words, words.to_lowercase());
        assert!(!message.trim_end().ends_with(['.', '!']), "{message}");
        assert!(!message.is_empty() && message.trim() == message, "{message:?}");
    }
}

/// The numbers in a text, signs left out.
fn numbers(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_digit());
    words.filter(|it| !it.is_empty()).map(str::to_string).collect()
}

/// The numbers in several values.
macro_rules! numbers {
    ($($value:expr),+) => { numbers(&[$(format!("{:?}", $value)),+].join(" ")) };
}

/// Returns the numbers that a message must contain: those of the error, except the ones written as words.
fn numbers_of(error: &LayoutError) -> BTreeSet<String> {
    use LayoutError as E;
    match error {
        E::RankTooHigh { rank } => numbers!(rank),
        E::TooManyElements { shape } => numbers!(shape),
        E::OffsetOutOfRange { start, shape, strides, reached } => {
            numbers!(start, shape, strides, reached)
        }
        E::OutsideMemory { from, to, memory } => numbers!(from, to, memory),
        E::ByteStride { stride, size } => numbers!(stride, size),
        E::StrideCount { n_lengths, n_strides } => numbers!(n_lengths, n_strides),
        E::AxisOutOfRange { rank: 0, axis } => numbers!(axis),
        E::AxisOutOfRange { rank, axis } => numbers!(axis, rank),
        E::RepeatedAxis { axis } => numbers!(axis),
        E::NotAPermutation { order, rank } => numbers!(order, rank),
        E::WrongRank { least: 0, most, rank, .. } => numbers!(most, rank),
        E::WrongRank { least, most, rank, .. } => {
            numbers!(if rank < least { least } else { most }, rank)
        }
        E::ArgumentCount { given, needed, .. } => numbers!(given, needed),
        E::IndexCount { given, rank } => numbers!(given, rank),
        E::IndexOutOfRange { index, axis, len } => numbers!(index, axis, len),
        E::PositionOutOfRange { position, n_elements } => numbers!(position, n_elements),
        E::RangeReversed { axis, start, end } => numbers!(axis, start, end),
        E::RangeOutOfRange { axis, start, count, len } => numbers!(axis, start, count, len),
        E::StepsOutOfRange { axis, start, count, step, len } => {
            numbers!(axis, start, count, step, len)
        }
        E::Zero { axis, .. } | E::NothingToKeep { axis } => numbers!(axis),
        E::TwoEllipses => BTreeSet::new(),
        E::WindowTooLong { axis, size, len } => numbers!(axis, size, len),
        E::AxesReversed { start, end } => numbers!(start, end),
        E::NotAUnitAxis { axis, len } => numbers!(axis, len),
        E::SizeMismatch { from, to } => numbers!(from, to),
        E::TwoOpenLengths { first, second } => numbers!(first, second),
        E::Negative { position, given, .. } => numbers!(position, given),
        E::Dims { asked, shape } => numbers!(asked, shape),
        E::NegativeLength { axis, len } => numbers!(axis, len),
        E::OpenLength { known: None, n_elements } => numbers!(n_elements),
        E::OpenLength { known, n_elements } => numbers!(known, n_elements),
        E::NotDivisible { axis, len, by } => numbers!(axis, len, by),
        E::NotContiguous { shape, strides } => numbers!(shape, strides),
        E::NeedsCopy(refusal) => {
            let (from, to, why) = (&refusal.from, &refusal.to, refusal.why);
            let (shape, strides) = (from.shape(), from.strides());
            numbers!(shape, strides, from.len(), to, why.stride, why.needed, why.new_axis)
        }
        E::BroadcastRank { operand, rank, wanted } => numbers!(operand, rank, wanted),
        E::DoesNotBroadcast { operand, axis, len, wanted } => numbers!(operand, axis, len, wanted),
        E::Reinterpret(error) => numbers_of_reinterpretation(*error),
        E::PaddingTooLarge { axis, before, after } => numbers!(axis, before, after),
        E::Pattern(error) => numbers!(error.problem),
        other => panic!("add the numbers of this error: {other}"),
    }
}

fn numbers_of_reinterpretation(error: ReinterpretError) -> BTreeSet<String> {
    use ReinterpretError as E;
    match error {
        E::Sizes { from, to } => numbers!(from, to),
        E::LastStride { stride } => numbers!(stride),
        E::Start { start, ratio } => numbers!(start, ratio),
        E::Stride { axis, stride, ratio } => numbers!(axis, stride, ratio),
        E::JoinedLength { len, n } => numbers!(len, n),
        E::TooSmall { ratio } => numbers!(ratio),
        E::LastLength { len, ratio } => numbers!(len, ratio),
        _ => BTreeSet::new(),
    }
}

#[test]
fn every_message_contains_the_values_of_its_error() {
    let mut n_numbers = 0;
    for (error, message, _) in all() {
        let (held, told) = (numbers_of(&error), numbers(&message));
        assert!(held.is_subset(&told), "{held:?}, but it says {message:?}");
        n_numbers += held.len();
    }
    assert!(n_numbers > 100, "only {n_numbers}");
}

#[test]
fn layout_error_implements_error() {
    fn ask() -> Result<usize, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Layout::row_major(&[3, 4])?.offset(&[3, 0])?)
    }
    assert_eq!(ask().unwrap_err().to_string(), "index 3 is out of range for axis 0 of length 3");
}

/// The cost of the copy is reported in elements, or in bytes if the element size is given.
#[test]
fn a_refusal_reports_the_cost_of_the_copy_in_bytes() {
    let LayoutError::NeedsCopy(refusal) = refused(row(&[3, 4]).t().unwrap().view([12])) else {
        panic!("another error");
    };
    assert!(refusal.to_string().contains("reshape([12]) copies 12 elements;"));
    assert!(refusal.with_element_size(4).to_string().contains("reshape([12]) copies 48 bytes;"));
    assert_eq!(
        refusal.why.to_string(),
        "axis 0 has stride 1; to merge with axis 1 it would need stride 12, \
         and new axis 0 crosses that seam"
    );
}

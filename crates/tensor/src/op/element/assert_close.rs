//! `assert_close!`: asserts that tensors are equal within a tolerance, and reports the differences.

use super::close::{Difference, Tolerance, for_each_difference};
use crate::dtype::NumberKind;
use crate::op::operand::Operand;
use crate::trace::Call;
use crate::view::Cell;
use crate::{Bool, Complex, DType, Element, Lens, Nested, ReadGuard, Tensor, Value, View};
use crate::{ViewMut, WriteGuard, bf16, f16};
use std::fmt;

/// Asserts that two tensors have one shape and that their elements are close: `|left - right| ≤ atol + rtol · |right|`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![0.5f32, 1.0, 2.0];
/// assert_close!(x.exp()?.log()?, x);
/// assert_close!(x.sqrt()?, [0.707, 1.0, 1.414], atol = 1e-3);
/// assert_close!(&x - &x, 0.0, rtol = 0.0, atol = 0.0);
/// assert_close!(tensor![f64::NAN], tensor![f64::NAN], equal_nan = true);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// Each side is a tensor, a view, a guard, a lens, a (nested) array, a vector or a slice, and is not moved. One of them
/// may be a number, which is compared with all elements. Dtypes may differ.
///
/// The options `rtol`, `atol` and `equal_nan` may be given in any order. Without them the tolerances are those of
/// PyTorch's `assert_close` for the less precise dtype: `float16` 10⁻³ and 10⁻⁵ (relative and absolute), `bfloat16`
/// 1.6 · 10⁻² and 10⁻⁵, `float32` and `complex64` 1.3 · 10⁻⁶ and 10⁻⁵, `float64` and `complex128` 10⁻⁷ and 10⁻⁷, and 0
/// for integers and `bool`. NaN is not close to NaN, as in `==`, unless `equal_nan` is true. Elements are compared as
/// `complex128`, as by [`Tensor::allclose`](crate::Tensor::allclose).
///
/// The message has the number of elements that differ, the largest differences, and the first few of them:
///
/// ```should_panic
/// # use belvedere::prelude::*;
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// assert_close!(x.t()?, x, rtol = 1e-3);
/// // assertion failed: `x.t()?` is not close to `x`
/// // 2 of 4 elements (50 %) differ by more than atol + rtol · |right|, with atol = 1e-7, rtol = 0.001
/// // largest absolute difference: 1.0 at [0, 1]: 3.0 against 2.0
/// // largest relative difference: 0.5 at [0, 1]: 3.0 against 2.0
/// // first differences:
/// //   [0, 1]: 3.0 against 2.0
/// //   [1, 0]: 2.0 against 3.0
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Panics
/// If the shapes differ, an element is not close, a guard holds an element for writing, or a tensor has no values.
#[macro_export]
macro_rules! assert_close {
    ($left:expr, $right:expr $(, $option:ident = $value:expr)* $(,)?) => {
        match (&$left, &$right) {
            (left, right) => $crate::Closeness::new(stringify!($left), stringify!($right))
                $(.$option($value))*
                .check($crate::CloseOperand::operand(left), $crate::CloseOperand::operand(right)),
        }
    };
}

/// The most differences that a report lists.
const MAX_LISTED: usize = 5;

/// A side of [`assert_close!`](crate::assert_close).
pub trait CloseOperand {
    /// Borrows the elements.
    #[doc(hidden)]
    fn operand(&self) -> Operand<'_>;
}

impl<C: CloseOperand + ?Sized> CloseOperand for &C {
    fn operand(&self) -> Operand<'_> {
        (**self).operand()
    }
}

impl CloseOperand for Tensor {
    fn operand(&self) -> Operand<'_> {
        self.into()
    }
}

impl CloseOperand for Lens {
    fn operand(&self) -> Operand<'_> {
        self.into()
    }
}

impl<T: Element> CloseOperand for View<'_, T> {
    fn operand(&self) -> Operand<'_> {
        self.into()
    }
}

impl<T: Element> CloseOperand for ViewMut<'_, T> {
    fn operand(&self) -> Operand<'_> {
        self.into()
    }
}

impl<T: Element> CloseOperand for ReadGuard<T> {
    fn operand(&self) -> Operand<'_> {
        self.view().into()
    }
}

impl<T: Element> CloseOperand for WriteGuard<T> {
    fn operand(&self) -> Operand<'_> {
        self.view().into()
    }
}

impl<N: Nested + Copy, const LEN: usize> CloseOperand for [N; LEN] {
    fn operand(&self) -> Operand<'_> {
        Tensor::from(*self).into()
    }
}

impl<T: Value> CloseOperand for [T] {
    fn operand(&self) -> Operand<'_> {
        Tensor::from(self).into()
    }
}

impl<T: Value> CloseOperand for Vec<T> {
    fn operand(&self) -> Operand<'_> {
        self.as_slice().operand()
    }
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl CloseOperand for $type {
            fn operand(&self) -> Operand<'_> {
                Cell::new(self.into_element()).into()
            }
        }
    )*};
}

numbers!(bool Bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);

/// The names and the options of an [`assert_close!`](crate::assert_close).
#[doc(hidden)]
#[must_use]
pub struct Closeness {
    left: &'static str,
    right: &'static str,
    rtol: Option<f64>,
    atol: Option<f64>,
    equal_nan: bool,
}

impl Closeness {
    #[doc(hidden)]
    pub fn new(left: &'static str, right: &'static str) -> Closeness {
        Closeness { left, right, rtol: None, atol: None, equal_nan: false }
    }

    #[doc(hidden)]
    pub fn rtol(self, rtol: f64) -> Closeness {
        Closeness { rtol: Some(rtol), ..self }
    }

    #[doc(hidden)]
    pub fn atol(self, atol: f64) -> Closeness {
        Closeness { atol: Some(atol), ..self }
    }

    #[doc(hidden)]
    pub fn equal_nan(self, equal_nan: bool) -> Closeness {
        Closeness { equal_nan, ..self }
    }

    /// Panics with a report unless the operands are close.
    #[doc(hidden)]
    #[track_caller]
    pub fn check(&self, left: Operand<'_>, right: Operand<'_>) {
        let Closeness { left: left_name, right: right_name, .. } = self;
        if let Some(report) = self.report([left, right]) {
            panic!("assertion failed: `{left_name}` is not close to `{right_name}`\n{report}");
        }
    }

    /// Returns why the operands are not close; `None` if they are.
    #[track_caller]
    fn report(&self, operands: [Operand<'_>; 2]) -> Option<String> {
        let shapes = [operands[0].shape(), operands[1].shape()];
        let [left, right] = &shapes;
        let shape = match (left.is_empty(), right.is_empty()) {
            (true, _) => right,
            (_, true) => left,
            _ if left == right => left,
            _ => return Some(format!("the shapes differ: {left:?} against {right:?}")),
        };
        let dtypes = operands.each_ref().map(|it| it.dtype().unwrap_or(DType::Float64));
        let [rtol, atol] = default_tolerances(dtypes);
        let (rtol, atol) = (self.rtol.unwrap_or(rtol), self.atol.unwrap_or(atol));
        let tolerance = Tolerance { rtol, atol, equal_nan: self.equal_nan };
        let mut report = CloseReport::new(dtypes, tolerance, shape.iter().product());
        let params = [("rtol", rtol.into()), ("atol", atol.into())];
        let call = Call::new("assert_close").with(&params);
        match for_each_difference(call, &operands, shape, tolerance, &mut |it| report.record(it)) {
            Ok(()) => (report.n_different > 0).then(|| report.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// Returns the default tolerances, relative and absolute, for operands of two dtypes.
fn default_tolerances(dtypes: [DType; 2]) -> [f64; 2] {
    let [a, b]: [[f64; 2]; 2] = dtypes.map(|dtype| match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_) => [0.0, 0.0],
        NumberKind::Float(2) => [1e-3, 1e-5],
        NumberKind::Brain(_) => [1.6e-2, 1e-5],
        NumberKind::Float(4) | NumberKind::Complex(8) => [1.3e-6, 1e-5],
        NumberKind::Float(_) | NumberKind::Complex(_) => [1e-7, 1e-7],
    });
    [a[0].max(b[0]), a[1].max(b[1])]
}

/// The differences between two operands of one shape.
struct CloseReport {
    dtypes: [DType; 2],
    tolerance: Tolerance,
    n_elements: usize,
    n_different: usize,
    /// The first differences, at most [`MAX_LISTED`].
    first: Vec<Difference>,
    largest_absolute: Option<Difference>,
    largest_relative: Option<Difference>,
}

impl CloseReport {
    fn new(dtypes: [DType; 2], tolerance: Tolerance, n_elements: usize) -> CloseReport {
        CloseReport {
            dtypes,
            tolerance,
            n_elements,
            n_different: 0,
            first: Vec::new(),
            largest_absolute: None,
            largest_relative: None,
        }
    }

    fn record(&mut self, here: Difference) {
        self.n_different += 1;
        keep_larger(&mut self.largest_absolute, &here, Difference::size);
        keep_larger(&mut self.largest_relative, &here, relative_size);
        if self.first.len() < MAX_LISTED {
            self.first.push(here);
        }
    }
}

/// Replaces a difference by a larger one.
fn keep_larger(kept: &mut Option<Difference>, here: &Difference, size: fn(&Difference) -> f64) {
    if kept.as_ref().is_none_or(|it| size(here) > size(it)) {
        *kept = Some(here.clone());
    }
}

/// Returns the difference relative to the right side, infinite if that is 0 or there is a NaN.
fn relative_size(it: &Difference) -> f64 {
    let size = it.size() / it.right.norm();
    if size.is_nan() { f64::INFINITY } else { size }
}

impl fmt::Display for CloseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CloseReport { n_different, n_elements, dtypes: [left, right], .. } = self;
        let Tolerance { rtol, atol, equal_nan } = self.tolerance;
        // At least a thousandth: a share of 0 % would be wrong.
        let share = 100.0 * *n_different as f64 / *n_elements as f64;
        let share = ((share * 1000.0).round() / 1000.0).max(0.001);
        write!(
            f,
            "{n_different} of {n_elements} elements ({share} %) differ by more than \
             atol + rtol · |right|, with atol = {atol:?}, rtol = {rtol:?}"
        )?;
        if left != right {
            write!(f, "\ndtypes: {left} against {right}")?;
        }
        if let Some(it) = &self.largest_absolute {
            let size = it.size();
            write!(f, "\nlargest absolute difference: {size:?} at {}", self.shown(it))?;
        }
        if let Some(it) = &self.largest_relative {
            let size = relative_size(it);
            write!(f, "\nlargest relative difference: {size:?} at {}", self.shown(it))?;
        }
        f.write_str("\nfirst differences:")?;
        for it in &self.first {
            write!(f, "\n  {}", self.shown(it))?;
        }
        let has_pair_of_nan = |it: &Difference| it.left.is_nan() && it.right.is_nan();
        if !equal_nan && self.first.iter().any(has_pair_of_nan) {
            f.write_str("\nNaN is close to NaN with `equal_nan = true`")?;
        }
        Ok(())
    }
}

impl CloseReport {
    /// Returns the index and both elements.
    fn shown(&self, it: &Difference) -> String {
        let [left, right] = self.dtypes;
        let (left, right) = (shown_element(it.left, left), shown_element(it.right, right));
        format!("{:?}: {left} against {right}", it.index)
    }
}

/// Returns an element with as many digits as its dtype has.
fn shown_element(value: Complex<f64>, dtype: DType) -> String {
    let is_single = matches!(dtype.kind(), NumberKind::Float(2 | 4) | NumberKind::Brain(_));
    match dtype.is_complex() {
        true => value.to_string(),
        false if is_single => format!("{:?}", value.re as f32),
        false if dtype.is_floating() => format!("{:?}", value.re),
        false => value.re.to_string(),
    }
}

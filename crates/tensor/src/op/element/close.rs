//! Comparison with a tolerance: `allclose`, which reports the differences, and `isclose`.

use crate::dtype::{Field, FieldTask, Number as _, Scalar as _};
use crate::kernel::body::Body;
use crate::kernel::map_lens::values;
use crate::op::elementwise::QuaternaryOp;
use crate::op::execute::read_operands;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, Param, composite, composite_into};
use crate::view::Source;
use crate::{Bool, Complex, DType, Element, Error, Shape, Tensor};
use belvedere_layout::{broadcast_shapes, unravel_index};
use std::fmt;

/// The result of [`Tensor::allclose`]: whether all elements are close, and if not, which are not.
///
/// ```
/// use belvedere::prelude::*;
///
/// let comparison = tensor![1.0, 2.0, 4.0].allclose(&tensor![1.0, 2.5, 9.0])?;
/// assert_eq!((comparison.n_elements, comparison.n_different), (3, 2));
/// assert_eq!(comparison.worst.unwrap().index, [2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The number of elements compared.
    pub n_elements: usize,
    /// The number of elements that differ by more than the tolerance.
    pub n_different: usize,
    /// The first difference in row-major order.
    pub first: Option<Difference>,
    /// The largest difference; a difference with NaN counts as infinite.
    pub worst: Option<Difference>,
}

/// A difference that [`Tensor::allclose`] found: two elements and their index.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The index of the two elements in the broadcast shape.
    pub index: Shape,
    /// The element on the left.
    pub left: Complex<f64>,
    /// The element on the right.
    pub right: Complex<f64>,
}

impl Comparison {
    /// Returns whether all elements are close.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, 2.0];
    /// assert!(x.allclose(&tensor![1.0, 2.0 + 1e-9])?.holds());
    /// assert!(!x.allclose(&tensor![1.0, 2.1])?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn holds(&self) -> bool {
        self.n_different == 0
    }
}

impl Difference {
    /// Returns the absolute difference, infinite if there is a NaN.
    pub(super) fn size(&self) -> f64 {
        let size = (self.left - self.right).norm();
        if size.is_nan() { f64::INFINITY } else { size }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { n_elements, n_different, first, worst } = self;
        let (Some(first), Some(worst)) = (first, worst) else {
            return write!(f, "all of {n_elements} elements are close");
        };
        write!(f, "{n_different} of {n_elements} elements differ; the first at {first}")?;
        if worst.index != first.index {
            write!(f, "; the most at {worst}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: ", self.index)?;
        match self.left.im == 0.0 && self.right.im == 0.0 {
            true => write!(f, "{} against {}", self.left.re, self.right.re),
            false => write!(f, "{} against {}", self.left, self.right),
        }
    }
}

impl Tensor {
    /// Compares with `other` elementwise, with NumPy's tolerances: a relative one of 1e-5 and an absolute one of 1e-8.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// assert!(x.allclose(&x.add(1e-9)?)?.holds());
    /// let comparison = x.allclose(&tensor![1.0, 2.5])?;
    /// assert_eq!(
    ///     comparison.to_string(),
    ///     "3 of 4 elements differ; the first at [0, 1]: 2 against 2.5; the most at [1, 0]: 3 against 1"
    /// );
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::allclose_with`].
    ///
    /// # Memory
    /// As for [`Tensor::allclose_with`].
    #[track_caller]
    pub fn allclose<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Comparison, Error> {
        self.allclose_with(other, RTOL, ATOL)
    }

    /// Compares with `other` elementwise, with a relative and an absolute tolerance.
    ///
    /// Two elements are close if they differ by at most `atol + rtol · |other|`, or are equal infinities. NaN
    /// is not close to anything.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, 2.0];
    /// assert!(x.allclose_with(&tensor![1.1, 2.2], 0.1, 0.0)?.holds());
    /// assert!(!x.allclose_with(&tensor![1.1, 2.2], 0.0, 0.1)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Elements are compared as `complex128`, so integers beyond 2^53 are rounded first.
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    ///
    /// # Memory
    /// Copies blocks of 8192 elements of each operand, one block at a time.
    #[track_caller]
    pub fn allclose_with<'a>(
        &self,
        other: impl Into<Operand<'a>>,
        rtol: f64,
        atol: f64,
    ) -> Result<Comparison, Error> {
        let mut operands: [Operand<'_>; 2] = [self.into(), other.into()];
        let shape = broadcast_shapes(&[&operands[0].shape(), &operands[1].shape()])?;
        operands[1].set_scalar_dtype(DType::Complex128)?;
        let params = [("rtol", rtol.into()), ("atol", atol.into())];
        let n_elements = shape.iter().product();
        let mut found = Comparison { n_elements, n_different: 0, first: None, worst: None };
        let tolerance = Tolerance { rtol, atol, equal_nan: false };
        let call = Call::new("allclose").with(&params);
        for_each_difference(call, &operands, &shape, tolerance, &mut |it| found.record(it))?;
        Ok(found)
    }
}

/// NumPy's relative tolerance.
const RTOL: f64 = 1e-5;
/// NumPy's absolute tolerance.
const ATOL: f64 = 1e-8;

/// By how much elements may differ that are close.
#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    pub rtol: f64,
    pub atol: f64,
    /// Whether NaN is close to NaN.
    pub equal_nan: bool,
}

impl Tolerance {
    /// Returns whether `x` is close to `y`.
    fn is_close(self, x: ComplexDouble, y: ComplexDouble) -> bool {
        x == y
            || (x - y).norm() <= self.atol + self.rtol * y.norm() && y.is_finite()
            || self.equal_nan && x.is_nan() && y.is_nan()
    }
}

/// Calls `f` for all elements that are not close, in row-major order. Both operands must broadcast to `shape`.
///
/// # Errors
/// If an operand is borrowed for writing by a guard, or has no values.
pub(super) fn for_each_difference(
    call: Call<'_>,
    operands: &[Operand<'_>; 2],
    shape: &[usize],
    tolerance: Tolerance,
    f: &mut dyn FnMut(Difference),
) -> Result<(), Error> {
    read_operands(call, operands, |views| {
        let [a, b] = views.map(Source::View);
        let (a, b) = (operands[0].stream(a, shape), operands[1].stream(b, shape));
        let len: usize = shape.iter().product();
        for from in (0..len).step_by(COMPARE_BLOCK_ELEMENTS) {
            let range = from..len.min(from + COMPARE_BLOCK_ELEMENTS);
            let (xs, ys) = (values(&a, range.clone()), values(&b, range.clone()));
            for ((flat, left), right) in range.zip(xs).zip(ys) {
                if !tolerance.is_close(left, right) {
                    let index = unravel_index(shape, flat);
                    let index = index.expect("the position is inside of the shape");
                    f(Difference { index, left, right });
                }
            }
        }
    })
}

/// The type that elements are compared in.
type ComplexDouble = Complex<f64>;

/// The number of elements in a block.
const COMPARE_BLOCK_ELEMENTS: usize = 1 << 13;

impl Comparison {
    /// Records two elements that differ.
    fn record(&mut self, here: Difference) {
        self.n_different += 1;
        if self.worst.as_ref().is_none_or(|worst| here.size() > worst.size()) {
            self.worst = Some(here.clone());
        }
        self.first.get_or_insert(here);
    }
}

const ISCLOSE: QuaternaryOp = operation!("isclose", Field by isclose_body::<false>);
const ISCLOSE_OR_NAN: QuaternaryOp = operation!("isclose", Field by isclose_body::<true>);

/// Returns the body of `isclose`. The tolerances are `float64` for every dtype.
fn isclose_body<const EQUAL_NAN: bool>(dtype: DType) -> Option<Body<'static, 5>> {
    struct IsClose<const EQUAL_NAN: bool>;

    impl<const EQUAL_NAN: bool> FieldTask for IsClose<EQUAL_NAN> {
        type Output = Body<'static, 5>;

        fn run<T: Element<Wide: Field>>(self) -> Body<'static, 5> {
            Body::quaternary(|x: T, y: T, rtol: f64, atol: f64| {
                let (x, y) = (x.widen(), y.widen());
                let is_near = x.minus(y).norm() <= atol + rtol * y.norm() && y.is_finite();
                let both_nan = EQUAL_NAN && x.is_nan() && y.is_nan();
                Bool::from(is_near || x == y || both_nan)
            })
        }
    }

    dtype.with_field(IsClose::<EQUAL_NAN>)
}

fn isclose_of(equal_nan: bool) -> QuaternaryOp {
    if equal_nan { ISCLOSE_OR_NAN } else { ISCLOSE }
}

/// Returns the parameters of `isclose` for events.
fn isclose_params(rtol: f64, atol: f64, equal_nan: bool) -> [(&'static str, Param<'static>); 3] {
    [("rtol", rtol.into()), ("atol", atol.into()), ("equal_nan", equal_nan.into())]
}

impl Tensor {
    /// Tests elementwise whether `self` and `other` are close, with the tolerances of [`Tensor::allclose`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, 2.0].isclose(&tensor![1.0 + 1e-9, 2.1])?;
    /// assert_eq!(x.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[doc = elementwise_doc!(several Field)]
    #[track_caller]
    pub fn isclose<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        self.isclose_with(other, RTOL, ATOL, false)
    }

    /// Tests elementwise whether `self` and `other` differ by at most `atol + rtol · |other|`.
    ///
    /// Equal infinities are close. NaN is not close to anything, or with `equal_nan` only to NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.0, 2.0].isclose_with(&tensor![1.0 + 1e-9, 2.1], 1e-5, 1e-8, false)?;
    /// assert_eq!(x.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[doc = elementwise_doc!(several Field)]
    #[track_caller]
    pub fn isclose_with<'a>(
        &self,
        other: impl Into<Operand<'a>>,
        rtol: f64,
        atol: f64,
        equal_nan: bool,
    ) -> Result<Tensor, Error> {
        let params = isclose_params(rtol, atol, equal_nan);
        let call = Call::new("isclose").with(&params);
        let other: Operand<'_> = other.into();
        composite(call, &[self.into(), other.clone()], || {
            isclose_of(equal_nan).compute([self.into(), other, rtol.into(), atol.into()])
        })
    }
}

#[doc = elementwise_doc!(into
    "[`Tensor::isclose_with`] of `x` and `y`",
    "one of them",
    elementwise_doc!(example into isclose_into
        (tensor![1.0, 2.0], &tensor![1.0 + 1e-9, 2.1], 1e-5, 1e-8, false => bool [true, false])
    )
)]
#[track_caller]
pub fn isclose_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let params = isclose_params(rtol, atol, equal_nan);
    let call = Call::new("isclose").with(&params);
    let (x, y): (Operand<'_>, Operand<'_>) = (x.into(), y.into());
    composite_into(call, &[x.clone(), y.clone()], out.into(), |out| {
        let operands = [x, y, rtol.into(), atol.into()];
        isclose_of(equal_nan).compute_into(operands, out, call)
    })
}

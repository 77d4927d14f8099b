//! Reshaping: the same elements, in the same row-major order, in another shape.
//!
//! **The problem.** Given a layout and a shape with the same number of elements: does a strided layout
//! of that shape exist that visits the same offsets in the same row-major order? If not, why not?
//!
//! **The rule.** Ignore axes of length 1. Between two adjacent axes there is a *seam* when the outer
//! stride is not the inner length times the inner stride. The *mark* of a seam is the number of
//! elements inside of it: the product of all lengths further in. A view exists if and only if every
//! mark is a product of the last few lengths of the new shape, that is, if each seam falls between two
//! new axes. The axes between two seams form a run, and new axes may divide a run in any way. No axis
//! can cross a seam: it would have a single stride on both sides of it, and the outer axis would have
//! the stride that makes it no seam.
//!
//! **The algorithm.** Both shapes are traversed from the innermost axis outwards. New axes fill a run
//! until their product is the length of the run; a product that exceeds it crosses a seam. This takes
//! multiplications only, no division and no allocation. A layout without seams, by far the most common
//! case, needs no matching: the strides are products of its single stride.
//!
//! A layout without elements can be viewed in every shape without elements.

use super::explain;
use crate::layout::{check_lengths, check_rank};
use crate::shape::{self, product};
use crate::{Axis, InlineVec, Integers, Layout, LayoutError, Shape};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// The result of a reshape: a view, or the reason why the elements must be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reshape {
    /// A view of the same memory.
    View(Layout),
    /// No strided view exists: a new axis would cross a seam.
    Copy {
        /// The seam, and the new axis that would cross it.
        why: Seam,
    },
}

impl Reshape {
    /// Returns the view, or `None` if a copy is needed.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// assert_eq!(columns.reshape([2, 2, 3])?.into_view().unwrap().strides(), [2, 1, 4]);
    /// assert_eq!(columns.reshape([12])?.into_view(), None);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn into_view(self) -> Option<Layout> {
        match self {
            Reshape::View(layout) => Some(layout),
            Reshape::Copy { .. } => None,
        }
    }
}

/// A seam: two adjacent axes that cannot be merged, and the axis of a new shape that would cross it.
///
/// Two axes can be merged if the outer stride is the inner length times the inner stride. Axes are
/// numbered as in the layout, those of length 1 included. A [`Refusal`] prints a seam with suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seam {
    /// The outer and the inner axis.
    pub axes: (usize, usize),
    /// The stride the outer axis has.
    pub stride: isize,
    /// The stride it would need: the inner length times the inner stride, which may exceed `isize`.
    pub needed: i128,
    /// The number of elements inside of the seam: the product of all lengths further in.
    pub mark: usize,
    /// The axis of the new shape that would cross the seam.
    pub new_axis: usize,
}

impl fmt::Display for Seam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (outer, inner) = self.axes;
        write!(f, "axis {outer} has stride {}; to merge with axis {inner} ", self.stride)?;
        write!(f, "it would need stride {}, and ", self.needed)?;
        write!(f, "new axis {} crosses that seam", self.new_axis)
    }
}

/// A reshape that cannot be a view: the layout, the requested shape and the seam it would cross.
///
/// It prints as an explanation of three lines. Shapes that *are* views are searched for only then.
///
/// ```
/// use belvedere_layout::{Layout, LayoutError};
///
/// let columns = Layout::row_major(&[3, 4])?.t()?;
/// let error = columns.view([6, 2]).unwrap_err();
/// assert_eq!(error.to_string(), "\
/// cannot view [4, 3] (strides [1, 4]) as [6, 2] without a copy
///   axis 0 has stride 1; to merge with axis 1 it would need stride 12 (3 · 4), and new axis 0 crosses that seam
///   reshape([6, 2]) copies 12 elements; views that keep the seam exist: [2, 2, 3], [4, 1, 3], [2, 2, 3, 1] …");
/// # Ok::<(), LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The layout to be reshaped.
    pub from: Layout,
    /// The requested shape.
    pub to: Shape,
    /// The seam that the requested shape would cross.
    pub why: Seam,
}

impl Refusal {
    /// Returns shapes similar to the requested one that are views.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, LayoutError};
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// let Err(LayoutError::NeedsCopy(refusal)) = columns.view([6, 2]) else { unreachable!() };
    /// assert_eq!(refusal.nearby()[0], [2, 2, 3]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn nearby(&self) -> Vec<Shape> {
        explain::nearby_views(&self.from, &self.to)
    }

    /// Returns the explanation with the cost of the copy in bytes, for elements of `size` bytes.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, LayoutError};
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// let Err(LayoutError::NeedsCopy(refusal)) = columns.view([6, 2]) else { unreachable!() };
    /// assert!(refusal.with_element_size(4).to_string().contains("copies 48 bytes"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn with_element_size(&self, size: usize) -> impl fmt::Display {
        core::fmt::from_fn(move |f| {
            let bytes = self.from.len() as u128 * size as u128;
            self.explain(f, bytes, "bytes")
        })
    }

    fn explain(&self, f: &mut fmt::Formatter<'_>, cost: u128, unit: &str) -> fmt::Result {
        let Refusal { from, to, why } = self;
        let ((outer, inner), Seam { stride, needed, new_axis, .. }) = (why.axes, why);
        // The fields are public: `why` may be a seam of another layout with more axes.
        let product = fmt::from_fn(|f| match from.axes().get(inner) {
            Some(Axis { len, stride }) => write!(f, " ({len} · {stride})"),
            None => Ok(()),
        });
        writeln!(
            f,
            "cannot view {:?} (strides {:?}) as {to:?} without a copy",
            from.shape(),
            from.strides()
        )?;
        writeln!(
            f,
            "  axis {outer} has stride {stride}; to merge with axis {inner} it would need \
             stride {needed}{product}, and new axis {new_axis} crosses that seam"
        )?;
        write!(f, "  reshape({to:?}) copies {cost} {unit}; views that keep the seam exist: ")?;
        let nearby = self.nearby();
        for (i, shape) in nearby.iter().enumerate() {
            write!(f, "{}{shape:?}", if i == 0 { "" } else { ", " })?;
        }
        write!(f, "{}", if nearby.len() == explain::N_SUGGESTIONS { " …" } else { "" })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain(f, self.from.len() as u128, "elements")
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Layout {
    /// Reshapes the layout, or explains why the new shape cannot be a view. One length may be -1 and is
    /// inferred.
    ///
    /// ```
    /// use belvedere_layout::{Layout, Reshape};
    ///
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// let Reshape::View(split) = columns.reshape([2, 2, -1])? else { panic!("splits are views") };
    /// assert_eq!(split.strides(), [2, 1, 4]);
    ///
    /// let Reshape::Copy { why } = columns.reshape([6, 2])? else { panic!("no such strides exist") };
    /// assert_eq!((why.axes, why.stride, why.needed, why.mark, why.new_axis), ((0, 1), 1, 12, 3, 0));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies: the result says whether a copy would be needed.
    ///
    /// # Errors
    /// When the shape has another number of elements, two lengths of -1, or too many axes. That a copy
    /// would be needed is not an error.
    #[inline]
    pub fn reshape(&self, shape: impl Integers) -> Result<Reshape, LayoutError> {
        match shape.as_lengths() {
            Some(shape) => self.reshape_to(shape),
            None => self.reshape_to(&self.resolve_shape(shape)?),
        }
    }

    /// Resolves a shape argument for this layout: infers a length of -1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[6, 4])?.resolve_shape([3, -1])?, [3, 8]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When two lengths are -1, a length is negative otherwise, or the length cannot be inferred.
    #[inline]
    pub fn resolve_shape(&self, lengths: impl Integers) -> Result<Shape, LayoutError> {
        shape::resolve(&lengths, self.len())
    }

    /// Returns the view with another shape, or an error if it would need a copy. One length may be -1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// assert_eq!(columns.view([2, 2, -1])?.strides(), [2, 1, 4]);
    /// assert!(columns.view([12]).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies. If no view exists, the error holds a [`Refusal`] that explains why.
    ///
    /// # Errors
    /// When no view exists, and as for [`reshape`](Layout::reshape).
    #[inline]
    pub fn view(&self, shape: impl Integers) -> Result<Layout, LayoutError> {
        match shape.as_lengths() {
            Some(shape) => self.view_as(shape),
            None => self.view_as(&self.resolve_shape(shape)?),
        }
    }

    /// Reshapes a contiguous layout, and returns an error for every other layout even if a view exists:
    /// GradCore-Tensor's `tensor_reshape`, for code that relies on contiguous memory.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// assert!(columns.view([2, 2, 3]).is_ok());
    /// assert!(columns.reshape_contiguous([2, 2, 3]).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies.
    ///
    /// # Errors
    /// When the layout is not contiguous, and as for [`reshape`](Layout::reshape).
    pub fn reshape_contiguous(&self, shape: impl Integers) -> Result<Layout, LayoutError> {
        let shape = self.resolve_shape(shape)?;
        self.check_same_len(&shape)?;
        if !self.is_contiguous() {
            let (shape, strides) = (self.shape()[..].into(), self.strides()[..].into());
            return Err(LayoutError::NotContiguous { shape, strides });
        }
        self.view_as(&shape)
    }

    /// Flattens axes `start` to `end` (inclusive) into one.
    ///
    /// A single axis stays as it is, and a scalar becomes an axis of length 1.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, Reshape};
    /// let layout = Layout::row_major(&[2, 3, 4, 5])?;
    /// let Reshape::View(flat) = layout.flatten(1, -1)? else { panic!("contiguous") };
    /// assert_eq!(flat.shape(), [2, 60]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies: the result says whether a copy would be needed.
    ///
    /// # Errors
    /// When an axis is out of range, or `end` comes before `start`.
    pub fn flatten(&self, start: isize, end: isize) -> Result<Reshape, LayoutError> {
        self.reshape_to(&self.flattened_shape(start, end)?)
    }

    /// Returns the view that flattens axes `start` to `end` (inclusive), or an error if it would need a
    /// copy: the strict [`flatten`](Layout::flatten).
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[4, 5, 6])?.narrow(1, 1, 3)?;
    /// assert_eq!(layout.merge(1, 2)?.strides(), [30, 1]);
    /// assert!(layout.merge(0, 1).is_err()); // the slice left gaps between planes
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies. If no view exists, the error holds a [`Refusal`] that explains why.
    ///
    /// # Errors
    /// When no view exists, and as for [`flatten`](Layout::flatten).
    #[inline]
    pub fn merge(&self, start: isize, end: isize) -> Result<Layout, LayoutError> {
        self.view_as(&self.flattened_shape(start, end)?)
    }

    /// Splits one axis into several; one of their lengths may be -1. The result is always a view.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let heads = Layout::row_major(&[2, 16, 512])?.unflatten(-1, [8, -1])?;
    /// assert_eq!(heads.shape(), [2, 16, 8, 64]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or the lengths do not multiply to its length.
    pub fn unflatten(&self, axis: isize, lengths: impl Integers) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let len = self.axes()[k].len;
        let parts = shape::resolve(&lengths, len)?;
        if product(&parts) != Some(len) {
            return Err(LayoutError::SizeMismatch { from: [len].into(), to: parts[..].into() });
        }
        let (axes, parts) = (self.axes(), &parts[..]);
        let shape = InlineVec::from_fn(axes.len() - 1 + parts.len(), move |i| match i {
            _ if i < k => axes[i].len,
            _ if i < k + parts.len() => parts[i - k],
            _ => axes[i + 1 - parts.len()].len,
        });
        self.view_as(&shape)
    }

    /// Splits one axis into blocks of `size`: an outer axis that counts the blocks and an inner axis
    /// within a block.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[12])?.split_axis(0, 4)?.shape(), [3, 4]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis is out of range or `size` does not divide its length.
    pub fn split_axis(&self, axis: isize, size: usize) -> Result<Layout, LayoutError> {
        let k = self.resolve_axis(axis)?;
        let len = self.axes()[k].len;
        if size == 0 || !len.is_multiple_of(size) {
            return Err(LayoutError::NotDivisible { axis: k, len, by: size });
        }
        self.unflatten(axis, [len / size, size])
    }

    /// Reshapes to a resolved shape.
    #[inline]
    pub(crate) fn reshape_to(&self, shape: &[usize]) -> Result<Reshape, LayoutError> {
        self.check_same_len(shape)?;
        if let Some(stride) = self.single_stride() {
            return Ok(Reshape::View(self.with_single_stride(shape, stride)));
        }
        match self.match_runs(shape) {
            Ok(view) => Ok(Reshape::View(view)),
            Err(why) => Ok(Reshape::Copy { why }),
        }
    }

    /// Returns the view with a resolved shape, or an error if it would need a copy.
    #[inline]
    fn view_as(&self, shape: &[usize]) -> Result<Layout, LayoutError> {
        self.check_same_len(shape)?;
        if let Some(stride) = self.single_stride() {
            return Ok(self.with_single_stride(shape, stride));
        }
        match self.match_runs(shape) {
            Ok(view) => Ok(view),
            Err(why) => Err(self.refused(shape, why)),
        }
    }

    /// Returns the single stride of a layout without seams, of which every shape is a view, or `None`.
    /// A layout without elements has no seams and stride 0.
    #[inline]
    fn single_stride(&self) -> Option<isize> {
        let mut outward = self.axes().iter().rev().filter(|it| it.len != 1);
        let Some(innermost) = outward.next() else { return Some(0) };
        let mut inner = innermost;
        for outer in outward {
            if !outer.continues_into(*inner) {
                return None;
            }
            inner = outer;
        }
        Some(innermost.stride)
    }

    /// Returns the view with `shape` of a layout with a single stride.
    #[inline(always)]
    fn with_single_stride(&self, shape: &[usize], mut stride: isize) -> Layout {
        let axes = InlineVec::from_fn(shape.len(), move |k| {
            let axis = Axis { len: shape[k], stride: if shape[k] == 1 { 0 } else { stride } };
            // Wrapping: outside of the outermost axis longer than 1 the product is not used.
            stride = stride.wrapping_mul(shape[k] as isize);
            axis
        });
        Layout::with_axes(self.start(), axes)
    }

    #[inline]
    fn check_same_len(&self, shape: &[usize]) -> Result<(), LayoutError> {
        check_rank(shape.len())?;
        let n_wanted = shape.iter().try_fold(1usize, |n, &len| n.checked_mul(len));
        match n_wanted {
            Some(n) if n == self.len() && n != 0 => Ok(()),
            // Without elements, the product of the lengths that are not 0 must still fit.
            _ if self.is_empty() && shape.contains(&0) => check_lengths(shape),
            _ => Err(self.size_mismatch(shape)),
        }
    }

    /// Returns the view with `shape`, which has the same number of elements, or the seam it crosses.
    #[inline(never)]
    fn match_runs(&self, shape: &[usize]) -> Result<Layout, Seam> {
        let mut axes = InlineVec::repeat(Axis::new(1, 0), shape.len());
        let mut k = shape.len();
        let mut mark = 1;
        for run in self.runs_inner_first() {
            mark *= run.len;
            let mut filled = 1;
            while filled < run.len {
                k -= 1;
                if shape[k] != 1 {
                    axes[k] = Axis { len: shape[k], stride: run.stride * filled as isize };
                    filled *= shape[k];
                }
            }
            if filled != run.len {
                return Err(self.seam_outside(run.first, mark, k));
            }
        }
        Ok(Layout::with_axes(self.start(), axes))
    }

    /// Returns the seam on the outer side of axis `inner`, which is the outermost one of its run.
    #[cold]
    fn seam_outside(&self, inner: usize, mark: usize, new_axis: usize) -> Seam {
        let outside = self.axes()[..inner].iter().rposition(|it| it.len != 1);
        let outer = outside.expect("a new axis that exceeds a run extends into the next one");
        Seam {
            axes: (outer, inner),
            stride: self.axes()[outer].stride,
            needed: self.axes()[inner].len as i128 * self.axes()[inner].stride as i128,
            mark,
            new_axis,
        }
    }

    #[inline]
    pub(crate) fn flattened_shape(&self, start: isize, end: isize) -> Result<Shape, LayoutError> {
        if self.rank() == 0 && (-1..=0).contains(&start) && (-1..=0).contains(&end) {
            return Ok(InlineVec::from([1]));
        }
        let (first, last) = (self.resolve_axis(start)?, self.resolve_axis(end)?);
        if first > last {
            return Err(LayoutError::AxesReversed { start, end });
        }
        let axes = self.axes();
        let merged = axes[first..=last].iter().map(|it| it.len).product();
        Ok(InlineVec::from_fn(axes.len() - (last - first), move |k| match k {
            _ if k < first => axes[k].len,
            _ if k == first => merged,
            _ => axes[k + last - first].len,
        }))
    }

    #[cold]
    fn refused(&self, shape: &[usize], why: Seam) -> LayoutError {
        LayoutError::NeedsCopy(Box::new(Refusal { from: self.clone(), to: shape.into(), why }))
    }

    #[cold]
    fn size_mismatch(&self, shape: &[usize]) -> LayoutError {
        LayoutError::SizeMismatch { from: self.shape()[..].into(), to: shape.into() }
    }
}

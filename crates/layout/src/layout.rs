//! `Axis`: a length and a stride; `Layout`: the affine map from an index to an element offset, its invariants,
//! constructors and bounds.

use crate::{InlineVec, Integers, LayoutError, MAX_RANK, Shape, Strides};
use core::ops::Range;

/// One axis (dimension) of a layout: its length and its stride.
///
/// Length and stride are one value, so that swapping, flipping and merging axes cannot update one of
/// two parallel lists and forget the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axis {
    /// The number of positions along the axis.
    pub len: usize,
    /// The distance in memory, in elements, between two adjacent positions. Negative for a flipped
    /// axis, 0 for a broadcast one.
    pub stride: isize,
}

impl Axis {
    /// Creates an axis of `len` positions that are `stride` elements apart.
    ///
    /// ```
    /// use belvedere_layout::{Axis, Layout};
    ///
    /// let row = Axis::new(4, 1);
    /// assert_eq!((row.len, row.stride), (4, 1));
    /// assert_eq!(Layout::row_major(&[3, 4])?.axes(), [Axis::new(3, 4), row]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub const fn new(len: usize, stride: isize) -> Axis {
        Axis { len, stride }
    }

    /// Returns the distance from the first position to the last, or `None` if it overflows `isize`.
    #[inline]
    pub(crate) fn checked_reach(self) -> Option<isize> {
        let n_steps = isize::try_from(self.len.saturating_sub(1)).ok()?;
        self.stride.checked_mul(n_steps)
    }

    /// Returns the distance from the first position to the last, for an axis of a valid layout.
    #[inline]
    pub(crate) fn reach(self) -> isize {
        // Invariant 1 of `Layout`: both ends are offsets, so their distance fits.
        self.stride * (self.len.max(1) - 1) as isize
    }

    /// Returns the axis of every `step`-th position, `len` of them. All of them must exist.
    #[inline]
    pub(crate) fn stepped(self, len: usize, step: isize) -> Axis {
        // With two positions or more the product is a distance within the axis and fits. With one,
        // `step` is never taken and may have any value.
        Axis { len, stride: if len > 1 { self.stride * step } else { 0 } }
    }

    /// Returns whether the `count` positions `first`, `first + step`, … are all on the axis.
    #[inline]
    pub(crate) fn contains_range(self, first: usize, count: usize, step: isize) -> bool {
        let Some(n_steps) = count.checked_sub(1) else { return true };
        if step == 1 {
            return first < self.len && n_steps < self.len - first;
        }
        let reach = isize::try_from(n_steps).ok().and_then(|n| step.checked_mul(n));
        let last = reach.and_then(|reach| first.checked_add_signed(reach));
        first < self.len && last.is_some_and(|last| last < self.len) && (step != 0 || count == 1)
    }

    /// Returns the axis in canonical form: with stride 0 if the layout it belongs to has no elements.
    #[inline]
    pub(crate) fn canonical_if_empty(self, is_empty: bool) -> Axis {
        Axis { len: self.len, stride: if is_empty { 0 } else { self.stride } }
    }

    /// Returns whether the two axes can be merged: one step along this axis is as long as all of
    /// `inner`.
    #[inline]
    pub(crate) fn continues_into(self, inner: Axis) -> bool {
        // `stride * len` may overflow although `stride * (len - 1)` fits. No stride equals it then.
        inner.stride.checked_mul(inner.len as isize) == Some(self.stride)
    }
}

/// The map from an index to an element offset: `start + Σ index[k] · axes[k].stride`.
///
/// Invariants, established by every constructor:
///
/// 1. Every offset is in `0..=isize::MAX`.
/// 2. The number of elements, and the product of any subset of the lengths, is at most `isize::MAX`.
/// 3. Values without effect are 0: the stride of an axis of length 1, and the start and all strides
///    of a layout without elements. Layouts that map every index to the same offset are therefore
///    `==`.
/// 4. There are at most [`MAX_RANK`] axes.
///
/// Rank 0 (a scalar, one element) and lengths of 0 (no elements) are valid.
///
/// ```
/// use belvedere_layout::Layout;
///
/// let rows = Layout::row_major(&[3, 4])?;
/// assert_eq!(rows.strides(), [4, 1]);
/// assert_eq!(rows.offset(&[1, 3])?, 7);
///
/// let columns = rows.transpose(0, 1)?;
/// assert_eq!(columns.shape(), [4, 3]);
/// assert_eq!(columns.strides(), [1, 4]);
/// assert_eq!(columns.offset(&[3, 1])?, 7);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    start: usize,
    axes: InlineVec<Axis>,
}

impl Layout {
    /// Creates a layout from the offset of its first element and its axes.
    ///
    /// ```
    /// # use belvedere_layout::{Axis, Layout};
    /// let layout = Layout::new(3, &[Axis::new(2, -1), Axis::new(2, 4)])?;
    /// assert!(layout.offsets().eq([3, 7, 2, 6]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there are more than [`MAX_RANK`] axes, or the number of elements or an offset exceeds
    /// `isize::MAX`, or an offset is negative.
    pub fn new(start: usize, axes: &[Axis]) -> Result<Layout, LayoutError> {
        Layout::from_axes(start, InlineVec::from(axes))
    }

    /// Creates the layout of rank 0 whose one element is at `start`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::scalar(7)?.offsets().eq([7]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When `start` exceeds `isize::MAX`.
    // Not through `new`: every value that a binding returns has this layout, and the checks of axes that do not exist
    // take longer than the rest.
    #[inline]
    pub fn scalar(start: usize) -> Result<Layout, LayoutError> {
        match start <= isize::MAX as usize {
            true => Ok(Layout::with_axes(start, InlineVec::new())),
            false => Err(LayoutError::out_of_range(start, &[])),
        }
    }

    /// Creates the row-major (C order) layout of a newly allocated tensor: the last axis has stride 1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[2, 2, 3])?.strides(), [6, 3, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there are more than [`MAX_RANK`] lengths, their product exceeds `isize::MAX`, or one is negative.
    #[inline]
    pub fn row_major(shape: impl Integers) -> Result<Layout, LayoutError> {
        match shape.as_lengths() {
            Some(shape) => Layout::row_major_of(shape),
            None => Layout::row_major_of(&shape.lengths("lengths")?),
        }
    }

    #[inline]
    fn row_major_of(shape: &[usize]) -> Result<Layout, LayoutError> {
        check_rank(shape.len())?;
        check_lengths(shape)?;
        Ok(Layout::dense(shape.len(), |k| shape[k]))
    }

    /// Returns the row-major layout of the same shape that starts at offset 0, as a newly allocated
    /// copy has it.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// assert_eq!(columns.to_row_major(), Layout::row_major(&[4, 3])?);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn to_row_major(&self) -> Layout {
        if self.is_contiguous() {
            return Layout::with_axes(0, self.axes.clone());
        }
        // Invariant 2 holds for `self`, and so for every layout of the same shape.
        let axes = self.axes();
        Layout::dense(axes.len(), |k| axes[k].len)
    }

    /// Creates the row-major layout of `rank` axes, axis `k` of length `len(k)`. Invariant 2 must hold.
    #[inline(always)]
    fn dense(rank: usize, len: impl Fn(usize) -> usize) -> Layout {
        let is_empty = (0..rank).any(|k| len(k) == 0);
        let mut inside = 1isize;
        let axes = InlineVec::from_fn(rank, move |k| {
            let stride = if is_empty || len(k) == 1 { 0 } else { inside };
            inside = inside.wrapping_mul(len(k) as isize);
            Axis { len: len(k), stride }
        });
        Layout::with_axes(0, axes)
    }

    /// Creates the column-major (Fortran order) layout: the first axis has stride 1.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::col_major(&[2, 3])?.strides(), [1, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Layout::row_major`].
    pub fn col_major(shape: impl Integers) -> Result<Layout, LayoutError> {
        let shape = shape.lengths("lengths")?;
        check_rank(shape.len())?;
        check_lengths(&shape)?;
        let lengths: Shape = shape.iter().rev().copied().collect();
        Ok(Layout::row_major(&lengths)?.reverse())
    }

    /// Creates a layout from a shape and strides in elements, which may be negative or 0.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let flipped = Layout::from_strides(4, &[5], &[-1])?;
    /// assert!(flipped.offsets().eq([4, 3, 2, 1, 0]));
    ///
    /// let error = Layout::from_strides(3, &[5], &[-1]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "shape [5] with strides [-1] from start 3 reaches offset -1, outside of 0..=isize::MAX"
    /// );
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the two lists differ in length, and as for [`Layout::new`].
    pub fn from_strides(
        start: usize,
        shape: impl Integers,
        strides: impl Integers,
    ) -> Result<Layout, LayoutError> {
        let (n_lengths, n_strides) = (shape.n_integers(), strides.n_integers());
        if n_lengths != n_strides {
            return Err(LayoutError::StrideCount { n_lengths, n_strides });
        }
        check_rank(n_lengths)?;
        let shape = shape.lengths("lengths")?;
        let axis = |k: usize| Axis { len: shape[k], stride: strides.signed_at(k) };
        Layout::from_axes(start, InlineVec::from_fn(n_lengths, axis))
    }

    /// Creates a layout from a shape and strides, and checks that it stays within a memory of `memory`
    /// elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let windows = Layout::as_strided(6, 0, &[4, 3], &[1, 1])?;
    /// assert!(windows.offsets().eq([0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]));
    ///
    /// let error = Layout::as_strided(6, 0, &[5, 3], &[1, 1]).unwrap_err();
    /// assert_eq!(error.to_string(), "the layout reaches offsets 0..7, but the memory holds 6 elements");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the layout reaches outside of the memory, and as for [`Layout::from_strides`].
    pub fn as_strided(
        memory: usize,
        start: usize,
        shape: impl Integers,
        strides: impl Integers,
    ) -> Result<Layout, LayoutError> {
        let layout = Layout::from_strides(start, shape, strides)?;
        layout.check_fits(memory)?;
        Ok(layout)
    }

    fn from_axes(start: usize, axes: InlineVec<Axis>) -> Result<Layout, LayoutError> {
        check_rank(axes.len())?;
        if checked_product(axes.iter().map(|it| it.len)).is_none() {
            let shape = axes.iter().map(|it| it.len).collect();
            return Err(LayoutError::TooManyElements { shape });
        }
        if axes.iter().all(|it| it.len != 0) && !reaches_fit(start, &axes) {
            return Err(LayoutError::out_of_range(start, &axes));
        }
        Ok(Layout::canonical(start, axes))
    }

    /// Creates a layout from axes that satisfy invariants 1, 2 and 4, and establishes invariant 3.
    #[inline]
    pub(crate) fn canonical(start: usize, mut axes: InlineVec<Axis>) -> Layout {
        let mut is_empty = false;
        for axis in axes.iter_mut() {
            is_empty |= axis.len == 0;
            if axis.len == 1 {
                axis.stride = 0;
            }
        }
        if is_empty { Layout::without_elements(axes) } else { Layout { start, axes } }
    }

    #[cold]
    pub(crate) fn without_elements(mut axes: InlineVec<Axis>) -> Layout {
        axes.iter_mut().for_each(|axis| axis.stride = 0);
        Layout { start: 0, axes }
    }

    /// Creates a layout from a start and axes that already satisfy all four invariants. This is
    /// checked in debug builds only.
    #[inline]
    pub(crate) fn with_axes(start: usize, axes: InlineVec<Axis>) -> Layout {
        debug_assert_eq!(Layout::new(start, &axes), Ok(Layout { start, axes: axes.clone() }));
        Layout { start, axes }
    }

    /// Returns the offset of the first element, or 0 if there are no elements.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, s};
    /// assert_eq!(Layout::row_major(&[3, 4])?.slice(&s![1.., 2..])?.start(), 6);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the axes, outermost first.
    ///
    /// ```
    /// # use belvedere_layout::{Axis, Layout};
    /// assert_eq!(Layout::row_major(&[3, 4])?.axes(), [Axis::new(3, 4), Axis::new(4, 1)]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns all axes as an array, if there are `N` of them, for a rank that is known when compiling.
    ///
    /// [`Layout::axes`] has to find out where the axes are stored, which depends on their number; here it follows from `N`.
    ///
    /// ```
    /// # use belvedere_layout::{Axis, Layout};
    /// let layout = Layout::row_major(&[3, 4])?;
    /// assert_eq!(layout.axes_array(), Some(&[Axis::new(3, 4), Axis::new(4, 1)]));
    /// assert_eq!(layout.axes_array::<1>(), None);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn axes_array<const N: usize>(&self) -> Option<&[Axis; N]> {
        self.axes.as_array()
    }

    #[inline]
    pub(crate) fn inline_axes(&self) -> &InlineVec<Axis> {
        &self.axes
    }

    /// Returns the number of axes.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[2, 3, 4])?.rank(), 3);
    /// assert_eq!(Layout::scalar(0)?.rank(), 0);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// Returns the number of elements: the product of all lengths.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[2, 3, 4])?.len(), 24);
    /// assert_eq!(Layout::scalar(0)?.len(), 1);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.axes.iter().map(|it| it.len).product()
    }

    /// Returns whether there are no elements: whether some length is 0.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::row_major(&[2, 0, 4])?.is_empty());
    /// assert!(!Layout::scalar(0)?.is_empty());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.axes.iter().any(|it| it.len == 0)
    }

    /// Returns whether the axes are stored inline, which they are up to rank 6: the layout owns no heap memory then.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert!(Layout::row_major(&[2; 6])?.is_inline());
    /// assert!(!Layout::row_major(&[2; 7])?.is_inline());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn is_inline(&self) -> bool {
        self.axes.is_inline()
    }

    /// Returns the length of each axis.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[3, 4])?.t()?.shape(), [4, 3]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn shape(&self) -> Shape {
        let axes = self.axes();
        InlineVec::from_fn(axes.len(), move |k| axes[k].len)
    }

    /// Returns the lengths of all axes as an array, for a rank that is known when compiling.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let [rows, columns] = Layout::row_major([3, 4])?.dims()?;
    /// assert_eq!((rows, columns), (3, 4));
    ///
    /// let error = Layout::row_major([3, 4])?.dims::<3>().unwrap_err();
    /// assert_eq!(error.to_string(), "expected 3 axes, got 2: shape [3, 4]");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the rank is not `N`.
    // Always inlined: a call that takes the address of the layout would make the compiler assume that every later store
    // of an element may change the layout.
    #[inline(always)]
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], LayoutError> {
        match self.axes_array::<N>() {
            Some(axes) => Ok(axes.map(|axis| axis.len)),
            None => Err(dims_error(N, self.clone())),
        }
    }

    /// Returns the stride of each axis, in elements.
    ///
    /// The stride of an axis of length 1 has no effect. It is reported as in a row-major layout: the
    /// length times the stride of the next axis, or, if all following axes have length 1 too, the
    /// stride of the innermost axis that is longer. A layout without elements reports the strides of
    /// the row-major layout of its shape.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let columns = Layout::row_major(&[3, 4])?.transpose(0, 1)?;
    /// assert_eq!(columns.view([4, 1, 3])?.strides(), [1, 12, 4]);
    /// assert_eq!(columns.view([1, 4, 3])?.strides(), [4, 1, 4]);
    /// assert_eq!(columns.view([4, 3, 1])?.strides(), [1, 4, 4]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn strides(&self) -> Strides {
        let mut strides: Strides = self.axes.iter().map(|it| it.stride).collect();
        let innermost = self.axes.iter().rev().find(|it| it.len > 1);
        let is_empty = self.is_empty();
        // The stride that a row-major layout would have at this axis.
        let mut row_major = if is_empty { 1 } else { innermost.map_or(1, |it| it.stride) };
        for (stride, axis) in strides.iter_mut().zip(self.axes()).rev() {
            if is_empty || axis.len == 1 {
                *stride = row_major;
            }
            row_major = stride.saturating_mul(axis.len.max(1) as isize);
        }
        strides
    }

    /// Returns the stride of each axis in bytes, for elements of `size` bytes, as NumPy reports them.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[2, 3])?.byte_strides(8)?, [24, 8]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When a byte stride does not fit in an `isize`.
    pub fn byte_strides(&self, size: usize) -> Result<Strides, LayoutError> {
        let mut strides = self.strides();
        for (stride, axis) in strides.iter_mut().zip(self.axes()) {
            let bytes = isize::try_from(size).ok().and_then(|size| stride.checked_mul(size));
            *stride = match bytes {
                Some(bytes) => bytes,
                // This stride has no effect, so an inexact value is acceptable.
                None if axis.len == 1 || self.is_empty() => isize::MAX,
                None => return Err(LayoutError::ByteStride { stride: *stride, size }),
            };
        }
        Ok(strides)
    }

    /// Returns the offset of the element at `index`.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?.narrow(0, 1, 2)?;
    /// assert_eq!(layout.offset(&[0, 2])?, 6); // the start is included
    /// assert!(layout.offset(&[2, 0]).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of indices is not the rank, or an index is out of range.
    pub fn offset(&self, index: &[usize]) -> Result<usize, LayoutError> {
        if index.len() != self.rank() {
            return Err(LayoutError::IndexCount { given: index.len(), rank: self.rank() });
        }
        let mut offset = self.start as isize;
        for (k, (&i, axis)) in index.iter().zip(self.axes()).enumerate() {
            if i >= axis.len {
                let index = i as i128;
                return Err(LayoutError::IndexOutOfRange { index, axis: k, len: axis.len });
            }
            offset += i as isize * axis.stride;
        }
        Ok(offset as usize)
    }

    /// Returns the offset of the element at `index`, or `None` if there is none.
    ///
    /// For element loops: with a constant number of indices the sum is unrolled, and no error is built.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let layout = Layout::row_major(&[3, 4])?;
    /// assert_eq!(layout.checked_offset([1, 2]), Some(6));
    /// assert_eq!(layout.checked_offset([1, 4]), None);
    /// assert_eq!(layout.checked_offset([1]), None);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn checked_offset<const N: usize>(&self, index: [usize; N]) -> Option<usize> {
        let axes = self.axes_array::<N>()?;
        let step = |k: usize| index[k] as isize * axes[k].stride;
        let is_in = |k: usize| index[k] < axes[k].len;
        // Not a loop over the axes: it is unrolled too late for the comparisons to be moved out of the caller's loop.
        let offset = match N {
            1 if is_in(0) => step(0),
            2 if is_in(0) && is_in(1) => step(0) + step(1),
            3 if is_in(0) && is_in(1) && is_in(2) => step(0) + step(1) + step(2),
            1..=3 => return None,
            _ if (0..N).all(is_in) => (0..N).map(step).sum(),
            _ => return None,
        };
        Some((self.start as isize + offset) as usize)
    }

    /// Resolves an axis argument that may count from the end: `-1` is the last axis.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// assert_eq!(Layout::row_major(&[3, 4])?.resolve_axis(-1)?, 1);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis.
    #[inline]
    pub fn resolve_axis(&self, axis: isize) -> Result<usize, LayoutError> {
        resolve_axis(axis, self.rank())
    }
}

// Bounds: the range of offsets that a layout reaches.
impl Layout {
    /// Returns the smallest range that contains every offset, or `0..0` if there are no elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let flipped = Layout::from_strides(9, &[4], &[-2])?;
    /// assert_eq!(flipped.span(), 3..10);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn span(&self) -> Range<usize> {
        if self.is_empty() {
            return 0..0;
        }
        let (mut lowest, mut highest) = (self.start() as isize, self.start() as isize);
        for axis in self.axes() {
            let reach = axis.reach();
            lowest += reach.min(0);
            highest += reach.max(0);
        }
        // The highest offset may be `isize::MAX`: add 1 in `usize`.
        lowest as usize..highest as usize + 1
    }

    /// Returns whether every offset is within a memory of `memory` elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let windows = Layout::row_major(&[6])?.windows(0, 3, 1)?;
    /// assert!(windows.fits(6) && !windows.fits(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    // Always inlined: called for every new view, whose fields are still in registers at that point. A
    // call would spill them.
    #[inline(always)]
    pub fn fits(&self, memory: usize) -> bool {
        let start = (false, self.start() as isize);
        let (is_empty, last) = self.inline_axes().fold(start, |(is_empty, last), axis| {
            (is_empty | (axis.len == 0), last + axis.reach().max(0))
        });
        is_empty || (last as usize) < memory
    }

    /// Returns an error if the layout reaches outside of a memory of `memory` elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let error = Layout::row_major(&[6])?.check_fits(5).unwrap_err();
    /// assert_eq!(error.to_string(), "the layout reaches offsets 0..6, but the memory holds 5 elements");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an offset is greater than or equal to `memory`.
    #[inline]
    pub fn check_fits(&self, memory: usize) -> Result<(), LayoutError> {
        if self.fits(memory) {
            return Ok(());
        }
        let Range { start: from, end: to } = self.span();
        Err(LayoutError::OutsideMemory { from, to, memory })
    }
}

/// Resolves an axis argument for `rank` axes; negative values count from the end.
#[inline]
pub(crate) fn resolve_axis(axis: isize, rank: usize) -> Result<usize, LayoutError> {
    let k = if axis < 0 { axis.wrapping_add(rank as isize) } else { axis };
    if k < 0 || k >= rank as isize {
        return Err(LayoutError::AxisOutOfRange { axis, rank });
    }
    Ok(k as usize)
}

/// Returns the error of a layout that does not have `asked` axes. It takes a copy: see `Layout::dims`.
#[cold]
#[inline(never)]
fn dims_error(asked: usize, layout: Layout) -> LayoutError {
    LayoutError::Dims { asked, shape: layout.shape().into() }
}

/// Returns the lengths as an array, if their number is `N`.
pub(crate) fn dims<const N: usize>(shape: &[usize]) -> Result<[usize; N], LayoutError> {
    shape.try_into().map_err(|_| LayoutError::Dims { asked: N, shape: shape.into() })
}

#[inline]
pub(crate) fn check_rank(rank: usize) -> Result<(), LayoutError> {
    if rank > MAX_RANK {
        return Err(LayoutError::RankTooHigh { rank });
    }
    Ok(())
}

/// Returns the product of all lengths that are not 0, or `None` if it exceeds `isize::MAX`
/// (invariant 2).
#[inline]
pub(crate) fn checked_product(lengths: impl Iterator<Item = usize>) -> Option<usize> {
    let mut product = 1isize;
    for len in lengths {
        product = product.checked_mul(isize::try_from(len.max(1)).ok()?)?;
    }
    Some(product as usize)
}

/// Returns an error if the product of all lengths that are not 0 exceeds `isize::MAX`.
#[inline]
pub(crate) fn check_lengths(shape: &[usize]) -> Result<(), LayoutError> {
    match checked_product(shape.iter().copied()) {
        Some(_) => Ok(()),
        None => Err(LayoutError::TooManyElements { shape: shape.into() }),
    }
}

/// Returns whether the lowest and the highest offset are in `0..=isize::MAX` (invariant 1).
fn reaches_fit(start: usize, axes: &[Axis]) -> bool {
    let ends = || {
        let mut lowest = isize::try_from(start).ok()?;
        let mut highest = lowest;
        for axis in axes {
            let reach = axis.checked_reach()?;
            lowest = lowest.checked_add(reach.min(0))?;
            highest = highest.checked_add(reach.max(0))?;
        }
        Some(lowest)
    };
    ends().is_some_and(|lowest| lowest >= 0)
}

//! Reinterpreting the same bytes as elements of another size.

use crate::layout::check_rank;
use crate::{Axis, InlineVec, Layout, LayoutError, ReinterpretError};

impl Layout {
    /// Reinterprets elements of `from` bytes as elements of `to` bytes, with PyTorch's rules: the last
    /// axis must be contiguous and changes its length; for larger elements the start, the other strides
    /// and the last length must be multiples of the ratio.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let words = Layout::row_major(&[3, 4])?;
    /// assert_eq!(words.reinterpret(4, 2)?.shape(), [3, 8]);
    /// assert_eq!(words.reinterpret(4, 8)?.strides(), [2, 1]);
    ///
    /// let error = words.narrow(1, 1, 2)?.reinterpret(4, 8).unwrap_err();
    /// assert_eq!(error.to_string(), "the first element is at offset 1, which is not a multiple of 2");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When a rule above is broken, neither size is a multiple of the other, or the result has more
    /// than `isize::MAX` elements.
    pub fn reinterpret(&self, from: usize, to: usize) -> Result<Layout, LayoutError> {
        if from == to && from != 0 {
            return Ok(self.clone());
        }
        if from == 0 || to == 0 || !(from.is_multiple_of(to) || to.is_multiple_of(from)) {
            return Err(ReinterpretError::Sizes { from, to }.into());
        }
        let Some(&last) = self.axes().last() else {
            return Err(ReinterpretError::RankZero.into());
        };
        if last.len > 1 && last.stride != 1 && !self.is_empty() {
            return Err(ReinterpretError::LastStride { stride: last.stride }.into());
        }
        if from > to { self.with_smaller(from / to) } else { self.with_larger(to / from) }
    }

    /// Splits each element into `n` smaller ones on a new last axis, such as complex numbers into pairs of
    /// reals.
    ///
    /// Works for any strides.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let complex = Layout::row_major(&[2, 3])?.t()?;
    /// let pairs = complex.split_elements(2)?;
    /// assert_eq!((pairs.shape(), pairs.strides()), ([3, 2, 2].into(), [2, 6, 1].into()));
    /// let imaginary = pairs.select(-1, 1)?;
    /// assert_eq!(imaginary.start(), 1);
    /// assert_eq!(pairs.join_elements(2)?, complex);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When `n` is 0, or an offset or the number of elements exceeds `isize::MAX`.
    pub fn split_elements(&self, n: usize) -> Result<Layout, LayoutError> {
        if n == 0 {
            return Err(LayoutError::Zero {
                what: "number of smaller elements",
                axis: self.rank(),
            });
        }
        check_rank(self.rank() + 1)?;
        let (start, axes) = self.scaled(n)?;
        Layout::new(start, &axes.with(self.rank(), Axis::new(n, 1)))
            .map_err(|_| ReinterpretError::TooSmall { ratio: n }.into())
    }

    /// Joins the `n` contiguous elements along the last axis into one element: the inverse of
    /// [`split_elements`](Layout::split_elements).
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let pairs = Layout::row_major(&[3, 2])?;
    /// assert_eq!(pairs.join_elements(2)?.shape(), [3]);
    /// assert!(pairs.t()?.join_elements(3).is_err()); // not contiguous
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the last axis does not have `n` contiguous elements, or the start or another stride is not a
    /// multiple of `n`.
    pub fn join_elements(&self, n: usize) -> Result<Layout, LayoutError> {
        let Some(&last) = self.axes().last() else {
            return Err(ReinterpretError::RankZero.into());
        };
        if last.len != n || n == 0 {
            return Err(ReinterpretError::JoinedLength { len: last.len, n }.into());
        }
        if n > 1 && last.stride != 1 && !self.is_empty() {
            return Err(ReinterpretError::LastStride { stride: last.stride }.into());
        }
        self.divided(n, self.inline_axes().without(self.rank() - 1))
    }

    fn with_smaller(&self, ratio: usize) -> Result<Layout, LayoutError> {
        let (start, mut axes) = self.scaled(ratio)?;
        let last = axes.len() - 1;
        let too_small = || LayoutError::from(ReinterpretError::TooSmall { ratio });
        let len = self.axes()[last].len.checked_mul(ratio).ok_or_else(too_small)?;
        axes[last] = Axis::new(len, 1);
        Layout::new(start, &axes).map_err(|_| too_small())
    }

    fn with_larger(&self, ratio: usize) -> Result<Layout, LayoutError> {
        let last = self.rank() - 1;
        let len = self.axes()[last].len;
        if !len.is_multiple_of(ratio) {
            return Err(ReinterpretError::LastLength { len, ratio }.into());
        }
        let mut larger = self.divided(ratio, self.axes()[..last].into())?.inline_axes().clone();
        larger.push(Axis::new(len / ratio, 1));
        Ok(Layout::canonical(self.start() / ratio, larger))
    }

    /// Returns the start and the axes in units of an `n`-th of an element.
    fn scaled(&self, n: usize) -> Result<(usize, InlineVec<Axis>), LayoutError> {
        let too_far = || LayoutError::from(ReinterpretError::TooSmall { ratio: n });
        let factor = isize::try_from(n).map_err(|_| too_far())?;
        let start = self.start().checked_mul(n).ok_or_else(too_far)?;
        let mut axes = self.inline_axes().clone();
        for axis in axes.iter_mut() {
            axis.stride = axis.stride.checked_mul(factor).ok_or_else(too_far)?;
        }
        Ok((start, axes))
    }

    /// Returns the layout of this start and `axes` in units of `n` elements.
    fn divided(&self, n: usize, mut axes: InlineVec<Axis>) -> Result<Layout, LayoutError> {
        if !self.start().is_multiple_of(n) {
            return Err(ReinterpretError::Start { start: self.start(), ratio: n }.into());
        }
        // `n` divides the length of an axis, or there are no elements: then every stride is 0.
        let ratio = n as isize;
        for (axis, it) in axes.iter_mut().enumerate() {
            if it.stride % ratio != 0 {
                return Err(ReinterpretError::Stride { axis, stride: it.stride, ratio: n }.into());
            }
            it.stride /= ratio;
        }
        Ok(Layout::canonical(self.start() / n, axes))
    }
}

//! `searchsorted` and `digitize`.

use crate::kernel::search::{self, SearchList};
use crate::op::execute::compute_new;
use crate::op::number::common_type;
use crate::op::operand::Operand;
use crate::plan::output_layout;
use crate::trace::{Call, composite};
use crate::{DType, Error, LayoutError, Tensor, s};

/// Where [`Tensor::searchsorted`] inserts a value among elements equal to it.
///
/// ```
/// use belvedere::Side;
///
/// assert_eq!("right".parse::<Side>()?, Side::Right);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before them: `a[i - 1] < value <= a[i]`.
    #[default]
    Left,
    /// After them: `a[i - 1] <= value < a[i]`.
    Right,
}

impl Tensor {
    /// Returns for each value the index at which inserting it keeps this sorted 1-D tensor sorted,
    /// as `int64`.
    ///
    /// The tensor must be sorted in ascending order, with NaNs greater than all numbers, as by
    /// [`Tensor::sort`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::Side;
    ///
    /// let list = tensor![1, 3, 3, 7];
    /// let values = tensor![[0, 3], [4, 9]];
    /// assert_eq!(list.searchsorted(&values, Side::Left)?.to_vec::<i64>()?, [0, 1, 3, 4]);
    /// assert_eq!(list.searchsorted(&values, Side::Right)?.to_vec::<i64>()?, [0, 3, 3, 4]);
    /// assert_eq!(list.searchsorted(5, Side::Left)?.item::<i64>()?, 3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if this tensor is not 1-D, or memory cannot be allocated.
    ///
    /// # Memory
    /// The result is a new tensor. This tensor is copied if it has to be cast to the common dtype.
    #[track_caller]
    pub fn searchsorted<'a>(
        &self,
        values: impl Into<Operand<'a>>,
        side: Side,
    ) -> Result<Tensor, Error> {
        let params = [("side", side.name().into())];
        let call = Call::new("searchsorted").with(&params);
        let search = SortedSearch::new(self, values.into(), call)?;
        let layout = search.output_layout()?;
        let inputs = [search.sorted, search.values];
        compute_new(call, layout, DType::Int64, &inputs, |out, [list, values]| {
            let list = SearchList { values: &list, sorter: None, is_right: side == Side::Right };
            search::search(out, values, list)
        })
    }

    /// Returns [`Tensor::searchsorted`] in a tensor that is sorted when indexed with `sorter`, such
    /// as the result of [`Tensor::argsort`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::Side;
    ///
    /// let list = tensor![7, 1, 3];
    /// let at = list.searchsorted_by(&tensor![2, 8], Side::Left, &list.argsort(0)?)?;
    /// assert_eq!(at.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::searchsorted`]. Also fails if `sorter` has another shape than this tensor,
    /// is not of an integer dtype, or contains an index out of range.
    ///
    /// # Memory
    /// As for [`Tensor::searchsorted`]. `sorter` is copied if its dtype is not `int64`.
    #[track_caller]
    pub fn searchsorted_by<'a>(
        &self,
        values: impl Into<Operand<'a>>,
        side: Side,
        sorter: &Tensor,
    ) -> Result<Tensor, Error> {
        let params = [("side", side.name().into())];
        let call = Call::new("searchsorted").with(&params);
        let values = values.into();
        composite(call, &[self.into(), values.clone(), sorter.into()], || {
            let search = SortedSearch::new(self, values, call)?;
            self.check_sorter(sorter, call)?;
            let sorter = Operand::from(sorter).into_dtype(DType::Int64, call)?;
            let layout = search.output_layout()?;
            let inputs = [search.sorted, search.values, sorter];
            compute_new(call, layout, DType::Int64, &inputs, |out, [list, values, sorter]| {
                let is_right = side == Side::Right;
                let list = SearchList { values: &list, sorter: Some(&sorter), is_right };
                search::search(out, values, list)
            })
        })
    }

    /// Checks that `sorter` holds valid indices into this tensor.
    fn check_sorter(&self, sorter: &Tensor, call: Call<'_>) -> Result<(), Error> {
        if sorter.shape() != self.shape() {
            let (needed, given) = (self.shape().into(), sorter.shape().into());
            return Err(Error::ShapeMismatch { op: call.op, needed, given });
        }
        if !sorter.dtype().is_integer() {
            return Err(Error::Cast { from: sorter.dtype(), to: DType::Int64 });
        }
        if sorter.is_empty() || sorter.storage().is_meta() {
            return Ok(());
        }
        // Casting to `int64` makes `uint64` indices above its maximum negative, so they are out of range.
        let extremes = [sorter.min(())?, sorter.max(())?];
        for index in extremes {
            let (index, len) = (index.astype(DType::Int64)?.item::<i64>()?, self.len());
            if !usize::try_from(index).is_ok_and(|index| index < len) {
                let index = index as i128;
                return Err(LayoutError::IndexOutOfRange { index, axis: 0, len }.into());
            }
        }
        Ok(())
    }

    /// Returns for each element the index of the bin it belongs to, as `int64`.
    ///
    /// `bins` are the edges: 1-D, and ascending or descending. For ascending edges, bin `i` is
    /// `bins[i - 1] <= x < bins[i]`, or `bins[i - 1] < x <= bins[i]` if `right` is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![0.2, 6.4, 3.0, 1.6];
    /// let bins = tensor![0.0, 1.0, 2.5, 4.0, 10.0];
    /// assert_eq!(x.digitize(&bins, false)?.to_vec::<i64>()?, [1, 4, 3, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `bins` is neither ascending nor descending, is not 1-D, or is complex.
    ///
    /// # Memory
    /// The result is a new tensor. `bins` is copied if it has to be cast to the common dtype.
    #[track_caller]
    pub fn digitize(&self, bins: &Tensor, right: bool) -> Result<Tensor, Error> {
        let params = [("right", right.into())];
        let call = Call::new("digitize").with(&params);
        composite(call, &[self.into(), bins.into()], || {
            check_1d(bins, call.op)?;
            let side = if right { Side::Left } else { Side::Right };
            // The result has the same shape for ascending and descending edges.
            if bins.storage().is_meta() {
                return bins.searchsorted(self, side);
            }
            let (lower, upper) = (bins.slice(s![..-1])?, bins.slice(s![1..])?);
            if lower.less_equal(&upper)?.all(())?.item::<bool>()? {
                return bins.searchsorted(self, side);
            }
            if !lower.greater_equal(&upper)?.all(())?.item::<bool>()? {
                let descents = lower.greater(&upper)?.astype(DType::Int64)?.sum(())?;
                let (needs, given) = ("ascending or descending edges", descents.item::<i64>()?);
                return Err(Error::Argument { op: call.op, needs, given: given.into() });
            }
            let at = bins.flip(&[0])?.searchsorted(self, side)?;
            at.mul_assign(-1)?;
            at.add_assign(bins.len() as i64)?;
            Ok(at)
        })
    }
}

/// A sorted 1-D tensor and the values to search for, ready for the kernel.
struct SortedSearch<'a> {
    sorted: Operand<'a>,
    values: Operand<'a>,
}

impl<'a> SortedSearch<'a> {
    fn new(
        list: &'a Tensor,
        values: Operand<'a>,
        call: Call<'_>,
    ) -> Result<SortedSearch<'a>, Error> {
        check_1d(list, call.op)?;
        let list = Operand::from(list);
        let dtype = common_type(&[&list, &values]);
        let list = list.into_dtype(dtype, call)?;
        Ok(SortedSearch { sorted: list, values: values.into_strided(dtype, call)? })
    }

    /// Returns the layout of the result.
    fn output_layout(&self) -> Result<crate::Layout, Error> {
        output_layout(&self.values.shape(), &[self.values.memory_layout()])
    }
}

/// Checks that `x` is 1-D.
pub(super) fn check_1d(x: &Tensor, op: &'static str) -> Result<(), Error> {
    if x.rank() != 1 {
        let needs = "a tensor of rank 1";
        return Err(Error::Argument { op, needs, given: x.rank().into() });
    }
    Ok(())
}

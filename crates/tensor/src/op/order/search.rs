//! Places in sorted lists.

use crate::kernel::search::{List, search};
use crate::op::number::common_type;
use crate::op::operand::Operand;
use crate::op::settled::Settled;
use crate::plan::output_layout;
use crate::view::{Call, fresh};
use crate::{DType, Error, LayoutError, Tensor, s};
use std::panic::Location;

/// Where a value goes among those that are equal to it, for [`Tensor::searchsorted`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before them.
    #[default]
    Left,
    /// Behind them.
    Right,
}

impl Tensor {
    /// For each value, the position in this list at which it would have to be put so that the list stays
    /// in order. The list has one axis and ascends; NaNs are greater than all numbers, as
    /// [`Tensor::sort`] has them.
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
    /// If the list does not have one axis, or there is not enough memory.
    ///
    /// # Memory
    /// The result is new. The list is copied if it has to be converted to meet the type of the values.
    #[track_caller]
    pub fn searchsorted<'a>(
        &self,
        values: impl Into<Operand<'a>>,
        side: Side,
    ) -> Result<Tensor, Error> {
        let call = Call { op: "searchsorted", caller: Location::caller() };
        let found = Search::new(self, values.into(), call)?;
        let inputs = [found.values.input(), found.list.input()];
        fresh(found.layout()?, DType::Int64, inputs, |out, [values, list]| {
            let list = List { values: &list, sorter: None, is_behind: side == Side::Right };
            search(out, values, list)
        })
    }

    /// [`Tensor::searchsorted`] in a list that is in order only when its elements are taken at the
    /// positions of `sorter`, such as [`Tensor::argsort`] gives.
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
    /// As for that; and if `sorter` does not have the shape of the list, is not of integers, or has
    /// a position that the list has not.
    ///
    /// # Memory
    /// As for that; `sorter` is copied if it is not `int64`.
    #[track_caller]
    pub fn searchsorted_by<'a>(
        &self,
        values: impl Into<Operand<'a>>,
        side: Side,
        sorter: &Tensor,
    ) -> Result<Tensor, Error> {
        let call = Call { op: "searchsorted", caller: Location::caller() };
        let found = Search::new(self, values.into(), call)?;
        self.check_sorter(sorter, call)?;
        let sorter = Settled::of_type(sorter.into(), DType::Int64, call)?;
        let inputs = [found.values.input(), found.list.input(), sorter.input()];
        fresh(found.layout()?, DType::Int64, inputs, |out, [values, list, sorter]| {
            let is_behind = side == Side::Right;
            search(out, values, List { values: &list, sorter: Some(&sorter), is_behind })
        })
    }

    fn check_sorter(&self, sorter: &Tensor, call: Call) -> Result<(), Error> {
        if sorter.shape() != self.shape() {
            let (needed, given) = (self.shape().into(), sorter.shape().into());
            return Err(Error::ShapeMismatch { op: call.op, needed, given });
        }
        if !sorter.dtype().is_integer() {
            return Err(Error::Cast { from: sorter.dtype(), to: DType::Int64 });
        }
        if sorter.is_empty() {
            return Ok(());
        }
        // Positions beyond `int64` become negative.
        let ends = [sorter.min(())?, sorter.max(())?];
        for end in ends {
            let (at, len) = (end.astype(DType::Int64)?.item::<i64>()?, self.len());
            if !usize::try_from(at).is_ok_and(|at| at < len) {
                let index = at as i128;
                return Err(LayoutError::IndexOutOfRange { index, axis: 0, len }.into());
            }
        }
        Ok(())
    }

    /// For each element, the number of the bin it is in: between the edges before and behind that
    /// position of `bins`. A bin holds its lower edge, or, if `right`, its upper one. The edges have one
    /// axis and ascend, or descend: then bins count from the greatest on.
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
    /// If the edges neither ascend nor descend, do not have one axis, or are complex.
    ///
    /// # Memory
    /// The result is new. The edges are copied if they have to be converted to meet the type of the elements.
    #[track_caller]
    pub fn digitize(&self, bins: &Tensor, right: bool) -> Result<Tensor, Error> {
        check_list(bins, "digitize")?;
        let (before, behind) = (bins.slice(s![..-1])?, bins.slice(s![1..])?);
        let side = if right { Side::Left } else { Side::Right };
        if before.less_equal(&behind)?.all(())?.item::<bool>()? {
            return bins.searchsorted(self, side);
        }
        if !before.greater_equal(&behind)?.all(())?.item::<bool>()? {
            let falls = before.greater(&behind)?.astype(DType::Int64)?.sum(())?.item::<i64>()?;
            let needs = "edges that ascend or descend all the way";
            return Err(Error::Argument { op: "digitize", needs, given: falls as f64 });
        }
        let at = bins.flip(&[0])?.searchsorted(self, side)?;
        at.mul_assign(-1)?;
        at.add_assign(bins.len() as i64)?;
        Ok(at)
    }
}

/// A list and the values that are looked for in it.
struct Search<'a> {
    list: Settled<'a>,
    values: Settled<'a>,
}

impl<'a> Search<'a> {
    fn new(list: &'a Tensor, values: Operand<'a>, call: Call) -> Result<Search<'a>, Error> {
        check_list(list, call.op)?;
        let list = Operand::from(list);
        let dtype = common_type(&[&list, &values]);
        let list = Settled::of_type(list, dtype, call)?;
        Ok(Search { list, values: Settled::as_it_is(values, dtype, call)? })
    }

    fn layout(&self) -> Result<crate::Layout, Error> {
        let input = self.values.input();
        output_layout(&self.values.shape(), &[input.layout()])
    }
}

/// Refuses what is not a list.
pub(super) fn check_list(list: &Tensor, op: &'static str) -> Result<(), Error> {
    if list.rank() != 1 {
        let needs = "a list, which has one axis";
        return Err(Error::Argument { op, needs, given: list.rank() as f64 });
    }
    Ok(())
}

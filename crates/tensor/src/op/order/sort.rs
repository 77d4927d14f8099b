//! Elements in order along an axis, and the positions that put them there.

use crate::dtype::Kind;
use crate::kernel::sort::{Extent, Sorting, argsort, sort, sort_in_place};
use crate::op::number::common_type;
use crate::op::operand::{Operand, Target};
use crate::op::settled::Settled;
use crate::plan::output_layout;
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Call, Output, Same, Source, Written, fresh, into};
use crate::{DType, Error, Layout, LayoutError, Tensor};
use std::panic::Location;

/// An axis to sort along, and in which order.
///
/// Sorts take `impl Into<Along>`: a number for ascending order, counted from the end if it is negative, or
/// [`descending`] of it.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::descending;
///
/// let x = tensor![[3, 1], [2, 4]];
/// assert_eq!(x.sort(0)?.to_vec::<i32>()?, [2, 1, 3, 4]);
/// assert_eq!(x.sort(descending(-1))?.to_vec::<i32>()?, [3, 1, 4, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    axis: isize,
    is_descending: bool,
}

/// An axis along which the greatest element comes first.
pub fn descending(axis: isize) -> Along {
    Along { axis, is_descending: true }
}

impl From<isize> for Along {
    fn from(axis: isize) -> Along {
        Along { axis, is_descending: false }
    }
}

/// Some elements and where they were, by [`Tensor::topk`].
#[derive(Clone, Debug)]
pub struct TopK {
    /// The elements, in order.
    pub values: Tensor,
    /// Their positions along the axis, as `int64`.
    pub indices: Tensor,
}

impl Tensor {
    /// The elements along an axis in order. Equal ones stay in the order they are in, also in descending order:
    /// zeros of either sign are equal, and so are NaNs, which are greater than all numbers. Complex
    /// numbers are sorted by their real and then by their imaginary parts.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::descending;
    ///
    /// let x = tensor![[3, 1, 2], [9, 8, 7]];
    /// assert_eq!(x.sort(-1)?.to_vec::<i32>()?, [1, 2, 3, 7, 8, 9]);
    /// assert_eq!(x.sort(descending(0))?.to_vec::<i32>()?, [9, 8, 7, 3, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or not enough memory.
    ///
    /// # Memory
    /// Always makes a new tensor.
    #[track_caller]
    pub fn sort(&self, along: impl Into<Along>) -> Result<Tensor, Error> {
        Request::new("sort", self.into(), along.into(), Extent::Whole)?.values()
    }

    /// The positions along an axis at which the elements in order are: those of equal elements
    /// ascend. What is equal, and where NaNs go, is as for [`Tensor::sort`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::descending;
    ///
    /// let x = tensor![2, 1, 2, 3];
    /// assert_eq!(x.argsort(0)?.to_vec::<i64>()?, [1, 0, 2, 3]);
    /// assert_eq!(x.argsort(descending(0))?.to_vec::<i64>()?, [3, 0, 2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or not enough memory.
    ///
    /// # Memory
    /// Always makes a new tensor.
    #[track_caller]
    pub fn argsort(&self, along: impl Into<Along>) -> Result<Tensor, Error> {
        Request::new("argsort", self.into(), along.into(), Extent::Whole)?.positions()
    }

    /// Puts the elements along an axis in order where they are: [`Tensor::sort`] in place.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[3, 1], [2, 0]];
    /// x.t()?.sort_assign(-1)?;
    /// assert_eq!(x.to_vec::<i32>()?, [2, 0, 3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, not enough memory, or the tensor cannot be written to.
    ///
    /// # Memory
    /// The keys of one lane for each thread, and as many again.
    #[track_caller]
    pub fn sort_assign(&self, along: impl Into<Along>) -> Result<(), Error> {
        let Request { call, how, .. } =
            Request::new("sort", self.into(), along.into(), Extent::Whole)?;
        into(call, Output::Tensor(self), [], Same::Refuse, |out, []| sort_in_place(out, how))
    }

    /// The `k` greatest elements along an axis, the greatest first, and where they are. It is the
    /// beginning of what [`Tensor::sort`] and [`Tensor::argsort`] in descending order give, and takes
    /// less time.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let top = tensor![[1, 9, 5], [7, 7, 8]].topk(2, -1)?;
    /// assert_eq!(top.values.to_vec::<i32>()?, [9, 5, 8, 7]);
    /// assert_eq!(top.indices.to_vec::<i64>()?, [1, 2, 2, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, it has fewer than `k` elements, or there is not enough memory.
    ///
    /// # Memory
    /// Always makes new tensors.
    #[track_caller]
    pub fn topk(&self, k: usize, axis: isize) -> Result<TopK, Error> {
        self.first(k, descending(axis))
    }

    /// The `k` least elements along an axis, the least first, and where they are:
    /// [`Tensor::topk`] from the other end.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let least = tensor![1.5, f64::NAN, -2.0].topk_least(2, 0)?;
    /// assert_eq!(least.values.to_vec::<f64>()?, [-2.0, 1.5]);
    /// assert_eq!(least.indices.to_vec::<i64>()?, [2, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::topk`].
    ///
    /// # Memory
    /// Always makes new tensors.
    #[track_caller]
    pub fn topk_least(&self, k: usize, axis: isize) -> Result<TopK, Error> {
        self.first(k, axis.into())
    }

    #[track_caller]
    fn first(&self, k: usize, along: Along) -> Result<TopK, Error> {
        let request = Request::new("topk", self.into(), along, Extent::First(k))?;
        if k > self.shape()[request.how.axis] {
            let needs = "no more elements than there are along the axis";
            return Err(Error::Argument { op: "topk", needs, given: k as f64 });
        }
        Ok(TopK { values: request.values()?, indices: request.positions()? })
    }

    /// The elements along an axis, with the one at position `kth` where it would be in order: what comes
    /// before it is not greater, and what comes behind it is not smaller. A negative position counts
    /// from the end.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![9, 4, 7, 1, 8].partition(2, 0)?;
    /// assert_eq!(x.get::<i32>(&[2])?, 7);
    /// assert_eq!(x.slice(s![..2])?.max(())?.item::<i32>()?, 4);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or position, or not enough memory.
    ///
    /// # Memory
    /// Always makes a new tensor.
    #[track_caller]
    pub fn partition(&self, kth: isize, axis: isize) -> Result<Tensor, Error> {
        self.around(kth, axis)?.values()
    }

    /// The positions along an axis at which the elements of [`Tensor::partition`] are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let at = tensor![9, 4, 7, 1, 8].argpartition(-1, 0)?;
    /// assert_eq!(at.get::<i64>(&[4])?, 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis or position, or not enough memory.
    ///
    /// # Memory
    /// Always makes a new tensor.
    #[track_caller]
    pub fn argpartition(&self, kth: isize, axis: isize) -> Result<Tensor, Error> {
        self.around(kth, axis)?.positions()
    }

    #[track_caller]
    fn around(&self, kth: isize, axis: isize) -> Result<Request<'_>, Error> {
        let at = self.layout().resolve_axis(axis)?;
        let len = self.shape()[at];
        let from_front = if kth < 0 { kth.checked_add_unsigned(len) } else { Some(kth) };
        let k = from_front.and_then(|k| usize::try_from(k).ok()).filter(|&k| k < len);
        let index = kth as i128;
        let k = k.ok_or(LayoutError::IndexOutOfRange { index, axis: at, len })?;
        Request::new("partition", self.into(), axis.into(), Extent::Around(k))
    }
}

/// Writes [`Tensor::sort`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([2, 3], DType::Int32)?;
/// belvedere::sort_into(&tensor![3, 1, 2], 0, &out.select(0, 1)?)?;
/// assert_eq!(out.to_vec::<i32>()?, [0, 0, 0, 1, 2, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for the method; and if `out` has another shape or type, or cannot be written to.
///
/// # Memory
/// If `out` shares memory with `x`, this is copied first; [`Tensor::sort_assign`] copies only lanes.
#[track_caller]
pub fn sort_into<'a>(
    x: impl Into<Operand<'a>>,
    along: impl Into<Along>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let request = Request::new("sort", x.into(), along.into(), Extent::Whole)?;
    let x = request.elements(request.dtype())?;
    request.write(&x, request.dtype(), out.into(), sort)
}

/// Writes [`Tensor::argsort`] of `x` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([3], DType::Int64)?;
/// belvedere::argsort_into(&tensor![3, 1, 2], 0, &out)?;
/// assert_eq!(out.to_vec::<i64>()?, [1, 2, 0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for the method; and if `out` has another shape or a type other than `int64`, or cannot be written to.
///
/// # Memory
/// If `out` shares memory with `x`, this is copied first.
#[track_caller]
pub fn argsort_into<'a>(
    x: impl Into<Operand<'a>>,
    along: impl Into<Along>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let request = Request::new("argsort", x.into(), along.into(), Extent::Whole)?;
    let x = request.elements(wide_enough(request.dtype(), request.len()))?;
    request.write(&x, DType::Int64, out.into(), argsort)
}

/// A sort that was checked.
struct Request<'a> {
    call: Call,
    x: Operand<'a>,
    how: Sorting,
}

impl<'a> Request<'a> {
    #[track_caller]
    fn new(
        op: &'static str,
        x: Operand<'a>,
        along: Along,
        extent: Extent,
    ) -> Result<Request<'a>, Error> {
        let call = Call { op, caller: Location::caller() };
        let shape = x.shape();
        let axis = Layout::row_major(&shape)?.resolve_axis(along.axis)?;
        if !shape.contains(&0) {
            check_room(shape[axis])?;
        }
        Ok(Request { call, x, how: Sorting { axis, is_descending: along.is_descending, extent } })
    }

    fn dtype(&self) -> DType {
        common_type(&[&self.x])
    }

    /// How many elements a lane has.
    fn len(&self) -> usize {
        self.x.shape()[self.how.axis]
    }

    /// The elements as a type.
    fn elements(&self, dtype: DType) -> Result<Settled<'a>, Error> {
        Settled::of_type(self.x.clone(), dtype, self.call)
    }

    fn values(&self) -> Result<Tensor, Error> {
        let x = self.elements(self.dtype())?;
        fresh(self.layout(&x)?, self.dtype(), [x.input()], |out, [view]| sort(out, &view, self.how))
    }

    fn positions(&self) -> Result<Tensor, Error> {
        let x = self.elements(wide_enough(self.dtype(), self.len()))?;
        fresh(self.layout(&x)?, DType::Int64, [x.input()], |out, [view]| {
            argsort(out, &view, self.how)
        })
    }

    /// The layout of a result.
    fn layout(&self, x: &Settled<'_>) -> Result<Layout, Error> {
        let mut shape = x.shape();
        if let Extent::First(k) = self.how.extent {
            shape[self.how.axis] = k;
        }
        output_layout(&shape, &[x.input().layout()])
    }

    /// Writes results of a type to something that exists.
    fn write(
        &self,
        x: &Settled<'_>,
        dtype: DType,
        out: Target<'_>,
        kernel: impl for<'x> FnOnce(AnyViewMut<'x>, &AnyView<'_>, Sorting) -> Written<'x>,
    ) -> Result<(), Error> {
        out.check_shape(self.call.op, &x.shape())?;
        if out.dtype() != dtype {
            return Err(Error::WrongDType { asked: dtype, found: out.dtype() });
        }
        into(self.call, out.output(), [x.input()], Same::Buffer, |out, [source]| {
            let Source::View(view) = source else { unreachable!("the input was buffered") };
            kernel(out, &view, self.how);
        })
    }
}

/// A type in the same order in which there is room for each position beside a key: four bytes have none
/// for the positions in a lane of thousands of millions.
pub(super) fn wide_enough(dtype: DType, len: usize) -> DType {
    match dtype.kind() {
        _ if len < u32::MAX as usize => dtype,
        Kind::Signed(4) => DType::Int64,
        Kind::Unsigned(4) => DType::UInt64,
        Kind::Float(4) => DType::Float64,
        _ => dtype,
    }
}

/// Whether there is memory for the keys of so many elements. A broadcast axis may be longer than any
/// memory, and nobody would notice before a thread asks for it.
pub(super) fn check_room(len: usize) -> Result<(), Error> {
    // Two lists of sixteen bytes each at most, or one of them and the packed lane.
    reserve::<[u64; 4]>(len).map(drop)
}

//! `sort`, `argsort`, `topk`, `partition` and their variants.

use crate::cancel;
use crate::dtype::NumberKind;
use crate::kernel::sort::{Extent, SortOptions, argsort, sort, sort_in_place, sort_small};
use crate::op::execute::{InputIsOutput, SmallOperands, SmallShape, compute_into, compute_new};
use crate::op::number::common_type;
use crate::op::operand::{Operand, Target};
use crate::plan::{is_inside, output_layout};
use crate::tensor::reserve;
use crate::trace::{Call, Param, composite, composite_into};
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{Axis, DType, Error, Layout, LayoutError, Tensor};

/// The axis to sort along, and the direction.
///
/// Sorts take `impl Into<SortAxis>`: an axis for ascending order, which counts from the end if it
/// is negative, or [`descending`] of it.
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
pub struct SortAxis {
    axis: isize,
    is_descending: bool,
}

/// Returns `axis` with descending order: the greatest element first.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![2, 3, 1];
/// assert_eq!(x.sort(descending(0))?.to_vec::<i32>()?, [3, 2, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn descending(axis: isize) -> SortAxis {
    SortAxis { axis, is_descending: true }
}

impl SortAxis {
    /// Returns the axis and the direction as parameters of an event.
    fn params(self) -> [(&'static str, Param<'static>); 2] {
        [("axis", self.axis.into()), ("descending", self.is_descending.into())]
    }
}

impl From<isize> for SortAxis {
    fn from(axis: isize) -> SortAxis {
        SortAxis { axis, is_descending: false }
    }
}

/// The result of [`Tensor::topk`] and [`Tensor::topk_least`].
#[derive(Clone, Debug)]
pub struct TopK {
    /// The elements, sorted.
    pub values: Tensor,
    /// Their indices along the axis, as `int64`.
    pub indices: Tensor,
}

impl Tensor {
    /// Returns the elements sorted along an axis.
    ///
    /// The sort is stable, also in descending order. Zeros of either sign compare equal; NaNs
    /// compare equal to each other and greater than all numbers. Complex numbers are compared by
    /// their real parts, then by their imaginary parts.
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
    /// Fails if `axis` is out of range, or memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn sort(&self, along: impl Into<SortAxis>) -> Result<Tensor, Error> {
        let along = along.into();
        let params = along.params();
        let call = Call::new("sort").with(&params);
        if let Some(sorted) = small_values(call, self, along) {
            return sorted;
        }
        SortRequest::new(call, self.into(), along, Extent::Whole)?.values()
    }

    /// Returns the indices that sort the elements along an axis, as `int64`.
    ///
    /// Elements are compared as by [`Tensor::sort`]; the indices of equal elements ascend.
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
    /// Fails if `axis` is out of range, or memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn argsort(&self, along: impl Into<SortAxis>) -> Result<Tensor, Error> {
        let along = along.into();
        let params = along.params();
        let call = Call::new("argsort").with(&params);
        SortRequest::new(call, self.into(), along, Extent::Whole)?.indices()
    }

    /// Sorts the elements along an axis in place: [`Tensor::sort`] without a new tensor.
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
    /// Fails if the axis is out of range, memory cannot be allocated, or the tensor cannot be
    /// written to.
    ///
    /// # Memory
    /// Allocates two buffers of sort keys of one lane for each thread; for floats and complex numbers also a copy of one
    /// lane, for the latter also two of keys with positions. All are allocated first: without enough memory nothing is
    /// changed.
    #[track_caller]
    pub fn sort_assign(&self, along: impl Into<SortAxis>) -> Result<(), Error> {
        let along = along.into();
        let params = along.params();
        let call = Call::new("sort").with(&params);
        let sorting = SortRequest::new(call, self.into(), along, Extent::Whole)?.sorting;
        composite_into(call, &[self.into()], self.into(), |out| {
            compute_into(call, out, &[], InputIsOutput::Refuse, |out, []| {
                sort_in_place(out, sorting)
            })
        })
    }

    /// Returns the `k` greatest elements along `axis` and their indices, the greatest first.
    ///
    /// The result is the same as the first `k` elements of [`Tensor::sort`] and [`Tensor::argsort`]
    /// in descending order, and takes less time.
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
    /// Fails if `axis` is out of range or has fewer than `k` elements, or memory cannot be
    /// allocated.
    ///
    /// # Memory
    /// Always allocates new tensors.
    #[track_caller]
    pub fn topk(&self, k: usize, axis: isize) -> Result<TopK, Error> {
        self.first_sorted(Call::new("topk"), k, descending(axis))
    }

    /// Returns the `k` least elements along `axis` and their indices, the least first.
    ///
    /// The result is the same as the first `k` elements of [`Tensor::sort`] and
    /// [`Tensor::argsort`].
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
    /// Always allocates new tensors.
    #[track_caller]
    pub fn topk_least(&self, k: usize, axis: isize) -> Result<TopK, Error> {
        self.first_sorted(Call::new("topk"), k, axis.into())
    }

    /// Returns the first `k` elements in sorted order and their indices.
    fn first_sorted(&self, call: Call<'_>, k: usize, along: SortAxis) -> Result<TopK, Error> {
        let SortAxis { axis, is_descending } = along;
        let params = [("k", k.into()), ("axis", axis.into()), ("largest", is_descending.into())];
        let call = call.with(&params);
        let (values, indices) = composite(call, &[self.into()], || {
            let request = SortRequest::new(call, self.into(), along, Extent::First(k))?;
            if k > request.lane_len() {
                let needs = "k to be at most the length of the axis";
                return Err(Error::Argument { op: call.op, needs, given: k.into() });
            }
            Ok((request.values()?, request.indices()?))
        })?;
        Ok(TopK { values, indices })
    }

    /// Returns the elements partitioned along `axis` around the one that sorting would put at index
    /// `kth`.
    ///
    /// Elements before it are not greater, elements after it are not smaller; their order is
    /// unspecified. A negative `kth` counts from the end.
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
    /// Fails if `axis` or `kth` is out of range, or memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn partition(&self, kth: isize, axis: isize) -> Result<Tensor, Error> {
        let params = [("kth", kth.into()), ("axis", axis.into())];
        self.partition_request(Call::new("partition").with(&params), kth, axis)?.values()
    }

    /// Returns the indices that partition the elements along `axis` as [`Tensor::partition`] does,
    /// as `int64`.
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
    /// Fails if `axis` or `kth` is out of range, or memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn argpartition(&self, kth: isize, axis: isize) -> Result<Tensor, Error> {
        let params = [("kth", kth.into()), ("axis", axis.into())];
        self.partition_request(Call::new("argpartition").with(&params), kth, axis)?.indices()
    }

    /// Checks the arguments of a partition.
    fn partition_request<'c>(
        &self,
        call: Call<'c>,
        kth: isize,
        axis: isize,
    ) -> Result<SortRequest<'c, '_>, Error> {
        let at = self.layout().resolve_axis(axis)?;
        let len = self.shape()[at];
        let from_front = if kth < 0 { kth.checked_add_unsigned(len) } else { Some(kth) };
        let k = from_front.and_then(|k| usize::try_from(k).ok()).filter(|&k| k < len);
        let index = kth as i128;
        let k = k.ok_or(LayoutError::IndexOutOfRange { index, axis: at, len })?;
        SortRequest::new(call, self.into(), axis.into(), Extent::Around(k))
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
/// As for [`Tensor::sort`]. Also fails if `out` has another shape or dtype than the result, or
/// cannot be written to.
///
/// # Memory
/// Copies `x` first if it shares elements with `out`; [`Tensor::sort_assign`] copies only single
/// lanes.
#[track_caller]
pub fn sort_into<'a>(
    x: impl Into<Operand<'a>>,
    along: impl Into<SortAxis>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let along = along.into();
    let params = along.params();
    let call = Call::new("sort").with(&params);
    let request = SortRequest::new(call, x.into(), along, Extent::Whole)?;
    let x = request.elements(request.dtype())?;
    request.compute_into(&x, request.dtype(), out.into(), sort)
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
/// As for [`Tensor::argsort`]. Also fails if `out` has another shape than the result, a dtype other
/// than `int64`, or cannot be written to.
///
/// # Memory
/// Copies `x` first if it shares elements with `out`.
#[track_caller]
pub fn argsort_into<'a>(
    x: impl Into<Operand<'a>>,
    along: impl Into<SortAxis>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let along = along.into();
    let params = along.params();
    let call = Call::new("argsort").with(&params);
    let request = SortRequest::new(call, x.into(), along, Extent::Whole)?;
    let x = request.elements(argsort_dtype(request.dtype(), request.lane_len()))?;
    request.compute_into(&x, DType::Int64, out.into(), argsort)
}

/// The most elements that are sorted without a plan.
const MAX_SMALL: usize = 256;

/// Sorts the elements of a small tensor of rank 1 or 2 along an axis. `None` for other tensors and if the axis is out of range,
/// or if another thread has borrowed the memory.
fn small_values(call: Call<'_>, x: &Tensor, along: SortAxis) -> Option<Result<Tensor, Error>> {
    let layout = x.layout();
    if x.is_empty() || x.len() > MAX_SMALL || layout.axes().iter().any(|it| it.stride == 0) {
        return None;
    }
    let axis = layout.resolve_axis(along.axis).ok()?;
    let (rows, rank) = match *layout.axes() {
        [lane] => ([Axis::new(1, 0), lane], 1),
        [row, col] => (if axis == 1 { [row, col] } else { [col, row] }, 2),
        _ => return None,
    };
    let lens = rows.map(|it| it.len);
    let is_column_major = rank == 2 && is_inside([0, 1], 2, std::iter::once(layout)) == Some(true);
    let (shape, is_transposed) = match (is_column_major, rank == 2 && axis == 0) {
        (false, false) => (SmallShape::Rows { lens, rank }, false),
        (false, true) => (SmallShape::Rows { lens: [lens[1], lens[0]], rank }, true),
        (true, true) => (SmallShape::Columns { lens }, false),
        (true, false) => (SmallShape::Columns { lens: [lens[1], lens[0]] }, true),
    };
    let (operands, event) = ([x.into()], call.announce());
    let small = SmallOperands::borrow_matrices(&operands, [rows])?;
    let sorted = cancel::catch(|| {
        small.compute(&event, shape, x.dtype(), |out, [x]| {
            sort_small(out, x, along.is_descending, is_transposed)
        })
    });
    Some(sorted.and_then(|it| it))
}

/// A sort with checked arguments.
struct SortRequest<'c, 'a> {
    call: Call<'c>,
    x: Operand<'a>,
    sorting: SortOptions,
}

impl<'c, 'a> SortRequest<'c, 'a> {
    fn new(
        call: Call<'c>,
        x: Operand<'a>,
        along: SortAxis,
        extent: Extent,
    ) -> Result<SortRequest<'c, 'a>, Error> {
        let shape = x.shape();
        let axis = Layout::row_major(&shape)?.resolve_axis(along.axis)?;
        if !shape.contains(&0) && !x.is_meta() {
            check_key_memory(shape[axis])?;
        }
        Ok(SortRequest {
            call,
            x,
            sorting: SortOptions {
                axis,
                is_descending: along.is_descending,
                extent,
                has_output: false,
            },
        })
    }

    /// Returns the dtype of the elements.
    fn dtype(&self) -> DType {
        common_type(&[&self.x])
    }

    /// Returns the length of a lane.
    fn lane_len(&self) -> usize {
        self.x.shape()[self.sorting.axis]
    }

    /// Returns the operand with its elements cast to `dtype`.
    fn elements(&self, dtype: DType) -> Result<Operand<'a>, Error> {
        self.x.clone().into_dtype(dtype, self.call)
    }

    /// Computes the sorted elements.
    fn values(&self) -> Result<Tensor, Error> {
        let x = self.elements(self.dtype())?;
        compute_new(
            self.call,
            self.output_layout(&x)?,
            self.dtype(),
            std::array::from_ref(&x),
            |out, [view]| sort(out, &view, self.sorting),
        )
    }

    /// Computes the indices of the sorted elements.
    fn indices(&self) -> Result<Tensor, Error> {
        let x = self.elements(argsort_dtype(self.dtype(), self.lane_len()))?;
        compute_new(
            self.call,
            self.output_layout(&x)?,
            DType::Int64,
            std::array::from_ref(&x),
            |out, [view]| argsort(out, &view, self.sorting),
        )
    }

    /// Returns the layout of the result.
    fn output_layout(&self, x: &Operand<'_>) -> Result<Layout, Error> {
        let mut shape = x.shape();
        if let Extent::First(k) = self.sorting.extent {
            shape[self.sorting.axis] = k;
        }
        output_layout(&shape, &[x.memory_layout()])
    }

    /// Runs `kernel` and writes its results, of dtype `dtype`, to `out`.
    fn compute_into(
        &self,
        x: &Operand<'_>,
        dtype: DType,
        out: Target<'_>,
        kernel: impl for<'x> FnOnce(AnyViewMut<'x>, &AnyView<'_>, SortOptions) -> Written<'x>,
    ) -> Result<(), Error> {
        out.check_shape(self.call.op, &x.shape())?;
        if out.dtype() != dtype {
            return Err(Error::WrongDType { asked: dtype, found: out.dtype() });
        }
        compute_into(
            self.call,
            out,
            std::array::from_ref(x),
            InputIsOutput::Copy,
            |out, [source]| {
                let Source::View(view) = source else { unreachable!("the input was buffered") };
                kernel(out, &view, SortOptions { has_output: true, ..self.sorting });
            },
        )
    }
}

/// Returns a dtype with the same order whose sort keys leave room for an index: keys of 32-bit dtypes are
/// packed with 32-bit indices, which lanes of 2³² - 1 or more elements do not fit.
pub(super) fn argsort_dtype(dtype: DType, len: usize) -> DType {
    match dtype.kind() {
        _ if len < u32::MAX as usize => dtype,
        NumberKind::Signed(4) => DType::Int64,
        NumberKind::Unsigned(4) => DType::UInt64,
        NumberKind::Float(4) => DType::Float64,
        _ => dtype,
    }
}

/// Checks that memory for the sort keys of `len` elements can be allocated.
///
/// A broadcast axis may be longer than any memory. Without this check the allocation would fail in a worker
/// thread.
pub(super) fn check_key_memory(len: usize) -> Result<(), Error> {
    // At most two buffers of 16 bytes per element, or one of them and the packed lane.
    reserve::<[u64; 4]>(len).map(drop)
}

//! Operations on small operands of rank ≤ 2, without a plan.
//!
//! Operands whose elements are at one stride, or in a few rows of one stride each, need no plan, and their
//! layouts need not be copied. Everything here returns `None` or `false`, with nothing done, if the operands
//! are not like that, or another thread has borrowed their memory; the caller then goes on with
//! [`compute_new`](super::compute_new) or [`compute_into`](super::compute_into), which handle every case and
//! report the errors.

use super::{Operand, OperandRepr};
use crate::borrow::{Claims, try_claim, try_claim_reads, try_claim_write};
use crate::plan::SERIAL_ELEMENTS;
use crate::view::{SmallView, SmallViewMut, Strided2, Written};
use crate::{Axis, DType, Element, Error, Layout, Storage, Tensor};

/// The most rows for which no plan is made: a plan costs as much as about 30 calls of a body.
const MAX_ROWS: usize = 32;

/// The most elements that may be filled under a short write claim, for which all users of foreign memory
/// wait.
const MAX_FILLED: usize = 1 << 10;

/// The borrowed operands of a small operation.
pub(crate) struct SmallOperands<'a, const M: usize> {
    shape: SmallShape<'a>,
    /// Lead to elements that are borrowed for reading, through `_claims` or by the views and cells that
    /// `'a` borrows.
    inputs: [Strided2; M],
    _claims: Claims<'a, M>,
}

/// The shape that small operands broadcast to.
enum SmallShape<'a> {
    /// That of a layout.
    Of(&'a Layout),
    /// The last `rank` of the lengths.
    Last { rank: usize, lens: [usize; 2] },
}

impl Operand<'_> {
    /// Returns where offset 0 is, the layout, which a number does not have, and the dtype. `None` for a
    /// lens and a number without a dtype.
    #[inline(always)]
    fn memory(&self) -> Option<(*mut u8, Option<&Layout>, DType)> {
        match &self.0 {
            OperandRepr::Tensor(it) => {
                Some((it.storage().ptr().as_ptr(), Some(it.layout()), it.dtype()))
            }
            OperandRepr::Owned(it) => {
                Some((it.storage().ptr().as_ptr(), Some(it.layout()), it.dtype()))
            }
            OperandRepr::View(it) => Some((it.ptr().as_ptr(), Some(it.layout()), it.dtype())),
            OperandRepr::Cell(it) => Some((it.ptr().cast_mut(), None, it.dtype())),
            OperandRepr::Lens(_) | OperandRepr::Scalar(_) => None,
        }
    }

    /// Returns the elements as one row of `len`, if they are at one stride.
    #[inline(always)]
    fn as_row(&self, len: usize) -> Option<Strided2> {
        let (ptr, layout, dtype) = self.memory()?;
        let stride = match layout {
            Some(layout) => row_stride(layout)?,
            None => 0,
        };
        Some(Strided2::new(ptr, layout, dtype, [1, len], [0, stride]))
    }

    /// Returns the elements broadcast to rows and columns; its own axes are `axes`.
    #[inline]
    fn as_rows(&self, [row, col]: [Axis; 2], lens: [usize; 2]) -> Option<Strided2> {
        let (ptr, layout, dtype) = self.memory()?;
        Some(Strided2::new(ptr, layout, dtype, lens, [row.stride, col.stride]))
    }
}

/// Returns the stride of elements that are one row; 0 for a single one.
#[inline]
fn row_stride(layout: &Layout) -> Option<isize> {
    match layout.axes() {
        [] => Some(0),
        [axis] => Some(axis.stride),
        _ => layout.is_contiguous().then_some(1),
    }
}

#[inline(always)]
fn have_one_shape(a: &Layout, b: &Layout) -> bool {
    let (a, b) = (a.axes(), b.axes());
    a.len() == b.len() && (0..a.len()).all(|k| a[k].len == b[k].len)
}

/// Whether there are elements, and too few for several threads.
#[inline(always)]
fn is_small(len: usize) -> bool {
    (1..SERIAL_ELEMENTS).contains(&len)
}

/// Returns the layout of the shape that all operands have except those of rank 0, and the operands as one
/// row each.
#[inline(always)]
fn one_row<'a, const M: usize>(
    operands: &'a [Operand<'_>; M],
) -> Option<(&'a Layout, [Strided2; M])> {
    let mut leading: Option<&Layout> = None;
    for operand in operands {
        let Some(layout) = operand.layout() else { continue };
        match leading {
            Some(it) if it.rank() != 0 => {
                if layout.rank() != 0 && !have_one_shape(it, layout) {
                    return None;
                }
            }
            _ => leading = Some(layout),
        }
    }
    let leading = leading.filter(|it| is_small(it.len()))?;
    let mut inputs = [Strided2::NONE; M];
    for (input, operand) in inputs.iter_mut().zip(operands) {
        *input = operand.as_row(leading.len())?;
    }
    Some((leading, inputs))
}

/// Returns the shape that operands of rank ≤ 2 broadcast to, and the operands as its rows and columns.
fn few_rows<'a, const M: usize>(
    operands: &[Operand<'_>; M],
) -> Option<(SmallShape<'a>, [Strided2; M])> {
    let (mut lens, mut rank) = ([1, 1], 0);
    for operand in operands {
        let axes = rows_and_columns(operand.layout())?;
        rank = rank.max(operand.layout().map_or(0, Layout::rank));
        for (len, axis) in lens.iter_mut().zip(axes) {
            match *len {
                1 => *len = axis.len,
                before if axis.len != 1 && axis.len != before => return None,
                _ => {}
            }
        }
    }
    if lens[0] > MAX_ROWS || !lens[1].checked_mul(lens[0]).is_some_and(is_small) {
        return None;
    }
    let mut inputs = [Strided2::NONE; M];
    for (input, operand) in inputs.iter_mut().zip(operands) {
        *input = operand.as_rows(rows_and_columns(operand.layout())?, lens)?;
    }
    Some((SmallShape::Last { rank, lens }, inputs))
}

/// Returns the axes as rows and columns, with length 1 and stride 0 for those that are missing. `None` if
/// there are more than two, or the rows are closer together than the columns: the result should be
/// column-major then, too.
fn rows_and_columns(layout: Option<&Layout>) -> Option<[Axis; 2]> {
    const ONE: Axis = Axis::new(1, 0);
    match layout.map_or(&[][..], Layout::axes) {
        [] => Some([ONE, ONE]),
        [col] => Some([ONE, *col]),
        [row, col] => {
            let (x, y) = (row.stride.unsigned_abs(), col.stride.unsigned_abs());
            let is_column_major = row.len > 1 && col.len > 1 && x != 0 && x < y;
            (!is_column_major).then_some([*row, *col])
        }
        _ => None,
    }
}

/// Returns the storages that have to be borrowed.
#[inline(always)]
fn storages<'a, const M: usize>(operands: &'a [Operand<'_>; M]) -> [Option<&'a Storage>; M] {
    std::array::from_fn(|n| operands[n].storage())
}

// Inlined, so that what is known of the operands stays in registers, and a result is constructed in place:
// moving the two costs as much as all the rest.
impl<'a, const M: usize> SmallOperands<'a, M> {
    /// Borrows operands for reading and broadcasts them to each other.
    #[inline(always)]
    pub(crate) fn borrow(operands: &'a [Operand<'_>; M]) -> Option<SmallOperands<'a, M>> {
        let (shape, inputs) = match one_row(operands) {
            Some((leading, inputs)) => (SmallShape::Of(leading), inputs),
            None => few_rows(operands)?,
        };
        let _claims = try_claim_reads(storages(operands))?;
        Some(SmallOperands { shape, inputs, _claims })
    }

    /// Borrows matrices for reading, each with its own shape.
    #[inline(always)]
    pub(crate) fn borrow_matrices(operands: &'a [Operand<'_>; M]) -> Option<SmallOperands<'a, M>> {
        let mut inputs = [Strided2::NONE; M];
        for (input, operand) in inputs.iter_mut().zip(operands) {
            let [row, col] = operand.layout()?.axes() else { return None };
            *input = operand.as_rows([*row, *col], [row.len, col.len])?;
            if input.lens.contains(&0) {
                return None;
            }
        }
        let shape = SmallShape::Last { rank: 2, lens: inputs[0].lens };
        let _claims = try_claim(None, storages(operands))?;
        Some(SmallOperands { shape, inputs, _claims })
    }

    /// Computes a new tensor of the shape that the operands broadcast to: a kernel reads the operands and
    /// writes every element.
    ///
    /// # Errors
    /// If there is not enough memory.
    #[inline(always)]
    pub(crate) fn compute(
        &self,
        dtype: DType,
        kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        match self.shape {
            SmallShape::Of(layout) => {
                let storage = self.run([1, layout.len()], dtype, kernel)?;
                Ok(Tensor::on_new(storage, layout.to_row_major(), dtype))
            }
            SmallShape::Last { rank, lens } => self.compute_shaped(lens, rank, dtype, kernel),
        }
    }

    /// Computes a new tensor whose shape is the last `rank` of two lengths; the others must be 1.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If there are no elements.
    #[inline(always)]
    pub(crate) fn compute_shaped(
        &self,
        lens: [usize; 2],
        rank: usize,
        dtype: DType,
        kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        let layout = Layout::row_major(&lens[2 - rank..])?;
        assert!(layout.len() == lens[0] * lens[1] && !layout.is_empty(), "two lengths of a result");
        let storage = self.run(lens, dtype, kernel)?;
        Ok(Tensor::on_new(storage, layout, dtype))
    }

    /// Allocates the elements of a result and runs a kernel, which initialises all of them.
    #[inline(always)]
    fn run(
        &self,
        lens: [usize; 2],
        dtype: DType,
        kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
    ) -> Result<Storage, Error> {
        let Some(bytes) = (lens[0] * lens[1]).checked_mul(dtype.size()) else {
            return Err(Error::OutOfMemory { bytes: usize::MAX });
        };
        // SAFETY: it is returned only when the kernel has proved that it wrote every element.
        let storage = unsafe { Storage::uninit(bytes) }?;
        let (ptr, strides) = (storage.ptr().as_ptr(), [lens[1] as isize, 1]);
        // SAFETY: no other code has the new storage, which has room for the elements, aligned, in
        // row-major order.
        let out = unsafe { SmallViewMut::new(Strided2 { ptr, lens, strides, dtype }) };
        // SAFETY: the inputs lead to elements that are borrowed for reading and initialised (see
        // `inputs`), and none of them is in a new storage.
        let inputs = std::array::from_fn(|n| unsafe { SmallView::new(self.inputs[n]) });
        // The lifetime is this call's own, so the proof is for `out`: every element is written.
        let _: Written<'_> = kernel(out, inputs);
        Ok(storage)
    }
}

/// Reads the only element of a tensor. `None` if there are more, or it is of another type.
#[inline]
pub(crate) fn read_only_element<T: Element>(x: &Tensor) -> Option<T> {
    if x.len() != 1 || x.dtype() != T::DTYPE {
        return None;
    }
    let _claims = try_claim_reads([Some(x.storage())])?;
    // SAFETY: the only element of a layout is at its start; it is of this type, aligned and initialised as
    // all elements of tensors are, and borrowed for reading by `_claims`.
    Some(unsafe { x.storage().ptr().cast::<T>().add(x.layout().start()).read() })
}

/// Computes into a small tensor that exists: a kernel reads the operands, broadcast to its shape, and writes
/// every element.
#[inline(always)]
pub(crate) fn compute_small_into<const M: usize>(
    out: &Tensor,
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
) -> bool {
    if !is_small(out.len()) || !out.storage().is_writable() {
        return false;
    }
    let Some((target, inputs)) = row_into(out, operands).or_else(|| rows_into(out, operands))
    else {
        return false;
    };
    if !target.is_injective() || !inputs.iter().all(|it| target.is_same_or_disjoint(it)) {
        return false;
    }
    let storages = storages(operands);
    let is_fill = target.len() <= MAX_FILLED && storages.iter().all(Option::is_none);
    let claims = match is_fill {
        true => try_claim_write(out.storage()).map(|it| (Some(it), None)),
        false => try_claim(Some(out.storage()), storages).map(|it| (None, Some(it))),
    };
    let Some(_claims) = claims else { return false };
    // SAFETY: the output is writable and borrowed for writing by `_claims`, and each element has one
    // index.
    let target = unsafe { SmallViewMut::new(target) };
    // SAFETY: the inputs lead to elements that are initialised and borrowed for reading, by `_claims` or
    // by their views and cells; each is the output index by index, or shares no byte with it.
    let inputs = std::array::from_fn(|n| unsafe { SmallView::new(inputs[n]) });
    let _: Written<'_> = kernel(target, inputs);
    true
}

/// Returns an output as one row, and operands that have its shape or rank 0.
#[inline(always)]
fn row_into<const M: usize>(
    out: &Tensor,
    operands: &[Operand<'_>; M],
) -> Option<(Strided2, [Strided2; M])> {
    let (layout, len) = (out.layout(), out.len());
    let strides = [0, row_stride(layout)?];
    let ptr = out.storage().ptr().as_ptr();
    let target = Strided2::new(ptr, Some(layout), out.dtype(), [1, len], strides);
    let mut inputs = [Strided2::NONE; M];
    for (input, operand) in inputs.iter_mut().zip(operands) {
        if operand.layout().is_some_and(|it| it.rank() != 0 && !have_one_shape(it, layout)) {
            return None;
        }
        *input = operand.as_row(len)?;
    }
    Some((target, inputs))
}

/// Returns an output of rank ≤ 2 as a few rows, and operands broadcast to its shape.
fn rows_into<const M: usize>(
    out: &Tensor,
    operands: &[Operand<'_>; M],
) -> Option<(Strided2, [Strided2; M])> {
    let axes = rows_and_columns(Some(out.layout()))?;
    let lens = axes.map(|axis| axis.len);
    if lens[0] > MAX_ROWS {
        return None;
    }
    let (ptr, strides) = (out.storage().ptr().as_ptr(), axes.map(|axis| axis.stride));
    let target = Strided2::new(ptr, Some(out.layout()), out.dtype(), lens, strides);
    let mut inputs = [Strided2::NONE; M];
    for (input, operand) in inputs.iter_mut().zip(operands) {
        let layout = operand.layout();
        let axes = rows_and_columns(layout)?;
        let fits = layout.is_none_or(|it| it.rank() <= out.rank())
            && (0..2).all(|k| axes[k].len == 1 || axes[k].len == lens[k]);
        if !fits {
            return None;
        }
        *input = operand.as_rows(axes, lens)?;
    }
    Some((target, inputs))
}

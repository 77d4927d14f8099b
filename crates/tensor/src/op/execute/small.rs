//! Operations on small operands, without a plan.
//!
//! Operands of rank ≤ 2, and contiguous ones of any rank, are walked by one or two loops: they need no plan, and
//! their layouts need not be copied. The functions return `None` or `false`, without side effects, if the
//! operands have another form, or another thread has borrowed their memory; the caller then continues with
//! [`compute_new`](super::compute_new) or [`compute_into`](super::compute_into), which handle every case and
//! report the errors.

use super::{Operand, OperandRepr, OperationBorrows, TempCopy};
use crate::borrow::{Claims, try_claim, try_claim_reads, try_claim_write};
use crate::kernel::copy::copy;
use crate::op::operand::Target;
use crate::plan::{BLOCK_ELEMENTS, SERIAL_ELEMENTS, is_inside};
use crate::storage::{ElementBits, creates_meta};
use crate::trace::{Announcement, ClaimedElement, ClaimedMemory, EventMemory};
use crate::view::{AnyView, SmallView, SmallViewMut, Strided2, Written};
use crate::{Axis, DType, Error, Layout, Storage, Tensor};
use std::slice;

/// The most rows for which no plan is made: a plan costs as much as about 150 calls of a body.
const MAX_ROWS: usize = 150;

/// The most elements that may be filled under a short write claim, for which all users of foreign memory
/// wait.
const MAX_FILLED: usize = 1 << 10;

/// An axis that an operand does not have.
const ONE: Axis = Axis::new(1, 0);

/// The borrowed operands of a small operation; `B` are the borrows.
pub(crate) struct SmallOperands<'a, const M: usize, B = Claims<'a, M>> {
    /// The shape that they broadcast to.
    pub shape: SmallShape<'a>,
    /// Lead to elements that are borrowed for reading, through `_borrows` or by the views and cells that
    /// `'a` borrows.
    inputs: [Strided2; M],
    operands: &'a [Operand<'a>; M],
    _borrows: B,
}

/// The shape of a small result, and the order of its elements in memory.
#[derive(Clone, Copy)]
pub(crate) enum SmallShape<'a> {
    /// The shape of a layout, row-major.
    Of(&'a Layout),
    /// The last `rank` of the lengths, row-major.
    Rows { lens: [usize; 2], rank: usize },
    /// The two lengths, the inner axis first: a column-major matrix.
    Columns { lens: [usize; 2] },
}

/// The order of a new result's elements in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultOrder {
    /// That of the operands if they agree, as [`output_layout`](crate::plan::output_layout).
    Keep,
    RowMajor,
}

impl Operand<'_> {
    /// Returns the elements that lengths and strides lead to from the first one. `None` for a lens and a number
    /// without a dtype.
    #[inline(always)]
    pub(super) fn strided(&self, lens: [usize; 2], strides: [isize; 2]) -> Option<Strided2> {
        let (base, start, dtype) = match &self.0 {
            OperandRepr::Tensor(it) => (it.storage().ptr().as_ptr(), it.offset(), it.dtype()),
            OperandRepr::Owned(it) => (it.storage().ptr().as_ptr(), it.offset(), it.dtype()),
            OperandRepr::View(it) => (it.ptr().as_ptr(), it.layout().start(), it.dtype()),
            OperandRepr::Cell(it) => (it.ptr().cast_mut(), 0, it.dtype()),
            OperandRepr::Lens(_) | OperandRepr::Scalar(_) => return None,
        };
        Some(Strided2::new(base, start, dtype, lens, strides))
    }
}

/// Returns the stride of elements that are one row; 0 for a single one.
#[inline(always)]
fn row_stride(layout: Option<&Layout>) -> Option<isize> {
    match layout.map_or(&[][..], Layout::axes) {
        [] => Some(0),
        [axis] => Some(axis.stride),
        _ => layout?.is_contiguous().then_some(1),
    }
}

/// Returns whether there are elements, and too few for several threads.
#[inline(always)]
pub(crate) fn is_small(len: usize) -> bool {
    (1..SERIAL_ELEMENTS).contains(&len)
}

/// Returns operands as one row each, if they have the shape of `leading` or rank 0.
#[inline(always)]
fn one_row<const M: usize>(leading: &Layout, operands: &[Operand<'_>; M]) -> Option<[Strided2; M]> {
    let (axes, len) = (leading.axes(), leading.len());
    let mut inputs = [Strided2::NONE; M];
    for (input, operand) in inputs.iter_mut().zip(operands) {
        let layout = operand.layout();
        let own = layout.map_or(&[][..], Layout::axes);
        let has_shape =
            own.len() == axes.len() && (0..own.len()).all(|k| own[k].len == axes[k].len);
        if !own.is_empty() && !has_shape {
            return None;
        }
        *input = operand.strided([1, len], [0, row_stride(layout)?])?;
    }
    Some(inputs)
}

/// Returns operands of rank ≤ 2 as rows and columns, broadcast to each other, or to the shape of an output that exists.
/// They are walked in the order of the result's elements in memory.
fn few_rows<'a, const M: usize>(
    out: Option<&Layout>,
    operands: &[Operand<'_>; M],
    order: ResultOrder,
) -> Option<(SmallShape<'a>, [Strided2; M])> {
    let mut axes = [[Axis::new(1, 0); 2]; M];
    let mut lens = rows_and_columns(out)?.map(|axis| axis.len);
    let mut rank = out.map_or(0, Layout::rank);
    for (axes, operand) in axes.iter_mut().zip(operands) {
        let layout = operand.layout();
        (*axes, rank) = (rows_and_columns(layout)?, rank.max(layout.map_or(0, Layout::rank)));
        for (len, axis) in lens.iter_mut().zip(*axes) {
            match *len {
                1 if out.is_none() => *len = axis.len,
                before if axis.len != 1 && axis.len != before => return None,
                _ => {}
            }
        }
    }
    let layouts = operands.iter().filter_map(Operand::layout);
    let is_column_major = match out {
        _ if rank != 2 || order == ResultOrder::RowMajor => false,
        Some(out) => is_inside([0, 1], 2, std::iter::once(out)) == Some(true),
        None => is_inside([0, 1], 2, layouts) == Some(true),
    };
    // The outer loop first.
    let (row, col) = if is_column_major { (1, 0) } else { (0, 1) };
    let walked = [lens[row], lens[col]];
    walked[1].checked_mul(walked[0]).filter(|&len| is_small(len))?;
    // An operand that is transposed against the result is packed, as one tile.
    let has_transposed = axes.iter().any(|it| {
        let (x, y) = (it[row].stride.unsigned_abs(), it[col].stride.unsigned_abs());
        x != 0 && x < y
    });
    let max_rows = if has_transposed { BLOCK_ELEMENTS / walked[1] } else { MAX_ROWS };
    if walked[0] > max_rows || out.is_some_and(|it| it.rank() < rank) {
        return None;
    }
    let mut inputs = [Strided2::NONE; M];
    for ((input, operand), axes) in inputs.iter_mut().zip(operands).zip(axes) {
        *input = operand.strided(walked, [axes[row].stride, axes[col].stride])?;
    }
    let shape = match is_column_major {
        true => SmallShape::Columns { lens: walked },
        false => SmallShape::Rows { lens: walked, rank },
    };
    Some((shape, inputs))
}

/// Returns the axes as rows and columns, with length 1 and stride 0 for those that are missing. `None` if
/// there are more than two.
pub(super) fn rows_and_columns(layout: Option<&Layout>) -> Option<[Axis; 2]> {
    match layout.map_or(&[][..], Layout::axes) {
        [] => Some([ONE, ONE]),
        [col] => Some([ONE, *col]),
        [row, col] => Some([*row, *col]),
        _ => None,
    }
}

/// Returns operands broadcast to each other, as one row or as few rows.
#[inline(always)]
fn broadcast_small<'a, const M: usize>(
    operands: &'a [Operand<'a>; M],
    order: ResultOrder,
) -> Option<(SmallShape<'a>, [Strided2; M])> {
    // Without tensors among the operands, the device decides.
    if creates_meta() {
        return None;
    }
    let layouts = operands.iter().filter_map(Operand::layout);
    let leading = layouts.reduce(|it, other| if it.rank() == 0 { other } else { it });
    let leading = leading.filter(|it| is_small(it.len()));
    let as_row = leading.and_then(|it| Some((SmallShape::Of(it), one_row(it, operands)?)));
    as_row.or_else(|| few_rows(None, operands, order))
}

// Inlined, so that what is known of the operands stays in registers, and a result is constructed in place:
// moving the two costs as much as all the rest.
impl<'a, const M: usize> SmallOperands<'a, M> {
    /// Borrows operands for reading and broadcasts them to each other.
    #[inline(always)]
    pub(crate) fn borrow(
        operands: &'a [Operand<'a>; M],
        order: ResultOrder,
    ) -> Option<SmallOperands<'a, M>> {
        let (shape, inputs) = broadcast_small(operands, order)?;
        let _borrows = try_claim_reads(operands.each_ref().map(Operand::storage))?;
        Some(SmallOperands { shape, inputs, operands, _borrows })
    }

    /// Borrows operands for reading as matrices with the given rows and columns, which are the axes of the operand in
    /// either order, and axes of length 1.
    ///
    /// # Panics
    /// If the rows and columns are not those axes.
    #[inline(always)]
    pub(crate) fn borrow_matrices(
        operands: &'a [Operand<'a>; M],
        matrices: [[Axis; 2]; M],
    ) -> Option<SmallOperands<'a, M>> {
        let mut inputs = [Strided2::NONE; M];
        for ((input, operand), [row, col]) in inputs.iter_mut().zip(operands).zip(matrices) {
            let is_own = match *operand.layout()?.axes() {
                [x] => [row, col] == [x, ONE] || [row, col] == [ONE, x],
                [x, y] => [row, col] == [x, y] || [row, col] == [y, x],
                _ => false,
            };
            assert!(is_own, "the axes of the operand");
            *input = operand.strided([row.len, col.len], [row.stride, col.stride])?;
            if input.lens.contains(&0) {
                return None;
            }
        }
        let shape = SmallShape::Rows { lens: inputs[0].lens, rank: 2 };
        let _borrows = try_claim_reads(operands.each_ref().map(Operand::storage))?;
        Some(SmallOperands { shape, inputs, operands, _borrows })
    }
}

impl<'a, const M: usize> SmallOperands<'a, M, OperationBorrows<'a, M>> {
    /// Like [`SmallOperands::borrow`], as guards do, for a kernel that calls a closure of the user.
    #[inline(always)]
    pub(crate) fn borrow_as_guards(
        operands: &'a [Operand<'a>; M],
    ) -> Option<SmallOperands<'a, M, OperationBorrows<'a, M>>> {
        let (shape, inputs) = broadcast_small(operands, ResultOrder::Keep)?;
        let _borrows = OperationBorrows::take_guards(None, operands).ok()?;
        Some(SmallOperands { shape, inputs, operands, _borrows })
    }
}

impl<const M: usize, B> SmallOperands<'_, M, B> {
    /// Computes a new tensor: a kernel reads the operands and writes every element.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If there are no elements.
    #[inline(always)]
    pub(crate) fn compute(
        &self,
        event: &Announcement<'_>,
        shape: SmallShape<'_>,
        dtype: DType,
        kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        let lens = match shape {
            SmallShape::Of(layout) => [1, layout.len()],
            SmallShape::Rows { lens, .. } | SmallShape::Columns { lens } => lens,
        };
        assert!(lens[0] != 0 && lens[1] != 0, "a small operation has elements");
        let Some(bytes) = (lens[0] * lens[1]).checked_mul(dtype.size()) else {
            return Err(Error::OutOfMemory { bytes: usize::MAX });
        };
        // SAFETY: a tensor is made of it only when the kernel has proved that it wrote every element.
        let storage = unsafe { Storage::uninit(bytes) }?;
        let out = Strided2::new(storage.ptr().as_ptr(), 0, dtype, lens, [lens[1] as isize, 1]);
        // SAFETY: no other code has the new storage, which has room for the elements, aligned, in
        // row-major order. The inputs lead to elements that are borrowed for reading and initialised (see
        // `inputs`), and none of them is in a new storage.
        let (out, inputs) = unsafe { SmallViewMut::with_inputs(out, self.inputs) };
        // The lifetime is this call's own, so the proof is for `out`: every element is written.
        let _: Written<'_> = kernel(out, inputs);
        let layout = match shape {
            SmallShape::Of(layout) => layout.to_row_major(),
            SmallShape::Rows { lens, rank } => Layout::row_major(&lens[2 - rank..])?,
            SmallShape::Columns { lens } => Layout::row_major(&lens)?.t()?,
        };
        let result = Tensor::on_new(storage, layout, dtype);
        event.deliver_new(self.operands, &[EventMemory::of(&result)], Some(self))?;
        Ok(result)
    }

    /// Computes one element of at most 8 bytes: a kernel reads the operands and writes it. Returns its bytes in memory order;
    /// those after the last are 0.
    ///
    /// # Panics
    /// If an element has more bytes.
    #[inline(always)]
    pub(crate) fn compute_element(
        &self,
        dtype: DType,
        kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
    ) -> [u8; 8] {
        let mut bits: ElementBits = 0;
        assert!(dtype.size() <= size_of_val(&bits), "an element of at most 8 bytes");
        let out = Strided2::new((&raw mut bits).cast(), 0, dtype, [1, 1], [1, 1]);
        // SAFETY: no other code has the new bits, which have room for one element, aligned: no dtype of at most 8 bytes is
        // aligned to more than they are. The inputs lead to elements that are borrowed for reading and initialised (see
        // `inputs`), and none of them is in a local variable of this function.
        let (out, inputs) = unsafe { SmallViewMut::with_inputs(out, self.inputs) };
        // The lifetime is this call's own, so the proof is for `out`.
        let _: Written<'_> = kernel(out, inputs);
        bits.to_ne_bytes()
    }
}

impl<const M: usize, B> ClaimedMemory for SmallOperands<'_, M, B> {
    fn copy_elements(&self, of: ClaimedElement) -> Result<Tensor, Error> {
        let ClaimedElement::Input(n) = of else { panic!("a new result has no elements yet") };
        // SAFETY: the operands are borrowed for reading by `_borrows`, which excludes writers.
        unsafe { copy_claimed(&self.operands[n]) }
    }
}

/// Copies the elements of an operand that is in memory.
///
/// # Safety
/// If it is a tensor, it must be borrowed for reading, and nothing may write to its elements meanwhile.
unsafe fn copy_claimed(operand: &Operand<'_>) -> Result<Tensor, Error> {
    let view = match &operand.0 {
        OperandRepr::View(view) => view.clone(),
        OperandRepr::Cell(cell) => cell.view(),
        _ => {
            let x = operand.tensor().expect("small operands are in memory");
            // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned. The rest is forwarded: same
            // contract as this function.
            unsafe { AnyView::from_parts(x.storage().ptr(), x.layout().clone(), x.dtype()) }
        }
    };
    let (layout, dtype) = (view.layout().to_row_major(), view.dtype());
    Ok(TempCopy::new(view, layout, dtype, |out, view| copy(out, &view))?.into_tensor())
}

/// The operands and the output of a small operation that was not computed yet, and the claims on them.
struct SmallInPlace<'a, const M: usize> {
    operands: &'a [Operand<'a>; M],
    out: Operand<'a>,
    /// On the output for writing and on the operands for reading.
    _claims: &'a Claims<'a, M>,
}

impl<const M: usize> ClaimedMemory for SmallInPlace<'_, M> {
    fn copy_elements(&self, of: ClaimedElement) -> Result<Tensor, Error> {
        let operand = match of {
            ClaimedElement::Input(n) => &self.operands[n],
            ClaimedElement::Output(_) => &self.out,
        };
        // SAFETY: `_claims` covers the operands and the output, to which only this operation writes: after this value
        // was dropped.
        unsafe { copy_claimed(operand) }
    }
}

/// Computes into a small tensor that exists: a kernel reads the operands, broadcast to its shape, and writes
/// every element. Returns `false`, with nothing written, if they are not small or another thread has claimed them.
///
/// # Errors
/// If an observer refuses the operation. Nothing is written then.
#[inline(always)]
pub(crate) fn compute_small_into<const M: usize>(
    event: &Announcement<'_>,
    out: &Tensor,
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
) -> Result<bool, Error> {
    let Some((target, inputs)) = broadcast_small_to(out, operands) else { return Ok(false) };
    let storages = operands.each_ref().map(Operand::storage);
    let is_few = target.len() <= MAX_FILLED && storages.iter().all(Option::is_none);
    // An observer may take longer than a short claim, for which other threads spin.
    let is_fill = is_few && !event.is_observed();
    let claims = match is_fill {
        true => try_claim_write(out.storage()).map(|it| (Some(it), None)),
        false => try_claim(Some(out.storage()), storages).map(|it| (None, Some(it))),
    };
    let Some(claims) = claims else { return Ok(false) };
    match &claims.1 {
        Some(claims) if event.is_observed() => {
            let claimed = SmallInPlace { operands, out: out.into(), _claims: claims };
            event.deliver_in_place(operands, slice::from_ref(&out.into()), Some(&claimed))?;
        }
        _ => event.publish_in_place(operands, &out.into()),
    }
    // SAFETY: the output is writable and borrowed for writing by `claims`, and each element has one
    // index. The inputs lead to elements that are initialised and borrowed for reading, by `claims` or by
    // their views and cells; each is the output index by index, or shares no byte with it.
    let (target, inputs) = unsafe { SmallViewMut::with_inputs(target, inputs) };
    let _: Written<'_> = kernel(target, inputs);
    Ok(true)
}

/// Like [`compute_small_into`], for a kernel that calls a closure of the user: borrows as guards do.
#[inline(always)]
pub(crate) fn compute_small_closure_into<const M: usize>(
    event: &Announcement<'_>,
    out: &Tensor,
    operands: &[Operand<'_>; M],
    kernel: impl for<'x> FnOnce(SmallViewMut<'x>, [SmallView<'x>; M]) -> Written<'x>,
) -> bool {
    if event.is_observed() {
        return false;
    }
    let Some((target, inputs)) = broadcast_small_to(out, operands) else { return false };
    let out = Target::from(out);
    let Ok(_borrows) = OperationBorrows::take_guards(Some(&out), operands) else { return false };
    event.publish_in_place(operands, &out);
    // SAFETY: as in `compute_small_into`, with `_borrows` for `_claims`.
    let (target, inputs) = unsafe { SmallViewMut::with_inputs(target, inputs) };
    let _: Written<'_> = kernel(target, inputs);
    true
}

/// Returns a small tensor that can be written to, and operands broadcast to its shape: each is the output index by
/// index, or shares no byte with it. Each element of the output has one index.
#[inline(always)]
fn broadcast_small_to<const M: usize>(
    out: &Tensor,
    operands: &[Operand<'_>; M],
) -> Option<(Strided2, [Strided2; M])> {
    if !is_small(out.len()) || !out.storage().is_writable() {
        return None;
    }
    let layout = out.layout();
    let as_row =
        || Some(([1, out.len()], [0, row_stride(Some(layout))?], one_row(layout, operands)?));
    let as_rows = || {
        let (shape, inputs) = few_rows(Some(layout), operands, ResultOrder::Keep)?;
        let [row, col] = rows_and_columns(Some(layout))?.map(|axis| axis.stride);
        match shape {
            SmallShape::Columns { lens } => Some((lens, [col, row], inputs)),
            _ => Some((inputs[0].lens, [row, col], inputs)),
        }
    };
    let (lens, strides, inputs) = as_row().or_else(as_rows)?;
    let target =
        Strided2::new(out.storage().ptr().as_ptr(), out.offset(), out.dtype(), lens, strides);
    let is_possible =
        target.is_injective() && inputs.iter().all(|it| target.is_same_or_disjoint(it));
    if !is_possible {
        return None;
    }
    // The order of the columns does not matter: forwards they are contiguous.
    let is_backwards = target.strides[1] < 0 && inputs.iter().all(|it| it.strides[1] <= 0);
    Some(match is_backwards {
        true => (target.with_columns_reversed(), inputs.map(|it| it.with_columns_reversed())),
        false => (target, inputs),
    })
}

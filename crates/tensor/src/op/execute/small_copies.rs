//! Gathers, scatters and concatenations of few elements, without gather offsets of any rank, and without a plan.
//!
//! As in `small.rs`, the functions return `None` or `false`, without side effects, if the operands have another form or
//! another thread has borrowed their memory; and announce no event.

use super::Operand;
use super::small::rows_and_columns;
use crate::borrow::{try_claim_reads, try_claim_write};
use crate::tensor::reserve;
use crate::view::Strided2;
use crate::{Axis, DType, Layout, Storage, Tensor};
use std::borrow::Borrow;

/// The most elements that are copied under a short claim, for which all users of foreign memory wait.
const MAX_COPIED: usize = 1 << 10;

/// The most bytes that are copied row by row under a short claim.
const MAX_ROW_BYTES: usize = 1 << 16;

/// The elements of a tensor of rank 1 or 2 that an integer list for each axis, or a mask, selects.
pub(crate) struct SmallSelection<'a> {
    x: &'a Tensor,
    /// The offsets of the elements in the storage. Invariant: each is one of the tensor's layout.
    offsets: Vec<usize>,
}

impl<'a> SmallSelection<'a> {
    /// Resolves an index that has a tensor for each axis of `x`. `None` also if an index is out of range.
    pub(crate) fn resolve(x: &'a Tensor, index: &[&Tensor]) -> Option<SmallSelection<'a>> {
        let offsets = match (x.layout().axes(), index) {
            ([_] | [_, _], [mask]) if mask.dtype() == DType::Bool => of_mask(x, mask)?,
            ([_], &[list]) => of_lists(x, [list])?,
            ([_, _], &[rows, columns]) => of_lists(x, [rows, columns])?,
            _ => return None,
        };
        Some(SmallSelection { x, offsets })
    }

    /// Gathers the elements into a new tensor.
    pub(crate) fn read(&self) -> Option<Tensor> {
        let (source, dtype) = (self.x.storage(), self.x.dtype());
        // SAFETY: a tensor is made of it only after all of its elements are written below.
        let storage = unsafe { Storage::uninit(self.offsets.len() * dtype.size()) }.ok()?;
        let _claims = try_claim_reads([Some(source)])?;
        let (from, to) = (source.ptr().as_ptr().cast_const(), storage.ptr().as_ptr());
        let pairs = self.offsets.iter().enumerate().map(|(i, &offset)| (offset, i));
        // SAFETY: the offsets are of elements of the tensor, which are initialised and borrowed for reading by `_claims`.
        // The new storage has room for as many elements as there are offsets, and no other code has it.
        unsafe { copy_elements(dtype.size(), from, to, pairs) };
        let layout = Layout::row_major(&[self.offsets.len()]).ok()?;
        Some(Tensor::on_new(storage, layout, dtype))
    }

    /// Scatters values of the same dtype to the elements: one for each, or one for all. False also if the tensor cannot
    /// be written.
    pub(crate) fn write(&self, values: &mut Operand<'_>) -> bool {
        let (storage, dtype) = (self.x.storage(), self.x.dtype());
        if !storage.is_writable() || !self.is_injective() {
            return false;
        }
        if values.set_scalar_dtype(dtype).is_err() || values.dtype() != Some(dtype) {
            return false;
        }
        let stride = match values.layout().map_or(&[][..], Layout::axes) {
            [] => 0,
            [axis] if axis.len == self.offsets.len() => axis.stride,
            [axis] if axis.len == 1 => 0,
            _ => return false,
        };
        let Some(values_at) = values.strided([1, 1], [0, 0]) else { return false };
        // Values that share the storage make the second claim fail.
        let Some(_read) = try_claim_reads([values.storage()]) else { return false };
        let Some(_written) = try_claim_write(storage) else { return false };
        let (from, to) = (values_at.ptr.cast_const(), storage.ptr().as_ptr());
        let pairs = self.offsets.iter().enumerate();
        let pairs = pairs.map(|(i, &offset)| ((i as isize * stride) as usize, offset));
        // SAFETY: the values are one for each offset, or one, and are initialised and borrowed for reading by `_read`, or by
        // their cell or view. The offsets are of elements of the tensor, which is writable and borrowed for writing by
        // `_written`.
        unsafe { copy_elements(dtype.size(), from, to, pairs) };
        true
    }

    /// Whether each element of the tensor has one index. Conservative, as that of [`Strided2`].
    fn is_injective(&self) -> bool {
        let (lens, strides) = match self.x.layout().axes() {
            [only] => ([1, only.len], [0, only.stride]),
            [rows, cols] => ([rows.len, cols.len], [rows.stride, cols.stride]),
            _ => return false,
        };
        Strided2::new(std::ptr::null_mut(), 0, self.x.dtype(), lens, strides).is_injective()
    }
}

/// Returns the offsets of the elements at which a mask of the same shape is true.
fn of_mask(x: &Tensor, mask: &Tensor) -> Option<Vec<usize>> {
    let (axes, own) = (rows_and_columns(Some(x.layout()))?, rows_and_columns(Some(mask.layout()))?);
    let (lens, n) = (axes.map(|axis| axis.len), x.len());
    if mask.rank() != x.rank() || own.map(|axis| axis.len) != lens || !(1..=MAX_COPIED).contains(&n)
    {
        return None;
    }
    let mut offsets = reserve(n).ok()?;
    let _claims = try_claim_reads([Some(mask.storage())])?;
    let from = mask.storage().ptr().as_ptr().wrapping_add(mask.offset());
    for r in 0..lens[0] as isize {
        let row = from.wrapping_offset(r * own[0].stride);
        let mut offset = x.offset() as isize + r * axes[0].stride;
        for c in 0..lens[1] as isize {
            // SAFETY: the bytes are the elements of the mask, which are initialised and borrowed for reading.
            if unsafe { row.offset(c * own[1].stride).read() } != 0 {
                offsets.push(offset as usize);
            }
            offset += axes[1].stride;
        }
    }
    Some(offsets)
}

/// Returns the offsets of the elements that lists of `int64` of one length select, one list for each axis.
fn of_lists<const K: usize>(x: &Tensor, lists: [&Tensor; K]) -> Option<Vec<usize>> {
    let axes: &[Axis; K] = x.layout().axes().try_into().ok()?;
    let [first, ..] = lists[0].layout().axes() else { return None };
    let is_list = |it: &&Tensor| {
        it.dtype() == DType::Int64 && it.rank() == 1 && it.layout().axes()[0].len == first.len
    };
    if !lists.iter().all(is_list) || !(1..=MAX_COPIED).contains(&first.len) || x.is_empty() {
        return None;
    }
    let mut offsets = reserve(first.len).ok()?;
    let _claims = try_claim_reads(lists.map(|it| Some(it.storage())))?;
    for i in 0..first.len as isize {
        let mut offset = x.offset() as isize;
        for (list, axis) in lists.iter().zip(axes) {
            let at = list.offset() as isize + i * list.layout().axes()[0].stride;
            // SAFETY: the list has an element of this type there, which is initialised and borrowed for reading. It is
            // read once: foreign code may write to it meanwhile.
            let index = unsafe { list.storage().ptr().cast::<i64>().offset(at).read() };
            let from_front = if index < 0 { index.wrapping_add(axis.len as i64) } else { index };
            let position = usize::try_from(from_front).ok().filter(|&at| at < axis.len)?;
            offset += position as isize * axis.stride;
        }
        offsets.push(offset as usize);
    }
    Some(offsets)
}

/// Concatenates tensors of rank 1 and of one dtype; if they are to be flattened, also tensors of rank 0. `None` also if there
/// are no elements.
pub(crate) fn try_concat<T: Borrow<Tensor>>(tensors: &[T], flattens: bool) -> Option<Tensor> {
    let axis_of = |tensor: &Tensor| match *tensor.layout().axes() {
        [axis] => Some(axis),
        [] if flattens => Some(Axis::new(1, 0)),
        _ => None,
    };
    let dtype = Borrow::<Tensor>::borrow(tensors.first()?).dtype();
    let mut len = 0usize;
    for tensor in tensors {
        let tensor: &Tensor = tensor.borrow();
        len = len.saturating_add(axis_of(tensor)?.len);
        if tensor.dtype() != dtype || len > MAX_COPIED {
            return None;
        }
    }
    if len == 0 {
        return None;
    }
    // SAFETY: a tensor is made of it only after all of its elements are written below.
    let storage = unsafe { Storage::uninit(len * dtype.size()) }.ok()?;
    let mut before = 0;
    for tensor in tensors {
        let tensor: &Tensor = tensor.borrow();
        let (axis, start) = (axis_of(tensor)?, tensor.offset() as isize);
        let _claims = try_claim_reads([Some(tensor.storage())])?;
        let from = tensor.storage().ptr().as_ptr().cast_const();
        let pairs =
            (0..axis.len).map(|i| ((start + i as isize * axis.stride) as usize, before + i));
        // SAFETY: the offsets are of elements of the tensor, which are initialised and borrowed for reading by `_claims`.
        // The new storage has room for the elements of all tensors, and no other code has it.
        unsafe { copy_elements(dtype.size(), from, storage.ptr().as_ptr(), pairs) };
        before += axis.len;
    }
    Some(Tensor::on_new(storage, Layout::row_major(&[len]).ok()?, dtype))
}

/// Concatenates tensors of rank 2 that are all row-major, or all column-major, of one dtype and with equal lengths along the
/// other axis. The result has their order. `None` also if there are no elements.
pub(crate) fn try_concat_rows<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Option<Tensor> {
    let k = usize::try_from(if axis < 0 { axis + 2 } else { axis }).ok().filter(|&k| k < 2)?;
    let first: &Tensor = tensors.first()?.borrow();
    let is_transposed = !first.is_contiguous();
    let k = if is_transposed { 1 - k } else { k };
    let ([rows, cols], dtype) = (lens_of_rows(first, is_transposed)?, first.dtype());
    let mut lens = [rows, cols];
    lens[k] = 0;
    for tensor in tensors {
        let tensor: &Tensor = tensor.borrow();
        let own = lens_of_rows(tensor, is_transposed)?;
        if tensor.dtype() != dtype || own[1 - k] != lens[1 - k] {
            return None;
        }
        lens[k] = lens[k].checked_add(own[k])?;
    }
    let n_bytes = lens[0].checked_mul(lens[1])?.checked_mul(dtype.size())?;
    if n_bytes == 0 || n_bytes > MAX_ROW_BYTES {
        return None;
    }
    // SAFETY: a tensor is made of it only after all of its elements are written below.
    let storage = unsafe { Storage::uninit(n_bytes) }.ok()?;
    let n_rows = if k == 0 { 1 } else { lens[0] };
    let (row_bytes, mut before) = (n_bytes / n_rows, 0);
    for tensor in tensors {
        let tensor: &Tensor = tensor.borrow();
        let part_bytes = tensor.len() * dtype.size() / n_rows;
        let _claims = try_claim_reads([Some(tensor.storage())])?;
        let from = tensor.storage().ptr().as_ptr().wrapping_add(tensor.offset() * dtype.size());
        let to = storage.ptr().as_ptr().wrapping_add(before);
        for r in 0..n_rows {
            // SAFETY: the tensor is `n_rows` contiguous parts, which are initialised and borrowed for reading by `_claims`.
            // Each row of the new storage has room for the parts of all tensors, and no other code has it.
            unsafe {
                let from = from.wrapping_add(r * part_bytes);
                to.wrapping_add(r * row_bytes).copy_from_nonoverlapping(from, part_bytes);
            }
        }
        before += part_bytes;
    }
    let layout = Layout::row_major(&lens).ok()?;
    let layout = if is_transposed { layout.t().ok()? } else { layout };
    Some(Tensor::on_new(storage, layout, dtype))
}

/// Returns the lengths of a row-major tensor of rank 2; if `is_transposed`, those of the transpose of a column-major one.
fn lens_of_rows(tensor: &Tensor, is_transposed: bool) -> Option<[usize; 2]> {
    let &[rows, cols] = tensor.layout().axes() else { return None };
    let [rows, cols] = if is_transposed { [cols, rows] } else { [rows, cols] };
    let has_contiguous_rows = cols.len <= 1 || cols.stride == 1;
    let is_dense = has_contiguous_rows && (rows.len <= 1 || rows.stride == cols.len as isize);
    is_dense.then_some([rows.len, cols.len])
}

/// Gathers the positions of an axis of a tensor of rank 2 that a list of `int64` selects. `None` also if one is out of range,
/// or there are no elements.
pub(crate) fn try_take(x: &Tensor, list: &Tensor, axis: isize) -> Option<Tensor> {
    let k = usize::try_from(if axis < 0 { axis + 2 } else { axis }).ok().filter(|&k| k < 2)?;
    let (&[rows, cols], [own]) = (x.layout().axes(), list.layout().axes()) else { return None };
    let taken = [rows, cols][k];
    let lens = if k == 0 { [own.len, cols.len] } else { [rows.len, own.len] };
    let size = x.dtype().size();
    let n_bytes = lens[0].checked_mul(lens[1])?.checked_mul(size)?;
    if list.dtype() != DType::Int64 || n_bytes == 0 || n_bytes > MAX_ROW_BYTES {
        return None;
    }
    let mut offsets = reserve(own.len).ok()?;
    {
        let _claims = try_claim_reads([Some(list.storage())])?;
        let first = list.storage().ptr().as_ptr().cast::<i64>().wrapping_add(list.offset());
        for i in 0..own.len as isize {
            // SAFETY: the list has an element of this type there, which is initialised and borrowed for reading. It is read
            // once: foreign code may write to it meanwhile.
            let index = unsafe { first.wrapping_offset(i * own.stride).read() };
            let from_front = if index < 0 { index.wrapping_add(taken.len as i64) } else { index };
            let position = usize::try_from(from_front).ok().filter(|&at| at < taken.len)?;
            offsets.push((position as isize * taken.stride) as usize);
        }
    }
    // SAFETY: a tensor is made of it only after all of its elements are written below.
    let storage = unsafe { Storage::uninit(n_bytes) }.ok()?;
    let _claims = try_claim_reads([Some(x.storage())])?;
    let at = |offset: usize| {
        x.storage().ptr().as_ptr().wrapping_add(x.offset().wrapping_add(offset).wrapping_mul(size))
    };
    for r in 0..lens[0] {
        let to = storage.ptr().as_ptr().wrapping_add(r * lens[1] * size);
        // SAFETY: the offsets are of elements of the tensor, which are initialised and borrowed for reading by `_claims`. The
        // new storage has room for a row of elements there, and no other code has it.
        unsafe {
            match k {
                0 if cols.stride == 1 => {
                    to.copy_from_nonoverlapping(at(offsets[r]), cols.len * size);
                }
                0 => {
                    let columns = (0..cols.len).map(|c| ((c as isize * cols.stride) as usize, c));
                    copy_elements(size, at(offsets[r]), to, columns);
                }
                _ => {
                    let row = at((r as isize * rows.stride) as usize);
                    let pairs = offsets.iter().enumerate().map(|(i, &offset)| (offset, i));
                    copy_elements(size, row, to, pairs);
                }
            }
        }
    }
    Some(Tensor::on_new(storage, Layout::row_major(&lens).ok()?, x.dtype()))
}

/// Copies elements of `size` bytes, one after another, by pairs of offsets: from which, and to which.
///
/// # Safety
/// - The elements that the first offsets lead to from `from` must be valid for reads, and those that the second lead to
///   from `to` for writes, of `size` bytes.
/// - No element that is read may overlap one that is written.
#[inline]
unsafe fn copy_elements(
    size: usize,
    from: *const u8,
    to: *mut u8,
    pairs: impl Iterator<Item = (usize, usize)>,
) {
    /// Copies elements of a constant size, which takes a pair of instructions for each.
    ///
    /// # Safety
    /// That of `copy_elements`, for a size of `SIZE`.
    #[inline(always)]
    unsafe fn copy_each<const SIZE: usize>(
        from: *const u8,
        to: *mut u8,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) {
        for (source, target) in pairs {
            let (source, target) = (source.wrapping_mul(SIZE), target.wrapping_mul(SIZE));
            // SAFETY: forwarded: same contract as this function. A negative offset wraps around twice.
            unsafe {
                let from = from.wrapping_add(source);
                to.wrapping_add(target).copy_from_nonoverlapping(from, SIZE);
            }
        }
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        match size {
            1 => copy_each::<1>(from, to, pairs),
            2 => copy_each::<2>(from, to, pairs),
            4 => copy_each::<4>(from, to, pairs),
            8 => copy_each::<8>(from, to, pairs),
            16 => copy_each::<16>(from, to, pairs),
            _ => unreachable!("sizes of elements are powers of two up to 16"),
        }
    }
}

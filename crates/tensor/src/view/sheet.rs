//! The memory of an operation on small matrices.
//!
//! As in `line.rs`, for two axes: a kernel is told where the first element is, and how far it is to the
//! next row and to the next column. What is not like that goes the way of `operate.rs`.

use super::Written;
use crate::borrow::{Claims, try_claim};
use crate::{DType, Error, Layout, Storage, Tensor};
use std::marker::PhantomData;

/// Where the elements of a matrix lie: numbers that prove nothing.
#[derive(Clone, Copy)]
struct Area {
    ptr: *mut u8,
    /// How many rows and columns there are.
    lens: [usize; 2],
    /// How far apart they are, in elements.
    strides: [isize; 2],
    dtype: DType,
}

/// A matrix that is read.
///
/// Invariant: it has at least one element. All of them, as `lens` and `strides` lead to from `ptr` on, are of
/// type `dtype`, initialised, readable during `'x`, and none of the [`SheetMut`] with this lifetime; nobody
/// writes to them meanwhile. The lifetime is a brand: it can be neither shortened nor lengthened.
#[derive(Clone, Copy)]
pub(crate) struct Sheet<'x> {
    area: Area,
    brand: PhantomData<fn(&'x ()) -> &'x ()>,
}

/// A matrix that is written.
///
/// Invariant: as for [`Sheet`], but the elements are writable and nobody else's during `'x`, each has one
/// place, and they may be uninitialised.
pub(crate) struct SheetMut<'x>(Sheet<'x>);

/// Two matrices that an operation reads, borrowed.
pub(crate) struct Sheets<'a> {
    /// Lead to elements that are borrowed through `_claims`.
    areas: [Area; 2],
    _claims: Claims<'a, 2>,
}

impl<'x> Sheet<'x> {
    /// # Safety
    /// The invariant of `Sheet` must hold, or that of `SheetMut` if it becomes one.
    #[inline]
    unsafe fn on(area: Area) -> Sheet<'x> {
        Sheet { area, brand: PhantomData }
    }

    /// Where the first element is.
    #[inline]
    pub(crate) fn ptr(&self) -> *mut u8 {
        self.area.ptr
    }

    /// How many rows and columns there are.
    #[inline]
    pub(crate) fn lens(&self) -> [usize; 2] {
        self.area.lens
    }

    /// How far apart rows and columns are, in elements.
    #[inline]
    pub(crate) fn strides(&self) -> [isize; 2] {
        self.area.strides
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.area.dtype
    }
}

impl<'x> SheetMut<'x> {
    /// Where the elements are.
    #[inline]
    pub(crate) fn sheet(&self) -> &Sheet<'x> {
        &self.0
    }

    /// The proof that every element was written: for kernels, when they have.
    ///
    /// # Safety
    /// Every element of the sheet must be initialised.
    #[inline]
    pub(crate) unsafe fn written(self) -> Written<'x> {
        Written(PhantomData)
    }
}

/// The area of a tensor that is a matrix and not empty.
#[inline(always)]
fn area_of(tensor: &Tensor) -> Option<Area> {
    let [rows, cols] = tensor.layout().axes() else { return None };
    let lens = [rows.len, cols.len];
    if lens.contains(&0) {
        return None;
    }
    let (dtype, start) = (tensor.dtype(), tensor.layout().start());
    // The elements are in memory, so no distance between two of them is beyond an `isize`.
    let ptr = tensor.storage().ptr().as_ptr().wrapping_add(start * dtype.size());
    Some(Area { ptr, lens, strides: [rows.stride, cols.stride], dtype })
}

impl<'a> Sheets<'a> {
    /// Borrows two matrices. None if they are none, are empty, or share a storage with somebody who is at
    /// work.
    #[inline(always)]
    pub(crate) fn of([a, b]: [&'a Tensor; 2]) -> Option<Sheets<'a>> {
        let areas = [area_of(a)?, area_of(b)?];
        let _claims = try_claim(None, [Some(a.storage()), Some(b.storage())])?;
        Some(Sheets { areas, _claims })
    }

    /// Makes a matrix of so many rows and columns: a kernel reads the others and writes every element.
    ///
    /// # Errors
    /// If there is not enough memory. If there are no elements, this panics.
    #[inline(always)]
    pub(crate) fn make(
        &self,
        lens: [usize; 2],
        dtype: DType,
        kernel: impl for<'x> FnOnce(SheetMut<'x>, [Sheet<'x>; 2]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        assert!(!lens.contains(&0), "a sheet has elements");
        let layout = Layout::row_major(&lens)?;
        let Some(bytes) = layout.len().checked_mul(dtype.size()) else {
            return Err(Error::OutOfMemory { bytes: usize::MAX });
        };
        // SAFETY: it becomes part of a tensor only in exchange for a `Written`.
        let storage = unsafe { Storage::uninit(bytes) }?;
        let (ptr, strides) = (storage.ptr().as_ptr(), [lens[1] as isize, 1]);
        // SAFETY: the storage is new, so nobody else has it, and has room for so many rows, one behind
        // the other.
        let out = SheetMut(unsafe { Sheet::on(Area { ptr, lens, strides, dtype }) });
        // SAFETY: the areas are of tensors that are borrowed for reading, and so initialised; none of their
        // elements is in a new storage.
        let sheets = unsafe { [Sheet::on(self.areas[0]), Sheet::on(self.areas[1])] };
        // The lifetime is this call's own, so what comes back is about `out`: all of it is written.
        let Written(_) = kernel(out, sheets);
        Ok(Tensor::on_new(storage, layout, dtype))
    }
}

//! The operands of a tile, and how they are packed into a buffer.

use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::kernel::copy::{Steps, copy_tile};
use crate::{DType, Element};

/// A pointer to the first element of a matrix, with the strides of its rows and columns in elements.
pub(super) struct MatPtr<T> {
    pub at: *mut T,
    pub row: isize,
    pub col: isize,
}

impl<T> Clone for MatPtr<T> {
    fn clone(&self) -> MatPtr<T> {
        *self
    }
}

impl<T> Copy for MatPtr<T> {}

impl<T> MatPtr<T> {
    /// Returns a row-major matrix of `cols` columns.
    pub(super) fn row_major(at: *mut T, cols: usize) -> MatPtr<T> {
        MatPtr { at, row: cols as isize, col: 1 }
    }

    /// Returns the same elements as another type, which must have the same size if they are accessed.
    pub(super) fn cast<U>(self) -> MatPtr<U> {
        MatPtr { at: self.at.cast(), row: self.row, col: self.col }
    }

    /// Returns the submatrix that starts at row `i` and column `j`. If there is no such element, the pointer must not
    /// be used.
    #[inline(always)]
    pub(super) fn submatrix(self, i: usize, j: usize) -> MatPtr<T> {
        let offset =
            (i as isize).wrapping_mul(self.row).wrapping_add((j as isize).wrapping_mul(self.col));
        MatPtr { at: self.at.wrapping_offset(offset), ..self }
    }
}

/// The operands of one tile: `out = a · b`, or `out += a · b` if `add`.
pub(super) struct TileProduct<T> {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub out: MatPtr<T>,
    pub a: MatPtr<T>,
    pub b: MatPtr<T>,
    pub add: bool,
}

impl TileProduct<u8> {
    /// Returns the same operands with elements of type `T`.
    pub(super) fn cast<T>(&self) -> TileProduct<T> {
        let TileProduct { m, n, k, out, a, b, add } = *self;
        TileProduct { m, n, k, out: out.cast(), a: a.cast(), b: b.cast(), add }
    }
}

/// Packs blocks of matrices of type `T` into buffers, and casts them if the buffer has another dtype.
pub(super) struct Packer<T> {
    convert: Option<Body<'static, 2>>,
    /// Room for contiguous elements to be cast.
    dense: *mut T,
}

impl<T: Element> Packer<T> {
    /// Returns a packer into buffers of a dtype. Elements are packed into `dense` before they are cast, unless they are
    /// contiguous.
    pub(super) fn new(dtype: DType, dense: *mut T) -> Packer<T> {
        let convert = (dtype != T::DTYPE).then(|| cast(T::DTYPE, dtype));
        Packer { convert, dense }
    }

    /// Packs `rows × cols` elements into contiguous rows with stride `to.row`.
    ///
    /// # Safety
    /// - `from` must be valid for reads and `to` for writes of the elements, and they share none.
    /// - `C` must have the dtype of the packer.
    /// - If `T` has another dtype and `from.col` is not 1, `dense` must be valid for writes of as many elements, which no other
    ///   pointer accesses meanwhile.
    pub(super) unsafe fn pack<C: Element>(
        &mut self,
        to: MatPtr<C>,
        from: MatPtr<T>,
        [rows, cols]: [usize; 2],
    ) {
        let Some(convert) = self.convert else {
            // SAFETY: both are valid (contract); without a cast, `T` and `C` are the same type.
            return unsafe { copy(to.cast(), from, [rows, cols]) };
        };
        let from = match from.col == 1 {
            true => from,
            false => {
                let dense = MatPtr::row_major(self.dense, cols);
                // SAFETY: the buffer has room for `rows * cols` elements (contract).
                unsafe { copy(dense, from, [rows, cols]) };
                dense
            }
        };
        for r in 0..rows {
            // SAFETY: both rows are `cols` contiguous elements, of the dtypes that were given to `cast`.
            unsafe {
                let blocks = [to.submatrix(r, 0).at.cast(), from.submatrix(r, 0).at.cast()];
                convert.call(blocks, cols, 0);
            }
        }
    }
}

/// Copies a matrix.
///
/// # Safety
/// `from` must be valid for reads and `to` for writes of the elements, and they share none.
unsafe fn copy<T>(to: MatPtr<T>, from: MatPtr<T>, counts: [usize; 2]) {
    let size = size_of::<T>();
    let steps =
        |it: MatPtr<T>| Steps { rows: it.row * size as isize, cols: it.col * size as isize };
    // SAFETY: both are valid and disjoint (contract), and aligned for `T`.
    unsafe { copy_tile(size, to.at.cast(), steps(to), from.at.cast(), steps(from), counts) }
}

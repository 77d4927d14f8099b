//! A tile of a result with what it is made of, and how that is brought into a buffer.

use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::kernel::copy::{Steps, copy_tile};
use crate::{DType, Element};

/// Where a matrix begins, and how far apart its rows and columns are, in elements.
pub(super) struct Matrix<T> {
    pub at: *mut T,
    pub row: isize,
    pub col: isize,
}

impl<T> Clone for Matrix<T> {
    fn clone(&self) -> Matrix<T> {
        *self
    }
}

impl<T> Copy for Matrix<T> {}

impl<T> Matrix<T> {
    /// Rows of so many elements, one behind the other.
    pub(super) fn dense(at: *mut T, cols: usize) -> Matrix<T> {
        Matrix { at, row: cols as isize, col: 1 }
    }

    /// The same elements as another type, which must be of their size if they are used.
    pub(super) fn cast<U>(self) -> Matrix<U> {
        Matrix { at: self.at.cast(), row: self.row, col: self.col }
    }

    /// The matrix that begins at an element.
    ///
    /// # Safety
    /// There must be such an element.
    #[inline(always)]
    pub(super) unsafe fn from(self, i: usize, j: usize) -> Matrix<T> {
        // SAFETY: the caller's promise.
        let at = unsafe { self.at.offset(i as isize * self.row + j as isize * self.col) };
        Matrix { at, ..self }
    }
}

/// One tile: `out = a · b`, or `out += a · b`.
pub(super) struct Part<T> {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub out: Matrix<T>,
    pub a: Matrix<T>,
    pub b: Matrix<T>,
    pub add: bool,
}

impl Part<u8> {
    /// The same with elements of a type.
    pub(super) fn of<T>(&self) -> Part<T> {
        let Part { m, n, k, out, a, b, add } = *self;
        Part { m, n, k, out: out.cast(), a: a.cast(), b: b.cast(), add }
    }
}

/// Brings parts of matrices into buffers, and converts them from `T` to `C` if these differ.
pub(super) struct Loader<T> {
    convert: Option<Body<'static, 2>>,
    /// Elements on the way to be converted.
    scratch: Vec<T>,
}

impl<T: Element> Loader<T> {
    /// One that converts to a type.
    pub(super) fn to(dtype: DType) -> Loader<T> {
        let convert = (dtype != T::DTYPE).then(|| cast(T::DTYPE, dtype));
        Loader { convert, scratch: Vec::new() }
    }

    /// Brings `rows × cols` elements to a place where rows are blocks, `to.row` apart.
    ///
    /// # Safety
    /// The elements must be readable at `from` and writable at `to`, and the two share none; `C` is the
    /// type that the loader converts to.
    pub(super) unsafe fn load<C: Element>(
        &mut self,
        to: Matrix<C>,
        from: Matrix<T>,
        [rows, cols]: [usize; 2],
    ) {
        let Some(convert) = self.convert else {
            // SAFETY: the caller's promises; `T` and `C` are one type.
            return unsafe { copy(to.cast(), from, [rows, cols]) };
        };
        let from = match from.col == 1 {
            true => from,
            false => {
                self.scratch.reserve(rows * cols);
                let dense = Matrix::dense(self.scratch.as_mut_ptr(), cols);
                // SAFETY: there is room for as many elements.
                unsafe { copy(dense, from, [rows, cols]) };
                dense
            }
        };
        for r in 0..rows {
            // SAFETY: both rows are blocks of `cols` elements, of the types that were given to `cast`.
            unsafe {
                let blocks = [to.from(r, 0).at.cast(), from.from(r, 0).at.cast()];
                convert.call(blocks, cols, 0);
            }
        }
    }
}

/// Copies a matrix.
///
/// # Safety
/// The elements must be readable at `from` and writable at `to`, and the two share none.
unsafe fn copy<T>(to: Matrix<T>, from: Matrix<T>, counts: [usize; 2]) {
    let size = size_of::<T>();
    let steps =
        |it: Matrix<T>| Steps { rows: it.row * size as isize, cols: it.col * size as isize };
    // SAFETY: the caller's promises; elements are aligned as their type is.
    unsafe { copy_tile(size, to.at.cast(), steps(to), from.at.cast(), steps(from), counts) }
}

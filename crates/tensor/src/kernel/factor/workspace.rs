//! Temporary matrices and workspace of factorizations, allocated fallibly.

use super::Fault;
use super::matrix::RawMatrix;
use super::scalar::{FactorReal, FactorScalar};
use crate::MatrixProblem;
#[cfg(unix)]
use crate::fork::HeldLock;
use crate::kernel::first_call::FirstCall;
use faer::dyn_stack::{MemBuffer, StackReq};
use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use std::cell::Cell;
use std::hint::black_box;

/// Returns a vector of `rows * cols` copies of a value.
pub(super) fn filled<T: Copy>(value: T, rows: usize, cols: usize) -> Result<Vec<T>, Fault> {
    let mut values = reserve(rows, cols)?;
    values.resize(rows * cols, value);
    Ok(values)
}

/// Returns a column-major copy of a matrix, for factorizations that overwrite it.
pub(super) fn column_major<T: Copy>(a: RawMatrix<'_, T>) -> Result<Vec<T>, Fault> {
    let mut values = reserve(a.n_rows(), a.n_cols())?;
    for j in 0..a.n_cols() {
        values.extend((0..a.n_rows()).map(|i| a.get(i, j)));
    }
    Ok(values)
}

fn reserve<T>(rows: usize, cols: usize) -> Result<Vec<T>, Fault> {
    let mut values = Vec::new();
    let n = rows.checked_mul(cols).ok_or(Fault::Memory(usize::MAX))?;
    values.try_reserve_exact(n).map_err(|_| Fault::Memory(n.saturating_mul(size_of::<T>())))?;
    Ok(values)
}

/// At least the size of the buffer that each thread keeps for packed blocks of products: twice the thread's share of the
/// L3 cache.
const PACKING_BYTES: usize = 64 << 20;

thread_local! {
    /// Whether this thread has checked that its packing buffer can be allocated.
    static HAS_CHECKED_PACKING: Cell<bool> = const { Cell::new(false) };
}

/// Checks once per thread that the packing buffer of `faer`'s products could be allocated: `faer` aborts if it
/// cannot.
pub(super) fn check_packing_memory() -> Result<(), Fault> {
    if !HAS_CHECKED_PACKING.get() {
        // `black_box`: the compiler may remove an allocation that is not used.
        black_box(reserve::<u8>(PACKING_BYTES, 1)?.as_mut_ptr());
        HAS_CHECKED_PACKING.set(true);
    }
    Ok(())
}

static FIRST_PRODUCT: FirstCall = FirstCall::new();

/// Computes a product that is large enough to use the packing buffer, once in a process: see [`FirstCall`]. The buffer must
/// have been checked.
pub(super) fn ensure_first_product() {
    FIRST_PRODUCT.ensure(|| {
        // Products up to 16³ take another path.
        const SIDE: usize = 17;
        let (ones, mut product) = ([1.0; SIDE * SIDE], [0.0; SIDE * SIDE]);
        let ones = MatRef::from_column_major_slice(&ones, SIDE, SIDE);
        let out = MatMut::from_column_major_slice_mut(&mut product, SIDE, SIDE);
        matmul(out, Accum::Replace, ones, ones, 1.0, Par::Seq);
    });
}

/// Takes the lock of the first product for a fork.
#[cfg(unix)]
pub(crate) fn lock_for_fork() -> Box<dyn HeldLock> {
    FIRST_PRODUCT.lock_for_fork()
}

/// Allocates the workspace that `faer` asks for.
pub(super) fn workspace(needed: StackReq) -> Result<MemBuffer, Fault> {
    MemBuffer::try_new(needed).map_err(|_| Fault::Memory(needed.size_bytes()))
}

/// A copy of a matrix, scaled by a power of two.
///
/// It is always a copy: memory shared with another library may be written to meanwhile, and an iteration
/// over a matrix that changes may not terminate.
pub(super) struct ScaledMatrix<T: FactorScalar> {
    rows: usize,
    cols: usize,
    /// The elements in column-major order.
    elements: Vec<T>,
    /// The reciprocal of the scale.
    unscale: Option<T::Real>,
}

impl<T: FactorScalar> ScaledMatrix<T> {
    /// Copies a matrix, and scales it if the squares of its elements would overflow or underflow.
    ///
    /// # Errors
    /// If an element is infinite or NaN, for which iterations do not converge.
    pub(super) fn new(matrix: RawMatrix<'_, T>) -> Result<ScaledMatrix<T>, Fault> {
        ScaledMatrix::with_scale(matrix, false, T::Real::scale_for)
    }

    /// Copies a matrix whose eigenvectors are computed.
    ///
    /// `faer` 0.24 compares elements of its triangular form with numbers that do not depend on their scale: eigenvectors of real matrices
    /// of elements of 2⁻¹⁰ in single precision, and 2⁻⁴⁰ in double precision, had three correct digits.
    ///
    /// # Errors
    /// As for [`new`](ScaledMatrix::new).
    pub(super) fn for_eig(matrix: RawMatrix<'_, T>) -> Result<ScaledMatrix<T>, Fault> {
        ScaledMatrix::with_scale(matrix, false, |max_abs| T::Real::scale_to(16.0, max_abs))
    }

    /// Copies a Hermitian matrix, of which only the lower triangle is used, and the real part of the diagonal, and scales it to a norm
    /// near 1.
    ///
    /// From 128 rows on, `faer` 0.24 finds eigenvectors by divide and conquer, which compares numbers of the scale of the matrix with
    /// those of unit vectors: eigenvectors of elements of 2²⁸ or 2⁻⁴⁰ had 4 to 6 correct digits in double precision.
    ///
    /// # Errors
    /// As for [`new`](ScaledMatrix::new).
    pub(super) fn hermitian(matrix: RawMatrix<'_, T>) -> Result<ScaledMatrix<T>, Fault> {
        // The norm is between the largest element and `n` times that; for random elements it is `√n` times that.
        let exponent = -0.5 * (matrix.n_rows() as f64).log2();
        ScaledMatrix::with_scale(matrix, true, |max_abs| T::Real::scale_to(exponent, max_abs))
    }

    fn with_scale(
        matrix: RawMatrix<'_, T>,
        is_hermitian: bool,
        scale: impl FnOnce(T::Real) -> Option<T::Real>,
    ) -> Result<ScaledMatrix<T>, Fault> {
        let (rows, cols) = (matrix.n_rows(), matrix.n_cols());
        let mut elements = column_major(matrix)?;
        let mut max_abs = T::Real::zero_impl();
        for (j, column) in elements.chunks_exact(rows.max(1)).enumerate() {
            let largest = largest_part(&column[if is_hermitian { j } else { 0 }..])
                .ok_or(Fault::Matrix(MatrixProblem::NotFinite))?;
            max_abs = if largest > max_abs { largest } else { max_abs };
        }
        let scale = scale(max_abs);
        if let Some(scale) = &scale {
            elements.iter_mut().for_each(|it| *it = T::mul_real_impl(it, scale));
        }
        if is_hermitian {
            let diagonal = elements.iter_mut().step_by(rows + 1);
            diagonal.for_each(|it| *it = T::from_real_impl(&T::real_part_impl(it)));
        }
        let unscale = scale.map(|scale| FactorReal::over(T::Real::one_impl(), scale));
        Ok(ScaledMatrix { rows, cols, elements, unscale })
    }

    pub(super) fn matrix(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(&self.elements, self.rows, self.cols)
    }

    pub(super) fn matrix_mut(&mut self) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_mut(&mut self.elements, self.rows, self.cols)
    }

    /// Converts a singular value or eigenvalue of the scaled matrix to that of the original.
    pub(super) fn unscale(&self, value: T::Real) -> T::Real {
        match self.unscale {
            Some(factor) => value * factor,
            None => value,
        }
    }
}

/// Returns the largest absolute value of a real or imaginary part, or `None` if an element is not finite. The absolute value
/// of a complex number may overflow.
fn largest_part<T: FactorScalar>(elements: &[T]) -> Option<T::Real> {
    /// Elements that are compared at once, by vector instructions.
    const LANES: usize = 8;
    let zero = T::Real::zero_impl();
    // A sum of products with 0 is NaN if a factor is not finite.
    let (mut max, mut sum) = ([zero; LANES], [zero; LANES]);
    for chunk in elements.chunks(LANES) {
        for (l, element) in chunk.iter().enumerate() {
            let mut add = |part: T::Real| {
                let abs = T::Real::abs_impl(&part);
                max[l] = if abs > max[l] { abs } else { max[l] };
                sum[l] += abs * zero;
            };
            add(T::real_part_impl(element));
            if !T::IS_REAL {
                add(T::imag_part_impl(element));
            }
        }
    }
    let is_finite = sum.iter().all(|&it| it == zero);
    is_finite.then(|| max.into_iter().fold(zero, |x, y| if y > x { y } else { x }))
}

/// Whether all elements are finite; of a Hermitian matrix, those of the lower triangle.
pub(super) fn is_finite<T: ComplexField>(a: MatRef<'_, T>, is_hermitian: bool) -> bool {
    let first = |j: usize| if is_hermitian { j } else { 0 };
    (0..a.ncols()).all(|j| (first(j)..a.nrows()).all(|i| T::is_finite_impl(&a[(i, j)])))
}

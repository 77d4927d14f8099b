//! Eigendecompositions: eigenvalues and eigenvectors.

use super::Fault;
use super::matrix::MatrixPtr;
use super::scalar::{FactorReal, FactorScalar};
use super::workspace::{ScaledMatrix, filled, workspace};
use crate::{MatrixProblem, Value};
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{
    ComputeEigenvectors, evd_cplx, evd_real, evd_scratch, self_adjoint_evd,
    self_adjoint_evd_scratch,
};
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par};
use num_complex::Complex;

const NO_CONVERGENCE: Fault = Fault::Matrix(MatrixProblem::NoConvergence);

/// # Safety
/// That of a `FactorKernel`.
pub(super) unsafe fn eigh<T: FactorScalar>(
    out: &[MatrixPtr],
    input: &[MatrixPtr],
) -> Result<(), Fault> {
    // SAFETY: forwarded: inputs are readable and outputs writable (contract of a `FactorKernel`).
    let a: MatRef<'_, T> = unsafe { input[0].read() };
    let n = a.nrows();
    assert_shapes(out, n);
    if n == 0 {
        return Ok(());
    }
    let size = eigenvectors(out.len() > 1);
    let params = Default::default();
    let mut memory = workspace(self_adjoint_evd_scratch::<T>(n, size, Par::Seq, params))?;
    let stack = MemStack::new(&mut memory);
    let a = ScaledMatrix::new(a, true)?;
    let mut values = filled(T::zero_impl(), n, 1)?;
    // SAFETY: forwarded, as above.
    let vectors = out.get(1).map(|out| unsafe { out.write() });
    let diagonal = DiagMut::from_slice_mut(&mut values);
    self_adjoint_evd(a.matrix(), diagonal, vectors, Par::Seq, stack, params)
        .map_err(|_| NO_CONVERGENCE)?;
    for (i, value) in values.iter().enumerate() {
        let real = <T::Real as Value>::DTYPE;
        // SAFETY: forwarded, as above.
        unsafe { out[0].put(i, 0, a.unscale(T::real_part_impl(value)), real) };
    }
    Ok(())
}

/// Complex eigenvalues of a real matrix come in conjugate pairs, and so do their vectors: `faer` returns the
/// real part of both in one column and the imaginary part in the next.
///
/// # Safety
/// That of a `FactorKernel`.
pub(super) unsafe fn eig_real<R: FactorReal + FactorScalar>(
    out: &[MatrixPtr],
    input: &[MatrixPtr],
) -> Result<(), Fault> {
    // SAFETY: forwarded: inputs are readable and outputs writable (contract of a `FactorKernel`).
    let a: MatRef<'_, R> = unsafe { input[0].read() };
    let (n, zero, has_vectors) = (a.nrows(), R::zero_impl(), out.len() > 1);
    assert_shapes(out, n);
    let params = Default::default();
    let no = ComputeEigenvectors::No;
    let mut memory =
        workspace(evd_scratch::<R>(n, no, eigenvectors(has_vectors), Par::Seq, params))?;
    let stack = MemStack::new(&mut memory);
    let a = ScaledMatrix::new(a, false)?;
    let (mut re, mut im) = (filled(zero, n, 1)?, filled(zero, n, 1)?);
    let mut vectors = filled(zero, n, if has_vectors { n } else { 0 })?;
    let parts = (DiagMut::from_slice_mut(&mut re), DiagMut::from_slice_mut(&mut im));
    let place = has_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors, n, n));
    evd_real(a.matrix(), parts.0, parts.1, None, place, Par::Seq, stack, params)
        .map_err(|_| NO_CONVERGENCE)?;
    let mut j = 0;
    while j < n {
        let is_pair = im[j] != zero && j + 1 < n;
        for (k, sign) in [(j, R::one_impl()), (j + 1, -R::one_impl())] {
            if k == j || is_pair {
                // SAFETY: forwarded, as above.
                unsafe {
                    out[0].put(
                        k,
                        0,
                        Complex::new(a.unscale(re[j]), a.unscale(im[j] * sign)),
                        R::COMPLEX,
                    )
                };
            }
        }
        if has_vectors {
            let column = |j: usize| &vectors[n * j..n * (j + 1)];
            let (x, y) = (column(j), is_pair.then(|| column(j + 1)));
            // SAFETY: forwarded, as above.
            unsafe { put_column(&out[1], j, x, y, R::one_impl()) };
            if is_pair {
                // SAFETY: forwarded, as above.
                unsafe { put_column(&out[1], j + 1, x, y, -R::one_impl()) };
            }
        }
        j += if is_pair { 2 } else { 1 };
    }
    Ok(())
}

/// # Safety
/// That of a `FactorKernel`.
pub(super) unsafe fn eig_complex<R: FactorReal>(
    out: &[MatrixPtr],
    input: &[MatrixPtr],
) -> Result<(), Fault>
where
    Complex<R>: FactorScalar + ComplexField<Real = R>,
{
    // SAFETY: forwarded: inputs are readable and outputs writable (contract of a `FactorKernel`).
    let a: MatRef<'_, Complex<R>> = unsafe { input[0].read() };
    let (n, has_vectors) = (a.nrows(), out.len() > 1);
    assert_shapes(out, n);
    let params = Default::default();
    let no = ComputeEigenvectors::No;
    let needed = evd_scratch::<Complex<R>>(n, no, eigenvectors(has_vectors), Par::Seq, params);
    let mut memory = workspace(needed)?;
    let stack = MemStack::new(&mut memory);
    let a = ScaledMatrix::new(a, false)?;
    let zero = Complex::new(R::zero_impl(), R::zero_impl());
    let mut values = filled(zero, n, 1)?;
    let mut vectors = filled(zero, n, if has_vectors { n } else { 0 })?;
    let diagonal = DiagMut::from_slice_mut(&mut values);
    let place = has_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors, n, n));
    evd_cplx(a.matrix(), diagonal, None, place, Par::Seq, stack, params)
        .map_err(|_| NO_CONVERGENCE)?;
    for j in 0..n {
        let value = Complex::new(a.unscale(values[j].re), a.unscale(values[j].im));
        // SAFETY: forwarded, as above.
        unsafe { out[0].put(j, 0, value, R::COMPLEX) };
        if has_vectors {
            let column = &vectors[n * j..n * (j + 1)];
            let x: Vec<R> = column.iter().map(|it| it.re).collect();
            let y: Vec<R> = column.iter().map(|it| it.im).collect();
            // SAFETY: forwarded, as above.
            unsafe { put_column(&out[1], j, &x, Some(&y), R::one_impl()) };
        }
    }
    Ok(())
}

/// Writes the column `x + sign · i y`, normalized to length 1.
///
/// # Safety
/// All elements of `out` must be valid for writes.
unsafe fn put_column<R: FactorReal>(out: &MatrixPtr, j: usize, x: &[R], y: Option<&[R]>, sign: R) {
    let zero = R::zero_impl();
    let part = |i: usize| y.map_or(zero, |y| y[i] * sign);
    let length =
        (0..x.len()).fold(zero, |sum, i| FactorReal::hypot(sum, FactorReal::hypot(x[i], part(i))));
    for (i, &re) in x.iter().enumerate() {
        let value = Complex::new(FactorReal::over(re, length), FactorReal::over(part(i), length));
        // SAFETY: forwarded, same contract as this function; `R::COMPLEX` is the dtype of `value`.
        unsafe { out.put(i, j, value, R::COMPLEX) };
    }
}

/// Asserts that the outputs are a column of `n` values and, if there is a second one, `n` vectors.
fn assert_shapes(out: &[MatrixPtr], n: usize) {
    out[0].assert_shape(n, 1);
    out[1..].iter().for_each(|vectors| vectors.assert_shape(n, n));
}

fn eigenvectors(is_wanted: bool) -> ComputeEigenvectors {
    if is_wanted { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

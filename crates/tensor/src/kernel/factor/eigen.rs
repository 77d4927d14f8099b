//! Eigendecompositions: eigenvalues and eigenvectors.

use super::Fault;
use super::matrix::{InputMatrix, OutputMatrix};
use super::scalar::{FactorReal, FactorScalar};
use super::workspace::{ScaledMatrix, filled, workspace};
use crate::cancel::collect_scratch;
use crate::{Element, MatrixProblem};
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{
    ComputeEigenvectors, evd_cplx, evd_real, evd_scratch, self_adjoint_evd,
    self_adjoint_evd_scratch,
};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::ComplexField;
use faer::{MatMut, Par};
use num_complex::Complex;

const NO_CONVERGENCE: Fault = Fault::Matrix(MatrixProblem::NoConvergence);

pub(super) fn eigh<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let n = a.n_rows();
    assert_shapes(out, n);
    if n == 0 {
        return Ok(());
    }
    let params = Default::default();
    let yes = ComputeEigenvectors::Yes;
    let mut memory = workspace(self_adjoint_evd_scratch::<T>(n, yes, Par::Seq, params))?;
    let stack = MemStack::new(&mut memory);
    let a = ScaledMatrix::hermitian(a)?;
    let (mut values, mut vectors) = (filled(T::zero_impl(), n, 1)?, filled(T::zero_impl(), n, n)?);
    let mut vectors = MatMut::from_column_major_slice_mut(&mut vectors, n, n);
    let diagonal = DiagMut::from_slice_mut(&mut values);
    self_adjoint_evd(a.matrix(), diagonal, Some(vectors.rb_mut()), Par::Seq, stack, params)
        .map_err(|_| NO_CONVERGENCE)?;
    let [eigenvalues, eigenvectors] = out else { unreachable!("values and vectors") };
    let mut eigenvalues = eigenvalues.zeroed();
    for (i, value) in values.iter().enumerate() {
        eigenvalues[(i, 0)] = a.unscale(T::real_part_impl(value));
    }
    eigenvectors.copy_from(vectors.rb());
    Ok(())
}

/// Complex eigenvalues of a real matrix come in conjugate pairs, and so do their vectors: `faer` returns the
/// real part of both in one column and the imaginary part in the next.
pub(super) fn eig_real<R: FactorReal + FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault>
where
    Complex<R>: Element,
{
    let a = input[0].read::<R>();
    let (n, zero, has_vectors) = (a.n_rows(), R::zero_impl(), out.len() > 1);
    assert_shapes(out, n);
    let params = Default::default();
    let no = ComputeEigenvectors::No;
    let mut memory =
        workspace(evd_scratch::<R>(n, no, compute_vectors(has_vectors), Par::Seq, params))?;
    let stack = MemStack::new(&mut memory);
    let a = ScaledMatrix::for_eig(a)?;
    let (mut re, mut im) = (filled(zero, n, 1)?, filled(zero, n, 1)?);
    let mut vectors = filled(zero, n, if has_vectors { n } else { 0 })?;
    let parts = (DiagMut::from_slice_mut(&mut re), DiagMut::from_slice_mut(&mut im));
    let right = has_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors, n, n));
    evd_real(a.matrix(), parts.0, parts.1, None, right, Par::Seq, stack, params)
        .map_err(|_| NO_CONVERGENCE)?;
    let (eigenvalues, eigenvectors) = split(out);
    let mut eigenvalues = eigenvalues.zeroed();
    let mut eigenvectors = eigenvectors.map(|out| out.zeroed());
    let mut j = 0;
    while j < n {
        let is_pair = im[j] != zero && j + 1 < n;
        for (k, sign) in [(j, R::one_impl()), (j + 1, -R::one_impl())] {
            if k == j || is_pair {
                eigenvalues[(k, 0)] = Complex::new(a.unscale(re[j]), a.unscale(im[j] * sign));
            }
        }
        if let Some(out) = &mut eigenvectors {
            let column = |j: usize| &vectors[n * j..n * (j + 1)];
            let (x, y) = (column(j), is_pair.then(|| column(j + 1)));
            put_column(out, j, x, y, R::one_impl());
            if is_pair {
                put_column(out, j + 1, x, y, -R::one_impl());
            }
        }
        j += if is_pair { 2 } else { 1 };
    }
    Ok(())
}

pub(super) fn eig_complex<R: FactorReal>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault>
where
    Complex<R>: FactorScalar + ComplexField<Real = R>,
{
    let a = input[0].read::<Complex<R>>();
    let (n, has_vectors) = (a.n_rows(), out.len() > 1);
    assert_shapes(out, n);
    let params = Default::default();
    let no = ComputeEigenvectors::No;
    let needed = evd_scratch::<Complex<R>>(n, no, compute_vectors(has_vectors), Par::Seq, params);
    let mut memory = workspace(needed)?;
    let stack = MemStack::new(&mut memory);
    let a = ScaledMatrix::for_eig(a)?;
    let zero = Complex::new(R::zero_impl(), R::zero_impl());
    let mut values = filled(zero, n, 1)?;
    let mut vectors = filled(zero, n, if has_vectors { n } else { 0 })?;
    let diagonal = DiagMut::from_slice_mut(&mut values);
    let right = has_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors, n, n));
    evd_cplx(a.matrix(), diagonal, None, right, Par::Seq, stack, params)
        .map_err(|_| NO_CONVERGENCE)?;
    let (eigenvalues, eigenvectors) = split(out);
    let mut eigenvalues = eigenvalues.zeroed();
    let mut eigenvectors = eigenvectors.map(|out| out.zeroed());
    for j in 0..n {
        eigenvalues[(j, 0)] = Complex::new(a.unscale(values[j].re), a.unscale(values[j].im));
        if let Some(out) = &mut eigenvectors {
            let column = &vectors[n * j..n * (j + 1)];
            let x = collect_scratch(column.iter().map(|it| it.re));
            let y = collect_scratch(column.iter().map(|it| it.im));
            put_column(out, j, &x, Some(&y), R::one_impl());
        }
    }
    Ok(())
}

/// Writes the column `x + sign · i y`, normalized to length 1.
fn put_column<R: FactorReal>(
    out: &mut MatMut<'_, Complex<R>>,
    j: usize,
    x: &[R],
    y: Option<&[R]>,
    sign: R,
) {
    let zero = R::zero_impl();
    let part = |i: usize| y.map_or(zero, |y| y[i] * sign);
    let length =
        (0..x.len()).fold(zero, |sum, i| FactorReal::hypot(sum, FactorReal::hypot(x[i], part(i))));
    for (i, &re) in x.iter().enumerate() {
        out[(i, j)] = Complex::new(FactorReal::over(re, length), FactorReal::over(part(i), length));
    }
}

/// Returns the output of the eigenvalues and, if there is one, that of the eigenvectors.
fn split<'o, 'a>(
    out: &'o mut [OutputMatrix<'a>],
) -> (&'o mut OutputMatrix<'a>, Option<&'o mut OutputMatrix<'a>>) {
    let (values, vectors) = out.split_first_mut().expect("there is an output for the eigenvalues");
    (values, vectors.first_mut())
}

/// Asserts that the outputs are a column of `n` values and, if there is a second one, `n` vectors.
fn assert_shapes(out: &mut [OutputMatrix<'_>], n: usize) {
    out[0].assert_shape(n, 1);
    out[1..].iter().for_each(|vectors| vectors.assert_shape(n, n));
}

fn compute_vectors(is_wanted: bool) -> ComputeEigenvectors {
    if is_wanted { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

//! QR factorization and singular value decomposition.

use super::Fault;
use super::matrix::{InputMatrix, OutputMatrix};
use super::reflections::{Reflections, is_tall};
use super::scalar::FactorScalar;
use super::workspace::{ScaledMatrix, column_major, filled, is_finite, workspace};
use crate::MatrixProblem;
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams, svd_scratch};
use faer::perm::swap_cols_idx;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{MatMut, MatRef, Par, Spec};

/// QR by Householder reflections. The factors of a matrix that is not finite are NaN: nothing iterates,
/// so it is no error.
pub(super) fn qr<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let (m, n) = (a.n_rows(), a.n_cols());
    let least = m.min(n);
    let mut both = column_major(a)?;
    let [q_out, r] = out else { unreachable!("a QR factorization has two results") };
    let n_columns = q_out.shape()[1];
    let mut q = filled(T::zero_impl(), m, n_columns)?;
    let mut q = MatMut::from_column_major_slice_mut(&mut q, m, n_columns);
    let mut r = r.zeroed::<T>();
    let is_finite = is_finite(MatRef::from_column_major_slice(&both, m, n), false);
    for i in 0..q.ncols() {
        q[(i, i)] = T::one_impl();
    }
    if !is_finite {
        q.fill(T::nan_impl());
    }
    if least == 0 {
        q_out.copy_from(q.rb());
        return Ok(());
    }
    let mut both = MatMut::from_column_major_slice_mut(&mut both, m, n);
    if is_finite {
        let reflections = Reflections::factorize(both.rb_mut())?;
        reflections.apply(both.rb(), q.rb_mut())?;
    } else {
        both.fill(T::nan_impl());
    }
    for j in 0..n {
        for i in 0..least.min(j + 1) {
            r[(i, j)] = both[(i, j)];
        }
    }
    q_out.copy_from(q.rb());
    Ok(())
}

/// Computes the decomposition of a wide matrix from that of its transpose: `Aᵀ = U S Vᴴ` is `A = V̄ S Uᵀ`.
pub(super) fn svd<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let [u_out, s, vh] = out else { unreachable!("an SVD has three results") };
    let is_wide = a.n_rows() < a.n_cols();
    let a = a.transposed_if(is_wide);
    let (m, n) = (a.n_rows(), a.n_cols());
    s.assert_shape(n, 1);
    let n_columns = if is_wide { vh.shape()[0] } else { u_out.shape()[1] };
    // Zeroed: `faer` reads elements of a full `u` that it has not written.
    let mut u = filled(T::zero_impl(), m, n_columns)?;
    let mut v = filled(T::zero_impl(), n, n)?;
    let mut values = filled(T::zero_impl(), n, 1)?;
    let mut a = ScaledMatrix::new(a)?;
    let mut u = MatMut::from_column_major_slice_mut(&mut u, m, n_columns);
    let mut v = MatMut::from_column_major_slice_mut(&mut v, n, n);
    if is_tall(m, n) {
        let reflections = Reflections::factorize(a.matrix_mut())?;
        let triangle = upper_triangle(a.matrix())?;
        let triangle = MatRef::from_column_major_slice(&triangle, n, n);
        svd_of_any(triangle, u.rb_mut().submatrix_mut(0, 0, n, n), &mut values, v.rb_mut())?;
        for i in n..n_columns {
            u[(i, i)] = T::one_impl();
        }
        reflections.apply(a.matrix(), u.rb_mut())?;
    } else {
        svd_of_any(a.matrix(), u.rb_mut(), &mut values, v.rb_mut())?;
    }
    sort_descending(&mut values, u.rb_mut(), v.rb_mut());
    if !T::IS_REAL {
        for j in 0..n {
            for i in 0..n {
                v[(i, j)] = T::conj_impl(&v[(i, j)]);
            }
        }
    }
    let (left, right) = if is_wide { (v, u) } else { (u, v) };
    u_out.copy_from(left.rb());
    vh.copy_from(right.rb().transpose());
    let mut s = s.zeroed();
    for (i, value) in values.iter().enumerate() {
        s[(i, 0)] = a.unscale(T::real_part_impl(value));
    }
    Ok(())
}

/// Sorts singular values, with their vectors. Those that are rounding errors only are not always in order: `faer` 0.24 finds the values of
/// large matrices by divide and conquer.
fn sort_descending<T: FactorScalar>(values: &mut [T], mut u: MatMut<'_, T>, mut v: MatMut<'_, T>) {
    for i in 1..values.len() {
        for k in (1..=i).rev() {
            if T::real_part_impl(&values[k - 1]) >= T::real_part_impl(&values[k]) {
                break;
            }
            values.swap(k - 1, k);
            swap_cols_idx(u.rb_mut(), k - 1, k);
            swap_cols_idx(v.rb_mut(), k - 1, k);
        }
    }
}

/// Returns the upper triangle of the first rows, column-major.
fn upper_triangle<T: FactorScalar>(a: MatRef<'_, T>) -> Result<Vec<T>, Fault> {
    let n = a.ncols();
    let mut triangle = filled(T::zero_impl(), n, n)?;
    for (j, column) in triangle.chunks_mut(n).enumerate() {
        for (i, it) in column[..=j].iter_mut().enumerate() {
            *it = a[(i, j)];
        }
    }
    Ok(triangle)
}

/// Computes the decomposition of a matrix that is not wide, without a QR factorization of `faer`'s.
fn svd_of_any<T: FactorScalar>(
    a: MatRef<'_, T>,
    u: MatMut<'_, T>,
    values: &mut [T],
    v: MatMut<'_, T>,
) -> Result<(), Fault> {
    let (m, n) = a.shape();
    let mut params: Spec<SvdParams, T> = Default::default();
    params.config.qr_ratio_threshold = f64::INFINITY;
    let size = if u.ncols() == m { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin };
    let mut memory = workspace(svd_scratch::<T>(m, n, size, size, Par::Seq, params))?;
    let stack = MemStack::new(&mut memory);
    svd::svd(a, DiagMut::from_slice_mut(values), Some(u), Some(v), Par::Seq, stack, params)
        .map_err(|_| Fault::Matrix(MatrixProblem::NoConvergence))
}

//! QR factorization and singular value decomposition.

use super::Fault;
use super::matrix::{InputMatrix, OutputMatrix};
use super::scalar::FactorScalar;
use super::workspace::{ScaledMatrix, column_major, filled, is_finite, workspace};
use crate::MatrixProblem;
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
};
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};
use faer::linalg::svd::{self, ComputeSvdVectors, svd_scratch};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Conj, MatMut, MatRef, Par};

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
    let block = recommended_block_size::<T>(m, n);
    let mut factors = filled(T::zero_impl(), block, least)?;
    let mut both = MatMut::from_column_major_slice_mut(&mut both, m, n);
    let mut factors = MatMut::from_column_major_slice_mut(&mut factors, block, least);
    if is_finite {
        let params = Default::default();
        let needed = qr_in_place_scratch::<T>(m, n, block, Par::Seq, params);
        let mut memory = workspace(needed.or(apply_scratch::<T>(m, block, q.ncols())))?;
        let stack = MemStack::new(&mut memory);
        qr_in_place(both.rb_mut(), factors.rb_mut(), Par::Seq, stack, params);
        apply(both.rb(), factors.rb(), Conj::No, q.rb_mut(), Par::Seq, stack);
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

pub(super) fn svd<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let (m, n) = (a.n_rows(), a.n_cols());
    let least = m.min(n);
    let [u_out, s, vh] = out else { unreachable!("an SVD has three results") };
    s.assert_shape(least, 1);
    let n_columns = u_out.shape()[1];
    let is_full = n_columns == m && vh.shape()[0] == n;
    let size = if is_full { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin };
    let params = Default::default();
    let mut memory = workspace(svd_scratch::<T>(m, n, size, size, Par::Seq, params))?;
    let mut u = filled(T::zero_impl(), m, n_columns)?;
    let a = ScaledMatrix::new(a, false)?;
    let mut values = filled(T::zero_impl(), least, 1)?;
    // Zeroed: `faer` reads elements of a full `u` that it has not written. The columns of `v` are the rows of `vh`.
    let mut u = MatMut::from_column_major_slice_mut(&mut u, m, n_columns);
    let mut v = vh.zeroed::<T>().transpose_mut();
    let diagonal = DiagMut::from_slice_mut(&mut values);
    let vectors = (Some(u.rb_mut()), Some(v.rb_mut()));
    let stack = MemStack::new(&mut memory);
    svd::svd(a.matrix(), diagonal, vectors.0, vectors.1, Par::Seq, stack, params)
        .map_err(|_| Fault::Matrix(MatrixProblem::NoConvergence))?;
    if !T::IS_REAL {
        for j in 0..v.ncols() {
            for i in 0..v.nrows() {
                v[(i, j)] = T::conj_impl(&v[(i, j)]);
            }
        }
    }
    u_out.copy_from(u.rb());
    let mut s = s.zeroed();
    for (i, value) in values.iter().enumerate() {
        s[(i, 0)] = a.unscale(T::real_part_impl(value));
    }
    Ok(())
}

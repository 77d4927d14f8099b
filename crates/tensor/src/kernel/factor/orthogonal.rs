//! QR factorization and singular value decomposition.

use super::Fault;
use super::matrix::{InputMatrix, OutputMatrix};
use super::scalar::FactorScalar;
use super::workspace::{ScaledMatrix, column_major, filled, is_finite, workspace};
use crate::MatrixProblem;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
};
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};
use faer::linalg::svd::{self, ComputeSvdVectors, svd_scratch};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::RealField;
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
    let [q, r] = out else { unreachable!("a QR factorization has two results") };
    let (mut q, mut r) = (q.zeroed::<T>(), r.zeroed::<T>());
    let is_finite = is_finite(MatRef::from_column_major_slice(&both, m, n), false);
    for i in 0..q.ncols() {
        q[(i, i)] = T::one_impl();
    }
    if !is_finite {
        q.fill(T::nan_impl());
    }
    if least == 0 {
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
        apply(both.rb(), factors.rb(), Conj::No, q, Par::Seq, stack);
    } else {
        both.fill(T::nan_impl());
    }
    for j in 0..n {
        for i in 0..least.min(j + 1) {
            r[(i, j)] = both[(i, j)];
        }
    }
    Ok(())
}

pub(super) fn svd<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let (m, n) = (a.n_rows(), a.n_cols());
    let least = m.min(n);
    let (vectors, s) = match out {
        [s] => (None, s),
        [u, s, vh] => (Some((u, vh)), s),
        _ => unreachable!("an svd has one result or three"),
    };
    s.assert_shape(least, 1);
    let size = match &vectors {
        None => ComputeSvdVectors::No,
        Some((u, vh)) if u.shape()[1] == m && vh.shape()[0] == n => ComputeSvdVectors::Full,
        Some(_) => ComputeSvdVectors::Thin,
    };
    let mut memory = svd_workspace::<T>([m, n], size)?;
    let a = ScaledMatrix::new(a, false)?;
    let mut values = filled(T::zero_impl(), least, 1)?;
    // The columns of `v` are the rows of `vh`. Zeroed: `faer` reads elements of a full `u` that it has not written.
    let (u, mut v) = vectors.map(|(u, vh)| (u.zeroed(), vh.zeroed::<T>().transpose_mut())).unzip();
    decompose(a.matrix(), &mut values, u, v.as_mut().map(|v| v.rb_mut()), &mut memory)?;
    if size == ComputeSvdVectors::No && may_have_lost_values(&values) {
        let mut memory = svd_workspace::<T>([m, n], ComputeSvdVectors::Thin)?;
        let (mut u, mut v) = (filled(T::zero_impl(), m, least)?, filled(T::zero_impl(), n, least)?);
        let u = MatMut::from_column_major_slice_mut(&mut u, m, least);
        let v = MatMut::from_column_major_slice_mut(&mut v, n, least);
        decompose(a.matrix(), &mut values, Some(u), Some(v), &mut memory)?;
    }
    if let (Some(mut v), false) = (v, T::IS_REAL) {
        for j in 0..v.ncols() {
            for i in 0..v.nrows() {
                v[(i, j)] = T::conj_impl(&v[(i, j)]);
            }
        }
    }
    let mut s = s.zeroed();
    for (i, value) in values.iter().enumerate() {
        s[(i, 0)] = a.unscale(T::real_part_impl(value));
    }
    Ok(())
}

fn svd_workspace<T: FactorScalar>(
    [m, n]: [usize; 2],
    size: ComputeSvdVectors,
) -> Result<MemBuffer, Fault> {
    workspace(svd_scratch::<T>(m, n, size, size, Par::Seq, Default::default()))
}

/// Computes the singular values in descending order, and the singular vectors that are requested.
fn decompose<T: FactorScalar>(
    a: MatRef<'_, T>,
    values: &mut [T],
    u: Option<MatMut<'_, T>>,
    v: Option<MatMut<'_, T>>,
    memory: &mut MemBuffer,
) -> Result<(), Fault> {
    let diagonal = DiagMut::from_slice_mut(values);
    svd::svd(a, diagonal, u, v, Par::Seq, MemStack::new(memory), Default::default())
        .map_err(|_| Fault::Matrix(MatrixProblem::NoConvergence))
}

/// Returns whether `faer` may have computed wrong singular values, without vectors.
///
/// It divides a bidiagonal matrix in two halves. Where the first half has at least 128 rows and is zero, it loses the row that
/// couples the halves (faer 0.24: the last element of the last row of an identity matrix is 0), and with it a singular
/// value. Then at least 127 others are zero. With vectors the result is right.
fn may_have_lost_values<T: FactorScalar>(values: &[T]) -> bool {
    const MIN_ZEROS: usize = 127;
    let (Some(greatest), Some(first)) = (values.first(), values.len().checked_sub(MIN_ZEROS))
    else {
        return false;
    };
    let threshold = T::real_part_impl(greatest) * T::Real::epsilon_impl();
    T::real_part_impl(&values[first]) <= threshold
}

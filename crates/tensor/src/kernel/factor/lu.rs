//! LU and Cholesky factorizations: determinants, linear systems, inverses.

use super::Fault;
use super::matrix::{InputMatrix, OutputMatrix, RawMatrix};
use super::scalar::{FactorReal, FactorScalar};
use super::workspace::{column_major, filled, is_finite, workspace};
use crate::MatrixProblem;
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place_scratch, solve_in_place_with_conj};
use faer::perm::PermRef;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::ComplexField;
use faer::{Conj, MatMut, MatRef, Par};

/// An LU factorization with partial pivoting: `P A = L U`.
struct Lu<T> {
    /// `L` and `U` in one column-major matrix; the unit diagonal of `L` is not stored.
    triangles: Vec<T>,
    n: usize,
    /// The permutation and its inverse.
    forward: Vec<usize>,
    backward: Vec<usize>,
    /// Whether the permutation is odd.
    is_odd: bool,
}

impl<T: FactorScalar> Lu<T> {
    fn new(a: RawMatrix<'_, T>) -> Result<Lu<T>, Fault> {
        let n = a.n_rows();
        assert_eq!(a.n_cols(), n, "a square matrix");
        let mut triangles = column_major(a)?;
        let (mut forward, mut backward) = (filled(0, n, 1)?, filled(0, n, 1)?);
        if n == 0 {
            return Ok(Lu { triangles, n, forward, backward, is_odd: false });
        }
        let matrix = MatMut::from_column_major_slice_mut(&mut triangles, n, n);
        let params = Default::default();
        let mut memory = workspace(lu_in_place_scratch::<usize, T>(n, n, Par::Seq, params))?;
        let stack = MemStack::new(&mut memory);
        let (info, _) = lu_in_place(matrix, &mut forward, &mut backward, Par::Seq, stack, params);
        let is_odd = info.transposition_count % 2 == 1;
        Ok(Lu { triangles, n, forward, backward, is_odd })
    }

    fn diagonal(&self) -> impl Iterator<Item = T> {
        self.triangles.iter().step_by(self.n + 1).copied()
    }

    fn check_regular(&self) -> Result<(), Fault> {
        match self.diagonal().position(|it| it == T::zero_impl()) {
            Some(pivot) => Err(Fault::Matrix(MatrixProblem::Singular { pivot })),
            None => Ok(()),
        }
    }

    /// Overwrites right-hand sides with the solutions.
    fn solve(&self, right: MatMut<'_, T>) -> Result<(), Fault> {
        let (n, cols) = (self.n, right.ncols());
        if n == 0 || cols == 0 {
            return Ok(());
        }
        let both = MatRef::from_column_major_slice(&self.triangles, n, n);
        let order = PermRef::new_checked(&self.forward, &self.backward, n);
        let mut memory = workspace(solve_in_place_scratch::<usize, T>(n, cols, Par::Seq))?;
        let stack = MemStack::new(&mut memory);
        solve_in_place_with_conj(both, both, order, Conj::No, right, Par::Seq, stack);
        Ok(())
    }
}

pub(super) fn det<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    out[0].assert_shape(1, 1);
    let lu = Lu::<T>::new(input[0].read())?;
    let one = T::one_impl();
    let sign = if lu.is_odd { -one } else { one };
    let mut product = sign;
    for it in lu.diagonal() {
        if it == T::zero_impl() {
            // Elements after a pivot of 0 were divided by it.
            product = zero_unless_nan(product);
            break;
        }
        product *= it;
    }
    out[0].zeroed()[(0, 0)] = product;
    Ok(())
}

/// Zero, or NaN if the product up to here is NaN.
fn zero_unless_nan<T: FactorScalar>(before: T) -> T {
    if T::is_nan_impl(&before) { before } else { T::zero_impl() }
}

pub(super) fn slogdet<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    out.iter().for_each(|out| out.assert_shape(1, 1));
    let lu = Lu::<T>::new(input[0].read())?;
    let (zero, one) = (T::zero_impl(), T::one_impl());
    let mut sign = if lu.is_odd { -one } else { one };
    let mut logarithm = T::Real::zero_impl();
    for it in lu.diagonal() {
        let magnitude = T::abs_impl(&it);
        logarithm += magnitude.ln();
        if it == zero {
            // det = 0: the sign is 0 and the logarithm -∞. Elements after the pivot were divided by it.
            sign = zero_unless_nan(sign);
            break;
        }
        sign *= it.direction();
    }
    out[0].zeroed()[(0, 0)] = sign;
    out[1].zeroed()[(0, 0)] = logarithm;
    Ok(())
}

pub(super) fn solve<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let lu = Lu::<T>::new(input[0].read())?;
    lu.check_regular()?;
    let (right, mut x) = (input[1].read::<T>(), out[0].zeroed());
    for j in 0..right.n_cols() {
        for i in 0..right.n_rows() {
            x[(i, j)] = right.get(i, j);
        }
    }
    lu.solve(x)
}

pub(super) fn inverse<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let lu = Lu::<T>::new(input[0].read())?;
    lu.check_regular()?;
    let mut x = out[0].zeroed::<T>();
    for i in 0..lu.n {
        x[(i, i)] = T::one_impl();
    }
    lu.solve(x)
}

pub(super) fn cholesky<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let n = a.n_rows();
    let mut factor = column_major(a)?;
    let mut x = MatMut::from_column_major_slice_mut(&mut factor, n, n);
    if !is_finite(x.rb(), true) {
        return Err(Fault::Matrix(MatrixProblem::NotFinite));
    }
    if n == 0 {
        return Ok(());
    }
    for i in 0..n {
        // The diagonal of a Hermitian matrix is real.
        x[(i, i)] = T::from_real_impl(&T::real_part_impl(&x[(i, i)]));
    }
    let params = Default::default();
    let mut memory = workspace(cholesky_in_place_scratch::<T>(n, Par::Seq, params))?;
    let stack = MemStack::new(&mut memory);
    let outcome = cholesky_in_place(x.rb_mut(), Default::default(), Par::Seq, stack, params);
    if let Err(LltError::NonPositivePivot { index: pivot }) = outcome {
        return Err(Fault::Matrix(MatrixProblem::NotPositiveDefinite { pivot }));
    }
    // The strict upper triangle is that of the operand, or workspace of `faer`.
    for j in 1..n {
        x.rb_mut().col_mut(j).subrows_mut(0, j).fill(T::zero_impl());
    }
    out[0].copy_from(x.rb());
    Ok(())
}

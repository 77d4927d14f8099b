//! Eigenvalues of Hermitian matrices and singular values, without vectors.
//!
//! A matrix is reduced to a real tridiagonal or bidiagonal one by reflections, and an iteration finds the values of that.
//! `faer` rotates vectors or not in one and the same iteration, which takes a square root and two divisions, each after the
//! other, for every rotation: two thirds of the time of 64 × 64 elements. Without vectors there are iterations of a single
//! division's latency a step, those of LAPACK: [`root_free_ql`] for eigenvalues (a third of `faer`'s time) and [`dqds`] for
//! singular values (a third as well). They compute in double precision for every element type.
//!
//! Real matrices are reduced by [`tridiagonal`] and [`bidiagonal`], compiled for each instruction set: three and four times
//! as fast as `faer`'s reductions at 64 × 64 elements of `f64`. Complex and larger ones are reduced by `faer`.

mod bidiagonal;
mod dqds;
mod lines;
mod root_free_ql;
#[cfg(test)]
mod tests;
mod tridiagonal;

use super::Fault;
use super::matrix::{InputMatrix, OutputMatrix};
use super::reflections::{Reflections, is_tall};
use super::scalar::{FactorReal, FactorScalar};
use super::workspace::{ScaledMatrix, filled, workspace};
use crate::MatrixProblem;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::svd::bidiag::{bidiag_in_place, bidiag_in_place_scratch};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::{ComplexField, RealField};
use faer::{MatMut, MatRef, Par};

/// The most columns of a real matrix that is reduced here. With 512 columns `faer`, which reads half of a Hermitian matrix, is faster
/// where vectors have 256 bits.
const MAX_COLUMNS: usize = 256;

/// The main diagonal of a tridiagonal or bidiagonal matrix, and the one beside it.
struct TwoDiagonals {
    main: Vec<f64>,
    side: Vec<f64>,
}

impl TwoDiagonals {
    fn zeros(n: usize) -> Result<TwoDiagonals, Fault> {
        Ok(TwoDiagonals { main: filled(0.0, n, 1)?, side: filled(0.0, n.saturating_sub(1), 1)? })
    }
}

pub(super) fn eigvalsh<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let n = a.n_rows();
    out[0].assert_shape(n, 1);
    if n == 0 {
        return Ok(());
    }
    let mut reduced = TwoDiagonals::zeros(n)?;
    let mut a = ScaledMatrix::hermitian(a)?;
    if T::IS_REAL && n <= MAX_COLUMNS {
        tridiagonal::reduce(a.matrix(), &mut reduced)?;
    } else {
        reduce_hermitian(a.matrix_mut(), &mut reduced)?;
    }
    root_free_ql::find_eigenvalues(&mut reduced.main, &mut reduced.side, rounding::<T>())?;
    write_values(&mut out[0], &a, &reduced.main);
    Ok(())
}

pub(super) fn svdvals<T: FactorScalar>(
    out: &mut [OutputMatrix<'_>],
    input: &[InputMatrix<'_>],
) -> Result<(), Fault> {
    let a = input[0].read::<T>();
    let (a, least) = (a.transposed_if(a.n_rows() < a.n_cols()), a.n_rows().min(a.n_cols()));
    out[0].assert_shape(least, 1);
    if least == 0 {
        return Ok(());
    }
    let mut reduced = TwoDiagonals::zeros(least)?;
    let mut a = ScaledMatrix::new(a)?;
    let mut rest = a.matrix_mut();
    if is_tall(rest.nrows(), rest.ncols()) {
        replace_by_triangle(rest.rb_mut())?;
        rest = rest.subrows_mut(0, least);
    }
    if T::IS_REAL && least <= MAX_COLUMNS {
        bidiagonal::reduce(rest.rb(), &mut reduced)?;
    } else {
        reduce_any(rest, &mut reduced)?;
    }
    dqds::find_singular_values(&mut reduced.main, &reduced.side, rounding::<T>())?;
    write_values(&mut out[0], &a, &reduced.main);
    Ok(())
}

/// The largest relative error of one operation.
fn rounding<T: FactorScalar>() -> f64 {
    FactorReal::to_f64(T::Real::epsilon_impl()) * 0.5
}

fn write_values<T: FactorScalar>(out: &mut OutputMatrix<'_>, a: &ScaledMatrix<T>, values: &[f64]) {
    let mut out = out.zeroed();
    for (i, &value) in values.iter().enumerate() {
        out[(i, 0)] = a.unscale(T::Real::from_f64_impl(value));
    }
}

/// Overwrites the first rows with the triangular factor, which has the same singular values.
fn replace_by_triangle<T: FactorScalar>(mut a: MatMut<'_, T>) -> Result<(), Fault> {
    Reflections::factorize(a.rb_mut())?;
    let n = a.ncols();
    for j in 0..n {
        a.rb_mut().col_mut(j).subrows_mut(j + 1, n - j - 1).fill(T::zero_impl());
    }
    Ok(())
}

/// Reduces a Hermitian matrix, of which the lower triangle is read, to a tridiagonal one with the same eigenvalues.
fn reduce_hermitian<T: FactorScalar>(
    mut a: MatMut<'_, T>,
    out: &mut TwoDiagonals,
) -> Result<(), Fault> {
    let n = a.nrows();
    let params = Default::default();
    let mut memory = workspace(tridiag_in_place_scratch::<T>(n, Par::Seq, params))?;
    let mut factors = filled(T::zero_impl(), 1, n - 1)?;
    let factors = MatMut::from_column_major_slice_mut(&mut factors, 1, n - 1);
    tridiag_in_place(a.rb_mut(), factors, Par::Seq, MemStack::new(&mut memory), params);
    // The phases of the side diagonal do not change the eigenvalues.
    copy_magnitudes(a.rb(), out, [1, 0]);
    for (i, it) in out.main.iter_mut().enumerate() {
        *it = FactorReal::to_f64(T::real_part_impl(&a[(i, i)]));
    }
    Ok(())
}

/// Reduces a matrix that is not wide to a bidiagonal one with the same singular values.
fn reduce_any<T: FactorScalar>(mut a: MatMut<'_, T>, out: &mut TwoDiagonals) -> Result<(), Fault> {
    let (m, n) = (a.nrows(), a.ncols());
    let params = Default::default();
    let mut memory = workspace(bidiag_in_place_scratch::<T>(m, n, Par::Seq, params))?;
    let mut factors = filled(T::zero_impl(), 2, n)?;
    let (left, right) = factors.split_at_mut(n);
    let left = MatMut::from_column_major_slice_mut(left, 1, n);
    let right = MatMut::from_column_major_slice_mut(&mut right[1..], 1, n - 1);
    bidiag_in_place(a.rb_mut(), left, right, Par::Seq, MemStack::new(&mut memory), params);
    copy_magnitudes(a.rb(), out, [0, 1]);
    Ok(())
}

/// Copies the absolute values of the main diagonal, and of the one whose first element is at `side`.
fn copy_magnitudes<T: FactorScalar>(a: MatRef<'_, T>, out: &mut TwoDiagonals, side: [usize; 2]) {
    for (i, it) in out.main.iter_mut().enumerate() {
        *it = FactorReal::to_f64(T::abs_impl(&a[(i, i)]));
    }
    for (i, it) in out.side.iter_mut().enumerate() {
        *it = FactorReal::to_f64(T::abs_impl(&a[(i + side[0], i + side[1])]));
    }
}

const NO_CONVERGENCE: Fault = Fault::Matrix(MatrixProblem::NoConvergence);

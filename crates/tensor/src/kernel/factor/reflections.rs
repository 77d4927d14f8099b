//! QR by Householder reflections, in blocks.
//!
//! The plain solution reflects one column after the other onto a multiple of a unit vector, and applies each reflection to all
//! columns after it. A block of reflections `I - V T⁻¹ Vᴴ` is applied by matrix products instead. The factor `T` of a block is put
//! together from those of its halves.
//!
//! `faer` 0.24 has this factorization, but takes a column for linearly dependent on those before it if what is left of it is at most
//! `16 · rows · ε` of its length, and drops the rest: `Q R` then differs from a matrix of 700 rows of `f32` by a thousandth. Here
//! every column has its reflection, so the error is some ε for every matrix. The parts, and the format of the result, are `faer`'s.

use super::Fault;
use super::scalar::FactorScalar;
use super::workspace::{filled, workspace};
use faer::dyn_stack::MemStack;
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_all_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_all,
    apply_block_householder_transpose_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_transpose_on_the_left_in_place_with_conj as apply,
    make_householder_in_place,
};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Conj, MatMut, MatRef, Par};

/// A matrix of at least 11 rows for 6 columns is reduced to its triangular factor before its singular values are computed, as in
/// LAPACK.
const TALL: [usize; 2] = [11, 6];

/// Whether the matrix is tall enough to compute its singular values from the `R` factor of its QR decomposition.
pub(super) fn is_tall(rows: usize, cols: usize) -> bool {
    cols > 0 && TALL[1].saturating_mul(rows) >= TALL[0].saturating_mul(cols)
}

/// Reflections whose product is the unitary factor of a matrix. Their vectors are below the diagonal of the factorized matrix.
pub(super) struct Reflections<T> {
    /// The upper triangle `T` of each block, beside each other.
    factors: Vec<T>,
    block: usize,
}

impl<T: FactorScalar> Reflections<T> {
    /// Overwrites a matrix with its triangular factor, and with the reflections below that.
    pub(super) fn factorize(mut a: MatMut<'_, T>) -> Result<Reflections<T>, Fault> {
        let (m, n) = a.shape();
        let (least, block) = (m.min(n), recommended_block_size::<T>(m, n));
        let mut factors = filled(T::zero_impl(), block, least)?;
        let mut memory = workspace(apply_scratch::<T>(m, block, n))?;
        let stack = MemStack::new(&mut memory);
        let mut all = MatMut::from_column_major_slice_mut(&mut factors, block, least);
        for first in (0..least).step_by(block) {
            let width = block.min(least - first);
            let rest = a.rb_mut().submatrix_mut(first, first, m - first, n - first);
            let (mut left, right) = rest.split_at_col_mut(width);
            let mut factor = all.rb_mut().submatrix_mut(0, first, width, width);
            factorize_block(left.rb_mut(), factor.rb_mut(), stack);
            if right.ncols() > 0 {
                apply(left.rb(), factor.rb(), Conj::Yes, right, Par::Seq, stack);
            }
        }
        Ok(Reflections { factors, block })
    }

    /// Overwrites a matrix with its product with the unitary factor of `factorized`.
    pub(super) fn apply(&self, factorized: MatRef<'_, T>, to: MatMut<'_, T>) -> Result<(), Fault> {
        let (m, least) = (factorized.nrows(), factorized.nrows().min(factorized.ncols()));
        let mut memory = workspace(apply_all_scratch::<T>(m, self.block, to.ncols()))?;
        let factors = MatRef::from_column_major_slice(&self.factors, self.block, least);
        apply_all(factorized, factors, Conj::No, to, Par::Seq, MemStack::new(&mut memory));
        Ok(())
    }
}

/// Factorizes columns, half of them before the other.
fn factorize_block<T: FactorScalar>(
    a: MatMut<'_, T>,
    mut factor: MatMut<'_, T>,
    stack: &mut MemStack,
) {
    let (m, width) = a.shape();
    if width == 1 {
        let (mut head, tail) = a.col_mut(0).split_at_row_mut(1);
        factor[(0, 0)] = T::from_real_impl(&make_householder_in_place(&mut head[0], tail).tau);
        return;
    }
    let half = width / 2;
    let (mut left, mut right) = a.split_at_col_mut(half);
    let (mut first, mut across, _, second) = factor.split_at_mut(half, half);
    factorize_block(left.rb_mut(), first.rb_mut(), stack);
    apply(left.rb(), first.rb(), Conj::Yes, right.rb_mut(), Par::Seq, stack);
    let mut right = right.subrows_mut(half, m - half);
    factorize_block(right.rb_mut(), second, stack);
    // The factor of both halves has the products of their vectors. Those of the second half begin with a unit triangle.
    let (left_top, left_rest) = left.rb().subrows(half, m - half).split_at_row(width - half);
    let (right_top, right_rest) = right.rb().split_at_row(width - half);
    triangular::matmul(
        across.rb_mut(),
        BlockStructure::Rectangular,
        Accum::Replace,
        left_top.adjoint(),
        BlockStructure::Rectangular,
        right_top,
        BlockStructure::UnitTriangularLower,
        T::one_impl(),
        Par::Seq,
    );
    matmul(across, Accum::Add, left_rest.adjoint(), right_rest, T::one_impl(), Par::Seq);
}

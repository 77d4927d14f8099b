//! The reduction of a real symmetric matrix to a tridiagonal one by reflections.
//!
//! The reflection of a row is `A - v wᵀ - w vᵀ` with `w` from the product `A v`. Both read the matrix once; the update of one
//! step and the product of the next are one pass, since the next row is updated first. The whole matrix is stored, not
//! one of its triangles: that is more arithmetic, but no loop has an end that depends on the row, and all sums are
//! sums of rows.
//!
//! The last row is reduced first, so that rows and columns of what remains start at a cache line. The matrix is stored
//! in reverse, so the first row of the original is: as in LAPACK, a matrix whose elements decrease from the first to
//! the last keeps the precision of its small eigenvalues.

#![allow(clippy::needless_range_loop, reason = "the loops index several slices")]

use super::lines::{F32_LANES, F64_LANES, Line, LineRows, dot, element, reflect, truncate, zeros};
use super::{Fault, TwoDiagonals};
use crate::kernel::cpu::{SafeLoop, run_compiled};
use crate::kernel::factor::scalar::{FactorReal, FactorScalar};
use faer::MatRef;
use std::marker::PhantomData;
use std::mem::swap;

/// Reduces a symmetric matrix, of which the lower triangle is read, to a tridiagonal one with the same eigenvalues.
pub(super) fn reduce<T: FactorScalar>(
    a: MatRef<'_, T>,
    out: &mut TwoDiagonals,
) -> Result<(), Fault> {
    if const { size_of::<T::Real>() == size_of::<f32>() } {
        reduce_lines::<T, F32_LANES>(a, out)
    } else {
        reduce_lines::<T, F64_LANES>(a, out)
    }
}

fn reduce_lines<T: FactorScalar, const L: usize>(
    a: MatRef<'_, T>,
    out: &mut TwoDiagonals,
) -> Result<(), Fault> {
    let (n, stride) = (a.nrows(), a.nrows().div_ceil(L));
    let mut lines = zeros::<T::Real, L>(stride * L, stride)?;
    let mut vectors = zeros(4, stride)?;
    for j in 0..n {
        for i in j..n {
            let (row, column, value) = (n - 1 - i, n - 1 - j, T::real_part_impl(&a[(i, j)]));
            lines[row * stride + column / L].0[column % L] = value;
            lines[column * stride + row / L].0[row % L] = value;
        }
    }
    let matrix = LineRows { lines: &mut lines, stride, n };
    run_compiled::<TridiagonalLoop<T::Real, L>>((matrix, &mut vectors, out));
    Ok(())
}

struct TridiagonalLoop<R, const L: usize>(PhantomData<R>);

impl<R: FactorReal, const L: usize> SafeLoop for TridiagonalLoop<R, L> {
    /// The matrix, room for four rows, and the result.
    type Args<'a> = (LineRows<'a, R, L>, &'a mut [Line<R, L>], &'a mut TwoDiagonals);

    #[inline(always)]
    fn run((mut a, vectors, out): Self::Args<'_>) {
        let (mut v, rest) = vectors.split_at_mut(a.stride);
        let (mut w, rest) = rest.split_at_mut(a.stride);
        let (mut x, mut y) = rest.split_at_mut(a.stride);
        // The rows up to `i` remain, and `v wᵀ + w vᵀ` is still to be subtracted from them.
        for i in (0..a.n).rev() {
            let (v_last, w_last) = (element(v, i), element(w, i));
            for j in 0..(i + 1).div_ceil(L) {
                x[j] = a.line(i, j).minus(w[j].times(v_last).plus(v[j].times(w_last)));
            }
            out.main[i] = FactorReal::to_f64(element(x, i));
            if i == 0 {
                break;
            }
            truncate(x, i);
            truncate(y, 0);
            let width = i.div_ceil(L);
            let reflection = reflect(&mut x[..width], i - 1);
            out.side[i - 1] = FactorReal::to_f64(reflection.image);
            a.n = i;
            a.update_and_multiply([v, w], [w, v], x, &mut y[..width]);
            truncate(y, i);
            let scale = reflection.scale;
            let half = R::from_f64_impl(0.5) * (scale * scale * dot(&x[..width], &y[..width]));
            for (y, x) in y[..width].iter_mut().zip(&*x) {
                *y = y.times(scale).minus(x.times(half));
            }
            swap(&mut v, &mut x);
            swap(&mut w, &mut y);
        }
    }
}

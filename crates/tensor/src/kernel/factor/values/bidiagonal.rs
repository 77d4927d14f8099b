//! The reduction of a real matrix to an upper bidiagonal one by reflections.
//!
//! The reflection of a column subtracts `u yᵀ` with `y` from the product `Aᵀ u`, that of a row `z vᵀ` with `z` from `A v`. Both
//! updates and the next column's product are one pass over the matrix, since the next column is updated first; the row's
//! product is a second pass, which only reads.
//!
//! The last column is reduced first, so that rows and columns of what remains start at a cache line. The matrix is
//! stored in reverse, so the first column of the original is.

#![allow(clippy::needless_range_loop, reason = "the loops index several slices")]

use super::lines::{F32_LANES, F64_LANES, Line, LineRows, dot, element, reflect, truncate, zeros};
use super::{Fault, TwoDiagonals};
use crate::kernel::cpu::{SafeLoop, run_compiled};
use crate::kernel::factor::scalar::{FactorReal, FactorScalar};
use faer::MatRef;
use std::marker::PhantomData;
use std::mem::swap;

/// Reduces a matrix that is not wide to a bidiagonal one with the same singular values.
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
    let (m, n) = (a.nrows(), a.ncols());
    let (height, stride) = (m.div_ceil(L), n.div_ceil(L));
    let mut lines = zeros::<T::Real, L>(height * L, stride)?;
    let mut tall = zeros(3 + L, height)?;
    let mut wide = zeros(3, stride)?;
    for j in 0..n {
        let column = n - 1 - j;
        for i in 0..m {
            let row = m - 1 - i;
            lines[row * stride + column / L].0[column % L] = T::real_part_impl(&a[(i, j)]);
        }
    }
    let matrix = LineRows { lines: &mut lines, stride, n: m };
    run_compiled::<BidiagonalLoop<T::Real, L>>((matrix, &mut tall, &mut wide, out));
    Ok(())
}

struct BidiagonalLoop<R, const L: usize>(PhantomData<R>);

impl<R: FactorReal, const L: usize> SafeLoop for BidiagonalLoop<R, L> {
    /// The matrix, room for `3 + L` columns and for three rows, and the result.
    type Args<'a> =
        (LineRows<'a, R, L>, &'a mut [Line<R, L>], &'a mut [Line<R, L>], &'a mut TwoDiagonals);

    #[inline(always)]
    fn run((mut a, tall, wide, out): Self::Args<'_>) {
        let (mut u, rest) = tall.split_at_mut(a.lines.len() / a.stride / L);
        let (mut x, rest) = rest.split_at_mut(u.len());
        let (z, sums) = rest.split_at_mut(u.len());
        let (mut y, rest) = wide.split_at_mut(a.stride);
        let (mut t, v) = rest.split_at_mut(a.stride);
        let n_columns = out.main.len();
        // The columns up to `j` remain, and `u yᵀ + z vᵀ` is still to be subtracted from them.
        for (k, j) in (0..n_columns).rev().enumerate() {
            let (y_last, v_last) = (element(y, j), element(v, j));
            let (height, width) = (a.n.div_ceil(L), j.div_ceil(L));
            for i in 0..height {
                let update = u[i].times(y_last).plus(z[i].times(v_last));
                x[i] = a.column_line(i, j).minus(update);
            }
            truncate(x, a.n);
            let left = reflect(&mut x[..height], a.n - 1);
            out.main[k] = FactorReal::to_f64(left.image);
            if j == 0 {
                break;
            }
            a.update_and_multiply([u, z], [y, v], x, &mut t[..width]);
            t[..width].iter_mut().for_each(|it| *it = it.times(left.scale));
            truncate(t, j);
            a.n -= 1;
            // 1, or 0 if the column is zero.
            let x_last = element(x, a.n);
            for i in 0..width {
                v[i] = a.line(a.n, i).minus(t[i].times(x_last));
            }
            truncate(v, j);
            let right = reflect(&mut v[..width], j - 1);
            out.side[k] = FactorReal::to_f64(right.image);
            let product = right.scale * dot(&t[..width], &v[..width]);
            a.multiply(&v[..width], sums, z);
            for (z, x) in z[..height].iter_mut().zip(&*x) {
                *z = z.times(right.scale).minus(x.times(product));
            }
            truncate(z, a.n);
            swap(&mut u, &mut x);
            swap(&mut y, &mut t);
        }
    }
}

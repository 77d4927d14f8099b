//! Vectors and rows of matrices, stored by cache lines.
//!
//! Every loop is over whole lines, whose elements are padded with zeros, and every operation on a line is one or two
//! instructions. Sums over a row are sums of lines first. No product is fused with a sum, so that results do
//! not depend on the instruction set; the loops wait for loads and stores.

#![allow(clippy::needless_range_loop, reason = "the loops index several slices")]

use super::Fault;
use crate::kernel::factor::scalar::FactorReal;
use crate::kernel::factor::workspace::filled;

/// A cache line of `f64`.
pub(super) const F64_LANES: usize = 8;
/// A cache line of `f32`.
pub(super) const F32_LANES: usize = 16;

/// Rows that are updated at once: the vectors that all of them need are loaded once.
const ROWS: usize = 4;

/// A cache line of `L` elements; `L` is a multiple of [`ROWS`].
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line<R, const L: usize>(pub(super) [R; L]);

impl<R: FactorReal, const L: usize> Line<R, L> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Line([R::zero_impl(); L])
    }

    #[inline(always)]
    pub(super) fn plus(mut self, other: Self) -> Self {
        (0..L).for_each(|l| self.0[l] += other.0[l]);
        self
    }

    #[inline(always)]
    pub(super) fn minus(mut self, other: Self) -> Self {
        (0..L).for_each(|l| self.0[l] -= other.0[l]);
        self
    }

    #[inline(always)]
    pub(super) fn times(mut self, factor: R) -> Self {
        (0..L).for_each(|l| self.0[l] *= factor);
        self
    }

    #[inline(always)]
    fn times_each(mut self, other: Self) -> Self {
        (0..L).for_each(|l| self.0[l] *= other.0[l]);
        self
    }

    /// The sum of the elements, in a tree.
    #[inline(always)]
    pub(super) fn sum(self) -> R {
        let (mut sums, mut n) = (self.0, L);
        while n > 1 {
            n /= 2;
            (0..n).for_each(|l| sums[l] += sums[l + n]);
        }
        sums[0]
    }
}

/// Returns zeros: `rows` rows of `lines` lines.
pub(super) fn zeros<R: FactorReal, const L: usize>(
    rows: usize,
    lines: usize,
) -> Result<Vec<Line<R, L>>, Fault> {
    filled(Line::zero(), rows, lines)
}

#[inline(always)]
pub(super) fn element<R: FactorReal, const L: usize>(x: &[Line<R, L>], i: usize) -> R {
    x[i / L].0[i % L]
}

/// Overwrites the elements from `n` on with zeros.
#[inline(always)]
pub(super) fn truncate<R: FactorReal, const L: usize>(x: &mut [Line<R, L>], n: usize) {
    let full = n.div_ceil(L);
    if !n.is_multiple_of(L) {
        x[n / L].0[n % L..].fill(R::zero_impl());
    }
    x[full..].fill(Line::zero());
}

#[inline(always)]
pub(super) fn dot<R: FactorReal, const L: usize>(x: &[Line<R, L>], y: &[Line<R, L>]) -> R {
    let mut sums = [Line::zero(); 2];
    let ((x, x_last), (y, y_last)) = (x.as_chunks::<2>(), y.as_chunks::<2>());
    for (x, y) in x.iter().zip(y) {
        sums[0] = sums[0].plus(x[0].times_each(y[0]));
        sums[1] = sums[1].plus(x[1].times_each(y[1]));
    }
    for (x, y) in x_last.iter().zip(y_last) {
        sums[0] = sums[0].plus(x.times_each(*y));
    }
    sums[0].plus(sums[1]).sum()
}

/// A reflection `I - scale v vᵀ` that maps a vector to a multiple of a unit vector.
pub(super) struct Reflection<R> {
    pub(super) scale: R,
    /// The only element of the image that is not zero.
    pub(super) image: R,
}

/// Returns the reflection that makes all elements of `x` zero but the one at `pivot`, and overwrites `x` with `v`, whose
/// element at `pivot` is 1.
#[inline(always)]
pub(super) fn reflect<R: FactorReal, const L: usize>(
    x: &mut [Line<R, L>],
    pivot: usize,
) -> Reflection<R> {
    let (zero, one) = (R::zero_impl(), R::one_impl());
    let mut square = dot(x, x);
    let mut unscale = one;
    if square < R::small_square() {
        let magnitudes = x.iter().flat_map(|line| &line.0).map(R::abs_impl);
        let max = magnitudes.fold(zero, |max, it| if it > max { it } else { max });
        // `None`: all elements are zero.
        let Some(scale) = R::scale_for(max) else {
            return Reflection { scale: zero, image: zero };
        };
        x.iter_mut().for_each(|line| *line = line.times(scale));
        (square, unscale) = (dot(x, x), one / scale);
    }
    let (norm, head) = (R::sqrt_impl(&square), element(x, pivot));
    let image = if head > zero { -norm } else { norm };
    let factor = one / (head - image);
    x.iter_mut().for_each(|line| *line = line.times(factor));
    x[pivot / L].0[pivot % L] = one;
    Reflection { scale: (image - head) / image, image: image * unscale }
}

/// The rows of a matrix, and the number of them that are in use.
pub(super) struct LineRows<'a, R, const L: usize> {
    pub(super) lines: &'a mut [Line<R, L>],
    /// The lines of a row.
    pub(super) stride: usize,
    pub(super) n: usize,
}

impl<R: FactorReal, const L: usize> LineRows<'_, R, L> {
    /// Subtracts `left[0] right[0]ᵀ + left[1] right[1]ᵀ` from the matrix `A`, and then overwrites `out` with `Aᵀ x`, in one
    /// pass over the columns that `out` has. Only sums of rows are needed: none of the elements of a row.
    #[inline(always)]
    pub(super) fn update_and_multiply(
        &mut self,
        left: [&[Line<R, L>]; 2],
        right: [&[Line<R, L>]; 2],
        x: &[Line<R, L>],
        out: &mut [Line<R, L>],
    ) {
        out.fill(Line::zero());
        let width = out.len();
        let [y, z] = right.map(|it| &it[..width]);
        let groups = self.lines.chunks_exact_mut(ROWS * self.stride);
        for (group, rows) in groups.take(self.n.div_ceil(ROWS)).enumerate() {
            let at = |v: &[Line<R, L>]| {
                let (line, l) = (&v[ROWS * group / L], ROWS * group % L);
                [line.0[l], line.0[l + 1], line.0[l + 2], line.0[l + 3]]
            };
            let (u, v, x) = (at(left[0]), at(left[1]), at(x));
            let (first, rows) = rows.split_at_mut(self.stride);
            let (second, rows) = rows.split_at_mut(self.stride);
            let (third, fourth) = rows.split_at_mut(self.stride);
            let (first, second) = (&mut first[..width], &mut second[..width]);
            let (third, fourth) = (&mut third[..width], &mut fourth[..width]);
            for j in 0..width {
                let (y, z) = (y[j], z[j]);
                first[j] = first[j].minus(y.times(u[0]).plus(z.times(v[0])));
                second[j] = second[j].minus(y.times(u[1]).plus(z.times(v[1])));
                third[j] = third[j].minus(y.times(u[2]).plus(z.times(v[2])));
                fourth[j] = fourth[j].minus(y.times(u[3]).plus(z.times(v[3])));
                let one = first[j].times(x[0]).plus(second[j].times(x[1]));
                let other = third[j].times(x[2]).plus(fourth[j].times(x[3]));
                out[j] = out[j].plus(one.plus(other));
            }
        }
    }

    /// Overwrites `out` with `A x`. `sums` has a line for each row, by way of which the sums stay vectors until all rows
    /// are summed.
    #[inline(always)]
    pub(super) fn multiply(
        &self,
        x: &[Line<R, L>],
        sums: &mut [Line<R, L>],
        out: &mut [Line<R, L>],
    ) {
        let width = x.len();
        let groups = self.lines.chunks_exact(ROWS * self.stride);
        for (rows, sums) in groups.zip(sums.chunks_exact_mut(ROWS)).take(self.n.div_ceil(ROWS)) {
            let (first, rows) = rows.split_at(self.stride);
            let (second, rows) = rows.split_at(self.stride);
            let (third, fourth) = rows.split_at(self.stride);
            let (first, second) = (&first[..width], &second[..width]);
            let (third, fourth) = (&third[..width], &fourth[..width]);
            let [mut a, mut b, mut c, mut d] = [Line::zero(); ROWS];
            for j in 0..width {
                let x = x[j];
                a = a.plus(first[j].times_each(x));
                b = b.plus(second[j].times_each(x));
                c = c.plus(third[j].times_each(x));
                d = d.plus(fourth[j].times_each(x));
            }
            (sums[0], sums[1], sums[2], sums[3]) = (a, b, c, d);
        }
        for (sums, out) in sums.chunks_exact(L).zip(out).take(self.n.div_ceil(L)) {
            (0..L).for_each(|l| out.0[l] = sums[l].sum());
        }
    }

    /// Returns line `j` of row `i`.
    #[inline(always)]
    pub(super) fn line(&self, i: usize, j: usize) -> Line<R, L> {
        self.lines[i * self.stride + j]
    }

    /// Returns the elements of column `j` in the rows of line `i`.
    #[inline(always)]
    pub(super) fn column_line(&self, i: usize, j: usize) -> Line<R, L> {
        let rows = &self.lines[i * L * self.stride..][..L * self.stride];
        let mut column = Line::zero();
        for (l, row) in rows.chunks_exact(self.stride).enumerate() {
            column.0[l] = row[j / L].0[j % L];
        }
        column
    }
}

//! The singular values of a real bidiagonal matrix, by the quotient-difference iteration with shifts of Fernando and
//! Parlett.
//!
//! The squares `q` of the diagonal and `e` of the elements beside it change from sweep to sweep, so that the squares of the
//! singular values all decrease by the shift, and the last one is found when the last `e` is zero. A step has one
//! division, where a rotation of the QR iteration has a root and two. All quantities are positive, so that nothing
//! cancels: the singular values are found to a high relative precision, however small they are (LAPACK: `dlasq1`). A
//! shift above the square of the smallest singular value makes a `q` negative; such a sweep is repeated with a smaller
//! shift, so the shifts need not be proven bounds, and few of the twelve rules of LAPACK's `dlasq4` are needed for as
//! few sweeps.

use super::{Fault, NO_CONVERGENCE};
use crate::kernel::factor::workspace::filled;

/// The most sweeps for each singular value, on average over the matrix. Four are usual.
const MAX_SWEEPS: usize = 100;

/// The rounding errors to which an element beside the diagonal must be small to be neglected. Its effect is of the order
/// of the square of that.
const NEGLECTED_ROUNDINGS: f64 = 100.0;

/// A square that is neglected in any case, if the largest one is 1: below, products of several would underflow.
const TINY: f64 = 1e-200;

/// Overwrites the diagonal with the singular values in descending order, to the relative precision `rounding`.
pub(super) fn find_singular_values(
    diagonal: &mut [f64],
    side: &[f64],
    rounding: f64,
) -> Result<(), Fault> {
    let n = diagonal.len();
    let max = diagonal.iter().chain(side).fold(0.0, |max: f64, it| max.max(it.abs()));
    if max == 0.0 {
        return Ok(());
    }
    let mut arrays = [filled(0.0, n, 1)?, filled(0.0, n, 1)?, filled(0.0, n, 1)?];
    let squares = &mut [filled(0.0, n, 1)?, filled(0.0, n, 1)?];
    let square = |it: &f64| (it / max) * (it / max);
    squares[0].iter_mut().zip(&*diagonal).for_each(|(q, it)| *q = square(it));
    squares[1].iter_mut().zip(side).for_each(|(e, it)| *e = square(it));
    let [next_q, next_e, values] = &mut arrays;
    let threshold = (NEGLECTED_ROUNDINGS * rounding) * (NEGLECTED_ROUNDINGS * rounding);
    let [q, e] = squares;
    let mut state = Iteration { q, e, next_q, next_e, threshold, sweeps: MAX_SWEEPS * (n + 1) };
    // Blocks that an element of zero has split off, and what their squares are decreased by already.
    let mut blocks = filled(Block { start: 0, end: n, sum: 0.0 }, n, 1)?;
    blocks.truncate(1);
    while let Some(block) = blocks.pop() {
        state.find_block(block, values, &mut blocks)?;
    }
    values.sort_unstable_by(|x, y| y.total_cmp(x));
    diagonal.iter_mut().zip(values).for_each(|(out, square)| *out = square.sqrt() * max);
    Ok(())
}

/// The rows `start..end`, whose squares are those of the matrix minus `sum`.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    end: usize,
    sum: f64,
}

/// What a sweep tells about the smallest square: element `k` is without the last `k` rows.
#[derive(Clone, Copy)]
struct Minima {
    /// The smallest pivot.
    min: [f64; 3],
    /// The last one.
    last: [f64; 3],
}

/// The squares, and room for those after a sweep.
struct Iteration<'a> {
    q: &'a mut [f64],
    e: &'a mut [f64],
    next_q: &'a mut [f64],
    next_e: &'a mut [f64],
    threshold: f64,
    /// How many sweeps are left.
    sweeps: usize,
}

impl Iteration<'_> {
    /// Finds the squares of a block; a part of it that is split off is left to `blocks`.
    fn find_block(
        &mut self,
        mut block: Block,
        values: &mut [f64],
        blocks: &mut Vec<Block>,
    ) -> Result<(), Fault> {
        let (mut minima, mut n_found, mut fraction) = (None, 0, FIRST_FRACTION);
        loop {
            let before = block.end;
            self.deflate(&mut block, values);
            n_found += before - block.end;
            if block.start == block.end {
                return Ok(());
            }
            if let Some(start) = self.split(block) {
                blocks.push(Block { end: start, ..block });
                block.start = start;
                minima = None;
                continue;
            }
            if (minima.is_none() || n_found > 0) && self.reverse_if_graded_upwards(block) {
                minima = None;
            }
            let (q, e) = (&self.q[block.start..block.end], &self.e[block.start..block.end - 1]);
            let shift = match &minima {
                None => bound_from_elements(q, e),
                Some(minima) => bound_from_minima(q, e, minima, n_found, &mut fraction),
            };
            let (shift, found) = self.sweep_until_positive(block, shift)?;
            (minima, n_found) = (Some(found), 0);
            block.sum += shift;
        }
    }

    /// Moves squares that are found at the end of a block to `values`. At least three rows remain, or none.
    fn deflate(&self, block: &mut Block, values: &mut [f64]) {
        let (q, e) = (&*self.q, &*self.e);
        while block.end > block.start {
            let (n, sum) = (block.end, block.sum);
            let n_rows = n - block.start;
            if n_rows == 1 || self.is_zero(n - 2, sum + q[n - 1]) {
                values[n - 1] = q[n - 1] + sum;
                block.end -= 1;
            } else if n_rows == 2 || self.is_zero(n - 3, sum.max(q[n - 3])) {
                let pair = two_squares(q[n - 2], e[n - 2], q[n - 1], self.threshold);
                values[n - 2..n].copy_from_slice(&pair.map(|it| it + sum));
                block.end -= 2;
            } else {
                return;
            }
        }
    }

    /// Returns the first row of the last part of a block, if there are several.
    fn split(&self, block: Block) -> Option<usize> {
        let smaller = |i: usize| self.q[i - 1].min(self.q[i]);
        let is_first = |&i: &usize| self.is_zero(i - 1, block.sum.max(smaller(i)));
        (block.start + 1..block.end).rev().find(is_first)
    }

    /// Whether element `i` beside the diagonal is negligible beside squares of the given size.
    fn is_zero(&self, i: usize, squares: f64) -> bool {
        self.e[i] <= (self.threshold * squares).max(TINY)
    }

    /// Sweeps converge fast if the smallest elements are at the end. Reversing a bidiagonal matrix transposes it.
    fn reverse_if_graded_upwards(&mut self, block: Block) -> bool {
        let q = &mut self.q[block.start..block.end];
        let is_graded_upwards = 1.5 * q[0] < q[q.len() - 1];
        if is_graded_upwards {
            q.reverse();
            self.e[block.start..block.end - 1].reverse();
        }
        is_graded_upwards
    }

    /// Sweeps with the given shift, or a smaller one if that is too large. Returns the shift.
    fn sweep_until_positive(
        &mut self,
        block: Block,
        mut shift: f64,
    ) -> Result<(f64, Minima), Fault> {
        let (rows, sides) = (block.start..block.end, block.start..block.end - 1);
        for attempt in 0.. {
            self.sweeps = self.sweeps.checked_sub(1).ok_or(NO_CONVERGENCE)?;
            let old = [&self.q[rows.clone()], &self.e[sides.clone()]];
            let new = [&mut self.next_q[rows.clone()], &mut self.next_e[sides.clone()]];
            let found = sweep(old, new, shift);
            // The last pivot is NaN if one of those before is.
            if found.min[0] >= 0.0 && found.last[0] >= 0.0 {
                self.q[rows.clone()].copy_from_slice(&self.next_q[rows]);
                self.e[sides.clone()].copy_from_slice(&self.next_e[sides]);
                return Ok((shift, found));
            }
            if shift == 0.0 {
                break;
            }
            let is_late = found.min[1] > 0.0 && found.last[0] < 0.0;
            shift = match attempt {
                // Only the last pivot is negative: the shift is too large by about that.
                0 if is_late => (shift + found.last[0]) * (1.0 - f64::EPSILON),
                0..4 => 0.25 * shift,
                _ => 0.0,
            };
            shift = shift.max(0.0);
        }
        Err(NO_CONVERGENCE)
    }
}

/// The squares of the singular values of a block of two rows.
fn two_squares(q: f64, e: f64, last: f64, threshold: f64) -> [f64; 2] {
    let (greater, less) = (q.max(last), q.min(last));
    let half = 0.5 * ((greater - less) + e);
    if e <= less * threshold || half == 0.0 {
        return [greater, less];
    }
    let product = less * (e / half);
    let correction = if product <= half {
        less * (e / (half * (1.0 + (1.0 + product / half).sqrt())))
    } else {
        less * (e / (half + half.sqrt() * (half + product).sqrt()))
    };
    let first = greater + (correction + e);
    [first, less * (greater / first)]
}

/// One sweep from `[q, e]` to `[q, e]` of at least three rows.
fn sweep([q, e]: [&[f64]; 2], [next_q, next_e]: [&mut [f64]; 2], shift: f64) -> Minima {
    let n = q.len();
    let (e, next_q, next_e) = (&e[..n - 1], &mut next_q[..n], &mut next_e[..n - 1]);
    let mut step = |i: usize, pivot: f64| {
        let sum = pivot + e[i];
        next_q[i] = sum;
        next_e[i] = e[i] * (q[i + 1] / sum);
        // The product need not wait for the sum.
        (pivot * q[i + 1]) / sum - shift
    };
    let (mut pivot, mut min) = (q[0] - shift, f64::INFINITY);
    for i in 0..n - 3 {
        min = min.min(pivot);
        pivot = step(i, pivot);
    }
    let third = pivot;
    let second = step(n - 3, third);
    let last = step(n - 2, second);
    next_q[n - 1] = last;
    let min = min.min(third);
    let mins = [min.min(second).min(last), min.min(second), min];
    Minima { min: mins, last: [last, second, third] }
}

/// A lower bound of the smallest square, from Gershgorin's theorem.
fn bound_from_elements(q: &[f64], e: &[f64]) -> f64 {
    let min = q.iter().copied().fold(f64::INFINITY, f64::min);
    let max = e.iter().copied().fold(0.0, f64::max);
    (min - 2.0 * (min * max).sqrt()).max(0.0)
}

/// The part of the smallest pivot that is the shift where nothing else is known; it grows from sweep to sweep.
const FIRST_FRACTION: f64 = 0.25;

/// An approximate lower bound of the smallest square, from the last sweep, after which `n_found` squares were found.
fn bound_from_minima(
    q: &[f64],
    e: &[f64],
    minima: &Minima,
    n_found: usize,
    fraction: &mut f64,
) -> f64 {
    let (Some(&min), Some(&last)) = (minima.min.get(n_found), minima.last.get(n_found)) else {
        return 0.0;
    };
    if min != last {
        let bound = *fraction * min;
        *fraction += (1.0 - *fraction) / 3.0;
        return bound;
    }
    *fraction = FIRST_FRACTION;
    if n_found == 0
        && minima.min[1] == minima.last[1]
        && let Some(bound) = bound_from_gap(q, e, minima)
    {
        return bound;
    }
    // The residual of a Rayleigh quotient.
    let norm = squared_norm(q, e);
    let bound =
        if norm < MAX_SQUARED_NORM { min * (1.0 - norm.sqrt()) / (1.0 + norm) } else { 0.0 };
    bound.max(FIRST_FRACTION * min)
}

/// A bound for a last pivot that is far below the one before it, if it is.
fn bound_from_gap(q: &[f64], e: &[f64], minima: &Minima) -> Option<f64> {
    let (n, last) = (q.len(), minima.last[0]);
    let below = (q[n - 1] * e[n - 2]).sqrt();
    let above = (q[n - 2] * e[n - 3]).sqrt();
    let middle = q[n - 2] + e[n - 2];
    let upper_gap = 0.75 * minima.min[2] - middle;
    let coupling = if upper_gap > above { (above / upper_gap) * above } else { below + above };
    let gap = middle - last - coupling;
    (gap > below).then(|| (last - (below / gap) * below).max(0.5 * last))
}

/// The bound is useless for larger vectors.
const MAX_SQUARED_NORM: f64 = 0.563;

/// Approximates, from above, the squared norm of the vector whose Rayleigh quotient is the last pivot, without its last
/// element, which is 1.
fn squared_norm(q: &[f64], e: &[f64]) -> f64 {
    let (mut sum, mut product) = (0.0, 1.0);
    for (q, e) in q.iter().zip(e).rev() {
        product *= e / q;
        sum += product;
        if 100.0 * product < sum || sum >= MAX_SQUARED_NORM {
            break;
        }
    }
    1.05 * sum
}

//! The eigenvalues of a real symmetric tridiagonal matrix, by the QL iteration of Pal, Walker and Kahan.
//!
//! A QL sweep rotates each pair of neighbouring rows and columns, from the last to the first. The rotations need square roots,
//! but only the squares of the elements beside the diagonal appear in the results, and the squares of sine and cosine are
//! quotients (LAPACK: `dsterf`). A step still has two divisions one after the other; here the quotients are expanded, so
//! that a step waits for one: 7 ns instead of 10.

use super::{Fault, NO_CONVERGENCE};

/// The most sweeps for each eigenvalue, on average over the matrix. Two are usual.
const MAX_SWEEPS: usize = 30;

/// A square that is neglected in any case, if the largest element is about 1: below, products of several would underflow.
const TINY: f64 = 1e-200;

/// Overwrites the diagonal with the eigenvalues in ascending order, and destroys the elements beside it. An element
/// beside the diagonal is zero to the relative precision `rounding`.
pub(super) fn find_eigenvalues(
    diagonal: &mut [f64],
    side: &mut [f64],
    rounding: f64,
) -> Result<(), Fault> {
    let n = diagonal.len();
    let mut start = 0;
    while start < n {
        let is_coupled = |i: usize| {
            let scale = diagonal[i].abs().sqrt() * diagonal[i + 1].abs().sqrt();
            side[i].abs() > rounding * scale
        };
        let end = (start..n - 1).find(|&i| !is_coupled(i)).map_or(n, |i| i + 1);
        iterate(&mut diagonal[start..end], &mut side[start..end - 1], rounding)?;
        start = end;
    }
    diagonal.sort_unstable_by(f64::total_cmp);
    Ok(())
}

/// Overwrites the diagonal of a matrix without zeros beside it with the eigenvalues.
fn iterate(diagonal: &mut [f64], side: &mut [f64], rounding: f64) -> Result<(), Fault> {
    let n = diagonal.len();
    // Converges from the end with the smaller element.
    if diagonal[n - 1].abs() < diagonal[0].abs() {
        diagonal.reverse();
        side.reverse();
    }
    let scale = normalize(diagonal, side);
    let squares = side;
    squares.iter_mut().for_each(|it| *it *= *it);
    let threshold = rounding * rounding;
    let (mut first, mut sweeps) = (0, MAX_SWEEPS * n);
    while first < n {
        let is_zero = |&i: &usize| {
            squares[i] <= (threshold * (diagonal[i] * diagonal[i + 1]).abs()).max(TINY)
        };
        let last = (first..n - 1).find(is_zero).unwrap_or(n - 1);
        if last < n - 1 {
            squares[last] = 0.0;
        }
        if last == first {
            first += 1;
            continue;
        }
        if last == first + 1 {
            let pair = two_eigenvalues(diagonal[first], squares[first].sqrt(), diagonal[last]);
            [diagonal[first], diagonal[last]] = pair;
            first += 2;
            continue;
        }
        sweeps = sweeps.checked_sub(1).ok_or(NO_CONVERGENCE)?;
        let (diagonal, squares) = (&mut diagonal[first..=last], &mut squares[first..last]);
        sweep(diagonal, squares, shift(diagonal[0], squares[0].sqrt(), diagonal[1]));
    }
    diagonal.iter_mut().for_each(|it| *it *= scale);
    Ok(())
}

/// Divides the elements by a power of two, so that products of several neither overflow nor underflow, and returns it.
fn normalize(diagonal: &mut [f64], side: &mut [f64]) -> f64 {
    let max_abs = |all: &[f64]| all.iter().fold(0.0, |max: f64, it| max.max(it.abs()));
    let max = max_abs(diagonal).max(max_abs(side));
    let scale = if max > 0.0 { max.log2().floor().exp2() } else { 1.0 };
    let factor = 1.0 / scale;
    diagonal.iter_mut().chain(side).for_each(|it| *it *= factor);
    scale
}

/// Returns the eigenvalue of the first two rows and columns that is closer to `a`.
fn shift(a: f64, b: f64, c: f64) -> f64 {
    let half = (c - a) / (2.0 * b);
    a - b / (half + half.hypot(1.0).copysign(half))
}

/// Returns the eigenvalues of `[[a, b], [b, c]]`.
fn two_eigenvalues(a: f64, b: f64, c: f64) -> [f64; 2] {
    let (sum, root) = (a + c, (a - c).hypot(2.0 * b));
    if sum == 0.0 {
        return [0.5 * root, -0.5 * root];
    }
    let (greater, less) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let first = 0.5 * (sum + root.copysign(sum));
    // The determinant divided by the first, without overflow.
    [first, (greater / first) * less - (b / first) * b]
}

/// One sweep. `squares` are those of the elements beside the diagonal.
///
/// With the squares `c` and `s` of cosine and sine, a step of `dsterf` is `r = p + b`, `c = p / r`, `s = b / r`,
/// `gamma = c (a - shift) - s gamma`, `p = gamma² / c`. The last two are fractions of polynomials in the old `p`
/// and `gamma`, which need not wait for `c` and `s`.
fn sweep(diagonal: &mut [f64], squares: &mut [f64], shift: f64) {
    /// Smaller products may have lost digits by underflow.
    const SMALL: f64 = 1e-250;
    let last = squares.len();
    let diagonal = &mut diagonal[..last + 1];
    let (mut sine, mut before) = (0.0, [1.0, 1.0]);
    let mut gamma = diagonal[last] - shift;
    let mut p = gamma * gamma;
    for i in (0..last).rev() {
        let b = squares[i];
        let r = p + b;
        if i + 1 < last {
            squares[i + 1] = sine * r;
        }
        let a = diagonal[i];
        let numerator = p * (a - shift) - b * gamma;
        let (square, denominator) = (numerator * numerator, r * p);
        let (next_gamma, next_p) = if square > SMALL && denominator > SMALL {
            (numerator / r, square / denominator)
        } else {
            step_by_quotients([p, r, b], a - shift, gamma, before)
        };
        diagonal[i + 1] = gamma + (a - next_gamma);
        sine = b / r;
        before = [p, r];
        (gamma, p) = (next_gamma, next_p);
    }
    squares[0] = sine * p;
    diagonal[0] = shift + gamma;
}

/// Returns the next `gamma` and `p` by the formulas of `dsterf`. `before` is the cosine of the rotation before, as a
/// fraction.
#[cold]
#[inline(never)]
fn step_by_quotients([p, r, b]: [f64; 3], a: f64, gamma: f64, before: [f64; 2]) -> (f64, f64) {
    let (cosine, sine) = (p / r, b / r);
    let gamma = cosine * a - sine * gamma;
    // The limit for a cosine of zero; subnormal numbers have too few digits.
    let is_zero = p < f64::MIN_POSITIVE || cosine < f64::MIN_POSITIVE;
    let p = if is_zero { before[0] / before[1] * b } else { (gamma / cosine) * gamma };
    (gamma, p)
}

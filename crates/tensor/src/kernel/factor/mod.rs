//! Matrix factorizations: LU, Cholesky, QR, SVD and eigendecompositions of stacks of matrices.
//!
//! The back-end is the `faer` crate ([`lu`], [`orthogonal`], [`eigen`]), compiled with the feature
//! `factorizations`; QR factorizations are put together of its parts ([`reflections`]), and eigenvalues of Hermitian matrices and
//! singular values without vectors have iterations of their own ([`values`]). `faer` is fast on columns that are contiguous, and
//! many times slower where rows are: it works on such copies of operands and results. [`stack`] loops over the matrices of a stack.
//! Each matrix is factorized by one thread, and `faer` uses no threads of its own, so results do not depend on the
//! number of threads.
//!
//! Every factorization is instantiated for four element types, and only here: together that takes
//! forty seconds of one core to compile.

#[cfg(feature = "factorizations")]
mod eigen;
#[cfg(feature = "factorizations")]
mod lu;
#[cfg(feature = "factorizations")]
mod matrix;
#[cfg(feature = "factorizations")]
mod orthogonal;
#[cfg(feature = "factorizations")]
mod reflections;
#[cfg(feature = "factorizations")]
mod scalar;
#[cfg(feature = "factorizations")]
mod stack;
#[cfg(feature = "factorizations")]
mod values;
#[cfg(feature = "factorizations")]
mod workspace;

#[cfg(feature = "factorizations")]
pub(crate) use stack::factorize;
#[cfg(all(feature = "factorizations", unix))]
pub(crate) use workspace::lock_for_fork;

#[cfg(not(feature = "factorizations"))]
use crate::view::{AnyView, AnyViewMut, Written};

use crate::MatrixProblem;

/// A factorization, or a result computed from one. Each variant lists its outputs and inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factorization {
    /// `[det] = [a]`, with one element for each matrix.
    Det,
    /// `[sign, logabsdet] = [a]`, with one element each.
    Slogdet,
    /// `[x] = [a, b]`, the solution of `a x = b`.
    Solve,
    /// `[x] = [a]`, the inverse.
    Inverse,
    /// `[l] = [a]`, of which the lower triangle is read.
    Cholesky,
    /// `[q, r] = [a]`; `q` is square, or has `min(m, n)` columns.
    Qr,
    /// `[w, v] = [a]`, of which the lower triangle is read; `w` is a column, and real.
    Eigh,
    /// `[w] = [a]`, likewise.
    Eigvalsh,
    /// `[u, s, vh] = [a]`; `u` and `vh` are square, or have `min(m, n)` columns and rows. `s` is a
    /// column, and real.
    Svd,
    /// `[s] = [a]`.
    Svdvals,
    /// `[w, v] = [a]`, both complex; `w` is a column.
    Eig,
    /// `[w] = [a]`.
    Eigvals,
}

/// Why a matrix could not be factorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "factorizations"), expect(dead_code, reason = "the back-end is off"))]
pub(crate) enum Fault {
    /// The matrix has no such factorization.
    Matrix(MatrixProblem),
    /// The given number of bytes of workspace could not be allocated.
    Memory(usize),
}

/// The first matrix of a stack that could not be factorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FactorFailure {
    /// Its number in the stack, in logical order.
    pub matrix: usize,
    pub fault: Fault,
}

/// Stands in for the back-end. Operations call `Feature::require` first.
#[cfg(not(feature = "factorizations"))]
pub(crate) fn factorize<'x, const N: usize, const M: usize>(
    _: Factorization,
    _: [AnyViewMut<'x>; N],
    _: [AnyView<'_>; M],
) -> Result<[Written<'x>; N], FactorFailure> {
    unreachable!("the feature `factorizations` is off")
}

//! Matrices taken apart.
//!
//! The `faer` crate does the work ([`general`], [`orthogonal`], [`spectrum`]): it takes matrices of any
//! strides, so operands are read where they are and results written where they belong. What is here
//! is the walk over a stack of matrices. Each of them belongs to one thread, within which `faer` uses no
//! others; so results do not depend on the number of threads.
//!
//! Every calculation is compiled for four types, and nowhere else: together that takes some forty seconds of one
//! core.

mod general;
mod number;
mod orthogonal;
mod place;
mod spectrum;

use crate::plan::{GRAIN, PIECES_PER_THREAD};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, MatrixProblem, pool};
use num_complex::Complex;
use place::{Place, Stack};
use std::sync::Mutex;

/// What to calculate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    /// `[det] = [a]`, with one element for each matrix.
    Det,
    /// `[sign, logarithm] = [a]`, with one element each.
    Slogdet,
    /// `[x] = [a, b]`, the solution of `a x = b`.
    Solve,
    /// `[x] = [a]`, the inverse.
    Inverse,
    /// `[l] = [a]`, of which the lower triangle is read.
    Cholesky,
    /// `[q, r] = [a]`; `q` is square or has as many columns as are needed.
    Qr,
    /// `[w, v] = [a]`, of which the lower triangle is read; `w` is a column, and real.
    Eigh,
    /// `[w] = [a]`, likewise.
    Eigvalsh,
    /// `[u, s, vh] = [a]`; `u` and `vh` are square or as narrow as can be. `s` is a column, and real.
    Svd,
    /// `[s] = [a]`.
    Svdvals,
    /// `[w, v] = [a]`, both complex; `w` is a column.
    Eig,
    /// `[w] = [a]`.
    Eigvals,
}

/// Why a matrix has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is the matrix's.
    Matrix(MatrixProblem),
    /// There is no memory for so many bytes.
    Memory(usize),
}

/// The first matrix of a stack without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its place in the stack, in logical order.
    pub matrix: usize,
    pub fault: Fault,
}

/// Calculates one matrix of a stack.
///
/// # Safety
/// The inputs must be valid for reads, and the outputs for writes and nobody else's. Types and shapes are looked
/// at by the kernel, which panics if they are wrong.
///
/// When it returns without a fault, the kernel has written every element of the outputs. It asks for memory
/// before it reads or writes much: a broadcast matrix may be larger than any memory.
type Kernel = unsafe fn(out: &[Place], input: &[Place]) -> Result<(), Fault>;

/// Calculates every matrix of a stack: the last two axes of all views are rows and columns, and those before
/// them are the same.
///
/// Types and shapes must be as [`Factor`] says; if not, this panics.
pub(crate) fn factor<'x, const N: usize, const M: usize>(
    what: Factor,
    outs: [AnyViewMut<'x>; N],
    inputs: [AnyView<'_>; M],
) -> Result<[Written<'x>; N], Failure> {
    let dtype = inputs[0].dtype();
    let kernel = kernel(what, dtype);
    let writes = outs.each_ref().map(|it| Stack::new(it.ptr(), it.layout(), it.dtype()));
    let reads = inputs.each_ref().map(|it| Stack::new(it.ptr(), it.layout(), it.dtype()));
    let shape = reads[0].batch_shape();
    for stack in writes.iter().chain(&reads) {
        assert_eq!(stack.batch_shape(), shape, "stacks are of one shape");
    }
    if outs.iter().all(|out| out.layout().is_empty()) {
        // A stack of matrices without elements may be longer than anybody would wait for.
        // SAFETY: there are no elements.
        return Ok(outs.map(|out| unsafe { out.written() }));
    }
    let n_matrices: usize = shape.iter().product();
    let failure = Mutex::new(None);
    let n = n_pieces(&reads[0], n_matrices);
    pool::run(n, &|piece| {
        for i in n_matrices * piece / n..n_matrices * (piece + 1) / n {
            let input = reads.each_ref().map(|it| it.place(i));
            let out = writes.each_ref().map(|it| it.place(i));
            // SAFETY: the stacks are of views, which are borrowed while this runs: the outputs for writing,
            // so that they share no element with anything. Each matrix is of one piece.
            if let Err(fault) = unsafe { kernel(&out, &input) } {
                let mut first = failure.lock().unwrap_or_else(|it| it.into_inner());
                if first.is_none_or(|it: Failure| i < it.matrix) {
                    *first = Some(Failure { matrix: i, fault });
                }
                return;
            }
        }
    });
    match failure.into_inner().unwrap_or_else(|it| it.into_inner()) {
        Some(failure) => Err(failure),
        // SAFETY: all matrices of all outputs have been written.
        None => Ok(outs.map(|out| unsafe { out.written() })),
    }
}

/// Into how many pieces it pays to divide a stack.
fn n_pieces(stack: &Stack, n_matrices: usize) -> usize {
    let (rows, cols) = stack.matrix_shape();
    let work = rows.saturating_mul(cols).saturating_mul(rows.min(cols)).saturating_mul(n_matrices);
    match pool::num_threads() {
        1 => 1,
        threads => (work / GRAIN).clamp(1, threads * PIECES_PER_THREAD).min(n_matrices.max(1)),
    }
}

/// The kernel for a type: the four that there are.
fn kernel(what: Factor, dtype: DType) -> Kernel {
    match (what, dtype) {
        (Factor::Eig | Factor::Eigvals, DType::Float32) => spectrum::eig_real::<f32>,
        (Factor::Eig | Factor::Eigvals, DType::Float64) => spectrum::eig_real::<f64>,
        (Factor::Eig | Factor::Eigvals, DType::Complex64) => spectrum::eig_complex::<f32>,
        (Factor::Eig | Factor::Eigvals, DType::Complex128) => spectrum::eig_complex::<f64>,
        (what, DType::Float32) => kernel_of::<f32>(what),
        (what, DType::Float64) => kernel_of::<f64>(what),
        (what, DType::Complex64) => kernel_of::<Complex<f32>>(what),
        (what, DType::Complex128) => kernel_of::<Complex<f64>>(what),
        (what, dtype) => unreachable!("operations refuse {what:?} of {dtype}"),
    }
}

fn kernel_of<T: number::Number>(what: Factor) -> Kernel {
    match what {
        Factor::Det => general::det::<T>,
        Factor::Slogdet => general::slogdet::<T>,
        Factor::Solve => general::solve::<T>,
        Factor::Inverse => general::inverse::<T>,
        Factor::Cholesky => general::cholesky::<T>,
        Factor::Qr => orthogonal::qr::<T>,
        Factor::Eigh | Factor::Eigvalsh => spectrum::eigh::<T>,
        Factor::Svd | Factor::Svdvals => orthogonal::svd::<T>,
        Factor::Eig | Factor::Eigvals => unreachable!("these are chosen before"),
    }
}

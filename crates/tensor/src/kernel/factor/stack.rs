//! The loop over a stack of matrices, and the kernel for each element type.

use super::matrix::{InputMatrix, InputStack, OutputMatrix, OutputStack};
use super::scalar::FactorScalar;
use super::workspace::{check_packing_memory, ensure_first_product};
use super::{FactorFailure, Factorization, Fault, eigen, lu, orthogonal, values};
use crate::plan::pieces_for;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, pool};
use num_complex::Complex;
use std::sync::Mutex;

/// Factorizes one matrix of a stack.
///
/// When it returns `Ok`, the kernel has written every element of the outputs. It allocates its
/// workspace before it reads or writes elements: a broadcast matrix may be larger than any memory.
///
/// It checks dtypes and shapes, and panics if they are wrong.
type FactorKernel =
    fn(out: &mut [OutputMatrix<'_>], input: &[InputMatrix<'_>]) -> Result<(), Fault>;

/// Factorizes every matrix of a stack: the last two axes of all views are rows and columns, and the axes
/// before them have the same lengths in all views.
///
/// # Panics
/// If dtypes or shapes are not those that [`Factorization`] states.
pub(crate) fn factorize<'x, const N: usize, const M: usize>(
    what: Factorization,
    mut outs: [AnyViewMut<'x>; N],
    inputs: [AnyView<'_>; M],
) -> Result<[Written<'x>; N], FactorFailure> {
    // Returns before the loop: the number of matrices without elements is not bounded by memory.
    if !outs.iter().all(|out| out.layout().is_empty()) {
        let writes = outs.each_mut().map(OutputStack::new);
        let reads = inputs.each_ref().map(InputStack::new);
        factorize_stacks(kernel(what, inputs[0].dtype()), &writes, &reads)?;
    }
    // SAFETY: all matrices of all outputs have been written.
    Ok(outs.map(|out| unsafe { out.written() }))
}

/// Calls a kernel for every matrix, on as many threads as pay.
fn factorize_stacks(
    kernel: FactorKernel,
    writes: &[OutputStack<'_>],
    reads: &[InputStack<'_>],
) -> Result<(), FactorFailure> {
    let shape = reads[0].batch_shape();
    assert!(writes.iter().all(|it| it.batch_shape() == shape), "stacks of one shape");
    assert!(reads.iter().all(|it| it.batch_shape() == shape), "stacks of one shape");
    let n_matrices: usize = shape.iter().product();
    let failure = Mutex::new(None);
    let n = n_pieces(&reads[0], n_matrices);
    pool::run(n, &|piece| {
        let (mut out, mut input) = (Vec::new(), Vec::new());
        for i in n_matrices * piece / n..n_matrices * (piece + 1) / n {
            out.clear();
            // SAFETY: each matrix belongs to one piece, and the list was cleared, so there is no other
            // `OutputMatrix` of it.
            out.extend(writes.iter().map(|it| unsafe { it.matrix(i) }));
            input.clear();
            input.extend(reads.iter().map(|it| it.matrix(i)));
            let outcome = check_packing_memory().and_then(|()| {
                ensure_first_product();
                kernel(&mut out, &input)
            });
            if let Err(fault) = outcome {
                let mut first = failure.lock().unwrap_or_else(|it| it.into_inner());
                if first.is_none_or(|it: FactorFailure| i < it.matrix) {
                    *first = Some(FactorFailure { matrix: i, fault });
                }
                return;
            }
        }
    });
    failure.into_inner().unwrap_or_else(|it| it.into_inner()).map_or(Ok(()), Err)
}

/// Returns the number of pieces that a stack is divided into for threads.
fn n_pieces(stack: &InputStack<'_>, n_matrices: usize) -> usize {
    let [rows, cols] = stack.matrix_shape();
    let work = rows.saturating_mul(cols).saturating_mul(rows.min(cols)).saturating_mul(n_matrices);
    pieces_for(work, n_matrices)
}

/// Returns the kernel for an element type: `float32`, `float64`, or complex numbers of these.
fn kernel(what: Factorization, dtype: DType) -> FactorKernel {
    use Factorization::{Eig, Eigvals};
    match (what, dtype) {
        (Eig | Eigvals, DType::Float32) => eigen::eig_real::<f32>,
        (Eig | Eigvals, DType::Float64) => eigen::eig_real::<f64>,
        (Eig | Eigvals, DType::Complex64) => eigen::eig_complex::<f32>,
        (Eig | Eigvals, DType::Complex128) => eigen::eig_complex::<f64>,
        (what, DType::Float32) => kernel_of::<f32>(what),
        (what, DType::Float64) => kernel_of::<f64>(what),
        (what, DType::Complex64) => kernel_of::<Complex<f32>>(what),
        (what, DType::Complex128) => kernel_of::<Complex<f64>>(what),
        (what, dtype) => unreachable!("operations refuse {what:?} of {dtype}"),
    }
}

fn kernel_of<T: FactorScalar>(what: Factorization) -> FactorKernel {
    match what {
        Factorization::Det => lu::det::<T>,
        Factorization::Slogdet => lu::slogdet::<T>,
        Factorization::Solve => lu::solve::<T>,
        Factorization::Inverse => lu::inverse::<T>,
        Factorization::Cholesky => lu::cholesky::<T>,
        Factorization::Qr => orthogonal::qr::<T>,
        Factorization::Eigh => eigen::eigh::<T>,
        Factorization::Eigvalsh => values::eigvalsh::<T>,
        Factorization::Svd => orthogonal::svd::<T>,
        Factorization::Svdvals => values::svdvals::<T>,
        Factorization::Eig | Factorization::Eigvals => unreachable!("`kernel` has chosen these"),
    }
}

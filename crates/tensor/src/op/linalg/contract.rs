//! Tensor contraction: products of two tensors, summed over pairs of their axes.
//!
//! The axes are permuted into groups and each group is merged into one axis, which leaves a batched matrix
//! product. Groups are merged by a view if there is one. The order of the summed pairs is free, so an order is
//! chosen in which both operands have a view, if there is one.
//!
//! Without rows or without columns the matrix product would be one of vectors, which is no faster than sums of products
//! over strides. These are used for batches of dot products, and where the matrices would be a copy, as for windows.

use crate::copies::CopyReason;
use crate::kernel::sum_of_products::{sum_of_products, sum_products_of_rows};
use crate::op::execute::{SmallOperands, SmallShape, compute_new, is_small};
use crate::op::operand::Operand;
use crate::trace::Call;
use crate::{Error, Layout, Shape, Tensor, broadcast_shapes, matmul_add_into, matmul_into};

/// The role of each axis of two tensors. Each axis is in one of the lists.
#[derive(Debug, Default)]
pub(in crate::op) struct Contraction {
    /// Pairs of batch axes; a length of 1 is broadcast.
    pub batch: Vec<[usize; 2]>,
    /// Axes of the left operand that are neither batch nor summed axes.
    pub left: Vec<usize>,
    /// Axes of the right operand that are neither batch nor summed axes.
    pub right: Vec<usize>,
    /// Pairs of axes of equal length that are summed over.
    pub summed: Vec<[usize; 2]>,
}

impl Contraction {
    /// Contracts two tensors of one dtype. The axes of the result are the batch axes, those of the left operand
    /// and those of the right one.
    #[track_caller]
    pub(in crate::op) fn contract(
        mut self,
        a: &Tensor,
        b: &Tensor,
        call: Call<'_>,
    ) -> Result<Tensor, Error> {
        if self.summed.is_empty() {
            return self.outer_product(a, b);
        }
        let (n, is_bool) = (self.batch.len(), a.dtype().is_bool());
        if self.left.is_empty() && self.right.is_empty() && n > 0 && !is_bool {
            return self.sum_products(a, b, call);
        }
        self.choose_order(a, b)?;
        let [batch_a, batch_b] = [0, 1].map(|side| column(&self.batch, side));
        let [summed_a, summed_b] = [0, 1].map(|side| column(&self.summed, side));
        let (shape_a, shape_b) = (a.shape(), b.shape());
        let left = permuted(a, &[&batch_a[..], &self.left, &summed_a].concat())?;
        let right = permuted(b, &[&batch_b[..], &summed_b, &self.right].concat())?;
        let copies = || {
            let is_copied = |x: &Tensor, n_rows: usize| {
                x.layout().view(&*matrices_shape(x, n, n_rows)).is_err()
            };
            is_copied(&left, self.left.len()) || is_copied(&right, self.summed.len())
        };
        let has_vectors = self.left.is_empty() || self.right.is_empty();
        if !is_bool && has_vectors && copies() {
            return self.sum_products(a, b, call);
        }
        let rows = as_matrices(&left, n, self.left.len(), call)?;
        let cols = as_matrices(&right, n, self.summed.len(), call)?;
        let product = rows.matmul(&cols)?;
        let kept = self.left.iter().map(|&k| shape_a[k]);
        let kept = kept.chain(self.right.iter().map(|&k| shape_b[k]));
        let shape: Shape = product.shape()[..n].iter().copied().chain(kept).collect();
        product.view(&*shape)
    }

    /// Contracts without matrices, if one of the operands has no axes of its own. The order of the summed pairs makes no
    /// difference.
    #[track_caller]
    fn sum_products(&self, a: &Tensor, b: &Tensor, call: Call<'_>) -> Result<Tensor, Error> {
        let [batch_a, batch_b] = [0, 1].map(|side| column(&self.batch, side));
        let [summed_a, summed_b] = [0, 1].map(|side| column(&self.summed, side));
        let mut a = permuted(a, &[&batch_a[..], &self.left, &summed_a].concat())?;
        let mut b = permuted(b, &[&batch_b[..], &self.right, &summed_b].concat())?;
        for _ in &self.right {
            a = a.unsqueeze(self.batch.len() as isize)?;
        }
        for _ in &self.left {
            b = b.unsqueeze(self.batch.len() as isize)?;
        }
        sum_of_last(&a, &b, self.summed.len(), call)
    }

    /// Computes the outer product with batch axes: a contraction without summed axes.
    #[track_caller]
    fn outer_product(&self, a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
        let [batch_a, batch_b] = [0, 1].map(|side| column(&self.batch, side));
        let mut a = permuted(a, &[&batch_a[..], &self.left].concat())?;
        for _ in &self.right {
            a = a.unsqueeze(-1)?;
        }
        let mut b = permuted(b, &[&batch_b[..], &self.right].concat())?;
        for _ in &self.left {
            b = b.unsqueeze(self.batch.len() as isize)?;
        }
        a.mul(&b)
    }

    /// Chooses the order of the summed pairs for which the fewest bytes have to be copied.
    fn choose_order(&mut self, a: &Tensor, b: &Tensor) -> Result<(), Error> {
        let by_strides = |side: usize, x: &Tensor| {
            let mut pairs = self.summed.clone();
            let stride = |k: usize| std::cmp::Reverse(x.layout().axes()[k].stride.unsigned_abs());
            pairs.sort_by_key(|pair| stride(pair[side]));
            pairs
        };
        let mut best = (usize::MAX, Vec::new());
        for pairs in [self.summed.clone(), by_strides(0, a), by_strides(1, b)] {
            let mut bytes = 0;
            for (side, x) in [a, b].into_iter().enumerate() {
                let axes = column(&pairs, side);
                let view = x.layout().permute(&signed(&axes_last(x.rank(), &axes)))?;
                let rest = (x.rank() - axes.len()) as isize;
                let joins = axes.len() < 2 || view.merge(rest, -1).is_ok();
                bytes += if joins { 0 } else { x.n_bytes() };
            }
            if bytes < best.0 {
                best = (bytes, pairs);
            }
        }
        self.summed = best.1;
        Ok(())
    }
}

/// Returns the axes of one operand in a list of pairs.
pub(super) fn column(pairs: &[[usize; 2]], side: usize) -> Vec<usize> {
    pairs.iter().map(|pair| pair[side]).collect()
}

/// Returns a permutation of all axes that puts some of them last.
fn axes_last(rank: usize, last: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).filter(|k| !last.contains(k)).collect();
    order.extend(last);
    order
}

fn permuted(x: &Tensor, order: &[usize]) -> Result<Tensor, Error> {
    match order.iter().copied().eq(0..x.rank()) {
        true => Ok(x.clone()),
        false => x.permute_dims(&signed(order)),
    }
}

/// Returns axes as a list for operations that also accept negative ones.
pub(super) fn signed(axes: &[usize]) -> Vec<isize> {
    axes.iter().map(|&k| k as isize).collect()
}

/// Computes the sums of the products of two tensors of one dtype, which are broadcast, over the last `n` axes.
#[track_caller]
pub(super) fn sum_of_last(
    a: &Tensor,
    b: &Tensor,
    n: usize,
    call: Call<'_>,
) -> Result<Tensor, Error> {
    if let Some(result) = sum_of_rows(a, b, n, call.part()) {
        return result;
    }
    let shape = broadcast_shapes(&[&a.shape(), &b.shape()])?;
    let kept = &shape[..shape.len() - n];
    let mut with_units = kept.to_vec();
    with_units.resize(shape.len(), 1);
    let operands = [a.into(), b.into()];
    compute_new(call.part(), Layout::row_major(kept)?, a.dtype(), &operands, |out, views| {
        let [a, b] = views.map(|it| it.broadcast_to(&shape).expect("the shapes were broadcast"));
        sum_of_products(out.with_axes_of(&with_units), &a, &b)
    })
}

/// The same for few rows of contiguous elements, without a plan. `None` for other operands, or if another thread has borrowed
/// their memory.
fn sum_of_rows(a: &Tensor, b: &Tensor, n: usize, call: Call<'_>) -> Option<Result<Tensor, Error>> {
    let (&[rows, run], &[b_rows, b_run]) = (a.layout().axes(), b.layout().axes()) else {
        return None;
    };
    let is_same = (rows.len, run.len) == (b_rows.len, b_run.len) && a.dtype() == b.dtype();
    let are_runs = [run, b_run].iter().all(|it| it.stride == 1 || it.len == 1);
    if n != 1 || !is_same || !are_runs || !is_small(a.len()) {
        return None;
    }
    let (operands, event) = ([a, b].map(Operand::from), call.announce());
    let small = SmallOperands::borrow_matrices(&operands, [[rows, run], [b_rows, b_run]])?;
    let shape = SmallShape::Rows { lens: [1, rows.len], rank: 1 };
    Some(small.compute(&event, shape, a.dtype(), sum_products_of_rows))
}

/// Returns a stack of matrices: after the first `n_batch` axes, the next `n_rows` axes are merged into the rows,
/// and the others into the columns. The stack is a view if there is one, otherwise a copy.
fn as_matrices(x: &Tensor, n_batch: usize, n_rows: usize, call: Call<'_>) -> Result<Tensor, Error> {
    let shape = matrices_shape(x, n_batch, n_rows);
    match x.view(&*shape) {
        Ok(view) => Ok(view),
        Err(Error::View { .. }) => x.copied(call.part().copying(CopyReason::NoView))?.view(&*shape),
        Err(error) => Err(error),
    }
}

fn matrices_shape(x: &Tensor, n_batch: usize, n_rows: usize) -> Vec<usize> {
    let shape = x.shape();
    let (batch, rest) = shape.split_at(n_batch);
    let (rows, cols) = rest.split_at(n_rows);
    // The product of the lengths of a tensor fits in a usize if no length is 0; if one is, it may overflow.
    let len = |lens: &[usize]| lens.iter().try_fold(1usize, |n, &len| n.checked_mul(len));
    let (rows, cols) = (len(rows).unwrap_or(0), len(cols).unwrap_or(0));
    batch.iter().copied().chain([rows, cols]).collect()
}

/// Computes `conj(a) · b` of two tensors of one dtype.
///
/// Conjugating would copy `a`. The real and imaginary parts are views, so four real matrix products do the same
/// without a copy.
#[track_caller]
pub(super) fn conjugated_matmul(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    if !a.dtype().is_complex() {
        return a.matmul(b);
    }
    let ([a_re, a_im], [b_re, b_im]) = ([a.real()?, a.imag()?], [b.real()?, b.imag()?]);
    let minus = a_im.matmul(&b_re)?;
    let out = Tensor::zeros(minus.shape(), a.dtype())?;
    let (re, im) = (out.real()?, out.imag()?);
    matmul_into(&a_re, &b_re, &re)?;
    matmul_add_into(&a_im, &b_im, &re)?;
    matmul_into(&a_re, &b_im, &im)?;
    im.sub_assign(&minus)?;
    Ok(out)
}

//! Products of two tensors that are summed over some pairs of their axes.
//!
//! The plain solution permutes the axes into groups and joins each group into one axis, so that what is
//! left is a stack of products of matrices. Groups are joined by a view if there is one. The order of
//! the summed pairs is free, so one is looked for in which both sides have a view.

use crate::copies::CopyReason;
use crate::view::Call;
use crate::{Error, Shape, Tensor, matmul_add_into, matmul_into};

/// Which axes of two tensors are what. Each axis is in one of the lists.
#[derive(Debug, Default)]
pub(in crate::op) struct Contraction {
    /// Pairs that go along with each other; a length of 1 is repeated.
    pub batch: Vec<[usize; 2]>,
    /// Axes that only the left one has.
    pub left: Vec<usize>,
    /// Axes that only the right one has.
    pub right: Vec<usize>,
    /// Pairs of one length that are summed over.
    pub summed: Vec<[usize; 2]>,
}

impl Contraction {
    /// The sums of products of two tensors of one type: its axes are those of the batch, of the left and
    /// of the right.
    #[track_caller]
    pub(in crate::op) fn of(mut self, a: &Tensor, b: &Tensor, call: Call) -> Result<Tensor, Error> {
        if self.summed.is_empty() {
            return self.products(a, b);
        }
        self.choose_order(a, b)?;
        let n = self.batch.len();
        let [batch_a, batch_b] = [0, 1].map(|side| column(&self.batch, side));
        let [summed_a, summed_b] = [0, 1].map(|side| column(&self.summed, side));
        let (shape_a, shape_b) = (a.shape(), b.shape());
        let order = [&batch_a[..], &self.left, &summed_a].concat();
        let rows = joined(&permuted(a, &order)?, n, self.left.len(), call)?;
        let order = [&batch_b[..], &summed_b, &self.right].concat();
        let cols = joined(&permuted(b, &order)?, n, self.summed.len(), call)?;
        let product = rows.matmul(&cols)?;
        let kept = self.left.iter().map(|&k| shape_a[k]);
        let kept = kept.chain(self.right.iter().map(|&k| shape_b[k]));
        let shape: Shape = product.shape()[..n].iter().copied().chain(kept).collect();
        product.view(&*shape)
    }

    /// Products that are not summed are those of elements.
    #[track_caller]
    fn products(&self, a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
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

    /// Puts the summed pairs in an order in which as few sides as possible have to be copied.
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
                let view = permuted(x, &axes_last(x.rank(), &axes))?;
                let rest = (x.rank() - axes.len()) as isize;
                let joins = axes.len() < 2 || view.layout().merge(rest, -1).is_ok();
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

/// The axes of one side of a list of pairs.
fn column(pairs: &[[usize; 2]], side: usize) -> Vec<usize> {
    pairs.iter().map(|pair| pair[side]).collect()
}

/// All axes, with some of them behind the others.
fn axes_last(rank: usize, last: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).filter(|k| !last.contains(k)).collect();
    order.extend(last);
    order
}

fn permuted(x: &Tensor, order: &[usize]) -> Result<Tensor, Error> {
    let order: Vec<isize> = order.iter().map(|&k| k as isize).collect();
    x.permute_dims(&order)
}

/// A stack of matrices: behind the first `n_batch` axes, the next `n_rows` are one, and so is the rest.
/// It is a view if there is one.
fn joined(x: &Tensor, n_batch: usize, n_rows: usize, call: Call) -> Result<Tensor, Error> {
    let shape = x.shape();
    let (batch, rest) = shape.split_at(n_batch);
    let (rows, cols) = rest.split_at(n_rows);
    // Lengths of a tensor multiply to a number, if none is 0; if one is, the others may be anything.
    let len = |lens: &[usize]| lens.iter().try_fold(1usize, |n, &len| n.checked_mul(len));
    let (rows, cols) = (len(rows).unwrap_or(0), len(cols).unwrap_or(0));
    let whole: Vec<usize> = batch.iter().copied().chain([rows, cols]).collect();
    match x.view(&*whole) {
        Ok(view) => Ok(view),
        Err(Error::View { .. }) => {
            x.copied(call.op, CopyReason::NoView, call.caller)?.view(&*whole)
        }
        Err(error) => Err(error),
    }
}

/// Products of matrices whose left factor is conjugated, of one type.
///
/// Conjugating would copy it. The parts of complex numbers are views, so four products of real
/// matrices do the same where they are.
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

//! Evaluation: views, sums, and contractions of two operands.

use super::order::{kept, pairs};
use super::spec::{Label, Spec};
use crate::op::convert::as_type;
use crate::op::linalg::Contraction;
use crate::trace::Call;
use crate::{DType, Error, Tensor, result_type_of, sum_into};

/// A tensor and the index of each of its axes, without repetition.
struct IndexedTensor {
    tensor: Tensor,
    labels: Vec<Label>,
}

#[track_caller]
pub(super) fn run(spec: &Spec, operands: &[&Tensor], call: Call<'_>) -> Result<Tensor, Error> {
    let dtype = result_type_of(operands.iter().map(|x| x.dtype()));
    let dtype = dtype.expect("subscripts have at least one operand");
    // Products of bools are computed as numbers, and a sum that is not 0 is true. Floats, since integers could wrap to
    // 0.
    let counts = dtype.is_bool() && operands.len() > 1;
    let inside = if counts { DType::Float32 } else { dtype };
    let mut factors = Vec::with_capacity(operands.len());
    for (x, labels) in operands.iter().zip(&spec.inputs) {
        // The diagonal is taken before the cast, so that less is copied.
        let factor = diagonals(x, labels)?;
        let tensor = as_type(&factor.tensor, inside, call)?;
        factors.push(IndexedTensor { tensor, ..factor });
    }
    for (i, j) in pairs(spec) {
        let (b, a) = (factors.remove(j), factors.remove(i));
        let others: Vec<Vec<Label>> = factors.iter().map(|it| it.labels.clone()).collect();
        let left = kept(spec, &[&a.labels, &b.labels], others.iter());
        factors.push(product(a, b, &left, call)?);
    }
    let last = factors.pop().expect("there is at least one operand");
    let IndexedTensor { tensor, labels } = last.summed(&spec.output)?;
    let axis = |label| labels.iter().position(|it| it == label).expect("an index of the output");
    let result = if labels == spec.output {
        tensor
    } else {
        let order: Vec<isize> = spec.output.iter().map(|label| axis(label) as isize).collect();
        tensor.permute_dims(&order)?
    };
    if counts { result.not_equal(0) } else { Ok(result) }
}

/// Replaces repeated indices of an operand by diagonals.
fn diagonals(x: &Tensor, labels: &[Label]) -> Result<IndexedTensor, Error> {
    let (mut tensor, mut labels) = (x.clone(), labels.to_vec());
    let twice = |labels: &[Label]| {
        let pairs = (0..labels.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.into_iter().find(|&(i, j)| labels[i] == labels[j])
    };
    while let Some((i, j)) = twice(&labels) {
        let label = labels.remove(j);
        labels.remove(i);
        tensor = tensor.diagonal(0, i as isize, j as isize)?;
        labels.push(label);
    }
    Ok(IndexedTensor { tensor, labels })
}

impl IndexedTensor {
    fn axis(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|&it| it == label)
    }

    fn len(&self, label: Label) -> Option<usize> {
        self.axis(label).map(|k| self.tensor.shape()[k])
    }

    /// Sums over all indices but `keep`, in the dtype of the tensor.
    #[track_caller]
    fn summed(self, keep: &[Label]) -> Result<IndexedTensor, Error> {
        let is_kept = |k: &usize| keep.contains(&self.labels[*k]);
        let axes: Vec<isize> =
            (0..self.labels.len()).filter(|k| !is_kept(k)).map(|k| k as isize).collect();
        if axes.is_empty() {
            return Ok(self);
        }
        let left: Vec<usize> = (0..self.labels.len()).filter(is_kept).collect();
        let (shape, dtype) = (self.tensor.shape(), self.tensor.dtype());
        let tensor = match dtype {
            DType::Bool => self.tensor.any(&axes[..])?,
            // `sum` of small integers is computed in 64 bits; this keeps the dtype, and wraps.
            _ if dtype.is_integer() && dtype.size() < 8 => {
                let shape: Vec<usize> = left.iter().map(|&k| shape[k]).collect();
                let out = Tensor::zeros(shape, dtype)?;
                sum_into(&self.tensor, &axes[..], &out)?;
                out
            }
            _ => self.tensor.sum(&axes[..])?,
        };
        Ok(IndexedTensor { tensor, labels: left.into_iter().map(|k| self.labels[k]).collect() })
    }

    /// Removes an axis of length 1.
    fn without(self, label: Label) -> Result<IndexedTensor, Error> {
        let Some(k) = self.axis(label) else { return Ok(self) };
        let tensor = self.tensor.squeeze(&[k as isize])?;
        let labels = self.labels.into_iter().filter(|&it| it != label).collect();
        Ok(IndexedTensor { tensor, labels })
    }
}

/// Computes the product of two tensors, summed over all indices but `keep`.
#[track_caller]
fn product(
    mut a: IndexedTensor,
    mut b: IndexedTensor,
    keep: &[Label],
    call: Call<'_>,
) -> Result<IndexedTensor, Error> {
    // Indices that only one of them has are summed first. An axis of length 1 is broadcast, so it is removed.
    for label in [&a.labels[..], &b.labels].concat() {
        match (a.len(label), b.len(label)) {
            (Some(1), Some(_)) => a = a.without(label)?,
            (Some(_), Some(1)) => b = b.without(label)?,
            _ => {}
        }
    }
    let needed = |other: &IndexedTensor| [keep, &other.labels[..]].concat();
    let (needed_a, needed_b) = (needed(&b), needed(&a));
    (a, b) = (a.summed(&needed_a)?, b.summed(&needed_b)?);
    let mut contraction = Contraction::default();
    let mut labels = Vec::new();
    for (i, &label) in a.labels.iter().enumerate() {
        match (b.axis(label), keep.contains(&label)) {
            (Some(j), true) => {
                contraction.batch.push([i, j]);
                labels.push(label);
            }
            (Some(j), false) => contraction.summed.push([i, j]),
            (None, _) => contraction.left.push(i),
        }
    }
    contraction.right = (0..b.labels.len()).filter(|&j| a.axis(b.labels[j]).is_none()).collect();
    labels.extend(contraction.left.iter().map(|&i| a.labels[i]));
    labels.extend(contraction.right.iter().map(|&j| b.labels[j]));
    Ok(IndexedTensor { tensor: contraction.contract(&a.tensor, &b.tensor, call)?, labels })
}

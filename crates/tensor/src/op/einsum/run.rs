//! The calculation: views, sums, and products two at a time.

use super::order::{kept, pairs};
use super::spec::{Label, Spec};
use crate::op::linalg::Contraction;
use crate::op::settled::as_type;
use crate::view::Call;
use crate::{DType, Error, Tensor, result_type_of, sum_into};

/// A tensor, and the index of each of its axes: each is there once.
struct Factor {
    tensor: Tensor,
    labels: Vec<Label>,
}

#[track_caller]
pub(super) fn run(spec: &Spec, operands: &[&Tensor], call: Call) -> Result<Tensor, Error> {
    let dtype = result_type_of(operands.iter().map(|x| x.dtype()));
    let dtype = dtype.expect("subscripts for no operands were refused");
    // Products of bools are calculated as numbers, and a sum that is not 0 is true. They are floats
    // because those never get from a great sum back to 0.
    let counts = dtype.is_bool() && operands.len() > 1;
    let inside = if counts { DType::Float32 } else { dtype };
    let mut factors = Vec::with_capacity(operands.len());
    for (x, labels) in operands.iter().zip(&spec.inputs) {
        // Of a diagonal only that is converted.
        let factor = diagonals(x, labels)?;
        let tensor = as_type(&factor.tensor, inside, call)?;
        factors.push(Factor { tensor, ..factor });
    }
    for (i, j) in pairs(spec) {
        let (b, a) = (factors.remove(j), factors.remove(i));
        let others: Vec<Vec<Label>> = factors.iter().map(|it| it.labels.clone()).collect();
        let left = kept(spec, &[&a.labels, &b.labels], others.iter());
        factors.push(product(a, b, &left, call)?);
    }
    let last = factors.pop().expect("there is at least one operand");
    let Factor { tensor, labels } = last.summed(&spec.output)?;
    let place = |label| labels.iter().position(|it| it == label).expect("the result has it");
    let order: Vec<isize> = spec.output.iter().map(|label| place(label) as isize).collect();
    let result = tensor.permute_dims(&order)?;
    if counts { result.not_equal(0) } else { Ok(result) }
}

/// An operand in which every index is there once: where it was there twice, it is a diagonal.
fn diagonals(x: &Tensor, labels: &[Label]) -> Result<Factor, Error> {
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
    Ok(Factor { tensor, labels })
}

impl Factor {
    fn place(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|&it| it == label)
    }

    fn len(&self, label: Label) -> Option<usize> {
        self.place(label).map(|k| self.tensor.shape()[k])
    }

    /// Sums over all indices but some. The type stays.
    #[track_caller]
    fn summed(self, keep: &[Label]) -> Result<Factor, Error> {
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
            // Those are summed in 64 bits, and the lower ones are the sum.
            _ if dtype.is_integer() && dtype.size() < 8 => {
                let shape: Vec<usize> = left.iter().map(|&k| shape[k]).collect();
                let out = Tensor::zeros(shape, dtype)?;
                sum_into(&self.tensor, &axes[..], &out)?;
                out
            }
            _ => self.tensor.sum(&axes[..])?,
        };
        Ok(Factor { tensor, labels: left.into_iter().map(|k| self.labels[k]).collect() })
    }

    /// Leaves out an axis of length 1.
    fn without(self, label: Label) -> Result<Factor, Error> {
        let Some(k) = self.place(label) else { return Ok(self) };
        let tensor = self.tensor.squeeze(&[k as isize])?;
        let labels = self.labels.into_iter().filter(|&it| it != label).collect();
        Ok(Factor { tensor, labels })
    }
}

/// The product of two factors, summed over all indices that are not kept.
#[track_caller]
fn product(mut a: Factor, mut b: Factor, keep: &[Label], call: Call) -> Result<Factor, Error> {
    // What only one of them has is summed before; and an axis of length 1 goes along with any other, so
    // that it need not be there.
    for label in [&a.labels[..], &b.labels].concat() {
        match (a.len(label), b.len(label)) {
            (Some(1), Some(_)) => a = a.without(label)?,
            (Some(_), Some(1)) => b = b.without(label)?,
            _ => {}
        }
    }
    let asked = |other: &Factor| [keep, &other.labels[..]].concat();
    let (asked_a, asked_b) = (asked(&b), asked(&a));
    (a, b) = (a.summed(&asked_a)?, b.summed(&asked_b)?);
    let mut plan = Contraction::default();
    let mut labels = Vec::new();
    for (i, &label) in a.labels.iter().enumerate() {
        match (b.place(label), keep.contains(&label)) {
            (Some(j), true) => {
                plan.batch.push([i, j]);
                labels.push(label);
            }
            (Some(j), false) => plan.summed.push([i, j]),
            (None, _) => plan.left.push(i),
        }
    }
    plan.right = (0..b.labels.len()).filter(|&j| a.place(b.labels[j]).is_none()).collect();
    labels.extend(plan.left.iter().map(|&i| a.labels[i]));
    labels.extend(plan.right.iter().map(|&j| b.labels[j]));
    Ok(Factor { tensor: plan.of(&a.tensor, &b.tensor, call)?, labels })
}

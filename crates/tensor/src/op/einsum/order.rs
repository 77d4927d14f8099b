//! The contraction order.
//!
//! Contracting two operands costs the product of the lengths of all their indices; the result has the indices that
//! the output or another operand has. For up to [`MAX_EXACT`] operands the optimal order is found by dynamic
//! programming over subsets; for up to [`MAX_GREEDY`] the cheapest pair comes first; beyond, the order is that of the
//! operands.

use super::spec::{Label, Spec};
use std::fmt;

/// Operands up to which the optimal order is found, in 3ⁿ steps.
const MAX_EXACT: usize = 8;

/// Operands up to which pairs are compared, in n³ steps.
const MAX_GREEDY: usize = 64;

/// The contraction order of [`einsum`](crate::einsum), returned by [`einsum_path`](crate::einsum_path).
///
/// It displays as a list of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct EinsumPath {
    subscripts: String,
    steps: Vec<EinsumStep>,
}

/// The contraction of two operands.
#[derive(Clone, Debug, PartialEq)]
pub struct EinsumStep {
    /// Their positions in the list. Both are removed from it, and the result is appended.
    pub operands: (usize, usize),
    /// The subscripts of the contraction.
    pub subscripts: String,
    /// The number of multiplications.
    pub cost: f64,
}

impl EinsumPath {
    pub(super) fn new(spec: &Spec) -> EinsumPath {
        let mut terms = spec.inputs.clone();
        let mut steps = Vec::new();
        for pair in pairs(spec) {
            let (b, a) = (terms.remove(pair.1), terms.remove(pair.0));
            let left = match terms.is_empty() {
                true => spec.output.clone(),
                false => kept(spec, &[&a, &b], terms.iter()),
            };
            let [a_text, b_text, left_text] = [&a, &b, &left].map(|it| spec.write(it));
            let subscripts = format!("{a_text},{b_text}->{left_text}");
            steps.push(EinsumStep { operands: pair, subscripts, cost: cost(spec, &[&a, &b]) });
            terms.push(left);
        }
        let inputs: Vec<String> = spec.inputs.iter().map(|it| spec.write(it)).collect();
        let subscripts = format!("{}->{}", inputs.join(","), spec.write(&spec.output));
        EinsumPath { subscripts, steps }
    }

    /// Returns the contractions in order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::ones([2, 2], DType::Float32)?;
    /// let path = belvedere::einsum_path("ij,jk->ik", &[&x, &x])?;
    /// assert_eq!(path.steps()[0].operands, (0, 1));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn steps(&self) -> &[EinsumStep] {
        &self.steps
    }

    /// Returns the number of multiplications of all contractions.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::ones([2, 2], DType::Float32)?;
    /// assert_eq!(belvedere::einsum_path("ij,jk->ik", &[&x, &x])?.cost(), 8.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn cost(&self) -> f64 {
        self.steps.iter().fold(0.0, |sum, step| sum + step.cost)
    }
}

impl fmt::Display for EinsumPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, cost) = (self.steps.len(), self.cost());
        let steps = if n == 1 { "step" } else { "steps" };
        write!(f, "{} in {n} {steps}, {cost} multiplications", self.subscripts)?;
        for EinsumStep { operands: (a, b), subscripts, cost } in &self.steps {
            write!(f, "\n  {a} and {b}: {subscripts} ({cost})")?;
        }
        Ok(())
    }
}

/// Returns the pairs of operands to contract, as positions in a list from which both are removed, and to which the
/// result is appended. The lower position comes first.
pub(super) fn pairs(spec: &Spec) -> Vec<(usize, usize)> {
    match spec.inputs.len() {
        0 | 1 => Vec::new(),
        2 => vec![(0, 1)],
        n if n <= MAX_EXACT => exact(spec),
        n if n <= MAX_GREEDY => greedy(spec),
        n => vec![(0, 1); n - 1],
    }
}

/// Returns the indices of a product that the output or another operand has.
pub(super) fn kept<'a>(
    spec: &Spec,
    factors: &[&[Label]],
    others: impl Iterator<Item = &'a Vec<Label>> + Clone,
) -> Vec<Label> {
    let mut left = Vec::new();
    for &label in factors.iter().copied().flatten() {
        let is_needed =
            spec.output.contains(&label) || others.clone().any(|it| it.contains(&label));
        if is_needed && !left.contains(&label) {
            left.push(label);
        }
    }
    left
}

/// Returns the number of multiplications of a product.
fn cost(spec: &Spec, factors: &[&[Label]]) -> f64 {
    let mut seen: Vec<Label> = Vec::new();
    for &label in factors.iter().copied().flatten() {
        if !seen.contains(&label) {
            seen.push(label);
        }
    }
    seen.iter().map(|&label| spec.lens[label] as f64).product()
}

/// Returns the optimal order, by dynamic programming: the best order of each subset is the best split of it in two.
fn exact(spec: &Spec) -> Vec<(usize, usize)> {
    let n = spec.inputs.len();
    let members = |set: usize| (0..n).filter(move |i| set >> i & 1 == 1);
    // For each subset: its indices, its cost, and the part of its best split.
    let mut best: Vec<(Vec<Label>, f64, usize)> = Vec::with_capacity(1 << n);
    best.push((Vec::new(), 0.0, 0));
    for set in 1usize..1 << n {
        let factors: Vec<&[Label]> = members(set).map(|i| &spec.inputs[i][..]).collect();
        let others: Vec<&Vec<Label>> =
            (0..n).filter(|i| set >> i & 1 == 0).map(|i| &spec.inputs[i]).collect();
        let left = match factors[..] {
            [alone] => alone.to_vec(),
            _ => kept(spec, &factors, others.iter().copied()),
        };
        let mut choice = (if set.is_power_of_two() { 0.0 } else { f64::INFINITY }, 0);
        // The part with the first member, so that each split is considered once.
        let first = set & set.wrapping_neg();
        let mut part = (set - 1) & set;
        while part > 0 {
            if part & first != 0 {
                let (a, b) = (&best[part], &best[set ^ part]);
                let total = a.1 + b.1 + cost(spec, &[&a.0, &b.0]);
                // A cost that overflows to infinity is still an order.
                if total < choice.0 || choice.1 == 0 {
                    choice = (total, part);
                }
            }
            part = (part - 1) & set;
        }
        best.push((left, choice.0, choice.1));
    }
    let mut list: Vec<usize> = (0..n).map(|i| 1 << i).collect();
    let mut steps = Vec::new();
    append_steps((1 << n) - 1, &best, &mut list, &mut steps);
    steps
}

/// Appends the steps that contract a subset; `list` holds the operands at that point.
fn append_steps(
    set: usize,
    best: &[(Vec<Label>, f64, usize)],
    list: &mut Vec<usize>,
    steps: &mut Vec<(usize, usize)>,
) {
    if set.is_power_of_two() {
        return;
    }
    let (a, b) = (best[set].2, set ^ best[set].2);
    append_steps(a, best, list, steps);
    append_steps(b, best, list, steps);
    let position = |of: usize| list.iter().position(|&it| it == of).expect("it was appended");
    let pair = (position(a), position(b));
    let pair = (pair.0.min(pair.1), pair.0.max(pair.1));
    list.remove(pair.1);
    list.remove(pair.0);
    list.push(set);
    steps.push(pair);
}

/// Returns the greedy order: the cheapest pair first.
fn greedy(spec: &Spec) -> Vec<(usize, usize)> {
    let mut terms = spec.inputs.clone();
    let mut steps = Vec::new();
    while terms.len() > 1 {
        let mut choice = (f64::INFINITY, (0, 1));
        for j in 1..terms.len() {
            for i in 0..j {
                let cost = cost(spec, &[&terms[i], &terms[j]]);
                if cost < choice.0 {
                    choice = (cost, (i, j));
                }
            }
        }
        let pair = choice.1;
        let (b, a) = (terms.remove(pair.1), terms.remove(pair.0));
        let left = kept(spec, &[&a, &b], terms.iter());
        terms.push(left);
        steps.push(pair);
    }
    steps
}

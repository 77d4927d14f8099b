//! The operands of a computation: which of their elements an element of the result was computed from.
//!
//! A step does not record the axes of a reduction. They follow from the shapes if these permit one choice only, and
//! otherwise from an axis that the call names.

use crate::explain::step::{Step, TensorSnapshot};
use serde_json::{Value, json};

/// Operations that compute each element of the result from the elements of the operands at the same index.
const ELEMENTWISE: &str = "abs acos acosh add angle asin asinh atan atan2 atanh bitwise_and bitwise_invert \
    bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor cbrt ceil clip conj copysign cos cosh deg2rad divide \
    elu equal erf erfc erfinv exp exp2 expm1 floor floor_divide fmax fmin fmod gcd gelu greater greater_equal \
    hard_sigmoid hard_swish heaviside hypot imag isclose isfinite isinf isnan lcm leaky_relu lerp less less_equal log \
    log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor logit maximum minimum multiply \
    nan_to_num negative nextafter not_equal positive pow rad2deg real reciprocal relu relu6 remainder round rsqrt \
    sigmoid sign signbit silu sin sinc sinh softplus sqrt square subtract swish tan tanh trunc where xlogy";

/// Operations that compute each element of the result from the elements along some axes of the operand.
const REDUCTIONS: &str = "all any argmax argmin count_nonzero logsumexp max mean median min nanmax nanmean nanmedian \
    nanmin nanprod nanstd nansum nanvar norm numpy_norm prod ptp std sum torch_max torch_min torch_std torch_var var \
    vector_norm";

/// How the elements of the result depend on those of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Computation {
    /// On those at the same index of the operands, which are broadcast to the shape of the result.
    Elementwise,
    /// On those along some axes of the operand.
    Reduction,
    /// On a row of the first operand and a column of the second one.
    Product,
    /// In another way.
    Other,
}

impl Computation {
    /// Returns the computation of a step with these operands and this result.
    pub(super) fn of(step: &Step, operands: &[&TensorSnapshot], result: &TensorSnapshot) -> Self {
        let is_in = |names: &str| names.split_whitespace().any(|it| it == step.op);
        let is_broadcast =
            |it: &&TensorSnapshot| it.chain.broadcast_to(result.chain.shape()).is_ok();
        match operands.len() {
            2 if step.op == "matmul" => Computation::Product,
            1 if is_in(REDUCTIONS) => Computation::Reduction,
            _ if is_in(ELEMENTWISE) && operands.iter().all(is_broadcast) => {
                Computation::Elementwise
            }
            _ => Computation::Other,
        }
    }

    /// Returns its name: `elementwise`, `reduction`, `product`, `other`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Computation::Elementwise => "elementwise",
            Computation::Reduction => "reduction",
            Computation::Product => "product",
            Computation::Other => "other",
        }
    }

    /// Returns which elements of the operand `number` an element of the result was computed from; `None` if that is
    /// not known. `call` is the source of the call.
    pub(super) fn reads(
        self,
        number: usize,
        shapes: &[&[usize]],
        result: &[usize],
        call: &str,
    ) -> Option<Reads> {
        let shape = *shapes.get(number)?;
        match self {
            Computation::Elementwise => Some(Reads {
                kept: (0..result.len()).map(|k| (k, k)).collect(),
                reduced: Vec::new(),
            }),
            Computation::Reduction => reduction(shape, result, named_axis(call)),
            Computation::Product => {
                product([*shapes.first()?, *shapes.get(1)?], number, result.len())
            }
            Computation::Other => None,
        }
    }
}

/// The elements of an operand that an element of the result was computed from: those whose index is equal along the
/// axes that were kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reads {
    /// Pairs of axes with equal indices: of the operand, of the result. Axes of length 1 may be missing.
    kept: Vec<(usize, usize)>,
    /// The axes of the operand that were reduced. Axes of length 1 may be missing.
    reduced: Vec<usize>,
}

impl Reads {
    pub(super) fn json(&self) -> Value {
        let kept: Vec<[usize; 2]> = self.kept.iter().map(|&(from, to)| [from, to]).collect();
        json!({ "kept": kept, "reduced": self.reduced })
    }
}

/// Returns the axes of a reduction; `None` if the shapes permit several choices and `axis` is not one of them.
fn reduction(shape: &[usize], result: &[usize], axis: Option<isize>) -> Option<Reads> {
    let long = |shape: &[usize]| (0..shape.len()).filter(|&k| shape[k] != 1).collect::<Vec<_>>();
    let kept: Vec<(usize, usize)> = if shape.len() == result.len() {
        long(result).into_iter().map(|k| (k, k)).collect()
    } else {
        // The result has the remaining axes of the operand in their order. If each is matched with the first possible
        // axis and with the last possible one, and both are the same, there is no other choice.
        let (from, to) = (long(shape), long(result));
        let first = matched(from.iter().copied(), to.iter().copied(), shape, result);
        let mut last = matched(from.into_iter().rev(), to.into_iter().rev(), shape, result);
        last.reverse();
        if first == last { first } else { without_axis(shape, result, axis?)? }
    };
    let is_valid = kept.iter().all(|&(from, to)| shape[from] == result[to])
        && kept.len() == long(result).len();
    let is_reduced = |k: &usize| shape[*k] != 1 && kept.iter().all(|(from, _)| from != k);
    let reduced = (0..shape.len()).filter(is_reduced).collect();
    is_valid.then_some(Reads { kept, reduced })
}

/// Matches each axis of the result with the next axis of the operand that has its length.
fn matched(
    mut from: impl Iterator<Item = usize>,
    to: impl Iterator<Item = usize>,
    shape: &[usize],
    result: &[usize],
) -> Vec<(usize, usize)> {
    to.map_while(|k| Some((from.find(|&it| shape[it] == result[k])?, k))).collect()
}

/// Returns the pairs of the axes that remain without one axis; `None` if the result has another shape.
fn without_axis(shape: &[usize], result: &[usize], axis: isize) -> Option<Vec<(usize, usize)>> {
    let axis = if axis < 0 { shape.len().checked_add_signed(axis)? } else { axis as usize };
    let rest: Vec<usize> = (0..shape.len()).filter(|&k| k != axis).collect();
    let is_equal = rest.iter().map(|&k| shape[k]).eq(result.iter().copied());
    let pairs = rest.into_iter().zip(0..).filter(|&(k, _)| shape[k] != 1);
    is_equal.then(|| pairs.collect())
}

/// Returns the axis that a call names: `axis=0`, `dim=0`, or the first argument of a method, as in `.sum(0)`.
fn named_axis(call: &str) -> Option<isize> {
    let (before, rest) = call.split_once('(')?;
    let mut arguments = rest.split([',', ')']).map(str::trim);
    let keyword = ["axis=", "dim="]
        .iter()
        .find_map(|key| arguments.clone().find_map(|it| it.strip_prefix(key)));
    let first = before.starts_with('.').then(|| arguments.next()).flatten();
    keyword.or(first)?.trim().parse().ok()
}

/// Returns the row or the column of a matrix product. An operand with one axis has neither and is read as a whole.
fn product(shapes: [&[usize]; 2], number: usize, rank: usize) -> Option<Reads> {
    let [is_matrix, is_other_matrix] = [number, 1 - number.min(1)].map(|it| shapes[it].len() > 1);
    let shape = *shapes.get(number)?;
    if !is_matrix {
        return Some(Reads { kept: Vec::new(), reduced: (0..shape.len()).collect() });
    }
    let n_stacked = rank.checked_sub(1 + usize::from(is_other_matrix))?;
    let outer = shape.len() - 2;
    let skipped = n_stacked.checked_sub(outer)?;
    let stacked = (0..outer).filter(|&k| shape[k] != 1).map(|k| (k, skipped + k));
    let (kept, reduced, to) = match number {
        0 => (outer, outer + 1, n_stacked),
        _ => (outer + 1, outer, rank - 1),
    };
    Some(Reads { kept: stacked.chain([(kept, to)]).collect(), reduced: vec![reduced] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(shape: &[usize], result: &[usize], call: &str) -> Option<Vec<usize>> {
        reduction(shape, result, named_axis(call)).map(|it| it.reduced)
    }

    #[test]
    fn axes_of_a_reduction_follow_from_the_shapes() {
        assert_eq!(axes(&[3, 4], &[4], ""), Some(vec![0]));
        assert_eq!(axes(&[3, 4], &[3], ""), Some(vec![1]));
        assert_eq!(axes(&[3, 4], &[], ""), Some(vec![0, 1]));
        assert_eq!(axes(&[3, 3], &[1, 3], ""), Some(vec![0]));
        assert_eq!(axes(&[2, 3, 1, 4], &[2, 4], ""), Some(vec![1]));
        assert_eq!(axes(&[2, 3, 4], &[3], ""), Some(vec![0, 2]));
        assert_eq!(axes(&[3, 4], &[5], ""), None);
        assert_eq!(axes(&[0, 4], &[4], ""), Some(vec![0]));
    }

    #[test]
    fn ambiguous_axes_follow_from_the_call() {
        assert_eq!(axes(&[3, 3], &[3], ".sum(where)"), None);
        assert_eq!(axes(&[3, 3], &[3], ".sum(0)"), Some(vec![0]));
        assert_eq!(axes(&[3, 3], &[3], ".sum(-1)"), Some(vec![1]));
        assert_eq!(axes(&[3, 3], &[3], "sum(x, axis=1)"), Some(vec![1]));
        assert_eq!(axes(&[3, 3, 3], &[3, 3], ".max(dim=1, keepdim=False)"), Some(vec![1]));
        assert_eq!(axes(&[3, 3], &[3], ".sum(7)"), None);
        assert_eq!(axes(&[3, 3], &[3], ".sum(-9223372036854775808)"), None);
        assert_eq!(axes(&[3, 3, 3], &[3], ".sum(1)"), None);
    }

    #[test]
    fn products_read_rows_and_columns() {
        let kept = |a: &[usize], b: &[usize], rank: usize| {
            [0, 1].map(|number| product([a, b], number, rank).map(|it| it.kept))
        };
        assert_eq!(kept(&[2, 3], &[3, 4], 2), [Some(vec![(0, 0)]), Some(vec![(1, 1)])]);
        assert_eq!(kept(&[3], &[3, 4], 1), [Some(vec![]), Some(vec![(1, 0)])]);
        assert_eq!(kept(&[2, 3], &[3], 1), [Some(vec![(0, 0)]), Some(vec![])]);
        assert_eq!(kept(&[3], &[3], 0), [Some(vec![]), Some(vec![])]);
        assert_eq!(
            kept(&[5, 1, 2, 3], &[6, 3, 4], 4),
            [Some(vec![(0, 0), (2, 2)]), Some(vec![(0, 1), (2, 3)])]
        );
        assert_eq!(kept(&[2, 3], &[3, 4], 0), [None, None]);
    }

    #[test]
    fn the_functions_of_the_table_are_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../operations");
        let forms = [
            ("elementwise", "unary", ELEMENTWISE),
            ("elementwise", "binary", ELEMENTWISE),
            ("elementwise", "comparison", ELEMENTWISE),
            ("activation", "unary", ELEMENTWISE),
            ("statistical", "reduction", REDUCTIONS),
            ("utility", "reduction", REDUCTIONS),
        ];
        for (file, form, names) in forms {
            let text = std::fs::read_to_string(format!("{folder}/{file}.toml")).unwrap();
            let mut name = "";
            for line in text.lines() {
                if let Some(key) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                    name = key;
                }
                if line == format!("form = \"{form}\"") {
                    assert!(names.split_whitespace().any(|it| it == name), "{file}: {name}");
                }
            }
        }
    }
}

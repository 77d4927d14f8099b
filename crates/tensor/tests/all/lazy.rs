//! Lazy expressions match eager evaluation for every layout, dtype and broadcast, into a new tensor, an
//! existing one, or in place.

use crate::zoo::{self, Freedom, GuardedTensor, TestRng};
use belvedere::*;

/// An expression, lazy and eagerly evaluated.
struct ExpressionPair<'a> {
    lazy: Lazy<'a>,
    eager: Tensor,
}

fn leaf(x: &Tensor) -> ExpressionPair<'_> {
    ExpressionPair { lazy: lazy(x), eager: x.clone() }
}

/// Returns a random operation on previous results.
fn grow<'a>(rng: &mut TestRng, from: &[ExpressionPair<'a>]) -> ExpressionPair<'a> {
    let x = rng.pick(from);
    let y = rng.pick(from);
    let (a, b) = (x.lazy.clone(), y.lazy.clone());
    let (lazy, eager) = match rng.below(12) {
        0 => (a + b, x.eager.add(&y.eager)),
        1 => (a * b, x.eager.mul(&y.eager)),
        2 => (a - &b, x.eager.sub(&y.eager)),
        3 => (a.maximum(b), x.eager.maximum(&y.eager)),
        4 => (a.abs().sqrt(), x.eager.abs().and_then(|it| it.sqrt())),
        5 => (-a, x.eager.negative()),
        6 => (2.5 * a, x.eager.mul(2.5)),
        7 => (7 - a, Operand::from(7).sub(&x.eager)),
        8 => (a.mul_add(b, 3), x.eager.mul_add(&y.eager, 3)),
        9 => (a.relu(), x.eager.relu()),
        10 => (a.less(b).logical_not(), x.eager.less(&y.eager).and_then(|it| it.logical_not())),
        _ => (a.clone() * &a, x.eager.mul(&x.eager)),
    };
    match eager {
        Ok(eager) => ExpressionPair { lazy, eager },
        // The operation does not support the dtype: the expression must return the same error.
        Err(error) => {
            let refused = lazy.eval().expect_err("the operation was refused");
            assert_eq!(refused.to_string(), error.to_string());
            ExpressionPair { lazy: x.lazy.clone(), eager: x.eager.clone() }
        }
    }
}

fn assert_same(found: &Tensor, expected: &Tensor, case: impl std::fmt::Debug) {
    assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()), "{case:?}");
    let bits = |x: &Tensor| {
        let x = x.contiguous().unwrap();
        let bytes = x.reshape([-1]).unwrap().bitcast(DType::UInt8).unwrap();
        bytes.to_vec::<u8>().unwrap()
    };
    let nan = |x: &Tensor| match x.dtype().is_floating() {
        true => where_(&x.isnan().unwrap(), 0.5, x).unwrap().astype(x.dtype()).unwrap(),
        false => x.clone(),
    };
    assert_eq!(bits(&nan(found)), bits(&nan(expected)), "{case:?}");
}

#[test]
fn random_expressions_match_eager_evaluation() {
    let mut rng = TestRng::new(5);
    for round in 0..zoo::rounds(300) {
        let layout = rng.pick(&zoo::layouts()).clone();
        let shape = layout.shape().to_vec();
        let types = [DType::Float32, DType::Float64, DType::Int32, DType::UInt8, DType::Bool];
        let leaves: Vec<Tensor> = (0..1 + rng.below(6))
            .map(|n| {
                let below = if n == 0 { shape.clone() } else { rng.broadcastable_shape(&shape) };
                let layout = rng.random_layout(&below, Freedom::Any);
                let guarded = GuardedTensor::<f32>::small_integers(&layout, n).tensor;
                if rng.one_in(3) { guarded.astype(*rng.pick(&types)).unwrap() } else { guarded }
            })
            .collect();
        let mut pairs: Vec<ExpressionPair<'_>> = leaves.iter().map(leaf).collect();
        for _ in 0..1 + rng.below(9) {
            let pair = grow(&mut rng, &pairs);
            pairs.push(pair);
        }
        let ExpressionPair { lazy, eager } = pairs.last().expect("at least one step");
        assert_same(&lazy.eval().unwrap(), eager, round);

        let out =
            GuardedTensor::<f64>::new(&rng.random_layout(&eager.shape(), Freedom::Injective), 3)
                .tensor;
        lazy.eval_into(&out).unwrap();
        assert_same(&out, &eager.astype(DType::Float64).unwrap(), round);
    }
}

#[test]
fn long_operands_are_evaluated_in_blocks_for_any_number_of_threads() {
    let x = Tensor::arange(0..300_000).unwrap().astype(DType::Float32).unwrap();
    let grid = x.reshape([500, 600]).unwrap();
    let (t, row) = (grid.reshape([600, 500]).unwrap().t().unwrap(), grid.select(0, 3).unwrap());
    let expression = (lazy(&grid) * 0.5 + &t).sub(&row).maximum(100).sqrt();
    let expected = grid.mul(0.5).unwrap().add(&t).unwrap().sub(&row).unwrap();
    let expected = expected.maximum(100).unwrap().sqrt().unwrap();
    for n in [1, 2, 3] {
        let found = with_num_threads(n, || expression.eval().unwrap());
        assert_same(&found, &expected, n);
    }
}

#[test]
fn the_output_may_be_an_operand_or_overlap_one() {
    let x = Tensor::arange(0..5000).unwrap().astype(DType::Float64).unwrap();
    let expected = x.mul(&x).unwrap().add(1).unwrap();
    let ((), events) = copies::record(|| (lazy(&x) * &x + 1).eval_into(&x).unwrap());
    assert_same(&x, &expected, "in place");
    assert!(events.is_empty(), "nothing is copied: {events:?}");

    let back = x.flip(0).unwrap();
    let expected = x.add(&back).unwrap().mul(2).unwrap();
    let ((), events) = copies::record(|| ((lazy(&x) + &back) * 2).eval_into(&x).unwrap());
    assert_same(&x, &expected, "against itself");
    assert_eq!(events.len(), 1, "an operand in another order is copied: {events:?}");
}

#[test]
fn shared_subexpression_is_computed_once() {
    let x = tensor![1.0, 2.0, 3.0];
    let mut t = lazy(&x);
    // 2^60 operations if shared subexpressions were recomputed.
    for _ in 0..60 {
        t = &t * 0.5 + &t * 0.5;
    }
    assert_same(&t.eval().unwrap(), &x, "halves");
}

#[test]
fn long_chains_are_evaluated_and_dropped() {
    let x = tensor![0i64, 5];
    let mut chain = lazy(&x);
    for _ in 0..100_000 {
        chain = chain + 1;
    }
    assert_eq!(chain.eval().unwrap().to_vec::<i64>().unwrap(), [100_000, 100_005]);
    drop(chain);
}

#[test]
fn many_tensors_are_read_in_several_passes() {
    let tensors: Vec<Tensor> = (0..23).map(|n| tensor![n, 2 * n, -n]).collect();
    let sum = tensors.iter().fold(lazy(0), |sum, x| sum + x);
    assert_eq!(sum.eval().unwrap().to_vec::<i32>().unwrap(), [253, 506, -253]);
}

#[test]
fn lenses_scalars_and_single_operands_are_expressions() {
    let x = tensor![1, 2, 3];
    let lens = x.lens().tile([2]).unwrap();
    let y = (lazy(&lens) * 10 + 1).eval().unwrap();
    assert_eq!(y.to_vec::<i32>().unwrap(), [11, 21, 31, 11, 21, 31]);

    let three = (lazy(1) + 2).eval().unwrap();
    assert_eq!((three.rank(), three.item::<i64>().unwrap()), (0, 3));
    assert!(lazy(true).eval().unwrap().item::<bool>().unwrap());

    let copy = lazy(&x).eval().unwrap();
    assert_same(&copy, &x, "alone");
    assert_eq!(copy.shares_memory(&x), Some(false));
}

#[test]
fn errors_are_those_of_the_operations() {
    let (x, y) = (tensor![1.0, 2.0], tensor![1.0, 2.0, 3.0]);
    let error = (lazy(&x) + &y).exp().eval().unwrap_err();
    assert_eq!(error.to_string(), x.add(&y).unwrap_err().to_string());
    let error = lazy(&x).bitwise_and(&x).eval().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error = (lazy(&x) * 2).eval_into(&y).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    let error = (lazy(&tensor![1u8]) + 300).eval().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(y.to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0], "nothing was written");
}

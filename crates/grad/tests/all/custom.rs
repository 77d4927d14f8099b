//! Functions with rules of their own.

use crate::reason;
use belvedere::prelude::*;
use belvedere_grad::{GradientError, Tape, custom_rule, hessian, jvp};

fn values(x: &Tensor) -> Vec<f64> {
    x.to_vec::<f64>().unwrap()
}

/// x·y and x + y, with a rule.
fn product_and_sum(x: &Tensor, y: &Tensor) -> Result<[Tensor; 2], Error> {
    custom_rule(
        &[x, y],
        |it| Ok([it[0].mul(&it[1])?, it[0].add(&it[1])?]),
        |g, it| {
            let to_x = g[0].mul(&it[1])?.add(&g[1])?;
            Ok(vec![Some(to_x), Some(g[0].mul(&it[0])?.add(&g[1])?)])
        },
    )
}

#[test]
fn the_rule_is_used_with_the_arguments_of_the_call() {
    let (x, y, tape) = (tensor![1.0, 2.0], tensor![3.0, 4.0], Tape::new());
    tape.watch(&x).unwrap();
    tape.watch(&y).unwrap();
    let loss = tape.record(|| {
        let [product, sum] = product_and_sum(&x, &y.flip([0])?)?;
        x.slice(s![1])?.fill(100.0)?; // the argument is saved
        product.mul(2.0)?.sum(())?.add(&sum.sum(())?)
    });
    let grads = tape.backward(&loss.unwrap()).unwrap();
    assert_eq!(values(&grads.wrt(&y).unwrap()), [5.0, 3.0]);
    assert_eq!(values(&grads.wrt(&x).unwrap().slice(s![0]).unwrap()), [9.0]);
}

#[test]
fn a_result_that_is_not_used_has_a_gradient_of_zeros() {
    let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    tape.watch(&x).unwrap();
    let [product, _] = tape.record(|| product_and_sum(&x, &tensor![5.0, 6.0])).unwrap();
    let grads = tape.backward_with(&product, &tensor![1.0, 1.0]).unwrap();
    assert_eq!(values(&grads.wrt(&x).unwrap()), [5.0, 6.0]);
}

#[test]
fn rules_are_differentiated_by_enclosing_tapes() {
    let cube = |x: &[Tensor]| {
        let y: Tensor = custom_rule(
            &[&x[0]],
            |x| x[0].pow(3.0),
            |g, x| Ok(vec![Some(g[0].mul(&x[0].square()?)?.mul(3.0)?)]),
        )?;
        y.sum(())
    };
    let x = tensor![2.0, 5.0];
    assert_eq!(values(&hessian(cube, &[&x]).unwrap()[0][0]), [12.0, 0.0, 0.0, 30.0]);
    let (_, tangent) = jvp(cube, &[&x], &[&tensor![1.0, 1.0]]).unwrap();
    assert_eq!(values(&tangent), [12.0 + 75.0]);
}

#[test]
fn results_that_are_arguments_are_copied() {
    let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    tape.watch(&x).unwrap();
    let reversed = |x: &Tensor| -> Result<Tensor, Error> {
        // The gradient is scaled by 7.
        custom_rule(&[x], |x| Ok(x[0].clone()), |g, _| Ok(vec![Some(g[0].mul(7.0)?)]))
    };
    let y = tape.record(|| reversed(&reversed(&x)?)?.sum(())).unwrap();
    assert_eq!(values(&tape.backward(&y).unwrap().wrt(&x).unwrap()), [49.0, 49.0]);
}

#[test]
fn what_the_rule_returns_is_checked() {
    let run = |gradients: fn(&Tensor) -> Vec<Option<Tensor>>| {
        let (x, tape) = (tensor![1.0, 2.0], Tape::new());
        tape.watch(&x)?;
        let y: Tensor = tape.record(|| {
            custom_rule(&[&x, &tensor![1.0]], |x| x[0].exp(), move |g, _| Ok(gradients(&g[0])))
        })?;
        tape.backward_with(&y, &tensor![1.0, 1.0])?.wrt(&x)
    };
    let error = run(|g| vec![Some(g.clone())]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::CustomCount { needed: 2, given: 1, .. }));
    let error = run(|_| vec![Some(tensor![1.0]), None]).unwrap_err();
    let GradientError::CustomShape { at: 0, line, .. } = reason(&error) else { panic!("{error}") };
    assert!(line.contains("custom.rs"), "{error}");
    // The gradient of what has none is ignored.
    assert_eq!(
        values(&run(|g| vec![Some(g.clone()), Some(tensor![0.0, 0.0, 0.0])]).unwrap()),
        [1.0; 2]
    );
    assert_eq!(values(&run(|_| vec![None, None]).unwrap()), [0.0; 2]);
}

#[test]
fn what_has_a_gradient_must_be_an_argument() {
    let (x, w, tape) = (tensor![1.0], tensor![2.0], Tape::new());
    tape.watch(&x).unwrap();
    tape.watch(&w).unwrap();
    let rule = |w: Tensor| {
        let pull = |g: &[Tensor], _: &[Tensor]| Ok(vec![Some(g[0].clone())]);
        custom_rule::<Tensor>(&[&x], move |x| x[0].mul(&w), pull)
    };
    let error = tape.record(|| rule(w.clone())).unwrap_err();
    let GradientError::Captured { line, called, .. } = reason(&error) else { panic!("{error}") };
    assert!(line.contains("custom.rs") && called.contains("custom.rs"), "{error}");
    tape.record(|| rule(tensor![2.0])).unwrap();
    // Other elements of an argument's storage are not the argument.
    let (both, tape) = (tensor![1.0, 2.0], Tape::new());
    tape.watch(&both).unwrap();
    let other = both.slice(s![1..]).unwrap();
    let error = tape.record(|| {
        let pull = |g: &[Tensor], _: &[Tensor]| Ok(vec![Some(g[0].clone())]);
        let first = both.slice(s![..1])?;
        custom_rule::<Tensor>(&[&first], |x| x[0].slice(s![0])?.mul(&other), pull)
    });
    let error = error.unwrap_err();
    assert!(matches!(reason(&error), GradientError::Captured { .. }), "{error}");
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let error = tape.record(|| {
        let pull = |g: &[Tensor], _: &[Tensor]| Ok(vec![Some(g[0].clone())]);
        custom_rule::<Tensor>(&[&x], |x| x[0].fill(0.0).map(|()| x[0].clone()), pull)
    });
    let error = error.unwrap_err();
    assert!(matches!(reason(&error), GradientError::OutsideWrite { .. }), "{error}");
    assert_eq!(values(&x), [1.0]);
}

//! Derivatives of functions: forward mode, Jacobians and second derivatives.

use crate::differences::{Case, N_LAYOUTS, all_cases, components, operand};
use crate::nested::FUNCTIONS;
use crate::reason;
use belvedere::prelude::*;
use belvedere_grad::{GradientError, Tape, hessian, jacobian, jvp, separate_arguments, vjp};

fn values(x: &Tensor) -> Vec<f64> {
    x.to_vec::<f64>().unwrap()
}

/// Returns scrambled numbers of a shape.
fn numbers(shape: &[usize], salt: usize) -> Tensor {
    let n = shape.iter().product();
    let number = |i: usize| ((i * 29 + salt * 13 + 7) % 97) as f64 / 97.0 - 0.4;
    Tensor::from_vec((0..n).map(number).collect::<Vec<_>>(), shape).unwrap()
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() <= 2e-6 * (1.0 + b.abs()),
            "{what}: {found:?}, expected {expected:?}"
        );
    }
}

/// Compares the derivative of a case in a direction with a difference; `None` if they agree.
fn disagreement(case: &Case, layout: usize) -> Option<String> {
    let outcome = || -> Result<Option<String>, Error> {
        let operands: Vec<(Tensor, Layout)> = (0..case.n_operands())
            .map(|n| operand(case, (layout + n) % N_LAYOUTS, n))
            .collect::<Result<_, _>>()?;
        let views = |memory: &[Tensor]| -> Result<Vec<Tensor>, Error> {
            memory
                .iter()
                .zip(&operands)
                .map(|(it, (_, layout))| it.through(layout.clone()))
                .collect()
        };
        let memory: Vec<Tensor> = operands.iter().map(|(memory, _)| memory.clone()).collect();
        let direction = |(n, it): (usize, &Tensor)| match it.dtype().is_complex() {
            true => numbers(&[2 * it.len()], n).bitcast(it.dtype()),
            false => Ok(numbers(&it.shape(), n)),
        };
        let directions = memory.iter().enumerate().map(direction).collect::<Result<Vec<_>, _>>()?;
        let parts = |y: &Tensor| components(&y.copy()?.reshape([-1])?)?.to_vec::<f64>();
        let value = |h: f64| -> Result<Vec<f64>, Error> {
            let moved: Vec<Tensor> = memory
                .iter()
                .zip(&directions)
                .map(|(it, direction)| it.add(&direction.mul(h)?))
                .collect::<Result<_, _>>()?;
            parts(&(case.function)(&views(&moved)?)?)
        };
        let (above, below) = (value(1e-5)?, value(-1e-5)?);
        let expected: Vec<f64> = above.iter().zip(&below).map(|(a, b)| (a - b) / 2e-5).collect();
        let (arguments, tangents): (Vec<_>, Vec<_>) =
            (memory.iter().collect(), directions.iter().collect());
        let (_, found) = jvp(|it| (case.function)(&views(it)?), &arguments, &tangents)?;
        let found = parts(&found)?;
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 2e-6 * (1.0 + b.abs());
        let all = found.len() == expected.len() && found.iter().zip(&expected).all(is_near);
        Ok((!all).then(|| format!("{found:?}, expected {expected:?}")))
    };
    outcome().unwrap_or_else(|error| Some(error.to_string()))
}

#[test]
fn derivatives_in_a_direction_are_the_limits_of_differences() {
    let mut failures = Vec::new();
    for case in all_cases() {
        for layout in 0..N_LAYOUTS {
            if let Some(what) = disagreement(case, layout) {
                failures.push(format!("{} (layout {layout}): {what}", case.name));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_pullback_can_be_used_several_times() {
    let x = numbers(&[3, 4], 1);
    let (y, pullback) = vjp(|x| x[0].slice(s![1])?.mul(&x[0].slice(s![..2])?), &[&x]).unwrap();
    for salt in 0..3 {
        let (u, t) = (numbers(&[2, 4], salt), numbers(&[3, 4], salt + 5));
        let back = pullback.pull(&[&u]).unwrap();
        let f = |x: &[Tensor]| x[0].slice(s![1])?.mul(&x[0].slice(s![..2])?);
        let (value, forward) = jvp(f, &[&x], &[&t]).unwrap();
        assert_eq!(values(&value), values(&y));
        let dot = |a: &Tensor, b: &Tensor| a.mul(b)?.sum(())?.item::<f64>();
        assert_near(&[dot(&forward, &u).unwrap()], &[dot(&back[0], &t).unwrap()], "products");
    }
}

#[test]
fn jacobians_have_the_same_elements_by_rows_and_by_columns() {
    for (name, f) in FUNCTIONS {
        let x = tensor![[0.7, 1.1, 0.4], [1.3, 0.9, 0.6]];
        let direct = &jacobian(|x| f(&x[0]), &[&x]).unwrap()[0];
        let y = f(&x).unwrap();
        let mut shape = y.shape().to_vec();
        shape.extend([2, 3]);
        assert_eq!(*direct.shape(), *shape, "{name}");
        // More results than arguments: forward mode; fewer: reverse mode.
        let wide = jacobian(|x| belvedere::stack(&[f(&x[0])?, f(&x[0])?], 0), &[&x]).unwrap();
        let doubled = [values(direct), values(direct)].concat();
        assert_near(&values(&wide[0]), &doubled, name);
        let narrow = jacobian(|x| f(&x[0])?.sum(()), &[&x]).unwrap();
        let rows = direct.reshape([y.len(), 6]).unwrap().sum(0).unwrap();
        assert_near(&values(&narrow[0]), &values(&rows), name);
    }
}

#[test]
fn hessians_are_the_limits_of_differences_of_gradients() {
    let x = tensor![[0.7, 1.1, 0.4], [1.3, 0.9, 0.6]];
    for (name, f) in FUNCTIONS {
        let loss = |x: &[Tensor]| f(&x[0])?.mul(&f(&x[0])?.sin()?)?.sum(());
        let found = &hessian(loss, &[&x]).unwrap()[0][0];
        assert_eq!(*found.shape(), [2, 3, 2, 3]);
        let gradient = |x: &Tensor| {
            let (_, pullback) = vjp(loss, &[x]).unwrap();
            values(
                &pullback.pull(&[&Tensor::ones([0usize; 0], DType::Float64).unwrap()]).unwrap()[0],
            )
        };
        let mut expected = vec![0.0; 36];
        for at in 0..6 {
            let moved = |h: f64| {
                let moved = x.copy().unwrap();
                let flat = moved.reshape([6]).unwrap();
                flat.set([at], flat.get::<f64>([at]).unwrap() + h).unwrap();
                gradient(&moved)
            };
            let (above, below) = (moved(1e-5), moved(-1e-5));
            for row in 0..6 {
                expected[6 * row + at] = (above[row] - below[row]) / 2e-5;
            }
        }
        assert_near(&values(found), &expected, name);
    }
}

#[test]
fn arguments_that_share_elements_have_gradients_of_their_own() {
    let x = tensor![2.0, 3.0];
    let product = |it: &[Tensor]| it[0].mul(&it[1].square()?);
    let (_, pullback) = vjp(product, &[&x, &x]).unwrap();
    let found = pullback.pull(&[&tensor![1.0, 1.0]]).unwrap();
    assert_eq!((values(&found[0]), values(&found[1])), (vec![4.0, 9.0], vec![8.0, 18.0]));
    let (one, zero) = (tensor![1.0, 1.0], tensor![0.0, 0.0]);
    let (_, tangent) = jvp(product, &[&x, &x.flip([0]).unwrap()], &[&zero, &one]).unwrap();
    assert_eq!(values(&tangent), [12.0, 12.0]);
    let separate = separate_arguments(&[&x], &[&x.slice(s![1..]).unwrap()]).unwrap();
    assert_eq!(separate[0].shares_memory(&x), Some(false));
    // A tape has one gradient for memory, and so one tangent.
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.square()).unwrap();
    let error =
        tape.jvp(&[&y], &[&x, &x.slice(s![1..]).unwrap()], &[&one, &tensor![1.0]]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::SharedSources { at: (0, 1), .. }), "{error}");
    let found = tape.jvp(&[&y], &[&x], &[&one]).unwrap();
    assert_eq!(values(&found[0]), [4.0, 6.0]);
}

#[test]
fn tangents_and_seeds_are_checked() {
    let x = tensor![1.0, 2.0];
    for tangent in [tensor![1.0], tensor![1.0f32, 2.0]] {
        let error = jvp(|x| x[0].square(), &[&x], &[&tangent]).unwrap_err();
        let GradientError::Tangent { at: 0, needed, given } = reason(&error) else {
            panic!("{error}")
        };
        assert_eq!(*needed, (x.shape(), DType::Float64));
        assert_eq!(*given, (tangent.shape(), tangent.dtype()));
        assert_eq!(error.kind(), ErrorKind::Shape);
    }
    let error = jvp(|x| x[0].square(), &[&x], &[]).unwrap_err();
    assert_eq!(*reason(&error), GradientError::TangentCount { needed: 1, given: 0 });
    let (_, pullback) = vjp(|x| x[0].square(), &[&x]).unwrap();
    let error = pullback.pull(&[&x, &x]).unwrap_err();
    assert_eq!(*reason(&error), GradientError::TangentCount { needed: 1, given: 2 });
    let error = jacobian(|x| x[0].argmax(()), &[&x]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::DType { dtype: DType::Int64, .. }));
    let error = jacobian(|x| x[0].square(), &[&tensor![1, 2]]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::DType { dtype: DType::Int32, .. }));
    let error = hessian(|x| x[0].square(), &[&x]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::NotScalar { .. }));
}

#[test]
fn what_does_not_depend_on_the_arguments_has_derivatives_of_zero() {
    let x = tensor![1.0, 2.0];
    assert_eq!(values(&jacobian(|_| tensor![5.0].add(1.0), &[&x]).unwrap()[0]), [0.0, 0.0]);
    let wide = jacobian(|_| Tensor::ones([3], DType::Float64), &[&x]).unwrap();
    assert_eq!(values(&wide[0]), [0.0; 6]);
    assert_eq!(values(&hessian(|x| x[0].sum(()), &[&x]).unwrap()[0][0]), [0.0; 4]);
    let f = |x: &[Tensor]| Ok([x[0].square()?, Tensor::ones([3], DType::Float64)?]);
    let (_, pullback) = vjp(f, &[&x]).unwrap();
    let seeds = [tensor![1.0, 10.0], tensor![1.0, 1.0, 1.0]];
    assert_eq!(values(&pullback.pull(&[&seeds[0], &seeds[1]]).unwrap()[0]), [2.0, 40.0]);
    let (_, pullback) = vjp(|_| Tensor::ones([2], DType::Float64), &[&x]).unwrap();
    let error = pullback.pull(&[&seeds[0]]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::Unseen { .. }), "{error}");
    let (_, [first, second]) = jvp(f, &[&x], &[&tensor![1.0, 1.0]]).unwrap();
    assert_eq!((values(&first), values(&second)), (vec![2.0, 4.0], vec![0.0; 3]));
}

#[test]
fn derivatives_of_functions_nest() {
    // d/dx of the derivative of x³ in the direction 1, and of a Jacobian.
    let x = tensor![2.0];
    let slope = |x: &[Tensor]| {
        let (_, tangent) = jvp(|it| it[0].mul(&it[0].square()?), &[&x[0]], &[&tensor![1.0]])?;
        Ok(tangent)
    };
    assert_eq!(values(&slope(std::slice::from_ref(&x)).unwrap()), [12.0]);
    assert_eq!(values(&jacobian(slope, &[&x]).unwrap()[0]), [12.0]);
    let (_, curvature) = jvp(slope, &[&x], &[&tensor![1.0]]).unwrap();
    assert_eq!(values(&curvature), [12.0]);
    let inner = |x: &[Tensor]| Ok(jacobian(|it| it[0].exp(), &[&x[0]])?.swap_remove(0));
    let second = jacobian(inner, &[&tensor![0.0, 1.0]]).unwrap();
    let e = 1f64.exp();
    assert_near(&values(&second[0]), &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, e], "nested jacobians");
}

//! Checkpoints: the gradients are those without, whatever the functions do, and nothing but the inputs is saved.

use crate::differences::{N_LAYOUTS, all_cases, components, operand, weights};
use crate::nested::FUNCTIONS;
use crate::reason;
use belvedere::copies;
use belvedere::prelude::*;
use belvedere::random::Generator;
use belvedere_grad::{GradientError, Tape, checkpoint, checkpoint_random, hessian, jvp, no_tape};
use std::sync::atomic::{AtomicUsize, Ordering};

fn values(x: &Tensor) -> Vec<f64> {
    x.to_vec::<f64>().unwrap()
}

fn watched(values: &[f64]) -> (Tensor, Tape) {
    let x = Tensor::from_vec(values.to_vec(), [values.len()]).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    (x, tape)
}

#[test]
fn the_gradients_of_every_operation_are_those_without_a_checkpoint() {
    for case in all_cases() {
        for layout in 0..N_LAYOUTS {
            let operands: Vec<(Tensor, Layout)> = (0..case.n_operands())
                .map(|n| operand(case, (layout + n) % N_LAYOUTS, n).unwrap())
                .collect();
            let gradients = |is_checkpointed: bool| -> Result<Vec<Vec<f64>>, Error> {
                let views: Vec<Tensor> = operands
                    .iter()
                    .map(|(memory, layout)| memory.through(layout.clone()))
                    .collect::<Result<_, _>>()?;
                let tape = Tape::new();
                operands.iter().try_for_each(|(memory, _)| tape.watch(memory))?;
                let y = tape.record(|| match is_checkpointed {
                    true => checkpoint(&views.iter().collect::<Vec<_>>(), case.function),
                    false => (case.function)(&views),
                })?;
                let grads = tape.backward_with(&y, &weights(&y)?)?;
                let parts = |x: &Tensor| components(&grads.wrt(x)?)?.to_vec::<f64>();
                operands.iter().map(|(memory, _)| parts(memory)).collect()
            };
            let found = gradients(true).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            let expected = gradients(false).unwrap();
            assert_eq!(found, expected, "{} (layout {layout})", case.name);
        }
    }
}

#[test]
fn second_derivatives_are_those_without_a_checkpoint() {
    let x = tensor![[0.7, 1.1, 0.4], [1.3, 0.9, 0.6]];
    for &(name, f) in FUNCTIONS {
        let direct = hessian(|x| f(&x[0])?.square()?.sum(()), &[&x]).unwrap();
        let found = hessian(
            |x| {
                let y: Tensor = checkpoint(&[&x[0]], move |x| f(&x[0])?.square())?;
                y.sum(())
            },
            &[&x],
        );
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        for (a, b) in values(&found[0][0]).iter().zip(values(&direct[0][0])) {
            assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{name}: {a}, expected {b}");
        }
    }
}

#[test]
fn captured_tensors_have_second_derivatives() {
    let x = tensor![2.0, 3.0];
    let found = hessian(
        |x| {
            let own = x[0].clone();
            let y: Tensor = checkpoint(&[], move |_| own.mul(&own)?.mul(&own))?;
            y.sum(())
        },
        &[&x],
    );
    assert_eq!(values(&found.unwrap()[0][0]), [12.0, 0.0, 0.0, 18.0]);
}

#[test]
fn a_persistent_tape_calls_the_function_each_time() {
    let (x, tape) = (tensor![1.0, 2.0], Tape::persistent());
    tape.watch(&x).unwrap();
    let y: Tensor = tape.record(|| checkpoint(&[&x], |x| x[0].exp()?.mul(&x[0]))).unwrap();
    x.fill(0.0).unwrap();
    let one = tensor![1.0, 1.0];
    let gradient = || values(&tape.backward_with(&y, &one).unwrap().wrt(&x).unwrap());
    assert_eq!(gradient(), [2.0 * 1f64.exp(), 3.0 * 2f64.exp()]);
    assert_eq!(gradient(), gradient());
    let (_, tangents) = (gradient(), tape.jvp(&[&y], &[&x], &[&one]).unwrap());
    assert_eq!(values(&tangents[0]), gradient());
}

#[test]
fn only_the_inputs_are_saved() {
    let (x, tape) = watched(&[0.5; 100]);
    let y: Tensor = tape
        .record(|| {
            checkpoint(&[&x], |x| {
                let mut y = x[0].copy()?;
                for _ in 0..20 {
                    y = y.sin()?.mul(&y)?;
                }
                y.sum(())
            })
        })
        .unwrap();
    let report = tape.report();
    assert_eq!((report.entries, report.leases, report.leased_bytes), (2, 1, 800));
    assert_eq!(report.lines[1].op, "checkpoint");
    assert!(report.lines[1].line.contains("checkpoints.rs"), "{report}");
    copies::forbid(|| tape.backward(&y).map(drop)).unwrap();
}

#[test]
fn arguments_may_share_a_storage_and_be_overwritten_later() {
    let (x, tape) = watched(&[1.0, 2.0, 3.0, 4.0]);
    let f = |it: &[Tensor]| it[0].mul(&it[1])?.mul(&it[1]);
    let (low, high) = (x.slice(s![..3]).unwrap(), x.slice(s![1..]).unwrap());
    let y: Tensor = tape.record(|| checkpoint(&[&low, &high], f)).unwrap();
    // Σ xᵢ xᵢ₊₁²
    x.slice(s![1..3]).unwrap().fill(50.0).unwrap();
    let ones = Tensor::ones([3], DType::Float64).unwrap();
    let found = tape.backward_with(&y, &ones).unwrap().wrt(&x).unwrap();
    assert_eq!(values(&found), [4.0, 4.0 + 9.0, 2.0 * 2.0 * 3.0 + 16.0, 2.0 * 3.0 * 4.0]);
}

#[test]
fn the_function_may_write_to_its_own_memory() {
    let (x, tape) = watched(&[1.0, 2.0, 3.0]);
    let f = |x: &[Tensor]| {
        let y = Tensor::zeros([3], DType::Float64)?;
        y.slice(s![..2])?.fill(&x[0].slice(s![1..])?)?;
        y.flip([0])?.add_assign(&x[0].square()?)?;
        y.slice(s![1..])?.mul_assign(&y.slice(s![..2])?)?;
        let table = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3])?;
        table.mul_assign(2.0)?;
        Ok([y.mul(&table)?, y.slice(s![0])?])
    };
    let gradient = |is_checkpointed: bool| {
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        let [y, z] = tape
            .record(|| match is_checkpointed {
                true => checkpoint(&[&x], f),
                false => f(std::slice::from_ref(&x)),
            })
            .unwrap();
        let seeds = [tensor![1.0, -1.0, 0.5], tensor![3.0].reshape([0usize; 0]).unwrap()];
        values(&tape.backward_from(&[(&y, &seeds[0]), (&z, &seeds[1])]).unwrap().wrt(&x).unwrap())
    };
    assert_eq!(gradient(true), gradient(false));
    drop(tape);
}

#[test]
fn a_write_to_older_memory_is_an_error_at_its_line() {
    let (x, tape) = watched(&[1.0, 2.0, 3.0]);
    let counter = Tensor::zeros([1], DType::Float64).unwrap();
    let (own, line) = (counter.clone(), line!() + 4);
    let error = tape
        .record(|| {
            checkpoint::<Tensor>(&[&x], move |x| {
                own.add_assign(1.0)?;
                x[0].square()
            })
        })
        .unwrap_err();
    let GradientError::OutsideWrite { line: found, called, .. } = reason(&error) else {
        panic!("{error}")
    };
    assert!(found.contains(&format!("checkpoints.rs:{line}:")), "{error}");
    assert!(called.contains("checkpoints.rs"), "{error}");
    assert_eq!(values(&counter), [0.0]);
    let error = tape
        .record(|| {
            checkpoint::<Tensor>(&[&x], |x| {
                x[0].slice(s![1..])?.mul_assign(2.0)?;
                x[0].square()
            })
        })
        .unwrap_err();
    assert!(matches!(reason(&error), GradientError::OutsideWrite { .. }), "{error}");
    // The tape goes on.
    let y = tape.record(|| x.square()?.sum(())).unwrap();
    assert_eq!(values(&tape.backward(&y).unwrap().wrt(&x).unwrap()), [2.0, 4.0, 6.0]);
    // Without a tape it is an ordinary call.
    let y: Tensor = checkpoint(&[&x], |x| {
        x[0].fill(1.0)?;
        x[0].square()
    })
    .unwrap();
    assert_eq!(values(&y), [1.0; 3]);
}

#[test]
fn captured_tensors_have_gradients_and_may_not_be_overwritten() {
    let run = |overwrites: bool| {
        let (x, w) = (tensor![1.0, 2.0], tensor![3.0, 4.0]);
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        tape.watch(&w).unwrap();
        let own = w.clone();
        let y: Tensor =
            tape.record(|| checkpoint(&[&x], move |x| x[0].mul(&own.square()?)?.sum(()))).unwrap();
        if overwrites {
            w.slice(s![1]).unwrap().fill(0.0).unwrap();
        }
        tape.backward(&y).map(|it| [values(&it.wrt(&x).unwrap()), values(&it.wrt(&w).unwrap())])
    };
    assert_eq!(run(false).unwrap(), [vec![9.0, 16.0], vec![6.0, 16.0]]);
    let error = run(true).unwrap_err();
    assert!(matches!(reason(&error), GradientError::CapturedOverwritten { .. }), "{error}");
}

#[test]
fn random_numbers_repeat_bit_for_bit() {
    let x = Tensor::ones([1000], DType::Float64).unwrap();
    let run = |is_checkpointed: bool| {
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        let mut generator = Generator::new(3);
        generator.rand([10], DType::Float64).unwrap();
        let f = |generator: &mut Generator, x: &[Tensor]| {
            let noise = generator.randn([1000], DType::Float64)?;
            x[0].mul(&generator.bernoulli(0.7, [1000])?.astype(DType::Float64)?)?.mul(&noise)
        };
        let y: Tensor = tape
            .record(|| match is_checkpointed {
                true => checkpoint_random(&mut generator, &[&x], f),
                false => f(&mut generator, std::slice::from_ref(&x)),
            })
            .unwrap();
        let next = generator.rand([10], DType::Float64).unwrap();
        let grads = tape.backward_with(&y, &Tensor::ones([1000], DType::Float64).unwrap()).unwrap();
        [values(&y), values(&next), values(&grads.wrt(&x).unwrap())]
    };
    let found = run(true);
    assert_eq!(found[0], found[2]);
    assert_eq!(found, run(false));
}

#[test]
fn checkpoints_nest() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let (x, tape) = watched(&[0.3, 0.6]);
    let inner = |x: &[Tensor]| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        x[0].sin()?.mul(&x[0])
    };
    let y: Tensor = tape
        .record(|| {
            checkpoint(&[&x], move |x| {
                let y: Tensor = checkpoint(&[&x[0]], inner)?;
                let z: Tensor = checkpoint(&[&y], inner)?;
                z.sum(())
            })
        })
        .unwrap();
    assert_eq!(CALLS.swap(0, Ordering::Relaxed), 2);
    let found = values(&tape.backward(&y).unwrap().wrt(&x).unwrap());
    assert_eq!(CALLS.load(Ordering::Relaxed), 4);
    for (x, found) in [0.3f64, 0.6].into_iter().zip(found) {
        let y = x.sin() * x;
        let expected = (y.cos() * y + y.sin()) * (x.cos() * x + x.sin());
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn the_function_may_compute_gradients() {
    let (x, tape) = watched(&[2.0, 3.0]);
    let y: Tensor = tape
        .record(|| {
            checkpoint(&[&x], |x| {
                let inner = Tape::new();
                inner.watch(&x[0])?;
                let cube = inner.record(|| {
                    let y = x[0].mul(1.0)?;
                    y.mul_assign(&x[0].square()?)?;
                    y.sum(())
                })?;
                let gradient = inner.backward(&cube)?.wrt(&x[0])?;
                let (_, tangent) = jvp(|x| x[0].square(), &[&x[0]], &[&tensor![1.0, 1.0]])?;
                gradient.add(&tangent)?.sum(())
            })
        })
        .unwrap();
    // Σ 3 x² + 2 x
    assert_eq!(y.item::<f64>().unwrap(), 12.0 + 27.0 + 4.0 + 6.0);
    assert_eq!(values(&tape.backward(&y).unwrap().wrt(&x).unwrap()), [14.0, 20.0]);
}

#[test]
fn errors_of_the_function_are_those_of_the_call() {
    let (x, tape) = watched(&[1.0, 2.0]);
    let line = line!() + 1;
    let error = tape.record(|| checkpoint::<Tensor>(&[&x], |x| x[0].map(|it: f64| it + 1.0)));
    let error = error.unwrap_err();
    let GradientError::NoRule { op: "map", line: found, .. } = reason(&error) else {
        panic!("{error}")
    };
    assert!(found.contains(&format!("checkpoints.rs:{line}:")), "{error}");
    // A function that returns something else in its second call.
    static IS_SECOND: AtomicUsize = AtomicUsize::new(0);
    let y: Tensor = tape
        .record(|| {
            checkpoint(&[&x], |x| {
                let n = 2 - IS_SECOND.fetch_add(1, Ordering::Relaxed) as isize;
                x[0].slice(s![..n])?.square()
            })
        })
        .unwrap();
    let error = tape.backward_with(&y, &tensor![1.0, 1.0]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::NotRepeated { .. }), "{error}");
}

#[test]
fn backward_may_run_inside_of_no_tape() {
    let (x, tape) = watched(&[3.0]);
    let y: Tensor = tape.record(|| checkpoint(&[&x], |x| x[0].square())).unwrap();
    let found = no_tape(|| tape.backward(&y)).unwrap().wrt(&x).unwrap();
    assert_eq!(values(&found), [6.0]);
}

#[test]
fn results_that_are_arguments_are_copied() {
    let (x, tape) = watched(&[3.0, 4.0]);
    let [y, z, twice] = tape
        .record(|| {
            checkpoint(&[&x], |x| {
                let y = x[0].square()?;
                Ok([y.clone(), x[0].flip([0])?, y])
            })
        })
        .unwrap();
    let loss = tape.record(|| y.mul(&z)?.add(&twice)?.sum(())).unwrap();
    // x₀² x₁ + x₁² x₀ + x₀² + x₁²
    let found = tape.backward(&loss).unwrap().wrt(&x).unwrap();
    assert_eq!(values(&found), [24.0 + 16.0 + 6.0, 9.0 + 24.0 + 8.0]);
}

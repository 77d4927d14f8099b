//! Threads that write to memory which a tape watches or has saved, while it records and while the gradient is computed.

use belvedere::prelude::*;
use belvedere_grad::{Tape, checkpoint, custom_rule};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

fn filled(n: usize, value: f64) -> Tensor {
    Tensor::full([n], value).unwrap()
}

fn values(x: &Tensor) -> Vec<f64> {
    x.to_vec::<f64>().unwrap()
}

/// Runs `f` while another thread calls `write` with 1, 2, 3 …
fn while_writing<R>(write: impl Fn(usize) + Send + Sync, f: impl FnOnce() -> R) -> R {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0;
            while !is_over.load(Ordering::Relaxed) {
                turn += 1;
                write(turn);
            }
        });
        let result = f();
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

/// Calls `f` on another thread, and waits for it.
fn on_another_thread(f: impl FnOnce() + Send) {
    thread::scope(|scope| scope.spawn(f).join().unwrap());
}

#[test]
fn writes_during_backward_do_not_change_the_gradient() {
    let n = 3000;
    for round in 0..30 {
        let (x, w, tape) = (filled(n, 2.0), filled(n, 3.0), Tape::new());
        let at = Tensor::arange(0..n as i64).unwrap();
        tape.watch(&x).unwrap();
        let y = tape.record(|| {
            let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
            for _ in 0..5 {
                // Rules that read operands, indices, arguments of functions, and a shadow.
                sum = sum.add(&x.mul(&w)?.square()?.sum(())?)?;
                sum = sum.add(&x.take(&at, 0)?.mul(&w)?.sum(())?)?;
                let z: Tensor = checkpoint(&[&x, &w], |it| it[0].mul(&it[1])?.exp2()?.sum(()))?;
                sum = sum.add(&z)?;
                w.slice(s![..;2])?.fill(3.0)?;
            }
            Ok::<_, Error>(sum)
        });
        let grads = while_writing(
            |turn| {
                x.slice(s![..;3]).unwrap().fill(turn as f64).unwrap();
                w.fill(-(turn as f64)).unwrap();
                at.fill(turn as i64 % n as i64).unwrap();
            },
            || tape.backward(&y.unwrap()),
        );
        let expected = 5.0 * (2.0 * 2.0 * 9.0 + 3.0 + 64.0 * 2f64.ln() * 3.0);
        for found in values(&grads.unwrap().wrt(&x).unwrap()) {
            assert!((found - expected).abs() < 1e-9, "{round}: {found}, expected {expected}");
        }
    }
}

#[test]
fn a_gradient_has_the_values_that_were_read_whatever_is_written_while_the_tape_records() {
    let n = 500;
    for _ in 0..20 {
        let (x, c, tape) = (filled(n, 1.0), filled(n, 1.0), Tape::new());
        tape.watch(&x).unwrap();
        // The sum of x · c over many moments, for x = 1: its gradient is the sum of what c was.
        let write = |turn| {
            c.slice(s![..;2]).unwrap().fill((turn % 7) as f64).unwrap();
            c.slice(s![100..]).unwrap().add_assign(1.0).unwrap();
            c.fill((turn % 5) as f64).unwrap();
        };
        let (y, grads) = while_writing(write, || {
            let y = tape.record(|| {
                let mut sum = Tensor::zeros([n], DType::Float64)?;
                for _ in 0..40 {
                    sum = sum.add(&x.mul(&c)?)?;
                }
                Ok::<_, Error>(sum)
            });
            let y = y.unwrap();
            let ones = filled(n, 1.0);
            (values(&y), tape.backward_with(&y, &ones).unwrap())
        });
        assert_eq!(values(&grads.wrt(&x).unwrap()), y);
    }
}

#[test]
fn a_rule_is_called_again_if_what_it_reads_is_overwritten() {
    // Before an operation reads it, and before values are read, which is no operation.
    for reads_values in [false, true] {
        let x = tensor![1.0, 2.0, 3.0];
        let (tape, n_calls) = (Tape::new(), Arc::new(AtomicUsize::new(0)));
        tape.watch(&x).unwrap();
        let (written, n) = (x.clone(), Arc::clone(&n_calls));
        let y: Tensor = tape
            .record(|| {
                custom_rule(
                    &[&x],
                    |x| x[0].square(),
                    move |g, x| {
                        if n.fetch_add(1, Ordering::Relaxed) == 0 {
                            on_another_thread(|| {
                                written.slice(s![1..]).unwrap().fill(9.0).unwrap()
                            });
                        }
                        let factor = match reads_values {
                            true => Tensor::from_vec(x[0].to_vec::<f64>()?, [3])?,
                            false => x[0].mul(1.0)?,
                        };
                        Ok(vec![Some(factor.mul(2.0)?.mul(&g[0])?)])
                    },
                )
            })
            .unwrap();
        let grads = tape.backward_with(&y, &filled(3, 1.0)).unwrap();
        assert_eq!(values(&grads.wrt(&x).unwrap()), [2.0, 4.0, 6.0]);
        assert_eq!(n_calls.load(Ordering::Relaxed), 2);
        assert_eq!(values(&x), [1.0, 9.0, 9.0]);
    }
}

#[test]
fn a_write_to_other_elements_does_not_call_a_rule_again() {
    let x = tensor![1.0, 2.0, 3.0, 4.0];
    let (tape, n_calls) = (Tape::new(), Arc::new(AtomicUsize::new(0)));
    tape.watch(&x).unwrap();
    let (written, n) = (x.clone(), Arc::clone(&n_calls));
    let y: Tensor = tape
        .record(|| {
            custom_rule(
                &[&x.slice(s![..2])?],
                |x| x[0].square(),
                move |g, x| {
                    n.fetch_add(1, Ordering::Relaxed);
                    on_another_thread(|| written.slice(s![2..]).unwrap().fill(9.0).unwrap());
                    Ok(vec![Some(x[0].mul(2.0)?.mul(&g[0])?)])
                },
            )
        })
        .unwrap();
    let grads = tape.backward_with(&y, &filled(2, 1.0)).unwrap();
    assert_eq!(values(&grads.wrt(&x).unwrap()), [2.0, 4.0, 0.0, 0.0]);
    assert_eq!(n_calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_rule_may_return_its_argument_as_the_gradient() {
    let x = tensor![1.0, 2.0];
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    // x²/2, twice: the first contribution is moved or copied before another thread can write.
    let y = tape.record(|| {
        let half = |x: &Tensor| {
            custom_rule(&[x], |x| x[0].square()?.mul(0.5), |_, x| Ok(vec![Some(x[0].clone())]))
        };
        let one: Tensor = half(&x)?;
        let two: Tensor = half(&x)?;
        one.add(&two)
    });
    let grads = tape.backward_with(&y.unwrap(), &filled(2, 1.0)).unwrap();
    assert_eq!(values(&grads.wrt(&x).unwrap()), [2.0, 4.0]);
    assert_eq!(values(&x), [1.0, 2.0]);
}

#[test]
fn a_checkpoint_is_called_again_if_its_arguments_are_overwritten() {
    let x = tensor![1.0, 2.0, 3.0];
    let (tape, n_calls) = (Tape::new(), Arc::new(AtomicUsize::new(0)));
    tape.watch(&x).unwrap();
    let (written, n) = (x.clone(), Arc::clone(&n_calls));
    let y: Tensor = tape
        .record(|| {
            checkpoint(&[&x], move |x| {
                let y = x[0].square()?;
                // The first call in backward.
                if n.fetch_add(1, Ordering::Relaxed) == 1 {
                    on_another_thread(|| written.fill(9.0).unwrap());
                }
                y.mul(&x[0])?.sum(())
            })
        })
        .unwrap();
    let grads = tape.backward(&y).unwrap();
    assert_eq!(values(&grads.wrt(&x).unwrap()), [3.0, 12.0, 27.0]);
    assert_eq!(n_calls.load(Ordering::Relaxed), 3);
}

#[test]
fn tapes_of_several_threads_save_the_same_memory() {
    let x = filled(2000, 1.5);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let w = filled(2000, 2.0);
                    let tape = Tape::new();
                    tape.watch(&w).unwrap();
                    let y = tape.record(|| w.mul(&x)).unwrap();
                    let read = values(&y);
                    x.slice(s![..;7]).unwrap().fill(read[0]).unwrap();
                    let found = tape.backward_with(&y, &filled(2000, 1.0)).unwrap();
                    let expected: Vec<f64> = read.iter().map(|it| it / 2.0).collect();
                    assert_eq!(values(&found.wrt(&w).unwrap()), expected);
                    x.fill(1.5).unwrap();
                }
            });
        }
    });
}

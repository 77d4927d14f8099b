//! Saved values: which writes copy, what they copy, and that gradients are right whatever was overwritten.

use crate::reason;
use belvedere::copies::{self, CopyReason};
use belvedere::prelude::*;
use belvedere::{Operand, trace};
use belvedere_grad::{GradientError, Tape, no_tape};
use std::thread;

fn ones(shape: &[usize]) -> Tensor {
    Tensor::ones(shape, DType::Float64).unwrap()
}

#[test]
fn a_write_to_elements_that_were_not_saved_copies_nothing() {
    let (x, tape) = (ones(&[4, 6]), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape
        .record(|| {
            copies::forbid(|| {
                let y = x.slice(s![0])?.square()?.sum(())?;
                x.slice(s![1..])?.fill(7.0)?;
                x.slice(s![1.., ..;2])?.add_assign(1.0)?;
                Ok::<_, Error>(y)
            })
        })
        .unwrap();
    assert!(tape.report().copies.is_empty());
    let grads = tape.backward(&y).unwrap();
    let expected: Vec<f64> = (0..24).map(|i| if i < 6 { 2.0 } else { 0.0 }).collect();
    assert_eq!(grads.wrt(&x).unwrap().to_vec::<f64>().unwrap(), expected);
}

#[test]
fn a_write_keeps_the_saved_elements_that_it_overwrites_and_no_others() {
    let (x, tape) = (Tensor::arange(0..24).unwrap().astype(DType::Float64).unwrap(), Tape::new());
    let x = x.reshape([4, 6]).unwrap();
    tape.watch(&x).unwrap();
    let (y, trace) = trace::record(|| {
        tape.record(|| {
            let y = x.slice(s![1, ..])?.square()?.sum(())?;
            x.slice(s![.., ..;3])?.fill(-1.0)?; // 8 elements, 2 of which are in row 1
            Ok::<_, Error>(y)
        })
    });
    let report = tape.report();
    assert_eq!(report.copies.len(), 1);
    assert_eq!((report.copies[0].op, report.copies[0].bytes), ("assign", 16));
    assert_ne!(report.copies[0].line, report.copies[0].saved_by);
    let is_saved = |it: &&trace::Event| it.kind == trace::EventKind::Copy(CopyReason::Saved);
    let saved: Vec<&trace::Event> = trace.events().iter().filter(is_saved).collect();
    let [event] = saved[..] else { panic!("{saved:?}") };
    assert_eq!((event.bytes_copied(), event.depth), (16, 1));
    assert_eq!(event.params[0].0, "saved_by");
    assert_eq!(event.caller.to_string(), report.copies[0].line);
    let grads = tape.backward(&y.unwrap()).unwrap();
    let found = grads.wrt(&x.slice(s![1]).unwrap()).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [12.0, 14.0, 16.0, 18.0, 20.0, 22.0]);
}

#[test]
fn where_copies_are_forbidden_the_write_is_refused_with_both_lines() {
    let (x, tape) = (ones(&[6]), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.square()).unwrap();
    let error = copies::forbid(|| x.slice(s![2..5])?.fill(3.0)).unwrap_err();
    let GradientError::SavedElements { op, line, saved_by, elements } = reason(&error) else {
        panic!("{error}")
    };
    assert_eq!((*op, *elements, error.kind()), ("assign", 3, ErrorKind::Copy));
    assert!(line.contains("leases.rs") && saved_by.contains("leases.rs") && line != saved_by);
    // Nothing was written, and the tape is as it was.
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0; 6]);
    let grads = tape.backward_with(&y, &ones(&[6])).unwrap();
    assert_eq!(grads.wrt(&x).unwrap().to_vec::<f64>().unwrap(), [2.0; 6]);
}

#[test]
fn a_loop_that_saves_all_and_writes_one_element_copies_one_element_a_turn() {
    let (n, turns) = (50, 20);
    let run = |x: &Tensor| -> Result<Tensor, Error> {
        let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
        for i in 0..turns {
            sum = sum.add(&x.square()?.sum(())?)?.mul(0.01)?;
            x.slice(s![i as isize])?.fill(&sum)?;
        }
        Ok(sum)
    };
    let start: Vec<f64> = (0..n).map(|i| f64::from(i) / 40.0).collect();
    let x = Tensor::from_vec(start.clone(), [n as usize]).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| run(&x)).unwrap();
    let report = tape.report();
    assert_eq!((report.copies.len(), report.leased_bytes), (turns, 8 * n as usize));
    assert!(report.copies.iter().all(|it| it.bytes == 8));
    let found = tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    for at in [0, 7, 19, 20, 49] {
        let value = |h: f64| {
            let mut values = start.clone();
            values[at] += h;
            run(&Tensor::from_vec(values, [n as usize]).unwrap()).unwrap().item::<f64>().unwrap()
        };
        let expected = (value(1e-5) - value(-1e-5)) / 2e-5;
        assert!((found[at] - expected).abs() < 1e-8, "{at}: {} {expected}", found[at]);
    }
}

#[test]
fn what_was_overwritten_twice_is_kept_once() {
    let (x, tape) = (ones(&[100]), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape
        .record(|| {
            let y = x.square()?.sum(())?;
            for i in 0..10 {
                x.fill(f64::from(i))?;
            }
            Ok::<_, Error>(y)
        })
        .unwrap();
    assert_eq!(tape.report().copies.len(), 1);
    assert_eq!(tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap(), [2.0; 100]);
}

#[test]
fn writes_after_the_recording_do_not_change_gradients() {
    let (x, tape) = (ones(&[4]), Tape::persistent());
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.exp()?.sum(())).unwrap();
    x.fill(9.0).unwrap();
    for _ in 0..2 {
        let found = tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
        assert!(found.iter().all(|it| (it - 1f64.exp()).abs() < 1e-12), "{found:?}");
        x.mul_assign(2.0).unwrap();
    }
}

#[test]
fn another_thread_may_overwrite_saved_elements() {
    let (x, tape) = (ones(&[1000]), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.square()?.sum(())).unwrap();
    thread::scope(|scope| {
        for part in 0..4isize {
            let x = &x;
            scope.spawn(move || {
                for value in 0..50 {
                    let part = x.slice(s![250 * part..250 * (part + 1)]).unwrap();
                    part.fill(f64::from(value)).unwrap();
                }
            });
        }
    });
    assert_eq!(tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap(), [2.0; 1000]);
}

#[test]
fn unrecorded_writes_are_constants() {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [4]).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape
        .record(|| {
            no_tape(|| x.slice(s![0])?.mul_assign(5.0))?;
            thread::scope(|scope| scope.spawn(|| x.slice(s![1])?.add_assign(1.0)).join().unwrap())?;
            x.slice(s![2])?.mul_assign(5.0)?;
            no_tape(|| x.put_add(&tensor![3i64], 0, 1.0))?;
            x.square()?.sum(())
        })
        .unwrap();
    let found = tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [0.0, 0.0, 150.0, 0.0]);
}

#[test]
fn a_dropped_tape_leaves_no_lease() {
    let x = ones(&[10]);
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        tape.record(|| {
            x.square().unwrap();
            panic!("half way");
        })
    }));
    assert!(outcome.is_err());
    assert!(copies::forbid(|| x.fill(2.0)).is_err());
    drop(tape);
    copies::forbid(|| x.fill(2.0)).unwrap();
}

#[test]
fn leases_end_with_the_backward_that_uses_them() {
    let (x, tape) = (ones(&[10]), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.square()?.sum(())).unwrap();
    let grads = tape.backward(&y).unwrap();
    copies::forbid(|| x.fill(2.0)).unwrap();
    assert_eq!(grads.wrt(&x).unwrap().to_vec::<f64>().unwrap(), [2.0; 10]);
}

#[test]
fn numbers_are_saved_by_value() {
    let (x, tape) = (ones(&[3]), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape.record(|| Operand::from(3.0).mul(&x.mul(2.0)?)?.sum(())).unwrap();
    assert_eq!(tape.report().leases, 0);
    assert_eq!(tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap(), [6.0; 3]);
}

#[test]
fn many_leases_and_patches_of_one_storage_are_found() {
    const N: usize = 60;
    let x = Tensor::arange(0..N as i64).unwrap().astype(DType::Float64).unwrap();
    let values = x.to_vec::<f64>().unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| {
        let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
        // Each element and some longer slices are saved before any is overwritten, half of them again in between.
        for i in 0..N {
            sum = sum.add(&x.slice(s![i])?.square()?)?;
        }
        for i in 0..N / 2 {
            sum = sum.add(&x.slice(s![i..i + 3])?.square()?.sum(())?)?;
            x.slice(s![2 * i])?.fill(7.0)?;
        }
        Ok::<_, Error>(sum)
    });
    assert_eq!(tape.report().copies.len(), N / 2);
    let found = tape.backward(&y.unwrap()).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    // Element k is in the slices from i = k - 2 on; those with an even number are overwritten in turn k / 2.
    let n_slices = |k: usize| {
        (0..N / 2).filter(|&i| i <= k && k < i + 3 && (k % 2 == 1 || i <= k / 2)).count()
    };
    let expected: Vec<f64> = (0..N).map(|k| 2.0 * values[k] * (1 + n_slices(k)) as f64).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_write_keeps_saved_elements_only_however_many_columns_are_saved() {
    const N: usize = 200;
    let x = Tensor::arange(0..5 * N as i64).unwrap().astype(DType::Float64).unwrap();
    let (x, tape) = (x.reshape([5, N]).unwrap(), Tape::new());
    let values = x.to_vec::<f64>().unwrap();
    tape.watch(&x).unwrap();
    let sum_of_squares = |step: usize| {
        let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
        for k in (0..N as isize).step_by(step) {
            sum = sum.add(&x.select(1, k)?.square()?.sum(())?)?;
        }
        Ok::<_, Error>(sum)
    };
    let y = tape.record(|| {
        let y = sum_of_squares(2)?;
        copies::forbid(|| x.slice(s![.., 1..;2])?.fill(-1.0))?; // no column that was saved
        x.slice(s![0])?.fill(-2.0)?; // one element of each of 100 columns
        x.slice(s![.., 4..7])?.fill(-3.0)?; // two whole columns
        y.add(&sum_of_squares(50)?) // columns 0, 50, 100 and 150 as they are now
    });
    let bytes: Vec<usize> = tape.report().copies.iter().map(|it| it.bytes).collect();
    assert_eq!(bytes, [100 * 8, 10 * 8]);
    let found = tape.backward(&y.unwrap()).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    let expected = |at: usize| {
        let (row, k) = (at / N, at % N);
        let first = if k % 2 == 0 { 2.0 * values[at] } else { 0.0 };
        // Row 0 was overwritten with a constant.
        let second = if k % 50 == 0 && row > 0 { 2.0 * values[at] } else { 0.0 };
        first + second
    };
    assert_eq!(found, (0..5 * N).map(expected).collect::<Vec<_>>());
}

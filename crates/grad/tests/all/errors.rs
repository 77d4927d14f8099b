//! What has no gradient is an error, at the line that is the cause.

use crate::reason;
use belvedere::prelude::*;
use belvedere::{Device, with_device};
use belvedere_grad::{GradientError, Tape, no_tape};

fn watched() -> (Tensor, Tape) {
    let (x, tape) = (tensor![1.0, 2.0, 3.0], Tape::new());
    tape.watch(&x).unwrap();
    (x, tape)
}

/// Checks that an error names a line of this file.
fn assert_names(found: &str, line: u32) {
    assert!(found.contains(&format!("errors.rs:{line}:")), "{found}");
}

#[test]
fn only_floating_point_and_complex_tensors_in_memory_can_be_watched() {
    let tape = Tape::new();
    for x in [tensor![1, 2], tensor![true]] {
        let called = line!() + 1;
        let error = tape.watch(&x).unwrap_err();
        let GradientError::DType { dtype, line } = reason(&error) else { panic!("{error}") };
        assert_eq!(*dtype, x.dtype());
        assert_names(line, called);
        assert_eq!(error.kind(), ErrorKind::DType);
    }
    tape.watch(&tensor![Complex::new(1.0, 2.0)]).unwrap();
    let meta = with_device(Device::Meta, || Tensor::zeros([2], DType::Float64)).unwrap();
    assert_eq!(*reason(&tape.watch(&meta).unwrap_err()), GradientError::Meta);
}

#[test]
fn results_and_seeds_are_checked_and_nothing_is_consumed_by_an_error() {
    let (x, tape) = watched();
    let (y, positions) = tape.record(|| (x.square().unwrap(), x.argmax(()).unwrap()));
    let called = line!() + 1;
    let error = tape.backward(&y).unwrap_err();
    let GradientError::NotScalar { shape, line } = reason(&error) else { panic!("{error}") };
    assert_eq!(*shape, y.shape());
    assert_names(line, called);
    let called = line!() + 1;
    let error = tape.backward(&positions).unwrap_err();
    let GradientError::DType { dtype: DType::Int64, line } = reason(&error) else {
        panic!("{error}")
    };
    assert_names(line, called);
    for seed in [tensor![1.0, 2.0], tensor![1.0f32, 2.0, 3.0]] {
        let called = line!() + 1;
        let error = tape.backward_with(&y, &seed).unwrap_err();
        let GradientError::Seed { needed, given, line } = reason(&error) else { panic!("{error}") };
        assert_names(line, called);
        assert_eq!(*needed, (y.shape(), DType::Float64));
        assert_eq!(*given, (seed.shape(), seed.dtype()));
    }
    let unseen = tensor![1.0].mul(2.0).unwrap();
    let called = line!() + 1;
    let error = tape.backward(&unseen).unwrap_err();
    let GradientError::Unseen { shape, dtype, line } = reason(&error) else { panic!("{error}") };
    assert_eq!((shape, *dtype), (&unseen.shape(), DType::Float64));
    assert_names(line, called);
    assert!(error.to_string().starts_with(line), "{error}");
    let line = line!() + 2;
    let ones = Tensor::ones([3], DType::Float64).unwrap();
    let grads = tape.backward_with(&y, &ones).unwrap();
    assert_eq!(grads.wrt(&x).unwrap().to_vec::<f64>().unwrap(), [2.0, 4.0, 6.0]);
    for error in [tape.backward_with(&y, &ones).unwrap_err(), tape.watch(&x).unwrap_err()] {
        let GradientError::Consumed { line: found } = reason(&error) else { panic!("{error}") };
        assert!(found.contains(&format!("errors.rs:{line}:")), "{found}");
    }
}

#[test]
fn only_watched_elements_have_gradients() {
    let memory = tensor![1.0, 2.0, 3.0, 4.0];
    let tape = Tape::new();
    tape.watch(&memory.slice(s![..;2]).unwrap()).unwrap();
    let other = tensor![1.0];
    tape.watch(&other).unwrap();
    let y = tape.record(|| memory.sum(())).unwrap();
    let grads = tape.backward(&y).unwrap();
    let even = memory.slice(s![..;2]).unwrap();
    assert_eq!(grads.wrt(&even).unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
    assert_eq!(grads.wrt(&other).unwrap().to_vec::<f64>().unwrap(), [0.0]);
    for x in [&memory, &y, &memory.slice(s![1]).unwrap()] {
        let at = line!() + 1;
        let error = grads.wrt(x).unwrap_err();
        let GradientError::NotWatched { shape, dtype, line } = reason(&error) else {
            panic!("{error}")
        };
        assert_eq!((shape, *dtype), (&x.shape(), DType::Float64));
        assert!(line.contains(&format!("errors.rs:{at}:")), "{line}");
    }
}

#[test]
fn watched_elements_can_be_checked_before_a_tape_is_consumed() {
    let (x, other, tape) = (tensor![1.0, 2.0, 3.0], tensor![1.0], Tape::new());
    tape.watch(&x.slice(s![..;2]).unwrap()).unwrap();
    let y = tape.record(|| x.square()?.sum(())).unwrap();
    let bits = x.bitcast(DType::Int64).unwrap();
    for unwatched in [&x, &x.slice(s![1]).unwrap(), &y, &other, &bits] {
        let at = line!() + 1;
        let error = tape.check_watched(unwatched).unwrap_err();
        let GradientError::NotWatched { line, .. } = reason(&error) else { panic!("{error}") };
        assert!(line.contains(&format!("errors.rs:{at}:")), "{line}");
    }
    let last = x.slice(s![2]).unwrap();
    tape.check_watched(&last).unwrap();
    assert_eq!(tape.backward(&y).unwrap().wrt(&last).unwrap().item::<f64>().unwrap(), 6.0);
    // A consumed tape has another error.
    tape.check_watched(&other).unwrap();
    assert!(matches!(reason(&tape.backward(&y).unwrap_err()), GradientError::Consumed { .. }));
}

#[test]
fn an_operation_without_a_rule_is_refused_at_its_line() {
    let (x, tape) = watched();
    let line = line!() + 1;
    let error = tape.record(|| x.map(|it: f64| it + 1.0)).unwrap_err();
    let GradientError::NoRule { op, reason, line: found } = reason(&error) else {
        panic!("{error}")
    };
    assert_eq!((*op, *reason), ("map", Some("a closure has no derivative")));
    assert!(found.contains(&format!("errors.rs:{line}:")), "{found}");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    // In place, too: nothing is written.
    assert!(tape.record(|| x.map_assign(|it: f64| it + 1.0)).is_err());
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0]);
    // Operations on other tensors, and those of constants, are not concerned.
    tape.record(|| tensor![1.0].map(|it: f64| it + 1.0)).unwrap();
    let constant = tape.record(|| no_tape(|| x.map(|it: f64| it + 1.0))).unwrap();
    let y = tape.record(|| x.mul(&constant)?.sum(())).unwrap();
    let found = tape.backward(&y).unwrap().wrt(&x).unwrap();
    assert_eq!(found.to_vec::<f64>().unwrap(), [2.0, 3.0, 4.0]);
}

#[test]
fn tracked_elements_are_not_handed_out_while_the_tape_records() {
    let (x, tape) = watched();
    let outer = x.read::<f64>().unwrap();
    tape.record(|| {
        for error in [x.read::<f64>().err().unwrap(), x.t().unwrap().read::<f64>().err().unwrap()] {
            assert!(matches!(reason(&error), GradientError::HandedOut { op: "read", .. }));
            assert_eq!(error.kind(), ErrorKind::Borrow);
        }
        // A view of a guard that was taken before.
        let error = tensor![1.0].mul(&outer.view()).unwrap_err();
        assert!(matches!(reason(&error), GradientError::HandedOut { op: "mul", .. }));
    });
    drop(outer);
    tape.record(|| {
        let error = x.write::<f64>().err().unwrap();
        assert!(matches!(reason(&error), GradientError::HandedOut { op: "write", .. }));
        // Values can be read, and other tensors are not concerned.
        assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(x.slice(s![0]).unwrap().item::<f64>().unwrap(), 1.0);
        assert!(tensor![1.0].write::<f64>().is_ok());
    });
    // Inside of `no_tape` a write guard writes constants.
    let y = tape.record(|| {
        no_tape(|| x.slice(s![..2])?.write::<f64>().map(|mut it| it.fill(5.0)))?;
        x.mul(2.0)?.sum(())
    });
    let found = tape.backward(&y.unwrap()).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [0.0, 0.0, 2.0]);
}

#[test]
fn a_guard_cannot_write_to_saved_elements() {
    let (x, tape) = watched();
    let y = tape.record(|| x.square()?.sum(())).unwrap();
    let error = x.write::<f64>().err().unwrap();
    assert!(matches!(reason(&error), GradientError::HandedOut { op: "write", .. }));
    tape.backward(&y).unwrap();
    assert!(x.write::<f64>().is_ok());
}

#[test]
fn tracked_bytes_have_one_dtype() {
    let (x, tape) = watched();
    let bits = x.bitcast(DType::Int64).unwrap();
    tape.record(|| {
        for error in [bits.add(1).unwrap_err(), bits.fill(0).unwrap_err()] {
            let found = reason(&error);
            assert!(matches!(found, GradientError::Reinterpreted { accessed: DType::Int64, .. }));
        }
    });
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn a_refused_operation_leaves_the_tape_as_it_was() {
    let (x, tape) = watched();
    let y = tape.record(|| {
        assert!(x.add_assign(&tensor![1.0, 2.0]).is_err());
        assert!(x.matmul(&tensor![1.0, 2.0]).is_err());
        assert!(x.take(&tensor![7i64], 0).is_err());
        assert!(x.put(&tensor![0i64, 9], 0, 5.0).is_err());
        x.square()?.sum(())
    });
    let found = tape.backward(&y.unwrap()).unwrap().wrt(&x).unwrap();
    assert_eq!(found.to_vec::<f64>().unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn a_draw_from_tracked_parameters_says_how_to_transform_standard_numbers() {
    let (x, tape) = watched();
    let mut random = random::Generator::new(1);
    let error = tape.record(|| random.normal(&x, 1.0, [3], DType::Float64)).unwrap_err();
    let GradientError::NoRule { op: "normal", reason: Some(reason), .. } = reason(&error) else {
        panic!("{error}")
    };
    assert!(reason.contains("mean + std * z"), "{reason}");
    // The form that the message names.
    let y = tape.record(|| {
        let z = random.normal(0.0, 1.0, [3], DType::Float64)?;
        x.add(&z.mul(&x)?)?.sum(())
    });
    tape.backward(&y.unwrap()).unwrap();
}

#[test]
fn a_lazy_expression_is_refused_at_the_line_that_evaluates_it() {
    let (x, tape) = watched();
    let error = tape.record(|| lazy(&x).mul(2.0).sin().eval()).unwrap_err();
    let GradientError::NoRule { op: "eval", reason: Some(_), line } = reason(&error) else {
        panic!("{error}")
    };
    assert!(line.contains("errors.rs"), "{line}");
}

#[test]
fn the_imaginary_part_of_a_real_tensor_is_a_constant() {
    let (x, tape) = watched();
    let y = tape.record(|| x.mul(&x.imag()?)?.add(&x)?.sum(())).unwrap();
    let found = tape.backward(&y).unwrap().wrt(&x).unwrap();
    assert_eq!(found.to_vec::<f64>().unwrap(), [1.0, 1.0, 1.0]);
}

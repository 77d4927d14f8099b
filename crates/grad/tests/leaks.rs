//! Tapes free everything that they keep. A program of its own, because the bytes of all tensors of the process are counted.

use belvedere::prelude::*;
use belvedere::{Error, memory};
use belvedere_grad::{Tape, checkpoint, custom_rule, jacobian, vjp};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Fails if a call leaves bytes of tensors behind.
fn assert_freed(name: &str, run: impl Fn()) {
    let before = memory::stats().in_use;
    run();
    assert_eq!(memory::stats().in_use, before, "{name}");
}

fn big() -> Tensor {
    Tensor::ones([1000], DType::Float64).unwrap()
}

/// Saves, overwrites, checkpoints and uses a rule of its own.
fn program(x: &Tensor) -> Result<Tensor, Error> {
    let y = x.mul(x)?.exp()?;
    y.slice(s![..;2])?.mul_assign(&x.slice(s![..;2])?)?;
    let z: Tensor = checkpoint(&[&y], |y| y[0].sin()?.mul(&y[0]))?;
    let constant = big();
    let z: Tensor = custom_rule(
        &[&z],
        |z| z[0].square(),
        move |g, z| Ok(vec![Some(g[0].mul(&z[0])?.mul(&constant)?)]),
    )?;
    y.fill(2.0)?;
    z.mul(&y)?.sum(())
}

#[test]
fn tapes_free_everything_that_they_keep() {
    let watched = || {
        let (x, tape) = (big(), Tape::new());
        tape.watch(&x).unwrap();
        (x, tape)
    };
    assert_freed("backward", || {
        let (x, tape) = watched();
        let y = tape.record(|| program(&x)).unwrap();
        drop(tape.backward(&y).unwrap());
        // Before the tape is dropped.
        assert_eq!(tape.report().entries, 0);
    });
    assert_freed("a tape that is dropped half way", || {
        let (x, tape) = watched();
        drop(tape.record(|| program(&x)).unwrap());
        drop(tape);
        x.fill(1.0).unwrap();
    });
    assert_freed("a tape that is dropped while it records", || {
        let (x, tape) = watched();
        let scope = tape.start();
        drop(program(&x).unwrap());
        drop(tape);
        drop(scope);
    });
    assert_freed("a panic inside", || {
        let (x, tape) = watched();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            tape.record(|| {
                let _y = program(&x).unwrap();
                let _z: Result<Tensor, Error> = checkpoint(&[&x], |x| {
                    let _y = x[0].square()?;
                    std::panic::resume_unwind(Box::new("half way"));
                });
            });
        }));
        assert!(outcome.is_err());
        // The tape goes on.
        let y = tape.record(|| x.square()?.sum(())).unwrap();
        tape.backward(&y).unwrap();
    });
    assert_freed("an error inside", || {
        let (x, tape) = watched();
        assert!(tape.record(|| program(&x)?.map(|it: f64| it)).is_err());
        let y: Tensor = tape
            .record(|| custom_rule(&[&x], |x| x[0].exp(), |_, _| Err(Error::Interrupted)))
            .unwrap();
        assert!(tape.backward_with(&y, &big()).is_err());
    });
    assert_freed("a persistent tape", || {
        let (x, tape) = (big(), Tape::persistent());
        tape.watch(&x).unwrap();
        let y = tape.record(|| program(&x)).unwrap();
        for _ in 0..2 {
            tape.backward(&y).unwrap();
        }
    });
    assert_freed("functions of functions", || {
        let x = Tensor::ones([5], DType::Float64).unwrap();
        jacobian(|x| x[0].square(), &[&x]).unwrap();
        drop(vjp(|x| x[0].square()?.exp(), &[&x]).unwrap());
        // Two tapes of which each keeps what the other has computed.
        let (outer, inner) = (Tape::new(), Tape::persistent());
        outer.watch(&x).unwrap();
        inner.watch(&x).unwrap();
        let g = outer.record(|| {
            let y = inner.record(|| x.square()?.sum(()))?;
            inner.record(|| inner.backward(&y)?.wrt(&x))
        });
        drop(g.unwrap());
    });
}

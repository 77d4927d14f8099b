//! Second derivatives by nested tapes.

use crate::reason;
use belvedere::prelude::*;
use belvedere_grad::{GradientError, Tape, no_tape};

pub(crate) type Function = fn(&Tensor) -> Result<Tensor, Error>;

/// Returns the gradient of the sum of a function.
fn gradient(f: Function, x: &Tensor) -> Result<Tensor, Error> {
    let tape = Tape::new();
    tape.watch(x)?;
    let y = tape.record(|| f(x)?.sum(()))?;
    tape.backward(&y)?.wrt(x)
}

/// Returns the gradient of `Σ weight · gradient`.
fn second(f: Function, x: &Tensor, weights: &Tensor) -> Result<Tensor, Error> {
    let outer = Tape::new();
    outer.watch(x)?;
    let g = outer.record(|| gradient(f, x)?.mul(weights)?.sum(()))?;
    outer.backward(&g)?.wrt(x)
}

pub(crate) const FUNCTIONS: &[(&str, Function)] = &[
    ("cube", |x| x.mul(x)?.mul(x)),
    ("power", |x| x.pow(3.5)),
    ("sin exp", |x| x.sin()?.exp()),
    ("tanh", |x| x.tanh()),
    ("sigmoid", |x| x.sigmoid()?.square()),
    ("log sqrt", |x| x.log()?.mul(&x.sqrt()?)),
    ("quotient", |x| x.div(&x.square()?.add(1.0)?)),
    ("matmul", |x| x.matmul(&x.t()?)?.square()),
    ("prod", |x| x.prod(1)),
    ("softmax", |x| x.softmax(1)?.square()),
    ("logsumexp", |x| x.logsumexp(0)?.square()),
    ("std", |x| x.std(1)),
    ("norm", |x| x.norm(())),
    ("cumulative_sum", |x| x.cumulative_sum(1)?.square()),
    ("take", |x| x.take(&tensor![0i64, 1, 0], 0)?.square()),
    ("logcumsumexp", |x| x.logcumsumexp(1)?.square()),
    ("gelu", |x| x.gelu()?.mul(&x.gelu_tanh()?)),
    ("hard_swish", |x| x.hard_swish()?.mul(&x.hard_sigmoid()?)),
    ("windows", |x| x.windows(1, 2, 1)?.square()),
    ("flip", |x| x.mul(&x.flip([0, 1])?)),
    ("write", |x| {
        let y = x.square()?;
        y.slice(s![0])?.mul_assign(&x.slice(s![1])?)?;
        y.slice(s![.., 1])?.assign(s![..], &x.slice(s![.., 0])?.exp()?)?;
        y.mul(x)
    }),
    ("overwrite a part", |x| {
        let y = x.mul(1.0)?;
        let z = y.square()?.mul(&y)?;
        y.slice(s![.., ..;2])?.fill(&x.slice(s![0, 0])?.exp()?)?;
        y.slice(s![1])?.mul_assign(&y.slice(s![0])?)?;
        z.mul(&y.sin()?)
    }),
    ("inv", |x| {
        linalg::inv(&x.slice(s![.., ..2])?.add(&Tensor::eye(2, DType::Float64)?.mul(4.0)?)?)
    }),
];

#[test]
fn second_derivatives_are_the_limits_of_differences_of_gradients() {
    let x = tensor![[0.7, 1.1, 0.4], [1.3, 0.9, 0.6]];
    let weights = tensor![[1.0, -0.5, 2.0], [0.3, 0.8, -1.0]];
    for (name, f) in FUNCTIONS {
        let found = second(*f, &x, &weights).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = found.to_vec::<f64>().unwrap();
        for (at, &found) in found.iter().enumerate() {
            let value = |h: f64| {
                let y = x.copy().unwrap();
                let flat = y.reshape([6]).unwrap();
                flat.set([at], flat.get::<f64>([at]).unwrap() + h).unwrap();
                let g = gradient(*f, &y).unwrap().mul(&weights).unwrap();
                g.sum(()).unwrap().item::<f64>().unwrap()
            };
            let expected = (value(1e-5) - value(-1e-5)) / 2e-5;
            let is_near = (found - expected).abs() < 1e-6 * (1.0 + expected.abs());
            assert!(is_near, "{name}, element {at}: {found}, expected {expected}");
        }
    }
}

#[test]
fn derivatives_of_any_order_of_a_power() {
    fn nth(x: &Tensor, n: usize) -> Result<Tensor, Error> {
        if n == 0 {
            return x.square()?.square();
        }
        let tape = Tape::new();
        tape.watch(x)?;
        let y = tape.record(|| nth(x, n - 1))?;
        tape.backward(&y)?.wrt(x)
    }
    let x = tensor![2.0];
    for (n, expected) in [16.0, 32.0, 48.0, 48.0, 24.0].into_iter().enumerate() {
        assert_eq!(nth(&x, n).unwrap().item::<f64>().unwrap(), expected, "order {n}");
    }
}

#[test]
fn tapes_may_end_in_any_order() {
    let x = tensor![3.0];
    let (outer, inner) = (Tape::new(), Tape::new());
    outer.watch(&x).unwrap();
    inner.watch(&x).unwrap();
    let recording = (outer.start(), inner.start());
    let y = x.pow(3.0).unwrap();
    drop(recording.0);
    // The outer tape has ended: the gradient of the inner one is a constant to it.
    let g = inner.backward(&y).unwrap().wrt(&x).unwrap();
    let error = outer.backward(&g).unwrap_err();
    assert!(matches!(reason(&error), GradientError::Unseen { .. }), "{error}");
    drop(recording.1);
    // The tape that was started last records the gradient of the first, and the first that of the last.
    for is_first_used_first in [true, false] {
        let tapes = [Tape::new(), Tape::new()];
        tapes.iter().try_for_each(|it| it.watch(&x)).unwrap();
        let _scopes = tapes.each_ref().map(Tape::start);
        let y = x.pow(3.0).unwrap();
        let [used, other] = if is_first_used_first { [0, 1] } else { [1, 0] };
        let g = tapes[used].backward(&y).unwrap().wrt(&x).unwrap();
        let second = tapes[other].backward(&g).unwrap().wrt(&x).unwrap();
        assert_eq!(second.item::<f64>().unwrap(), 18.0);
        // Both are consumed.
        for tape in &tapes {
            let error = tape.backward(&second).unwrap_err();
            assert!(matches!(reason(&error), GradientError::Consumed { .. }), "{error}");
        }
    }
    // Inside of `no_tape` the tapes around it do not record, one that is started there does.
    let outer = Tape::new();
    outer.watch(&x).unwrap();
    let slope = outer.record(|| no_tape(|| gradient(|x| x.square(), &x))).unwrap();
    assert_eq!(slope.item::<f64>().unwrap(), 6.0);
    assert!(matches!(reason(&outer.backward(&slope).unwrap_err()), GradientError::Unseen { .. }));
}

#[test]
fn values_that_were_overwritten_while_the_enclosing_tape_did_not_record_are_refused() {
    let x = tensor![1.0, 2.0];
    let (outer, inner) = (Tape::new(), Tape::new());
    outer.watch(&x).unwrap();
    let error = outer.record(|| {
        let y = x.copy()?;
        inner.watch(&y)?;
        let z = inner.record(|| {
            let z = y.square()?.sum(())?;
            no_tape(|| y.fill(0.0))?;
            Ok::<_, Error>(z)
        })?;
        inner.backward(&z)
    });
    let Err(Error::Refused { reason, .. }) = error else { panic!("it is refused") };
    assert!(matches!(reason.downcast_ref(), Some(GradientError::OverwrittenInNested)));
}

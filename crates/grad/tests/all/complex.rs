//! Complex numbers: the convention, real and imaginary parts as views, and what has no derivative.

use belvedere::prelude::*;
use belvedere_grad::{GradientError, Tape};

fn reason(error: &Error) -> &GradientError {
    let Error::Refused { reason, .. } = error else { panic!("{error}") };
    reason.downcast_ref().expect("an error of a gradient")
}

fn numbers() -> Tensor {
    tensor![Complex::new(1.0, 2.0), Complex::new(-3.0, 0.5)]
}

fn values(x: &Tensor) -> Vec<Complex<f64>> {
    x.to_vec::<Complex<f64>>().unwrap()
}

#[test]
fn the_gradient_is_that_of_the_real_part_plus_i_times_that_of_the_imaginary_part() {
    let (z, tape) = (numbers(), Tape::new());
    tape.watch(&z).unwrap();
    let y = tape.record(|| z.abs()?.square()?.sum(())).unwrap();
    let found = tape.backward(&y).unwrap().wrt(&z).unwrap();
    assert!(
        found.sub(&z.mul(2.0).unwrap()).unwrap().norm(()).unwrap().item::<f64>().unwrap() < 1e-12
    );
    // A seed weights the conjugate.
    let tape = Tape::new();
    tape.watch(&z).unwrap();
    let y = tape.record(|| z.mul(Complex::new(0.0, 1.0))).unwrap();
    let seed = tensor![Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)];
    let found = tape.backward_with(&y, &seed).unwrap().wrt(&z).unwrap();
    assert_eq!(values(&found), [Complex::new(0.0, -1.0), Complex::new(1.0, 0.0)]);
}

#[test]
fn the_gradients_of_real_and_imaginary_parts_are_views_of_the_gradient() {
    let (z, tape) = (numbers(), Tape::new());
    tape.watch(&z).unwrap();
    let y = tape.record(|| z.real()?.square()?.sum(())?.add(&z.imag()?.mul(3.0)?.sum(())?));
    let grads = tape.backward(&y.unwrap()).unwrap();
    let all = grads.wrt(&z).unwrap();
    assert_eq!(values(&all), [Complex::new(2.0, 3.0), Complex::new(-6.0, 3.0)]);
    for (part, expected) in [(z.real(), [2.0, -6.0]), (z.imag(), [3.0, 3.0])] {
        let found = grads.wrt(&part.unwrap()).unwrap();
        assert_eq!(found.storage().id(), all.storage().id());
        assert_eq!(found.to_vec::<f64>().unwrap(), expected);
    }
}

#[test]
fn a_part_can_be_watched_alone() {
    let (z, tape) = (numbers(), Tape::new());
    tape.watch(&z.imag().unwrap()).unwrap();
    let y = tape.record(|| z.square()?.real()?.sum(())).unwrap();
    let grads = tape.backward(&y).unwrap();
    let found = grads.wrt(&z.imag().unwrap()).unwrap();
    assert_eq!(found.to_vec::<f64>().unwrap(), [-4.0, -1.0]);
    for x in [z.clone(), z.real().unwrap()] {
        let error = grads.wrt(&x).unwrap_err();
        let GradientError::NotWatched { shape, dtype, .. } = reason(&error) else {
            panic!("{error}")
        };
        assert_eq!((shape, *dtype), (&x.shape(), x.dtype()));
    }
}

#[test]
fn a_write_to_real_parts_keeps_them_for_the_operations_that_saved_the_numbers() {
    let (z, tape) = (numbers(), Tape::new());
    tape.watch(&z).unwrap();
    let y = tape.record(|| {
        let w = z.copy()?;
        let y = w.square()?;
        w.slice(s![1])?.real()?.fill(7.0)?;
        let product = y.mul(&w)?;
        w.imag()?.fill(&w.real()?.slice(s![0])?)?;
        product.mul(&w)?.real()?.sum(())
    });
    let y = y.unwrap();
    assert_eq!(tape.report().copies.iter().map(|it| it.bytes).collect::<Vec<_>>(), [8, 16]);
    let found = values(&tape.backward(&y).unwrap().wrt(&z).unwrap());
    let value = |z: &[Complex<f64>]| {
        let second = Complex::new(7.0, z[1].im);
        let [first, last] = [z[0].re, 7.0].map(|re| Complex::new(re, z[0].re));
        (z[0] * z[0] * z[0] * first + z[1] * z[1] * second * last).re
    };
    let z = values(&z);
    for at in 0..4 {
        let shifted = |h: f64| {
            let mut z = z.clone();
            z[at / 2] += if at % 2 == 0 { Complex::new(h, 0.0) } else { Complex::new(0.0, h) };
            value(&z)
        };
        let expected = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
        let found = if at % 2 == 0 { found[at / 2].re } else { found[at / 2].im };
        assert!((found - expected).abs() < 1e-6, "component {at}: {found}, not {expected}");
    }
}

#[test]
fn a_complex_result_needs_a_seed() {
    let (z, tape) = (numbers(), Tape::new());
    tape.watch(&z).unwrap();
    let y = tape.record(|| z.sum(())).unwrap();
    let error = tape.backward(&y).unwrap_err();
    let GradientError::ComplexResult { dtype, line } = reason(&error) else { panic!("{error}") };
    assert!(*dtype == DType::Complex128 && line.contains("complex.rs:"), "{error}");
    assert_eq!(error.kind(), ErrorKind::DType);
}

#[test]
fn a_result_that_depends_on_what_is_not_determined_is_an_error() {
    type Function = fn(&Tensor) -> Result<Tensor, Error>;
    let functions: &[(&str, Function)] = &[
        ("eigh", |z| linalg::eigh(&z.add(&z.t()?.conj()?)?)?.eigenvectors.real()?.sum(())),
        ("eig", |z| linalg::eig(z)?.eigenvectors.real()?.sum(())),
        ("svd", |z| linalg::svd(z)?.u.imag()?.sum(())),
        ("svd", |z| linalg::svd(&z.slice(s![.., ..1])?.real()?)?.u.sum(())),
        ("svd", |z| {
            linalg::svd(&z.slice(s![..1])?.real()?)?.vh.square()?.mul(&tensor![1.0, 3.0])?.sum(())
        }),
        ("qr", |z| linalg::qr(z)?.q.real()?.sum(())),
        ("qr", |z| linalg::qr(z)?.r.real()?.sum(())),
        ("qr", |z| {
            linalg::qr_with(&z.slice(s![.., ..1])?.real()?, linalg::QrMode::Complete)?.q.sum(())
        }),
    ];
    let rows = [[(1.0, 2.0), (-0.5, 0.3)], [(0.7, -1.1), (2.0, 0.4)]];
    for (name, function) in functions {
        let z = rows.concat().into_iter().map(|(re, im)| Complex::new(re, im)).collect();
        let z = Tensor::from_vec(z, [2, 2]).unwrap();
        let tape = Tape::new();
        tape.watch(&z).unwrap();
        let y = tape.record(|| function(&z)).unwrap();
        let error = tape.backward(&y).unwrap_err();
        let GradientError::Undefined { op, line, .. } = reason(&error) else { panic!("{error}") };
        assert_eq!(op, name);
        assert!(line.contains("complex.rs"), "{line}");
    }
}

#[test]
fn real_and_complex_views_may_begin_and_end_at_different_offsets() {
    let x = Tensor::arange(0..9).unwrap().astype(DType::Float64).unwrap();
    let tail = x.slice(s![3..]).unwrap();
    let tape = Tape::new();
    tape.watch(&tail).unwrap();
    let y = tape.record(|| {
        let pairs = x.slice(s![4..8])?.bitcast(DType::Complex128)?.square()?;
        let square = tail.square()?;
        // What both have saved.
        x.slice(s![5..7])?.fill(0.0)?;
        square.sum(())?.add(&pairs.sum(())?.real()?)
    });
    let found = tape.backward(&y.unwrap()).unwrap().wrt(&tail).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [6.0, 16.0, 0.0, 24.0, 0.0, 16.0]);
}

#[test]
fn powers_of_zero_have_the_derivative_zero() {
    for exponent in [2.0, 3.0] {
        let z = tensor![Complex::new(0.0, 0.0), Complex::new(1.0, 0.0)];
        let tape = Tape::new();
        tape.watch(&z).unwrap();
        let y = tape.record(|| z.pow(exponent)?.sum(())?.real()).unwrap();
        let found = values(&tape.backward(&y).unwrap().wrt(&z).unwrap());
        assert_eq!(found[0], Complex::new(0.0, 0.0));
        assert!((found[1] - exponent).norm() < 1e-12);
    }
    // Of the number 0 to a complex power, too.
    let (base, power) = (tensor![Complex::new(0.0, 0.0)], tensor![Complex::new(2.0, 0.5)]);
    let tape = Tape::new();
    tape.watch(&power).unwrap();
    let y = tape.record(|| base.pow(&power)?.sum(())?.real()).unwrap();
    let found = values(&tape.backward(&y).unwrap().wrt(&power).unwrap());
    assert_eq!(found, [Complex::new(0.0, 0.0)]);
}

//! Fourier transforms match their defining sums for every layout, dtype, length and norm.

use crate::zoo::values::{DTypeVisitor, NumericValue, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::fft::{self, Norm};
use belvedere::prelude::*;
use belvedere::{copies, with_num_threads};

const NORMS: [Norm; 3] = [Norm::Backward, Norm::Ortho, Norm::Forward];

/// What becomes of a lane.
type LaneTwin<'a> = dyn Fn(&[Complex<f64>]) -> Vec<Complex<f64>> + 'a;

/// The transform of one lane by its definition.
fn twin(lane: &[Complex<f64>], n: usize, is_inverse: bool, norm: Norm) -> Vec<Complex<f64>> {
    let sign = if is_inverse { 1.0 } else { -1.0 };
    let by = match (norm, is_inverse) {
        (Norm::Ortho, _) => (n as f64).powf(-0.5),
        (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n as f64,
        _ => 1.0,
    };
    let turn = |k: usize| {
        let angle = sign * std::f64::consts::TAU * (k % n) as f64 / n as f64;
        Complex::new(angle.cos(), angle.sin())
    };
    let term = |k: usize, j: usize| lane.get(j).map_or(Complex::default(), |x| x * turn(j * k));
    (0..n).map(|k| (0..n).map(|j| term(k, j)).sum::<Complex<f64>>() * by).collect()
}

/// Half of a transform as a whole one, with ends that are real.
fn whole(half: &[Complex<f64>], n: usize) -> Vec<Complex<f64>> {
    let at = |i: usize| half.get(i).copied().unwrap_or_default();
    let real = |x: Complex<f64>| Complex::new(x.re, 0.0);
    let value = |i: usize| match i {
        0 => real(at(0)),
        i if 2 * i == n => real(at(i)),
        i if 2 * i < n => at(i),
        i => at(n - i).conj(),
    };
    (0..n).map(value).collect()
}

/// Every lane of a tensor along an axis, as complex numbers, with its shape without the axis.
fn lanes(x: &Tensor, axis: usize) -> Vec<Vec<Complex<f64>>> {
    let last = x.move_axis(axis as isize, -1).unwrap().astype(DType::Complex128).unwrap();
    let n = x.shape()[axis];
    let values = last.to_vec::<Complex<f64>>().unwrap();
    let count = x.shape().iter().enumerate().filter(|it| it.0 != axis).map(|it| it.1).product();
    (0..count).map(|i| values[i * n..(i + 1) * n].to_vec()).collect()
}

#[track_caller]
fn assert_lanes(found: &Tensor, axis: usize, expected: &[Vec<Complex<f64>>], case: &str) {
    let close = if found.dtype().real() == DType::Float32 { 1e-5 } else { 1e-13 };
    let found = lanes(found, axis);
    assert_eq!(found.len(), expected.len(), "{case}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len(), "{case}");
        let size = expected.iter().map(|x| x.norm()).fold(1.0, f64::max);
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).norm() <= close * size, "{case}: {found:?} and not {expected:?}");
        }
    }
}

#[test]
fn transforms_match_their_definition_for_every_layout_and_dtype() {
    struct Work(TestRng);

    impl DTypeVisitor for Work {
        fn visit<T: TestElement>(&mut self) {
            let is_complex = matches!(T::from_small(1).numeric_value(), NumericValue::Complex(..));
            for layout in zoo::layouts().iter().filter(|it| it.rank() > 0) {
                let x = GuardedTensor::<T>::small_integers(layout, self.0.below(9)).tensor;
                let axis = self.0.below(x.rank());
                let len = x.shape()[axis];
                let n = *self.0.pick(&[len.max(1), len.max(1), len / 2 + 1, len + 3]);
                let norm = *self.0.pick(&NORMS);
                let (at, case) =
                    (axis as isize, format!("{layout:?} {} {axis} {n} {norm:?}", x.dtype()));
                let each = |f: &LaneTwin<'_>| -> Vec<_> {
                    lanes(&x, axis).iter().map(|lane| f(lane)).collect()
                };
                let y = fft::fft_with(&x, n, at, norm).unwrap();
                assert_lanes(&y, axis, &each(&|lane| twin(lane, n, false, norm)), &case);
                let y = fft::ifft_with(&x, n, at - x.rank() as isize, norm).unwrap();
                assert_lanes(&y, axis, &each(&|lane| twin(lane, n, true, norm)), &case);
                let y = fft::irfft_with(&x, n, at, norm).unwrap();
                assert!(y.dtype().is_floating());
                assert_lanes(&y, axis, &each(&|it| twin(&whole(it, n), n, true, norm)), &case);
                let y = fft::hfft_with(&x, n, at, norm).unwrap();
                assert_lanes(&y, axis, &each(&|it| twin(&whole(it, n), n, false, norm)), &case);
                if is_complex {
                    assert!(fft::rfft_with(&x, n, at, norm).is_err());
                    continue;
                }
                let half = |mut it: Vec<Complex<f64>>| {
                    it.truncate(n / 2 + 1);
                    it
                };
                let y = fft::rfft_with(&x, n, at, norm).unwrap();
                assert_lanes(&y, axis, &each(&|it| half(twin(it, n, false, norm))), &case);
                let y = fft::ihfft_with(&x, n, at, norm).unwrap();
                assert_lanes(&y, axis, &each(&|it| half(twin(it, n, true, norm))), &case);
            }
        }
    }

    for_each_dtype(&mut Work(TestRng::new(1)));
}

#[test]
fn inverse_transform_restores_every_small_length() {
    for n in 1..130usize {
        let x = Tensor::from_fn([n, 3], |i| ((i[0] * 7 + i[1] * 5) % 11) as f64 - 4.0).unwrap();
        let back =
            fft::ifft_with(&fft::fft_with(&x, None, 0, Norm::Ortho).unwrap(), None, 0, Norm::Ortho);
        assert!(
            back.unwrap().real().unwrap().allclose_with(&x, 1e-12, 1e-12).unwrap().holds(),
            "{n}"
        );
        let y = fft::rfft_with(&x, None, 0, Norm::Forward).unwrap();
        assert_eq!(y.shape(), [n / 2 + 1, 3]);
        let back = fft::irfft_with(&y, n, 0, Norm::Forward).unwrap();
        assert!(back.allclose_with(&x, 1e-12, 1e-12).unwrap().holds(), "{n}");
        let y = fft::ihfft_with(&x, None, 0, Norm::Backward).unwrap();
        let back = fft::hfft_with(&y, n, 0, Norm::Backward).unwrap();
        assert!(back.allclose_with(&x, 1e-12, 1e-12).unwrap().holds(), "{n}");
    }
}

#[test]
fn irfft_ignores_impossible_imaginary_parts() {
    let (a, b, c) = (Complex::new(1.0, f64::NAN), Complex::new(2.0, 1.0), Complex::new(3.0, 9.0));
    let y = fft::irfft_with(&tensor![a, b, c], None, 0, Norm::Backward).unwrap();
    let z = fft::irfft_with(
        &tensor![Complex::from(1.0), b, Complex::from(3.0)],
        None,
        0,
        Norm::Backward,
    );
    assert_eq!(y.to_vec::<f64>().unwrap(), z.unwrap().to_vec::<f64>().unwrap());
    // Of an odd number, only the first one is real.
    let y = fft::irfft_with(&tensor![a, b, c], 5, 0, Norm::Backward).unwrap();
    let z =
        fft::irfft_with(&tensor![Complex::from(1.0), b, Complex::from(3.0)], 5, 0, Norm::Backward);
    assert_ne!(y.to_vec::<f64>().unwrap(), z.unwrap().to_vec::<f64>().unwrap());
}

#[test]
fn transforms_over_several_axes_are_successive_transforms() {
    let mut rng = TestRng::new(3);
    for _ in 0..zoo::rounds(60) {
        let shape = [1 + rng.below(5), 1 + rng.below(6), 1 + rng.below(7)];
        let layout = rng.random_layout(&shape, Freedom::Any);
        let x = GuardedTensor::<f64>::small_integers(&layout, 3).tensor;
        let mut axes = [0isize, 1, 2];
        rng.shuffle(&mut axes);
        let axes = &axes[..1 + rng.below(3)];
        let norm = *rng.pick(&NORMS);
        let s: Vec<usize> = axes
            .iter()
            .map(|&k| match rng.below(3) {
                0 => 1 + rng.below(9),
                _ => shape[k as usize],
            })
            .collect();
        let (&last, &n) = (axes.last().unwrap(), s.last().unwrap());
        let step = |mut y: Tensor, f: &dyn Fn(&Tensor, usize, isize) -> Tensor, skip: usize| {
            for (&axis, &n) in axes.iter().zip(&s).rev().skip(skip) {
                y = f(&y, n, axis);
            }
            y
        };
        let same = |x: &Tensor, y: &Tensor| {
            assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()));
            assert!(x.allclose_with(y, 1e-12, 1e-11).unwrap().holds(), "{axes:?} {s:?}");
        };
        let forward = |x: &Tensor, n, axis| fft::fft_with(x, n, axis, norm).unwrap();
        let inverse = |x: &Tensor, n, axis| fft::ifft_with(x, n, axis, norm).unwrap();
        same(
            &fft::fftn_with(&x, Some(&s), Some(axes), norm).unwrap(),
            &step(x.clone(), &forward, 0),
        );
        same(
            &fft::ifftn_with(&x, Some(&s), Some(axes), norm).unwrap(),
            &step(x.clone(), &inverse, 0),
        );
        let half = fft::rfft_with(&x, n, last, norm).unwrap();
        same(&fft::rfftn_with(&x, Some(&s), Some(axes), norm).unwrap(), &step(half, &forward, 1));
        let most = step(x.astype(DType::Complex128).unwrap(), &inverse, 1);
        let back = fft::irfft_with(&most, n, last, norm).unwrap();
        same(&fft::irfftn_with(&x, Some(&s), Some(axes), norm).unwrap(), &back);
    }
    let x = Tensor::ones([2, 4, 6], DType::Float32).unwrap();
    for (two, many) in [
        (
            fft::fft2_with(&x, None, Norm::Ortho),
            fft::fftn_with(&x, None, Some(&[1, 2]), Norm::Ortho),
        ),
        (
            fft::ifft2_with(&x, None, Norm::Ortho),
            fft::ifftn_with(&x, None, Some(&[1, 2]), Norm::Ortho),
        ),
        (
            fft::rfft2_with(&x, None, Norm::Ortho),
            fft::rfftn_with(&x, None, Some(&[1, 2]), Norm::Ortho),
        ),
        (
            fft::irfft2_with(&x, None, Norm::Ortho),
            fft::irfftn_with(&x, None, Some(&[1, 2]), Norm::Ortho),
        ),
    ] {
        let (two, many) = (two.unwrap(), many.unwrap());
        assert_eq!((two.dtype(), two.shape()), (many.dtype(), many.shape()));
        assert_eq!(format!("{two}"), format!("{many}"));
    }
}

#[test]
fn transforms_copy_nothing_and_are_bitwise_equal_for_any_number_of_threads() {
    let x = Tensor::from_fn([40, 50, 30], |i| (i[0] * i[1] + 3 * i[2]) as f32).unwrap();
    let x = x.permute_dims(&[1, 2, 0]).unwrap();
    let all = |n| {
        with_num_threads(n, || {
            let y = fft::fftn(&x).unwrap();
            let z = fft::rfftn_with(&x, Some(&[64, 7]), Some(&[0, 1]), Norm::Backward).unwrap();
            let w = fft::irfft_with(&y, 77, 1, Norm::Ortho).unwrap();
            [y, z]
                .map(|it| it.to_vec::<Complex<f32>>().unwrap())
                .concat()
                .into_iter()
                .map(|it| (it.re.to_bits(), it.im.to_bits()))
                .chain(w.to_vec::<f32>().unwrap().into_iter().map(|it| (it.to_bits(), 0)))
                .collect::<Vec<_>>()
        })
    };
    let one = copies::forbid(|| {
        let y = fft::fftn(&x).map(drop);
        y.and_then(|()| fft::fftshift(&x, ()).map(drop)).unwrap();
        all(1)
    });
    for n in [2, 3, 5, 8] {
        assert!(all(n) == one, "{n} threads");
    }
}

#[test]
fn empty_and_padded_transforms_are_zero_or_empty() {
    let none = Tensor::zeros([0, 5], DType::Float64).unwrap();
    let huge = fft::fft_with(&none, 1 << 40, 1, Norm::Backward).unwrap();
    assert_eq!(huge.shape(), [0, 1 << 40], "no plan is made for lanes that are not there");
    let zeros = fft::rfft_with(&none, 4, 0, Norm::Backward).unwrap();
    assert_eq!(zeros.to_vec::<Complex<f64>>().unwrap(), [Complex::default(); 15]);
    assert_eq!(fft::fftshift(&none, ()).unwrap().shape(), [0, 5]);
    let scalar = tensor![2.5f32].select(0, 0).unwrap();
    let same = fft::fftn(&scalar).unwrap();
    assert_eq!(same.item::<Complex<f32>>().unwrap(), Complex::from(2.5));
    let complex = tensor![Complex::new(1.0f32, 2.0)];
    let copy = fft::fftn_with(&complex, None, Some(&[]), Norm::Backward).unwrap();
    assert_eq!(copy.shares_memory(&complex), Some(false), "always a new tensor");
}

#[test]
fn errors_contain_the_given_values() {
    let x = Tensor::zeros([3, 4], DType::Float64).unwrap();
    let (none, complex) = (x.narrow(1, 0, 0).unwrap(), x.astype(DType::Complex64).unwrap());
    let norm = Norm::Backward;
    let fail = |result: Result<Tensor, Error>, text: &str| {
        assert_eq!(result.unwrap_err().to_string(), text);
    };
    fail(fft::fft_with(&x, None, 2, norm), "axis 2 is out of range: the axes are -2..=1");
    fail(fft::fft_with(&x, 0, 0, norm), "fft needs at least one point, got 0");
    fail(fft::ifft_with(&none, None, 1, norm), "ifft needs at least one point, got 0");
    fail(
        fft::irfft_with(&x.narrow(1, 0, 1).unwrap(), None, 1, norm),
        "irfft needs at least one point, got 0",
    );
    fail(fft::rfft_with(&complex, None, 1, norm), "rfft is not supported for complex64");
    fail(fft::ihfft_with(&complex, None, 1, norm), "ihfft is not supported for complex64");
    fail(fft::rfftn_with(&complex, None, None, norm), "rfftn is not supported for complex64");
    fail(fft::rfftn_with(&x, None, Some(&[]), norm), "rfftn needs at least one axis, got 0");
    fail(fft::irfftn_with(&x, Some(&[]), None, norm), "irfftn needs at least one axis, got 0");
    fail(
        fft::fftn_with(&x, Some(&[1]), Some(&[0, 1]), norm),
        "fftn needs as many lengths as axes, got 1",
    );
    fail(
        fft::fftn_with(&x, Some(&[1, 2, 3]), None, norm),
        "fftn needs as many lengths as axes, got 3",
    );
    fail(fft::fftn_with(&x, Some(&[1, 0]), None, norm), "fftn needs at least one point, got 0");
    fail(fft::fftn_with(&x, None, Some(&[0, -2]), norm), "axis 0 is given twice");
    fail(
        fft::fft2_with(&x.select(0, 0).unwrap(), None, norm),
        "axis -2 is out of range: the axes are -1..=0",
    );
    fail(fft::fftfreq(0), "fftfreq needs at least one point, got 0");
    fail(
        fft::rfftfreq_with(4, 0.0, DType::Float64),
        "rfftfreq needs a spacing other than 0, got 0",
    );
    fail(fft::fftfreq_with(4, 1.0, DType::Int32), "fftfreq is not supported for int32");
    fail(fft::fftshift(&x, [0, 2]), "axis 2 is out of range: the axes are -2..=1");
    for n in [usize::MAX, usize::MAX / 16, 1 << 55] {
        assert!(fft::fft_with(&x, n, 0, norm).is_err() && fft::irfft_with(&x, n, 0, norm).is_err());
        assert!(fft::fftfreq(n).is_err());
    }
    let guard = x.write::<f64>().unwrap();
    assert_eq!(fft::fft_with(&x, None, 0, norm).unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
}

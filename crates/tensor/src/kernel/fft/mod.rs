//! Fourier transforms along an axis.
//!
//! **The problem.** Lanes of any element type and any stride become lanes of complex numbers, or of
//! real ones, longer or shorter than they were.
//!
//! **The plain solution** converts the tensor, pads it, and transforms lane after lane. Here all
//! three happen to one lane at a time: it is converted on the way to where its result belongs, or to a
//! small buffer, and what is missing of it are zeros there. The transforms themselves are those of
//! the `rustfft` and `realfft` crates.
//!
//! The first and the middle number of half a transform are real in theory. What stands in their
//! imaginary parts is ignored, as NumPy does.

mod plans;

pub(crate) use plans::{Kind, forget_plans};

use super::body::Body;
use super::cast::cast;
use super::lanes::{lanes_in_place, lanes_of_bytes};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element, Value};
use num_complex::Complex;
use plans::{Plan, Real, plan};
use std::slice;

/// A transform of lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transform {
    pub kind: Kind,
    pub axis: usize,
    /// How many points it has, real ones if there are some. At least one.
    pub n: usize,
    /// What each result is multiplied by.
    pub scale: f64,
    /// Whether complex numbers are conjugated: before, if real ones result, and otherwise after.
    pub conjugate: bool,
}

impl Transform {
    /// How many numbers of the half of a transform count.
    fn half(&self) -> usize {
        self.n / 2 + 1
    }

    /// How long a lane of the result is.
    pub(crate) fn len(&self) -> usize {
        if self.kind == Kind::FromReal { self.half() } else { self.n }
    }

    /// Additions that an element costs.
    fn cost(&self) -> usize {
        4 + self.n.ilog2() as usize
    }
}

/// Transforms the lanes of `input` into those of `out`.
///
/// The result must be of `float32` or `float64`, complex or real as the kind says, and have the length
/// that the transform gives along its axis; if not, this panics. Complex numbers are not made real.
pub(crate) fn transform<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    transform: Transform,
) -> Written<'x> {
    assert_eq!(out.layout().axes()[transform.axis].len, transform.len(), "length of a transform");
    if out.layout().is_empty() {
        // SAFETY: there are no elements. No plan is made for lanes that there are none of.
        return unsafe { out.written() };
    }
    match out.dtype().real() {
        DType::Float32 => transform_in::<f32>(out, input, transform),
        DType::Float64 => transform_in::<f64>(out, input, transform),
        other => unreachable!("transforms have no {other}"),
    }
}

/// Transforms the lanes of complex numbers where they are. They must be initialised.
pub(crate) fn transform_in_place(out: AnyViewMut<'_>, transform: Transform) {
    assert_eq!(out.layout().axes()[transform.axis].len, transform.n, "length of a transform");
    if out.layout().is_empty() {
        return;
    }
    match out.dtype() {
        DType::Complex64 => in_place::<f32>(out, transform),
        DType::Complex128 => in_place::<f64>(out, transform),
        other => unreachable!("{other} is not transformed in place"),
    }
}

fn in_place<P: Real>(out: AnyViewMut<'_>, transform: Transform)
where
    Complex<P>: Element,
{
    let Plan::Complex(fft) = plan::<P>(transform.kind, transform.n) else {
        unreachable!("real numbers are not transformed in place");
    };
    let scratch = || vec![Complex::<P>::default(); fft.get_inplace_scratch_len()];
    lanes_in_place(out, transform.axis, transform.cost(), scratch, |scratch, lane| {
        fft.process_with_scratch(lane, scratch);
        finish(lane, &transform);
    });
}

fn transform_in<'x, P: Real>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    transform: Transform,
) -> Written<'x>
where
    Complex<P>: Element,
{
    let (from, n_in) = (input.dtype(), input.layout().axes()[transform.axis].len);
    let result = if transform.kind == Kind::ToReal { P::DTYPE } else { Complex::<P>::DTYPE };
    assert_eq!(out.dtype(), result, "type of a transform");
    let (axis, cost) = (transform.axis, transform.cost());
    match plan::<P>(transform.kind, transform.n) {
        Plan::Complex(fft) => {
            let load = Load::<Complex<P>>::new(from, n_in, transform.n);
            let scratch = || vec![Complex::<P>::default(); fft.get_inplace_scratch_len()];
            // SAFETY: the place has `n` numbers, which are all loaded before they are a slice.
            unsafe {
                lanes_of_bytes(out, input, axis, cost, scratch, |scratch, lane, place| {
                    let place = load.lane(place.cast(), lane);
                    fft.process_with_scratch(place, scratch);
                    finish(place, &transform);
                })
            }
        }
        Plan::FromReal(fft) => {
            let load = Load::<P>::new(from, n_in, transform.n);
            let state = || (fft.make_input_vec(), fft.make_scratch_vec());
            // SAFETY: the place has `half` numbers, which are zeros before they are a slice.
            unsafe {
                lanes_of_bytes(out, input, axis, cost, state, |(line, scratch), lane, place| {
                    load.lane(line.as_mut_ptr(), lane);
                    let place = zeros::<Complex<P>>(place, transform.half());
                    let done = fft.process_with_scratch(line, place, scratch);
                    done.expect("the lengths are those of the plan");
                    finish(place, &transform);
                })
            }
        }
        Plan::ToReal(fft) => {
            let load = Load::<Complex<P>>::new(from, n_in, transform.half());
            let state = || (fft.make_input_vec(), fft.make_scratch_vec());
            // SAFETY: the place has `n` numbers, which are zeros before they are a slice.
            unsafe {
                lanes_of_bytes(out, input, axis, cost, state, |(line, scratch), lane, place| {
                    load.lane(line.as_mut_ptr(), lane);
                    make_possible(line, &transform);
                    let place = zeros::<P>(place, transform.n);
                    let done = fft.process_with_scratch(line, place, scratch);
                    done.expect("the lengths are those of the plan, and the ends are real");
                    scale(place, transform.scale);
                })
            }
        }
    }
}

/// How lanes are converted to `T`, cut or filled up with zeros.
struct Load<T> {
    convert: Body<'static, 2>,
    /// How many numbers are taken, and how many there have to be.
    counts: [usize; 2],
    numbers: std::marker::PhantomData<T>,
}

impl<T: Element> Load<T> {
    fn new(from: DType, n_in: usize, n: usize) -> Load<T> {
        assert!(T::DTYPE.is_complex() || !from.is_complex(), "complex numbers are not made real");
        let convert = cast(from, T::DTYPE);
        Load { convert, counts: [n_in.min(n), n], numbers: std::marker::PhantomData }
    }

    /// # Safety
    /// There must be room for the numbers, and a lane of the type and the length of `new`; the two
    /// share no byte.
    unsafe fn lane<'a>(&self, place: *mut T, lane: *const u8) -> &'a mut [T] {
        let [taken, n] = self.counts;
        // SAFETY: the caller's promises; afterwards all `n` numbers are initialised.
        unsafe {
            self.convert.call([place.cast(), lane.cast_mut()], taken, 0);
            place.add(taken).write_bytes(0, n - taken);
            slice::from_raw_parts_mut(place, n)
        }
    }
}

/// # Safety
/// There must be room for so many numbers, aligned for them.
unsafe fn zeros<'a, T: Element>(place: *mut u8, n: usize) -> &'a mut [T] {
    let place = place.cast::<T>();
    // SAFETY: the caller's promise; zeros are a value of every type.
    unsafe {
        place.write_bytes(0, n);
        slice::from_raw_parts_mut(place, n)
    }
}

/// Makes numbers half of a transform of real ones: the ends lose their imaginary parts.
fn make_possible<P: Real>(line: &mut [Complex<P>], transform: &Transform) {
    if transform.conjugate {
        line.iter_mut().for_each(|x| *x = x.conj());
    }
    line[0].im = P::zero();
    if transform.n.is_multiple_of(2) {
        line[transform.n / 2].im = P::zero();
    }
}

/// Scales and conjugates a lane of results.
fn finish<P: Real>(lane: &mut [Complex<P>], transform: &Transform) {
    if transform.scale != 1.0 {
        let by = <P as Element>::from_f64(transform.scale);
        lane.iter_mut().for_each(|x| *x = Complex::new(x.re * by, x.im * by));
    }
    if transform.conjugate {
        lane.iter_mut().for_each(|x| *x = x.conj());
    }
}

fn scale<P: Real>(lane: &mut [P], by: f64) {
    if by != 1.0 {
        let by = <P as Element>::from_f64(by);
        lane.iter_mut().for_each(|x| *x = *x * by);
    }
}

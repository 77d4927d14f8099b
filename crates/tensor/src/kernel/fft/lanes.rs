//! The lanes of a tensor, transformed one by one with a plan.

use super::Transform;
use super::plans::{FftPlan, FftReal, plan};
use crate::cancel::scratch_of;
use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::kernel::lanes::{map_lanes_in_place, map_lanes_of_bytes};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element};
use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

/// Transforms the lanes of `input` into those of `out`.
///
/// # Panics
/// If `out` is not of single or double precision, real or complex as the kind requires; if its axis does
/// not have the length of the transform; if `input` is complex and the transform is of real numbers.
pub(crate) fn transform<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    transform: Transform,
) -> Written<'x> {
    assert_eq!(out.layout().axes()[transform.axis].len, transform.len(), "length of a transform");
    if out.layout().is_empty() {
        // Before a plan is made: it could be larger than memory.
        return out.written_empty();
    }
    match out.dtype().real() {
        DType::Float32 => transform_in::<f32>(out, input, transform),
        DType::Float64 => transform_in::<f64>(out, input, transform),
        other => unreachable!("no transform in {other}"),
    }
}

/// Transforms lanes of complex numbers in place. They must be initialised.
pub(crate) fn transform_in_place(out: AnyViewMut<'_>, transform: Transform) {
    assert_eq!(out.layout().axes()[transform.axis].len, transform.n, "length of a transform");
    if out.layout().is_empty() {
        return;
    }
    match out.dtype() {
        DType::Complex64 => in_place::<f32>(out, transform),
        DType::Complex128 => in_place::<f64>(out, transform),
        other => unreachable!("no transform of {other} in place"),
    }
}

fn in_place<P: FftReal>(out: AnyViewMut<'_>, transform: Transform)
where
    Complex<P>: Element,
{
    let FftPlan::Complex(fft) = plan::<P>(transform.kind, transform.n) else {
        unreachable!("only complex transforms are in place");
    };
    let scratch = |_| scratch_of(Complex::<P>::default(), fft.get_inplace_scratch_len());
    map_lanes_in_place(out, transform.axis, transform.cost(), scratch, |scratch, lane| {
        fft.process_with_scratch(lane, scratch);
        finish(lane, &transform);
    });
}

fn transform_in<'x, P: FftReal>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    transform: Transform,
) -> Written<'x>
where
    Complex<P>: Element,
{
    let from = input.dtype();
    match plan::<P>(transform.kind, transform.n) {
        FftPlan::Complex(fft) => {
            let loader = LaneLoader::<Complex<P>>::new(from);
            let scratch = || scratch_of(Complex::<P>::default(), fft.get_inplace_scratch_len());
            each_lane(out, input, &transform, scratch, |scratch, lane, out| {
                let out = loader.load(out, lane);
                fft.process_with_scratch(out, scratch);
                finish(out, &transform);
                out
            })
        }
        FftPlan::FromReal(fft) => {
            let loader = LaneLoader::<P>::new(from);
            let state = || {
                let line = scratch_of(MaybeUninit::uninit(), transform.n);
                (line, scratch_of(Complex::default(), fft.get_scratch_len()))
            };
            each_lane(out, input, &transform, state, |(line, scratch), lane, out| {
                let (line, out) = (loader.load(line, lane), zeros::<Complex<P>>(out));
                let done = fft.process_with_scratch(line, out, scratch);
                done.expect("the lengths are those of the plan");
                finish(out, &transform);
                out
            })
        }
        FftPlan::ToReal(fft) => {
            let loader = LaneLoader::<Complex<P>>::new(from);
            let state = || {
                let line = scratch_of(MaybeUninit::uninit(), transform.half());
                (line, scratch_of(Complex::default(), fft.get_scratch_len()))
            };
            each_lane(out, input, &transform, state, |(line, scratch), lane, out| {
                let (line, out) = (loader.load(line, lane), zeros::<P>(out));
                make_hermitian(line, &transform);
                let done = fft.process_with_scratch(line, out, scratch);
                done.expect("the lengths are those of the plan, and the ends are real");
                scale(out, transform.scale);
                out
            })
        }
    }
}

/// Calls `f` for each lane of the input and of the output, which it initialises and returns.
///
/// # Panics
/// If the output is not of type `O`, or `f` returns another slice than the lane of the output.
fn each_lane<'x, O: Element, S: Send>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    transform: &Transform,
    state: impl Fn() -> S,
    f: impl for<'a> Fn(&mut S, InputLane<'_>, &'a mut [MaybeUninit<O>]) -> &'a mut [O] + Sync,
) -> Written<'x> {
    assert_eq!(out.dtype(), O::DTYPE, "dtype of a transform");
    let (axis, dtype) = (transform.axis, input.dtype());
    let [n_in, n_out] = [input.layout(), out.layout()].map(|it| it.axes()[axis].len);
    let each = |state: &mut S, first: *const u8, to: *mut u8| {
        let lane = InputLane { first, len: n_in, dtype, memory: PhantomData };
        // SAFETY: `to` is a lane of the output: `n_out` contiguous elements of type `O` (asserted), which are
        // aligned, writable, and accessed by this call only.
        let to = unsafe { slice::from_raw_parts_mut(to.cast::<MaybeUninit<O>>(), n_out) };
        let lane_of_output = to.as_ptr_range();
        let written = f(state, lane, to).as_ptr_range();
        let is_same = written.start == lane_of_output.start.cast()
            && written.end == lane_of_output.end.cast();
        assert!(is_same, "the lane of the output");
    };
    // SAFETY: `each` reads `n_in` elements of one lane of the input, and has initialised all of a lane of the output
    // when it returns (asserted).
    unsafe { map_lanes_of_bytes(out, input, axis, transform.cost(), state, each) }
}

/// A lane of the input.
///
/// Invariant: `len` contiguous elements of `dtype` are readable at `first` for `'a`.
struct InputLane<'a> {
    first: *const u8,
    len: usize,
    dtype: DType,
    memory: PhantomData<&'a u8>,
}

/// Loads lanes: casts them to `T`, and truncates them or pads them with zeros.
struct LaneLoader<T> {
    from: DType,
    convert: Body<'static, 2>,
    element: PhantomData<T>,
}

impl<T: Element> LaneLoader<T> {
    fn new(from: DType) -> LaneLoader<T> {
        assert!(T::DTYPE.is_complex() || !from.is_complex(), "complex to real");
        LaneLoader { from, convert: cast(from, T::DTYPE), element: PhantomData }
    }

    /// Writes the elements of a lane to `to`, and returns it.
    ///
    /// # Panics
    /// If the lane is of another dtype.
    fn load<'a>(&self, to: &'a mut [MaybeUninit<T>], lane: InputLane<'_>) -> &'a mut [T] {
        assert_eq!(lane.dtype, self.from, "dtype of a lane");
        let n_read = lane.len.min(to.len());
        to[n_read..].fill(MaybeUninit::new(T::default()));
        // SAFETY: both have at least `n_read` elements, of the dtypes that `cast` was given; `to` is borrowed
        // exclusively, so they share none. Afterwards all elements of `to` are initialised.
        unsafe {
            self.convert.call([to.as_mut_ptr().cast(), lane.first.cast_mut()], n_read, 0);
            to.assume_init_mut()
        }
    }
}

/// Fills memory with zeros.
fn zeros<T: Element>(to: &mut [MaybeUninit<T>]) -> &mut [T] {
    to.fill(MaybeUninit::new(T::default()));
    // SAFETY: all elements have just been initialised.
    unsafe { to.assume_init_mut() }
}

/// Makes numbers half of a Hermitian sequence, the transform of real numbers: the imaginary parts of the
/// first number and, for even `n`, of the number at `n / 2` are set to zero.
fn make_hermitian<P: FftReal>(line: &mut [Complex<P>], transform: &Transform) {
    if transform.conjugate {
        line.iter_mut().for_each(|x| *x = x.conj());
    }
    line[0].im = P::zero();
    if transform.n.is_multiple_of(2) {
        line[transform.n / 2].im = P::zero();
    }
}

/// Scales and, if the transform says so, conjugates a lane of results.
fn finish<P: FftReal>(lane: &mut [Complex<P>], transform: &Transform) {
    if transform.scale != 1.0 {
        let by = <P as Element>::from_f64(transform.scale);
        lane.iter_mut().for_each(|x| *x = Complex::new(x.re * by, x.im * by));
    }
    if transform.conjugate {
        lane.iter_mut().for_each(|x| *x = x.conj());
    }
}

fn scale<P: FftReal>(lane: &mut [P], by: f64) {
    if by != 1.0 {
        let by = <P as Element>::from_f64(by);
        lane.iter_mut().for_each(|x| *x = *x * by);
    }
}

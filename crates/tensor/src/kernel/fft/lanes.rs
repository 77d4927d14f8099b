//! The lanes of a tensor, transformed one by one with a plan.

use super::plans::{FftPlan, FftReal, plan};
use super::{FftKind, Transform};
use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::kernel::lanes::{lanes_in_place, lanes_of_bytes};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element, Value};
use num_complex::Complex;
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
    let scratch = || vec![Complex::<P>::default(); fft.get_inplace_scratch_len()];
    lanes_in_place(out, transform.axis, transform.cost(), scratch, |scratch, lane| {
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
    let (from, n_in) = (input.dtype(), input.layout().axes()[transform.axis].len);
    let result = if transform.kind == FftKind::ToReal { P::DTYPE } else { Complex::<P>::DTYPE };
    assert_eq!(out.dtype(), result, "dtype of a transform");
    let (axis, cost) = (transform.axis, transform.cost());
    match plan::<P>(transform.kind, transform.n) {
        FftPlan::Complex(fft) => {
            let load = LaneLoader::<Complex<P>>::new(from, n_in, transform.n);
            let scratch = || vec![Complex::<P>::default(); fft.get_inplace_scratch_len()];
            let each = |scratch: &mut Vec<_>, lane: *const u8, out: *mut u8| {
                // SAFETY: `out` has room for `n` numbers and shares no byte with the input lane, which has
                // `n_in` elements of dtype `from`.
                let out = unsafe { load.lane(out.cast(), lane) };
                fft.process_with_scratch(out, scratch);
                finish(out, &transform);
            };
            // SAFETY: `each` reads one input lane and writes all elements of one output lane.
            unsafe { lanes_of_bytes(out, input, axis, cost, scratch, each) }
        }
        FftPlan::FromReal(fft) => {
            let load = LaneLoader::<P>::new(from, n_in, transform.n);
            let state = || (fft.make_input_vec(), fft.make_scratch_vec());
            let each = |(line, scratch): &mut (Vec<_>, Vec<_>), lane: *const u8, out: *mut u8| {
                // SAFETY: the buffer has room for `n` numbers, and `out` for `half`.
                let out = unsafe {
                    load.lane(line.as_mut_ptr(), lane);
                    zeros::<Complex<P>>(out, transform.half())
                };
                let done = fft.process_with_scratch(line, out, scratch);
                done.expect("the lengths are those of the plan");
                finish(out, &transform);
            };
            // SAFETY: as for the complex transform.
            unsafe { lanes_of_bytes(out, input, axis, cost, state, each) }
        }
        FftPlan::ToReal(fft) => {
            let load = LaneLoader::<Complex<P>>::new(from, n_in, transform.half());
            let state = || (fft.make_input_vec(), fft.make_scratch_vec());
            let each = |(line, scratch): &mut (Vec<_>, Vec<_>), lane: *const u8, out: *mut u8| {
                // SAFETY: the buffer has room for `half` numbers, and `out` for `n`.
                let out = unsafe {
                    load.lane(line.as_mut_ptr(), lane);
                    zeros::<P>(out, transform.n)
                };
                make_hermitian(line, &transform);
                let done = fft.process_with_scratch(line, out, scratch);
                done.expect("the lengths are those of the plan, and the ends are real");
                scale(out, transform.scale);
            };
            // SAFETY: as for the complex transform.
            unsafe { lanes_of_bytes(out, input, axis, cost, state, each) }
        }
    }
}

/// Loads lanes: casts them to `T`, and truncates them or pads them with zeros.
struct LaneLoader<T> {
    convert: Body<'static, 2>,
    /// The number of elements that are read.
    n_read: usize,
    /// The number of elements that are written, padding included.
    n: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Element> LaneLoader<T> {
    fn new(from: DType, n_in: usize, n: usize) -> LaneLoader<T> {
        assert!(T::DTYPE.is_complex() || !from.is_complex(), "complex to real");
        let convert = cast(from, T::DTYPE);
        LaneLoader { convert, n_read: n_in.min(n), n, element: std::marker::PhantomData }
    }

    /// # Safety
    /// - `to` must be valid for writes of `n` elements for `'a`.
    /// - `lane` must be valid for reads of `n_in` contiguous elements of dtype `from`.
    /// - The two share no byte.
    unsafe fn lane<'a>(&self, to: *mut T, lane: *const u8) -> &'a mut [T] {
        let &LaneLoader { n_read, n, .. } = self;
        // SAFETY: `n_read` is at most `n_in` and at most `n`, so both pointers are valid (contract);
        // afterwards all `n` elements are initialised.
        unsafe {
            self.convert.call([to.cast(), lane.cast_mut()], n_read, 0);
            to.add(n_read).write_bytes(0, n - n_read);
            slice::from_raw_parts_mut(to, n)
        }
    }
}

/// Fills memory with zeros.
///
/// # Safety
/// `to` must be aligned for `T`, and valid for writes of `n` elements for `'a`.
unsafe fn zeros<'a, T: Element>(to: *mut u8, n: usize) -> &'a mut [T] {
    let to = to.cast::<T>();
    // SAFETY: `to` is aligned and valid for writes (contract); zero bits are a value of every dtype.
    unsafe {
        to.write_bytes(0, n);
        slice::from_raw_parts_mut(to, n)
    }
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

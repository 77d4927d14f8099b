//! Loops over complex elements, for [`Body`](super::body::Body).

use super::body::{BlockCall, Body};
use super::cpu::{BlockLoop, compiled};
use crate::arrays::array_of;
use crate::dtype::{MulAdd, Number};
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// The complex elements that are computed together. A loop over single ones is vectorized by gathering the real and the
/// imaginary parts of 4 elements in separate vectors, which takes more instructions than the arithmetic. Eight elements are
/// too many for that, and the compiler keeps the parts interleaved: `x * y` of 3000 elements takes 1.0 µs instead of 1.6.
const COMPLEX_GROUP: usize = 8;

/// A function of one complex element.
pub(super) struct GroupedUnaryLoop<A, O, F>(PhantomData<(A, O, F)>);

impl<A: Element, O: Element, F: Fn(A) -> O> BlockLoop for GroupedUnaryLoop<A, O, F> {
    type Args<'a> = BlockCall<2>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let (out, a) = (call.blocks[0].cast::<O>(), call.blocks[1].cast::<A>());
        let mut i = 0;
        // SAFETY: the context is an `F`, and both blocks have `len` elements (`Body::call`). An array is as aligned as its
        // elements.
        unsafe {
            let f = &*call.context.cast::<F>();
            while call.len - i >= COMPLEX_GROUP {
                let x = a.add(i).cast::<[A; COMPLEX_GROUP]>().read();
                out.add(i).cast::<[O; COMPLEX_GROUP]>().write(array_of(|k| f(x[k])));
                i += COMPLEX_GROUP;
            }
            while i < call.len {
                out.add(i).write(f(a.add(i).read()));
                i += 1;
            }
        }
    }
}

/// A function of two complex elements.
pub(super) struct GroupedBinaryLoop<A, B, O, F>(PhantomData<(A, B, O, F)>);

impl<A, B, O, F> BlockLoop for GroupedBinaryLoop<A, B, O, F>
where
    A: Element,
    B: Element,
    O: Element,
    F: Fn(A, B) -> O,
{
    type Args<'a> = BlockCall<3>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, a, b] = call.blocks;
        let (out, a, b) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>());
        let mut i = 0;
        // SAFETY: the context is an `F`, and all blocks have `len` elements (`Body::call`). An array is as aligned as its
        // elements.
        unsafe {
            let f = &*call.context.cast::<F>();
            while call.len - i >= COMPLEX_GROUP {
                let x = a.add(i).cast::<[A; COMPLEX_GROUP]>().read();
                let y = b.add(i).cast::<[B; COMPLEX_GROUP]>().read();
                out.add(i).cast::<[O; COMPLEX_GROUP]>().write(array_of(|k| f(x[k], y[k])));
                i += COMPLEX_GROUP;
            }
            while i < call.len {
                out.add(i).write(f(a.add(i).read(), b.add(i).read()));
                i += 1;
            }
        }
    }
}

/// The complex conjugate of `complex64`, as one integer for each element: in a loop over both parts, the compiler
/// separates them first, which takes twice as long.
pub(super) struct ConjugateLoop;

impl BlockLoop for ConjugateLoop {
    type Args<'a> = BlockCall<2>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let (out, a) = (call.blocks[0].cast::<[u32; 2]>(), call.blocks[1].cast::<[u32; 2]>());
        // The imaginary part is the second.
        let sign = if cfg!(target_endian = "little") { 1_u64 << 63 } else { 1 << 31 };
        let mut i = 0;
        while i < call.len {
            // SAFETY: both blocks have `len` elements of two floats (`Body::call`).
            unsafe {
                let bits = a.add(i).cast::<u64>().read_unaligned() ^ sign;
                out.add(i).cast::<u64>().write_unaligned(bits);
            }
            i += 1;
        }
    }
}

/// Returns the body of the complex conjugate of `complex64`.
pub(crate) fn conjugate() -> Body<'static, 2> {
    Body::new([DType::Complex64; 2], &(), compiled::<ConjugateLoop>())
}

/// `z / |z|` of `complex64`. In `f64` the squares of the parts neither overflow nor underflow.
pub(super) struct SignLoop;

impl BlockLoop for SignLoop {
    type Args<'a> = BlockCall<2>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        type Group = [Complex<f32>; COMPLEX_GROUP];
        let [out, a] = call.blocks.map(<*mut u8>::cast::<Complex<f32>>);
        let mut i = 0;
        // SAFETY: both blocks have `len` elements (`Body::call`). An array is as aligned as its elements.
        unsafe {
            while call.len - i >= COMPLEX_GROUP {
                let z = a.add(i).cast::<Group>().read();
                let squares: [f64; COMPLEX_GROUP] = array_of(|k| square_of_norm(z[k]));
                let are_regular = squares.into_iter().fold(true, |all, it| all & is_regular(it));
                let group: Group = match are_regular {
                    true => array_of(|k| divided(z[k], squares[k].sqrt())),
                    false => array_of(|k| sign_of(z[k])),
                };
                out.add(i).cast::<Group>().write(group);
                i += COMPLEX_GROUP;
            }
            while i < call.len {
                out.add(i).write(sign_of(a.add(i).read()));
                i += 1;
            }
        }
    }
}

#[inline(always)]
fn square_of_norm(z: Complex<f32>) -> f64 {
    let (re, im) = (f64::from(z.re), f64::from(z.im));
    re * re + im * im
}

/// Whether the square of a norm is neither zero nor infinite nor a NaN.
#[inline(always)]
fn is_regular(square: f64) -> bool {
    (square > 0.0) & (square < f64::INFINITY)
}

#[inline(always)]
fn divided(z: Complex<f32>, norm: f64) -> Complex<f32> {
    let part = |x: f32| (f64::from(x) / norm) as f32;
    Complex::new(part(z.re), part(z.im))
}

/// Returns the sign of one element: the same bits as in a group.
#[inline(always)]
fn sign_of(z: Complex<f32>) -> Complex<f32> {
    let square = square_of_norm(z);
    if is_regular(square) { divided(z, square.sqrt()) } else { z.sign() }
}

/// Returns the body of the sign of `complex64`.
pub(crate) fn complex_sign() -> Body<'static, 2> {
    Body::new([DType::Complex64; 2], &(), compiled::<SignLoop>())
}

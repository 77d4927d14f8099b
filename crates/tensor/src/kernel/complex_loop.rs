//! Loops over complex elements, for [`Body`](super::body::Body).

use super::body::BlockCall;
use super::cpu::BlockLoop;
use crate::Element;
use crate::arrays::array_of;
use crate::dtype::MulAdd;
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

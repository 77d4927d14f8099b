//! Bodies of functions with many arithmetic instructions per element: exponentials, logarithms, sines.
//!
//! They are compiled for AVX-512 as well. Functions that use FMA come as two closures with the same results bit for
//! bit: one for instruction sets that have the instruction, one that emulates it.

use super::body::{BlockCall, Body, TernaryLoop, zero_sized};
use super::cpu::{BlockLoop, Level, baseline, compiled, level};
use crate::Element;
use crate::dtype::MulAdd;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

impl Body<'static, 2> {
    /// Makes a body of a function of one element, with FMA instructions and without.
    pub(crate) fn unary_fused<A: Element, O: Element, F, G>(
        fused: F,
        emulated: G,
    ) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
        G: Fn(A) -> O + Copy + Sync + 'static,
    {
        let run = compiled::<UnaryFused<A, O, F, G>>();
        Body::new([O::DTYPE, A::DTYPE], zero_sized((fused, emulated)), run)
    }

    /// Makes a body of a function with a fast path for the elements that are `in_fast_range`. `fast` is called for
    /// all elements of a chunk, and `slow` for those that are not. Both are functions of the element
    /// alone, so that the result does not depend on its neighbours.
    pub(crate) fn unary_with_fast_path<A: Element, O: Element, P, F, G>(
        in_fast_range: P,
        fast: F,
        slow: G,
    ) -> Body<'static, 2>
    where
        P: Fn(A) -> bool + Copy + Sync + 'static,
        F: Fn(A) -> O + Copy + Sync + 'static,
        G: Fn(A) -> O + Copy + Sync + 'static,
    {
        let run = compiled::<UnaryFastPath<A, O, P, F, G>>();
        Body::new([O::DTYPE, A::DTYPE], zero_sized((in_fast_range, fast, slow)), run)
    }
}

impl Body<'static, 3> {
    /// Makes a body of a function of two elements, with FMA instructions and without.
    pub(crate) fn binary_fused<A: Element, B: Element, O: Element, F, G>(
        fused: F,
        emulated: G,
    ) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
        G: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let run = compiled::<BinaryFused<A, B, O, F, G>>();
        Body::new([O::DTYPE, A::DTYPE, B::DTYPE], zero_sized((fused, emulated)), run)
    }
}

impl Body<'static, 4> {
    /// Makes a body of a function of three elements, with FMA instructions and without.
    pub(crate) fn ternary_fused<A: Element, B: Element, C: Element, O: Element, F, G>(
        fused: F,
        emulated: G,
    ) -> Body<'static, 4>
    where
        F: Fn(A, B, C) -> O + Copy + Sync + 'static,
        G: Fn(A, B, C) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE];
        match level() {
            Level::Baseline => {
                Body::new(types, zero_sized(emulated), baseline::<TernaryLoop<A, B, C, O, G>>)
            }
            #[cfg(target_arch = "x86_64")]
            _ => Body::ternary(fused),
        }
    }
}

/// Elements that are copied into a buffer at once. Few enough to stay in the L1 cache, and for one element that takes
/// the slow path not to slow many down.
const CHUNK_ELEMENTS: usize = 256;

/// A function of one element, with FMA instructions and without.
struct UnaryFused<A, O, F, G>(PhantomData<(A, O, F, G)>);

impl<A: Element, O: Element, F: Fn(A) -> O, G: Fn(A) -> O> BlockLoop for UnaryFused<A, O, F, G> {
    type Args<'a> = BlockCall<2>;

    // Half-precision floats have one copy: with their conversions the function is so long that it is inlined where
    // it is called once, and not if it is called twice.
    const HAS_AVX512: bool = size_of::<A>() > 2;

    /// # Safety
    /// That of `Body::call`, with an `(F, G)` as the context.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            let (fused, emulated) = &*call.context.cast::<(F, G)>();
            if const { M::IS_INSTRUCTION } {
                chunks(fused, |_, _| (), call);
            } else {
                chunks(emulated, |_, _| (), call);
            }
        }
    }
}

/// A function of one element with a fast path.
struct UnaryFastPath<A, O, P, F, G>(PhantomData<(A, O, P, F, G)>);

impl<A: Element, O: Element, P, F, G> BlockLoop for UnaryFastPath<A, O, P, F, G>
where
    P: Fn(A) -> bool,
    F: Fn(A) -> O,
    G: Fn(A) -> O,
{
    type Args<'a> = BlockCall<2>;

    const HAS_AVX512: bool = true;

    /// # Safety
    /// That of `Body::call`, with a `(P, F, G)` as the context.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            let (in_fast_range, fast, slow) = &*call.context.cast::<(P, F, G)>();
            let correct = |xs: &[A], results: &mut [O]| {
                if !xs.iter().fold(true, |all, x| all & in_fast_range(*x)) {
                    for (x, result) in xs.iter().zip(results) {
                        if !in_fast_range(*x) {
                            *result = slow(*x);
                        }
                    }
                }
            };
            chunks(fast, correct, call);
        }
    }
}

/// Computes `f` of each element, chunk by chunk. `after` is called with the inputs and the results of each chunk.
///
/// There is one loop, also for an input that is the output, because the input is copied to a buffer first: a function
/// this long is not inlined where it is called in several places, and a call is not vectorized.
///
/// # Safety
/// That of `Body::call`, whatever the context is.
#[inline(always)]
unsafe fn chunks<A: Element, O: Element>(
    f: impl Fn(A) -> O,
    after: impl Fn(&[A], &mut [O]),
    BlockCall { blocks: [out, a], len, .. }: BlockCall<2>,
) {
    let (out, a) = (out.cast::<O>(), a.cast::<A>());
    let mut xs = [const { MaybeUninit::<A>::uninit() }; CHUNK_ELEMENTS];
    let mut first = 0;
    while first < len {
        let n = CHUNK_ELEMENTS.min(len - first);
        // SAFETY: the chunk lies in the blocks, which have `len` elements. The first `n` elements of the buffer
        // are written before they are read, and so are those of the output.
        unsafe {
            xs.as_mut_ptr().cast::<A>().copy_from_nonoverlapping(a.add(first), n);
            let xs = slice::from_raw_parts(xs.as_ptr().cast::<A>(), n);
            for (i, x) in xs.iter().enumerate() {
                out.add(first + i).write(f(*x));
            }
            after(xs, slice::from_raw_parts_mut(out.add(first), n));
        }
        first += n;
    }
}

/// A function of two elements, with FMA instructions and without.
struct BinaryFused<A, B, O, F, G>(PhantomData<(A, B, O, F, G)>);

impl<A: Element, B: Element, O: Element, F, G> BlockLoop for BinaryFused<A, B, O, F, G>
where
    F: Fn(A, B) -> O,
    G: Fn(A, B) -> O,
{
    type Args<'a> = BlockCall<3>;

    /// # Safety
    /// That of `Body::call`, with an `(F, G)` as the context.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            let (fused, emulated) = &*call.context.cast::<(F, G)>();
            if const { M::IS_INSTRUCTION } {
                binary_chunks(fused, call);
            } else {
                binary_chunks(emulated, call);
            }
        }
    }
}

/// Computes `f` of each pair of elements, chunk by chunk: one loop for inputs that are broadcast, inputs that are the
/// output, and all others, because they are copied to buffers first (see [`chunks`]).
///
/// # Safety
/// That of `Body::call`, whatever the context is.
#[inline(always)]
unsafe fn binary_chunks<A: Element, B: Element, O: Element>(
    f: impl Fn(A, B) -> O,
    BlockCall { blocks: [out, a, b], len, broadcast, .. }: BlockCall<3>,
) {
    let (out, a, b) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>());
    let mut xs = [const { MaybeUninit::<A>::uninit() }; CHUNK_ELEMENTS];
    let mut ys = [const { MaybeUninit::<B>::uninit() }; CHUNK_ELEMENTS];
    let (is_a_broadcast, is_b_broadcast) = (broadcast & 0b010 != 0, broadcast & 0b100 != 0);
    // SAFETY: a block that is broadcast has one element. Blocks without elements are not read.
    unsafe {
        if is_a_broadcast && len > 0 {
            xs.fill(MaybeUninit::new(a.read()));
        }
        if is_b_broadcast && len > 0 {
            ys.fill(MaybeUninit::new(b.read()));
        }
    }
    let mut first = 0;
    while first < len {
        let n = CHUNK_ELEMENTS.min(len - first);
        // SAFETY: the chunk lies in the blocks, which have `len` elements. The first `n` elements of both buffers
        // have been written when they are read: here, or above.
        unsafe {
            if !is_a_broadcast {
                xs.as_mut_ptr().cast::<A>().copy_from_nonoverlapping(a.add(first), n);
            }
            if !is_b_broadcast {
                ys.as_mut_ptr().cast::<B>().copy_from_nonoverlapping(b.add(first), n);
            }
            for i in 0..n {
                let value = f(xs[i].assume_init(), ys[i].assume_init());
                out.add(first + i).write(value);
            }
        }
        first += n;
    }
}

//! Bodies of functions with many arithmetic instructions per element: exponentials, logarithms, sines.
//!
//! They are compiled for AVX-512 as well. Functions that use FMA come as two closures with the same results bit for
//! bit: one for instruction sets that have the instruction, one that emulates it.

use super::body::{BinaryLoop, BlockCall, Body, TernaryLoop, UnaryLoop, zero_sized};
use super::cpu::{BlockLoop, compiled, compiled_fused};
use super::raw_slice::RawSlice;
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
        let run = compiled_fused::<UnaryFused<A, O, F>, UnaryFused<A, O, G>>();
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
        let run = compiled_fused::<BinaryFused<A, B, O, F>, BinaryFused<A, B, O, G>>();
        Body::new([O::DTYPE, A::DTYPE, B::DTYPE], zero_sized((fused, emulated)), run)
    }

    /// Makes a body of a function with a fast path, as [`Body::unary_with_fast_path`] does, with FMA instructions and
    /// without.
    pub(crate) fn binary_with_fast_path<T: Element, P, F, E, G>(
        in_fast_range: P,
        fused: F,
        emulated: E,
        slow: G,
    ) -> Body<'static, 3>
    where
        P: Fn(T, T) -> bool + Copy + Sync + 'static,
        F: Fn(T, T) -> T + Copy + Sync + 'static,
        E: Fn(T, T) -> T + Copy + Sync + 'static,
        G: Fn(T, T) -> T + Copy + Sync + 'static,
    {
        let run = compiled_fused::<BinaryFastPath<T, P, F, G>, BinaryFastPath<T, P, E, G>>();
        let context = zero_sized((in_fast_range, fused, emulated, slow));
        Body::new([T::DTYPE; 3], context, run)
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
        let run = compiled_fused::<TernaryLoop<A, B, C, O, F>, TernaryLoop<A, B, C, O, G>>();
        Body::new(types, zero_sized((fused, emulated)), run)
    }
}

/// A function of one element, with FMA instructions or without. There is one loop, also for an input that is the output
/// (it is staged): a function this long is not inlined where it is called in several places, and a call is not
/// vectorized.
struct UnaryFused<A, O, F>(PhantomData<(A, O, F)>);

impl<A: Element, O: Element, F: Fn(A) -> O> BlockLoop for UnaryFused<A, O, F> {
    type Args<'a> = BlockCall<2>;

    // Half-precision floats have no copy: their conversions take most of the time.
    const HAS_AVX512: bool = size_of::<A>() > 2;

    /// # Safety
    /// That of `Body::call`, with an `F` as the context; the input is not the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        // SAFETY: forwarded: same contract as this function.
        unsafe { UnaryLoop::<A, O, F, false>::run::<M>(call) }
    }
}

/// A function of two elements, with FMA instructions or without.
struct BinaryFused<A, B, O, F>(PhantomData<(A, B, O, F)>);

impl<A: Element, B: Element, O: Element, F: Fn(A, B) -> O> BlockLoop for BinaryFused<A, B, O, F> {
    type Args<'a> = BlockCall<3>;

    const HAS_AVX512: bool = size_of::<A>() > 2;

    /// # Safety
    /// That of `Body::call`, with an `F` as the context; no block is broadcast, and no input is the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        // SAFETY: forwarded: same contract as this function.
        unsafe { BinaryLoop::<A, B, O, F, false>::run::<M>(call) }
    }
}

/// Elements that are computed before those outside of the fast range are corrected. Few enough to stay in the L1
/// cache, and for one element that takes the slow path not to slow many down.
const CHUNK_ELEMENTS: usize = 256;

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
    /// That of `Body::call`, with a `(P, F, G)` as the context; the input is not the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let [out, a] = call.blocks;
        // SAFETY: the context is a `(P, F, G)`, and both blocks have `len` elements and share none (`Body::call`). Every
        // type is valid for `MaybeUninit`.
        let ((in_fast_range, fast, slow), xs, results) = unsafe {
            (
                &*call.context.cast::<(P, F, G)>(),
                RawSlice::new(a.cast::<A>(), call.len),
                slice::from_raw_parts_mut(out.cast::<MaybeUninit<O>>(), call.len),
            )
        };
        for (i, results) in results.chunks_mut(CHUNK_ELEMENTS).enumerate() {
            let xs = xs.part(i * CHUNK_ELEMENTS, CHUNK_ELEMENTS);
            for (x, result) in xs.iter().zip(&mut *results) {
                result.write(fast(x));
            }
            if !xs.iter().fold(true, |all, x| all & in_fast_range(x)) {
                for (x, result) in xs.iter().zip(results) {
                    if !in_fast_range(x) {
                        result.write(slow(x));
                    }
                }
            }
        }
    }
}

/// A function of two elements with a fast path.
struct BinaryFastPath<T, P, F, G>(PhantomData<(T, P, F, G)>);

impl<T: Element, P, F, G> BlockLoop for BinaryFastPath<T, P, F, G>
where
    P: Fn(T, T) -> bool,
    F: Fn(T, T) -> T,
    G: Fn(T, T) -> T,
{
    type Args<'a> = BlockCall<3>;

    const HAS_AVX512: bool = true;

    /// # Safety
    /// That of `Body::call`, with functions `P`, `F` and `G` that have no size; no block is broadcast, and no input is the
    /// output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, a, b] = call.blocks;
        // SAFETY: the three functions have no size (`zero_sized` in `Body::binary_with_fast_path`), so that any aligned
        // address is one of theirs. The blocks have `len` elements, and the inputs share none with the output
        // (`Body::call`). Every type is valid for `MaybeUninit`.
        let ((in_fast_range, fast, slow), xs, ys, results) = unsafe {
            (
                &*call.context.cast::<(P, F, G)>(),
                RawSlice::new(a.cast::<T>(), call.len),
                RawSlice::new(b.cast::<T>(), call.len),
                slice::from_raw_parts_mut(out.cast::<MaybeUninit<T>>(), call.len),
            )
        };
        for (i, results) in results.chunks_mut(CHUNK_ELEMENTS).enumerate() {
            let first = i * CHUNK_ELEMENTS;
            let (xs, ys) = (xs.part(first, CHUNK_ELEMENTS), ys.part(first, CHUNK_ELEMENTS));
            let pairs = xs.iter().zip(ys.iter());
            for ((x, y), result) in pairs.clone().zip(&mut *results) {
                result.write(fast(x, y));
            }
            if !pairs.clone().fold(true, |all, (x, y)| all & in_fast_range(x, y)) {
                for ((x, y), result) in pairs.zip(results) {
                    if !in_fast_range(x, y) {
                        result.write(slow(x, y));
                    }
                }
            }
        }
    }
}

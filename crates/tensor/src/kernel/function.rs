//! Bodies of functions with many arithmetic instructions per element: exponentials, logarithms, sines.
//!
//! They are compiled for AVX-512 as well. A function is a type with a method that is generic over the FMA of the instruction set. It is
//! no closure: one that is called in two copies of a loop is compiled once, for the baseline, and not inlined into either.
//!
//! Half-precision floats are converted to `f32` block by block, and computed by the loop for `f32`: it is compiled once, and
//! the conversions are vectorized.

use super::body::{BlockCall, Body, RunBlock, zero_sized};
use super::cpu::{BlockLoop, compiled};
use super::half_blocks::{narrow_loop, widen_loop};
use super::raw_slice::RawSlice;
use crate::Element;
use crate::dtype::MulAdd;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

/// A function of one element. Its methods must be `#[inline(always)]`, and so must everything that they call.
pub(crate) trait UnaryFunction<A, O = A>: 'static {
    fn call<M: MulAdd>(x: A) -> O;
}

/// A function of two elements, as [`UnaryFunction`].
pub(crate) trait BinaryFunction<T>: 'static {
    fn call<M: MulAdd>(x: T, y: T) -> T;
}

/// A function of three elements, as [`UnaryFunction`].
pub(crate) trait TernaryFunction<T>: 'static {
    fn call<M: MulAdd>(x: T, y: T, z: T) -> T;
}

/// A function of one element with a fast path. Both paths are functions of the element alone, so that the result does not depend on its
/// neighbours.
pub(crate) trait FastPathFunction<T>: 'static {
    /// Whether the fast path is accurate for the element.
    fn in_fast_range(x: T) -> bool;

    /// Returns the value for an element in the fast range, without branches. Called for all elements of a chunk.
    fn fast<M: MulAdd>(x: T) -> T;

    /// Returns the value for any element.
    fn slow(x: T) -> T;
}

/// A function of two elements, as [`FastPathFunction`].
pub(crate) trait BinaryFastPathFunction<T>: 'static {
    /// Whether the fast path is accurate for the elements.
    fn in_fast_range(x: T, y: T) -> bool;

    /// Returns the value for elements in the fast range, without branches.
    fn fast<M: MulAdd>(x: T, y: T) -> T;

    /// Returns the value for any elements.
    fn slow(x: T, y: T) -> T;
}

/// Whether elements are computed as another type.
const fn is_widened<E: Element>() -> bool {
    size_of::<E>() != size_of::<E::Wide>()
}

impl Body<'static, 2> {
    /// Makes a body of a function of one element.
    pub(crate) fn unary_fused<E: Element, F: UnaryFunction<E::Wide>>() -> Body<'static, 2> {
        let run: RunBlock<2> = match const { is_widened::<E>() } {
            true => widened::<E, UnaryFused<E::Wide, E::Wide, F>, 2>,
            false => compiled::<UnaryFused<E::Wide, E::Wide, F>>(),
        };
        Body::new([E::DTYPE; 2], zero_sized(()), run)
    }

    /// Makes a body of a function from one dtype to another.
    pub(crate) fn unary_fused_to<A: Element, O: Element, F>() -> Body<'static, 2>
    where
        F: UnaryFunction<A, O>,
    {
        Body::new([O::DTYPE, A::DTYPE], zero_sized(()), compiled::<UnaryFused<A, O, F>>())
    }

    /// Makes a body of a function with a fast path.
    pub(crate) fn unary_with_fast_path<E: Element, F>() -> Body<'static, 2>
    where
        F: FastPathFunction<E::Wide>,
    {
        let run: RunBlock<2> = match const { is_widened::<E>() } {
            true => widened::<E, UnaryFastPath<E::Wide, F>, 2>,
            false => compiled::<UnaryFastPath<E::Wide, F>>(),
        };
        Body::new([E::DTYPE; 2], zero_sized(()), run)
    }
}

impl Body<'static, 3> {
    /// Makes a body of a function of two elements.
    pub(crate) fn binary_fused<E: Element, F: BinaryFunction<E::Wide>>() -> Body<'static, 3> {
        let run: RunBlock<3> = match const { is_widened::<E>() } {
            true => widened::<E, BinaryFused<E::Wide, F>, 3>,
            false => compiled::<BinaryFused<E::Wide, F>>(),
        };
        Body::new([E::DTYPE; 3], zero_sized(()), run)
    }

    /// Makes a body of a function of two elements with a fast path.
    pub(crate) fn binary_with_fast_path<T: Element, F>() -> Body<'static, 3>
    where
        F: BinaryFastPathFunction<T>,
    {
        Body::new([T::DTYPE; 3], zero_sized(()), compiled::<BinaryFastPath<T, F>>())
    }
}

impl Body<'static, 4> {
    /// Makes a body of a function of three elements.
    pub(crate) fn ternary_fused<E: Element, F: TernaryFunction<E::Wide>>() -> Body<'static, 4> {
        let run: RunBlock<4> = match const { is_widened::<E>() } {
            true => widened::<E, TernaryFused<E::Wide, F>, 4>,
            false => compiled::<TernaryFused<E::Wide, F>>(),
        };
        Body::new([E::DTYPE; 4], zero_sized(()), run)
    }
}

/// Elements that are converted at a time: all buffers stay in the L1 cache.
const WIDENED_ELEMENTS: usize = 1024;

/// Converted elements. The size is no multiple of 4 KiB: loads from one buffer would otherwise wait for stores to the other (4K
/// aliasing).
#[repr(align(64))]
struct WideBuffer<W>([MaybeUninit<W>; WIDENED_ELEMENTS + 16]);

/// Runs a loop over elements of type `E::Wide` on elements of type `E`.
///
/// # Safety
/// That of `Body::call` for blocks of type `E`; no block is broadcast.
unsafe fn widened<E: Element, L, const N: usize>(call: BlockCall<N>)
where
    L: for<'a> BlockLoop<Args<'a> = BlockCall<N>>,
{
    // SAFETY: forwarded: same contract as this function.
    unsafe { call_widened::<E, N>(call, compiled::<L>()) }
}

/// Converts blocks to `E::Wide`, calls `run` on them, and converts the result back, part by part.
///
/// Not generic over the function, so that it is compiled once for each type and number of operands.
///
/// # Safety
/// - That of `Body::call` for blocks of type `E`; no block is broadcast.
/// - `run` must accept blocks of type `E::Wide` that are not broadcast, and whose inputs are not the output, and write the whole output.
#[inline(never)]
unsafe fn call_widened<E: Element, const N: usize>(call: BlockCall<N>, run: RunBlock<N>) {
    let (widen, narrow) = (widen_loop::<E>(), narrow_loop::<E>());
    let mut buffers = [const { WideBuffer::<E::Wide>([const { MaybeUninit::uninit() }; _]) }; N];
    let blocks = buffers.each_mut().map(|buffer| buffer.0.as_mut_ptr().cast::<E::Wide>());
    for first in (0..call.len).step_by(WIDENED_ELEMENTS) {
        let len = WIDENED_ELEMENTS.min(call.len - first);
        // SAFETY: `len` elements from `first` on are in each block, and a buffer has room for as many; the buffers are disjoint
        // from the blocks and from each other. The inputs are initialised by `widen` before `run` reads them, and the
        // output by `run` before `narrow` reads it.
        unsafe {
            for (block, buffer) in call.blocks.into_iter().zip(blocks).skip(1) {
                widen((block.cast::<E>().add(first), buffer, len));
            }
            run(BlockCall { blocks: blocks.map(|block| block.cast()), len, broadcast: 0, ..call });
            narrow((blocks[0], call.blocks[0].cast::<E>().add(first), len));
        }
    }
}

/// Whether loops over elements of this type are vectorized: functions of complex numbers are calls. They are the types with two parts.
const fn has_vectors<T: 'static>() -> bool {
    align_of::<T>() == size_of::<T>()
}

/// A function of one element. There is one loop, also for an input that is the output (it is staged).
struct UnaryFused<A, O, F>(PhantomData<(A, O, F)>);

impl<A: Copy + 'static, O: 'static, F: UnaryFunction<A, O>> BlockLoop for UnaryFused<A, O, F> {
    type Args<'a> = BlockCall<2>;

    const HAS_AVX2: bool = has_vectors::<A>() || has_vectors::<O>();
    const HAS_AVX512: bool = Self::HAS_AVX2;

    /// # Safety
    /// That of `Body::call`; the input is not the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let [out, a] = call.blocks;
        let (out, a) = (out.cast::<O>(), a.cast::<A>());
        let mut i = 0;
        while i < call.len {
            // SAFETY: both blocks have `len` elements (`Body::call`).
            unsafe { out.add(i).write(F::call::<M>(a.add(i).read())) };
            i += 1;
        }
    }
}

/// A function of two elements.
struct BinaryFused<T, F>(PhantomData<(T, F)>);

impl<T: Copy + 'static, F: BinaryFunction<T>> BlockLoop for BinaryFused<T, F> {
    type Args<'a> = BlockCall<3>;

    const HAS_AVX2: bool = has_vectors::<T>();
    const HAS_AVX512: bool = Self::HAS_AVX2;

    /// # Safety
    /// That of `Body::call`; no block is broadcast, and no input is the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, a, b] = call.blocks.map(|block| block.cast::<T>());
        let mut i = 0;
        while i < call.len {
            // SAFETY: all blocks have `len` elements (`Body::call`).
            unsafe { out.add(i).write(F::call::<M>(a.add(i).read(), b.add(i).read())) };
            i += 1;
        }
    }
}

/// A function of three elements.
struct TernaryFused<T, F>(PhantomData<(T, F)>);

impl<T: Copy + 'static, F: TernaryFunction<T>> BlockLoop for TernaryFused<T, F> {
    type Args<'a> = BlockCall<4>;

    const HAS_AVX2: bool = has_vectors::<T>();
    const HAS_AVX512: bool = Self::HAS_AVX2;

    /// # Safety
    /// That of `Body::call`; no block is broadcast, and no input is the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<4>) {
        let [out, a, b, c] = call.blocks.map(|block| block.cast::<T>());
        let mut i = 0;
        while i < call.len {
            // SAFETY: all blocks have `len` elements (`Body::call`).
            unsafe {
                let (x, y, z) = (a.add(i).read(), b.add(i).read(), c.add(i).read());
                out.add(i).write(F::call::<M>(x, y, z));
            }
            i += 1;
        }
    }
}

/// Elements that are computed before those outside of the fast range are corrected. Few enough to stay in the L1
/// cache, and for one element that takes the slow path not to slow many down.
const CHUNK_ELEMENTS: usize = 256;

/// A function of one element with a fast path.
struct UnaryFastPath<T, F>(PhantomData<(T, F)>);

impl<T: Copy + 'static, F: FastPathFunction<T>> BlockLoop for UnaryFastPath<T, F> {
    type Args<'a> = BlockCall<2>;

    const HAS_AVX2: bool = has_vectors::<T>();
    const HAS_AVX512: bool = Self::HAS_AVX2;

    /// # Safety
    /// That of `Body::call`; the input is not the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let [out, a] = call.blocks;
        // SAFETY: both blocks have `len` elements and share none (`Body::call`). Every type is valid for `MaybeUninit`.
        let (xs, results) = unsafe {
            (
                RawSlice::new(a.cast::<T>(), call.len),
                slice::from_raw_parts_mut(out.cast::<MaybeUninit<T>>(), call.len),
            )
        };
        for (i, results) in results.chunks_mut(CHUNK_ELEMENTS).enumerate() {
            let xs = xs.part(i * CHUNK_ELEMENTS, CHUNK_ELEMENTS);
            let mut all_fast = true;
            for (x, result) in xs.iter().zip(&mut *results) {
                result.write(F::fast::<M>(x));
                all_fast &= F::in_fast_range(x);
            }
            if !all_fast {
                for (x, result) in xs.iter().zip(results) {
                    if !F::in_fast_range(x) {
                        result.write(F::slow(x));
                    }
                }
            }
        }
    }
}

/// A function of two elements with a fast path.
struct BinaryFastPath<T, F>(PhantomData<(T, F)>);

impl<T: Copy + 'static, F: BinaryFastPathFunction<T>> BlockLoop for BinaryFastPath<T, F> {
    type Args<'a> = BlockCall<3>;

    const HAS_AVX512: bool = true;

    /// # Safety
    /// That of `Body::call`; no block is broadcast, and no input is the output.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, a, b] = call.blocks;
        // SAFETY: the blocks have `len` elements, and the inputs share none with the output (`Body::call`). Every type is
        // valid for `MaybeUninit`.
        let (xs, ys, results) = unsafe {
            (
                RawSlice::new(a.cast::<T>(), call.len),
                RawSlice::new(b.cast::<T>(), call.len),
                slice::from_raw_parts_mut(out.cast::<MaybeUninit<T>>(), call.len),
            )
        };
        for (i, results) in results.chunks_mut(CHUNK_ELEMENTS).enumerate() {
            let first = i * CHUNK_ELEMENTS;
            let (xs, ys) = (xs.part(first, CHUNK_ELEMENTS), ys.part(first, CHUNK_ELEMENTS));
            let pairs = xs.iter().zip(ys.iter());
            let mut all_fast = true;
            for ((x, y), result) in pairs.clone().zip(&mut *results) {
                result.write(F::fast::<M>(x, y));
                all_fast &= F::in_fast_range(x, y);
            }
            if !all_fast {
                for ((x, y), result) in pairs.zip(results) {
                    if !F::in_fast_range(x, y) {
                        result.write(F::slow(x, y));
                    }
                }
            }
        }
    }
}

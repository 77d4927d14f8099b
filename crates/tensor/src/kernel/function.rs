//! Bodies of functions with many arithmetic instructions per element: exponentials, logarithms, sines.
//!
//! They are compiled for AVX-512 as well. A function is a type with a method that is generic over the FMA of the instruction set. It is
//! no closure: one that is called in two copies of a loop is compiled once, for the baseline, and not inlined into either.
//!
//! Half-precision floats have the loops for `f32` with shorter functions (`half_blocks.rs`).

use super::body::{BlockCall, Body, zero_sized};
use super::cpu::{BlockLoop, compiled};
use super::half_blocks::{HalfFormat, HalfLoop};
use super::raw_slice::RawSlice;
use crate::dtype::{ComplexFunction, Float, MulAdd};
use crate::{Complex, DType, Element};
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

/// A function of complex numbers, computed in double precision.
pub(crate) struct InDouble<F>(PhantomData<F>);

impl<T: Float, F: ComplexFunction> FastPathFunction<Complex<T>> for InDouble<F> {
    #[inline(always)]
    fn in_fast_range(z: Complex<T>) -> bool {
        F::in_fast_range(Complex::new(z.re.double(), z.im.double()))
    }

    #[inline(always)]
    fn fast<M: MulAdd>(z: Complex<T>) -> Complex<T> {
        let value = F::fast::<M>(Complex::new(z.re.double(), z.im.double()));
        Complex::new(T::of(value.re), T::of(value.im))
    }

    #[inline(always)]
    fn slow(z: Complex<T>) -> Complex<T> {
        let value = F::slow(Complex::new(z.re.double(), z.im.double()));
        Complex::new(T::of(value.re), T::of(value.im))
    }
}

/// A function of two elements in two stages, such as an exponential of a logarithm: a chunk is computed to the end of the first before
/// the second. A processor has a window of some hundred instructions, so that the shorter a chain of dependent ones, the more
/// elements are computed at a time: `log(1 + exp(x))` takes 1.8 ns an element, and its two parts 1.1 ns together.
///
/// It may have a fast path, as [`FastPathFunction`].
pub(crate) trait StagedFunction<T>: 'static {
    /// Whether both stages are accurate for the elements.
    #[inline(always)]
    fn in_fast_range(_x: T, _y: T) -> bool {
        true
    }

    /// Returns what the second stage needs.
    fn first<M: MulAdd>(x: T, y: T) -> [T; 2];

    /// Returns the value.
    fn second<M: MulAdd>(x: T, y: T, first: [T; 2]) -> T;

    /// Whether `slow` has no branches, so that it is called for all elements of a chunk.
    const HAS_VECTOR_SLOW: bool = false;

    /// Returns the value for any elements, given that of the two stages.
    #[inline(always)]
    fn slow(_x: T, _y: T, value: T) -> T {
        value
    }
}

/// Whether elements are computed as another type.
const fn is_widened<E: Element>() -> bool {
    size_of::<E>() != size_of::<E::Wide>()
}

impl<const N: usize> Body<'static, N> {
    /// Makes a body of a loop over elements of type `E::Wide`.
    fn of_loop<E: Element, L>() -> Body<'static, N>
    where
        L: for<'a> BlockLoop<Args<'a> = BlockCall<N>>,
    {
        match const { is_widened::<E>() } {
            true => Body::new([E::DTYPE; N], format_of::<E>(), compiled::<HalfLoop<L, N>>()),
            false => Body::new([E::DTYPE; N], zero_sized(()), compiled::<L>()),
        }
    }
}

impl Body<'static, 2> {
    /// Makes a body of a function of one element.
    pub(crate) fn unary_fused<E: Element, F: UnaryFunction<E::Wide>>() -> Body<'static, 2> {
        Body::of_loop::<E, UnaryFused<E::Wide, E::Wide, F>>()
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
        Body::of_loop::<E, UnaryFastPath<E::Wide, F>>()
    }
}

impl Body<'static, 2> {
    /// Makes a body of a function of complex numbers with a fast path, if the dtype is one.
    pub(crate) fn complex_with_fast_path<F: ComplexFunction>(dtype: DType) -> Option<Self> {
        match dtype {
            DType::Complex64 => Some(Body::unary_with_fast_path::<Complex<f32>, InDouble<F>>()),
            DType::Complex128 => Some(Body::unary_with_fast_path::<Complex<f64>, InDouble<F>>()),
            _ => None,
        }
    }
}

impl Body<'static, 3> {
    /// Makes a body of a function of two elements.
    pub(crate) fn binary_fused<E: Element, F: BinaryFunction<E::Wide>>() -> Body<'static, 3> {
        Body::of_loop::<E, BinaryFused<E::Wide, F>>()
    }

    /// Makes a body of a function of two elements in two stages.
    pub(crate) fn binary_staged<E: Element, F: StagedFunction<E::Wide>>() -> Body<'static, 3> {
        Body::of_loop::<E, BinaryStaged<E::Wide, F>>()
    }
}

impl Body<'static, 4> {
    /// Makes a body of a function of three elements.
    pub(crate) fn ternary_fused<E: Element, F: TernaryFunction<E::Wide>>() -> Body<'static, 4> {
        Body::of_loop::<E, TernaryFused<E::Wide, F>>()
    }
}

/// Returns the format of a type that is computed as another one.
const fn format_of<E: Element>() -> &'static HalfFormat {
    match E::DTYPE {
        DType::BFloat16 => &HalfFormat::BFloat16,
        DType::Float16 => &HalfFormat::Float16,
        _ => panic!("a half-precision float"),
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

    const HAS_AVX512: bool = true;

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

/// A function of two elements in two stages.
struct BinaryStaged<T, F>(PhantomData<(T, F)>);

impl<T: Copy + 'static, F: StagedFunction<T>> BlockLoop for BinaryStaged<T, F> {
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
        let mut others = [const { MaybeUninit::uninit() }; CHUNK_ELEMENTS];
        for (i, results) in results.chunks_mut(CHUNK_ELEMENTS).enumerate() {
            let first = i * CHUNK_ELEMENTS;
            let (xs, ys) = (xs.part(first, CHUNK_ELEMENTS), ys.part(first, CHUNK_ELEMENTS));
            let pairs = xs.iter().zip(ys.iter());
            let mut all_fast = true;
            for (((x, y), result), other) in pairs.clone().zip(&mut *results).zip(&mut others) {
                let [one, two] = F::first::<M>(x, y);
                result.write(one);
                other.write(two);
                all_fast &= F::in_fast_range(x, y);
            }
            for (((x, y), result), other) in pairs.clone().zip(&mut *results).zip(&others) {
                // SAFETY: the loop before has written both, for as many elements.
                let stage = unsafe { [result.assume_init_read(), other.assume_init_read()] };
                result.write(F::second::<M>(x, y, stage));
            }
            if !all_fast {
                for ((x, y), result) in pairs.zip(results) {
                    if F::HAS_VECTOR_SLOW || !F::in_fast_range(x, y) {
                        // SAFETY: the second stage has written it.
                        let value = unsafe { result.assume_init_read() };
                        result.write(F::slow(x, y, value));
                    }
                }
            }
        }
    }
}

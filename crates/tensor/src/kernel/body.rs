//! Functions on blocks of elements, with their types erased.
//!
//! A block is a number of elements that lie one behind the other. A body knows the types it was made
//! for; whoever calls it has to have compared them.

use super::cpu::{self, Level};
use super::program::Program;
use crate::{DType, Element};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A function from `N - 1` blocks to one, which is the first.
#[derive(Clone, Copy)]
pub(crate) struct Body<'f, const N: usize> {
    types: [DType; N],
    run: Run<N>,
    takes_still: bool,
    context: NonNull<()>,
    closure: PhantomData<&'f ()>,
}

/// The closure, the blocks (output first), how many elements they have, and which of them are
/// one element that stands for all (bit `n` for block `n`).
pub(super) type Run<const N: usize> = unsafe fn(NonNull<()>, [*mut u8; N], usize, Still);

/// Which blocks are one element that stands for all.
pub(crate) type Still = u32;

// SAFETY: `context` is a `&F` of a closure that is `Sync` (the constructors ask for it), or of a `Program`, which
// is.
unsafe impl<const N: usize> Send for Body<'_, N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for Body<'_, N> {}

impl<'f, const N: usize> Body<'f, N> {
    /// The types of its blocks, output first.
    pub(crate) fn types(&self) -> [DType; N] {
        self.types
    }

    /// Whether an input may be one element that stands for all.
    pub(crate) fn takes_still(&self) -> bool {
        self.takes_still
    }

    /// Calls the function.
    ///
    /// # Safety
    /// - Block `n` must have `len` elements of `types()[n]`, aligned for it, one behind the other; or
    ///   one, if bit `n` of `still` is set, which may only be for an input, and if `takes_still`.
    /// - Inputs must be initialised and readable, the output writable.
    /// - The output must be the same block as an input, or share no element with it.
    #[inline(always)]
    pub(crate) unsafe fn call(&self, blocks: [*mut u8; N], len: usize, still: Still) {
        // SAFETY: the caller's promises are those of the function; the closure lives for `'f`.
        unsafe { (self.run)(self.context, blocks, len, still) }
    }

    pub(super) fn new<F: Sync>(types: [DType; N], f: &'f F, run: Run<N>) -> Body<'f, N> {
        let context = NonNull::from(f).cast();
        Body { types, run, takes_still: N == 3, context, closure: PhantomData }
    }

    /// A function that is a program. It takes no input that stands still.
    ///
    /// # Safety
    /// `run` must do what [`Body::call`] promises for these types if its context is the program.
    pub(super) unsafe fn of_program(
        types: [DType; N],
        program: &'f Program,
        run: Run<N>,
    ) -> Body<'f, N> {
        let context = NonNull::from(program).cast();
        Body { types, run, takes_still: false, context, closure: PhantomData }
    }
}

/// A reference to a closure that captures nothing: it has no place, so it is everywhere.
pub(super) fn nowhere<F: Copy + 'static>(f: F) -> &'static F {
    const { assert!(size_of::<F>() == 0, "a closure that captures nothing") };
    let _ = f;
    // SAFETY: a value without a size can be read from any aligned address; `f` shows that there is
    // a value of its type.
    unsafe { NonNull::<F>::dangling().as_ref() }
}

impl<'f> Body<'f, 2> {
    /// A function of one element, by a closure that captures nothing.
    pub(crate) fn unary<A: Element, O: Element, F>(f: F) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
    {
        Body::unary_with(nowhere(f))
    }

    /// A function of one element.
    pub(crate) fn unary_with<A: Element, O: Element, F>(f: &'f F) -> Body<'f, 2>
    where
        F: Fn(A) -> O + Sync,
    {
        let run = match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => unary_avx2::<A, O, F> as Run<2>,
            Level::Plain => unary_plain::<A, O, F>,
        };
        Body::new([O::DTYPE, A::DTYPE], f, run)
    }

    /// A function of one element that calls another for each: no instruction set makes a loop of calls
    /// faster, so it is compiled once.
    pub(crate) fn unary_calls<A: Element, O: Element, F>(f: F) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
    {
        Body::new([O::DTYPE, A::DTYPE], nowhere(f), unary_plain::<A, O, F>)
    }
}

impl Body<'static, 3> {
    /// A function of two elements, by a closure that captures nothing.
    pub(crate) fn binary<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let run = match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => binary_avx2::<A, B, O, F> as Run<3>,
            Level::Plain => binary_plain::<A, B, O, F>,
        };
        Body::new([O::DTYPE, A::DTYPE, B::DTYPE], nowhere(f), run)
    }

    /// A function of two elements that calls another for each pair.
    pub(crate) fn binary_calls<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        Body::new([O::DTYPE, A::DTYPE, B::DTYPE], nowhere(f), binary_plain::<A, B, O, F>)
    }
}

impl Body<'static, 4> {
    /// A function of three elements, by a closure that captures nothing.
    pub(crate) fn ternary<A: Element, B: Element, C: Element, O: Element, F>(
        f: F,
    ) -> Body<'static, 4>
    where
        F: Fn(A, B, C) -> O + Copy + Sync + 'static,
    {
        let run = match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => ternary_avx2::<A, B, C, O, F> as Run<4>,
            Level::Plain => ternary_plain::<A, B, C, O, F>,
        };
        Body::new([O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE], nowhere(f), run)
    }
}

impl Body<'static, 5> {
    /// A function of four elements, by a closure that captures nothing.
    pub(crate) fn quaternary<A: Element, B: Element, C: Element, D: Element, O: Element, F>(
        f: F,
    ) -> Body<'static, 5>
    where
        F: Fn(A, B, C, D) -> O + Copy + Sync + 'static,
    {
        let run = match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => quaternary_avx2::<A, B, C, D, O, F> as Run<5>,
            Level::Plain => quaternary_plain::<A, B, C, D, O, F>,
        };
        Body::new([O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE, D::DTYPE], nowhere(f), run)
    }
}

// Each loop is compiled for the plain family and for AVX2. The safety contracts are those of
// `Body::call` for the types in the parameters, with `f` a valid `&F`; the AVX2 copies also need
// a processor that has it, which `cpu::level` found.

/// # Safety
/// That of `Body::call`.
unsafe fn unary_plain<A: Element, O: Element, F: Fn(A) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { unary_loop(f.cast::<F>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `Body::call`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn unary_avx2<A: Element, O: Element, F: Fn(A) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { unary_loop(f.cast::<F>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `Body::call`.
#[inline(always)]
unsafe fn unary_loop<A: Element, O: Element, F: Fn(A) -> O>(
    f: &F,
    [out, a]: [*mut u8; 2],
    len: usize,
) {
    let (out, a) = (out.cast::<O>(), a.cast::<A>());
    // In place the compiler has to be told that the two are one, or it assumes the worst.
    if out.cast::<A>() == a {
        for i in 0..len {
            // SAFETY: the block has `len` elements, readable and writable.
            unsafe { out.add(i).write(f(out.cast::<A>().add(i).read())) };
        }
    } else {
        for i in 0..len {
            // SAFETY: both blocks have `len` elements, readable and writable.
            unsafe { out.add(i).write(f(a.add(i).read())) };
        }
    }
}

/// # Safety
/// That of `Body::call`.
unsafe fn binary_plain<A: Element, B: Element, O: Element, F: Fn(A, B) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 3],
    len: usize,
    still: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { binary_loop(f.cast::<F>().as_ref(), blocks, len, still) }
}

/// # Safety
/// That of `Body::call`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn binary_avx2<A: Element, B: Element, O: Element, F: Fn(A, B) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 3],
    len: usize,
    still: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { binary_loop(f.cast::<F>().as_ref(), blocks, len, still) }
}

/// # Safety
/// That of `Body::call`.
#[inline(always)]
unsafe fn binary_loop<A: Element, B: Element, O: Element, F: Fn(A, B) -> O>(
    f: &F,
    [out, a, b]: [*mut u8; 3],
    len: usize,
    still: Still,
) {
    let (out, a, b) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>());
    let in_place = out.cast::<A>() == a;
    match (still & 0b010 != 0, still & 0b100 != 0) {
        (false, false) if in_place => {
            for i in 0..len {
                // SAFETY: all blocks have `len` elements; the output is the first input.
                unsafe { out.add(i).write(f(out.cast::<A>().add(i).read(), b.add(i).read())) };
            }
        }
        (false, false) => {
            for i in 0..len {
                // SAFETY: all blocks have `len` elements.
                unsafe { out.add(i).write(f(a.add(i).read(), b.add(i).read())) };
            }
        }
        (false, true) => {
            // SAFETY: a block that stands still has one element.
            let y = unsafe { b.read() };
            if in_place {
                for i in 0..len {
                    // SAFETY: the output has `len` elements and is the first input.
                    unsafe { out.add(i).write(f(out.cast::<A>().add(i).read(), y)) };
                }
            } else {
                for i in 0..len {
                    // SAFETY: the output and the first input have `len` elements.
                    unsafe { out.add(i).write(f(a.add(i).read(), y)) };
                }
            }
        }
        (true, false) => {
            // SAFETY: a block that stands still has one element.
            let x = unsafe { a.read() };
            for i in 0..len {
                // SAFETY: the output and the second input have `len` elements.
                unsafe { out.add(i).write(f(x, b.add(i).read())) };
            }
        }
        (true, true) => {
            // SAFETY: blocks that stand still have one element.
            let value = unsafe { f(a.read(), b.read()) };
            for i in 0..len {
                // SAFETY: the output has `len` elements.
                unsafe { out.add(i).write(value) };
            }
        }
    }
}

/// # Safety
/// That of `Body::call`.
pub(super) unsafe fn ternary_plain<
    A: Element,
    B: Element,
    C: Element,
    O: Element,
    F: Fn(A, B, C) -> O,
>(
    f: NonNull<()>,
    blocks: [*mut u8; 4],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { ternary_loop(f.cast::<F>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `Body::call`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn ternary_avx2<A: Element, B: Element, C: Element, O: Element, F: Fn(A, B, C) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 4],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { ternary_loop(f.cast::<F>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `Body::call`.
#[inline(always)]
unsafe fn ternary_loop<A: Element, B: Element, C: Element, O: Element, F: Fn(A, B, C) -> O>(
    f: &F,
    [out, a, b, c]: [*mut u8; 4],
    len: usize,
) {
    let (out, a, b, c) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>(), c.cast::<C>());
    for i in 0..len {
        // SAFETY: all blocks have `len` elements.
        unsafe { out.add(i).write(f(a.add(i).read(), b.add(i).read(), c.add(i).read())) };
    }
}

/// # Safety
/// That of `Body::call`.
unsafe fn quaternary_plain<A, B, C, D, O, F>(
    f: NonNull<()>,
    blocks: [*mut u8; 5],
    len: usize,
    _: Still,
) where
    F: Fn(A, B, C, D) -> O,
{
    // SAFETY: the caller's promises.
    unsafe { quaternary_loop(f.cast::<F>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `Body::call`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn quaternary_avx2<A, B, C, D, O, F>(
    f: NonNull<()>,
    blocks: [*mut u8; 5],
    len: usize,
    _: Still,
) where
    F: Fn(A, B, C, D) -> O,
{
    // SAFETY: the caller's promises.
    unsafe { quaternary_loop(f.cast::<F>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `Body::call`.
#[inline(always)]
unsafe fn quaternary_loop<A, B, C, D, O, F: Fn(A, B, C, D) -> O>(
    f: &F,
    [out, a, b, c, d]: [*mut u8; 5],
    len: usize,
) {
    let (out, a, b, c, d) =
        (out.cast::<O>(), a.cast::<A>(), b.cast::<B>(), c.cast::<C>(), d.cast::<D>());
    for i in 0..len {
        // SAFETY: all blocks have `len` elements.
        unsafe {
            let (a, b, c, d) = (a.add(i).read(), b.add(i).read(), c.add(i).read(), d.add(i).read());
            out.add(i).write(f(a, b, c, d));
        }
    }
}

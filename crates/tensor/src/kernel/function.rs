//! Bodies of functions with much arithmetic for each element: exponentials, sines and their kin.
//!
//! They are compiled for wider vectors than other bodies. Those with fused multiplications come as two
//! closures that give the same bits: one for processors that have the instruction, and one for the rest.

use super::body::{self, Body, Run, Still, nowhere};
use super::cpu::{self, Level};
use crate::Element;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::slice;

impl Body<'static, 2> {
    /// A function of one element: with instructions for fused multiplications, and without.
    pub(crate) fn unary_fused<A: Element, O: Element, F, G>(fused: F, plain: G) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
        G: Fn(A) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE];
        match cpu::level() {
            // Halves are compiled for one level: with their conversions the function is so long that
            // it is inlined where it is called once, and not if that is twice.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if const { size_of::<A>() > 2 } => {
                Body::new(types, nowhere(fused), one_avx512::<A, O, F> as Run<2>)
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => {
                Body::new(types, nowhere(fused), one_avx2::<A, O, F> as Run<2>)
            }
            Level::Plain => {
                // Where there is one level, it is the other closure that is left out.
                let _ = fused;
                Body::new(types, nowhere(plain), one_plain::<A, O, G> as Run<2>)
            }
        }
    }

    /// A function that is short for most elements: `is_near` of them. Blocks of elements that all are go
    /// one way, and the others go another, on which both functions are called. `near` and `far`
    /// are each a function of the element alone, so that its neighbours do not matter.
    pub(crate) fn unary_near<A: Element, O: Element, P, F, G>(
        is_near: P,
        near: F,
        far: G,
    ) -> Body<'static, 2>
    where
        P: Fn(A) -> bool + Copy + Sync + 'static,
        F: Fn(A) -> O + Copy + Sync + 'static,
        G: Fn(A) -> O + Copy + Sync + 'static,
    {
        let run = match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => near_avx512::<A, O, P, F, G> as Run<2>,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => near_avx2::<A, O, P, F, G> as Run<2>,
            Level::Plain => near_plain::<A, O, P, F, G> as Run<2>,
        };
        Body::new([O::DTYPE, A::DTYPE], nowhere((is_near, near, far)), run)
    }
}

impl Body<'static, 3> {
    /// A function of two elements: with instructions for fused multiplications, and without.
    pub(crate) fn binary_fused<A: Element, B: Element, O: Element, F, G>(
        fused: F,
        plain: G,
    ) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
        G: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE];
        match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => {
                Body::new(types, nowhere(fused), aside_avx2::<A, B, O, F> as Run<3>)
            }
            Level::Plain => {
                let _ = fused;
                Body::new(types, nowhere(plain), aside_plain::<A, B, O, G> as Run<3>)
            }
        }
    }
}

impl Body<'static, 4> {
    /// A function of three elements: with instructions for fused multiplications, and without.
    pub(crate) fn ternary_fused<A: Element, B: Element, C: Element, O: Element, F, G>(
        fused: F,
        plain: G,
    ) -> Body<'static, 4>
    where
        F: Fn(A, B, C) -> O + Copy + Sync + 'static,
        G: Fn(A, B, C) -> O + Copy + Sync + 'static,
    {
        match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => Body::ternary(fused),
            Level::Plain => {
                let _ = fused;
                let run = body::ternary_plain::<A, B, C, O, G> as Run<4>;
                Body::new([O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE], nowhere(plain), run)
            }
        }
    }
}

/// # Safety
/// That of `Body::call`.
unsafe fn one_plain<A: Element, O: Element, F: Fn(A) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { one_loop(f.cast::<F>().as_ref(), |_, _| (), blocks, len) }
}

/// # Safety
/// That of `Body::call`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn one_avx2<A: Element, O: Element, F: Fn(A) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { one_loop(f.cast::<F>().as_ref(), |_, _| (), blocks, len) }
}

/// # Safety
/// That of `Body::call`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi2")]
unsafe fn one_avx512<A: Element, O: Element, F: Fn(A) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { one_loop(f.cast::<F>().as_ref(), |_, _| (), blocks, len) }
}

/// One loop, also for an operand that is the output: it is copied aside first. A function this long is not
/// inlined where it is called in several places, and a call is not vector code. `after` sees the
/// operands and the results of each part.
///
/// # Safety
/// That of `Body::call`.
#[inline(always)]
unsafe fn one_loop<A: Element, O: Element>(
    f: impl Fn(A) -> O,
    after: impl Fn(&[A], &mut [O]),
    [out, a]: [*mut u8; 2],
    len: usize,
) {
    // Few enough to stay in the first-level cache, and for one element that goes another way not to slow
    // many down.
    const PART: usize = 256;
    let (out, a) = (out.cast::<O>(), a.cast::<A>());
    let mut xs = [const { MaybeUninit::<A>::uninit() }; PART];
    let mut first = 0;
    while first < len {
        let n = PART.min(len - first);
        // SAFETY: the part lies within the blocks, which have `len` elements. The first `n` elements of
        // the array are written before they are read, and so are those of the output.
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

/// # Safety
/// That of `Body::call`, with the three closures in the place of one.
unsafe fn near_plain<A: Element, O: Element, P, F, G>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) where
    P: Fn(A) -> bool,
    F: Fn(A) -> O,
    G: Fn(A) -> O,
{
    // SAFETY: the caller's promises.
    unsafe { near_loop(f.cast::<(P, F, G)>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `near_plain`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn near_avx2<A: Element, O: Element, P, F, G>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) where
    P: Fn(A) -> bool,
    F: Fn(A) -> O,
    G: Fn(A) -> O,
{
    // SAFETY: the caller's promises.
    unsafe { near_loop(f.cast::<(P, F, G)>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `near_plain`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi2")]
unsafe fn near_avx512<A: Element, O: Element, P, F, G>(
    f: NonNull<()>,
    blocks: [*mut u8; 2],
    len: usize,
    _: Still,
) where
    P: Fn(A) -> bool,
    F: Fn(A) -> O,
    G: Fn(A) -> O,
{
    // SAFETY: the caller's promises.
    unsafe { near_loop(f.cast::<(P, F, G)>().as_ref(), blocks, len) }
}

/// # Safety
/// That of `near_plain`.
#[inline(always)]
unsafe fn near_loop<A: Element, O: Element, P, F, G>(
    (is_near, near, far): &(P, F, G),
    [out, a]: [*mut u8; 2],
    len: usize,
) where
    P: Fn(A) -> bool,
    F: Fn(A) -> O,
    G: Fn(A) -> O,
{
    let after = |xs: &[A], results: &mut [O]| {
        if !xs.iter().fold(true, |all, x| all & is_near(*x)) {
            for (x, result) in xs.iter().zip(results) {
                if !is_near(*x) {
                    *result = far(*x);
                }
            }
        }
    };
    // SAFETY: the caller's promises.
    unsafe { one_loop(near, after, [out, a], len) }
}

/// # Safety
/// That of `Body::call`.
unsafe fn aside_plain<A: Element, B: Element, O: Element, F: Fn(A, B) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 3],
    len: usize,
    still: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { aside_loop(f.cast::<F>().as_ref(), blocks, len, still) }
}

/// # Safety
/// That of `Body::call`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn aside_avx2<A: Element, B: Element, O: Element, F: Fn(A, B) -> O>(
    f: NonNull<()>,
    blocks: [*mut u8; 3],
    len: usize,
    still: Still,
) {
    // SAFETY: the caller's promises.
    unsafe { aside_loop(f.cast::<F>().as_ref(), blocks, len, still) }
}

/// One loop for operands that stand still, for those that are the output, and for the others: all are
/// copied aside first. A function this long is not inlined where it is called in several places, and a
/// call is not vector code.
///
/// # Safety
/// That of `Body::call`.
#[inline(always)]
unsafe fn aside_loop<A: Element, B: Element, O: Element, F: Fn(A, B) -> O>(
    f: &F,
    [out, a, b]: [*mut u8; 3],
    len: usize,
    still: Still,
) {
    const PART: usize = 256;
    let (out, a, b) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>());
    let mut xs = [const { MaybeUninit::<A>::uninit() }; PART];
    let mut ys = [const { MaybeUninit::<B>::uninit() }; PART];
    let (a_stands, b_stands) = (still & 0b010 != 0, still & 0b100 != 0);
    // SAFETY: a block that stands still has one element. There is nothing to read for no results.
    unsafe {
        if a_stands && len > 0 {
            xs.fill(MaybeUninit::new(a.read()));
        }
        if b_stands && len > 0 {
            ys.fill(MaybeUninit::new(b.read()));
        }
    }
    let mut first = 0;
    while first < len {
        let n = PART.min(len - first);
        // SAFETY: the part lies within the blocks, which have `len` elements. The first `n` elements of
        // both arrays have been written when they are read: here, or above.
        unsafe {
            if !a_stands {
                xs.as_mut_ptr().cast::<A>().copy_from_nonoverlapping(a.add(first), n);
            }
            if !b_stands {
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

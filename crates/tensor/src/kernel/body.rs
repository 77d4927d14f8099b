//! Functions on blocks of contiguous elements, with their element types erased.
//!
//! A body computes one block of output from blocks of input, elementwise. It knows the dtypes it was made for; its
//! caller must have compared them.

use super::cpu::{self, BlockLoop, compiled};
use super::program::Program;
use crate::dtype::MulAdd;
use crate::sync_ptr::SyncPtr;
use crate::{DType, Element};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// An elementwise function from `N - 1` blocks to one, which is the first.
#[derive(Clone, Copy)]
pub(crate) struct Body<'f, const N: usize> {
    types: [DType; N],
    run: RunBlock<N>,
    takes_broadcast: bool,
    /// A `&F` of a closure that is `Sync`, or a `&Program`, see [`Body::new`].
    context: SyncPtr<()>,
    closure: PhantomData<&'f ()>,
}

/// The loop of a body. Its arguments are those of one call.
pub(super) type RunBlock<const N: usize> = unsafe fn(BlockCall<N>);

/// The arguments of one call of a body.
#[derive(Clone, Copy)]
pub(super) struct BlockCall<const N: usize> {
    /// A reference to the closure or the program.
    pub context: *mut (),
    /// The blocks, output first.
    pub blocks: [*mut u8; N],
    /// The elements of each block.
    pub len: usize,
    pub broadcast: BroadcastMask,
}

/// Which blocks are a single element that is broadcast: bit `n` for block `n`.
pub(crate) type BroadcastMask = u32;

impl<'f, const N: usize> Body<'f, N> {
    /// Returns the dtypes of the blocks, output first.
    pub(crate) fn types(&self) -> [DType; N] {
        self.types
    }

    /// Whether an input may be a single element that is broadcast.
    pub(crate) fn takes_broadcast(&self) -> bool {
        self.takes_broadcast
    }

    /// Calls the function.
    ///
    /// # Safety
    /// - Block `n` must have `len` contiguous elements of `types()[n]`, aligned for it; or one element, if bit `n`
    ///   of `broadcast` is set, which is allowed for inputs only, and only if `takes_broadcast`.
    /// - Inputs must be initialised and readable, the output writable.
    /// - The output must be the same block as an input, or share no element with it.
    #[inline(always)]
    pub(crate) unsafe fn call(&self, blocks: [*mut u8; N], len: usize, broadcast: BroadcastMask) {
        let call = BlockCall { context: self.context.get(), blocks, len, broadcast };
        // SAFETY: `run` was made for these types and for this context, which lives for `'f`; the rest is
        // forwarded: same contract as this function.
        unsafe { (self.run)(call) }
    }

    pub(super) fn new<F: Sync>(types: [DType; N], f: &'f F, run: RunBlock<N>) -> Body<'f, N> {
        let context = SyncPtr::new(ptr::from_ref(f).cast_mut().cast());
        Body { types, run, takes_broadcast: N == 3, context, closure: PhantomData }
    }

    /// Makes a body of a program. It takes no input that is broadcast.
    ///
    /// # Safety
    /// `run` must do what [`Body::call`] promises for these types if its context is the program.
    pub(super) unsafe fn of_program(
        types: [DType; N],
        program: &'f Program,
        run: RunBlock<N>,
    ) -> Body<'f, N> {
        Body { takes_broadcast: false, ..Body::new(types, program, run) }
    }
}

/// Returns a reference to a closure that captures nothing: it has size 0, so any aligned address is one.
pub(super) fn zero_sized<F: Copy + 'static>(f: F) -> &'static F {
    const { assert!(size_of::<F>() == 0, "a closure that captures nothing") };
    let _ = f;
    // SAFETY: a value of size 0 can be read from any aligned address; `f` shows that its type is inhabited.
    unsafe { NonNull::<F>::dangling().as_ref() }
}

impl<'f> Body<'f, 2> {
    /// Makes a body of a function of one element that captures nothing.
    pub(crate) fn unary<A: Element, O: Element, F>(f: F) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
    {
        Body::unary_with(zero_sized(f))
    }

    /// Makes a body of a function of one element.
    pub(crate) fn unary_with<A: Element, O: Element, F>(f: &'f F) -> Body<'f, 2>
    where
        F: Fn(A) -> O + Sync,
    {
        Body::new([O::DTYPE, A::DTYPE], f, compiled::<UnaryLoop<A, O, F>>())
    }

    /// Makes a body of a function of one element that is a call: no instruction set makes a loop of calls faster,
    /// so it is compiled for the baseline only.
    pub(crate) fn unary_calls<A: Element, O: Element, F>(f: F) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
    {
        Body::new([O::DTYPE, A::DTYPE], zero_sized(f), cpu::baseline::<UnaryLoop<A, O, F>>)
    }
}

impl Body<'static, 3> {
    /// Makes a body of a function of two elements that captures nothing.
    pub(crate) fn binary<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE];
        Body::new(types, zero_sized(f), compiled::<BinaryLoop<A, B, O, F>>())
    }

    /// Makes a body of a function of two elements that is a call, compiled for the baseline only.
    pub(crate) fn binary_calls<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE];
        Body::new(types, zero_sized(f), cpu::baseline::<BinaryLoop<A, B, O, F>>)
    }
}

impl Body<'static, 4> {
    /// Makes a body of a function of three elements that captures nothing.
    pub(crate) fn ternary<A: Element, B: Element, C: Element, O: Element, F>(
        f: F,
    ) -> Body<'static, 4>
    where
        F: Fn(A, B, C) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE];
        Body::new(types, zero_sized(f), compiled::<TernaryLoop<A, B, C, O, F>>())
    }
}

impl Body<'static, 5> {
    /// Makes a body of a function of four elements that captures nothing.
    pub(crate) fn quaternary<A: Element, B: Element, C: Element, D: Element, O: Element, F>(
        f: F,
    ) -> Body<'static, 5>
    where
        F: Fn(A, B, C, D) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE, D::DTYPE];
        Body::new(types, zero_sized(f), compiled::<QuaternaryLoop<A, B, C, D, O, F>>())
    }
}

/// Writes `value(i)` to each element `i` of a block.
///
/// # Safety
/// `out` must be writable for `len` elements of type `O`, and aligned for it.
#[inline(always)]
unsafe fn write_each<O>(out: *mut u8, len: usize, value: impl Fn(usize) -> O) {
    let out = out.cast::<O>();
    for i in 0..len {
        // SAFETY: `i` is less than `len`.
        unsafe { out.add(i).write(value(i)) };
    }
}

/// Returns a function that reads element `i` of a block.
///
/// # Safety
/// The function may be called only with positions in a block of readable elements of type `T` at this address.
#[inline(always)]
unsafe fn reader<T: Copy>(block: *mut u8) -> impl Fn(usize) -> T {
    let block = block.cast_const().cast::<T>();
    // SAFETY: the caller of `reader` guarantees that the element is readable.
    move |i| unsafe { block.add(i).read() }
}

// The loops. The contract of each `run` is that of `Body::call` for the types in its parameters, with a reference
// to an `F` as the context.

/// A function of one element.
struct UnaryLoop<A, O, F>(PhantomData<(A, O, F)>);

impl<A: Element, O: Element, F: Fn(A) -> O> BlockLoop for UnaryLoop<A, O, F> {
    type Args<'a> = BlockCall<2>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let BlockCall { blocks: [out, a], len, .. } = call;
        // SAFETY: the context is an `F`, and both blocks have `len` elements (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            // In place the addresses must be visibly the same: the vectorizer's overlap check would choose the
            // scalar loop.
            if out == a {
                let x = reader::<A>(out);
                write_each(out, len, |i| f(x(i)));
            } else {
                let x = reader::<A>(a);
                write_each(out, len, |i| f(x(i)));
            }
        }
    }
}

/// A function of two elements, each of which may be broadcast.
struct BinaryLoop<A, B, O, F>(PhantomData<(A, B, O, F)>);

impl<A: Element, B: Element, O: Element, F: Fn(A, B) -> O> BlockLoop for BinaryLoop<A, B, O, F> {
    type Args<'a> = BlockCall<3>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let BlockCall { blocks: [out, a, b], len, broadcast, .. } = call;
        // SAFETY: the context is an `F`. Blocks have `len` elements, or one if they are broadcast, which is then
        // read at position 0 (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            let (x, y) = (reader::<A>(a), reader::<B>(b));
            let x_in_place = reader::<A>(out);
            match (broadcast & 0b010 != 0, broadcast & 0b100 != 0) {
                (false, false) if out == a => write_each(out, len, |i| f(x_in_place(i), y(i))),
                (false, false) => write_each(out, len, |i| f(x(i), y(i))),
                (false, true) => {
                    let y = y(0);
                    match out == a {
                        true => write_each(out, len, |i| f(x_in_place(i), y)),
                        false => write_each(out, len, |i| f(x(i), y)),
                    }
                }
                (true, false) => {
                    let x = x(0);
                    write_each(out, len, |i| f(x, y(i)));
                }
                (true, true) => {
                    let value = f(x(0), y(0));
                    write_each(out, len, |_| value);
                }
            }
        }
    }
}

/// A function of three elements.
pub(super) struct TernaryLoop<A, B, C, O, F>(PhantomData<(A, B, C, O, F)>);

impl<A, B, C, O, F> BlockLoop for TernaryLoop<A, B, C, O, F>
where
    A: Element,
    B: Element,
    C: Element,
    O: Element,
    F: Fn(A, B, C) -> O,
{
    type Args<'a> = BlockCall<4>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<4>) {
        let BlockCall { blocks: [out, a, b, c], len, .. } = call;
        // SAFETY: the context is an `F`, and all blocks have `len` elements (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            let (x, y, z) = (reader::<A>(a), reader::<B>(b), reader::<C>(c));
            write_each(out, len, |i| f(x(i), y(i), z(i)));
        }
    }
}

/// A function of four elements.
struct QuaternaryLoop<A, B, C, D, O, F>(PhantomData<(A, B, C, D, O, F)>);

impl<A, B, C, D, O, F> BlockLoop for QuaternaryLoop<A, B, C, D, O, F>
where
    A: Element,
    B: Element,
    C: Element,
    D: Element,
    O: Element,
    F: Fn(A, B, C, D) -> O,
{
    type Args<'a> = BlockCall<5>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<5>) {
        let BlockCall { blocks: [out, a, b, c, d], len, .. } = call;
        // SAFETY: the context is an `F`, and all blocks have `len` elements (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            let (x, y, z) = (reader::<A>(a), reader::<B>(b), reader::<C>(c));
            let w = reader::<D>(d);
            write_each(out, len, |i| f(x(i), y(i), z(i), w(i)));
        }
    }
}

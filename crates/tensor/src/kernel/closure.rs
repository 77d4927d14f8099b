//! Closures of the user as loops over blocks.
//!
//! A closure of one to six elements is a [`Body`], so that `map/` walks, packs and splits its operands as those of any
//! other operation. Its loop is compiled with the closure inside of it, for each instruction set: there is no call
//! for an element, only one for a block. A [`BlockFold`] is the same without an output: it passes a state from element to
//! element.
//!
//! Each loop calls its closure in one place, also if an input is broadcast or is the output (these are staged): a long
//! closure is not inlined where it is called in several places, and a call is not vectorized.

use super::body::{BlockCall, Body, RunBlock};
use super::cpu::{BlockLoop, compiled};
use crate::dtype::MulAdd;
use crate::{DType, Value};
use std::marker::PhantomData;

/// A closure from elements of the types in the tuple `X` to an element of type `O`.
struct ClosureMap<F, O, X>(PhantomData<(F, O, X)>);

/// A closure from a state of type `S` and elements of the types in the tuple `X` to the next state.
struct ClosureFold<F, S, X>(PhantomData<(F, S, X)>);

/// A closure that is called for one element after the other, and the state that it passes on.
pub(crate) struct FoldState<S, F> {
    /// `None` while the closure runs, and after it has panicked.
    state: Option<S>,
    f: F,
}

impl<S, F> FoldState<S, F> {
    pub(crate) fn new(state: S, f: F) -> FoldState<S, F> {
        FoldState { state: Some(state), f }
    }

    /// Returns the state.
    ///
    /// # Panics
    /// If the closure has panicked.
    pub(crate) fn into_state(self) -> S {
        self.state.expect("a closure that has not panicked")
    }
}

/// A fold over blocks of contiguous elements, with its element types erased.
pub(crate) struct BlockFold<'f, const M: usize> {
    types: [DType; M],
    run: RunBlock<M>,
    /// A `&mut FoldState` of the types that `run` was compiled for.
    context: *mut (),
    closure: PhantomData<&'f mut ()>,
}

impl<const M: usize> BlockFold<'_, M> {
    /// Returns the dtypes of the blocks.
    pub(crate) fn types(&self) -> [DType; M] {
        self.types
    }

    /// Calls the closure for the elements of blocks, in order.
    ///
    /// # Safety
    /// Block `n` must have `len` contiguous elements of `types()[n]`, initialised, readable and aligned for it.
    pub(super) unsafe fn call(&mut self, blocks: [*mut u8; M], len: usize) {
        // SAFETY: `run` was made for these types and for this context, which is borrowed exclusively by `self`.
        unsafe { (self.run)(BlockCall { context: self.context, blocks, len, broadcast: 0 }) }
    }
}

/// Implements the loops for closures of some number of elements: the number of blocks with and without an output, and a
/// name and a position for each type.
macro_rules! closure_loops {
    ($blocks:literal, $inputs:literal: $($X:ident $k:literal),+) => {
        impl<$($X: Value,)+ O: Value, F: Fn($($X),+) -> O> BlockLoop for ClosureMap<F, O, ($($X,)+)> {
            type Args<'a> = BlockCall<$blocks>;

            /// # Safety
            /// That of `Body::call` for these types, with an `F` as the context; no block is broadcast, and no input is
            /// the output.
            #[inline(always)]
            unsafe fn run<M: MulAdd>(call: BlockCall<$blocks>) {
                let out = call.blocks[0].cast::<O::Element>();
                let mut i = 0;
                // SAFETY: the context is an `F`, and all blocks have `len` elements (this function's contract).
                unsafe {
                    let f = &*call.context.cast::<F>();
                    while i < call.len {
                        let value = f($(read_value::<$X>(call.blocks[$k + 1], i)),+);
                        out.add(i).write(value.into_element());
                        i += 1;
                    }
                }
            }
        }

        impl<$($X: Value,)+ S, F> BlockLoop for ClosureFold<F, S, ($($X,)+)>
        where
            F: FnMut(S, $($X),+) -> S,
        {
            type Args<'a> = BlockCall<$inputs>;

            /// # Safety
            /// That of `BlockFold::call` for these types, with a `FoldState<S, F>` as the context, which is borrowed
            /// exclusively.
            #[inline(always)]
            unsafe fn run<M: MulAdd>(call: BlockCall<$inputs>) {
                // SAFETY: the context is a `FoldState<S, F>` (this function's contract).
                let fold = unsafe { &mut *call.context.cast::<FoldState<S, F>>() };
                let Some(mut state) = fold.state.take() else { return };
                for i in 0..call.len {
                    // SAFETY: all blocks have `len` elements (this function's contract).
                    state = unsafe { (fold.f)(state, $(read_value::<$X>(call.blocks[$k], i)),+) };
                }
                fold.state = Some(state);
            }
        }

        impl<'f> Body<'f, $blocks> {
            /// Makes a body of a closure.
            pub(crate) fn of_closure<$($X: Value,)+ O: Value, F>(f: &'f F) -> Body<'f, $blocks>
            where
                F: Fn($($X),+) -> O + Sync,
            {
                let run = compiled::<ClosureMap<F, O, ($($X,)+)>>();
                Body::new([O::DTYPE, $($X::DTYPE),+], f, run)
            }
        }

        impl<'f> BlockFold<'f, $inputs> {
            /// Makes a fold of a closure and its state.
            pub(crate) fn new<$($X: Value,)+ S, F>(fold: &'f mut FoldState<S, F>) -> Self
            where
                F: FnMut(S, $($X),+) -> S,
            {
                let run = compiled::<ClosureFold<F, S, ($($X,)+)>>();
                let context = std::ptr::from_mut(fold).cast();
                BlockFold { types: [$($X::DTYPE),+], run, context, closure: PhantomData }
            }
        }
    };
}

closure_loops!(2, 1: A 0);
closure_loops!(3, 2: A 0, B 1);
closure_loops!(4, 3: A 0, B 1, C 2);
closure_loops!(5, 4: A 0, B 1, C 2, D 3);
closure_loops!(6, 5: A 0, B 1, C 2, D 3, E 4);
closure_loops!(7, 6: A 0, B 1, C 2, D 3, E 4, G 5);

/// Reads element `i` of a block.
///
/// # Safety
/// The block must have more than `i` contiguous elements of `X::DTYPE`, initialised, readable and aligned for it.
#[inline(always)]
unsafe fn read_value<X: Value>(block: *mut u8, i: usize) -> X {
    // SAFETY: forwarded: same contract as this function.
    X::from_element(unsafe { block.cast::<X::Element>().add(i).read() })
}

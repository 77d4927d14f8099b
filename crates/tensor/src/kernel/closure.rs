//! Closures of the user as loops over blocks.
//!
//! A closure of one to six elements is a [`Body`], so that `map/` walks, packs and splits its operands as those of any
//! other operation. Its loop is compiled with the closure inside of it, for the baseline and for AVX2: there is no call
//! for an element, only one for a block. A [`BlockFold`] is the same without an output: it passes a state from element to
//! element, over all rows of a call.
//!
//! A closure captures variables by reference, and the compiler keeps them in registers only if it knows that no block
//! has their memory. So the output and the closure are reference parameters of the loops: they do not alias the inputs, which
//! are read by value, because another library may write to their memory meanwhile. Each
//! loop calls its closure in one place, also if an input is broadcast (it is staged): a long closure is not inlined where
//! it is called in several places, and a call is not vectorized. An output that is the first input has a loop of its own,
//! which reads each element before it writes it; one that is another input is staged.

use super::body::{BlockCall, Body};
use super::copy::Steps;
use super::cpu::{self, Level};
use super::raw_slice::RawSlice;
use crate::arrays::array_of;
use crate::{DType, Value};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

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

/// A fold over rows of elements at constant strides, with its element types erased.
pub(crate) struct BlockFold<'f, const M: usize> {
    types: [DType; M],
    run: unsafe fn(*mut (), FoldRows<M>),
    /// A `&mut FoldState` of the types that `run` was compiled for.
    context: *mut (),
    closure: PhantomData<&'f mut ()>,
}

/// Rows of elements: the argument of a [`BlockFold`]. The state stays in registers from row to row.
#[derive(Clone, Copy)]
pub(super) struct FoldRows<const M: usize> {
    /// The first element of each operand.
    pub at: [*const u8; M],
    /// The bytes from one row to the next, and from one element of a row to the next.
    pub steps: [Steps; M],
    /// The numbers of rows and of elements in each.
    pub counts: [usize; 2],
}

impl<const M: usize> BlockFold<'_, M> {
    /// Returns the dtypes of the blocks.
    pub(crate) fn types(&self) -> [DType; M] {
        self.types
    }

    /// Calls the closure for the elements of rows, in order.
    ///
    /// # Safety
    /// The counts and steps of operand `n` must lead from `at[n]` to elements of `types()[n]` that are initialised,
    /// readable and aligned.
    pub(super) unsafe fn call(&mut self, rows: FoldRows<M>) {
        // SAFETY: `run` was made for these types and for this context, which is borrowed exclusively by `self`.
        unsafe { (self.run)(self.context, rows) }
    }
}

/// Implements the loops for closures of some number of elements: the number of blocks with and without an output; and for
/// each parameter a type, a name and a position, the first apart.
macro_rules! closure_loops {
    ($blocks:literal, $inputs:literal: $($X:ident $x:ident $k:literal),+) => {
        closure_maps!($blocks: $($X $x $k),+);
        closure_folds!($inputs: $($X $x $k),+);
    };
}

/// Implements the loops with an output.
macro_rules! closure_maps {
    ($blocks:literal: $A:ident $a:ident $first:literal $(, $X:ident $x:ident $k:literal)*) => {
        #[allow(clippy::too_many_arguments, reason = "references that do not alias are parameters")]
        impl<$A: Value, $($X: Value,)* O: Value, F> ClosureMap<F, O, ($A, $($X,)*)>
        where
            F: Fn($A, $($X),*) -> O,
        {
            /// # Safety
            /// That of `Body::call` for these types, with an `F` as the context; no block is broadcast, and no input is
            /// the output, unless it is the first and has the same dtype.
            unsafe fn run(call: BlockCall<$blocks>) {
                let len = call.len;
                // SAFETY: the context is an `F`, and the output has `len` elements, which are aligned, may be uninitialised,
                // and are no elements of an input but the first.
                let (f, out) = unsafe {
                    let out = call.blocks[0].cast::<MaybeUninit<O::Element>>();
                    (&*call.context.cast::<F>(), slice::from_raw_parts_mut(out, len))
                };
                $(
                    // SAFETY: the block has `len` elements, which are aligned and initialised.
                    let $x = unsafe { RawSlice::new(call.blocks[$k + 1].cast(), len) };
                )*
                if call.blocks[$first + 1] == call.blocks[0] {
                    match cpu::level() {
                        #[cfg(target_arch = "x86_64")]
                        // SAFETY: the processor is of this level; the output is the first input, so it is initialised, and
                        // has the same dtype.
                        Level::Avx2 | Level::Avx512 => unsafe { Self::avx2_in_place(f, out, $($x),*) },
                        // SAFETY: as above.
                        Level::Baseline => unsafe { Self::baseline_in_place(f, out, $($x),*) },
                    }
                    return;
                }
                // SAFETY: the block has `len` elements, which are aligned and initialised.
                let $a = unsafe { RawSlice::new(call.blocks[$first + 1].cast(), len) };
                match cpu::level() {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the processor is of this level.
                    Level::Avx2 | Level::Avx512 => unsafe { Self::avx2(f, out, $a, $($x),*) },
                    Level::Baseline => Self::baseline(f, out, $a, $($x),*),
                }
            }

            #[inline(never)]
            fn baseline(
                f: &F,
                out: &mut [MaybeUninit<O::Element>],
                $a: RawSlice<'_, $A::Element>,
                $($x: RawSlice<'_, $X::Element>),*
            ) {
                Self::elements(f, out, $a, $($x),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            fn avx2(
                f: &F,
                out: &mut [MaybeUninit<O::Element>],
                $a: RawSlice<'_, $A::Element>,
                $($x: RawSlice<'_, $X::Element>),*
            ) {
                Self::elements(f, out, $a, $($x),*);
            }

            #[inline(always)]
            fn elements(
                f: &F,
                out: &mut [MaybeUninit<O::Element>],
                $a: RawSlice<'_, $A::Element>,
                $($x: RawSlice<'_, $X::Element>),*
            ) {
                let len = out.len();
                let $a = $a.first(len);
                $(let $x = $x.first(len);)*
                for i in 0..len {
                    let result = f($A::from_element($a.get(i)), $($X::from_element($x.get(i))),*);
                    out[i].write(result.into_element());
                }
            }

            /// # Safety
            /// That of `elements_in_place`.
            #[inline(never)]
            unsafe fn baseline_in_place(
                f: &F,
                out: &mut [MaybeUninit<O::Element>],
                $($x: RawSlice<'_, $X::Element>),*
            ) {
                // SAFETY: forwarded: same contract as this function.
                unsafe { Self::elements_in_place(f, out, $($x),*) };
            }

            /// # Safety
            /// That of `elements_in_place`.
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            unsafe fn avx2_in_place(
                f: &F,
                out: &mut [MaybeUninit<O::Element>],
                $($x: RawSlice<'_, $X::Element>),*
            ) {
                // SAFETY: forwarded: same contract as this function.
                unsafe { Self::elements_in_place(f, out, $($x),*) };
            }

            /// # Safety
            /// All elements of `out` must be initialised, and elements of the first parameter.
            #[inline(always)]
            unsafe fn elements_in_place(
                f: &F,
                out: &mut [MaybeUninit<O::Element>],
                $($x: RawSlice<'_, $X::Element>),*
            ) {
                let len = out.len();
                $(let $x = $x.first(len);)*
                for i in 0..len {
                    // SAFETY: element `i` is initialised and of this type.
                    let first = unsafe { out[i].as_ptr().cast::<$A::Element>().read() };
                    let result = f($A::from_element(first), $($X::from_element($x.get(i))),*);
                    out[i].write(result.into_element());
                }
            }
        }

        impl<'f> Body<'f, $blocks> {
            /// Makes a body of a closure.
            pub(crate) fn of_closure<$A: Value, $($X: Value,)* O: Value, F>(f: &'f F) -> Body<'f, $blocks>
            where
                F: Fn($A, $($X),*) -> O + Sync,
            {
                let run = ClosureMap::<F, O, ($A, $($X,)*)>::run;
                Body::new([O::DTYPE, $A::DTYPE, $($X::DTYPE),*], f, run).taking_first_in_place()
            }
        }
    };
}

/// Implements the loops without an output.
macro_rules! closure_folds {
    ($inputs:literal: $($X:ident $x:ident $k:literal),+) => {
        impl<$($X: Value,)+ S, F> ClosureFold<F, S, ($($X,)+)>
        where
            F: FnMut(S, $($X),+) -> S,
        {
            /// # Safety
            /// That of `BlockFold::call` for these types, with a `FoldState<S, F>` as the context, which is borrowed
            /// exclusively.
            unsafe fn run(context: *mut (), rows: FoldRows<$inputs>) {
                // SAFETY: the context is a `FoldState<S, F>` (this function's contract).
                let fold = unsafe { &mut *context.cast::<FoldState<S, F>>() };
                if rows.steps.map(|it| it.cols) == [$(size_of::<$X::Element>() as isize),+] {
                    match cpu::level() {
                        #[cfg(target_arch = "x86_64")]
                        // SAFETY: the processor is of this level; the elements of each row are contiguous, and readable as
                        // this function's contract says.
                        Level::Avx2 | Level::Avx512 => unsafe { Self::avx2(fold, rows) },
                        // SAFETY: as above.
                        Level::Baseline => unsafe { Self::baseline(fold, rows) },
                    }
                    return;
                }
                let Some(mut state) = fold.state.take() else { return };
                let [n_rows, len] = rows.counts;
                let steps = rows.steps.map(|it| it.cols);
                for r in 0..n_rows as isize {
                    let row = array_of(|n| rows.at[n].wrapping_offset(r * rows.steps[n].rows));
                    // SAFETY: the row has `len` elements at these steps, which are readable, aligned and initialised.
                    state = unsafe { Self::strided_row(&mut fold.f, state, row, steps, len) };
                }
                fold.state = Some(state);
            }

            /// Calls the closure for one row. Not inlined into the loop over rows, which takes the registers of its pointers
            /// and steps: three operands took 11.2 µs for 128² elements instead of 7.6.
            ///
            /// # Safety
            /// The steps must lead from `at` to `len` elements that are readable, aligned and initialised.
            #[inline(never)]
            unsafe fn strided_row(
                f: &mut F,
                mut state: S,
                at: [*const u8; $inputs],
                steps: [isize; $inputs],
                len: usize,
            ) -> S {
                for i in 0..len as isize {
                    $(
                        // SAFETY: element `i` is readable, aligned and initialised.
                        let $x = unsafe { at[$k].offset(i * steps[$k]).cast::<$X::Element>().read() };
                    )+
                    state = f(state, $($X::from_element($x)),+);
                }
                state
            }

            /// # Safety
            /// That of `elements`.
            #[inline(never)]
            unsafe fn baseline(fold: &mut FoldState<S, F>, rows: FoldRows<$inputs>) {
                // SAFETY: forwarded: same contract as this function.
                unsafe { Self::elements(fold, rows) };
            }

            /// # Safety
            /// That of `elements`.
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            unsafe fn avx2(fold: &mut FoldState<S, F>, rows: FoldRows<$inputs>) {
                // SAFETY: forwarded: same contract as this function.
                unsafe { Self::elements(fold, rows) };
            }

            /// # Safety
            /// That of `BlockFold::call` for these types; the elements of each row must be contiguous.
            #[inline(always)]
            unsafe fn elements(fold: &mut FoldState<S, F>, rows: FoldRows<$inputs>) {
                let Some(mut state) = fold.state.take() else { return };
                let [n_rows, len] = rows.counts;
                for r in 0..n_rows {
                    $(
                        let at = rows.at[$k].wrapping_offset(r as isize * rows.steps[$k].rows);
                        // SAFETY: the row has `len` contiguous elements, which are aligned and initialised.
                        let $x = unsafe { RawSlice::<$X::Element>::new(at.cast(), len) };
                    )+
                    for i in 0..len {
                        state = (fold.f)(state, $($X::from_element($x.get(i))),+);
                    }
                }
                fold.state = Some(state);
            }
        }

        impl<'f> BlockFold<'f, $inputs> {
            /// Makes a fold of a closure and its state.
            pub(crate) fn new<$($X: Value,)+ S, F>(fold: &'f mut FoldState<S, F>) -> Self
            where
                F: FnMut(S, $($X),+) -> S,
            {
                let run = ClosureFold::<F, S, ($($X,)+)>::run;
                let context = std::ptr::from_mut(fold).cast();
                BlockFold { types: [$($X::DTYPE),+], run, context, closure: PhantomData }
            }
        }
    };
}

closure_loops!(2, 1: A a 0);
closure_loops!(3, 2: A a 0, B b 1);
closure_loops!(4, 3: A a 0, B b 1, C c 2);
closure_loops!(5, 4: A a 0, B b 1, C c 2, D d 3);
closure_loops!(6, 5: A a 0, B b 1, C c 2, D d 3, E e 4);
closure_loops!(7, 6: A a 0, B b 1, C c 2, D d 3, E e 4, G g 5);

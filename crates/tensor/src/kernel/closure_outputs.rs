//! Closures of the user with two to four outputs, as loops over blocks.
//!
//! They are compiled as those of `closure.rs`, with the closure inside of the loop, for the baseline and for AVX2. The
//! closure takes its arguments as one tuple ([`ArgumentTuple`]) and returns its results as another ([`ResultTuple`]), so the
//! loops are written once for each number of outputs. Each output is a reference parameter of its own: the compiler knows
//! then that no two of them, and no captured variable, share memory. An input that is an output is staged (`body.rs`).

use super::body::{BlockCall, Body};
use super::cpu::{self, Level};
use super::raw_slice::RawSlice;
use crate::arrays::array_of;
use crate::{DType, Value};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

/// The arguments of a closure: a tuple of one to six values.
pub(crate) trait ArgumentTuple: Copy {
    const TYPES: &'static [DType];

    /// The blocks that hold the arguments.
    type Blocks<'a>: Copy;

    /// Returns blocks of `len` elements.
    ///
    /// # Safety
    /// Block `n` must have `len` elements of `TYPES[n]`, readable for `'a`, initialised and aligned.
    unsafe fn blocks<'a>(blocks: &[*mut u8], len: usize) -> Self::Blocks<'a>;

    /// Returns the first `len` elements of each block.
    ///
    /// # Panics
    /// If there are fewer.
    fn first(blocks: Self::Blocks<'_>, len: usize) -> Self::Blocks<'_>;

    /// Returns the arguments at position `i`.
    ///
    /// # Panics
    /// If there is no such position.
    fn get(blocks: Self::Blocks<'_>, i: usize) -> Self;
}

/// The results of a closure: a tuple of two to four values.
pub(crate) trait ResultTuple: Sized {
    /// Makes a body of a closure; `N` is the number of results and arguments.
    fn body<X: ArgumentTuple, F: Fn(X) -> Self + Sync, const N: usize>(f: &F) -> Body<'_, N>;
}

/// The loop over a closure from the arguments `X` to the results `R`.
struct OutputLoop<F, X, R>(PhantomData<(F, X, R)>);

/// Implements `ArgumentTuple`: for each argument a type, a name and a position.
macro_rules! argument_tuple {
    ($($X:ident $x:ident $k:literal),+) => {
        impl<$($X: Value),+> ArgumentTuple for ($($X,)+) {
            const TYPES: &'static [DType] = &[$($X::DTYPE),+];

            type Blocks<'a> = ($(RawSlice<'a, $X::Element>,)+);

            #[inline(always)]
            unsafe fn blocks<'a>(blocks: &[*mut u8], len: usize) -> Self::Blocks<'a> {
                $(
                    // SAFETY: the block has `len` elements of this type, which are readable and aligned (contract).
                    let $x = unsafe { RawSlice::new(blocks[$k].cast(), len) };
                )+
                ($($x,)+)
            }

            #[inline(always)]
            fn first(($($x,)+): Self::Blocks<'_>, len: usize) -> Self::Blocks<'_> {
                ($($x.first(len),)+)
            }

            #[inline(always)]
            fn get(($($x,)+): Self::Blocks<'_>, i: usize) -> Self {
                ($($X::from_element($x.get(i)),)+)
            }
        }
    };
}

argument_tuple!(A a 0);
argument_tuple!(A a 0, B b 1);
argument_tuple!(A a 0, B b 1, C c 2);
argument_tuple!(A a 0, B b 1, C c 2, D d 3);
argument_tuple!(A a 0, B b 1, C c 2, D d 3, E e 4);
argument_tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, G g 5);

/// Implements `ResultTuple` and its loop: the number of results; and for each a type, the name of its output and a position.
macro_rules! result_tuple {
    ($n_outputs:literal: $($O:ident $out:ident $k:tt),+) => {
        #[allow(clippy::too_many_arguments, reason = "references that do not alias are parameters")]
        impl<$($O: Value,)+ X: ArgumentTuple, F: Fn(X) -> ($($O,)+)> OutputLoop<F, X, ($($O,)+)> {
            /// # Safety
            /// That of `Body::call` for these types, with an `F` as the context; no block is broadcast, and no input is an
            /// output.
            unsafe fn run<const N: usize>(call: BlockCall<N>) {
                let len = call.len;
                // SAFETY: the context is an `F`, and the inputs have `len` elements, which are aligned and initialised.
                let (f, inputs) = unsafe {
                    (&*call.context.cast::<F>(), X::blocks(&call.blocks[$n_outputs..], len))
                };
                $(
                    // SAFETY: the output has `len` elements, which are aligned, may be uninitialised, and are no elements of
                    // an input or of another output.
                    let $out = unsafe {
                        let first = call.blocks[$k].cast::<MaybeUninit<$O::Element>>();
                        slice::from_raw_parts_mut(first, len)
                    };
                )+
                match cpu::level() {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the processor is of this level.
                    Level::Avx2 | Level::Avx512 => unsafe { Self::avx2(f, $($out,)+ inputs) },
                    Level::Baseline => Self::baseline(f, $($out,)+ inputs),
                }
            }

            #[inline(never)]
            fn baseline(
                f: &F,
                $($out: &mut [MaybeUninit<$O::Element>],)+
                inputs: X::Blocks<'_>,
            ) {
                Self::elements(f, $($out,)+ inputs);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            fn avx2(
                f: &F,
                $($out: &mut [MaybeUninit<$O::Element>],)+
                inputs: X::Blocks<'_>,
            ) {
                Self::elements(f, $($out,)+ inputs);
            }

            #[inline(always)]
            fn elements(
                f: &F,
                $($out: &mut [MaybeUninit<$O::Element>],)+
                inputs: X::Blocks<'_>,
            ) {
                let [len, ..] = [$($out.len()),+];
                let inputs = X::first(inputs, len);
                $(let $out = &mut $out[..len];)+
                for i in 0..len {
                    let results = f(X::get(inputs, i));
                    $($out[i].write(results.$k.into_element());)+
                }
            }
        }

        impl<$($O: Value),+> ResultTuple for ($($O,)+) {
            fn body<X: ArgumentTuple, F: Fn(X) -> Self + Sync, const N: usize>(f: &F) -> Body<'_, N> {
                const { assert!(N == $n_outputs + X::TYPES.len(), "a block for each operand") };
                let types = array_of(|n| match n {
                    $($k => $O::DTYPE,)+
                    n => X::TYPES[n - $n_outputs],
                });
                Body::new(types, f, OutputLoop::<F, X, Self>::run).with_outputs($n_outputs)
            }
        }
    };
}

result_tuple!(2: O first 0, P second 1);
result_tuple!(3: O first 0, P second 1, Q third 2);
result_tuple!(4: O first 0, P second 1, Q third 2, R fourth 3);

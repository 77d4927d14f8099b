//! The methods of [`Zip`], for each number of operands.
//!
//! They are written once for each number, and not behind a trait, because the compiler finds the types of a closure's
//! parameters (the state of a fold) only where the bound is `Fn`.

use super::{ClosureResult, Zip};
use crate::kernel::body::Body;
use crate::kernel::closure::{BlockFold, FoldState};
use crate::op::operand::{Operand, Target};
use crate::trace::Call;
use crate::{Error, Tensor, Value};

/// Implements `Zip` for `M` operands; `N` is `M + 1`, and `map_closure_into` the method of [`ClosureResult`] for `M` operands.
/// The texts are for the examples: operands, parameters, and their sum.
macro_rules! arity {
    ($M:literal, $N:literal, $map_closure_into:ident: $($X:ident $x:ident),+; $operands:literal, $params:literal, $sum:literal) => {
        impl<'a, $($X: Into<Operand<'a>>),+> From<($($X,)+)> for Zip<'a, $M> {
            fn from(($($x,)+): ($($X,)+)) -> Zip<'a, $M> {
                Zip { operands: [$($x.into()),+] }
            }
        }

        impl Zip<'_, $M> {
            /// Returns a new tensor of the closure's results, which is called in any order and on several threads.
            ///
            /// ```
            /// use belvedere::prelude::*;
            ///
            /// let x = tensor![1.0, 2.0];
            #[doc = concat!("let y = zip((", $operands, ")).map(|", $params, "| ", $sum, ")?;")]
            #[doc = concat!("assert_eq!(y.to_vec::<f64>()?, x.mul(", $M, ")?.to_vec::<f64>()?);")]
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Errors
            /// If an operand has another dtype than the closure's parameter, the shapes do not broadcast, or a write
            /// guard holds some of the elements.
            ///
            /// # Memory
            /// Copies nothing; the result is a new tensor, in the memory order of the operands if they agree.
            #[track_caller]
            pub fn map<$($X: Value,)+ O: Value>(
                mut self,
                f: impl Fn($($X),+) -> O + Sync,
            ) -> Result<Tensor, Error> {
                self.compute_closure(&Body::<$N>::of_closure(&f), Call::new("map"))
            }

            /// Writes the closure's results to `out`, which may be one of the operands. The closure is called in any order
            /// and on several threads.
            ///
            /// A closure that returns a tuple of two to four values writes to as many outputs, in one pass.
            ///
            /// ```
            /// use belvedere::prelude::*;
            ///
            /// let (x, y) = (tensor![1.0, 2.0], tensor![0.0, 0.0]);
            #[doc = concat!("zip((", $operands, ")).map_into(&y, |", $params, "| ", $sum, ")?;")]
            #[doc = concat!("assert_eq!(y.to_vec::<f64>()?, x.mul(", $M, ")?.to_vec::<f64>()?);")]
            ///
            /// let is_large = tensor![false, false];
            #[doc = concat!("zip((", $operands, ")).map_into((&y, &is_large), |", $params, "| (-a, ", $sum, " > 1.5 * ", $M, ".0))?;")]
            /// assert_eq!(y.to_vec::<f64>()?, [-1.0, -2.0]);
            /// assert_eq!(is_large.to_vec::<bool>()?, [false, true]);
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Errors
            /// If an operand has another dtype than the closure's parameter, or an output than its result; if the
            /// shapes do not broadcast, or an output has another shape than the result; if an output cannot be written
            /// to, shares elements with another one, or a guard holds some of the elements.
            ///
            /// # Memory
            /// Copies an operand first if it shares elements with an output, unless both have the same strides.
            #[track_caller]
            pub fn map_into<'b, $($X: Value,)+ R: ClosureResult>(
                mut self,
                out: impl Into<R::Targets<'b>>,
                f: impl Fn($($X),+) -> R + Sync,
            ) -> Result<(), Error> {
                R::$map_closure_into(&mut self, out.into(), &f)
            }

            /// Calls the closure for all elements, in row-major order and on this thread.
            ///
            /// ```
            /// use belvedere::prelude::*;
            ///
            /// let (x, mut sums) = (tensor![1.0, 2.0], Vec::new());
            #[doc = concat!("zip((", $operands, ")).for_each(|", $params, "| sums.push(", $sum, "))?;")]
            #[doc = concat!("assert_eq!(sums, x.mul(", $M, ")?.to_vec::<f64>()?);")]
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Errors
            /// If an operand has another dtype than the closure's parameter, the shapes do not broadcast, or a write
            /// guard holds some of the elements.
            ///
            /// # Memory
            /// Copies nothing.
            #[track_caller]
            pub fn for_each<$($X: Value),+>(
                mut self,
                mut f: impl FnMut($($X),+),
            ) -> Result<(), Error> {
                let mut fold = FoldState::new((), move |(), $($x: $X),+| f($($x),+));
                self.visit_closure(BlockFold::<$M>::new(&mut fold), Call::new("for_each"))
            }

            /// Passes a state from element to element, in row-major order and on this thread, and returns the last one.
            ///
            /// ```
            /// use belvedere::prelude::*;
            ///
            /// let x = tensor![1.0, 2.0];
            #[doc = concat!("let total = zip((", $operands, ")).fold(0.0, |total, ", $params, "| total + ", $sum, ")?;")]
            #[doc = concat!("assert_eq!(total, ", $M, " as f64 * 3.0);")]
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Errors
            /// If an operand has another dtype than the closure's parameter, the shapes do not broadcast, or a write
            /// guard holds some of the elements.
            ///
            /// # Memory
            /// Copies nothing.
            #[track_caller]
            pub fn fold<S, $($X: Value),+>(
                mut self,
                initial: S,
                f: impl FnMut(S, $($X),+) -> S,
            ) -> Result<S, Error> {
                let mut fold = FoldState::new(initial, f);
                self.visit_closure(BlockFold::<$M>::new(&mut fold), Call::new("fold"))?;
                Ok(fold.into_state())
            }

            // Not generic, so that what they call is compiled in this crate.

            fn compute_closure(
                &mut self,
                body: &Body<'_, $N>,
                call: Call<'_>,
            ) -> Result<Tensor, Error> {
                self.compute(body, call)
            }

            pub(super) fn compute_closure_into(
                &mut self,
                body: &Body<'_, $N>,
                out: Target<'_>,
                call: Call<'_>,
            ) -> Result<(), Error> {
                self.compute_into(body, out, call)
            }

            fn visit_closure(
                &mut self,
                fold: BlockFold<'_, $M>,
                call: Call<'_>,
            ) -> Result<(), Error> {
                self.visit(fold, call)
            }
        }
    };
}

arity!(1, 2, map_1_into: A a; "&x,", "a: f64", "a");
arity!(2, 3, map_2_into: A a, B b; "&x, &x", "a: f64, b: f64", "a + b");
arity!(3, 4, map_3_into: A a, B b, C c; "&x, &x, &x", "a: f64, b: f64, c: f64", "a + b + c");
arity!(4, 5, map_4_into: A a, B b, C c, D d;
       "&x, &x, &x, &x", "a: f64, b: f64, c: f64, d: f64", "a + b + c + d");
arity!(5, 6, map_5_into: A a, B b, C c, D d, E e;
       "&x, &x, &x, &x, &x", "a: f64, b: f64, c: f64, d: f64, e: f64", "a + b + c + d + e");
arity!(6, 7, map_6_into: A a, B b, C c, D d, E e, G g;
       "&x, &x, &x, &x, &x, &x", "a: f64, b: f64, c: f64, d: f64, e: f64, g: f64", "a + b + c + d + e + g");

//! What a closure of `map_into` returns, and where it is written: one output, or several.

use super::{Zip, check_type, set_types};
use crate::kernel::body::Body;
use crate::kernel::closure_outputs::ResultTuple;
use crate::kernel::map::map_to_outputs;
use crate::kernel::map_lens;
use crate::op::execute::compute_into_several;
use crate::op::operand::{Operand, Target};
use crate::trace::Call;
use crate::view::{AnyViewMut, Source};
use crate::{Error, Value};
use belvedere_layout::broadcast_shapes;

mod sealed {
    /// Implemented here only.
    pub trait SealedResult {}
}

/// Declares `ClosureResult`, with a method for each number of operands.
macro_rules! closure_result {
    ($(#[$doc:meta])* $($name:ident $M:literal: $($X:ident)+;)+) => {
        $(#[$doc])*
        pub trait ClosureResult: Sized + sealed::SealedResult {
            /// The outputs: a [`Target`] for a value, [`Targets`] for a tuple.
            type Targets<'b>;

            $(
                #[doc(hidden)]
                #[track_caller]
                fn $name<$($X: Value,)+ F: Fn($($X),+) -> Self + Sync>(
                    zip: &mut Zip<'_, $M>,
                    outs: Self::Targets<'_>,
                    f: &F,
                ) -> Result<(), Error>;
            )+
        }
    };
}

closure_result! {
    /// What a closure of [`Zip::map_into`](Zip#method.map_into) returns: a value, or a tuple of two to four values, each for an
    /// output of its own.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![7, 8, 9];
    /// let (quotients, remainders) = (tensor![0, 0, 0], tensor![0, 0, 0]);
    /// zip((&x,)).map_into((&quotients, &remainders), |a: i32| (a / 4, a % 4))?;
    /// assert_eq!(quotients.to_vec::<i32>()?, [1, 2, 2]);
    /// assert_eq!(remainders.to_vec::<i32>()?, [3, 0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```

    map_1_into 1: A;
    map_2_into 2: A B;
    map_3_into 3: A B C;
    map_4_into 4: A B C D;
    map_5_into 5: A B C D E;
    map_6_into 6: A B C D E G;
}

/// The outputs of an operation with `K` of them: a tuple of tensors and typed views.
///
/// ```edition2021
/// use belvedere::{Targets, ViewMut, prelude::*};
///
/// let (sums, mut products) = (tensor![0.0, 0.0], [0.0; 2]);
/// let outs = Targets::from((&sums, ViewMut::from(&mut products[..])));
/// zip((&tensor![1.0, 2.0], 10.0)).map_into(outs, |a: f64, b: f64| (a + b, a * b))?;
/// assert_eq!((sums.to_vec::<f64>()?, products), (vec![11.0, 12.0], [10.0, 20.0]));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Targets<'a, const K: usize>([Target<'a>; K]);

/// Implements `ClosureResult` for one value: for each number of operands the number of blocks.
macro_rules! one_result {
    ($($name:ident $M:literal $N:literal: $($X:ident)+;)+) => {
        impl<T: Value> sealed::SealedResult for T {}

        impl<T: Value> ClosureResult for T {
            type Targets<'b> = Target<'b>;

            $(
                #[track_caller]
                fn $name<$($X: Value,)+ F: Fn($($X),+) -> T + Sync>(
                    zip: &mut Zip<'_, $M>,
                    out: Target<'_>,
                    f: &F,
                ) -> Result<(), Error> {
                    zip.compute_closure_into(&Body::<$N>::of_closure(f), out, Call::new("map"))
                }
            )+
        }
    };
}

one_result! {
    map_1_into 1 2: A;
    map_2_into 2 3: A B;
    map_3_into 3 4: A B C;
    map_4_into 4 5: A B C D;
    map_5_into 5 6: A B C D E;
    map_6_into 6 7: A B C D E G;
}

/// Implements `ClosureResult` for a tuple: its types and the number of them; and for each number of operands the number of
/// blocks.
macro_rules! several_results {
    ([$($O:ident $out:ident),+] $K:literal; $($name:ident $M:literal $N:literal: $($X:ident $x:ident),+;)+) => {
        impl<$($O: Value),+> sealed::SealedResult for ($($O,)+) {}

        impl<'a, $($O: Into<Target<'a>>),+> From<($($O,)+)> for Targets<'a, $K> {
            fn from(($($out,)+): ($($O,)+)) -> Targets<'a, $K> {
                Targets([$($out.into()),+])
            }
        }

        impl<$($O: Value),+> ClosureResult for ($($O,)+) {
            type Targets<'b> = Targets<'b, $K>;

            $(
                #[track_caller]
                fn $name<$($X: Value,)+ F: Fn($($X),+) -> Self + Sync>(
                    zip: &mut Zip<'_, $M>,
                    outs: Targets<'_, $K>,
                    f: &F,
                ) -> Result<(), Error> {
                    let of_tuple = |($($x,)+): ($($X,)+)| f($($x),+);
                    let body: Body<'_, $N> = Self::body(&of_tuple);
                    body.compute_outputs(&mut zip.operands, &outs.0, Call::new("map"))
                }
            )+
        }
    };
}

several_results! {
    [O first, P second] 2;
    map_1_into 1 3: A a;
    map_2_into 2 4: A a, B b;
    map_3_into 3 5: A a, B b, C c;
    map_4_into 4 6: A a, B b, C c, D d;
    map_5_into 5 7: A a, B b, C c, D d, E e;
    map_6_into 6 8: A a, B b, C c, D d, E e, G g;
}

several_results! {
    [O first, P second, Q third] 3;
    map_1_into 1 4: A a;
    map_2_into 2 5: A a, B b;
    map_3_into 3 6: A a, B b, C c;
    map_4_into 4 7: A a, B b, C c, D d;
    map_5_into 5 8: A a, B b, C c, D d, E e;
    map_6_into 6 9: A a, B b, C c, D d, E e, G g;
}

several_results! {
    [O first, P second, Q third, S fourth] 4;
    map_1_into 1 5: A a;
    map_2_into 2 6: A a, B b;
    map_3_into 3 7: A a, B b, C c;
    map_4_into 4 8: A a, B b, C c, D d;
    map_5_into 5 9: A a, B b, C c, D d, E e;
    map_6_into 6 10: A a, B b, C c, D d, E e, G g;
}

/// Not generic, so that what they call is compiled in this crate.
macro_rules! compute_outputs {
    ($($N:literal)+) => {$(
        impl Body<'_, $N> {
            /// Calls the body for the elements of the operands and writes to the outputs.
            fn compute_outputs(
                &self,
                operands: &mut [Operand<'_>],
                outs: &[Target<'_>],
                call: Call<'_>,
            ) -> Result<(), Error> {
                compute_outputs(self, operands, outs, call)
            }
        }
    )+};
}

compute_outputs!(3 4 5 6 7 8 9 10);

/// Calls a body for the elements of operands and writes to outputs that exist.
fn compute_outputs<const N: usize>(
    body: &Body<'_, N>,
    operands: &mut [Operand<'_>],
    outs: &[Target<'_>],
    call: Call<'_>,
) -> Result<(), Error> {
    let types = body.types();
    let (out_types, in_types) = types.split_at(outs.len());
    set_types(operands, in_types)?;
    for (out, dtype) in outs.iter().zip(out_types) {
        check_type(*dtype, out.dtype())?;
    }
    let shapes: Vec<_> = operands.iter().map(Operand::shape).collect();
    let shape = broadcast_shapes(&shapes.iter().map(|it| &it[..]).collect::<Vec<_>>())?;
    for out in outs {
        out.check_shape(call.op, &shape)?;
    }
    let operands = &*operands;
    compute_into_several(call.running_user_code().planned(), outs, operands, |outs, sources| {
        calculate_outputs(body, outs, sources, operands);
    })
}

/// Calls a body for operands, broadcast to the shape of the outputs.
fn calculate_outputs<const N: usize>(
    body: &Body<'_, N>,
    outs: &mut [AnyViewMut<'_>],
    mut sources: Vec<Source<'_>>,
    operands: &[Operand<'_>],
) {
    let shape = &outs[0].layout().shape();
    if operands.iter().any(|it| it.lens().is_some()) {
        let pairs = sources.into_iter().zip(operands);
        let streams = pairs.map(|(source, operand)| operand.stream(source, shape));
        return map_lens::map_to_outputs(body, outs, &streams.collect::<Vec<_>>());
    }
    for source in &mut sources {
        if let Source::View(view) = source {
            view.broadcast(shape).expect("the shapes were broadcast");
        }
    }
    map_to_outputs(body, outs, &sources);
}

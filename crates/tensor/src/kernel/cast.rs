//! Casts: the bodies that convert elements of one type to another.

use super::body::Body;
use crate::dtype::{AnyTask, PairTask};
use crate::{DType, Element};

/// Returns the body that casts elements. From complex to real the imaginary part is dropped: operations refuse
/// such a cast before, except where the real part is asked for.
pub(crate) fn cast(from: DType, to: DType) -> Body<'static, 2> {
    struct CastTask;

    impl PairTask for CastTask {
        type Output = Body<'static, 2>;

        fn run<A: Element, B: Element>(self) -> Body<'static, 2> {
            if const { !is_own_loop(A::DTYPE, B::DTYPE) } {
                unreachable!("another pair of dtypes has the loop of this one");
            } else if const { A::DTYPE.is_complex() || B::DTYPE.is_complex() } {
                // Bound by memory also without wide vectors.
                Body::unary_calls(|x: A| x.cast::<B>())
            } else {
                Body::unary(|x: A| x.cast::<B>())
            }
        }
    }

    struct IdentityTask;

    impl AnyTask for IdentityTask {
        type Output = Body<'static, 2>;

        /// Copies the bits: signalling NaNs are kept, and so is every nonzero byte of a `bool`.
        fn run<T: Element>(self) -> Body<'static, 2> {
            if const { !is_own_loop(T::DTYPE, T::DTYPE) } {
                unreachable!("another dtype has the loop of this one");
            } else {
                Body::unary(|x: T| x)
            }
        }
    }

    let (read, written) = loop_types(from, to);
    let body = match read == written {
        true => read.with_any(IdentityTask),
        false => read.with_pair(written, CastTask),
    };
    body.with_bits_of([to, from])
}

/// Returns the dtypes for which the loop of a cast is compiled: casts that do the same with the bits of their elements
/// share it. Whether an integer is signed matters only if it is widened or becomes a floating-point number.
const fn loop_types(from: DType, to: DType) -> (DType, DType) {
    let is_integer = from.is_integer() && (to.is_integer() || to.is_bool());
    if from as u8 == to as u8 {
        return (from.bits(), to.bits());
    }
    let read = if is_integer && to.size() <= from.size() { from.bits() } else { from };
    let written = if to.is_integer() && (is_integer || from.is_bool()) { to.bits() } else { to };
    (read, written)
}

/// Whether a cast has a loop of its own.
const fn is_own_loop(from: DType, to: DType) -> bool {
    let (read, written) = loop_types(from, to);
    read as u8 == from as u8 && written as u8 == to as u8
}

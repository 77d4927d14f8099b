//! The bodies that convert elements of one type to another.

use super::body::Body;
use crate::dtype::{AnyTask, PairTask};
use crate::{DType, Element};

/// Converts elements. From complex to real the imaginary part is dropped: operations refuse that
/// before they get here, except where the real part is what is asked for.
pub(crate) fn cast(from: DType, to: DType) -> Body<'static, 2> {
    struct Cast;

    impl PairTask for Cast {
        type Output = Body<'static, 2>;

        fn run<A: Element, B: Element>(self) -> Body<'static, 2> {
            Body::unary(|x: A| x.cast::<B>())
        }
    }

    struct Same;

    impl AnyTask for Same {
        type Output = Body<'static, 2>;

        /// Bit by bit: no NaN is made quiet, and no byte that is true becomes another.
        fn run<T: Element>(self) -> Body<'static, 2> {
            Body::unary(|x: T| x)
        }
    }

    if from == to {
        return from.with_any(Same);
    }
    from.with_pair(to, Cast)
}

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
            Body::unary(|x: A| x.cast::<B>())
        }
    }

    struct IdentityTask;

    impl AnyTask for IdentityTask {
        type Output = Body<'static, 2>;

        /// Copies the bits: signalling NaNs are kept, and so is every nonzero byte of a `bool`.
        fn run<T: Element>(self) -> Body<'static, 2> {
            Body::unary(|x: T| x)
        }
    }

    if from == to {
        return from.with_any(IdentityTask);
    }
    from.with_pair(to, CastTask)
}

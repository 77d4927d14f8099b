//! `where`: selection between two operands by a condition.

use crate::dtype::AnyTask;
use crate::kernel::body::Body;
use crate::op::elementwise::TernaryOp;
use crate::op::operand::{Operand, Target};
use crate::trace::Call;
use crate::{Bool, DType, Element, Error, Tensor};

pub(in crate::op) const WHERE: TernaryOp =
    TernaryOp { typed_from: 1, ..TernaryOp::new("where", where_body) };

fn where_body(dtype: DType) -> Option<Body<'static, 4>> {
    struct Choose;

    impl AnyTask for Choose {
        type Output = Body<'static, 4>;

        fn run<T: Element>(self) -> Body<'static, 4> {
            Body::ternary(|condition: Bool, x: T, y: T| if condition.is_true() { x } else { y })
        }
    }

    Some(dtype.with_any(Choose))
}

/// Returns elements of `x` where `condition` is true, and of `y` where it is false.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![1, -2, 3];
/// let positive = belvedere::where_(&x.greater(0)?, &x, 0)?;
/// assert_eq!(positive.to_vec::<i32>()?, [1, 0, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the shapes do not broadcast.
///
/// # Memory
/// Allocates the result. A broadcast operand is copied first where that saves time
/// ([`Estimate`](crate::plan::Estimate)).
#[track_caller]
pub fn where_<'a>(
    condition: impl Into<Operand<'a>>,
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    WHERE.compute([condition.into(), x.into(), y.into()])
}

/// Writes [`where_`] of `condition`, `x` and `y` to `out`, which may be one of them.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![1, -2, 3];
/// belvedere::where_into(&x.less(0)?, 0, &x, &x)?;
/// assert_eq!(x.to_vec::<i32>()?, [1, 0, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Those of [`where_`]; and if `out` has another shape, cannot hold the dtype, or cannot be written to.
///
/// # Memory
/// Copies an operand first if it overlaps `out` with other strides.
#[track_caller]
pub fn where_into<'a>(
    condition: impl Into<Operand<'a>>,
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call::new(WHERE.name);
    WHERE.compute_into([condition.into(), x.into(), y.into()], out.into(), call)
}

//! `zip`: closures over the elements of several tensors.
//!
//! The methods of [`Zip`] are generic over the closure, so they are compiled in the crates that call them. They make a
//! loop over blocks of it (`kernel/closure.rs`) and pass that on to functions that are not generic, which are compiled
//! here: dtypes, broadcasting, borrows, overlap and the walk are those of every elementwise operation.

mod arity;
mod outputs;

pub use outputs::{ClosureResult, Targets};

use super::elementwise::{common_shape, compute_into_with, compute_with};
use super::execute::{SmallOperands, compute_small_closure_into, read_operands};
use super::operand::{Operand, Target};
use crate::kernel::body::Body;
use crate::kernel::closure::BlockFold;
use crate::kernel::fold::{fold_lenses, fold_views};
use crate::kernel::small::map_small;
use crate::trace::Call;
use crate::view::Source;
use crate::{DType, Error, Tensor};

/// One to six operands whose elements a closure takes together; made by [`zip`].
///
/// The operands are broadcast against each other, and may have any strides. The parameters of the closure must
/// have the types of their elements: another dtype is an error, not a cast. (A Rust number as an operand takes the type
/// of its parameter.)
///
/// | method | closure | order | returns |
/// |---|---|---|---|
/// | `map` | `Fn(A, B) -> O + Sync` | any, on several threads | a new tensor |
/// | `map_into` | `Fn(A, B) -> O + Sync` | any, on several threads | writes to a tensor or a view |
/// | `map_into` | `Fn(A, B) -> (O, P) + Sync` | any, on several threads | writes to two to four tensors or views |
/// | `for_each` | `FnMut(A, B)` | row-major, on this thread | nothing |
/// | `fold` | `FnMut(S, A, B) -> S` | row-major, on this thread | the last state |
///
/// `map` and `map_into` visit elements in the order that suits the memory, as the built-in operations do: operands that
/// are not contiguous are packed block by block, so the loop around the closure is over contiguous elements and can be
/// vectorized. On x86-64 it is compiled for AVX2 as well, and chosen at run time.
///
/// # The outputs
/// An output of `map_into` must have the broadcast shape and the dtype of the results. It may be one of the operands,
/// which updates it in place: `zip((&y, &x)).map_into(&y, |y: f32, x: f32| y + x)`. The results are always as if all operands had
/// been copied before: one that shares elements with an output is copied first, as an [event](crate::trace),
/// unless it has the same strides. Inside of [`copies::forbid`](crate::copies::forbid) that is an error.
///
/// A closure that returns a tuple of two to four values writes to a tuple of as many outputs, of any dtypes and strides:
/// `zip((&a, &b)).map_into((&y, &z), |a: f32, b: f32| (a + b, a * b))`. No two of them may share an element.
///
/// # While the closure runs
/// The operands are borrowed as by [`Tensor::read`], and the outputs as by [`Tensor::write`]. So an operation on them,
/// inside of the closure or on another thread, never waits: it may read what is only read here, and any other access is an
/// error of kind [`Borrow`](crate::ErrorKind::Borrow). If the closure panics, the panic reaches the caller after all threads
/// have stopped; the borrows are released, and existing outputs are written in part.
///
/// # Which one to use
/// - [`Tensor::map`] and [`Tensor::map_assign`] are `zip` of one tensor.
/// - An expression of built-in operations, for dtypes that are known at run time: [`lazy`](crate::lazy).
/// - Loops that need indices or neighbours: the views of [`Tensor::read`] and [`Tensor::write`].
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// let weights = tensor![10.0, 100.0];
/// let y = zip((&x, &x.t()?, &weights)).map(|a: f64, b: f64, w: f64| (a - b).abs() * w)?;
/// assert_eq!(y.to_vec::<f64>()?, [0.0, 100.0, 10.0, 0.0]);
///
/// let dot = zip((&x, &weights)).fold(0.0, |sum, a: f64, w: f64| sum + a * w)?;
/// assert_eq!(dot, 640.0);
///
/// zip((&y, &x)).map_into(&y, |y: f64, x: f64| y.max(x))?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 100.0, 10.0, 4.0]);
///
/// // One pass, two outputs: a step of gradient descent with momentum.
/// let (gradient, velocity) = (tensor![[1.0, 1.0], [2.0, 2.0]], Tensor::zeros_of::<f64>([2, 2])?);
/// zip((&x, &velocity, &gradient)).map_into((&x, &velocity), |x: f64, v: f64, g: f64| {
///     let v = 0.9 * v + g;
///     (x - 0.5 * v, v)
/// })?;
/// assert_eq!(x.to_vec::<f64>()?, [0.5, 1.5, 2.0, 3.0]);
/// assert_eq!(velocity.to_vec::<f64>()?, [1.0, 1.0, 2.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "operands are read by `map`, `map_into`, `for_each` or `fold`"]
pub struct Zip<'a, const M: usize> {
    operands: [Operand<'a>; M],
}

/// Takes a tuple of one to six operands whose elements a closure takes together: tensors, views, lenses or numbers.
///
/// ```
/// use belvedere::prelude::*;
///
/// let (x, y) = (tensor![[1], [2]], tensor![10, 20, 30]);
/// let z = zip((&x, &y)).map(|a: i32, b: i32| a * b)?;
/// assert_eq!(z.to_vec::<i32>()?, [10, 20, 30, 20, 40, 60]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn zip<'a, const M: usize>(operands: impl Into<Zip<'a, M>>) -> Zip<'a, M> {
    operands.into()
}

// By reference: the operands are several hundred bytes, and moving them takes as long as a claim.
impl<const M: usize> Zip<'_, M> {
    /// Computes a new tensor.
    #[inline(always)]
    fn compute<const N: usize>(
        &mut self,
        body: &Body<'_, N>,
        call: Call<'_>,
    ) -> Result<Tensor, Error> {
        let types = body.types();
        set_types(&mut self.operands, &types[1..])?;
        let operands = &mut self.operands;
        let call = call.running_user_code();
        let event = call.announce();
        if let Some(small) = SmallOperands::borrow_as_guards(operands) {
            return small.compute(&event, small.shape, types[0], |out, inputs| {
                map_small(body, out, inputs)
            });
        }
        compute_with(body, &common_shape(operands)?, event.continued(call), operands)
    }

    /// Computes into an output that exists.
    #[inline(always)]
    fn compute_into<const N: usize>(
        &mut self,
        body: &Body<'_, N>,
        out: Target<'_>,
        call: Call<'_>,
    ) -> Result<(), Error> {
        let types = body.types();
        set_types(&mut self.operands, &types[1..])?;
        let operands = &mut self.operands;
        check_type(types[0], out.dtype())?;
        let call = call.running_user_code();
        let event = call.announce();
        if let Some(tensor) = out.tensor()
            && operands.iter().any(|it| it.has_shape_of(tensor))
            && compute_small_closure_into(&event, tensor, operands, |out, inputs| {
                map_small(body, out, inputs)
            })
        {
            return Ok(());
        }
        compute_into_with(body, &common_shape(operands)?, event.continued(call), operands, out)
    }

    /// Calls a fold for the elements in row-major order.
    fn visit(&mut self, mut block_fold: BlockFold<'_, M>, call: Call<'_>) -> Result<(), Error> {
        set_types(&mut self.operands, &block_fold.types())?;
        let operands = &self.operands;
        let shape = common_shape(operands)?;
        read_operands(call.running_user_code(), operands, |mut views| {
            if operands.iter().all(|it| it.lens().is_none()) {
                for view in &mut views {
                    view.broadcast(&shape).expect("the shapes were broadcast");
                }
                return fold_views(&mut block_fold, &views);
            }
            let mut pairs = views.into_iter().zip(operands);
            let sources = std::array::from_fn(|_| {
                let (view, operand) = pairs.next().expect("a view of each operand");
                operand.stream(Source::View(view), &shape)
            });
            fold_lenses(&mut block_fold, &sources, &shape);
        })
    }
}

/// Checks that operands have these dtypes. Numbers are given them.
///
/// # Errors
/// If one has another dtype, or a number does not fit.
#[inline]
fn set_types(operands: &mut [Operand<'_>], types: &[DType]) -> Result<(), Error> {
    for (operand, &dtype) in operands.iter_mut().zip(types) {
        operand.set_scalar_dtype(dtype)?;
        check_type(dtype, operand.dtype().unwrap_or(dtype))?;
    }
    Ok(())
}

/// Checks the dtype of an operand or of an output.
fn check_type(asked: DType, found: DType) -> Result<(), Error> {
    if asked == found { Ok(()) } else { Err(Error::WrongDType { asked, found }) }
}

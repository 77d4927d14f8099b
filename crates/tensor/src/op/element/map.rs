//! `map`: a user-defined function of each element.

use crate::kernel::body::Body;
use crate::kernel::map::map;
use crate::op::execute::compute_new;
use crate::plan::output_layout;
use crate::trace::{Call, composite, composite_into};
use crate::view::{AnyView, AnyViewMut, Source};
use crate::{Error, Tensor, Value};

impl Tensor {
    /// Applies a function to each element, in any order and from several threads.
    ///
    /// The tensor is borrowed while the function runs, as by [`Tensor::read`]: operations on the same memory
    /// inside the function may fail, but never block.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let odd = x.t()?.map(|value: i32| value % 2 == 1)?;
    /// assert_eq!(odd.to_vec::<bool>()?, [true, true, false, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the elements are of another type, or a write guard holds some of them.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn map<A: Value, O: Value>(&self, f: impl Fn(A) -> O + Sync) -> Result<Tensor, Error> {
        let call = Call::new("map");
        composite(call, &[self.into()], || {
            let guard = self.read::<A::Element>()?;
            let f = |x: A::Element| f(A::from_element(x)).into_element();
            let body = Body::unary_with(&f);
            let layout = output_layout(&self.shape(), &[self.layout()])?;
            let operands = [AnyView::from(&guard.view()).into()];
            compute_new(call.planned(), layout, O::DTYPE, &operands, |out, [view]| {
                map(&body, out, &[Source::View(view)])
            })
        })
    }

    /// Replaces each element by a function of it, in any order and from several threads.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// x.slice(s![1..])?.map_assign(|value: i32| value * value)?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 4, 9]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the elements are of another type, cannot be written to, or a guard holds some of them.
    ///
    /// # Memory
    /// Copies nothing.
    #[track_caller]
    pub fn map_assign<T: Value>(&self, f: impl Fn(T) -> T + Sync) -> Result<(), Error> {
        composite_into(Call::new("map"), &[self.into()], self.into(), |_| {
            let mut guard = self.write::<T::Element>()?;
            let f = |x: T::Element| f(T::from_element(x)).into_element();
            map(&Body::unary_with(&f), AnyViewMut::from(guard.view_mut()), &[Source::Output]);
            Ok(())
        })
    }
}

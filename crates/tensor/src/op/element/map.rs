//! `map`: a user-defined function of each element.

use crate::op::zip::zip;
use crate::{Error, Tensor, Value};

impl Tensor {
    /// Applies a function to each element, in any order and from several threads: [`zip`] of one tensor.
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
        zip((self,)).map(f)
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
        zip((self,)).map_into(self, f)
    }
}

//! Values out of a tensor.

use super::Tensor;
use super::create::reserve;
use crate::copies::{self, CopyReason};
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::line::copy_line;
use crate::kernel::map::map;
use crate::plan::output_layout;
use crate::view::{Along, Input, Lines, Rows, Source, fresh, only, read};
use crate::{DType, Element, Error, Layout, Value};
use std::panic::Location;

impl Tensor {
    /// The elements in logical order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.t()?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert_eq!(x.to_vec::<f32>().unwrap_err().to_string(), "expected a tensor of float32, got int32");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If they are of another type, a guard is writing to them, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn to_vec<T: Value>(&self) -> Result<Vec<T>, Error> {
        let caller = Location::caller();
        copies::announce("to_vec", CopyReason::Requested, &self.layout, self.dtype.size(), caller)?;
        let mut values = reserve(self.len())?;
        read([Input::Tensor(self)], |[view]| {
            let view = view.typed::<T::Element>()?;
            for run in view.runs() {
                values.extend(run.map(T::from_element));
            }
            Ok(values)
        })?
    }

    /// The only element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[7]].item::<i32>()?, 7);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not exactly one, it is of another type, or a guard is writing to it.
    pub fn item<T: Value>(&self) -> Result<T, Error> {
        if self.len() != 1 {
            return Err(Error::NotOneElement { shape: self.shape().into() });
        }
        if let Some(element) = only(self) {
            return Ok(T::from_element(element));
        }
        read([Input::Tensor(self)], |[view]| {
            let view = view.typed::<T::Element>()?;
            view.get(&vec![0; self.rank()]).map(T::from_element)
        })?
    }

    /// The element at an index.
    ///
    /// # Errors
    /// If there is none, it is of another type, or a guard is writing to it.
    pub fn get<T: Value>(&self, index: &[usize]) -> Result<T, Error> {
        let at = Layout::scalar(self.layout.offset(index)?)?;
        self.with_layout(at).item()
    }

    /// The elements as another type.
    ///
    /// Integers wrap around, floating-point numbers are rounded to the nearest, and to integers
    /// towards zero, saturating at the least and the greatest; a NaN becomes 0. All but zero becomes
    /// true. Complex numbers become real only by [`Tensor::real`] or [`Tensor::abs`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-1.5, 300.0, f64::NAN];
    /// assert_eq!(x.astype(DType::UInt8)?.to_vec::<u8>()?, [0, 255, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If complex numbers should become real, or there is not enough memory.
    ///
    /// # Memory
    /// Copies unless the type is the same.
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Result<Tensor, Error> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        check_astype(self.dtype, dtype)?;
        let (reason, caller) = (CopyReason::Requested, Location::caller());
        copies::announce("astype", reason, &self.layout, dtype.size(), caller)?;
        let layout = output_layout(&self.shape(), &[&self.layout])?;
        let body = cast(self.dtype, dtype);
        fresh(layout, dtype, [Input::Tensor(self)], |out, [view]| {
            map(&body, out, &[Source::View(view)])
        })
    }

    /// A copy of the elements, in row-major order.
    pub(super) fn copy_of_elements(&self) -> Result<Tensor, Error> {
        let along = [Along::Tensor(self)];
        if let Some(lines) = Lines::of(&along) {
            return lines.make(self.dtype, copy_line);
        }
        if let Some(rows) = Rows::of(&along) {
            return rows.make(self.dtype, copy_line);
        }
        let layout = Layout::row_major(&self.shape())?;
        fresh(layout, self.dtype, [Input::Tensor(self)], |out, [view]| copy(out, &view))
    }
}

/// Refuses what loses half of each number.
pub(super) fn check_astype(from: DType, to: DType) -> Result<(), Error> {
    if from.is_complex() && !to.is_complex() && !to.is_bool() {
        return Err(Error::Cast { from, to });
    }
    Ok(())
}

/// The elements of a typed vector as a tensor of rank 1.
impl<T: Element> TryFrom<Vec<T>> for Tensor {
    type Error = Error;

    fn try_from(values: Vec<T>) -> Result<Tensor, Error> {
        let len = values.len();
        Tensor::from_vec(values, [len])
    }
}

//! Reductions that ignore NaN: `nansum`, `nanmean`, `nanvar` and others.
//!
//! A complex element counts as NaN if its real or imaginary part is NaN.

use super::{Reduction, reduction};
use crate::kernel::reductions;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Lens, Tensor};

reduction! {
    /// Returns the sum over `axes`, ignoring NaN. The sum of zero elements is 0.
    ///
    /// Otherwise as [`Tensor::sum`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nansum(())?.item::<f64>()?, 3.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    NANSUM = Reduction::new("nansum", reductions::nansum), nansum, nansum_into;
    Float64: f64 [2.0, 8.0]
}

reduction! {
    /// Returns the product over `axes`, ignoring NaN. The product of zero elements is 1.
    ///
    /// Otherwise as [`Tensor::prod`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3.0, f64::NAN, 2.0].nanprod(())?.item::<f64>()?, 6.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    NANPROD = Reduction::new("nanprod", reductions::nanprod), nanprod, nanprod_into;
    Float64: f64 [0.0, 15.0]
}

reduction! {
    /// Returns the mean over `axes`, ignoring NaN. The result is NaN if all elements are.
    ///
    /// Otherwise as [`Tensor::mean`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nanmean(())?.item::<f64>()?, 1.5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    NANMEAN = Reduction::new("nanmean", reductions::nanmean), nanmean, nanmean_into;
    Float64: f64 [1.0, 4.0]
}

reduction! {
    /// Returns the minimum over `axes`, ignoring NaN. The result is NaN if all elements are.
    ///
    /// Otherwise as [`Tensor::min`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nanmin(())?.item::<f64>()?, 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex.
    NANMIN = Reduction::new("nanmin", reductions::nanmin).requires_elements(), nanmin, nanmin_into;
    Float64: f64 [0.0, 3.0]
}

reduction! {
    /// Returns the maximum over `axes`, ignoring NaN. The result is NaN if all elements are.
    ///
    /// Otherwise as [`Tensor::max`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nanmax(())?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice, there are no elements to reduce, or the dtype is
    /// complex.
    NANMAX = Reduction::new("nanmax", reductions::nanmax).requires_elements(), nanmax, nanmax_into;
    Float64: f64 [2.0, 5.0]
}

reduction! {
    /// Returns the variance over `axes`, ignoring NaN.
    ///
    /// Otherwise as [`Tensor::var`]: the result is NaN if there are too few other elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 3.0].nanvar(())?.item::<f64>()?, 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    NANVAR = Reduction::new("nanvar", reductions::nan_variance), nanvar(correction = 0.0) nanvar_with, nanvar_into;
    Float64: f64 [1.0, 1.0]
}

reduction! {
    /// Returns the standard deviation over `axes`, ignoring NaN.
    ///
    /// Otherwise as [`Tensor::std`]: the result is NaN if there are too few other elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 5.0].nanstd(())?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if an axis is out of range or listed twice.
    NANSTD = Reduction::new("nanstd", reductions::nan_variance).with_setting(0.0, true), nanstd(correction = 0.0) nanstd_with, nanstd_into;
    Float64: f64 [1.0, 1.0]
}

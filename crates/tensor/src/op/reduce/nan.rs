//! The same for all elements that are no NaNs. A number of which a part is a NaN is one.

use super::{Reduction, reduction};
use crate::kernel::folds;
use crate::op::axes::Axes;
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

reduction! {
    /// [`Tensor::sum`] of the elements that are no NaNs.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nansum(())?.item::<f64>()?, 3.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANSUM = Reduction::new("nansum", folds::sum_of_numbers), nansum, nansum_into
}

reduction! {
    /// [`Tensor::prod`] of the elements that are no NaNs.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3.0, f64::NAN, 2.0].nanprod(())?.item::<f64>()?, 6.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANPROD = Reduction::new("nanprod", folds::product_of_numbers), nanprod, nanprod_into
}

reduction! {
    /// [`Tensor::mean`] of the elements that are no NaNs.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nanmean(())?.item::<f64>()?, 1.5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANMEAN = Reduction::new("nanmean", folds::mean_of_numbers), nanmean, nanmean_into
}

reduction! {
    /// The least element over some axes that is no NaN; a NaN if all are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nanmin(())?.item::<f64>()?, 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANMIN = Reduction::new("nanmin", folds::least_number).of_something(), nanmin, nanmin_into
}

reduction! {
    /// The greatest element over some axes that is no NaN; a NaN if all are.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 2.0].nanmax(())?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, there are no elements along them, or the type is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANMAX = Reduction::new("nanmax", folds::greatest_number).of_something(), nanmax, nanmax_into
}

reduction! {
    /// [`Tensor::var`] of the elements that are no NaNs; a NaN if they are too few.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 3.0].nanvar((), 0.0)?.item::<f64>()?, 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANVAR = Reduction::new("nanvar", folds::moments_of_numbers), nanvar(correction), nanvar_into
}

reduction! {
    /// [`Tensor::std`] of the elements that are no NaNs; a NaN if they are too few.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, f64::NAN, 5.0].nanstd((), 0.0)?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    NANSTD = Reduction::new("nanstd", folds::moments_of_numbers).with_setting(0.0, true), nanstd(correction), nanstd_into
}

//! Reductions of what a lens shows, besides those in `op/lens.rs`.

use super::*;
use crate::Lens;

macro_rules! of_lenses {
    ($($method:ident $(($number:ident))? = $entry:ident;)*) => {
        impl Lens {$(
            #[doc = concat!("[`Tensor::", stringify!($method), "`] of what is seen, padding included.")]
            ///
            /// # Errors
            /// As for the tensor's method.
            ///
            /// # Memory
            /// Copies nothing; the result is new.
            pub fn $method(
                &self,
                axes: impl Into<Axes>,
                $($number: f64,)?
            ) -> Result<Tensor, Error> {
                $entry$(.with_number($number))?.of(self.into(), axes.into())
            }
        )*}
    };
}

of_lenses! {
    count_nonzero = COUNT_NONZERO;
    logsumexp = LOGSUMEXP;
    nanmax = NANMAX;
    nanmean = NANMEAN;
    nanmin = NANMIN;
    nanprod = NANPROD;
    nanstd(correction) = NANSTD;
    nansum = NANSUM;
    nanvar(correction) = NANVAR;
    prod = PROD;
    std(correction) = STD;
    var(correction) = VAR;
}

impl Lens {
    /// [`Tensor::norm`] of what is seen, padding included.
    ///
    /// # Errors
    /// As for the tensor's method.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn norm(&self, axes: impl Into<Axes>, ord: f64) -> Result<Tensor, Error> {
        norm_of(ord)?.of(self.into(), axes.into())
    }
}

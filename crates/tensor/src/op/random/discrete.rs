//! Distributions of counts.

use super::Generator;
use crate::kernel::random::Family;
use crate::{DType, Error, Integers, Operand, Tensor};

/// Defines a method that draws `int64` from a family.
macro_rules! counts {
    ($(#[$doc:meta])* $name:ident($($parameter:ident),+) = $family:ident) => {
        impl Generator {
            $(#[$doc])*
            ///
            /// Parameters are numbers, or tensors that broadcast to `shape`.
            ///
            /// # Errors
            /// If a parameter is not in its range or does not broadcast to `shape`, or there is not enough
            /// memory.
            ///
            /// # Memory
            /// Always allocates a new tensor. Parameters that are not `float64` are cast.
            #[track_caller]
            pub fn $name<'a>(
                &mut self,
                $($parameter: impl Into<Operand<'a>>,)+
                shape: impl Integers,
            ) -> Result<Tensor, Error> {
                let parameters = [$((stringify!($parameter), $parameter.into())),+];
                self.draw_family(stringify!($name), Family::$family, parameters, shape, DType::Int64)
            }
        }
    };
}

counts! {
    /// Draws numbers of successes in `n` trials that each succeed with probability `p`, as `int64`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let heads = Generator::new(1).binomial(100, 0.5, [1000])?;
    /// assert!((heads.mean(())?.item::<f64>()? - 50.0).abs() < 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    binomial(n, p) = Binomial
}

counts! {
    /// Draws numbers of trials up to the first success, each of which has probability `p`, as `int64`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let x = Generator::new(1).geometric(0.25, [1000])?;
    /// assert!((x.mean(())?.item::<f64>()? - 4.0).abs() < 0.4);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    geometric(p) = Geometric
}

counts! {
    /// Draws numbers of good items among `nsample` items taken from `ngood + nbad` without replacement, as `int64`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let aces = Generator::new(1).hypergeometric(4, 48, 13, [1000])?;
    /// assert!((aces.mean(())?.item::<f64>()? - 1.0).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    hypergeometric(ngood, nbad, nsample) = Hypergeometric
}

counts! {
    /// Draws uniform integers from `[low, high)` as `int64`, for bounds that may be tensors of integers up to 2⁵³.
    ///
    /// [`Generator::integers`] takes numbers of any size, and draws other dtypes.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let sides = tensor![4, 6, 20];
    /// let x = Generator::new(1).integers_between(1, &sides.add(1)?, [100, 3])?;
    /// assert!(x.max(0)?.less_equal(&sides)?.to_vec::<bool>()?.iter().all(|&it| it));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    integers_between(low, high) = IntegersBetween
}

counts! {
    /// Draws numbers of the logarithmic series distribution, with probabilities proportional to `p^k / k`, as `int64`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let x = Generator::new(1).logseries(0.5, [100])?;
    /// assert!(x.min(())?.item::<i64>()? == 1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    logseries(p) = LogSeries
}

counts! {
    /// Draws numbers of failures before `n` successes, each of which has probability `p`, as `int64`. `n` need not be an integer.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let x = Generator::new(1).negative_binomial(3.0, 0.5, [1000])?;
    /// assert!((x.mean(())?.item::<f64>()? - 3.0).abs() < 0.3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    negative_binomial(n, p) = NegativeBinomial
}

counts! {
    /// Draws Poisson numbers with mean `lam`, as `int64`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let image = tensor![[1.0, 10.0], [100.0, 1000.0]];
    /// let counts = Generator::new(1).poisson(&image, [2, 2])?;
    /// assert!((counts.get::<i64>(&[1, 1])? - 1000).abs() < 200);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    poisson(lam) = Poisson
}

counts! {
    /// Draws numbers of the Zipf distribution, with probabilities proportional to `k^-a`, as `int64`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let x = Generator::new(1).zipf(3.0, [100])?;
    /// assert!(x.min(())?.item::<i64>()? == 1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    zipf(a) = Zipf
}

//! Continuous distributions.

use super::Generator;
use crate::kernel::random::Family;
use crate::{DType, Error, Integers, Operand, Tensor};

/// Defines a method that draws floating-point numbers from a family.
macro_rules! reals {
    ($(#[$doc:meta])* $name:ident($($parameter:ident),+) = $family:ident) => {
        impl Generator {
            $(#[$doc])*
            ///
            /// Parameters are numbers, or tensors that broadcast to `shape`. Numbers are drawn as `float64` and
            /// rounded to the dtype.
            ///
            /// # Errors
            /// If a parameter is not in its range or does not broadcast to `shape`, the dtype is not real
            /// floating-point, or there is not enough memory.
            ///
            /// # Memory
            /// Always allocates a new tensor. Parameters that are not `float64` are cast.
            #[track_caller]
            pub fn $name<'a>(
                &mut self,
                $($parameter: impl Into<Operand<'a>>,)+
                shape: impl Integers,
                dtype: DType,
            ) -> Result<Tensor, Error> {
                let parameters = [$((stringify!($parameter), $parameter.into())),+];
                self.draw_family(stringify!($name), Family::$family, parameters, shape, dtype)
            }
        }
    };
}

reals! {
    /// Draws beta numbers, with density proportional to `x^(a-1) (1-x)^(b-1)` on `[0, 1]`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).beta(2.0, 6.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 0.25).abs() < 0.02);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    beta(a, b) = Beta
}

reals! {
    /// Draws chi-square numbers with `df` degrees of freedom.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).chisquare(3.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 3.0).abs() < 0.3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    chisquare(df) = ChiSquare
}

reals! {
    /// Draws F numbers: ratios of two chi-square numbers, each divided by its degrees of freedom.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).f(5.0, 20.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 20.0 / 18.0).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    f(dfnum, dfden) = F
}

reals! {
    /// Draws gamma numbers, with density proportional to `x^(alpha-1) exp(-x/scale)`. The mean is `alpha * scale`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let shapes = tensor![1.0, 10.0, 100.0];
    /// let x = Generator::new(1).gamma(&shapes, 2.0, [1000, 3], DType::Float64)?;
    /// let means = x.mean(0)?.to_vec::<f64>()?;
    /// assert!((means[2] - 200.0).abs() < 3.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    gamma(alpha, scale) = Gamma
}

reals! {
    /// Draws Gumbel numbers: `loc - scale * ln(-ln u)` of uniform `u`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).gumbel(0.0, 1.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 0.577).abs() < 0.2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    gumbel(loc, scale) = Gumbel
}

reals! {
    /// Draws Laplace numbers, with density proportional to `exp(-|x - loc| / scale)`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).laplace(3.0, 1.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 3.0).abs() < 0.2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    laplace(loc, scale) = Laplace
}

reals! {
    /// Draws logistic numbers: `loc + scale * ln(u / (1 - u))` of uniform `u`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).logistic(3.0, 1.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 3.0).abs() < 0.3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    logistic(loc, scale) = Logistic
}

reals! {
    /// Draws numbers whose logarithm is normal with this mean and standard deviation.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).lognormal(1.0, 0.0, [3], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - std::f64::consts::E).abs() < 1e-12);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    lognormal(mean, sigma) = LogNormal
}

reals! {
    /// Draws noncentral chi-square numbers with `df` degrees of freedom and noncentrality `nonc`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).noncentral_chisquare(3.0, 2.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 5.0).abs() < 0.5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    noncentral_chisquare(df, nonc) = NoncentralChiSquare
}

reals! {
    /// Draws noncentral F numbers.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).noncentral_f(5.0, 20.0, 1.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 4.0 / 3.0).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    noncentral_f(dfnum, dfden, nonc) = NoncentralF
}

reals! {
    /// Draws numbers of the Pareto II (Lomax) distribution, with density `a / (1 + x)^(a+1)`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).pareto(5.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 0.25).abs() < 0.05);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pareto(a) = Pareto
}

reals! {
    /// Draws numbers in `[0, 1]` with density `a x^(a-1)`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).power(3.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 0.75).abs() < 0.05);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    power(a) = Power
}

reals! {
    /// Draws Rayleigh numbers: lengths of 2-D vectors of normal numbers with standard deviation `scale`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).rayleigh(1.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 1.2533).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    rayleigh(scale) = Rayleigh
}

reals! {
    /// Draws numbers of Student's t distribution with `df` degrees of freedom.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).standard_t(10.0, [1000], DType::Float64)?;
    /// assert!(x.mean(())?.item::<f64>()?.abs() < 0.2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    standard_t(df) = StandardT
}

reals! {
    /// Draws triangular numbers: the density rises from `left` to `mode` and falls to `right`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).triangular(0.0, 1.0, 5.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 2.0).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    triangular(left, mode, right) = Triangular
}

reals! {
    /// Draws angles of the von Mises distribution, from -π to π, with mean `mu` and concentration `kappa`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).vonmises(1.0, 100.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 1.0).abs() < 0.02);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    vonmises(mu, kappa) = VonMises
}

reals! {
    /// Draws inverse Gaussian (Wald) numbers.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).wald(2.0, 10.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 2.0).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    wald(mean, scale) = Wald
}

reals! {
    /// Draws Weibull numbers with shape `a` and scale 1: `(-ln u)^(1/a)` of uniform `u`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).weibull(1.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 1.0).abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    weibull(a) = Weibull
}

impl Generator {
    /// Draws numbers of the standard Cauchy distribution, with density `1 / (π (1 + x²))`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).standard_cauchy([1001], DType::Float64)?;
    /// assert!(x.median(())?.item::<f64>()?.abs() < 0.2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype is not real floating-point, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn standard_cauchy(&mut self, shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        self.draw_family("standard_cauchy", Family::StandardCauchy, [], shape, dtype)
    }
}

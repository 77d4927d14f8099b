//! The names of options: `FromStr` for the enums that NumPy and the Array API spell as strings.

use super::fft::Norm;
use super::linalg::namespace::{MatrixNorm, QrMode};
use super::{Indexing, Interpolation, PadMode, Side};
use crate::Error;
use std::str::FromStr;

/// Implements `name` and `FromStr` for options. Each has its module, the parameter that takes it, a name for the example, a name for each variant, and
/// further names that are read but not returned.
macro_rules! option_names {
    ($($type:ident, $path:literal, $parameter:literal, $example:literal: $($name:literal => $variant:ident),+; $($other:literal => $same:ident),*;)+) => { $(
        impl $type {
            /// Returns its name in NumPy, which [`str::parse`] reads.
            ///
            /// ```
            #[doc = concat!("let option: ", $path, "::", stringify!($type), " = ", stringify!($example), ".parse()?;")]
            #[doc = concat!("assert_eq!(option.name(), ", stringify!($example), ");")]
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        /// Reads the name that NumPy gives it. The error lists the names.
        impl FromStr for $type {
            type Err = Error;

            fn from_str(name: &str) -> Result<$type, Error> {
                match name {
                    $($name => Ok($type::$variant),)+
                    $($other => Ok($type::$same),)*
                    _ => Err(Error::UnknownName {
                        parameter: $parameter,
                        known: &[$($name,)+ $($other,)*],
                        given: name.into(),
                    }),
                }
            }
        }
    )+ };
}

option_names! {
    Norm, "belvedere::fft", "norm", "backward": "backward" => Backward, "ortho" => Ortho, "forward" => Forward;;
    Side, "belvedere", "side", "left": "left" => Left, "right" => Right;;
    Indexing, "belvedere", "indexing", "xy": "xy" => Xy, "ij" => Ij;;
    QrMode, "belvedere::linalg", "mode", "reduced": "reduced" => Reduced, "complete" => Complete;;
    // The last two are those of PyTorch. `constant` is not a mode of `pad_mode` but the function `pad_with`.
    PadMode, "belvedere", "a mode other than constant", "edge": "edge" => Edge, "reflect" => Reflect, "symmetric" => Symmetric, "wrap" => Wrap;
        "replicate" => Edge, "circular" => Wrap;
    MatrixNorm, "belvedere::linalg", "ord", "fro": "fro" => Frobenius, "nuc" => Nuclear, "1" => One, "-1" => MinusOne, "2" => Two,
        "-2" => MinusTwo, "inf" => Infinity, "-inf" => MinusInfinity;;
    Interpolation, "belvedere", "method", "linear": "linear" => Linear, "lower" => Lower, "higher" => Higher, "nearest" => Nearest,
        "midpoint" => Midpoint, "inverted_cdf" => InvertedCdf, "averaged_inverted_cdf" => AveragedInvertedCdf,
        "closest_observation" => ClosestObservation, "interpolated_inverted_cdf" => InterpolatedInvertedCdf,
        "hazen" => Hazen, "weibull" => Weibull, "median_unbiased" => MedianUnbiased,
        "normal_unbiased" => NormalUnbiased;;
}

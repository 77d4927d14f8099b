//! The names of options: `FromStr` for the enums that NumPy and the Array API spell as strings.

use super::fft::Norm;
use super::linalg::namespace::{MatrixNorm, QrMode};
use super::{Indexing, Interpolation, PadMode, Side};
use crate::Error;
use std::str::FromStr;

/// Implements `name` and `FromStr` for options. Each has the parameter that takes it, a name for each variant, and
/// further names that are read but not returned.
macro_rules! option_names {
    ($($type:ident, $parameter:literal: $($name:literal => $variant:ident),+; $($other:literal => $same:ident),*;)+) => { $(
        impl $type {
            /// Returns its name in NumPy, which [`str::parse`] reads.
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
    Norm, "norm": "backward" => Backward, "ortho" => Ortho, "forward" => Forward;;
    Side, "side": "left" => Left, "right" => Right;;
    Indexing, "indexing": "xy" => Xy, "ij" => Ij;;
    QrMode, "mode": "reduced" => Reduced, "complete" => Complete;;
    // The last two are those of PyTorch. `constant` is not a mode of `pad_mode` but the function `pad_with`.
    PadMode, "a mode other than constant": "edge" => Edge, "reflect" => Reflect, "symmetric" => Symmetric, "wrap" => Wrap;
        "replicate" => Edge, "circular" => Wrap;
    MatrixNorm, "ord": "fro" => Frobenius, "nuc" => Nuclear, "1" => One, "-1" => MinusOne, "2" => Two,
        "-2" => MinusTwo, "inf" => Infinity, "-inf" => MinusInfinity;;
    Interpolation, "method": "linear" => Linear, "lower" => Lower, "higher" => Higher, "nearest" => Nearest,
        "midpoint" => Midpoint, "inverted_cdf" => InvertedCdf, "averaged_inverted_cdf" => AveragedInvertedCdf,
        "closest_observation" => ClosestObservation, "interpolated_inverted_cdf" => InterpolatedInvertedCdf,
        "hazen" => Hazen, "weibull" => Weibull, "median_unbiased" => MedianUnbiased,
        "normal_unbiased" => NormalUnbiased;;
}

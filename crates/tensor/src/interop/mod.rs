//! Conversions to and from the types of other crates, each behind the feature with the name of the crate.

#[cfg(feature = "image")]
mod image;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
pub(crate) mod ndarray;
#[cfg(feature = "serde")]
mod serde;

//! What networks are made of, besides products and activations.

mod norm;

pub use norm::*;

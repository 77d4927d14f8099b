//! What networks are made of, besides products and activations.

mod lookup;
mod norm;

pub use lookup::*;
pub use norm::*;

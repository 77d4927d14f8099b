//! What neural networks are made of.

mod lookup;

pub use lookup::*;

//! Tensors to files and back.

pub mod npy;

pub use npy::NpyError;

//! Tensors to files and back, and to other libraries.

#[allow(unsafe_code)]
pub mod dlpack;
pub mod npy;

pub use dlpack::DlpackError;
pub use npy::NpyError;

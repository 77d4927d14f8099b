//! Input and output: `.npy` files, and exchange with other libraries by DLPack.

#[allow(unsafe_code)]
pub mod dlpack;
pub mod npy;

pub use dlpack::DlpackError;
pub use npy::NpyError;

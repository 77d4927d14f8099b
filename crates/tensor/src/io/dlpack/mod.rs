//! Tensors of other libraries, and ours for them, without a copy: the DLPack protocol.
//!
//! The protocol is a few structs of the C language: where the elements are, how they are walked, and
//! a function that is called when they are no longer needed. [`export`] makes one that keeps the
//! storage of a tensor alive; [`import`] makes a tensor of one. Strides of any sign go both ways.
//!
//! ```
//! use belvedere::io::dlpack;
//! use belvedere::prelude::*;
//!
//! let x = Tensor::arange(0..6)?.reshape([2, 3])?.flip([1])?;
//! let parcel = dlpack::export(&x)?;
//! // SAFETY: it was made a line above, and is used once.
//! let y = unsafe { dlpack::import(parcel) }?;
//! assert_eq!(y.strides(), [3, -1]);
//! assert!(y.storage().is_same(x.storage()));
//! # Ok::<(), belvedere::Error>(())
//! ```
//!
//! There are two generations of the protocol. The older one ([`LegacyManagedTensor`]) cannot say that
//! memory must not be written to; so such tensors are exported by the newer one only.

mod error;
mod export;
mod import;
mod types;

pub use error::DlpackError;
pub use export::{export, export_legacy};
pub use import::{import, import_legacy};
pub use types::{
    Device, FLAG_COPIED, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, RawType,
    VERSION, Version,
};

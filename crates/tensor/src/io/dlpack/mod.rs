//! Zero-copy exchange of tensors with other libraries, by the DLPack protocol.
//!
//! The protocol is a few C structs: a pointer to the elements, their shape and strides, and a deleter that
//! is called when they are no longer needed. [`export`] makes one that keeps the storage of a tensor alive;
//! [`import`] makes a tensor of one. Strides of any sign are supported in both directions.
//!
//! ```
//! use belvedere::io::dlpack;
//! use belvedere::prelude::*;
//!
//! let x = Tensor::arange(0..6)?.reshape([2, 3])?.flip([1])?;
//! let managed = dlpack::export(&x)?;
//! // SAFETY: `export` has just made it, and it is imported once.
//! let y = unsafe { dlpack::import(managed) }?;
//! assert_eq!(y.strides(), [3, -1]);
//! assert!(y.storage().is_same(x.storage()));
//! # Ok::<(), belvedere::Error>(())
//! ```
//!
//! There are two versions of the structs. The unversioned one ([`LegacyManagedTensor`]) cannot mark memory as
//! read-only, so read-only tensors can be exported by the versioned one only.

mod error;
mod export;
mod import;
mod types;

pub use error::DlpackError;
pub use export::{export, export_legacy, is_in_deleter};
pub use import::{import, import_legacy};
pub use types::{
    DlpackDevice, FLAG_COPIED, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor,
    RawType, VERSION, Version,
};

//! NumPy's file format `.npy`: one array in a file.
//!
//! A file is a short header (the dtype, the order of the axes, the shape) followed by contiguous elements. So an
//! array can be read at once, or be memory-mapped without being read first.
//!
//! ```
//! use belvedere::io::npy;
//! use belvedere::prelude::*;
//!
//! # let folder = std::env::temp_dir().join(format!("belvedere-doc-npy-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("table.npy");
//! let x = Tensor::arange(0..6)?.reshape([2, 3])?;
//! npy::write(&path, &x.t()?)?;
//!
//! let y = npy::read(&path)?;
//! assert_eq!(y.shape(), [3, 2]);
//! assert_eq!(y.strides(), [1, 3]); // column-major files stay column-major
//! assert_eq!(y.to_vec::<i32>()?, [0, 3, 1, 4, 2, 5]);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All dtypes can be written and read. NumPy has no bfloat16; it is written as the package `ml_dtypes`
//! writes it, as two raw bytes (`<V2`).

mod error;
mod header;
#[allow(unsafe_code)]
mod map;
mod read;
mod write;

pub use error::NpyError;
pub use map::{map, map_mut};
pub use read::{read, read_from};
pub use write::{write, write_to};

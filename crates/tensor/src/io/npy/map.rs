//! Files as tensors, without being read.

use super::error::NpyError;
use super::header::Header;
use super::read::{elements, header_of, known_len};
use crate::copies::{self, CopyReason};
use crate::{Error, Storage, Tensor};
use std::fs::File;
use std::panic::Location;
use std::path::Path;

/// The array in a file, where it lies: its elements are read from the file when they are touched.
///
/// The tensor is read-only. The memory is given back to the system when the last tensor that sees it
/// is gone.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("belvedere-doc-map-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.npy");
/// npy::write(&path, &Tensor::arange(0..1000)?)?;
/// // SAFETY: nobody changes the file while `x` exists.
/// let x = unsafe { npy::map(&path)? };
/// assert_eq!(x.slice(s![-3..])?.to_vec::<i32>()?, [997, 998, 999]);
/// assert!(matches!(x.fill(0), Err(Error::ReadOnly)));
/// # drop(x);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read or mapped, is no `.npy` file, or is not exactly as long as its header
/// says; if it would have to be copied (see below) and copies are forbidden here.
///
/// # Memory
/// Copies when the elements are in the other byte order, or do not begin at a multiple of their size,
/// as they do in files of NumPy and of [`write()`](super::write()). Copied elements can be written to.
///
/// # Safety
/// The file must not be changed or cut short while a tensor sees it. ([`write()`](super::write())
/// replaces a file and leaves the old one to those who have it mapped, so it may be used.)
#[track_caller]
pub unsafe fn map(path: impl AsRef<Path>) -> Result<Tensor, Error> {
    let caller = Location::caller();
    let mut file = File::open(path)?;
    let header = header_of(&mut file)?;
    let known = known_len(&file, &header)?;
    let Some(start) = header.element_start() else {
        let (layout, size) = (header.layout(0)?, header.dtype.size());
        copies::announce("npy::map", CopyReason::Unaligned, &layout, size, caller)?;
        return elements(&mut file, &header, known);
    };
    // SAFETY: the caller promises that the file stays as it is.
    let storage = unsafe { Storage::map_file(&file) }?;
    Tensor::from_storage(storage, header.layout(start)?, header.dtype)
}

/// The array in a file, where it lies: what is written to the tensor is written to the file.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("belvedere-doc-map-mut-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.npy");
/// npy::write(&path, &Tensor::zeros([2, 2], DType::Float32)?)?;
/// // SAFETY: nobody else changes the file while the tensor exists.
/// unsafe { npy::map_mut(&path)? }.select(0, 1)?.fill(1.5)?;
/// assert_eq!(npy::read(&path)?.to_vec::<f32>()?, [0.0, 0.0, 1.5, 1.5]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`map`]; and where that would copy, because a copy is not the file.
///
/// # Memory
/// Never copies.
///
/// # Safety
/// The file must not be changed by others or cut short while a tensor sees it.
pub unsafe fn map_mut(path: impl AsRef<Path>) -> Result<Tensor, Error> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let header = header_of(&mut file)?;
    known_len(&file, &header)?;
    let Some(start) = header.element_start() else {
        let Header { dtype, swapped, data_start: offset, .. } = header;
        return Err(NpyError::NotMappable { dtype, swapped, offset }.into());
    };
    // SAFETY: the caller promises that nobody else changes the file.
    let storage = unsafe { Storage::map_file_mut(&file) }?;
    Tensor::from_storage(storage, header.layout(start)?, header.dtype)
}

impl Header {
    /// How many elements would have room before the first one, if the elements can be seen where
    /// they are: in this machine's byte order, and a whole number of them from the beginning.
    fn element_start(&self) -> Option<usize> {
        let size = self.dtype.size();
        let fits = !self.swapped && self.data_start.is_multiple_of(size);
        fits.then_some(self.data_start / size)
    }
}

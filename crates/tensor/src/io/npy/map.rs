//! Memory-mapped `.npy` files.

use super::error::NpyError;
use super::header::Header;
use super::read::{known_len, read_elements, read_header};
use crate::copies::CopyReason;
use crate::trace::{Call, EventKind, announce_tensor, check_copy, composite};
use crate::{Error, Storage, Tensor};
use std::fs::File;
use std::path::Path;

/// Maps the array of a `.npy` file into memory: its elements are read when they are accessed.
///
/// The tensor is read-only. The file is unmapped when the last tensor of the storage is dropped.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("belvedere-doc-map-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.npy");
/// npy::write(&path, &Tensor::arange(0..1000)?)?;
/// // SAFETY: no other code changes the file while `x` exists.
/// let x = unsafe { npy::map(&path)? };
/// assert_eq!(x.slice(s![-3..])?.to_vec::<i32>()?, [997, 998, 999]);
/// assert!(matches!(x.fill(0), Err(Error::ReadOnly)));
/// # drop(x);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read or mapped, is not a `.npy` file, or is not exactly as long as its header says; if
/// it has to be copied (see below) and copies are forbidden in this scope.
///
/// # Memory
/// Copies if the elements are not in native byte order, or do not start at a multiple of their size, as they do
/// in files of NumPy and of [`write()`](super::write()). A copy is writable.
///
/// # Safety
/// The file must not be changed or truncated while a tensor of it exists. [`write()`](super::write()) may be
/// used: it replaces the file, and a mapping keeps the old one.
#[track_caller]
pub unsafe fn map(path: impl AsRef<Path>) -> Result<Tensor, Error> {
    let call = Call::new("npy::map");
    let mut file = File::open(path)?;
    let header = read_header(&mut file)?;
    let known = known_len(&file, &header)?;
    let Some(start) = header.element_start() else {
        let (layout, size) = (header.layout(0)?, header.dtype.size());
        check_copy(call.op, CopyReason::Unaligned, || layout.len().saturating_mul(size))?;
        return composite(call.copying(CopyReason::Unaligned), &[], || {
            read_elements(&mut file, &header, known)
        });
    };
    // SAFETY: forwarded: the file is not changed or truncated (contract).
    let storage = unsafe { Storage::map_file(&file) }?;
    let tensor = Tensor::from_storage(storage, header.layout(start)?, header.dtype)?;
    announce_tensor(call, EventKind::Import, &tensor);
    Ok(tensor)
}

/// Maps the array of a `.npy` file into memory for reading and writing: writes to the tensor change the file.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("belvedere-doc-map-mut-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.npy");
/// npy::write(&path, &Tensor::zeros([2, 2], DType::Float32)?)?;
/// // SAFETY: no other code changes the file while the tensor exists.
/// unsafe { npy::map_mut(&path)? }.select(0, 1)?.fill(1.5)?;
/// assert_eq!(npy::read(&path)?.to_vec::<f32>()?, [0.0, 0.0, 1.5, 1.5]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`map`]; and if `map` would copy, since a copy is not the file.
///
/// # Memory
/// Never copies.
///
/// # Safety
/// The file must not be changed by other code or truncated while a tensor of it exists.
#[track_caller]
pub unsafe fn map_mut(path: impl AsRef<Path>) -> Result<Tensor, Error> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let header = read_header(&mut file)?;
    known_len(&file, &header)?;
    let Some(start) = header.element_start() else {
        let Header { dtype, swapped, data_start: offset, .. } = header;
        return Err(NpyError::NotMappable { dtype, swapped, offset }.into());
    };
    // SAFETY: forwarded: the file is not changed by other code or truncated (contract).
    let storage = unsafe { Storage::map_file_mut(&file) }?;
    let tensor = Tensor::from_storage(storage, header.layout(start)?, header.dtype)?;
    announce_tensor(Call::new("npy::map_mut"), EventKind::Import, &tensor);
    Ok(tensor)
}

impl Header {
    /// Returns the offset of the first element in elements; `None` if the elements cannot be mapped, because they are
    /// unaligned or not in native byte order.
    fn element_start(&self) -> Option<usize> {
        let size = self.dtype.size();
        let fits = !self.swapped && self.data_start.is_multiple_of(size);
        fits.then_some(self.data_start / size)
    }
}

//! Writing `.npy` files and streams.

use super::header;
use crate::dtype::AnyTask;
use crate::trace::{Call, composite};
use crate::{DType, Element, Error, Tensor};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of the buffer that elements are gathered in: it fits in the L2 cache, and the cost of a call to the writer is
/// small against it.
const BLOCK_BYTES: usize = 1 << 18;

/// Writes a tensor to a file, which is replaced if it exists.
///
/// The elements are written to a temporary file in the same folder, which replaces the file when it is
/// complete: a reader finds the old array or the new one, never a part, and an old array that is mapped is
/// unchanged. If writing fails, the old file is unchanged. The new file has the permissions of the old one.
/// It is not flushed to the disk (`fsync`).
///
/// The file is column-major if the tensor is column-major contiguous and not row-major contiguous, as in NumPy.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("belvedere-doc-write-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.npy");
/// let x = Tensor::arange(0..10)?;
/// npy::write(&path, &x.slice(s![..;-3])?)?;
/// assert_eq!(npy::read(&path)?.to_vec::<i32>()?, [9, 6, 3, 0]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be written, the tensor has more bytes than the address space (by broadcasting), or it
/// is borrowed for writing by a guard.
///
/// # Memory
/// Never copies the whole tensor: elements are gathered in a buffer of 256 KiB, also contiguous ones. A writer takes a slice,
/// and memory that is shared with another library may change while the slice exists.
#[track_caller]
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<(), Error> {
    // The target of a symbolic link is replaced, not the link.
    let path = fs::canonicalize(&path).unwrap_or_else(|_| path.as_ref().to_path_buf());
    let old = fs::metadata(&path).ok();
    if let Some(old) = &old
        && !old.is_file()
    {
        // A pipe or a device is written to, not replaced. Opening a folder fails.
        return write_to(File::options().write(true).open(&path)?, tensor);
    }
    let (mut file, temporary) = TemporaryFile::create_for(&path)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    write_to(&mut file, tensor)?;
    drop(file);
    Ok(temporary.replace(&path)?)
}

/// Writes a tensor to a stream in the `.npy` format.
///
/// The tensor is borrowed for reading until it is written.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// let mut bytes = Vec::new();
/// npy::write_to(&mut bytes, &tensor![[1u8, 2], [3, 4]])?;
/// assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
/// assert!(bytes.ends_with(&[1, 2, 3, 4]));
/// assert_eq!(bytes.len(), 128 + 4);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If writing fails, the tensor has more bytes than the address space (by broadcasting), or it is borrowed
/// for writing by a guard.
///
/// # Memory
/// As for [`write()`].
#[track_caller]
pub fn write_to(mut writer: impl Write, tensor: &Tensor) -> Result<(), Error> {
    let (dtype, shape) = (tensor.dtype(), tensor.shape());
    header::check_size(dtype, &shape)?;
    let column_major = tensor.layout().is_col_major() && !tensor.is_contiguous();
    // The row-major order of the transposed tensor is the column-major order of the tensor.
    let reversed = || tensor.with_layout(tensor.layout().reverse());
    let ordered = if column_major { reversed() } else { tensor.clone() };
    composite(Call::new("npy::write"), &[tensor.into()], || {
        while_borrowed(&ordered, || {
            writer.write_all(&header::write(dtype, &shape, column_major))?;
            let n = (BLOCK_BYTES / dtype.size()).min(ordered.len());
            let block = Tensor::zeros([n], dtype)?;
            write_part(&mut writer, &ordered, &block)?;
            Ok(writer.flush()?)
        })
    })
}

/// Calls a function while the tensor is borrowed for reading. The writer is user code, which may use tensors,
/// so this is a guard and not the borrow of an operation: operations wait for each other, which would deadlock.
fn while_borrowed(tensor: &Tensor, f: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    struct WithGuard<'a, F>(&'a Tensor, F);

    impl<F: FnOnce() -> Result<(), Error>> AnyTask for WithGuard<'_, F> {
        type Output = Result<(), Error>;

        fn run<T: Element>(self) -> Result<(), Error> {
            let _guard = self.0.read::<T>()?;
            self.1()
        }
    }

    tensor.dtype().with_any(WithGuard(tensor, f))
}

/// Writes the elements in logical order, gathered in a buffer, as many rows at a time as it holds.
fn write_part(writer: &mut dyn Write, part: &Tensor, block: &Tensor) -> Result<(), Error> {
    if part.len() <= block.len() {
        let gathered = block.narrow(0, 0, part.len())?.view(part.shape())?;
        gathered.copy_from(part)?;
        return write_bytes(writer, &gathered);
    }
    // A part with more elements than the buffer has more than one, so it has an axis.
    let row_len = part.len() / part.shape()[0];
    if row_len > block.len() {
        return part.rows()?.try_for_each(|row| write_part(writer, &row, block));
    }
    part.split(0, block.len() / row_len)?.try_for_each(|rows| write_part(writer, &rows, block))
}

/// Writes contiguous elements of a tensor that no other library shares.
fn write_bytes(writer: &mut dyn Write, part: &Tensor) -> Result<(), Error> {
    let bytes = part.view([part.len()])?.bitcast(DType::UInt8)?;
    let guard = bytes.read::<u8>()?;
    let view = guard.view();
    Ok(writer.write_all(view.as_slice().expect("the bytes are contiguous"))?)
}

/// A file that is removed when it is dropped, unless it has replaced another.
struct TemporaryFile(Option<PathBuf>);

impl TemporaryFile {
    /// Creates a file with a unique name in the folder of `path`.
    fn create_for(path: &Path) -> io::Result<(File, TemporaryFile)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        loop {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            let temporary = path.with_file_name(format!(".npy-{}-{n}.tmp", std::process::id()));
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((file, TemporaryFile(Some(temporary)))),
                // Left over by a process that had the same id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Renames the file to `path`, replacing a file there.
    fn replace(mut self, path: &Path) -> io::Result<()> {
        if let Some(temporary) = &self.0 {
            fs::rename(temporary, path)?;
            self.0 = None;
        }
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // A failure is ignored: the error that led here is returned to the caller.
            let _ = fs::remove_file(path);
        }
    }
}

//! Tensors to files and streams.

use super::header;
use crate::dtype::AnyTask;
use crate::{DType, Element, Error, Tensor};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that do not lie one behind the other are gathered in blocks of so many bytes: few
/// enough to stay in a cache until they are written, many enough that nobody counts the calls.
const BLOCK_BYTES: usize = 1 << 18;

/// Writes a tensor to a file, which is replaced if it exists.
///
/// The elements are written to a new file beside it, which takes its place when it is complete: who
/// reads the file finds the old array or the new one, never a part, and an old array that is mapped
/// stays as it is. If something fails, the old file is still there. The new one has the permissions
/// of the old one. What is written is not forced to the disk; that is left to the system.
///
/// The file is column-major if the tensor's elements lie one behind the other in that order, and
/// row-major otherwise, as NumPy has it.
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
/// If the file cannot be written, the tensor has more bytes than memory can have (by broadcasting),
/// or a guard is writing to it.
///
/// # Memory
/// Never copies the whole. Elements that do not lie one behind the other go through a buffer of
/// 256 KiB.
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<(), Error> {
    // The file that a link leads to is replaced, and not the link.
    let path = fs::canonicalize(&path).unwrap_or_else(|_| path.as_ref().to_path_buf());
    let old = fs::metadata(&path).ok();
    if let Some(old) = &old
        && !old.is_file()
    {
        // Nothing can take the place of a pipe or a device. A folder cannot be opened.
        return write_to(File::options().write(true).open(&path)?, tensor);
    }
    let (mut file, unfinished) = Unfinished::beside(&path)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    write_to(&mut file, tensor)?;
    drop(file);
    Ok(unfinished.replace(&path)?)
}

/// Writes a tensor to a stream, in the form of a `.npy` file.
///
/// The tensor is borrowed for reading meanwhile.
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
/// If writing fails, the tensor has more bytes than memory can have (by broadcasting), or a guard is
/// writing to it.
///
/// # Memory
/// As for [`write()`].
pub fn write_to(mut writer: impl Write, tensor: &Tensor) -> Result<(), Error> {
    let (dtype, shape) = (tensor.dtype(), tensor.shape());
    header::check_size(dtype, &shape)?;
    let column_major = tensor.layout().is_col_major() && !tensor.is_contiguous();
    // Written in the order of its axes, the reversed tensor is the column-major one.
    let ordered = if column_major { tensor.reverse_dims() } else { tensor.clone() };
    while_borrowed(&ordered, || {
        writer.write_all(&header::write(dtype, &shape, column_major))?;
        let n = (BLOCK_BYTES / dtype.size()).min(ordered.len());
        let block = Tensor::zeros([if ordered.is_contiguous() { 0 } else { n }], dtype)?;
        write_part(&mut writer, &ordered, &block)?;
        Ok(writer.flush()?)
    })
}

/// Does something while nobody can write to a tensor. The writer is somebody else's code, which may
/// do what it likes with tensors, so this has to be a guard: operations would wait for each other.
fn while_borrowed(tensor: &Tensor, f: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    struct Hold<'a, F>(&'a Tensor, F);

    impl<F: FnOnce() -> Result<(), Error>> AnyTask for Hold<'_, F> {
        type Output = Result<(), Error>;

        fn run<T: Element>(self) -> Result<(), Error> {
            let _guard = self.0.read::<T>()?;
            self.1()
        }
    }

    tensor.dtype().with_any(Hold(tensor, f))
}

/// Writes the elements in logical order: straight from memory where they lie so, otherwise gathered
/// in a block, as many rows at a time as it holds.
fn write_part(writer: &mut dyn Write, part: &Tensor, block: &Tensor) -> Result<(), Error> {
    if part.is_contiguous() {
        return write_bytes(writer, part);
    }
    if part.len() <= block.len() {
        let gathered = block.narrow(0, 0, part.len())?.view(part.shape())?;
        gathered.copy_from(part)?;
        return write_bytes(writer, &gathered);
    }
    // What is not contiguous has elements, and more than one of them, so it has a first axis.
    let row_len = part.len() / part.shape()[0];
    if row_len > block.len() {
        return part.rows()?.try_for_each(|row| write_part(writer, &row, block));
    }
    part.split(0, block.len() / row_len)?.try_for_each(|rows| write_part(writer, &rows, block))
}

/// Writes elements that lie one behind the other.
fn write_bytes(writer: &mut dyn Write, part: &Tensor) -> Result<(), Error> {
    let bytes = part.view([part.len()])?.bitcast(DType::UInt8)?;
    let guard = bytes.read::<u8>()?;
    let view = guard.view();
    Ok(writer.write_all(view.as_slice().expect("bytes lie one behind the other"))?)
}

/// A file that is removed again unless it is finished.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    /// A new file in the same folder, with a name that nobody else has.
    fn beside(path: &Path) -> io::Result<(File, Unfinished)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        loop {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            let beside = path.with_file_name(format!(".npy-{}-{n}.tmp", std::process::id()));
            match File::options().write(true).create_new(true).open(&beside) {
                Ok(file) => return Ok((file, Unfinished(Some(beside)))),
                // Left over by a process that had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts the file in the place of another, or where there is none.
    fn replace(mut self, path: &Path) -> io::Result<()> {
        if let Some(beside) = &self.0 {
            fs::rename(beside, path)?;
            self.0 = None;
        }
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nothing can be done about it, and the error that led here says more.
            let _ = fs::remove_file(path);
        }
    }
}

//! Reading `.npy` files and streams.
//!
//! Headers are not trusted. That of a file is compared with the file's length before elements are allocated;
//! the length of a stream is unknown, so memory grows with the bytes that have been read.

use super::error::NpyError;
use super::header::{self, Header, PREFIX_BYTES};
use crate::trace::{Call, composite};
use crate::{DType, Error, Layout, Storage, Tensor};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The bytes allocated for a stream before any element is read: enough for most arrays, and a bound for a header that
/// claims more than the stream holds.
const FIRST_BYTES: usize = 1 << 20;

/// Reads the array of a `.npy` file into memory.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("belvedere-doc-read-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.npy");
/// npy::write(&path, &tensor![1.5, 2.5])?;
/// assert_eq!(npy::read(&path)?.to_vec::<f64>()?, [1.5, 2.5]);
///
/// std::fs::write(&path, std::fs::read(&path)?.split_last().unwrap().1)?;
/// let error = npy::read(&path).unwrap_err();
/// assert_eq!(error.to_string(), "the .npy file must have 144 bytes, but ends after 143");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read, is not a `.npy` file, is not exactly as long as its header says, or there
/// is not enough memory. Nothing is allocated for elements that the file does not hold. Use [`read_from`]
/// for files with several arrays.
///
/// # Memory
/// Allocates a new tensor in native byte order; it is column-major if the file is.
#[track_caller]
pub fn read(path: impl AsRef<Path>) -> Result<Tensor, Error> {
    let mut file = File::open(path)?;
    let header = read_header(&mut file)?;
    let known = known_len(&file, &header)?;
    composite(Call::new("npy::read"), &[], || read_elements(&mut file, &header, known))
}

/// Reads the next array of a stream into memory.
///
/// Exactly the bytes of the array are read, so a stream may hold several arrays.
///
/// ```
/// use belvedere::io::npy;
/// use belvedere::prelude::*;
///
/// let mut bytes = Vec::new();
/// npy::write_to(&mut bytes, &tensor![1, 2, 3])?;
/// npy::write_to(&mut bytes, &tensor![true])?;
///
/// let mut stream = bytes.as_slice();
/// assert_eq!(npy::read_from(&mut stream)?.to_vec::<i32>()?, [1, 2, 3]);
/// assert_eq!(npy::read_from(&mut stream)?.to_vec::<bool>()?, [true]);
/// assert!(stream.is_empty());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If reading fails, the bytes are not those of a `.npy` file, the stream ends too early, or there is
/// not enough memory. The bytes that were read are lost then.
///
/// # Memory
/// Allocates a new tensor, which grows as bytes arrive: a header that claims more than the stream holds costs
/// 1 MiB, or three times what the stream holds.
#[track_caller]
pub fn read_from(mut reader: impl Read) -> Result<Tensor, Error> {
    let reader: &mut dyn Read = &mut reader;
    let header = read_header(reader)?;
    composite(Call::new("npy::read"), &[], || read_elements(reader, &header, FIRST_BYTES))
}

impl Header {
    /// Returns the layout of the array, with its first element at offset `start`.
    pub(super) fn layout(&self, start: usize) -> Result<Layout, Error> {
        let dense = match self.column_major {
            true => Layout::col_major(&self.shape)?,
            false => Layout::row_major(&self.shape)?,
        };
        Ok(Layout::new(start, dense.axes())?)
    }

    /// Returns the length of a file with this header. The sum does not overflow: `parse` has checked the length of the
    /// data, and headers are short.
    pub(super) fn file_len(&self) -> usize {
        self.data_start + self.data_len()
    }
}

/// Reads the header, and no byte after it.
pub(super) fn read_header(reader: &mut dyn Read) -> Result<Header, Error> {
    let mut bytes = vec![0; PREFIX_BYTES];
    let found = fill(reader, &mut bytes)?;
    // The shortest valid header is longer than the prefix.
    let needed = header::header_len(&bytes[..found])?.max(PREFIX_BYTES);
    bytes.resize(needed, 0);
    let found = PREFIX_BYTES + fill(reader, &mut bytes[PREFIX_BYTES..])?;
    Ok(header::parse(&bytes[..found])?)
}

/// Returns the number of bytes of elements that a file is known to hold: all, if its length is that of the header.
/// Pipes and devices have no length, and are treated as streams.
///
/// # Errors
/// If the file has another length.
pub(super) fn known_len(file: &File, header: &Header) -> Result<usize, Error> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(FIRST_BYTES);
    }
    let needed = header.file_len();
    let found = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    match found {
        _ if found < needed => Err(NpyError::Truncated { needed, found }.into()),
        _ if found > needed => Err(NpyError::TrailingBytes { needed, found }.into()),
        _ => Ok(header.data_len()),
    }
}

/// Reads the elements after a header, of which `known` bytes are known to exist.
pub(super) fn read_elements(
    reader: &mut dyn Read,
    header: &Header,
    known: usize,
) -> Result<Tensor, Error> {
    let len = header.data_len();
    let mut filled = 0;
    let mut storage = Storage::zeroed(len.min(known))?;
    loop {
        filled += with_bytes(&storage, |bytes| fill(reader, &mut bytes[filled..]))??;
        if filled < storage.len() {
            let found = header.data_start + filled;
            return Err(NpyError::Truncated { needed: header.file_len(), found }.into());
        }
        if filled == len {
            break;
        }
        // The buffer is full of bytes that exist, so doubling it allocates at most twice the stream.
        let larger = Storage::zeroed(len.min(filled.saturating_mul(2).max(FIRST_BYTES)))?;
        with_bytes(&larger, |to| with_bytes(&storage, |from| to[..filled].copy_from_slice(from)))??;
        storage = larger;
    }
    if header.swapped {
        with_bytes(&storage, |bytes| swap_bytes(bytes, header.dtype))?;
    }
    Tensor::from_storage(storage, header.layout(0)?, header.dtype)
}

/// Calls a function with the bytes of a storage that is not shared yet.
fn with_bytes<R>(storage: &Storage, f: impl FnOnce(&mut [u8]) -> R) -> Result<R, Error> {
    let layout = Layout::row_major(&[storage.len()])?;
    let bytes = Tensor::from_storage(storage.clone(), layout, DType::UInt8)?;
    let mut guard = bytes.write::<u8>()?;
    Ok(f(guard.view_mut().into_slice().expect("the bytes are contiguous")))
}

/// Reads until the buffer is full or the stream ends. Returns the number of bytes.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let room = buffer.len() - filled;
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) if n <= room => filled += n,
            // `Read` is a safe trait, so that an implementation may return any number.
            Ok(n) => {
                let message = format!("the reader returned {n} bytes for a buffer of {room}");
                return Err(io::Error::new(ErrorKind::InvalidData, message));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reverses the bytes of each number. A complex element is two numbers.
fn swap_bytes(bytes: &mut [u8], dtype: DType) {
    fn swap<const N: usize>(bytes: &mut [u8]) {
        let (numbers, rest) = bytes.as_chunks_mut::<N>();
        debug_assert!(rest.is_empty(), "a multiple of the size");
        numbers.iter_mut().for_each(|number| number.reverse());
    }

    // The size is a constant in each arm, so that the loops are vectorized.
    match dtype.real().size() {
        2 => swap::<2>(bytes),
        4 => swap::<4>(bytes),
        8 => swap::<8>(bytes),
        size => debug_assert!(size == 1, "numbers have 1, 2, 4 or 8 bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An endless stream that counts the bytes read from it.
    struct Endless<'a>(&'a [u8], usize);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = if self.0.is_empty() { buffer.len() } else { self.0.read(buffer)? };
            self.1 += n;
            Ok(n)
        }
    }

    #[test]
    fn a_reader_that_returns_more_than_the_buffer_holds_is_an_error() {
        /// Reads correctly a number of times, and then claims one byte more than there is room for.
        struct Claims<'a>(&'a [u8], usize);

        impl Read for Claims<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let n = self.0.read(buffer)?;
                self.1 = self.1.saturating_sub(1);
                Ok(if self.1 == 0 { buffer.len() + 1 } else { n })
            }
        }

        let bytes = [header::write(DType::Int16, &[3], false), vec![1, 0, 2, 0, 3, 0]].concat();
        for n in 1..=3 {
            let error = read_from(Claims(&bytes, n)).unwrap_err();
            assert!(error.to_string().contains("the reader returned"), "{error}");
        }
        assert!(read_from(Claims(&bytes, 5)).is_ok());
    }

    #[test]
    fn short_and_interrupted_reads_are_continued() {
        struct Slow<'a>(&'a [u8], bool);

        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.1 = !self.1;
                match self.1 {
                    true => Err(ErrorKind::Interrupted.into()),
                    false => self.0.read(&mut buffer[..1]),
                }
            }
        }

        let bytes = [header::write(DType::Int16, &[3], false), vec![1, 0, 2, 0, 3, 0]].concat();
        let x = read_from(Slow(&bytes, false)).expect("a valid stream");
        assert_eq!(x.to_vec::<i16>().expect("of this type"), [1, 2, 3]);
    }

    #[test]
    fn only_the_bytes_of_the_array_are_read_from_a_stream() {
        for n in [0, 1, FIRST_BYTES - 1, FIRST_BYTES, FIRST_BYTES + 1, 5 * FIRST_BYTES] {
            let header = header::write(DType::UInt8, &[n], false);
            let mut stream = Endless(&header, 0);
            assert_eq!(read_from(&mut stream).expect("endless").len(), n);
            assert_eq!(stream.1, header.len() + n);
        }
    }

    #[test]
    fn swap_bytes_reverses_each_number() {
        let bytes: Vec<u8> = (0..16).collect();
        let table: [(DType, [u8; 16]); 4] = [
            (DType::UInt8, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
            (DType::BFloat16, [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]),
            (DType::Complex64, [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]),
            (DType::Complex128, [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]),
        ];
        for (dtype, expected) in table {
            let mut swapped = bytes.clone();
            swap_bytes(&mut swapped, dtype);
            assert_eq!(swapped, expected, "{dtype}");
        }
    }
}

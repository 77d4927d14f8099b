//! `.npy` files: round trips, and errors for malformed files.

use belvedere::copies::{self, CopyReason};
use belvedere::io::{NpyError, npy};
use belvedere::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary folder for each test, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belvedere-npy-{}-{n}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder");
        let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a plain name");
        entries.map(|entry| name(entry.expect("an entry"))).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns elements with random bits, NaNs included.
fn any_bits(n: usize, dtype: DType) -> Tensor {
    let bytes = (0..n * dtype.size()).map(|i| (i * i + 31 * i + 7) as u8).collect();
    let layout = Layout::row_major(&[n]).expect("a short vector");
    Tensor::from_storage(belvedere::Storage::from_vec::<u64>(words(bytes)), layout, dtype)
        .expect("aligned for every type")
}

/// Bytes in memory that is aligned for all types.
fn words(mut bytes: Vec<u8>) -> Vec<u64> {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.chunks(8).map(|it| u64::from_ne_bytes(it.try_into().expect("eight"))).collect()
}

/// Returns the bytes of the elements in row-major order. Bytes of `bool` need not be 0 or 1.
fn bits(x: &Tensor) -> Vec<u8> {
    let flat = x.copy().expect("a copy").view([-1]).expect("contiguous");
    flat.bitcast(DType::UInt8).expect("bytes").to_vec().expect("bytes")
}

/// Layouts of all kinds over 120 elements.
fn layouts(x: &Tensor) -> Vec<Tensor> {
    let cube = x.view([4, 5, 6]).unwrap();
    let parts = [
        Ok(x.clone()),
        Ok(cube.clone()),
        cube.permute_dims(&[2, 1, 0]),
        cube.permute_dims(&[1, 2, 0]),
        cube.slice(s![1..;2, ..;3, ..;-2]),
        cube.slice(s![.., 2, 1..5]),
        cube.flip(&[0, 2]),
        cube.slice(s![2, 3, 4]),
        cube.slice(s![2, 3, 4..5]),
        cube.slice(s![2..2]),
        cube.slice(s![.., 5.., ..]),
        cube.select(0, 3).unwrap().broadcast_to([3, 5, 6]),
        x.slice(s![7]).unwrap().broadcast_to([2, 3]),
        x.windows(0, 7, 3),
        cube.diagonal(1, 0, 1),
        x.slice(s![3..]),
        x.slice(s![..;-1]),
        x.view([120, 1]).unwrap().t(),
    ];
    parts.map(|it| it.expect("a view")).into()
}

#[test]
fn every_dtype_and_layout_round_trips() {
    let folder = Folder::new();
    let path = folder.file("x.npy");
    for dtype in DType::ALL {
        for x in layouts(&any_bits(120, dtype)) {
            let mut bytes = Vec::new();
            npy::write_to(&mut bytes, &x).unwrap();
            let mut rest = bytes.as_slice();
            let from_stream = npy::read_from(&mut rest).unwrap();
            assert!(rest.is_empty());

            npy::write(&path, &x).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
            let from_file = npy::read(&path).unwrap();
            // SAFETY: nothing changes the file while it is mapped; `write` replaces it.
            let mapped = unsafe { npy::map(&path) }.unwrap();

            for y in [from_stream, from_file, mapped] {
                assert_eq!((y.dtype(), y.shape()), (dtype, x.shape()), "{x:?}");
                assert_eq!(bits(&y), bits(&x), "{x:?}");
                let column_major = x.layout().is_col_major() && !x.is_contiguous();
                assert_eq!(y.is_contiguous(), !column_major);
                assert!(!column_major || y.layout().is_col_major());
            }
        }
    }
    assert_eq!(folder.names(), ["x.npy"]);
}

#[test]
fn more_than_a_block_is_written_in_blocks() {
    // Rows that are longer and shorter than a block, in orders that have to be gathered.
    let x = Tensor::arange(0..600_000).unwrap();
    for shape in [[2, 300_000], [300_000, 2], [775, 774]] {
        let x = x.narrow(0, 0, shape[0] * shape[1]).unwrap().view(shape).unwrap();
        for y in [x.flip(&[0]), x.flip(&[1]), x.slice(s![..;-1, 1..]), x.t().unwrap().flip(&[0])] {
            let y = y.unwrap();
            let mut bytes = Vec::new();
            npy::write_to(&mut bytes, &y).unwrap();
            let z = npy::read_from(bytes.as_slice()).unwrap();
            assert_eq!(z.shape(), y.shape());
            assert_eq!(z.to_vec::<i32>().unwrap(), y.to_vec::<i32>().unwrap());
        }
    }
}

/// Writes a file with a given header and data.
fn by_hand(text: &str, data: &[u8]) -> Vec<u8> {
    let len = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &len[..], text.as_bytes(), data].concat()
}

#[test]
fn big_endian_files_are_byte_swapped() {
    let text = "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 2), }\n";
    let values = [1i32, -2, 3, 1 << 20];
    let data: Vec<u8> = values.iter().flat_map(|it| it.to_be_bytes()).collect();
    let folder = Folder::new();
    let path = folder.file("big.npy");
    fs::write(&path, by_hand(text, &data)).unwrap();
    let x = npy::read(&path).unwrap();
    assert_eq!(x.strides(), [1, 2]);
    assert_eq!(x.t().unwrap().to_vec::<i32>().unwrap(), values);

    // Mapping has to copy, with an event, and the copy is an ordinary tensor.
    // SAFETY: nothing changes the file.
    let (mapped, log) = copies::record(|| unsafe { npy::map(&path) });
    let mapped = mapped.unwrap();
    assert_eq!(mapped.t().unwrap().to_vec::<i32>().unwrap(), values);
    assert!(mapped.fill(0).is_ok());
    assert_eq!((log.len(), log[0].op, log[0].bytes), (1, "npy::map", 16));
    assert_eq!(log[0].reason, CopyReason::Unaligned);
    assert_eq!(log[0].caller.file(), file!());
    // SAFETY: as above.
    let refused = copies::forbid(|| unsafe { npy::map(&path) }).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Copy);
    // SAFETY: as above.
    let error = unsafe { npy::map_mut(&path) }.unwrap_err();
    let expected = NpyError::NotMappable { dtype: DType::Int32, swapped: true, offset: 69 };
    assert!(matches!(error, Error::Npy(found) if found == expected));

    let text = "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }";
    let data = [1.5f32.to_be_bytes(), (-2f32).to_be_bytes()].concat();
    let x = npy::read_from(by_hand(text, &data).as_slice()).unwrap();
    assert_eq!(x.item::<belvedere::Complex<f32>>().unwrap(), belvedere::Complex::new(1.5, -2.0));
}

#[test]
fn unaligned_elements_are_copied() {
    let folder = Folder::new();
    let path = folder.file("odd.npy");
    for n_blanks in 0..20 {
        let blanks = " ".repeat(n_blanks);
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}}{blanks}");
        let data: Vec<u8> = [0.5f64, -7.0].iter().flat_map(|it| it.to_le_bytes()).collect();
        let bytes = by_hand(&text, &data);
        let is_aligned = (bytes.len() - data.len()).is_multiple_of(8);
        fs::write(&path, bytes).unwrap();
        // SAFETY: the tensor is gone before the next file is written.
        let (x, log) = copies::record(|| unsafe { npy::map(&path) });
        assert_eq!(log.len(), usize::from(!is_aligned));
        assert_eq!(x.unwrap().to_vec::<f64>().unwrap(), [0.5, -7.0]);
        // SAFETY: as above.
        assert_eq!(unsafe { npy::map_mut(&path) }.is_ok(), is_aligned);
    }
}

#[test]
fn a_mapped_file_is_read_only_or_written_through() {
    let folder = Folder::new();
    let path = folder.file("x.npy");
    npy::write(&path, &Tensor::arange(0..6).unwrap().view([2, 3]).unwrap()).unwrap();
    // SAFETY: only `write` changes the file, and it does not modify mapped files.
    let x = unsafe { npy::map(&path) }.unwrap();
    assert!(matches!(x.fill(1), Err(Error::ReadOnly)));
    assert!(matches!(x.t().unwrap().add_assign(1), Err(Error::ReadOnly)));
    assert!(matches!(x.write::<i32>(), Err(Error::ReadOnly)));
    assert!(matches!(x.set(&[0, 0], 1), Err(Error::ReadOnly)));
    assert_eq!(x.add(1).unwrap().to_vec::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);

    // The same file, replaced by what is computed from it.
    npy::write(&path, &x.mul(10).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    drop(x);

    // SAFETY: nothing else changes the file.
    let x = unsafe { npy::map_mut(&path) }.unwrap();
    x.slice(s![1, ..;2]).unwrap().fill(-1).unwrap();
    drop(x);
    assert_eq!(npy::read(&path).unwrap().to_vec::<i32>().unwrap(), [0, 10, 20, -1, 40, -1]);
}

#[test]
fn a_file_of_any_other_length_is_refused() {
    let folder = Folder::new();
    let path = folder.file("x.npy");
    let mut bytes = Vec::new();
    npy::write_to(&mut bytes, &Tensor::arange(0..5).unwrap()).unwrap();
    let needed = bytes.len();
    for found in 0..needed {
        // A truncated header is reported for the header, truncated data for the file.
        let needed = [12, 128, needed].into_iter().find(|&it| it > found).unwrap();
        let expected = NpyError::Truncated { needed, found };
        fs::write(&path, &bytes[..found]).unwrap();
        // SAFETY: nothing is mapped.
        let mapped = unsafe { (npy::map(&path), npy::map_mut(&path)) };
        let from_stream = npy::read_from(&bytes[..found]);
        for result in [npy::read(&path), from_stream, mapped.0, mapped.1] {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(matches!(error, Error::Npy(error) if error == expected), "{found} bytes");
        }
    }
    for found in [needed + 1, needed + 4, 2 * needed] {
        let longer: Vec<u8> = bytes.iter().copied().cycle().take(found).collect();
        fs::write(&path, &longer).unwrap();
        let expected = NpyError::TrailingBytes { needed, found };
        // SAFETY: nothing is mapped.
        for result in [npy::read(&path), unsafe { npy::map(&path) }] {
            assert!(matches!(result.unwrap_err(), Error::Npy(error) if error == expected));
        }
        // A stream may continue after the array.
        assert_eq!(npy::read_from(longer.as_slice()).unwrap().len(), 5);
    }
}

#[test]
fn other_files_are_refused() {
    let folder = Folder::new();
    let path = folder.file("x.npy");
    let is_npy_error = |error: Error, expected: NpyError| {
        assert!(matches!(error, Error::Npy(found) if found == expected));
    };
    fs::write(&path, "PK\x03\x04, a zip archive").unwrap();
    is_npy_error(npy::read(&path).unwrap_err(), NpyError::NotNpy);
    is_npy_error(npy::read_from(&b"\x93NUMPX\x01\x00"[..]).unwrap_err(), NpyError::NotNpy);
    let text = "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}";
    let unsupported = NpyError::UnsupportedDescr { descr: "|O".into() };
    is_npy_error(npy::read_from(by_hand(text, &[0; 8]).as_slice()).unwrap_err(), unsupported);

    assert!(matches!(npy::read(folder.file("none.npy")), Err(Error::Io(_))));
    assert!(matches!(npy::read(&folder.0), Err(Error::Io(_))));
    let x = Tensor::zeros([1], DType::Int8).unwrap();
    assert!(matches!(npy::write(&folder.0, &x), Err(Error::Io(_))));
    assert!(matches!(npy::write(folder.file("no/folder.npy"), &x), Err(Error::Io(_))));
    assert_eq!(folder.names(), ["x.npy"]);
}

#[test]
fn a_tensor_larger_than_memory_is_not_written() {
    let x = Tensor::zeros([1], DType::Float64).unwrap().broadcast_to([1usize << 60]).unwrap();
    let error = npy::write_to(std::io::sink(), &x).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("exceeds the address space"), "{error}");
}

#[test]
fn failed_write_keeps_the_old_file_and_leaves_no_other() {
    let folder = Folder::new();
    let path = folder.file("x.npy");
    let x = Tensor::arange(0..4).unwrap();
    npy::write(&path, &x).unwrap();
    let guard = x.write::<i32>().unwrap();
    assert_eq!(npy::write(&path, &x).unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
    assert_eq!(npy::read(&path).unwrap().to_vec::<i32>().unwrap(), [0, 1, 2, 3]);
    assert_eq!(folder.names(), ["x.npy"]);
}

#[test]
fn tensor_is_borrowed_while_it_is_saved() {
    struct Meddler<'a>(&'a Tensor);

    impl std::io::Write for Meddler<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let error = self.0.fill(7).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Borrow);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let x = Tensor::arange(0..9).unwrap().view([3, 3]).unwrap();
    npy::write_to(Meddler(&x), &x.flip(&[1]).unwrap()).unwrap();
    x.fill(7).unwrap();
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new();
    let (path, link) = (folder.file("x.npy"), folder.file("link.npy"));
    let x = Tensor::arange(0..4).unwrap();
    npy::write(&path, &x).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&path, &link).unwrap();
    npy::write(&link, &x.add(1).unwrap()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(npy::read(&path).unwrap().to_vec::<i32>().unwrap(), [1, 2, 3, 4]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    npy::write("/dev/null", &x).unwrap();
    let empty = npy::read("/dev/null").unwrap_err();
    assert!(matches!(empty, Error::Npy(NpyError::Truncated { needed: 12, found: 0 })));
    let zeros = npy::read("/dev/zero").unwrap_err();
    assert!(matches!(zeros, Error::Npy(NpyError::NotNpy)));
}

/// A reader that claims to have read one byte more than it was asked for, after some honest calls.
struct Overcounting<'a> {
    bytes: &'a [u8],
    n_honest: usize,
}

impl std::io::Read for Overcounting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.bytes.read(buffer)?;
        let is_honest = self.n_honest > 0;
        self.n_honest = self.n_honest.saturating_sub(1);
        Ok(if is_honest { n } else { buffer.len() + 1 })
    }
}

#[test]
fn readers_that_return_more_than_they_were_asked_for_are_refused() {
    let mut bytes = Vec::new();
    npy::write_to(&mut bytes, &Tensor::arange(0..100).unwrap()).unwrap();
    // The prefix, the rest of the header, and the elements are read by a call each.
    for n_honest in 0..3 {
        let error = npy::read_from(Overcounting { bytes: &bytes, n_honest }).unwrap_err();
        assert!(error.to_string().contains("the reader returned"), "{error}");
    }
    assert!(npy::read_from(Overcounting { bytes: &bytes, n_honest: 3 }).is_ok());
}

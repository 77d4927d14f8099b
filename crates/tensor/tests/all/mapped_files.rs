//! Memory-mapped files as storages: read in place, and written through if they are writable.

use belvedere::*;
use std::fs::{File, OpenOptions};
use std::path::PathBuf;

/// A file that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Scratch {
        let name = format!("belvedere-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn mapped_file_is_read_only() {
    let bytes: Vec<u8> = (0..24i32).flat_map(i32::to_le_bytes).collect();
    let file = Scratch::new("read", &bytes);
    // SAFETY: no other process uses the file.
    let storage = unsafe { Storage::map_file(&File::open(&file.0).unwrap()) }.unwrap();
    assert!(!storage.is_writable() && storage.len() == 96);
    let layout = Layout::row_major(&[4, 6]).unwrap().t().unwrap();
    let x = Tensor::from_storage(storage, layout, DType::Int32).unwrap();
    assert_eq!(x.get::<i32>(&[5, 3]).unwrap(), i32::from_le(23));
    assert!(matches!(x.fill(1), Err(Error::ReadOnly)));
    assert!(matches!(x.add_assign(&x), Err(Error::ReadOnly)));
    assert_eq!(x.add(&x).unwrap().shape(), [6, 4]);
}

#[test]
fn writes_to_a_mapped_file_reach_the_file() {
    let file = Scratch::new("write", &[1; 64]);
    let open = OpenOptions::new().read(true).write(true).open(&file.0).unwrap();
    // SAFETY: no other process uses the file.
    let storage = unsafe { Storage::map_file_mut(&open) }.unwrap();
    let layout = Layout::row_major(&[64]).unwrap();
    let x = Tensor::from_storage(storage, layout, DType::UInt8).unwrap();
    x.slice(s![..;2]).unwrap().fill(7).unwrap();
    drop(x);
    let bytes = std::fs::read(&file.0).unwrap();
    assert_eq!((bytes[0], bytes[1], bytes[62]), (7, 1, 7));
}

#[test]
fn empty_file_maps_to_an_empty_storage() {
    let file = Scratch::new("empty", &[]);
    // SAFETY: no other process uses the file.
    let storage = unsafe { Storage::map_file(&File::open(&file.0).unwrap()) };
    assert!(storage.is_ok_and(|it| it.is_empty()));
}

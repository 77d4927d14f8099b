//! `.npy` headers that announce more data than the file has cause no large allocation.

use belvedere::io::{NpyError, npy};
use belvedere::prelude::*;
use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest allocation requested so far.
static LARGEST: AtomicUsize = AtomicUsize::new(0);

struct Watch;

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Watch {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        LARGEST.fetch_max(size.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, size: Size) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, size) }
    }

    unsafe fn alloc_zeroed(&self, size: Size) -> *mut u8 {
        LARGEST.fetch_max(size.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watch = Watch;

/// The beginning of a file with 8 TiB, as long as its header.
fn lying_header() -> Vec<u8> {
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1048576, 1048576), }";
    let len = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &len[..], text.as_bytes()].concat()
}

#[test]
fn memory_use_is_bounded_by_the_file_size() {
    let header = lying_header();
    let path = std::env::temp_dir().join(format!("belvedere-lies-{}.npy", std::process::id()));
    for n in [0, 1000, 1 << 20, 5 << 20] {
        let bytes = [header.clone(), vec![7; n]].concat();
        std::fs::write(&path, &bytes).unwrap();
        LARGEST.store(0, Ordering::Relaxed);
        let from_file = npy::read(&path);
        assert!(LARGEST.load(Ordering::Relaxed) < 1 << 20, "the file's length was not asked");
        let from_stream = npy::read_from(bytes.as_slice());
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(largest <= (2 * n).max(1 << 20), "{largest} bytes for a stream of {n}");
        let expected = NpyError::Truncated { needed: header.len() + (8 << 40), found: bytes.len() };
        for result in [from_file, from_stream] {
            assert!(matches!(result, Err(Error::Npy(error)) if error == expected));
        }
    }
    std::fs::remove_file(&path).unwrap();
}

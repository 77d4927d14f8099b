//! A storage of two bytes, whose accesses `loom` checks for data races.

use crate::borrow::Borrows;
use belvedere_layout::Layout;
use loom::cell::UnsafeCell;
use std::sync::Arc;

/// The errors of borrow checking, as in `crates/tensor`.
#[derive(Debug)]
pub(crate) enum Error {
    Borrowed {
        write: bool,
        wanted: Box<[usize]>,
        held_for_writing: bool,
        held: Option<Box<[usize]>>,
    },
    Busy {
        write: bool,
        wanted: Box<[usize]>,
    },
    NoValues {
        op: &'static str,
        shape: Box<[usize]>,
    },
}

/// One of some storages in one allocation, so that the order of their addresses, in which they are claimed, is the same in every
/// execution: `loom` repeats executions up to a point, and fails in itself, or leaves some out, if they differ.
#[derive(Clone)]
pub(crate) struct Storage {
    all: Arc<[Inner]>,
    n: usize,
}

struct Inner {
    borrows: Borrows,
    bytes: [UnsafeCell<u8>; 2],
    /// The layouts of the first byte, the second, and both.
    layouts: [Layout; 3],
}

impl Inner {
    fn new(borrows: Borrows) -> Inner {
        let layouts = [(0, 1), (1, 1), (0, 2)]
            .map(|(start, len)| Layout::from_strides(start, &[len], &[1]).expect("it is small"));
        Inner { borrows, bytes: [UnsafeCell::new(0), UnsafeCell::new(0)], layouts }
    }
}

// SAFETY: `loom` checks that the bytes are not accessed concurrently with a write.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`.
unsafe impl Sync for Inner {}

/// The bytes of a storage that a model accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    First,
    Second,
    Both,
}

impl Storage {
    pub(crate) fn new(borrows: Borrows) -> Storage {
        let [storage] = Storage::new_all([borrows]);
        storage
    }

    /// Returns storages in ascending order of their addresses.
    pub(crate) fn new_all<const N: usize>(borrows: [Borrows; N]) -> [Storage; N] {
        let all: Arc<[Inner]> = Arc::new(borrows.map(Inner::new));
        std::array::from_fn(|n| Storage { all: all.clone(), n })
    }

    fn inner(&self) -> &Inner {
        &self.all[self.n]
    }

    pub(crate) fn is_meta(&self) -> bool {
        false
    }

    pub(crate) fn borrows(&self) -> &Borrows {
        &self.inner().borrows
    }

    /// The claims of different storages are in different entries of the table, so one address is enough.
    pub(crate) fn address(&self) -> usize {
        64
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.inner().bytes.len()
    }

    pub(crate) fn layout(&self, part: Part) -> &Layout {
        &self.inner().layouts[part as usize]
    }

    fn bytes(&self, part: Part) -> &[UnsafeCell<u8>] {
        match part {
            Part::First => &self.inner().bytes[..1],
            Part::Second => &self.inner().bytes[1..],
            Part::Both => &self.inner().bytes,
        }
    }

    /// Reads bytes, which must be claimed, and returns the greatest.
    pub(crate) fn read(&self, part: Part) -> u8 {
        // SAFETY: the pointers are valid, and `loom` checks for data races.
        self.bytes(part).iter().map(|it| it.with(|ptr| unsafe { *ptr })).max().unwrap_or(0)
    }

    /// Increments bytes, which must be claimed for writing.
    pub(crate) fn increment(&self, part: Part) {
        // SAFETY: the pointers are valid, and `loom` checks for data races.
        self.bytes(part).iter().for_each(|it| it.with_mut(|ptr| unsafe { *ptr += 1 }));
    }
}

//! Shared bytes, and who owns them.

mod beside;
mod block;
mod recycle;

pub use recycle::{MemoryStats, stats, trim};

use crate::borrow::Borrows;
use crate::{Error, Value};
use block::Block;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Reference-counted bytes that any number of tensors see.
///
/// Our own are aligned to 64 bytes; those of others are aligned as they came. The bytes are freed, or
/// handed back to their owner, when the last tensor is gone.
#[derive(Clone)]
pub struct Storage {
    inner: Arc<Inner>,
    /// Whether it may be written to through this one, if it may be written to at all.
    writable: bool,
}

/// Invariant: `ptr` is valid for reads of `len` bytes, and for writes if `writable`, until `_owner` is
/// dropped; the memory is initialised, except between `uninit` and the kernel that fills it, which
/// happens inside this crate before anybody else has the storage.
struct Inner<R: ?Sized = [MaybeUninit<u8>]> {
    ptr: NonNull<u8>,
    len: usize,
    writable: bool,
    _owner: Owner,
    borrows: Borrows,
    /// Room for elements that are few (`beside.rs`), else none. It is used through `ptr` alone.
    _room: UnsafeCell<R>,
}

/// Who frees the bytes. The fields are held for what their `drop` does.
enum Owner {
    /// Nobody: they are in the room beside this.
    Beside,
    /// We do, perhaps by keeping them for the next tensor.
    Block(#[expect(dead_code, reason = "held for its drop")] Block),
    /// A vector, or anything else that owns memory and can be sent between threads.
    Other(#[expect(dead_code, reason = "held for its drop")] Box<dyn Send + Sync>),
}

// SAFETY: the pointer is to memory that is owned through `_owner`, which is `Send + Sync`; access to
// the bytes goes through `borrows`, which lets no write run beside another access.
unsafe impl<R: ?Sized> Send for Inner<R> {}
// SAFETY: as above.
unsafe impl<R: ?Sized> Sync for Inner<R> {}

/// Storages that other libraries were given, by their addresses. What comes back from these has to be
/// known as ours, because its borrows are in our table.
static EXPORTED: Mutex<BTreeMap<usize, Exported>> = Mutex::new(BTreeMap::new());

/// A storage that another library was given, and its length.
struct Exported {
    inner: Weak<Inner>,
    len: usize,
}

fn exported() -> MutexGuard<'static, BTreeMap<usize, Exported>> {
    EXPORTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an imported piece of memory needs when nobody sees it any more.
struct Release<F: FnOnce() + Send + Sync>(Option<F>);

impl<F: FnOnce() + Send + Sync> Drop for Release<F> {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

impl Storage {
    /// `len` bytes, all of them zero.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn zeroed(len: usize) -> Result<Storage, Error> {
        if let Some(storage) = Storage::beside(len) {
            // SAFETY: the bytes are those of the storage, which nobody else has yet.
            unsafe { storage.ptr().write_bytes(0, len) };
            return Ok(storage);
        }
        Ok(Storage::of_block(Block::zeroed(len)?))
    }

    /// `len` bytes of any value, for a kernel that is about to write all of them.
    ///
    /// # Safety
    /// The memory may be uninitialised: nobody may read it before it is written.
    #[inline]
    pub(crate) unsafe fn uninit(len: usize) -> Result<Storage, Error> {
        match Storage::beside(len) {
            Some(storage) => Ok(storage),
            None => Ok(Storage::of_block(Block::uninit(len)?)),
        }
    }

    fn of_block(block: Block) -> Storage {
        let (ptr, len) = (block.ptr(), block.len());
        Storage::new(ptr, len, true, Owner::Block(block), Borrows::new())
    }

    fn new(
        ptr: NonNull<u8>,
        len: usize,
        writable: bool,
        owner: Owner,
        borrows: Borrows,
    ) -> Storage {
        let _room = UnsafeCell::new([]);
        let inner = Arc::new(Inner { ptr, len, writable, _owner: owner, borrows, _room });
        Storage { inner, writable: true }
    }

    /// The bytes of a vector, which stay where they are.
    ///
    /// # Memory
    /// Never copies.
    pub fn from_vec<T: Value>(mut values: Vec<T>) -> Storage {
        let len = size_of_val(values.as_slice());
        let ptr = NonNull::new(values.as_mut_ptr().cast()).expect("a vector's pointer is not null");
        // The vector is not touched again until it is dropped with the storage.
        Storage::new(ptr, len, true, Owner::Other(Box::new(Untouched(values))), Borrows::new())
    }

    /// Memory of somebody else, which is told through `release` when it is no longer needed.
    ///
    /// Storages over foreign memory share one table of borrows, which compares addresses: the same
    /// bytes may be imported twice and stay safe from races through this library.
    ///
    /// # Safety
    /// From `ptr` on, `len` bytes must be initialised and valid for reads until `release` is called;
    /// if `writable`, for writes too. While a tensor is borrowed (by a guard, or by an operation)
    /// nobody else may write to the bytes, and if it is borrowed for writing nobody may read them. They
    /// must not be those of a storage of this library, which has a table of its own: clone that instead.
    pub unsafe fn foreign(
        ptr: NonNull<u8>,
        len: usize,
        writable: bool,
        release: impl FnOnce() + Send + Sync + 'static,
    ) -> Storage {
        let owner = Owner::Other(Box::new(Release(Some(release))));
        Storage::new(ptr, len, writable, owner, Borrows::foreign())
    }

    /// A vector's memory as if it were somebody else's, who gives it twice.
    #[cfg(test)]
    pub(crate) fn imported_twice<T: Value>(mut values: Vec<T>) -> [Storage; 2] {
        let len = size_of_val(values.as_slice());
        let ptr = NonNull::new(values.as_mut_ptr().cast()).expect("a vector's pointer is not null");
        let owner = Arc::new(Untouched(values));
        // SAFETY: the vector is dropped with the last of the two, and not touched before.
        [(), ()].map(|()| unsafe {
            let owner = Arc::clone(&owner);
            Storage::foreign(ptr, len, true, move || drop(owner))
        })
    }

    /// A file's bytes, mapped into memory and read when they are touched; not writable.
    ///
    /// # Errors
    /// If the file cannot be mapped.
    ///
    /// # Safety
    /// The file must not be changed or cut short while the storage exists.
    pub unsafe fn map_file(file: &std::fs::File) -> Result<Storage, Error> {
        // SAFETY: the caller promises that the file stays as it is.
        let map = unsafe { memmap2::Mmap::map(file) }?;
        let ptr = NonNull::new(map.as_ptr().cast_mut()).expect("a mapping's pointer is not null");
        let len = map.len();
        Ok(Storage::new(ptr, len, false, Owner::Other(Box::new(map)), Borrows::foreign()))
    }

    /// A file's bytes, mapped into memory; what is written to them is written to the file.
    ///
    /// # Errors
    /// If the file cannot be mapped.
    ///
    /// # Safety
    /// The file must not be changed by others or cut short while the storage exists.
    pub unsafe fn map_file_mut(file: &std::fs::File) -> Result<Storage, Error> {
        // SAFETY: the caller promises that nobody else changes the file.
        let mut map = unsafe { memmap2::MmapMut::map_mut(file) }?;
        let len = map.len();
        let ptr = NonNull::new(map.as_mut_ptr()).expect("a mapping's pointer is not null");
        let owner = Owner::Other(Box::new(Untouched(map)));
        Ok(Storage::new(ptr, len, true, owner, Borrows::foreign()))
    }

    /// Bytes in it.
    #[inline]
    pub fn len(&self) -> usize {
        self.inner.len
    }

    /// Whether it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.inner.len == 0
    }

    /// Whether it may be written to.
    #[inline]
    pub fn is_writable(&self) -> bool {
        self.writable && self.inner.writable
    }

    /// The same bytes, not to be written to through this one and what is made of it.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..3)?;
    /// let seen = Tensor::from_storage(x.storage().read_only(), x.layout().clone(), x.dtype())?;
    /// assert!(seen.fill(7).is_err());
    /// x.fill(7)?;
    /// assert_eq!(seen.to_vec::<i32>()?, [7, 7, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn read_only(&self) -> Storage {
        Storage { inner: self.inner.clone(), writable: false }
    }

    /// Whether two storages are one.
    pub fn is_same(&self, other: &Storage) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// How many tensors (and guards) see these bytes.
    pub fn n_shares(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// The address of the first byte.
    #[inline]
    pub fn address(&self) -> usize {
        self.inner.ptr.as_ptr().addr()
    }

    /// Notes that another library is given the memory, so that [`Storage::exported_at`] knows it when it
    /// comes back. [`io::dlpack`](crate::io::dlpack) does so itself.
    ///
    /// Others read and write without borrowing: whoever hands the memory on sees to it that they do not
    /// do so while an operation or a guard of this library uses the same elements. If they do all the
    /// same, what an operation calculates is of no use.
    pub fn note_export(&self) {
        if self.is_empty() || self.inner.borrows.is_foreign() {
            return;
        }
        let mut exported = exported();
        // Now and then, so that a list of many is not gone through for each.
        if exported.len().is_power_of_two() {
            exported.retain(|_, it| it.inner.strong_count() > 0);
        }
        let inner = Arc::downgrade(&self.inner);
        exported.insert(self.address(), Exported { inner, len: self.len() });
    }

    /// The storage of ours that so many bytes at an address belong to, if another library was given it:
    /// to be asked before such bytes are called [foreign](Storage::foreign).
    ///
    /// ```
    /// use belvedere::{Storage, Tensor};
    ///
    /// let x = Tensor::arange(0..6)?;
    /// let address = x.storage().address();
    /// assert!(Storage::exported_at(address + 8, 4).is_none());
    /// x.storage().note_export();
    /// assert!(Storage::exported_at(address + 8, 4).is_some_and(|it| it.is_same(x.storage())));
    /// assert!(Storage::exported_at(address, 1000).is_none());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn exported_at(address: usize, len: usize) -> Option<Storage> {
        let exported = exported();
        // Those that are gone may lie where a greater one has been put since.
        let mut before = exported.range(..=address).rev();
        let (start, it) = before.find(|(_, it)| it.inner.strong_count() > 0)?;
        let end = (address - start).checked_add(len)?;
        // Only who is asked for is held, even for a moment: others count who shares their memory.
        let inner = (end <= it.len).then(|| it.inner.upgrade()).flatten()?;
        Some(Storage { inner, writable: true })
    }

    /// The first byte. Reading or writing takes a borrow; who gives it away [notes](Storage::note_export)
    /// that.
    #[inline]
    pub fn ptr(&self) -> NonNull<u8> {
        self.inner.ptr
    }

    #[inline]
    pub(crate) fn borrows(&self) -> &Borrows {
        &self.inner.borrows
    }
}

/// Something that owns memory and is neither read nor written through, only dropped.
struct Untouched<T>(T);

impl std::fmt::Debug for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Storage")
            .field("address", &format_args!("{:#x}", self.address()))
            .field("bytes", &self.len())
            .field("writable", &self.is_writable())
            .field("shares", &self.n_shares())
            .finish()
    }
}

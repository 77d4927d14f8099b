//! Reference-counted memory of tensors: own allocations, vectors, mapped files and imported memory.

mod allocation;
mod device;
mod free_list;
mod inline;
mod vector;

pub(crate) use device::creates_meta;
pub use device::{Device, with_device};
pub use free_list::{MemoryStats, stats, trim};
pub(crate) use inline::ElementBits;

use crate::borrow::Borrows;
use crate::fork::HeldLock;
use crate::{Error, Value, trace};
use allocation::Allocation;
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::collections::BTreeMap;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Reference-counted memory that any number of tensors share.
///
/// Cloning shares the bytes. Memory that the library allocates is aligned to 64 bytes; other memory keeps
/// its alignment. When the last clone is dropped, the bytes are freed or returned to their owner.
///
/// ```
/// use belvedere::{DType, Layout, Storage, Tensor};
///
/// let storage = Storage::from_vec(vec![1.0f32, 2.0, 3.0, 4.0]);
/// let x = Tensor::from_storage(storage, Layout::row_major(&[2, 2])?, DType::Float32)?;
/// assert_eq!(x.get::<f32>(&[1, 0])?, 3.0);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
pub struct Storage {
    inner: Arc<Inner>,
    handle: HandleAccess,
}

/// What a handle allows, if the memory does.
///
/// It has the size of a word: a single byte is moved together with its padding, which is a store-forwarding stall.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum HandleAccess {
    Read,
    Write,
}

/// The header of a storage.
///
/// Invariants:
/// 1. `ptr` is valid for reads of `len` bytes until `owner` is dropped, and for writes if `writable`; unless
///    `borrows` is `Meta`, which refuses every claim.
/// 2. The bytes are initialised, except between [`Storage::uninit`] and the end of the kernel that
///    fills them; until then the storage does not leave this crate.
/// 3. Every access to them takes a claim in `borrows` first. (`initial` is not one of them.)
struct Inner<B: ?Sized = [MaybeUninit<u8>]> {
    ptr: NonNull<u8>,
    len: usize,
    writable: bool,
    /// Whether a handle that allows writes was exported to another library.
    is_shared: AtomicBool,
    owner: Owner,
    borrows: Borrows,
    /// The bytes of the element, in a storage of one element whose `borrows` say that it was not written yet.
    initial: ElementBits,
    /// The number of [`Storage::id`]; 0 until it is first asked for.
    id: AtomicU64,
    /// The inline buffer of a small storage (`inline.rs`), else empty. Accessed through `ptr` only.
    _buffer: UnsafeCell<B>,
}

/// The owner of the bytes; dropping it frees them.
enum Owner {
    /// The header itself: the bytes are in its inline buffer.
    Inline,
    /// There are no bytes.
    Meta,
    /// An allocation of this library.
    Own(#[expect(dead_code, reason = "held for its drop")] Allocation),
    /// An [`Untouched`] vector of any element type (`vector.rs`).
    Vector(Box<dyn Any + Send + Sync>),
    /// A mapped file, or the release callback of imported memory.
    Other(#[expect(dead_code, reason = "held for its drop")] Box<dyn Send + Sync>),
}

// SAFETY: `ptr` points to memory that `owner` owns, which is `Send + Sync`; the bytes are accessed only
// with a claim in `borrows` (invariant 3), which allows no access concurrent with a write.
unsafe impl<B: ?Sized> Send for Inner<B> {}
// SAFETY: as for `Send`.
unsafe impl<B: ?Sized> Sync for Inner<B> {}

impl<B: ?Sized> Drop for Inner<B> {
    #[inline]
    fn drop(&mut self) {
        // Only storages that occur in events have a number.
        if let id @ 1.. = *self.id.get_mut() {
            trace::freed(StorageId(id));
        }
    }
}

/// The identity of a storage. Ids are not reused, unlike addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StorageId(u64);

impl fmt::Display for StorageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The number of ids that a thread takes at once.
const ID_BLOCK: u64 = 1 << 10;

/// Returns an id that no storage has.
#[cold]
fn new_id() -> u64 {
    static NEXT_BLOCK: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        /// The id that this thread has taken last; the end of its block if all were taken.
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    let last = match LAST.get() {
        last if last % ID_BLOCK == 0 => NEXT_BLOCK.fetch_add(ID_BLOCK, Ordering::Relaxed),
        last => last,
    };
    LAST.set(last + 1);
    last + 1
}

/// Storages that were exported to other libraries, by address. When such memory is imported again it
/// must get the same storage, because that one has its claims.
static EXPORTS: Mutex<BTreeMap<usize, ExportedStorage>> = Mutex::new(BTreeMap::new());

/// A storage that was exported to another library.
struct ExportedStorage {
    inner: Weak<Inner>,
    len: usize,
    /// Whether a handle that allows writes was exported, at least once.
    writable: bool,
}

fn exports() -> MutexGuard<'static, BTreeMap<usize, ExportedStorage>> {
    EXPORTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the locks of this module before a fork.
pub(crate) fn lock_for_fork() -> [Box<dyn HeldLock>; 2] {
    [Box::new(exports()), Box::new(free_list::lock())]
}

/// Calls the release callback of imported memory when it is dropped.
struct Release<F: FnOnce() + Send + Sync>(Option<F>);

impl<F: FnOnce() + Send + Sync> Drop for Release<F> {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

impl Storage {
    /// Allocates `len` bytes, all zero.
    ///
    /// ```
    /// use belvedere::Storage;
    ///
    /// let storage = Storage::zeroed(100)?;
    /// assert_eq!(storage.len(), 100);
    /// assert!(storage.address().is_multiple_of(64));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn zeroed(len: usize) -> Result<Storage, Error> {
        if let Some(storage) = Storage::inline(len) {
            // SAFETY: the storage has `len` bytes, and no other thread has it yet.
            unsafe { storage.ptr().write_bytes(0, len) };
            return Ok(storage);
        }
        Ok(Storage::from_allocation(Allocation::zeroed(len)?))
    }

    /// Allocates `len` bytes, which may be uninitialised, for a kernel that writes all of them.
    ///
    /// # Safety
    /// - No byte may be read before it is written.
    #[inline]
    pub(crate) unsafe fn uninit(len: usize) -> Result<Storage, Error> {
        match Storage::inline(len) {
            Some(storage) => Ok(storage),
            None => Ok(Storage::from_allocation(Allocation::uninit(len)?)),
        }
    }

    /// Returns a storage of `len` bytes, at most `isize::MAX`, without memory: every access to its bytes is refused.
    ///
    /// ```
    /// use belvedere::{DType, Layout, Storage, Tensor};
    ///
    /// let storage = Storage::meta(1 << 60);
    /// assert!(storage.is_meta() && storage.len() == 1 << 60);
    /// let x = Tensor::from_storage(storage, Layout::row_major(&[1 << 30, 1 << 27])?, DType::Float64)?;
    /// assert!(x.get::<f64>(&[0, 0]).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn meta(len: usize) -> Storage {
        // As aligned as an allocation, so that it takes every dtype.
        #[repr(align(64))]
        struct Aligned;
        let ptr = NonNull::<Aligned>::dangling().cast();
        // No allocation is larger, so that offsets in bytes fit in an `isize`.
        Storage::new(ptr, len.min(isize::MAX as usize), true, Owner::Meta, Borrows::Meta)
    }

    /// Returns whether the storage has no memory ([`Storage::meta`]).
    ///
    /// ```
    /// # use belvedere::Storage;
    /// assert!(!Storage::from_vec(vec![1, 2, 3]).is_meta());
    /// ```
    #[inline]
    pub fn is_meta(&self) -> bool {
        self.inner.borrows.is_meta()
    }

    /// Returns whether bytes of the two storages may be the same: those of storages without memory are only if
    /// the storages are.
    pub(crate) fn may_share(&self, other: &Storage) -> bool {
        !(self.is_meta() || other.is_meta()) || self.is_same(other)
    }

    fn from_allocation(allocation: Allocation) -> Storage {
        let (ptr, len) = (allocation.ptr(), allocation.len());
        Storage::new(ptr, len, true, Owner::Own(allocation), Borrows::new())
    }

    fn new(
        ptr: NonNull<u8>,
        len: usize,
        writable: bool,
        owner: Owner,
        borrows: Borrows,
    ) -> Storage {
        let (initial, id, _buffer) = (0, AtomicU64::new(0), UnsafeCell::new([]));
        let is_shared = AtomicBool::new(false);
        let inner = Inner { ptr, len, writable, is_shared, owner, borrows, initial, id, _buffer };
        let inner = Arc::new(inner);
        Storage { inner, handle: HandleAccess::Write }
    }

    /// Takes over the memory of a vector.
    ///
    /// ```
    /// use belvedere::Storage;
    ///
    /// let values = vec![1i32, 2, 3];
    /// let address = values.as_ptr().addr();
    /// let storage = Storage::from_vec(values);
    /// assert_eq!((storage.address(), storage.len()), (address, 12));
    /// ```
    ///
    /// # Memory
    /// Never copies.
    pub fn from_vec<T: Value>(mut values: Vec<T>) -> Storage {
        let len = size_of_val(values.as_slice());
        let ptr = NonNull::new(values.as_mut_ptr().cast()).expect("a vector's pointer is not null");
        // The vector is not accessed again until it is dropped with the storage.
        Storage::new(ptr, len, true, Owner::Vector(Box::new(Untouched(values))), Borrows::new())
    }

    /// Imports memory of another owner, which is returned by calling `release` when the last clone is dropped.
    ///
    /// All imported storages share one table of claims, compared by address: the same bytes may be
    /// imported twice without data races through this library.
    ///
    /// ```
    /// use belvedere::{DType, Layout, Storage, Tensor};
    /// use std::ptr::NonNull;
    ///
    /// let mut values = vec![1i64, 2, 3];
    /// let ptr = NonNull::new(values.as_mut_ptr().cast()).unwrap();
    /// // SAFETY: the vector is moved into `release` and not accessed before that is called.
    /// let storage = unsafe { Storage::foreign(ptr, 24, true, move || drop(values)) };
    /// let x = Tensor::from_storage(storage, Layout::row_major(&[3])?, DType::Int64)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Safety
    /// - The `len` bytes from `ptr` on must be initialised and valid for reads until `release` is called;
    ///   if `writable`, also for writes.
    /// - While a guard or an operation reads them through this library, no other code may write them;
    ///   while one writes them, no other code may read or write them. Guards and views give out references
    ///   to elements, so a breach is undefined behaviour and not only a wrong value.
    /// - They must not belong to a storage of this library, which has its own claims: clone that one
    ///   instead ([`Storage::exported_at`]).
    pub unsafe fn foreign(
        ptr: NonNull<u8>,
        len: usize,
        writable: bool,
        release: impl FnOnce() + Send + Sync + 'static,
    ) -> Storage {
        let owner = Owner::Other(Box::new(Release(Some(release))));
        Storage::new(ptr, len, writable, owner, Borrows::foreign())
    }

    /// Returns whether the memory belongs to another owner: another library, or a mapped file.
    ///
    /// ```
    /// use belvedere::Storage;
    ///
    /// assert!(!Storage::from_vec(vec![1, 2, 3]).is_foreign());
    /// ```
    pub fn is_foreign(&self) -> bool {
        self.inner.borrows.is_foreign()
    }

    /// Imports the memory of a vector twice, as if another library owned it.
    #[cfg(test)]
    pub(crate) fn imported_twice<T: Value>(mut values: Vec<T>) -> [Storage; 2] {
        let len = size_of_val(values.as_slice());
        let ptr = NonNull::new(values.as_mut_ptr().cast()).expect("a vector's pointer is not null");
        let owner = Arc::new(Untouched(values));
        // SAFETY: the vector is dropped with the last of the two storages, and not accessed before.
        [(), ()].map(|()| unsafe {
            let owner = Arc::clone(&owner);
            Storage::foreign(ptr, len, true, move || drop(owner))
        })
    }

    /// Maps a file into memory, read-only; pages are read when they are first accessed.
    ///
    /// ```
    /// use belvedere::Storage;
    /// use std::{env, fs};
    ///
    /// let path = env::temp_dir().join(format!("belvedere-map-{}.bin", std::process::id()));
    /// fs::write(&path, [1, 2, 3, 4])?;
    /// let file = fs::OpenOptions::new().read(true).write(true).open(&path)?;
    /// // SAFETY: no other code changes this file.
    /// let storage = unsafe { Storage::map_file(&file) }?;
    /// assert_eq!((storage.len(), storage.is_writable()), (4, false));
    /// # drop(storage);
    /// # fs::remove_file(&path)?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be mapped.
    ///
    /// # Safety
    /// - The file must not be changed or truncated while the storage exists.
    pub unsafe fn map_file(file: &std::fs::File) -> Result<Storage, Error> {
        #[cfg(feature = "files")]
        {
            // SAFETY: forwarded: same contract as this function.
            let map = unsafe { memmap2::Mmap::map(file) }?;
            let ptr =
                NonNull::new(map.as_ptr().cast_mut()).expect("a mapping's pointer is not null");
            let len = map.len();
            Ok(Storage::new(ptr, len, false, Owner::Other(Box::new(map)), Borrows::foreign()))
        }
        #[cfg(not(feature = "files"))]
        {
            let _ = file;
            Err(crate::feature::Feature::FILES.disabled("map_file"))
        }
    }

    /// Maps a file into memory for reading and writing: writes to the storage change the file.
    ///
    /// ```
    /// use belvedere::Storage;
    /// use std::{env, fs};
    ///
    /// let path = env::temp_dir().join(format!("belvedere-map-mut-{}.bin", std::process::id()));
    /// fs::write(&path, [1, 2, 3, 4])?;
    /// let file = fs::OpenOptions::new().read(true).write(true).open(&path)?;
    /// // SAFETY: no other code changes this file.
    /// let storage = unsafe { Storage::map_file_mut(&file) }?;
    /// assert_eq!((storage.len(), storage.is_writable()), (4, true));
    /// # drop(storage);
    /// # fs::remove_file(&path)?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be mapped.
    ///
    /// # Safety
    /// - The file must not be changed by other code or truncated while the storage exists.
    pub unsafe fn map_file_mut(file: &std::fs::File) -> Result<Storage, Error> {
        #[cfg(feature = "files")]
        {
            // SAFETY: forwarded: same contract as this function.
            let mut map = unsafe { memmap2::MmapMut::map_mut(file) }?;
            let len = map.len();
            let ptr = NonNull::new(map.as_mut_ptr()).expect("a mapping's pointer is not null");
            let owner = Owner::Other(Box::new(Untouched(map)));
            Ok(Storage::new(ptr, len, true, owner, Borrows::foreign()))
        }
        #[cfg(not(feature = "files"))]
        {
            let _ = file;
            Err(crate::feature::Feature::FILES.disabled("map_file_mut"))
        }
    }

    /// Returns the number of bytes.
    ///
    /// ```
    /// # use belvedere::Storage;
    /// assert_eq!(Storage::from_vec(vec![0.0f64; 4]).len(), 32);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.inner.len
    }

    /// Returns whether there are no bytes.
    ///
    /// ```
    /// # use belvedere::Storage;
    /// assert!(Storage::from_vec(Vec::<f64>::new()).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.inner.len == 0
    }

    /// Returns whether the bytes may be written through this handle.
    ///
    /// ```
    /// # use belvedere::Storage;
    /// let storage = Storage::from_vec(vec![1, 2, 3]);
    /// assert!(storage.is_writable() && !storage.read_only().is_writable());
    /// ```
    #[inline]
    pub fn is_writable(&self) -> bool {
        self.handle == HandleAccess::Write && self.inner.writable
    }

    /// Returns a handle to the same bytes that does not allow writes, nor do tensors made from it.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..3)?;
    /// let fixed = Tensor::from_storage(x.storage().read_only(), x.layout().clone(), x.dtype())?;
    /// assert!(fixed.fill(7).is_err());
    /// x.fill(7)?;
    /// assert_eq!(fixed.to_vec::<i32>()?, [7, 7, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn read_only(&self) -> Storage {
        Storage { inner: self.inner.clone(), handle: HandleAccess::Read }
    }

    /// Returns whether two handles share one storage.
    ///
    /// ```
    /// # use belvedere::Tensor;
    /// let x = Tensor::arange(0..6)?;
    /// assert!(x.storage().is_same(x.reshape([2, 3])?.storage()));
    /// assert!(!x.storage().is_same(x.copy()?.storage()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn is_same(&self, other: &Storage) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns an identity that no other storage of this process has, also after this one is freed.
    ///
    /// ```
    /// # use belvedere::Tensor;
    /// let x = Tensor::arange(0..6)?;
    /// assert_eq!(x.storage().id(), x.reshape([2, 3])?.storage().id());
    /// assert_ne!(x.storage().id(), x.copy()?.storage().id());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn id(&self) -> StorageId {
        let id = &self.inner.id;
        if let id @ 1.. = id.load(Ordering::Relaxed) {
            return StorageId(id);
        }
        let next = new_id();
        // Another thread may have been faster.
        match id.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => StorageId(next),
            Err(before) => StorageId(before),
        }
    }

    /// Returns the number of handles (of tensors and guards) that share these bytes.
    ///
    /// ```
    /// # use belvedere::Tensor;
    /// let x = Tensor::arange(0..6)?;
    /// let rows = x.reshape([2, 3])?;
    /// assert_eq!(x.storage().n_shares(), 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn n_shares(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// Returns the address of the first byte.
    ///
    /// ```
    /// # use belvedere::Storage;
    /// assert!(Storage::zeroed(1000)?.address().is_multiple_of(64));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn address(&self) -> usize {
        self.inner.ptr.as_ptr().addr()
    }

    /// Registers that the memory is exported to another library, so that [`Storage::exported_at`] finds it.
    /// [`io::dlpack`](crate::io::dlpack) calls this.
    ///
    /// Other libraries read and write without claims. The exporting code must ensure that they do not
    /// access elements while an operation or a guard of this library uses them; otherwise the
    /// values are unspecified.
    ///
    /// ```
    /// use belvedere::{Storage, Tensor};
    ///
    /// let x = Tensor::arange(0..6)?;
    /// x.storage().note_export();
    /// assert!(Storage::exported_at(x.storage().address(), x.n_bytes()).is_some());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn note_export(&self) {
        if self.is_empty() || self.is_meta() || self.inner.borrows.is_foreign() {
            return;
        }
        self.inner.borrows.note_writes();
        let mut exports = exports();
        // Only at powers of two, so that the cost of removing dead entries is amortised.
        if exports.len().is_power_of_two() {
            exports.retain(|_, it| it.inner.strong_count() > 0);
        }
        let inner = Arc::downgrade(&self.inner);
        let before = exports.get(&self.address()).filter(|it| it.inner.ptr_eq(&inner));
        let writable = self.is_writable() || before.is_some_and(|it| it.writable);
        self.inner.is_shared.fetch_or(writable, Ordering::Relaxed);
        exports.insert(self.address(), ExportedStorage { inner, len: self.len(), writable });
    }

    /// Returns whether another library may change the bytes at any time: they are [foreign](Storage::is_foreign), or were
    /// [exported](Storage::note_export) by a handle that allows writes. It does not become false again.
    ///
    /// ```
    /// use belvedere::{Storage, Tensor};
    ///
    /// let x = Tensor::arange(0..6)?;
    /// x.storage().read_only().note_export();
    /// assert!(!x.storage().may_change_unseen());
    /// x.storage().note_export();
    /// assert!(x.storage().may_change_unseen());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn may_change_unseen(&self) -> bool {
        self.is_foreign() || self.inner.is_shared.load(Ordering::Relaxed)
    }

    /// Finds the exported storage that contains the `len` bytes at `address`. Call it before such bytes are
    /// imported as [foreign](Storage::foreign). The handle allows writes if one of the exported handles did.
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
        let exports = exports();
        // Dead entries may have addresses inside of a larger storage allocated since.
        let mut before = exports.range(..=address).rev();
        let (start, it) = before.find(|(_, it)| it.inner.strong_count() > 0)?;
        let end = (address - start).checked_add(len)?;
        // Upgraded only if it is the result: `n_shares` of unrelated storages must not change.
        let inner = (end <= it.len).then(|| it.inner.upgrade()).flatten()?;
        let handle = if it.writable { HandleAccess::Write } else { HandleAccess::Read };
        Some(Storage { inner, handle })
    }

    /// Returns a pointer to the first byte. Accesses through it take no claim, so use a
    /// [guard](crate::Tensor::read) for reading and writing; code that writes through it, or passes it to another library,
    /// calls [`Storage::note_export`] before.
    ///
    /// ```
    /// # use belvedere::Storage;
    /// let storage = Storage::from_vec(vec![1u8, 2]);
    /// assert_eq!(storage.ptr().as_ptr().addr(), storage.address());
    /// ```
    #[inline]
    pub fn ptr(&self) -> NonNull<u8> {
        self.inner.ptr
    }

    #[inline]
    pub(crate) fn borrows(&self) -> &Borrows {
        &self.inner.borrows
    }
}

/// An owner of memory that is neither read nor written through, only dropped.
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

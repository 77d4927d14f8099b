//! The buffer protocol: import and export.
//!
//! Both go through DLPack structs, which the core imports and exports: an imported buffer becomes such a struct with
//! strides in elements, and an exported buffer is filled from one. So memory that this package exported is recognized
//! when it comes back, by either protocol.

use super::format::{self, Format};
use crate::array::ArrayObject;
use crate::attach::run;
use crate::error::{copy_needed, raise};
use belvedere::io::dlpack::{
    self, DlpackDevice, FLAG_READ_ONLY, ManagedTensor, RawTensor, RawType, VERSION,
};
use belvedere::{DType, Tensor};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A buffer of another object.
///
/// It is a Python object, so that it is released on an attached thread: at once if this thread is attached, else when a
/// thread attaches next. Releasing memory never blocks.
///
/// Invariant: the struct is a leaked box that `PyObject_GetBuffer` has filled, perhaps with pointers into itself.
#[pyclass(frozen)]
pub(crate) struct ImportedBuffer(NonNull<ffi::Py_buffer>);

// SAFETY: the struct is only read after it was filled, and is released on a thread that is attached to the interpreter.
unsafe impl Send for ImportedBuffer {}
// SAFETY: as above.
unsafe impl Sync for ImportedBuffer {}

impl ImportedBuffer {
    fn request(object: &Bound<'_, PyAny>) -> PyResult<ImportedBuffer> {
        let view = NonNull::from(Box::leak(Box::new(ffi::Py_buffer::new())));
        // SAFETY: the thread is attached, the object is alive, and the struct is valid for writes.
        let result =
            unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), view.as_ptr(), ffi::PyBUF_FULL_RO) };
        if result == 0 {
            return Ok(ImportedBuffer(view));
        }
        // SAFETY: the box was leaked above, and after a failure no buffer refers to it.
        drop(unsafe { Box::from_raw(view.as_ptr()) });
        Err(PyErr::fetch(object.py()))
    }

    fn view(&self) -> &ffi::Py_buffer {
        // SAFETY: by the invariant the pointer is a box that is only read until it is dropped.
        unsafe { self.0.as_ref() }
    }

    /// The length and the stride in bytes of each axis. Without a shape there is one axis of items; without strides the
    /// buffer is contiguous in row-major order.
    fn axes(&self) -> Option<Vec<(i64, i64)>> {
        let rank = usize::try_from(self.view().ndim).ok()?;
        let mut axes: Vec<(i64, i64)> = match self.list(self.view().shape) {
            [] if rank == 1 => {
                vec![(self.view().len.checked_div(self.view().itemsize)? as i64, 0)]
            }
            lengths => lengths.iter().map(|&len| (len as i64, 0)).collect(),
        };
        let given = self.list(self.view().strides);
        let mut dense = self.view().itemsize as i64;
        for (k, (len, stride)) in axes.iter_mut().enumerate().rev() {
            *stride = given.get(k).map_or(dense, |&it| it as i64);
            dense = dense.saturating_mul(*len);
        }
        let is_direct = self.list(self.view().suboffsets).iter().all(|&offset| offset < 0);
        (is_direct && axes.len() == rank).then_some(axes)
    }

    fn list(&self, list: *mut ffi::Py_ssize_t) -> &[isize] {
        match usize::try_from(self.view().ndim) {
            Ok(rank) if rank > 0 && !list.is_null() => {
                // SAFETY: a non-null list of a buffer has `ndim` numbers and is valid until the buffer is released.
                unsafe { slice::from_raw_parts(list, rank) }
            }
            _ => &[],
        }
    }

    /// The format of an element; without one the elements are bytes.
    fn format(&self) -> &[u8] {
        match self.view().format.is_null() {
            true => b"B",
            // SAFETY: a non-null format is a NUL-terminated string that is valid until the buffer is released.
            false => unsafe { CStr::from_ptr(self.view().format) }.to_bytes(),
        }
    }

    /// Whether a tensor can share the elements: aligned, native byte order, strides in whole elements.
    fn is_in_place(&self, format: Format, axes: &[(i64, i64)]) -> bool {
        let size = format.dtype.size() as i64;
        self.view().len == 0
            || (!format.is_swapped
                && self.view().buf.addr().is_multiple_of(format.dtype.align())
                && axes.iter().all(|&(len, stride)| len <= 1 || stride % size == 0))
    }
}

impl Drop for ImportedBuffer {
    fn drop(&mut self) {
        // SAFETY: by the invariant the pointer is a filled buffer in a leaked box, which is released once, here. The
        // thread is attached: Python objects are dropped on attached threads (`release_buffer` sees to that for this one),
        // and until it is one, it is owned by `import`, which runs attached.
        unsafe {
            ffi::PyBuffer_Release(self.0.as_ptr());
            drop(Box::from_raw(self.0.as_ptr()));
        }
    }
}

/// A DLPack struct for the memory of a buffer, as the core imports it.
#[repr(C)]
struct BufferTensor {
    managed: ManagedTensor,
    _lists: Box<[i64]>,
    /// What keeps the memory alive: an [`ImportedBuffer`], or the object that described its memory.
    _owner: Py<PyAny>,
    /// The next one in the list of those that are released later.
    next: *mut BufferTensor,
}

/// A list of memory that was released by deleters, and whose owners are released by [`release_owners`].
///
/// PyO3 counts itself whether a thread is attached. A library that imported our memory may detach the thread and call the
/// deleter while a function of ours is on the stack; PyO3 would then change reference counts without the GIL.
///
/// Invariant: every node was leaked by `share`, is in the list once, and is referenced from nowhere else.
static RELEASED: AtomicPtr<BufferTensor> = AtomicPtr::new(ptr::null_mut());

/// Releases the owners of memory that other libraries have released. It may run any Python code.
#[inline]
pub(crate) fn release_owners(_: Python<'_>) {
    if !RELEASED.load(Ordering::Relaxed).is_null() {
        release_all();
    }
}

/// The thread must be attached.
#[cold]
fn release_all() {
    let mut node = RELEASED.swap(ptr::null_mut(), Ordering::Acquire);
    while !node.is_null() {
        // SAFETY: by the invariant of the list, which has no node any more: this thread alone has them.
        let released = unsafe { Box::from_raw(node) };
        node = released.next;
        drop(released);
    }
}

/// The memory of an object of another library.
struct SharedMemory {
    ptr: *mut c_void,
    is_read_only: bool,
    owner: Py<PyAny>,
}

impl SharedMemory {
    fn of_buffer(py: Python<'_>, buffer: ImportedBuffer) -> PyResult<SharedMemory> {
        let (ptr, is_read_only) = (buffer.view().buf, buffer.view().readonly != 0);
        Ok(SharedMemory { ptr, is_read_only, owner: Py::new(py, buffer)?.into_any() })
    }
}

/// Imports an object that exports a buffer; `None` if it does not. Unaligned and byte-swapped elements are copied, unless
/// `copy` forbids it.
pub(super) fn import(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    release_owners(object.py());
    // SAFETY: the thread is attached and the object is alive, as the `Bound` proves.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
        return Ok(None);
    }
    let buffer = match ImportedBuffer::request(object) {
        Ok(buffer) => buffer,
        // NumPy has dtypes that buffers cannot express; none of them is supported here.
        Err(error) if error.is_instance_of::<PyValueError>(object.py()) => {
            return Err(PyTypeError::new_err(error.value(object.py()).to_string()));
        }
        Err(error) => return Err(error),
    };
    let size = usize::try_from(buffer.view().itemsize).unwrap_or(0);
    let Some(format) = format::read(buffer.format(), size) else {
        let name = String::from_utf8_lossy(buffer.format());
        return Err(PyTypeError::new_err(format!(
            "unsupported buffer format {name:?} with {size} bytes per element"
        )));
    };
    let Some(mut axes) = buffer.axes() else {
        return Err(PyBufferError::new_err(
            "a buffer of pointers to rows (suboffsets) is not a strided array",
        ));
    };
    if buffer.is_in_place(format, &axes) {
        let size = format.dtype.size() as i64;
        axes.iter_mut().for_each(|axis| axis.1 /= size);
        let memory = SharedMemory::of_buffer(object.py(), buffer)?;
        return share(memory, format.dtype, &axes).map(Some);
    }
    if copy == Some(false) {
        return Err(copy_needed("unaligned or byte-swapped elements must be copied"));
    }
    // Bytes have no alignment: the bytes of each element become an axis.
    let Format { dtype, is_swapped } = format;
    axes.push((dtype.size() as i64, 1));
    let bytes = share(SharedMemory::of_buffer(object.py(), buffer)?, DType::UInt8, &axes)?;
    run(object.py(), bytes.len(), || bytes.assemble(dtype, is_swapped)).map(Some)
}

/// Imports memory at an address, with the length and the stride in bytes of each axis. Unaligned and byte-swapped elements
/// are copied, unless `copy` forbids it.
///
/// # Safety
/// The elements that the axes lead to from the address are initialized and valid for reads while `owner` is alive; if
/// `is_read_only` is false, also for writes.
pub(super) unsafe fn import_address(
    py: Python<'_>,
    (address, is_read_only): (usize, bool),
    owner: Py<PyAny>,
    format: Format,
    mut axes: Vec<(i64, i64)>,
    copy: Option<bool>,
) -> PyResult<Tensor> {
    let memory =
        SharedMemory { ptr: ptr::with_exposed_provenance_mut(address), is_read_only, owner };
    let (dtype, size) = (format.dtype, format.dtype.size() as i64);
    let is_empty = axes.iter().any(|&(len, _)| len == 0);
    let is_whole = |&(len, stride): &(i64, i64)| len <= 1 || stride % size == 0;
    let is_in_place =
        !format.is_swapped && address.is_multiple_of(dtype.align()) && axes.iter().all(is_whole);
    if is_empty || is_in_place {
        axes.iter_mut().for_each(|axis| axis.1 /= size);
        return share(memory, dtype, &axes);
    }
    if copy == Some(false) {
        return Err(copy_needed("unaligned or byte-swapped elements must be copied"));
    }
    axes.push((size, 1));
    let bytes = share(memory, DType::UInt8, &axes)?;
    run(py, bytes.len(), || bytes.assemble(dtype, format.is_swapped))
}

/// A tensor that shares memory; its owner is released when the last tensor is dropped.
fn share(memory: SharedMemory, dtype: DType, axes: &[(i64, i64)]) -> PyResult<Tensor> {
    // All lengths, followed by all strides.
    let mut lists: Box<[i64]> =
        axes.iter().map(|it| it.0).chain(axes.iter().map(|it| it.1)).collect();
    let shape = lists.as_mut_ptr();
    let tensor = RawTensor {
        data: memory.ptr,
        device: DlpackDevice::CPU,
        rank: axes.len() as i32,
        dtype: RawType::of(dtype),
        // The lists do not move when their box does.
        shape,
        strides: shape.wrapping_add(axes.len()),
        byte_offset: 0,
    };
    let flags = if memory.is_read_only { FLAG_READ_ONLY } else { 0 };
    let managed = ManagedTensor {
        version: VERSION,
        context: ptr::null_mut(),
        deleter: Some(release_buffer),
        flags,
        tensor,
    };
    let (owner, next) = (memory.owner, ptr::null_mut());
    let managed_tensor = Box::new(BufferTensor { managed, _lists: lists, _owner: owner, next });
    let managed_tensor = NonNull::from(Box::leak(managed_tensor)).cast::<ManagedTensor>();
    // SAFETY: the struct was just created and is owned here. The memory of a buffer is initialized and valid until it is
    // released, which the deleter does; that of another owner by the contract of `import_address`. Other code may write to it while an operation runs; operations tolerate that for
    // foreign memory.
    unsafe { dlpack::import(managed_tensor) }.map_err(|error| {
        // SAFETY: after an error the struct is still owned here, and is deleted once.
        unsafe { release_buffer(managed_tensor.as_ptr()) };
        raise(error)
    })
}

/// The deleter of the struct that `share` creates.
///
/// # Safety
/// It is called once, with the pointer of such a struct.
unsafe extern "C" fn release_buffer(managed: *mut ManagedTensor) {
    let node = managed.cast::<BufferTensor>();
    if !dlpack::is_in_deleter() {
        // Code of ours drops the last tensor, so PyO3 knows whether the thread is attached.
        // SAFETY: by this function's contract, `share` leaked this box and it was not deleted before.
        drop(unsafe { Box::from_raw(node) });
        return;
    }
    let mut head = RELEASED.load(Ordering::Relaxed);
    loop {
        // SAFETY: as above; until the exchange succeeds, no other thread has the node.
        unsafe { (*node).next = head };
        match RELEASED.compare_exchange_weak(head, node, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => head = other,
        }
    }
}

/// What an exported buffer refers to until it is released.
struct ExportedBuffer {
    managed_tensor: NonNull<ManagedTensor>,
    shape: Box<[ffi::Py_ssize_t]>,
    strides: Box<[ffi::Py_ssize_t]>,
}

impl ExportedBuffer {
    fn new(x: &Tensor) -> PyResult<ExportedBuffer> {
        let managed_tensor = dlpack::export(x).map_err(raise)?;
        let size = x.dtype().size() as isize;
        let shape = x.layout().axes().iter().map(|axis| axis.len as isize).collect();
        let mut strides: Vec<isize> = Vec::with_capacity(x.rank());
        // The stride of an axis of length 0 or 1 is that of a contiguous array: some consumers check it.
        let mut dense = size;
        for axis in x.layout().axes().iter().rev() {
            strides.push(if axis.len <= 1 || x.is_empty() { dense } else { axis.stride * size });
            dense = dense.saturating_mul(axis.len.max(1) as isize);
        }
        strides.reverse();
        Ok(ExportedBuffer { managed_tensor, shape, strides: strides.into() })
    }

    fn managed(&self) -> &ManagedTensor {
        // SAFETY: `export` returned the struct, which is valid until the drop below deletes it.
        unsafe { self.managed_tensor.as_ref() }
    }

    fn is_read_only(&self) -> bool {
        self.managed().flags & FLAG_READ_ONLY != 0
    }
}

impl Drop for ExportedBuffer {
    fn drop(&mut self) {
        if let Some(delete) = self.managed().deleter {
            // SAFETY: `export` returned the struct, it was not imported, and it is deleted once, here.
            unsafe { delete(self.managed_tensor.as_ptr()) };
        }
    }
}

#[pymethods]
impl ArrayObject {
    /// Fills a buffer.
    ///
    /// # Safety
    /// The interpreter calls it with a struct that is valid for writes.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: `view` is valid for writes, by this function's contract. A null owner means that there is no buffer.
        unsafe { (*view).obj = ptr::null_mut() };
        let tensor = slf.get().tensor();
        super::check_memory(tensor)?;
        let export = ExportedBuffer::new(tensor)?;
        check_flags(tensor, export.is_read_only(), flags)?;
        let Ok(len) = isize::try_from(tensor.n_bytes()) else {
            return Err(PyBufferError::new_err("the array is larger than the address space"));
        };
        let format = match format::name(tensor.dtype()) {
            _ if flags & ffi::PyBUF_FORMAT == 0 => ptr::null_mut(),
            Some(name) => name.as_ptr().cast_mut(),
            None => return Err(PyBufferError::new_err(NO_BFLOAT16)),
        };
        let wants = |flag: c_int| flags & flag == flag;
        let export = Box::new(export);
        let list = |list: &[isize], is_wanted: bool| match is_wanted {
            true => list.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        let filled = ffi::Py_buffer {
            buf: export.managed().tensor.data,
            obj: ptr::null_mut(),
            len,
            itemsize: tensor.dtype().size() as isize,
            readonly: c_int::from(export.is_read_only()),
            ndim: tensor.rank() as c_int,
            format,
            shape: list(&export.shape, wants(ffi::PyBUF_ND)),
            strides: list(&export.strides, wants(ffi::PyBUF_STRIDES)),
            suboffsets: ptr::null_mut(),
            internal: Box::into_raw(export).cast::<c_void>(),
        };
        // SAFETY: `view` is valid for writes, by this function's contract. The lists belong to the export, which lives until
        // the release; the format is a constant. The buffer owns the reference to the array.
        unsafe {
            *view = filled;
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }

    /// Releases a buffer.
    ///
    /// # Safety
    /// The interpreter calls it once for each buffer that `__getbuffer__` filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `__getbuffer__` stored this box, and it is released once, by this function's contract.
        drop(unsafe { Box::from_raw((*view).internal.cast::<ExportedBuffer>()) });
    }
}

/// The error for a dtype that NumPy and the buffer protocol do not have.
pub(super) const NO_BFLOAT16: &str = "neither NumPy nor buffers have bfloat16: \
    convert the array by astype(float32), or see its bits by view(uint16)";

/// Checks that an array fulfils the flags of a buffer request.
fn check_flags(x: &Tensor, is_read_only: bool, flags: c_int) -> PyResult<()> {
    let wants = |flag: c_int| flags & flag == flag;
    if wants(ffi::PyBUF_WRITABLE) && is_read_only {
        return Err(PyBufferError::new_err("the array is read-only"));
    }
    let (by_rows, by_columns) = (x.is_contiguous(), x.reverse_dims().is_contiguous());
    let fits = match () {
        // A consumer that does not ask for strides assumes a contiguous buffer.
        () if !wants(ffi::PyBUF_STRIDES) || wants(ffi::PyBUF_C_CONTIGUOUS) => by_rows,
        () if wants(ffi::PyBUF_F_CONTIGUOUS) => by_columns,
        () if wants(ffi::PyBUF_ANY_CONTIGUOUS) => by_rows || by_columns,
        () => true,
    };
    match fits {
        true => Ok(()),
        false => Err(PyBufferError::new_err(format!(
            "the elements, of shape {:?} with strides {:?}, are not contiguous: \
             call contiguous() first",
            &x.shape()[..],
            &x.strides()[..]
        ))),
    }
}

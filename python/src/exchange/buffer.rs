//! The buffer protocol, both ways.
//!
//! Both go through DLPack's structs, in which the core imports and exports: a lent buffer becomes such
//! a struct with strides in elements, and an exported one is what a buffer is filled from. So a buffer
//! of memory that was ours is known as ours, whichever way it went.

use super::format::{self, Format};
use crate::array::ArrayObject;
use crate::error::{copy_needed, raise};
use crate::lock::run;
use belvedere::io::dlpack::{
    self, Device, FLAG_READ_ONLY, ManagedTensor, RawTensor, RawType, VERSION,
};
use belvedere::{DType, Tensor};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::slice;

/// A buffer that somebody lent us, with all that can be said of it.
///
/// It is an object of the interpreter, so that it is given back with the interpreter held: at once if
/// it is, and else when it is entered again. Nobody waits for it to give memory back.
///
/// Invariant: the struct is a leaked box that `PyObject_GetBuffer` has filled, perhaps with pointers into itself.
#[pyclass(frozen)]
struct Lent(NonNull<ffi::Py_buffer>);

// SAFETY: what was filled is only read, and released with the interpreter held.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    fn by(object: &Bound<'_, PyAny>) -> PyResult<Lent> {
        let view = NonNull::from(Box::leak(Box::new(ffi::Py_buffer::new())));
        // SAFETY: the object is held, and the struct is there to be filled.
        let result =
            unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), view.as_ptr(), ffi::PyBUF_FULL_RO) };
        if result == 0 {
            return Ok(Lent(view));
        }
        // SAFETY: it was leaked above, and nobody has kept it: there is no buffer.
        drop(unsafe { Box::from_raw(view.as_ptr()) });
        Err(PyErr::fetch(object.py()))
    }

    fn view(&self) -> &ffi::Py_buffer {
        // SAFETY: the invariant; nobody writes to it before the drop.
        unsafe { self.0.as_ref() }
    }

    /// The length and the stride in bytes of each axis. Who does not say them has one axis of items, or
    /// rows one behind the other.
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
                // SAFETY: such a list of a buffer has one number for each axis, and lives with it.
                unsafe { slice::from_raw_parts(list, rank) }
            }
            _ => &[],
        }
    }

    /// The name of the type; without one the elements are bytes.
    fn format(&self) -> &[u8] {
        match self.view().format.is_null() {
            true => b"B",
            // SAFETY: a format is a text that ends with a zero and lives with the buffer.
            false => unsafe { CStr::from_ptr(self.view().format) }.to_bytes(),
        }
    }

    /// Whether a tensor can see the elements where they are.
    fn is_in_place(&self, format: Format, axes: &[(i64, i64)]) -> bool {
        let size = format.dtype.size() as i64;
        self.view().len == 0
            || (!format.is_swapped
                && self.view().buf.addr().is_multiple_of(format.dtype.align())
                && axes.iter().all(|&(len, stride)| len <= 1 || stride % size == 0))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: the invariant; as an object of the interpreter it is dropped with that held, and
        // before it is one, `import` holds it.
        unsafe {
            ffi::PyBuffer_Release(self.0.as_ptr());
            drop(Box::from_raw(self.0.as_ptr()));
        }
    }
}

/// Memory of a buffer as the core imports it.
#[repr(C)]
struct Parcel {
    managed: ManagedTensor,
    _lists: Box<[i64]>,
    _lent: Py<Lent>,
}

/// The memory of an object that has a buffer. Elements that are not aligned or of the other byte order
/// are copied, unless that is forbidden.
pub fn import(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<Tensor>> {
    // SAFETY: it is asked of an object that is held, with the interpreter.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
        return Ok(None);
    }
    let lent = match Lent::by(object) {
        Ok(lent) => lent,
        // Types that no buffer can name are none that we have.
        Err(error) if error.is_instance_of::<PyValueError>(object.py()) => {
            return Err(PyTypeError::new_err(error.value(object.py()).to_string()));
        }
        Err(error) => return Err(error),
    };
    let size = usize::try_from(lent.view().itemsize).unwrap_or(0);
    let Some(format) = format::read(lent.format(), size) else {
        let name = String::from_utf8_lossy(lent.format());
        return Err(PyTypeError::new_err(format!(
            "elements of format {name:?} with {size} bytes are of no data type that Belvedere has"
        )));
    };
    let Some(mut axes) = lent.axes() else {
        return Err(PyBufferError::new_err("a buffer of pointers to its rows is no strided array"));
    };
    if lent.is_in_place(format, &axes) {
        let size = format.dtype.size() as i64;
        axes.iter_mut().for_each(|axis| axis.1 /= size);
        return share(object.py(), lent, format.dtype, &axes).map(Some);
    }
    if copy == Some(false) {
        return Err(copy_needed(
            "elements that are not aligned, or are of the other byte order, must be copied",
        ));
    }
    // Bytes can be anywhere: each element is seen as its own.
    let Format { dtype, is_swapped } = format;
    axes.push((dtype.size() as i64, 1));
    let bytes = share(object.py(), lent, DType::UInt8, &axes)?;
    run(object.py(), bytes.len(), || bytes.assemble(dtype, is_swapped)).map(Some)
}

/// A tensor of a buffer's memory, which is given back when the last tensor is gone.
fn share(py: Python<'_>, lent: Lent, dtype: DType, axes: &[(i64, i64)]) -> PyResult<Tensor> {
    // All lengths, and then all strides.
    let mut lists: Box<[i64]> =
        axes.iter().map(|it| it.0).chain(axes.iter().map(|it| it.1)).collect();
    let shape = lists.as_mut_ptr();
    let tensor = RawTensor {
        data: lent.view().buf,
        device: Device::CPU,
        rank: axes.len() as i32,
        dtype: RawType::of(dtype),
        // The lists stay where they are when their box moves.
        shape,
        strides: shape.wrapping_add(axes.len()),
        byte_offset: 0,
    };
    let flags = if lent.view().readonly != 0 { FLAG_READ_ONLY } else { 0 };
    let managed = ManagedTensor {
        version: VERSION,
        context: ptr::null_mut(),
        deleter: Some(give_back),
        flags,
        tensor,
    };
    let lent = Py::new(py, lent)?;
    let parcel = Box::new(Parcel { managed, _lists: lists, _lent: lent });
    let parcel = NonNull::from(Box::leak(parcel)).cast::<ManagedTensor>();
    // SAFETY: the struct was just made, and nobody else has it. A buffer's memory is initialised and stays
    // where it is until it is released, which the deleter does. That others may write to it while an
    // operation runs is what sharing memory with Python means; operations are made for it.
    unsafe { dlpack::import(parcel) }.map_err(|error| {
        // SAFETY: after an error the struct is still ours.
        unsafe { give_back(parcel.as_ptr()) };
        raise(error)
    })
}

/// # Safety
/// It must be called once, with a pointer that came from `share`.
unsafe extern "C" fn give_back(managed: *mut ManagedTensor) {
    // SAFETY: the caller's promise: `share` leaked this box.
    drop(unsafe { Box::from_raw(managed.cast::<Parcel>()) });
}

/// What a buffer of ours needs for as long as somebody has it.
struct Loan {
    parcel: NonNull<ManagedTensor>,
    shape: Box<[ffi::Py_ssize_t]>,
    strides: Box<[ffi::Py_ssize_t]>,
}

impl Loan {
    fn of(x: &Tensor) -> PyResult<Loan> {
        let parcel = dlpack::export(x).map_err(raise)?;
        let size = x.dtype().size() as isize;
        let shape = x.layout().axes().iter().map(|axis| axis.len as isize).collect();
        let mut strides: Vec<isize> = Vec::with_capacity(x.rank());
        // A stride that nobody walks along is as in a contiguous array: some ask for that.
        let mut dense = size;
        for axis in x.layout().axes().iter().rev() {
            strides.push(if axis.len <= 1 || x.is_empty() { dense } else { axis.stride * size });
            dense = dense.saturating_mul(axis.len.max(1) as isize);
        }
        strides.reverse();
        Ok(Loan { parcel, shape, strides: strides.into() })
    }

    fn managed(&self) -> &ManagedTensor {
        // SAFETY: `export` made it, and it is deleted with the loan only.
        unsafe { self.parcel.as_ref() }
    }

    fn is_read_only(&self) -> bool {
        self.managed().flags & FLAG_READ_ONLY != 0
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(delete) = self.managed().deleter {
            // SAFETY: `export` made it, nobody imported it, and a loan is dropped once.
            unsafe { delete(self.parcel.as_ptr()) };
        }
    }
}

#[pymethods]
impl ArrayObject {
    /// # Safety
    /// The interpreter calls it, with a struct to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: the interpreter's promise; an owner of null says that there is no buffer.
        unsafe { (*view).obj = ptr::null_mut() };
        let tensor = slf.get().tensor();
        let loan = Loan::of(tensor)?;
        check_wishes(tensor, loan.is_read_only(), flags)?;
        let Ok(len) = isize::try_from(tensor.n_bytes()) else {
            return Err(PyBufferError::new_err("the elements are more than memory can hold"));
        };
        let format = match format::name(tensor.dtype()) {
            _ if flags & ffi::PyBUF_FORMAT == 0 => ptr::null_mut(),
            Some(name) => name.as_ptr().cast_mut(),
            None => return Err(PyBufferError::new_err(NO_BFLOAT16)),
        };
        let wants = |flag: c_int| flags & flag == flag;
        let loan = Box::new(loan);
        let list = |list: &[isize], is_wanted: bool| match is_wanted {
            true => list.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        let filled = ffi::Py_buffer {
            buf: loan.managed().tensor.data,
            obj: ptr::null_mut(),
            len,
            itemsize: tensor.dtype().size() as isize,
            readonly: c_int::from(loan.is_read_only()),
            ndim: tensor.rank() as c_int,
            format,
            shape: list(&loan.shape, wants(ffi::PyBUF_ND)),
            strides: list(&loan.strides, wants(ffi::PyBUF_STRIDES)),
            suboffsets: ptr::null_mut(),
            internal: Box::into_raw(loan).cast::<c_void>(),
        };
        // SAFETY: the interpreter's promise. The lists live in the loan, which lives until the release;
        // the format is a constant. The reference to the array is given away with the struct.
        unsafe {
            *view = filled;
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }

    /// # Safety
    /// The interpreter calls it, once for each buffer that was filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: the interpreter's promise: `__getbuffer__` put the loan there.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Loan>()) });
    }
}

/// What to do with elements that only we have.
pub const NO_BFLOAT16: &str = "neither NumPy nor buffers have bfloat16: \
    convert the array by astype(float32), or see its bits by view(uint16)";

/// Whether an array is as somebody wants to have it.
fn check_wishes(x: &Tensor, is_read_only: bool, flags: c_int) -> PyResult<()> {
    let wants = |flag: c_int| flags & flag == flag;
    if wants(ffi::PyBUF_WRITABLE) && is_read_only {
        return Err(PyBufferError::new_err("the array cannot be written to"));
    }
    let (by_rows, by_columns) = (x.is_contiguous(), x.reverse_dims().is_contiguous());
    let fits = match () {
        // Whoever does not want to know the strides takes it that there are none.
        () if !wants(ffi::PyBUF_STRIDES) || wants(ffi::PyBUF_C_CONTIGUOUS) => by_rows,
        () if wants(ffi::PyBUF_F_CONTIGUOUS) => by_columns,
        () if wants(ffi::PyBUF_ANY_CONTIGUOUS) => by_rows || by_columns,
        () => true,
    };
    match fits {
        true => Ok(()),
        false => Err(PyBufferError::new_err(format!(
            "the elements, of shape {:?} with strides {:?}, do not lie one behind the other: \
             make the array contiguous() first",
            &x.shape()[..],
            &x.strides()[..]
        ))),
    }
}

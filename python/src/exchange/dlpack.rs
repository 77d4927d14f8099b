//! DLPack's capsules, both ways.

use crate::array::ArrayObject;
use crate::error::raise;
use belvedere::Tensor;
use belvedere::io::dlpack::{self, LegacyManagedTensor, ManagedTensor};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::CStr;
use std::ptr::NonNull;

/// The names of capsules that nobody has taken yet, of the two generations of the protocol; and what
/// they are called when somebody has.
const NEW: &CStr = c"dltensor_versioned";
const USED_NEW: &CStr = c"used_dltensor_versioned";
const OLD: &CStr = c"dltensor";
const USED_OLD: &CStr = c"used_dltensor";

/// What is asked of whoever has a capsule to give.
#[derive(Clone, Copy, Default)]
pub struct Wish {
    /// Memory of the process, copied to there if it is elsewhere.
    pub here: bool,
    /// Memory that is not copied.
    pub uncopied: bool,
}

/// The memory of an object that has a capsule to give.
pub fn import_from(object: &Bound<'_, PyAny>, wish: Wish) -> PyResult<Tensor> {
    let py = object.py();
    let options = PyDict::new(py);
    options.set_item("max_version", (dlpack::VERSION.major, dlpack::VERSION.minor))?;
    if wish.here {
        options.set_item("dl_device", CPU)?;
    }
    if wish.uncopied {
        options.set_item("copy", false)?;
    }
    let capsule = match object.call_method("__dlpack__", (), Some(&options)) {
        // Those who know the older generation only have no such arguments.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            object.call_method0("__dlpack__")?
        }
        other => other?,
    };
    open(&capsule)
}

/// Takes what is in a capsule.
///
/// It is renamed before: importing may run anybody's code, which may meet the capsule.
fn open(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    if let Some(parcel) = content::<ManagedTensor>(capsule, NEW) {
        rename(capsule, USED_NEW)?;
        // SAFETY: a capsule of this name holds such a struct, and that it had the name says that nobody
        // had taken it; now nobody else does.
        return unsafe { dlpack::import(parcel) }.or_else(|error| {
            rename(capsule, NEW)?;
            Err(raise(error))
        });
    }
    if let Some(parcel) = content::<LegacyManagedTensor>(capsule, OLD) {
        rename(capsule, USED_OLD)?;
        // SAFETY: as above. What the older generation describes is writable.
        return unsafe { dlpack::import_legacy(parcel) }.or_else(|error| {
            rename(capsule, OLD)?;
            Err(raise(error))
        });
    }
    Err(PyBufferError::new_err("no DLPack capsule, or one that was used before"))
}

/// What a capsule of a name holds.
fn content<M>(capsule: &Bound<'_, PyAny>, name: &CStr) -> Option<NonNull<M>> {
    // SAFETY: the interpreter is held, and so is the object; it need not be a capsule.
    if unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) } == 0 {
        return None;
    }
    // SAFETY: it is a capsule of this name.
    NonNull::new(unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) }.cast())
}

fn rename(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<()> {
    // SAFETY: the interpreter is held, and so is the object; a constant outlives it.
    match unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), name.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(capsule.py())),
    }
}

/// A capsule for a tensor, which is freed with it unless somebody takes it.
fn seal(py: Python<'_>, tensor: &Tensor, is_new: bool) -> PyResult<Py<PyAny>> {
    let capsule = if is_new {
        let parcel = dlpack::export(tensor).map_err(raise)?;
        // SAFETY: the interpreter is held; the name is a constant.
        unsafe { ffi::PyCapsule_New(parcel.as_ptr().cast(), NEW.as_ptr(), Some(discard)) }
    } else {
        let parcel = dlpack::export_legacy(tensor).map_err(raise)?;
        // SAFETY: as above.
        unsafe { ffi::PyCapsule_New(parcel.as_ptr().cast(), OLD.as_ptr(), Some(discard)) }
    };
    // SAFETY: a new reference, or null with an exception. (The parcel is lost then, with the memory
    // for a capsule.)
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.map(Bound::unbind)
}

/// Frees what nobody took.
///
/// # Safety
/// The interpreter calls it, with a capsule that is about to go.
unsafe extern "C" fn discard(capsule: *mut ffi::PyObject) {
    // SAFETY: a capsule that still has its first name holds the parcel that `seal` put there.
    let free = || unsafe {
        if ffi::PyCapsule_IsValid(capsule, NEW.as_ptr()) == 1 {
            let parcel: *mut ManagedTensor =
                ffi::PyCapsule_GetPointer(capsule, NEW.as_ptr()).cast();
            if let Some(delete) = (*parcel).deleter {
                delete(parcel);
            }
        } else if ffi::PyCapsule_IsValid(capsule, OLD.as_ptr()) == 1 {
            let parcel: *mut LegacyManagedTensor =
                ffi::PyCapsule_GetPointer(capsule, OLD.as_ptr()).cast();
            if let Some(delete) = (*parcel).deleter {
                delete(parcel);
            }
        }
    };
    // Whoever calls holds the interpreter. Entering it lets foreign memory be given back at once; while
    // it ends it cannot be entered, and need not be given anything.
    if Python::try_attach(|_| free()).is_none() {
        free();
    }
}

#[pymethods]
impl ArrayObject {
    /// The memory for another library, as a DLPack capsule; ``from_dlpack`` there asks for it.
    ///
    /// An array that cannot be written to is marked so. By the older protocol (without
    /// ``max_version``) that cannot be said, and is a ``BufferError``.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__(
        &self,
        py: Python<'_>,
        stream: Option<Bound<'_, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        if stream.is_some() {
            return Err(PyBufferError::new_err("memory of the cpu has no streams"));
        }
        if let Some(device) = dl_device.filter(|&it| it != CPU) {
            return Err(PyBufferError::new_err(format!(
                "the array is on device {CPU:?}, and {device:?} was asked for"
            )));
        }
        let is_new = max_version.is_some_and(|(major, _)| major >= 1);
        let tensor = self.tensor();
        if copy == Some(true) {
            let copied = crate::lock::run(py, tensor.len(), || tensor.copy())?;
            return seal(py, &copied, is_new);
        }
        if tensor.strides().iter().any(|&stride| stride < 0) && is_asked_by_torch(py)? {
            return Err(PyBufferError::new_err(format!(
                "PyTorch has no negative strides, and the array has {:?}: copy() it first",
                &tensor.strides()[..]
            )));
        }
        seal(py, tensor, is_new)
    }

    /// Where the memory is, in DLPack's numbers: ``(1, 0)``.
    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        CPU.into_pyobject(py)
    }
}

/// The memory of the process, as the protocol numbers it.
const CPU: (i32, i32) =
    (belvedere::io::dlpack::Device::CPU.kind, belvedere::io::dlpack::Device::CPU.id);

/// Whether it is PyTorch that calls.
///
/// The protocol does not say who asks, and others take negative strides. What PyTorch itself says to
/// one is no sentence from which a user learns what to do.
fn is_asked_by_torch(py: Python<'_>) -> PyResult<bool> {
    let frame = py.import("sys")?.call_method1("_getframe", (0,));
    let Ok(frame) = frame else { return Ok(false) };
    let name = frame.getattr("f_globals")?.get_item("__name__");
    Ok(name.is_ok_and(|name| {
        name.extract::<&str>().is_ok_and(|name| name == "torch" || name.starts_with("torch."))
    }))
}

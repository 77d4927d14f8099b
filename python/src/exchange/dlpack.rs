//! DLPack capsules: import and export.

use super::release_owners;
use crate::array::ArrayObject;
use crate::error::raise;
use belvedere::Tensor;
use belvedere::io::dlpack::{self, LegacyManagedTensor, ManagedTensor};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// The names of capsules before and after they are consumed, of DLPack 1.0 and of the versions before it.
const VERSIONED: &CStr = c"dltensor_versioned";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
const LEGACY: &CStr = c"dltensor";
const USED_LEGACY: &CStr = c"used_dltensor";

/// A request to the exporter of a capsule.
#[derive(Clone, Copy, Default)]
pub(super) struct DlpackRequest {
    /// The memory must be on the CPU; it is copied from another device.
    pub on_cpu: bool,
    /// The exporter must not copy.
    pub without_copy: bool,
}

/// Imports an object that exports a DLPack capsule.
pub(super) fn import_from(object: &Bound<'_, PyAny>, request: DlpackRequest) -> PyResult<Tensor> {
    let py = object.py();
    let options = PyDict::new(py);
    options.set_item("max_version", (dlpack::VERSION.major, dlpack::VERSION.minor))?;
    if request.on_cpu {
        options.set_item("dl_device", CPU)?;
    }
    if request.without_copy {
        options.set_item("copy", false)?;
    }
    let capsule = match object.call_method("__dlpack__", (), Some(&options)) {
        // Exporters of versions before 1.0 do not have these arguments.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            object.call_method0("__dlpack__")?
        }
        other => other?,
    };
    consume(&capsule)
}

/// Consumes a capsule.
///
/// It is renamed first: importing may run arbitrary code, which may reach the capsule.
fn consume(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    if let Some(managed) = content::<ManagedTensor>(capsule, VERSIONED) {
        rename(capsule, USED_VERSIONED)?;
        // SAFETY: a capsule of this name holds a valid struct that was not consumed, and the new name prevents that it is
        // consumed again.
        return unsafe { dlpack::import(managed) }.or_else(|error| {
            rename(capsule, VERSIONED)?;
            Err(raise(error))
        });
    }
    if let Some(managed) = content::<LegacyManagedTensor>(capsule, LEGACY) {
        rename(capsule, USED_LEGACY)?;
        // SAFETY: as above, for the struct of the older versions, whose memory is writable.
        return match unsafe { dlpack::import_legacy(managed) } {
            Ok(tensor) => read_only(&tensor),
            Err(error) => {
                rename(capsule, LEGACY)?;
                Err(raise(error))
            }
        };
    }
    Err(PyBufferError::new_err("expected a DLPack capsule that was not consumed before"))
}

/// The tensor as a read-only one: versions of DLPack before 1.0 do not say whether memory may be written, so that, as in
/// NumPy, it may not.
fn read_only(tensor: &Tensor) -> PyResult<Tensor> {
    let (storage, layout) = (tensor.storage().read_only(), tensor.layout().clone());
    Tensor::from_storage(storage, layout, tensor.dtype()).map_err(raise)
}

/// The pointer in a capsule, if the capsule has this name.
fn content<M>(capsule: &Bound<'_, PyAny>, name: &CStr) -> Option<NonNull<M>> {
    // SAFETY: the thread is attached and the object is alive; it need not be a capsule.
    if unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) } == 0 {
        return None;
    }
    // SAFETY: as above; the object is a capsule of this name.
    NonNull::new(unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) }.cast())
}

fn rename(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<()> {
    // SAFETY: the thread is attached and the object is a live capsule; the name is a constant and outlives it.
    match unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), name.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(capsule.py())),
    }
}

/// Creates a capsule for a tensor; unless it is consumed, its destructor frees the export.
fn new_capsule(py: Python<'_>, tensor: &Tensor, is_versioned: bool) -> PyResult<Py<PyAny>> {
    let (managed, name) = match is_versioned {
        true => (dlpack::export(tensor).map_err(raise)?.cast::<c_void>(), VERSIONED),
        false => (dlpack::export_legacy(tensor).map_err(raise)?.cast(), LEGACY),
    };
    // SAFETY: the thread is attached; the pointer is not null, and the name is a constant.
    let capsule = unsafe { ffi::PyCapsule_New(managed.as_ptr(), name.as_ptr(), Some(discard)) };
    // SAFETY: `PyCapsule_New` returns a new reference, or null with an exception set. (Then the export leaks: there is no
    // memory left for a capsule.)
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.map(Bound::unbind)
}

/// The destructor of a capsule: frees an export that was not consumed.
///
/// # Safety
/// The interpreter calls it, attached, with a capsule that `new_capsule` created.
unsafe extern "C" fn discard(capsule: *mut ffi::PyObject) {
    // SAFETY: a capsule that still has its first name was not consumed, so it holds the export that `new_capsule` stored.
    let free = || unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            let managed: *mut ManagedTensor =
                ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast();
            if let Some(delete) = (*managed).deleter {
                delete(managed);
            }
        } else if ffi::PyCapsule_IsValid(capsule, LEGACY.as_ptr()) == 1 {
            let managed: *mut LegacyManagedTensor =
                ffi::PyCapsule_GetPointer(capsule, LEGACY.as_ptr()).cast();
            if let Some(delete) = (*managed).deleter {
                delete(managed);
            }
        }
    };
    // The thread is attached; telling PyO3 so lets it release foreign memory at once. During finalization attaching
    // fails, and nothing has to be released.
    let free_attached = |py: Python<'_>| {
        free();
        release_owners(py);
    };
    if Python::try_attach(free_attached).is_none() {
        free();
    }
}

#[pymethods]
impl ArrayObject {
    /// Exports the memory as a DLPack capsule, for ``from_dlpack`` of another library.
    ///
    /// A read-only array is flagged so. DLPack before 1.0 (without ``max_version``) has no such flag, and then it is a
    /// ``BufferError``.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__(
        &self,
        py: Python<'_>,
        stream: Option<Bound<'_, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        super::check_memory(self.tensor())?;
        if stream.is_some() {
            return Err(PyBufferError::new_err(
                "stream must be None: the device cpu has no streams",
            ));
        }
        if let Some(device) = dl_device.filter(|&it| it != CPU) {
            return Err(PyBufferError::new_err(format!(
                "cannot export to device {device:?}: the array is on {CPU:?}"
            )));
        }
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        let tensor = self.tensor();
        if copy == Some(true) {
            let copied = crate::attach::run(py, tensor.len(), || tensor.copy())?;
            return new_capsule(py, &copied, is_versioned);
        }
        if tensor.strides().iter().any(|&stride| stride < 0) && is_asked_by_torch(py)? {
            return Err(PyBufferError::new_err(format!(
                "PyTorch does not support negative strides, got {:?}; call copy() first",
                &tensor.strides()[..]
            )));
        }
        new_capsule(py, tensor, is_versioned)
    }

    /// Returns the device in DLPack's numbers: ``(1, 0)``. DLPack has no number for the device meta, which is a
    /// ``BufferError``.
    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        super::check_memory(self.tensor())?;
        CPU.into_pyobject(py)
    }
}

/// The CPU in DLPack's numbers.
const CPU: (i32, i32) =
    (belvedere::io::dlpack::DlpackDevice::CPU.kind, belvedere::io::dlpack::DlpackDevice::CPU.id);

/// Whether PyTorch is the consumer.
///
/// The protocol does not say which library asks, and others accept negative strides. PyTorch's own error does not say what
/// to do.
fn is_asked_by_torch(py: Python<'_>) -> PyResult<bool> {
    let frame = py.import("sys")?.call_method1("_getframe", (0,));
    let Ok(frame) = frame else { return Ok(false) };
    let name = frame.getattr("f_globals")?.get_item("__name__");
    Ok(name.is_ok_and(|name| {
        name.extract::<&str>().is_ok_and(|name| name == "torch" || name.starts_with("torch."))
    }))
}

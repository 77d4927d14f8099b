//! Allocation of objects that only this module may create.
//!
//! The methods of a class rely on the Rust value inside of each of its objects. `object.__new__(Lens)` would create an object
//! without one. The interpreter refuses it, but only as long as the constructor of the class is the original one: after
//! `Lens.__new__ = lambda cls: object.__new__(cls)` or `del Lens.__new__` it does not, and classes cannot be made immutable
//! before the stable ABI of Python 3.14. So the slot `tp_alloc`, which `object.__new__` calls as PyO3 does, refuses
//! to allocate once a constructor was added. Then this module cannot create objects of that class either, which is a `TypeError`.
//!
//! Arrays have their own slot (`array/free_list.rs`). The slot of a class is not inherited by subclasses, so the one class
//! that allows them, `Generator`, is valid if all its bytes are zero.

use belvedere::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::prelude::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The slot `tp_alloc` of a class without a constructor. It refuses if one was added since.
///
/// # Safety
/// The thread is attached to the interpreter, and `class` is a class of PyO3.
unsafe extern "C" fn allocate(
    class: *mut ffi::PyTypeObject,
    n_items: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: the thread is attached and the class is a heap type, by this function's contract.
    unsafe {
        match ffi::PyType_GetSlot(class, ffi::Py_tp_new).is_null() {
            true => ffi::PyType_GenericAlloc(class, n_items),
            false => refuse(class),
        }
    }
}

/// The slot `tp_alloc` of dtypes, which have a constructor. It refuses once there is an object for each dtype.
///
/// # Safety
/// That of [`allocate`].
unsafe extern "C" fn allocate_dtype(
    class: *mut ffi::PyTypeObject,
    n_items: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    static N_ALLOCATED: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        match N_ALLOCATED.fetch_add(1, Relaxed) < DType::ALL.len() {
            true => ffi::PyType_GenericAlloc(class, n_items),
            false => refuse(class),
        }
    }
}

/// Sets an exception that names the class, and returns null.
///
/// # Safety
/// That of [`allocate`].
unsafe fn refuse(class: *mut ffi::PyTypeObject) -> *mut ffi::PyObject {
    // SAFETY: the thread is attached, and the class is alive, by this function's contract.
    let class = unsafe {
        let py = Python::assume_attached();
        Bound::from_borrowed_ptr(py, class.cast())
    };
    let name = class.getattr("__name__").and_then(|name| name.extract::<String>());
    let error = name.map_or_else(
        |error| error,
        |name| {
            PyTypeError::new_err(format!(
                "cannot create {name} objects: only belvedere does, and {name}.__new__ must not be changed"
            ))
        },
    );
    error.restore(class.py());
    null_mut()
}

/// Sets the slot of classes: the mechanism of PyO3's `freelist`, as there is no public one.
macro_rules! set_slots {
    ($($class:path: $allocate:ident),+ $(,)?) => {
        $(pyo3::inventory::submit! {
            <$class as PyClassImpl>::Inventory::new(PyClassItems {
                methods: &[],
                slots: &[ffi::PyType_Slot { slot: ffi::Py_tp_alloc, pfunc: $allocate as *mut c_void }],
            })
        })+
    };
}

set_slots! {
    crate::array::ArrayIterator: allocate,
    crate::chapter::data_type::FloatInfoObject: allocate,
    crate::chapter::data_type::IntegerInfoObject: allocate,
    crate::chapter::inspection::Info: allocate,
    crate::copies::CopyRule: allocate,
    crate::dtype::DTypeObject: allocate_dtype,
    crate::exchange::ImportedBuffer: allocate,
    crate::lens::LensObject: allocate,
    crate::trace::EventObject: allocate,
    crate::trace::TraceObject: allocate,
    crate::ufunc::UfuncObject: allocate,
}

//! Allocation of array objects, with a free list.
//!
//! Most arrays are short-lived: `x[1:] - x[:-1]` creates two that are freed when the difference is computed. PyO3 takes
//! longer to create and free an object than a view takes altogether (bench `python`: 80 ns for `x.T` instead of 50), so
//! both are done here:
//!
//! - The memory of up to [`MAX_FREE_OBJECTS`] freed arrays is kept in a free list, as the interpreter does for its floats
//!   and tuples. `#[pyclass(freelist = …)]` guards its list with a mutex, whose four atomic operations cost as much as
//!   the list saves; the GIL is enough.
//! - A tensor is written once, to its place in the object. PyO3 moves it through two temporaries, and each move causes
//!   store-forwarding stalls.
//! - Arrays are untracked by the garbage collector: they hold no reference to an object that it could follow.

use super::ArrayObject;
use crate::error::raise;
use belvedere::{Error, Tensor};
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::prelude::*;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::null_mut;

/// The memory of an array object. [`prepare`] verifies that PyO3 uses the same layout.
#[repr(C)]
struct Object {
    head: ffi::PyObject,
    array: ArrayObject,
    /// The list of weak references to it.
    weak: *mut ffi::PyObject,
}

/// The capacity of the free list, in objects of 200 bytes.
const MAX_FREE_OBJECTS: usize = 64;

/// The memory of freed arrays.
///
/// Invariant: the first `n` pointers were allocated for an [`Object`], are untracked by the garbage collector, and are
/// referenced from nowhere else.
struct FreeList {
    n: Cell<usize>,
    objects: [Cell<*mut ffi::PyObject>; MAX_FREE_OBJECTS],
    /// The class of arrays, or null before [`prepare`].
    class: Cell<*mut ffi::PyTypeObject>,
    /// The id of the interpreter that has the class.
    interpreter: Cell<i64>,
}

// SAFETY: all accesses are in functions whose thread is attached to the interpreter, which on the stable ABI means that
// it holds the GIL. There is one interpreter: `prepare` refuses others, and before it succeeds no array is allocated.
unsafe impl Sync for FreeList {}

static FREE_LIST: FreeList = FreeList {
    n: Cell::new(0),
    objects: [const { Cell::new(null_mut()) }; MAX_FREE_OBJECTS],
    class: Cell::new(null_mut()),
    interpreter: Cell::new(0),
};

/// Allocates an array object. Its head is initialized, the rest is not.
///
/// # Safety
/// - The thread is attached to the interpreter.
/// - `class` is the class of arrays, which has no subclasses.
#[inline]
unsafe fn allocate(class: *mut ffi::PyTypeObject) -> *mut ffi::PyObject {
    let Some(last) = FREE_LIST.n.get().checked_sub(1) else {
        // SAFETY: forwarded: same contract as this function.
        return unsafe { allocate_new(class) };
    };
    FREE_LIST.n.set(last);
    // SAFETY: by the invariant of the free list, the pointer is memory for an object of the class and is not in use.
    unsafe { ffi::PyObject_Init(FREE_LIST.objects[last].get(), class) }
}

/// Allocates an array object without the free list.
///
/// # Safety
/// As for [`allocate`].
#[cold]
unsafe fn allocate_new(class: *mut ffi::PyTypeObject) -> *mut ffi::PyObject {
    // SAFETY: the thread is attached, and `class` is a valid type, by this function's contract.
    let object = unsafe { ffi::PyType_GenericAlloc(class, 0) };
    if !object.is_null() {
        // The garbage collector must not visit an array that is not initialized yet.
        // SAFETY: the object was just allocated with a garbage collector header, as all objects of PyO3 classes are.
        unsafe { ffi::PyObject_GC_UnTrack(object.cast()) };
    }
    object
}

/// The slot `tp_alloc`. It refuses `object.__new__(Array)`, which would create an array without a tensor.
///
/// # Safety
/// The thread is attached to the interpreter, and `class` is the class of arrays.
unsafe extern "C" fn refuse(
    class: *mut ffi::PyTypeObject,
    n_items: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    if FREE_LIST.class.get().is_null() {
        // The one object whose layout `prepare` verifies.
        // SAFETY: the thread is attached, and `class` is a valid type, by this function's contract.
        return unsafe { ffi::PyType_GenericAlloc(class, n_items) };
    }
    // SAFETY: the thread is attached, by this function's contract.
    let py = unsafe { Python::assume_attached() };
    let message = "cannot create Array instances; use functions such as asarray, zeros and arange";
    PyTypeError::new_err(message).restore(py);
    null_mut()
}

/// The slot `tp_free`. It returns the memory to the free list, or frees it if the list is full.
///
/// # Safety
/// - The thread is attached to the interpreter.
/// - The object is an array whose tensor was dropped, is untracked by the garbage collector, and has no references.
unsafe extern "C" fn free(object: *mut c_void) {
    let n = FREE_LIST.n.get();
    match FREE_LIST.objects.get(n) {
        Some(slot) => {
            slot.set(object.cast());
            FREE_LIST.n.set(n + 1);
        }
        // SAFETY: the object was allocated with a garbage collector header and has no references.
        None => unsafe { ffi::PyObject_GC_Del(object) },
    }
}

// The same mechanism as `freelist`: PyO3 has no public one to set these slots. Its version is therefore pinned in
// Cargo.toml.
pyo3::inventory::submit! {
    <ArrayObject as PyClassImpl>::Inventory::new(PyClassItems {
        methods: &[],
        slots: &[
            ffi::PyType_Slot { slot: ffi::Py_tp_alloc, pfunc: refuse as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_tp_free, pfunc: free as *mut c_void },
        ],
    })
}

/// Verifies the layout of array objects; from then on, [`new_object`] creates them.
///
/// An array that PyO3 created has its tensor and its list of weak references where [`Object`] has them, and ends behind
/// the latter. So there is no other field that [`new_object`] would have to initialize.
///
/// The interpreter may load the module several times. A second interpreter may not: the free list would hand it objects
/// of the first.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    // SAFETY: this thread is attached to an interpreter, as `py` proves.
    let interpreter = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if !FREE_LIST.class.get().is_null() {
        return match FREE_LIST.interpreter.get() == interpreter {
            true => Ok(()),
            false => Err(PyImportError::new_err(
                "belvedere is already loaded in another interpreter of this process",
            )),
        };
    }
    let class = py.get_type::<ArrayObject>();
    let size: usize = class.getattr("__basicsize__")?.extract()?;
    let weak: usize = class.getattr("__weakrefoffset__")?.extract()?;
    let sample = Bound::new(py, ArrayObject { tensor: Tensor::full([0; 0], 0).map_err(raise)? })?;
    let array = (&raw const *sample.get()).addr() - sample.as_ptr().addr();
    let expected = (size_of::<Object>(), offset_of!(Object, weak), offset_of!(Object, array));
    if (size, weak, array) != expected {
        return Err(PyImportError::new_err(format!(
            "unexpected layout of array objects: size {size}, weak references at {weak}, tensor at {array}; expected \
             {expected:?}"
        )));
    }
    FREE_LIST.class.set(class.as_type_ptr());
    FREE_LIST.interpreter.set(interpreter);
    Ok(())
}

/// Creates an array object whose tensor `write` writes to its place in the object.
///
/// `write` returns the reference that it was given, as the proof that it wrote.
#[inline(always)]
pub(super) fn new_object<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut MaybeUninit<Tensor>) -> Result<&mut Tensor, Error>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let class = FREE_LIST.class.get();
    assert!(!class.is_null(), "the module is initialized before its arrays");
    // SAFETY: the thread is attached, as `py` proves, and `class` is the class of arrays, which cannot be subclassed.
    let object = unsafe { allocate(class) }.cast::<Object>();
    if object.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: `allocate` returned memory for an `Object`, which no other reference reaches. An `ArrayObject` is a
    // transparent wrapper of a `Tensor`.
    let slot = unsafe { &mut *(&raw mut (*object).array).cast::<MaybeUninit<Tensor>>() };
    let slot_address = slot.as_ptr();
    match write(slot) {
        Ok(tensor) => {
            assert!(std::ptr::eq(tensor, slot_address), "the tensor was written to its place");
            // SAFETY: the object is valid for writes. The head and the tensor are initialized, and with this write
            // every field is; its reference count of 1 is owned by the result.
            unsafe {
                (&raw mut (*object).weak).write(null_mut());
                Ok(Bound::from_owned_ptr(py, object.cast()).cast_into_unchecked())
            }
        }
        // SAFETY: the thread is attached; `allocate` returned the object, which has no tensor and no other reference.
        Err(error) => Err(unsafe { free_uninitialized(object.cast(), error) }),
    }
}

/// Frees an object whose tensor was not written, and converts the error.
///
/// # Safety
/// - The thread is attached to the interpreter.
/// - [`allocate`] returned the object, it has no tensor, and nothing else refers to it.
#[cold]
unsafe fn free_uninitialized(object: *mut ffi::PyObject, error: Error) -> PyErr {
    // SAFETY: forwarded: same contract as this function. The object owns a reference to its class, which is released.
    unsafe {
        let class = ffi::Py_TYPE(object);
        free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
    raise(error)
}

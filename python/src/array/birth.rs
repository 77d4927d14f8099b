//! Where arrays come from, and where they go.
//!
//! An array lives for a moment: `x[1:] - x[:-1]` makes two that are gone when the difference is there. To
//! make an object of PyO3 and to free it takes longer than all that a view does (bench `python`: 80 ns for
//! `x.T` instead of 50), so both are done here:
//!
//! - The places of a few arrays that are gone are kept for the next ones, as the interpreter does with its
//!   own floats and tuples. `#[pyclass(freelist = …)]` does so behind a mutex, whose four atomic operations
//!   cost what is won; the interpreter's lock is all that is needed.
//! - A tensor is written to its place once. PyO3 moves it there through two others, and each time the
//!   processor has to wait for what it has just written.
//! - The collector of cycles is not told of arrays: they refer to no object that it could follow.

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

/// An array as the interpreter has it. [`prepare`] makes sure that PyO3 sees it in the same way.
#[repr(C)]
struct Object {
    head: ffi::PyObject,
    array: ArrayObject,
    /// The list of weak references to it.
    weak: *mut ffi::PyObject,
}

/// How many places are kept: 200 bytes each.
const MOST: usize = 64;

/// Places of arrays that are gone.
///
/// Invariant: the first `n` were allocated for an [`Object`], the collector does not know them, and nobody
/// else has them.
struct Kept {
    n: Cell<usize>,
    places: [Cell<*mut ffi::PyObject>; MOST],
    /// The class of arrays, or null before [`prepare`].
    class: Cell<*mut ffi::PyTypeObject>,
    /// The interpreter that has it.
    interpreter: Cell<i64>,
}

// SAFETY: it is touched by functions that are called with the interpreter held, which on the stable ABI is a
// lock. There is one interpreter: `prepare` refuses others, and without a class no array is made.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept {
    n: Cell::new(0),
    places: [const { Cell::new(null_mut()) }; MOST],
    class: Cell::new(null_mut()),
    interpreter: Cell::new(0),
};

/// The memory of a new array: its head is written, the rest is not.
///
/// # Safety
/// The interpreter is held, and `class` is that of arrays, from which none can be derived.
#[inline]
unsafe fn allocate(class: *mut ffi::PyTypeObject) -> *mut ffi::PyObject {
    let Some(last) = KEPT.n.get().checked_sub(1) else {
        // SAFETY: the caller's promise.
        return unsafe { allocate_anew(class) };
    };
    KEPT.n.set(last);
    // SAFETY: by the invariant there is room for an object of the class.
    unsafe { ffi::PyObject_Init(KEPT.places[last].get(), class) }
}

/// # Safety
/// As for [`allocate`].
#[cold]
unsafe fn allocate_anew(class: *mut ffi::PyTypeObject) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let object = unsafe { ffi::PyType_GenericAlloc(class, 0) };
    if !object.is_null() {
        // So that nobody finds an array that is not written yet, or goes through those that are.
        // SAFETY: it is of a class that the collector knows, as all of PyO3's are.
        unsafe { ffi::PyObject_GC_UnTrack(object.cast()) };
    }
    object
}

/// What the interpreter is told that wants memory for an array. It does so for `object.__new__`, which a
/// program can bring to make an object of any class; such an array would have no tensor.
///
/// # Safety
/// The interpreter is held, and `class` is that of arrays.
unsafe extern "C" fn refuse(
    class: *mut ffi::PyTypeObject,
    n_items: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    if KEPT.class.get().is_null() {
        // The one that `prepare` looks at.
        // SAFETY: the caller's promise.
        return unsafe { ffi::PyType_GenericAlloc(class, n_items) };
    }
    // SAFETY: the interpreter is held.
    let py = unsafe { Python::assume_attached() };
    let message = "arrays are made by functions such as asarray, zeros and arange";
    PyTypeError::new_err(message).restore(py);
    null_mut()
}

/// # Safety
/// The interpreter is held, and the object is an array that has no tensor any more and that the collector
/// does not know.
unsafe extern "C" fn free(object: *mut c_void) {
    let n = KEPT.n.get();
    match KEPT.places.get(n) {
        Some(place) => {
            place.set(object.cast());
            KEPT.n.set(n + 1);
        }
        // SAFETY: it was allocated for a class that the collector knows.
        None => unsafe { ffi::PyObject_GC_Del(object) },
    }
}

// What `freelist` does, in the same way: PyO3 has no public one to give a class these two. Its version is
// therefore fixed in Cargo.toml.
pyo3::inventory::submit! {
    <ArrayObject as PyClassImpl>::Inventory::new(PyClassItems {
        methods: &[],
        slots: &[
            ffi::PyType_Slot { slot: ffi::Py_tp_alloc, pfunc: refuse as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_tp_free, pfunc: free as *mut c_void },
        ],
    })
}

/// Makes sure that arrays may be made here, from when on they are made nowhere else.
///
/// An array that PyO3 made is where [`Object`] says, and so is its list of weak references, and behind it the
/// object ends. So there is no room for anything that would have to be written besides.
///
/// The interpreter may load the module several times, but a second one may not: it would be handed objects of
/// the first.
pub fn prepare(py: Python<'_>) -> PyResult<()> {
    // SAFETY: this thread holds an interpreter.
    let interpreter = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if !KEPT.class.get().is_null() {
        return match KEPT.interpreter.get() == interpreter {
            true => Ok(()),
            false => Err(PyImportError::new_err(
                "belvedere is loaded by another interpreter of this process, with which it cannot be shared",
            )),
        };
    }
    let class = py.get_type::<ArrayObject>();
    let size: usize = class.getattr("__basicsize__")?.extract()?;
    let weak: usize = class.getattr("__weakrefoffset__")?.extract()?;
    let made = Bound::new(py, ArrayObject { tensor: Tensor::full([0; 0], 0).map_err(raise)? })?;
    let array = (&raw const *made.get()).addr() - made.as_ptr().addr();
    let expected = (size_of::<Object>(), offset_of!(Object, weak), offset_of!(Object, array));
    if (size, weak, array) != expected {
        return Err(PyImportError::new_err(format!(
            "an array of {size} bytes has its tensor at {array} and its weak references at {weak}, and not \
             as expected {expected:?}"
        )));
    }
    KEPT.class.set(class.as_type_ptr());
    KEPT.interpreter.set(interpreter);
    Ok(())
}

/// An array whose tensor is made where it stays.
///
/// Whoever makes it says that it was, and is told nothing of the object, which nobody else can find either.
#[inline(always)]
pub fn born<'py>(
    py: Python<'py>,
    make: impl FnOnce(&mut MaybeUninit<Tensor>) -> Result<&mut Tensor, Error>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let class = KEPT.class.get();
    assert!(!class.is_null(), "the module is there before its arrays");
    // SAFETY: the interpreter is held, and this is the class of arrays.
    let object = unsafe { allocate(class) }.cast::<Object>();
    if object.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: an `Object` is what was allocated. An `ArrayObject` is a `Tensor` and nothing else.
    let place = unsafe { &mut *(&raw mut (*object).array).cast::<MaybeUninit<Tensor>>() };
    let place_of = place.as_ptr();
    match make(place) {
        Ok(tensor) => {
            // It has to be this one that was written.
            assert!(std::ptr::eq(tensor, place_of), "made in its place");
            // SAFETY: as above; and with that, every part of the object is written.
            unsafe {
                (&raw mut (*object).weak).write(null_mut());
                Ok(Bound::from_owned_ptr(py, object.cast()).cast_into_unchecked())
            }
        }
        // SAFETY: there is no tensor in it, and nobody else has it.
        Err(error) => Err(unsafe { stillborn(object.cast(), error) }),
    }
}

/// Gives an object back whose tensor could not be made.
///
/// # Safety
/// The interpreter is held, [`allocate`] made the object, and nobody has a reference to it.
#[cold]
unsafe fn stillborn(object: *mut ffi::PyObject, error: Error) -> PyErr {
    // SAFETY: the caller's promise. An object has a reference to its class.
    unsafe {
        let class = ffi::Py_TYPE(object);
        free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
    raise(error)
}

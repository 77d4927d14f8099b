//! The slots of bools, floats, hashes, comparisons, indexing and iteration, with fast paths for elements; and those of
//! sequences.
//!
//! PyO3 calls a method through a trampoline, which notes in a thread-local that the thread is attached and catches panics.
//! For a 0-d array that takes as long as the method. The functions here compute these cases directly, and leave all others
//! to the trampoline. A program that uses elements as keys of a dict calls each of the four for every element.

use super::free_list::tensor_object;
use super::operators::bool_object;
use super::{ArrayIterator, ArrayObject};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::impl_::trampoline::get_trampoline_function;
use pyo3::prelude::*;
use pyo3::types::PyFloat;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

// The same mechanism as in `free_list.rs`.
pyo3::inventory::submit! {
    <ArrayObject as PyClassImpl>::Inventory::new(PyClassItems {
        methods: &[],
        slots: &[
            ffi::PyType_Slot { slot: ffi::Py_nb_bool, pfunc: truth as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_nb_float, pfunc: float as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_mp_subscript, pfunc: subscript as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_mp_ass_subscript, pfunc: assign_subscript as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_tp_hash, pfunc: hash as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_tp_richcompare, pfunc: compare as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_sq_length, pfunc: sequence_len as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_sq_item, pfunc: sequence_item as *mut c_void },
            ffi::PyType_Slot { slot: ffi::Py_sq_ass_item, pfunc: assign_item as *mut c_void },
        ],
    })
}

pyo3::inventory::submit! {
    <ArrayIterator as PyClassImpl>::Inventory::new(PyClassItems {
        methods: &[],
        slots: &[ffi::PyType_Slot { slot: ffi::Py_tp_iternext, pfunc: next as *mut c_void }],
    })
}

/// The slot `nb_bool`.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an array.
unsafe extern "C" fn truth(object: *mut ffi::PyObject) -> c_int {
    /// # Safety
    /// That of [`truth`].
    unsafe fn any(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<c_int> {
        // SAFETY: forwarded: same contract as this function.
        unsafe { array(&object) }.truth(py).map(c_int::from)
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        match array(&object).try_truth() {
            Some(truth) => c_int::from(truth),
            None => get_trampoline_function!(inquiry, any)(object),
        }
    }
}

/// The slot `nb_float`.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an array.
unsafe extern "C" fn float(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    /// # Safety
    /// That of [`float`].
    unsafe fn any(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<*mut ffi::PyObject> {
        // SAFETY: forwarded: same contract as this function.
        let value = unsafe { array(&object) }.float(py)?;
        Ok(PyFloat::new(py, value).into_ptr())
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        match array(&object).try_float() {
            Some(value) => ffi::PyFloat_FromDouble(value),
            None => get_trampoline_function!(unaryfunc, any)(object),
        }
    }
}

/// The slot `mp_subscript`: `x[index]`.
///
/// # Safety
/// The thread is attached to the interpreter, `object` is an array, and `index` is an object.
unsafe extern "C" fn subscript(
    object: *mut ffi::PyObject,
    index: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    /// # Safety
    /// That of [`subscript`].
    unsafe fn any(
        py: Python<'_>,
        object: *mut ffi::PyObject,
        index: *mut ffi::PyObject,
    ) -> PyResult<*mut ffi::PyObject> {
        // SAFETY: by this function's contract; the caller has a reference to the index.
        let (array, index) = unsafe { (array(&object), Borrowed::from_ptr(py, index)) };
        array.select_items(&index).map(Bound::into_ptr)
    }
    // SAFETY: by this function's contract; the caller has a reference to the index.
    unsafe {
        let index_object = Borrowed::from_ptr(Python::assume_attached(), index);
        match array(&object).try_element(&index_object) {
            Some(element) => element.into_ptr(),
            None => get_trampoline_function!(binaryfunc, any)(object, index),
        }
    }
}

/// The slot `mp_ass_subscript`: `x[index] = value`, and `del x[index]` without a value.
///
/// # Safety
/// The thread is attached to the interpreter, `object` is an array, `index` is an object, and `value` is an object or null.
unsafe extern "C" fn assign_subscript(
    object: *mut ffi::PyObject,
    index: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> c_int {
    /// # Safety
    /// That of [`assign_subscript`].
    unsafe fn any(
        py: Python<'_>,
        object: *mut ffi::PyObject,
        index: *mut ffi::PyObject,
        value: *mut ffi::PyObject,
    ) -> PyResult<c_int> {
        // SAFETY: by this function's contract; the caller has references to the index and the value.
        let (array, index, value) = unsafe {
            let index = Borrowed::from_ptr(py, index);
            (array(&object), index, Borrowed::from_ptr_or_opt(py, value))
        };
        match value {
            Some(value) => array.assign_item(&index, &value).map(|()| 0),
            None => Err(PyTypeError::new_err("cannot delete array elements")),
        }
    }
    // SAFETY: by this function's contract; the caller has references to the index and the value.
    unsafe {
        let py = Python::assume_attached();
        let index_object = Borrowed::from_ptr(py, index);
        let given = Borrowed::from_ptr_or_opt(py, value);
        match given.is_some_and(|it| array(&object).try_assign_element(&index_object, &it)) {
            true => 0,
            false => get_trampoline_function!(setattrofunc, any)(object, index, value),
        }
    }
}

/// The slot `tp_hash`.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an array.
unsafe extern "C" fn hash(object: *mut ffi::PyObject) -> ffi::Py_hash_t {
    /// # Safety
    /// That of [`hash`].
    unsafe fn any(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<ffi::Py_hash_t> {
        // SAFETY: forwarded: same contract as this function.
        unsafe { array(&object) }.hash(py)
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        match array(&object).try_hash() {
            Some(hash) => hash,
            None => get_trampoline_function!(hashfunc, any)(object),
        }
    }
}

/// The slot `tp_richcompare`.
///
/// # Safety
/// The thread is attached to the interpreter, `object` is an array, and `other` is an object.
unsafe extern "C" fn compare(
    object: *mut ffi::PyObject,
    other: *mut ffi::PyObject,
    op: c_int,
) -> *mut ffi::PyObject {
    /// # Safety
    /// That of [`compare`].
    unsafe fn any(
        py: Python<'_>,
        object: *mut ffi::PyObject,
        other: *mut ffi::PyObject,
        op: c_int,
    ) -> PyResult<*mut ffi::PyObject> {
        let Some(op) = CompareOp::from_raw(op) else {
            return Ok(py.NotImplemented().into_ptr());
        };
        // SAFETY: by this function's contract; the caller has a reference to the other object.
        let (array, other) = unsafe { (array(&object), Borrowed::from_ptr(py, other)) };
        array.compare(py, &other, op).map(Bound::into_ptr)
    }
    // SAFETY: by this function's contract. The class of arrays has no subclasses, so the other object is an array if it has
    // the same type.
    unsafe {
        if ffi::Py_TYPE(object) == ffi::Py_TYPE(other)
            && let Some(op) = CompareOp::from_raw(op)
            && let Some(answer) = array(&object).compare_elements(array(&other), op)
        {
            let py = Python::assume_attached();
            return match bool_object(py, answer) {
                Ok(answer) => answer.into_ptr(),
                Err(error) => {
                    error.restore(py);
                    null_mut()
                }
            };
        }
        get_trampoline_function!(richcmpfunc, any)(object, other, op)
    }
}

/// The slot `sq_length`.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an array.
unsafe extern "C" fn sequence_len(object: *mut ffi::PyObject) -> ffi::Py_ssize_t {
    /// # Safety
    /// That of [`sequence_len`].
    unsafe fn any(_: Python<'_>, object: *mut ffi::PyObject) -> PyResult<ffi::Py_ssize_t> {
        // SAFETY: forwarded: same contract as this function.
        unsafe { array(&object) }.first_len().map(|len| len as ffi::Py_ssize_t)
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe { get_trampoline_function!(lenfunc, any)(object) }
}

/// The slot `sq_item`, which `PySequence_GetItem` calls; `x[i]` calls `mp_subscript`.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an array.
unsafe extern "C" fn sequence_item(
    object: *mut ffi::PyObject,
    i: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    /// # Safety
    /// That of [`sequence_item`].
    unsafe fn any(
        py: Python<'_>,
        object: *mut ffi::PyObject,
        i: ffi::Py_ssize_t,
    ) -> PyResult<*mut ffi::PyObject> {
        // SAFETY: forwarded: same contract as this function.
        unsafe { array(&object) }.sequence_item(py, i).map(Bound::into_ptr)
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe { get_trampoline_function!(ssizeargfunc, any)(object, i) }
}

/// The slot `sq_ass_item`, which `PySequence_SetItem` calls: the same as `x[i] = value`, and `del x[i]` without a value.
///
/// # Safety
/// The thread is attached to the interpreter, `object` is an array, and `value` is an object or null.
unsafe extern "C" fn assign_item(
    object: *mut ffi::PyObject,
    i: ffi::Py_ssize_t,
    value: *mut ffi::PyObject,
) -> c_int {
    // SAFETY: by this function's contract. A new index is not null, and its reference is released.
    unsafe {
        let index = ffi::PyLong_FromSsize_t(i);
        if index.is_null() {
            return -1;
        }
        let outcome = match value.is_null() {
            true => ffi::PyObject_DelItem(object, index),
            false => ffi::PyObject_SetItem(object, index, value),
        };
        ffi::Py_DECREF(index);
        outcome
    }
}

/// The slot `tp_iternext` of iterators.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an iterator over an array.
unsafe extern "C" fn next(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    /// # Safety
    /// That of [`next`].
    unsafe fn any(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<*mut ffi::PyObject> {
        // SAFETY: forwarded: same contract as this function.
        let item = unsafe { iterator(py, &object) }.next(py)?;
        // Null without an exception ends the iteration.
        Ok(item.map_or(null_mut(), Bound::into_ptr))
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        let py = Python::assume_attached();
        match iterator(py, &object).try_next(py) {
            Some(element) => element.into_ptr(),
            None => get_trampoline_function!(iternextfunc, any)(object),
        }
    }
}

/// Returns the iterator of an object, for as long as the caller has its reference.
///
/// # Safety
/// The object is an iterator over an array, to which the caller has a reference.
#[inline(always)]
unsafe fn iterator<'a>(py: Python<'a>, object: &'a *mut ffi::PyObject) -> &'a ArrayIterator {
    // SAFETY: by this function's contract, for the lifetime of the result.
    unsafe { Borrowed::from_ptr(py, *object).cast_unchecked::<ArrayIterator>().get() }
}

/// Returns the array of an object, for as long as the caller has its reference.
///
/// # Safety
/// The object is an array, to which the caller has a reference.
#[inline(always)]
unsafe fn array(object: &*mut ffi::PyObject) -> &ArrayObject {
    // SAFETY: forwarded: same contract as this function.
    unsafe { &*tensor_object(*object) }
}

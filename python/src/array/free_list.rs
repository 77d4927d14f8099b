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
use crate::exchange::release_owners;
use belvedere::{Error, Tensor};
use pyo3::exceptions::{PyImportError, PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::c_void;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicPtr, AtomicUsize};

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
/// All accesses are by threads that are attached to the interpreter, which on the stable ABI means that they hold the GIL,
/// so relaxed loads and stores suffice. There is one interpreter: [`prepare`] refuses others, and before it succeeds no
/// array is allocated.
///
/// Invariants: the first `n` pointers were allocated for an [`Object`], are untracked by the garbage collector, and are
/// referenced from nowhere else. `class` is null, before [`prepare`], or the class of arrays, which has no subclasses and
/// is never freed.
struct FreeList {
    n: AtomicUsize,
    objects: [AtomicPtr<ffi::PyObject>; MAX_FREE_OBJECTS],
    class: AtomicPtr<ffi::PyTypeObject>,
}

static FREE_LIST: FreeList = FreeList {
    n: AtomicUsize::new(0),
    objects: [const { AtomicPtr::new(null_mut()) }; MAX_FREE_OBJECTS],
    class: AtomicPtr::new(null_mut()),
};

/// An array object whose tensor is not written yet; dropping it frees the object.
///
/// Invariant: the pointer is an object of the class of arrays, untracked by the garbage collector, whose head is
/// initialized and the rest is not. It has one reference, which is owned here.
struct UninitObject<'py> {
    object: NonNull<Object>,
    py: Python<'py>,
}

impl<'py> UninitObject<'py> {
    /// Allocates an object.
    #[inline]
    fn allocate(py: Python<'py>) -> PyResult<UninitObject<'py>> {
        let class = FREE_LIST.class.load(Relaxed);
        assert!(!class.is_null(), "the module is initialized before its arrays");
        let object = match FREE_LIST.n.load(Relaxed).checked_sub(1) {
            Some(last) => {
                FREE_LIST.n.store(last, Relaxed);
                let object = FREE_LIST.objects[last].load(Relaxed);
                // SAFETY: the thread is attached, as `py` proves. By the invariants of the free list, the pointer is
                // memory for an object of the class and is not in use.
                unsafe { ffi::PyObject_Init(object, class) }
            }
            None => allocate_new(py, class),
        };
        match NonNull::new(object.cast()) {
            Some(object) => Ok(UninitObject { object, py }),
            None => Err(PyErr::fetch(py)),
        }
    }

    /// Returns the place of the tensor.
    #[inline]
    fn tensor(&mut self) -> &mut MaybeUninit<Tensor> {
        // SAFETY: the object is memory for an `Object`, which no other reference reaches. An `ArrayObject` is a
        // transparent wrapper of a `Tensor`.
        unsafe { &mut *(&raw mut (*self.object.as_ptr()).array).cast::<MaybeUninit<Tensor>>() }
    }

    /// Returns the object.
    ///
    /// # Safety
    /// The tensor must be written.
    #[inline]
    unsafe fn assume_init(self) -> Bound<'py, ArrayObject> {
        let (object, py) = (self.object.as_ptr(), self.py);
        std::mem::forget(self);
        // SAFETY: the object is valid for writes. The head and the tensor are initialized, and with this write every
        // field is; its reference is owned by the result.
        unsafe {
            (&raw mut (*object).weak).write(null_mut());
            Bound::from_owned_ptr(py, object.cast()).cast_into_unchecked()
        }
    }
}

impl Drop for UninitObject<'_> {
    #[cold]
    fn drop(&mut self) {
        let object = self.object.as_ptr().cast::<ffi::PyObject>();
        // SAFETY: the thread is attached, as `py` proves. The object has no tensor, and its one reference is owned
        // here. It owns a reference to its class, which is released.
        unsafe {
            let class = ffi::Py_TYPE(object);
            free(object.cast());
            ffi::Py_DECREF(class.cast());
        }
    }
}

/// Allocates an array object without the free list. Returns null with an exception set if there is no memory.
#[cold]
fn allocate_new(_: Python<'_>, class: *mut ffi::PyTypeObject) -> *mut ffi::PyObject {
    // SAFETY: the thread is attached, and `class` is the class of arrays (`FreeList`).
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
    if FREE_LIST.class.load(Relaxed).is_null() {
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
    let n = FREE_LIST.n.load(Relaxed);
    match FREE_LIST.objects.get(n) {
        Some(slot) => {
            slot.store(object.cast(), Relaxed);
            FREE_LIST.n.store(n + 1, Relaxed);
        }
        // SAFETY: the object was allocated with a garbage collector header and has no references.
        None => unsafe { ffi::PyObject_GC_Del(object) },
    }
    // Last: it may run Python code, which may take the memory from the list.
    // SAFETY: the thread is attached, by this function's contract.
    release_owners(unsafe { Python::assume_attached() });
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
/// The interpreter may load the module several times. Another one may not, be it a subinterpreter or the main interpreter
/// after it was finalized and initialized again: the free list would hand it objects of the first. Both have the id
/// of an interpreter that may exist already, so the first one is marked in its own dictionary.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    const MARK: &str = "belvedere.loaded";
    // SAFETY: this thread is attached to an interpreter, as `py` proves. Its dictionary lives as long as it does.
    let state = unsafe {
        let state = ffi::PyInterpreterState_GetDict(ffi::PyInterpreterState_Get());
        Bound::from_borrowed_ptr_or_opt(py, state)
    };
    let state = state.ok_or_else(|| PyMemoryError::new_err("no memory to load belvedere"))?;
    let state = state.cast_into::<PyDict>()?;
    if !FREE_LIST.class.load(Relaxed).is_null() {
        return match state.contains(MARK)? {
            true => Ok(()),
            false => Err(PyImportError::new_err(
                "belvedere was loaded by another interpreter of this process, and supports one: no subinterpreters, and no \
                 second Py_Initialize",
            )),
        };
    }
    state.set_item(MARK, true)?;
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
    FREE_LIST.class.store(class.as_type_ptr(), Relaxed);
    Ok(())
}

/// An array object that was returned to Python and is kept, to be returned again when no other reference to it is left: an
/// object whose memory is reused at once, as the tuple that Python's `zip` returns.
///
/// Like [`FREE_LIST`], it is accessed by attached threads only, so relaxed loads and stores suffice.
///
/// Invariant: the pointer is null, or an object of the class of arrays, of which one reference is owned here.
pub(crate) struct KeptObject(AtomicPtr<ffi::PyObject>);

impl KeptObject {
    pub(crate) const fn empty() -> KeptObject {
        KeptObject(AtomicPtr::new(null_mut()))
    }

    /// Returns the kept object, if no other reference to it exists and `renew`, which is then given its tensor, returns
    /// true.
    #[inline]
    pub(crate) fn renew<'py>(
        &self,
        py: Python<'py>,
        renew: impl FnOnce(&mut Tensor) -> bool,
    ) -> Option<Bound<'py, ArrayObject>> {
        let kept = self.0.load(Relaxed);
        // SAFETY: the thread is attached, as `py` proves. A pointer that is not null is an array object (invariant).
        if kept.is_null() || unsafe { !is_only_reference(kept) } {
            return None;
        }
        let object = kept.cast::<Object>();
        // SAFETY: the reference that is owned here is the only one to the object, weak ones included, and no other
        // thread can take it from here while this one is attached: `renew` is given the only access to the tensor. An
        // `ArrayObject` is a transparent wrapper of a `Tensor`.
        if !renew(unsafe { &mut *(&raw mut (*object).array).cast::<Tensor>() }) {
            return None;
        }
        // SAFETY: it is an array object, to which the result gets a reference of its own.
        Some(unsafe { Bound::from_borrowed_ptr(py, kept).cast_into_unchecked() })
    }

    /// Keeps an object instead of the one before.
    #[inline]
    pub(crate) fn keep(&self, object: &Bound<'_, ArrayObject>) {
        let before = self.0.swap(object.clone().into_ptr(), Relaxed);
        // SAFETY: the reference to the object before was owned here, and is no more.
        drop(unsafe { Bound::from_owned_ptr_or_opt(object.py(), before) });
    }
}

impl Drop for KeptObject {
    fn drop(&mut self) {
        let kept = std::mem::replace(self.0.get_mut(), null_mut());
        if !kept.is_null() {
            // SAFETY: the reference is owned here, and is no more.
            Python::attach(|py| drop(unsafe { Bound::from_owned_ptr(py, kept) }));
        }
    }
}

/// Returns whether an array object has one reference and no weak references.
///
/// # Safety
/// The thread is attached to the interpreter, and `object` is an array object.
#[inline]
unsafe fn is_only_reference(object: *mut ffi::PyObject) -> bool {
    // SAFETY: by this function's contract; `prepare` has verified the place of the weak references.
    unsafe { ffi::Py_REFCNT(object) == 1 && (*object.cast::<Object>()).weak.is_null() }
}

/// Returns where an array object has its `ArrayObject`.
///
/// # Safety
/// The pointer is an array object, created after [`prepare`] has verified its layout.
#[inline(always)]
pub(super) unsafe fn tensor_object(object: *mut ffi::PyObject) -> *const ArrayObject {
    // SAFETY: by this function's contract, the field is inside of the object.
    unsafe { &raw const (*object.cast::<Object>()).array }
}

/// Creates an array object whose tensor `write` writes to its place in the object.
#[inline(always)]
pub(crate) fn new_object<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut MaybeUninit<Tensor>) -> Result<&mut Tensor, Error>,
) -> PyResult<Bound<'py, ArrayObject>> {
    try_new_object(py, write)?.map_err(raise)
}

/// Creates an array object as [`new_object`] does, and returns the error of `write` as it is.
///
/// `write` returns the reference that it was given, as the proof that it wrote.
#[inline(always)]
pub(crate) fn try_new_object<'py, E>(
    py: Python<'py>,
    write: impl FnOnce(&mut MaybeUninit<Tensor>) -> Result<&mut Tensor, E>,
) -> PyResult<Result<Bound<'py, ArrayObject>, E>> {
    let mut object = UninitObject::allocate(py)?;
    let place = object.tensor().as_ptr();
    let tensor = match write(object.tensor()) {
        Ok(tensor) => tensor,
        Err(error) => return Ok(Err(error)),
    };
    assert!(std::ptr::eq(tensor, place), "the tensor was written to its place");
    // SAFETY: `write` returned a reference to the tensor in its place, so it is written.
    Ok(Ok(unsafe { object.assume_init() }))
}

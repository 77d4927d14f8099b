//! `x[...]`: indexing, assignment and iteration.

use super::conversion::read_number;
use super::{Array, ArrayObject, KeptObject, new_object, try_new_object};
use crate::arguments::OperandArgument;
use crate::arguments::index::{self, AdvancedIndex, IndexAction};
use crate::attach::{run, run_to_object, try_run};
use crate::error::{raise, raise_for_assignment};
use crate::exchange;
use belvedere::trace::Param;
use belvedere::{DType, Layout, LayoutError, Tensor, add_into, astype_into, can_assign, copies};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use std::sync::atomic::{AtomicUsize, Ordering};

#[pymethods]
impl ArrayObject {
    /// Adds to the selected elements, once for each time that an element is selected: `bv.add.at`.
    fn _add_at(&self, index: &Bound<'_, PyAny>, value: OperandArgument) -> PyResult<()> {
        let x = &self.tensor;
        index::evaluate(x, index, Add { x, value: &value, py: index.py() })
    }

    fn __len__(&self) -> PyResult<usize> {
        self.first_len()
    }

    fn __iter__(&self) -> PyResult<ArrayIterator> {
        match self.tensor.rank() {
            0 => Err(PyTypeError::new_err("iteration over a 0-d array")),
            _ => Ok(ArrayIterator::new(self.tensor.clone())),
        }
    }

    /// Iterates over the first axis from its end: ``reversed(x)``.
    fn __reversed__(&self) -> PyResult<ArrayIterator> {
        match self.tensor.rank() {
            0 => Err(PyTypeError::new_err("iteration over a 0-d array")),
            _ => self.tensor.flip(0).map(ArrayIterator::new).map_err(raise),
        }
    }

    /// Tests whether any element equals the value.
    fn __contains__(&self, py: Python<'_>, value: OperandArgument) -> PyResult<bool> {
        let (x, value) = (&self.tensor, &value);
        run(py, x.len(), || x.equal(value)?.any(())?.item::<bool>())
    }
}

/// The last element that an index selected. A program mostly computes with an element and drops it before it asks for the
/// next: `x[i] + x[j]`.
static LAST_ELEMENT: KeptObject = KeptObject::empty();

impl ArrayObject {
    /// `x[index]`: returns a view; the value of an element if integers select one; a new array if index arrays or masks do.
    pub(super) fn select_items<'py>(
        &self,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        index::evaluate(&self.tensor, index, Read { array: self, index })
    }

    /// Returns the value of an element that integers select, if that can be done at once. `None`, without side effects, in all
    /// other cases: then [`select_items`](ArrayObject::select_items) decides.
    #[inline]
    pub(super) fn try_element<'py>(
        &self,
        index: &Bound<'py, PyAny>,
    ) -> Option<Bound<'py, ArrayObject>> {
        let (x, py) = (&self.tensor, index.py());
        let offset = index::element_offset(x.layout(), index)?;
        if let Some(element) = LAST_ELEMENT.renew(py, |it| it.try_replace_element(x, offset)) {
            return Some(element);
        }
        let element = try_new_object(py, |slot| x.try_element_into(offset, slot).ok_or(()));
        let element = element.ok()?.ok()?;
        LAST_ELEMENT.keep(&element);
        Some(element)
    }

    /// `x[index] = value`: assigns to the selected elements, with broadcasting and casts to any dtype but from complex to
    /// real.
    pub(super) fn assign_item(
        &self,
        index: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let x = &self.tensor;
        let value = exchange::assigned(value, x.dtype())?;
        index::evaluate(x, index, Write { x, value: &value, py: index.py() })
    }

    /// Assigns a number to the element that integers select, if that can be done at once: a Python scalar that the dtype
    /// represents, or an element of the same dtype. False, without side effects, in all other cases: then
    /// [`assign_item`](ArrayObject::assign_item) decides.
    #[inline]
    pub(super) fn try_assign_element(
        &self,
        index: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> bool {
        let x = &self.tensor;
        let Some(offset) = index::element_offset(x.layout(), index) else { return false };
        if let Ok(element) = value.cast_exact::<ArrayObject>() {
            let element = element.get().tensor();
            return element.rank() == 0 && x.try_set_element(offset, element);
        }
        match x.dtype() {
            DType::Float64 if value.is_exact_instance_of::<PyFloat>() => {
                value.extract().is_ok_and(|it: f64| x.try_set_value(offset, it))
            }
            DType::Int64 if value.is_exact_instance_of::<PyInt>() => {
                value.extract().is_ok_and(|it: i64| x.try_set_value(offset, it))
            }
            _ => false,
        }
    }

    /// Returns the length of the first axis.
    pub(super) fn first_len(&self) -> PyResult<usize> {
        match self.tensor.layout().axes().first() {
            Some(axis) => Ok(axis.len),
            None => Err(PyTypeError::new_err("len() of a 0-d array")),
        }
    }

    /// Returns an item as the sequence protocol of C does: a view, or a Python scalar if the array is 1-D.
    ///
    /// An element as an array would be a sequence, too. PyTorch reads an index whose items are sequences as a tuple of
    /// indices, so that `tensor[mask]` would be `tensor[mask[0], mask[1], …]`.
    pub(super) fn sequence_item<'py>(
        &self,
        py: Python<'py>,
        i: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Python has added the length to a negative index already.
        let in_range = usize::try_from(i).is_ok_and(|i| self.first_len().is_ok_and(|len| i < len));
        if !in_range {
            return Err(PyIndexError::new_err(format!("index {i} is out of range")));
        }
        let item = self.tensor.select(0, i).map_err(raise)?;
        match item.rank() {
            0 => Ok(read_number(py, &item)?.into_pyobject(py)?.into_any()),
            _ => Ok(Array::from(item).object(py)?.into_any()),
        }
    }
}

/// Returns the value of the element at an offset of the storage, as a 0-d array of its own. `index` is the index in events.
#[inline]
fn element<'py>(
    py: Python<'py>,
    x: &Tensor,
    offset: usize,
    index: impl FnOnce() -> String,
) -> PyResult<Bound<'py, ArrayObject>> {
    if let Ok(element) = try_new_object(py, |slot| x.try_element_into(offset, slot).ok_or(()))? {
        return Ok(element);
    }
    let (index, layout) = (index(), Layout::scalar(offset).map_err(|error| raise(error.into()))?);
    let params = [("index", Param::from(index.as_str()))];
    run_to_object(py, 1, || x.element_through("getitem", &params, layout.clone()))
}

/// `x[...]`.
struct Read<'a, 'py> {
    array: &'a ArrayObject,
    index: &'a Bound<'py, PyAny>,
}

impl<'py> IndexAction<'py> for Read<'_, 'py> {
    type Answer = Bound<'py, ArrayObject>;

    #[inline(always)]
    fn view(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let params = || [("index", Param::Text(index::text(self.index).into()))];
        self.array.through(self.index.py(), "getitem", params, change)
    }

    #[inline(always)]
    fn view_or_element(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let layout = change(self.array.tensor.layout()).map_err(|error| raise(error.into()))?;
        match layout.rank() {
            0 => self.element(layout.start()),
            _ => self.view(|_| Ok(layout)),
        }
    }

    #[inline(always)]
    fn element(self, offset: usize) -> PyResult<Bound<'py, ArrayObject>> {
        element(self.index.py(), &self.array.tensor, offset, || index::text(self.index))
    }

    fn advanced(self, index: AdvancedIndex<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        let (x, list) = (self.array.tensor(), index.list());
        let py = self.index.py();
        match try_run(py, index.work(x), || x.index(&list)) {
            Ok(part) => new_object(py, |slot| Ok(slot.write(part))),
            Err(error) => Err(index::raise(error)),
        }
    }
}

/// `x[...] = value`.
struct Write<'a, 'py> {
    x: &'a Tensor,
    value: &'a OperandArgument,
    py: Python<'py>,
}

impl<'py> IndexAction<'py> for Write<'_, 'py> {
    type Answer = ();

    fn view(self, change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>) -> PyResult<()> {
        let layout = change(self.x.layout()).map_err(|error| raise(error.into()))?;
        let rank = layout.rank();
        self.assign(layout, rank)
    }

    fn view_or_element(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<()> {
        let layout = change(self.x.layout()).map_err(|error| raise(error.into()))?;
        match layout.rank() {
            0 => self.element(layout.start()),
            rank => self.assign(layout, rank),
        }
    }

    #[inline(always)]
    fn element(self, offset: usize) -> PyResult<()> {
        if self.x.try_set_element(offset, self.value) {
            return Ok(());
        }
        let layout = Layout::scalar(offset).map_err(|error| raise(error.into()))?;
        // An element takes a value without axes, as in NumPy.
        self.assign(layout, usize::MAX)
    }

    fn advanced(self, index: AdvancedIndex<'py>) -> PyResult<()> {
        let (x, list, given) = (self.x, index.list(), self.value);
        let len = index.work(x).max(self.value.len());
        let OperandArgument::Array(array) = given else {
            return try_run(self.py, len, || x.index_assign(&list, given)).map_err(index::raise);
        };
        let value = array.get().tensor();
        let short = without_leading_ones(value, 0)?;
        let value = short.as_ref().unwrap_or(value);
        let assign = || match can_assign(value.dtype(), x.dtype()) {
            true => x.index_assign(&list, value),
            // The cast is part of the assignment, not a copy that the user sees.
            false => x.index_assign(&list, &copies::allow(|| value.astype(x.dtype()))?),
        };
        try_run(self.py, len, assign).map_err(index::raise)
    }
}

impl Write<'_, '_> {
    /// Assigns to the elements of a layout. Leading axes of length 1 of the value are dropped while it has more than
    /// `max_rank` axes.
    fn assign(self, layout: Layout, max_rank: usize) -> PyResult<()> {
        let (x, given) = (self.x, self.value);
        let OperandArgument::Array(array) = given else {
            return run(self.py, layout.len(), || x.assign_through(layout.clone(), given));
        };
        let value = array.get().tensor();
        let short = without_leading_ones(value, max_rank)?;
        let value = short.as_ref().unwrap_or(value);
        let shape = layout.shape();
        let assigned = match can_assign(value.dtype(), x.dtype()) {
            true => try_run(self.py, layout.len(), || x.assign_through(layout.clone(), value)),
            false => {
                let part = Tensor::from_storage(x.storage().clone(), layout, x.dtype());
                let part = part.map_err(raise)?;
                try_run(self.py, part.len(), || astype_into(value, &part))
            }
        };
        assigned.map_err(|error| raise_for_assignment(error, &value.shape(), &shape))
    }
}

/// `bv.add.at(x, ..., value)`.
struct Add<'a, 'py> {
    x: &'a Tensor,
    value: &'a OperandArgument,
    py: Python<'py>,
}

impl<'py> IndexAction<'py> for Add<'_, 'py> {
    type Answer = ();

    fn view(self, change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>) -> PyResult<()> {
        let layout = change(self.x.layout()).map_err(|error| raise(error.into()))?;
        let part = Tensor::from_storage(self.x.storage().clone(), layout, self.x.dtype());
        let part = part.map_err(raise)?;
        run(self.py, part.len(), || add_into(&part, self.value, &part))
    }

    fn view_or_element(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<()> {
        self.view(change)
    }

    fn element(self, offset: usize) -> PyResult<()> {
        self.view(|_| Layout::scalar(offset))
    }

    fn advanced(self, index: AdvancedIndex<'py>) -> PyResult<()> {
        let (x, list, value) = (self.x, index.list(), self.value);
        let len = index.work(x).max(value.len());
        try_run(self.py, len, || x.index_add_assign(&list, value)).map_err(index::raise)
    }
}

/// Returns a value without its leading axes of length 1, while it has more than `max_rank` axes.
fn without_leading_ones(value: &Tensor, max_rank: usize) -> PyResult<Option<Tensor>> {
    let axes = value.layout().axes();
    let n_ones = axes.iter().take_while(|axis| axis.len == 1).count();
    let n_dropped = n_ones.min(axes.len().saturating_sub(max_rank));
    if n_dropped == 0 {
        return Ok(None);
    }
    let layout = Layout::new(value.offset(), &axes[n_dropped..]);
    let layout = layout.map_err(|error| raise(error.into()))?;
    let short = Tensor::from_storage(value.storage().clone(), layout, value.dtype());
    short.map(Some).map_err(raise)
}

/// An iterator over the first axis.
#[pyclass(frozen, name = "ArrayIterator", module = "belvedere")]
pub(crate) struct ArrayIterator {
    tensor: Tensor,
    /// The next position. Only attached threads access it, so it is loaded and stored, not incremented atomically.
    next: AtomicUsize,
    /// The last two elements. A loop holds the one before while it asks for the next, and no longer.
    elements: [KeptObject; 2],
}

impl ArrayIterator {
    fn new(tensor: Tensor) -> ArrayIterator {
        let elements = [const { KeptObject::empty() }; 2];
        ArrayIterator { tensor, next: AtomicUsize::new(0), elements }
    }

    /// Returns the next element of a 1-D array, if an object that the program has dropped can be returned again. `None`,
    /// without side effects, in all other cases: then [`next`](ArrayIterator::next) decides.
    #[inline]
    pub(super) fn try_next<'py>(&self, py: Python<'py>) -> Option<Bound<'py, ArrayObject>> {
        let at = self.next.load(Ordering::Relaxed);
        let element =
            self.elements.get(at % 2)?.renew(py, |kept| match self.element_offset(at) {
                Some(offset) => kept.try_replace_element(&self.tensor, offset),
                None => false,
            })?;
        self.next.store(at + 1, Ordering::Relaxed);
        Some(element)
    }

    /// Returns the next item; `None` at the end, from then on.
    pub(super) fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, ArrayObject>>> {
        let tensor = &self.tensor;
        let at = self.next.load(Ordering::Relaxed);
        if at >= tensor.layout().axes()[0].len {
            self.next.store(usize::MAX, Ordering::Relaxed);
            return Ok(None);
        }
        self.next.store(at + 1, Ordering::Relaxed);
        if let Some(offset) = self.element_offset(at) {
            let element = element(py, tensor, offset, || at.to_string())?;
            self.elements[at % 2].keep(&element);
            return Ok(Some(element));
        }
        let row = tensor.select(0, at as isize);
        new_object(py, |slot| Ok(slot.write(row?))).map(Some)
    }

    /// Returns the offset of an element of a 1-D array. `None` behind its end, and if the items are no elements.
    #[inline]
    fn element_offset(&self, at: usize) -> Option<usize> {
        match self.tensor.layout().axes() {
            [axis] if at < axis.len => {
                Some((self.tensor.offset() as isize + at as isize * axis.stride) as usize)
            }
            _ => None,
        }
    }
}

/// The slot `tp_iternext` is in `slots.rs`.
#[pymethods]
impl ArrayIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __length_hint__(&self) -> usize {
        let len = self.tensor.layout().axes()[0].len;
        len.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

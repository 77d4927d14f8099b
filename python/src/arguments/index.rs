//! Index expressions: what is between the brackets of `x[...]`.

use super::Number;
use super::simple_index::{TakenItems, offset_along, offset_of_tuple, take_all};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::exchange;
use belvedere::{
    DType, Device, Error, Index, Layout, LayoutError, Shape, Slice, Tensor, TensorIndex,
};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PyList, PySlice, PyTuple};

/// An index expression that contains index arrays or masks.
pub(crate) struct AdvancedIndex<'py>(Vec<Entry<'py>>);

enum Entry<'py> {
    Plain(Index),
    Array(Bound<'py, ArrayObject>),
}

impl AdvancedIndex<'_> {
    /// The index expression of the core.
    pub(crate) fn list(&self) -> Vec<TensorIndex<'_>> {
        fn at<'a>(entry: &'a Entry<'_>) -> TensorIndex<'a> {
            match entry {
                Entry::Plain(index) => TensorIndex::from(*index),
                Entry::Array(array) => TensorIndex::from(array.get().tensor()),
            }
        }
        self.0.iter().map(at).collect()
    }

    /// Estimates the elements read: those of the index arrays and those that they select.
    pub(crate) fn work(&self, x: &Tensor) -> usize {
        let len = |it: &Entry<'_>| match it {
            Entry::Plain(_) => 1,
            Entry::Array(array) => array.get().tensor().len(),
        };
        let n_selected = self.0.iter().map(len).max().unwrap_or(1);
        let n_axes: usize = self.0.iter().map(Entry::n_axes).sum();
        let whole = x.layout().axes().iter().skip(n_axes).map(|axis| axis.len);
        whole.fold(n_selected, usize::saturating_mul)
    }
}

/// What is done with the elements that an index expression selects.
pub(crate) trait IndexAction<'py> {
    type Answer;

    /// The selection is a view, whose layout `change` returns.
    fn view(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Self::Answer>;

    /// The selection is a view without an ellipsis in its index: if it has no axes, integers select one element.
    fn view_or_element(
        self,
        change: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> PyResult<Self::Answer>;

    /// Integers select the element at an offset of the storage.
    fn element(self, offset: usize) -> PyResult<Self::Answer>;

    /// Index arrays or masks select the elements.
    fn advanced(self, index: AdvancedIndex<'py>) -> PyResult<Self::Answer>;
}

/// Returns the offset of the element that an integer for each axis selects. `None` for any other index, and if an integer is
/// out of range.
#[inline]
pub(crate) fn element_offset(layout: &Layout, index: &Bound<'_, PyAny>) -> Option<usize> {
    if let Ok(tuple) = index.cast_exact::<PyTuple>() {
        return offset_of_tuple(layout, tuple);
    }
    let [axis] = layout.axes() else { return None };
    if !index.is_exact_instance_of::<PyInt>() {
        return None;
    }
    let offset = offset_along(axis, index.extract().ok()?)?;
    Some((layout.start() as isize + offset) as usize)
}

/// Evaluates an index expression, and calls the action for what it selects.
#[inline(always)]
pub(crate) fn evaluate<'py, R: IndexAction<'py>>(
    x: &Tensor,
    index: &Bound<'py, PyAny>,
    action: R,
) -> PyResult<R::Answer> {
    let (layout, axes) = (x.layout(), x.layout().axes());
    // The fast paths: the most common expressions, without a list of entries.
    if let (Ok(slice), Some(axis)) = (index.cast_exact::<PySlice>(), axes.first()) {
        let it = slice.indices(axis.len as isize)?;
        let first = it.start as usize;
        return action.view(|layout| layout.stepped(0, first, it.slicelength, it.step));
    }
    if index.is_exact_instance_of::<PyInt>() && !axes.is_empty() {
        let at = position(index)?;
        return match axes {
            [axis] => match offset_along(axis, at) {
                Some(offset) => action.element((layout.start() as isize + offset) as usize),
                // It is out of range.
                None => action.view_or_element(|layout| layout.select(0, at)),
            },
            _ => action.view(|layout| layout.select(0, at)),
        };
    }
    if index.is_none() {
        return action.view(|layout| layout.unsqueeze(0));
    }
    if index.is_exact_instance_of::<PyEllipsis>() {
        return action.view(|layout| Ok(layout.clone()));
    }
    if let Ok(tuple) = index.cast_exact::<PyTuple>() {
        if let Some(offset) = offset_of_tuple(layout, tuple) {
            return action.element(offset);
        }
        let mut slicer = layout.slicer();
        match take_all(&mut slicer, tuple)? {
            TakenItems::All => return action.view_or_element(|_| slicer.finish()),
            TakenItems::AllWithEllipsis => return action.view(|_| slicer.finish()),
            TakenItems::Some => {}
        }
    }
    let len_of = |k: usize| axes.get(k).map_or(0, |axis| axis.len);
    let entries = entries(axes.len(), len_of, index)?;
    match as_plain(&entries) {
        Some(plain) if plain.contains(&Index::Ellipsis) => {
            action.view(|layout| layout.slice(&plain))
        }
        Some(plain) => action.view_or_element(|layout| layout.slice(&plain)),
        None => action.advanced(AdvancedIndex(entries)),
    }
}

/// Reads an index expression without arrays.
pub(crate) fn plain(shape: &[usize], index: &Bound<'_, PyAny>) -> PyResult<Vec<Index>> {
    let len_of = |k: usize| shape.get(k).copied().unwrap_or(0);
    as_plain(&entries(shape.len(), len_of, index)?).ok_or_else(|| {
        PyIndexError::new_err("a lens cannot be indexed by arrays; call to_array() first")
    })
}

fn as_plain(entries: &[Entry<'_>]) -> Option<Vec<Index>> {
    let plain = |it: &Entry<'_>| match it {
        Entry::Plain(index) => Some(*index),
        Entry::Array(_) => None,
    };
    entries.iter().map(plain).collect()
}

/// Converts an error of an index expression, or of an assignment to one, to an exception.
pub(crate) fn raise(error: Error) -> PyErr {
    match error {
        // Index arrays that do not broadcast are an `IndexError`; assigned values that do not are a `ValueError`.
        Error::Layout(LayoutError::DoesNotBroadcast { operand: Some(_), .. }) => {
            PyIndexError::new_err(error.to_string())
        }
        _ => crate::error::raise(error),
    }
}

/// Visits the items of a tuple, each with its position and the length of the axis that it indexes.
///
/// `read` returns the number of axes that an item indexes. A slice depends on the length of its axis, so items behind an
/// ellipsis are visited from the end. The length of an axis that does not exist is 0: the tensor reports the error.
fn visit_items<'py>(
    rank: usize,
    len_of: impl Fn(usize) -> usize,
    tuple: &Bound<'py, PyTuple>,
    mut read: impl FnMut(usize, &Bound<'py, PyAny>, usize) -> PyResult<usize>,
) -> PyResult<()> {
    let n = tuple.len();
    let (mut n_before, mut n_behind) = (0, 1);
    let mut place = 0;
    while place < n {
        let item = tuple.get_borrowed_item(place)?;
        n_before += read(place, &item, len_of(n_before))?;
        place += 1;
        if item.is_exact_instance_of::<PyEllipsis>() {
            break;
        }
    }
    for place in (place..n).rev() {
        let item = tuple.get_borrowed_item(place)?;
        let len = rank.checked_sub(n_behind).map_or(0, &len_of);
        n_behind += read(place, &item, len)?;
    }
    Ok(())
}

/// Reads the entries of an index expression.
fn entries<'py>(
    rank: usize,
    len_of: impl Fn(usize) -> usize,
    index: &Bound<'py, PyAny>,
) -> PyResult<Vec<Entry<'py>>> {
    let Ok(tuple) = index.cast::<PyTuple>() else {
        let entries = vec![entry(index, len_of(0))?];
        return with_empty_masks(rank, len_of, index.py(), entries);
    };
    let mut entries: Vec<Option<Entry<'py>>> = Vec::new();
    entries.resize_with(tuple.len(), || None);
    visit_items(rank, &len_of, tuple, |place, item, len| {
        let entry = entry(item, len)?;
        let n = entry.n_axes();
        entries[place] = Some(entry);
        Ok(n)
    })?;
    let entries: Vec<Entry<'py>> = entries.into_iter().flatten().collect();
    with_empty_masks(rank, len_of, index.py(), entries)
}

/// Replaces masks of length 0 by empty index arrays: the standard accepts such a mask for an axis of any length.
fn with_empty_masks<'py>(
    rank: usize,
    len_of: impl Fn(usize) -> usize,
    py: Python<'py>,
    entries: Vec<Entry<'py>>,
) -> PyResult<Vec<Entry<'py>>> {
    let n_axes: usize = entries.iter().map(Entry::n_axes).sum();
    let mut axis = 0;
    let mut list = Vec::with_capacity(entries.len());
    for entry in entries {
        let first = axis;
        axis += match &entry {
            Entry::Plain(Index::Ellipsis) => rank.saturating_sub(n_axes),
            entry => entry.n_axes(),
        };
        let Some(mask) = entry.empty_mask() else {
            list.push(entry);
            continue;
        };
        // The tensor reports an index with too many entries, and a mask of any other length.
        if axis > rank {
            list.push(entry);
            continue;
        }
        let pairs = || mask.iter().enumerate().map(|(k, &len)| (len, len_of(first + k)));
        let is_other = pairs().any(|(mask, len)| mask != len);
        if !is_other || pairs().any(|(mask, len)| mask != len && mask != 0) {
            list.push(entry);
            continue;
        }
        for _ in 0..mask.len() {
            let nothing = Tensor::zeros([0usize], DType::Int64).map_err(raise)?;
            list.push(Entry::Array(Array::from(nothing).object(py)?));
        }
    }
    Ok(list)
}

impl Entry<'_> {
    /// The shape, if the entry is a mask without elements.
    fn empty_mask(&self) -> Option<Shape> {
        match self {
            Entry::Array(array) => match array.get().tensor() {
                mask if mask.dtype().is_bool() && mask.is_empty() => Some(mask.shape()),
                _ => None,
            },
            Entry::Plain(_) => None,
        }
    }

    /// The number of axes that the entry indexes.
    fn n_axes(&self) -> usize {
        match self {
            Entry::Plain(index) => n_axes(index),
            Entry::Array(array) => match array.get().tensor() {
                mask if mask.dtype().is_bool() => mask.rank(),
                _ => 1,
            },
        }
    }
}

/// The number of axes that an entry indexes.
fn n_axes(entry: &Index) -> usize {
    match entry {
        Index::At(_) | Index::Slice(_) => 1,
        Index::NewAxis | Index::Ellipsis => 0,
    }
}

/// Reads an entry whose type is exactly one of Python's own.
fn plain_entry(item: &Bound<'_, PyAny>, len: usize) -> PyResult<Option<Index>> {
    if let Ok(slice) = item.cast_exact::<PySlice>() {
        return read_slice(slice, len).map(|it| Some(Index::Slice(it)));
    }
    if item.is_exact_instance_of::<PyInt>() {
        return position(item).map(|at| Some(Index::At(at)));
    }
    if item.is_none() {
        return Ok(Some(Index::NewAxis));
    }
    Ok(item.is_exact_instance_of::<PyEllipsis>().then_some(Index::Ellipsis))
}

/// Reads an entry; a slice is relative to an axis of length `len`.
fn entry<'py>(item: &Bound<'py, PyAny>, len: usize) -> PyResult<Entry<'py>> {
    if let Some(entry) = plain_entry(item, len)? {
        return Ok(Entry::Plain(entry));
    }
    if let Ok(truth) = item.cast::<PyBool>() {
        let mask = Array::from_number(Number::Bool(truth.is_true()))?;
        return mask.object(item.py()).map(Entry::Array);
    }
    if let Ok(array) = item.cast_exact::<ArrayObject>() {
        return array_entry(array.clone());
    }
    if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
        return list_entry(item);
    }
    match position(item) {
        Ok(at) => Ok(Entry::Plain(Index::At(at))),
        Err(error) if error.is_instance_of::<PyTypeError>(item.py()) => {
            array_entry(exchange::adopt(item).map_err(|_| invalid_index(item))?)
        }
        Err(error) => Err(error),
    }
}

/// Reads a slice; its bounds may be of any size.
#[inline]
fn read_slice(slice: &Bound<'_, PySlice>, len: usize) -> PyResult<Slice> {
    let it = slice.indices(len as isize)?;
    Ok(match (it.slicelength, it.step) {
        (0, step) => Slice { start: Some(0), stop: Some(0), step },
        // One before the first element, which as a negative integer would count from the end.
        (_, step) if it.stop < 0 => Slice { start: Some(it.start), stop: None, step },
        (_, step) => Slice { start: Some(it.start), stop: Some(it.stop), step },
    })
}

/// Reads an integer index through `__index__`.
pub(super) fn position(item: &Bound<'_, PyAny>) -> PyResult<isize> {
    item.extract::<isize>().map_err(|error| match error {
        error if error.is_instance_of::<PyOverflowError>(item.py()) => {
            PyIndexError::new_err(format!("index {item} is out of range for every axis"))
        }
        error => error,
    })
}

/// Returns an index expression of integers, slices, `None` and `...` as it is written, for events.
pub(crate) fn text(index: &Bound<'_, PyAny>) -> String {
    let plain = |item: &Bound<'_, PyAny>| item.str().map(|it| it.to_string()).unwrap_or_default();
    if let Ok(tuple) = index.cast_exact::<PyTuple>() {
        return tuple.iter().map(|item| text(&item)).collect::<Vec<_>>().join(", ");
    }
    if index.is_exact_instance_of::<PyEllipsis>() {
        return "...".to_string();
    }
    let Ok(slice) = index.cast_exact::<PySlice>() else { return plain(index) };
    let part = |name: &str| match slice.getattr(name) {
        Ok(number) if !number.is_none() => plain(&number),
        _ => String::new(),
    };
    match (part("start"), part("stop"), part("step")) {
        (start, stop, step) if step.is_empty() => format!("{start}:{stop}"),
        (start, stop, step) => format!("{start}:{stop}:{step}"),
    }
}

/// Reads an index array or a mask; a 0-d integer array is an integer, if it has memory.
fn array_entry(array: Bound<'_, ArrayObject>) -> PyResult<Entry<'_>> {
    let tensor = array.get().tensor();
    let dtype = tensor.dtype();
    let has_axes_or_no_memory = tensor.rank() > 0 || tensor.device() == Device::Meta;
    if dtype.is_bool() || (dtype.is_integer() && has_axes_or_no_memory) {
        return Ok(Entry::Array(array));
    }
    if dtype.is_integer() {
        let at = run(array.py(), 1, || tensor.astype(DType::Int64)?.item::<i64>())?;
        return Ok(Entry::Plain(Index::At(at as isize)));
    }
    Err(PyIndexError::new_err(format!(
        "index arrays must have an integer or bool dtype, got {dtype}"
    )))
}

/// Reads a list of integers or bools as an index array; an empty list selects nothing.
fn list_entry<'py>(item: &Bound<'py, PyAny>) -> PyResult<Entry<'py>> {
    let array = exchange::adopt(item)?;
    let tensor = array.get().tensor();
    if tensor.is_empty() && !tensor.dtype().is_integer() && !tensor.dtype().is_bool() {
        let empty = Tensor::zeros(&*tensor.shape(), DType::Int64).map_err(raise)?;
        return Array::from(empty).object(item.py()).map(Entry::Array);
    }
    array_entry(array)
}

fn invalid_index(item: &Bound<'_, PyAny>) -> PyErr {
    let name = item.get_type().name().map_or_else(|_| "this".to_string(), |it| it.to_string());
    PyIndexError::new_err(format!(
        "indices must be integers, slices, ellipsis, None, or integer or bool arrays, got {name}"
    ))
}

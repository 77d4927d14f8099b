//! Complex elements as pairs of real components.
//!
//! The tape counts offsets in components: gradients, leases, patches and shadows of a storage are of its real dtype. So the
//! real and the imaginary part of a complex tensor, and a real tensor that is reinterpreted as complex, are views like
//! all others, and their gradients are views of one gradient.

use belvedere::{Axis, DType, Error, Layout, Tensor};
use std::ops::Range;

/// Returns the number of components of an element.
pub(crate) const fn n_components(dtype: DType) -> usize {
    if dtype.is_complex() { 2 } else { 1 }
}

/// Returns whether elements of a dtype can have a gradient.
pub(crate) const fn is_differentiable(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex()
}

/// Returns the components of elements: those of a complex element are along a last axis of length 2.
///
/// # Errors
/// If a layout of complex elements has the maximal number of axes, or an offset overflows.
pub(crate) fn component_layout(layout: &Layout, dtype: DType) -> Result<Layout, Error> {
    match n_components(dtype) {
        1 => Ok(layout.clone()),
        n => Ok(layout.split_elements(n)?),
    }
}

/// Returns a range of elements as one of components.
pub(crate) fn component_span(span: Range<usize>, dtype: DType) -> Range<usize> {
    let n = n_components(dtype);
    span.start * n..span.end * n
}

/// Returns the smallest range that contains two others, of which an empty one counts as nothing.
pub(crate) fn union(a: Range<usize>, b: Range<usize>) -> Range<usize> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (false, true) => a,
        (false, false) => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// Returns the greatest offset up to `start` at which a complex element can begin.
pub(crate) const fn aligned(start: usize) -> usize {
    start & !1
}

/// Returns a layout with its offsets counted from `base`.
pub(crate) fn rebased(layout: &Layout, base: usize) -> Result<Layout, Error> {
    let axes: &[Axis] = layout.axes();
    // An empty layout starts at 0, wherever the base is.
    let start = if layout.is_empty() { 0 } else { layout.start() - base };
    Ok(Layout::new(start, axes)?)
}

/// Returns a view of consecutive components, of which the first has the offset `base`, which is aligned. `layout`
/// counts elements of `dtype`; the view is complex if that is.
pub(crate) fn view_components(
    components: &Tensor,
    base: usize,
    layout: &Layout,
    dtype: DType,
) -> Result<Tensor, Error> {
    let n = n_components(dtype);
    if n == 1 {
        return components.through(rebased(layout, base)?);
    }
    let whole = components.len() / n * n;
    components.narrow(0, 0, whole)?.bitcast(dtype)?.through(rebased(layout, base / n)?)
}

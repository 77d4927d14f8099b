//! Resolves an index with tensors to a view and the offsets to gather from it.

use super::tensor_index::{IndexEntry, TensorIndex};
use crate::kernel::gather_offsets::GatherOffsets;
use crate::op::execute::read_operands;
use crate::trace::Call;
use crate::{Error, Index, Layout, LayoutError, Shape, Slice, Tensor};
use belvedere_layout::broadcast_shapes;

/// The elements that an index selects.
pub(super) enum ResolvedIndex<'i> {
    /// Elements that form a view: the index contains no tensors.
    View(Tensor),
    /// The elements of a view at which a mask of the same shape is true.
    Masked(Tensor, &'i Tensor),
    /// Elements gathered from a view.
    Advanced(Box<AdvancedSelection>),
}

/// Elements gathered from a view of a tensor: advanced indexing.
pub(super) struct AdvancedSelection {
    /// The view to gather from: first the axes that `offsets` index, then those taken whole.
    pub part: Tensor,
    /// The gather offsets.
    pub offsets: GatherOffsets,
    /// The shape of the result.
    pub shape: Shape,
    /// The permutation of the axes of the result that puts those of `offsets` before those taken whole.
    pub order: Vec<isize>,
}

impl AdvancedSelection {
    /// Selects the elements of `part` at which `mask` is true.
    pub(super) fn of_mask(
        call: Call<'_>,
        part: Tensor,
        mask: &Tensor,
    ) -> Result<AdvancedSelection, Error> {
        let axes = part.layout().axes().to_vec();
        let offsets = read_operands(call.part(), &[mask.into()], |[view]| {
            GatherOffsets::of_mask(&view, &axes)
        })??;
        AdvancedSelection::new(part, offsets, 0)
    }

    /// Selects by offsets into the first axes of `part`. In the result, the axes of the offsets come after
    /// `n_before` of the axes taken whole.
    fn new(
        part: Tensor,
        offsets: GatherOffsets,
        n_before: usize,
    ) -> Result<AdvancedSelection, Error> {
        let whole = &part.shape()[offsets.axes().len()..];
        let (before, behind) = whole.split_at(n_before);
        let lens = before.iter().chain(&**offsets.shape()).chain(behind).copied();
        let shape: Shape = lens.collect();
        // Fail before anything is read if the result would be too large.
        Layout::row_major(&shape)?;
        let (n_before, n_offset_axes) = (n_before as isize, offsets.shape().len() as isize);
        let order = (n_before..n_before + n_offset_axes)
            .chain(0..n_before)
            .chain(n_before + n_offset_axes..shape.len() as isize);
        Ok(AdvancedSelection { part, offsets, order: order.collect(), shape })
    }

    /// Selects positions of axis `k`, separately for each lane along it.
    pub(super) fn along_axis(
        call: Call<'_>,
        part: Tensor,
        indices: &Tensor,
        k: usize,
    ) -> Result<AdvancedSelection, Error> {
        let axes = part.layout().axes().to_vec();
        let offsets = read_operands(call.part(), &[indices.into()], |[view]| {
            GatherOffsets::of_lanes(&view, &axes, k)
        })??;
        AdvancedSelection::new(part, offsets, 0)
    }

    /// Selects each position of `axis` as often as its count says.
    pub(super) fn repeated(
        call: Call<'_>,
        x: &Tensor,
        axis: usize,
        counts: &Tensor,
    ) -> Result<AdvancedSelection, Error> {
        let part = x.with_layout(x.layout().move_axis(axis as isize, 0)?);
        let along = part.layout().axes()[0];
        let offsets = read_operands(call.part(), &[counts.into()], |[view]| {
            GatherOffsets::repeated(&view, along)
        })??;
        AdvancedSelection::new(part, offsets, axis)
    }
}

/// A tensor in an index, and the axes it applies to.
struct TensorEntry<'i> {
    tensor: &'i Tensor,
    /// The first of these axes in the indexed tensor.
    axis: usize,
    /// The same axis in the view that the basic entries of the index select.
    view_axis: usize,
    /// The number of axes.
    n_axes: usize,
}

/// An index separated into its basic entries and its tensors.
struct ParsedIndex<'i> {
    /// The basic entries, with `..` for each axis that a tensor applies to.
    basic: Vec<Index>,
    entries: Vec<TensorEntry<'i>>,
    /// The number of axes of the result before those of the tensors.
    n_before: usize,
}

/// Resolves `index` for tensor `x`.
pub(super) fn resolve<'i>(
    call: Call<'_>,
    x: &Tensor,
    index: &'i [TensorIndex<'_>],
) -> Result<ResolvedIndex<'i>, Error> {
    let ParsedIndex { basic, entries, n_before } = parse_index(x.layout(), index)?;
    let view = x.layout().slice(&basic)?;
    if entries.is_empty() {
        return Ok(ResolvedIndex::View(x.with_layout(view)));
    }
    let is_indexed = |k: &isize| {
        entries.iter().any(|it| (it.view_axis..it.view_axis + it.n_axes).contains(&(*k as usize)))
    };
    let mut order: Vec<isize> = (0..view.rank() as isize).collect();
    order.sort_by_key(|k| !is_indexed(k));
    let part = x.with_layout(view.permute(&order)?);
    if let [only] = &entries[..]
        && only.tensor.dtype().is_bool()
        && only.n_axes == part.rank()
    {
        return Ok(ResolvedIndex::Masked(part, only.tensor));
    }
    let masks = mask_offsets(call, &entries, &part)?;
    let shape_of = |(it, mask): (&TensorEntry<'_>, &Option<GatherOffsets>)| match mask {
        Some(mask) => mask.shape().clone(),
        None => it.tensor.shape(),
    };
    let shapes: Vec<Shape> = entries.iter().zip(&masks).map(shape_of).collect();
    let shape = broadcast_shapes(&shapes.iter().map(|it| &**it).collect::<Vec<_>>())?;
    let offsets = match shape.contains(&0) {
        // As in NumPy, indices are not checked if nothing is selected, except for 0-d tensors.
        true => {
            let numbers = |it: &TensorEntry<'_>| it.tensor.rank() == 0;
            with_index_offsets(call, masks, &entries, &part, numbers)?;
            GatherOffsets::nothing(&part.layout().axes()[..n_indexed_axes(&entries)], shape)
        }
        false => {
            let all = with_index_offsets(call, masks, &entries, &part, |_| true)?;
            GatherOffsets::joined(all, &shape)?
        }
    };
    AdvancedSelection::new(part, offsets, n_before).map(|it| ResolvedIndex::Advanced(Box::new(it)))
}

/// Returns the number of axes that the tensors apply to.
fn n_indexed_axes(entries: &[TensorEntry<'_>]) -> usize {
    entries.iter().map(|it| it.n_axes).sum()
}

/// Returns the offsets of each mask among the tensors, and `None` for index tensors.
fn mask_offsets(
    call: Call<'_>,
    entries: &[TensorEntry<'_>],
    part: &Tensor,
) -> Result<Vec<Option<GatherOffsets>>, Error> {
    let mut k = 0;
    let mut masks = Vec::with_capacity(entries.len());
    for entry in entries {
        let axes = &part.layout().axes()[k..k + entry.n_axes];
        let mask = entry.tensor.dtype().is_bool().then_some(entry.tensor.into());
        let offsets = mask.map(|it| {
            read_operands(call.part(), &[it], |[view]| GatherOffsets::of_mask(&view, axes))
        });
        masks.push(offsets.transpose()?.transpose()?);
        k += entry.n_axes;
    }
    Ok(masks)
}

/// Returns the offsets of all masks, and those of the index tensors for which `counts` is true.
fn with_index_offsets(
    call: Call<'_>,
    masks: Vec<Option<GatherOffsets>>,
    entries: &[TensorEntry<'_>],
    part: &Tensor,
    counts: fn(&TensorEntry<'_>) -> bool,
) -> Result<Vec<GatherOffsets>, Error> {
    let mut k = 0;
    let mut offsets = Vec::with_capacity(entries.len());
    for (mask, entry) in masks.into_iter().zip(entries) {
        let axes = &part.layout().axes()[k..k + entry.n_axes];
        offsets.extend(match mask {
            Some(mask) => Some(mask),
            None if !counts(entry) => None,
            None => Some(read_operands(call.part(), &[entry.tensor.into()], |[view]| {
                GatherOffsets::of_index(&view, axes[0], entry.axis)
            })??),
        });
        k += entry.n_axes;
    }
    Ok(offsets)
}

/// Separates the tensors of an index from its basic entries.
fn parse_index<'i>(
    layout: &Layout,
    index: &'i [TensorIndex<'_>],
) -> Result<ParsedIndex<'i>, Error> {
    let entry_axes = |it: &TensorIndex<'_>| match &it.0 {
        IndexEntry::Basic(Index::At(_) | Index::Slice(_)) => 1,
        IndexEntry::Basic(_) => 0,
        entry => entry.tensor().map_or(0, n_axes_of),
    };
    let given = index.iter().map(entry_axes).fold(0usize, |sum, n| sum.saturating_add(n));
    let Some(n_whole) = layout.rank().checked_sub(given) else {
        return Err(LayoutError::IndexCount { given, rank: layout.rank() }.into());
    };
    let mut parsed = ParsedIndex { basic: Vec::new(), entries: Vec::new(), n_before: 0 };
    let mut position = AdvancedPosition::None;
    // The next axis of the tensor, of the view, and of the axes taken whole.
    let (mut axis, mut to, mut kept) = (0, 0, 0);
    for it in index {
        let n = entry_axes(it);
        match &it.0 {
            IndexEntry::Basic(entry) => {
                parsed.basic.push(*entry);
                let n_kept = match entry {
                    Index::At(_) => 0,
                    Index::Slice(_) | Index::NewAxis => 1,
                    Index::Ellipsis => n_whole,
                };
                match entry {
                    Index::At(_) => position.add(kept),
                    _ => position.end(),
                }
                axis += if matches!(entry, Index::Ellipsis) { n_whole } else { n };
                (to, kept) = (to + n_kept, kept + n_kept);
            }
            entry => {
                let tensor = entry.tensor().expect("all other entries are tensors");
                check_tensor(layout, axis, tensor)?;
                parsed.basic.extend(std::iter::repeat_n(Index::Slice(Slice::ALL), n));
                parsed.entries.push(TensorEntry { tensor, axis, view_axis: to, n_axes: n });
                position.add(kept);
                (axis, to) = (axis + n, to + n);
            }
        }
    }
    parsed.n_before = match position {
        AdvancedPosition::Adjacent(n) | AdvancedPosition::Ended(n) => n,
        AdvancedPosition::None | AdvancedPosition::Separated => 0,
    };
    Ok(parsed)
}

/// Where the tensors of an index are, and the single positions, which count as 0-d tensors.
#[derive(Clone, Copy)]
enum AdvancedPosition {
    None,
    /// After this number of axes taken whole, adjacent up to the last entry.
    Adjacent(usize),
    /// The same, followed by another entry.
    Ended(usize),
    /// Separated by another entry.
    Separated,
}

impl AdvancedPosition {
    /// Records a tensor or a position after `n_before` axes taken whole.
    fn add(&mut self, n_before: usize) {
        *self = match *self {
            AdvancedPosition::None => AdvancedPosition::Adjacent(n_before),
            AdvancedPosition::Adjacent(n) => AdvancedPosition::Adjacent(n),
            AdvancedPosition::Ended(_) | AdvancedPosition::Separated => AdvancedPosition::Separated,
        };
    }

    /// Records any other entry.
    fn end(&mut self) {
        if let AdvancedPosition::Adjacent(n) = *self {
            *self = AdvancedPosition::Ended(n);
        }
    }
}

/// Returns the number of axes that a tensor in an index applies to.
fn n_axes_of(tensor: &Tensor) -> usize {
    if tensor.dtype().is_bool() { tensor.rank() } else { 1 }
}

/// Checks the dtype of a tensor in an index, and the shape of a mask, at `axis`.
fn check_tensor(layout: &Layout, axis: usize, tensor: &Tensor) -> Result<(), Error> {
    let dtype = tensor.dtype();
    if !dtype.is_bool() {
        return match dtype.is_integer() {
            true => Ok(()),
            false => Err(Error::Unsupported { op: "index", dtype }),
        };
    }
    let lens = layout.axes()[axis..].iter().map(|axis| axis.len);
    for (k, (len, &given)) in lens.zip(&*tensor.shape()).enumerate() {
        if len != given {
            return Err(Error::MaskMismatch { axis: axis + k, len, given });
        }
    }
    Ok(())
}

//! Resolves an index with tensors to a view and the offsets to gather from it.

use super::tensor_index::{IndexEntry, TensorIndex};
use crate::kernel::gather_offsets::GatherOffsets;
use crate::kernel::mask::CountedMask;
use crate::op::execute::read_operands;
use crate::trace::Call;
use crate::{Axis, Error, Index, Layout, LayoutError, Shape, Slice, Tensor};
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
    pub offsets: SelectedOffsets,
    /// The shape of the result.
    pub shape: Shape,
    /// The permutation of the axes of the result that puts those of `offsets` before those taken whole.
    pub order: Vec<isize>,
}

/// The gather offsets of an index, as far as they are known.
pub(super) enum SelectedOffsets {
    Known(GatherOffsets),
    /// The indexed tensor or an index tensor has no memory: nothing is gathered, and only the number of indexed
    /// axes and the shape of the offsets count.
    Unknown {
        n_axes: usize,
        shape: Shape,
    },
}

impl SelectedOffsets {
    /// Returns the number of indexed axes.
    fn n_axes(&self) -> usize {
        match self {
            SelectedOffsets::Known(offsets) => offsets.axes().len(),
            SelectedOffsets::Unknown { n_axes, .. } => *n_axes,
        }
    }

    /// Returns the shape of the list of offsets.
    pub(super) fn shape(&self) -> &Shape {
        match self {
            SelectedOffsets::Known(offsets) => offsets.shape(),
            SelectedOffsets::Unknown { shape, .. } => shape,
        }
    }

    /// Returns the offsets for a kernel.
    ///
    /// # Panics
    /// If they are not known. No kernel runs then.
    pub(super) fn known(&self) -> &GatherOffsets {
        match self {
            SelectedOffsets::Known(offsets) => offsets,
            SelectedOffsets::Unknown { .. } => unreachable!("no kernel runs without memory"),
        }
    }
}

impl AdvancedSelection {
    /// Selects the elements of `part` at which `mask` is true.
    pub(super) fn of_mask(
        call: Call<'_>,
        part: Tensor,
        mask: &Tensor,
    ) -> Result<AdvancedSelection, Error> {
        let axes = part.layout().axes().to_vec();
        let offsets = match part.storage().is_meta() {
            true => {
                let shape = Shape::from([count_true(call, mask)?]);
                SelectedOffsets::Unknown { n_axes: axes.len(), shape }
            }
            false => {
                SelectedOffsets::Known(read_operands(call.part(), &[mask.into()], |[view]| {
                    GatherOffsets::of_mask(&view, &axes)
                })??)
            }
        };
        AdvancedSelection::new(part, offsets, 0)
    }

    /// Selects any number of elements of `part`, for a mask without memory: as many as there are.
    pub(super) fn of_any_mask(part: Tensor) -> Result<AdvancedSelection, Error> {
        let (n_axes, shape) = (part.rank(), Shape::from([part.len()]));
        AdvancedSelection::new(part, SelectedOffsets::Unknown { n_axes, shape }, 0)
    }

    /// Selects by offsets into the first axes of `part`. In the result, the axes of the offsets come after
    /// `n_before` of the axes taken whole.
    fn new(
        part: Tensor,
        offsets: SelectedOffsets,
        n_before: usize,
    ) -> Result<AdvancedSelection, Error> {
        let whole = &part.shape()[offsets.n_axes()..];
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

    /// Selects positions of axis `k`, separately for each lane along it. `indices` is broadcast to `shape`, which
    /// has the lengths of `part` in all other axes.
    pub(super) fn along_axis(
        call: Call<'_>,
        part: Tensor,
        indices: &Tensor,
        shape: Shape,
        k: usize,
    ) -> Result<AdvancedSelection, Error> {
        let axes = part.layout().axes().to_vec();
        let lanes = indices.with_layout(indices.layout().broadcast_to(&*shape)?);
        let offsets = if !has_memory([&part, indices]) {
            // Lanes without memory may be too many for a list of offsets: the indices are checked once for all.
            if !indices.storage().is_meta() && !shape.contains(&0) {
                read_operands(call.part(), &[indices.into()], |[view]| {
                    GatherOffsets::of_index(&view, axes[k], k).map(drop)
                })??;
            }
            SelectedOffsets::Unknown { n_axes: axes.len(), shape }
        } else {
            SelectedOffsets::Known(read_operands(call.part(), &[(&lanes).into()], |[view]| {
                GatherOffsets::of_lanes(&view, &axes, k)
            })??)
        };
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
        AdvancedSelection::new(part, SelectedOffsets::Known(offsets), axis)
    }
}

/// Returns whether all tensors have memory.
pub(super) fn has_memory(tensors: [&Tensor; 2]) -> bool {
    tensors.iter().all(|it| !it.storage().is_meta())
}

/// Returns the number of positions at which a mask is true. Those that a broadcast axis repeats are read once.
///
/// # Errors
/// If the mask has no memory.
pub(super) fn count_true(call: Call<'_>, mask: &Tensor) -> Result<usize, Error> {
    let is_repeated = |axis: &Axis| axis.stride == 0 && axis.len > 1;
    let axes = mask.layout().axes();
    let once =
        |axis: &Axis| Index::from(if is_repeated(axis) { Slice::from(..1) } else { Slice::ALL });
    let distinct = mask.layout().slice(&axes.iter().map(once).collect::<Vec<_>>())?;
    let distinct = mask.with_layout(distinct);
    let n = read_operands(call.part(), &[(&distinct).into()], |[view]| {
        CountedMask::count(&view).len()
    })?;
    let repeats = axes.iter().filter(|it| is_repeated(it)).map(|axis| axis.len);
    Ok(repeats.fold(n, usize::saturating_mul))
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
    let n_axes = n_indexed_axes(&entries);
    let offsets = match shape.contains(&0) {
        // As in NumPy, indices are not checked if nothing is selected, except for 0-d tensors.
        true => {
            let numbers = |it: &TensorEntry<'_>| it.tensor.rank() == 0;
            with_index_offsets(call, masks, &entries, &part, numbers)?;
            match entries.iter().all(|it| has_memory([&part, it.tensor])) {
                true => {
                    let axes = &part.layout().axes()[..n_axes];
                    SelectedOffsets::Known(GatherOffsets::nothing(axes, shape))
                }
                false => SelectedOffsets::Unknown { n_axes, shape },
            }
        }
        false => match with_index_offsets(call, masks, &entries, &part, |_| true)? {
            Some(all) if !part.storage().is_meta() => {
                SelectedOffsets::Known(GatherOffsets::joined(all, &shape)?)
            }
            _ => SelectedOffsets::Unknown { n_axes, shape },
        },
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

/// Returns the offsets of all masks, and those of the index tensors for which `counts` is true. `None` if one of
/// these has no memory; the others are checked.
fn with_index_offsets(
    call: Call<'_>,
    masks: Vec<Option<GatherOffsets>>,
    entries: &[TensorEntry<'_>],
    part: &Tensor,
    counts: fn(&TensorEntry<'_>) -> bool,
) -> Result<Option<Vec<GatherOffsets>>, Error> {
    let (mut k, mut is_known) = (0, true);
    let mut offsets = Vec::with_capacity(entries.len());
    for (mask, entry) in masks.into_iter().zip(entries) {
        let axes = &part.layout().axes()[k..k + entry.n_axes];
        offsets.extend(match mask {
            Some(mask) => Some(mask),
            None if !counts(entry) => None,
            None if entry.tensor.storage().is_meta() => {
                is_known = false;
                None
            }
            None => Some(read_operands(call.part(), &[entry.tensor.into()], |[view]| {
                GatherOffsets::of_index(&view, axes[0], entry.axis)
            })??),
        });
        k += entry.n_axes;
    }
    Ok(is_known.then_some(offsets))
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
    let is_ellipsis = |it: &&TensorIndex<'_>| matches!(it.0, IndexEntry::Basic(Index::Ellipsis));
    if index.iter().filter(is_ellipsis).count() > 1 {
        return Err(LayoutError::TwoEllipses.into());
    }
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

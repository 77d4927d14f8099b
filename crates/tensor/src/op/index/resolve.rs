//! What an index means for a tensor: a part of it, and places to pick.

use super::entry::{At, Entry};
use crate::kernel::picks::Picks;
use crate::view::{Input, read};
use crate::{Error, Index, Layout, LayoutError, Shape, Slice, Tensor};
use belvedere_layout::broadcast_shapes;

/// What an index leads to.
pub(super) enum Found<'i> {
    /// Elements that have strides.
    View(Tensor),
    /// The elements of a part at which a mask of the same shape is true.
    Masked(Tensor, &'i Tensor),
    /// Elements that are picked.
    Picked(Box<Picked>),
}

/// Elements that are picked of a part of a tensor.
pub(super) struct Picked {
    /// What is picked from: the axes that the picks go over, then those that are taken whole.
    pub part: Tensor,
    pub picks: Picks,
    /// The shape of what an index gives.
    pub shape: Shape,
    /// Its axes: those of the picks, then those that are taken whole.
    pub order: Vec<isize>,
}

impl Picked {
    /// The elements of a part at which a mask is true.
    pub(super) fn of_mask(part: Tensor, mask: &Tensor) -> Result<Picked, Error> {
        let axes = part.layout().axes().to_vec();
        let picks = read([Input::Tensor(mask)], |[view]| Picks::of_mask(&view, &axes))??;
        Picked::new(part, picks, 0)
    }

    /// Picks of the first axes of a part, whose axes should come behind `n_before` that are taken whole.
    fn new(part: Tensor, picks: Picks, n_before: usize) -> Result<Picked, Error> {
        let whole = &part.shape()[picks.axes().len()..];
        let (before, behind) = whole.split_at(n_before);
        let lens = before.iter().chain(&**picks.shape()).chain(behind).copied();
        let shape: Shape = lens.collect();
        // Whether there can be such a tensor is found out before anything is read.
        Layout::row_major(&shape)?;
        let (n_before, n_picks) = (n_before as isize, picks.shape().len() as isize);
        let order = (n_before..n_before + n_picks)
            .chain(0..n_before)
            .chain(n_before + n_picks..shape.len() as isize);
        Ok(Picked { part, picks, order: order.collect(), shape })
    }

    /// Positions of an axis, for each lane along it its own.
    pub(super) fn lanes(part: Tensor, indices: &Tensor, k: usize) -> Result<Picked, Error> {
        let axes = part.layout().axes().to_vec();
        let picks = read([Input::Tensor(indices)], |[view]| Picks::of_lanes(&view, &axes, k))??;
        Picked::new(part, picks, 0)
    }

    /// Each position of an axis as often as its count says.
    pub(super) fn repeated(x: &Tensor, axis: usize, counts: &Tensor) -> Result<Picked, Error> {
        let part = x.move_axis(axis as isize, 0)?;
        let along = part.layout().axes()[0];
        let picks = read([Input::Tensor(counts)], |[view]| Picks::repeated(&view, along))??;
        Picked::new(part, picks, axis)
    }
}

/// A tensor in an index.
struct Stop<'i> {
    tensor: &'i Tensor,
    /// The first axis it is for.
    axis: usize,
    /// The same axis in the part that the rest of the index takes.
    to: usize,
    /// For how many axes it is.
    n: usize,
}

/// An index, read from left to right.
struct Reading<'i> {
    /// The index without tensors: they take their axes whole.
    plain: Vec<Index>,
    stops: Vec<Stop<'i>>,
    /// Axes that are taken whole before the picked ones.
    n_before: usize,
}

/// Finds what an index leads to.
pub(super) fn find<'i>(x: &Tensor, index: &'i [At<'_>]) -> Result<Found<'i>, Error> {
    let Reading { plain, stops, n_before } = read_index(x.layout(), index)?;
    let view = x.slice(&plain)?;
    if stops.is_empty() {
        return Ok(Found::View(view));
    }
    let is_picked =
        |k: &isize| stops.iter().any(|it| (it.to..it.to + it.n).contains(&(*k as usize)));
    let mut order: Vec<isize> = (0..view.rank() as isize).collect();
    order.sort_by_key(|k| !is_picked(k));
    let part = view.permute_dims(&order)?;
    if let [only] = &stops[..]
        && only.tensor.dtype().is_bool()
        && only.n == part.rank()
    {
        return Ok(Found::Masked(part, only.tensor));
    }
    let masks = masks_of(&stops, &part)?;
    let own = |(it, mask): (&Stop<'_>, &Option<Picks>)| match mask {
        Some(mask) => mask.shape().clone(),
        None => it.tensor.shape(),
    };
    let shapes: Vec<Shape> = stops.iter().zip(&masks).map(own).collect();
    let shape = broadcast_shapes(&shapes.iter().map(|it| &**it).collect::<Vec<_>>())?;
    let picks = match shape.contains(&0) {
        // As in NumPy, what is not picked may lie anywhere; a lone number is always one that is.
        true => {
            let numbers = |it: &Stop<'_>| it.tensor.rank() == 0;
            with_indices(masks, &stops, &part, numbers)?;
            Picks::nothing(&part.layout().axes()[..n_picked(&stops)], shape)
        }
        false => Picks::joined(with_indices(masks, &stops, &part, |_| true)?, &shape)?,
    };
    Picked::new(part, picks, n_before).map(|it| Found::Picked(Box::new(it)))
}

fn n_picked(stops: &[Stop<'_>]) -> usize {
    stops.iter().map(|it| it.n).sum()
}

/// The picks of the masks among some tensors.
fn masks_of(stops: &[Stop<'_>], part: &Tensor) -> Result<Vec<Option<Picks>>, Error> {
    let mut k = 0;
    let mut masks = Vec::with_capacity(stops.len());
    for stop in stops {
        let axes = &part.layout().axes()[k..k + stop.n];
        let mask = stop.tensor.dtype().is_bool().then_some(Input::Tensor(stop.tensor));
        let picks = mask.map(|it| read([it], |[view]| Picks::of_mask(&view, axes)));
        masks.push(picks.transpose()?.transpose()?);
        k += stop.n;
    }
    Ok(masks)
}

/// Picks of masks, and those of the integers between them that count.
fn with_indices(
    masks: Vec<Option<Picks>>,
    stops: &[Stop<'_>],
    part: &Tensor,
    counts: fn(&Stop<'_>) -> bool,
) -> Result<Vec<Picks>, Error> {
    let mut k = 0;
    let mut picks = Vec::with_capacity(stops.len());
    for (mask, stop) in masks.into_iter().zip(stops) {
        let axes = &part.layout().axes()[k..k + stop.n];
        picks.extend(match mask {
            Some(mask) => Some(mask),
            None if !counts(stop) => None,
            None => Some(read([Input::Tensor(stop.tensor)], |[view]| {
                Picks::of_index(&view, axes[0], stop.axis)
            })??),
        });
        k += stop.n;
    }
    Ok(picks)
}

/// Tells tensors from the rest of an index.
fn read_index<'i>(layout: &Layout, index: &'i [At<'_>]) -> Result<Reading<'i>, Error> {
    let n_axes = |it: &At<'_>| match &it.0 {
        Entry::Plain(Index::At(_) | Index::Slice(_)) => 1,
        Entry::Plain(_) => 0,
        entry => entry.tensor().map_or(0, n_axes_of),
    };
    let given = index.iter().map(n_axes).fold(0usize, |sum, n| sum.saturating_add(n));
    let Some(n_whole) = layout.rank().checked_sub(given) else {
        return Err(LayoutError::IndexCount { given, rank: layout.rank() }.into());
    };
    let mut reading = Reading { plain: Vec::new(), stops: Vec::new(), n_before: 0 };
    let mut places = Places::Nowhere;
    // The axis that comes next, here, in the part, and among those that are taken whole.
    let (mut axis, mut to, mut kept) = (0, 0, 0);
    for it in index {
        let n = n_axes(it);
        match &it.0 {
            Entry::Plain(entry) => {
                reading.plain.push(*entry);
                let n_kept = match entry {
                    Index::At(_) => 0,
                    Index::Slice(_) | Index::NewAxis => 1,
                    Index::Ellipsis => n_whole,
                };
                match entry {
                    Index::At(_) => places.pick(kept),
                    _ => places.pass(),
                }
                axis += if matches!(entry, Index::Ellipsis) { n_whole } else { n };
                (to, kept) = (to + n_kept, kept + n_kept);
            }
            entry => {
                let tensor = entry.tensor().expect("all others are tensors");
                check_tensor(layout, axis, tensor)?;
                reading.plain.extend(std::iter::repeat_n(Index::Slice(Slice::ALL), n));
                reading.stops.push(Stop { tensor, axis, to, n });
                places.pick(kept);
                (axis, to) = (axis + n, to + n);
            }
        }
    }
    reading.n_before = match places {
        Places::Together(n) | Places::Passed(n) => n,
        Places::Nowhere | Places::Apart => 0,
    };
    Ok(reading)
}

/// Where an index picks positions: by tensors, or by numbers beside them.
#[derive(Clone, Copy)]
enum Places {
    Nowhere,
    /// Behind so many axes that are taken whole, and the last entry was one.
    Together(usize),
    /// The same, and something else followed.
    Passed(usize),
    /// With something else in between.
    Apart,
}

impl Places {
    fn pick(&mut self, n_before: usize) {
        *self = match *self {
            Places::Nowhere => Places::Together(n_before),
            Places::Together(n) => Places::Together(n),
            Places::Passed(_) | Places::Apart => Places::Apart,
        };
    }

    fn pass(&mut self) {
        if let Places::Together(n) = *self {
            *self = Places::Passed(n);
        }
    }
}

/// For how many axes a tensor in an index is.
fn n_axes_of(tensor: &Tensor) -> usize {
    if tensor.dtype().is_bool() { tensor.rank() } else { 1 }
}

/// Whether a tensor may stand in an index, at an axis.
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

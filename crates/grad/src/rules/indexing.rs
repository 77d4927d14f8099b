//! Gathers and scatters. The gradient of a gather is a scatter-add into the gradient of its operand, and that of a
//! scatter is a gather; sums of weights by `bincount` are scatters.

use super::{OldContents, Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{DType, Error, Tensor, TensorIndex, where_};

/// Which elements of a tensor an operation selects.
enum Selected {
    /// `take`, `put`.
    Axis(Tensor, isize),
    /// `take_along_axis`, `put_along_axis`.
    Along(Tensor, isize),
    /// `gather`, `scatter`: the other axes may be longer than those of the indices.
    Gathered(Tensor, isize),
    /// An index with tensors and masks.
    Index(Vec<TensorIndex<'static>>),
}

impl Selected {
    /// Returns the selection of an operation whose index tensors are its inputs from `first` on.
    fn new(p: &mut Pullback<'_>, first: usize, kind: SelectedBy) -> Result<Selected, Error> {
        let axis = p.int("axis").unwrap_or(0);
        Ok(match kind {
            SelectedBy::Axis => Selected::Axis(p.input(first)?, axis),
            SelectedBy::Along => Selected::Along(p.input(first)?, axis),
            SelectedBy::Gathered => Selected::Gathered(p.input(first)?, axis),
            SelectedBy::Rows => Selected::Axis(p.input(first)?, 0),
            SelectedBy::Mask => Selected::Index(vec![p.input(first)?.into()]),
            SelectedBy::MaskOfAxis => {
                let axis = axis.rem_euclid(p.selected_rank() as isize) as usize;
                let mut index: Vec<TensorIndex<'static>> = vec![(..).into(); axis];
                index.push(p.input(first)?.into());
                Selected::Index(index)
            }
            SelectedBy::Index => {
                let mut index: Vec<TensorIndex<'static>> =
                    p.index("index").unwrap_or_default().into_iter().map(Into::into).collect();
                for (n, at) in p.ints("tensors").unwrap_or_default().into_iter().enumerate() {
                    index[at as usize] = p.input(first + n)?.into();
                }
                Selected::Index(index)
            }
        })
    }

    /// Returns the selected elements of a tensor.
    fn read(&self, x: &Tensor) -> Result<Tensor, Error> {
        match self {
            Selected::Axis(indices, axis) => x.take(indices, *axis),
            Selected::Along(indices, axis) => x.take_along_axis(indices, *axis),
            Selected::Gathered(indices, axis) => x.gather(*axis, indices),
            Selected::Index(index) => x.index(index),
        }
    }

    /// Writes values to the selected elements.
    fn write(&self, x: &Tensor, values: &Tensor) -> Result<(), Error> {
        match self {
            Selected::Axis(indices, axis) => x.put(indices, *axis, values),
            Selected::Along(indices, axis) => x.put_along_axis(indices, *axis, values),
            Selected::Gathered(indices, axis) => x.scatter(*axis, indices, values),
            Selected::Index(index) => x.index_assign(index, values),
        }
    }

    /// Adds values to the selected elements, as often as they are selected.
    fn add(&self, x: &Tensor, values: &Tensor) -> Result<(), Error> {
        match self {
            Selected::Axis(indices, axis) => x.put_add(indices, *axis, values),
            Selected::Along(indices, axis) => x.add_along_axis(indices, *axis, values),
            Selected::Gathered(indices, axis) => x.scatter_add(*axis, indices, values),
            Selected::Index(index) => x.index_add_assign(index, values),
        }
    }
}

/// How the inputs and parameters of an operation select elements.
#[derive(Clone, Copy)]
enum SelectedBy {
    Axis,
    Along,
    Gathered,
    Rows,
    Mask,
    MaskOfAxis,
    Index,
}

/// A gather: input 0 is read, the others are the index.
fn gather(p: &mut Pullback<'_>, by: SelectedBy) -> Result<(), Error> {
    if !p.needs(0) {
        return Ok(());
    }
    let (g, selected) = (p.g(), Selected::new(p, 1, by)?);
    match selected {
        // Broadcasts its operand to the indices.
        Selected::Along(indices, axis) => {
            let own = p.shape(0);
            p.add_in_place(0, move |x| add_along(x, &own, &indices, axis, &g));
        }
        selected => p.add_in_place(0, move |x| selected.add(x, &g)),
    }
    Ok(())
}

/// Adds the gradient of `take_along_axis`, whose operand and indices are broadcast to each other outside of the axis.
fn add_along(
    gradient: &Tensor,
    own: &[usize],
    indices: &Tensor,
    axis: isize,
    g: &Tensor,
) -> Result<(), Error> {
    let k = axis.rem_euclid(g.rank() as isize) as usize;
    let mut wide = g.shape().to_vec();
    wide[k] = own[k];
    let indices = indices.broadcast_to(&*g.shape())?;
    let sums = Tensor::zeros(&wide, g.dtype())?;
    sums.add_along_axis(&indices, axis, g)?;
    gradient.add_assign(&sums.sum_to_shape(own)?)
}

/// A scatter that overwrites: the last of several writes to one element counts.
fn scatter(p: &mut Pullback<'_>, by: SelectedBy) -> Result<(), Error> {
    let (g, values) = (p.g(), p.n_inputs() - 1);
    let selected = Selected::new(p, 0, by)?;
    if p.needs(values) {
        let read = selected.read(&g)?;
        // Each element remembers which of the values it has.
        let n = read.len() as i128;
        let numbers = Tensor::arange_integers(0, n, 1, DType::Int64)?.reshape(&*read.shape())?;
        let owners = Tensor::zeros(g.shape(), DType::Int64)?;
        selected.write(&owners, &numbers)?;
        let is_last = selected.read(&owners)?.equal(&numbers)?;
        let read = where_(&is_last, &read, 0.0)?;
        p.add(values, leading(p, values, &read)?);
    }
    p.add_to_old(without(&g, &selected)?);
    Ok(())
}

/// A scatter that adds.
fn scatter_add(p: &mut Pullback<'_>, by: SelectedBy) -> Result<(), Error> {
    let (g, values) = (p.g(), p.n_inputs() - 1);
    let selected = Selected::new(p, 1, by)?;
    if p.needs(values) {
        let read = selected.read(&g)?;
        p.add(values, leading(p, values, &read)?);
    }
    // The output is input 0 as well. An operation that was not recorded has written constants.
    match p.needs(0) {
        true => p.add(0, g),
        false => p.add_to_old(without(&g, &selected)?),
    }
    Ok(())
}

/// Returns a gradient with zeros at the selected elements.
fn without(g: &Tensor, selected: &Selected) -> Result<Tensor, Error> {
    let rest = g.copy()?;
    let zero = Tensor::zeros([0usize; 0], g.dtype())?;
    match selected {
        Selected::Gathered(indices, _) => {
            selected.write(&rest, &zero.broadcast_to(indices.shape())?)?
        }
        _ => selected.write(&rest, &zero)?,
    }
    Ok(rest)
}

/// Pads the gradient of values of which a scatter uses the leading part only.
fn leading(p: &Pullback<'_>, values: usize, read: &Tensor) -> Result<Tensor, Error> {
    let shape = p.shape(values);
    let is_longer =
        shape.len() == read.rank() && shape.iter().zip(read.shape().iter()).any(|(a, b)| a > b);
    if !is_longer {
        return Ok(read.clone());
    }
    let all = Tensor::zeros(&*shape, read.dtype())?;
    let index: Vec<belvedere::Index> =
        read.shape().iter().map(|&n| (..n as isize).into()).collect();
    all.assign(&index, read)?;
    Ok(all)
}

const fn reads(pull: fn(&mut Pullback<'_>) -> Result<(), Error>) -> Rule {
    Rule::general(Saves::From(1), pull).complex()
}

/// The inputs are the index and the values.
const fn writes(pull: fn(&mut Pullback<'_>) -> Result<(), Error>) -> Rule {
    Rule::general(Saves::AllButLast, pull).with_old(OldContents::Kept).complex()
}

/// The inputs are the output itself, the index and the values.
const fn adds(pull: fn(&mut Pullback<'_>) -> Result<(), Error>) -> Rule {
    Rule::general(Saves::Inner, pull).with_old(OldContents::Kept).passing_first().complex()
}

pub(super) const RULES: Rules = &[
    ("take", reads(|p| gather(p, SelectedBy::Axis))),
    ("embedding", reads(|p| gather(p, SelectedBy::Rows))),
    ("take_along_axis", reads(|p| gather(p, SelectedBy::Along))),
    ("gather", reads(|p| gather(p, SelectedBy::Gathered))),
    ("masked_select", reads(|p| gather(p, SelectedBy::Mask))),
    ("compress", reads(|p| gather(p, SelectedBy::MaskOfAxis))),
    ("index", reads(|p| gather(p, SelectedBy::Index))),
    ("put", writes(|p| scatter(p, SelectedBy::Axis))),
    ("put_along_axis", writes(|p| scatter(p, SelectedBy::Along))),
    ("scatter", writes(|p| scatter(p, SelectedBy::Gathered))),
    ("compress_assign", writes(|p| scatter(p, SelectedBy::MaskOfAxis))),
    ("index_assign", writes(|p| scatter(p, SelectedBy::Index))),
    ("masked_assign", writes(masked_assign)),
    ("bincount", Rule::general(Saves::Only(0), bincount)),
    ("put_add", adds(|p| scatter_add(p, SelectedBy::Axis))),
    ("add_along_axis", adds(|p| scatter_add(p, SelectedBy::Along))),
    ("scatter_add", adds(|p| scatter_add(p, SelectedBy::Gathered))),
    ("index_add_assign", adds(|p| scatter_add(p, SelectedBy::Index))),
];

/// Each weight belongs to the sum that its integer selects.
fn bincount(p: &mut Pullback<'_>) -> Result<(), Error> {
    if p.needs(1) {
        let contribution = p.g().take(&p.input(0)?.astype(DType::Int64)?, 0)?;
        p.add(1, contribution);
    }
    Ok(())
}

/// `masked_assign` of a number selects between it and the element: three inputs, the last of which is the output.
fn masked_assign(p: &mut Pullback<'_>) -> Result<(), Error> {
    if p.n_inputs() == 2 {
        return scatter(p, SelectedBy::Mask);
    }
    let contribution = where_(&p.input(0)?, 0.0, &p.g())?;
    match p.needs(2) {
        true => p.add(2, contribution),
        false => p.add_to_old(contribution),
    }
    Ok(())
}

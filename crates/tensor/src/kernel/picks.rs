//! Which elements an index takes, as offsets.
//!
//! Whatever an index is made of, integers of several types and masks, it comes down to this: for each
//! position of a shape, how far along some axes of a tensor to go. That is a list of offsets, made
//! once, with every bound checked on the way; what reads or writes the elements knows nothing else.

use super::mask::Trues;
use super::nest::Nest;
use crate::dtype::{Comparable, Integer, IntegerTask, Number};
use crate::plan::Loop;
use crate::view::AnyView;
use crate::{Axis, Element, Error, Layout, LayoutError, Shape, pool};
use std::sync::atomic::{AtomicBool, Ordering};

/// Places along some axes of a tensor, one for each position of a shape.
pub(crate) struct Picks {
    /// The axes that are picked from.
    axes: Vec<Axis>,
    /// Positions for which there is a place.
    shape: Shape,
    /// The places in the order of the positions. Invariant: each is the sum of `i · stride` over the
    /// axes, where `i` is a position of the axis.
    offsets: Vec<isize>,
    /// Invariant: if set, no place is there twice.
    is_unique: bool,
}

impl Picks {
    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(super) fn offsets(&self) -> &[isize] {
        &self.offsets
    }

    pub(super) fn is_unique(&self) -> bool {
        self.is_unique
    }

    /// No place at all, for a shape without positions; if it has some, this panics.
    pub(crate) fn nothing(axes: &[Axis], shape: Shape) -> Picks {
        assert!(shape.contains(&0), "a shape without positions");
        Picks { axes: axes.to_vec(), shape, offsets: Vec::new(), is_unique: true }
    }

    /// Positions of an axis, given by integers; negative ones count from the end. The axis is named
    /// `number` in errors.
    ///
    /// # Errors
    /// If a position does not exist, the elements are no integers, or there is not enough memory.
    pub(crate) fn of_index(index: &AnyView<'_>, axis: Axis, number: usize) -> Result<Picks, Error> {
        let still = vec![0; index.layout().rank()];
        let offsets = resolved(index, axis, number, &still)?;
        let shape = index.layout().shape();
        Ok(Picks { axes: vec![axis], shape, offsets, is_unique: false })
    }

    /// Positions of axis `k`, given by integers for each lane along it. Of the other axes there are as
    /// many positions as the index has; if not, this panics.
    ///
    /// # Errors
    /// As for [`Picks::of_index`].
    pub(crate) fn of_lanes(index: &AnyView<'_>, axes: &[Axis], k: usize) -> Result<Picks, Error> {
        let shape = index.layout().shape();
        let is_same = |i: usize| i == k || axes[i].len == shape[i];
        assert!(axes.len() == shape.len() && (0..axes.len()).all(is_same), "lanes of these axes");
        let mut beside: Vec<isize> = axes.iter().map(|axis| axis.stride).collect();
        beside[k] = 0;
        let offsets = resolved(index, axes[k], k, &beside)?;
        Ok(Picks { axes: axes.to_vec(), shape, offsets, is_unique: false })
    }

    /// The positions at which a mask over some axes is true, in logical order. Its lengths are those of
    /// the axes; if not, this panics.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn of_mask(mask: &AnyView<'_>, axes: &[Axis]) -> Result<Picks, Error> {
        let lens = mask.layout().axes().iter().map(|axis| axis.len);
        assert!(lens.eq(axes.iter().map(|axis| axis.len)), "a mask over these axes");
        let trues = Trues::count(mask);
        let mut offsets = reserved(trues.len())?;
        let list = List(offsets.as_mut_ptr());
        let strides: Vec<isize> = axes.iter().map(|axis| axis.stride).collect();
        trues.find(0, &strides, &|hits| {
            for (i, offset) in hits.offsets().enumerate() {
                // SAFETY: there is room for as many as there are, and each has a place of its own.
                unsafe { list.at(hits.before + i).write(offset) };
            }
        });
        // SAFETY: so many were reserved, and all of them were found.
        unsafe { offsets.set_len(trues.len()) };
        let shape = Shape::from([trues.len()]);
        Ok(Picks { axes: axes.to_vec(), shape, offsets, is_unique: true })
    }

    /// Each position of an axis as often as its count says. There is one count for each, or one for all.
    ///
    /// # Errors
    /// If there are not as many counts as positions, one is negative, they are no integers, or there is
    /// not enough memory.
    pub(crate) fn repeated(counts: &AnyView<'_>, axis: Axis) -> Result<Picks, Error> {
        let (dtype, n_counts) = (counts.dtype(), counts.layout().len());
        if n_counts != axis.len && n_counts != 1 {
            let (given, needed) = (n_counts, axis.len);
            return Err(LayoutError::ArgumentCount { what: "counts", given, needed }.into());
        }
        // As many as there are positions, which may be more than any memory holds.
        reserved(n_counts)?;
        let counts = dtype.with_integer(List64(counts));
        let counts = counts.ok_or(Error::Unsupported { op: "repeat", dtype })??;
        if let Some(&count) = counts.iter().find(|&&count| count < 0) {
            let needs = "non-negative counts";
            return Err(Error::Argument { op: "repeat", needs, given: count as f64 });
        }
        let total = match counts[..] {
            [one] => (one as usize).checked_mul(axis.len),
            _ => counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count as usize)),
        };
        let total = total.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let mut offsets = reserved(total)?;
        // Nobody goes through the positions if none of them is taken.
        let n_walked = if total == 0 { 0 } else { axis.len };
        for (i, &count) in counts.iter().cycle().take(n_walked).enumerate() {
            offsets.extend(std::iter::repeat_n(i as isize * axis.stride, count as usize));
        }
        Ok(Picks { axes: vec![axis], shape: Shape::from([total]), offsets, is_unique: false })
    }

    /// Places along the axes of all parts, which are broadcast to a shape. That must be possible; if
    /// it is not, this panics.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn joined(mut parts: Vec<Picks>, shape: &Shape) -> Result<Picks, Error> {
        if parts.len() == 1 && parts[0].shape == *shape {
            return Ok(parts.remove(0));
        }
        let n = shape.iter().product();
        let mut offsets = reserved(n)?;
        offsets.resize(n, 0);
        let list = List(offsets.as_mut_ptr());
        for part in &parts {
            let own = Layout::row_major(&part.shape)?;
            let own = own.broadcast_to(&**shape).expect("the shapes were broadcast");
            let nest = beside(own.start() as isize, own.axes());
            let n = nest.n_pieces(1);
            pool::run(n, &|i| {
                nest.piece(i, n).runs(&mut |[to, from], run| {
                    for i in 0..run.len as isize {
                        let from = part.offsets[(from + i * run.steps[1]) as usize];
                        // SAFETY: a position of the shape, and no other piece has it.
                        unsafe { *list.at((to + i * run.steps[0]) as usize) += from };
                    }
                });
            });
        }
        let axes = parts.iter().flat_map(|part| part.axes.iter().copied()).collect();
        Ok(Picks { axes, shape: shape.clone(), offsets, is_unique: false })
    }
}

/// The places that integers mean along an axis, and how far strides lead beside it.
fn resolved(
    index: &AnyView<'_>,
    axis: Axis,
    number: usize,
    beside: &[isize],
) -> Result<Vec<isize>, Error> {
    let layout = index.layout();
    let mut offsets = reserved(layout.len())?;
    let mut stride = 1isize;
    let mut loops = Vec::with_capacity(layout.rank());
    for (axis, &beside) in layout.axes().iter().zip(beside).rev() {
        loops.push(Loop { len: axis.len, steps: [stride, axis.stride, beside] });
        stride = stride.wrapping_mul(axis.len as isize);
    }
    let nest = Nest::new([0, layout.start() as isize, 0], loops.into_iter().rev()).sorted();
    let task = Resolve { index, nest, axis, number, list: List(offsets.as_mut_ptr()) };
    let dtype = index.dtype();
    dtype.with_integer(task).ok_or(Error::Unsupported { op: "index", dtype })??;
    // SAFETY: so many were reserved, and the task has written all of them.
    unsafe { offsets.set_len(layout.len()) };
    Ok(offsets)
}

/// Memory for so many offsets.
fn reserved(n: usize) -> Result<Vec<isize>, Error> {
    let mut offsets = Vec::new();
    let bytes = n.saturating_mul(size_of::<isize>());
    offsets.try_reserve_exact(n).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(offsets)
}

/// Loops over the positions of a shape in row-major order, and over other axes beside them.
fn beside(start: isize, axes: &[Axis]) -> Nest<2> {
    let mut stride = 1isize;
    let mut loops: Vec<Loop<2>> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        loops.push(Loop { len: axis.len, steps: [stride, axis.stride] });
        stride = stride.wrapping_mul(axis.len as isize);
    }
    Nest::new([0, start], loops.into_iter().rev())
}

/// A list that several threads write to, each to places of its own.
#[derive(Clone, Copy)]
struct List(*mut isize);

// SAFETY: whoever writes to it says why nobody else writes to the same place.
unsafe impl Sync for List {}

impl List {
    /// # Safety
    /// The list must have such a place.
    unsafe fn at(&self, i: usize) -> *mut isize {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(i) }
    }
}

/// Lists integers of any type. Those beyond `i64` are negative then, and refused as such.
struct List64<'a, 'v>(&'a AnyView<'v>);

impl IntegerTask for List64<'_, '_> {
    type Output = Result<Vec<i64>, Error>;

    fn run<T: Element<Wide: Integer>>(self) -> Result<Vec<i64>, Error> {
        Ok(self.0.typed::<T>()?.iter().map(|value| value.cast::<i64>()).collect())
    }
}

/// Writes the places that integers mean.
struct Resolve<'a, 'v> {
    index: &'a AnyView<'v>,
    /// Over the list, the index, and offsets beside it.
    nest: Nest<3>,
    axis: Axis,
    number: usize,
    list: List,
}

impl IntegerTask for Resolve<'_, '_> {
    type Output = Result<(), Error>;

    fn run<T: Element<Wide: Integer>>(self) -> Result<(), Error> {
        let is_outside = AtomicBool::new(false);
        let (len, stride) = (self.axis.len, self.axis.stride);
        let (list, index) = (self.list, self.index);
        let n = self.nest.n_pieces(1);
        pool::run(n, &|i| {
            let mut all_inside = true;
            self.nest.piece(i, n).runs(&mut |[to, from, beside], run| {
                // In registers, which the list does not share.
                let (len, stride, mut inside) = (len, stride, true);
                // SAFETY: the nest was made from the layout of the index, which is borrowed for
                // reading, and the list has a place for each of its positions, which no other piece
                // writes to.
                unsafe {
                    let from = index.ptr().as_ptr().cast::<T>().offset(from);
                    let to = list.at(to as usize);
                    for i in 0..run.len as isize {
                        // Once and not again: others may write to the index meanwhile, and what was
                        // compared with the length has to be what is kept.
                        let place = position(from.offset(i * run.steps[1]).read(), len);
                        inside &= place < len;
                        let place = (place as isize).wrapping_mul(stride);
                        let beside = beside + i * run.steps[2];
                        to.offset(i * run.steps[0]).write(place.wrapping_add(beside));
                    }
                }
                all_inside &= inside;
            });
            if !all_inside {
                is_outside.store(true, Ordering::Relaxed);
            }
        });
        match is_outside.into_inner() {
            true => Err(self.first_outside::<T>()),
            false => Ok(()),
        }
    }
}

impl Resolve<'_, '_> {
    /// The error for the first position that does not exist.
    #[cold]
    fn first_outside<T: Element<Wide: Integer>>(&self) -> Error {
        let view = match self.index.typed::<T>() {
            Ok(view) => view,
            Err(error) => return error,
        };
        let (axis, len) = (self.number, self.axis.len);
        let mut values = view.iter().enumerate();
        // If none is outside any more, somebody has written to them meanwhile; one was.
        let found = values.find(|&(_, value)| position(value, len) >= len);
        let Some((flat, value)) = found.or_else(|| view.iter().enumerate().next()) else {
            unreachable!("where nothing is, nothing is outside")
        };
        let value = match is_signed::<T>() {
            true => value.cast::<i64>() as i128,
            false => value.cast::<u64>() as i128,
        };
        let mut position = vec![0; view.layout().rank()];
        let mut rest = flat;
        for (at, axis) in position.iter_mut().zip(view.layout().axes()).rev() {
            *at = rest % axis.len;
            rest /= axis.len;
        }
        Error::IndexOutOfRange { value, position: position.into(), axis, len }
    }
}

fn is_signed<T: Element<Wide: Integer>>() -> bool {
    T::Wide::LOWEST < T::Wide::ZERO
}

/// The position that an integer means on an axis of a length; if there is none, some number that is
/// not less than the length.
#[inline(always)]
fn position<T: Element<Wide: Integer>>(value: T, len: usize) -> usize {
    let value = value.cast::<i64>();
    // Unsigned numbers beyond the signed ones stay beyond every length.
    let from_end = is_signed::<T>() && value < 0;
    (if from_end { value.wrapping_add(len as i64) } else { value }) as usize
}

//! Gather offsets: which elements an index selects.
//!
//! An index may consist of integer tensors of several dtypes and of masks. All of them are resolved to a
//! list: for each position of a shape, an offset along some axes of a tensor. The list of offsets is made
//! once, with every bound checked; the kernels that read or write the elements know nothing else.

use super::mask::CountedMask;
use crate::dtype::{Comparable, Integer, IntegerTask, Number};
use crate::plan::{Loop, LoopNest, row_major_steps};
use crate::sync_ptr::SyncPtr;
use crate::tensor::reserve;
use crate::view::AnyView;
use crate::{Axis, Element, Error, Layout, LayoutError, Shape, pool};
use std::sync::atomic::{AtomicBool, Ordering};

/// Offsets along some axes of a tensor, one for each position of a shape.
pub(crate) struct GatherOffsets {
    /// The indexed axes.
    axes: Vec<Axis>,
    /// The shape of the list.
    shape: Shape,
    /// The offsets in row-major order. Invariant: each is the sum of `i · stride` over the axes, where `i` is
    /// a valid index of the axis.
    offsets: Vec<isize>,
    /// Invariant: if set, no offset is listed twice.
    is_unique: bool,
}

impl GatherOffsets {
    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(super) fn as_slice(&self) -> &[isize] {
        &self.offsets
    }

    pub(super) fn is_unique(&self) -> bool {
        self.is_unique
    }

    /// Returns an empty list.
    ///
    /// # Panics
    /// If the shape has positions.
    pub(crate) fn nothing(axes: &[Axis], shape: Shape) -> GatherOffsets {
        assert!(shape.contains(&0), "a shape without positions");
        GatherOffsets { axes: axes.to_vec(), shape, offsets: Vec::new(), is_unique: true }
    }

    /// Returns the offsets of integer indices along an axis; negative ones count from the end. The axis is
    /// named `number` in errors.
    ///
    /// # Errors
    /// If an index is out of range, the elements are not integers, or there is not enough memory.
    pub(crate) fn of_index(
        index: &AnyView<'_>,
        axis: Axis,
        number: usize,
    ) -> Result<GatherOffsets, Error> {
        let no_strides = vec![0; index.layout().rank()];
        let offsets = resolve(index, axis, number, &no_strides)?;
        let shape = index.layout().shape();
        Ok(GatherOffsets { axes: vec![axis], shape, offsets, is_unique: false })
    }

    /// Returns the offsets of integer indices along axis `k`, given for each lane along it.
    ///
    /// # Errors
    /// As for [`GatherOffsets::of_index`].
    ///
    /// # Panics
    /// If the index and the axes differ in another length than that of axis `k`.
    pub(crate) fn of_lanes(
        index: &AnyView<'_>,
        axes: &[Axis],
        k: usize,
    ) -> Result<GatherOffsets, Error> {
        let shape = index.layout().shape();
        let is_same = |i: usize| i == k || axes[i].len == shape[i];
        assert!(axes.len() == shape.len() && (0..axes.len()).all(is_same), "lanes of these axes");
        let mut strides: Vec<isize> = axes.iter().map(|axis| axis.stride).collect();
        strides[k] = 0;
        let offsets = resolve(index, axes[k], k, &strides)?;
        Ok(GatherOffsets { axes: axes.to_vec(), shape, offsets, is_unique: false })
    }

    /// Returns the offsets of the positions at which a mask over some axes is true, in row-major order.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If the lengths of the mask are not those of the axes.
    pub(crate) fn of_mask(mask: &AnyView<'_>, axes: &[Axis]) -> Result<GatherOffsets, Error> {
        let lens = mask.layout().axes().iter().map(|axis| axis.len);
        assert!(lens.eq(axes.iter().map(|axis| axis.len)), "a mask over these axes");
        let trues = CountedMask::count(mask);
        let mut offsets: Vec<isize> = reserve(trues.len())?;
        let list = SyncPtr::new(offsets.as_mut_ptr());
        let strides: Vec<isize> = axes.iter().map(|axis| axis.stride).collect();
        trues.find(0, &strides, &|elements| {
            elements.for_each(|number, offset| {
                // SAFETY: there is room for as many as were counted, and each number is passed once.
                unsafe { list.get().wrapping_add(number).write(offset) };
            });
        });
        // SAFETY: as many were reserved, and `find` has passed every number.
        unsafe { offsets.set_len(trues.len()) };
        let shape = Shape::from([trues.len()]);
        Ok(GatherOffsets { axes: axes.to_vec(), shape, offsets, is_unique: true })
    }

    /// Returns each offset along an axis repeated by its count. There is one count for each index, or one for
    /// all.
    ///
    /// # Errors
    /// If there are not as many counts as indices, one is negative, they are not integers, or there is
    /// not enough memory.
    pub(crate) fn repeated(counts: &AnyView<'_>, axis: Axis) -> Result<GatherOffsets, Error> {
        let (dtype, n_counts) = (counts.dtype(), counts.layout().len());
        if n_counts != axis.len && n_counts != 1 {
            let (given, needed) = (n_counts, axis.len);
            return Err(LayoutError::ArgumentCount { what: "counts", given, needed }.into());
        }
        let counts = dtype.with_integer(ToInt64(counts));
        let counts = counts.ok_or(Error::Unsupported { op: "repeat", dtype })??;
        if let Some(&count) = counts.iter().find(|&&count| count < 0) {
            let needs = "non-negative counts";
            return Err(Error::Argument { op: "repeat", needs, given: count.into() });
        }
        let total = match counts[..] {
            [one] => (one as usize).checked_mul(axis.len),
            _ => counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count as usize)),
        };
        let total = total.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let mut offsets = reserve(total)?;
        // If every count is 0, the axis may be longer than a loop could run.
        let n_walked = if total == 0 { 0 } else { axis.len };
        for (i, &count) in counts.iter().cycle().take(n_walked).enumerate() {
            offsets.extend(std::iter::repeat_n(i as isize * axis.stride, count as usize));
        }
        Ok(GatherOffsets {
            axes: vec![axis],
            shape: Shape::from([total]),
            offsets,
            is_unique: false,
        })
    }

    /// Returns the sums of several lists, which are broadcast to a shape: offsets along the axes of all of them.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If a list cannot be broadcast to the shape.
    pub(crate) fn joined(
        mut parts: Vec<GatherOffsets>,
        shape: &Shape,
    ) -> Result<GatherOffsets, Error> {
        if parts.len() == 1 && parts[0].shape == *shape {
            return Ok(parts.remove(0));
        }
        let n = shape.iter().product();
        let mut offsets = reserve(n)?;
        offsets.resize(n, 0);
        let list = SyncPtr::new(offsets.as_mut_ptr());
        for part in &parts {
            let own = Layout::row_major(&part.shape)?;
            let own = own.broadcast_to(&**shape).expect("the shapes were broadcast");
            let loops = own.axes().iter().zip(row_major_steps(shape));
            let loops = loops.map(|(axis, at)| Loop { len: axis.len, steps: [at, axis.stride] });
            let nest = LoopNest::new([0, own.start() as isize], loops).in_order();
            let n = nest.n_pieces(1, 1);
            pool::run(n, &|i| {
                nest.piece(i, n, 1).walk(&mut |[to, from], [run]| {
                    for i in 0..run.len as isize {
                        let from = part.offsets[(from + i * run.steps[1]) as usize];
                        // SAFETY: `to` is a position of the shape, and no other piece has it.
                        unsafe {
                            *list.get().wrapping_add((to + i * run.steps[0]) as usize) += from
                        };
                    }
                });
            });
        }
        let axes = parts.iter().flat_map(|part| part.axes.iter().copied()).collect();
        Ok(GatherOffsets { axes, shape: shape.clone(), offsets, is_unique: false })
    }
}

/// Returns the offsets of integer indices along an axis, each plus the offset to which `strides` lead at its
/// position.
fn resolve(
    index: &AnyView<'_>,
    axis: Axis,
    number: usize,
    strides: &[isize],
) -> Result<Vec<isize>, Error> {
    let layout = index.layout();
    let mut offsets = reserve(layout.len())?;
    let loops = layout.axes().iter().zip(row_major_steps(&layout.shape())).zip(strides);
    let loops =
        loops.map(|((axis, at), &stride)| Loop { len: axis.len, steps: [at, axis.stride, stride] });
    let nest = LoopNest::new([0, layout.start() as isize, 0], loops).sorted();
    let task = ResolveTask { index, nest, axis, number, list: SyncPtr::new(offsets.as_mut_ptr()) };
    let dtype = index.dtype();
    dtype.with_integer(task).ok_or(Error::Unsupported { op: "index", dtype })??;
    // SAFETY: as many were reserved, and the task has written all of them.
    unsafe { offsets.set_len(layout.len()) };
    Ok(offsets)
}

/// Casts integers of any type to `i64`. Those beyond its range become negative, and are refused as such.
struct ToInt64<'a, 'v>(&'a AnyView<'v>);

impl IntegerTask for ToInt64<'_, '_> {
    type Output = Result<Vec<i64>, Error>;

    fn run<T: Element<Wide: Integer>>(self) -> Result<Vec<i64>, Error> {
        let view = self.0.typed::<T>()?;
        let mut values = reserve(view.len())?;
        values.extend(view.iter().map(|value| value.cast::<i64>()));
        Ok(values)
    }
}

/// Writes the offsets of integer indices.
struct ResolveTask<'a, 'v> {
    index: &'a AnyView<'v>,
    /// Over the list, the index, and the offsets that are added.
    nest: LoopNest<3>,
    axis: Axis,
    number: usize,
    list: SyncPtr<isize>,
}

impl IntegerTask for ResolveTask<'_, '_> {
    type Output = Result<(), Error>;

    fn run<T: Element<Wide: Integer>>(self) -> Result<(), Error> {
        let is_out_of_range = AtomicBool::new(false);
        let (len, stride) = (self.axis.len, self.axis.stride);
        let (list, index) = (self.list, self.index);
        let n = self.nest.n_pieces(1, 1);
        pool::run(n, &|i| {
            let mut all_inside = true;
            self.nest.piece(i, n, 1).walk(&mut |[to, from, added], [run]| {
                // Local copies stay in registers: stores to the list cannot alias them.
                let (len, stride, mut inside) = (len, stride, true);
                // SAFETY: the nest was made from the layout of the index, which is borrowed for
                // reading, and the list has room for each of its positions, which no other piece
                // writes to.
                unsafe {
                    let from = index.ptr().as_ptr().cast::<T>().offset(from);
                    let to = list.get().wrapping_add(to as usize);
                    for i in 0..run.len as isize {
                        // Read once: foreign code may write to the index meanwhile, and the value that
                        // was compared with the length has to be the one that is used.
                        let at = position(from.offset(i * run.steps[1]).read(), len);
                        inside &= at < len;
                        let offset = (at as isize).wrapping_mul(stride);
                        let added = added + i * run.steps[2];
                        to.offset(i * run.steps[0]).write(offset.wrapping_add(added));
                    }
                }
                all_inside &= inside;
            });
            if !all_inside {
                is_out_of_range.store(true, Ordering::Relaxed);
            }
        });
        match is_out_of_range.into_inner() {
            true => Err(first_out_of_range::<T>(self.index, self.axis.len, self.number)),
            false => Ok(()),
        }
    }
}

/// Returns the error for the first of some indices that is out of range on axis `number`, which has length `len`.
#[cold]
pub(super) fn first_out_of_range<T: Element<Wide: Integer>>(
    index: &AnyView<'_>,
    len: usize,
    number: usize,
) -> Error {
    let view = match index.typed::<T>() {
        Ok(view) => view,
        Err(error) => return error,
    };
    let mut values = view.iter().enumerate();
    // If none is out of range any more, foreign code has written to the index meanwhile; one was.
    let found = values.find(|&(_, value)| position(value, len) >= len);
    let Some((flat, value)) = found.or_else(|| view.iter().enumerate().next()) else {
        unreachable!("an empty index has nothing out of range")
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
    Error::IndexOutOfRange { value, position: position.into(), axis: number, len }
}

fn is_signed<T: Element<Wide: Integer>>() -> bool {
    T::Wide::LOWEST < T::Wide::ZERO
}

/// Returns the position of an index on an axis of length `len`, or a number not less than `len` if the index is
/// out of range.
#[inline(always)]
pub(super) fn position<T: Element<Wide: Integer>>(value: T, len: usize) -> usize {
    let value = value.cast::<i64>();
    // Unsigned numbers beyond `i64::MAX` are still greater than every length after the cast.
    let from_end = is_signed::<T>() && value < 0;
    (if from_end { value.wrapping_add(len as i64) } else { value }) as usize
}

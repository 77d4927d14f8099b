//! Advanced indexing: reading, assigning and adding with index tensors and masks, NumPy's
//! `x[rows, ..., mask]`.

mod direct;
mod masked;
mod resolve;
mod take;
mod take_along_axis;
mod tensor_index;

pub use masked::masked_select_into;
pub use take::take_into;
pub use take_along_axis::take_along_axis_into;
pub use tensor_index::{AtList, TensorIndex};

use super::operand::{Operand, Target};
use crate::copies::CopyReason;
use crate::kernel::gather::{gather, scatter, scatter_add};
use crate::op::execute::{
    InputIsOutput, SmallSelection, compute_into, compute_new, compute_without_values,
};
use crate::trace::{Call, Touched, composite, composite_into, is_listening};
use crate::view::Source;
use crate::{DType, Error, Layout, Shape, Tensor, add_into, assign_into, can_assign};
use resolve::{AdvancedSelection, ResolvedIndex, SelectedOffsets, resolve};
use tensor_index::EventIndex;

impl Tensor {
    /// Returns the elements selected by an index that may contain tensors: NumPy's `x[rows, ..,
    /// mask]`.
    ///
    /// An integer tensor of any shape selects positions of one axis (advanced indexing); negative
    /// positions count from the end, and several such tensors are broadcast together. A `bool`
    /// tensor (mask) of rank `n` applies to `n` axes and selects the positions at which it is true.
    /// All other entries mean the same as in [`Tensor::slice`].
    ///
    /// The axes of the selected elements replace those of the tensors in the index if all tensors
    /// are adjacent; otherwise, if a range or a new axis separates them, they come first.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    /// let rows = tensor![2, 0, -1];
    /// assert_eq!(x.index(at![&rows, 1..3])?.to_vec::<i32>()?, [9, 10, 1, 2, 9, 10]);
    /// assert_eq!(x.index(at![&rows, &tensor![0, 1, 2]])?.to_vec::<i32>()?, [8, 1, 10]);
    /// assert_eq!(x.index(at![&x.greater(9)?])?.to_vec::<i32>()?, [10, 11]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a position is out of range, a mask does not have the shape of its axes, the tensors
    /// do not broadcast together or are neither integer nor `bool`, or for the reasons of
    /// [`Tensor::slice`].
    ///
    /// # Memory
    /// The result is a new tensor, or a view if the index contains no tensor.
    #[track_caller]
    pub fn index<'a>(&self, index: impl AsRef<[TensorIndex<'a>]>) -> Result<Tensor, Error> {
        let index = index.as_ref();
        if let Some(part) = small_selection(self, index).and_then(|it| it.read()) {
            return Ok(part);
        }
        let entries = EventIndex::new(index);
        let params = entries.params();
        read(Call::new("index").with(&params), self, index)
    }

    /// Assigns `values` to the elements selected by an index: NumPy's `x[rows, .., mask] = values`.
    ///
    /// The values are broadcast to the shape that [`Tensor::index`] would return, and cast to the
    /// dtype of this tensor. If an element is selected more than once, the last value is kept.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// x.index_assign(at![.., &tensor![2, 0]], &tensor![7, 8])?;
    /// assert_eq!(x.to_vec::<i32>()?, [8, 0, 7, 8, 0, 7]);
    /// x.index_assign(at![&x.equal(0)?], -1)?;
    /// assert_eq!(x.to_vec::<i32>()?, [8, -1, 7, 8, -1, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::index`]. Also fails if `values` do not broadcast, cannot be cast to the
    /// dtype of this tensor, or this tensor cannot be written to. Nothing is written if an error is
    /// returned.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn index_assign<'a, 'b>(
        &self,
        index: impl AsRef<[TensorIndex<'a>]>,
        values: impl Into<Operand<'b>>,
    ) -> Result<(), Error> {
        let index = index.as_ref();
        let mut values: Operand<'_> = values.into();
        if small_selection(self, index).is_some_and(|it| it.write(&mut values)) {
            return Ok(());
        }
        let entries = EventIndex::new(index);
        let params = entries.params();
        let call = Call::new("index_assign").with(&params);
        write(call, self, index, values, WriteMode::Assign)
    }

    /// Adds `values` to the elements selected by an index, once for each time an element is
    /// selected: NumPy's `add.at`, PyTorch's `index_put_` with `accumulate=True`.
    ///
    /// Values are added in the order of the index, for every number of threads.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let counts = Tensor::zeros([3], DType::Int32)?;
    /// counts.index_add_assign(at![&tensor![0, 2, 2, 2]], 1)?;
    /// assert_eq!(counts.to_vec::<i32>()?, [1, 0, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::index_assign`]. Also fails if the dtype is `bool`.
    ///
    /// # Memory
    /// Copies `values` first if they have another dtype or share elements with this tensor.
    #[track_caller]
    pub fn index_add_assign<'a, 'b>(
        &self,
        index: impl AsRef<[TensorIndex<'a>]>,
        values: impl Into<Operand<'b>>,
    ) -> Result<(), Error> {
        let index = index.as_ref();
        let entries = EventIndex::new(index);
        let params = entries.params();
        let call = Call::new("index_add_assign").with(&params);
        write(call, self, index, values.into(), WriteMode::Add)
    }
}

/// Writes [`Tensor::index`] of `x` to `out`, which may share memory with `x` and with the index.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![1, 2, 3];
/// belvedere::index_into(&x, at![&tensor![2, 2, 0]], &x)?;
/// assert_eq!(x.to_vec::<i32>()?, [3, 3, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::index`]. Also fails if `out` has another shape than the result, its dtype
/// cannot hold the result, or it cannot be written to.
///
/// # Memory
/// Computes the result in a temporary tensor first if `out` shares elements with `x`.
#[track_caller]
pub fn index_into<'a, 'b>(
    x: &Tensor,
    index: impl AsRef<[TensorIndex<'a>]>,
    out: impl Into<Target<'b>>,
) -> Result<(), Error> {
    let index = index.as_ref();
    let entries = EventIndex::new(index);
    let params = entries.params();
    read_into(Call::new("index").with(&params), x, index, out.into())
}

/// Returns the elements that an index of tensors alone selects, if they are few, and no scope listens.
fn small_selection<'a>(x: &'a Tensor, index: &[TensorIndex<'_>]) -> Option<SmallSelection<'a>> {
    if is_listening() {
        return None;
    }
    match index {
        [only] => SmallSelection::resolve(x, &[only.0.tensor()?]),
        [rows, columns] => SmallSelection::resolve(x, &[rows.0.tensor()?, columns.0.tensor()?]),
        _ => None,
    }
}

/// What a scatter does with the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteMode {
    Assign,
    Add,
}

impl WriteMode {
    /// Returns whether the elements are read before they are written.
    fn reads(self) -> bool {
        self == WriteMode::Add
    }
}

/// Returns the inputs of an event: `x` if it is read, the tensors of the index, and the values. They are
/// listed only while a scope listens.
fn event_inputs<'a>(
    x: Option<&'a Tensor>,
    index: &'a [TensorIndex<'_>],
    values: Option<&Operand<'a>>,
) -> Vec<Operand<'a>> {
    if !is_listening() {
        return Vec::new();
    }
    let tensors = x.into_iter().chain(index.iter().filter_map(|it| it.0.tensor()));
    tensors.map(Operand::from).chain(values.cloned()).collect()
}

/// Returns the elements of `x` that `index` selects.
pub(super) fn read(call: Call<'_>, x: &Tensor, index: &[TensorIndex<'_>]) -> Result<Tensor, Error> {
    let call = call.touching(Touched::Gathered);
    composite(call, &event_inputs(Some(x), index, None), || {
        if let Some(indices) = direct::only_index(x, index) {
            return direct::gather(call, x, indices);
        }
        match resolve(call, x, index)? {
            ResolvedIndex::View(view) => Ok(view),
            ResolvedIndex::Masked(part, mask) => direct::compress(call, &part, mask),
            ResolvedIndex::Advanced(it) => it.read(call),
        }
    })
}

/// Reads the elements of `x` that `index` selects and writes them to `out`.
pub(super) fn read_into(
    call: Call<'_>,
    x: &Tensor,
    index: &[TensorIndex<'_>],
    out: Target<'_>,
) -> Result<(), Error> {
    let call = call.touching(Touched::Gathered);
    composite_into(call, &event_inputs(Some(x), index, None), out, |out| {
        let it = match resolve(call, x, index)? {
            ResolvedIndex::View(view) => return read_view_into(call, &view, out),
            ResolvedIndex::Masked(part, mask) => AdvancedSelection::of_mask(call, part, mask)?,
            ResolvedIndex::Advanced(it) => *it,
        };
        it.read_into(call, out)
    })
}

/// Assigns `view`, the result of an index without tensors, to `out`.
fn read_view_into(call: Call<'_>, view: &Tensor, out: Target<'_>) -> Result<(), Error> {
    out.check(call.op, &view.shape(), view.dtype())?;
    assign_into(view, out)
}

/// Assigns or adds `values` to the elements of `x` that `index` selects.
pub(super) fn write(
    call: Call<'_>,
    x: &Tensor,
    index: &[TensorIndex<'_>],
    values: Operand<'_>,
    mode: WriteMode,
) -> Result<(), Error> {
    let inputs = event_inputs(mode.reads().then_some(x), index, Some(&values));
    composite_into(call, &inputs, x.into(), |_| {
        if mode == WriteMode::Add {
            check_numbers(call.op, x.dtype())?;
        }
        let touched = |n: usize| Touched::Scattered { n, reads: mode.reads() };
        if let Some(indices) = direct::only_index(x, index)
            && !direct::may_share(x, indices)
        {
            return direct::scatter(call, x, indices, values, mode);
        }
        let it = match resolve(call, x, index)? {
            ResolvedIndex::View(view) if mode == WriteMode::Assign => {
                return assign_into(values, &view).map(|()| touched(view.len()));
            }
            ResolvedIndex::View(view) => {
                return add_into(&view, values, &view).map(|()| touched(view.len()));
            }
            ResolvedIndex::Masked(part, mask)
                if mode == WriteMode::Assign
                    && resolve::has_memory([&part, mask])
                    && !direct::may_share(&part, mask) =>
            {
                return direct::expand(call, &part, mask, values);
            }
            // One value for all elements needs no count.
            ResolvedIndex::Masked(part, mask)
                if mask.storage().is_meta() && values.shape().iter().all(|&len| len == 1) =>
            {
                AdvancedSelection::of_any_mask(part)?
            }
            ResolvedIndex::Masked(part, mask) => AdvancedSelection::of_mask(call, part, mask)?,
            ResolvedIndex::Advanced(it) => *it,
        };
        it.write(call, values, mode)
    })
}

/// Returns an error if `indices` is not of an integer dtype.
fn check_indices(op: &'static str, indices: &Tensor) -> Result<(), Error> {
    match indices.dtype() {
        dtype if dtype.is_integer() => Ok(()),
        dtype => Err(Error::Unsupported { op, dtype }),
    }
}

/// Returns an error if the dtype is `bool`, which has no addition.
fn check_numbers(op: &'static str, dtype: DType) -> Result<(), Error> {
    if dtype.is_bool() { Err(Error::Unsupported { op, dtype }) } else { Ok(()) }
}

impl AdvancedSelection {
    /// Gathers the elements into a new tensor.
    fn read(&self, call: Call<'_>) -> Result<Tensor, Error> {
        let call = call.touching(Touched::Gathered);
        let (layout, dtype) = (Layout::row_major(&self.shape)?, self.part.dtype());
        let operands = [(&self.part).into()];
        if let SelectedOffsets::Unknown { .. } = self.offsets {
            return compute_without_values(call, layout, dtype, &operands);
        }
        compute_new(call, layout, dtype, &operands, |out, [view]| {
            let out = out.permute(&self.order).expect("a permutation of the axes");
            gather(out, &view, self.offsets.known())
        })
    }

    /// Checks that the elements to write are known, unless there is no memory to write to.
    ///
    /// # Errors
    /// If an index tensor has no memory, and the output has.
    fn check_known(&self, call: Call<'_>, out: &Target<'_>) -> Result<(), Error> {
        match &self.offsets {
            SelectedOffsets::Unknown { shape, .. } if !out.is_meta() => {
                Err(Error::NoValues { op: call.op, shape: shape.clone().into() })
            }
            _ => Ok(()),
        }
    }

    /// Gathers the elements into `out`.
    fn read_into(&self, call: Call<'_>, out: Target<'_>) -> Result<(), Error> {
        let dtype = self.part.dtype();
        out.check(call.op, &self.shape, dtype)?;
        self.check_known(call, &out)?;
        if out.dtype() != dtype {
            return assign_into(&self.read(call)?, out);
        }
        if out.may_share(&(&self.part).into()) {
            // Copy the result instead of the input: the offsets are for the strides of the input, which
            // may also be far larger.
            let copy = self.read(call.part().copying(CopyReason::Overlap))?;
            return assign_into(&copy, out);
        }
        let call = call.touching(Touched::Gathered);
        compute_into(call, out, &[(&self.part).into()], InputIsOutput::Copy, |out, [source]| {
            let Source::View(view) = source else { unreachable!("they share no elements") };
            let out = out.permute(&self.order).expect("a permutation of the axes");
            gather(out, &view, self.offsets.known());
        })
    }

    /// Scatters `values` to the elements, assigning or adding. Returns which elements were touched.
    fn write(
        &self,
        call: Call<'_>,
        values: Operand<'_>,
        mode: WriteMode,
    ) -> Result<Touched, Error> {
        let n = self.shape.iter().product();
        let out = (&self.part).into();
        check_values(&self.part, &self.shape, &values)?;
        self.check_known(call, &out)?;
        let values = values.into_dtype(self.part.dtype(), call)?;
        compute_into(
            call.touching(Touched::Scattered { n, reads: false }),
            out,
            std::array::from_ref(&values),
            InputIsOutput::Copy,
            |out, [source]| {
                let Source::View(view) = source else { unreachable!("the values were buffered") };
                let view = view.broadcast_to(&self.shape).expect("the shape was compared");
                let view = view.permute(&self.order).expect("a permutation of the axes");
                match mode {
                    WriteMode::Assign => scatter(out, &view, self.offsets.known()),
                    WriteMode::Add => scatter_add(out, &view, self.offsets.known()),
                }
            },
        )?;
        Ok(Touched::Scattered { n, reads: mode.reads() })
    }
}

/// Checks that `values` can be written to elements of `x` that have a shape.
///
/// # Errors
/// If the values do not broadcast to it, cannot be cast to the dtype of `x`, or `x` cannot be written to.
fn check_values(x: &Tensor, shape: &Shape, values: &Operand<'_>) -> Result<(), Error> {
    Layout::row_major(&values.shape())?.broadcast_to(&**shape)?;
    x.check_writable()?;
    match values.dtype() {
        Some(from) if !can_assign(from, x.dtype()) => Err(Error::Cast { from, to: x.dtype() }),
        _ => Ok(()),
    }
}

//! Indexing with tensors: NumPy's `x[rows, ..., mask]`, for reading, writing and adding.

mod along;
mod entry;
mod masked;
mod resolve;
mod take;

pub use along::take_along_axis_into;
pub use entry::{At, Listed};
pub use masked::masked_select_into;
pub use take::take_into;

use super::operand::{Operand, Target};
use super::settled::Settled;
use crate::copies::{self, CopyReason};
use crate::kernel::gather::{gather, scatter, scatter_add};
use crate::kernel::mask::Trues;
use crate::view::{Call, Input, Output, Same, Source, fresh, fresh_found, into};
use crate::{DType, Error, Layout, Tensor, add_into, assign_into, can_assign};
use resolve::{Found, Picked, find};
use std::panic::Location;

impl Tensor {
    /// The elements that an index leads to, which may hold tensors: `x[rows, .., mask]` in NumPy.
    ///
    /// Integers of any type and shape pick positions of an axis, negative ones from its end; several
    /// such tensors are broadcast together. A mask of `bool` stands for as many axes as it has, and
    /// picks the positions at which it is true. Everything else means what it does in
    /// [`Tensor::slice`]. The axes of the picked elements are where the tensors stand; if they stand
    /// apart, with a range or a new axis between them, they come first.
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
    /// If a position does not exist, a mask does not fit its axes, the tensors do not broadcast or are
    /// neither of integers nor of `bool`, or the index is wrong as for [`Tensor::slice`].
    ///
    /// # Memory
    /// The result is new; without tensors in the index it is a view.
    pub fn index<'a>(&self, index: impl AsRef<[At<'a>]>) -> Result<Tensor, Error> {
        match find(self, index.as_ref())? {
            Found::View(view) => Ok(view),
            Found::Masked(part, mask) => compressed(&part, mask),
            Found::Picked(it) => it.read(),
        }
    }

    /// Writes to the elements that an index leads to: `x[rows, .., mask] = values` in NumPy.
    ///
    /// The values are broadcast to the shape that [`Tensor::index`] would give, and converted to this
    /// type. If an element is picked twice, the last value stays.
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
    /// As for [`Tensor::index`]; and if the values do not broadcast or are of a greater kind of type, or
    /// the tensor cannot be written to. Nothing is written then.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn index_assign<'a, 'b>(
        &self,
        index: impl AsRef<[At<'a>]>,
        values: impl Into<Operand<'b>>,
    ) -> Result<(), Error> {
        let call = Call { op: "index_assign", caller: Location::caller() };
        write(call, self, index.as_ref(), values.into(), Way::Assign)
    }

    /// Adds to the elements that an index leads to, as often as it does: NumPy's `add.at`, and
    /// PyTorch's `index_put_` that accumulates.
    ///
    /// Sums are in the order of the index, for every number of threads.
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
    /// As for [`Tensor::index_assign`]; and if the elements are no numbers.
    ///
    /// # Memory
    /// Copies the values first if they are of another type, or share elements with this tensor.
    #[track_caller]
    pub fn index_add_assign<'a, 'b>(
        &self,
        index: impl AsRef<[At<'a>]>,
        values: impl Into<Operand<'b>>,
    ) -> Result<(), Error> {
        let call = Call { op: "index_add_assign", caller: Location::caller() };
        write(call, self, index.as_ref(), values.into(), Way::Add)
    }
}

/// Writes [`Tensor::index`] to `out`, which may share memory with `x` and with the index.
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
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Makes the result apart first if `out` and `x` share elements.
#[track_caller]
pub fn index_into<'a, 'b>(
    x: &Tensor,
    index: impl AsRef<[At<'a>]>,
    out: impl Into<Target<'b>>,
) -> Result<(), Error> {
    let call = Call { op: "index", caller: Location::caller() };
    read_into(call, x, index.as_ref(), out.into())
}

/// What is done with values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Assign,
    Add,
}

/// Writes the elements that an index leads to to something that exists.
#[track_caller]
pub(super) fn read_into(
    call: Call,
    x: &Tensor,
    index: &[At<'_>],
    out: Target<'_>,
) -> Result<(), Error> {
    let it = match find(x, index)? {
        Found::View(view) => return read_view_into(call, &view, out),
        Found::Masked(part, mask) => Picked::of_mask(part, mask)?,
        Found::Picked(it) => *it,
    };
    it.read_into(call, out)
}

#[track_caller]
fn read_view_into(call: Call, view: &Tensor, out: Target<'_>) -> Result<(), Error> {
    out.check(call.op, &view.shape(), view.dtype())?;
    assign_into(view, out)
}

/// Writes or adds to the elements that an index leads to.
#[track_caller]
pub(super) fn write(
    call: Call,
    x: &Tensor,
    index: &[At<'_>],
    values: Operand<'_>,
    way: Way,
) -> Result<(), Error> {
    if way == Way::Add {
        check_numbers(call.op, x.dtype())?;
    }
    let it = match find(x, index)? {
        Found::View(view) if way == Way::Assign => return assign_into(values, &view),
        Found::View(view) => return add_into(&view, values, &view),
        Found::Masked(part, mask) => Picked::of_mask(part, mask)?,
        Found::Picked(it) => *it,
    };
    it.write(call, values, way)
}

/// Whether elements can be added.
fn check_numbers(op: &'static str, dtype: DType) -> Result<(), Error> {
    if dtype.is_bool() { Err(Error::Unsupported { op, dtype }) } else { Ok(()) }
}

impl Picked {
    /// A tensor of the elements.
    fn read(&self) -> Result<Tensor, Error> {
        let layout = Layout::row_major(&self.shape)?;
        fresh(layout, self.part.dtype(), [Input::Tensor(&self.part)], |out, [view]| {
            gather(out.permute(&self.order).expect("an order of the axes"), &view, &self.picks)
        })
    }

    /// Writes the elements to something that exists.
    #[track_caller]
    fn read_into(&self, call: Call, out: Target<'_>) -> Result<(), Error> {
        let dtype = self.part.dtype();
        out.check(call.op, &self.shape, dtype)?;
        if out.dtype() != dtype {
            return assign_into(&self.read()?, out);
        }
        if out.may_share(&self.part) {
            // A copy of the tensor would lie otherwise than the picks say, and may be far larger.
            let layout = Layout::row_major(&self.shape)?;
            copies::announce(call.op, CopyReason::Overlap, &layout, dtype.size(), call.caller)?;
            return assign_into(&self.read()?, out);
        }
        into(call, out.output(), [Input::Tensor(&self.part)], Same::Buffer, |out, [source]| {
            let Source::View(view) = source else { unreachable!("they share no element") };
            let out = out.permute(&self.order).expect("an order of the axes");
            gather(out, &view, &self.picks);
        })
    }

    /// Writes or adds to the elements.
    fn write(&self, call: Call, values: Operand<'_>, way: Way) -> Result<(), Error> {
        let dtype = self.part.dtype();
        Layout::row_major(&values.shape())?.broadcast_to(&*self.shape)?;
        self.part.check_writable()?;
        match values.dtype() {
            Some(from) if !can_assign(from, dtype) => return Err(Error::Cast { from, to: dtype }),
            _ => {}
        }
        let values = Settled::of_type(values, dtype, call)?;
        let out = Output::Tensor(&self.part);
        into(call, out, [values.input()], Same::Buffer, |out, [source]| {
            let Source::View(view) = source else { unreachable!("the values were buffered") };
            let view = view.broadcast_to(&self.shape).expect("the shape was compared");
            let view = view.permute(&self.order).expect("an order of the axes");
            match way {
                Way::Assign => scatter(out, &view, &self.picks),
                Way::Add => scatter_add(out, &view, &self.picks),
            }
        })
    }
}

/// The elements of a tensor at which a mask of the same shape is true.
fn compressed(x: &Tensor, mask: &Tensor) -> Result<Tensor, Error> {
    fresh_found([Input::Tensor(x), Input::Tensor(mask)], |[x, mask], room| {
        let trues = Trues::count(&mask);
        let out = room.make(Layout::row_major(&[trues.len()])?, x.dtype())?;
        Ok(trues.compress(out, &x))
    })
}

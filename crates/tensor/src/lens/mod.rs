//! A tensor seen through a chain: what strides cannot say, without a copy.

mod axes;
mod movement;

use crate::copies::{self, CopyReason};
use crate::kernel::map_lens;
use crate::view::{AnyLens, Cell, Input, check_injective, fresh};
use crate::{Chain, DType, Error, Layout, Shape, Tensor, Value};
use std::fmt;
use std::panic::Location;

/// A tensor seen through a [`Chain`]: every movement of its elements is free.
///
/// A tensor has strides, and some movements have none: a transposed matrix in another shape, padding,
/// tiles. On a lens all of them are as cheap as a transposition, because nothing moves until somebody
/// reads. Elements can be read and written one by one. Elementwise operations and reductions take a lens
/// where they take an operand: they read the tensor's own memory, run by run, and write nothing out in
/// between. A matrix product copies one first, on the record.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::copies;
///
/// let x = tensor![[1, 2, 3], [4, 5, 6]];
/// let framed = copies::forbid(|| {
///     let flat = x.t()?.lens().reshape([6])?; // has no strides: Tensor::reshape would copy
///     flat.set(&[1], 40)?; // writes to the tensor
///     flat.pad(&[(1, 1)])
/// })?;
/// assert_eq!(x.get::<i32>(&[1, 0])?, 40);
/// let sum = copies::forbid(|| framed.add(&Tensor::arange(0..8)?))?;
/// assert_eq!(sum.to_vec::<i32>()?, [0, 2, 42, 5, 9, 8, 12, 7]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// Where the movements add up to strides again, a lens is a tensor again, and takes part in operations
/// as one: [`Lens::to_tensor`] gives it without a copy.
#[derive(Clone)]
pub struct Lens {
    /// What it was made from.
    tensor: Tensor,
    chain: Chain,
    /// The same memory through the one layout that the chain is, if it is one; else through the
    /// chain's base, of which all that can be reached is an element; else nothing of it.
    reached: Tensor,
    /// What padding is. Invariant: of the tensor's type.
    padding: Cell,
}

impl Tensor {
    /// The tensor as a lens, on which every movement is free.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.lens().tile(&[1, 2])?.shape(), [2, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Never copies.
    pub fn lens(&self) -> Lens {
        let chain = Chain::new(self.layout().clone());
        let padding = Cell::zero(self.dtype());
        Lens { tensor: self.clone(), chain, reached: self.clone(), padding }
    }
}

impl Lens {
    /// The lengths of the axes, padding included.
    pub fn shape(&self) -> Shape {
        self.chain.shape().into()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.chain.rank()
    }

    /// The number of elements, padding included.
    pub fn len(&self) -> usize {
        self.chain.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.chain.is_empty()
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    /// The tensor that it was made from.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// How the elements are found in the tensor's storage.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([3, 4], DType::Float32)?.t()?;
    /// let flat = x.lens().reshape([12])?;
    /// assert_eq!(flat.chain().as_layout(), None, "no strides do that");
    /// assert_eq!(flat.reshape([4, 3])?.chain().as_layout().as_ref(), Some(x.layout()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// How many layouts an index goes through: 1 in ordinary use.
    pub fn depth(&self) -> usize {
        self.chain.depth()
    }

    /// The element at an index, or the padding.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.5, 2.5].lens().pad(&[(0, 1)])?;
    /// assert_eq!((x.get::<f64>(&[1])?, x.get::<f64>(&[2])?), (2.5, 0.0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is none, it is of another type, or a guard is writing to it.
    pub fn get<T: Value>(&self, index: &[usize]) -> Result<T, Error> {
        match self.chain.index(index)? {
            Some(offset) => self.tensor.with_layout(Layout::scalar(offset)?).item(),
            None => self.padding.get().map(T::from_element),
        }
    }

    /// Writes one element of the tensor.
    ///
    /// A lens can be written through if none of its layouts has two indices for one position. That is
    /// decided for each of them alone: what repeats elements, and of which a part without repetition
    /// was taken that is no layout again, is refused although it would do.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// let lens = x.t()?.lens().reshape([6])?.flip(&[0])?.pad(&[(1, 0)])?;
    /// lens.set(&[1], 7)?;
    /// assert_eq!(x.get::<i32>(&[1, 2])?, 7);
    /// assert_eq!(
    ///     lens.set(&[0], 7).unwrap_err().to_string(),
    ///     "index [0] is in the padding, which cannot be written"
    /// );
    /// assert!(lens.repeat(0, 2)?.set(&[2], 7).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such element, it is padding or of another type, several indices lead to
    /// one element, the memory is read-only, or a guard has it.
    pub fn set<T: Value>(&self, index: &[usize], value: T) -> Result<(), Error> {
        let Some(offset) = self.chain.index(index)? else {
            return Err(Error::Padding { index: index.into() });
        };
        for layout in self.chain.stages().iter().filter_map(|stage| stage.inside()) {
            check_injective(layout)?;
        }
        self.tensor.with_layout(Layout::scalar(offset)?).set(&[], value)
    }

    /// What is seen, as a tensor: a view of the same memory if the chain is one strided layout
    /// without padding, and else a copy.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::copies;
    ///
    /// let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    /// let lens = x.t()?.lens().reshape([12])?;
    /// let every_other = lens.slice(s![..6;3])?.to_tensor()?;
    /// assert_eq!(every_other.shares_memory(&x), Some(true));
    ///
    /// let (flat, log) = copies::record(|| lens.to_tensor());
    /// assert_eq!(flat?.slice(s![..4])?.to_vec::<i32>()?, [0, 4, 8, 1]);
    /// assert_eq!((log[0].op, log[0].bytes), ("to_tensor", 48));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a copy is needed and forbidden or has no memory, or a guard is writing to the elements.
    ///
    /// # Memory
    /// Copies when `self.chain().as_layout()` is none.
    #[track_caller]
    pub fn to_tensor(&self) -> Result<Tensor, Error> {
        match self.strided() {
            Some(tensor) => Ok(tensor.clone()),
            None => self.copied("to_tensor", CopyReason::NoView, Location::caller()),
        }
    }

    /// A copy of what is seen in memory of its own, in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2];
    /// let twice = x.lens().tile(&[2])?.copy()?;
    /// x.fill(0)?;
    /// assert_eq!(twice.to_vec::<i32>()?, [1, 2, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory, or a guard is writing to the elements.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy(&self) -> Result<Tensor, Error> {
        self.copied("copy", CopyReason::Requested, Location::caller())
    }

    /// [`Lens::copy`], under SKaiNET's name.
    ///
    /// # Errors
    /// If there is not enough memory, or a guard is writing to the elements.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn materialize(&self) -> Result<Tensor, Error> {
        self.copied("materialize", CopyReason::Requested, Location::caller())
    }

    /// A copy in row-major order, which is announced first.
    pub(crate) fn copied(
        &self,
        op: &'static str,
        reason: CopyReason,
        caller: &'static Location<'static>,
    ) -> Result<Tensor, Error> {
        if let Some(tensor) = self.strided() {
            return tensor.copied(op, reason, caller);
        }
        let (layout, dtype) = (Layout::row_major(self.chain.shape())?, self.dtype());
        copies::announce(op, reason, &layout, dtype.size(), caller)?;
        fresh(layout, dtype, [Input::Lens(self)], |out, [view]| {
            map_lens::copy(out, &AnyLens::new(&view, self))
        })
    }

    /// What is seen, if the chain is one strided layout without padding.
    pub(crate) fn strided(&self) -> Option<&Tensor> {
        match self.chain.stages() {
            [only] if !only.is_padded() => Some(&self.reached),
            _ => None,
        }
    }

    /// The elements that can be reached, each at least once, in an order of their own.
    pub(crate) fn reached(&self) -> &Tensor {
        &self.reached
    }

    /// What padding is.
    pub(crate) fn padding(&self) -> &Cell {
        &self.padding
    }

    /// Whether some index may be padding.
    fn is_padded(&self) -> bool {
        self.chain.stages().iter().any(|stage| stage.is_padded())
    }

    /// The same tensor through a chain that a movement made of this one.
    fn moved(&self, chain: Chain) -> Lens {
        let layout = chain.as_layout().or_else(|| chain.base().cloned());
        let nothing = || Layout::row_major(&[0]).expect("a layout without elements");
        let reached = self.tensor.with_layout(layout.unwrap_or_else(nothing));
        Lens { tensor: self.tensor.clone(), chain, reached, padding: self.padding }
    }
}

/// The stages, the type and the tensor; not the elements.
impl fmt::Debug for Lens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lens")
            .field("dtype", &format_args!("{}", self.dtype()))
            .field("shape", &self.shape())
            .field("stages", &self.chain.stages())
            .field("tensor", &self.tensor)
            .finish()
    }
}

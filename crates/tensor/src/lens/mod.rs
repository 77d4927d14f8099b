//! Lenses: lazy views through a chain of layouts, for view operations that no strides can express.

mod axes;
mod movement;

use crate::copies::CopyReason;
use crate::kernel::map_lens;
use crate::op::execute::compute_new;
use crate::trace::{Call, NamedParam, announce_lens};
use crate::view::{AnyLens, Cell, check_injective};
use crate::{Chain, DType, Device, ElementIndex, Error, Layout, Shape, Tensor, Value};
use belvedere_layout::unravel_index;

/// A tensor viewed through a [`Chain`] of layouts: every view operation works without a copy.
///
/// Some view operations cannot be expressed by strides: a reshape of a transposed matrix, padding, tiles.
/// On a lens all of them cost as little as a transposition, because elements are moved only when they are
/// read. Elements can be read and written one by one. Elementwise operations and reductions take a lens
/// as an operand: they read the tensor's memory in runs of constant stride and allocate no intermediate
/// copy. A matrix product copies a lens first, as a recorded copy.
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
/// If the chain merges into one strided layout, operations treat the lens like a tensor, and
/// [`Lens::to_tensor`] returns that tensor without a copy.
#[derive(Clone)]
pub struct Lens {
    tensor: Tensor,
    chain: Chain,
    /// Invariant 1: a view of the same memory that contains every element the chain reaches. It has the
    /// layout of the chain if that is one layout, else that of its base, else no elements.
    reached: Tensor,
    /// The padding value. Invariant 2: it has the dtype of the tensor.
    padding: Cell,
}

impl Tensor {
    /// Returns the tensor as a lens, on which every view operation is possible without a copy.
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
    /// Returns the lengths of the axes, padding included.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].lens().pad(&[(1, 1)])?.shape(), [4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn shape(&self) -> Shape {
        self.chain.shape().into()
    }

    /// Returns the lengths of all axes as an array, for a rank that is known when compiling.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let [rows, columns] = tensor![[1, 2], [3, 4]].lens().pad([(1, 0), (0, 0)])?.dims()?;
    /// assert_eq!((rows, columns), (3, 2));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        Ok(self.chain.dims()?)
    }

    /// Returns the number of axes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2]].lens().rank(), 2);
    /// ```
    pub fn rank(&self) -> usize {
        self.chain.rank()
    }

    /// Returns the number of elements, padding included.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].lens().pad(&[(1, 1)])?.len(), 4);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.chain.len()
    }

    /// Returns whether there are no elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert!(Tensor::zeros([2, 0], DType::Int8)?.lens().is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.chain.is_empty()
    }

    /// Returns the type of the elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5].lens().dtype(), DType::Float64);
    /// ```
    pub fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    /// Returns the tensor that the lens was made from.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.lens().reshape([4])?.tensor().shape(), [2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Returns the lens on a device: itself if it is there, or a lens of the same chain over a tensor without
    /// memory.
    ///
    /// ```
    /// use belvedere::{Device, prelude::*};
    ///
    /// let x = tensor![1, 2].lens().pad(&[(1, 1)])?.to_device(Device::Meta)?;
    /// assert_eq!((x.shape()[0], x.tensor().device()), (4, Device::Meta));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If values would be needed that the lens does not have.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn to_device(&self, device: Device) -> Result<Lens, Error> {
        if self.tensor.device() == device {
            return Ok(self.clone());
        }
        // The tensor without memory has a storage of the same length, which holds all that the chain reaches.
        let whole = Layout::row_major(&[self.tensor.storage().len()])?;
        let whole = Tensor::from_storage(self.tensor.storage().clone(), whole, DType::UInt8)?;
        let storage = whole.to_device(device)?.storage().clone();
        let on = |x: &Tensor| Tensor::from_storage(storage.clone(), x.layout().clone(), x.dtype());
        let (tensor, reached) = (on(&self.tensor)?, on(&self.reached)?);
        Ok(Lens { tensor, reached, ..self.clone() })
    }

    /// Returns the chain: the map from indices to offsets in the tensor's storage.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([3, 4], DType::Float32)?.t()?;
    /// let flat = x.lens().reshape([12])?;
    /// assert_eq!(flat.chain().as_layout(), None); // no strides express it
    /// assert_eq!(flat.reshape([4, 3])?.chain().as_layout().as_ref(), Some(x.layout()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Returns the number of layouts in the chain; 1 if it is a strided view.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?.lens();
    /// assert_eq!((x.depth(), x.t()?.reshape([6])?.depth()), (1, 2));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn depth(&self) -> usize {
        self.chain.depth()
    }

    /// Returns the element at an index, or the padding value.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.5, 2.5].lens().pad(&[(0, 1)])?;
    /// assert_eq!((x.get::<f64>([1])?, x.get::<f64>(2)?), (2.5, 0.0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of range, the dtype differs, or a guard holds the element for writing.
    #[track_caller]
    pub fn get<T: Value>(&self, index: impl ElementIndex) -> Result<T, Error> {
        match self.chain.index(&self.coordinates(index)?)? {
            Some(offset) => self.tensor.with_layout(Layout::scalar(offset)?).item(),
            None => self.padding.get().map(T::from_element),
        }
    }

    /// Writes one element of the tensor.
    ///
    /// A lens can be written through if each of its layouts is injective. That is decided for each layout alone:
    /// a lens that repeats elements and then selects each of them once is refused, unless the chain merges into
    /// one layout.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int32)?;
    /// let lens = x.t()?.lens().reshape([6])?.flip(&[0])?.pad(&[(1, 0)])?;
    /// lens.set([1], 7)?;
    /// assert_eq!(x.get::<i32>([1, 2])?, 7);
    /// assert_eq!(
    ///     lens.set([0], 7).unwrap_err().to_string(),
    ///     "index [0] is in the padding, which cannot be written"
    /// );
    /// assert!(lens.repeat(0, 2)?.set([2], 7).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of range or in the padding, the dtype differs, a layout is not injective, the memory
    /// is read-only, or a guard holds the element.
    #[track_caller]
    pub fn set<T: Value>(&self, index: impl ElementIndex, value: T) -> Result<(), Error> {
        let index = self.coordinates(index)?;
        let Some(offset) = self.chain.index(&index)? else {
            return Err(Error::Padding { index: index.to_vec().into() });
        };
        for layout in self.chain.stages().iter().filter_map(|stage| stage.inside()) {
            check_injective(layout)?;
        }
        self.tensor.with_layout(Layout::scalar(offset)?).set(&[], value)
    }

    /// Returns the coordinates of an index in any form: those of its position in row-major order.
    ///
    /// # Errors
    /// If it is out of bounds, or has another number of coordinates than axes.
    fn coordinates(&self, index: impl ElementIndex) -> Result<Shape, Error> {
        let shape = self.shape();
        let position = index.offset(&Layout::row_major(&shape)?)?;
        Ok(unravel_index(&shape, position)?)
    }

    /// Returns a tensor with the elements: a view of the same memory if the chain is one strided layout without
    /// padding, else a copy.
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
    /// If a copy is needed but is forbidden or cannot be allocated, or a guard holds elements for writing.
    ///
    /// # Memory
    /// Copies if `self.chain().as_layout()` is `None`.
    #[track_caller]
    pub fn to_tensor(&self) -> Result<Tensor, Error> {
        match self.strided() {
            Some(tensor) => Ok(tensor.clone()),
            None => self.copied(Call::new("to_tensor").copying(CopyReason::NoView)),
        }
    }

    /// Copies the elements and the padding to a new tensor in row-major order.
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
    /// If there is not enough memory, or a guard holds elements for writing.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy(&self) -> Result<Tensor, Error> {
        self.copied(Call::new("copy").copying(CopyReason::Requested))
    }

    /// Copies to a new tensor: SKaiNET's name of [`Lens::copy`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2].lens().tile(&[2])?.materialize()?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 2, 1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory, or a guard holds elements for writing.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn materialize(&self) -> Result<Tensor, Error> {
        self.copied(Call::new("materialize").copying(CopyReason::Requested))
    }

    /// Copies to row-major order.
    pub(crate) fn copied(&self, call: Call<'_>) -> Result<Tensor, Error> {
        if let Some(tensor) = self.strided() {
            return tensor.copied(call);
        }
        let (layout, dtype) = (Layout::row_major(self.chain.shape())?, self.dtype());
        compute_new(call, layout, dtype, &[crate::Operand::from_reached(self)], |out, [view]| {
            map_lens::copy(out, &AnyLens::new(&view, self))
        })
    }

    /// Returns the view with the layout of the chain, if that is one layout without padding.
    pub(crate) fn strided(&self) -> Option<&Tensor> {
        match self.chain.stages() {
            [only] if !only.is_padded() => Some(&self.reached),
            _ => None,
        }
    }

    /// Returns a view that contains every element the lens reaches, in an unspecified order.
    pub(crate) fn reached(&self) -> &Tensor {
        &self.reached
    }

    /// Returns the padding value.
    pub(crate) fn padding(&self) -> &Cell {
        &self.padding
    }

    /// Returns whether some index may be in the padding.
    fn is_padded(&self) -> bool {
        self.chain.stages().iter().any(|stage| stage.is_padded())
    }

    /// Returns the lens of an operation with a chain derived from this one, and announces it.
    #[track_caller]
    fn lens_through<'p, const N: usize>(
        &self,
        op: &'static str,
        chain: Chain,
        params: impl FnOnce() -> [NamedParam<'p>; N],
    ) -> Lens {
        let lens = self.with_chain(chain);
        announce_lens(Call::new(op), self, &lens, params);
        lens
    }

    /// Returns a lens of the same tensor with a chain derived from this one.
    fn with_chain(&self, chain: Chain) -> Lens {
        let layout = chain.as_layout().or_else(|| chain.base().cloned());
        let nothing = || Layout::row_major(&[0]).expect("a layout without elements");
        let reached = self.tensor.with_layout(layout.unwrap_or_else(nothing));
        Lens { tensor: self.tensor.clone(), chain, reached, padding: self.padding }
    }
}

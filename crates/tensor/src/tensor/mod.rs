//! Shared memory, seen through a layout.

mod alias;
mod assign;
mod bytes;
mod create;
mod index;
mod like;
mod literal;
mod shape;
mod show;
mod text;
mod values;

pub use create::Span;
pub(crate) use create::{reserve, row_major};
pub use literal::Nested;

use crate::{DType, Error, Layout, Shape, Storage, Strides};
use belvedere_layout::{Answer, Bytes};
use std::mem::MaybeUninit;

/// Shared memory, seen through a layout, with elements of one type.
///
/// Every tensor is a view: cloning one, or taking a part of it, shares its memory, and what is
/// written through one is seen through all of them. Tensors can be sent to other threads and used
/// from several of them at once.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::zeros([2, 3], DType::Float32)?;
/// x.slice(s![1, ..])?.fill(7.0)?;
/// assert_eq!(x.to_vec::<f32>()?, [0.0, 0.0, 0.0, 7.0, 7.0, 7.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    storage: Storage,
    /// Invariant: it fits in the storage, whose first byte is aligned for the type.
    layout: Layout,
    dtype: DType,
}

// Tensors and the results that hold them are moved by every call: they stay small.
const _: () = assert!(size_of::<Layout>() <= 128);
const _: () = assert!(size_of::<Tensor>() <= 160);
const _: () = assert!(size_of::<Result<Tensor, Error>>() <= 160);

impl Tensor {
    /// Sees a storage through a layout, as elements of a type.
    ///
    /// # Errors
    /// If the layout reaches outside of the storage, or its memory is not aligned for the type.
    ///
    /// # Memory
    /// Never copies.
    #[inline]
    pub fn from_storage(storage: Storage, layout: Layout, dtype: DType) -> Result<Tensor, Error> {
        layout.check_fits(dtype.count_in(storage.len()))?;
        let address = storage.address();
        if !address.is_multiple_of(dtype.align()) && !layout.is_empty() {
            return Err(Error::Unaligned { address, dtype });
        }
        Ok(Tensor { storage, layout, dtype })
    }

    /// Sees the same memory through another layout.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..4)?;
    /// let pairs = x.through(x.layout().windows(0, 2, 1)?)?;
    /// assert_eq!(pairs.to_vec::<i32>()?, [0, 1, 1, 2, 2, 3]);
    /// assert!(x.narrow(0, 0, 2)?.through(Layout::row_major(&[5])?).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout reaches outside of the storage.
    ///
    /// # Memory
    /// Never copies.
    // Always: called, its result would go through memory once more, which a view takes as long for as for
    // all the rest.
    #[inline(always)]
    pub fn through(&self, layout: Layout) -> Result<Tensor, Error> {
        match self.is_surely_seen(&layout) {
            true => Ok(Tensor { storage: self.storage.clone(), layout, dtype: self.dtype }),
            false => self.through_checked(layout),
        }
    }

    /// As [`Tensor::through`], made in a place that the caller has for it. A tensor is long: who keeps it in
    /// memory of another library's objects, as bindings do, has it written there once instead of moved.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use std::mem::MaybeUninit;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// let mut place = Box::new(MaybeUninit::uninit());
    /// let columns = x.through_into(x.layout().t()?, &mut place)?;
    /// assert_eq!(columns.shape(), [3, 2]);
    /// # // SAFETY: it was written.
    /// # drop(unsafe { place.assume_init() });
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::through`]; nothing was written then.
    ///
    /// # Memory
    /// Never copies.
    #[inline(always)]
    pub fn through_into<'a>(
        &self,
        layout: Layout,
        place: &'a mut MaybeUninit<Tensor>,
    ) -> Result<&'a mut Tensor, Error> {
        match self.is_surely_seen(&layout) {
            true => {
                let storage = self.storage.clone();
                Ok(place.write(Tensor { storage, layout, dtype: self.dtype }))
            }
            false => Ok(place.write(self.through_checked(layout)?)),
        }
    }

    /// Whether nothing has to be asked before the memory is seen through another layout.
    #[inline(always)]
    fn is_surely_seen(&self, layout: &Layout) -> bool {
        // Where there are elements, the memory is aligned for them.
        !self.is_empty() && layout.fits(self.dtype.count_in(self.storage.len()))
    }

    #[cold]
    #[inline(never)]
    fn through_checked(&self, layout: Layout) -> Result<Tensor, Error> {
        Tensor::from_storage(self.storage.clone(), layout, self.dtype)
    }

    /// Sees a new storage through a layout. If it does not fit, this panics.
    #[inline(always)]
    pub(crate) fn on_new(storage: Storage, layout: Layout, dtype: DType) -> Tensor {
        let is_aligned = storage.address().is_multiple_of(dtype.align());
        let fits = layout.fits(dtype.count_in(storage.len()));
        assert!(fits && is_aligned, "room for the tensor");
        Tensor { storage, layout, dtype }
    }

    /// The same memory through a layout that a view operation made of this one's.
    #[inline(always)]
    pub(crate) fn with_layout(&self, layout: Layout) -> Tensor {
        assert!(layout.fits(self.dtype.count_in(self.storage.len())));
        Tensor { storage: self.storage.clone(), layout, dtype: self.dtype }
    }

    /// The type of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// How the elements are found in the storage.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The shared memory.
    #[inline]
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The lengths of the axes.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// How far apart neighbours along each axis lie, in elements.
    pub fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// The position of the first element in the storage, in elements.
    #[inline]
    pub fn offset(&self) -> usize {
        self.layout.start()
    }

    /// The number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The bytes that the elements take, whether or not some share their memory.
    pub fn n_bytes(&self) -> usize {
        self.len().saturating_mul(self.dtype.size())
    }

    /// Whether the elements lie one behind the other, in the order of the indices.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// Whether two tensors share an element: exactly, by address, also if their types differ or
    /// the same memory was imported twice. None if it was too hard to decide.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange(0..10)?;
    /// let (even, odd) = (x.slice(s![..;2])?, x.slice(s![1..;2])?);
    /// assert_eq!(even.shares_memory(&x), Some(true));
    /// assert_eq!(even.shares_memory(&odd), Some(false));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn shares_memory(&self, other: &Tensor) -> Option<bool> {
        match self.bytes().overlaps(other.bytes()) {
            Answer::No => Some(false),
            Answer::Yes => Some(true),
            Answer::TooHard => None,
        }
    }

    /// The bytes that the elements are at.
    pub(crate) fn bytes(&self) -> Bytes<'_> {
        Bytes { address: self.storage.address(), layout: &self.layout, size: self.dtype.size() }
    }
}

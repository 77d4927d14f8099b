//! The tensor: shared memory with a layout and a dtype.

mod alias;
mod assign;
mod collect;
mod compare;
mod create;
mod device;
mod export;
mod format;
mod into_vec;
mod like;
mod literal;
mod range;
mod reinterpret;
mod reshape;
mod shape;
mod show;
mod values;

pub(crate) use create::{reserve, try_collect};
pub use literal::Nested;
pub use range::Span;

use crate::trace::{Call, NamedParam, Param, announce_view, announce_view_with};
use crate::{DType, Error, Layout, Shape, Storage, Strides};
use belvedere_layout::{Answer, Bytes};
use std::mem::MaybeUninit;

/// A strided view of shared memory: a [`Storage`], a [`Layout`] and a [`DType`].
///
/// Every tensor is a view: cloning or slicing shares the memory, and writes through one view are visible
/// through all of them. Tensors can be sent to other threads and used by several threads concurrently.
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
    /// Invariants:
    /// 1. Every offset of the layout is inside of the storage, in elements of `dtype`.
    /// 2. If the layout has elements, the first byte of the storage is aligned for `dtype`.
    layout: Layout,
    dtype: DType,
}

// Every call moves tensors and results that hold them, so their size matters.
const _: () = assert!(size_of::<Layout>() <= 128);
const _: () = assert!(size_of::<Tensor>() <= 160);
const _: () = assert!(size_of::<Result<Tensor, Error>>() <= 160);

impl Tensor {
    /// Returns a view of a storage with a layout and a dtype.
    ///
    /// ```
    /// use belvedere::{DType, Layout, Storage, Tensor};
    ///
    /// let storage = Storage::from_vec(vec![1i32, 2, 3, 4]);
    /// let x = Tensor::from_storage(storage.clone(), Layout::row_major(&[2, 2])?, DType::Int32)?;
    /// assert_eq!(x.get::<i32>(&[1, 1])?, 4);
    /// assert!(Tensor::from_storage(storage, Layout::row_major(&[5])?, DType::Int32).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout exceeds the storage, or the storage is unaligned for the dtype.
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

    /// Returns a view of the same storage with another layout: for bindings, which compute layouts of their own.
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
    /// If the layout exceeds the storage.
    ///
    /// # Memory
    /// Never copies.
    #[doc(hidden)]
    // `always`: not inlined, the result would be written to memory once more, which takes as long as the
    // rest of a view operation.
    #[inline(always)]
    #[track_caller]
    pub fn through(&self, layout: Layout) -> Result<Tensor, Error> {
        let view = match self.surely_fits(&layout) {
            true => Tensor { storage: self.storage.clone(), layout, dtype: self.dtype },
            false => self.through_checked(layout)?,
        };
        announce_view(Call::new("through"), self, &view);
        Ok(view)
    }

    /// Like [`Tensor::through`], but writes the tensor to `place`. A tensor has up to 160 bytes: bindings that keep
    /// it inside of objects of another language write it there once instead of moving it. `op` and `params` are the
    /// name and the parameters of the binding's operation, for its event; `params` is called if a scope listens.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use std::mem::MaybeUninit;
    ///
    /// let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    /// let mut place = Box::new(MaybeUninit::uninit());
    /// let columns = x.through_into("transpose", || [], x.layout().t()?, &mut place)?;
    /// assert_eq!(columns.shape(), [3, 2]);
    /// # // SAFETY: it was written.
    /// # drop(unsafe { place.assume_init() });
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::through`]; `place` is unchanged then.
    ///
    /// # Memory
    /// Never copies.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    pub fn through_into<'a, 'p, const N: usize>(
        &self,
        op: &'static str,
        params: impl FnOnce() -> [(&'static str, Param<'p>); N],
        layout: Layout,
        place: &'a mut MaybeUninit<Tensor>,
    ) -> Result<&'a mut Tensor, Error> {
        let view = match self.surely_fits(&layout) {
            true => {
                let storage = self.storage.clone();
                place.write(Tensor { storage, layout, dtype: self.dtype })
            }
            false => place.write(self.through_checked(layout)?),
        };
        announce_view_with(Call::new(op), self, view, params);
        Ok(view)
    }

    /// Returns whether a layout fits, by the cheap test that suffices for tensors with elements.
    #[inline(always)]
    fn surely_fits(&self, layout: &Layout) -> bool {
        // A tensor that has elements is aligned (invariant 2).
        !self.is_empty() && layout.fits(self.dtype.count_in(self.storage.len()))
    }

    #[cold]
    #[inline(never)]
    fn through_checked(&self, layout: Layout) -> Result<Tensor, Error> {
        Tensor::from_storage(self.storage.clone(), layout, self.dtype)
    }

    /// Returns a view of a new storage. Panics if the layout does not fit.
    #[inline(always)]
    pub(crate) fn on_new(storage: Storage, layout: Layout, dtype: DType) -> Tensor {
        let is_aligned = storage.address().is_multiple_of(dtype.align());
        let fits = layout.fits(dtype.count_in(storage.len()));
        assert!(fits && is_aligned, "the storage was allocated for this layout and dtype");
        Tensor { storage, layout, dtype }
    }

    /// Returns a view of the same memory with a layout derived from this one. Panics if it does not fit.
    #[inline(always)]
    pub(crate) fn with_layout(&self, layout: Layout) -> Tensor {
        assert!(layout.fits(self.dtype.count_in(self.storage.len())));
        Tensor { storage: self.storage.clone(), layout, dtype: self.dtype }
    }

    /// Returns the view of an operation with a layout derived from this one, and announces it with parameters, which
    /// are evaluated if a scope listens.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn view_through<'p, const N: usize>(
        &self,
        op: &'static str,
        layout: Layout,
        params: impl FnOnce() -> [NamedParam<'p>; N],
    ) -> Tensor {
        self.view_with_params(Call::new(op), layout, params)
    }

    /// Returns the view of a call with a layout derived from this one, and announces it with parameters, which are
    /// evaluated if a scope listens.
    #[inline(always)]
    pub(crate) fn view_with_params<'p, const N: usize>(
        &self,
        call: Call<'_>,
        layout: Layout,
        params: impl FnOnce() -> [NamedParam<'p>; N],
    ) -> Tensor {
        let view = self.with_layout(layout);
        announce_view_with(call, self, &view, params);
        view
    }

    /// Returns the view of a call with a layout derived from this one, and announces it.
    #[inline(always)]
    pub(crate) fn view_of_call(&self, call: Call<'_>, layout: Layout) -> Tensor {
        let view = self.with_layout(layout);
        announce_view(call, self, &view);
        view
    }

    /// Returns the type of the elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.5f32].dtype(), DType::Float32);
    /// ```
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the layout: the map from indices to offsets in the storage.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Int8)?;
    /// assert_eq!(x.layout(), &Layout::row_major(&[2, 3])?);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the shared memory.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2];
    /// assert_eq!(x.storage().len(), 8);
    /// ```
    #[inline]
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    #[inline]
    pub(crate) fn storage_mut(&mut self) -> &mut Storage {
        &mut self.storage
    }

    /// Returns the lengths of the axes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2, 3]].shape(), [1, 3]);
    /// ```
    #[inline]
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// Returns the lengths of all axes as an array, for a rank that is known when compiling.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros_of::<f32>((2, 16, 512))?;
    /// let [batch, time, channels] = x.dims()?;
    /// assert_eq!((batch, time, channels), (2, 16, 512));
    /// let error = x.dims::<2>().unwrap_err();
    /// assert_eq!(error.to_string(), "expected 2 axes, got 3: shape [2, 16, 512]");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the rank is not `N`.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        Ok(self.layout.dims()?)
    }

    /// Returns the distance between neighbours along each axis, in elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::zeros([2, 3], DType::Float64)?.strides(), [3, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn strides(&self) -> Strides {
        self.layout.strides()
    }

    /// Returns the position of the first element in the storage, in elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::arange(0..6)?.slice(s![2..])?.offset(), 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn offset(&self) -> usize {
        self.layout.start()
    }

    /// Returns the number of axes.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2, 3]].rank(), 2);
    /// ```
    #[inline]
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[1, 2, 3]].len(), 3);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Returns whether there are no elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert!(Tensor::zeros([2, 0], DType::Int8)?.is_empty());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// Returns the number of elements times their size; broadcast elements are counted repeatedly.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0, 2.0].n_bytes(), 16);
    /// ```
    pub fn n_bytes(&self) -> usize {
        self.len().saturating_mul(self.dtype.size())
    }

    /// Returns whether the elements are contiguous in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert!(x.is_contiguous() && !x.t()?.is_contiguous());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// Returns whether two tensors share an element, exactly; `None` if that was too hard to decide.
    ///
    /// Elements are compared by address, also if the dtypes differ or the same memory was imported twice.
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
        if !self.storage.may_share(&other.storage) {
            return Some(false);
        }
        match self.bytes().overlaps(other.bytes()) {
            Answer::No => Some(false),
            Answer::Yes => Some(true),
            Answer::TooHard => None,
        }
    }

    /// Returns the bytes of the elements, for overlap tests.
    pub(crate) fn bytes(&self) -> Bytes<'_> {
        Bytes { address: self.storage.address(), layout: &self.layout, size: self.dtype.size() }
    }
}

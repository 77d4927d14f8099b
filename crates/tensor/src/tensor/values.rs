//! Reading elements and casting them: `to_vec`, `item`, `get`, `astype`.

use super::Tensor;
use super::create::reserve;
use crate::copies::CopyReason;
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::kernel::small::{copy_small, map_small};
use crate::op::execute::{
    ResultOrder, SmallOperands, compute_new, element_storage, read_only_element, read_operands,
    try_copy_element, try_copy_element_again, try_initial_element,
};
use crate::plan::output_layout;
use crate::trace::{Announcement, Call, EventMemory, Param, is_listening};
use crate::view::Source;
use crate::{DType, ElementIndex, Error, Layout, Value};
use std::mem::MaybeUninit;

impl Tensor {
    /// Copies the elements to a vector, in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.t()?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert_eq!(x.to_vec::<f32>().unwrap_err().to_string(), "expected a tensor of float32, got int32");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype differs, a guard holds elements for writing, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn to_vec<T: Value>(&self) -> Result<Vec<T>, Error> {
        self.copied_to_vec(Call::new("to_vec"))
    }

    /// Copies the elements to a vector, in row-major order, as the requested copy of a call.
    pub(crate) fn copied_to_vec<T: Value>(&self, call: Call<'_>) -> Result<Vec<T>, Error> {
        self.check_type::<T::Element>()?;
        let call = call.copying(CopyReason::Requested);
        read_operands(call, &[self.into()], |[view]| {
            let mut values = reserve(self.len())?;
            let view = view.typed::<T::Element>()?;
            for run in view.runs() {
                run.append_to(&mut values, T::from_element);
            }
            Ok(values)
        })?
    }

    /// Returns the only element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[7]].item::<i32>()?, 7);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not exactly one element, the dtype differs, or a guard holds it for writing.
    #[track_caller]
    pub fn item<T: Value>(&self) -> Result<T, Error> {
        if self.len() != 1 {
            return Err(Error::NotOneElement { shape: self.shape().into() });
        }
        self.check_type::<T::Element>()?;
        if let Some(element) = read_only_element(self) {
            return Ok(T::from_element(element));
        }
        read_operands(Call::new("item"), &[self.into()], |[view]| {
            let view = view.typed::<T::Element>()?;
            view.get(&vec![0; self.rank()]).map(T::from_element)
        })?
    }

    /// Returns the element at an index.
    ///
    /// Every call compares the dtype, and claims and releases the memory by atomic operations, which takes many times as
    /// long as the access itself: fine for single elements, not for loops. A loop borrows the tensor once with
    /// [`Tensor::read`] and indexes the guard or iterates over it. The fastest loop over computed indices is one over a
    /// view of constant rank, [`Elements::fixed`](crate::Elements::fixed).
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.get::<i32>([1, 0])?, 3);
    /// let guard = x.read::<i32>()?;
    /// assert_eq!((0..2).map(|i| guard[[i, i]]).sum::<i32>(), 5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the index is out of range, the dtype differs, or a guard holds the element for writing.
    #[track_caller]
    pub fn get<T: Value>(&self, index: impl ElementIndex) -> Result<T, Error> {
        let at = Layout::scalar(index.offset(&self.layout)?)?;
        self.with_layout(at).item()
    }

    /// Returns the element that a layout of rank 0 leads to, as a new tensor of rank 0: for bindings, which have
    /// indices of their own.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// let last = x.element_through("getitem", &[], x.layout().select(0, -1)?)?;
    /// x.fill(0)?;
    /// assert_eq!(last.item::<i32>()?, 3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layout has axes or exceeds the storage, a guard holds the element for writing, or there is not enough
    /// memory.
    ///
    /// # Memory
    /// Allocates the result. It is not a copy of the tensor: the event is that of a new tensor.
    #[doc(hidden)]
    #[track_caller]
    pub fn element_through(
        &self,
        op: &'static str,
        params: &[(&'static str, Param<'_>)],
        layout: Layout,
    ) -> Result<Tensor, Error> {
        if layout.rank() != 0 {
            let (needed, given) = ([].into(), layout.shape().into());
            return Err(Error::ShapeMismatch { op, needed, given });
        }
        let part = Tensor::from_storage(self.storage.clone(), layout, self.dtype)?;
        let (call, layout) = (Call::new(op).with(params), Layout::scalar(0)?);
        compute_new(call, layout, self.dtype, &[(&part).into()], |out, [view]| copy(out, &view))
    }

    /// Copies the element at an offset of the storage to a new tensor of rank 0, which is written to `place`, if that can be
    /// done at once: `None` if a scope listens, another thread has claimed the memory, or the storage ends before it. The fast
    /// path of bindings; [`Tensor::element_through`] does the same in every case.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use std::mem::MaybeUninit;
    ///
    /// let x = tensor![1, 2, 3];
    /// let mut place = MaybeUninit::uninit();
    /// let last = x.try_element_into(2, &mut place).expect("no other thread uses it");
    /// assert_eq!(last.item::<i32>()?, 3);
    /// # // SAFETY: it was written.
    /// # drop(unsafe { place.assume_init() });
    /// assert!(x.try_element_into(3, &mut MaybeUninit::uninit()).is_none());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Allocates the result.
    #[doc(hidden)]
    #[inline]
    pub fn try_element_into<'p>(
        &self,
        offset: usize,
        place: &'p mut MaybeUninit<Tensor>,
    ) -> Option<&'p mut Tensor> {
        if is_listening() { None } else { try_copy_element(self, offset, place) }
    }

    /// Replaces a tensor of rank 0 that [`Tensor::try_element_into`] returned by the element at an offset of a storage, as if
    /// it were returned by a new call. False, without side effects, also if it was written since or shares its memory.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use std::mem::MaybeUninit;
    ///
    /// let x = tensor![1, 2, 3];
    /// let mut place = MaybeUninit::uninit();
    /// let element = x.try_element_into(2, &mut place).expect("no other thread uses it");
    /// assert!(element.try_replace_element(&x, 1));
    /// assert_eq!(element.item::<i32>()?, 2);
    /// let shared = element.clone();
    /// assert!(!element.try_replace_element(&x, 0));
    /// assert_eq!(shared.item::<i32>()?, 2);
    /// # // SAFETY: it was written.
    /// # drop(unsafe { place.assume_init() });
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Never allocates.
    #[doc(hidden)]
    #[inline]
    pub fn try_replace_element(&mut self, x: &Tensor, offset: usize) -> bool {
        !is_listening() && try_copy_element_again(self, x, offset)
    }

    /// Returns the only element if it can be read at once: `None` if there are more, it is of another dtype, a scope listens,
    /// or another thread has claimed the memory. The fast path of bindings; [`Tensor::item`] does the same in every case.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![7].try_item::<i32>(), Some(7));
    /// assert_eq!(tensor![7].try_item::<i64>(), None);
    /// ```
    ///
    /// # Memory
    /// Never allocates.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    pub fn try_item<T: Value>(&self) -> Option<T> {
        if is_listening() {
            return None;
        }
        // Most elements in the loops of a program are results; these few instructions are inlined.
        let element = try_initial_element(self).or_else(|| read_only_element(self));
        element.map(T::from_element)
    }

    /// Makes a tensor of rank 0 in memory, whatever the [device](crate::with_device) is: for the results of operations that
    /// bindings compute themselves. An element of more than 8 bytes is refused.
    ///
    /// ```
    /// use belvedere::{Complex, prelude::*};
    ///
    /// let x = Tensor::of_element(true).expect("a small element");
    /// assert!(x.rank() == 0 && x.item::<bool>()? && x.is_sole_element());
    /// assert!(Tensor::of_element(Complex::new(1.0, 2.0)).is_none());
    /// x.fill(false)?;
    /// assert!(!x.is_sole_element());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Memory
    /// Allocates the result.
    #[doc(hidden)]
    #[inline]
    pub fn of_element<T: Value>(value: T) -> Option<Tensor> {
        let storage = element_storage(value.into_element())?;
        Some(Tensor::on_new(storage, Layout::scalar(0).ok()?, T::Element::DTYPE))
    }

    /// Returns whether it is a tensor of rank 0 that has the value it was made with and shares its memory with no other:
    /// then a binding that has the only reference to it may return it again.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::of_element(7).expect("a small element");
    /// assert!(x.is_sole_element());
    /// let view = x.clone();
    /// assert!(!x.is_sole_element());
    /// ```
    #[doc(hidden)]
    #[inline]
    pub fn is_sole_element(&self) -> bool {
        self.rank() == 0 && self.storage.is_sole_element()
    }

    /// Casts the elements to another dtype.
    ///
    /// Integers wrap around. Floats round to nearest; to integers they truncate towards zero and saturate at the
    /// limits, and NaN becomes 0. Every value except zero becomes `true`. Complex elements have to be made real by
    /// [`Tensor::real`] or [`Tensor::abs`] first.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-1.5, 300.0, f64::NAN];
    /// assert_eq!(x.astype(DType::UInt8)?.to_vec::<u8>()?, [0, 255, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If complex elements would be cast to a real dtype, or there is not enough memory.
    ///
    /// # Memory
    /// Copies unless the dtype is the same.
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Result<Tensor, Error> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        check_astype(self.dtype, dtype)?;
        let params = [("dtype", dtype.into())];
        let call = Call::new("astype").with(&params).copying(CopyReason::Requested);
        let (body, operands) = (cast(self.dtype, dtype), [self.into()]);
        if !is_listening()
            && let Some(small) = SmallOperands::borrow(&operands, ResultOrder::Keep)
        {
            return small.compute(&Announcement::NONE, small.shape, dtype, |out, inputs| {
                map_small(&body, out, inputs)
            });
        }
        let layout = output_layout(&self.shape(), &[&self.layout])?;
        compute_new(call.planned(), layout, dtype, &operands, |out, [view]| {
            map(&body, out, &[Source::View(view)])
        })
    }

    /// Copies the elements to a new tensor in row-major order.
    pub(crate) fn copied(&self, call: Call<'_>) -> Result<Tensor, Error> {
        let operands = [self.into()];
        let event = call.announce_result(|| self.n_bytes())?;
        if let Some(small) = SmallOperands::borrow(&operands, ResultOrder::RowMajor) {
            return small.compute(&event, small.shape, self.dtype, copy_small);
        }
        let layout = Layout::row_major(&self.shape())?;
        let call = event.continued(call).planned();
        compute_new(call, layout, self.dtype, &operands, |out, [view]| copy(out, &view))
    }

    /// Copies the elements to a new tensor of another shape, in row-major order.
    #[inline(never)]
    pub(super) fn copied_as(&self, call: Call<'_>, shape: &[usize]) -> Result<Tensor, Error> {
        let operands = [self.into()];
        let event = call.announce_result(|| self.n_bytes())?;
        let layout = Layout::row_major(shape)?;
        if let Some(small) = SmallOperands::borrow(&operands, ResultOrder::RowMajor) {
            let copy = small.compute(&Announcement::NONE, small.shape, self.dtype, copy_small)?;
            let result = Tensor { layout, ..copy };
            event.deliver_new(&operands, &[EventMemory::of(&result)], None)?;
            return Ok(result);
        }
        compute_new(event.continued(call), layout, self.dtype, &operands, |out, [view]| {
            let out = out.view(&view.layout().shape());
            copy(out.expect("contiguous elements have a view of every shape"), &view)
        })
    }
}

/// Checks that no cast discards imaginary parts.
pub(super) fn check_astype(from: DType, to: DType) -> Result<(), Error> {
    if from.is_complex() && !to.is_complex() && !to.is_bool() {
        return Err(Error::Cast { from, to });
    }
    Ok(())
}

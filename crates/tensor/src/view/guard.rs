//! Guards: typed borrows of a tensor that the user holds.

use super::check_injective;
use super::elements::{Elements, SizedElements, deref_to_elements};
use crate::borrow::{self, ClaimRequest, Ticket};
use crate::trace::{Call, EventKind};
use crate::{Element, Error, Tensor, View, ViewMut};
use std::mem::ManuallyDrop;
use std::ptr;

/// A tensor that is borrowed for reading until the guard is dropped; returned by [`Tensor::read`].
///
/// It dereferences to [`Elements`]: indices, iterators and view operations work on the guard itself.
///
/// ```edition2021
/// use belvedere::prelude::*;
///
/// fn total(x: &Tensor) -> Result<f32, Error> {
///     Ok(x.read::<f32>()?.iter().sum())
/// }
///
/// let x = tensor![[1.0_f32, 2.0], [3.0, 4.0]];
/// let rows: Vec<f32> = x.read::<f32>()?.rows().map(|row| row.iter().fold(0.0, f32::max)).collect();
/// assert_eq!((total(&x)?, rows), (10.0, vec![2.0, 4.0]));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// What is borrowed from a guard ends before it:
///
/// ```compile_fail,E0505
/// use belvedere::prelude::*;
///
/// let guard = tensor![1, 2, 3].read::<i32>()?;
/// let view = guard.view();
/// drop(guard);
/// println!("{}", view[0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct ReadGuard<T> {
    /// Invariant: the elements are claimed for reading. Dropped by `drop` only.
    claimed: ManuallyDrop<ClaimedElements<T>>,
}

/// A tensor that is borrowed for writing until the guard is dropped; returned by [`Tensor::write`].
///
/// It dereferences to [`Elements`], for reading and for writing.
///
/// ```edition2021
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3, 4]];
/// let mut w = x.write::<i32>()?;
/// w[[0, 0]] = 10;
/// w.iter_mut().rev().take(2).for_each(|value| *value += 1);
/// drop(w);
/// assert_eq!(x.to_vec::<i32>()?, [10, 2, 4, 5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// The elements of two guards cannot be exchanged, as each guard claims its own:
///
/// ```compile_fail,E0277
/// use belvedere::prelude::*;
///
/// let (mut a, mut b) = (tensor![1].write::<i32>()?, tensor![2].write::<i32>()?);
/// std::mem::swap(&mut *a, &mut *b);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct WriteGuard<T> {
    /// Invariant: the elements are claimed for writing, and the layout is injective. Dropped by `drop` only.
    claimed: ManuallyDrop<ClaimedElements<T>>,
}

/// Elements with the claim on them.
struct ClaimedElements<T> {
    /// Invariant: the layout fits in the ticket's storage, whose elements are of type `T`.
    elements: SizedElements<T>,
    ticket: Ticket<'static>,
}

/// Releases the claim of a guard. Not generic, so that it is compiled in this crate.
#[inline(never)]
fn release(ticket: Ticket<'static>) {
    drop(ticket);
}

/// Frees the layout of a guard whose axes are on the heap.
#[cold]
#[inline(never)]
fn free<T>(elements: SizedElements<T>) {
    drop(elements);
}

macro_rules! drop_guards {
    ($($guard:ident)+) => {$(
        /// Drops the fields by value, and is inlined, so that no function ever takes the address of a guard in order to
        /// drop it. The compiler would have to assume that a function which knows the address changes the layout, and that
        /// every store of an element may do so, too: loops that write elements by index would load and check the layout
        /// for each of them (a stencil of 1024² elements took 3.3 ms instead of 0.2). The layout is moved only if there is
        /// something to free: it is 128 bytes.
        impl<T> Drop for $guard<T> {
            #[inline(always)]
            fn drop(&mut self) {
                let claimed = &*self.claimed;
                if !claimed.elements.layout().is_inline() {
                    // SAFETY: the field is not used again: this is the drop of the guard.
                    free(unsafe { ptr::read(&claimed.elements) });
                }
                // SAFETY: as above.
                release(unsafe { ptr::read(&claimed.ticket) });
            }
        }
    )+};
}

drop_guards!(ReadGuard WriteGuard);

deref_to_elements!(ReadGuard<T: Element>, claimed.elements);
deref_to_elements!(mut WriteGuard<T: Element>, claimed.elements);

impl Tensor {
    /// Borrows the elements for reading until the guard is dropped.
    ///
    /// Other code may read the elements at the same time, and write to other elements of the storage.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2])?;
    /// let guard = x.read::<f64>()?;
    /// assert_eq!(guard[[1, 0]], 3.0);
    /// assert_eq!(x.fill(0.0).unwrap_err().kind(), ErrorKind::Borrow);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the elements are of another type, or one of them is borrowed by a [`WriteGuard`]. Waits for running
    /// operations.
    #[track_caller]
    pub fn read<T: Element>(&self) -> Result<ReadGuard<T>, Error> {
        self.check_type::<T>()?;
        let event = Call::new("read").announce();
        let ticket = borrow::claim_guard(self.access(false))?;
        event.deliver_access(EventKind::Read, self)?;
        let ptr = ticket.storage().ptr().cast();
        // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned, and the dtype was
        // compared. The ticket keeps the storage alive and excludes writers while the guard lives, which gives out
        // shared references only while it is borrowed.
        let elements = unsafe { SizedElements::new(ptr, self.layout().clone()) };
        Ok(ReadGuard { claimed: ManuallyDrop::new(ClaimedElements { elements, ticket }) })
    }

    /// Borrows the elements for writing until the guard is dropped.
    ///
    /// Other code may use other elements of the storage at the same time.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([4], DType::Int32)?;
    /// let (left, right) = x.split_at(0, 2)?;
    /// let (mut a, mut b) = (left.write::<i32>()?, right.write::<i32>()?);
    /// a.fill(1);
    /// b.fill(2);
    /// drop((a, b));
    /// assert_eq!(x.to_vec::<i32>()?, [1, 1, 2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the elements are of another type, the memory is read-only, an element has two indices, or one of
    /// them is borrowed by another guard. Waits for running operations.
    #[track_caller]
    pub fn write<T: Element>(&self) -> Result<WriteGuard<T>, Error> {
        self.check_type::<T>()?;
        self.check_writable()?;
        let event = Call::new("write").announce();
        let ticket = borrow::claim_guard(self.access(true))?;
        event.deliver_access(EventKind::InPlace, self)?;
        let ptr = ticket.storage().ptr().cast();
        // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned, and the dtype was
        // compared; the storage is writable and the layout injective. The ticket keeps the storage alive and excludes
        // all other accesses while the guard lives, which gives out shared references while it is borrowed and
        // unique ones while it is borrowed for writing.
        let elements = unsafe { SizedElements::new(ptr, self.layout().clone()) };
        Ok(WriteGuard { claimed: ManuallyDrop::new(ClaimedElements { elements, ticket }) })
    }

    pub(crate) fn check_type<T: Element>(&self) -> Result<(), Error> {
        if self.dtype() != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype() });
        }
        Ok(())
    }

    /// Checks that the elements can be written.
    ///
    /// # Errors
    /// If the memory is read-only, or an element has two indices.
    pub(crate) fn check_writable(&self) -> Result<(), Error> {
        if !self.storage().is_writable() {
            return Err(Error::ReadOnly);
        }
        check_injective(self.layout())
    }

    /// Returns the request to read or write all elements.
    pub(crate) fn access(&self, write: bool) -> ClaimRequest<'_> {
        let size = self.dtype().size();
        ClaimRequest { storage: self.storage(), layout: self.layout(), size, write }
    }
}

impl<T: Element> ReadGuard<T> {
    /// Returns a view of the elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let guard = tensor![1, 2, 3].read::<i32>()?;
    /// assert_eq!(guard.view().iter().sum::<i32>(), 6);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn view(&self) -> View<'_, T> {
        self.as_view()
    }
}

impl<T: Element> WriteGuard<T> {
    /// Returns a view of the elements for reading.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let guard = tensor![1, 2, 3].write::<i32>()?;
    /// assert_eq!(guard.view().to_vec()?, [1, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn view(&self) -> View<'_, T> {
        self.as_view()
    }

    /// Returns a view of the elements for writing.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// let mut guard = x.write::<i32>()?;
    /// guard.view_mut().flip([0])?.map(|it| 10 * it);
    /// drop(guard);
    /// assert_eq!(x.to_vec::<i32>()?, [10, 20, 30]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        self.reborrow()
    }
}

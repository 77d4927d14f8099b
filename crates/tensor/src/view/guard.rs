//! Guards: typed borrows of a tensor that the user holds.

use super::check_injective;
use crate::borrow::{self, ClaimRequest, Ticket};
use crate::trace::{Call, EventKind};
use crate::{Element, Error, Layout, Tensor, View, ViewMut};
use std::marker::PhantomData;

/// A tensor that is borrowed for reading until the guard is dropped; returned by [`Tensor::read`].
pub struct ReadGuard<T> {
    /// Invariant: it fits in the ticket's storage, whose elements are of type `T`.
    layout: Layout,
    /// Invariant: it claims the elements of the layout for reading.
    ticket: Ticket<'static>,
    element: PhantomData<T>,
}

/// A tensor that is borrowed for writing until the guard is dropped; returned by [`Tensor::write`].
pub struct WriteGuard<T> {
    /// Invariant: it fits in the ticket's storage, whose elements are of type `T`, and is injective.
    layout: Layout,
    /// Invariant: it claims the elements of the layout for writing.
    ticket: Ticket<'static>,
    element: PhantomData<T>,
}

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
    /// assert_eq!(guard.view().get(&[1, 0])?, 3.0);
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
        event.deliver_access(EventKind::Read, self);
        Ok(ReadGuard { layout: self.layout().clone(), ticket, element: PhantomData })
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
    /// a.view_mut().fill(1);
    /// b.view_mut().fill(2);
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
        event.deliver_access(EventKind::InPlace, self);
        Ok(WriteGuard { layout: self.layout().clone(), ticket, element: PhantomData })
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
        // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned; the ticket
        // excludes writers while the guard lives, and `read` has compared the dtype.
        unsafe { View::from_parts(self.ticket.storage().ptr().cast(), self.layout.clone()) }
    }

    /// Returns the layout.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let guard = tensor![[1, 2, 3]].read::<i32>()?;
    /// assert_eq!(guard.layout().shape(), [1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn layout(&self) -> &Layout {
        &self.layout
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
        // SAFETY: a tensor's layout fits in its storage, which is initialised and aligned; the ticket
        // excludes all other accesses while the guard lives, the guard is borrowed for reading, and `write`
        // has compared the dtype.
        unsafe { View::from_parts(self.ticket.storage().ptr().cast(), self.layout.clone()) }
    }

    /// Returns a view of the elements for writing.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// let mut guard = x.write::<i32>()?;
    /// guard.view_mut().map(|it| 10 * it);
    /// drop(guard);
    /// assert_eq!(x.to_vec::<i32>()?, [10, 20, 30]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: as for `view`; the guard is borrowed for writing, and `write` has checked that the storage
        // is writable and the layout injective.
        unsafe { ViewMut::from_parts(self.ticket.storage().ptr().cast(), self.layout.clone()) }
    }

    /// Returns the layout.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let guard = tensor![[1, 2, 3]].write::<i32>()?;
    /// assert_eq!(guard.layout().shape(), [1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

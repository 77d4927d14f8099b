//! Arenas: bump allocation for temporary tensors.
//!
//! **The problem.** A computation in several steps needs memory for intermediate results, of the same
//! sizes each time it runs, and none of it afterwards. Allocating each time costs more than the short
//! steps themselves, and scatters memory that is used together.
//!
//! **The basic design** is a bump allocator: a block of memory and a position. An allocation advances the
//! position; moving it back frees everything after it at once. In addition:
//!
//! 1. *There are several blocks, called chunks.* The total size is not known in advance, and memory in use
//!    cannot move; so an allocation that does not fit adds a chunk. An allocation uses the current chunk or
//!    the first later one with enough space; chunks that are skipped stay empty until the next rewind. The
//!    same sequence of allocations from the same position finds the same addresses, so a repeated
//!    computation allocates chunks the first time only.
//! 2. *Freeing is checked by the compiler.* The lifetime of a view bounds the allocation, and the arena
//!    cannot be rewound before that ends (below).
//! 3. *Memory is zeroed when it is allocated*, whether it is fresh or reused. That costs a pass over memory
//!    that the first kernel then finds in the cache; in return uninitialised or stale values are
//!    never read. Allocations that are filled immediately skip it.
//! 4. *There is an optional limit* on the total capacity. Empty chunks are freed before an allocation fails.
//!
//! **Why no view outlives its memory.** An allocation ends when the arena is rewound to a position before
//! it, and a chunk is freed only when it has no allocations. The arena is rewound by:
//!
//! - [`Arena::rewind`] and [`Arena::clear`]. They take `&mut self`, and views allocated from the arena
//!   itself borrow it.
//! - The end of a scope, which rewinds to where it began. Its views have the lifetime `'s` of
//!   [`Scope<'s>`](Scope). The closure is generic over `'s`, so neither its result nor a variable outside
//!   of it can hold such a view.
//! - The end of an inner scope, which rewinds to where that one began. Allocations that the outer scope made
//!   before are at earlier positions. Allocations made meanwhile would be freed too early; but
//!   [`Scope::scope`] borrows the outer scope mutably, so it cannot allocate. Views of the outer
//!   scope do not borrow the handle, only `'s`, and stay usable.
//!
//! **The cost** of an allocation is a `RefCell` flag, a comparison and an addition, and the zeroing; of a
//! scope, storing a position. Up to 63 bytes of padding precede each allocation, and the rest of a chunk is
//! unused when an allocation does not fit any more.

mod bump;

use crate::copies::CopyReason;
use crate::kernel::copy::copy;
use crate::plan::output_layout;
use crate::trace::Call;
use crate::view::{AnyView, AnyViewMut, Cell};
use crate::{Element, Error, Integers, Layout, View, ViewMut};
use bump::{Bump, Position};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A bump allocator for temporary tensors, which are freed all at once.
///
/// [`Arena::scope`] calls a closure with a [`Scope`], which allocates zeroed [`ViewMut`]s; when the closure
/// returns, their memory is reused. All operations that end in `_into` read and write views, so an entire
/// computation can run in a scope. From the second time on it makes no heap allocations (with
/// tensors of up to six axes).
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::{Arena, add_into, mul_into, relu_into};
///
/// let (a, b, c) = (tensor![1.0, -2.0, 3.0], tensor![2.0, 2.0, 2.0], tensor![0.5, 0.5, -7.0]);
/// let y = a.zeros_like()?;
/// let mut arena = Arena::new();
/// for _ in 0..10 {
///     arena.scope(|s| {
///         let mut product = s.zeros::<f64>([3])?;
///         mul_into(&a, &b, &mut product)?;
///         let mut sum = s.zeros_like(&product)?;
///         add_into(&product, &c, &mut sum)?;
///         relu_into(&sum, &y)
///     })?;
/// }
/// assert_eq!(y.to_vec::<f64>()?, [2.5, 0.0, 0.0]);
/// assert_eq!(arena.allocated(), 0);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Without a scope
/// Views can also be allocated from the arena itself, which they borrow. Their memory stays allocated until
/// the arena is rewound to a [`Mark`], when no such view may exist any more:
///
/// ```
/// use belvedere::Arena;
///
/// let mut arena = Arena::new();
/// let mark = arena.mark();
/// let mut x = arena.zeros::<i32>([4])?;
/// x.fill(1);
/// assert_eq!(arena.allocated(), 16);
/// arena.rewind(mark)?;
/// assert_eq!(arena.allocated(), 0);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// A view cannot be used after that:
///
/// ```compile_fail,E0502
/// use belvedere::Arena;
///
/// let mut arena = Arena::new();
/// let mark = arena.mark();
/// let mut x = arena.zeros::<i32>([4])?;
/// arena.rewind(mark)?;
/// x.fill(1);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// Nor in a scope, which rewinds the arena, nor after the arena is dropped:
///
/// ```compile_fail,E0502
/// # use belvedere::Arena;
/// # let mut arena = Arena::new();
/// let mut x = arena.zeros::<i32>([4])?;
/// arena.scope(|_| x.fill(1));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// ```compile_fail,E0505
/// # use belvedere::Arena;
/// # let arena = Arena::new();
/// let mut x = arena.zeros::<i32>([4])?;
/// drop(arena);
/// x.fill(1);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Threads
/// An arena can be sent to another thread, and so can its views and scopes. It is not `Sync`: use one arena
/// for each thread, without a lock.
///
/// ```
/// use belvedere::{Arena, Error};
///
/// let mut arena = Arena::new();
/// arena.scope(|s| {
///     let mut table = s.zeros::<u64>([4, 100])?;
///     std::thread::scope(|threads| {
///         for (k, mut row) in table.chunks_mut(0, 1)?.enumerate() {
///             threads.spawn(move || row.fill(k as u64));
///         }
///         Ok::<(), Error>(())
///     })?;
///     assert_eq!(table.get(&[3, 99])?, 3);
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
///
/// ```compile_fail,E0277
/// # use belvedere::Arena;
/// let arena = Arena::new();
/// std::thread::scope(|threads| {
///     threads.spawn(|| arena.zeros::<u8>([1]).map(drop)); // it would be shared
///     arena.zeros::<u8>([1]).map(drop)
/// })?;
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Arena {
    bump: RefCell<Bump>,
    /// Identifies its marks.
    number: u64,
}

/// Allocates views that live until the end of the closure it is passed to; see [`Arena::scope`].
///
/// It is a handle: its views do not borrow it, only the lifetime `'s`, which ends with the closure. They
/// cannot escape, neither as the result of the closure
///
/// ```compile_fail
/// use belvedere::Arena;
///
/// let mut arena = Arena::new();
/// let escaped = arena.scope(|s| s.zeros::<f32>([2]));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// nor through a variable outside of it,
///
/// ```compile_fail,E0521
/// use belvedere::Arena;
///
/// let mut arena = Arena::new();
/// let mut escaped = Vec::new();
/// arena.scope(|s| escaped.push(s.zeros::<f32>([2])));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// nor with the scope of another arena, since two scopes cannot be swapped:
///
/// ```compile_fail,E0521
/// use belvedere::Arena;
///
/// let (mut first, mut second) = (Arena::new(), Arena::new());
/// first.scope(|a| second.scope(|b| std::mem::swap(a, b)));
/// ```
pub struct Scope<'s> {
    bump: &'s mut RefCell<Bump>,
    /// Makes `'s` invariant: it can be neither shortened nor extended, so two scopes cannot be swapped.
    brand: PhantomData<fn(&'s ()) -> &'s ()>,
}

/// A position in an [`Arena`] to which it can be rewound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    arena: u64,
    position: Position,
}

impl Arena {
    /// Creates an arena without memory, which grows as needed.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// assert_eq!(Arena::new().capacity(), 0);
    /// ```
    pub fn new() -> Arena {
        Arena::with_limit(usize::MAX)
    }

    /// Creates an arena with a chunk of `bytes` bytes, which grows if it needs more.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let arena = Arena::with_capacity(1000)?;
    /// assert_eq!((arena.allocated(), arena.capacity()), (0, 1000));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn with_capacity(bytes: usize) -> Result<Arena, Error> {
        let mut arena = Arena::new();
        arena.reserve(bytes)?;
        Ok(arena)
    }

    /// Creates an arena without memory whose capacity never exceeds `bytes`.
    ///
    /// The limit is on the capacity, which is more than what is allocated: see [`Arena::capacity`]. After
    /// [`Arena::reserve`] of the same number it is one chunk, of which only padding for alignment is lost.
    ///
    /// ```
    /// use belvedere::{Arena, Error};
    ///
    /// let mut arena = Arena::with_limit(1000);
    /// arena.scope(|s| {
    ///     let refused = s.zeros::<f64>([126]).unwrap_err();
    ///     assert!(matches!(refused, Error::OutOfMemory { bytes: 1008 }));
    ///     s.zeros::<f64>([125]).map(drop)
    /// })?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn with_limit(bytes: usize) -> Arena {
        // No result depends on the number; it is only unique.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let bump = Bump::new(bytes);
        Arena { bump: RefCell::new(bump), number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Calls a closure with a [`Scope`], and reuses the memory of its views when it has returned or panicked.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let mut arena = Arena::new();
    /// let largest = arena.scope(|s| {
    ///     let mut x = s.zeros::<f32>([2, 3])?;
    ///     x.set(&[1, 1], 4.0)?;
    ///     Ok::<f32, belvedere::Error>(x.as_view().iter().fold(0.0, f32::max))
    /// })?;
    /// assert_eq!(largest, 4.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn scope<R>(&mut self, work: impl FnOnce(&mut Scope<'_>) -> R) -> R {
        with_scope(&mut self.bump, work)
    }

    /// Allocates zeros in row-major order, until the arena is rewound.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let arena = Arena::new();
    /// assert_eq!(arena.zeros::<f32>([2, 2])?.get(&[1, 1])?, 0.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The arena is unchanged then.
    pub fn zeros<T: Element>(&self, shape: impl Integers) -> Result<ViewMut<'_, T>, Error> {
        self.allocator().allocate(DenseLayout::row_major(&shape.lengths("lengths")?)?, None)
    }

    /// Allocates a view of one value, until the arena is rewound.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let arena = Arena::new();
    /// assert_eq!(arena.full([2], 1.5)?.get(&[1])?, 1.5);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The arena is unchanged then.
    pub fn full<T: Element>(
        &self,
        shape: impl Integers,
        value: T,
    ) -> Result<ViewMut<'_, T>, Error> {
        self.allocator().full(DenseLayout::row_major(&shape.lengths("lengths")?)?, value)
    }

    /// Copies a view or a slice in row-major order, until the arena is rewound.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let arena = Arena::new();
    /// let mut copy = arena.copy_of(&[1, 2, 3][..])?;
    /// copy.map(|x| 10 * x);
    /// assert_eq!(copy.as_view().as_slice(), Some(&[10, 20, 30][..]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory. The arena is unchanged then.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy_of<'v, T: Element>(
        &self,
        source: impl Into<View<'v, T>>,
    ) -> Result<ViewMut<'_, T>, Error> {
        self.allocator().copy_of(&source.into(), Call::new("copy_of"))
    }

    /// Returns the allocator of views that borrow the arena.
    fn allocator<'a>(&'a self) -> Allocator<'a, 'a> {
        // SAFETY: the views borrow the arena, and rewinding it or opening a scope takes `&mut self`.
        unsafe { Allocator::new(&self.bump) }
    }

    /// Returns the current position, to [`rewind`](Arena::rewind) to.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let mut arena = Arena::new();
    /// let mark = arena.mark();
    /// arena.zeros::<u8>([100])?;
    /// arena.rewind(mark)?;
    /// assert_eq!(arena.allocated(), 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn mark(&self) -> Mark {
        Mark { arena: self.number, position: self.bump.borrow().position() }
    }

    /// Frees everything that was allocated since a mark was made.
    ///
    /// Has no effect if the arena has been rewound to before the mark since: everything after it is free already.
    ///
    /// ```
    /// use belvedere::{Arena, ErrorKind};
    ///
    /// let mut arena = Arena::new();
    /// let start = arena.mark();
    /// arena.zeros::<u8>([100])?;
    /// let end = arena.mark();
    ///
    /// arena.rewind(start)?;
    /// arena.rewind(end)?;
    /// assert_eq!(arena.allocated(), 0);
    ///
    /// let mut other = Arena::new();
    /// assert_eq!(other.rewind(start).unwrap_err().kind(), ErrorKind::Value);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the mark belongs to another arena. No memory is freed then.
    pub fn rewind(&mut self, mark: Mark) -> Result<(), Error> {
        if mark.arena != self.number {
            return Err(Error::ForeignMark { mark: mark.arena, arena: self.number });
        }
        self.bump.get_mut().rewind(mark.position);
        Ok(())
    }

    /// Frees all allocations. The memory is kept; see [`Arena::trim`].
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let mut arena = Arena::new();
    /// arena.zeros::<u8>([100])?;
    /// arena.clear();
    /// assert_eq!(arena.allocated(), 0);
    /// assert!(arena.capacity() >= 100);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn clear(&mut self) {
        self.bump.get_mut().rewind(Position::START);
    }

    /// Ensures that `bytes` more bytes can be allocated contiguously.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let mut arena = Arena::with_limit(4096);
    /// arena.reserve(4096)?;
    /// arena.zeros::<u8>([4096])?;
    /// assert!(arena.zeros::<u8>([1]).is_err());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), Error> {
        let bump = self.bump.get_mut();
        if bytes > 0 && bump.chunk_with_space(bytes).is_none() {
            bump.grow(bytes, bytes)?;
        }
        Ok(())
    }

    /// Frees the chunks that have no allocations, and returns their number of bytes.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let mut arena = Arena::with_capacity(1 << 20)?;
    /// assert_eq!(arena.trim(), 1 << 20);
    /// assert_eq!(arena.capacity(), 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn trim(&mut self) -> usize {
        let before = self.capacity();
        self.bump.get_mut().release_empty();
        before - self.capacity()
    }

    /// Returns the number of allocated bytes, including padding for alignment.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// let arena = Arena::new();
    /// arena.zeros::<u8>([100])?;
    /// assert_eq!(arena.allocated(), 100);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn allocated(&self) -> usize {
        self.bump.borrow().allocated()
    }

    /// Returns the number of bytes in all chunks, allocated or not.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// assert_eq!(Arena::with_capacity(1000)?.capacity(), 1000);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn capacity(&self) -> usize {
        self.bump.borrow().capacity()
    }
}

impl Default for Arena {
    fn default() -> Arena {
        Arena::new()
    }
}

impl<'s> Scope<'s> {
    /// Allocates zeros in row-major order.
    ///
    /// ```
    /// use belvedere::{Arena, Error, Strided};
    ///
    /// Arena::new().scope(|s| {
    ///     let x = s.zeros::<f32>([2, 3])?;
    ///     assert_eq!(x.as_view().as_slice(), Some(&[0.0; 6][..]));
    ///     let columns = s.zeros::<f32>([3, 2])?.t()?;
    ///     assert_eq!(columns.layout().strides(), [1, 2]);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The scope is unchanged then.
    pub fn zeros<T: Element>(&self, shape: impl Integers) -> Result<ViewMut<'s, T>, Error> {
        self.allocator().allocate(DenseLayout::row_major(&shape.lengths("lengths")?)?, None)
    }

    /// Allocates ones in row-major order.
    ///
    /// ```
    /// use belvedere::{Arena, Error};
    ///
    /// Arena::new().scope(|s| {
    ///     assert_eq!(s.ones::<f32>([2])?.get(&[1])?, 1.0);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The scope is unchanged then.
    pub fn ones<T: Element>(&self, shape: impl Integers) -> Result<ViewMut<'s, T>, Error> {
        self.full(shape, T::from_u64(1))
    }

    /// Allocates a view of one value in row-major order.
    ///
    /// ```
    /// use belvedere::{Arena, Error};
    ///
    /// Arena::new().scope(|s| {
    ///     let mut x = s.full([2, 2], 0.5)?;
    ///     x.set(&[0, 1], 2.0)?;
    ///     assert_eq!(x.as_view().iter().collect::<Vec<_>>(), [0.5, 2.0, 0.5, 0.5]);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The scope is unchanged then.
    pub fn full<T: Element>(
        &self,
        shape: impl Integers,
        value: T,
    ) -> Result<ViewMut<'s, T>, Error> {
        self.allocator().full(DenseLayout::row_major(&shape.lengths("lengths")?)?, value)
    }

    /// Allocates zeros with the shape, dtype and memory order of a view or slice.
    ///
    /// ```
    /// use belvedere::{Arena, Error, Strided};
    ///
    /// Arena::new().scope(|s| {
    ///     let x = s.ones::<i8>([3, 2])?.t()?;
    ///     let like = s.zeros_like(&x)?;
    ///     assert_eq!(like.layout(), x.layout());
    ///     assert_eq!(like.get(&[1, 2])?, 0);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory. The scope is unchanged then.
    pub fn zeros_like<'v, T: Element>(
        &self,
        other: impl Into<View<'v, T>>,
    ) -> Result<ViewMut<'s, T>, Error> {
        self.allocator().allocate(DenseLayout::like(&other.into())?, None)
    }

    /// Allocates a view of one value with the shape and memory order of a view or slice.
    ///
    /// ```
    /// use belvedere::{Arena, Error};
    ///
    /// Arena::new().scope(|s| {
    ///     let x = s.zeros::<i32>([2, 2])?;
    ///     assert_eq!(s.full_like(&x, 7)?.get(&[1, 1])?, 7);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory. The scope is unchanged then.
    pub fn full_like<'v, T: Element>(
        &self,
        other: impl Into<View<'v, T>>,
        value: T,
    ) -> Result<ViewMut<'s, T>, Error> {
        self.allocator().full(DenseLayout::like(&other.into())?, value)
    }

    /// Copies a view or a slice in row-major order.
    ///
    /// ```
    /// use belvedere::{Arena, Error, Layout, Strided, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let view = View::new(&data, Layout::row_major(&[2, 3])?)?.t()?;
    /// Arena::new().scope(|s| {
    ///     let copy = s.copy_of(&view)?;
    ///     assert_eq!(copy.into_slice().unwrap(), [1, 4, 2, 5, 3, 6]);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory. The scope is unchanged then.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy_of<'v, T: Element>(
        &self,
        source: impl Into<View<'v, T>>,
    ) -> Result<ViewMut<'s, T>, Error> {
        self.allocator().copy_of(&source.into(), Call::new("copy_of"))
    }

    /// Returns the allocator of views that live as long as the scope.
    fn allocator(&self) -> Allocator<'_, 's> {
        // SAFETY: the arena is not rewound to before an allocation of this scope during `'s`, which ends with the
        // closure: the arena is borrowed mutably for `'s`, so it is neither rewound nor moved through its own handle;
        // the end of this scope comes after `'s`; and an inner scope, during which this handle is borrowed mutably,
        // begins after the allocation.
        unsafe { Allocator::new(self.bump) }
    }

    /// Calls a closure with a scope inside of this one, and reuses the memory of its views when it has returned or
    /// panicked.
    ///
    /// Views of this scope can be used meanwhile:
    ///
    /// ```
    /// use belvedere::{Arena, Error, add_into, mul_into};
    ///
    /// let mut arena = Arena::new();
    /// let total = arena.scope(|outer| {
    ///     let factor = outer.full([2], 3.0)?;
    ///     let mut total = outer.zeros::<f64>([2])?;
    ///     let before = outer.allocated();
    ///     for k in 0..4 {
    ///         outer.scope(|inner| {
    ///             let mut product = inner.zeros_like(&factor)?;
    ///             mul_into(&factor, k, &mut product)?;
    ///             let sum = inner.copy_of(&total)?;
    ///             add_into(&sum, &product, &mut total)
    ///         })?;
    ///         assert_eq!(outer.allocated(), before);
    ///     }
    ///     total.get(&[1])
    /// })?;
    /// assert_eq!(total, 18.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// But this scope cannot allocate, since that memory would be freed with the inner scope:
    ///
    /// ```compile_fail,E0502
    /// # use belvedere::Arena;
    /// # let mut arena = Arena::new();
    /// arena.scope(|outer| {
    ///     outer.scope(|inner| outer.zeros::<f32>([2]).map(drop))
    /// })?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// And views of the inner scope cannot escape to this one:
    ///
    /// ```compile_fail,E0521
    /// # use belvedere::Arena;
    /// # let mut arena = Arena::new();
    /// arena.scope(|outer| {
    ///     let mut views = vec![outer.zeros::<f32>([2])?];
    ///     outer.scope(|inner| {
    ///         views.push(inner.zeros::<f32>([2])?);
    ///         Ok::<(), belvedere::Error>(())
    ///     })
    /// })?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn scope<R>(&mut self, work: impl FnOnce(&mut Scope<'_>) -> R) -> R {
        with_scope(self.bump, work)
    }

    /// Returns the number of allocated bytes of the arena, including enclosing scopes.
    ///
    /// ```
    /// use belvedere::{Arena, Error};
    ///
    /// Arena::new().scope(|s| {
    ///     s.zeros::<u8>([100])?;
    ///     assert_eq!(s.allocated(), 100);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn allocated(&self) -> usize {
        self.bump.borrow().allocated()
    }

    /// Returns the number of bytes in all chunks of the arena, allocated or not.
    ///
    /// ```
    /// use belvedere::Arena;
    ///
    /// Arena::new().scope(|s| assert_eq!(s.capacity(), 0));
    /// ```
    pub fn capacity(&self) -> usize {
        self.bump.borrow().capacity()
    }
}

/// Calls a closure with a scope that begins at the current position, and rewinds to it.
fn with_scope<R>(bump: &mut RefCell<Bump>, work: impl FnOnce(&mut Scope<'_>) -> R) -> R {
    /// Rewinds when it is dropped, also on unwinding.
    struct RewindOnDrop<'s> {
        scope: Scope<'s>,
        start: Position,
    }

    impl Drop for RewindOnDrop<'_> {
        fn drop(&mut self) {
            self.scope.bump.get_mut().rewind(self.start);
        }
    }

    let start = bump.get_mut().position();
    let mut opened = RewindOnDrop { scope: Scope { bump, brand: PhantomData }, start };
    work(&mut opened.scope)
}

/// A layout that is dense and starts at 0.
struct DenseLayout(Layout);

impl DenseLayout {
    fn row_major(shape: &[usize]) -> Result<DenseLayout, Error> {
        Ok(DenseLayout(Layout::row_major(shape)?))
    }

    /// Returns a layout with the shape and memory order of a view.
    fn like<T: Element>(view: &View<'_, T>) -> Result<DenseLayout, Error> {
        Ok(DenseLayout(output_layout(&view.shape(), &[view.layout()])?))
    }
}

/// Allocates views that live for `'a`.
///
/// Invariant: the arena is not rewound to before an allocation that was made through this handle, nor dropped,
/// during `'a`.
struct Allocator<'b, 'a> {
    bump: &'b RefCell<Bump>,
    views: PhantomData<fn() -> &'a mut ()>,
}

impl<'b, 'a> Allocator<'b, 'a> {
    /// # Safety
    /// - During `'a`, the arena must not be rewound to before an allocation that is made through this handle.
    /// - The arena must not be dropped during `'a`.
    unsafe fn new(bump: &'b RefCell<Bump>) -> Allocator<'b, 'a> {
        Allocator { bump, views: PhantomData }
    }

    /// Allocates memory for a layout and fills it with the elements of `source`, or with zeros.
    ///
    /// # Panics
    /// If `source` is of another shape or dtype.
    fn allocate<T: Element>(
        &self,
        DenseLayout(layout): DenseLayout,
        source: Option<&AnyView<'_>>,
    ) -> Result<ViewMut<'a, T>, Error> {
        // If the product saturates, the allocation fails.
        let bytes = layout.len().saturating_mul(size_of::<T>());
        let ptr = self.bump.borrow_mut().allocate(bytes)?;
        match source {
            // SAFETY: the allocation has `bytes` bytes, which are valid for writes and not shared.
            None => unsafe { ptr.write_bytes(0, bytes) },
            Some(source) => {
                // SAFETY: a dense layout that starts at 0 reaches offsets below its `len`, each by one index,
                // and the allocation has `len` elements; its alignment of 64 suffices for every dtype. No
                // other view of it exists. Elements may be uninitialised here.
                let out = unsafe { AnyViewMut::from_parts(ptr, layout.clone(), T::DTYPE) };
                // The source was borrowed before the allocation was made, so the two share no element.
                copy(out, source);
            }
        }
        // SAFETY: as for `out` above, which is dropped; every element has been written, with zeros (a valid
        // value of every dtype) or by the copy. The allocation is not freed during `'a` (invariant).
        Ok(unsafe { ViewMut::from_parts(ptr.cast(), layout) })
    }

    /// Allocates memory for a layout and fills it with one value.
    fn full<T: Element>(&self, layout: DenseLayout, value: T) -> Result<ViewMut<'a, T>, Error> {
        let cell = Cell::new(value);
        let everywhere = cell.view().broadcast_to(&layout.0.shape())?;
        self.allocate(layout, Some(&everywhere))
    }

    /// Allocates memory for the elements of a view and copies them there, in row-major order.
    fn copy_of<T: Element>(
        &self,
        source: &View<'_, T>,
        call: Call<'_>,
    ) -> Result<ViewMut<'a, T>, Error> {
        let event = call.copying(CopyReason::Requested).announce();
        let source: AnyView<'_> = source.into();
        let copy =
            self.allocate(DenseLayout::row_major(&source.layout().shape())?, Some(&source))?;
        // A temporary tensor has no storage of its own.
        event.deliver_read(&[source.into()]);
        Ok(copy)
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena")
            .field("number", &self.number)
            .field("allocated", &self.allocated())
            .field("capacity", &self.capacity())
            .finish()
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("allocated", &self.allocated())
            .field("capacity", &self.capacity())
            .finish()
    }
}

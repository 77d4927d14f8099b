//! Bump allocation for scratch tensors.
//!
//! **The problem.** A computation in steps needs memory for what lies between them, the same sizes
//! each time it runs, and needs none of it afterwards. Asking the allocator each time costs more
//! than short steps themselves, and scatters over memory what is used together.
//!
//! **The plain solution** is a block and a number: the number says how much of the block is in use,
//! a claim moves it up, and moving it back frees everything behind it at once. What we do beyond
//! that, and why:
//!
//! 1. *There are several blocks, called chunks.* Nobody knows in advance how much is needed, and
//!    memory that is in use cannot move; so a claim that does not fit adds a chunk. A claim goes to
//!    the current chunk or the first one behind it that has room; those it passes over stay empty
//!    until the next rewind. The same claims from the same start find the same places, so a
//!    computation that is repeated asks for memory the first time only.
//! 2. *Freeing is checked by the compiler.* The lifetime of a view says how long its memory is
//!    claimed, and nobody can rewind before that ends (below).
//! 3. *Memory is zeroed as it is claimed*, whether it is fresh or was used before. That costs a walk
//!    over memory which the first kernel finds in the cache; in return nobody ever reads what
//!    somebody else left there. Claims that are filled with something else at once skip it.
//! 4. *There is a limit*, if one is set, on what is held. Empty chunks are given back before a claim
//!    is refused.
//!
//! **Why no view outlives its memory.** A claim ends when the arena is rewound to before it, and a
//! chunk is dropped only when nothing in it is claimed. There are three who rewind:
//!
//! - [`Arena::rewind`] and [`Arena::clear`] take `&mut self`, and views that the arena made itself
//!   borrow it.
//! - The end of a scope rewinds to where it began. Its views have the lifetime `'s` of
//!   [`Scope<'s>`](Scope), about which the closure knows nothing: it works for every `'s`, so
//!   neither its result nor anything outside of it can hold such a view.
//! - The end of an inner scope rewinds to where that one began. What the outer scope claimed before
//!   lies in front of that. What it would claim meanwhile would lie behind, and would be lost; but
//!   [`Scope::scope`] borrows the outer scope mutably until then, and so nothing is claimed through
//!   it. Views of the outer scope do not borrow the handle, only `'s`, and stay usable.
//!
//! **The cost** of a claim is a borrow flag, a comparison and an addition, and the zeroing; of a
//! scope, the position where it began. Up to 63 bytes are lost in front of each claim, and the rest
//! of a chunk when a claim does not fit any more.

use crate::copies::{self, CopyReason};
use crate::kernel::copy::copy;
use crate::plan::output_layout;
use crate::view::{AnyView, AnyViewMut, Cell};
use crate::{Element, Error, Layout, Storage, View, ViewMut};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZero;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every claim begins at a multiple of this: a cache line, and the widest vector register.
const ALIGN: usize = 64;

/// The least that is asked for at once: less would be asked for again soon.
const FIRST_CHUNK: usize = 64 << 10;

/// The most that is asked for beyond what is needed. Until there, chunks double what is held.
const MOST_AHEAD: usize = 64 << 20;

/// Memory for tensors that are needed for a short time, freed all at once.
///
/// [`Arena::scope`] runs a closure with a [`Scope`], which hands out zeroed [`ViewMut`]s; when the
/// closure is done, their memory is used again. All operations that end in `_into` read and write
/// views, so a whole computation can run in a scope. From the second time on it asks the system for
/// no memory at all (with tensors of up to six axes).
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
/// The arena makes views too, which borrow it. What they held stays claimed until the arena is
/// rewound to a [`Mark`], which needs them to be gone:
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
/// Nor in a scope, which rewinds the arena, nor when the arena is gone:
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
/// An arena can be sent to another thread, and so can its views and scopes. It belongs to one
/// thread at a time: an arena for each thread needs no lock.
///
/// ```
/// use belvedere::{Arena, Error};
///
/// let mut arena = Arena::new();
/// arena.scope(|s| {
///     let mut table = s.zeros::<u64>([4, 100])?;
///     std::thread::scope(|threads| {
///         for (k, mut row) in table.reborrow().chunks(0, 1)?.enumerate() {
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
    /// Tells its marks from those of others.
    number: u64,
}

/// Makes tensors that live until the closure it was given to is done; see [`Arena::scope`].
///
/// It is a handle: the views that it makes do not borrow it, only the lifetime `'s`, which ends with
/// the closure. They cannot leave, neither as the closure's result
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
/// nor with the scope of another arena, as no two can change places:
///
/// ```compile_fail,E0521
/// use belvedere::Arena;
///
/// let (mut first, mut second) = (Arena::new(), Arena::new());
/// first.scope(|a| second.scope(|b| std::mem::swap(a, b)));
/// ```
pub struct Scope<'s> {
    bump: &'s mut RefCell<Bump>,
    /// The lifetime is a brand: it can be neither shortened nor lengthened, so that no two scopes
    /// can change places.
    brand: PhantomData<fn(&'s ()) -> &'s ()>,
}

/// A place in an [`Arena`], to which it can be rewound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    arena: u64,
    position: Position,
}

impl Arena {
    /// An arena that holds no memory yet, and as much as it needs later.
    pub fn new() -> Arena {
        Arena::with_limit(usize::MAX)
    }

    /// An arena that holds so many bytes already, in one piece, and grows if it needs more.
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

    /// An arena that never holds more than so many bytes, and none yet.
    ///
    /// The limit is on what is held, which is more than what is in use: see [`Arena::capacity`].
    /// After [`Arena::reserve`] of the same number it is one piece, of which nothing but the
    /// alignment is lost.
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
        // No result depends on the number; it only differs from those of all other arenas.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let bump = Bump { chunks: Vec::new(), current: 0, limit: bytes };
        Arena { bump: RefCell::new(bump), number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Runs a closure with a [`Scope`], and uses the memory of its views again when it is done or
    /// has panicked.
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
        open(&mut self.bump, work)
    }

    /// Zeros in row-major order, which stay claimed until the arena is rewound.
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The arena is as it was then.
    pub fn zeros<T: Element>(&self, shape: impl AsRef<[usize]>) -> Result<ViewMut<'_, T>, Error> {
        let layout = Layout::row_major(shape.as_ref())?;
        // SAFETY: a row-major layout is dense and starts at 0. The view borrows the arena, and
        // rewinding it or opening a scope takes `&mut self`.
        unsafe { place(&self.bump, layout, None) }
    }

    /// One value everywhere, in memory that stays claimed until the arena is rewound.
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
    /// If the shape is too large, or there is not enough memory. The arena is as it was then.
    pub fn full<T: Element>(
        &self,
        shape: impl AsRef<[usize]>,
        value: T,
    ) -> Result<ViewMut<'_, T>, Error> {
        let layout = Layout::row_major(shape.as_ref())?;
        // SAFETY: as in `zeros`.
        unsafe { place_full(&self.bump, layout, value) }
    }

    /// The elements of a view or a slice, in row-major order, in memory that stays claimed until the
    /// arena is rewound.
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
    /// If there is not enough memory. The arena is as it was then.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy_of<'v, T: Element>(
        &self,
        source: impl Into<View<'v, T>>,
    ) -> Result<ViewMut<'_, T>, Error> {
        // SAFETY: the view borrows the arena, and rewinding it or opening a scope takes `&mut self`.
        unsafe { place_copy(&self.bump, &source.into(), Location::caller()) }
    }

    /// Where the next view would go, as something to [`rewind`](Arena::rewind) to.
    pub fn mark(&self) -> Mark {
        Mark { arena: self.number, position: self.bump.borrow().position() }
    }

    /// Frees what was claimed since a mark was made.
    ///
    /// Nothing happens if the arena has been rewound beyond the mark since: everything behind the
    /// mark is free already.
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
    /// If the mark is of another arena. Nothing is freed then.
    pub fn rewind(&mut self, mark: Mark) -> Result<(), Error> {
        if mark.arena != self.number {
            return Err(Error::ForeignMark { mark: mark.arena, arena: self.number });
        }
        self.bump.get_mut().rewind(mark.position);
        Ok(())
    }

    /// Frees everything that is claimed. The memory is kept, see [`Arena::trim`].
    pub fn clear(&mut self) {
        self.bump.get_mut().rewind(Position::START);
    }

    /// Makes sure that so many bytes more can be claimed in one piece.
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
        if bytes > 0 && bump.chunk_with_room(bytes).is_none() {
            bump.grow(bytes, bytes)?;
        }
        Ok(())
    }

    /// Gives the chunks of memory that nothing is claimed in back, and says how many bytes that was.
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

    /// Bytes that are claimed, with what alignment leaves unused between them.
    pub fn allocated(&self) -> usize {
        self.bump.borrow().allocated()
    }

    /// Bytes that are held, claimed or not.
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
    /// Zeros in row-major order.
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
    /// If the shape is too large, or there is not enough memory. The scope is as it was then.
    pub fn zeros<T: Element>(&self, shape: impl AsRef<[usize]>) -> Result<ViewMut<'s, T>, Error> {
        let layout = Layout::row_major(shape.as_ref())?;
        // SAFETY: a row-major layout is dense and starts at 0. Nobody rewinds the arena to before
        // this claim during `'s`, which ends with the closure: the arena itself is borrowed mutably
        // for `'s`, so it neither rewinds nor moves; the end of this scope comes after `'s`; and an
        // inner scope, during which this handle is borrowed mutably, begins behind this claim.
        unsafe { place(self.bump, layout, None) }
    }

    /// Ones in row-major order.
    ///
    /// # Errors
    /// If the shape is too large, or there is not enough memory. The scope is as it was then.
    pub fn ones<T: Element>(&self, shape: impl AsRef<[usize]>) -> Result<ViewMut<'s, T>, Error> {
        self.full(shape, T::from_u64(1))
    }

    /// One value everywhere, in row-major order.
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
    /// If the shape is too large, or there is not enough memory. The scope is as it was then.
    pub fn full<T: Element>(
        &self,
        shape: impl AsRef<[usize]>,
        value: T,
    ) -> Result<ViewMut<'s, T>, Error> {
        let layout = Layout::row_major(shape.as_ref())?;
        // SAFETY: as in `zeros`.
        unsafe { place_full(self.bump, layout, value) }
    }

    /// Zeros of the shape, the type and the order in memory of a view (or of a slice).
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
    /// If there is not enough memory. The scope is as it was then.
    pub fn zeros_like<'v, T: Element>(
        &self,
        other: impl Into<View<'v, T>>,
    ) -> Result<ViewMut<'s, T>, Error> {
        let layout = layout_like(&other.into())?;
        // SAFETY: an output layout is dense and starts at 0; the rest as in `zeros`.
        unsafe { place(self.bump, layout, None) }
    }

    /// One value everywhere, in the shape and the order in memory of a view (or of a slice).
    ///
    /// # Errors
    /// If there is not enough memory. The scope is as it was then.
    pub fn full_like<'v, T: Element>(
        &self,
        other: impl Into<View<'v, T>>,
        value: T,
    ) -> Result<ViewMut<'s, T>, Error> {
        let layout = layout_like(&other.into())?;
        // SAFETY: as in `zeros_like`.
        unsafe { place_full(self.bump, layout, value) }
    }

    /// The elements of a view or a slice, in row-major order.
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
    /// If there is not enough memory. The scope is as it was then.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn copy_of<'v, T: Element>(
        &self,
        source: impl Into<View<'v, T>>,
    ) -> Result<ViewMut<'s, T>, Error> {
        // SAFETY: as in `zeros`.
        unsafe { place_copy(self.bump, &source.into(), Location::caller()) }
    }

    /// Runs a closure with a scope inside this one, and uses the memory of its views again when it
    /// is done or has panicked.
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
    /// But nothing new can be made in this scope, which would be freed with the inner one:
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
    /// And views of the inner scope cannot leave it, also not to where those of this one are:
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
        open(self.bump, work)
    }

    /// Bytes of the arena that are claimed, by this scope and around it.
    pub fn allocated(&self) -> usize {
        self.bump.borrow().allocated()
    }

    /// Bytes that the arena holds, claimed or not.
    pub fn capacity(&self) -> usize {
        self.bump.borrow().capacity()
    }
}

/// Runs a closure with a scope that begins here, and rewinds to here.
fn open<R>(bump: &mut RefCell<Bump>, work: impl FnOnce(&mut Scope<'_>) -> R) -> R {
    /// Rewinds when it is dropped, which unwinding does too.
    struct Opened<'s> {
        scope: Scope<'s>,
        start: Position,
    }

    impl Drop for Opened<'_> {
        fn drop(&mut self) {
            self.scope.bump.get_mut().rewind(self.start);
        }
    }

    let start = bump.get_mut().position();
    let mut opened = Opened { scope: Scope { bump, brand: PhantomData }, start };
    work(&mut opened.scope)
}

/// The layout of something new that lies in memory as a view does.
fn layout_like<T: Element>(view: &View<'_, T>) -> Result<Layout, Error> {
    output_layout(&view.shape(), &[view.layout()])
}

/// Claims memory for a layout and copies elements of the same shape and type there; zeros, if there
/// are none.
///
/// # Safety
/// - The layout must be dense and start at 0.
/// - The arena must not be rewound to before this claim, nor dropped, during `'a`.
unsafe fn place<'a, T: Element>(
    bump: &RefCell<Bump>,
    layout: Layout,
    source: Option<&AnyView<'_>>,
) -> Result<ViewMut<'a, T>, Error> {
    // What saturates here is more than can be claimed.
    let bytes = layout.len().saturating_mul(size_of::<T>());
    let ptr = bump.borrow_mut().claim(bytes)?;
    match source {
        // SAFETY: the claim has so many bytes, which are valid for writes and nobody else's.
        None => unsafe { ptr.write_bytes(0, bytes) },
        Some(source) => {
            // SAFETY: a dense layout that starts at 0 reaches its `len` elements, each by one index,
            // and the claim has room for them; no element needs a greater alignment than a claim
            // has. Until the claim is freed it is nobody else's. Elements may be uninitialised here.
            let out = unsafe { AnyViewMut::from_parts(ptr, layout.clone(), T::DTYPE) };
            // The source was borrowed before the claim was made, so the two share nothing.
            copy(out, source);
        }
    }
    // SAFETY: as for `out` above, which is gone; every element has been written, with zeros (which
    // are a value of every type) or by the copy. The claim is not freed during `'a`, the caller says.
    Ok(unsafe { ViewMut::from_parts(ptr.cast(), layout) })
}

/// Claims memory for a layout and writes one value to all of it.
///
/// # Safety
/// That of `place`.
unsafe fn place_full<'a, T: Element>(
    bump: &RefCell<Bump>,
    layout: Layout,
    value: T,
) -> Result<ViewMut<'a, T>, Error> {
    let cell = Cell::new(value);
    let everywhere = cell.view().broadcast_to(&layout.shape())?;
    // SAFETY: the caller's promises.
    unsafe { place(bump, layout, Some(&everywhere)) }
}

/// Claims memory for the elements of a view and copies them there.
///
/// # Safety
/// The arena must not be rewound to before this claim, nor dropped, during `'a`.
unsafe fn place_copy<'a, T: Element>(
    bump: &RefCell<Bump>,
    source: &View<'_, T>,
    caller: &'static Location<'static>,
) -> Result<ViewMut<'a, T>, Error> {
    let size = size_of::<T>();
    copies::announce("copy_of", CopyReason::Requested, source.layout(), size, caller)?;
    let layout = Layout::row_major(&source.shape())?;
    // SAFETY: a row-major layout is dense and starts at 0; the rest is the caller's promise.
    unsafe { place(bump, layout, Some(&source.into())) }
}

/// The memory of an arena. It knows nothing of views: it says what is claimed, and trusts that
/// nobody uses what is not.
struct Bump {
    chunks: Vec<Chunk>,
    /// Where the last claim was made. Invariant: at most `chunks.len()`, and all chunks behind it
    /// are empty.
    current: usize,
    /// The most bytes to hold.
    limit: usize,
}

/// Memory of which the first part is claimed.
struct Chunk {
    /// Invariant: nobody else has it, and its first byte is aligned to `ALIGN`.
    memory: Storage,
    /// Invariant: at most `memory.len()`.
    used: usize,
}

/// How far an arena is in use. Positions are ordered as they are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    chunk: usize,
    used: usize,
}

impl Position {
    const START: Position = Position { chunk: 0, used: 0 };
}

impl Bump {
    /// Claims bytes of any value, aligned to `ALIGN`, until the position is rewound to before them.
    ///
    /// Until then, no other claim shares a byte with them, and they do not move.
    fn claim(&mut self, bytes: usize) -> Result<NonNull<u8>, Error> {
        if bytes == 0 {
            return Ok(NonNull::without_provenance(NonZero::new(ALIGN).expect("not 0")));
        }
        let k = match self.chunk_with_room(bytes) {
            Some(k) => k,
            None => self.grow(bytes, self.capacity().clamp(FIRST_CHUNK, MOST_AHEAD))?,
        };
        self.current = k;
        Ok(self.chunks[k].claim(bytes).expect("the chunk was found or made to have room"))
    }

    /// Adds a chunk of `usual` bytes, or of what is needed if there is no memory for more, and says
    /// which one it is.
    fn grow(&mut self, bytes: usize, usual: usize) -> Result<usize, Error> {
        let refusal = || Error::OutOfMemory { bytes };
        let in_use: usize = self.chunks[..self.first_empty()].iter().map(Chunk::len).sum();
        // More than `isize::MAX` cannot be asked of an allocator.
        if bytes > self.limit - in_use || bytes > isize::MAX as usize {
            return Err(refusal());
        }
        if bytes > self.limit - self.capacity() {
            self.release_empty();
        }
        self.chunks.try_reserve(1).map_err(|_| refusal())?;
        let generous = usual.min(self.limit - self.capacity()).max(bytes);
        // SAFETY: memory of a chunk is zeroed or filled before it is handed out.
        let memory = match unsafe { Storage::uninit(generous) } {
            Ok(memory) => memory,
            Err(_) => {
                self.release_empty();
                // SAFETY: as above.
                unsafe { Storage::uninit(bytes) }?
            }
        };
        assert!(memory.address().is_multiple_of(ALIGN), "memory of our own is aligned");
        self.chunks.push(Chunk { memory, used: 0 });
        Ok(self.chunks.len() - 1)
    }

    /// The chunk in which a claim would be made.
    fn chunk_with_room(&self, bytes: usize) -> Option<usize> {
        (self.current..self.chunks.len()).find(|&k| self.chunks[k].place_for(bytes).is_some())
    }

    fn position(&self) -> Position {
        let used = self.chunks.get(self.current).map_or(0, |chunk| chunk.used);
        Position { chunk: self.current, used }
    }

    /// Frees all claims behind a position; none if they are free already.
    fn rewind(&mut self, to: Position) {
        if to >= self.position() {
            return;
        }
        // The position is before ours, so its chunk exists. It may be in use less far than it was, if
        // the arena was rewound and filled in other portions since.
        let chunk = &mut self.chunks[to.chunk];
        chunk.used = chunk.used.min(to.used);
        for chunk in &mut self.chunks[to.chunk + 1..] {
            chunk.used = 0;
        }
        self.current = to.chunk;
    }

    /// Drops the chunks at the end that nothing is claimed in. Positions stay what they are: those
    /// that are not freed yet are in other chunks, or at the start of the first one that goes.
    fn release_empty(&mut self) {
        self.chunks.truncate(self.first_empty());
        self.current = self.current.min(self.chunks.len());
    }

    /// The first of the chunks at the end that nothing is claimed in, the one past the end if there
    /// are none. (Those that were passed over have to stay, as others are behind them.)
    fn first_empty(&self) -> usize {
        let is_in_use = self.chunks.get(self.current).is_some_and(|chunk| chunk.used > 0);
        self.current + usize::from(is_in_use)
    }

    fn allocated(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.used).sum()
    }

    fn capacity(&self) -> usize {
        self.chunks.iter().map(Chunk::len).sum()
    }
}

impl Chunk {
    fn len(&self) -> usize {
        self.memory.len()
    }

    /// Where a claim would begin.
    fn place_for(&self, bytes: usize) -> Option<usize> {
        let start = self.used.next_multiple_of(ALIGN);
        self.len().checked_sub(start).filter(|&room| bytes <= room).map(|_| start)
    }

    /// Claims bytes, if there is room for them.
    fn claim(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        let start = self.place_for(bytes)?;
        self.used = start + bytes;
        // SAFETY: the start is inside of the memory, or at its end.
        Some(unsafe { self.memory.ptr().add(start) })
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

//! `InlineVec`: a vector with inline storage for six items (a small-buffer vector).
//!
//! Layouts are created and dropped by the million, and hardly any has more than six axes. A `Vec`
//! would allocate for each of them; this type allocates only beyond [`INLINE_CAPACITY`] items. It is
//! not taken from another crate because this one contains no `unsafe`: items are `Copy` and have a
//! default, so unused slots of the array hold the default instead of uninitialised memory.
//!
//! The array and the heap pointer are separate fields, not the two variants of an enum. The enum was
//! copied with its tag at unaligned offsets, and the store-forwarding stalls on reading it back took
//! longer than the rest of a view operation. `InlineLen` has few values, which leaves a niche for the
//! tag of a `Result` around it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// The number of items stored inline: more axes than nearly every tensor has, and few enough that a
/// layout (128 bytes) is moved by inline copies instead of a call to `memcpy`.
pub(crate) const INLINE_CAPACITY: usize = 6;

/// A vector of lengths, strides or axes that stores up to six items inline and more on the heap.
///
/// It dereferences to a slice and compares with arrays, slices and vectors.
///
/// ```
/// use belvedere_layout::InlineVec;
///
/// let shape = InlineVec::from([2, 3, 4]);
/// assert_eq!(shape, [2, 3, 4]);
/// assert_eq!(shape.iter().product::<i32>(), 24);
/// assert_eq!(format!("{shape:?}"), "[2, 3, 4]");
/// ```
pub struct InlineVec<T> {
    inline: [T; INLINE_CAPACITY],
    /// Empty, and so not allocated, unless `len` is `Spilled`.
    heap: Box<[T]>,
    len: InlineLen,
}

/// The number of inline items, or `Spilled` if all items are on the heap.
///
/// It has the size of a word: a single byte was read back together with its padding, which is a
/// store-forwarding stall.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum InlineLen {
    Zero,
    One,
    Two,
    Three,
    Four,
    Five,
    Six,
    Spilled,
}

impl InlineLen {
    const ALL: [InlineLen; INLINE_CAPACITY + 1] = {
        use InlineLen::*;
        [Zero, One, Two, Three, Four, Five, Six]
    };
}

impl<T: Copy> From<InlineVec<T>> for Box<[T]> {
    fn from(list: InlineVec<T>) -> Box<[T]> {
        Box::from(&list[..])
    }
}

impl<T: Copy + Default> InlineVec<T> {
    /// Creates an empty vector.
    #[inline]
    pub(crate) fn new() -> InlineVec<T> {
        InlineVec::repeat(T::default(), 0)
    }

    /// Creates a vector of `n` copies of `item`.
    #[inline]
    pub(crate) fn repeat(item: T, n: usize) -> InlineVec<T> {
        match InlineLen::ALL.get(n) {
            Some(&len) => InlineVec { inline: [item; INLINE_CAPACITY], heap: Box::default(), len },
            None => InlineVec::on_heap(alloc::vec![item; n]),
        }
    }

    /// Creates a vector of `n` items, item `i` being `item(i)`. Calls `item` for the last item first.
    ///
    /// View operations should create their axes with it: every slot is written at a constant offset,
    /// so the compiler keeps the vector in registers until it is stored at its destination. A vector
    /// that is written at a computed offset has to be in memory, and each move of it is a
    /// store-forwarding stall.
    #[inline(always)]
    pub(crate) fn from_fn(n: usize, mut item: impl FnMut(usize) -> T) -> InlineVec<T> {
        let mut inline = [T::default(); INLINE_CAPACITY];
        let Some(&len) = InlineLen::ALL.get(n) else {
            return InlineVec { inline, heap: heap_from_fn(n, item), len: InlineLen::Spilled };
        };
        for i in (0..INLINE_CAPACITY).rev() {
            if i < n {
                inline[i] = item(i);
            }
        }
        InlineVec { inline, heap: Box::default(), len }
    }

    #[cold]
    fn on_heap(items: Vec<T>) -> InlineVec<T> {
        let heap = items.into_boxed_slice();
        InlineVec { inline: [T::default(); INLINE_CAPACITY], heap, len: InlineLen::Spilled }
    }

    #[cold]
    fn spilled(first: &[T], next: T, rest: impl Iterator<Item = T>) -> InlineVec<T> {
        InlineVec::on_heap(first.iter().copied().chain([next]).chain(rest).collect())
    }

    /// Appends an item.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        let n = self.len();
        match InlineLen::ALL.get(n + 1) {
            Some(&len) => {
                self.inline[n] = item;
                self.len = len;
            }
            None => *self = self.with(n, item),
        }
    }

    /// Folds the items from first to last. Unlike a loop over the slice it keeps the vector in registers.
    #[inline(always)]
    pub(crate) fn fold<A>(&self, first: A, mut step: impl FnMut(A, T) -> A) -> A {
        if self.len == InlineLen::Spilled {
            return self.heap.iter().fold(first, |sum, &item| step(sum, item));
        }
        let mut sum = first;
        for i in 0..INLINE_CAPACITY {
            if i < self.len as usize {
                sum = step(sum, self.inline[i]);
            }
        }
        sum
    }

    /// Returns the items as an array, if there are `N`. The storage class follows from `N`, so that one
    /// comparison decides.
    #[inline(always)]
    pub(crate) fn as_array<const N: usize>(&self) -> Option<&[T; N]> {
        if N > INLINE_CAPACITY {
            return <&[T; N]>::try_from(&*self.heap).ok();
        }
        if self.len as usize == N { self.inline.first_chunk() } else { None }
    }

    /// Inserts an item at position `at`, which is at most the length.
    #[inline]
    pub(crate) fn insert(&mut self, at: usize, item: T) {
        *self = self.with(at, item);
    }

    /// Returns a copy with `item` inserted at position `at`.
    #[inline]
    pub(crate) fn with(&self, at: usize, item: T) -> InlineVec<T> {
        assert!(at <= self.len(), "position {at} of {} items", self.len());
        let items = &self[..];
        InlineVec::from_fn(items.len() + 1, move |i| match i {
            _ if i < at => items[i],
            _ if i == at => item,
            _ => items[i - 1],
        })
    }

    /// Returns a copy without the item at position `at`.
    #[inline]
    pub(crate) fn without(&self, at: usize) -> InlineVec<T> {
        assert!(at < self.len(), "position {at} of {} items", self.len());
        let items = &self[..];
        InlineVec::from_fn(items.len() - 1, move |i| items[i + usize::from(i >= at)])
    }
}

// Returns a `Box` (two registers) and not an `InlineVec`, which would be returned through memory.
#[cold]
#[inline(never)]
fn heap_from_fn<T: Copy + Default>(n: usize, mut item: impl FnMut(usize) -> T) -> Box<[T]> {
    let mut items = alloc::vec![T::default(); n];
    for (i, place) in items.iter_mut().enumerate().rev() {
        *place = item(i);
    }
    items.into()
}

impl<T> InlineVec<T> {
    /// Returns whether the items are stored inline.
    #[inline]
    pub(crate) fn is_inline(&self) -> bool {
        self.len != InlineLen::Spilled
    }
}

impl<T: Copy> Clone for InlineVec<T> {
    #[inline]
    fn clone(&self) -> InlineVec<T> {
        let heap = if self.len == InlineLen::Spilled { self.heap.clone() } else { Box::default() };
        InlineVec { inline: self.inline, heap, len: self.len }
    }
}

impl<T> Deref for InlineVec<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self.len {
            InlineLen::Spilled => &self.heap,
            count => &self.inline[..count as usize],
        }
    }
}

impl<T> DerefMut for InlineVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self.len {
            InlineLen::Spilled => &mut self.heap,
            count => &mut self.inline[..count as usize],
        }
    }
}

impl<T: Copy + Default> Default for InlineVec<T> {
    fn default() -> InlineVec<T> {
        InlineVec::new()
    }
}

impl<T> AsRef<[T]> for InlineVec<T> {
    #[inline]
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Copy + Default> From<&[T]> for InlineVec<T> {
    #[inline]
    fn from(items: &[T]) -> InlineVec<T> {
        InlineVec::from_fn(items.len(), |i| items[i])
    }
}

impl<T: Copy + Default, const N: usize> From<[T; N]> for InlineVec<T> {
    #[inline]
    fn from(items: [T; N]) -> InlineVec<T> {
        InlineVec::from(&items[..])
    }
}

/// Keeps the allocation of a vector of more than six items.
impl<T: Copy + Default> From<Vec<T>> for InlineVec<T> {
    #[inline]
    fn from(items: Vec<T>) -> InlineVec<T> {
        match items.len() > INLINE_CAPACITY {
            true => InlineVec::on_heap(items),
            false => InlineVec::from(&items[..]),
        }
    }
}

impl<T: Copy + Default> FromIterator<T> for InlineVec<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> InlineVec<T> {
        let mut items = items.into_iter();
        let mut list = InlineVec::repeat(T::default(), INLINE_CAPACITY);
        for n in 0..INLINE_CAPACITY {
            let Some(item) = items.next() else {
                list.len = InlineLen::ALL[n];
                return list;
            };
            list.inline[n] = item;
        }
        match items.next() {
            Some(next) => InlineVec::spilled(&list, next, items),
            None => list,
        }
    }
}

impl<'a, T> IntoIterator for &'a InlineVec<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for InlineVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

// Not derived: unused inline slots must not take part in the comparison.
impl<T: PartialEq> PartialEq for InlineVec<T> {
    #[inline]
    fn eq(&self, other: &InlineVec<T>) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for InlineVec<T> {}

impl<T: Hash> Hash for InlineVec<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: PartialEq> PartialEq<[T]> for InlineVec<T> {
    fn eq(&self, other: &[T]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq<&[T]> for InlineVec<T> {
    fn eq(&self, other: &&[T]) -> bool {
        **self == **other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for InlineVec<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<InlineVec<T>> for [T; N] {
    fn eq(&self, other: &InlineVec<T>) -> bool {
        *self == **other
    }
}

impl<T: PartialEq> PartialEq<Vec<T>> for InlineVec<T> {
    fn eq(&self, other: &Vec<T>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_vec_below_and_above_the_inline_capacity() {
        let mut short = InlineVec::new();
        let mut vec = Vec::new();
        for i in 0..20usize {
            let at = i * 7 % (i + 1);
            short.insert(at, i);
            vec.insert(at, i);
            assert_eq!(short, vec);
            assert_eq!(vec.iter().copied().collect::<InlineVec<usize>>(), vec);
            assert_eq!(InlineVec::from(&vec[..]), short.clone());
            assert_eq!(InlineVec::from(vec.clone()), short.clone());
        }
        while !vec.is_empty() {
            let at = vec.len() * 5 / 7;
            vec.remove(at);
            short = short.without(at);
            assert_eq!(short, vec);
        }
        assert_eq!(InlineVec::repeat(3, 9), [3; 9]);
    }

    #[test]
    fn an_array_has_the_length_of_the_vector() {
        for n in 0..9 {
            let items: InlineVec<usize> = (0..n).collect();
            assert_eq!(items.as_array::<0>().is_some(), n == 0);
            assert_eq!(items.as_array(), (n == 2).then_some(&[0, 1]));
            assert_eq!(items.as_array(), (n == 6).then_some(&[0, 1, 2, 3, 4, 5]));
            assert_eq!(items.as_array(), (n == 7).then_some(&[0, 1, 2, 3, 4, 5, 6]));
        }
    }

    #[test]
    fn removed_items_do_not_take_part_in_equality() {
        assert_eq!(InlineVec::from([1, 2, 3]).without(2), InlineVec::from([1, 2]));
        let long = InlineVec::from([1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(long.without(6), InlineVec::from([1, 2, 3, 4, 5, 6]));
    }
}

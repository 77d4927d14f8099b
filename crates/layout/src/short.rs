//! A list with room for six items inside itself.
//!
//! Layouts are made and dropped by the million, and hardly any has more than six axes. A `Vec` would
//! ask the allocator for each of them; this list only does so beyond [`INLINE`] items. It is written
//! here rather than taken from a crate because the crate forbids `unsafe`: items are `Copy` and have a
//! default, so unused places can simply hold one, and an array does the rest.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// How many items fit without a heap allocation: more axes than nearly every tensor has, and few
/// enough that a whole layout (112 bytes) is still moved by inline copies instead of a call.
pub const INLINE: usize = 6;

/// A short list of lengths, strides or axes: on the stack up to six items, on the heap beyond.
///
/// It derefs to a slice and compares with arrays, slices and vectors.
///
/// ```
/// use belvedere_layout::Short;
///
/// let shape = Short::from([2, 3, 4]);
/// assert_eq!(shape, [2, 3, 4]);
/// assert_eq!(shape.iter().product::<i32>(), 24);
/// assert_eq!(format!("{shape:?}"), "[2, 3, 4]");
/// ```
#[derive(Clone)]
pub struct Short<T>(Place<T>);

#[derive(Clone)]
enum Place<T> {
    Inside { n: u8, items: [T; INLINE] },
    Heap(Vec<T>),
}

impl<T: Copy + Default> Short<T> {
    /// An empty list.
    #[inline]
    pub fn new() -> Short<T> {
        Short(Place::Inside { n: 0, items: [T::default(); INLINE] })
    }

    /// A list of `n` times `item`.
    #[inline]
    pub fn repeat(item: T, n: usize) -> Short<T> {
        if n <= INLINE {
            return Short(Place::Inside { n: n as u8, items: [item; INLINE] });
        }
        Short(Place::Heap(alloc::vec![item; n]))
    }

    /// Adds an item at the end.
    #[inline]
    pub fn push(&mut self, item: T) {
        match &mut self.0 {
            Place::Inside { n, items } if (*n as usize) < INLINE => {
                items[*n as usize] = item;
                *n += 1;
            }
            Place::Inside { items, .. } => self.0 = Place::Heap(spilled(items, item)),
            Place::Heap(items) => items.push(item),
        }
    }

    /// Puts an item in front of position `at` (at most the length of the list).
    #[inline]
    pub fn insert(&mut self, at: usize, item: T) {
        self.push(item);
        self[at..].rotate_right(1);
    }

    /// Takes the item at position `at` out of the list.
    #[inline]
    pub fn remove(&mut self, at: usize) -> T {
        self[at..].rotate_left(1);
        match &mut self.0 {
            Place::Inside { n, items } => {
                *n -= 1;
                items[*n as usize]
            }
            Place::Heap(items) => items.pop().expect("position `at` exists"),
        }
    }
}

#[cold]
fn spilled<T: Copy>(items: &[T; INLINE], item: T) -> Vec<T> {
    let mut heap = Vec::with_capacity(2 * INLINE);
    heap.extend_from_slice(items);
    heap.push(item);
    heap
}

impl<T> Deref for Short<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Inside { n, items } => &items[..*n as usize],
            Place::Heap(items) => items,
        }
    }
}

impl<T> DerefMut for Short<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Place::Inside { n, items } => &mut items[..*n as usize],
            Place::Heap(items) => items,
        }
    }
}

impl<T: Copy + Default> Default for Short<T> {
    fn default() -> Short<T> {
        Short::new()
    }
}

impl<T> AsRef<[T]> for Short<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Copy + Default> From<&[T]> for Short<T> {
    #[inline]
    fn from(items: &[T]) -> Short<T> {
        if items.len() > INLINE {
            return Short(Place::Heap(items.to_vec()));
        }
        let mut inside = [T::default(); INLINE];
        inside[..items.len()].copy_from_slice(items);
        Short(Place::Inside { n: items.len() as u8, items: inside })
    }
}

impl<T: Copy + Default, const N: usize> From<[T; N]> for Short<T> {
    fn from(items: [T; N]) -> Short<T> {
        Short::from(&items[..])
    }
}

impl<T: Copy + Default> FromIterator<T> for Short<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Short<T> {
        let mut list = Short::new();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

impl<'a, T> IntoIterator for &'a Short<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Short<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

// Equality by hand: unused places inside must not count.
impl<T: PartialEq> PartialEq for Short<T> {
    #[inline]
    fn eq(&self, other: &Short<T>) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Short<T> {}

impl<T: Hash> Hash for Short<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: PartialEq> PartialEq<[T]> for Short<T> {
    fn eq(&self, other: &[T]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq<&[T]> for Short<T> {
    fn eq(&self, other: &&[T]) -> bool {
        **self == **other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Short<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq<Vec<T>> for Short<T> {
    fn eq(&self, other: &Vec<T>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_behaves_like_a_vec_on_both_sides_of_its_inline_room() {
        let mut short = Short::new();
        let mut vec = Vec::new();
        for i in 0..20usize {
            let at = i * 7 % (i + 1);
            short.insert(at, i);
            vec.insert(at, i);
            assert_eq!(short, vec);
        }
        while !vec.is_empty() {
            let at = vec.len() * 5 % vec.len();
            assert_eq!(short.remove(at), vec.remove(at));
            assert_eq!(short, vec);
        }
    }

    #[test]
    fn what_was_removed_does_not_take_part_in_equality() {
        let mut list = Short::from([1, 2, 3]);
        list.remove(2);
        assert_eq!(list, Short::from([1, 2]));
    }
}

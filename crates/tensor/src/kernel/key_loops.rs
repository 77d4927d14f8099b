//! Loops from elements to sort keys and back, compiled for each instruction set.

use super::cpu::{BlockLoop, compiled};
use super::raw_slice::RawSlice;
use super::vector_sort::SLACK;
use crate::cancel::extend_scratch;
use crate::dtype::{Keyed, MulAdd, SortKey};
use std::marker::PhantomData;

/// Replaces the contents of `keys` by the keys of some elements, reversed if the order is descending. Returns whether the
/// keys determine the elements, bit for bit.
pub(super) fn collect_keys<T: Keyed>(
    elements: RawSlice<'_, T>,
    is_descending: bool,
    keys: &mut Vec<T::Key>,
) -> bool {
    keys.clear();
    extend_scratch(keys, elements.len().saturating_add(SLACK));
    append_keys(elements, is_descending, keys)
}

/// Like [`collect_keys`], after the contents of `keys`, whose capacity must suffice.
///
/// # Panics
/// If it does not.
pub(super) fn append_keys<T: Keyed>(
    elements: RawSlice<'_, T>,
    is_descending: bool,
    keys: &mut Vec<T::Key>,
) -> bool {
    let (n_before, n) = (keys.len(), elements.len());
    let spare = keys.spare_capacity_mut();
    assert!(n <= spare.len(), "room for {n} keys in {}", spare.len());
    let mut is_canonical = true;
    let to = spare.as_mut_ptr().cast();
    let args = ToKeysArgs { elements, to, is_descending, is_canonical: &mut is_canonical };
    // SAFETY: there is room for a key of each element (asserted), all of which are then initialised.
    unsafe {
        compiled::<ToKeysLoop<T>>()(args);
        keys.set_len(n_before + n);
    }
    is_canonical
}

/// Writes the elements with some keys, which are reversed if the order is descending, as far as there is room.
pub(super) fn write_elements<T: Keyed>(keys: &[T::Key], is_descending: bool, to: &mut [T]) {
    // SAFETY: the loop has no preconditions.
    unsafe { compiled::<ToElementsLoop<T>>()(ToElementsArgs { keys, to, is_descending }) }
}

#[inline(always)]
pub(super) fn ordered_key<K: SortKey>(key: K, is_descending: bool) -> K {
    if is_descending { key.reversed() } else { key }
}

/// The arguments of [`ToKeysLoop`].
struct ToKeysArgs<'a, T: Keyed> {
    elements: RawSlice<'a, T>,
    to: *mut T::Key,
    is_descending: bool,
    is_canonical: &'a mut bool,
}

/// Writes the keys of elements. There must be room for them at `to`.
struct ToKeysLoop<T>(PhantomData<T>);

impl<T: Keyed> BlockLoop for ToKeysLoop<T> {
    type Args<'a> = ToKeysArgs<'a, T>;

    const HAS_AVX2: bool = size_of::<T::Key>() <= 8;
    const HAS_AVX512: bool = true;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(args: ToKeysArgs<'_, T>) {
        let mut is_canonical = true;
        for (i, x) in args.elements.iter().enumerate() {
            is_canonical &= x.is_canonical();
            // SAFETY: there is room for a key of each element, see the loop.
            unsafe { args.to.add(i).write(ordered_key(x.key(), args.is_descending)) };
        }
        *args.is_canonical = is_canonical;
    }
}

/// The arguments of [`ToElementsLoop`].
struct ToElementsArgs<'a, T: Keyed> {
    keys: &'a [T::Key],
    to: &'a mut [T],
    is_descending: bool,
}

/// Writes the elements of keys.
struct ToElementsLoop<T>(PhantomData<T>);

impl<T: Keyed> BlockLoop for ToElementsLoop<T> {
    type Args<'a> = ToElementsArgs<'a, T>;

    const HAS_AVX2: bool = size_of::<T::Key>() <= 8;
    const HAS_AVX512: bool = true;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(args: ToElementsArgs<'_, T>) {
        for (to, &key) in args.to.iter_mut().zip(args.keys) {
            *to = T::from_key(ordered_key(key, args.is_descending));
        }
    }
}

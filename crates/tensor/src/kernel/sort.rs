//! Lanes in order: sorts, the positions that sort, and the first few of either.
//!
//! Elements become keys (`dtype/key.rs`), which are sorted and become elements again; or keys with
//! their positions, which are sorted and of which the positions are taken. The second way keeps the
//! order of equal elements by itself, since no two positions are equal. The first way cannot tell
//! them apart, and need not, unless there are zeros or NaNs of which some bits would be lost: lanes
//! with such elements take the second way, too.

use super::lanes::{lanes, lanes_in_place};
use super::radix;
use crate::dtype::{Digits, Entry, Key, Keyed, KeyedTask};
use crate::view::{AnyView, AnyViewMut, Written};

/// What an element of a sorted lane costs, in additions.
const COST: usize = 16;

/// How much of a lane is put into order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// So many elements, which come first. The others are left out.
    First(usize),
    /// The element at one position: what is before it is not greater, what is behind it not smaller.
    Around(usize),
}

/// Which lanes are sorted, and how.
#[derive(Clone, Copy)]
pub(crate) struct Sorting {
    pub axis: usize,
    pub is_descending: bool,
    pub extent: Extent,
}

/// Writes the sorted lanes of a view, of which the extent is left, to another.
pub(crate) fn sort<'x>(out: AnyViewMut<'x>, input: &AnyView<'_>, how: Sorting) -> Written<'x> {
    struct Sort<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, Sorting);

    impl<'x> KeyedTask for Sort<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let Sort(out, input, how) = self;
            lanes(out, input, how.axis, COST, Scratch::<T>::default, |scratch, lane, place| {
                if !scratch.sort_keys(lane, how) {
                    scratch.sort_entries(lane, how);
                    for (place, entry) in place.iter_mut().zip(&scratch.entries) {
                        *place = lane[entry.at()];
                    }
                    return;
                }
                scratch.write_keys(place, how);
            })
        }
    }

    input.dtype().with_keyed(Sort(out, input, how))
}

/// Sorts lanes where they are.
pub(crate) fn sort_in_place(out: AnyViewMut<'_>, how: Sorting) {
    struct Sort<'x>(AnyViewMut<'x>, Sorting);

    impl KeyedTask for Sort<'_> {
        type Output = ();

        fn run<T: Keyed>(self) {
            let Sort(out, how) = self;
            lanes_in_place(out, how.axis, COST, Scratch::<T>::default, |scratch, lane| {
                if !scratch.sort_keys(lane, how) {
                    scratch.sort_entries(lane, how);
                    let before = lane.to_vec();
                    for (place, entry) in lane.iter_mut().zip(&scratch.entries) {
                        *place = before[entry.at()];
                    }
                    return;
                }
                scratch.write_keys(lane, how);
            });
        }
    }

    out.dtype().with_keyed(Sort(out, how))
}

/// Writes the positions that sort the lanes of a view, of which the extent is left, to a view of
/// `int64`.
pub(crate) fn argsort<'x>(out: AnyViewMut<'x>, input: &AnyView<'_>, how: Sorting) -> Written<'x> {
    struct Sort<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, Sorting);

    impl<'x> KeyedTask for Sort<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let Sort(out, input, how) = self;
            let axis = how.axis;
            lanes(
                out,
                input,
                axis,
                COST,
                Scratch::<T>::default,
                |scratch, lane, place: &mut [i64]| {
                    scratch.sort_entries(lane, how);
                    for (place, entry) in place.iter_mut().zip(&scratch.entries) {
                        *place = entry.at() as i64;
                    }
                },
            )
        }
    }

    input.dtype().with_keyed(Sort(out, input, how))
}

/// What a thread needs to sort a lane, kept for the next one.
struct Scratch<T: Keyed> {
    keys: Vec<T::Key>,
    key_room: Vec<T::Key>,
    entries: Vec<<T::Key as Key>::Entry>,
    entry_room: Vec<<T::Key as Key>::Entry>,
}

impl<T: Keyed> Default for Scratch<T> {
    fn default() -> Scratch<T> {
        Scratch { keys: vec![], key_room: vec![], entries: vec![], entry_room: vec![] }
    }
}

impl<T: Keyed> Scratch<T> {
    /// Puts the keys of a lane into order, if they say all about its elements.
    fn sort_keys(&mut self, lane: &[T], how: Sorting) -> bool {
        // Positions beyond what an entry holds: then equal elements count as one.
        let has_entries = lane.len() as u64 <= <T::Key as Key>::Entry::MOST;
        if has_entries && !lane.iter().fold(true, |all, x| all & x.is_plain()) {
            return false;
        }
        let keys = lane.iter().map(|x| turned(x.key(), how));
        arrange(keys, &mut self.keys, &mut self.key_room, how.extent);
        true
    }

    fn write_keys(&self, place: &mut [T], how: Sorting) {
        for (place, key) in place.iter_mut().zip(&self.keys) {
            *place = T::of_key(turned(*key, how));
        }
    }

    /// Puts the entries of a lane into order.
    fn sort_entries(&mut self, lane: &[T], how: Sorting) {
        assert!(lane.len() as u64 <= <T::Key as Key>::Entry::MOST, "an entry holds each position");
        let entries = lane.iter().enumerate();
        let entries = entries.map(|(at, x)| Entry::new(turned(x.key(), how), at));
        arrange(entries, &mut self.entries, &mut self.entry_room, how.extent);
    }
}

#[inline(always)]
fn turned<K: Key>(key: K, how: Sorting) -> K {
    if how.is_descending { key.reversed() } else { key }
}

/// Collects items and puts so much of them into order.
fn arrange<I: Digits>(
    from: impl ExactSizeIterator<Item = I>,
    items: &mut Vec<I>,
    room: &mut Vec<I>,
    extent: Extent,
) {
    items.clear();
    match extent {
        Extent::First(k) if k < from.len() / 4 => {
            least(from, items, k);
            items.sort_unstable();
        }
        Extent::First(k) => {
            items.extend(from);
            if k < items.len() && k > 0 {
                items.select_nth_unstable(k - 1);
            }
            items.truncate(k);
            items.sort_unstable();
        }
        Extent::Around(k) => {
            items.extend(from);
            if k < items.len() {
                items.select_nth_unstable(k);
            }
        }
        Extent::Whole => {
            items.extend(from);
            radix::sort(items, room);
        }
    }
}

/// Collects the `k` least items: those that are not, as soon as that is known, are left out.
fn least<I: Digits>(from: impl Iterator<Item = I>, items: &mut Vec<I>, k: usize) {
    if k == 0 {
        return;
    }
    let most = 2 * k + 64;
    let mut limit = None;
    for item in from {
        if limit.is_some_and(|limit| item >= limit) {
            continue;
        }
        items.push(item);
        if items.len() == most {
            let (_, &mut greatest, _) = items.select_nth_unstable(k - 1);
            items.truncate(k);
            limit = Some(greatest);
        }
    }
    if k < items.len() {
        items.select_nth_unstable(k - 1);
        items.truncate(k);
    }
}

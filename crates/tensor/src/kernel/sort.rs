//! Sort, argsort, top-k and partition along an axis.
//!
//! Elements are mapped to sort keys (`dtype/key.rs`), which are sorted and mapped back; or keys are packed with
//! their positions into entries, which are sorted, and the positions are taken. A sort of entries is stable, since no two
//! positions are equal. A sort of keys need not be, because equal keys are equal elements, unless there are zeros or
//! NaNs whose bits the key does not keep: lanes with such elements are sorted by entries, too.

use super::lanes::{map_lanes, map_lanes_in_place};
use super::radix;
use super::raw_slice::RawSlice;
use crate::cancel::{extend_scratch, scratch};
use crate::dtype::{Digits, Keyed, KeyedTask, SortEntry, SortKey};
use crate::view::{AnyView, AnyViewMut, Written};

/// The cost of an element of a sorted lane, in additions.
const COST: usize = 16;

/// How much of a lane is sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// The first `k` elements of the sorted lane. The others are left out.
    First(usize),
    /// A partition: the element at position `k` is that of the sorted lane, those before it are not greater, and those
    /// after it not smaller.
    Around(usize),
}

/// The axis, the order and the extent of a sort.
#[derive(Clone, Copy)]
pub(crate) struct SortOptions {
    pub axis: usize,
    pub is_descending: bool,
    pub extent: Extent,
    /// Whether the output exists already, so that all buffers are allocated before it is written.
    pub has_output: bool,
}

/// Writes the sorted lanes of a view, or the extent of them, to another.
pub(crate) fn sort<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    options: SortOptions,
) -> Written<'x> {
    struct SortTask<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, SortOptions);

    impl<'x> KeyedTask for SortTask<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let SortTask(out, input, options) = self;
            map_lanes(
                out,
                input,
                options.axis,
                COST,
                |len| SortScratch::<T>::for_values(len, options),
                |scratch, lane, to| {
                    if !scratch.sort_keys(lane, options) {
                        scratch.sort_entries(lane, options);
                        for (to, entry) in to.iter_mut().zip(&scratch.entries) {
                            *to = lane.get(entry.at());
                        }
                        return;
                    }
                    scratch.write_keys(to, options);
                },
            )
        }
    }

    input.dtype().with_keyed(SortTask(out, input, options))
}

/// Sorts lanes in place.
pub(crate) fn sort_in_place(out: AnyViewMut<'_>, options: SortOptions) {
    struct SortInPlaceTask<'x>(AnyViewMut<'x>, SortOptions);

    impl KeyedTask for SortInPlaceTask<'_> {
        type Output = ();

        fn run<T: Keyed>(self) {
            let SortInPlaceTask(out, options) = self;
            map_lanes_in_place(
                out,
                options.axis,
                COST,
                SortScratch::<T>::in_place,
                |scratch, lane| {
                    let values = RawSlice::from(&*lane);
                    if !scratch.sort_keys(values, options) {
                        scratch.sort_entries(values, options);
                        scratch.before.clear();
                        scratch.before.extend_from_slice(lane);
                        for (to, entry) in lane.iter_mut().zip(&scratch.entries) {
                            *to = scratch.before[entry.at()];
                        }
                        return;
                    }
                    scratch.write_keys(lane, options);
                },
            );
        }
    }

    out.dtype().with_keyed(SortInPlaceTask(out, options))
}

/// Writes the positions that sort the lanes of a view, or the extent of them, to a view of `int64`.
pub(crate) fn argsort<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    options: SortOptions,
) -> Written<'x> {
    struct ArgsortTask<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, SortOptions);

    impl<'x> KeyedTask for ArgsortTask<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let ArgsortTask(out, input, options) = self;
            let axis = options.axis;
            map_lanes(
                out,
                input,
                axis,
                COST,
                |len| SortScratch::<T>::for_entries(len, options),
                |scratch, lane, to: &mut [i64]| {
                    scratch.sort_entries(lane, options);
                    for (to, entry) in to.iter_mut().zip(&scratch.entries) {
                        *to = entry.at() as i64;
                    }
                },
            )
        }
    }

    input.dtype().with_keyed(ArgsortTask(out, input, options))
}

/// The buffers of a thread, reused from lane to lane.
struct SortScratch<T: Keyed> {
    keys: Vec<T::Key>,
    key_scratch: Vec<T::Key>,
    entries: Vec<<T::Key as SortKey>::Entry>,
    entry_scratch: Vec<<T::Key as SortKey>::Entry>,
    /// A copy of the lane, if it is sorted in place by entries.
    before: Vec<T>,
}

impl<T: Keyed> Default for SortScratch<T> {
    fn default() -> SortScratch<T> {
        SortScratch {
            keys: vec![],
            key_scratch: vec![],
            entries: vec![],
            entry_scratch: vec![],
            before: vec![],
        }
    }
}

impl<T: Keyed> SortScratch<T> {
    /// Makes buffers for sorts in place of lanes of `len` elements, which allocate nothing more.
    fn in_place(len: usize) -> SortScratch<T> {
        let buffers = SortScratch::<T>::with_capacity(len, n_ambiguous::<T>(len));
        SortScratch { before: scratch(n_ambiguous::<T>(len)), ..buffers }
    }

    /// Makes buffers for sorts of lanes of `len` elements into an output: empty ones if it is new, and dropped after an error,
    /// because few lanes need entries.
    fn for_values(len: usize, options: SortOptions) -> SortScratch<T> {
        match options.has_output {
            true => SortScratch::with_capacity(len, n_ambiguous::<T>(len)),
            false => SortScratch::default(),
        }
    }

    /// The same for sorts that write positions.
    fn for_entries(len: usize, options: SortOptions) -> SortScratch<T> {
        match options.has_output {
            true => SortScratch::with_capacity(0, len),
            false => SortScratch::default(),
        }
    }

    /// Makes buffers for whole lanes of this many keys and entries.
    fn with_capacity(n_keys: usize, n_entries: usize) -> SortScratch<T> {
        SortScratch {
            keys: scratch(n_keys),
            key_scratch: scratch(radix::scratch_len::<T::Key>(n_keys)),
            entries: scratch(n_entries),
            entry_scratch: scratch(radix::scratch_len::<<T::Key as SortKey>::Entry>(n_entries)),
            before: vec![],
        }
    }

    /// Sorts the keys of a lane; returns false if they do not determine its elements.
    fn sort_keys(&mut self, lane: RawSlice<'_, T>, options: SortOptions) -> bool {
        // A lane with more positions than an entry can represent is sorted by keys in any case.
        let has_entries = lane.len() as u64 <= <T::Key as SortKey>::Entry::MAX_POSITIONS;
        if has_entries && !lane.iter().fold(true, |all, x| all & x.is_canonical()) {
            return false;
        }
        let keys = lane.iter().map(|x| ordered_key(x.key(), options));
        arrange(keys, &mut self.keys, &mut self.key_scratch, options.extent);
        true
    }

    fn write_keys(&self, to: &mut [T], options: SortOptions) {
        for (to, key) in to.iter_mut().zip(&self.keys) {
            *to = T::from_key(ordered_key(*key, options));
        }
    }

    /// Sorts the entries of a lane.
    fn sort_entries(&mut self, lane: RawSlice<'_, T>, options: SortOptions) {
        assert!(
            lane.len() as u64 <= <T::Key as SortKey>::Entry::MAX_POSITIONS,
            "an entry holds each position"
        );
        let entries = lane.iter().enumerate();
        let entries = entries.map(|(at, x)| SortEntry::new(ordered_key(x.key(), options), at));
        arrange(entries, &mut self.entries, &mut self.entry_scratch, options.extent);
    }
}

/// Returns how many entries a sort of `len` elements may need: only types with NaN have elements that a key does not
/// determine.
fn n_ambiguous<T: Keyed>(len: usize) -> usize {
    if T::FIRST_NAN.is_some() { len } else { 0 }
}

#[inline(always)]
fn ordered_key<K: SortKey>(key: K, options: SortOptions) -> K {
    if options.is_descending { key.reversed() } else { key }
}

/// Collects items and sorts the extent of them.
fn arrange<I: Digits>(
    from: impl ExactSizeIterator<Item = I>,
    items: &mut Vec<I>,
    scratch: &mut Vec<I>,
    extent: Extent,
) {
    items.clear();
    match extent {
        Extent::First(k) if k < from.len() / 4 => {
            extend_scratch(items, (2 * k + 64).min(from.len()));
            select_smallest(from, items, k);
            items.sort_unstable();
        }
        Extent::First(k) => {
            extend_scratch(items, from.len());
            items.extend(from);
            if k < items.len() && k > 0 {
                items.select_nth_unstable(k - 1);
            }
            items.truncate(k);
            items.sort_unstable();
        }
        Extent::Around(k) => {
            extend_scratch(items, from.len());
            items.extend(from);
            if k < items.len() {
                items.select_nth_unstable(k);
            }
        }
        Extent::Whole => {
            extend_scratch(items, from.len());
            items.extend(from);
            radix::sort(items, scratch);
        }
    }
}

/// Collects the `k` smallest items: those above the `k`-th smallest seen are dropped on the way.
fn select_smallest<I: Digits>(from: impl Iterator<Item = I>, items: &mut Vec<I>, k: usize) {
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

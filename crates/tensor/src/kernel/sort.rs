//! Sort, argsort, top-k and partition along an axis.
//!
//! Elements are mapped to sort keys (`dtype/key.rs`), which are sorted and mapped back; or keys are packed with
//! their positions into entries, which are sorted, and the positions are taken. A sort of entries is stable, since no two
//! positions are equal. A sort of keys need not be, because equal keys are equal elements, with two exceptions: the
//! bits of zeros and NaNs, which the key does not keep. Each of them is one group of the sorted lane, so those of real
//! numbers are copied there from the lane, in its order. Lanes of complex numbers with such parts are sorted by entries.

use super::copy::copy;
use super::key_loops::{collect_keys, ordered_key, write_elements};
use super::lanes::{map_lanes, map_lanes_in_place};
use super::prefix_sort::PrefixSort;
use super::radix;
use super::raw_slice::RawSlice;
use super::vector_sort::SLACK;
use crate::cancel::{extend_scratch, scratch, scratch_of};
use crate::dtype::{Digits, Keyed, KeyedTask, NumberKind, SortEntry, SortKey};
use crate::view::{AnyView, AnyViewMut, SmallView, SmallViewMut, Written};
use std::any::{Any, TypeId};

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
                |scratch, lane, to| scratch.sort_lane(lane, options, to),
            )
        }
    }

    // Along a broadcast axis all elements are the same.
    let axis = input.layout().axes()[options.axis];
    if axis.stride == 0 && out.layout().axes()[options.axis].len == axis.len {
        return copy(out, input);
    }
    input.dtype().with_keyed(SortTask(out, input, options))
}

/// Writes the sorted rows of a small input to those of an output; if `is_transposed`, to its columns. The results have the bits
/// of [`sort`], which sorts the same lanes.
///
/// # Panics
/// If the shapes or the dtypes differ.
pub(crate) fn sort_small<'x>(
    out: SmallViewMut<'x>,
    input: SmallView<'x>,
    is_descending: bool,
    is_transposed: bool,
) -> Written<'x> {
    struct SortSmallTask<'x>(SmallViewMut<'x>, SmallView<'x>, bool, bool);

    impl<'x> KeyedTask for SortSmallTask<'x> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let SortSmallTask(out, input, is_descending, is_transposed) = self;
            let [rows, cols] = input.lens;
            let of_rows = |[a, b]: [isize; 2]| if is_transposed { [b, a] } else { [a, b] };
            let lens = if is_transposed { [cols, rows] } else { [rows, cols] };
            let dtypes = [out.dtype, input.dtype];
            assert!(out.lens == lens && dtypes == [T::DTYPE; 2], "two operands of one shape");
            let (to, from) = (of_rows(out.strides), input.strides);
            let at =
                |[row, col]: [isize; 2], r: usize, c: usize| row * r as isize + col * c as isize;
            let options =
                SortOptions { axis: 1, is_descending, extent: Extent::Whole, has_output: false };
            let (mut state, mut lane) = (SortScratch::<T>::default(), scratch(cols));
            let mut sorted = scratch_of(T::default(), cols);
            for r in 0..rows {
                lane.clear();
                // SAFETY: the rows and columns lead to elements of the input, which are of this type, initialised and
                // readable (`SmallView`).
                lane.extend(
                    (0..cols)
                        .map(|c| unsafe { input.ptr.cast::<T>().offset(at(from, r, c)).read() }),
                );
                state.sort_lane(RawSlice::from(&*lane), options, &mut sorted);
                for (c, &x) in sorted.iter().enumerate() {
                    // SAFETY: the output has the same rows and columns, of this type and writable (`SmallViewMut`).
                    unsafe { out.ptr.cast::<T>().offset(at(to, r, c)).write(x) };
                }
            }
            // SAFETY: every element has just been written.
            unsafe { out.written() }
        }
    }

    input.dtype.with_keyed(SortSmallTask(out, input, is_descending, is_transposed))
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
                    if needs_entries(values) {
                        scratch.sort_entries(values, options);
                        scratch.copy_lane(lane);
                        for (to, entry) in lane.iter_mut().zip(&scratch.entries) {
                            *to = scratch.before[entry.at()];
                        }
                        return;
                    }
                    let is_canonical = scratch.sort_keys(values, options);
                    if !is_canonical {
                        scratch.copy_lane(lane);
                    }
                    write_elements(&scratch.keys, options.is_descending, lane);
                    if !is_canonical {
                        restore_bits(RawSlice::from(&*scratch.before), lane);
                    }
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
                |len| SortScratch::<T>::for_positions(len, options),
                |scratch, lane, to: &mut [i64]| {
                    if options.extent == Extent::Whole && scratch.argsort_keys(lane, options, to) {
                        return;
                    }
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
    prefixes: PrefixSort,
    /// A copy of the lane, if it is sorted in place and keys do not determine its elements.
    before: Vec<T>,
}

impl<T: Keyed> Default for SortScratch<T> {
    fn default() -> SortScratch<T> {
        SortScratch {
            keys: vec![],
            key_scratch: vec![],
            entries: vec![],
            entry_scratch: vec![],
            prefixes: PrefixSort::default(),
            before: vec![],
        }
    }
}

impl<T: Keyed> SortScratch<T> {
    /// Makes buffers for sorts in place of lanes of `len` elements, which allocate nothing more.
    fn in_place(len: usize) -> SortScratch<T> {
        // Only types with NaN have elements that a key does not determine.
        let n_before = if T::FIRST_NAN.is_some() { len } else { 0 };
        SortScratch { before: scratch(n_before), ..SortScratch::with_capacity(len) }
    }

    /// Makes buffers for sorts of lanes of `len` elements into an output: empty ones if it is new, and dropped after an error.
    fn for_values(len: usize, options: SortOptions) -> SortScratch<T> {
        if options.has_output { SortScratch::with_capacity(len) } else { SortScratch::default() }
    }

    /// The same for sorts that write positions.
    fn for_positions(len: usize, options: SortOptions) -> SortScratch<T> {
        if !options.has_output {
            return SortScratch::default();
        }
        if has_wide_keys::<T>() {
            let (keys, prefixes) = (scratch(len.saturating_add(SLACK)), PrefixSort::new(len));
            return SortScratch { keys, prefixes, ..SortScratch::default() };
        }
        SortScratch::default().with_entries(len)
    }

    /// Makes buffers for the keys of whole lanes, and for the entries of lanes that need them.
    fn with_capacity(len: usize) -> SortScratch<T> {
        let buffers = SortScratch {
            keys: scratch(len.saturating_add(SLACK)),
            key_scratch: scratch(radix::scratch_len::<T::Key>(len)),
            ..SortScratch::default()
        };
        if is_complex::<T>() { buffers.with_entries(len) } else { buffers }
    }

    fn with_entries(self, len: usize) -> SortScratch<T> {
        let entry_scratch = scratch(radix::scratch_len::<<T::Key as SortKey>::Entry>(len));
        SortScratch { entries: scratch(len.saturating_add(SLACK)), entry_scratch, ..self }
    }

    /// Writes the sorted elements of a lane, or the extent of them.
    fn sort_lane(&mut self, lane: RawSlice<'_, T>, options: SortOptions, to: &mut [T]) {
        if needs_entries(lane) {
            self.sort_entries(lane, options);
            for (to, entry) in to.iter_mut().zip(&self.entries) {
                *to = lane.get(entry.at());
            }
            return;
        }
        let is_canonical = self.sort_keys(lane, options);
        write_elements(&self.keys, options.is_descending, to);
        if !is_canonical {
            restore_bits(lane, to);
        }
    }

    /// Sorts the keys of a lane; returns whether they determine its elements, bit for bit.
    fn sort_keys(&mut self, lane: RawSlice<'_, T>, options: SortOptions) -> bool {
        if let Some(k) = options.extent.small_part(lane.len()) {
            let keys = lane.iter().map(|x| ordered_key(x.key(), options.is_descending));
            select_smallest(keys, &mut self.keys, k);
            return lane.iter().fold(true, |all, x| all & x.is_canonical());
        }
        let is_canonical = collect_keys(lane, options.is_descending, &mut self.keys);
        arrange(&mut self.keys, &mut self.key_scratch, options.extent);
        is_canonical
    }

    /// Writes the positions that sort a lane, if its keys have 64 bits; returns whether they do.
    fn argsort_keys(
        &mut self,
        lane: RawSlice<'_, T>,
        options: SortOptions,
        to: &mut [i64],
    ) -> bool {
        if !has_wide_keys::<T>() {
            return false;
        }
        collect_keys(lane, options.is_descending, &mut self.keys);
        let keys: &dyn Any = &self.keys;
        self.prefixes.argsort(keys.downcast_ref::<Vec<u64>>().expect("the type is `u64`"), to);
        true
    }

    /// Sorts the entries of a lane.
    fn sort_entries(&mut self, lane: RawSlice<'_, T>, options: SortOptions) {
        assert!(
            lane.len() as u64 <= <T::Key as SortKey>::Entry::MAX_POSITIONS,
            "an entry holds each position"
        );
        let entries = lane
            .iter()
            .enumerate()
            .map(|(at, x)| SortEntry::new(ordered_key(x.key(), options.is_descending), at));
        if let Some(k) = options.extent.small_part(lane.len()) {
            return select_smallest(entries, &mut self.entries, k);
        }
        self.entries.clear();
        extend_scratch(&mut self.entries, lane.len());
        self.entries.extend(entries);
        arrange(&mut self.entries, &mut self.entry_scratch, options.extent);
    }

    /// Copies a lane to `before`.
    fn copy_lane(&mut self, lane: &[T]) {
        self.before.clear();
        self.before.extend_from_slice(lane);
    }
}

impl Extent {
    /// Returns `k` if only the first `k` elements are sorted, and less than a fourth of `len`.
    fn small_part(self, len: usize) -> Option<usize> {
        match self {
            Extent::First(k) if k < len / 4 => Some(k),
            _ => None,
        }
    }
}

/// Whether keys have 64 bits, and positions are sorted by prefixes of them.
fn has_wide_keys<T: Keyed>() -> bool {
    TypeId::of::<T::Key>() == TypeId::of::<u64>()
}

fn is_complex<T: Keyed>() -> bool {
    matches!(T::DTYPE.kind(), NumberKind::Complex(_))
}

/// Whether a lane is sorted by entries, because it has complex numbers with equal keys that may differ.
fn needs_entries<T: Keyed>(lane: RawSlice<'_, T>) -> bool {
    // A lane with more positions than an entry can represent is sorted by keys in any case.
    is_complex::<T>()
        && lane.len() as u64 <= <T::Key as SortKey>::Entry::MAX_POSITIONS
        && !lane.iter().fold(true, |all, x| all & x.is_canonical())
}

/// Replaces the zeros and NaNs of a sorted lane by those of the lane as it was, in the order of that.
fn restore_bits<T: Keyed>(before: RawSlice<'_, T>, sorted: &mut [T]) {
    let zero = T::default().key();
    let mut zeros = before.iter().filter(|x| x.key() == zero);
    let mut nans = before.iter().filter(|x| T::is_nan_key(x.key()));
    for to in sorted {
        let key = to.key();
        let next = match key == zero {
            true => zeros.next(),
            false if T::is_nan_key(key) => nans.next(),
            false => continue,
        };
        // Another library may have changed the lane since it was sorted.
        if let Some(x) = next {
            *to = x;
        }
    }
}

/// Sorts the extent of some items; with [`Extent::First`] the others are removed.
fn arrange<I: Digits>(items: &mut Vec<I>, scratch: &mut Vec<I>, extent: Extent) {
    match extent {
        Extent::First(k) => {
            if k < items.len() && k > 0 {
                radix::select(items, k - 1, scratch);
            }
            items.truncate(k);
            radix::sort(items, scratch);
        }
        Extent::Around(k) if k < items.len() => radix::select(items, k, scratch),
        Extent::Around(_) => (),
        Extent::Whole => radix::sort(items, scratch),
    }
}

/// Collects the `k` smallest items, sorted: those above the `k`-th smallest seen are dropped on the way.
fn select_smallest<I: Digits>(
    from: impl ExactSizeIterator<Item = I>,
    items: &mut Vec<I>,
    k: usize,
) {
    items.clear();
    if k == 0 {
        return;
    }
    extend_scratch(items, (2 * k + 64).min(from.len()));
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
    items.sort_unstable();
}

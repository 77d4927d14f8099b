//! Unique elements and set operations, by sorting keys.
//!
//! A NaN does not equal itself, so each NaN is distinct.

use super::body::Body;
use super::key_loops::{append_keys, write_elements};
use super::map::map;
use super::radix;
use super::raw_slice::RawSlice;
use super::vector_sort::SLACK;
use crate::cancel::{cancel, collect_scratch, extend_scratch, scratch_of};
use crate::dtype::{Keyed, KeyedTask, SortEntry, SortKey};
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{Axis, Bool, Error, Index, Slice, Tensor};
use std::cmp::Reverse;

/// The unique elements of a view, with indices, inverse and counts.
pub(crate) struct Uniques {
    /// The unique elements, sorted.
    pub values: Tensor,
    /// The position of the first occurrence of each, in row-major order.
    pub indices: Tensor,
    /// For each element of the view, its index in `values`.
    pub inverse: Tensor,
    /// The number of occurrences of each.
    pub counts: Tensor,
}

/// An operation on the sets of elements of two views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SetOperation {
    Union,
    Intersection,
    Difference,
    /// The symmetric difference.
    Either,
}

/// Returns the unique elements, sorted.
pub(crate) fn values(view: &AnyView<'_>) -> Result<Tensor, Error> {
    struct UniqueValuesTask<'a>(&'a AnyView<'a>);

    impl KeyedTask for UniqueValuesTask<'_> {
        type Output = Result<Tensor, Error>;

        fn run<T: Keyed>(self) -> Result<Tensor, Error> {
            elements::<T>(&distinct::<T>(self.0)?)
        }
    }

    view.dtype().with_keyed(UniqueValuesTask(view))
}

/// Returns the unique elements, sorted, and the number of occurrences of each.
pub(crate) fn counts(view: &AnyView<'_>) -> Result<[Tensor; 2], Error> {
    struct UniqueCountsTask<'a>(&'a AnyView<'a>);

    impl KeyedTask for UniqueCountsTask<'_> {
        type Output = Result<[Tensor; 2], Error>;

        fn run<T: Keyed>(self) -> Self::Output {
            let (keys, counts) = count_keys(keys::<T>(self.0)?, T::FIRST_NAN)?;
            Ok([elements::<T>(&keys)?, counts.into()])
        }
    }

    view.dtype().with_keyed(UniqueCountsTask(view))
}

/// Returns the unique elements of a view with indices, inverse and counts.
///
/// # Panics
/// If the view has more elements than a sort entry has positions.
pub(crate) fn uniques(view: &AnyView<'_>) -> Result<Uniques, Error> {
    struct UniquesTask<'a>(&'a AnyView<'a>);

    impl KeyedTask for UniquesTask<'_> {
        type Output = Result<Uniques, Error>;

        fn run<T: Keyed>(self) -> Result<Uniques, Error> {
            let groups = KeyGroups::new(&keys::<T>(self.0)?, T::FIRST_NAN)?;
            Ok(Uniques {
                values: elements::<T>(&groups.keys)?,
                indices: groups.indices.into(),
                inverse: groups.inverse.into(),
                counts: groups.counts.into(),
            })
        }
    }

    view.dtype().with_keyed(UniquesTask(view))
}

/// Returns the union, intersection, difference or symmetric difference of two views of one dtype, sorted.
pub(crate) fn combine(
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    how: SetOperation,
) -> Result<Tensor, Error> {
    struct SetTask<'a>(&'a AnyView<'a>, &'a AnyView<'a>, SetOperation);

    impl KeyedTask for SetTask<'_> {
        type Output = Result<Tensor, Error>;

        fn run<T: Keyed>(self) -> Result<Tensor, Error> {
            let SetTask(a, b, how) = self;
            let keys = combine_keys(distinct::<T>(a)?, distinct::<T>(b)?, how, T::FIRST_NAN);
            elements::<T>(&keys)
        }
    }

    a.dtype().with_keyed(SetTask(a, b, how))
}

/// Writes whether each element of a view, cast to the dtype of `among`, is one of the elements of `among`; or
/// whether it is not, if `invert`.
pub(crate) fn is_in<'x>(
    out: AnyViewMut<'x>,
    input: AnyView<'_>,
    among: &AnyView<'_>,
    invert: bool,
) -> Written<'x> {
    struct IsInTask<'x, 'a>(AnyViewMut<'x>, AnyView<'a>, &'a AnyView<'a>, bool);

    impl<'x> KeyedTask for IsInTask<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let IsInTask(out, input, among, invert) = self;
            let mut keys = distinct::<T>(among).unwrap_or_else(|error| cancel(error));
            keys.truncate(keys.partition_point(|&key| !T::is_nan_key(key)));
            match KeyBitmap::new(&keys) {
                Some(bitmap) => {
                    let is_in = |x: T| Bool::from(bitmap.has(x.key()) != invert);
                    map(&Body::unary_calls_with(&is_in), out, &[Source::View(input)])
                }
                None => {
                    let is_in = |x: T| Bool::from(keys.binary_search(&x.key()).is_ok() != invert);
                    map(&Body::unary_calls_with(&is_in), out, &[Source::View(input)])
                }
            }
        }
    }

    among.dtype().with_keyed(IsInTask(out, input, among, invert))
}

/// A bitmap of the keys in a list, from the smallest to the greatest.
struct KeyBitmap<K> {
    first: K,
    bits: Vec<u64>,
}

impl<K: SortKey> KeyBitmap<K> {
    /// Makes the bitmap of a sorted list, if it has at most 256 bits for each key, or 65,536.
    fn new(keys: &[K]) -> Option<KeyBitmap<K>> {
        let (&first, &last) = (keys.first()?, keys.last()?);
        let most = keys.len().saturating_mul(256).max(1 << 16);
        let n = last.steps_from(first).filter(|&steps| steps < most)? + 1;
        let mut bits = scratch_of(0, n.div_ceil(64));
        for at in keys.iter().filter_map(|key| key.steps_from(first)) {
            bits[at / 64] |= 1 << (at % 64);
        }
        Some(KeyBitmap { first, bits })
    }

    #[inline(always)]
    fn has(&self, key: K) -> bool {
        let at = key.steps_from(self.first);
        at.is_some_and(|at| self.bits.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1))
    }
}

// What follows is generic over the key and not over the element: six types instead of fifteen.

/// Whether two keys are those of equal elements. `first_nan` is the least key of a NaN.
#[inline(always)]
fn is_same<K: SortKey>(a: K, b: K, first_nan: Option<K>) -> bool {
    a == b && first_nan.is_none_or(|nan| a < nan)
}

fn sort<K: SortKey>(keys: &mut Vec<K>) -> Result<(), Error> {
    let mut scratch = reserve(radix::scratch_len::<K>(keys.len()))?;
    radix::sort(keys, &mut scratch);
    Ok(())
}

/// Returns the distinct keys, sorted, and the number of occurrences of each.
fn count_keys<K: SortKey>(
    mut keys: Vec<K>,
    first_nan: Option<K>,
) -> Result<(Vec<K>, Vec<i64>), Error> {
    sort(&mut keys)?;
    let groups = || keys.chunk_by(|a, b| is_same(*a, *b, first_nan));
    let n = groups().count();
    let (mut distinct, mut counts) = (reserve(n)?, reserve(n)?);
    for group in groups() {
        distinct.push(group[0]);
        counts.push(group.len() as i64);
    }
    Ok((distinct, counts))
}

/// Keys grouped by equality.
struct KeyGroups<K> {
    /// The distinct keys, sorted.
    keys: Vec<K>,
    /// The position of the first occurrence of each.
    indices: Vec<i64>,
    /// For each key that was given, the number of its group.
    inverse: Vec<i64>,
    /// The number of occurrences of each.
    counts: Vec<i64>,
}

impl<K: SortKey> KeyGroups<K> {
    fn new(all: &[K], first_nan: Option<K>) -> Result<KeyGroups<K>, Error> {
        assert!(all.len() as u64 <= K::Entry::MAX_POSITIONS, "entries represent every position");
        let (mut entries, mut scratch) =
            (reserve(all.len())?, reserve(radix::scratch_len::<K::Entry>(all.len()))?);
        entries.extend(all.iter().enumerate().map(|(at, &key)| K::Entry::new(key, at)));
        radix::sort(&mut entries, &mut scratch);
        let mut inverse = reserve(all.len())?;
        inverse.resize(all.len(), 0);
        let groups = || entries.chunk_by(|a, b| is_same(a.key(), b.key(), first_nan));
        let n = groups().count();
        let (mut keys, mut indices, mut counts) = (reserve(n)?, reserve(n)?, reserve(n)?);
        for group in groups() {
            for entry in group {
                inverse[entry.at()] = keys.len() as i64;
            }
            keys.push(group[0].key());
            indices.push(group[0].at() as i64);
            counts.push(group.len() as i64);
        }
        Ok(KeyGroups { keys, indices, inverse, counts })
    }
}

/// Combines two sorted lists of distinct keys; the result is one as well.
fn combine_keys<K: SortKey>(
    mut a: Vec<K>,
    mut b: Vec<K>,
    how: SetOperation,
    first_nan: Option<K>,
) -> Vec<K> {
    let is_in =
        |key: K, keys: &[K]| keys.binary_search(&key).is_ok() && is_same(key, key, first_nan);
    let retain = |keys: &mut Vec<K>, others: &[K], is_kept: bool| {
        keys.retain(|&key| is_in(key, others) == is_kept);
    };
    match how {
        SetOperation::Union => retain(&mut b, &a, false),
        SetOperation::Intersection => retain(&mut a, &b, true),
        SetOperation::Difference => retain(&mut a, &b, false),
        SetOperation::Either => {
            let others = collect_scratch(a.iter().copied());
            retain(&mut a, &b, false);
            retain(&mut b, &others, false);
        }
    }
    if matches!(how, SetOperation::Union | SetOperation::Either) {
        let n = a.len() + b.len();
        extend_scratch(&mut a, n);
        a.append(&mut b);
        radix::sort(&mut a, &mut b);
    }
    a
}

/// Returns the keys of all elements, in row-major order.
fn keys<T: Keyed>(view: &AnyView<'_>) -> Result<Vec<T::Key>, Error> {
    let view = view.typed::<T>()?;
    let mut keys = reserve(view.len().saturating_add(SLACK))?;
    match RawSlice::of_view(&view) {
        Some(slice) => _ = append_keys(slice, false, &mut keys),
        None => view.runs().for_each(|run| keys.extend(run.map(T::key))),
    }
    Ok(keys)
}

/// Returns the keys of the unique elements, sorted.
fn distinct<T: Keyed>(view: &AnyView<'_>) -> Result<Vec<T::Key>, Error> {
    let (view, n_repeats) = without_order(view)?;
    let mut keys = keys::<T>(&view)?;
    sort(&mut keys)?;
    remove_duplicates(&mut keys, T::FIRST_NAN);
    if n_repeats > 1 {
        // Each NaN is distinct, also those that are one element in memory.
        let n_numbers = keys.partition_point(|&key| !T::is_nan_key(key));
        let n_nans = (keys.len() - n_numbers).saturating_mul(n_repeats);
        let n = n_numbers.saturating_add(n_nans);
        extend_scratch(&mut keys, n);
        keys.resize(n, T::Key::default());
        // From the last one on: each is read before its place is overwritten.
        for i in (n_numbers..n).rev() {
            keys[i] = keys[n_numbers + (i - n_numbers) / n_repeats];
        }
    }
    Ok(keys)
}

/// Returns a view of the same elements with axes in the order of their strides and without broadcast axes, and how
/// often each element of it is one of the given view.
fn without_order<'a>(view: &AnyView<'a>) -> Result<(AnyView<'a>, usize), Error> {
    let axes = view.layout().axes();
    if view.layout().is_empty() {
        return Ok((view.slice(&[])?, 1));
    }
    let is_broadcast = |axis: &Axis| axis.stride == 0;
    let n_repeats = axes.iter().filter(|axis| is_broadcast(axis)).map(|axis| axis.len).product();
    let index = axes.iter().map(|axis| match is_broadcast(axis) {
        true => Index::At(0),
        false => Slice::ALL.into(),
    });
    let view = view.slice(&index.collect::<Vec<_>>())?;
    let mut order: Vec<isize> = (0..view.layout().rank() as isize).collect();
    order.sort_by_key(|&k| Reverse(view.layout().axes()[k as usize].stride.unsigned_abs()));
    Ok((view.permute(&order)?, n_repeats))
}

/// Removes all but the first of equal keys in a sorted list.
fn remove_duplicates<K: SortKey>(keys: &mut Vec<K>, first_nan: Option<K>) {
    let Some(&first) = keys.first() else { return };
    let (mut n, mut last) = (1, first);
    for i in 1..keys.len() {
        let key = keys[i];
        // Written in any case: a branch would be predicted badly.
        keys[n] = key;
        n += !is_same(last, key, first_nan) as usize;
        last = key;
    }
    keys.truncate(n);
}

/// Returns the elements with these keys.
fn elements<T: Keyed>(keys: &[T::Key]) -> Result<Tensor, Error> {
    let mut values: Vec<T> = reserve(keys.len())?;
    values.resize(keys.len(), T::default());
    write_elements(keys, false, &mut values);
    Ok(values.into())
}

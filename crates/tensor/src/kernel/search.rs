//! `searchsorted`: positions in a sorted list, by binary search.
//!
//! The keys of the list are collected first, and several elements are searched for at once. Few elements are searched
//! for one by one in the list as it is.

use super::body::{BlockCall, Body};
use super::cpu::{self, BlockLoop};
use super::map::map;
use super::strided_slice::StridedSlice;
use crate::DType;
use crate::cancel::collect_scratch;
use crate::dtype::{Keyed, KeyedTask, MulAdd, SortKey};
use crate::view::{AnyView, AnyViewMut, Source, Written};
use std::hint::select_unpredictable;
use std::marker::PhantomData;

/// Elements that are searched for at once.
const INTERLEAVED: usize = 16;

/// The time of a search in the list as it is, in keys that are collected meanwhile.
const KEYS_PER_SEARCH: usize = 16;

/// A sorted list, and the side on which a value is inserted.
pub(crate) struct SearchList<'a> {
    /// A view of rank 1.
    pub values: &'a AnyView<'a>,
    /// The permutation that sorts it, as `int64`, if it is not sorted itself. There must be as many positions; the
    /// result is unspecified if one is out of bounds.
    pub sorter: Option<&'a AnyView<'a>>,
    /// Whether equal values are to the left of the position.
    pub is_right: bool,
}

/// Writes the position in a list of each element of a view, cast to the list's dtype, as `int64`.
pub(crate) fn search<'x>(
    out: AnyViewMut<'x>,
    input: AnyView<'_>,
    list: SearchList<'_>,
) -> Written<'x> {
    struct SearchTask<'x, 'a>(AnyViewMut<'x>, AnyView<'a>, SearchList<'a>);

    impl<'x> KeyedTask for SearchTask<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let SearchTask(out, input, list) = self;
            let expected = "the dtypes were compared";
            let values = StridedSlice::<T>::of_view(list.values).expect(expected);
            let sorter = list.sorter.map(|it| StridedSlice::<i64>::of_view(it).expect(expected));
            let n = values.len();
            assert!(sorter.as_ref().is_none_or(|it| it.len() == n), "one position for each");
            let key = |i: usize| {
                let at = sorter.as_ref().map_or(i, |it| (it.get(i) as usize).min(n - 1));
                values.get(at).key()
            };
            let is_right = list.is_right;
            if input.layout().len() >= n / KEYS_PER_SEARCH && n > 0 {
                let keys = SearchKeys { keys: collect_scratch((0..n).map(key)) };
                let types = [DType::Int64, T::DTYPE];
                let body = match is_right {
                    true => Body::new(types, &keys, cpu::baseline::<SearchLoop<T, true>>),
                    false => Body::new(types, &keys, cpu::baseline::<SearchLoop<T, false>>),
                };
                return map(&body, out, &[Source::View(input)]);
            }
            let position = |x: T| {
                let x = x.key();
                let (mut low, mut high) = (0, n);
                while low < high {
                    let middle = low + (high - low) / 2;
                    let other = key(middle);
                    match other < x || is_right && other == x {
                        true => low = middle + 1,
                        false => high = middle,
                    }
                }
                low as i64
            };
            map(&Body::unary_calls_with(&position), out, &[Source::View(input)])
        }
    }

    list.values.dtype().with_keyed(SearchTask(out, input, list))
}

/// The keys of a sorted list, contiguous.
///
/// Invariant: there is at least one.
struct SearchKeys<K> {
    keys: Vec<K>,
}

/// Binary searches of [`INTERLEAVED`] elements at a time in [`SearchKeys`], of which a reference is the context.
///
/// Each step of a search waits for a load; the steps of several searches do not wait for each other. The half is chosen
/// by a conditional move: a branch would be predicted wrongly half of the time.
struct SearchLoop<T, const RIGHT: bool>(PhantomData<T>);

impl<T: Keyed, const RIGHT: bool> BlockLoop for SearchLoop<T, RIGHT> {
    type Args<'a> = BlockCall<2>;

    const HAS_AVX2: bool = false;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let [out, elements] = call.blocks;
        let (out, elements) = (out.cast::<i64>(), elements.cast::<T>());
        // SAFETY: the context is such a list, and both blocks have `len` elements (`Body::call`).
        unsafe {
            let SearchKeys { keys } = &*call.context.cast::<SearchKeys<T::Key>>();
            for first in (0..call.len).step_by(INTERLEAVED) {
                let n = INTERLEAVED.min(call.len - first);
                let mut wanted = [T::Key::default(); INTERLEAVED];
                for (i, wanted) in wanted[..n].iter_mut().enumerate() {
                    *wanted = elements.add(first + i).read().key();
                }
                let found = search_keys::<T::Key, RIGHT>(keys, wanted);
                for (i, at) in found[..n].iter().enumerate() {
                    out.add(first + i).write(*at as i64);
                }
            }
        }
    }
}

/// Returns the positions of some keys in a sorted list.
///
/// # Panics
/// If the list is empty.
#[inline(always)]
fn search_keys<K: SortKey, const RIGHT: bool>(
    keys: &[K],
    wanted: [K; INTERLEAVED],
) -> [usize; INTERLEAVED] {
    assert!(!keys.is_empty(), "a list with a key");
    let is_before = |key: K, wanted: K| if RIGHT { key <= wanted } else { key < wanted };
    let mut found = [0; INTERLEAVED];
    // Each position is between `found` and `found + len`, which is at most the length of the list.
    let mut len = keys.len();
    while len > 1 {
        let half = len / 2;
        for (found, &wanted) in found.iter_mut().zip(&wanted) {
            // SAFETY: `half` is less than `len`, and `found + len` at most the length of the list.
            let key = unsafe { *keys.get_unchecked(*found + half - 1) };
            *found = select_unpredictable(is_before(key, wanted), *found + half, *found);
        }
        len -= half;
    }
    for (found, &wanted) in found.iter_mut().zip(&wanted) {
        // SAFETY: `found + 1` is at most the length of the list.
        let key = unsafe { *keys.get_unchecked(*found) };
        *found += is_before(key, wanted) as usize;
    }
    found
}

//! `searchsorted`: positions in a sorted list, by binary search.

use super::body::Body;
use super::map::map;
use super::strided_slice::StridedSlice;
use crate::dtype::{Keyed, KeyedTask};
use crate::view::{AnyView, AnyViewMut, Source, Written};

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
            let position = |x: T| {
                let key = x.key();
                let (mut low, mut high) = (0, n);
                while low < high {
                    let middle = low + (high - low) / 2;
                    let at = match &sorter {
                        None => middle,
                        Some(sorter) => (sorter.get(middle) as usize).min(n - 1),
                    };
                    let other = values.get(at).key();
                    match other < key || list.is_right && other == key {
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

//! Places in sorted lists, by halving.

use super::body::Body;
use super::map::map;
use crate::View;
use crate::dtype::{Keyed, KeyedTask};
use crate::view::{AnyView, AnyViewMut, Source, Written};

/// A sorted list, and whether a value's place is behind those that are equal to it.
pub(crate) struct List<'a> {
    /// A view of rank 1.
    pub values: &'a AnyView<'a>,
    /// The positions that sort it, as `int64`, if it is not sorted itself. There must be as many;
    /// what one beyond the list leads to is unspecified.
    pub sorter: Option<&'a AnyView<'a>>,
    pub is_behind: bool,
}

/// Writes the place of each element of a view, taken as the list's type, in a list, as `int64`.
pub(crate) fn search<'x>(out: AnyViewMut<'x>, input: AnyView<'_>, list: List<'_>) -> Written<'x> {
    struct Search<'x, 'a>(AnyViewMut<'x>, AnyView<'a>, List<'a>);

    impl<'x> KeyedTask for Search<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let Search(out, input, list) = self;
            let values = Line::<T>::new(list.values);
            let sorter = list.sorter.map(Line::<i64>::new);
            assert!(sorter.as_ref().is_none_or(|it| it.len == values.len), "one position for each");
            let place = |x: T| {
                let key = x.key();
                let (mut low, mut high) = (0, values.len);
                while low < high {
                    let middle = low + (high - low) / 2;
                    let at = match &sorter {
                        None => middle,
                        Some(sorter) => (sorter.get(middle) as usize).min(values.len - 1),
                    };
                    let other = values.get(at).key();
                    match other < key || list.is_behind && other == key {
                        true => low = middle + 1,
                        false => high = middle,
                    }
                }
                low as i64
            };
            map(&Body::unary_with(&place), out, &[Source::View(input)])
        }
    }

    list.values.dtype().with_keyed(Search(out, input, list))
}

/// A view of rank 1, read by position.
struct Line<'a, T> {
    view: View<'a, T>,
    start: usize,
    stride: isize,
    len: usize,
}

impl<'a, T: crate::Element> Line<'a, T> {
    fn new(view: &AnyView<'a>) -> Line<'a, T> {
        let view = view.typed::<T>().expect("the types were compared");
        let &[axis] = view.layout().axes() else { panic!("a list has one axis") };
        Line { start: view.layout().start(), stride: axis.stride, len: axis.len, view }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> T {
        assert!(at < self.len, "a position in the list");
        let offset = self.start.wrapping_add_signed(at as isize * self.stride);
        // SAFETY: this is the offset of an element of the view, which is borrowed.
        unsafe { self.view.ptr().as_ptr().add(offset).read() }
    }
}

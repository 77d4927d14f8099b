//! Which elements of a written region are leased: exact, by enumeration of offsets.

use belvedere::{Answer, Layout};
use std::cell::OnceCell;

/// A layout whose elements can be asked for by offset.
pub(crate) struct Membership {
    layout: Layout,
    /// Whether the layout covers its span without gaps; found when it is first needed.
    is_gapless: OnceCell<bool>,
    /// One bit for each offset of the span; made when it is first needed.
    bits: OnceCell<Vec<u64>>,
}

impl Membership {
    pub(crate) fn new(layout: Layout) -> Membership {
        Membership { layout, is_gapless: OnceCell::new(), bits: OnceCell::new() }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    fn is_gapless(&self) -> bool {
        *self.is_gapless.get_or_init(|| covers_span(&self.layout))
    }

    /// Returns whether an offset belongs to the layout.
    pub(crate) fn contains(&self, offset: usize) -> bool {
        let span = self.layout.span();
        if !span.contains(&offset) {
            return false;
        }
        if self.is_gapless() {
            return true;
        }
        let at = offset - span.start;
        let bits = self.bits.get_or_init(|| {
            let mut bits = vec![0u64; span.len().div_ceil(64)];
            for offset in self.layout.offsets() {
                let at = offset - span.start;
                bits[at / 64] |= 1 << (at % 64);
            }
            bits
        });
        bits[at / 64] >> (at % 64) & 1 == 1
    }

    /// Returns whether every element of another layout belongs to this one.
    pub(crate) fn contains_all(&self, other: &Layout) -> bool {
        if other.is_empty() || self.layout == *other {
            return true;
        }
        let (own, span) = (self.layout.span(), other.span());
        if span.start < own.start || span.end > own.end {
            return false;
        }
        self.is_gapless() || other.offsets().all(|it| self.contains(it))
    }

    /// Returns whether it may share an element with another layout: an undecided comparison counts as yes.
    pub(crate) fn may_overlap(&self, other: &Layout) -> bool {
        self.layout.overlaps(other) != Answer::No
    }
}

/// Returns whether a layout visits every offset of its span: strides may be negative, and elements visited twice.
pub(crate) fn covers_span(layout: &Layout) -> bool {
    let mut axes: Vec<(usize, usize)> =
        layout.axes().iter().map(|it| (it.stride.unsigned_abs(), it.len)).collect();
    axes.sort_unstable();
    // Offsets up to `reach` are covered by the axes so far.
    let mut reach = 0;
    for (stride, len) in axes.into_iter().filter(|(_, len)| *len > 1) {
        if stride > reach + 1 {
            return false;
        }
        reach += stride * (len - 1);
    }
    true
}

/// Which elements of a region are shared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    None,
    /// All of them.
    All,
    /// Those at these positions, in row-major order.
    Positions(Vec<i64>),
}

/// Determines which elements of `region` belong to one of several layouts.
pub(crate) fn shared_elements<'a>(
    region: &Layout,
    others: impl Iterator<Item = &'a Membership>,
) -> Shared {
    let others: Vec<&Membership> = others.filter(|it| it.may_overlap(region)).collect();
    if others.is_empty() {
        return Shared::None;
    }
    if others.iter().any(|it| it.is_gapless() && it.contains_all(region) || it.layout == *region) {
        return Shared::All;
    }
    let is_shared = |offset: usize| others.iter().any(|it| it.contains(offset));
    let positions = region.offsets().enumerate().filter(|(_, offset)| is_shared(*offset));
    let positions: Vec<i64> = positions.map(|(at, _)| at as i64).collect();
    match positions.len() {
        0 => Shared::None,
        n if n == region.len() => Shared::All,
        _ => Shared::Positions(positions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layouts with gaps, flips, broadcasts and overlapping windows.
    fn layouts() -> Vec<Layout> {
        let memory = Layout::row_major(&[4, 6]).unwrap();
        let flat = Layout::row_major(&[24]).unwrap();
        vec![
            memory.clone(),
            memory.select(0, 2).unwrap(),
            memory.select(1, 3).unwrap(),
            memory.t().unwrap(),
            memory.flip([1]).unwrap(),
            flat.slice(&belvedere::s![1..;3]).unwrap(),
            flat.windows(0, 5, 2).unwrap(),
            flat.slice(&belvedere::s![7]).unwrap().broadcast_to([3]).unwrap(),
            flat.slice(&belvedere::s![20..]).unwrap(),
            flat.slice(&belvedere::s![3..3]).unwrap(),
        ]
    }

    #[test]
    fn shared_elements_are_those_of_the_offsets() {
        for region in layouts() {
            for one in layouts() {
                for two in layouts() {
                    let others = [Membership::new(one.clone()), Membership::new(two.clone())];
                    let is_in = |it: usize| one.offsets().chain(two.offsets()).any(|at| at == it);
                    let expected: Vec<i64> = (0i64..)
                        .zip(region.offsets())
                        .filter(|(_, offset)| is_in(*offset))
                        .map(|(at, _)| at)
                        .collect();
                    let found = match shared_elements(&region, others.iter()) {
                        Shared::None => Vec::new(),
                        Shared::All => (0..region.len() as i64).collect(),
                        Shared::Positions(positions) => positions,
                    };
                    assert_eq!(found, expected, "{region:?} with {one:?} and {two:?}");
                }
            }
        }
    }

    #[test]
    fn a_layout_covers_its_span_if_each_offset_is_visited() {
        for layout in layouts().into_iter().filter(|it| !it.is_empty()) {
            let visited: std::collections::BTreeSet<usize> = layout.offsets().collect();
            assert!(!covers_span(&layout) || visited.len() == layout.span().len(), "{layout:?}");
        }
        assert!(covers_span(&layouts()[6]) && !covers_span(&layouts()[5]));
    }
}

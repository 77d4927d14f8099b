//! [`SpanIndex`]: which of many leases have spans that a region overlaps.
//!
//! A span is filed under the logarithm of its length and its start. A query looks at a range of starts for each length: it
//! visits no span that is further from the region than twice its own length, and takes the logarithm of their number. It
//! gives up when it has visited a given number of them.

use std::collections::BTreeMap;
use std::ops::Range;

/// Values by ranges of bytes.
pub(crate) struct SpanIndex<V> {
    /// By the logarithm of the length, and the start.
    by_len: [BTreeMap<usize, Vec<(usize, V)>>; usize::BITS as usize],
}

impl<V> Default for SpanIndex<V> {
    fn default() -> SpanIndex<V> {
        SpanIndex { by_len: std::array::from_fn(|_| BTreeMap::new()) }
    }
}

impl<V: Copy + PartialEq> SpanIndex<V> {
    /// Adds a value; an empty span overlaps nothing.
    pub(crate) fn insert(&mut self, span: &Range<usize>, value: V) {
        if let Some(log) = span.len().checked_ilog2() {
            self.by_len[log as usize].entry(span.start).or_default().push((span.end, value));
        }
    }

    /// Removes a value that was added with this span.
    pub(crate) fn remove(&mut self, span: &Range<usize>, value: &V) {
        let Some(log) = span.len().checked_ilog2() else { return };
        let spans = &mut self.by_len[log as usize];
        if let Some(values) = spans.get_mut(&span.start) {
            values.retain(|(_, it)| it != value);
            if values.is_empty() {
                spans.remove(&span.start);
            }
        }
    }

    /// Returns the values whose spans overlap another; `None` if more than `most` spans are near it.
    pub(crate) fn overlapping(&self, span: &Range<usize>, most: usize) -> Option<Vec<V>> {
        let Range { start, end } = *span;
        let mut found = Vec::new();
        if span.is_empty() {
            return Some(found);
        }
        let spans = self.by_len.iter().enumerate().filter(|(_, spans)| !spans.is_empty());
        let near = spans.flat_map(|(log, spans)| {
            // No span of this class is longer.
            let longest = (2usize << log).wrapping_sub(1);
            let first = start.saturating_sub(longest);
            spans.range(first..end.max(first)).flat_map(|(_, values)| values)
        });
        for (n, (end, value)) in near.enumerate() {
            if n == most {
                return None;
            }
            if *end > start {
                found.push(*value);
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlapping_spans_are_found_until_they_are_removed() {
        let spans: Vec<Range<usize>> =
            (0..12).flat_map(|start| (0..9).map(move |len| start..start + len)).collect();
        let mut index = SpanIndex::default();
        for (n, span) in spans.iter().enumerate() {
            index.insert(span, n);
        }
        for n_removed in [0, 7, spans.len()] {
            (0..n_removed).for_each(|n| index.remove(&spans[n], &n));
            for asked in &spans {
                let mut found = index.overlapping(asked, usize::MAX).expect("there is no limit");
                found.sort_unstable();
                let overlaps =
                    |it: &Range<usize>| it.start.max(asked.start) < it.end.min(asked.end);
                let expected: Vec<usize> =
                    (n_removed..spans.len()).filter(|&n| overlaps(&spans[n])).collect();
                assert_eq!(found, expected, "{asked:?} after {n_removed} were removed");
            }
        }
        index.insert(&(0..usize::MAX), 1);
        assert_eq!(index.overlapping(&(5..6), 1), Some(vec![1]));
        assert_eq!(index.overlapping(&(5..6), 0), None);
    }
}

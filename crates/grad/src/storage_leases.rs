//! [`StorageLeases`]: the leases on one storage, and which of its elements a write has to keep.
//!
//! A write is compared with the leases whose spans it overlaps, one by one, as long as those are few: rows are, however many
//! of them are leased. The spans of columns all overlap. When a write finds more than [`MAX_COMPARED`] spans, the
//! storage counts for each element how many leases it is in ([`LeasedElements`]): a write then takes time for the
//! elements that it writes, and none for the leases.

use crate::components::{component_layout, union};
use crate::error::{CallLine, Line};
use crate::hash::FastMap;
use crate::lease::Patch;
use crate::leased_elements::LeasedElements;
use crate::overlap::{Membership, Shared, shared_elements};
use crate::span_index::SpanIndex;
use belvedere::{DType, Error, Layout, Tensor};
use std::ops::Range;
use std::sync::Arc;

/// The most groups that are searched and compared one by one. Beyond them a map finds a group of equal elements, and an index
/// those whose spans a write overlaps; either costs a lease about as much as the rest of it.
const MAX_SCANNED: usize = 16;

/// The most groups whose spans a write overlaps that it is compared with.
const MAX_COMPARED: usize = 64;

/// The leases on one storage.
#[derive(Default)]
pub(crate) struct StorageLeases {
    /// Leases of equal elements are one group: a loop that saves the same tensor each time has one. A group without leases
    /// is free for others.
    groups: Vec<LeaseGroup>,
    free: Vec<u32>,
    /// The latest lease of all groups.
    latest: u64,
    /// How many leases there have been: leases between two patches have the same time.
    n_added: u64,
    /// The groups by what they lease, once there are more than [`MAX_SCANNED`].
    by_key: Option<Box<FastMap<LeaseKey, u32>>>,
    /// The groups by their spans in bytes, once a write has found more than [`MAX_SCANNED`].
    index: Option<Box<SpanIndex<u32>>>,
    /// Once a write has overlapped more than [`MAX_COMPARED`] spans.
    elements: Option<Box<LeasedElements>>,
    /// In the order of time.
    pub patches: Vec<Arc<Patch>>,
    /// The time of the latest patch of each region.
    patched: FastMap<Layout, u64>,
}

/// The components of leased elements, and their dtype.
type LeaseKey = (Layout, DType);

/// The leases of the same elements.
struct LeaseGroup {
    /// Their components.
    elements: Membership,
    dtype: DType,
    n_leases: usize,
    /// The time of the latest of them, and how many leases the storage had before.
    latest: (u64, u64),
    /// The line that took the latest of them.
    line: Line,
}

impl LeaseGroup {
    fn layout(&self) -> &Layout {
        self.elements.layout()
    }

    /// Returns the range of bytes that the elements are in.
    fn byte_span(&self) -> Range<usize> {
        byte_span(self.layout(), self.dtype)
    }
}

fn byte_span(layout: &Layout, dtype: DType) -> Range<usize> {
    let (span, size) = (layout.span(), dtype.size());
    span.start * size..span.end * size
}

/// What a write has to keep.
pub(crate) struct OverwrittenElements {
    pub shared: Shared,
    /// A line that has leased some of them: the latest, if the leases were compared one by one.
    pub saved_by: Line,
}

/// A lease has elements of another size than those that are written, so that they cannot be compared.
pub(crate) struct OtherSize(pub DType);

impl StorageLeases {
    /// Returns whether there are no leases.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.groups.len()
    }

    fn n_groups(&self) -> usize {
        self.groups.len() - self.free.len()
    }

    fn present(&self) -> impl Iterator<Item = (u32, &LeaseGroup)> {
        (0..).zip(&self.groups).filter(|(_, it)| it.n_leases > 0)
    }

    /// Counts a lease, and returns its group.
    pub(crate) fn add(
        &mut self,
        layout: &Layout,
        dtype: DType,
        time: u64,
        line: CallLine<'_>,
    ) -> u32 {
        self.latest = self.latest.max(time);
        let latest = (time, self.n_added);
        self.n_added += 1;
        let found = match &self.by_key {
            Some(by_key) => by_key.get(&(layout.clone(), dtype)).copied(),
            None => {
                let is_same = |it: &LeaseGroup| it.dtype == dtype && it.layout() == layout;
                self.present().find(|(_, it)| is_same(it)).map(|(slot, _)| slot)
            }
        };
        if let Some(slot) = found {
            let group = &mut self.groups[slot as usize];
            group.n_leases += 1;
            if latest > group.latest {
                group.latest = latest;
                if !group.line.is(line) {
                    group.line = Line::of_call(line);
                }
            }
            return slot;
        }
        let elements = Membership::new(layout.clone());
        let group = LeaseGroup { elements, dtype, n_leases: 1, latest, line: Line::of_call(line) };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.groups[slot as usize] = group;
                slot
            }
            None => {
                // Most storages have one group.
                if self.groups.is_empty() {
                    self.groups.reserve_exact(1);
                }
                self.groups.push(group);
                self.groups.len() as u32 - 1
            }
        };
        self.enter(slot);
        slot
    }

    /// Adds a new group to what finds groups.
    fn enter(&mut self, slot: u32) {
        let group = &self.groups[slot as usize];
        if let Some(by_key) = &mut self.by_key {
            by_key.insert((group.layout().clone(), group.dtype), slot);
        } else if self.n_groups() > MAX_SCANNED {
            let key = |(slot, it): (u32, &LeaseGroup)| ((it.layout().clone(), it.dtype), slot);
            self.by_key = Some(Box::new(self.present().map(key).collect()));
        }
        let group = &self.groups[slot as usize];
        if let Some(index) = &mut self.index {
            index.insert(&group.byte_span(), slot);
        }
        if let Some(elements) = &mut self.elements {
            elements.add(group.layout(), group.dtype, slot);
        }
    }

    /// Returns what the leases of a group are of.
    pub(crate) fn elements(&self, slot: u32) -> (Layout, DType) {
        let group = &self.groups[slot as usize];
        (group.layout().clone(), group.dtype)
    }

    /// Returns the smallest range of components that contains another one and all leases of elements of this size.
    pub(crate) fn span(&self, dtype: DType, span: Range<usize>) -> Range<usize> {
        let groups = self.present().filter(|(_, it)| it.dtype.size() == dtype.size());
        groups.fold(span, |span, (_, it)| union(span, it.layout().span()))
    }

    /// Ends a lease of a group.
    pub(crate) fn end(&mut self, slot: u32) {
        let group = &mut self.groups[slot as usize];
        group.n_leases -= 1;
        if group.n_leases > 0 {
            return;
        }
        if let Some(by_key) = &mut self.by_key {
            by_key.remove(&(group.layout().clone(), group.dtype));
        }
        if let Some(index) = &mut self.index {
            index.remove(&group.byte_span(), &slot);
        }
        if let Some(elements) = &mut self.elements {
            elements.remove(group.layout(), group.dtype, slot);
        }
        self.free.push(slot);
    }

    /// Adds the old contents of elements that are overwritten.
    pub(crate) fn push_patch(&mut self, patch: &Arc<Patch>) {
        self.patched.insert(patch.layout.clone(), patch.time);
        self.patches.push(Arc::clone(patch));
    }

    /// Finds the leased elements that a write to a tensor overwrites and that no earlier patch has kept. `None` if there
    /// are none.
    ///
    /// # Errors
    /// If the layout of its components has too many axes; and the dtype of leased elements of another size.
    pub(crate) fn overwritten(
        &mut self,
        target: &Tensor,
    ) -> Result<Result<Option<OverwrittenElements>, OtherSize>, Error> {
        let region = component_layout(target.layout(), target.dtype())?;
        let dtype = target.dtype().real();
        let n_components = target.storage().len() / dtype.size();
        Ok(self.overwritten_components(&region, dtype, n_components))
    }

    fn overwritten_components(
        &mut self,
        region: &Layout,
        dtype: DType,
        n_components: usize,
    ) -> Result<Option<OverwrittenElements>, OtherSize> {
        let near = self.near(&byte_span(region, dtype));
        let is_countable = || match &self.elements {
            Some(elements) => elements.is_for(dtype),
            None => self.present().all(|(_, it)| it.dtype.size() == dtype.size()),
        };
        if near.is_none() && is_countable() {
            return Ok(self.overwritten_counted(region, dtype, n_components));
        }
        let near = near.unwrap_or_else(|| self.scan(&byte_span(region, dtype)));
        let groups: Vec<&LeaseGroup> =
            near.iter().map(|&slot| &self.groups[slot as usize]).collect();
        if let Some(other) = groups.iter().find(|it| it.dtype.size() != dtype.size()) {
            return Err(OtherSize(other.dtype));
        }
        let Some(latest) = groups.iter().map(|it| it.latest.0).max() else { return Ok(None) };
        if self.is_kept_since(region, latest) {
            return Ok(None);
        }
        let shared = shared_elements(region, groups.iter().map(|it| &it.elements));
        if shared == Shared::None {
            return Ok(None);
        }
        let overlapping = groups.iter().filter(|it| it.elements.may_overlap(region));
        let saved_by = overlapping.max_by_key(|it| it.latest).expect("an element is shared");
        Ok(Some(OverwrittenElements { shared, saved_by: saved_by.line.clone() }))
    }

    /// Returns whether the same region was kept since the latest lease: nothing of it is needed again.
    fn is_kept_since(&self, region: &Layout, latest: u64) -> bool {
        self.patched.get(region).is_some_and(|&time| time > latest)
    }

    /// Finds the elements by the counts of the storage.
    fn overwritten_counted(
        &mut self,
        region: &Layout,
        dtype: DType,
        n_components: usize,
    ) -> Option<OverwrittenElements> {
        if self.is_kept_since(region, self.latest) {
            return None;
        }
        let mut elements = self.elements.take().unwrap_or_else(|| {
            let mut elements = Box::new(LeasedElements::new(dtype, n_components));
            self.present().for_each(|(slot, it)| elements.add(it.layout(), it.dtype, slot));
            elements
        });
        let (shared, first) = elements.shared(region);
        let saved_by = first.map(|offset| {
            let slot = elements.group_at(offset).unwrap_or_else(|| {
                let contains = |it: &(u32, &LeaseGroup)| it.1.elements.contains(offset);
                let latest = self.present().filter(contains).max_by_key(|(_, it)| it.latest);
                let (slot, _) = latest.expect("the element is counted");
                elements.note_group(offset, slot);
                slot
            });
            self.groups[slot as usize].line.clone()
        });
        self.elements = Some(elements);
        Some(OverwrittenElements { shared, saved_by: saved_by? })
    }

    /// Returns the groups whose spans overlap a range of bytes; `None` if there are too many to compare them.
    fn near(&mut self, span: &Range<usize>) -> Option<Vec<u32>> {
        if self.index.is_none() && self.n_groups() > MAX_SCANNED {
            let mut index: Box<SpanIndex<u32>> = Box::default();
            self.present().for_each(|(slot, it)| index.insert(&it.byte_span(), slot));
            self.index = Some(index);
        }
        match &self.index {
            Some(index) => index.overlapping(span, MAX_COMPARED),
            None => Some(self.scan(span)),
        }
    }

    /// Returns all groups whose spans overlap a range of bytes.
    fn scan(&self, span: &Range<usize>) -> Vec<u32> {
        let is_near = |it: &LeaseGroup| {
            let own = it.byte_span();
            own.start.max(span.start) < own.end.min(span.end)
        };
        self.present().filter(|(_, it)| is_near(it)).map(|(slot, _)| slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const SIDE: usize = 24;

    /// Rows, columns, flips, steps, blocks, windows, broadcasts, single elements and everything: more than [`MAX_COMPARED`]
    /// layouts, most of whose spans overlap.
    fn layouts() -> Vec<Layout> {
        let memory = Layout::row_major(&[SIDE, SIDE]).unwrap();
        let flat = Layout::row_major(&[SIDE * SIDE]).unwrap();
        let mut layouts = vec![
            memory.clone(),
            memory.t().unwrap(),
            flat.windows(0, 50, 30).unwrap(),
            flat.slice(&belvedere::s![5..5]).unwrap(),
        ];
        for k in 0..SIDE as isize {
            let (row, column) = (memory.select(0, k).unwrap(), memory.select(1, k).unwrap());
            layouts.push(column.slice(&belvedere::s![k / 2..]).unwrap());
            layouts.push(column.slice(&belvedere::s![..;3]).unwrap().flip([0]).unwrap());
            let rest = row.slice(&belvedere::s![k / 3..]).unwrap().unsqueeze(-1).unwrap();
            layouts.push(rest.broadcast_to([rest.shape()[0], 5]).unwrap());
            layouts.push(memory.slice(&belvedere::s![k / 2.., k / 3..;4]).unwrap());
            layouts.push(flat.slice(&belvedere::s![7 * k..7 * k + 1]).unwrap());
            layouts.extend([row, column]);
        }
        layouts
    }

    /// Numbers that look random.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % n
        }
    }

    /// Returns the positions in a region that leases contain, and how many leases contain the first of them.
    fn expected(region: &Layout, leased: &[(u32, usize)], layouts: &[Layout]) -> Vec<i64> {
        let all: BTreeSet<usize> = leased.iter().flat_map(|&(_, n)| layouts[n].offsets()).collect();
        let positions = (0i64..).zip(region.offsets()).filter(|(_, it)| all.contains(it));
        positions.map(|(at, _)| at).collect()
    }

    fn positions(found: Option<&OverwrittenElements>, region: &Layout) -> Vec<i64> {
        match found.map(|it| &it.shared) {
            None | Some(Shared::None) => Vec::new(),
            Some(Shared::All) => (0..region.len() as i64).collect(),
            Some(Shared::Positions(positions)) => positions.clone(),
        }
    }

    #[test]
    fn a_write_finds_exactly_the_leased_elements_however_many_leases_there_are() {
        let (layouts, line) = (layouts(), Line::here());
        let (mut numbers, mut n_counted) = (Numbers(1), 0);
        for most in [3, 15, 60, 100, 150] {
            let (mut storage, mut leased) = (StorageLeases::default(), Vec::new());
            for time in 1..500 {
                if leased.len() < most && numbers.below(3) > 0 {
                    let n = numbers.below(layouts.len());
                    leased.push((storage.add(&layouts[n], DType::Float32, time, line.parts()), n));
                } else if !leased.is_empty() {
                    let (slot, _) = leased.swap_remove(numbers.below(leased.len()));
                    storage.end(slot);
                }
                assert_eq!(storage.is_empty(), leased.is_empty());
                let region = &layouts[numbers.below(layouts.len())];
                let found = storage.overwritten_components(region, DType::Float32, SIDE * SIDE);
                let Ok(found) = found else { panic!("all elements have one size") };
                assert_eq!(positions(found.as_ref(), region), expected(region, &leased, &layouts));
            }
            n_counted += usize::from(storage.elements.is_some());
        }
        assert_eq!(n_counted, 2, "as soon as there are more than 64 layouts near each other");
    }

    #[test]
    fn a_write_names_a_line_that_has_saved_what_it_overwrites() {
        let columns: Vec<Layout> = (0..100)
            .map(|k| Layout::row_major(&[100, 100]).unwrap().select(1, k).unwrap())
            .collect();
        let [early, late] = [Line::here(), Line::here()];
        let mut storage = StorageLeases::default();
        for column in &columns[..99] {
            storage.add(column, DType::Float64, 1, early.parts());
        }
        let slot = storage.add(&columns[7].flip([0]).unwrap(), DType::Float64, 2, late.parts());
        let saved_by = |storage: &mut StorageLeases, n: usize| {
            let Ok(found) = storage.overwritten_components(&columns[n], DType::Float64, 10_000)
            else {
                panic!()
            };
            found.map(|it| it.saved_by)
        };
        assert_eq!(saved_by(&mut storage, 7), Some(late));
        assert_eq!(saved_by(&mut storage, 8), Some(early.clone()));
        assert_eq!(saved_by(&mut storage, 99), None);
        storage.end(slot);
        assert_eq!(saved_by(&mut storage, 7), Some(early));
    }

    #[test]
    fn elements_of_another_size_are_not_compared() {
        let columns: Vec<Layout> = (0..100)
            .map(|k| Layout::row_major(&[100, 100]).unwrap().select(1, k).unwrap())
            .collect();
        let (mut storage, line) = (StorageLeases::default(), Line::here());
        let slots: Vec<u32> =
            columns.iter().map(|it| storage.add(it, DType::Float32, 1, line.parts())).collect();
        let is_refused = |storage: &mut StorageLeases, dtype: DType| {
            let n = 80_000 / dtype.size();
            storage.overwritten_components(&columns[3], dtype, n).is_err()
        };
        assert!(
            !is_refused(&mut storage, DType::Int32) && is_refused(&mut storage, DType::Float64)
        );
        let other = storage.add(&columns[0], DType::Float64, 2, line.parts());
        assert!(is_refused(&mut storage, DType::Int32));
        storage.end(other);
        assert!(!is_refused(&mut storage, DType::Int32));
        slots.into_iter().for_each(|slot| storage.end(slot));
        assert!(storage.is_empty() && !is_refused(&mut storage, DType::Float64));
    }

    #[test]
    fn what_was_kept_since_the_latest_lease_is_not_kept_again() {
        let columns: Vec<Layout> = (0..100)
            .map(|k| Layout::row_major(&[100, 100]).unwrap().select(1, k).unwrap())
            .collect();
        for n in [3, 100] {
            let (mut storage, line) = (StorageLeases::default(), Line::here());
            for column in &columns[..n] {
                storage.add(column, DType::Float32, 1, line.parts());
            }
            let is_kept = |storage: &mut StorageLeases| {
                let Ok(found) = storage.overwritten_components(&columns[1], DType::Float32, 10_000)
                else {
                    panic!()
                };
                found.is_some()
            };
            assert!(is_kept(&mut storage));
            storage.patched.insert(columns[1].clone(), 2);
            assert!(!is_kept(&mut storage));
            storage.add(&columns[2], DType::Float32, 3, line.parts());
            assert!(
                is_kept(&mut storage),
                "a lease whose span overlaps counts as one of the elements"
            );
        }
    }
}

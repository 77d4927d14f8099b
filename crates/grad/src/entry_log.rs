//! [`EntryLog`]: the entries of a tape, in a few arrays.
//!
//! To record an operation on a few elements takes about as long as to allocate and to write what is recorded of it. So an
//! operation appends to arrays of small records: an axis of a layout is 16 bytes, and the axes of a layout are not stored again if the
//! array already ends with them. Of a leased input only its right is stored: layout and dtype are in the table of leases. The arrays of a tape
//! that has ended are kept for the next tape of the thread: a training loop makes a tape in each step, and only the first one
//! takes new pages from the system.
//!
//! `backward` takes the entries off the end, each as an [`Entry`].

use crate::entry::{Entry, EntryInput, EntryKind, InputSource, OtherSource, Region};
use crate::entry_record::{
    EntryRecord, InputRecord, LayoutRecord, LogPosition, NumberRecord, RegionRecord, SourceRecord,
    position,
};
use crate::error::{CallLine, Line};
use crate::lease::{Lease, LeaseRight};
use belvedere::trace::Param;
use belvedere::{Axis, DType, Layout, StorageId};
use std::cell::RefCell;
use std::mem;
use std::ops::Range;
use std::panic::Location;

/// The most bytes of arrays that a thread keeps for its next tape: those of about 20 000 operations.
const MAX_SPARE_BYTES: usize = 4 << 20;

/// The number of lines that a new one is compared with.
const N_RECENT_LINES: usize = 16;

thread_local! {
    /// The arrays of a tape that has ended, without entries.
    static SPARE: RefCell<EntryLog> = const { RefCell::new(EntryLog::new()) };
}

/// The entries of a tape, in the order of their times.
pub(crate) struct EntryLog {
    entries: Vec<EntryRecord>,
    /// The inputs of all entries; so are the other arrays.
    inputs: Vec<InputRecord>,
    outputs: Vec<RegionRecord>,
    params: Vec<NamedParam>,
    axes: Vec<Axis>,
    lines: Vec<Line>,
    /// The positions of lines that were used lately, by the hashes of their addresses.
    recent_lines: [u32; N_RECENT_LINES],
}

type NamedParam = (&'static str, Param<'static>);

/// What all entries have.
pub(crate) struct EntryHead {
    pub op: &'static str,
    pub kind: EntryKind,
    pub is_fresh: bool,
    pub time: u64,
    pub is_of_backward: bool,
}

impl Default for EntryLog {
    fn default() -> EntryLog {
        EntryLog::new()
    }
}

impl EntryLog {
    /// Returns an empty log, which allocates arrays when it needs them.
    const fn new() -> EntryLog {
        EntryLog {
            entries: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            params: Vec::new(),
            axes: Vec::new(),
            lines: Vec::new(),
            recent_lines: [0; N_RECENT_LINES],
        }
    }

    /// Returns an empty log that reuses the arrays kept from an earlier log of this thread.
    pub(crate) fn reusing() -> EntryLog {
        SPARE.try_with(RefCell::take).unwrap_or_default()
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the bytes of the arrays.
    fn n_bytes(&self) -> usize {
        fn of<T>(array: &Vec<T>) -> usize {
            array.capacity() * size_of::<T>()
        }
        of(&self.entries)
            + of(&self.inputs)
            + of(&self.outputs)
            + of(&self.params)
            + of(&self.axes)
            + of(&self.lines)
    }

    /// Returns where the parts of the next entry begin.
    pub(crate) fn position(&self) -> LogPosition {
        LogPosition {
            inputs: position(self.inputs.len()),
            outputs: position(self.outputs.len()),
            params: position(self.params.len()),
            axes: position(self.axes.len()),
        }
    }

    /// Returns where the parts of an entry end.
    fn end(&self, at: usize) -> LogPosition {
        self.entries.get(at + 1).map_or_else(|| self.position(), |it| it.begin)
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.inputs.clear();
        self.outputs.clear();
        self.params.clear();
        self.axes.clear();
        self.lines.clear();
    }

    /// Removes the parts of an entry that was not added.
    pub(crate) fn remove_from(&mut self, begin: LogPosition) {
        self.inputs.truncate(begin.inputs as usize);
        self.outputs.truncate(begin.outputs as usize);
        self.params.truncate(begin.params as usize);
        self.axes.truncate(begin.axes as usize);
    }

    /// Adds an entry, whose inputs and parameters were added since a position. Its outputs may follow.
    pub(crate) fn push_head(&mut self, begin: LogPosition, head: EntryHead, line: CallLine<'_>) {
        let EntryHead { op, kind, is_fresh, time, is_of_backward } = head;
        let line = self.line_index(line);
        self.entries.push(EntryRecord { op, kind, time, begin, line, is_fresh, is_of_backward });
    }

    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: Entry) {
        let Entry { op, kind, params, inputs, outputs, is_fresh, line, time, is_of_backward } =
            entry;
        let begin = self.position();
        for EntryInput { source, dtype, tracked } in inputs {
            match source {
                InputSource::Leased(lease) => self.push_leased_whole(lease, dtype, tracked),
                InputSource::Unsaved(layout) => self.push_unsaved(&layout, dtype, tracked),
                InputSource::Number(value) => self.push_number(value),
                InputSource::Other(other) => self.push_other(other, dtype, tracked),
            }
        }
        self.params.extend(params);
        for Region { storage, layout, dtype } in &outputs {
            self.push_output(*storage, layout, *dtype);
        }
        let head = EntryHead { op, kind, is_fresh, time, is_of_backward };
        self.push_head(begin, head, line.parts());
    }

    /// Takes the last entry out of the log, as a log of its own.
    pub(crate) fn take_last(&mut self) -> EntryLog {
        let mut taken = EntryLog::reusing();
        let Some(last) = self.entries.pop() else { return taken };
        let base = last.begin;
        let moved = |layout: LayoutRecord, axes: &mut Vec<Axis>| {
            let first_axis = position(axes.len());
            let first = layout.first_axis as usize;
            axes.extend_from_slice(&self.axes[first..first + layout.rank as usize]);
            LayoutRecord { first_axis, ..layout }
        };
        for it in self.inputs.drain(base.inputs as usize..) {
            let source = match it.source {
                SourceRecord::Unsaved(layout) => {
                    SourceRecord::Unsaved(moved(layout, &mut taken.axes))
                }
                source => source,
            };
            taken.inputs.push(InputRecord { source, ..it });
        }
        for it in self.outputs.drain(base.outputs as usize..) {
            let layout = moved(it.layout, &mut taken.axes);
            taken.outputs.push(RegionRecord { layout, ..it });
        }
        taken.params.extend(self.params.drain(base.params as usize..));
        self.remove_from(base);
        let line = taken.line_index(self.lines[last.line as usize].parts());
        let begin = LogPosition::default();
        taken.entries.push(EntryRecord { begin, line, ..last });
        taken
    }

    /// Adds the entries of another log.
    pub(crate) fn append(&mut self, mut other: EntryLog) {
        let base = self.position();
        let sum = |a: u32, b: u32| position(a as usize + b as usize);
        let moved =
            |it: LayoutRecord| LayoutRecord { first_axis: sum(it.first_axis, base.axes), ..it };
        for it in other.entries.drain(..) {
            let LogPosition { inputs, outputs, params, axes } = it.begin;
            let begin = LogPosition {
                inputs: sum(inputs, base.inputs),
                outputs: sum(outputs, base.outputs),
                params: sum(params, base.params),
                axes: sum(axes, base.axes),
            };
            let line = self.line_index(other.lines[it.line as usize].parts());
            self.entries.push(EntryRecord { begin, line, ..it });
        }
        self.inputs.extend(other.inputs.drain(..).map(|it| match it.source {
            SourceRecord::Unsaved(layout) => {
                InputRecord { source: SourceRecord::Unsaved(moved(layout)), ..it }
            }
            _ => it,
        }));
        let outputs = other.outputs.drain(..);
        self.outputs.extend(outputs.map(|it| RegionRecord { layout: moved(it.layout), ..it }));
        self.params.append(&mut other.params);
        self.axes.append(&mut other.axes);
    }

    /// Adds a parameter of the next entry.
    pub(crate) fn push_param(&mut self, param: NamedParam) {
        self.params.push(param);
    }

    /// Adds an input of the next entry that is leased.
    pub(crate) fn push_leased(
        &mut self,
        right: LeaseRight,
        dtype: Option<DType>,
        tracked: Option<StorageId>,
    ) {
        self.inputs.push(InputRecord { source: SourceRecord::Leased(right), dtype, tracked });
    }

    /// Adds a leased input of which the table of leases does not know all.
    pub(crate) fn push_leased_whole(
        &mut self,
        lease: Lease,
        dtype: Option<DType>,
        tracked: Option<StorageId>,
    ) {
        let source = SourceRecord::LeasedWhole(Box::new(lease));
        self.inputs.push(InputRecord { source, dtype, tracked });
    }

    /// Adds an input of the next entry that is not saved.
    pub(crate) fn push_unsaved(
        &mut self,
        layout: &Layout,
        dtype: Option<DType>,
        tracked: Option<StorageId>,
    ) {
        let source = SourceRecord::Unsaved(self.layout_record(layout));
        self.inputs.push(InputRecord { source, dtype, tracked });
    }

    /// Adds an input of the next entry that is a number.
    pub(crate) fn push_number(&mut self, value: Option<Param<'static>>) {
        let source = SourceRecord::Number(value.map(NumberRecord::new));
        self.inputs.push(InputRecord { source, dtype: None, tracked: None });
    }

    /// Adds an input of the next entry that is not a tensor in memory of this library.
    pub(crate) fn push_other(
        &mut self,
        other: Box<OtherSource>,
        dtype: Option<DType>,
        tracked: Option<StorageId>,
    ) {
        self.inputs.push(InputRecord { source: SourceRecord::Other(other), dtype, tracked });
    }

    /// Adds an output of the last entry, or of the next one if its inputs were added.
    pub(crate) fn push_output(&mut self, storage: StorageId, layout: &Layout, dtype: DType) {
        let layout = self.layout_record(layout);
        self.outputs.push(RegionRecord { storage, layout, dtype });
    }

    /// Stores the axes of a layout, unless those of the layout before it are the same.
    fn layout_record(&mut self, layout: &Layout) -> LayoutRecord {
        let axes = layout.axes();
        if !self.axes.ends_with(axes) {
            self.axes.extend_from_slice(axes);
        }
        let first_axis = position(self.axes.len() - axes.len());
        LayoutRecord { start: layout.start(), first_axis, rank: axes.len() as u32 }
    }

    /// Returns the position of a line, which is added unless it was used lately.
    fn line_index(&mut self, (caller, call_site): CallLine<'_>) -> u32 {
        let in_file = call_site.map_or(0, |it| it.line as usize);
        let slot = (std::ptr::from_ref(caller).addr() / align_of::<Location<'_>>() + in_file)
            % N_RECENT_LINES;
        let recent = self.recent_lines[slot];
        if self.lines.get(recent as usize).is_some_and(|it| it.is((caller, call_site))) {
            return recent;
        }
        self.lines.push(Line::of_call((caller, call_site)));
        let index = position(self.lines.len() - 1);
        self.recent_lines[slot] = index;
        index
    }

    fn regions(&self, range: Range<u32>) -> Vec<Region> {
        let region = |it: &RegionRecord| {
            let RegionRecord { storage, layout, dtype } = *it;
            Region { storage, layout: layout.layout(&self.axes), dtype }
        };
        self.outputs[range.start as usize..range.end as usize].iter().map(region).collect()
    }

    /// Returns an entry. The log keeps it, and its leases.
    pub(crate) fn entry(&self, at: usize) -> Entry {
        let EntryRecord { op, ref kind, time, begin, line, is_fresh, is_of_backward } =
            self.entries[at];
        let end = self.end(at);
        let input = |it: &InputRecord| {
            let source = match &it.source {
                SourceRecord::Leased(right) => InputSource::Leased(right.lease(time)),
                SourceRecord::LeasedWhole(lease) => InputSource::Leased(lease.without_right()),
                SourceRecord::Unsaved(layout) => InputSource::Unsaved(layout.layout(&self.axes)),
                SourceRecord::Number(value) => {
                    InputSource::Number(value.as_ref().map(NumberRecord::value))
                }
                SourceRecord::Other(other) => InputSource::Other(other.clone()),
            };
            EntryInput { source, dtype: it.dtype, tracked: it.tracked }
        };
        let inputs = &self.inputs[begin.inputs as usize..end.inputs as usize];
        Entry {
            op,
            kind: kind.clone(),
            params: self.params[begin.params as usize..end.params as usize].to_vec(),
            inputs: inputs.iter().map(input).collect(),
            outputs: self.regions(begin.outputs..end.outputs),
            is_fresh,
            line: self.lines[line as usize].clone(),
            time,
            is_of_backward,
        }
    }

    /// Takes the last entry out of the log.
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let last = self.entries.pop()?;
        let EntryRecord { op, kind, time, begin, line, is_fresh, is_of_backward } = last;
        let outputs = self.regions(begin.outputs..position(self.outputs.len()));
        let mut inputs = Vec::with_capacity(self.inputs.len() - begin.inputs as usize);
        for it in self.inputs.drain(begin.inputs as usize..) {
            let InputRecord { source, dtype, tracked } = it;
            let source = match source {
                SourceRecord::Leased(right) => InputSource::Leased(right.into_lease(time)),
                SourceRecord::LeasedWhole(lease) => InputSource::Leased(*lease),
                SourceRecord::Unsaved(layout) => InputSource::Unsaved(layout.layout(&self.axes)),
                SourceRecord::Number(value) => InputSource::Number(value.map(|it| it.value())),
                SourceRecord::Other(other) => InputSource::Other(other),
            };
            inputs.push(EntryInput { source, dtype, tracked });
        }
        let params = self.params.split_off(begin.params as usize);
        self.remove_from(begin);
        let line = self.lines[line as usize].clone();
        Some(Entry { op, kind, params, inputs, outputs, is_fresh, line, time, is_of_backward })
    }

    /// Returns all entries, as [`EntryLog::entry`] does.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.len()).map(|at| self.entry(at))
    }

    /// Returns whether the last entry is of an operation that writes in place.
    pub(crate) fn ends_with_write(&self, op: &str) -> bool {
        self.entries.last().is_some_and(|it| it.op == op && !it.is_fresh)
    }

    /// Returns whether an entry was recorded while the gradient of another tape was computed.
    pub(crate) fn has_backward(&self) -> bool {
        self.entries.iter().any(|it| it.is_of_backward)
    }

    /// Returns the storages that each entry reads and writes gradients of, other than those that watch.
    pub(crate) fn touched(&self) -> impl Iterator<Item = (usize, StorageId)> {
        let is_computed = |it: &usize| !matches!(self.entries[*it].kind, EntryKind::Watch);
        (0..self.len()).filter(is_computed).flat_map(|at| {
            let (begin, end) = (self.entries[at].begin, self.end(at));
            let inputs = &self.inputs[begin.inputs as usize..end.inputs as usize];
            let outputs = &self.outputs[begin.outputs as usize..end.outputs as usize];
            let inputs = inputs.iter().filter_map(|it| it.tracked);
            inputs.chain(outputs.iter().map(|it| it.storage)).map(move |id| (at, id))
        })
    }
}

impl Drop for EntryLog {
    /// Keeps the larger ones of these arrays and of those that this thread has kept.
    fn drop(&mut self) {
        let n_bytes = self.n_bytes();
        if n_bytes == 0 {
            return;
        }
        // Before the cell is borrowed: a lease may be the last owner of memory.
        self.clear();
        if n_bytes <= MAX_SPARE_BYTES {
            let _ = SPARE.try_with(|spare| {
                if let Ok(mut spare) = spare.try_borrow_mut()
                    && spare.n_bytes() < n_bytes
                {
                    mem::swap(&mut *spare, self);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;
    use belvedere::Tensor;

    /// An entry with an input that is not saved and an output, of some shape, and a number.
    fn entry(x: &Tensor, value: f64) -> Entry {
        let (id, dtype) = (x.storage().id(), Some(x.dtype()));
        let source = InputSource::Unsaved(x.layout().clone());
        let number = InputSource::Number(Some(Param::Float(value)));
        Entry {
            op: "add",
            kind: EntryKind::Rule(&rules::COPY),
            params: vec![("axis", Param::Int(value as i128))],
            inputs: vec![
                EntryInput { source, dtype, tracked: Some(id) },
                EntryInput { source: number, dtype: None, tracked: None },
            ],
            outputs: vec![Region::of(x)],
            is_fresh: true,
            line: Line::here(),
            time: value as u64,
            is_of_backward: false,
        }
    }

    fn check(found: &Entry, x: &Tensor, value: f64) {
        assert_eq!((found.time, found.op), (value as u64, "add"));
        assert_eq!(found.params, [("axis", Param::Int(value as i128))]);
        assert_eq!(found.inputs.len(), 2);
        assert_eq!(found.inputs[0].layout(), Some(x.layout()));
        assert_eq!(found.inputs[0].tracked, Some(x.storage().id()));
        let InputSource::Number(Some(number)) = &found.inputs[1].source else { panic!() };
        assert_eq!(*number, Param::Float(value));
        assert_eq!(found.outputs.len(), 1);
        assert_eq!(&found.outputs[0].layout, x.layout());
    }

    /// Tensors of different ranks and of the same shape, some of which share axes in a log.
    fn tensors() -> Vec<Tensor> {
        let shapes: [&[usize]; 6] = [&[4], &[2, 4], &[4], &[], &[2, 2, 2], &[2, 4]];
        let of = |shape: &&[usize]| Tensor::zeros(*shape, DType::Float64).unwrap();
        let mut tensors: Vec<Tensor> = shapes.iter().map(of).collect();
        tensors.push(tensors[1].t().unwrap().slice(belvedere::s![1..]).unwrap());
        tensors
    }

    #[test]
    fn entries_are_what_was_pushed_wherever_they_are_moved() {
        let tensors = tensors();
        let values = || tensors.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let mut log = EntryLog::default();
        values().for_each(|(x, value)| log.push(entry(x, value)));
        let mut other = EntryLog::default();
        values().for_each(|(x, value)| other.push(entry(x, value)));
        // Each of them through a log of its own, then all of them behind others.
        let mut parts: Vec<EntryLog> = tensors.iter().map(|_| other.take_last()).collect();
        assert_eq!(other.len(), 0);
        parts.iter().zip(values().rev()).for_each(|(it, (x, value))| check(&it.entry(0), x, value));
        while let Some(part) = parts.pop() {
            log.append(part);
        }
        assert_eq!(log.lines.len(), 1, "all are of one line");
        let twice = || values().chain(values());
        log.entries().zip(twice()).for_each(|(it, (x, value))| check(&it, x, value));
        for (x, value) in values().rev().chain(values().rev()) {
            check(&log.pop().unwrap(), x, value);
        }
        assert!(log.pop().is_none() && log.axes.is_empty() && log.inputs.is_empty());
    }

    #[test]
    fn an_entry_that_is_not_added_leaves_nothing() {
        let x = &tensors()[1];
        let mut log = EntryLog::default();
        log.push(entry(x, 1.0));
        let begin = log.position();
        log.push_unsaved(tensors()[4].layout(), Some(DType::Float64), None);
        log.push_param(("axis", Param::None));
        log.remove_from(begin);
        check(&log.entry(0), x, 1.0);
        check(&log.pop().unwrap(), x, 1.0);
        assert!(log.pop().is_none());
    }

    #[test]
    fn the_arrays_of_a_log_are_those_of_the_next_one() {
        let x = &tensors()[0];
        let mut log = EntryLog::reusing();
        (0..100).for_each(|_| log.push(entry(x, 1.0)));
        let capacity = log.entries.capacity();
        drop(log);
        drop(EntryLog::default());
        let mut next = EntryLog::reusing();
        assert_eq!((next.len(), next.entries.capacity()), (0, capacity));
        assert_eq!(EntryLog::reusing().entries.capacity(), 0, "there is one of a thread");
        next.push(entry(x, 2.0));
        check(&next.entry(0), x, 2.0);
        next.entries.reserve(MAX_SPARE_BYTES);
        drop(next);
        assert_eq!(EntryLog::reusing().entries.capacity(), 0, "it was too large");
    }
}

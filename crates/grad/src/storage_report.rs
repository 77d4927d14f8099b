//! [`StorageReport`]: what a tape watches, saves and keeps of a storage, and pictures of it.

use crate::components::component_layout;
use crate::entry::{Entry, EntryKind};
use crate::error::Line;
use crate::lease::Patch;
use belvedere::{Chain, DType, Layout, StorageId, Tensor};
use belvedere_draw::{Album, Limits, Picture, Sketch, View};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The most storages that are drawn.
const MAX_PICTURES: usize = 40;

/// The most regions of a kind that are drawn of a storage.
const MAX_REGIONS: usize = 6;

/// The most cells of a region that are drawn: a storage has several regions.
const LIMITS: Limits = Limits { cells: 120, columns: 20, rows: 12 };

/// What a tape knows of a storage. Lengths and layouts count components: a complex element is a pair of real ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageReport {
    /// The dtype of the components.
    pub dtype: DType,
    /// The number of components; up to the last one that was accessed, if no tensor of the storage is watched or saved.
    pub len: usize,
    /// Whether the tape has made the storage to save a copy, because another library can write to the original.
    pub is_copy: bool,
    /// The elements that are watched.
    pub watched: Vec<RegionReport>,
    /// The elements that are saved: leased, or copied at once.
    pub saved: Vec<RegionReport>,
    /// The elements that were written in place.
    pub written: Vec<RegionReport>,
}

/// Elements of a storage that a line watches, saves or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionReport {
    /// The name of the operation.
    pub op: &'static str,
    /// The line that called it.
    pub line: String,
    /// The components.
    pub layout: Layout,
    /// How often the line has saved or written them.
    pub count: usize,
    /// The number of components whose old contents are kept.
    pub n_kept: usize,
    /// The offsets of those that a picture shows.
    shown_kept: HashSet<usize>,
}

/// Why a region is in a report.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum RegionKind {
    Watched,
    Saved,
    Written,
}

/// The reports of storages, while they are collected.
#[derive(Default)]
struct StorageReports {
    all: Vec<StorageReport>,
    by_id: HashMap<StorageId, usize>,
    /// The index of each region in the list of regions that are watched, saved or written.
    positions: HashMap<(usize, RegionKind, &'static str, String, Layout), usize>,
}

impl StorageReports {
    /// Returns the position of the report of a storage, which is at least `len` components long.
    fn of(&mut self, id: StorageId, dtype: DType, len: usize) -> usize {
        let at = *self.by_id.entry(id).or_insert_with(|| {
            let [watched, saved, written] = [const { Vec::new() }; 3];
            let dtype = dtype.real();
            self.all.push(StorageReport { dtype, len: 0, is_copy: false, watched, saved, written });
            self.all.len() - 1
        });
        self.all[at].len = self.all[at].len.max(len);
        at
    }

    /// Returns the position of the report of the storage of a tensor.
    fn of_tensor(&mut self, x: &Tensor) -> usize {
        self.of(x.storage().id(), x.dtype(), x.storage().len() / x.dtype().real().size())
    }

    /// Returns the region that a line accesses, which is added if it is new.
    fn region(
        &mut self,
        at: usize,
        kind: RegionKind,
        op: &'static str,
        line: &Line,
        layout: &Layout,
    ) -> &mut RegionReport {
        let report = &mut self.all[at];
        let regions = match kind {
            RegionKind::Watched => &mut report.watched,
            RegionKind::Saved => &mut report.saved,
            RegionKind::Written => &mut report.written,
        };
        let key = (at, kind, op, line.to_string(), layout.clone());
        let at = *self.positions.entry(key).or_insert_with(|| {
            let (line, layout) = (line.to_string(), layout.clone());
            let shown_kept = HashSet::new();
            regions.push(RegionReport { op, line, layout, count: 0, n_kept: 0, shown_kept });
            regions.len() - 1
        });
        &mut regions[at]
    }

    fn add_entry(&mut self, entry: &Entry) {
        let (op, line) = (entry.op, &entry.line);
        for input in &entry.inputs {
            if let Some(lease) = input.lease() {
                let at = self.of_tensor(lease.tensor());
                self.region(at, RegionKind::Saved, op, line, lease.layout()).count += 1;
            }
            if let Some(copy) = input.saved_copy() {
                let Ok(layout) = component_layout(copy.layout(), copy.dtype()) else { continue };
                let at = self.of_tensor(copy);
                self.all[at].is_copy = true;
                self.region(at, RegionKind::Saved, op, line, &layout).count += 1;
            }
        }
        let kind = match entry.kind {
            EntryKind::Watch => RegionKind::Watched,
            _ => RegionKind::Written,
        };
        for output in entry.outputs.iter().filter(|_| !entry.is_fresh) {
            let Ok(layout) = component_layout(&output.layout, output.dtype) else { continue };
            let at = self.of(output.storage, output.dtype, layout.span().end);
            self.region(at, kind, op, line, &layout).count += 1;
        }
    }

    fn add_patch(&mut self, id: StorageId, patch: &Patch) {
        let layout = &patch.layout;
        let at = self.of(id, patch.values.dtype(), layout.span().end);
        let found = self.region(at, RegionKind::Written, patch.op, &patch.line, layout);
        // No entry has recorded a write to elements without a gradient.
        found.count = found.count.max(1);
        found.n_kept += patch.values.len();
        let is_kept = |number: usize| match &patch.positions {
            None => true,
            Some(positions) => positions.binary_search(&(number as i64)).is_ok(),
        };
        let sketch = Sketch::new(&Chain::new(layout.clone()), LIMITS);
        let kept = sketch.cells.iter().filter(|it| is_kept(it.number));
        found.shown_kept.extend(kept.filter_map(|it| it.offset));
    }
}

/// Returns the reports of the storages that entries and patches name.
pub(crate) fn of(
    entries: &[Entry],
    watched: &[Tensor],
    patches: impl Iterator<Item = (StorageId, Arc<Patch>)>,
) -> Vec<StorageReport> {
    let mut reports = StorageReports::default();
    entries.iter().for_each(|it| reports.add_entry(it));
    for x in watched {
        reports.of_tensor(x);
    }
    patches.for_each(|(id, it)| reports.add_patch(id, &it));
    reports.all
}

/// Returns a picture of each of the first storages, and the number of the others.
pub(crate) fn album(storages: &[StorageReport]) -> Album {
    let drawn = storages.iter().take(MAX_PICTURES).enumerate();
    let mut pictures: Vec<Picture> = drawn.map(|(n, it)| it.picture(n)).collect();
    if let Some(n_more @ 1..) = storages.len().checked_sub(MAX_PICTURES) {
        pictures.push(Picture::new(0).name("…").note(format!("{n_more} more are not drawn")));
    }
    Picture::album(pictures)
}

impl StorageReport {
    fn picture(&self, number: usize) -> Picture {
        let kinds = [
            (&self.watched, "watched"),
            (&self.saved, if self.is_copy { "copied by" } else { "saved by" }),
            (&self.written, "written by"),
        ];
        let n_hidden: usize =
            kinds.iter().map(|(it, _)| it.len().saturating_sub(MAX_REGIONS)).sum();
        let mut note = format!("{} {}", self.len, self.dtype);
        if n_hidden > 0 {
            note += &format!(", {n_hidden} more regions are not drawn");
        }
        let mut picture =
            Picture::new(self.len).name(memory_name(number)).note(note).limits(LIMITS);
        if self.is_copy {
            picture = picture.copied();
        }
        for (regions, what) in kinds {
            for region in regions.iter().take(MAX_REGIONS) {
                picture = picture.view(region.view(what));
            }
        }
        picture
    }
}

impl RegionReport {
    fn view(&self, what: &str) -> View {
        let title = match what {
            "watched" => what.to_string(),
            _ => format!("{what} {}", self.op),
        };
        let mut notes = vec![file_name(&self.line).to_string()];
        if self.count > 1 {
            notes.push(format!("{} times", self.count));
        }
        if self.n_kept > 0 {
            notes.push(format!("{} kept", self.n_kept));
        }
        let kept = self.shown_kept.clone();
        View::new(self.layout.clone())
            .title(title)
            .note(notes.join(", "))
            .mark("kept before it was overwritten", move |at| kept.contains(&at))
    }
}

/// Returns the name of a memory, as the drawings of traces number them: A, B, …
fn memory_name(number: usize) -> String {
    match u8::try_from(number) {
        Ok(number @ 0..26) => format!("memory {}", char::from(b'A' + number)),
        _ => format!("memory no. {}", number + 1),
    }
}

/// Returns a line without the folders of its file.
fn file_name(line: &str) -> &str {
    line.rsplit(['/', '\\']).next().unwrap_or(line)
}

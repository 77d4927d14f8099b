//! [`Report`]: what a tape holds, by source line and by storage.

use crate::entry::Entry;
use crate::lease::{Lease, Patch};
use crate::storage_report::{self, StorageReport};
use belvedere::Tensor;
use belvedere_draw::Album;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// What a [`Tape`](crate::Tape) holds. Its `Display` is a table with a row for each source line, and one for each copy.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::Tape;
///
/// let (x, tape) = (Tensor::ones([100], DType::Float64)?, Tape::new());
/// tape.watch(&x)?;
/// let y = tape.record(|| x.square())?; // saves x
/// x.slice(s![..3])?.fill(0.0)?; // overwrites 3 of the saved elements
/// let report = tape.report();
/// let square = report.lines.iter().find(|it| it.op == "square").unwrap();
/// assert_eq!((square.entries, square.leases, square.leased_bytes), (1, 1, 800));
/// assert_eq!(report.copies[0].saved_by, square.line);
/// let table = report.to_string();
/// assert!(table.starts_with("3 entries, 1 lease of 800 bytes, 24 bytes kept from writes"), "{table}");
/// # drop(y);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of operations that were recorded, with those that watched tensors.
    pub entries: usize,
    /// The number of saved inputs that are leased: no bytes were copied for them.
    pub leases: usize,
    /// The bytes of the leased tensors; tensors of the same elements count once.
    pub leased_bytes: usize,
    /// The bytes of saved inputs that were copied at once, because another library can write to them.
    pub copied_bytes: usize,
    /// The entries of each operation and source line, in the order of the first of them.
    pub lines: Vec<ReportLine>,
    /// The copies of leased elements that were overwritten, in the order of the writes.
    pub copies: Vec<SavedCopy>,
    /// The storages that contain watched, saved or overwritten elements, in the order of their first use.
    pub storages: Vec<StorageReport>,
}

/// What the entries of one operation and source line hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportLine {
    /// The name of the operation.
    pub op: &'static str,
    /// The line that called it.
    pub line: String,
    /// The number of entries.
    pub entries: usize,
    /// The number of saved inputs that are leased.
    pub leases: usize,
    /// The bytes of the leased tensors; those that an earlier row has leased count there only.
    pub leased_bytes: usize,
    /// The bytes of saved inputs that were copied at once.
    pub copied_bytes: usize,
}

/// A copy of saved elements, made because they were overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SavedCopy {
    /// The name of the operation that overwrote them.
    pub op: &'static str,
    /// The line that overwrote them.
    pub line: String,
    /// The line that had saved them.
    pub saved_by: String,
    /// The number of bytes.
    pub bytes: usize,
}

impl SavedCopy {
    fn of(patch: &Patch) -> SavedCopy {
        let (line, saved_by) = (patch.line.to_string(), patch.saved_by.to_string());
        SavedCopy { op: patch.op, line, saved_by, bytes: patch.values.n_bytes() }
    }
}

impl Report {
    /// Returns pictures of the storages, as text, SVG or HTML: the elements that are watched, those that are saved, and
    /// those that were written in place. Overwritten elements whose old contents are kept have a mark. Of many storages and
    /// regions the first ones are drawn.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_draw::TextOptions;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![1.0, 2.0, 3.0, 4.0], Tape::new());
    /// tape.watch(&x)?;
    /// tape.record(|| {
    ///     let y = x.slice(s![..2])?.square()?; // saves 0 and 1
    ///     x.slice(s![1..])?.fill(0.0)?; // overwrites 1, which is kept, and others
    ///     y.sum(())
    /// })?;
    /// let text = tape.report().draw().to_text(TextOptions::plain());
    /// assert!(text.contains("saved by square") && text.contains("written by assign"), "{text}");
    /// assert!(text.contains("•1  2  3") && text.ends_with("• kept before it was overwritten\n"), "{text}");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn draw(&self) -> Album {
        storage_report::album(&self.storages)
    }

    /// Returns the report of entries.
    pub(crate) fn of(entries: &[Entry], watched: &[Tensor]) -> Report {
        let mut report = Report::default();
        let (mut rows, mut leased) = (HashMap::new(), HashMap::new());
        for entry in entries {
            let line = entry.line.to_string();
            let row = *rows.entry((entry.op, line.clone())).or_insert_with(|| {
                report.lines.push(ReportLine { op: entry.op, line, ..ReportLine::default() });
                report.lines.len() - 1
            });
            let row = &mut report.lines[row];
            row.entries += 1;
            for input in &entry.inputs {
                if let Some(lease) = input.lease() {
                    row.leases += 1;
                    let x = lease.tensor();
                    let key = (x.storage().id(), x.layout().clone(), x.dtype());
                    let earliest = leased.entry(key).or_insert_with(|| {
                        row.leased_bytes += x.n_bytes();
                        lease
                    });
                    if lease.time < earliest.time {
                        *earliest = lease;
                    }
                }
                row.copied_bytes += input.saved_copy().map_or(0, Tensor::n_bytes);
            }
        }
        let sum = |of: fn(&ReportLine) -> usize| report.lines.iter().map(of).sum();
        report.entries = entries.len();
        report.leases = sum(|it| it.leases);
        report.leased_bytes = sum(|it| it.leased_bytes);
        report.copied_bytes = sum(|it| it.copied_bytes);
        // What a later lease of the same elements needs, the earliest one needs as well. In the order of time.
        let patches: BTreeMap<u64, _> = leased
            .values()
            .flat_map(|lease| {
                let id = lease.tensor().storage().id();
                patches_of(lease).map(move |it| (it.time, (id, it)))
            })
            .collect();
        report.copies = patches.values().map(|(_, it)| SavedCopy::of(it)).collect();
        report.storages = storage_report::of(entries, watched, patches.into_values());
        report
    }
}

/// Returns the patches that a lease needs.
fn patches_of(lease: &Lease) -> impl Iterator<Item = Arc<Patch>> {
    lease.patches().into_iter().filter(|it| lease.is_patched_by(it))
}

/// Returns a number with a noun.
fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Writes a table whose columns are padded to their longest cell: the first to the right, the others to the left.
fn write_table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|k| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0))
        .collect();
    for row in rows {
        f.write_str("\n")?;
        for (k, cell) in row.iter().enumerate() {
            let width = widths[k];
            match k {
                _ if k + 1 == row.len() => f.write_str(cell)?,
                0 => write!(f, "{cell:>width$}  ")?,
                _ => write!(f, "{cell:<width$}  ")?,
            }
        }
    }
    Ok(())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept: usize = self.copies.iter().map(|it| it.bytes).sum();
        let entries = counted(self.entries, "entry", "entries");
        let leases = counted(self.leases, "lease", "leases");
        write!(f, "{entries}, {leases} of {} bytes", self.leased_bytes)?;
        if self.copied_bytes > 0 {
            write!(f, ", {} bytes copied when saved", self.copied_bytes)?;
        }
        if kept > 0 {
            write!(f, ", {kept} bytes kept from writes")?;
        }
        let titles = |titles: [&str; 4]| titles.map(String::from).to_vec();
        if !self.lines.is_empty() {
            let mut rows = vec![titles(["entries", "operation", "saves", "line"])];
            rows.extend(self.lines.iter().map(|it| {
                let saves = match (it.leases, it.copied_bytes) {
                    (0, 0) => String::new(),
                    (_, 0) => format!("{} bytes leased", it.leased_bytes),
                    (0, copied) => format!("{copied} bytes copied"),
                    (_, copied) => {
                        format!("{} bytes leased, {copied} bytes copied", it.leased_bytes)
                    }
                };
                vec![it.entries.to_string(), it.op.to_string(), saves, it.line.clone()]
            }));
            write_table(f, &rows)?;
        }
        if !self.copies.is_empty() {
            let mut rows = vec![titles(["kept", "write", "line of the write", "saved by"])];
            rows.extend(self.copies.iter().map(|it| {
                let bytes = format!("{} bytes", it.bytes);
                vec![bytes, it.op.to_string(), it.line.clone(), it.saved_by.clone()]
            }));
            write_table(f, &rows)?;
        }
        Ok(())
    }
}

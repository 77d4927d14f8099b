//! [`LineSummary`]: what the operations of one source line did to memory.

use super::event::Event;
use super::live::LiveMemory;
use super::scope::EventLog;
use super::{CallSite, EventKind};
use crate::copies::CopyReason;
use std::collections::HashMap;
use std::fmt;
use std::panic::Location;

/// What the operations of one source line did to memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LineSummary {
    /// The line of another language, if a locator is installed.
    pub call_site: Option<CallSite>,
    /// The Rust source line.
    pub caller: &'static Location<'static>,
    /// The number of operations that the line called.
    pub n_calls: usize,
    /// The bytes that were copied.
    pub bytes_copied: usize,
    /// The operation and reason of the copies, with their bytes, in the order of their first one.
    pub copies: Vec<(&'static str, CopyReason, usize)>,
    /// The bytes of the storages that were allocated.
    pub bytes_allocated: usize,
    /// The most bytes that were alive after an operation of this line, among the storages that were
    /// allocated during the recording.
    pub peak_bytes: usize,
}

impl fmt::Display for LineSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.call_site {
            Some(call_site) => write!(f, "{call_site}")?,
            None => write!(f, "{}:{}", self.caller.file(), self.caller.line())?,
        }
        let LineSummary { n_calls, bytes_copied, bytes_allocated, peak_bytes, .. } = self;
        write!(
            f,
            ": {n_calls} calls, {bytes_copied} bytes copied, {bytes_allocated} bytes allocated, \
             {peak_bytes} bytes at most"
        )
    }
}

/// A source line: a file and a number.
#[derive(PartialEq, Eq, Hash)]
enum LineKey<'a> {
    Site(&'a str, u32),
    Caller(&'static str, u32),
}

impl LineKey<'_> {
    fn of(event: &Event) -> LineKey<'_> {
        match &event.call_site {
            Some(site) => LineKey::Site(&site.file, site.line),
            None => LineKey::Caller(event.caller.file(), event.caller.line()),
        }
    }
}

/// Summarizes what was recorded by source line.
pub(super) fn summarize(log: &EventLog) -> Vec<LineSummary> {
    let mut lines: Vec<LineSummary> = Vec::new();
    let mut numbers: HashMap<LineKey<'_>, usize> = HashMap::new();
    let mut live = LiveMemory::default();
    let mut freed = log.freed.iter().peekable();
    for (at, event) in log.events.iter().enumerate() {
        while let Some((_, id)) = freed.next_if(|(before, _)| *before <= at) {
            live.free(*id);
        }
        let number = *numbers.entry(LineKey::of(event)).or_insert_with(|| {
            lines.push(LineSummary {
                call_site: event.call_site.clone(),
                caller: event.caller,
                n_calls: 0,
                bytes_copied: 0,
                copies: Vec::new(),
                bytes_allocated: 0,
                peak_bytes: 0,
            });
            lines.len() - 1
        });
        let line = &mut lines[number];
        line.n_calls += usize::from(event.depth == 0);
        line.bytes_allocated = line.bytes_allocated.saturating_add(live.allocate(event));
        if let EventKind::Copy(reason) = event.kind {
            line.bytes_copied = line.bytes_copied.saturating_add(event.bytes_written);
            let known = line.copies.iter_mut().find(|it| (it.0, it.1) == (event.op, reason));
            match known {
                Some((_, _, bytes)) => *bytes = bytes.saturating_add(event.bytes_written),
                None => line.copies.push((event.op, reason, event.bytes_written)),
            }
        }
        let bytes = usize::try_from(live.bytes()).unwrap_or(usize::MAX);
        line.peak_bytes = line.peak_bytes.max(bytes);
    }
    lines
}

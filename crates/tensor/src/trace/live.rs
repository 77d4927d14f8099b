//! [`LiveMemory`]: the storages that are alive at a point of a recording.

use super::event::{Event, EventOperand};
use super::recorder::Trace;
use crate::StorageId;
use std::collections::HashMap;

/// The storages that were allocated and not yet freed, among those of the events that were added.
///
/// ```
/// use belvedere::{prelude::*, trace::{self, LiveMemory}};
///
/// let (_, trace) = trace::record(|| Tensor::zeros([6], DType::Int8)?.add(1));
/// let mut live = LiveMemory::default();
/// assert_eq!(live.follow(&trace), 12); // the sum was allocated before the zeros were freed
/// assert_eq!(live.bytes(), 6);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LiveMemory {
    sizes: HashMap<StorageId, usize>,
    /// Tensors without memory may be larger together than there are addresses.
    bytes: u128,
}

impl LiveMemory {
    /// Returns the bytes of all storages that are alive.
    ///
    /// ```
    /// assert_eq!(belvedere::trace::LiveMemory::default().bytes(), 0);
    /// ```
    pub fn bytes(&self) -> u128 {
        self.bytes
    }

    /// Adds the storages that an operation allocated, and returns their bytes. The parts of an operation announce
    /// what they allocate, and so does the operation: it counts once.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace::{self, LiveMemory}};
    ///
    /// let (_, trace) = trace::record(|| Tensor::zeros([6], DType::Int8));
    /// let mut live = LiveMemory::default();
    /// let event = &trace.events()[0];
    /// assert_eq!([live.allocate(event), live.allocate(event)], [6, 0]);
    /// ```
    pub fn allocate(&mut self, event: &Event) -> usize {
        if event.bytes_allocated == 0 {
            return 0;
        }
        let is_input = |id| event.inputs.iter().any(|it| it.storage() == Some(id));
        let outputs = event.outputs.iter().filter_map(EventOperand::allocation);
        let mut allocated = 0usize;
        for (id, bytes) in outputs.filter(|(id, _)| !is_input(*id)) {
            if self.sizes.insert(id, bytes).is_none() {
                self.bytes += bytes as u128;
                allocated = allocated.saturating_add(bytes);
            }
        }
        allocated
    }

    /// Removes a storage that was freed, if it is known.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace::{self, LiveMemory}};
    ///
    /// let (_, trace) = trace::record(|| Tensor::zeros([6], DType::Int8).map(drop));
    /// let mut live = LiveMemory::default();
    /// live.allocate(&trace.events()[0]);
    /// live.free(trace.freed()[0].1);
    /// assert_eq!(live.bytes(), 0);
    /// ```
    pub fn free(&mut self, id: StorageId) {
        self.bytes -= self.sizes.remove(&id).unwrap_or(0) as u128;
    }

    /// Adds and removes what was allocated and freed in a trace, and returns the most bytes that were alive.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace::{self, LiveMemory}};
    ///
    /// let (_, trace) = trace::record(|| Tensor::zeros([6], DType::Int8).map(drop));
    /// let mut live = LiveMemory::default();
    /// assert_eq!((live.follow(&trace), live.bytes()), (6, 0));
    /// ```
    pub fn follow(&mut self, trace: &Trace) -> u128 {
        let mut freed = trace.freed().iter().peekable();
        let mut peak = self.bytes;
        for (at, event) in trace.events().iter().enumerate() {
            while let Some((_, id)) = freed.next_if(|(before, _)| *before <= at) {
                self.free(*id);
            }
            self.allocate(event);
            peak = peak.max(self.bytes);
        }
        freed.for_each(|(_, id)| self.free(*id));
        peak
    }
}

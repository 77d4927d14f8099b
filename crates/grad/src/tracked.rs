//! [`TrackedStorages`]: the storages whose elements have gradients.

use crate::components::{component_span, union};
use crate::hash::FastMap;
use belvedere::{DType, StorageId};
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::mem;
use std::ops::{Deref, Range};

/// The most storages of a table that a thread keeps for its next tape.
const MAX_SPARE: usize = 1 << 15;

thread_local! {
    /// The empty table of a tape that has ended.
    static SPARE: RefCell<TrackedStorages> = RefCell::default();
}

/// The storages whose elements have gradients. The memory of the table is kept for the next tape of the thread.
#[derive(Clone, Default)]
pub(crate) struct TrackedStorages(FastMap<StorageId, TrackedStorage>);

/// A storage whose elements have gradients.
#[derive(Clone)]
pub(crate) struct TrackedStorage {
    /// The dtype of the components.
    pub dtype: DType,
    /// The smallest range that contains the offsets of all touched components.
    pub span: Range<usize>,
}

impl TrackedStorage {
    /// Returns whether a span is empty or lies within the touched range.
    pub(crate) fn contains(&self, span: Range<usize>) -> bool {
        span.is_empty() || self.span.start <= span.start && span.end <= self.span.end
    }
}

impl TrackedStorages {
    /// Returns an empty table, in the memory of one of this thread that has ended.
    pub(crate) fn reusing() -> TrackedStorages {
        SPARE.try_with(RefCell::take).unwrap_or_default()
    }

    /// Notes that a range of elements has gradients, or that elements with gradients are read.
    pub(crate) fn touch(&mut self, storage: StorageId, dtype: DType, span: Range<usize>) {
        self.insert(storage, dtype.real(), component_span(span, dtype));
    }

    /// Extends the range of a storage; does nothing if it is not tracked.
    pub(crate) fn extend_span(&mut self, storage: StorageId, span: Range<usize>) {
        if let Some(own) = self.0.get_mut(&storage) {
            own.span = union(own.span.clone(), span);
        }
    }

    /// Adds the storages of another table, and the spans of those that are in both.
    pub(crate) fn extend_from(&mut self, other: &TrackedStorages) {
        for (&id, TrackedStorage { dtype, span }) in other.iter() {
            self.insert(id, *dtype, span.clone());
        }
    }

    /// Adds a span of components.
    fn insert(&mut self, storage: StorageId, dtype: DType, span: Range<usize>) {
        match self.0.entry(storage) {
            Entry::Occupied(own) => {
                let own = own.into_mut();
                own.span = union(own.span.clone(), span);
            }
            Entry::Vacant(place) => {
                place.insert(TrackedStorage { dtype, span });
            }
        }
    }
}

impl Deref for TrackedStorages {
    type Target = FastMap<StorageId, TrackedStorage>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for TrackedStorages {
    /// Keeps the larger one of this memory and that which the thread has kept.
    fn drop(&mut self) {
        if (1..=MAX_SPARE).contains(&self.0.capacity()) {
            self.0.clear();
            let _ = SPARE.try_with(|spare| {
                if let Ok(mut spare) = spare.try_borrow_mut()
                    && spare.0.capacity() < self.0.capacity()
                {
                    mem::swap(&mut spare.0, &mut self.0);
                }
            });
        }
    }
}

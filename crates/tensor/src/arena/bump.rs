//! The bump allocator of an arena: chunks of memory and a position.

use crate::{Error, Storage};
use std::num::NonZero;
use std::ptr::NonNull;

/// The alignment of every allocation: a cache line, and the widest vector register.
const ALIGN: usize = 64;

/// The size of the first chunk: a smaller one would soon be followed by another.
const FIRST_CHUNK_BYTES: usize = 64 << 10;

/// The maximal size of a chunk beyond what is needed. Up to it, each chunk doubles the capacity.
const MAX_GROWTH_BYTES: usize = 64 << 20;

/// The memory of an arena: chunks, and the position up to which they are allocated. It does not track
/// views: its users ensure that freed memory is not accessed.
///
/// Invariants:
/// 1. `current <= chunks.len()`, and all chunks after it are empty.
/// 2. Each chunk has `used <= memory.len()`.
/// 3. The memory of a chunk is not shared, and its first byte is aligned to `ALIGN`.
pub(super) struct Bump {
    chunks: Vec<Chunk>,
    /// The chunk of the last allocation.
    current: usize,
    /// The maximal capacity in bytes.
    limit: usize,
}

/// Memory of which the first `used` bytes are allocated.
struct Chunk {
    memory: Storage,
    used: usize,
}

/// A position in the chunks. Positions are ordered as they are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    chunk: usize,
    used: usize,
}

impl Position {
    pub(super) const START: Position = Position { chunk: 0, used: 0 };
}

impl Bump {
    /// Creates an allocator without chunks.
    pub(super) fn new(limit: usize) -> Bump {
        Bump { chunks: Vec::new(), current: 0, limit }
    }

    /// Allocates uninitialised bytes, aligned to `ALIGN`.
    ///
    /// Until the position is rewound to before them, they do not move, and no other allocation shares a
    /// byte with them.
    pub(super) fn allocate(&mut self, bytes: usize) -> Result<NonNull<u8>, Error> {
        if bytes == 0 {
            return Ok(NonNull::without_provenance(NonZero::new(ALIGN).expect("not 0")));
        }
        let k = match self.chunk_with_space(bytes) {
            Some(k) => k,
            None => self.grow(bytes, self.capacity().clamp(FIRST_CHUNK_BYTES, MAX_GROWTH_BYTES))?,
        };
        self.current = k;
        Ok(self.chunks[k].allocate(bytes).expect("the chunk has enough space"))
    }

    /// Adds a chunk of `usual` bytes, or of `bytes` if that fails, and returns its index.
    pub(super) fn grow(&mut self, bytes: usize, usual: usize) -> Result<usize, Error> {
        let refusal = || Error::OutOfMemory { bytes };
        let in_use: usize = self.chunks[..self.first_empty()].iter().map(Chunk::len).sum();
        // Allocators refuse more than `isize::MAX` bytes.
        if bytes > self.limit - in_use || bytes > isize::MAX as usize {
            return Err(refusal());
        }
        if bytes > self.limit - self.capacity() {
            self.release_empty();
        }
        self.chunks.try_reserve(1).map_err(|_| refusal())?;
        let generous = usual.min(self.limit - self.capacity()).max(bytes);
        // SAFETY: the memory of a chunk is zeroed or filled before a view of it is returned.
        let uninit = |bytes: usize| unsafe { Storage::uninit(bytes) };
        let memory = match uninit(generous) {
            Ok(memory) => memory,
            Err(_) => {
                self.release_empty();
                uninit(bytes)?
            }
        };
        assert!(memory.address().is_multiple_of(ALIGN), "storages are aligned to 64 bytes");
        self.chunks.push(Chunk { memory, used: 0 });
        Ok(self.chunks.len() - 1)
    }

    /// Returns the chunk in which an allocation fits.
    pub(super) fn chunk_with_space(&self, bytes: usize) -> Option<usize> {
        (self.current..self.chunks.len()).find(|&k| self.chunks[k].offset_for(bytes).is_some())
    }

    pub(super) fn position(&self) -> Position {
        let used = self.chunks.get(self.current).map_or(0, |chunk| chunk.used);
        Position { chunk: self.current, used }
    }

    /// Frees all allocations after a position; has no effect if they are free already.
    pub(super) fn rewind(&mut self, to: Position) {
        if to >= self.position() {
            return;
        }
        // The position is before the current one, so its chunk exists. Less of that chunk may be used than
        // when the mark was made, if the arena was rewound and filled with other sizes since.
        let chunk = &mut self.chunks[to.chunk];
        chunk.used = chunk.used.min(to.used);
        for chunk in &mut self.chunks[to.chunk + 1..] {
            chunk.used = 0;
        }
        self.current = to.chunk;
    }

    /// Frees the empty chunks at the end. Positions stay valid: those that are not freed yet are in other chunks,
    /// or at the start of the first chunk that is freed.
    pub(super) fn release_empty(&mut self) {
        self.chunks.truncate(self.first_empty());
        self.current = self.current.min(self.chunks.len());
    }

    /// Returns the first of the empty chunks at the end, or `chunks.len()`. (Skipped chunks are empty, too, but
    /// are followed by others in use.)
    fn first_empty(&self) -> usize {
        let is_in_use = self.chunks.get(self.current).is_some_and(|chunk| chunk.used > 0);
        self.current + usize::from(is_in_use)
    }

    pub(super) fn allocated(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.used).sum()
    }

    pub(super) fn capacity(&self) -> usize {
        self.chunks.iter().map(Chunk::len).sum()
    }
}

impl Chunk {
    fn len(&self) -> usize {
        self.memory.len()
    }

    /// Returns the offset at which an allocation would begin, if it fits.
    fn offset_for(&self, bytes: usize) -> Option<usize> {
        let start = self.used.next_multiple_of(ALIGN);
        self.len().checked_sub(start).filter(|&space| bytes <= space).map(|_| start)
    }

    /// Allocates bytes, if they fit.
    fn allocate(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        let start = self.offset_for(bytes)?;
        self.used = start + bytes;
        // SAFETY: `start` is at most the length of the memory (`offset_for`).
        Some(unsafe { self.memory.ptr().add(start) })
    }
}

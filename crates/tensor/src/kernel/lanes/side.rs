//! Lanes on one side of the work, and the memory that they are packed into.

use crate::kernel::copy::{Steps, copy_tile};
use crate::{Axis, DType, Layout};

/// One side of the work: lanes of `len` elements of `size` bytes.
pub(super) struct Side {
    pub ptr: *mut u8,
    pub size: usize,
    pub len: usize,
    /// The axes of a lane that go slower than the last one.
    outer: Vec<Axis>,
    /// How many elements there are along the last one, and how far apart.
    inner: Axis,
    /// Whether lanes are worked on where they are: one behind the other, and nobody else writes to
    /// them.
    pub is_direct: bool,
}

impl Side {
    /// Lanes along some axes of a layout, the last of which goes fastest.
    pub(super) fn new(
        ptr: *mut u8,
        dtype: DType,
        layout: &Layout,
        axes: &[usize],
        is_packed: bool,
    ) -> Side {
        let mut outer: Vec<Axis> = axes.iter().map(|&k| layout.axes()[k]).collect();
        // Beside an axis without elements the others may be of any length.
        let is_empty = outer.iter().any(|axis| axis.len == 0);
        let len = outer.iter().fold(1usize, |len, axis| len.saturating_mul(axis.len));
        let len = if is_empty { 0 } else { len };
        let inner = outer.pop().expect("a lane has an axis");
        let is_block = outer.is_empty() && inner.stride == 1 || len <= 1;
        Side { ptr, size: dtype.size(), len, outer, inner, is_direct: is_block && !is_packed }
    }

    /// Bytes of a lane; a length that stands still may be too much for any buffer, which is not made
    /// then.
    pub(super) fn bytes(&self) -> usize {
        self.size.saturating_mul(self.len)
    }

    /// Memory for so many packed lanes, if they are packed.
    pub(super) fn buffer(&self, lanes: usize) -> Buffer {
        buffer(if self.is_direct { 0 } else { lanes.saturating_mul(self.bytes()) })
    }

    /// Packs lanes that begin at `from`, `step` elements from one to the next.
    ///
    /// # Safety
    /// There must be `count` readable lanes, and room for them in the buffer.
    pub(super) unsafe fn pack(&self, buffer: *mut u8, from: *const u8, step: isize, count: usize) {
        let counts = [count, self.inner.len];
        self.stretches(|offset, at| {
            // SAFETY: the caller's promises, for a stretch of each lane.
            unsafe {
                let (to, from) =
                    (buffer.add(at * self.size), from.offset(offset * self.size as isize));
                copy_tile(self.size, to, self.packed(), from, self.spread(step), counts);
            }
        });
    }

    /// The way back.
    ///
    /// # Safety
    /// There must be `count` writable lanes, and as many in the buffer.
    pub(super) unsafe fn unpack(&self, to: *mut u8, buffer: *const u8, step: isize, count: usize) {
        let counts = [count, self.inner.len];
        self.stretches(|offset, at| {
            // SAFETY: the caller's promises, for a stretch of each lane.
            unsafe {
                let (to, from) =
                    (to.offset(offset * self.size as isize), buffer.add(at * self.size));
                copy_tile(self.size, to, self.spread(step), from, self.packed(), counts);
            }
        });
    }

    /// Calls `f` with each stretch of a lane that the last axis walks through: how many elements from the
    /// first of the lane it begins, where they are and where they are packed.
    fn stretches(&self, mut f: impl FnMut(isize, usize)) {
        for at in (0..self.len).step_by(self.inner.len.max(1)) {
            let (mut rest, mut offset) = (at / self.inner.len, 0);
            for axis in self.outer.iter().rev() {
                offset += (rest % axis.len) as isize * axis.stride;
                rest /= axis.len;
            }
            f(offset, at);
        }
    }

    /// The steps of a group of packed lanes.
    fn packed(&self) -> Steps {
        Steps { rows: self.bytes() as isize, cols: self.size as isize }
    }

    /// The steps of a group of lanes where they are, `step` elements from one to the next.
    fn spread(&self, step: isize) -> Steps {
        Steps { rows: step * self.size as isize, cols: self.inner.stride * self.size as isize }
    }
}

/// Memory for packed lanes, aligned for every element.
pub(super) type Buffer = Vec<[u64; 2]>;

/// So many bytes.
pub(super) fn buffer(bytes: usize) -> Buffer {
    vec![[0; 2]; bytes.div_ceil(16)]
}

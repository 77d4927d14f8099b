//! The lanes of one operand, and the buffers that they are packed into.

use crate::cancel::scratch;
use crate::kernel::copy::{Steps, copy_tile};
use crate::sync_ptr::SyncPtr;
use crate::{Axis, DType, Layout};

/// The lanes of an operand: `len` elements of `size` bytes each.
pub(super) struct LaneOperand {
    pub ptr: SyncPtr<u8>,
    pub size: usize,
    pub len: usize,
    /// The axes of a lane but the innermost.
    outer: Vec<Axis>,
    /// The innermost axis of a lane.
    inner: Axis,
    /// Whether lanes are used without packing: they are contiguous, and not also the lanes of another operand.
    pub is_direct: bool,
}

impl LaneOperand {
    /// Makes lanes along some axes of a layout, in row-major order.
    pub(super) fn new(
        ptr: *mut u8,
        dtype: DType,
        layout: &Layout,
        axes: &[usize],
        is_packed: bool,
    ) -> LaneOperand {
        let mut outer: Vec<Axis> = axes.iter().map(|&k| layout.axes()[k]).collect();
        // If one axis has length 0, the product of the others may overflow.
        let is_empty = outer.iter().any(|axis| axis.len == 0);
        let len = outer.iter().fold(1usize, |len, axis| len.saturating_mul(axis.len));
        let len = if is_empty { 0 } else { len };
        let inner = outer.pop().expect("a lane has an axis");
        let is_contiguous = outer.is_empty() && inner.stride == 1 || len <= 1;
        let ptr = SyncPtr::new(ptr);
        LaneOperand {
            ptr,
            size: dtype.size(),
            len,
            outer,
            inner,
            is_direct: is_contiguous && !is_packed,
        }
    }

    /// Returns the bytes of a packed lane. It saturates: a broadcast lane may be longer than any buffer, and is then
    /// not packed.
    pub(super) fn bytes(&self) -> usize {
        self.size.saturating_mul(self.len)
    }

    /// Returns a buffer for `lanes` packed lanes, which is empty if they are not packed.
    pub(super) fn buffer(&self, lanes: usize) -> LaneBuffer {
        buffer(if self.is_direct { 0 } else { lanes.saturating_mul(self.bytes()) })
    }

    /// Packs lanes that begin at `from`, `step` elements from one to the next.
    ///
    /// # Safety
    /// There must be `count` readable lanes, and room for them in the buffer.
    pub(super) unsafe fn pack(&self, buffer: *mut u8, from: *const u8, step: isize, count: usize) {
        let counts = [count, self.inner.len];
        self.parts(|offset, at| {
            // SAFETY: forwarded: same contract as this function, for a part of each lane.
            unsafe {
                let (to, from) =
                    (buffer.add(at * self.size), from.offset(offset * self.size as isize));
                copy_tile(self.size, to, self.packed(), from, self.strided(step), counts);
            }
        });
    }

    /// Unpacks lanes to `to` on, `step` elements from one to the next.
    ///
    /// # Safety
    /// There must be `count` writable lanes, and as many in the buffer.
    pub(super) unsafe fn unpack(&self, to: *mut u8, buffer: *const u8, step: isize, count: usize) {
        let counts = [count, self.inner.len];
        self.parts(|offset, at| {
            // SAFETY: forwarded: same contract as this function, for a part of each lane.
            unsafe {
                let (to, from) =
                    (to.offset(offset * self.size as isize), buffer.add(at * self.size));
                copy_tile(self.size, to, self.strided(step), from, self.packed(), counts);
            }
        });
    }

    /// Calls `f` with each part of a lane along the innermost axis: its offset in memory and in the packed lane, both in
    /// elements.
    fn parts(&self, mut f: impl FnMut(isize, usize)) {
        for at in (0..self.len).step_by(self.inner.len.max(1)) {
            let (mut rest, mut offset) = (at / self.inner.len, 0);
            for axis in self.outer.iter().rev() {
                offset += (rest % axis.len) as isize * axis.stride;
                rest /= axis.len;
            }
            f(offset, at);
        }
    }

    /// Returns the steps of a group of packed lanes.
    fn packed(&self) -> Steps {
        Steps { rows: self.bytes() as isize, cols: self.size as isize }
    }

    /// Returns the steps of a group of lanes in memory, `step` elements from one to the next.
    fn strided(&self, step: isize) -> Steps {
        Steps { rows: step * self.size as isize, cols: self.inner.stride * self.size as isize }
    }
}

/// Memory for packed lanes, aligned for every dtype: the capacity of a vector, which stays empty.
pub(super) type LaneBuffer = Vec<[u64; 2]>;

/// Returns a buffer of at least `bytes` bytes, which are not initialised.
pub(super) fn buffer(bytes: usize) -> LaneBuffer {
    scratch(bytes.div_ceil(16))
}

//! Folds over the elements of several operands, in row-major order of the indices.
//!
//! The order is that of the indices, whatever the strides are, so that the result depends on neither layouts nor
//! threads. All operands are read a block at a time, as in `map_lens.rs`: contiguous elements in place, others packed
//! into buffers. Consecutive elements of an operand that is transposed are in different cache lines, which the next row
//! needs again: blocks are then so many rows that each line is used up.

use super::closure::BlockFold;
use super::map::Buffer;
use super::map_lens::{OperandCursor, RowMajorOperand, RowMajorSource};
use crate::plan::{BLOCK_ELEMENTS, CACHE_LINE_BYTES};
use crate::view::Source;
use crate::{Axis, Layout, Shape};

/// The most bytes of the blocks of all operands together: about half of the L2 cache.
const MAX_BYTES: usize = 512 << 10;

/// Calls a fold for the elements of all sources, in row-major order.
///
/// # Panics
/// If a source has another shape, or is an output.
pub(crate) fn fold<const M: usize>(
    fold: &mut BlockFold<'_, M>,
    sources: &[RowMajorSource<'_>; M],
    shape: &Shape,
) {
    let has_shape = |source: &RowMajorSource<'_>| source.shape(shape) == *shape;
    assert!(sources.iter().all(has_shape), "all operands have one shape");
    let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
    if len == 0 {
        return;
    }
    let types = fold.types();
    let operands: [RowMajorOperand<'_>; M] =
        std::array::from_fn(|n| RowMajorOperand::input(&sources[n], types[n]));
    let block = block_elements(sources, &types.map(|dtype| dtype.size())).min(len);
    let n_buffers = block.div_ceil(BLOCK_ELEMENTS);
    let mut buffers = Vec::new();
    buffers.resize_with(M * n_buffers, Buffer::new);
    let mut parts = buffers.chunks_mut(n_buffers);
    let mut cursors: [OperandCursor<'_>; M] = std::array::from_fn(|n| {
        let buffers = parts.next().expect("buffers for each operand");
        OperandCursor::new(&operands[n], 0, buffers, block)
    });
    let mut scratch = Buffer::new();
    for from in (0..len).step_by(block) {
        let len = block.min(len - from);
        let blocks = cursors.each_mut().map(|it| it.fetch(len, &mut scratch));
        // SAFETY: each block has `len` contiguous elements of the fold's dtypes, in memory that is borrowed for reading or
        // in a buffer of its own.
        unsafe { fold.call(blocks, len) };
    }
}

/// Returns the elements of a block.
fn block_elements<const M: usize>(sources: &[RowMajorSource<'_>; M], sizes: &[usize; M]) -> usize {
    let pairs = sources.iter().zip(sizes);
    let rows = pairs.filter_map(|(source, &size)| match source {
        RowMajorSource::Source(Source::View(view)) => transposed_rows(view.layout(), size),
        _ => None,
    });
    let most = MAX_BYTES / sizes.iter().sum::<usize>();
    rows.max().map_or(BLOCK_ELEMENTS, |it| it.min(most)).max(BLOCK_ELEMENTS)
}

/// Returns the elements of the rows that use up the cache lines of a layout whose columns are nearer than its rows.
fn transposed_rows(layout: &Layout, size: usize) -> Option<usize> {
    let [.., rows, cols] = layout.axes() else { return None };
    let bytes = |axis: &Axis| axis.stride.unsigned_abs().saturating_mul(size);
    let is_transposed =
        rows.stride != 0 && bytes(rows) < bytes(cols) && bytes(cols) >= CACHE_LINE_BYTES;
    let n_rows = (CACHE_LINE_BYTES / bytes(rows).max(1)).min(rows.len);
    (is_transposed && n_rows > 1).then(|| n_rows * cols.len)
}

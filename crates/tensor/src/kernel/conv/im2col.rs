//! Convolution by im2col: matrix products with a tile of windows as columns.
//!
//! The right factor of the product has a column for each window and a row for each element of a window.
//! A row of it is a shifted part of the image, so it is copied by rows of the image, or by a blocked
//! transpose if channels are contiguous (NHWC). Elements outside of the image are zeros.
//!
//! The tiles depend on the shapes alone, so results do not depend on the number of threads.
//!
//! **The cost** of `[8, 64, 56, 56]` by `[64, 64, 3, 3]` is that of the product alone, which has 86 GFLOP/s
//! on one thread where a product of large square matrices has 107; 82 if channels are contiguous.

use super::{WindowAxis, intersect};
use crate::cancel::scratch_of;
use crate::kernel::copy::{Steps, copy_tile};
use crate::kernel::matmul::matmul;
use crate::plan::{PRODUCTS_PER_ELEMENT, pieces_for};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Axis, DType, Index, Layout, pool};
use std::ops::Range;
use std::ptr::NonNull;

/// Elements of the columns of a tile: they fit in the L2 cache.
const TILE_ELEMENTS: usize = 1 << 17;

/// The minimum and maximum number of columns of a tile, however many elements a window has. The product
/// reads all weights again for each tile.
const MIN_COLUMNS: usize = 192;
const MAX_COLUMNS: usize = 2048;

/// Convolves images `[n, c, h, w]` with weights `[o, c / groups · i · j]` into `[n, o, h', w']`.
///
/// # Panics
/// If the shapes do not match, the dtypes differ, or the dtype is `bool`.
pub(crate) fn convolve_im2col<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    weight: &AnyView<'_>,
    axes: [WindowAxis; 2],
    groups: usize,
) -> Written<'x> {
    let (o, i, w) = (out.layout().axes(), image.layout().axes(), weight.layout().axes());
    let (depth, n_taps) = (i[1].len / groups, axes[0].size * axes[1].size);
    let dtype = out.dtype();
    assert!(image.dtype() == dtype && weight.dtype() == dtype, "a convolution does not cast");
    assert_eq!([o.len(), i.len(), w.len()], [4, 4, 2], "axes of a convolution");
    assert_eq!([o[0].len, o[2].len, o[3].len], [i[0].len, axes[0].count, axes[1].count]);
    assert_eq!([w[0].len, w[1].len], [o[1].len, depth * n_taps], "weights of a convolution");
    assert_eq!([i[2].len, i[3].len], axes.map(|it| it.len), "shape of an image");
    assert_eq!([o[1].len, i[1].len].map(|it| it % groups), [0, 0], "groups of channels");
    if out.layout().is_empty() {
        return out.written_empty();
    }
    let columns = (TILE_ELEMENTS / (depth * n_taps).max(1)).clamp(MIN_COLUMNS, MAX_COLUMNS);
    let across = axes[1].count.min(columns);
    let down = (columns / across).clamp(1, axes[0].count);
    let job = Im2colJob {
        out: &out,
        image,
        weight,
        axes,
        groups,
        depth,
        dtype,
        tile: [down, across],
        n_tiles: [axes[0].count.div_ceil(down), axes[1].count.div_ceil(across)],
    };
    let count = i[0].len * groups * job.n_tiles[0] * job.n_tiles[1];
    let n_products = out.layout().len().saturating_mul(depth * n_taps);
    let n = pieces_for(n_products / PRODUCTS_PER_ELEMENT, count);
    pool::run(n, &|i| {
        let bytes = depth * n_taps * down * across * dtype.size();
        let mut buffer = scratch_of([0u64; 2], bytes.div_ceil(16));
        for tile in count * i / n..count * (i + 1) / n {
            // SAFETY: each tile is computed once, and shares no element of the output with another; the buffer
            // has room for the columns of a whole tile.
            unsafe { job.tile(tile, &mut buffer) };
        }
    });
    // SAFETY: every tile has just been written.
    unsafe { out.written() }
}

/// A convolution, shared by the threads that compute its tiles. The views are borrowed while it exists.
struct Im2colJob<'a, 'x> {
    out: &'a AnyViewMut<'x>,
    image: &'a AnyView<'a>,
    weight: &'a AnyView<'a>,
    axes: [WindowAxis; 2],
    groups: usize,
    /// Input channels of a group.
    depth: usize,
    dtype: DType,
    /// Rows and columns of the result in a tile, and the number of tiles along both axes.
    tile: [usize; 2],
    n_tiles: [usize; 2],
}

impl Im2colJob<'_, '_> {
    /// Computes a tile of one group of one image.
    ///
    /// # Safety
    /// - No other thread computes this tile.
    /// - The buffer must have room for its columns.
    unsafe fn tile(&self, tile: usize, buffer: &mut [[u64; 2]]) {
        let [n_down, n_across] = self.n_tiles;
        let (down, across) = (tile / n_across % n_down, tile % n_across);
        let (n, group) =
            (tile / n_across / n_down / self.groups, tile / n_across / n_down % self.groups);
        let range = |k: usize, at: usize| {
            let start = at * self.tile[k];
            start..(start + self.tile[k]).min(self.axes[k].count)
        };
        let (rows, cols) = (range(0, down), range(1, across));
        // SAFETY: the buffer has room for the columns (contract), all of which are initialised: the buffer
        // starts as zeros and holds elements of this dtype.
        let columns = unsafe {
            self.write_columns(buffer.as_mut_ptr().cast(), n, group, &rows, &cols);
            AnyView::from_parts(
                NonNull::from(buffer).cast(),
                self.columns_layout(rows.len(), cols.len()),
                self.dtype,
            )
        };
        let o = self.out.layout().axes();
        let per_group = o[1].len / self.groups;
        let first = [n, group * per_group, rows.start, cols.start];
        let start = offset(self.out.layout(), first.map(|it| it as isize));
        let axes = [
            Axis { len: rows.len(), ..o[2] },
            Axis { len: per_group, ..o[1] },
            Axis { len: cols.len(), ..o[3] },
        ];
        let layout = Layout::new(start, &axes).expect("a part of a layout is a layout");
        // SAFETY: it is a part of the output, which no other thread accesses (contract).
        let out = unsafe { AnyViewMut::from_parts(self.out.ptr(), layout, self.dtype) };
        // The weights of the group, for each row of windows.
        let first = (group * per_group) as isize;
        let weight = self.weight.slice(&[Index::from(first..first + per_group as isize)]);
        let shape = [rows.len(), per_group, self.weight.layout().axes()[1].len];
        let weight = weight.and_then(|it| it.broadcast_to(&shape)).expect("weights of the group");
        matmul(out, &weight, &columns, false);
    }

    /// Returns the layout of the columns of `rows × cols` windows: a stack with a matrix for each row of windows.
    fn columns_layout(&self, rows: usize, cols: usize) -> Layout {
        let n = self.depth * self.axes[0].size * self.axes[1].size;
        let axes = [
            Axis { len: rows, stride: cols as isize },
            Axis { len: n, stride: (rows * cols) as isize },
            Axis { len: cols, stride: 1 },
        ];
        Layout::new(0, &axes).expect("the columns of a tile are addressable")
    }

    /// Writes the elements of the windows at `rows × cols` as columns.
    ///
    /// # Safety
    /// The buffer must be valid for writes of all columns of these windows.
    unsafe fn write_columns(
        &self,
        buffer: *mut u8,
        n: usize,
        group: usize,
        rows: &Range<usize>,
        cols: &Range<usize>,
    ) {
        let size = self.dtype.size();
        let [down, across] = &self.axes;
        let plane = rows.len() * cols.len() * size;
        let strides: Vec<isize> =
            self.image.layout().axes().iter().map(|it| it.stride * size as isize).collect();
        let per_channel = down.size * across.size * plane;
        for (i, j) in (0..down.size).flat_map(|i| (0..across.size).map(move |j| (i, j))) {
            let (r, c) = (intersect(down.windows(i), rows), intersect(across.windows(j), cols));
            let to = buffer.wrapping_add((i * across.size + j) * plane);
            if (r.len(), c.len()) != (rows.len(), cols.len()) {
                for k in 0..self.depth {
                    // SAFETY: the plane of this element of channel `k` is in the buffer (contract).
                    unsafe { to.add(k * per_channel).write_bytes(0, plane) };
                }
            }
            if r.is_empty() || c.is_empty() || self.depth == 0 {
                continue;
            }
            let (y, x) = (down.position(r.start, i), across.position(c.start, j));
            let first = [n as isize, (group * self.depth) as isize, y, x];
            // The stride of a single window is not used, and may overflow.
            let step = [
                strides[2].wrapping_mul(down.stride as isize),
                strides[3].wrapping_mul(across.stride as isize),
            ];
            // SAFETY: all windows of `r × c` have this element in the image, which is borrowed for reading;
            // all of these windows are in the planes of the buffer.
            unsafe {
                let from = self.image.ptr().as_ptr().add(offset(self.image.layout(), first) * size);
                let inside = (r.start - rows.start) * cols.len() + (c.start - cols.start);
                let to = to.add(inside * size);
                let row = (cols.len() * size) as isize;
                if strides[1] == size as isize && step[1] != size as isize {
                    for at in 0..r.len() as isize {
                        let to_steps = Steps { rows: per_channel as isize, cols: size as isize };
                        let from_steps = Steps { rows: strides[1], cols: step[1] };
                        let (to, from) = (to.offset(at * row), from.offset(at * step[0]));
                        copy_tile(size, to, to_steps, from, from_steps, [self.depth, c.len()]);
                    }
                } else {
                    for k in 0..self.depth {
                        let to_steps = Steps { rows: row, cols: size as isize };
                        let from_steps = Steps { rows: step[0], cols: step[1] };
                        let to = to.add(k * per_channel);
                        let from = from.offset(k as isize * strides[1]);
                        copy_tile(size, to, to_steps, from, from_steps, [r.len(), c.len()]);
                    }
                }
            }
        }
    }
}

/// Returns the offset of an index, which must be in range.
fn offset<const N: usize>(layout: &Layout, index: [isize; N]) -> usize {
    let steps = index.iter().zip(layout.axes()).map(|(&i, axis)| i * axis.stride);
    layout.start().wrapping_add_signed(steps.sum())
}

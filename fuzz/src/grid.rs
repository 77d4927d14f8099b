//! `Grid`: a list of elements with a shape, and view operations that move the elements.

use belvedere_layout::{Index, Layout, MAX_RANK, Slice};

/// The offset of each element in logical order; `None` is padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub shape: Vec<usize>,
    pub items: Vec<Option<usize>>,
}

impl Grid {
    /// Returns the shape and the offsets of a layout.
    pub fn from_layout(layout: &Layout) -> Grid {
        Grid { shape: layout.shape().to_vec(), items: layout.offsets().map(Some).collect() }
    }

    /// Replaces axis `k` by the given positions along it. Together with permutations and reshapes,
    /// this operation expresses all view operations.
    pub fn select_positions(&self, k: usize, positions: &[Option<usize>]) -> Grid {
        let len = self.shape[k];
        let inner: usize = self.shape[k + 1..].iter().product();
        let outer: usize = self.shape[..k].iter().product();
        let mut items = Vec::with_capacity(outer * positions.len() * inner);
        for block in 0..outer {
            for position in positions {
                match position {
                    Some(position) => {
                        let from = (block * len + position) * inner;
                        items.extend_from_slice(&self.items[from..from + inner]);
                    }
                    None => items.resize(items.len() + inner, None),
                }
            }
        }
        let mut shape = self.shape.clone();
        shape[k] = positions.len();
        Grid { shape, items }
    }

    /// Axis `k` of the result is axis `order[k]` of `self`.
    pub fn permute(&self, order: &[usize]) -> Grid {
        let shape: Vec<usize> = order.iter().map(|&k| self.shape[k]).collect();
        let inside = |k: usize| self.shape[k + 1..].iter().product::<usize>();
        let weights: Vec<usize> = order.iter().map(|&k| inside(k)).collect();
        let item = |mut flat: usize| {
            let mut from = 0;
            for (len, weight) in shape.iter().zip(&weights).rev() {
                from += flat % len * weight;
                flat /= len;
            }
            self.items[from]
        };
        let items = (0..self.items.len()).map(item).collect();
        Grid { shape, items }
    }

    /// Returns the same items in another shape.
    pub fn reshape(&self, shape: &[usize]) -> Grid {
        Grid { shape: shape.to_vec(), items: self.items.clone() }
    }

    /// Inserts an axis of length 1 before axis `k`.
    pub fn insert(mut self, k: usize) -> Grid {
        self.shape.insert(k, 1);
        self
    }

    /// Removes axis `k`, which has length 1.
    pub fn remove(mut self, k: usize) -> Grid {
        self.shape.remove(k);
        self
    }

    /// Evaluates an index expression as Python does; `None` where that is an error.
    pub fn slice(&self, index: &[Index]) -> Option<Grid> {
        let count = |kind: Index| index.iter().filter(|it| **it == kind).count();
        let n_taken = index.len() - count(Index::NewAxis) - count(Index::Ellipsis);
        let n_whole = self.shape.len().checked_sub(n_taken)?;
        if count(Index::Ellipsis) > 1 {
            return None;
        }
        let mut grid = self.clone();
        let mut k = 0;
        for &entry in index {
            match entry {
                Index::At(at) => {
                    let position = python_position(at, grid.shape[k])?;
                    grid = grid.select_positions(k, &[Some(position)]).remove(k);
                }
                Index::Slice(slice) => {
                    grid = grid.select_positions(k, &python_positions(slice, grid.shape[k])?);
                    k += 1;
                }
                Index::NewAxis => {
                    grid = grid.insert(k);
                    k += 1;
                }
                Index::Ellipsis => k += n_whole,
            }
        }
        (grid.shape.len() <= MAX_RANK).then_some(grid)
    }

    /// Returns the strided layout that visits these items in this shape, if one exists. It is unique: its start
    /// is the first item, and each stride is the distance to the item one step along the axis.
    pub fn as_layout(&self) -> Option<Layout> {
        if self.items.is_empty() {
            return Layout::row_major(&self.shape).ok();
        }
        let offsets = self.items.iter().copied().collect::<Option<Vec<usize>>>()?;
        let stride = |k: usize| {
            let step: usize = self.shape[k + 1..].iter().product();
            if self.shape[k] == 1 { 0 } else { offsets[step] as isize - offsets[0] as isize }
        };
        let strides: Vec<isize> = (0..self.shape.len()).map(stride).collect();
        let layout = Layout::from_strides(offsets[0], &self.shape, &strides).ok()?;
        layout.offsets().eq(offsets).then_some(layout)
    }
}

/// The position that Python's `x[at]` reads; `None` where that is an error.
pub fn python_position(at: isize, len: usize) -> Option<usize> {
    let (at, len) = (at as i128, len as i128);
    let position = if at < 0 { at + len } else { at };
    (0..len).contains(&position).then_some(position as usize)
}

/// The positions that Python's `x[start:stop:step]` reads; `None` for a step of 0.
pub fn python_positions(slice: Slice, len: usize) -> Option<Vec<Option<usize>>> {
    let (start, stop, step) = python_indices(slice, len)?;
    let mut positions = Vec::new();
    let mut i = start;
    while if step > 0 { i < stop } else { i > stop } {
        positions.push(Some(i as usize));
        i += step;
    }
    Some(positions)
}

/// Python's `slice(start, stop, step).indices(len)`, after CPython's `PySlice_GetLongIndices`.
pub fn python_indices(slice: Slice, len: usize) -> Option<(i128, i128, i128)> {
    let (step, len) = (slice.step as i128, len as i128);
    if step == 0 {
        return None;
    }
    let (lower, upper) = if step < 0 { (-1, len - 1) } else { (0, len) };
    let clamped = |position: isize| {
        let position = position as i128;
        if position < 0 { (position + len).max(lower) } else { position.min(upper) }
    };
    let (first, last) = if step < 0 { (upper, lower) } else { (lower, upper) };
    Some((slice.start.map_or(first, clamped), slice.stop.map_or(last, clamped), step))
}

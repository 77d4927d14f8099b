//! Traces an element of a chain back through its operations: a reference for chains too large to list.

use belvedere_layout::{Index, Layout};

use crate::grid::python_indices;
use crate::moves::{Move, from_front};

/// A layout and the operations applied to it, each with the shape before it.
pub struct Trace {
    layout: Layout,
    moves: Vec<(Move, Vec<usize>)>,
}

impl Trace {
    /// Returns a trace without operations.
    pub fn new(layout: Layout) -> Trace {
        Trace { layout, moves: Vec::new() }
    }

    /// Appends an operation that was applied to the shape `before`.
    pub fn push(&mut self, next: Move, before: &[usize]) {
        self.moves.push((next, before.to_vec()));
    }

    /// Returns the offset of the element at an index after all operations; `None` is padding.
    pub fn offset(&self, index: &[usize]) -> Option<usize> {
        let mut index = index.to_vec();
        for (done, before) in self.moves.iter().rev() {
            index = done.source(before, &index)?;
        }
        Some(self.layout.offset(&index).expect("operations map to elements that exist"))
    }
}

impl Move {
    /// Returns the index, in the shape `before` this operation, of the element at `index` after it.
    fn source(&self, before: &[usize], index: &[usize]) -> Option<Vec<usize>> {
        let rank = before.len();
        let mut source = index.to_vec();
        match self {
            Move::Permute(order) => {
                order.iter().zip(index).for_each(|(&k, &i)| source[from_front(k, rank)] = i);
            }
            Move::Flip(axes) => {
                let axes = axes.iter().map(|&axis| from_front(axis, rank));
                axes.for_each(|k| source[k] = before[k] - 1 - index[k]);
            }
            Move::Slice(entries) => source = unsliced(entries, before, index),
            Move::Shrink(ranges) => {
                source.iter_mut().zip(ranges).for_each(|(i, range)| *i += range.start);
            }
            Move::Transpose(a, b) => source.swap(from_front(*a, rank), from_front(*b, rank)),
            Move::Narrow(axis, start, _) => source[from_front(*axis, rank)] += start,
            Move::Select(axis, at) => {
                let k = from_front(*axis, rank);
                source.insert(k, from_front(*at, before[k]));
            }
            Move::Squeeze(axes) => {
                axes.iter().for_each(|&axis| source.insert(from_front(axis, rank), 0));
            }
            Move::Reshape(shape) => source = unravel(before, ravel(shape, index)),
            Move::Unsqueeze(axis) => drop(source.remove(from_front(*axis, rank + 1))),
            Move::BroadcastTo(shape) => {
                source.drain(..shape.len() - rank);
                source
                    .iter_mut()
                    .zip(before)
                    .for_each(|(i, &len)| *i = if len == 1 { 0 } else { *i });
            }
            Move::Pad(padding) => {
                for ((i, (front, _)), len) in source.iter_mut().zip(padding).zip(before) {
                    *i = i.checked_sub(*front).filter(|i| i < len)?;
                }
            }
            Move::Repeat(axis, n) => source[from_front(*axis, rank)] /= n,
            Move::Tile(times) => {
                source.drain(..times.len().saturating_sub(rank));
                source.iter_mut().zip(before).for_each(|(i, &len)| *i %= len);
            }
        }
        Some(source)
    }
}

/// Returns the index, in the shape `before` an index expression, of the element at `index` after it.
fn unsliced(entries: &[Index], before: &[usize], index: &[usize]) -> Vec<usize> {
    let n_taken = entries.iter().filter(|it| matches!(it, Index::At(_) | Index::Slice(_))).count();
    let mut source = Vec::new();
    let mut index = index.iter().copied();
    for &entry in entries {
        match entry {
            Index::At(at) if at < 0 => source.push((at + before[source.len()] as isize) as usize),
            Index::At(at) => source.push(at as usize),
            Index::Slice(slice) => {
                let (start, _, step) = python_indices(slice, before[source.len()]).expect("a step");
                let i = index.next().expect("an index for each axis");
                source.push((start + i as i128 * step) as usize);
            }
            Index::NewAxis => drop(index.next()),
            Index::Ellipsis => source.extend(index.by_ref().take(before.len() - n_taken)),
        }
    }
    source.extend(index);
    source
}

/// Returns the position of an index in row-major order.
fn ravel(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |flat, (len, i)| flat * len + i)
}

/// Returns the index of the `flat`-th element in row-major order.
pub fn unravel(shape: &[usize], mut flat: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, len) in index.iter_mut().zip(shape).rev() {
        (*i, flat) = (flat % len, flat / len);
    }
    index
}

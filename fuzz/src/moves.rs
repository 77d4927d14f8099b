//! The view operations of a chain, applied to chains and to grids.

use std::iter::repeat_n;
use std::ops::Range;

use arbitrary::{Result, Unstructured};
use belvedere_layout::{Chain, Index, LayoutError};

use crate::grid::Grid;
use crate::{any, wild};

/// A view operation with its arguments.
#[derive(Clone, Debug)]
pub enum Move {
    Permute(Vec<isize>),
    Flip(Vec<isize>),
    Slice(Vec<Index>),
    Shrink(Vec<Range<usize>>),
    Reshape(Vec<usize>),
    Unsqueeze(isize),
    Squeeze(Vec<isize>),
    Transpose(isize, isize),
    Narrow(isize, usize, usize),
    Select(isize, isize),
    BroadcastTo(Vec<usize>),
    Pad(Vec<(usize, usize)>),
    Repeat(isize, usize),
    Tile(Vec<usize>),
}

/// Above these numbers of elements and axes, no operation is drawn that adds any.
const MAX_ELEMENTS: usize = 16;
const MAX_AXES: usize = 5;

impl Move {
    /// Draws an operation that is valid for a shape.
    pub fn any(u: &mut Unstructured, shape: &[usize]) -> Result<Move> {
        let rank = shape.len();
        let n: usize = shape.iter().product();
        let is_large = n > MAX_ELEMENTS || rank > MAX_AXES;
        Ok(match u.int_in_range(0..=if is_large { 5u8 } else { 13 })? {
            0..=3 => Move::without_new_elements(u, shape)?,
            4 => Move::Slice(any::index(u, rank)?),
            5..=6 => Move::Reshape(any::shape(u, n)?),
            7 if rank > 0 => Move::Repeat(from_either_end(u, rank)?, repetitions(u)?),
            8 => Move::BroadcastTo(broadcast_shape(u, shape)?),
            9..=10 => Move::Pad(shape.iter().map(|_| padding(u)).collect::<Result<_>>()?),
            11 => Move::Tile(wild::list(u, rank + 1, repetitions)?),
            _ => Move::Unsqueeze(from_either_end(u, rank + 1)?),
        })
    }

    /// Draws an operation for a shape that may be huge; it may be invalid.
    pub fn large(u: &mut Unstructured, shape: &[usize]) -> Result<Move> {
        let rank = shape.len();
        let n: usize = shape.iter().product();
        Ok(match u.int_in_range(0..=9u8)? {
            0..=2 => Move::without_new_elements(u, shape)?,
            3 => Move::Slice(any::index(u, rank)?),
            4 if rank > 0 => Move::Repeat(from_either_end(u, rank)?, repetitions(u)?),
            5 => Move::Pad(shape.iter().map(|&len| wide_padding(u, len)).collect::<Result<_>>()?),
            6 => Move::Tile(wild::list(u, rank, repetitions)?),
            7 => Move::BroadcastTo(broadcast_shape(u, shape)?),
            _ => Move::Reshape(wild::shape(u, n)?),
        })
    }

    /// Draws an operation that selects or permutes elements, and never adds any.
    fn without_new_elements(u: &mut Unstructured, shape: &[usize]) -> Result<Move> {
        let rank = shape.len();
        let units = (0..rank).filter(|&k| shape[k] == 1).map(|k| k as isize);
        let k = any::index_below(u, rank)?;
        Ok(match u.int_in_range(0..=7u8)? {
            0 => Move::Squeeze(units.skip(u.int_in_range(0..=1)?).collect()),
            1 if rank > 0 => Move::Transpose(from_either_end(u, rank)?, from_either_end(u, rank)?),
            2 if rank > 0 => {
                let Range { start, end } = range(u, shape[k])?;
                Move::Narrow(k as isize, start, end - start)
            }
            3 if rank > 0 && shape[k] > 0 => {
                Move::Select(k as isize, from_either_end(u, shape[k])?)
            }
            4 if rank > 0 => Move::Flip(axes_to_flip(u, rank)?),
            5 => Move::Shrink(shape.iter().map(|&len| range(u, len)).collect::<Result<_>>()?),
            _ => Move::Permute(any::permutation(u, rank)?.iter().map(|&k| k as isize).collect()),
        })
    }

    /// Applies the operation to a chain.
    pub fn on_chain(&self, chain: &Chain) -> std::result::Result<Chain, LayoutError> {
        match self {
            Move::Permute(order) => chain.permute(order),
            Move::Flip(axes) => chain.flip(axes),
            Move::Slice(index) => chain.slice(index),
            Move::Shrink(ranges) => chain.shrink(ranges),
            Move::Reshape(shape) => chain.reshape(shape),
            Move::Unsqueeze(axis) => chain.unsqueeze(*axis),
            Move::Squeeze(axes) => chain.squeeze(axes),
            Move::Transpose(a, b) => chain.transpose(*a, *b),
            Move::Narrow(axis, start, count) => chain.narrow(*axis, *start, *count),
            Move::Select(axis, at) => chain.select(*axis, *at),
            Move::BroadcastTo(shape) => chain.broadcast_to(shape),
            Move::Pad(padding) => chain.pad(padding),
            Move::Repeat(axis, n) => chain.repeat(*axis, *n),
            Move::Tile(times) => chain.tile(times),
        }
    }

    /// Applies the operation to a list of elements; `None` where it is an error.
    pub fn on_grid(&self, grid: &Grid) -> Option<Grid> {
        let rank = grid.shape.len();
        let whole = |len: usize| (0..len).map(Some).collect::<Vec<_>>();
        Some(match self {
            Move::Permute(order) => {
                grid.permute(&order.iter().map(|&k| from_front(k, rank)).collect::<Vec<_>>())
            }
            Move::Transpose(a, b) => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.swap(from_front(*a, rank), from_front(*b, rank));
                grid.permute(&order)
            }
            Move::Flip(axes) => axes.iter().fold(grid.clone(), |grid, &axis| {
                let k = from_front(axis, rank);
                grid.select_positions(k, &(0..grid.shape[k]).rev().map(Some).collect::<Vec<_>>())
            }),
            Move::Slice(index) => grid.slice(index)?,
            Move::Shrink(ranges) => {
                each_axis(grid, ranges, |range, _| range.clone().map(Some).collect())
            }
            Move::Narrow(axis, start, count) => {
                let positions = (*start..start + count).map(Some);
                grid.select_positions(from_front(*axis, rank), &positions.collect::<Vec<_>>())
            }
            Move::Select(axis, at) => {
                let k = from_front(*axis, rank);
                grid.select_positions(k, &[Some(from_front(*at, grid.shape[k]))]).remove(k)
            }
            Move::Reshape(shape) => grid.reshape(shape),
            Move::Unsqueeze(axis) => grid.clone().insert(from_front(*axis, rank + 1)),
            Move::Squeeze(axes) => axes
                .iter()
                .rev()
                .fold(grid.clone(), |grid, &axis| grid.remove(from_front(axis, rank))),
            Move::BroadcastTo(shape) => {
                let grid = with_rank(grid, shape.len());
                let stretch =
                    |&n: &usize, len| if len == 1 { vec![Some(0); n] } else { whole(len) };
                each_axis(&grid, shape, stretch)
            }
            Move::Pad(padding) => each_axis(grid, padding, |&(before, after), len| {
                [vec![None; before], whole(len), vec![None; after]].concat()
            }),
            Move::Repeat(axis, n) => {
                let k = from_front(*axis, rank);
                let positions = (0..grid.shape[k]).flat_map(|i| repeat_n(Some(i), *n));
                grid.select_positions(k, &positions.collect::<Vec<_>>())
            }
            Move::Tile(times) => {
                let grid = with_rank(grid, times.len());
                let ones = repeat_n(1, grid.shape.len() - times.len());
                let times: Vec<usize> = ones.chain(times.iter().copied()).collect();
                each_axis(&grid, &times, |&n, len| whole(len).repeat(n))
            }
        })
    }
}

/// Resolves an axis or a position, which may count from the end, to one below `n`.
pub(crate) fn from_front(at: isize, n: usize) -> usize {
    at.rem_euclid(n as isize) as usize
}

/// Replaces every axis by the positions that its argument selects.
fn each_axis<T>(
    grid: &Grid,
    arguments: &[T],
    positions: impl Fn(&T, usize) -> Vec<Option<usize>>,
) -> Grid {
    let numbered = arguments.iter().enumerate();
    numbered
        .fold(grid.clone(), |grid, (k, it)| grid.select_positions(k, &positions(it, grid.shape[k])))
}

/// Returns the grid with leading axes of length 1 added up to `rank`.
fn with_rank(grid: &Grid, rank: usize) -> Grid {
    (grid.shape.len()..rank).fold(grid.clone(), |grid, _| grid.insert(0))
}

fn from_either_end(u: &mut Unstructured, rank: usize) -> Result<isize> {
    u.int_in_range(-(rank as isize)..=rank as isize - 1)
}

fn range(u: &mut Unstructured, len: usize) -> Result<Range<usize>> {
    let start = if u.ratio(2, 3)? { 0 } else { u.int_in_range(0..=len)? };
    let end = if u.ratio(2, 3)? { len } else { u.int_in_range(start..=len)? };
    Ok(start..end)
}

fn axes_to_flip(u: &mut Unstructured, rank: usize) -> Result<Vec<isize>> {
    let n = u.int_in_range(1..=rank)?;
    Ok(any::permutation(u, rank)?.iter().take(n).map(|&k| k as isize).collect())
}

fn repetitions(u: &mut Unstructured) -> Result<usize> {
    Ok(*u.choose(&[1, 2, 3, 1, 2, 1, 1, 0])?)
}

fn padding(u: &mut Unstructured) -> Result<(usize, usize)> {
    let mut side = || Ok(*u.choose(&[0, 1, 0, 2, 0, 0, 3, 0])?);
    Ok((side()?, side()?))
}

/// Draws padding about as long as the axis, or of any length.
fn wide_padding(u: &mut Unstructured, len: usize) -> Result<(usize, usize)> {
    let mut side = || match u.int_in_range(0..=7u8)? {
        0 => wild::len(u),
        1 => Ok(len),
        2 => Ok(len / 2),
        3..=4 => u.int_in_range(0..=9),
        _ => Ok(0),
    };
    Ok((side()?, side()?))
}

/// Draws a shape that `shape` can be broadcast to.
fn broadcast_shape(u: &mut Unstructured, shape: &[usize]) -> Result<Vec<usize>> {
    let n_new = u.int_in_range(0..=1)?;
    let units = repeat_n(1, n_new).chain(shape.iter().copied());
    units.map(|len| if len == 1 { repetitions(u) } else { Ok(len) }).collect()
}

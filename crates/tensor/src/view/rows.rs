//! The memory of an operation on a few rows, each of which is a line.
//!
//! A row added to a small matrix, or a part of one to another: what has two axes at most is no line as a whole,
//! but each of its rows is, and while there are few of them, going from row to row costs less than a plan.

use super::Written;
use super::line::{Along, Line, LineMut, Track, storages};
use crate::borrow::{Claims, try_claim_reads};
use crate::plan::GRAIN;
use crate::{Axis, DType, Error, Layout, Storage, Tensor};

/// The most rows for which no plan is made: it would take as long as some thirty calls of a body.
const MOST_ROWS: usize = 32;

/// The inputs of an operation on rows, borrowed.
pub(crate) struct Rows<'a, const M: usize> {
    /// How many rows there are, and elements in each.
    lens: [usize; 2],
    rank: usize,
    /// The first rows. With those that follow they lead to elements that are borrowed through `_claims`, or
    /// by whoever made the views and cells.
    tracks: [Track; M],
    /// How many bytes on the next row is.
    between: [isize; M],
    _claims: Claims<'a, M>,
}

impl<'a, const M: usize> Rows<'a, M> {
    /// Borrows inputs for an operation on rows. None if this is no work for one.
    pub(crate) fn of(inputs: &[Along<'a>; M]) -> Option<Rows<'a, M>> {
        let (mut lens, mut rank) = ([1, 1], 0);
        for input in inputs {
            let axes = axes_of(input)?;
            rank = rank.max(input.layout().map_or(0, Layout::rank));
            for (len, axis) in lens.iter_mut().zip(axes) {
                match *len {
                    1 => *len = axis.len,
                    before if axis.len != 1 && axis.len != before => return None,
                    _ => {}
                }
            }
        }
        let is_small =
            lens[1].checked_mul(lens[0]).is_some_and(|len| (1..2 * GRAIN).contains(&len));
        if !is_small || lens[0] > MOST_ROWS {
            return None;
        }
        let mut tracks = [Track::NOWHERE; M];
        let mut between = [0; M];
        for (n, input) in inputs.iter().enumerate() {
            let [row, col] = axes_of(input)?;
            tracks[n] = input.track_by(col.stride, lens[1])?;
            between[n] = row.stride * tracks[n].dtype.size() as isize;
        }
        let _claims = try_claim_reads(storages(inputs))?;
        Some(Rows { lens, rank, tracks, between, _claims })
    }

    /// Makes a tensor: for each row a kernel reads the inputs and writes every element of the result.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn make(
        &self,
        dtype: DType,
        kernel: impl for<'x> Fn(LineMut<'x>, [Line<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        let [rows, len] = self.lens;
        let layout = Layout::row_major(&self.lens[2 - self.rank..])?;
        let step = dtype.size() as isize;
        // SAFETY: it becomes part of a tensor only in exchange for a `Written` of each row.
        let storage = unsafe { Storage::uninit(rows * len * dtype.size()) }?;
        let whole = Track { ptr: storage.ptr().as_ptr(), step, len, dtype };
        for r in 0..rows as isize {
            // SAFETY: the storage is new, so nobody else has it, and has room for so many rows, one
            // behind the other.
            let out = unsafe { LineMut::on(whole.moved(r * len as isize * step)) };
            // SAFETY: rows of inputs that are borrowed for reading and initialised, none of which is in a
            // new storage.
            let lines = std::array::from_fn(|n| unsafe {
                Line::on(self.tracks[n].moved(r * self.between[n]))
            });
            // The lifetime is this turn's own, so what comes back is about `out`: the row is written.
            let Written(_) = kernel(out, lines);
        }
        Ok(Tensor::on_new(storage, layout, dtype))
    }
}

/// Rows and columns, of length 1 and without a stride where there are none. None if there are more axes,
/// or the rows are closer together than the columns: then the result should lie like that, too.
fn axes_of(input: &Along<'_>) -> Option<[Axis; 2]> {
    const ONE: Axis = Axis::new(1, 0);
    match input.layout().map_or(&[][..], Layout::axes) {
        [] => Some([ONE, ONE]),
        [col] => Some([ONE, *col]),
        [row, col] => {
            let (x, y) = (row.stride.unsigned_abs(), col.stride.unsigned_abs());
            let is_turned = row.len > 1 && col.len > 1 && x != 0 && x < y;
            (!is_turned).then_some([*row, *col])
        }
        _ => None,
    }
}

//! The sum of elements, with several accumulators.

use super::{Elements, Strided};
use std::ops::Add;

/// The number of accumulators: additions to different ones overlap, and are vectorised.
const N_TOTALS: usize = 16;

impl<T: Copy> Elements<T> {
    /// Returns the sum of the elements, added in the order of memory.
    ///
    /// Contiguous elements are added to 16 totals in turns. For floats this is several times as fast as `iter().sum()`,
    /// which has to add one after another, and the rounding errors are smaller.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// let rows: Vec<f64> = x.read::<f64>()?.rows().map(|row| row.sum()).collect();
    /// assert_eq!(rows, [3.0, 7.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn sum(&self) -> T
    where
        T: Default + Add<Output = T>,
    {
        if let Some(slice) = self.as_slice() {
            return sum_slice(slice);
        }
        if self.rank() == 1 {
            return self.iter().fold(T::default(), T::add);
        }
        // The order of the axes has no effect on a sum: the outermost gets the longest stride.
        let mut order: Vec<isize> = (0..self.rank() as isize).collect();
        order.sort_by_key(|&k| {
            std::cmp::Reverse(self.layout().axes()[k as usize].stride.unsigned_abs())
        });
        let sorted = self.permute_dims(&order).expect("a permutation of the axes");
        sorted.runs().fold(T::default(), |total, run| match run.as_slice() {
            Some(slice) => total + sum_slice(slice),
            // A total of its own for each run, so that runs overlap.
            None => total + run.fold(T::default(), T::add),
        })
    }
}

/// Returns the sum of a slice, with several accumulators.
#[inline]
pub(super) fn sum_slice<T: Copy + Default + Add<Output = T>>(slice: &[T]) -> T {
    let (blocks, rest) = slice.as_chunks::<N_TOTALS>();
    let mut totals = [T::default(); N_TOTALS];
    for block in blocks {
        for k in 0..N_TOTALS {
            totals[k] = totals[k] + block[k];
        }
    }
    let total = rest.iter().fold(T::default(), |total, &value| total + value);
    totals.into_iter().fold(total, T::add)
}

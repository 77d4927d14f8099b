//! Walking a tensor along its first axis.

use super::Tensor;
use crate::Error;

impl Tensor {
    /// The parts at each position of the first axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// for (i, row) in tensor![[0, 1], [10, 11]].rows()?.enumerate() {
    ///     assert_eq!(row.to_vec::<i32>()?, [10 * i as i32, 10 * i as i32 + 1]);
    /// }
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no axes.
    ///
    /// # Memory
    /// Never copies.
    pub fn rows(&self) -> Result<impl ExactSizeIterator<Item = Tensor>, Error> {
        self.layout.resolve_axis(0)?;
        let n = self.layout.axes()[0].len;
        Ok((0..n).map(|i| {
            let part = self.layout.select(0, i as isize).expect("positions of the first axis");
            self.with_layout(part)
        }))
    }
}

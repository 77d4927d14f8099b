//! The range of offsets that a layout reaches, and bounds checks against a memory.

use crate::{Layout, LayoutError};
use core::ops::Range;

impl Layout {
    /// Returns the smallest range that contains every offset, or `0..0` if there are no elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let flipped = Layout::from_strides(9, &[4], &[-2])?;
    /// assert_eq!(flipped.span(), 3..10);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn span(&self) -> Range<usize> {
        if self.is_empty() {
            return 0..0;
        }
        let (mut lowest, mut highest) = (self.start() as isize, self.start() as isize);
        for axis in self.axes() {
            let reach = axis.reach();
            lowest += reach.min(0);
            highest += reach.max(0);
        }
        // The highest offset may be `isize::MAX`: add 1 in `usize`.
        lowest as usize..highest as usize + 1
    }

    /// Returns whether every offset is within a memory of `memory` elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let windows = Layout::row_major(&[6])?.windows(0, 3, 1)?;
    /// assert!(windows.fits(6) && !windows.fits(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    // Always inlined: called for every new view, whose fields are still in registers at that point. A
    // call would spill them.
    #[inline(always)]
    pub fn fits(&self, memory: usize) -> bool {
        let start = (false, self.start() as isize);
        let (is_empty, last) = self.inline_axes().fold(start, |(is_empty, last), axis| {
            (is_empty | (axis.len == 0), last + axis.reach().max(0))
        });
        is_empty || (last as usize) < memory
    }

    /// Returns an error if the layout reaches outside of a memory of `memory` elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let error = Layout::row_major(&[6])?.check_fits(5).unwrap_err();
    /// assert_eq!(error.to_string(), "the layout reaches offsets 0..6, but the memory holds 5 elements");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an offset is greater than or equal to `memory`.
    #[inline]
    pub fn check_fits(&self, memory: usize) -> Result<(), LayoutError> {
        if self.fits(memory) {
            return Ok(());
        }
        let Range { start: from, end: to } = self.span();
        Err(LayoutError::OutsideMemory { from, to, memory })
    }
}

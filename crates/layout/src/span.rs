//! Which part of memory a layout reaches.

use crate::{Layout, LayoutError};
use core::ops::Range;

impl Layout {
    /// The smallest range that holds every offset; `0..0` when there are no elements.
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
        // The highest offset may be `isize::MAX`: count up in `usize`.
        lowest as usize..highest as usize + 1
    }

    /// Whether every offset lies in a memory of `memory` elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let windows = Layout::row_major(&[6])?.windows(0, 3, 1)?;
    /// assert!(windows.fits(6) && !windows.fits(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    // Always: asked of every view before it is put where it belongs, until when it is in no memory.
    #[inline(always)]
    pub fn fits(&self, memory: usize) -> bool {
        let start = (false, self.start() as isize);
        let (is_empty, last) = self.inline_axes().fold(start, |(is_empty, last), axis| {
            (is_empty | (axis.len == 0), last + axis.reach().max(0))
        });
        is_empty || (last as usize) < memory
    }

    /// Refuses a layout that reaches outside of a memory of `memory` elements.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let error = Layout::row_major(&[6])?.check_fits(5).unwrap_err();
    /// assert_eq!(error.to_string(), "the layout reaches offsets 0..6, but the memory holds 5 elements");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an offset is `memory` or more.
    #[inline]
    pub fn check_fits(&self, memory: usize) -> Result<(), LayoutError> {
        if self.fits(memory) {
            return Ok(());
        }
        let Range { start: from, end: to } = self.span();
        Err(LayoutError::OutsideMemory { from, to, memory })
    }
}

//! How a kernel reads or writes an operand in the two innermost loops.

/// Rows of fewer elements are worked on several at a time, as one block.
const SHORT_ROW_ELEMENTS: usize = 64;

/// How a kernel accesses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Rows are contiguous, and are accessed in place.
    Contiguous,
    /// Each row is one element, broadcast along the row.
    Broadcast,
    /// Tiles go through a buffer in the first-level cache, and through a cast if the type is another.
    Packed,
}

impl Access {
    /// Returns the access to an operand of the type that the kernel computes in, from its steps along the
    /// rows and along the columns, in elements, and the numbers of both.
    pub(crate) fn from_steps([rows, cols]: [isize; 2], counts: [usize; 2]) -> Access {
        let [_, len] = counts;
        // Several short rows are one block only if they follow one another, or are one element.
        let is_short = Access::has_short_rows(counts);
        let rows_follow = !is_short || rows == len as isize;
        let rows_repeat = !is_short || rows == 0;
        match cols {
            _ if (cols == 1 || len == 1) && rows_follow => Access::Contiguous,
            0 if rows_repeat => Access::Broadcast,
            _ => Access::Packed,
        }
    }

    /// Whether rows are so short that several of them are worked on as one block.
    pub(crate) fn has_short_rows([rows, cols]: [usize; 2]) -> bool {
        cols < SHORT_ROW_ELEMENTS && rows > 1
    }
}

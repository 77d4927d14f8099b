//! How a kernel reads or writes an operand in the two innermost loops.

/// Rows with fewer elements than this are processed several at a time, as one block.
const SHORT_ROW_ELEMENTS: usize = 64;

/// How a kernel accesses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Rows are contiguous, and are accessed in place.
    Contiguous,
    /// Each row is one element, broadcast along the row.
    Broadcast,
    /// Tiles are copied through a buffer in the first-level cache, and cast if the kernel computes in another
    /// dtype.
    Packed,
}

impl Access {
    /// Returns the access to an operand that is not cast. `steps` are the strides from row to row and from
    /// column to column, in elements, and `counts` the numbers of rows and columns.
    pub(crate) fn from_steps(steps: [isize; 2], counts: [usize; 2]) -> Access {
        let ([rows, cols], [_, len]) = (steps, counts);
        // Several short rows are one block only if they are contiguous in memory, or all of them are the
        // same element.
        let is_short = Access::has_short_rows(counts);
        let rows_are_contiguous = !is_short || rows == len as isize;
        let rows_are_broadcast = !is_short || rows == 0;
        match cols {
            _ if (cols == 1 || len == 1) && rows_are_contiguous => Access::Contiguous,
            0 if rows_are_broadcast => Access::Broadcast,
            _ => Access::Packed,
        }
    }

    /// Whether rows are so short that several of them are processed as one block.
    pub(crate) fn has_short_rows([rows, cols]: [usize; 2]) -> bool {
        cols < SHORT_ROW_ELEMENTS && rows > 1
    }
}

//! How a kernel gets at an operand in the two innermost loops.

/// Rows of fewer elements are worked on several at a time, as one block.
const SHORT: usize = 64;

/// How a kernel gets at an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Rows are blocks in memory, and are read where they lie.
    Direct,
    /// Each row is one element that stands for all.
    Still,
    /// Tiles go through a buffer in the first-level cache, and through a conversion if the type is
    /// another.
    Packed,
}

impl Way {
    /// The way of an operand of the type that the kernel works in, by its steps along the rows and
    /// along the columns, in elements, and the numbers of both.
    pub(crate) fn by_steps([rows, cols]: [isize; 2], counts: [usize; 2]) -> Way {
        let [_, len] = counts;
        let is_short = Way::is_short(counts);
        let rows_follow = !is_short || rows == len as isize;
        let rows_stand = !is_short || rows == 0;
        match cols {
            _ if (cols == 1 || len == 1) && rows_follow => Way::Direct,
            0 if rows_stand => Way::Still,
            _ => Way::Packed,
        }
    }

    /// Whether rows are so short that several of them are worked on as one block.
    pub(crate) fn is_short([rows, cols]: [usize; 2]) -> bool {
        cols < SHORT && rows > 1
    }
}

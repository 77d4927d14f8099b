//! Strided rows: every second, third or fourth element, or all elements in reverse.
//!
//! A loop with a run-time stride moves one element at a time, whatever it is compiled for. With a constant
//! stride the compiler loads whole vectors and shuffles them, which is two to ten times as fast in the
//! cache. It must not read more than the loop would, so the last elements go one by one: after the last
//! element of a row there may be no memory.

use super::cpu::{self, BlockLoop, compiled};
use crate::dtype::MulAdd;
use std::marker::PhantomData;

/// Copies `len` elements at a constant stride to contiguous ones: `(out, source, len)`.
pub(super) type RowCopy<E> = unsafe fn((*mut E, *const E, usize));

/// Rows of fewer elements are not worth the call.
const MIN_ROW_ELEMENTS: usize = 16;

/// Returns a function that copies rows of `cols` elements which are `step` bytes apart, if there is one that
/// is faster than a loop with a run-time stride.
///
/// It may be called if all elements of a row are readable, and writable on the other side, and the two rows
/// share no byte.
#[inline]
pub(super) fn strided_row_copy<E: Copy>(step: isize, cols: usize) -> Option<RowCopy<E>> {
    // Without byte shuffles the plain loop is faster, and elements that fill a register are moved one at a
    // time in any case.
    if cols < MIN_ROW_ELEMENTS || size_of::<E>() > 8 || !cpu::has_byte_shuffles() {
        return None;
    }
    constant_stride(step)
}

/// Returns the function of [`strided_row_copy`] for rows that are long enough.
fn constant_stride<E: Copy>(step: isize) -> Option<RowCopy<E>> {
    let size = size_of::<E>() as isize;
    match step / size {
        _ if step % size != 0 => None,
        -1 => Some(compiled::<StridedRow<E, -1>>()),
        2 => Some(compiled::<StridedRow<E, 2>>()),
        3 => Some(compiled::<StridedRow<E, 3>>()),
        4 => Some(compiled::<StridedRow<E, 4>>()),
        _ => None,
    }
}

/// The copy of a row whose elements are `STEP` elements apart.
struct StridedRow<E, const STEP: isize>(PhantomData<E>);

impl<E: Copy, const STEP: isize> BlockLoop for StridedRow<E, STEP> {
    type Args<'a> = (*mut E, *const E, usize);

    /// # Safety
    /// The rows must be as `strided_row_copy` says.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((out, source, len): (*mut E, *const E, usize)) {
        for i in 0..len {
            // SAFETY: element `i` of the row is readable in the source and writable in the output.
            unsafe { out.add(i).write(source.offset(i as isize * STEP).read()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies rows of all lengths around those of vectors, from memory that ends with the last element of the row.
    fn check<E: Copy + PartialEq + std::fmt::Debug>(of: impl Fn(usize) -> E) {
        for step in [-4isize, -2, -1, 1, 2, 3, 4, 5] {
            for len in (0..150).chain([1000, 4096]) {
                let Some(row) = strided_row_copy::<E>(step * size_of::<E>() as isize, len) else {
                    continue;
                };
                let reach = (len - 1) * step.unsigned_abs() + 1;
                let source: Box<[E]> = (0..reach).map(&of).collect();
                let first = if step < 0 { reach - 1 } else { 0 };
                let mut out = vec![of(7); len + 3];
                // SAFETY: the row begins at its first element, and reaches as far as the source.
                unsafe { row((out.as_mut_ptr(), source.as_ptr().add(first), len)) };
                for (i, &found) in out.iter().enumerate() {
                    let wanted = match i < len {
                        true => of(first.wrapping_add_signed(i as isize * step)),
                        false => of(7),
                    };
                    assert_eq!(found, wanted, "step {step}, {len} elements: {i}");
                }
            }
        }
    }

    #[test]
    fn strided_rows_are_copied_and_nothing_else_is_written() {
        check(|i| i as u8);
        check(|i| i as u16);
        check(|i| i as u32);
        check(|i| i as u64);
        check(|i| [i as u32, !i as u32]);
        check(|i| [i as u64, !i as u64]);
    }

    #[test]
    fn strides_of_two_to_four_and_reversed_rows_have_a_function() {
        let has = |step: isize| strided_row_copy::<u32>(4 * step, 100).is_some();
        let can = cpu::has_byte_shuffles();
        assert_eq!([-1, 2, 3, 4].map(has), [can; 4]);
        assert_eq!([-2, 0, 1, 5].map(has), [false; 4]);
        assert!(strided_row_copy::<u32>(6, 100).is_none(), "half an element");
    }
}

//! Rows of which every second, third or fourth element is taken, or all of them backwards.
//!
//! A loop with a stride moves one element at a time, whatever it is compiled for. With a stride that the
//! compiler knows it loads whole vectors and picks what is asked for, which is two to ten times as fast
//! in the cache. It must not read what the loop would not, so the last elements go one by one: after
//! the last element of a row there may be no memory.

use super::cpu::{self, BlockLoop, Level, compiled};
use crate::dtype::MulAdd;
use std::marker::PhantomData;

/// Copies so many elements that are a step apart to a block.
pub(super) type Row<E> = unsafe fn((*mut E, *const E, usize));

/// Rows of fewer elements are not worth the call.
const SHORT: usize = 16;

/// What copies rows of so many elements so many bytes apart, if there is something better than a loop with
/// a stride.
///
/// It may be called for rows whose elements are all readable, and writable on the other side, and which
/// share no byte.
#[inline]
pub(super) fn row_of<E: Copy>(step: isize, cols: usize) -> Option<Row<E>> {
    // Without shuffles of bytes the plain loop is the faster one, and elements that fill a register are
    // moved one at a time in any case.
    if cols < SHORT || size_of::<E>() > 8 || cpu::level() == Level::Baseline {
        return None;
    }
    stepped(step)
}

/// The same for rows that are long enough, on a processor that has the instructions.
fn stepped<E: Copy>(step: isize) -> Option<Row<E>> {
    let size = size_of::<E>() as isize;
    match step / size {
        _ if step % size != 0 => None,
        -1 => Some(compiled::<Stepped<E, -1>>()),
        2 => Some(compiled::<Stepped<E, 2>>()),
        3 => Some(compiled::<Stepped<E, 3>>()),
        4 => Some(compiled::<Stepped<E, 4>>()),
        _ => None,
    }
}

/// The copy of elements that are `STEP` apart.
struct Stepped<E, const STEP: isize>(PhantomData<E>);

impl<E: Copy, const STEP: isize> BlockLoop for Stepped<E, STEP> {
    type Args<'a> = (*mut E, *const E, usize);

    /// # Safety
    /// The rows must be as `row_of` says.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((out, source, len): (*mut E, *const E, usize)) {
        for i in 0..len {
            // SAFETY: all elements of the row are readable, and writable on the other side (`row_of`).
            unsafe { out.add(i).write(source.offset(i as isize * STEP).read()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length around those of vectors, on memory that ends with the last element of the row.
    fn check<E: Copy + PartialEq + std::fmt::Debug>(of: impl Fn(usize) -> E) {
        for step in [-4isize, -2, -1, 1, 2, 3, 4, 5] {
            for len in (0..150).chain([1000, 4096]) {
                let Some(row) = row_of::<E>(step * size_of::<E>() as isize, len) else { continue };
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
    fn rows_in_steps_are_what_a_loop_says_and_nothing_beside_them_changes() {
        check(|i| i as u8);
        check(|i| i as u16);
        check(|i| i as u32);
        check(|i| i as u64);
        check(|i| [i as u32, !i as u32]);
        check(|i| [i as u64, !i as u64]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn steps_of_two_to_four_and_backwards_have_a_way_of_their_own() {
        let has = |step: isize| row_of::<u32>(4 * step, 100).is_some();
        let can = cpu::level() != Level::Baseline;
        assert_eq!([-1, 2, 3, 4].map(has), [can; 4]);
        assert_eq!([-2, 0, 1, 5].map(has), [false; 4]);
        assert!(row_of::<u32>(6, 100).is_none(), "half an element");
    }
}

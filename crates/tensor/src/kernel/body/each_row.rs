//! [`EachRow`]: the loop over rows of a loop over contiguous blocks.

use super::BlockCall;
use crate::arrays::array_of;
use crate::dtype::MulAdd;
use crate::kernel::cpu::BlockLoop;
use std::marker::PhantomData;

/// A loop over rows around a loop over the elements of each: a call of a compiled loop for every row takes as long as 30 to 100
/// elements. (128 rows of 128 float32 products with one number each: 2.0 µs by a call for each row.)
pub(super) struct EachRow<L, const N: usize>(PhantomData<L>);

impl<L, const N: usize> BlockLoop for EachRow<L, N>
where
    L: for<'a> BlockLoop<Args<'a> = BlockCall<N>>,
{
    type Args<'a> = BlockCall<N>;

    const HAS_AVX2: bool = L::HAS_AVX2;
    const HAS_AVX512: bool = L::HAS_AVX512;

    /// # Safety
    /// That of the loop for each row.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(mut call: BlockCall<N>) {
        for _ in 0..call.n_rows {
            // SAFETY: forwarded for the row that the blocks are moved to.
            unsafe { L::run::<M>(call) };
            call.blocks = array_of(|n| call.blocks[n].wrapping_offset(call.row_steps[n]));
        }
    }
}

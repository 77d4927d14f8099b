//! Staged calls: the inputs of a block that its loop does not take as they are, in buffers.

use super::{BlockCall, Body};
use crate::DType;
use std::mem::MaybeUninit;
use std::slice;

/// The bytes of a block that are staged at a time: all operands stay in the L1 cache.
const STAGE_BYTES: usize = 4096;

/// A buffer for a staged operand. Its size is no multiple of 4 KiB: loads from one buffer would otherwise wait for
/// stores to the other (4K aliasing).
#[repr(align(64))]
#[derive(Clone, Copy)]
struct StageBuffer(MaybeUninit<[u8; STAGE_BYTES + 64]>);

/// Calls the loop of a body that takes only contiguous blocks that do not overlap: an input that is broadcast is
/// repeated in a buffer, and one that is an output is copied to a buffer, part by part. (In place, the overlap check
/// of a vectorized loop would choose its scalar version.)
///
/// Not generic over the types or the function, so that it is compiled once for each number of operands.
///
/// # Safety
/// That of [`Body::call`], with the context of the body.
#[inline(never)]
pub(super) unsafe fn call_staged<const N: usize>(body: &Body<'_, N>, call: BlockCall<N>) {
    let sizes = body.types.map(DType::size);
    let n_outputs = body.n_outputs();
    let widest = sizes.into_iter().fold(1, usize::max);
    let most = (STAGE_BYTES / widest).min(call.len);
    let mut buffers = [StageBuffer(MaybeUninit::uninit()); N];
    let is_broadcast = |n: usize| call.broadcast >> n & 1 == 1;
    for first in (0..call.len).step_by(most.max(1)) {
        let len = most.min(call.len - first);
        let mut blocks = call.blocks;
        for n in 0..N {
            let buffer = buffers[n].0.as_mut_ptr().cast::<u8>();
            // SAFETY: a block that is broadcast has an element if there is one to compute; the others have `call.len`.
            // A buffer has room for `most` elements of any operand, and is none of the blocks.
            unsafe {
                if !is_broadcast(n) {
                    blocks[n] = call.blocks[n].add(first * sizes[n]);
                    let is_taken = n < n_outputs || body.takes_in_place(n);
                    if is_taken || !call.blocks[..n_outputs].contains(&call.blocks[n]) {
                        continue;
                    }
                    let is_first_copied = n_outputs == 1
                        && call.blocks[1] == call.blocks[0]
                        && !(is_broadcast(1) || body.takes_in_place(1));
                    if n == 2 && is_first_copied && body.types[1] == body.types[2] {
                        // Both inputs are the output: one copy is enough.
                        blocks[2] = blocks[1];
                        continue;
                    }
                    buffer.copy_from_nonoverlapping(blocks[n], len * sizes[n]);
                } else if first == 0 {
                    repeat(sizes[n], buffer, blocks[n], most);
                }
            }
            blocks[n] = buffer;
        }
        // SAFETY: all blocks have `len` contiguous elements of the body's types, none of them is broadcast, and no input
        // is an output, unless the loop takes it in place.
        unsafe { (body.run)(BlockCall { blocks, len, broadcast: 0, ..call }) };
    }
}

/// Writes `count` copies of an element of `size` bytes.
///
/// # Safety
/// The element must be readable, and `to` have room for the copies, aligned to 16 bytes.
unsafe fn repeat(size: usize, to: *mut u8, element: *const u8, count: usize) {
    /// # Safety
    /// That of `repeat` for the size of `T`.
    unsafe fn repeat_as<T: Copy>(to: *mut u8, element: *const u8, count: usize) {
        // SAFETY: forwarded: same contract as this function; the element need not be aligned for `T`.
        unsafe {
            let value = element.cast::<MaybeUninit<T>>().read_unaligned();
            slice::from_raw_parts_mut(to.cast::<MaybeUninit<T>>(), count).fill(value);
        }
    }
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        match size {
            1 => repeat_as::<u8>(to, element, count),
            2 => repeat_as::<u16>(to, element, count),
            4 => repeat_as::<u32>(to, element, count),
            8 => repeat_as::<u64>(to, element, count),
            16 => repeat_as::<u128>(to, element, count),
            _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
        }
    }
}

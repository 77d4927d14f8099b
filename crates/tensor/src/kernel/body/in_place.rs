//! Blocks of which an input is in the place of the output.

use crate::Element;

/// Elements that are read at a time if an input is the output: a few vectors.
pub(super) const CHUNK_ELEMENTS: usize = 16;

/// Computes a function of each pair of elements, of which either may be in the place of the result. They are read some at a
/// time before their results are written: so the compiler need not know which.
///
/// # Safety
/// All three must have `len` elements; the inputs may share them with the output only at the same position.
#[inline(always)]
pub(super) unsafe fn each_of_chunks<A, B, O, F, const N: usize>(
    f: &F,
    out: *mut O,
    a: *const A,
    b: *const B,
    len: usize,
) where
    A: Element,
    B: Element,
    O: Element,
    F: Fn(A, B) -> O,
{
    let mut i = 0;
    // SAFETY: every position is below `len`.
    unsafe {
        while i + N <= len {
            let xs = a.add(i).cast::<[A; N]>().read();
            let ys = b.add(i).cast::<[B; N]>().read();
            let mut k = 0;
            while k < N {
                out.add(i + k).write(f(xs[k], ys[k]));
                k += 1;
            }
            i += N;
        }
        while i < len {
            out.add(i).write(f(a.add(i).read(), b.add(i).read()));
            i += 1;
        }
    }
}

//! A body along one line: what `map/` does, where one loop is all there is.

use super::body::Body;
use super::copy::{Steps, copy_tile};
use super::fold::{RUN, Run};
use super::map::Buffer;
use super::reduce::Totals;
use super::reducer::Reducer;
use crate::DType;
use crate::plan::BLOCK;
use crate::view::{Line, LineMut, Written};

/// Calls a body for every element of the inputs, and writes what it gives to the output.
///
/// All are as long and of the types of the body; if not, this panics.
#[inline]
pub(crate) fn line<'x, const M: usize, const N: usize>(
    body: &Body<'_, N>,
    out: LineMut<'x>,
    inputs: [Line<'x>; M],
) -> Written<'x> {
    const { assert!(M + 1 == N, "one input for each of the body's") };
    let (len, types) = (out.line().len(), body.types());
    let mut blocks = [out.line().ptr(); N];
    let mut still = 0;
    let mut is_packed = !is_block(out.line(), types[0], len);
    for (n, line) in inputs.iter().enumerate() {
        let n = n + 1;
        blocks[n] = line.ptr();
        if !is_block(line, types[n], len) {
            match line.step() == 0 && body.takes_broadcast() {
                true => still |= 1 << n,
                false => is_packed = true,
            }
        }
    }
    if is_packed {
        packed(
            body,
            &std::array::from_fn(|n| if n == 0 { *out.line() } else { inputs[n - 1] }),
            still,
        );
    } else {
        // SAFETY: each line is a block of `len` elements, or one element where bit `n` is set; the
        // types were compared. An input is the output or shares no element with it (`Line`).
        unsafe { body.call(blocks, len, still) };
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Copies the elements of a line to those of another; if they are not as many of one type, this panics.
#[inline]
pub(crate) fn copy_line<'x>(out: LineMut<'x>, [from]: [Line<'x>; 1]) -> Written<'x> {
    let (to, dtype, len) = (out.line(), from.dtype(), from.len());
    assert!(to.dtype() == dtype && to.len() == len, "two lines of one type");
    let size = dtype.size();
    // The same elements are there already.
    if to.ptr() != from.ptr() {
        match is_block(to, dtype, len) && is_block(&from, dtype, len) {
            // SAFETY: each is a block of so many bytes, the one writable and the other initialised, and
            // as they are not the same they share none (`Line`).
            true => unsafe { to.ptr().copy_from_nonoverlapping(from.ptr(), len * size) },
            // SAFETY: as above, with the elements of each as far apart as its steps say.
            false => unsafe {
                let (to_step, from_step) =
                    (Steps { rows: 0, cols: to.step() }, Steps { rows: 0, cols: from.step() });
                copy_tile(size, to.ptr(), to_step, from.ptr(), from_step, [1, len]);
            },
        }
    }
    // SAFETY: all elements have just been written, or were there.
    unsafe { out.written() }
}

/// Folds the elements of a block into one; positions are `stride` apart, or 0 if the fold does not ask for
/// them.
///
/// The line is a block of the reducer's type, and there is one result; if not, this panics. The bits are
/// those of [`reduce`](super::reduce::reduce), which takes up as much at a time.
pub(crate) fn fold<'x>(
    reducer: &Reducer,
    out: LineMut<'x>,
    line: Line<'x>,
    stride: isize,
) -> Written<'x> {
    let len = line.len();
    assert!(is_block(&line, reducer.input(), len), "a run");
    assert!(is_block(out.line(), reducer.output(), 1), "one result");
    let mut total = Totals::<1>::new();
    // SAFETY: there is room for a total, which is started before it is used; each part is a part of the
    // line, and the output is one element of the reducer's type.
    unsafe {
        reducer.start(total.ptr(), 1);
        for from in (0..len).step_by(RUN) {
            let at = line.ptr().add(from * reducer.input().size());
            let position = from as isize * stride;
            let run = Run { at, len: RUN.min(len - from), position, stride };
            reducer.horizontal(run, total.ptr());
        }
        reducer.finish(total.ptr(), len, out.line().ptr());
        out.written()
    }
}

/// Whether the elements of a line lie one behind the other. If it is not of the type and as long as the
/// others, this panics.
#[inline(always)]
fn is_block(line: &Line<'_>, dtype: DType, len: usize) -> bool {
    assert!(line.dtype() == dtype && line.len() == len, "a line of the body's");
    line.step() == dtype.size() as isize || len == 1
}

/// The same with lines that are not blocks: they go through a buffer, as many elements at a time as it
/// has room for.
#[inline(never)]
fn packed<const N: usize>(body: &Body<'_, N>, lines: &[Line<'_>; N], still: u32) {
    let mut buffers = [const { Buffer::new() }; N];
    let len = lines[0].len();
    for from in (0..len).step_by(BLOCK) {
        let n_elements = BLOCK.min(len - from);
        let mut blocks = [std::ptr::null_mut(); N];
        for n in (0..N).rev() {
            let (ptr, step) = (lines[n].ptr(), lines[n].step());
            let size = lines[n].dtype().size();
            let at = ptr.wrapping_offset(from as isize * step);
            let is_block = step == size as isize || still & 1 << n != 0;
            blocks[n] = if is_block { at } else { buffers[n].ptr() };
            if !is_block && n > 0 {
                let (to, from) =
                    (Steps { rows: 0, cols: size as isize }, Steps { rows: 0, cols: step });
                // SAFETY: the elements are on the line, and the buffer has room for `BLOCK` of them.
                unsafe { copy_tile(size, blocks[n], to, at, from, [1, n_elements]) };
            }
        }
        // SAFETY: as in `line`; what is not a block is one now, in a buffer of its own.
        unsafe { body.call(blocks, n_elements, still) };
        let (size, step) = (lines[0].dtype().size(), lines[0].step());
        if step != size as isize {
            let at = lines[0].ptr().wrapping_offset(from as isize * step);
            let (to, from) =
                (Steps { rows: 0, cols: step }, Steps { rows: 0, cols: size as isize });
            // SAFETY: the elements are on the line and writable, and the body has filled the buffer.
            unsafe { copy_tile(size, at, to, blocks[0], from, [1, n_elements]) };
        }
    }
}

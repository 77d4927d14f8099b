//! Kernels for small operands of rank ≤ 2, which need no plan.

use super::body::{Body, BroadcastMask};
use super::cast::cast;
use super::copy::{Steps, copy_tile};
use super::map::Buffer;
use super::reduce::RUNS_AT_ONCE;
use super::reducer::{Accumulators, Reducer, Slot};
use super::reduction::{EqualRuns, Positions, RUN_ELEMENTS};
use crate::DType;
use crate::arrays::array_of;
use crate::plan::BLOCK_ELEMENTS;
use crate::view::{SmallView, SmallViewMut, Strided2, Written};

/// Calls a body for every element of the inputs and writes the results to the output. Inputs of other dtypes than the
/// body's are cast while they are packed.
///
/// # Panics
/// If the shapes differ, or the dtype of the output is not that of the body.
#[inline]
pub(crate) fn map_small<'x, const M: usize, const N: usize>(
    body: &Body<'_, N>,
    out: SmallViewMut<'x>,
    inputs: [SmallView<'x>; M],
) -> Written<'x> {
    const { assert!(M + 1 == N, "one input for each of the body's") };
    let ([rows, cols], types) = (out.lens, body.types());
    let mut blocks = [out.ptr; N];
    let mut broadcast = 0;
    let mut is_packed = !has_contiguous_rows(&out, types[0], out.lens);
    for (n, input) in inputs.iter().enumerate() {
        let n = n + 1;
        blocks[n] = input.ptr;
        if input.dtype != types[n] {
            assert!(input.lens == out.lens, "an operand of the body's");
            is_packed = true;
        } else if !has_contiguous_rows(input, types[n], out.lens) {
            match input.strides[1] == 0 && body.takes_broadcast() {
                true => broadcast |= 1 << n,
                false => is_packed = true,
            }
        }
    }
    let operand = |n: usize| if n == 0 { &*out } else { &*inputs[n - 1] };
    if is_packed {
        map_packed(body, &array_of(|n| *operand(n)), broadcast);
    } else if rows == 1 {
        // SAFETY: each operand is `cols` contiguous elements, or one where its bit is set, of the body's dtypes:
        // others are packed. An input is the output or shares no element with it (`SmallView`).
        unsafe { body.call(blocks, cols, broadcast) };
    } else {
        let block = |n: usize| if broadcast & 1 << n != 0 { 0 } else { cols as isize };
        let is_fused = |n: usize| operand(n).strides[0] == block(n);
        let [rows, cols] = if (0..N).all(is_fused) { [1, rows * cols] } else { [rows, cols] };
        let steps: [isize; N] = array_of(|n| operand(n).steps()[0]);
        // SAFETY: as above, for each row, which the steps lead to; or for all rows, if they are one.
        unsafe { body.call_rows(blocks, [rows, cols], steps, broadcast) };
    }
    // SAFETY: every element has just been written.
    unsafe { out.written() }
}

/// Copies the elements of the input to the output.
///
/// # Panics
/// If the shapes or the dtypes differ.
#[inline]
pub(crate) fn copy_small<'x>(out: SmallViewMut<'x>, [from]: [SmallView<'x>; 1]) -> Written<'x> {
    let (dtype, lens) = (from.dtype, from.lens);
    let is_row = lens[0] == 1
        && has_contiguous_rows(&out, dtype, lens)
        && has_contiguous_rows(&from, dtype, lens);
    assert!(out.dtype == dtype && out.lens == lens, "two operands of one shape and dtype");
    // If the input is the output there is nothing to do.
    if out.ptr != from.ptr {
        let size = dtype.size();
        match is_row {
            // SAFETY: each is that many contiguous bytes, the output writable and the input
            // initialised; they are not the same, so they share no byte (`SmallView`).
            true => unsafe { out.ptr.copy_from_nonoverlapping(from.ptr, lens[1] * size) },
            // SAFETY: as above, with the elements of each where its strides lead to.
            false => unsafe {
                copy_tile(size, out.ptr, steps_of(&out), from.ptr, steps_of(&from), lens);
            },
        }
    }
    // SAFETY: every element has just been written, or is that of the input, which is initialised
    // (`SmallView`).
    unsafe { out.written() }
}

/// Casts the elements of a tile of an input to a dtype, into contiguous elements.
///
/// # Safety
/// - `at` must lead to the first of `counts` rows and columns of `input`, at most `BLOCK_ELEMENTS` elements.
/// - `to` must be valid for writes of as many elements of the dtype, aligned, and overlap none of them.
#[inline(never)]
unsafe fn cast_tile(input: &Strided2, at: *mut u8, counts: [usize; 2], dtype: DType, to: *mut u8) {
    let (size, len, steps) = (input.dtype.size(), counts[0] * counts[1], steps_of(input));
    let mut packed = Buffer::new();
    let is_contiguous = (counts[1] == 1 || steps.cols == size as isize)
        && (counts[0] == 1 || steps.rows == (counts[1] * size) as isize);
    let from = match is_contiguous {
        true => at,
        false => {
            let row_bytes = (counts[1] * size) as isize;
            let rows = Steps { rows: row_bytes, cols: size as isize };
            // SAFETY: by this function's contract; a buffer has room for `BLOCK_ELEMENTS` elements of any dtype.
            unsafe { copy_tile(size, packed.ptr(), rows, at, steps, counts) };
            packed.ptr()
        }
    };
    // SAFETY: the body takes elements of the input's dtype and returns those of `dtype`. The inputs are contiguous: a tile
    // of the input, or its copy in the buffer, which is aligned. The outputs are as many (this function's contract).
    unsafe { cast(input.dtype, dtype).call([to, from], len, 0) };
}

/// Reduces contiguous elements to one result; or to several, each of as many elements, which must be one run
/// ([`is_one_run`](super::reduce::is_one_run)). Positions are `stride` apart, or 0 if the reduction does not depend on them.
///
/// The results have the bits of [`reduce`](super::reduce::reduce), which reduces the same runs.
///
/// # Panics
/// If the input is not contiguous elements of the reducer's dtype, or the results are not contiguous or do not divide it.
pub(crate) fn reduce_small<'x>(
    reducer: &Reducer,
    out: SmallViewMut<'x>,
    input: SmallView<'x>,
    stride: isize,
) -> Written<'x> {
    let n_results = out.len();
    let n_elements = input.lens[0] * input.lens[1];
    let is_one_row = input.lens[0] == 1 || input.strides[0] == input.lens[1] as isize;
    assert!(
        is_one_row && has_contiguous_rows(&input, reducer.input(), input.lens),
        "contiguous elements"
    );
    assert!(has_contiguous_rows(&out, reducer.output(), out.lens), "contiguous results");
    assert!(
        out.lens.contains(&1) && n_elements.is_multiple_of(n_results),
        "a part for each result"
    );
    let len = n_elements / n_results;
    let [size, out_size] = [reducer.input().size(), reducer.output().size()];
    if n_results == 1 {
        let mut slot = Slot::empty::<1>();
        let mut total = Accumulators::new(reducer, &mut slot);
        for from in (0..len).step_by(RUN_ELEMENTS) {
            let at = input.ptr.wrapping_add(from * size);
            let positions = Positions { first: from as isize * stride, stride };
            let run = EqualRuns { at, len: RUN_ELEMENTS.min(len - from), run_step: 0, positions };
            // SAFETY: the run is a part of the row, which is contiguous elements of the reducer's dtype.
            unsafe { total.add_runs(run) };
        }
        // SAFETY: the output is one element of the reducer's dtype.
        unsafe {
            total.finish(0, len, out.ptr);
            return out.written();
        }
    }
    let positions = Positions { first: 0, stride };
    let run_step = (len * size) as isize;
    let mut slots = Slot::empty::<RUNS_AT_ONCE>();
    for from in (0..n_results).step_by(RUNS_AT_ONCE) {
        let count = RUNS_AT_ONCE.min(n_results - from);
        let at = input.ptr.wrapping_add(from * len * size);
        let mut totals = Accumulators::new(reducer, &mut slots[..count]);
        // SAFETY: the runs are parts of the row, and the results contiguous elements of the reducer's dtypes.
        unsafe {
            totals.add_runs(EqualRuns { at, len, run_step, positions });
            totals.finish_all(len, out.ptr.add(from * out_size), out_size as isize);
        }
    }
    // SAFETY: every result has just been written.
    unsafe { out.written() }
}

/// Whether the elements of each row are contiguous.
///
/// # Panics
/// If the dtype or the lengths are not the given ones.
#[inline(always)]
fn has_contiguous_rows(operand: &Strided2, dtype: DType, lens: [usize; 2]) -> bool {
    assert!(operand.dtype == dtype && operand.lens == lens, "an operand of the body's");
    operand.strides[1] == 1 || lens[1] == 1
}

fn steps_of(operand: &Strided2) -> Steps {
    let [rows, cols] = operand.steps();
    Steps { rows, cols }
}

/// Calls a body for rows that are not all contiguous and of its dtypes: operands that are not are packed into buffers, as
/// many rows at a time as have `BLOCK_ELEMENTS` elements, or parts of a row.
#[inline(never)]
fn map_packed<const N: usize>(
    body: &Body<'_, N>,
    operands: &[Strided2; N],
    broadcast: BroadcastMask,
) {
    let (mut buffers, types) = ([const { Buffer::new() }; N], body.types());
    let [rows, cols] = operands[0].lens;
    let steps = operands.each_ref().map(steps_of);
    let sizes = operands.each_ref().map(|it| it.dtype.size());
    let tile_rows = if rows == 1 { 1 } else { (BLOCK_ELEMENTS / cols).clamp(1, rows) };
    let packed = |n: usize| Steps { rows: (cols * sizes[n]) as isize, cols: sizes[n] as isize };
    // Several rows of an operand are one block only if they are contiguous, or one element.
    let is_direct: [bool; N] = array_of(|n| {
        let [row, col] = operands[n].strides;
        let is_block = tile_rows == 1 || row == col * cols as isize;
        operands[n].dtype == types[n] && is_block && (col == 1 || broadcast & 1 << n != 0)
    });
    let broadcast = (0..N).filter(|&n| is_direct[n]).fold(0, |mask, n| mask | broadcast & 1 << n);
    for r in (0..rows).step_by(tile_rows) {
        for c in (0..cols).step_by(BLOCK_ELEMENTS) {
            let counts = [tile_rows.min(rows - r), BLOCK_ELEMENTS.min(cols - c)];
            let at: [*mut u8; N] = array_of(|n| {
                let offset = r as isize * steps[n].rows + c as isize * steps[n].cols;
                operands[n].ptr.wrapping_offset(offset)
            });
            let mut blocks = at;
            for n in (0..N).filter(|&n| !is_direct[n]) {
                blocks[n] = buffers[n].ptr();
                if n > 0 && operands[n].dtype == types[n] {
                    // SAFETY: the elements are in the rows, and the buffer has room for `BLOCK_ELEMENTS` of them.
                    unsafe { copy_tile(sizes[n], blocks[n], packed(n), at[n], steps[n], counts) };
                } else if n > 0 {
                    // SAFETY: as above. The elements are of the operand's dtype, and the buffer takes any.
                    unsafe { cast_tile(&operands[n], at[n], counts, types[n], blocks[n]) };
                }
            }
            // SAFETY: as in `map_small`; rows that are not contiguous are in a buffer of their own.
            unsafe { body.call(blocks, counts[0] * counts[1], broadcast) };
            if !is_direct[0] {
                // SAFETY: the elements are in the rows and writable, and the body has filled the buffer.
                unsafe { copy_tile(sizes[0], at[0], steps[0], blocks[0], packed(0), counts) };
            }
        }
    }
}

//! Operations with several outputs that exist.

use super::overlap::{Overlap, resolve_overlaps};
use super::{BorrowedInputs, InputIsOutput, TempCopy, announce_meta_copy, has_meta, write_meta};
use crate::Error;
use crate::cancel;
use crate::op::operand::{Operand, Target};
use crate::tensor::{reserve, try_collect};
use crate::trace::Call;
use crate::view::{AnyViewMut, Source};

/// Computes into several outputs that exist: a kernel reads the operands and writes every output.
///
/// The results are as if every operand had been copied first, as those of [`compute_into`](super::compute_into).
///
/// # Errors
/// If an output cannot be written to, two outputs share an element or may do so, a guard has borrowed an operand or an
/// output, a copy would be needed that is forbidden, or there is not enough memory. Nothing is written then.
pub(crate) fn compute_into_several(
    call: Call<'_>,
    outs: &[Target<'_>],
    operands: &[Operand<'_>],
    kernel: impl FnOnce(&mut [AnyViewMut<'_>], Vec<Source<'_>>),
) -> Result<(), Error> {
    check_outputs(call, outs)?;
    let mut event = call.announce();
    let mut plans = try_collect(operands.iter().map(|_| Overlap::None))?;
    resolve_overlaps(call, &mut event, outs, operands, InputIsOutput::InPlace, &mut plans)?;
    let is_copied = |n: usize| matches!(plans[n], Overlap::Partial);
    if outs.iter().any(Target::is_meta) || has_meta(operands) {
        for n in (0..operands.len()).filter(|&n| is_copied(n)) {
            announce_meta_copy(&event, &operands[n])?;
        }
        return write_meta(call, &event, outs, operands);
    }
    let inputs = BorrowedInputs::take_slice(call, outs, operands)?;
    let mut copies: Vec<Option<TempCopy>> = reserve(operands.len())?;
    for (n, operand) in operands.iter().enumerate() {
        copies.push(match is_copied(n) {
            true => Some(TempCopy::of_operand(&event, operand, inputs.view(n))?),
            false => None,
        });
    }
    let sources = try_collect((0..operands.len()).map(|n| match (&plans[n], &copies[n]) {
        (Overlap::Same(out), _) => Source::Output(*out),
        (Overlap::Shifted(shift), _) => Source::Shifted(*shift),
        (_, Some(copy)) => Source::View(copy.view()),
        (_, None) => Source::View(inputs.view(n)),
    }))?;
    event.deliver_in_place(operands, outs, Some(&inputs))?;
    // SAFETY: `check_outputs` has succeeded: each output is writable, and shares no element with another. `inputs` covers
    // writing. The sources that are views are of copies and of operands that share no element with an output.
    let views = try_collect(outs.iter().map(|out| unsafe { out.view() }));
    let mut views = event.note_failure(views)?;
    event.note_failure(cancel::catch(|| kernel(&mut views, sources)))
}

/// Checks that each output can be written to and shares no element with another.
fn check_outputs(call: Call<'_>, outs: &[Target<'_>]) -> Result<(), Error> {
    for (n, out) in outs.iter().enumerate() {
        out.check_writable()?;
        if let Some(before) = outs[..n].iter().position(|it| it.may_share_target(out)) {
            return Err(Error::OutputsOverlap { op: call.op, outputs: (before, n) });
        }
    }
    Ok(())
}

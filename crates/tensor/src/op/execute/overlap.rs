//! How an input overlaps the outputs of an operation.

use super::{InputIsOutput, check_overlap_copy};
use crate::op::operand::{Operand, Target};
use crate::trace::{Announcement, Call};
use crate::view::Shift;
use crate::{Error, Layout};
use belvedere_layout::{Answer, Bytes};

/// How an input overlaps the outputs.
#[derive(Clone, Copy)]
pub(super) enum Overlap {
    /// It shares no element with any of them.
    None,
    /// Each index leads to the same element in it and in the output with this number.
    Same(usize),
    /// It has the strides of one output, and shares elements with that one alone, at other indices.
    Shifted(Shift),
    /// They share elements in any other way, or whether they do could not be decided: the input is copied first.
    Partial,
}

/// Finds how each input overlaps the outputs, which share no element with each other.
///
/// # Errors
/// If an input would have to be copied where that is forbidden, or shares an element with an output where `same` refuses that.
pub(super) fn resolve_overlaps(
    call: Call<'_>,
    event: &mut Announcement<'_>,
    outs: &[Target<'_>],
    operands: &[Operand<'_>],
    same: InputIsOutput,
    plans: &mut [Overlap],
) -> Result<(), Error> {
    let mut first: Option<Shift> = None;
    // Lenses are read in logical order, which need not be the order of a shift.
    let has_lens = operands.iter().any(|it| it.lens().is_some());
    // All shifted inputs have to agree on the order of the walk: the first one chooses.
    let agree = |one: Shift, two: Shift| {
        let axes = |shift: Shift| outs[shift.output()].layout().axes();
        one.is_backwards() == two.is_backwards()
            && (one.output() == two.output() || axes(one) == axes(two))
    };
    for (plan, operand) in plans.iter_mut().zip(operands) {
        *plan = match overlap(outs, operand) {
            Overlap::None => Overlap::None,
            Overlap::Same(n) if same == InputIsOutput::InPlace => Overlap::Same(n),
            Overlap::Shifted(shift)
                if same == InputIsOutput::InPlace
                    && !has_lens
                    && agree(*first.get_or_insert(shift), shift) =>
            {
                Overlap::Shifted(shift)
            }
            _ if same == InputIsOutput::Refuse => {
                return Err(Error::OutputAliases { op: call.op });
            }
            _ => {
                check_overlap_copy(call, operand)?;
                event.locate_caller();
                Overlap::Partial
            }
        };
    }
    Ok(())
}

/// Finds how an input overlaps the outputs.
fn overlap(outs: &[Target<'_>], input: &Operand<'_>) -> Overlap {
    let with_each = outs.iter().enumerate().map(|(n, out)| overlap_with(n, out, input));
    with_each.fold(Overlap::None, |before, now| match (before, now) {
        (it, Overlap::None) | (Overlap::None, it) => it,
        _ => Overlap::Partial,
    })
}

/// Finds how an input overlaps output `n`.
fn overlap_with(n: usize, out: &Target<'_>, input: &Operand<'_>) -> Overlap {
    if !out.may_share_storage(input) {
        return Overlap::None;
    }
    let (to, from) = (out.bytes(), input.bytes());
    let is_one_type = Some(out.dtype()) == input.dtype();
    // The bytes are those that a lens reaches; its indices lead to them in another order.
    let is_same = input.lens().is_none()
        && is_one_type
        && to.address == from.address
        && to.layout == from.layout;
    if is_same {
        return if to.layout.is_empty() { Overlap::None } else { Overlap::Same(n) };
    }
    if to.overlaps(from) == Answer::No {
        return Overlap::None;
    }
    let is_shifted = is_one_type
        && to.layout.axes() == from.layout.axes()
        && is_in_order_of_addresses(to.layout);
    if !is_shifted {
        return Overlap::Partial;
    }
    let starts = (to.layout.start() as isize, from.layout.start() as isize);
    let ptr = input.base_ptr().wrapping_offset((starts.1 - starts.0) * to.size as isize);
    // SAFETY: the layouts differ by their starts only, and `ptr` is moved by that difference, in
    // bytes; the axes lead to the elements in the order of their addresses; and the callers of `resolve_overlaps`
    // borrow the input before they hand the shift to a kernel together with these outputs.
    Overlap::Shifted(unsafe { Shift::new(ptr, n, first_address(from) < first_address(to)) })
}

/// Returns the address of the first element.
fn first_address(bytes: Bytes<'_>) -> usize {
    bytes.address + bytes.layout.start() * bytes.size
}

/// Returns whether axes in the order of their strides lead to elements in the order of their addresses: each
/// stride reaches beyond all that the smaller ones reach together.
fn is_in_order_of_addresses(layout: &Layout) -> bool {
    let mut axes: Vec<_> = layout.axes().iter().filter(|axis| axis.len > 1).collect();
    axes.sort_unstable_by_key(|axis| axis.stride.unsigned_abs());
    let mut reach = 0;
    axes.iter().all(|axis| {
        let stride = axis.stride.unsigned_abs();
        let is_beyond = stride > reach;
        reach += stride * (axis.len - 1);
        is_beyond
    })
}

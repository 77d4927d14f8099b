//! How an input overlaps the output of an operation.

use crate::Layout;
use crate::op::operand::{Operand, Target};
use crate::view::Shift;
use belvedere_layout::{Answer, Bytes};

/// How an input overlaps the output.
#[derive(Clone, Copy)]
pub(super) enum Overlap {
    /// They share no element.
    None,
    /// Each index leads to the same element in both.
    Same,
    /// They have the same strides, and share elements at other indices.
    Shifted(Shift),
    /// They share elements in any other way, or whether they do could not be decided.
    Partial,
}

/// Finds how an input overlaps the output.
pub(super) fn overlap(out: &Target<'_>, input: &Operand<'_>) -> Overlap {
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
        return if to.layout.is_empty() { Overlap::None } else { Overlap::Same };
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
    // bytes; the axes lead to the elements in the order of their addresses; and `compute_into`, the only
    // caller, borrows the input before it hands the shift to a kernel together with this output.
    Overlap::Shifted(unsafe { Shift::new(ptr, first_address(from) < first_address(to)) })
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

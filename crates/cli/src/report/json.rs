//! Reports as JSON.
//!
//! ```text
//! {"steps": [{
//!   "name":         the variable that holds the result, or null
//!   "expr":         the source text up to and including this call
//!   "op":           the operation: "reshape", "getitem", "add" …
//!   "shape":        the shape, or null if the result is not a tensor
//!   "strides":      in elements; null if the result is not a tensor or is a lens
//!   "offset":       of the first element, in elements; null as for strides
//!   "contiguous":   true or false; null if the result is not a tensor
//!   "kind":         "new", "view", "copy", "in place", "import", "export", "value" or "error"
//!   "bytes_copied": the number of bytes copied
//!   "shares_with":  numbers of earlier steps whose results overlap this one
//!   "error":        null, or {"message", "span": [from, to] in bytes, "help": [sentences]}
//!   "why":          null, or the reason for a copy: {"axes": [outer, inner], "stride", "needed", "mark",
//!                   "new_axis", "jump": [offset, next offset], "expected", "from": {"shape", "strides",
//!                   "offset"}, "to": shape, "nearby": shapes for which a view exists}
//!   "dtype":        the dtype, or null
//!   "memory":       the number of its memory, or null
//!   "lens":         whether it is a lens, which has no strides
//!   "value":        a result that is not a tensor, as text; or null
//!   "span":         [from, to]: the bytes of the call in the source
//!   "inputs":       numbers of the steps whose results are the operands
//!   "may_share_with": numbers of earlier steps for which overlap was not decided
//!   "plan":         the loop nest, a line for each loop, and the estimated cost of copying operands first; or null
//!   "remarks":      differences from NumPy or PyTorch, if requested, and why values are unknown
//!   "line":         the line of the source that the call begins in, counted from 1
//!   "live_bytes":   the bytes of the memory that was alive after the step
//!   "peak_bytes":   the most bytes that were alive during the step, intermediate results included
//! }]}
//! ```
//!
//! The fields up to `why` are stable; others may be added. Numbers that do not fit in 64 bits are clamped.

use crate::explain::step::{Failure, Report, SeamCrossing, Step};
use serde_json::{Value, json};
use std::ops::Range;

/// Converts a report to JSON.
///
/// ```
/// use belvedere_cli::{explain::explain, report::json};
///
/// let json = json::report(&explain("x = zeros((2, 3))", None));
/// assert_eq!(json["steps"][0]["name"], "x");
/// assert_eq!(json["steps"][0]["strides"][0], 3);
/// ```
pub fn report(report: &Report) -> Value {
    json!({ "steps": report.steps.iter().map(|it| step(&report.source, it)).collect::<Vec<_>>() })
}

fn step(source: &str, step: &Step) -> Value {
    let tensor = step.result.as_ref();
    let layout = tensor.and_then(|it| it.layout());
    json!({
        "name": step.name,
        "expr": step.expr,
        "op": step.op,
        "shape": tensor.map(|it| it.chain.shape().to_vec()),
        "strides": layout.as_ref().map(|it| it.strides().to_vec()),
        "offset": layout.as_ref().map(|it| it.start()),
        "contiguous": tensor.map(|it| it.is_contiguous()),
        "kind": step.kind.name(),
        "bytes_copied": clamped(step.bytes_copied),
        "shares_with": step.shares_with,
        "error": step.error.as_ref().map(failure),
        "why": step.why.as_ref().map(why),
        "dtype": tensor.map(|it| it.dtype.name()),
        "memory": tensor.map(|it| it.memory),
        "lens": tensor.is_some() && layout.is_none(),
        "value": step.value,
        "span": [step.span.start, step.span.end],
        "inputs": step.inputs,
        "may_share_with": step.may_share_with,
        "plan": step.plan,
        "remarks": step.remarks,
        "line": line(source, &step.span),
        "live_bytes": clamped(step.live_bytes),
        "peak_bytes": clamped(step.peak_bytes),
    })
}

/// Returns the line of the first character in a span that is not white space, counted from 1. A span of white space,
/// such as an unexpected end of a line, is in the line that it begins in.
fn line(source: &str, span: &Range<usize>) -> usize {
    let text = source.get(span.clone()).unwrap_or_default();
    let n_blank = text.find(|it: char| !it.is_whitespace()).unwrap_or(0);
    let before = source.get(..span.start + n_blank).unwrap_or(source);
    1 + before.matches('\n').count()
}

fn failure(failure: &Failure) -> Value {
    json!({
        "message": failure.message,
        "span": [failure.span.start, failure.span.end],
        "help": failure.help,
    })
}

fn why(why: &SeamCrossing) -> Value {
    let (outer, inner) = why.seam.axes;
    json!({
        "axes": [outer, inner],
        "stride": why.seam.stride,
        "needed": bounded(why.seam.needed),
        "mark": why.seam.mark,
        "new_axis": why.seam.new_axis,
        "jump": [why.jump.0, why.jump.1],
        "expected": bounded(why.expected),
        "from": {
            "shape": why.from.shape().to_vec(),
            "strides": why.from.strides().to_vec(),
            "offset": why.from.start(),
        },
        "to": why.to.to_vec(),
        "nearby": why.nearby.iter().map(|it| it.to_vec()).collect::<Vec<_>>(),
    })
}

fn clamped(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn bounded(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let source = "x = 1\ny = (x\n  .T)\né";
        assert_eq!(line(source, &(0..1)), 1);
        assert_eq!(line(source, &(6..7)), 2);
        // A call behind a line break begins at its first character.
        assert_eq!(line(source, &(12..17)), 3);
        assert_eq!(line(source, &(19..21)), 4);
        assert_eq!(line(source, &(5..6)), 1);
        // Positions outside of the source or within a character do not panic.
        assert_eq!(line(source, &(20..400)), 4);
        assert_eq!(line("", &(0..0)), 1);
    }
}

//! Reports as JSON.
//!
//! ```text
//! {"steps": [{
//!   "name":         the variable that holds the result, or null
//!   "expr":         the text up to and including this call
//!   "op":           what was done: "reshape", "getitem", "add" …
//!   "shape":        lengths, or null when there is no tensor
//!   "strides":      in elements; null without a tensor, and for lenses, which have none
//!   "offset":       of the first element, in elements; null as for strides
//!   "contiguous":   true or false; null without a tensor
//!   "kind":         "new", "view", "copy", "value" or "error"
//!   "bytes_copied": how many bytes were copied
//!   "shares_with":  numbers of earlier steps that have an element in common with this one
//!   "error":        null, or {"message", "span": [from, to] in bytes, "help": [sentences]}
//!   "why":          null, or why no view exists: {"axes": [outer, inner], "stride", "needed", "mark",
//!                   "new_axis", "jump": [offset, next offset], "expected", "from": {"shape", "strides",
//!                   "offset"}, "to": shape, "nearby": shapes that are views}
//!   "dtype":        the type of the elements, or null
//!   "memory":       the number of the memory it lies in, or null: equal numbers, one memory
//!   "lens":         whether it has no strides and is seen through a lens
//!   "value":        what came out that is no tensor, as text; or null
//!   "span":         [from, to]: the bytes of the text that the step is about
//!   "inputs":       numbers of the steps whose results went in
//!   "may_share_with": as "shares_with", where it could not be decided
//!   "plan":         the loops that were run, a line each, and what copying operands first would cost; or null
//!   "remarks":      what NumPy or PyTorch would do otherwise, when asked for
//! }]}
//! ```
//!
//! The fields up to `why` are stable; others may be added. Numbers beyond 64 bits are cut to the largest.

use crate::explain::step::{Failure, Report, Step, Why};
use serde_json::{Value, json};

/// A report as JSON.
///
/// ```
/// use belvedere_cli::{explain::explain, report::json};
///
/// let json = json::report(&explain("x = zeros((2, 3))", None));
/// assert_eq!(json["steps"][0]["name"], "x");
/// assert_eq!(json["steps"][0]["strides"][0], 3);
/// ```
pub fn report(report: &Report) -> Value {
    json!({ "steps": report.steps.iter().map(step).collect::<Vec<_>>() })
}

fn step(step: &Step) -> Value {
    let seen = step.result.as_ref();
    let layout = seen.and_then(|it| it.layout());
    json!({
        "name": step.name,
        "expr": step.expr,
        "op": step.op,
        "shape": seen.map(|it| it.chain.shape().to_vec()),
        "strides": layout.as_ref().map(|it| it.strides().to_vec()),
        "offset": layout.as_ref().map(|it| it.start()),
        "contiguous": seen.map(|it| it.is_contiguous()),
        "kind": step.kind.name(),
        "bytes_copied": u64::try_from(step.bytes_copied).unwrap_or(u64::MAX),
        "shares_with": step.shares_with,
        "error": step.error.as_ref().map(failure),
        "why": step.why.as_ref().map(why),
        "dtype": seen.map(|it| it.dtype.name()),
        "memory": seen.map(|it| it.memory),
        "lens": seen.is_some() && layout.is_none(),
        "value": step.value,
        "span": [step.span.start, step.span.end],
        "inputs": step.inputs,
        "may_share_with": step.may_share_with,
        "plan": step.plan,
        "remarks": step.remarks,
    })
}

fn failure(failure: &Failure) -> Value {
    json!({
        "message": failure.message,
        "span": [failure.span.start, failure.span.end],
        "help": failure.help,
    })
}

fn why(why: &Why) -> Value {
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

fn bounded(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

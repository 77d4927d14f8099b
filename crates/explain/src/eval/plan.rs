//! Plans as text: the loop nest of an operation, and the estimates for copying operands first.

use belvedere::DType;
use belvedere::plan::{Access, ESTIMATE_MIN_ELEMENTS, Estimate, Loop, Plan, Width};
use belvedere_layout::Layout;

/// The loop nest of an operation as text, and the bytes of the operands that are copied first.
pub(super) struct PlanText {
    pub text: String,
    pub bytes_copied: u128,
}

/// Describes the loop nest of a copy.
pub(super) fn copy(out: &Layout, from: &Layout, dtype: DType) -> Option<String> {
    let plan = Plan::elementwise([out, from], [dtype.size(); 2]).ok()?;
    Some(describe_loops(&plan, ["copy", "source"]))
}

/// Describes the loop nest of a binary operation, and the estimates for copying an operand first.
///
/// The first layout and dtype are those of the result; the operation computes in its dtype.
pub(super) fn binary(layouts: [&Layout; 3], types: [DType; 3]) -> Option<PlanText> {
    let plan = Plan::elementwise(layouts, types.map(DType::size)).ok()?;
    let names = ["result", "left", "right"];
    let mut described = PlanText { text: describe_loops(&plan, names), bytes_copied: 0 };
    if plan.len() < ESTIMATE_MIN_ELEMENTS {
        return Some(described);
    }
    let width = |dtype: DType| match dtype == types[0] {
        true => Width::of(dtype.size()),
        false => Width::converted(dtype.size(), types[0].size()),
    };
    let estimates = Plan::estimates(layouts, types.map(width)).ok()?;
    for (name, it) in names.iter().zip(estimates).skip(1) {
        described.text.push_str(&format!("\n{name}: {}", describe_estimate(&it)));
        if it.should_copy() {
            described.bytes_copied += it.distinct as u128 * types[0].size() as u128;
        }
    }
    Some(described)
}

/// Describes the estimate for an operand.
fn describe_estimate(it: &Estimate) -> String {
    let visits = match it.distinct {
        _ if it.distinct == it.visited => format!("{} elements, each once", it.visited),
        1 => format!("1 element, {} times", it.visited),
        n => format!("{n} elements, {} visits", it.visited),
    };
    let access = match (it.access, it.is_converted) {
        (_, true) => "cast tile by tile",
        (Access::Contiguous, _) => "read in place",
        (Access::Broadcast, _) => "each broadcast along a row",
        (Access::Packed, _) => "packed tile by tile",
    };
    let choice = match it.copied_ns {
        // No element is packed or cast twice, so no estimate was made.
        None => "used in place".to_string(),
        Some(copied) => {
            let verdict = if it.should_copy() { "copied first" } else { "used in place" };
            let (as_is, copied) = (time(it.as_is_ns), time(copied));
            format!("about {as_is} in place, {copied} with a copy first: {verdict}")
        }
    };
    format!("{visits}, {access}: {choice}")
}

/// Formats nanoseconds as µs, ms or s.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        it if it < 1e6 => format!("{:.0} µs", it / 1e3),
        it if it < 1e9 => format!("{:.1} ms", it / 1e6),
        it => format!("{:.1} s", it / 1e9),
    }
}

/// Describes the loop nest of a unary operation.
pub(super) fn unary(layouts: [&Layout; 2], types: [DType; 2]) -> Option<String> {
    let plan = Plan::elementwise(layouts, types.map(DType::size)).ok()?;
    Some(describe_loops(&plan, ["result", "operand"]))
}

/// Describes a loop nest: a line for each loop, outermost first, with the step of each operand in elements.
fn describe_loops<const N: usize>(plan: &Plan<N>, names: [&str; N]) -> String {
    let mut text = String::new();
    let mut line = |depth: usize, line: String| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&"  ".repeat(depth.min(8)));
        text.push_str(&line);
    };
    for (depth, it) in plan.loops().iter().enumerate() {
        let steps: Vec<String> =
            names.iter().zip(it.steps).map(|(name, step)| format!("{name} {step:+}")).collect();
        line(depth, format!("loop of {}: {}", it.len, steps.join(", ")));
    }
    if plan.loops().is_empty() {
        line(0, "one element, no loop".into());
    }
    let tile = plan.tile();
    let is_cut = |outer: &Loop<N>, inner: &Loop<N>| tile.rows < outer.len || tile.cols < inner.len;
    if let [.., outer, inner] = plan.loops()
        && tile.rows > 1
        && is_cut(outer, inner)
    {
        line(0, format!("in tiles of {} × {}", tile.rows, tile.cols));
    }
    text
}

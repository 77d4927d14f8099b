//! Plans as text: the loop nest of an operation, and the estimates for copying operands first.

use belvedere::DType;
use belvedere::plan::{Access, ESTIMATE_MIN_ELEMENTS, Estimate, Loop, Plan, Width};
use belvedere::trace::{Event, EventKind, EventOperand};
use belvedere_layout::Layout;

/// Describes the loops of an elementwise operation, a copy or a matrix product; `None` for other operations.
pub(crate) fn describe(event: &Event) -> Option<String> {
    let out = event.outputs.first()?;
    let (layout, dtype) = (out.layout()?, out.dtype()?);
    if event.op == "matmul" {
        let inner = event.inputs.first()?.layout()?.shape().last().copied().unwrap_or(1);
        return Some(format!("{} products of {inner} numbers each, by blocks", layout.len()));
    }
    // Only operations that run a plan have one.
    event.plan()?;
    let spread = |it: &EventOperand| match it {
        EventOperand::Number { .. } => Layout::scalar(0).ok()?.broadcast_to(layout.shape()).ok(),
        it => it.layout()?.broadcast_to(layout.shape()).ok(),
    };
    let operands: Vec<Layout> = event.inputs.iter().map(spread).collect::<Option<_>>()?;
    let types: Vec<DType> = event.inputs.iter().map(|it| it.dtype().unwrap_or(dtype)).collect();
    match (&operands[..], &types[..]) {
        ([x], [of]) => {
            let plan = Plan::elementwise([layout, x], [dtype.size(), of.size()]).ok()?;
            let is_copy = matches!(event.kind, EventKind::Copy(_));
            let names = if is_copy { ["copy", "source"] } else { ["result", "operand"] };
            Some(describe_loops(&plan, names))
        }
        ([x, y], [of, other]) => binary([layout, x, y], [dtype, *of, *other]),
        _ => event.plan(),
    }
}

/// Describes the loop nest of a binary operation, and the estimates for copying an operand first.
///
/// The first layout and dtype are those of the result; the operation computes in its dtype.
fn binary(layouts: [&Layout; 3], types: [DType; 3]) -> Option<String> {
    let plan = Plan::elementwise(layouts, types.map(DType::size)).ok()?;
    let names = ["result", "left", "right"];
    let mut text = describe_loops(&plan, names);
    if plan.len() < ESTIMATE_MIN_ELEMENTS {
        return Some(text);
    }
    let width = |dtype: DType| match dtype == types[0] {
        true => Width::of(dtype.size()),
        false => Width::converted(dtype.size(), types[0].size()),
    };
    let estimates = Plan::estimates(layouts, types.map(width)).ok()?;
    for (name, it) in names.iter().zip(estimates).skip(1) {
        text.push_str(&format!("\n{name}: {}", describe_estimate(&it)));
    }
    Some(text)
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

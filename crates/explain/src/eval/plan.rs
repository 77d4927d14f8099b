//! The loops that an operation runs, in words.

use belvedere::DType;
use belvedere::plan::{Access, ESTIMATE_MIN_ELEMENTS, Estimate, Loop, Plan, Width};
use belvedere_layout::Layout;

/// The loops of an operation in words, and the bytes of the operands that are copied before.
pub(super) struct PlanText {
    pub text: String,
    pub bytes_copied: u128,
}

/// The loops of a copy.
pub(super) fn copy(out: &Layout, from: &Layout, dtype: DType) -> Option<String> {
    let plan = Plan::elementwise([out, from], [dtype.size(); 2]).ok()?;
    Some(told(&plan, ["copy", "source"]))
}

/// The loops of an operation on two operands of one shape, and what is estimated about copying them
/// first. It calculates in the type of the result, which comes first.
pub(super) fn binary(layouts: [&Layout; 3], types: [DType; 3]) -> Option<PlanText> {
    let plan = Plan::elementwise(layouts, types.map(DType::size)).ok()?;
    let names = ["result", "left", "right"];
    let mut told = PlanText { text: told(&plan, names), bytes_copied: 0 };
    if plan.len() < ESTIMATE_MIN_ELEMENTS {
        return Some(told);
    }
    let width = |dtype: DType| match dtype == types[0] {
        true => Width::of(dtype.size()),
        false => Width::converted(dtype.size(), types[0].size()),
    };
    let estimates = Plan::estimates(layouts, types.map(width)).ok()?;
    for (name, it) in names.iter().zip(estimates).skip(1) {
        told.text.push_str(&format!("\n{name}: {}", estimated(&it)));
        if it.should_copy() {
            told.bytes_copied += it.distinct as u128 * types[0].size() as u128;
        }
    }
    Some(told)
}

/// What is estimated about an operand.
fn estimated(it: &Estimate) -> String {
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
        // Nothing is done twice, so nothing was compared.
        None => "used as is".to_string(),
        Some(copied) => {
            let verdict = if it.should_copy() { "copied first" } else { "used as is" };
            let (as_is, copied) = (time(it.as_is_ns), time(copied));
            format!("about {as_is} as is, {copied} with a copy first: {verdict}")
        }
    };
    format!("{visits}, {access}: {choice}")
}

/// Nanoseconds in a unit that suits them.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        it if it < 1e6 => format!("{:.0} µs", it / 1e3),
        it if it < 1e9 => format!("{:.1} ms", it / 1e6),
        it => format!("{:.1} s", it / 1e9),
    }
}

/// The loops of an operation on one operand.
pub(super) fn unary(layouts: [&Layout; 2], types: [DType; 2]) -> Option<String> {
    let plan = Plan::elementwise(layouts, types.map(DType::size)).ok()?;
    Some(told(&plan, ["result", "operand"]))
}

/// A line for each loop, outermost first, with what each operand goes on by.
fn told<const N: usize>(plan: &Plan<N>, names: [&str; N]) -> String {
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

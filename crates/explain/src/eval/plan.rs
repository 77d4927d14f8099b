//! The loops that an operation runs, in words.

use belvedere::DType;
use belvedere::plan::{Loop, Plan};
use belvedere_layout::Layout;

/// The loops of a copy.
pub fn copy(out: &Layout, from: &Layout, dtype: DType) -> Option<String> {
    let plan = Plan::elementwise([out, from], [dtype.size(); 2]).ok()?;
    Some(told(&plan, ["copy", "source"]))
}

/// The loops of an operation on two operands of one shape.
pub fn binary(layouts: [&Layout; 3], types: [DType; 3]) -> Option<String> {
    let plan = Plan::elementwise(layouts, types.map(DType::size)).ok()?;
    Some(told(&plan, ["result", "left", "right"]))
}

/// The loops of an operation on one operand.
pub fn unary(layouts: [&Layout; 2], types: [DType; 2]) -> Option<String> {
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

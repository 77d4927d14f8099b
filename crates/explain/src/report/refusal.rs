//! Draws why a reshape needs a copy: runs as brackets under the axes, and the seam between them.

use super::style::{BAD, BOLD, DIM, painted};
use crate::step::SeamCrossing;
use belvedere_layout::{Layout, explain_view};
use std::ops::Range;

/// The maximum number of axes drawn on each side of the seam.
const NEAR: usize = 4;

/// Returns the drawing and its explanation, indented by four spaces.
pub fn text(why: &SeamCrossing) -> String {
    let (outer, inner) = why.seam.axes;
    let rank = why.from.rank();
    let axes = outer.saturating_sub(NEAR - 1)..(inner + NEAR).min(rank);
    let shape = why.from.shape();
    let strides = why.from.strides();
    let new_axis = why.seam.new_axis;
    let new_axes = new_axis.saturating_sub(NEAR - 1)..(new_axis + NEAR).min(why.to.len());

    let widest =
        |numbers: Vec<String>| numbers.iter().map(|it| it.chars().count()).max().unwrap_or(1);
    let old =
        axes.clone().flat_map(|k| [shape[k].to_string(), strides[k].to_string(), k.to_string()]);
    let new = new_axes.clone().map(|k| why.to[k].to_string());
    let width = widest(old.chain(new).collect()).max(3) + 2;

    let row = |title: &str, axes: &Range<usize>, cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = axes.clone().map(|k| centred(&cell(k), width)).collect();
        format!("    {title:<8}{}", cells.join("   ")).trim_end().to_string() + "\n"
    };
    let mut text = painted(DIM, row("axis", &axes, &|k| k.to_string()).trim_end()) + "\n";
    text.push_str(&row("length", &axes, &|k| shape[k].to_string()));
    text.push_str(&row("stride", &axes, &|k| strides[k].to_string()));
    text.push_str(&brackets(why, &axes, width));
    text.push_str(&row("new", &new_axes, &|k| why.to[k].to_string()));
    text.push_str(&crossing(why, &new_axes, width));
    text.push('\n');
    text.push_str(&sentences(why));
    text
}

fn centred(text: &str, width: usize) -> String {
    let gap = width.saturating_sub(text.chars().count());
    format!("{}{text}{}", " ".repeat(gap / 2), " ".repeat(gap - gap / 2))
}

/// Draws a bracket under each run, and a cross at the seam that the new shape crosses.
fn brackets(why: &SeamCrossing, axes: &Range<usize>, width: usize) -> String {
    let runs = runs(&why.from, why);
    let run_of = |k: usize| runs.iter().position(|run| run.contains(&k));
    let mut line = String::from("            ");
    for k in axes.clone() {
        let run = run_of(k);
        let begins = k == axes.start || run_of(k - 1) != run;
        let ends = k + 1 == axes.end || run_of(k + 1) != run;
        match run {
            None => line.push_str(&" ".repeat(width)),
            Some(_) => {
                line.push(if begins { '╰' } else { '─' });
                line.push_str(&"─".repeat(width - 2));
                line.push(if ends { '╯' } else { '─' });
            }
        }
        if k + 1 == axes.end {
            break;
        }
        let is_seam = why.seam.axes.0 <= k && k < why.seam.axes.1;
        let between = match run.is_some() && run == run_of(k + 1) {
            true => "───".into(),
            // Axes of length 1 may be between the two.
            false if is_seam && k + 1 == why.seam.axes.1 => painted(BAD, " ╳ "),
            false => "   ".into(),
        };
        line.push_str(&between);
    }
    let (outer, inner) = (why.seam.axes.0, why.from.axes()[why.seam.axes.1]);
    let stride = why.from.axes()[outer].stride;
    let note = format!(
        "each bracket has one stride; ╳ is a seam: {stride} ≠ {} · {}",
        inner.len, inner.stride
    );
    format!("{line}   {}\n", painted(DIM, &note))
}

/// Returns the ranges of axes that form runs.
fn runs(layout: &Layout, why: &SeamCrossing) -> Vec<Range<usize>> {
    let explained = explain_view(layout, &why.to);
    let runs = explained.map(|it| it.runs).unwrap_or_default();
    runs.iter().map(|run| run.first..run.last + 1).collect()
}

/// Draws a bracket under the new axis that crosses the seam.
fn crossing(why: &SeamCrossing, axes: &Range<usize>, width: usize) -> String {
    let before = (why.seam.new_axis - axes.start) * (width + 3);
    let bracket = format!("╰{}╯", "─".repeat(width - 2));
    let note = painted(DIM, "this axis would cross ╳");
    format!("            {}{}   {note}\n", " ".repeat(before), painted(BAD, &bracket))
}

fn sentences(why: &SeamCrossing) -> String {
    let (outer, inner) = why.seam.axes;
    let joined = why.from.axes()[inner];
    let seam = why.seam;
    let inside: u128 = why.to[seam.new_axis + 1..].iter().map(|&len| len as u128).product();
    let lines = [
        format!(
            "axis {outer} has stride {}; to merge with axis {inner} it would need stride {} ({} · {})",
            seam.stride, seam.needed, joined.len, joined.stride
        ),
        format!(
            "new axis {} crosses that seam: its step is {}, and there is a seam every {}",
            seam.new_axis,
            elements(inside),
            seam.mark
        ),
        format!(
            "in row-major order, offset {} is followed by offset {}; in one run it would be {}",
            why.jump.0, why.jump.1, why.expected
        ),
    ];
    let lines: Vec<String> = lines.iter().map(|line| format!("    {line}\n")).collect();
    painted(BOLD, lines[0].trim_end()) + "\n" + &lines[1..].concat()
}

fn elements(n: u128) -> String {
    if n == 1 { "1 element".into() } else { format!("{n} elements") }
}

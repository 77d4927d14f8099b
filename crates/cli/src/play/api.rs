//! The JSON for the page: the report, and for each step the picture to draw.
//!
//! For a write in place, `written` are the numbers of the shown memory cells that were written and `before` are the
//! values before it, `null` if they are unknown. For a computation, `operands` are the pictures of the first operands,
//! `more_operands` the number of the others, and `computation` how the result depends on them.
//!
//! No other module uses these fields. Offsets are strings, since JavaScript's numbers are exact up to 2⁵³ only.

use super::operands::Computation;
use crate::explain::step::{Kind, Report, SeamCrossing, Step, TensorSnapshot, Values};
use belvedere_draw::{Limits, MemoryCell, Sketch, Visits, memory_cells, offset_formula};
use belvedere_layout::{Chain, Seam};
use serde_json::{Value, json};

/// The limits of the part of a view that the page shows.
const LIMITS: Limits = Limits { cells: 200, columns: 24, rows: 20 };

/// The number of operands that are drawn.
const MAX_OPERANDS: usize = 3;

/// Returns the JSON for the page: the fields of the report, and `drawing` for each step.
pub fn answer(report: &Report) -> Value {
    let mut answer = crate::report::json::report(report);
    let steps = answer["steps"].as_array_mut().into_iter().flatten();
    for (number, json) in steps.enumerate().take(report.steps.len()) {
        json["drawing"] = drawing(report, number);
    }
    answer
}

/// Returns the picture of a step: its result, or the refused view; `null` if there is neither.
fn drawing(report: &Report, number: usize) -> Value {
    let step = &report.steps[number];
    let inputs: Vec<(&Step, &TensorSnapshot)> = step
        .inputs
        .iter()
        .filter_map(|&k| report.steps.get(k))
        .filter_map(|it| Some((it, it.result.as_ref()?)))
        .collect();
    let refused = step.why.as_ref().zip(inputs.first()).map(|(why, (_, from))| {
        let from =
            TensorSnapshot { values: values_before(report, number, from), ..(*from).clone() };
        refusal(&from, why)
    });
    let Some(tensor) = &step.result else { return refused.unwrap_or_default() };
    let title = step.name.as_deref().unwrap_or("result");
    let view = View { title: title.to_string(), chain: tensor.chain.clone(), seam: None };
    let is_write = step.kind == Kind::InPlace;
    let before = is_write.then(|| Before {
        values: values_before(report, number, tensor),
        is_part: is_selection(report, step, &inputs, tensor),
    });
    let mut drawn = memory(tensor, step.kind == Kind::Copy, before.as_ref(), &[view]);
    if step.kind == Kind::Copy {
        drawn["because"] = refused.unwrap_or_default();
    }
    // The first operand of a write is the tensor that is written.
    let read = match step.kind {
        Kind::New => &inputs[..],
        Kind::InPlace => inputs.get(1..).unwrap_or_default(),
        _ => &[],
    };
    if !read.is_empty() {
        operands(&mut drawn, report, number, read, tensor);
    }
    drawn
}

/// Whether a write is to elements that a mask or an index list selects: the result of such a step is the whole tensor.
fn is_selection(
    report: &Report,
    step: &Step,
    inputs: &[(&Step, &TensorSnapshot)],
    result: &TensorSnapshot,
) -> bool {
    let target = report.source.get(step.span.clone()).unwrap_or_default();
    let is_whole = ["[:]", "[...]"].iter().any(|it| target.ends_with(it));
    let is_base = inputs.first().is_some_and(|(_, base)| base.chain == result.chain);
    step.op == "setitem" && is_base && !is_whole
}

/// Adds the pictures of the operands that a result was computed from.
fn operands(
    drawn: &mut Value,
    report: &Report,
    number: usize,
    inputs: &[(&Step, &TensorSnapshot)],
    result: &TensorSnapshot,
) {
    let step = &report.steps[number];
    let tensors: Vec<&TensorSnapshot> = inputs.iter().map(|it| it.1).collect();
    let shapes: Vec<&[usize]> = tensors.iter().map(|it| it.chain.shape()).collect();
    let computation = Computation::of(step, &tensors, result);
    let call = report.source.get(step.span.clone()).unwrap_or_default();
    let each = inputs.iter().take(MAX_OPERANDS).enumerate().map(|(k, &(from, it))| {
        let broadcast = match computation {
            Computation::Elementwise => it.chain.broadcast_to(result.chain.shape()).ok(),
            _ => None,
        };
        let chain = broadcast.unwrap_or_else(|| it.chain.clone());
        let title = from.name.clone().unwrap_or_else(|| from.expr.clone());
        let view = View { title, chain, seam: None };
        let it = TensorSnapshot { values: values_before(report, number, it), ..it.clone() };
        let mut operand = memory(&it, false, None, &[view]);
        let reads = computation.reads(k, &shapes, result.chain.shape(), call);
        operand["reads"] = reads.map(|it| it.json()).unwrap_or_default();
        operand
    });
    drawn["operands"] = each.collect();
    drawn["more_operands"] = json!(inputs.len().saturating_sub(MAX_OPERANDS));
    drawn["computation"] = json!(computation.name());
}

/// Returns the values in the memory of a tensor before a step. The tensor may be older, and its memory may have been
/// overwritten since: the last earlier step with the same memory has the values.
fn values_before(report: &Report, number: usize, tensor: &TensorSnapshot) -> Values {
    let earlier = report.steps[..number].iter().rev();
    for (step, it) in earlier.filter_map(|it| Some((it, it.result.as_ref()?))) {
        if it.memory == tensor.memory && it.dtype == tensor.dtype {
            return it.values.clone();
        }
        // Written as elements of another dtype.
        if it.memory == tensor.memory && step.kind == Kind::InPlace {
            return Values::Unknown;
        }
    }
    Values::Unknown
}

/// Returns the picture of a refused view: the source, and the requested shape.
fn refusal(from: &TensorSnapshot, why: &SeamCrossing) -> Value {
    let seam = Some((why.seam, why.jump));
    let source = Chain::new(why.from.clone());
    let requested = source.reshape(&why.to);
    let mut views = vec![View { title: "source".into(), chain: source, seam }];
    if let Ok(chain) = requested {
        views.push(View { title: "requested shape".into(), chain, seam });
    }
    memory(from, false, None, &views)
}

/// A view to draw as a grid.
struct View {
    title: String,
    chain: Chain,
    /// The seam that another shape would cross, and the offsets on both sides of it.
    seam: Option<(Seam, (usize, usize))>,
}

/// The memory before it was written.
struct Before {
    values: Values,
    /// Whether only a part of the view was written: the cells whose value changed, as far as values are known.
    is_part: bool,
}

/// Returns the picture of a memory and views of it; with `before` if the views were written.
fn memory(tensor: &TensorSnapshot, is_new: bool, before: Option<&Before>, views: &[View]) -> Value {
    let sketches: Vec<Sketch> = views.iter().map(|it| Sketch::new(&it.chain, LIMITS)).collect();
    let pairs: Vec<_> = views.iter().map(|it| &it.chain).zip(&sketches).collect();
    let shown_cells = memory_cells(tensor.memory_len, &pairs);
    let texts = |values: &Values| -> Vec<Option<String>> {
        shown_cells.iter().map(|cell| values.at(cell.at).map(|it| it.to_string())).collect()
    };
    let drawn = views.iter().zip(&sketches).map(|(view, sketch)| grid(view, sketch, &shown_cells));
    let mut made = json!({
        "memory": tensor.memory,
        "memory_len": tensor.memory_len.to_string(),
        "is_new": is_new,
        "at": shown_cells.iter().map(|it| it.at.to_string()).collect::<Vec<_>>(),
        "visits": shown_cells.iter().map(|it| visits(it.visits)).collect::<Vec<_>>(),
        "values": texts(&tensor.values),
        "views": drawn.collect::<Vec<_>>(),
    });
    if let Some(before) = before {
        let is_written = |&k: &usize| {
            let MemoryCell { at, visits } = shown_cells[k];
            let (old, new) = (before.values.at(at), tensor.values.at(at));
            visits != Visits::None && !(before.is_part && old.is_some() && old == new)
        };
        made["written"] = (0..shown_cells.len()).filter(is_written).collect();
        made["before"] = texts(&before.values).into();
    }
    made
}

/// Returns how often a memory cell is visited; `null` if it was not counted.
fn visits(visits: Visits) -> Value {
    match visits {
        Visits::None => json!(0),
        Visits::Times(n) => json!(n),
        Visits::Uncounted => Value::Null,
    }
}

fn grid(view: &View, sketch: &Sketch, shown_cells: &[MemoryCell]) -> Value {
    let View { title, chain, seam } = view;
    let number_of = |at: usize| shown_cells.binary_search_by_key(&at, |it| it.at).ok();
    let cells = sketch.cells.iter().map(|cell| {
        let mark = seam.map_or(0, |(seam, _)| seam.mark);
        json!({
            "index": cell.index,
            "place": cell.offset.and_then(number_of),
            "style": cell.style.name(),
            "sum": offset_formula(chain, &cell.index),
            "seam": mark > 0 && cell.number > 0 && cell.number.is_multiple_of(mark),
        })
    });
    json!({
        "title": title,
        "note": format!("{:?}", chain.shape()),
        "shape": sketch.shape,
        "shown": sketch.shown,
        "cells": cells.collect::<Vec<_>>(),
        "seam": seam.map(|(seam, (from, to))| json!({
            "from": from.to_string(),
            "to": to.to_string(),
            "stride": seam.stride.to_string(),
            "needed": seam.needed.to_string(),
            "axes": [seam.axes.0, seam.axes.1],
            "new_axis": seam.new_axis,
        })),
    })
}

//! The JSON for the page: the report, and for each step the picture to draw.
//!
//! No other module uses these fields. Offsets are strings, since JavaScript's numbers are exact up to 2⁵³ only.

use crate::explain::step::{Kind, Report, SeamCrossing, Step, TensorSnapshot};
use belvedere_draw::{Limits, MemoryCell, Sketch, Visits, memory_cells, offset_formula};
use belvedere_layout::{Chain, Seam};
use serde_json::{Value, json};

/// The limits of the part of a view that the page shows.
const LIMITS: Limits = Limits { cells: 200, columns: 24, rows: 20 };

/// Returns the JSON for the page: the fields of the report, and `drawing` for each step.
pub fn answer(report: &Report) -> Value {
    let mut answer = crate::report::json::report(report);
    let steps = answer["steps"].as_array_mut().into_iter().flatten();
    for (json, step) in steps.zip(&report.steps) {
        json["drawing"] = drawing(report, step);
    }
    answer
}

/// Returns the picture of a step: its result, or the refused view; `null` if there is neither.
fn drawing(report: &Report, step: &Step) -> Value {
    let inputs: Vec<(&Step, &TensorSnapshot)> = step
        .inputs
        .iter()
        .filter_map(|&k| report.steps.get(k))
        .filter_map(|it| Some((it, it.result.as_ref()?)))
        .collect();
    let refused = step.why.as_ref().zip(inputs.first()).map(|(why, (_, from))| refusal(from, why));
    let Some(tensor) = &step.result else { return refused.unwrap_or_default() };
    let title = step.name.as_deref().unwrap_or("result");
    let view = View { title: title.to_string(), chain: tensor.chain.clone(), seam: None };
    let mut drawn = memory(tensor, step.kind == Kind::Copy, &[view]);
    if step.kind == Kind::Copy {
        drawn["because"] = refused.unwrap_or_default();
    }
    if step.kind == Kind::New && inputs.len() > 1 {
        drawn["operands"] = inputs
            .iter()
            // The operands of a matrix product are not broadcast to the shape of the result.
            .map(|(from, it)| operand(from, it, if step.op == "matmul" { it } else { tensor }))
            .collect();
    }
    drawn
}

/// Returns the picture of an operand, broadcast to the shape of the result.
fn operand(step: &Step, tensor: &TensorSnapshot, result: &TensorSnapshot) -> Value {
    let title = step.name.clone().unwrap_or_else(|| step.expr.clone());
    let broadcast = tensor.chain.broadcast_to(result.chain.shape());
    let chain = broadcast.unwrap_or_else(|_| tensor.chain.clone());
    memory(tensor, false, &[View { title, chain, seam: None }])
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
    memory(from, false, &views)
}

/// A view to draw as a grid.
struct View {
    title: String,
    chain: Chain,
    /// The seam that another shape would cross, and the offsets on both sides of it.
    seam: Option<(Seam, (usize, usize))>,
}

/// Returns the picture of a memory and views of it.
fn memory(tensor: &TensorSnapshot, is_new: bool, views: &[View]) -> Value {
    let sketches: Vec<Sketch> = views.iter().map(|it| Sketch::new(&it.chain, LIMITS)).collect();
    let pairs: Vec<_> = views.iter().map(|it| &it.chain).zip(&sketches).collect();
    let shown_cells = memory_cells(tensor.memory_len, &pairs);
    let value = |cell: &MemoryCell| tensor.values.at(cell.at).map(|it| it.to_string());
    let drawn = views.iter().zip(&sketches).map(|(view, sketch)| grid(view, sketch, &shown_cells));
    json!({
        "memory": tensor.memory,
        "memory_len": tensor.memory_len.to_string(),
        "is_new": is_new,
        "at": shown_cells.iter().map(|it| it.at.to_string()).collect::<Vec<_>>(),
        "visits": shown_cells.iter().map(|it| visits(it.visits)).collect::<Vec<_>>(),
        "values": shown_cells.iter().map(value).collect::<Vec<_>>(),
        "views": drawn.collect::<Vec<_>>(),
    })
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

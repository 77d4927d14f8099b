//! The JSON for the page: the report, and for each step the picture to draw.
//!
//! No other module uses these fields. Offsets are strings, since JavaScript's numbers are exact up to 2⁵³ only.

use crate::explain::step::{Kind, Report, Seen, Step, Why};
use belvedere_draw::{Limits, MemoryCell, Sketch, Visits, memory_cells, offset_formula};
use belvedere_layout::{Chain, Seam};
use serde_json::{Value, json};

/// How much of a view the page shows.
const LIMITS: Limits = Limits { cells: 200, columns: 24, rows: 20 };

/// Returns the JSON for the page: the fields of the report, and `drawing` for each step.
pub fn answer(report: &Report) -> Value {
    let mut answer = crate::report::json::report(report);
    let steps = answer["steps"].as_array_mut().into_iter().flatten();
    for (told, step) in steps.zip(&report.steps) {
        told["drawing"] = drawing(report, step);
    }
    answer
}

/// What is drawn for a step, if there is anything to see: its result, or why there is none.
fn drawing(report: &Report, step: &Step) -> Value {
    let inputs: Vec<(&Step, &Seen)> = step
        .inputs
        .iter()
        .filter_map(|&k| report.steps.get(k))
        .filter_map(|it| Some((it, it.result.as_ref()?)))
        .collect();
    let refused = step.why.as_ref().zip(inputs.first()).map(|(why, (_, from))| refusal(from, why));
    let Some(seen) = &step.result else { return refused.unwrap_or_default() };
    let title = step.name.as_deref().unwrap_or("result");
    let view = View { title: title.to_string(), chain: seen.chain.clone(), seam: None };
    let mut drawn = memory(seen, step.kind == Kind::Copy, &[view]);
    if step.kind == Kind::Copy {
        drawn["because"] = refused.unwrap_or_default();
    }
    if step.kind == Kind::New && inputs.len() > 1 {
        drawn["operands"] = inputs
            .iter()
            // A matrix product is not made cell by cell: its operands are shown as they are.
            .map(|(from, it)| operand(from, it, if step.op == "matmul" { it } else { seen }))
            .collect();
    }
    drawn
}

/// An operand of arithmetic as the operation sees it: spread over the shape of the result.
fn operand(step: &Step, seen: &Seen, result: &Seen) -> Value {
    let title = step.name.clone().unwrap_or_else(|| step.expr.clone());
    let spread = seen.chain.broadcast_to(result.chain.shape());
    let chain = spread.unwrap_or_else(|_| seen.chain.clone());
    memory(seen, false, &[View { title, chain, seam: None }])
}

/// A view that does not exist: what it was to be made from, and the shape it was to have.
fn refusal(from: &Seen, why: &Why) -> Value {
    let seam = Some((why.seam, why.jump));
    let source = Chain::new(why.from.clone());
    let wanted = source.reshape(&why.to);
    let mut views = vec![View { title: "there is".into(), chain: source, seam }];
    if let Ok(chain) = wanted {
        views.push(View { title: "asked for".into(), chain, seam });
    }
    memory(from, false, &views)
}

/// A grid of the page.
struct View {
    title: String,
    chain: Chain,
    /// The seam that is in the way of another shape, and the places on both sides of it.
    seam: Option<(Seam, (usize, usize))>,
}

/// A memory and views of it.
fn memory(seen: &Seen, is_new: bool, views: &[View]) -> Value {
    let sketches: Vec<Sketch> = views.iter().map(|it| Sketch::new(&it.chain, LIMITS)).collect();
    let pairs: Vec<_> = views.iter().map(|it| &it.chain).zip(&sketches).collect();
    let places = memory_cells(seen.memory_len, &pairs);
    let value = |place: &MemoryCell| seen.values.at(place.at).map(|it| it.to_string());
    let drawn = views.iter().zip(&sketches).map(|(view, sketch)| grid(view, sketch, &places));
    json!({
        "memory": seen.memory,
        "memory_len": seen.memory_len.to_string(),
        "is_new": is_new,
        "at": places.iter().map(|it| it.at.to_string()).collect::<Vec<_>>(),
        "visits": places.iter().map(|it| visits(it.visits)).collect::<Vec<_>>(),
        "values": places.iter().map(value).collect::<Vec<_>>(),
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

fn grid(view: &View, sketch: &Sketch, places: &[MemoryCell]) -> Value {
    let View { title, chain, seam } = view;
    let number_of = |at: usize| places.binary_search_by_key(&at, |it| it.at).ok();
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

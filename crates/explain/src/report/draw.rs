//! Pictures of the steps, drawn with `belvedere-draw`.

use super::style::list;
use crate::step::{Kind, Report, Seen, Step};
use belvedere_draw::{Album, Picture, TextOptions, View};
use belvedere_layout::Chain;

/// The pictures for a terminal.
pub fn text(report: &Report, style: TextOptions) -> String {
    album(report).to_text(style)
}

/// The pictures as one file that any browser shows.
pub fn svg(report: &Report) -> String {
    album(report).to_svg()
}

/// The pictures as a page of its own.
pub fn html(report: &Report) -> String {
    album(report).to_page(&super::style::cut(report.source.trim(), 80))
}

/// A picture for every step that there is something to see of.
pub fn album(report: &Report) -> Album {
    Picture::album(report.steps.iter().filter_map(|step| picture(report, step)))
}

fn picture(report: &Report, step: &Step) -> Option<Picture> {
    match (&step.result, &step.why) {
        (Some(seen), _) => {
            let strides = seen
                .layout()
                .map_or("lens".into(), |it| format!("strides {}", list(&it.strides())));
            let note = format!("{} {}, {strides}", step.kind.name(), list(seen.chain.shape()));
            let view = View::new(seen.chain.clone()).title(title(step)).note(note);
            let picture = memory(seen).view(view);
            Some(if step.kind == Kind::Copy { picture.copied() } else { picture })
        }
        (None, Some(why)) => {
            let from = step.inputs.first().and_then(|&it| report.steps.get(it)?.result.as_ref())?;
            let source = View::new(why.from.clone()).title("what is there").seam(why.seam);
            let picture = memory(from).view(source);
            match Chain::new(why.from.clone()).reshape(&why.to) {
                Ok(wanted) => {
                    let view = View::new(wanted).title(title(step)).note("no strides do this");
                    Some(picture.view(view.seam(why.seam)))
                }
                Err(_) => Some(picture),
            }
        }
        (None, None) => None,
    }
}

fn title(step: &Step) -> String {
    let expr = super::style::cut(&step.expr, 60);
    match &step.name {
        Some(name) if !step.expr.contains(" = ") => format!("{name} = {expr}"),
        _ => expr,
    }
}

/// A name for a memory, as on the page: A, B, …
fn memory_name(number: usize) -> String {
    match u8::try_from(number) {
        Ok(number @ 0..26) => char::from(b'A' + number).to_string(),
        _ => format!("no. {}", number + 1),
    }
}

/// The memory of a step, with its values where they are known.
fn memory(seen: &Seen) -> Picture {
    let values = seen.values.clone();
    let name = format!("memory {}", memory_name(seen.memory));
    let picture = Picture::new(seen.memory_len).name(name);
    picture.values(move |at| values.at(at).map_or_else(|| "?".into(), |it| it.to_string()))
}

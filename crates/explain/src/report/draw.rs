//! Pictures of the steps, drawn with `belvedere-draw`.

use super::style::list;
use crate::step::{Kind, Report, Step, TensorSnapshot, Values};
use belvedere_draw::{Album, Picture, TextOptions, View};
use belvedere_layout::Chain;

/// Draws the steps for a terminal.
pub fn text(report: &Report, style: TextOptions) -> String {
    album(report).to_text(style)
}

/// Draws the steps as an SVG document.
pub fn svg(report: &Report) -> String {
    album(report).to_svg()
}

/// Draws the steps as an HTML page.
pub fn html(report: &Report) -> String {
    album(report).to_page(&super::style::cut(report.source.trim(), 80))
}

/// The most pictures of a report. The steps of a traced program may be many more.
const MAX_PICTURES: usize = 60;

/// Returns a picture for each of the first 60 steps with a tensor or a refused view, and the number of the others.
pub fn album(report: &Report) -> Album {
    let mut pictures = report.steps.iter().filter_map(|step| picture(report, step));
    let mut drawn: Vec<Picture> = pictures.by_ref().take(MAX_PICTURES).collect();
    let n_more = pictures.count();
    if n_more > 0 {
        let note = format!("{n_more} more are not drawn");
        drawn.push(Picture::new(0).name("…").note(note));
    }
    Picture::album(drawn)
}

fn picture(report: &Report, step: &Step) -> Option<Picture> {
    match (&step.result, &step.why) {
        (Some(tensor), _) => {
            let strides = tensor
                .layout()
                .map_or("lens".into(), |it| format!("strides {}", list(&it.strides())));
            let note = format!("{} {}, {strides}", step.kind.name(), list(tensor.chain.shape()));
            let view = View::new(tensor.chain.clone()).title(title(step)).note(note);
            let picture = memory(tensor).view(view);
            Some(if step.kind == Kind::Copy { picture.copied() } else { picture })
        }
        (None, Some(why)) => {
            let from = step.inputs.first().and_then(|&it| report.steps.get(it)?.result.as_ref())?;
            let source = View::new(why.from.clone()).title("source").seam(why.seam);
            let picture = memory(from).view(source);
            match Chain::new(why.from.clone()).reshape(&why.to) {
                Ok(wanted) => {
                    let view =
                        View::new(wanted).title(title(step)).note("not expressible by strides");
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

/// Returns the name of a memory: A, B, …, as on the playground page.
fn memory_name(number: usize) -> String {
    match u8::try_from(number) {
        Ok(number @ 0..26) => char::from(b'A' + number).to_string(),
        _ => format!("no. {}", number + 1),
    }
}

/// Returns a picture of the memory of a tensor, with its values, or with offsets if they are unknown.
fn memory(tensor: &TensorSnapshot) -> Picture {
    let values = tensor.values.clone();
    let name = format!("memory {}", memory_name(tensor.memory));
    let picture = Picture::new(tensor.memory_len).name(name);
    if matches!(values, Values::Unknown) {
        return picture;
    }
    picture.values(move |at| values.at(at).map_or_else(|| "?".into(), |it| it.to_string()))
}

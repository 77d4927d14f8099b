//! The rows as an SVG: a line for each function, a cell for each layout.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::operands::Placement;
use super::report::{Row, geometric_mean};

const LEFT: usize = 150;
const TOP: usize = 60;
const CELL_WIDTH: usize = 90;
const CELL_HEIGHT: usize = 15;
/// The factor at which a colour is saturated.
const MAX_FACTOR: f64 = 4.0;

/// Draws the geometric mean over dtypes and sizes, as a colour and a number.
pub fn draw(rows: &[Row]) -> String {
    let mut cells: BTreeMap<&str, BTreeMap<Placement, Vec<f64>>> = BTreeMap::new();
    for row in rows {
        let line = cells.entry(row.call.function).or_default();
        line.entry(row.placement).or_default().push(row.ratio());
    }
    let width = LEFT + CELL_WIDTH * Placement::ALL.len() + 10;
    let height = TOP + CELL_HEIGHT * cells.len() + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" \
         font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" y=\"18\" \
         font-size=\"12\">time of contiguous operands ÷ time of the layout, geometric mean</text>\n"
    );
    for (k, placement) in Placement::ALL.into_iter().enumerate() {
        let x = LEFT + k * CELL_WIDTH + 4;
        line(&mut svg, format_args!("<text x=\"{x}\" y=\"{}\">{placement}</text>", TOP - 6));
    }
    for (n, (function, ratios)) in cells.iter().enumerate() {
        let y = TOP + n * CELL_HEIGHT;
        line(&mut svg, format_args!("<text x=\"8\" y=\"{}\">{function}</text>", y + 11));
        for (k, placement) in Placement::ALL.into_iter().enumerate() {
            let Some(ratios) = ratios.get(&placement) else { continue };
            let (x, ratio) = (LEFT + k * CELL_WIDTH, geometric_mean(ratios));
            line(
                &mut svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\"/><text x=\"{}\" y=\"{}\" \
                     text-anchor=\"end\">{ratio:.2}</text>",
                    CELL_WIDTH - 2,
                    CELL_HEIGHT - 1,
                    colour(ratio),
                    x + CELL_WIDTH - 8,
                    y + 11
                ),
            );
        }
    }
    svg + "</svg>\n"
}

/// Red below 1, white at 1, green above.
fn colour(ratio: f64) -> String {
    let strength = (ratio.ln() / MAX_FACTOR.ln()).clamp(-1.0, 1.0);
    let fade = (255.0 * (1.0 - strength.abs())).round();
    match strength > 0.0 {
        true => format!("rgb({fade},{},{fade})", (200.0 + fade * 55.0 / 255.0).round()),
        false => format!("rgb({},{fade},{fade})", (235.0 + fade * 20.0 / 255.0).round()),
    }
}

fn line(svg: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(svg, "{text}").expect("a text can be written");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_saturated_on_both_sides() {
        assert_eq!(colour(4.0), colour(100.0));
        assert_eq!(colour(0.25), "rgb(235,0,0)");
        assert_eq!(colour(1.0), "rgb(255,255,255)");
    }
}

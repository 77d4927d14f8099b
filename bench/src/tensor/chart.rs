//! Bar charts of the ratios of the peers' times to Belvedere's, as SVG.

use super::report::{Report, Row};
use std::fmt::Write;

/// The palette of Okabe and Ito, which colour-blind readers can distinguish.
const COLOURS: [&str; 4] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"];

const LEFT: f64 = 300.0;
const WIDTH: f64 = 560.0;
const BAR: f64 = 7.0;
/// The range of ratios drawn; longer bars are cut and labelled.
const MIN_RATIO: f64 = 0.25;
const MAX_RATIO: f64 = 32.0;

/// The rows of the chart in the README, by their labels: a view, copies, elementwise operations, reductions and
/// products, including rows in which a peer is faster.
const SUMMARY: [&str; 10] = [
    "transpose, metadata only",
    "copy of the transpose, 4096²",
    "copy NCHW → NHWC (32,64,56,56)",
    "add 16",
    "add 16 M",
    "a + bᵀ, 4096²",
    "sum axis 0, 4096²",
    "exp 4 M",
    "gelu 4 M",
    "matmul 1024³ NN",
];

/// Draws the ratio of each peer's time to Belvedere's, for every row, on a logarithmic scale.
pub fn bars(report: &Report) -> String {
    draw(report, &report.rows.iter().collect::<Vec<_>>())
}

/// Draws the same for the rows of the README.
pub fn summary(report: &Report) -> String {
    let is_in_summary = |row: &&Row| SUMMARY.contains(&row.label().as_str());
    draw(report, &report.rows.iter().filter(is_in_summary).collect::<Vec<_>>())
}

fn draw(report: &Report, rows: &[&Row]) -> String {
    let row_height = BAR * report.peers.len() as f64 + 9.0;
    let height = 70.0 + row_height * rows.len() as f64 + 20.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <style>text {{ fill: #222 }} .grid {{ stroke: #bbb }} @media (prefers-color-scheme: dark) \
         {{ text {{ fill: #ddd }} .grid {{ stroke: #555 }} }}</style>\n\
         <text x=\"10\" y=\"18\" font-size=\"14\">A peer's time ÷ Belvedere's: right of 1 Belvedere is \
         ahead</text>\n<text x=\"10\" y=\"34\">{}</text>\n",
        LEFT + WIDTH + 60.0,
        report.about
    );
    for (n, name) in report.peers.iter().enumerate() {
        let (x, colour) = (10.0 + 170.0 * n as f64, COLOURS[n % COLOURS.len()]);
        write(
            &mut svg,
            format_args!(
                "<rect x=\"{x}\" y=\"44\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" \
             y=\"53\">{name}</text>",
                x + 14.0
            ),
        );
    }
    for ratio in [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
        let x = x_of_ratio(ratio);
        let width = if ratio == 1.0 { 2 } else { 1 };
        write(
            &mut svg,
            format_args!(
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"62\" y2=\"{:.1}\" \
             stroke-width=\"{width}\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{ratio}×</text>",
                height - 16.0,
                height - 4.0
            ),
        );
    }
    for (i, row) in rows.iter().enumerate() {
        let y = 66.0 + row_height * i as f64;
        write(
            &mut svg,
            format_args!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + row_height / 2.0,
                row.label()
            ),
        );
        for (n, ratio) in row.ratios().enumerate() {
            let Some(ratio) = ratio else { continue };
            let (from, to) = (x_of_ratio(1.0), x_of_ratio(ratio));
            write(
                &mut svg,
                format_args!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\"/>",
                    from.min(to),
                    y + BAR * n as f64,
                    (to - from).abs().max(1.0),
                    BAR - 1.0,
                    COLOURS[n % COLOURS.len()]
                ),
            );
            // The label of a cut bar is right of the bar.
            let (at, text) = match ratio {
                it if it > MAX_RATIO => (to, format!("▸ {it:.0}×")),
                it if it < MIN_RATIO => (from, format!("◂ {it:.2}×")),
                _ => continue,
            };
            write(
                &mut svg,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"7.5\">{text}</text>",
                    at + 3.0,
                    y + BAR * (n as f64 + 0.9)
                ),
            );
        }
    }
    svg + "</svg>\n"
}

/// The x coordinate of a ratio.
fn x_of_ratio(ratio: f64) -> f64 {
    let (least, most) = (MIN_RATIO.log2(), MAX_RATIO.log2());
    LEFT + WIDTH * (ratio.clamp(MIN_RATIO, MAX_RATIO).log2() - least) / (most - least)
}

fn write(svg: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(svg, "{line}").expect("a text can be written");
}

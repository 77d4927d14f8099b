//! Pictures as SVG: self-contained, without scripts and fonts, for light and dark colour schemes.

use crate::grid::{CellMetrics, Grid};
use crate::palette::colour_of;
use crate::picture::{Picture, View};
use crate::sketch::{Cell, CellStyle, MemoryCell, Sketch, Visits, offset_formula};
use std::fmt::Write;

/// Sizes, in pixels.
const MARGIN: usize = 28;
const CELL: usize = 36;
const GAP: usize = 4;
const LETTER: usize = 8;
const PAGE_WIDTH: usize = 960;
const VIEW_GAP: usize = 56;
const LINE: usize = 20;

/// The largest width of a cell, for long values.
const MAX_CELL: usize = 92;

/// The style sheet. The colours of cells are attributes of their elements.
const STYLE: &str = "\
.bv{--paper:#fbfaf7;--ink:#1f2328;--soft:#5c6470;--line:#c3c8cf;--seam:#c4254a}\
@media(prefers-color-scheme:dark){.bv{--paper:#14171c;--ink:#e8eaed;--soft:#a0a8b4;--line:#454c57;--seam:#ff6d87}}\
.bv text{fill:var(--ink);font:600 14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
.bv .paper{fill:var(--paper)}\
.bv .note{font:13px ui-sans-serif,system-ui,-apple-system,\"Segoe UI\",sans-serif;fill:var(--soft)}\
.bv .label{text-anchor:middle;dominant-baseline:central}\
.bv .light{fill:#fff}.bv .dark{fill:#000}.bv .faint{fill:var(--soft);font-weight:400}\
.bv .mark{text-anchor:middle;font-size:11px;fill:var(--soft)}\
.bv .unused,.bv .padding{fill:none;stroke:var(--line)}.bv .padding{stroke-dasharray:3 4}\
.bv .repeated{fill-opacity:.16;stroke-width:2.5}\
.bv .hatch{fill:url(#bv-hatch)}\
.bv .table,.bv .new{fill:none;stroke:var(--line)}.bv .new{stroke:var(--soft);stroke-dasharray:7 4}\
.bv .halo{fill:none;stroke:var(--paper);stroke-width:7}\
.bv .seam{fill:none;stroke:var(--seam);stroke-width:3;stroke-linejoin:round;stroke-linecap:round}\
.bv .said{fill:var(--seam)}\
.bv .dot{fill:var(--seam);stroke:var(--paper);stroke-width:2}";

/// The pattern at the bottom of cells that occur in several windows.
const HATCH: &str = "<pattern id=\"bv-hatch\" width=\"5\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
                     patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"7\" fill=\"#fff\" \
                     fill-opacity=\".9\"/></pattern>";

/// Draws pictures below each other.
pub(crate) fn draw(pictures: &[Picture]) -> String {
    let mut page = SvgPage { body: String::new(), right: 0, y: MARGIN };
    for (i, picture) in pictures.iter().enumerate() {
        if i > 0 {
            page.y += LINE * 2;
        }
        SvgDrawing::new(picture).put(&mut page);
    }
    let (width, height) = (page.right + MARGIN, page.y + MARGIN);
    let title = escape(&summary(pictures));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bv\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>{STYLE}</style>\n<defs>{HATCH}</defs>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"12\"/>\n{}</svg>\n",
        page.body
    )
}

/// Returns the description of the pictures for `aria-label`.
fn summary(pictures: &[Picture]) -> String {
    let of = |it: &Picture| {
        let views: Vec<String> = it.views.iter().map(view_in_words).collect();
        format!("{} of {} elements, viewed as {}", it.name, it.memory_len, views.join(" and as "))
    };
    pictures.iter().map(of).collect::<Vec<_>>().join("; ")
}

fn view_in_words(view: &View) -> String {
    let shape = format!("{:?}", view.chain.shape());
    if view.title.is_empty() { shape } else { format!("{} {shape}", view.title) }
}

/// Escapes text for XML content and attribute values.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // Most control characters are not allowed in XML.
            it if it.is_control() => escaped.push(' '),
            it => escaped.push(it),
        }
    }
    escaped
}

/// The elements drawn so far, their right edge, and the y coordinate of the next element.
struct SvgPage {
    body: String,
    right: usize,
    y: usize,
}

impl SvgPage {
    fn add(&mut self, tag: std::fmt::Arguments<'_>) {
        self.body.write_fmt(tag).expect("writing to a string does not fail");
        self.body.push('\n');
    }

    fn text(&mut self, x: usize, y: usize, class: &str, text: &str) {
        let letter = if class == "note" || class == "note said" { LETTER - 1 } else { LETTER + 1 };
        self.right = self.right.max(x + text.chars().count() * letter);
        let text = escape(text);
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{text}</text>"));
    }
}

/// A picture being drawn as SVG.
struct SvgDrawing<'a> {
    picture: &'a Picture,
    sketches: Vec<Sketch>,
    memory_cells: Vec<MemoryCell>,
    /// The width of a cell.
    cell: usize,
}

impl SvgDrawing<'_> {
    fn new(picture: &Picture) -> SvgDrawing<'_> {
        let (sketches, memory_cells) = picture.sketch();
        let lengths = memory_cells.iter().map(|it| picture.label_of(it.at).chars().count());
        let cell = (lengths.max().unwrap_or(1) * LETTER + 12).clamp(CELL, MAX_CELL);
        SvgDrawing { picture, sketches, memory_cells, cell }
    }

    fn put(&self, page: &mut SvgPage) {
        self.memory(page);
        self.views(page);
        self.legend(page);
    }

    /// Draws the memory, on several lines if necessary.
    fn memory(&self, page: &mut SvgPage) {
        let Picture { name, note, memory_len, is_copy, .. } = self.picture;
        let top = page.y;
        let note = match (memory_len, note.as_str()) {
            (1, "") => "1 element".to_string(),
            (n, "") => format!("{n} elements"),
            (_, note) => note.to_string(),
        };
        page.text(MARGIN, top + 8, "", name);
        page.text(MARGIN + (name.chars().count() + 1) * (LETTER + 1), top + 8, "note", &note);
        let has_marks =
            self.memory_cells.iter().any(|it| matches!(it.visits, Visits::Times(n) if n > 1));
        let pitch = CELL + GAP + if has_marks { 14 } else { 0 };
        let (mut x, mut y) = (MARGIN, top + LINE);
        let mut right = MARGIN;
        for (i, memory_cell) in self.memory_cells.iter().enumerate() {
            let is_gap = i > 0 && memory_cell.at != self.memory_cells[i - 1].at + 1;
            if x + self.cell + if is_gap { CELL } else { 0 } > PAGE_WIDTH + MARGIN {
                (x, y) = (MARGIN, y + pitch);
            }
            if is_gap {
                dots(page, (x, y), false, CELL / 2);
                x += CELL / 2 + GAP;
            }
            self.memory_cell(page, memory_cell, x, y);
            right = right.max(x + self.cell);
            x += self.cell + GAP;
        }
        page.y = y + if self.memory_cells.is_empty() { 0 } else { pitch };
        page.right = page.right.max(right);
        if *is_copy {
            let (width, height) = (right - MARGIN + 16, page.y - top - LINE + 12);
            let (x, y) = (MARGIN - 8, top + LINE - 8);
            page.add(format_args!(
                "<rect class=\"new\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"9\"/>"
            ));
            page.y += 8;
        }
    }

    fn memory_cell(&self, page: &mut SvgPage, memory_cell: &MemoryCell, x: usize, y: usize) {
        let label = self.picture.label_of(memory_cell.at);
        match memory_cell.visits {
            Visits::None => {
                let title = format!("{}: not in a view", memory_cell.at);
                self.rect(page, (x, y), "unused", "", &title);
                self.label(page, (x, y), "faint", &label);
            }
            _ => {
                let title = memory_cell.at.to_string();
                self.rect(page, (x, y), "place", &self.fill(memory_cell.at), &title);
                self.label(page, (x, y), self.ink(memory_cell.at), &label);
            }
        }
        if let Visits::Times(n @ 2..) = memory_cell.visits {
            let (x, y) = (x + self.cell / 2, y + CELL + 12);
            page.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"mark\">×{n}</text>"));
        }
    }

    fn fill(&self, at: usize) -> String {
        colour_of(at, self.picture.memory_len).to_hex()
    }

    fn ink(&self, at: usize) -> &'static str {
        if colour_of(at, self.picture.memory_len).is_dark() { "light" } else { "dark" }
    }

    fn rect(&self, page: &mut SvgPage, at: (usize, usize), class: &str, fill: &str, title: &str) {
        let (x, y) = at;
        let fill = match (class, fill) {
            (_, "") => String::new(),
            ("repeated", fill) => format!(" fill=\"{fill}\" stroke=\"{fill}\""),
            (_, fill) => format!(" fill=\"{fill}\""),
        };
        // The outline of repeated cells is inside of them.
        let inset = if class == "repeated" { 1.25 } else { 0.0 };
        let (x, y) = (x as f64 + inset, y as f64 + inset);
        let (width, height) = (self.cell as f64 - 2.0 * inset, CELL as f64 - 2.0 * inset);
        let title = escape(title);
        page.add(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             rx=\"5\"{fill}><title>{title}</title></rect>"
        ));
    }

    fn label(&self, page: &mut SvgPage, (x, y): (usize, usize), class: &str, label: &str) {
        let (x, y) = (x + self.cell / 2, y + CELL / 2 + 1);
        let room = (self.cell - 6) / LETTER;
        let label = escape(&shortened(label, room));
        page.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" class=\"label {class}\" pointer-events=\"none\">{label}</text>"
        ));
    }

    /// Draws the views next to each other, as many as fit in a row.
    fn views(&self, page: &mut SvgPage) {
        let metrics = CellMetrics {
            cell: (self.cell, CELL),
            near: (GAP, GAP),
            far: (24, 20),
            dots: (CELL / 2, CELL / 2),
            heading: LINE + 8,
        };
        let (mut x, mut bottom) = (MARGIN, page.y);
        let mut top = page.y + LINE + 8;
        for (view, sketch) in self.picture.views.iter().zip(&self.sketches) {
            let grid = Grid::new(sketch, &metrics);
            let width = width_of(view, &grid);
            if x > MARGIN && x + width > PAGE_WIDTH + MARGIN {
                (x, top) = (MARGIN, bottom + LINE + 8);
            }
            let end = self.view(page, view, sketch, &grid, (x, top));
            bottom = bottom.max(end);
            page.right = page.right.max(x + grid.size.0);
            x += width + VIEW_GAP;
        }
        page.y = bottom;
    }

    /// Draws one view, and returns the y coordinate below it.
    fn view(
        &self,
        page: &mut SvgPage,
        view: &View,
        sketch: &Sketch,
        grid: &Grid,
        (x, mut y): (usize, usize),
    ) -> usize {
        for (text, class) in [(&view.title, ""), (&view.note, "note")] {
            if !text.is_empty() {
                page.text(x, y + 8, class, text);
                y += LINE;
            }
        }
        if sketch.cells.is_empty() {
            page.text(x, y + 8, "note", "no elements");
            return y + LINE;
        }
        for table in &grid.tables {
            let index: Vec<String> = table.index.iter().map(usize::to_string).collect();
            let (left, top) = (x + table.at.0, y + table.at.1);
            page.text(left, top + LINE - 7, "note", &format!("[{}]", index.join(", ")));
        }
        for (cell, at) in sketch.cells.iter().zip(&grid.cells) {
            self.cell(page, view, cell, (x + at.0, y + at.1));
        }
        for mark in &grid.dots {
            let at = (x + mark.at.0, y + mark.at.1);
            dots(page, at, mark.is_down, if mark.is_down { self.cell } else { CELL / 2 });
        }
        self.seams(page, view, sketch, grid, (x, y));
        y += grid.size.1;
        if let Some(text) = view.seam_text() {
            page.text(x, y + LINE + 2, "note said", &text);
            y += LINE + 6;
        }
        y
    }

    fn cell(&self, page: &mut SvgPage, view: &View, cell: &Cell, at: (usize, usize)) {
        let title = format!("{:?}: {}", cell.index, offset_formula(&view.chain, &cell.index));
        let Some(offset) = cell.offset else {
            return self.rect(page, at, "padding", "", &title);
        };
        let (fill, label) = (self.fill(offset), self.picture.label_of(offset));
        match cell.style {
            CellStyle::Repeated => {
                self.rect(page, at, "repeated", &fill, &title);
                self.label(page, at, "", &label);
            }
            CellStyle::Window => {
                self.rect(page, at, "window", &fill, &title);
                let (x, y, width) = (at.0 + 3, at.1 + CELL - 8, self.cell - 6);
                page.add(format_args!(
                    "<rect class=\"hatch\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"5\" \
                     rx=\"2\" pointer-events=\"none\"/>"
                ));
                self.label(page, at, self.ink(offset), &label);
            }
            CellStyle::Plain | CellStyle::Padding => {
                self.rect(page, at, "cell", &fill, &title);
                self.label(page, at, self.ink(offset), &label);
            }
        }
        if view.is_marked(offset) {
            let (x, y) = (at.0 + self.cell - 3, at.1 + 3);
            page.add(format_args!(
                "<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"6\" pointer-events=\"none\"/>"
            ));
        }
    }

    fn seams(
        &self,
        page: &mut SvgPage,
        view: &View,
        sketch: &Sketch,
        grid: &Grid,
        (left, top): (usize, usize),
    ) {
        let Some(seam) = &view.seam else { return };
        let row_len = sketch.shown.last().map_or(1, Vec::len);
        for (i, (cell, at)) in sketch.cells.iter().zip(&grid.cells).enumerate() {
            if !seam.is_before(cell.number) {
                continue;
            }
            let (x, y) = ((left + at.0) as f64, (top + at.1) as f64);
            let half = GAP as f64 / 2.0;
            if cell.index.last().is_some_and(|&i| i > 0) {
                zigzag(page, (x - half, y - 3.0), CELL + 6, true);
            } else {
                let last = grid.cells.get(i + row_len - 1).map_or(at.0, |it| it.0);
                zigzag(page, (x - 3.0, y - half), last + self.cell - at.0 + 6, false);
            }
        }
    }

    /// Draws the legend of the cell styles that occur.
    fn legend(&self, page: &mut SvgPage) {
        let styles = [
            (CellStyle::Repeated, "outlined: repeated element"),
            (CellStyle::Window, "striped: also in another window"),
            (CellStyle::Padding, "dashed: padding"),
        ];
        let cells = || self.sketches.iter().flat_map(|it| &it.cells);
        let used = styles.iter().filter(|(style, _)| cells().any(|it| it.style == *style));
        let mut words: Vec<String> = used.map(|(_, text)| text.to_string()).collect();
        let meanings = self.picture.meanings_of_marks(&self.sketches);
        words.extend(meanings.iter().map(|it| format!("dot: {it}")));
        if !words.is_empty() {
            page.y += LINE + 8;
            page.text(MARGIN, page.y, "note", &words.join(" · "));
        }
    }
}

/// Returns the width of a view with its texts.
fn width_of(view: &View, grid: &Grid) -> usize {
    let letters = |text: &str, letter: usize| text.chars().count() * letter;
    let seam_text = view.seam_text().unwrap_or_default();
    let texts = letters(&view.title, LETTER + 1)
        .max(letters(&view.note, LETTER - 1))
        .max(letters(&seam_text, LETTER - 1));
    grid.size.0.max(texts)
}

fn dots(page: &mut SvgPage, (x, y): (usize, usize), is_down: bool, room: usize) {
    let (mark, y) = if is_down { ("⋮", y + CELL / 4) } else { ("…", y + CELL / 2) };
    let x = x + room / 2;
    page.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"label faint\">{mark}</text>"));
}

/// Draws a zigzag line on a lighter one, which keeps it visible over cells.
fn zigzag(page: &mut SvgPage, (x, y): (f64, f64), length: usize, is_down: bool) {
    let n = (length / 7).max(2);
    let mut path = format!("M{x} {y}");
    for i in 1..=n {
        let along = length as f64 * i as f64 / n as f64;
        let aside = if i == n {
            0.0
        } else if i % 2 == 1 {
            3.5
        } else {
            -3.5
        };
        let (dx, dy) = if is_down { (aside, along) } else { (along, aside) };
        write!(path, "L{:.1} {:.1}", x + dx, y + dy).expect("writing to a string does not fail");
    }
    page.add(format_args!(
        "<path class=\"halo\" d=\"{path}\"/><path class=\"seam\" d=\"{path}\"/>"
    ));
}

/// Truncates a label to `room` characters.
fn shortened(label: &str, room: usize) -> String {
    if label.chars().count() <= room {
        return label.to_string();
    }
    label.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

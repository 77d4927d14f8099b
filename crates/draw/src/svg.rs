//! Pictures for browsers and documents: one file, no script, no font of its own, light or dark as the
//! reader's screen is.

use crate::grid::{Grid, Measure};
use crate::palette::colour_of;
use crate::picture::{Picture, View};
use crate::sketch::{Cell, Look, Place, Sketch, Visits, sum};
use std::fmt::Write;

/// Sizes, in pixels.
const MARGIN: usize = 28;
const CELL: usize = 36;
const GAP: usize = 4;
const LETTER: usize = 8;
const PAPER_WIDTH: usize = 960;
const BETWEEN_VIEWS: usize = 56;
const LINE: usize = 20;

/// How wide a cell may become for a long value.
const MAX_CELL: usize = 92;

/// Everything but the colours of cells, which are calculated.
const STYLE: &str = "\
.bv{--paper:#fbfaf7;--ink:#1f2328;--soft:#5c6470;--line:#c3c8cf;--crack:#c4254a}\
@media(prefers-color-scheme:dark){.bv{--paper:#14171c;--ink:#e8eaed;--soft:#a0a8b4;--line:#454c57;--crack:#ff6d87}}\
.bv text{fill:var(--ink);font:600 14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
.bv .paper{fill:var(--paper)}\
.bv .note{font:13px ui-sans-serif,system-ui,-apple-system,\"Segoe UI\",sans-serif;fill:var(--soft)}\
.bv .label{text-anchor:middle;dominant-baseline:central}\
.bv .light{fill:#fff}.bv .dark{fill:#000}.bv .faint{fill:var(--soft);font-weight:400}\
.bv .mark{text-anchor:middle;font-size:11px;fill:var(--soft)}\
.bv .unused,.bv .padding{fill:none;stroke:var(--line)}.bv .padding{stroke-dasharray:3 4}\
.bv .again{fill-opacity:.16;stroke-width:2.5}\
.bv .hatch{fill:url(#bv-hatch)}\
.bv .table,.bv .new{fill:none;stroke:var(--line)}.bv .new{stroke:var(--soft);stroke-dasharray:7 4}\
.bv .halo{fill:none;stroke:var(--paper);stroke-width:7}\
.bv .crack{fill:none;stroke:var(--crack);stroke-width:3;stroke-linejoin:round;stroke-linecap:round}\
.bv .said{fill:var(--crack)}";

/// Stripes at the foot of cells that another window has, too.
const HATCH: &str = "<pattern id=\"bv-hatch\" width=\"5\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
                     patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"7\" fill=\"#fff\" \
                     fill-opacity=\".9\"/></pattern>";

/// Draws pictures below one another.
pub fn draw(pictures: &[Picture]) -> String {
    let mut paper = Paper { body: String::new(), right: 0, y: MARGIN };
    for (i, picture) in pictures.iter().enumerate() {
        if i > 0 {
            paper.y += LINE * 2;
        }
        Drawing::of(picture).put(&mut paper);
    }
    let (width, height) = (paper.right + MARGIN, paper.y + MARGIN);
    let title = escape(&summary(pictures));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bv\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>{STYLE}</style>\n<defs>{HATCH}</defs>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"12\"/>\n{}</svg>\n",
        paper.body
    )
}

/// The pictures in words.
fn summary(pictures: &[Picture]) -> String {
    let of = |it: &Picture| {
        let views: Vec<String> = it.views.iter().map(view_in_words).collect();
        format!("{} of {} elements, seen as {}", it.name, it.memory_len, views.join(" and as "))
    };
    pictures.iter().map(of).collect::<Vec<_>>().join("; ")
}

fn view_in_words(view: &View) -> String {
    let shape = format!("{:?}", view.chain.shape());
    if view.title.is_empty() { shape } else { format!("{} {shape}", view.title) }
}

/// Text between tags or quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // Most control characters are no XML at all.
            it if it.is_control() => escaped.push(' '),
            it => escaped.push(it),
        }
    }
    escaped
}

/// What is drawn so far, how far it reaches to the right, and where the next thing goes.
struct Paper {
    body: String,
    right: usize,
    y: usize,
}

impl Paper {
    fn add(&mut self, tag: std::fmt::Arguments<'_>) {
        self.body.write_fmt(tag).expect("a string takes all text");
        self.body.push('\n');
    }

    fn text(&mut self, x: usize, y: usize, class: &str, text: &str) {
        let letter = if class == "note" || class == "note said" { LETTER - 1 } else { LETTER + 1 };
        self.right = self.right.max(x + text.chars().count() * letter);
        let text = escape(text);
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{text}</text>"));
    }
}

/// A picture that is being drawn.
struct Drawing<'a> {
    picture: &'a Picture,
    sketches: Vec<Sketch>,
    places: Vec<Place>,
    /// The width of a cell.
    cell: usize,
}

impl Drawing<'_> {
    fn of(picture: &Picture) -> Drawing<'_> {
        let (sketches, places) = picture.sketch();
        let lengths = places.iter().map(|it| picture.label_of(it.at).chars().count());
        let cell = (lengths.max().unwrap_or(1) * LETTER + 12).clamp(CELL, MAX_CELL);
        Drawing { picture, sketches, places, cell }
    }

    fn put(&self, paper: &mut Paper) {
        self.memory(paper);
        self.views(paper);
        self.legend(paper);
    }

    /// The memory, in as many lines as it takes.
    fn memory(&self, paper: &mut Paper) {
        let Picture { name, note, memory_len, is_copy, .. } = self.picture;
        let top = paper.y;
        let note = match (memory_len, note.as_str()) {
            (1, "") => "1 element".to_string(),
            (n, "") => format!("{n} elements, side by side"),
            (_, note) => note.to_string(),
        };
        paper.text(MARGIN, top + 8, "", name);
        paper.text(MARGIN + (name.chars().count() + 1) * (LETTER + 1), top + 8, "note", &note);
        let has_marks = self.places.iter().any(|it| matches!(it.visits, Visits::Times(n) if n > 1));
        let pitch = CELL + GAP + if has_marks { 14 } else { 0 };
        let (mut x, mut y) = (MARGIN, top + LINE);
        let mut right = MARGIN;
        for (i, place) in self.places.iter().enumerate() {
            let is_gap = i > 0 && place.at != self.places[i - 1].at + 1;
            if x + self.cell + if is_gap { CELL } else { 0 } > PAPER_WIDTH + MARGIN {
                (x, y) = (MARGIN, y + pitch);
            }
            if is_gap {
                dots(paper, (x, y), false, CELL / 2);
                x += CELL / 2 + GAP;
            }
            self.place(paper, place, x, y);
            right = right.max(x + self.cell);
            x += self.cell + GAP;
        }
        paper.y = y + if self.places.is_empty() { 0 } else { pitch };
        paper.right = paper.right.max(right);
        if *is_copy {
            let (width, height) = (right - MARGIN + 16, paper.y - top - LINE + 12);
            let (x, y) = (MARGIN - 8, top + LINE - 8);
            paper.add(format_args!(
                "<rect class=\"new\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"9\"/>"
            ));
            paper.y += 8;
        }
    }

    fn place(&self, paper: &mut Paper, place: &Place, x: usize, y: usize) {
        let label = self.picture.label_of(place.at);
        match place.visits {
            Visits::None => {
                self.rect(paper, (x, y), "unused", "", &format!("{}: not seen", place.at));
                self.label(paper, (x, y), "faint", &label);
            }
            _ => {
                let title = place.at.to_string();
                self.rect(paper, (x, y), "place", &self.fill(place.at), &title);
                self.label(paper, (x, y), self.ink(place.at), &label);
            }
        }
        if let Visits::Times(n @ 2..) = place.visits {
            let (x, y) = (x + self.cell / 2, y + CELL + 12);
            paper.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"mark\">×{n}</text>"));
        }
    }

    fn fill(&self, at: usize) -> String {
        colour_of(at, self.picture.memory_len).to_hex()
    }

    fn ink(&self, at: usize) -> &'static str {
        if colour_of(at, self.picture.memory_len).is_dark() { "light" } else { "dark" }
    }

    fn rect(&self, paper: &mut Paper, at: (usize, usize), class: &str, fill: &str, title: &str) {
        let (x, y) = at;
        let fill = match (class, fill) {
            (_, "") => String::new(),
            ("again", fill) => format!(" fill=\"{fill}\" stroke=\"{fill}\""),
            (_, fill) => format!(" fill=\"{fill}\""),
        };
        // The outline of hollow cells stays inside of them.
        let inset = if class == "again" { 1.25 } else { 0.0 };
        let (x, y) = (x as f64 + inset, y as f64 + inset);
        let (width, height) = (self.cell as f64 - 2.0 * inset, CELL as f64 - 2.0 * inset);
        let title = escape(title);
        paper.add(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             rx=\"5\"{fill}><title>{title}</title></rect>"
        ));
    }

    fn label(&self, paper: &mut Paper, (x, y): (usize, usize), class: &str, label: &str) {
        let (x, y) = (x + self.cell / 2, y + CELL / 2 + 1);
        let room = (self.cell - 6) / LETTER;
        let label = escape(&shortened(label, room));
        paper.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" class=\"label {class}\" pointer-events=\"none\">{label}</text>"
        ));
    }

    /// The views, side by side as far as there is room.
    fn views(&self, paper: &mut Paper) {
        let measure = Measure {
            cell: (self.cell, CELL),
            near: (GAP, GAP),
            far: (24, 20),
            dots: (CELL / 2, CELL / 2),
            heading: LINE + 8,
        };
        let (mut x, mut bottom) = (MARGIN, paper.y);
        let mut top = paper.y + LINE + 8;
        for (view, sketch) in self.picture.views.iter().zip(&self.sketches) {
            let grid = Grid::of(sketch, &measure);
            let width = width_of(view, &grid);
            if x > MARGIN && x + width > PAPER_WIDTH + MARGIN {
                (x, top) = (MARGIN, bottom + LINE + 8);
            }
            let end = self.view(paper, view, sketch, &grid, (x, top));
            bottom = bottom.max(end);
            paper.right = paper.right.max(x + grid.size.0);
            x += width + BETWEEN_VIEWS;
        }
        paper.y = bottom;
    }

    /// Draws one view, and gives the line below it.
    fn view(
        &self,
        paper: &mut Paper,
        view: &View,
        sketch: &Sketch,
        grid: &Grid,
        (x, mut y): (usize, usize),
    ) -> usize {
        for (text, class) in [(&view.title, ""), (&view.note, "note")] {
            if !text.is_empty() {
                paper.text(x, y + 8, class, text);
                y += LINE;
            }
        }
        if sketch.cells.is_empty() {
            paper.text(x, y + 8, "note", "no elements");
            return y + LINE;
        }
        for table in &grid.tables {
            let index: Vec<String> = table.index.iter().map(usize::to_string).collect();
            let (left, top) = (x + table.at.0, y + table.at.1);
            paper.text(left, top + LINE - 7, "note", &format!("[{}]", index.join(", ")));
        }
        for (cell, at) in sketch.cells.iter().zip(&grid.cells) {
            self.cell(paper, view, cell, (x + at.0, y + at.1));
        }
        for mark in &grid.dots {
            let at = (x + mark.at.0, y + mark.at.1);
            dots(paper, at, mark.is_down, if mark.is_down { self.cell } else { CELL / 2 });
        }
        self.cracks(paper, view, sketch, grid, (x, y));
        y += grid.size.1;
        if let Some(text) = view.crack_text() {
            paper.text(x, y + LINE + 2, "note said", &text);
            y += LINE + 6;
        }
        y
    }

    fn cell(&self, paper: &mut Paper, view: &View, cell: &Cell, at: (usize, usize)) {
        let title = format!("{:?}: {}", cell.index, sum(&view.chain, &cell.index));
        let Some(offset) = cell.offset else {
            return self.rect(paper, at, "padding", "", &title);
        };
        let (fill, label) = (self.fill(offset), self.picture.label_of(offset));
        match cell.look {
            Look::Again => {
                self.rect(paper, at, "again", &fill, &title);
                self.label(paper, at, "", &label);
            }
            Look::Window => {
                self.rect(paper, at, "window", &fill, &title);
                let (x, y, width) = (at.0 + 3, at.1 + CELL - 8, self.cell - 6);
                paper.add(format_args!(
                    "<rect class=\"hatch\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"5\" \
                     rx=\"2\" pointer-events=\"none\"/>"
                ));
                self.label(paper, at, self.ink(offset), &label);
            }
            Look::Plain | Look::Padding => {
                self.rect(paper, at, "cell", &fill, &title);
                self.label(paper, at, self.ink(offset), &label);
            }
        }
    }

    fn cracks(
        &self,
        paper: &mut Paper,
        view: &View,
        sketch: &Sketch,
        grid: &Grid,
        (left, top): (usize, usize),
    ) {
        let Some(crack) = &view.crack else { return };
        let row_len = sketch.shown.last().map_or(1, Vec::len);
        for (i, (cell, at)) in sketch.cells.iter().zip(&grid.cells).enumerate() {
            if !crack.is_before(cell.number) {
                continue;
            }
            let (x, y) = ((left + at.0) as f64, (top + at.1) as f64);
            let half = GAP as f64 / 2.0;
            if cell.index.last().is_some_and(|&i| i > 0) {
                zigzag(paper, (x - half, y - 3.0), CELL + 6, true);
            } else {
                let last = grid.cells.get(i + row_len - 1).map_or(at.0, |it| it.0);
                zigzag(paper, (x - 3.0, y - half), last + self.cell - at.0 + 6, false);
            }
        }
    }

    /// What the kinds of cells mean, as far as there are any.
    fn legend(&self, paper: &mut Paper) {
        let looks = [
            (Look::Again, "outlined: the same place again"),
            (Look::Window, "striped: also in another window"),
            (Look::Padding, "dashed: padding"),
        ];
        let cells = || self.sketches.iter().flat_map(|it| &it.cells);
        let used = looks.iter().filter(|(look, _)| cells().any(|it| it.look == *look));
        let words: Vec<&str> = used.map(|(_, text)| *text).collect();
        if !words.is_empty() {
            paper.y += LINE + 8;
            paper.text(MARGIN, paper.y, "note", &words.join(" · "));
        }
    }
}

/// How much room a view takes to the right.
fn width_of(view: &View, grid: &Grid) -> usize {
    let letters = |text: &str, letter: usize| text.chars().count() * letter;
    let said = view.crack_text().unwrap_or_default();
    let texts = letters(&view.title, LETTER + 1)
        .max(letters(&view.note, LETTER - 1))
        .max(letters(&said, LETTER - 1));
    grid.size.0.max(texts)
}

fn dots(paper: &mut Paper, (x, y): (usize, usize), is_down: bool, room: usize) {
    let (mark, y) = if is_down { ("⋮", y + CELL / 4) } else { ("…", y + CELL / 2) };
    let x = x + room / 2;
    paper.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"label faint\">{mark}</text>"));
}

/// A jagged line on a light one, so that it can be seen over cells.
fn zigzag(paper: &mut Paper, (x, y): (f64, f64), length: usize, is_down: bool) {
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
        write!(path, "L{:.1} {:.1}", x + dx, y + dy).expect("a string takes all text");
    }
    paper.add(format_args!(
        "<path class=\"halo\" d=\"{path}\"/><path class=\"crack\" d=\"{path}\"/>"
    ));
}

/// A label with no more letters than there is room for.
fn shortened(label: &str, room: usize) -> String {
    if label.chars().count() <= room {
        return label.to_string();
    }
    label.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

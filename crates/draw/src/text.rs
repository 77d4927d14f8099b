//! Pictures as text for terminals.

use crate::canvas::Canvas;
use crate::grid::{CellMetrics, Grid};
use crate::palette::colour_of;
use crate::picture::{Picture, TextOptions, View};
use crate::sketch::{Cell, CellStyle, MemoryCell, Sketch, Visits};
use anstyle::{Ansi256Color, AnsiColor, Color, Style};

/// The marks after the label of a repeated cell, and for padding.
const REPEATED: &str = "\"";
const WINDOW: &str = "~";
const PADDING: &str = "·";

/// The mark before the label of a cell that is marked.
const MARKED: &str = "•";

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const RED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold();

/// Draws pictures below each other.
pub(crate) fn draw(pictures: &[Picture], style: TextOptions) -> String {
    let drawn: Vec<String> =
        pictures.iter().map(|it| TextDrawing::new(it, style).to_string()).collect();
    drawn.join("\n")
}

/// A picture being drawn as text.
struct TextDrawing<'a> {
    picture: &'a Picture,
    style: TextOptions,
    canvas: Canvas,
    /// The length of the longest label.
    width: usize,
    /// Whether the memory has a line with marks for visited cells.
    has_marks: bool,
}

impl TextDrawing<'_> {
    fn new(picture: &Picture, style: TextOptions) -> TextDrawing<'_> {
        let (sketches, memory_cells) = picture.sketch();
        let is_visited_repeatedly = |it: &MemoryCell| matches!(it.visits, Visits::Times(2..));
        let is_visited = |it: &MemoryCell| it.visits != Visits::None;
        let has_marks = memory_cells.iter().any(is_visited_repeatedly)
            || memory_cells.iter().any(is_visited) && !memory_cells.iter().all(is_visited);
        let width_at = |memory_cell: &MemoryCell| {
            let mark = if has_marks { mark(memory_cell.visits).chars().count() } else { 0 };
            picture.label_of(memory_cell.at).chars().count().max(mark)
        };
        let width = memory_cells.iter().map(width_at).max().unwrap_or(1).max(1);
        let mut drawing =
            TextDrawing { picture, style, canvas: Canvas::default(), width, has_marks };
        drawing.memory(&memory_cells);
        for (view, sketch) in picture.views.iter().zip(&sketches) {
            drawing.view(view, sketch);
        }
        drawing.legend(&sketches);
        drawing
    }

    /// Draws the memory, on several lines if necessary.
    fn memory(&mut self, memory_cells: &[MemoryCell]) {
        let Picture { name, note, .. } = self.picture;
        let name = if self.picture.is_copy { format!("{name} (new)") } else { name.clone() };
        let left = name.chars().count() + 1;
        self.canvas.put(0, 0, &name, BOLD);
        if memory_cells.is_empty() && note.is_empty() {
            self.canvas.put(left, 0, "is empty", DIM);
        }
        let pitch = self.width + 2;
        let (mut x, mut y) = (left, 0);
        let line_height = if self.has_marks { 2 } else { 1 };
        for (i, memory_cell) in memory_cells.iter().enumerate() {
            let is_gap = i > 0 && memory_cell.at != memory_cells[i - 1].at + 1;
            if x + pitch * (1 + usize::from(is_gap)) > self.style.width && x > left {
                (x, y) = (left, y + line_height);
            }
            if is_gap {
                self.canvas.put(x, y, " … ", DIM);
                x += 3;
            }
            self.memory_cell(memory_cell, x, y);
            if self.has_marks {
                self.canvas.put(x, y + 1, &self.right_aligned(&mark(memory_cell.visits)), DIM);
            }
            x += pitch;
        }
        if !note.is_empty() {
            let y = self.canvas.height();
            self.canvas.put(left + 1, y, note, DIM);
        }
    }

    fn memory_cell(&mut self, memory_cell: &MemoryCell, x: usize, y: usize) {
        let style = match memory_cell.visits {
            Visits::None => DIM,
            _ => self.filled(memory_cell.at),
        };
        let label = self.right_aligned(&self.picture.label_of(memory_cell.at));
        self.canvas.put(x, y, &label, style);
    }

    /// Formats a label right-aligned, with a space on both sides.
    fn right_aligned(&self, label: &str) -> String {
        format!(" {label:>width$} ", width = self.width)
    }

    fn filled(&self, at: usize) -> Style {
        let colour = colour_of(at, self.picture.memory_len);
        let ink = if colour.is_dark() { AnsiColor::BrightWhite } else { AnsiColor::Black };
        Style::new()
            .bg_color(Some(Color::Ansi256(Ansi256Color(colour.to_ansi()))))
            .fg_color(Some(Color::Ansi(ink)))
    }

    fn view(&mut self, view: &View, sketch: &Sketch) {
        self.canvas.skip_line();
        for (line, style) in [(&view.title, BOLD), (&view.note, DIM)] {
            if !line.is_empty() {
                self.canvas.put(0, self.canvas.height(), line, style);
            }
        }
        let top = self.canvas.height();
        if sketch.cells.is_empty() {
            self.canvas.put(1, top, "no elements", DIM);
            return;
        }
        let near = room_for_seams(view, sketch);
        let cell = (self.width + 2, 1);
        let metrics = CellMetrics { cell, near, far: (3, 1), dots: (3, 1), heading: 1 };
        let grid = Grid::new(sketch, &metrics);
        for table in &grid.tables {
            let index: Vec<String> = table.index.iter().map(usize::to_string).collect();
            let heading = format!(" [{}]", index.join(", "));
            self.canvas.put(table.at.0, top + table.at.1, &heading, DIM);
        }
        for (cell, &(x, y)) in sketch.cells.iter().zip(&grid.cells) {
            self.cell(view, cell, x, top + y);
        }
        for dots in &grid.dots {
            let mark = if dots.is_down { self.right_aligned("⋮") } else { " … ".to_string() };
            self.canvas.put(dots.at.0, top + dots.at.1, &mark, DIM);
        }
        self.seams(view, sketch, &grid, top);
    }

    fn cell(&mut self, view: &View, cell: &Cell, x: usize, y: usize) {
        let Some(at) = cell.offset else {
            self.canvas.put(x, y, &self.right_aligned(PADDING), DIM);
            return;
        };
        let label = self.right_aligned(&self.picture.label_of(at));
        let hollow = Style::new().fg_color(self.filled(at).get_bg_color());
        let (style, mark) = match cell.style {
            CellStyle::Repeated => (hollow, REPEATED),
            CellStyle::Window => (self.filled(at).underline(), WINDOW),
            CellStyle::Plain | CellStyle::Padding => (self.filled(at), ""),
        };
        self.canvas.put(x, y, &label, style);
        self.canvas.put(x + label.chars().count() - 1, y, mark, style);
        if view.is_marked(at) {
            self.canvas.put(x, y, MARKED, style);
        }
    }

    /// Draws zigzag lines at the seams of a view, and the description of the first one.
    fn seams(&mut self, view: &View, sketch: &Sketch, grid: &Grid, top: usize) {
        let Some(seam) = &view.seam else { return };
        let width = self.width + 2;
        let row_len = sketch.shown.last().map_or(1, Vec::len);
        for (i, (cell, &(x, y))) in sketch.cells.iter().zip(&grid.cells).enumerate() {
            if !seam.is_before(cell.number) {
                continue;
            }
            if cell.index.last().is_some_and(|&i| i > 0) {
                self.canvas.put(x - 1, top + y, "╱", RED);
            } else if let Some(line) = (top + y).checked_sub(1) {
                let last = grid.cells.get(i + row_len - 1).map_or(x, |it| it.0);
                let zigzag: String = (0..last + width - x).map(zig).collect();
                self.canvas.put(x, line, &zigzag, RED);
            }
        }
        if let Some(text) = view.seam_text() {
            self.canvas.put(1, self.canvas.height(), "╱╲", RED);
            self.canvas.put(4, self.canvas.height() - 1, &text, Style::new());
        }
    }

    /// Draws the legend of the marks that occur.
    fn legend(&mut self, sketches: &[Sketch]) {
        let has = |style| sketches.iter().flat_map(|it| &it.cells).any(|it| it.style == style);
        let lines = [
            (CellStyle::Repeated, REPEATED, "repeated element"),
            (CellStyle::Window, WINDOW, "also in another window"),
            (CellStyle::Padding, PADDING, "padding"),
        ];
        let used = lines.iter().filter(|(style, ..)| has(*style));
        let mut words: Vec<_> = used.map(|(_, mark, text)| format!("{mark} {text}")).collect();
        let meanings = self.picture.meanings_of_marks(sketches);
        words.extend(meanings.iter().map(|it| format!("{MARKED} {it}")));
        if words.is_empty() {
            return;
        }
        self.canvas.skip_line();
        self.canvas.put(1, self.canvas.height(), &words.join("   "), DIM);
    }
}

impl std::fmt::Display for TextDrawing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.canvas.write(f, self.style.is_coloured)
    }
}

/// Returns the gap between cells, to the right and down: 0 unless there are seams.
fn room_for_seams(view: &View, sketch: &Sketch) -> (usize, usize) {
    let Some(seam) = &view.seam else { return (0, 0) };
    let starts_a_row = |cell: &Cell| cell.index.last().is_some_and(|&i| i == 0);
    let below = |cell: &Cell| starts_a_row(cell) && seam.is_before(cell.number);
    (1, usize::from(sketch.cells.iter().any(below)))
}

/// Returns the mark below a memory cell.
fn mark(visits: Visits) -> String {
    match visits {
        Visits::None => String::new(),
        Visits::Times(1) | Visits::Uncounted => "▔".to_string(),
        Visits::Times(n) => format!("×{n}"),
    }
}

fn zig(i: usize) -> char {
    if i.is_multiple_of(2) { '╱' } else { '╲' }
}

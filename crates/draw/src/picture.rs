//! `Picture`, `View`, `Album`: a memory and views of it, to be drawn as text, SVG or HTML.

use crate::sketch::{self, Limits, MemoryCell, Sketch};
use crate::{html, svg, text};
use belvedere_layout::{Chain, Layout, Seam};
use std::fmt;
use std::sync::Arc;

/// A picture of a memory and of views of it.
///
/// ```
/// use belvedere_draw::{Picture, TextOptions, View};
/// use belvedere_layout::Layout;
///
/// let x = Layout::row_major(&[2, 3])?;
/// let picture = Picture::new(6).view(View::new(x.t()?).title("x.t()"));
/// assert_eq!(picture.to_text(TextOptions::plain()), "\
/// memory  0  1  2  3  4  5
///
/// x.t()
///  0  3
///  1  4
///  2  5
/// ");
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone)]
pub struct Picture {
    pub(crate) memory_len: usize,
    pub(crate) name: String,
    pub(crate) note: String,
    pub(crate) is_copy: bool,
    pub(crate) label: Option<Label>,
    pub(crate) views: Vec<View>,
    pub(crate) limits: Limits,
}

/// A function from an offset in memory to the text of its cell.
type Label = Arc<dyn Fn(usize) -> String + Send + Sync>;

impl Picture {
    /// Creates a picture of a memory of `memory_len` elements, without views.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// assert_eq!(Picture::new(3).to_text(TextOptions::plain()), "memory  0  1  2\n");
    /// ```
    pub fn new(memory_len: usize) -> Picture {
        Picture {
            memory_len,
            name: "memory".to_string(),
            note: String::new(),
            is_copy: false,
            label: None,
            views: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// Adds a view. In SVG and HTML, views are drawn next to each other.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// # use belvedere_layout::Layout;
    /// let picture = Picture::new(3).view(Layout::row_major(&[3])?.flip(&[0])?);
    /// assert_eq!(picture.to_text(TextOptions::plain()), "memory  0  1  2\n\n 2  1  0\n");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn view(mut self, view: impl Into<View>) -> Picture {
        self.views.push(view.into());
        self
    }

    /// Sets the name of the memory, which is `memory` by default.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// assert_eq!(Picture::new(2).name("A").to_text(TextOptions::plain()), "A  0  1\n");
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Picture {
        self.name = name.into();
        self
    }

    /// Adds a note to the name of the memory.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// let picture = Picture::new(2).name("A").note("float64");
    /// assert_eq!(picture.to_text(TextOptions::plain()), "A  0  1\n   float64\n");
    /// ```
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Picture {
        self.note = note.into();
        self
    }

    /// Marks the memory as the result of a copy: it is drawn in a frame.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// let picture = Picture::new(2).name("A").copied();
    /// assert_eq!(picture.to_text(TextOptions::plain()), "A (new)  0  1\n");
    /// ```
    #[must_use]
    pub fn copied(mut self) -> Picture {
        self.is_copy = true;
        self
    }

    /// Sets the text of cells, as a function of the offset in memory. By default it is the offset.
    ///
    /// ```
    /// use belvedere_draw::{Picture, TextOptions};
    /// use belvedere_layout::Layout;
    ///
    /// let squares = Picture::new(3).values(|at| (at * at).to_string());
    /// let drawn = squares.view(Layout::row_major(&[3])?.flip(&[0])?).to_text(TextOptions::plain());
    /// assert_eq!(drawn, "memory  0  1  4\n\n 4  1  0\n");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn values(mut self, label: impl Fn(usize) -> String + Send + Sync + 'static) -> Picture {
        self.label = Some(Arc::new(label));
        self
    }

    /// Sets how many cells of a view are shown.
    ///
    /// ```
    /// # use belvedere_draw::{Limits, Picture, TextOptions};
    /// # use belvedere_layout::Layout;
    /// let picture = Picture::new(9).view(Layout::row_major(&[9])?);
    /// let drawn = picture.limits(Limits { cells: 6, columns: 6, rows: 1 });
    /// assert!(drawn.to_text(TextOptions::plain()).ends_with("\n 0  …  8\n"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Picture {
        self.limits = limits;
        self
    }

    /// Draws the picture as text for a terminal.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// assert_eq!(Picture::new(2).to_text(TextOptions::plain()), "memory  0  1\n");
    /// ```
    pub fn to_text(&self, style: TextOptions) -> String {
        text::draw(std::slice::from_ref(self), style)
    }

    /// Draws the picture as SVG, for light and dark colour schemes.
    ///
    /// ```
    /// # use belvedere_draw::Picture;
    /// assert!(Picture::new(2).to_svg().starts_with("<svg "));
    /// ```
    pub fn to_svg(&self) -> String {
        svg::draw(std::slice::from_ref(self))
    }

    /// Draws the picture as an HTML fragment: the SVG in a `figure`.
    ///
    /// ```
    /// # use belvedere_draw::Picture;
    /// assert!(Picture::new(2).to_html().starts_with("<figure "));
    /// ```
    pub fn to_html(&self) -> String {
        html::fragment(std::slice::from_ref(self))
    }

    /// Combines several pictures, to be drawn below each other.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// let album = Picture::album([Picture::new(1).name("A"), Picture::new(1).name("B")]);
    /// assert_eq!(album.to_text(TextOptions::plain()), "A  0\n\nB  0\n");
    /// ```
    pub fn album(pictures: impl IntoIterator<Item = Picture>) -> Album {
        Album { pictures: pictures.into_iter().collect() }
    }

    /// Returns the text of the cell at an offset in memory.
    pub(crate) fn label_of(&self, at: usize) -> String {
        self.label.as_ref().map_or_else(|| at.to_string(), |label| label(at))
    }

    /// Returns what the marks on the shown cells mean, each meaning once.
    pub(crate) fn meanings_of_marks(&self, sketches: &[Sketch]) -> Vec<&str> {
        let mut meanings: Vec<&str> = Vec::new();
        for (view, sketch) in self.views.iter().zip(sketches) {
            let Some(marks) = &view.marks else { continue };
            let mut offsets = sketch.cells.iter().filter_map(|it| it.offset);
            if !meanings.contains(&&*marks.meaning) && offsets.any(|it| view.is_marked(it)) {
                meanings.push(&marks.meaning);
            }
        }
        meanings
    }

    /// Returns the cells of each view that are shown, and the cells of the memory.
    pub(crate) fn sketch(&self) -> (Vec<Sketch>, Vec<MemoryCell>) {
        let sketch = |view: &View| Sketch::new(&view.chain, self.limits);
        let sketches: Vec<Sketch> = self.views.iter().map(sketch).collect();
        let chains = self.views.iter().map(|view| &view.chain);
        let pairs: Vec<_> = chains.zip(&sketches).collect();
        let cells = sketch::memory_cells(self.memory_len, &pairs);
        (sketches, cells)
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture")
            .field("memory_len", &self.memory_len)
            .field("name", &self.name)
            .field("views", &self.views)
            .finish_non_exhaustive()
    }
}

/// Several pictures, drawn below each other.
#[derive(Clone, Debug)]
pub struct Album {
    pictures: Vec<Picture>,
}

impl Album {
    /// Draws the pictures as text for a terminal.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// let album = Picture::album([Picture::new(1), Picture::new(2)]);
    /// assert_eq!(album.to_text(TextOptions::plain()), "memory  0\n\nmemory  0  1\n");
    /// ```
    pub fn to_text(&self, style: TextOptions) -> String {
        text::draw(&self.pictures, style)
    }

    /// Draws all pictures as one SVG.
    ///
    /// ```
    /// # use belvedere_draw::Picture;
    /// let svg = Picture::album([Picture::new(1), Picture::new(2)]).to_svg();
    /// assert_eq!(svg.matches("<svg ").count(), 1);
    /// ```
    pub fn to_svg(&self) -> String {
        svg::draw(&self.pictures)
    }

    /// Draws the pictures as an HTML fragment, one `figure` each.
    ///
    /// ```
    /// # use belvedere_draw::Picture;
    /// let html = Picture::album([Picture::new(1), Picture::new(2)]).to_html();
    /// assert_eq!(html.matches("<figure ").count(), 2);
    /// ```
    pub fn to_html(&self) -> String {
        html::fragment(&self.pictures)
    }

    /// Draws the pictures as a self-contained HTML page.
    ///
    /// ```
    /// # use belvedere_draw::Picture;
    /// let page = Picture::album([Picture::new(1)]).to_page("x < y");
    /// assert!(page.contains("<title>x &lt; y</title>"));
    /// ```
    pub fn to_page(&self, title: &str) -> String {
        html::page(title, &self.pictures)
    }
}

/// A layout or chain to be drawn, with a title, a note and a seam.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) chain: Chain,
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) seam: Option<SeamMark>,
    pub(crate) marks: Option<CellMarks>,
}

/// Which cells of a view are marked, and what a mark means.
#[derive(Clone)]
pub(crate) struct CellMarks {
    pub(crate) meaning: String,
    is_marked: Arc<dyn Fn(usize) -> bool + Send + Sync>,
}

impl fmt::Debug for CellMarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellMarks").field("meaning", &self.meaning).finish_non_exhaustive()
    }
}

impl View {
    /// Creates a view without title, note or seam from a layout or a chain.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions, View};
    /// # use belvedere_layout::Layout;
    /// let picture = Picture::new(2).view(View::new(Layout::row_major(&[2, 1])?));
    /// assert!(picture.to_text(TextOptions::plain()).ends_with("\n 0\n 1\n"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn new(chain: impl Into<View>) -> View {
        chain.into()
    }

    /// Sets the title, usually the expression that creates the view.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions, View};
    /// # use belvedere_layout::Layout;
    /// let picture = Picture::new(2).view(View::new(Layout::row_major(&[2])?).title("x"));
    /// assert!(picture.to_text(TextOptions::plain()).ends_with("\nx\n 0  1\n"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> View {
        self.title = title.into();
        self
    }

    /// Sets the line below the title, usually shape and strides.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions, View};
    /// # use belvedere_layout::Layout;
    /// let view = View::new(Layout::row_major(&[2])?).title("x").note("strides [1]");
    /// let drawn = Picture::new(2).view(view).to_text(TextOptions::plain());
    /// assert!(drawn.ends_with("\nx\nstrides [1]\n 0  1\n"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> View {
        self.note = note.into();
        self
    }

    /// Marks the cells whose offsets satisfy a predicate. The legend says what a mark means.
    ///
    /// ```
    /// use belvedere_draw::{Picture, TextOptions, View};
    /// use belvedere_layout::Layout;
    ///
    /// let view = View::new(Layout::row_major(&[3])?).mark("even", |at| at % 2 == 0);
    /// let drawn = Picture::new(3).view(view).to_text(TextOptions::plain());
    /// assert_eq!(drawn, "memory  0  1  2\n\n•0  1 •2\n\n • even\n");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn mark(
        mut self,
        meaning: impl Into<String>,
        is_marked: impl Fn(usize) -> bool + Send + Sync + 'static,
    ) -> View {
        self.marks = Some(CellMarks { meaning: meaning.into(), is_marked: Arc::new(is_marked) });
        self
    }

    /// Returns whether the cell with an offset is marked.
    pub(crate) fn is_marked(&self, offset: usize) -> bool {
        self.marks.as_ref().is_some_and(|it| (it.is_marked)(offset))
    }

    /// Draws the seam that prevents a reshape, as a zigzag line between cells.
    ///
    /// ```
    /// use belvedere_draw::{Picture, TextOptions, View};
    /// use belvedere_layout::{Layout, Reshape};
    ///
    /// let columns = Layout::row_major(&[2, 3])?.t()?;
    /// let Reshape::Copy { why } = columns.reshape([6])? else { unreachable!() };
    /// let drawn = Picture::new(6).view(View::new(columns).seam(why)).to_text(TextOptions::plain());
    /// assert!(drawn.ends_with("between 3 and 1: stride 1, needed 6\n"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn seam(mut self, why: Seam) -> View {
        let ends = (self.offset_of(why.mark.wrapping_sub(1)), self.offset_of(why.mark));
        self.seam = match ends {
            (Some(from), Some(to)) => {
                Some(SeamMark { mark: why.mark, from, to, stride: why.stride, needed: why.needed })
            }
            _ => None,
        };
        self
    }

    /// Returns the offset of the cell with a flat (row-major) index.
    fn offset_of(&self, number: usize) -> Option<usize> {
        let mut index = vec![0; self.chain.rank()];
        let mut rest = number;
        for (i, &len) in index.iter_mut().zip(self.chain.shape()).rev() {
            *i = rest.checked_rem(len)?;
            rest /= len;
        }
        if rest > 0 { None } else { self.chain.index(&index).ok().flatten() }
    }

    /// Returns the description of the seam.
    pub(crate) fn seam_text(&self) -> Option<String> {
        let SeamMark { from, to, stride, needed, .. } = self.seam.as_ref()?;
        Some(format!("between {from} and {to}: stride {stride}, needed {needed}"))
    }
}

impl From<Chain> for View {
    fn from(chain: Chain) -> View {
        View { chain, title: String::new(), note: String::new(), seam: None, marks: None }
    }
}

impl From<Layout> for View {
    fn from(layout: Layout) -> View {
        View::from(Chain::new(layout))
    }
}

/// A seam to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeamMark {
    /// The seam is before every cell whose flat index is a multiple of this.
    pub(crate) mark: usize,
    /// The offsets before and after the first seam.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) stride: isize,
    pub(crate) needed: i128,
}

impl SeamMark {
    /// Returns whether there is a seam before the cell with this flat index.
    pub(crate) fn is_before(&self, number: usize) -> bool {
        number > 0 && number.is_multiple_of(self.mark)
    }
}

/// The options of text pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether to write escape codes for colours.
    pub is_coloured: bool,
    /// The number of columns after which the memory is continued on a new line.
    pub width: usize,
}

impl TextOptions {
    /// Returns the options for files and pipes: no colours, 100 columns.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// assert!(!Picture::new(2).to_text(TextOptions::plain()).contains('\x1b'));
    /// ```
    pub fn plain() -> TextOptions {
        TextOptions { is_coloured: false, width: 100 }
    }

    /// Returns the options for terminals: colours, 100 columns.
    ///
    /// ```
    /// # use belvedere_draw::{Picture, TextOptions};
    /// assert!(Picture::new(2).to_text(TextOptions::coloured()).contains('\x1b'));
    /// ```
    pub fn coloured() -> TextOptions {
        TextOptions { is_coloured: true, width: 100 }
    }
}

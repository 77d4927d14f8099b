//! The pictures: what is on them.

use crate::sketch::{self, Limits, Place, Sketch};
use crate::{html, svg, text};
use belvedere_layout::{Chain, Layout, Seam};
use std::fmt;
use std::sync::Arc;

/// A memory, and views of it.
///
/// ```
/// use belvedere_draw::{Picture, Text, View};
/// use belvedere_layout::Layout;
///
/// let x = Layout::row_major(&[2, 3])?;
/// let picture = Picture::new(6).view(View::new(x.t()?).title("x.t()"));
/// assert_eq!(picture.to_text(Text::plain()), "\
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

/// What is written into the cell of a place in memory.
type Label = Arc<dyn Fn(usize) -> String + Send + Sync>;

impl Picture {
    /// A memory of so many elements, without views.
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

    /// Adds a view; in SVG and HTML views stand side by side.
    #[must_use]
    pub fn view(mut self, view: impl Into<View>) -> Picture {
        self.views.push(view.into());
        self
    }

    /// Names the memory.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Picture {
        self.name = name.into();
        self
    }

    /// Adds a remark beside the name of the memory.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Picture {
        self.note = note.into();
        self
    }

    /// Says that the memory was made by a copy: it is drawn in a frame of its own.
    #[must_use]
    pub fn copied(mut self) -> Picture {
        self.is_copy = true;
        self
    }

    /// Writes values into the cells, given by their place in memory; otherwise the place itself is
    /// written there.
    ///
    /// ```
    /// use belvedere_draw::{Picture, Text};
    /// use belvedere_layout::Layout;
    ///
    /// let squares = Picture::new(3).values(|at| (at * at).to_string());
    /// let drawn = squares.view(Layout::row_major(&[3])?.flip(&[0])?).to_text(Text::plain());
    /// assert_eq!(drawn, "memory  0  1  4\n\n 4  1  0\n");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn values(mut self, label: impl Fn(usize) -> String + Send + Sync + 'static) -> Picture {
        self.label = Some(Arc::new(label));
        self
    }

    /// Shows more or less of the views than fits on a screen.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Picture {
        self.limits = limits;
        self
    }

    /// Draws for a terminal.
    pub fn to_text(&self, style: Text) -> String {
        text::draw(std::slice::from_ref(self), style)
    }

    /// Draws a file that any browser shows, by day and by night.
    pub fn to_svg(&self) -> String {
        svg::draw(std::slice::from_ref(self))
    }

    /// Draws a fragment for a page: the SVG in a `figure`.
    pub fn to_html(&self) -> String {
        html::fragment(std::slice::from_ref(self))
    }

    /// Puts several pictures below one another.
    pub fn album(pictures: impl IntoIterator<Item = Picture>) -> Album {
        Album { pictures: pictures.into_iter().collect() }
    }

    /// What is written for a place in memory.
    pub(crate) fn label_of(&self, at: usize) -> String {
        self.label.as_ref().map_or_else(|| at.to_string(), |label| label(at))
    }

    /// The cells of each view that are shown, and the places in memory.
    pub(crate) fn sketch(&self) -> (Vec<Sketch>, Vec<Place>) {
        let of = |view: &View| Sketch::of(&view.chain, self.limits);
        let sketches: Vec<Sketch> = self.views.iter().map(of).collect();
        let chains = self.views.iter().map(|view| &view.chain);
        let pairs: Vec<_> = chains.zip(&sketches).collect();
        let places = sketch::places(self.memory_len, &pairs);
        (sketches, places)
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

/// Pictures below one another.
#[derive(Clone, Debug)]
pub struct Album {
    pictures: Vec<Picture>,
}

impl Album {
    /// Draws for a terminal.
    pub fn to_text(&self, style: Text) -> String {
        text::draw(&self.pictures, style)
    }

    /// Draws one file with all pictures.
    pub fn to_svg(&self) -> String {
        svg::draw(&self.pictures)
    }

    /// Draws a fragment for a page.
    pub fn to_html(&self) -> String {
        html::fragment(&self.pictures)
    }

    /// Draws a page of its own that needs nothing from anywhere.
    pub fn to_page(&self, title: &str) -> String {
        html::page(title, &self.pictures)
    }
}

/// A layout or chain as it is drawn.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) chain: Chain,
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) crack: Option<Crack>,
}

impl View {
    /// The view without title, note or crack.
    pub fn new(chain: impl Into<View>) -> View {
        chain.into()
    }

    /// What is written above it: usually the expression.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> View {
        self.title = title.into();
        self
    }

    /// A second line above it: usually shape and strides.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> View {
        self.note = note.into();
        self
    }

    /// Draws the seam that is in the way of another shape, as a crack between cells.
    ///
    /// ```
    /// use belvedere_draw::{Picture, Text, View};
    /// use belvedere_layout::{Layout, Reshape};
    ///
    /// let columns = Layout::row_major(&[2, 3])?.t()?;
    /// let Reshape::Copy { why } = columns.reshape([6])? else { unreachable!() };
    /// let drawn = Picture::new(6).view(View::new(columns).crack(why)).to_text(Text::plain());
    /// assert!(drawn.ends_with("between 3 and 1: stride 1, needed 6\n"));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn crack(mut self, why: Seam) -> View {
        let ends = (self.offset_of(why.mark.wrapping_sub(1)), self.offset_of(why.mark));
        self.crack = match ends {
            (Some(from), Some(to)) => {
                Some(Crack { mark: why.mark, from, to, stride: why.stride, needed: why.needed })
            }
            _ => None,
        };
        self
    }

    /// The place in memory of the cell with a number, the last axis counted fastest.
    fn offset_of(&self, number: usize) -> Option<usize> {
        let mut index = vec![0; self.chain.rank()];
        let mut rest = number;
        for (i, &len) in index.iter_mut().zip(self.chain.shape()).rev() {
            *i = rest.checked_rem(len)?;
            rest /= len;
        }
        if rest > 0 { None } else { self.chain.index(&index).ok().flatten() }
    }

    /// What there is to say about the crack.
    pub(crate) fn crack_text(&self) -> Option<String> {
        let Crack { from, to, stride, needed, .. } = self.crack.as_ref()?;
        Some(format!("between {from} and {to}: stride {stride}, needed {needed}"))
    }
}

impl From<Chain> for View {
    fn from(chain: Chain) -> View {
        View { chain, title: String::new(), note: String::new(), crack: None }
    }
}

impl From<Layout> for View {
    fn from(layout: Layout) -> View {
        View::from(Chain::new(layout))
    }
}

/// A seam on paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crack {
    /// It lies before every cell whose number is a multiple of this.
    pub mark: usize,
    /// The places before and behind the first one.
    pub from: usize,
    pub to: usize,
    pub stride: isize,
    pub needed: i128,
}

impl Crack {
    /// Whether there is a crack before the cell with this number.
    pub fn is_before(&self, number: usize) -> bool {
        number > 0 && number.is_multiple_of(self.mark)
    }
}

/// How text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// With the escape codes for colours.
    pub is_coloured: bool,
    /// After how many columns the memory goes on in a new line.
    pub width: usize,
}

impl Text {
    /// Letters alone, for files and pipes.
    pub fn plain() -> Text {
        Text { is_coloured: false, width: 100 }
    }

    /// With colours, for terminals.
    pub fn coloured() -> Text {
        Text { is_coloured: true, width: 100 }
    }
}

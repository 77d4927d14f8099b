//! From a pattern to steps, and from steps to a layout.

use super::error::PatternProblem;
use super::parse::{Entry, EntryKind, Group, Pattern};
use crate::layout::check_rank;
use crate::shape::product;
use crate::{Layout, LayoutError, Reshape, Seam, Shape};
use alloc::vec::Vec;

/// EntryKind rearranging a layout takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rearranged {
    /// The same memory serves: no element moves.
    View(Layout),
    /// A group on the right cannot be joined in memory.
    Copy {
        /// The elements in the right order, before groups are joined: copy these to fresh memory.
        ordered: Layout,
        /// The shape that the copy has.
        shape: Shape,
        /// The seam of `ordered` that is in the way, and the axis of `shape` that would cross it.
        why: Seam,
    },
}

impl Rearranged {
    /// The view, if there is one.
    pub fn into_view(self) -> Option<Layout> {
        match self {
            Rearranged::View(layout) => Some(layout),
            Rearranged::Copy { .. } => None,
        }
    }
}

/// The steps that a pattern means for layouts of one rank: a plain value to keep and apply.
///
/// ```
/// use belvedere_layout::{Layout, Pattern};
///
/// let recipe = "... (h d) -> ... h d".parse::<Pattern>()?.recipe(3, &[("h", 8)])?;
/// let heads = recipe.apply(&Layout::row_major(&[2, 16, 512])?)?.into_view().unwrap();
/// assert_eq!(heads.shape(), [2, 16, 8, 64]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// Kept for messages.
    pattern: Pattern,
    rank: usize,
    /// How each axis is cut, outermost first.
    cuts: Vec<AxisSplit>,
    /// Which of the parts, counted over all cuts, come in which order; `1`s of the left are left
    /// out.
    order: Vec<isize>,
    /// How many of the ordered parts each axis of the result joins.
    joins: Vec<usize>,
}

/// How one axis is cut into parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AxisSplit {
    parts: Vec<AxisPart>,
    /// Which group of the left side says so.
    group: usize,
}

/// One part of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct AxisPart {
    length: AxisPartLength,
    /// Which entry of its group it is.
    entry: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum AxisPartLength {
    Given(usize),
    One,
    Open,
}

impl Pattern {
    /// Rearranges a layout. `lengths` gives the lengths of names that cannot be worked out.
    ///
    /// # Errors
    /// When the pattern does not fit the layout or the lengths. That a copy would be needed is an
    /// answer, not an error.
    pub fn apply(
        &self,
        layout: &Layout,
        lengths: &[(&str, usize)],
    ) -> Result<Rearranged, LayoutError> {
        self.recipe(layout.rank(), lengths)?.apply(layout)
    }

    /// The steps for layouts of `rank` axes.
    ///
    /// # Errors
    /// When the left side stands for another number of axes, or the lengths do not go with the
    /// names.
    pub fn recipe(&self, rank: usize, lengths: &[(&str, usize)]) -> Result<Recipe, LayoutError> {
        check_rank(rank)?;
        self.check_lengths(lengths)?;
        let n_ellipsis = self.axes_in_ellipsis(rank)?;
        let mut cuts = Vec::new();
        // The name of each part of the left, in order; `None` for a 1, `Some("...")` an axis of
        // the ellipsis.
        let mut names: Vec<Option<&str>> = Vec::new();
        for (number, group) in self.left.iter().enumerate() {
            let times = if is_ellipsis(group) { n_ellipsis } else { 1 };
            for _ in 0..times {
                let parts = self.parts(group, lengths)?;
                names.extend(group.entries.iter().map(|it| self.key(it)));
                cuts.push(AxisSplit { parts, group: number });
            }
        }
        let (order, joins) = self.order(&names);
        Ok(Recipe { pattern: self.clone(), rank, cuts, order, joins })
    }

    fn parts(
        &self,
        group: &Group,
        lengths: &[(&str, usize)],
    ) -> Result<Vec<AxisPart>, LayoutError> {
        let mut parts = Vec::new();
        let mut is_open = false;
        for (number, entry) in group.entries.iter().enumerate() {
            let given = lengths.iter().find(|(name, _)| *name == self.name(entry));
            let length = match (entry.kind, given) {
                (EntryKind::One, _) => AxisPartLength::One,
                (EntryKind::Name, Some(&(_, len))) => AxisPartLength::Given(len),
                _ => AxisPartLength::Open,
            };
            if length == AxisPartLength::Open && core::mem::replace(&mut is_open, true) {
                return Err(self.problem(&entry.at, PatternProblem::TwoUnknown));
            }
            parts.push(AxisPart { length, entry: number });
        }
        Ok(parts)
    }

    /// The order of the parts on the right, and how many of them each axis joins.
    fn order(&self, names: &[Option<&str>]) -> (Vec<isize>, Vec<usize>) {
        let (mut order, mut joins) = (Vec::new(), Vec::new());
        for group in &self.right {
            let before = order.len();
            for key in group.entries.iter().filter_map(|it| self.key(it)) {
                let places = names.iter().enumerate().filter(|(_, name)| **name == Some(key));
                order.extend(places.map(|(place, _)| place as isize));
            }
            match is_ellipsis(group) {
                true => joins.extend((before..order.len()).map(|_| 1)),
                false => joins.push(order.len() - before),
            }
        }
        (order, joins)
    }

    fn key(&self, entry: &Entry) -> Option<&str> {
        match entry.kind {
            EntryKind::Name => Some(self.name(entry)),
            EntryKind::Ellipsis => Some("..."),
            EntryKind::One => None,
        }
    }

    fn axes_in_ellipsis(&self, rank: usize) -> Result<usize, LayoutError> {
        let wanted = self.left.iter().filter(|it| !is_ellipsis(it)).count();
        let has_ellipsis = wanted < self.left.len();
        match rank.checked_sub(wanted) {
            Some(n) if n == 0 || has_ellipsis => Ok(n),
            _ => {
                let first = self.left.first().map_or(0, |it| it.at.start);
                let last = self.left.last().map_or(0, |it| it.at.end);
                let problem = match has_ellipsis {
                    true => PatternProblem::TooFewAxes { wanted, rank },
                    false => PatternProblem::WrongRank { wanted, rank },
                };
                Err(self.problem(&(first..last), problem))
            }
        }
    }

    fn check_lengths(&self, lengths: &[(&str, usize)]) -> Result<(), LayoutError> {
        for (i, &(name, _)) in lengths.iter().enumerate() {
            let mut entries = self.left.iter().flat_map(|it| &it.entries);
            let Some(entry) =
                entries.find(|it| it.kind == EntryKind::Name && self.name(it) == name)
            else {
                let whole = 0..self.text().len();
                let name = name.into();
                return Err(self.problem(&whole, PatternProblem::UnusedLength { name }));
            };
            if lengths[..i].iter().any(|&(earlier, _)| earlier == name) {
                return Err(self.problem(&entry.at, PatternProblem::LengthTwice));
            }
        }
        Ok(())
    }
}

fn is_ellipsis(group: &Group) -> bool {
    matches!(&group.entries[..], [only] if only.kind == EntryKind::Ellipsis && only.at == group.at)
}

impl Recipe {
    /// Rearranges a layout.
    ///
    /// # Errors
    /// When the layout has another rank or lengths that the pattern does not fit.
    pub fn apply(&self, layout: &Layout) -> Result<Rearranged, LayoutError> {
        if layout.rank() != self.rank {
            let whole = 0..self.pattern.text().len();
            let problem = PatternProblem::WrongRank { wanted: self.rank, rank: layout.rank() };
            return Err(self.pattern.problem(&whole, problem));
        }
        let mut parts = Shape::new();
        for (axis, cut) in self.cuts.iter().enumerate() {
            self.cut_axis(axis, layout.axes()[axis].len, cut, &mut parts)?;
        }
        let ordered = self.ordered(&layout.view(&parts)?)?;
        let shape = self.joined_shape(&ordered);
        Ok(match ordered.reshape_to(&shape)? {
            Reshape::View(view) => Rearranged::View(view),
            Reshape::Copy { why } => Rearranged::Copy { ordered, shape, why },
        })
    }

    /// The parts in the order of the right side, those of length 1 without a name left out.
    fn ordered(&self, cut: &Layout) -> Result<Layout, LayoutError> {
        let is_kept = |k: &isize| self.order.contains(k);
        let dropped: Vec<isize> = (0..cut.rank() as isize).filter(|k| !is_kept(k)).collect();
        // Counted among those that are kept.
        let place = |k: &isize| k - dropped.iter().filter(|it| *it < k).count() as isize;
        let order: Vec<isize> = self.order.iter().map(place).collect();
        cut.squeeze(&dropped)?.permute(&order)
    }

    fn joined_shape(&self, ordered: &Layout) -> Shape {
        let mut lengths = ordered.axes().iter().map(|it| it.len);
        self.joins.iter().map(|&n| lengths.by_ref().take(n).product()).collect()
    }

    /// Works out the lengths of the parts of one axis.
    fn cut_axis(
        &self,
        axis: usize,
        len: usize,
        cut: &AxisSplit,
        parts: &mut Shape,
    ) -> Result<(), LayoutError> {
        let group = &self.pattern.left[cut.group];
        let given = |part: &AxisPart| match part.length {
            AxisPartLength::Given(given) => given,
            AxisPartLength::One | AxisPartLength::Open => 1,
        };
        let known = product(&cut.parts.iter().map(given).collect::<Shape>());
        let is_open = cut.parts.iter().any(|it| it.length == AxisPartLength::Open);
        let open = match known {
            Some(0) if len == 0 && !is_open => 0,
            Some(n @ 1..) if len.is_multiple_of(n) && (is_open || len == n) => len / n,
            _ => return Err(self.misfit(axis, len, group, cut, known)),
        };
        for part in &cut.parts {
            parts.push(if part.length == AxisPartLength::Open { open } else { given(part) });
        }
        Ok(())
    }

    #[cold]
    fn misfit(
        &self,
        axis: usize,
        len: usize,
        group: &Group,
        cut: &AxisSplit,
        known: Option<usize>,
    ) -> LayoutError {
        match cut.parts[..] {
            [] | [AxisPart { length: AxisPartLength::One, .. }] => {
                self.pattern.problem(&group.at, PatternProblem::NotOne { axis, len })
            }
            [AxisPart { length: AxisPartLength::Given(given), entry }] => {
                let at = &group.entries[entry].at;
                self.pattern.problem(at, PatternProblem::WrongLength { axis, len, given })
            }
            _ if cut.parts.iter().all(|it| it.length != AxisPartLength::Open) => {
                let problem = PatternProblem::WrongProduct { axis, len, product: known };
                self.pattern.problem(&group.at, problem)
            }
            _ => self.pattern.problem(&group.at, PatternProblem::Indivisible { axis, len, known }),
        }
    }
}

impl Layout {
    /// Rearranges the axes by a pattern such as `"b (h w) c -> b c h w"`. See [`Pattern`].
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let heads = Layout::row_major(&[2, 16, 512])?.rearrange("b t (h d) -> b h t d", &[("h", 8)])?;
    /// assert_eq!(heads.into_view().unwrap().strides(), [8192, 64, 512, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies: it tells whether a copy would be needed.
    ///
    /// # Errors
    /// When the pattern is wrong or does not fit. That a copy would be needed is an answer, not an
    /// error.
    pub fn rearrange(
        &self,
        pattern: &str,
        lengths: &[(&str, usize)],
    ) -> Result<Rearranged, LayoutError> {
        pattern.parse::<Pattern>()?.apply(self, lengths)
    }
}

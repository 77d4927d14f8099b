//! `Recipe`: the steps that a pattern means for a rank, and their application to a layout.

use super::error::PatternProblem;
use super::parse::{Entry, EntryKind, Group, Pattern};
use crate::layout::check_rank;
use crate::shape::product;
use crate::{Layout, LayoutError, Reshape, Seam, Shape};
use alloc::vec::Vec;

/// The result of a rearrangement: a view, or the reason why the elements must be copied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rearranged {
    /// A view of the same memory.
    View(Layout),
    /// A group on the right cannot be a single axis of a strided view.
    Copy {
        /// The axes in the order of the right side, before groups are merged: the source of the copy.
        ordered: Layout,
        /// The shape of the copy.
        shape: Shape,
        /// The seam of `ordered` that the shape crosses.
        why: Seam,
    },
}

impl Rearranged {
    /// Returns the view, or `None` if a copy is needed.
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let rows = Layout::row_major(&[3, 4])?;
    /// assert_eq!(rows.rearrange("a b -> b a", &[])?.into_view(), Some(rows.t()?));
    /// assert_eq!(rows.rearrange("a b -> (b a)", &[])?.into_view(), None);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn into_view(self) -> Option<Layout> {
        match self {
            Rearranged::View(layout) => Some(layout),
            Rearranged::Copy { .. } => None,
        }
    }
}

/// The steps that a pattern means for layouts of one rank, which can be kept and applied repeatedly.
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
    /// For error messages.
    pattern: Pattern,
    rank: usize,
    /// How each axis is split, outermost first.
    splits: Vec<AxisSplit>,
    /// The order of the parts of all splits on the right side, without the `1`s of the left side.
    order: Vec<isize>,
    /// For each axis of the result, the number of ordered parts that it merges.
    n_merged: Vec<usize>,
}

/// The parts that one axis is split into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AxisSplit {
    parts: Vec<AxisPart>,
    /// The index of its group on the left side.
    group: usize,
}

/// One part of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct AxisPart {
    length: AxisPartLength,
    /// The index of its entry in the group.
    entry: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum AxisPartLength {
    Given(usize),
    One,
    Open,
}

impl Pattern {
    /// Rearranges a layout. `lengths` has the lengths of names that cannot be inferred.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, Pattern};
    /// let pattern: Pattern = "(h w) c -> c h w".parse()?;
    /// let planes = pattern.apply(&Layout::row_major(&[12, 3])?, &[("h", 3)])?;
    /// assert_eq!(planes.into_view().unwrap().shape(), [3, 3, 4]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the pattern does not match the layout or the lengths. That a copy would be needed is not an
    /// error.
    pub fn apply<'a>(
        &self,
        layout: &Layout,
        lengths: impl AsRef<[(&'a str, usize)]>,
    ) -> Result<Rearranged, LayoutError> {
        self.recipe(layout.rank(), lengths)?.apply(layout)
    }

    /// Returns the steps for layouts of `rank` axes.
    ///
    /// ```
    /// # use belvedere_layout::{Layout, Pattern};
    /// let recipe = "... a b -> ... b a".parse::<Pattern>()?.recipe(3, &[])?;
    /// let stack = Layout::row_major(&[2, 3, 4])?;
    /// assert_eq!(recipe.apply(&stack)?.into_view(), Some(stack.mt()?));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the left side has another number of axes, or `lengths` has a name that is repeated or not in
    /// the pattern.
    pub fn recipe<'a>(
        &self,
        rank: usize,
        lengths: impl AsRef<[(&'a str, usize)]>,
    ) -> Result<Recipe, LayoutError> {
        let lengths = lengths.as_ref();
        check_rank(rank)?;
        self.check_lengths(lengths)?;
        let n_ellipsis = self.axes_in_ellipsis(rank)?;
        let mut splits = Vec::new();
        // The name of each part on the left, in order: `None` for a 1, `Some("...")` for an axis of
        // the ellipsis.
        let mut names: Vec<Option<&str>> = Vec::new();
        for (number, group) in self.left.iter().enumerate() {
            let times = if is_ellipsis(group) { n_ellipsis } else { 1 };
            for _ in 0..times {
                let parts = self.parts(group, lengths)?;
                names.extend(group.entries.iter().map(|it| self.key(it)));
                splits.push(AxisSplit { parts, group: number });
            }
        }
        let (order, n_merged) = self.order(&names);
        Ok(Recipe { pattern: self.clone(), rank, splits, order, n_merged })
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

    /// Returns the order of the parts on the right, and the number of parts that each axis merges.
    fn order(&self, names: &[Option<&str>]) -> (Vec<isize>, Vec<usize>) {
        let (mut order, mut n_merged) = (Vec::new(), Vec::new());
        for group in &self.right {
            let before = order.len();
            for key in group.entries.iter().filter_map(|it| self.key(it)) {
                let places = names.iter().enumerate().filter(|(_, name)| **name == Some(key));
                order.extend(places.map(|(place, _)| place as isize));
            }
            match is_ellipsis(group) {
                true => n_merged.extend((before..order.len()).map(|_| 1)),
                false => n_merged.push(order.len() - before),
            }
        }
        (order, n_merged)
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
    /// ```
    /// # use belvedere_layout::{Layout, Pattern, Rearranged};
    /// let recipe = "a b -> (b a)".parse::<Pattern>()?.recipe(2, &[])?;
    /// let Rearranged::Copy { shape, why, .. } = recipe.apply(&Layout::row_major(&[3, 4])?)? else {
    ///     panic!("a transposed matrix cannot be flattened without a copy")
    /// };
    /// assert_eq!((shape, why.axes), ([12].into(), (0, 1)));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the layout has another rank, or lengths that do not match the pattern.
    pub fn apply(&self, layout: &Layout) -> Result<Rearranged, LayoutError> {
        if layout.rank() != self.rank {
            let whole = 0..self.pattern.text().len();
            let problem = PatternProblem::WrongRank { wanted: self.rank, rank: layout.rank() };
            return Err(self.pattern.problem(&whole, problem));
        }
        let mut parts = Shape::new();
        for (axis, split) in self.splits.iter().enumerate() {
            self.split_axis(axis, layout.axes()[axis].len, split, &mut parts)?;
        }
        let ordered = self.ordered(&layout.view(&parts)?)?;
        let shape = self.merged_shape(&ordered);
        Ok(match ordered.reshape_to(&shape)? {
            Reshape::View(view) => Rearranged::View(view),
            Reshape::Copy { why } => Rearranged::Copy { ordered, shape, why },
        })
    }

    /// Permutes the split axes to the order of the right side and drops the `1`s of the left side.
    fn ordered(&self, split: &Layout) -> Result<Layout, LayoutError> {
        let is_kept = |k: &isize| self.order.contains(k);
        let dropped: Vec<isize> = (0..split.rank() as isize).filter(|k| !is_kept(k)).collect();
        // The number of the axis after the others are dropped.
        let renumbered = |k: &isize| k - dropped.iter().filter(|it| *it < k).count() as isize;
        let order: Vec<isize> = self.order.iter().map(renumbered).collect();
        split.squeeze(&dropped)?.permute(&order)
    }

    fn merged_shape(&self, ordered: &Layout) -> Shape {
        let mut lengths = ordered.axes().iter().map(|it| it.len);
        self.n_merged.iter().map(|&n| lengths.by_ref().take(n).product()).collect()
    }

    /// Infers the lengths of the parts of one axis and appends them to `parts`.
    fn split_axis(
        &self,
        axis: usize,
        len: usize,
        split: &AxisSplit,
        parts: &mut Shape,
    ) -> Result<(), LayoutError> {
        let group = &self.pattern.left[split.group];
        let given = |part: &AxisPart| match part.length {
            AxisPartLength::Given(given) => given,
            AxisPartLength::One | AxisPartLength::Open => 1,
        };
        let known = product(&split.parts.iter().map(given).collect::<Shape>());
        let is_open = split.parts.iter().any(|it| it.length == AxisPartLength::Open);
        let open = match known {
            Some(0) if len == 0 && !is_open => 0,
            Some(n @ 1..) if len.is_multiple_of(n) && (is_open || len == n) => len / n,
            _ => return Err(self.misfit(axis, len, group, split, known)),
        };
        for part in &split.parts {
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
        split: &AxisSplit,
        known: Option<usize>,
    ) -> LayoutError {
        match split.parts[..] {
            [] | [AxisPart { length: AxisPartLength::One, .. }] => {
                self.pattern.problem(&group.at, PatternProblem::NotOne { axis, len })
            }
            [AxisPart { length: AxisPartLength::Given(given), entry }] => {
                let at = &group.entries[entry].at;
                self.pattern.problem(at, PatternProblem::WrongLength { axis, len, given })
            }
            _ if split.parts.iter().all(|it| it.length != AxisPartLength::Open) => {
                let problem = PatternProblem::WrongProduct { axis, len, product: known };
                self.pattern.problem(&group.at, problem)
            }
            _ => self.pattern.problem(&group.at, PatternProblem::Indivisible { axis, len, known }),
        }
    }
}

impl Layout {
    /// Rearranges the axes with a pattern such as `"b (h w) c -> b c h w"`. See [`Pattern`].
    ///
    /// ```
    /// # use belvedere_layout::Layout;
    /// let heads = Layout::row_major(&[2, 16, 512])?.rearrange("b t (h d) -> b h t d", &[("h", 8)])?;
    /// assert_eq!(heads.into_view().unwrap().strides(), [8192, 64, 512, 1]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Memory
    /// Never copies: the result says whether a copy would be needed.
    ///
    /// # Errors
    /// When the pattern is malformed or does not match the layout. That a copy would be needed is not an
    /// error.
    pub fn rearrange<'a>(
        &self,
        pattern: &str,
        lengths: impl AsRef<[(&'a str, usize)]>,
    ) -> Result<Rearranged, LayoutError> {
        pattern.parse::<Pattern>()?.apply(self, lengths)
    }
}

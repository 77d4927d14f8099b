//! `Sketch`: the cells of a view that are shown, a bounded number, and the memory cells they refer to.
//!
//! A view may have more cells than fit on a screen or in memory. Each axis therefore shows its first and
//! last positions, as many as fit. All later work is on the shown cells and takes time proportional to
//! their number. How often a view visits a memory cell is counted only for views of at most
//! [`MAX_COUNTED`] cells.

use belvedere_layout::{Answer, Chain, Layout, Stage, unravel_index};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of cells of a view that are shown. A view that exceeds it shows fewer cells than
/// the limit, so that the omitted ones are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The total number of cells.
    pub cells: usize,
    /// The number of cells in a row.
    pub columns: usize,
    /// The number of cells in a column.
    pub rows: usize,
}

impl Default for Limits {
    /// Returns limits that fit on a screen.
    fn default() -> Limits {
        Limits { cells: 240, columns: 24, rows: 24 }
    }
}

impl Limits {
    /// Returns the limits for views that are not shown as a whole.
    fn when_truncated(self) -> Limits {
        let Limits { cells, columns, rows } = self;
        Limits { cells: cells.div_ceil(3), columns: columns.div_ceil(3), rows: rows.div_ceil(2) }
    }
}

/// The largest number of cells of a view whose visits to memory cells are counted.
const MAX_COUNTED: usize = 1 << 12;

/// The largest number of elements of a memory that is shown as a whole.
const MAX_WHOLE_MEMORY: usize = 72;

/// The cells of a view that are shown.
///
/// ```
/// use belvedere_draw::{Limits, CellStyle, Sketch};
/// use belvedere_layout::{Chain, Layout};
///
/// let row = Chain::new(Layout::row_major(&[3])?);
/// let sketch = Sketch::new(&row.broadcast_to([2, 3])?, Limits::default());
/// let styles: Vec<CellStyle> = sketch.cells.iter().map(|it| it.style).collect();
/// assert_eq!(styles[..3], [CellStyle::Plain; 3]);
/// assert_eq!(styles[3..], [CellStyle::Repeated; 3]); // the same row, broadcast
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The positions shown along each axis, in order.
    pub shown: Vec<Vec<usize>>,
    /// The cells at these positions, the last axis fastest.
    pub cells: Vec<Cell>,
}

/// One cell of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its index.
    pub index: Vec<usize>,
    /// Its flat (row-major) index.
    pub number: usize,
    /// Its offset in memory; `None` for padding.
    pub offset: Option<usize>,
    /// The style it is drawn in.
    pub style: CellStyle,
}

/// The style of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellStyle {
    /// The first cell with its offset.
    Plain,
    /// An offset that occurred before, along an axis of stride 0: broadcast, repeated, tiled.
    Repeated,
    /// An offset that occurred before, in another window.
    Window,
    /// Padding.
    Padding,
}

impl CellStyle {
    /// Returns the name of the style: `plain`, `repeated`, `window`, `padding`.
    ///
    /// ```
    /// # use belvedere_draw::CellStyle;
    /// assert_eq!(CellStyle::Repeated.name(), "repeated");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            CellStyle::Plain => "plain",
            CellStyle::Repeated => "repeated",
            CellStyle::Window => "window",
            CellStyle::Padding => "padding",
        }
    }
}

/// The number of times a view visits a memory cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visits {
    /// Never.
    None,
    /// This number of times.
    Times(usize),
    /// At least once; the view has too many cells to count.
    Uncounted,
}

impl Sketch {
    /// Selects the cells of `chain` that are shown.
    ///
    /// ```
    /// # use belvedere_draw::{Limits, Sketch};
    /// # use belvedere_layout::{Chain, Layout};
    /// let large = Chain::new(Layout::row_major(&[1_000_000])?);
    /// let sketch = Sketch::new(&large, Limits { cells: 12, columns: 12, rows: 1 });
    /// assert_eq!(sketch.shown, [[0, 1, 999_998, 999_999]]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn new(chain: &Chain, limits: Limits) -> Sketch {
        let shape = chain.shape().to_vec();
        let limits = if counts(&shape, limits) == shape { limits } else { limits.when_truncated() };
        let shown: Vec<Vec<usize>> =
            counts(&shape, limits).iter().zip(&shape).map(|(&n, &len)| ends(len, n)).collect();
        let layout = chain.as_layout();
        let mut seen = BTreeSet::new();
        let mut cells = Vec::new();
        for_each_index(&shown, |index| {
            let offset = chain.index(index).expect("shown positions exist");
            let style = match offset {
                None => CellStyle::Padding,
                Some(at) if seen.insert(at) && !is_repeated(layout.as_ref(), index) => {
                    CellStyle::Plain
                }
                Some(_) if is_repeated(layout.as_ref(), index) => CellStyle::Repeated,
                Some(_) if layout.is_some() => CellStyle::Window,
                Some(_) => CellStyle::Repeated,
            };
            let number = index.iter().zip(&shape).fold(0, |n, (&i, &len)| n * len + i);
            cells.push(Cell { index: index.to_vec(), number, offset, style });
        });
        Sketch { shape, shown, cells }
    }

    /// Returns whether some cells are omitted.
    ///
    /// ```
    /// # use belvedere_draw::{Limits, Sketch};
    /// # use belvedere_layout::{Chain, Layout};
    /// let small = Chain::new(Layout::row_major(&[3, 4])?);
    /// let large = Chain::new(Layout::row_major(&[300, 400])?);
    /// assert!(!Sketch::new(&small, Limits::default()).is_truncated());
    /// assert!(Sketch::new(&large, Limits::default()).is_truncated());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_truncated(&self) -> bool {
        self.shown.iter().zip(&self.shape).any(|(shown, &len)| shown.len() < len)
    }
}

/// Returns whether an index has the offset of an earlier one because of an axis of stride 0.
fn is_repeated(layout: Option<&Layout>, index: &[usize]) -> bool {
    let Some(layout) = layout else { return false };
    index.iter().zip(layout.axes()).any(|(&i, axis)| i > 0 && axis.stride == 0)
}

/// Returns the number of positions that each axis shows.
fn counts(shape: &[usize], limits: Limits) -> Vec<usize> {
    let mut counts: Vec<usize> = shape.to_vec();
    let rank = shape.len();
    // Every other axis goes to the right, the last one among them.
    let goes_right = |k: &usize| (rank - k) % 2 == 1;
    let right: Vec<usize> = (0..rank).filter(goes_right).collect();
    let down: Vec<usize> = (0..rank).filter(|k| !goes_right(k)).collect();
    let all: Vec<usize> = (0..rank).collect();
    shrink(&mut counts, &right, limits.columns);
    shrink(&mut counts, &down, limits.rows);
    shrink(&mut counts, &all, limits.cells);
    counts
}

/// Reduces the counts of the axes that show the most positions, until they show at most `limit` cells.
fn shrink(counts: &mut [usize], axes: &[usize], limit: usize) {
    // An axis of length 0 counts as one position, so that the others are cut all the same.
    let product =
        |counts: &[usize]| axes.iter().fold(1usize, |n, &k| n.saturating_mul(counts[k].max(1)));
    while product(counts) > limit.max(1) {
        let longest = axes.iter().copied().max_by_key(|&k| (counts[k], usize::MAX - k));
        let Some(k) = longest else { return };
        // First to where the limit may be satisfied, then one by one.
        let others = product(counts) / counts[k];
        let room = limit.checked_div(others).unwrap_or(0);
        counts[k] = (counts[k] - 1).min(room.max(counts[k] / 2).max(1)).min(limit);
    }
}

/// Returns `n` of `len` positions: the first and the last ones.
fn ends(len: usize, n: usize) -> Vec<usize> {
    let n = n.min(len);
    let first = n.div_ceil(2);
    (0..first).chain(len - (n - first)..len).collect()
}

/// Calls `f` with every combination of positions, the last axis fastest.
fn for_each_index(shown: &[Vec<usize>], mut f: impl FnMut(&[usize])) {
    if shown.iter().any(Vec::is_empty) {
        return;
    }
    let mut at = vec![0; shown.len()];
    let mut index: Vec<usize> = shown.iter().map(|positions| positions[0]).collect();
    loop {
        f(&index);
        let Some(k) = (0..at.len()).rev().find(|&k| at[k] + 1 < shown[k].len()) else { return };
        at[k] += 1;
        index[k] = shown[k][at[k]];
        for inner in k + 1..at.len() {
            at[inner] = 0;
            index[inner] = shown[inner][0];
        }
    }
}

/// A cell of the memory that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCell {
    /// Its offset.
    pub at: usize,
    /// How often it is visited.
    pub visits: Visits,
}

/// Returns the cells of a memory of `len` elements that are shown with some views of it: all, or the
/// first and the last ones and those of the shown cells of the views.
///
/// ```
/// use belvedere_draw::{Limits, Sketch, Visits, memory_cells};
/// use belvedere_layout::{Chain, Layout};
///
/// let windows = Chain::new(Layout::row_major(&[4])?.windows(0, 2, 1)?);
/// let sketch = Sketch::new(&windows, Limits::default());
/// let visits: Vec<_> = memory_cells(4, &[(&windows, &sketch)]).iter().map(|it| it.visits).collect();
/// assert_eq!(visits, [1, 2, 2, 1].map(Visits::Times));
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
pub fn memory_cells(len: usize, views: &[(&Chain, &Sketch)]) -> Vec<MemoryCell> {
    let shown = views.iter().flat_map(|(_, sketch)| &sketch.cells).filter_map(|it| it.offset);
    let mut positions: BTreeSet<usize> = shown.collect();
    if len <= MAX_WHOLE_MEMORY {
        positions.extend(0..len);
    } else {
        positions.extend([0, 1, len - 2, len - 1]);
    }
    let counted: Vec<_> = views.iter().map(|(chain, _)| counted(chain)).collect();
    let place = |at| {
        let each = views.iter().zip(&counted);
        let visits = each.map(|((chain, sketch), counted)| match counted {
            Some(counted) => counted.get(&at).map_or(Visits::None, |&n| Visits::Times(n)),
            None => uncounted(chain, sketch, at),
        });
        MemoryCell { at, visits: visits.fold(Visits::None, most) }
    };
    positions.into_iter().map(place).collect()
}

/// Counts how often each offset is visited, unless there are more than [`MAX_COUNTED`] cells.
fn counted(chain: &Chain) -> Option<BTreeMap<usize, usize>> {
    if chain.len() > MAX_COUNTED {
        return None;
    }
    let mut times = BTreeMap::new();
    for at in chain.offsets().flatten() {
        *times.entry(at).or_insert(0) += 1;
    }
    Some(times)
}

/// Returns whether a large view visits an offset. Of a chain only the layout over memory is tested.
fn uncounted(chain: &Chain, sketch: &Sketch, at: usize) -> Visits {
    if sketch.cells.iter().any(|it| it.offset == Some(at)) {
        return Visits::Uncounted;
    }
    let place = Layout::scalar(at);
    match (chain.base(), place) {
        (Some(base), Ok(place)) if base.overlaps(&place) != Answer::No => Visits::Uncounted,
        _ => Visits::None,
    }
}

/// Returns the larger number of visits.
fn most(a: Visits, b: Visits) -> Visits {
    match (a, b) {
        (Visits::None, it) | (it, Visits::None) => it,
        (Visits::Times(a), Visits::Times(b)) => Visits::Times(a.max(b)),
        _ => Visits::Uncounted,
    }
}

/// Formats the calculation of a cell's offset, `start + Σ i·stride`, with its numbers.
///
/// ```
/// use belvedere_draw::offset_formula;
/// use belvedere_layout::{Chain, Layout};
///
/// let columns = Chain::new(Layout::row_major(&[3, 4])?.t()?);
/// assert_eq!(offset_formula(&columns, &[1, 2]), "0 + 1·1 + 2·4 = 9");
/// assert_eq!(offset_formula(&columns.pad(&[(1, 0), (0, 0)])?, &[0, 0]), "padding");
/// // With several stages, the offset of one is a flat index into the next.
/// assert_eq!(offset_formula(&columns.reshape([6, 2])?, &[1, 0]), "0 + 1·2 + 0·1 = 2 → [0, 2]: 0 + 0·1 + 2·4 = 8");
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
pub fn offset_formula(chain: &Chain, index: &[usize]) -> String {
    if let Err(error) = chain.index(index) {
        return error.to_string();
    }
    let (mut text, mut position) = (String::new(), None);
    for stage in chain.stages().iter().rev() {
        // The offset of the stage above is a flat index into the shape of this one.
        let index = match position {
            None => index.to_vec(),
            Some(position) => match unravel_index(stage.shape(), position) {
                Ok(index) => index.to_vec(),
                Err(error) => return error.to_string(),
            },
        };
        if position.is_some() {
            text += &format!(" → {index:?}: ");
        }
        let Some((terms, offset)) = stage_formula(stage, &index) else { return text + "padding" };
        text += &format!("{terms} = {offset}");
        position = Some(offset);
    }
    text
}

/// Returns the formula of one stage and the offset; `None` for padding.
fn stage_formula(stage: &Stage, index: &[usize]) -> Option<(String, usize)> {
    let inside = stage.inside()?;
    let mut text = inside.start().to_string();
    let mut offset = inside.start() as i128;
    for ((&i, &before), axis) in index.iter().zip(stage.before()).zip(inside.axes()) {
        let at = i.checked_sub(before).filter(|&at| at < axis.len)?;
        let i = if before == 0 { i.to_string() } else { format!("({i} − {before})") };
        text += &match axis.stride {
            stride if stride < 0 => format!(" − {i}·{}", stride.unsigned_abs()),
            stride => format!(" + {i}·{stride}"),
        };
        offset += at as i128 * axis.stride as i128;
    }
    Some((text, usize::try_from(offset).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_cells_stay_within_the_limits() {
        let limits = Limits { cells: 50, columns: 8, rows: 9 };
        let shapes: [&[usize]; 6] =
            [&[], &[usize::MAX], &[3, 0, 5], &[1000, 1000], &[2; 40], &[7, 1, 9, 2, 30]];
        for shape in shapes {
            let counts = counts(shape, limits);
            let product = |axes: &mut dyn Iterator<Item = usize>| axes.map(|k| counts[k]).product();
            let rank = shape.len();
            let cells: usize = product(&mut (0..rank));
            let columns: usize = product(&mut (0..rank).rev().step_by(2));
            let rows: usize = product(&mut (0..rank).rev().skip(1).step_by(2));
            assert!(cells <= 50 && columns <= 8 && rows <= 9, "{shape:?}: {counts:?}");
            assert!(counts.iter().zip(shape).all(|(&n, &len)| n <= len && (n > 0) == (len > 0)));
        }
    }

    #[test]
    fn the_formula_ends_with_the_offset() {
        let columns = Chain::new(Layout::row_major(&[3, 4]).unwrap().t().unwrap());
        let padded = columns.reshape([12]).unwrap().pad(&[(1, 2)]).unwrap();
        let chains = [columns.reshape([6, 2]).unwrap(), padded.reshape([3, 5]).unwrap(), padded];
        for chain in chains {
            for cell in Sketch::new(&chain, Limits::default()).cells {
                let text = offset_formula(&chain, &cell.index);
                match cell.offset {
                    Some(at) => assert!(text.ends_with(&format!(" = {at}")), "{text}"),
                    None => assert!(text.ends_with("padding"), "{text}"),
                }
            }
        }
    }

    #[test]
    fn small_shapes_are_shown_as_a_whole() {
        for shape in [&[3, 4][..], &[2, 3, 4], &[2, 2, 2, 2], &[24], &[24, 1]] {
            assert_eq!(counts(shape, Limits::default()), shape);
        }
    }

    #[test]
    fn the_first_and_the_last_positions_are_shown() {
        assert_eq!(ends(100, 5), [0, 1, 2, 98, 99]);
        assert_eq!(ends(3, 9), [0, 1, 2]);
        assert_eq!(ends(0, 0), [0; 0]);
        assert_eq!(ends(9, 1), [0]);
    }
}

//! What is drawn of a view: a bounded number of its cells, and the places in memory they belong to.
//!
//! A view may have more cells than anybody can look at, or than there is memory for. So each axis shows
//! its first and last positions, and their number falls until the whole fits. Everything after this
//! works on what is shown, and takes time for that alone. Cells are counted (how often does the
//! view visit a place?) only when all of them are few enough to be visited.

use belvedere_layout::{Answer, Chain, Layout, Stage, unravel_index};
use std::collections::{BTreeMap, BTreeSet};

/// How much of a view is shown at most. A view that fits is shown as a whole; of one that does not, there is
/// less: nobody wants to look through hundreds of cells for the dots between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cells in all.
    pub cells: usize,
    /// Cells side by side.
    pub columns: usize,
    /// Cells below one another.
    pub rows: usize,
}

impl Default for Limits {
    /// What fits on a screen.
    fn default() -> Limits {
        Limits { cells: 240, columns: 24, rows: 24 }
    }
}

impl Limits {
    /// What holds when not everything can be shown.
    fn of_a_part(self) -> Limits {
        let Limits { cells, columns, rows } = self;
        Limits { cells: cells.div_ceil(3), columns: columns.div_ceil(3), rows: rows.div_ceil(2) }
    }
}

/// Views with more cells than this are not walked to count how often a place is visited.
const MAX_COUNTED: usize = 1 << 12;

/// A memory up to this length is shown as a whole.
const MAX_WHOLE_MEMORY: usize = 72;

/// The cells of a view that are shown.
///
/// ```
/// use belvedere_draw::{Limits, Look, Sketch};
/// use belvedere_layout::{Chain, Layout};
///
/// let row = Chain::new(Layout::row_major(&[3])?);
/// let sketch = Sketch::of(&row.broadcast_to([2, 3])?, Limits::default());
/// let looks: Vec<Look> = sketch.cells.iter().map(|it| it.look).collect();
/// assert_eq!(looks[..3], [Look::Plain; 3]);
/// assert_eq!(looks[3..], [Look::Again; 3]); // the same row, seen once more
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
    /// Its number when all cells are counted, the last axis fastest.
    pub number: usize,
    /// Its place in memory; none for padding.
    pub offset: Option<usize>,
    /// How it is drawn.
    pub look: Look,
}

/// How a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The first cell with this place in memory.
    Plain,
    /// One place seen again, since an axis does not move: broadcast, repeated, tiled.
    Again,
    /// One place seen again by another window.
    Window,
    /// No place in memory.
    Padding,
}

impl Look {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Look::Plain => "plain",
            Look::Again => "again",
            Look::Window => "window",
            Look::Padding => "padding",
        }
    }
}

/// Whether a view visits a place in memory, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visits {
    /// Never.
    None,
    /// So many times.
    Times(usize),
    /// There are too many cells to count.
    Uncounted,
}

impl Sketch {
    /// The cells of `chain` that are shown.
    pub fn of(chain: &Chain, limits: Limits) -> Sketch {
        let shape = chain.shape().to_vec();
        let limits = if counts(&shape, limits) == shape { limits } else { limits.of_a_part() };
        let shown: Vec<Vec<usize>> =
            counts(&shape, limits).iter().zip(&shape).map(|(&n, &len)| ends(len, n)).collect();
        let layout = chain.as_layout();
        let mut seen = BTreeSet::new();
        let mut cells = Vec::new();
        for_each_index(&shown, |index| {
            let offset = chain.index(index).expect("shown positions exist");
            let look = match offset {
                None => Look::Padding,
                Some(at) if seen.insert(at) && !is_again(layout.as_ref(), index) => Look::Plain,
                Some(_) if is_again(layout.as_ref(), index) => Look::Again,
                Some(_) if layout.is_some() => Look::Window,
                Some(_) => Look::Again,
            };
            let number = index.iter().zip(&shape).fold(0, |n, (&i, &len)| n * len + i);
            cells.push(Cell { index: index.to_vec(), number, offset, look });
        });
        Sketch { shape, shown, cells }
    }

    /// Whether some cells are left out.
    pub fn is_cut(&self) -> bool {
        self.shown.iter().zip(&self.shape).any(|(shown, &len)| shown.len() < len)
    }
}

/// Whether an index repeats another one because an axis along which it has moved does not.
fn is_again(layout: Option<&Layout>, index: &[usize]) -> bool {
    let Some(layout) = layout else { return false };
    index.iter().zip(layout.axes()).any(|(&i, axis)| i > 0 && axis.stride == 0)
}

/// How many positions each axis shows.
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

/// Takes positions away from the axes that show most, until the axes show no more than `limit` cells.
fn shrink(counts: &mut [usize], axes: &[usize], limit: usize) {
    let product = |counts: &[usize]| axes.iter().fold(1usize, |n, &k| n.saturating_mul(counts[k]));
    while product(counts) > limit.max(1) {
        let longest = axes.iter().copied().max_by_key(|&k| (counts[k], usize::MAX - k));
        let Some(k) = longest else { return };
        // In one go to where the limit could hold, then one by one.
        let others = product(counts) / counts[k];
        let room = limit.checked_div(others).unwrap_or(0);
        counts[k] = (counts[k] - 1).min(room.max(counts[k] / 2).max(1)).min(limit);
    }
}

/// `n` of `len` positions: the first and the last ones. One that would be hidden alone has the room
/// of the dots in its place, but that is for whoever draws to decide.
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

/// A place in memory that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its position.
    pub at: usize,
    /// How often it is visited.
    pub visits: Visits,
}

/// The places of a memory of `len` elements that are shown beside some views of it: all, or the first
/// and the last ones and those of the cells that are shown.
///
/// ```
/// use belvedere_draw::{Limits, Sketch, Visits, places};
/// use belvedere_layout::{Chain, Layout};
///
/// let windows = Chain::new(Layout::row_major(&[4])?.windows(0, 2, 1)?);
/// let sketch = Sketch::of(&windows, Limits::default());
/// let visits: Vec<_> = places(4, &[(&windows, &sketch)]).iter().map(|it| it.visits).collect();
/// assert_eq!(visits, [1, 2, 2, 1].map(Visits::Times));
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
pub fn places(len: usize, views: &[(&Chain, &Sketch)]) -> Vec<Place> {
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
        Place { at, visits: visits.fold(Visits::None, most) }
    };
    positions.into_iter().map(place).collect()
}

/// How often each place is visited, unless there are too many cells.
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

/// Whether a large view visits a place. Of a chain only the layout over memory is asked.
fn uncounted(chain: &Chain, sketch: &Sketch, at: usize) -> Visits {
    if sketch.cells.iter().any(|it| it.offset == Some(at)) {
        return Visits::Uncounted;
    }
    let place = Layout::from_strides(at, &[], &[]);
    match (chain.base(), place) {
        (Some(base), Ok(place)) if base.overlaps(&place) != Answer::No => Visits::Uncounted,
        _ => Visits::None,
    }
}

/// The larger number of visits.
fn most(a: Visits, b: Visits) -> Visits {
    match (a, b) {
        (Visits::None, it) | (it, Visits::None) => it,
        (Visits::Times(a), Visits::Times(b)) => Visits::Times(a.max(b)),
        _ => Visits::Uncounted,
    }
}

/// How the place of a cell is calculated: `offset + Σ i·stride`, with the numbers.
///
/// ```
/// use belvedere_draw::sum;
/// use belvedere_layout::{Chain, Layout};
///
/// let columns = Chain::new(Layout::row_major(&[3, 4])?.t()?);
/// assert_eq!(sum(&columns, &[1, 2]), "0 + 1·1 + 2·4 = 9");
/// assert_eq!(sum(&columns.pad(&[(1, 0), (0, 0)])?, &[0, 0]), "padding");
/// // Where one layout is not enough, the offset in the first is a position in the next.
/// assert_eq!(sum(&columns.reshape([6, 2])?, &[1, 0]), "0 + 1·2 + 0·1 = 2 → [0, 2]: 0 + 0·1 + 2·4 = 8");
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
pub fn sum(chain: &Chain, index: &[usize]) -> String {
    if let Err(error) = chain.index(index) {
        return error.to_string();
    }
    let (mut text, mut position) = (String::new(), None);
    for stage in chain.stages().iter().rev() {
        // What came out of the stage above is a position in the shape of this one.
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
        let Some((terms, offset)) = sum_in(stage, &index) else { return text + "padding" };
        text += &format!("{terms} = {offset}");
        position = Some(offset);
    }
    text
}

/// The sum of one stage, and what it comes to; nothing for padding.
fn sum_in(stage: &Stage, index: &[usize]) -> Option<(String, usize)> {
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
    fn what_is_shown_stays_within_the_limits() {
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
    fn the_sum_comes_to_the_place() {
        let columns = Chain::new(Layout::row_major(&[3, 4]).unwrap().t().unwrap());
        let padded = columns.reshape([12]).unwrap().pad(&[(1, 2)]).unwrap();
        let chains = [columns.reshape([6, 2]).unwrap(), padded.reshape([3, 5]).unwrap(), padded];
        for chain in chains {
            for cell in Sketch::of(&chain, Limits::default()).cells {
                let text = sum(&chain, &cell.index);
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

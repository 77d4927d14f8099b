//! `explain_view`: the derivation of a reshape as a value, and shapes to suggest instead of a refused one.

use super::reshape::{Reshape, Seam};
use crate::runs::Run;
use crate::{InlineVec, Integers, Layout, LayoutError, MAX_RANK, Shape};
use alloc::vec::Vec;
use core::fmt;

/// The derivation of a reshape: why a shape is or is not a view of a layout. Created by [`explain_view`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The layout to be reshaped.
    pub layout: Layout,
    /// The requested shape.
    pub shape: Shape,
    /// The runs of the layout, outermost first.
    pub runs: Vec<Run>,
    /// The seams between adjacent runs, outermost first.
    pub boundaries: Vec<Boundary>,
    /// The run that each new axis is part of, innermost first, up to the axis that crosses a seam.
    pub matched: Vec<MatchedAxis>,
    /// The result of the reshape.
    pub outcome: Reshape,
}

/// A seam between two runs, and the axis of the new shape that crosses it, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The axes on both sides, the outer one first.
    pub axes: (usize, usize),
    /// The stride of the outer axis.
    pub stride: isize,
    /// The stride with which there would be no seam.
    pub needed: i128,
    /// The number of elements inside of the seam.
    pub mark: usize,
    /// The new axis that would cross it, if any.
    pub crossed_by: Option<usize>,
}

/// An axis of the new shape and the run that it is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedAxis {
    /// The axis of the new shape.
    pub new_axis: usize,
    /// Its length.
    pub len: usize,
    /// The run it is part of, an index into [`Explanation::runs`]; `None` for an axis of length 1, and
    /// for all axes of a layout without elements.
    pub run: Option<usize>,
    /// Its stride; 0 for an axis of length 1.
    pub stride: isize,
}

/// Explains a [`Layout::reshape`]: returns the runs of the layout, the seams between them, and how
/// each new axis was matched with a run.
///
/// ```
/// use belvedere_layout::{Layout, explain_view};
///
/// let columns = Layout::row_major(&[3, 4])?.t()?;
/// assert_eq!(explain_view(&columns, [2, 2, 3])?.to_string(), "\
/// [4, 3] (strides [1, 4]) as [2, 2, 3] is a view with strides [2, 1, 4]
///   memory is walked in 2 runs, outermost first
///     run 0: axis 0, 4 elements with stride 1
///     run 1: axis 1, 3 elements with stride 4
///   there is 1 seam between them
///     3 elements from the end, axes 0 | 1: stride 1 is not 12; it falls between two new axes
///   the new axes, innermost first
///     axis 2: 3 elements with stride 4, from run 1
///     axis 1: 2 elements with stride 1, from run 0
///     axis 0: 2 elements with stride 2, from run 0");
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
///
/// # Errors
/// As for [`Layout::reshape`].
pub fn explain_view(layout: &Layout, shape: impl Integers) -> Result<Explanation, LayoutError> {
    let shape = layout.resolve_shape(shape)?;
    let outcome = layout.reshape_to(&shape)?;
    let mut runs: Vec<Run> = Vec::new();
    if !layout.is_empty() {
        runs.extend(layout.runs_inner_first());
        runs.reverse();
    }
    let boundaries = boundaries(layout, &runs, &shape);
    let matched = matched(&runs, &shape);
    Ok(Explanation { layout: layout.clone(), shape, runs, boundaries, matched, outcome })
}

fn boundaries(layout: &Layout, runs: &[Run], shape: &[usize]) -> Vec<Boundary> {
    let mut mark: usize = runs.iter().map(|it| it.len).product();
    let pairs = runs.windows(2);
    let boundary = |pair: &[Run]| {
        let (outer, inner) = (pair[0].last, pair[1].first);
        let (outside, inside) = (layout.axes()[outer], layout.axes()[inner]);
        mark /= pair[0].len;
        Boundary {
            axes: (outer, inner),
            stride: outside.stride,
            needed: inside.len as i128 * inside.stride as i128,
            mark,
            crossed_by: axis_across(shape, mark),
        }
    };
    pairs.map(boundary).collect()
}

/// Returns the axis of a shape that crosses the seam with `mark` elements inside of it, if any.
fn axis_across(shape: &[usize], mark: usize) -> Option<usize> {
    let mut inside = 1;
    for (k, &len) in shape.iter().enumerate().rev() {
        if inside < mark && inside * len > mark {
            return Some(k);
        }
        inside *= len;
    }
    None
}

fn matched(runs: &[Run], shape: &[usize]) -> Vec<MatchedAxis> {
    let mut matched = Vec::new();
    let mut inner_first = runs.iter().enumerate().rev();
    let (mut run, mut filled) = (inner_first.next(), 1);
    for (new_axis, &len) in shape.iter().enumerate().rev() {
        let Some((number, current)) = run.filter(|_| len != 1) else {
            matched.push(MatchedAxis { new_axis, len, run: None, stride: 0 });
            continue;
        };
        let stride = current.stride * filled as isize;
        matched.push(MatchedAxis { new_axis, len, run: Some(number), stride });
        filled *= len;
        if filled > current.len {
            break;
        }
        if filled == current.len {
            (run, filled) = (inner_first.next(), 1);
        }
    }
    matched
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { layout, shape, .. } = self;
        write!(f, "{:?} (strides {:?}) as {shape:?} ", layout.shape(), layout.strides())?;
        match &self.outcome {
            Reshape::View(view) => write!(f, "is a view with strides {:?}", view.strides())?,
            Reshape::Copy { .. } => write!(f, "needs a copy of {} elements", layout.len())?,
        }
        if layout.is_empty() {
            return write!(f, "\n  there are no elements: every shape without elements is a view");
        }
        self.fmt_runs(f)?;
        self.fmt_boundaries(f)?;
        self.fmt_matched(f)
    }
}

impl Explanation {
    fn fmt_runs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.runs.len() {
            0 => write!(f, "\n  there is one element and nothing to walk")?,
            1 => write!(f, "\n  memory is walked in 1 run")?,
            n => write!(f, "\n  memory is walked in {n} runs, outermost first")?,
        }
        for (i, run) in self.runs.iter().enumerate() {
            let Run { first, last, len, stride } = run;
            write!(f, "\n    run {i}: axis {first}")?;
            if first != last {
                write!(f, " to {last}")?;
            }
            write!(f, ", {len} elements with stride {stride}")?;
        }
        Ok(())
    }

    fn fmt_boundaries(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.boundaries.len() {
            0 => return Ok(()),
            1 => write!(f, "\n  there is 1 seam between them")?,
            n => write!(f, "\n  there are {n} seams between them")?,
        }
        for Boundary { axes: (outer, inner), stride, needed, mark, crossed_by } in &self.boundaries
        {
            write!(f, "\n    {mark} elements from the end, axes {outer} | {inner}: ")?;
            write!(f, "stride {stride} is not {needed}; ")?;
            match crossed_by {
                Some(axis) => write!(f, "new axis {axis} would cross it")?,
                None => write!(f, "it falls between two new axes")?,
            }
        }
        Ok(())
    }

    fn fmt_matched(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n  the new axes, innermost first")?;
        let across = match self.outcome {
            Reshape::Copy { why: Seam { new_axis, .. } } => Some(new_axis),
            Reshape::View(_) => None,
        };
        for MatchedAxis { new_axis, len, run, stride } in &self.matched {
            write!(f, "\n    axis {new_axis}: ")?;
            match run {
                Some(run) if across == Some(*new_axis) => {
                    write!(f, "{len} elements do not fit in what is left of run {run}")?;
                }
                Some(run) => write!(f, "{len} elements with stride {stride}, from run {run}")?,
                None => write!(f, "1 element, no stride needed")?,
            }
        }
        Ok(())
    }
}

/// The number of shapes that a refusal suggests.
pub(super) const N_SUGGESTIONS: usize = 3;

/// Returns shapes similar to `wanted` that are views of `layout`, the most similar first.
pub(super) fn nearby_views(layout: &Layout, wanted: &[usize]) -> Vec<Shape> {
    let runs = layout.coalesced().shape();
    let split = split_at_seams(&runs, wanted);
    let mut with_unit_axis = split.clone();
    with_unit_axis.push(1);
    let mut seam_shown = runs.clone();
    seam_shown.insert(runs.len().min(1), 1);

    let own = layout.squeeze_all().shape();
    let mut found: Vec<Shape> = Vec::new();
    for shape in [split, runs, seam_shown, with_unit_axis] {
        if shape != own && shape.len() <= MAX_RANK && !found.contains(&shape) {
            found.push(shape);
        }
    }
    found.truncate(N_SUGGESTIONS);
    found
}

/// Splits the lengths of `wanted` so that none crosses the end of a run: each run takes the greatest
/// common divisor of the length it still needs and the rest of the current wanted length.
fn split_at_seams(runs: &[usize], wanted: &[usize]) -> Shape {
    let mut offered = wanted.iter().copied().filter(|&len| len > 1);
    let mut offer = 1;
    let mut shape = InlineVec::new();
    for &run in runs {
        let mut needed = run;
        while needed > 1 {
            if offer == 1 {
                offer = offered.next().unwrap_or(needed);
            }
            let common = gcd(offer, needed);
            if common == 1 {
                shape.push(needed);
                break;
            }
            needed /= common;
            offer /= common;
            shape.push(common);
        }
    }
    shape
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

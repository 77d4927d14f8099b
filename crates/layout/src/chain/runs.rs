//! Reading a chain by stretches instead of element by element.
//!
//! Along the last axis of the outermost stage, positions in the stage below rise by a constant. They
//! give offsets that rise by a constant too, until a digit carries over or enters or leaves padding;
//! how many steps that takes is known from one division a place. So a run costs a few divisions, and
//! an element inside of it none.

use super::merge_stack;
use super::stack::Chain;
use super::stage::Stage;
use crate::offsets::unravel;
use crate::{InlineVec, Layout, Shape, Strides};
use core::ops::Range;

/// A stretch of a chain in logical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainRun {
    /// So many positions of padding.
    Padding {
        /// How many positions.
        len: usize,
    },
    /// Elements with one stride.
    Elements {
        /// The offset of the first.
        offset: usize,
        /// How far apart they are; 0 for a single one.
        stride: isize,
        /// How many.
        len: usize,
    },
}

impl ChainRun {
    /// How many positions there are in the run; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match *self {
            ChainRun::Padding { len } | ChainRun::Elements { len, .. } => len,
        }
    }
}

impl Chain {
    /// All positions in logical order, as stretches of padding or of elements with one stride.
    ///
    /// ```
    /// use belvedere_layout::{Chain, ChainRun, Layout};
    ///
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?.t()?).reshape([6])?.pad(&[(0, 2)])?;
    /// let runs: Vec<_> = chain.runs().collect();
    /// assert_eq!(runs[0], ChainRun::Elements { offset: 0, stride: 3, len: 2 });
    /// assert_eq!(runs.last(), Some(&ChainRun::Padding { len: 2 }));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn runs(&self) -> ChainRuns<'_> {
        self.runs_from(0)
    }

    /// The rest of [`Chain::runs`] from a position on, wherever in a stretch it lies; nothing from the
    /// end on.
    ///
    /// ```
    /// use belvedere_layout::{Chain, ChainRun, Layout};
    ///
    /// let chain = Chain::new(Layout::row_major(&[2, 3])?.t()?).reshape([6])?.pad(&[(0, 2)])?;
    /// let runs: Vec<_> = chain.runs_from(5).collect();
    /// let last = ChainRun::Elements { offset: 5, stride: 0, len: 1 };
    /// assert_eq!(runs, [last, ChainRun::Padding { len: 2 }]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn runs_from(&self, position: usize) -> ChainRuns<'_> {
        let (top, below) = self.unshaped();
        let top = top.coalesced();
        let left = self.len().saturating_sub(position);
        let first = if left > 0 { position } else { 0 };
        let index = if self.is_empty() { Shape::new() } else { unravel(top.shape(), first) };
        ChainRuns { top, below, index, left }
    }

    /// The strided layout that reaches the same offsets in the same order, if there is one and it was
    /// found. Unlike [`Chain::as_layout`], its shape may be another one: all reshapes of a layout are
    /// the same walk.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// let flat = Chain::new(columns.clone()).reshape([12])?;
    /// assert_eq!((flat.as_layout(), flat.as_layout_up_to_reshape()), (None, Some(columns)));
    /// assert_eq!(flat.pad(&[(1, 0)])?.as_layout_up_to_reshape(), None);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn as_layout_up_to_reshape(&self) -> Option<Layout> {
        match self.unshaped() {
            (only, []) => only.as_layout(),
            (_, below) => merge_stack::layout_up_to_reshape(&self.stages()[..=below.len()]),
        }
    }

    /// The outermost stage and those below, without stages that only give another shape to all of
    /// what is below them.
    fn unshaped(&self) -> (&Stage, &[Stage]) {
        let (mut top, mut below) = (self.top(), &self.stages()[..self.depth() - 1]);
        while let Some((inner, rest)) = below.split_last() {
            if !is_reshape(top, inner) {
                break;
            }
            (top, below) = (inner, rest);
        }
        (top, below)
    }
}

/// Whether the outer stage gives the positions of the inner one, each once and in order.
fn is_reshape(outer: &Stage, inner: &Stage) -> bool {
    let n: usize = inner.shape().iter().product();
    let is_all = |it: Layout| it.start() == 0 && it.is_contiguous() && it.len() == n;
    outer.as_layout().is_some_and(is_all)
}

/// Iterator over the stretches of a chain. See [`Chain::runs`].
#[derive(Clone, Debug)]
pub struct ChainRuns<'a> {
    top: Stage,
    below: &'a [Stage],
    /// Where the next stretch begins in the shape of the outermost stage.
    index: Shape,
    /// How many positions there are from there on.
    left: usize,
}

impl Iterator for ChainRuns<'_> {
    type Item = ChainRun;

    fn next(&mut self) -> Option<ChainRun> {
        if self.left == 0 {
            return None;
        }
        let run = self.run();
        self.left -= run.len();
        self.advance(run.len());
        Some(run)
    }
}

impl ChainRuns<'_> {
    fn run(&self) -> ChainRun {
        let mut walk = match walk_top(&self.top, &self.index) {
            Ok(walk) => walk,
            Err(len) => return ChainRun::Padding { len },
        };
        for stage in self.below.iter().rev() {
            walk = match walk_through(stage, walk) {
                Ok(walk) => walk,
                Err(len) => return ChainRun::Padding { len },
            };
        }
        let OffsetRun { at, step, len } = walk;
        let stride = if len > 1 { step } else { 0 };
        ChainRun::Elements { offset: at as usize, stride, len: len as usize }
    }

    /// Goes on by so many positions, at most to the end of a row.
    fn advance(&mut self, len: usize) {
        let mut n = len;
        for (i, &end) in self.index.iter_mut().zip(self.top.shape()).rev() {
            *i += n;
            if *i < end {
                return;
            }
            *i = 0;
            n = 1;
        }
    }
}

/// Positions that rise by a constant.
#[derive(Clone, Copy, Debug)]
struct OffsetRun {
    at: isize,
    step: isize,
    len: isize,
}

/// The rest of the row in which an index lies, or how much of it is padding.
fn walk_top(top: &Stage, index: &Shape) -> Result<OffsetRun, usize> {
    let Some((&i, outer)) = index.split_last() else {
        let start = top.inside().map(|it| it.start() as isize).ok_or(1usize)?;
        return Ok(OffsetRun { at: start, step: 0, len: 1 });
    };
    let last = outer.len();
    let left = top.shape()[last] - i;
    let in_rows = outer.iter().enumerate().all(|(k, i)| top.valid(k).contains(i));
    let valid = top.valid(last);
    if !in_rows || i >= valid.end {
        return Err(left);
    }
    if i < valid.start {
        return Err(valid.start - i);
    }
    let at = top.offset(index).expect("every index was found valid");
    let step = top.inside().map_or(0, |it| it.axes()[last].stride);
    Ok(OffsetRun { at: at as isize, step, len: (valid.end - i) as isize })
}

/// What a walk over the positions of a stage is further down, for as long as it stays one walk; or
/// how many of its positions are padding.
fn walk_through(stage: &Stage, walk: OffsetRun) -> Result<OffsetRun, usize> {
    let Some(inside) = stage.inside() else { return Err(walk.len as usize) };
    let digits = unravel(stage.shape(), walk.at as usize);
    let (changes, len) = digit_changes(stage, inside, &digits, walk);
    let mut padding = 0;
    let mut valid_len = len;
    for (k, (&digit, &change)) in digits.iter().zip(&changes).enumerate() {
        match steps_alike(digit as isize, change, stage.valid(k)) {
            StepsAlike::Valid(steps) => valid_len = valid_len.min(steps),
            StepsAlike::Padding(steps) => padding = padding.max(steps),
        }
    }
    let Some(at) = stage.offset(&digits) else { return Err(padding.min(len) as usize) };
    // Wrapping: the sum of a walk of two steps or more fits, its parts need not.
    let parts = changes.iter().zip(inside.axes()).map(|(it, axis)| it.wrapping_mul(axis.stride));
    let sum = parts.fold(0isize, isize::wrapping_add);
    let step = if valid_len > 1 { sum } else { 0 };
    Ok(OffsetRun { at: at as isize, step, len: valid_len })
}

/// By how much each digit changes with a step of the walk, and for how many positions that is true
/// where it matters: at every place when there is padding, else at the seams of the layout.
fn digit_changes(
    stage: &Stage,
    inside: &Layout,
    digits: &Shape,
    walk: OffsetRun,
) -> (Strides, isize) {
    let padded = stage.is_padded();
    let mut changes = InlineVec::repeat(0, stage.shape().len());
    let mut len = walk.len;
    let (mut place, mut slope, mut remainder) = (1, walk.step, 0);
    let stepped = |&k: &usize| stage.shape()[k] != 1;
    let mut inner_first = (0..stage.shape().len()).rev().filter(stepped).peekable();
    while let Some(k) = inner_first.next() {
        let n = stage.shape()[k] as isize;
        remainder += digits[k] as isize * place;
        place *= n;
        let mut slope_above = 0;
        if let Some(&outer) = inner_first.peek() {
            let carry = QuotientRate::of(remainder, walk.step, place);
            slope_above = carry.slope;
            if padded || !inside.axes()[outer].continues_into(inside.axes()[k]) {
                len = len.min(carry.n_positions);
            }
        }
        changes[k] = slope.wrapping_sub(slope_above.wrapping_mul(n));
        slope = slope_above;
    }
    (changes, len)
}

/// How the quotient by a place changes along a walk.
struct QuotientRate {
    /// By how much with each step,
    slope: isize,
    /// for how many positions.
    n_positions: isize,
}

impl QuotientRate {
    /// Of the two slopes that fit the first step, the one that fits longer.
    fn of(remainder: isize, step: isize, place: isize) -> QuotientRate {
        // Most steps are short, and most are one: those need no division.
        let (slope, rise) = match step {
            _ if 0 <= step && step < place => (0, step),
            _ if -place <= step && step < 0 => (-1, step + place),
            _ => (step.div_euclid(place), step.rem_euclid(place)),
        };
        if rise == 0 {
            return QuotientRate { slope, n_positions: isize::MAX };
        }
        let upwards = quotient(place - remainder - 1, rise) + 1;
        let fall = place - rise;
        let downwards = if remainder < fall { 1 } else { quotient(remainder, fall) + 1 };
        if upwards >= downwards {
            return QuotientRate { slope, n_positions: upwards };
        }
        QuotientRate { slope: slope + 1, n_positions: downwards }
    }
}

/// The quotient of two numbers of which the second is positive, and often 1.
fn quotient(number: isize, by: isize) -> isize {
    if by == 1 { number } else { number / by }
}

enum StepsAlike {
    Valid(isize),
    Padding(isize),
}

/// For how many positions a digit that changes at a constant rate stays valid, or stays outside.
fn steps_alike(digit: isize, change: isize, valid: Range<usize>) -> StepsAlike {
    let (low, high) = (valid.start as isize, valid.end as isize);
    if digit < low {
        let steps = if change > 0 { quotient(low - digit - 1, change) + 1 } else { isize::MAX };
        return StepsAlike::Padding(steps);
    }
    if digit >= high {
        let steps = if change < 0 { quotient(digit - high, -change) + 1 } else { isize::MAX };
        return StepsAlike::Padding(steps);
    }
    StepsAlike::Valid(match change {
        0 => isize::MAX,
        1.. => quotient(high - 1 - digit, change) + 1,
        _ => quotient(digit - low, -change) + 1,
    })
}

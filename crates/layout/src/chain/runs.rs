//! Iteration over a chain by runs of constant stride instead of element by element.
//!
//! Along the last axis of the outermost stage, flat indices into the stage below increase by a
//! constant. The resulting offsets increase by a constant too, until a digit of the flat index carries
//! over, or enters or leaves padding. The number of steps until then follows from one division for each
//! digit. A run therefore costs a few divisions, and an element within it none.

use super::merge_stack;
use super::stack::Chain;
use super::stage::Stage;
use crate::offsets::unravel;
use crate::{InlineVec, Layout, Shape, Strides};
use core::ops::Range;

/// A run of a chain: adjacent elements in logical order that are all padding, or have a single stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainRun {
    /// Padding.
    Padding {
        /// The number of elements.
        len: usize,
    },
    /// Elements with a single stride.
    Elements {
        /// The offset of the first element.
        offset: usize,
        /// The stride; 0 for a single element.
        stride: isize,
        /// The number of elements.
        len: usize,
    },
}

impl ChainRun {
    /// Returns the number of elements in the run, which is at least 1.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let padded = Chain::new(Layout::row_major(&[4])?).pad(&[(2, 1)])?;
    /// assert!(padded.runs().map(|it| it.len()).eq([2, 4, 1]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match *self {
            ChainRun::Padding { len } | ChainRun::Elements { len, .. } => len,
        }
    }
}

impl Chain {
    /// Iterates over all elements in logical order, as runs of padding or of elements with one stride.
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

    /// Iterates over the rest of [`Chain::runs`] from a flat index on, which may be within a run.
    ///
    /// The iterator is empty if the index is the number of elements or more.
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
        let (top, below) = self.without_reshapes();
        let top = top.coalesced();
        let left = self.len().saturating_sub(position);
        let first = if left > 0 { position } else { 0 };
        let index = if self.is_empty() { Shape::new() } else { unravel(top.shape(), first) };
        ChainRuns { top, below, index, left }
    }

    /// Returns a strided layout that visits the same offsets in the same row-major order, if there is one and
    /// it was found.
    ///
    /// Unlike that of [`Chain::as_layout`], its shape may differ from the chain's.
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
        match self.without_reshapes() {
            (only, []) => only.as_layout(),
            (_, below) => merge_stack::layout_up_to_reshape(&self.stages()[..=below.len()]),
        }
    }

    /// Returns the outermost stage and those below it, after removing outer stages that only reshape
    /// the stage below them.
    fn without_reshapes(&self) -> (&Stage, &[Stage]) {
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

/// Returns whether the outer stage visits all elements of the inner one in order.
fn is_reshape(outer: &Stage, inner: &Stage) -> bool {
    let n: usize = inner.shape().iter().product();
    let is_all = |it: Layout| it.start() == 0 && it.is_contiguous() && it.len() == n;
    outer.as_layout().is_some_and(is_all)
}

/// An iterator over the runs of a chain. See [`Chain::runs`].
#[derive(Clone, Debug)]
pub struct ChainRuns<'a> {
    top: Stage,
    below: &'a [Stage],
    /// The index, in the outermost stage, of the next run.
    index: Shape,
    /// The number of elements from there on.
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
        let mut run = match run_of_top(&self.top, &self.index) {
            Ok(run) => run,
            Err(len) => return ChainRun::Padding { len },
        };
        for stage in self.below.iter().rev() {
            run = match run_through(stage, run) {
                Ok(run) => run,
                Err(len) => return ChainRun::Padding { len },
            };
        }
        let OffsetRun { at, step, len } = run;
        let stride = if len > 1 { step } else { 0 };
        ChainRun::Elements { offset: at as usize, stride, len: len as usize }
    }

    /// Advances the index by `len` elements, at most to the end of a row.
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

/// Flat indices or offsets that increase by a constant.
#[derive(Clone, Copy, Debug)]
struct OffsetRun {
    at: isize,
    step: isize,
    len: isize,
}

/// Returns the offsets from `index` to the end of its row, or the number of elements that are padding.
fn run_of_top(top: &Stage, index: &Shape) -> Result<OffsetRun, usize> {
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
    let at = top.offset(index).expect("the index is valid along every axis");
    let step = top.inside().map_or(0, |it| it.axes()[last].stride);
    Ok(OffsetRun { at: at as isize, step, len: (valid.end - i) as isize })
}

/// Maps flat indices through a stage, for as long as the offsets increase by a constant; or returns the
/// number of elements that are padding.
fn run_through(stage: &Stage, run: OffsetRun) -> Result<OffsetRun, usize> {
    let Some(inside) = stage.inside() else { return Err(run.len as usize) };
    let digits = unravel(stage.shape(), run.at as usize);
    let (changes, len) = digit_changes(stage, inside, &digits, run);
    let mut padding = 0;
    let mut valid_len = len;
    for (k, (&digit, &change)) in digits.iter().zip(&changes).enumerate() {
        match steps_alike(digit as isize, change, stage.valid(k)) {
            StepsAlike::Valid(steps) => valid_len = valid_len.min(steps),
            StepsAlike::Padding(steps) => padding = padding.max(steps),
        }
    }
    let Some(at) = stage.offset(&digits) else { return Err(padding.min(len) as usize) };
    // Wrapping: with two elements or more the sum is a difference of offsets and fits, but its terms
    // may not.
    let parts = changes.iter().zip(inside.axes()).map(|(it, axis)| it.wrapping_mul(axis.stride));
    let sum = parts.fold(0isize, isize::wrapping_add);
    let step = if valid_len > 1 { sum } else { 0 };
    Ok(OffsetRun { at: at as isize, step, len: valid_len })
}

/// Returns by how much each digit changes with one step, and for how many elements these changes are
/// constant: of all digits if the stage is padded, else of those at the seams of the layout.
fn digit_changes(
    stage: &Stage,
    inside: &Layout,
    digits: &Shape,
    run: OffsetRun,
) -> (Strides, isize) {
    let padded = stage.is_padded();
    let mut changes = InlineVec::repeat(0, stage.shape().len());
    let mut len = run.len;
    let (mut place, mut slope, mut remainder) = (1, run.step, 0);
    let stepped = |&k: &usize| stage.shape()[k] != 1;
    let mut inner_first = (0..stage.shape().len()).rev().filter(stepped).peekable();
    while let Some(k) = inner_first.next() {
        let n = stage.shape()[k] as isize;
        remainder += digits[k] as isize * place;
        place *= n;
        let mut slope_above = 0;
        if let Some(&outer) = inner_first.peek() {
            let carry = QuotientRate::new(remainder, run.step, place);
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

/// The change of a quotient with each step, and the number of elements for which it is constant.
struct QuotientRate {
    slope: isize,
    n_positions: isize,
}

impl QuotientRate {
    /// Returns the rate of the quotient by `place`, of a number with this remainder that increases by
    /// `step`. Of the two slopes that are right for the first step it is the one that holds longer.
    fn new(remainder: isize, step: isize, place: isize) -> QuotientRate {
        // Fast path without a division: most steps are less than `place`.
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

/// Divides by a positive number that is often 1.
fn quotient(number: isize, by: isize) -> isize {
    if by == 1 { number } else { number / by }
}

/// The number of steps for which a digit stays valid or stays padding.
enum StepsAlike {
    Valid(isize),
    Padding(isize),
}

/// Returns for how many steps a digit that changes by `change` stays valid, or stays padding.
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

//! Quantiles of lanes, by selecting the few elements they lie between.

use super::lanes::lanes_of_axes;
use super::radix;
use crate::dtype::{Keyed, KeyedTask};
use crate::view::{AnyView, AnyViewMut, Written};

/// What an element of a lane costs, in additions.
const COST: usize = 12;

/// More positions than this are found by sorting.
const FEW: usize = 12;

/// Which value a quantile is when it lies between two elements.
///
/// The names are NumPy's; nine of them are those of Hyndman and Fan (1996).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// As far between the two as the quantile is.
    #[default]
    Linear,
    /// The lower one.
    Lower,
    /// The higher one.
    Higher,
    /// The nearer one; of two that are as near, the one at the even position.
    Nearest,
    /// The middle between them.
    Midpoint,
    /// The first element at or below which there are as many as the quantile says.
    InvertedCdf,
    /// The same, and the middle to the next one if there are exactly as many.
    AveragedInvertedCdf,
    /// The element whose number is nearest to the quantile's.
    ClosestObservation,
    /// [`InvertedCdf`](Interpolation::InvertedCdf), with straight lines between the elements.
    InterpolatedInvertedCdf,
    /// Straight lines, with each element in the middle of its share.
    Hazen,
    /// Straight lines, with as much before the first element as between two.
    Weibull,
    /// Straight lines that meet the median of each element, whatever the distribution.
    MedianUnbiased,
    /// Straight lines that meet the mean of each element of a normal distribution.
    NormalUnbiased,
}

/// Which quantiles are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Quantiles<'a> {
    /// From 0 to 1.
    pub levels: &'a [f64],
    pub between: Interpolation,
    /// Whether NaNs are left out. If not, quantiles of a lane with a NaN are NaN.
    pub skips_nan: bool,
}

/// Two positions in a sorted lane, and how far from the first to the second.
struct Place {
    below: usize,
    above: usize,
    share: f64,
}

impl Interpolation {
    /// Where a quantile lies among `n` elements, of which there is at least one.
    fn place(self, level: f64, n: usize) -> Place {
        use Interpolation::*;
        let (n_elements, last) = (n as f64, n as f64 - 1.0);
        // The position, in units of elements, with `before` and `behind` as the parameters of the lines.
        let lines = |before: f64, behind: f64| {
            n_elements * level + (before + level * (1.0 - before - behind)) - 1.0
        };
        let one = |position: f64| (position, Some(0.0));
        let (position, share) = match self {
            Linear => (last * level, None),
            Lower => one((last * level).floor()),
            Higher => one((last * level).ceil()),
            Nearest => one((last * level).round_ties_even()),
            Midpoint => {
                let position = last * level;
                (position.floor(), Some(if position.fract() == 0.0 { 0.0 } else { 0.5 }))
            }
            InvertedCdf => one((n_elements * level).ceil() - 1.0),
            AveragedInvertedCdf => {
                let position = n_elements * level - 1.0;
                (position, Some(if position.fract() == 0.0 { 0.5 } else { 1.0 }))
            }
            ClosestObservation => {
                let position = n_elements * level - 1.5;
                let is_odd = position.fract() == 0.0 && position.floor().rem_euclid(2.0) == 1.0;
                one(if is_odd { position } else { position.floor() + 1.0 })
            }
            InterpolatedInvertedCdf => (lines(0.0, 1.0), None),
            Hazen => (lines(0.5, 0.5), None),
            Weibull => (lines(0.0, 0.0), None),
            MedianUnbiased => (lines(1.0 / 3.0, 1.0 / 3.0), None),
            NormalUnbiased => (lines(3.0 / 8.0, 3.0 / 8.0), None),
        };
        let below = position.floor();
        let share = share.unwrap_or(position - below);
        match below {
            below if below < 0.0 => Place { below: 0, above: 0, share: 0.0 },
            below if below >= last => Place { below: n - 1, above: n - 1, share: 0.0 },
            below => Place { below: below as usize, above: below as usize + 1, share },
        }
    }
}

/// Writes the quantiles of the lanes of a real view along the first `n_folded` axes, one for each
/// level, along the first axis of a view of `float64`. The quantiles of nothing are NaN.
pub(crate) fn quantiles<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    n_folded: usize,
    wanted: Quantiles<'_>,
) -> Written<'x> {
    struct Find<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, usize, Quantiles<'a>);

    impl<'x> KeyedTask for Find<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let Find(out, input, n_folded, wanted) = self;
            let axes: Vec<usize> = (0..n_folded).collect();
            lanes_of_axes(out, 0, input, &axes, COST, Scratch::<T>::default, |scratch, lane, to| {
                scratch.find(lane, to, wanted);
            })
        }
    }

    input.dtype().with_keyed(Find(out, input, n_folded, wanted))
}

/// What a thread needs for a lane, kept for the next one.
struct Scratch<T: Keyed> {
    keys: Vec<T::Key>,
    room: Vec<T::Key>,
    positions: Vec<usize>,
}

impl<T: Keyed> Default for Scratch<T> {
    fn default() -> Scratch<T> {
        Scratch { keys: vec![], room: vec![], positions: vec![] }
    }
}

impl<T: Keyed> Scratch<T> {
    fn find(&mut self, lane: &[T], out: &mut [f64], wanted: Quantiles<'_>) {
        self.keys.clear();
        self.keys.extend(lane.iter().map(|x| x.key()));
        let has_nan = self.keys.iter().fold(false, |any, &key| any | T::is_nan_key(key));
        if has_nan && wanted.skips_nan {
            self.keys.retain(|&key| !T::is_nan_key(key));
        }
        let n = self.keys.len();
        if n == 0 || has_nan && !wanted.skips_nan {
            return out.fill(f64::NAN);
        }
        let place = |level: f64| wanted.between.place(level, n);
        self.positions.clear();
        for place in wanted.levels.iter().map(|&level| place(level)) {
            self.positions.extend([place.below, place.above]);
        }
        self.positions.sort_unstable();
        self.positions.dedup();
        self.settle();
        let value = |at: usize| T::of_key(self.keys[at]).cast::<f64>();
        for (out, &level) in out.iter_mut().zip(wanted.levels) {
            let Place { below, above, share } = place(level);
            *out = between(value(below), value(above), share);
        }
    }

    /// Puts the keys at the positions where they would be in order.
    fn settle(&mut self) {
        if self.positions.len() > FEW {
            return radix::sort(&mut self.keys, &mut self.room);
        }
        // What is behind a position that is settled is of no interest any more.
        let mut left = &mut self.keys[..];
        for &at in self.positions.iter().rev() {
            left.select_nth_unstable(at);
            left = &mut left[..at];
        }
    }
}

/// The value so far from one to another.
fn between(x: f64, y: f64, share: f64) -> f64 {
    let step = y - x;
    match share {
        0.0 => x,
        1.0 => y,
        _ if x == y => x,
        _ if !step.is_finite() => x * (1.0 - share) + y * share,
        // From the nearer end, so that it is met exactly.
        _ if share < 0.5 => x + step * share,
        _ => y - step * (1.0 - share),
    }
}

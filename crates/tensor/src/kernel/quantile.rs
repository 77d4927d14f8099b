//! Quantiles along axes, by selection (quickselect) of the elements they lie between.

use super::key_loops::collect_keys;
use super::lanes::map_lanes_of_axes;
use super::radix;
use super::raw_slice::RawSlice;
use super::vector_sort::SLACK;
use crate::cancel::scratch;
use crate::dtype::{Keyed, KeyedTask};
use crate::view::{AnyView, AnyViewMut, Written};

/// The cost of an element of a lane, in additions.
const COST: usize = 12;

/// With more positions than this, the lane is sorted instead.
const MAX_SELECTED: usize = 12;

/// How a quantile that lies between two elements is computed.
///
/// The names are NumPy's; nine of them are those of Hyndman and Fan (1996).
///
/// ```
/// use belvedere::Interpolation;
///
/// assert_eq!("hazen".parse::<Interpolation>()?, Interpolation::Hazen);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Linear interpolation, with element `i` of `n` (counted from 1) at the level `(i - 1) / (n - 1)`.
    #[default]
    Linear,
    /// The lower one.
    Lower,
    /// The higher one.
    Higher,
    /// The nearer one; of two equally near ones, the one at the even position.
    Nearest,
    /// The mean of the two.
    Midpoint,
    /// The smallest element for which the fraction of elements up to it is at least the level.
    InvertedCdf,
    /// The same, averaged with the next element if the fraction equals the level.
    AveragedInvertedCdf,
    /// The element whose number, counted from 1, is nearest to `n` times the level; of two, the even number.
    ClosestObservation,
    /// Linear interpolation, with element `i` at the level `i / n`.
    InterpolatedInvertedCdf,
    /// Linear interpolation, with element `i` at the level `(i - 1/2) / n`.
    Hazen,
    /// Linear interpolation, with element `i` at the level `i / (n + 1)`.
    Weibull,
    /// Linear interpolation, with element `i` at the level `(i - 1/3) / (n + 1/3)`: approximately median-unbiased for
    /// every distribution.
    MedianUnbiased,
    /// Linear interpolation, with element `i` at the level `(i - 3/8) / (n + 1/4)`: approximately unbiased for a normal
    /// distribution.
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

/// Two positions in a sorted lane, and how far the quantile is from the first to the second.
struct QuantilePosition {
    below: usize,
    above: usize,
    fraction: f64,
}

impl Interpolation {
    /// Returns where a quantile lies among `n` sorted elements, of which there is at least one.
    fn position_of(self, level: f64, n: usize) -> QuantilePosition {
        use Interpolation::*;
        let (n_elements, last) = (n as f64, n as f64 - 1.0);
        // The position, in elements, for the parameters α and β of Hyndman and Fan.
        let linear = |alpha: f64, beta: f64| {
            n_elements * level + (alpha + level * (1.0 - alpha - beta)) - 1.0
        };
        let one = |position: f64| (position, Some(0.0));
        let (position, fraction) = match self {
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
            InterpolatedInvertedCdf => (linear(0.0, 1.0), None),
            Hazen => (linear(0.5, 0.5), None),
            Weibull => (linear(0.0, 0.0), None),
            MedianUnbiased => (linear(1.0 / 3.0, 1.0 / 3.0), None),
            NormalUnbiased => (linear(3.0 / 8.0, 3.0 / 8.0), None),
        };
        let below = position.floor();
        let fraction = fraction.unwrap_or(position - below);
        match below {
            below if below < 0.0 => QuantilePosition { below: 0, above: 0, fraction: 0.0 },
            below if below >= last => {
                QuantilePosition { below: n - 1, above: n - 1, fraction: 0.0 }
            }
            below => {
                let below = below as usize;
                // The second position is not selected where it does not count.
                let above = if fraction == 0.0 { below } else { below + 1 };
                QuantilePosition { below, above, fraction }
            }
        }
    }
}

/// Writes the quantiles of a real view over its first `n_reduced` axes, one for each level, along the first axis of a
/// view of `float64`. The quantiles of no elements are NaN.
pub(crate) fn quantiles<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    n_reduced: usize,
    wanted: Quantiles<'_>,
) -> Written<'x> {
    struct QuantileTask<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, usize, Quantiles<'a>);

    impl<'x> KeyedTask for QuantileTask<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let QuantileTask(out, input, n_reduced, wanted) = self;
            let axes: Vec<usize> = (0..n_reduced).collect();
            map_lanes_of_axes(
                out,
                0,
                input,
                &axes,
                COST,
                |len| QuantileScratch::<T>::new(len, wanted.levels.len()),
                |scratch, lane, to| {
                    scratch.find(lane, to, wanted);
                },
            )
        }
    }

    input.dtype().with_keyed(QuantileTask(out, input, n_reduced, wanted))
}

/// The buffers of a thread, reused from lane to lane.
struct QuantileScratch<T: Keyed> {
    keys: Vec<T::Key>,
    scratch: Vec<T::Key>,
    /// Those of all quantiles among `n_positioned` elements, ascending and distinct.
    positions: Vec<usize>,
    n_positioned: usize,
}

impl<T: Keyed> QuantileScratch<T> {
    /// Allocates the buffers for lanes of `len` elements.
    fn new(len: usize, n_levels: usize) -> QuantileScratch<T> {
        QuantileScratch {
            keys: scratch(len.saturating_add(SLACK)),
            scratch: scratch(radix::scratch_len::<T::Key>(len)),
            positions: scratch(2 * n_levels),
            n_positioned: 0,
        }
    }

    fn find(&mut self, lane: RawSlice<'_, T>, out: &mut [f64], wanted: Quantiles<'_>) {
        collect_keys(lane, false, &mut self.keys);
        let has_nan = self.keys.iter().fold(false, |any, &key| any | T::is_nan_key(key));
        if has_nan && wanted.skips_nan {
            self.keys.retain(|&key| !T::is_nan_key(key));
        }
        let n = self.keys.len();
        if n == 0 || has_nan && !wanted.skips_nan {
            return out.fill(f64::NAN);
        }
        let position_of = |level: f64| wanted.between.position_of(level, n);
        if n != self.n_positioned {
            self.n_positioned = n;
            self.positions.clear();
            for position in wanted.levels.iter().map(|&level| position_of(level)) {
                self.positions.extend([position.below, position.above]);
            }
            self.positions.sort_unstable();
            self.positions.dedup();
        }
        self.select();
        let value = |at: usize| T::from_key(self.keys[at]).cast::<f64>();
        for (out, &level) in out.iter_mut().zip(wanted.levels) {
            let QuantilePosition { below, above, fraction } = position_of(level);
            *out = between(value(below), value(above), fraction);
        }
    }

    /// Moves the keys that a sort would put at `positions` there.
    fn select(&mut self) {
        if self.positions.len() > MAX_SELECTED {
            return radix::sort(&mut self.keys, &mut self.scratch);
        }
        // From the last position on: each selection only looks at the keys before the one it follows.
        let mut left = &mut self.keys[..];
        for &at in self.positions.iter().rev() {
            radix::select(left, at, &mut self.scratch);
            left = &mut left[..at];
        }
    }
}

/// Interpolates linearly between two values.
fn between(x: f64, y: f64, fraction: f64) -> f64 {
    let step = y - x;
    match fraction {
        0.0 => x,
        1.0 => y,
        _ if x == y => x,
        _ if !step.is_finite() => x * (1.0 - fraction) + y * fraction,
        // From the nearer end, so that both ends are exact.
        _ if fraction < 0.5 => x + step * fraction,
        _ => y - step * (1.0 - fraction),
    }
}

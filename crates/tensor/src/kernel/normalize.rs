//! Layer norm `(x - mean) / √(var + ε) · weight + bias` and RMS norm `x / √(mean(x²) + ε) · weight`, along an axis.
//!
//! A lane is read from memory once; its mean, its variance and the results are passes over the cache. Means and variances
//! are `f64`.

use super::lanes::map_lanes;
use super::map_lens::{RowMajorSource, values};
use super::raw_slice::RawSlice;
use crate::Element;
use crate::dtype::{Float, FloatTask, Number};
use crate::view::{AnyView, AnyViewMut, Source, Written};

/// How lanes are normalized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normalize {
    /// Whether the mean is subtracted: layer norm if it is, RMS norm if not.
    pub is_centred: bool,
    /// Added to the mean of squares before the square root.
    pub epsilon: f64,
}

/// Writes each normalized lane along an axis, times the weights, plus the biases. Both have the length of a lane. All
/// inputs are cast to the dtype of the output first.
///
/// # Panics
/// If the output does not have a real floating-point dtype.
pub(crate) fn normalize<'x>(
    how: Normalize,
    out: AnyViewMut<'x>,
    [input, weight, bias]: &[AnyView<'_>; 3],
    axis: usize,
) -> Written<'x> {
    let dtype = out.dtype();
    let task = NormalizeTask { how, out, input, weight, bias, axis };
    dtype.with_float(task).expect("the output of a normalization is a float")
}

/// The arguments of a normalization.
struct NormalizeTask<'x, 's> {
    how: Normalize,
    out: AnyViewMut<'x>,
    input: &'s AnyView<'s>,
    weight: &'s AnyView<'s>,
    bias: &'s AnyView<'s>,
    axis: usize,
}

impl<'x> FloatTask for NormalizeTask<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let NormalizeTask { how, out, input, weight, bias, axis } = self;
        if out.layout().is_empty() {
            // Before the weights are read: those of no lanes may be more than fit in memory.
            return out.written_empty();
        }
        let all = |view: &AnyView<'_>| -> Vec<T> {
            let source = RowMajorSource::Source(Source::View(view.clone()));
            values(&source, 0..view.layout().len())
        };
        let (weight, bias) = (all(weight), all(bias));
        map_lanes(
            out,
            input,
            axis,
            8,
            |_| (),
            |(), lane: RawSlice<'_, T>, out: &mut [T]| {
                let count = lane.len() as f64;
                let mean = if how.is_centred { sum(lane, |x| x) / count } else { 0.0 };
                let squares = sum(lane, |x| (x - mean) * (x - mean));
                let scale = 1.0 / (squares / count + how.epsilon).sqrt();
                let (mean, scale) = (T::Wide::of(mean), T::Wide::of(scale));
                for (i, (out, x)) in out.iter_mut().zip(lane.iter()).enumerate() {
                    let value = x.widen().minus(mean).times(scale);
                    *out = T::narrow(value.times(weight[i].widen()).plus(bias[i].widen()));
                }
            },
        )
    }
}

/// Returns the sum of a function of each element, in eight accumulators of `f64`.
#[inline(always)]
fn sum<T: Element<Wide: Float>>(lane: RawSlice<'_, T>, f: impl Fn(f64) -> f64) -> f64 {
    const ACCUMULATORS: usize = 8;
    let mut sums = [0.0; ACCUMULATORS];
    let chunks = lane.chunks::<ACCUMULATORS>();
    for chunk in chunks.iter() {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += f(x.widen().double());
        }
    }
    let rest = lane.part(chunks.len() * ACCUMULATORS, ACCUMULATORS);
    let rest = rest.iter().map(|x| f(x.widen().double()));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

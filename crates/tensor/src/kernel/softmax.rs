//! Lanes made comparable: exponentials as shares of their sum, and numbers around 0 of size 1.
//!
//! A lane is read once. What is found out about it (its greatest element, its mean) and what becomes of it
//! are passes over the cache. Sums are `f64`.

use super::folds::Exact;
use super::lanes::lanes_of;
use crate::Element;
use crate::dtype::{Comparable, Field, Float, FloatTask, Number};
use crate::view::{AnyViewMut, Source, Written};

/// Writes the exponentials of each lane as shares of their sum, or the logarithms of the shares. The output
/// is of a real floating-point type, which the input is converted to first; if not, this panics.
pub(crate) fn softmax<'x>(
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
    is_log: bool,
) -> Written<'x> {
    let dtype = out.dtype();
    let task = Softmax { out, source, axis, is_log };
    dtype.with_float(task).expect("shares are floats")
}

struct Softmax<'x, 's> {
    out: AnyViewMut<'x>,
    source: &'s Source<'s>,
    axis: usize,
    is_log: bool,
}

impl<'x> FloatTask for Softmax<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let Softmax { out, source, axis, is_log } = self;
        // The exponentials of a lane, as they are calculated.
        let room = Vec::<T::Wide>::new;
        lanes_of(out, source, axis, 32, room, |room, lane: &[T], place: &mut [T]| {
            let top = lane.iter().fold(T::Wide::LOWEST, |top, x| top.greater(x.widen()));
            let distances = lane.iter().map(|x| x.widen().minus(top));
            let mut sum = Exact::ZERO;
            room.clear();
            room.extend(distances.clone().map(|distance| {
                let power = distance.exp();
                sum = sum.plus(power.double());
                power
            }));
            match is_log {
                true => {
                    let log = T::Wide::of(sum.value().ln());
                    for (place, distance) in place.iter_mut().zip(distances) {
                        *place = T::narrow(distance.minus(log));
                    }
                }
                false => {
                    let sum = T::Wide::of(sum.value());
                    for (place, &power) in place.iter_mut().zip(&*room) {
                        *place = T::narrow(power.over(sum));
                    }
                }
            }
        })
    }
}

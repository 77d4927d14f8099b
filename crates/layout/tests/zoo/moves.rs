//! Random movement operations with arguments that are valid for a shape.

use super::Dice;
use super::model::Movement;

/// The kinds of operations to choose from, and the maximum size of shapes.
#[derive(Clone, Copy)]
pub(crate) struct Taste {
    pub pads: bool,
    pub repeats: bool,
    /// No more elements than this.
    pub most: usize,
}

/// A random movement of a chain with this shape.
pub(crate) fn movement(dice: &mut Dice, shape: &[usize], taste: Taste) -> Movement {
    let n: usize = shape.iter().product();
    let some_axis = |dice: &mut Dice| dice.below(shape.len());
    loop {
        match dice.below(10) {
            0..=2 => return Movement::Reshape(some_shape(dice, n)),
            3 | 4 if !shape.is_empty() => {
                let mut order: Vec<isize> = (0..shape.len() as isize).collect();
                dice.shuffle(&mut order);
                return Movement::Permute(order);
            }
            5 if !shape.is_empty() => return Movement::Flip(vec![some_axis(dice) as isize]),
            6 if n > 4 => {
                let ranges = shape.iter().map(|&len| {
                    let cut = dice.below(3).min(len.saturating_sub(1));
                    let start = dice.below(cut + 1);
                    start..start + len - cut
                });
                return Movement::Shrink(ranges.collect());
            }
            7 if n > 4 && !shape.is_empty() => {
                let step = *dice.pick(&[2, 3, -1, -2]);
                return Movement::Step(some_axis(dice), step);
            }
            8 if taste.pads && !shape.is_empty() => {
                let mut pad = || (dice.below(3), dice.below(3));
                let padding: Vec<_> = shape.iter().map(|_| pad()).collect();
                let padded = shape.iter().zip(&padding).map(|(len, pad)| len + pad.0 + pad.1);
                if padded.product::<usize>() <= taste.most {
                    return Movement::Pad(padding);
                }
            }
            9 if taste.repeats && 2 * n <= taste.most => return repetition(dice, shape),
            _ => {}
        }
    }
}

fn repetition(dice: &mut Dice, shape: &[usize]) -> Movement {
    let axis = dice.below(shape.len().max(1));
    if shape.contains(&1) && dice.below(2) == 0 {
        let doubled = |&len: &usize| if len == 1 { 2 } else { len };
        let mut to = shape.to_vec();
        let k = shape.iter().position(|&len| len == 1).unwrap();
        to[k] = doubled(&to[k]);
        return Movement::Expand(to);
    }
    match dice.below(3) {
        0 if !shape.is_empty() => Movement::Repeat(axis, 2),
        1 if !shape.is_empty() => {
            let mut times = vec![1; shape.len()];
            times[axis] = 2;
            Movement::Tile(times)
        }
        _ => Movement::Expand([&[2], shape].concat()),
    }
}

/// A random shape of `n` elements with at most four axes.
pub(crate) fn some_shape(dice: &mut Dice, n: usize) -> Vec<usize> {
    let mut shape = vec![n];
    for _ in 0..dice.below(4) {
        let k = dice.below(shape.len());
        let divisors: Vec<usize> =
            (1..=shape[k]).filter(|it| shape[k].is_multiple_of(*it)).collect();
        if let Some(&inner) = divisors.get(dice.below(divisors.len().max(1))) {
            shape[k] /= inner;
            shape.insert(k + 1, inner);
        }
    }
    shape
}

//! A slow model of a chain: the offset of every element in a list, every movement operation done on the list.

use belvedere_layout::{Chain, Index, Layout, Slice};
use std::ops::Range;

/// A shape and the offset at each index in row-major order; `None` is padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    pub shape: Vec<usize>,
    pub offsets: Vec<Option<usize>>,
}

/// A view operation of a chain and of its model.
#[derive(Clone, Debug)]
pub(crate) enum Movement {
    Reshape(Vec<usize>),
    Permute(Vec<isize>),
    Flip(Vec<isize>),
    Shrink(Vec<Range<usize>>),
    Step(usize, isize),
    Expand(Vec<usize>),
    Pad(Vec<(usize, usize)>),
    Repeat(usize, usize),
    Tile(Vec<usize>),
}

impl Movement {
    pub(crate) fn of_chain(&self, chain: &Chain) -> Chain {
        match self {
            Movement::Reshape(shape) => chain.reshape(shape),
            Movement::Permute(order) => chain.permute(order),
            Movement::Flip(axes) => chain.flip(axes),
            Movement::Shrink(ranges) => chain.shrink(ranges),
            Movement::Step(axis, step) => {
                let mut index = vec![Index::Slice(Slice::ALL); *axis];
                index.push(Index::Slice(Slice::ALL.by(*step)));
                chain.slice(&index)
            }
            Movement::Expand(shape) => chain.broadcast_to(shape),
            Movement::Pad(padding) => chain.pad(padding),
            Movement::Repeat(axis, n) => chain.repeat(*axis as isize, *n),
            Movement::Tile(times) => chain.tile(times),
        }
        .unwrap_or_else(|error| panic!("{self:?} of {:?}: {error}", chain.shape()))
    }
}

impl Model {
    pub(crate) fn new(layout: &Layout) -> Model {
        Model { shape: layout.shape().to_vec(), offsets: layout.offsets().map(Some).collect() }
    }

    /// Returns a model whose element at each index is that of `self` at `from(index)`,
    /// or padding.
    fn moved(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Model {
        let mut offsets = Vec::new();
        let mut index = vec![0; shape.len()];
        for _ in 0..shape.iter().product::<usize>() {
            offsets.push(from(&index).and_then(|source| self.at(&source)));
            for (i, len) in index.iter_mut().zip(&shape).rev() {
                *i += 1;
                if *i < *len {
                    break;
                }
                *i = 0;
            }
        }
        Model { shape, offsets }
    }

    fn at(&self, index: &[usize]) -> Option<usize> {
        let flat = index.iter().zip(&self.shape).fold(0, |flat, (i, len)| {
            assert!(i < len, "{index:?} of {:?}", self.shape);
            flat * len + i
        });
        self.offsets[flat]
    }

    pub(crate) fn apply(&self, movement: &Movement) -> Model {
        let shape = &self.shape;
        let each = |f: &dyn Fn(usize, usize) -> usize| -> Vec<usize> {
            shape.iter().enumerate().map(|(k, &len)| f(k, len)).collect()
        };
        match movement {
            Movement::Reshape(shape) => {
                Model { shape: shape.clone(), offsets: self.offsets.clone() }
            }
            Movement::Permute(order) => {
                let to = order.iter().map(|&k| shape[k as usize]).collect();
                self.moved(to, |index| {
                    let mut source = vec![0; index.len()];
                    order.iter().zip(index).for_each(|(&k, &i)| source[k as usize] = i);
                    Some(source)
                })
            }
            Movement::Flip(axes) => self.moved(shape.clone(), |index| {
                let mut source = index.to_vec();
                axes.iter().for_each(|&k| {
                    source[k as usize] = shape[k as usize] - 1 - index[k as usize];
                });
                Some(source)
            }),
            Movement::Shrink(ranges) => {
                let to = ranges.iter().map(|it| it.len()).collect();
                let add = |(i, range): (&usize, &Range<usize>)| i + range.start;
                self.moved(to, |index| Some(index.iter().zip(ranges).map(add).collect()))
            }
            Movement::Step(axis, step) => {
                let size = step.unsigned_abs();
                let to = each(&|k, len| if k == *axis { len.div_ceil(size) } else { len });
                self.moved(to, |index| {
                    let mut source = index.to_vec();
                    let walked = index[*axis] * size;
                    source[*axis] = if *step > 0 { walked } else { shape[*axis] - 1 - walked };
                    Some(source)
                })
            }
            Movement::Expand(to) => {
                let n_new = to.len() - shape.len();
                self.moved(to.clone(), |index| {
                    let pairs = index[n_new..].iter().zip(shape);
                    Some(pairs.map(|(&i, &len)| if len == 1 { 0 } else { i }).collect())
                })
            }
            Movement::Pad(padding) => {
                let to = each(&|k, len| padding[k].0 + len + padding[k].1);
                self.moved(to, |index| {
                    let triples = index.iter().zip(padding).zip(shape);
                    triples.map(|((i, pad), &n)| i.checked_sub(pad.0).filter(|&i| i < n)).collect()
                })
            }
            Movement::Repeat(axis, n) => {
                let to = each(&|k, len| if k == *axis { len * n } else { len });
                self.moved(to, |index| {
                    let mut source = index.to_vec();
                    source[*axis] /= n;
                    Some(source)
                })
            }
            Movement::Tile(times) => {
                let to = each(&|k, len| times[k] * len);
                self.moved(to, |index| {
                    Some(index.iter().zip(shape).map(|(&i, &len)| i % len).collect())
                })
            }
        }
    }

    /// Whether one layout with padding around it does what the model does, by looking.
    pub(crate) fn is_one_stage(&self) -> bool {
        let is_valid = |flat: &usize| self.offsets[*flat].is_some();
        let n = self.offsets.len();
        let (Some(first), Some(last)) = ((0..n).find(is_valid), (0..n).rfind(is_valid)) else {
            return true;
        };
        let (low, high) = (self.index_of(first), self.index_of(last));
        if low.iter().zip(&high).any(|(low, high)| low > high) {
            return false;
        }
        let inside: Vec<usize> = low.iter().zip(&high).map(|(low, high)| high - low + 1).collect();
        let is_inside = |index: &[usize]| {
            index.iter().zip(low.iter().zip(&high)).all(|(i, (low, high))| low <= i && i <= high)
        };
        let mut visited = Vec::new();
        for flat in 0..n {
            match (is_inside(&self.index_of(flat)), self.offsets[flat]) {
                (true, Some(offset)) => visited.push(offset),
                (false, None) => {}
                _ => return false,
            }
        }
        super::layout_that_visits(&visited, &inside).is_some()
    }

    fn index_of(&self, mut flat: usize) -> Vec<usize> {
        let mut index = vec![0; self.shape.len()];
        for (i, &len) in index.iter_mut().zip(&self.shape).rev() {
            *i = flat % len;
            flat /= len;
        }
        index
    }
}

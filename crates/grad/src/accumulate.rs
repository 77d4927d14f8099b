//! [`GradientStore`]: the gradient of a storage, and sums into it through layouts.

use crate::shadow::rebased;
use belvedere::{Answer, Axis, DType, Error, Layout, Tensor, keep};
use std::ops::Range;

/// The gradient of the elements of a storage that a tape has touched: one element for each of theirs, at the same
/// distances. The gradient of a view is the same layout over it.
#[derive(Clone)]
pub(crate) struct GradientStore {
    /// The elements, with one axis.
    elements: Tensor,
    /// The offset in the storage that the first element belongs to.
    base: usize,
}

impl GradientStore {
    /// Allocates a gradient of zeros.
    pub(crate) fn zeros(span: Range<usize>, dtype: DType) -> Result<GradientStore, Error> {
        Ok(GradientStore { elements: Tensor::zeros([span.len()], dtype)?, base: span.start })
    }

    /// Returns the gradient of a view.
    pub(crate) fn view(&self, layout: &Layout) -> Result<Tensor, Error> {
        self.elements.through(rebased(layout, self.base)?)
    }

    /// Returns a copy that later sums do not change.
    pub(crate) fn snapshot(&self) -> Result<GradientStore, Error> {
        Ok(GradientStore { elements: self.elements.copy()?, base: self.base })
    }

    /// Adds a contribution to the gradient of a view. An element that the view visits several times receives the sum.
    pub(crate) fn add(&self, layout: &Layout, contribution: &Tensor) -> Result<(), Error> {
        match layout.injective() {
            Answer::Yes => self.view(layout)?.add_assign(contribution),
            Answer::No | Answer::TooHard => self.add_repeated(layout, contribution),
        }
    }

    /// Adds values at offsets of the storage, which may occur several times.
    pub(crate) fn add_at(&self, offsets: &[usize], values: &Tensor) -> Result<(), Error> {
        let at: Vec<i64> = offsets.iter().map(|&it| (it - self.base) as i64).collect();
        self.elements.put_add(&Tensor::from_vec(at, [offsets.len()])?, 0, values)
    }

    /// Sums over broadcast axes, then adds the slices along other axes one after the other until each is injective.
    fn add_repeated(&self, layout: &Layout, contribution: &Tensor) -> Result<(), Error> {
        let is_broadcast = |axis: &Axis| axis.stride == 0 && axis.len > 1;
        let broadcast: Vec<isize> = (0isize..)
            .zip(layout.axes())
            .filter(|(_, axis)| is_broadcast(axis))
            .map(|(k, _)| k)
            .collect();
        if !broadcast.is_empty() {
            let mut once = layout.clone();
            for &k in &broadcast {
                once = once.narrow(k, 0, 1)?;
            }
            return self.add(&once, &contribution.sum(keep(&broadcast[..]))?);
        }
        let axis = axis_to_unroll(layout)? as isize;
        for at in 0..layout.axes()[axis as usize].len as isize {
            self.add(&layout.select(axis, at)?, &contribution.select(axis, at)?)?;
        }
        Ok(())
    }
}

/// Returns the shortest axis without which the layout is injective, or else the shortest.
fn axis_to_unroll(layout: &Layout) -> Result<usize, Error> {
    let axes = layout.axes();
    let mut by_len: Vec<usize> = (0..axes.len()).filter(|&k| axes[k].len > 1).collect();
    by_len.sort_by_key(|&k| axes[k].len);
    for &k in &by_len {
        if layout.select(k as isize, 0)?.injective() == Answer::Yes {
            return Ok(k);
        }
    }
    Ok(by_len[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sum that each of ten elements receives if the contributions are 1, 2, 3 …
    fn expected(layout: &Layout) -> Vec<f64> {
        let mut sums = vec![0.0; 10];
        for (n, offset) in layout.offsets().enumerate() {
            sums[offset] += 1.0 + n as f64;
        }
        sums
    }

    #[test]
    fn contributions_are_summed_through_every_layout() {
        let memory = Layout::row_major(&[10]).unwrap();
        let layouts = [
            memory.clone(),
            memory.flip([0]).unwrap(),
            memory.windows(0, 3, 1).unwrap(),
            memory.windows(0, 4, 3).unwrap().t().unwrap(),
            memory.windows(0, 4, 1).unwrap().windows(0, 2, 1).unwrap(),
            memory.narrow(0, 2, 1).unwrap().broadcast_to([4, 3]).unwrap(),
            memory.windows(0, 3, 2).unwrap().unsqueeze(0).unwrap().broadcast_to([2, 4, 3]).unwrap(),
            memory.narrow(0, 3, 0).unwrap(),
        ];
        for layout in layouts {
            let n = layout.len();
            let contribution = Tensor::arange(1..n as i64 + 1).unwrap();
            let contribution =
                contribution.astype(DType::Float64).unwrap().reshape(&*layout.shape()).unwrap();
            let store = GradientStore::zeros(0..10, DType::Float64).unwrap();
            store.add(&layout, &contribution).unwrap();
            let sums = store.view(&memory).unwrap().to_vec::<f64>().unwrap();
            assert_eq!(sums, expected(&layout), "{layout:?}");
        }
    }
}

//! [`GradientStore`]: the gradient of a storage, and sums into it through layouts.

use crate::components::{aligned, n_components, view_components};
use belvedere::{Answer, Axis, DType, Error, Layout, Tensor, copies, keep};
use std::ops::Range;

/// The gradient of the elements of a storage that a tape has touched: one component for each of theirs, at the same
/// distances. The gradient of a view is the same layout over it.
///
/// Half-precision gradients are summed in `float32`, and rounded where they are passed on.
#[derive(Clone)]
pub(crate) struct GradientStore {
    /// The components, with one axis.
    components: Tensor,
    /// The offset in the storage that the first component belongs to.
    base: usize,
}

/// Returns the dtype that contributions to the gradient of elements are summed in.
pub(crate) fn sum_dtype(dtype: DType) -> DType {
    match dtype {
        DType::Float16 | DType::BFloat16 => DType::Float32,
        other => other,
    }
}

/// Returns a tensor in a dtype: itself if it has it.
pub(crate) fn in_dtype(x: Tensor, dtype: DType) -> Result<Tensor, Error> {
    if x.dtype() == dtype { Ok(x) } else { copies::allow(|| x.astype(dtype)) }
}

impl GradientStore {
    /// Allocates a gradient of zeros for a range of components.
    pub(crate) fn zeros(span: Range<usize>, dtype: DType) -> Result<GradientStore, Error> {
        let base = aligned(span.start);
        let components = Tensor::zeros([span.end.max(base) - base], sum_dtype(dtype.real()))?;
        Ok(GradientStore { components, base })
    }

    /// Returns a contribution as the gradient itself, if it is the first one, to all components in their order, and its memory
    /// has no other owner.
    pub(crate) fn of_contribution(
        contribution: &Tensor,
        span: Range<usize>,
        layout: &Layout,
        dtype: DType,
    ) -> Result<Option<GradientStore>, Error> {
        let storage = contribution.storage();
        let is_whole =
            layout.is_contiguous() && layout.span() == span && span.start == aligned(span.start);
        let is_own = storage.n_shares() == 1 && storage.is_writable() && !storage.is_foreign();
        let is_plain = contribution.is_contiguous() && contribution.offset() == 0;
        if !(is_whole && is_own && is_plain) || contribution.dtype() != sum_dtype(dtype.real()) {
            return Ok(None);
        }
        Ok(Some(GradientStore { components: contribution.reshape([-1])?, base: span.start }))
    }

    /// Returns the sums that are the gradient of a view of elements of a dtype.
    pub(crate) fn view(&self, layout: &Layout, dtype: DType) -> Result<Tensor, Error> {
        view_components(&self.components, self.base, layout, dtype)
    }

    /// Returns the gradient of a view in the dtype of its elements: a view, unless it has to be rounded.
    pub(crate) fn rounded_view(&self, layout: &Layout, dtype: DType) -> Result<Tensor, Error> {
        in_dtype(self.view(layout, dtype)?, dtype)
    }

    /// Returns the gradient in the dtype of the elements. Later sums do not change it, unless it `is_final`.
    pub(crate) fn keep(&self, dtype: DType, is_final: bool) -> Result<GradientStore, Error> {
        let (given, needed) = (&self.components, dtype.real());
        let components = match given.dtype() == needed {
            true if is_final => given.clone(),
            true => given.copy()?,
            false => in_dtype(given.clone(), needed)?,
        };
        Ok(GradientStore { components, base: self.base })
    }

    /// Adds a contribution to the gradient of a view. An element that the view visits several times receives the sum.
    pub(crate) fn add(
        &self,
        layout: &Layout,
        dtype: DType,
        contribution: &Tensor,
    ) -> Result<(), Error> {
        match layout.injective() {
            Answer::Yes => self.view(layout, dtype)?.add_assign(contribution),
            Answer::No | Answer::TooHard => self.add_repeated(layout, dtype, contribution),
        }
    }

    /// Adds values at offsets of elements of a dtype, which may occur several times.
    pub(crate) fn add_at(
        &self,
        offsets: &[usize],
        dtype: DType,
        values: &Tensor,
    ) -> Result<(), Error> {
        let first = self.base / n_components(dtype);
        let at: Vec<i64> = offsets.iter().map(|&it| (it - first) as i64).collect();
        let len = self.components.len() / n_components(dtype);
        let all = Layout::new(first, &[Axis::new(len, 1)])?;
        let at = Tensor::from_vec(at, [offsets.len()])?;
        self.view(&all, dtype)?.put_add(&at, 0, values)
    }

    /// Sums over broadcast axes, then adds the slices along other axes one after the other until each is injective.
    fn add_repeated(
        &self,
        layout: &Layout,
        dtype: DType,
        contribution: &Tensor,
    ) -> Result<(), Error> {
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
            return self.add(&once, dtype, &widened(contribution)?.sum(keep(&broadcast[..]))?);
        }
        let axis = axis_to_unroll(layout)? as isize;
        for at in 0..layout.axes()[axis as usize].len as isize {
            self.add(&layout.select(axis, at)?, dtype, &contribution.select(axis, at)?)?;
        }
        Ok(())
    }
}

/// Returns a contribution in the dtype that it is summed in.
pub(crate) fn widened(contribution: &Tensor) -> Result<Tensor, Error> {
    in_dtype(contribution.clone(), sum_dtype(contribution.dtype()))
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
            store.add(&layout, DType::Float64, &contribution).unwrap();
            let sums = store.view(&memory, DType::Float64).unwrap().to_vec::<f64>().unwrap();
            assert_eq!(sums, expected(&layout), "{layout:?}");
        }
    }
}

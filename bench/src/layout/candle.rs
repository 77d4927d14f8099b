//! candle: its `Layout` where that has the operation, else the `Tensor` around it.
//!
//! A tensor's operation also allocates an `Arc` and counts references, which is unavoidable there: the
//! layout cannot be changed otherwise. Strides are unsigned, so operations with negative ones are missing.

use std::fmt::Debug;
use std::hint::black_box;

use candle_core::layout::LayoutRelation;
use candle_core::{DType, Device, Layout, Result, Tensor};

use super::definitions::{Answer, Engine, Entry, full_shape, reversal, split_shape, thin_shape};

/// Its heading in the table.
pub const NAME: &str = "candle 0.11.1";

/// The note for operations that candle has on `Tensor` only.
const WHOLE_TENSOR: &str = "candle: a whole Tensor";

/// The layouts that operations begin with, and their larger arguments.
pub struct Candle {
    full: Tensor,
    thin: Tensor,
    /// The layout of `full` with its axes reversed.
    reversed: Layout,
    full_shape: Vec<usize>,
    split_shape: Vec<usize>,
    reversal: Vec<usize>,
    lower: Layout,
    upper: Layout,
}

impl Candle {
    /// The engine at a rank.
    pub fn new(rank: usize) -> Result<Candle> {
        let fresh = |shape: Vec<usize>| Tensor::zeros(shape, DType::F32, &Device::Cpu);
        let full = fresh(full_shape(rank))?;
        Ok(Candle {
            thin: fresh(thin_shape(rank))?,
            reversed: full.layout().permute(&reversal(rank))?,
            full_shape: full_shape(rank),
            split_shape: split_shape(rank),
            reversal: reversal(rank),
            lower: full.layout().narrow(0, 0, 3)?,
            upper: full.layout().narrow(0, 3, 3)?,
            full,
        })
    }
}

impl Engine for Candle {
    fn transpose(&self) -> Option<Entry<'_>> {
        let last = self.full.rank() - 1;
        layout(move || black_box(self.full.layout()).transpose(black_box(0), black_box(last)))
    }

    fn permute(&self) -> Option<Entry<'_>> {
        layout(|| black_box(self.full.layout()).permute(black_box(&self.reversal)))
    }

    fn slice(&self) -> Option<Entry<'_>> {
        self.slice_by_axis()
    }

    fn slice_by_axis(&self) -> Option<Entry<'_>> {
        // Indices do not count from the end: the caller has to ask for the lengths.
        let inside =
            |layout: &Layout, k: usize| layout.narrow(k, black_box(1), layout.dims()[k] - 2);
        if self.full.rank() == 1 {
            return layout(move || inside(black_box(self.full.layout()), 0));
        }
        layout(move || inside(&inside(black_box(self.full.layout()), 0)?, 1))
    }

    fn select(&self) -> Option<Entry<'_>> {
        tensor(|| black_box(&self.full).get_on_dim(black_box(0), black_box(2)))
    }

    fn narrow(&self) -> Option<Entry<'_>> {
        layout(|| black_box(self.full.layout()).narrow(black_box(0), black_box(1), black_box(3)))
    }

    fn expand(&self) -> Option<Entry<'_>> {
        layout(|| black_box(self.thin.layout()).broadcast_as(&black_box(&self.full_shape)[..]))
    }

    fn reshape(&self) -> Option<Entry<'_>> {
        tensor(|| black_box(&self.full).reshape(&black_box(&self.split_shape)[..]))
    }

    fn merge(&self) -> Option<Entry<'_>> {
        tensor(|| black_box(&self.full).flatten_all())
    }

    fn unsqueeze(&self) -> Option<Entry<'_>> {
        tensor(|| black_box(&self.full).unsqueeze(black_box(1)))
    }

    fn squeeze(&self) -> Option<Entry<'_>> {
        tensor(|| black_box(&self.thin).squeeze(black_box(0)))
    }

    fn windows(&self) -> Option<Entry<'_>> {
        tensor(|| black_box(&self.full).unfold(black_box(0), black_box(3), black_box(1)))
    }

    fn duplicate(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(self.full.layout()).clone(), |it| to_answer(&it)))
    }

    fn is_contiguous(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(self.full.layout()).is_contiguous(), Answer::Is))
    }

    fn injective(&self) -> Option<Entry<'_>> {
        let call = || !black_box(&self.reversed).has_internal_overlap();
        Some(Entry::new(call, Answer::Is))
    }

    fn overlaps_apart(&self) -> Option<Entry<'_>> {
        let call = || black_box(&self.lower).relation(black_box(&self.upper));
        Some(Entry::new(call, |it| Answer::Is(it != LayoutRelation::Disjoint)))
    }
}

/// Returns an entry whose result is a layout.
fn layout<'a, E: Debug>(
    call: impl Fn() -> std::result::Result<Layout, E> + 'a,
) -> Option<Entry<'a>> {
    Some(Entry::new(move || call().expect("the arguments suit the layout"), |it| to_answer(&it)))
}

/// Returns an entry whose result is a tensor, of which the layout is compared.
fn tensor<'a>(call: impl Fn() -> Result<Tensor> + 'a) -> Option<Entry<'a>> {
    let call = move || call().expect("the arguments suit the tensor");
    Some(Entry::new(call, |it| to_answer(it.layout())).note(WHOLE_TENSOR))
}

fn to_answer(layout: &Layout) -> Answer {
    let strides: Vec<isize> = layout.stride().iter().map(|&stride| stride as isize).collect();
    Answer::view(layout.start_offset(), layout.dims(), &strides)
}

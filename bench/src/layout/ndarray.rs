//! ndarray: `ArrayViewD`, used as in its documentation.
//!
//! Methods that take a view by value begin with `.view()`, which is how one keeps the view one has.

use std::hint::black_box;
use std::mem::size_of;

use ::ndarray::iter::AxisWindows;
use ::ndarray::{ArrayViewD, Axis, IxDyn, Slice, SliceInfoElem};

use super::definitions::{
    Answer, Engine, Entry, full_shape, n_elements, reversal, split_shape, thin_shape,
};

/// Its heading in the table.
pub const NAME: &str = "ndarray 0.17.2";

/// The views that operations begin with, and their larger arguments.
pub struct NdArray<'m> {
    memory: &'m [f32],
    full: ArrayViewD<'m, f32>,
    thin: ArrayViewD<'m, f32>,
    full_shape: Vec<usize>,
    split_shape: Vec<usize>,
    reversal: Vec<usize>,
    inner: Vec<SliceInfoElem>,
}

impl<'m> NdArray<'m> {
    /// Returns the engine for a rank. `memory` must hold at least a full tensor.
    pub fn new(rank: usize, memory: &'m [f32]) -> NdArray<'m> {
        let fresh = |shape: Vec<usize>| {
            let n_elements = shape.iter().product();
            ArrayViewD::from_shape(shape, &memory[..n_elements])
                .expect("a slice of the shape's length")
        };
        let all = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
        let inner = SliceInfoElem::Slice { start: 1, end: Some(-1), step: 1 };
        NdArray {
            memory,
            full: fresh(full_shape(rank)),
            thin: fresh(thin_shape(rank)),
            full_shape: full_shape(rank),
            split_shape: split_shape(rank),
            reversal: reversal(rank),
            // Every axis has to have an entry.
            inner: (0..rank).map(|k| if k < 2 { inner } else { all }).collect(),
        }
    }

    /// Returns an entry whose result is a view.
    fn view<'a>(&'a self, call: impl Fn() -> ArrayViewD<'a, f32> + 'a) -> Option<Entry<'a>> {
        Some(Entry::new(call, |view| self.to_answer(&view)))
    }

    fn to_answer(&self, view: &ArrayViewD<f32>) -> Answer {
        Answer::view(self.start(view), view.shape(), view.strides())
    }

    /// Returns the start offset of a view, from its address.
    fn start(&self, view: &ArrayViewD<f32>) -> usize {
        (view.as_ptr().addr() - self.memory.as_ptr().addr()) / size_of::<f32>()
    }

    /// Returns the strided view that contains all windows along the first axis, inferred from the first two.
    fn windows_to_answer(&self, windows: AxisWindows<f32, IxDyn>) -> Answer {
        let windows: Vec<_> = windows.into_iter().collect();
        let (first, second) = (&windows[0], &windows[1]);
        let (mut shape, mut strides) = (first.shape().to_vec(), first.strides().to_vec());
        shape.push(shape[0]);
        strides.push(strides[0]);
        shape[0] = windows.len();
        strides[0] = self.start(second) as isize - self.start(first) as isize;
        Answer::view(self.start(first), &shape, &strides)
    }
}

impl Engine for NdArray<'_> {
    fn transpose(&self) -> Option<Entry<'_>> {
        let last = self.full.ndim() - 1;
        self.view(move || {
            let mut view = black_box(&self.full).view();
            view.swap_axes(black_box(0), black_box(last));
            view
        })
    }

    fn permute(&self) -> Option<Entry<'_>> {
        self.view(|| black_box(&self.full).view().permuted_axes(&black_box(&self.reversal)[..]))
    }

    fn slice(&self) -> Option<Entry<'_>> {
        self.view(|| black_box(&self.full).slice(&black_box(&self.inner)[..]))
    }

    fn slice_by_axis(&self) -> Option<Entry<'_>> {
        let inner = Slice { start: 1, end: Some(-1), step: 1 };
        if self.full.ndim() == 1 {
            return self.view(move || black_box(&self.full).slice_axis(Axis(0), black_box(inner)));
        }
        self.view(move || {
            let mut view = black_box(&self.full).slice_axis(Axis(0), black_box(inner));
            view.slice_axis_inplace(Axis(1), black_box(inner));
            view
        })
    }

    fn slice_backwards(&self) -> Option<Entry<'_>> {
        let slice = Slice { start: 0, end: None, step: -2 };
        self.view(move || black_box(&self.full).slice_axis(Axis(black_box(0)), black_box(slice)))
    }

    fn select(&self) -> Option<Entry<'_>> {
        self.view(|| black_box(&self.full).index_axis(Axis(black_box(0)), black_box(2)))
    }

    fn narrow(&self) -> Option<Entry<'_>> {
        let slice = Slice { start: 1, end: Some(4), step: 1 };
        self.view(move || black_box(&self.full).slice_axis(Axis(black_box(0)), black_box(slice)))
    }

    fn flip(&self) -> Option<Entry<'_>> {
        self.view(|| {
            let mut view = black_box(&self.full).view();
            view.invert_axis(Axis(black_box(0)));
            view
        })
    }

    fn expand(&self) -> Option<Entry<'_>> {
        self.view(|| {
            let shape = &black_box(&self.full_shape)[..];
            black_box(&self.thin).broadcast(shape).expect("an axis of length 1 is broadcast")
        })
    }

    fn reshape(&self) -> Option<Entry<'_>> {
        self.view(|| {
            let shape = &black_box(&self.split_shape)[..];
            let view = black_box(&self.full).view();
            view.into_shape_with_order(shape).expect("the view is contiguous")
        })
    }

    fn merge(&self) -> Option<Entry<'_>> {
        let n_elements = n_elements(self.full.ndim());
        self.view(move || {
            let view = black_box(&self.full).view();
            view.into_shape_with_order(&[black_box(n_elements)][..])
                .expect("the view is contiguous")
        })
    }

    fn unsqueeze(&self) -> Option<Entry<'_>> {
        self.view(|| black_box(&self.full).view().insert_axis(Axis(black_box(1))))
    }

    fn squeeze(&self) -> Option<Entry<'_>> {
        self.view(|| black_box(&self.thin).view().remove_axis(Axis(black_box(0))))
    }

    fn windows(&self) -> Option<Entry<'_>> {
        let call = || black_box(&self.full).axis_windows(Axis(black_box(0)), black_box(3));
        let entry = Entry::new(call, |windows| self.windows_to_answer(windows));
        Some(entry.note("ndarray: a producer of views, not one view"))
    }

    fn diagonal(&self) -> Option<Entry<'_>> {
        // Beyond rank 2, `diag` is the diagonal of all axes, another operation.
        if self.full.ndim() != 2 {
            return None;
        }
        let call = || black_box(&self.full).diag();
        let entry = Entry::new(call, |view| self.to_answer(&view.into_dyn()));
        Some(entry.note("ndarray: of static rank 1"))
    }

    fn duplicate(&self) -> Option<Entry<'_>> {
        self.view(|| black_box(&self.full).view())
    }

    fn is_contiguous(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.full).is_standard_layout(), Answer::Is))
    }
}

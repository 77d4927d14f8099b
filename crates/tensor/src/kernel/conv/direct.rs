//! Direct convolution and pooling, row by row.
//!
//! One row of the result is kept in the L1 cache and updated once for each element of a window: that element
//! of all windows of the row is a row of the image, or every `stride`-th element of it. So the innermost
//! loop is as long as a row, has no branches, and reads memory in order.
//!
//! Pooling is separable: the rows of a window are reduced first, element by element, and then the columns:
//! `i + j` steps for a window of `i × j` elements, of which the first `i` are vectorized for every stride.

use super::WindowAxis;
use crate::cancel::{collect_scratch, scratch_of};
use crate::dtype::{Comparable, Float, FloatTask, MulAdd, Number, NumberTask, OrderedTask};
use crate::kernel::cpu::{BlockLoop, compiled};
use crate::kernel::strided_slice::StridedSlice;
use crate::plan::pieces_for;
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Axis, DType, Element, Layout, pool};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

/// How the elements of a window are reduced.
trait WindowReducer<W>: Sync {
    /// Whether there are weights.
    const IS_WEIGHTED: bool = false;
    /// The result of no elements.
    const START: W;
    /// Reduces one more element with its weight.
    fn step(total: W, x: W, weight: W) -> W;
    /// Returns the result of `count` elements.
    fn finish(total: W, count: f64) -> W;
}

/// The sum of products with the weights.
struct WeightedSum;
/// The maximum; NaN if there is one.
struct WindowMax;
/// The mean.
struct WindowMean;

impl<W: Number> WindowReducer<W> for WeightedSum {
    const IS_WEIGHTED: bool = true;
    const START: W = W::ZERO;

    #[inline(always)]
    fn step(total: W, x: W, weight: W) -> W {
        total.plus(x.times(weight))
    }

    #[inline(always)]
    fn finish(total: W, _: f64) -> W {
        total
    }
}

impl<W: Comparable> WindowReducer<W> for WindowMax {
    const START: W = W::LOWEST;

    #[inline(always)]
    fn step(total: W, x: W, _: W) -> W {
        total.greater(x)
    }

    #[inline(always)]
    fn finish(total: W, _: f64) -> W {
        total
    }
}

impl<W: Float> WindowReducer<W> for WindowMean {
    const START: W = W::ZERO;

    #[inline(always)]
    fn step(total: W, x: W, _: W) -> W {
        total.plus(x)
    }

    #[inline(always)]
    fn finish(total: W, count: f64) -> W {
        total.over(W::of(count))
    }
}

/// Convolves images `[n, c, h, w]` with weights `[o, c / groups, i, j]` into `[n, o, h', w']`.
///
/// # Panics
/// If the shapes do not match, the dtypes differ, or the dtype is `bool`.
pub(crate) fn convolve_direct<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    weight: &AnyView<'_>,
    axes: [WindowAxis; 2],
    groups: usize,
) -> Written<'x> {
    struct Convolve<'x, 'a>(
        AnyViewMut<'x>,
        &'a AnyView<'a>,
        &'a AnyView<'a>,
        [WindowAxis; 2],
        usize,
    );

    impl<'x> NumberTask for Convolve<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element<Wide: Number>>(self) -> Written<'x> {
            let Convolve(out, image, weight, axes, groups) = self;
            windows::<T, WeightedSum>(out, image, Some((weight, groups)), axes, false)
        }
    }

    let task = Convolve(out, image, weight, axes, groups);
    task.0.dtype().with_number(task).expect("operations reject products of bool")
}

/// Computes the maximum of each window; the lowest value of the dtype if a window has no element.
pub(crate) fn max_pool<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    axes: [WindowAxis; 2],
) -> Written<'x> {
    struct MaxPool<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, [WindowAxis; 2]);

    impl<'x> OrderedTask for MaxPool<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element<Wide: Comparable>>(self) -> Written<'x> {
            windows::<T, WindowMax>(self.0, self.1, None, self.2, false)
        }
    }

    let task = MaxPool(out, image, axes);
    task.0.dtype().with_ordered(task).expect("operations reject maxima of complex numbers")
}

/// Computes the mean of each window. Padding counts as zeros if `with_padding`.
pub(crate) fn avg_pool<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    axes: [WindowAxis; 2],
    with_padding: bool,
) -> Written<'x> {
    struct AvgPool<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, [WindowAxis; 2], bool);

    impl<'x> FloatTask for AvgPool<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
            windows::<T, WindowMean>(self.0, self.1, None, self.2, self.3)
        }
    }

    let task = AvgPool(out, image, axes, with_padding);
    task.0.dtype().with_float(task).expect("operations reject means of other dtypes")
}

/// Reduces all windows of all images. Without weights, channels are separate.
fn windows<'x, T: Element, F: WindowReducer<T::Wide>>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    weight: Option<(&AnyView<'_>, usize)>,
    axes: [WindowAxis; 2],
    with_padding: bool,
) -> Written<'x> {
    let (output, image) = (
        Image::<T>::new(out.ptr(), out.layout(), out.dtype()),
        Image::<T>::new(image.ptr(), image.layout(), image.dtype()),
    );
    let (shape, [batch, channels, h, w]) = (output.lens, image.lens);
    assert_eq!([batch, shape[2], shape[3]], [shape[0], axes[0].count, axes[1].count]);
    assert_eq!([h, w], axes.map(|it| it.len), "shape of an image");
    let weight = weight.map(|(weight, groups)| {
        let weight = Image::new(weight.ptr(), weight.layout(), weight.dtype());
        assert_eq!(weight.lens, [shape[1], channels / groups, axes[0].size, axes[1].size]);
        assert!(shape[1] % groups == 0 && channels % groups == 0, "groups of channels");
        (weight, groups)
    });
    assert!(weight.is_some() || channels == shape[1], "channels are separate");
    if out.layout().is_empty() {
        return out.written_empty();
    }
    let job = WindowJob::<'_, T, F> {
        out: output,
        image,
        weight,
        axes,
        with_padding,
        taps: axes[1].all_taps().filter_map(|j| Tap::new(&axes[1], j)).collect(),
        counts: collect_scratch((0..shape[3]).map(|w| axes[1].n_counted(w, with_padding) as f64)),
        reducer: PhantomData,
    };
    let n_rows = shape[0] * shape[1] * shape[2];
    let window = axes[0].size.saturating_mul(axes[1].size).saturating_mul(job.depth());
    let n = pieces_for((n_rows * shape[3]).saturating_mul(window), n_rows);
    pool::run(n, &|i| {
        let mut totals = scratch_of(T::Wide::default(), shape[3]);
        let n_line = if job.weight.is_some() { 0 } else { w };
        let mut line = scratch_of(T::Wide::default(), n_line);
        for row in n_rows * i / n..n_rows * (i + 1) / n {
            // SAFETY: the output is borrowed for writing while this runs; each row of it is written once, by one
            // thread.
            unsafe { job.row(row, &mut totals, &mut line) };
        }
    });
    // SAFETY: every row has just been written.
    unsafe { out.written() }
}

/// The elements of a view with four axes.
///
/// Invariant: all indices below `lens` lead to elements of a view that is borrowed for `'a`.
struct Image<'a, T> {
    /// Offset 0 of the view's layout.
    ptr: SyncPtr<T>,
    start: usize,
    lens: [usize; 4],
    strides: [isize; 4],
    memory: PhantomData<&'a T>,
}

impl<'a, T: Element> Image<'a, T> {
    /// Returns the elements of a view.
    ///
    /// # Panics
    /// If it has another dtype, or not four axes.
    fn new(ptr: NonNull<u8>, layout: &'a Layout, dtype: DType) -> Image<'a, T> {
        assert_eq!(dtype, T::DTYPE, "a convolution does not cast");
        let axes: [Axis; 4] = layout.axes().try_into().expect("images have four axes");
        Image {
            ptr: SyncPtr::new(ptr.as_ptr().cast()),
            start: layout.start(),
            lens: axes.map(|axis| axis.len),
            strides: axes.map(|axis| axis.stride),
            memory: PhantomData,
        }
    }

    /// Returns the address of an element. If the index is out of range, the address must not be used.
    fn at(&self, index: [usize; 4]) -> *mut T {
        let steps = index.iter().zip(self.strides).map(|(&i, stride)| i as isize * stride);
        self.ptr.get().wrapping_add(self.start.wrapping_add_signed(steps.sum()))
    }

    /// Returns `len` elements along the last axis, every `step`-th one from an index on.
    ///
    /// # Panics
    /// If one of them is out of range, or `len` is 0.
    #[inline]
    fn row(&self, index: [usize; 4], step: usize, len: usize) -> StridedSlice<'a, T> {
        let last = index[3].saturating_add((len - 1).saturating_mul(step));
        let [n, c, h, w] = self.lens;
        let is_inside = index[0] < n && index[1] < c && index[2] < h && last < w;
        assert!(is_inside, "{len} elements from {index:?} on in {:?}", self.lens);
        // The stride of a single element is not used, and may overflow.
        let stride = self.strides[3].wrapping_mul(step as isize);
        // SAFETY: the indices of all elements are in range (asserted), so they are readable for `'a` (invariant).
        unsafe { StridedSlice::new(self.at(index), stride, len) }
    }
}

/// One column of the windows of a row. It is the same for all rows, and computed once: the divisions take
/// longer than a short row.
struct Tap {
    at: usize,
    /// The windows that have it in the image, and its position there in the first of them.
    windows: Range<usize>,
    first: usize,
}

impl Tap {
    /// Returns `None` if no window has it in the image.
    fn new(across: &WindowAxis, at: usize) -> Option<Tap> {
        let windows = across.windows(at);
        let first = across.position(windows.start, at).unsigned_abs();
        (!windows.is_empty()).then_some(Tap { at, windows, first })
    }
}

/// A convolution or pooling, shared by the threads that compute its rows.
struct WindowJob<'a, T, F> {
    out: Image<'a, T>,
    image: Image<'a, T>,
    /// The weights, and the number of groups of channels.
    weight: Option<(Image<'a, T>, usize)>,
    axes: [WindowAxis; 2],
    with_padding: bool,
    /// The columns of a window.
    taps: Vec<Tap>,
    /// The number of columns that count in each window of a row.
    counts: Vec<f64>,
    reducer: PhantomData<F>,
}

impl<T: Element, F: WindowReducer<T::Wide>> WindowJob<'_, T, F> {
    /// Returns the number of input channels of a result.
    fn depth(&self) -> usize {
        self.weight.as_ref().map_or(1, |(_, groups)| self.image.lens[1] / groups)
    }

    /// Computes one row of the output. `totals` is as long as a row of the output and, without weights, `line` as one
    /// of the image.
    ///
    /// # Safety
    /// The output must be borrowed for writing, and no other thread may access this row of it.
    unsafe fn row(&self, row: usize, totals: &mut [T::Wide], line: &mut [T::Wide]) {
        let [_, channels, height, _] = self.out.lens;
        let (n, c, h) = (row / height / channels, row / height % channels, row % height);
        totals.fill(F::START);
        // A constant condition: each reducer instantiates one of the two.
        if F::IS_WEIGHTED {
            let (weight, groups) = self.weight.as_ref().expect("a convolution has weights");
            self.weigh([n, c, h], weight, *groups, totals);
        } else {
            self.pool([n, c, h], totals, line);
        }
        let rows = self.axes[0].n_counted(h, self.with_padding) as f64;
        let out = self.out.at([n, c, h, 0]);
        for (w, (&total, count)) in totals.iter().zip(&self.counts).enumerate() {
            let value = T::narrow(F::finish(total, rows * count));
            // SAFETY: the row is one of the output's, there are as many counts as it has elements, and it is writable
            // (contract).
            unsafe { out.offset(w as isize * self.out.strides[3]).write(value) };
        }
    }

    /// Adds the products of elements and weights, of all channels of the group.
    fn weigh(
        &self,
        [n, c, h]: [usize; 3],
        weight: &Image<'_, T>,
        groups: usize,
        totals: &mut [T::Wide],
    ) {
        let (depth, [down, across]) = (self.image.lens[1] / groups, &self.axes);
        let first = c / (self.out.lens[1] / groups) * depth;
        for (k, i) in (0..depth).flat_map(|k| down.taps(h).map(move |i| (k, i))) {
            let y = down.position(h, i).unsigned_abs();
            for &Tap { at: j, ref windows, first: x } in &self.taps {
                let weight = weight.row([c, k, i, j], 1, 1).get(0).widen();
                let row = self.image.row([n, first + k, y, x], across.stride, windows.len());
                tap::<T, _, F>(&mut totals[windows.clone()], row, weight, T::widen);
            }
        }
    }

    /// Reduces the rows of the window into a line, and the columns of the line into the totals.
    fn pool(&self, [n, c, h]: [usize; 3], totals: &mut [T::Wide], line: &mut [T::Wide]) {
        let ([down, across], no_weight) = (&self.axes, T::Wide::default());
        if line.is_empty() {
            // All windows are padding.
            return;
        }
        line.fill(F::START);
        for i in down.taps(h) {
            let y = down.position(h, i).unsigned_abs();
            let row = self.image.row([n, c, y, 0], 1, line.len());
            tap::<T, _, F>(line, row, no_weight, T::widen);
        }
        for &Tap { ref windows, first: x, .. } in &self.taps {
            let row = StridedSlice::every(&line[x..], across.stride, windows.len());
            tap::<T::Wide, _, F>(&mut totals[windows.clone()], row, no_weight, |x| x);
        }
    }
}

/// Reduces one element of each window of a row into the totals.
///
/// # Panics
/// If there is not one element for each total.
fn tap<S: Copy + 'static, W: Copy + 'static, F: WindowReducer<W>>(
    totals: &mut [W],
    row: StridedSlice<'_, S>,
    weight: W,
    widen: impl Fn(S) -> W,
) {
    assert_eq!(totals.len(), row.len(), "an element for each total");
    // SAFETY: the loop has no preconditions.
    unsafe { compiled::<TapLoop<S, W, F, _>>()((totals, row, weight, widen)) }
}

/// The loop of [`tap`].
struct TapLoop<S, W, F, G>(PhantomData<(S, W, F, G)>);

impl<S: Copy + 'static, W: Copy + 'static, F: WindowReducer<W>, G: Fn(S) -> W> BlockLoop
    for TapLoop<S, W, F, G>
{
    type Args<'a> = (&'a mut [W], StridedSlice<'a, S>, W, G);

    /// # Safety
    /// There are no preconditions.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((totals, row, weight, widen): (&mut [W], StridedSlice<'_, S>, W, G)) {
        if let Some(row) = row.contiguous() {
            for (total, x) in totals.iter_mut().zip(row.iter()) {
                *total = F::step(*total, widen(x), weight);
            }
        } else {
            for (i, total) in totals.iter_mut().enumerate().take(row.len()) {
                *total = F::step(*total, widen(row.get(i)), weight);
            }
        }
    }
}

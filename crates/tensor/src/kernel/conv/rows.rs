//! Rows of results as folds of rows of the image.
//!
//! One row of the result is kept in the first-level cache and visited once for each element of a window:
//! that element of all windows of the row is a row of the image, or every second of it. So the
//! innermost loop is as long as a row, has no branches, and goes through memory in order.
//!
//! Without weights the elements of a window are folded down first, for whole rows of the image one
//! behind the other, and then across: `i + j` steps for a window of `i × j` elements, of which the first ones
//! are steps of vectors whatever the stride.

use super::Along;
use crate::dtype::{Comparable, Float, FloatTask, MulAdd, Number, NumberTask, OrderedTask};
use crate::kernel::cpu::{BlockLoop, compiled};
use crate::plan::pieces_for;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Element, pool};
use std::marker::PhantomData;
use std::ops::Range;

/// What becomes of the elements of a window.
trait Fold<W>: Sync {
    const START: W;
    fn step(total: W, x: W, weight: W) -> W;
    fn finish(total: W, count: f64) -> W;
}

struct Weighted;
struct Greatest;
struct Mean;

impl<W: Number> Fold<W> for Weighted {
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

impl<W: Comparable> Fold<W> for Greatest {
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

impl<W: Float> Fold<W> for Mean {
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

/// Convolves images `[n, c, h, w]` with windows `[o, c / groups, i, j]` into `[n, o, h', w']`.
///
/// Shapes and types must have been compared, and the type not be `bool`; if not, this panics.
pub(crate) fn convolve_rows<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    weight: &AnyView<'_>,
    along: [Along; 2],
    groups: usize,
) -> Written<'x> {
    struct Convolve<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, &'a AnyView<'a>, [Along; 2], usize);

    impl<'x> NumberTask for Convolve<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element<Wide: Number>>(self) -> Written<'x> {
            let Convolve(out, image, weight, along, groups) = self;
            rows::<T, Weighted>(out, image, Some((weight, groups)), along, false)
        }
    }

    let task = Convolve(out, image, weight, along, groups);
    task.0.dtype().with_number(task).expect("operations refuse to multiply bool")
}

/// The greatest element of each window. Each must have one; if not, the result is the lowest value.
pub(crate) fn max_rows<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    along: [Along; 2],
) -> Written<'x> {
    struct Max<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, [Along; 2]);

    impl<'x> OrderedTask for Max<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element<Wide: Comparable>>(self) -> Written<'x> {
            rows::<T, Greatest>(self.0, self.1, None, self.2, false)
        }
    }

    let task = Max(out, image, along);
    task.0.dtype().with_ordered(task).expect("operations refuse to compare complex numbers")
}

/// The mean of each window, in which padding counts as zeros or not at all.
pub(crate) fn mean_rows<'x>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    along: [Along; 2],
    with_padding: bool,
) -> Written<'x> {
    struct Means<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, [Along; 2], bool);

    impl<'x> FloatTask for Means<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
            rows::<T, Mean>(self.0, self.1, None, self.2, self.3)
        }
    }

    let task = Means(out, image, along, with_padding);
    task.0.dtype().with_float(task).expect("operations refuse means of other types")
}

/// Folds the rows of all images. Without weights each channel is one for itself.
fn rows<'x, T: Element, F: Fold<T::Wide>>(
    out: AnyViewMut<'x>,
    image: &AnyView<'_>,
    weight: Option<(&AnyView<'_>, usize)>,
    along: [Along; 2],
    with_padding: bool,
) -> Written<'x> {
    let axes = |layout: &crate::Layout| {
        let axes: [crate::Axis; 4] = layout.axes().try_into().expect("images have four axes");
        (layout.start(), axes.map(|axis| axis.len), axes.map(|axis| axis.stride))
    };
    let (out_start, shape, out_strides) = axes(out.layout());
    let (image_start, [batch, channels, h, w], image_strides) = axes(image.layout());
    let is_right = out.dtype() == T::DTYPE && image.dtype() == T::DTYPE;
    assert!(is_right && [batch, shape[2], shape[3]] == [shape[0], along[0].count, along[1].count]);
    assert_eq!([h, w], along.map(|it| it.len), "shape of an image");
    let weight = weight.map(|(weight, groups)| {
        let (start, sizes, strides) = axes(weight.layout());
        assert_eq!(sizes, [shape[1], channels / groups, along[0].size, along[1].size]);
        assert!(weight.dtype() == T::DTYPE && shape[1] % groups == 0 && channels % groups == 0);
        (Image { ptr: weight.ptr().as_ptr().cast(), start, strides }, groups)
    });
    assert!(weight.is_some() || channels == shape[1], "each channel is one for itself");
    if out.layout().is_empty() {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let job = Job::<T, F> {
        out: Image { ptr: out.ptr().as_ptr().cast(), start: out_start, strides: out_strides },
        image: Image {
            ptr: image.ptr().as_ptr().cast(),
            start: image_start,
            strides: image_strides,
        },
        weight,
        shape,
        channels,
        along,
        with_padding,
        taps: along[1].all_taps().filter_map(|j| Tap::new(&along[1], j)).collect(),
        counts: (0..shape[3]).map(|w| along[1].n_counted(w, with_padding) as f64).collect(),
        fold: PhantomData,
    };
    let n_rows = shape[0] * shape[1] * shape[2];
    let window = along[0].size.saturating_mul(along[1].size).saturating_mul(job.depth());
    let n = pieces_for((n_rows * shape[3]).saturating_mul(window), n_rows);
    pool::run(n, &|i| {
        let mut totals = vec![T::Wide::default(); shape[3]];
        let mut line = vec![T::Wide::default(); if job.weight.is_some() { 0 } else { w }];
        for row in n_rows * i / n..n_rows * (i + 1) / n {
            // SAFETY: the job was made from the layouts of views, which are borrowed while this
            // runs; each row of the output is written once.
            unsafe { job.row(row, &mut totals, &mut line) };
        }
    });
    // SAFETY: every row has just been written.
    unsafe { out.written() }
}

/// The elements of a view with four axes.
struct Image<T> {
    ptr: *mut T,
    start: usize,
    strides: [isize; 4],
}

impl<T> Image<T> {
    /// # Safety
    /// There must be an element with this index.
    unsafe fn at(&self, index: [usize; 4]) -> *mut T {
        let steps = index.iter().zip(self.strides).map(|(&i, stride)| i as isize * stride);
        // SAFETY: the caller's promise.
        unsafe { self.ptr.add(self.start.wrapping_add_signed(steps.sum())) }
    }
}

/// One element of the windows of a row. It is the same for all rows, and dividing takes longer than a
/// short row does.
struct Tap {
    at: usize,
    /// The windows that have it in the image, and where the first does.
    windows: Range<usize>,
    first: usize,
}

impl Tap {
    /// None if no window has it.
    fn new(across: &Along, at: usize) -> Option<Tap> {
        let windows = across.windows(at);
        let first = across.position(windows.start, at).unsigned_abs();
        (!windows.is_empty()).then_some(Tap { at, windows, first })
    }
}

struct Job<T, F> {
    out: Image<T>,
    image: Image<T>,
    /// With the number of groups of channels.
    weight: Option<(Image<T>, usize)>,
    /// Of the output.
    shape: [usize; 4],
    /// Of the image.
    channels: usize,
    along: [Along; 2],
    with_padding: bool,
    /// The elements of a window across.
    taps: Vec<Tap>,
    /// How many columns of each window of a row count.
    counts: Vec<f64>,
    fold: PhantomData<F>,
}

// SAFETY: `rows` gives the job to threads that work on different rows, while it holds the borrows of
// all views.
unsafe impl<T: Sync, F> Sync for Job<T, F> {}

impl<T: Element, F: Fold<T::Wide>> Job<T, F> {
    /// How many channels are folded.
    fn depth(&self) -> usize {
        self.weight.as_ref().map_or(1, |(_, groups)| self.channels / groups)
    }

    /// # Safety
    /// The images must have the elements that the shapes say, and nobody else use this row of the
    /// output. The totals must be as many as its elements, and the line as a row of the image.
    unsafe fn row(&self, row: usize, totals: &mut [T::Wide], line: &mut [T::Wide]) {
        let [_, channels, height, _] = self.shape;
        let (n, c, h) = (row / height / channels, row / height % channels, row % height);
        totals.fill(F::START);
        // SAFETY: the caller's promises.
        unsafe {
            match &self.weight {
                Some((weight, groups)) => self.weigh([n, c, h], weight, *groups, totals),
                None => self.fold([n, c, h], totals, line),
            }
        }
        let rows = self.along[0].n_counted(h, self.with_padding) as f64;
        // SAFETY: it is the first element of a row that has as many as totals.
        let out = unsafe { self.out.at([n, c, h, 0]) };
        for (w, (&total, count)) in totals.iter().zip(&self.counts).enumerate() {
            let value = T::narrow(F::finish(total, rows * count));
            // SAFETY: as above.
            unsafe { out.offset(w as isize * self.out.strides[3]).write(value) };
        }
    }

    /// Adds up elements and their weights, of all channels of the group.
    ///
    /// # Safety
    /// That of `row`.
    unsafe fn weigh(
        &self,
        [n, c, h]: [usize; 3],
        weight: &Image<T>,
        groups: usize,
        totals: &mut [T::Wide],
    ) {
        let (depth, [down, across]) = (self.channels / groups, &self.along);
        let first = c / (self.shape[1] / groups) * depth;
        for (k, i) in (0..depth).flat_map(|k| down.taps(h).map(move |i| (k, i))) {
            let y = down.position(h, i).unsigned_abs();
            for &Tap { at: j, ref windows, first: x } in &self.taps {
                // SAFETY: the windows are those in which this element is in the image, from the
                // first on; weights exist for all channels and elements.
                unsafe {
                    let weight = weight.at([c, k, i, j]).read().widen();
                    let from = self.image.at([n, first + k, y, x]);
                    // A stride that is beyond all memory is that of a single window.
                    let step = self.image.strides[3].wrapping_mul(across.stride as isize);
                    tap::<T, _, F>(&mut totals[windows.clone()], from, step, weight, T::widen);
                }
            }
        }
    }

    /// Folds the rows of the image into a line, and that into the totals.
    ///
    /// # Safety
    /// That of `row`.
    unsafe fn fold(&self, [n, c, h]: [usize; 3], totals: &mut [T::Wide], line: &mut [T::Wide]) {
        let [down, across] = &self.along;
        line.fill(F::START);
        for i in down.taps(h) {
            let y = down.position(h, i).unsigned_abs();
            // SAFETY: this row is in the image, and has as many elements as the line.
            unsafe {
                let from = self.image.at([n, c, y, 0]);
                tap::<T, _, F>(line, from, self.image.strides[3], T::Wide::default(), T::widen);
            }
        }
        for &Tap { ref windows, first: x, .. } in &self.taps {
            let (from, step) = (line[x..].as_ptr(), across.stride as isize);
            // SAFETY: the windows are those in which this element is in the line.
            unsafe {
                tap::<T::Wide, _, F>(
                    &mut totals[windows.clone()],
                    from,
                    step,
                    T::Wide::default(),
                    |x| x,
                );
            }
        }
    }
}

/// Takes one element of each window of a row, `step` elements apart.
///
/// # Safety
/// There must be as many elements as totals.
unsafe fn tap<S: Copy, W: Copy + 'static, F: Fold<W>>(
    totals: &mut [W],
    from: *const S,
    step: isize,
    weight: W,
    widen: impl Fn(S) -> W,
) {
    // SAFETY: forwarded: same contract as this function.
    unsafe { compiled::<TapLoop<S, W, F, _>>()((totals, from, step, weight, widen)) }
}

/// The loop of [`tap`].
struct TapLoop<S, W, F, G>(PhantomData<(S, W, F, G)>);

impl<S: Copy, W: Copy + 'static, F: Fold<W>, G: Fn(S) -> W> BlockLoop for TapLoop<S, W, F, G> {
    type Args<'a> = (&'a mut [W], *const S, isize, W, G);

    /// # Safety
    /// That of `tap`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(
        (totals, from, step, weight, widen): (&mut [W], *const S, isize, W, G),
    ) {
        if step == 1 {
            for (i, total) in totals.iter_mut().enumerate() {
                // SAFETY: there are as many elements as totals.
                *total = F::step(*total, widen(unsafe { from.add(i).read() }), weight);
            }
        } else {
            for (i, total) in totals.iter_mut().enumerate() {
                // SAFETY: as above.
                let x = unsafe { from.offset(i as isize * step).read() };
                *total = F::step(*total, widen(x), weight);
            }
        }
    }
}

//! Max and average pooling.

use super::window::{WindowArguments, images, like_input, resolve_windows};
use crate::kernel::conv::{WindowAxis, avg_pool, max_pool};
use crate::op::execute::compute_new;
use crate::trace::{Call, Param, composite};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Error, Layout, Tensor};

/// The parameters of pooling over `N` axes.
///
/// ```
/// use belvedere::nn::Pool;
///
/// let pool = Pool { stride: [2, 2], padding: [1, 1], ..Pool::new([3, 3]) };
/// assert!(!pool.ceil && pool.count_padding);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pool<const N: usize> {
    /// The lengths of a window.
    pub size: [usize; N],
    /// The distance between windows.
    pub stride: [usize; N],
    /// The padding on both sides: at most half of a window.
    pub padding: [usize; N],
    /// Whether the number of windows is rounded up, so that the last one may extend beyond the padding.
    pub ceil: bool,
    /// Whether padding counts as zeros in a mean.
    pub count_padding: bool,
}

impl<const N: usize> Pool<N> {
    /// Creates windows of a size that do not overlap: the stride is the size, and there is no padding.
    ///
    /// ```
    /// use belvedere::nn::Pool;
    ///
    /// let overlapping = Pool { stride: [1, 1], ..Pool::new([2, 2]) };
    /// assert_eq!((overlapping.size, overlapping.padding), ([2, 2], [0, 0]));
    /// ```
    pub const fn new(size: [usize; N]) -> Pool<N> {
        Pool { size, stride: size, padding: [0; N], ceil: false, count_padding: true }
    }

    /// Returns the parameters by name. The last one, `count_padding`, is for average pooling only.
    fn params(&self) -> [(&'static str, Param<'_>); 5] {
        [
            ("size", (&self.size[..]).into()),
            ("stride", (&self.stride[..]).into()),
            ("padding", (&self.padding[..]).into()),
            ("ceil", self.ceil.into()),
            ("count_padding", self.count_padding.into()),
        ]
    }
}

/// Applies max pooling to images `[n, c, h, w]` or `[c, h, w]`. Padding is never the maximum; NaN propagates.
///
/// ```
/// use belvedere::{nn::{self, Pool}, prelude::*};
///
/// let x = tensor![[[1, 2, 5, 4], [3, 0, 7, 6]]];
/// assert_eq!(nn::max_pool2d(&x, Pool::new([2, 2]))?.to_vec::<i32>()?, [3, 7]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `x` has another number of axes, a window is larger than the image with its padding, a length or a
/// stride is 0, padding is more than half of a window, the dtype is complex, or there is not enough
/// memory.
///
/// # Memory
/// Always allocates a new tensor. Views of any strides are read in place.
#[track_caller]
pub fn max_pool2d(x: &Tensor, pool: Pool<2>) -> Result<Tensor, Error> {
    let params = pool.params();
    let call = Call::new("max_pool2d").with(&params[..4]);
    let is_ordered = !x.dtype().is_complex();
    pooled(call, x, pool, 2, is_ordered, max_pool)
}

/// Applies 1-D max pooling: [`max_pool2d`] with one axis, of `[n, c, l]` or `[c, l]`.
///
/// ```
/// use belvedere::{nn::{self, Pool}, prelude::*};
///
/// let x = tensor![[1.0, 5.0, 2.0, 3.0]];
/// let every = Pool { stride: [1], ..Pool::new([2]) };
/// assert_eq!(nn::max_pool1d(&x, every)?.to_vec::<f64>()?, [5.0, 5.0, 3.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`max_pool2d`].
///
/// # Memory
/// As for [`max_pool2d`].
#[track_caller]
pub fn max_pool1d(x: &Tensor, pool: Pool<1>) -> Result<Tensor, Error> {
    let params = pool.params();
    let call = Call::new("max_pool1d").with(&params[..4]);
    let is_ordered = !x.dtype().is_complex();
    pooled(call, x, pool.to_2d(), 1, is_ordered, max_pool)
}

/// Applies average pooling to images `[n, c, h, w]` or `[c, h, w]`. Half-precision numbers are summed in `float32`.
///
/// ```
/// use belvedere::{nn::{self, Pool}, prelude::*};
///
/// let x = tensor![[[1.0, 2.0, 5.0, 4.0], [3.0, 0.0, 7.0, 6.0]]];
/// assert_eq!(nn::avg_pool2d(&x, Pool::new([2, 2]))?.to_vec::<f64>()?, [1.5, 5.5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`max_pool2d`], and if the dtype is not real floating-point.
///
/// # Memory
/// As for [`max_pool2d`].
#[track_caller]
pub fn avg_pool2d(x: &Tensor, pool: Pool<2>) -> Result<Tensor, Error> {
    let params = pool.params();
    let call = Call::new("avg_pool2d").with(&params);
    let (is_floating, with_padding) = (x.dtype().is_floating(), pool.count_padding);
    pooled(call, x, pool, 2, is_floating, |out, view, windows| {
        avg_pool(out, view, windows, with_padding)
    })
}

/// Applies 1-D average pooling: [`avg_pool2d`] with one axis, of `[n, c, l]` or `[c, l]`.
///
/// ```
/// use belvedere::{nn::{self, Pool}, prelude::*};
///
/// let x = tensor![[1.0, 5.0, 3.0]];
/// let edges = Pool { stride: [2], padding: [1], ..Pool::new([2]) };
/// assert_eq!(nn::avg_pool1d(&x, edges)?.to_vec::<f64>()?, [0.5, 4.0]);
/// let inside = Pool { count_padding: false, ..edges };
/// assert_eq!(nn::avg_pool1d(&x, inside)?.to_vec::<f64>()?, [1.0, 4.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`avg_pool2d`].
///
/// # Memory
/// As for [`avg_pool2d`].
#[track_caller]
pub fn avg_pool1d(x: &Tensor, pool: Pool<1>) -> Result<Tensor, Error> {
    let params = pool.params();
    let call = Call::new("avg_pool1d").with(&params);
    let (is_floating, with_padding) = (x.dtype().is_floating(), pool.count_padding);
    pooled(call, x, pool.to_2d(), 1, is_floating, |out, view, windows| {
        avg_pool(out, view, windows, with_padding)
    })
}

impl Pool<1> {
    /// Returns the same pooling over images of one row.
    fn to_2d(self) -> Pool<2> {
        let Pool { size: [size], stride: [stride], padding: [padding], ceil, count_padding } = self;
        let (size, stride, padding) = ([1, size], [1, stride], [0, padding]);
        Pool { size, stride, padding, ceil, count_padding }
    }
}

fn pooled(
    call: Call<'_>,
    x: &Tensor,
    pool: Pool<2>,
    n_spatial: usize,
    exists: bool,
    kernel: impl for<'x> FnOnce(AnyViewMut<'x>, &AnyView<'x>, [WindowAxis; 2]) -> Written<'x>,
) -> Result<Tensor, Error> {
    let op = call.op;
    composite(call, &[x.into()], || {
        let (input, dtype) = (images(op, x, n_spatial)?, x.dtype());
        if !exists {
            return Err(Error::Unsupported { op, dtype });
        }
        let arguments = |k: usize| {
            let (size, stride, padding) = (pool.size[k], pool.stride[k], pool.padding[k]);
            WindowArguments {
                size,
                stride,
                dilation: 1,
                before: padding,
                after: padding,
                ceil: pool.ceil,
            }
        };
        let [n, channels, height, width] = input.shape()[..] else { unreachable!("four axes") };
        for k in [0, 1] {
            if pool.padding[k] > pool.size[k] / 2 {
                let (needs, given) = ("padding of at most half a window", pool.padding[k].into());
                return Err(Error::Argument { op, needs, given });
            }
        }
        let windows = resolve_windows(op, [height, width], [arguments(0), arguments(1)])?;
        let layout = Layout::row_major(&[n, channels, windows[0].count, windows[1].count])?;
        let result = compute_new(call.part(), layout, dtype, &[(&input).into()], |out, [view]| {
            kernel(out, &view, windows)
        })?;
        like_input(result, x, n_spatial)
    })
}

//! Convolutions, as matrix products and convolutions; and pooling, as sums over the taps of a window: each tap is a strided view
//! of the padded images.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{DType, Error, Index, Slice, Tensor, nn, where_, where_into};

/// How windows slide over images of shape `[n, c, h, w]`.
struct WindowTaps {
    size: [usize; 2],
    stride: [usize; 2],
    dilation: [usize; 2],
    before: [usize; 2],
    /// The number of windows along each axis.
    count: [usize; 2],
    /// The lengths of the images.
    len: [usize; 2],
}

impl WindowTaps {
    /// Returns the margins with which every tap of every window exists.
    fn margins(&self) -> [(usize, usize); 4] {
        let margin = |k: usize| {
            let reach = (self.size[k] - 1) * self.dilation[k] + 1;
            let end = (self.count[k] - 1) * self.stride[k] + reach;
            (self.before[k], end.saturating_sub(self.before[k] + self.len[k]))
        };
        [(0, 0), (0, 0), margin(0), margin(1)]
    }

    /// Returns images with the margins, filled with a value; without a copy if there are none.
    fn padded(&self, x: &Tensor, value: f64) -> Result<Tensor, Error> {
        match self.margins() == [(0, 0); 4] {
            true => Ok(x.clone()),
            false => x.pad_with(self.margins(), value),
        }
    }

    /// Returns the images without the margins.
    fn unpadded(&self, x: &Tensor) -> Result<Tensor, Error> {
        x.narrow(2, self.before[0], self.len[0])?.narrow(3, self.before[1], self.len[1])
    }

    /// Returns the lengths of images with the margins.
    fn padded_len(&self) -> [usize; 2] {
        let [_, _, down, across] = self.margins();
        [self.len[0] + down.0 + down.1, self.len[1] + across.0 + across.1]
    }

    /// Returns all windows of images with margins, as views: two axes for their places, and two for the elements of each.
    fn windows(&self, padded: &Tensor) -> Result<Tensor, Error> {
        let mut x = padded.clone();
        for k in 0..2 {
            let reach = (self.size[k] - 1) * self.dilation[k] + 1;
            let all = Index::Slice(Slice::ALL);
            let step = Slice { step: self.dilation[k] as isize, ..Slice::ALL };
            x = x.windows(2 + k as isize, reach, self.stride[k])?;
            x = x.narrow(2 + k as isize, 0, self.count[k])?;
            x = x.slice([vec![all; x.rank() - 1], vec![Index::Slice(step)]].concat())?;
        }
        Ok(x)
    }

    /// Calls `f` with each tap: its place in the window, and its view of images with margins.
    fn for_each_tap(
        &self,
        padded: &Tensor,
        mut f: impl FnMut([usize; 2], Tensor) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for row in 0..self.size[0] {
            for col in 0..self.size[1] {
                let tap = [row, col];
                let along = |k: usize| {
                    let start = tap[k] * self.dilation[k];
                    let stop = start + (self.count[k] - 1) * self.stride[k] + 1;
                    let (start, stop) = (Some(start as isize), Some(stop as isize));
                    Index::Slice(Slice { start, stop, step: self.stride[k] as isize })
                };
                let all = Index::Slice(Slice::ALL);
                f(tap, padded.slice([all, all, along(0), along(1)])?)?;
            }
        }
        Ok(())
    }
}

/// Returns a parameter for two axes; that of a 1-D operation is preceded by `first`.
fn pair(p: &Pullback<'_>, name: &str, first: usize) -> [usize; 2] {
    match p.ints(name).unwrap_or_default()[..] {
        [only] => [first, only as usize],
        [row, col] => [row as usize, col as usize],
        _ => [first, first],
    }
}

/// Returns images as `[n, c, h, w]`.
fn as_images(x: &Tensor, n_spatial: usize) -> Result<Tensor, Error> {
    let x = if x.rank() == n_spatial + 1 { x.unsqueeze(0)? } else { x.clone() };
    if n_spatial == 1 { x.unsqueeze(2) } else { Ok(x) }
}

/// Returns the gradient of images in the shape of the operand.
fn like_operand(p: &Pullback<'_>, images: &Tensor) -> Result<Tensor, Error> {
    images.reshape(&*p.shape(0))
}

fn convolution(p: &mut Pullback<'_>, n_spatial: usize) -> Result<(), Error> {
    let (x, weight) = (as_images(&p.input(0)?, n_spatial)?, p.input(1)?);
    let weight = if n_spatial == 1 { weight.unsqueeze(2)? } else { weight };
    let g = as_images(&p.g(), n_spatial)?;
    let size = [weight.shape()[2], weight.shape()[3]];
    let dilation = pair(p, "dilation", 1);
    let before = match p.text("padding") {
        Some("same") => [0, 1].map(|k| (size[k] - 1) * dilation[k] / 2),
        _ => pair(p, "padding", 0),
    };
    let (stride, count) = (pair(p, "stride", 1), [g.shape()[2], g.shape()[3]]);
    let len = [x.shape()[2], x.shape()[3]];
    let taps = WindowTaps { size, stride, dilation, before, count, len };
    if p.needs(2) {
        p.add(2, g.sum([0, 2, 3])?);
    }
    let groups = p.int("groups").unwrap_or(1) as usize;
    if p.needs(1) {
        let to_weight = weight_gradient(&taps, groups, &x, &g)?;
        p.add(1, to_weight.reshape(&*p.shape(1))?);
    }
    if p.needs(0) {
        let to_images = image_gradient(&taps, groups, &weight, &g)?;
        p.add(0, like_operand(p, &to_images)?);
    }
    Ok(())
}

/// The most bytes of windows that are copied side by side for one matrix product: they stay in the cache.
const WINDOW_BYTES: usize = 4 << 20;

/// Returns the gradient of the weights, `[outputs, channels of a group, rows, columns]`: for each group the product of the
/// gradients with the windows of the images, side by side as the rows of a matrix (im2col).
fn weight_gradient(
    taps: &WindowTaps,
    groups: usize,
    x: &Tensor,
    g: &Tensor,
) -> Result<Tensor, Error> {
    let (n, n_out, n_channels) = (x.shape()[0], g.shape()[1], x.shape()[1] / groups);
    let [rows, cols] = taps.size;
    let n_windows = taps.count[0] * taps.count[1];
    // [n, channels, windows down, windows across, rows, columns]
    let windows = taps.windows(&taps.padded(x, 0.0)?)?;
    let window_bytes = (x.shape()[1] * n_windows * rows * cols * x.dtype().size()).max(1);
    let n_at_once = (WINDOW_BYTES / window_bytes).clamp(1, n.max(1));
    let mut total: Option<Tensor> = None;
    for first in (0..n).step_by(n_at_once) {
        let count = n_at_once.min(n - first);
        let windows = windows.narrow(0, first, count)?.permute_dims([1, 4, 5, 0, 2, 3])?;
        let windows = windows.reshape([groups, n_channels * rows * cols, count * n_windows])?;
        let g = g.narrow(0, first, count)?.permute_dims([1, 0, 2, 3])?;
        let g = g.reshape([groups, n_out / groups, count * n_windows])?;
        let part = g.matmul(&windows.mt()?)?;
        total = Some(match total {
            Some(total) => total.add(&part)?,
            None => part,
        });
    }
    let shape = [n_out, n_channels, rows, cols];
    match total {
        Some(total) => total.reshape(shape),
        None => Tensor::zeros(shape, g.dtype()),
    }
}

/// Returns the gradient of the images: the convolution of the gradients with the weights, flipped and with inputs and outputs
/// exchanged. With a step between windows, the gradients are spread over all places, with zeros between them.
fn image_gradient(
    taps: &WindowTaps,
    groups: usize,
    weight: &Tensor,
    g: &Tensor,
) -> Result<Tensor, Error> {
    let [n_out, n_channels] = [weight.shape()[0], weight.shape()[1]];
    let (n, len) = (g.shape()[0], taps.padded_len());
    // As many places as a window of the padded images has, and zeros around them, so that a window begins at each element.
    let reach = [0, 1].map(|k| (taps.size[k] - 1) * taps.dilation[k]);
    let spread = Tensor::zeros([n, n_out, len[0] + reach[0], len[1] + reach[1]], g.dtype())?;
    let along = |k: usize| {
        let stop = reach[k] + (taps.count[k] - 1) * taps.stride[k] + 1;
        let (start, stop) = (Some(reach[k] as isize), Some(stop as isize));
        Index::Slice(Slice { start, stop, step: taps.stride[k] as isize })
    };
    let all = Index::Slice(Slice::ALL);
    spread.slice([all, all, along(0), along(1)])?.copy_from(g)?;
    let [rows, cols] = taps.size;
    let flipped = weight.flip([2, 3])?.reshape([groups, n_out / groups, n_channels, rows, cols])?;
    let exchanged =
        flipped.swap_axes(1, 2)?.reshape([groups * n_channels, n_out / groups, rows, cols])?;
    let conv = nn::Conv { dilation: taps.dilation, groups, ..nn::Conv::default() };
    // Without the places that lead to the margins only.
    let within =
        |x: &Tensor, k: usize| x.narrow(2 + k as isize, taps.before[k], taps.len[k] + reach[k]);
    nn::conv2d(&within(&within(&spread, 0)?, 1)?, &exchanged, None, conv)
}

/// Returns the windows of a pooling operation.
fn pool_taps(p: &Pullback<'_>, x: &Tensor, g: &Tensor) -> WindowTaps {
    let (size, before) = (pair(p, "size", 1), pair(p, "padding", 0));
    let (stride, count) = (pair(p, "stride", 1), [g.shape()[2], g.shape()[3]]);
    let len = [x.shape()[2], x.shape()[3]];
    WindowTaps { size, stride, dilation: [1, 1], before, count, len }
}

/// The greatest elements of a window share its gradient.
fn max_pool(p: &mut Pullback<'_>, n_spatial: usize) -> Result<(), Error> {
    let (x, g) = (as_images(&p.input(0)?, n_spatial)?, as_images(&p.g(), n_spatial)?);
    let taps = pool_taps(p, &x, &g);
    let padded = taps.padded(&x, f64::NEG_INFINITY)?;
    let greatest = Tensor::full_as(g.shape(), f64::NEG_INFINITY, x.dtype())?;
    taps.for_each_tap(&padded, |_, tap| belvedere::maximum_into(&greatest, &tap, &greatest))?;
    let (n_equal, mut is_greatest) = (g.zeros_like()?, Vec::new());
    taps.for_each_tap(&padded, |_, tap| {
        is_greatest.push(tap.equal(&greatest)?);
        n_equal.add_assign(is_greatest.last().expect("it was pushed"))
    })?;
    let share = g.div(&n_equal)?;
    let (sums, mut is_greatest) = (Tensor::zeros(padded.shape(), g.dtype())?, is_greatest.iter());
    let overlap = (0..2).any(|k| taps.stride[k] < taps.size[k]);
    taps.for_each_tap(&sums, |_, tap| {
        let is_greatest = is_greatest.next().expect("one for each tap");
        match overlap {
            true => tap.add_assign(&where_(is_greatest, &share, 0.0)?),
            // Each element is in one window.
            false => where_into(is_greatest, &share, 0.0, &tap),
        }
    })?;
    p.add(0, like_operand(p, &taps.unpadded(&sums)?)?);
    Ok(())
}

/// Each element of a window receives an equal part; `count_padding` says whether padding is an element.
fn avg_pool(p: &mut Pullback<'_>, n_spatial: usize) -> Result<(), Error> {
    let g = as_images(&p.g(), n_spatial)?;
    let x = as_images(&Tensor::zeros(&*p.shape(0), g.dtype())?, n_spatial)?;
    let taps = pool_taps(p, &x, &g);
    let inside = Tensor::ones([1, 1, taps.len[0], taps.len[1]], DType::Float64)?;
    let inside = taps.padded(&inside, 0.0)?;
    if p.flag("count_padding") {
        // A window may reach beyond the padding, where there is nothing to count.
        let counted = |k: usize| (taps.len[k] + 2 * taps.before[k]).min(inside.shape()[2 + k]);
        inside.narrow(2, 0, counted(0))?.narrow(3, 0, counted(1))?.fill(1.0)?;
    }
    let counts = Tensor::zeros([1, 1, taps.count[0], taps.count[1]], DType::Float64)?;
    taps.for_each_tap(&inside, |_, tap| counts.add_assign(&tap))?;
    let share = g.div(&counts)?;
    let sums = taps.padded(&x, 0.0)?;
    let sums = sums.astype(share.dtype())?;
    taps.for_each_tap(&sums, |_, tap| tap.add_assign(&share))?;
    p.add(0, like_operand(p, &taps.unpadded(&sums)?)?);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("conv1d", Rule::general(Saves::All, |p| convolution(p, 1)).holomorphic()),
    ("conv2d", Rule::general(Saves::All, |p| convolution(p, 2)).holomorphic()),
    ("max_pool1d", Rule::general(Saves::All, |p| max_pool(p, 1))),
    ("max_pool2d", Rule::general(Saves::All, |p| max_pool(p, 2))),
    ("avg_pool1d", Rule::general(Saves::Nothing, |p| avg_pool(p, 1))),
    ("avg_pool2d", Rule::general(Saves::Nothing, |p| avg_pool(p, 2))),
];

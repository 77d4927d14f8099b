//! Convolutions and pooling, as sums over the taps of a window: each tap is a strided view of the padded images.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{DType, Error, Index, Slice, Tensor, where_};

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

    /// Returns images with the margins, filled with a value.
    fn padded(&self, x: &Tensor, value: f64) -> Result<Tensor, Error> {
        x.pad_with(self.margins(), value)
    }

    /// Returns the images without the margins.
    fn unpadded(&self, x: &Tensor) -> Result<Tensor, Error> {
        x.narrow(2, self.before[0], self.len[0])?.narrow(3, self.before[1], self.len[1])
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
    let n_windows = count[0] * count[1];
    let (n, n_out) = (g.shape()[0], g.shape()[1]);
    // [n, groups, channels, windows]
    let grouped = |x: &Tensor| x.reshape([n, groups, x.shape()[1] / groups, n_windows]);
    let g = grouped(&g)?;
    let padded = taps.padded(&x, 0.0)?;
    if p.needs(1) {
        let to_weight = weight.zeros_like()?;
        taps.for_each_tap(&padded, |[row, col], tap| {
            let sums = g.matmul(&grouped(&tap)?.mt()?)?.sum(0)?;
            let part = to_weight.select(3, col as isize)?.select(2, row as isize)?;
            part.add_assign(&sums.reshape(&*part.shape())?)
        })?;
        p.add(1, to_weight.reshape(&*p.shape(1))?);
    }
    if p.needs(0) {
        let sums = padded.zeros_like()?;
        taps.for_each_tap(&sums, |[row, col], tap| {
            let factors = weight.select(3, col as isize)?.select(2, row as isize)?;
            let factors = factors.reshape([groups, n_out / groups, factors.shape()[1]])?;
            tap.add_assign(&factors.mt()?.matmul(&g)?.reshape(&*tap.shape())?)
        })?;
        p.add(0, like_operand(p, &taps.unpadded(&sums)?)?);
    }
    Ok(())
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
    let greatest = Tensor::zeros(g.shape(), x.dtype())?;
    greatest.fill(f64::NEG_INFINITY)?;
    taps.for_each_tap(&padded, |_, tap| belvedere::maximum_into(&greatest, &tap, &greatest))?;
    let n_equal = g.zeros_like()?;
    taps.for_each_tap(&padded, |_, tap| n_equal.add_assign(&tap.equal(&greatest)?))?;
    let share = g.div(&n_equal)?;
    let mut shares = Vec::new();
    taps.for_each_tap(&padded, |_, tap| {
        shares.push(where_(&tap.equal(&greatest)?, &share, 0.0)?);
        Ok(())
    })?;
    let (sums, mut shares) = (Tensor::zeros(padded.shape(), g.dtype())?, shares.into_iter());
    taps.for_each_tap(&sums, |_, tap| tap.add_assign(&shares.next().expect("one for each tap")))?;
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
    ("conv1d", Rule::general(Saves::All, |p| convolution(p, 1))),
    ("conv2d", Rule::general(Saves::All, |p| convolution(p, 2))),
    ("max_pool1d", Rule::general(Saves::All, |p| max_pool(p, 1))),
    ("max_pool2d", Rule::general(Saves::All, |p| max_pool(p, 2))),
    ("avg_pool1d", Rule::general(Saves::Nothing, |p| avg_pool(p, 1))),
    ("avg_pool2d", Rule::general(Saves::Nothing, |p| avg_pool(p, 2))),
];

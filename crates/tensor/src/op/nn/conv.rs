//! Convolution.

use super::window::{WindowArguments, images, like_input, resolve_windows};
use crate::copies::CopyReason;
use crate::kernel::conv::{WindowAxis, convolve_direct, convolve_im2col};
use crate::op::execute::compute_new;
use crate::trace::{Call, Param, composite};
use crate::{Error, Layout, Operand, Tensor, matmul_into};

/// Output channels per group from which im2col is used. For one channel, direct convolution is as fast and needs no
/// memory; for two, it takes 1.5 times as long.
const IM2COL_MIN_CHANNELS: usize = 2;

/// The maximum number of elements of a window for im2col.
const IM2COL_MAX_WINDOW: usize = 1 << 22;

/// The parameters of a convolution over `N` axes.
///
/// ```
/// use belvedere::nn::{Conv, Padding};
///
/// let conv = Conv { stride: [2, 2], padding: Padding::Zeros([1, 1]), ..Conv::default() };
/// assert_eq!((conv.dilation, conv.groups), ([1, 1], 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conv<const N: usize> {
    /// The distance between windows.
    pub stride: [usize; N],
    /// The padding of the input.
    pub padding: Padding<N>,
    /// The distance between the elements of a window.
    pub dilation: [usize; N],
    /// The number of groups that the channels are divided into. Groups are convolved separately.
    pub groups: usize,
}

impl<const N: usize> Default for Conv<N> {
    fn default() -> Conv<N> {
        Conv { stride: [1; N], padding: Padding::Valid, dilation: [1; N], groups: 1 }
    }
}

impl<const N: usize> Conv<N> {
    /// Returns the parameters by name.
    fn params(&self) -> [(&'static str, Param<'_>); 4] {
        let padding: Param<'_> = match &self.padding {
            Padding::Valid => "valid".into(),
            Padding::Same => "same".into(),
            Padding::Zeros(n) => (&n[..]).into(),
        };
        [
            ("stride", (&self.stride[..]).into()),
            ("padding", padding),
            ("dilation", (&self.dilation[..]).into()),
            ("groups", self.groups.into()),
        ]
    }
}

/// Zero padding. It is never stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Padding<const N: usize> {
    /// No padding.
    #[default]
    Valid,
    /// Padding for a result of the shape of the input, with stride 1. If it is odd, there is one more after the input
    /// than before.
    Same,
    /// The given number of zeros on both sides of each axis.
    Zeros([usize; N]),
}

/// Computes the 2-D convolution of `x` with `weight`.
///
/// `x` is `[n, c, h, w]` or one image `[c, h, w]`, `weight` is `[o, c / groups, i, j]`, `bias` is `[o]`, and the
/// result is `[n, o, h', w']`.
///
/// As in other deep learning libraries this is the cross-correlation: windows are not mirrored. All dtypes but `bool`
/// are supported; integers wrap. The result does not depend on the number of threads.
///
/// ```
/// use belvedere::{nn::{self, Conv, Padding}, prelude::*};
///
/// let x = tensor![[[1, 2, 3], [4, 5, 6], [7, 8, 9]]];
/// let corners = tensor![[[[1, 0], [0, 1]]]];
/// let y = nn::conv2d(&x, &corners, None, Conv::default())?;
/// assert_eq!(y.to_vec::<i32>()?, [6, 8, 12, 14]);
/// let same = Conv { padding: Padding::Same, ..Conv::default() };
/// assert_eq!(nn::conv2d(&x, &corners, None, same)?.shape(), [1, 3, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the shapes do not match, a window is larger than the image with its padding, a stride, a dilation
/// or a length of the window is 0, `groups` does not divide the channels, padding is `Same` and a
/// stride is not 1, the dtypes differ or are `bool`, or there is not enough memory.
///
/// # Memory
/// Always allocates a new tensor, and buffers that fit in the cache. `x` may have any strides; `weight` is copied if its
/// last three axes cannot be merged.
#[track_caller]
pub fn conv2d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    conv: Conv<2>,
) -> Result<Tensor, Error> {
    let params = conv.params();
    let call = Call::new("conv2d").with(&params);
    composite(call, &inputs(x, weight, bias), || convolve(call, x, weight, bias, conv, 2))
}

/// Computes the 1-D convolution, [`conv2d`] with one axis.
///
/// `x` is `[n, c, l]` or `[c, l]`, `weight` is `[o, c / groups, i]`, and the result is `[n, o, l']`.
///
/// ```
/// use belvedere::{nn::{self, Conv}, prelude::*};
///
/// let x = tensor![[1.0, 2.0, 4.0, 8.0]];
/// let difference = tensor![[[-1.0, 1.0]]];
/// let y = nn::conv1d(&x, &difference, Some(&tensor![0.5]), Conv::default())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.5, 2.5, 4.5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`conv2d`].
///
/// # Memory
/// As for [`conv2d`].
#[track_caller]
pub fn conv1d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    conv: Conv<1>,
) -> Result<Tensor, Error> {
    let params = conv.params();
    let call = Call::new("conv1d").with(&params);
    let Conv { stride: [stride], padding, dilation: [dilation], groups } = conv;
    let padding = match padding {
        Padding::Valid => Padding::Valid,
        Padding::Same => Padding::Same,
        Padding::Zeros([n]) => Padding::Zeros([0, n]),
    };
    let conv = Conv { stride: [1, stride], padding, dilation: [1, dilation], groups };
    composite(call, &inputs(x, weight, bias), || {
        if weight.rank() != 3 {
            return Err(wrong_rank(call.op, "a weight of 3 axes", weight));
        }
        convolve(call, x, &weight.unsqueeze(2)?, bias, conv, 1)
    })
}

/// Returns the tensors that a convolution depends on.
fn inputs<'a>(x: &'a Tensor, weight: &'a Tensor, bias: Option<&'a Tensor>) -> Vec<Operand<'a>> {
    [Some(x), Some(weight), bias].into_iter().flatten().map(Operand::from).collect()
}

fn convolve(
    call: Call<'_>,
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    conv: Conv<2>,
    n_spatial: usize,
) -> Result<Tensor, Error> {
    let input = images(call.op, x, n_spatial)?;
    if weight.rank() != 4 {
        return Err(wrong_rank(call.op, "a weight of 4 axes", weight));
    }
    check_types(call.op, x, weight, bias)?;
    check_channels(call.op, &input, weight, bias, conv.groups, n_spatial)?;
    let shape = [input.shape()[2], input.shape()[3]];
    let windows = resolve_windows(call.op, shape, conv.window_arguments(call.op, weight)?)?;
    let result = sum_of_products(call, &input, weight, windows, conv.groups)?;
    if let Some(bias) = bias {
        result.add_assign(&bias.unsqueeze(1)?.unsqueeze(2)?)?;
    }
    like_input(result, x, n_spatial)
}

impl Conv<2> {
    fn window_arguments(
        &self,
        op: &'static str,
        weight: &Tensor,
    ) -> Result<[WindowArguments; 2], Error> {
        if self.padding == Padding::Same
            && let Some(&stride) = self.stride.iter().find(|&&stride| stride != 1)
        {
            let needs = "a stride of 1 for padding to the same shape";
            return Err(Error::Argument { op, needs, given: stride.into() });
        }
        let arguments = |k: usize| {
            let (size, dilation) = (weight.shape()[2 + k], self.dilation[k]);
            let [before, after] = match self.padding {
                Padding::Valid => [0, 0],
                Padding::Zeros(n) => [n[k]; 2],
                Padding::Same => {
                    let total = size.saturating_sub(1).saturating_mul(dilation);
                    [total / 2, total - total / 2]
                }
            };
            WindowArguments { size, stride: self.stride[k], dilation, before, after, ceil: false }
        };
        Ok([arguments(0), arguments(1)])
    }
}

fn wrong_rank(op: &'static str, needs: &'static str, weight: &Tensor) -> Error {
    Error::Argument { op, needs, given: weight.rank().into() }
}

fn check_types(
    op: &'static str,
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
) -> Result<(), Error> {
    let dtype = x.dtype();
    if dtype.is_bool() {
        return Err(Error::Unsupported { op, dtype });
    }
    match [Some(weight), bias].into_iter().flatten().find(|it| it.dtype() != dtype) {
        Some(other) => Err(Error::WrongDType { asked: dtype, found: other.dtype() }),
        None => Ok(()),
    }
}

fn check_channels(
    op: &'static str,
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    groups: usize,
    n_spatial: usize,
) -> Result<(), Error> {
    let (channels, shape) = (x.shape()[1], weight.shape());
    for count in [channels, shape[0]] {
        // Also catches `groups == 0`.
        if count.checked_rem(groups) != Some(0) {
            let needs = "groups that divide the channels of the input and of the result";
            return Err(Error::Argument { op, needs, given: groups.into() });
        }
    }
    if shape[1] != channels / groups {
        // The shape as it was given, without the axis that was inserted.
        let given = [&shape[..2], &shape[4 - n_spatial..]].concat();
        let mut needed = given.clone();
        needed[1] = channels / groups;
        return Err(Error::ShapeMismatch { op, needed: needed.into(), given: given.into() });
    }
    match bias {
        Some(bias) if bias.shape() != [shape[0]] => {
            let (needed, given) = ([shape[0]].into(), bias.shape().into());
            Err(Error::ShapeMismatch { op, needed, given })
        }
        _ => Ok(()),
    }
}

/// Chooses the algorithm, by the shapes alone.
fn sum_of_products(
    call: Call<'_>,
    x: &Tensor,
    weight: &Tensor,
    windows: [WindowAxis; 2],
    groups: usize,
) -> Result<Tensor, Error> {
    let (shape, dtype) = (weight.shape(), x.dtype());
    let n_outputs = shape[0] / groups;
    let is_point = windows.iter().all(|it| it.size == 1 && it.before == 0 && it.after == 0);
    if is_point && n_outputs > 0 {
        return pointwise(x, weight, windows, groups);
    }
    let layout = Layout::row_major(&[x.shape()[0], shape[0], windows[0].count, windows[1].count])?;
    let window = shape[1..].iter().try_fold(1usize, |n, &len| n.checked_mul(len));
    match window {
        Some(n) if n_outputs >= IM2COL_MIN_CHANNELS && n <= IM2COL_MAX_WINDOW => {
            let rows = [shape[0], n];
            let weight = match weight.view(rows) {
                Ok(view) => view,
                Err(_) => weight.copied(call.part().copying(CopyReason::NoView))?.view(rows)?,
            };
            let inputs = [x.into(), (&weight).into()];
            compute_new(call.part(), layout, dtype, &inputs, |out, [x, weight]| {
                convolve_im2col(out, &x, &weight, windows, groups)
            })
        }
        _ => {
            let inputs = [x.into(), weight.into()];
            compute_new(call.part(), layout, dtype, &inputs, |out, [x, weight]| {
                convolve_direct(out, &x, &weight, windows, groups)
            })
        }
    }
}

/// Computes a 1 × 1 convolution: one matrix product for each row of an image. `matmul` merges contiguous rows.
fn pointwise(
    x: &Tensor,
    weight: &Tensor,
    windows: [WindowAxis; 2],
    groups: usize,
) -> Result<Tensor, Error> {
    let [down, across] = windows;
    let shape = [x.shape()[0], weight.shape()[0], down.count, across.count];
    let result = Tensor::zeros(shape, x.dtype())?;
    let stepped = |axis, it: &WindowAxis, x: &Tensor| match it.count {
        0 | 1 => x.narrow(axis, 0, it.count),
        _ => x.step(axis, it.stride as isize),
    };
    let x = stepped(3, &across, &stepped(2, &down, x)?)?;
    let weight = weight.squeeze(&[2, 3])?.unflatten(0, [groups, shape[1] / groups])?;
    // [n, group, row, channel, column] for the input and the result, [group, 1, output, channel] for the weights.
    let by_rows = |x: &Tensor| {
        let per_group = x.shape()[1] / groups;
        x.unflatten(1, [groups, per_group])?.permute_dims(&[0, 1, 3, 2, 4])
    };
    matmul_into(&weight.unsqueeze(1)?, &by_rows(&x)?, &by_rows(&result)?)?;
    Ok(result)
}

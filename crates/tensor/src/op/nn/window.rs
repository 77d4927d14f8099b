//! Checked arguments of sliding windows.

use crate::kernel::conv::WindowAxis;
use crate::tensor::reserve;
use crate::{Error, Tensor};

/// The arguments for the windows along one axis.
#[derive(Clone, Copy)]
pub(super) struct WindowArguments {
    pub size: usize,
    pub stride: usize,
    pub dilation: usize,
    pub before: usize,
    pub after: usize,
    /// Whether the last window may start in the image and end after the padding.
    pub ceil: bool,
}

/// Returns the windows along the last two axes of an image.
///
/// # Errors
/// If a size, a stride or a dilation is 0, or a window is larger than the image with its padding.
pub(super) fn resolve_windows(
    op: &'static str,
    shape: [usize; 2],
    arguments: [WindowArguments; 2],
) -> Result<[WindowAxis; 2], Error> {
    for it in &arguments {
        at_least_one(op, "a window of at least one element", it.size)?;
        at_least_one(op, "a stride of at least 1", it.stride)?;
        at_least_one(op, "a dilation of at least 1", it.dilation)?;
    }
    // `None` for lengths that would overflow later.
    let over = [0, 1].map(|k| {
        let sum = shape[k].checked_add(arguments[k].before);
        sum.and_then(|sum| sum.checked_add(arguments[k].after)).filter(|&sum| sum < MAX_LEN)
    });
    let window = arguments.map(|it| {
        let reach = (it.size - 1).checked_mul(it.dilation).filter(|&reach| reach < MAX_LEN);
        reach.map(|reach| reach + 1)
    });
    let mut result = [None; 2];
    for k in [0, 1] {
        if let (Some(over), Some(window)) = (over[k], window[k])
            && window <= over
        {
            result[k] = Some(window_axis(shape[k], over, window, &arguments[k]));
        }
    }
    if let [Some(down), Some(across)] = result {
        // A row of an image is packed, and the elements of a window are listed. A broadcast axis may be longer than
        // any memory: fail here if so.
        reserve::<[u64; 2]>(across.len)?;
        reserve::<[usize; 4]>(across.all_taps().len())?;
        return Ok([down, across]);
    }
    let known = |lengths: [Option<usize>; 2]| lengths.map(|len| len.unwrap_or(usize::MAX)).into();
    Err(Error::Window { op, window: known(window), over: known(over) })
}

/// The maximum of all lengths, padding included, so that sums of two do not overflow.
const MAX_LEN: usize = isize::MAX as usize / 4;

fn window_axis(len: usize, over: usize, window: usize, arguments: &WindowArguments) -> WindowAxis {
    let &WindowArguments { size, stride, dilation, before, after, ceil } = arguments;
    let room = over - window;
    let mut count = room / stride + 1;
    // One more, unless it starts in the padding after the image.
    if ceil && !room.is_multiple_of(stride) && room / stride * stride + stride < len + before {
        count += 1;
    }
    WindowAxis { len, size, dilation, stride, count, before, after }
}

fn at_least_one(op: &'static str, needs: &'static str, given: usize) -> Result<(), Error> {
    if given == 0 {
        return Err(Error::Argument { op, needs, given: 0.into() });
    }
    Ok(())
}

/// Returns images with four axes, `[n, c, h, w]`: an image without a batch axis is a batch of one, and a 1-D signal
/// an image of one row.
pub(super) fn images(op: &'static str, x: &Tensor, n_spatial: usize) -> Result<Tensor, Error> {
    let needs = match n_spatial {
        1 => "an input of 2 or 3 axes",
        _ => "an input of 3 or 4 axes",
    };
    let x = match x.rank().checked_sub(n_spatial) {
        Some(1) => x.unsqueeze(0)?,
        Some(2) => x.clone(),
        _ => return Err(Error::Argument { op, needs, given: x.rank().into() }),
    };
    if n_spatial == 1 { x.unsqueeze(2) } else { Ok(x) }
}

/// Removes the axes from a result that `images` has inserted.
pub(super) fn like_input(result: Tensor, x: &Tensor, n_spatial: usize) -> Result<Tensor, Error> {
    let result = if n_spatial == 1 { result.squeeze(&[2])? } else { result };
    if x.rank() == n_spatial + 1 { result.squeeze(&[0]) } else { Ok(result) }
}

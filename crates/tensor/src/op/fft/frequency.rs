//! The frequencies of transforms, and their order.

use crate::trace::{Call, composite};
use crate::{Axes, DType, Error, Tensor};

/// Returns the frequencies of [`fft`](super::fft) of `n` points with spacing 1, in its order: from 0 up, then the negative
/// ones.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// assert_eq!(fft::fftfreq(4)?.to_vec::<f64>()?, [0.0, 0.25, -0.5, -0.25]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `n` is 0.
#[track_caller]
pub fn fftfreq(n: usize) -> Result<Tensor, Error> {
    fftfreq_with(n, 1.0, DType::Float64)
}

/// Returns the frequencies of [`fft`](super::fft) of `n` points with spacing `d`, as [`fftfreq`] does.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let f = fft::fftfreq_with(5, 0.1, DType::Float64)?;
/// assert_eq!(f.to_vec::<f64>()?, [0.0, 2.0, 4.0, -4.0, -2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `n` or `d` is 0, or the dtype is not real floating-point.
#[track_caller]
pub fn fftfreq_with(n: usize, d: f64, dtype: DType) -> Result<Tensor, Error> {
    frequencies(Call::new("fftfreq"), n, false, d, dtype)
}

/// Returns the frequencies of [`rfft`](super::rfft) of `n` points with spacing 1.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// assert_eq!(fft::rfftfreq(4)?.to_vec::<f64>()?, [0.0, 0.25, 0.5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftfreq`].
#[track_caller]
pub fn rfftfreq(n: usize) -> Result<Tensor, Error> {
    rfftfreq_with(n, 1.0, DType::Float64)
}

/// Returns the frequencies of [`rfft`](super::rfft) of `n` points with spacing `d`.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let f = fft::rfftfreq_with(4, 0.5, DType::Float32)?;
/// assert_eq!(f.to_vec::<f32>()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftfreq_with`].
#[track_caller]
pub fn rfftfreq_with(n: usize, d: f64, dtype: DType) -> Result<Tensor, Error> {
    frequencies(Call::new("rfftfreq"), n, true, d, dtype)
}

fn frequencies(
    call: Call<'_>,
    n: usize,
    is_half: bool,
    d: f64,
    dtype: DType,
) -> Result<Tensor, Error> {
    let op = call.op;
    if n == 0 {
        return Err(Error::Argument { op, needs: "at least one point", given: 0.into() });
    }
    if d == 0.0 {
        return Err(Error::Argument { op, needs: "a spacing other than 0", given: d.into() });
    }
    if !dtype.is_floating() {
        return Err(Error::Unsupported { op, dtype });
    }
    let (unit, count) = (1.0 / (n as f64 * d), if is_half { n / 2 + 1 } else { n });
    let params = [("n", n.into()), ("d", d.into()), ("dtype", dtype.into())];
    composite(call.with(&params), &[], || {
        let turns = Tensor::from_fn([count], |index| {
            let i = index[0];
            // The first half ascends from 0; the second half ascends from the lowest negative frequency.
            let i = if is_half || i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 };
            i * unit
        })?;
        turns.astype(dtype)
    })
}

/// Moves frequency 0 to the middle of each axis.
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = tensor![0, 1, 2, -2, -1];
/// assert_eq!(fft::fftshift(&x, ())?.to_vec::<i32>()?, [-2, -1, 0, 1, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If an axis does not exist or is named twice, or there is not enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn fftshift(x: &Tensor, axes: impl Into<Axes>) -> Result<Tensor, Error> {
    shifted(Call::new("fftshift"), x, &axes.into(), |len| len / 2)
}

/// Undoes [`fftshift`].
///
/// ```
/// use belvedere::{fft, prelude::*};
///
/// let x = tensor![-2, -1, 0, 1, 2];
/// assert_eq!(fft::ifftshift(&x, 0)?.to_vec::<i32>()?, [0, 1, 2, -2, -1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`fftshift`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn ifftshift(x: &Tensor, axes: impl Into<Axes>) -> Result<Tensor, Error> {
    shifted(Call::new("ifftshift"), x, &axes.into(), |len| -(len / 2))
}

/// Rolls axes by a function of their lengths.
fn shifted(
    call: Call<'_>,
    x: &Tensor,
    axes: &Axes,
    by: fn(isize) -> isize,
) -> Result<Tensor, Error> {
    let params = [("axes", axes.into())];
    composite(call.with(&params), &[x.into()], || {
        let (shape, is_shifted) = (x.shape(), axes.resolve(x.layout())?);
        let axes = (0..x.rank()).filter(|&k| is_shifted[k]).map(|k| k as isize);
        let axes: Vec<isize> = axes.collect();
        let shifts: Vec<isize> = axes.iter().map(|&k| by(shape[k as usize] as isize)).collect();
        x.roll(&shifts, &axes)
    })
}

//! Fourier transforms. The adjoint of a transform is the opposite one with the opposite norm, without what was padded, and with zeros
//! for what was truncated.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::fft::{self, Norm};
use belvedere::{Error, Tensor};

/// The transformed axes of an operation.
struct TransformedAxes {
    axes: Vec<isize>,
    /// The numbers of points.
    n_points: Vec<usize>,
    /// The norm of the adjoint: its factor is that of the transform.
    norm: Norm,
}

impl TransformedAxes {
    /// Returns the axes of an operation; `is_half` if its result is the half of a spectrum.
    fn new(p: &Pullback<'_>, is_half: bool) -> Result<TransformedAxes, Error> {
        let (shape, given) = (p.shape(0), p.ints("s").or_else(|| p.ints("n")));
        let rank = shape.len() as isize;
        let axes: Vec<isize> = match (p.ints("axes").or_else(|| p.ints("axis")), &given) {
            (Some(axes), _) => axes.iter().map(|axis| axis.rem_euclid(rank)).collect(),
            (None, Some(given)) => (rank - given.len() as isize..rank).collect(),
            (None, None) => (0..rank).collect(),
        };
        let n_points = match given {
            Some(given) => given.iter().map(|&n| n as usize).collect(),
            None if is_half => axes.iter().map(|&k| shape[k as usize]).collect(),
            None => axes.iter().map(|&k| p.output_shape(0)[k as usize]).collect(),
        };
        let norm = match p.text("norm").unwrap_or("backward").parse()? {
            Norm::Backward => Norm::Forward,
            Norm::Forward => Norm::Backward,
            Norm::Ortho => Norm::Ortho,
        };
        Ok(TransformedAxes { axes, n_points, norm })
    }

    /// Returns a gradient with the lengths of the operand: truncated, or padded with zeros.
    fn resized(&self, mut g: Tensor, shape: &[usize]) -> Result<Tensor, Error> {
        for &axis in &self.axes {
            let (n, len) = (g.shape()[axis as usize], shape[axis as usize]);
            g = g.narrow(axis, 0, n.min(len))?;
            if n < len {
                let mut widths = vec![(0, 0); g.rank()];
                widths[axis as usize].1 = len - n;
                g = g.pad(widths)?;
            }
        }
        Ok(g)
    }
}

/// A transform of `n`-dimensional arrays.
type Transform = fn(&Tensor, Option<&[usize]>, Option<&[isize]>, Norm) -> Result<Tensor, Error>;

/// A transform to the whole spectrum, or from real numbers to a half: the other half has no gradient. The sum takes the
/// real part for a real operand.
fn to_spectrum(p: &mut Pullback<'_>, opposite: Transform, is_half: bool) -> Result<(), Error> {
    let over = TransformedAxes::new(p, is_half)?;
    let found = opposite(&p.g(), Some(&over.n_points), Some(&over.axes), over.norm)?;
    p.add(0, over.resized(found, &p.shape(0))?);
    Ok(())
}

/// A transform from a half of a spectrum to real numbers: elements that stand for two count twice.
fn from_half(p: &mut Pullback<'_>, opposite: Transform) -> Result<(), Error> {
    let over = TransformedAxes::new(p, false)?;
    let found = opposite(&p.g(), Some(&over.n_points), Some(&over.axes), over.norm)?;
    if let (Some(&axis), Some(&n)) = (over.axes.last(), over.n_points.last()) {
        found.narrow(axis, 1, (n - 1) / 2)?.scale(2.0)?;
    }
    p.add(0, over.resized(found, &p.shape(0))?);
    Ok(())
}

/// `ihfft` in the form of the transforms of several axes.
fn ihfft(
    x: &Tensor,
    s: Option<&[usize]>,
    axes: Option<&[isize]>,
    norm: Norm,
) -> Result<Tensor, Error> {
    let (n, axis) = (s.map(|it| it[0]), axes.map_or(-1, |it| it[0]));
    fft::ihfft_with(x, n, axis, norm)
}

const fn linear(pull: fn(&mut Pullback<'_>) -> Result<(), Error>) -> Rule {
    Rule::general(Saves::Nothing, pull).complex()
}

pub(super) const RULES: Rules = &[
    ("fft", linear(|p| to_spectrum(p, fft::ifftn_with, false))),
    ("fftn", linear(|p| to_spectrum(p, fft::ifftn_with, false))),
    ("ifft", linear(|p| to_spectrum(p, fft::fftn_with, false))),
    ("ifftn", linear(|p| to_spectrum(p, fft::fftn_with, false))),
    ("rfft", linear(|p| to_spectrum(p, fft::ifftn_with, true))),
    ("rfftn", linear(|p| to_spectrum(p, fft::ifftn_with, true))),
    ("ihfft", linear(|p| to_spectrum(p, fft::fftn_with, true))),
    ("irfft", linear(|p| from_half(p, fft::rfftn_with))),
    ("irfftn", linear(|p| from_half(p, fft::rfftn_with))),
    ("hfft", linear(|p| from_half(p, ihfft))),
];

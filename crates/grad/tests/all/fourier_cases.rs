//! Fourier transforms: one and several axes, norms, truncated and padded operands, real and complex ones.

use crate::differences::{ALL, Case, case, complex};
use belvedere::fft::Norm;
use belvedere::prelude::*;

pub(crate) const CASES: &[Case] = &[
    case("fft", 1, ALL, |x| fft::fft(&x[0])),
    case("ifft", 1, ALL, |x| fft::ifft_with(&x[0], 6, 0, Norm::Ortho)),
    case("rfft", 1, ALL, |x| fft::rfft(&x[0])),
    case("rfft odd", 1, ALL, |x| fft::rfft_with(&x[0], None, 0, Norm::Forward)),
    case("rfft padded", 1, ALL, |x| fft::rfft_with(&x[0], 7, 1, Norm::Ortho)),
    case("rfft truncated", 1, ALL, |x| fft::rfft_with(&x[0], 3, 1, Norm::Backward)),
    case("ihfft", 1, ALL, |x| fft::ihfft(&x[0])),
    case("ihfft padded", 1, ALL, |x| fft::ihfft_with(&x[0], 5, 0, Norm::Forward)),
    case("irfft real", 1, ALL, |x| fft::irfft(&x[0])),
    case("hfft real", 1, ALL, |x| fft::hfft(&x[0])),
    case("rfftn", 1, ALL, |x| fft::rfftn(&x[0])),
    case("rfftn odd", 1, ALL, |x| fft::rfftn_with(&x[0], None, Some(&[1, 0]), Norm::Ortho)),
    case("rfftn resized", 1, ALL, |x| fft::rfftn_with(&x[0], Some(&[5, 3]), None, Norm::Forward)),
    case("rfft2", 1, ALL, |x| fft::rfft2(&x[0])),
    case("fftn real", 1, ALL, |x| fft::fftn(&x[0])),
    complex("fft complex", 1, ALL, |x| fft::fft(&x[0])),
    complex("fft padded", 1, ALL, |x| fft::fft_with(&x[0], 6, -1, Norm::Forward)),
    complex("fft truncated", 1, ALL, |x| fft::fft_with(&x[0], 2, 0, Norm::Ortho)),
    complex("ifft complex", 1, ALL, |x| fft::ifft(&x[0])),
    complex("irfft", 1, ALL, |x| fft::irfft(&x[0])),
    complex("irfft odd", 1, ALL, |x| fft::irfft_with(&x[0], 5, 1, Norm::Ortho)),
    complex("irfft padded", 1, ALL, |x| fft::irfft_with(&x[0], 9, 1, Norm::Forward)),
    complex("irfft truncated", 1, ALL, |x| fft::irfft_with(&x[0], 4, 0, Norm::Backward)),
    complex("irfft one point", 1, ALL, |x| fft::irfft_with(&x[0], 1, 0, Norm::Backward)),
    complex("irfft two points", 1, ALL, |x| fft::irfft_with(&x[0], 2, 1, Norm::Backward)),
    complex("hfft", 1, ALL, |x| fft::hfft(&x[0])),
    complex("hfft odd", 1, ALL, |x| fft::hfft_with(&x[0], 5, 0, Norm::Forward)),
    complex("fftn", 1, ALL, |x| fft::fftn(&x[0])),
    complex("fftn resized", 1, ALL, |x| {
        fft::fftn_with(&x[0], Some(&[2, 5]), Some(&[1, 0]), Norm::Ortho)
    }),
    complex("fftn no axes", 1, ALL, |x| fft::fftn_with(&x[0], None, Some(&[]), Norm::Ortho)),
    complex("ifftn", 1, ALL, |x| fft::ifftn(&x[0])),
    complex("ifft2", 1, ALL, |x| fft::ifft2(&x[0])),
    complex("fft2", 1, ALL, |x| fft::fft2_with(&x[0], Some(&[2, 6]), Norm::Forward)),
    complex("irfftn", 1, ALL, |x| fft::irfftn(&x[0])),
    complex("irfftn resized", 1, ALL, |x| {
        fft::irfftn_with(&x[0], Some(&[5, 3]), Some(&[-1, 0]), Norm::Ortho)
    }),
    complex("irfft2", 1, ALL, |x| fft::irfft2_with(&x[0], Some(&[4, 6]), Norm::Forward)),
    complex("fftshift complex", 1, ALL, |x| fft::fftshift(&x[0], ())),
];

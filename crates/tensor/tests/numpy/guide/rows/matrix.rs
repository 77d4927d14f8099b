//! Products, factors, transforms, networks.

use super::{Given, Row, rows};
use belvedere::prelude::*;
use belvedere::{Error, Tensor, einsum, fft, linalg, nn};

#[rustfmt::skip]
pub const PRODUCTS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a @ b.T", "a @ b.T" => a.matmul(&b.t()?);
    "a @ v", "a @ v" => a.matvec(v);
    "np.vecdot(a, b)", "torch.linalg.vecdot(a, b)" => a.vecdot(b, -1);
    "np.outer(v, v)", "torch.outer(v, v)" => v.outer(v);
    "np.kron(s, v)", "torch.kron(s, v[None])" => s.kron(v);
    "np.tensordot(a, c, axes=([0, 1], [1, 2]))", "torch.tensordot(a, c, dims=([0, 1], [1, 2]))" => a.tensordot(c, ([0, 1], [1, 2]));
    "np.trace(s)", "torch.trace(s)" => s.trace(0);
    "np.einsum('ij,kij->k', a, c)", "torch.einsum('ij,kij->k', a, c)" => einsum("ij,kij->k", &[a, c]);
    "np.einsum('ii->i', s)", "torch.einsum('ii->i', s)" => einsum("ii->i", &[s]);
    "np.einsum('ijk->kji', c)", "torch.einsum('ijk->kji', c)" => einsum("ijk->kji", &[c]);
));

#[rustfmt::skip]
pub const FACTORS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.linalg.solve(s, v[:3])", "torch.linalg.solve(s, v[:3])" => linalg::solve(s, &v.slice(s![..3])?);
    "np.linalg.inv(s)", "torch.linalg.inv(s)" => linalg::inv(s);
    "np.linalg.det(s)", "torch.linalg.det(s)" => linalg::det(s);
    "np.linalg.cholesky(s)", "torch.linalg.cholesky(s)" => linalg::cholesky(s, false);
    "np.linalg.eigvalsh(s)", "torch.linalg.eigvalsh(s)" => linalg::eigvalsh(s);
    "np.linalg.svd(a)[1]", "torch.linalg.svdvals(a)" => linalg::svdvals(a);
    "np.linalg.pinv(a)", "torch.linalg.pinv(a)" => linalg::pinv(a, None);
    "np.linalg.matrix_power(s, 3)", "torch.linalg.matrix_power(s, 3)" => linalg::matrix_power(s, 3);
    "np.linalg.matrix_rank(s)", "torch.linalg.matrix_rank(s)" => linalg::matrix_rank(s, None);
));

#[rustfmt::skip]
pub const TRANSFORMS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.fft.fft(v)", "torch.fft.fft(v)" => fft::fft(v, None, -1, fft::Norm::Backward);
    "np.fft.rfft(a, axis=0)", "torch.fft.rfft(a, dim=0)" => fft::rfft(a, None, 0, fft::Norm::Backward);
    "np.fft.fftn(a, norm='ortho')", "torch.fft.fftn(a, norm='ortho')" => fft::fftn(a, None, None, fft::Norm::Ortho);
    "np.fft.fftfreq(8)", "torch.fft.fftfreq(8, dtype=torch.float64)" => fft::fftfreq(8, 1.0, DType::Float64);
    "np.fft.fftshift(v)", "torch.fft.fftshift(v)" => fft::fftshift(v, ());
));

#[rustfmt::skip]
pub const NETWORKS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "scipy.special.softmax(a, 1)", "torch.softmax(a, 1)" => a.softmax(1);
    "scipy.special.log_softmax(a, 1)", "torch.log_softmax(a, 1)" => a.log_softmax(1);
    "np.eye(7)[n]", "torch.nn.functional.one_hot(n, 7).to(torch.float64)" => nn::one_hot(n, 7, DType::Float64);
    "a[i]", "torch.nn.functional.embedding(i, a)" => nn::embedding(a, i);
    "(a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5)", "torch.nn.functional.layer_norm(a, (4,))" => nn::layer_norm(a, 1, None, None, 1e-5);
    "scipy.signal.correlate2d(a, s[:2, :2], 'valid')", "torch.nn.functional.conv2d(a[None, None], s[None, None, :2, :2])[0, 0]" => nn::conv2d(&a.expand_dims([0, 1])?, &s.slice(s![..2, ..2])?.expand_dims([0, 1])?, None, nn::Conv::default())?.squeeze([0, 1]);
    "window(c, (2, 2), (1, 2))[:, ::2, ::2].max((3, 4))", "torch.nn.functional.max_pool2d(c, 2)" => nn::max_pool2d(c, nn::Pool::new([2, 2]));
));

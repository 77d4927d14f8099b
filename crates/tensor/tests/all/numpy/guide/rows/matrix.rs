//! Products, factorizations, Fourier transforms and neural networks.

use super::{Given, Row, rows};
use belvedere::prelude::*;
use belvedere::{Error, Tensor};

#[rustfmt::skip]
pub(super) const PRODUCTS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
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
    "np.dot(v, v)", "torch.dot(v, v)" => v.dot(v);
    "np.inner(a, b)", "torch.inner(a, b)" => a.inner(b);
    "np.vecmat(v[:3], a)", "v[:3] @ a" => v.slice(s![..3])?.vecmat(a);
    "np.cross(s, s[::-1])", "torch.linalg.cross(s, s.flip(0))" => s.cross(&s.flip(0)?, -1);
));

#[rustfmt::skip]
pub(super) const FACTORS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.linalg.solve(s, v[:3])", "torch.linalg.solve(s, v[:3])" => linalg::solve(s, &v.slice(s![..3])?);
    "np.linalg.inv(s)", "torch.linalg.inv(s)" => linalg::inv(s);
    "np.linalg.det(s)", "torch.linalg.det(s)" => linalg::det(s);
    "np.linalg.cholesky(s)", "torch.linalg.cholesky(s)" => linalg::cholesky(s);
    "np.linalg.eigvalsh(s)", "torch.linalg.eigvalsh(s)" => linalg::eigvalsh(s);
    "np.linalg.svd(a)[1]", "torch.linalg.svdvals(a)" => linalg::svdvals(a);
    "np.linalg.pinv(a)", "torch.linalg.pinv(a)" => linalg::pinv(a);
    "np.linalg.matrix_power(s, 3)", "torch.linalg.matrix_power(s, 3)" => linalg::matrix_power(s, 3);
    "np.linalg.pinv(c, rtol=np.array([0.1, 0.5]))", "torch.linalg.pinv(c, rtol=torch.tensor([0.1, 0.5]))" => linalg::pinv_by(c, &tensor![0.1, 0.5]);
    "np.linalg.matrix_rank(c, rtol=np.array([0.1, 0.5]))", "torch.linalg.matrix_rank(c, rtol=torch.tensor([0.1, 0.5]))" => linalg::matrix_rank_by(c, &tensor![0.1, 0.5]);
    "np.linalg.matrix_rank(s)", "torch.linalg.matrix_rank(s)" => linalg::matrix_rank(s);
    "abs(np.linalg.qr(s)[1])", "abs(torch.linalg.qr(s)[1])" => linalg::qr(s)?.r.abs();
    "np.linalg.svd(a, full_matrices=False)[1]", "torch.linalg.svd(a, full_matrices=False)[1]" = linalg::svd_with(a, false)?.s;
    "abs(np.linalg.eigh(s)[1])", "abs(torch.linalg.eigh(s)[1])" => linalg::eigh(s)?.eigenvectors.abs();
    "np.sort(np.linalg.eig(s)[0])", "torch.linalg.eig(s)[0].real.sort()[0]" => linalg::eig(s)?.eigenvalues.real()?.sort(0);
    "np.sort(np.linalg.eigvals(s))", "torch.linalg.eigvals(s).real.sort()[0]" => linalg::eigvals(s)?.real()?.sort(0);
    "np.linalg.slogdet(s)[1]", "torch.linalg.slogdet(s)[1]" = linalg::slogdet(s)?.logabsdet;
    "np.linalg.lstsq(b.T, v)[0]", "torch.linalg.lstsq(b.T, v[:, None], driver='gelsd')[0][:, 0]" = linalg::lstsq(&b.t()?, v)?.x;
    "np.linalg.cond(s)", "torch.linalg.cond(s)" => linalg::cond(s);
    "np.linalg.matrix_norm(c)", "torch.linalg.matrix_norm(c)" => linalg::matrix_norm(c);
));

#[rustfmt::skip]
pub(super) const TRANSFORMS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.fft.fft(v)", "torch.fft.fft(v)" => fft::fft(v);
    "np.fft.rfft(a, axis=0)", "torch.fft.rfft(a, dim=0)" => fft::rfft_with(a, None, 0, fft::Norm::Backward);
    "np.fft.fftn(a, norm='ortho')", "torch.fft.fftn(a, norm='ortho')" => fft::fftn_with(a, None, None, fft::Norm::Ortho);
    "np.fft.fftfreq(8)", "torch.fft.fftfreq(8, dtype=torch.float64)" => fft::fftfreq(8);
    "np.fft.fftshift(v)", "torch.fft.fftshift(v)" => fft::fftshift(v, ());
    "np.fft.ifft(z)", "torch.fft.ifft(z)" => fft::ifft(z);
    "np.fft.irfft(z)", "torch.fft.irfft(z)" => fft::irfft(z);
    "np.fft.hfft(z)", "torch.fft.hfft(z)" => fft::hfft(z);
    "np.fft.ihfft(v)", "torch.fft.ihfft(v)" => fft::ihfft(v);
    "np.fft.ifftn(a)", "torch.fft.ifftn(a)" => fft::ifftn(a);
    "np.fft.rfftn(c)", "torch.fft.rfftn(c)" => fft::rfftn(c);
    "np.fft.irfftn(c)", "torch.fft.irfftn(c)" => fft::irfftn(c);
    "np.fft.fft2(c)", "torch.fft.fft2(c)" => fft::fft2(c);
    "np.fft.ifft2(c)", "torch.fft.ifft2(c)" => fft::ifft2(c);
    "np.fft.rfft2(c)", "torch.fft.rfft2(c)" => fft::rfft2(c);
    "np.fft.irfft2(c)", "torch.fft.irfft2(c)" => fft::irfft2(c);
    "np.fft.rfftfreq(8)", "torch.fft.rfftfreq(8, dtype=torch.float64)" => fft::rfftfreq(8);
    "np.fft.ifftshift(v)", "torch.fft.ifftshift(v)" => fft::ifftshift(v, ());
));

#[rustfmt::skip]
pub(super) const NETWORKS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "scipy.special.softmax(a, 1)", "torch.softmax(a, 1)" => a.softmax(1);
    "scipy.special.log_softmax(a, 1)", "torch.log_softmax(a, 1)" => a.log_softmax(1);
    "np.eye(7)[n]", "torch.nn.functional.one_hot(n, 7).to(torch.float64)" => nn::one_hot(n, 7, DType::Float64);
    "a[i]", "torch.nn.functional.embedding(i, a)" => nn::embedding(a, i);
    "(a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5)", "torch.nn.functional.layer_norm(a, (4,))" => nn::layer_norm(a, 1, None, None, 1e-5);
    "scipy.signal.correlate2d(a, s[:2, :2], 'valid')", "torch.nn.functional.conv2d(a[None, None], s[None, None, :2, :2])[0, 0]" => nn::conv2d(&a.expand_dims([0, 1])?, &s.slice(s![..2, ..2])?.expand_dims([0, 1])?, None, nn::Conv::default())?.squeeze([0, 1]);
    "window(c, (2, 2), (1, 2))[:, ::2, ::2].max((3, 4))", "torch.nn.functional.max_pool2d(c, 2)" => nn::max_pool2d(c, nn::Pool::new([2, 2]));
    "np.clip(a, 0, 6)", "torch.nn.functional.relu6(a)" => a.relu6();
    "np.where(a > 0, a, 0.1 * a)", "torch.nn.functional.leaky_relu(a, 0.1)" => a.leaky_relu(0.1);
    "np.where(a > 0, a, np.expm1(a))", "torch.nn.functional.elu(a)" => a.elu(1.0);
    "a * scipy.special.ndtr(a)", "torch.nn.functional.gelu(a)" => a.gelu();
    "a / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a ** 3)))", "torch.nn.functional.gelu(a, approximate='tanh')" => a.gelu_tanh();
    "a * scipy.special.expit(a)", "torch.nn.functional.silu(a)" => a.swish();
    "np.logaddexp(a, 0)", "torch.nn.functional.softplus(a)" => a.softplus();
    "np.clip(a / 6 + 0.5, 0, 1)", "torch.nn.functional.hardsigmoid(a)" => a.hard_sigmoid();
    "a * np.clip(a / 6 + 0.5, 0, 1)", "torch.nn.functional.hardswish(a)" => a.hard_swish();
    "a / np.sqrt(np.square(a).mean(1, keepdims=True) + 1e-5)", "torch.nn.functional.rms_norm(a, (4,), eps=1e-5)" => nn::rms_norm(a, 1, None, 1e-5);
    "(a - v) / np.sqrt(b[0] + 1e-5)", "torch.nn.functional.batch_norm(a, v, b[0])" => nn::batch_norm(a, v, &b.slice(s![0])?, None, None, 1e-5);
    "np.correlate(v, s[0, :2], 'valid')", "torch.nn.functional.conv1d(v[None, None], s[None, :1, :2])[0, 0]" => nn::conv1d(&v.expand_dims([0, 1])?, &s.slice(s![Index::NewAxis, ..1, ..2])?, None, nn::Conv::default())?.squeeze([0, 1]);
    "v.reshape(2, 2).max(1)", "torch.nn.functional.max_pool1d(v[None], 2)[0]" => nn::max_pool1d(&v.unsqueeze(0)?, nn::Pool::new([2]))?.select(0, 0);
    "v.reshape(2, 2).mean(1)", "torch.nn.functional.avg_pool1d(v[None], 2)[0]" => nn::avg_pool1d(&v.unsqueeze(0)?, nn::Pool::new([2]))?.select(0, 0);
    "window(c, (2, 2), (1, 2))[:, ::2, ::2].mean((3, 4))", "torch.nn.functional.avg_pool2d(c, 2)" => nn::avg_pool2d(c, nn::Pool::new([2, 2]));
));

//! Work on elements.

use super::{Given, Row, rows};
use belvedere::{Error, Tensor, where_};

#[rustfmt::skip]
pub const ARITHMETIC: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a + b", "a + b" => a.add(b);
    "a - 2 * b", "a - 2 * b" => a.sub(&b.mul(2)?);
    "a / b", "a / b" => a.div(b);
    "a // b", "a // b" => a.floor_divide(b);
    "a % b", "a % b" => a.remainder(b);
    "np.fmod(a, b)", "torch.fmod(a, b)" => a.fmod(b);
    "b ** 2", "b ** 2" => b.pow(2);
    "-a", "-a" => a.negative();
    "abs(a)", "abs(a)" => a.abs();
    "a * b + v", "torch.addcmul(v, a, b)" => v.addcmul(a, b, 1);
    "a + 0.25 * (b - a)", "torch.lerp(a, b, 0.25)" => a.lerp(b, 0.25);
    "n & 3", "n & 3" => n.bitwise_and(3i64);
    "n << 2", "n << 2" => n.bitwise_left_shift(2i64);
    "~m", "~m" => m.bitwise_invert();
    "np.gcd(n, 6)", "torch.gcd(n, torch.tensor(6))" => n.gcd(6i64);
));

#[rustfmt::skip]
pub const FUNCTIONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.exp(a)", "torch.exp(a)" => a.exp();
    "np.log(b)", "torch.log(b)" => b.log();
    "np.log1p(b)", "torch.log1p(b)" => b.log1p();
    "np.sqrt(b)", "torch.sqrt(b)" => b.sqrt();
    "1 / np.sqrt(b)", "torch.rsqrt(b)" => b.rsqrt();
    "np.sin(a)", "torch.sin(a)" => a.sin();
    "np.arctan2(a, b)", "torch.atan2(a, b)" => a.atan2(b);
    "np.tanh(a)", "torch.tanh(a)" => a.tanh();
    "scipy.special.erf(a)", "torch.erf(a)" => a.erf();
    "np.floor(a)", "torch.floor(a)" => a.floor();
    "np.round(a)", "torch.round(a)" => a.round();
    "np.sign(a)", "torch.sign(a)" => a.sign();
    "np.hypot(a, b)", "torch.hypot(a, b)" => a.hypot(b);
    "np.logaddexp(a, b)", "torch.logaddexp(a, b)" => a.logaddexp(b);
    "np.clip(a, -1, 1)", "a.clamp(-1, 1)" => a.clip(-1, 1);
    "np.minimum(a, b)", "torch.minimum(a, b)" => a.minimum(b);
    "np.nan_to_num(a)", "torch.nan_to_num(a)" => a.nan_to_num(Some(0.0), None, None);
    "np.maximum(a, 0)", "torch.relu(a)" => a.relu();
    "1 / (1 + np.exp(-a))", "torch.sigmoid(a)" => a.sigmoid();
));

#[rustfmt::skip]
pub const COMPARISONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a == b", "a == b" => a.equal(b);
    "a < b", "a < b" => a.less(b);
    "(a > 0) & m", "(a > 0) & m" => a.greater(0)?.logical_and(m);
    "np.isnan(a)", "torch.isnan(a)" => a.isnan();
    "np.isclose(a, b)", "torch.isclose(a, b)" => a.isclose(b, 1e-5, 1e-8, false);
    "np.where(m, a, b)", "torch.where(m, a, b)" => where_(m, a, b);
));

#[rustfmt::skip]
pub const COMPLEX: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "z.real", "z.real" => z.real();
    "z.imag", "z.imag" => z.imag();
    "np.conj(z)", "torch.conj(z)" => z.conj();
    "np.abs(z)", "torch.abs(z)" => z.abs();
    "np.angle(z)", "torch.angle(z)" => z.angle();
));

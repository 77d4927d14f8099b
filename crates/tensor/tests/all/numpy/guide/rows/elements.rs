//! Work on elements.

use super::{Given, Row, rows};
use belvedere::{Error, Operand, Tensor, where_};

#[rustfmt::skip]
pub const ARITHMETIC: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a + b", "a + b" => a.add(b);
    "a - 2 * b", "a - 2 * b" => a.sub(&b.mul(2)?);
    "a / b", "a / b" => a.div(b);
    "a // b", "a // b" => a.floor_divide(b);
    "a % b", "a % b" => a.remainder(b);
    "np.fmod(a, b)", "torch.fmod(a, b)" => a.fmod(b);
    "b ** 2", "b ** 2" => b.pow(2);
    "2 ** n", "2 ** n" => Operand::from(2).pow(n);
    "1 - a", "1 - a" => Operand::from(1).sub(a);
    "-a", "-a" => a.negative();
    "abs(a)", "abs(a)" => a.abs();
    "a * b + v", "torch.addcmul(v, a, b)" => v.addcmul(a, b, 1);
    "a + 0.25 * (b - a)", "torch.lerp(a, b, 0.25)" => a.lerp(b, 0.25);
    "n & 3", "n & 3" => n.bitwise_and(3i64);
    "n << 2", "n << 2" => n.bitwise_left_shift(2i64);
    "~m", "~m" => m.bitwise_invert();
    "np.gcd(n, 6)", "torch.gcd(n, torch.tensor(6))" => n.gcd(6i64);
    "np.copysign(a, v)", "torch.copysign(a, v)" => a.copysign(v);
    "a + b / v", "torch.addcdiv(a, b, v)" => a.addcdiv(b, v, 1);
    "a * b + 1", "" => a.mul_add(b, 1);
    "n | 8", "n | 8" => n.bitwise_or(8i64);
    "n ^ 5", "n ^ 5" => n.bitwise_xor(5i64);
    "n >> 1", "n >> 1" => n.bitwise_right_shift(1i64);
    "np.lcm(n, 6)", "torch.lcm(n, torch.tensor(6))" => n.lcm(6i64);
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
    "np.expm1(a)", "torch.expm1(a)" => a.expm1();
    "np.exp2(a)", "torch.exp2(a)" => a.exp2();
    "np.log2(b)", "torch.log2(b)" => b.log2();
    "np.log10(b)", "torch.log10(b)" => b.log10();
    "np.square(a)", "torch.square(a)" => a.square();
    "np.reciprocal(b)", "torch.reciprocal(b)" => b.reciprocal();
    "np.cbrt(a)", "" => a.cbrt();
    "np.cos(a)", "torch.cos(a)" => a.cos();
    "np.tan(a)", "torch.tan(a)" => a.tan();
    "np.arcsin(v / 4)", "torch.asin(v / 4)" => v.div(4)?.asin();
    "np.arccos(v / 4)", "torch.acos(v / 4)" => v.div(4)?.acos();
    "np.arctan(a)", "torch.atan(a)" => a.atan();
    "np.sinh(a)", "torch.sinh(a)" => a.sinh();
    "np.cosh(a)", "torch.cosh(a)" => a.cosh();
    "np.arcsinh(a)", "torch.asinh(a)" => a.asinh();
    "np.arccosh(b + 1)", "torch.acosh(b + 1)" => b.add(1)?.acosh();
    "np.arctanh(v / 4)", "torch.atanh(v / 4)" => v.div(4)?.atanh();
    "np.sinc(a)", "torch.sinc(a)" => a.sinc();
    "np.deg2rad(a)", "torch.deg2rad(a)" => a.deg2rad();
    "np.rad2deg(a)", "torch.rad2deg(a)" => a.rad2deg();
    "np.ceil(a)", "torch.ceil(a)" => a.ceil();
    "np.trunc(a)", "torch.trunc(a)" => a.trunc();
    "np.nextafter(a, b)", "torch.nextafter(a, b)" => a.nextafter(b);
    "np.heaviside(a, 0.5)", "torch.heaviside(a, torch.tensor(0.5, dtype=torch.float64))" => a.heaviside(0.5);
    "scipy.special.erfc(a)", "torch.erfc(a)" => a.erfc();
    "scipy.special.erfinv(v / 4)", "torch.erfinv(v / 4)" => v.div(4)?.erfinv();
    "scipy.special.logit(b / 12)", "torch.logit(b / 12)" => b.div(12)?.logit();
    "scipy.special.xlogy(a, b)", "torch.xlogy(a, b)" => a.xlogy(b);
    "np.maximum(a, b)", "torch.maximum(a, b)" => a.maximum(b);
    "np.fmin(a, b)", "torch.fmin(a, b)" => a.fmin(b);
    "np.fmax(a, b)", "torch.fmax(a, b)" => a.fmax(b);
));

#[rustfmt::skip]
pub const COMPARISONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a == b", "a == b" => a.equal(b);
    "a < b", "a < b" => a.less(b);
    "(a > 0) & m", "(a > 0) & m" => a.greater(0)?.logical_and(m);
    "np.isnan(a)", "torch.isnan(a)" => a.isnan();
    "np.isclose(a, b)", "torch.isclose(a, b)" => a.isclose(b, 1e-5, 1e-8, false);
    "np.where(m, a, b)", "torch.where(m, a, b)" => where_(m, a, b);
    "a != b", "a != b" => a.not_equal(b);
    "a <= b", "a <= b" => a.less_equal(b);
    "a >= b", "a >= b" => a.greater_equal(b);
    "np.logical_or(a > 5, m)", "torch.logical_or(a > 5, m)" => a.greater(5)?.logical_or(m);
    "np.logical_xor(a > 5, m)", "torch.logical_xor(a > 5, m)" => a.greater(5)?.logical_xor(m);
    "np.logical_not(m)", "torch.logical_not(m)" => m.logical_not();
    "np.isfinite(a)", "torch.isfinite(a)" => a.isfinite();
    "np.isinf(a)", "torch.isinf(a)" => a.isinf();
    "np.signbit(a)", "torch.signbit(a)" => a.signbit();
));

#[rustfmt::skip]
pub const COMPLEX: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "z.real", "z.real" => z.real();
    "z.imag", "z.imag" => z.imag();
    "np.conj(z)", "torch.conj(z)" => z.conj();
    "np.abs(z)", "torch.abs(z)" => z.abs();
    "np.angle(z)", "torch.angle(z)" => z.angle();
));

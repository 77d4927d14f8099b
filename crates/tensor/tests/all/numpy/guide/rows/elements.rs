//! Elementwise arithmetic, comparisons and complex numbers.

use super::{Given, Row, rows};
use belvedere::{Error, Operand, Tensor, where_};

#[rustfmt::skip]
pub(super) const ARITHMETIC: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
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
pub(super) const COMPARISONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a == b", "a == b" => a.equal(b);
    "a < b", "a < b" => a.less(b);
    "(a > 0) & m", "(a > 0) & m" => a.greater(0)?.logical_and(m);
    "np.isnan(a)", "torch.isnan(a)" => a.isnan();
    "np.isclose(a, b)", "torch.isclose(a, b)" => a.isclose(b);
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
pub(super) const COMPLEX: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "z.real", "z.real" => z.real();
    "z.imag", "z.imag" => z.imag();
    "np.conj(z)", "torch.conj(z)" => z.conj();
    "np.abs(z)", "torch.abs(z)" => z.abs();
    "np.angle(z)", "torch.angle(z)" => z.angle();
));

//! Arithmetic on two to four operands.

use super::{Rule, Rules, Saves, quotient_or_zero};
use belvedere::where_;

pub(super) const RULES: Rules = &[
    (
        "add",
        Rule::general(Saves::Nothing, |p| {
            let g = p.g();
            p.add(0, g.clone());
            p.add(1, g);
            Ok(())
        })
        .passing_first()
        .holomorphic(),
    ),
    (
        "sub",
        Rule::general(Saves::Nothing, |p| {
            let g = p.g();
            if p.needs(1) {
                p.add(1, g.negative()?);
            }
            p.add(0, g);
            Ok(())
        })
        .passing_first()
        .holomorphic(),
    ),
    (
        "mul",
        Rule::general(Saves::Others, |p| {
            for (own, other) in [(0, 1), (1, 0)] {
                if p.needs(own) {
                    let contribution = p.g().mul(&p.input(other)?)?;
                    p.add(own, contribution);
                }
            }
            Ok(())
        })
        .holomorphic(),
    ),
    (
        "div",
        Rule::general(Saves::All, |p| {
            let y = p.input(1)?;
            let quotient = p.g().div(&y)?;
            if p.needs(1) {
                let slope = p.input(0)?.div(&y)?;
                p.add(1, quotient.mul(&slope)?.negative()?);
            }
            p.add(0, quotient);
            Ok(())
        })
        .holomorphic(),
    ),
    (
        "remainder",
        Rule::general(Saves::All, |p| {
            let g = p.g();
            if p.needs(1) {
                let (x, y) = (p.input(0)?, p.input(1)?);
                p.add(1, g.mul(&x.floor_divide(&y)?)?.negative()?);
            }
            p.add(0, g);
            Ok(())
        }),
    ),
    (
        "fmod",
        Rule::general(Saves::All, |p| {
            let g = p.g();
            if p.needs(1) {
                let quotient = p.input(0)?.div(&p.input(1)?)?;
                p.add(1, g.mul(&quotient.trunc()?)?.negative()?);
            }
            p.add(0, g);
            Ok(())
        }),
    ),
    (
        "pow",
        Rule::general(Saves::All, |p| {
            let (mut x, y, g) = (p.input(0)?, p.input(1)?, p.g());
            if g.dtype().is_complex() && !x.dtype().is_complex() {
                // The logarithm of a negative number is complex; it is conjugated as the other operand is.
                x = x.astype(g.dtype())?.conj()?;
            }
            if p.needs(0) {
                // At y = 0 the power is constant, also where x^(y - 1) is infinite or NaN.
                let (is_constant, mut base) = (y.equal(0.0)?, x.clone());
                if is_constant.any(())?.item::<bool>()? {
                    let is_singular = x.abs()?.greater(0.0)?.logical_not()?;
                    base = where_(&is_constant.logical_and(&is_singular)?, 1.0, &x)?;
                }
                p.add(0, g.mul(&y.mul(&base.pow(&y.sub(1.0)?)?)?)?);
            }
            if p.needs(1) {
                // The limit at x = 0, where log(x) is infinite.
                let is_zero = x.equal(0.0)?.logical_and(&y.real()?.greater_equal(0.0)?)?;
                let base = where_(&is_zero, 1.0, &x)?;
                p.add(1, g.mul(&base.pow(&y)?.mul(&base.log()?)?)?);
            }
            Ok(())
        })
        .holomorphic(),
    ),
    (
        "hypot",
        Rule::general(Saves::All, |p| {
            let (x, y) = (p.input(0)?, p.input(1)?);
            let scaled = quotient_or_zero(&p.g(), &x.hypot(&y)?)?;
            p.add(0, scaled.mul(&x)?);
            p.add(1, scaled.mul(&y)?);
            Ok(())
        }),
    ),
    (
        "atan2",
        Rule::general(Saves::All, |p| {
            let (y, x) = (p.input(0)?, p.input(1)?);
            let scaled = quotient_or_zero(&p.g(), &x.square()?.add(&y.square()?)?)?;
            p.add(0, scaled.mul(&x)?);
            p.add(1, scaled.mul(&y)?.negative()?);
            Ok(())
        }),
    ),
    (
        "logaddexp",
        Rule::general(Saves::All, |p| {
            let (difference, g) = (p.input(0)?.sub(&p.input(1)?)?, p.g());
            p.add(0, g.mul(&difference.sigmoid()?)?);
            p.add(1, g.mul(&difference.negative()?.sigmoid()?)?);
            Ok(())
        }),
    ),
    (
        "xlogy",
        Rule::general(Saves::All, |p| {
            let (x, y, g) = (p.input(0)?, p.input(1)?, p.g());
            // 0 · log(0) is 0, and so is its derivative with respect to y.
            let is_zero = x.equal(0.0)?.logical_and(&y.equal(0.0)?)?;
            p.add(0, g.mul(&y.log()?)?);
            p.add(1, g.mul(&x.div(&where_(&is_zero, 1.0, &y)?)?)?);
            Ok(())
        }),
    ),
    (
        "copysign",
        Rule::general(Saves::All, |p| {
            let (x, y, g) = (p.input(0)?, p.input(1)?, p.g());
            let is_kept = x.signbit()?.equal(&y.signbit()?)?;
            let signed = where_(&is_kept, &g, &g.negative()?)?;
            p.add(0, where_(&x.equal(0.0)?, 0.0, &signed)?);
            Ok(())
        }),
    ),
    (
        "heaviside",
        Rule::general(Saves::Only(0), |p| {
            let contribution = where_(&p.input(0)?.equal(0.0)?, &p.g(), 0.0)?;
            p.add(1, contribution);
            Ok(())
        }),
    ),
    (
        "mul_add",
        Rule::general(Saves::Others, |p| {
            let g = p.g();
            for (own, other) in [(0, 1), (1, 0)] {
                if p.needs(own) {
                    let contribution = g.mul(&p.input(other)?)?;
                    p.add(own, contribution);
                }
            }
            p.add(2, g);
            Ok(())
        })
        .holomorphic(),
    ),
    (
        "lerp",
        Rule::general(Saves::All, |p| {
            let (x, end, weight, g) = (p.input(0)?, p.input(1)?, p.input(2)?, p.g());
            let to_end = g.mul(&weight)?;
            p.add(0, g.sub(&to_end)?);
            p.add(1, to_end);
            p.add(2, g.mul(&end.sub(&x)?)?);
            Ok(())
        }),
    ),
    (
        "addcmul",
        Rule::general(Saves::All, |p| {
            let (a, b, value, g) = (p.input(1)?, p.input(2)?, p.input(3)?, p.g());
            p.add(1, g.mul(&b)?.mul(&value)?);
            p.add(2, g.mul(&a)?.mul(&value)?);
            p.add(3, g.mul(&a)?.mul(&b)?);
            p.add(0, g);
            Ok(())
        })
        .passing_first()
        .holomorphic(),
    ),
    (
        "addcdiv",
        Rule::general(Saves::All, |p| {
            let (a, b, value, g) = (p.input(1)?, p.input(2)?, p.input(3)?, p.g());
            let quotient = g.div(&b)?;
            p.add(1, quotient.mul(&value)?);
            p.add(2, quotient.mul(&value)?.mul(&a.div(&b)?)?.negative()?);
            p.add(3, quotient.mul(&a)?);
            p.add(0, g);
            Ok(())
        })
        .passing_first()
        .holomorphic(),
    ),
];

//! Checked arguments of distributions.

use crate::dtype::{Float, FloatTask, NumberKind};
use crate::kernel::random::Distribution;
use crate::{ArgumentValue, DType, Element, Error};

pub(super) fn uniform(low: f64, high: f64, dtype: DType) -> Result<Distribution, Error> {
    let op = "uniform";
    check_type(op, dtype.is_floating(), dtype)?;
    let [low, high] = [low, high].map(|bound| rounded(bound, dtype));
    check(op, "a finite bound", low, low.is_finite())?;
    check(op, "a finite bound", high, high.is_finite())?;
    check(op, "bounds whose distance is finite", high - low, (high - low).is_finite())?;
    check(op, "an upper bound that is above the lower one", high, low < high)?;
    Ok(Distribution::Uniform { low, high })
}

pub(super) fn normal(mean: f64, std: f64, dtype: DType) -> Result<Distribution, Error> {
    let op = "normal";
    check_type(op, dtype.is_floating(), dtype)?;
    check(op, "a finite mean", mean, mean.is_finite())?;
    check(op, "a finite standard deviation of at least 0", std, std >= 0.0 && std.is_finite())?;
    Ok(Distribution::Normal { mean, std })
}

pub(super) fn exponential(scale: f64, dtype: DType) -> Result<Distribution, Error> {
    let op = "exponential";
    check_type(op, dtype.is_floating(), dtype)?;
    check(op, "a finite scale of at least 0", scale, scale >= 0.0 && scale.is_finite())?;
    Ok(Distribution::Exponential { scale })
}

pub(super) fn bernoulli(chance: f64, dtype: DType) -> Result<Distribution, Error> {
    let op = "bernoulli";
    check_type(op, dtype.is_bool(), dtype)?;
    check(op, "a probability from 0 to 1", chance, (0.0..=1.0).contains(&chance))?;
    Ok(Distribution::Bernoulli { chance })
}

pub(super) fn integers(low: i128, high: i128, dtype: DType) -> Result<Distribution, Error> {
    let op = "integers";
    let all = match dtype.kind() {
        NumberKind::Signed(bytes) => -(1i128 << (8 * bytes - 1))..1i128 << (8 * bytes - 1),
        NumberKind::Unsigned(bytes) => 0..1i128 << (8 * bytes),
        _ => return Err(Error::Unsupported { op, dtype }),
    };
    check(op, "an upper bound that is above the lower one", high, low < high)?;
    for value in [low, high - 1] {
        if !all.contains(&value) {
            return Err(Error::ScalarRange { value, dtype });
        }
    }
    // The lower bits, also of a negative number.
    Ok(Distribution::Integers { low: low as u64, count: (high - low) as u128 })
}

pub(super) fn check_type(op: &'static str, is_right: bool, dtype: DType) -> Result<(), Error> {
    if !is_right {
        return Err(Error::Unsupported { op, dtype });
    }
    Ok(())
}

pub(super) fn check(
    op: &'static str,
    needs: &'static str,
    given: impl Into<ArgumentValue>,
    is_right: bool,
) -> Result<(), Error> {
    if !is_right {
        return Err(Error::Argument { op, needs, given: given.into() });
    }
    Ok(())
}

/// Returns the nearest number of a floating-point dtype.
fn rounded(value: f64, dtype: DType) -> f64 {
    struct Round(f64);

    impl FloatTask for Round {
        type Output = f64;

        fn run<T: Element<Wide: Float>>(self) -> f64 {
            T::from_f64(self.0).widen().double()
        }
    }

    dtype.with_float(Round(value)).expect("a floating-point type")
}

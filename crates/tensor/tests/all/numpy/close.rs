//! Comparison of two results with a tolerance.

use belvedere::{Complex, DType, Tensor, f16};

/// The tolerance of a comparison. All NaNs are equal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tolerance {
    /// Exact equality, including the sign of zero.
    Exact,
    /// Equality except for the sign of zero.
    Zeros,
    /// A difference of at most this number of ULPs.
    Steps(u64),
    /// A difference in magnitude of at most this number of ULPs of the expected value:
    /// for complex numbers and sums.
    Near(f64),
    /// The same for each part, with NaN, infinity and the sign of zero compared exactly: for complex
    /// special values.
    Parts(f64),
    /// The same relative to the largest expected value: for results with cancellation, as in transforms.
    Scaled(f64),
}

/// Returns where and how two tensors differ; `None` if they do not.
pub(super) fn difference(ours: &Tensor, theirs: &Tensor, tolerance: Tolerance) -> Option<String> {
    if (ours.dtype(), ours.shape()) != (theirs.dtype(), theirs.shape()) {
        let of = |x: &Tensor| format!("{} {:?}", x.dtype(), x.shape());
        return Some(format!("{}, NumPy has {}", of(ours), of(theirs)));
    }
    let dtype = ours.dtype();
    let at = match dtype.is_floating() || dtype.is_complex() {
        true => {
            let (x, y) = (numbers(ours), numbers(theirs));
            let largest = y.iter().map(|y| y.norm()).fold(0.0, f64::max);
            (0..x.len()).find(|&i| match tolerance {
                Tolerance::Scaled(most) => {
                    (x[i] - y[i]).norm().partial_cmp(&(most * epsilon(dtype) * largest))
                        == Some(std::cmp::Ordering::Greater)
                        || x[i].is_nan() != y[i].is_nan()
                }
                _ => !is_same(x[i], y[i], dtype, tolerance),
            })?
        }
        false => {
            let (x, y) = (bytes(ours), bytes(theirs));
            (0..x.len()).find(|&i| x[i] != y[i])? / dtype.size()
        }
    };
    let shown = |x: &Tensor| {
        let flat = x.copy().and_then(|x| x.view([-1])).expect("a copy is contiguous");
        flat.select(0, at as isize).expect("an element").to_string()
    };
    Some(match (dtype, ours.rank()) {
        // Byte arrays are printed as text.
        (DType::UInt8, 1) => format!("\n{}\nNumPy has\n{}", text(ours), text(theirs)),
        _ => format!(
            "{dtype} {:?}: element {at} is {}, NumPy has {}",
            ours.shape(),
            shown(ours),
            shown(theirs)
        ),
    })
}

fn numbers(x: &Tensor) -> Vec<Complex<f64>> {
    x.astype(DType::Complex128).and_then(|x| x.to_vec()).expect("floats are complex numbers")
}

fn bytes(x: &Tensor) -> Vec<u8> {
    let flat = x.copy().and_then(|x| x.view([-1])).expect("a copy is contiguous");
    flat.bitcast(DType::UInt8).and_then(|x| x.to_vec()).expect("bytes")
}

fn text(x: &Tensor) -> String {
    String::from_utf8_lossy(&bytes(x)).into_owned()
}

fn is_same(x: Complex<f64>, y: Complex<f64>, dtype: DType, tolerance: Tolerance) -> bool {
    let parts = [(x.re, y.re), (x.im, y.im)];
    let both_nan = |(x, y): (f64, f64)| x.is_nan() && y.is_nan();
    match tolerance {
        Tolerance::Exact => {
            parts.iter().all(|&it| both_nan(it) || it.0.to_bits() == it.1.to_bits())
        }
        Tolerance::Zeros => parts.iter().all(|&it| both_nan(it) || it.0 == it.1),
        Tolerance::Steps(most) => {
            parts.iter().all(|&it| both_nan(it) || it.0 == it.1 || steps(it, dtype) <= most)
        }
        Tolerance::Parts(most) => parts.iter().all(|&it| {
            let is_near = (it.0 - it.1).abs() <= most * epsilon(dtype) * it.1.abs();
            both_nan(it) || it.0.to_bits() == it.1.to_bits() || is_near && it.1 != 0.0
        }),
        Tolerance::Near(most) => {
            let is_odd = |x: Complex<f64>| !x.re.is_finite() || !x.im.is_finite();
            is_odd(x) && is_odd(y) || (x - y).norm() <= most * epsilon(dtype) * y.norm()
        }
        Tolerance::Scaled(_) => unreachable!("it needs all numbers"),
    }
}

/// Returns the distance of two floats of equal sign in ULPs.
fn steps((x, y): (f64, f64), dtype: DType) -> u64 {
    if x.is_nan() || y.is_nan() || x.is_sign_negative() != y.is_sign_negative() {
        return u64::MAX;
    }
    let place = |x: f64| match dtype.real() {
        DType::Float16 => u64::from(f16::from_f64(x.abs()).to_bits()),
        DType::Float32 => u64::from((x.abs() as f32).to_bits()),
        _ => x.abs().to_bits(),
    };
    place(x).abs_diff(place(y))
}

fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::Float16 => f64::from(f16::EPSILON),
        DType::Float32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

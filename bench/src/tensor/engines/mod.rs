//! The engines that are compared.

pub mod belvedere;
pub mod candle;
pub mod ndarray;
pub mod python;

use std::sync::atomic::{AtomicUsize, Ordering};

/// One engine's part in a row.
pub trait Job {
    /// Runs it once and returns a fingerprint of the result.
    fn answer(&mut self) -> Result<Fingerprint, String>;

    /// Repeats it `n` times and returns the elapsed nanoseconds.
    fn time(&mut self, times: usize) -> Result<f64, String>;
}

/// A fingerprint of a result: the number of elements, and two sums that detect misplaced elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fingerprint {
    pub len: usize,
    pub sum: f64,
    /// The sum with weights that depend on the position.
    pub weighted: f64,
}

/// Results of more elements are compared by a sample, if that was asked for; the same in `python.py`.
const LARGE: usize = 1 << 20;
/// Results of more elements are in any case: a copy of them in double precision takes more memory than the
/// work itself. The same in `python.py`.
const HUGE: usize = 1 << 25;
/// A prime number, so that the sample has elements of all rows, columns and tiles; the same in
/// `python.py`.
const APART: usize = 61;

/// The largest result that is compared element by element.
static WHOLE: AtomicUsize = AtomicUsize::new(HUGE);

/// Compares large results by a sample from now on: comparing takes longer than some rows do.
pub fn compare_samples() {
    WHOLE.store(LARGE, Ordering::Relaxed);
}

/// The greatest number of elements of a result that is compared whole.
pub fn whole() -> usize {
    WHOLE.load(Ordering::Relaxed)
}

/// Returns the sampling step for a result of `n` elements.
pub fn every(len: usize) -> usize {
    if len > whole() { APART } else { 1 }
}

impl Fingerprint {
    /// Of all elements in their order.
    pub fn of(values: impl ExactSizeIterator<Item = f64>) -> Fingerprint {
        let len = values.len();
        Fingerprint::of_sample(len, values.step_by(every(len)))
    }

    /// Of those elements of a result which are compared, and of its length.
    pub fn of_sample(len: usize, values: impl Iterator<Item = f64>) -> Fingerprint {
        let mut found = Fingerprint { len, sum: 0.0, weighted: 0.0 };
        for (at, value) in values.enumerate() {
            found.sum += value;
            found.weighted += value * weight(at);
        }
        found
    }

    /// Whether two results are the same but for rounding of their elements.
    pub fn agrees(&self, other: &Fingerprint) -> bool {
        let scale = (self.len as f64).sqrt().max(1.0);
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-2 * (scale + x.abs().max(y.abs()) / scale);
        self.len == other.len && close(self.sum, other.sum) && close(self.weighted, other.weighted)
    }
}

/// A number from 0 to 1 by a position, the same in `python.py`.
fn weight(at: usize) -> f64 {
    (at as u32).wrapping_mul(40503).wrapping_rem(65536) as f64 / 65536.0
}

/// The value of an input at a position, the same in `python.py`: from -½ to ½, in eighths of a
/// hundredth, so that sums of few of them are exact.
pub fn value(at: usize, seed: u32) -> f32 {
    let bits = (at as u32).wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(97));
    (bits >> 22) as f32 / 1024.0 - 0.5
}

/// A job that is a closure of this process.
pub struct Closure<T, F: FnMut() -> T, R: Fn(&T) -> Fingerprint> {
    pub call: F,
    pub read: R,
}

impl<T, F: FnMut() -> T, R: Fn(&T) -> Fingerprint> Job for Closure<T, F, R> {
    fn answer(&mut self) -> Result<Fingerprint, String> {
        Ok((self.read)(&(self.call)()))
    }

    fn time(&mut self, times: usize) -> Result<f64, String> {
        let begin = std::time::Instant::now();
        for _ in 0..times {
            std::hint::black_box((self.call)());
        }
        Ok(begin.elapsed().as_secs_f64() * 1e9)
    }
}

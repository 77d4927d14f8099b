//! The engines that are compared: the jobs of each, and the fingerprints of their results.

pub mod belvedere;
pub mod candle;
pub mod ndarray;
pub mod python;

use std::sync::atomic::{AtomicUsize, Ordering};

/// The work of one engine in a row.
pub trait Job {
    /// Runs it once and returns a fingerprint of the result.
    fn answer(&mut self) -> Result<Fingerprint, String>;

    /// Repeats it `times` times and returns the elapsed nanoseconds.
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

/// After [`compare_samples`], results of more elements are compared by a sample.
const LARGE_ELEMENTS: usize = 1 << 20;
/// Results of more elements are always compared by a sample: a copy of them in double precision takes more
/// memory than the work itself.
const HUGE_ELEMENTS: usize = 1 << 25;
/// The step of a sample: a prime number, so that it has elements of all rows, columns and tiles. The same in
/// `python.py`.
const SAMPLE_STEP: usize = 61;

/// The number of elements up to which a result is compared whole.
static MAX_WHOLE_ELEMENTS: AtomicUsize = AtomicUsize::new(HUGE_ELEMENTS);

/// Compares large results by a sample from now on: comparing takes longer than some rows do.
pub fn compare_samples() {
    MAX_WHOLE_ELEMENTS.store(LARGE_ELEMENTS, Ordering::Relaxed);
}

/// The number of elements up to which a result is compared whole.
pub fn max_whole_elements() -> usize {
    MAX_WHOLE_ELEMENTS.load(Ordering::Relaxed)
}

/// Returns the sampling step for a result of `len` elements.
pub fn sampling_step(len: usize) -> usize {
    if len > max_whole_elements() { SAMPLE_STEP } else { 1 }
}

impl Fingerprint {
    /// Computes the fingerprint of a result from all elements in row-major order.
    pub fn from_values(values: impl ExactSizeIterator<Item = f64>) -> Fingerprint {
        let len = values.len();
        Fingerprint::from_sample(len, values.step_by(sampling_step(len)))
    }

    /// Computes the fingerprint of a result from its length and a sample of its elements.
    pub fn from_sample(len: usize, values: impl Iterator<Item = f64>) -> Fingerprint {
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

/// The weight of the element at a position, from 0 to 1; the same in `python.py`.
fn weight(at: usize) -> f64 {
    (at as u32).wrapping_mul(40503).wrapping_rem(65536) as f64 / 65536.0
}

/// The value of an input at a position, the same in `python.py`: a multiple of 1/1024 from -½ to ½, so that
/// sums of few of them are exact.
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

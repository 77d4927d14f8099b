//! Memory bandwidth: `memcpy` of large blocks on as many threads.

use std::thread;
use std::time::Instant;

/// Floats on each side: more than any cache holds.
const LEN: usize = 1 << 24;

/// Repeats the copy during a run, and keeps the best.
pub struct Memcpy {
    from: Vec<f32>,
    to: Vec<f32>,
    threads: usize,
    best: f64,
}

impl Memcpy {
    pub fn new(threads: usize) -> Memcpy {
        let mut memory = Memcpy { from: vec![1.0; LEN], to: vec![0.0; LEN], threads, best: 0.0 };
        (0..3).for_each(|_| memory.measure());
        memory
    }

    pub fn measure(&mut self) {
        let part = LEN.div_ceil(self.threads);
        let begin = Instant::now();
        thread::scope(|scope| {
            let parts = self.to.chunks_mut(part).zip(self.from.chunks(part));
            for (to, from) in parts {
                scope.spawn(move || to.copy_from_slice(from));
            }
        });
        let speed = (2 * LEN * size_of::<f32>()) as f64 / begin.elapsed().as_secs_f64();
        self.best = self.best.max(speed);
    }

    /// Bytes read and written in a second.
    pub fn best(&self) -> f64 {
        self.best
    }
}

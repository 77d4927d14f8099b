//! Memory bandwidth: `memcpy` of 64 MiB on the threads of the benchmark.

use std::thread;
use std::time::Instant;

/// The elements of the source and of the destination, 64 MiB each: more than the caches hold.
const LEN: usize = 1 << 24;

/// Measures a large copy repeatedly during a run; the best speed counts.
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

    /// Copies once, split among the threads.
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

    /// The best speed: bytes read and written per second.
    pub fn best(&self) -> f64 {
        self.best
    }
}

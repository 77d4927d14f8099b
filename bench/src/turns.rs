//! Interleaved timing.
//!
//! **The problem.** The speed of a shared machine changes over time for reasons unrelated to the code.
//! Two engines that are timed one after another are timed under different conditions.
//!
//! **The plain solution** is to repeat each measurement often and take the best. It still favours the
//! engine that ran in a quiet minute.
//!
//! **What we do.** The measurement is cut into rounds. In each round, each engine of each row has
//! one turn: a batch of calls, timed as a whole, since one call is shorter than the resolution of the clock.
//! The engines of a row follow each other within microseconds, and the first one rotates from round to
//! round. A row's number is the median over all rounds, so that a few disturbed rounds
//! do not count.

use std::hint::black_box;
use std::io::{IsTerminal, Write, stderr};
use std::time::Instant;

/// One engine's work in one row: makes the given number of calls, at least one, and returns the result of
/// the last one.
pub type Batch<'a, A> = Box<dyn Fn(usize) -> A + 'a>;

/// Returns a batch that repeats one call. Each result is written to memory, as for a caller that
/// uses it, and dropped; `read` converts the last one to an answer.
///
/// The call that is compared and the call that is timed are the same code, inlined into the loop.
pub fn batch<'a, T, A>(call: impl Fn() -> T + 'a, read: impl Fn(T) -> A + 'a) -> Batch<'a, A> {
    Box::new(move |n_calls| {
        let mut n_left = n_calls;
        loop {
            let result = call();
            // By reference: passing the value itself would copy it once more.
            black_box(&result);
            n_left -= 1;
            if n_left == 0 {
                return read(result);
            }
        }
    })
}

/// The numbers of rounds and of calls in each turn.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// The number of turns of each engine in each row.
    pub n_rounds: usize,
    /// The number of calls timed in one turn.
    pub n_calls: usize,
    /// The number of untimed calls before them, which warm the caches.
    pub n_warm_up: usize,
}

impl Turns {
    /// For results that are reported: medians repeat within a few percent.
    pub const FULL: Turns = Turns { n_rounds: 201, n_calls: 3000, n_warm_up: 300 };

    /// For a smoke test.
    pub const QUICK: Turns = Turns { n_rounds: 5, n_calls: 300, n_warm_up: 30 };

    /// Times all batches of all rows, and returns a timing for each in the same order.
    pub fn race<A>(self, rows: &[Vec<&Batch<A>>]) -> Vec<Vec<Timing>> {
        let mut samples: Vec<Vec<Vec<f64>>> =
            rows.iter().map(|row| vec![Vec::with_capacity(self.n_rounds); row.len()]).collect();
        for round in 0..self.n_rounds {
            show_progress(round, self.n_rounds);
            for (row, samples) in rows.iter().zip(&mut samples) {
                for turn in 0..row.len() {
                    let n = (round + turn) % row.len();
                    samples[n].push(self.time(row[n]));
                }
            }
        }
        show_progress(self.n_rounds, self.n_rounds);
        samples.into_iter().map(|row| row.into_iter().map(Timing::from_samples).collect()).collect()
    }

    /// Times one turn. Returns the nanoseconds per call.
    fn time<A>(self, batch: &Batch<A>) -> f64 {
        batch(self.n_warm_up);
        let begin = Instant::now();
        batch(self.n_calls);
        begin.elapsed().as_secs_f64() * 1e9 / self.n_calls as f64
    }
}

/// The time of a call, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The median over all rounds.
    pub median: f64,
    /// The best round.
    pub best: f64,
}

impl Timing {
    /// Summarises the samples of one or more rounds.
    fn from_samples(mut samples: Vec<f64>) -> Timing {
        samples.sort_unstable_by(f64::total_cmp);
        Timing { median: samples[samples.len() / 2], best: samples[0] }
    }
}

/// A progress line that overwrites itself; erased when all rounds are done.
fn show_progress(n_done: usize, n_rounds: usize) {
    let mut stderr = stderr();
    if stderr.is_terminal() {
        let text =
            if n_done < n_rounds { format!("round {n_done} of {n_rounds}") } else { String::new() };
        // A failure to show progress is ignored.
        let _ = write!(stderr, "\r{text:<24}\r").and_then(|()| stderr.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn all_engines_make_the_same_number_of_calls() {
        let (one, two) = (Cell::new(0), Cell::new(0));
        let count = |cell: &Cell<usize>| cell.set(cell.get() + 1);
        let batches = [batch(|| count(&one), drop), batch(|| count(&two), drop)];
        let turns = Turns { n_rounds: 3, n_calls: 5, n_warm_up: 2 };
        let timings = turns.race(&[batches.iter().collect(), vec![&batches[0]]]);
        assert_eq!((one.get(), two.get()), (2 * 3 * 7, 3 * 7));
        assert_eq!(timings.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn one_slow_round_does_not_change_the_median() {
        let timing = Timing::from_samples(vec![3.0, 900.0, 2.0]);
        assert_eq!(timing, Timing { median: 3.0, best: 2.0 });
    }
}

//! Compares the results of all engines, then times them in turns.
//!
//! An engine that fails, or whose result differs from Belvedere's, is excluded and reported; the others go on.

use super::engines::Job;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An engine is timed only once if one run takes longer than this number of turns.
const LONG_TURNS: f64 = 25.0;

/// An engine, and its part in a piece of work: none if it does not have it, or has failed.
pub type Party = (&'static str, Option<Box<dyn Job>>);

/// An engine, and why it was left out.
pub type Trouble = (&'static str, String);

/// Excludes engines that fail, or whose result differs from the first one's. Returns the reasons.
pub fn check(parties: &mut [Party]) -> Vec<Trouble> {
    let (mut first, mut troubles) = (None, Vec::new());
    for (name, job) in parties {
        let Some(it) = job else { continue };
        let agreed = guarded(|| it.answer()).and_then(|answer| {
            let (other, first) = *first.get_or_insert((*name, answer));
            let differs = || format!("{answer:?}, where {other} has {first:?}");
            first.agrees(&answer).then_some(()).ok_or_else(differs)
        });
        if let Err(error) = agreed {
            troubles.push((*name, error));
            *job = None;
        }
    }
    troubles
}

/// Times all engines in turns. Returns the best time of each for one run, in nanoseconds, and the failures. An
/// effort is a number of rounds, and the nanoseconds that a turn may take.
pub fn take_turns(
    parties: &mut [Party],
    (rounds, turn): (usize, f64),
) -> (Vec<Option<f64>>, Vec<Trouble>) {
    let mut best = vec![None::<f64>; parties.len()];
    let mut counts = vec![1; parties.len()];
    let mut troubles = Vec::new();
    for round in 0..=rounds {
        for step in 0..parties.len() {
            let n = (round + step) % parties.len();
            let (name, job) = &mut parties[n];
            let Some(it) = job.as_mut().filter(|_| counts[n] > 0) else { continue };
            match guarded(|| it.time(counts[n])) {
                Ok(time) => {
                    let time = time / counts[n] as f64;
                    best[n] = Some(best[n].map_or(time, |best| best.min(time)));
                    // The first round calibrates how many repetitions fit in a turn. An engine that is too
                    // slow for that (`LONG_TURNS`) is not timed again.
                    counts[n] = match time > LONG_TURNS * turn {
                        true => 0,
                        false => ((turn / time.max(20.0)) as usize).clamp(1, 1_000_000),
                    };
                }
                Err(error) => {
                    troubles.push((*name, error));
                    (*job, best[n]) = (None, None);
                }
            }
        }
    }
    (best, troubles)
}

/// Returns the result of a closure; a panic becomes an error.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let caught = catch_unwind(AssertUnwindSafe(work));
    caught.unwrap_or_else(|_| Err("it panicked, see above".to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::engines::{Closure, Fingerprint};
    use super::*;

    fn returning(value: f64) -> Option<Box<dyn Job>> {
        let read = |it: &f64| Fingerprint::from_values([*it].into_iter());
        Some(Box::new(Closure { call: move || value, read }))
    }

    fn panics() -> Option<Box<dyn Job>> {
        let read = |_: &()| Fingerprint::from_values([].into_iter());
        Some(Box::new(Closure { call: || panic!("no"), read }))
    }

    #[test]
    fn an_engine_that_fails_or_differs_is_excluded_and_named() {
        let mut parties = [
            ("a", returning(1.0)),
            ("b", returning(5.0)),
            ("c", None),
            ("d", panics()),
            ("e", returning(1.0)),
        ];
        let names: Vec<&str> = check(&mut parties).into_iter().map(|it| it.0).collect();
        assert_eq!(names, ["b", "d"]);
        let (best, troubles) = take_turns(&mut parties, (2, 1e3));
        assert!(troubles.is_empty());
        let timed: Vec<bool> = best.iter().map(Option::is_some).collect();
        assert_eq!(timed, [true, false, false, false, true]);
    }

    #[test]
    fn an_engine_that_fails_during_timing_is_named() {
        let mut parties = [("a", returning(1.0)), ("b", panics())];
        let (best, troubles) = take_turns(&mut parties, (2, 1e3));
        assert_eq!((best[0].is_some(), best[1], troubles[0].0), (true, None, "b"));
    }
}

//! The rows of the table: the same work in both libraries, compared before it is timed.

use std::cell::RefCell;

use belvedere::prelude::*;
use ndarray::{Array, Array2, Dimension};

use super::report::Line;
use crate::failure::Failure;
use crate::turns::{Batch, Turns, batch};

/// One kind of work.
pub struct Row<'a> {
    name: String,
    side: usize,
    ours: Batch<'a, ()>,
    theirs: Batch<'a, ()>,
}

/// How long a row is timed. Times are in nanoseconds.
#[derive(Clone, Copy)]
pub struct Effort {
    /// The most turns of each library.
    pub n_rounds: usize,
    /// The time of a turn: shorter than the time slice of a scheduler, so that some turns are not interrupted on a machine
    /// that has other work.
    pub turn: f64,
    /// The time of all turns of a library, unless a call takes so long that there would be fewer than five.
    pub total: f64,
}

impl Row<'_> {
    /// Times both libraries in turns.
    pub fn time(&self, effort: Effort) -> Line {
        let race = |turns: Turns| {
            let timings = turns.race(&[vec![&self.ours, &self.theirs]]);
            (timings[0][0].best, timings[0][1].best)
        };
        let (ours, theirs) = race(Turns { n_rounds: 3, n_calls: 1, n_warm_up: 1 });
        let call = ours.max(theirs).max(20.0);
        let n_calls = ((effort.turn / call) as usize).clamp(1, 100_000);
        let n_rounds = (effort.total / (n_calls as f64 * call)) as usize;
        let n_rounds = n_rounds.clamp(effort.n_rounds.min(5), effort.n_rounds);
        let (ours, theirs) = race(Turns { n_rounds, n_calls, n_warm_up: 1 });
        Line { name: self.name.clone(), side: self.side, ours, theirs }
    }
}

/// Rows that agree, and the failures of the others.
pub struct Rows<'a> {
    only: Option<&'a str>,
    rows: Vec<Row<'a>>,
    failures: Vec<Failure>,
}

impl<'a> Rows<'a> {
    pub fn new(only: Option<&'a str>) -> Rows<'a> {
        Rows { only, rows: Vec::new(), failures: Vec::new() }
    }

    /// Adds a row, if its name is asked for and both results agree.
    pub fn add<T: Answer + 'a, U: Answer + 'a>(
        &mut self,
        (name, side): (impl Into<String>, usize),
        ours: impl Fn() -> Result<T, Error> + 'a,
        theirs: impl Fn() -> U + 'a,
    ) {
        let name = name.into();
        if self.only.is_some_and(|it| !name.contains(it)) {
            return;
        }
        let found = match ours() {
            Ok(found) => found.values(),
            Err(error) => {
                self.failures.push(Failure::Child(format!("{name}, {side}: {error}")));
                return;
            }
        };
        if let Some(difference) = difference(&found, &theirs().values()) {
            self.failures.push(Failure::Disagreement {
                engine: "ndarray",
                row: format!("{name}, {side}"),
                ours: difference.0,
                theirs: difference.1,
            });
            return;
        }
        let ours = move || ours().expect("the first call succeeded");
        let (ours, theirs) = (batch(ours, drop), batch(theirs, drop));
        self.rows.push(Row { name, side, ours, theirs });
    }

    /// Returns the rows, or the first failure.
    pub fn into_result(self) -> Result<Vec<Row<'a>>, Failure> {
        match self.failures.into_iter().next() {
            Some(failure) => Err(failure),
            None => Ok(self.rows),
        }
    }
}

/// Returns descriptions of the first values that differ by more than rounding.
fn difference(ours: &[f64], theirs: &[f64]) -> Option<(String, String)> {
    if ours.len() != theirs.len() {
        let text = |n: usize| format!("{n} values");
        return Some((text(ours.len()), text(theirs.len())));
    }
    // A single value is a sum of all elements, whose rounding depends on the order.
    let tolerance = if ours.len() == 1 { 1e-3 } else { 1e-5 };
    let is_close = |x: f64, y: f64| (x - y).abs() <= tolerance * (1.0 + x.abs().max(y.abs()));
    let at = ours.iter().zip(theirs).position(|(&x, &y)| !is_close(x, y))?;
    Some((format!("{} at {at}", ours[at]), format!("{}", theirs[at])))
}

/// A result that can be compared.
pub trait Answer {
    /// Returns the elements in row-major order.
    fn values(self) -> Vec<f64>;
}

/// An element of a result.
pub trait Number: Copy {
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($type:ty)*) => { $(
        impl Number for $type {
            fn number(self) -> f64 {
                self as f64
            }
        }

        impl Answer for $type {
            fn values(self) -> Vec<f64> {
                vec![self as f64]
            }
        }
    )* };
}

numbers!(u8 usize f32 f64);

impl<T: Number> Answer for Vec<T> {
    fn values(self) -> Vec<f64> {
        self.into_iter().map(T::number).collect()
    }
}

impl<T: Number, D: Dimension> Answer for Array<T, D> {
    fn values(self) -> Vec<f64> {
        self.iter().map(|it| it.number()).collect()
    }
}

/// An array that was written to.
impl Answer for &RefCell<Array2<f32>> {
    fn values(self) -> Vec<f64> {
        self.borrow().iter().map(|it| it.number()).collect()
    }
}

impl Answer for Tensor {
    fn values(self) -> Vec<f64> {
        (&self).values()
    }
}

/// A tensor that was written to.
impl Answer for &Tensor {
    fn values(self) -> Vec<f64> {
        let values = self.astype(DType::Float64).and_then(|it| it.to_vec());
        values.expect("a number for each element")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_are_refused() {
        let failure = |ours: f32, theirs: Vec<f32>| {
            let mut rows = Rows::new(None);
            rows.add(("sum", 3), move || Ok(vec![1.0, ours]), move || theirs.clone());
            rows.into_result().err().map(|it| it.to_string())
        };
        assert_eq!(failure(2.0, vec![1.0, 2.000001]), None);
        let expected = "sum, 3: ndarray answers 2.5, Belvedere 2 at 1";
        assert_eq!(failure(2.0, vec![1.0, 2.5]).as_deref(), Some(expected));
        assert!(failure(f32::NAN, vec![1.0, 2.5]).is_some());
        assert!(failure(2.0, vec![1.0]).is_some());
    }

    #[test]
    fn only_the_rows_that_are_asked_for_are_made() {
        let mut rows = Rows::new(Some("zip"));
        rows.add(("zip of 2", 3), || Ok(1.0f32), || 1.0f32);
        rows.add(("rows", 3), || -> Result<f32, Error> { unreachable!() }, || 1.0f32);
        assert_eq!(rows.into_result().map(|it| it.len()).ok(), Some(1));
    }
}

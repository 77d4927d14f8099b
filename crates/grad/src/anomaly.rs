//! Anomaly mode: which operation's gradient was first not finite.

use crate::backward::Walk;
use crate::entry::{Entry, EntryInput};
use crate::error::{GradientError, Line};
use crate::scope::no_tape;
use belvedere::{Error, Layout, StorageId, Tensor};

/// Returns how many elements are NaN, and how many are infinite.
fn count(x: &Tensor) -> Result<(usize, usize), Error> {
    no_tape(|| {
        let count = |it: Tensor| Ok::<_, Error>(it.count_nonzero(())?.item::<i64>()? as usize);
        Ok((count(x.isnan()?)?, count(x.isinf()?)?))
    })
}

/// Checks that the factors of a result are finite.
pub(crate) fn check_seed(seed: &Tensor, line: &Line) -> Result<(), Error> {
    let (n_nan, n_infinite) = count(seed)?;
    match n_nan + n_infinite {
        0 => Ok(()),
        _ => {
            let (op, operand, line, shape) = ("seed", None, line.to_string(), seed.shape());
            Err(GradientError::NotFinite { op, line, operand, shape, n_nan, n_infinite }.into())
        }
    }
}

impl Walk {
    /// Checks the gradients that an entry has been added to. Those of later entries were finite.
    pub(crate) fn check_finite(&self, entry: &Entry) -> Result<(), Error> {
        for (operand, input) in entry.inputs.iter().enumerate() {
            let Some(id) = input.tracked else { continue };
            self.check_region(entry, (id, input), Some(operand))?;
        }
        Ok(())
    }

    fn check_region(
        &self,
        entry: &Entry,
        (id, input): (StorageId, &EntryInput),
        operand: Option<usize>,
    ) -> Result<(), Error> {
        let layout: Layout = input.covering_layout()?;
        let (Some(store), Some(dtype)) = (self.known_store(id), input.dtype) else {
            return Ok(());
        };
        let (n_nan, n_infinite) = count(&store.view(&layout, dtype)?)?;
        if n_nan + n_infinite == 0 {
            return Ok(());
        }
        let (op, line, shape) = (entry.op, entry.line.to_string(), input.shape());
        Err(GradientError::NotFinite { op, line, operand, shape, n_nan, n_infinite }.into())
    }
}

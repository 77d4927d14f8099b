//! Sums and their kin.

use super::operand::Operand;
use crate::Error;

/// The least of some integers, if there are any and they are integers.
pub(super) fn least_integer(_operand: &Operand<'_>) -> Result<Option<i64>, Error> {
    Ok(None)
}

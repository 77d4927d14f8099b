//! Conversion of operands to strided elements of one dtype, with a recorded copy if one is needed.

use super::execute::compute_new;
use super::operand::Operand;
use crate::copies::CopyReason;
use crate::kernel::cast::cast;
use crate::kernel::map::map;
use crate::plan::output_layout;
use crate::trace::Call;
use crate::view::Source;
use crate::{DType, Error, Tensor};

impl<'a> Operand<'a> {
    /// Returns the operand as strided elements of `dtype`: a recorded copy if it has another dtype or
    /// is a lens without strides.
    ///
    /// # Errors
    /// If `dtype` cannot hold a number, or a copy is needed but is forbidden or cannot be allocated.
    pub(super) fn into_dtype(mut self, dtype: DType, call: Call<'_>) -> Result<Operand<'a>, Error> {
        self.set_scalar_dtype(dtype)?;
        Ok(match converted(&self, dtype, call)? {
            Some(copy) => Operand::from(*copy),
            None => self,
        })
    }

    /// Returns the operand as strided elements of its own dtype, for a kernel that casts them to `dtype`.
    ///
    /// # Errors
    /// Those of [`Operand::into_dtype`].
    pub(super) fn into_strided(self, dtype: DType, call: Call<'_>) -> Result<Operand<'a>, Error> {
        let own = self.dtype().unwrap_or(dtype);
        self.into_dtype(own, call)
    }
}

/// Casts an operand to a dtype and copies a lens to row-major order, and records the copies. Returns
/// `None` if the operand has strides and this dtype already.
pub(super) fn converted(
    operand: &Operand<'_>,
    to: DType,
    call: Call<'_>,
) -> Result<Option<Box<Tensor>>, Error> {
    if let Some(lens) = operand.lens() {
        let copied = lens.copied(call.part().copying(CopyReason::NoView))?;
        let copied = Box::new(copied);
        let converted = converted(&Operand::from(&*copied), to, call)?;
        return Ok(Some(converted.unwrap_or(copied)));
    }
    let from = operand.dtype().expect("numbers have no dtype to be cast from");
    if from == to {
        return Ok(None);
    }
    let layout = operand.memory_layout();
    let result = output_layout(&layout.shape(), &[layout])?;
    let body = cast(from, to);
    let call = call.part().copying(CopyReason::Cast).planned();
    compute_new(call, result, to, std::array::from_ref(operand), |out, [view]| {
        map(&body, out, &[Source::View(view)])
    })
    .map(|tensor| Some(Box::new(tensor)))
}

/// Casts a tensor to a dtype, as a recorded copy; returns the tensor itself if it has this dtype.
pub(super) fn as_type(x: &Tensor, dtype: DType, call: Call<'_>) -> Result<Tensor, Error> {
    let converted = converted(&x.into(), dtype, call)?;
    Ok(converted.map_or_else(|| x.clone(), |it| *it))
}

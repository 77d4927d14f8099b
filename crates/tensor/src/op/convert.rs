//! Operands for kernels that take strided memory of one dtype: what is not like that is copied.

use super::execute::{Call, compute_new};
use super::operand::Operand;
use crate::copies::{self, CopyReason};
use crate::kernel::cast::cast;
use crate::kernel::map::map;
use crate::plan::output_layout;
use crate::view::Source;
use crate::{DType, Error, Tensor};

impl<'a> Operand<'a> {
    /// Returns the operand as strided elements of `dtype`: a copy, which is announced, if it has another
    /// dtype or no strides.
    ///
    /// # Errors
    /// If `dtype` cannot hold a number, or a copy is needed that is forbidden or finds no memory.
    pub(super) fn into_dtype(mut self, dtype: DType, call: Call) -> Result<Operand<'a>, Error> {
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
    pub(super) fn into_strided(self, dtype: DType, call: Call) -> Result<Operand<'a>, Error> {
        let own = self.dtype().unwrap_or(dtype);
        self.into_dtype(own, call)
    }
}

/// Casts an operand to a dtype, unless it has it. A lens is copied. Both copies are announced.
pub(super) fn converted(
    operand: &Operand<'_>,
    to: DType,
    call: Call,
) -> Result<Option<Box<Tensor>>, Error> {
    if let Some(lens) = operand.lens() {
        let copied = lens.copied(call.op, CopyReason::NoView, call.caller)?;
        let copied = Box::new(copied);
        let converted = converted(&Operand::from(&*copied), to, call)?;
        return Ok(Some(converted.unwrap_or(copied)));
    }
    let from = operand.dtype().expect("numbers have no dtype to be cast from");
    if from == to {
        return Ok(None);
    }
    let layout = operand.memory_layout();
    copies::announce(call.op, CopyReason::Cast, layout, to.size(), call.caller)?;
    let result = output_layout(&layout.shape(), &[layout])?;
    let body = cast(from, to);
    compute_new(result, to, std::array::from_ref(operand), |out, [view]| {
        map(&body, out, &[Source::View(view)])
    })
    .map(|tensor| Some(Box::new(tensor)))
}

/// Casts a tensor to a dtype: a copy, which is announced, unless it has it.
pub(super) fn as_type(x: &Tensor, dtype: DType, call: Call) -> Result<Tensor, Error> {
    let converted = converted(&x.into(), dtype, call)?;
    Ok(converted.map_or_else(|| x.clone(), |it| *it))
}

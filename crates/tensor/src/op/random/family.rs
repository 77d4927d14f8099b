//! How distributions with parameters that may be tensors are drawn.

use super::Generator;
use super::arguments::check_type;
use crate::feature::Feature;
use crate::kernel::random::{Family, draw_each, find_violation};
use crate::op::execute::{compute_new, read_operands};
use crate::trace::{Call, Param, composite};
use crate::{DType, Error, Integers, Layout, Operand, Tensor, broadcast_shapes};

impl Generator {
    /// Draws a new tensor from a family. The parameters have names for events.
    #[track_caller]
    pub(super) fn draw_family<const N: usize>(
        &mut self,
        op: &'static str,
        family: Family,
        parameters: [(&'static str, Operand<'_>); N],
        shape: impl Integers,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let params: [(&'static str, Param<'_>); N] =
            std::array::from_fn(|n| (parameters[n].0, parameters[n].1.to_param()));
        let call = Call::new(op).with(&params);
        let is_right = dtype.is_floating() || family.is_discrete() && dtype == DType::Int64;
        check_type(op, is_right, dtype)?;
        let (layout, stream) = (Layout::row_major(shape)?, self.next);
        let shape = layout.shape();
        Feature::RANDOM.require(op)?;
        let operands = parameters.map(|it| it.1);
        let result = composite(call, &operands, || {
            let parameters = real_parameters(call, &operands, &shape)?;
            check_parameters(call, family, &parameters)?;
            compute_new(call, layout, dtype, &parameters, |out, views| {
                let why = "the parameters were broadcast";
                let views = views.map(|it| it.broadcast_to(&shape).expect(why));
                draw_each(out, stream, family, views)
            })
        })?;
        self.advance(result.len());
        Ok(result)
    }
}

/// Returns parameters as strided `float64` that broadcasts to `shape`.
///
/// # Errors
/// If one is complex or does not broadcast.
pub(super) fn real_parameters<'a, const N: usize>(
    call: Call<'_>,
    operands: &[Operand<'a>; N],
    shape: &[usize],
) -> Result<[Operand<'a>; N], Error> {
    let mut parameters = operands.clone();
    for parameter in &mut parameters {
        if let Some(dtype) = parameter.dtype() {
            check_type(call.op, !dtype.is_complex(), dtype)?;
        }
        let real = parameter.clone().into_dtype(DType::Float64, call)?;
        real.memory_layout().broadcast_to(shape)?;
        *parameter = real;
    }
    Ok(parameters)
}

/// Checks the values of parameters; those without memory have none.
fn check_parameters<const N: usize>(
    call: Call<'_>,
    family: Family,
    parameters: &[Operand<'_>; N],
) -> Result<(), Error> {
    if parameters.iter().any(Operand::is_meta) {
        return Ok(());
    }
    let shapes = parameters.each_ref().map(Operand::shape);
    let shape = broadcast_shapes(&shapes.each_ref().map(|it| &**it))?;
    let violation = read_operands(call.part(), parameters, |views| {
        let why = "the parameters broadcast";
        find_violation(family, views.map(|it| it.broadcast_to(&shape).expect(why)))
    })?;
    match violation {
        Some((needs, given)) => Err(Error::Argument { op: call.op, needs, given: given.into() }),
        None => Ok(()),
    }
}

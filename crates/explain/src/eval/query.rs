//! Queries: calls whose result is a number, a tuple or a bool.

use super::Session;
use super::call::Call;
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::names::Op;
use super::sharing::tensors_overlap;
use super::value::{Array, Value};
use crate::step::Scalar;
use crate::suggest::closest;
use belvedere_layout::Answer;

impl Session<'_> {
    pub(super) fn query(&mut self, call: &mut Call, x: &Array) -> EvalResult<Value> {
        let span = call.context.span.clone();
        Ok(match call.spelling.op {
            Op::Shape => Value::lengths(x.shape()),
            Op::NDim => Value::Int(x.rank() as i128),
            Op::Dtype => Value::DType(x.dtype),
            Op::ElementSize => Value::Int(x.dtype.size() as i128),
            Op::NBytes => Value::Int(i128::try_from(x.n_bytes()).unwrap_or(i128::MAX)),
            Op::Size => self.size(call, x)?,
            Op::IsContiguous => Value::Bool(x.layout().is_some_and(|it| it.is_contiguous())),
            Op::Offset => Value::Int(self.require_layout(call, x)?.start() as i128),
            Op::Strides => {
                let layout = self.require_layout(call, x)?;
                Value::numbers(&layout.byte_strides(x.dtype.size()).at(&span)?)
            }
            Op::Stride => {
                let strides = self.require_layout(call, x)?.strides();
                match call.args.int(super::args::AXIS)? {
                    Some((axis, at)) => {
                        let k = x.shape_layout(&at)?.resolve_axis(axis).at(&at)?;
                        Value::Int(strides[k] as i128)
                    }
                    None => Value::numbers(&strides),
                }
            }
            Op::Item => self.item(x, &span)?,
            Op::SharesMemory => {
                let (other, _) = call.args.array(&["b", "other"])?;
                match tensors_overlap(x, &other, &mut self.overlap_budget) {
                    Answer::Yes => Value::Bool(true),
                    Answer::No => Value::Bool(false),
                    Answer::TooHard => {
                        return Err(EvalError::new(
                            "the search for a common element reached its limit: whether they overlap is undecided",
                            &span,
                        ));
                    }
                }
            }
            _ => {
                let message = format!("`{}` is not an attribute of a tensor", call.spelling.name);
                return Err(EvalError::new(message, &span));
            }
        })
    }

    /// `x.size` and `numel()` are the number of elements; `x.size()` is the shape, as in PyTorch.
    fn size(&mut self, call: &mut Call, x: &Array) -> EvalResult<Value> {
        let is_shape = call.spelling.name == "size" && call.is_method;
        if let Some((axis, at)) = call.args.int(super::args::AXIS)? {
            let k = x.shape_layout(&at)?.resolve_axis(axis).at(&at)?;
            return Ok(Value::Int(x.shape()[k] as i128));
        }
        Ok(if is_shape { Value::lengths(x.shape()) } else { Value::Int(x.chain.len() as i128) })
    }

    fn item(&self, x: &Array, span: &Span) -> EvalResult<Value> {
        if x.chain.len() != 1 {
            let message =
                format!("item() needs a tensor with one element, got shape {:?}", x.shape());
            return Err(EvalError::new(message, span));
        }
        match self.memories.snapshot(x).element(0) {
            Some(Scalar::Bool(value)) => Ok(Value::Bool(value)),
            Some(Scalar::Int(value)) => Ok(Value::Int(value)),
            Some(Scalar::Float(value)) => Ok(Value::Float(value)),
            Some(Scalar::Complex(re, im)) => Ok(Value::Complex(re, im)),
            None => Err(EvalError::new(
                "the value of this element is unknown: only tensors of at most 4096 elements are calculated",
                span,
            )),
        }
    }
}

/// Returns an entry of NumPy's `flags`.
pub(super) fn flag(x: &Array, name: &str, span: &Span) -> EvalResult<Value> {
    let layout = x.layout();
    let known = ["c_contiguous", "f_contiguous", "contiguous", "c", "f"];
    match name.to_ascii_lowercase().as_str() {
        "c_contiguous" | "contiguous" | "c" => {
            Ok(Value::Bool(layout.is_some_and(|it| it.is_contiguous())))
        }
        "f_contiguous" | "f" => Ok(Value::Bool(layout.is_some_and(|it| it.is_col_major()))),
        other => {
            Err(EvalError::new(format!("unknown flag `{name}`"), span)
                .suggest(closest(other, known)))
        }
    }
}

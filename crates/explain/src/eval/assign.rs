//! Assignment through an index, `x[…] = …`.

use super::dialect::bytes;
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::memory::cast_scalars;
use super::value::{Array, Value};
use super::{OpResult, Session};
use crate::step::{Scalar, Values};
use crate::tree::{Expr, Node, Trailer, TrailerKind};
use belvedere_layout::{Answer, Layout};

impl Session<'_> {
    pub(super) fn write(&mut self, target: &Expr, value: &Expr) -> EvalResult<()> {
        let Node::Postfix(base, trailers) = &target.node else {
            return Err(EvalError::new("cannot assign to this expression", &target.span));
        };
        let Some((Trailer { kind: TrailerKind::Index(entries), span }, before)) =
            trailers.split_last()
        else {
            return Err(EvalError::new("cannot assign to this expression", &target.span));
        };
        let value_span = &value.span;
        let value = self.value(value)?;
        let whole = match before {
            [] => self.value(base)?,
            _ => {
                let node = Node::Postfix(base.clone(), before.to_vec());
                self.value(&Expr { node, span: base.span.start..span.start })?
            }
        };
        let Value::Array(x) = whole else {
            return Err(super::args::wrong_type("a tensor", &whole, &base.span));
        };
        let mut context = self.context("setitem", target.span.start..value_span.end, &target.span);
        context.inputs.push(x.step);
        if let Value::Array(source) = &value {
            context.inputs.push(source.step);
        }
        let index = self.entries(entries, span)?;
        let made = super::index::sliced(&x, &index, span)
            .and_then(|made| self.written(&x, made, &value, (span, value_span)));
        let made = made.map_err(|error| error.in_call(&context))?;
        let pushed = self.push(&context, None, OpResult { fact: None, ..made });
        pushed.map(|_| ()).map_err(|error| error.in_call(&context))
    }

    /// Checks that the selected view can be written, and changes the memory.
    fn written(
        &mut self,
        x: &Array,
        made: OpResult,
        value: &Value,
        (span, value_span): (&Span, &Span),
    ) -> EvalResult<OpResult> {
        let Some(layout) = made.chain.as_layout() else {
            return Err(EvalError::new("a lens is read-only", span).help(format!(
                "call `contiguous()` first: it copies {}, and the copy can be written",
                bytes(x.n_bytes())
            )));
        };
        match layout.injective() {
            Answer::Yes => {}
            Answer::No => {
                let message = "cannot write to this view: several indices refer to one element";
                return Err(EvalError::new(message, span).help("call copy() first"));
            }
            Answer::TooHard => {
                let message = "cannot write to this view: whether several indices refer to one element was not decided";
                return Err(EvalError::new(message, span).help("call copy() first"));
            }
        }
        let values = self.source(value, &layout, value_span)?;
        self.change(x, &layout, values, value_span)?;
        Ok(made)
    }

    /// Returns the elements to write in row-major order, read before anything is written; `None` if they are
    /// unknown or more than `MAX_LISTED`.
    fn source(&self, value: &Value, to: &Layout, span: &Span) -> EvalResult<Option<Vec<Scalar>>> {
        match value {
            Value::Array(source) => {
                let chain = source.chain.broadcast_to(to.shape()).at(span)?;
                Ok(self.memories.elements(&Array { chain, ..source.clone() }))
            }
            number => {
                let (scalar, _) = super::create::number(number, span)?;
                let is_small = to.len() <= super::memory::MAX_LISTED;
                Ok(is_small.then(|| vec![scalar; to.len()]))
            }
        }
    }

    fn change(
        &mut self,
        x: &Array,
        layout: &Layout,
        values: Option<Vec<Scalar>>,
        span: &Span,
    ) -> EvalResult<()> {
        let memory = self.memories.get_mut(x.memory);
        let listed = memory.listed().filter(|_| memory.dtype == x.dtype);
        memory.values = match (listed, values) {
            (Some(mut listed), Some(values)) => {
                let values = cast_scalars(&values, x.dtype, span)?;
                for (offset, value) in layout.offsets().zip(values) {
                    if let Some(place) = listed.get_mut(offset) {
                        *place = value;
                    }
                }
                Values::List(listed.into())
            }
            _ => Values::Unknown,
        };
        Ok(())
    }
}

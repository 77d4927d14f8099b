//! `Call`: the dispatch of a call to its operation, and the recording of its step.

use super::args::Args;
use super::error::{Context, EvalError, EvalResult};
use super::names::{Op, Spelling};
use super::value::{Array, Module, Value};
use super::{OpResult, Session};
use belvedere_layout::Layout;

/// A call with its arguments.
pub(super) struct Call {
    pub spelling: &'static Spelling,
    /// The library that qualifies the name.
    pub module: Module,
    /// Whether it is a method call, `x.name(…)`.
    pub is_method: bool,
    pub context: Context,
    pub args: Args,
}

/// The result of a call.
pub(super) enum Outcome {
    Tensor(Box<OpResult>),
    Plain(Value),
}

impl From<OpResult> for Outcome {
    fn from(made: OpResult) -> Outcome {
        Outcome::Tensor(Box::new(made))
    }
}

impl From<Value> for Outcome {
    fn from(value: Value) -> Outcome {
        Outcome::Plain(value)
    }
}

impl Session<'_> {
    /// Executes a call and records the step.
    pub(super) fn call(&mut self, mut call: Call, array: Option<Array>) -> EvalResult<Value> {
        let outcome = match array {
            Some(array) => self.apply(&mut call, &array),
            None => self.create(&mut call),
        };
        let outcome = outcome.and_then(|it| call.args.finish().map(|()| it));
        let recorded = match outcome {
            Ok(Outcome::Plain(value)) => return Ok(value),
            Ok(Outcome::Tensor(made)) => self.push(&call.context, Some(call.spelling), *made),
            Err(error) => Err(error),
        };
        recorded.map(Value::Array).map_err(|error| error.in_call(&call.context))
    }

    fn apply(&mut self, call: &mut Call, x: &Array) -> EvalResult<Outcome> {
        use Op::{
            AsStrided, AsType, Bitcast, BroadcastLike, BroadcastTo, Chunk, ColMajor, Contiguous,
            Copy, Diagonal, EqualParts, Flatten, Flip, FlipColumns, FlipRows, Imag, Lens, Like,
            Matmul, MatrixTranspose, MoveAxis, Narrow, Pad, Permute, Ravel, Real, Rearrange,
            Repeat, Reshape, ReshapeLike, ReverseAxes, Rot90, Select, SlidingWindow, Split,
            Squeeze, SwapAxes, Tile, Transpose, Unbind, Unflatten, Unfold, Unsqueeze, View,
            ViewAsReal, ViewLike,
        };
        Ok(match call.spelling.op {
            Flip | FlipColumns | FlipRows => self.flip(call, x)?.into(),
            MatrixTranspose | ReverseAxes => self.reverse_axes(call, x)?.into(),
            MoveAxis => self.move_axis(call, x)?.into(),
            Permute => self.permute(call, x)?.into(),
            Rot90 => self.rot90(call, x)?.into(),
            SwapAxes => self.swap_axes(call, x)?.into(),
            Transpose => self.transpose(call, x)?.into(),
            Reshape | View => self.reshape(call, x)?.into(),
            ReshapeLike | ViewLike | BroadcastLike => self.shape_of_other(call, x)?.into(),
            Flatten | Ravel => self.flatten(call, x)?.into(),
            Unflatten => self.unflatten(call, x)?.into(),
            Squeeze => self.squeeze(call, x)?.into(),
            Unsqueeze => self.unsqueeze(call, x)?.into(),
            BroadcastTo => self.broadcast_to(call, x)?.into(),
            Rearrange => self.rearrange(call, x)?.into(),
            Bitcast => self.bitcast(call, x)?.into(),
            Real | Imag | ViewAsReal => self.real_or_imag(call, x)?.into(),
            AsStrided => self.as_strided(call, x)?.into(),
            Diagonal => self.diagonal(call, x)?.into(),
            Unfold => self.unfold(call, x)?.into(),
            SlidingWindow => self.sliding_window(call, x)?.into(),
            Narrow => self.narrow(call, x)?.into(),
            Select => self.select(call, x)?.into(),
            Op::Merge | Op::SplitAxis => self.merge_or_split_axis(call, x)?.into(),
            Op::Stepped => self.stepped(call, x)?.into(),
            Split | Op::SplitAt | Chunk | EqualParts | Unbind => self.split(call, x)?.into(),
            AsType => self.astype(call, x)?.into(),
            Copy => self.copy(call, x)?.into(),
            Contiguous => self.contiguous(call, x)?.into(),
            ColMajor => self.col_major(call, x)?.into(),
            Lens => self.lens(call, x).into(),
            Pad => self.pad(call, x)?.into(),
            Tile => self.tile(call, x)?.into(),
            Repeat => self.repeat(call, x)?.into(),
            Like => self.like(call, x)?.into(),
            Op::Unary(_) | Op::Binary(_) | Matmul => self.calculate(call, x)?.into(),
            Op::Reduction(_) => self.reduce(call, x)?.into(),
            _ => self.query(call, x)?.into(),
        })
    }

    /// Returns the strided layout of a tensor, or an error for a lens.
    pub(super) fn require_layout(&self, call: &Call, x: &Array) -> EvalResult<Layout> {
        x.layout().ok_or_else(|| {
            let message = format!("`{}` needs a strided tensor, got a lens", call.spelling.name);
            let bytes = super::dialect::bytes(x.n_bytes());
            EvalError::new(message, &call.context.span)
                .help(format!("call `contiguous()` first: it copies {bytes}"))
        })
    }
}

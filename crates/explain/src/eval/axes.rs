//! Permutations, flips, squeeze and unsqueeze: always views.

use super::args::{AXES, AXIS};
use super::call::Call;
use super::dialect::Fact;
use super::error::{AtSpan, EvalError, EvalResult};
use super::names::Op;
use super::value::Array;
use super::{OpResult, Session};

impl Session<'_> {
    /// `flip(axes)`; all axes by default.
    pub(super) fn flip(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let given = match call.spelling.op {
            Op::FlipRows => Some((vec![0], call.context.span.clone())),
            Op::FlipColumns => Some((vec![1], call.context.span.clone())),
            _ => call.args.all(AXES)?,
        };
        let all = || ((0..x.rank() as isize).collect(), call.args.span.clone());
        let (axes, span): (Vec<isize>, _) = given.unwrap_or_else(all);
        Ok(OpResult::view(x, x.chain.flip(&axes).at(&span)?))
    }

    /// `T`, `t()`, `mT`
    pub(super) fn reverse_axes(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let span = &call.context.span;
        if call.spelling.op == Op::MatrixTranspose {
            x.shape_layout(span)?.mt().at(span)?;
            return Ok(OpResult::view(x, x.chain.transpose(-2, -1).at(span)?));
        }
        if call.spelling.name == "t" {
            x.shape_layout(span)?.t().at(span)?;
        }
        let order: Vec<isize> = (0..x.rank() as isize).rev().collect();
        Ok(OpResult::view(x, x.chain.permute(&order).at(span)?))
    }

    /// `permute(order)`
    pub(super) fn permute(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (order, span) = call.args.need_all(AXES)?;
        Ok(OpResult::view(x, x.chain.permute(&order).at(&span)?))
    }

    /// `transpose()` reverses, `transpose(i, j)` swaps as in PyTorch, `transpose(order)` permutes as in NumPy.
    pub(super) fn transpose(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let is_pair = matches!(call.args.peek(), Some(super::value::Value::Int(_)));
        if let Some((a, span)) = call.args.named(&["dim0", "axis0"]).map(|it| (it.value, it.span)) {
            let a = super::args::int(&a, &span)?;
            let (b, end) = call.args.need_int(&["dim1", "axis1"])?;
            let chain = x.chain.transpose(a, b).at(&(span.start..end.end))?;
            return Ok(OpResult::view(x, chain).fact(Fact::TransposeArguments { n: 2 }));
        }
        let Some((order, span)) = call.args.all(AXES)? else {
            let reversed: Vec<isize> = (0..x.rank() as isize).rev().collect();
            let chain = x.chain.permute(&reversed).at(&call.args.span)?;
            return Ok(OpResult::view(x, chain).fact(Fact::TransposeArguments { n: 0 }));
        };
        let fact = Fact::TransposeArguments { n: if is_pair { order.len() } else { 0 } };
        let chain = match (is_pair, &order[..]) {
            (true, &[a, b]) => x.chain.transpose(a, b).at(&span)?,
            _ => x.chain.permute(&order).at(&span)?,
        };
        Ok(OpResult::view(x, chain).fact(fact))
    }

    /// `swapaxes(i, j)`
    pub(super) fn swap_axes(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (a, from) = call.args.need_int(&["axis1", "axis0", "dim0"])?;
        let (b, to) = call.args.need_int(&["axis2", "axis1", "dim1"])?;
        Ok(OpResult::view(
            x,
            x.chain.transpose(a, b).at(&(from.start.min(to.start)..from.end.max(to.end)))?,
        ))
    }

    /// `moveaxis(source, destination)`, for one axis or several.
    pub(super) fn move_axis(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (from, from_span) = call.args.need_list(&["source"])?;
        let (to, to_span) = call.args.need_list(&["destination"])?;
        if from.len() != to.len() {
            let message = format!(
                "moveaxis needs as many destinations as sources, got {} sources and {} destinations",
                from.len(),
                to.len()
            );
            return Err(EvalError::new(message, &(from_span.start..to_span.end)));
        }
        let layout_of_shape = x.shape_layout(&call.args.span)?;
        let resolve = |axes: &[isize], span| {
            let mut resolved = Vec::new();
            for &axis in axes {
                let k = layout_of_shape.resolve_axis(axis).at(span)?;
                if resolved.contains(&k) {
                    return Err(EvalError::new(format!("axis {k} is repeated"), span));
                }
                resolved.push(k);
            }
            Ok(resolved)
        };
        let (from, to) = (resolve(&from, &from_span)?, resolve(&to, &to_span)?);
        let mut order: Vec<usize> = (0..x.rank()).filter(|k| !from.contains(k)).collect();
        let mut places: Vec<(usize, usize)> = to.into_iter().zip(from).collect();
        places.sort_unstable();
        for (place, k) in places {
            order.insert(place, k);
        }
        let order: Vec<isize> = order.into_iter().map(|k| k as isize).collect();
        Ok(OpResult::view(x, x.chain.permute(&order).at(&call.args.span)?))
    }

    /// `rot90(k, axes)`: rotates by 90° `k` times, from the first of two axes towards the second.
    pub(super) fn rot90(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let turns = call.args.int(&["k"])?.map_or(1, |it| it.0);
        let whole = call.context.span.clone();
        let (axes, span) = call.args.list(&["axes", "dims"])?.unwrap_or((vec![0, 1], whole));
        let &[a, b] = &axes[..] else {
            return Err(EvalError::new("rot90 needs exactly two axes", &span));
        };
        let layout_of_shape = x.shape_layout(&span)?;
        let (first, second) = (
            layout_of_shape.resolve_axis(a).at(&span)?,
            layout_of_shape.resolve_axis(b).at(&span)?,
        );
        if first == second {
            return Err(EvalError::new(format!("axis {first} is repeated"), &span));
        }
        let turned = match turns.rem_euclid(4) {
            0 => Ok(x.chain.clone()),
            1 => x.chain.flip(&[b]).and_then(|it| it.transpose(a, b)),
            2 => x.chain.flip(&[a, b]),
            _ => x.chain.transpose(a, b).and_then(|it| it.flip(&[b])),
        };
        Ok(OpResult::view(x, turned.at(&span)?))
    }

    /// `squeeze()`, `squeeze(axes)`
    pub(super) fn squeeze(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let Some((axes, span)) = call.args.all(AXES)? else {
            let is_unit = |&k: &isize| x.shape()[k as usize] == 1;
            let axes: Vec<isize> = (0..x.rank() as isize).filter(is_unit).collect();
            return Ok(OpResult::view(x, x.chain.squeeze(&axes).at(&call.args.span)?));
        };
        let squeezed = x.chain.squeeze(&axes).at(&span);
        let layout_of_shape = x.shape_layout(&span)?;
        let left = |k: &usize| {
            let is_named =
                axes.iter().any(|&axis| layout_of_shape.resolve_axis(axis).ok() == Some(*k));
            x.shape()[*k] != 1 || !is_named
        };
        let kept: Vec<usize> = (0..x.rank()).filter(left).map(|k| x.shape()[k]).collect();
        let exist = axes.iter().all(|&axis| layout_of_shape.resolve_axis(axis).is_ok());
        match squeezed {
            Ok(chain) => Ok(OpResult::view(x, chain)),
            Err(error) if exist => Err(error.with_fact(Fact::LongAxis { shape: kept })),
            Err(error) => Err(error),
        }
    }

    /// `unsqueeze(axis)`, or several axes as in `expand_dims`.
    pub(super) fn unsqueeze(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axes, span) = call.args.need_list(AXIS)?;
        let rank = (x.rank() + axes.len()) as isize;
        let mut places = Vec::new();
        for &axis in &axes {
            let place = if axis < 0 { axis.saturating_add(rank) } else { axis };
            if place < 0 || place >= rank || places.contains(&place) {
                let message = format!(
                    "new axis {axis} is repeated or out of range for a result of {rank} axes"
                );
                return Err(EvalError::new(message, &span));
            }
            places.push(place);
        }
        places.sort_unstable();
        let mut chain = x.chain.clone();
        for place in places {
            chain = chain.unsqueeze(place).at(&span)?;
        }
        let made = OpResult::view(x, chain);
        Ok(if axes.len() == 1 { made } else { made.fact(Fact::SeveralAxes) })
    }
}

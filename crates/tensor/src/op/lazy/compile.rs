//! Compiles an expression graph to a program.
//!
//! The graph is visited once in topological order. Subexpressions that are not part of the fused pass (of a
//! smaller shape, or beyond the number of tensors that one pass reads) are evaluated first and are
//! operands of the pass; every other node becomes a step of the program.

use super::super::elementwise::{compute_into_with, compute_with};
use super::super::number::{Typed, WeakScalar, promoted_type};
use super::super::operand::{Operand, Target};
use super::{Lazy, Node, Operation};
use crate::kernel::cast::cast;
use crate::kernel::program::{AnyBody, Program, ProgramValue};
use crate::trace::{Call, composite, composite_into};
use crate::{Error, Shape, Tensor};
use belvedere_layout::broadcast_shapes;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The most tensors that one fused pass reads.
const MAX_OPERANDS: usize = 4;

/// The identity of a node: its address.
type NodeId = usize;

/// Returns the identity of the node of an expression.
fn node_id(it: &Lazy<'_>) -> NodeId {
    Arc::as_ptr(&it.0).addr()
}

/// Evaluates an expression into a new tensor.
pub(super) fn eval(root: &Lazy<'_>, call: Call<'_>) -> Result<Tensor, Error> {
    let mut pass = FusedPass::new(root, call)?;
    match pass.expression_operands.take() {
        None => pass.run(call),
        Some(inputs) => composite(call, &inputs, || pass.run(call)),
    }
}

/// Evaluates an expression and writes it to `out`.
pub(super) fn eval_into(root: &Lazy<'_>, out: Target<'_>, call: Call<'_>) -> Result<(), Error> {
    let mut pass = FusedPass::new(root, call)?;
    match pass.expression_operands.take() {
        None => pass.run_into(call, out),
        Some(inputs) => composite_into(call, &inputs, out, |out| pass.run_into(call, out)),
    }
}

/// A fused pass over memory: the program, its operands and the shape of its result.
struct FusedPass<'a> {
    program: Program,
    operands: Vec<Operand<'a>>,
    /// The operands of the whole expression, if parts of it were evaluated first.
    expression_operands: Option<Vec<Operand<'a>>>,
    shape: Shape,
}

/// The value of a node in the program: a register, or a scalar that has no dtype yet.
#[derive(Clone, Copy)]
enum NodeValue {
    Value(ProgramValue),
    Number(WeakScalar),
}

impl<'a> FusedPass<'a> {
    fn new(root: &Lazy<'a>, call: Call<'_>) -> Result<FusedPass<'a>, Error> {
        let order = topological_order(root);
        let shapes = shapes_of(&order)?;
        let shape = shapes[&node_id(root)].clone();
        let mut computed = compute_smaller_parts(&order, &shapes, &shape, call)?;
        split_operands(root, &order, &mut computed, call)?;
        let expression_operands = (!computed.is_empty()).then(|| operands_of(&order));
        let nodes = nodes_of_pass(root, &computed);
        let order: Vec<_> = order.into_iter().filter(|it| nodes.contains(&node_id(it))).collect();

        let mut operands = Vec::new();
        let mut known = HashMap::new();
        for it in &order {
            if let Some(operand) = operand_of(it, &computed) {
                known.insert(
                    node_id(it),
                    match operand.typed() {
                        Typed::Number(number) => NodeValue::Number(number),
                        Typed::DType(_) => {
                            operands.push(operand.clone());
                            NodeValue::Value(ProgramValue::Input(operands.len() - 1))
                        }
                    },
                );
            }
        }
        let types = operands.iter().filter_map(|it| it.dtype()).collect();
        let mut program = Program::new(types);
        for it in order {
            if let Node::Call { operation, operands } = &*it.0
                && !known.contains_key(&node_id(it))
            {
                let given: Vec<_> = operands.iter().map(|it| known[&node_id(it)]).collect();
                let value = push_step(&mut program, *operation, &given)?;
                known.insert(node_id(it), NodeValue::Value(value));
            }
        }
        if program.is_empty() {
            push_copy(&mut program, known[&node_id(root)])?;
        }
        Ok(FusedPass { program, operands, expression_operands, shape })
    }

    /// Runs the program into a new tensor.
    fn run(&mut self, call: Call<'_>) -> Result<Tensor, Error> {
        match self.operands.len() {
            0 => self.compute::<0, 1>(call),
            1 => self.compute::<1, 2>(call),
            2 => self.compute::<2, 3>(call),
            3 => self.compute::<3, 4>(call),
            _ => self.compute::<MAX_OPERANDS, 5>(call),
        }
    }

    /// Runs the program and writes to `out`.
    fn run_into(&mut self, call: Call<'_>, out: Target<'_>) -> Result<(), Error> {
        match self.operands.len() {
            0 => self.compute_into::<0, 1>(call, out),
            1 => self.compute_into::<1, 2>(call, out),
            2 => self.compute_into::<2, 3>(call, out),
            3 => self.compute_into::<3, 4>(call, out),
            _ => self.compute_into::<MAX_OPERANDS, 5>(call, out),
        }
    }

    fn compute<const M: usize, const N: usize>(&mut self, call: Call<'_>) -> Result<Tensor, Error> {
        let mut operands = self.take_operands::<M>();
        let body = self.program.body::<N>(n_elements(&self.shape))?;
        compute_with(&body, &self.shape, call, &mut operands)
    }

    fn compute_into<const M: usize, const N: usize>(
        &mut self,
        call: Call<'_>,
        out: Target<'_>,
    ) -> Result<(), Error> {
        let mut operands = self.take_operands::<M>();
        let body = self.program.body::<N>(n_elements(&self.shape))?;
        compute_into_with(&body, &self.shape, call, &mut operands, out)
    }

    /// Moves the operands out as an array.
    fn take_operands<const M: usize>(&mut self) -> [Operand<'a>; M] {
        let operands = std::mem::take(&mut self.operands).try_into();
        operands.unwrap_or_else(|_| unreachable!("a pass has at most MAX_OPERANDS operands"))
    }
}

/// Returns the number of elements of a shape, which may be too large for a result.
fn n_elements(shape: &Shape) -> usize {
    shape.iter().fold(1, |len: usize, &it| len.saturating_mul(it))
}

/// Returns all subexpressions in topological order: operands first, each once.
fn topological_order<'e, 'a>(root: &'e Lazy<'a>) -> Vec<&'e Lazy<'a>> {
    let (mut order, mut seen) = (Vec::new(), HashSet::new());
    // A stack of nodes, and whether their operands have been visited.
    let mut stack = vec![(root, false)];
    while let Some((it, is_ready)) = stack.pop() {
        if is_ready {
            order.push(it);
        } else if seen.insert(node_id(it)) {
            stack.push((it, true));
            if let Node::Call { operands, .. } = &*it.0 {
                stack.extend(operands.iter().rev().map(|it| (it, false)));
            }
        }
    }
    order
}

/// Returns the operands among subexpressions that are not scalars.
fn operands_of<'a>(order: &[&Lazy<'a>]) -> Vec<Operand<'a>> {
    let operands = order.iter().filter_map(|it| match &*it.0 {
        Node::Operand(operand) => Some(operand),
        Node::Call { .. } => None,
    });
    operands.filter(|it| it.dtype().is_some()).cloned().collect()
}

/// Returns the shape of each subexpression.
fn shapes_of(order: &[&Lazy<'_>]) -> Result<HashMap<NodeId, Shape>, Error> {
    let mut shapes: HashMap<NodeId, Shape> = HashMap::new();
    for it in order {
        let shape = match &*it.0 {
            Node::Operand(operand) => operand.shape(),
            Node::Call { operands, .. } => {
                let of: Vec<&[usize]> =
                    operands.iter().map(|it| &shapes[&node_id(it)][..]).collect();
                broadcast_shapes(&of)?
            }
        };
        shapes.insert(node_id(it), shape);
    }
    Ok(shapes)
}

/// Evaluates the subexpressions of another shape than the whole, which are broadcast to it.
fn compute_smaller_parts<'a>(
    order: &[&Lazy<'a>],
    shapes: &HashMap<NodeId, Shape>,
    shape: &Shape,
    call: Call<'_>,
) -> Result<HashMap<NodeId, Operand<'a>>, Error> {
    let mut computed = HashMap::new();
    for it in order.iter().filter(|it| shapes[&node_id(it)] == *shape) {
        let Node::Call { operands, .. } = &*it.0 else { continue };
        for part in operands.iter().filter(|it| shapes[&node_id(it)] != *shape) {
            if matches!(&*part.0, Node::Call { .. }) && !computed.contains_key(&node_id(part)) {
                computed.insert(node_id(part), eval(part, call.part())?.into());
            }
        }
    }
    Ok(computed)
}

/// Evaluates subexpressions until the rest reads at most [`MAX_OPERANDS`] tensors.
fn split_operands<'a>(
    root: &Lazy<'a>,
    order: &[&Lazy<'a>],
    computed: &mut HashMap<NodeId, Operand<'a>>,
    call: Call<'_>,
) -> Result<(), Error> {
    loop {
        let read = tensors_read(order, computed);
        if read[&node_id(root)].len() <= MAX_OPERANDS {
            return Ok(());
        }
        let is_part =
            |it: &&&Lazy<'_>| operand_of(it, computed).is_none() && !Arc::ptr_eq(&it.0, &root.0);
        let parts =
            order.iter().filter(is_part).filter(|it| read[&node_id(it)].len() <= MAX_OPERANDS);
        let largest = parts.max_by_key(|it| read[&node_id(it)].len());
        let largest = largest.expect(
            "a smallest part that reads too many tensors has an operand that reads at least two",
        );
        computed.insert(node_id(largest), eval(largest, call.part())?.into());
    }
}

/// Returns the tensors that each subexpression reads; lists stop at one more than [`MAX_OPERANDS`].
fn tensors_read(
    order: &[&Lazy<'_>],
    computed: &HashMap<NodeId, Operand<'_>>,
) -> HashMap<NodeId, Vec<NodeId>> {
    let mut read: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for it in order {
        let mut tensors = Vec::new();
        match (operand_of(it, computed), &*it.0) {
            (Some(operand), _) => {
                if matches!(operand.typed(), Typed::DType(_)) {
                    tensors.push(node_id(it));
                }
            }
            (None, Node::Call { operands, .. }) => {
                for tensor in operands.iter().flat_map(|it| &read[&node_id(it)]) {
                    if !tensors.contains(tensor) && tensors.len() <= MAX_OPERANDS {
                        tensors.push(*tensor);
                    }
                }
            }
            (None, Node::Operand(_)) => unreachable!("operand nodes are operands"),
        }
        read.insert(node_id(it), tensors);
    }
    read
}

/// Returns the subexpressions of the pass: those not only used by already evaluated ones.
fn nodes_of_pass(root: &Lazy<'_>, computed: &HashMap<NodeId, Operand<'_>>) -> HashSet<NodeId> {
    let mut nodes = HashSet::new();
    let mut pending = vec![root];
    while let Some(it) = pending.pop() {
        if !nodes.insert(node_id(it)) || computed.contains_key(&node_id(it)) {
            continue;
        }
        if let Node::Call { operands, .. } = &*it.0 {
            pending.extend(operands);
        }
    }
    nodes
}

/// Returns the operand that a subexpression is or was evaluated to.
fn operand_of<'o, 'a>(
    it: &'o Lazy<'a>,
    computed: &'o HashMap<NodeId, Operand<'a>>,
) -> Option<&'o Operand<'a>> {
    computed.get(&node_id(it)).or(match &*it.0 {
        Node::Operand(operand) => Some(operand),
        Node::Call { .. } => None,
    })
}

/// Appends the call of `operation` to the program.
fn push_step(
    program: &mut Program,
    operation: Operation,
    operands: &[NodeValue],
) -> Result<ProgramValue, Error> {
    let typed: Vec<Typed> = operands
        .iter()
        .map(|it| match it {
            NodeValue::Value(value) => Typed::DType(program.dtype(*value)),
            NodeValue::Number(number) => Typed::Number(*number),
        })
        .collect();
    let body = operation.body_for(&typed)?;
    let types = body.types();
    let mut values = Vec::with_capacity(operands.len());
    for (operand, dtype) in operands.iter().zip(&types[1..]) {
        values.push(match operand {
            NodeValue::Value(value) => *value,
            NodeValue::Number(number) => program.constant(number.cell(*dtype)?),
        });
    }
    Ok(program.call(body, &values))
}

/// Appends a copy, for an expression that is a single operand.
fn push_copy(program: &mut Program, root: NodeValue) -> Result<(), Error> {
    let value = match root {
        NodeValue::Value(value) => value,
        NodeValue::Number(number) => {
            let dtype = promoted_type([Typed::Number(number)].into_iter())
                .expect("a scalar has a default dtype");
            program.constant(number.cell(dtype)?)
        }
    };
    let dtype = program.dtype(value);
    program.call(AnyBody::One(cast(dtype, dtype)), &[value]);
    Ok(())
}

impl Operation {
    /// Returns the loop body for operands of these dtypes.
    fn body_for(self, operands: &[Typed]) -> Result<AnyBody, Error> {
        fn all<const M: usize>(operands: &[Typed]) -> &[Typed; M] {
            operands.try_into().expect("the arity of the operation")
        }
        Ok(match self {
            Operation::One(it) => AnyBody::One(it.body_for(all(operands))?),
            Operation::Two(it) => AnyBody::Two(it.body_for(all(operands))?),
            Operation::Three(it) => AnyBody::Three(it.body_for(all(operands))?),
            Operation::Four(it) => AnyBody::Four(it.body_for(all(operands))?),
        })
    }
}

//! From an expression to a program.
//!
//! The graph is walked once, operands before what is made of them. Parts that do not belong in the pass
//! (of a smaller shape, or beyond the number of tensors that one pass reads) are calculated first, and
//! are operands from then on; everything else becomes a step.

use super::super::elementwise::Prepared;
use super::super::number::{Scalar, Typed, meeting_type};
use super::super::operand::{Operand, Target};
use super::{Lazy, Node, Operation};
use crate::kernel::cast::cast;
use crate::kernel::program::{AnyBody, Program, Value};
use crate::view::Call;
use crate::{Error, Shape, Tensor};
use belvedere_layout::broadcast_shapes;
use std::collections::{HashMap, HashSet};
use std::panic::Location;
use std::sync::Arc;

/// The most tensors that one pass reads.
const MAX_OPERANDS: usize = 4;

/// Where an expression is in memory, which tells whether two are one.
type Key = usize;

fn key(it: &Lazy<'_>) -> Key {
    Arc::as_ptr(&it.0).addr()
}

/// Calculates an expression, as a new tensor.
pub(super) fn eval(root: &Lazy<'_>, caller: &'static Location<'static>) -> Result<Tensor, Error> {
    let call = Call { op: "eval", caller };
    let mut pass = Pass::new(root, caller)?;
    match pass.operands.len() {
        0 => pass.make::<0, 1>(call),
        1 => pass.make::<1, 2>(call),
        2 => pass.make::<2, 3>(call),
        3 => pass.make::<3, 4>(call),
        _ => pass.make::<MAX_OPERANDS, 5>(call),
    }
}

/// Calculates an expression and writes it to something that exists.
pub(super) fn eval_into(
    root: &Lazy<'_>,
    out: Target<'_>,
    caller: &'static Location<'static>,
) -> Result<(), Error> {
    let call = Call { op: "eval_into", caller };
    let mut pass = Pass::new(root, caller)?;
    match pass.operands.len() {
        0 => pass.write::<0, 1>(call, out),
        1 => pass.write::<1, 2>(call, out),
        2 => pass.write::<2, 3>(call, out),
        3 => pass.write::<3, 4>(call, out),
        _ => pass.write::<MAX_OPERANDS, 5>(call, out),
    }
}

/// What one pass over memory does.
struct Pass<'a> {
    program: Program,
    operands: Vec<Operand<'a>>,
    shape: Shape,
}

/// What is known of an expression while the program is written.
#[derive(Clone, Copy)]
enum Known {
    Value(Value),
    Number(Scalar),
}

impl<'a> Pass<'a> {
    fn new(root: &Lazy<'a>, caller: &'static Location<'static>) -> Result<Pass<'a>, Error> {
        let order = in_order(root);
        let shapes = shapes_of(&order)?;
        let shape = shapes[&key(root)].clone();
        let mut first = smaller_parts(&order, &shapes, &shape, caller)?;
        cut(root, &order, &mut first, caller)?;
        let needed = needed(root, &first);
        let order: Vec<_> = order.into_iter().filter(|it| needed.contains(&key(it))).collect();

        let mut operands = Vec::new();
        let mut known = HashMap::new();
        for it in &order {
            if let Some(operand) = operand_of(it, &first) {
                known.insert(
                    key(it),
                    match operand.typed() {
                        Typed::Number(number) => Known::Number(number),
                        Typed::DType(_) => {
                            operands.push(operand.clone());
                            Known::Value(Value::Input(operands.len() - 1))
                        }
                    },
                );
            }
        }
        let types = operands.iter().filter_map(|it| it.dtype()).collect();
        let mut program = Program::new(types);
        for it in order {
            if let Node::Call { operation, operands } = &*it.0
                && !known.contains_key(&key(it))
            {
                let given: Vec<_> = operands.iter().map(|it| known[&key(it)]).collect();
                let value = write_step(&mut program, *operation, &given)?;
                known.insert(key(it), Known::Value(value));
            }
        }
        if program.is_empty() {
            copy_root(&mut program, known[&key(root)])?;
        }
        Ok(Pass { program, operands, shape })
    }

    fn make<const M: usize, const N: usize>(&mut self, call: Call) -> Result<Tensor, Error> {
        let operands = self.take_operands::<M>();
        Prepared { body: self.program.body::<N>(), shape: self.shape.clone() }.make(call, &operands)
    }

    fn write<const M: usize, const N: usize>(
        &mut self,
        call: Call,
        out: Target<'_>,
    ) -> Result<(), Error> {
        let operands = self.take_operands::<M>();
        let prepared = Prepared { body: self.program.body::<N>(), shape: self.shape.clone() };
        prepared.write(call, &operands, out)
    }

    fn take_operands<const M: usize>(&mut self) -> [Operand<'a>; M] {
        let operands = std::mem::take(&mut self.operands).try_into();
        operands.unwrap_or_else(|_| unreachable!("a pass has at most as many as it can"))
    }
}

/// All expressions that an expression is made of, operands first, each once.
fn in_order<'e, 'a>(root: &'e Lazy<'a>) -> Vec<&'e Lazy<'a>> {
    let (mut order, mut seen) = (Vec::new(), HashSet::new());
    // Who waits, and whether its operands have been seen to.
    let mut waiting = vec![(root, false)];
    while let Some((it, is_ready)) = waiting.pop() {
        if is_ready {
            order.push(it);
        } else if seen.insert(key(it)) {
            waiting.push((it, true));
            if let Node::Call { operands, .. } = &*it.0 {
                waiting.extend(operands.iter().rev().map(|it| (it, false)));
            }
        }
    }
    order
}

/// The shape of each expression.
fn shapes_of(order: &[&Lazy<'_>]) -> Result<HashMap<Key, Shape>, Error> {
    let mut shapes: HashMap<Key, Shape> = HashMap::new();
    for it in order {
        let shape = match &*it.0 {
            Node::Operand(operand) => operand.shape(),
            Node::Call { operands, .. } => {
                let of: Vec<&[usize]> = operands.iter().map(|it| &shapes[&key(it)][..]).collect();
                broadcast_shapes(&of)?
            }
        };
        shapes.insert(key(it), shape);
    }
    Ok(shapes)
}

/// Calculates what has another shape than the whole and is broadcast to it.
fn smaller_parts<'a>(
    order: &[&Lazy<'a>],
    shapes: &HashMap<Key, Shape>,
    shape: &Shape,
    caller: &'static Location<'static>,
) -> Result<HashMap<Key, Operand<'a>>, Error> {
    let mut first = HashMap::new();
    for it in order.iter().filter(|it| shapes[&key(it)] == *shape) {
        let Node::Call { operands, .. } = &*it.0 else { continue };
        for part in operands.iter().filter(|it| shapes[&key(it)] != *shape) {
            if matches!(&*part.0, Node::Call { .. }) && !first.contains_key(&key(part)) {
                first.insert(key(part), eval(part, caller)?.into());
            }
        }
    }
    Ok(first)
}

/// Calculates parts until what is left reads no more tensors than a pass can.
fn cut<'a>(
    root: &Lazy<'a>,
    order: &[&Lazy<'a>],
    first: &mut HashMap<Key, Operand<'a>>,
    caller: &'static Location<'static>,
) -> Result<(), Error> {
    loop {
        let read = tensors_read(order, first);
        if read[&key(root)].len() <= MAX_OPERANDS {
            return Ok(());
        }
        let is_part =
            |it: &&&Lazy<'_>| operand_of(it, first).is_none() && !Arc::ptr_eq(&it.0, &root.0);
        let parts = order.iter().filter(is_part).filter(|it| read[&key(it)].len() <= MAX_OPERANDS);
        let largest = parts.max_by_key(|it| read[&key(it)].len());
        let largest = largest.expect("one operand of the least part that reads too many reads two");
        first.insert(key(largest), eval(largest, caller)?.into());
    }
}

/// The tensors that each expression reads; one more than a pass can stands for all that are more.
fn tensors_read(order: &[&Lazy<'_>], first: &HashMap<Key, Operand<'_>>) -> HashMap<Key, Vec<Key>> {
    let mut read: HashMap<Key, Vec<Key>> = HashMap::new();
    for it in order {
        let mut tensors = Vec::new();
        match (operand_of(it, first), &*it.0) {
            (Some(operand), _) => {
                if matches!(operand.typed(), Typed::DType(_)) {
                    tensors.push(key(it));
                }
            }
            (None, Node::Call { operands, .. }) => {
                for tensor in operands.iter().flat_map(|it| &read[&key(it)]) {
                    if !tensors.contains(tensor) && tensors.len() <= MAX_OPERANDS {
                        tensors.push(*tensor);
                    }
                }
            }
            (None, Node::Operand(_)) => unreachable!("an operand is one"),
        }
        read.insert(key(it), tensors);
    }
    read
}

/// The expressions that the pass is about: not those that only calculated parts are made of.
fn needed(root: &Lazy<'_>, first: &HashMap<Key, Operand<'_>>) -> HashSet<Key> {
    let mut needed = HashSet::new();
    let mut left = vec![root];
    while let Some(it) = left.pop() {
        if !needed.insert(key(it)) || first.contains_key(&key(it)) {
            continue;
        }
        if let Node::Call { operands, .. } = &*it.0 {
            left.extend(operands);
        }
    }
    needed
}

/// The operand that an expression is, or has become.
fn operand_of<'o, 'a>(
    it: &'o Lazy<'a>,
    first: &'o HashMap<Key, Operand<'a>>,
) -> Option<&'o Operand<'a>> {
    first.get(&key(it)).or(match &*it.0 {
        Node::Operand(operand) => Some(operand),
        Node::Call { .. } => None,
    })
}

fn write_step(
    program: &mut Program,
    operation: Operation,
    operands: &[Known],
) -> Result<Value, Error> {
    let typed: Vec<Typed> = operands
        .iter()
        .map(|it| match it {
            Known::Value(value) => Typed::DType(program.dtype(*value)),
            Known::Number(number) => Typed::Number(*number),
        })
        .collect();
    let body = operation.body_for(&typed)?;
    let types = body.types();
    let mut values = Vec::with_capacity(operands.len());
    for (operand, dtype) in operands.iter().zip(&types[1..]) {
        values.push(match operand {
            Known::Value(value) => *value,
            Known::Number(number) => program.constant(number.cell(*dtype)?),
        });
    }
    Ok(program.call(body, &values))
}

/// An expression that is an operand alone is copied.
fn copy_root(program: &mut Program, root: Known) -> Result<(), Error> {
    let value = match root {
        Known::Value(value) => value,
        Known::Number(number) => {
            let dtype = meeting_type([Typed::Number(number)].into_iter()).expect("a number is one");
            program.constant(number.cell(dtype)?)
        }
    };
    let dtype = program.dtype(value);
    program.call(AnyBody::One(cast(dtype, dtype)), &[value]);
    Ok(())
}

impl Operation {
    fn body_for(self, operands: &[Typed]) -> Result<AnyBody, Error> {
        fn all<const M: usize>(operands: &[Typed]) -> &[Typed; M] {
            operands.try_into().expect("as many operands as the operation has")
        }
        Ok(match self {
            Operation::One(it) => AnyBody::One(it.body_for(all(operands))?),
            Operation::Two(it) => AnyBody::Two(it.body_for(all(operands))?),
            Operation::Three(it) => AnyBody::Three(it.body_for(all(operands))?),
            Operation::Four(it) => AnyBody::Four(it.body_for(all(operands))?),
        })
    }
}

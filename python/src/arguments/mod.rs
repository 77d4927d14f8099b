//! Conversion of Python arguments to what the core takes.

mod arrays;
mod axes;
mod device;
pub(crate) mod index;
mod list;
mod number;
mod operand;
mod output;
mod shape;
mod simple_index;

pub(crate) use arrays::ArraysArgument;
pub(crate) use axes::AxesArgument;
pub(crate) use device::DeviceArgument;
pub(crate) use list::{List, collect, collect_exact, items, reserve, try_with_capacity};
pub(crate) use number::{Number, OneNumber};
pub(crate) use operand::{
    ArrayArgument, IndicesArgument, OperandArgument, compared_operand, compared_operator_operand,
    operator_operand,
};
pub(crate) use output::{Casting, Order, OutArgument, truth};
pub(crate) use shape::{Count, Diagonal, FEW, Integers, Numbers, ShapeArgument, read_few};

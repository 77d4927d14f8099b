//! Conversion of Python arguments to what the core takes.

mod arrays;
mod axes;
mod device;
pub mod index;
mod number;
mod operand;
mod shape;

pub use arrays::ArraysArgument;
pub use axes::AxesArgument;
pub use device::DeviceArgument;
pub use number::{Number, OneNumber};
pub use operand::{
    ArrayArgument, OperandArgument, compared_operand, compared_operator_operand, operator_operand,
};
pub use shape::{Count, Diagonal, FEW, Integers, Numbers, ShapeArgument, items, read_few};

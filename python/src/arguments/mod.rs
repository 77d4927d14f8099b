//! What Python programs hand over, as what `belvedere` takes.

mod arrays;
mod axes;
mod beside;
mod device;
pub mod index;
mod operand;
mod shape;

pub use arrays::ArraysArgument;
pub use axes::AxesArgument;
pub use beside::{Beside, BesideCompared};
pub use device::DeviceArgument;
pub use operand::{ArrayArgument, ComparedArgument, Given, Number, OneNumber, OperandArgument};
pub use shape::{Count, Diagonal, FEW, Integers, Numbers, ShapeArgument, items, read_few};

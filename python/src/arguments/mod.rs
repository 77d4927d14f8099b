//! What Python programs hand over, as what `belvedere` takes.

mod axes;
mod beside;
mod device;
mod operand;
mod shape;

pub use axes::AxesArgument;
pub use beside::Beside;
pub use device::DeviceArgument;
pub use operand::{ArrayArgument, Given, Number, OperandArgument};
pub use shape::{Count, Integers, ShapeArgument};

//! Building blocks of neural networks.

mod conv;
mod pool;
mod window;

pub use conv::{Conv, Padding, conv1d, conv2d};
pub use pool::{Pool, avg_pool1d, avg_pool2d, max_pool1d, max_pool2d};

//! Neural network operations: convolution, pooling, normalization, embeddings.

mod conv;
mod lookup;
mod norm;
mod pool;
mod window;

pub use conv::{Conv, Padding, conv1d, conv2d};
pub use lookup::*;
pub use norm::*;
pub use pool::{Pool, avg_pool1d, avg_pool2d, max_pool1d, max_pool2d};

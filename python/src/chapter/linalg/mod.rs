//! The namespace `linalg`.

mod factor;
mod norm;
mod simple;
mod systems;

pub(crate) use {factor::*, norm::*, simple::*, systems::*};

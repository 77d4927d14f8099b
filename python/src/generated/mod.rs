//! Functions and their registration, written by `cargo xtask gen` from the table in `operations/`.
//!
//! The functions have little code of their own: they call those of `chapter/`, which several of them share.

#[rustfmt::skip]
pub(crate) mod activation;
#[rustfmt::skip]
pub(crate) mod creation;
#[rustfmt::skip]
pub(crate) mod distribution;
#[rustfmt::skip]
pub(crate) mod elementwise;
#[rustfmt::skip]
pub(crate) mod fft;
#[rustfmt::skip]
pub(crate) mod joining;
#[rustfmt::skip]
pub(crate) mod linalg;
#[rustfmt::skip]
pub(crate) mod nn;
#[rustfmt::skip]
pub(crate) mod registration;
#[rustfmt::skip]
pub(crate) mod searching;
#[rustfmt::skip]
pub(crate) mod set;
#[rustfmt::skip]
pub(crate) mod statistical;
#[rustfmt::skip]
pub(crate) mod utility;

/// What the functions use.
mod imports {
    pub(super) use crate::arguments::{
        ArrayArgument, ArraysArgument, AxesArgument, Casting, Count, DeviceArgument, Diagonal,
        Integers, OperandArgument, Order, OutArgument, ShapeArgument, truth,
    };
    pub(super) use crate::array::{Array, ArrayObject};
    pub(super) use crate::attach::{run, run_detached};
    pub(super) use crate::chapter::creation::{create, create_like};
    pub(super) use crate::chapter::distribution::partitioned;
    pub(super) use crate::chapter::elementwise::{
        reciprocal, reciprocal_into, round_to, sinc, sinc_into, unary,
    };
    pub(super) use crate::chapter::fft::{transform, transform_many};
    pub(super) use crate::chapter::joining::views;
    pub(super) use crate::chapter::nn::{PaddingArgument, convolution, pool};
    pub(super) use crate::chapter::reduction::{
        Reduce, ReduceInto, Reduction, accumulate, accumulate_flat, reduce,
    };
    pub(super) use crate::chapter::set::combine;
    pub(super) use crate::chapter::statistical::{
        self, Deviation, Selection, reduce_deviation, reduce_mean, reduce_selected, reduce_total,
    };
    pub(super) use crate::chapter::ufunc::read_mask;
    pub(super) use crate::chapter::{compute, with_rows, work};
    pub(super) use crate::dtype::DTypeArgument;
    pub(super) use crate::ufunc::{Function, Ufunc};
    pub(super) use belvedere::{DType, Device};
    pub(super) use pyo3::prelude::*;
}

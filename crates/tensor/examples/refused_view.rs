//! When a reshape is a view, and otherwise which axes prevent it.
//!
//! `cargo run --example refused_view`

use belvedere::prelude::*;
use belvedere::{copies, explain_view};

pub(crate) fn main() -> Result<(), Error> {
    let z = Tensor::arange(0..12)?.reshape([3, 4])?;
    println!("z, strides {:?}:\n{z}\n", z.strides());
    println!("z.view([6, 2]), strides {:?}:\n{}\n", z.view([6, 2])?.strides(), z.view([6, 2])?);

    let turned = z.t()?;
    println!("its transpose, strides {:?}:\n{turned}\n", turned.strides());

    // One axis in two is always possible. Two axes in one are not, if memory jumps between them.
    let split = turned.view([2, 2, 3])?;
    println!("the transpose as 2 × 2 × 3 is a view, strides {:?}", split.strides());
    println!("the transpose as 6 × 2 is none:\n{}\n", turned.view([6, 2]).unwrap_err());
    println!("{}\n", explain_view(turned.layout(), [6, 2])?);

    // `reshape` copies if it has to. The copy is on the record.
    let (copied, events) = copies::record(|| turned.reshape([2, 6]));
    println!("turned.reshape([2, 6]):\n{}\nfor which: {}", copied?, events[0]);

    // Two tensors of the same shape, from the same memory, and they are not the same.
    println!("\nz.t() is not z.view([4, 3]):\n{}\n{}", z.t()?, z.view([4, 3])?);
    assert!(!z.t()?.equal(&z.view([4, 3])?)?.all(())?.item::<bool>()?);

    // The rule is exact: if strides exist it is a view, also for axes that were not adjacent.
    let gaps = Tensor::arange(0..48)?.reshape([4, 12])?.slice(s![.., ..;3])?;
    println!("\nevery third column of 4 × 12, flattened: strides {:?}", gaps.view([16])?.strides());
    Ok(())
}

//! View operations change the layout only; operations that copy are recorded.
//!
//! `cargo run --example movement`

use belvedere::copies;
use belvedere::prelude::*;

pub(crate) fn main() -> Result<(), Error> {
    let x = Tensor::arange(0..24)?.reshape([2, 3, 4])?;
    let column = tensor![[1], [2], [3]];
    println!("{:<28} {:<14} {:<16} {:>6}  contiguous", "", "shape", "strides", "offset");
    show("arange(24), 2 × 3 × 4", &x);
    show("reshape to 6 × 4", &x.reshape([6, 4])?);
    show("axes in the order 2, 0, 1", &x.permute_dims([2, 0, 1])?);
    show("[:, ::2, 1:]", &x.slice(s![.., ..;2, 1..])?);
    show("flipped along the last axis", &x.flip([2])?);
    show("a column, four times", &column.broadcast_to([3, 4])?);
    show("column-major zeros", &Tensor::zeros_col_major([3, 4], DType::Int32)?);

    // A chain of movements is as good as its result: this one is a view again.
    let there = x.reshape([6, 4])?.t()?.flip([0])?;
    let back = there.flip([0])?.t()?.reshape([2, 3, 4])?;
    println!("\nthere and back again: the same memory, the same layout: {}", {
        back.storage().is_same(x.storage()) && back.layout() == x.layout()
    });

    // The log has each copy with its reason and size.
    let (result, events) = copies::record(|| {
        let turned = x.reshape([6, 4])?.t()?; // two views
        turned.reshape([2, 2, 6])?; // a view: only one axis is split
        turned.reshape([24]) // the rows of the transpose are not contiguous
    });
    println!("\nthree movements, {} copy:", events.len());
    events.iter().for_each(|event| println!("  {event}"));
    assert_eq!(result?.get::<i32>(&[1])?, 4);

    // A lens strings the same movements together without it.
    let flat = x.reshape([6, 4])?.t()?.lens().reshape([24])?;
    let total = copies::forbid(|| flat.slice(s![..;5])?.sum(()))?;
    println!("every fifth element of the flat transpose, through a lens: {}", total.item::<i64>()?);
    Ok(())
}

fn show(what: &str, x: &Tensor) {
    let (shape, strides) = (format!("{:?}", x.shape()), format!("{:?}", x.strides()));
    println!("{what:<28} {shape:<14} {strides:<16} {:>6}  {}", x.offset(), x.is_contiguous());
}

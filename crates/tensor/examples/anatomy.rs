//! The parts of a tensor: storage, start, and a length and a stride for each axis.
//!
//! `cargo run --example anatomy`

use belvedere::prelude::*;

pub(crate) fn main() -> Result<(), Error> {
    let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    println!("{x}\nshape {:?}, strides {:?}, offset {}", x.shape(), x.strides(), x.offset());

    // An index is an offset: the start, and each position times its stride.
    let (i, j) = (2, 1);
    let at = x.offset() as isize + i * x.strides()[0] + j * x.strides()[1];
    println!("\nx[{i}, {j}] lies {at} elements into the memory and is {}", x.get::<i32>(&[2, 1])?);

    // A slice has another start; it has no information about the memory around it.
    let part = x.slice(s![1.., 1..3])?;
    println!("\nx[1:, 1:3] begins at {}, strides {:?}:\n{part}", part.offset(), part.strides());
    println!("contiguous? x: {}, the part: {}", x.is_contiguous(), part.is_contiguous());

    // Filling, scaling and clearing a part leaves the rest alone.
    part.fill(5)?;
    part.scale(10)?;
    x.slice(s![0])?.clear()?;
    println!("\nafter filling, scaling and clearing parts:\n{x}");

    // A copy has its own memory.
    let y = part.copy()?;
    y.fill(-1)?;
    println!("\nwriting to a copy changes nothing here: {}", part.sum(())?.item::<i64>()?);

    // Axes of length 1 broadcast; the sum over those axes is the inverse.
    let (column, row) = (tensor![[1.0], [2.0], [3.0]], tensor![10.0, 20.0]);
    let table = column.add(&row)?;
    println!("\n[3, 1] + [2] = {:?}:\n{table}", table.shape());
    println!("summed back to [3, 1]:\n{}", table.sum_to_shape([3, 1])?);
    assert_eq!(table.sum_to_shape([2])?.to_vec::<f64>()?, [36.0, 66.0]);

    // Shapes that do not broadcast give an error with the axis.
    println!("\n{}", column.add(&tensor![[1.0, 2.0], [3.0, 4.0]]).unwrap_err());
    Ok(())
}

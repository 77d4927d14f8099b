//! Flattening is a view where the strides allow it, and a recorded copy where they do not.
//!
//! `cargo run --example flatten`

use belvedere::copies;
use belvedere::prelude::*;

pub(crate) fn main() -> Result<(), Error> {
    // Feature maps of a small network: 2 images, 3 channels, 4 × 5 pixels.
    let maps = Tensor::arange(0..120)?.reshape([2, 3, 4, 5])?;
    let flat = maps.flatten(1, -1)?;
    println!("{:?} flattened from axis 1 on: {:?}, a view", maps.shape(), flat.shape());
    println!(
        "[1, 25] there is [1, 1, 1, 0] here: {} and {}",
        { flat.get::<i32>(&[1, 25])? },
        maps.get::<i32>(&[1, 1, 1, 0])?
    );
    maps.assign(s![0, 0, 0, 0], 1000)?;
    println!("and what is written here is read there: {}", flat.get::<i32>(&[0, 0])?);

    // Flattening one axis is the identity.
    assert_eq!(maps.flatten(2, 2)?.layout(), maps.layout());

    // A part of each image: whole rows of pixels still flatten, columns of them do not.
    let rows = maps.slice(s![.., .., 1..3, ..])?;
    println!("\nrows 1 and 2 of each map: {:?} → {:?}, a view", rows.shape(), {
        copies::forbid(|| rows.flatten(2, 3))?.shape()
    });
    let columns = maps.slice(s![.., .., .., 1..3])?;
    let refusal = columns.view([2, 3, 8]).unwrap_err();
    println!("columns 1 and 2 of each map: {refusal}");

    // `flatten` copies then, on the record; a lens flattens without.
    let (copied, events) = copies::record(|| columns.flatten(2, 3));
    println!("\nflatten copied {} bytes", events.iter().map(|it| it.bytes).sum::<usize>());
    let lens = columns.lens().flatten(2, 3)?;
    let same = copies::forbid(|| copied?.equal(&lens)?.all(()))?.item::<bool>()?;
    println!("a lens shows the same elements where they are: {same}");
    assert!(same && events.len() == 1);
    Ok(())
}

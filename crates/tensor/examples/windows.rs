//! Sliding windows over a signal and patches of an image, as views.
//!
//! `cargo run --example windows`

use belvedere::prelude::*;

pub(crate) fn main() -> Result<(), Error> {
    // Ten numbers, eight windows of three: strides (1, 1), so that neighbours share elements.
    let signal = tensor![3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0];
    let windows = signal.windows(0, 3, 1)?;
    println!("{:?} with strides {:?}: the moving mean is", windows.shape(), windows.strides());
    println!("{}", windows.mean(1)?);

    // The same by hand. What would leave the memory is refused.
    let by_hand = signal.as_strided([8, 3], [1, 1], 0)?;
    assert_eq!(by_hand.layout(), windows.layout());
    println!("\nnine windows by hand: {}", signal.as_strided([9, 3], [1, 1], 0).unwrap_err());

    // One element is in three windows, so the view cannot be written through.
    println!("written through: {}", windows.fill(0.0).unwrap_err());

    // Patches of an image, times a kernel, summed up: a convolution without a copy of the image.
    let image = Tensor::from_fn([6, 8], |at| if at[1] < 4 { 0.0 } else { 1.0 })?;
    let patches = image.sliding_window_view([3, 3], [0, 1])?;
    let edges = tensor![[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
    println!("\n{:?} patches of {:?} in {} bytes", patches.shape(), [3, 3], image.storage().len());
    println!("{}", patches.mul(&edges)?.sum([2, 3])?);

    // Windows that do not overlap can be written through: every second pixel, in both directions.
    let blocks = image.windows(0, 2, 2)?.windows(1, 2, 2)?;
    blocks.slice(s![.., .., 0, 0])?.fill(9.0)?;
    println!("\nthe first pixel of every 2 × 2 block is 9 now:\n{image}");
    Ok(())
}

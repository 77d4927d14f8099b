//! Several views of one storage in a hand-written training step.
//!
//! `cargo run --example shared_memory`

use belvedere::prelude::*;
use belvedere::{Product, copies, matmul_into, matmul_with};

pub(crate) fn main() -> Result<(), Error> {
    // A batch of 32 small images, as one row of pixels each, and as images again.
    let batch = Tensor::zeros([32, 28, 28], DType::Float32)?;
    let rows = batch.view([32, 784])?;
    let images = rows.view([32, 28, 28])?;
    images.slice(s![0, 14, ..])?.fill(1.0)?;
    println!("a line drawn in an image is {} pixels of row 0", rows.sum(())?.item::<f32>()?);
    println!("three tensors, {} bytes of pixels between them", batch.storage().len());
    assert!(rows.storage().is_same(images.storage()));

    // A matrix and its transpose are one matrix with two descriptions.
    let w = Tensor::arange(0..12)?.reshape([3, 4])?;
    println!("\nw has strides {:?}, its transpose {:?}", w.strides(), w.t()?.strides());
    w.t()?.assign(s![3, 0], 99)?;
    println!("what was written to wᵀ[3, 0] is read at w[0, 3]: {}", w.get::<i32>(&[0, 3])?);

    // The gradients of a product are products with transposes, which are views.
    let (x, w) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![[0.5, -1.0], [2.0, 0.0]]);
    let upstream = Tensor::ones([2, 2], DType::Float64)?;
    let (grad_x, grad_w) = (x.zeros_like()?, w.zeros_like()?);
    let (done, events) = copies::record(|| {
        matmul_with(&upstream, &w, &grad_x, Product { transpose_b: true, ..Product::default() })?;
        matmul_into(&x.t()?, &upstream, &grad_w)
    });
    done?;
    println!("\ngradients of x @ w:\n{grad_x}\n{grad_w}\nand {} copies for them", events.len());
    assert!(events.is_empty());

    // Scratch memory that ends with its scope. The compiler refuses a view that would outlive it.
    let mut arena = Arena::new();
    let total = arena.scope(|scope| {
        let mut scratch = scope.zeros::<f64>([2, 2])?;
        matmul_into(&x, &w, &mut scratch)?;
        Ok::<f64, Error>(scratch.as_view().t()?.iter().sum())
    })?;
    println!("\nthe elements of x @ w sum up to {total}, and its memory is free again");
    Ok(())
}

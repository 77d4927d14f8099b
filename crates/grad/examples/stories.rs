//! Programs that write through views, and their gradients: slices in a loop, an in-place recurrent state, windows, tied
//! weights, and a second derivative.

use belvedere::prelude::*;
use belvedere_draw::TextOptions;
use belvedere_grad::Tape;

/// Slices of one tensor in a loop: one gradient of its size, however many slices there are.
fn slices() -> Result<(), Error> {
    let x = Tensor::ones([64, 8], DType::Float64)?;
    let tape = Tape::new();
    tape.watch(&x)?;
    let total = tape.record(|| {
        let total = Tensor::zeros([0usize; 0], DType::Float64)?;
        for head in 0..8 {
            total.add_assign(&x.select(1, head)?.sum(())?.mul(head as f64)?)?;
        }
        Ok::<_, Error>(total)
    })?;
    let gradient = tape.backward(&total)?.wrt(&x)?;
    assert_eq!(gradient.select(0, 5)?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    println!("slices: {:?}", gradient.select(0, 5)?.to_vec::<f64>()?);
    Ok(())
}

/// A recurrent state that is updated in place. Each update overwrites what the one before saved: it is kept.
fn recurrence() -> Result<(), Error> {
    let inputs = tensor![[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]];
    let weight = tensor![[0.5, -0.5], [0.25, 1.0]];
    let tape = Tape::new();
    tape.watch(&weight)?;
    let loss = tape.record(|| {
        let state = Tensor::zeros([2], DType::Float64)?;
        for input in inputs.rows()? {
            let next = weight.matmul(&state)?.add(&input)?;
            belvedere::tanh_into(&next, &state)?;
        }
        state.sum(())
    })?;
    let report = tape.report();
    println!("recurrence: {report}");
    // `to_page` is the same for a browser.
    println!("{}", report.draw().to_text(TextOptions::plain()));
    println!("{}", tape.backward(&loss)?.wrt(&weight)?);
    Ok(())
}

/// A moving sum: windows overlap, and the gradient of an element is the sum over its windows.
fn windows() -> Result<(), Error> {
    let x = tensor![1.0, 2.0, 3.0, 4.0, 5.0];
    let tape = Tape::new();
    tape.watch(&x)?;
    let y = tape.record(|| x.windows(0, 3, 1)?.mul(&tensor![1.0, 10.0, 100.0])?.sum(()))?;
    let gradient = tape.backward(&y)?.wrt(&x)?.to_vec::<f64>()?;
    assert_eq!(gradient, [1.0, 11.0, 111.0, 110.0, 100.0]);
    println!("windows: {gradient:?}");
    Ok(())
}

/// One matrix as an encoder and, transposed, as a decoder: both uses are views of one memory, and so are their gradients.
fn tied_weights() -> Result<(), Error> {
    let (weight, x) = (tensor![[0.5, 0.1, -0.3], [0.2, 0.4, 0.6]], tensor![1.0, 2.0, 3.0]);
    let tape = Tape::new();
    tape.watch(&weight)?;
    let loss = tape.record(|| {
        let code = weight.matmul(&x)?.tanh()?;
        weight.t()?.matmul(&code)?.sub(&x)?.square()?.sum(())
    })?;
    println!("tied weights:\n{}", tape.backward(&loss)?.wrt(&weight)?);
    Ok(())
}

/// The second derivative of x⁴ by nested tapes.
fn second_derivative() -> Result<(), Error> {
    let (x, outer) = (tensor![2.0], Tape::new());
    outer.watch(&x)?;
    let first = outer.record(|| {
        let inner = Tape::new();
        inner.watch(&x)?;
        let y = inner.record(|| x.square()?.square())?;
        inner.backward(&y)?.wrt(&x)
    })?;
    let second = outer.backward(&first)?.wrt(&x)?;
    assert_eq!((first.item::<f64>()?, second.item::<f64>()?), (32.0, 48.0));
    println!("x⁴ at 2: {} and {}", first.item::<f64>()?, second.item::<f64>()?);
    Ok(())
}

fn main() -> Result<(), Error> {
    slices()?;
    recurrence()?;
    windows()?;
    tied_weights()?;
    second_derivative()
}

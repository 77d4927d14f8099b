//! Is it faster to copy strided operands first? Rarely: operations iterate in memory order.
//!
//! `cargo run --example copy_first`

use belvedere::prelude::*;
use std::time::{Duration, Instant};

pub(crate) fn main() -> Result<(), Error> {
    let x = Tensor::ones([2000, 3000], DType::Float32)?;
    let turned = x.t()?;
    println!("{:?} floats, transposed: strides {:?}\n", turned.shape(), turned.strides());
    println!("{:<36} {:>9}  {:>17}", "", "as it is", "with a copy first");
    compare("sum along the first axis", || turned.sum(0), || turned.copy()?.sum(0))?;
    compare("sum along the second axis", || turned.sum(1), || turned.copy()?.sum(1))?;
    compare(
        "add to itself",
        || turned.add(&turned),
        || {
            let copied = turned.copy()?;
            copied.add(&copied)
        },
    )?;
    let other = x.reshape([3000, 2000])?;
    compare(
        "add something that is not transposed",
        || turned.add(&other),
        || turned.copy()?.add(&other),
    )?;
    let every_other = x.slice(s![.., ..;2])?;
    compare("sum of every other element", || every_other.sum(()), || every_other.copy()?.sum(()))
}

/// Returns the fastest of several interleaved runs of each. Both must have the same result.
fn compare(
    what: &str,
    direct: impl Fn() -> Result<Tensor, Error>,
    copied: impl Fn() -> Result<Tensor, Error>,
) -> Result<(), Error> {
    assert!(direct()?.allclose_with(&copied()?, 1e-6, 0.0)?.holds());
    let mut best = [Duration::MAX; 2];
    for _ in 0..5 {
        for (best, run) in best.iter_mut().zip([&direct as &dyn Fn() -> _, &copied]) {
            let start = Instant::now();
            let result: Result<Tensor, Error> = run();
            *best = start.elapsed().min(*best);
            drop(result?);
        }
    }
    let [direct, copied] = best.map(|it| it.as_secs_f64() * 1e3);
    println!("{what:<36} {direct:>6.2} ms  {copied:>14.2} ms");
    Ok(())
}

//! Calls every hot loop once. `cargo xtask simd` counts the vector instructions of the compiled program.

use belvedere::{DType, Error, Tensor, s, where_};

fn main() -> Result<(), Error> {
    for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_bool() && !dtype.is_complex()) {
        let x = Tensor::arange_step(1.0, 101.0, 1.0, dtype)?;
        let y = x.flip(&[0])?;
        let results = [
            x.add(&y)?,
            x.sub(&y)?,
            x.mul(&y)?,
            x.div(&y)?,
            x.maximum(&y)?,
            x.negative()?,
            x.sqrt()?,
            x.sum(())?,
            x.max(())?,
            x.argmax(())?,
            y.copy()?,
            y.slice(s![..;2])?.copy()?,
            x.reshape([10, 10])?.t()?.copy()?,
            x.astype(DType::Float32)?,
            x.astype(DType::Int32)?,
            where_(&x.less(&y)?, &x, &y)?,
        ];
        println!("{dtype}: {} results", results.len());
        if dtype.is_floating() {
            println!("{}", x.sub(50)?.relu()?.sum(())?);
            let small = x.mul(0.01)?;
            let functions = [
                small.exp()?,
                small.log()?,
                small.sin()?,
                small.tanh()?,
                small.asinh()?,
                x.acosh()?,
                small.atan()?,
                small.asin()?,
                small.cbrt()?,
                small.atan2(&x)?,
                small.logaddexp(&x)?,
                small.erf()?,
                small.sigmoid()?,
                small.gelu()?,
                small.softmax(0)?,
                small.logsumexp(())?,
            ];
            println!("{} functions", functions.len());
        }
    }
    Ok(())
}

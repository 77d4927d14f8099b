//! Gradients of half precision are summed in `float32`: small contributions are not lost, and sums do not overflow.

use belvedere::prelude::*;
use belvedere_grad::Tape;

/// Returns the gradient of a function of one element that is 1.
fn gradient(dtype: DType, f: impl Fn(&Tensor) -> Result<Tensor, Error>) -> f32 {
    let x = Tensor::ones([1], dtype).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| f(&x)).unwrap();
    let seed = Tensor::ones(y.shape(), y.dtype()).unwrap();
    let found = tape.backward_with(&y, &seed).unwrap().wrt(&x).unwrap();
    assert_eq!(found.dtype(), dtype);
    found.astype(DType::Float32).unwrap().item::<f32>().unwrap()
}

#[test]
fn many_contributions_to_one_element_are_summed_in_float32() {
    // In the dtypes themselves the sums would stop at 2048 and 256.
    for (dtype, n) in [(DType::Float16, 3000usize), (DType::BFloat16, 384)] {
        let one_by_one = gradient(dtype, |x| {
            let y = Tensor::zeros([1], dtype)?;
            for _ in 0..n {
                y.add_assign(&x.mul(1.0)?)?;
            }
            Ok(y)
        });
        assert_eq!(one_by_one, n as f32, "{dtype}, one by one");
        let broadcast = gradient(dtype, |x| x.broadcast_to([n])?.mul(1.0));
        assert_eq!(broadcast, n as f32, "{dtype}, broadcast");
        let operand = gradient(dtype, |x| Tensor::ones([n], dtype)?.mul(x));
        assert_eq!(operand, n as f32, "{dtype}, broadcast operand");
        let gathered = gradient(dtype, |x| x.take(&Tensor::zeros([n], DType::Int64)?, 0));
        assert_eq!(gathered, n as f32, "{dtype}, gathered");
    }
}

#[test]
fn gradients_of_views_of_half_precision_tensors_are_views() {
    let x = Tensor::ones([4, 3], DType::Float16).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| {
        let y = x.copy()?;
        y.slice(s![1])?.mul_assign(&x.slice(s![0])?.mul(3.0)?)?;
        y.square()?.sum(())
    });
    let grads = tape.backward(&y.unwrap()).unwrap();
    let (all, row) = (grads.wrt(&x).unwrap(), grads.wrt(&x.select(0, 1).unwrap()).unwrap());
    assert_eq!((row.dtype(), row.storage().id()), (DType::Float16, all.storage().id()));
    let values = |x: Tensor| x.astype(DType::Float32).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(values(row), [18.0; 3]);
    assert_eq!(values(grads.wrt(&x.select(0, 0).unwrap()).unwrap()), [20.0; 3]);
}

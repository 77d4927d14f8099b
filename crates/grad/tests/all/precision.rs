//! Gradients of single and half precision. Those of half precision are summed in `float32`: small contributions are not lost,
//! and sums do not overflow.

use crate::differences::{Case, all_cases, operand, weights};
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

#[test]
fn second_derivatives_of_half_precision_are_summed_in_float32() {
    let x = tensor![2.0].astype(DType::Float16).unwrap();
    let (outer, inner) = (Tape::new(), Tape::new());
    outer.watch(&x).unwrap();
    let g = outer.record(|| {
        inner.watch(&x)?;
        let y = inner.record(|| x.mul(&x)?.mul(&x))?;
        inner.backward(&y)?.wrt(&x)
    });
    let found = outer.backward(&g.unwrap()).unwrap().wrt(&x).unwrap();
    assert_eq!(found.dtype(), DType::Float16);
    assert_eq!(found.astype(DType::Float32).unwrap().to_vec::<f32>().unwrap(), [12.0]);
}

/// Returns the gradients of a case for operands of a precision, as `float64` or `complex128`.
fn gradients(case: &Case, dtype: DType) -> Result<Vec<Tensor>, Error> {
    let as_wide = |x: &Tensor| match x.dtype().is_complex() {
        true => x.astype(DType::Complex128),
        false => x.astype(DType::Float64),
    };
    let operands = (0..case.n_operands()).map(|n| -> Result<(Tensor, Layout), Error> {
        let (memory, layout) = operand(case, n, n)?;
        // The same numbers in all precisions.
        let rounded = match (case.is_complex(), dtype == DType::Float64) {
            (true, true) => memory.astype(DType::Complex64)?.astype(DType::Complex128)?,
            (true, false) => memory.astype(DType::Complex64)?,
            (false, _) => memory.astype(DType::Float16)?.astype(dtype)?,
        };
        Ok((rounded, layout))
    });
    let operands: Vec<(Tensor, Layout)> = operands.collect::<Result<_, _>>()?;
    let tape = Tape::new();
    operands.iter().try_for_each(|(memory, _)| tape.watch(memory))?;
    let y = tape.record(|| case.value(&operands))?;
    let grads = tape.backward_with(&y, &weights(&as_wide(&y)?)?.astype(y.dtype())?)?;
    operands.iter().map(|(memory, _)| as_wide(&grads.wrt(memory)?)).collect()
}

/// Returns the greatest difference of the gradients of a case from those in double precision, relative to these.
fn error_of(case: &Case, dtype: DType) -> Result<f64, Error> {
    let (found, expected) = (gradients(case, dtype)?, gradients(case, DType::Float64)?);
    let mut greatest: f64 = 0.0;
    for (found, expected) in found.iter().zip(&expected) {
        let difference = found.sub(expected)?.abs()?.max(())?.item::<f64>()?;
        greatest = greatest.max(difference / (1.0 + expected.abs()?.max(())?.item::<f64>()?));
    }
    Ok(greatest)
}

#[test]
fn gradients_of_all_precisions_agree() {
    let (mut failures, mut n_skipped) = (Vec::new(), 0);
    for (dtype, limit) in [(DType::Float32, 1e-5), (DType::Float16, 1e-2)] {
        // There are no complex numbers of half precision.
        let is_possible = |it: &&Case| dtype == DType::Float32 || !it.is_complex();
        for case in all_cases().filter(is_possible) {
            let is_dtype_fixed = ["matmul_with", "set"].iter().any(|it| case.name.starts_with(it));
            match error_of(case, dtype) {
                Err(_) if is_dtype_fixed || case.name.starts_with("bitcast") => n_skipped += 1,
                Err(error) if error.to_string().contains("not supported for float16") => {
                    n_skipped += 1;
                }
                Ok(error) if error < limit => {}
                Ok(error) => failures.push(format!("{} of {dtype}: {error:.1e}", case.name)),
                Err(error) => failures.push(format!("{} of {dtype}: {error}", case.name)),
            }
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert!(n_skipped < 20, "{n_skipped} cases are skipped");
}

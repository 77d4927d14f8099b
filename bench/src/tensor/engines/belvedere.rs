//! Belvedere, for all cases.

use super::{Closure, Fingerprint, Job, value};
use crate::tensor::cases::Case;
use crate::tensor::growth::Work;
use belvedere::prelude::*;
use belvedere::{Operand, add_into, lazy};

/// Belvedere's job in a row.
pub fn job(case: &Case) -> Option<Box<dyn Job>> {
    let dtype = dtype(case.dtype);
    let mut seed = 0;
    let mut r = |shape: &[usize]| {
        seed += 1;
        input(shape, dtype, seed)
    };
    Some(match case.name {
        "transpose, metadata only" => unary(r(&[16, 32, 8]), |a| a.permute_dims([2, 0, 1])),
        "reshape, metadata only" => unary(r(&[16, 32, 8]), |a| a.view([16, 256])),
        "copy 16 M" => unary(r(&[1 << 24]), Tensor::copy),
        "copy of the transpose, 4096²" => unary(r(&[4096, 4096]), |a| a.t()?.copy()),
        "copy NCHW → NHWC (32,64,56,56)" => {
            unary(r(&[32, 64, 56, 56]), |a| a.permute_dims([0, 2, 3, 1])?.copy())
        }
        "copy NHWC → NCHW (32,56,56,64)" => {
            unary(r(&[32, 56, 56, 64]), |a| a.permute_dims([0, 3, 1, 2])?.copy())
        }
        "copy of heads (8,512,12,64)" => {
            unary(r(&[8, 512, 12, 64]), |a| a.permute_dims([0, 2, 1, 3])?.copy())
        }
        "copy, axes of (8,16,8,16,8,32) reversed" => {
            unary(r(&[8, 16, 8, 16, 8, 32]), |a| a.reverse_dims().copy())
        }
        "copy of [::2, ::2] of 4096²" => {
            unary(r(&[4096, 4096]), |a| a.slice(s![..;2, ..;2])?.copy())
        }
        "copy of both axes flipped, 4096²" => unary(r(&[4096, 4096]), |a| a.flip(())?.copy()),
        "copy of windows of 8 over 4 M" => unary(r(&[1 << 22]), |a| a.windows(0, 8, 1)?.copy()),
        "add 16" => add(r(&[16]), r(&[16])),
        "slice + add 64" => binary(r(&[256]), r(&[64]), |a, b| a.slice(s![..;4])?.add(b)),
        "add 32 K" => add(r(&[1 << 15]), r(&[1 << 15])),
        "add 16 M" => add(r(&[1 << 24]), r(&[1 << 24])),
        "a += b, 16 M" => binary(r(&[1 << 24]), r(&[1 << 24]), |a, b| {
            add_into(a, b, a)?;
            Ok(a.clone())
        }),
        "a + bᵀ, 4096²" => binary(r(&[4096, 4096]), r(&[4096, 4096]), |a, b| a.add(&b.t()?)),
        "aᵀ + bᵀ, 4096²" => {
            binary(r(&[4096, 4096]), r(&[4096, 4096]), |a, b| a.t()?.add(&b.t()?))
        }
        "a[::2] + b[::2], 16 M" => {
            binary(r(&[1 << 24]), r(&[1 << 24]), |a, b| a.slice(s![..;2])?.add(&b.slice(s![..;2])?))
        }
        "(4096,1024) + (1024)" => add(r(&[4096, 1024]), r(&[1024])),
        "(4096,1024) + (4096,1)" => add(r(&[4096, 1024]), r(&[4096, 1])),
        "relu(a·b + c), 4 M" => {
            let (a, b, c) = (r(&[1 << 22]), r(&[1 << 22]), r(&[1 << 22]));
            binary(a, b, move |a, b| (lazy(a) * b + &c).relu().eval())
        }
        "sqrt(|a·b + c| + 1) − a·c, 4 M" => {
            let (a, b, c) = (r(&[1 << 22]), r(&[1 << 22]), r(&[1 << 22]));
            binary(a, b, move |a, b| ((lazy(a) * b + &c).abs() + 1).sqrt().sub(lazy(a) * &c).eval())
        }
        "exp 4 M" => unary(r(&[1 << 22]), Tensor::exp),
        "log 4 M" => unary(r(&[1 << 22]).add(1.0).ok()?, Tensor::log),
        "tanh 4 M" => unary(r(&[1 << 22]), Tensor::tanh),
        "sigmoid 4 M" => unary(r(&[1 << 22]), Tensor::sigmoid),
        "erf 4 M" => unary(r(&[1 << 22]), Tensor::erf),
        "sin 4 M" => unary(r(&[1 << 22]), Tensor::sin),
        "gelu 4 M" => unary(r(&[1 << 22]), Tensor::gelu),
        "sum 16 M" => unary(r(&[1 << 24]), |a| a.sum(())),
        "sum 10 M" => unary(r(&[10_000_000]), |a| a.sum(())),
        "sum of [::2] of 20 M" => unary(r(&[20_000_000]).slice(s![..;2]).ok()?, |a| a.sum(())),
        "sum axis 0, 4096²" => unary(r(&[4096, 4096]), |a| a.sum(0)),
        "sum axis 1, 4096²" => unary(r(&[4096, 4096]), |a| a.sum(1)),
        "sum of the middle axis (64,512,512)" => unary(r(&[64, 512, 512]), |a| a.sum(1)),
        "transposed: sum axis 0" => unary(r(&[4096, 4096]).t().ok()?, |a| a.sum(0)),
        "transposed: sum" => unary(r(&[4096, 4096]).t().ok()?, |a| a.sum(())),
        "argmax axis 1, 4096²" => unary(r(&[4096, 4096]), |a| a.argmax(1)),
        "argmax 16 M" => unary(r(&[1 << 24]), |a| a.argmax(())),
        "softmax (4096,1024)" => unary(r(&[4096, 1024]), |a| a.softmax(1)),
        name => return product(name, &mut r),
    })
}

fn product(name: &str, r: &mut dyn FnMut(&[usize]) -> Tensor) -> Option<Box<dyn Job>> {
    let square = |r: &mut dyn FnMut(&[usize]) -> Tensor, n: usize| (r(&[n, n]), r(&[n, n]));
    let (a, b) = match name {
        "matmul 1024³ NN" => square(r, 1024),
        "matmul 1024³ NT" => (r(&[1024, 1024]), r(&[1024, 1024]).t().ok()?),
        "matmul 1024³ TN" => (r(&[1024, 1024]).t().ok()?, r(&[1024, 1024])),
        "matmul 1024³ TT" => (r(&[1024, 1024]).t().ok()?, r(&[1024, 1024]).t().ok()?),
        "matmul of [::2, ::2] (512³)" => {
            let (a, b) = square(r, 1024);
            (a.slice(s![..;2, ..;2]).ok()?, b.slice(s![..;2, ..;2]).ok()?)
        }
        "matmul 256³" => square(r, 256),
        "matmul 32³" => square(r, 32),
        "matmul 8³" => square(r, 8),
        "matmul (32,784)·(784,128)" => (r(&[32, 784]), r(&[784, 128])),
        "matmul (64,128,64)·(64,64,128)" => (r(&[64, 128, 64]), r(&[64, 64, 128])),
        "attention QKᵀ (8,12,512,64)" => {
            let shape = [8, 512, 12, 64];
            let (a, b) = (r(&shape), r(&shape));
            (a.permute_dims([0, 2, 1, 3]).ok()?, b.permute_dims([0, 2, 3, 1]).ok()?)
        }
        _ => return None,
    };
    Some(binary(a, b, |a, b| a.matmul(b)))
}

/// Belvedere's job for an operation of `growth.rs`.
pub fn growing(work: Work, side: usize) -> Box<dyn Job> {
    let a = input(&work.left(side), DType::Float32, 1);
    let b = work.right(side).map(|shape| input(&shape, DType::Float32, 2));
    let call = move || match (work, &b) {
        (Work::Copy, _) => a.copy(),
        (Work::CopyTransposed, _) => a.t()?.copy(),
        (Work::CopyBroadcast, _) => a.broadcast_to([side, side])?.copy(),
        (Work::AddTransposed, Some(b)) => a.add(&b.t()?),
        (_, Some(b)) => a.add(b),
        (_, None) => unreachable!("an addition has a second operand"),
    };
    Box::new(Closure { call: move || call().expect("the work is right"), read })
}

fn unary(a: Tensor, call: impl Fn(&Tensor) -> Result<Tensor, Error> + 'static) -> Box<dyn Job> {
    Box::new(Closure { call: move || call(&a).expect("the case is right"), read })
}

fn binary(
    a: Tensor,
    b: Tensor,
    call: impl Fn(&Tensor, &Tensor) -> Result<Tensor, Error> + 'static,
) -> Box<dyn Job> {
    Box::new(Closure { call: move || call(&a, &b).expect("the case is right"), read })
}

fn add(a: Tensor, b: Tensor) -> Box<dyn Job> {
    binary(a, b, |a, b| a.add(Operand::from(b)))
}

fn read(result: &Tensor) -> Fingerprint {
    let values = match result.dtype().is_complex() {
        true => result.real(),
        false => Ok(result.clone()),
    };
    let step = super::sampling_step(result.len()) as isize;
    let values = values
        .and_then(|it| it.contiguous()?.view([-1])?.slice(s![..;step])?.astype(DType::Float64))
        .and_then(|it| it.to_vec::<f64>());
    Fingerprint::from_sample(result.len(), values.expect("every type is a number").into_iter())
}

fn dtype(name: &str) -> DType {
    DType::from_name(name).expect("the types of cases exist")
}

/// An input with the values that all engines use.
fn input(shape: &[usize], dtype: DType, seed: u32) -> Tensor {
    let len: usize = shape.iter().product();
    let values: Vec<f32> = (0..len).map(|at| value(at, seed)).collect();
    let made = Tensor::from_vec(values, shape).and_then(|it| match dtype {
        // Copied to our own allocation, as the inputs of every engine are.
        DType::Float32 => it.copy(),
        DType::UInt8 => it.add(0.5)?.mul(255.0)?.astype(dtype),
        other => it.astype(other),
    });
    made.expect("inputs fit in memory")
}

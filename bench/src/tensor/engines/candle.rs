//! candle, for the operations that it supports.

use super::{Closure, Fingerprint, Job, value};
use crate::tensor::cases::Case;
use crate::tensor::growth::Work;
use candle_core::{D, DType, Device, Result, Tensor};

pub const NAME: &str = "candle 0.11.1";

/// The job of candle in a row, if it has the operation.
pub fn job(case: &Case) -> Option<Box<dyn Job>> {
    let dtype = match case.dtype {
        "float32" => DType::F32,
        "float64" => DType::F64,
        "uint8" => DType::U8,
        "float16" => DType::F16,
        _ => return None,
    };
    let mut seed = 0;
    let mut r = |shape: &[usize]| {
        seed += 1;
        input(shape, dtype, seed)
    };
    type Unary = fn(&Tensor) -> Result<Tensor>;
    let unary: Option<(&[usize], Unary)> = match case.name {
        "transpose, metadata only" => Some((&[16, 32, 8], |a| a.permute((2, 0, 1)))),
        "reshape, metadata only" => Some((&[16, 32, 8], |a| a.reshape((16, 256)))),
        "copy 16 M" => Some((&[1 << 24], Tensor::copy)),
        "copy of the transpose, 4096²" => Some((&[4096, 4096], |a| a.t()?.contiguous())),
        "copy NCHW → NHWC (32,64,56,56)" => {
            Some((&[32, 64, 56, 56], |a| a.permute((0, 2, 3, 1))?.contiguous()))
        }
        "copy NHWC → NCHW (32,56,56,64)" => {
            Some((&[32, 56, 56, 64], |a| a.permute((0, 3, 1, 2))?.contiguous()))
        }
        "copy of heads (8,512,12,64)" => {
            Some((&[8, 512, 12, 64], |a| a.permute((0, 2, 1, 3))?.contiguous()))
        }
        "exp 4 M" => Some((&[1 << 22], Tensor::exp)),
        "tanh 4 M" => Some((&[1 << 22], Tensor::tanh)),
        "erf 4 M" => Some((&[1 << 22], Tensor::erf)),
        "sin 4 M" => Some((&[1 << 22], Tensor::sin)),
        "gelu 4 M" => Some((&[1 << 22], Tensor::gelu_erf)),
        "sum 16 M" => Some((&[1 << 24], Tensor::sum_all)),
        "sum axis 0, 4096²" => Some((&[4096, 4096], |a| a.sum(0))),
        "sum axis 1, 4096²" => Some((&[4096, 4096], |a| a.sum(1))),
        "sum of the middle axis (64,512,512)" => Some((&[64, 512, 512], |a| a.sum(1))),
        "transposed: sum axis 0" => Some((&[4096, 4096], |a| a.t()?.sum(0))),
        "argmax axis 1, 4096²" => Some((&[4096, 4096], |a| a.argmax(D::Minus1))),
        _ => None,
    };
    if let Some((shape, call)) = unary {
        let a = r(shape);
        return Some(Box::new(Closure {
            call: move || call(&a).expect("the case is right"),
            read,
        }));
    }
    let square = 4096;
    type Binary = fn(&Tensor, &Tensor) -> Result<Tensor>;
    let (left, right, call): (&[usize], &[usize], Binary) = match case.name {
        "add 16" => (&[16], &[16], Tensor::add),
        "add 32 K" => (&[1 << 15], &[1 << 15], Tensor::add),
        "add 16 M" => (&[1 << 24], &[1 << 24], Tensor::add),
        "a + bᵀ, 4096²" => (&[square, square], &[square, square], |a, b| a + b.t()?),
        "aᵀ + bᵀ, 4096²" => (&[square, square], &[square, square], |a, b| a.t()? + b.t()?),
        "(4096,1024) + (1024)" => (&[4096, 1024], &[1024], Tensor::broadcast_add),
        "(4096,1024) + (4096,1)" => (&[4096, 1024], &[4096, 1], Tensor::broadcast_add),
        "matmul 1024³ NN" => (&[1024, 1024], &[1024, 1024], Tensor::matmul),
        "matmul 1024³ NT" => (&[1024, 1024], &[1024, 1024], |a, b| a.matmul(&b.t()?)),
        "matmul 1024³ TN" => (&[1024, 1024], &[1024, 1024], |a, b| a.t()?.matmul(b)),
        "matmul 1024³ TT" => (&[1024, 1024], &[1024, 1024], |a, b| a.t()?.matmul(&b.t()?)),
        "matmul 256³" => (&[256, 256], &[256, 256], Tensor::matmul),
        "matmul 32³" => (&[32, 32], &[32, 32], Tensor::matmul),
        "matmul 8³" => (&[8, 8], &[8, 8], Tensor::matmul),
        "matmul (32,784)·(784,128)" => (&[32, 784], &[784, 128], Tensor::matmul),
        "matmul (64,128,64)·(64,64,128)" => (&[64, 128, 64], &[64, 64, 128], Tensor::matmul),
        _ => return None,
    };
    let (a, b) = (r(left), r(right));
    Some(Box::new(Closure { call: move || call(&a, &b).expect("the case is right"), read }))
}

/// The job of candle for an operation of `growth.rs`.
pub fn growing(work: Work, side: usize) -> Box<dyn Job> {
    let a = input(&work.left(side), DType::F32, 1);
    let b = work.right(side).map(|shape| input(&shape, DType::F32, 2));
    let call = move || match (work, &b) {
        (Work::Copy, _) => a.copy(),
        (Work::CopyTransposed, _) => a.t()?.contiguous(),
        (Work::CopyBroadcast, _) => a.broadcast_as((side, side))?.contiguous(),
        (Work::AddTransposed, Some(b)) => &a + b.t()?,
        (_, Some(b)) => a.broadcast_add(b),
        (_, None) => unreachable!("an addition has a second operand"),
    };
    Box::new(Closure { call: move || call().expect("the work is right"), read })
}

fn read(result: &Tensor) -> Fingerprint {
    let flat = result.flatten_all().expect("every tensor can be one list");
    let why = "every type is a number";
    if flat.dtype() == DType::F32 {
        let values = flat.to_vec1::<f32>().expect(why);
        return Fingerprint::from_values(values.into_iter().map(f64::from));
    }
    let values = flat.to_dtype(DType::F64).and_then(|it| it.to_vec1::<f64>()).expect(why);
    Fingerprint::from_values(values.into_iter())
}

fn input(shape: &[usize], dtype: DType, seed: u32) -> Tensor {
    let len: usize = shape.iter().product();
    let scaled = |at| match dtype {
        DType::U8 => ((value(at, seed) + 0.5) * 255.0).floor(),
        _ => value(at, seed),
    };
    let values: Vec<f32> = (0..len).map(scaled).collect();
    let made = Tensor::from_vec(values, shape, &Device::Cpu).and_then(|it| it.to_dtype(dtype));
    made.expect("inputs fit in memory")
}

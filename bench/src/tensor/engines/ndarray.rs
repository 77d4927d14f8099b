//! ndarray, for the operations that it has in one or two calls.

use super::{Closure, Fingerprint, Job, value};
use crate::tensor::cases::Case;
use crate::tensor::growth::Work;
use ndarray::{Array, Array1, ArrayD, ArrayView2, Axis, IxDyn, LinalgScalar, Zip, s};

pub const NAME: &str = "ndarray 0.17.2";

/// The job of ndarray in a row, if it has the operation.
pub fn job(case: &Case) -> Option<Box<dyn Job>> {
    match case.dtype {
        "float32" => generic::<f32>(case).or_else(|| floats(case)),
        "float64" => generic::<f64>(case),
        "uint8" => generic::<u8>(case),
        _ => None,
    }
}

/// An element type, converted from the input numbers of all engines.
trait Number: LinalgScalar + Send + Sync {
    fn from_f32(value: f32) -> Self;
    fn to_f64(self) -> f64;
}

impl Number for f32 {
    fn from_f32(value: f32) -> f32 {
        value
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn from_f32(value: f32) -> f64 {
        f64::from(value)
    }
    fn to_f64(self) -> f64 {
        self
    }
}

impl Number for u8 {
    fn from_f32(value: f32) -> u8 {
        ((value + 0.5) * 255.0) as u8
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

fn input<T: Number>(shape: &[usize], seed: u32) -> ArrayD<T> {
    let len: usize = shape.iter().product();
    let values = (0..len).map(|at| T::from_f32(value(at, seed))).collect();
    ArrayD::from_shape_vec(IxDyn(shape), values).expect("as many values as the shape has")
}

fn run<T: Number, D: ndarray::Dimension + 'static>(
    call: impl Fn() -> Array<T, D> + 'static,
) -> Box<dyn Job> {
    let read = |result: &Array<T, D>| Fingerprint::from_values(result.iter().map(|it| it.to_f64()));
    Box::new(Closure { call, read })
}

/// The job of ndarray for an operation of `growth.rs`.
pub fn growing(work: Work, side: usize) -> Box<dyn Job> {
    let matrix = |seed| {
        let made = input::<f32>(&[side, side], seed).into_dimensionality::<ndarray::Ix2>();
        made.expect("two axes")
    };
    let row = |seed| {
        let made = input::<f32>(&[side], seed).into_dimensionality::<ndarray::Ix1>();
        made.expect("one axis")
    };
    match work {
        Work::Copy => {
            let a = matrix(1);
            run(move || a.to_owned())
        }
        Work::CopyTransposed => {
            let a = matrix(1);
            run(move || a.t().as_standard_layout().into_owned())
        }
        Work::CopyBroadcast => {
            let a = row(1);
            let shape = (side, side);
            run(move || {
                let wide = a.broadcast(shape).expect("a row is broadcast to any number of rows");
                wide.as_standard_layout().into_owned()
            })
        }
        Work::Add => {
            let (a, b) = (matrix(1), matrix(2));
            run(move || &a + &b)
        }
        Work::AddTransposed => {
            let (a, b) = (matrix(1), matrix(2));
            run(move || &a + &b.t())
        }
        Work::AddBroadcast => {
            let (a, b) = (matrix(1), row(2));
            run(move || &a + &b)
        }
    }
}

/// The cases that all element types share.
fn generic<T: Number>(case: &Case) -> Option<Box<dyn Job>> {
    let square = |seed| {
        let made = input::<T>(&[4096, 4096], seed).into_dimensionality::<ndarray::Ix2>();
        made.expect("two axes")
    };
    let row = |len, seed| {
        let made = input::<T>(&[len], seed).into_dimensionality::<ndarray::Ix1>();
        made.expect("one axis")
    };
    Some(match case.name {
        "copy 16 M" => {
            let a = row(1 << 24, 1);
            run(move || a.to_owned())
        }
        "copy of the transpose, 4096²" => {
            let a = square(1);
            run(move || a.t().as_standard_layout().into_owned())
        }
        "copy NCHW → NHWC (32,64,56,56)" => {
            let a = input::<T>(&[32, 64, 56, 56], 1);
            run(move || contiguous(&a, &[0, 2, 3, 1]))
        }
        "add 16 M" => {
            let (a, b) = (row(1 << 24, 1), row(1 << 24, 2));
            run(move || &a + &b)
        }
        "a + bᵀ, 4096²" => {
            let (a, b) = (square(1), square(2));
            run(move || &a + &b.t())
        }
        _ => return None,
    })
}

fn contiguous<T: Number>(a: &ArrayD<T>, order: &[usize]) -> ArrayD<T> {
    a.view().permuted_axes(IxDyn(order)).as_standard_layout().into_owned()
}

fn floats(case: &Case) -> Option<Box<dyn Job>> {
    let matrix = |rows, cols, seed| {
        let made = input::<f32>(&[rows, cols], seed).into_dimensionality::<ndarray::Ix2>();
        made.expect("two axes")
    };
    let row = |len, seed| {
        let made = input::<f32>(&[len], seed).into_dimensionality::<ndarray::Ix1>();
        made.expect("one axis")
    };
    let permuted = |shape: &[usize], order: &'static [usize]| {
        let a = input::<f32>(shape, 1);
        run(move || contiguous(&a, order))
    };
    Some(match case.name {
        "transpose, metadata only" => {
            let a = input::<f32>(&[16, 32, 8], 1);
            let read = |it: &ndarray::ArrayViewD<'static, f32>| {
                Fingerprint::from_values(it.iter().map(|&it| f64::from(it)))
            };
            let a: &'static ArrayD<f32> = Box::leak(Box::new(a));
            Box::new(Closure { call: move || a.view().permuted_axes(IxDyn(&[2, 0, 1])), read })
        }
        "copy NHWC → NCHW (32,56,56,64)" => permuted(&[32, 56, 56, 64], &[0, 3, 1, 2]),
        "copy of heads (8,512,12,64)" => permuted(&[8, 512, 12, 64], &[0, 2, 1, 3]),
        "copy, axes of (8,16,8,16,8,32) reversed" => {
            permuted(&[8, 16, 8, 16, 8, 32], &[5, 4, 3, 2, 1, 0])
        }
        "copy of [::2, ::2] of 4096²" => {
            let a = matrix(4096, 4096, 1);
            run(move || a.slice(s![..;2, ..;2]).as_standard_layout().into_owned())
        }
        "copy of both axes flipped, 4096²" => {
            let a = matrix(4096, 4096, 1);
            run(move || a.slice(s![..;-1, ..;-1]).as_standard_layout().into_owned())
        }
        "add 16" => {
            let (a, b) = (row(16, 1), row(16, 2));
            run(move || &a + &b)
        }
        "slice + add 64" => {
            let (a, b) = (row(256, 1), row(64, 2));
            run(move || &a.slice(s![..;4]) + &b)
        }
        "add 32 K" => {
            let (a, b) = (row(1 << 15, 1), row(1 << 15, 2));
            run(move || &a + &b)
        }
        "a += b, 16 M" => {
            let (mut a, b) = (row(1 << 24, 1), row(1 << 24, 2));
            let read =
                |it: &Array1<f32>| Fingerprint::from_values(it.iter().map(|&it| f64::from(it)));
            let mut first = true;
            // The sum is returned once, for the comparison.
            let call = move || {
                a += &b;
                if std::mem::take(&mut first) { a.clone() } else { Array1::default(0) }
            };
            Box::new(Closure { call, read })
        }
        "aᵀ + bᵀ, 4096²" => {
            let (a, b) = (matrix(4096, 4096, 1), matrix(4096, 4096, 2));
            run(move || &a.t() + &b.t())
        }
        "a[::2] + b[::2], 16 M" => {
            let (a, b) = (row(1 << 24, 1), row(1 << 24, 2));
            run(move || &a.slice(s![..;2]) + &b.slice(s![..;2]))
        }
        "(4096,1024) + (1024)" => {
            let (a, b) = (matrix(4096, 1024, 1), row(1024, 2));
            run(move || &a + &b)
        }
        "(4096,1024) + (4096,1)" => {
            let (a, b) = (matrix(4096, 1024, 1), matrix(4096, 1, 2));
            run(move || &a + &b)
        }
        "relu(a·b + c), 4 M" => {
            let (a, b, c) = (row(1 << 22, 1), row(1 << 22, 2), row(1 << 22, 3));
            run(move || Zip::from(&a).and(&b).and(&c).map_collect(|a, b, c| (a * b + c).max(0.0)))
        }
        "exp 4 M" => {
            let a = row(1 << 22, 1);
            run(move || a.exp())
        }
        _ => return reductions(case).or_else(|| products(case)),
    })
}

fn reductions(case: &Case) -> Option<Box<dyn Job>> {
    let square = || {
        let made = input::<f32>(&[4096, 4096], 1).into_dimensionality::<ndarray::Ix2>();
        made.expect("two axes")
    };
    let number = |it: f32| ndarray::arr0(it);
    Some(match case.name {
        "sum 16 M" => {
            let a = input::<f32>(&[1 << 24], 1);
            run(move || number(a.sum()))
        }
        "sum axis 0, 4096²" => {
            let a = square();
            run(move || a.sum_axis(Axis(0)))
        }
        "sum axis 1, 4096²" => {
            let a = square();
            run(move || a.sum_axis(Axis(1)))
        }
        "sum of the middle axis (64,512,512)" => {
            let a = input::<f32>(&[64, 512, 512], 1);
            run(move || a.sum_axis(Axis(1)))
        }
        "transposed: sum axis 0" => {
            let a = square();
            run(move || a.t().sum_axis(Axis(0)))
        }
        "transposed: sum" => {
            let a = square();
            run(move || number(a.t().sum()))
        }
        _ => return None,
    })
}

fn products(case: &Case) -> Option<Box<dyn Job>> {
    let matrix = |rows, cols, seed| {
        let made = input::<f32>(&[rows, cols], seed).into_dimensionality::<ndarray::Ix2>();
        made.expect("two axes")
    };
    type View = for<'a> fn(&'a ndarray::Array2<f32>) -> ArrayView2<'a, f32>;
    let (plain, transposed): (View, View) = (|a| a.view(), |a| a.t());
    let stepped: View = |a| a.slice(s![..;2, ..;2]);
    let product = |a: ndarray::Array2<f32>, b: ndarray::Array2<f32>, left: View, right: View| {
        run(move || left(&a).dot(&right(&b)))
    };
    let square = |n| (matrix(n, n, 1), matrix(n, n, 2));
    let ((a, b), left, right) = match case.name {
        "matmul 1024³ NN" => (square(1024), plain, plain),
        "matmul 1024³ NT" => (square(1024), plain, transposed),
        "matmul 1024³ TN" => (square(1024), transposed, plain),
        "matmul 1024³ TT" => (square(1024), transposed, transposed),
        "matmul of [::2, ::2] (512³)" => (square(1024), stepped, stepped),
        "matmul 256³" => (square(256), plain, plain),
        "matmul 32³" => (square(32), plain, plain),
        "matmul 8³" => (square(8), plain, plain),
        "matmul (32,784)·(784,128)" => ((matrix(32, 784, 1), matrix(784, 128, 2)), plain, plain),
        _ => return None,
    };
    Some(product(a, b, left, right))
}

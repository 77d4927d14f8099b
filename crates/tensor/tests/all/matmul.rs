//! Matrix products against three nested loops.

use belvedere::prelude::*;
use belvedere::{
    Complex, Product, copies, matmul_add_into, matmul_into, matmul_with, with_num_threads,
};

type Value = Complex<f64>;

/// Every dtype that supports products.
fn number_types() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| !dtype.is_bool())
}

const PLAIN: Product = Product { transpose_a: false, transpose_b: false, accumulate: false };

/// Small integers, whose products and sums are exact in double precision.
fn numbers(shape: &[usize], dtype: DType, seed: usize) -> Tensor {
    let n: usize = shape.iter().product();
    let at = |i: usize| ((i * 7 + seed * 3 + i * i % 5) % 3) as f64;
    let minus = if dtype.is_unsigned() { 0.0 } else { 1.0 };
    let values = (0..n).map(|i| match dtype.is_complex() {
        true => Complex::new(at(i) - 1.0, at(i + 1) - 1.0),
        false => Complex::new(at(i) - minus, 0.0),
    });
    stored(values.collect(), shape, dtype)
}

/// Casts values to a dtype: rounded to nearest, or wrapped around.
fn stored(values: Vec<Value>, shape: &[usize], dtype: DType) -> Tensor {
    let values = Tensor::from_vec(values, shape).unwrap();
    let values = match dtype {
        _ if dtype.is_complex() => values,
        _ if dtype.is_integer() => values.real().unwrap().astype(DType::Int64).unwrap(),
        _ => values.real().unwrap(),
    };
    values.astype(dtype).unwrap()
}

fn values(x: &Tensor) -> Vec<Value> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

/// Layouts of matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lies {
    Dense,
    Transposed,
    Stepped,
    Reversed,
    Inside,
    TurnedAndStepped,
    OneRow,
    OneColumn,
    OneElement,
}

const PLACES: [Lies; 6] = [
    Lies::Dense,
    Lies::Transposed,
    Lies::Stepped,
    Lies::Reversed,
    Lies::Inside,
    Lies::TurnedAndStepped,
];

const ALL: [Lies; 9] = [
    Lies::Dense,
    Lies::Transposed,
    Lies::Stepped,
    Lies::Reversed,
    Lies::Inside,
    Lies::TurnedAndStepped,
    Lies::OneRow,
    Lies::OneColumn,
    Lies::OneElement,
];

/// Returns a tensor with a layout within a larger one, and the larger one. Broadcast layouts have other values.
fn lying(x: &Tensor, lies: Lies) -> (Tensor, Tensor) {
    let shape = x.shape();
    let (r, c) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    let around = |rows: usize, cols: usize| {
        let shape: Vec<usize> = [&shape[..shape.len() - 2], &[rows, cols]].concat();
        numbers(&shape, x.dtype(), 1)
    };
    let last = |x: &Tensor, rows: (usize, isize), cols: (usize, isize)| {
        let rank = x.rank() as isize;
        let rows_end = x.shape()[x.rank() - 2] - rows.0;
        let cols_end = x.shape()[x.rank() - 1] - cols.0;
        let x = x.narrow(rank - 2, rows.0, rows_end).unwrap();
        let x = x.narrow(rank - 1, cols.0, cols_end).unwrap();
        x.step(-2, rows.1).unwrap().step(-1, cols.1).unwrap()
    };
    let put = |base: Tensor, view: Tensor| {
        view.copy_from(x).unwrap();
        (base, view)
    };
    match lies {
        Lies::Dense => {
            let base = around(r, c);
            put(base.clone(), base)
        }
        Lies::Transposed => {
            let base = around(c, r);
            put(base.clone(), base.mt().unwrap())
        }
        Lies::Stepped => {
            let base = around(2 * r + 1, 3 * c + 1);
            put(base.clone(), last(&base, (1, 2), (1, 3)))
        }
        Lies::Reversed => {
            let base = around(r, c);
            put(base.clone(), base.flip(&[-1, -2]).unwrap())
        }
        Lies::Inside => {
            let base = around(r + 3, c + 5);
            let rank = x.rank() as isize;
            let view = base.narrow(rank - 2, 1, r).unwrap().narrow(rank - 1, 2, c).unwrap();
            put(base, view)
        }
        Lies::TurnedAndStepped => {
            let base = around(2 * c, r + 1);
            let view = last(&base.flip(&[-2]).unwrap(), (0, 2), (1, 1)).mt().unwrap();
            put(base, view)
        }
        Lies::OneRow => repeated(&x.narrow(-2, 0, r.min(1)).unwrap(), &shape),
        Lies::OneColumn => repeated(&x.narrow(-1, 0, c.min(1)).unwrap(), &shape),
        Lies::OneElement => {
            let row = x.narrow(-2, 0, r.min(1)).unwrap();
            repeated(&row.narrow(-1, 0, c.min(1)).unwrap(), &shape)
        }
    }
}

fn repeated(x: &Tensor, shape: &[usize]) -> (Tensor, Tensor) {
    let base = x.copy().unwrap();
    (base.clone(), base.broadcast_to(shape).unwrap())
}

/// Returns the product by its definition, of operands with at least two axes.
fn naive(a: &Tensor, b: &Tensor) -> Vec<Value> {
    let (left, right) = (a.shape(), b.shape());
    let (m, k) = (left[left.len() - 2], left[left.len() - 1]);
    let n = right[right.len() - 1];
    let rank = left.len().max(right.len()) - 2;
    let length = |shape: &[usize], axis: usize| {
        let before = shape.len() - 2;
        if axis + before < rank { 1 } else { shape[axis + before - rank] }
    };
    let batch: Vec<usize> = (0..rank)
        .map(|axis| match (length(&left, axis), length(&right, axis)) {
            (1, len) | (len, 1) => len,
            (len, other) => {
                assert_eq!(len, other);
                len
            }
        })
        .collect();
    let (x, y) = (values(a), values(b));
    let count: usize = batch.iter().product();
    let mut result = Vec::new();
    for flat in 0..count {
        let place = |shape: &[usize]| {
            let (mut rest, mut at, mut step) = (flat, 0, 1);
            for axis in (0..rank).rev() {
                let i = rest % batch[axis];
                rest /= batch[axis];
                let len = length(shape, axis);
                at += if len == 1 { 0 } else { i * step };
                step *= len;
            }
            at
        };
        let (x, y) = (&x[place(&left) * m * k..], &y[place(&right) * k * n..]);
        for i in 0..m {
            for j in 0..n {
                result.push((0..k).map(|p| x[i * k + p] * y[p * n + j]).sum());
            }
        }
    }
    result
}

/// Multiplies into an output with some layout, and compares with three nested loops.
fn check(a: &Tensor, b: &Tensor, out: Lies, product: Product, what: &str) {
    let turned = |x: &Tensor, turn: bool| if turn { x.mt().unwrap() } else { x.clone() };
    let (x, y) = (turned(a, product.transpose_a), turned(b, product.transpose_b));
    let wanted = naive(&x, &y);
    let shape = x.matmul(&y).unwrap().shape();
    let before = numbers(&shape, a.dtype(), 2);
    let (base, view) = lying(&before, out);
    let around = values(&base);
    matmul_with(a, b, &view, product).unwrap();
    let sums = wanted.iter().zip(values(&before));
    let sums = sums.map(|(sum, before)| if product.accumulate { sum + before } else { *sum });
    let wanted = values(&stored(sums.collect(), &shape, a.dtype()));
    assert_eq!(values(&view), wanted, "{what}, {product:?}");
    view.copy_from(&before).unwrap();
    assert_eq!(values(&base), around, "nothing beside the output changes: {what}");
}

fn flags() -> impl Iterator<Item = Product> {
    (0..8).map(|bits| Product {
        transpose_a: bits & 1 != 0,
        transpose_b: bits & 2 != 0,
        accumulate: bits & 4 != 0,
    })
}

/// Two operands for a product of `m × k` and `k × n`, stored as the flags require.
fn operands(
    [m, k, n]: [usize; 3],
    dtype: DType,
    lies: [Lies; 2],
    product: Product,
) -> (Tensor, Tensor) {
    let a = if product.transpose_a { [k, m] } else { [m, k] };
    let b = if product.transpose_b { [n, k] } else { [k, n] };
    let (a, b) = (numbers(&a, dtype, 3), numbers(&b, dtype, 4));
    (lying(&a, lies[0]).1, lying(&b, lies[1]).1)
}

#[test]
fn all_flags_over_all_layouts_of_all_operands() {
    for product in flags() {
        for a in ALL {
            for b in ALL {
                for out in PLACES {
                    for size in [[3, 4, 5], [19, 17, 21]] {
                        let (x, y) = operands(size, DType::Float32, [a, b], product);
                        check(&x, &y, out, product, &format!("{size:?} {a:?} {b:?} {out:?}"));
                    }
                }
            }
        }
    }
}

#[test]
fn all_dtypes_over_all_layouts() {
    let sizes = [[2, 3, 4], [18, 17, 20], [1, 40, 37], [33, 25, 1]];
    for dtype in number_types() {
        for (turn, (a, b)) in ALL.into_iter().flat_map(|a| ALL.map(|b| (a, b))).enumerate() {
            let size = sizes[turn % sizes.len()];
            let product = flags().nth(turn % 8).unwrap();
            let (x, y) = operands(size, dtype, [a, b], product);
            for out in [PLACES[turn % 6], PLACES[(turn + 1) % 6]] {
                check(&x, &y, out, product, &format!("{dtype} {size:?} {a:?} {b:?} {out:?}"));
            }
        }
    }
}

/// Sizes at and next to the boundaries of tiles, buffers and vectors.
#[test]
fn all_dtypes_at_block_edges() {
    let sizes = [
        [1, 1, 1],
        [1, 2, 1],
        [4, 256, 33],
        [5, 257, 8],
        [130, 3, 66],
        [9, 600, 70],
        [1, 300, 4100],
        [2, 40, 1030],
        [7, 70, 130],
        [1030, 2, 65],
        [16, 16, 16],
        [17, 16, 16],
    ];
    for dtype in number_types() {
        for (turn, size) in sizes.into_iter().enumerate() {
            let lies = [ALL[turn % 6], ALL[(turn + dtype as usize) % 6]];
            let product = Product { accumulate: turn % 2 == 1, ..PLAIN };
            let (x, y) = operands(size, dtype, lies, product);
            check(&x, &y, PLACES[turn % 6], product, &format!("{dtype} {size:?} {lies:?}"));
        }
    }
}

#[test]
fn integers_wrap_around() {
    for dtype in number_types().filter(|dtype| dtype.is_integer()) {
        for (m, k, n) in [(3, 5, 4), (30, 300, 40)] {
            let spread = |shape: [usize; 2], seed: i64| {
                let n = (shape[0] * shape[1]) as i64;
                let values =
                    (0..n).map(|i| (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64));
                Tensor::from_vec(values.collect::<Vec<i64>>(), shape)
                    .unwrap()
                    .astype(dtype)
                    .unwrap()
            };
            let (a, b) = (spread([m, k], 1), spread([k, n], 2));
            let bits = |x: &Tensor| x.astype(DType::Int64).unwrap().to_vec::<i64>().unwrap();
            let (x, y) = (bits(&a), bits(&b));
            let wanted: Vec<i64> = (0..m * n)
                .map(|at| {
                    let (i, j) = (at / n, at % n);
                    let products = (0..k).map(|p| x[i * k + p].wrapping_mul(y[p * n + j]));
                    products.fold(0i64, i64::wrapping_add)
                })
                .collect();
            let wanted = Tensor::from_vec(wanted, [m, n]).unwrap().astype(dtype).unwrap();
            assert_eq!(bits(&a.matmul(&b).unwrap()), bits(&wanted), "{dtype}");
            let out = a.matmul(&b).unwrap();
            matmul_add_into(&a, &b, &out).unwrap();
            assert_eq!(bits(&out), bits(&wanted.add(&wanted).unwrap()), "{dtype}, twice");
        }
    }
}

#[test]
fn batches_are_broadcast() {
    let cases: [(&[usize], &[usize], &[usize]); 9] = [
        (&[7, 3, 4], &[7, 4, 5], &[7, 3, 5]),
        (&[7, 3, 4], &[4, 5], &[7, 3, 5]),
        (&[3, 4], &[7, 4, 5], &[7, 3, 5]),
        (&[2, 1, 3, 4], &[5, 4, 2], &[2, 5, 3, 2]),
        (&[2, 1, 3, 4], &[1, 5, 4, 2], &[2, 5, 3, 2]),
        (&[1, 1, 4], &[6, 4, 1], &[6, 1, 1]),
        (&[6, 1, 4], &[4, 30], &[6, 1, 30]),
        (&[30, 40], &[3, 40, 20], &[3, 30, 20]),
        (&[0, 3, 4], &[1, 4, 5], &[0, 3, 5]),
    ];
    for (left, right, shape) in cases {
        for dtype in [DType::Float64, DType::Int32, DType::BFloat16] {
            for (a, b) in PLACES.into_iter().flat_map(|a| PLACES.map(|b| (a, b))) {
                let x = lying(&numbers(left, dtype, 5), a).1;
                let y = lying(&numbers(right, dtype, 6), b).1;
                let product = x.matmul(&y).unwrap();
                assert_eq!(product.shape(), shape);
                assert_eq!(values(&product), naive(&x, &y), "{left:?} {right:?} {a:?} {b:?}");
                if !product.is_empty() {
                    check(&x, &y, b, Product { accumulate: true, ..PLAIN }, "a batch");
                }
            }
        }
    }
}

#[test]
fn batch_axes_may_have_any_strides() {
    let x = numbers(&[2, 5, 3, 4], DType::Float32, 1);
    let y = numbers(&[4, 6, 2, 3], DType::Float32, 2);
    // Axes of the batch inside of the matrices, backwards and repeated.
    let a = x.permute_dims(&[3, 2, 1, 0]).unwrap().flip(&[0]).unwrap();
    let b = y.permute_dims(&[0, 3, 2, 1]).unwrap().flip(&[1, 3]).unwrap();
    let out = Tensor::zeros([6, 4, 5, 3], DType::Float32).unwrap();
    let out = out.permute_dims(&[1, 3, 2, 0]).unwrap();
    matmul_into(&a, &b, &out).unwrap();
    assert_eq!(values(&out), naive(&a, &b));
    let row = x.slice(s![0, 0, 0, ..]).unwrap().broadcast_to([4, 3, 5, 4]).unwrap();
    let column = y.slice(s![.., 0, 0, 0]).unwrap().view([4, 1]).unwrap();
    assert_eq!(values(&row.matmul(&column).unwrap()), naive(&row, &column));
}

#[test]
fn vectors_are_rows_on_the_left_and_columns_on_the_right() {
    for dtype in [DType::Int16, DType::Float32, DType::Complex64] {
        let x = numbers(&[3, 4, 5], dtype, 1);
        let (v, w) = (numbers(&[5], dtype, 2), numbers(&[4], dtype, 3));
        let column = v.view([5, 1]).unwrap();
        let right = x.matmul(&v).unwrap();
        assert_eq!(right.shape(), [3, 4]);
        assert_eq!(values(&right), naive(&x, &column));
        let left = w.flip(&[0]).unwrap().matmul(&x).unwrap();
        assert_eq!(left.shape(), [3, 5]);
        let row = w.flip(&[0]).unwrap().view([1, 4]).unwrap();
        assert_eq!(values(&left), naive(&row, &x));
        let dot = v.matmul(&v).unwrap();
        assert_eq!(dot.shape(), [0usize; 0]);
        assert_eq!(values(&dot), naive(&v.view([1, 5]).unwrap(), &column));

        // Transpose flags do not affect vectors.
        let out = Tensor::zeros([3, 4], dtype).unwrap();
        let product = Product { transpose_a: true, transpose_b: true, accumulate: true };
        matmul_with(&x.mt().unwrap(), &v, &out, product).unwrap();
        assert_eq!(values(&out), values(&right));
        let out = Tensor::zeros([0usize; 0], dtype).unwrap();
        matmul_with(&v, &v, &out, product).unwrap();
        assert_eq!(values(&out), values(&dot));
    }
}

#[test]
fn gradients_of_a_product() {
    let (a, b) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![[5.0, 6.0], [7.0, 8.0]]);
    let g = Tensor::ones([2, 2], DType::Float64).unwrap();
    let (grad_a, grad_b) = (a.zeros_like().unwrap(), b.zeros_like().unwrap());
    matmul_with(&g, &b, &grad_a, Product { transpose_b: true, ..PLAIN }).unwrap();
    matmul_with(&a, &g, &grad_b, Product { transpose_a: true, ..PLAIN }).unwrap();
    assert_eq!(grad_a.to_vec::<f64>().unwrap(), [11.0, 15.0, 11.0, 15.0]);
    assert_eq!(grad_b.to_vec::<f64>().unwrap(), [4.0, 4.0, 6.0, 6.0]);
    let again = Product { transpose_b: true, accumulate: true, ..PLAIN };
    matmul_with(&g, &b, &grad_a, again).unwrap();
    assert_eq!(grad_a.to_vec::<f64>().unwrap(), [22.0, 30.0, 22.0, 30.0]);
}

#[test]
fn nothing_summed_up_is_zero() {
    for dtype in number_types() {
        let (a, b) = (numbers(&[3, 0], dtype, 1), numbers(&[0, 2], dtype, 1));
        assert_eq!(values(&a.matmul(&b).unwrap()), [Value::default(); 6], "{dtype}");
        let out = numbers(&[3, 2], dtype, 7);
        let before = values(&out);
        matmul_add_into(&a, &b, &out).unwrap();
        assert_eq!(values(&out), before, "{dtype}: nothing is added");
        matmul_into(&a, &b, out.flip(&[0, 1]).as_ref().unwrap()).unwrap();
        assert_eq!(values(&out), [Value::default(); 6], "{dtype}");
        let stack = numbers(&[4, 0, 5], dtype, 1);
        assert_eq!(stack.matmul(&numbers(&[5, 2], dtype, 1)).unwrap().shape(), [4, 0, 2]);
        assert_eq!(
            numbers(&[4, 5], dtype, 1).matmul(&numbers(&[5, 0], dtype, 1)).unwrap().len(),
            0
        );
        let nothing = numbers(&[0], dtype, 1);
        assert_eq!(values(&nothing.matmul(&nothing).unwrap()), [Value::default()]);
    }
}

#[test]
fn typed_views_are_operands_and_outputs() {
    let (x, y) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0f32, 0.0, 2.0]);
    let mut out = [7.0f32; 4];
    let view = View::new(&x, Layout::row_major(&[2, 3]).unwrap()).unwrap();
    let vector = View::new(&y, Layout::row_major(&[3]).unwrap()).unwrap();
    let layout = Layout::row_major(&[4]).unwrap().step(0, 2).unwrap();
    let mut target = ViewMut::new(&mut out, layout).unwrap();
    matmul_into(&view, &vector, &mut target).unwrap();
    matmul_add_into(&view, &vector, target).unwrap();
    assert_eq!(out, [14.0, 7.0, 32.0, 7.0]);
    let tensor = tensor![[1.0f32, 1.0]];
    assert_eq!(tensor.matmul(&view).unwrap().to_vec::<f32>().unwrap(), [5.0, 7.0, 9.0]);
}

#[test]
fn mismatched_shapes_are_refused() {
    let ones = |shape: &[usize]| Tensor::ones(shape, DType::Float32).unwrap();
    let cases: [(&[usize], &[usize]); 6] = [
        (&[2, 3], &[2, 3]),
        (&[2, 3], &[2]),
        (&[3], &[2, 3]),
        (&[2, 2, 3], &[3, 3, 2]),
        (&[], &[2, 3]),
        (&[2, 3], &[]),
    ];
    for (left, right) in cases {
        let error = ones(left).matmul(&ones(right)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Shape, "{left:?} {right:?}");
        let wanted = format!("cannot multiply matrices of shapes {left:?} and {right:?}");
        assert_eq!(error.to_string(), wanted);
    }
    let error = ones(&[2, 3]).matmul(2.0).unwrap_err();
    assert_eq!(error.to_string(), "cannot multiply matrices of shapes [2, 3] and []");
    let flags = Product { transpose_a: true, ..PLAIN };
    let error = matmul_with(&ones(&[2, 3]), &ones(&[3, 2]), &ones(&[2, 2]), flags).unwrap_err();
    assert_eq!(error.to_string(), "cannot multiply matrices of shapes [3, 2] and [3, 2]");
    let error = matmul_into(&ones(&[2, 3]), &ones(&[3, 2]), &ones(&[2, 3])).unwrap_err();
    assert_eq!(error.to_string(), "matmul needs shape [2, 2], got [2, 3]");
}

#[test]
fn output_dtypes_that_cannot_hold_the_result_are_refused() {
    let truth = tensor![[true, false]];
    let error = truth.matmul(&truth.t().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "matmul is not supported for bool");
    let (x, out) = (tensor![[1.0f32]], tensor![[1.0f64]]);
    let error = matmul_into(&x, &x, &out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DType);
    assert_eq!(error.to_string(), "expected a tensor of float32, got float64");
}

#[test]
fn an_output_that_is_also_an_operand_is_refused() {
    let x = numbers(&[4, 4], DType::Float32, 1);
    let y = numbers(&[4, 4], DType::Float32, 2);
    let wide = numbers(&[4, 8], DType::Float32, 3);
    let (even, odd) = (wide.slice(s![.., ..;2]).unwrap(), wide.slice(s![.., 1..;2]).unwrap());
    let before = values(&x);
    for (a, b) in [(&x, &y), (&y, &x), (&x, &x)] {
        let error = matmul_into(a, b, &x).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Borrow);
        assert_eq!(error.to_string(), "the output of matmul shares memory with an operand");
        assert!(matmul_add_into(a, b, &x.t().unwrap()).is_err());
    }
    assert_eq!(values(&x), before);
    matmul_into(&even, &even, &odd).unwrap();
    assert_eq!(values(&odd), naive(&even, &even), "interleaved halves share nothing");
    let repeated = tensor![[1.0f32]].broadcast_to([4, 4]).unwrap();
    assert_eq!(matmul_into(&x, &y, &repeated).unwrap_err().kind(), ErrorKind::Borrow);
}

#[test]
fn mixed_dtypes_are_promoted_with_a_copy_event() {
    let (x, y) = (tensor![[1, 2], [3, 4]], tensor![[0.5, 1.0], [1.5, 2.0]]);
    let (product, log) = copies::record(|| x.matmul(&y.t().unwrap()).unwrap());
    assert_eq!(product.dtype(), DType::Float64);
    assert_eq!(product.to_vec::<f64>().unwrap(), [2.5, 5.5, 5.5, 12.5]);
    assert_eq!(log.len(), 1);
    assert_eq!((log[0].op, log[0].bytes), ("matmul", 32));
    assert_eq!(log[0].reason, copies::CopyReason::Cast);
    assert!(log[0].caller.file().ends_with("matmul.rs"));
    let error = copies::forbid(|| x.matmul(&y)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Copy);
    let cases = [
        (DType::UInt8, DType::Int8, DType::Int16),
        (DType::Float16, DType::BFloat16, DType::Float32),
        (DType::Float32, DType::Complex64, DType::Complex64),
        (DType::Bool, DType::Int32, DType::Int32),
    ];
    for (left, right, result) in cases {
        let (a, b) = (numbers(&[3, 4], left, 1), numbers(&[4, 2], right, 2));
        let product = a.matmul(&b).unwrap();
        assert_eq!(product.dtype(), result);
        assert_eq!(values(&product), naive(&a, &b));
    }
}

#[test]
fn strided_operands_are_not_copied() {
    let x = numbers(&[40, 50], DType::Float32, 1);
    let (product, log) = copies::record(|| x.matmul(&x.t().unwrap()).unwrap());
    assert_eq!(values(&product), naive(&x, &x.t().unwrap()));
    assert!(log.is_empty());
    assert!(
        copies::forbid(|| x.flip(&[0]).unwrap().matmul(&x.step(0, -2).unwrap().t().unwrap()))
            .is_ok()
    );
}

/// Returns random numbers between -1 and 1.
fn noise(shape: &[usize], dtype: DType, seed: u64) -> Tensor {
    let n: usize = shape.iter().product();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let values: Vec<Value> = (0..n).map(|_| Complex::new(next(), next())).collect();
    stored(values, shape, dtype)
}

#[test]
fn larger_products_are_close() {
    // The error of a sum of `k` products, rounded after each of them; halves are rounded at the end.
    let tolerances = [
        (DType::Float16, 1e-3),
        (DType::BFloat16, 8e-3),
        (DType::Float32, 2e-6),
        (DType::Float64, 1e-14),
        (DType::Complex64, 4e-6),
        (DType::Complex128, 2e-14),
    ];
    let sizes = [[200, 200, 200], [123, 77, 181], [1, 200, 199], [200, 3, 150], [31, 2000, 33]];
    for (dtype, tolerance) in tolerances {
        for (turn, [m, k, n]) in sizes.into_iter().enumerate() {
            let a = lying(&noise(&[m, k], dtype, 1), ALL[turn]).1;
            let b = lying(&noise(&[k, n], dtype, 2), ALL[turn + 1]).1;
            let wanted = naive(&a, &b);
            let scale = (k as f64).sqrt();
            let found = a.matmul(&b).unwrap();
            for (found, wanted) in values(&found).into_iter().zip(&wanted) {
                let error = (found - wanted).norm() / scale.max(wanted.norm());
                assert!(error < tolerance, "{dtype} {m} {k} {n}: {found} {wanted} {error}");
            }
        }
    }
}

#[test]
fn half_precision_is_rounded_once() {
    // 2048 + 1 is not a float16: sums with intermediate rounding lose some or all of the ones.
    for dtype in [DType::Float16, DType::BFloat16] {
        for (n, count) in [1, 3, 40].into_iter().flat_map(|n| [264, 265, 2048].map(|k| (n, k))) {
            let a = Tensor::ones([n, count + 1], dtype).unwrap();
            let b = Tensor::ones([count + 1, n], dtype).unwrap();
            b.slice(s![0, ..]).unwrap().fill(2048.0).unwrap();
            let sum = Complex::new(2048.0 + count as f64, 0.0);
            let wanted = stored(vec![sum; n * n], &[n, n], dtype);
            assert_eq!(values(&a.matmul(&b).unwrap()), values(&wanted), "{dtype} {n} {count}");
        }
    }
}

#[test]
fn results_are_bitwise_equal_for_any_number_of_threads() {
    let bits = |x: &Tensor| {
        let real = if x.dtype().is_complex() { x.real().unwrap() } else { x.clone() };
        let bits = |x: f64| x.to_bits();
        real.astype(DType::Float64)
            .unwrap()
            .to_vec::<f64>()
            .unwrap()
            .into_iter()
            .map(bits)
            .collect()
    };
    let sizes: [(&[usize], &[usize]); 5] = [
        (&[300, 700], &[700, 310]),
        (&[1, 800], &[800, 9000]),
        (&[40, 20_000], &[20_000, 50]),
        (&[50, 60, 70], &[50, 70, 80]),
        (&[3000, 5, 6], &[6, 7]),
    ];
    for (left, right) in sizes {
        for dtype in
            [DType::Float32, DType::Float64, DType::BFloat16, DType::Complex64, DType::Int32]
        {
            let (a, b) = (noise(left, dtype, 3), noise(right, dtype, 4));
            let run = |n: usize| with_num_threads(n, || bits(&a.matmul(&b).unwrap()));
            let one: Vec<u64> = run(1);
            assert_eq!(run(2), one, "{dtype} {left:?}");
            assert_eq!(run(3), one, "{dtype} {left:?}");
        }
    }
}

#[test]
fn overwritten_output_is_not_read() {
    // A NaN times zero would stay one.
    for (m, k, n) in [(2, 3, 4), (1, 50, 300), (60, 70, 80), (30, 2, 30), (300, 20, 1)] {
        for dtype in [DType::Float32, DType::Float64, DType::Float16, DType::Complex64] {
            for lies in PLACES {
                let (a, b) = (numbers(&[m, k], dtype, 1), numbers(&[k, n], dtype, 2));
                let out = Tensor::full([m, n], f64::NAN).unwrap().astype(dtype).unwrap();
                let out = lying(&out, lies).1;
                matmul_into(&a, &b, &out).unwrap();
                assert_eq!(values(&out), naive(&a, &b), "{dtype} {m} {k} {n} {lies:?}");
            }
        }
    }
}

#[test]
fn infinities_and_nans_propagate() {
    for n in [2, 40] {
        let a = Tensor::ones([n, n], DType::Float32).unwrap();
        a.set(&[0, 0], f32::INFINITY).unwrap();
        a.set(&[1, 1], f32::NAN).unwrap();
        let product = a.matmul(&Tensor::ones([n, n], DType::Float32).unwrap()).unwrap();
        assert_eq!(product.get::<f32>(&[0, n - 1]).unwrap(), f32::INFINITY);
        assert!(product.get::<f32>(&[1, 0]).unwrap().is_nan());
    }
}

#[test]
fn lens_operand_is_copied_with_an_event() {
    let x = tensor![[1, 2], [3, 4]];
    let tiled = x.lens().tile(&[1, 2]).unwrap();
    let (product, log) = belvedere::copies::record(|| x.matmul(&tiled).unwrap());
    assert_eq!(product.to_vec::<i32>().unwrap(), [7, 10, 7, 10, 15, 22, 15, 22]);
    assert_eq!((log.len(), log[0].op, log[0].bytes), (1, "matmul", 32));
    let (product, log) = belvedere::copies::record(|| tensor![[1.0, 1.0]].matmul(&tiled).unwrap());
    assert_eq!(product.to_vec::<f64>().unwrap(), [4.0, 6.0, 4.0, 6.0]);
    assert_eq!(log.len(), 2, "to have strides, and to be of another type");
}

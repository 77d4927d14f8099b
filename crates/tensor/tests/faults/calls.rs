//! Calls of operations that the guides have only on few elements, or not at all.

use super::rows::Given;
use belvedere::prelude::*;
use belvedere::random::Generator;
use belvedere::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A call with the operands of the guides.
type Call = fn(&Given) -> Result<(), Error>;

/// Rows whose expression has the lengths of the small operands in it.
pub(super) const NEEDS_SMALL_OPERANDS: &[&str] = &[
    "a.view([4, 3])?",
    "v.broadcast_to([3, 4])?",
    "c.unflatten(2, [2, 2])?",
    "a.sum_to_shape([1, 4])?",
    "a.index_add(0, i, &b.slice(s![..2])?)?",
    "v.slice(s![..3])?.vecmat(a)?",
    "s.cross(&s.flip(0)?, -1)?",
    "linalg::solve(s, &v.slice(s![..3])?)?",
];

/// Operations that need no call, because they allocate no elements: comparisons of whole tensors, texts, single elements,
/// views and tensors without memory; and `collect`, which allocates as every `FromIterator` does.
pub(super) const NOT_CALLED: &[&str] = &[
    "allclose",
    "assemble",
    "assert_close",
    "collect",
    "display",
    "eq",
    "inspect",
    "item",
    "repr",
    "rows",
    "through",
    "to_device",
];

const N: usize = 4096;

fn numbers() -> Generator {
    Generator::new(1)
}

/// The name of each call is that of the operation.
#[rustfmt::skip]
pub(super) const CALLS: &[(&str, Call)] = &[
    // Creation.
    ("zeros", |_| Tensor::zeros([N], DType::Int8).map(drop)),
    ("ones", |_| Tensor::ones([N], DType::Int8).map(drop)),
    ("full", |_| Tensor::full([N], 1.5).map(drop)),
    ("arange", |_| Tensor::arange(0..N as i64).map(drop)),
    ("linspace", |_| Tensor::linspace(0.0, 1.0, N, DType::Float64).map(drop)),
    ("eye", |_| Tensor::eye(100, DType::Float64).map(drop)),
    ("from_fn", |_| Tensor::from_fn([64, 64], |at| at[0] as f64).map(drop)),
    ("from_slice", |x| Tensor::from_slice(&x.a.read::<f64>()?.as_slice().unwrap()[..N], [N]).map(drop)),
    ("zeros_col_major", |_| Tensor::zeros_col_major([64, 64], DType::Float64).map(drop)),
    ("empty", |_| Tensor::empty_on([N], DType::Int8, Device::Cpu).map(drop)),
    // Copies and conversions.
    ("to_vec", |x| x.a.t()?.to_vec::<f64>().map(drop)),
    ("astype of a view", |x| x.a.t()?.astype(DType::Float32).map(drop)),
    ("copy_from overlap", |x| x.a.slice(s![1..])?.copy_from(&x.a.slice(s![..-1])?)),
    ("assign overlap", |x| x.a.assign(s![.., 1..], &x.a.slice(s![.., ..;-1])?.slice(s![.., 1..])?)),
    ("add_assign of a cast", |x| x.a.add_assign(&x.v.astype(DType::Float32)?)),
    ("display", |x| { let _ = x.a.to_string(); Ok(()) }),
    ("rearrange", |x| x.c.rearrange("n h w -> w (n h)", &[]).map(drop)),
    ("lens", |x| x.a.lens().reshape([64, -1])?.to_tensor().map(drop)),
    ("lens pad", |x| x.a.lens().pad_with([(1, 1), (2, 2)], 0.0)?.to_tensor().map(drop)),
    ("lens sum", |x| x.a.t()?.lens().reshape([64, -1])?.sum(0).map(drop)),
    ("lens sum of all", |x| x.a.t()?.lens().reshape([64, -1])?.sum(()).map(drop)),
    // Closures and lazy expressions.
    ("zip map", |x| zip((&x.a, &x.b)).map(|x: f64, y: f64| x * y).map(drop)),
    ("zip of a view", |x| zip((&x.a.t()?, &x.b.t()?)).fold(0.0, |sum, x: f64, y: f64| sum + x * y).map(drop)),
    ("lazy", |x| lazy(&x.a).add(&x.b).mul(&x.v).exp().eval().map(drop)),
    ("lazy into", |x| lazy(&x.a).add(&x.b).mul(&x.v).eval_into(&x.b)),
    // In place, along axes and over strided lanes.
    ("sort_assign of columns", |x| x.a.sort_assign(0)),
    ("sort_assign of a lane", |x| x.v.sort_assign(0)),
    // A negative zero in the last lane, which needs other buffers than the lanes before it.
    ("sort_assign of a negative zero", |x| {
        let y = x.c.flip((0, 1))?.neg()?;
        let before = y.to_vec::<f64>()?;
        y.sort_assign(2).inspect_err(|_| assert_eq!(y.to_vec::<f64>().unwrap(), before))
    }),
    ("argsort of columns", |x| x.a.argsort(0).map(drop)),
    ("sort of many", |x| x.a.reshape([-1])?.sort(0).map(drop)),
    ("softmax of columns", |x| x.a.softmax(0).map(drop)),
    ("cumsum of columns", |x| x.a.cumsum(0).map(drop)),
    ("topk of a lane", |x| x.a.reshape([-1])?.topk(700, 0).map(drop)),
    ("quantile of columns", |x| x.a.quantile(0.3, 0).map(drop)),
    ("median of all", |x| x.a.median(()).map(drop)),
    // Products.
    ("matmul", |x| x.a.matmul(&x.b.t()?).map(drop)),
    ("matmul of columns", |x| x.a.t()?.matmul(&x.b).map(drop)),
    ("matmul of float32", |x| x.a.astype(DType::Float32)?.t()?.matmul(&x.b.astype(DType::Float32)?).map(drop)),
    ("matmul of float16", |x| x.a.astype(DType::Float16)?.t()?.matmul(&x.b.astype(DType::Float16)?).map(drop)),
    ("matmul of integers", |x| x.a.astype(DType::Int32)?.t()?.matmul(&x.b.astype(DType::Int32)?).map(drop)),
    ("matmul of complex", |x| x.z.unsqueeze(1)?.matmul(&x.z.unsqueeze(0)?).map(drop)),
    ("matmul_into", |x| matmul_into(&x.a.t()?, &x.b, &Tensor::zeros([640, 640], DType::Float64)?)),
    ("einsum", |x| einsum("ij,kj,kl->il", &[&x.a, &x.b, &x.b]).map(drop)),
    // Sets of many distinct elements.
    ("unique_all", |x| x.a.unique_all().map(drop)),
    ("unique_values", |x| x.a.unique_values().map(drop)),
    ("unique_counts", |x| x.a.unique_counts().map(drop)),
    ("unique_inverse", |x| x.a.unique_inverse().map(drop)),
    ("union1d", |x| union1d(&x.a, &x.b).map(drop)),
    ("setxor1d", |x| setxor1d(&x.a, &x.b).map(drop)),
    ("isin", |x| isin(&x.a, &x.b).map(drop)),
    ("isin of integers", |x| isin(&x.n, &x.i.mul(1000i64)?).map(drop)),
    ("histogram", |x| x.a.histogram(1000).map(drop)),
    ("bincount", |x| x.n.mul(1000i64)?.bincount(None, 0).map(drop)),
    // Operations whose rows have the lengths of the small operands.
    ("sum_to_shape", |x| x.a.sum_to_shape([1, 640]).map(drop)),
    ("index_add", |x| x.a.index_add(0, &x.i, &x.b.slice(s![..1])?)),
    ("gather", |x| x.a.gather(1, &x.i.unsqueeze(0)?).map(drop)),
    ("vecmat", |x| x.v.slice(s![..16])?.vecmat(&x.a).map(drop)),
    ("cross", |x| x.a.reshape([-1])?.slice(s![..10_239])?.reshape([-1, 3])?.cross(&tensor![1.0, 2.0, 3.0], -1).map(drop)),
    ("solve", |x| linalg::solve(&x.s, &x.s).map(drop)),
    // Gradients, closures that return nothing, and vectors.
    ("embedding_grad", |x| nn::embedding_grad(&x.a.index(at![&x.i])?, &x.i, 16).map(drop)),
    ("softmax_grad", |x| x.a.softmax_grad(&x.b, 1).map(drop)),
    ("log_softmax_grad", |x| x.a.log_softmax_grad(&x.b, 1).map(drop)),
    ("for_each", |x| zip((&x.a.t()?, &x.b.t()?)).for_each(|_: f64, _: f64| ())),
    ("into_vec", |x| x.a.t()?.into_vec::<f64>().map(drop)),
    ("compress_assign", |x| x.a.compress_assign(&x.m.slice(s![0])?, 1, 0.0)),
    ("materialize", |x| x.a.lens().reshape([64, -1])?.materialize().map(drop)),
    // Random numbers.
    ("multivariate_normal", |x| numbers().multivariate_normal(&x.v.slice(s![..32])?, &x.s, [32]).map(drop)),
    ("multivariate_hypergeometric", |x| numbers().multivariate_hypergeometric(&x.n, 10, [8]).map(drop)),
    ("multinomial", |x| numbers().multinomial(10, &x.n.div(x.n.sum(())?)?, [8]).map(drop)),
    ("permuted", |x| numbers().permuted(&x.a, Some(1)).map(drop)),
    ("dirichlet", |x| numbers().dirichlet(&x.b.slice(s![0])?.add(1.0)?, [8]).map(drop)),
    ("rand", |_| numbers().rand([N], DType::Float64).map(drop)),
    ("randn", |_| numbers().randn([N], DType::Float32).map(drop)),
    ("uniform", |_| numbers().uniform(2.0, 3.0, [N], DType::Float64).map(drop)),
    ("normal", |_| numbers().normal(2.0, 3.0, [N], DType::Float64).map(drop)),
    ("exponential", |_| numbers().exponential(2.0, [N], DType::Float64).map(drop)),
    ("integers", |_| numbers().integers(0, 6, [N], DType::Int64).map(drop)),
    ("bernoulli", |_| numbers().bernoulli(0.5, [N]).map(drop)),
    ("permutation", |_| numbers().permutation(N).map(drop)),
    ("permutation_of", |x| numbers().permutation_of(&x.a, 1).map(drop)),
    ("shuffle", |x| numbers().shuffle(&x.a, 0)),
    ("shuffle of lanes", |x| numbers().shuffle(&x.a, 1)),
    ("choice", |_| numbers().choice(N, [N], false, None).map(drop)),
    ("choice of few", |_| numbers().choice(1 << 20, [1000], false, None).map(drop)),
    ("choice with weights", |x| numbers().choice(640, [N], true, Some(&x.b.to_vec::<f64>()?[..640])).map(drop)),
    // Memory for other libraries.
    ("export", |x| x.a.copy()?.note_export()),
];

/// Collects the names of the operations that the sources announce.
pub(super) fn announced_operations(names: &mut BTreeSet<String>) {
    for_each_source(&mut |text| {
        let calls = text.split("Call::new(\"").skip(1);
        names.extend(calls.filter_map(|it| it.split('"').next()).map(str::to_owned));
    });
}

/// Calls a function with the text of each source file that defines operations.
pub(super) fn for_each_source(f: &mut dyn FnMut(&str)) {
    for folder in ["src/op", "src/tensor", "src/lens"] {
        visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), f);
    }
}

fn visit(folder: &Path, f: &mut dyn FnMut(&str)) {
    for entry in fs::read_dir(folder).expect("the sources are here") {
        let path = entry.expect("a name").path();
        match path.is_dir() {
            true => visit(&path, f),
            false => f(&fs::read_to_string(&path).expect("a text")),
        }
    }
}

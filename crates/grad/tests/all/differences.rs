//! Each operation against central differences of its values, for every component of every element of the storages of operands
//! with unusual layouts. More cases are in `complex_cases.rs`, `factorization_cases.rs`, `fourier_cases.rs` and
//! `quantile_cases.rs`.

use crate::{complex_cases, factorization_cases, fourier_cases, quantile_cases};
use belvedere::prelude::*;
use belvedere::{Operand, Product, keep};
use belvedere_grad::Tape;
use std::panic::catch_unwind;

type Function = fn(&[Tensor]) -> Result<Tensor, Error>;

/// A function with the range of the numbers that it is tested on.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The number of operands, each a matrix of 3 × 4.
    n: usize,
    range: (f64, f64),
    /// Whether the operands are complex.
    is_complex: bool,
    pub(crate) function: Function,
}

pub(crate) const fn case(
    name: &'static str,
    n: usize,
    range: (f64, f64),
    function: Function,
) -> Case {
    Case { name, n, range, is_complex: false, function }
}

/// The same with complex operands, whose real and imaginary parts are in the range.
pub(crate) const fn complex(
    name: &'static str,
    n: usize,
    range: (f64, f64),
    function: Function,
) -> Case {
    Case { is_complex: true, ..case(name, n, range, function) }
}

impl Case {
    pub(crate) fn is_complex(&self) -> bool {
        self.is_complex
    }

    pub(crate) fn n_operands(&self) -> usize {
        self.n
    }

    /// Returns the value for operands that are layouts over memory.
    pub(crate) fn value(&self, operands: &[(Tensor, Layout)]) -> Result<Tensor, Error> {
        let views = operands.iter().map(|(memory, layout)| memory.through(layout.clone()));
        (self.function)(&views.collect::<Result<Vec<_>, _>>()?)
    }
}

/// Returns all cases.
pub(crate) fn all_cases() -> impl Iterator<Item = &'static Case> {
    let others = [complex_cases::CASES, factorization_cases::CASES, fourier_cases::CASES];
    let others = others.into_iter().chain([quantile_cases::CASES]);
    CASES.iter().chain(others.flatten())
}

pub(crate) const ALL: (f64, f64) = (-1.7, 1.7);
pub(crate) const POSITIVE: (f64, f64) = (0.3, 2.2);
pub(crate) const SMALL: (f64, f64) = (-0.8, 0.8);

/// A square matrix that is far from singular, of the first three columns.
pub(crate) fn square(x: &Tensor) -> Result<Tensor, Error> {
    x.slice(s![.., ..3])?.add(&Tensor::eye(3, DType::Float64)?.mul(4.0)?)
}

/// A Hermitian positive definite matrix.
pub(crate) fn definite(x: &Tensor) -> Result<Tensor, Error> {
    let x = x.slice(s![.., ..3])?;
    x.add(&x.t()?.conj()?)?.add(&Tensor::eye(3, DType::Float64)?.mul(6.0)?)
}

pub(crate) fn indices() -> Tensor {
    tensor![2i64, 0, 2, 1]
}

pub(crate) fn mask() -> Result<Tensor, Error> {
    tensor![[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]].astype(DType::Bool)
}

/// Copies `x` and changes the copy.
pub(crate) fn edited(
    x: &Tensor,
    edit: impl FnOnce(&Tensor) -> Result<(), Error>,
) -> Result<Tensor, Error> {
    let y = x.copy()?;
    edit(&y)?;
    Ok(y)
}

const CASES: &[Case] = &[
    case("negative", 1, ALL, |x| x[0].negative()),
    case("positive", 1, ALL, |x| x[0].positive()),
    case("sin", 1, ALL, |x| x[0].sin()),
    case("cos", 1, ALL, |x| x[0].cos()),
    case("tanh", 1, ALL, |x| x[0].tanh()),
    case("sinh", 1, ALL, |x| x[0].sinh()),
    case("cosh", 1, ALL, |x| x[0].cosh()),
    case("asinh", 1, ALL, |x| x[0].asinh()),
    case("atan", 1, ALL, |x| x[0].atan()),
    case("expm1", 1, ALL, |x| x[0].expm1()),
    case("exp", 1, ALL, |x| x[0].exp()),
    case("exp2", 1, ALL, |x| x[0].exp2()),
    case("square", 1, ALL, |x| x[0].square()),
    case("sigmoid", 1, ALL, |x| x[0].sigmoid()),
    case("softplus", 1, ALL, |x| x[0].softplus()),
    case("swish", 1, ALL, |x| x[0].swish()),
    case("gelu", 1, ALL, |x| x[0].gelu()),
    case("gelu_tanh", 1, ALL, |x| x[0].gelu_tanh()),
    case("erf", 1, ALL, |x| x[0].erf()),
    case("erfc", 1, ALL, |x| x[0].erfc()),
    case("deg2rad", 1, ALL, |x| x[0].deg2rad()),
    case("rad2deg", 1, ALL, |x| x[0].rad2deg()),
    case("sinc", 1, ALL, |x| x[0].sinc()),
    case("cbrt", 1, ALL, |x| x[0].cbrt()),
    case("relu", 1, ALL, |x| x[0].relu()),
    case("relu6", 1, ALL, |x| x[0].relu6()),
    case("abs", 1, ALL, |x| x[0].abs()),
    case("tan", 1, ALL, |x| x[0].tan()),
    case("hard_sigmoid", 1, ALL, |x| x[0].hard_sigmoid()),
    case("hard_swish", 1, ALL, |x| x[0].hard_swish()),
    case("sqrt", 1, POSITIVE, |x| x[0].sqrt()),
    case("rsqrt", 1, POSITIVE, |x| x[0].rsqrt()),
    case("log", 1, POSITIVE, |x| x[0].log()),
    case("log2", 1, POSITIVE, |x| x[0].log2()),
    case("log10", 1, POSITIVE, |x| x[0].log10()),
    case("log1p", 1, POSITIVE, |x| x[0].log1p()),
    case("reciprocal", 1, POSITIVE, |x| x[0].reciprocal()),
    case("asin", 1, SMALL, |x| x[0].asin()),
    case("acos", 1, SMALL, |x| x[0].acos()),
    case("atanh", 1, SMALL, |x| x[0].atanh()),
    case("erfinv", 1, SMALL, |x| x[0].erfinv()),
    case("acosh", 1, (1.2, 3.0), |x| x[0].acosh()),
    case("logit", 1, (0.1, 0.9), |x| x[0].logit()),
    case("nan_to_num", 1, ALL, |x| x[0].nan_to_num(Some(0.0), None, None)),
    case("add", 2, ALL, |x| x[0].add(&x[1])),
    case("sub", 2, ALL, |x| x[0].sub(&x[1])),
    case("mul", 2, ALL, |x| x[0].mul(&x[1])),
    case("maximum", 2, ALL, |x| x[0].maximum(&x[1])),
    case("minimum", 2, ALL, |x| x[0].minimum(&x[1])),
    case("fmax", 2, ALL, |x| x[0].fmax(&x[1])),
    case("fmin", 2, ALL, |x| x[0].fmin(&x[1])),
    case("logaddexp", 2, ALL, |x| x[0].logaddexp(&x[1])),
    case("hypot", 2, POSITIVE, |x| x[0].hypot(&x[1])),
    case("atan2", 2, POSITIVE, |x| x[0].atan2(&x[1])),
    case("copysign", 2, ALL, |x| x[0].copysign(&x[1])),
    case("div", 2, POSITIVE, |x| x[0].div(&x[1])),
    case("pow", 2, POSITIVE, |x| x[0].pow(&x[1])),
    case("xlogy", 2, POSITIVE, |x| x[0].xlogy(&x[1])),
    case("remainder", 2, POSITIVE, |x| x[0].remainder(&x[1])),
    case("fmod", 2, POSITIVE, |x| x[0].fmod(&x[1])),
    case("mul_add", 3, ALL, |x| x[0].mul_add(&x[1], &x[2])),
    case("lerp", 3, ALL, |x| x[0].lerp(&x[1], &x[2])),
    case("addcmul", 3, ALL, |x| x[0].addcmul(&x[1], &x[2], 2.0)),
    case("addcdiv", 3, POSITIVE, |x| x[0].addcdiv(&x[1], &x[2], 2.0)),
    case("heaviside", 2, ALL, |x| x[0].heaviside(&x[1])),
    case("gelu_grad", 2, ALL, |x| x[0].gelu_grad(&x[1])),
    case("gelu_tanh_grad", 2, ALL, |x| x[0].gelu_tanh_grad(&x[1])),
    case("hard_sigmoid_grad", 2, ALL, |x| x[0].hard_sigmoid_grad(&x[1])),
    case("hard_swish_grad", 2, ALL, |x| x[0].hard_swish_grad(&x[1])),
    case("leaky_relu", 2, ALL, |x| x[0].leaky_relu(&x[1])),
    case("elu", 2, ALL, |x| x[0].elu(&x[1])),
    case("number left", 1, POSITIVE, |x| Operand::from(2.0).pow(&x[0])),
    case("number right", 1, POSITIVE, |x| x[0].pow(3)?.mul(2.5)?.div(3.0)?.sub(1)),
    case("scalar operand", 1, POSITIVE, |x| {
        x[0].mul(&x[0].slice(s![1, 2])?)?.add(&x[0].slice(s![0])?)
    }),
    case("where", 2, ALL, |x| where_(&x[0].greater(0.1)?, &x[0], &x[1])),
    case("clip", 3, ALL, |x| x[0].clip(&x[1].sub(1.0)?, &x[2].add(0.5)?)),
    case("clip below", 2, ALL, |x| x[0].clip(&x[1], ())),
    case("clip above", 2, ALL, |x| x[0].clip((), &x[1])),
    case("clip number", 1, ALL, |x| x[0].clip(-0.5, 0.5)),
    case("masked_fill", 2, ALL, |x| x[0].masked_fill(&mask()?, &x[1])),
    case("floor", 1, ALL, |x| x[0].floor()?.add(&x[0])),
    case("astype", 1, ALL, |x| x[0].mul(2.0)?.astype(DType::Float64)),
    case("copy", 1, ALL, |x| x[0].copy()),
    case("getitem", 1, ALL, |x| {
        x[0].element_through("getitem", &[], x[0].layout().select(0, 1)?.select(0, 2)?)
    }),
    case("conj", 1, ALL, |x| edited(&x[0], |y| belvedere::conj_into(&x[0].flip([0])?, y))),
    case("reshape", 1, ALL, |x| x[0].t()?.reshape([2, 6])),
    case("contiguous", 1, ALL, |x| x[0].t()?.contiguous()),
    case("lens", 1, ALL, |x| x[0].lens().reshape([2, 6])?.pad([(1, 0), (0, 2)])?.materialize()),
    case("lens sum", 2, ALL, |x| x[0].add(&x[1].lens().t()?.reshape([3, 4])?)),
    case("sum all", 1, ALL, |x| x[0].sum(())),
    case("sum 0", 1, ALL, |x| x[0].sum(0)),
    case("sum kept", 1, ALL, |x| x[0].sum(keep(1))),
    case("mean all", 1, ALL, |x| x[0].mean(())),
    case("mean 0", 1, ALL, |x| x[0].mean(0)),
    case("mean kept", 1, ALL, |x| x[0].mean(keep(1))),
    case("prod all", 1, ALL, |x| x[0].prod(())),
    case("prod 0", 1, ALL, |x| x[0].prod(0)),
    case("prod kept", 1, ALL, |x| x[0].prod(keep(1))),
    case("max all", 1, ALL, |x| x[0].max(())),
    case("max 0", 1, ALL, |x| x[0].max(0)),
    case("max kept", 1, ALL, |x| x[0].max(keep(1))),
    case("min all", 1, ALL, |x| x[0].min(())),
    case("min 0", 1, ALL, |x| x[0].min(0)),
    case("min kept", 1, ALL, |x| x[0].min(keep(1))),
    case("logsumexp all", 1, ALL, |x| x[0].logsumexp(())),
    case("logsumexp 0", 1, ALL, |x| x[0].logsumexp(0)),
    case("logsumexp kept", 1, ALL, |x| x[0].logsumexp(keep(1))),
    case("nansum all", 1, ALL, |x| x[0].nansum(())),
    case("nansum 0", 1, ALL, |x| x[0].nansum(0)),
    case("nansum kept", 1, ALL, |x| x[0].nansum(keep(1))),
    case("nanmean all", 1, ALL, |x| x[0].nanmean(())),
    case("nanmean 0", 1, ALL, |x| x[0].nanmean(0)),
    case("nanmean kept", 1, ALL, |x| x[0].nanmean(keep(1))),
    case("nanmax all", 1, ALL, |x| x[0].nanmax(())),
    case("nanmax 0", 1, ALL, |x| x[0].nanmax(0)),
    case("nanmax kept", 1, ALL, |x| x[0].nanmax(keep(1))),
    case("nanmin all", 1, ALL, |x| x[0].nanmin(())),
    case("nanmin 0", 1, ALL, |x| x[0].nanmin(0)),
    case("nanmin kept", 1, ALL, |x| x[0].nanmin(keep(1))),
    case("ptp all", 1, ALL, |x| x[0].ptp(())),
    case("ptp 0", 1, ALL, |x| x[0].ptp(0)),
    case("ptp kept", 1, ALL, |x| x[0].ptp(keep(1))),
    case("var all", 1, ALL, |x| x[0].var(())),
    case("var 0", 1, ALL, |x| x[0].var(0)),
    case("var with", 1, ALL, |x| x[0].var_with(keep(1), 1.0)),
    case("std all", 1, ALL, |x| x[0].std(())),
    case("std 1", 1, ALL, |x| x[0].std(1)),
    case("std with", 1, ALL, |x| x[0].std_with(keep(1), 1.0)),
    case("norm 1.0", 1, ALL, |x| x[0].norm_with(1, 1.0)),
    case("norm 2.0", 1, ALL, |x| x[0].norm_with(1, 2.0)),
    case("norm 3.0", 1, ALL, |x| x[0].norm_with(1, 3.0)),
    case("norm f64::INFINITY", 1, ALL, |x| x[0].norm_with(1, f64::INFINITY)),
    case("norm f64::NEG_INFINITY", 1, ALL, |x| x[0].norm_with(1, f64::NEG_INFINITY)),
    case("norm 2.5", 1, ALL, |x| x[0].norm_with(1, 2.5)),
    case("cumulative_sum", 1, ALL, |x| x[0].cumulative_sum(1)),
    case("cumulative_prod", 1, ALL, |x| x[0].cumulative_prod(1)),
    case("cummax", 1, ALL, |x| x[0].cummax(1)),
    case("cummin", 1, ALL, |x| x[0].cummin(0)),
    case("logcumsumexp", 1, ALL, |x| x[0].logcumsumexp(1)),
    case("softmax", 1, ALL, |x| x[0].softmax(1)),
    case("softmax 0", 1, ALL, |x| x[0].softmax(0)),
    case("log_softmax", 1, ALL, |x| x[0].log_softmax(1)),
    case("softmax_grad", 2, ALL, |x| x[0].softmax_grad(&x[1], 1)),
    case("matmul", 2, ALL, |x| x[0].matmul(&x[1].t()?)),
    case("matmul vector", 2, ALL, |x| x[0].matmul(&x[1].slice(s![1])?)),
    case("matmul row", 2, ALL, |x| x[0].slice(s![.., 1])?.matmul(&x[1])),
    case("matmul vectors", 2, ALL, |x| x[0].slice(s![1])?.matmul(&x[1].slice(s![2])?)),
    case("matmul batch", 2, ALL, |x| {
        x[0].unsqueeze(0)?.broadcast_to([2, 3, 4])?.matmul(&x[1].t()?)
    }),
    case("matmul_with", 2, ALL, |x| {
        let y = Tensor::ones([4, 4], DType::Float64)?;
        belvedere::matmul_with(
            &x[0],
            &x[1],
            &y,
            Product { transpose_a: true, accumulate: true, ..Product::default() },
        )?;
        Ok(y)
    }),
    case("matmul accumulate", 3, ALL, |x| {
        let y = x[2].slice(s![.., ..3])?.copy()?;
        belvedere::matmul_add_into(&x[0], &x[1].t()?, &y)?;
        y.square()
    }),
    case("vecdot", 2, ALL, |x| x[0].vecdot(&x[1], -1)),
    case("matvec", 2, ALL, |x| x[0].matvec(&x[1].slice(s![1])?)),
    case("vecmat", 2, ALL, |x| x[0].slice(s![.., 1])?.vecmat(&x[1])),
    case("outer", 2, ALL, |x| x[0].slice(s![.., 1])?.outer(&x[1].slice(s![0])?)),
    case("inner", 2, ALL, |x| x[0].inner(&x[1])),
    case("dot", 2, ALL, |x| x[0].slice(s![1])?.dot(&x[1].slice(s![2])?)),
    case("kron", 2, ALL, |x| x[0].kron(&x[1])),
    case("cross", 2, ALL, |x| x[0].cross(&x[1], 0)),
    case("trace", 1, ALL, |x| x[0].trace(0)),
    case("tensordot", 2, ALL, |x| x[0].tensordot(&x[1], 2)),
    case("einsum", 2, ALL, |x| einsum("ij,kj->ki", &[&x[0], &x[1]])),
    case("einsum diagonal", 1, ALL, |x| einsum("ii->i", &[&x[0].slice(s![.., ..3])?])),
    case("concat", 2, ALL, |x| concat(&[&x[0], &x[1]], 1)),
    case("concat flat", 2, ALL, |x| concat(&[&x[0], &x[1]], None)),
    case("stack", 2, ALL, |x| stack(&[&x[0], &x[1]], -1)),
    case("vstack", 2, ALL, |x| belvedere::vstack(&[&x[0], &x[1]])),
    case("hstack", 2, ALL, |x| belvedere::hstack(&[&x[0], &x[1]])),
    case("dstack", 2, ALL, |x| belvedere::dstack(&[&x[0], &x[1]])),
    case("column_stack", 2, ALL, |x| belvedere::column_stack(&[&x[0], &x[1]])),
    case("vstack 1d", 2, ALL, |x| belvedere::vstack(&[&x[0].slice(s![0])?, &x[1].slice(s![1])?])),
    case("roll", 1, ALL, |x| x[0].roll([1], 1)),
    case("roll flat", 1, ALL, |x| x[0].roll([2], ())),
    case("repeat", 1, ALL, |x| x[0].repeat(2, 1)),
    case("tile", 1, ALL, |x| x[0].tile([2, 2])),
    case("pad", 1, ALL, |x| x[0].pad([(1, 2), (0, 1)])),
    case("pad reflect", 1, ALL, |x| x[0].pad_mode([(1, 2), (0, 1)], belvedere::PadMode::Reflect)),
    case("tril", 1, ALL, |x| x[0].tril(0)),
    case("triu", 1, ALL, |x| x[0].triu(1)),
    case("diff", 1, ALL, |x| x[0].diff(1)),
    case("trapezoid", 1, ALL, |x| x[0].trapezoid(1, 0.5)),
    case("take", 1, ALL, |x| x[0].take(&indices(), 0)),
    case("take inner", 1, ALL, |x| x[0].take(&indices(), 1)),
    case("take_along_axis", 1, ALL, |x| {
        x[0].take_along_axis(&tensor![[0i64, 3], [1, 1], [2, 0]], 1)
    }),
    case("gather", 1, ALL, |x| x[0].gather(1, &tensor![[0i64, 3], [1, 1]])),
    case("index", 1, ALL, |x| x[0].index([indices().into(), (1..3).into()])),
    case("index pairs", 1, ALL, |x| {
        x[0].index([belvedere::TensorIndex::from(tensor![0i64, 2, 2]), tensor![1i64, 3, 3].into()])
    }),
    case("index mask", 1, ALL, |x| x[0].index([belvedere::TensorIndex::from(mask()?)])),
    case("masked_select", 1, ALL, |x| x[0].masked_select(&mask()?)),
    case("compress", 1, ALL, |x| x[0].compress(&tensor![1, 0, 1, 1].astype(DType::Bool)?, 1)),
    case("embedding", 1, ALL, |x| nn::embedding(&x[0], &indices())),
    case("put", 2, ALL, |x| edited(&x[0], |y| y.put(&tensor![2i64, 0, 2], 0, &x[1]))),
    case("put_add", 2, ALL, |x| edited(&x[0], |y| y.put_add(&tensor![2i64, 0, 2], 0, &x[1]))),
    case("put_along_axis", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.put_along_axis(&tensor![[0i64, 3, 0, 1], [1, 1, 2, 1], [2, 0, 3, 1]], 1, &x[1])
        })
    }),
    case("add_along_axis", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.add_along_axis(&tensor![[0i64, 3, 0, 1], [1, 1, 2, 1], [2, 0, 3, 1]], 1, &x[1])
        })
    }),
    case("scatter", 2, ALL, |x| {
        edited(&x[0], |y| y.scatter(1, &tensor![[0i64, 3], [1, 1]], &x[1]))
    }),
    case("scatter_add", 2, ALL, |x| {
        edited(&x[0], |y| y.scatter_add(1, &tensor![[0i64, 3], [1, 1]], &x[1]))
    }),
    case("index_assign", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.index_assign([belvedere::TensorIndex::from(tensor![0i64, 2, 0])], &x[1])
        })
    }),
    case("index_add_assign", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.index_add_assign([belvedere::TensorIndex::from(tensor![0i64, 2, 0])], &x[1])
        })
    }),
    case("masked_assign", 2, ALL, |x| {
        edited(&x[0], |y| y.masked_assign(&mask()?, &x[1].slice(s![1, 1])?))
    }),
    case("masked_assign number", 1, ALL, |x| edited(&x[0], |y| y.masked_assign(&mask()?, 0.5))),
    case("compress_assign", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.compress_assign(
                &tensor![1, 0, 1, 1].astype(DType::Bool)?,
                1,
                &x[1].slice(s![.., ..3])?,
            )
        })
    }),
    case("assign", 2, ALL, |x| edited(&x[0], |y| y.assign(s![1.., ..;-1], &x[1].slice(s![0])?))),
    case("fill", 1, ALL, |x| edited(&x[0], |y| y.slice(s![.., 1])?.fill(2.0))),
    case("fill with element", 1, ALL, |x| {
        edited(&x[0], |y| y.slice(s![.., 1])?.fill(&x[0].slice(s![0, 0])?))
    }),
    case("clear", 1, ALL, |x| edited(&x[0], |y| y.slice(s![1])?.clear())),
    case("scale", 1, ALL, |x| edited(&x[0], |y| y.slice(s![1])?.scale(1.5))),
    case("set", 1, ALL, |x| edited(&x[0], |y| y.set([1, 1], 3.0))),
    case("in place", 2, POSITIVE, |x| {
        edited(&x[0], |y| {
            y.mul_assign(&x[1])?;
            y.div_assign(&x[0])?;
            y.sub_assign(&x[0])?;
            belvedere::exp_into(y, y)?;
            y.add_assign(&y.slice(s![0])?)
        })
    }),
    case("full", 1, ALL, |x| Tensor::full_as([2, 3], &x[0].slice(s![1, 1])?, DType::Float64)),
    case("log_softmax_grad", 2, ALL, |x| x[0].log_softmax_grad(&x[1], 1)),
    case("fftshift", 1, ALL, |x| fft::fftshift(&x[0], 1)),
    case("ifftshift", 1, ALL, |x| fft::ifftshift(&x[0], ())),
    case("cond", 1, SMALL, |x| linalg::cond(&square(&x[0])?)),
    case("conv1d", 2, ALL, |x| {
        nn::conv1d(
            &x[0].unsqueeze(0)?,
            &x[1].slice(s![.., ..2])?.unsqueeze(0)?,
            None,
            nn::Conv::default(),
        )
    }),
    case("conv1d options", 3, ALL, |x| {
        let conv =
            nn::Conv { stride: [2], padding: nn::Padding::Zeros([2]), dilation: [2], groups: 3 };
        let bias = x[2].slice(s![.., 0])?;
        nn::conv1d(&x[0], &x[1].slice(s![.., 1..])?.unsqueeze(1)?, Some(&bias), conv)
    }),
    case("conv2d", 2, ALL, |x| {
        let images = x[0].reshape([1, 1, 3, 4])?;
        let weight = stack(&[&x[1].slice(s![..2, ..3])?, &x[1].slice(s![1.., 1..])?], 0)?;
        nn::conv2d(&images, &weight.unsqueeze(1)?, None, nn::Conv::default())
    }),
    case("conv2d options", 3, ALL, |x| {
        let images =
            stack(&[&x[0], &x[1], &x[0].square()?, &x[1].flip([0])?], 0)?.reshape([2, 2, 3, 4])?;
        let weight = stack(&[&x[2].slice(s![..2, ..3])?, &x[2].slice(s![1.., 1..])?], 0)?;
        let padding = nn::Padding::Zeros([1, 2]);
        let conv = nn::Conv { stride: [1, 2], padding, dilation: [2, 1], groups: 2 };
        nn::conv2d(&images, &weight.unsqueeze(1)?, Some(&x[2].slice(s![0, ..2])?), conv)
    }),
    case("conv2d same", 2, ALL, |x| {
        let conv = nn::Conv { padding: nn::Padding::Same, ..nn::Conv::default() };
        nn::conv2d(
            &x[0].unsqueeze(0)?,
            &x[1].slice(s![..2, ..])?.reshape([1, 1, 2, 4])?,
            None,
            conv,
        )
    }),
    case("max_pool1d", 1, ALL, |x| nn::max_pool1d(&x[0], nn::Pool::new([2]))),
    case("max_pool2d", 1, ALL, |x| {
        let pool =
            nn::Pool { stride: [1, 2], padding: [1, 1], ceil: true, ..nn::Pool::new([2, 3]) };
        nn::max_pool2d(&x[0].unsqueeze(0)?, pool)
    }),
    case("avg_pool1d", 1, ALL, |x| nn::avg_pool1d(&x[0], nn::Pool::new([3]))),
    case("avg_pool2d", 1, ALL, |x| {
        let pool =
            nn::Pool { stride: [1, 2], padding: [1, 1], ceil: true, ..nn::Pool::new([2, 3]) };
        nn::avg_pool2d(&x[0].unsqueeze(0)?, pool)
    }),
    case("avg_pool2d unpadded", 1, ALL, |x| {
        let pool = nn::Pool { padding: [1, 1], count_padding: false, ..nn::Pool::new([2, 3]) };
        nn::avg_pool2d(&x[0].unsqueeze(0)?, pool)
    }),
    case("sum_to_shape", 1, ALL, |x| x[0].sum_to_shape([1, 4])),
    case("sort", 1, ALL, |x| x[0].sort(1)),
    case("sort descending", 1, ALL, |x| x[0].sort(descending(0))),
    case("topk", 1, ALL, |x| Ok(x[0].topk(2, 1)?.values)),
    case("repeat counts", 1, ALL, |x| x[0].repeat(&tensor![2i64, 0, 3], 0)),
    case("repeat flat", 1, ALL, |x| x[0].repeat(2, None)),
    case("tile more", 1, ALL, |x| x[0].tile([2, 1, 3])),
    case("pad number", 1, ALL, |x| x[0].pad_with([(1, 0), (0, 2)], 3.0)),
    case("pad element", 1, ALL, |x| x[0].pad_with([(1, 0), (0, 2)], &x[0].slice(s![1, 1])?)),
    case("sort_assign", 1, ALL, |x| edited(&x[0], |y| y.sort_assign(1))),
    case("vecdot 0", 2, ALL, |x| x[0].vecdot(&x[1], 0)),
    case("dot matrices", 2, ALL, |x| x[0].dot(&x[1].t()?)),
    case("tensordot pairs", 2, ALL, |x| x[0].tensordot(&x[1], 0)),
    case("cumulative_prod zeros", 1, ALL, |x| x[0].mul(&mask()?)?.cumulative_prod(1)),
    case("prod zeros", 1, ALL, |x| x[0].mul(&mask()?)?.prod(1)),
    case("solve vector", 2, SMALL, |x| linalg::solve(&square(&x[0])?, &x[1].slice(s![.., 1])?)),
    case("eigh", 1, SMALL, |x| linalg::eigh(&definite(&x[0])?)?.eigenvectors.square()),
    case("layer_norm weights", 3, ALL, |x| {
        nn::layer_norm(&x[0], 1, Some(&x[1].slice(s![1])?), Some(&x[2].slice(s![2])?), 1e-5)
    }),
    case("layer_norm axes", 1, ALL, |x| nn::layer_norm(&x[0], (), None, None, 1e-5)),
    case("batch_norm", 3, POSITIVE, |x| {
        nn::batch_norm(&x[0], &x[1].slice(s![0])?, &x[2].slice(s![1])?, None, None, 1e-5)
    }),
    case("layer_norm", 1, ALL, |x| nn::layer_norm(&x[0], 1, None, None, 1e-5)),
    case("rms_norm", 1, ALL, |x| nn::rms_norm(&x[0], 1, None, 1e-5)),
    case("inv", 1, SMALL, |x| linalg::inv(&square(&x[0])?)),
    case("det", 1, SMALL, |x| linalg::det(&square(&x[0])?)),
    case("slogdet", 1, SMALL, |x| Ok(linalg::slogdet(&square(&x[0])?)?.logabsdet)),
    case("solve", 2, SMALL, |x| linalg::solve(&square(&x[0])?, &x[1])),
    case("cholesky", 1, SMALL, |x| linalg::cholesky(&definite(&x[0])?)),
    case("matrix_power", 1, SMALL, |x| linalg::matrix_power(&square(&x[0])?, 3)),
    case("matrix_norm", 1, ALL, |x| linalg::matrix_norm(&x[0])),
    case("eigvalsh", 1, SMALL, |x| linalg::eigvalsh(&definite(&x[0])?)),
    case("svdvals", 1, ALL, |x| linalg::svdvals(&x[0])),
    case("meshgrid", 2, ALL, |x| {
        Ok(belvedere::meshgrid(&[&x[0].slice(s![0])?, &x[1].slice(s![.., 1])?], "xy".parse()?)?
            .remove(0))
    }),
    case("full_like", 1, ALL, |x| x[0].full_like(&x[0].slice(s![0, 1])?)),
];

/// The number of storage layouts that every operand is tested in.
pub(crate) const N_LAYOUTS: usize = 6;

/// Returns memory and a layout of 3 × 4 elements over it.
pub(crate) fn operand(case: &Case, layout: usize, salt: usize) -> Result<(Tensor, Layout), Error> {
    let (low, high) = case.range;
    let all = |n: usize| {
        let n_components = if case.is_complex { 2 * n } else { n };
        // Distinct numbers in a scrambled order.
        let number = |i: usize| ((i * 37 + salt * 11 + 5) % 101) as f64 / 101.0;
        let values = (0..n_components).map(|i| low + (high - low) * number(i)).collect::<Vec<_>>();
        let values = Tensor::from_vec(values, [n_components])?;
        if case.is_complex { values.bitcast(DType::Complex128) } else { Ok(values) }
    };
    let rows = Layout::row_major(&[3, 4])?;
    Ok(match layout {
        0 => (all(12)?, rows),
        1 => (all(12)?, Layout::row_major(&[4, 3])?.t()?),
        2 => (all(14)?, Layout::from_strides(13, &[3, 4], &[-4, -1])?),
        3 => (all(60)?, Layout::from_strides(3, &[3, 4], &[20, 2])?),
        4 => (all(4)?, Layout::row_major(&[4])?.broadcast_to(&[3, 4])?),
        _ => (all(6)?, Layout::row_major(&[6])?.windows(0, 4, 1)?),
    })
}

/// Returns the real and imaginary parts of complex elements one after the other; real elements as they are.
pub(crate) fn components(x: &Tensor) -> Result<Tensor, Error> {
    if x.dtype().is_complex() { x.bitcast(DType::Float64) } else { Ok(x.clone()) }
}

/// Returns the factors of the elements of a result in the sum that is differentiated.
pub(crate) fn weights(y: &Tensor) -> Result<Tensor, Error> {
    let weight = |i: usize| ((i * 7 + 3) % 11) as f64 / 7.0 - 0.6;
    if !y.dtype().is_complex() {
        return Tensor::from_vec((0..y.len()).map(weight).collect(), y.shape());
    }
    let numbers = (0..y.len()).map(|i| Complex::new(weight(2 * i), weight(2 * i + 1)));
    Tensor::from_vec(numbers.collect(), y.shape())
}

/// Compares the gradient of a case with differences; `None` if they agree.
pub(crate) fn disagreement(case: &Case, layout: usize) -> Option<String> {
    let outcome = || -> Result<Option<String>, Error> {
        let operands: Vec<(Tensor, Layout)> = (0..case.n)
            .map(|n| operand(case, (layout + n) % N_LAYOUTS, n))
            .collect::<Result<_, _>>()?;
        let tape = Tape::new();
        operands.iter().try_for_each(|(memory, _)| tape.watch(memory))?;
        let y = tape.record(|| case.value(&operands))?;
        let seed = weights(&y)?;
        let grads = tape.backward_with(&y, &seed)?;
        let conjugated = seed.conj()?;
        let value = || case.value(&operands)?.mul(&conjugated)?.real()?.sum(())?.item::<f64>();
        for (n, (memory, _)) in operands.iter().enumerate() {
            let (found, memory) = (components(&grads.wrt(memory)?)?, components(memory)?);
            let found = found.to_vec::<f64>()?;
            for (at, &found) in found.iter().enumerate() {
                let (old, h) = (memory.get::<f64>([at])?, 1e-5);
                memory.set([at], old + h)?;
                let above = value()?;
                memory.set([at], old - h)?;
                let below = value()?;
                memory.set([at], old)?;
                let expected = (above - below) / (2.0 * h);
                let is_near = (found - expected).abs() <= 2e-6 * (1.0 + expected.abs());
                if !is_near {
                    let what = format!("operand {n}, element {at}: {found}, expected {expected}");
                    return Ok(Some(what));
                }
            }
        }
        Ok(None)
    };
    outcome().unwrap_or_else(|error| Some(error.to_string()))
}

#[test]
fn gradients_are_the_limits_of_differences() {
    let mut failures = Vec::new();
    for case in all_cases() {
        for layout in 0..N_LAYOUTS {
            if let Some(what) = disagreement(case, layout) {
                failures.push(format!("{} (layout {layout}): {what}", case.name));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the gradients of operands of a case, of which no others are watched.
fn gradients(case: &Case, watched: &[usize]) -> Result<Vec<Vec<f64>>, Error> {
    let operands = (0..case.n).map(|n| operand(case, n, n));
    let operands: Vec<(Tensor, Layout)> = operands.collect::<Result<_, _>>()?;
    let tape = Tape::new();
    watched.iter().try_for_each(|&n| tape.watch(&operands[n].0))?;
    let y = tape.record(|| case.value(&operands))?;
    let grads = match tape.backward_with(&y, &weights(&y)?) {
        // A constant.
        Err(error) if error.to_string().contains("did not record") => None,
        grads => Some(grads?),
    };
    let gradient = |&n: &usize| {
        let memory = &operands[n].0;
        let found = grads.as_ref().map_or_else(|| memory.zeros_like(), |it| it.wrt(memory))?;
        components(&found)?.to_vec::<f64>()
    };
    watched.iter().map(gradient).collect()
}

/// A rule saves what the gradients of tracked inputs need, and may save less where some are not tracked.
#[test]
fn the_gradient_of_an_operand_does_not_depend_on_whether_others_have_one() {
    let mut failures = Vec::new();
    for case in all_cases().filter(|it| it.n > 1) {
        let all: Vec<usize> = (0..case.n).collect();
        let expected = gradients(case, &all).unwrap();
        for n in all {
            let found = catch_unwind(|| gradients(case, &[n])).map(|it| it.unwrap().remove(0));
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
            if !found.is_ok_and(|it| it.iter().zip(&expected[n]).all(is_near)) {
                failures.push(format!("{}, operand {n}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

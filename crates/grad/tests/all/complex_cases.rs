//! Complex operands: elementwise functions, reductions, products, indexing and movement.

use crate::differences::{ALL, Case, SMALL, case, complex, edited, indices, mask};
use belvedere::prelude::*;
use belvedere::{Operand, keep};

pub(crate) const CASES: &[Case] = &[
    complex("negative complex", 1, ALL, |x| x[0].negative()),
    complex("positive complex", 1, ALL, |x| x[0].positive()),
    complex("square complex", 1, ALL, |x| x[0].square()),
    complex("sqrt complex", 1, ALL, |x| x[0].sqrt()),
    complex("rsqrt complex", 1, ALL, |x| x[0].rsqrt()),
    complex("reciprocal complex", 1, ALL, |x| x[0].reciprocal()),
    complex("exp complex", 1, ALL, |x| x[0].exp()),
    complex("exp2 complex", 1, ALL, |x| x[0].exp2()),
    complex("expm1 complex", 1, ALL, |x| x[0].expm1()),
    complex("log complex", 1, ALL, |x| x[0].log()),
    complex("log1p complex", 1, ALL, |x| x[0].log1p()),
    complex("log2 complex", 1, ALL, |x| x[0].log2()),
    complex("log10 complex", 1, ALL, |x| x[0].log10()),
    complex("sin complex", 1, ALL, |x| x[0].sin()),
    complex("cos complex", 1, ALL, |x| x[0].cos()),
    complex("tan complex", 1, SMALL, |x| x[0].tan()),
    complex("asin complex", 1, ALL, |x| x[0].asin()),
    complex("acos complex", 1, ALL, |x| x[0].acos()),
    complex("atan complex", 1, SMALL, |x| x[0].atan()),
    complex("sinh complex", 1, ALL, |x| x[0].sinh()),
    complex("cosh complex", 1, ALL, |x| x[0].cosh()),
    complex("tanh complex", 1, SMALL, |x| x[0].tanh()),
    complex("asinh complex", 1, ALL, |x| x[0].asinh()),
    complex("acosh complex", 1, ALL, |x| x[0].acosh()),
    complex("atanh complex", 1, SMALL, |x| x[0].atanh()),
    complex("abs complex", 1, ALL, |x| x[0].abs()),
    complex("sign", 1, ALL, |x| x[0].sign()),
    complex("angle", 1, ALL, |x| x[0].angle()),
    complex("conj complex", 1, ALL, |x| x[0].conj()),
    complex("nan_to_num complex", 1, ALL, |x| x[0].nan_to_num(Some(0.0), None, None)),
    complex("add complex", 2, ALL, |x| x[0].add(&x[1])),
    complex("sub complex", 2, ALL, |x| x[0].sub(&x[1])),
    complex("mul complex", 2, ALL, |x| x[0].mul(&x[1])),
    complex("div complex", 2, ALL, |x| x[0].div(&x[1])),
    complex("pow complex", 2, ALL, |x| x[0].pow(&x[1])),
    complex("mul_add complex", 3, ALL, |x| x[0].mul_add(&x[1], &x[2])),
    complex("addcmul complex", 3, ALL, |x| x[0].addcmul(&x[1], &x[2], 2.0)),
    complex("addcdiv complex", 3, ALL, |x| x[0].addcdiv(&x[1], &x[2], 2.0)),
    complex("pow of a number", 1, ALL, |x| Operand::from(2.0).pow(&x[0])),
    complex("pow with a number", 1, ALL, |x| x[0].pow(3)),
    complex("mul by a number", 1, ALL, |x| x[0].mul(Complex::new(0.5, -2.0))),
    complex("div of a number", 1, ALL, |x| Operand::from(Complex::new(0.5, -2.0)).div(&x[0])),
    complex("real times complex", 2, ALL, |x| x[0].real()?.mul(&x[1])?.add(&x[0].imag()?)),
    complex("real to the complex", 2, ALL, |x| x[0].real()?.pow(&x[1])),
    complex("complex to the real", 2, ALL, |x| x[0].pow(&x[1].imag()?)),
    complex("complex by real", 2, ALL, |x| x[0].div(&x[1].imag()?)),
    complex("real", 1, ALL, |x| x[0].real()?.square()?.sum(0)),
    complex("imag", 2, ALL, |x| x[0].imag()?.flip([0])?.mul(&x[1].real()?)),
    complex("write real", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.real()?.mul_assign(&x[1].imag()?)?;
            y.imag()?.slice(s![1])?.fill(2.0)
        })
    }),
    complex("write complex", 2, ALL, |x| {
        edited(&x[0], |y| {
            let parts = y.imag()?.square()?;
            y.slice(s![.., 1])?.mul_assign(&x[1].slice(s![.., 2])?)?;
            y.add_assign(&parts)
        })
    }),
    complex("overwrite saved parts", 1, ALL, |x| {
        let y = x[0].mul(1.0)?;
        let z = y.square()?.mul(&y)?;
        y.real()?.slice(s![.., ..;2])?.fill(&x[0].imag()?.slice(s![0, 0])?)?;
        y.slice(s![1])?.mul_assign(&y.slice(s![0])?)?;
        y.imag()?.slice(s![..2])?.copy_from(&x[0].real()?.slice(s![1..])?)?;
        z.mul(&y.sin()?)
    }),
    complex("astype complex", 2, ALL, |x| {
        x[0].real()?.square()?.astype(DType::Complex128)?.mul(&x[1])
    }),
    complex("bitcast to real", 1, ALL, |x| {
        let y = x[0].square()?.contiguous()?.bitcast(DType::Float64)?;
        y.mul(&y.flip([1])?)
    }),
    complex("bitcast to complex", 2, ALL, |x| {
        let y = stack(&[&x[0].real()?, &x[1].real()?], -1)?;
        y.bitcast(DType::Complex128)?.square()
    }),
    case("bitcast of real memory", 1, ALL, |x| {
        let y = Tensor::zeros([3, 4], DType::Float64)?;
        y.copy_from(&x[0])?;
        let (square, z) = (y.square()?, y.bitcast(DType::Complex128)?);
        let exponential = z.exp()?;
        z.slice(s![.., 1])?.mul_assign(&z.slice(s![.., 0])?)?;
        y.slice(s![1, 1..3])?.fill(0.5)?;
        y.mul(&square)?.add(&exponential.bitcast(DType::Float64)?)?.mul(&y)
    }),
    complex("sum complex", 1, ALL, |x| x[0].sum(1)),
    complex("mean complex", 1, ALL, |x| x[0].mean(keep(0))),
    complex("nansum complex", 1, ALL, |x| x[0].nansum(1)),
    complex("nanmean complex", 1, ALL, |x| x[0].nanmean(())),
    complex("prod complex", 1, ALL, |x| x[0].prod(1)),
    complex("var complex", 1, ALL, |x| x[0].var(1)),
    complex("std complex", 1, ALL, |x| x[0].std_with(keep(1), 1.0)),
    complex("norm 1 complex", 1, ALL, |x| x[0].norm_with(1, 1.0)),
    complex("norm 2 complex", 1, ALL, |x| x[0].norm_with((), 2.0)),
    complex("norm 3 complex", 1, ALL, |x| x[0].norm_with(0, 3.0)),
    complex("norm inf complex", 1, ALL, |x| x[0].norm_with(1, f64::INFINITY)),
    complex("cumulative_sum complex", 1, ALL, |x| x[0].cumulative_sum(1)),
    complex("cumulative_prod complex", 1, ALL, |x| x[0].cumulative_prod(1)),
    complex("cumulative_prod zeros complex", 1, ALL, |x| x[0].mul(&mask()?)?.cumulative_prod(1)),
    complex("matmul complex", 2, ALL, |x| x[0].matmul(&x[1].t()?)),
    complex("matmul vector complex", 2, ALL, |x| x[0].matmul(&x[1].slice(s![1])?)),
    complex("matmul mixed", 2, ALL, |x| x[0].real()?.matmul(&x[1].t()?)),
    complex("matmul accumulate complex", 3, ALL, |x| {
        edited(&x[2].slice(s![.., ..3])?, |y| belvedere::matmul_add_into(&x[0], &x[1].t()?, y))
    }),
    complex("vecdot complex", 2, ALL, |x| x[0].vecdot(&x[1], -1)),
    complex("dot complex", 2, ALL, |x| x[0].dot(&x[1].t()?)),
    complex("tensordot complex", 2, ALL, |x| x[0].tensordot(&x[1], 2)),
    complex("einsum complex", 2, ALL, |x| einsum("ij,kj->ki", &[&x[0], &x[1]])),
    complex("outer complex", 2, ALL, |x| x[0].slice(s![.., 1])?.outer(&x[1].slice(s![0])?)),
    complex("inner complex", 2, ALL, |x| x[0].inner(&x[1])),
    complex("kron complex", 2, ALL, |x| x[0].kron(&x[1])),
    complex("cross complex", 2, ALL, |x| x[0].cross(&x[1], 0)),
    complex("trace complex", 1, ALL, |x| x[0].trace(0)),
    complex("matvec complex", 2, ALL, |x| x[0].matvec(&x[1].slice(s![1])?)),
    complex("vecmat complex", 2, ALL, |x| x[0].slice(s![.., 1])?.vecmat(&x[1])),
    complex("concat mixed", 2, ALL, |x| concat(&[&x[0], &x[1].real()?], 1)),
    complex("stack complex", 2, ALL, |x| stack(&[&x[0], &x[1]], -1)),
    complex("vstack complex", 2, ALL, |x| belvedere::vstack(&[&x[0], &x[1]])),
    complex("hstack complex", 2, ALL, |x| belvedere::hstack(&[&x[0], &x[1]])),
    complex("dstack complex", 2, ALL, |x| belvedere::dstack(&[&x[0], &x[1]])),
    complex("column_stack complex", 2, ALL, |x| belvedere::column_stack(&[&x[0], &x[1]])),
    complex("roll complex", 1, ALL, |x| x[0].roll([1], 1)),
    complex("repeat complex", 1, ALL, |x| x[0].repeat(2, 1)),
    complex("tile complex", 1, ALL, |x| x[0].tile([2, 2])),
    complex("pad complex", 1, ALL, |x| x[0].pad([(1, 2), (0, 1)])),
    complex("sort complex", 1, ALL, |x| x[0].sort(1)),
    complex("topk complex", 1, ALL, |x| Ok(x[0].topk(2, 1)?.values)),
    complex("tril complex", 1, ALL, |x| x[0].tril(0)),
    complex("triu complex", 1, ALL, |x| x[0].triu(1)),
    complex("diff complex", 1, ALL, |x| x[0].diff(1)),
    complex("trapezoid complex", 1, ALL, |x| x[0].trapezoid(1, 0.5)),
    complex("where complex", 2, ALL, |x| where_(&mask()?, &x[0], &x[1].real()?)),
    complex("masked_fill complex", 2, ALL, |x| x[0].masked_fill(&mask()?, &x[1])),
    complex("take complex", 1, ALL, |x| x[0].take(&indices(), 0)),
    complex("take of real parts", 1, ALL, |x| x[0].real()?.take(&indices(), 1)),
    complex("take_along_axis complex", 1, ALL, |x| {
        x[0].take_along_axis(&tensor![[0i64, 3], [1, 1], [2, 0]], 1)
    }),
    complex("gather complex", 1, ALL, |x| x[0].gather(1, &tensor![[0i64, 3], [1, 1]])),
    complex("index complex", 1, ALL, |x| x[0].index([indices().into(), (1..3).into()])),
    complex("masked_select complex", 1, ALL, |x| x[0].masked_select(&mask()?)),
    complex("compress complex", 1, ALL, |x| {
        x[0].compress(&tensor![1, 0, 1, 1].astype(DType::Bool)?, 1)
    }),
    complex("embedding complex", 1, ALL, |x| nn::embedding(&x[0], &indices())),
    complex("put complex", 2, ALL, |x| edited(&x[0], |y| y.put(&tensor![2i64, 0, 2], 0, &x[1]))),
    complex("put real", 2, ALL, |x| {
        edited(&x[0], |y| y.put(&tensor![2i64, 0, 2], 0, &x[1].imag()?))
    }),
    complex("put_add complex", 2, ALL, |x| {
        edited(&x[0], |y| y.put_add(&tensor![2i64, 0, 2], 0, &x[1]))
    }),
    complex("scatter complex", 2, ALL, |x| {
        edited(&x[0], |y| y.scatter(1, &tensor![[0i64, 3], [1, 1]], &x[1]))
    }),
    complex("scatter_add complex", 2, ALL, |x| {
        edited(&x[0], |y| y.scatter_add(1, &tensor![[0i64, 3], [1, 1]], &x[1].real()?))
    }),
    complex("put_along_axis complex", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.put_along_axis(&tensor![[0i64, 3, 0, 1], [1, 1, 2, 1], [2, 0, 3, 1]], 1, &x[1])
        })
    }),
    complex("add_along_axis complex", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.add_along_axis(&tensor![[0i64, 3, 0, 1], [1, 1, 2, 1], [2, 0, 3, 1]], 1, &x[1])
        })
    }),
    complex("index_assign complex", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.index_assign([belvedere::TensorIndex::from(tensor![0i64, 2, 0])], &x[1])
        })
    }),
    complex("compress_assign complex", 2, ALL, |x| {
        let mask = tensor![1, 0, 1, 1].astype(DType::Bool)?;
        edited(&x[0], |y| y.compress_assign(&mask, 1, &x[1].slice(s![.., ..3])?))
    }),
    complex("assign complex", 2, ALL, |x| {
        edited(&x[0], |y| y.assign(s![1.., ..;-1], &x[1].imag()?.slice(s![0])?))
    }),
    complex("copy complex", 1, ALL, |x| x[0].imag()?.copy()),
    complex("getitem complex", 1, ALL, |x| {
        x[0].element_through("getitem", &[], x[0].layout().select(0, 1)?.select(0, 2)?)
    }),
    complex("index_add_assign complex", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.index_add_assign([belvedere::TensorIndex::from(tensor![0i64, 2, 0])], &x[1])
        })
    }),
    complex("masked_assign complex", 2, ALL, |x| {
        edited(&x[0], |y| y.masked_assign(&mask()?, &x[1].slice(s![1, 1])?))
    }),
    complex("lens complex", 1, ALL, |x| {
        x[0].lens().reshape([2, 6])?.pad([(1, 0), (0, 2)])?.materialize()
    }),
    complex("reshape complex", 1, ALL, |x| x[0].t()?.reshape([2, 6])),
    complex("fill complex", 1, ALL, |x| {
        edited(&x[0], |y| y.slice(s![.., 1])?.fill(&x[0].slice(s![0, 0])?))
    }),
    complex("scale complex", 1, ALL, |x| edited(&x[0], |y| y.slice(s![1])?.scale(1.5))),
    complex("set complex", 1, ALL, |x| edited(&x[0], |y| y.set([1, 1], Complex::new(1.0, 2.0)))),
    complex("in place complex", 2, ALL, |x| {
        edited(&x[0], |y| {
            y.mul_assign(&x[1])?;
            y.div_assign(&x[0])?;
            y.sub_assign(&x[0].real()?)?;
            belvedere::exp_into(y, y)?;
            belvedere::conj_into(y, y)?;
            y.add_assign(&y.slice(s![0])?)
        })
    }),
    complex("sum_to_shape complex", 1, ALL, |x| x[0].sum_to_shape([1, 4])),
    complex("full complex", 1, ALL, |x| {
        Tensor::full_as([2, 3], &x[0].slice(s![1, 1])?, DType::Complex128)
    }),
    complex("conv1d complex", 2, ALL, |x| {
        nn::conv1d(
            &x[0].unsqueeze(0)?,
            &x[1].slice(s![.., ..2])?.unsqueeze(0)?,
            None,
            nn::Conv::default(),
        )
    }),
    complex("conv2d complex", 2, ALL, |x| {
        let images = x[0].reshape([1, 1, 3, 4])?;
        let weight = x[1].slice(s![..2, ..3])?.reshape([1, 1, 2, 3])?;
        nn::conv2d(&images, &weight, None, nn::Conv::default())
    }),
];

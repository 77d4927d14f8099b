//! The rows of the guide for users of candle: its expression, then Belvedere's.
//!
//! candle is a dependency of the benchmarks only, so two programs have this module: the tests of the tensor crate run
//! Belvedere's expressions, and those of `bench/` both.

use super::{CandleChapter, CandleRow, chapters};

#[rustfmt::skip]
pub(super) const CHAPTERS: &[CandleChapter] = chapters! { [a b c v i cpu]
value "Creation" (
    Tensor::zeros((2, 3), DType::F32, cpu)? => Tensor::zeros([2, 3], DType::Float32)?;
    Tensor::ones((2, 3), DType::U8, cpu)? => Tensor::ones([2, 3], DType::UInt8)?;
    Tensor::full(7.5f32, (2, 3), cpu)? => Tensor::full([2, 3], 7.5f32)?;
    Tensor::new(&[[1f32, 2.0], [3.0, 4.0]], cpu)? => tensor![[1f32, 2.0], [3.0, 4.0]];
    Tensor::from_vec(vec![1f32, 2.0, 3.0, 4.0], (2, 2), cpu)? => Tensor::from_vec(vec![1f32, 2.0, 3.0, 4.0], (2, 2))?;
    Tensor::from_slice(&[1f32, 2.0], 2, cpu)? => Tensor::from_slice(&[1f32, 2.0], 2)?;
    Tensor::from_iter((0..4).map(|i| i as f32), cpu)? => (0..4).map(|i| i as f32).collect::<Tensor>();
    Tensor::arange(0i64, 10, cpu)? => Tensor::arange(0..10i64)?;
    Tensor::arange_step(0f32, 1.0, 0.25, cpu)? => Tensor::arange_step(0.0, 1.0, 0.25, DType::Float32)?;
    Tensor::eye(3, DType::F32, cpu)? => Tensor::eye(3, DType::Float32)?;
    a.zeros_like()? => a.zeros_like()?;
    a.to_dtype(DType::F64)? => a.astype(DType::Float64)?;
    a.copy()? => a.copy()?;
)
value "Shape" (
    a.dims() => a.shape();
    a.dims2()? => a.dims::<2>()?;
    a.dim(1)? => a.shape()[1];
    a.rank() => a.rank();
    a.elem_count() => a.len();
    a.t()?.is_contiguous() => a.t()?.is_contiguous();
)
value "Views" (
    a.t()? => a.t()?;
    c.transpose(0, 2)? => c.transpose(0, 2)?;
    c.permute((2, 0, 1))? => c.permute([2, 0, 1])?;
    a.reshape((4, 3))? => a.reshape([4, 3])?;
    a.reshape((2, ()))? => a.reshape([2, -1])?;
    c.flatten(0, 1)? => c.flatten(0, 1)?;
    c.flatten_all()? => c.flatten(0, -1)?;
    a.unsqueeze(1)? => a.unsqueeze(1)?;
    a.unsqueeze(0)?.squeeze(0)? => a.unsqueeze(0)?.squeeze(0)?;
    v.broadcast_as((3, 4))? => v.broadcast_to([3, 4])?;
    v.unfold(0, 2, 1)? => v.windows(0, 2, 1)?;
    a.flip(&[1])? => a.flip(1)?;
    a.t()?.contiguous()? => a.t()?.contiguous()?;
)
value "Slices and indexing" (
    a.narrow(1, 1, 2)? => a.narrow(1, 1, 2)?;
    a.i(1)? => a.slice(s![1])?;
    a.i((.., 1))? => a.slice(s![.., 1])?;
    a.i((1.., ..2))? => a.slice(s![1.., ..2])?;
    c.get_on_dim(1, 0)? => c.select(1, 0)?;
    a.chunk(2, 1)?.swap_remove(1) => a.chunk(1, 2)?.nth(1).expect("two parts");
    a.index_select(i, 0)? => a.take(i, 0)?;
    a.gather(&a.arg_sort_last_dim(true)?, 1)? => a.take_along_axis(&a.argsort(1)?, 1)?;
    a.ge(0f32)?.where_cond(a, b)? => where_(&a.greater_equal(0)?, a, b)?;
)
changes "Writing" (
    a.zero_set()? => a.clear()?;
    a.one_set()? => a.fill(1)?;
    a.slice_set(&b.narrow(0, 0, 1)?, 0, 2)? => a.narrow(0, 2, 1)?.copy_from(&b.narrow(0, 0, 1)?)?;
)
value "Elementwise operations" (
    (a + b)? => a + b;
    a.sub(b)? => a.sub(b)?;
    a.broadcast_mul(v)? => a.mul(v)?;
    (a * 2.0)? => a * 2;
    a.affine(2.0, 1.0)? => a.mul_add(2, 1)?;
    a.neg()? => a.negative()?;
    a.exp()? => a.exp()?;
    b.sqrt()? => b.sqrt()?;
    b.powf(2.0)? => b.pow(2)?;
    a.sqr()? => a.square()?;
    b.recip()? => b.reciprocal()?;
    a.relu()? => a.relu()?;
    a.gelu_erf()? => a.gelu()?;
    a.silu()? => a.swish()?;
    a.maximum(b)? => a.maximum(b)?;
    a.clamp(-1f32, 1f32)? => a.clamp(-1, 1)?;
    a.gt(b)? => a.greater(b)?;
)
value "Reductions and sorting" (
    a.sum(0)? => a.sum(0)?;
    a.sum_keepdim(1)? => a.sum(keep(1))?;
    a.sum((0, 1))? => a.sum([0, 1])?;
    a.sum_all()? => a.sum(())?;
    a.mean(1)? => a.mean(1)?;
    a.max(1)? => a.max(1)?;
    a.argmax(1)? => a.argmax(1)?;
    a.var(0)? => a.var_with(0, 1.0)?;
    a.log_sum_exp(1)? => a.logsumexp(1)?;
    a.cumsum(1)? => a.cumsum(1)?;
    a.sort_last_dim(true)?.0 => a.sort(-1)?;
)
value "Products" (
    a.matmul(&b.t()?)? => a.matmul(&b.t()?)?;
    c.broadcast_matmul(&b.t()?)? => c.matmul(&b.t()?)?;
    a.mv(v)? => a.matmul(v)?;
    v.dot(v)? => v.dot(v)?;
)
value "Joining and rearranging" (
    Tensor::cat(&[a, b], 0)? => concat(&[a, b], 0)?;
    Tensor::stack(&[a, b], 1)? => stack(&[a, b], 1)?;
    a.pad_with_zeros(1, 1, 2)? => a.pad([(0, 0), (1, 2)])?;
    v.repeat(3)? => v.tile([3])?;
    a.roll(1, 0)? => a.roll(1, 0)?;
)
value "Elements and conversion" (
    a.i((1, 2))?.to_scalar::<f32>()? => a.get::<f32>([1, 2])?;
    a.sum_all()?.to_scalar::<f32>()? => a.sum(())?.item::<f32>()?;
    a.flatten_all()?.to_vec1::<f32>()? => a.to_vec::<f32>()?;
    a.to_vec2::<f32>()?.iter().map(|row| row[0]).collect::<Vec<_>>() => a.read::<f32>()?.rows().map(|row| row[0]).collect::<Vec<_>>();
)
};

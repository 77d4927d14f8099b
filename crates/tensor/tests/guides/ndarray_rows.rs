//! The rows of the guide for users of ndarray: its expression, then Belvedere's.

use super::{ArrayChapter, ArrayRow, Arrays, Outcome, chapters};
use belvedere::Tensor;

#[rustfmt::skip]
pub(super) const CHAPTERS: &[ArrayChapter] = chapters! { [a b c v]
value "Creation" (
    Array2::<f64>::zeros((2, 3)) => Tensor::zeros_of::<f64>([2, 3])?;
    Array2::<f64>::ones((2, 3)) => Tensor::ones_of::<f64>((2, 3))?;
    Array2::from_elem((2, 3), 7.5) => Tensor::full([2, 3], 7.5)?;
    Array2::<f64>::zeros((2, 3).f()) => Tensor::zeros_col_major([2, 3], DType::Float64)?;
    Array2::<f64>::eye(3) => Tensor::eye_of::<f64>(3)?;
    array![[1.0, 2.0], [3.0, 4.0]] => tensor![[1.0, 2.0], [3.0, 4.0]];
    Array1::from_vec(vec![1.0, 2.0]) => Tensor::from(vec![1.0, 2.0]);
    Array2::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0])? => Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2])?;
    Array2::from_shape_fn((2, 3), |(i, j)| (i * 10 + j) as f64) => Tensor::from_fn([2, 3], |at| (at[0] * 10 + at[1]) as f64)?;
    (0..4).map(f64::from).collect::<Array1<_>>() => (0..4).map(f64::from).collect::<Tensor>();
    Array1::range(0.0, 1.0, 0.25) => Tensor::arange_step(0.0, 1.0, 0.25, DType::Float64)?;
    Array1::linspace(0.0, 1.0, 5) => Tensor::linspace(0.0, 1.0, 5, DType::Float64)?;
    Array2::<f64>::zeros(a.raw_dim()) => a.zeros_like()?;
    a.to_owned() => a.copy()?;
    a.t().as_standard_layout() => a.t()?.contiguous()?;
    a.mapv(|x| x as f32) => a.astype(DType::Float32)?;
)
value "Shape" (
    a.shape() => a.shape();
    a.dim() => a.dims::<2>()?;
    a.len_of(Axis(1)) => a.shape()[1];
    a.ndim() => a.rank();
    a.len() => a.len();
    a.strides() => a.strides();
    a.is_standard_layout() => a.is_contiguous();
)
value "Views" (
    a.t() => a.t()?;
    c.view().reversed_axes() => c.reverse_dims();
    c.view().permuted_axes([2, 0, 1]) => c.permute([2, 0, 1])?;
    a.view().into_shape_with_order((4, 3))? => a.view([4, 3])?;
    a.to_shape((2, 6))? => a.reshape([2, -1])?;
    a.t().to_shape(12)? => a.t()?.reshape([-1])?;
    c.flatten() => c.flatten(0, -1)?;
    v.broadcast((3, 4)).expect("it broadcasts") => v.broadcast_to([3, 4])?;
    a.view().insert_axis(Axis(1)) => a.unsqueeze(1)?;
    a.diag() => a.diagonal(0, 0, 1)?;
    a.view().split_at(Axis(1), 1).0 => a.split_at(1, 1)?.0;
)
value "Slices" (
    a.slice(s![1.., ..2]) => a.slice(s![1.., ..2])?;
    a.slice(s![1, ..]) => a.slice(s![1])?;
    a.slice(s![..;2, ..;-1]) => a.slice(s![..;2, ..;-1])?;
    c.slice(s![.., .., -1]) => c.slice(s![Index::Ellipsis, -1])?;
    a.slice(s![.., NewAxis, ..]) => a.slice(s![.., Index::NewAxis])?;
    a.slice_axis(Axis(1), Slice::from(1..3)) => a.narrow(1, 1, 2)?;
    a.slice(s![..;-1, ..]) => a.flip(0)?;
    c.index_axis(Axis(0), 1) => c.select(0, 1)?;
    a.row(1) => a.select(0, 1)?;
    a.column(a.ncols() - 1) => a.select(1, -1)?;
)
value "Elements" (
    a[[1, 2]] => a.get::<f64>([1, 2])?;
    a[(1, 2)] => a.read::<f64>()?[(1, 2)];
    a.as_slice().expect("contiguous")[5] => a.read::<f64>()?.as_slice().expect("contiguous")[5];
    a.select(Axis(0), &[2, 0]) => a.take(&tensor![2i64, 0], 0)?;
)
value "Iteration" (
    a.iter().sum::<f64>() => a.read::<f64>()?.iter().sum::<f64>();
    a.iter().fold(0.0, |most, &x| x.max(most)) => a.read::<f64>()?.iter().fold(0.0, f64::max);
    a.indexed_iter().map(|((i, j), x)| (i * j) as f64 * x).sum::<f64>() => a.read::<f64>()?.fixed::<2>()?.indexed_iter().map(|([i, j], x)| (i * j) as f64 * x).sum::<f64>();
    a.rows().into_iter().map(|row| row.sum()).collect::<Vec<_>>() => a.read::<f64>()?.rows().map(|row| row.iter().sum()).collect::<Vec<f64>>();
    a.columns().into_iter().map(|column| column[0]).collect::<Vec<_>>() => a.read::<f64>()?.lanes(0)?.map(|column| column[0]).collect::<Vec<_>>();
    c.lanes(Axis(1)).into_iter().map(|lane| lane[2]).collect::<Vec<_>>() => c.read::<f64>()?.lanes(1)?.map(|lane| lane[2]).collect::<Vec<_>>();
    c.outer_iter().map(|part| part[[0, 1]]).collect::<Vec<_>>() => c.read::<f64>()?.outer_iter()?.map(|part| part[[0, 1]]).collect::<Vec<_>>();
    c.axis_iter(Axis(2)).map(|part| part[[1, 2]]).collect::<Vec<_>>() => c.read::<f64>()?.axis_iter(2)?.map(|part| part[[1, 2]]).collect::<Vec<_>>();
    a.axis_chunks_iter(Axis(0), 2).map(|part| part.len()).sum::<usize>() => a.read::<f64>()?.chunks(0, 2)?.map(|part| part.len()).sum::<usize>();
    a.windows((2, 2)).into_iter().map(|window| window[[1, 0]]).collect::<Vec<_>>() => a.read::<f64>()?.window_iter([2, 2])?.map(|window| window[[1, 0]]).collect::<Vec<_>>();
)
changes "Writing" (
    a.fill(7.0) => a.fill(7.0)?;
    a[[1, 2]] = 7.0 => a.set([1, 2], 7.0)?;
    a[[1, 2]] += 7.0 => a.write::<f64>()?[[1, 2]] += 7.0;
    a.assign(b) => a.copy_from(b)?;
    a.slice_mut(s![0, ..]).fill(0.0) => a.slice(s![0])?.fill(0.0)?;
    a.slice_mut(s![.., 1..3]).assign(&b.slice(s![.., ..2])) => a.assign(s![.., 1..3], &b.slice(s![.., ..2])?)?;
    a.column_mut(0).assign(&b.column(1)) => a.select(1, 0)?.copy_from(&b.select(1, 1)?)?;
    *a += b => a.add_assign(b)?;
    *a *= 2.0 => a.mul_assign(2)?;
    a.scaled_add(0.5, b) => zip((a, b)).map_into(a, |x: f64, y: f64| x + 0.5 * y)?;
    Zip::from(a).and(&mut b.to_owned()).for_each(|x, y| (*x, *y) = (*x + *y, *x - *y)) => zip((a, b)).map_into((a, &b.copy()?), |x: f64, y: f64| (x + y, x - y))?;
    a.mapv_inplace(|x| x * x) => a.map_assign(|x: f64| x * x)?;
    a.iter_mut().for_each(|x| *x += 1.0) => a.write::<f64>()?.iter_mut().for_each(|x| *x += 1.0);
    a.rows_mut().into_iter().for_each(|mut row| row[0] = 0.0) => a.write::<f64>()?.rows_mut().for_each(|mut row| row[0] = 0.0);
    a.accumulate_axis_inplace(Axis(0), |before, x| *x += before) => a.copy_from(&a.cumsum(0)?)?;
)
value "Elementwise operations" (
    a + b => a + b;
    a - v => a.sub(v)?;
    2.0 * a => a * 2;
    -a => a.negative()?;
    a.abs() => a.abs()?;
    b.sqrt() => b.sqrt()?;
    b.ln() => b.log()?;
    a.exp() => a.exp()?;
    b.powi(2) => b.pow(2)?;
    a.clamp(-1.0, 1.0) => a.clamp(-1, 1)?;
    a.mapv(|x| x * x + 1.0) => a.map(|x: f64| x * x + 1.0)?;
    a.mapv(|x| x > 0.0) => a.greater(0)?;
    a == b => a == b;
)
value "Closures over several arrays" (
    Zip::from(a).and(b).map_collect(|&x, &y| x.max(y)) => zip((a, b)).map(|x: f64, y: f64| x.max(y))?;
    Zip::from(a).and_broadcast(v).map_collect(|x, y| x * y) => zip((a, v)).map(|x: f64, y: f64| x * y)?;
    Zip::from(a).and(b).fold(0.0, |sum, x, y| sum + x * y) => zip((a, b)).fold(0.0, |sum, x: f64, y: f64| sum + x * y)?;
    Zip::from(a).and(b).all(|x, y| x <= y) => a.less_equal(b)?.all(())?.item::<bool>()?;
)
value "Reductions" (
    a.sum() => a.sum(())?;
    a.sum_axis(Axis(0)) => a.sum(0)?;
    a.sum_axis(Axis(0)).insert_axis(Axis(0)) => a.sum(keep(0))?;
    a.product() => a.prod(())?;
    a.mean().expect("elements") => a.mean(())?;
    a.mean_axis(Axis(1)).expect("elements") => a.mean(1)?;
    a.std(0.0) => a.std(())?;
    a.var_axis(Axis(0), 1.0) => a.var_with(0, 1.0)?;
    a.fold_axis(Axis(1), f64::NEG_INFINITY, |most, &x| x.max(*most)) => a.max(1)?;
    a.map_axis(Axis(1), |row| row[0] * row[3]) => a.read::<f64>()?.rows().map(|row| row[0] * row[3]).collect::<Tensor>();
    v.cumprod(Axis(0)) => v.cumprod(0)?;
    a.diff(1, Axis(1)) => a.diff(1)?;
)
value "Linear algebra" (
    a.dot(&b.t()) => a.matmul(&b.t()?)?;
    a.dot(v) => a.matmul(v)?;
    v.dot(v) => v.dot(v)?;
    kron(a, b) => a.kron(b)?;
    a.tril(0) => a.tril(0)?;
)
value "Joining" (
    concatenate(Axis(0), &[a.view(), b.view()])? => concat(&[a, b], 0)?;
    stack(Axis(1), &[a.view(), b.view()])? => stack(&[a, b], 1)?;
)
value "Conversion" (
    a.iter().copied().collect::<Vec<_>>() => a.to_vec::<f64>()?;
    a.clone().into_raw_vec_and_offset().0 => a.clone().into_vec::<f64>()?;
    ArrayView2::from_shape((2, 2), &[1.0, 2.0, 3.0, 4.0])? => View::new(&[1.0, 2.0, 3.0, 4.0], Layout::row_major([2, 2])?)?;
    arr0(7.5).into_scalar() => tensor![7.5].item::<f64>()?;
)
};

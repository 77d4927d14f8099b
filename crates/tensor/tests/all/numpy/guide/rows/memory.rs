//! Creation, views, slices and assignment.

use super::{Given, Row, rows};
use belvedere::prelude::*;
use belvedere::{Error, Tensor};

#[rustfmt::skip]
pub(super) const CREATION: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.zeros((2, 3))", "torch.zeros(2, 3, dtype=torch.float64)" => Tensor::zeros([2, 3], DType::Float64);
    "np.ones((2, 3), np.int32)", "torch.ones(2, 3, dtype=torch.int32)" => Tensor::ones([2, 3], DType::Int32);
    "np.full((2, 3), 7.5)", "torch.full((2, 3), 7.5, dtype=torch.float64)" => Tensor::full([2, 3], 7.5);
    "np.zeros_like(a)", "torch.zeros_like(a)" => a.zeros_like();
    "np.full_like(a, 2)", "torch.full_like(a, 2)" => a.full_like(2);
    "np.zeros_like(a, dtype=np.int32)", "torch.zeros_like(a, dtype=torch.int32)" => a.zeros_like_as(DType::Int32);
    "np.ones_like(n, dtype=np.float32)", "torch.ones_like(n, dtype=torch.float32)" => n.ones_like_as(DType::Float32);
    "np.full_like(n, 0.5, dtype=np.float64)", "torch.full_like(n, 0.5, dtype=torch.float64)" => n.full_like_as(0.5, DType::Float64);
    "np.full((2, 3), 7, np.float32)", "torch.full((2, 3), 7, dtype=torch.float32)" => Tensor::full_as([2, 3], 7, DType::Float32);
    "np.arange(10)", "torch.arange(10)" => Tensor::arange(0..10i64);
    "np.arange(0, 1, 0.25)", "torch.arange(0, 1, 0.25, dtype=torch.float64)" => Tensor::arange_step(0.0, 1.0, 0.25, DType::Float64);
    "np.arange(2**62, 2**62 + 9, 3)", "torch.arange(2**62, 2**62 + 9, 3)" => Tensor::arange_integers(1 << 62, (1 << 62) + 9, 3, DType::Int64);
    "np.linspace(0, 1, 5)", "torch.linspace(0, 1, 5, dtype=torch.float64)" => Tensor::linspace(0.0, 1.0, 5, DType::Float64);
    "np.linspace(0, 1, 4, endpoint=False)", "" => Tensor::linspace_open(0.0, 1.0, 4, DType::Float64);
    "np.linspace(0, 1 + 2j, 3)", "" => Tensor::linspace(0.0, Complex::new(1.0, 2.0), 3, DType::Complex128);
    "np.eye(3)", "torch.eye(3, dtype=torch.float64)" => Tensor::eye(3, DType::Float64);
    "np.eye(3, 4, k=1)", "" => Tensor::eye_with((3, 4), 1, DType::Float64);
    "np.array([[1.0, 2.0], [3.0, 4.0]])", "torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)" = tensor![[1.0, 2.0], [3.0, 4.0]];
    "np.fromfunction(lambda i, j: i * 10 + j, (2, 3))", "" => Tensor::from_fn([2, 3], |at| (at[0] * 10 + at[1]) as f64);
    "a.copy()", "a.clone()" => a.copy();
    "np.ascontiguousarray(a.T)", "a.T.contiguous()" => a.t()?.contiguous();
    "a.astype(np.float32)", "a.to(torch.float32)" => a.astype(DType::Float32);
    "np.ones_like(a)", "torch.ones_like(a)" => a.ones_like();
    "np.array([1.0, 2.0, 3.0, 4.0]).reshape(2, 2)", "" => Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2]);
    "np.array([1.0, 2.0])", "torch.tensor([1.0, 2.0], dtype=torch.float64)" => Tensor::from_slice(&[1.0, 2.0], [2]);
    "np.zeros((2, 3), order='F')", "" => Tensor::zeros_col_major([2, 3], DType::Float64);
    "np.vectorize(lambda x: x * x)(a)", "a.clone().apply_(lambda x: x * x)" => a.map(|x: f64| x * x);
));

#[rustfmt::skip]
pub(super) const VIEWS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a.reshape(4, 3)", "a.view(4, 3)" => a.view([4, 3]);
    "a.reshape(2, -1)", "a.reshape(2, -1)" => a.reshape([2, -1]);
    "a.T.reshape(-1)", "a.T.reshape(-1)" => a.t()?.reshape([-1]);
    "a.T", "a.t()" => a.t();
    "c.T", "c.permute(2, 1, 0)" = c.reverse_dims();
    "c.mT", "c.mT" => c.mt();
    "np.transpose(c, (2, 0, 1))", "c.permute(2, 0, 1)" => c.permute_dims([2, 0, 1]);
    "np.swapaxes(c, 0, 2)", "c.transpose(0, 2)" => c.transpose(0, 2);
    "np.moveaxis(c, 0, -1)", "c.movedim(0, -1)" => c.moveaxis(0, -1);
    "np.expand_dims(a, 1)", "a.unsqueeze(1)" => a.unsqueeze(1);
    "np.squeeze(a[None], 0)", "a[None].squeeze(0)" => a.unsqueeze(0)?.squeeze([0]);
    "np.flip(a, 1)", "" => a.flip([1]);
    "np.rot90(a)", "" => a.rot90(1, 0, 1);
    "np.broadcast_to(v, (3, 4))", "v.expand(3, 4)" => v.broadcast_to([3, 4]);
    "np.diagonal(s)", "s.diagonal()" => s.diagonal(0, 0, 1);
    "np.diagonal(a, 1)", "a.diagonal(1)" => a.diagonal(1, 0, 1);
    "window(v, 2)", "v.unfold(0, 2, 1)" => v.windows(0, 2, 1);
    "window(a, (2, 2))", "" => a.sliding_window_view([2, 2], [0, 1]);
    "c.reshape(2, 12)", "c.flatten(1)" => c.flatten(1, -1);
    "c.reshape(2, 3, 2, 2)", "c.unflatten(2, (2, 2))" => c.unflatten(2, [2, 2]);
    "np.lib.stride_tricks.as_strided(v, (3, 2), (8, 8))", "v.as_strided((3, 2), (1, 1))" => v.as_strided([3, 2], [1, 1], 0);
    "v.view(np.int64)", "v.view(torch.int64)" => v.bitcast(DType::Int64);
    "np.squeeze(a[None])", "a[None].squeeze()" = a.unsqueeze(0)?.squeeze_all();
    "c.reshape(6, 4)", "c.flatten(0, 1)" => c.merge(0, 1);
    "c.reshape(2, 3, 2, 2)", "" => c.split_axis(2, 2);
    "c.transpose(1, 0, 2).reshape(3, 8)", "c.transpose(0, 1).reshape(3, 8)" => c.rearrange("n h w -> h (n w)", &[]);
    "c.transpose(2, 0, 1)", "c.permute(2, 0, 1)" => c.rearrange("n h w -> w n h", &[]);
));

#[rustfmt::skip]
pub(super) const PARTS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a[1]", "a[1]" => a.slice(s![1]);
    "a[-1, 2]", "a[-1, 2]" => a.slice(s![-1, 2]);
    "a[:, 1]", "a[:, 1]" => a.slice(s![.., 1]);
    "a[1:, :2]", "a[1:, :2]" => a.slice(s![1.., ..2]);
    "a[::2]", "a[::2]" => a.slice(s![..;2]);
    "a[::-1]", "" => a.slice(s![..;-1]);
    "c[..., 0]", "c[..., 0]" => c.slice(s![Index::Ellipsis, 0]);
    "v[:, None]", "v[:, None]" => v.slice(s![.., Index::NewAxis]);
    "np.split(v, 2)[1]", "v.split(2)[1]" = v.split(0, 2)?.nth(1).expect("two parts");
    "v[1:3]", "v.narrow(0, 1, 2)" => v.narrow(0, 1, 2);
    "c[1]", "c.select(0, 1)" => c.select(0, 1);
    "np.array_split(v, 3)[0]", "v.tensor_split(3)[0]" = v.chunk(0, 3)?.next().expect("three parts");
    "np.split(v, [1])[1]", "v.split([1, 3])[1]" = v.split_at(0, 1)?.1;
    "a[:, ::-2]", "" => a.step(1, -2);
));

#[rustfmt::skip]
pub(super) const WRITING: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a[0] = 7", "a[0] = 7" do a.assign(s![0], 7);
    "a[:, 1:3] = b[:, :2]", "a[:, 1:3] = b[:, :2]" do a.assign(s![.., 1..3], &b.slice(s![.., ..2])?);
    "a += b", "a += b" do a.add_assign(b);
    "a *= 2", "a *= 2" do a.mul_assign(2);
    "np.add(a, b, out=a)", "torch.add(a, b, out=a)" do belvedere::add_into(a, b, a);
    "np.copyto(a, v)", "a.copy_(v)" do belvedere::assign_into(v, a);
    "a[...] = b", "a.copy_(b)" do a.copy_from(b);
    "a.fill(7)", "a.fill_(7)" do a.fill(7);
    "a[:] = 0", "a.zero_()" do a.clear();
    "a *= 0.5", "a.mul_(0.5)" do a.scale(0.5);
    "a[1, 2] = 7", "a[1, 2] = 7" do a.set(&[1, 2], 7.0);
));

//! Every name of every operation, applied to a tensor of shape [2, 3, 4].

const MAKING: &[(&str, &str)] = &[
    ("arange(5)", "new [5] [1] 0"),
    ("arange(2, 10, 3)", "new [3] [1] 0"),
    ("arange(start=1, stop=4)", "new [3] [1] 0"),
    ("array([[1, 2], [3, 4]])", "new [2, 2] [2, 1] 0"),
    ("asarray([1.5, 2])", "new [2] [1] 0 float64"),
    ("torch.as_tensor([1, 2])", "new [2] [1] 0"),
    ("torch.from_numpy(x)", "view [2, 3, 4] [12, 4, 1] 0"),
    ("empty((2, 3))", "new [2, 3] [3, 1] 0 float64"),
    ("eye(3)", "new [3, 3] [3, 1] 0 float64"),
    ("eye(2, 4)", "new [2, 4] [4, 1] 0 float64"),
    ("full((2, 2), 7)", "new [2, 2] [2, 1] 0"),
    ("zeros_like(x.T)", "new [4, 3, 2] [1, 4, 12] 0"),
    ("ones_like(x)", "new [2, 3, 4] [12, 4, 1] 0"),
    ("empty_like(x[0])", "new [3, 4] [4, 1] 0"),
    ("linspace(0, 1, 5)", "new [5] [1] 0 float64"),
    ("ones(2, 3)", "new [2, 3] [3, 1] 0 float64"),
    ("rand(2, 3)", "new [2, 3] [3, 1] 0 float64"),
    ("torch.randn(4)", "new [4] [1] 0 float32"),
    ("tensor((4, 3), strides=(1, 4))", "new [4, 3] [1, 4] 0"),
    ("tensor((3,), strides=(-2,), offset=4)", "new [3] [-2] 4"),
    ("tensor(2, 3)", "new [2, 3] [3, 1] 0"),
    ("torch.tensor([[1, 2, 3]])", "new [1, 3] [3, 1] 0"),
    ("tensor([[1, 2], [3, 4]])", "new [2, 2] [2, 1] 0"),
    ("zeros(2, 3)", "new [2, 3] [3, 1] 0 float64"),
    ("zeros([2, 3])", "new [2, 3] [3, 1] 0 float64"),
    ("zeros((2, 3), float32)", "new [2, 3] [3, 1] 0 float32"),
    (r#"zeros((3, 4), order="F")"#, "new [3, 4] [1, 3] 0 float64"),
    ("torch.zeros(2, 3, dtype=torch.float)", "new [2, 3] [3, 1] 0 float32"),
];

const AXES: &[(&str, &str)] = &[
    ("x.permute(2, 0, 1)", "view [4, 2, 3] [1, 12, 4] 0"),
    ("x.permute((2, 0, 1))", "view [4, 2, 3] [1, 12, 4] 0"),
    ("x.permute(dims=[2, 0, 1])", "view [4, 2, 3] [1, 12, 4] 0"),
    ("torch.permute(x, (2, 0, 1))", "view [4, 2, 3] [1, 12, 4] 0"),
    ("permute_dims(x, (2, 0, 1))", "view [4, 2, 3] [1, 12, 4] 0"),
    ("x.transpose(0, 2)", "view [4, 3, 2] [1, 4, 12] 0"),
    ("x.transpose((2, 0, 1))", "view [4, 2, 3] [1, 12, 4] 0"),
    ("x.transpose(2, 0, 1)", "view [4, 2, 3] [1, 12, 4] 0"),
    ("x.transpose()", "view [4, 3, 2] [1, 4, 12] 0"),
    ("np.transpose(x)", "view [4, 3, 2] [1, 4, 12] 0"),
    ("x.transpose(dim0=0, dim1=-1)", "view [4, 3, 2] [1, 4, 12] 0"),
    ("x.T", "view [4, 3, 2] [1, 4, 12] 0"),
    ("x.mT", "view [2, 4, 3] [12, 1, 4] 0"),
    ("matrix_transpose(x)", "view [2, 4, 3] [12, 1, 4] 0"),
    ("x[0].t()", "view [4, 3] [1, 4] 0"),
    ("x.reverse_dims()", "view [4, 3, 2] [1, 4, 12] 0"),
    ("x.swapaxes(0, 1)", "view [3, 2, 4] [4, 12, 1] 0"),
    ("x.swapdims(0, 1)", "view [3, 2, 4] [4, 12, 1] 0"),
    ("x.swap_axes(0, 1)", "view [3, 2, 4] [4, 12, 1] 0"),
    ("np.swapaxes(x, -1, 0)", "view [4, 3, 2] [1, 4, 12] 0"),
    ("x.moveaxis(0, -1)", "view [3, 4, 2] [4, 1, 12] 0"),
    ("x.movedim(0, -1)", "view [3, 4, 2] [4, 1, 12] 0"),
    ("x.move_axis(0, -1)", "view [3, 4, 2] [4, 1, 12] 0"),
    ("moveaxis(x, (0, 1), (2, 0))", "view [3, 4, 2] [4, 1, 12] 0"),
    ("x.flip(1)", "view [2, 3, 4] [12, -4, 1] 8"),
    ("x.flip(0, 2)", "view [2, 3, 4] [-12, 4, -1] 15"),
    ("x.flip(dims=(0, 2))", "view [2, 3, 4] [-12, 4, -1] 15"),
    ("flip(x)", "view [2, 3, 4] [-12, -4, -1] 23"),
    ("fliplr(x)", "view [2, 3, 4] [12, -4, 1] 8"),
    ("flipud(x)", "view [2, 3, 4] [-12, 4, 1] 12"),
    ("rot90(x[0])", "view [4, 3] [-1, 4] 3"),
    ("rot90(x, 3, (1, 2))", "view [2, 4, 3] [12, 1, -4] 8"),
    ("x.squeeze()", "view [2, 3, 4] [12, 4, 1] 0"),
    ("x[:1].squeeze_all()", "view [3, 4] [4, 1] 0"),
    ("x[:, None].squeeze(1)", "view [2, 3, 4] [12, 4, 1] 0"),
    ("squeeze(x[None, :, None], (0, 2))", "view [2, 3, 4] [12, 4, 1] 0"),
    ("x[None].squeeze(dim=0)", "view [2, 3, 4] [12, 4, 1] 0"),
    ("x.unsqueeze(1)", "view [2, 1, 3, 4] [12, 12, 4, 1] 0"),
    ("x.unsqueeze(-1)", "view [2, 3, 4, 1] [12, 4, 1, 1] 0"),
    ("expand_dims(x, 0)", "view [1, 2, 3, 4] [24, 12, 4, 1] 0"),
    ("expand_dims(x, axis=(0, -1))", "view [1, 2, 3, 4, 1] [24, 12, 4, 1, 1] 0"),
];

const SHAPES: &[(&str, &str)] = &[
    ("x.reshape(6, 4)", "view [6, 4] [4, 1] 0"),
    ("x.reshape((6, -1))", "view [6, 4] [4, 1] 0"),
    ("x.reshape([4, 6])", "view [4, 6] [6, 1] 0"),
    ("reshape(x, (2, 12))", "view [2, 12] [12, 1] 0"),
    ("x.reshape(shape=(24,))", "view [24] [1] 0"),
    ("x.T.reshape(4, 6)", "copy [4, 6] [6, 1] 0, 192 bytes"),
    ("x.T.reshape(12, 2)", "copy [12, 2] [2, 1] 0, 192 bytes"),
    ("x.reshape(24, copy=True)", "copy [24] [1] 0, 192 bytes"),
    ("x.reshape(24, copy=False)", "view [24] [1] 0"),
    ("x.reshape_as(zeros(6, 4))", "view [6, 4] [4, 1] 0"),
    ("x.view(6, 4)", "view [6, 4] [4, 1] 0"),
    ("x.view((4, -1))", "view [4, 6] [6, 1] 0"),
    ("x.view_as(zeros(6, 4))", "view [6, 4] [4, 1] 0"),
    ("x[0].T.view(2, 2, 3)", "view [2, 2, 3] [2, 1, 4] 0"),
    ("x.view(int32)", "view [2, 3, 8] [24, 8, 1] 0 int32"),
    (r#"x.view("uint8")"#, "view [2, 3, 32] [96, 32, 1] 0 uint8"),
    ("x.view(dtype=float64)", "view [2, 3, 4] [12, 4, 1] 0 float64"),
    ("x.bitcast(int32)", "view [2, 3, 8] [24, 8, 1] 0 int32"),
    ("x.flatten()", "view [24] [1] 0"),
    ("x.flatten(1)", "view [2, 12] [12, 1] 0"),
    ("x.flatten(0, 1)", "view [6, 4] [4, 1] 0"),
    ("x.flatten(start_dim=1, end_dim=2)", "view [2, 12] [12, 1] 0"),
    ("x.T.flatten()", "copy [24] [1] 0, 192 bytes"),
    ("x.ravel()", "view [24] [1] 0"),
    ("x.T.ravel()", "copy [24] [1] 0, 192 bytes"),
    ("x.unflatten(2, (2, 2))", "view [2, 3, 2, 2] [12, 4, 2, 1] 0"),
    ("x.unflatten(dim=-1, sizes=(2, -1))", "view [2, 3, 2, 2] [12, 4, 2, 1] 0"),
    ("x[:, :1].expand(2, 5, 4)", "view [2, 5, 4] [12, 0, 1] 0"),
    ("x[:, :1].expand(-1, 5, -1)", "view [2, 5, 4] [12, 0, 1] 0"),
    ("x[0].expand(5, 3, 4)", "view [5, 3, 4] [0, 4, 1] 0"),
    ("arange(3).broadcast_to((2, 3))", "view [2, 3] [0, 1] 0"),
    ("broadcast_to(x[0], (5, 3, 4))", "view [5, 3, 4] [0, 4, 1] 0"),
    ("arange(4).expand_as(x)", "view [2, 3, 4] [0, 0, 1] 0"),
    ("x.merge(0, 1)", "view [6, 4] [4, 1] 0"),
    ("x.split_axis(2, 2)", "view [2, 3, 2, 2] [12, 4, 2, 1] 0"),
    ("broadcast_arrays(x[0], arange(4))[1]", "view [3, 4] [0, 1] 0"),
    ("torch.broadcast_tensors(x, x[0])[1]", "view [2, 3, 4] [0, 4, 1] 0"),
    (r#"x.rearrange("b h w -> b w h")"#, "view [2, 4, 3] [12, 1, 4] 0"),
    (r#"x.rearrange("b h (w v) -> b (h w) v", v=2)"#, "view [2, 6, 2] [12, 2, 1] 0"),
    (r#"x.rearrange("b h w -> b (w h)")"#, "copy [2, 12] [12, 1] 0, 192 bytes"),
    (r#"einops.rearrange(x, "a b c -> (a b) c")"#, "view [6, 4] [4, 1] 0"),
    (r#"rearrange(x, "b h (a m) -> b h a m", a=2, m=2)"#, "view [2, 3, 2, 2] [12, 4, 2, 1] 0"),
    (r#"einops.rearrange(tensor=x, pattern="b h w -> w h b")"#, "view [4, 3, 2] [1, 4, 12] 0"),
    ("array([1 + 2j, 3]).real", "view [2] [2] 0 float64"),
    ("array([1 + 2j, 3]).imag", "view [2] [2] 1 float64"),
    ("torch.view_as_real(array([1 + 2j, 3]))", "view [2, 2] [2, 1] 0 float64"),
];

const PARTS: &[(&str, &str)] = &[
    ("x[0]", "view [3, 4] [4, 1] 0"),
    ("x[-1, ::2]", "view [2, 4] [8, 1] 12"),
    ("x[..., 0]", "view [2, 3] [12, 4] 0"),
    ("x[:, ::-1, 1:3]", "view [2, 3, 2] [12, -4, 1] 9"),
    ("x[1, ..., None]", "view [3, 4, 1] [4, 1, 1] 12"),
    ("x[:, 1:1]", "view [2, 0, 4] [4, 4, 1] 0"),
    ("x[::-2]", "view [1, 3, 4] [12, 4, 1] 12"),
    ("x[:, :, -2:-5:-1]", "view [2, 3, 3] [12, 4, -1] 2"),
    ("x[0, 1, 2]", "view [] [] 6"),
    ("x[np.newaxis, 0]", "view [1, 3, 4] [12, 4, 1] 0"),
    ("x[(0, 1)]", "view [4] [1] 4"),
    ("x.narrow(2, 1, 2)", "view [2, 3, 2] [12, 4, 1] 1"),
    ("x.narrow(dim=-1, start=-2, length=2)", "view [2, 3, 2] [12, 4, 1] 2"),
    ("x.select(1, -1)", "view [2, 4] [12, 1] 8"),
    ("x.step(1, -2)", "view [2, 2, 4] [12, -8, 1] 8"),
    ("x.split_at(1, 1)[1]", "view [2, 2, 4] [12, 4, 1] 4"),
    ("torch.select(x, 0, 1)", "view [3, 4] [4, 1] 12"),
    ("x.split(2, dim=2)[1]", "view [2, 3, 2] [12, 4, 1] 2"),
    ("x.split(2, 1)[1]", "view [2, 1, 4] [12, 4, 1] 8"),
    ("x.split([1, 2], 1)[-1]", "view [2, 2, 4] [12, 4, 1] 4"),
    ("bv.split(x, 2, 2)[1]", "view [2, 3, 2] [12, 4, 1] 2"),
    ("bv.split(arange(6), [1, 3])[1]", "view [2] [1] 1"),
    ("x.chunk(2, -1)[0]", "view [2, 3, 2] [12, 4, 1] 0"),
    ("torch.chunk(x, 2)[1]", "view [1, 3, 4] [12, 4, 1] 12"),
    ("array_split(arange(10), 3)[1]", "view [3] [1] 4"),
    ("arange(10).tensor_split(4)[-1]", "view [2] [1] 8"),
    ("x.unbind(1)[2]", "view [2, 4] [12, 1] 8"),
    ("unstack(x, axis=2)[0]", "view [2, 3] [12, 4] 0"),
    ("arange(10).unfold(0, 3, 2)", "view [4, 3] [2, 1] 0"),
    ("x.unfold(-1, 2, 1)", "view [2, 3, 3, 2] [12, 4, 1, 1] 0"),
    ("arange(6).windows(0, 3)", "view [4, 3] [1, 1] 0"),
    ("sliding_window_view(arange(10), 3)", "view [8, 3] [1, 1] 0"),
    (
        "np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(1, 2))",
        "view [2, 2, 3, 2, 2] [12, 4, 1, 4, 1] 0",
    ),
    ("x.as_strided((4, 3), (1, 4))", "view [4, 3] [1, 4] 0"),
    ("x.as_strided((2, 2), (5, 1), 3)", "view [2, 2] [5, 1] 3"),
    (
        "np.lib.stride_tricks.as_strided(x[1], shape=(3, 2), strides=(8, 8))",
        "view [3, 2] [1, 1] 12",
    ),
    ("torch.as_strided(x, size=(2,), stride=(12,), storage_offset=4)", "view [2] [12] 4"),
    ("x.diagonal()", "view [4, 2] [1, 16] 0"),
    ("x.diagonal(1)", "view [4, 2] [1, 16] 4"),
    ("x.diagonal(offset=-1, dim1=1, dim2=2)", "view [2, 2] [12, 5] 4"),
    ("diagonal(x, 0, 2, 1)", "view [2, 3] [12, 5] 0"),
];

const COPIES: &[(&str, &str)] = &[
    ("x.copy()", "copy [2, 3, 4] [12, 4, 1] 0, 192 bytes"),
    ("x.T.clone()", "copy [4, 3, 2] [6, 2, 1] 0, 192 bytes"),
    ("x.contiguous()", "view [2, 3, 4] [12, 4, 1] 0"),
    ("x.T.contiguous()", "copy [4, 3, 2] [6, 2, 1] 0, 192 bytes"),
    ("ascontiguousarray(x.T)", "copy [4, 3, 2] [6, 2, 1] 0, 192 bytes"),
    ("x.T.materialize()", "copy [4, 3, 2] [6, 2, 1] 0, 192 bytes"),
    ("asfortranarray(x)", "copy [2, 3, 4] [1, 2, 6] 0, 192 bytes"),
    ("x.astype(float32)", "copy [2, 3, 4] [12, 4, 1] 0 float32, 96 bytes"),
    (r#"x.T.astype("float32")"#, "copy [4, 3, 2] [1, 4, 12] 0 float32, 96 bytes"),
    ("x.to(torch.int32)", "copy [2, 3, 4] [12, 4, 1] 0 int32, 96 bytes"),
    ("x.type(int8)", "copy [2, 3, 4] [12, 4, 1] 0 int8, 24 bytes"),
    ("x.float()", "copy [2, 3, 4] [12, 4, 1] 0 float32, 96 bytes"),
    ("x.long()", "view [2, 3, 4] [12, 4, 1] 0"),
    ("x.lens()", "view [2, 3, 4] [12, 4, 1] 0"),
    ("x.T.lens().reshape(6, 4)", "view [6, 4] lens"),
    ("pad(x[0], 1)", "new [5, 6] [6, 1] 0"),
    ("x[0].pad(((1, 2), (0, 1)))", "new [6, 5] [5, 1] 0"),
    ("x[0].lens().pad(((1, 2), (0, 1)))", "view [6, 5] lens"),
    ("F.pad(x[0], (1, 2))", "new [3, 7] [7, 1] 0"),
    ("torch.nn.functional.pad(x, (0, 1, 2, 0))", "new [2, 5, 5] [25, 5, 1] 0"),
    ("tile(arange(3), 2)", "new [6] [1] 0"),
    ("x[0].tile(2, 1)", "new [6, 4] [4, 1] 0"),
    ("x[0].lens().tile(2, 1)", "view [6, 4] lens"),
    ("x[0].tile((2, 1))", "new [6, 4] [4, 1] 0"),
    ("arange(3).repeat(2)", "new [6] [1] 0"),
    ("arange(3).lens().repeat(2)", "view [6] lens"),
    ("torch.arange(3).repeat(2)", "new [6] [1] 0"),
    ("repeat(x, 3, axis=1)", "new [2, 9, 4] [36, 4, 1] 0"),
    ("arange(3)[None].lens().repeat(4, 0)", "view [4, 3] [0, 1] 0"),
    ("torch.repeat_interleave(arange(3), 2)", "new [6] [1] 0"),
];

const ARITHMETIC: &[(&str, &str)] = &[
    ("x + x", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x.T + x.T", "new [4, 3, 2] [1, 4, 12] 0"),
    ("x[0] - x[:, :1]", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x * 2", "new [2, 3, 4] [12, 4, 1] 0"),
    ("1 - x", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x / 2", "new [2, 3, 4] [12, 4, 1] 0 float64"),
    ("-x", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x @ x.mT", "new [2, 3, 3] [9, 3, 1] 0"),
    ("add(x, 1)", "new [2, 3, 4] [12, 4, 1] 0"),
    ("subtract(x, x)", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x.sub(1)", "new [2, 3, 4] [12, 4, 1] 0"),
    ("multiply(x, x[0])", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x.mul(2.5)", "new [2, 3, 4] [12, 4, 1] 0 float64"),
    ("divide(x, 2)", "new [2, 3, 4] [12, 4, 1] 0 float64"),
    ("x.div(4)", "new [2, 3, 4] [12, 4, 1] 0 float64"),
    ("matmul(x, x.mT)", "new [2, 3, 3] [9, 3, 1] 0"),
    ("torch.mm(x[0], x[1].T)", "new [3, 3] [3, 1] 0"),
    ("torch.bmm(x, x.mT)", "new [2, 3, 3] [9, 3, 1] 0"),
    ("negative(x)", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x.neg()", "new [2, 3, 4] [12, 4, 1] 0"),
    ("x.sum()", "new [] [] 0"),
    ("sum(x, 0)", "new [3, 4] [4, 1] 0"),
    ("x.max((0, 2))", "new [3] [1] 0"),
    ("x.min(axis=-1)", "new [2, 3] [3, 1] 0"),
    ("x.mean(1, keepdims=True)", "new [2, 1, 4] [4, 4, 1] 0 float64"),
];

const IN_PLACE: &[(&str, &str)] = &[
    ("x += 1", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x[1:] -= x[:1]", "in place [1, 3, 4] [12, 4, 1] 12"),
    ("x[0] *= 2", "in place [3, 4] [4, 1] 0"),
    ("x[x > 5] = 0", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x[[0, 1], 2] += 1", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x.add_(1)", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x.sub_(1).subtract_(1)", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x.multiply_(x[0])", "in place [2, 3, 4] [12, 4, 1] 0, 96 bytes"),
    ("ones(3).div_(2).divide_(2)", "in place [3] [1] 0 float64"),
    ("x.floor_divide_(2).remainder_(3).pow_(2)", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x.bitwise_and_(6).bitwise_or_(1).bitwise_xor_(x)", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x <<= 1; x.bitwise_left_shift_(1)", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x >>= 1; x.bitwise_right_shift_(1)", "in place [2, 3, 4] [12, 4, 1] 0"),
    ("x.T.sort_()", "in place [4, 3, 2] [1, 4, 12] 0"),
    ("y = np.array([3, 1, 2]); y.sort()", "in place [3] [1] 0"),
];

const OTHERS: &[(&str, &str)] = &[
    ("torch.addmm(x[0], x[0, :, :3], x[1])", "new [3, 4] [4, 1] 0"),
    ("np.matvec(x, arange(4))", "new [2, 3] [3, 1] 0"),
    ("torch.mv(x[0], arange(4))", "new [3] [1] 0"),
    ("np.random.permutation(4)", "new [4] [1] 0"),
    ("np.random.random((2, 3))", "new [2, 3] [3, 1] 0 float64"),
    ("np.identity(3)", "new [3, 3] [3, 1] 0 float64"),
    ("np.conjugate(x)", "view [2, 3, 4] [12, 4, 1] 0"),
    ("torch.take_along_dim(x, x[:, :1] * 0, 1)", "new [2, 1, 4] [4, 4, 1] 0"),
    ("unique_all(x % 3)[3]", "new [3] [1] 0"),
    ("unique_counts(x % 3)[1]", "new [3] [1] 0"),
    ("unique_values(x % 3)", "new [3] [1] 0"),
    ("x[x > 20]", "new [3] [1] 0"),
    ("x[[1, 0], :, [0, 3]]", "new [2, 3] [3, 1] 0"),
    ("x[0, [True, False, True]]", "new [2, 4] [4, 1] 0"),
    ("allclose(x, x)", "= True"),
    ("x.device", "= \"cpu\""),
    ("x[0, 0].tolist()", "= [0, 1, 2, 3]"),
    ("np.can_cast(int8, float32)", "= True"),
    ("isdtype(float32, 'real floating')", "= True"),
    ("np.result_type(int8, float32)", "= float32"),
    ("1 < 2", "= True"),
    ("len((np.einsum_path('ij,jk', x[0], x[0].T),))", "= 1"),
];

/// The prefix of a name decides whose meaning it has, and so do the methods of what it returns.
const MEANINGS: &[(&str, &str)] = &[
    ("np.split(arange(6), 3)[1]", "view [2] [1] 2"),
    ("torch.split(arange(6), 3)[1]", "view [3] [1] 3"),
    ("np.split(arange(6), [1, 3])[1]", "view [2] [1] 1"),
    ("torch.split(arange(6), [1, 3, 2])[1]", "view [3] [1] 1"),
    ("np.zeros(2)", "new [2] [1] 0 float64"),
    ("torch.zeros(2)", "new [2] [1] 0 float32"),
    ("torch.tensor([1.5])", "new [1] [1] 0 float32"),
    ("torch.arange(3.0)", "new [3] [1] 0 float32"),
    ("torch.max(x, 1)[1]", "new [2, 4] [4, 1] 0"),
    ("torch.max(x)", "new [] [] 0"),
    ("np.max(x, 1)", "new [2, 4] [4, 1] 0"),
    ("torch.sort(x, 0)[1]", "new [2, 3, 4] [12, 4, 1] 0"),
    ("np.nonzero(x > 20)[2]", "new [3] [1] 6"),
    ("torch.nonzero(x > 20)", "new [3, 3] [1, 3] 0"),
    ("np.where(x > 20)[0]", "new [3] [1] 0"),
    ("torch.squeeze(x, 1)", "view [2, 3, 4] [12, 4, 1] 0"),
    ("np.meshgrid(arange(2), arange(3))[0].shape", "= (3, 2)"),
    ("torch.meshgrid(arange(2), arange(3))[0].shape", "= (2, 3)"),
    ("np.std(array([1.0, 3.0])).item()", "= 1.0"),
    ("torch.std(array([1.0, 3.0, 5.0])).item()", "= 2.0"),
    ("torch.ones(2, 3).sum(dim=1, keepdim=True)", "new [2, 1] [1, 1] 0 float32"),
    ("torch.arange(6).split(4)[1]", "view [2] [1] 4"),
    ("np.linalg.norm(ones((2, 2)))", "new [] [] 0 float64"),
    ("np.fft.fft(ones(4))", "new [4] [1] 0 complex128"),
    ("fft.fft(ones(4))", "new [4] [1] 0 complex128"),
    ("linalg.norm(ones((2, 2)))", "new [] [] 0 float64"),
];

const QUESTIONS: &[(&str, &str)] = &[
    ("broadcast_shapes((2, 1), (3,))", "= (2, 3)"),
    ("x.dtype", "= int64"),
    ("x.itemsize", "= 8"),
    ("x.element_size()", "= 8"),
    ("x.is_contiguous()", "= True"),
    ("x.T.is_contiguous()", "= False"),
    ("x[0, 1, 2].item()", "= 6"),
    ("len(x)", "= 2"),
    ("x.nbytes", "= 192"),
    ("x.ndim", "= 3"),
    ("x.dim()", "= 3"),
    ("x[1].storage_offset()", "= 12"),
    ("x[1].offset", "= 12"),
    ("print(x.shape)", "= (2, 3, 4)"),
    ("x.shape", "= (2, 3, 4)"),
    ("x.shape[1:]", "= (3, 4)"),
    ("np.shares_memory(x, x[0])", "= True"),
    ("np.may_share_memory(x[0], x[1])", "= False"),
    ("x.size", "= 24"),
    ("x.size()", "= (2, 3, 4)"),
    ("x.size(1)", "= 3"),
    ("x.numel()", "= 24"),
    ("x.T.stride()", "= (1, 4, 12)"),
    ("x.stride(0)", "= 12"),
    ("x.strides", "= (96, 32, 8)"),
    (r#"x.flags["C_CONTIGUOUS"]"#, "= True"),
    ("x.flags.f_contiguous", "= False"),
    ("10 ** 18", "= 1000000000000000000"),
    ("7 // 2 + 7 % 4 - 2 * 3", "= 0"),
];
const X: &str = "x = arange(24).reshape(2, 3, 4); ";

const ALL: [&[(&str, &str)]; 10] =
    [MAKING, AXES, SHAPES, PARTS, COPIES, ARITHMETIC, IN_PLACE, OTHERS, MEANINGS, QUESTIONS];

#[test]
fn every_name_has_the_expected_result() {
    let different = |(call, expected): &(&str, &str)| {
        let report = belvedere_explain::explain(&format!("{X}{call}"), None);
        let found = crate::summary(report.steps.last().expect("a report has steps"));
        (found != *expected).then(|| format!("{call}: {found}, not {expected}"))
    };
    let different: Vec<String> = ALL.concat().iter().filter_map(different).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn every_name_is_tested() {
    let rows = crate::guide::expressions();
    let calls: Vec<&str> = ALL.concat().iter().map(|it| it.0).chain(rows).collect();
    let words: Vec<&str> =
        calls.iter().flat_map(|it| it.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let is_tested = |name: &&str| words.contains(name) || is_function(name);
    let missing: Vec<&str> = belvedere_explain::spellings().filter(|it| !is_tested(it)).collect();
    assert!(missing.is_empty(), "not tested: {}", missing.join(", "));
}

/// Whether a name works as an elementwise function of one or two tensors, or as a reduction. These come from the table of
/// operations, so they are not listed above.
fn is_function(name: &str) -> bool {
    let summary = |arguments: &str| {
        let report = belvedere_explain::explain(&format!("{X}{name}({arguments})"), None);
        crate::summary(report.steps.last().expect("a report has steps"))
    };
    ["x", "x, x"].into_iter().map(summary).any(|text| {
        text.starts_with("new [2, 3, 4] [12, 4, 1] 0") || text.starts_with("new [] [] 0")
    })
}

#[test]
fn dtypes_are_known_by_the_names_of_each_library() {
    let names = [
        ("float32", "float32"),
        ("np.float32", "float32"),
        ("torch.float32", "float32"),
        ("'float32'", "float32"),
        ("\"f4\"", "float32"),
        ("'<f4'", "float32"),
        ("float", "float64"),
        ("torch.float", "float32"),
        ("torch.int", "int32"),
        ("torch.half", "float16"),
        ("np.bool_", "bool"),
        ("bfloat16", "bfloat16"),
        ("complex", "complex128"),
        ("uint8", "uint8"),
    ];
    for (name, expected) in names {
        let step = crate::last(&format!("zeros(2, dtype={name})"));
        assert_eq!(step.result.unwrap().dtype.name(), expected, "{name}");
    }
}

#[test]
fn prompts_of_interactive_sessions_are_skipped() {
    let pasted = ">>> x = arange(6)\n>>> print(f\"strides: {x.strides}\")\n  >>> print('shape', x.shape)\n(6,)\r\n";
    let steps: Vec<String> = crate::works(pasted).steps.iter().map(crate::summary).collect();
    assert_eq!(steps, ["new [6] [1] 0", "= (6,)", "= (6,)"]);
}

#[test]
fn import_aliases_are_known() {
    let pasted = "import numpy as num\nfrom torch.nn import functional as F\nimport torch\n\
                  a = num.arange(6).reshape(2, 3)  # rows\nprint(a.shape)\nF.pad(a, (1, 0))";
    let report = crate::works(pasted);
    let steps: Vec<String> = report.steps.iter().map(crate::summary).collect();
    assert_eq!(steps, ["new [6] [1] 0", "view [2, 3] [3, 1] 0", "= (2, 3)", "new [2, 4] [4, 1] 0"]);
}

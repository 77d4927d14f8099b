//! The benchmark cases, one line each.
//!
//! NumPy's and PyTorch's side is Python, which a child process runs (`engines/python.py`): a line that
//! creates the inputs with `r(shape…)`, and an expression that is timed. The Rust engines select the
//! case by its name.

use super::goal::Goal::{self, *};

/// A benchmark case.
pub struct Case {
    pub name: &'static str,
    /// The element type, as NumPy calls it.
    pub dtype: &'static str,
    /// The Python code that creates the inputs.
    pub setup: &'static str,
    /// The expressions that are timed; empty where the library does not have the operation.
    pub numpy: &'static str,
    pub torch: &'static str,
    /// The minimum number of bytes to read and write; 0 if memory bandwidth is not the limit.
    pub bytes: usize,
    pub goal: Goal,
}

const M: usize = 1 << 20;
/// The bytes of 4096² floats.
const BIG: usize = 64 * M;

const fn case(
    name: &'static str,
    setup: &'static str,
    numpy: &'static str,
    torch: &'static str,
    bytes: usize,
    goal: Goal,
) -> Case {
    Case { name, dtype: "float32", setup, numpy, torch, bytes, goal }
}

/// Returns the same case for another dtype.
const fn with_dtype(dtype: &'static str, case: Case) -> Case {
    // The bytes of a case are those of `float32`, four for each element.
    let bytes = case.bytes / 4
        * match dtype.as_bytes() {
            b"uint8" => 1,
            b"float16" => 2,
            _ => 8,
        };
    Case { dtype, bytes, ..case }
}

const COPY: Case = case("copy 16 M", "a = r(1 << 24)", "a.copy()", "a.clone()", 2 * BIG, Copy);
const TRANSPOSE: Case = case(
    "copy of the transpose, 4096²",
    "a = r(4096, 4096)",
    "np.ascontiguousarray(a.T)",
    "a.T.contiguous()",
    2 * BIG,
    CopyNearMemcpy,
);
const NHWC: Case = case(
    "copy NCHW → NHWC (32,64,56,56)",
    "a = r(32, 64, 56, 56)",
    "np.ascontiguousarray(a.transpose(0, 2, 3, 1))",
    "a.permute(0, 2, 3, 1).contiguous()",
    2 * 4 * 32 * 64 * 56 * 56,
    CopyNearMemcpy,
);
const ADD: Case =
    case("add 16 M", "a, b = r(1 << 24), r(1 << 24)", "a + b", "a + b", 3 * BIG, Allocating);
const ADD_TRANSPOSED: Case = case(
    "a + bᵀ, 4096²",
    "a, b = r(4096, 4096), r(4096, 4096)",
    "a + b.T",
    "a + b.T",
    3 * BIG,
    Crossed,
);

#[rustfmt::skip]
pub const CASES: &[Case] = &[
    case("transpose, metadata only", "a = r(16, 32, 8)", "a.transpose(2, 0, 1)", "a.permute(2, 0, 1)", 0, Small),
    case("reshape, metadata only", "a = r(16, 32, 8)", "a.reshape(16, 256)", "a.reshape(16, 256)", 0, Small),
    COPY, with_dtype("float64", COPY), with_dtype("uint8", COPY), with_dtype("float16", COPY), with_dtype("complex64", COPY),
    TRANSPOSE, with_dtype("float64", TRANSPOSE), with_dtype("uint8", TRANSPOSE), with_dtype("float16", TRANSPOSE), with_dtype("complex64", TRANSPOSE),
    NHWC, with_dtype("float64", NHWC), with_dtype("uint8", NHWC), with_dtype("float16", NHWC), with_dtype("complex64", NHWC),
    case("copy NHWC → NCHW (32,56,56,64)", "a = r(32, 56, 56, 64)", "np.ascontiguousarray(a.transpose(0, 3, 1, 2))", "a.permute(0, 3, 1, 2).contiguous()", 2 * 4 * 32 * 64 * 56 * 56, CopyNearMemcpy),
    case("copy of heads (8,512,12,64)", "a = r(8, 512, 12, 64)", "np.ascontiguousarray(a.transpose(0, 2, 1, 3))", "a.permute(0, 2, 1, 3).contiguous()", 2 * 4 * 8 * 512 * 12 * 64, CopyNearMemcpy),
    case("copy, axes of (8,16,8,16,8,32) reversed", "a = r(8, 16, 8, 16, 8, 32)", "np.ascontiguousarray(a.T)", "a.permute(5, 4, 3, 2, 1, 0).contiguous()", 2 * 4 * 4 * M, Copy),
    case("copy of [::2, ::2] of 4096²", "a = r(4096, 4096)", "a[::2, ::2].copy()", "a[::2, ::2].clone()", BIG / 2 + BIG / 4, Copy),
    case("copy of both axes flipped, 4096²", "a = r(4096, 4096)", "a[::-1, ::-1].copy()", "", 2 * BIG, Copy),
    case("copy of windows of 8 over 4 M", "a = r(1 << 22)", "window(a, 8).copy()", "a.unfold(0, 8, 1).clone()", 4 * 4 * M * 9, Copy),
    case("add 16", "a, b = r(16), r(16)", "a + b", "a + b", 0, Small),
    case("slice + add 64", "a, b = r(256), r(64)", "a[::4] + b", "a[::4] + b", 0, Small),
    case("add 32 K", "a, b = r(1 << 15), r(1 << 15)", "a + b", "a + b", 3 * 4 << 15, Ahead),
    ADD, with_dtype("float64", ADD), with_dtype("uint8", ADD), with_dtype("float16", ADD), with_dtype("complex64", ADD),
    case("a += b, 16 M", "a, b = r(1 << 24), r(1 << 24)", "np.add(a, b, out=a)", "a.add_(b)", 3 * BIG, Ahead),
    ADD_TRANSPOSED, with_dtype("float64", ADD_TRANSPOSED), with_dtype("uint8", ADD_TRANSPOSED), with_dtype("float16", ADD_TRANSPOSED), with_dtype("complex64", ADD_TRANSPOSED),
    case("aᵀ + bᵀ, 4096²", "a, b = r(4096, 4096), r(4096, 4096)", "a.T + b.T", "a.T + b.T", 3 * BIG, Allocating),
    case("a[::2] + b[::2], 16 M", "a, b = r(1 << 24), r(1 << 24)", "a[::2] + b[::2]", "a[::2] + b[::2]", 2 * BIG + BIG / 2, Allocating),
    case("(4096,1024) + (1024)", "a, b = r(4096, 1024), r(1024)", "a + b", "a + b", 2 * 16 * M, Allocating),
    case("(4096,1024) + (4096,1)", "a, b = r(4096, 1024), r(4096, 1)", "a + b", "a + b", 2 * 16 * M, Allocating),
    case("relu(a·b + c), 4 M", "a, b, c = r(1 << 22), r(1 << 22), r(1 << 22)", "np.maximum(a * b + c, 0)", "torch.relu(a * b + c)", 4 * 16 * M, Fused),
    case("sqrt(|a·b + c| + 1) − a·c, 4 M", "a, b, c = r(1 << 22), r(1 << 22), r(1 << 22)", "np.sqrt(np.abs(a * b + c) + 1) - a * c", "torch.sqrt(torch.abs(a * b + c) + 1) - a * c", 4 * 16 * M, Fused),
    case("exp 4 M", "a = r(1 << 22)", "np.exp(a)", "torch.exp(a)", 2 * 16 * M, Transcendental),
    case("log 4 M", "a = r(1 << 22) + 1", "np.log(a)", "torch.log(a)", 2 * 16 * M, Transcendental),
    case("tanh 4 M", "a = r(1 << 22)", "np.tanh(a)", "torch.tanh(a)", 2 * 16 * M, Transcendental),
    case("sigmoid 4 M", "a = r(1 << 22)", "", "torch.sigmoid(a)", 2 * 16 * M, Transcendental),
    case("erf 4 M", "a = r(1 << 22)", "", "torch.erf(a)", 2 * 16 * M, Transcendental),
    case("sin 4 M", "a = r(1 << 22)", "np.sin(a)", "torch.sin(a)", 2 * 16 * M, Transcendental),
    case("gelu 4 M", "a = r(1 << 22)", "", "torch.nn.functional.gelu(a)", 2 * 16 * M, Transcendental),
    case("sum 16 M", "a = r(1 << 24)", "a.sum()", "a.sum()", BIG, Ahead),
    with_dtype("float64", case("sum 10 M", "a = r(10_000_000)", "a.sum()", "a.sum()", 40_000_000, Ahead)),
    with_dtype("float64", case("sum of [::2] of 20 M", "a = r(20_000_000)[::2]", "a.sum()", "a.sum()", 80_000_000, Ahead)),
    case("sum axis 0, 4096²", "a = r(4096, 4096)", "a.sum(0)", "a.sum(0)", BIG, Ahead),
    case("sum axis 1, 4096²", "a = r(4096, 4096)", "a.sum(1)", "a.sum(1)", BIG, Ahead),
    case("sum of the middle axis (64,512,512)", "a = r(64, 512, 512)", "a.sum(1)", "a.sum(1)", BIG, Ahead),
    case("transposed: sum axis 0", "a = r(4096, 4096).T", "a.sum(0)", "a.sum(0)", BIG, Ahead),
    case("transposed: sum", "a = r(4096, 4096).T", "a.sum()", "a.sum()", BIG, Ahead),
    case("argmax axis 1, 4096²", "a = r(4096, 4096)", "a.argmax(1)", "a.argmax(1)", BIG, Ahead),
    case("argmax 16 M", "a = r(1 << 24)", "a.argmax()", "a.argmax()", BIG, Ahead),
    case("softmax (4096,1024)", "a = r(4096, 1024)", "softmax(a)", "torch.softmax(a, 1)", 2 * 16 * M, Ahead),
    case("matmul 1024³ NN", "a, b = r(1024, 1024), r(1024, 1024)", "a @ b", "a @ b", 0, Product),
    case("matmul 1024³ NT", "a, b = r(1024, 1024), r(1024, 1024).T", "a @ b", "a @ b", 0, Product),
    case("matmul 1024³ TN", "a, b = r(1024, 1024).T, r(1024, 1024)", "a @ b", "a @ b", 0, Product),
    case("matmul 1024³ TT", "a, b = r(1024, 1024).T, r(1024, 1024).T", "a @ b", "a @ b", 0, Product),
    case("matmul of [::2, ::2] (512³)", "a, b = r(1024, 1024)[::2, ::2], r(1024, 1024)[::2, ::2]", "a @ b", "a @ b", 0, Product),
    case("matmul 256³", "a, b = r(256, 256), r(256, 256)", "a @ b", "a @ b", 0, Product),
    case("matmul 32³", "a, b = r(32, 32), r(32, 32)", "a @ b", "a @ b", 0, Product),
    case("matmul 8³", "a, b = r(8, 8), r(8, 8)", "a @ b", "a @ b", 0, Small),
    case("matmul (32,784)·(784,128)", "a, b = r(32, 784), r(784, 128)", "a @ b", "a @ b", 0, Product),
    case("matmul (64,128,64)·(64,64,128)", "a, b = r(64, 128, 64), r(64, 64, 128)", "a @ b", "a @ b", 0, Product),
    case("attention QKᵀ (8,12,512,64)", "a, b = r(8, 512, 12, 64), r(8, 512, 12, 64)", "a.transpose(0, 2, 1, 3) @ b.transpose(0, 2, 3, 1)", "a.permute(0, 2, 1, 3) @ b.permute(0, 2, 3, 1)", 0, Product),
];

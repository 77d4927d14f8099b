//! Forms of linear algebra, Fourier transforms and neural networks.

use super::{OBJECT, PLAIN};
use crate::generate::form::Form;

pub(super) const FORMS: &[Form] = &[
    Form {
        // Functions of matrices, whose work grows faster than their number of elements.
        name: "matrix",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'_>"],
        body: "let x = x.tensor();\n    run(py, work(x), || {path}(x)).map(Array::from)",
        call: "{path}(&x)",
        ..PLAIN
    },
    Form {
        // Fourier transforms along one axis.
        name: "transform",
        signature: "(x: ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal[\"backward\", \"ortho\", \"forward\"] | None = \"backward\", out: ArrayLike | None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "n: Option<Count>",
            "axis: isize",
            "norm: Option<&str>",
            "out: Option<OutArgument<'py>>",
        ],
        defaults: &[("norm", "Some(\"backward\")")],
        result: OBJECT,
        body: "transform(py, x.tensor(), (n, axis, norm), out, {path}_with)",
        explain: "(x: Tensor, n: Option<usize> = None, axis: isize = -1, norm: Norm = 'backward')",
        call: "{path}_with(&x, n, axis, norm)",
        ..PLAIN
    },
    Form {
        // Fourier transforms along several axes.
        name: "transform_many",
        signature: "(x: ArrayLike, /, s: Sequence[int] | None = None, axes: Axes = None, norm: Literal[\"backward\", \"ortho\", \"forward\"] | None = \"backward\", out: ArrayLike | None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "s: Option<Integers>",
            "axes: Option<Integers>",
            "norm: Option<&str>",
            "out: Option<OutArgument<'py>>",
        ],
        defaults: &[("norm", "Some(\"backward\")")],
        result: OBJECT,
        body: "transform_many(py, x.tensor(), (s, axes, norm), out, {path}_with)",
        explain: "(x: Tensor, s: Option<Counts> = None, axes: Option<Ints> = None, norm: Norm = 'backward')",
        call: "{path}_with(&x, s.as_deref(), axes.as_deref(), norm)",
        ..PLAIN
    },
    Form {
        name: "frequencies",
        signature: "(n: SupportsIndex, d: float = 1.0, *, dtype: DTypeLike | None = None, device: Device | None = None) -> Array",
        parameters: &[
            "n: Count",
            "d: f64",
            "dtype: Option<DTypeArgument>",
            "device: Option<DeviceArgument>",
        ],
        body: "let dtype = dtype.map_or(DType::Float64, |it| it.0);\n    \
               DeviceArgument::run(device, Device::Cpu, || {\n        \
               run(py, n.0, || {path}_with(n.0, d, dtype)).map(Array::from)\n    })",
        explain: "(n: usize, d: f64 = 1.0, dtype: FloatDType = None)",
        call: "{path}_with(n, d, dtype.0)",
        ..PLAIN
    },
    Form {
        name: "frequency_shift",
        signature: "(x: ArrayLike, /, axes: Axes = None) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axes: Option<AxesArgument>"],
        body: "let (x, axes) = (x.tensor(), AxesArgument::or_all(axes, false));\n    \
               run(py, x.len(), || {path}(x, axes.clone())).map(Array::from)",
        call: "{path}(&x, axes)",
        ..PLAIN
    },
    Form {
        name: "convolution",
        signature: "(x: ArrayLike, weight: ArrayLike, /, bias: ArrayLike | None = None, *, stride: Shape = 1, padding: Shape | Literal[\"valid\", \"same\"] = 0, dilation: Shape = 1, groups: SupportsIndex = 1) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "weight: ArrayArgument<'_>",
            "bias: Option<ArrayArgument<'_>>",
            "stride: Integers",
            "padding: PaddingArgument",
            "dilation: Integers",
            "groups: Count",
        ],
        defaults: &[
            ("stride", "Integers::one_of(1)"),
            ("padding", "PaddingArgument::Zeros(Integers::one_of(0))"),
            ("dilation", "Integers::one_of(1)"),
            ("groups", "Count(1)"),
        ],
        body: "let options = convolution(&stride, &padding, &dilation, groups)?;\n    \
               let (x, weight) = (x.tensor(), weight.tensor());\n    \
               let bias = bias.as_ref().map(ArrayArgument::tensor);\n    \
               run_detached(py, || {path}(x, weight, bias, options)).map(Array::from)",
        explain: "(x: Tensor, weight: Tensor, bias: Option<Tensor> = None, stride: Counts = 1, padding: Value = 0, dilation: Counts = 1, groups: usize = 1)",
        call: "attempt(|| Ok({path}(&x, &weight, bias.as_ref(), belvedere::nn::Conv { stride: per_axis(&stride)?, \
               padding: conv_padding(&padding)?, dilation: per_axis(&dilation)?, groups })?))",
        ..PLAIN
    },
    Form {
        name: "max_pool",
        signature: "(x: ArrayLike, size: Shape, /, *, stride: Shape | None = None, padding: Shape = 0, ceil: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "size: Integers",
            "stride: Option<Integers>",
            "padding: Integers",
            "ceil: bool",
        ],
        defaults: &[("padding", "Integers::one_of(0)")],
        body: "let windows = pool(&size, stride.as_ref(), &padding, ceil, true)?;\n    \
               let x = x.tensor();\n    \
               run_detached(py, || {path}(x, windows)).map(Array::from)",
        explain: "(x: Tensor, size: Counts, stride: Option<Counts> = None, padding: Counts = 0, ceil: bool = False)",
        call: "attempt(|| Ok({path}(&x, belvedere::nn::Pool { size: per_axis(&size)?, \
               stride: per_axis(stride.as_ref().unwrap_or(&size))?, padding: per_axis(&padding)?, ceil, count_padding: true })?))",
        ..PLAIN
    },
    Form {
        name: "avg_pool",
        signature: "(x: ArrayLike, size: Shape, /, *, stride: Shape | None = None, padding: Shape = 0, ceil: bool = False, count_padding: bool = True) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "size: Integers",
            "stride: Option<Integers>",
            "padding: Integers",
            "ceil: bool",
            "count_padding: bool",
        ],
        defaults: &[("padding", "Integers::one_of(0)")],
        body: "let windows = pool(&size, stride.as_ref(), &padding, ceil, count_padding)?;\n    \
               let x = x.tensor();\n    \
               run_detached(py, || {path}(x, windows)).map(Array::from)",
        explain: "(x: Tensor, size: Counts, stride: Option<Counts> = None, padding: Counts = 0, ceil: bool = False, count_padding: bool = True)",
        call: "attempt(|| Ok({path}(&x, belvedere::nn::Pool { size: per_axis(&size)?, \
               stride: per_axis(stride.as_ref().unwrap_or(&size))?, padding: per_axis(&padding)?, ceil, count_padding })?))",
        ..PLAIN
    },
];

//! The table of forms.

use super::form::Form;

/// The common fields of forms: no defaults other than literals, and no method of `Array`.
const PLAIN: Form = Form {
    name: "",
    signature: "",
    parameters: &[],
    defaults: &[],
    result: "PyResult<Array>",
    body: "",
    body_with_method: None,
    explain: "",
    call: "",
};

/// The result of functions so short that the cost of moving an `Array` is measurable.
const OBJECT: &str = "PyResult<Bound<'py, ArrayObject>>";

/// All forms.
pub(super) const FORMS: &[Form] = &[
    Form {
        name: "unary",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'py>"],
        result: OBJECT,
        body: "unary(py, x.tensor(), |x| x.{method}())",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        name: "binary",
        signature: "(x1: ArrayLike, x2: ArrayLike, /) -> Array",
        parameters: &["x1: OperandArgument", "x2: OperandArgument"],
        result: OBJECT,
        body: "binary(py, &x1, &x2, |x, y| x.{method}(y))",
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "x1.operand().{method}(x2.operand())",
        ..PLAIN
    },
    Form {
        // Either operand may be a Python integer of any size.
        name: "comparison",
        signature: "(x1: ArrayLike, x2: ArrayLike, /) -> Array",
        parameters: &[
            "#[pyo3(from_py_with = compared_operand)] x1: OperandArgument",
            "#[pyo3(from_py_with = compared_operand)] x2: OperandArgument",
        ],
        result: OBJECT,
        body: "binary(py, &x1, &x2, |x, y| x.{method}(y))",
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "x1.operand().{method}(x2.operand())",
        ..PLAIN
    },
    Form {
        name: "reduction",
        signature: "(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axis: Option<AxesArgument>", "keepdims: bool"],
        body: "reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}(axes))",
        body_with_method: Some("x.0.get().{method}(py, axis, keepdims)"),
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        // Reductions that accumulate in a dtype that may be given.
        name: "total",
        signature: "(x: ArrayLike, /, *, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: Option<AxesArgument>",
            "dtype: Option<DTypeArgument>",
            "keepdims: bool",
        ],
        body: "",
        body_with_method: Some("x.0.get().{method}(py, axis, dtype, keepdims)"),
        explain: "(x: Array, axis: Axes = None, dtype: Option<DType> = None, keepdims: bool = False)",
        call: "match dtype { None => each!(x, x => x.{method}(kept(axis, keepdims))), \
               Some(dtype) => as_tensor(x).and_then(|x| Ok(x.{last}(kept(axis, keepdims), dtype)?.into())) }",
        ..PLAIN
    },
    Form {
        // Functions of the deviations from the mean.
        name: "deviation",
        signature: "(x: ArrayLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: Option<AxesArgument>",
            "correction: f64",
            "keepdims: bool",
        ],
        body: "reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}(axes, correction))",
        body_with_method: Some("x.0.get().{method}(py, axis, correction, keepdims)"),
        call: "x.{method}(kept(axis, keepdims), correction)",
        ..PLAIN
    },
    Form {
        name: "norm",
        signature: "(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: Option<AxesArgument>",
            "keepdims: bool",
            "ord: f64",
        ],
        defaults: &[("ord", "2.0")],
        body: "reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}(axes, ord))",
        explain: "(x: Tensor, ord: f64 = 2, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims), ord)",
        ..PLAIN
    },
    Form {
        // The position of an extremum.
        name: "position",
        signature: "(x: ArrayLike, /, *, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axis: Option<isize>", "keepdims: bool"],
        body: "",
        body_with_method: Some("x.0.get().{method}(py, axis, keepdims)"),
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        name: "cumulative",
        signature: "(x: ArrayLike, /, *, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, include_initial: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: Option<isize>",
            "dtype: Option<DTypeArgument>",
            "include_initial: bool",
        ],
        body: "accumulate(py, x.tensor(), axis, dtype, include_initial, |x, axis, options| {\n        \
               x.{last}(axis, options)\n    })",
        call: "cumulative(x, axis, belvedere::ScanOptions { dtype, include_initial }, Tensor::{last})",
        ..PLAIN
    },
    Form {
        // Functions of 1-D slices along an axis, whose results have the shape of the operand.
        name: "along_axis",
        signature: "(x: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axis: isize"],
        body: "compute(py, x.tensor(), |x| x.{method}(axis))",
        call: "x.{method}(axis)",
        ..PLAIN
    },
    Form {
        // Functions of a whole array.
        name: "whole",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'_>"],
        body: "compute(py, x.tensor(), |x| x.{method}())",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        // Functions that return a view in constant time.
        name: "view",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'_>"],
        body: "Array::from_view(x.tensor().{method}())",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        name: "triangle",
        signature: "(x: ArrayLike, /, *, k: SupportsIndex = 0) -> Array",
        parameters: &["x: ArrayArgument<'_>", "k: Diagonal"],
        defaults: &[("k", "Diagonal(0)")],
        body: "compute(py, x.tensor(), |x| x.{method}(k.0))",
        call: "x.{method}(k)",
        ..PLAIN
    },
    Form {
        name: "partition",
        signature: "(x: ArrayLike, kth: SupportsIndex, /, *, axis: SupportsIndex = -1) -> Array",
        parameters: &["x: ArrayArgument<'_>", "kth: isize", "axis: isize"],
        body: "compute(py, x.tensor(), |x| x.{method}(kth, axis))",
        call: "x.{method}(kth, axis)",
        ..PLAIN
    },
    Form {
        name: "quantile",
        signature: "(x: ArrayLike, q: ArrayLike, /, *, axis: Axes = None, method: str = \"linear\", keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "q: OperandArgument",
            "axis: Option<AxesArgument>",
            "method: &str",
            "keepdims: bool",
        ],
        body: "let between = method.parse().map_err(raise)?;\n    \
               reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}_by(&q, axes, between))",
        explain: "(x: Tensor, q: OperandValue, axis: Axes = None, keepdims: bool = False, method: Interpolation = 'linear')",
        call: "x.{method}_by(q.operand(), kept(axis, keepdims), method)",
        ..PLAIN
    },
    Form {
        name: "set",
        signature: "(x1: ArrayLike, x2: ArrayLike, /) -> Array",
        parameters: &["x1: OperandArgument", "x2: OperandArgument"],
        body: "combine(py, &x1, &x2, |x, y| {path}(x, y))",
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "{path}(x1.operand(), x2.operand())",
        ..PLAIN
    },
    Form {
        name: "join",
        signature: "(arrays: Sequence[ArrayLike], /) -> Array",
        parameters: &["arrays: ArraysArgument"],
        body: "run(py, arrays.len(), || {path}(&arrays.0)).map(Array::from)",
        call: "{path}(&arrays)",
        ..PLAIN
    },
    Form {
        // Arrays of a given shape.
        name: "filled",
        signature: "(shape: Shape, *, dtype: DTypeLike | None = None, device: Device | None = None) -> Array",
        parameters: &[
            "shape: ShapeArgument",
            "dtype: Option<DTypeArgument>",
            "device: Option<DeviceArgument>",
        ],
        body: "DeviceArgument::run(device, Device::Cpu, || {\n        create(py, &shape, dtype, |shape, dtype| {path}(shape, dtype))\n    })",
        explain: "(*shape: Ints, dtype: FloatDType = None, order: String = 'C')",
        call: "filled(shape, order, |shape| {path}(shape, dtype.0))",
        ..PLAIN
    },
    Form {
        // Arrays with the shape and, unless given, the dtype of another one.
        name: "filled_like",
        signature: "(x: ArrayLike, /, *, dtype: DTypeLike | None = None, device: Device | None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "dtype: Option<DTypeArgument>",
            "device: Option<DeviceArgument>",
        ],
        body: "let dtype = dtype.map_or(x.tensor().dtype(), |it| it.0);\n    \
               create_like(py, x.tensor(), device, |x| x.{last}(dtype))",
        call: "x.{last}(dtype.unwrap_or(x.dtype()))",
        ..PLAIN
    },
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
        // Functions of singular values, of which those below a tolerance count as zero.
        name: "matrix_with_tolerance",
        signature: "(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array",
        parameters: &["x: ArrayArgument<'_>", "rtol: Option<ArrayArgument<'_>>"],
        body: "let (x, rtol) = (x.tensor(), rtol.as_ref().map(ArrayArgument::tensor));\n    \
               let operation = || match rtol {\n        None => {path}(x, None),\n        \
               Some(rtol) => {path}_by(x, rtol),\n    };\n    \
               run(py, work(x), operation).map(Array::from)",
        call: "match &rtol { None => {path}(&x, None), Some(rtol) => {path}_by(&x, rtol) }",
        ..PLAIN
    },
    Form {
        // Fourier transforms along one axis.
        name: "transform",
        signature: "(x: ArrayLike, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal[\"backward\", \"ortho\", \"forward\"] = \"backward\") -> Array",
        parameters: &["x: ArrayArgument<'_>", "n: Option<Count>", "axis: isize", "norm: &str"],
        body: "transform(py, x.tensor(), n, axis, norm, {path})",
        explain: "(x: Tensor, n: Option<usize> = None, axis: isize = -1, norm: Norm = 'backward')",
        call: "{path}(&x, n, axis, norm)",
        ..PLAIN
    },
    Form {
        // Fourier transforms along several axes.
        name: "transform_many",
        signature: "(x: ArrayLike, /, *, s: Sequence[int] | None = None, axes: Axes = None, norm: Literal[\"backward\", \"ortho\", \"forward\"] = \"backward\") -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "s: Option<Integers>",
            "axes: Option<Integers>",
            "norm: &str",
        ],
        body: "transform_many(py, x.tensor(), s, axes, norm, {path})",
        explain: "(x: Tensor, s: Option<Counts> = None, axes: Option<Ints> = None, norm: Norm = 'backward')",
        call: "{path}(&x, s.as_deref(), axes.as_deref(), norm)",
        ..PLAIN
    },
    Form {
        name: "frequencies",
        signature: "(n: SupportsIndex, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None) -> Array",
        parameters: &[
            "n: Count",
            "d: f64",
            "dtype: Option<DTypeArgument>",
            "device: Option<DeviceArgument>",
        ],
        body: "let dtype = dtype.map_or(DType::Float64, |it| it.0);\n    \
               DeviceArgument::run(device, Device::Cpu, || {\n        \
               run(py, n.0, || {path}(n.0, d, dtype)).map(Array::from)\n    })",
        explain: "(n: usize, d: f64 = 1.0, dtype: FloatDType = None)",
        call: "{path}(n, d, dtype.0)",
        ..PLAIN
    },
    Form {
        name: "frequency_shift",
        signature: "(x: ArrayLike, /, *, axes: Axes = None) -> Array",
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

//! The table of forms.

use super::form::Form;

/// The common fields of forms: no defaults other than literals, and no method of `Array`.
const PLAIN: Form = Form {
    name: "",
    signature: "",
    pyo3: None,
    parameters: &[],
    defaults: &[],
    result: "PyResult<Array>",
    body: "",
    explain: "",
    call: "",
};

/// The result of functions so short that the cost of moving an `Array` is measurable.
const OBJECT: &str = "PyResult<Bound<'py, ArrayObject>>";

/// What the elementwise functions share with NumPy's ufuncs. The keywords are read by the slow path alone, so they are
/// collected in a dictionary that does not exist if there are none.
macro_rules! ufunc {
    ($operands:literal) => {
        concat!(
            "(",
            $operands,
            ", /, out: ArrayLike | None = None, *, where: ArrayLike = True, casting: str = \"same_kind\", \
             order: str = \"K\", dtype: DTypeLike | None = None, subok: bool = True) -> Array"
        )
    };
}

/// All forms.
pub(super) const FORMS: &[Form] = &[
    Form {
        name: "unary",
        signature: ufunc!("x: ArrayLike"),
        pyo3: Some("x, /, out=None, **keywords"),
        parameters: &[
            "x: ArrayArgument<'py>",
            "out: Option<OutArgument<'py>>",
            "keywords: Option<Bound<'py, PyDict>>",
        ],
        result: OBJECT,
        body: "unary_ufunc(py, x, out, keywords, |x| x.{method}(), |x, out| belvedere::{method}_into(x, out))",
        explain: "(x: Tensor)",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        name: "phase",
        signature: "(x: ArrayLike, /, deg: bool = False) -> Array",
        parameters: &["x: ArrayArgument<'py>", "deg: bool"],
        result: OBJECT,
        body: "unary(py, x.tensor(), if deg { |x| x.{method}()?.rad2deg() } else { |x| x.{method}() })",
        explain: "(x: Tensor)",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        name: "rounding",
        signature: "(x: ArrayLike, /, decimals: SupportsIndex = 0, out: ArrayLike | None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "decimals: i32",
            "out: Option<OutArgument<'py>>",
        ],
        result: OBJECT,
        body: "round_to(py, x, decimals, out)",
        explain: "(x: Tensor, decimals: isize = 0)",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        name: "binary",
        signature: ufunc!("x1: ArrayLike, x2: ArrayLike"),
        pyo3: Some("x1, x2, /, out=None, **keywords"),
        parameters: &[
            "x1: OperandArgument",
            "x2: OperandArgument",
            "out: Option<OutArgument<'py>>",
            "keywords: Option<Bound<'py, PyDict>>",
        ],
        result: OBJECT,
        body: "binary_ufunc(py, x1, x2, out, keywords, |x, y| x.{method}(y), |x, y, out| {\n        \
               belvedere::{method}_into(x, y, out)\n    })",
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "x1.operand().{method}(x2.operand())",
        ..PLAIN
    },
    Form {
        // Either operand may be a Python integer of any size.
        name: "comparison",
        signature: ufunc!("x1: ArrayLike, x2: ArrayLike"),
        pyo3: Some("x1, x2, /, out=None, **keywords"),
        parameters: &[
            "#[pyo3(from_py_with = compared_operand)] x1: OperandArgument",
            "#[pyo3(from_py_with = compared_operand)] x2: OperandArgument",
            "out: Option<OutArgument<'py>>",
            "keywords: Option<Bound<'py, PyDict>>",
        ],
        result: OBJECT,
        body: "binary_ufunc(py, x1, x2, out, keywords, |x, y| x.{method}(y), |x, y, out| {\n        \
               belvedere::{method}_into(x, y, out)\n    })",
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "x1.operand().{method}(x2.operand())",
        ..PLAIN
    },
    Form {
        name: "reduction",
        signature: "(x: ArrayLike, /, axis: Axes = None, out: ArrayLike | None = None, keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "out: Option<OutArgument<'py>>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
        ],
        result: OBJECT,
        body: "let reduction = Reduction::new(axis, keepdims, out).within_kind();\n    \
               reduction.assign(py, x.tensor(), |x, axes| x.{method}(axes))",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        // The parameter `overwrite_input` is NumPy's, and has no effect.
        name: "median",
        signature: "(x: ArrayLike, /, axis: Axes = None, out: ArrayLike | None = None, overwrite_input: bool = False, keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "out: Option<OutArgument<'py>>",
            "#[expect(unused_variables, reason = \"the input is never overwritten\")] overwrite_input: bool",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
        ],
        result: OBJECT,
        body: "Reduction::new(axis, keepdims, out).assign(py, x.tensor(), |x, axes| x.{method}(axes))",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        name: "count",
        signature: "(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: Option<AxesArgument>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
        ],
        body: "reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}(axes))",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        name: "extremum",
        signature: "(x: ArrayLike, /, axis: Axes = None, out: ArrayLike | None = None, keepdims: bool = False, initial: complex | None = None, where: ArrayLike = True) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "out: Option<OutArgument<'py>>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
            "initial: Option<OperandArgument>",
            "#[pyo3(from_py_with = read_mask)] r#where: Option<ArrayArgument<'py>>",
        ],
        defaults: &[("where", "None")],
        result: OBJECT,
        body: "let (reduction, mask) = (Reduction::new(axis, keepdims, out), r#where);\n    \
               let functions: (Reduce, ReduceInto) =\n    \
                   (|x, axes| x.{method}(axes), |x, axes, out| belvedere::{method}_into(x, axes, out));\n    \
               reduce_selected(py, x.tensor(), reduction, Selection { mask, initial }, \"{method}\", functions)",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        name: "test",
        signature: "(x: ArrayLike, /, axis: Axes = None, out: ArrayLike | None = None, keepdims: bool = False, *, where: ArrayLike = True) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "out: Option<OutArgument<'py>>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
            "#[pyo3(from_py_with = read_mask)] r#where: Option<ArrayArgument<'py>>",
        ],
        defaults: &[("where", "None")],
        result: OBJECT,
        body: "let (reduction, mask) = (Reduction::new(axis, keepdims, out), r#where);\n    \
               let functions: (Reduce, ReduceInto) =\n    \
                   (|x, axes| x.{method}(axes), |x, axes, out| belvedere::{method}_into(x, axes, out));\n    \
               reduce_selected(py, x.tensor(), reduction, Selection { mask, initial: None }, \"{method}\", functions)",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        // Reductions that accumulate in a dtype that may be given.
        name: "total",
        signature: "(x: ArrayLike, /, axis: Axes = None, dtype: DTypeLike | None = None, out: ArrayLike | None = None, keepdims: bool = False, initial: complex | None = None, where: ArrayLike = True) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "dtype: Option<DTypeArgument>",
            "out: Option<OutArgument<'py>>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
            "initial: Option<OperandArgument>",
            "#[pyo3(from_py_with = read_mask)] r#where: Option<ArrayArgument<'py>>",
        ],
        defaults: &[("where", "None")],
        result: OBJECT,
        body: "let (reduction, mask) = (Reduction::new(axis, keepdims, out), r#where);\n    \
               let functions: (Reduce, ReduceInto) =\n    \
                   (|x, axes| x.{method}(axes), |x, axes, out| belvedere::{method}_into(x, axes, out));\n    \
               reduce_total(py, x.tensor(), reduction, dtype, Selection { mask, initial }, \"{method}\", functions)",
        explain: "(x: Array, axis: Axes = None, dtype: Option<DType> = None, keepdims: bool = False)",
        call: "match dtype { None => each!(x, x => x.{method}(kept(axis, keepdims))), \
               Some(dtype) => as_tensor(x).and_then(|x| Ok(x.{last}(kept(axis, keepdims), dtype)?.into())) }",
        ..PLAIN
    },
    Form {
        name: "mean",
        signature: "(x: ArrayLike, /, axis: Axes = None, dtype: DTypeLike | None = None, out: ArrayLike | None = None, keepdims: bool = False, *, where: ArrayLike = True) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "dtype: Option<DTypeArgument>",
            "out: Option<OutArgument<'py>>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
            "#[pyo3(from_py_with = read_mask)] r#where: Option<ArrayArgument<'py>>",
        ],
        defaults: &[("where", "None")],
        result: OBJECT,
        body: "let ignores_nan = \"{method}\".starts_with(\"nan\");\n    \
               let functions: (Reduce, ReduceInto) =\n    \
                   (|x, axes| x.{method}(axes), |x, axes, out| belvedere::{method}_into(x, axes, out));\n    \
               let reduction = Reduction::new(axis, keepdims, out);\n    \
               reduce_mean(py, x.tensor(), reduction, dtype, r#where, ignores_nan, functions)",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        // Functions of the deviations from the mean.
        name: "deviation",
        signature: "(x: ArrayLike, /, axis: Axes = None, dtype: DTypeLike | None = None, out: ArrayLike | None = None, ddof: float = 0, keepdims: bool = False, *, where: ArrayLike = True, mean: ArrayLike | None = None, correction: float = 0.0) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<AxesArgument>",
            "dtype: Option<DTypeArgument>",
            "out: Option<OutArgument<'py>>",
            "ddof: Option<f64>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
            "#[pyo3(from_py_with = read_mask)] r#where: Option<ArrayArgument<'py>>",
            "mean: Option<ArrayArgument<'py>>",
            "correction: Option<f64>",
        ],
        defaults: &[("where", "None"), ("ddof", "None"), ("correction", "None")],
        result: OBJECT,
        body: "let how = Deviation {\n    \
                   dtype,\n    \
                   mask: r#where,\n    \
                   mean,\n    \
                   correction: statistical::correction(ddof, correction)?,\n    \
                   ignores_nan: \"{method}\".starts_with(\"nan\"),\n    \
                   is_root: \"{method}\".ends_with(\"std\"),\n    \
               };\n    \
               let reduction = Reduction::new(axis, keepdims, out);\n    \
               reduce_deviation(py, x.tensor(), reduction, how, |x, axes, n| x.{method}(axes, n), |x, axes, n, out| {\n    \
                   belvedere::{method}_into(x, axes, n, out)\n    \
               })",
        explain: "(x: Tensor, axis: Axes = None, correction: f64 = 0.0, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims), correction)",
        ..PLAIN
    },
    Form {
        name: "norm",
        signature: "(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: Option<AxesArgument>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
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
        signature: "(x: ArrayLike, /, axis: SupportsIndex | None = None, out: ArrayLike | None = None, *, keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<isize>",
            "out: Option<OutArgument<'py>>",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
        ],
        result: OBJECT,
        body: "let reduction = Reduction::over_one(axis, keepdims, out);\n    \
               reduction.compute(py, x.tensor(), |x, axes| x.{method}(axes), |x, axes, out| {\n    \
                   belvedere::{method}_into(x, axes, out)\n    \
               })",
        explain: "(x: Tensor, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}(kept(axis, keepdims))",
        ..PLAIN
    },
    Form {
        name: "cumulative",
        signature: "(x: ArrayLike, /, *, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: ArrayLike | None = None, include_initial: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<isize>",
            "dtype: Option<DTypeArgument>",
            "out: Option<OutArgument<'py>>",
            "include_initial: bool",
        ],
        result: OBJECT,
        body: "accumulate(py, x.tensor(), axis, dtype, include_initial, out, |x, axis, options| {\n        \
               x.{last}(axis, options)\n    })",
        explain: "(x: Tensor, axis: Option<isize> = None, dtype: Option<DType> = None, include_initial: bool = False)",
        call: "cumulative(x, axis, belvedere::ScanOptions { dtype, include_initial }, Tensor::{last})",
        ..PLAIN
    },
    Form {
        // NumPy's cumulative functions, which flatten the array if no axis is given.
        name: "cumulative_flat",
        signature: "(x: ArrayLike, /, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: ArrayLike | None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "axis: Option<isize>",
            "dtype: Option<DTypeArgument>",
            "out: Option<OutArgument<'py>>",
        ],
        result: OBJECT,
        body: "accumulate_flat(py, x.tensor(), axis, dtype, out, |x, axis, options| x.{last}(axis, options))",
        ..PLAIN
    },
    Form {
        // Functions of 1-D slices along an axis, whose results have the shape of the operand.
        name: "along_axis",
        signature: "(x: ArrayLike, /, axis: SupportsIndex = -1) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "axis: isize",
        ],
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
        signature: "(x: ArrayLike, /, k: SupportsIndex = 0) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "k: Diagonal",
        ],
        defaults: &[("k", "Diagonal(0)")],
        body: "compute(py, x.tensor(), |x| x.{method}(k.0))",
        call: "x.{method}(k)",
        ..PLAIN
    },
    Form {
        // The parameters `kind` and `order` are NumPy's, and have no effect.
        name: "partition",
        signature: "(x: ArrayLike, /, kth: SupportsIndex | Sequence[int], axis: SupportsIndex | None = -1, kind: str = \"introselect\", order: None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "kth: Integers",
            "axis: Option<isize>",
            "#[expect(unused_variables, reason = \"there is one algorithm\")] kind: &str",
            "#[expect(unused_variables, reason = \"there are no fields\")] order: Option<Bound<'_, PyAny>>",
        ],
        defaults: &[("axis", "Some(-1)")],
        body: "partitioned(py, x.tensor(), &kth, axis, \"{method}\", |x, kth, axis| x.{method}(kth, axis))",
        explain: "(x: Tensor, kth: isize, axis: isize = -1)",
        call: "x.{method}(kth, axis)",
        ..PLAIN
    },
    Form {
        // The parameter `overwrite_input` is NumPy's, and has no effect.
        name: "quantile",
        signature: "(x: ArrayLike, /, q: ArrayLike, axis: Axes = None, out: ArrayLike | None = None, overwrite_input: bool = False, method: str = \"linear\", keepdims: bool = False) -> Array",
        parameters: &[
            "x: ArrayArgument<'py>",
            "q: OperandArgument",
            "axis: Option<AxesArgument>",
            "out: Option<OutArgument<'py>>",
            "#[expect(unused_variables, reason = \"the input is never overwritten\")] overwrite_input: bool",
            "method: &str",
            "#[pyo3(from_py_with = truth)] keepdims: bool",
        ],
        result: OBJECT,
        body: "let between = method.parse().map_err(raise)?;\n    \
               Reduction::new(axis, keepdims, out).assign(py, x.tensor(), |x, axes| x.{method}_by(&q, axes, between))",
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
        signature: "(arrays: Sequence[ArrayLike], /, *, dtype: DTypeLike | None = None, casting: str = \"same_kind\") -> Array",
        parameters: &[
            "arrays: ArraysArgument",
            "dtype: Option<DTypeArgument>",
            "casting: Casting",
        ],
        defaults: &[("casting", "Casting::SameKind")],
        body: "let arrays = arrays.cast(py, dtype, casting)?;\n    \
               run(py, arrays.len(), || {path}(&arrays.0)).map(Array::from)",
        explain: "(arrays: Vec<Tensor>)",
        call: "{path}(&arrays)",
        ..PLAIN
    },
    Form {
        // Arrays of a given shape.
        name: "filled",
        signature: "(shape: Shape, dtype: DTypeLike | None = None, order: str = \"C\", *, device: Device | None = None) -> Array",
        parameters: &[
            "shape: ShapeArgument",
            "dtype: Option<DTypeArgument>",
            "order: Order",
            "device: Option<DeviceArgument>",
        ],
        defaults: &[("order", "Order::RowMajor")],
        body: "DeviceArgument::run(device, Device::Cpu, || {\n        create(py, &shape, dtype, order, |shape, dtype| {path}(shape, dtype))\n    })",
        explain: "(*shape: Ints, dtype: FloatDType = None, order: String = 'C')",
        call: "filled(shape, order, |shape| {path}(shape, dtype.0))",
        ..PLAIN
    },
    Form {
        // Arrays with the shape and, unless given, the dtype of another one.
        name: "filled_like",
        signature: "(x: ArrayLike, /, dtype: DTypeLike | None = None, order: str = \"K\", subok: bool = True, shape: Shape | None = None, *, device: Device | None = None) -> Array",
        parameters: &[
            "x: ArrayArgument<'_>",
            "dtype: Option<DTypeArgument>",
            "order: Order",
            "#[expect(unused_variables, reason = \"there are no subclasses\")] subok: bool",
            "shape: Option<ShapeArgument>",
            "device: Option<DeviceArgument>",
        ],
        defaults: &[("order", "Order::Keep")],
        body: "let dtype = dtype.map_or(x.tensor().dtype(), |it| it.0);\n    \
               create_like(py, x.tensor(), (device, order, shape), |x| x.{last}(dtype))",
        explain: "(x: Tensor, dtype: Option<DType> = None)",
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
        body: "transform(py, x.tensor(), (n, axis, norm), out, {path})",
        explain: "(x: Tensor, n: Option<usize> = None, axis: isize = -1, norm: Norm = 'backward')",
        call: "{path}(&x, n, axis, norm)",
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
        body: "transform_many(py, x.tensor(), (s, axes, norm), out, {path})",
        explain: "(x: Tensor, s: Option<Counts> = None, axes: Option<Ints> = None, norm: Norm = 'backward')",
        call: "{path}(&x, s.as_deref(), axes.as_deref(), norm)",
        ..PLAIN
    },
    Form {
        name: "frequencies",
        signature: "(n: SupportsIndex, /, d: float = 1.0, *, dtype: DTypeLike | None = None, device: Device | None = None) -> Array",
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

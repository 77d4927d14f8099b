//! Forms of reductions, cumulative functions and other functions along axes.

use super::{OBJECT, PLAIN};
use crate::generate::form::Form;

pub(super) const FORMS: &[Form] = &[
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
        body: "let reduction = Reduction::new(axis, keepdims, out).casting_same_kind();\n    \
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
        result: OBJECT,
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
               reduce_deviation(py, x.tensor(), reduction, how, |x, axes, n| x.{method}_with(axes, n), |x, axes, n, out| {\n    \
                   belvedere::{method}_into(x, axes, n, out)\n    \
               })",
        explain: "(x: Tensor, axis: Axes = None, correction: f64 = 0.0, keepdims: bool = False)",
        call: "x.{method}_with(kept(axis, keepdims), correction)",
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
        result: OBJECT,
        body: "reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}_with(axes, ord))",
        explain: "(x: Tensor, ord: f64 = 2, axis: Axes = None, keepdims: bool = False)",
        call: "x.{method}_with(kept(axis, keepdims), ord)",
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
        body: "let reduction = Reduction::over_one(axis, keepdims, out)?;\n    \
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
        parameters: &["x: ArrayArgument<'_>", "axis: isize"],
        body: "compute(py, x.tensor(), |x| x.{method}(axis))",
        call: "x.{method}(axis)",
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
];

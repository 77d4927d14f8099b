//! Forms: families of Python functions that differ in their name and in the function of the core that they call.
//!
//! A form has the signature of the stubs, from which PyO3's is derived, the Rust types of the parameters, and the body.

use super::operation::Operation;
use super::stub::split_parameters;

/// A family of Python functions.
pub(super) struct Form {
    pub name: &'static str,
    /// The signature in the stubs.
    pub signature: &'static str,
    /// The Rust parameters, in the order of the signature.
    parameters: &'static [&'static str],
    /// Defaults that are no literals in Rust: the parameter, and the expression.
    defaults: &'static [(&'static str, &'static str)],
    result: &'static str,
    /// The body. `{method}` stands for the first method of `Tensor` in the table, `{last}` for the last one, and `{path}` for
    /// the path of the Rust function.
    body: &'static str,
    /// The body if `Array` has a method with the same parameters; `{method}` stands for its name.
    body_with_method: Option<&'static str>,
}

/// The common fields of forms: no defaults other than literals, and no method of `Array`.
const PLAIN: Form = Form {
    name: "",
    signature: "",
    parameters: &[],
    defaults: &[],
    result: "PyResult<Array>",
    body: "",
    body_with_method: None,
};

/// The result of functions so short that the cost of moving an `Array` is measurable.
const OBJECT: &str = "PyResult<Bound<'py, ArrayObject>>";

const FORMS: &[Form] = &[
    Form {
        name: "unary",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'py>"],
        result: OBJECT,
        body: "unary(py, x.tensor(), |x| x.{method}())",
        ..PLAIN
    },
    Form {
        name: "binary",
        signature: "(x1: ArrayLike, x2: ArrayLike, /) -> Array",
        parameters: &["x1: OperandArgument", "x2: OperandArgument"],
        result: OBJECT,
        body: "binary(py, &x1, &x2, |x, y| x.{method}(y))",
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
        ..PLAIN
    },
    Form {
        name: "reduction",
        signature: "(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axis: Option<AxesArgument>", "keepdims: bool"],
        body: "reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}(axes))",
        body_with_method: Some("x.0.get().{method}(py, axis, keepdims)"),
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
        ..PLAIN
    },
    Form {
        // The position of an extremum.
        name: "position",
        signature: "(x: ArrayLike, /, *, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axis: Option<isize>", "keepdims: bool"],
        body: "",
        body_with_method: Some("x.0.get().{method}(py, axis, keepdims)"),
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
        ..PLAIN
    },
    Form {
        // Functions of 1-D slices along an axis, whose results have the shape of the operand.
        name: "along_axis",
        signature: "(x: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axis: isize"],
        body: "compute(py, x.tensor(), |x| x.{method}(axis))",
        ..PLAIN
    },
    Form {
        // Functions of a whole array.
        name: "whole",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'_>"],
        body: "compute(py, x.tensor(), |x| x.{method}())",
        ..PLAIN
    },
    Form {
        // Functions that return a view in constant time.
        name: "view",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'_>"],
        body: "Array::from_view(x.tensor().{method}())",
        ..PLAIN
    },
    Form {
        name: "triangle",
        signature: "(x: ArrayLike, /, *, k: SupportsIndex = 0) -> Array",
        parameters: &["x: ArrayArgument<'_>", "k: Diagonal"],
        defaults: &[("k", "Diagonal(0)")],
        body: "compute(py, x.tensor(), |x| x.{method}(k.0))",
        ..PLAIN
    },
    Form {
        name: "partition",
        signature: "(x: ArrayLike, kth: SupportsIndex, /, *, axis: SupportsIndex = -1) -> Array",
        parameters: &["x: ArrayArgument<'_>", "kth: isize", "axis: isize"],
        body: "compute(py, x.tensor(), |x| x.{method}(kth, axis))",
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
        body: "let between = interpolation(method)?;\n    \
               reduce(py, x.tensor(), axis, keepdims, |x, axes| x.{method}_by(&q, axes, between))",
        ..PLAIN
    },
    Form {
        name: "set",
        signature: "(x1: ArrayLike, x2: ArrayLike, /) -> Array",
        parameters: &["x1: OperandArgument", "x2: OperandArgument"],
        body: "combine(py, &x1, &x2, |x, y| {path}(x, y))",
        ..PLAIN
    },
    Form {
        name: "join",
        signature: "(arrays: Sequence[ArrayLike], /) -> Array",
        parameters: &["arrays: ArraysArgument"],
        body: "run(py, arrays.len(), || {path}(&arrays.0)).map(Array::from)",
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
        ..PLAIN
    },
    Form {
        // Functions of matrices, whose work grows faster than their number of elements.
        name: "matrix",
        signature: "(x: ArrayLike, /) -> Array",
        parameters: &["x: ArrayArgument<'_>"],
        body: "let x = x.tensor();\n    run(py, work(x), || {path}(x)).map(Array::from)",
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
        ..PLAIN
    },
    Form {
        // Fourier transforms along one axis.
        name: "transform",
        signature: "(x: ArrayLike, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal[\"backward\", \"ortho\", \"forward\"] = \"backward\") -> Array",
        parameters: &["x: ArrayArgument<'_>", "n: Option<Count>", "axis: isize", "norm: &str"],
        body: "transform(py, x.tensor(), n, axis, norm, {path})",
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
        ..PLAIN
    },
    Form {
        name: "frequency_shift",
        signature: "(x: ArrayLike, /, *, axes: Axes = None) -> Array",
        parameters: &["x: ArrayArgument<'_>", "axes: Option<AxesArgument>"],
        body: "let (x, axes) = (x.tensor(), AxesArgument::or_all(axes, false));\n    \
               run(py, x.len(), || {path}(x, axes.clone())).map(Array::from)",
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
        ..PLAIN
    },
];

/// Finds a form by its name.
pub(super) fn find(name: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.name == name)
}

impl Form {
    /// Returns the Rust source of the Python function of an operation.
    pub(super) fn function(&self, operation: &Operation) -> String {
        let (_, name) = operation.python.rsplit_once("::").unwrap_or_default();
        let mut text = docstring(operation);
        text += "#[pyfunction]\n#[pyo3(";
        if name != operation.name {
            text += &format!("name = \"{}\", ", operation.name);
        }
        let (signature, text_signature) = self.pyo3_signature();
        text += &format!("signature = ({signature})");
        // Without a text signature, PyO3 shows negative numbers and expressions as `...`.
        if signature.contains("=-") || !self.defaults.is_empty() {
            text += &format!(",\n       text_signature = \"({text_signature})\"");
        }
        text += ")]\n";
        if self.parameters.len() > 6 {
            text += "#[expect(clippy::too_many_arguments, reason = \"the names are PyTorch's\")]\n";
        }
        let body = match self.body_with_method {
            Some(body) if !operation.methods.is_empty() => {
                body.replace("{method}", &operation.name)
            }
            _ => self.body.replace("{method}", operation.tensor_method()),
        };
        let last = operation.rust.last().map_or("", |it| it.trim_start_matches("Tensor::"));
        let body = body.replace("{last}", last).replace("{path}", &operation.rust_path());
        let lifetime = if self.result.contains("'py") { "'py" } else { "'_" };
        let mut parameters: Vec<String> = Vec::new();
        if body.contains("py, ") {
            parameters.push(format!("py: Python<{lifetime}>"));
        }
        parameters.extend(self.parameters.iter().map(|it| it.to_string()));
        let generic = if lifetime == "'py" { "<'py>" } else { "" };
        let start = format!("pub(crate) fn {name}{generic}(");
        let end = format!(") -> {} {{\n", self.result);
        let together = format!("{start}{}{end}", parameters.join(", "));
        if together.len() <= 101 && !together.contains("#[") {
            text += &together;
        } else {
            let lines: String = parameters.iter().map(|it| format!("    {it},\n")).collect();
            text += &format!("{start}\n{lines}{end}");
        }
        text + &format!("    {body}\n}}\n")
    }

    /// Returns the signature as PyO3 reads it, and as Python shows it.
    fn pyo3_signature(&self) -> (String, String) {
        let inside = self.signature.strip_prefix('(').and_then(|it| it.rsplit_once(") -> "));
        let (mut ours, mut shown) = (Vec::new(), Vec::new());
        for parameter in split_parameters(inside.unwrap_or_default().0) {
            let name = parameter.split(':').next().unwrap_or_default();
            let Some((_, default)) = parameter.rsplit_once(" = ") else {
                ours.push(name.to_string());
                shown.push(name.to_string());
                continue;
            };
            let given = self.defaults.iter().find(|it| it.0 == name).map(|it| it.1);
            let literal = match default {
                "False" => "false",
                "True" => "true",
                other => other,
            };
            ours.push(format!("{name}={}", given.unwrap_or(literal)));
            shown.push(format!("{name}={}", default.replace('"', "'")));
        }
        (ours.join(", "), shown.join(", "))
    }
}

/// The documentation of a function: a sentence, details if there are any, and the example.
fn docstring(operation: &Operation) -> String {
    let mut lines = vec![operation.doc.as_str(), ""];
    if !operation.details.is_empty() {
        lines.extend(operation.details.iter().map(String::as_str));
        lines.push("");
    }
    lines.extend(operation.example.iter().map(String::as_str));
    lines.iter().map(|line| format!("/// {line}").trim_end().to_string() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_the_signature_of_its_form() {
        let form = find("along_axis").expect("a form");
        let operation = Operation {
            name: "cummax".into(),
            doc: "Computes the cumulative maximum.".into(),
            rust: vec!["Tensor::cummax".into()],
            python: "generated::statistical::cummax".into(),
            ..Operation::default()
        };
        let expected = "/// Computes the cumulative maximum.\n///\n#[pyfunction]\n\
            #[pyo3(signature = (x, /, *, axis=-1),\n       text_signature = \"(x, /, *, axis=-1)\")]\n\
            pub(crate) fn cummax(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {\n    \
            compute(py, x.tensor(), |x| x.cummax(axis))\n}\n";
        assert_eq!(form.function(&operation), expected);
    }

    #[test]
    fn forms_have_different_names() {
        for (n, form) in FORMS.iter().enumerate() {
            assert!(FORMS[..n].iter().all(|it| it.name != form.name), "{}", form.name);
        }
    }
}

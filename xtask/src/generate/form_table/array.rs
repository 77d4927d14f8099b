//! Forms of functions of whole arrays, of several arrays, and of new arrays.

use super::{OBJECT, PLAIN};
use crate::generate::form::Form;

pub(super) const FORMS: &[Form] = &[
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
        // The same, of one array or several.
        name: "views",
        signature: "(*arrays: ArrayLike) -> Any",
        parameters: &["arrays: ArraysArgument"],
        result: "PyResult<Bound<'py, PyAny>>",
        body: "views(py, &arrays.0, |x| x.{method}())",
        explain: "(x: Tensor)",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        name: "triangle",
        signature: "(x: ArrayLike, /, k: SupportsIndex = 0) -> Array",
        parameters: &["x: ArrayArgument<'_>", "k: Diagonal"],
        defaults: &[("k", "Diagonal(0)")],
        body: "compute(py, x.tensor(), |x| with_rows(x)?.{method}(k.0))",
        call: "x.{method}(k)",
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
        parameters: &["arrays: ArraysArgument", "dtype: Option<DTypeArgument>", "casting: Casting"],
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
        result: OBJECT,
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
];

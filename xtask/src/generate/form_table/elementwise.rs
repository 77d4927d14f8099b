//! Forms of elementwise functions.

use super::{OBJECT, PLAIN};
use crate::generate::form::Form;

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
        parameters: &["x: ArrayArgument<'py>", "decimals: i32", "out: Option<OutArgument<'py>>"],
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
];

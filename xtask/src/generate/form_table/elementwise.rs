//! Forms of elementwise functions.

use super::{OBJECT, PLAIN};
use crate::generate::form::Form;

/// The signature of ufuncs.
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
        ufunc: Some("Unary(|x| x.{method}(), |x, out| belvedere::{method}_into(x, out))"),
        explain: "(x: Tensor)",
        call: "x.{method}()",
        ..PLAIN
    },
    Form {
        // Functions whose results for some dtypes are NumPy's and not those of the core.
        name: "unary_numpy",
        signature: ufunc!("x: ArrayLike"),
        ufunc: Some("Unary({method}, {method}_into)"),
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
        ufunc: Some(
            "Binary(|x, y| x.{method}(y), |x, y, out| belvedere::{method}_into(x, y, out))",
        ),
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "x1.operand().{method}(x2.operand())",
        ..PLAIN
    },
    Form {
        // Either operand may be a Python integer of any size.
        name: "comparison",
        signature: ufunc!("x1: ArrayLike, x2: ArrayLike"),
        ufunc: Some(
            "Comparison(|x, y| x.{method}(y), |x, y, out| belvedere::{method}_into(x, y, out))",
        ),
        explain: "(x1: OperandValue, x2: OperandValue)",
        call: "x1.operand().{method}(x2.operand())",
        ..PLAIN
    },
];

//! The table of forms, one file for each family.

mod array;
mod elementwise;
mod numeric;
mod reduction;

use super::form::Form;

/// The common fields of forms: no defaults other than literals, and no method of `Array`.
const PLAIN: Form = Form {
    name: "",
    signature: "",
    ufunc: None,
    parameters: &[],
    defaults: &[],
    result: "PyResult<Array>",
    body: "",
    explain: "",
    call: "",
};

/// The result of functions so short that the cost of moving an `Array` is measurable.
const OBJECT: &str = "PyResult<Bound<'py, ArrayObject>>";

/// All forms, by family.
pub(super) const FAMILIES: &[&[Form]] =
    &[elementwise::FORMS, reduction::FORMS, array::FORMS, numeric::FORMS];

//! The elementwise operations as a list that the tests of the tensor crate iterate over.

use super::operation::Operation;
use super::{NOTICE, Output};

const PATH: &str = "crates/tensor/tests/all/operations.rs";

const START: &str = r#"//! The elementwise operations of the table, each with the method and the function that writes to an output.

use belvedere::{Error, Tensor};

/// An elementwise operation on one or two operands.
pub(crate) struct Operation {
    /// The name of the method of `Tensor`.
    pub name: &'static str,
    pub n_operands: usize,
    /// The class of dtypes that it accepts, as `operations/README.md` defines them.
    pub dtypes: &'static str,
    /// The same function of NumPy or SciPy; empty if there is none.
    pub numpy: &'static str,
    /// The largest difference from it in units in the last place, if it is compared.
    pub ulps: Option<u32>,
    pub method: fn(&[Tensor]) -> Result<Tensor, Error>,
    pub into: fn(&[Tensor], &Tensor) -> Result<(), Error>,
}

#[rustfmt::skip]
pub(crate) const OPERATIONS: &[Operation] = &[
"#;

pub(super) fn output(operations: &[Operation]) -> Output {
    let mut text = format!("// {NOTICE}\n{START}");
    let mut names: Vec<&str> = Vec::new();
    for operation in operations.iter().filter(|it| it.is_elementwise()) {
        let name = operation.tensor_method();
        if !names.contains(&name) {
            names.push(name);
            text += &row(operation);
        }
    }
    Output { path: PATH.to_string(), contents: text + "];\n" }
}

fn row(operation: &Operation) -> String {
    let name = operation.tensor_method();
    let is_unary =
        ["unary", "unary_numpy", "phase", "rounding"].iter().any(|form| operation.has_form(form));
    let (n_operands, other, operands) = match is_unary {
        true => (1, "", "&x[0]"),
        false => (2, "&x[1]", "&x[0], &x[1]"),
    };
    let numpy = match operation.numpy.first() {
        Some(name) if name.starts_with("scipy.") => name.clone(),
        Some(name) => format!("np.{name}"),
        None => String::new(),
    };
    format!(
        "    Operation {{\n        name: \"{name}\", n_operands: {n_operands}, dtypes: \"{}\", numpy: \"{numpy}\", ulps: {:?},\n        \
         method: |x| x[0].{name}({other}), into: |x, out| belvedere::{name}_into({operands}, out),\n    }},\n",
        operation.dtypes, operation.ulps
    )
}

//! The calls that the sweep of the benchmark times: those whose arguments follow from their form.

use super::operation::Operation;
use super::{NOTICE, Output};

const PATH: &str = "bench/src/sweep/generated.rs";

const START: &str = "//! The operations of the table whose form implies a call.

use super::calls::Call;

#[rustfmt::skip]
pub(super) const CALLS: &[Call] = &[
";

/// The calls that operations of some forms have in common.
struct FormCalls {
    forms: &'static [&'static str],
    /// `{method}` is the method of `Tensor`, `{path}` the function.
    calls: &'static [&'static str],
}

const FORMS: &[FormCalls] = &[
    FormCalls {
        forms: &["unary", "unary_numpy", "phase", "rounding", "whole"],
        calls: &["x.{method}()"],
    },
    FormCalls { forms: &["binary", "comparison"], calls: &["x.{method}(y)"] },
    FormCalls {
        forms: &[
            "reduction",
            "extremum",
            "mean",
            "median",
            "total",
            "deviation",
            "test",
            "count",
            "position",
            "norm",
        ],
        calls: &["x.{method}(())", "x.{method}(0)", "x.{method}(-1)"],
    },
    FormCalls { forms: &["cumulative"], calls: &["x.{method}(0)", "x.{method}(-1)"] },
    FormCalls { forms: &["along_axis"], calls: &["x.{method}(-1)"] },
    FormCalls { forms: &["set"], calls: &["{path}(x, y)"] },
    FormCalls { forms: &["transform"], calls: &["{path}(x)"] },
];

pub(super) fn output(operations: &[Operation]) -> Output {
    let mut rows: Vec<String> = Vec::new();
    for operation in operations {
        for call in calls(operation) {
            let call = call.replace("{method}", operation.tensor_method());
            let row = row(&operation.name, &call.replace("{path}", &operation.rust_path()));
            // Two names of one function.
            let has_call = |it: &String| {
                it.split_once(", ").map(|it| it.1) == row.split_once(", ").map(|it| it.1)
            };
            if !rows.iter().any(has_call) {
                rows.push(row);
            }
        }
    }
    let contents = format!("// {NOTICE}\n{START}{}];\n", rows.concat());
    Output { path: PATH.to_string(), contents }
}

fn row(function: &str, call: &str) -> String {
    let second = if call.ends_with("y)") { "y" } else { "_" };
    format!(
        "    Call {{ function: \"{function}\", expression: \"{call}\", call: |x, {second}| {call} }},\n"
    )
}

/// The calls of the form of an operation.
fn calls(operation: &Operation) -> &'static [&'static str] {
    let has_form = |form: &&FormCalls| form.forms.iter().any(|it| operation.has_form(it));
    FORMS.iter().find(has_form).map_or(&[], |form| form.calls)
}

//! Forms: families of Python functions that differ in their name and in the function of the core that they call.
//!
//! A form has the signature of the stubs, from which PyO3's is derived, the Rust types of the parameters, and the body.

use super::form_table::FAMILIES;
use super::operation::Operation;
use super::stub::split_parameters;

/// A family of Python functions.
pub(super) struct Form {
    pub name: &'static str,
    /// The signature in the stubs.
    pub signature: &'static str,
    /// The Rust parameters, in the order of the signature.
    pub parameters: &'static [&'static str],
    /// Defaults that are no literals in Rust: the parameter, and the expression.
    pub defaults: &'static [(&'static str, &'static str)],
    pub result: &'static str,
    /// The body. `{method}` stands for the first method of `Tensor` in the table, `{last}` for the last one, and `{path}` for
    /// the path of the Rust function.
    pub body: &'static str,
    /// What the ufunc computes, if the functions are ufuncs: they have no parameters to parse and no body.
    pub ufunc: Option<&'static str>,
    /// The parameters that `explain` takes, with the Rust types that it reads them as; those of the signature if empty.
    pub explain: &'static str,
    /// The expression with which `explain` calls the library, with the same placeholders as the body.
    pub call: &'static str,
}

/// Iterates over all forms.
fn forms() -> impl Iterator<Item = &'static Form> {
    FAMILIES.iter().copied().flatten()
}

/// Finds a form by its name.
pub(super) fn find(name: &str) -> Option<&'static Form> {
    forms().find(|form| form.name == name)
}

impl Form {
    /// Returns the Rust source of the Python function of an operation.
    pub(super) fn function(&self, operation: &Operation) -> String {
        let (_, name) = operation.python.rsplit_once("::").unwrap_or_default();
        if let Some(function) = self.ufunc {
            return format!(
                "pub(crate) static {}: Ufunc = Ufunc {{\n    name: {:?},\n    doc: r\"{}\",\n    \
                 function: Function::{},\n}};\n",
                name.to_uppercase(),
                operation.name,
                doc_lines(operation).join("\n").trim_end(),
                with_names(function, operation)
            );
        }
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
            text += "#[expect(clippy::too_many_arguments, reason = \"they are those of NumPy or PyTorch\")]\n";
        }
        let body = with_names(self.body, operation);
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

    /// Returns the expression with which `explain` calls the library for an operation.
    pub(super) fn call_of(&self, operation: &Operation) -> String {
        with_names(self.call, operation)
    }

    /// Returns the signature as PyO3 reads it, and as Python shows it.
    fn pyo3_signature(&self) -> (String, String) {
        let inside = self.signature.strip_prefix('(').and_then(|it| it.rsplit_once(") -> "));
        let (mut ours, mut shown) = (Vec::new(), Vec::new());
        for parameter in split_parameters(inside.unwrap_or_default().0) {
            let name = parameter.split(':').next().unwrap_or_default();
            // PyO3 removes the prefix of a keyword of Rust.
            let own = if name == "where" { "r#where" } else { name };
            let Some((_, default)) = parameter.rsplit_once(" = ") else {
                ours.push(own.to_string());
                shown.push(name.to_string());
                continue;
            };
            let given = self.defaults.iter().find(|it| it.0 == name).map(|it| it.1);
            let literal = match default {
                "False" => "false",
                "True" => "true",
                other => other,
            };
            ours.push(format!("{own}={}", given.unwrap_or(literal)));
            shown.push(format!("{name}={}", default.replace('"', "'")));
        }
        (ours.join(", "), shown.join(", "))
    }
}

/// Replaces the placeholders of a body or a call by the names of an operation.
fn with_names(text: &str, operation: &Operation) -> String {
    let last = operation.rust.last().map_or("", |it| it.trim_start_matches("Tensor::"));
    text.replace("{method}", operation.tensor_method())
        .replace("{last}", last)
        .replace("{path}", &operation.rust_path())
}

/// The documentation of a function: a sentence, details if there are any, and the example.
fn doc_lines(operation: &Operation) -> Vec<&str> {
    let mut lines = vec![operation.doc.as_str(), ""];
    if !operation.details.is_empty() {
        lines.extend(operation.details.iter().map(String::as_str));
        lines.push("");
    }
    lines.extend(operation.example.iter().map(String::as_str));
    lines
}

/// The documentation as comments.
fn docstring(operation: &Operation) -> String {
    let lines = doc_lines(operation);
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
            #[pyo3(signature = (x, /, axis=-1),\n       text_signature = \"(x, /, axis=-1)\")]\n\
            pub(crate) fn cummax(py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<Array> {\n    \
            compute(py, x.tensor(), |x| x.cummax(axis))\n}\n";
        assert_eq!(form.function(&operation), expected);
    }

    #[test]
    fn forms_have_different_names() {
        for (n, form) in forms().enumerate() {
            assert!(forms().take(n).all(|it| it.name != form.name), "{}", form.name);
        }
    }
}

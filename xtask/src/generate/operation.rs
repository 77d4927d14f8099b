//! The table of operations: `operations/*.toml`, one file for each category.
//!
//! `operations/README.md` documents the keys.

use std::fs;
use std::path::Path;

use super::form::{self, Form};
use super::toml::{self, Table, Value};
use crate::failure::Failure;

/// The folder of the table, from the root.
pub(super) const FOLDER: &str = "operations";

/// Categories whose functions are in a namespace of the same name.
const NAMESPACES: &[&str] = &["fft", "linalg", "nn", "random"];

/// NumPy's names that are no second names although their records list them: `array` copies where `asarray` does not.
const OTHER_CALLS: &[&str] = &["array"];

/// One operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Operation {
    pub name: String,
    /// The name of its file.
    pub category: String,
    pub doc: String,
    /// Further sentences of the docstring.
    pub details: Vec<String>,
    /// The name of a form: the function is generated.
    pub form: Option<String>,
    /// The signature of the Python function, if it is one.
    pub signature: Option<String>,
    /// The signatures of the method of `Array`: several if it is overloaded.
    pub methods: Vec<String>,
    /// The type of the attribute of `Array`.
    pub attribute: Option<String>,
    /// The type of what can be assigned to the attribute.
    pub setter: Option<String>,
    /// Special methods of `Array`.
    pub operators: Vec<String>,
    pub dtypes: String,
    pub array_api: bool,
    pub numpy: Vec<String>,
    pub torch: Vec<String>,
    pub view: Option<String>,
    /// What the Rust crate calls it, as its documentation does.
    pub rust: Vec<String>,
    /// The path of the binding, from the root of the Python crate.
    pub python: String,
    /// A namespace that has it as well.
    pub also: Option<String>,
    /// The parameters that `explain` takes, with the Rust types that it reads them as, if they differ from the signature.
    pub explain: Option<String>,
    /// The Rust expression with which `explain` calls the library.
    pub call: Option<String>,
    /// Whether the call is the same for a tensor and a lens.
    pub lens: bool,
    /// Whether `explain` reads it without parentheses although `Array` has no such attribute.
    pub property: bool,
    /// Further names that expressions know.
    pub aliases: Vec<String>,
    /// NumPy's, PyTorch's and our expression in the guides; empty if it has no row of its own.
    pub guide: Option<Vec<String>>,
    /// The largest difference from NumPy in units in the last place.
    pub ulps: Option<u32>,
    pub example: Vec<String>,
}

impl Operation {
    /// The namespace of the function; empty for the main one.
    pub(super) fn namespace(&self) -> &str {
        if NAMESPACES.contains(&self.category.as_str()) { &self.category } else { "" }
    }

    /// Whether it is a function of Python.
    pub(super) fn is_function(&self) -> bool {
        self.form.is_some() || self.signature.is_some()
    }

    /// The second names of the function: NumPy's names in the same namespace, unless they are functions of their own.
    pub(super) fn second_names<'a>(
        &'a self,
        all: &'a [Operation],
    ) -> impl Iterator<Item = &'a str> {
        let namespace = self.namespace();
        let is_other = move |name: &str| {
            !all.iter().any(|it| it.is_function() && it.name == name && it.namespace() == namespace)
        };
        let names = self.numpy.iter().filter(|_| self.is_function());
        names
            .filter_map(move |name| match name.rsplit_once('.') {
                Some((prefix, name)) => (prefix == namespace).then_some(name),
                None => namespace.is_empty().then_some(name.as_str()),
            })
            .filter(move |name| is_other(name) && !OTHER_CALLS.contains(name))
    }

    /// Whether the generated function has this form.
    pub(super) fn has_form(&self, form: &str) -> bool {
        self.form.as_deref() == Some(form)
    }

    /// Whether it is an elementwise function of one or two operands.
    pub(super) fn is_elementwise(&self) -> bool {
        ["unary", "unary_numpy", "phase", "rounding", "binary", "comparison"]
            .iter()
            .any(|form| self.has_form(form))
    }

    /// The form of the generated function.
    pub(super) fn form(&self) -> Option<&'static Form> {
        form::find(self.form.as_deref()?)
    }

    /// The signature of the function.
    pub(super) fn function(&self) -> Option<String> {
        self.form().map(|form| form.signature.to_string()).or_else(|| self.signature.clone())
    }

    /// The method of `Tensor` that a generated function calls.
    pub(super) fn tensor_method(&self) -> &str {
        let first = self.rust.first().map_or(self.name.as_str(), String::as_str);
        first.strip_prefix("Tensor::").unwrap_or(first)
    }

    /// The path of the Rust function, from another crate.
    pub(super) fn rust_path(&self) -> String {
        format!("belvedere::{}", self.rust.first().map_or("", String::as_str))
    }

    fn new(category: &str, table: &Table) -> Result<Operation, String> {
        let name = table.name.clone();
        let mut operation = Operation { category: category.to_string(), ..Operation::default() };
        operation.rust = vec![format!("Tensor::{name}")];
        operation.python = format!("chapter::{category}::{name}");
        for (key, value) in &table.entries {
            operation.set(key, value).ok_or_else(|| format!("{name}: cannot read {key}"))?;
        }
        if let Some(form) = &operation.form {
            form::find(form).ok_or_else(|| format!("{name}: there is no form {form}"))?;
            let rust_name = operation.python.rsplit("::").next().unwrap_or_default();
            operation.python = format!("generated::{category}::{rust_name}");
        }
        if operation.doc.is_empty() || operation.dtypes.is_empty() {
            return Err(format!("{name}: doc and dtypes are needed"));
        }
        operation.name = name;
        Ok(operation)
    }

    /// Sets a field; `None` if there is no such key, or it has another type.
    fn set(&mut self, key: &str, value: &Value) -> Option<()> {
        match (key, value) {
            ("array_api", Value::Bool(value)) => self.array_api = *value,
            ("lens", Value::Bool(value)) => self.lens = *value,
            ("property", Value::Bool(value)) => self.property = *value,
            ("ulps", Value::Integer(value)) => self.ulps = Some(*value),
            ("method", Value::List(list)) => self.methods = list.clone(),
            ("rust", Value::List(list)) => self.rust = list.clone(),
            ("guide", Value::List(list)) => self.guide = Some(list.clone()),
            (_, Value::Text(text)) => self.set_text(key, text)?,
            _ => return None,
        }
        Some(())
    }

    fn set_text(&mut self, key: &str, text: &str) -> Option<()> {
        let words = || text.split_whitespace().map(str::to_string).collect();
        let text = text.to_string();
        match key {
            "doc" => self.doc = text,
            "form" => self.form = Some(text),
            "signature" => self.signature = Some(text),
            "method" => self.methods = vec![text],
            "attribute" => self.attribute = Some(text),
            "setter" => self.setter = Some(text),
            "operators" => self.operators = words(),
            "dtypes" => self.dtypes = text,
            "numpy" => self.numpy = words(),
            "torch" => self.torch = words(),
            "view" => self.view = Some(text),
            "rust" => self.rust = vec![text],
            "python" => self.python = text,
            "also" => self.also = Some(text),
            "explain" => self.explain = Some(text),
            "call" => self.call = Some(text),
            "aliases" => self.aliases = words(),
            "guide" => self.guide = Some(vec![text]),
            "details" => self.details = text.lines().map(str::to_string).collect(),
            "example" => self.example = text.lines().map(str::to_string).collect(),
            _ => return None,
        }
        Some(())
    }
}

/// Reads the whole table, ordered by category and name.
pub(super) fn read(root: &Path) -> Result<Vec<Operation>, Failure> {
    let folder = root.join(FOLDER);
    let failure = |path: &Path, why: String| Failure::Step(format!("{}: {why}", path.display()));
    let files = fs::read_dir(&folder).map_err(|error| failure(&folder, error.to_string()))?;
    let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    let mut operations = Vec::new();
    for path in &paths {
        let source = fs::read_to_string(path).map_err(|error| failure(path, error.to_string()))?;
        let category = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let tables = toml::parse(&source)
            .map_err(|(line, why)| failure(path, format!("line {line}: {why}")))?;
        for table in &tables {
            operations.push(Operation::new(&category, table).map_err(|why| failure(path, why))?);
        }
    }
    Ok(operations)
}

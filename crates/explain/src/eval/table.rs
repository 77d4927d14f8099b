//! The operations of the library by name: their parameters, and how they are called.
//!
//! Each works as a method and as a function whose first argument is the tensor, with or without a library in
//! front: `x.permute(1, 0)`, `permute(x, 1, 0)`, `torch.permute(x, (1, 0))`. The library in front decides what a
//! name means if several libraries have it: `np.split` takes the number of parts, `torch.split` their length.

use super::arguments::Arguments;
use super::error::CallError;
use super::operations::OPERATIONS;
use super::value::{Library, Module, Value};
use belvedere::DType;

/// An operation: its names, its parameters and its call.
pub(crate) struct Operation {
    pub name: &'static str,
    /// Its names in NumPy, in PyTorch and further ones, separated by spaces.
    numpy: &'static str,
    torch: &'static str,
    aliases: &'static str,
    pub usage: Use,
    /// The names of the parameters with their defaults; `*` is before one that takes a tuple or several arguments,
    /// `**` before one that takes all.
    pub parameters: &'static str,
    pub call: fn(&Arguments<'_>) -> Result<Value, CallError>,
}

/// Whether an operation is called or is an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Function,
    Attribute,
}

/// Returns an operation with names in NumPy, in PyTorch and further ones.
pub(super) const fn op(
    name: &'static str,
    numpy: &'static str,
    torch: &'static str,
    aliases: &'static str,
    usage: Use,
    parameters: &'static str,
    call: fn(&Arguments<'_>) -> Result<Value, CallError>,
) -> Operation {
    Operation { name, numpy, torch, aliases, usage, parameters, call }
}

impl Operation {
    /// Returns its name in reports: without the prefix of a library that gives the name another meaning.
    pub(crate) fn title(&self) -> &'static str {
        self.name.trim_start_matches("numpy_").trim_start_matches("torch_")
    }

    /// Returns its names in a library, or its own.
    pub(crate) fn names(&self, library: Library) -> impl Iterator<Item = &'static str> {
        let (first, names) = match library {
            Library::NumPy => (None, self.numpy),
            Library::PyTorch => (None, self.torch),
            Library::Belvedere => (Some(self.name), self.aliases),
        };
        first.into_iter().chain(names.split_whitespace())
    }

    /// Whether the name is an attribute, used without parentheses: `x.T` and not `x.t()`.
    pub(crate) fn is_attribute(&self, name: &str) -> bool {
        self.usage == Use::Attribute
            && self.names(Library::NumPy).chain([self.name]).any(|it| last(it) == name)
    }
}

/// Returns a name without its namespace.
pub(super) fn last(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |it| it.1)
}

const LIBRARIES: [Library; 3] = [Library::Belvedere, Library::NumPy, Library::PyTorch];

/// Returns the operation that a name means in a library: its own operation first, then that of another one.
pub(crate) fn find(name: &str, library: Library) -> Option<&'static Operation> {
    let others = LIBRARIES.into_iter().filter(|it| *it != library);
    std::iter::once(library).chain(others).find_map(|library| {
        let with = |is_it: &dyn Fn(&str) -> bool| {
            OPERATIONS.iter().find(|it| it.names(library).any(is_it))
        };
        with(&|it| it == name).or_else(|| with(&|it| last(it) == last(name)))
    })
}

/// Returns an operation that is in the table.
pub(super) fn known(name: &str, library: Library) -> &'static Operation {
    find(name, library).expect("the operation is in the table")
}

/// Returns the names of every operation, without namespaces.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    let named =
        |it: &'static Operation| LIBRARIES.into_iter().flat_map(|library| it.names(library));
    // `numpy_trace` is a key of the table, not a name: it is written `np.trace`.
    let is_name = |name: &&str| !name.starts_with("numpy_") && !name.starts_with("torch_");
    OPERATIONS.iter().flat_map(named).map(last).filter(is_name)
}

/// Names of dtypes in addition to those of [`DType`]; Python's types are those of NumPy.
#[rustfmt::skip]
const TYPES: [(&str, DType); 25] = [
    ("bool_", DType::Bool), ("int", DType::Int64), ("long", DType::Int64), ("short", DType::Int16), ("byte", DType::Int8),
    ("float", DType::Float64), ("double", DType::Float64), ("half", DType::Float16), ("complex", DType::Complex128),
    ("cfloat", DType::Complex64), ("cdouble", DType::Complex128),
    ("b1", DType::Bool), ("i1", DType::Int8), ("i2", DType::Int16), ("i4", DType::Int32), ("i8", DType::Int64),
    ("u1", DType::UInt8), ("u2", DType::UInt16), ("u4", DType::UInt32), ("u8", DType::UInt64),
    ("f2", DType::Float16), ("f4", DType::Float32), ("f8", DType::Float64),
    ("c8", DType::Complex64), ("c16", DType::Complex128),
];

/// Returns the dtype with a name in a library.
pub(crate) fn type_named(name: &str, library: Library) -> Option<DType> {
    match (name, library) {
        ("float", Library::PyTorch) => Some(DType::Float32),
        ("int", Library::PyTorch) => Some(DType::Int32),
        _ => DType::from_name(name).or_else(|| TYPES.iter().find(|it| it.0 == name).map(|it| it.1)),
    }
}

/// Returns the library with a name or a conventional alias.
pub(crate) fn module_named(name: &str) -> Option<Module> {
    let (library, namespace) = match name {
        "np" | "numpy" => (Library::NumPy, ""),
        "torch" => (Library::PyTorch, ""),
        "F" | "functional" => (Library::PyTorch, "nn.functional."),
        "scipy" => (Library::NumPy, "scipy."),
        "xp" | "bv" | "belvedere" | "einops" => (Library::Belvedere, ""),
        "linalg" => (Library::Belvedere, "linalg."),
        "fft" => (Library::Belvedere, "fft."),
        "random" => (Library::NumPy, "random."),
        _ => return None,
    };
    Some(Module { library, namespace: namespace.into() })
}

/// Returns a namespace of a library: `np.linalg`.
pub(crate) fn namespace(module: &Module, name: &str) -> Option<Module> {
    let is_known =
        ["lib", "stride_tricks", "nn", "functional", "random", "linalg", "fft", "special"];
    let namespace = format!("{}{name}.", module.namespace);
    is_known.contains(&name).then_some(Module { library: module.library, namespace })
}

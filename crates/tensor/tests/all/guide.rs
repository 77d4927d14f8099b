//! The guides list every public operation.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGES: [&str; 5] = [
    include_str!("../../docs/numpy.md"),
    include_str!("../../docs/pytorch.md"),
    include_str!("../../docs/ndarray.md"),
    include_str!("../../docs/candle.md"),
    include_str!("../../docs/array_api.md"),
];

/// Where public functions are no operations on tensors: lenses have the names of tensors, the others are
/// private or arguments.
const NO_OPERATIONS: &[&str] = &[
    "lens.rs",
    "assert_close.rs",
    "operand.rs",
    "matrices.rs",
    "axes.rs",
    "einsum/spec.rs",
    "einsum/parse.rs",
    "einsum/order.rs",
];

/// What is on no page, and why.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "it gives no tensor",
        &["allclose", "allclose_with", "shares_memory", "explain", "einsum_path", "repr"],
    ),
    ("it says what a tensor is", &["is_empty", "layout", "n_bytes", "offset", "storage"]),
    ("another word for one that is there", &["move_axis", "swap_axes", "ravel"]),
    ("a product with options, which others do in several steps", &["matmul_add_into"]),
    (
        "a tensor of memory or bytes that exist, or of what `tensor!` was given",
        &["from_storage", "from_nested", "assemble"],
    ),
    (
        "the same memory with another layout, for bindings",
        &["through", "through_into", "assign_through"],
    ),
    (
        "one element of the storage, for bindings",
        &[
            "element_through",
            "is_sole_element",
            "of_element",
            "try_element_into",
            "try_item",
            "try_replace_element",
            "try_set_element",
            "try_set_value",
        ],
    ),
    ("round, with a number of decimals", &["round_decimals"]),
    ("the state of a generator, to store it", &["state", "from_state"]),
    ("a chain in one pass, which others do in several", &["lazy", "eval", "eval_into"]),
    ("a creation function with a device", &["empty_on"]),
    ("an event, for bindings that hand out memory", &["note_export"]),
    ("split, with a size for each part", &["split_sizes"]),
    ("an option of a histogram", &["density", "weights"]),
    ("an answer about a comparison", &["holds"]),
    ("permutation, in place", &["shuffle"]),
    (
        "a distribution, with the name and the parameters of NumPy's",
        &["dirichlet", "multivariate_hypergeometric", "multivariate_normal", "standard_cauchy"],
    ),
    ("a shuffle of each slice, with the name of NumPy's", &["permuted"]),
    ("a stream of a generator, and the end of what is kept", &["with_stream", "forget_plans"]),
];

#[test]
fn every_operation_is_in_a_guide() {
    let mut names = BTreeSet::new();
    for folder in ["src/op", "src/tensor"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut names);
    }
    for known in ["add", "nansum", "cummax", "gelu", "permutation", "solve", "irfft2"] {
        assert!(names.contains(known), "{known} was not found in the sources");
    }
    // Names are in code: the words of the text do not count.
    let code = PAGES.iter().flat_map(|page| page.split('`').skip(1).step_by(2));
    let words: BTreeSet<&str> = code.flat_map(words).collect();
    let is_named = |name: &str| {
        // A page that shows `add` need not show its twins.
        let stem = ["_into", "_assign", "_grad", "_with", "_of"]
            .iter()
            .find_map(|end| name.strip_suffix(end));
        words.contains(name) || stem.is_some_and(|stem| words.contains(stem))
    };
    let missing: BTreeSet<&str> =
        names.iter().map(String::as_str).filter(|it| !is_named(it)).collect();
    let elsewhere = ELSEWHERE.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    assert_eq!(missing, elsewhere);
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_')
}

fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the sources are here") {
        let path = entry.expect("a name").path();
        if path.is_dir() {
            collect(&path, names);
        } else if !NO_OPERATIONS.iter().any(|it| path.ends_with(it)) {
            let text = fs::read_to_string(&path).expect("a text");
            names.extend(
                text.split("pub fn ").skip(1).filter_map(|it| words(it).next()).map(str::to_owned),
            );
            names.extend(told(&text).map(str::to_owned));
        }
    }
    names.remove("");
}

/// Returns the names in `name, name_into`, the arguments of the macros.
fn told(text: &str) -> impl Iterator<Item = &str> {
    let is_import = |line: &str| line.starts_with("use ") || line.starts_with("    composite");
    text.lines().filter(move |line| !is_import(line)).filter_map(|line| {
        let (before, _) = line.split_once("_into")?;
        let (before, name) = before.rsplit_once(", ")?;
        (words(before).last() == Some(name)).then_some(name)
    })
}

//! Remarks about differences from NumPy and PyTorch.

use belvedere_explain::{Dialect, explain};

fn remarks(dialect: Dialect, source: &str) -> Vec<String> {
    explain(source, Some(dialect)).steps.pop().expect("a report has steps").remarks
}

#[test]
fn differences_from_pytorch_are_reported() {
    let cases: &[(&str, &[&str])] = &[
        ("arange(6)[::-1]", &["PyTorch does not support negative steps; its `flip` copies"]),
        ("arange(6).flip(0)", &["PyTorch has no negative strides: it copies 48 bytes here"]),
        ("zeros((2, 3)).squeeze(1)", &["PyTorch ignores axes longer than 1: the result is [2, 3]"]),
        (
            "arange(6).repeat(2)",
            &[
                "PyTorch tiles: its `repeat(2)` has shape [12]; `repeat_interleave` repeats elements",
            ],
        ),
        ("zeros((2, 3, 4)).T", &["PyTorch deprecates `T` for 3 axes, and `t()` is an error"]),
        ("zeros((2, 3)).T", &[]),
        (
            "zeros((2, 3)).transpose((1, 0))",
            &["PyTorch takes two axes here; `permute` takes a permutation"],
        ),
        ("zeros((2, 3)).transpose(0, 1)", &[]),
        (
            "arange(6).reshape(2, 3).T.copy()",
            &[
                "PyTorch spells this `clone`",
                "PyTorch preserves the memory order: its `clone` has strides [1, 3]",
            ],
        ),
        ("zeros(3)", &["PyTorch defaults to float32"]),
        ("zeros(3, dtype=int8)", &[]),
        (
            "arange(3) + zeros(3, dtype=float32)",
            &["PyTorch promotes int64 and float32 to float32, not float64"],
        ),
        ("expand_dims(arange(3), 0)", &["PyTorch spells this `unsqueeze`"]),
        ("arange(6).lens().pad(1)", &["PyTorch has no lenses: it copies 64 bytes here"]),
        (
            "sliding_window_view(arange(6), 3)",
            &["PyTorch spells this `unfold`, one axis at a time"],
        ),
        ("arange(6).view(2, 3)", &[]),
        (
            "zeros((2, 3)).T.view(6)",
            &[
                "PyTorch fails as well: \"view size is not compatible with input tensor's size and stride\"",
            ],
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(remarks(Dialect::PyTorch, source), *expected, "{source}");
    }
}

#[test]
fn differences_from_numpy_are_reported() {
    let cases: &[(&str, &[&str])] = &[
        ("arange(6)[::-1]", &[]),
        ("arange(6).flip(0)", &[]),
        ("arange(6)[2]", &["NumPy returns a scalar here, not a view"]),
        ("arange(6).view(2, 3)", &["NumPy takes a dtype here; use `reshape(…, copy=False)`"]),
        (
            "zeros((2, 3, 4)).transpose(0, 2)",
            &["NumPy takes a permutation of all axes: two of 3 axes are an error"],
        ),
        ("zeros((2, 3)).flatten()", &["NumPy always copies here: 48 bytes; its `ravel` does not"]),
        ("zeros((2, 3, 4)).flatten(1)", &["NumPy flattens all axes only, and always copies"]),
        ("arange(6).split(2)[0]", &["NumPy takes the number of parts: 2 parts of length 3 here"]),
        (
            "arange(7).split(3)[0]",
            &["NumPy takes the number of parts: 3 parts of length 7 are an error"],
        ),
        (
            "arange(6).as_strided((2, 2), (1, 1))",
            &["NumPy takes strides in bytes and does not check bounds"],
        ),
        (
            "arange(3).expand(2, 3)",
            &["NumPy spells this `broadcast_to`", "NumPy makes this view read-only"],
        ),
        ("arange(6).unfold(0, 3, 2)", &["NumPy spells this `sliding_window_view(…)[::step]`"]),
        ("arange(6).narrow(0, 1, 2)", &["NumPy spells this `x[…]`"]),
        ("arange(6).permute(0)", &["NumPy spells this `permute_dims`"]),
        ("arange(6).lens()", &["NumPy has no `lens`"]),
        ("tile(arange(3).lens(), 2)", &["NumPy has no lenses: it copies 48 bytes here"]),
        ("zeros(3)", &[]),
    ];
    for (source, expected) in cases {
        assert_eq!(remarks(Dialect::NumPy, source), *expected, "{source}");
    }
}

#[test]
fn without_a_dialect_there_are_no_remarks() {
    let report = explain("arange(6)[::-1].flip(0).pad(1)", None);
    assert!(report.steps.iter().all(|step| step.remarks.is_empty()));
}

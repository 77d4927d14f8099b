//! What NumPy and PyTorch would do otherwise.

use belvedere_explain::{Dialect, explain};

fn remarks(dialect: Dialect, source: &str) -> Vec<String> {
    explain(source, Some(dialect)).steps.pop().expect("a report has steps").remarks
}

#[test]
fn pytorch_differs_where_it_does() {
    let cases: &[(&str, &[&str])] = &[
        ("arange(6)[::-1]", &["PyTorch refuses negative steps; its `flip` copies instead"]),
        ("arange(6).flip(0)", &["PyTorch has no negative strides: it copies 48 bytes here"]),
        (
            "zeros((2, 3)).squeeze(1)",
            &["PyTorch leaves an axis that is longer than 1 alone: the result is [2, 3]"],
        ),
        (
            "arange(6).repeat(2)",
            &[
                "PyTorch tiles: its `repeat(2)` is [12]; `repeat_interleave` repeats elements",
                "PyTorch has no lenses: it copies 96 bytes here",
            ],
        ),
        (
            "zeros((2, 3, 4)).T",
            &["PyTorch warns that `T` of 3 axes is deprecated, and refuses `t()`"],
        ),
        ("zeros((2, 3)).T", &[]),
        (
            "zeros((2, 3)).transpose((1, 0))",
            &["PyTorch takes two axes here; `permute` takes an order"],
        ),
        ("zeros((2, 3)).transpose(0, 1)", &[]),
        (
            "arange(6).reshape(2, 3).T.copy()",
            &[
                "PyTorch spells this `clone`",
                "PyTorch keeps the order of memory: its `clone` has strides [1, 3]",
            ],
        ),
        ("zeros(3)", &["PyTorch makes float32 where no type is given"]),
        ("zeros(3, dtype=int8)", &[]),
        (
            "arange(3) + zeros(3, dtype=float32)",
            &["PyTorch makes float32 of int64 and float32, not float64"],
        ),
        ("expand_dims(arange(3), 0)", &["PyTorch spells this `unsqueeze`"]),
        ("arange(6).pad(1)", &["PyTorch has no lenses: it copies 64 bytes here"]),
        ("sliding_window_view(arange(6), 3)", &["PyTorch spells this `unfold`, an axis at a time"]),
        ("arange(6).view(2, 3)", &[]),
        (
            "zeros((2, 3)).T.view(6)",
            &[
                "PyTorch refuses it, too: \"view size is not compatible with input tensor's size and stride\"",
            ],
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(remarks(Dialect::PyTorch, source), *expected, "{source}");
    }
}

#[test]
fn numpy_differs_where_it_does() {
    let cases: &[(&str, &[&str])] = &[
        ("arange(6)[::-1]", &[]),
        ("arange(6).flip(0)", &[]),
        ("arange(6)[2]", &["NumPy gives the number itself here, not a view of it"]),
        (
            "arange(6).view(2, 3)",
            &["NumPy takes a type here; the same is `reshape(…, copy=False)`"],
        ),
        (
            "zeros((2, 3, 4)).transpose(0, 2)",
            &["NumPy takes the order of all axes here: it refuses two of 3"],
        ),
        ("zeros((2, 3)).flatten()", &["NumPy always copies here: 48 bytes; its `ravel` does not"]),
        ("zeros((2, 3, 4)).flatten(1)", &["NumPy flattens all axes only, and always copies"]),
        ("arange(6).split(2)[0]", &["NumPy takes the number of parts: 2 parts of 3 here"]),
        ("arange(7).split(3)[0]", &["NumPy takes the number of parts, and refuses 3 parts of 7"]),
        (
            "arange(6).as_strided((2, 2), (1, 1))",
            &["NumPy counts bytes here, and checks no bounds"],
        ),
        (
            "arange(3).expand(2, 3)",
            &["NumPy spells this `broadcast_to`", "NumPy makes this view read-only"],
        ),
        ("arange(6).unfold(0, 3, 2)", &["NumPy spells this `sliding_window_view(…)[::step]`"]),
        ("arange(6).narrow(0, 1, 2)", &["NumPy spells this `x[…]`"]),
        ("arange(6).permute(0)", &["NumPy spells this `permute_dims`"]),
        ("arange(6).lens()", &["NumPy has no `lens`"]),
        ("tile(arange(3), 2)", &["NumPy has no lenses: it copies 48 bytes here"]),
        ("zeros(3)", &[]),
    ];
    for (source, expected) in cases {
        assert_eq!(remarks(Dialect::NumPy, source), *expected, "{source}");
    }
}

#[test]
fn nobody_is_compared_without_being_asked() {
    let report = explain("arange(6)[::-1].flip(0).pad(1)", None);
    assert!(report.steps.iter().all(|step| step.remarks.is_empty()));
}

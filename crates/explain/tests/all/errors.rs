//! What is refused, what is said about it, and where the caret stands.

use crate::fails;

/// The message, the text that is blamed, and the first line of help.
fn said(source: &str) -> (String, String, String) {
    let error = fails(source).error.expect("a failed step has an error");
    let blamed = source.get(error.span).unwrap_or("outside of the text").into();
    (error.message, blamed, error.help.first().cloned().unwrap_or_default())
}

#[test]
fn errors_name_the_place_and_what_was_meant() {
    let cases = [
        (
            "x = arange(3); x.reshpae(3)",
            "tensors have no `reshpae` here",
            "reshpae",
            "did you mean `reshape`?",
        ),
        (
            "x = arange(3); x.Transpose()",
            "tensors have no `Transpose` here",
            "Transpose",
            "did you mean `transpose`?",
        ),
        (
            "weights = zeros(3); weigths.T",
            "nothing is called `weigths`",
            "weigths",
            "did you mean `weights`?",
        ),
        (
            "np.arrange(3)",
            "there is no function `arrange` here",
            "arrange",
            "did you mean `arange`?",
        ),
        (
            "zeros(3, dtpye=int8)",
            "there is no parameter `dtpye` here",
            "dtpye",
            "did you mean `dtype`?",
        ),
        (
            "zeros(3, dtype='flaot32')",
            "unknown dtype \"flaot32\"",
            "'flaot32'",
            "did you mean `float32`?",
        ),
        ("arange(3).reshape", "`reshape` is a method", "reshape", "call it: reshape(…)"),
        (
            "arange(3).reshape(2, 2)",
            "cannot reshape [3] into [2, 2]: 3 elements are not 4",
            "2, 2",
            "",
        ),
        ("zeros((2, 3))[1, 5]", "index 5 is out of range for axis 1 of length 3", "5", ""),
        ("zeros((2, 3))[0, 0, 0]", "got 3 indices for 2 axes", "[0, 0, 0]", ""),
        ("zeros((2, 3))[::0]", "a step must not be 0", "0", ""),
        (
            "zeros((2, 3)).transpose(0, 5)",
            "axis 5 is out of range: the axes are -2..=1",
            "0, 5",
            "",
        ),
        ("zeros((2, 3)).permute(0, 0)", "[0, 0] is not a permutation of 2 axes", "0, 0", ""),
        ("zeros((2, 3)).squeeze(1)", "cannot squeeze axis 1: its length is 3, not 1", "1", ""),
        ("zeros((2, 3)).expand(2, 4)", "axis 1 of length 3 does not broadcast to 4", "2, 4", ""),
        (
            "zeros((2, 3)).unfold(1, 9, 1)",
            "a window of 9 does not fit in axis 1 of length 3",
            "1, 9, 1)",
            "",
        ),
        (
            "zeros((2, 3)).rearrange('a b -> a')",
            "this axis is missing on the right; rearranging keeps every axis",
            "b",
            "",
        ),
        (
            "arange(6).as_strided((5, 3), (1, 1))",
            "the layout reaches offsets 0..7, but the memory holds 6 elements",
            "(5, 3), (1, 1)",
            "strides count elements here, not bytes",
        ),
        (
            "arange(6).view(complex128)[0] + zeros(2, 3)[[0, 1]]",
            "an index by a list of positions is not part of this language",
            "[0, 1]",
            "it always copies; slices never do",
        ),
        ("arange(6).view('float16', 3)", "one argument too many", "3", ""),
        (
            "arange(7).view(complex128)",
            "the last axis has length 7, which is not a multiple of 2",
            "complex128",
            "",
        ),
        (
            "zeros((2, 3)) + zeros(4)",
            "axis 0 of length 4 of operand 1 does not broadcast to 3",
            "zeros((2, 3)) + zeros(4)",
            "[2, 3] and [4] are compared from the last axis on: equal, or one of them 1",
        ),
        (
            "zeros((2, 3)) @ zeros(2)",
            "[2, 3] @ [2]: 3 columns do not meet 2 rows",
            "zeros((2, 3)) @ zeros(2)",
            "",
        ),
        (
            "arange(3) ** 2",
            "`**` of tensors is not part of this language",
            "**",
            "+ - * / and @ are",
        ),
        ("arange(3).split(2).T", "a list of tensors has no `T`", "T", ""),
        ("arange(3).split(2)[5]", "there is no part 5: there are 2", "5", ""),
        ("a, b = arange(9).split(3)", "2 names for 3 parts", "a, b", ""),
        (
            "tensor((3,), strides=(-1,))",
            "shape [3] with strides [-1] from start 0 reaches offset -2, outside of 0..=isize::MAX",
            "(-1,)",
            "offset=… says where the first element lies",
        ),
        (
            "x = zeros(3).expand(2, 3); x[0] = 1; x[:] = 1",
            "this view has an element more than once: it cannot be written",
            "[:]",
            "copy() first",
        ),
        (
            "arange(3).pad(1)[0] = 5",
            "a lens is not written to here",
            "[0]",
            "`contiguous()` first: it copies 40 bytes, which are then written instead",
        ),
        (
            "arange(4).pad(1).diagonal()",
            "`diagonal` needs strides, and a lens has none",
            ".diagonal()",
            "`contiguous()` first: it copies 48 bytes",
        ),
        (
            "arange(6).repeat(1, 2, 3)",
            "axis 2 is out of range: the axes are -1..=0",
            "2",
            "PyTorch's `repeat`, a number for each axis, is `tile` here",
        ),
        ("array([[1, 2], [3]])", "these lists are not equally long", "[[1, 2], [3]]", ""),
        ("3 + 'a'", "`+` between a whole number and a text means nothing", "+", ""),
        ("arange(3)(2)", "a tensor cannot be called", "arange", ""),
        ("zeros((2, 3), order='Q')", "an order is \"C\" or \"F\"", "'Q'", ""),
        (
            "array([1j]).astype(float64)",
            "cannot cast complex128 to float64",
            "float64",
            "take `real` or `imag` first",
        ),
    ];
    for (source, message, blamed, help) in cases {
        assert_eq!(said(source), (message.into(), blamed.into(), help.into()), "{source}");
    }
}

#[test]
fn mistakes_in_the_text_are_pointed_at() {
    let cases = [
        ("arange(12", "this bracket is never closed", "("),
        ("x = arange(12\ny = x.T", "this bracket is never closed", "("),
        ("x = [1, 2", "this bracket is never closed", "["),
        ("arange(12))", "`)` where the end of the statement should be", ")"),
        ("x == y", "`==` where the end of the statement should be", "=="),
        ("x += 1", "`+=` where the end of the statement should be", "+="),
        ("x = ", "the text ends where an expression should be", ""),
        ("x = ; y", "the line ends where an expression should be", ";"),
        ("for i in x: pass", "`for` where an expression should be", "for"),
        ("3x = 1", "a name cannot begin with a digit", "3x"),
        ("x = 'abc", "this text is never closed", "'abc"),
        ("print(b'x')", "b-strings are not part of this language", "b'"),
        ("x = $", "'$' means nothing here", "$"),
        ("1 = x", "nothing can be assigned to this", "1"),
        ("x.1", "a number where the end of the statement should be", ".1"),
        ("arange(*3)", "a tuple or a list is needed here, not a whole number", "3"),
        ("", "there is nothing to explain", ""),
        ("# only a remark", "there is nothing to explain", "# only a remark"),
    ];
    for (source, message, blamed) in cases {
        let (said, at, _) = said(source);
        assert_eq!((&*said, &*at), (message, blamed), "{source}");
    }
}

#[test]
fn the_steps_before_a_mistake_are_kept() {
    for source in ["x = arange(6); x.T; x.view(5); x.flip(0)", "x = arange(6); x.T; x..T"] {
        let report = belvedere_explain::explain(source, None);
        assert_eq!(report.steps.len(), 3, "{source}");
        assert!(report.steps[..2].iter().all(|it| it.error.is_none()), "{source}");
    }
}

#[test]
fn a_refusal_lists_ways_out_that_are_ways_out() {
    let source = "x = arange(24).reshape(2, 3, 4).permute(1, 0, 2); ";
    let step = fails(&format!("{source}x.view(6, 4)"));
    let help = &step.error.as_ref().unwrap().help;
    for line in help {
        let call = line
            .split_inclusive(')')
            .take_while(|it| !it.starts_with([' ', ',']))
            .collect::<String>();
        let copied = crate::works(&format!("{source}x.{call}"))
            .steps
            .iter()
            .map(|it| it.bytes_copied)
            .sum::<u128>();
        assert_eq!(copied, if line.contains("copies 192 bytes") { 192 } else { 0 }, "{line}");
    }
    assert_eq!(help.len(), 4);
}

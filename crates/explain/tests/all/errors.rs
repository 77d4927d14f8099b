//! Errors: the message, the span and the help.

use crate::fails;

/// Returns the message, the source text of the span, and the first line of help.
fn error_parts(source: &str) -> (String, String, String) {
    let error = fails(source).error.expect("a failed step has an error");
    let blamed = source.get(error.span).unwrap_or("outside of the text").into();
    (error.message, blamed, error.help.first().cloned().unwrap_or_default())
}

#[test]
fn errors_have_a_span_a_message_and_a_suggestion() {
    let cases = [
        (
            "x = arange(3); x.reshpae(3)",
            "tensors have no attribute `reshpae` here",
            "reshpae",
            "did you mean `reshape`?",
        ),
        (
            "x = arange(3); x.Transpose()",
            "tensors have no attribute `Transpose` here",
            "Transpose",
            "did you mean `transpose`?",
        ),
        (
            "weights = zeros(3); weigths.T",
            "name `weigths` is not defined",
            "weigths",
            "did you mean `weights`?",
        ),
        ("np.arrange(3)", "unknown function `arrange`", "arrange", "did you mean `arange`?"),
        (
            "zeros(3, dtpye=int8)",
            "unexpected keyword argument `dtpye`",
            "dtpye",
            "did you mean `dtype`?",
        ),
        (
            "zeros(3, dtype='flaot32')",
            "unknown dtype \"flaot32\"",
            "'flaot32'",
            "did you mean `float32`?",
        ),
        (
            "arange(3).reshape",
            "`reshape` is a method, not an attribute",
            "reshape",
            "call it: reshape(…)",
        ),
        (
            "arange(3).reshape(2, 2)",
            "cannot reshape [3] into [2, 2]: 3 elements are not 4",
            "2, 2",
            "",
        ),
        ("zeros((2, 3))[1, 5]", "index 5 is out of range for axis 1 of length 3", "5", ""),
        ("zeros((2, 3))[0, 0, 0]", "got 3 indices for 2 axes", "[0, 0, 0]", ""),
        ("zeros((2, 3))[::0]", "a slice step must not be 0", "0", ""),
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
            "1, 9, 1",
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
            "strides are in elements here, not bytes",
        ),
        (
            "zeros(2, 3)[[0, 5]]",
            "index 5 at [1] is out of range for axis 0 of length 2",
            "[0, 5]",
            "",
        ),
        (
            "zeros(2, 3).lens()[[0, 1]]",
            "a lens takes no lists, tensors and masks as indices",
            "[[0, 1]]",
            "",
        ),
        (
            "x = arange(6).reshape(2, 3)\nwith no_copies():\n    y = x.T.reshape(6)",
            "reshape would copy 48 bytes here, where copies are forbidden: the new shape has no strided view",
            "6",
            "",
        ),
        (
            "x = zeros(10**6); x[x > 0]",
            "an index with a mask needs values, and only tensors of at most 4096 elements have values here",
            "[x > 0]",
            "",
        ),
        ("arange(6).view('float16', 3)", "too many positional arguments", "3", ""),
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
            "cannot multiply matrices of shapes [2, 3] and [2]",
            "zeros((2, 3)) @ zeros(2)",
            "3 columns do not meet 2 rows",
        ),
        (
            "arange(3) ** -1",
            "integers cannot be raised to the negative power -1; use a float dtype",
            "arange(3) ** -1",
            "",
        ),
        ("arange(3) & 0.5", "bitwise_and is not supported for float64", "arange(3) & 0.5", ""),
        ("~'x'", "expected an integer or a tensor, got a string", "~'x'", ""),
        ("1 @ 2", "`@` is for tensors", "@", ""),
        ("arange(3).split(2).T", "a tuple has no attribute `T`", "T", ""),
        ("arange(3).split(2)[5]", "index 5 is out of range for 2 items", "5", ""),
        ("a, b = arange(9).split(3)", "cannot unpack 3 values into 2 names", "a, b", ""),
        (
            "tensor((3,), strides=(-1,))",
            "shape [3] with strides [-1] from start 0 reaches offset -2, outside of 0..=isize::MAX",
            "(3,), strides=(-1,)",
            "offset=… sets the offset of the first element",
        ),
        (
            "x = zeros(3).expand(2, 3); x[0] = 1; x[:] = 1",
            "cannot write through a view of shape [2, 3] and strides [0, 1]: several of its indices refer to the same element",
            "[:] = 1",
            "call copy() first",
        ),
        (
            "arange(3).lens().pad(1)[0] = 5",
            "a lens is read-only",
            "[0]",
            "call `contiguous()` first: it copies 40 bytes, and the copy can be written",
        ),
        (
            "arange(4).lens().pad(1).diagonal()",
            "`diagonal` needs a strided tensor, got a lens",
            "arange(4).lens().pad(1)",
            "call `contiguous()` first: it copies 48 bytes",
        ),
        (
            "arange(6).repeat(1, 2, 3)",
            "too many positional arguments",
            "3",
            "PyTorch's `repeat` with a count for each axis is `tile` here",
        ),
        ("array([[1, 2], [3]])", "nested lists must have equal lengths", "[[1, 2], [3]]", ""),
        ("3 + 'a'", "`+` between an int and a string means nothing", "+", ""),
        ("arange(3)(2)", "a tensor is not callable", "arange", ""),
        ("zeros((2, 3), order='Q')", "order must be \"C\" or \"F\"", "(2, 3), order='Q'", ""),
        (
            "array([1j]).astype(float64)",
            "cannot cast complex128 to float64: the imaginary part would be lost; use real or imag",
            "float64",
            "",
        ),
    ];
    let different = |&(source, message, blamed, help): &(&str, &str, &str, &str)| {
        let (expected, found) = ((message.into(), blamed.into(), help.into()), error_parts(source));
        (found != expected).then(|| format!("{source}: {found:?}, not {expected:?}"))
    };
    let different: Vec<String> = cases.iter().filter_map(different).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn syntax_errors_have_a_span_and_a_message() {
    let cases = [
        ("arange(12", "this bracket was never closed", "("),
        ("x = arange(12\ny = x.T", "this bracket was never closed", "("),
        ("x = [1, 2", "this bracket was never closed", "["),
        ("arange(12))", "expected the end of the statement, found `)`", ")"),
        ("x < y < z", "comparisons of tensors cannot be chained", "<"),
        ("x == ", "expected an expression, found the end of the source", ""),
        ("x += 1", "name `x` is not defined", "x"),
        ("3 += 1", "cannot assign to this expression", "3"),
        ("with open():\n  x", "unknown context manager `open`", "open()"),
        ("with no_copies():\nx", "expected an indented statement, found the end of the line", "\n"),
        ("x = ", "expected an expression, found the end of the source", ""),
        ("x = ; y", "expected an expression, found the end of the line", ";"),
        ("for i in x: pass", "expected an expression, found `for`", "for"),
        ("3x = 1", "invalid number: a name cannot begin with a digit", "3x"),
        ("x = 'abc", "this string was never closed", "'abc"),
        ("print(b'x')", "b-strings are not supported", "b'"),
        ("x = $", "unexpected character '$'", "$"),
        ("1 = x", "cannot assign to this expression", "1"),
        ("x.1", "expected the end of the statement, found a number", ".1"),
        ("arange(*3)", "expected a tuple or a list, got an int", "3"),
        ("", "the source has no expression", ""),
        ("# only a remark", "the source has no expression", "# only a remark"),
    ];
    for (source, message, blamed) in cases {
        let (found, at, _) = error_parts(source);
        assert_eq!((&*found, &*at), (message, blamed), "{source}");
    }
}

#[test]
fn the_steps_before_an_error_are_kept() {
    for source in ["x = arange(6); x.T; x.view(5); x.flip(0)", "x = arange(6); x.T; x..T"] {
        let report = belvedere_explain::explain(source, None);
        assert_eq!(report.steps.len(), 3, "{source}");
        assert!(report.steps[..2].iter().all(|it| it.error.is_none()), "{source}");
    }
}

#[test]
fn the_alternatives_to_a_refused_view_work() {
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

//! The parser: precedence, statements, literals, and the position of syntax errors.

use crate::{fails, last, works};

fn shape(source: &str) -> Vec<usize> {
    last(source).result.expect("a tensor").chain.shape().to_vec()
}

#[test]
fn operators_have_the_precedence_of_python() {
    for (source, expected) in [
        ("zeros((2 + 3 * 4,))", vec![14]),
        ("zeros(((2 + 3) * 4,))", vec![20]),
        ("zeros((10 - 4 - 3,))", vec![3]),
        ("zeros((7 // 2, 7 % 4))", vec![3, 3]),
        ("zeros((2 * 3 ** 2,))", vec![18]),
        ("zeros((-2 + 5,))", vec![3]),
    ] {
        assert_eq!(shape(source), expected, "{source}");
    }
}

#[test]
fn statements_end_at_semicolons_and_line_breaks_outside_of_brackets() {
    let n_steps = |source: &str| works(source).steps.len();
    assert_eq!(n_steps("x = arange(3); x[0:2]"), 2);
    assert_eq!(n_steps("x = arange(3)\nx[0:2]"), 2);
    assert_eq!(n_steps("x = arange(\n  3\n)\nx[\n0:2]"), 2);
    assert_eq!(n_steps(">>> x = arange(3) # a comment; x[0]\n>>> x[0:2]"), 2);
    assert_eq!(n_steps("x = arange(3) \\\n  [0:2]"), 2);
}

#[test]
fn integers_have_bases_and_underscores() {
    assert_eq!(shape("zeros((0x10, 0b11, 0o17, 1_000))"), [16, 3, 15, 1000]);
}

#[test]
fn a_syntax_error_is_at_its_token_and_the_statements_before_it_are_explained() {
    for (source, at) in [
        ("x = arange(3); x[0", "["),
        ("x = arange(3); x ? 2", "?"),
        ("x = arange(3); 3x", "3x"),
        ("x = arange(3); x[0)]", ")"),
        ("x = arange(3); 'abc", "'abc"),
    ] {
        let step = fails(source);
        let span = step.error.expect("an error").span;
        assert_eq!(&source[span], at, "{source}");
    }
    assert_eq!(crate::explain("x = arange(3); x[0", None).steps.len(), 2);
}

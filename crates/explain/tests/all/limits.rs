//! Limits: tensors of any size are accepted; long or deeply nested sources are errors.

use crate::{fails, last, summary, works};
use belvedere_explain::{Kind, MAX_DEPTH, MAX_NESTING, MAX_SOURCE, MAX_STEPS, explain};

fn message(source: &str) -> String {
    fails(source).error.expect("a failed step has an error").message
}

#[test]
fn tensors_of_any_size_are_explained() {
    let step = last("x = arange(10**18); x.reshape(10**9, -1).T[::-1, 5]");
    assert_eq!(summary(&step), "view [1000000000] [-1] 5999999999");
    assert_eq!(step.result.unwrap().element(0), None, "it has no memory");
    let copy = last("arange(10**15).reshape(10**5, -1).T.copy()");
    assert_eq!(copy.bytes_copied, 8 * 10u128.pow(15));
    assert_eq!(
        summary(&last("zeros((10**6, 10**6)) + ones(10**6)")),
        "new [1000000, 1000000] [1000000, 1] 0 float64"
    );
    assert_eq!(
        summary(&last("zeros((10**6, 10**6)) @ ones(10**6)")),
        "new [1000000] [1] 0 float64"
    );
    assert_eq!(
        summary(&last("arange(10**12).lens().pad(1).tile(1000)")),
        "view [1000000000002000] lens"
    );
    assert_eq!(summary(&last("arange(10**12).pad(1).tile(1000)")), "new [1000000000002000] [1] 0");
}

#[test]
fn sizes_beyond_isize_max_are_errors() {
    assert_eq!(
        message("zeros(10**19)"),
        "10000000000000000000 is too large for a length or an index"
    );
    assert_eq!(
        message("zeros((10**10, 10**10))"),
        "shape [10000000000, 10000000000] has more elements than isize::MAX"
    );
    assert_eq!(message("zeros(2 * 10**18)"), "cannot allocate 16000000000000000000 bytes");
    assert_eq!(message("arange(10**30)"), "the arguments of arange must fit in 64 bits");
    assert_eq!(message("10 ** 10 ** 10"), "the result is too large");
    assert_eq!(message("zeros((1,) * 65)"), "65 axes are too many: a layout has at most 64");
    assert_eq!(message("(1,) * 10**9"), "a tuple has at most 4096 items");
    assert_eq!(message("arange(10**6).split(1)"), "1000000 parts are too many: the limit is 4096");
    assert_eq!(message("arange(100).split(1)"), "cannot show 100 parts, the limit is 32");
}

#[test]
fn functions_that_need_values_have_bounded_results() {
    let too_many = |n: &str| format!("{n} elements are too many: the limit is 65536");
    assert_eq!(message("tril_indices(10**9)"), too_many("1000000000000000000"));
    assert_eq!(message("triu_indices(10**9, 0, 0)"), too_many("1000000000"));
    assert_eq!(message("tril_indices(2**62)"), too_many("18446744073709551615"));
    assert_eq!(message("bincount(asarray([10**9]))"), too_many("1000000001"));
    assert_eq!(message("repeat(zeros(1), asarray([10**9]))"), too_many("1000000000"));
    assert_eq!(works("tril_indices(256)").steps.len(), 2);
}

#[test]
fn values_of_any_construct_are_bounded() {
    assert_eq!(works("x = () * 10**18; arange(3)").steps.len(), 1);
    assert_eq!(message("x = ((0,) * 4000,) * 4000"), "a tuple has at most 4096 items");
    let doubled = format!("x = (1, 2)\n{}", "x = print(x, x)\n".repeat(24));
    assert_eq!(
        message(&doubled),
        "too many arguments: 4096 items are allowed, nested ones included"
    );
    let listed = format!("x = (1, 2)\n{}", "x = [x, x]\n".repeat(24));
    assert_eq!(message(&listed), "a tuple has at most 4096 items");
    let many: String = (0..100).map(|i| format!("x{i} = (0,) * 4000\n")).collect();
    assert_eq!(message(&many), "the variables have more than 16384 items");
    let spread = "x = (0,) * 4000; arange(*x, *x)";
    assert_eq!(message(spread), "too many arguments: 4096 items are allowed, nested ones included");
}

#[test]
fn long_and_deeply_nested_sources_are_errors() {
    assert_eq!(
        message(&" ".repeat(MAX_SOURCE + 1)),
        format!("the source has more than {MAX_SOURCE} bytes")
    );
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let nested =
        format!("brackets and unary operators are nested more than {MAX_NESTING} levels deep");
    assert_eq!(message(&deep), nested);
    assert_eq!(message(&"[".repeat(5000)), nested);
    assert_eq!(message(&format!("{}1", "-".repeat(5000))), nested);
    assert_eq!(message(&format!("{}1", "2**".repeat(5000))), nested);
    assert_eq!(message(&format!("x{}", "[x".repeat(3000))), nested);
}

#[test]
fn steps_beyond_the_limit_are_an_error() {
    let report = explain(&format!("arange(6){}", ".T".repeat(5000)), None);
    assert_eq!(report.steps.len(), MAX_STEPS + 1);
    assert_eq!(report.steps[MAX_STEPS].kind, Kind::Error);
    let sums = format!("x = arange(2); x{}", " + x".repeat(3000));
    assert_eq!(message(&sums), format!("the source has more than {MAX_STEPS} steps"));
    // Arithmetic on scalars does not count as steps.
    assert_eq!(summary(&last(&format!("0{}", " + 1".repeat(3000)))), "= 3000");
}

#[test]
fn a_lens_with_too_many_stages_is_an_error() {
    let pads = "x = arange(5); ".to_string()
        + &"x = x.lens().pad(1).reshape(-1, 1).T.pad(1).reshape(-1).tile(2); ".repeat(30);
    let report = explain(&pads, None);
    let last = report.steps.last().unwrap();
    let message = &last.error.as_ref().expect("it ends in an error").message;
    assert!(
        *message == format!("a lens cannot have more than {MAX_DEPTH} stages here")
            || message.contains("isize::MAX"),
        "{message}"
    );
}

#[test]
fn the_size_of_tuples_is_limited() {
    let doubling = "a = (1, 1); ".to_string() + &"a = (a, a); ".repeat(100);
    assert_eq!(message(&doubling), "a tuple has at most 4096 items");
    let starred = "a = (1, 1); ".to_string() + &"a = (*a, *a); ".repeat(100);
    assert_eq!(message(&starred), "a tuple has at most 4096 items");
}

#[test]
fn overlap_between_steps_is_exact() {
    let report =
        works("x = arange(12); even = x[::2]; odd = x[1::2]; late = x[6:]; even[:3]; none = x[:0]");
    let shares: Vec<&[usize]> = report.steps.iter().map(|it| &it.shares_with[..]).collect();
    assert_eq!(shares, [&[][..], &[0], &[0], &[0, 1, 2], &[0, 1], &[]]);
    // A lens shares only the elements that it contains.
    let padded = works("x = arange(6); y = x[:3].lens().pad(1)[:2]; x[0]; x[1]");
    assert_eq!(padded.steps[6].shares_with, [0, 1, 2, 3]);
    assert_eq!(padded.steps[5].shares_with, [0, 1, 2, 3, 4]);
}

//! Large tensors cost nothing, and large texts are refused.

use crate::{fails, last, told, works};
use belvedere_explain::{Kind, MAX_DEPTH, MAX_NESTING, MAX_SOURCE, MAX_STEPS, explain};

fn message(source: &str) -> String {
    fails(source).error.expect("a failed step has an error").message
}

#[test]
fn the_size_of_a_tensor_does_not_matter() {
    let step = last("x = arange(10**18); x.reshape(10**9, -1).T[::-1, 5]");
    assert_eq!(told(&step), "view [1000000000] [-1] 5999999999");
    assert_eq!(step.result.unwrap().element(0).unwrap().to_string(), "5999999999");
    // Even a copy is looked at without being made.
    let copy = last("arange(10**15).reshape(10**5, -1).T.copy()");
    assert_eq!(copy.bytes_copied, 8 * 10u128.pow(15));
    assert_eq!(copy.result.unwrap().element(1).unwrap().to_string(), "10000000000");
    assert_eq!(
        told(&last("zeros((10**6, 10**6)) + ones(10**6)")),
        "new [1000000, 1000000] [1000000, 1] 0 float64"
    );
    assert_eq!(told(&last("zeros((10**6, 10**6)) @ ones(10**6)")), "new [1000000] [1] 0 float64");
    assert_eq!(told(&last("arange(10**12).split(10)[10**10]")), "view [10] [1] 100000000000");
    assert_eq!(told(&last("arange(10**12).pad(1).tile(1000)")), "view [1000000000002000] lens");
}

#[test]
fn sizes_beyond_the_machine_are_errors() {
    assert_eq!(
        message("zeros(10**19)"),
        "10000000000000000000 is too large for a length or an index"
    );
    assert_eq!(
        message("zeros((10**10, 10**10))"),
        "shape [10000000000, 10000000000] has more elements than isize::MAX"
    );
    assert_eq!(
        message("zeros(2 * 10**18)"),
        "2000000000000000000 elements of 8 bytes each exceed isize::MAX bytes"
    );
    assert_eq!(message("arange(10**30)"), "these numbers do not fit in 64 bits");
    assert_eq!(message("10 ** 10 ** 10"), "the result is too large");
    assert_eq!(message("zeros((1,) * 65)"), "65 axes are too many: a layout has at most 64");
    assert_eq!(message("(1,) * 10**9"), "more than 4096 items");
    assert_eq!(message("arange(10**6).split(1)"), "1000000 parts are too many to show, at most 32");
}

#[test]
fn long_texts_and_deep_ones_are_refused() {
    assert_eq!(
        message(&" ".repeat(MAX_SOURCE + 1)),
        format!("a text of more than {MAX_SOURCE} bytes is not explained")
    );
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let nested = format!("brackets and signs are nested more than {MAX_NESTING} deep");
    assert_eq!(message(&deep), nested);
    assert_eq!(message(&"[".repeat(5000)), nested);
    assert_eq!(message(&format!("{}1", "-".repeat(5000))), nested);
    assert_eq!(message(&format!("{}1", "2**".repeat(5000))), nested);
    assert_eq!(message(&format!("x{}", "[x".repeat(3000))), nested);
}

#[test]
fn many_steps_are_cut_off_and_those_before_shown() {
    let report = explain(&format!("arange(6){}", ".T".repeat(5000)), None);
    assert_eq!(report.steps.len(), MAX_STEPS + 1);
    assert_eq!(report.steps[MAX_STEPS].kind, Kind::Error);
    let sums = format!("x = arange(2); x{}", " + x".repeat(3000));
    assert_eq!(message(&sums), format!("more than {MAX_STEPS} steps are not explained"));
    // Plain numbers may be long.
    assert_eq!(told(&last(&format!("0{}", " + 1".repeat(3000)))), "= 3000");
}

#[test]
fn a_lens_of_too_many_stages_is_refused() {
    let pads = "x = arange(5); ".to_string()
        + &"x = x.pad(1).reshape(-1, 1).T.pad(1).reshape(-1).tile(2); ".repeat(30);
    let report = explain(&pads, None);
    let last = report.steps.last().unwrap();
    let told = &last.error.as_ref().expect("it ends in an error").message;
    assert!(
        *told == format!("a lens of more than {MAX_DEPTH} stages is not explained")
            || told.contains("isize::MAX"),
        "{told}"
    );
}

#[test]
fn tuples_cannot_grow_without_end() {
    let doubling = "a = (1, 1); ".to_string() + &"a = (a, a); ".repeat(100);
    assert_eq!(message(&doubling), "more than 4096 items");
    let starred = "a = (1, 1); ".to_string() + &"a = (*a, *a); ".repeat(100);
    assert_eq!(message(&starred), "more than 4096 items");
}

#[test]
fn who_shares_with_whom_is_exact() {
    let report =
        works("x = arange(12); even = x[::2]; odd = x[1::2]; late = x[6:]; even[:3]; none = x[:0]");
    let shares: Vec<&[usize]> = report.steps.iter().map(|it| &it.shares_with[..]).collect();
    assert_eq!(shares, [&[][..], &[0], &[0], &[0, 1, 2], &[0, 1], &[]]);
    // Padding hides what it does not show.
    let padded = works("x = arange(6); y = x[:3].pad(1)[:2]; x[0]; x[1]");
    assert_eq!(padded.steps[5].shares_with, [0, 1, 2]);
    assert_eq!(padded.steps[4].shares_with, [0, 1, 2, 3]);
}

//! Reports as text, compared with the expected output, and as pictures.

use belvedere_draw::TextOptions;
use belvedere_explain::report::{self, ReportOptions};
use belvedere_explain::{Dialect, explain};

fn plain(source: &str, options: ReportOptions) -> String {
    report::plain(&explain(source, None), options)
}

/// The table, the explanation of a copy, and an error with its position and help, as the program prints them.
#[test]
fn reports_are_as_recorded() {
    for (source, expected) in [
        (
            "arange(12).reshape(3,4).T.view(6,2)",
            include_str!("../../../cli/tests/golden/refused.txt"),
        ),
        (
            "x = arange(12).reshape(3, 4); x.T.reshape(-1)",
            include_str!("../../../cli/tests/golden/copied.txt"),
        ),
        (
            "x = arange(10)\ny = x.reshpae(2, 5)",
            include_str!("../../../cli/tests/golden/mistake_name.txt"),
        ),
    ] {
        let text = plain(source, ReportOptions::default());
        assert_eq!(text.trim_end(), expected.trim_end(), "{source}");
    }
}

#[test]
fn pictures_and_loops_are_optional() {
    let source = "x = arange(4); x + x[::-1]";
    let without = plain(source, ReportOptions::default());
    let options = ReportOptions { draw: Some(TextOptions::plain()), plan: true };
    let with = plain(source, options);
    assert!(with.starts_with(&without) && with.len() > without.len());
    assert!(with.contains("memory A"), "{with}");
    assert!(with.contains("loop of 4"), "{with}");
}

#[test]
fn a_dialect_adds_remarks() {
    let source = "zeros((2, 3, 4)).T";
    assert!(explain(source, None).steps.iter().all(|it| it.remarks.is_empty()));
    let torch = explain(source, Some(Dialect::PyTorch));
    assert!(!torch.steps[1].remarks.is_empty());
}

#[test]
fn svg_and_html_hold_a_picture_for_each_tensor() {
    let report = explain("x = arange(6).reshape(2, 3); x.T", None);
    assert!(report::draw::svg(&report).starts_with("<svg "));
    assert_eq!(report::draw::html(&report).matches("<figure ").count(), 3);
}

//! Reports as text, compared with the expected output, and as pictures.

use belvedere::prelude::*;
use belvedere::{copies, trace};
use belvedere_draw::TextOptions;
use belvedere_explain::report::{self, ReportOptions};
use belvedere_explain::{Dialect, Kind, explain, traced};

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

#[test]
fn a_traced_program_has_lines_and_a_bounded_number_of_pictures() {
    let x = Tensor::zeros([2, 3], DType::Int32).unwrap();
    let (_, trace) = trace::record(|| {
        for _ in 0..100 {
            x.t().unwrap();
        }
    });
    let report = traced::report(&trace, traced::call_text);
    let table = report::plain(&report, ReportOptions::default());
    assert!(table.trim_start().starts_with("#  line  step"), "{table}");
    assert_eq!(report.steps[0].line.as_ref().unwrap().number, line!() - 6);
    let drawn = report::draw::svg(&report);
    assert!(drawn.contains("40 more are not drawn"));
    assert!(drawn.contains(">5<") && !drawn.contains(">?<"), "offsets, since values are unknown");
    assert_eq!(report::draw::html(&report).matches("<figure ").count(), 61);
}

#[test]
fn an_evaluation_is_not_part_of_the_program_that_asks_for_it() {
    let source = "zeros(2, 3).T.reshape(6)";
    let (report, trace) = trace::record(|| copies::forbid(|| explain(source, None)));
    assert_eq!(report.steps.last().unwrap().kind, Kind::Copy);
    assert!(trace.events().is_empty() && trace.freed().is_empty());
    let report = explain("x = zeros(2, 3).T\nwith no_copies():\n    x.reshape(6)", None);
    assert_eq!(report.steps.last().unwrap().kind, Kind::Error);
}

//! Reports and anomalies.

use crate::reason;
use belvedere::Complex;
use belvedere::prelude::*;
use belvedere_draw::TextOptions;
use belvedere_grad::{GradientError, Report, Tape, checkpoint};

#[test]
fn a_report_has_a_row_for_each_line() {
    let (x, tape) = (Tensor::ones([100], DType::Float64).unwrap(), Tape::new());
    tape.watch(&x).unwrap();
    let y = tape.record(|| {
        let mut sum = x.sum(())?;
        for _ in 0..3 {
            sum = sum.add(&x.square()?.sum(())?)?;
        }
        x.slice(s![..5])?.fill(0.0)?;
        x.slice(s![3..8])?.fill(1.0)?;
        Ok::<_, Error>(sum)
    });
    let report = tape.report();
    assert_eq!((report.entries, report.leases, report.leased_bytes), (13, 3, 800));
    let names: Vec<_> = report.lines.iter().map(|it| (it.op, it.entries, it.leases)).collect();
    let expected = [("watch", 1, 0), ("sum", 1, 0), ("square", 3, 3), ("sum", 3, 0), ("add", 3, 0)];
    assert_eq!(names[..5], expected);
    assert_eq!(report.lines.iter().map(|it| it.entries).sum::<usize>(), 13);
    assert!(report.lines.iter().all(|it| it.line.contains("reports.rs:")));
    assert_eq!(report.copies.len(), 2);
    assert!(report.copies.iter().all(|it| it.saved_by == report.lines[2].line));
    let text = report.to_string();
    assert_eq!(text.lines().count(), 1 + 1 + report.lines.len() + 1 + 2, "{text}");
    assert!(text.contains("800 bytes leased") && text.contains("40 bytes"), "{text}");
    drop(y);
    assert_eq!(Tape::new().report().to_string(), "0 entries, 0 leases of 0 bytes");
}

#[test]
fn anomalies_name_the_operation_whose_gradient_was_first_not_finite() {
    let run = |f: fn(&Tensor) -> Result<Tensor, Error>, values: &[f64]| {
        let x = Tensor::from_vec(values.to_vec(), [values.len()]).unwrap();
        let tape = Tape::new().with_anomalies();
        tape.watch(&x).unwrap();
        let y = tape.record(|| f(&x)).unwrap();
        tape.backward(&y).map(|it| it.wrt(&x).unwrap().to_vec::<f64>().unwrap())
    };
    let line = line!() + 1;
    let f = |x: &Tensor| x.sqrt()?.mul(&x.square()?)?.sum(());
    let error = run(f, &[0.0, 1.0, 0.0]).unwrap_err();
    let GradientError::NotFinite { op, line: found, n_nan, n_infinite, .. } = reason(&error) else {
        panic!("{error}")
    };
    // 0 · ∞
    assert_eq!((*op, *n_nan + *n_infinite), ("sqrt", 2), "{error}");
    assert!(found.contains(&format!("reports.rs:{line}:")), "{error}");
    assert!(run(f, &[1.0, 4.0]).unwrap().iter().all(|it| it.is_finite()));
    // The line inside of a checkpoint.
    let error = run(
        |x| {
            let y: Tensor = checkpoint(&[x], |x| x[0].mul(2.0)?.log())?;
            y.sum(())
        },
        &[0.0],
    );
    let error = error.unwrap_err();
    assert!(matches!(reason(&error), GradientError::NotFinite { op: "log", n_infinite: 1, .. }));
    // A result that is not finite, and a seed.
    assert_eq!(
        run(|x| x.div(0.0)?.isfinite()?.astype(DType::Float64)?.add(x)?.sum(()), &[1.0]).unwrap(),
        [1.0]
    );
    let (x, tape) = (tensor![1.0, 2.0], Tape::new().with_anomalies());
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.square()).unwrap();
    let error = tape.backward_with(&y, &tensor![1.0, f64::NAN]).unwrap_err();
    assert!(matches!(reason(&error), GradientError::NotFinite { op: "seed", n_nan: 1, .. }));
    // Nothing was consumed.
    tape.backward_with(&y, &tensor![1.0, 1.0]).unwrap();
}

/// Returns the drawing without its lines of code, which move.
fn drawn(report: &Report) -> String {
    let text = report.draw().to_text(TextOptions::plain());
    let without_number = |line: &str| match line.split_once("reports.rs:") {
        Some((before, after)) => {
            let rest = after.split_once(',').map_or(String::new(), |(_, it)| format!(",{it}"));
            format!("{before}reports.rs{rest}\n")
        }
        None => format!("{line}\n"),
    };
    text.lines().map(without_number).collect()
}

#[test]
fn a_drawing_shows_what_is_saved_written_and_kept() {
    let x = Tensor::arange(0..12).unwrap().astype(DType::Float64).unwrap();
    let tape = Tape::new();
    tape.watch(&x.slice(s![..8]).unwrap()).unwrap();
    let y = tape.record(|| {
        let y = x.slice(s![..6])?.square()?.sum(())?; // saves 0 to 5
        x.slice(s![8..])?.fill(1.0)?; // keeps nothing
        for _ in 0..2 {
            x.slice(s![..;-4])?.fill(0.0)?; // 11, 7 and 3, which is kept once
        }
        Ok::<_, Error>(y)
    });
    let report = tape.report();
    let [storage] = &report.storages[..] else { panic!("{report:?}") };
    assert_eq!((storage.len, storage.dtype, storage.is_copy), (12, DType::Float64, false));
    assert_eq!((storage.watched.len(), storage.saved.len(), storage.written.len()), (1, 1, 2));
    let written: Vec<_> = storage.written.iter().map(|it| (it.count, it.n_kept)).collect();
    assert_eq!(written, [(1, 0), (2, 1)]);
    assert_eq!(storage.written[1].layout, *x.slice(s![..;-4]).unwrap().layout());
    assert_eq!(
        drawn(&report),
        "\
memory A   0   1   2   3   4   5   6   7   8   9  10  11
          12 float64

watched
reports.rs
  0   1   2   3   4   5   6   7

saved by square
reports.rs
  0   1   2   3   4   5

written by assign
reports.rs
  8   9  10  11

written by assign
reports.rs, 2 times, 1 kept
 11   7 • 3

 • kept before it was overwritten
"
    );
    drop(y);
}

#[test]
fn a_drawing_of_complex_elements_shows_their_parts() {
    let z = Tensor::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)], [2]).unwrap();
    let tape = Tape::new();
    tape.watch(&z).unwrap();
    tape.record(|| {
        z.square()?;
        z.imag()?.fill(0.0) // keeps the imaginary parts only
    })
    .unwrap();
    let report = tape.report();
    let [storage] = &report.storages[..] else { panic!("{report:?}") };
    assert_eq!((storage.len, storage.written[0].n_kept), (4, 2));
    let text = drawn(&report);
    assert!(text.contains("\nsaved by square\nreports.rs\n 0  1\n 2  3\n"), "{text}");
    assert!(text.contains("2 kept\n•1 •3\n"), "{text}");
}

#[test]
fn drawings_of_many_and_large_tensors_are_bounded() {
    let tape = Tape::new();
    let large = Tensor::zeros([1000, 2000], DType::Float64).unwrap();
    tape.watch(&large).unwrap();
    tape.record(|| {
        for i in 0..200 {
            large.slice(s![i])?.square()?;
        }
        large.slice(s![..;3, ..;2])?.fill(1.0)?;
        for _ in 0..60 {
            large.slice(s![0])?.exp()?.square()?;
        }
        Ok::<_, Error>(())
    })
    .unwrap();
    let report = tape.report();
    assert_eq!(report.storages[0].saved.len(), 201);
    assert_eq!(report.storages[0].written[0].n_kept, 67_000);
    assert_eq!(report.storages.len(), 61);
    let album = report.draw();
    let text = album.to_text(TextOptions::plain());
    assert!(text.len() < 300_000, "{}", text.len());
    assert!(text.contains("195 more regions are not drawn"), "{text}");
    assert!(text.ends_with("…\n   21 more are not drawn\n"), "{text}");
    let svg = album.to_svg();
    assert!(svg.len() < 3_000_000 && svg.contains("class=\"dot\""), "{}", svg.len());
    assert_eq!(album.to_html().matches("<figure").count(), 41);
}

#[test]
fn a_copy_of_memory_that_others_write_is_drawn_as_one() {
    let shared = Tensor::from_vec(vec![1.0, 2.0], [2]).unwrap();
    let x = tensor![3.0, 4.0];
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    shared.storage().note_export();
    tape.record(|| x.mul(&shared)).unwrap();
    let text = drawn(&tape.report());
    assert!(text.contains("memory B (new)  0  1\n"), "{text}");
    assert!(text.contains("\ncopied by mul\nreports.rs\n 0  1\n"), "{text}");
    assert_eq!(tape.report().copied_bytes, 16);
}

//! Reports and anomalies.

use crate::reason;
use belvedere::prelude::*;
use belvedere_grad::{GradientError, Tape, checkpoint};

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

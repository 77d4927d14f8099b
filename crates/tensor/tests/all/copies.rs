//! Every copy is an event with a reason, a size and a location in the caller's code. A scope that forbids
//! copies refuses implicit ones, and belongs to its thread.

use belvedere::copies::{Allowed, CopyEvent, CopyReason, Forbidden, Recording};
use belvedere::trace::CallSite;
use belvedere::*;
use std::sync::Mutex;

/// Returns a transposed 3 × 4 matrix: 48 bytes that are not contiguous.
fn turned() -> Tensor {
    Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap().t().unwrap()
}

type Work = fn(&Tensor) -> Result<(), Error>;

/// An operation and its copy: the reason and the number of bytes.
type Row = (&'static str, Work, Option<(CopyReason, usize)>);

/// Printing reads the elements where they are.
fn shown(x: &Tensor) -> Result<(), Error> {
    assert!(!x.to_string().is_empty());
    Ok(())
}

/// Operations that copy, with the reason and the number of bytes.
fn table() -> Vec<Row> {
    use CopyReason::*;
    vec![
        ("copy", |x| x.copy().map(drop), Some((Requested, 48))),
        ("astype", |x| x.astype(DType::Float64).map(drop), Some((Requested, 96))),
        ("astype", |x| x.astype(DType::Int32).map(drop), None),
        ("to_vec", |x| x.to_vec::<i32>().map(drop), Some((Requested, 48))),
        ("reshape", |x| x.reshape([12]).map(drop), Some((NoView, 48))),
        ("reshape", |x| x.reshape([2, 2, 3]).map(drop), None),
        ("flatten", |x| x.flatten(0, -1).map(drop), Some((NoView, 48))),
        ("flatten", |x| x.flatten(0, 0).map(drop), None),
        ("rearrange", |x| x.rearrange("a b -> (a b)", &[]).map(drop), Some((NoView, 48))),
        ("rearrange", |x| x.rearrange("a b -> (b a)", &[]).map(drop), None),
        ("contiguous", |x| x.contiguous().map(drop), Some((NotContiguous, 48))),
        ("contiguous", |x| x.t()?.contiguous().map(drop), None),
        ("assign", |x| x.slice(s![..3])?.copy_from(&x.slice(s![..3])?.t()?), Some((Overlap, 36))),
        ("add", |x| x.add_assign(&x.flip(&[0])?), Some((Overlap, 48))),
        ("add", |x| x.add_assign(x), None),
        ("add", |x| x.slice(s![1..])?.add_assign(&x.slice(s![..-1])?), None),
        ("mul", |x| x.scale(2), None),
        ("mul", |x| x.mul(x).map(drop), None),
        ("add of other types", |x| x.add(0.5).map(drop), None),
        ("less", |x| x.less(&x.flip(&[1])?).map(drop), None),
        ("item", |x| x.slice(s![0, 0])?.item::<i32>().map(drop), None),
        ("get", |x| x.get::<i32>(&[1, 1]).map(drop), None),
        ("set", |x| x.set(&[1, 1], 3), None),
        ("fill", |x| x.fill(3), None),
        ("read", |x| x.read::<i32>().map(drop), None),
        ("show", shown, None),
        ("from_vec", |_| Tensor::from_vec(vec![1, 2], [2]).map(drop), None),
    ]
}

#[test]
fn each_operation_reports_its_copies() {
    for (op, work, expected) in table() {
        let x = turned();
        let (outcome, log) = copies::record(|| work(&x));
        outcome.unwrap();
        let found: Vec<(CopyReason, usize)> = log.iter().map(|it| (it.reason, it.bytes)).collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{op}");
        if expected.is_some() {
            assert_eq!(log[0].op, op);
            assert!(log[0].from.rank() == 2 && !log[0].from.is_contiguous(), "{op}");
        }
    }
}

#[test]
fn implicit_copies_are_refused_where_copies_are_forbidden() {
    for (op, work, copy) in table() {
        let x = turned();
        let before = x.to_vec::<i32>().unwrap();
        match (copies::forbid(|| work(&x)), copy) {
            (Ok(()), None | Some((CopyReason::Requested, _))) => {}
            (Err(error), Some((reason, bytes))) if reason != CopyReason::Requested => {
                let text = format!(
                    "{op} would copy {bytes} bytes here, where copies are forbidden: {reason}"
                );
                assert_eq!((error.to_string(), error.kind()), (text, ErrorKind::Copy));
                assert_eq!(x.to_vec::<i32>().unwrap(), before);
            }
            (outcome, _) => panic!("{op}: {outcome:?}"),
        }
    }
}

#[test]
fn event_location_is_the_calling_line() {
    let x = turned();
    let line = line!();
    let (_, log) = copies::record(|| {
        x.copy().unwrap();
        x.reshape([12]).unwrap();
        x.flatten(0, 1).unwrap();
        x.rearrange("a b -> (a b)", &[]).unwrap();
        x.contiguous().unwrap();
        x.astype(DType::Int8).unwrap();
        x.to_vec::<i32>().unwrap();
        x.add_assign(&x.flip(&[0]).unwrap()).unwrap();
        add_into(&x.flip(&[0]).unwrap(), 1, &x).unwrap();
        x.assign(s![..2], &x.slice(s![1..;-1]).unwrap()).unwrap();
        x.copy_from(&x.flip(&[0]).unwrap()).unwrap();
        assign_into(&x.flip(&[0]).unwrap(), &x).unwrap();
        relu_into(
            &x.astype(DType::Int32).unwrap(),
            &Tensor::zeros([4, 3], DType::Float64).unwrap(),
        )
        .unwrap();
    });
    let places: Vec<(bool, u32)> = log
        .iter()
        .map(|event| (event.caller.file().ends_with("copies.rs"), event.caller.line() - line - 1))
        .collect();
    let expected: Vec<(bool, u32)> = (1..=12).map(|line| (true, line)).collect();
    assert_eq!(places, expected);
}

#[test]
fn event_display_is_a_sentence() {
    let (_, log) = copies::record(|| turned().reshape([12]).unwrap());
    let text = log[0].to_string();
    let (place, rest) = text.split_once(": ").unwrap();
    assert!(place.contains("copies.rs:"), "{text}");
    assert_eq!(rest, "reshape copied 48 bytes: the new shape has no strided view");
    let reasons = [
        (CopyReason::Requested, "it was requested"),
        (CopyReason::NotContiguous, "the elements are not contiguous"),
        (CopyReason::Overlap, "the source shares elements with the output"),
        (CopyReason::Cast, "the operand has another dtype"),
        (CopyReason::Unaligned, "the memory is unaligned or has the other byte order"),
    ];
    for (reason, text) in reasons {
        assert_eq!(reason.to_string(), text);
    }
}

fn n_events(log: &[CopyEvent]) -> usize {
    log.len()
}

#[test]
fn scopes_nest() {
    let x = turned();
    let ((inner, _), outer) = copies::record(|| {
        x.copy().unwrap();
        let (_, inner) = copies::record(|| x.contiguous().unwrap());
        x.copy().unwrap();
        (inner, x.reshape([12]).unwrap())
    });
    assert_eq!((n_events(&inner), n_events(&outer)), (1, 4), "the outer one hears everything");
    copies::forbid(|| {
        assert!(x.contiguous().is_err());
        copies::allow(|| {
            assert!(x.contiguous().is_ok());
            copies::forbid(|| assert!(x.contiguous().is_err()));
            assert!(x.contiguous().is_ok());
        });
        let (outcome, log) = copies::record(|| x.contiguous());
        assert!(outcome.is_err() && log.is_empty(), "a recording does not allow anything");
        assert!(x.contiguous().is_err());
    });
    assert!(x.contiguous().is_ok());
}

#[test]
fn a_scope_ends_with_a_panic() {
    let x = turned();
    let x = std::panic::AssertUnwindSafe(&x);
    let unwound = std::panic::catch_unwind(|| {
        copies::forbid(|| {
            copies::record(|| {
                assert!(x.contiguous().is_err());
                std::panic::resume_unwind(Box::new(()));
            })
        })
    });
    assert!(unwound.is_err());
    assert!(x.contiguous().is_ok());
    let (_, log) = copies::record(|| x.contiguous().unwrap());
    assert_eq!(log.len(), 1);
}

#[test]
fn a_scope_belongs_to_its_thread() {
    let x = turned();
    let (_, log) = copies::record(|| {
        copies::forbid(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    assert!(x.contiguous().is_ok(), "nothing is forbidden here");
                    let (_, log) = copies::record(|| x.contiguous().unwrap());
                    assert_eq!(log.len(), 1);
                });
            });
            assert!(x.contiguous().is_err());
        });
    });
    assert!(log.is_empty(), "what others copy is not heard here");
}

#[test]
fn copies_on_worker_threads_are_attributed_to_the_caller() {
    let x = Tensor::zeros([500, 600], DType::Float32).unwrap().t().unwrap();
    let (_, log) = copies::record(|| with_num_threads(4, || x.copy().unwrap()));
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].bytes, 500 * 600 * 4);
}

#[test]
fn owned_scopes_end_in_any_order() {
    let x = turned();
    let (first, second) = (Recording::start(), Recording::start());
    x.copy().unwrap();
    first.end();
    first.end();
    x.contiguous().unwrap();
    assert_eq!((first.events().len(), second.events().len()), (1, 2));
    let forbidden = Forbidden::start();
    let allowed = Allowed::start();
    assert!(x.contiguous().is_ok());
    forbidden.end();
    let again = Forbidden::start();
    drop(allowed);
    assert!(x.contiguous().is_err());
    assert_eq!(second.finish().len(), 3);
    assert!(x.contiguous().is_err());
    drop((again, forbidden));
    assert!(x.contiguous().is_ok());
    assert_eq!(first.finish().len(), 1);
    let allowed = Allowed::start();
    let forbidden = Forbidden::start();
    assert!(x.contiguous().is_err(), "what is forbidden later is forbidden");
    allowed.end();
    assert!(x.contiguous().is_err());
    drop(forbidden);
    assert!(x.contiguous().is_ok());
}

#[test]
fn owned_scopes_end_on_any_thread() {
    let x = turned();
    let (log, forbidden) = (Recording::start(), Forbidden::start());
    std::thread::scope(|scope| {
        let handle = scope.spawn(|| {
            x.copy().unwrap();
            assert!(x.contiguous().is_ok(), "it was started elsewhere");
            forbidden.end();
            Recording::start()
        });
        let others = handle.join().unwrap();
        x.copy().unwrap();
        assert!(others.finish().is_empty(), "its thread has ended");
    });
    assert!(x.contiguous().is_ok());
    let log = std::thread::scope(|scope| scope.spawn(|| log.finish()).join().unwrap());
    assert_eq!(log.iter().map(|it| it.op).collect::<Vec<_>>(), ["copy", "contiguous"]);
    // Not forgotten but stored: LeakSanitizer does not report what a static holds.
    static NEVER_ENDED: Mutex<Option<Recording>> = Mutex::new(None);
    *NEVER_ENDED.lock().unwrap() = Some(Recording::start());
    let (_, log) = copies::record(|| x.copy().unwrap());
    assert_eq!(log.len(), 1, "a scope that never ends does not affect others");
}

/// The state of an interpreter on one of its threads.
#[derive(Default)]
struct Interpreter {
    line: Option<u32>,
    n_asked: usize,
    /// A tensor that is written when the caller is requested.
    touched: Option<Tensor>,
}

thread_local! {
    static INTERPRETER: std::cell::RefCell<Interpreter> = std::cell::RefCell::default();
}

/// Installs the interpreter as the source of caller locations, whichever test runs first.
fn ask_the_interpreter() {
    belvedere::trace::locate_callers(|| {
        INTERPRETER.with_borrow_mut(|it| {
            it.n_asked += 1;
            if let Some(tensor) = &it.touched {
                without_waiting(|| tensor.set(&[0, 0], 100)).expect("nothing is borrowed");
            }
            it.line.map(|line| CallSite {
                file: "model.py".into(),
                line,
                columns: None,
                end_line: line,
            })
        })
    });
    assert!(!belvedere::trace::locate_callers(|| None), "the first one stays");
}

#[test]
fn bindings_can_supply_the_caller_location() {
    ask_the_interpreter();
    let x = turned();
    x.copy().unwrap();
    assert!(copies::forbid(|| x.contiguous()).is_err());
    INTERPRETER.with_borrow(|it| assert_eq!(it.n_asked, 0, "nothing was recorded"));

    let (_, log) = copies::record(|| {
        copies::record(|| x.copy().unwrap());
        INTERPRETER.with_borrow_mut(|it| it.line = Some(7));
        x.copy().unwrap();
    });
    INTERPRETER.with_borrow(|it| assert_eq!(it.n_asked, 2, "once for each copy"));
    let place = CallSite { file: "model.py".into(), line: 7, columns: None, end_line: 7 };
    assert_eq!((&log[0].call_site, &log[1].call_site), (&None, &Some(place)));
    assert!(log[0].to_string().contains("copies.rs:"));
    assert_eq!(log[1].to_string(), "model.py:7: copy copied 48 bytes: it was requested");
    assert!(log[1].caller.file().ends_with("copies.rs"));
}

#[test]
fn caller_location_is_requested_once_for_each_operation() {
    ask_the_interpreter();
    let n_asked = |work: &dyn Fn(&Tensor) -> Result<(), Error>, n: usize| {
        let x = Tensor::zeros([n, n], DType::Float64).unwrap();
        INTERPRETER.with_borrow_mut(|it| it.n_asked = 0);
        let (result, trace) = trace::record(|| work(&x));
        result.unwrap();
        assert_eq!(trace.events().len(), 1, "{trace}");
        INTERPRETER.with_borrow(|it| it.n_asked)
    };
    // The first is small, and the second has a plan.
    for n in [3, 300] {
        assert_eq!(n_asked(&|x| x.add(x).map(drop), n), 1, "add {n}");
        assert_eq!(n_asked(&|x| x.add_assign(1), n), 1, "add_assign {n}");
        assert_eq!(n_asked(&|x| x.fill(1), n), 1, "fill {n}");
        assert_eq!(n_asked(&|x| x.copy().map(drop), n), 1, "copy {n}");
        assert_eq!(n_asked(&|x| x.sum(()).map(drop), n), 1, "sum {n}");
        assert_eq!(n_asked(&|x| x.matmul(x).map(drop), n), 1, "matmul {n}");
    }
}

#[test]
fn caller_location_is_requested_without_a_borrow() {
    ask_the_interpreter();
    let (_, log) = copies::record(|| {
        for (_, work, copy) in table() {
            let x = turned();
            INTERPRETER.with_borrow_mut(|it| it.touched = Some(x.clone()));
            work(&x).unwrap();
            if copy.is_some() {
                assert_eq!(x.get::<i32>(&[0, 0]).unwrap() / 100, 1);
            }
        }
        let x = turned();
        INTERPRETER.with_borrow_mut(|it| it.touched = Some(x.clone()));
        let parts = [x.slice(s![2..]).unwrap(), x.slice(s![..2]).unwrap()];
        concat_into(&parts, 0, &x).unwrap();
        take_into(&x, &tensor![3i64, 2, 1, 0], 0, &x).unwrap();
    });
    assert_eq!(log.len(), 12, "{log:?}");
}

#[test]
fn only_the_callers_of_copies_are_located() {
    ask_the_interpreter();
    let n_asked = |work: &dyn Fn(&Tensor) -> Result<(), Error>| {
        let x = turned();
        INTERPRETER.with_borrow_mut(|it| (it.n_asked, it.line) = (0, Some(7)));
        let (result, log) = copies::record(|| work(&x));
        result.unwrap();
        assert!(log.iter().all(|it| it.call_site.as_ref().is_some_and(|it| it.line == 7)));
        (log.len(), INTERPRETER.with_borrow(|it| it.n_asked))
    };
    assert_eq!(n_asked(&|x| x.add(x).map(drop)), (0, 0));
    assert_eq!(n_asked(&|x| x.t()?.mean(()).map(drop)), (0, 0));
    assert_eq!(n_asked(&|x| x.add_assign(1)), (0, 0));
    assert_eq!(n_asked(&|x| x.astype(DType::Int32)?.get::<i32>(&[0, 0]).map(drop)), (0, 0));
    assert_eq!(n_asked(&|x| x.copy().map(drop)), (1, 1));
    assert_eq!(n_asked(&|x| x.reshape([12])?.add(1).map(drop)), (1, 1));
    // The operand overlaps the output, which is found out by the operation.
    assert_eq!(n_asked(&|x| x.add_assign(&x.flip(&[0])?)), (1, 1));
    // The operand is copied since it is read repeatedly.
    let reused = |_: &Tensor| {
        let row = Tensor::zeros([100], DType::Float16)?;
        Tensor::zeros([300, 100], DType::Float32)?.add(&row).map(drop)
    };
    assert_eq!(n_asked(&reused), (1, 1));
    // A part of a composite operation.
    let joined = |x: &Tensor| concat_into(&[x.slice(s![2..])?, x.slice(s![..2])?], 0, x);
    let (n_copies, n) = n_asked(&joined);
    assert!(n_copies > 0 && n == 1, "{n_copies} copies by one operation, {n} callers");
}

#[test]
fn a_trace_and_a_recording_of_copies_have_the_same_copies() {
    for (op, work, _) in table() {
        let x = turned();
        let ((outcome, log), trace) = trace::record(|| copies::record(|| work(&x)));
        outcome.unwrap();
        let of_trace: Vec<_> = trace.events().iter().filter(|it| it.bytes_copied() > 0).collect();
        assert_eq!(log.len(), of_trace.len(), "{op}");
        for (copy, event) in log.iter().zip(of_trace) {
            assert_eq!((copy.op, copy.bytes), (event.op, event.bytes_copied()));
            assert_eq!(copy.to_string(), event.to_string());
        }
    }
}

//! A broadcast operand with unfavourable strides is copied first where that saves time: the result is bitwise
//! equal, the copy is an event, and where copies are forbidden the operand is read in place.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::copies::{CopyEvent, CopyReason};
use belvedere::prelude::*;
use belvedere::{Layout, Operand, add_into, copies, lazy, with_num_threads};

fn numbers(shape: &[usize]) -> Tensor {
    let len: usize = shape.iter().product();
    Tensor::from_vec((0..len).map(|i| (i * 7 % 101) as f32 - 50.0).collect(), shape).unwrap()
}

/// Returns many rows, and half-precision numbers broadcast to them, which would be cast again for every row.
fn rows_and_halves() -> (Tensor, Tensor) {
    (numbers(&[300, 100]), numbers(&[100]).astype(DType::Float16).unwrap())
}

fn reused(log: &[CopyEvent]) -> Vec<(&'static str, usize)> {
    let found = log.iter().filter(|it| it.reason == CopyReason::Reused);
    found.map(|it| (it.op, it.bytes)).collect()
}

/// Compares the sum, and the sum in place, with the result without copies. Returns the number of copied
/// operands.
fn compare<A: TestElement, B: TestElement, R: TestElement>(
    a: &Layout,
    b: &Layout,
    seed: usize,
) -> usize {
    let (a, b) = (GuardedTensor::<A>::new(a, seed), GuardedTensor::<B>::new(b, seed + 3));
    let (sum, log) = copies::record(|| a.tensor.add(&b.tensor));
    let sum = sum.unwrap();
    let walked = copies::forbid(|| a.tensor.add(&b.tensor)).unwrap();
    assert_eq!((sum.dtype(), sum.layout()), (walked.dtype(), walked.layout()));
    let values = |x: &Tensor| x.to_vec::<R>().unwrap();
    assert_same(&values(&sum), &values(&walked), (a.layout(), b.layout()));
    let out = Tensor::zeros(&*sum.shape(), R::DTYPE).unwrap().flip(&[0]).unwrap();
    add_into(&b.tensor, &a.tensor, &out).unwrap();
    let other = copies::forbid(|| b.tensor.add(&a.tensor)).unwrap();
    assert_same(&values(&out), &values(&other), (a.layout(), b.layout()));
    a.assert_unchanged("the left operand");
    b.assert_unchanged("the right operand");
    assert!(log.iter().all(|it| it.reason == CopyReason::Reused && it.op == "add"));
    reused(&log).len()
}

#[test]
fn copying_an_operand_does_not_change_the_result() {
    let mut rng = TestRng::new(11);
    let (mut n_copied, mut n_walked) = (0, 0);
    for round in 0..zoo::rounds(40) {
        let shape = *rng.pick(&[&[5, 40, 90][..], &[170, 100], &[20, 900], &[8, 9, 16, 17]]);
        let below = rng.broadcastable_shape(shape);
        let a = rng.random_layout(shape, Freedom::Injective);
        let b = rng.random_layout(&below, Freedom::Any);
        let n = match round % 5 {
            0 => compare::<f32, f32, f32>(&a, &b, round),
            1 => compare::<f32, f16, f32>(&a, &b, round),
            2 => compare::<f64, i32, f64>(&a, &b, round),
            3 => compare::<i64, u8, i64>(&a, &b, round),
            _ => compare::<Complex<f32>, f32, Complex<f32>>(&a, &b, round),
        };
        n_copied += n;
        n_walked += usize::from(n == 0);
    }
    assert!(n_copied > 0 && n_walked > 0, "{n_copied} copied, {n_walked} not");
}

#[test]
fn copy_event_has_the_calling_line() {
    let (a, b) = rows_and_halves();
    let out = numbers(&[300, 100]);
    // Lazy expressions cast as one of their steps: for them only the strides count.
    let apart = numbers(&[700]).slice(s![..;7]).unwrap();
    let line = line!();
    let (_, log) = copies::record(|| {
        a.add(&b).unwrap();
        let _ = &a + &b;
        Operand::from(&b).maximum(&a).unwrap();
        add_into(&a, &b, &out).unwrap();
        out.mul_assign(&b).unwrap();
        where_(&a.less(0).unwrap(), &a, &b).unwrap();
        (lazy(&a) * &apart + 1).eval().unwrap();
        (lazy(&a) - &apart).eval_into(&out).unwrap();
        a.less(&b).unwrap();
    });
    let found: Vec<_> = log.iter().map(|it| (it.op, it.caller.line() - line - 1)).collect();
    let ops = ["add", "add", "maximum", "add", "mul", "where", "eval", "eval_into", "less"];
    let expected: Vec<(&str, u32)> = ops.into_iter().zip(1..).collect();
    assert_eq!(found, expected);
    for event in &log {
        assert!(event.caller.file().ends_with("operand_copies.rs"), "{event}");
        assert_eq!((event.reason, event.bytes), (CopyReason::Reused, 400), "{event}");
        assert_eq!(event.from.len(), 100, "only distinct elements are copied");
    }
    let text =
        "copied 400 bytes: the operand is read repeatedly and would be packed or cast each time";
    assert!(log[0].to_string().ends_with(text), "{}", log[0]);
}

#[test]
fn operand_is_not_copied_where_copies_are_forbidden() {
    let (a, b) = rows_and_halves();
    let (sum, log) = copies::record(|| copies::forbid(|| a.add(&b)));
    assert_eq!(reused(&log), []);
    assert_eq!(sum.unwrap().to_vec::<f32>().unwrap(), a.add(&b).unwrap().to_vec::<f32>().unwrap());
    let (_, log) = copies::record(|| copies::forbid(|| copies::allow(|| a.add(&b).unwrap())));
    assert_eq!(reused(&log), [("add", 400)]);
}

#[test]
fn explicitly_broadcast_operand_is_copied_once() {
    let (a, b) = rows_and_halves();
    let (sum, log) = copies::record(|| a.add(&b.broadcast_to([300, 100])?));
    assert_eq!(reused(&log), [("add", 400)]);
    assert_eq!(sum.unwrap().to_vec::<f32>().unwrap(), a.add(&b).unwrap().to_vec::<f32>().unwrap());
}

#[test]
fn operands_read_once_are_never_copied() {
    let half = |x: &Tensor| x.astype(DType::Float16).unwrap();
    let square = numbers(&[256, 256]);
    let few = numbers(&[30, 100]);
    let cases: [(&str, Tensor, Tensor); 7] = [
        ("each element once, across", square.clone(), square.t().unwrap()),
        ("each element once, converted", square.clone(), half(&square)),
        ("both across", square.t().unwrap(), square.t().unwrap()),
        ("a row", numbers(&[300, 100]), numbers(&[100])),
        ("a column", numbers(&[300, 100]), numbers(&[300, 1])),
        ("short rows", numbers(&[9000, 3]), numbers(&[3])),
        ("few elements", few, half(&numbers(&[100]))),
    ];
    for (case, a, b) in cases {
        let (sum, log) = copies::record(|| a.add(&b));
        assert_eq!(reused(&log), [], "{case}");
        assert_eq!(sum.unwrap().shape(), a.shape());
    }
}

#[test]
fn an_operand_that_shares_elements_with_the_output_is_copied_once() {
    let x = numbers(&[300, 100]);
    let row = x.slice(s![7, ..;-1]).unwrap();
    let before = (x.to_vec::<f32>().unwrap(), row.to_vec::<f32>().unwrap());
    let (done, log) = copies::record(|| x.add_assign(&row));
    done.unwrap();
    let reasons: Vec<CopyReason> = log.iter().map(|it| it.reason).collect();
    assert_eq!(reasons, [CopyReason::Overlap]);
    let expected: Vec<f32> =
        before.0.iter().enumerate().map(|(i, x)| x + before.1[i % 100]).collect();
    assert_eq!(x.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn the_choice_and_the_result_do_not_depend_on_the_number_of_threads() {
    let (a, b) = (numbers(&[40, 64, 64]), numbers(&[64, 64]).t().unwrap());
    let on = |n: usize| with_num_threads(n, || copies::record(|| a.add(&b).unwrap()));
    let ((one, log), (four, other)) = (on(1), on(4));
    assert_eq!(reused(&log), reused(&other));
    assert_eq!(one.to_vec::<f32>().unwrap(), four.to_vec::<f32>().unwrap());
}

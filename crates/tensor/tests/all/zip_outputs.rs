//! Closures with two to four outputs match a loop over the elements, for any layouts, broadcasts, dtypes, overlaps and
//! threads. Outputs that overlap each other are refused; while the closure runs all of them are borrowed, and a panic
//! releases them.

use crate::aliasing::too_hard;
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::copies::{self, CopyReason};
use belvedere::prelude::*;
use belvedere::{Device, Value, broadcast_shapes, trace, with_device, with_num_threads};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Four results of different types that depend on a number.
fn results(number: i64) -> (i64, f32, bool, i16) {
    (number, number as f32 * 0.5, number % 3 == 0, (number % 1000) as i16 - 7)
}

/// Returns the initial elements of a tensor as integers, broadcast to a shape.
fn integers<T: TestElement>(x: &GuardedTensor<T>, shape: &[usize]) -> Vec<i64> {
    x.values_as(shape).into_iter().map(|it| it.cast::<i64>()).collect()
}

/// Checks a closure of some operands, which weights its parameters by 1, 10, 100 …, with two, three and four outputs.
macro_rules! check_outputs {
    ($rng:expr, $case:expr, $($x:ident: $type:ty),+) => {{
        let case = format!("{} operands, {}", [$(stringify!($x)),+].len(), $case);
        let shapes = [$($x.tensor.shape()),+];
        let shape = broadcast_shapes(&shapes.each_ref().map(|it| &it[..])).unwrap();
        let lists = [$(integers(&$x, &shape)),+];
        let len = lists[0].len();
        let number = |i: usize| lists.iter().rev().fold(0, |sum, list| 10 * sum + list[i]);
        let expected: Vec<_> = (0..len).map(|i| results(number(i))).collect();
        let number = |$($x: $type),+| {
            let digits = [$($x.into_element().cast::<i64>()),+];
            digits.iter().rev().fold(0, |sum, digit| 10 * sum + digit)
        };
        let layouts: [Layout; 4] =
            std::array::from_fn(|_| $rng.random_layout(&shape, Freedom::Injective));
        for n_outputs in 2..=4 {
            let first = GuardedTensor::<i64>::new(&layouts[0], 3);
            let second = GuardedTensor::<f32>::new(&layouts[1], 4);
            let third = GuardedTensor::<Bool>::new(&layouts[2], 5);
            let fourth = GuardedTensor::<i16>::new(&layouts[3], 6);
            let (p, q, r, s) = (&first.tensor, &second.tensor, &third.tensor, &fourth.tensor);
            let zipped = zip(($(&$x.tensor,)+));
            match n_outputs {
                2 => zipped.map_into((q, p), |$($x: $type),+| {
                    let (first, second, ..) = results(number($($x),+));
                    (second, first)
                }),
                3 => zipped.map_into((p, q, r), |$($x: $type),+| {
                    let (first, second, third, _) = results(number($($x),+));
                    (first, second, third)
                }),
                _ => zipped.map_into((p, q, r, s), |$($x: $type),+| results(number($($x),+))),
            }
            .unwrap();
            first.assert_elements(&expected.iter().map(|it| it.0).collect::<Vec<_>>(), &case);
            second.assert_elements(&expected.iter().map(|it| it.1).collect::<Vec<_>>(), &case);
            if n_outputs >= 3 {
                let expected = expected.iter().map(|it| Bool::from(it.2));
                third.assert_elements(&expected.collect::<Vec<_>>(), &case);
            }
            if n_outputs == 4 {
                fourth.assert_elements(&expected.iter().map(|it| it.3).collect::<Vec<_>>(), &case);
            }
        }
        $($x.assert_unchanged(&case);)+
    }};
}

/// Checks closures of one to six operands of different dtypes.
fn check_arities(rng: &mut TestRng, layouts: &[Layout; 6]) {
    let case = format!("{layouts:?}");
    let a = GuardedTensor::<f32>::small_integers(&layouts[0], 1);
    let b = GuardedTensor::<i32>::small_integers(&layouts[1], 2);
    let c = GuardedTensor::<u8>::small_integers(&layouts[2], 3);
    let d = GuardedTensor::<f64>::small_integers(&layouts[3], 4);
    let e = GuardedTensor::<i16>::small_integers(&layouts[4], 5);
    let g = GuardedTensor::<Bool>::small_integers(&layouts[5], 6);
    check_outputs!(rng, case, a: f32);
    check_outputs!(rng, case, a: f32, b: i32);
    check_outputs!(rng, case, a: f32, b: i32, c: u8);
    check_outputs!(rng, case, a: f32, b: i32, c: u8, d: f64);
    check_outputs!(rng, case, a: f32, b: i32, c: u8, d: f64, e: i16);
    check_outputs!(rng, case, a: f32, b: i32, c: u8, d: f64, e: i16, g: bool);
}

#[test]
fn several_outputs_match_the_model_for_every_layout() {
    let mut rng = TestRng::new(21);
    for layout in zoo::layouts() {
        let shape = layout.shape().to_vec();
        for round in 0..zoo::rounds(4) {
            let mut layouts = std::array::from_fn(|_| {
                let below = rng.broadcastable_shape(&shape);
                rng.random_layout(&below, Freedom::Any)
            });
            layouts[round % 6] = layout.clone();
            check_arities(&mut rng, &layouts);
        }
    }
}

#[test]
fn large_outputs_match_the_model_for_any_number_of_threads() {
    let mut rng = TestRng::new(22);
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    for n in [1, 2] {
        with_num_threads(n, || {
            for shape in [vec![410, 333], vec![97, 5, 301], vec![70_001]] {
                let mut layouts = std::array::from_fn(|_| {
                    let below = rng.broadcastable_shape(&shape);
                    rng.random_layout(&below, Freedom::Injective)
                });
                layouts[1] = row(&shape);
                check_arities(&mut rng, &layouts);
            }
            let transposed = row(&[1100, 300]).t().unwrap();
            let stepped = row(&[300, 2200]).step(1, 2).unwrap();
            let (plain, flipped) = (row(&[300, 1100]), row(&[300, 1100]).flip(&[0, 1]).unwrap());
            let (tall, wide) = (row(&[300, 1]), row(&[1100]));
            check_arities(&mut rng, &[transposed, plain, stepped, flipped, tall, wide]);
        });
    }
}

#[test]
fn outputs_may_be_operands() {
    let rotate = |a: f32, b: f32, c: f32| (b, c, a);
    for n in [1, 2] {
        with_num_threads(n, || {
            for (rows, cols) in [(1, 1), (1, 7), (3, 65), (40, 1), (40, 300), (300, 301)] {
                let shape = [rows, cols];
                let row = Layout::row_major(&shape).unwrap();
                let wide = Layout::row_major(&[rows, 2 * cols]).unwrap().step(1, 2).unwrap();
                let layouts = [
                    row.clone(),
                    Layout::col_major(&shape).unwrap(),
                    wide.flip(&[0]).unwrap(),
                    row.flip(&[0, 1]).unwrap(),
                ];
                for k in 0..layouts.len() {
                    // The same layout three times, or three different ones.
                    for step in [0, 1] {
                        let [a, b, c] = [0, 1, 2].map(|n| {
                            let layout = &layouts[(k + n * step) % layouts.len()];
                            GuardedTensor::<f32>::small_integers(layout, n)
                        });
                        let (x, y, z) = (&a.tensor, &b.tensor, &c.tensor);
                        let case = (shape, k, step, n);
                        copies::forbid(|| zip((x, y, z)).map_into((x, y, z), rotate)).unwrap();
                        a.assert_elements(&b.values(), case);
                        b.assert_elements(&c.values(), case);
                        c.assert_elements(&a.values(), case);
                        // In another order, twice among the operands, and with a number.
                        let mixed = |a: f32, b: f32, again: f32, n: f32| (a - b, again * n);
                        copies::forbid(|| zip((z, x, z, 2.0)).map_into((x, z), mixed)).unwrap();
                        let pairs = b.values().into_iter().zip(a.values());
                        let (first, second): (Vec<_>, Vec<_>) =
                            pairs.map(|(x, z)| (z - x, z * 2.0)).unzip();
                        a.assert_elements(&first, case);
                        c.assert_elements(&second, case);
                    }
                }
            }
        });
    }
}

#[test]
fn operands_that_overlap_an_output_are_read_first() {
    type Pick = fn(&Tensor, usize, usize) -> Tensor;
    let part: Pick = |x, i, k| x.slice(s![i..i + 5, k..k + 5]).unwrap();
    let turned: Pick = |x, i, k| x.slice(s![i..i + 5, k..k + 5]).unwrap().t().unwrap();
    // The outputs are at (2, 2) and (2, 9), and the second one may be transposed. Two operands with their positions,
    // and the number of copies.
    type Case = (&'static str, Pick, [(Pick, usize, usize); 2], usize);
    let cases: [Case; 11] = [
        ("same", part, [(part, 2, 2), (part, 2, 9)], 0),
        ("crossed", part, [(part, 2, 9), (part, 2, 2)], 0),
        ("disjoint", part, [(part, 8, 2), (part, 8, 9)], 0),
        ("shifted against the first", part, [(part, 1, 2), (part, 2, 9)], 0),
        ("shifted against the second", part, [(part, 2, 2), (part, 3, 9)], 0),
        ("shifted against both, one direction", part, [(part, 3, 2), (part, 4, 9)], 0),
        ("shifted against both, two directions", part, [(part, 3, 2), (part, 1, 9)], 1),
        ("shared with both", part, [(part, 2, 5), (part, 2, 6)], 2),
        ("transposed", part, [(turned, 2, 2), (part, 2, 9)], 1),
        ("shifted against a transposed output", turned, [(part, 2, 2), (turned, 3, 9)], 0),
        ("shifted against outputs of two orders", turned, [(part, 3, 2), (turned, 3, 9)], 1),
    ];
    let combine = |a: i64, b: i64| (3 * a - b, a + 7 * b);
    for n in [1, 2] {
        for (case, second, [a, b], n_copies) in cases {
            let x = GuardedTensor::<i64>::small_integers(&Layout::row_major(&[14, 16]).unwrap(), 0);
            let [a, b] = [a, b].map(|(pick, i, k)| pick(&x.tensor, i, k));
            let (left, right) = (a.to_vec::<i64>().unwrap(), b.to_vec::<i64>().unwrap());
            let (y, z) = (part(&x.tensor, 2, 2), second(&x.tensor, 2, 9));
            let mut expected = x.memory.clone();
            for (i, (to, also_to)) in y.layout().offsets().zip(z.layout().offsets()).enumerate() {
                (expected[to], expected[also_to]) = combine(left[i], right[i]);
            }
            let run = || with_num_threads(n, || zip((&a, &b)).map_into((&y, &z), combine));
            if n_copies > 0 {
                let refused = copies::forbid(run).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::Copy, "{case}");
                x.assert_unchanged(case);
            }
            let ((), events) = copies::record(|| run().unwrap());
            assert_eq!(events.len(), n_copies, "{case}");
            assert!(events.iter().all(|it| it.reason == CopyReason::Overlap), "{case}");
            assert_eq!(x.current_memory(), expected, "{case}");
        }
    }
}

#[test]
fn random_overlaps_are_read_first_or_refused() {
    let mut rng = TestRng::new(23);
    let (mut n_written, mut n_refused) = (0, 0);
    for round in 0..zoo::rounds(400) {
        let shape = [1 + rng.below(4), 1 + rng.below(6)];
        let memory: Vec<i32> = (0..160).map(|i| i * i % 97).collect();
        let x = Tensor::from_vec(memory.clone(), [160]).unwrap();
        let mut view = |freedom| {
            let layout = rng.random_layout(&shape, freedom);
            let room = 160 - layout.span().end.min(160);
            let start = layout.start() + rng.below(room + 1);
            let layout = Layout::new(start, layout.axes()).unwrap();
            Tensor::from_storage(x.storage().clone(), layout, DType::Int32)
        };
        let (Ok(y), Ok(z), Ok(a), Ok(b)) = (
            view(Freedom::Injective),
            view(Freedom::Injective),
            view(Freedom::Any),
            view(Freedom::Injective),
        ) else {
            continue;
        };
        let combine = |a: i32, b: i32, y: i32, z: i32| (a + 2 * b - 3 * y, y + 5 * z - a);
        let outcome = zip((&a, &b, &y, &z)).map_into((&y, &z), combine);
        let offsets: HashSet<_> = y.layout().offsets().collect();
        if z.layout().offsets().any(|it| offsets.contains(&it)) {
            let refused = outcome.unwrap_err();
            assert!(matches!(refused, Error::OutputsOverlap { outputs: (0, 1), .. }), "{refused}");
            assert_eq!(x.to_vec::<i32>().unwrap(), memory, "round {round}");
            n_refused += 1;
            continue;
        }
        outcome.unwrap();
        let mut expected = memory.clone();
        let at = |it: &Tensor| it.layout().offsets().collect::<Vec<_>>();
        let [a, b, y, z] = [&a, &b, &y, &z].map(at);
        for i in 0..y.len() {
            let [p, q, r, s] = [&a, &b, &y, &z].map(|it| memory[it[i]]);
            (expected[y[i]], expected[z[i]]) = combine(p, q, r, s);
        }
        assert_eq!(x.to_vec::<i32>().unwrap(), expected, "round {round}");
        n_written += 1;
    }
    assert!(n_written > 50 && n_refused > 50, "{n_written} written, {n_refused} refused");
}

#[test]
fn outputs_that_share_elements_are_refused() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let before = x.to_vec::<i32>().unwrap();
    let never = |_: i32| -> (i32, i32) { panic!("the outputs overlap") };
    let source = tensor![1];
    for (one, two) in [
        (x.clone(), x.clone()),
        (x.slice(s![..2]).unwrap(), x.slice(s![1..]).unwrap()),
        (x.slice(s![.., ..;2]).unwrap(), x.slice(s![.., 1..3]).unwrap()),
        (x.flip(&[0, 1]).unwrap(), x.clone()),
    ] {
        let source = source.broadcast_to(&*one.shape()).unwrap();
        let refused = zip((&source,)).map_into((&one, &two), never).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Borrow);
        assert_eq!(
            refused.to_string(),
            "outputs 0 and 1 of map share an element, or may do so: each output needs memory of its own"
        );
        let free = Tensor::zeros(&*one.shape(), DType::Int32).unwrap();
        let three = |_: i32| -> (i32, i32, i32) { panic!("the outputs overlap") };
        let refused = zip((&source,)).map_into((&one, &free, &two), three).unwrap_err();
        assert!(matches!(refused, Error::OutputsOverlap { op: "map", outputs: (0, 2) }));
    }
    assert_eq!(x.to_vec::<i32>().unwrap(), before);
    // Interleaved columns share no element.
    let (even, odd) = (x.slice(s![.., ..;2]).unwrap(), x.slice(s![.., 1..;2]).unwrap());
    zip((&even, &odd)).map_into((&even, &odd), |a: i32, b: i32| (b, a)).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10]);
}

#[test]
fn overlap_that_cannot_be_decided_counts_as_overlap() {
    let layouts = too_hard();
    let n = layouts.iter().map(|it| it.span().end).max().unwrap();
    let x = Tensor::zeros([n], DType::UInt8).unwrap();
    let [one, two] =
        layouts.map(|it| Tensor::from_storage(x.storage().clone(), it, DType::UInt8).unwrap());
    let source = one.zeros_like().unwrap();
    let refused = zip((&source,)).map_into((&one, &two), |a: u8| (a, a)).unwrap_err();
    assert!(matches!(refused, Error::OutputsOverlap { outputs: (0, 1), .. }), "{refused}");
}

#[test]
fn wrong_types_shapes_and_targets_are_refused_before_the_first_call() {
    let (x, y) = (tensor![1, 2, 3], tensor![[1.0], [2.0]]);
    let never = |_: i32, _: f64| -> (i32, f64) { panic!("an operand or an output does not fit") };
    let whole = |shape: &[usize]| Tensor::zeros(shape, DType::Int32).unwrap();
    let float = |shape: &[usize]| Tensor::zeros(shape, DType::Float64).unwrap();
    let is_type = |refused: Error, asked: DType, found: DType| {
        assert!(
            matches!(refused, Error::WrongDType { asked: a, found: f } if a == asked && f == found)
        );
    };
    let (good, fine) = (whole(&[2, 3]), float(&[2, 3]));
    is_type(
        zip((&y, &y)).map_into((&good, &fine), never).unwrap_err(),
        DType::Int32,
        DType::Float64,
    );
    is_type(
        zip((&x, &y)).map_into((&fine, &good), never).unwrap_err(),
        DType::Int32,
        DType::Float64,
    );
    is_type(
        zip((&x, &y)).map_into((&good, &whole(&[2, 3])), never).unwrap_err(),
        DType::Float64,
        DType::Int32,
    );
    for shape in [vec![1, 3], vec![2, 2, 3], vec![3, 2]] {
        for refused in [
            zip((&x, &y)).map_into((&whole(&shape), &fine), never).unwrap_err(),
            zip((&x, &y)).map_into((&good, &float(&shape)), never).unwrap_err(),
        ] {
            assert_eq!(refused.to_string(), format!("map needs shape [2, 3], got {shape:?}"));
        }
    }
    let spread = tensor![0.0].broadcast_to([2, 3]).unwrap();
    let refused = zip((&x, &y)).map_into((&good, &spread), never).unwrap_err();
    assert!(matches!(refused, Error::Overlapping { .. }), "{refused}");
    let pair = tensor![1.0, 2.0];
    let refused = zip((&x, &pair)).map_into((&good, &fine), never).unwrap_err();
    assert_eq!(refused.to_string(), x.add(&pair).unwrap_err().to_string());
}

#[test]
fn views_lenses_and_numbers_are_operands_of_several_outputs() {
    let data = [1.0_f32, 2.0, 3.0, 4.0];
    let view = View::from(&data[..]);
    let x = tensor![10.0_f32, 20.0, 30.0, 40.0];
    let lens = x.lens().pad(&[(1, 0)]).unwrap().slice(s![..4]).unwrap();
    let (mut sums, mut other) = ([0.0_f32; 4], [0.0_f32; 8]);
    // A stepped output, and one that is an operand.
    let stepped = ViewMut::from(&mut other[..]).slice(s![..;2]).unwrap();
    zip((&view, 0.5, &lens, &x))
        .map_into((ViewMut::from(&mut sums[..]), stepped, &x), |a: f32, b: f32, c: f32, d: f32| {
            (a + b + c + d, c, d - a)
        })
        .unwrap();
    // The lens sees the elements of `x`, which is an output: it is copied first.
    assert_eq!(sums, [11.5, 32.5, 53.5, 74.5]);
    assert_eq!(other, [0.0, 0.0, 10.0, 0.0, 20.0, 0.0, 30.0, 0.0]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [9.0, 18.0, 27.0, 36.0]);
}

#[test]
fn lenses_match_the_model_for_large_outputs() {
    for n in [1, 2] {
        with_num_threads(n, || {
            let x = Tensor::arange(0..90_000).unwrap().reshape([300, 300]).unwrap();
            // A reshape of a transposed matrix, and a padded one: neither has strides.
            let reshaped = x.lens().t().unwrap().reshape([900, 100]).unwrap();
            let padded = x.lens().pad(&[(300, 300), (0, 0)]).unwrap();
            let padded = padded.slice(s![.., ..100]).unwrap();
            let y = Tensor::arange(0..90_000).unwrap().reshape([100, 900]).unwrap().t().unwrap();
            let z = Tensor::zeros([900, 100], DType::Int64).unwrap();
            let model = |p: &[i32], q: &[i32], r: &[i32]| -> (Vec<i32>, Vec<i64>) {
                let at = |i: usize| (p[i] - r[i], i64::from(p[i]) * i64::from(q[i]));
                (0..p.len()).map(at).unzip()
            };
            let [p, q] = [&reshaped, &padded].map(|it| it.copy().unwrap());
            let [p, q, r] = [&p, &q, &y].map(|it| it.to_vec::<i32>().unwrap());
            let (first, second) = model(&p, &q, &r);
            let f = |p: i32, q: i32, r: i32| (p - r, i64::from(p) * i64::from(q));
            copies::forbid(|| zip((&reshaped, &padded, &y)).map_into((&y, &z), f)).unwrap();
            assert_eq!(y.to_vec::<i32>().unwrap(), first);
            assert_eq!(z.to_vec::<i64>().unwrap(), second);
        });
    }
}

#[test]
fn empty_outputs_call_nothing() {
    let (x, y) = (Tensor::zeros([0, 3], DType::Int32).unwrap(), tensor![1, 2, 3]);
    let (one, two) = (x.zeros_like().unwrap(), x.zeros_like().unwrap());
    let never = |_: i32, _: i32| -> (i32, i32) { panic!("there are no elements") };
    zip((&x, &y)).map_into((&one, &two), never).unwrap();
    // No element is shared where there is none.
    zip((&x, &y)).map_into((&one, &one), never).unwrap();
}

#[test]
fn accesses_inside_of_a_closure_read_or_fail_but_never_wait() {
    zoo::with_watchdog(|| {
        for len in [4, 200_000] {
            let [x, y, z] = [1, 0, 0].map(|value| Tensor::full([len], value).unwrap());
            let is_borrowed = |outcome: Result<(), Error>| {
                outcome.is_err_and(|error| error.kind() == ErrorKind::Borrow)
            };
            let calls = AtomicUsize::new(0);
            zip((&x, &y))
                .map_into((&y, &z.slice(s![..]).unwrap()), |a: i32, _: i32| {
                    // Once for a few elements: each call locks the table of the claims.
                    if calls.fetch_add(1, Relaxed).is_multiple_of(5000) {
                        assert_eq!(x.get::<i32>(&[0]).unwrap(), 1);
                        for out in [&y, &z] {
                            assert!(is_borrowed(out.to_vec::<i32>().map(drop)));
                            assert!(is_borrowed(out.slice(s![..1]).unwrap().fill(5)));
                        }
                        assert!(is_borrowed(x.fill(5)));
                        let nested = zip((&x,)).map_into((&x, &z), |a: i32| (a, a));
                        assert!(is_borrowed(nested));
                    }
                    (a + 1, a + 2)
                })
                .unwrap();
            x.fill(9).unwrap();
            assert_eq!(y.sum(()).unwrap().to_vec::<i64>().unwrap(), [2 * len as i64]);
            assert_eq!(z.sum(()).unwrap().to_vec::<i64>().unwrap(), [3 * len as i64]);
        }
    });
}

#[test]
fn guards_of_the_user_are_respected_for_each_output() {
    let [x, y, z] = [[1, 2, 3], [0, 0, 0], [0, 0, 0]].map(|it| Tensor::from(&it[..]));
    let both = |a: i32| (a, 2 * a);
    {
        let _reader = z.read::<i32>().unwrap();
        let refused = zip((&x,)).map_into((&y, &z), both).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Borrow);
        assert_eq!(y.to_vec::<i32>().unwrap(), [0, 0, 0], "nothing was written");
        let _other = x.read::<i32>().unwrap();
        zip((&x,)).map_into((&y, &x.zeros_like().unwrap()), both).unwrap();
    }
    let mut writer = z.slice(s![2..]).unwrap().write::<i32>().unwrap();
    let free = z.slice(s![..1]).unwrap();
    let one = x.slice(s![1..2]).unwrap();
    zip((&one,)).map_into((&free, writer.view_mut()), both).unwrap();
    let refused = zip((&x,)).map_into((&y, &z), both).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Borrow);
    drop(writer);
    assert_eq!(z.to_vec::<i32>().unwrap(), [2, 0, 4]);
}

#[test]
fn threads_that_write_the_same_outputs_succeed_or_fail_but_never_deadlock() {
    zoo::with_watchdog(|| {
        let (x, y) = (tensor![0_i64, 0, 0, 0], tensor![0_i64, 0, 0, 0]);
        let n_done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for n in 0..4 {
                let (x, y, n_done) = (&x, &y, &n_done);
                scope.spawn(move || {
                    let (one, two) = if n % 2 == 0 { (x, y) } else { (y, x) };
                    for _ in 0..500 {
                        let step = |a: i64, b: i64| (a + 1, b + 1);
                        match zip((one, two)).map_into((one, two), step) {
                            Ok(()) => _ = n_done.fetch_add(1, Relaxed),
                            Err(error) => assert_eq!(error.kind(), ErrorKind::Borrow),
                        }
                    }
                });
            }
        });
        let n = n_done.into_inner() as i64;
        assert!(n > 0);
        for it in [x, y] {
            assert_eq!(it.to_vec::<i64>().unwrap(), [n; 4]);
        }
    });
}

#[test]
fn threads_write_several_parts_of_one_tensor_at_once() {
    zoo::with_watchdog(|| {
        let x = Tensor::zeros([8, 1000], DType::Int64).unwrap();
        let weights = Tensor::arange(0..1000_i64).unwrap();
        std::thread::scope(|scope| {
            for row in 0..4 {
                let (part, other) = (x.select(0, row).unwrap(), x.select(0, 7 - row).unwrap());
                let weights = &weights;
                scope.spawn(move || {
                    for _ in 0..100 {
                        let add = |a: i64, b: i64, w: i64| (a + w, b - w);
                        zip((&part, &other, weights)).map_into((&part, &other), add).unwrap();
                    }
                });
            }
        });
        let expected = (0..8_i64)
            .flat_map(|row| (0..1000).map(move |it| if row < 4 { 100 * it } else { -100 * it }));
        assert_eq!(x.to_vec::<i64>().unwrap(), expected.collect::<Vec<_>>());
    });
}

#[test]
fn a_panic_releases_all_outputs_and_leaves_them_valid() {
    zoo::with_watchdog(|| {
        for n in [1, 2] {
            with_num_threads(n, || {
                for (len, at) in [(10, 3), (300_000, 0), (300_000, 299_999), (300_000, 150_000)] {
                    let x = Tensor::arange(0..len).unwrap();
                    let y = Tensor::full([len], -1).unwrap();
                    let z = Tensor::full([2 * len], -1).unwrap().slice(s![..;2]).unwrap();
                    let check = |a: i32| {
                        assert_ne!(a, at, "on purpose");
                        (a, a + 1)
                    };
                    let run = || zip((&x,)).map_into((&y, &z), check);
                    catch_unwind(AssertUnwindSafe(run)).expect_err("a panic reaches the caller");
                    // Each element of the outputs is as it was, or a result.
                    for (out, by) in [(&y, 0), (&z, 1)] {
                        let written = out.to_vec::<i32>().unwrap();
                        let is_valid = |(i, it): (i32, &i32)| *it == -1 || *it == i + by && i != at;
                        assert!((0..len).zip(&written).all(is_valid));
                    }
                    x.fill(0).unwrap();
                    zip((&x, &y)).map_into((&y, &z), |a: i32, _: i32| (a + 1, a + 2)).unwrap();
                    assert_eq!(y.sum(()).unwrap().to_vec::<i64>().unwrap(), [len as i64]);
                    assert_eq!(z.sum(()).unwrap().to_vec::<i64>().unwrap(), [2 * len as i64]);
                }
            });
        }
    });
}

#[test]
fn several_outputs_are_one_event() {
    let [x, y, z] = [1, 2, 3].map(|value| Tensor::full([4], value).unwrap());
    let ((), events) = trace::record(|| {
        zip((&x, 2)).map_into((&y, &z), |a: i32, b: i32| (a + b, a * b)).unwrap();
    });
    let [event] = events.events() else { panic!("one event") };
    assert_eq!((event.op, event.inputs.len(), event.outputs.len()), ("map", 2, 2));
    assert_eq!((event.bytes_written, event.bytes_allocated), (32, 0));
    assert!(event.caller.file().ends_with("zip_outputs.rs"));
}

#[test]
fn without_memory_several_outputs_are_checked_but_not_computed() {
    let meta = || with_device(Device::Meta, || Tensor::zeros([2, 3], DType::Float32)).unwrap();
    let (x, y, z) = (meta(), meta(), meta());
    let never = |_: f32| -> (f32, f32) { panic!("there are no values") };
    zip((&x,)).map_into((&y, &z), never).unwrap();
    let refused = zip((&x,)).map_into((&y, &y), never).unwrap_err();
    assert!(matches!(refused, Error::OutputsOverlap { .. }), "{refused}");
    let out = Tensor::zeros([2, 3], DType::Float32).unwrap();
    let source = out.zeros_like().unwrap();
    for refused in [
        zip((&x,)).map_into((&y, &out), never).unwrap_err(),
        zip((&x,)).map_into((&out, &source), never).unwrap_err(),
        zip((&source,)).map_into((&out, &y), never).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::NoValues { op: "map", .. }), "{refused}");
    }
}

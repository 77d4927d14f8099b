//! Closures over several tensors match a loop over the elements, for any layouts, broadcasts, dtypes, overlaps and
//! threads; while one runs its operands are borrowed, and a panic releases them.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::copies::{self, CopyReason};
use belvedere::prelude::*;
use belvedere::{Device, Value, broadcast_shapes, trace, with_device, with_num_threads};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// An operand of the model: a tensor, and its elements in row-major order as integers.
trait ModelOperand {
    fn shape(&self) -> Vec<usize>;
    fn integers(&self, shape: &[usize]) -> Vec<i64>;
    fn assert_unchanged(&self, case: &str);
}

impl<T: TestElement> ModelOperand for GuardedTensor<T> {
    fn shape(&self) -> Vec<usize> {
        self.layout().shape().to_vec()
    }

    fn integers(&self, shape: &[usize]) -> Vec<i64> {
        self.values_as(shape).into_iter().map(|it| it.cast::<i64>()).collect()
    }

    fn assert_unchanged(&self, case: &str) {
        GuardedTensor::assert_unchanged(self, case);
    }
}

/// Returns what a closure that weights its parameters by 1, 10, 100 … computes, and the shape.
fn weighted_sums(operands: &[&dyn ModelOperand]) -> (Vec<usize>, Vec<i64>) {
    let shapes: Vec<_> = operands.iter().map(|it| it.shape()).collect();
    let shape = broadcast_shapes(&shapes.iter().map(|it| &it[..]).collect::<Vec<_>>()).unwrap();
    let lists: Vec<_> = operands.iter().map(|it| it.integers(&shape)).collect();
    let at = |i: usize| lists.iter().rev().fold(0, |sum, list| 10 * sum + list[i]);
    let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
    (shape.to_vec(), (0..len).map(at).collect())
}

/// Checks a closure of some operands in its four forms.
macro_rules! check_forms {
    ($rng:expr, $case:expr, $($x:ident: $type:ty),+) => {{
        let (shape, expected) = weighted_sums(&[$(&$x),+]);
        let sum = |$($x: $type),+| {
            let digits = [$($x.into_element().cast::<i64>()),+];
            digits.iter().rev().fold(0, |sum, digit| 10 * sum + digit)
        };
        let case = format!("{} operands, {}", [$(stringify!($x)),+].len(), $case);
        let made = zip(($(&$x.tensor,)+)).map(sum).unwrap();
        assert_eq!((&*made.shape(), made.dtype()), (&shape[..], DType::Int64), "{case}");
        assert_same(&made.to_vec::<i64>().unwrap(), &expected, &case);

        let target = GuardedTensor::<i64>::new(&$rng.random_layout(&shape, Freedom::Injective), 3);
        zip(($(&$x.tensor,)+)).map_into(&target.tensor, sum).unwrap();
        target.assert_elements(&expected, &case);

        let mut visited = Vec::new();
        zip(($(&$x.tensor,)+)).for_each(|$($x: $type),+| visited.push(sum($($x),+))).unwrap();
        assert_same(&visited, &expected, &case);

        let folded = zip(($(&$x.tensor,)+)).fold(Vec::new(), |mut list, $($x: $type),+| {
            list.push(sum($($x),+));
            list
        });
        assert_same(&folded.unwrap(), &expected, &case);
        $(ModelOperand::assert_unchanged(&$x, &case);)+
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
    check_forms!(rng, case, a: f32);
    check_forms!(rng, case, a: f32, b: i32);
    check_forms!(rng, case, a: f32, b: i32, c: u8);
    check_forms!(rng, case, a: f32, b: i32, c: u8, d: f64);
    check_forms!(rng, case, a: f32, b: i32, c: u8, d: f64, e: i16);
    check_forms!(rng, case, a: f32, b: i32, c: u8, d: f64, e: i16, g: bool);
}

#[test]
fn closures_match_the_model_for_every_layout() {
    let mut rng = TestRng::new(11);
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
fn large_closures_match_the_model_for_any_number_of_threads() {
    let mut rng = TestRng::new(12);
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    for n in [1, 3] {
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
fn results_may_be_of_any_type() {
    let x = tensor![1.5_f32, -2.0, 0.0];
    let is_negative = zip((&x,)).map(|a: f32| a < 0.0).unwrap();
    assert_eq!(is_negative.to_vec::<bool>().unwrap(), [false, true, false]);
    let both = zip((&is_negative, &x)).map(|yes: bool, a: f32| Complex::new(a, f32::from(yes)));
    let expected = [Complex::new(1.5_f32, 0.0), Complex::new(-2.0, 1.0), Complex::new(0.0, 0.0)];
    assert_eq!(both.unwrap().to_vec::<Complex<f32>>().unwrap(), expected);
    let raw = zip((&is_negative,)).map(|yes: Bool| yes).unwrap();
    assert_eq!(raw.to_vec::<bool>().unwrap(), [false, true, false]);
}

#[test]
fn the_result_keeps_the_memory_order_of_the_operands() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap().t().unwrap();
    let made = zip((&x, &x)).map(|a: i32, b: i32| a + b).unwrap();
    assert_eq!(made.layout(), x.layout());
}

#[test]
fn views_lenses_and_numbers_are_operands() {
    let data = [1.0_f32, 2.0, 3.0, 4.0];
    let view = View::from(&data[..]);
    let x = tensor![10.0_f32, 20.0, 30.0, 40.0];
    let lens = x.lens().pad(&[(1, 0)]).unwrap().slice(s![..4]).unwrap();
    let mut sums = [0.0_f32; 4];
    let sum = |a: f32, b: f32, c: f32, d: f32| a + b + c + d;
    zip((&view, 0.5, &lens, &x)).map_into(ViewMut::from(&mut sums[..]), sum).unwrap();
    assert_eq!(sums, [11.5, 32.5, 53.5, 74.5]);
    assert_eq!(zip((view, 0.5, &lens, &x)).map(sum).unwrap().to_vec::<f32>().unwrap(), sums);
    let list = zip((&lens, 2)).fold(Vec::new(), |mut list, a: f32, b: f32| {
        list.push(a * b);
        list
    });
    assert_eq!(list.unwrap(), [0.0, 20.0, 40.0, 60.0]);
    let refused = zip((&x, 0.5)).map(|a: f32, n: i32| a * n as f32).unwrap_err();
    assert_eq!(refused.kind(), tensor![1].add_assign(0.5).unwrap_err().kind());
    let one = zip((2.5,)).map(|a: f64| a * 2.0).unwrap();
    assert_eq!((one.rank(), one.to_vec::<f64>().unwrap()), (0, vec![5.0]));
}

#[test]
fn empty_operands_call_nothing() {
    let (x, y) = (Tensor::zeros([0, 3], DType::Int32).unwrap(), tensor![1, 2, 3]);
    let never = |_: i32, _: i32| -> i32 { panic!("there are no elements") };
    let made = zip((&x, &y)).map(never).unwrap();
    assert_eq!(made.shape(), [0, 3]);
    zip((&x, &y)).map_into(&made, never).unwrap();
    assert_eq!(zip((&x, &y)).fold("kept", |_, _: i32, _: i32| panic!()).unwrap(), "kept");
}

#[test]
fn wrong_types_and_shapes_are_refused_before_the_first_call() {
    let (x, y) = (tensor![1, 2, 3], tensor![[1.0], [2.0]]);
    let never = |_: i32, _: f32| -> i32 { panic!("an operand has another dtype") };
    for refused in [
        zip((&x, &y)).map(never).unwrap_err(),
        zip((&x, &y)).map_into(&x, never).unwrap_err(),
        zip((&x, &y)).for_each(|_: i32, _: f32| panic!()).unwrap_err(),
        zip((&x, &y)).fold(0, |_, _: i32, _: f32| panic!()).unwrap_err(),
    ] {
        let (asked, found) = (DType::Float32, DType::Float64);
        let is_expected =
            matches!(refused, Error::WrongDType { asked: a, found: f } if a == asked && f == found);
        assert!(is_expected, "{refused}");
    }
    let first = |a: i32, _: f64| a;
    let small = Tensor::zeros([2, 3], DType::Int16).unwrap();
    let refused = zip((&x, &y)).map_into(&small, first).unwrap_err();
    assert!(matches!(refused, Error::WrongDType { asked: DType::Int32, found: DType::Int16 }));

    let pair = tensor![1, 2];
    let refused = zip((&x, &pair)).map(|a: i32, _: i32| a).unwrap_err();
    assert_eq!(refused.to_string(), x.add(&pair).unwrap_err().to_string());
    // Broadcasting does not extend to the output, in either direction.
    for shape in [vec![1, 3], vec![2, 2, 3], vec![3, 2]] {
        let out = Tensor::zeros(&shape[..], DType::Int32).unwrap();
        let refused = zip((&x, &y)).map_into(&out, first).unwrap_err();
        assert!(matches!(refused, Error::ShapeMismatch { .. }), "{refused}");
    }
    let spread = tensor![0].broadcast_to([2, 3]).unwrap();
    let refused = zip((&x, &y)).map_into(&spread, first).unwrap_err();
    assert!(matches!(refused, Error::Overlapping { .. }), "{refused}");
}

#[test]
fn inputs_that_overlap_the_output_are_read_first() {
    let part = |x: &Tensor, from: usize| x.slice(s![from..from + 5, from..from + 5]).unwrap();
    type Pick = fn(&Tensor, &dyn Fn(&Tensor, usize) -> Tensor) -> (Tensor, Tensor);
    // Operands of the output at 2, and the number of copies.
    let cases: [(&str, Pick, usize); 7] = [
        ("same", |x, part| (part(x, 2), part(x, 2)), 0),
        (
            "disjoint",
            |x, _| (x.slice(s![7..12, ..5]).unwrap(), x.slice(s![..5, 7..12]).unwrap()),
            0,
        ),
        ("shifted backwards", |x, part| (part(x, 1), part(x, 2)), 0),
        ("shifted forwards", |x, part| (part(x, 2), part(x, 4)), 0),
        ("shifted both ways", |x, part| (part(x, 1), part(x, 3)), 1),
        ("transposed", |x, part| (part(x, 2).t().unwrap(), part(x, 2)), 1),
        ("flipped", |x, part| (part(x, 2).flip(&[0]).unwrap(), part(x, 1).t().unwrap()), 2),
    ];
    let combine = |a: i64, b: i64| 3 * a - b;
    for (case, pick, n_copies) in cases {
        let x = GuardedTensor::<i64>::small_integers(&Layout::row_major(&[12, 12]).unwrap(), 0);
        let (a, b) = pick(&x.tensor, &part);
        let (left, right) = (a.to_vec::<i64>().unwrap(), b.to_vec::<i64>().unwrap());
        let expected: Vec<_> = left.into_iter().zip(right).map(|(a, b)| combine(a, b)).collect();
        let out = part(&x.tensor, 2);
        if n_copies > 0 {
            let refused = copies::forbid(|| zip((&a, &b)).map_into(&out, combine)).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Copy, "{case}");
            x.assert_unchanged(case);
        }
        let ((), events) = copies::record(|| zip((&a, &b)).map_into(&out, combine).unwrap());
        assert_eq!(events.len(), n_copies, "{case}");
        assert!(events.iter().all(|it| it.reason == CopyReason::Overlap), "{case}");
        let written = GuardedTensor { tensor: out, memory: x.memory.clone() };
        written.assert_elements(&expected, case);
    }
}

#[test]
fn random_overlaps_are_read_first() {
    let mut rng = TestRng::new(13);
    for round in 0..zoo::rounds(300) {
        let shape = [1 + rng.below(5), 1 + rng.below(6)];
        let memory: Vec<i32> = (0..120).map(|i| i * i % 97).collect();
        let x = Tensor::from_vec(memory.clone(), [120]).unwrap();
        let mut view = |freedom| {
            let layout = rng.random_layout(&shape, freedom);
            let room = 120 - layout.span().end.min(120);
            let start = layout.start() + rng.below(room + 1);
            let layout = Layout::new(start, layout.axes()).unwrap();
            Tensor::from_storage(x.storage().clone(), layout, DType::Int32)
        };
        let (Ok(out), Ok(a), Ok(b), Ok(c)) = (
            view(Freedom::Injective),
            view(Freedom::Any),
            view(Freedom::Any),
            view(Freedom::Injective),
        ) else {
            continue;
        };
        let [p, q, r] = [&a, &b, &c].map(|it| it.to_vec::<i32>().unwrap());
        let mut expected = memory;
        for (i, offset) in out.layout().offsets().enumerate() {
            expected[offset] = p[i] + 2 * q[i] - r[i] + 3 * expected[offset];
        }
        let combine = |a: i32, b: i32, c: i32, d: i32| a + 2 * b - c + 3 * d;
        zip((&a, &b, &c, &out)).map_into(&out, combine).unwrap();
        assert_eq!(x.to_vec::<i32>().unwrap(), expected, "round {round}");
    }
}

#[test]
fn an_update_in_place_is_the_output_among_the_operands() {
    for len in [0, 1, 5, 3000, 200_000] {
        let (y, x) =
            (Tensor::arange(0..len).unwrap(), Tensor::arange(0..len).unwrap().flip(&[0]).unwrap());
        copies::forbid(|| {
            zip((&y, &x)).map_into(&y, |y: i32, x: i32| y * 2 + x).unwrap();
            zip((&x, &y, 3)).map_into(&y, |x: i32, y: i32, n: i32| y - x * n).unwrap();
        });
        let expected: Vec<_> = (0..len).map(|i| i * 2 - 2 * (len - 1 - i)).collect();
        assert_eq!(y.to_vec::<i32>().unwrap(), expected);
    }
}

#[test]
fn the_output_may_be_any_of_the_operands() {
    // Contiguous and not, around the lengths of vectors and of staged blocks.
    for (rows, cols) in [(1, 1), (1, 7), (1, 33), (3, 65), (40, 1), (40, 300), (300, 301)] {
        let matrix = |seed: usize| -> Tensor {
            let values = (0..rows * (cols + 1)).map(|i| ((i * 31 + seed) % 101) as f32);
            values.collect::<Tensor>().reshape([rows, cols + 1]).unwrap()
        };
        for is_contiguous in [true, false] {
            let fresh = |seed: usize| match matrix(seed).slice(s![.., ..-1]).unwrap() {
                it if is_contiguous => it.contiguous().unwrap(),
                it => it,
            };
            let f = |p: f32, q: f32, r: f32| p - 2.0 * q + 3.0 * r;
            let (a, b, row) = (fresh(1), fresh(2), fresh(3).slice(s![0]).unwrap());
            let check = |update: &dyn Fn(&Tensor), model: &dyn Fn(f32, [f32; 3]) -> f32| {
                let y = fresh(4);
                let [before, a, b] = [&y, &a, &b].map(|it| it.to_vec::<f32>().unwrap());
                let row = row.to_vec::<f32>().unwrap();
                let expected =
                    (0..rows * cols).map(|i| model(before[i], [a[i], b[i], row[i % cols]]));
                let expected: Vec<f32> = expected.collect();
                update(&y);
                assert_eq!(
                    y.to_vec::<f32>().unwrap(),
                    expected,
                    "{rows} × {cols}, {is_contiguous}"
                );
            };
            let update = |y: &Tensor| zip((y,)).map_into(y, |y: f32| y + 1.0).unwrap();
            check(&update, &|y, _| y + 1.0);
            check(&|y| zip((y, &a, &b)).map_into(y, f).unwrap(), &|y, [a, b, _]| f(y, a, b));
            check(&|y| zip((&a, y, &b)).map_into(y, f).unwrap(), &|y, [a, b, _]| f(a, y, b));
            check(&|y| zip((&a, &b, y)).map_into(y, f).unwrap(), &|y, [a, b, _]| f(a, b, y));
            check(&|y| zip((y, y, y)).map_into(y, f).unwrap(), &|y, _| f(y, y, y));
            check(&|y| zip((y, &row, &a)).map_into(y, f).unwrap(), &|y, [a, _, r]| f(y, r, a));
            check(&|y| zip((&row, y, 5.0)).map_into(y, f).unwrap(), &|y, [.., r]| f(r, y, 5.0));
            check(&|y| zip((y, 2.0, 5.0)).map_into(y, f).unwrap(), &|y, _| f(y, 2.0, 5.0));
        }
    }
}

#[test]
fn operations_inside_of_a_closure_read_or_fail_but_never_wait() {
    zoo::with_watchdog(|| {
        for len in [4, 200_000] {
            let (x, y) = (
                Tensor::ones([len], DType::Int32).unwrap(),
                Tensor::zeros([len], DType::Int32).unwrap(),
            );
            let other = tensor![7];
            let is_borrowed = |outcome: Result<(), Error>| {
                outcome.is_err_and(|error| error.kind() == ErrorKind::Borrow)
            };
            let check = |a: i32| {
                let first = x.get::<i32>(&[0]).unwrap();
                let nested = zip((&x.slice(s![..2]).unwrap(), &other)).map(|a: i32, b: i32| a + b);
                let reads = first == 1 && nested.unwrap().to_vec::<i32>().unwrap() == [8, 8];
                reads && is_borrowed(x.fill(5)) && is_borrowed(x.map_assign(|a: i32| a)) && a == 1
            };
            // Once for a few elements: each call locks the table of the claims.
            let calls = AtomicUsize::new(0);
            let now = || calls.fetch_add(1, Relaxed).is_multiple_of(5000);
            zip((&x, &y))
                .map_into(&y, |a: i32, _: i32| {
                    if now() {
                        assert!(check(a) && is_borrowed(y.to_vec::<i32>().map(drop)));
                        assert!(is_borrowed(
                            zip((&other,)).map_into(&y.slice(s![..1]).unwrap(), |a: i32| a)
                        ));
                    }
                    a
                })
                .unwrap();
            zip((&x,)).map(|a: i32| !now() || check(a)).unwrap();
            zip((&x,)).for_each(|a: i32| assert!(!now() || check(a))).unwrap();
            zip((&x,)).fold((), |(), a: i32| assert!(!now() || check(a))).unwrap();
            assert!(calls.into_inner() > 4 * (len - 1));
            x.fill(9).unwrap();
            assert_eq!(y.sum(()).unwrap().to_vec::<i64>().unwrap(), [len as i64]);
        }
    });
}

#[test]
fn guards_of_the_user_are_respected() {
    let (x, y) = (tensor![1, 2, 3], tensor![0, 0, 0]);
    let add = |a: i32, b: i32| a + b;
    {
        let _reader = x.read::<i32>().unwrap();
        zip((&x, &x)).map_into(&y, add).unwrap();
        assert_eq!(zip((&x, &y)).map_into(&x, add).unwrap_err().kind(), ErrorKind::Borrow);
    }
    {
        let mut writer = y.slice(s![2..]).unwrap().write::<i32>().unwrap();
        assert_eq!(zip((&x, &y)).map(add).unwrap_err().kind(), ErrorKind::Borrow);
        assert_eq!(zip((&y,)).fold(0, add).unwrap_err().kind(), ErrorKind::Borrow);
        let free = y.slice(s![..2]).unwrap();
        zip((&free, 1)).map_into(&free, add).unwrap();
        zip((&x.slice(s![..1]).unwrap(), 40)).map_into(writer.view_mut(), add).unwrap();
    }
    assert_eq!(y.to_vec::<i32>().unwrap(), [3, 5, 41]);
}

#[test]
fn a_panic_releases_the_borrows_and_leaves_the_pool_usable() {
    zoo::with_watchdog(|| {
        for (len, at) in [(10, 3), (300_000, 0), (300_000, 299_999), (300_000, 150_000)] {
            let x = Tensor::arange(0..len).unwrap();
            let y = Tensor::full([len], -1).unwrap();
            let check = |a: i32| {
                assert_ne!(a, at, "on purpose");
                a
            };
            let panics = |run: &dyn Fn() -> Result<(), Error>| {
                catch_unwind(AssertUnwindSafe(run)).expect_err("a panic reaches the caller");
            };
            panics(&|| zip((&x,)).map(check).map(drop));
            panics(&|| zip((&x, &y)).map(|a: i32, _: i32| check(a)).map(drop));
            panics(&|| zip((&x, &y)).map_into(&y, |a: i32, _: i32| check(a)));
            panics(&|| zip((&x,)).for_each(|a: i32| assert!(check(a) >= 0)));
            let state = Rc::new(());
            panics(&|| {
                zip((&x,)).fold(state.clone(), |state, a: i32| {
                    check(a);
                    state
                })?;
                Ok(())
            });
            assert_eq!(Rc::strong_count(&state), 1, "the state was dropped");
            // Each element of the output is as it was, or a result.
            let written = y.to_vec::<i32>().unwrap();
            assert!((0..len).zip(&written).all(|(i, &it)| it == -1 || it == i && i != at));
            x.fill(0).unwrap();
            zip((&x, &y)).map_into(&y, |a: i32, _: i32| a + 1).unwrap();
            assert_eq!(y.sum(()).unwrap().to_vec::<i64>().unwrap(), [len as i64]);
        }
    });
}

#[test]
fn threads_zip_parts_of_one_tensor_at_once() {
    zoo::with_watchdog(|| {
        let x = Tensor::zeros([8, 1000], DType::Int64).unwrap();
        let weights = Tensor::arange(0..1000_i64).unwrap();
        std::thread::scope(|scope| {
            for row in 0..8 {
                let (part, weights) = (x.select(0, row).unwrap(), &weights);
                scope.spawn(move || {
                    for _ in 0..100 {
                        let add = |a: i64, w: i64| a + w;
                        zip((&part, weights)).map_into(&part, add).unwrap();
                    }
                });
            }
        });
        let expected: Vec<i64> = (0..8).flat_map(|_| (0..1000).map(|it| 100 * it)).collect();
        assert_eq!(x.to_vec::<i64>().unwrap(), expected);
    });
}

#[test]
fn each_form_announces_one_event() {
    let (x, y) = (tensor![1, 2, 3], tensor![0, 0, 0]);
    let ((), events) = trace::record(|| {
        zip((&x, &y)).map(|a: i32, b: i32| a + b).unwrap();
        zip((&x, 2)).map_into(&y, |a: i32, b: i32| a + b).unwrap();
        zip((&x,)).for_each(|_: i32| ()).unwrap();
        zip((&x,)).fold(0, |sum, a: i32| sum + a).unwrap();
        x.map(|a: i32| a).unwrap();
        x.map_assign(|a: i32| a).unwrap();
    });
    let found: Vec<_> = events
        .events()
        .iter()
        .map(|it| (it.op, it.depth, it.inputs.len(), it.outputs.len()))
        .collect();
    let expected = [
        ("map", 0, 2, 1),
        ("map", 0, 2, 1),
        ("for_each", 0, 1, 0),
        ("fold", 0, 1, 0),
        ("map", 0, 1, 1),
        ("map", 0, 1, 1),
    ];
    assert_eq!(found, expected);
    assert!(events.events().iter().all(|it| it.caller.file().ends_with("zip.rs")));
}

#[test]
fn without_memory_there_is_a_shape_but_no_call() {
    let x = with_device(Device::Meta, || Tensor::zeros([2, 3], DType::Float32)).unwrap();
    let never = |_: f32, _: f32| -> f64 { panic!("there are no values") };
    let made = zip((&x, &tensor![1.0_f32, 2.0, 3.0])).map(never).unwrap();
    assert_eq!((made.shape(), made.dtype()), (x.shape(), DType::Float64));
    zip((&x, &x)).map_into(&made, never).unwrap();
    let out = Tensor::zeros([2, 3], DType::Float64).unwrap();
    for refused in [
        zip((&x, &x)).map_into(&out, never).unwrap_err(),
        zip((&x,)).for_each(|_: f32| panic!()).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::NoValues { .. }), "{refused}");
    }
}

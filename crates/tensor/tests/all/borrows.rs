//! Guards: shared readers, exclusive writers, independent disjoint regions. A conflict is an immediate error
//! that names the existing borrow. Operations respect guards and the reverse.

use crate::zoo;
use crate::zoo::with_watchdog;
use belvedere::*;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn square() -> Tensor {
    Tensor::arange(0..16).unwrap().reshape([4, 4]).unwrap()
}

/// The message of a borrow that was refused.
#[track_caller]
fn refusal<T>(outcome: Result<T, Error>) -> String {
    match outcome {
        Ok(_) => panic!("the memory is borrowed"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Borrow, "{error}");
            assert!(matches!(error, Error::Borrowed { .. }), "{error}");
            error.to_string()
        }
    }
}

#[test]
fn readers_share() {
    let x = square();
    let (one, two) = (x.read::<i32>().unwrap(), x.t().unwrap().read::<i32>().unwrap());
    assert_eq!(one.view().get(&[1, 2]).unwrap(), two.view().get(&[2, 1]).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| x.read::<i32>().map(drop).unwrap());
    });
    assert_eq!(x.add(&x).unwrap().get::<i32>(&[3, 3]).unwrap(), 30, "operations read, too");
    assert_eq!(x.to_vec::<i32>().unwrap().len(), 16);
    assert_eq!((one.layout(), two.layout().strides()), (x.layout(), [1, 4].into()));
}

#[test]
fn writer_excludes_all_others_with_an_error() {
    let x = square();
    let column = x.select(1, 2).unwrap();
    let guard = column.write::<i32>().unwrap();
    assert_eq!(
        refusal(x.read::<i32>()),
        "cannot read from a tensor of shape [4, 4]: a guard of shape [4] writes to the same elements"
    );
    assert_eq!(
        refusal(x.write::<i32>()),
        "cannot write to a tensor of shape [4, 4]: a guard of shape [4] writes to the same elements"
    );
    drop(guard);
    let guard = column.read::<i32>().unwrap();
    assert_eq!(
        refusal(x.slice(s![0]).unwrap().write::<i32>()),
        "cannot write to a tensor of shape [4]: a guard of shape [4] reads from the same elements"
    );
    drop(guard);
    x.write::<i32>().map(drop).unwrap();
}

#[test]
fn disjoint_regions_do_not_conflict() {
    let x = square();
    let at = |index: &[Index]| x.slice(index).unwrap();
    let pairs = [
        (at(&s![..2]), at(&s![2..])),
        (at(&s![.., ..;2]), at(&s![.., 1..;2])),
        (at(&s![..;2, ..;2]), at(&s![1..;2, ..])),
        (x.diagonal(0, 0, 1).unwrap(), x.diagonal(1, 0, 1).unwrap()),
        (at(&s![0, 0]), at(&s![0, 1])),
        (at(&s![0..0]), x.clone()),
    ];
    for (one, two) in pairs {
        let (mut a, mut b) = (one.write::<i32>().unwrap(), two.write::<i32>().unwrap());
        a.view_mut().fill(1);
        b.view_mut().fill(2);
        assert_eq!(a.view().iter().count(), one.len());
        drop((a, b));
        let guard = one.write::<i32>().unwrap();
        two.fill(3).unwrap();
        two.add_assign(&two).unwrap();
        assert!(two.to_vec::<i32>().unwrap().iter().all(|&it| it == 6));
        drop(guard);
    }
}

#[test]
fn regions_conflict_exactly_when_they_share_an_element() {
    let mut rng = zoo::TestRng::new(1);
    for _ in 0..zoo::rounds(1000) {
        let x = Tensor::zeros([40], DType::Int32).unwrap();
        let mut part = || loop {
            let strides = [rng.below(15) as isize - 7, rng.below(15) as isize - 7];
            if let Ok(part) = x.as_strided(&[3, 2], &strides, rng.below(40))
                && zoo::is_injective(part.layout())
            {
                return part;
            }
        };
        let (one, two) = (part(), part());
        let reached = zoo::offsets(one.layout());
        let meet = two.layout().offsets().any(|at| reached.contains(&at));
        let guard = one.write::<i32>().unwrap();
        assert_eq!(two.read::<i32>().is_err(), meet, "{one:?} {two:?}");
        assert_eq!(two.fill(1).is_err(), meet, "{one:?} {two:?}");
        assert_eq!(two.to_vec::<i32>().is_err(), meet, "{one:?} {two:?}");
        drop(guard);
    }
}

#[test]
fn operations_do_not_write_what_a_guard_reads() {
    with_watchdog(|| {
        let x = square();
        let other = square();
        let guard = x.slice(s![1, 1]).unwrap().read::<i32>().unwrap();
        let before = x.to_vec::<i32>().unwrap();
        refusal(x.fill(1));
        refusal(x.clear());
        refusal(x.scale(2));
        refusal(x.add_assign(1));
        refusal(x.copy_from(&other));
        refusal(x.assign(s![1], &other.slice(s![0]).unwrap()));
        refusal(x.set(&[1, 1], 5));
        refusal(assign_into(&other, &x));
        refusal(sub_into(&other, &other, &x));
        refusal(negative_into(&x, &x));
        refusal(where_into(true, &other, 1, &x.t().unwrap()));
        assert_eq!(x.to_vec::<i32>().unwrap(), before);
        x.set(&[1, 2], 100).unwrap();
        x.slice(s![2..]).unwrap().fill(7).unwrap();
        drop(guard);
        x.fill(1).unwrap();
    });
}

#[test]
fn operations_do_not_read_what_a_guard_writes() {
    with_watchdog(|| {
        let x = square();
        let out = square();
        let mut guard = x.slice(s![1]).unwrap().write::<i32>().unwrap();
        refusal(x.add(1));
        refusal(out.add(&x));
        refusal(add_into(&out, &x, &out));
        refusal(x.to_vec::<i32>());
        refusal(x.get::<i32>(&[1, 0]));
        refusal(x.slice(s![1, 0]).unwrap().item::<i32>());
        refusal(x.copy());
        refusal(x.astype(DType::Int8));
        refusal(x.t().unwrap().reshape([16]));
        refusal(x.t().unwrap().contiguous());
        refusal(out.copy_from(&x));
        refusal(where_(&x, 1, 2));
        let text = x.to_string();
        assert!(text.contains("a guard of shape [4] writes to the same elements"), "{text}");
        assert_eq!(out.to_vec::<i32>().unwrap(), square().to_vec::<i32>().unwrap());
        // Operations that access no elements are allowed.
        assert_eq!(x.t().unwrap().reshape([4, 4]).unwrap().shape(), [4, 4]);
        assert_eq!(x.get::<i32>(&[0, 3]).unwrap(), 3);
        guard.view_mut().fill(9);
        drop(guard);
        assert_eq!(x.slice(s![1]).unwrap().to_vec::<i32>().unwrap(), [9; 4]);
    });
}

#[test]
fn fast_paths_of_few_elements_respect_guards() {
    with_watchdog(|| {
        let x = Tensor::arange_integers(0, 8, 1, DType::Int64).unwrap();
        let (indices, mask) = (x.narrow(0, 0, 4).unwrap().copy().unwrap(), x.less(4).unwrap());
        let zero = Tensor::full((), 0i64).unwrap();
        let mut place = std::mem::MaybeUninit::uninit();
        let guard = x.read::<i64>().unwrap();
        assert!(!x.try_set_element(2, 7) && !x.try_set_element(2, &zero));
        refusal(x.index_assign(at![&indices], 7));
        refusal(x.index_assign(at![&mask], &zero));
        drop(guard);
        let guard = x.write::<i64>().unwrap();
        assert!(x.try_element_into(2, &mut place).is_none());
        assert!(!zero.try_set_element(0, &x.slice(s![1]).unwrap()));
        refusal(x.index(at![&indices]));
        refusal(x.index(at![&mask]));
        refusal(indices.index(at![&x]));
        refusal(concat(&[&indices, &x], 0));
        refusal(x.slice(s![0]).unwrap().add(&zero));
        refusal(x.slice(s![0]).unwrap().add(0.5));
        refusal(x.matmul(&x));
        refusal(x.dot(&x));
        drop(guard);
        assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(zero.item::<i64>().unwrap(), 0);
        // The fast path also declines while a test of another thread observes operations.
        while !x.try_set_element(2, 7) {
            thread::yield_now();
        }
        assert_eq!(x.get::<i64>(&[2]).unwrap(), 7);
    });
}

#[test]
fn views_of_guards_are_operands_and_outputs() {
    let x = square();
    let (left, right) = x.split_at(1, 2).unwrap();
    let (source, mut target) = (left.read::<i32>().unwrap(), right.write::<i32>().unwrap());
    add_into(&source.view(), 100, target.view_mut()).unwrap();
    mul_into(&target.view(), 1, &Tensor::zeros([4, 2], DType::Int32).unwrap()).unwrap();
    assign_into(source.view(), &mut target.view_mut()).unwrap();
    let mut view = target.view_mut();
    add_into(&source.view(), 1, &mut view).unwrap();
    assert_eq!(view.get(&[3, 1]).unwrap(), 14);
    drop((source, target));
    assert_eq!(x.slice(s![3]).unwrap().to_vec::<i32>().unwrap(), [12, 13, 13, 14]);
}

#[test]
fn guards_refuse_another_dtype() {
    let x = square();
    let text = "expected a tensor of float32, got int32";
    assert_eq!(x.read::<f32>().map(drop).unwrap_err().to_string(), text);
    assert_eq!(x.write::<f32>().map(drop).unwrap_err().to_string(), text);
    x.fill(1).unwrap();
}

#[test]
fn panic_releases_borrows() {
    let x = square();
    for _ in 0..3 {
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _read = x.slice(s![..2]).unwrap().read::<i32>().unwrap();
            let mut write = x.slice(s![2..]).unwrap().write::<i32>().unwrap();
            write
                .view_mut()
                .map(|it| if it == 12 { std::panic::resume_unwind(Box::new(1)) } else { it });
        }));
        assert!(unwound.is_err());
        x.write::<i32>().map(drop).unwrap();
        x.add_assign(0).unwrap();
    }
}

#[test]
fn guards_may_end_in_any_order_and_on_any_thread() {
    let x = square();
    let mut guards: Vec<ReadGuard<i32>> = (0..5).map(|_| x.read::<i32>().unwrap()).collect();
    guards.swap(0, 3);
    for (n, guard) in guards.into_iter().enumerate() {
        refusal(x.fill(1));
        if n % 2 == 0 {
            std::thread::scope(|scope| drop(scope.spawn(move || drop(guard)).join()));
        }
    }
    x.fill(1).unwrap();
    let guard = x.write::<i32>().unwrap();
    drop(x);
    assert_eq!(guard.view().iter().sum::<i32>(), 16, "a guard keeps the memory alive");
}

#[test]
fn memory_that_was_imported_twice_is_guarded_by_address() {
    let mut memory = Box::new([0i32; 8]);
    let ptr = NonNull::from(&mut *memory).cast::<u8>();
    let import = |from: usize, to: usize| {
        // SAFETY: the range lies inside of the array, which outlives the tensors and is not touched
        // otherwise until they are gone.
        let storage = unsafe { Storage::foreign(ptr.add(4 * from), 4 * (to - from), true, || ()) };
        let layout = Layout::row_major(&[to - from]).unwrap();
        Tensor::from_storage(storage, layout, DType::Int32).unwrap()
    };
    let (whole, again, upper) = (import(0, 8), import(0, 8), import(4, 8));
    let guard = upper.write::<i32>().unwrap();
    refusal(whole.fill(1));
    refusal(again.read::<i32>());
    whole.slice(s![..4]).unwrap().fill(1).unwrap();
    again.slice(s![..4]).unwrap().add_assign(1).unwrap();
    drop(guard);
    upper.fill(5).unwrap();
    assert_eq!(whole.to_vec::<i32>().unwrap(), [2, 2, 2, 2, 5, 5, 5, 5]);
}

#[test]
fn read_only_memory_is_not_written() {
    static NUMBERS: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
    // SAFETY: the numbers are static and never written.
    let storage = unsafe { Storage::foreign(NonNull::from(&NUMBERS).cast(), 16, false, || ()) };
    assert!(!storage.is_writable());
    let x =
        Tensor::from_storage(storage, Layout::row_major(&[4]).unwrap(), DType::Float32).unwrap();
    let outcomes = [
        x.fill(0),
        x.clear(),
        x.scale(1),
        x.add_assign(1),
        x.copy_from(&x),
        x.set(&[0], 1.0f32),
        x.slice(s![1..]).unwrap().fill(1),
        x.bitcast(DType::UInt8).unwrap().fill(1),
        negative_into(&x, &x),
        x.write::<f32>().map(drop),
    ];
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::ReadOnly) && error.kind() == ErrorKind::Borrow);
        assert_eq!(error.to_string(), "the memory is read-only");
    }
    assert_eq!(x.add(&x).unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0, 8.0]);
    x.read::<f32>().map(drop).unwrap();
}

#[test]
fn overlapping_views_are_not_writable() {
    let x = square();
    let views = [
        x.slice(s![0]).unwrap().broadcast_to([3, 4]).unwrap(),
        x.view([16]).unwrap().windows(0, 3, 1).unwrap(),
        x.sliding_window_view([2, 2], [0, 1]).unwrap(),
        x.as_strided(&[2, 2], &[1, 1], 0).unwrap(),
    ];
    for view in views {
        for outcome in [view.fill(1), view.add_assign(1), view.copy_from(&view)] {
            let error = outcome.unwrap_err();
            let text = format!(
                "cannot write through a view of shape {:?} and strides {:?}: \
                 several of its indices refer to the same element",
                view.shape(),
                view.strides()
            );
            assert_eq!((error.to_string(), error.kind()), (text, ErrorKind::Borrow));
        }
        assert!(matches!(view.write::<i32>().map(drop), Err(Error::Overlapping { .. })));
        assert!(view.read::<i32>().is_ok());
    }
    assert_eq!(x.to_vec::<i32>().unwrap(), square().to_vec::<i32>().unwrap());
}

#[test]
fn storage_from_vec_does_not_move_it() {
    let values = vec![1.5f32; 100];
    let address = values.as_ptr().addr();
    let x = Tensor::from_vec(values, [10, 10]).unwrap();
    assert_eq!(x.storage().address(), address);
    assert_eq!(x.read::<f32>().unwrap().view().as_slice().unwrap().as_ptr().addr(), address);
    assert_eq!(Storage::from_vec(Vec::<f64>::new()).len(), 0);
}

#[test]
fn memory_is_released_once_after_the_last_reference() {
    // Tensors, views, clones and guards, which are dropped in many orders.
    for order in 0..24usize {
        let calls = Arc::new(AtomicUsize::new(0));
        let mut memory = vec![0i32; 6];
        let ptr = NonNull::new(memory.as_mut_ptr()).unwrap().cast();
        let counter = Arc::clone(&calls);
        let release = move || {
            drop(memory);
            counter.fetch_add(1, Ordering::Relaxed);
        };
        // SAFETY: the vector moves into `release`, but its memory stays where it is until then.
        let storage = unsafe { Storage::foreign(ptr, 24, true, release) };
        let x =
            Tensor::from_storage(storage, Layout::row_major(&[6]).unwrap(), DType::Int32).unwrap();
        let part = x.slice(s![2..;2]).unwrap();
        let guard = x.slice(s![..2]).unwrap().write::<i32>().unwrap();
        let mut holders: Vec<Box<dyn std::any::Any>> =
            vec![Box::new(x.clone()), Box::new(part), Box::new(guard), Box::new(x)];
        let mut rest = order;
        while !holders.is_empty() {
            assert_eq!(calls.load(Ordering::Relaxed), 0);
            let n = holders.len();
            drop(holders.remove(rest % n));
            rest /= n;
        }
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn each_guard_and_each_tensor_holds_one_reference() {
    let x = square();
    assert_eq!(x.storage().n_shares(), 1);
    let part = x.select(0, 1).unwrap();
    assert_eq!(x.storage().n_shares(), 2);
    let guard = part.read::<i32>().unwrap();
    assert_eq!(x.storage().n_shares(), 3);
    drop((guard, part));
    assert_eq!(x.storage().n_shares(), 1);
    let _ = x.add(&x).unwrap();
    assert_eq!(x.storage().n_shares(), 1, "operations do not stay");
}

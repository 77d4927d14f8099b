//! Many threads on one storage: operations block each other and lose no write, whatever regions they touch,
//! and never deadlock.

use crate::zoo::{self, TestRng, with_watchdog};
use belvedere::*;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs a function on `n` threads at once.
fn on_threads(n: usize, run: impl Fn(usize) + Sync) {
    let start = Barrier::new(n);
    with_watchdog(|| {
        std::thread::scope(|scope| {
            for k in 0..n {
                let (run, start) = (&run, &start);
                scope.spawn(move || {
                    start.wait();
                    run(k);
                });
            }
        });
    });
}

#[test]
fn no_addition_is_lost_on_overlapping_and_disjoint_regions() {
    const LEN: usize = 3000;
    let x = Tensor::zeros([LEN], DType::Int64).unwrap();
    let counts: Vec<AtomicUsize> = (0..LEN).map(|_| AtomicUsize::new(0)).collect();
    on_threads(6, |k| {
        let mut rng = TestRng::new(k as u64);
        for _ in 0..zoo::rounds(400) {
            let (start, step) = (rng.below(LEN - 1), 1 + rng.below(5));
            let part = match rng.below(3) {
                0 => x.clone(),
                1 => x.slice(s![start..;step as isize]).unwrap(),
                _ => x.slice(s![..start + 1;-(step as isize)]).unwrap(),
            };
            part.add_assign(1).unwrap();
            for at in part.layout().offsets() {
                counts[at].fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let counts: Vec<i64> = counts.into_iter().map(|it| it.into_inner() as i64).collect();
    assert_eq!(x.to_vec::<i64>().unwrap(), counts);
}

#[test]
fn single_elements_are_set_during_operations() {
    let x = Tensor::zeros([64], DType::Int64).unwrap();
    on_threads(4, |k| {
        for i in 0..zoo::rounds(30_000) as i64 {
            match k {
                0 => x.add_assign(1).unwrap(),
                _ => x.set(&[k % 2], i).unwrap(),
            }
        }
    });
    assert_eq!(x.get::<i64>(&[63]).unwrap(), zoo::rounds(30_000) as i64);
}

#[test]
fn readers_never_see_partial_writes() {
    let x = Tensor::zeros([300, 300], DType::Int32).unwrap();
    let is_over = AtomicBool::new(false);
    on_threads(5, |k| {
        if k < 2 {
            let _end = zoo::SetOnDrop(&is_over);
            for i in 0..zoo::rounds(200) as i32 {
                x.fill(2 * i + k as i32).unwrap();
            }
            return;
        }
        while !is_over.load(Ordering::Relaxed) {
            let seen = match k {
                2 => x.to_vec::<i32>().unwrap(),
                3 => x.t().unwrap().add(0).unwrap().to_vec::<i32>().unwrap(),
                _ => x.flip(&[0]).unwrap().contiguous().unwrap().to_vec::<i32>().unwrap(),
            };
            assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
        }
    });
}

#[test]
fn several_storages_are_claimed_without_deadlock() {
    let tensors: Vec<Tensor> = (0..4).map(|_| Tensor::ones([200], DType::Int64).unwrap()).collect();
    let n_sums = AtomicUsize::new(0);
    on_threads(6, |k| {
        let mut rng = TestRng::new(100 + k as u64);
        for _ in 0..zoo::rounds(2000) {
            let mut pick = || &tensors[rng.below(4)];
            let (a, b, c, out) = (pick(), pick(), pick(), pick());
            where_into(a, b, c, out).unwrap();
            minimum_into(a, b, out).unwrap();
            n_sums.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!(n_sums.into_inner(), 6 * zoo::rounds(2000));
    for x in tensors {
        assert_eq!(x.to_vec::<i64>().unwrap(), [1; 200]);
    }
}

#[test]
fn guards_and_operations_contend_and_every_outcome_is_accounted_for() {
    let x = Tensor::zeros([64], DType::Int64).unwrap();
    let done: Vec<AtomicUsize> = (0..64).map(|_| AtomicUsize::new(0)).collect();
    on_threads(4, |k| {
        let mut rng = TestRng::new(7 + k as u64);
        for _ in 0..zoo::rounds(2000) {
            let start = rng.below(56);
            let part = x.slice(s![start..start + 8]).unwrap();
            let outcome = match rng.below(3) {
                0 => part.add_assign(1),
                1 => part.write::<i64>().map(|mut guard| guard.view_mut().map(|it| it + 1)),
                _ => part.read::<i64>().and_then(|guard| {
                    let sum: i64 = guard.view().iter().sum();
                    std::thread::yield_now();
                    assert_eq!(
                        sum,
                        guard.view().iter().sum::<i64>(),
                        "no writer while the guard is held"
                    );
                    Err(Error::ReadOnly)
                }),
            };
            match outcome {
                Ok(()) => {
                    for it in &done[start..start + 8] {
                        it.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Err(Error::Borrowed { .. } | Error::ReadOnly) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
    let done: Vec<i64> = done.into_iter().map(|it| it.into_inner() as i64).collect();
    assert_eq!(x.to_vec::<i64>().unwrap(), done);
    x.write::<i64>().map(drop).unwrap();
}

#[test]
fn disjoint_views_are_written_by_many_threads() {
    let x = Tensor::zeros([96, 120], DType::Float32).unwrap();
    let mut guard = x.write::<f32>().unwrap();
    with_watchdog(|| {
        std::thread::scope(|scope| {
            let (left, right) = guard.view_mut().split_at(1, 50).unwrap();
            for (k, mut rows) in left.into_chunks(0, 7).unwrap().enumerate() {
                scope.spawn(move || rows.map(|it| it + k as f32));
            }
            let parts: [&[Index]; 3] = [&s![..;2], &s![1..;2, ..;-2], &s![1..;2, -2_isize..;-2]];
            for (k, mut part) in right.multi_slice(parts).unwrap().into_iter().enumerate() {
                scope.spawn(move || part.fill(100.0 + k as f32));
            }
        });
    });
    drop(guard);
    let seen = x.to_vec::<f32>().unwrap();
    for (i, row) in seen.chunks(120).enumerate() {
        assert!(row[..50].iter().all(|&it| it == (i / 7) as f32));
        let expected = |k: usize| match (i % 2, k % 2) {
            (0, _) => 100.0,
            (_, 1) => 101.0,
            _ => 102.0,
        };
        assert!(row[50..].iter().enumerate().all(|(k, &it)| it == expected(k)), "{i} {row:?}");
    }
}

#[test]
fn operations_inside_of_rayon_do_not_hang() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let x = Tensor::zeros([100_000], DType::Int64).unwrap();
    let n = zoo::rounds(60);
    with_watchdog(|| {
        pool.install(|| {
            rayon::scope(|scope| {
                for k in 0..n {
                    let x = &x;
                    scope.spawn(move |scope| {
                        with_num_threads(2, || x.add_assign(1).unwrap());
                        scope.spawn(move |_| x.slice(s![k..;3]).unwrap().add_assign(1).unwrap());
                        let (a, b) = rayon::join(|| x.add(x).unwrap(), || x.copy().unwrap());
                        assert_eq!(a.shape(), b.shape());
                    });
                }
            });
        });
    });
    let mut expected = vec![n as i64; 100_000];
    for k in 0..n {
        expected[k..].iter_mut().step_by(3).for_each(|it| *it += 1);
    }
    assert_eq!(x.to_vec::<i64>().unwrap(), expected);
}

#[test]
fn large_operations_of_many_threads_share_the_pool() {
    let x = Tensor::arange(0..200_000i64).unwrap();
    on_threads(4, |k| {
        with_num_threads(3, || {
            for i in 0..zoo::rounds(20) as i64 {
                let sum = x.add(i).unwrap();
                assert_eq!(sum.get::<i64>(&[199_999]).unwrap(), 199_999 + i);
                let y = x.mul(k as i64).unwrap();
                assert_eq!(y.get::<i64>(&[1000]).unwrap(), 1000 * k as i64);
            }
        });
    });
}

#[test]
fn tensors_and_guards_cross_threads() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Tensor>();
    is_sync::<Tensor>();
    is_send::<Storage>();
    is_sync::<Storage>();
    is_send::<ReadGuard<f32>>();
    is_send::<WriteGuard<f32>>();
    is_send::<View<'_, f32>>();
    is_sync::<View<'_, f32>>();
    is_send::<ViewMut<'_, f32>>();
    is_send::<Error>();
    is_sync::<Error>();
}

/// A binding prepares a call with the lock of its interpreter held, and makes it with the lock released:
/// as far as the compiler knows, on another thread.
#[test]
fn arguments_and_results_are_send() {
    fn may_go<T: Send>() {}
    fn may_be_shared<T: Send + Sync>() {}

    may_be_shared::<(Tensor, Storage, Lens, Layout, Error, DType, random::Generator)>();
    may_be_shared::<(Axes, Index, Slice, Shape, copies::CopyEvent)>();
    may_be_shared::<(copies::Recording, copies::Forbidden, copies::Allowed)>();
    may_be_shared::<(Operand<'static>, TensorIndex<'static>)>();
    may_go::<(Target<'static>, View<'static, f32>, ViewMut<'static, f32>)>();
    may_go::<(UniqueAll, TopK, Histogram, linalg::Svd, linalg::Eigh, Comparison)>();
}

#[test]
fn waiting_writers_lose_no_write() {
    let x = Tensor::zeros([8, 8], DType::Int64).unwrap();
    let n_refused = AtomicUsize::new(0);
    let rounds = zoo::rounds(300);
    on_threads(4, |n| {
        // Two threads write to all of it, one to a part, and one holds a guard of another part at intervals.
        let part = if n < 2 { x.clone() } else { x.narrow(0, 4 * (n - 2), 4).unwrap() };
        for _ in 0..rounds {
            let add = || part.add_assign(1);
            loop {
                match without_waiting(add) {
                    Err(Error::Busy { .. }) => {
                        n_refused.fetch_add(1, Ordering::Relaxed);
                        match add() {
                            Err(Error::Borrowed { .. }) => continue,
                            outcome => break outcome.unwrap(),
                        }
                    }
                    Err(Error::Borrowed { .. }) => std::thread::yield_now(),
                    outcome => break outcome.unwrap(),
                }
            }
            if n == 3 {
                drop(without_waiting(|| part.read::<i64>()));
            }
        }
    });
    assert_eq!(x.min(()).unwrap().item::<i64>().unwrap(), 3 * rounds as i64);
    assert_eq!(x.max(()).unwrap().item::<i64>().unwrap(), 3 * rounds as i64);
    let still = without_waiting(|| x.add_assign(1));
    assert!(still.is_ok(), "all borrows have ended; {} were refused", n_refused.into_inner());
}

//! Memory: zeroed, aligned and counted blocks; allocations beyond memory are errors, not aborts.

mod zoo;

use belvedere::*;
use std::sync::Mutex;

/// A call that allocates and may fail.
type Attempt = fn(&Tensor) -> Result<(), Error>;

/// The counters are process-wide: tests that read them run one at a time.
static COUNTING: Mutex<()> = Mutex::new(());

fn counting() -> std::sync::MutexGuard<'static, ()> {
    COUNTING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[test]
fn zeros_are_zero_on_recycled_memory() {
    let _turn = counting();
    for elements in [1, 100, 4096, (1 << 18) + 1, 1 << 19, (1 << 20) + 12345] {
        let reused = memory::stats().reused;
        for _ in 0..3 {
            let dirt = Tensor::full([elements], 7.5f32).unwrap();
            drop(dirt);
            let zeros = Tensor::zeros([elements], DType::Float32).unwrap();
            assert!(zeros.to_vec::<f32>().unwrap().iter().all(|x| x.to_bits() == 0));
            zeros.fill(3).unwrap();
            let again = zeros.zeros_like().unwrap();
            assert!(again.to_vec::<f32>().unwrap().iter().all(|x| x.to_bits() == 0));
        }
        if elements * 4 >= 1 << 20 {
            assert!(memory::stats().reused > reused, "{elements} elements were not recycled");
        }
    }
}

#[test]
fn recycled_longer_block_is_zeroed_to_its_end() {
    let _turn = counting();
    let long = Tensor::full([(2 << 20) + 60_000], 255u8).unwrap();
    drop(long);
    for len in [(2 << 20) + 50_000, (2 << 20) + 59_999, (2 << 20) + 60_000] {
        let x = Tensor::zeros([len], DType::UInt8).unwrap();
        assert_eq!(x.storage().len(), len);
        assert!(x.to_vec::<u8>().unwrap().iter().all(|&it| it == 0));
        x.fill(255).unwrap();
    }
}

#[test]
fn blocks_are_counted_recycled_and_freed() {
    let _turn = counting();
    memory::trim();
    let before = memory::stats();
    assert_eq!(before.kept, 0);
    let bytes = 8 << 20;
    let x = Tensor::zeros([bytes], DType::UInt8).unwrap();
    let with = memory::stats();
    assert!(with.in_use >= before.in_use + bytes);
    drop(x);
    let after = memory::stats();
    assert_eq!(after.in_use, before.in_use);
    assert_eq!(after.kept, with.in_use - before.in_use);
    let y = Tensor::zeros([bytes], DType::UInt8).unwrap();
    let again = memory::stats();
    assert_eq!((again.in_use, again.kept, again.reused), (with.in_use, 0, after.reused + 1));
    drop(y);
    assert_eq!(memory::trim(), after.kept);
    assert_eq!(memory::stats().kept, 0);
    assert_eq!(memory::stats().in_use, before.in_use);
    assert_eq!(memory::trim(), 0);
}

#[test]
fn recycled_memory_is_bounded() {
    let _turn = counting();
    memory::trim();
    let many: Vec<Tensor> =
        (0..80).map(|_| Tensor::zeros([1 << 20], DType::UInt8).unwrap()).collect();
    drop(many);
    assert!(memory::stats().kept <= 40 << 20, "{:?}", memory::stats());
    memory::trim();
}

#[test]
fn last_freed_block_is_recycled() {
    let _turn = counting();
    memory::trim();
    let many: Vec<Tensor> =
        (0..40).map(|_| Tensor::zeros([16 << 20], DType::UInt8).unwrap()).collect();
    drop(many);
    drop(Tensor::zeros([3 << 20], DType::UInt8).unwrap());
    let before = memory::stats();
    let _again = Tensor::zeros([3 << 20], DType::UInt8).unwrap();
    assert_eq!(memory::stats().reused, before.reused + 1);
    assert!(before.kept <= 512 << 20, "{before:?}");
    memory::trim();
}

#[test]
fn counters_are_right_after_many_threads() {
    let _turn = counting();
    memory::trim();
    let before = memory::stats();
    std::thread::scope(|scope| {
        for k in 0..4usize {
            scope.spawn(move || {
                for i in 0..60 {
                    let x = Tensor::full([(1 << 20) + 4096 * ((i + k) % 5)], k as u8).unwrap();
                    assert_eq!(x.get::<u8>(&[x.len() - 1]).unwrap(), k as u8);
                    if i % 20 == k {
                        memory::trim();
                    }
                }
            });
        }
    });
    memory::trim();
    let after = memory::stats();
    assert_eq!((after.in_use, after.kept), (before.in_use, 0));
}

#[test]
fn own_memory_is_aligned_to_64_bytes() {
    let _turn = counting();
    for dtype in DType::ALL {
        for len in [0, 1, 3, 100, 5000, 300_000] {
            let shape = [len];
            let made = [
                Tensor::zeros(shape, dtype),
                Tensor::ones(shape, dtype),
                Tensor::zeros(shape, dtype).unwrap().copy(),
                Tensor::zeros(shape, dtype).unwrap().equal(true),
            ];
            for tensor in made.into_iter().flatten() {
                let address = tensor.storage().address();
                assert!(address.is_multiple_of(64), "{dtype} {len}");
            }
        }
    }
}

/// Checks that a call fails because of its size.
#[track_caller]
fn too_large<T>(outcome: Result<T, Error>) {
    match outcome {
        Ok(_) => panic!("there is not so much memory"),
        Err(error) => assert!(
            matches!(error.kind(), ErrorKind::Memory | ErrorKind::Limit | ErrorKind::Value),
            "{error}"
        ),
    }
}

#[test]
fn every_constructor_beyond_memory_is_an_error() {
    // Beyond any address space, beyond isize in bytes, beyond usize in bytes, beyond all counts.
    let (half, most) = (1usize << 62, isize::MAX as usize);
    let shapes: Vec<Vec<usize>> = vec![
        vec![1 << 50],
        vec![1 << 60],
        vec![(1 << 60) + (1 << 59)],
        vec![half],
        vec![most],
        vec![usize::MAX],
        vec![1 << 31, 1 << 30],
        vec![usize::MAX, 0, usize::MAX, usize::MAX],
    ];
    for shape in shapes.iter().take(7) {
        for dtype in DType::ALL {
            too_large(Tensor::zeros(shape, dtype));
            too_large(Tensor::ones(shape, dtype));
            too_large(Tensor::zeros_col_major(shape, dtype));
        }
        too_large(Tensor::full(shape, 1u8));
        too_large(Tensor::full(shape, Complex::new(1.0, 2.0)));
        too_large(Tensor::from_fn(shape, |_| 1u8));
        too_large(Tensor::eye((shape[0], 1usize << 40), DType::Int8));
    }
    for bytes in [1 << 50, half, most, most + 1, half + most, usize::MAX - 1, usize::MAX] {
        too_large(Storage::zeroed(bytes));
    }
    let empty = Tensor::zeros(&shapes[7], DType::Float64);
    assert!(empty.is_err(), "the products of its lengths are no numbers");
    too_large(Tensor::arange(0..1u64 << 50));
    too_large(Tensor::arange(0..u64::MAX));
    too_large(Tensor::arange(i64::MIN..i64::MAX));
    too_large(Tensor::arange(0.0..1e15));
    too_large(Tensor::arange(0.0..1e300));
    too_large(Tensor::linspace(0.0, 1.0, 1 << 50, DType::Float32));
    too_large(Tensor::linspace(0.0, 1.0, usize::MAX, DType::Int8));
    too_large(Tensor::arange_step(0.0, 1.0, 1e-300, DType::Float64));
}

#[test]
fn copies_and_operations_beyond_memory_are_errors() {
    for len in [1usize << 50, 1 << 60, (1 << 60) + (1 << 59), 1 << 62, isize::MAX as usize] {
        for dtype in [DType::UInt8, DType::Float64, DType::Complex128] {
            let one = Tensor::ones([1], dtype).unwrap();
            let x = one.broadcast_to([len]).unwrap();
            assert_eq!(x.len(), len);
            let attempts: [Attempt; 12] = [
                |x| x.copy().map(drop),
                |x| x.contiguous().map(drop),
                |x| x.add(x).map(drop),
                |x| x.add(1).map(drop),
                |x| x.equal(x).map(drop),
                |x| where_(true, x, x).map(drop),
                |x| x.astype(DType::Complex64).map(drop),
                |x| x.to_vec::<u8>().map(drop),
                |x| x.zeros_like().map(drop),
                |x| x.ones_like().map(drop),
                |x| x.full_like(2).map(drop),
                |x| x.negative().map(drop),
            ];
            for (n, attempt) in attempts.into_iter().enumerate() {
                for outcome in [attempt(&x), copies::record(|| attempt(&x)).0] {
                    let error = outcome.expect_err("there is not so much memory");
                    let kind = error.kind();
                    let is_known = matches!(kind, ErrorKind::Memory | ErrorKind::DType);
                    assert!(is_known, "{n}: {error}");
                }
            }
            assert!(copies::forbid(|| x.contiguous()).is_err());
            let rows = one.broadcast_to([len / 4, 4]).unwrap();
            assert!(rows.add(&rows.t().unwrap()).is_err());
        }
    }
}

#[test]
fn huge_broadcast_shapes_allocate_nothing() {
    let x = tensor![1.5].broadcast_to([1usize << 31, 1 << 31]).unwrap();
    assert_eq!(x.n_bytes(), usize::MAX, "as many as can be said");
    let corner = x.slice(s![-1, ..;1 << 29]).unwrap();
    assert_eq!(corner.to_vec::<f64>().unwrap(), [1.5; 4]);
    assert_eq!(x.t().unwrap().get::<f64>(&[5, 6]).unwrap(), 1.5);
    assert!(x.to_string().starts_with("[[1.5 1.5 1.5 ... 1.5 1.5 1.5]"));
    assert!(matches!(x.fill(1), Err(Error::Overlapping { .. })));
    assert!(x.explain().contains("18446744073709551615 bytes"), "{}", x.explain());
    assert!(zoo::full() || x.shares_memory(&x.t().unwrap()) == Some(true));
}

#[test]
fn empty_tensors_work() {
    for dtype in DType::ALL {
        let x = Tensor::zeros([3, 0, 2], dtype).unwrap();
        assert_eq!((x.len(), x.n_bytes(), x.storage().len()), (0, 0, 0));
        x.clear().unwrap();
        assert!(x.copy().unwrap().is_empty() && x.equal(&x).unwrap().is_empty());
        assert_eq!(x.to_string(), "[]");
        let wide = Tensor::ones([1], dtype).unwrap();
        assert_eq!(x.equal(&wide).unwrap().shape(), [3, 0, 2]);
    }
}

//! Memory shared with another library may be written by it at any time, also while an operation reads it.
//! The results are unspecified then, but the operation stays within its memory, terminates and does not
//! panic: results have the right shapes and indices are in range.

use crate::zoo::{SetOnDrop, TestRng, rounds, with_watchdog};
use belvedere::io::dlpack;
use belvedere::*;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// A tensor shared with another library.
struct Shared {
    tensor: Tensor,
    parcel: std::ptr::NonNull<dlpack::ManagedTensor>,
}

impl Shared {
    fn new(tensor: Tensor) -> Shared {
        let parcel = dlpack::export(&tensor).unwrap();
        Shared { tensor, parcel }
    }

    /// The bytes that the other library writes to.
    fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: the parcel lives until this is dropped, and describes this number of bytes.
        unsafe {
            let data = self.parcel.as_ref().tensor.data.cast::<AtomicU8>();
            std::slice::from_raw_parts(data, self.tensor.n_bytes())
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: it was exported by us, and is taken back once.
        drop(unsafe { dlpack::import(self.parcel) });
    }
}

/// Runs operations on a tensor while another thread keeps writing to its bytes: a few of them at a time,
/// each a value that is made of a random number.
fn while_scribbling(tensor: Tensor, value: fn(usize) -> u8, work: impl Fn(&Tensor, usize)) {
    let shared = Shared::new(tensor);
    let is_over = AtomicBool::new(false);
    with_watchdog(|| {
        std::thread::scope(|scope| {
            let (bytes, is_over) = (shared.bytes(), &is_over);
            scope.spawn(move || {
                let mut rng = TestRng::new(7);
                while !is_over.load(Ordering::Relaxed) {
                    let from = rng.below(bytes.len());
                    for byte in bytes[from..].iter().take(1 + rng.below(5000)) {
                        byte.store(value(rng.below(1 << 16)), Ordering::Relaxed);
                    }
                }
            });
            let _end = SetOnDrop(is_over);
            for round in 0..rounds(20) {
                with_num_threads(1 + round % 3, || work(&shared.tensor, round));
            }
        });
    });
}

/// Checks that all elements are at least 0 and below a bound.
#[track_caller]
fn check_range(positions: &Tensor, len: usize) {
    for position in positions.to_vec::<i64>().unwrap() {
        assert!(usize::try_from(position).is_ok_and(|it| it < len), "{position} of {len}");
    }
}

const LEN: usize = 20_000;

#[test]
fn masks() {
    let x = Tensor::arange(0..LEN as i32).unwrap();
    let mask = Tensor::zeros([LEN], DType::Bool).unwrap();
    // Any byte but 0 is true.
    let value = |n: usize| if n.is_multiple_of(3) { n as u8 } else { 0 };
    while_scribbling(mask, value, |mask, round| {
        let grid = mask.reshape([100, -1]).unwrap();
        let taken = x.masked_select(mask).unwrap().to_vec::<i32>().unwrap();
        assert!(taken.iter().all(|&it| (0..LEN as i32).contains(&it)));
        for places in [mask.nonzero().unwrap().remove(0), x.index(at![mask]).unwrap()] {
            check_range(&places.astype(DType::Int64).unwrap(), LEN);
        }
        let coordinates = grid.argwhere().unwrap();
        check_range(&coordinates.select(1, 0).unwrap().contiguous().unwrap(), 100);
        check_range(&coordinates.select(1, 1).unwrap().contiguous().unwrap(), LEN / 100);
        assert_eq!(x.compress(mask, 0).unwrap().rank(), 1);
        let y = x.copy().unwrap();
        y.index_assign(at![mask], round as i32).unwrap();
        y.index_add_assign(at![mask], 1).unwrap();
        assert!(mask.count_nonzero(()).unwrap().item::<i64>().unwrap() <= LEN as i64);
        where_(mask, &x, 0).unwrap();
        x.masked_fill(mask, 5).unwrap();
        let (sorted, order) = (mask.sort(0).unwrap(), mask.argsort(0).unwrap());
        assert_eq!(sorted.shape(), [LEN]);
        check_range(&order, LEN);
    });
}

/// Checks the result of an operation on indices that change concurrently, if it did not fail.
#[track_caller]
fn refused_or<T>(outcome: Result<T, Error>, check: impl FnOnce(T)) {
    match outcome {
        Ok(result) => check(result),
        Err(Error::IndexOutOfRange { .. } | Error::Argument { .. }) => {}
        Err(Error::Layout(LayoutError::IndexOutOfRange { .. })) => {}
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn indices_and_counts() {
    let x = Tensor::arange(0..256i32).unwrap();
    let indices = Tensor::zeros([LEN], DType::UInt8).unwrap();
    // Below 200, and sometimes out of range.
    let value = |n: usize| if n.is_multiple_of(9999) { 255 } else { (n % 200) as u8 };
    while_scribbling(indices, value, |indices, _| {
        let part = x.slice(s![..200]).unwrap();
        refused_or(part.take(indices, 0), |it| check_range(&it.astype(DType::Int64).unwrap(), 200));
        refused_or(part.index(at![indices]), |it| assert_eq!(it.shape(), [LEN]));
        refused_or(part.take_along_axis(indices, 0), |it| assert_eq!(it.shape(), [LEN]));
        let y = Tensor::zeros([200], DType::Int32).unwrap();
        refused_or(y.put_add(indices, 0, 1), |()| {});
        refused_or(y.index_assign(at![indices], 7), |()| {});
        refused_or(nn::one_hot(&indices.narrow(0, 0, 1000).unwrap(), 200, DType::UInt8), |it| {
            assert_eq!(it.shape(), [1000, 200]);
        });
        let counts = indices.narrow(0, 0, 256).unwrap();
        let repeated = x.repeat(&counts, 0).unwrap();
        check_range(&repeated.astype(DType::Int64).unwrap(), 256);
        let bins = indices.bincount(None, 0).unwrap();
        assert!(bins.len() <= 256 && bins.sum(()).unwrap().item::<i64>().unwrap() <= LEN as i64);
        refused_or(indices.histogram(10), |it| assert_eq!(it.counts.shape(), [10]));
        let sorter = indices.narrow(0, 0, 200).unwrap();
        refused_or(part.searchsorted_by(&part, Side::Left, &sorter), |it| check_range(&it, 201));
        check_range(&indices.searchsorted(&x, Side::Right).unwrap(), LEN + 1);
        let _ = indices.pow(indices).unwrap();
        let _ = x.floor_divide(&counts).unwrap();
    });
}

#[test]
fn sorts_and_searches() {
    let x = Tensor::zeros([LEN / 4], DType::Float32).unwrap();
    let value = |n: usize| n as u8;
    while_scribbling(x, value, |x, round| {
        let n = x.len();
        let grid = x.reshape([50, -1]).unwrap();
        for y in [x.clone(), grid.reshape([-1]).unwrap()] {
            assert_eq!(y.sort(0).unwrap().shape(), [n]);
            check_range(&y.argsort(descending(0)).unwrap(), n);
            let top = y.topk(10, 0).unwrap();
            check_range(&top.indices, n);
            check_range(&y.argpartition(n as isize / 2, 0).unwrap(), n);
            let all = y.unique_all().unwrap();
            check_range(&all.indices, n);
            check_range(&all.inverse_indices, all.values.len());
            assert_eq!(all.counts.sum(()).unwrap().item::<i64>().unwrap(), n as i64);
            check_range(&y.argmax(()).unwrap().reshape([1]).unwrap(), n);
        }
        x.sort_assign(0).unwrap();
        grid.sort_assign(0).unwrap();
        assert!(isin(x, x).unwrap().len() == n);
        union1d(x, &tensor![1.0f32]).unwrap();
        x.quantile(&tensor![0.1, 0.5, 0.9], ()).map(drop).unwrap();
        random::Generator::new(round as u64).shuffle(x, 0).unwrap();
        assert!(!x.to_string().is_empty());
        x.cumulative_sum(0).unwrap();
        x.allclose_with(x, 1e-3, 1e-3).unwrap();
    });
}

#[test]
fn matrices() {
    let a = Tensor::zeros([24, 24], DType::Float64).unwrap();
    // Bytes of numbers of all magnitudes, sometimes infinities and NaNs.
    let value = |n: usize| if n.is_multiple_of(30_000) { 0x7F } else { 0x3F & n as u8 };
    while_scribbling(a, value, |a, _| {
        let problem = |outcome: Result<(), Error>| match outcome {
            Ok(()) | Err(Error::Matrix { .. }) => {}
            Err(error) => panic!("{error}"),
        };
        problem(linalg::svdvals(a).map(drop));
        problem(linalg::eigvalsh(a).map(drop));
        problem(linalg::eigvals(a).map(drop));
        problem(linalg::eigh(a).map(drop));
        problem(linalg::qr(a).map(drop));
        problem(linalg::cholesky(a).map(drop));
        problem(linalg::inv(a).map(drop));
        problem(linalg::det(a).map(drop));
        problem(a.matmul(a).map(drop));
    });
}

//! Indexing with tensors behaves as in NumPy, for unusual layouts and all dtypes; nothing is written after an
//! error, overlapping inputs are read first, and results do not depend on the number of threads.

use crate::zoo::values::{DTypeVisitor, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::copies::CopyReason;
use belvedere::prelude::*;
use belvedere::{
    Index, Storage, TensorIndex, concat_into, copies, index_into, nn, take_into, with_num_threads,
};

/// Returns a tensor of integers in a random layout.
fn integers(rng: &mut TestRng, shape: &[usize], low: i64, high: i64) -> (Tensor, Vec<i64>) {
    let layout = rng.random_layout(shape, Freedom::Any);
    let span = (high - low + 1) as usize;
    let guarded = GuardedTensor::<i64>::with(&layout, |n| {
        (0..n).map(|_| low + rng.below(span) as i64).collect()
    });
    let values = guarded.values();
    (guarded.tensor, values)
}

/// Returns the indices of a shape in row-major order.
fn positions(shape: &[usize]) -> Vec<Vec<usize>> {
    let n: usize = shape.iter().product();
    let unravel = |mut flat: usize| {
        let mut at = vec![0; shape.len()];
        for k in (0..shape.len()).rev() {
            at[k] = flat % shape[k];
            flat /= shape[k];
        }
        at
    };
    (0..n).map(unravel).collect()
}

/// Returns for each index of the result of `take` the index of the element.
fn taken(shape: &[usize], k: usize, indices: &[i64], of: &[usize]) -> Vec<Vec<usize>> {
    let result: Vec<usize> = [&shape[..k], of, &shape[k + 1..]].concat();
    let from = |at: Vec<usize>| {
        let flat = at[k..k + of.len()].iter().zip(of).fold(0, |sum, (i, len)| sum * len + i);
        let index = indices[flat].rem_euclid(shape[k] as i64) as usize;
        [&at[..k], &[index], &at[k + of.len()..]].concat()
    };
    positions(&result).into_iter().map(from).collect()
}

/// Returns the row-major position of an index.
fn flat(at: &[usize], shape: &[usize]) -> usize {
    at.iter().zip(shape).fold(0, |sum, (i, len)| sum * len + i)
}

struct TakeAndPut;

impl DTypeVisitor for TakeAndPut {
    fn visit<T: TestElement>(&mut self) {
        let mut rng = TestRng::new(T::DTYPE.size() as u64 + 7);
        for (n, layout) in zoo::layouts().iter().enumerate() {
            if layout.rank() == 0 || layout.is_empty() {
                continue;
            }
            let k = rng.below(layout.rank());
            let (shape, len) = (layout.shape(), layout.shape()[k]);
            let of = rng.shape(2, 9);
            let (indices, list) = integers(&mut rng, &of, -(len as i64), len as i64 - 1);
            let x = GuardedTensor::<T>::new(layout, n);
            let (values, from) = (x.values(), taken(&shape, k, &list, &of));
            let case = (T::DTYPE, layout, k, &list);
            let expected: Vec<T> = from.iter().map(|at| values[flat(at, &shape)]).collect();
            let result = x.tensor.take(&indices, k as isize).unwrap();
            zoo::guarded_tensor::assert_same(&result.to_vec::<T>().unwrap(), &expected, case);
            assert_eq!(result.shape(), [&shape[..k], &of[..], &shape[k + 1..]].concat());

            let out = GuardedTensor::<T>::new(
                &rng.random_layout(&result.shape(), Freedom::Injective),
                n + 1,
            );
            take_into(&x.tensor, &indices, k as isize, &out.tensor).unwrap();
            out.assert_elements(&expected, case);
            x.assert_unchanged(case);

            let written = GuardedTensor::<T>::new(layout, n + 2);
            let outcome = written.tensor.put(&indices, k as isize, &result);
            assert_eq!(outcome.is_ok(), zoo::is_injective(layout), "{case:?}");
            if outcome.is_ok() {
                let mut now = written.values();
                from.iter().zip(&expected).for_each(|(at, &it)| now[flat(at, &shape)] = it);
                written.assert_elements(&now, case);
            } else {
                written.assert_unchanged(case);
            }
        }
    }
}

#[test]
fn take_and_put_work_for_every_layout_and_dtype() {
    for_each_dtype(&mut TakeAndPut);
}

struct Masks;

impl DTypeVisitor for Masks {
    fn visit<T: TestElement>(&mut self) {
        let mut rng = TestRng::new(3);
        for (n, layout) in zoo::layouts().iter().enumerate() {
            let x = GuardedTensor::<T>::new(layout, n);
            let mask =
                GuardedTensor::<Bool>::new(&rng.random_layout(&layout.shape(), Freedom::Any), n);
            let chosen = || x.values().into_iter().zip(mask.values());
            let expected: Vec<T> = chosen().filter(|it| it.1.is_true()).map(|it| it.0).collect();
            let found = x.tensor.index(at![&mask.tensor]).unwrap();
            let case = (T::DTYPE, layout, mask.layout());
            zoo::guarded_tensor::assert_same(&found.to_vec::<T>().unwrap(), &expected, case);

            let written = GuardedTensor::<T>::new(layout, n + 2);
            if written.tensor.masked_assign(&mask.tensor, &found).is_ok() {
                let mut rest = expected.iter();
                let now = written.values().into_iter().zip(mask.values());
                let now: Vec<T> = now
                    .map(|(old, it)| if it.is_true() { *rest.next().unwrap() } else { old })
                    .collect();
                written.assert_elements(&now, case);
            } else {
                assert!(!zoo::is_injective(layout), "{case:?}");
            }
        }
    }
}

#[test]
fn masks_select_for_every_layout_and_dtype() {
    for_each_dtype(&mut Masks);
}

#[test]
fn index_without_tensors_is_a_view() {
    let x = Tensor::arange(0..24).unwrap().reshape([2, 3, 4]).unwrap();
    let view = x.index(at![1, .., Index::NewAxis, 1..;2]).unwrap();
    assert!(view.storage().is_same(x.storage()));
    assert_eq!(view.shape(), [3, 1, 2]);
    x.index_assign(at![0, Index::Ellipsis], 7).unwrap();
    x.index_add_assign(at![0, 0], 1).unwrap();
    assert_eq!(x.slice(s![0, ..2, 0]).unwrap().to_vec::<i32>().unwrap(), [8, 7]);
}

#[test]
fn out_of_range_index_is_reported_and_nothing_is_written() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let bad = tensor![[0, 1], [2, -5]];
    let text = "index -5 at [1, 1] is out of range for axis 1 of length 4";
    let outcomes = [
        x.index(at![.., &bad]).map(drop),
        x.take(&bad, 1).map(drop),
        x.index_assign(at![.., &bad], 0),
        x.index_add_assign(at![.., &bad], 1),
        x.put(&bad, -1, 0),
        x.put_add(&bad, 1, 1),
        index_into(&x, at![.., &bad, 0..0], &Tensor::zeros([3, 2, 2], DType::Int32).unwrap())
            .or_else(|_| x.put(&bad, 1, 3)),
    ];
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (text, ErrorKind::Index));
    }
    let huge = tensor![1u64, u64::MAX];
    let error = x.take(&huge, 0).unwrap_err().to_string();
    assert_eq!(error, "index 18446744073709551615 at [1] is out of range for axis 0 of length 3");
    let least = tensor![i64::MIN];
    let error = x.take(&least, 0).unwrap_err().to_string();
    assert_eq!(error, "index -9223372036854775808 at [0] is out of range for axis 0 of length 3");
    assert_eq!(x.to_vec::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
}

#[test]
fn invalid_indices_are_refused() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let (rows, mask) = (tensor![0, 1], tensor![true, false]);
    let message = |it: Result<Tensor, Error>| it.unwrap_err().to_string();
    assert_eq!(
        message(x.index(at![&mask])),
        "the boolean mask has length 2 along axis 0, expected 3"
    );
    assert_eq!(
        message(x.index(at![0, &mask.broadcast_to([4, 2]).unwrap()])),
        "got 3 indices for 2 axes"
    );
    assert_eq!(message(x.index(at![&rows, &rows, &rows])), "got 3 indices for 2 axes");
    assert_eq!(message(x.index(at![&tensor![0.5]])), "index is not supported for float64");
    assert_eq!(message(x.take(&mask, 0)), "take is not supported for bool");
    assert_eq!(message(x.masked_select(&rows)), "masked_select is not supported for int32");
    assert!(x.index(at![&rows, &tensor![0, 1, 2]]).is_err(), "they do not broadcast");
    let ellipsis = Index::Ellipsis;
    assert!(
        x.index([
            TensorIndex::from(ellipsis),
            TensorIndex::from(&rows),
            TensorIndex::from(ellipsis)
        ])
        .is_err()
    );
    assert!(x.index_assign(at![&rows], &tensor![1, 2, 3]).is_err(), "values do not broadcast");
    assert!(x.index_assign(at![&rows], 0.5).is_err(), "no implicit cast from float to integer");
    assert!(x.index_assign(at![&rows], 5_000_000_000i64).is_err(), "it does not fit");
    assert!(tensor![true].index_add_assign(at![&tensor![0]], true).is_err());
    assert!(x.take_along_axis(&rows, 0).is_err(), "ranks differ");
    assert!(tensor![0].select(0, 0).unwrap().nonzero().is_err(), "there are no axes");
    assert_eq!(x.to_vec::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
}

#[test]
fn read_only_outputs_are_refused() {
    let x = Tensor::arange(0..4).unwrap();
    let rows = tensor![0, 1];
    let repeated = x.slice(s![0]).unwrap().broadcast_to([4]).unwrap();
    assert_eq!(repeated.put(&rows, 0, 1).unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!(
        take_into(&x, &rows, 0, &repeated.narrow(0, 0, 2).unwrap()).unwrap_err().kind(),
        ErrorKind::Borrow
    );
    let guard = x.read::<i32>().unwrap();
    assert_eq!(x.put(&rows, 0, 1).unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!(x.take(&rows, 0).unwrap().to_vec::<i32>().unwrap(), [0, 1]);
    drop(guard);
    let guard = rows.write::<i32>().unwrap();
    assert_eq!(x.take(&rows, 0).unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
    assert!(take_into(&x, &rows, 0, &Tensor::zeros([3], DType::Int32).unwrap()).is_err());
    assert!(take_into(&x, &rows, 0, &Tensor::zeros([2], DType::Bool).unwrap()).is_err());
    let wide = Tensor::zeros([2], DType::Float64).unwrap();
    take_into(&x, &rows, 0, &wide).unwrap();
    assert_eq!(wide.to_vec::<f64>().unwrap(), [0.0, 1.0]);
}

#[test]
fn overlapping_values_and_indices_are_read_before_written() {
    let x = Tensor::arange(0i64..6).unwrap();
    // The index is the tensor itself.
    x.index_assign(at![&x], &x.flip(&[0]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [5, 4, 3, 2, 1, 0]);
    index_into(&x, at![&x], &x).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4, 5]);
    take_into(&x, &tensor![5, 5, 0], 0, &x.slice(s![..;2]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [5, 1, 5, 3, 0, 5]);
    let square = Tensor::arange(0..9).unwrap().reshape([3, 3]).unwrap();
    take_into(&square.t().unwrap(), &tensor![2, 0, 0], 0, &square).unwrap();
    assert_eq!(square.to_vec::<i32>().unwrap(), [2, 5, 8, 0, 3, 6, 0, 3, 6]);
    square.put(&tensor![1, 0], 1, &square.slice(s![.., ..2]).unwrap().flip(&[0]).unwrap()).unwrap();
    assert_eq!(square.to_vec::<i32>().unwrap(), [3, 0, 8, 3, 0, 6, 5, 2, 6]);
    x.index_add_assign(at![&tensor![1, 1, 2]], &x.slice(s![3..]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [5, 4, 10, 3, 0, 5]);
    let mask = tensor![true, false, true, true];
    mask.index_assign(at![&mask], false).unwrap();
    assert_eq!(mask.to_vec::<bool>().unwrap(), [false; 4]);
}

#[test]
fn repeated_indices_keep_the_last_value_or_add_all() {
    let x = Tensor::zeros([3, 70], DType::Int32).unwrap();
    let rows = tensor![1, 1, -2, 0];
    let values = Tensor::arange(0..4).unwrap().unsqueeze(1).unwrap();
    x.put(&rows, 0, &values.broadcast_to([4, 70]).unwrap()).unwrap();
    assert_eq!(x.slice(s![.., 69]).unwrap().to_vec::<i32>().unwrap(), [3, 2, 0]);
    x.put_add(&rows, 0, &values).unwrap();
    assert_eq!(x.slice(s![.., 3]).unwrap().to_vec::<i32>().unwrap(), [6, 5, 0]);
}

#[test]
fn copies_are_events() {
    let x = Tensor::arange(0..8).unwrap();
    let rows = tensor![0, 1];
    let log = |work: &dyn Fn() -> Result<(), Error>| {
        let (outcome, log) = copies::record(work);
        outcome.unwrap();
        log.iter().map(|it| (it.op, it.reason, it.bytes)).collect::<Vec<_>>()
    };
    assert_eq!(log(&|| x.take(&rows, 0).map(drop)), []);
    assert_eq!(log(&|| x.index(at![&x.greater(3)?]).map(drop)), []);
    assert_eq!(log(&|| x.put(&rows, 0, 5)), []);
    assert_eq!(log(&|| x.put(&rows, 0, &tensor![5, 6])), []);
    assert_eq!(log(&|| x.put(&rows, 0, &tensor![5i8, 6])), [("put", CopyReason::Cast, 8)]);
    let part = x.slice(s![..2]).unwrap();
    assert_eq!(log(&|| x.put(&rows, 0, &part)), [("put", CopyReason::Overlap, 8)]);
    let part = x.slice(s![1..3]).unwrap();
    assert_eq!(log(&|| take_into(&x, &rows, 0, &part)), [("take", CopyReason::Overlap, 8)]);
    assert_eq!(log(&|| x.nonzero().map(drop)), []);
    assert_eq!(log(&|| x.greater(3)?.nonzero().map(drop)), []);
    let refused = copies::forbid(|| x.put(&rows, 0, &tensor![5i8, 6]));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Copy);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut rng = TestRng::new(11);
    let n = 20_000;
    let x = Tensor::from_vec((0..n * 9).map(|i| (i as f32).sin()).collect(), [n, 9]).unwrap();
    let rows: Vec<i64> = (0..3 * n).map(|_| rng.below(n) as i64).collect();
    let rows = Tensor::from_vec(rows, [3 * n]).unwrap();
    let few = rows.map(|it: i64| it % 7).unwrap();
    let mask = x.greater(0.3).unwrap();
    let work = || {
        let taken = x.take(&rows, 0).unwrap();
        let columns = x.take(&few.narrow(0, 0, 20).unwrap(), 1).unwrap();
        let chosen = x.index(at![&mask]).unwrap();
        let places = mask.argwhere().unwrap();
        let sums = Tensor::zeros([7, 9], DType::Float32).unwrap();
        sums.put_add(&few, 0, &taken).unwrap();
        let last = Tensor::zeros([7, 9], DType::Float32).unwrap();
        last.put(&few, 0, &taken).unwrap();
        let wide = Tensor::zeros([9, 3], DType::Float32).unwrap();
        wide.put_add(
            &few.map(|it: i64| it % 3).unwrap(),
            1,
            &x.narrow(0, 0, 9).unwrap().select(1, 4).unwrap().unsqueeze(1).unwrap(),
        )
        .unwrap();
        let flipped = Tensor::zeros([7, 9], DType::Float32).unwrap();
        flipped.flip(&[0]).unwrap().put_add(&few, 0, &taken).unwrap();
        assert_eq!(
            flipped.flip(&[0]).unwrap().to_vec::<f32>().unwrap(),
            sums.to_vec::<f32>().unwrap()
        );
        let filled = x.copy().unwrap();
        filled.masked_assign(&mask, &chosen.flip(&[0]).unwrap()).unwrap();
        let all = [
            taken,
            wide,
            columns,
            chosen,
            sums,
            last,
            filled,
            places.astype(DType::Float32).unwrap(),
        ];
        all.map(|it| it.to_vec::<f32>().unwrap())
    };
    let expected = with_num_threads(1, work);
    for n in [2, 3, 8] {
        assert!(with_num_threads(n, work) == expected, "{n} threads");
    }
}

#[test]
fn complex_elements_may_be_aligned_to_4_bytes() {
    let mut words = vec![0u64; 9].into_boxed_slice();
    let at = std::ptr::NonNull::from(&mut words[..]).cast::<u8>();
    // SAFETY: bytes 4 to 68 of the 72, which live until the storage is dropped.
    let storage = unsafe { Storage::foreign(at.add(4), 64, true, move || drop(words)) };
    let layout = Layout::row_major(&[8]).unwrap();
    let x = Tensor::from_storage(storage, layout, DType::Complex64).unwrap();
    assert!(!x.storage().address().is_multiple_of(8));
    x.put(&tensor![7, 0], 0, &tensor![1.0, 2.0].astype(DType::Complex64).unwrap()).unwrap();
    x.put_add(&tensor![7, 7, 1], 0, Complex::new(0.0, 1.0)).unwrap();
    let odd = x.index(at![&x.not_equal(0).unwrap()]).unwrap();
    let expected =
        [(2.0, 0.0), (0.0, 1.0), (1.0, 2.0)].map(|it: (f32, f32)| Complex::new(it.0, it.1));
    assert_eq!(odd.to_vec::<Complex<f32>>().unwrap(), expected);
    let picked = x.take(&tensor![0, 1, -1], 0).unwrap();
    assert_eq!(picked.to_vec::<Complex<f32>>().unwrap(), expected);
}

#[test]
fn read_only_memory_is_refused() {
    static WORDS: [u64; 4] = [3; 4];
    let at = std::ptr::NonNull::from(&WORDS).cast();
    // SAFETY: the array is static and never written.
    let storage = unsafe { Storage::foreign(at, 32, false, || ()) };
    let x = Tensor::from_storage(storage, Layout::row_major(&[4]).unwrap(), DType::UInt64).unwrap();
    let rows = tensor![0, 0];
    assert!(matches!(x.put(&rows, 0, 1), Err(Error::ReadOnly)));
    assert!(matches!(x.index_add_assign(at![&rows], 1), Err(Error::ReadOnly)));
    assert!(matches!(x.masked_assign(&x.equal(3).unwrap(), 1), Err(Error::ReadOnly)));
    assert!(matches!(take_into(&x, &rows, 0, &x.narrow(0, 0, 2).unwrap()), Err(Error::ReadOnly)));
    assert!(matches!(concat_into(&[&x], 0, &x), Err(Error::ReadOnly)));
    assert_eq!(x.take(&rows, 0).unwrap().to_vec::<u64>().unwrap(), [3, 3]);
}

#[test]
fn take_along_axis_uses_separate_indices_for_each_lane() {
    let x = Tensor::arange(0..24).unwrap().reshape([2, 3, 4]).unwrap();
    let indices = tensor![[[3, 0], [1, 1]]];
    assert_eq!(x.gather(2, &indices).unwrap().to_vec::<i32>().unwrap(), [3, 0, 5, 5]);
    assert!(x.gather(2, &Tensor::zeros([3, 1, 1], DType::Int8).unwrap()).is_err());
    assert!(x.take_along_axis(&indices, 2).is_err(), "2 and 3 do not broadcast");
    let wide = x.narrow(0, 0, 1).unwrap().take_along_axis(&x.map(|it: i32| it % 3).unwrap(), 1);
    assert_eq!(wide.unwrap().shape(), [2, 3, 4], "both are broadcast");
    assert_eq!(x.index_select(-1, &tensor![0]).unwrap().shape(), [2, 3, 1]);
    x.add_along_axis(&tensor![[[0, 0, -1]]], 2, 100).unwrap();
    assert_eq!(x.slice(s![1, 2]).unwrap().to_vec::<i32>().unwrap(), [220, 21, 22, 123]);
    assert!(x.narrow(0, 0, 1).unwrap().put_along_axis(&x, 1, 0).is_err(), "outputs do not grow");
}

#[test]
fn empty_index_selects_nothing() {
    let empty = Tensor::zeros([0, 3], DType::Float32).unwrap();
    let none = Tensor::zeros([0], DType::Int64).unwrap();
    assert_eq!(empty.take(&none, 0).unwrap().shape(), [0, 3]);
    assert_eq!(empty.take(&tensor![2, 1], 1).unwrap().shape(), [0, 2]);
    assert!(empty.take(&tensor![0], 0).is_err());
    assert!(empty.index(at![&Tensor::zeros([0], DType::Float32).unwrap()]).is_err());
    assert!(empty.take(&tensor![3], 1).is_err(), "bounds are checked although nothing is read");
    assert_eq!(empty.index(at![&empty.greater(0.0).unwrap()]).unwrap().shape(), [0]);
    assert_eq!(empty.nonzero().unwrap()[1].shape(), [0]);
    assert_eq!(empty.argwhere().unwrap().shape(), [0, 2]);
    empty.index_assign(at![&none], 1.0).unwrap();
    let one = tensor![7].select(0, 0).unwrap();
    let (yes, no) = (tensor![true].select(0, 0).unwrap(), tensor![false].select(0, 0).unwrap());
    assert_eq!(one.index(at![&yes]).unwrap().to_vec::<i32>().unwrap(), [7]);
    assert_eq!(one.index(at![&no]).unwrap().shape(), [0]);
    one.index_assign(at![&yes], 8).unwrap();
    assert_eq!(one.argwhere().unwrap().shape(), [1, 0]);
    assert_eq!(one.item::<i32>().unwrap(), 8);
    assert_eq!(
        tensor![1, 2].index(at![&yes, &tensor![1, 0]]).unwrap().to_vec::<i32>().unwrap(),
        [2, 1]
    );
}

#[test]
fn embedding_lookup_and_its_gradient() {
    let table = Tensor::arange(0..8).unwrap().reshape([4, 2]).unwrap();
    let ids = tensor![[3, 0], [3, 3]];
    assert_eq!(nn::embedding(&table, &ids).unwrap().shape(), [2, 2, 2]);
    let gradient = Tensor::ones([2, 2, 2], DType::Float32).unwrap();
    let of_table = nn::embedding_grad(&gradient, &ids, 4).unwrap();
    assert_eq!(of_table.to_vec::<f32>().unwrap(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 3.0]);
    assert!(nn::embedding(&table, &tensor![4]).is_err());
    assert!(nn::embedding_grad(&gradient, &tensor![0], 4).is_err());
    assert!(nn::one_hot(&tensor![3], 3, DType::Int8).is_err());
    let hot = nn::one_hot(&ids, 4, DType::Bool).unwrap();
    assert_eq!(
        (hot.shape().to_vec(), hot.sum(()).unwrap().item::<i64>().unwrap()),
        (vec![2, 2, 4], 4)
    );
    assert!(nn::one_hot(&ids, usize::MAX, DType::Int8).is_err());
}

#[test]
fn masked_fill_keeps_the_dtype() {
    let (yes, no) = (tensor![true, false], tensor![false, false]);
    let filled =
        |x: &Tensor, value: &Tensor| copies::forbid(|| x.masked_fill(&yes, value)).unwrap();
    let one = |dtype| Tensor::ones([2], dtype).unwrap();
    for (own, other) in [
        (DType::Float32, DType::Float64),
        (DType::Float16, DType::Float64),
        (DType::Float64, DType::Int8),
        (DType::Int64, DType::UInt64),
        (DType::Int8, DType::Int64),
    ] {
        let x = Tensor::zeros([2], own).unwrap();
        let found = filled(&x, &one(other));
        assert_eq!(found.dtype(), own, "filled with {other}");
        assert_eq!(found.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap(), [1.0, 0.0]);
    }
    let x = one(DType::Int64);
    assert_eq!(x.masked_fill(&no, &one(DType::UInt64)).unwrap().to_vec::<i64>().unwrap(), [1, 1]);
    let refused = x.masked_fill(&yes, &one(DType::Float32)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::DType);
}

#[test]
fn nonzero_of_any_dtype_does_not_copy() {
    for dtype in DType::ALL {
        let x = Tensor::arange(0..200).unwrap().bitwise_and(3).unwrap().astype(dtype).unwrap();
        for x in [x.clone(), x.flip(0).unwrap(), x.slice(s![..;3]).unwrap()] {
            let expected = x.not_equal(0).unwrap().nonzero().unwrap();
            let found = copies::forbid(|| x.nonzero()).unwrap();
            assert!(!expected[0].is_empty());
            let list = |it: &[Tensor]| it[0].to_vec::<i64>().unwrap();
            assert_eq!(list(&found), list(&expected), "{dtype}");
            let rows = copies::forbid(|| x.argwhere()).unwrap();
            assert_eq!(rows.to_vec::<i64>().unwrap(), list(&expected), "{dtype}");
        }
    }
    let odd = tensor![f64::NAN, -0.0, 0.0, f64::INFINITY];
    assert_eq!(odd.argwhere().unwrap().to_vec::<i64>().unwrap(), [0, 3]);
}

//! `concat`, `stack`, `repeat`, `roll` and `pad`, for unusual layouts and overlapping outputs, without a copy
//! where a view suffices.

use crate::zoo::values::{DTypeVisitor, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::copies::CopyReason;
use belvedere::prelude::*;
use belvedere::*;

struct Joins;

impl DTypeVisitor for Joins {
    fn visit<T: TestElement>(&mut self) {
        let mut rng = TestRng::new(5);
        for (n, layout) in zoo::layouts().iter().enumerate().filter(|it| it.1.rank() > 0) {
            let (x, k) = (GuardedTensor::<T>::new(layout, n), rng.below(layout.rank()));
            let mut shape = layout.shape();
            shape[k] = rng.below(4);
            let y = GuardedTensor::<T>::new(&rng.random_layout(&shape, Freedom::Any), n + 1);
            let joined = concat(&[&x.tensor, &y.tensor], k as isize).unwrap();
            let len = layout.shape()[k];
            let (left, right) = joined.split_at(k as isize, len).unwrap();
            let case = (T::DTYPE, layout, k);
            zoo::guarded_tensor::assert_same(&left.to_vec::<T>().unwrap(), &x.values(), case);
            zoo::guarded_tensor::assert_same(&right.to_vec::<T>().unwrap(), &y.values(), case);

            let out = GuardedTensor::<T>::new(
                &rng.random_layout(&joined.shape(), Freedom::Injective),
                n + 2,
            );
            concat_into(&[&x.tensor, &y.tensor], k as isize, &out.tensor).unwrap();
            out.assert_elements(&joined.to_vec::<T>().unwrap(), case);

            let flat = concat(&[&x.tensor, &y.tensor], None).unwrap().to_vec::<T>().unwrap();
            zoo::guarded_tensor::assert_same(&flat, &[x.values(), y.values()].concat(), case);
            let rolled = x.tensor.roll(1, k as isize).unwrap();
            let back = rolled.roll(-1 - 5 * len as isize, k as isize).unwrap();
            zoo::guarded_tensor::assert_same(&back.to_vec::<T>().unwrap(), &x.values(), case);
            x.assert_unchanged(case);
        }
    }
}

#[test]
fn concat_and_stack_round_trip_for_every_layout_and_dtype() {
    for_each_dtype(&mut Joins);
}

#[test]
fn any_number_of_tensors_is_concatenated() {
    let parts: Vec<Tensor> = (0..1000).map(|i| tensor![i, i + 1]).collect();
    let joined = concat(&parts, 0).unwrap();
    assert_eq!(joined.shape(), [2000]);
    assert_eq!(joined.slice(s![998..1002]).unwrap().to_vec::<i32>().unwrap(), [499, 500, 500, 501]);
    assert_eq!(stack(&parts, 1).unwrap().shape(), [2, 1000]);
    assert!(concat::<Tensor>(&[], 0).is_err() && stack::<Tensor>(&[], 0).is_err());
}

#[test]
fn mismatched_shapes_are_refused() {
    let (x, y) = (tensor![[1, 2]], tensor![[1, 2, 3]]);
    let message = |it: Result<Tensor, Error>| it.unwrap_err().to_string();
    assert_eq!(message(concat(&[&x, &y], 0)), "concat needs shape [1, 2], got [1, 3]");
    assert_eq!(message(stack(&[&x, &y], 0)), "stack needs shape [1, 2], got [1, 3]");
    assert_eq!(message(concat(&[&x, &tensor![1]], 0)), "concat needs shape [1, 2], got [1]");
    assert_eq!(concat(&[&x, &x], 2).unwrap_err().kind(), ErrorKind::Axis);
    assert_eq!(message(concat::<&Tensor>(&[], 0)), "concat needs at least one tensor, got 0");
    let huge = tensor![1u8].broadcast_to([isize::MAX as usize]).unwrap();
    assert!(concat(&[&huge, &huge, &huge], 0).is_err());
    assert!(x.repeat(usize::MAX, 0).is_err() && x.tile(&[usize::MAX, 3]).is_err());
    assert!(x.repeat(-1, 0).is_err() && x.repeat(0.5, 0).is_err());
    assert!(x.repeat(&tensor![1, -1], 1).is_err() && x.repeat(&tensor![1, 2, 3], 1).is_err());
    assert!(x.repeat(&tensor![u64::MAX, 1], 1).is_err() && x.repeat(&tensor![[1, 1]], 1).is_err());
    assert!(x.repeat(&tensor![i64::MAX, i64::MAX], 1).is_err());
    assert!(x.pad(&[(1, 1)]).is_err() && x.pad(&[(0, 0), (usize::MAX, 1)]).is_err());
    assert!(x.pad(&[(0, 0), (1 << 62, 1 << 61)]).is_err());
    assert!(x.pad_mode(&[(1 << 40, 0), (1 << 40, 0)], PadMode::Reflect).is_err());
    assert!(x.pad_with(&[(1, 1), (1, 1)], 0.5).is_err());
    assert!(x.pad_with(&[(1, 1), (1, 1)], &y).is_err());
    let none = Tensor::zeros([0], DType::Int8).unwrap();
    assert!(none.pad_mode(&[(1, 0)], PadMode::Edge).is_err() && none.pad(&[(1, 0)]).is_ok());
    assert!(x.roll([1, 2], ()).is_err() && x.roll(&[1, 2, 3], &[0, 1]).is_err());
    assert!(x.roll(&[isize::MIN, isize::MAX], &[0, 1]).is_ok());
    assert!(
        tensor![1].tril(0).is_err() && x.tril(isize::MIN).is_ok() && x.triu(isize::MIN).is_ok()
    );
    assert!(meshgrid(&[&x], Indexing::Ij).is_err());
}

#[test]
fn concat_into_may_overlap_its_inputs() {
    let x = Tensor::arange(0..6).unwrap();
    let (left, right) = x.split_at(0, 3).unwrap();
    let (outcome, log) = copies::record(|| concat_into(&[&right, &left], 0, &x));
    outcome.unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [3, 4, 5, 0, 1, 2]);
    let reasons: Vec<_> = log.iter().map(|it| (it.op, it.reason, it.bytes)).collect();
    assert_eq!(reasons, [("concat", CopyReason::Overlap, 12); 2]);
    let square = x.view([2, 3]).unwrap();
    stack_into(&[&square.select(0, 1).unwrap(), &square.select(0, 0).unwrap()], 0, &square)
        .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);

    let guard = right.read::<i32>().unwrap();
    assert_eq!(concat_into(&[&right, &left], 0, &x).unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
    let guard = right.write::<i32>().unwrap();
    let out = Tensor::zeros([6], DType::Int32).unwrap();
    assert!(concat_into(&[&left, &right], 0, &out).is_err(), "the second part is borrowed");
    assert_eq!(out.to_vec::<i32>().unwrap(), [0; 6], "and so nothing was written");
    drop(guard);
    assert!(concat_into(&[&left, &right], 0, &out.narrow(0, 0, 5).unwrap()).is_err());
    assert!(concat_into(&[&left.astype(DType::Float32).unwrap()], 0, &left).is_err());
    let mut slice = [0f64; 6];
    concat_into(
        &[&left, &right],
        0,
        ViewMut::new(&mut slice, Layout::row_major(&[6]).unwrap()).unwrap(),
    )
    .unwrap();
    assert_eq!(slice, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn broadcasts_grids_and_unstack_are_views() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let mut views = x.unstack(1).unwrap();
    views.extend(
        meshgrid(&[x.select(0, 1).unwrap(), x.select(1, 0).unwrap()], Indexing::Xy).unwrap(),
    );
    views.extend(broadcast_arrays(&[&x, &x.select(0, 0).unwrap()]).unwrap());
    views.push(x.rot90(1, 0, 1).unwrap());
    views.extend([x.atleast_1d().unwrap(), x.atleast_3d().unwrap(), x.atleast_nd(5).unwrap()]);
    let (_, log) = copies::record(|| {
        for view in &views {
            assert!(view.storage().is_same(x.storage()), "{:?}", view.shape());
        }
    });
    assert!(log.is_empty());
    assert_eq!(views.len(), 12);
    views[1].fill(0).unwrap();
    assert_eq!(x.select(1, 1).unwrap().to_vec::<i32>().unwrap(), [0; 3]);
}

#[test]
fn only_flattening_copies_and_is_an_event() {
    let x = Tensor::arange(0..6).unwrap().reshape([2, 3]).unwrap().t().unwrap();
    let log = |work: &dyn Fn() -> Result<Tensor, Error>| copies::record(work).1.len();
    assert_eq!(log(&|| x.roll(1, 0)), 0);
    assert_eq!(log(&|| x.repeat(2, 0)), 0);
    assert_eq!(log(&|| x.repeat(&tensor![1, 2], 1)), 0);
    assert_eq!(log(&|| x.tile(&[2, 2])), 0);
    assert_eq!(log(&|| x.pad_mode(&[(1, 1), (2, 2)], PadMode::Wrap)), 0);
    assert_eq!(log(&|| x.tril(0)), 0);
    assert_eq!(log(&|| concat(&[&x, &x], None)), 0);
    assert_eq!(log(&|| x.roll(1, ())), 1);
    assert_eq!(log(&|| x.repeat(2, None)), 1);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let x = Tensor::arange(0..300_000).unwrap().reshape([300, 1000]).unwrap();
    let work = || {
        let all = [
            concat(&[&x, &x.flip(&[0]).unwrap()], 1).unwrap(),
            x.t().unwrap().roll(17, 1).unwrap(),
            x.pad_mode(&[(3, 3), (5, 7)], PadMode::Reflect).unwrap(),
            x.tile(&[2, 2]).unwrap(),
        ];
        all.map(|it| it.to_vec::<i32>().unwrap())
    };
    let expected = with_num_threads(1, work);
    for n in [2, 5, 8] {
        assert!(with_num_threads(n, work) == expected, "{n} threads");
    }
}

#[test]
fn pad_uses_the_given_value() {
    let x = tensor![[1u8, 2]];
    assert_eq!(
        x.pad_with(&[(0, 1), (0, 0)], 255).unwrap().to_vec::<u8>().unwrap(),
        [1, 2, 255, 255]
    );
    let value = tensor![[7u8]];
    assert_eq!(
        x.pad_with(&[(0, 1), (0, 0)], &value).unwrap().to_vec::<u8>().unwrap(),
        [1, 2, 7, 7]
    );
    let views = x.pad_with(&[(0, 0), (1, 0)], &value.read::<u8>().unwrap().view()).unwrap();
    assert_eq!(views.to_vec::<u8>().unwrap(), [7, 1, 2]);
    let counts = tensor![2, 0];
    let lens = tensor![1].lens().tile(&[2]).unwrap();
    assert_eq!(
        x.repeat(&counts.read::<i32>().unwrap().view(), 1).unwrap().to_vec::<u8>().unwrap(),
        [1, 1]
    );
    assert_eq!(x.repeat(&lens, 1).unwrap().to_vec::<u8>().unwrap(), [1, 2]);
    x.index_assign(at![.., &counts.slice(s![1..]).unwrap()], &value.lens().tile(&[1, 1]).unwrap())
        .unwrap();
    assert_eq!(x.to_vec::<u8>().unwrap(), [7, 2]);
}

#[test]
fn roll_accepts_one_shift_or_a_list() {
    let x = Tensor::arange(0..6).unwrap().view([2, 3]).unwrap();
    let list = |it: Result<Tensor, Error>| it.unwrap().to_vec::<i32>().unwrap();
    let both = [5, 3, 4, 2, 0, 1];
    assert_eq!(list(x.roll(1, [0, 1])), both, "one shift for all axes");
    assert_eq!(list(x.roll([1, -2], [0, -1])), both);
    assert_eq!(list(x.roll(&vec![1, 1][..], &[0, 1][..])), both);
    assert_eq!(list(x.roll([2, 2], [1, 1])), list(x.roll(4, 1)), "an axis twice");
    assert_eq!(list(x.roll(1, ())), [5, 0, 1, 2, 3, 4]);
    let none: [isize; 0] = [];
    let same = x.roll(1, none).unwrap();
    assert_eq!(same.to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    assert!(!same.storage().is_same(x.storage()), "a new tensor even if nothing moves");
    let one = tensor![7].select(0, 0).unwrap();
    assert_eq!(list(one.roll(3, ())), [7]);
    assert_eq!(list(belvedere::fft::fftshift(&one, ())), [7]);
    assert_eq!(list(belvedere::fft::fftshift(&x, none)), [0, 1, 2, 3, 4, 5]);
    assert!(x.roll(1, 2).is_err() && x.roll(1, [0, -3]).is_err());
}

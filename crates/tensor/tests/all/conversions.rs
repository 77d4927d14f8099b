//! Conversions from iterators, vectors, slices and arrays, and back to vectors: which of them copy.

use crate::zoo::{self, GuardedTensor};
use belvedere::prelude::*;
use belvedere::trace::{self, EventKind};
use belvedere::{Bool, copies};

/// Runs `f` and returns its result and the number of copies that it made.
fn counted<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let (result, copies) = copies::record(f);
    (result, copies.len())
}

#[test]
fn iterators_are_collected_to_rank_1() {
    let x = (0..12).map(|i| i as f32).collect::<Tensor>();
    assert_eq!((x.shape(), x.dtype()), ([12].into(), DType::Float32));
    assert_eq!(x.reshape([3, 4]).unwrap().get::<f32>(&[2, 1]).unwrap(), 9.0);
    let flags: Tensor = [1, 2, 3].iter().map(|it| it % 2 == 0).collect();
    assert_eq!(flags, tensor![false, true, false]);
    let none: Tensor = std::iter::empty::<i64>().collect();
    assert_eq!((none.shape(), none.dtype()), ([0].into(), DType::Int64));
}

#[test]
fn vectors_are_taken_over_and_slices_are_copied() {
    let values = vec![1u16, 2, 3];
    let address = values.as_ptr().addr();
    let (x, n_copies) = counted(|| Tensor::from(values));
    assert_eq!((x.storage().address(), x.shape(), n_copies), (address, [3].into(), 0));

    let rows = vec![[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let address = rows.as_ptr().addr();
    let (x, n_copies) = counted(|| Tensor::from(rows));
    assert_eq!((x.storage().address(), n_copies), (address, 0));
    assert_eq!(x, tensor![[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    assert_eq!(Tensor::from(vec![[0u8; 0]; 3]).shape(), [3, 0]);
    assert_eq!(Tensor::from(Vec::<bool>::new()).shape(), [0]);

    let (x, n_copies) = counted(|| Tensor::from(&[7, 8, 9][1..]));
    assert_eq!((x, n_copies), (tensor![8, 9], 1));
}

#[test]
fn arrays_of_any_depth_are_tensors() {
    assert_eq!(Tensor::from([1, 2, 3]), tensor![1, 2, 3]);
    assert_eq!(Tensor::from([[1.5, 2.5]]), tensor![[1.5, 2.5]]);
    let x: Tensor = [[[1i8, 2], [3, 4], [5, 6]]].into();
    assert_eq!((x.shape(), x.dtype()), ([1, 3, 2].into(), DType::Int8));
    assert_eq!(Tensor::from([[[[true]]]]).shape(), [1, 1, 1, 1]);
    assert_eq!(Tensor::from([[0.0f64; 0]; 2]).shape(), [2, 0]);
}

#[test]
fn a_sole_tensor_returns_its_vector() {
    let mut values = Vec::with_capacity(100);
    values.extend([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let address = values.as_ptr();
    let x = Tensor::from_vec(values, [2, 3]).unwrap();
    x.select(0, 1).unwrap().fill(0.0).unwrap();
    let (back, n_copies) = counted(|| x.into_vec::<f32>().unwrap());
    assert_eq!((back.as_ptr(), back.capacity(), n_copies), (address, 100, 0));
    assert_eq!(back, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);

    // A part that begins with the first element is the vector, shortened.
    let x = Tensor::from(back);
    let part = x.narrow(0, 0, 2).unwrap();
    drop(x);
    let (back, n_copies) = counted(|| part.into_vec::<f32>().unwrap());
    assert_eq!((back.as_ptr(), n_copies), (address, 0));
    assert_eq!(back, [1.0, 2.0]);

    // No vector has another type, but an empty one has no memory.
    let none = Tensor::from(Vec::<u8>::new());
    assert_eq!(none.into_vec::<u8>().unwrap(), []);
}

#[test]
fn other_tensors_are_copied_to_a_vector() {
    let vector = || Tensor::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    let copied = |x: Tensor, expected: &[i32]| {
        let (values, copies) = copies::record(|| x.into_vec::<i32>().unwrap());
        assert_eq!(values, expected);
        let [copy] = &copies[..] else { panic!("one copy, not {}", copies.len()) };
        assert_eq!((copy.op, copy.reason), ("into_vec", copies::CopyReason::Requested));
        assert_eq!(copy.bytes, 4 * expected.len());
    };
    let shared = vector();
    copied(shared.clone(), &[1, 2, 3, 4, 5, 6]);
    let guarded = vector();
    let guard = guarded.read::<i32>().unwrap();
    copied(guarded, &[1, 2, 3, 4, 5, 6]);
    assert_eq!(guard.view().get(&[1, 0]).unwrap(), 4);
    copied(vector().t().unwrap(), &[1, 4, 2, 5, 3, 6]);
    copied(vector().select(0, 1).unwrap(), &[4, 5, 6]);
    copied(vector().flip(&[0, 1]).unwrap(), &[6, 5, 4, 3, 2, 1]);
    // Memory of this library is not that of a vector.
    copied(Tensor::zeros([3], DType::Int32).unwrap(), &[0; 3]);
    copied(Tensor::zeros([1000], DType::Int32).unwrap().narrow(0, 0, 2).unwrap(), &[0; 2]);
    // A requested copy is never forbidden.
    assert!(copies::forbid(|| vector().t().unwrap().into_vec::<i32>()).is_ok());
}

#[test]
fn into_vec_refuses_what_to_vec_refuses() {
    let error = tensor![1, 2].into_vec::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "expected a tensor of float32, got int32");
    let x = tensor![1, 2];
    let guard = x.write::<i32>().unwrap();
    assert_eq!(x.into_vec::<i32>().unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
    let meta = belvedere::with_device(belvedere::Device::Meta, || Tensor::zeros([2], DType::Int32));
    assert!(meta.unwrap().into_vec::<i32>().unwrap_err().to_string().contains("on device meta"));
}

/// A `Bool` may be any byte, but a `bool` may not.
#[test]
fn a_vector_of_bools_holds_only_0_and_1() {
    let x = Tensor::from(vec![true, false, true]);
    x.bitcast(DType::UInt8).unwrap().copy_from(&tensor![7u8, 0, 255]).unwrap();
    let (values, n_copies) = counted(|| x.into_vec::<bool>().unwrap());
    assert_eq!((values.as_slice(), n_copies), (&[true, false, true][..], 0));
    assert!(values.iter().all(|&it| u8::from(it) <= 1));
    let (values, n_copies) = counted(|| Tensor::from(values).into_vec::<Bool>().unwrap());
    assert_eq!((values.len(), n_copies), (3, 1), "a vector of another type");
}

#[test]
fn every_layout_becomes_its_elements() {
    for layout in zoo::layouts() {
        let x = GuardedTensor::<i32>::new(&layout, 1);
        assert_eq!(x.tensor.clone().into_vec::<i32>().unwrap(), x.values(), "{layout:?}");
        let values = x.values();
        assert_eq!(x.tensor.into_vec::<i32>().unwrap(), values, "{layout:?}");
    }
}

#[test]
fn conversions_are_one_event_each() {
    let event = |f: &mut dyn FnMut()| {
        let ((), trace) = trace::record(f);
        let outermost: Vec<_> = trace.events().iter().filter(|it| it.depth == 0).collect();
        let [event] = outermost[..] else { panic!("{} events", outermost.len()) };
        (event.op, event.kind)
    };
    assert_eq!(event(&mut || drop((0..3).collect::<Tensor>())), ("collect", EventKind::New));
    assert_eq!(event(&mut || drop(Tensor::from(vec![1]))), ("from_vec", EventKind::Import));
    assert_eq!(event(&mut || drop(Tensor::from([[1]]))), ("tensor", EventKind::New));
    let mut x = Some(Tensor::from(vec![1]));
    let taken = event(&mut || drop(x.take().unwrap().into_vec::<i32>()));
    assert_eq!(taken, ("into_vec", EventKind::Export));
}

#[test]
fn tensors_are_references_to_themselves_and_their_layout() {
    fn rank(x: impl AsRef<Tensor>, layout: impl AsRef<Layout>) -> (usize, usize) {
        (x.as_ref().rank(), layout.as_ref().rank())
    }
    let x = tensor![[1, 2]];
    assert_eq!(rank(&x, &x), (2, 2));
    assert_eq!(rank(x.clone(), x), (2, 2));
}

//! An input with the strides of the output is not copied although it overlaps it: the loops run in the
//! direction that reads each element before it is written.

use belvedere::prelude::*;
use belvedere::{add_into, assign_into, copies};

/// Returns the memory after `out = f(source)` if the source is copied first.
fn twin(memory: &[i32], out: &Tensor, sources: [&Tensor; 2]) -> Vec<i32> {
    let mut after = memory.to_vec();
    let mut from = sources.map(|source| source.layout().offsets().collect::<Vec<_>>());
    let [a, b] = &mut from;
    for (i, to) in out.layout().offsets().enumerate() {
        after[to] = memory[a[i]].wrapping_add(memory[b[i]]);
    }
    after
}

#[test]
fn every_shift_of_every_slice_matches_copying_first() {
    let n = 4096;
    let fresh = || Tensor::arange(0..n).unwrap();
    let memory = fresh().to_vec::<i32>().unwrap();
    let shapes: [(&[usize], &[isize]); 6] = [
        (&[100], &[1]),
        (&[100], &[3]),
        (&[2000], &[1]),
        (&[10, 40], &[64, 1]),
        (&[40, 10], &[1, 64]),
        (&[3, 5, 70], &[400, 77, 1]),
    ];
    for (shape, strides) in shapes {
        for (at, from) in
            [(0, 1), (1, 0), (0, 64), (64, 0), (5, 70), (130, 2), (1500, 1), (1, 1500)]
        {
            let x = fresh();
            let (Ok(out), Ok(source)) =
                (x.as_strided(shape, strides, at), x.as_strided(shape, strides, from))
            else {
                continue;
            };
            for flips in [&[][..], &[0]] {
                let x = fresh();
                let out = x.as_strided(shape, strides, at).unwrap().flip(flips).unwrap();
                let source = x.as_strided(shape, strides, from).unwrap().flip(flips).unwrap();
                let expected = twin(&memory, &out, [&out, &source]);
                copies::forbid(|| add_into(&out, &source, &out)).unwrap();
                assert!(x.to_vec::<i32>().unwrap() == expected, "{shape:?} {at} {from}");
            }
            let (_, log) = copies::record(|| assign_into(&source, &out).unwrap());
            assert!(log.is_empty(), "{shape:?} {strides:?} {at} {from}");
            for (to, from) in out.layout().offsets().zip(source.layout().offsets()) {
                assert_eq!(x.get::<i32>(&[to]).unwrap(), memory[from]);
            }
        }
    }
}

#[test]
fn two_sources_on_either_side_need_a_buffer_and_say_so() {
    let x = Tensor::arange(0..100).unwrap();
    let (left, middle, right) =
        (x.slice(s![0..98]).unwrap(), x.slice(s![1..99]).unwrap(), x.slice(s![2..100]).unwrap());
    let (_, log) = copies::record(|| add_into(&left, &right, &middle).unwrap());
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].reason, copies::CopyReason::Overlap);
    let expected: Vec<i32> = [0].into_iter().chain((1..99).map(|i| 2 * i)).chain([99]).collect();
    assert_eq!(x.to_vec::<i32>().unwrap(), expected);
}

#[test]
fn overlapping_updates_that_numpy_and_pytorch_get_wrong() {
    // NumPy 2.4.6 gives 6 7 8 7.
    let x = Tensor::arange(0..24).unwrap();
    x.assign(s![4..20;5], &x.slice(s![6..10]).unwrap()).unwrap();
    assert_eq!(x.slice(s![4..20;5]).unwrap().to_vec::<i32>().unwrap(), [6, 7, 8, 9]);
    // PyTorch 2.15 reads elements it has just written.
    let x = Tensor::ones([2, 5], DType::Int32).unwrap();
    x.slice(s![.., 1..]).unwrap().add_assign(&x.slice(s![.., ..-1]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 2, 2, 2, 1, 2, 2, 2, 2]);
}

#[test]
fn interleaved_axes_are_buffered() {
    // Strides 2 and 3: injective for these lengths, but interleaved.
    let x = Tensor::arange(0..20).unwrap();
    let memory = x.to_vec::<i32>().unwrap();
    let out = x.as_strided(&[3, 2], &[2, 3], 0).unwrap();
    let source = x.as_strided(&[3, 2], &[2, 3], 2).unwrap();
    let expected: Vec<i32> = source.layout().offsets().map(|at| memory[at]).collect();
    let (_, log) = copies::record(|| out.copy_from(&source).unwrap());
    assert_eq!(log.len(), 1);
    assert_eq!(out.to_vec::<i32>().unwrap(), expected);
}

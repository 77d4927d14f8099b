//! A source that shares memory with what is written counts as it was before: the result is as if it
//! had been copied first. It is copied only when it has to be, and that is recorded.

mod zoo;

use belvedere::copies::{self, CopyReason};
use belvedere::*;
use zoo::animal::assert_same;
use zoo::{Animal, Dice};

#[test]
fn a_slice_is_assigned_from_another_that_it_meets() {
    let x = Tensor::arange(0..24).unwrap();
    x.assign(s![4..20;5], &x.slice(s![6..10]).unwrap()).unwrap();
    assert_eq!(x.slice(s![4..20;5]).unwrap().to_vec::<i32>().unwrap(), [6, 7, 8, 9]);
    let rest = [0, 1, 2, 3, 6, 5, 6, 7, 8, 7, 10, 11, 12, 13, 8, 15, 16, 17, 18, 9, 20, 21, 22, 23];
    assert_eq!(x.to_vec::<i32>().unwrap(), rest);
}

#[test]
fn neighbours_are_added_as_they_were() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let (right, left) = (x.slice(s![.., 1..]).unwrap(), x.slice(s![.., ..3]).unwrap());
    right.add_assign(&left).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 1, 3, 5, 4, 9, 11, 13, 8, 17, 19, 21]);
    left.sub_assign(&right).unwrap();
    assert_eq!(left.to_vec::<i32>().unwrap(), [-1, -2, -2, -5, -2, -2, -9, -2, -2]);
}

#[test]
fn a_matrix_takes_its_own_transpose_and_a_vector_itself_backwards() {
    for n in [1, 2, 3, 8, 9, 65, 130] {
        let x =
            Animal::<i32>::with(&Layout::row_major(&[n, n]).unwrap(), |n| (0..n as i32).collect());
        let transposed = x.tensor.t().unwrap();
        let expected = transposed.to_vec::<i32>().unwrap();
        x.tensor.copy_from(&transposed).unwrap();
        x.check_now(&expected, n);
    }
    let x = Tensor::arange(0..1000).unwrap();
    x.copy_from(&x.flip(&[0]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), (0..1000).rev().collect::<Vec<_>>());
}

/// A random view of a vector, with the offsets it reaches.
fn some_view(dice: &mut Dice, memory: usize, shape: &[usize], may_repeat: bool) -> Layout {
    loop {
        let strides: Vec<isize> = shape
            .iter()
            .map(|_| dice.below(13) as isize - 6)
            .map(|stride| if stride == 0 && !may_repeat { 7 } else { stride })
            .collect();
        let start = dice.below(memory);
        if let Ok(layout) = Layout::as_strided(memory, start, shape, &strides)
            && (may_repeat || zoo::is_injective(&layout))
        {
            return layout;
        }
    }
}

/// Pairs and triples of views of one storage, of random shapes and strides.
fn random_views(seed: u64, mut check: impl FnMut(&Tensor, Vec<i32>, [Layout; 4])) {
    let mut dice = Dice::new(seed);
    let shapes: [&[usize]; 8] =
        [&[4], &[7], &[2, 3], &[3, 3], &[2, 2, 2], &[5, 2], &[1, 4], &[3, 1, 2]];
    for _ in 0..zoo::rounds(4000) {
        let n = 24 + dice.below(20);
        let shape = *dice.pick(&shapes);
        let below = dice.shape_below(shape);
        let out = some_view(&mut dice, n, shape, false);
        let one = some_view(&mut dice, n, shape, true);
        let two = some_view(&mut dice, n, &below, true);
        let three = some_view(&mut dice, n, shape, true);
        let memory: Vec<i32> = (0..n as i32).map(|i| i * 3 - 20).collect();
        let x = Tensor::from_vec(memory.clone(), [n]).unwrap();
        check(&x, memory, [out, one, two, three]);
    }
}

/// The part of a tensor's storage that a layout reaches.
fn part(x: &Tensor, layout: &Layout) -> Tensor {
    Tensor::from_storage(x.storage().clone(), layout.clone(), x.dtype()).unwrap()
}

/// The values of a layout in memory, broadcast to a shape.
fn values(memory: &[i32], layout: &Layout, shape: &[usize]) -> Vec<i32> {
    layout.broadcast_to(shape).unwrap().offsets().map(|at| memory[at]).collect()
}

/// The memory after values were written through a layout.
fn written(memory: &[i32], out: &Layout, values: &[i32]) -> Vec<i32> {
    let mut memory = memory.to_vec();
    out.offsets().zip(values).for_each(|(at, &value)| memory[at] = value);
    memory
}

#[test]
fn assignments_between_all_overlapping_views_copy_first() {
    random_views(1, |x, memory, [out, _, two, _]| {
        let expected = written(&memory, &out, &values(&memory, &two, &out.shape()));
        assign_into(&part(x, &two), &part(x, &out)).unwrap();
        assert_same(&x.to_vec::<i32>().unwrap(), &expected, (&out, &two));
    });
}

#[test]
fn sums_of_overlapping_views_copy_first() {
    random_views(2, |x, memory, [out, one, two, _]| {
        let pairs = values(&memory, &one, &out.shape()).into_iter();
        let sums = pairs.zip(values(&memory, &two, &out.shape())).map(|(x, y)| x + y);
        let expected = written(&memory, &out, &sums.collect::<Vec<_>>());
        add_into(&part(x, &one), &part(x, &two), &part(x, &out)).unwrap();
        assert_same(&x.to_vec::<i32>().unwrap(), &expected, (&out, &one, &two));
    });
}

#[test]
fn one_operand_may_be_the_output_and_the_other_overlap_it() {
    random_views(3, |x, memory, [out, _, two, _]| {
        let pairs = values(&memory, &out, &out.shape()).into_iter();
        let products = pairs.zip(values(&memory, &two, &out.shape())).map(|(x, y)| x * y);
        let expected = written(&memory, &out, &products.collect::<Vec<_>>());
        part(x, &out).mul_assign(&part(x, &two)).unwrap();
        assert_same(&x.to_vec::<i32>().unwrap(), &expected, (&out, &two));
    });
}

#[test]
fn choices_between_overlapping_views_copy_first() {
    random_views(4, |x, memory, [out, one, two, three]| {
        let shape = out.shape();
        let [c, a, b] = [&one, &three, &two].map(|it| values(&memory, it, &shape));
        let choices: Vec<i32> = (0..c.len()).map(|i| if c[i] != 0 { a[i] } else { b[i] }).collect();
        let expected = written(&memory, &out, &choices);
        where_into(&part(x, &one), &part(x, &three), &part(x, &two), &part(x, &out)).unwrap();
        assert_same(&x.to_vec::<i32>().unwrap(), &expected, (&out, &one, &three, &two));
    });
}

#[test]
fn bytes_that_are_seen_as_another_type_overlap_too() {
    let mut dice = Dice::new(5);
    for _ in 0..zoo::rounds(1500) {
        let memory: Vec<i16> = (0..48).map(|i| i * 577 - 9000).collect();
        let x = Tensor::from_vec(memory, [48]).unwrap();
        let shape = *dice.pick(&[[4, 1], [2, 3], [3, 2]]);
        let out = part(&x, &some_view(&mut dice, 48, &shape, false));
        let as_type = *dice.pick(&[DType::Int8, DType::UInt16, DType::Float16, DType::Int32]);
        let cast = x.bitcast(as_type).unwrap();
        let memory = cast.len();
        let source = part(&cast, &some_view(&mut dice, memory, &shape, true));
        let expected = x.copy().unwrap();
        let copy = source.copy().unwrap();
        let target = part(&expected, out.layout());
        let outcome = assign_into(&source, &out);
        assert_eq!(outcome.is_ok(), assign_into(&copy, &target).is_ok());
        let (found, expected) = (x.to_vec::<i16>().unwrap(), expected.to_vec::<i16>().unwrap());
        assert_same(&found, &expected, (source.layout(), out.layout(), as_type));
    }
}

#[test]
fn large_overlapping_sources_are_copied_first() {
    let x = Tensor::arange(0..200_000i32).unwrap();
    let (late, early) = (x.slice(s![1..]).unwrap(), x.slice(s![..-1]).unwrap());
    for n in [1, 2, 4] {
        with_num_threads(zoo::threads(n), || {
            let before = x.to_vec::<i32>().unwrap();
            late.add_assign(&early).unwrap();
            let pairs = before.windows(2).map(|pair| pair[0].wrapping_add(pair[1]));
            assert_eq!(late.to_vec::<i32>().unwrap(), pairs.collect::<Vec<_>>());
            let before = x.to_vec::<i32>().unwrap();
            early.copy_from(&late).unwrap();
            assert_eq!(early.to_vec::<i32>().unwrap(), before[1..]);
        });
    }
}

/// The copies that something makes, which must all be for overlap.
fn overlap_copies(run: impl FnOnce() -> Result<(), Error>) -> Vec<usize> {
    let (outcome, log) = copies::record(run);
    outcome.unwrap();
    log.iter().for_each(|event| assert_eq!(event.reason, CopyReason::Overlap));
    log.iter().map(|event| event.bytes).collect()
}

#[test]
fn a_buffer_is_made_exactly_when_the_source_meets_the_output_elsewhere() {
    let x = Tensor::arange(0..24).unwrap().reshape([4, 6]).unwrap();
    let at = |index: &[Index]| x.slice(index).unwrap();
    let none: [usize; 0] = [];
    // The output itself, and what shares nothing with it, are read where they are.
    assert_eq!(overlap_copies(|| x.add_assign(&x)), none);
    assert_eq!(overlap_copies(|| add_into(&x, &x, &x)), none);
    assert_eq!(overlap_copies(|| x.copy_from(&x)), none);
    assert_eq!(overlap_copies(|| at(&s![..2]).add_assign(&at(&s![2..]))), none);
    assert_eq!(overlap_copies(|| at(&s![.., ..;2]).copy_from(&at(&s![.., 1..;2]))), none);
    assert_eq!(overlap_copies(|| x.t()?.add_assign(&x.t()?)), none);
    assert_eq!(overlap_copies(|| at(&s![0..0]).copy_from(&at(&s![0..0]))), none);
    // The rest is copied: as many bytes as the source has, not the output.
    assert_eq!(overlap_copies(|| at(&s![1..]).add_assign(&at(&s![..-1]))), [18 * 4]);
    assert_eq!(overlap_copies(|| x.add_assign(&at(&s![0]))), [6 * 4]);
    assert_eq!(overlap_copies(|| x.add_assign(&x.flip(&[1])?)), [24 * 4]);
    let both = overlap_copies(|| {
        add_into(&at(&s![..2]), &at(&s![1..3]), &at(&s![2..]).flip(&[0])?)?;
        add_into(&at(&s![..2]), &at(&s![1..3]), &at(&s![0..2]).flip(&[1])?)
    });
    assert_eq!(both, [12 * 4, 12 * 4, 12 * 4]);
    let bits = x.bitcast(DType::UInt32).unwrap();
    assert_eq!(overlap_copies(|| where_into(&bits, &x, 0, &x)), [24 * 4], "of another type");
}

#[test]
fn where_copies_are_forbidden_an_overlap_is_an_error_and_nothing_is_written() {
    random_views(6, |x, memory, [out, one, two, _]| {
        let (out, one, two) = (part(x, &out), part(x, &one), part(x, &two));
        let meets = |source: &Tensor| {
            let reached: Vec<usize> = out.layout().offsets().collect();
            let is_same = source.layout() == out.layout();
            !is_same && source.layout().offsets().any(|at| reached.contains(&at))
        };
        match copies::forbid(|| add_into(&one, &two, &out)) {
            Ok(()) => assert!(!meets(&one) && !meets(&two), "{one:?} {two:?} {out:?}"),
            Err(error) => {
                let text = "add would copy";
                assert!(error.to_string().starts_with(text), "{error}");
                assert_eq!(error.kind(), ErrorKind::Copy);
                assert!(meets(&one) || meets(&two), "{one:?} {two:?} {out:?}");
                assert_eq!(x.to_vec::<i32>().unwrap(), memory);
            }
        }
    });
}

#[test]
fn memory_that_was_imported_twice_overlaps_by_address() {
    let mut memory: Box<[i32; 12]> = Box::new(std::array::from_fn(|i| i as i32));
    let ptr = std::ptr::NonNull::from(&mut *memory).cast::<u8>();
    let import = |skipped: usize| {
        // SAFETY: both parts lie inside of the array, which outlives the tensors and is not touched
        // otherwise until they are gone.
        let storage =
            unsafe { Storage::foreign(ptr.add(4 * skipped), 48 - 4 * skipped, true, || ()) };
        let layout = Layout::row_major(&[8]).unwrap();
        Tensor::from_storage(storage, layout, DType::Int32).unwrap()
    };
    let (x, y) = (import(0), import(2));
    assert_eq!(x.shares_memory(&y), Some(true));
    assert!(!x.storage().is_same(y.storage()));
    assert_eq!(overlap_copies(|| y.copy_from(&x)), [32]);
    drop((x, y));
    assert_eq!(*memory, [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11]);
}

#[test]
fn the_layout_of_a_source_does_not_matter_for_what_is_copied_first() {
    for layout in zoo::layouts().iter().filter(|layout| zoo::is_injective(layout)) {
        let x = Animal::<f32>::tame(layout, 3);
        let reversed = x.tensor.flip(&(0..layout.rank() as isize).collect::<Vec<_>>()).unwrap();
        let values = x.values();
        let sums: Vec<f32> = values.iter().zip(values.iter().rev()).map(|(x, y)| x + y).collect();
        x.tensor.add_assign(&reversed).unwrap();
        x.check_now(&sums, layout);
    }
}

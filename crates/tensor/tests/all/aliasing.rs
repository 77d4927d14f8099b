//! Inputs that overlap the output are read before they are written, as if they had been copied first. They
//! are copied only if necessary, and the copy is recorded.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::{self, GuardedTensor, TestRng};
use belvedere::copies::{self, CopyReason};
use belvedere::*;

#[test]
fn slice_is_assigned_from_overlapping_slice() {
    let x = Tensor::arange(0..24).unwrap();
    x.assign(s![4..20;5], &x.slice(s![6..10]).unwrap()).unwrap();
    assert_eq!(x.slice(s![4..20;5]).unwrap().to_vec::<i32>().unwrap(), [6, 7, 8, 9]);
    let rest = [0, 1, 2, 3, 6, 5, 6, 7, 8, 7, 10, 11, 12, 13, 8, 15, 16, 17, 18, 9, 20, 21, 22, 23];
    assert_eq!(x.to_vec::<i32>().unwrap(), rest);
}

#[test]
fn shifted_add_in_place_reads_old_values() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let (right, left) = (x.slice(s![.., 1..]).unwrap(), x.slice(s![.., ..3]).unwrap());
    right.add_assign(&left).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 1, 3, 5, 4, 9, 11, 13, 8, 17, 19, 21]);
    left.sub_assign(&right).unwrap();
    assert_eq!(left.to_vec::<i32>().unwrap(), [-1, -2, -2, -5, -2, -2, -9, -2, -2]);
}

#[test]
fn matrix_is_assigned_its_transpose_and_vector_its_flip() {
    for n in [1, 2, 3, 8, 9, 65, 130] {
        let x = GuardedTensor::<i32>::with(&Layout::row_major(&[n, n]).unwrap(), |n| {
            (0..n as i32).collect()
        });
        let transposed = x.tensor.t().unwrap();
        let expected = transposed.to_vec::<i32>().unwrap();
        x.tensor.copy_from(&transposed).unwrap();
        x.assert_elements(&expected, n);
    }
    let x = Tensor::arange(0..1000).unwrap();
    x.copy_from(&x.flip(&[0]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), (0..1000).rev().collect::<Vec<_>>());
}

/// A random view of a vector, with the offsets it reaches.
fn some_view(rng: &mut TestRng, memory: usize, shape: &[usize], may_repeat: bool) -> Layout {
    loop {
        let strides: Vec<isize> = shape
            .iter()
            .map(|_| rng.below(13) as isize - 6)
            .map(|stride| if stride == 0 && !may_repeat { 7 } else { stride })
            .collect();
        let start = rng.below(memory);
        if let Ok(layout) = Layout::as_strided(memory, start, shape, &strides)
            && (may_repeat || zoo::is_injective(&layout))
        {
            return layout;
        }
    }
}

/// Pairs and triples of views of one storage, of random shapes and strides.
fn random_views(seed: u64, mut check: impl FnMut(&Tensor, Vec<i32>, [Layout; 4])) {
    let mut rng = TestRng::new(seed);
    let shapes: [&[usize]; 8] =
        [&[4], &[7], &[2, 3], &[3, 3], &[2, 2, 2], &[5, 2], &[1, 4], &[3, 1, 2]];
    for _ in 0..zoo::rounds(4000) {
        let n = 24 + rng.below(20);
        let shape = *rng.pick(&shapes);
        let below = rng.broadcastable_shape(shape);
        let out = some_view(&mut rng, n, shape, false);
        let one = some_view(&mut rng, n, shape, true);
        let two = some_view(&mut rng, n, &below, true);
        let three = some_view(&mut rng, n, shape, true);
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
fn one_operand_may_be_the_output_while_another_overlaps_it() {
    random_views(3, |x, memory, [out, _, two, _]| {
        let pairs = values(&memory, &out, &out.shape()).into_iter();
        let products = pairs.zip(values(&memory, &two, &out.shape())).map(|(x, y)| x * y);
        let expected = written(&memory, &out, &products.collect::<Vec<_>>());
        part(x, &out).mul_assign(&part(x, &two)).unwrap();
        assert_same(&x.to_vec::<i32>().unwrap(), &expected, (&out, &two));
    });
}

#[test]
fn where_of_overlapping_views_copies_first() {
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
fn views_of_another_dtype_overlap() {
    let mut rng = TestRng::new(5);
    for _ in 0..zoo::rounds(1500) {
        let memory: Vec<i16> = (0..48).map(|i| i * 577 - 9000).collect();
        let x = Tensor::from_vec(memory, [48]).unwrap();
        let shape = *rng.pick(&[[4, 1], [2, 3], [3, 2]]);
        let out = part(&x, &some_view(&mut rng, 48, &shape, false));
        let as_type = *rng.pick(&[DType::Int8, DType::UInt16, DType::Float16, DType::Int32]);
        let cast = x.bitcast(as_type).unwrap();
        let memory = cast.len();
        let source = part(&cast, &some_view(&mut rng, memory, &shape, true));
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
        with_num_threads(n, || {
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
fn source_is_buffered_exactly_when_it_overlaps_the_output_at_other_indices() {
    let x = Tensor::arange(0..24).unwrap().reshape([4, 6]).unwrap();
    let at = |index: &[Index]| x.slice(index).unwrap();
    let none: [usize; 0] = [];
    // The output itself and disjoint sources are read in place.
    assert_eq!(overlap_copies(|| x.add_assign(&x)), none);
    assert_eq!(overlap_copies(|| add_into(&x, &x, &x)), none);
    assert_eq!(overlap_copies(|| x.copy_from(&x)), none);
    assert_eq!(overlap_copies(|| at(&s![..2]).add_assign(&at(&s![2..]))), none);
    assert_eq!(overlap_copies(|| at(&s![.., ..;2]).copy_from(&at(&s![.., 1..;2]))), none);
    assert_eq!(overlap_copies(|| x.t()?.add_assign(&x.t()?)), none);
    assert_eq!(overlap_copies(|| at(&s![0..0]).copy_from(&at(&s![0..0]))), none);
    // For a source shifted along equal strides the direction of the loop suffices.
    assert_eq!(overlap_copies(|| at(&s![1..]).add_assign(&at(&s![..-1]))), none);
    assert_eq!(overlap_copies(|| at(&s![.., ..-1]).copy_from(&at(&s![.., 1..]))), none);
    // Other overlapping sources are copied: the bytes of the source, not of the output.
    assert_eq!(overlap_copies(|| x.add_assign(&at(&s![0]))), [6 * 4]);
    assert_eq!(overlap_copies(|| x.add_assign(&x.flip(&[1])?)), [24 * 4]);
    let both = overlap_copies(|| {
        add_into(&at(&s![..2]), &at(&s![1..3]), &at(&s![2..]).flip(&[0])?)?;
        add_into(&at(&s![..2]), &at(&s![1..3]), &at(&s![0..2]).flip(&[1])?)
    });
    assert_eq!(both, [12 * 4, 12 * 4, 12 * 4]);
    let sides = overlap_copies(|| add_into(&at(&s![..2]), &at(&s![2..]), &at(&s![1..3])));
    assert_eq!(sides, [12 * 4], "no direction is right for both");
    let bits = x.bitcast(DType::UInt32).unwrap();
    assert_eq!(overlap_copies(|| where_into(&bits, &x, 0, &x)), [24 * 4], "of another type");
}

/// Whether an operation has to copy a source first: one that overlaps the output at other indices, unless all
/// of those are shifted to one side of it, and the order of the axes is that of the addresses.
fn needs_buffer(out: &Layout, sources: &[&Layout]) -> bool {
    let reached = zoo::offsets(out);
    let meets = |it: &&&Layout| **it != out && it.offsets().any(|at| reached.contains(&at));
    let met: Vec<&&Layout> = sources.iter().filter(meets).collect();
    let mut axes = out.axes().to_vec();
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.stride.unsigned_abs()));
    axes.iter_mut().for_each(|axis| axis.stride = axis.stride.abs());
    let in_order = Layout::new(0, &axes).unwrap().offsets().is_sorted();
    let are_shifted = met.iter().all(|it| it.axes() == out.axes());
    let n_before = met.iter().filter(|it| it.start() < out.start()).count();
    !met.is_empty() && !(in_order && are_shifted && (n_before == 0 || n_before == met.len()))
}

#[test]
fn overlap_is_an_error_where_copies_are_forbidden() {
    let mut n_refused = 0;
    random_views(6, |x, memory, [out, one, two, _]| {
        let needed = needs_buffer(&out, &[&one, &two]);
        let outcome = copies::forbid(|| add_into(&part(x, &one), &part(x, &two), &part(x, &out)));
        assert_eq!(outcome.is_err(), needed, "{one:?} {two:?} {out:?}");
        if let Err(error) = outcome {
            n_refused += 1;
            assert!(error.to_string().starts_with("add would copy"), "{error}");
            assert_eq!(error.kind(), ErrorKind::Copy);
            assert_eq!(x.to_vec::<i32>().unwrap(), memory);
        }
    });
    assert!(n_refused > 100);
}

/// Views of one storage that are shifted copies of each other, with both sources and the output.
fn shifted_views(seed: u64, mut check: impl FnMut(&Tensor, Vec<i32>, [Layout; 3])) {
    let mut rng = TestRng::new(seed);
    for _ in 0..zoo::rounds(400) {
        let len = 1 + rng.below(4000);
        let shape = rng.shape(4, len);
        let out = rng.random_layout(&shape, zoo::Freedom::Injective);
        let n = out.span().end + 200;
        let near = [0, 1, 2, 64, 100, 200][rng.below(6)];
        let mut shifted = || match out.is_empty() {
            true => out.clone(),
            false => Layout::new(out.start() + rng.below(near + 1), out.axes()).unwrap(),
        };
        let layouts = [shifted(), shifted(), shifted()];
        let memory: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(7919)).collect();
        check(&Tensor::from_vec(memory.clone(), [n]).unwrap(), memory, layouts);
    }
}

#[test]
fn shifted_sources_of_any_size_are_read_before_written() {
    shifted_views(7, |x, memory, [out, one, two]| {
        let shape = out.shape();
        let pairs = values(&memory, &one, &shape).into_iter().zip(values(&memory, &two, &shape));
        let sums: Vec<i32> = pairs.map(|(x, y)| x.wrapping_sub(y)).collect();
        let expected = written(&memory, &out, &sums);
        sub_into(&part(x, &one), &part(x, &two), &part(x, &out)).unwrap();
        assert_same(&x.to_vec::<i32>().unwrap(), &expected, (&out, &one, &two));
    });
}

#[test]
fn shifted_sources_are_cast_in_the_right_order() {
    // The type that is calculated in is wider: all operands go through buffers.
    let wide = tensor![1.0f64];
    shifted_views(8, |_, memory, [out, one, two]| {
        let floats: Vec<f32> = memory.iter().map(|&it| (it % 1000) as f32).collect();
        let x = Tensor::from_vec(floats.clone(), [-1]).unwrap();
        let mut expected = floats.clone();
        for (to, from) in out.offsets().zip(one.offsets()) {
            expected[to] = floats[from] + 1.0;
        }
        add_into(&part(&x, &one), &wide, &part(&x, &out)).map_or_else(check_rank, |_| ());
        let is_broadcast = out.rank() == 0;
        if !is_broadcast {
            assert_same(&x.to_vec::<f32>().unwrap(), &expected, (&out, &one, &two));
        }
    });
}

/// A scalar does not take a vector of one element.
fn check_rank(error: Error) {
    assert!(matches!(error, Error::ShapeMismatch { .. }), "{error}");
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
    assert_eq!(overlap_copies(|| y.copy_from(&x)), [0; 0], "they are shifted");
    assert_eq!(overlap_copies(|| y.copy_from(&x.flip(&[0])?)), [32]);
    drop((x, y));
    assert_eq!(*memory, [0, 1, 5, 4, 3, 2, 1, 0, 1, 0, 10, 11]);
}

/// Two injective layouts of the same shape that are disjoint, which is too hard to decide.
pub(crate) fn too_hard() -> [Layout; 2] {
    let mut rng = TestRng::new(9);
    loop {
        let shape = [0; 3].map(|_| 2 + rng.below(20));
        let layouts = [0; 2].map(|_| {
            let strides = [0; 3].map(|_| 1 + rng.below(100_000) as isize);
            Layout::from_strides(rng.below(50_000), &shape, &strides).unwrap()
        });
        let [one, two] = &layouts;
        if one.overlaps(two) == belvedere_layout::Answer::TooHard
            && layouts.iter().all(|it| it.injective() == belvedere_layout::Answer::Yes)
        {
            let reached: std::collections::HashSet<usize> = one.offsets().collect();
            if !two.offsets().any(|at| reached.contains(&at)) {
                return layouts;
            }
        }
    }
}

#[test]
fn undecided_overlap_is_buffered_and_counts_as_a_conflict() {
    let [one, two] = too_hard();
    let n = one.span().end.max(two.span().end);
    let x = Tensor::from_vec((0..n).map(|i| i as u8).collect(), [n]).unwrap();
    let (out, source) = (part(&x, &one), part(&x, &two));
    assert_eq!(out.shares_memory(&source), None);
    let expected = source.to_vec::<u8>().unwrap();
    assert!(copies::forbid(|| out.copy_from(&source)).is_err());
    assert_eq!(overlap_copies(|| out.copy_from(&source)), [one.len()]);
    assert_eq!(out.to_vec::<u8>().unwrap(), expected);
    let guard = out.write::<u8>().unwrap();
    assert_eq!(source.to_vec::<u8>().unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
}

#[test]
fn partially_overlapping_elements_are_read_before_written() {
    // A complex number may begin at the imaginary part of another.
    for (to, from) in [(0, 1), (1, 0), (0, 3), (3, 0)] {
        let mut memory: Vec<f32> = (0..20).map(|i| i as f32).collect();
        let mut expected = memory.clone();
        expected.copy_within(from..from + 16, to);
        let ptr = std::ptr::NonNull::new(memory.as_mut_ptr()).unwrap().cast::<u8>();
        let import = |skipped: usize| {
            // SAFETY: 64 bytes from there on lie inside of the vector, which outlives the tensors
            // and is not touched otherwise until they are gone.
            let storage = unsafe { Storage::foreign(ptr.add(4 * skipped), 64, true, || ()) };
            let layout = Layout::row_major(&[8]).unwrap();
            Tensor::from_storage(storage, layout, DType::Complex64).unwrap()
        };
        let (out, source) = (import(to), import(from));
        out.copy_from(&source).unwrap();
        drop((out, source));
        assert_eq!(memory, expected, "{from} to {to}");
    }
}

#[test]
fn source_layout_does_not_affect_the_buffering_decision() {
    for layout in zoo::layouts().iter().filter(|layout| zoo::is_injective(layout)) {
        let x = GuardedTensor::<f32>::small_integers(layout, 3);
        let reversed = x.tensor.flip(&(0..layout.rank() as isize).collect::<Vec<_>>()).unwrap();
        let values = x.values();
        let sums: Vec<f32> = values.iter().zip(values.iter().rev()).map(|(x, y)| x + y).collect();
        x.tensor.add_assign(&reversed).unwrap();
        x.assert_elements(&sums, layout);
    }
}

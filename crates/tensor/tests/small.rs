//! Small operands: the exact number of allocations of a call, and agreement of the fast path with the
//! general path.

use belvedere::prelude::*;
use belvedere::{Operand, Storage, add_into, assign_into, negative_into, sub_into};
use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::cell::Cell;

thread_local! {
    /// The number of allocations of this thread.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

struct Count;

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Count {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, size: Size) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, size) }
    }

    unsafe fn alloc_zeroed(&self, size: Size) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(size) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: Size, new: usize) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(ptr, size, new) }
    }
}

#[global_allocator]
static ALLOCATOR: Count = Count;

/// Returns the number of allocations of a call, not counting the first call.
fn allocations<R>(call: impl Fn() -> Result<R, Error>) -> usize {
    drop(call().unwrap());
    let before = ASKED.get();
    let result = call().unwrap();
    let count = ASKED.get() - before;
    drop(result);
    count
}

/// Returns distinct numbers.
fn numbers(shape: &[usize]) -> Tensor {
    let len = shape.iter().product::<usize>();
    let values: Vec<f32> = (0..len).map(|i| (i * 7 % 101) as f32 - 0.25 * i as f32).collect();
    Tensor::from_vec(values, shape).unwrap()
}

#[test]
fn view_does_not_allocate() {
    let x = numbers(&[4, 4, 4]);
    let row = numbers(&[4]);
    assert_eq!(allocations(|| Ok(x.clone())), 0);
    assert_eq!(allocations(|| x.slice(s![1..3, .., ..;2])), 0);
    assert_eq!(allocations(|| x.slice(s![1, .., ..;-1])), 0);
    assert_eq!(allocations(|| x.transpose(0, 2)), 0);
    assert_eq!(allocations(|| x.permute_dims([2, 0, 1])), 0);
    assert_eq!(allocations(|| x.select(1, -1)), 0);
    assert_eq!(allocations(|| x.narrow(0, 1, 2)), 0);
    assert_eq!(allocations(|| x.reshape([16, 4])), 0);
    assert_eq!(allocations(|| x.reshape([8, -1])), 0);
    assert_eq!(allocations(|| x.view([64])), 0);
    assert_eq!(allocations(|| row.broadcast_to([4, 4])), 0);
    assert_eq!(allocations(|| row.unsqueeze(0)), 0);
}

#[test]
fn a_small_result_is_one_allocation() {
    let (x, y) = (numbers(&[16]), numbers(&[16]));
    assert_eq!(allocations(|| x.add(&y)), 1);
    assert_eq!(allocations(|| x.add(1)), 1);
    assert_eq!(allocations(|| x.mul(0.5)), 1);
    assert_eq!(allocations(|| x.negative()), 1);
    assert_eq!(allocations(|| x.sqrt()), 1);
    assert_eq!(allocations(|| x.less(&y)), 1);
    assert_eq!(allocations(|| x.equal(2)), 1);
    assert_eq!(allocations(|| x.copy()), 1);
    assert_eq!(allocations(|| x.sum(())), 1);
    assert_eq!(allocations(|| x.max(())), 1);
    assert_eq!(allocations(|| Tensor::zeros([4, 4], DType::Float32)), 1);

    let (long, short) = (numbers(&[256]), numbers(&[64]));
    assert_eq!(allocations(|| long.slice(s![..;4])?.add(&short)), 1);
    assert_eq!(allocations(|| short.add(&long.slice(s![64..128])?)), 1);

    let (a, b) = (numbers(&[8, 8]), numbers(&[8, 16]));
    assert_eq!(allocations(|| a.add(&a)), 1);
    assert_eq!(allocations(|| a.add(&short.slice(s![..8])?)), 1, "a row for each row");
    assert_eq!(allocations(|| a.add(&b.slice(s![.., ..8])?)), 1, "rows with gaps");
    assert_eq!(allocations(|| b.slice(s![.., ..;2])?.copy()), 1, "rows with gaps");
    assert_eq!(allocations(|| a.t()?.add(&a.t()?)), 1, "columns");
    assert_eq!(allocations(|| a.t()?.slice(s![..;-1])?.add(&a)), 1, "columns and rows");
    assert_eq!(allocations(|| a.matmul(&a)), 1);
    assert_eq!(allocations(|| a.matmul(&a.t()?)), 1);
    assert_eq!(allocations(|| a.matmul(&b)), 1);
}

#[test]
fn a_larger_result_is_two_allocations() {
    let x = numbers(&[1024]);
    assert_eq!(
        allocations(|| x.slice(s![..192])?.negative()),
        1,
        "768 bytes lie beside their record"
    );
    assert_eq!(allocations(|| x.slice(s![..193])?.negative()), 2);
    assert_eq!(allocations(|| x.add(&x)), 2);
}

#[test]
fn existing_output_does_not_allocate() {
    let (x, y, out) = (numbers(&[16]), numbers(&[16]), numbers(&[16]));
    assert_eq!(allocations(|| add_into(&x, &y, &out)), 0);
    assert_eq!(allocations(|| negative_into(&x, &out)), 0);
    assert_eq!(allocations(|| x.sub_assign(&y)), 0);
    assert_eq!(allocations(|| x.sub_assign(1)), 0);
    let halves = numbers(&[32]);
    assert_eq!(allocations(|| add_into(&x, &y, &halves.slice(s![..;2])?)), 0);
    assert_eq!(allocations(|| halves.fill(1)), 0);
    assert_eq!(allocations(|| halves.slice(s![..;-2])?.fill(2.5)), 0);
    assert_eq!(allocations(|| assign_into(&x, &halves.slice(s![..;2])?)), 0);
}

#[test]
fn single_element_access_does_not_allocate() {
    let x = numbers(&[4, 4]);
    assert_eq!(allocations(|| x.through(x.layout().select(0, 1)?)), 0);
    assert_eq!(allocations(|| x.slice(s![1, 2])?.item::<f32>()), 0);
    assert_eq!(allocations(|| x.slice(s![1..2, 2..3])?.item::<f32>()), 0);
    assert_eq!(allocations(|| x.get::<f32>(&[1, 2])), 0);
    assert_eq!(allocations(|| x.slice(s![1, 2])?.fill(7)), 0);
    let x = foreign();
    assert_eq!(allocations(|| x.select(0, 2)?.fill(7)), 0);
    assert_eq!(allocations(|| x.select(0, 2)?.item::<f32>()), 0);
}

#[test]
fn scalar_with_0d_matches_scalar_with_1d() {
    let numbers: [Operand<'static>; 6] =
        [true.into(), 7.into(), (-1).into(), 300.into(), 1.5.into(), Complex::new(1.0, 2.0).into()];
    for dtype in DType::ALL {
        for number in &numbers {
            let [short, long] = [(), ()].map(|()| Tensor::zeros([3], dtype).unwrap());
            let [one, row] = [short.select(0, 1).unwrap(), long.narrow(0, 1, 1).unwrap()];
            let [given, expected] = [one.fill(number.clone()), row.fill(number.clone())];
            assert_eq!(given.map_err(|it| it.to_string()), expected.map_err(|it| it.to_string()));
            assert!(short.equal(&long).unwrap().all(()).unwrap().item::<bool>().unwrap());
        }
    }
}

/// Returns a tensor of four numbers in foreign memory.
fn foreign() -> Tensor {
    let mut values = vec![1.5f32, 2.5, 3.5, 4.5];
    let ptr = std::ptr::NonNull::new(values.as_mut_ptr().cast::<u8>()).unwrap();
    // SAFETY: the vector is freed with the storage, and not accessed before.
    let storage = unsafe { Storage::foreign(ptr, 16, true, move || drop(values)) };
    Tensor::from_storage(storage, Layout::row_major(&[4]).unwrap(), DType::Float32).unwrap()
}

#[test]
fn small_path_refuses_what_the_general_path_refuses() {
    [numbers(&[4]), foreign()].iter().for_each(is_not_touched_where_the_long_way_refuses);
}

fn is_not_touched_where_the_long_way_refuses(x: &Tensor) {
    let one = x.select(0, 2).unwrap();
    let before = one.item::<f32>().unwrap();
    assert!(one.item::<f64>().is_err());
    let seen = Tensor::from_storage(x.storage().read_only(), x.layout().clone(), x.dtype());
    assert!(seen.unwrap().select(0, 2).unwrap().fill(1).is_err());
    let guard = x.read::<f32>().unwrap();
    assert!(one.fill(1).is_err());
    drop(guard);
    assert_eq!(one.item::<f32>().unwrap(), before);
    let guard = x.write::<f32>().unwrap();
    assert!(one.item::<f32>().is_err());
    drop(guard);
}

#[test]
fn single_element_writes_to_foreign_memory_race_with_readers() {
    let x = foreign();
    std::thread::scope(|scope| {
        for k in 0..4 {
            let one = x.select(0, k).unwrap();
            scope.spawn(move || (0..2000).for_each(|i| one.fill(i).unwrap()));
        }
        for _ in 0..500 {
            let seen = x.add(0).unwrap().to_vec::<f32>().unwrap();
            assert!(seen.iter().all(|it| it.fract() == 0.0 || *it < 5.0), "{seen:?}");
        }
    });
    assert_eq!(x.to_vec::<f32>().unwrap(), [1999.0; 4]);
}

#[test]
fn custom_layout_is_checked_against_the_storage() {
    let x = numbers(&[4, 4]);
    let part = x.slice(s![1, ..;2]).unwrap();
    let whole = part.through(x.layout().clone()).unwrap();
    assert!(whole.storage().is_same(x.storage()) && whole.layout() == x.layout());
    assert!(part.through(Layout::row_major(&[17]).unwrap()).is_err());
    assert!(part.through(Layout::from_strides(16, &[1], &[1]).unwrap()).is_err());

    // Empty tensors may be unaligned; others must be aligned.
    static BYTES: [u64; 4] = [0; 4];
    let odd = std::ptr::NonNull::from(&BYTES).cast::<u8>();
    // SAFETY: the bytes are static and never written.
    let storage = unsafe { Storage::foreign(odd.add(1), 24, false, || {}) };
    let none = Layout::row_major(&[0]).unwrap();
    let none = Tensor::from_storage(storage, none, DType::Float64).unwrap();
    assert!(none.through(none.layout().clone()).is_ok());
    assert!(none.through(Layout::row_major(&[1]).unwrap()).is_err());
}

#[test]
fn small_operands_of_any_stride_match_the_reference() {
    // Lines that are no blocks go through a buffer of 1024 elements.
    for len in [1, 2, 15, 16, 17, 1023, 1024, 1025, 2050] {
        let (a, b) = (numbers(&[3 * len]), numbers(&[2 * len]));
        let (p, q) = (a.to_vec::<f32>().unwrap(), b.to_vec::<f32>().unwrap());
        for step in [1, 2, 3, -1, -2] {
            let x = a.slice(s![..;step]).unwrap().slice(s![..len]).unwrap();
            let first = if step < 0 { 3 * len as isize - 1 } else { 0 };
            let picked: Vec<f32> =
                (0..len as isize).map(|i| p[(first + i * step) as usize]).collect();
            assert_eq!(x.to_vec::<f32>().unwrap(), picked);

            let negated = x.negative().unwrap();
            assert!(negated.is_contiguous());
            let expected: Vec<f32> = picked.iter().map(|x| -x).collect();
            assert_eq!(negated.to_vec::<f32>().unwrap(), expected, "{len} by {step}");

            let second = b.slice(s![1..;2]).unwrap();
            let expected: Vec<f32> = (0..len).map(|i| picked[i] - q[2 * i + 1]).collect();
            assert_eq!(x.sub(&second).unwrap().to_vec::<f32>().unwrap(), expected);

            let expected: Vec<f32> = picked.iter().map(|x| 2.5 - x).collect();
            let two = Tensor::full([0usize; 0], 2.5f32).unwrap();
            assert_eq!(two.sub(&x).unwrap().to_vec::<f32>().unwrap(), expected);
        }
    }
}

/// Returns views of rank ≤ 2 that broadcast to `[rows, cols]`: row-major, column-major, flipped, with gaps, broadcast.
fn views_of_rank_2(shape: [usize; 2]) -> Vec<Tensor> {
    views_of_dtype(shape, DType::Float32)
}

/// Returns the same views of elements that are cast to a dtype.
fn views_of_dtype([rows, cols]: [usize; 2], dtype: DType) -> Vec<Tensor> {
    let numbers = |shape: &[usize]| numbers(shape).astype(dtype).unwrap();
    let (x, y) = (numbers(&[2 * rows, 3 * cols]), numbers(&[cols, rows]));
    let mut views = vec![numbers(&[rows, cols]), y.t().unwrap()];
    views.push(x.slice(s![..;2, ..;3]).unwrap());
    views.push(x.slice(s![..rows, ..cols]).unwrap());
    views.push(numbers(&[3 * cols, 2 * rows]).t().unwrap().slice(s![..;2, ..;3]).unwrap());
    for n in 0..views.len() {
        let flips = [views[n].flip(0), views[n].flip(1), views[n].flip([0, 1])];
        views.extend(flips.map(Result::unwrap));
    }
    views.push(numbers(&[cols]));
    views.push(numbers(&[2 * cols]).slice(s![..;-2]).unwrap());
    views.push(numbers(&[rows, 1]));
    views.push(numbers(&[1, cols]));
    views.push(numbers(&[cols]).broadcast_to([rows, cols]).unwrap());
    views.push(numbers(&[rows, 1]).broadcast_to([rows, cols]).unwrap());
    views
}

/// Returns the element of a view of rank ≤ 2 that is broadcast to an index.
fn broadcast_at(x: &Tensor, index: [usize; 2]) -> f32 {
    let own = x.shape();
    let index = &index[2 - own.len()..];
    let index: Vec<usize> = index.iter().zip(&own[..]).map(|(&i, &len)| i.min(len - 1)).collect();
    x.get::<f32>(&index).unwrap()
}

#[test]
fn small_operands_of_rank_2_match_the_reference_in_every_layout() {
    for shape in [[3, 4], [4, 3], [1, 5], [5, 1], [8, 8], [40, 20], [2, 600], [600, 2]] {
        let views = views_of_rank_2(shape);
        let indices = || (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| [i, j]));
        for x in &views {
            for y in &views {
                let z = x.sub(y).unwrap();
                if z.shape() != shape {
                    continue;
                }
                let expected: Vec<f32> =
                    indices().map(|at| broadcast_at(x, at) - broadcast_at(y, at)).collect();
                assert_eq!(z.to_vec::<f32>().unwrap(), expected, "{x:?} - {y:?}");
                let layout = belvedere::plan::output_layout(&shape, &[x.layout(), y.layout()]);
                assert_eq!(z.layout(), &layout.unwrap(), "{x:?} - {y:?}");
            }
        }
    }
}

#[test]
fn small_operands_of_two_dtypes_match_the_reference_in_every_layout() {
    for shape in [[3, 4], [1, 5], [5, 1], [8, 8], [2, 600]] {
        let (views, integers) = (views_of_rank_2(shape), views_of_dtype(shape, DType::Int32));
        let indices = || (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| [i, j]));
        for (x, y) in views.iter().flat_map(|x| (0..views.len()).map(move |n| (x, n))) {
            let z = x.sub(&integers[y]).unwrap();
            if z.shape() != shape {
                continue;
            }
            let integer = |at| f64::from(broadcast_at(&views[y], at) as i32);
            let expected: Vec<f64> =
                indices().map(|at| f64::from(broadcast_at(x, at)) - integer(at)).collect();
            assert_eq!(z.to_vec::<f64>().unwrap(), expected, "{x:?} - {:?}", integers[y]);
            let layouts = [x.layout(), integers[y].layout()];
            assert_eq!(z.layout(), &belvedere::plan::output_layout(&shape, &layouts).unwrap());
        }
    }
}

#[test]
fn small_casts_match_the_reference_in_every_layout() {
    for shape in [[3, 4], [1, 5], [8, 8], [2, 600], [600, 2]] {
        for x in views_of_rank_2(shape) {
            let z = x.astype(DType::Int16).unwrap();
            let expected: Vec<i16> =
                x.to_vec::<f32>().unwrap().iter().map(|&it| it as i16).collect();
            assert_eq!(z.to_vec::<i16>().unwrap(), expected, "{x:?}");
            let layout = belvedere::plan::output_layout(&x.shape(), &[x.layout()]).unwrap();
            assert_eq!(z.layout(), &layout, "{x:?}");
        }
    }
}

#[test]
fn small_masks_and_concatenations_match_the_general_path() {
    let views = views_of_rank_2([8, 8]);
    for x in views.iter().filter(|x| x.shape() == [8, 8]) {
        for y in views.iter().filter(|y| y.shape() == [8, 8]) {
            let mask = y.greater(0).unwrap();
            let both = x.to_vec::<f32>().unwrap().into_iter().zip(mask.to_vec::<bool>().unwrap());
            let expected: Vec<f32> = both.filter(|it| it.1).map(|it| it.0).collect();
            assert_eq!(x.index(at![&mask]).unwrap().to_vec::<f32>().unwrap(), expected);
            for axis in [0, 1, -1] {
                let joined = belvedere::concat(&[x, y], axis).unwrap();
                // A scope that listens takes the general path.
                let (general, _) = belvedere::trace::record(|| belvedere::concat(&[x, y], axis));
                let general = general.unwrap();
                assert_eq!(joined.layout(), general.layout(), "{x:?} and {y:?}");
                assert!(joined.equal(&general).unwrap().all(()).unwrap().item::<bool>().unwrap());
            }
        }
    }
}

#[test]
fn small_sorts_match_the_general_path() {
    let special = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, 1.5, -2.0, 7.0];
    for shape in [[3, 4], [4, 3], [8, 8], [1, 5], [5, 1], [2, 40]] {
        for dtype in [DType::Float32, DType::Complex64, DType::Int8, DType::UInt8, DType::Bool] {
            let views = views_of_dtype(shape, DType::Float32);
            let picked = views.iter().map(|x| {
                let chosen = x.abs().unwrap().astype(DType::Int64).unwrap().remainder(8).unwrap();
                let values = Tensor::from_vec(special.to_vec(), [8]).unwrap();
                let values = values.index(at![&chosen]).unwrap().astype(dtype).unwrap();
                let transposed = values.matrix_transpose().unwrap_or(values.clone());
                [values.clone(), values.flip(-1).unwrap(), transposed]
            });
            for x in picked.flatten() {
                // More elements take the general path.
                let n = 300usize.div_ceil(x.len());
                let stack = x.broadcast_to([&[n][..], &x.shape()[..]].concat()).unwrap();
                for axis in 0..x.rank() as isize {
                    for descends in [false, true] {
                        let along = |axis| match descends {
                            true => belvedere::descending(axis),
                            false => axis.into(),
                        };
                        let sorted = x.sort(along(axis)).unwrap();
                        let general = stack.copy().unwrap().sort(along(axis + 1)).unwrap();
                        let bits = |x: &Tensor| x.copy().unwrap().bitcast(DType::UInt8).unwrap();
                        let general = general.select(0, 0).unwrap();
                        assert_eq!(
                            bits(&sorted).to_vec::<u8>().unwrap(),
                            bits(&general).to_vec::<u8>().unwrap(),
                            "{x:?} along {axis}"
                        );
                        let layout =
                            belvedere::plan::output_layout(&x.shape(), &[x.layout()]).unwrap();
                        assert_eq!(sorted.layout(), &layout, "{x:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn small_outputs_of_rank_2_match_the_reference_in_every_layout() {
    for shape in [[3, 4], [8, 8], [40, 20], [2, 600]] {
        let inputs = views_of_rank_2(shape);
        for n in 0..20 {
            for x in &inputs {
                let out = &views_of_rank_2(shape)[n];
                let before = out.copy().unwrap();
                assert!(before.is_contiguous());
                out.sub_assign(x).unwrap();
                let expected = before.to_vec::<f32>().unwrap();
                let indices = (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| [i, j]));
                let expected: Vec<f32> =
                    indices.zip(expected).map(|(at, it)| it - broadcast_at(x, at)).collect();
                assert_eq!(out.to_vec::<f32>().unwrap(), expected, "{out:?} -= {x:?}");
                assign_into(x, out).unwrap();
                let assigned = x.broadcast_to(shape).unwrap().to_vec::<f32>().unwrap();
                assert_eq!(out.to_vec::<f32>().unwrap(), assigned);
            }
        }
    }
}

#[test]
fn strided_output_leaves_other_elements_unchanged() {
    for len in [1, 16, 1023, 1025] {
        let (x, out) = (numbers(&[len]), numbers(&[3 * len]));
        let (p, before) = (x.to_vec::<f32>().unwrap(), out.to_vec::<f32>().unwrap());
        sub_into(&x, 1, &out.slice(s![1..;3]).unwrap()).unwrap();
        out.slice(s![2..;3]).unwrap().sub_assign(&x).unwrap();
        let after = out.to_vec::<f32>().unwrap();
        for i in 0..len {
            assert_eq!(after[3 * i], before[3 * i]);
            assert_eq!(after[3 * i + 1], p[i] - 1.0);
            assert_eq!(after[3 * i + 2], before[3 * i + 2] - p[i]);
        }
    }
}

#[test]
fn small_copies_and_assignments_match_the_reference() {
    for dtype in [DType::UInt8, DType::Float16, DType::Float32, DType::Complex64, DType::Complex128]
    {
        for len in [1, 2, 15, 16, 17, 1024, 1025] {
            let x = numbers(&[3 * len]).abs().unwrap().astype(DType::UInt8).unwrap();
            let x = x.astype(dtype).unwrap();
            let values = |it: &Tensor| {
                let bytes = it.astype(DType::Complex128).unwrap();
                bytes.to_vec::<Complex<f64>>().unwrap()
            };
            for step in [1, 2, 3, -1, -2] {
                let part = x.slice(s![..;step]).unwrap().slice(s![..len]).unwrap();
                let first = if step < 0 { 3 * len as isize - 1 } else { 0 };
                let at = |i: usize| (first + i as isize * step) as usize;
                let expected: Vec<_> = (0..len).map(|i| values(&x)[at(i)]).collect();
                let copy = part.copy().unwrap();
                assert!(copy.is_contiguous());
                assert_eq!(values(&copy), expected, "{len} of {dtype} by {step}");

                let out = x.copy().unwrap();
                let target = out.slice(s![..;step]).unwrap().slice(s![..len]).unwrap();
                target.fill(7).unwrap();
                let mut filled = values(&x);
                (0..len).for_each(|i| filled[at(i)] = Complex::new(7.0, 0.0));
                assert_eq!(values(&out), filled, "{len} of {dtype} by {step}");

                assign_into(&copy, &target).unwrap();
                assert_eq!(values(&out), values(&x));
                assign_into(&target, &target).unwrap();
                assert_eq!(values(&out), values(&x));
            }
        }
    }
}

#[test]
fn overlapping_assignment_reads_before_writing() {
    let x = Tensor::arange(0..16).unwrap();
    let part = |from: usize| x.narrow(0, from, 12).unwrap();
    assign_into(&part(0), &part(4)).unwrap();
    let expected: Vec<i32> = (0..4).chain(0..12).collect();
    assert_eq!(x.to_vec::<i32>().unwrap(), expected);
    assign_into(&x.slice(s![..;-1]).unwrap(), &x).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), expected.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn small_assignment_refuses_what_the_general_path_refuses() {
    let out = Tensor::arange(0..16).unwrap();
    let row = Tensor::arange(0..8).unwrap();
    assert_eq!(assign_into(&row, &out).unwrap_err().kind(), ErrorKind::Shape);
    let column = row.reshape([8, 1]).unwrap();
    assert_eq!(assign_into(&column, &row).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(assign_into(&row, &row.select(0, 0).unwrap()).unwrap_err().kind(), ErrorKind::Shape);
    assert!(out.fill(1i64 << 40).is_err() && out.fill(0.5).is_err());
    let wide = row.select(0, 3).unwrap().broadcast_to([4]).unwrap();
    assert!(wide.fill(1).is_err() && assign_into(&row.narrow(0, 0, 4).unwrap(), &wide).is_err());
    let (storage, layout) = (out.storage().read_only(), out.layout().clone());
    let read_only = Tensor::from_storage(storage, layout, out.dtype()).unwrap();
    assert!(read_only.fill(1).is_err() && assign_into(&out, &read_only).is_err());
    assert_eq!(out.to_vec::<i32>().unwrap(), (0..16).collect::<Vec<_>>());
    // A broadcast element is accepted.
    assign_into(&row.select(0, 3).unwrap(), &out).unwrap();
    assert_eq!(out.to_vec::<i32>().unwrap(), [3; 16]);
}

#[test]
fn broadcast_element_of_the_output_is_read_before_written() {
    let x = Tensor::arange(1..17).unwrap();
    x.mul_assign(&x.select(0, 2).unwrap()).unwrap();
    let expected: Vec<i32> = (1..17).map(|i| 3 * i).collect();
    assert_eq!(x.to_vec::<i32>().unwrap(), expected);
}

#[test]
fn broadcast_outputs_are_refused() {
    let (one, out) = (Tensor::full([0usize; 0], 2.5f32).unwrap(), numbers(&[16]));
    let before = out.to_vec::<f32>().unwrap();
    let refused = [add_into(&one, &one, &out), add_into(&one, 1, &out), negative_into(&one, &out)];
    for result in refused {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Shape);
    }
    let row = numbers(&[1]);
    assert_eq!(sub_into(&row, &one, &out).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(out.to_vec::<f32>().unwrap(), before);

    let place = out.select(0, 3).unwrap();
    add_into(&one, 1, &place).unwrap();
    assert_eq!(place.item::<f32>().unwrap(), 3.5);
}

#[test]
fn small_products_are_sums_of_products() {
    for (m, n, k) in
        [(8, 8, 8), (1, 8, 3), (5, 7, 1), (4, 16, 9), (3, 20, 4), (6, 24, 2), (9, 33, 5)]
    {
        let (a, b) = (numbers(&[m, k]), numbers(&[n, k]));
        // The right factor with its own strides, and with contiguous rows.
        for b in [b.t().unwrap(), b.t().unwrap().contiguous().unwrap()] {
            let product = a.matmul(&b).unwrap();
            assert_eq!(product.shape(), [m, n]);
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let terms = (0..k).map(|p| {
                    let (x, y) = (a.get::<f32>(&[i, p]).unwrap(), b.get::<f32>(&[p, j]).unwrap());
                    x as f64 * y as f64
                });
                let (sum, size) =
                    terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
                let found = product.get::<f32>(&[i, j]).unwrap() as f64;
                assert!((found - sum).abs() <= 1e-5 * size, "{m} {n} {k}: {found} and {sum}");
            }
        }
    }
}

#[test]
fn sum_of_contiguous_and_strided_views_are_bitwise_equal() {
    for len in [1, 16, 1000, 4096, 4097, 10_000] {
        let x = numbers(&[len]);
        let column = x.unsqueeze(-1).unwrap().broadcast_to([len, 1]).unwrap();
        let whole = x.sum(()).unwrap().item::<f32>().unwrap();
        assert_eq!(whole.to_bits(), column.sum(0).unwrap().get::<f32>(&[0]).unwrap().to_bits());
        assert_eq!(x.argmax(()).unwrap().item::<i64>().unwrap(), {
            let values = x.to_vec::<f32>().unwrap();
            let most = values.iter().copied().fold(f32::MIN, f32::max);
            values.iter().position(|&it| it == most).unwrap() as i64
        });
    }
}

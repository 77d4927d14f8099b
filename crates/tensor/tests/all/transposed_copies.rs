//! Copies of permuted tensors of every element size, around tile sizes, element by element.

use belvedere::prelude::*;
use belvedere::{Complex, Element, astype_into};

#[test]
fn transposed_tiles_of_every_size_and_element_size_are_right() {
    let sizes = [1usize, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 65];
    for dtype in [DType::UInt8, DType::Int16, DType::Float32, DType::Float64, DType::Complex128] {
        for rows in sizes {
            for cols in sizes {
                let x = Tensor::arange_step(0.0, (rows * cols) as f64, 1.0, DType::Int32).unwrap();
                let x = x.astype(dtype).unwrap().view([rows, cols]).unwrap();
                let copy = x.t().unwrap().copy().unwrap();
                assert!(copy.is_contiguous());
                for (r, c) in [(0, 0), (rows - 1, cols - 1), (rows / 2, cols - 1), (rows - 1, 0)] {
                    let (a, b) = (x.slice(s![r, c]).unwrap(), copy.slice(s![c, r]).unwrap());
                    assert!(a.equal(&b).unwrap().item::<bool>().unwrap(), "{dtype} {rows}x{cols}");
                }
                let back = copy.t().unwrap();
                assert!(x.equal(&back).unwrap().all(()).unwrap().item::<bool>().unwrap());
                let sum = x.add(&x.t().unwrap().copy().unwrap().t().unwrap()).unwrap();
                let same = sum.equal(&x.add(&x).unwrap()).unwrap().all(()).unwrap();
                assert!(same.item::<bool>().unwrap(), "{dtype} {rows}x{cols}");
            }
        }
    }
}

#[test]
fn every_permutation_of_four_axes_is_copied_correctly() {
    let shape = [5usize, 9, 34, 17];
    let x =
        Tensor::from_fn(shape, |i| (i[0] * 1000 + i[1] * 100 + i[2] * 10 + i[3]) as i32).unwrap();
    let values = x.to_vec::<i32>().unwrap();
    for code in 0..256usize {
        let order: Vec<isize> = (0..4).map(|k| (code >> (2 * k) & 3) as isize).collect();
        let Ok(view) = x.permute_dims(&order) else { continue };
        let copy = view.copy().unwrap().to_vec::<i32>().unwrap();
        let expected: Vec<i32> = view.layout().offsets().map(|at| values[at]).collect();
        assert!(copy == expected, "{order:?}");
    }
}

/// A deterministic random number generator.
struct TestRng(u64);

impl TestRng {
    fn roll(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Returns views of a tensor with permuted axes, some of them flipped or sliced.
fn rearranged(rng: &mut TestRng, rank: usize, n_elements: usize, dtype: DType) -> Tensor {
    let mut shape: Vec<usize> = (0..rank).map(|_| 2 + rng.roll(9)).collect();
    let rest = shape[1..].iter().product::<usize>();
    shape[0] = n_elements.div_ceil(rest) + 3;
    let last = rng.roll(rank);
    shape.swap(0, last);
    let len: usize = shape.iter().product();
    let values: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let x = Tensor::from_vec(values, shape).unwrap().astype(dtype).unwrap();
    let mut order: Vec<isize> = (0..rank as isize).collect();
    (1..rank).for_each(|i| order.swap(i, rng.roll(i + 1)));
    let mut view = x.permute_dims(&order).unwrap();
    if rng.roll(2) == 0 {
        let k = rng.roll(rank);
        view = view.narrow(k as isize, 1, view.shape()[k] - 1).unwrap();
    }
    if rng.roll(3) == 0 {
        view = view.flip(&[rng.roll(rank) as isize]).unwrap();
    }
    view
}

/// Copies a view to the middle of a larger tensor with another layout, and checks all of its memory.
fn check_copy<T: Element + PartialEq>(rng: &mut TestRng, view: &Tensor, sentinel: T) {
    let rank = view.rank();
    let last = rng.roll(rank);
    let mut order: Vec<isize> = (0..rank as isize).collect();
    if rng.roll(3) == 0 {
        (1..rank).for_each(|i| order.swap(i, rng.roll(i + 1)));
    }
    // One more element at the end of each axis, and more around one of them.
    let wide: Vec<usize> = (0..rank)
        .map(|k| view.shape()[order[k] as usize] + if order[k] as usize == last { 5 } else { 1 })
        .collect();
    let len: usize = wide.iter().product();
    let all = Tensor::from_vec(vec![sentinel; len], wide).unwrap();
    let mut back = vec![0isize; rank];
    order.iter().enumerate().for_each(|(k, &axis)| back[axis as usize] = k as isize);
    let mut out = all.permute_dims(&back).unwrap();
    for k in 0..rank {
        let first = if k == last { 3 } else { 0 };
        out = out.narrow(k as isize, first, view.shape()[k]).unwrap();
    }
    astype_into(view, &out).unwrap();
    let values = view.to_vec::<T>().unwrap();
    let mut expected = vec![sentinel; len];
    out.layout().offsets().zip(values).for_each(|(at, value)| expected[at] = value);
    let found = all.to_vec::<T>().unwrap();
    let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(wrong, None, "{:?} to {:?}", view.layout(), out.layout());
}

/// The reference copy: one element at a time.
fn check_values<T: Element + PartialEq>(view: &Tensor) {
    let flat = view.copy().unwrap().to_vec::<T>().unwrap();
    let mut index = vec![0usize; view.rank()];
    for (at, value) in flat.iter().enumerate() {
        if at % 37 == 0 {
            let mut rest = at;
            for k in (0..index.len()).rev() {
                (index[k], rest) = (rest % view.shape()[k], rest / view.shape()[k]);
            }
            assert!(view.get::<T>(&index).unwrap() == *value, "{:?} {index:?}", view.layout());
        }
    }
}

#[test]
fn copies_of_every_rank_are_right_and_write_nothing_else() {
    let mut rng = TestRng(7);
    for round in 0..30 {
        let rank = 2 + rng.roll(5);
        let n_bytes = (64 << 10) + rng.roll(100 << 10);
        let part = |size: usize| n_bytes / size;
        let bytes = rearranged(&mut rng, rank, part(1), DType::UInt8);
        check_copy::<u8>(&mut rng, &bytes, 201);
        let words = rearranged(&mut rng, rank, part(2), DType::Int16);
        check_copy::<i16>(&mut rng, &words, -5);
        let fours = rearranged(&mut rng, rank, part(4), DType::Float32);
        check_copy::<f32>(&mut rng, &fours, -5.0);
        let eights = rearranged(&mut rng, rank, part(8), DType::Float64);
        check_copy::<f64>(&mut rng, &eights, -5.0);
        let sixteens = rearranged(&mut rng, rank, part(16), DType::Complex128);
        check_copy::<Complex<f64>>(&mut rng, &sixteens, Complex::new(-5.0, 1.0));
        if round % 5 == 0 {
            check_values::<u8>(&bytes);
            check_values::<f32>(&fours);
        }
    }
}

#[test]
fn streaming_copies_are_right_and_write_nothing_else() {
    let mut rng = TestRng(11);
    for rank in [2, 3, 4, 6] {
        let n_bytes = 2_300_000;
        let words = rearranged(&mut rng, rank, n_bytes / 2, DType::Int16);
        check_copy::<i16>(&mut rng, &words, -5);
        let fours = rearranged(&mut rng, rank, n_bytes / 4, DType::Float32);
        check_copy::<f32>(&mut rng, &fours, -5.0);
        let pairs = rearranged(&mut rng, rank, n_bytes / 8, DType::Complex64);
        check_copy::<Complex<f32>>(&mut rng, &pairs, Complex::new(-5.0, 1.0));
        let sixteens = rearranged(&mut rng, rank, n_bytes / 16, DType::Complex128);
        check_copy::<Complex<f64>>(&mut rng, &sixteens, Complex::new(-5.0, 1.0));
        check_values::<f32>(&fours);
    }
    let bytes = rearranged(&mut rng, 2, 2_300_000, DType::UInt8);
    check_copy::<u8>(&mut rng, &bytes, 201);
}

#[test]
fn sums_of_large_matrices_with_transposes_are_right() {
    // Large enough for strips of whole rows, with partial strips and cache lines at the ends.
    let (rows, cols) = (613usize, 519usize);
    let a = Tensor::from_fn([rows, cols], |i| (i[0] * 7 + i[1] % 5) as i32).unwrap();
    let b = Tensor::from_fn([cols, rows], |i| (i[0] * 1000 + i[1]) as i32).unwrap();
    let expected: Vec<i32> = (0..rows * cols)
        .map(|at| (at / cols * 7 + at % cols % 5 + at % cols * 1000 + at / cols) as i32)
        .collect();
    let expected = Tensor::from_vec(expected, [rows, cols]).unwrap();
    let all_equal =
        |x: &Tensor, y: &Tensor| x.equal(y).unwrap().all(()).unwrap().item::<bool>().unwrap();
    for dtype in [DType::Int32, DType::Float64, DType::Complex64, DType::Complex128] {
        let (a, b) = (a.astype(dtype).unwrap(), b.astype(dtype).unwrap());
        let expected = expected.astype(dtype).unwrap();
        assert!(all_equal(&a.add(&b.t().unwrap()).unwrap(), &expected), "{dtype}");
        assert!(all_equal(&b.t().unwrap().add(&a).unwrap(), &expected), "{dtype}");
        // Two strided operands, one of them flipped, and a broadcast one.
        let (up, down) = (b.t().unwrap(), b.t().unwrap().flip(&[0]).unwrap());
        let both = a.add(&up).unwrap().add(&down).unwrap().sub(&down).unwrap();
        assert!(all_equal(&both, &expected), "{dtype}");
        // In place, and into rows with other elements between them.
        let wide = Tensor::zeros([rows, cols + 3], dtype).unwrap();
        let out = wide.narrow(1, 2, cols).unwrap();
        astype_into(&a, &out).unwrap();
        out.add_assign(&b.t().unwrap()).unwrap();
        assert!(all_equal(&out, &expected), "{dtype}");
        for column in [0, 1, cols + 2] {
            let beside = wide.narrow(1, column, 1).unwrap();
            assert!(all_equal(&beside, &beside.sub(&beside).unwrap()), "{dtype}");
        }
    }
}

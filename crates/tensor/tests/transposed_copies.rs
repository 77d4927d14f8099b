//! Copies of permuted tensors, of every element size and around the sizes of tiles, element by element.

use belvedere::prelude::*;

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
fn every_permutation_of_four_axes_is_copied_right() {
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

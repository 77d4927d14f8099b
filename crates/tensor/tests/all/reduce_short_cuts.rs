//! Reductions that do not read every element: broadcast axes, and results that few elements decide.

use crate::zoo::TestRng;
use belvedere::prelude::*;
use belvedere::{assert_close, with_num_threads};

type Reduce = fn(&Tensor, &[isize]) -> Result<Tensor, Error>;

/// All kinds of totals: flags, counts, sums, products, extrema with and without positions, and two-pass ones.
const REDUCTIONS: &[(&str, Reduce)] = &[
    ("any", |x, axes| x.any(axes)),
    ("all", |x, axes| x.all(axes)),
    ("count_nonzero", |x, axes| x.count_nonzero(axes)),
    ("sum", |x, axes| x.sum(axes)),
    ("mean", |x, axes| x.mean(axes)),
    ("prod", |x, axes| x.prod(axes)),
    ("max", |x, axes| x.max(axes)),
    ("min", |x, axes| x.min(axes)),
    ("argmax", |x, axes| x.argmax(axes)),
    ("argmin", |x, axes| x.argmin(axes)),
    ("std", |x, axes| x.std(axes)),
    ("logsumexp", |x, axes| x.astype(DType::Float64)?.logsumexp(axes)),
];

fn values(dtype: DType, shape: [usize; 3], rng: &mut TestRng) -> Tensor {
    let n = shape.iter().product();
    let values: Vec<u8> = (0..n).map(|_| rng.below(4) as u8).collect();
    Tensor::from_vec(values, shape).unwrap().astype(dtype).unwrap()
}

/// A view with broadcast axes at random places, some of them flipped; of 40 to 100 000 elements.
fn broadcast_view(rng: &mut TestRng, dtype: DType) -> Tensor {
    let mut shape = [1 + rng.below(5), 1 + rng.below(4), 1 + rng.below(70)];
    let wide = shape.map(|n| if rng.below(2) == 0 { n * (1 + rng.below(6)) } else { n });
    for k in 0..3 {
        shape[k] = if wide[k] == shape[k] { shape[k] } else { 1 };
    }
    let mut x = values(dtype, shape, rng).broadcast_to(wide).unwrap();
    for axis in 0..3 {
        if rng.below(3) == 0 {
            x = x.flip(&[axis]).unwrap();
        }
    }
    x.transpose(rng.below(3) as isize, rng.below(3) as isize).unwrap()
}

#[test]
fn a_broadcast_axis_is_reduced_like_a_copy_of_it() {
    let dtypes = [DType::Bool, DType::UInt8, DType::Int64, DType::Float32, DType::Float64];
    for dtype in dtypes {
        let mut rng = TestRng::new(dtype as u64);
        for _ in 0..60 {
            let x = broadcast_view(&mut rng, dtype);
            let axes: Vec<isize> = (0..3).filter(|_| rng.below(2) == 0).collect();
            let copy = x.copy().unwrap();
            for (name, reduce) in REDUCTIONS {
                let (found, expected) = (reduce(&x, &axes).unwrap(), reduce(&copy, &axes).unwrap());
                assert_eq!(found.dtype(), expected.dtype(), "{name} {dtype} {x:?}");
                let comparison = found.allclose_with(&expected, 1e-5, 1e-7).unwrap();
                assert_eq!(comparison.n_different, 0, "{name} of {dtype} over {axes:?} of {x:?}");
            }
        }
    }
}

#[test]
fn a_sum_over_a_long_broadcast_axis_is_a_product() {
    let x = tensor![1.5f32, -0.0, f32::INFINITY, 2.0f32.powi(-20)];
    let n = 1_000_000;
    let sum = x.broadcast_to([n, 4]).unwrap().sum(0).unwrap();
    let exact = [1.5e6f32, 0.0, f32::INFINITY, n as f32 / 1_048_576.0];
    assert_eq!(sum.to_vec::<f32>().unwrap(), exact);
    let total = x.narrow(0, 0, 2).unwrap().broadcast_to([n, 2]).unwrap().mean(()).unwrap();
    assert_close!(total, 0.75f32);
}

/// A few elements of many decide, at any place, in any order of memory and on several threads.
#[test]
fn a_decided_reduction_is_that_of_all_elements() {
    let mut rng = TestRng::new(5);
    let (rows, cols) = (380, 370);
    for dtype in [DType::Bool, DType::UInt8, DType::Float32] {
        for round in 0..12 {
            let background = u8::from(round % 2 == 0);
            let mut elements = vec![background; rows * cols];
            for _ in 0..rng.below(4) {
                elements[rng.below(rows * cols)] =
                    if round % 3 == 0 { 255 } else { 1 - background };
            }
            let x = Tensor::from_vec(elements, [rows, cols]).unwrap().astype(dtype).unwrap();
            let views = [
                x.clone(),
                x.flip(&[0, 1]).unwrap(),
                x.t().unwrap(),
                x.step(1, 2).unwrap(),
                x.flip(&[1]).unwrap().t().unwrap(),
            ];
            for x in &views {
                for axes in [&[0, 1][..], &[0], &[1]] {
                    decided(x, axes);
                }
            }
        }
    }
}

/// Compares `any`, `all` and the positions of the extrema with a loop over all indices.
fn decided(x: &Tensor, axes: &[isize]) {
    let all = x.astype(DType::Float32).unwrap().to_vec::<f32>().unwrap();
    let [rows, cols] = x.dims().unwrap();
    let groups: Vec<Vec<f32>> = match axes {
        [0] => (0..cols).map(|c| (0..rows).map(|r| all[r * cols + c]).collect()).collect(),
        [1] => all.chunks(cols).map(<[f32]>::to_vec).collect(),
        _ => vec![all],
    };
    let first = |group: &Vec<f32>, best: f32| group.iter().position(|&x| x == best).unwrap() as i64;
    let least = |group: &Vec<f32>| group.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = |group: &Vec<f32>| group.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for threads in [1, 3] {
        with_num_threads(threads, || {
            let flags = |t: Tensor| t.astype(DType::UInt8).unwrap().to_vec::<u8>().unwrap();
            let positions = |t: Tensor| t.to_vec::<i64>().unwrap();
            let of = |f: &dyn Fn(&Vec<f32>) -> i64| groups.iter().map(f).collect::<Vec<i64>>();
            let nonzero = |group: &Vec<f32>| group.iter().filter(|&&x| x != 0.0).count();
            let any: Vec<u8> = groups.iter().map(|it| u8::from(nonzero(it) > 0)).collect();
            let is_all: Vec<u8> =
                groups.iter().map(|it| u8::from(nonzero(it) == it.len())).collect();
            assert_eq!(flags(x.any(axes).unwrap()), any, "any of {axes:?}");
            assert_eq!(flags(x.all(axes).unwrap()), is_all, "all of {axes:?}");
            assert_eq!(positions(x.count_nonzero(axes).unwrap()), of(&|it| nonzero(it) as i64));
            assert_eq!(positions(x.argmin(axes).unwrap()), of(&|it| first(it, least(it))));
            assert_eq!(positions(x.argmax(axes).unwrap()), of(&|it| first(it, greatest(it))));
        });
    }
}

/// Lanes of these layouts are read in place, packed together, read from the end, or cast; the first elements of a lane decide,
/// later ones, or none.
#[test]
fn lanes_of_every_layout_are_reduced_like_single_ones() {
    let mut rng = TestRng::new(11);
    let dtypes = [DType::Bool, DType::Int8, DType::Float16, DType::Int64, DType::Float32];
    for dtype in dtypes {
        for [rows, len] in [[1, 5], [67, 31], [70, 64], [130, 65], [9, 700], [3, 1500]] {
            let shape = [2 * rows, 2 * len];
            // Most elements are zero, so that many lanes are decided late.
            let mut elements = vec![0u8; 4 * rows * len];
            for _ in 0..3 * rows {
                let at = rng.below(elements.len());
                elements[at] = 1 + rng.below(3) as u8;
            }
            let wide = Tensor::from_vec(elements, shape).unwrap().astype(dtype).unwrap();
            let corner = wide.slice(s![..rows, ..len]).unwrap();
            let layouts = [
                corner.copy().unwrap(),
                corner.clone(),
                wide.slice(s![..;2, ..;2]).unwrap(),
                wide.slice(s![..;-2, ..;-2]).unwrap(),
                corner.t().unwrap().copy().unwrap().t().unwrap(),
                corner.flip(&[1]).unwrap().t().unwrap().copy().unwrap().t().unwrap(),
            ];
            for x in layouts {
                for (name, reduce) in REDUCTIONS {
                    let found = reduce(&x, &[1]).unwrap();
                    let transposed = reduce(&x.t().unwrap(), &[0]).unwrap();
                    assert_eq!(found, transposed, "{name} of {x:?} and its transpose");
                    for i in [0, rows / 2, rows - 1] {
                        let lane = x.slice(s![i]).unwrap().copy().unwrap();
                        let expected = reduce(&lane, &[0]).unwrap();
                        let lane = found.slice(s![i]).unwrap();
                        let comparison = lane.allclose_with(&expected, 1e-5, 1e-7).unwrap();
                        assert_eq!(comparison.n_different, 0, "{name} of lane {i} of {x:?}");
                    }
                }
            }
        }
    }
}

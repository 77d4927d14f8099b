//! Eigenvalues and singular values without vectors: of matrices with known values, of every size around a cache line.

use crate::zoo::TestRng;
use belvedere::*;

const TYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// Sizes around the lines of eight and sixteen elements, and above the blocks of the back-end.
const SIZES: &[usize] =
    &[1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33, 47, 64, 65, 100, 129];

/// Returns a matrix with orthonormal columns.
fn orthonormal(rng: &mut TestRng, m: usize, n: usize, dtype: DType) -> Tensor {
    let mut part = || rng.below(2001) as f64 / 1000.0 - 1.0;
    let x = Tensor::from_fn([m, n], |_| Complex::new(part(), part())).unwrap();
    let x = if dtype.is_complex() { x } else { x.real().unwrap() };
    linalg::qr(&x).unwrap().q
}

fn adjoint(x: &Tensor) -> Tensor {
    let x = x.mt().unwrap();
    if x.dtype().is_complex() { x.conj().unwrap() } else { x }
}

/// Lists of values that are hard for one or the other iteration, all of magnitude 1 or less.
fn spectra(rng: &mut TestRng, n: usize) -> Vec<Vec<f64>> {
    let mut random = |_| rng.below(2001) as f64 / 1000.0 - 1.0;
    let list = |f: &dyn Fn(usize) -> f64| (0..n).map(f).collect::<Vec<_>>();
    vec![
        (0..n).map(&mut random).collect(),
        list(&|i| 1e-18f64.powf(i as f64 / n as f64)),
        list(&|i| if i % 2 == 0 { 1.0 } else { -1.0 }),
        list(&|i| 1.0 + 1e-10 * i as f64 / n as f64),
        list(&|i| if i < n / 2 { 0.0 } else { (i + 1) as f64 / n as f64 }),
        list(&|i| if i == 0 { 1.0 } else { 1e-9 }),
        vec![0.0; n],
    ]
}

#[track_caller]
fn assert_values(found: &Tensor, mut expected: Vec<f64>, is_ascending: bool, case: &str) {
    expected.sort_by(f64::total_cmp);
    if !is_ascending {
        expected.reverse();
    }
    let epsilon = if found.dtype() == DType::Float32 { f32::EPSILON as f64 } else { f64::EPSILON };
    let most = 10.0 * (expected.len() as f64 + 5.0) * epsilon;
    let found = found.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found.len(), expected.len(), "{case}");
    for (i, (x, y)) in found.iter().zip(&expected).enumerate() {
        assert!((x - y).abs() <= most, "{case}: value {i} is {x}, expected {y}");
    }
    let mut sorted = found.clone();
    sorted.sort_by(|x, y| if is_ascending { x.total_cmp(y) } else { y.total_cmp(x) });
    assert_eq!(found, sorted, "{case}");
}

#[test]
fn eigenvalues_are_those_that_the_matrix_is_made_of() {
    let mut rng = TestRng::new(11);
    for dtype in TYPES {
        let wide = if dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
        for &n in SIZES {
            let q = orthonormal(&mut rng, n, n, wide);
            for (k, values) in spectra(&mut rng, n).into_iter().enumerate() {
                let scaled = q.mul(&Tensor::from_vec(values.clone(), [n]).unwrap()).unwrap();
                let a = scaled.matmul(&adjoint(&q)).unwrap().astype(dtype).unwrap();
                let case = format!("{dtype} {n} spectrum {k}");
                for a in [&a, &adjoint(&a).copy().unwrap(), &a.flip(&[0, 1]).unwrap()] {
                    assert_values(&linalg::eigvalsh(a).unwrap(), values.clone(), true, &case);
                }
            }
        }
    }
}

#[test]
fn singular_values_are_those_that_the_matrix_is_made_of() {
    let mut rng = TestRng::new(12);
    for dtype in TYPES {
        let wide = if dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
        for (i, &n) in SIZES.iter().enumerate() {
            // Square, taller, and so tall that the triangular factor is computed first.
            let m = [n, n + 3, 2 * n + 1, 7 * n][i % 4];
            let (u, v) = (orthonormal(&mut rng, m, n, wide), orthonormal(&mut rng, n, n, wide));
            for (k, values) in spectra(&mut rng, n).into_iter().enumerate() {
                let scaled = u.mul(&Tensor::from_vec(values.clone(), [n]).unwrap()).unwrap();
                let a = scaled.matmul(&adjoint(&v)).unwrap().astype(dtype).unwrap();
                let case = format!("{dtype} {m} {n} spectrum {k}");
                let values: Vec<f64> = values.iter().map(|it| it.abs()).collect();
                for a in [&a, &a.t().unwrap(), &a.flip(&[0, 1]).unwrap()] {
                    assert_values(&linalg::svdvals(a).unwrap(), values.clone(), false, &case);
                }
            }
        }
    }
}

#[test]
fn values_without_vectors_are_those_with_vectors_in_a_stack() {
    let mut rng = TestRng::new(13);
    for dtype in TYPES {
        for &n in &[1, 2, 9, 33] {
            let stack: Vec<Tensor> =
                (0..6).map(|_| orthonormal(&mut rng, n + 4, n, dtype)).collect();
            let stack = stack_tensors(&stack).astype(dtype).unwrap().reshape([2, 3, n + 4, n]);
            let x = stack.unwrap().flip(&[0, -1]).unwrap();
            let x = x.mul(&Tensor::from_fn([n], |i| 1.0 + i[0] as f64).unwrap()).unwrap();
            let x = x.astype(dtype).unwrap();
            let most = if dtype.real() == DType::Float32 { 1e-4 } else { 1e-12 };
            let s = linalg::svd(&x).unwrap().s;
            let found = linalg::svdvals(&x).unwrap();
            assert!(found.allclose_with(&s, most, most).unwrap().holds(), "{dtype} {n}");
            let a = adjoint(&x).matmul(&x).unwrap();
            let w = linalg::eigh(&a).unwrap().eigenvalues;
            let found = linalg::eigvalsh(&a).unwrap();
            assert!(
                found.allclose_with(&w, 10.0 * most, 10.0 * most).unwrap().holds(),
                "{dtype} {n}"
            );
        }
    }
}

fn stack_tensors(all: &[Tensor]) -> Tensor {
    let all: Vec<&Tensor> = all.iter().collect();
    belvedere::stack(&all, 0).unwrap()
}

#[test]
fn values_of_a_diagonal_matrix_are_its_elements() {
    for dtype in [DType::Float32, DType::Float64] {
        for &n in SIZES {
            // Powers of two: no operation rounds.
            let value = |i: usize| [1.0, -0.5, 0.0, 0.25, -1e-30f64.log2().floor().exp2()][i % 5];
            let values: Vec<f64> = (0..n).map(value).collect();
            let diagonal = Tensor::from_vec(values.clone(), [n]).unwrap();
            let x = Tensor::zeros([n, n], dtype).unwrap();
            assign_into(&diagonal.astype(dtype).unwrap(), &x.diagonal(0, 0, 1).unwrap()).unwrap();
            let list = |it: Tensor| it.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            let mut expected = values.clone();
            expected.sort_by(f64::total_cmp);
            let found = list(linalg::eigvalsh(&x).unwrap());
            assert!(found == expected, "{dtype} {n}: {found:?}");
            let mut expected: Vec<f64> = values.iter().map(|it| it.abs()).collect();
            expected.sort_by(|x, y| y.total_cmp(x));
            let found = list(linalg::svdvals(&x).unwrap());
            assert!(found == expected, "{dtype} {n}: {found:?}");
        }
    }
}

#[test]
fn values_of_empty_and_infinite_matrices() {
    for dtype in TYPES {
        let empty = Tensor::zeros([3, 0, 0], dtype).unwrap();
        assert_eq!(linalg::eigvalsh(&empty).unwrap().shape(), [3, 0]);
        for shape in [[0, 4], [4, 0], [0, 0]] {
            let x = Tensor::zeros(shape, dtype).unwrap();
            assert_eq!(linalg::svdvals(&x).unwrap().shape(), [0]);
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for position in [[0, 0], [16, 16], [16, 0], [9, 8]] {
                let x = Tensor::zeros([17, 17], dtype).unwrap();
                x.slice(s![position[0], position[1]]).unwrap().fill(value).unwrap();
                for error in [linalg::eigvalsh(&x).unwrap_err(), linalg::svdvals(&x).unwrap_err()] {
                    assert!(error.to_string().contains("not finite"), "{error}");
                }
                // Only the lower triangle of a Hermitian matrix is read.
                if position[0] != position[1] {
                    let upper = x.t().unwrap();
                    let found = linalg::eigvalsh(&upper).unwrap();
                    assert!(
                        found.abs().unwrap().sum(()).unwrap().item::<f64>().unwrap_or(0.0) == 0.0
                    );
                }
            }
        }
    }
}

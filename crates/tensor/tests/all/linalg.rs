//! Factorizations: factors have the right form and multiply to the matrix, for every dtype, layout and batch.

use crate::zoo::{TestRng, with_watchdog};
use belvedere::linalg::{MatrixNorm, QrMode};
use belvedere::*;

const TYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// The absolute tolerance for results of magnitude 1 after some dozen roundings.
fn tolerance(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { 2e-4 } else { 1e-11 }
}

/// Returns random numbers from -1 to 1.
fn numbers(rng: &mut TestRng, shape: &[usize], dtype: DType) -> Tensor {
    let mut part = || rng.below(2001) as f64 / 1000.0 - 1.0;
    let x = Tensor::from_fn(shape, |_| Complex::new(part(), part())).unwrap();
    if dtype.is_complex() { x.astype(dtype) } else { x.real().unwrap().astype(dtype) }.unwrap()
}

/// Returns the same matrices with other strides: row-major, transposed, flipped, with gaps, permuted.
fn lying(x: &Tensor) -> Vec<Tensor> {
    let shape = x.shape();
    let (m, n) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    let base = |rows: usize, cols: usize| {
        let shape = [&shape[..shape.len() - 2], &[rows, cols]].concat();
        Tensor::full(shape, 7.0).unwrap().astype(x.dtype()).unwrap()
    };
    let spread = base(2 * m + 1, 3 * n + 2);
    let spread = spread.narrow(-2, 1, 2 * m).unwrap().narrow(-1, 2, 3 * n).unwrap();
    let places = [
        base(n, m).mt().unwrap(),
        base(m, n).flip(&[-1, -2]).unwrap(),
        base(n, m).flip(&[-1]).unwrap().mt().unwrap(),
        spread.step(-2, 2).unwrap().step(-1, -3).unwrap(),
    ];
    let mut all = vec![x.clone()];
    for place in places {
        place.copy_from(x).unwrap();
        all.push(place);
    }
    if shape.len() > 2 {
        let turned = x.flip(&[0]).unwrap().copy().unwrap().flip(&[0]).unwrap();
        all.push(turned);
    }
    all
}

fn adjoint(x: &Tensor) -> Tensor {
    let copy = x.mt().unwrap().copy().unwrap();
    if copy.dtype().is_complex() {
        copy.imag().unwrap().scale(-1).unwrap();
    }
    copy
}

#[track_caller]
fn assert_close(found: &Tensor, expected: &Tensor, case: impl std::fmt::Debug) {
    assert_eq!(found.shape(), expected.shape(), "{case:?}");
    let most = tolerance(found.dtype());
    let comparison = found.allclose_with(expected, most, most).unwrap();
    assert!(comparison.holds(), "{case:?}: {comparison}");
}

/// Returns a batch of identity matrices.
fn identity(shape: &[usize], n: usize, dtype: DType) -> Tensor {
    let shape = [&shape[..shape.len() - 2], &[n, n]].concat();
    Tensor::eye(n, dtype).unwrap().broadcast_to(shape).unwrap()
}

/// Returns whether the columns are orthonormal.
#[track_caller]
fn assert_orthonormal(x: &Tensor, case: impl std::fmt::Debug) {
    let n = x.shape()[x.rank() - 1];
    assert_close(&adjoint(x).matmul(x).unwrap(), &identity(&x.shape(), n, x.dtype()), case);
}

/// Calls a check with matrices of every dtype, size, batch shape and layout.
fn for_each(sizes: &[[usize; 2]], check: impl Fn(&Tensor)) {
    let mut rng = TestRng::new(3);
    let mut n = 0;
    for dtype in TYPES {
        for size in sizes {
            for batch in [&[][..], &[3], &[2, 1, 2]] {
                let all = lying(&numbers(&mut rng, &[batch, size].concat(), dtype));
                // Two layouts in each case, so that all are combined with everything else.
                n += 1;
                check(&all[n % all.len()]);
                check(&all[(2 * n + 1) % all.len()]);
            }
        }
    }
}

const SQUARES: &[[usize; 2]] = &[[1, 1], [2, 2], [3, 3], [5, 5], [12, 12]];
const ALL_SIZES: &[[usize; 2]] =
    &[[1, 1], [1, 4], [4, 1], [2, 3], [5, 3], [4, 4], [30, 6], [7, 40]];

/// Makes the matrix well-conditioned in place, by adding to its diagonal.
fn regular(x: &Tensor) -> Tensor {
    x.diagonal(0, -2, -1).unwrap().add_assign(4.0 * x.shape()[x.rank() - 1] as f64).unwrap();
    x.clone()
}

#[test]
fn solve_satisfies_the_equations() {
    for_each(SQUARES, |x| {
        let a = regular(x);
        let b = numbers(&mut TestRng::new(8), &a.shape(), a.dtype()).narrow(-1, 0, 1).unwrap();
        let x = linalg::solve(&a, &b).unwrap();
        assert_close(&a.matmul(&x).unwrap(), &b, a.layout());
        let inverse = linalg::inv(&a).unwrap();
        let n = a.shape()[a.rank() - 1];
        assert_close(&inverse.matmul(&a).unwrap(), &identity(&a.shape(), n, a.dtype()), a.layout());
        assert_close(&linalg::pinv(&a).unwrap(), &inverse, a.layout());
        assert_close(&linalg::lstsq(&a, &b).unwrap().x, &x, a.layout());
    });
}

#[test]
fn only_a_1d_right_hand_side_is_a_vector() {
    let a = tensor![[[2.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]];
    let x = linalg::solve(&a, &tensor![2.0, 4.0]).unwrap();
    assert_eq!(x.shape(), [2, 2]);
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 1.0, 2.0, 4.0]);
    // A batch of two vectors would be ambiguous with a matrix of two columns.
    let x = linalg::solve(&a, &tensor![[2.0, 2.0], [4.0, 8.0]]).unwrap();
    assert_eq!(x.shape(), [2, 2, 2]);
    assert_eq!(x.select(0, 0).unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0, 1.0, 2.0]);
    let error = linalg::solve(&a, &tensor![1.0, 2.0, 3.0]).unwrap_err();
    assert_eq!(error.to_string(), "solve needs shape [2], got [3]");
    let error = linalg::lstsq(&a, &Tensor::ones([2, 5, 7], DType::Int8).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "lstsq needs shape [2, 2, 7], got [2, 5, 7]");
    let error = linalg::solve(&a, &Tensor::full([0usize; 0], 1.0).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "solve needs a vector or matrices on the right, got shape []");
    let three = Tensor::ones([3, 2, 1], DType::Float64).unwrap();
    assert_eq!(linalg::solve(&a, &three).unwrap_err().kind(), ErrorKind::Shape);
}

/// Returns the determinant by the Leibniz formula.
fn naive_det(a: &[Complex<f64>], n: usize) -> Complex<f64> {
    if n == 0 {
        return Complex::new(1.0, 0.0);
    }
    (0..n).fold(Complex::new(0.0, 0.0), |sum, k| {
        let minor: Vec<_> = (n..n * n).filter(|i| i % n != k).map(|i| a[i]).collect();
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum + a[k] * naive_det(&minor, n - 1) * sign
    })
}

#[test]
fn det_matches_the_leibniz_formula() {
    for_each(&[[1, 1], [2, 2], [3, 3], [4, 4]], |x| {
        let n = x.shape()[x.rank() - 1];
        let flat: Vec<Complex<f64>> = x.astype(DType::Complex128).unwrap().to_vec().unwrap();
        let dets: Vec<_> = flat.chunks(n * n).map(|it| naive_det(it, n)).collect();
        let expected = Tensor::from_vec(dets, &x.shape()[..x.rank() - 2]).unwrap();
        let found = linalg::det(x).unwrap();
        assert_close(&found, &expected, x.layout());
        let parts = linalg::slogdet(x).unwrap();
        assert_eq!(parts.logabsdet.dtype(), x.dtype().real());
        let size = parts.logabsdet.exp().unwrap();
        assert_close(&parts.sign.mul(&size).unwrap(), &expected, x.layout());
    });
}

#[test]
fn cholesky_factor_times_its_adjoint_is_the_matrix() {
    for_each(SQUARES, |x| {
        let a = x.matmul(&adjoint(x)).unwrap();
        let a = lying(&regular(&a)).swap_remove(x.rank() % 4);
        let lower = linalg::cholesky(&a).unwrap();
        assert_close(&lower.matmul(&adjoint(&lower)).unwrap(), &a, x.layout());
        let upper = linalg::cholesky_with(&a, true).unwrap();
        assert_close(&upper, &adjoint(&lower), x.layout());
        assert!(upper.is_contiguous() && lower.is_contiguous());
        let n = a.shape()[a.rank() - 1] as isize;
        for k in 1..n {
            let above = lower.diagonal(k, -2, -1).unwrap();
            assert!(!above.any(()).unwrap().item::<bool>().unwrap(), "a lower triangle");
        }
        // The other triangle is not read.
        let half = a.copy().unwrap();
        for k in 1..n {
            half.diagonal(k, -2, -1).unwrap().fill(f64::NAN).unwrap();
        }
        assert_close(&linalg::cholesky(&half).unwrap(), &lower, x.layout());
        assert_close(
            &linalg::cholesky_with(&half.mt().unwrap(), true).unwrap(),
            &lower.mt().unwrap(),
            x.layout(),
        );
    });
}

#[test]
fn qr_factors_multiply_to_the_matrix() {
    for_each(ALL_SIZES, |x| {
        for mode in [QrMode::Reduced, QrMode::Complete] {
            let linalg::Qr { q, r } = linalg::qr_with(x, mode).unwrap();
            assert_orthonormal(&q, x.layout());
            assert_close(&q.matmul(&r).unwrap(), x, x.layout());
            for k in 1..r.shape()[r.rank() - 2] as isize {
                let below = r.diagonal(-k, -2, -1).unwrap();
                assert!(!below.any(()).unwrap().item::<bool>().unwrap(), "an upper triangle");
            }
        }
    });
}

#[test]
fn rank_deficient_matrices_have_factorizations() {
    for dtype in TYPES {
        for (m, n, rank) in [(6, 4, 2), (4, 6, 1), (5, 5, 0), (40, 30, 7), (3, 3, 1)] {
            let mut rng = TestRng::new(m as u64);
            let left = numbers(&mut rng, &[m, rank], dtype);
            let x = left.matmul(&numbers(&mut rng, &[rank, n], dtype)).unwrap();
            let linalg::Qr { q, r } = linalg::qr_with(&x, QrMode::Complete).unwrap();
            assert_orthonormal(&q, (m, n, rank));
            assert_close(&q.matmul(&r).unwrap(), &x, (m, n, rank));
            assert_eq!(linalg::matrix_rank(&x).unwrap().item::<i64>().unwrap(), rank as i64);
            let p = linalg::pinv(&x).unwrap();
            assert_close(&x.matmul(&p).unwrap().matmul(&x).unwrap(), &x, (m, n, rank));
            assert_close(&p.matmul(&x).unwrap().matmul(&p).unwrap(), &p, (m, n, rank));
            let least = linalg::lstsq(&x, &numbers(&mut rng, &[m], dtype)).unwrap();
            assert_eq!(least.rank.item::<i64>().unwrap(), rank as i64);
        }
    }
}

#[test]
fn eigh_vectors_satisfy_the_eigenvalue_equation() {
    for_each(SQUARES, |x| {
        let a = x.add(&adjoint(x)).unwrap();
        for a in [&a, &a.flip(&[-1, -2]).unwrap()] {
            let linalg::Eigh { eigenvalues: w, eigenvectors: v } = linalg::eigh(a).unwrap();
            assert_eq!((w.dtype(), v.dtype()), (a.dtype().real(), a.dtype()));
            assert_orthonormal(&v, a.layout());
            let scaled = v.mul(&w.unsqueeze(-2).unwrap()).unwrap();
            assert_close(&a.matmul(&v).unwrap(), &scaled, a.layout());
            let n = w.shape()[w.rank() - 1];
            let next = w.narrow(-1, 1, n - 1).unwrap();
            let in_order = next.greater_equal(&w.narrow(-1, 0, n - 1).unwrap()).unwrap();
            assert!(in_order.all(()).unwrap().item::<bool>().unwrap(), "{w}");
            assert_close(&linalg::eigvalsh(a).unwrap(), &w, a.layout());
        }
    });
}

#[test]
fn eig_vectors_satisfy_the_eigenvalue_equation() {
    for_each(SQUARES, |a| {
        let linalg::Eig { eigenvalues: w, eigenvectors: v } = linalg::eig(a).unwrap();
        let complex = result_type(a.dtype(), DType::Complex64);
        assert_eq!((w.dtype(), v.dtype()), (complex, complex));
        let scaled = v.mul(&w.unsqueeze(-2).unwrap()).unwrap();
        assert_close(&a.matmul(&v).unwrap(), &scaled, a.layout());
        let lengths = v.abs().unwrap().pow(2).unwrap().sum(-2).unwrap();
        assert_close(&lengths, &lengths.ones_like().unwrap(), a.layout());
        let traces = w.sum(-1).unwrap();
        assert_close(&traces, &a.trace(0).unwrap(), a.layout());
        let alone = linalg::eigvals(a).unwrap();
        assert_close(&alone.sum(-1).unwrap(), &traces, a.layout());
    });
}

#[test]
fn defective_matrices_have_eigenvectors() {
    for dtype in TYPES {
        let zero = Tensor::zeros([4, 4], dtype).unwrap();
        let one = Tensor::eye(4, dtype).unwrap();
        let shift = Tensor::eye_with((4, 4), 1, dtype).unwrap();
        let jordan = shift.add(&one.mul(2).unwrap()).unwrap();
        for a in [&zero, &one, &shift, &jordan, &jordan.t().unwrap()] {
            let linalg::Eig { eigenvalues: w, eigenvectors: v } = linalg::eig(a).unwrap();
            // The error of a multiple eigenvalue is of the order of a root of the rounding error.
            let close =
                a.matmul(&v).unwrap().allclose_with(&v.mul(&w).unwrap(), 1e-2, 1e-2).unwrap();
            assert!(close.holds(), "{a}: {close}");
            let lengths = v.abs().unwrap().pow(2).unwrap().sum(-2).unwrap();
            assert_close(&lengths, &lengths.ones_like().unwrap(), a);
        }
        for a in [&zero, &one] {
            let linalg::Eigh { eigenvalues: w, eigenvectors: v } = linalg::eigh(a).unwrap();
            assert_orthonormal(&v, a);
            assert_close(&a.matmul(&v).unwrap(), &v.mul(&w).unwrap(), a);
            let linalg::Svd { u, s, vh } = linalg::svd(a).unwrap();
            assert_close(&u.mul(&s).unwrap().matmul(&vh).unwrap(), a, a);
        }
    }
}

#[test]
fn svd_factors_multiply_to_the_matrix() {
    for_each(ALL_SIZES, |x| {
        let least = x.shape()[x.rank() - 1].min(x.shape()[x.rank() - 2]);
        for full in [false, true] {
            let linalg::Svd { u, s, vh } = linalg::svd_with(x, full).unwrap();
            assert_eq!((s.dtype(), s.shape()[s.rank() - 1]), (x.dtype().real(), least));
            assert_orthonormal(&u, x.layout());
            assert_orthonormal(&adjoint(&vh), x.layout());
            let (u, vh) = (u.narrow(-1, 0, least).unwrap(), vh.narrow(-2, 0, least).unwrap());
            let scaled = u.mul(&s.unsqueeze(-2).unwrap()).unwrap();
            assert_close(&scaled.matmul(&vh).unwrap(), x, x.layout());
            let next = s.narrow(-1, 1, least - 1).unwrap();
            let in_order = next.less_equal(&s.narrow(-1, 0, least - 1).unwrap()).unwrap();
            assert!(in_order.all(()).unwrap().item::<bool>().unwrap(), "{s}");
            assert_close(&linalg::svdvals(x).unwrap(), &s, x.layout());
        }
    });
}

#[test]
fn large_matrices_are_factorized_in_blocks() {
    for dtype in [DType::Float64, DType::Complex64] {
        let x = numbers(&mut TestRng::new(2), &[150, 140], dtype);
        let linalg::Svd { u, s, vh } = linalg::svd_with(&x, false).unwrap();
        assert_close(&u.mul(&s).unwrap().matmul(&vh).unwrap(), &x, dtype);
        let linalg::Qr { q, r } = linalg::qr(&x).unwrap();
        assert_orthonormal(&q, dtype);
        assert_close(&q.matmul(&r).unwrap(), &x, dtype);
        let square = x.narrow(0, 0, 140).unwrap();
        let a = square.add(&adjoint(&square)).unwrap();
        let linalg::Eigh { eigenvalues: w, eigenvectors: v } = linalg::eigh(&a).unwrap();
        assert_orthonormal(&v, dtype);
        assert_close(&a.matmul(&v).unwrap(), &v.mul(&w).unwrap(), dtype);
        let linalg::Eig { eigenvalues: w, eigenvectors: v } = linalg::eig(&square).unwrap();
        assert_close(&square.matmul(&v).unwrap(), &v.mul(&w).unwrap(), dtype);
        let a = regular(&a);
        let lower = linalg::cholesky(&a).unwrap();
        assert_close(&lower.matmul(&adjoint(&lower)).unwrap(), &a, dtype);
        let inverse = linalg::inv(&a).unwrap();
        assert_close(&inverse.matmul(&a).unwrap(), &identity(&[140, 140], 140, dtype), dtype);
    }
}

#[test]
fn extreme_magnitudes_neither_underflow_nor_overflow() {
    with_watchdog(|| {
        for (dtype, scale) in [1e-300, 1e-150, 1e150, 1e300]
            .into_iter()
            .flat_map(|scale| [DType::Float64, DType::Complex128].map(|dtype| (dtype, scale)))
        {
            let x = numbers(&mut TestRng::new(1), &[6, 6], dtype);
            let a = x.add(&adjoint(&x)).unwrap().mul(scale).unwrap();
            let back = |it: &Tensor| it.mul(1.0 / scale).unwrap();
            let expected = linalg::eigvalsh(&back(&a)).unwrap();
            assert_close(&back(&linalg::eigvalsh(&a).unwrap()), &expected, scale);
            let expected = linalg::svdvals(&back(&a)).unwrap();
            assert_close(&back(&linalg::svdvals(&a).unwrap()), &expected, scale);
            let linalg::Qr { q, r } = linalg::qr(&a).unwrap();
            assert_close(&q.matmul(&back(&r)).unwrap(), &back(&a), scale);
            let values = linalg::eigvals(&a).unwrap();
            let trace = back(&a).trace(0).unwrap();
            assert_close(&back(&values).sum(-1).unwrap(), &trace, scale);
            let inverse = linalg::inv(&a).unwrap();
            assert_close(&inverse.mul(scale).unwrap(), &linalg::inv(&back(&a)).unwrap(), scale);
        }
    });
}

type Function = fn(&Tensor) -> Result<Tensor, Error>;

/// Functions of square matrices.
const FUNCTIONS: [(&str, Function); 13] = [
    ("det", |x| linalg::det(x)),
    ("slogdet", |x| Ok(linalg::slogdet(x)?.sign)),
    ("inv", |x| linalg::inv(x)),
    ("solve", |x| linalg::solve(x, x)),
    ("cholesky", |x| linalg::cholesky(x)),
    ("qr", |x| Ok(linalg::qr_with(x, QrMode::Complete)?.q)),
    ("eigh", |x| Ok(linalg::eigh(x)?.eigenvectors)),
    ("eigvalsh", |x| linalg::eigvalsh(x)),
    ("eig", |x| Ok(linalg::eig(x)?.eigenvectors)),
    ("eigvals", |x| linalg::eigvals(x)),
    ("svd", |x| Ok(linalg::svd(x)?.u)),
    ("svdvals", |x| linalg::svdvals(x)),
    ("pinv", |x| linalg::pinv(x)),
];

#[test]
fn non_finite_matrices_terminate_with_an_error_or_nan() {
    with_watchdog(|| {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for dtype in TYPES {
                for (n, place) in [(1, [0, 0]), (2, [1, 0]), (3, [0, 0]), (3, [2, 1]), (17, [8, 8])]
                {
                    let x = numbers(&mut TestRng::new(9), &[2, n, n], dtype);
                    x.slice(s![1, place[0], place[1]]).unwrap().fill(odd).unwrap();
                    for (name, function) in FUNCTIONS {
                        check_odd(name, function(&x), odd, n);
                    }
                }
            }
        }
    });
}

fn check_odd(name: &str, outcome: Result<Tensor, Error>, odd: f64, n: usize) {
    let case = format!("{name} of {n} with {odd}");
    match name {
        "det" | "slogdet" | "inv" | "solve" => {
            // An infinity may be divided by; a NaN spreads.
            let x = outcome.expect(&case).select(0, 1).unwrap();
            let y = x.mul(0).unwrap();
            let is_odd = y.not_equal(&y).unwrap().any(()).unwrap().item::<bool>().unwrap();
            assert!(is_odd || odd.is_infinite(), "{case}");
        }
        "qr" => {
            let x = outcome.expect(&case).select(0, 1).unwrap();
            assert!(x.not_equal(&x).unwrap().all(()).unwrap().item::<bool>().unwrap(), "{case}");
        }
        // The failing matrix need not be the first of the batch.
        "cholesky" => assert!(matches!(outcome, Err(Error::Matrix { .. })), "{case}"),
        _ => {
            let problem = match outcome.expect_err(&case) {
                Error::Matrix { matrix, problem, .. } => (matrix.to_vec(), problem),
                error => panic!("{case}: {error}"),
            };
            assert_eq!(problem, (vec![1], MatrixProblem::NotFinite), "{case}");
        }
    }
}

#[test]
fn empty_matrices_and_empty_batches_have_results() {
    for dtype in TYPES {
        let none = Tensor::zeros([3, 0, 0], dtype).unwrap();
        let nothing = Tensor::zeros([0, 2, 2], dtype).unwrap();
        for (name, function) in FUNCTIONS {
            let shape = function(&none).expect(name).shape();
            assert_eq!(shape[0], 3, "{name}");
            assert_eq!(function(&nothing).expect(name).shape()[0], 0, "{name}");
        }
        assert_eq!(values(&linalg::det(&none).unwrap()), [Complex::new(1.0, 0.0); 3]);
        let parts = linalg::slogdet(&none).unwrap();
        assert_eq!(values(&parts.sign), [Complex::new(1.0, 0.0); 3]);
        assert_eq!(values(&parts.logabsdet), [Complex::new(0.0, 0.0); 3]);
        for [m, n] in [[0, 4], [4, 0]] {
            let x = Tensor::zeros([2, m, n], dtype).unwrap();
            let found = linalg::svd(&x).unwrap();
            assert_eq!(found.u.shape(), [2, m, m]);
            assert_eq!(found.vh.shape(), [2, n, n]);
            assert_orthonormal(&found.u, [m, n]);
            assert_orthonormal(&found.vh, [m, n]);
            let found = linalg::qr_with(&x, QrMode::Complete).unwrap();
            assert_eq!((found.q.shape(), found.r.shape()), ([2, m, m].into(), [2, m, n].into()));
            assert_orthonormal(&found.q, [m, n]);
            assert_eq!(linalg::pinv(&x).unwrap().shape(), [2, n, m]);
            assert_eq!(linalg::matrix_rank(&x).unwrap().to_vec::<i64>().unwrap(), [0, 0]);
            let b = Tensor::ones([2, m, 3], dtype).unwrap();
            let least = linalg::lstsq(&x, &b).unwrap();
            assert_eq!(values(&least.x), vec![Complex::new(0.0, 0.0); 6 * n]);
        }
    }
}

fn values(x: &Tensor) -> Vec<Complex<f64>> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

#[test]
fn integers_are_cast_to_float64_and_16_bit_floats_refused() {
    let x = tensor![[2i8, 0], [0, 3]];
    assert_eq!(linalg::det(&x).unwrap().item::<f64>().unwrap(), 6.0);
    let (found, log) = copies::record(|| linalg::inv(&x).unwrap());
    assert_eq!(found.dtype(), DType::Float64);
    let copied: Vec<_> = log.iter().map(|it| (it.op, it.reason, it.bytes)).collect();
    assert_eq!(copied, [("inv", copies::CopyReason::Cast, 32)]);
    let mixed = linalg::solve(&x, &tensor![1f32, 1.0]).unwrap();
    assert_eq!(mixed.dtype(), DType::Float64);
    for dtype in [DType::Float16, DType::BFloat16] {
        let x = x.astype(dtype).unwrap();
        for (name, function) in FUNCTIONS {
            let error = function(&x).unwrap_err();
            assert_eq!(error.to_string(), format!("{name} is not supported for {dtype}"));
        }
    }
}

#[test]
fn strided_matrices_are_read_without_copies() {
    let x = numbers(&mut TestRng::new(4), &[2, 5, 5], DType::Float64);
    for x in lying(&regular(&x)) {
        for (name, function) in FUNCTIONS {
            if name != "cholesky" {
                copies::forbid(|| function(&x)).unwrap();
            }
        }
    }
}

#[test]
fn matrix_without_a_result_is_named_in_the_error() {
    let good = tensor![[2.0, 1.0], [1.0, 2.0]];
    let stack = good.broadcast_to([2, 3, 2, 2]).unwrap().copy().unwrap();
    stack.slice(s![1, 1]).unwrap().fill(1.0).unwrap();
    stack.slice(s![1, 2]).unwrap().fill(0.0).unwrap();
    let texts = |error: Error| (error.to_string(), error.kind());
    let singular = |op: &str| {
        (format!("{op}: the matrix at [1, 1] is singular: pivot 1 is 0"), ErrorKind::Value)
    };
    assert_eq!(texts(linalg::inv(&stack).unwrap_err()), singular("inv"));
    assert_eq!(texts(linalg::solve(&stack, &tensor![1.0, 2.0]).unwrap_err()), singular("solve"));
    assert_eq!(texts(linalg::matrix_power(&stack, -3).unwrap_err()), singular("inv"));
    let error = linalg::cholesky(&stack).unwrap_err();
    let text =
        "cholesky: the matrix at [1, 1] is not positive definite: pivot 1 is not greater than 0";
    assert_eq!(error.to_string(), text);
    let error = linalg::cholesky_with(&tensor![[-1.0]], true).unwrap_err();
    let text = "cholesky: the matrix is not positive definite: pivot 0 is not greater than 0";
    assert_eq!(error.to_string(), text);
    let error = linalg::eigh(&tensor![[f32::NAN]]).unwrap_err();
    assert_eq!(error.to_string(), "eigh: the matrix has elements that are not finite");
    // Large matrices are eliminated in blocks; the reported pivot is counted over all blocks.
    let large = Tensor::eye(200, DType::Float64).unwrap();
    large.slice(s![150, 150]).unwrap().fill(0.0).unwrap();
    for error in [linalg::inv(&large).unwrap_err(), linalg::cholesky(&large).unwrap_err()] {
        assert!(error.to_string().contains("pivot 150 is"), "{error}");
    }
}

#[test]
fn non_square_matrices_are_refused_with_their_shape() {
    let [vector, wide] =
        [&[3][..], &[2, 3]].map(|shape| Tensor::ones(shape, DType::Float64).unwrap());
    for (name, function) in FUNCTIONS {
        let error = function(&vector).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} needs matrices, got shape [3]"));
        match name {
            "qr" | "svd" | "svdvals" | "pinv" => assert!(function(&wide).is_ok(), "{name}"),
            _ => {
                let text = format!("{name} needs square matrices, got shape [2, 3]");
                assert_eq!(function(&wide).unwrap_err().to_string(), text);
            }
        }
    }
    let error = linalg::matrix_power(&wide, 2).unwrap_err();
    assert_eq!(error.to_string(), "matrix_power needs square matrices, got shape [2, 3]");
    assert!(linalg::matrix_norm_with(&vector, MatrixNorm::One, false).is_err());
    assert!(linalg::matrix_rank(&vector).is_err());
}

#[test]
fn huge_sizes_are_errors() {
    let one = Tensor::ones([1, 1], DType::Float64).unwrap();
    let huge = one.broadcast_to([1usize << 24, 1 << 24]).unwrap();
    for (name, function) in FUNCTIONS {
        let error = function(&huge).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Memory | ErrorKind::Limit), "{name}: {error}");
    }
    let tall = one.broadcast_to([1usize << 40, 1]).unwrap();
    assert!(linalg::svd(&tall).is_err());
    let tiny = tensor![[1.0]];
    assert_eq!(linalg::matrix_power(&tiny, i64::MIN).unwrap().item::<f64>().unwrap(), 1.0);
    assert_eq!(linalg::matrix_power(&tiny, i64::MAX).unwrap().item::<f64>().unwrap(), 1.0);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let x = numbers(&mut TestRng::new(6), &[40, 12, 12], DType::Float64);
    let x = regular(&x).matmul(&x.mt().unwrap()).unwrap();
    for (name, function) in FUNCTIONS {
        let bits = |n: usize| {
            let found = with_num_threads(n, || function(&x)).unwrap();
            values(&found)
                .iter()
                .flat_map(|it| [it.re.to_bits(), it.im.to_bits()])
                .collect::<Vec<_>>()
        };
        assert_eq!(bits(1), bits(2), "{name}");
        assert_eq!(bits(1), bits(5), "{name}");
    }
    // The reported failure is the first one for any number of threads.
    x.slice(s![17]).unwrap().fill(0.0).unwrap();
    x.slice(s![31]).unwrap().fill(0.0).unwrap();
    for n in [1, 2, 3, 8] {
        let error = with_num_threads(n, || linalg::inv(&x)).unwrap_err();
        assert_eq!(error.to_string(), "inv: the matrix at [17] is singular: pivot 0 is 0");
    }
}

#[test]
fn singular_values_beside_a_block_of_zeros_are_found() {
    // The zeros are those of the diagonal; faer divides it in halves of at least 128 rows.
    for (n, zeros) in
        [(256, 0..128), (300, 0..150), (300, 150..300), (512, 256..384), (256, 0..256)]
    {
        let values = (0..n).map(|i| if zeros.contains(&i) { 0.0 } else { (n - i) as f64 });
        let values: Vec<f64> = values.collect();
        let x = Tensor::zeros_of::<f64>([n, n]).unwrap();
        let diagonal = Tensor::from_vec(values.clone(), [n]).unwrap();
        assign_into(&diagonal, &x.diagonal(0, 0, 1).unwrap()).unwrap();
        let mut expected = values;
        expected.sort_by(|x, y| y.total_cmp(x));
        for dtype in [DType::Float32, DType::Float64, DType::Complex128] {
            let found = linalg::svdvals(&x.astype(dtype).unwrap()).unwrap();
            let found = found.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            let error = found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-3, "{dtype} {n} {zeros:?}: {error}");
        }
    }
}

#[test]
fn matrix_norms_match_their_definitions() {
    let x = tensor![[1.0, -2.0], [3.0, 4.0], [0.0, -1.0]];
    let norm = |norm| linalg::matrix_norm_with(&x, norm, false).unwrap().item::<f64>().unwrap();
    assert_eq!(norm(MatrixNorm::Frobenius), 31f64.sqrt());
    assert_eq!(norm(MatrixNorm::One), 7.0);
    assert_eq!(norm(MatrixNorm::MinusOne), 4.0);
    assert_eq!(norm(MatrixNorm::Infinity), 7.0);
    assert_eq!(norm(MatrixNorm::MinusInfinity), 1.0);
    let s = linalg::svdvals(&x).unwrap().to_vec::<f64>().unwrap();
    assert_eq!((norm(MatrixNorm::Two), norm(MatrixNorm::MinusTwo)), (s[0], s[1]));
    assert!((norm(MatrixNorm::Nuclear) - s[0] - s[1]).abs() < 1e-12);
    // The squares of such numbers would not fit, and neither would they of sixteen bits.
    let large = Tensor::full([2, 2], 1e200).unwrap();
    let found = linalg::matrix_norm(&large).unwrap();
    assert!((found.item::<f64>().unwrap() / 2e200 - 1.0).abs() < 1e-15);
    let counts = belvedere::copies::forbid(|| {
        linalg::matrix_norm_with(&tensor![[true, false], [true, true]], MatrixNorm::One, false)
    });
    assert_eq!(counts.unwrap().item::<f64>().unwrap(), 2.0);
    let halves = Tensor::full([2, 2], f16::from_f32(300.0)).unwrap();
    let found = linalg::matrix_norm_with(&halves, MatrixNorm::Frobenius, true).unwrap();
    assert_eq!((found.shape(), found.dtype()), ([1, 1].into(), DType::Float16));
    assert_eq!(found.item::<f16>().unwrap().to_f32(), 600.0);
}

#[test]
fn matrix_power_of_one_is_a_view() {
    let x = Tensor::ones([3, 4, 4], DType::Int32).unwrap();
    let first = linalg::matrix_power(&x, 1).unwrap();
    assert!(first.storage().is_same(x.storage()));
    let fifth = linalg::matrix_power(&x, 5).unwrap();
    assert_eq!(fifth.to_vec::<i32>().unwrap(), [256; 48]);
    assert!(linalg::matrix_power(&tensor![[true]], 2).is_err());
}

/// Returns the norm of a difference relative to that of the expected matrix, computed in double precision.
fn relative_error(found: &Tensor, expected: &Tensor) -> f64 {
    let expected = expected.astype(DType::Complex128).unwrap();
    let norm = |x: &Tensor| x.abs().unwrap().square().unwrap().sum(()).unwrap().item::<f64>();
    let error = norm(&found.sub(&expected).unwrap()).unwrap();
    (error / norm(&expected).unwrap()).sqrt()
}

/// Returns a product in double precision.
fn exact_product(x: &Tensor, y: &Tensor) -> Tensor {
    let [x, y] = [x, y].map(|it| it.astype(DType::Complex128).unwrap());
    x.matmul(&y).unwrap()
}

#[test]
fn factors_multiply_to_matrices_whose_columns_are_almost_dependent() {
    let mut rng = TestRng::new(21);
    for dtype in TYPES {
        let is_single = dtype.real() == DType::Float32;
        let epsilon = if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        for [m, n] in [[6, 4], [40, 10], [90, 90], [300, 40], [40, 300], [130, 129]] {
            // Columns that differ by some hundred roundings, columns of every length, and few independent ones.
            let first = numbers(&mut rng, &[m, 1], dtype);
            let others = numbers(&mut rng, &[m, n], dtype).mul(500.0 * epsilon).unwrap();
            let lengths = Tensor::from_fn([n], |i| 10f64.powi(-(i[0] as i32 % 20))).unwrap();
            let graded = numbers(&mut rng, &[m, n], dtype).mul(&lengths).unwrap();
            let signs = Tensor::from_fn([n], |i| (i[0] % 3) as f64 - 1.0).unwrap();
            let kinds = [first.add(&others), Ok(graded), first.mul(&signs)];
            for (kind, x) in kinds.into_iter().enumerate() {
                let x = x.unwrap().astype(dtype).unwrap();
                let assert_small = |name: &str, error: f64| {
                    let ulps = error / epsilon;
                    assert!(ulps < 200.0, "{name} of {dtype} {m} × {n}, kind {kind}: {ulps} ULP");
                };
                let linalg::Qr { q, r } = linalg::qr(&x).unwrap();
                assert_small("Q R", relative_error(&exact_product(&q, &r), &x));
                let linalg::Svd { u, s, vh } = linalg::svd_with(&x, false).unwrap();
                let scaled = u.mul(&s.unsqueeze(-2).unwrap()).unwrap();
                assert_small("U S Vᴴ", relative_error(&exact_product(&scaled, &vh), &x));
                let identity = Tensor::eye(m.min(n), DType::Complex128).unwrap();
                for (name, it) in [("Qᴴ Q", &q), ("Uᴴ U", &u), ("Vᴴ V", &adjoint(&vh))] {
                    assert_small(name, relative_error(&exact_product(&adjoint(it), it), &identity));
                }
                let values = s.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
                assert!(values.is_sorted_by(|x, y| x >= y), "{dtype} {m} × {n}, kind {kind}: {s}");
                let alone = linalg::svdvals(&x).unwrap().unsqueeze(0).unwrap();
                assert_small("singular values", relative_error(&alone, &s.unsqueeze(0).unwrap()));
            }
        }
    }
}

#[test]
fn eigenvectors_do_not_depend_on_the_scale_of_the_matrix() {
    let mut rng = TestRng::new(22);
    for dtype in TYPES {
        let is_single = dtype.real() == DType::Float32;
        let epsilon = if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        for n in [20, 150] {
            let x = numbers(&mut rng, &[n, n], dtype);
            let hermitian = x.add(&adjoint(&x)).unwrap();
            for scale in [-90, -40, -20, -10, 0, 10, 20, 30, 90] {
                let scaled = |x: &Tensor| x.mul(2f64.powi(scale)).unwrap();
                let assert_vectors = |a: &Tensor, w: &Tensor, v: &Tensor| {
                    let wide = |x: &Tensor| x.astype(DType::Complex128).unwrap();
                    let product = wide(v).mul(&wide(w)).unwrap();
                    let error = relative_error(&exact_product(a, v), &product) / epsilon;
                    assert!(error < 200.0, "{dtype} {n} · 2^{scale}: {error} ULP");
                };
                let a = scaled(&hermitian);
                let linalg::Eigh { eigenvalues: w, eigenvectors: v } = linalg::eigh(&a).unwrap();
                assert_vectors(&a, &w, &v);
                assert_orthonormal(&v, scale);
                let a = scaled(&x);
                let linalg::Eig { eigenvalues: w, eigenvectors: v } = linalg::eig(&a).unwrap();
                assert_vectors(&a, &w, &v);
            }
        }
    }
}

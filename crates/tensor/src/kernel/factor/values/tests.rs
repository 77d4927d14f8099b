//! The iterations against counts of eigenvalues: a value is right if the count changes near it.

use super::dqds::find_singular_values;
use super::root_free_ql::find_eigenvalues;

const ROUNDING: f64 = f64::EPSILON * 0.5;

/// Linear congruential numbers from -1 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) * 0.5 * n as f64) as usize
    }
}

/// An element of a matrix of a kind: random, graded, sparse, equal, clustered, of any magnitude, singular, alternating.
fn element(kind: usize, position: f64, numbers: &mut Numbers) -> f64 {
    let x = numbers.next();
    match kind {
        0 => x,
        1 => x * 1e-20f64.powf(position),
        2 => x * 1e20f64.powf(position),
        3 => [0.0, 0.0, x][numbers.below(3)],
        4 => 1.0,
        5 => 1.0 + 1e-9 * x,
        6 => 10f64.powf(30.0 * x),
        7 => 10f64.powf(200.0 * x),
        8 => [-1.0, 0.0, 1.0][numbers.below(3)],
        9 => [x, 0.0][(position > 0.5) as usize],
        10 => 1e-16 * x,
        _ => [1.0, 1e-13][numbers.below(2)],
    }
}

const KINDS: usize = 12;

/// Returns how many eigenvalues of a tridiagonal matrix are below `x` (Sturm's theorem).
fn count_below(diagonal: &[f64], side: &[f64], x: f64) -> usize {
    let (mut pivot, mut count) = (diagonal[0] - x, 0);
    for i in 1..=diagonal.len() {
        count += usize::from(pivot < 0.0);
        if i < diagonal.len() {
            let divisor = pivot.abs().max(1e-300).copysign(pivot);
            pivot = diagonal[i] - x - side[i - 1] * (side[i - 1] / divisor);
        }
    }
    count
}

/// Asserts that `values` are the eigenvalues from number `first` on, in ascending order.
#[track_caller]
fn assert_eigenvalues(diagonal: &[f64], side: &[f64], values: &[f64], first: usize, case: &str) {
    let max = diagonal.iter().chain(side).fold(0.0, |max: f64, it| max.max(it.abs()));
    let error = 8.0 * (values.len() as f64 + 3.0) * f64::EPSILON * max;
    for (i, &x) in values.iter().enumerate() {
        let fits = max == 0.0 && x == 0.0
            || count_below(diagonal, side, x - error) <= first + i
                && count_below(diagonal, side, x + error) > first + i;
        assert!(fits, "{case}: value {i}, {x:e}, of {diagonal:?} and {side:?}");
    }
    assert!(values.is_sorted(), "{case}");
}

/// Calls a check with the diagonals of matrices of every kind and of many sizes.
fn for_each(check: impl Fn(&[f64], &[f64], &str)) {
    let mut numbers = Numbers(7);
    for case in 0..KINDS * 100 {
        let n = 1 + numbers.below(if case % 50 == 0 { 150 } else { 24 });
        let (kind, coupling) = (case % KINDS, [1.0, 1e-3, 1e-8, 1e-15][numbers.below(4)]);
        let mut all = |n_elements: usize, factor: f64| -> Vec<f64> {
            let position = |i: usize| i as f64 / n as f64;
            (0..n_elements).map(|i| factor * element(kind, position(i), &mut numbers)).collect()
        };
        let (diagonal, side) = (all(n, 1.0), all(n - 1, coupling));
        check(&diagonal, &side, &format!("case {case}, kind {kind}, {n} rows"));
    }
}

#[test]
fn ql_finds_the_eigenvalues_that_sturm_counts() {
    for_each(|diagonal, side, case| {
        let (mut values, mut rest) = (diagonal.to_vec(), side.to_vec());
        find_eigenvalues(&mut values, &mut rest, ROUNDING).unwrap();
        assert_eigenvalues(diagonal, side, &values, 0, case);
    });
}

#[test]
fn dqds_finds_the_singular_values_that_sturm_counts() {
    for_each(|diagonal, side, case| {
        let n = diagonal.len();
        let mut values = diagonal.to_vec();
        find_singular_values(&mut values, side, ROUNDING).unwrap();
        values.reverse();
        assert!(values[0] >= 0.0, "{case}: {values:?}");
        // The matrix with the diagonals 0 and `d₀, e₀, d₁, e₁ …` has the singular values and their negatives.
        let pairs = (0..n).flat_map(|i| [Some(diagonal[i]), side.get(i).copied()]);
        assert_eigenvalues(
            &vec![0.0; 2 * n],
            &pairs.flatten().collect::<Vec<_>>(),
            &values,
            n,
            case,
        );
    });
}

#[test]
fn dqds_finds_small_singular_values_to_a_high_relative_precision() {
    // The inverse of the matrix with ones on the diagonal and `c` above has the elements (-c)^k: the product of
    // all singular values is 1.
    for c in [0.5, 2.0, 3.0] {
        let n = 20;
        let mut values = vec![1.0; n];
        find_singular_values(&mut values, &vec![c; n - 1], ROUNDING).unwrap();
        let product: f64 = values.iter().map(|it| it.ln()).sum();
        assert!(product.abs() < 1e-12, "{c}: {product}, {values:?}");
        // Of a diagonal matrix they are the absolute values, exactly.
        let diagonal: Vec<f64> = (0..n).map(|i| c * (-0.125f64).powi(i as i32)).collect();
        let mut values = diagonal.clone();
        find_singular_values(&mut values, &vec![0.0; n - 1], ROUNDING).unwrap();
        for (value, it) in values.iter().zip(&diagonal) {
            assert!((value / it.abs() - 1.0).abs() < 1e-15, "{value} {it}");
        }
    }
}

#[test]
fn elements_that_are_not_numbers_end_the_iteration() {
    assert!(find_singular_values(&mut [1.0, f64::NAN, 1.0, 1.0], &[1.0; 3], ROUNDING).is_err());
    let mut values = [1.0, f64::NAN, 1.0, 1.0];
    let _ = find_eigenvalues(&mut values, &mut [1.0; 3], ROUNDING);
    assert!(values.iter().any(|it| it.is_nan()));
}

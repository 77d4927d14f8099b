//! Linear algebra compared with NumPy, one line each. Factors are compared by properties that do not depend on the sign convention.

use crate::numpy::close::Tolerance::{self, Exact, Near, Zeros};
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, Values::*, types};
use crate::numpy::session::Session;
use belvedere::linalg::{self, MatrixNorm, QrMode};
use belvedere::{DType, Error, Tensor, result_type};

/// A function of one stack of matrices, in NumPy and in Belvedere.
struct Row {
    name: &'static str,
    python: &'static str,
    /// The numbers of rows and columns.
    size: fn(&mut Random) -> [usize; 2],
    values: Values,
    tolerance: Tolerance,
    ours: fn(&Tensor) -> Result<Tensor, Error>,
}

const fn row(
    name: &'static str,
    python: &'static str,
    size: fn(&mut Random) -> [usize; 2],
    values: Values,
    tolerance: Tolerance,
    ours: fn(&Tensor) -> Result<Tensor, Error>,
) -> Row {
    Row { name, python, size, values, tolerance, ours }
}

const SQUARE: fn(&mut Random) -> [usize; 2] =
    |random| [random.pick(&[0, 1, 2, 2, 3, 3, 4, 5, 7, 12]); 2];
const ANY_SIZE: fn(&mut Random) -> [usize; 2] =
    |random| [0; 2].map(|_| random.pick(&[0, 1, 2, 3, 4, 5, 9, 13]));
const SOME: fn(&mut Random) -> [usize; 2] = |random| [0; 2].map(|_| random.below(8) + 1);

/// Returns a well-conditioned matrix: the product with its transpose, plus a multiple of the identity.
const REGULAR: &str = "(lambda x: x + 8 * np.eye(x.shape[-1]).astype(x.dtype))";

fn regular(x: &Tensor) -> Result<Tensor, Error> {
    let x = x.copy()?;
    let diagonal = x.diagonal(0, -2, -1)?;
    diagonal.add_assign(8)?;
    Ok(x)
}

// Values of one sign avoid cancellation, so that rounding errors are small relative to norms and determinants of such
// matrices.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("det", "np.linalg.det(R(@))", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::det(&regular(x)?)),
    row("slogdet", "np.linalg.slogdet(R(@)).logabsdet", SQUARE, Within(0.5, 1.), Near(2000.), |x| Ok(linalg::slogdet(&regular(x)?)?.logabsdet)),
    row("slogdet sign", "np.linalg.slogdet(R(@)).sign", SQUARE, Within(0.5, 1.), Near(2000.), |x| Ok(linalg::slogdet(&regular(x)?)?.sign)),
    row("inv", "np.linalg.inv(R(@)) + 1", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::inv(&regular(x)?)?.add(1)),
    row("solve itself", "np.linalg.solve(R(@), @)", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::solve(&regular(x)?, x)?.add(0)),
    row("power", "np.linalg.matrix_power(@, 3)", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::matrix_power(x, 3)),
    row("power 0", "np.linalg.matrix_power(@, 0)", SQUARE, Whole(-3, 3), Zeros, |x| linalg::matrix_power(x, 0)),
    row("power 6", "np.linalg.matrix_power(@, 6)", SQUARE, Whole(-1, 1), Zeros, |x| linalg::matrix_power(x, 6)),
    row("power -2", "np.linalg.matrix_power(R(@), -2) + 1", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::matrix_power(&regular(x)?, -2)?.add(1)),
    row("cholesky", "np.linalg.cholesky(R(@)) + 1", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::cholesky(&regular(x)?)?.add(1)),
    row("cholesky upper", "np.linalg.cholesky(R(@), upper=True) + 1", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::cholesky_with(&regular(x)?, true)?.add(1)),
    row("qr q", "abs(np.linalg.qr(R(@))[0]) + 1", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::qr(&regular(x)?)?.q.abs()?.add(1)),
    row("qr r", "abs(np.linalg.qr(@)[1]) + 1", SOME, Within(0.5, 1.), Near(2e5), |x| linalg::qr(x)?.r.abs()?.add(1)),
    row("qr shapes", "np.linalg.qr(@)[0] * 0 + np.linalg.qr(@)[0].shape[-1]", ANY_SIZE, Within(0.5, 1.), Exact, |x| { let q = linalg::qr(x)?.q; let n = q.shape()[q.rank() - 1]; q.abs()?.mul(0)?.add(n)?.astype(q.dtype()) }),
    row("qr complete", "np.linalg.qr(@, mode='complete')[1].shape", ANY_SIZE, Within(0.5, 1.), Exact, |x| shape(&linalg::qr_with(x, QrMode::Complete)?.r)),
    row("eigvalsh", "np.linalg.eigvalsh(@) + 100", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::eigvalsh(x)?.add(100)),
    row("eigh", "np.linalg.eigh(@)[0] + 100", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::eigh(x)?.eigenvalues.add(100)),
    row("eigvals", "np.sort(np.linalg.eigvals(@).real, -1) + 100", SQUARE, Within(0.5, 1.), Near(4e4), |x| sorted(&linalg::eigvals(x)?.real()?)?.add(100)),
    row("eigvals imag", "np.sort(np.linalg.eigvals(@).imag, -1) + 100", SQUARE, Within(0.5, 1.), Near(4e4), |x| sorted(&linalg::eigvals(x)?.imag()?)?.add(100)),
    row("eig", "np.sort(np.linalg.eig(@)[0].real, -1) + 100", SQUARE, Within(0.5, 1.), Near(4e4), |x| sorted(&linalg::eig(x)?.eigenvalues.real()?)?.add(100)),
    row("svdvals", "np.linalg.svdvals(@) + 100", ANY_SIZE, Within(0.5, 1.), Near(2000.), |x| linalg::svdvals(x)?.add(100)),
    row("svd", "np.linalg.svd(@)[1] + 100", ANY_SIZE, Within(0.5, 1.), Near(2000.), |x| linalg::svd(x)?.s.add(100)),
    row("svd u", "np.linalg.svd(@)[0].shape", ANY_SIZE, Within(0.5, 1.), Exact, |x| shape(&linalg::svd(x)?.u)),
    row("svd vh", "np.linalg.svd(@, full_matrices=False)[2].shape", ANY_SIZE, Within(0.5, 1.), Exact, |x| shape(&linalg::svd_with(x, false)?.vh)),
    row("pinv", "np.linalg.pinv(R(@)) + 1", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::pinv(&regular(x)?)?.add(1)),
    row("pinv rtol", "np.linalg.pinv(@, rtol=0.3) + 1", ANY_SIZE, Within(0.5, 1.), Near(2000.), |x| linalg::pinv_with(x, 0.3)?.add(1)),
    row("rank", "np.linalg.matrix_rank(@)", ANY_SIZE, Whole(-1, 1), Exact, |x| linalg::matrix_rank(x)),
    row("rank rtol", "np.linalg.matrix_rank(@, rtol=0.2)", ANY_SIZE, Within(0.5, 1.), Exact, |x| linalg::matrix_rank_with(x, 0.2)),
    row("cond", "np.linalg.cond(R(@))", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::cond(&regular(x)?)),
    row("norm fro", "np.linalg.matrix_norm(@)", ANY_SIZE, Within(0.5, 1.), Near(50.), |x| linalg::matrix_norm(x)),
    row("norm nuc", "np.linalg.matrix_norm(@, ord='nuc', keepdims=True)", SOME, Within(0.5, 1.), Near(2000.), |x| linalg::matrix_norm_with(x, MatrixNorm::Nuclear, true)),
    row("norm 1", "np.linalg.matrix_norm(@, ord=1)", SOME, Within(0.5, 1.), Near(50.), |x| linalg::matrix_norm_with(x, MatrixNorm::One, false)),
    row("norm -1", "np.linalg.matrix_norm(@, ord=-1)", SOME, Within(0.5, 1.), Near(50.), |x| linalg::matrix_norm_with(x, MatrixNorm::MinusOne, false)),
    row("norm 2", "np.linalg.matrix_norm(@, ord=2, keepdims=True)", SOME, Within(0.5, 1.), Near(2000.), |x| linalg::matrix_norm_with(x, MatrixNorm::Two, true)),
    row("norm -2", "np.linalg.matrix_norm(R(@), ord=-2)", SQUARE, Within(0.5, 1.), Near(2000.), |x| linalg::matrix_norm_with(&regular(x)?, MatrixNorm::MinusTwo, false)),
    row("norm inf", "np.linalg.matrix_norm(@, ord=np.inf)", SOME, Within(0.5, 1.), Near(50.), |x| linalg::matrix_norm_with(x, MatrixNorm::Infinity, false)),
    row("norm -inf", "np.linalg.matrix_norm(@, ord=-np.inf, keepdims=True)", SOME, Within(0.5, 1.), Near(50.), |x| linalg::matrix_norm_with(x, MatrixNorm::MinusInfinity, true)),
    row("trace", "np.linalg.trace(@)", ANY_SIZE, Whole(-3, 3), Zeros, |x| x.trace(0)),
    row("trace 1", "np.linalg.trace(@, offset=1)", ANY_SIZE, Whole(-3, 3), Zeros, |x| x.trace(1)),
    row("trace f64", "np.linalg.trace(@, offset=-2, dtype=np.complex128)", ANY_SIZE, Whole(-3, 3), Zeros, |x| x.trace_as(-2, DType::Complex128)),
    row("pinv rtols", "np.linalg.pinv(@, rtol=np.resize([0.3, 0.01], @.shape[-3:-2])) + 1", SOME, Within(0.5, 1.), Near(2000.), |x| linalg::pinv_by(x, &rtols(x, 0.3, 0.01)?)?.add(1)),
    row("rank rtols", "np.linalg.matrix_rank(@, rtol=np.resize([0.2, 0.5], @.shape[-3:-2]))", ANY_SIZE, Within(0.5, 1.), Exact, |x| linalg::matrix_rank_by(x, &rtols(x, 0.2, 0.5)?)),
];

/// Returns alternating tolerances along the last axis of a stack.
fn rtols(x: &Tensor, one: f64, two: f64) -> Result<Tensor, Error> {
    let stack = &x.shape()[..x.rank() - 2];
    let last = &stack[stack.len().saturating_sub(1)..];
    Tensor::from_vec([one, two].into_iter().cycle().take(last.iter().product()).collect(), last)
}

fn shape(x: &Tensor) -> Result<Tensor, Error> {
    let lens: Vec<i64> = x.shape().iter().map(|&len| len as i64).collect();
    Tensor::from_slice(&lens, [x.rank()])
}

/// Returns the real parts, sorted along the last axis.
fn sorted(x: &Tensor) -> Result<Tensor, Error> {
    let wide = x.astype(DType::Float64)?.contiguous()?;
    let n = x.shape().last().copied().unwrap_or(1).max(1);
    let mut values = wide.to_vec::<f64>()?;
    values.chunks_mut(n).for_each(|it| it.sort_by(f64::total_cmp));
    Tensor::from_vec(values, x.shape())?.astype(x.dtype())
}

#[test]
fn factorizations_match_numpy() {
    let Some(mut session) = Session::new("linalg") else { return };
    let mut random = Random::new(47);
    // NumPy refuses float16 except for norms, which it computes with too little precision.
    let all: Vec<DType> = types().filter(|&it| it != DType::Float16 && !it.is_bool()).collect();
    for row in ROWS {
        for _ in 0..session.times(40) {
            let dtype = match random.once_in(3) {
                true => random.pick(&all),
                false => random.pick(&all[all.len() - 4..]),
            };
            let batch: Vec<usize> =
                (0..random.pick(&[0, 0, 1, 2])).map(|_| random.below(4)).collect();
            let size = (row.size)(&mut random);
            // Integer matrices, whose rank does not depend on rounding.
            let x = Operand::new(&mut random, &[&batch[..], &size].concat(), dtype, row.values);
            let python =
                row.python.replace("R(", &format!("{REGULAR}(")).replace('@', &x.named("a"));
            session.ask(row.name, &[&x.base], python, row.tolerance, || (row.ours)(&x.view));
        }
    }
    session.finish();
}

/// A product of two tensors.
struct Pair {
    name: &'static str,
    python: &'static str,
    /// The shapes of the two.
    shapes: fn(&mut Random) -> [Vec<usize>; 2],
    ours: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
}

fn lens(random: &mut Random, most: usize) -> Vec<usize> {
    (0..random.below(most + 1)).map(|_| random.pick(&[1, 2, 3, 4, 5, 0])).collect()
}

/// Draws stacks that broadcast, mostly with matching inner lengths.
fn stacks(random: &mut Random, ends: [&[usize]; 2]) -> [Vec<usize>; 2] {
    let batch: Vec<usize> = (0..random.below(3)).map(|_| random.below(3) + 1).collect();
    let mut shapes = ends.map(|end| [random.reduced(&batch), end.to_vec()].concat());
    if random.once_in(30) {
        shapes[0].push(2);
    }
    shapes
}

fn len(random: &mut Random) -> usize {
    random.pick(&[0, 1, 2, 3, 4, 5, 5, 6, 7, 20])
}

const VECTORS: fn(&mut Random) -> [Vec<usize>; 2] = |random| {
    let n = len(random);
    stacks(random, [&[n], &[n]])
};
const MATRIX_VECTOR: fn(&mut Random) -> [Vec<usize>; 2] = |random| {
    let (m, n) = (len(random), len(random));
    stacks(random, [&[m, n], &[n]])
};
const VECTOR_MATRIX: fn(&mut Random) -> [Vec<usize>; 2] = |random| {
    let (m, n) = (len(random), len(random));
    stacks(random, [&[m], &[m, n]])
};
const THREE: fn(&mut Random) -> [Vec<usize>; 2] = |random| stacks(random, [&[3], &[3]]);
const FREE: fn(&mut Random) -> [Vec<usize>; 2] = |random| [lens(random, 3), lens(random, 3)];
const INNER: fn(&mut Random) -> [Vec<usize>; 2] = |random| {
    let n = len(random);
    [lens(random, 2), lens(random, 2)].map(|it| [&it[..], &[n]].concat())
};
const DOT: fn(&mut Random) -> [Vec<usize>; 2] = |random| {
    let (n, m) = (len(random), len(random));
    [[lens(random, 2), vec![n]].concat(), [lens(random, 1), vec![n, m]].concat()]
};
const TWO_AXES: fn(&mut Random) -> [Vec<usize>; 2] = |random| {
    let (n, m) = (random.below(5) + 1, random.below(5) + 1);
    let other = if random.once_in(20) { m + 1 } else { m };
    [[lens(random, 2), vec![n, m]].concat(), [vec![n, other], lens(random, 2)].concat()]
};

#[rustfmt::skip]
const PAIRS: &[Pair] = &[
    Pair { name: "vecdot", python: "np.vecdot(@, $)", shapes: VECTORS, ours: |a, b| a.vecdot(b, -1) },
    Pair { name: "matvec", python: "np.matvec(@, $)", shapes: MATRIX_VECTOR, ours: |a, b| a.matvec(b) },
    Pair { name: "vecmat", python: "np.vecmat(@, $)", shapes: VECTOR_MATRIX, ours: |a, b| a.vecmat(b) },
    Pair { name: "cross", python: "np.linalg.cross(@, $)", shapes: THREE, ours: |a, b| a.cross(b, -1) },
    Pair { name: "kron", python: "np.kron(@, $)", shapes: FREE, ours: |a, b| a.kron(b) },
    Pair { name: "inner", python: "np.inner(@, $)", shapes: INNER, ours: |a, b| a.inner(b) },
    Pair { name: "dot", python: "np.dot(@, $)", shapes: DOT, ours: |a, b| a.dot(b) },
    Pair { name: "tensordot 0", python: "np.tensordot(@, $, 0)", shapes: FREE, ours: |a, b| a.tensordot(b, 0) },
    Pair { name: "tensordot 1", python: "np.tensordot(@, $, 1)", shapes: FREE, ours: |a, b| a.tensordot(b, 1) },
    Pair { name: "tensordot 2", python: "np.tensordot(@, $, 2)", shapes: TWO_AXES, ours: |a, b| a.tensordot(b, 2) },
    Pair { name: "tensordot axes", python: "np.tensordot(@, $, ([-1, -2], [1, 0]))", shapes: TWO_AXES, ours: |a, b| a.tensordot(b, ([-1, -2], [1, 0])) },
    Pair { name: "tensordot last", python: "np.tensordot(@, $, ([-2], [0]))", shapes: TWO_AXES, ours: |a, b| a.tensordot(b, ([-2], [0])) },
    Pair { name: "outer", python: "np.linalg.outer(@, $)", shapes: VECTORS, ours: |a, b| a.outer(b) },
];

#[test]
fn tensordot_and_vecdot_match_numpy() {
    let Some(mut session) = Session::new("contractions") else { return };
    let mut random = Random::new(53);
    let all: Vec<DType> = types().filter(|it| !it.is_bool()).collect();
    for row in PAIRS {
        for _ in 0..session.times(60) {
            let shapes = (row.shapes)(&mut random);
            let types = [random.pick(&all), random.pick(&all)];
            // float16 sums are rounded once here; small integers make them exact.
            let most = if result_type(types[0], types[1]) == DType::Float16 { 2 } else { 3 };
            let [a, b] =
                [0, 1].map(|n| Operand::new(&mut random, &shapes[n], types[n], Whole(-most, most)));
            let python = row.python.replace('@', &a.named("a")).replace('$', &b.named("b"));
            session
                .ask(row.name, &[&a.base, &b.base], python, Zeros, || (row.ours)(&a.view, &b.view));
        }
    }
    session.finish();
}

#[test]
fn solve_matches_numpy() {
    let Some(mut session) = Session::new("equations") else { return };
    let mut random = Random::new(59);
    let all: Vec<DType> = types().filter(|&it| it != DType::Float16 && !it.is_bool()).collect();
    for _ in 0..session.times(300) {
        let (n, k) = (random.pick(&[0, 1, 2, 3, 5, 8]), random.below(4));
        let is_vector = random.once_in(3);
        let batch: Vec<usize> = (0..random.below(3)).map(|_| random.below(3) + 1).collect();
        let shape_a = [random.reduced(&batch), vec![n, n]].concat();
        let rows = if random.once_in(30) { n + 1 } else { n };
        let shape_b = match is_vector {
            true => vec![rows],
            false => [random.reduced(&batch), vec![rows, k]].concat(),
        };
        let [a, b] = [&shape_a, &shape_b].map(|shape| {
            let dtype = random.pick(&all);
            Operand::new(&mut random, shape, dtype, Within(0.5, 1.))
        });
        let python = format!("np.linalg.solve({REGULAR}({}), {}) + 1", a.named("a"), b.named("b"));
        session.ask("solve", &[&a.base, &b.base], python, Near(2000.), || {
            linalg::solve(&regular(&a.view)?, &b.view)?.add(1)
        });
        let python =
            format!("np.linalg.lstsq({REGULAR}({}), {})[0] + 1", a.named("a"), b.named("b"));
        if batch.is_empty() {
            session.ask("lstsq", &[&a.base, &b.base], python, Near(2000.), || {
                linalg::lstsq(&regular(&a.view)?, &b.view)?.x.add(1)
            });
        }
    }
    session.finish();
}

//! Matrix products compared with NumPy, one line each.

use crate::numpy::close::Tolerance::{self, Exact, Near, Zeros};
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, Values::*, types};
use crate::numpy::session::Session;
use belvedere::{DType, Error, Tensor, result_type};

/// A product, in NumPy and in Belvedere.
struct Row {
    name: &'static str,
    python: &'static str,
    /// The possible result dtypes.
    types: fn(DType) -> bool,
    values: Values,
    tolerance: Tolerance,
    ours: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
}

const INTEGERS: fn(DType) -> bool = |dtype| dtype.is_integer();
const FLOATS: fn(DType) -> bool = |dtype| dtype.is_floating();
const COMPLEX: fn(DType) -> bool = |dtype| dtype.is_complex();

// Floats of one sign: with cancellation, the errors of different summation orders would dominate. Small integers
// are exact, and may have any sign.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("integers", "np.matmul(@, $)", INTEGERS, Any, Exact, |a, b| a.matmul(b)),
    row("floats", "np.matmul(@, $)", FLOATS, Within(0.5, 2.), Near(64.), |a, b| a.matmul(b)),
    row("whole floats", "np.matmul(@, $)", FLOATS, Whole(-3, 3), Zeros, |a, b| a.matmul(b)),
    row("complex", "np.matmul(@, $)", COMPLEX, Within(0.5, 2.), Near(64.), |a, b| a.matmul(b)),
    row("whole complex", "np.matmul(@, $)", COMPLEX, Whole(-3, 3), Zeros, |a, b| a.matmul(b)),
];

const fn row(
    name: &'static str,
    python: &'static str,
    types: fn(DType) -> bool,
    values: Values,
    tolerance: Tolerance,
    ours: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
) -> Row {
    Row { name, python, types, values, tolerance, ours }
}

#[test]
fn matmul_matches_numpy() {
    let Some(mut session) = Session::new("products") else { return };
    let mut random = Random::new(11);
    let all: Vec<DType> = types().collect();
    for row in ROWS {
        for _ in 0..session.times(300) {
            let types = loop {
                let types = [random.pick(&all), random.pick(&all)];
                if (row.types)(result_type(types[0], types[1])) {
                    break types;
                }
            };
            let shapes = matrices(&mut random);
            row.ask(&mut session, &mut random, &shapes, types);
        }
    }
    session.finish();
}

impl Row {
    fn ask(
        &self,
        session: &mut Session,
        random: &mut Random,
        shapes: &[Vec<usize>; 2],
        types: [DType; 2],
    ) {
        let a = Operand::new(random, &shapes[0], types[0], self.values);
        let b = Operand::new(random, &shapes[1], types[1], self.values);
        let python = self.python.replace('@', &a.named("a")).replace('$', &b.named("b"));
        session.ask(self.name, &[&a.base, &b.base], python, self.tolerance, || {
            (self.ours)(&a.view, &b.view)
        });
    }
}

/// Draws two shapes, mostly compatible: matrices, stacks of them that broadcast,
/// vectors, and lengths of zero.
fn matrices(random: &mut Random) -> [Vec<usize>; 2] {
    let len = |random: &mut Random| match random.below(20) {
        0 => 0,
        1 => random.pick(&[33, 64, 100]),
        _ => random.below(18) + 1,
    };
    let [m, k, n] = [len(random), len(random), len(random)];
    let other_k = if random.once_in(40) { k + 1 } else { k };
    let n_stacked = random.below(3);
    let stack: Vec<usize> = (0..n_stacked).map(|_| random.below(4) + 1).collect();
    let mut shape = |matrix: [usize; 2], vector: usize| match random.once_in(5) {
        true => vec![vector],
        false => [random.reduced(&stack), matrix.to_vec()].concat(),
    };
    [shape([m, k], k), shape([other_k, n], other_k)]
}

//! Operations on elements: one line each.

use crate::close::Tolerance::{self, Exact, Near, Steps, Zeros};
use crate::operand::Operand;
use crate::random::{Random, Values, Values::*, types};
use crate::session::Session;
use belvedere::{DType, Error, Tensor, result_type, where_};

/// An operation, in NumPy's words and in ours.
struct Row {
    name: &'static str,
    /// With `@0`, `@1` and `@2` for the operands.
    python: &'static str,
    types: Types,
    /// What the operands are filled with.
    values: &'static [Values],
    tolerance: Tolerance,
    ours: fn(&[Tensor]) -> Result<Tensor, Error>,
}

/// Which operands an operation has, by their types.
type Types = fn(&[DType]) -> bool;

const ANY: Types = |_| true;
const NUMBERS: Types = |it| !met(it).is_bool();
const ORDERED: Types = |it| !met(it).is_complex();
const INTEGERS: Types = |it| met(it).is_integer();
const EXACT: Types = |it| !met(it).is_floating() && !met(it).is_complex();
const FLOATS: Types = |it| met(it).is_floating();
const REALS: Types = |it| !met(it).is_bool() && !met(it).is_complex();
const COMPLEX: Types = |it| met(it).is_complex();
/// A known difference: signed integers and `uint64` meet in `float64`, where large ones are rounded;
/// NumPy does the same for arithmetic, but compares the integers themselves.
const COMPARED: Types = |it| !it.iter().all(|it| it.is_integer()) || met(it).is_integer();
const COMPARED_ORDERED: Types = |it| ORDERED(it) && COMPARED(it);

/// The type in which the operands meet. A third one is a condition, which may be of any type.
fn met(types: &[DType]) -> DType {
    types.iter().take(2).copied().reduce(result_type).expect("an operand")
}

/// Where NumPy's own functions, which depend on the machine, promise four units in the last place,
/// and ours are those of the system.
const FUNCTION: Tolerance = Steps(5);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("add", "np.add(@0, @1)", NUMBERS, &[Any, Any], Exact, |x| x[0].add(&x[1])),
    row("sub", "np.subtract(@0, @1)", NUMBERS, &[Any, Any], Exact, |x| x[0].sub(&x[1])),
    row("mul", "np.multiply(@0, @1)", REALS, &[Any, Any], Exact, |x| x[0].mul(&x[1])),
    row("mul complex", "np.multiply(@0, @1)", COMPLEX, &[Within(-9., 9.), Within(-9., 9.)], Near(4.), |x| x[0].mul(&x[1])),
    row("div", "np.divide(@0, @1)", ORDERED, &[Any, Any], Exact, |x| x[0].div(&x[1])),
    row("div complex", "np.divide(@0, @1)", COMPLEX, &[Within(-9., 9.), Within(-9., 9.)], Near(8.), |x| x[0].div(&x[1])),
    row("minimum", "np.minimum(@0, @1)", ORDERED, &[Any, Any], Zeros, |x| x[0].minimum(&x[1])),
    row("maximum", "np.maximum(@0, @1)", ORDERED, &[Any, Any], Zeros, |x| x[0].maximum(&x[1])),
    row("negative", "np.negative(@0)", NUMBERS, &[Any], Exact, |x| x[0].negative()),
    row("abs", "np.abs(@0)", REALS, &[Any], Exact, |x| x[0].abs()),
    row("abs complex", "np.abs(@0)", COMPLEX, &[Within(-9., 9.)], Steps(2), |x| x[0].abs()),
    row("pow integer", "np.power(@0, @1)", INTEGERS, &[Any, Whole(0, 9)], Exact, |x| x[0].pow(&x[1])),
    row("pow negative", "np.power(@0, @1)", INTEGERS, &[Any, Whole(-1, 9)], Exact, |x| x[0].pow(&x[1])),
    row("pow", "np.power(@0, @1)", FLOATS, &[Within(0., 9.), Within(-4., 4.)], FUNCTION, |x| x[0].pow(&x[1])),
    row("pow complex", "np.power(@0, @1)", COMPLEX, &[Within(0.5, 4.), Within(-2., 2.)], Near(64.), |x| x[0].pow(&x[1])),
    row("sqrt", "np.sqrt(@0)", FLOATS, &[Any], Exact, |x| x[0].sqrt()),
    row("sqrt complex", "np.sqrt(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].sqrt()),
    row("exp", "np.exp(@0)", FLOATS, &[Any], FUNCTION, |x| x[0].exp()),
    row("exp complex", "np.exp(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].exp()),
    row("log", "np.log(@0)", FLOATS, &[Any], FUNCTION, |x| x[0].log()),
    row("log complex", "np.log(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].log()),
    row("tanh", "np.tanh(@0)", FLOATS, &[Any], FUNCTION, |x| x[0].tanh()),
    row("tanh complex", "np.tanh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].tanh()),
    // Ours calculate in float64 where NumPy chooses a float of the integer's size.
    row("sqrt integer", "np.sqrt(@0.astype('f8'))", EXACT, &[Any], Exact, |x| x[0].sqrt()),
    row("exp integer", "np.exp(@0.astype('f8'))", EXACT, &[Whole(-9, 9)], FUNCTION, |x| x[0].exp()),
    row("log integer", "np.log(@0.astype('f8'))", EXACT, &[Any], FUNCTION, |x| x[0].log()),
    row("tanh integer", "np.tanh(@0.astype('f8'))", EXACT, &[Whole(-9, 9)], FUNCTION, |x| x[0].tanh()),
    row("relu", "np.maximum(@0, np.zeros_like(@0))", FLOATS, &[Any], Zeros, |x| x[0].relu()),
    row("less", "np.less(@0, @1)", COMPARED_ORDERED, &[Any, Any], Exact, |x| x[0].less(&x[1])),
    row("less_equal", "np.less_equal(@0, @1)", COMPARED_ORDERED, &[Any, Any], Exact, |x| x[0].less_equal(&x[1])),
    row("greater", "np.greater(@0, @1)", COMPARED_ORDERED, &[Any, Any], Exact, |x| x[0].greater(&x[1])),
    row("greater_equal", "np.greater_equal(@0, @1)", COMPARED_ORDERED, &[Any, Any], Exact, |x| x[0].greater_equal(&x[1])),
    row("equal", "np.equal(@0, @1)", COMPARED, &[Whole(-2, 2), Whole(-2, 2)], Exact, |x| x[0].equal(&x[1])),
    row("equal any", "np.equal(@0, @1)", COMPARED, &[Any, Any], Exact, |x| x[0].equal(&x[1])),
    row("not_equal", "np.not_equal(@0, @1)", COMPARED, &[Whole(-2, 2), Any], Exact, |x| x[0].not_equal(&x[1])),
    row("logical_and", "np.logical_and(@0, @1)", ANY, &[Whole(-1, 1), Any], Exact, |x| x[0].logical_and(&x[1])),
    row("logical_or", "np.logical_or(@0, @1)", ANY, &[Whole(-1, 1), Whole(0, 1)], Exact, |x| x[0].logical_or(&x[1])),
    row("logical_xor", "np.logical_xor(@0, @1)", ANY, &[Whole(-1, 1), Any], Exact, |x| x[0].logical_xor(&x[1])),
    row("logical_not", "np.logical_not(@0)", ANY, &[Any], Exact, |x| x[0].logical_not()),
    row("where", "np.where(@2, @0, @1)", ANY, &[Any, Any, Whole(-1, 1)], Exact, |x| where_(&x[2], &x[0], &x[1])),
    // A number takes the type of the tensor, if that is of its kind.
    row("add 3", "@0 + 3", ANY, &[Any], Exact, |x| x[0].add(3)),
    row("add -3", "@0 + -3", NUMBERS, &[Any], Exact, |x| x[0].add(-3)),
    row("mul 2.5", "@0 * 2.5", ORDERED, &[Any], Exact, |x| x[0].mul(2.5)),
    row("mul 300", "@0 * 300", NUMBERS, &[Whole(-9, 9)], Exact, |x| x[0].mul(300)),
    row("sub 1+2j", "@0 - (1+2j)", ANY, &[Any], Exact, |x| x[0].sub(belvedere::Complex::new(1.0, 2.0))),
    row("less 1", "@0 < 1", ORDERED, &[Any], Exact, |x| x[0].less(1)),
    row("equal 0.5", "@0 == 0.5", ANY, &[Any], Exact, |x| x[0].equal(0.5)),
];

const fn row(
    name: &'static str,
    python: &'static str,
    types: Types,
    values: &'static [Values],
    tolerance: Tolerance,
    ours: fn(&[Tensor]) -> Result<Tensor, Error>,
) -> Row {
    Row { name, python, types, values, tolerance, ours }
}

#[test]
fn operations_on_elements_are_those_of_numpy() {
    let Some(mut session) = Session::new("elementwise") else { return };
    let mut random = Random::new(1);
    for row in ROWS {
        for _ in 0..session.times(150) {
            let types = operand_types(&mut random, row);
            let shape = random.shape();
            // Exponents are looked at even if there is nothing to raise to their power.
            if row.name == "pow negative" && shape.contains(&0) {
                continue;
            }
            row.ask(&mut session, &mut random, &shape, &types);
        }
    }
    session.finish();
}

/// A type for each operand, such that the operation exists.
fn operand_types(random: &mut Random, row: &Row) -> Vec<DType> {
    let all: Vec<DType> = types().collect();
    loop {
        let types: Vec<DType> = row.values.iter().map(|_| random.pick(&all)).collect();
        if (row.types)(&types) {
            return types;
        }
    }
}

impl Row {
    fn ask(&self, session: &mut Session, random: &mut Random, shape: &[usize], types: &[DType]) {
        let operands: Vec<Operand> = self
            .values
            .iter()
            .zip(types)
            .map(|(&values, &dtype)| {
                let shape = random.reduced(shape);
                Operand::new(random, &shape, dtype, values)
            })
            .collect();
        let mut python = self.python.to_string();
        for (n, (operand, name)) in operands.iter().zip(["a", "b", "c"]).enumerate() {
            python = python.replace(&format!("@{n}"), &operand.named(name));
        }
        let bases: Vec<&Tensor> = operands.iter().map(|it| &it.base).collect();
        let views: Vec<Tensor> = operands.iter().map(|it| it.view.clone()).collect();
        session.ask(self.name, &bases, python, self.tolerance, || (self.ours)(&views));
    }
}

//! Elementwise operations: those of the table, and one line for each that needs other values, dtypes or tolerances.

use crate::numpy::close::Tolerance::{self, Exact, Near, Parts, Steps, Zeros};
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, Values::*, types};
use crate::numpy::session::Session;
use crate::operations::OPERATIONS;
use belvedere::{DType, Error, Tensor, result_type, where_};
use std::borrow::Cow;

/// An operation, in NumPy's words and in ours.
struct Row {
    name: &'static str,
    /// With `@0`, `@1` and `@2` for the operands.
    python: Cow<'static, str>,
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
const BITS: Types = |it| met(it).is_integer() || met(it).is_bool();
/// What SciPy has without rounding twice, and what is given in several steps.
const SINGLE: Types = |it| it.iter().all(|&it| it == DType::Float32);
const WIDE: Types = |it| matches!(met(it), DType::Float32 | DType::Float64);
/// Three types may meet elsewhere than two and two of them do, so there are two at most.
const ALL_REAL: Types = |it| REALS(it) && it[1] == it[2];
const ALL_EXACT: Types =
    |it| ALL_REAL(it) && it.iter().all(|it| it.size() > 2 || !it.is_floating());

/// The type in which the operands meet. A third one is a condition, which may be of any type.
fn met(types: &[DType]) -> DType {
    types.iter().take(2).copied().reduce(result_type).expect("an operand")
}

/// Where NumPy's own functions, which depend on the machine, promise four units in the last place,
/// and ours are those of the system.
const FUNCTION: Tolerance = Steps(5);

/// Operations that the table does not describe, and those whose row replaces the one that is made from the table.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("mul", "np.multiply(@0, @1)", REALS, &[Any, Any], Exact, |x| x[0].mul(&x[1])),
    row("mul complex", "np.multiply(@0, @1)", COMPLEX, &[Within(-9., 9.), Within(-9., 9.)], Near(4.), |x| x[0].mul(&x[1])),
    row("div", "np.divide(@0, @1)", ORDERED, &[Any, Any], Exact, |x| x[0].div(&x[1])),
    row("div complex", "np.divide(@0, @1)", COMPLEX, &[Within(-9., 9.), Within(-9., 9.)], Near(8.), |x| x[0].div(&x[1])),
    row("minimum", "np.minimum(@0, @1)", ORDERED, &[Any, Any], Zeros, |x| x[0].minimum(&x[1])),
    row("maximum", "np.maximum(@0, @1)", ORDERED, &[Any, Any], Zeros, |x| x[0].maximum(&x[1])),
    row("abs", "np.abs(@0)", REALS, &[Any], Exact, |x| x[0].abs()),
    row("abs complex", "np.abs(@0)", COMPLEX, &[Within(-9., 9.)], Steps(2), |x| x[0].abs()),
    row("pow integer", "np.power(@0, @1)", INTEGERS, &[Any, Whole(0, 9)], Exact, |x| x[0].pow(&x[1])),
    row("pow negative", "np.power(@0, @1)", INTEGERS, &[Any, Whole(-1, 9)], Exact, |x| x[0].pow(&x[1])),
    row("pow", "np.power(@0, @1)", FLOATS, &[Within(0., 9.), Within(-4., 4.)], FUNCTION, |x| x[0].pow(&x[1])),
    row("pow complex", "np.power(@0, @1)", COMPLEX, &[Within(0.5, 4.), Within(-2., 2.)], Near(64.), |x| x[0].pow(&x[1])),
    row("sqrt complex", "np.sqrt(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].sqrt()),
    row("exp complex", "np.exp(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].exp()),
    row("log complex", "np.log(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].log()),
    row("tanh complex", "np.tanh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].tanh()),
    // Ours calculate in float64 where NumPy chooses a float of the integer's size.
    row("sqrt integer", "np.sqrt(@0.astype('f8'))", EXACT, &[Any], Exact, |x| x[0].sqrt()),
    row("exp integer", "np.exp(@0.astype('f8'))", EXACT, &[Whole(-9, 9)], FUNCTION, |x| x[0].exp()),
    row("log integer", "np.log(@0.astype('f8'))", EXACT, &[Any], FUNCTION, |x| x[0].log()),
    row("tanh integer", "np.tanh(@0.astype('f8'))", EXACT, &[Whole(-9, 9)], FUNCTION, |x| x[0].tanh()),
    row("relu", "np.maximum(@0, np.zeros_like(@0))", FLOATS, &[Any], Zeros, |x| x[0].relu()),
    row("equal", "np.equal(@0, @1)", ANY, &[Whole(-2, 2), Whole(-2, 2)], Exact, |x| x[0].equal(&x[1])),
    row("equal any", "np.equal(@0, @1)", ANY, &[Any, Any], Exact, |x| x[0].equal(&x[1])),
    row("not_equal", "np.not_equal(@0, @1)", ANY, &[Whole(-2, 2), Any], Exact, |x| x[0].not_equal(&x[1])),
    row("logical_and", "np.logical_and(@0, @1)", ANY, &[Whole(-1, 1), Any], Exact, |x| x[0].logical_and(&x[1])),
    row("logical_or", "np.logical_or(@0, @1)", ANY, &[Whole(-1, 1), Whole(0, 1)], Exact, |x| x[0].logical_or(&x[1])),
    row("logical_xor", "np.logical_xor(@0, @1)", ANY, &[Whole(-1, 1), Any], Exact, |x| x[0].logical_xor(&x[1])),
    row("where", "np.where(@2, @0, @1)", ANY, &[Any, Any, Whole(-1, 1)], Exact, |x| where_(&x[2], &x[0], &x[1])),
    // Arithmetic.
    row("floor_divide", FLOOR_DIVIDE, REALS, &[Any, Any], Exact, |x| x[0].floor_divide(&x[1])),
    row("remainder", "np.remainder(@0, @1)", REALS, &[Any, Any], Exact, |x| x[0].remainder(&x[1])),
    row("fmod", "np.fmod(@0, @1)", REALS, &[Any, Any], Exact, |x| x[0].fmod(&x[1])),
    row("floor_divide small", FLOOR_DIVIDE, REALS, &[Whole(-9, 9), Whole(-3, 3)], Exact, |x| x[0].floor_divide(&x[1])),
    row("remainder small", "np.remainder(@0, @1)", REALS, &[Whole(-9, 9), Whole(-3, 3)], Exact, |x| x[0].remainder(&x[1])),
    row("subtract", "np.subtract(@0, @1)", NUMBERS, &[Any, Any], Exact, |x| x[0].subtract(&x[1])),
    row("multiply", "np.multiply(@0, @1)", REALS, &[Any, Any], Exact, |x| x[0].multiply(&x[1])),
    row("divide", "np.divide(@0, @1)", ORDERED, &[Any, Any], Exact, |x| x[0].divide(&x[1])),
    row("fmin", "np.fmin(@0, @1)", ORDERED, &[Any, Any], Zeros, |x| x[0].fmin(&x[1])),
    row("fmax", "np.fmax(@0, @1)", ORDERED, &[Any, Any], Zeros, |x| x[0].fmax(&x[1])),
    row("clip", "np.clip(@0, @1, @2)", ALL_REAL, &[Any, Any, Any], Zeros, |x| x[0].clip(&x[1], &x[2])),
    row("clip below", "np.clip(@0, @1, None)", REALS, &[Any, Any], Zeros, |x| x[0].clip(&x[1], ())),
    row("clip above", "np.clip(@0, None, @1)", REALS, &[Any, Any], Zeros, |x| x[0].clip((), &x[1])),
    row("clip 2 5", "np.clip(@0, 2, 5)", REALS, &[Any], Zeros, |x| x[0].clip(2, 5)),
    row("clip not", "@0", REALS, &[Any], Exact, |x| x[0].clamp((), ())),
    row("mul_add", "(@0.astype('f8') * @1 + @2).astype('f4')", SINGLE, &[Any, Any, Any], Steps(1), |x| x[0].mul_add(&x[1], &x[2])),
    row("mul_add integer", "@0 * @1 + @2", |it| EXACT(it) && INTEGERS(it) && INTEGERS(&it[1..]) && INTEGERS(&[it[0], it[2]]) && it[2] == met(it), &[Any, Any, Any], Exact, |x| x[0].mul_add(&x[1], &x[2])),
    row("lerp", "@0 + @2 * (@1 - @0)", SINGLE, &[Whole(-9, 9), Whole(-9, 9), Within(0., 0.49)], Exact, |x| x[0].lerp(&x[1], &x[2])),
    row("lerp from the end", "@1 - (@1 - @0) * (np.float32(1) - @2)", SINGLE, &[Any, Any, Within(0.5, 1.)], Exact, |x| x[0].lerp(&x[1], &x[2])),
    row("addcmul", "@0 + 2 * @1 * @2", |it| ALL_EXACT(it) && it[0] == it[1] && it[1] == it[2], &[Any, Any, Any], Exact, |x| x[0].addcmul(&x[1], &x[2], 2)),
    row("addcdiv", "@0 + 2 * @1 / @2", |it| WIDE(it) && it[0] == it[1] && it[1] == it[2], &[Any, Any, Any], Exact, |x| x[0].addcdiv(&x[1], &x[2], 2)),
    // Powers and roots.
    row("square", "np.square(@0)", REALS, &[Any], Exact, |x| x[0].square()),
    row("square complex", "np.square(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].square()),
    row("reciprocal", "np.reciprocal(@0)", FLOATS, &[Any], Exact, |x| x[0].reciprocal()),
    row("reciprocal complex", "np.reciprocal(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].reciprocal()),
    row("rsqrt", "1 / np.sqrt(@0)", FLOATS, &[Any], Steps(2), |x| x[0].rsqrt()),
    row("pow any", "np.power(@0, @1)", FLOATS, &[Any, Any], FUNCTION, |x| x[0].pow(&x[1])),
    row("pow complex whole", "np.power(@0, @1)", COMPLEX, &[Within(-2., 2.), Whole(-5, 5)], Near(64.), |x| x[0].pow(&x[1])),
    // Exponentials and logarithms.
    row("exp2 complex", "np.exp2(@0)", COMPLEX, &[Within(-9., 9.)], Near(16.), |x| x[0].exp2()),
    row("expm1 complex", "np.expm1(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].expm1()),
    row("log1p complex", "np.log1p(@0)", COMPLEX, &[Within(-9., 9.)], Near(16.), |x| x[0].log1p()),
    row("log2 complex", "np.log2(@0)", COMPLEX, &[Within(-9., 9.)], Near(8.), |x| x[0].log2()),
    row("log10 complex", "np.log10(@0)", COMPLEX, &[Within(-9., 9.)], Near(8.), |x| x[0].log10()),
    row("logaddexp", "np.logaddexp(@0, @1)", FLOATS, &[Any, Any], FUNCTION, |x| x[0].logaddexp(&x[1])),
    // Angles.
    row("sin complex", "np.sin(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].sin()),
    row("cos complex", "np.cos(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].cos()),
    row("tan complex", "np.tan(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].tan()),
    row("asin complex", "np.arcsin(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].asin()),
    row("acos complex", "np.arccos(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].acos()),
    row("atan complex", "np.arctan(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].atan()),
    row("sinh complex", "np.sinh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].sinh()),
    row("cosh complex", "np.cosh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].cosh()),
    row("asinh complex", "np.arcsinh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].asinh()),
    row("acosh complex", "np.arccosh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].acosh()),
    row("atanh complex", "np.arctanh(@0)", COMPLEX, &[Within(-3., 3.)], Near(8.), |x| x[0].atanh()),
    row("sin integer", "np.sin(@0.astype('f8'))", EXACT, &[Any], FUNCTION, |x| x[0].sin()),
    row("sinc", "np.sinc(@0)", WIDE, &[Within(-9., 9.)], Steps(8), |x| x[0].sinc()),
    // Rounding, signs, parts.
    // NumPy's first name for it, `rint`, casts integers to floats.
    row("round", "np.round(@0)", NUMBERS, &[Any], Exact, |x| x[0].round()),
    row("round halves", "np.round(@0 / 2)", FLOATS, &[Whole(-9, 9)], Exact, |x| x[0].div(2)?.round()),
    row("sign", "np.sign(@0)", REALS, &[Any], Exact, |x| x[0].sign()),
    row("sign complex", "np.sign(@0)", COMPLEX, &[Within(-9., 9.)], Near(4.), |x| x[0].sign()),
    row("signbit", "np.signbit(@0)", REALS, &[Any], Exact, |x| x[0].signbit()),
    row("nextafter", "np.nextafter(@0, @1)", FLOATS, &[Any, Any], Zeros, |x| x[0].nextafter(&x[1])),
    row("real", "np.real(@0)", ANY, &[Any], Exact, |x| x[0].real()),
    row("imag", "np.imag(@0)", ANY, &[Any], Exact, |x| x[0].imag()),
    row("conj", "np.conj(@0)", NUMBERS, &[Any], Exact, |x| x[0].conj()),
    row("angle", "np.angle(@0)", |it| FLOATS(it) || COMPLEX(it), &[Any], FUNCTION, |x| x[0].angle()),
    row("angle integer", "np.angle(@0.astype('f8'))", EXACT, &[Any], FUNCTION, |x| x[0].angle()),
    // Questions, and what stands in for what is no number.
    row("isclose", "np.isclose(@0, @1, 0.13, 0.5)", ANY, &[Whole(-9, 9), Whole(-9, 9)], Exact, |x| x[0].isclose_with(&x[1], 0.13, 0.5, false)),
    row("isclose nan", "np.isclose(@0, @1, 1e-3, 0, equal_nan=True)", ANY, &[Any, Any], Exact, |x| x[0].isclose_with(&x[1], 1e-3, 0.0, true)),
    row("nan_to_num", "np.nan_to_num(@0)", ANY, &[Any], Exact, |x| x[0].nan_to_num(None, None, None)),
    row("nan_to_num 1 2 3", "np.nan_to_num(@0, nan=1, posinf=2, neginf=3)", ANY, &[Any], Exact, |x| x[0].nan_to_num(Some(1.0), Some(2.0), Some(3.0))),
    // Bits.
    row("left_shift", "np.left_shift(@0, @1)", INTEGERS, &[Any, Whole(-2, 70)], Exact, |x| x[0].bitwise_left_shift(&x[1])),
    row("right_shift", "np.right_shift(@0, @1)", INTEGERS, &[Any, Whole(-2, 70)], Exact, |x| x[0].bitwise_right_shift(&x[1])),
    row("lcm", "np.lcm(@0, @1)", INTEGERS, &[Any, Any], Exact, |x| x[0].lcm(&x[1])),
    // Of SciPy.
    row("erf", "scipy.special.erf(@0)", WIDE, &[Any], Steps(8), |x| x[0].erf()),
    row("erfc", "scipy.special.erfc(@0)", WIDE, &[Within(-3., 8.)], Near(32.), |x| x[0].erfc()),
    row("erfinv", "scipy.special.erfinv(@0)", WIDE, &[Within(-1.1, 1.1)], Near(16.), |x| x[0].erfinv()),
    row("logit", "scipy.special.logit(@0)", WIDE, &[Within(-0.1, 1.1)], Near(16.), |x| x[0].logit()),
    row("xlogy", "scipy.special.xlogy(@0, @1)", |it| WIDE(it) && it[0] == it[1], &[Whole(-2, 2), Within(-1., 9.)], Near(8.), |x| x[0].xlogy(&x[1])),
    // A number takes the type of the tensor, if that is of its kind.
    row("add 3", "@0 + 3", ANY, &[Any], Exact, |x| x[0].add(3)),
    row("add -3", "@0 + -3", NUMBERS, &[Any], Exact, |x| x[0].add(-3)),
    row("mul 2.5", "@0 * 2.5", ORDERED, &[Any], Exact, |x| x[0].mul(2.5)),
    row("mul 300", "@0 * 300", NUMBERS, &[Whole(-9, 9)], Exact, |x| x[0].mul(300)),
    row("sub 1+2j", "@0 - (1+2j)", ANY, &[Any], Exact, |x| x[0].sub(belvedere::Complex::new(1.0, 2.0))),
    row("less 1", "@0 < 1", ORDERED, &[Any], Exact, |x| x[0].less(1)),
    row("less 300", "@0 < 300", ORDERED, &[Any], Exact, |x| x[0].less(300)),
    row("greater_equal -1", "@0 >= -1", ORDERED, &[Any], Exact, |x| x[0].greater_equal(-1)),
    row("equal 0.5", "@0 == 0.5", ANY, &[Any], Exact, |x| x[0].equal(0.5)),
];

/// NumPy's quotient rounded down; at infinities the quotient itself, as the standard has it.
const FLOOR_DIVIDE: &str =
    "np.where(np.isinf(@0) | np.isinf(@1), (@0 / @1).astype((@0 // @1).dtype), @0 // @1)";

const fn row(
    name: &'static str,
    python: &'static str,
    types: Types,
    values: &'static [Values],
    tolerance: Tolerance,
    ours: fn(&[Tensor]) -> Result<Tensor, Error>,
) -> Row {
    Row { name, python: Cow::Borrowed(python), types, values, tolerance, ours }
}

/// All rows: those above, and one for each operation of the table that is compared with NumPy and has none above.
fn rows() -> impl Iterator<Item = Row> {
    let has_row = |name: &str| ROWS.iter().any(|row| row.name == name);
    let own = ROWS.iter().map(|row| Row { python: row.python.clone(), ..*row });
    own.chain(OPERATIONS.iter().filter(move |it| !has_row(it.name)).filter_map(|operation| {
        let types = match operation.dtypes {
            "any" => ANY,
            "number" => NUMBERS,
            "ordered" => ORDERED,
            "real" => REALS,
            "integer" => INTEGERS,
            "bits" => BITS,
            _ => FLOATS,
        };
        let (operands, values): (_, &[Values]) = match operation.n_operands {
            1 => ("@0", &[Any]),
            _ => ("@0, @1", &[Any, Any]),
        };
        Some(Row {
            name: operation.name,
            python: Cow::Owned(format!("{}({operands})", operation.numpy)),
            types,
            values,
            tolerance: if operation.ulps? == 0 { Exact } else { FUNCTION },
            ours: operation.method,
        })
    }))
}

#[test]
fn elementwise_operations_match_numpy() {
    let Some(mut session) = Session::new("elementwise") else { return };
    let mut random = Random::new(1);
    for row in rows() {
        for _ in 0..session.times(60) {
            let types = operand_types(&mut random, &row);
            let shape = random.shape();
            row.ask(&mut session, &mut random, &shape, &types);
        }
    }
    session.finish();
}

/// What the standard has tables for.
const SPECIAL: &[f64] = &[
    f64::NEG_INFINITY,
    -3.0,
    -2.0,
    -1.0,
    -0.5,
    -0.0,
    0.0,
    0.5,
    1.0,
    2.0,
    3.0,
    f64::INFINITY,
    f64::NAN,
];

#[test]
fn special_values_match_numpy() {
    let Some(mut session) = Session::new("special") else { return };
    for row in rows() {
        let is_complex = row.name.ends_with("complex");
        if ELSEWHERE.contains(&row.name) {
            continue;
        }
        let types: Vec<DType> = types().filter(|it| it.is_complex() == is_complex).collect();
        for dtype in types.into_iter().filter(|&it| (row.types)(&vec![it; row.values.len()])) {
            if dtype.is_integer() || dtype.is_bool() {
                continue;
            }
            let line = special(dtype);
            let operands: Vec<Tensor> = match row.values.len() {
                1 => vec![line],
                2 => vec![line.unsqueeze(1).expect("a column"), line],
                _ => continue,
            };
            let tolerance = match row.tolerance {
                Near(n) if is_complex => Parts(n),
                other => other,
            };
            let standard = STANDARD.iter().find(|it| it.0 == row.name);
            let python = standard.map_or(&*row.python, |it| it.1);
            let python = python.replace("@0", "a").replace("@1", "b");
            let inputs: Vec<&Tensor> = operands.iter().collect();
            session.ask(row.name, &inputs, python, tolerance, || (row.ours)(&operands));
        }
    }
    session.finish();
}

/// What the standard leaves open (powers and products of complex infinities), and what NumPy does not
/// do as the standard says: `expm1` of complex infinities, which has a test of its own.
const ELSEWHERE: &[&str] = &["mul complex", "div complex", "pow complex", "expm1 complex"];

/// Functions whose zeros have another sign in the standard than in NumPy: `tanh(inf + 2j)` is `1 + 0j` there, and
/// `1 - 0j` in C99 and NumPy. NumPy's result with the sign of the standard.
const STANDARD: &[(&str, &str)] = &[
    (
        "tanh complex",
        "(lambda x, r: (np.copysign(r.imag, x.imag, out=r.imag, where=np.isinf(x.real)), r)[1])(@0, np.tanh(@0))",
    ),
    (
        "tan complex",
        "(lambda x, r: (np.copysign(r.real, x.real, out=r.real, where=np.isinf(x.imag)), r)[1])(@0, np.tan(@0))",
    ),
];

/// The special values; for complex types, each with each.
fn special(dtype: DType) -> Tensor {
    let n = SPECIAL.len();
    let pair = |i: usize| belvedere::Complex::new(SPECIAL[i / n], SPECIAL[i % n]);
    let vector = match dtype.is_complex() {
        true => Tensor::from_vec((0..n * n).map(pair).collect(), [n * n]),
        false => Tensor::from_vec(SPECIAL.to_vec(), [n]),
    };
    vector.and_then(|x| x.astype(dtype)).expect("floats")
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

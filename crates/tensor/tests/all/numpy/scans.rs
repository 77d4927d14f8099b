//! Scans, differences and softmax compared with NumPy, one line each.

use crate::numpy::close::Tolerance::{self, Exact, Near, Zeros};
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, Values::*, types};
use crate::numpy::session::Session;
use belvedere::{DType, Error, ScanOptions, Tensor, nn};

/// An operation, in NumPy and in Belvedere.
struct Row {
    name: &'static str,
    /// The Python expression, with `@` for the operand and `%` for the axis.
    python: &'static str,
    types: fn(DType) -> bool,
    values: Values,
    tolerance: Tolerance,
    ours: fn(&Tensor, isize) -> Result<Tensor, Error>,
}

const ANY: fn(DType) -> bool = |_| true;
const EXACT: fn(DType) -> bool = |dtype| !dtype.is_floating() && !dtype.is_complex();
const INTEGER: fn(DType) -> bool = |dtype| dtype.is_integer();
const INEXACT: fn(DType) -> bool = |dtype| dtype.is_floating() || dtype.is_complex();
const REAL: fn(DType) -> bool = |dtype| dtype.is_floating();
const ORDERED: fn(DType) -> bool = |dtype| !dtype.is_complex();

const FROM_START: ScanOptions = ScanOptions { dtype: None, include_initial: true };
const AS_F32: ScanOptions = ScanOptions { dtype: Some(DType::Float32), include_initial: false };
const AS_I16: ScanOptions = ScanOptions { dtype: Some(DType::Int16), include_initial: true };

// NumPy accumulates floats naively in their own dtype, so it computes in a wider dtype here.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("cumulative_sum integer", "np.cumulative_sum(@, axis=%)", EXACT, Any, Exact, |x, axis| x.cumulative_sum(axis)),
    row("cumulative_sum", "np.cumulative_sum(wide(@), axis=%).astype(@.dtype)", INEXACT, Within(0.5, 9.), Near(2.), |x, axis| x.cumulative_sum(axis)),
    row("cumulative_sum from 0", "np.cumulative_sum(@, axis=%, include_initial=True)", EXACT, Any, Exact, |x, axis| x.cumulative_sum_with(axis, FROM_START)),
    row("cumulative_sum as float32", "np.cumulative_sum(@, axis=%, dtype=np.float32)", EXACT, Whole(-9, 9), Near(2.), |x, axis| x.cumulative_sum_with(axis, AS_F32)),
    row("cumulative_sum as int16", "np.cumulative_sum(@, axis=%, dtype=np.int16, include_initial=True)", EXACT, Any, Exact, |x, axis| x.cumulative_sum_with(axis, AS_I16)),
    row("cumulative_prod integer", "np.cumulative_prod(@, axis=%)", EXACT, Any, Exact, |x, axis| x.cumulative_prod(axis)),
    row("cumulative_prod", "np.cumulative_prod(wide(@), axis=%).astype(@.dtype)", INEXACT, Within(0.6, 1.4), Near(64.), |x, axis| x.cumulative_prod(axis)),
    row("cumulative_prod from 1", "np.cumulative_prod(@, axis=%, include_initial=True)", ANY, Whole(-1, 1), Zeros, |x, axis| x.cumulative_prod_with(axis, FROM_START)),
    row("cummax", "np.maximum.accumulate(@, axis=%)", ORDERED, Any, Zeros, |x, axis| x.cummax(axis)),
    row("cummin", "np.minimum.accumulate(@, axis=%)", ORDERED, Any, Zeros, |x, axis| x.cummin(axis)),
    row("logcumsumexp", "np.logaddexp.accumulate(@.astype(np.float64), axis=%)", INTEGER, Whole(20, 60), Near(8.), |x, axis| x.logcumsumexp(axis)),
    row("logcumsumexp float", "np.logaddexp.accumulate(@.astype(np.float64), axis=%).astype(@.dtype)", REAL, Within(20., 60.), Near(64.), |x, axis| x.logcumsumexp(axis)),
    row("diff", "np.diff(@, axis=%)", ANY, Whole(-9, 9), Zeros, |x, axis| x.diff(axis)),
    row("diff any", "np.diff(@, axis=%)", INTEGER, Any, Exact, |x, axis| x.diff(axis)),
    row("diff thrice", "np.diff(@, n=3, axis=%)", ANY, Whole(-9, 9), Zeros, |x, axis| x.diff_with(axis, 3, None, None)),
    row("diff with itself", "np.diff(@, axis=%, prepend=@, append=@)", ANY, Whole(-9, 9), Zeros, |x, axis| x.diff_with(axis, 1, Some(x), Some(x))),
    row("trapezoid", "np.trapezoid(wide(@), dx=0.5, axis=%).astype(np.mean(np.zeros(1, @.dtype)).dtype)", ANY, Within(0.5, 9.), Near(16.), |x, axis| x.trapezoid(axis, 0.5)),
    row("softmax", "scipy.special.softmax(wide(@), axis=%).astype(np.mean(np.zeros(1, @.dtype)).dtype)", ORDERED, Within(-9., 9.), Near(32.), |x, axis| x.softmax(axis)),
    row("log_softmax", "scipy.special.log_softmax(wide(@), axis=%).astype(np.mean(np.zeros(1, @.dtype)).dtype) - 1", ORDERED, Within(-9., 9.), Near(32.), |x, axis| x.log_softmax(axis)?.sub(1)),
    row("layer_norm", "((wide(@) - np.mean(wide(@), axis=%, keepdims=True)) / np.sqrt(np.var(wide(@), axis=%, keepdims=True) + 1) + 9).astype(np.mean(np.zeros(1, @.dtype)).dtype)", ORDERED, Within(-9., 9.), Near(16.), |x, axis| nn::layer_norm(x, axis, None, None, 1.0)?.add(9)),
    row("rms_norm", "(wide(@) / np.sqrt(np.mean(wide(@) ** 2, axis=%, keepdims=True) + 1)).astype(np.mean(np.zeros(1, @.dtype)).dtype)", ORDERED, Within(-9., 9.), Near(16.), |x, axis| nn::rms_norm(x, axis, None, 1.0)),
];

const fn row(
    name: &'static str,
    python: &'static str,
    types: fn(DType) -> bool,
    values: Values,
    tolerance: Tolerance,
    ours: fn(&Tensor, isize) -> Result<Tensor, Error>,
) -> Row {
    Row { name, python, types, values, tolerance, ours }
}

#[test]
fn scans_match_numpy() {
    let Some(mut session) = Session::new("scans") else { return };
    let mut random = Random::new(5);
    for row in ROWS {
        let types: Vec<DType> = types().filter(|&it| (row.types)(it)).collect();
        for _ in 0..session.times(80) {
            let (shape, dtype) = (random.shape(), random.pick(&types));
            row.ask(&mut session, &mut random, &shape, dtype);
        }
    }
    session.finish();
}

impl Row {
    fn ask(&self, session: &mut Session, random: &mut Random, shape: &[usize], dtype: DType) {
        let rank = shape.len();
        // NumPy accepts axis 0 for a 0-d array.
        if rank == 0 {
            return;
        }
        let most = if random.once_in(40) { rank + 1 } else { rank };
        let axis = random.below(most) as isize;
        let axis = if random.once_in(3) { axis - rank as isize } else { axis };
        // SciPy refuses an empty lane only if the whole array is empty.
        let needs_elements = self.name.contains("softmax");
        if needs_elements && shape.contains(&0) {
            return;
        }
        let operand = Operand::new(random, shape, dtype, self.values);
        let python = self.python.replace('@', &operand.named("a")).replace('%', &axis.to_string());
        session.ask(self.name, &[&operand.base], python, self.tolerance, || {
            (self.ours)(&operand.view, axis)
        });
    }
}

#[test]
fn diff_promotes_as_numpy() {
    let Some(mut session) = Session::new("differences of types") else { return };
    let mut random = Random::new(6);
    for types in [
        [DType::Int16, DType::UInt16, DType::Float32],
        [DType::Float32, DType::Int16, DType::UInt16],
    ] {
        let [a, b, c] = types.map(|it| Operand::new(&mut random, &[4], it, Whole(0, 9)));
        let names = [a.named("a"), b.named("b"), c.named("c")];
        let python = format!("np.diff({}, prepend={}, append={})", names[0], names[1], names[2]);
        session.ask("types", &[&a.base, &b.base, &c.base], python, Zeros, || {
            a.view.diff_with(0, 1, Some(&b.view), Some(&c.view))
        });
    }
    session.finish();
}

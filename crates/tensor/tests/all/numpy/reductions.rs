//! Reductions compared with NumPy, one line each.

use crate::numpy::close::Tolerance::{self, Exact, Near, Zeros};
use crate::numpy::operand::{Operand, python_tuple};
use crate::numpy::random::{Random, Values, Values::*, types};
use crate::numpy::session::Session;
use belvedere::{Axes, DType, Error, Tensor, keep};

/// A reduction, in NumPy and in Belvedere.
struct Row {
    name: &'static str,
    /// The Python expression, with `@` for the operand and `%` for the axes.
    python: &'static str,
    types: fn(DType) -> bool,
    values: Values,
    /// Whether NumPy supports several axes.
    many_axes: bool,
    tolerance: Tolerance,
    ours: fn(&Tensor, Axes) -> Result<Tensor, Error>,
}

const ANY: fn(DType) -> bool = |_| true;
const EXACT: fn(DType) -> bool = |dtype| !dtype.is_floating() && !dtype.is_complex();
const INEXACT: fn(DType) -> bool = |dtype| dtype.is_floating() || dtype.is_complex();
const REAL: fn(DType) -> bool = |dtype| dtype.is_floating();
const ORDERED: fn(DType) -> bool = |dtype| !dtype.is_complex();

// Sums of floats of one sign: with cancellation, the errors of different summation orders would dominate. NumPy
// accumulates naively along outer axes, so it computes in a wider dtype here. For variances
// close to zero the error of the mean dominates: 1 is added to both.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("sum integer", "np.sum(@, %)", EXACT, Any, true, Exact, |x, axes| x.sum(axes)),
    row("sum", "np.sum(@, %)", INEXACT, Within(0.5, 9.), true, Near(512.), |x, axes| x.sum(axes)),
    row("sum precise", "np.sum(wide(@), %).astype(@.dtype)", INEXACT, Within(0.5, 9.), true, Near(64.), |x, axes| x.sum(axes)),
    row("mean integer", "np.mean(@, %)", EXACT, Whole(-99, 99), true, Near(8.), |x, axes| x.mean(axes)),
    row("mean", "np.mean(@, %)", INEXACT, Within(0.5, 9.), true, Near(512.), |x, axes| x.mean(axes)),
    row("mean precise", "np.mean(wide(@), %).astype(@.dtype)", INEXACT, Within(0.5, 9.), true, Near(64.), |x, axes| x.mean(axes)),
    row("min", "np.min(@, %)", ORDERED, Any, true, Zeros, |x, axes| x.min(axes)),
    row("max", "np.max(@, %)", ORDERED, Any, true, Zeros, |x, axes| x.max(axes)),
    row("argmin", "np.argmin(@, %)", ORDERED, Whole(-9, 9), false, Exact, |x, axes| x.argmin(axes)),
    row("argmin any", "np.argmin(@, %)", ORDERED, Any, false, Exact, |x, axes| x.argmin(axes)),
    row("argmax", "np.argmax(@, %)", ORDERED, Whole(-9, 9), false, Exact, |x, axes| x.argmax(axes)),
    row("argmax any", "np.argmax(@, %)", ORDERED, Any, false, Exact, |x, axes| x.argmax(axes)),
    row("any", "np.any(@, %)", ANY, Whole(0, 1), true, Exact, |x, axes| x.any(axes)),
    row("all", "np.all(@, %)", ANY, Whole(0, 1), true, Exact, |x, axes| x.all(axes)),
    row("sum as int8", "np.sum(@, dtype=np.int8, %)", EXACT, Any, true, Exact, |x, axes| x.sum_as(axes, DType::Int8)),
    row("sum as uint64", "np.sum(@.astype(np.uint64), %)", EXACT, Any, true, Exact, |x, axes| x.sum_as(axes, DType::UInt64)),
    row("sum as float32", "np.sum(@, dtype=np.float32, %)", EXACT, Whole(-9, 9), true, Near(64.), |x, axes| x.sum_as(axes, DType::Float32)),
    row("sum as float64", "np.sum(@, dtype=np.float64, %)", REAL, Within(0.5, 9.), true, Near(64.), |x, axes| x.sum_as(axes, DType::Float64)),
    row("sum as complex", "np.sum(wide(@), %).astype(np.complex128)", INEXACT, Within(0.5, 9.), true, Near(64.), |x, axes| x.sum_as(axes, DType::Complex128)),
    row("prod integer", "np.prod(@, %)", EXACT, Any, true, Exact, |x, axes| x.prod(axes)),
    row("prod", "np.prod(wide(@), %).astype(@.dtype)", INEXACT, Within(0.5, 1.5), true, Near(2048.), |x, axes| x.prod(axes)),
    row("prod as float64", "np.prod(@, dtype=np.float64, %)", EXACT, Whole(1, 2), true, Exact, |x, axes| x.prod_as(axes, DType::Float64)),
    row("prod as int16", "np.prod(@, dtype=np.int16, %)", EXACT, Any, true, Exact, |x, axes| x.prod_as(axes, DType::Int16)),
    row("var", "(1 + np.var(wide(@), %)).astype(np.var(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(64.), |x, axes| x.var(axes)?.add(1)),
    row("var of a sample", "(1 + np.var(wide(@), ddof=1, %)).astype(np.var(np.zeros(1, @.dtype)).dtype)", ANY, Within(90., 99.), true, Near(64.), |x, axes| x.var_with(axes, 1.0)?.add(1)),
    row("var of too few", "(1 + np.var(wide(@), ddof=5.5, %)).astype(np.var(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(64.), |x, axes| x.var_with(axes, 5.5)?.add(1)),
    row("std", "(1 + np.std(wide(@), ddof=1, %)).astype(np.std(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(64.), |x, axes| x.std_with(axes, 1.0)?.add(1)),
    row("count_nonzero", "np.count_nonzero(@, %)", ANY, Any, true, Exact, |x, axes| x.count_nonzero(axes)),
    row("ptp", "np.ptp(@, %)", ORDERED, Any, true, Zeros, |x, axes| x.ptp(axes)),
    row("logsumexp", "np.log(np.sum(np.exp(wide(@)), %)).astype(np.mean(np.zeros(1, @.dtype)).dtype)", ORDERED, Within(1., 90.), true, Near(8.), |x, axes| x.logsumexp(axes)),
    row("norm 0", "np.linalg.vector_norm(wide(@), ord=0, %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Whole(-2, 2), true, Near(2.), |x, axes| x.norm_with(axes, 0.0)),
    row("norm 1", "np.linalg.vector_norm(wide(@), ord=1, %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(8.), |x, axes| x.norm_with(axes, 1.0)),
    row("norm 2", "np.linalg.vector_norm(wide(@), %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(8.), |x, axes| x.norm(axes)),
    row("norm 2 any", "np.linalg.vector_norm(wide(@), %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", INEXACT, Any, true, Near(64.), |x, axes| x.norm(axes)),
    row("norm 3.5", "np.linalg.vector_norm(wide(@), ord=3.5, %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(64.), |x, axes| x.norm_with(axes, 3.5)),
    row("norm -2", "np.linalg.vector_norm(wide(@), ord=-2, %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Within(-9., 9.), true, Near(64.), |x, axes| x.norm_with(axes, -2.0)),
    row("norm inf", "np.linalg.vector_norm(wide(@), ord=np.inf, %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Any, true, Near(2.), |x, axes| x.norm_with(axes, f64::INFINITY)),
    row("norm -inf", "np.linalg.vector_norm(wide(@), ord=-np.inf, %).astype(np.linalg.norm(np.zeros(1, @.dtype)).dtype)", ANY, Any, true, Near(2.), |x, axes| x.norm_with(axes, f64::NEG_INFINITY)),
    row("nansum", "np.nansum(wide(np.where(@ == 0, np.nan, @)), %).astype(@.dtype)", INEXACT, Whole(-3, 3), true, Near(2.), |x, axes| holes(x)?.nansum(axes)),
    row("nansum integer", "np.nansum(@, %)", EXACT, Any, true, Exact, |x, axes| x.nansum(axes)),
    row("nanprod", "np.nanprod(wide(np.where(@ == 0, np.nan, @)), %).astype(@.dtype)", INEXACT, Whole(-1, 1), true, Near(64.), |x, axes| holes(x)?.nanprod(axes)),
    row("nanmean", "np.nanmean(wide(np.where(@ == 0, np.nan, @)), %).astype(@.dtype)", INEXACT, Whole(0, 3), true, Near(2.), |x, axes| holes(x)?.nanmean(axes)),
    row("nanmin", "np.nanmin(np.where(@ == 0, np.nan, @), %)", REAL, Whole(-3, 3), true, Exact, |x, axes| holes(x)?.nanmin(axes)),
    row("nanmax", "np.nanmax(np.where(@ == 0, np.nan, @), %)", REAL, Whole(-3, 3), true, Exact, |x, axes| holes(x)?.nanmax(axes)),
    row("nanmax any", "np.nanmax(@, %)", ORDERED, Any, true, Zeros, |x, axes| x.nanmax(axes)),
    row("nanvar", "(1 + np.nanvar(wide(np.where(@ == 0, np.nan, @)), ddof=1, %)).astype(np.var(np.zeros(1, @.dtype)).dtype)", INEXACT, Whole(-3, 3), true, Near(8.), |x, axes| holes(x)?.nanvar_with(axes, 1.0)?.add(1)),
    row("nanstd", "(1 + np.nanstd(wide(np.where(@ == 0, np.nan, @)), %)).astype(np.var(np.zeros(1, @.dtype)).dtype)", INEXACT, Whole(-3, 3), true, Near(8.), |x, axes| holes(x)?.nanstd(axes)?.add(1)),
    row("any any", "np.any(@, %)", ANY, Any, true, Exact, |x, axes| x.any(axes)),
    row("all any", "np.all(@, %)", ANY, Any, true, Exact, |x, axes| x.all(axes)),
];

/// Returns the values with zeros replaced by NaN.
fn holes(x: &Tensor) -> Result<Tensor, Error> {
    belvedere::where_(&x.equal(0)?, f64::NAN, x)
}

const fn row(
    name: &'static str,
    python: &'static str,
    types: fn(DType) -> bool,
    values: Values,
    many_axes: bool,
    tolerance: Tolerance,
    ours: fn(&Tensor, Axes) -> Result<Tensor, Error>,
) -> Row {
    Row { name, python, types, values, many_axes, tolerance, ours }
}

#[test]
fn reductions_match_numpy() {
    let Some(mut session) = Session::new("reductions") else { return };
    let mut random = Random::new(2);
    for row in ROWS {
        let types: Vec<DType> = types().filter(|&it| (row.types)(it)).collect();
        for _ in 0..session.times(150) {
            let (shape, dtype) = (random.shape(), random.pick(&types));
            row.ask(&mut session, &mut random, &shape, dtype);
        }
    }
    session.finish();
}

impl Row {
    fn ask(&self, session: &mut Session, random: &mut Random, shape: &[usize], dtype: DType) {
        let operand = Operand::new(random, shape, dtype, self.values);
        let (axes, python) = self.axes(random, shape.len());
        let (axes, keepdims) = match random.once_in(3) {
            true => (keep(axes), "True"),
            false => (axes, "False"),
        };
        let python = self
            .python
            .replace('@', &operand.named("a"))
            .replace('%', &format!("axis={python}, keepdims={keepdims}"));
        session.ask(self.name, &[&operand.base], python, self.tolerance, || {
            (self.ours)(&operand.view, axes)
        });
    }

    /// Draws all axes or some of them, in any order, as positive or negative numbers; sometimes one that
    /// does not exist.
    fn axes(&self, random: &mut Random, rank: usize) -> (Axes, String) {
        let from_either_end = |random: &mut Random, axis: isize| match random.once_in(3) {
            true => axis - rank as isize,
            false => axis,
        };
        match random.below(3) {
            // NumPy accepts axis 0 for a 0-d array.
            _ if rank == 0 => (().into(), "None".into()),
            0 => (().into(), "None".into()),
            1 if self.many_axes => {
                let n = random.below(rank + 1);
                let order = random.order(rank);
                let axes: Vec<isize> =
                    order[..n].iter().map(|&it| from_either_end(random, it)).collect();
                ((&axes[..]).into(), python_tuple(&axes))
            }
            _ => {
                let most = if random.once_in(40) { rank + 1 } else { rank };
                let axis = random.below(most) as isize;
                let axis = from_either_end(random, axis);
                (axis.into(), axis.to_string())
            }
        }
    }
}

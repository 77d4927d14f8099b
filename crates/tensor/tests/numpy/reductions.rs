//! Reductions: one line each.

use crate::close::Tolerance::{self, Exact, Near, Zeros};
use crate::operand::{Operand, python_tuple};
use crate::random::{Random, Values, Values::*, types};
use crate::session::Session;
use belvedere::{Axes, DType, Error, Tensor, keep};

/// A reduction, in NumPy's words and in ours.
struct Row {
    name: &'static str,
    /// With `@` for the operand and `%` for the axes.
    python: &'static str,
    types: fn(DType) -> bool,
    values: Values,
    /// Whether NumPy has it over several axes.
    many_axes: bool,
    tolerance: Tolerance,
    ours: fn(&Tensor, Axes) -> Result<Tensor, Error>,
}

const ANY: fn(DType) -> bool = |_| true;
const EXACT: fn(DType) -> bool = |dtype| !dtype.is_floating() && !dtype.is_complex();
const INEXACT: fn(DType) -> bool = |dtype| dtype.is_floating() || dtype.is_complex();
const ORDERED: fn(DType) -> bool = |dtype| !dtype.is_complex();

// Sums of floats: of one sign, because what cancels leaves the errors of two orders of adding. NumPy
// adds one by one along outer axes, so it is also asked for more digits than we have.
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
    row("any any", "np.any(@, %)", ANY, Any, true, Exact, |x, axes| x.any(axes)),
    row("all any", "np.all(@, %)", ANY, Any, true, Exact, |x, axes| x.all(axes)),
];

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
fn reductions_are_those_of_numpy() {
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

    /// All axes, or some of them, in any order and counted from either end; now and then one that
    /// does not exist.
    fn axes(&self, random: &mut Random, rank: usize) -> (Axes, String) {
        let from_either_end = |random: &mut Random, axis: isize| match random.once_in(3) {
            true => axis - rank as isize,
            false => axis,
        };
        match random.below(3) {
            // NumPy lets an array without axes have axis 0.
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

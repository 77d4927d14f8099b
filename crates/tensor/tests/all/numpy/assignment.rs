//! Assignment to views, including overlapping ones.

use crate::numpy::close::Tolerance::{self, Exact, Zeros};
use crate::numpy::operand::{Operand, python_index, slice_of};
use crate::numpy::random::{Random, Values, types, values};
use crate::numpy::session::Session;
use belvedere::{
    DType, Error, Index, Tensor, add_into, assign_into, can_assign, maximum_into, mul_into,
};

/// An operation that writes to its first operand, from its second.
type Write = fn(&Tensor, &Tensor) -> Result<(), Error>;

/// A name, the Python statement, the supported dtypes, the tolerance, and our function.
type Row = (&'static str, &'static str, fn(DType) -> bool, Tolerance, Write);

/// In Python `@` is the target and `$` the source, which is copied first.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("copy_from", "$", |_| true, Exact, |x, y| x.copy_from(y)),
    ("assign_into", "$", |_| true, Exact, |x, y| assign_into(y, x)),
    ("add_assign", "np.add(@, $)", |it| !it.is_bool(), Exact, |x, y| x.add_assign(y)),
    ("sub_assign", "np.subtract(@, $)", |it| !it.is_bool(), Exact, |x, y| x.sub_assign(y)),
    ("mul_into", "np.multiply($, @)", |it| !it.is_bool() && !it.is_complex(), Exact, |x, y| mul_into(y, x, x)),
    ("add_into twice", "np.add($, $)", |it| !it.is_bool(), Exact, |x, y| add_into(y, y, x)),
    ("maximum_into", "np.maximum(@, $)", |it| !it.is_complex(), Zeros, |x, y| maximum_into(x, y, x)),
];

#[test]
fn overlapping_assignment_matches_numpy() {
    let Some(mut session) = Session::new("overlap") else { return };
    let mut random = Random::new(8);
    for &(name, python, fits, tolerance, ours) in ROWS {
        let types: Vec<DType> = types().filter(|&it| fits(it)).collect();
        for _ in 0..session.times(250) {
            let (shape, index) = two_parts(&mut random);
            let dtype = random.pick(&types);
            let x = values(&mut random, &shape, dtype, Values::Any);
            let [to, from] = index.map(|it| (x.slice(&it), python_index(&it)));
            let part = format!("a[{}]", from.1);
            let value = python.replace('@', &format!("a[{}]", to.1)).replace('$', &part);
            let python = format!("put(a, np.s_[{}], {value})", to.1);
            session.ask(name, &[&x], python, tolerance, || {
                ours(&to.0?, &from.0?)?;
                Ok(x.clone())
            });
        }
    }
    session.finish();
}

/// Draws a shape and two slices of it with equal lengths on each axis.
fn two_parts(random: &mut Random) -> (Vec<usize>, [Vec<Index>; 2]) {
    if random.once_in(30) {
        // Long enough for several threads.
        let index = [s_from(random, 3, 100_000), s_from(random, 0, 100_000)];
        return (vec![100_003], index.map(|it| vec![it]));
    }
    let rank = random.below(3) + 1;
    let mut shape = Vec::new();
    let mut parts = [Vec::new(), Vec::new()];
    for _ in 0..rank {
        let len = random.below(20) + 1;
        let n = random.below(len) + 1;
        for part in &mut parts {
            let widest = (len - 1).checked_div(n - 1).unwrap_or(1);
            let step = random.below(widest) + 1;
            let first = random.below(len - (n - 1) * step);
            part.push(slice_of(random, first, step, n).into());
        }
        shape.push(len);
    }
    (shape, parts)
}

fn s_from(random: &mut Random, first: usize, n: usize) -> Index {
    slice_of(random, first, 1, n).into()
}

#[test]
fn assignment_broadcasts_and_casts_as_numpy() {
    let Some(mut session) = Session::new("assign") else { return };
    let mut random = Random::new(9);
    let all: Vec<DType> = types().collect();
    for _ in 0..session.times(1500) {
        let (to, from) = (random.pick(&all), random.pick(&all));
        if !can_assign(from, to) {
            continue;
        }
        let (shape, [index, _]) = two_parts(&mut random);
        let x = values(&mut random, &shape, to, Values::Whole(0, 9));
        let part = x.slice(&index).expect("a part");
        let reduced = random.reduced(&part.shape());
        let y = Operand::new(&mut random, &reduced, from, Values::Any);
        let index_python = python_index(&index);
        let python = format!("put(a, np.s_[{index_python}], {})", y.named("b"));
        session.ask("assign", &[&x, &y.base], python, Exact, || {
            x.assign(&index, &y.view)?;
            Ok(x.clone())
        });
    }
    session.finish();
}

//! Indices of every mix of entries, for reading, assigning and adding; and operations along one axis.

use crate::numpy::close::Tolerance::{self, Exact};
use crate::numpy::operand::{Operand, python_index, python_tuple};
use crate::numpy::random::{Random, Values, types, values};
use crate::numpy::session::Session;
use belvedere::{DType, Error, Index, Slice, Tensor, TensorIndex, can_assign};

/// One entry of an index, in Rust and in Python.
struct Entry {
    ours: TensorIndex<'static>,
    python: String,
}

impl Entry {
    fn plain(index: Index) -> Entry {
        Entry {
            python: python_index(&[index]).trim_end_matches(',').to_string(),
            ours: index.into(),
        }
    }

    fn tensor(tensor: Tensor) -> Entry {
        Entry { python: literal(&tensor), ours: tensor.into() }
    }
}

/// Formats an index as Python source.
fn python(index: &[Entry]) -> String {
    match index {
        [] => "()".to_string(),
        _ => index.iter().map(|it| it.python.clone() + ",").collect(),
    }
}

fn ours(index: &[Entry]) -> Vec<TensorIndex<'static>> {
    index.iter().map(|it| it.ours.clone()).collect()
}

/// Formats an integer or bool tensor as Python source.
fn literal(x: &Tensor) -> String {
    let list = match x.dtype() {
        DType::Bool => {
            let words = x.to_vec::<bool>().unwrap();
            words.iter().map(|&it| if it { "True, " } else { "False, " }).collect()
        }
        DType::UInt64 => words(&x.to_vec::<u64>().unwrap()),
        _ => words(&x.astype(DType::Int64).unwrap().to_vec::<i64>().unwrap()),
    };
    format!(
        "np.array([{list}], np.{}).reshape({})",
        numpy_name(x.dtype()),
        python_tuple(&x.shape())
    )
}

fn numpy_name(dtype: DType) -> String {
    if dtype.is_bool() { "bool_".into() } else { dtype.to_string() }
}

fn words<T: std::fmt::Display>(list: &[T]) -> String {
    list.iter().map(|it| format!("{it}, ")).collect()
}

/// Draws indices of an axis, in any dtype and layout, sometimes out of range.
fn positions(random: &mut Random, shape: &[usize], len: usize) -> Tensor {
    const TYPES: [DType; 8] = [
        DType::Int8,
        DType::Int16,
        DType::Int32,
        DType::Int64,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
    ];
    let dtype = random.pick(&TYPES);
    let most = len as i64 - 1 + i64::from(random.once_in(40));
    let least = if dtype.is_unsigned() { 0 } else { -(len as i64) - i64::from(random.once_in(40)) };
    Operand::new(random, shape, dtype, Values::Whole(least.min(most), most.max(0))).view
}

/// Draws an index into a shape, mostly valid.
fn index(random: &mut Random, shape: &[usize]) -> Vec<Entry> {
    let broadcast: Vec<usize> =
        (0..random.below(3)).map(|_| random.pick(&[0, 1, 2, 3, 4, 5, 2, 3])).collect();
    let mut list = Vec::new();
    let mut k = 0;
    let mut has_ellipsis = false;
    while k < shape.len() {
        match random.below(12) {
            0 if random.once_in(2) => break,
            0..=3 => {
                let own = random.reduced(&broadcast);
                list.push(Entry::tensor(positions(random, &own, shape[k])));
                k += 1;
            }
            4 => {
                let n = random.below(shape.len() - k + 1);
                let mut lens = shape[k..k + n].to_vec();
                if n > 0 && random.once_in(40) {
                    lens[0] += 1;
                }
                let mask = Operand::new(random, &lens, DType::Bool, Values::Whole(0, 1));
                list.push(Entry::tensor(mask.view));
                k += n;
            }
            5 | 6 => {
                let at = random.below(2 * shape[k] + 1) as isize - shape[k] as isize;
                list.push(Entry::plain(Index::At(at - isize::from(!random.once_in(30) && at > 0))));
                k += 1;
            }
            7 if !has_ellipsis => {
                has_ellipsis = true;
                list.push(Entry::plain(Index::Ellipsis));
                k += random.below(shape.len() - k + 1);
            }
            8 => list.push(Entry::plain(Index::NewAxis)),
            _ => {
                let mut bound = || (!random.once_in(3)).then(|| random.below(13) as isize - 6);
                let (start, stop) = (bound(), bound());
                let step = random.pick(&[1, 1, 1, 2, 3, -1, -1, -2]);
                list.push(Entry::plain(Index::Slice(Slice { start, stop, step })));
                k += 1;
            }
        }
    }
    // Trailing entries are dropped if the ellipsis leaves too many axes.
    list
}

/// Draws a writable tensor of any layout, with the Python expression for it.
fn small(random: &mut Random, dtype: DType, of: Values) -> (Tensor, Tensor, String) {
    let rank = random.below(5);
    let shape: Vec<usize> = (0..rank).map(|_| random.pick(&[0, 1, 2, 3, 3, 4, 4, 5])).collect();
    let order = random.order(rank);
    let base: Vec<usize> = order.iter().map(|&k| shape[k as usize]).collect();
    let mut back = vec![0; rank];
    order.iter().enumerate().for_each(|(at, &k)| back[k as usize] = at as isize);
    let base = values(random, &base, dtype, of);
    let flipped: Vec<isize> = (0..rank as isize).filter(|_| random.once_in(4)).collect();
    let view = base.permute_dims(&back).and_then(|x| x.flip(&flipped)).unwrap();
    let python = match rank {
        // NumPy would return a scalar.
        0 => "@".to_string(),
        _ => format!("np.flip(@.transpose({}), {})", python_tuple(&back), python_tuple(&flipped)),
    };
    (base, view, python)
}

fn any_type(random: &mut Random) -> DType {
    let all: Vec<DType> = types().collect();
    random.pick(&all)
}

#[test]
fn index_matches_numpy() {
    let Some(mut session) = Session::new("index") else { return };
    let mut random = Random::new(101);
    for _ in 0..session.times(4000) {
        let dtype = any_type(&mut random);
        let (base, x, expression) = small(&mut random, dtype, Values::Any);
        let index = index(&mut random, &x.shape());
        let python = format!("{}[{}]", expression.replace('@', "a"), python(&index));
        session.ask("index", &[&base], python, Exact, || x.index(ours(&index)));
    }
    session.finish();
}

#[test]
fn index_assign_matches_numpy() {
    let Some(mut session) = Session::new("index_assign") else { return };
    let mut random = Random::new(102);
    for _ in 0..session.times(2500) {
        let (to, from) = (any_type(&mut random), any_type(&mut random));
        if !can_assign(from, to) {
            continue;
        }
        let (base, x, expression) = small(&mut random, to, Values::Whole(0, 9));
        let index = index(&mut random, &x.shape());
        let shape = x.index(ours(&index)).map_or(Vec::new(), |it| it.shape().to_vec());
        let reduced = random.reduced(&shape);
        let value = Operand::new(&mut random, &reduced, from, Values::Any);
        let named = (expression.replace('@', "a"), value.named("b"));
        let python = format!("[put({}, np.s_[{}], {}), a][1]", named.0, python(&index), named.1);
        session.ask("index_assign", &[&base, &value.base], python, Exact, || {
            x.index_assign(ours(&index), &value.view)?;
            Ok(base.clone())
        });
    }
    session.finish();
}

#[test]
fn index_add_matches_numpy() {
    let Some(mut session) = Session::new("index_add") else { return };
    let mut random = Random::new(103);
    let numbers: Vec<DType> = types().filter(|it| !it.is_bool()).collect();
    for _ in 0..session.times(1500) {
        let dtype = random.pick(&numbers);
        let (base, x, expression) = small(&mut random, dtype, Values::Within(-9.0, 9.0));
        let index = index(&mut random, &x.shape());
        let shape = x.index(ours(&index)).map_or(Vec::new(), |it| it.shape().to_vec());
        let reduced = random.reduced(&shape);
        let value = Operand::new(&mut random, &reduced, dtype, Values::Within(-9.0, 9.0));
        // Broadcast explicitly, because `add.at` reads wrong elements if the index has more than one axis.
        let whole = format!("np.broadcast_to({}, {})", value.named("b"), python_tuple(&shape));
        let named = expression.replace('@', "a");
        let python =
            format!("[np.add.at({named}, np.s_[{}], np.array({whole})), a][1]", python(&index));
        session.ask("index_add", &[&base, &value.base], python, Exact, || {
            x.index_add_assign(ours(&index), &value.view)?;
            Ok(base.clone())
        });
    }
    session.finish();
}

/// An operation on a tensor and indices along an axis.
type Along = fn(&Tensor, &Tensor, isize) -> Result<Tensor, Error>;

/// A name, the Python expression in `x`, `i` and `k`, whether indices are per lane, and our function.
#[rustfmt::skip]
const ALONG: &[(&str, &str, bool, Tolerance, Along)] = &[
    ("take", "np.take(x, i, k)", false, Exact, |x, i, k| x.take(i, k)),
    ("take_along_axis", "np.take_along_axis(x, i, k)", true, Exact, |x, i, k| x.take_along_axis(i, k)),
    ("put_along_axis", "[y := x.copy(), np.put_along_axis(y, i, 7, k), y][2]", true, Exact, |x, i, k| {
        let y = x.copy()?;
        y.put_along_axis(i, k, 7)?;
        Ok(y)
    }),
    ("put", "[y := np.moveaxis(x.copy(), k, 0), y.__setitem__(i, 3), np.moveaxis(y, 0, k)][2]", false, Exact, |x, i, k| {
        let y = x.copy()?;
        y.put(i, k, 3)?;
        Ok(y)
    }),
    ("put_add", "[y := np.moveaxis(x.copy(), k, 0), np.add.at(y, i, 3), np.moveaxis(y, 0, k)][2]", false, Exact, |x, i, k| {
        let y = x.copy()?;
        y.put_add(i, k, 3)?;
        Ok(y)
    }),
];

#[test]
fn take_along_axis_matches_numpy() {
    let Some(mut session) = Session::new("along") else { return };
    let mut random = Random::new(104);
    let numbers: Vec<DType> = types().filter(|it| !it.is_bool()).collect();
    for &(name, expression, by_lanes, tolerance, ours) in ALONG {
        for _ in 0..session.times(150) {
            let dtype = random.pick(&numbers);
            let mut shape = random.shape();
            shape.truncate(4);
            if shape.is_empty() {
                shape.push(3);
            }
            let x = Operand::new(&mut random, &shape, dtype, Values::Whole(0, 9));
            let k = random.below(shape.len());
            let indices = match by_lanes {
                true => {
                    let mut own = shape.clone();
                    own[k] = random.below(4);
                    // Only reads broadcast the tensor to the indices.
                    own
                }
                false => (0..random.below(3)).map(|_| random.below(4)).collect(),
            };
            let indices = positions(&mut random, &indices, shape[k]).astype(DType::Int64).unwrap();
            let axis = k as isize - if random.once_in(2) { shape.len() as isize } else { 0 };
            let python = format!("(lambda x, i, k: {expression})({}, b, {axis})", x.named("a"));
            session.ask(name, &[&x.base, &indices], python, tolerance, || {
                ours(&x.view, &indices, axis)
            });
        }
    }
    session.finish();
}

/// A name, the Python expression in `x` and a mask `m` of its shape, and our function.
type Masked = (&'static str, &'static str, fn(&Tensor, &Tensor) -> Result<Tensor, Error>);

#[rustfmt::skip]
const MASKED: &[Masked] = &[
    ("masked_select", "x[m]", |x, m| x.masked_select(m)),
    ("masked_fill", "np.where(m, x.dtype.type(3), x)", |x, m| x.masked_fill(m, 3)),
    ("masked_assign", "put(x.copy(), m, 3)", |x, m| {
        let y = x.copy()?;
        y.masked_assign(m, 3)?;
        Ok(y)
    }),
    ("argwhere", "np.argwhere(x)", |x, _| x.argwhere()),
    ("nonzero", "np.array(np.nonzero(np.atleast_1d(m)))", |_, m| belvedere::stack(&m.atleast_1d()?.nonzero()?, 0)),
];

#[test]
fn masks_match_numpy() {
    let Some(mut session) = Session::new("masks") else { return };
    let mut random = Random::new(105);
    for &(name, expression, ours) in MASKED {
        for _ in 0..session.times(120) {
            let shape = random.shape();
            let dtype = any_type(&mut random);
            let dtype = if dtype.is_bool() { DType::Int16 } else { dtype };
            let x = Operand::new(&mut random, &shape, dtype, Values::Whole(0, 2));
            let mask = Operand::new(&mut random, &shape, DType::Bool, Values::Whole(0, 1));
            let (x_python, m_python) = (x.named("a"), mask.named("b"));
            let python = format!("(lambda x, m: {expression})({x_python}, {m_python})");
            session.ask(name, &[&x.base, &mask.base], python, Exact, || ours(&x.view, &mask.view));
        }
    }
    session.finish();
}

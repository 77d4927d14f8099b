//! `Operand`: random views, each with the Python expression for the same view.

use crate::numpy::random::{Random, Values, values};
use belvedere::{DType, Index, Slice, Tensor};

/// A view of a new tensor.
pub(super) struct Operand {
    /// The tensor, which is passed to NumPy.
    pub base: Tensor,
    /// The view.
    pub view: Tensor,
    /// The same in Python, with `@` for the tensor.
    pub python: String,
}

impl Operand {
    /// A view with this shape: contiguous, or sliced, permuted, broadcast, windowed.
    pub(super) fn new(random: &mut Random, shape: &[usize], dtype: DType, of: Values) -> Operand {
        match random.below(6) {
            0 => {
                let base = values(random, shape, dtype, of);
                Operand { view: base.clone(), base, python: "@".into() }
            }
            1 if shape.len() > 1 && !shape.contains(&0) => windowed(random, shape, dtype, of),
            _ => strided(random, shape, dtype, of),
        }
    }

    /// The Python expression for a tensor of this name.
    pub(super) fn named(&self, name: &str) -> String {
        self.python.replace('@', name)
    }
}

/// Returns a view whose last axis is a sliding window.
fn windowed(random: &mut Random, shape: &[usize], dtype: DType, of: Values) -> Operand {
    let (&size, rest) = shape.split_last().expect("two axes at least");
    let axis = random.below(rest.len());
    let mut inner = rest.to_vec();
    inner[axis] += size - 1;
    let Operand { base, view, python } = strided(random, &inner, dtype, of);
    let view = view.sliding_window_view([size], [axis as isize]).expect("a window");
    Operand { base, view, python: format!("window({python}, {size}, {axis})") }
}

/// Returns a view with random starts, steps, signs, axis order and broadcast axes.
fn strided(random: &mut Random, shape: &[usize], dtype: DType, of: Values) -> Operand {
    let rank = shape.len();
    let order = random.order(rank);
    let broadcast = random.once_in(3);
    let mut lens = vec![0; rank];
    let mut index = vec![Index::from(..); rank];
    for (k, &len) in shape.iter().enumerate() {
        let in_base = order[k] as usize;
        let len = if broadcast && random.once_in(3) { 1 } else { len };
        let (memory, slice) = some_of(random, len);
        lens[in_base] = memory;
        index[in_base] = slice.into();
    }
    let base = values(random, &lens, dtype, of);
    let sliced = base.slice(&index).expect("slices inside of the axes");
    let view = sliced.permute_dims(&order).and_then(|x| x.broadcast_to(shape));
    let (index, order) = (python_index(&index), python_tuple(&order));
    let python = format!("np.broadcast_to(@[{index}].transpose({order}), {})", python_tuple(shape));
    Operand { base, view: view.expect("a view of this shape"), python }
}

/// Returns the length of an axis, at least `n`, and a slice of it with `n` positions.
pub(super) fn some_of(random: &mut Random, n: usize) -> (usize, Slice) {
    if n == 0 {
        let at = random.below(3) as isize;
        return (3, Slice { start: Some(at), stop: Some(at), step: 1 });
    }
    let step = random.pick(&[1, 1, 1, 1, 2, 3]);
    let (before, behind) = (random.pick(&[0, 0, 1, 2]), random.pick(&[0, 0, 1, 5]));
    let len = before + (n - 1) * step + 1 + behind;
    (len, slice_of(random, before, step, n))
}

/// Returns a slice of `n` positions from a random start, with a positive or negative step.
pub(super) fn slice_of(random: &mut Random, first: usize, step: usize, n: usize) -> Slice {
    let (first, step) = (first as isize, step as isize);
    let last = first + (n as isize - 1) * step;
    if random.once_in(3) {
        let stop = (first > 0).then_some(first - 1);
        Slice { start: Some(last), stop, step: -step }
    } else {
        Slice { start: Some(first), stop: Some(last + 1), step }
    }
}

/// Formats an index expression as Python source.
pub(super) fn python_index(index: &[Index]) -> String {
    let bound = |it: Option<isize>| it.map_or(String::new(), |it| it.to_string());
    let words = index.iter().map(|it| match it {
        Index::At(at) => at.to_string(),
        Index::Slice(Slice { start, stop, step }) => {
            format!("{}:{}:{step}", bound(*start), bound(*stop))
        }
        Index::NewAxis => "None".to_string(),
        Index::Ellipsis => "...".to_string(),
    });
    match index {
        [] => "()".to_string(),
        _ => words.map(|it| it + ",").collect(),
    }
}

/// Formats numbers as a Python tuple.
pub(super) fn python_tuple<T: std::fmt::Display>(items: &[T]) -> String {
    let words = items.iter().map(|it| format!("{it}, "));
    format!("({})", words.collect::<String>())
}

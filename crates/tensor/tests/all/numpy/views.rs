//! Index expressions, and chains of view operations.

use crate::numpy::close::Tolerance::Exact;
use crate::numpy::operand::{python_index, python_tuple};
use crate::numpy::random::{Random, Values, types, values};
use crate::numpy::session::Session;
use belvedere::{DType, Error, Index, Slice, Tensor};

#[test]
fn slices_match_numpy() {
    let Some(mut session) = Session::new("slices") else { return };
    let mut random = Random::new(6);
    for _ in 0..session.times(3000) {
        let x = small(&mut random);
        let index = index(&mut random, x.rank());
        let python = format!("a[{}]", python_index(&index));
        session.ask("slice", &[&x], python, Exact, || x.slice(&index));
    }
    session.finish();
}

#[test]
fn view_operations_match_numpy() {
    let Some(mut session) = Session::new("views") else { return };
    let mut random = Random::new(7);
    for _ in 0..session.times(3000) {
        let x = small(&mut random);
        let (mut view, mut python, mut topic) = (Ok(x.clone()), "a".to_string(), "");
        for _ in 0..=random.below(4) {
            let Ok(before) = &view else { break };
            let step = step(&mut random, before, &python);
            (topic, view, python) = (step.name, step.ours, step.python);
        }
        session.ask(topic, &[&x], python, Exact, || view);
    }
    session.finish();
}

/// Returns a small tensor of any dtype, with distinct elements as far as the dtype allows.
fn small(random: &mut Random) -> Tensor {
    let all: Vec<DType> = types().collect();
    let rank = random.below(5);
    let shape: Vec<usize> = (0..rank).map(|_| random.pick(&[0, 1, 1, 2, 2, 3, 4, 5, 6])).collect();
    let dtype = random.pick(&all);
    values(random, &shape, dtype, Values::Any)
}

/// Draws an index expression, mostly valid.
fn index(random: &mut Random, rank: usize) -> Vec<Index> {
    let n = if random.once_in(20) { rank + 1 } else { random.below(rank + 1) };
    let mut index: Vec<Index> = (0..n).map(|_| entry(random)).collect();
    for (one_in, put) in [(3, Index::NewAxis), (3, Index::Ellipsis), (40, Index::Ellipsis)] {
        if random.once_in(one_in) {
            let at = random.below(index.len() + 1);
            index.insert(at, put);
        }
    }
    index
}

fn entry(random: &mut Random) -> Index {
    if random.once_in(5) {
        return Index::At(random.below(6) as isize - 3);
    }
    let mut bound = || (!random.once_in(3)).then(|| random.below(17) as isize - 8);
    let (start, stop) = (bound(), bound());
    let step = match random.once_in(100) {
        true => 0,
        false => random.pick(&[1, 1, 1, 2, 3, -1, -1, -2, -7, 9]),
    };
    Index::Slice(Slice { start, stop, step })
}

/// A view operation and its result.
struct Step {
    name: &'static str,
    ours: Result<Tensor, Error>,
    python: String,
}

/// Draws two axes, as positive or negative numbers; sometimes equal, sometimes out of range.
fn two_axes(random: &mut Random, rank: usize) -> (isize, isize) {
    let most = rank + usize::from(random.once_in(30));
    let a = random.below(most.max(1));
    let b =
        if random.once_in(10) { a } else { (a + 1 + random.below(most.max(2) - 1)) % most.max(1) };
    let mut either_end = |k: usize| k as isize - if random.once_in(2) { 0 } else { most as isize };
    (either_end(a), either_end(b))
}

fn step(random: &mut Random, x: &Tensor, before: &str) -> Step {
    let rank = x.rank();
    let (a, b) = two_axes(random, rank);
    let len_of = |axis: isize| x.layout().resolve_axis(axis).map_or(0, |k| x.shape()[k]);
    let step = |name, ours, python| Step { name, ours, python };
    match random.below(12) {
        // These have no effect on 0-d arrays; and NumPy accepts axis 0 for them.
        1..=4 | 6 | 9 | 10 if rank == 0 => {
            step("unsqueeze", x.unsqueeze(0), format!("{before}[None]"))
        }
        0 => {
            let order = random.order(rank);
            let python = format!("{before}.transpose({})", python_tuple(&order));
            step("permute_dims", x.permute_dims(&order), python)
        }
        1 => step("swap_axes", x.swap_axes(a, b), format!("np.swapaxes({before}, {a}, {b})")),
        2 => step("move_axis", x.move_axis(a, b), format!("np.moveaxis({before}, {a}, {b})")),
        3 => {
            let axes = if random.once_in(2) { vec![a] } else { vec![a, b] };
            step("flip", x.flip(&axes), format!("np.flip({before}, {})", python_tuple(&axes)))
        }
        4 => {
            let turns = random.below(9) as isize - 4;
            let python = format!("np.rot90({before}, {turns}, ({a}, {b}))");
            step("rot90", x.rot90(turns, a, b), python)
        }
        5 => step("unsqueeze", x.unsqueeze(a), format!("np.expand_dims({before}, {a})")),
        6 => {
            let ones: Vec<isize> = (0..rank as isize).filter(|&k| len_of(k) == 1).collect();
            let a = if ones.is_empty() { a } else { random.pick(&ones) };
            step("squeeze", x.squeeze(&[a]), format!("np.squeeze({before}, {a})"))
        }
        7 => {
            let shape =
                random.order(rank).iter().map(|&k| x.shape()[k as usize]).collect::<Vec<_>>();
            let mut shape: Vec<isize> = shape.iter().map(|&len| len as isize).collect();
            if let Some(k) = rank.checked_sub(1).map(|most| random.below(most + 1)) {
                shape[k] = -1;
            }
            step(
                "reshape",
                x.reshape(&shape),
                format!("{before}.reshape({})", python_tuple(&shape)),
            )
        }
        8 => {
            let mut shape: Vec<usize> = (0..random.below(2)).map(|_| 2).collect();
            shape.extend(x.shape().iter().map(|&len| if len == 1 { random.below(4) } else { len }));
            let python = format!("np.broadcast_to({before}, {})", python_tuple(&shape));
            step("broadcast_to", x.broadcast_to(&shape), python)
        }
        9 => {
            let size = random.below(len_of(a) + 1).max(1);
            let python = format!("window({before}, {size}, {a})");
            step("sliding_window_view", x.sliding_window_view([size], [a]), python)
        }
        10 => {
            let shift = random.below(7) as isize - 3;
            let python = format!("np.diagonal({before}, {shift}, {a}, {b})");
            step("diagonal", x.diagonal(shift, a, b), python)
        }
        _ => {
            let index = index(random, rank);
            step("slice", x.slice(&index), format!("{before}[{}]", python_index(&index)))
        }
    }
}

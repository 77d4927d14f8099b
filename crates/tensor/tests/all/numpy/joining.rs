//! `concat`, `repeat`, `roll`, `pad`, `tril` and others.

use crate::numpy::close::Tolerance::Exact;
use crate::numpy::operand::{Operand, python_tuple};
use crate::numpy::random::{Random, Values, types};
use crate::numpy::session::Session;
use belvedere::{DType, Indexing, PadMode, Tensor, column_stack, concat, dstack, hstack};
use belvedere::{meshgrid, stack, vstack};

fn any_type(random: &mut Random) -> DType {
    let all: Vec<DType> = types().collect();
    random.pick(&all)
}

#[test]
fn concat_of_any_dtypes_matches_numpy() {
    let Some(mut session) = Session::new("concat") else { return };
    let mut random = Random::new(111);
    for _ in 0..session.times(400) {
        let shape = random.shape();
        let k = random.below(shape.len().max(1));
        let axis = if random.once_in(5) { None } else { Some(k as isize) };
        let n = random.below(3) + 1;
        let operands: Vec<Operand> = (0..n)
            .map(|_| {
                let mut own = shape.clone();
                if let (Some(len), false) = (own.get_mut(k), random.once_in(3)) {
                    *len = random.below(6);
                }
                let dtype = any_type(&mut random);
                Operand::new(&mut random, &own, dtype, Values::Whole(0, 100))
            })
            .collect();
        let inputs: Vec<&Tensor> = operands.iter().map(|it| &it.base).collect();
        let views: Vec<&Tensor> = operands.iter().map(|it| &it.view).collect();
        let names = ["a", "b", "c"];
        let named: String =
            operands.iter().zip(names).map(|(it, name)| it.named(name) + ", ").collect();
        let axis_python = axis.map_or("None".to_string(), |it| it.to_string());
        let python = format!("np.concatenate(({named}), axis={axis_python})");
        session.ask("concat", &inputs, python, Exact, || concat(&views, axis));
        let axis = random.below(shape.len() + 1) as isize
            - if random.once_in(2) { shape.len() as isize + 1 } else { 0 };
        let python = format!("np.stack(({named}), axis={axis})");
        session.ask("stack", &inputs, python, Exact, || stack(&views, axis));
        let (name, ours): (&str, fn(&[&Tensor]) -> _) = match random.below(4) {
            0 => ("vstack", |it| vstack(it)),
            1 => ("hstack", |it| hstack(it)),
            2 => ("dstack", |it| dstack(it)),
            _ => ("column_stack", |it| column_stack(it)),
        };
        session.ask(name, &inputs, format!("np.{name}(({named}))"), Exact, || ours(&views));
    }
    session.finish();
}

#[test]
fn roll_repeat_and_tile_match_numpy() {
    let Some(mut session) = Session::new("move") else { return };
    let mut random = Random::new(112);
    for _ in 0..session.times(300) {
        let (shape, dtype) = (random.shape(), any_type(&mut random));
        let x = Operand::new(&mut random, &shape, dtype, Values::Any);
        let (base, view, name) = (&[&x.base], &x.view, x.named("a"));
        let rank = shape.len();
        let mut shift = || random.below(41) as isize - 20;
        let shifts: Vec<isize> = (0..rank).map(|_| shift()).collect();
        let flat = shift();
        let axes = random.order(rank);
        if rank > 0 {
            let python =
                format!("np.roll({name}, {}, {})", python_tuple(&shifts), python_tuple(&axes));
            session.ask("roll", base, python, Exact, || view.roll(&shifts, &axes));
        }
        let python = format!("np.roll({name}, {flat})");
        session.ask("roll flat", base, python, Exact, || view.roll(flat, ()));

        let k = random.below(rank.max(1));
        let n = random.below(4);
        if rank > 0 {
            let python = format!("np.repeat({name}, {n}, {k})");
            session.ask("repeat", base, python, Exact, || view.repeat(n, k as isize));
            let counts: Vec<i64> = (0..shape[k]).map(|_| random.below(3) as i64).collect();
            let python = format!("np.repeat({name}, {}, {k})", python_tuple(&counts));
            let counts = Tensor::from_vec(counts, [shape[k]]).unwrap();
            session.ask("repeat each", base, python, Exact, || view.repeat(&counts, k as isize));
        }
        let python = format!("np.repeat({name}, {n})");
        session.ask("repeat flat", base, python, Exact, || view.repeat(n, None));
        let times: Vec<usize> = (0..random.below(4)).map(|_| random.below(3)).collect();
        let python = format!("np.tile({name}, {})", python_tuple(&times));
        session.ask("tile", base, python, Exact, || view.tile(&times));
        if rank > 1 {
            let k = random.below(9) as isize - 4;
            session.ask("tril", base, format!("np.tril({name}, {k})"), Exact, || view.tril(k));
            session.ask("triu", base, format!("np.triu({name}, {k})"), Exact, || view.triu(k));
        }
    }
    session.finish();
}

#[test]
fn padding_matches_numpy() {
    let Some(mut session) = Session::new("pad") else { return };
    let mut random = Random::new(113);
    for _ in 0..session.times(500) {
        let (mut shape, dtype) = (random.shape(), any_type(&mut random));
        shape.iter_mut().for_each(|len| *len = (*len).min(40));
        if shape.is_empty() {
            // NumPy refuses an empty list of widths.
            shape.push(1);
        }
        let x = Operand::new(&mut random, &shape, dtype, Values::Any);
        let mut widths: Vec<(usize, usize)> =
            shape.iter().map(|_| (random.below(6), random.below(9))).collect();
        if random.once_in(20) {
            // Several reflections.
            widths[0] = (random.below(400), random.below(400));
        }
        let list: String = widths.iter().map(|it| format!("({}, {}), ", it.0, it.1)).collect();
        let (name, mode) = random.pick(&[
            ("constant", None),
            ("edge", Some(PadMode::Edge)),
            ("reflect", Some(PadMode::Reflect)),
            ("symmetric", Some(PadMode::Symmetric)),
            ("wrap", Some(PadMode::Wrap)),
        ]);
        let python = format!("np.pad({}, [{list}], '{name}')", x.named("a"));
        session.ask(name, &[&x.base], python, Exact, || match mode {
            None => x.view.pad(&widths),
            Some(mode) => x.view.pad_mode(&widths, mode),
        });
    }
    session.finish();
}

#[test]
fn meshgrid_tril_and_triu_match_numpy() {
    let Some(mut session) = Session::new("grids") else { return };
    let mut random = Random::new(114);
    for _ in 0..session.times(200) {
        let n = random.below(3) + 1;
        let axes: Vec<Operand> = (0..n)
            .map(|_| {
                let (len, dtype) = (random.below(5), any_type(&mut random));
                Operand::new(&mut random, &[len], dtype, Values::Any)
            })
            .collect();
        let inputs: Vec<&Tensor> = axes.iter().map(|it| &it.base).collect();
        let views: Vec<&Tensor> = axes.iter().map(|it| &it.view).collect();
        let named: String =
            axes.iter().zip(["a", "b", "c"]).map(|(it, name)| it.named(name) + ", ").collect();
        let which = random.below(n);
        for (name, indexing) in [("xy", Indexing::Xy), ("ij", Indexing::Ij)] {
            let python = format!("np.meshgrid({named} indexing='{name}')[{which}]");
            session.ask("meshgrid", &inputs, python, Exact, || {
                meshgrid(&views, indexing).map(|it| it[which].clone())
            });
        }
        let (rows, cols, k) = (random.below(6), random.below(6), random.below(9) as isize - 4);
        let python = format!("np.array(np.tril_indices({rows}, {k}, {cols}))");
        session.ask("tril_indices", &[], python, Exact, || {
            stack(&belvedere::tril_indices(rows, cols, k)?, 0)
        });
        let python = format!("np.array(np.triu_indices({rows}, {k}, {cols}))");
        session.ask("triu_indices", &[], python, Exact, || {
            stack(&belvedere::triu_indices(rows, cols, k)?, 0)
        });
        for rank in 1..4 {
            let python = format!("np.atleast_{rank}d({})", axes[0].named("a"));
            session.ask("atleast", &inputs, python, Exact, || match rank {
                1 => views[0].atleast_1d(),
                2 => views[0].atleast_2d(),
                _ => views[0].atleast_3d(),
            });
        }
    }
    session.finish();
}

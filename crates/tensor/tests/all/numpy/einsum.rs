//! `einsum` with random subscripts.

use crate::numpy::close::Tolerance::Zeros;
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values::Whole, types};
use crate::numpy::session::Session;
use belvedere::{DType, Tensor, einsum};

/// Random subscripts, and shapes of their operands.
struct Case {
    subscripts: String,
    shapes: Vec<Vec<usize>>,
}

const LETTERS: &[char] = &['a', 'b', 'i', 'j', 'k', 'Z'];

impl Case {
    fn new(random: &mut Random) -> Case {
        let lens: Vec<usize> = LETTERS.iter().map(|_| random.pick(&[1, 2, 2, 3, 3, 4])).collect();
        let lens: Vec<usize> =
            lens.into_iter().map(|len| if random.once_in(60) { 0 } else { len }).collect();
        let under_dots: Vec<usize> = (0..random.below(3)).map(|_| random.below(3) + 1).collect();
        let has_dots = random.once_in(3);
        let repeats = random.once_in(3);
        let n_operands = random.pick(&[1, 1, 2, 2, 2, 3, 3]);
        let (mut words, mut shapes, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n_operands {
            let mut letters: Vec<usize> = Vec::new();
            for _ in 0..random.below(4) {
                let letter = random.below(LETTERS.len());
                if repeats || !letters.contains(&letter) {
                    letters.push(letter);
                }
            }
            let mut word: String = letters.iter().map(|&it| LETTERS[it]).collect();
            let mut shape: Vec<usize> = letters.iter().map(|&it| lens[it]).collect();
            for len in &mut shape {
                if random.once_in(12) {
                    *len = 1;
                } else if random.once_in(150) {
                    *len += 1;
                }
            }
            if has_dots && !random.once_in(4) {
                let at = random.below(letters.len() + 1);
                word.insert_str(at, "...");
                shape.splice(at..at, random.reduced(&under_dots));
            }
            used.extend(letters);
            words.push(word);
            shapes.push(shape);
        }
        let mut subscripts = words.join(if random.once_in(6) { " , " } else { "," });
        if !random.once_in(3) {
            used.sort();
            if !random.once_in(60) {
                used.dedup();
            }
            let order = random.order(used.len());
            let kept = order.iter().take(random.below(used.len() + 1));
            let mut word: String = kept.map(|&i| LETTERS[used[i as usize]]).collect();
            if has_dots && !random.once_in(20) {
                word.insert_str(random.below(word.len() + 1), "...");
            }
            subscripts = format!("{subscripts}->{word}");
        }
        if random.once_in(80) {
            let at = random.below(subscripts.len() + 1);
            subscripts.insert(at, random.pick(&['.', '-', '>', ',', '?', 'q', ' ']));
        }
        Case { subscripts, shapes }
    }
}

#[test]
fn einsum_matches_numpy() {
    let Some(mut session) = Session::new("einsum") else { return };
    let mut random = Random::new(31);
    let all: Vec<DType> = types().collect();
    for _ in 0..session.times(1500) {
        let case = Case::new(&mut random);
        let one_type = random.pick(&all);
        let operands: Vec<Operand> = case
            .shapes
            .iter()
            .map(|shape| {
                let dtype = if random.once_in(4) { random.pick(&all) } else { one_type };
                Operand::new(&mut random, shape, dtype, Whole(-3, 3))
            })
            .collect();
        let names: String = operands
            .iter()
            .zip(["a", "b", "c"])
            .map(|(it, name)| ", ".to_string() + &it.named(name))
            .collect();
        let bases: Vec<&Tensor> = operands.iter().map(|it| &it.base).collect();
        let views: Vec<&Tensor> = operands.iter().map(|it| &it.view).collect();
        let python = format!("np.einsum({:?}{names})", case.subscripts);
        let topic = format!("{} operands", views.len());
        session.ask(topic, &bases, python, Zeros, || einsum(&case.subscripts, &views));
    }
    session.finish();
}

#[test]
fn einsum_promotes_as_numpy() {
    let Some(mut session) = Session::new("einsum types") else { return };
    let mut random = Random::new(32);
    for types in [
        [DType::Int16, DType::UInt16, DType::Float32],
        [DType::UInt16, DType::Float32, DType::Int16],
        [DType::Float16, DType::Int8, DType::UInt8],
    ] {
        let [a, b, c] = types.map(|it| Operand::new(&mut random, &[4], it, Whole(0, 3)));
        let names = [a.named("a"), b.named("b"), c.named("c")].join(", ");
        let python = format!("np.einsum('i,i,i->', {names})");
        session.ask("types", &[&a.base, &b.base, &c.base], python, Zeros, || {
            einsum("i,i,i->", &[&a.view, &b.view, &c.view])
        });
    }
    session.finish();
}

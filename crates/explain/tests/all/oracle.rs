//! Random chains of view operations, compared with a model that moves elements one by one.
//!
//! The memory holds 1, 2, 3 …, so a value identifies its offset. The elements of each step are compared with the model,
//! and its offsets with the layout crate.

use belvedere_explain::{Kind, Scalar, Step, explain};
use belvedere_layout::{Layout, Reshape, unravel_index};
use proptest::prelude::*;

/// A tensor as a list, in row-major order. Padding is 0.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<usize>,
    values: Vec<i128>,
    is_lens: bool,
}

/// A source of random choices.
struct Choices<'a>(std::slice::Iter<'a, u32>);

impl Choices<'_> {
    /// Returns a number below `n`, which must not be 0.
    fn below(&mut self, n: usize) -> usize {
        self.0.next().copied().unwrap_or(0) as usize % n
    }

    fn is_done(&self) -> bool {
        self.0.len() == 0
    }
}

impl Model {
    /// Returns the tensor of a shape whose element at an index is this one's at `find(index)`, or padding for `None`.
    fn moved(&self, shape: Vec<usize>, find: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Model {
        let len = shape.iter().product();
        let value = |i| {
            let index = unravel_index(&shape, i).unwrap();
            find(&index).map_or(0, |it| self.at(&it))
        };
        Model { values: (0..len).map(value).collect(), shape, is_lens: self.is_lens }
    }

    fn at(&self, index: &[usize]) -> i128 {
        let flat = index.iter().zip(&self.shape).fold(0, |flat, (&i, &len)| flat * len + i);
        self.values[flat]
    }

    fn rank(&self) -> usize {
        self.shape.len()
    }

    fn permuted(&self, order: &[usize]) -> Model {
        self.moved(order.iter().map(|&k| self.shape[k]).collect(), |index| {
            let mut old = vec![0; order.len()];
            order.iter().zip(index).for_each(|(&k, &i)| old[k] = i);
            Some(old)
        })
    }

    fn in_shape(&self, shape: Vec<usize>) -> Model {
        Model { shape, ..self.clone() }
    }
}

fn edited<T: Clone>(list: &[T], edit: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut list = list.to_vec();
    edit(&mut list);
    list
}

fn text(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(", ")
}

/// Returns a random shape with `n` elements.
fn factors(choices: &mut Choices<'_>, mut n: usize) -> Vec<usize> {
    if n == 0 {
        return vec![0, 1 + choices.below(3)];
    }
    let mut shape = Vec::new();
    while n > 1 && shape.len() < 4 {
        let divisors: Vec<usize> = (2..=n).filter(|&it| n.is_multiple_of(it)).collect();
        let taken = divisors[choices.below(divisors.len())];
        shape.push(taken);
        n /= taken;
    }
    if n > 1 {
        shape.push(n);
    }
    if choices.below(4) == 0 {
        shape.insert(choices.below(shape.len() + 1), 1);
    }
    shape
}

/// Returns a random call and its result in the model.
fn call(choices: &mut Choices<'_>, x: &Model) -> (String, Model) {
    let k = if x.rank() > 0 { choices.below(x.rank()) } else { 0 };
    match choices.below(21) {
        _ if x.rank() == 0 => (".unsqueeze(0)".into(), x.in_shape(vec![1])),
        0 | 1 => reshaped(choices, x),
        2 => {
            let mut order: Vec<usize> = (0..x.rank()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, choices.below(i + 1));
            }
            (format!(".permute({})", text(&order)), x.permuted(&order))
        }
        3 => {
            let order: Vec<usize> = (0..x.rank()).rev().collect();
            (".T".into(), x.permuted(&order))
        }
        4 => {
            let len = x.shape[k];
            let flip = |index: &[usize]| Some(edited(index, |it| it[k] = len - 1 - it[k]));
            (format!(".flip({k})"), x.moved(x.shape.clone(), flip))
        }
        5..=8 => sliced(choices, x, k),
        9 if x.rank() < 6 => {
            let at = choices.below(x.rank() + 1);
            (format!(".unsqueeze({at})"), x.in_shape(edited(&x.shape, |it| it.insert(at, 1))))
        }
        10 => {
            let shape = x.shape.iter().copied().filter(|&len| len != 1).collect();
            (".squeeze()".into(), x.in_shape(shape))
        }
        11 if x.rank() < 6 && x.values.len() < 100 => {
            let n = 1 + choices.below(3);
            let shape = edited(&x.shape, |it| it.insert(0, n));
            let find = |index: &[usize]| Some(index[1..].to_vec());
            (format!(".expand({})", text(&shape)), x.moved(shape, find))
        }
        12 if x.shape[k] > 0 => {
            let i = choices.below(x.shape[k]);
            let shape = [&x.shape[..k], &x.shape[k + 1..]].concat();
            let find = |index: &[usize]| Some(edited(index, |it| it.insert(k, i)));
            (format!(".select({k}, {i})"), x.moved(shape, find))
        }
        13 if !x.is_lens && x.shape[k] > 0 && x.rank() < 6 && x.values.len() < 100 => {
            windows(choices, x, k)
        }
        14 if !x.is_lens && x.rank() > 1 => {
            let len = x.shape[0].min(x.shape[1]);
            let shape = edited(&x.shape[2..], |it| it.push(len));
            let find = |index: &[usize]| {
                let (&i, rest) = index.split_last().unwrap();
                Some([&[i, i], rest].concat())
            };
            (".diagonal()".into(), x.moved(shape, find))
        }
        15 if x.values.len() < 100 => padded(choices, x, k),
        16 if x.values.len() < 100 => {
            let (n, len) = (1 + choices.below(2), x.shape[k]);
            let mut times = vec![1; x.rank()];
            times[k] = n;
            let find = |index: &[usize]| Some(edited(index, |it| it[k] %= len));
            let tiled = x.moved(edited(&x.shape, |it| it[k] *= n), find);
            (format!(".tile({})", text(&times)), tiled)
        }
        17 if x.values.len() < 100 => {
            let n = 1 + choices.below(2);
            let find = |index: &[usize]| Some(edited(index, |it| it[k] /= n));
            let repeated = x.moved(edited(&x.shape, |it| it[k] *= n), find);
            (format!(".repeat({n}, {k})"), repeated)
        }
        18 => (".contiguous()".into(), Model { is_lens: false, ..x.clone() }),
        19 => (".lens()".into(), Model { is_lens: true, ..x.clone() }),
        20 => (".copy()".into(), Model { is_lens: false, ..x.clone() }),
        _ => (".swapaxes(0, -1)".into(), {
            let last = x.rank() - 1;
            x.permuted(&edited(&(0..x.rank()).collect::<Vec<_>>(), |it| it.swap(0, last)))
        }),
    }
}

fn reshaped(choices: &mut Choices<'_>, x: &Model) -> (String, Model) {
    let shape = factors(choices, x.values.len());
    let list = if shape.is_empty() { "()".into() } else { text(&shape) };
    let name = ["reshape", "reshape", "view"][choices.below(3)];
    (format!(".{name}({list})"), x.in_shape(shape))
}

fn sliced(choices: &mut Choices<'_>, x: &Model, k: usize) -> (String, Model) {
    let len = x.shape[k];
    let (start, step) = (choices.below(len + 1), 1 + choices.below(3));
    let is_backwards = choices.below(2) == 0;
    let taken: Vec<usize> = match is_backwards {
        true => (0..len).rev().skip(start).step_by(step).collect(),
        false => (0..len).skip(start).step_by(step).collect(),
    };
    let slice = match is_backwards {
        true if start < len => format!("-{}::-{step}", start + 1),
        true => format!("-{}::-{step}", len + 1),
        false => format!("{start}::{step}"),
    };
    let shape = edited(&x.shape, |it| it[k] = taken.len());
    let find = |index: &[usize]| Some(edited(index, |it| it[k] = taken[it[k]]));
    (format!("[{}{slice}]", ":, ".repeat(k)), x.moved(shape, find))
}

fn windows(choices: &mut Choices<'_>, x: &Model, k: usize) -> (String, Model) {
    let (size, step) = (1 + choices.below(x.shape[k]), 1 + choices.below(2));
    let shape = edited(&x.shape, |it| {
        it[k] = (it[k] - size) / step + 1;
        it.push(size);
    });
    let find = |index: &[usize]| {
        let (&i, rest) = index.split_last().unwrap();
        Some(edited(rest, |it| it[k] = it[k] * step + i))
    };
    (format!(".unfold({k}, {size}, {step})"), x.moved(shape, find))
}

fn padded(choices: &mut Choices<'_>, x: &Model, k: usize) -> (String, Model) {
    let (before, after) = (choices.below(3), choices.below(3));
    let widths: Vec<String> = (0..x.rank())
        .map(|axis| if axis == k { format!("({before}, {after})") } else { "(0, 0)".into() })
        .collect();
    let shape = edited(&x.shape, |it| it[k] += before + after);
    let len = x.shape[k];
    let padded = x.moved(shape, |index| {
        let i = index[k].checked_sub(before).filter(|&i| i < len)?;
        Some(edited(index, |it| it[k] = i))
    });
    let widths = widths.join(", ");
    (format!(".pad(({widths},))"), padded)
}

/// Compares the elements of a step with the model.
fn agrees(step: &Step, model: &Model) -> Result<(), TestCaseError> {
    let tensor = step.result.as_ref().expect("it did not fail");
    prop_assert_eq!(tensor.chain.shape(), &model.shape[..]);
    for (i, &value) in model.values.iter().enumerate() {
        prop_assert_eq!(tensor.element(i), Some(Scalar::Int(value)), "element {}", i);
    }
    // In the first memory the value at an offset is the offset plus one.
    if tensor.memory == 0 {
        let value = |offset: Option<usize>| offset.map_or(0, |it| it as i128 + 1);
        prop_assert!(tensor.chain.offsets().map(value).eq(model.values.iter().copied()));
    }
    if let Some(layout) = tensor.layout() {
        prop_assert!(layout.offsets().map(Some).eq(tensor.chain.offsets()));
        prop_assert!(layout.fits(tensor.memory_len));
    }
    Ok(())
}

/// Checks that a step copies or refuses a view exactly if no view exists.
fn is_exact(step: &Step, from: &Layout, to: &[usize]) -> Result<(), TestCaseError> {
    let exists = matches!(from.reshape(to).expect("the sizes agree"), Reshape::View(_));
    prop_assert_eq!(exists, step.kind == Kind::View);
    prop_assert_eq!(exists, step.why.is_none());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 384, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_chains_agree_with_the_model(rolls in prop::collection::vec(any::<u32>(), 8..90)) {
        let mut choices = Choices(rolls.iter());
        let shape: Vec<usize> = (0..1 + choices.below(3)).map(|_| 1 + choices.below(5)).collect();
        let n: usize = shape.iter().product();
        let mut source = format!("arange(1, {}).reshape({})", n + 1, text(&shape));
        let values: Vec<i128> = (1..=n as i128).collect();
        let mut models = vec![
            Model { shape: vec![n], values: values.clone(), is_lens: false },
            Model { shape, values, is_lens: false },
        ];
        let mut calls = vec![String::new(), ".reshape".into()];
        while !choices.is_done() && models.len() < 14 {
            let (call, model) = call(&mut choices, models.last().unwrap());
            source += &call;
            calls.push(call);
            models.push(model);
        }
        let report = explain(&source, None);
        for (i, step) in report.steps.iter().enumerate() {
            let is_reshape = calls[i].starts_with(".reshape") || calls[i].starts_with(".view");
            let from = i.checked_sub(1).and_then(|before| report.steps[before].result.as_ref());
            match from.and_then(|it| it.layout()) {
                Some(from) if is_reshape && !models[i - 1].is_lens => is_exact(step, &from, &models[i].shape)?,
                _ => {}
            }
            if step.kind == Kind::Error {
                let message = &step.error.as_ref().unwrap().message;
                prop_assert!(message.contains("without a copy"), "{}: {}", source, message);
                return Ok(());
            }
            agrees(step, &models[i])?;
        }
        prop_assert_eq!(report.steps.len(), models.len());
    }
}

//! Random programs of views, arithmetic and writes through views, compared with the oracle.

use crate::oracle::{ModelView, Oracle, for_each_index};
use belvedere::{Answer, DType, Error, Tensor, add_into, concat, s, sin_into};
use belvedere_grad::{Grads, Tape};
use std::rc::Rc;

/// Random numbers: xorshift.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    /// Returns a number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn number(&mut self) -> f64 {
        self.below(3001) as f64 / 1000.0 - 1.5
    }
}

/// A tensor, and what the oracle knows of it.
#[derive(Clone)]
struct Pair {
    real: Tensor,
    model: ModelView,
}

/// A program that is generated while it runs.
struct Program {
    random: Random,
    oracle: Oracle,
    tape: Rc<Tape>,
    pairs: Vec<Pair>,
    /// The watched tensors, each with its scalars.
    watched: Vec<(Pair, Vec<usize>)>,
    n_writes: usize,
}

type Outcome = Result<(), Error>;

impl Program {
    fn new(seed: u64) -> Result<Program, Error> {
        let mut program = Program {
            random: Random::new(seed),
            oracle: Oracle::default(),
            // What is kept for several uses is walked by reference.
            tape: Rc::new(if seed.is_multiple_of(4) { Tape::persistent() } else { Tape::new() }),
            pairs: Vec::new(),
            watched: Vec::new(),
            n_writes: 0,
        };
        for _ in 0..1 + program.random.below(3) {
            let pair = program.memory()?;
            program.pairs.push(pair.clone());
            let view = program.view_of(&pair)?;
            let is_all = program.random.below(2) == 0;
            program.watch(if is_all { pair } else { view })?;
        }
        Ok(program)
    }

    /// Makes new memory with a view of a part of it.
    fn memory(&mut self) -> Result<Pair, Error> {
        let shape = match self.random.below(4) {
            0 => vec![6],
            1 => vec![3, 4],
            2 => vec![4, 3],
            _ => vec![2, 3, 2],
        };
        let n: usize = shape.iter().product();
        let offset = self.random.below(3);
        let values: Vec<f64> = (0..n + offset).map(|_| self.random.number()).collect();
        let real = Tensor::from_vec(values.clone(), [n + offset])?;
        let real = real.slice(s![offset as isize..])?.reshape(&shape)?;
        let storage = self.oracle.allocate(&values);
        let addresses = (offset..n + offset).collect();
        Ok(Pair { real, model: ModelView { storage, addresses, shape } })
    }

    fn watch(&mut self, pair: Pair) -> Outcome {
        self.tape.watch(&pair.real)?;
        let nodes = self.oracle.watch(&pair.model);
        self.watched.push((pair, nodes));
        Ok(())
    }

    fn pick(&mut self) -> Pair {
        let at = self.random.below(self.pairs.len());
        self.pairs[at].clone()
    }

    /// Returns a view of a tensor: one step of any kind.
    fn view_of(&mut self, x: &Pair) -> Result<Pair, Error> {
        let (shape, rank) = (x.model.shape.clone(), x.model.shape.len());
        if rank == 0 {
            return Ok(x.clone());
        }
        let k = self.random.below(rank);
        let (axis, len) = (k as isize, shape[k]);
        let set = |index: &[usize], value: usize| {
            let mut index = index.to_vec();
            index[k] = value;
            index
        };
        let mut to = shape.clone();
        let (real, model) = match self.random.below(8) {
            0 => {
                let model =
                    x.model.reindexed(&shape.iter().rev().copied().collect::<Vec<_>>(), |index| {
                        index.iter().rev().copied().collect()
                    });
                (x.real.permute((0..rank as isize).rev().collect::<Vec<_>>())?, model)
            }
            1 => (x.real.flip([axis])?, x.model.reindexed(&shape, |i| set(i, len - 1 - i[k]))),
            2 if len > 1 => {
                let start = self.random.below(len);
                to[k] = 1 + self.random.below(len - start);
                let real = x.real.narrow(axis, start, to[k])?;
                (real, x.model.reindexed(&to, |i| set(i, i[k] + start)))
            }
            3 if len > 1 => {
                to[k] = len.div_ceil(2);
                let real = x.real.permute(move_first(rank, k))?.slice(s![..;2])?;
                let real = real.permute(move_back(rank, k))?;
                (real, x.model.reindexed(&to, |i| set(i, 2 * i[k])))
            }
            4 if rank > 1 => {
                let at = self.random.below(len);
                to.remove(k);
                let real = x.real.select(axis, at as isize)?;
                let model = x.model.reindexed(&to, |i| {
                    let mut index = i.to_vec();
                    index.insert(k, at);
                    index
                });
                (real, model)
            }
            5 if len > 2 && rank < 4 => {
                let window = 2 + self.random.below(len - 2);
                to[k] = len - window + 1;
                to.push(window);
                let real = x.real.windows(axis, window, 1)?;
                // The new axis is the last one.
                let model = x.model.reindexed(&to, |i| set(&i[..rank], i[k] + i[rank]));
                (real, model)
            }
            6 if rank < 4 => {
                to.insert(0, 2);
                (x.real.broadcast_to(&to)?, x.model.broadcast_to(&to))
            }
            _ if rank == 2 && shape[0] == shape[1] => {
                let real = x.real.diagonal(0, 0, 1)?;
                (real, x.model.reindexed(&shape[..1], |i| vec![i[0], i[0]]))
            }
            _ => (x.real.clone(), x.model.clone()),
        };
        assert_eq!(*real.shape(), model.shape[..]);
        Ok(Pair { real, model })
    }

    /// Returns a view after several steps, of at most 60 elements.
    fn some_view(&mut self) -> Result<Pair, Error> {
        let mut pair = self.pick();
        for _ in 0..self.random.below(4) {
            let next = self.view_of(&pair)?;
            if next.real.len() <= 60 {
                pair = next;
            }
        }
        Ok(pair)
    }

    /// Returns a view that broadcasts to a shape: another one if there is one, else a part of `x`.
    fn operand_for(&mut self, x: &Pair) -> Result<Pair, Error> {
        for _ in 0..8 {
            let y = self.some_view()?;
            let (to, from) = (&x.model.shape, &y.model.shape);
            let fits = from.len() <= to.len()
                && from.iter().rev().zip(to.iter().rev()).all(|(a, b)| a == b || *a == 1);
            if fits {
                let model = y.model.broadcast_to(to);
                return Ok(Pair { real: y.real, model });
            }
        }
        Ok(x.clone())
    }

    /// Runs a random step.
    fn step(&mut self) -> Outcome {
        match self.random.below(10) {
            0..4 => self.compute(),
            9 if self.random.below(3) == 0 => {
                let view = self.some_view()?;
                match view.real.layout().injective() {
                    Answer::Yes => self.watch(view),
                    _ => Ok(()),
                }
            }
            _ => self.write(),
        }
    }

    fn push(&mut self, real: Tensor, nodes: Vec<usize>) {
        let shape = real.shape().to_vec();
        let model = self.oracle.fresh(&shape, nodes);
        self.pairs.push(Pair { real, model });
    }

    /// Computes a new tensor.
    fn compute(&mut self) -> Outcome {
        let x = self.some_view()?;
        let y = self.operand_for(&x)?;
        let (real, nodes) = match self.random.below(9) {
            0 => (x.real.sin()?, self.oracle.unary(&x.model, |x| (x.sin(), x.cos()))),
            1 => (x.real.tanh()?, self.oracle.unary(&x.model, tanh)),
            2 => {
                (x.real.mul(&y.real)?, self.oracle.binary(&x.model, &y.model, |x, y| (x * y, y, x)))
            }
            3 => (
                x.real.add(&y.real)?,
                self.oracle.binary(&x.model, &y.model, |x, y| (x + y, 1.0, 1.0)),
            ),
            4 => (x.real.maximum(&y.real)?, self.oracle.binary(&x.model, &y.model, maximum)),
            5 if !x.model.shape.is_empty() => self.sum(&x)?,
            6 => (x.real.copy()?, self.oracle.copy(&x.model)),
            7 if !x.model.shape.is_empty() => self.take(&x)?,
            8 if x.model.shape.len() == 2 => self.matmul(&x)?,
            _ => self.joined(&x)?,
        };
        self.push(real, nodes);
        Ok(())
    }

    fn sum(&mut self, x: &Pair) -> Result<(Tensor, Vec<usize>), Error> {
        let k = self.random.below(x.model.shape.len());
        let mut kept = x.model.shape.clone();
        let len = kept.remove(k);
        let mut rows = Vec::new();
        let all = &x.model.shape;
        for_each_index(&kept, |index| {
            let at = |i: usize| {
                let mut index = index.to_vec();
                index.insert(k, i);
                all.iter().zip(&index).fold(0, |at, (len, i)| at * len + i)
            };
            rows.push((0..len).map(|i| (at(i), 1.0)).collect());
        });
        Ok((x.real.sum(k as isize)?, self.oracle.linear(&x.model, &rows)))
    }

    fn take(&mut self, x: &Pair) -> Result<(Tensor, Vec<usize>), Error> {
        let (len, inner) = (x.model.shape[0], x.model.shape[1..].iter().product::<usize>());
        let picks: Vec<usize> = (0..3).map(|_| self.random.below(len)).collect();
        let indices = Tensor::from_vec(picks.iter().map(|&it| it as i64).collect::<Vec<_>>(), [3])?;
        let rows: Vec<Vec<(usize, f64)>> = picks
            .iter()
            .flat_map(|&at| (0..inner).map(move |i| vec![(at * inner + i, 1.0)]))
            .collect();
        Ok((x.real.take(&indices, 0)?, self.oracle.linear(&x.model, &rows)))
    }

    fn matmul(&mut self, x: &Pair) -> Result<(Tensor, Vec<usize>), Error> {
        let [m, k] = x.model.shape[..] else { unreachable!("a matrix") };
        let rows = (0..m)
            .flat_map(|i| (0..m).map(move |j| (0..k).map(|l| (i * k + l, j * k + l)).collect()))
            .collect::<Vec<Vec<(usize, usize)>>>();
        let product = x.real.matmul(&x.real.t()?)?;
        Ok((product, self.oracle.bilinear(&x.model, &x.model, &rows)))
    }

    fn joined(&mut self, x: &Pair) -> Result<(Tensor, Vec<usize>), Error> {
        let y = self.some_view()?;
        let mut nodes = self.oracle.copy(&x.model);
        nodes.extend(self.oracle.copy(&y.model));
        Ok((concat(&[&x.real, &y.real], None)?, nodes))
    }

    /// Writes to elements that exist.
    fn write(&mut self) -> Outcome {
        let out = self.some_view()?;
        if out.real.layout().injective() != Answer::Yes || out.real.is_empty() {
            return Ok(());
        }
        let y = self.operand_for(&out)?;
        self.n_writes += 1;
        let nodes = match self.random.below(8) {
            0 => {
                let value = self.random.number();
                out.real.fill(value)?;
                self.oracle.constants(&vec![value; out.real.len()])
            }
            1 | 2 => {
                belvedere::assign_into(&y.real, &out.real)?;
                self.oracle.copy(&y.model)
            }
            3 => {
                out.real.add_assign(&y.real)?;
                self.oracle.binary(&out.model, &y.model, |x, y| (x + y, 1.0, 1.0))
            }
            4 => {
                out.real.mul_assign(&y.real)?;
                self.oracle.binary(&out.model, &y.model, |x, y| (x * y, y, x))
            }
            5 => {
                sin_into(&y.real.broadcast_to(&*out.real.shape())?, &out.real)?;
                self.oracle.unary(&y.model, |x| (x.sin(), x.cos()))
            }
            6 => {
                let z = self.operand_for(&out)?;
                let y_wide = y.real.broadcast_to(&*out.real.shape())?;
                add_into(&y_wide, &z.real, &out.real)?;
                self.oracle.binary(&y.model, &z.model, |x, y| (x + y, 1.0, 1.0))
            }
            _ => return self.put(&out),
        };
        self.oracle.write(&out.model, &nodes);
        Ok(())
    }

    /// Writes rows at repeated indices: the last write counts. Or adds them.
    fn put(&mut self, out: &Pair) -> Outcome {
        let Some((&len, rest)) = out.model.shape.split_first() else { return Ok(()) };
        let inner = rest.iter().product::<usize>();
        let picks = [self.random.below(len), self.random.below(len)];
        let indices = Tensor::from_vec(picks.iter().map(|&it| it as i64).collect::<Vec<_>>(), [2])?;
        let row = ModelView {
            storage: out.model.storage,
            addresses: out.model.addresses[..inner].to_vec(),
            shape: rest.to_vec(),
        };
        let values = Pair { real: out.real.select(0, 0)?, model: row };
        let is_sum = self.random.below(2) == 0;
        let source = self.oracle.copy(&values.model);
        let copied = self.oracle.fresh(rest, source);
        match is_sum {
            true => out.real.put_add(&indices, 0, &values.real.copy()?)?,
            false => out.real.put(&indices, 0, &values.real.copy()?)?,
        }
        for at in picks {
            let target = ModelView {
                storage: out.model.storage,
                addresses: out.model.addresses[at * inner..(at + 1) * inner].to_vec(),
                shape: rest.to_vec(),
            };
            let nodes = match is_sum {
                true => self.oracle.binary(&target, &copied, |x, y| (x + y, 1.0, 1.0)),
                false => self.oracle.copy(&copied),
            };
            self.oracle.write(&target, &nodes);
        }
        Ok(())
    }

    /// Returns a weighted sum of everything, and the seeds of the oracle.
    fn loss(&mut self) -> Result<(Tensor, Vec<(usize, f64)>), Error> {
        let mut total = Tensor::zeros([0usize; 0], DType::Float64)?;
        let mut seeds = Vec::new();
        for Pair { real, model } in self.pairs.clone() {
            let weights: Vec<f64> = (0..real.len()).map(|_| self.random.number()).collect();
            seeds.extend(self.oracle.copy(&model).into_iter().zip(weights.iter().copied()));
            let weights = Tensor::from_vec(weights, real.shape())?;
            total = total.add(&real.mul(&weights)?.sum(())?)?;
        }
        Ok((total, seeds))
    }
}

fn tanh(x: f64) -> (f64, f64) {
    (x.tanh(), 1.0 - x.tanh() * x.tanh())
}

fn maximum(x: f64, y: f64) -> (f64, f64, f64) {
    match x.partial_cmp(&y) {
        Some(std::cmp::Ordering::Greater) => (x, 1.0, 0.0),
        Some(std::cmp::Ordering::Less) => (y, 0.0, 1.0),
        _ => (x, 0.5, 0.5),
    }
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        let is_near = (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()));
        assert!(is_near || a.is_nan() && b.is_nan(), "{what}: {found:?}, expected {expected:?}");
    }
}

/// Moves axis `k` to the front.
fn move_first(rank: usize, k: usize) -> Vec<isize> {
    std::iter::once(k).chain((0..rank).filter(|&it| it != k)).map(|it| it as isize).collect()
}

/// The inverse of [`move_first`].
fn move_back(rank: usize, k: usize) -> Vec<isize> {
    let order = move_first(rank, k);
    (0..rank as isize).map(|it| order.iter().position(|&at| at == it).unwrap() as isize).collect()
}

/// Runs a program; returns whether it writes.
fn run(seed: u64) -> bool {
    let mut program = Program::new(seed).unwrap();
    let tape = Rc::clone(&program.tape);
    let n_steps = 3 + program.random.below(12);
    let (loss, seeds) = tape.record(|| {
        for step in 0..n_steps {
            program.step().unwrap_or_else(|error| panic!("program {seed}, step {step}: {error}"));
        }
        program.loss().unwrap()
    });
    for Pair { real, model } in &program.pairs {
        let values = program.oracle.values(model);
        assert_near(&real.to_vec::<f64>().unwrap(), &values, &format!("program {seed}: values"));
    }
    let grads = tape.backward(&loss).unwrap_or_else(|error| panic!("program {seed}: {error}"));
    let expected = program.oracle.gradient(&seeds);
    for (n, (pair, nodes)) in program.watched.iter().enumerate() {
        // The latest watch of the same elements counts.
        let is_later = |(it, _): &(Pair, _)| it.model.storage == pair.model.storage;
        if program.watched[n + 1..].iter().any(is_later) {
            continue;
        }
        let found = grads.wrt(&pair.real).unwrap().to_vec::<f64>().unwrap();
        let expected: Vec<f64> = nodes.iter().map(|&it| expected[it]).collect();
        assert_near(&found, &expected, &format!("program {seed}: gradient {n}"));
    }
    if seed.is_multiple_of(4) {
        check_tangents(&mut program, &loss, &grads);
    }
    program.n_writes > 0
}

/// Compares the derivative in a random direction with the gradient in this direction.
fn check_tangents(program: &mut Program, loss: &Tensor, grads: &Grads) {
    let mut sources: Vec<Tensor> = Vec::new();
    for (Pair { real, .. }, _) in &program.watched {
        if !sources.iter().any(|it| it.storage().is_same(real.storage())) {
            sources.push(real.clone());
        }
    }
    let mut expected = 0.0;
    let mut tangents = Vec::new();
    for x in &sources {
        let tangent: Vec<f64> = (0..x.len()).map(|_| program.random.number()).collect();
        let gradient = grads.wrt(x).unwrap().to_vec::<f64>().unwrap();
        expected += gradient.iter().zip(&tangent).map(|(a, b)| a * b).sum::<f64>();
        tangents.push(Tensor::from_vec(tangent, x.shape()).unwrap());
    }
    let (sources, tangents): (Vec<_>, Vec<_>) =
        (sources.iter().collect(), tangents.iter().collect());
    let found = program.tape.jvp(&[loss], &sources, &tangents).unwrap();
    assert_near(&found[0].to_vec::<f64>().unwrap(), &[expected], "the derivative in a direction");
}

#[test]
fn random_programs_have_the_gradients_of_the_oracle() {
    // As for the other crates: many more with `cargo xtask test --full`.
    let n_programs = if std::env::var_os("BELVEDERE_FULL").is_some() { 200_000 } else { 4000 };
    let n_writing = (1..=n_programs).filter(|&seed| run(seed)).count();
    assert!(n_writing as u64 > n_programs * 3 / 4, "{n_writing} of {n_programs} programs write");
}

//! `Program`: a random sequence of operations on tensors, carried out on lists of elements as well.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use belvedere::{DType, Error, Index, Slice, Tensor, add_into, assign_into, concat, where_into};

use crate::any;
use crate::grid::Grid;
use crate::moves::Move;

/// The most variables of a program: enough for operations on several of them, few enough to be drawn again.
const MAX_VARIABLES: usize = 8;

/// The most elements of a new tensor.
const MAX_ELEMENTS: usize = 4096;

/// A tensor, and the offsets of its elements in one of the program's memories.
struct Variable {
    tensor: Tensor,
    memory: usize,
    grid: Grid,
}

/// The elements of a storage, as they have to be.
struct Memory {
    elements: Vec<i64>,
    is_writable: bool,
}

/// Variables, and the memory that they should have.
pub struct Program {
    variables: Vec<Variable>,
    memories: Vec<Memory>,
}

impl Program {
    /// Returns a program with one variable, of some elements of `memory`, and one that is read-only.
    pub fn new(own: Tensor, memory: Vec<i64>, shared: &Tensor) -> Program {
        let elements = shared.to_vec::<i64>().expect("no guard is held");
        let mut program = Program { variables: Vec::new(), memories: Vec::new() };
        program.memories.push(Memory { elements: memory, is_writable: true });
        program.memories.push(Memory { elements, is_writable: false });
        program.declare(own, 0);
        let fixed = shared.storage().read_only();
        let fixed = Tensor::from_storage(fixed, shared.layout().clone(), DType::Int64);
        program.declare(fixed.expect("the same elements"), 1);
        program
    }

    /// Draws and carries out operations until the input is used up.
    pub fn run(&mut self, u: &mut Unstructured) -> Result<()> {
        while !u.is_empty() {
            match u.int_in_range(0..=9u8)? {
                0..=3 => self.view(u)?,
                4 => self.assign(u)?,
                5 => self.write_sum(u)?,
                6 => self.combine(u)?,
                7 => self.reduce(u)?,
                8 => self.along_axis(u)?,
                _ => self.select(u)?,
            }
        }
        Ok(())
    }

    /// Checks that all variables have the elements that they should have, and returns the first memory.
    pub fn finish(self) -> Vec<i64> {
        for variable in &self.variables {
            self.check(variable);
        }
        self.memories.into_iter().next().expect("the memory of `new`").elements
    }

    fn check(&self, variable: &Variable) {
        let found = variable.tensor.to_vec::<i64>().expect("no guard is held");
        assert_eq!(variable.tensor.shape(), variable.grid.shape, "{:?}", variable.tensor.layout());
        assert_eq!(found, self.values(variable), "{:?}", variable.tensor.layout());
    }

    /// Adds a variable whose elements are at the offsets of its layout.
    fn declare(&mut self, tensor: Tensor, memory: usize) {
        let grid = Grid::from_layout(tensor.layout());
        self.push(Variable { tensor, memory, grid });
    }

    /// Adds a variable. The first two stay, and the oldest of the others is dropped if there are too many.
    fn push(&mut self, variable: Variable) {
        if self.variables.len() == MAX_VARIABLES {
            self.variables.remove(2);
        }
        self.variables.push(variable);
    }

    /// Adds a new tensor, which must have this shape and these elements.
    fn push_new(&mut self, tensor: Tensor, shape: &[usize], elements: Vec<i64>) {
        assert_eq!(tensor.shape(), shape);
        // Results of operations may have any layout: they are dense, and cover their storage.
        let memory = self.memories.len();
        let grid = Grid::from_layout(tensor.layout());
        let mut stored = vec![0; tensor.layout().span().end];
        for (at, element) in grid.items.iter().zip(&elements) {
            stored[at.expect("a layout has no padding")] = *element;
        }
        self.memories.push(Memory { elements: stored, is_writable: true });
        let variable = Variable { tensor, memory, grid };
        self.check(&variable);
        self.push(variable);
    }

    fn draw(&self, u: &mut Unstructured) -> Result<usize> {
        u.choose_index(self.variables.len())
    }

    /// Draws a variable of the same shape as another, or that one.
    fn draw_like(&self, u: &mut Unstructured, n: usize) -> Result<usize> {
        let shape = &self.variables[n].grid.shape;
        let is_alike = |&i: &usize| self.variables[i].grid.shape == *shape;
        let alike: Vec<usize> = (0..self.variables.len()).filter(is_alike).collect();
        Ok(*u.choose(&alike)?)
    }

    fn values(&self, variable: &Variable) -> Vec<i64> {
        let elements = &self.memories[variable.memory].elements;
        variable.grid.items.iter().map(|at| elements[at.expect("views have no padding")]).collect()
    }

    /// Writes the elements of a variable, if the operation on its tensor succeeded. It must, unless the memory is
    /// read-only or two indices share an element.
    fn write(&mut self, n: usize, outcome: std::result::Result<(), Error>, elements: &[i64]) {
        let variable = &self.variables[n];
        let distinct: BTreeSet<_> = variable.grid.items.iter().collect();
        let is_injective = distinct.len() == variable.grid.items.len();
        let is_allowed = is_injective && self.memories[variable.memory].is_writable;
        assert_eq!(outcome.is_ok(), is_allowed, "{outcome:?}: {:?}", variable.tensor.layout());
        if is_allowed {
            let memory = &mut self.memories[variable.memory].elements;
            for (at, element) in variable.grid.items.iter().zip(elements) {
                memory[at.expect("views have no padding")] = *element;
            }
        }
    }

    fn view(&mut self, u: &mut Unstructured) -> Result<()> {
        let Variable { tensor, memory, grid } = &self.variables[self.draw(u)?];
        let step = Move::any(u, &grid.shape)?;
        let Some(viewed) = on_tensor(&step, tensor) else { return Ok(()) };
        let expected = step.on_grid(grid);
        let is_reshape = matches!(step, Move::Reshape(_));
        let (tensor, grid) = match (viewed, expected) {
            (Ok(tensor), Some(grid)) => (tensor, grid),
            // A view of this shape may not exist: the target `reshape` checks when it does.
            (Err(_), _) if is_reshape => return Ok(()),
            (Err(_), None) => return Ok(()),
            (viewed, grid) => panic!("{step:?} of {tensor:?} is {viewed:?}, expected {grid:?}"),
        };
        let memory = *memory;
        let variable = Variable { tensor, memory, grid };
        self.check(&variable);
        self.push(variable);
        Ok(())
    }

    fn assign(&mut self, u: &mut Unstructured) -> Result<()> {
        let to = self.draw(u)?;
        if u.arbitrary()? {
            let value = i64::from(u.arbitrary::<i8>()?);
            let outcome = self.variables[to].tensor.fill(value);
            self.write(to, outcome, &vec![value; self.variables[to].grid.items.len()]);
            return Ok(());
        }
        let from = self.draw_like(u, to)?;
        let elements = self.values(&self.variables[from]);
        let outcome = assign_into(&self.variables[from].tensor, &self.variables[to].tensor);
        self.write(to, outcome, &elements);
        Ok(())
    }

    fn write_sum(&mut self, u: &mut Unstructured) -> Result<()> {
        let to = self.draw(u)?;
        let (a, b) = (self.draw_like(u, to)?, self.draw_like(u, to)?);
        let (x, y) = (self.values(&self.variables[a]), self.values(&self.variables[b]));
        let [a, b, out] = [a, b, to].map(|n| &self.variables[n].tensor);
        let pairs = x.iter().zip(&y);
        let (outcome, elements): (_, Vec<i64>) = match u.arbitrary()? {
            true => (add_into(a, b, out), pairs.map(|(x, y)| x.wrapping_add(*y)).collect()),
            false => {
                let chosen = pairs.map(|(x, y)| if *x != 0 { *y } else { *x });
                (where_into(a, b, a, out), chosen.collect())
            }
        };
        self.write(to, outcome, &elements);
        Ok(())
    }

    /// Computes a new tensor from two of the same shape.
    fn combine(&mut self, u: &mut Unstructured) -> Result<()> {
        let a = self.draw(u)?;
        let b = self.draw_like(u, a)?;
        let (x, y) = (&self.variables[a], &self.variables[b]);
        let (tensor, f): (_, fn(i64, i64) -> i64) = match u.int_in_range(0..=3u8)? {
            0 => (x.tensor.add(&y.tensor), i64::wrapping_add),
            1 => (x.tensor.sub(&y.tensor), i64::wrapping_sub),
            2 => (x.tensor.mul(&y.tensor), i64::wrapping_mul),
            _ => (x.tensor.maximum(&y.tensor), i64::max),
        };
        let pairs = self.values(x).into_iter().zip(self.values(y));
        let elements = pairs.map(|(x, y)| f(x, y)).collect();
        let shape = x.grid.shape.clone();
        self.push_new(tensor.expect("both have one shape and dtype"), &shape, elements);
        Ok(())
    }

    fn reduce(&mut self, u: &mut Unstructured) -> Result<()> {
        let x = &self.variables[self.draw(u)?];
        let rank = x.grid.shape.len();
        if rank == 0 {
            return Ok(());
        }
        let k = any::index_below(u, rank)?;
        let values = self.values(x);
        let mut shape = x.grid.shape.clone();
        let (len, inner) = (shape.remove(k), x.grid.shape[k + 1..].iter().product::<usize>());
        let lane = |i: usize| (0..len).map(move |j| (i / inner * len + j) * inner + i % inner);
        let n: usize = shape.iter().product();
        let is_sum = len == 0 || u.arbitrary()?;
        let (tensor, elements): (_, Vec<i64>) = match is_sum {
            true => {
                let sum = |i| lane(i).fold(0i64, |sum, at| sum.wrapping_add(values[at]));
                (x.tensor.sum([k as isize]), (0..n).map(sum).collect())
            }
            false => {
                let most = |i| lane(i).map(|at| values[at]).max().expect("not empty");
                (x.tensor.max([k as isize]), (0..n).map(most).collect())
            }
        };
        self.push_new(tensor.expect("every lane has a result"), &shape, elements);
        Ok(())
    }

    /// Computes a cumulative sum, or sorts, along an axis.
    fn along_axis(&mut self, u: &mut Unstructured) -> Result<()> {
        let x = &self.variables[self.draw(u)?];
        let shape = x.grid.shape.clone();
        if shape.is_empty() {
            return Ok(());
        }
        let k = any::index_below(u, shape.len())?;
        let mut elements = self.values(x);
        let (len, inner) = (shape[k], shape[k + 1..].iter().product::<usize>());
        let is_sorted = u.arbitrary()?;
        for first in (0..elements.len()).filter(|i| i / inner.max(1) % len.max(1) == 0) {
            let lane: Vec<usize> = (0..len).map(|j| first + j * inner).collect();
            let mut values: Vec<i64> = lane.iter().map(|&at| elements[at]).collect();
            match is_sorted {
                true => values.sort_unstable(),
                false => (1..len).for_each(|j| values[j] = values[j].wrapping_add(values[j - 1])),
            }
            lane.iter().zip(values).for_each(|(&at, value)| elements[at] = value);
        }
        let tensor = match is_sorted {
            true => x.tensor.sort(k as isize),
            false => x.tensor.cumulative_sum(k as isize),
        };
        self.push_new(tensor.expect("the axis exists"), &shape, elements);
        Ok(())
    }

    /// Takes positions along an axis, which may not exist, or concatenates a variable with itself.
    fn select(&mut self, u: &mut Unstructured) -> Result<()> {
        let x = &self.variables[self.draw(u)?];
        let rank = x.grid.shape.len();
        if rank == 0 || 2 * x.grid.items.len() > MAX_ELEMENTS {
            return Ok(());
        }
        let k = any::index_below(u, rank)?;
        let len = x.grid.shape[k];
        let (tensor, positions): (_, Option<Vec<Option<usize>>>) = match u.arbitrary()? {
            true => {
                let twice = (0..len).chain(0..len).map(Some).collect();
                (concat(&[&x.tensor, &x.tensor], k as isize), Some(twice))
            }
            false => {
                let bound = len as i64 + i64::from(u.ratio(1, 16)?);
                let mut at = || u.int_in_range(-bound..=bound.max(1) - 1);
                let indices = [at()?, at()?, at()?];
                let position = |&at: &i64| crate::grid::python_position(at as isize, len);
                let positions = indices.iter().map(position).map(|it| it.map(Some)).collect();
                let indices = Tensor::from_vec(indices.to_vec(), [3]).expect("three elements");
                (x.tensor.take(&indices, k as isize), positions)
            }
        };
        let Some(positions) = positions else {
            assert!(
                tensor.is_err(),
                "a position that does not exist along axis {k} of {x:?}",
                x = x.grid
            );
            return Ok(());
        };
        let grid = x.grid.select_positions(k, &positions);
        let elements = &self.memories[x.memory].elements;
        let elements = grid.items.iter().map(|at| elements[at.expect("no padding")]).collect();
        self.push_new(tensor.expect("all positions exist"), &grid.shape, elements);
        Ok(())
    }
}

/// Applies a view operation to a tensor; `None` if tensors do not have it, because it needs padding or a copy.
fn on_tensor(step: &Move, x: &Tensor) -> Option<std::result::Result<Tensor, Error>> {
    Some(match step {
        Move::Permute(order) => x.permute_dims(order),
        Move::Flip(axes) => x.flip(axes),
        Move::Slice(index) => x.slice(index),
        Move::Shrink(ranges) => {
            let slice = |it: &std::ops::Range<usize>| {
                Index::Slice(Slice::from(it.start as isize..it.end as isize))
            };
            x.slice(ranges.iter().map(slice).collect::<Vec<_>>())
        }
        Move::Reshape(shape) => x.view(shape),
        Move::Unsqueeze(axis) => x.unsqueeze(*axis),
        Move::Squeeze(axes) => x.squeeze(axes),
        Move::Transpose(a, b) => x.transpose(*a, *b),
        Move::Narrow(axis, start, count) => x.narrow(*axis, *start, *count),
        Move::Select(axis, at) => x.select(*axis, *at),
        Move::BroadcastTo(shape) => x.broadcast_to(shape),
        Move::Pad(_) | Move::Repeat(..) | Move::Tile(_) => return None,
    })
}

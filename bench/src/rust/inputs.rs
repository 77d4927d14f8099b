//! The operands of all rows, in both libraries.

use std::cell::RefCell;
use std::fmt;

use belvedere::prelude::*;
use ndarray::{Array2, ArrayView2};

const PAGE_BYTES: usize = 4096;

/// The bytes between the places of two seeds in a page: an odd number of cache lines, so that rows whose length is a power of
/// two do not compete for the same cache sets.
const SEED_BYTES: usize = 11 * 64;

/// The bytes that a block of the C library's heap takes at least, and those of its header.
const MIN_BLOCK_BYTES: usize = 32;
const BLOCK_HEADER_BYTES: usize = 8;

/// The number of attempts to place a vector.
const MAX_FILLERS: usize = 100;

/// The memory order of the operands of a zip.
#[derive(Clone, Copy)]
pub enum Order {
    /// Contiguous.
    Contiguous,
    /// All but the first are transposed.
    Transposed,
    /// Every second column of twice as many.
    Stepped,
}

impl Order {
    pub const ALL: [Order; 3] = [Order::Contiguous, Order::Transposed, Order::Stepped];
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Contiguous => "contiguous",
            Order::Transposed => "transposed",
            Order::Stepped => "stepped",
        })
    }
}

/// The operands for one length of both axes.
pub struct Inputs {
    pub side: usize,
    /// Four square matrices.
    pub tensors: [Tensor; 4],
    pub arrays: [Array2<f32>; 4],
    /// They, all but the first transposed.
    transposed: [Tensor; 4],
    /// Every second column of four matrices.
    stepped: [Tensor; 4],
    wide_arrays: [Array2<f32>; 4],
    /// A square matrix that is written to.
    pub out: Tensor,
    pub out_array: RefCell<Array2<f32>>,
}

impl Inputs {
    pub fn new(side: usize) -> Inputs {
        let seeds = [1, 2, 3, 4];
        let array = |seed, columns| {
            let shape = (side, columns);
            Array2::from_shape_vec(shape, values(side * columns, seed)).expect("as many values")
        };
        Inputs {
            side,
            tensors: seeds.map(|seed| tensor(seed, [side, side])),
            arrays: seeds.map(|seed| array(seed, side)),
            transposed: seeds.map(|seed| {
                let square = tensor(seed, [side, side]);
                if seed == 1 { square } else { square.t().expect("a matrix") }
            }),
            stepped: seeds.map(|seed| {
                let wide = tensor(seed, [side, 2 * side]);
                wide.slice(s![.., ..;2]).expect("a matrix")
            }),
            wide_arrays: seeds.map(|seed| array(seed, 2 * side)),
            out: tensor(5, [side, side]),
            out_array: RefCell::new(array(5, side)),
        }
    }

    /// The first matrix.
    pub fn x(&self) -> (&Tensor, &Array2<f32>) {
        (&self.tensors[0], &self.arrays[0])
    }

    /// Four operands of Belvedere.
    pub fn ordered_tensors(&self, order: Order) -> &[Tensor; 4] {
        match order {
            Order::Contiguous => &self.tensors,
            Order::Transposed => &self.transposed,
            Order::Stepped => &self.stepped,
        }
    }

    /// The same operands of ndarray.
    pub fn ordered_arrays(&self, order: Order) -> [ArrayView2<'_, f32>; 4] {
        let [a, b, c, d] = &self.arrays;
        match order {
            Order::Contiguous => [a.view(), b.view(), c.view(), d.view()],
            Order::Transposed => [a.view(), b.t(), c.t(), d.t()],
            Order::Stepped => self.wide_arrays.each_ref().map(|x| x.slice(ndarray::s![.., ..;2])),
        }
    }
}

/// Returns a tensor of [`values`].
pub fn tensor<const N: usize>(seed: u32, shape: [usize; N]) -> Tensor {
    let n = shape.iter().product();
    Tensor::from_vec(values(n, seed), shape).expect("as many values as elements")
}

/// Returns multiples of 1/1024 from -½ to ½, so that sums of few of them are exact.
///
/// The values of a seed begin at the same distance from the beginning of a page for both libraries, and those of different
/// seeds at different ones: a row would else depend on where the allocator has placed its operands. (64 bytes of a row are in
/// one cache line or in two; a load waits for a store to another operand if the lower 12 bits of their addresses agree.)
pub fn values(n: usize, seed: u32) -> Vec<f32> {
    let value = |at: usize| {
        let bits = (at as u32).wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(97));
        (bits >> 22) as f32 / 1024.0 - 0.5
    };
    let mut values = allocate(n, seed as usize * SEED_BYTES % PAGE_BYTES);
    values.extend((0..n).map(value));
    values
}

/// Allocates a vector that begins `wanted` bytes after the beginning of a page, if the allocator can be made to.
fn allocate(n: usize, wanted: usize) -> Vec<f32> {
    let mut fillers: Vec<Vec<u8>> = Vec::with_capacity(MAX_FILLERS);
    loop {
        let memory: Vec<f32> = Vec::with_capacity(n);
        let missing = wanted.wrapping_sub(memory.as_ptr().addr()) % PAGE_BYTES;
        if missing == 0 || fillers.len() == MAX_FILLERS {
            return memory;
        }
        // The filler takes the place of the vector, or that of a smaller block which is free.
        drop(memory);
        let filled = if missing < MIN_BLOCK_BYTES { missing + PAGE_BYTES } else { missing };
        fillers.push(Vec::with_capacity(filled - BLOCK_HEADER_BYTES));
    }
}

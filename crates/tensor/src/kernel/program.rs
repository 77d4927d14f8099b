//! Fused elementwise programs: several bodies as one.
//!
//! **The problem.** `relu(a·b + c)` is three passes over memory and two temporary tensors. One pass would do, but there is no
//! body for every chain of operations, and there is no JIT compiler.
//!
//! **The solution.** A program is a list of calls of bodies, and is a body itself: for a block of elements it calls one
//! after the other, and intermediate results are in buffers of [`PART_ELEMENTS`] elements, which stay in the L1 cache. So
//! memory is read and written once, whatever the strides and dtypes of the operands are, because the walk is that of
//! any other body.
//!
//! **The cost**, compared with a loop written for the chain, is a pass over the L1 cache for each step.

use super::body::{BlockCall, Body, BroadcastMask};
use super::cast::cast;
use super::map::Buffer;
use super::parallel::{ThreadStates, max_threads};
use crate::cancel::{self, scratch};
use crate::plan::pieces_for;
use crate::view::Cell;
use crate::{DType, Error};

/// The elements that go through all steps at a time. Fewer than a block: the steps of a part are so short that
/// out-of-order execution overlaps the memory reads of the next part with them. `relu(a·b + c)` took 1.3 times as long
/// with 1024, and as long as a loop written for it with 128 and 256.
const PART_ELEMENTS: usize = 256;

/// Bytes between buffers. Without them two buffers would be a multiple of 4 KiB apart, and loads from one would wait for
/// stores to the other (4K aliasing). Elements stay aligned.
const BUFFER_GAP_BYTES: usize = 64;

/// A body of any number of inputs.
#[derive(Clone, Copy)]
pub(crate) enum AnyBody {
    One(Body<'static, 2>),
    Two(Body<'static, 3>),
    Three(Body<'static, 4>),
    Four(Body<'static, 5>),
}

impl AnyBody {
    /// Returns the dtypes of its blocks, output first.
    pub(crate) fn types(&self) -> Vec<DType> {
        match self {
            AnyBody::One(body) => body.types().to_vec(),
            AnyBody::Two(body) => body.types().to_vec(),
            AnyBody::Three(body) => body.types().to_vec(),
            AnyBody::Four(body) => body.types().to_vec(),
        }
    }

    /// Returns the first values, as many as it has inputs.
    fn inputs(self, values: &[ProgramValue; 4]) -> &[ProgramValue] {
        match self {
            AnyBody::One(_) => &values[..1],
            AnyBody::Two(_) => &values[..2],
            AnyBody::Three(_) => &values[..3],
            AnyBody::Four(_) => &values[..4],
        }
    }
}

/// A sequence of calls of bodies.
pub(crate) struct Program {
    inputs: Vec<DType>,
    constants: Vec<Constant>,
    steps: Vec<ProgramStep>,
    /// The dtype of the output of each step.
    outputs: Vec<DType>,
    /// The buffer of the output of each step but the last, which writes to the output of the program.
    buffers: Vec<usize>,
    n_buffers: usize,
    /// The bytes from one buffer to the next.
    stride: usize,
    /// The memory of the buffers for each thread, if they do not fit on its stack.
    heap: Option<ThreadStates<Vec<Buffer>>>,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramValue {
    /// An input of the program.
    Input(usize),
    /// A scalar constant.
    Constant(usize),
    /// The output of a step.
    Step(usize),
}

struct ProgramStep {
    body: AnyBody,
    from: [ProgramValue; 4],
    /// The operands that are broadcast.
    broadcast: BroadcastMask,
}

struct Constant {
    cell: Cell,
    /// The number repeated [`PART_ELEMENTS`] times, for bodies that do not take broadcast operands.
    block: Option<Box<Buffer>>,
}

impl Program {
    /// Makes a program without steps for inputs of these dtypes.
    pub(crate) fn new(inputs: Vec<DType>) -> Program {
        let (constants, steps, outputs) = (Vec::new(), Vec::new(), Vec::new());
        let (buffers, heap) = (Vec::new(), None);
        Program { inputs, constants, steps, outputs, buffers, n_buffers: 0, stride: 0, heap }
    }

    /// Whether there are no steps.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds a constant.
    pub(crate) fn constant(&mut self, cell: Cell) -> ProgramValue {
        self.constants.push(Constant { cell, block: None });
        ProgramValue::Constant(self.constants.len() - 1)
    }

    /// Adds a call of a body on values, which are cast to its dtypes.
    ///
    /// # Panics
    /// If there is not one value for each of its inputs.
    pub(crate) fn call(&mut self, body: AnyBody, values: &[ProgramValue]) -> ProgramValue {
        let types = body.types();
        assert_eq!(values.len() + 1, types.len(), "a value for each input of the body");
        let mut from = [values[0]; 4];
        for (n, &value) in values.iter().enumerate() {
            let (given, expected) = (self.dtype(value), types[n + 1]);
            from[n] = match given == expected {
                true => value,
                false => self.push(AnyBody::One(cast(given, expected)), [value; 4], expected),
            };
        }
        self.push(body, from, types[0])
    }

    fn push(&mut self, body: AnyBody, from: [ProgramValue; 4], output: DType) -> ProgramValue {
        let mut broadcast = 0;
        for (n, value) in body.inputs(&from).iter().enumerate() {
            if let ProgramValue::Constant(constant) = *value {
                match body {
                    AnyBody::Two(_) => broadcast |= 1 << (n + 1),
                    _ => self.constants[constant].repeat(),
                }
            }
        }
        self.steps.push(ProgramStep { body, from, broadcast });
        self.outputs.push(output);
        ProgramValue::Step(self.steps.len() - 1)
    }

    /// Returns the dtype of a value.
    pub(crate) fn dtype(&self, value: ProgramValue) -> DType {
        match value {
            ProgramValue::Input(n) => self.inputs[n],
            ProgramValue::Constant(n) => self.constants[n].cell.dtype(),
            ProgramValue::Step(n) => self.outputs[n],
        }
    }

    /// Returns the program as a body for `len` elements, whose output is that of the last step.
    ///
    /// # Errors
    /// If there is not enough memory for the buffers of all threads.
    ///
    /// # Panics
    /// If the program does not have `N - 1` inputs, or has no step.
    pub(crate) fn body<const N: usize>(&mut self, len: usize) -> Result<Body<'_, N>, Error> {
        assert_eq!(self.inputs.len() + 1, N, "the number of inputs");
        let dtype = *self.outputs.last().expect("a program with steps");
        self.choose_buffers();
        self.heap = cancel::catch(|| self.allocate_buffers(len))?;
        let types = std::array::from_fn(|n| if n == 0 { dtype } else { self.inputs[n - 1] });
        // SAFETY: `run` is the loop of programs with `N - 1` inputs, and these are the dtypes of this one.
        Ok(unsafe { Body::of_program(types, self, run::<N>) })
    }

    /// Allocates the buffers of the threads that share `len` elements, unless they fit on the stacks.
    fn allocate_buffers(&self, len: usize) -> Option<ThreadStates<Vec<Buffer>>> {
        let n = (self.n_buffers * self.stride).div_ceil(size_of::<Buffer>());
        let buffers = || {
            let mut heap = scratch(n);
            heap.resize_with(n, Buffer::new);
            heap
        };
        (n > 1).then(|| ThreadStates::new(max_threads(pieces_for(len, usize::MAX)), buffers))
    }

    /// Assigns a buffer to every step; buffers are reused after the last use of their contents.
    fn choose_buffers(&mut self) {
        let mut last_use = vec![0; self.steps.len()]; // bounded: by the expression
        for (at, step) in self.steps.iter().enumerate() {
            for value in step.body.inputs(&step.from) {
                if let ProgramValue::Step(n) = *value {
                    last_use[n] = at;
                }
            }
        }
        let mut free = Vec::new();
        (self.buffers, self.n_buffers) = (Vec::with_capacity(self.steps.len()), 0); // bounded: as above
        for (at, step) in self.steps.iter().enumerate() {
            self.buffers.push(free.pop().unwrap_or_else(|| {
                self.n_buffers += 1;
                self.n_buffers - 1
            }));
            let mut done: Vec<usize> = step
                .body
                .inputs(&step.from)
                .iter()
                .filter_map(|value| match *value {
                    ProgramValue::Step(n) if last_use[n] == at => Some(self.buffers[n]),
                    _ => None,
                })
                .collect();
            done.sort_unstable();
            done.dedup();
            free.extend(done);
        }
        let widest = self.outputs.iter().map(|dtype| dtype.size()).max().unwrap_or(0);
        self.stride = PART_ELEMENTS * widest + BUFFER_GAP_BYTES;
    }
}

impl Constant {
    fn repeat(&mut self) {
        let cell = &self.cell;
        self.block.get_or_insert_with(|| {
            let mut block = Box::new(Buffer::new());
            let size = cell.dtype().size();
            for i in 0..PART_ELEMENTS {
                // SAFETY: a buffer has room for `PART_ELEMENTS` elements of any dtype, of which this is one.
                unsafe { block.ptr().add(i * size).copy_from_nonoverlapping(cell.ptr(), size) };
            }
            block
        });
    }

    /// Returns the address of the repeated number if there is one, else of the number.
    fn ptr(&self) -> *const u8 {
        self.block.as_ref().map_or(self.cell.ptr(), |block| block.as_ptr())
    }
}

/// Runs a program for a block of any length.
///
/// # Safety
/// The context must be a `&Program` of `N - 1` inputs whose buffers are chosen; the rest is that of `Body::call` for its
/// dtypes, and no block is broadcast.
unsafe fn run<const N: usize>(call: BlockCall<N>) {
    let BlockCall { blocks, len, .. } = call;
    // SAFETY: the context is a program, see this function's contract.
    let program = unsafe { &*call.context.cast::<Program>() };
    let run_parts = |buffers: *mut u8| {
        for at in (0..len).step_by(PART_ELEMENTS) {
            // SAFETY: all blocks have elements from `at` to `at` plus the length, and `buffers` has room for all buffers.
            unsafe { program.run_part(&blocks, at, PART_ELEMENTS.min(len - at), buffers) };
        }
    };
    match &program.heap {
        None => run_parts(Buffer::new().ptr()),
        Some(heap) => heap.with(|buffers| run_parts(buffers.as_mut_ptr().cast())),
    }
}

impl Program {
    /// # Safety
    /// - The blocks must have `at + len` elements of the program's dtypes, where `len` is at most `PART_ELEMENTS`; the rest
    ///   is that of `run`.
    /// - `buffers` must be writable for `n_buffers * stride` bytes, and aligned for every dtype.
    unsafe fn run_part(&self, blocks: &[*mut u8], at: usize, len: usize, buffers: *mut u8) {
        let buffer = |step: usize| buffers.wrapping_add(self.buffers[step] * self.stride);
        for (n, step) in self.steps.iter().enumerate() {
            let is_last = n + 1 == self.steps.len();
            let dtype = self.outputs[n];
            let to = match is_last {
                true => blocks[0].wrapping_add(at * dtype.size()),
                false => buffer(n),
            };
            let from = step.from.map(|value| match value {
                ProgramValue::Input(n) => blocks[n + 1].wrapping_add(at * self.inputs[n].size()),
                ProgramValue::Constant(n) => self.constants[n].ptr().cast_mut(),
                ProgramValue::Step(n) => buffer(n),
            });
            let [a, b, c, d] = from;
            // SAFETY: every operand has the dtype of the body (`call`) and `len` elements: it is a part of an input, a
            // constant (repeated, or broadcast, see `push`), or the output of a step whose buffer has not been
            // reused (`choose_buffers`). The step writes to a buffer that is none of its operands; or to the output,
            // which is an input or shares no element with one, and is written last.
            unsafe {
                match &step.body {
                    AnyBody::One(body) => body.call([to, a], len, 0),
                    AnyBody::Two(body) => body.call([to, a, b], len, step.broadcast),
                    AnyBody::Three(body) => body.call([to, a, b, c], len, 0),
                    AnyBody::Four(body) => body.call([to, a, b, c, d], len, 0),
                }
            }
        }
    }
}

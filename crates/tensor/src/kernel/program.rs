//! Several bodies as one.
//!
//! **The problem.** `relu(a·b + c)` is three passes over memory and two tensors that nobody wants. One
//! pass would do: but there is no body for every chain of operations, and compiling one when it is asked
//! for is another library.
//!
//! **What is done.** A program is a list of calls of bodies. It is a body itself: for a block of
//! elements it calls one after the other, and what is between them lies in buffers of [`PART`]
//! elements, which stay in the first-level cache. So memory is read and written once, whatever the
//! strides and types of the operands are, because the walk is that of any other body.
//!
//! **What it costs** beside a loop written for the chain is a pass over the cache for each step.

use super::body::{BlockCall, Body, BroadcastMask};
use super::cast::cast;
use super::map::Buffer;
use crate::DType;
use crate::view::Cell;

/// The elements that go through all steps at a time. Fewer than a block: the steps of a part are so
/// short that the processor fetches what the next one reads from memory while it still calculates.
/// `relu(a·b + c)` took 1.3 times as long with 1024, and as long as a loop written for it with 128 and
/// 256.
const PART: usize = 256;

/// Bytes between buffers. Without them two would begin pages apart, which a processor takes for the
/// same place at first sight. Elements stay aligned.
const APART: usize = 64;

/// A body of any number of inputs.
#[derive(Clone, Copy)]
pub(crate) enum AnyBody {
    One(Body<'static, 2>),
    Two(Body<'static, 3>),
    Three(Body<'static, 4>),
    Four(Body<'static, 5>),
}

impl AnyBody {
    /// The types of its blocks, output first.
    pub(crate) fn types(&self) -> Vec<DType> {
        match self {
            AnyBody::One(body) => body.types().to_vec(),
            AnyBody::Two(body) => body.types().to_vec(),
            AnyBody::Three(body) => body.types().to_vec(),
            AnyBody::Four(body) => body.types().to_vec(),
        }
    }

    /// As many of the values as it has inputs.
    fn inputs(self, values: &[Value; 4]) -> &[Value] {
        match self {
            AnyBody::One(_) => &values[..1],
            AnyBody::Two(_) => &values[..2],
            AnyBody::Three(_) => &values[..3],
            AnyBody::Four(_) => &values[..4],
        }
    }
}

/// Calls of bodies, one after the other.
pub(crate) struct Program {
    inputs: Vec<DType>,
    constants: Vec<Constant>,
    steps: Vec<Step>,
    /// The type of what each step gives.
    given: Vec<DType>,
    /// In which buffer a step puts it; the last one writes to the output.
    buffers: Vec<usize>,
    n_buffers: usize,
    /// The bytes from one buffer to the next.
    room: usize,
}

/// What a step works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// An input of the program.
    Input(usize),
    /// A number.
    Constant(usize),
    /// What a step gave.
    Step(usize),
}

struct Step {
    body: AnyBody,
    from: [Value; 4],
    /// The values that are one element which stands for all.
    still: BroadcastMask,
}

struct Constant {
    cell: Cell,
    /// The number as often as a block has elements, for bodies that want it so.
    block: Option<Box<Buffer>>,
}

impl Program {
    /// A program without steps for inputs of these types.
    pub(crate) fn new(inputs: Vec<DType>) -> Program {
        let (constants, steps, given) = (Vec::new(), Vec::new(), Vec::new());
        Program { inputs, constants, steps, given, buffers: Vec::new(), n_buffers: 0, room: 0 }
    }

    /// Whether there are no steps.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// A number to work on.
    pub(crate) fn constant(&mut self, cell: Cell) -> Value {
        self.constants.push(Constant { cell, block: None });
        Value::Constant(self.constants.len() - 1)
    }

    /// Calls a body on values, which are converted to what it knows.
    ///
    /// There is a value for each of its inputs; if not, this panics.
    pub(crate) fn call(&mut self, body: AnyBody, values: &[Value]) -> Value {
        let types = body.types();
        assert_eq!(values.len() + 1, types.len(), "a value for each input of the body");
        let mut from = [values[0]; 4];
        for (n, &value) in values.iter().enumerate() {
            let (is, known) = (self.dtype(value), types[n + 1]);
            from[n] = match is == known {
                true => value,
                false => self.push(AnyBody::One(cast(is, known)), [value; 4], known),
            };
        }
        self.push(body, from, types[0])
    }

    fn push(&mut self, body: AnyBody, from: [Value; 4], gives: DType) -> Value {
        let mut still = 0;
        for (n, value) in body.inputs(&from).iter().enumerate() {
            if let Value::Constant(constant) = *value {
                match body {
                    AnyBody::Two(_) => still |= 1 << (n + 1),
                    _ => self.constants[constant].repeat(),
                }
            }
        }
        self.steps.push(Step { body, from, still });
        self.given.push(gives);
        Value::Step(self.steps.len() - 1)
    }

    /// The type of a value.
    pub(crate) fn dtype(&self, value: Value) -> DType {
        match value {
            Value::Input(n) => self.inputs[n],
            Value::Constant(n) => self.constants[n].cell.dtype(),
            Value::Step(n) => self.given[n],
        }
    }

    /// The program as a body, which gives what the last step does.
    ///
    /// It has `N - 1` inputs and at least one step; if not, this panics.
    pub(crate) fn body<const N: usize>(&mut self) -> Body<'_, N> {
        assert_eq!(self.inputs.len() + 1, N, "as many inputs as the program has");
        let dtype = *self.given.last().expect("a program with steps");
        self.choose_buffers();
        let types = std::array::from_fn(|n| if n == 0 { dtype } else { self.inputs[n - 1] });
        // SAFETY: `run` is made for programs of `N - 1` inputs, which have these types.
        unsafe { Body::of_program(types, self, run::<N>) }
    }

    /// Gives every step a buffer that nobody needs any more.
    fn choose_buffers(&mut self) {
        let mut last_use = vec![0; self.steps.len()];
        for (at, step) in self.steps.iter().enumerate() {
            for value in step.body.inputs(&step.from) {
                if let Value::Step(n) = *value {
                    last_use[n] = at;
                }
            }
        }
        let mut free = Vec::new();
        (self.buffers, self.n_buffers) = (Vec::with_capacity(self.steps.len()), 0);
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
                    Value::Step(n) if last_use[n] == at => Some(self.buffers[n]),
                    _ => None,
                })
                .collect();
            done.sort_unstable();
            done.dedup();
            free.extend(done);
        }
        let widest = self.given.iter().map(|dtype| dtype.size()).max().unwrap_or(0);
        self.room = PART * widest + APART;
    }
}

impl Constant {
    fn repeat(&mut self) {
        let cell = &self.cell;
        self.block.get_or_insert_with(|| {
            let mut block = Box::new(Buffer::new());
            let size = cell.dtype().size();
            for i in 0..PART {
                // SAFETY: a buffer has room for `PART` elements of any type, of which this is one.
                unsafe { block.ptr().add(i * size).copy_from_nonoverlapping(cell.ptr(), size) };
            }
            block
        });
    }

    /// Where it is: a block of it, if there is one.
    fn ptr(&self) -> *const u8 {
        self.block.as_ref().map_or(self.cell.ptr(), |block| block.as_ptr())
    }
}

/// Runs a program for a block of any length.
///
/// # Safety
/// `program` must be a `&Program` of `N - 1` inputs whose buffers are chosen; the rest is that of
/// `Body::call` for its types, and nothing stands still.
unsafe fn run<const N: usize>(call: BlockCall<N>) {
    let BlockCall { blocks, len, .. } = call;
    // SAFETY: the caller's promise.
    let program = unsafe { call.context.cast::<Program>().as_ref() };
    let mut few = Buffer::new();
    let mut many = Vec::new();
    let buffers = match program.n_buffers * program.room {
        bytes if bytes <= size_of::<Buffer>() => few.ptr(),
        bytes => {
            many.resize_with(bytes.div_ceil(size_of::<Buffer>()), Buffer::new);
            many.as_mut_ptr().cast()
        }
    };
    for at in (0..len).step_by(PART) {
        // SAFETY: so many elements are left in all blocks, and there is room for all buffers.
        unsafe { program.run_part(&blocks, at, PART.min(len - at), buffers) };
    }
}

impl Program {
    /// # Safety
    /// The blocks must have `at + len` elements of the program's types, where `len` is at most `PART`;
    /// the rest is that of `run`. `buffers` must be writable for as many of `room` bytes as the program
    /// needs, and aligned for every type.
    unsafe fn run_part(&self, blocks: &[*mut u8], at: usize, len: usize, buffers: *mut u8) {
        // SAFETY: there are as many buffers as the program needs.
        let buffer = |step: usize| unsafe { buffers.add(self.buffers[step] * self.room) };
        for (n, step) in self.steps.iter().enumerate() {
            let is_last = n + 1 == self.steps.len();
            let dtype = self.given[n];
            let to = match is_last {
                // SAFETY: all blocks have so many elements.
                true => unsafe { blocks[0].add(at * dtype.size()) },
                false => buffer(n),
            };
            let from = step.from.map(|value| match value {
                // SAFETY: as above.
                Value::Input(n) => unsafe { blocks[n + 1].add(at * self.inputs[n].size()) },
                Value::Constant(n) => self.constants[n].ptr().cast_mut(),
                Value::Step(n) => buffer(n),
            });
            let [a, b, c, d] = from;
            // SAFETY: every value has the type that the body knows (`call`) and `len` elements: it is
            // a part of an input, a constant (repeated, or one that stands still, `push`), or was
            // given by a step whose buffer nobody has written to since (`choose_buffers`). What is
            // written is a buffer that none of them is; or the output, which is an input or shares
            // no element with it, and is written last.
            unsafe {
                match &step.body {
                    AnyBody::One(body) => body.call([to, a], len, 0),
                    AnyBody::Two(body) => body.call([to, a, b], len, step.still),
                    AnyBody::Three(body) => body.call([to, a, b, c], len, 0),
                    AnyBody::Four(body) => body.call([to, a, b, c, d], len, 0),
                }
            }
        }
    }
}

//! Functions on blocks of contiguous elements, with their element types erased.
//!
//! A body computes one block of output from blocks of input, elementwise; that of a closure, up to four. It knows the
//! dtypes it was made for; its caller must have compared them.

mod each_row;
mod in_place;
mod staged;

use super::comparison_loop::ComparisonLoop;
use super::complex_loop::{GroupedBinaryLoop, GroupedUnaryLoop};
use super::cpu::{self, BlockLoop, compiled};
use super::program::Program;
use crate::arrays::array_of;
use crate::dtype::MulAdd;
use crate::sync_ptr::SyncPtr;
use crate::{DType, Element};
use each_row::EachRow;
use in_place::{CHUNK_ELEMENTS, each_of_chunks};
use staged::call_staged;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// An elementwise function of `N` blocks, of which the first, or the first `n_outputs`, are outputs.
#[derive(Clone, Copy)]
pub(crate) struct Body<'f, const N: usize> {
    types: [DType; N],
    run: RunBlock<N>,
    /// More than one for closures only.
    n_outputs: u8,
    takes_broadcast: bool,
    /// Whether inputs that are broadcast or are an output are staged, see [`call_staged`].
    is_staged: bool,
    /// The first inputs, as many as are not staged if they are the output, because the loop takes them in place.
    n_in_place: u8,
    /// Whether the loop is an [`EachRow`].
    takes_rows: bool,
    /// The inputs that are not staged if all of them are broadcast, and no other one.
    scalars: BroadcastMask,
    /// A `&F` of a closure that is `Sync`, or a `&Program`, see [`Body::new`].
    context: SyncPtr<()>,
    closure: PhantomData<&'f ()>,
}

/// The loop of a body. Its arguments are those of one call.
pub(super) type RunBlock<const N: usize> = unsafe fn(BlockCall<N>);

/// The arguments of one call of a body.
#[derive(Clone, Copy)]
pub(super) struct BlockCall<const N: usize> {
    /// A reference to the closure or the program.
    pub context: *mut (),
    /// The blocks, outputs first.
    pub blocks: [*mut u8; N],
    /// The elements of each block.
    pub len: usize,
    pub broadcast: BroadcastMask,
    /// The number of rows: more than one only for a body that takes rows.
    pub n_rows: usize,
    /// The bytes from the block of a row to that of the next one.
    pub row_steps: [isize; N],
}

/// Which blocks are a single element that is broadcast: bit `n` for block `n`.
pub(crate) type BroadcastMask = u32;

/// Both inputs of a function of two elements.
const BOTH_BROADCAST: BroadcastMask = 0b110;

impl<'f, const N: usize> Body<'f, N> {
    /// Returns the dtypes of the blocks, outputs first.
    pub(crate) fn types(&self) -> [DType; N] {
        self.types
    }

    /// Returns the number of blocks that are outputs.
    pub(crate) fn n_outputs(&self) -> usize {
        self.n_outputs.into()
    }

    /// Whether an input may be a single element that is broadcast.
    pub(crate) fn takes_broadcast(&self) -> bool {
        self.takes_broadcast
    }

    /// Calls the function.
    ///
    /// # Safety
    /// - Block `n` must have `len` contiguous elements of `types()[n]`, aligned for it; or one element, if bit `n`
    ///   of `broadcast` is set, which is allowed for inputs only, and only if `takes_broadcast`.
    /// - Inputs must be initialised and readable, outputs writable.
    /// - An output must be the same block as an input, or share no element with it. Outputs must share no element with
    ///   each other.
    #[inline(always)]
    pub(crate) unsafe fn call(&self, blocks: [*mut u8; N], len: usize, broadcast: BroadcastMask) {
        let (context, row_steps) = (self.context.get(), [0; N]);
        let call = BlockCall { context, blocks, len, broadcast, n_rows: 1, row_steps };
        // SAFETY: `run` was made for these types and for this context, which lives for `'f`; the rest is
        // forwarded: same contract as this function.
        unsafe {
            if self.needs_stage(&call) {
                call_staged(self, call);
            } else {
                (self.run)(call);
            }
        }
    }

    /// Calls the function for each row: the blocks of a row are `row_steps` bytes after those of the row before.
    ///
    /// # Safety
    /// That of [`Body::call`] for each row.
    pub(crate) unsafe fn call_rows(
        &self,
        blocks: [*mut u8; N],
        [n_rows, len]: [usize; 2],
        row_steps: [isize; N],
        broadcast: BroadcastMask,
    ) {
        let context = self.context.get();
        let call = BlockCall { context, blocks, len, broadcast, n_rows, row_steps };
        if self.takes_rows && !self.needs_stage(&call) {
            // SAFETY: `run` was made for these types, for this context, which lives for `'f`, and for rows. An input that is
            // not the output in the first row is it in none, so none has to be staged. The rest is forwarded: same contract
            // as this function.
            return unsafe { (self.run)(call) };
        }
        for r in 0..n_rows as isize {
            // SAFETY: forwarded for row `r`.
            unsafe { self.call(array_of(|n| blocks[n].offset(r * row_steps[n])), len, broadcast) };
        }
    }

    /// Whether an input has to be staged before the loop is called.
    #[inline(always)]
    fn needs_stage(&self, call: &BlockCall<N>) -> bool {
        match self.is_staged {
            true if self.n_outputs > 1 => {
                let (outs, inputs) = call.blocks.split_at(self.n_outputs());
                inputs.iter().any(|input| outs.contains(input))
            }
            true => {
                let is_output =
                    |n: usize| call.blocks[n] == call.blocks[0] && !self.takes_in_place(n);
                let is_staged = call.broadcast != 0 && call.broadcast != self.scalars;
                is_staged || (1..N).any(is_output)
            }
            false => call.broadcast == BOTH_BROADCAST,
        }
    }

    /// Makes a body of a loop over contiguous blocks that do not overlap: inputs that are broadcast or are an output
    /// are staged.
    pub(super) fn new<F: Sync>(types: [DType; N], f: &'f F, run: RunBlock<N>) -> Body<'f, N> {
        let context = SyncPtr::new(ptr::from_ref(f).cast_mut().cast());
        Body {
            types,
            run,
            n_outputs: 1,
            takes_broadcast: N == 3,
            is_staged: true,
            n_in_place: 0,
            scalars: 0,
            takes_rows: false,
            context,
            closure: PhantomData,
        }
    }

    /// Returns a body whose first `n_outputs` blocks are outputs. It takes no input that is broadcast.
    pub(super) fn with_outputs(self, n_outputs: u8) -> Body<'f, N> {
        Body { n_outputs, takes_broadcast: false, ..self }
    }

    /// Returns a body whose loop takes an output that is the first input, if that has its dtype.
    pub(super) fn taking_first_in_place(self) -> Body<'f, N> {
        Body { n_in_place: (self.types[0] == self.types[1]).into(), ..self }
    }

    /// Whether input `n` is not staged if it is the output.
    #[inline(always)]
    fn takes_in_place(&self, n: usize) -> bool {
        (1..=usize::from(self.n_in_place)).contains(&n)
    }

    /// Returns a body whose loop takes some inputs as scalars, if all of them are broadcast and no other one.
    pub(super) fn taking_scalars(self, scalars: BroadcastMask) -> Body<'f, N> {
        Body { takes_broadcast: true, scalars, ..self }
    }

    /// Makes a body of a loop that takes broadcast inputs, and an input that is the output, without staging; unless
    /// both inputs are broadcast.
    pub(super) fn direct<F: Sync>(types: [DType; N], f: &'f F, run: RunBlock<N>) -> Body<'f, N> {
        Body { is_staged: false, ..Body::new(types, f, run) }
    }

    /// Makes a body of a loop that takes what that of [`Body::direct`] does, for each row of a call.
    fn of_rows<F: Sync, L>(types: [DType; N], f: &'f F) -> Body<'f, N>
    where
        L: for<'a> BlockLoop<Args<'a> = BlockCall<N>>,
    {
        Body { takes_rows: true, ..Body::direct(types, f, compiled::<EachRow<L, N>>()) }
    }

    /// Returns a body with the same loop for other dtypes, whose elements it reinterprets as elements of its own
    /// dtypes: every bit pattern is valid.
    ///
    /// # Panics
    /// If a size or an alignment differs.
    pub(super) fn with_bits_of(self, types: [DType; N]) -> Body<'f, N> {
        let layout = |dtype: DType| (dtype.size(), dtype.align());
        assert_eq!(
            types.map(layout),
            self.types.map(layout),
            "dtypes of the same size and alignment"
        );
        Body { types, ..self }
    }

    /// Makes a body of a program. It takes no input that is broadcast.
    ///
    /// # Safety
    /// `run` must do what [`Body::call`] promises for these types if its context is the program.
    pub(super) unsafe fn of_program(
        types: [DType; N],
        program: &'f Program,
        run: RunBlock<N>,
    ) -> Body<'f, N> {
        Body { takes_broadcast: false, ..Body::direct(types, program, run) }
    }
}

/// Returns a reference to a closure that captures nothing: it has size 0, so any aligned address is one.
pub(super) fn zero_sized<F: Copy + 'static>(f: F) -> &'static F {
    const { assert!(size_of::<F>() == 0, "a closure that captures nothing") };
    let _ = f;
    // SAFETY: a value of size 0 can be read from any aligned address; `f` shows that its type is inhabited.
    unsafe { NonNull::<F>::dangling().as_ref() }
}

impl<'f> Body<'f, 2> {
    /// Makes a body of a function of one element that captures nothing.
    pub(crate) fn unary<A: Element, O: Element, F>(f: F) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE];
        if const { has_direct_unary(A::DTYPE, O::DTYPE) } {
            Body::of_rows::<F, UnaryLoop<A, O, F, true>>(types, zero_sized(f))
        } else if const { is_complex(A::DTYPE) && is_complex(O::DTYPE) } {
            Body::new(types, zero_sized(f), compiled::<GroupedUnaryLoop<A, O, F>>())
        } else {
            Body::new(types, zero_sized(f), compiled::<UnaryLoop<A, O, F, false>>())
        }
    }

    /// Makes a body of a function of one element that is a call: no instruction set makes a loop of calls faster,
    /// so it is compiled for the baseline only.
    pub(crate) fn unary_calls<A: Element, O: Element, F>(f: F) -> Body<'static, 2>
    where
        F: Fn(A) -> O + Copy + Sync + 'static,
    {
        Body::unary_calls_with(zero_sized(f))
    }

    /// Like [`Body::unary_calls`], for a function that captures something.
    pub(crate) fn unary_calls_with<A: Element, O: Element, F>(f: &'f F) -> Body<'f, 2>
    where
        F: Fn(A) -> O + Sync,
    {
        Body::new([O::DTYPE, A::DTYPE], f, cpu::baseline::<UnaryLoop<A, O, F, false>>)
    }
}

impl Body<'static, 3> {
    /// Makes a body of a function of two elements that captures nothing.
    pub(crate) fn binary<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE];
        if const { is_common(A::DTYPE) && size_of::<A>() == 8 && size_of::<O>() == 1 } {
            Body::of_rows::<F, ComparisonLoop<A, B, O, F>>(types, zero_sized(f))
        } else if const { is_common(A::DTYPE) } {
            Body::of_rows::<F, BinaryLoop<A, B, O, F, true>>(types, zero_sized(f))
        } else if const { is_complex(A::DTYPE) && is_complex(B::DTYPE) && is_complex(O::DTYPE) } {
            Body::new(types, zero_sized(f), compiled::<GroupedBinaryLoop<A, B, O, F>>())
        } else {
            let n_in_place = if const { takes_bytes_in_place::<A, B, O>() } { 2 } else { 0 };
            let run = compiled::<BinaryLoop<A, B, O, F, false>>();
            Body { n_in_place, ..Body::new(types, zero_sized(f), run) }
        }
    }

    /// As [`Body::binary`], compiled for AVX-512 as well: for functions that take more time than memory does, such as divisions.
    pub(crate) fn binary_wide<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        if const { is_common(A::DTYPE) } {
            let types = [O::DTYPE, A::DTYPE, B::DTYPE];
            Body::of_rows::<F, BinaryLoop<A, B, O, F, true, true>>(types, zero_sized(f))
        } else {
            Body::binary(f)
        }
    }

    /// Makes a body of a function of two elements that is a call, compiled for the baseline only.
    pub(crate) fn binary_calls<A: Element, B: Element, O: Element, F>(f: F) -> Body<'static, 3>
    where
        F: Fn(A, B) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE];
        Body::new(types, zero_sized(f), cpu::baseline::<BinaryLoop<A, B, O, F, false>>)
    }
}

impl Body<'static, 4> {
    /// Makes a body of a function of three elements that captures nothing.
    pub(crate) fn ternary<A: Element, B: Element, C: Element, O: Element, F>(
        f: F,
    ) -> Body<'static, 4>
    where
        F: Fn(A, B, C) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE];
        Body::new(types, zero_sized(f), compiled::<TernaryLoop<A, B, C, O, F>>())
    }
}

impl Body<'static, 5> {
    /// Makes a body of a function of four elements that captures nothing.
    pub(crate) fn quaternary<A: Element, B: Element, C: Element, D: Element, O: Element, F>(
        f: F,
    ) -> Body<'static, 5>
    where
        F: Fn(A, B, C, D) -> O + Copy + Sync + 'static,
    {
        let types = [O::DTYPE, A::DTYPE, B::DTYPE, C::DTYPE, D::DTYPE];
        Body::new(types, zero_sized(f), compiled::<QuaternaryLoop<A, B, C, D, O, F>>())
    }
}

/// Whether loops over elements of this dtype are compiled once for each access to the operands (contiguous, broadcast,
/// in place). Each such loop takes as long to compile as the first one, so the other dtypes have only the contiguous
/// one, and other operands are staged.
const fn is_common(dtype: DType) -> bool {
    matches!(dtype, DType::Float32 | DType::Float64 | DType::Int32 | DType::Int64)
}

/// Whether a loop that is not `DIRECT` takes inputs that are the output: of bytes, of which a staged copy takes as long as the
/// function.
const fn takes_bytes_in_place<A: Element, B: Element, O: Element>() -> bool {
    let is_same = A::DTYPE as u8 == O::DTYPE as u8 && B::DTYPE as u8 == O::DTYPE as u8;
    is_same && size_of::<O>() == 1
}

/// Whether the elements of a dtype are complex numbers.
const fn is_complex(dtype: DType) -> bool {
    matches!(dtype, DType::Complex64 | DType::Complex128)
}

/// Whether there is a loop for an input that is the output: only if it has the same dtype, and a common one.
const fn has_direct_unary(input: DType, output: DType) -> bool {
    is_common(input) && input as u8 == output as u8
}

// The loops. The contract of each `run` is that of `Body::call` for the types in its parameters, with a reference to an
// `F` as the context; unless it is `DIRECT`, no block is broadcast, and no input is the output. There are thousands of
// copies: they are `while` loops over pointers because that is the shortest code for the compiler.

/// A function of one element.
pub(super) struct UnaryLoop<A, O, F, const DIRECT: bool>(PhantomData<(A, O, F)>);

impl<A, O, F, const DIRECT: bool> BlockLoop for UnaryLoop<A, O, F, DIRECT>
where
    A: Element,
    O: Element,
    F: Fn(A) -> O,
{
    type Args<'a> = BlockCall<2>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<2>) {
        let (out, a) = (call.blocks[0].cast::<O>(), call.blocks[1].cast::<A>());
        let mut i = 0;
        // SAFETY: the context is an `F`, and both blocks have `len` elements (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            // In place the addresses must be visibly the same, see `call_staged`.
            if DIRECT && call.blocks[0] == call.blocks[1] {
                while i < call.len {
                    out.add(i).write(f(out.cast::<A>().add(i).read()));
                    i += 1;
                }
            } else {
                while i < call.len {
                    out.add(i).write(f(a.add(i).read()));
                    i += 1;
                }
            }
        }
    }
}

/// A function of two elements; if `DIRECT`, either may be broadcast, and the first may be the output. If `WIDE`, it is compiled
/// for AVX-512 as well.
pub(super) struct BinaryLoop<A, B, O, F, const DIRECT: bool, const WIDE: bool = false>(
    PhantomData<(A, B, O, F)>,
);

impl<A, B, O, F, const DIRECT: bool, const WIDE: bool> BlockLoop
    for BinaryLoop<A, B, O, F, DIRECT, WIDE>
where
    A: Element,
    B: Element,
    O: Element,
    F: Fn(A, B) -> O,
{
    type Args<'a> = BlockCall<3>;

    const HAS_AVX512: bool = WIDE;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, a, b] = call.blocks;
        let (out, a, b) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>());
        let is_in_place = call.blocks[0] == call.blocks[1];
        let mut i = 0;
        // SAFETY: the context is an `F`. Blocks have `len` elements, or one if they are broadcast, which is then
        // read at position 0 (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            let may_be_output = const { DIRECT || takes_bytes_in_place::<A, B, O>() };
            let is_output = may_be_output && call.blocks[1..].contains(&call.blocks[0]);
            if !(is_output || DIRECT && call.broadcast != 0) {
                while i < call.len {
                    out.add(i).write(f(a.add(i).read(), b.add(i).read()));
                    i += 1;
                }
                return;
            }
            match if DIRECT { call.broadcast & 0b110 } else { 0 } {
                // One or both are the output.
                0 if const { size_of::<O>() == 1 } => {
                    each_of_chunks::<A, B, O, F, { 4 * CHUNK_ELEMENTS }>(f, out, a, b, call.len);
                }
                0 => each_of_chunks::<A, B, O, F, CHUNK_ELEMENTS>(f, out, a, b, call.len),
                0b100 if is_in_place => {
                    let y = b.read();
                    while i < call.len {
                        out.add(i).write(f(out.cast::<A>().add(i).read(), y));
                        i += 1;
                    }
                }
                0b100 => {
                    let y = b.read();
                    while i < call.len {
                        out.add(i).write(f(a.add(i).read(), y));
                        i += 1;
                    }
                }
                // Not both: these are staged.
                _ => {
                    let x = a.read();
                    while i < call.len {
                        out.add(i).write(f(x, b.add(i).read()));
                        i += 1;
                    }
                }
            }
        }
    }
}

/// A function of three elements.
pub(super) struct TernaryLoop<A, B, C, O, F>(PhantomData<(A, B, C, O, F)>);

impl<A, B, C, O, F> BlockLoop for TernaryLoop<A, B, C, O, F>
where
    A: Element,
    B: Element,
    C: Element,
    O: Element,
    F: Fn(A, B, C) -> O,
{
    type Args<'a> = BlockCall<4>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<4>) {
        let [out, a, b, c] = call.blocks;
        let (out, a, b, c) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>(), c.cast::<C>());
        let mut i = 0;
        // SAFETY: the context is an `F`, and all blocks have `len` elements (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            while i < call.len {
                out.add(i).write(f(a.add(i).read(), b.add(i).read(), c.add(i).read()));
                i += 1;
            }
        }
    }
}

/// A function of four elements.
struct QuaternaryLoop<A, B, C, D, O, F>(PhantomData<(A, B, C, D, O, F)>);

impl<A, B, C, D, O, F> BlockLoop for QuaternaryLoop<A, B, C, D, O, F>
where
    A: Element,
    B: Element,
    C: Element,
    D: Element,
    O: Element,
    F: Fn(A, B, C, D) -> O,
{
    type Args<'a> = BlockCall<5>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<5>) {
        let [out, a, b, c, d] = call.blocks;
        let (out, a, b) = (out.cast::<O>(), a.cast::<A>(), b.cast::<B>());
        let (c, d) = (c.cast::<C>(), d.cast::<D>());
        let mut i = 0;
        // SAFETY: the context is an `F`, and all blocks have `len` elements (`Body::call`).
        unsafe {
            let f = &*call.context.cast::<F>();
            while i < call.len {
                let (x, y) = (a.add(i).read(), b.add(i).read());
                out.add(i).write(f(x, y, c.add(i).read(), d.add(i).read()));
                i += 1;
            }
        }
    }
}

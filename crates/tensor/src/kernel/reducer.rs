//! Folds with their types erased, compiled for each instruction set that pays.

use super::cpu::{BlockLoop, compiled};
use super::fold::{
    Again, Block, Blocks, Fold, Once, Run, Setting, TOTAL_SIZE, Twice, slot, update,
};
use crate::dtype::MulAdd;
use crate::{DType, Value};
use std::marker::PhantomData;

/// A fold with its types erased. Totals are in slots of [`TOTAL_SIZE`] bytes.
#[derive(Clone, Copy)]
pub(crate) struct Reducer {
    input: DType,
    output: DType,
    setting: Setting,
    start: unsafe fn(*mut u8, usize),
    horizontal: unsafe fn((Run, *mut u8, Setting)),
    vertical: unsafe fn((Block, *mut u8, Setting)),
    merge: unsafe fn(*mut u8, *const u8, usize, Setting),
    finish: unsafe fn(*const u8, usize, *mut u8, Setting),
}

impl Reducer {
    /// A fold that sees each element once.
    pub(crate) fn of<F: Fold>() -> Reducer {
        Reducer::of_blocks::<Once<F>>()
    }

    /// A fold that sees each block twice.
    pub(crate) fn twice<F: Twice>() -> Reducer {
        Reducer::of_blocks::<Again<F>>()
    }

    /// A fold that has a way of its own with blocks.
    pub(super) fn of_blocks<B: Blocks>() -> Reducer {
        const {
            assert!(size_of::<B::Total>() <= TOTAL_SIZE && align_of::<B::Total>() <= TOTAL_SIZE);
        }
        let erased = Erased::<B>(PhantomData);
        Reducer {
            input: B::In::DTYPE,
            output: B::Out::DTYPE,
            setting: Setting::NONE,
            start: erased.start(),
            horizontal: compiled::<Horizontal<B>>(),
            vertical: compiled::<Vertical<B>>(),
            merge: erased.merge(),
            finish: erased.finish(),
        }
    }

    /// The same fold, told something.
    pub(crate) fn with(self, setting: Setting) -> Reducer {
        Reducer { setting, ..self }
    }

    /// The type of what is folded.
    pub(crate) fn input(&self) -> DType {
        self.input
    }

    /// The type of the result.
    pub(crate) fn output(&self) -> DType {
        self.output
    }

    /// Makes totals that have taken up nothing.
    ///
    /// # Safety
    /// There must be room for `n` slots, aligned to their size.
    pub(super) unsafe fn start(&self, totals: *mut u8, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { (self.start)(totals, n) }
    }

    /// Takes a run up into a total.
    ///
    /// # Safety
    /// The run must be readable elements of the input type, and the total started.
    pub(super) unsafe fn horizontal(&self, run: Run, total: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.horizontal)((run, total, self.setting)) }
    }

    /// Takes each column of a block up into a total of its own.
    ///
    /// # Safety
    /// The rows must be readable elements of the input type, there must be as many totals as
    /// columns, all started, and at most [`COLS`] of them.
    pub(super) unsafe fn vertical(&self, block: Block, totals: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.vertical)((block, totals, self.setting)) }
    }

    /// Joins totals with others.
    ///
    /// # Safety
    /// Both must be `n` slots that were started.
    pub(super) unsafe fn merge(&self, totals: *mut u8, others: *const u8, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { (self.merge)(totals, others, n, self.setting) }
    }

    /// Writes the result of a total that has taken up `count` elements.
    ///
    /// # Safety
    /// The total must have been started, and `out` be writable for an element of the output type.
    pub(super) unsafe fn finish(&self, total: *const u8, count: usize, out: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.finish)(total, count, out, self.setting) }
    }
}

/// The functions of a fold that are not worth a copy for each instruction set.
struct Erased<B>(PhantomData<B>);

impl<B: Blocks> Erased<B> {
    fn start(&self) -> unsafe fn(*mut u8, usize) {
        |totals, n| {
            for i in 0..n {
                // SAFETY: `Reducer::start` asks for room for `n` slots.
                unsafe { slot::<B>(totals, i).write(B::TOTAL) };
            }
        }
    }

    fn merge(&self) -> unsafe fn(*mut u8, *const u8, usize, Setting) {
        |totals, others, n, setting| {
            for i in 0..n {
                // SAFETY: `Reducer::merge` asks for `n` started slots on both sides.
                unsafe {
                    let other = slot::<B>(others.cast_mut(), i).read();
                    update::<B>(totals, i, |total| B::merge(total, other, setting));
                }
            }
        }
    }

    fn finish(&self) -> unsafe fn(*const u8, usize, *mut u8, Setting) {
        |total, count, out, setting| {
            // SAFETY: `Reducer::finish` asks for a started slot and an element to write.
            unsafe {
                let total = slot::<B>(total.cast_mut(), 0).read();
                out.cast::<B::Out>().write(B::finish(total, count, setting));
            }
        }
    }
}

/// The loop of a horizontal block.
struct Horizontal<B>(PhantomData<B>);

impl<B: Blocks> BlockLoop for Horizontal<B> {
    type Args<'a> = (Run, *mut u8, Setting);

    /// # Safety
    /// That of `Reducer::horizontal`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((run, total, setting): (Run, *mut u8, Setting)) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            let total = slot::<B>(total, 0);
            total.write(B::run::<M>(run, total.read(), setting));
        }
    }
}

/// The loop of a vertical block.
struct Vertical<B>(PhantomData<B>);

impl<B: Blocks> BlockLoop for Vertical<B> {
    type Args<'a> = (Block, *mut u8, Setting);

    /// # Safety
    /// That of `Reducer::vertical`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((block, totals, setting): (Block, *mut u8, Setting)) {
        // SAFETY: forwarded: same contract as this function.
        unsafe { B::rows::<M>(block, totals, setting) }
    }
}

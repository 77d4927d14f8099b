//! Reductions with their element types erased, compiled for each instruction set.

use super::cpu::{BlockLoop, compiled};
use super::raw_slice::RawSlice;
use super::reduction::{
    BlockReduction, EqualRuns, MAX_COLS, OnePass, OnePassReduction, Setting, TwoPass,
    TwoPassReduction,
};
use super::row_block::{RowBlock, TypedRows};
use crate::dtype::MulAdd;
use crate::{DType, Value};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// A reduction with its types erased.
#[derive(Clone, Copy)]
pub(crate) struct Reducer {
    /// The dtype of the elements.
    input: DType,
    setting: Setting,
    functions: &'static (dyn Functions + Sync),
    horizontal: RunsFunction,
    vertical: RowsFunction,
    ends_early: bool,
}

type RunsFunction = unsafe fn((EqualRuns, &mut [Slot], Setting));
type RowsFunction = unsafe fn((RowBlock, &mut [Slot], Setting));

impl Reducer {
    /// Makes a reducer of a reduction that sees each element once.
    pub(super) fn one_pass<R: OnePassReduction>() -> Reducer {
        Reducer::of_blocks::<OnePass<R>>()
    }

    /// Makes a reducer of a reduction that sees each block twice.
    pub(super) fn two_pass<R: TwoPassReduction>() -> Reducer {
        Reducer::of_blocks::<TwoPass<R>>()
    }

    /// Like [`Reducer::one_pass`], with the loops of another reduction `L`: elements are cast to its element type first.
    pub(super) fn one_pass_in<R, L>() -> Reducer
    where
        R: OnePassReduction,
        L: OnePassReduction<Total = R::Total>,
    {
        Reducer::with_loops_of::<OnePass<R>, OnePass<L>>()
    }

    /// Like [`Reducer::two_pass`], with the loops of another reduction `L`: elements are cast to its element type first.
    pub(super) fn two_pass_in<R, L>() -> Reducer
    where
        R: TwoPassReduction,
        L: TwoPassReduction<Total = R::Total>,
    {
        Reducer::with_loops_of::<TwoPass<R>, TwoPass<L>>()
    }

    /// Makes a reducer of a reduction of blocks.
    pub(super) fn of_blocks<B: BlockReduction>() -> Reducer {
        Reducer::with_loops_of::<B, B>()
    }

    fn with_loops_of<B: BlockReduction, L: BlockReduction<Total = B::Total>>() -> Reducer {
        Reducer {
            input: L::In::DTYPE,
            setting: Setting::NONE,
            functions: const { &Erased::<B>(PhantomData) },
            horizontal: compiled::<Horizontal<L>>(),
            vertical: compiled::<Vertical<L>>(),
            ends_early: B::ENDS_EARLY,
        }
    }

    /// Returns the same reduction with other parameters.
    pub(crate) fn with(self, setting: Setting) -> Reducer {
        Reducer { setting, ..self }
    }

    /// Returns the same reduction for another dtype, whose elements it reinterprets as elements of its own dtype: every
    /// bit pattern is valid.
    ///
    /// # Panics
    /// If the size or the alignment differs.
    pub(super) fn with_bits_of(self, dtype: DType) -> Reducer {
        let layout = |dtype: DType| (dtype.size(), dtype.align());
        assert_eq!(layout(dtype), layout(self.input), "dtypes of the same size and alignment");
        Reducer { input: dtype, ..self }
    }

    /// Returns the dtype of the elements.
    pub(crate) fn input(&self) -> DType {
        self.input
    }

    /// Returns the dtype of the result.
    pub(crate) fn output(&self) -> DType {
        self.functions.output()
    }

    /// Whether a total may become final before all elements are read.
    pub(super) fn ends_early(&self) -> bool {
        self.ends_early
    }

    /// Returns the same reduction, which reads all elements.
    pub(super) fn to_the_end(self) -> Reducer {
        Reducer { ends_early: false, ..self }
    }
}

/// Elements that a reduction which may end early reads first.
pub(super) const FIRST_ELEMENTS: usize = 64;

/// Bytes of a slot.
const SLOT_BYTES: usize = 32;

/// Room for the total of any reduction.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Slot(MaybeUninit<[u8; SLOT_BYTES]>);

impl Slot {
    pub(super) const EMPTY: Slot = Slot(MaybeUninit::uninit());

    /// Returns empty slots, without a loop that writes them.
    #[inline(always)]
    pub(super) fn empty<const N: usize>() -> [Slot; N] {
        // SAFETY: a slot may be uninitialised.
        unsafe { MaybeUninit::<[Slot; N]>::uninit().assume_init() }
    }

    #[inline(always)]
    fn put<T: Copy>(&mut self, total: T) {
        const { assert!(size_of::<T>() <= SLOT_BYTES && align_of::<T>() <= align_of::<Slot>()) };
        // SAFETY: a slot is as large and as aligned as the total, see the assertion.
        unsafe { self.0.as_mut_ptr().cast::<T>().write(total) };
    }

    /// # Safety
    /// The slot must hold a `T`.
    #[inline(always)]
    unsafe fn get<T: Copy>(&self) -> T {
        // SAFETY: forwarded: same contract as this function.
        unsafe { self.0.as_ptr().cast::<T>().read() }
    }
}

/// Slots that hold totals of type `T`.
pub(super) struct TypedTotals<'a, T> {
    slots: &'a mut [Slot],
    totals: PhantomData<T>,
}

impl<'a, T: Copy> TypedTotals<'a, T> {
    /// # Safety
    /// All slots must hold a `T`.
    #[inline(always)]
    unsafe fn new(slots: &'a mut [Slot]) -> TypedTotals<'a, T> {
        TypedTotals { slots, totals: PhantomData }
    }

    /// Returns total `i`.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> T {
        // SAFETY: all slots hold a `T` (`new`, and `set`).
        unsafe { self.slots[i].get::<T>() }
    }

    /// Replaces total `i`.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, total: T) {
        self.slots[i].put(total);
    }
}

/// Totals of a reducer, in slots that are borrowed. All of them are initialised.
pub(super) struct Accumulators<'a> {
    reducer: Reducer,
    slots: &'a mut [Slot],
}

impl<'a> Accumulators<'a> {
    /// Makes totals of no elements.
    pub(super) fn new(reducer: &Reducer, slots: &'a mut [Slot]) -> Accumulators<'a> {
        reducer.functions.start(slots);
        Accumulators { reducer: *reducer, slots }
    }

    /// Returns the number of totals.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns total `i` alone.
    pub(super) fn one(&mut self, i: usize) -> Accumulators<'_> {
        Accumulators { reducer: self.reducer, slots: &mut self.slots[i..=i] }
    }

    /// Makes all of them totals of no elements again.
    pub(super) fn restart(&mut self) {
        self.reducer.functions.start(self.slots);
    }

    /// Accumulates each run into a total of its own, of which there are as many as runs.
    ///
    /// # Safety
    /// The runs must be readable elements of the reducer's input type, aligned for it.
    #[inline]
    pub(super) unsafe fn add_runs(&mut self, runs: EqualRuns) {
        // SAFETY: the slots hold totals of this reducer, as all do; the rest is forwarded: same contract as this
        // function.
        unsafe { (self.reducer.horizontal)((runs, self.slots, self.reducer.setting)) }
    }

    /// Accumulates column `c` of a block into total `c`.
    ///
    /// # Panics
    /// If there are fewer totals than columns, or more than [`MAX_COLS`] columns.
    ///
    /// # Safety
    /// The rows must be readable elements of the reducer's input type, aligned for it.
    #[inline]
    pub(super) unsafe fn add_rows(&mut self, block: RowBlock) {
        let slots = &mut self.slots[..block.cols];
        assert!(block.cols <= MAX_COLS, "{} columns at once", block.cols);
        // SAFETY: the slots hold totals of this reducer, as all do; the rest is forwarded: same contract as this
        // function.
        unsafe { (self.reducer.vertical)((block, slots, self.reducer.setting)) }
    }

    /// Merges some totals of the same reduction into those from `first` on.
    pub(super) fn merge(&mut self, first: usize, others: &Accumulators<'_>, range: Range<usize>) {
        let Reducer { functions, setting, .. } = self.reducer;
        assert_eq!(functions.id(), others.reducer.functions.id(), "totals of one reduction");
        let others = &others.slots[range];
        // SAFETY: all slots on both sides hold totals of this reduction.
        unsafe { functions.merge(&mut self.slots[first..][..others.len()], others, setting) }
    }

    /// Merges the totals from `from` on into the first `n` totals, which come before them.
    pub(super) fn merge_within(&mut self, from: usize, n: usize) {
        let Reducer { functions, setting, .. } = self.reducer;
        let (totals, others) = self.slots.split_at_mut(from);
        // SAFETY: all slots on both sides hold totals of this reduction.
        unsafe { functions.merge(&mut totals[..n], &others[..n], setting) }
    }

    /// Replaces each total by that of `n` copies of its elements.
    pub(super) fn repeat(&mut self, n: usize) {
        if n > 1 {
            let Reducer { functions, setting, .. } = self.reducer;
            // SAFETY: all slots hold totals of this reduction.
            unsafe { functions.repeat(self.slots, n, setting) }
        }
    }

    /// Returns how many elements to accumulate after the first `from` ones before asking whether the total is final: few
    /// at first, because `any` and `all` are often decided by the first ones.
    #[inline]
    pub(super) fn elements_at_once(&self, from: usize, most: usize) -> usize {
        match self.reducer.ends_early {
            true => from.saturating_mul(4).clamp(FIRST_ELEMENTS, most),
            false => most,
        }
    }

    /// Whether no further element changes a total.
    #[inline]
    pub(super) fn are_final(&self) -> bool {
        let Reducer { functions, setting, .. } = self.reducer;
        // SAFETY: all slots hold totals of this reduction.
        self.reducer.ends_early && unsafe { functions.are_final(self.slots, setting) }
    }

    /// Writes the result of total `i`, which is of `count` elements.
    ///
    /// # Safety
    /// `out` must be writable for an element of the reducer's output type, and aligned for it.
    #[inline]
    pub(super) unsafe fn finish(&self, i: usize, count: usize, out: *mut u8) {
        let Reducer { functions, setting, .. } = self.reducer;
        // SAFETY: the slot holds a total of this reduction; the rest is forwarded: same contract as this function.
        unsafe { functions.finish(&self.slots[i..=i], count, out, 0, setting) }
    }

    /// Writes the results of all totals, each of which is of `count` elements, `step` bytes apart.
    ///
    /// # Safety
    /// `out` and the addresses that steps lead to must be writable for an element of the reducer's output type, and
    /// aligned for it.
    #[inline]
    pub(super) unsafe fn finish_all(&self, count: usize, out: *mut u8, step: isize) {
        let Reducer { functions, setting, .. } = self.reducer;
        // SAFETY: the slots hold totals of this reduction; the rest is forwarded: same contract as this function.
        unsafe { functions.finish(self.slots, count, out, step, setting) }
    }
}

/// The functions of a reduction that are not worth a copy for each instruction set.
trait Functions {
    /// Identifies the reduction.
    fn id(&self) -> TypeId;

    /// Returns the dtype of the result.
    fn output(&self) -> DType;

    /// Puts the total of no elements into each slot.
    fn start(&self, slots: &mut [Slot]);

    /// Merges each total with another.
    ///
    /// # Safety
    /// All slots must hold totals of this reduction.
    unsafe fn merge(&self, totals: &mut [Slot], others: &[Slot], setting: Setting);

    /// Replaces each total by that of `n` copies of its elements.
    ///
    /// # Safety
    /// All slots must hold totals of this reduction.
    unsafe fn repeat(&self, totals: &mut [Slot], n: usize, setting: Setting);

    /// Whether all totals are final.
    ///
    /// # Safety
    /// All slots must hold totals of this reduction.
    unsafe fn are_final(&self, totals: &[Slot], setting: Setting) -> bool;

    /// Writes the result of each total, `step` bytes apart.
    ///
    /// # Safety
    /// All slots must hold totals of this reduction, and `out` and the addresses that steps lead to be writable for an
    /// element of the output type and aligned for it.
    unsafe fn finish(
        &self,
        totals: &[Slot],
        count: usize,
        out: *mut u8,
        step: isize,
        setting: Setting,
    );
}

/// The [`Functions`] of a reduction.
struct Erased<B>(PhantomData<fn() -> B>);

impl<B: BlockReduction> Functions for Erased<B> {
    fn id(&self) -> TypeId {
        TypeId::of::<B>()
    }

    fn output(&self) -> DType {
        B::Out::DTYPE
    }

    fn start(&self, slots: &mut [Slot]) {
        let mut i = 0;
        while i < slots.len() {
            slots[i].put(B::TOTAL);
            i += 1;
        }
    }

    unsafe fn merge(&self, totals: &mut [Slot], others: &[Slot], setting: Setting) {
        // SAFETY: forwarded: same contract as this function.
        let mut totals = unsafe { TypedTotals::<B::Total>::new(totals) };
        let mut i = 0;
        while i < others.len() {
            // SAFETY: as above.
            let other = unsafe { others[i].get::<B::Total>() };
            totals.set(i, B::merge(totals.get(i), other, setting));
            i += 1;
        }
    }

    unsafe fn repeat(&self, totals: &mut [Slot], n: usize, setting: Setting) {
        // SAFETY: forwarded: same contract as this function.
        let mut totals = unsafe { TypedTotals::<B::Total>::new(totals) };
        let mut i = 0;
        while i < totals.slots.len() {
            totals.set(i, repeated::<B>(totals.get(i), n, setting));
            i += 1;
        }
    }

    unsafe fn are_final(&self, totals: &[Slot], setting: Setting) -> bool {
        // SAFETY: forwarded: same contract as this function.
        totals.iter().all(|it| B::is_final(unsafe { it.get::<B::Total>() }, setting))
    }

    unsafe fn finish(
        &self,
        totals: &[Slot],
        count: usize,
        out: *mut u8,
        step: isize,
        setting: Setting,
    ) {
        let mut i = 0;
        while i < totals.len() {
            // SAFETY: forwarded: same contract as this function.
            unsafe {
                let result = B::finish(totals[i].get::<B::Total>(), count, setting);
                out.offset(i as isize * step).cast::<B::Out>().write(result);
            }
            i += 1;
        }
    }
}

/// Returns the total of `n` copies of the elements of a total: it is doubled as often as `n` has bits, which rounds less
/// often than `n` additions.
fn repeated<B: BlockReduction>(total: B::Total, n: usize, setting: Setting) -> B::Total {
    let (mut result, mut doubled, mut rest) = (B::TOTAL, total, n);
    while rest > 0 {
        if rest & 1 == 1 {
            result = B::merge(result, doubled, setting);
        }
        rest >>= 1;
        if rest > 0 {
            doubled = B::merge(doubled, doubled, setting);
        }
    }
    result
}

/// The loop over runs.
struct Horizontal<B>(PhantomData<B>);

impl<B: BlockReduction> BlockLoop for Horizontal<B> {
    type Args<'a> = (EqualRuns, &'a mut [Slot], Setting);

    const HAS_AVX2: bool = B::HAS_AVX2;
    const HAS_AVX512: bool = B::RUNS_HAVE_AVX512;

    /// # Safety
    /// There must be a run for each slot. The runs must be readable elements of type `B::In`, aligned for it, and the slots
    /// hold a `B::Total`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((runs, slots, setting): (EqualRuns, &mut [Slot], Setting)) {
        let mut i = 0;
        while i < slots.len() {
            let at = runs.at.wrapping_offset(i as isize * runs.run_step);
            // SAFETY: forwarded: same contract as this function.
            let (elements, total) = unsafe {
                (RawSlice::new(at.cast::<B::In>(), runs.len), slots[i].get::<B::Total>())
            };
            slots[i].put(B::run::<M>(elements, runs.positions, total, setting));
            i += 1;
        }
    }
}

/// The loop over a block of rows.
struct Vertical<B>(PhantomData<B>);

impl<B: BlockReduction> BlockLoop for Vertical<B> {
    type Args<'a> = (RowBlock, &'a mut [Slot], Setting);

    const HAS_AVX2: bool = B::HAS_AVX2;
    const HAS_AVX512: bool = B::ROWS_HAVE_AVX512;

    /// # Safety
    /// The rows must be readable elements of type `B::In`, aligned for it, and all slots hold a `B::Total`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((block, slots, setting): (RowBlock, &mut [Slot], Setting)) {
        // SAFETY: forwarded: same contract as this function.
        let (rows, totals) = unsafe { (TypedRows::new(block), TypedTotals::new(slots)) };
        B::rows::<M>(rows, totals, setting);
    }
}

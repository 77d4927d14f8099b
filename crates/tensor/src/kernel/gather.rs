//! Gather, scatter and scatter-add: elements at a list of offsets are read, written or added to.
//!
//! **The problem.** One operand, the *indexed* one, has axes that a list of offsets goes over, and others
//! that are taken whole; the other operand, the *dense* one, has a position for each offset of the list, and
//! the same other axes. Strides are arbitrary on both sides.
//!
//! **The plain solution** loops over the list, and for each offset over the other axes. This one differs in
//! three points. Elements that are contiguous on both sides go by `memcpy`. Axes with larger strides than
//! the positions of the list are looped over outside of it, so that gathering columns reads each row once.
//! And threads divide the list when no element is written twice, else the other axes, or, when these are
//! short, the range of offsets: either way an element belongs to one thread, so the order in which it is
//! written to is the order of the list, for every number of threads.

use super::copy::copy_row;
use super::gather_offsets::GatherOffsets;
use crate::dtype::{Number, NumberTask};
use crate::plan::{Loop, LoopNest, piece_of, pieces_for, row_major_steps};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Axis, DType, Element, Layout, pool};
use std::ops::Range;

/// Bytes of a row that is worth splitting.
const LONG_ROW_BYTES: usize = 4096;

/// With fewer threads, scanning the whole list on each of them costs more than it gains.
const MIN_THREADS_BY_OFFSET: usize = 4;

/// Gathers: reads the elements at a list of offsets. `source` has the indexed axes, then others; `out` has
/// the axes of the list, then the same others.
///
/// # Panics
/// If the types or shapes differ: the caller has compared them.
pub(crate) fn gather<'x>(
    out: AnyViewMut<'x>,
    source: &AnyView<'_>,
    offsets: &GatherOffsets,
) -> Written<'x> {
    assert_eq!(out.dtype(), source.dtype(), "elements are not converted");
    let loops = GatherLoops::new(out.layout(), source.layout(), offsets, ListOrder::Any);
    let (size, dense, indexed) = (out.dtype().size(), out.ptr().as_ptr(), source.ptr().as_ptr());
    let transfer = transfer_of::<GatherLoad>(size, dense, indexed);
    let (dense, indexed) = (SyncPtr::new(dense), SyncPtr::new(indexed));
    let job = GatherJob { dense, indexed, size, transfer };
    // SAFETY: the loops were made from the layouts of the two views, which are borrowed while this runs and
    // share no element. Each position of the output is written once.
    unsafe { loops.run(&job, offsets, true) };
    // SAFETY: there is an offset for each position of the output, and all have just been copied.
    unsafe { out.written() }
}

/// Scatters: writes to the elements at a list of offsets; of equal offsets the last one wins. `out` has the
/// indexed axes, then others; `values` has the axes of the list, then the same others.
///
/// # Panics
/// If the types or shapes differ: the caller has compared them.
pub(crate) fn scatter(out: AnyViewMut<'_>, values: &AnyView<'_>, offsets: &GatherOffsets) {
    assert_eq!(out.dtype(), values.dtype(), "elements are not converted");
    let size = out.dtype().size();
    let transfer = transfer_of::<ScatterStore>(size, values.ptr().as_ptr(), out.ptr().as_ptr());
    scatter_with(out, values, offsets, transfer);
}

/// Scatter-adds: adds to the elements at a list of offsets, as often as each is listed. The operands are
/// those of [`scatter`].
///
/// # Panics
/// If the types or shapes differ, or the elements are not numbers: the caller has compared them.
pub(crate) fn scatter_add(out: AnyViewMut<'_>, values: &AnyView<'_>, offsets: &GatherOffsets) {
    assert_eq!(out.dtype(), values.dtype(), "elements are not converted");
    let transfer = adding_transfer(out.dtype());
    scatter_with(out, values, offsets, transfer);
}

/// Returns the function that adds elements.
///
/// # Panics
/// If the elements are not numbers.
pub(super) fn adding_transfer(dtype: DType) -> TransferRun {
    struct AddTask;

    impl NumberTask for AddTask {
        type Output = TransferRun;

        fn run<T: Element<Wide: Number>>(self) -> TransferRun {
            transfer_run::<T, ScatterAdd>
        }
    }

    dtype.with_number(AddTask).expect("numbers can be added")
}

/// Transfers values to the elements at a list of offsets.
fn scatter_with(
    out: AnyViewMut<'_>,
    values: &AnyView<'_>,
    offsets: &GatherOffsets,
    transfer: TransferRun,
) {
    let loops = GatherLoops::new(values.layout(), out.layout(), offsets, ListOrder::Listed);
    let (dense, indexed) = (values.ptr().as_ptr(), out.ptr().as_ptr());
    let (dense, indexed) = (SyncPtr::new(dense), SyncPtr::new(indexed));
    let job = GatherJob { dense, indexed, size: out.dtype().size(), transfer };
    // SAFETY: the loops were made from the layouts of the two views, which are borrowed while this runs and
    // share no element. The output is injective, so different positions of the other axes, and different
    // offsets, lead to different elements; the list is divided only if its offsets are unique.
    unsafe { loops.run(&job, offsets, offsets.is_unique()) };
}

/// What is done with an element of the dense operand and one of the indexed operand.
pub(super) trait Transfer<E> {
    /// Whether the indexed operand is read and the dense one is written (gather); otherwise the dense one is read and
    /// the indexed one is written (scatter).
    const IS_GATHER: bool;

    /// The function of the old element and the value that is written; `None` if the value is.
    const COMBINE: Option<fn(old: E, value: E) -> E> = None;

    /// Returns the address that is written and the one that is read.
    #[inline(always)]
    fn ordered(dense: *mut E, indexed: *mut E) -> (*mut E, *mut E) {
        if Self::IS_GATHER { (dense, indexed) } else { (indexed, dense) }
    }

    /// Transfers one element.
    ///
    /// # Safety
    /// Both must be elements: the one that the transfer reads readable; the one it writes writable, and readable if the
    /// transfer combines.
    #[inline(always)]
    unsafe fn one(dense: *mut E, indexed: *mut E) {
        let (to, from) = Self::ordered(dense, indexed);
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            to.write(match Self::COMBINE {
                Some(combine) => combine(to.read(), from.read()),
                None => from.read(),
            });
        }
    }

    /// Transfers contiguous elements.
    ///
    /// # Safety
    /// The contract of `one` for each of them, and the two sides must share none.
    #[inline(always)]
    unsafe fn block(dense: *mut E, indexed: *mut E, len: usize)
    where
        E: Copy,
    {
        let (to, from) = Self::ordered(dense, indexed);
        // SAFETY: forwarded: same contract as this function, for `len` elements, of which `i` is one.
        unsafe {
            match Self::COMBINE {
                Some(_) => (0..len).for_each(|i| Self::one(dense.add(i), indexed.add(i))),
                None => copy_row(to, from, len),
            }
        }
    }
}

/// Copies from the indexed operand to the dense one.
pub(super) struct GatherLoad;
/// Copies from the dense operand to the indexed one.
pub(super) struct ScatterStore;
/// Adds the dense operand to the indexed one.
struct ScatterAdd;

impl<E: Copy> Transfer<E> for GatherLoad {
    const IS_GATHER: bool = true;
}

impl<E: Copy> Transfer<E> for ScatterStore {
    const IS_GATHER: bool = false;
}

impl<T: Element<Wide: Number>> Transfer<T> for ScatterAdd {
    const IS_GATHER: bool = false;
    const COMBINE: Option<fn(T, T) -> T> =
        Some(|old, value| T::narrow(old.widen().plus(value.widen())));
}

/// Transfers a run of the list: the dense and the indexed operand, the offsets, the run (with the steps of the
/// dense operand and of the offsets), and the loops inside it (with the steps of both operands).
pub(super) type TransferRun = unsafe fn(*mut u8, *mut u8, *const isize, &Loop<2>, &[Loop<2>]);

/// Returns the function that copies elements of `size` bytes, of any type.
pub(super) fn transfer_of<K>(size: usize, dense: *mut u8, indexed: *mut u8) -> TransferRun
where
    K: Transfer<u8> + Transfer<u16> + Transfer<u32> + Transfer<u64>,
    K: Transfer<[u32; 2]> + Transfer<[u64; 2]>,
{
    match size {
        1 => transfer_run::<u8, K>,
        2 => transfer_run::<u16, K>,
        4 => transfer_run::<u32, K>,
        // A complex number of two floats of four bytes is aligned to four.
        8 if (dense.addr() | indexed.addr()).is_multiple_of(8) => transfer_run::<u64, K>,
        8 => transfer_run::<[u32; 2], K>,
        16 => transfer_run::<[u64; 2], K>,
        _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
    }
}

/// # Safety
/// - `list` must have an offset for each iteration of the run;
/// - all that the offsets and the loops lead to must be elements of the size and alignment of `E`, readable or
///   writable as `Transfer::one` of `K` requires.
unsafe fn transfer_run<E: Copy, K: Transfer<E>>(
    dense: *mut u8,
    indexed: *mut u8,
    list: *const isize,
    run: &Loop<2>,
    inner: &[Loop<2>],
) {
    let (dense, indexed) = (dense.cast::<E>(), indexed.cast::<E>());
    let [step, list_step] = run.steps;
    // Position `at` of the dense operand, and `nth` of the list.
    let transfer = move |at: isize, nth: isize, inner: &[Loop<2>]| {
        // SAFETY: the calls below pass positions of the run's iterations, for which the contract holds.
        unsafe {
            let (dense, indexed) = (dense.offset(at), indexed.offset(list.offset(nth).read()));
            match inner {
                [] => K::one(dense, indexed),
                _ => transfer_loops::<E, K>(dense, indexed, inner),
            }
        }
    };
    let iterations = 0..run.len as isize;
    // A loop of its own for each case: a branch for each element would take longer than the element.
    match inner {
        [] if run.steps == [1, 1] => iterations.for_each(|i| transfer(i, i, &[])),
        [] => iterations.for_each(|i| transfer(i * step, i * list_step, &[])),
        _ => iterations.for_each(|i| transfer(i * step, i * list_step, inner)),
    }
}

/// # Safety
/// The contract of `transfer_run`, for all elements that the loops lead to.
unsafe fn transfer_loops<E: Copy, K: Transfer<E>>(
    dense: *mut E,
    indexed: *mut E,
    loops: &[Loop<2>],
) {
    // SAFETY: forwarded: same contract as this function, for the iterations of the loops.
    unsafe {
        match loops {
            [] => K::one(dense, indexed),
            [Loop { len, steps: [1, 1] }] => K::block(dense, indexed, *len),
            [Loop { len, steps }] => {
                for i in 0..*len as isize {
                    K::one(dense.offset(i * steps[0]), indexed.offset(i * steps[1]));
                }
            }
            [Loop { len, steps }, rest @ ..] => {
                for i in 0..*len as isize {
                    let (dense, indexed) =
                        (dense.offset(i * steps[0]), indexed.offset(i * steps[1]));
                    transfer_loops::<E, K>(dense, indexed, rest);
                }
            }
        }
    }
}

/// Whether the list may be visited in any order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListOrder {
    Any,
    Listed,
}

/// The loops over the list, and over the axes that are taken whole.
struct GatherLoops {
    /// Over the dense operand and the list.
    list: LoopNest<2>,
    /// Over the dense operand and the indexed one.
    whole: LoopNest<2>,
    /// The step of the list in memory: loops with greater steps go outside of it.
    step: usize,
}

/// The memory of a gather or scatter, shared by several threads.
struct GatherJob {
    dense: SyncPtr<u8>,
    indexed: SyncPtr<u8>,
    size: usize,
    transfer: TransferRun,
}

impl GatherLoops {
    /// Plans the loops.
    ///
    /// # Panics
    /// If the shapes are not those that `gather` requires.
    fn new(
        dense: &Layout,
        indexed: &Layout,
        offsets: &GatherOffsets,
        order: ListOrder,
    ) -> GatherLoops {
        let (n_list, n_indexed) = (offsets.shape().len(), offsets.axes().len());
        assert!(indexed.axes().starts_with(offsets.axes()), "offsets along the first axes");
        let (of_list, of_dense) = dense.axes().split_at(n_list);
        let of_indexed = &indexed.axes()[n_indexed..];
        let lens = |axes: &[Axis]| axes.iter().map(|axis| axis.len).collect::<Vec<_>>();
        assert_eq!(lens(of_list), **offsets.shape(), "a position for each offset");
        assert_eq!(lens(of_dense), lens(of_indexed), "other axes are the same");

        let loops = of_list.iter().zip(row_major_steps(offsets.shape()));
        let loops = loops.map(|(axis, at)| Loop { len: axis.len, steps: [axis.stride, at] });
        let list = LoopNest::new([0, 0], loops);
        let list = if order == ListOrder::Any { list.sorted() } else { list.in_order() };
        let pairs = of_dense.iter().zip(of_indexed);
        let loops = pairs.map(|(a, b)| Loop { len: a.len, steps: [a.stride, b.stride] });
        let starts = [dense.start() as isize, indexed.start() as isize];
        let whole = LoopNest::new(starts, loops).sorted();

        let of_dense = list.loops().last().map_or(0, |it| it.steps[0].unsigned_abs());
        let of_indexed = offsets.axes().iter().map(|axis| axis.stride.unsigned_abs()).min();
        let step = if of_dense != 0 { of_dense } else { of_indexed.unwrap_or(0) };
        GatherLoops { list, whole, step }
    }

    /// Runs the loops, on several threads if there are enough elements.
    ///
    /// # Safety
    /// The loops must be for layouts of the two operands of the job, which share no element. The operand that
    /// is written must be injective; or, if `is_unique`, written once for each position of the list.
    unsafe fn run(&self, job: &GatherJob, offsets: &GatherOffsets, is_unique: bool) {
        let (n_list, n_whole) = (self.list.len(), self.whole.len());
        if n_list == 0 || n_whole == 0 {
            return;
        }
        let n = pieces_for(n_list.saturating_mul(n_whole), usize::MAX);
        let division = self.division(job.size, n, is_unique);
        let n = match division {
            Division::List => self.list.n_pieces(n_whole, 1),
            Division::Whole => {
                let long = n_whole.saturating_mul(job.size) / LONG_ROW_BYTES;
                let is_inside = self.whole.loops().iter().all(|it| !self.is_outside(it));
                let max = if is_inside { long.max(1) } else { usize::MAX };
                self.whole.n_pieces(n_list, 1).min(max)
            }
            // One piece for each thread: each has to scan the whole list.
            Division::Offsets => n.min(pool::num_threads()),
        };
        let all = reach(offsets.axes());
        pool::run(n, &|i| {
            let (list_part, whole_part);
            let (mut list, mut whole, mut only) = (&self.list, &self.whole, None);
            match division {
                Division::List => {
                    list_part = self.list.piece(i, n, 1);
                    list = &list_part;
                }
                Division::Whole => {
                    whole_part = self.whole.piece(i, n, 1);
                    whole = &whole_part;
                }
                Division::Offsets => {
                    let part = piece_of((all.end - all.start).unsigned_abs(), 1, i, n);
                    only = Some(all.start + part.start as isize..all.start + part.end as isize);
                }
            }
            // SAFETY: forwarded: same contract as this function, for a part of it. No other part has an element of
            // this one that is written: the list is divided only if each of its positions has elements of its own;
            // different positions of the other axes, and different offsets, lead to different elements.
            unsafe { self.run_part(job, list, whole, offsets.as_slice(), only) };
        });
    }

    /// Chooses what `n` pieces divide.
    fn division(&self, size: usize, n: usize, is_unique: bool) -> Division {
        let (n_list, n_whole) = (self.list.len(), self.whole.len());
        let outside = self.whole.loops().iter().filter(|it| self.is_outside(it));
        if outside.map(|it| it.len).max().is_some_and(|len| len >= n) {
            return Division::Whole;
        }
        if is_unique && (n_list >= 64 * n || n_list >= n_whole) {
            return Division::List;
        }
        // A row that is split has to be long; a list that every thread scans has to be worth it.
        let is_short = n_whole * size < n * LONG_ROW_BYTES;
        let is_worth_it = pool::num_threads() >= MIN_THREADS_BY_OFFSET && n_whole >= 8;
        if n > 1 && is_short && is_worth_it { Division::Offsets } else { Division::Whole }
    }

    /// Whether a loop goes outside of the list.
    fn is_outside(&self, it: &Loop<2>) -> bool {
        let [dense, indexed] = it.steps.map(isize::unsigned_abs);
        (if dense != 0 { dense } else { indexed }) > self.step
    }

    /// Runs a part of the loops; of the offsets, `only` those in a range.
    ///
    /// # Safety
    /// The contract of `run`, for parts of the nests.
    unsafe fn run_part(
        &self,
        job: &GatherJob,
        list: &LoopNest<2>,
        whole: &LoopNest<2>,
        offsets: &[isize],
        only: Option<Range<isize>>,
    ) {
        if whole.is_empty() {
            return;
        }
        let (outer, inner): (Vec<Loop<2>>, Vec<Loop<2>>) =
            whole.loops().iter().partition(|it| self.is_outside(it));
        let outer = LoopNest::new(whole.starts(), outer);
        let size = job.size as isize;
        outer.walk(&mut |[dense, indexed], []| {
            list.walk(&mut |[along, at], [run]| {
                // SAFETY: both are offsets of the layouts that the loops were made for, and the list has an
                // offset for each of its positions.
                unsafe {
                    let dense = job.dense.get().offset((dense + along) * size);
                    let indexed = job.indexed.get().offset(indexed * size);
                    let list = offsets.as_ptr().offset(at);
                    let Some(only) = &only else {
                        return (job.transfer)(dense, indexed, list, run, &inner);
                    };
                    let one = Loop { len: 1, ..*run };
                    for i in 0..run.len as isize {
                        let list = list.offset(i * run.steps[1]);
                        if only.contains(&list.read()) {
                            let dense = dense.offset(i * run.steps[0] * size);
                            (job.transfer)(dense, indexed, list, &one, &inner);
                        }
                    }
                }
            });
        });
    }
}

/// What threads divide.
enum Division {
    /// Positions of the list.
    List,
    /// Positions of the axes that are taken whole.
    Whole,
    /// The range of offsets: each thread scans the whole list, and skips the offsets of the others.
    Offsets,
}

/// Returns the range of offsets that the indices of some axes lead to.
fn reach(axes: &[Axis]) -> Range<isize> {
    let ends = axes.iter().map(|axis| axis.len.saturating_sub(1) as isize * axis.stride);
    let (low, high) = ends.fold((0, 0), |(low, high), end| (low + end.min(0), high + end.max(0)));
    low..high + 1
}

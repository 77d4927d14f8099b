//! Elements that a list of offsets leads to, read, written or added to.
//!
//! **The problem.** One side, the *picked* one, has axes that a list of places goes over, and others that
//! are taken whole; the other side has a position for each place of the list, and the same other axes.
//! Strides are any on both sides.
//!
//! **The plain solution** goes through the list, and for each place through the other axes. Three
//! departures. A block that is one on both sides goes by `memcpy`. Axes that are further apart than the
//! positions of the list are walked outside of it, so that picking columns reads each row once. And
//! threads share out the list when nothing is written twice, else the other axes, or, when these are
//! short, the places: either way an element belongs to one thread, so the order in which it is written
//! to is the order of the list, for every number of threads.

use super::copy::copy_row;
use super::nest::{Nest, n_threads_for};
use super::picks::Picks;
use crate::dtype::{Number, NumberTask};
use crate::plan::Loop;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Axis, Element, Layout, pool};
use std::ops::Range;

/// Bytes of a row that is worth cutting.
const LONG_ROW: usize = 4096;

/// With fewer threads, leaving the others' places alone costs more than it gains.
const FEWEST_FOR_PLACES: usize = 4;

/// Reads the elements that are picked. `source` has the axes that are picked from, then others; `out`
/// those of the picks, then the same others.
///
/// The types and shapes must have been compared; if they differ, this panics.
pub(crate) fn gather<'x>(out: AnyViewMut<'x>, source: &AnyView<'_>, picks: &Picks) -> Written<'x> {
    assert_eq!(out.dtype(), source.dtype(), "elements are not converted");
    let work = Work::new(out.layout(), source.layout(), picks, Order::Any);
    let (fixed, picked) = (out.ptr().as_ptr(), source.ptr().as_ptr());
    let mover = mover_of::<Load>(out.dtype().size(), fixed, picked);
    // SAFETY: the work was made from the layouts of the two views, which are borrowed while this runs;
    // they share no element. Each position of the output is written once.
    unsafe { work.run(&Sides { fixed, picked, size: out.dtype().size(), mover }, picks, true) };
    // SAFETY: there is a place for each position, and all have just been read.
    unsafe { out.written() }
}

/// Writes to the elements that are picked, the last one if a place is picked twice. `out` has the axes
/// that are picked from, then others; `values` those of the picks, then the same others.
///
/// The types and shapes must have been compared; if they differ, this panics.
pub(crate) fn scatter(out: AnyViewMut<'_>, values: &AnyView<'_>, picks: &Picks) {
    assert_eq!(out.dtype(), values.dtype(), "elements are not converted");
    let size = out.dtype().size();
    let (fixed, picked) = (values.ptr().as_ptr(), out.ptr().as_ptr());
    write(out, values, picks, mover_of::<Store>(size, fixed, picked));
}

/// Adds to the elements that are picked, as often as they are. The sides are those of [`scatter`].
///
/// The types and shapes must have been compared, and the elements be numbers; if not, this panics.
pub(crate) fn scatter_add(out: AnyViewMut<'_>, values: &AnyView<'_>, picks: &Picks) {
    struct Adder;

    impl NumberTask for Adder {
        type Output = Mover;

        fn run<T: Element<Wide: Number>>(self) -> Mover {
            mover::<T, Add>
        }
    }

    assert_eq!(out.dtype(), values.dtype(), "elements are not converted");
    let mover = out.dtype().with_number(Adder).expect("numbers can be added");
    write(out, values, picks, mover);
}

fn write(out: AnyViewMut<'_>, values: &AnyView<'_>, picks: &Picks, mover: Mover) {
    let work = Work::new(values.layout(), out.layout(), picks, Order::OfList);
    let (fixed, picked) = (values.ptr().as_ptr(), out.ptr().as_ptr());
    let sides = Sides { fixed, picked, size: out.dtype().size(), mover };
    // SAFETY: the work was made from the layouts of the two views, which are borrowed while this runs;
    // they share no element. The output is injective, so positions of the other axes, and different
    // places, lead to different elements; the list is shared out only if it has no place twice.
    unsafe { work.run(&sides, picks, picks.is_unique()) };
}

/// What is done with an element on the fixed side, and one on the picked side.
trait Transfer<E> {
    /// # Safety
    /// Both must be elements, one readable, and the other writable: as the name of the transfer says.
    unsafe fn one(fixed: *mut E, picked: *mut E);

    /// The same for elements that lie one behind the other.
    ///
    /// # Safety
    /// As for one, and the two must share none.
    #[inline(always)]
    unsafe fn block(fixed: *mut E, picked: *mut E, len: usize) {
        for i in 0..len {
            // SAFETY: the caller's promise.
            unsafe { Self::one(fixed.add(i), picked.add(i)) };
        }
    }
}

/// From the picked side to the fixed one.
struct Load;
/// From the fixed side to the picked one.
struct Store;
/// The sum of both to the picked side.
struct Add;

impl<E: Copy> Transfer<E> for Load {
    #[inline(always)]
    unsafe fn one(fixed: *mut E, picked: *mut E) {
        // SAFETY: the caller's promise.
        unsafe { fixed.write(picked.read()) };
    }

    #[inline(always)]
    unsafe fn block(fixed: *mut E, picked: *mut E, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy_row(fixed, picked, len) };
    }
}

impl<E: Copy> Transfer<E> for Store {
    #[inline(always)]
    unsafe fn one(fixed: *mut E, picked: *mut E) {
        // SAFETY: the caller's promise.
        unsafe { picked.write(fixed.read()) };
    }

    #[inline(always)]
    unsafe fn block(fixed: *mut E, picked: *mut E, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy_row(picked, fixed, len) };
    }
}

impl<T: Element<Wide: Number>> Transfer<T> for Add {
    #[inline(always)]
    unsafe fn one(fixed: *mut T, picked: *mut T) {
        // SAFETY: the caller's promise.
        unsafe { picked.write(T::narrow(picked.read().widen().plus(fixed.read().widen()))) };
    }
}

/// Transfers a run of the list: the two sides, the offsets, the run (steps of the fixed side and of the
/// offsets), and the loops inside of it (steps of both sides).
type Mover = unsafe fn(*mut u8, *mut u8, *const isize, &Loop<2>, &[Loop<2>]);

/// Transfers elements of so many bytes, whatever they mean.
fn mover_of<K>(size: usize, fixed: *mut u8, picked: *mut u8) -> Mover
where
    K: Transfer<u8> + Transfer<u16> + Transfer<u32> + Transfer<u64>,
    K: Transfer<[u32; 2]> + Transfer<[u64; 2]>,
{
    match size {
        1 => mover::<u8, K>,
        2 => mover::<u16, K>,
        4 => mover::<u32, K>,
        // Two floats of four bytes are a complex number, which is aligned to four.
        8 if (fixed.addr() | picked.addr()).is_multiple_of(8) => mover::<u64, K>,
        8 => mover::<[u32; 2], K>,
        16 => mover::<[u64; 2], K>,
        _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
    }
}

/// # Safety
/// There must be so many offsets as the run goes over, and all that they and the loops lead to must be
/// elements of the size of `E`, aligned as `E` is, which may be transferred by `K`.
unsafe fn mover<E: Copy, K: Transfer<E>>(
    fixed: *mut u8,
    picked: *mut u8,
    list: *const isize,
    run: &Loop<2>,
    inner: &[Loop<2>],
) {
    let (fixed, picked) = (fixed.cast::<E>(), picked.cast::<E>());
    let [step, list_step] = run.steps;
    // Each way is a loop of its own: a single element is no time for decisions.
    match inner {
        [] if run.steps == [1, 1] => {
            for i in 0..run.len {
                // SAFETY: the caller's promises.
                unsafe { K::one(fixed.add(i), picked.offset(list.add(i).read())) };
            }
        }
        [] => {
            for i in 0..run.len as isize {
                // SAFETY: the caller's promises.
                unsafe {
                    let picked = picked.offset(list.offset(i * list_step).read());
                    K::one(fixed.offset(i * step), picked);
                }
            }
        }
        _ => {
            for i in 0..run.len as isize {
                // SAFETY: the caller's promises.
                unsafe {
                    let picked = picked.offset(list.offset(i * list_step).read());
                    nest::<E, K>(fixed.offset(i * step), picked, inner);
                }
            }
        }
    }
}

/// # Safety
/// That of `mover`, for all of the loops.
unsafe fn nest<E: Copy, K: Transfer<E>>(fixed: *mut E, picked: *mut E, loops: &[Loop<2>]) {
    // SAFETY: the caller's promises.
    unsafe {
        match loops {
            [] => K::one(fixed, picked),
            [Loop { len, steps: [1, 1] }] => K::block(fixed, picked, *len),
            [Loop { len, steps }] => {
                for i in 0..*len as isize {
                    K::one(fixed.offset(i * steps[0]), picked.offset(i * steps[1]));
                }
            }
            [Loop { len, steps }, rest @ ..] => {
                for i in 0..*len as isize {
                    nest::<E, K>(fixed.offset(i * steps[0]), picked.offset(i * steps[1]), rest);
                }
            }
        }
    }
}

/// Whether the list may be gone through in any order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Any,
    OfList,
}

/// The loops over the list, and over the axes that are taken whole.
struct Work {
    /// Over the fixed side and the list.
    list: Nest<2>,
    /// Over the fixed side and the picked one.
    whole: Nest<2>,
    /// The step of the list in memory: loops with greater steps go outside of it.
    step: usize,
}

/// The memory of the work, for several threads.
struct Sides {
    fixed: *mut u8,
    picked: *mut u8,
    size: usize,
    mover: Mover,
}

// SAFETY: `Work::run` gives it to threads that write to different elements, and its callers hold the
// borrows of both sides.
unsafe impl Sync for Sides {}

impl Work {
    /// Plans the work; if the shapes are not those that `gather` says, this panics.
    fn new(fixed: &Layout, picked: &Layout, picks: &Picks, order: Order) -> Work {
        let (n_list, n_picked) = (picks.shape().len(), picks.axes().len());
        assert!(picked.axes().starts_with(picks.axes()), "picks of the first axes of this tensor");
        let (of_list, of_fixed) = fixed.axes().split_at(n_list);
        let of_picked = &picked.axes()[n_picked..];
        let lens = |axes: &[Axis]| axes.iter().map(|axis| axis.len).collect::<Vec<_>>();
        assert_eq!(lens(of_list), **picks.shape(), "a position for each pick");
        assert_eq!(lens(of_fixed), lens(of_picked), "other axes are the same");

        let mut stride = 1isize;
        let mut loops = Vec::with_capacity(n_list);
        for axis in of_list.iter().rev() {
            loops.push(Loop { len: axis.len, steps: [axis.stride, stride] });
            stride = stride.wrapping_mul(axis.len as isize);
        }
        let list = Nest::new([0, 0], loops.into_iter().rev());
        let list = if order == Order::Any { list.sorted() } else { list };
        let pairs = of_fixed.iter().zip(of_picked);
        let loops = pairs.map(|(a, b)| Loop { len: a.len, steps: [a.stride, b.stride] });
        let starts = [fixed.start() as isize, picked.start() as isize];
        let whole = Nest::new(starts, loops).sorted();

        let of_fixed = list.loops.last().map_or(0, |it| it.steps[0].unsigned_abs());
        let of_picked = picks.axes().iter().map(|axis| axis.stride.unsigned_abs()).min();
        let step = if of_fixed != 0 { of_fixed } else { of_picked.unwrap_or(0) };
        Work { list, whole, step }
    }

    /// Does the work, by several threads if it pays.
    ///
    /// # Safety
    /// The work must be for layouts of the two sides, which share no element. The side that is written
    /// must be injective; or, if `is_free`, written once for each position of the list.
    unsafe fn run(&self, sides: &Sides, picks: &Picks, is_free: bool) {
        let (n_list, n_whole) = (self.list.len(), self.whole.len());
        if n_list == 0 || n_whole == 0 {
            return;
        }
        let n = n_threads_for(n_list.saturating_mul(n_whole));
        let offsets = picks.offsets();
        match self.shares(sides.size, n, is_free) {
            Shares::List => {
                let n = self.list.n_pieces(n_whole);
                // SAFETY: the caller's promises: each position of the list has elements of its own.
                pool::run(n, &|i| unsafe {
                    self.walk(sides, &self.list.piece(i, n), &self.whole, offsets, None)
                });
            }
            Shares::Whole => {
                let long = n_whole.saturating_mul(sides.size) / LONG_ROW;
                let is_inside = self.whole.loops.iter().all(|it| !self.is_outside(it));
                let most = if is_inside { long.max(1) } else { usize::MAX };
                let n = self.whole.n_pieces(n_list).min(most);
                // SAFETY: the caller's promises: positions of the other axes lead to different elements.
                pool::run(n, &|i| unsafe {
                    self.walk(sides, &self.list, &self.whole.piece(i, n), offsets, None)
                });
            }
            Shares::Places => {
                // No more than there are threads: each has to go through the whole list.
                let n = n.min(pool::num_threads());
                let all = reach(picks.axes());
                let width = (all.end - all.start).unsigned_abs();
                let cut = |i: usize| all.start + (width as u128 * i as u128 / n as u128) as isize;
                // SAFETY: the caller's promises: different places lead to different elements, and those
                // of the output that are written once are written for one place.
                pool::run(n, &|i| unsafe {
                    let only = Some(cut(i)..cut(i + 1));
                    self.walk(sides, &self.list, &self.whole, offsets, only)
                });
            }
        }
    }

    /// What so many threads share out.
    fn shares(&self, size: usize, n: usize, is_free: bool) -> Shares {
        let (n_list, n_whole) = (self.list.len(), self.whole.len());
        let outside = self.whole.loops.iter().filter(|it| self.is_outside(it));
        if outside.map(|it| it.len).max().is_some_and(|len| len >= n) {
            return Shares::Whole;
        }
        if is_free && (n_list >= 64 * n || n_list >= n_whole) {
            return Shares::List;
        }
        // A row that is cut has to be long; a list that everybody goes through has to be worth it.
        let is_short = n_whole * size < n * LONG_ROW;
        let is_worth_it = pool::num_threads() >= FEWEST_FOR_PLACES && n_whole >= 8;
        if n > 1 && is_short && is_worth_it { Shares::Places } else { Shares::Whole }
    }

    /// Whether a loop goes outside of the list.
    fn is_outside(&self, it: &Loop<2>) -> bool {
        let [fixed, picked] = it.steps.map(isize::unsigned_abs);
        (if fixed != 0 { fixed } else { picked }) > self.step
    }

    /// Does a part of the work: of the places, `only` some.
    ///
    /// # Safety
    /// That of `run`, for parts of the nests.
    unsafe fn walk(
        &self,
        sides: &Sides,
        list: &Nest<2>,
        whole: &Nest<2>,
        offsets: &[isize],
        only: Option<Range<isize>>,
    ) {
        if whole.is_empty() {
            return;
        }
        let (outer, inner): (Vec<Loop<2>>, Vec<Loop<2>>) =
            whole.loops.iter().partition(|it| self.is_outside(it));
        let outer = Nest { starts: whole.starts, loops: outer };
        let size = sides.size as isize;
        outer.positions(&mut |[fixed, picked]| {
            list.runs(&mut |[along, at], run| {
                // SAFETY: both are offsets of the layouts that the work was made for, and the list is
                // as long as its nest.
                unsafe {
                    let fixed = sides.fixed.offset((fixed + along) * size);
                    let picked = sides.picked.offset(picked * size);
                    let list = offsets.as_ptr().offset(at);
                    let Some(only) = &only else {
                        return (sides.mover)(fixed, picked, list, run, &inner);
                    };
                    let once = Loop { len: 1, steps: run.steps };
                    for i in 0..run.len as isize {
                        let list = list.offset(i * run.steps[1]);
                        if only.contains(&list.read()) {
                            let fixed = fixed.offset(i * run.steps[0] * size);
                            (sides.mover)(fixed, picked, list, &once, &inner);
                        }
                    }
                }
            });
        });
    }
}

/// What threads share out.
enum Shares {
    /// Positions of the list.
    List,
    /// Positions of the axes that are taken whole.
    Whole,
    /// Places that the list leads to: each goes through all of it, and leaves the others' alone.
    Places,
}

/// All offsets that positions of some axes lead to.
fn reach(axes: &[Axis]) -> Range<isize> {
    let ends = axes.iter().map(|axis| axis.len.saturating_sub(1) as isize * axis.stride);
    let (low, high) = ends.fold((0, 0), |(low, high), end| (low + end.min(0), high + end.max(0)));
    low..high + 1
}

//! When it pays to copy an operand before it is walked.
//!
//! **The problem.** An operand that does not lie well, or is of another type, is packed on the way: tile
//! by tile, through a buffer in the first-level cache. If each of its elements is visited once, that
//! is all a copy would do, and a copy has to go to memory and back as well. But if the operand is
//! broadcast, every pass over it packs (and converts) the same elements again. One copy would do that
//! work once.
//!
//! **The plain solution** is never to copy, or always. The first packs 4096 elements 256 times in
//! `(256, 64, 64) + (64, 64)ᵀ`; the second copies what is packed once anyway.
//!
//! **What is done.** Two plans are made: one with the operand as it lies, and one with a copy of its
//! distinct elements, which lies as the output does. The same function gives the cost of both, the
//! copy itself (a plan, too) is added to the second, and the copy is made if that is clearly less. Costs
//! are nanoseconds of one thread of the machine that the constants below were measured on. Other
//! machines are faster or slower, mostly at everything alike: only ratios count, and there is a
//! [margin](MARGIN).
//!
//! **What it costs** is three plans more, less than a microsecond, for operations of at least
//! [`WORTH_ASKING`] elements in which an operand is packed more than once.

use super::{BLOCK, CACHE_LINE, Loop, Plan, Way, output_layout};
use crate::{Axis, Error, Layout, Shape};
use belvedere_layout::InlineVec;

/// Operations on fewer elements are not asked about: they are over in a few microseconds.
pub const WORTH_ASKING: usize = 1 << 14;

/// A copy has to be estimated to save a fifth of the time before it is made: the model knows nothing
/// of what the operation calculates, and a copy takes memory.
const MARGIN: f64 = 1.25;

/// The bytes of an operand's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// In memory.
    pub memory: usize,
    /// As the operation takes them, if that is another type: they are converted on the way then.
    pub converted: Option<usize>,
}

impl Width {
    /// Elements that are taken as they are.
    pub const fn of(size: usize) -> Width {
        Width { memory: size, converted: None }
    }

    /// Elements of so many bytes that are converted to a type of as many others.
    pub const fn converted(memory: usize, inside: usize) -> Width {
        Width { memory, converted: Some(inside) }
    }

    /// The bytes of an element as the operation takes it.
    pub(crate) fn inside(self) -> usize {
        self.converted.unwrap_or(self.memory)
    }
}

/// What walking an operand as it lies is estimated to cost, and what copying it first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// How a kernel gets at it as it lies.
    pub way: Way,
    /// Whether its elements are converted on the way.
    pub is_converted: bool,
    /// How many elements are visited.
    pub visited: usize,
    /// How many of them are distinct: those of axes along which it is not broadcast.
    pub distinct: usize,
    /// The nanoseconds of the whole operation with the operand as it lies.
    pub walked: f64,
    /// The nanoseconds if it is copied first, the copy included. Nobody estimated it if nothing is
    /// done twice: every element is visited once, or needs no packing.
    pub copied: Option<f64>,
}

impl Estimate {
    /// Whether to copy it first.
    ///
    /// ```
    /// use belvedere::{Layout, plan::{Plan, Width}};
    ///
    /// let many = Layout::row_major(&[256, 64, 64])?;
    /// let turned = Layout::row_major(&[64, 64])?.t()?.broadcast_to([256, 64, 64])?;
    /// let [_, _, it] = Plan::estimates([&many, &many, &turned], [Width::of(4); 3])?;
    /// assert_eq!((it.visited, it.distinct), (1 << 20, 4096));
    /// assert!(it.pays(), "4096 elements are turned round once instead of 256 times");
    ///
    /// let one = Layout::row_major(&[1024, 1024])?;
    /// let [_, _, it] = Plan::estimates([&one, &one, &one.t()?], [Width::of(4); 3])?;
    /// assert!(!it.pays(), "each element is visited once: a copy would turn as many round");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn pays(&self) -> bool {
        self.visited >= WORTH_ASKING && self.copied.is_some_and(|it| it * MARGIN <= self.walked)
    }
}

impl<const N: usize> Plan<N> {
    /// What it costs to walk layouts of one shape, operand 0 of which is written, and whether it pays to
    /// copy one of the others first. If it pays for one, the next is estimated with that copy in its
    /// place.
    ///
    /// See [`Estimate::pays`] for an example.
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn estimates(layouts: [&Layout; N], widths: [Width; N]) -> Result<[Estimate; N], Error> {
        let plan = Plan::elementwise(layouts, widths.map(|it| it.memory))?;
        let mut copies = [const { None::<Layout> }; N];
        let mut now = widths;
        let mut walked = cost(&plan, now);
        let mut estimates: [Estimate; N] = std::array::from_fn(|n| about(&plan, widths[n], n));
        for n in 0..N {
            let it = &mut estimates[n];
            it.walked = walked;
            if n == 0 || it.distinct == it.visited || (it.way != Way::Packed && !it.is_converted) {
                continue;
            }
            let copy = copy_layout(layouts[0], layouts[n])?;
            let spread = copy.broadcast_to(layouts[0].shape())?;
            let with_copy: [&Layout; N] = std::array::from_fn(|k| match &copies[k] {
                _ if k == n => &spread,
                Some(copy) => copy,
                None => layouts[k],
            });
            let mut narrow = now;
            narrow[n] = Width::of(widths[n].inside());
            let after = Plan::elementwise(with_copy, narrow.map(|it| it.memory))?;
            let rest = cost(&after, narrow);
            it.copied = Some(copying(&copy, &compact(layouts[n])?, widths[n])? + rest);
            if it.pays() {
                (now, walked) = (narrow, rest);
                copies[n] = Some(spread);
            }
        }
        Ok(estimates)
    }
}

/// What there is to say about an operand before anything is compared.
fn about<const N: usize>(plan: &Plan<N>, width: Width, n: usize) -> Estimate {
    let moved = plan.loops().iter().filter(|it| it.steps[n] != 0);
    let is_converted = width.converted.is_some();
    Estimate {
        way: if is_converted { Way::Packed } else { way(plan, n) },
        is_converted,
        visited: plan.len(),
        distinct: moved.map(|it| it.len).product::<usize>().min(plan.len()),
        walked: 0.0,
        copied: None,
    }
}

/// The two innermost loops: what is around a single one turns once.
fn plane<const N: usize>(plan: &Plan<N>) -> [Loop<N>; 2] {
    let once = Loop { len: 1, steps: [0; N] };
    match plan.loops() {
        [] => [once, once],
        [cols] => [once, *cols],
        [.., rows, cols] => [*rows, *cols],
    }
}

/// How a kernel gets at an operand that it does not convert.
fn way<const N: usize>(plan: &Plan<N>, n: usize) -> Way {
    let [rows, cols] = plane(plan);
    Way::by_steps([rows.steps[n], cols.steps[n]], [rows.len, cols.len])
}

// The constants are nanoseconds of one thread of an EPYC of 2023 (Zen 4, 32 KB, 1 MB and 32 MB of
// caches). They are fitted to the columns "walked" and "copied first" which
//
//     cargo xtask bench tensor --threads 1 --only "copy first"
//
// prints beside the two estimates. To calibrate them anew, run that on a quiet machine, and change the
// constant of the way that is off in the rows that have it; `tests/plan.rs` lists the choices that
// have to come out.

/// A call of a body: for a row, or for the part of it that lies in a tile.
const CALL: f64 = 2.0;
/// An element that goes through a buffer: written to it, and read from it.
const BUFFERED: f64 = 0.06;
/// An element that is packed from another place than the one before it.
const STRIDED: f64 = 0.18;
/// One that is at most a few elements away, forwards or backwards.
const NEAR: f64 = 0.03;
/// A byte of a tile that is turned round in squares.
const TURNED_BYTE: f64 = 0.02;
/// An element that is put down as often as it is needed.
const FILLED: f64 = 0.03;
/// A row that is a block, and a byte of it.
const ROW: (f64, f64) = (0.5, 0.01);
/// An element that is converted.
const CONVERTED: f64 = 0.12;
/// An element that is packed from a row while not everything fits in the third-level cache: it is waited
/// for.
const FAR: f64 = 0.08;
/// The same for a tile that is turned round or has gaps, and is not in the first-level cache: if
/// everything fits in the third one, if not, and if it takes half of that cache itself. Copies, and
/// large planes of which nothing is converted, are walked in a way that suits them better.
const FAR_APART: [f64; 3] = [0.05, 0.5, 1.0];
const FAR_IN_STRIPS: [f64; 3] = [0.05, 0.05, 1.0];
const FAR_IN_COPIES: [f64; 3] = [0.05, 0.05, 0.3];
/// So many elements are a large plane.
const LARGE_PLANE: usize = 1 << 18;
/// A byte that comes from or goes to the second-level cache, the third one, and memory.
const BYTE: [f64; 3] = [0.005, 0.012, 0.035];
/// The same for a row that is read again: it comes in time.
const BYTE_AGAIN: [f64; 3] = [0.0, 0.002, 0.03];
/// How much the caches hold, with room for what else is there.
const CACHES: [f64; 3] = [32e3, 0.75e6, 20e6];
/// A copy, whatever its size: memory, a plan, and the announcement.
const COPY: f64 = 600.0;

/// The nanoseconds of a walk, but for what is calculated.
fn cost<const N: usize>(plan: &Plan<N>, widths: [Width; N]) -> f64 {
    if plan.is_empty() {
        return 0.0;
    }
    let [rows, cols] = plane(plan);
    let is_packed = |n: usize| widths[n].converted.is_some() || way(plan, n) == Way::Packed;
    let reaches: [Reach; N] = std::array::from_fn(|n| Reach::of(plan, widths[n], n));
    let all: f64 = reaches.iter().map(Reach::bytes).sum();
    let len_of_call = match () {
        () if Way::is_short([rows.len, cols.len]) => BLOCK,
        () if (0..N).any(is_packed) => plan.tile().cols,
        () => cols.len,
    };
    let visited = plan.len() as f64;
    let operand = |n: usize| {
        let traffic = reaches[n].traffic(visited, all);
        match is_packed(n) {
            true => traffic + visited * (BUFFERED + moving(plan, widths[n], n, &reaches[n], all)),
            false => traffic,
        }
    };
    visited * CALL / len_of_call as f64 + (0..N).map(operand).sum::<f64>()
}

/// The nanoseconds that it takes to copy an operand's distinct elements.
fn copying(copy: &Layout, from: &Layout, width: Width) -> Result<f64, Error> {
    let widths = [Width::of(width.inside()), width];
    let plan = Plan::elementwise([copy, from], widths.map(|it| it.memory))?;
    let reaches = [0, 1].map(|n| Reach::of(&plan, widths[n], n));
    let all = reaches[0].bytes() + reaches[1].bytes();
    let distinct = plan.len() as f64;
    let traffic: f64 = reaches.iter().map(|it| it.traffic(distinct, all)).sum();
    Ok(COPY + traffic + distinct * moving(&plan, width, 1, &reaches[1], all))
}

/// What it costs for each element to move an operand that is packed to where it is wanted, and to
/// convert it.
fn moving<const N: usize>(plan: &Plan<N>, width: Width, n: usize, reach: &Reach, all: f64) -> f64 {
    let [rows, cols] = plane(plan);
    let is_converted = width.converted.is_some();
    let (own, is_crowded) = (reach.bytes(), all > CACHES[2]);
    let waiting = match () {
        // What is written, and what is read.
        () if N == 2 => FAR_IN_COPIES,
        () if !is_converted && rows.len.saturating_mul(cols.len) >= LARGE_PLANE => FAR_IN_STRIPS,
        () => FAR_APART,
    };
    let apart = match () {
        () if own <= CACHES[0] => 0.0,
        () if own > CACHES[2] / 2.0 => waiting[2],
        () => waiting[usize::from(is_crowded)],
    };
    let far = if is_crowded && N > 2 { FAR } else { 0.0 };
    let moved = match (rows.steps[n], cols.steps[n]) {
        // What is converted where it lies is not moved first.
        (_, 1) if is_converted => ROW.0 / cols.len.min(BLOCK) as f64 + far,
        (_, 1) => ROW.0 / cols.len as f64 + ROW.1 * width.memory as f64 + far,
        (_, 0) => FILLED,
        (_, -4..=4) => NEAR + far,
        (1, _) if rows.len > 1 => TURNED_BYTE * width.memory as f64 + apart,
        _ => STRIDED + apart,
    };
    if is_converted { moved + CONVERTED } else { moved }
}

/// How much memory an operand is.
struct Reach {
    distinct: f64,
    /// The bytes that are fetched for each of its distinct elements.
    fetched: f64,
}

impl Reach {
    fn of<const N: usize>(plan: &Plan<N>, width: Width, n: usize) -> Reach {
        let moved = || plan.loops().iter().filter(|it| it.steps[n] != 0);
        let distinct: usize = moved().map(|it| it.len).product();
        // The least step tells how much of each cache line is of use, sooner or later.
        let least = moved().map(|it| it.steps[n].unsigned_abs()).min().unwrap_or(1);
        let line = least.saturating_mul(width.memory).min(CACHE_LINE);
        Reach { distinct: distinct as f64, fetched: line.max(width.memory) as f64 }
    }

    fn bytes(&self) -> f64 {
        self.distinct * self.fetched
    }

    /// What it costs to bring the elements to the first-level cache, or back from it, if so many are
    /// visited and so many bytes are in use.
    fn traffic(&self, visited: f64, all: f64) -> f64 {
        let again = (visited - self.distinct).max(0.0) * self.fetched;
        self.bytes() * level(all, BYTE) + again * level(self.bytes(), BYTE_AGAIN)
    }
}

/// What a byte costs that is one of so many which are in use.
fn level(bytes: f64, costs: [f64; 3]) -> f64 {
    let beyond = CACHES.iter().take_while(|&&size| bytes > size).count();
    if beyond == 0 { 0.0 } else { costs[beyond - 1] }
}

/// An operand without the axes along which it is broadcast: they have length 1.
pub(crate) fn compact(operand: &Layout) -> Result<Layout, Error> {
    let axes: InlineVec<Axis> =
        operand.axes().iter().map(|it| if it.stride == 0 { ONCE } else { *it }).collect();
    Ok(Layout::new(operand.start(), &axes)?)
}

/// Where a copy of an operand's distinct elements should lie: dense, with its axes in the order of the
/// output's, so that both are walked alike. The axes along which it is broadcast have length 1.
pub(crate) fn copy_layout(out: &Layout, operand: &Layout) -> Result<Layout, Error> {
    let pairs = operand.axes().iter().zip(out.axes());
    let axes: InlineVec<Axis> = pairs
        .map(|(it, out)| match it.stride {
            0 => ONCE,
            // Only the order counts, and without a start nothing may lie before it.
            _ => Axis::new(it.len, out.stride.saturating_abs()),
        })
        .collect();
    let lengths: Shape = axes.iter().map(|it| it.len).collect();
    output_layout(&lengths, &[&Layout::new(0, &axes)?])
}

/// An axis along which there is nothing to walk.
const ONCE: Axis = Axis::new(1, 0);

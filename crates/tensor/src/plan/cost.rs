//! Cost model: when to copy an operand before the operation.
//!
//! **The problem.** An operand that is not contiguous, or is of another type, is packed as it is read: tile
//! by tile, through a buffer in the first-level cache. If each of its elements is visited once, that
//! is all a copy would do, and a copy has to go to memory and back as well. But if the operand is
//! broadcast, every pass over it packs (and casts) the same elements again. One copy would do that
//! work once.
//!
//! **The plain solution** is never to copy, or always. The first packs 4096 elements 256 times in
//! `(256, 64, 64) + (64, 64)ᵀ`; the second copies what is packed once in any case.
//!
//! **What is done.** Two plans are made: one with the operand as it is, and one with a copy of its
//! distinct elements in the order of the output. The same function gives the cost of both, the
//! copy itself (a plan, too) is added to the second, and the copy is made if the second is clearly cheaper.
//! Costs are nanoseconds of one thread of the machine that the constants below were measured on. Other
//! machines are faster or slower, mostly at everything alike: only ratios count, and there is a
//! [margin](MARGIN).
//!
//! **What it costs** is three more plans, less than a microsecond, for operations of at least
//! [`ESTIMATE_MIN_ELEMENTS`] elements in which an operand is packed more than once.

use super::{Access, BLOCK_ELEMENTS, CACHE_LINE_BYTES, Loop, Plan, output_layout};
use crate::{Axis, Error, Layout, Shape};
use belvedere_layout::InlineVec;

/// Operations on fewer elements than this are not estimated: they take a few microseconds.
pub const ESTIMATE_MIN_ELEMENTS: usize = 1 << 14;

/// A copy has to be estimated to save a fifth of the time before it is made: the model does not know
/// what the operation computes, and a copy takes memory.
const MARGIN: f64 = 1.25;

/// The size of an operand's elements, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// In memory.
    pub memory: usize,
    /// As the operation computes with them, if that is another type: they are cast as they are read.
    pub converted: Option<usize>,
}

impl Width {
    /// Returns the width of elements that are not cast.
    ///
    /// ```
    /// use belvedere::{DType, plan::Width};
    ///
    /// assert_eq!(Width::of(DType::Float32.size()), Width { memory: 4, converted: None });
    /// ```
    pub const fn of(size: usize) -> Width {
        Width { memory: size, converted: None }
    }

    /// Returns the width of elements of `memory` bytes that are cast to a type of `computed` bytes.
    ///
    /// ```
    /// use belvedere::{DType, plan::Width};
    ///
    /// let width = Width::converted(DType::Int32.size(), DType::Float64.size());
    /// assert_eq!(width, Width { memory: 4, converted: Some(8) });
    /// ```
    pub const fn converted(memory: usize, computed: usize) -> Width {
        Width { memory, converted: Some(computed) }
    }

    /// Returns the bytes of an element as the operation computes with it.
    pub(crate) fn computed(self) -> usize {
        self.converted.unwrap_or(self.memory)
    }
}

/// The estimated cost of an operation with one of its operands as it is, and with a copy of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// How a kernel accesses the operand as it is.
    pub access: Access,
    /// Whether its elements are cast as they are read.
    pub is_converted: bool,
    /// The number of elements that are visited.
    pub visited: usize,
    /// The number of distinct elements: those of axes along which the operand is not broadcast.
    pub distinct: usize,
    /// The nanoseconds of the whole operation with the operand as it is.
    pub as_is_ns: f64,
    /// The nanoseconds if it is copied first, the copy included. Not estimated (`None`) if no work is
    /// repeated: every element is visited once, or needs no packing.
    pub copied_ns: Option<f64>,
}

impl Estimate {
    /// Whether to copy the operand first.
    ///
    /// ```
    /// use belvedere::{Layout, plan::{Plan, Width}};
    ///
    /// let many = Layout::row_major(&[256, 64, 64])?;
    /// let transposed = Layout::row_major(&[64, 64])?.t()?.broadcast_to([256, 64, 64])?;
    /// let [_, _, it] = Plan::estimates([&many, &many, &transposed], [Width::of(4); 3])?;
    /// assert_eq!((it.visited, it.distinct), (1 << 20, 4096));
    /// assert!(it.should_copy(), "4096 elements are transposed once instead of 256 times");
    ///
    /// let one = Layout::row_major(&[1024, 1024])?;
    /// let [_, _, it] = Plan::estimates([&one, &one, &one.t()?], [Width::of(4); 3])?;
    /// assert!(!it.should_copy(), "each element is visited once: a copy would transpose as many");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn should_copy(&self) -> bool {
        let is_cheaper = self.copied_ns.is_some_and(|it| it * MARGIN <= self.as_is_ns);
        self.visited >= ESTIMATE_MIN_ELEMENTS && is_cheaper
    }

    #[doc(hidden)]
    pub fn pays(&self) -> bool {
        self.should_copy()
    }
}

impl<const N: usize> Plan<N> {
    /// Estimates an operation with each operand as it is and copied first.
    ///
    /// The layouts have one shape, and operand 0 is written. If an operand should be copied, the next is
    /// estimated with that copy in its place.
    ///
    /// ```
    /// use belvedere::{Layout, plan::{Access, Plan, Width}};
    ///
    /// let x = Layout::row_major(&[256, 256])?;
    /// let row = Layout::row_major(&[256])?.broadcast_to([256, 256])?;
    /// let [_, _, it] = Plan::estimates([&x, &x, &row], [Width::of(8); 3])?;
    /// assert_eq!((it.visited, it.distinct), (65536, 256));
    /// assert_eq!((it.access, it.copied_ns), (Access::Contiguous, None));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the layouts differ in shape.
    pub fn estimates(layouts: [&Layout; N], widths: [Width; N]) -> Result<[Estimate; N], Error> {
        let plan = Plan::elementwise(layouts, widths.map(|it| it.memory))?;
        let mut copies = [const { None::<Layout> }; N];
        let mut now = widths;
        let mut as_is_ns = cost(&plan, now);
        let mut estimates: [Estimate; N] =
            std::array::from_fn(|n| operand_estimate(&plan, widths[n], n));
        for n in 0..N {
            let it = &mut estimates[n];
            it.as_is_ns = as_is_ns;
            let is_packed = it.access == Access::Packed || it.is_converted;
            if n == 0 || it.distinct == it.visited || !is_packed {
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
            narrow[n] = Width::of(widths[n].computed());
            let after = Plan::elementwise(with_copy, narrow.map(|it| it.memory))?;
            let rest = cost(&after, narrow);
            it.copied_ns = Some(copy_cost(&copy, &compact(layouts[n])?, widths[n])? + rest);
            if it.should_copy() {
                (now, as_is_ns) = (narrow, rest);
                copies[n] = Some(spread);
            }
        }
        Ok(estimates)
    }
}

/// Returns the estimate of an operand with its costs not filled in yet.
fn operand_estimate<const N: usize>(plan: &Plan<N>, width: Width, n: usize) -> Estimate {
    let moved = plan.loops().iter().filter(|it| it.steps[n] != 0);
    let is_converted = width.converted.is_some();
    Estimate {
        access: if is_converted { Access::Packed } else { access(plan, n) },
        is_converted,
        visited: plan.len(),
        distinct: moved.map(|it| it.len).product::<usize>().min(plan.len()),
        as_is_ns: 0.0,
        copied_ns: None,
    }
}

/// Returns the two innermost loops, unit loops if there are fewer.
fn plane<const N: usize>(plan: &Plan<N>) -> [Loop<N>; 2] {
    match plan.loops() {
        [] => [Loop::UNIT; 2],
        [cols] => [Loop::UNIT, *cols],
        [.., rows, cols] => [*rows, *cols],
    }
}

/// Returns how a kernel accesses an operand that it does not cast.
fn access<const N: usize>(plan: &Plan<N>, n: usize) -> Access {
    let [rows, cols] = plane(plan);
    Access::from_steps([rows.steps[n], cols.steps[n]], [rows.len, cols.len])
}

// The constants are nanoseconds of one thread of an EPYC of 2023 (Zen 4, 32 KB, 1 MB and 32 MB of
// caches). They are fitted to the columns "as it is" and "copied first" which
//
//     cargo xtask bench tensor --threads 1 --only "copy first"
//
// prints next to the two estimates. To calibrate them anew, run that on an idle machine, and change the
// constant of the access that is off in the rows that have it; `tests/all/plan.rs` lists the choices that
// have to come out.

/// A call of a body: for a row, or for the part of it that is in a tile.
const CALL_NS: f64 = 2.0;
/// An element that goes through a buffer: written to it, and read from it.
const BUFFERED_NS: f64 = 0.06;
/// An element that is packed with a stride of more than four elements.
const STRIDED_NS: f64 = 0.18;
/// An element that is packed with a stride of at most four elements, forwards or backwards.
const NEAR_NS: f64 = 0.03;
/// A byte of a tile that is transposed in registers.
const TRANSPOSED_BYTE_NS: f64 = 0.02;
/// An element that is broadcast into a buffer.
const FILLED_NS: f64 = 0.03;
/// A contiguous row that is packed, and a byte of it.
const ROW_NS: (f64, f64) = (0.5, 0.01);
/// An element that is cast.
const CONVERTED_NS: f64 = 0.12;
/// The latency of an element that is packed from a row while the operands do not fit in the third-level
/// cache.
const FAR_NS: f64 = 0.08;
/// The same for a tile that is transposed or strided, and is not in the first-level cache: if all
/// operands fit in the third level, if they do not, and if this one takes half of that cache itself.
/// Copies, and large planes in which no operand is cast, are tiled and prefetched, and wait less.
const TILE_FAR_NS: [f64; 3] = [0.05, 0.5, 1.0];
const STRIP_FAR_NS: [f64; 3] = [0.05, 0.05, 1.0];
const COPY_FAR_NS: [f64; 3] = [0.05, 0.05, 0.3];
/// Elements of a large plane.
const LARGE_PLANE_ELEMENTS: usize = 1 << 18;
/// A byte that comes from or goes to the second-level cache, the third one, and memory.
const BYTE_NS: [f64; 3] = [0.005, 0.012, 0.035];
/// The same for a row that is read again: it is prefetched in time.
const BYTE_AGAIN_NS: [f64; 3] = [0.0, 0.002, 0.03];
/// How much the caches hold, with room for other data.
const CACHE_BYTES: [f64; 3] = [32e3, 0.75e6, 20e6];
/// A copy of any size: an allocation, a plan, and the copy event.
const COPY_NS: f64 = 600.0;

/// Returns the nanoseconds of an operation, without its arithmetic.
fn cost<const N: usize>(plan: &Plan<N>, widths: [Width; N]) -> f64 {
    if plan.is_empty() {
        return 0.0;
    }
    let [rows, cols] = plane(plan);
    let is_packed = |n: usize| widths[n].converted.is_some() || access(plan, n) == Access::Packed;
    let footprints: [Footprint; N] = std::array::from_fn(|n| Footprint::new(plan, widths[n], n));
    let all: f64 = footprints.iter().map(Footprint::bytes).sum();
    let len_of_call = match () {
        () if Access::has_short_rows([rows.len, cols.len]) => BLOCK_ELEMENTS,
        () if (0..N).any(is_packed) => plan.tile().cols,
        () => cols.len,
    };
    let visited = plan.len() as f64;
    let operand = |n: usize| {
        let traffic = footprints[n].traffic(visited, all);
        match is_packed(n) {
            true => {
                traffic
                    + visited
                        * (BUFFERED_NS + packing_cost(plan, widths[n], n, &footprints[n], all))
            }
            false => traffic,
        }
    };
    visited * CALL_NS / len_of_call as f64 + (0..N).map(operand).sum::<f64>()
}

/// Returns the nanoseconds that it takes to copy an operand's distinct elements.
fn copy_cost(copy: &Layout, from: &Layout, width: Width) -> Result<f64, Error> {
    let widths = [Width::of(width.computed()), width];
    let plan = Plan::elementwise([copy, from], widths.map(|it| it.memory))?;
    let footprints = [0, 1].map(|n| Footprint::new(&plan, widths[n], n));
    let all = footprints[0].bytes() + footprints[1].bytes();
    let distinct = plan.len() as f64;
    let traffic: f64 = footprints.iter().map(|it| it.traffic(distinct, all)).sum();
    Ok(COPY_NS + traffic + distinct * packing_cost(&plan, width, 1, &footprints[1], all))
}

/// Returns the nanoseconds that it takes to pack one element of an operand, and to cast it.
fn packing_cost<const N: usize>(
    plan: &Plan<N>,
    width: Width,
    n: usize,
    footprint: &Footprint,
    all: f64,
) -> f64 {
    let [rows, cols] = plane(plan);
    let is_converted = width.converted.is_some();
    let (own, exceeds_l3) = (footprint.bytes(), all > CACHE_BYTES[2]);
    let far_tile = match () {
        // One operand that is written and one that is read: a copy.
        () if N == 2 => COPY_FAR_NS,
        () if !is_converted && rows.len.saturating_mul(cols.len) >= LARGE_PLANE_ELEMENTS => {
            STRIP_FAR_NS
        }
        () => TILE_FAR_NS,
    };
    let tile_latency = match () {
        () if own <= CACHE_BYTES[0] => 0.0,
        () if own > CACHE_BYTES[2] / 2.0 => far_tile[2],
        () => far_tile[usize::from(exceeds_l3)],
    };
    let row_latency = if exceeds_l3 && N > 2 { FAR_NS } else { 0.0 };
    let moved = match (rows.steps[n], cols.steps[n]) {
        // Contiguous elements are cast in place.
        (_, 1) if is_converted => ROW_NS.0 / cols.len.min(BLOCK_ELEMENTS) as f64 + row_latency,
        (_, 1) => ROW_NS.0 / cols.len as f64 + ROW_NS.1 * width.memory as f64 + row_latency,
        (_, 0) => FILLED_NS,
        (_, -4..=4) => NEAR_NS + row_latency,
        (1, _) if rows.len > 1 => TRANSPOSED_BYTE_NS * width.memory as f64 + tile_latency,
        _ => STRIDED_NS + tile_latency,
    };
    if is_converted { moved + CONVERTED_NS } else { moved }
}

/// The memory footprint of an operand.
struct Footprint {
    distinct: f64,
    /// The bytes that are fetched for each of its distinct elements.
    fetched: f64,
}

impl Footprint {
    fn new<const N: usize>(plan: &Plan<N>, width: Width, n: usize) -> Footprint {
        let moved = || plan.loops().iter().filter(|it| it.steps[n] != 0);
        let distinct: usize = moved().map(|it| it.len).product();
        // The least step determines how much of each cache line is used eventually.
        let least = moved().map(|it| it.steps[n].unsigned_abs()).min().unwrap_or(1);
        let line = least.saturating_mul(width.memory).min(CACHE_LINE_BYTES);
        Footprint { distinct: distinct as f64, fetched: line.max(width.memory) as f64 }
    }

    fn bytes(&self) -> f64 {
        self.distinct * self.fetched
    }

    /// Returns the nanoseconds that it takes to move the elements to or from the first-level cache, if
    /// `visited` elements are visited and all operands together have `all` bytes.
    fn traffic(&self, visited: f64, all: f64) -> f64 {
        let again = (visited - self.distinct).max(0.0) * self.fetched;
        self.bytes() * level_cost(all, BYTE_NS) + again * level_cost(self.bytes(), BYTE_AGAIN_NS)
    }
}

/// Returns the cost of a byte that comes from the cache level that holds `bytes`.
fn level_cost(bytes: f64, costs: [f64; 3]) -> f64 {
    let n_exceeded = CACHE_BYTES.iter().take_while(|&&size| bytes > size).count();
    if n_exceeded == 0 { 0.0 } else { costs[n_exceeded - 1] }
}

/// Returns an operand's layout with length 1 along the axes along which it is broadcast.
pub(crate) fn compact(operand: &Layout) -> Result<Layout, Error> {
    let axes: InlineVec<Axis> =
        operand.axes().iter().map(|it| if it.stride == 0 { UNIT_AXIS } else { *it }).collect();
    Ok(Layout::new(operand.start(), &axes)?)
}

/// Returns the layout for a copy of an operand's distinct elements: dense, with its axes in the order of
/// the output's, so that both have the same innermost loop. The axes along which the operand is broadcast
/// have length 1.
pub(crate) fn copy_layout(out: &Layout, operand: &Layout) -> Result<Layout, Error> {
    let pairs = operand.axes().iter().zip(out.axes());
    let axes: InlineVec<Axis> = pairs
        .map(|(it, out)| match it.stride {
            0 => UNIT_AXIS,
            // Only the order of the strides counts; negative ones would need a start.
            _ => Axis::new(it.len, out.stride.saturating_abs()),
        })
        .collect();
    let lengths: Shape = axes.iter().map(|it| it.len).collect();
    output_layout(&lengths, &[&Layout::new(0, &axes)?])
}

/// An axis of length 1.
const UNIT_AXIS: Axis = Axis::new(1, 0);

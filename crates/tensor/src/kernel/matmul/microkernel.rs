//! Tiles computed by a register-blocked microkernel, for integers and small products.
//!
//! The innermost loops keep `ROWS × N` sums in registers: for each inner index, `N` contiguous elements of a
//! row of `b` are loaded, multiplied by one element of each of `ROWS` rows of `a`, and added. A panel of `b`
//! whose rows are not contiguous, or whose dtype is not that of the sums, is packed into a buffer that stays
//! in the L1 cache for all rows of `a`.

use super::operand::{MatPtr, Packer, TileProduct};
use super::scratch::{TileMemory, TileScratch, buffer_bytes};
use super::{TileArgs, TileKernel};
use crate::Element;
use crate::dtype::{MulAdd, Number};
use crate::kernel::cpu::{BlockLoop, compiled};
use crate::kernel::map::Buffer;
use num_complex::Complex;
use std::marker::PhantomData;

/// Rows of `a` per block: two vectors of sums for each, and their operands, fill the registers.
const ROWS: usize = 4;

/// Inner indices per block: as many rows of 64 bytes as a `Buffer` has room for.
pub(super) const DEPTH: usize = 256;

/// Elements of `a` that fit in the L1 cache together with the buffer.
const L1_ELEMENTS: usize = 1024;

/// A type that products are summed in.
pub(super) trait Accumulator: Number + Element<Wide = Self> {
    /// `self + x · y`, with one rounding if `FUSED` and two if not.
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: Self, y: Self) -> Self {
        self.plus(x.times(y))
    }
}

impl Accumulator for u16 {}
impl Accumulator for u32 {}
impl Accumulator for u64 {}

impl Accumulator for f32 {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: f32, y: f32) -> f32 {
        if FUSED { x.mul_add(y, self) } else { self + x * y }
    }
}

impl Accumulator for f64 {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: f64, y: f64) -> f64 {
        if FUSED { x.mul_add(y, self) } else { self + x * y }
    }
}

impl Accumulator for Complex<f32> {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: Self, y: Self) -> Self {
        complex::<f32, FUSED>(self, x, y)
    }
}

impl Accumulator for Complex<f64> {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: Self, y: Self) -> Self {
        complex::<f64, FUSED>(self, x, y)
    }
}

#[inline(always)]
fn complex<T: Accumulator, const FUSED: bool>(
    sum: Complex<T>,
    x: Complex<T>,
    y: Complex<T>,
) -> Complex<T> {
    let re = sum.re.plus_product::<FUSED>(x.re, y.re).plus_product::<FUSED>(x.im.negative(), y.im);
    let im = sum.im.plus_product::<FUSED>(x.re, y.im).plus_product::<FUSED>(x.im, y.re);
    Complex::new(re, im)
}

/// Returns the kernel for elements of type `T` with sums of type `C`: `N` sums are 64 bytes, and `H` are 32. The two
/// types are the same, or differ in size.
pub(super) fn kernel<T: Element, C: Accumulator, const N: usize, const H: usize>() -> TileKernel {
    const { assert!(N * size_of::<C>() == 64 && 2 * H == N) };
    TileKernel {
        run: compiled::<TileLoop<T, C, N, H>>(),
        memory: |largest| PackedLens::new::<T, C, N>(largest).memory::<T, C>(),
    }
}

/// The loop nest of one tile.
struct TileLoop<T, C, const N: usize, const H: usize>(PhantomData<(T, C)>);

impl<T: Element, C: Accumulator, const N: usize, const H: usize> BlockLoop
    for TileLoop<T, C, N, H>
{
    type Args<'a> = TileArgs<'a>;

    /// # Safety
    /// That of a `TileKernel`, for `T`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((part, scratch): TileArgs<'_>) {
        let part = part.cast::<T>();
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            // Emulated, rounding once would take many instructions.
            if const { M::IS_INSTRUCTION } {
                match part.m {
                    1 => multiply_tile::<T, C, 1, N, H, true>(&part, scratch),
                    _ => multiply_tile::<T, C, ROWS, N, H, true>(&part, scratch),
                }
            } else {
                match part.m {
                    1 => multiply_tile::<T, C, 1, N, H, false>(&part, scratch),
                    _ => multiply_tile::<T, C, ROWS, N, H, false>(&part, scratch),
                }
            }
        }
    }
}

/// The elements of the buffers that a tile needs.
#[derive(Clone, Copy)]
struct PackedLens {
    /// Elements of the left factor, of the type of the sums; 0 if it is read in place.
    block: usize,
    /// Elements of a factor that are packed before they are cast.
    dense: usize,
}

impl PackedLens {
    #[inline(always)]
    fn new<T: Element, C: Accumulator, const N: usize>(
        part: &TileProduct<impl Sized>,
    ) -> PackedLens {
        let (m, n, k, is_same) = (part.m, part.n, part.k, T::DTYPE == C::DTYPE);
        let depth = DEPTH.min(k);
        // `a` is read in place if it is contiguous along the inner axis, is read once, or fits in L1.
        let packs = !is_same || part.a.col != 1 && n > N && m * k > L1_ELEMENTS;
        let unless_contiguous = |col: isize, len: usize| if col == 1 { 0 } else { len };
        let casts = || {
            unless_contiguous(part.a.col, m * depth).max(unless_contiguous(part.b.col, depth * N))
        };
        PackedLens {
            block: if packs { m * depth } else { 0 },
            dense: if is_same { 0 } else { casts() },
        }
    }

    #[inline(always)]
    fn memory<T, C>(self) -> TileMemory {
        TileMemory {
            own: buffer_bytes::<C>(self.block) + buffer_bytes::<T>(self.dense),
            foreign: 0,
        }
    }
}

/// Computes a tile in blocks of `M` rows.
///
/// # Safety
/// That of a `TileKernel`, for `T`.
#[inline(always)]
unsafe fn multiply_tile<T, C, const M: usize, const N: usize, const H: usize, const FUSED: bool>(
    part: &TileProduct<T>,
    scratch: &mut TileScratch,
) where
    T: Element,
    C: Accumulator,
{
    let TileProduct { m, n, k, .. } = *part;
    let mut room = Buffer::new();
    let lens = PackedLens::new::<T, C, N>(part);
    let mut buffers = scratch.buffers_for(lens.memory::<T, C>());
    let block = buffers.take::<C>(lens.block);
    let mut packer = Packer::<T>::new(C::DTYPE, buffers.take(lens.dense));
    let (mut p, mut add) = (0, part.add);
    loop {
        let depth = DEPTH.min(k - p);
        // SAFETY: `p + depth` is at most the inner length, so these columns of `a` and rows of `b` exist; if
        // there are none, the pointers do not move. The block has room for `m` rows, that of the packer for these and
        // for a panel of `b` (`PackedLens`), and the buffer for `DEPTH` rows of 64 bytes. `T` and `C` are the same type
        // if nothing is packed.
        unsafe {
            let mut a = if depth == 0 { part.a } else { part.a.submatrix(0, p) }.cast::<C>();
            if lens.block > 0 {
                let dense = MatPtr::row_major(block, depth);
                packer.pack(dense, a.cast(), [m, depth]);
                a = dense;
            }
            for j in (0..n).step_by(N) {
                let b = if depth == 0 { part.b } else { part.b.submatrix(p, j) };
                let panel = TileProduct {
                    m,
                    n: N.min(n - j),
                    k: depth,
                    out: part.out.submatrix(0, j),
                    a: part.a,
                    b,
                    add,
                };
                match panel.n <= H {
                    true => multiply_panel::<T, C, M, H, FUSED>(&panel, a, room.ptr(), &mut packer),
                    false => {
                        multiply_panel::<T, C, M, N, FUSED>(&panel, a, room.ptr(), &mut packer)
                    }
                }
            }
        }
        (p, add) = (p + depth, true);
        if p >= k {
            return;
        }
    }
}

/// Computes a panel of at most `N` columns, with `a` as the left factor.
///
/// # Safety
/// - That of a `TileKernel`, for `T`, with `a` in place of the left factor.
/// - `room` must be valid for writes of the right factor with `N` columns of type `C`.
#[inline(always)]
unsafe fn multiply_panel<
    T: Element,
    C: Accumulator,
    const M: usize,
    const N: usize,
    const FUSED: bool,
>(
    part: &TileProduct<T>,
    a: MatPtr<C>,
    room: *mut u8,
    packer: &mut Packer<T>,
) {
    let TileProduct { m, n: width, k: depth, out, add, .. } = *part;
    let mut b = part.b.cast::<C>();
    // SAFETY: all operands are valid (contract); `T` and `C` are the same type if `b` is not packed. Blocks of
    // rows are within the tile.
    unsafe {
        if T::DTYPE != C::DTYPE || b.col != 1 || width < N {
            let panel = MatPtr::row_major(room.cast::<C>(), N);
            if width < N {
                // The sums of the missing columns are computed and not stored.
                panel.at.write_bytes(0, depth * N);
            }
            packer.pack(panel, part.b, [depth, width]);
            b = panel;
        }
        for i in (0..m).step_by(M) {
            let height = M.min(m - i);
            let sums = accumulate::<C, M, N, FUSED>([height, depth], a.submatrix(i, 0), b);
            store(out.submatrix(i, 0), [height, width], &sums, add);
        }
    }
}

/// Computes the sums of products for `M` rows of `a` and `N` columns of `b`. If `height < M`, the last row is used for
/// the missing ones.
///
/// # Safety
/// `a` must be valid for reads of `height × depth` elements, and `b` of `depth` rows of `N` contiguous ones.
#[inline(always)]
unsafe fn accumulate<C: Accumulator, const M: usize, const N: usize, const FUSED: bool>(
    [height, depth]: [usize; 2],
    a: MatPtr<C>,
    b: MatPtr<C>,
) -> [[C; N]; M] {
    let mut sums = [[C::ZERO; N]; M];
    let rows: [*mut C; M] = std::array::from_fn(|i| a.submatrix(i.min(height - 1), 0).at);
    for p in 0..depth as isize {
        // SAFETY: the row has `N` contiguous elements (contract); an array is aligned like its elements.
        let row: [C; N] = unsafe { b.at.offset(p * b.row).cast::<[C; N]>().read() };
        for i in 0..M {
            // SAFETY: `p < depth`, and the row has `depth` elements (contract).
            let x = unsafe { rows[i].offset(p * a.col).read() };
            for j in 0..N {
                sums[i][j] = sums[i][j].plus_product::<FUSED>(x, row[j]);
            }
        }
    }
    sums
}

/// Writes `height × width` sums to the result, or adds them to it.
///
/// # Safety
/// `out` must be valid for writes of `height × width` elements, which are initialised if `add`.
#[inline(always)]
unsafe fn store<T: Element, C: Accumulator, const M: usize, const N: usize>(
    out: MatPtr<T>,
    [height, width]: [usize; 2],
    sums: &[[C; N]; M],
    add: bool,
) {
    for (i, sums) in sums.iter().enumerate().take(height) {
        let row = out.submatrix(i, 0);
        if width == N && out.col == 1 && !add && T::DTYPE == C::DTYPE {
            // SAFETY: the row has `N` contiguous elements of this type; an array is aligned like its elements.
            unsafe { row.at.cast::<[C; N]>().write(*sums) };
            continue;
        }
        let write = |at: *mut T, sum: C| {
            // SAFETY: the calls below pass elements of the row, which has `width` of them and is valid (contract).
            unsafe { at.write(if add { at.read().cast::<C>().plus(sum) } else { sum }.cast::<T>()) }
        };
        match width == N && out.col == 1 {
            true => (0..N).for_each(|j| write(row.at.wrapping_add(j), sums[j])),
            false => (0..width).for_each(|j| write(row.submatrix(0, j).at, sums[j])),
        }
    }
}

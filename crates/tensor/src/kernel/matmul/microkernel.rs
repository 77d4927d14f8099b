//! Tiles by loops of our own.
//!
//! The innermost loops keep a few rows of sums in registers: for each inner index a stretch of a row
//! of `b` is read, multiplied with one element of each of some rows of `a`, and added. Stretches of
//! `b` that are not blocks, or of another type than the sums, are brought into a buffer that stays in
//! the first-level cache while all rows of `a` pass by.

use super::Kernel;
use super::tile::{Loader, Matrix, Part};
use crate::Element;
use crate::dtype::{MulAdd, Number};
use crate::kernel::cpu::{BlockLoop, compiled};
use crate::kernel::map::Buffer;
use num_complex::Complex;
use std::marker::PhantomData;

/// Rows of `a` that are worked on at once: with two vectors of sums each, and what they are made of,
/// these fill the registers.
const ROWS: usize = 4;

/// Inner indices that are worked on at once: as many stretches of 64 bytes as a buffer has room for.
pub(super) const DEPTH: usize = 256;

/// Elements of `a` that stay in the first-level cache beside a buffer.
const NEAR: usize = 1024;

/// A number that products are summed up in.
pub(super) trait Lane: Number + Element<Wide = Self> {
    /// The number plus a product, which is rounded once or twice if the type rounds.
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: Self, y: Self) -> Self {
        self.plus(x.times(y))
    }
}

impl Lane for u16 {}
impl Lane for u32 {}
impl Lane for u64 {}

impl Lane for f32 {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: f32, y: f32) -> f32 {
        if FUSED { x.mul_add(y, self) } else { self + x * y }
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: f64, y: f64) -> f64 {
        if FUSED { x.mul_add(y, self) } else { self + x * y }
    }
}

impl Lane for Complex<f32> {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: Self, y: Self) -> Self {
        complex::<f32, FUSED>(self, x, y)
    }
}

impl Lane for Complex<f64> {
    #[inline(always)]
    fn plus_product<const FUSED: bool>(self, x: Self, y: Self) -> Self {
        complex::<f64, FUSED>(self, x, y)
    }
}

#[inline(always)]
fn complex<T: Lane, const FUSED: bool>(
    sum: Complex<T>,
    x: Complex<T>,
    y: Complex<T>,
) -> Complex<T> {
    let re = sum.re.plus_product::<FUSED>(x.re, y.re).plus_product::<FUSED>(x.im.negative(), y.im);
    let im = sum.im.plus_product::<FUSED>(x.re, y.im).plus_product::<FUSED>(x.im, y.re);
    Complex::new(re, im)
}

/// A kernel for elements of type `T` with sums in `C`, of which `N` have 64 bytes and `H` have half of
/// them. The two are the same type, or have different sizes.
pub(super) fn kernel<T: Element, C: Lane, const N: usize, const H: usize>() -> Kernel {
    const { assert!(N * size_of::<C>() == 64 && 2 * H == N) };
    compiled::<TileLoop<T, C, N, H>>()
}

/// The product of two tiles.
struct TileLoop<T, C, const N: usize, const H: usize>(PhantomData<(T, C)>);

impl<T: Element, C: Lane, const N: usize, const H: usize> BlockLoop for TileLoop<T, C, N, H> {
    type Args<'a> = &'a Part<u8>;

    /// # Safety
    /// That of a `Kernel`, for `T`.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(part: &Part<u8>) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            // Emulated, rounding once would take many instructions.
            if const { M::IS_INSTRUCTION } {
                tile::<T, C, N, H, true>(part);
            } else {
                tile::<T, C, N, H, false>(part);
            }
        }
    }
}

/// # Safety
/// That of a `Kernel`, for `T`.
#[inline(always)]
unsafe fn tile<T: Element, C: Lane, const N: usize, const H: usize, const FUSED: bool>(
    part: &Part<u8>,
) {
    let part = part.of::<T>();
    // SAFETY: the caller's promises.
    unsafe {
        match part.m {
            1 => rows::<T, C, 1, N, H, FUSED>(&part),
            _ => rows::<T, C, ROWS, N, H, FUSED>(&part),
        }
    }
}

/// # Safety
/// That of a `Kernel`, for `T`.
#[inline(always)]
unsafe fn rows<T, C, const M: usize, const N: usize, const H: usize, const FUSED: bool>(
    part: &Part<T>,
) where
    T: Element,
    C: Lane,
{
    let Part { m, n, k, .. } = *part;
    let mut room = Buffer::new();
    let mut loader = Loader::<T>::to(C::DTYPE);
    let is_same = T::DTYPE == C::DTYPE;
    // Rows of `a` can be read where they are if they lie along the inner axis, are read once, or are
    // so few that all of them stay in the first-level cache.
    let packs = !is_same || part.a.col != 1 && n > N && m * k > NEAR;
    let mut block: Vec<C> = Vec::new();
    let (mut p, mut add) = (0, part.add);
    loop {
        let depth = DEPTH.min(k - p);
        // SAFETY: these columns of `a` and rows of `b` are the caller's; if there are none, the
        // matrices begin where they did. The block has room for `m` rows, and the buffer for `DEPTH`
        // stretches of 64 bytes. Elements of `T` and `C` are one type if they are not loaded.
        unsafe {
            let mut a = if depth == 0 { part.a } else { part.a.from(0, p) }.cast::<C>();
            if packs {
                block.reserve(m * depth);
                let dense = Matrix::dense(block.as_mut_ptr(), depth);
                loader.load(dense, a.cast(), [m, depth]);
                a = dense;
            }
            for j in (0..n).step_by(N) {
                let b = if depth == 0 { part.b } else { part.b.from(p, j) };
                let stretch = Part {
                    m,
                    n: N.min(n - j),
                    k: depth,
                    out: part.out.from(0, j),
                    a: part.a,
                    b,
                    add,
                };
                match stretch.n <= H {
                    true => columns::<T, C, M, H, FUSED>(&stretch, a, room.ptr(), &mut loader),
                    false => columns::<T, C, M, N, FUSED>(&stretch, a, room.ptr(), &mut loader),
                }
            }
        }
        (p, add) = (p + depth, true);
        if p >= k {
            return;
        }
    }
}

/// One stretch of at most `N` columns, with the left factor as `a`.
///
/// # Safety
/// That of a `Kernel`, for `T`, with `a` in the place of the left factor. There must be room for the
/// right factor with `N` columns of type `C`.
#[inline(always)]
unsafe fn columns<T: Element, C: Lane, const M: usize, const N: usize, const FUSED: bool>(
    part: &Part<T>,
    a: Matrix<C>,
    room: *mut u8,
    loader: &mut Loader<T>,
) {
    let Part { m, n: width, k: depth, out, add, .. } = *part;
    let mut b = part.b.cast::<C>();
    // SAFETY: the caller's promises; elements of `T` and `C` are one type if they are not loaded.
    unsafe {
        if T::DTYPE != C::DTYPE || b.col != 1 || width < N {
            let panel = Matrix::dense(room.cast::<C>(), N);
            if width < N {
                // The other lanes are worked on as well, and their sums are not used.
                panel.at.write_bytes(0, depth * N);
            }
            loader.load(panel, part.b, [depth, width]);
            b = panel;
        }
        for i in (0..m).step_by(M) {
            let height = M.min(m - i);
            let sums = sums::<C, M, N, FUSED>([height, depth], a.from(i, 0), b);
            store(out.from(i, 0), [height, width], &sums, add);
        }
    }
}

/// Sums of products for `M` rows of `a` and `N` columns of `b`. If there are fewer rows, the last one
/// stands for those that are missing.
///
/// # Safety
/// `a` must have the rows and `depth` columns, `b` as many rows of `N` elements that are blocks, all
/// readable.
#[inline(always)]
unsafe fn sums<C: Lane, const M: usize, const N: usize, const FUSED: bool>(
    [height, depth]: [usize; 2],
    a: Matrix<C>,
    b: Matrix<C>,
) -> [[C; N]; M] {
    let mut sums = [[C::ZERO; N]; M];
    // SAFETY: rows up to the last are the caller's.
    let rows: [*mut C; M] = std::array::from_fn(|i| unsafe { a.from(i.min(height - 1), 0).at });
    for p in 0..depth as isize {
        // SAFETY: the row is a block of `N` elements; an array is aligned like its elements.
        let stretch: [C; N] = unsafe { b.at.offset(p * b.row).cast::<[C; N]>().read() };
        for i in 0..M {
            // SAFETY: the rows have `depth` elements.
            let x = unsafe { rows[i].offset(p * a.col).read() };
            for j in 0..N {
                sums[i][j] = sums[i][j].plus_product::<FUSED>(x, stretch[j]);
            }
        }
    }
    sums
}

/// Writes sums to a corner of the result, or adds them to it.
///
/// # Safety
/// `out` must have the rows and columns, writable, and initialised if `add`.
#[inline(always)]
unsafe fn store<T: Element, C: Lane, const M: usize, const N: usize>(
    out: Matrix<T>,
    [height, width]: [usize; 2],
    sums: &[[C; N]; M],
    add: bool,
) {
    let write = |at: *mut T, sum: C| {
        // SAFETY: the element is one of the caller's.
        unsafe { at.write(if add { at.read().cast::<C>().plus(sum) } else { sum }.cast::<T>()) }
    };
    for (i, sums) in sums.iter().enumerate().take(height) {
        // SAFETY: the row is one of the caller's.
        let row = unsafe { out.from(i, 0) };
        if width == N && out.col == 1 && !add && T::DTYPE == C::DTYPE {
            // SAFETY: the row has `N` elements of this type, one behind the other; an array is aligned
            // like its elements.
            unsafe { row.at.cast::<[C; N]>().write(*sums) };
        } else if width == N && out.col == 1 {
            for (j, &sum) in sums.iter().enumerate() {
                // SAFETY: the row has `N` elements, one behind the other.
                write(unsafe { row.at.add(j) }, sum);
            }
        } else {
            for (j, &sum) in sums.iter().enumerate().take(width) {
                // SAFETY: the row has `width` elements.
                write(unsafe { row.from(0, j).at }, sum);
            }
        }
    }
}

//! Numbers and layouts at the limits of `isize`.

use arbitrary::{Result, Unstructured};
use belvedere_layout::{Axis, Layout, MAX_RANK};

/// Draws any integer: mostly a small one, else close to a power of two, to `isize::MIN` or to `isize::MAX`.
///
/// When the input of the fuzzer is used up, it is 0, and [`len`] is 1, so that the rest of a list has no effect.
pub fn int(u: &mut Unstructured) -> Result<isize> {
    let near: isize = *u.choose(&[0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, 8, -9])?;
    Ok(match u.int_in_range(0..=15u8)? {
        11 => isize::MIN + near.abs(),
        12 => isize::MAX - near.abs(),
        13 => (1isize << u.int_in_range(0..=62)?).wrapping_add(near),
        14 => (isize::MIN >> u.int_in_range(0..=62)?).wrapping_add(near),
        15 => u.arbitrary()?,
        _ => near,
    })
}

/// Draws any length or count, including `usize::MAX`.
pub fn len(u: &mut Unstructured) -> Result<usize> {
    Ok(match u.int_in_range(0..=3u8)? {
        0..=1 => *u.choose(&[1, 2, 3, 4, 5, 6, 1, 0])?,
        2 => int(u)? as usize,
        _ => int(u)?.unsigned_abs(),
    })
}

/// Draws a list of at most `most` items.
pub fn list<T>(
    u: &mut Unstructured,
    most: usize,
    mut item: impl FnMut(&mut Unstructured) -> Result<T>,
) -> Result<Vec<T>> {
    let n = u.int_in_range(0..=most)?;
    (0..n).map(|_| item(u)).collect()
}

/// Draws an item for each of up to 6 axes; sometimes followed by `unit` up to about the maximum rank.
pub fn axes<T: Clone>(
    u: &mut Unstructured,
    unit: T,
    item: impl FnMut(&mut Unstructured) -> Result<T>,
) -> Result<Vec<T>> {
    let mut items = list(u, 6, item)?;
    if u.ratio(1, 16)? {
        items.resize(u.int_in_range(MAX_RANK - 3..=MAX_RANK + 6)?, unit);
    }
    Ok(items)
}

/// Lengths with many divisors: very short, or longer than what a chain enumerates.
const COMPOSITE: [usize; 8] = [2, 3, 4, 1 << 13, 3 << 12, 5 << 17, 9 << 27, 1 << 31];

/// Draws a layout at the limits of its invariants: huge lengths, huge strides, ends of memory.
pub fn layout(u: &mut Unstructured) -> Result<Layout> {
    // The remaining budget for the distance of two offsets, and for the number of elements
    // there may still be.
    let (mut room, mut n_left) = (isize::MAX, isize::MAX);
    let (mut below, mut continued) = (0, 1);
    let mut axes = axes(u, Axis::new(1, 0), |u| {
        let len = if u.arbitrary()? { *u.choose(&COMPOSITE)? } else { len(u)? };
        let len = len.min(n_left as usize);
        n_left /= len.max(1) as isize;
        let n_steps = len.max(1) as isize - 1;
        if n_steps == 0 {
            return Ok(Axis::new(len, int(u)?));
        }
        let stride = if u.arbitrary()? { continued } else { int(u)? };
        let stride = stride.clamp(-room / n_steps, room / n_steps);
        room -= stride.abs() * n_steps;
        below += (stride * n_steps).min(0).abs();
        continued = stride.saturating_mul(len as isize);
        Ok(Axis::new(len, stride))
    })?;
    axes.truncate(MAX_RANK);
    axes.reverse();
    let start = below + int(u)?.clamp(0, room);
    Ok(Layout::new(start as usize, &axes).expect("made to fit"))
}

/// Draws a shape of `n` elements, which may be huge.
pub fn shape(u: &mut Unstructured, n: usize) -> Result<Vec<usize>> {
    let mut shape = Vec::new();
    let mut left = n;
    for _ in 0..u.int_in_range(0..=3)? {
        let len = if u.arbitrary()? { *u.choose(&COMPOSITE)? } else { u.int_in_range(1..=9)? };
        if left.is_multiple_of(len) {
            shape.push(len);
            left /= len;
        }
    }
    shape.insert(u.int_in_range(0..=shape.len())?, left);
    Ok(shape)
}

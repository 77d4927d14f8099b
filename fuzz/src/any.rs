//! Small layouts of every kind, and mostly valid arguments for them.

use arbitrary::{Result, Unstructured};
use belvedere_layout::{Axis, Index, Layout, Slice};

use crate::wild;

/// The lengths of small axes: 0 and 5 are rare, and the others have factors in common.
const LENGTHS: [usize; 8] = [1, 2, 3, 4, 2, 3, 5, 0];

/// The maximum number of elements: few enough to enumerate quickly; no known defect needs more.
const MAX_ELEMENTS: usize = 40;

/// Draws a layout of at most four axes, with strides of any sign. Adjacent axes often form one run, forwards
/// or backwards, so that they can be merged.
pub fn layout(u: &mut Unstructured) -> Result<Layout> {
    let rank = u.int_in_range(0..=4)?;
    let mut axes = Vec::new();
    let (mut continued, mut n) = (1, 1);
    for _ in 0..rank {
        let len = *u.choose(&LENGTHS)?;
        let len = if n * len > MAX_ELEMENTS { 1 } else { len };
        n *= len;
        let stride = match u.int_in_range(0..=3u8)? {
            0 => u.int_in_range(-7..=7)?,
            1 => -continued,
            _ => continued,
        };
        continued = stride * len.max(1) as isize;
        axes.push(Axis::new(len, stride));
    }
    axes.reverse();
    axes.rotate_left(index_below(u, rank)?);
    let reaches = axes.iter().map(|it| it.stride * (it.len.max(1) - 1) as isize);
    let below: isize = reaches.map(|it| it.min(0)).sum();
    let start = below.unsigned_abs() + u.int_in_range(0..=3)?;
    Ok(Layout::new(start, &axes).expect("small numbers fit"))
}

/// Draws a shape of `n` elements, sometimes with an axis of length 1 inserted.
pub fn shape(u: &mut Unstructured, n: usize) -> Result<Vec<usize>> {
    let mut shape = Vec::new();
    let mut left = n;
    while left != 1 && shape.len() < 8 {
        let divisors: Vec<usize> =
            (1..=left.max(3)).filter(|it| left.is_multiple_of(*it)).collect();
        let len = if left == 0 { u.int_in_range(0..=3)? } else { *u.choose(&divisors)? };
        shape.push(len);
        // After a length of 0, the other lengths are arbitrary.
        left = left.checked_div(len).unwrap_or(1);
    }
    if left != 1 {
        shape.push(left);
    }
    if u.ratio(1, 4)? {
        shape.insert(index_below(u, shape.len() + 1)?, 1);
    }
    Ok(shape)
}

/// Draws a request for a shape: one length may be -1, or wrong.
pub fn requested_shape(u: &mut Unstructured, shape: &[usize]) -> Result<Vec<isize>> {
    let mut asked: Vec<isize> = shape.iter().map(|&len| len as isize).collect();
    if !asked.is_empty() && u.ratio(1, 4)? {
        let k = index_below(u, asked.len())?;
        asked[k] = if u.ratio(3, 4)? { -1 } else { wild::int(u)? };
    }
    Ok(asked)
}

/// Draws an axis of `rank`, counted from either end; in about 1 of 16 cases it may not exist.
pub fn axis(u: &mut Unstructured, rank: usize) -> Result<isize> {
    let rank = rank as isize;
    match u.int_in_range(0..=15u8)? {
        0 => wild::int(u),
        1 => u.int_in_range(-rank - 1..=rank),
        _ if rank == 0 => Ok(0),
        _ => u.int_in_range(-rank..=rank - 1),
    }
}

/// Draws a permutation of `rank` axes.
pub fn permutation(u: &mut Unstructured, rank: usize) -> Result<Vec<usize>> {
    let mut left: Vec<usize> = (0..rank).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.remove(index_below(u, left.len())?));
    }
    Ok(order)
}

/// Draws an index expression for `rank` axes, sometimes with too many entries.
pub fn index(u: &mut Unstructured, rank: usize) -> Result<Vec<Index>> {
    let n = u.int_in_range(0..=rank.min(4) + 2)?;
    let mut index = Vec::new();
    for _ in 0..n {
        index.push(match u.int_in_range(0..=7u8)? {
            0 => Index::NewAxis,
            1 => Index::Ellipsis,
            2 => Index::At(wild::int(u)?),
            3 => Index::At(u.int_in_range(-2..=1)?),
            _ => Index::Slice(slice(u)?),
        });
    }
    Ok(index)
}

/// Draws a slice with any integers; a step of 0 is rare.
pub fn slice(u: &mut Unstructured) -> Result<Slice> {
    let start = optional(u)?;
    let stop = optional(u)?;
    let step = match u.int_in_range(0..=5u8)? {
        0 => wild::int(u)?,
        1..=2 => 1,
        3 => -1,
        _ => u.int_in_range(-3..=3)?,
    };
    Ok(Slice { start, stop, step })
}

fn optional(u: &mut Unstructured) -> Result<Option<isize>> {
    Ok(if u.arbitrary()? { Some(wild::int(u)?) } else { None })
}

/// Draws a number below `n`; 0 if `n` is 0.
pub fn index_below(u: &mut Unstructured, n: usize) -> Result<usize> {
    u.int_in_range(0..=n.saturating_sub(1))
}

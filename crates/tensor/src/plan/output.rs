//! The memory order of a fresh result.

use crate::{Error, Layout, Shape, Strides};

/// Returns the layout of a fresh result: dense, with the axis order of the operands as far as they agree,
/// and row-major where they do not (NumPy's order `'K'`).
///
/// The sum of two column-major matrices is column-major, which is three contiguous streams instead of
/// three strided ones.
///
/// ```
/// use belvedere::{Layout, plan::output_layout};
///
/// let a = Layout::row_major(&[3, 4])?.t()?;
/// assert_eq!(output_layout(&[4, 3], &[&a, &a])?.strides(), [1, 4]);
///
/// let b = Layout::row_major(&[4, 3])?;
/// assert_eq!(output_layout(&[4, 3], &[&a, &b])?.strides(), [3, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the shape is too large. Operands of another rank are ignored.
pub fn output_layout(shape: &[usize], operands: &[&Layout]) -> Result<Layout, Error> {
    let fresh = Layout::row_major(shape)?;
    let is_row_major = |layout: &&Layout| layout.is_contiguous() || layout.rank() != shape.len();
    if shape.len() < 2 || operands.iter().all(is_row_major) {
        return Ok(fresh);
    }
    let mut order: Strides = (0..shape.len() as isize).collect();
    // Insertion sort: an axis moves outwards past those that are inside it in every operand. Axes that no
    // operand orders, such as those of length 1, are skipped.
    for i in 1..order.len() {
        let mut to = i;
        for k in (0..i).rev() {
            let axes = [order[k] as usize, order[i] as usize];
            match is_inside(axes, shape.len(), operands.iter().copied()) {
                Some(true) => to = k,
                Some(false) => break,
                None => {}
            }
        }
        order[to..=i].rotate_right(1);
    }
    let lengths: Shape = order.iter().map(|&k| shape[k as usize]).collect();
    let mut back = order.clone();
    for (k, &axis) in order.iter().enumerate() {
        back[axis as usize] = k as isize;
    }
    Ok(Layout::row_major(&lengths)?.permute(&back)?)
}

/// Whether axis `a` belongs inside axis `b`: its stride is the smaller one in every operand that orders the
/// two. An operand orders them if both have a length greater than 1 and a stride other than 0, and the
/// absolute strides differ. Returns `None` if no operand does.
pub(crate) fn is_inside<'a>(
    [a, b]: [usize; 2],
    rank: usize,
    operands: impl Iterator<Item = &'a Layout>,
) -> Option<bool> {
    let mut answer = None;
    for layout in operands.filter(|layout| layout.rank() == rank) {
        let (outer, inner) = (layout.axes()[a], layout.axes()[b]);
        let (x, y) = (outer.stride.unsigned_abs(), inner.stride.unsigned_abs());
        if outer.len <= 1 || inner.len <= 1 || x == 0 || y == 0 || x == y {
            continue;
        }
        match answer {
            None => answer = Some(x < y),
            Some(before) if before != (x < y) => return Some(false),
            Some(_) => {}
        }
    }
    answer
}

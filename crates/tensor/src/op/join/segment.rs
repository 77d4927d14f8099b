//! Results that repeat stretches of their operand along each axis, or a value.

use crate::kernel::copy::copy;
use crate::view::{AnyView, AnyViewMut, Cell, Input, Written, fresh};
use crate::{Error, Index, Layout, LayoutError, Shape, Slice, Tensor};

/// What lies at some positions of an axis of the result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Segment {
    /// So many positions of the operand from one on.
    Forwards { start: usize, len: usize },
    /// So many positions of the operand from one on, backwards.
    Backwards { start: usize, len: usize },
    /// One position of the operand, so many times.
    Still { at: usize, len: usize },
    /// A value, so many times.
    Value { len: usize },
}

impl Segment {
    fn len(self) -> usize {
        match self {
            Segment::Forwards { len, .. }
            | Segment::Backwards { len, .. }
            | Segment::Still { len, .. }
            | Segment::Value { len } => len,
        }
    }

    /// What it takes of an axis of the operand.
    fn slice(self) -> Slice {
        let (start, len, step) = match self {
            Segment::Forwards { start, len } => (start, len, 1),
            Segment::Backwards { start, len } => (start, len, -1),
            Segment::Still { at, .. } => (at, 1, 1),
            Segment::Value { .. } => (0, 0, 1),
        };
        // `None` for what lies before the first position, which no number stands for.
        let stop = start.checked_add_signed(len as isize * step).map(|it| it as isize);
        Slice { start: Some(start as isize), stop, step }
    }
}

/// The lengths of the axes that segments make. Those that have no positions are left out.
///
/// # Errors
/// If there are too many elements.
fn shape_of(segments: &mut [Vec<Segment>]) -> Result<Shape, Error> {
    let mut shape: Shape = std::iter::repeat_n(0, segments.len()).collect();
    for (len, list) in shape.iter_mut().zip(segments) {
        list.retain(|it| it.len() > 0);
        let total = list.iter().try_fold(0usize, |sum, it| sum.checked_add(it.len()));
        *len = total.unwrap_or(usize::MAX);
    }
    match shape.contains(&usize::MAX) {
        true => Err(LayoutError::TooManyElements { shape: shape.into() }.into()),
        false => Ok(shape),
    }
}

/// Makes a tensor of segments, a list for each axis.
///
/// # Errors
/// If there are too many elements, or not enough memory.
pub(super) fn of_segments(
    x: &Tensor,
    mut segments: Vec<Vec<Segment>>,
    value: Cell,
) -> Result<Tensor, Error> {
    let layout = Layout::row_major(&shape_of(&mut segments)?)?;
    fresh(layout, x.dtype(), [Input::Tensor(x)], |out, [view]| {
        Filling { segments: &segments, value }.fill(out, Some(view), 0)
    })
}

struct Filling<'a> {
    segments: &'a [Vec<Segment>],
    value: Cell,
}

impl Filling<'_> {
    /// Fills axes from one on. There is no view where the value is.
    fn fill<'x>(&self, out: AnyViewMut<'x>, view: Option<AnyView<'_>>, axis: usize) -> Written<'x> {
        let Some(view) = view else {
            let all = self.value.view();
            let all = all.broadcast_to(&out.layout().shape()).expect("one element has every shape");
            return copy(out, &all);
        };
        let Some(segments) = self.segments.get(axis) else {
            let view = view.broadcast_to(&out.layout().shape());
            return copy(out, &view.expect("what stands still has length 1"));
        };
        let lens: Vec<usize> = segments.iter().map(|it| it.len()).collect();
        let whole = Index::Slice(Slice::ALL);
        out.in_parts(axis, &lens, &mut |n, part| {
            let mut index = vec![whole; axis];
            index.push(Index::Slice(segments[n].slice()));
            let inner = match segments[n] {
                Segment::Value { .. } => None,
                _ => Some(view.slice(&index).expect("segments lie inside of their axis")),
            };
            self.fill(part, inner, axis + 1)
        })
    }
}

//! Tensors assembled from segments of another along each axis, for `pad` and `roll`.

use crate::kernel::copy::copy;
use crate::op::execute::compute_new;
use crate::plan::output_layout;
use crate::trace::Call;
use crate::view::{AnyView, AnyViewMut, Cell, Written};
use crate::{Error, Index, LayoutError, Shape, Slice, Tensor};

/// A range of positions along an axis of the result, and what is copied to it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Segment {
    /// `len` positions of the operand from `start` on.
    Forwards { start: usize, len: usize },
    /// `len` positions of the operand from `start` on, backwards.
    Backwards { start: usize, len: usize },
    /// One position of the operand, repeated.
    Repeat { at: usize, len: usize },
    /// The fill value, repeated.
    Value { len: usize },
}

impl Segment {
    fn len(self) -> usize {
        match self {
            Segment::Forwards { len, .. }
            | Segment::Backwards { len, .. }
            | Segment::Repeat { len, .. }
            | Segment::Value { len } => len,
        }
    }

    /// Returns the slice of the axis of the operand that is copied.
    fn slice(self) -> Slice {
        let (start, len, step) = match self {
            Segment::Forwards { start, len } => (start, len, 1),
            Segment::Backwards { start, len } => (start, len, -1),
            Segment::Repeat { at, .. } => (at, 1, 1),
            Segment::Value { .. } => (0, 0, 1),
        };
        // A stop before the first position is `None`: negative numbers count from the end.
        let stop = start.checked_add_signed(len as isize * step).map(|it| it as isize);
        Slice { start: Some(start as isize), stop, step }
    }
}

/// Removes empty segments and returns the shape of the result.
///
/// # Errors
/// Fails if there are too many elements.
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

/// Returns a new tensor assembled from segments of `x`, a list for each axis.
///
/// # Errors
/// Fails if there are too many elements, or memory cannot be allocated.
pub(super) fn join_segments(
    call: Call<'_>,
    x: &Tensor,
    mut segments: Vec<Vec<Segment>>,
    value: Cell,
) -> Result<Tensor, Error> {
    let layout = output_layout(&shape_of(&mut segments)?, &[x.layout()])?;
    compute_new(call, layout, x.dtype(), &[x.into()], |out, [view]| {
        SegmentWriter { segments: &segments, value }.fill(out, Some(view), 0)
    })
}

/// Writes the segments of each axis recursively.
struct SegmentWriter<'a> {
    segments: &'a [Vec<Segment>],
    value: Cell,
}

impl SegmentWriter<'_> {
    /// Writes all axes from `axis` on. `view` is `None` where the fill value goes.
    fn fill<'x>(&self, out: AnyViewMut<'x>, view: Option<AnyView<'_>>, axis: usize) -> Written<'x> {
        let Some(view) = view else {
            let all = self.value.view();
            let all = all
                .broadcast_to(&out.layout().shape())
                .expect("one element broadcasts to any shape");
            return copy(out, &all);
        };
        let Some(segments) = self.segments.get(axis) else {
            let view = view.broadcast_to(&out.layout().shape());
            return copy(out, &view.expect("repeated axes have length 1"));
        };
        let lens: Vec<usize> = segments.iter().map(|it| it.len()).collect();
        let whole = Index::Slice(Slice::ALL);
        out.write_in_parts(axis, &lens, &mut |n, part| {
            let mut index = vec![whole; axis];
            index.push(Index::Slice(segments[n].slice()));
            let inner = match segments[n] {
                Segment::Value { .. } => None,
                _ => Some(view.slice(&index).expect("segments are within their axis")),
            };
            self.fill(part, inner, axis + 1)
        })
    }
}

//! A tracker of movements as tutorials about tinygrad build it, on top of a chain.

use crate::{Chain, Layout, LayoutError};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display};
use core::ops::Range;

/// A shape that remembers the movements it has gone through, and prints as Python would.
///
/// The tutorial version recomputes strides in `reshape` even after a `permute`, and then reads the
/// wrong elements; this one keeps a [`Chain`] and reads the right ones.
///
/// ```
/// use belvedere_layout::compat::ShapeTracker;
///
/// let mut tracker = ShapeTracker::new(&[2, 3, 4])?;
/// tracker.reshape(&[6, 4])?.permute(&[1, 0])?;
/// assert_eq!(
///     tracker.to_string(),
///     "ShapeTracker(shape=(4, 6), strides=(1, 4), contiguous=False, \
///      ops=['reshape(6, 4)', 'permute(1, 0)'])"
/// );
/// assert_eq!(tracker.index(&[2, 3])?, Some(14));
///
/// tracker.reshape(&[24])?; // no strides do this, and still every element is found
/// assert_eq!(tracker.index(&[1])?, Some(4));
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeTracker {
    chain: Chain,
    ops: Vec<String>,
}

impl ShapeTracker {
    /// The tracker of a fresh tensor.
    ///
    /// # Errors
    /// When the shape has too many axes or elements.
    pub fn new(shape: &[usize]) -> Result<ShapeTracker, LayoutError> {
        Ok(ShapeTracker { chain: Chain::new(Layout::row_major(shape)?), ops: Vec::new() })
    }

    /// What the tracker has come to.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The movements so far, as Python would write them.
    pub fn ops(&self) -> &[String] {
        &self.ops
    }

    /// Sees the elements in another shape.
    ///
    /// # Errors
    /// When the shape does not hold as many elements.
    pub fn reshape(&mut self, shape: &[usize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.reshape(shape)?, "reshape", shape)
    }

    /// Reorders the axes.
    ///
    /// # Errors
    /// When `order` does not name each axis once.
    pub fn permute(&mut self, order: &[isize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.permute(order)?, "permute", order)
    }

    /// Repeats axes of length 1, and puts new ones in front.
    ///
    /// # Errors
    /// When a length differs where it is not 1, or there are fewer axes.
    pub fn expand(&mut self, shape: &[usize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.broadcast_to(shape)?, "expand", shape)
    }

    /// Keeps a range of each axis.
    ///
    /// # Errors
    /// When there is not one range for each axis, or one does not lie inside its axis.
    pub fn shrink(&mut self, ranges: &[Range<usize>]) -> Result<&mut ShapeTracker, LayoutError> {
        let pairs: Vec<_> = ranges.iter().map(|it| Pair(it.start, it.end)).collect();
        self.record(self.chain.shrink(ranges)?, "shrink", &pairs)
    }

    /// Puts padding around each axis.
    ///
    /// # Errors
    /// When there is not one pair for each axis, or the result is too large.
    pub fn pad(&mut self, padding: &[(usize, usize)]) -> Result<&mut ShapeTracker, LayoutError> {
        let pairs: Vec<_> = padding.iter().map(|&(before, after)| Pair(before, after)).collect();
        self.record(self.chain.pad(padding)?, "pad", &pairs)
    }

    /// Walks axes backwards.
    ///
    /// # Errors
    /// When an axis does not exist or is named twice.
    pub fn flip(&mut self, axes: &[isize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.flip(axes)?, "flip", axes)
    }

    /// Whether all movements together come to one contiguous layout, which may begin anywhere.
    pub fn is_contiguous(&self) -> bool {
        self.chain.as_layout().is_some_and(|it| it.is_contiguous())
    }

    /// Whether a kernel that wants contiguous memory needs a copy first.
    pub fn needs_copy(&self) -> bool {
        !self.is_contiguous()
    }

    /// The offset of one element; `None` when it is padding.
    ///
    /// # Errors
    /// When there are not as many indices as axes, or one is out of range.
    pub fn index(&self, index: &[usize]) -> Result<Option<usize>, LayoutError> {
        self.chain.index(index)
    }

    fn record(
        &mut self,
        chain: Chain,
        op: &str,
        arguments: &[impl Display],
    ) -> Result<&mut ShapeTracker, LayoutError> {
        self.chain = chain;
        self.ops.push(format!("{op}{}", Tuple(arguments)));
        Ok(self)
    }
}

impl Display for ShapeTracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShapeTracker(shape={}, strides=", Tuple(self.chain.shape()))?;
        match self.chain.as_layout() {
            Some(layout) => write!(f, "{}", Tuple(&layout.strides()))?,
            None => write!(f, "None")?,
        }
        write!(f, ", contiguous={}, ops=[", if self.is_contiguous() { "True" } else { "False" })?;
        for (i, op) in self.ops.iter().enumerate() {
            write!(f, "{}'{op}'", if i == 0 { "" } else { ", " })?;
        }
        write!(f, "])")
    }
}

/// Prints like a Python tuple: `()`, `(12,)`, `(3, 4)`.
struct Tuple<'a, T>(&'a [T]);

impl<T: Display> Display for Tuple<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(")?;
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        write!(f, "{}", if self.0.len() == 1 { ",)" } else { ")" })
    }
}

struct Pair(usize, usize);

impl Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.0, self.1)
    }
}

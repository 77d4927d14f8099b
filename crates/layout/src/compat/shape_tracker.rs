//! `ShapeTracker`: a record of movement operations, as tutorials about tinygrad build it.

use crate::{Chain, Layout, LayoutError};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display};
use core::ops::Range;

/// A shape and the movement operations that were applied to it; its `Display` is that of the Python
/// class.
///
/// The tutorial version recomputes row-major strides in `reshape` even after a `permute`, and then
/// reads the wrong elements. This one keeps a [`Chain`] and reads the right ones.
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
/// tracker.reshape(&[24])?; // not a strided view: the chain has two stages now
/// assert_eq!(tracker.index(&[1])?, Some(4));
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeTracker {
    chain: Chain,
    ops: Vec<String>,
}

impl ShapeTracker {
    /// Creates the tracker of a row-major tensor.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// assert_eq!(
    ///     ShapeTracker::new(&[2, 3])?.to_string(),
    ///     "ShapeTracker(shape=(2, 3), strides=(3, 1), contiguous=True, ops=[])"
    /// );
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the shape has too many axes or elements.
    pub fn new(shape: &[usize]) -> Result<ShapeTracker, LayoutError> {
        Ok(ShapeTracker { chain: Chain::new(Layout::row_major(shape)?), ops: Vec::new() })
    }

    /// Returns the chain that all operations together amount to.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[2, 3])?;
    /// tracker.permute(&[1, 0])?.reshape(&[6])?;
    /// assert_eq!((tracker.chain().shape(), tracker.chain().depth()), (&[6][..], 2));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Returns the operations so far, in Python's notation.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[2, 3])?;
    /// tracker.permute(&[1, 0])?.reshape(&[6])?;
    /// assert_eq!(tracker.ops(), ["permute(1, 0)", "reshape(6,)"]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn ops(&self) -> &[String] {
        &self.ops
    }

    /// Changes the shape; the row-major order of elements stays.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[2, 6])?;
    /// assert_eq!(tracker.reshape(&[3, 4])?.index(&[1, 0])?, Some(4));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the shape has another number of elements.
    pub fn reshape(&mut self, shape: &[usize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.reshape(shape)?, "reshape", shape)
    }

    /// Permutes the axes.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[2, 3])?;
    /// assert_eq!(tracker.permute(&[1, 0])?.index(&[2, 1])?, Some(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When `order` is not a permutation of the axes.
    pub fn permute(&mut self, order: &[isize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.permute(order)?, "permute", order)
    }

    /// Broadcasts to a larger shape: repeats axes of length 1 and prepends new axes.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[3, 1])?;
    /// assert_eq!(tracker.expand(&[3, 4])?.index(&[2, 3])?, Some(2));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When a length other than 1 differs, or the shape has fewer axes.
    pub fn expand(&mut self, shape: &[usize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.broadcast_to(shape)?, "expand", shape)
    }

    /// Keeps a range of each axis.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[4, 5])?;
    /// assert_eq!(tracker.shrink(&[1..3, 2..5])?.index(&[0, 0])?, Some(7));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of ranges is not the rank, or a range exceeds its axis.
    pub fn shrink(&mut self, ranges: &[Range<usize>]) -> Result<&mut ShapeTracker, LayoutError> {
        let pairs: Vec<_> = ranges.iter().map(|it| Pair(it.start, it.end)).collect();
        self.record(self.chain.shrink(ranges)?, "shrink", &pairs)
    }

    /// Pads each axis with `(before, after)` positions.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[3])?;
    /// tracker.pad(&[(1, 0)])?;
    /// assert_eq!((tracker.index(&[0])?, tracker.index(&[1])?), (None, Some(0)));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of pairs is not the rank, or the result has too many elements.
    pub fn pad(&mut self, padding: &[(usize, usize)]) -> Result<&mut ShapeTracker, LayoutError> {
        let pairs: Vec<_> = padding.iter().map(|&(before, after)| Pair(before, after)).collect();
        self.record(self.chain.pad(padding)?, "pad", &pairs)
    }

    /// Reverses the given axes.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[2, 3])?;
    /// assert_eq!(tracker.flip(&[1])?.index(&[0, 0])?, Some(2));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis is out of range or repeated.
    pub fn flip(&mut self, axes: &[isize]) -> Result<&mut ShapeTracker, LayoutError> {
        self.record(self.chain.flip(axes)?, "flip", axes)
    }

    /// Returns whether all operations together amount to one contiguous layout, with any start.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[4, 3])?;
    /// assert!(tracker.shrink(&[1..3, 0..3])?.is_contiguous());
    /// assert!(!tracker.permute(&[1, 0])?.is_contiguous());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_contiguous(&self) -> bool {
        self.chain.as_layout().is_some_and(|it| it.is_contiguous())
    }

    /// Returns whether a kernel that requires contiguous memory needs a copy.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// let mut tracker = ShapeTracker::new(&[4, 3])?;
    /// assert!(!tracker.needs_copy());
    /// assert!(tracker.permute(&[1, 0])?.needs_copy());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn needs_copy(&self) -> bool {
        !self.is_contiguous()
    }

    /// Returns the offset of the element at `index`, or `None` if it is padding.
    ///
    /// ```
    /// # use belvedere_layout::compat::ShapeTracker;
    /// assert_eq!(ShapeTracker::new(&[2, 3])?.index(&[1, 2])?, Some(5));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of indices is not the rank, or an index is out of range.
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

/// Formats a slice like a Python tuple: `()`, `(12,)`, `(3, 4)`.
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

//! `Bool`: the element type of boolean tensors, valid for every byte.

use std::fmt;

/// An element of a `bool` tensor: a byte that is false when it is zero, and true otherwise.
///
/// Rust's `bool` must be 0 or 1, which cannot be guaranteed for memory of other libraries. A `Bool` made from a
/// `bool` is always 0 or 1.
///
/// ```
/// use belvedere::Bool;
///
/// assert!(Bool::from(true).is_true());
/// assert_eq!(Bool::from(false), false);
/// ```
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Bool(u8);

impl Bool {
    /// Returns whether it is true.
    ///
    /// ```
    /// # use belvedere::Bool;
    /// assert!(Bool::from(true).is_true());
    /// ```
    #[inline(always)]
    pub const fn is_true(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Bool {
    #[inline(always)]
    fn from(value: bool) -> Bool {
        Bool(value as u8)
    }
}

impl From<Bool> for bool {
    #[inline(always)]
    fn from(value: Bool) -> bool {
        value.is_true()
    }
}

impl PartialEq for Bool {
    #[inline(always)]
    fn eq(&self, other: &Bool) -> bool {
        self.is_true() == other.is_true()
    }
}

impl Eq for Bool {}

impl PartialEq<bool> for Bool {
    fn eq(&self, other: &bool) -> bool {
        self.is_true() == *other
    }
}

impl fmt::Debug for Bool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.is_true(), f)
    }
}

impl fmt::Display for Bool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.is_true(), f)
    }
}

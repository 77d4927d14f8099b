//! Shape arguments: any integer type, and `-1` for a length that is inferred.

use crate::layout::check_rank;
use crate::{InlineVec, LayoutError, Shape};

/// An integer type that can be a length in a shape argument; `-1` stands for an inferred length.
///
/// With it both `reshape([6, -1])` and `reshape(&lengths)` with `usize` lengths compile.
pub trait Length: Copy + sealed::Sealed {
    /// Returns the length, or `None` if it is negative.
    #[doc(hidden)]
    fn known(self) -> Option<usize>;

    /// Returns the number as it was given, for error messages.
    #[doc(hidden)]
    fn given(self) -> i128;

    /// Returns the lengths unchanged if they are `usize` already: then none is inferred.
    #[doc(hidden)]
    #[inline]
    fn plain(_: &[Self]) -> Option<&[usize]> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! lengths {
    ($($int:ty $({ $plain:item })?)*) => {$(
        impl sealed::Sealed for $int {}

        impl Length for $int {
            $(#[inline]
            $plain)?

            #[inline]
            fn known(self) -> Option<usize> {
                usize::try_from(self).ok()
            }

            #[inline]
            fn given(self) -> i128 {
                self as i128
            }
        }
    )*};
}

lengths!(
    usize {
        fn plain(lengths: &[usize]) -> Option<&[usize]> {
            Some(lengths)
        }
    }
    isize u32 i32 u64 i64
);

/// Resolves a shape argument for `n_elements` elements: infers a length given as -1.
#[inline]
pub(crate) fn resolve<L: Length>(lengths: &[L], n_elements: usize) -> Result<Shape, LayoutError> {
    check_rank(lengths.len())?;
    let mut shape = InlineVec::repeat(1, lengths.len());
    let mut open = None;
    for (k, (len, &given)) in shape.iter_mut().zip(lengths).enumerate() {
        match given.known() {
            Some(known) => *len = known,
            None => open = Some(open_length(k, given, open)?),
        }
    }
    if let Some(k) = open {
        shape[k] = fill_open(&shape, n_elements)?;
    }
    Ok(shape)
}

/// Returns the product of all lengths, or `None` if it overflows `usize`.
pub(crate) fn product(lengths: &[usize]) -> Option<usize> {
    match lengths.contains(&0) {
        true => Some(0),
        false => lengths.iter().try_fold(1usize, |n, &len| n.checked_mul(len)),
    }
}

fn open_length<L: Length>(
    axis: usize,
    given: L,
    earlier: Option<usize>,
) -> Result<usize, LayoutError> {
    if given.given() != -1 {
        return Err(LayoutError::NegativeLength { axis, len: given.given() });
    }
    match earlier {
        Some(first) => Err(LayoutError::TwoOpenLengths { first, second: axis }),
        None => Ok(axis),
    }
}

/// Returns the inferred length, whose entry in `shape` is 1.
fn fill_open(shape: &[usize], n_elements: usize) -> Result<usize, LayoutError> {
    let known = product(shape);
    match known {
        Some(n) if n > 0 && n_elements.is_multiple_of(n) => Ok(n_elements / n),
        _ => Err(LayoutError::OpenLength { n_elements, known }),
    }
}

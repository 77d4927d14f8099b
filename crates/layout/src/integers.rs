//! Lists of integers as arguments: shapes, axes and sizes.

use crate::{InlineVec, LayoutError, Shape};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Deref;

/// A list of integers as an argument: a shape, axes or sizes.
///
/// It is implemented for arrays, slices and vectors of any integer type, for one integer (a list of one),
/// for tuples of up to six integers, whose types may differ, and for `()` (the empty list); all of them by
/// value or by reference.
///
/// ```
/// use belvedere_layout::{Integers, Layout};
///
/// let rows = 3_usize;
/// for layout in [
///     Layout::row_major([3, 4])?,
///     Layout::row_major((rows, 4))?,
///     Layout::row_major(&vec![3_u64, 4])?,
///     Layout::row_major(12)?.view((rows, -1))?,
/// ] {
///     assert_eq!(layout.shape(), [3, 4]);
///     assert_eq!(layout.permute((1, 0))?.flip(-1)?.start(), 8);
/// }
/// assert_eq!(Layout::row_major(())?.rank(), 0);
///
/// // A function that takes such an argument, too.
/// fn square(shape: impl Integers) -> Result<bool, belvedere_layout::LayoutError> {
///     let [rows, columns] = Layout::row_major(shape)?.dims()?;
///     Ok(rows == columns)
/// }
/// assert!(square((3, 3))?);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
pub trait Integers: sealed::SealedList {
    /// Returns the number of integers.
    #[doc(hidden)]
    fn n_integers(&self) -> usize;

    /// Returns integer `k` as a length, if it is one.
    #[doc(hidden)]
    fn length_at(&self, k: usize) -> Option<usize>;

    /// Returns integer `k` as it was given, for errors.
    #[doc(hidden)]
    fn given_at(&self, k: usize) -> i128;

    /// Returns integer `k`; one beyond `isize` is the nearest `isize`, which is out of every range as well.
    #[doc(hidden)]
    fn signed_at(&self, k: usize) -> isize;

    /// Returns the list itself if it is one of `usize`.
    #[doc(hidden)]
    #[inline]
    fn as_lengths(&self) -> Option<&[usize]> {
        None
    }

    /// Returns the list as lengths; `what` names them in the error.
    #[doc(hidden)]
    #[inline]
    fn lengths(&self, what: &'static str) -> Result<Lengths<'_>, LayoutError> {
        match self.as_lengths() {
            Some(lengths) => Ok(Lengths::Given(lengths)),
            None => Ok(Lengths::Converted(converted(self, what)?)),
        }
    }

    /// Returns the list as signed integers.
    #[doc(hidden)]
    #[inline]
    fn to_signed(&self) -> InlineVec<isize> {
        InlineVec::from_fn(self.n_integers(), |k| self.signed_at(k))
    }
}

/// Converts a list to lengths.
fn converted(list: &(impl Integers + ?Sized), what: &'static str) -> Result<Shape, LayoutError> {
    let mut lengths = InlineVec::repeat(0, list.n_integers());
    for (position, length) in lengths.iter_mut().enumerate() {
        *length = match list.length_at(position) {
            Some(length) => length,
            None => {
                let given = list.given_at(position);
                return Err(LayoutError::Negative { what, position, given });
            }
        };
    }
    Ok(lengths)
}

/// A list of lengths: an argument itself, or what it was converted to.
#[doc(hidden)]
pub enum Lengths<'a> {
    Given(&'a [usize]),
    Converted(Shape),
}

impl Deref for Lengths<'_> {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        match self {
            Lengths::Given(lengths) => lengths,
            Lengths::Converted(lengths) => lengths,
        }
    }
}

/// An integer type of the lists in [`Integers`]: 8 to 64 bits, signed or not.
pub trait Integer: Copy + sealed::SealedInteger {
    #[doc(hidden)]
    fn to_length(self) -> Option<usize>;

    #[doc(hidden)]
    fn given(self) -> i128;

    #[doc(hidden)]
    fn to_signed(self) -> isize;

    #[doc(hidden)]
    #[inline]
    fn as_lengths(_: &[Self]) -> Option<&[usize]> {
        None
    }
}

mod sealed {
    pub trait SealedList {}
    pub trait SealedInteger {}
}

macro_rules! integers {
    ($($int:ty $({ $as_lengths:item })?)*) => {$(
        impl sealed::SealedInteger for $int {}

        impl Integer for $int {
            #[inline]
            fn to_length(self) -> Option<usize> {
                usize::try_from(self).ok()
            }

            #[inline]
            fn given(self) -> i128 {
                self as i128
            }

            #[inline]
            fn to_signed(self) -> isize {
                #[allow(unused_comparisons, reason = "one macro for signed and unsigned types")]
                let limit = if self < 0 { isize::MIN } else { isize::MAX };
                isize::try_from(self).unwrap_or(limit)
            }

            $(#[inline]
            $as_lengths)?
        }

        impl sealed::SealedList for $int {}

        /// A list of one integer.
        impl Integers for $int {
            #[inline]
            fn n_integers(&self) -> usize {
                1
            }

            #[inline]
            fn length_at(&self, _: usize) -> Option<usize> {
                self.to_length()
            }

            #[inline]
            fn given_at(&self, _: usize) -> i128 {
                self.given()
            }

            #[inline]
            fn signed_at(&self, _: usize) -> isize {
                Integer::to_signed(*self)
            }

            #[inline]
            fn as_lengths(&self) -> Option<&[usize]> {
                Integer::as_lengths(core::slice::from_ref(self))
            }
        }
    )*};
}

integers!(
    usize {
        fn as_lengths(lengths: &[usize]) -> Option<&[usize]> {
            Some(lengths)
        }
    }
    isize u8 i8 u16 i16 u32 i32 u64 i64
);

impl<L: Integer> sealed::SealedList for [L] {}

impl<L: Integer> Integers for [L] {
    #[inline]
    fn n_integers(&self) -> usize {
        self.len()
    }

    #[inline]
    fn length_at(&self, k: usize) -> Option<usize> {
        self[k].to_length()
    }

    #[inline]
    fn given_at(&self, k: usize) -> i128 {
        self[k].given()
    }

    #[inline]
    fn signed_at(&self, k: usize) -> isize {
        self[k].to_signed()
    }

    #[inline]
    fn as_lengths(&self) -> Option<&[usize]> {
        L::as_lengths(self)
    }
}

/// Implements the trait by a list that `$list` borrows as.
macro_rules! lists {
    ($([$($generics:tt)*] $list:ty, $self:ident => $as_list:expr;)*) => {$(
        impl<$($generics)*> sealed::SealedList for $list {}

        impl<$($generics)*> Integers for $list {
            #[inline]
            fn n_integers(&$self) -> usize {
                $as_list.n_integers()
            }

            #[inline]
            fn length_at(&$self, k: usize) -> Option<usize> {
                $as_list.length_at(k)
            }

            #[inline]
            fn given_at(&$self, k: usize) -> i128 {
                $as_list.given_at(k)
            }

            #[inline]
            fn signed_at(&$self, k: usize) -> isize {
                $as_list.signed_at(k)
            }

            #[inline]
            fn as_lengths(&$self) -> Option<&[usize]> {
                Integers::as_lengths($as_list)
            }
        }
    )*};
}

lists! {
    [L: Integer, const N: usize] [L; N], self => self.as_slice();
    [L: Integer] Vec<L>, self => self.as_slice();
    [L: Integer] Box<[L]>, self => &**self;
    [L: Integer] InlineVec<L>, self => &**self;
    [T: Integers + ?Sized] &T, self => *self;
}

/// Implements the trait for tuples.
macro_rules! tuples {
    ($($n:literal: $($name:ident $at:tt)*;)*) => {$(
        impl<$($name: Integer),*> sealed::SealedList for ($($name,)*) {}

        impl<$($name: Integer),*> Integers for ($($name,)*) {
            #[inline]
            fn n_integers(&self) -> usize {
                $n
            }

            #[inline]
            fn length_at(&self, k: usize) -> Option<usize> {
                match k {
                    $($at => self.$at.to_length(),)*
                    _ => panic!("integer {k} of {}", $n),
                }
            }

            #[inline]
            fn given_at(&self, k: usize) -> i128 {
                match k {
                    $($at => self.$at.given(),)*
                    _ => panic!("integer {k} of {}", $n),
                }
            }

            #[inline]
            fn signed_at(&self, k: usize) -> isize {
                match k {
                    $($at => self.$at.to_signed(),)*
                    _ => panic!("integer {k} of {}", $n),
                }
            }
        }
    )*};
}

tuples! {
    0: ;
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
}

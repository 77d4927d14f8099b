//! Unsigned integers as lane accumulators.

use std::ops::{Add, BitAnd, BitOr};

/// An unsigned integer as a lane accumulator of flags, counts or row numbers up to
/// [`LANE_ELEMENTS`](crate::kernel::reduction::LANE_ELEMENTS). One that is as wide as the elements needs no conversion
/// between vectors of different lengths.
pub(super) trait IntegerLane:
    Copy
    + From<bool>
    + From<u8>
    + Into<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Add<Output = Self>
    + PartialOrd
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
}

macro_rules! integer_lanes {
    ($($type:ty)*) => {$(
        impl IntegerLane for $type {
            const ZERO: $type = 0;
            const ONE: $type = 1;
        }
    )*};
}

integer_lanes! { u8 u16 u32 u64 }

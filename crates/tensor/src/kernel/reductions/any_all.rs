//! `any`, `all` and `count_nonzero`.

use super::integer_lane::IntegerLane;
use crate::dtype::{AnyTask, NumberKind, Scalar};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{LANE_ELEMENTS, LANES, OnePassReduction, Setting};
use crate::{Bool, DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `any`: whether an element is not zero.
pub(crate) fn any(dtype: DType) -> Option<Reducer> {
    Some(any_or_all::<true>(dtype))
}

/// Returns the reducer for `all`: whether no element is zero.
pub(crate) fn all(dtype: DType) -> Option<Reducer> {
    Some(any_or_all::<false>(dtype))
}

fn any_or_all<const ANY: bool>(dtype: DType) -> Reducer {
    match is_half(dtype) {
        true => Reducer::one_pass::<AnyAll<u16, u16, HalfBitsTest, ANY>>().with_bits_of(dtype),
        false => reads(dtype, loop_type(dtype).with_any(AnyAllTask::<ANY>)),
    }
}

/// Returns the reducer for `count_nonzero`.
pub(crate) fn count(dtype: DType) -> Option<Reducer> {
    struct CountTask;

    impl AnyTask for CountTask {
        type Output = Reducer;

        fn run<T: Element>(self) -> Reducer {
            if const { !is_own_loop(T::DTYPE) } {
                unreachable!("another dtype has the loop of this one");
            }
            match const { size_of::<T>() } {
                1 => Reducer::one_pass::<CountNonzero<T, u8, NumberTest>>(),
                2 => Reducer::one_pass::<CountNonzero<T, u16, NumberTest>>(),
                4 => Reducer::one_pass::<CountNonzero<T, u32, NumberTest>>(),
                _ => Reducer::one_pass::<CountNonzero<T, u64, NumberTest>>(),
            }
        }
    }

    Some(match is_half(dtype) {
        true => Reducer::one_pass::<CountNonzero<u16, u16, HalfBitsTest>>().with_bits_of(dtype),
        false => reads(dtype, loop_type(dtype).with_any(CountTask)),
    })
}

/// Whether a dtype is a half-precision float, whose bits tell whether it is zero.
const fn is_half(dtype: DType) -> bool {
    dtype.is_floating() && dtype.size() == 2
}

/// Returns the dtype for which loops are compiled: whether an integer is zero does not depend on its sign.
const fn loop_type(dtype: DType) -> DType {
    match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) => dtype.bits(),
        _ => dtype,
    }
}

/// Returns a reducer made for the loop type of a dtype that takes elements of the dtype without a cast, if it can.
fn reads(dtype: DType, reducer: Reducer) -> Reducer {
    if dtype.is_floating() { reducer } else { reducer.with_bits_of(dtype) }
}

const fn is_own_loop(dtype: DType) -> bool {
    !is_half(dtype) && loop_type(dtype) as u8 == dtype as u8
}

/// How it is tested whether an element is not zero.
trait TruthTest<T>: 'static {
    fn is_true(x: T) -> bool;
}

/// The test of a number.
struct NumberTest;

impl<T: Element> TruthTest<T> for NumberTest {
    #[inline(always)]
    fn is_true(x: T) -> bool {
        x.widen().is_true()
    }
}

/// The test of the bits of a half-precision float: all but the sign are zero.
struct HalfBitsTest;

impl TruthTest<u16> for HalfBitsTest {
    #[inline(always)]
    fn is_true(x: u16) -> bool {
        x << 1 != 0
    }
}

/// Makes the reducer for `any` or `all` of a dtype.
struct AnyAllTask<const ANY: bool>;

impl<const ANY: bool> AnyTask for AnyAllTask<ANY> {
    type Output = Reducer;

    fn run<T: Element>(self) -> Reducer {
        if const { !is_own_loop(T::DTYPE) } {
            unreachable!("another dtype has the loop of this one");
        }
        match const { size_of::<T>() } {
            1 => Reducer::one_pass::<AnyAll<T, u8, NumberTest, ANY>>(),
            2 => Reducer::one_pass::<AnyAll<T, u16, NumberTest, ANY>>(),
            4 => Reducer::one_pass::<AnyAll<T, u32, NumberTest, ANY>>(),
            _ => Reducer::one_pass::<AnyAll<T, u64, NumberTest, ANY>>(),
        }
    }
}

/// Whether an element is not zero (`ANY`), or none is zero. Lanes are 0 or 1.
struct AnyAll<T, L, F, const ANY: bool>(PhantomData<(T, L, F)>);

impl<T: Element, L: IntegerLane, F: TruthTest<T>, const ANY: bool> OnePassReduction
    for AnyAll<T, L, F, ANY>
{
    type In = T;
    type Lane = L;
    type Total = bool;
    type Out = Bool;

    const LANE: L = if ANY { L::ZERO } else { L::ONE };
    const TOTAL: bool = !ANY;
    const ENDS_EARLY: bool = true;

    #[inline(always)]
    fn step(lane: L, x: T) -> L {
        Self::join(lane, L::from(F::is_true(x)))
    }

    #[inline(always)]
    fn join(a: L, b: L) -> L {
        if ANY { a | b } else { a & b }
    }

    #[inline(always)]
    fn add(total: bool, lane: L) -> bool {
        Self::merge(total, lane.into() != 0)
    }

    #[inline(always)]
    fn merge(a: bool, b: bool) -> bool {
        if ANY { a | b } else { a & b }
    }

    fn is_final(total: bool) -> bool {
        total == ANY
    }

    fn finish(total: bool, _: usize, _: Setting) -> Bool {
        Bool::from(total)
    }
}

/// The number of elements that are not zero. A lane counts at most [`LANE_ELEMENTS`], which a `u8` holds; their sum may
/// not.
struct CountNonzero<T, L, F>(PhantomData<(T, L, F)>);

const _: () = assert!(LANE_ELEMENTS <= u8::MAX as usize);

impl<T: Element, L: IntegerLane, F: TruthTest<T>> OnePassReduction for CountNonzero<T, L, F> {
    type In = T;
    type Lane = L;
    type Total = u64;
    type Out = i64;

    const LANE: L = L::ZERO;
    const TOTAL: u64 = 0;

    #[inline(always)]
    fn step(lane: L, x: T) -> L {
        lane + L::from(F::is_true(x))
    }

    #[inline(always)]
    fn join(a: L, b: L) -> L {
        a + b
    }

    #[inline(always)]
    fn add(total: u64, lane: L) -> u64 {
        total + lane.into()
    }

    #[inline(always)]
    fn add_lanes(total: u64, lanes: [L; LANES]) -> u64 {
        lanes.into_iter().fold(total, Self::add)
    }

    fn merge(a: u64, b: u64) -> u64 {
        a + b
    }

    fn finish(total: u64, _: usize, _: Setting) -> i64 {
        total as i64
    }
}

//! `any`, `all` and `count_nonzero`.

use crate::dtype::{AnyTask, NumberKind, Scalar};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{OnePassReduction, Setting};
use crate::{Bool, DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `any`: whether an element is not zero.
pub(crate) fn any(dtype: DType) -> Option<Reducer> {
    Some(reads(dtype, loop_type(dtype).with_any(AnyAllTask::<true>)))
}

/// Returns the reducer for `all`: whether no element is zero.
pub(crate) fn all(dtype: DType) -> Option<Reducer> {
    Some(reads(dtype, loop_type(dtype).with_any(AnyAllTask::<false>)))
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
            Reducer::one_pass::<CountNonzero<T>>()
        }
    }

    Some(reads(dtype, loop_type(dtype).with_any(CountTask)))
}

/// Returns the dtype for which loops are compiled: whether an integer is zero does not depend on its sign, and
/// half-precision floats are cast to `float32` first.
const fn loop_type(dtype: DType) -> DType {
    match dtype.kind() {
        NumberKind::Float(2) | NumberKind::Brain(_) => DType::Float32,
        NumberKind::Bool | NumberKind::Signed(_) => dtype.bits(),
        _ => dtype,
    }
}

/// Returns a reducer made for the loop type of a dtype that takes elements of the dtype without a cast, if it can.
fn reads(dtype: DType, reducer: Reducer) -> Reducer {
    if dtype.is_floating() { reducer } else { reducer.with_bits_of(dtype) }
}

const fn is_own_loop(dtype: DType) -> bool {
    loop_type(dtype) as u8 == dtype as u8
}

/// Makes the reducer for `any` or `all` of a dtype.
struct AnyAllTask<const ANY: bool>;

impl<const ANY: bool> AnyTask for AnyAllTask<ANY> {
    type Output = Reducer;

    fn run<T: Element>(self) -> Reducer {
        if const { !is_own_loop(T::DTYPE) } {
            unreachable!("another dtype has the loop of this one");
        }
        Reducer::one_pass::<AnyAll<T, ANY>>()
    }
}

struct AnyAll<T, const ANY: bool>(PhantomData<T>);

impl<T: Element, const ANY: bool> OnePassReduction for AnyAll<T, ANY> {
    type In = T;
    type Lane = bool;
    type Total = bool;
    type Out = Bool;

    const LANE: bool = !ANY;
    const TOTAL: bool = !ANY;

    #[inline(always)]
    fn step(lane: bool, x: T) -> bool {
        Self::join(lane, x.widen().is_true())
    }

    #[inline(always)]
    fn join(a: bool, b: bool) -> bool {
        if ANY { a | b } else { a & b }
    }

    #[inline(always)]
    fn add(total: bool, lane: bool) -> bool {
        Self::join(total, lane)
    }

    fn merge(a: bool, b: bool) -> bool {
        Self::join(a, b)
    }

    fn finish(total: bool, _: usize, _: Setting) -> Bool {
        Bool::from(total)
    }
}

struct CountNonzero<T>(PhantomData<T>);

impl<T: Element> OnePassReduction for CountNonzero<T> {
    type In = T;
    type Lane = u32;
    type Total = i64;
    type Out = i64;

    const LANE: u32 = 0;
    const TOTAL: i64 = 0;

    #[inline(always)]
    fn step(lane: u32, x: T) -> u32 {
        lane + u32::from(x.widen().is_true())
    }

    #[inline(always)]
    fn join(a: u32, b: u32) -> u32 {
        a + b
    }

    #[inline(always)]
    fn add(total: i64, lane: u32) -> i64 {
        total + i64::from(lane)
    }

    fn merge(a: i64, b: i64) -> i64 {
        a + b
    }

    fn finish(total: i64, _: usize, _: Setting) -> i64 {
        total
    }
}

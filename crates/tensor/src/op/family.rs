//! Families of operations: what they do with elements, for every type that can.
//!
//! An operation is a unit struct with one line that says what it does. Its family makes a body of it
//! for each type: elements are widened, worked on, and narrowed again.

use crate::dtype::{
    AnyTask, Comparable, Field, FieldTask, Float, FloatTask, Number, NumberTask, OrderedTask,
    Scalar,
};
use crate::kernel::body::Body;
use crate::{Bool, DType, Element};
use std::marker::PhantomData;

/// A number from a number.
pub(super) trait NumberUnary: 'static {
    fn apply<T: Number>(x: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 2>> {
        struct Of<K>(PhantomData<K>);

        impl<K: NumberUnary + ?Sized> NumberTask for Of<fn(&K)> {
            type Output = Body<'static, 2>;

            fn run<T: Element<Wide: Number>>(self) -> Body<'static, 2> {
                Body::unary(|x: T| T::narrow(K::apply(x.widen())))
            }
        }

        dtype.with_number(Of::<fn(&Self)>(PhantomData))
    }
}

/// A value that has an order from another.
pub(super) trait OrderedUnary: 'static {
    fn apply<T: Comparable>(x: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 2>> {
        struct Of<K>(PhantomData<K>);

        impl<K: OrderedUnary + ?Sized> OrderedTask for Of<fn(&K)> {
            type Output = Body<'static, 2>;

            fn run<T: Element<Wide: Comparable>>(self) -> Body<'static, 2> {
                Body::unary(|x: T| T::narrow(K::apply(x.widen())))
            }
        }

        dtype.with_ordered(Of::<fn(&Self)>(PhantomData))
    }
}

/// A floating-point number, real or complex, from another.
pub(super) trait FieldUnary: 'static {
    fn apply<T: Field>(x: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 2>> {
        struct Of<K>(PhantomData<K>);

        impl<K: FieldUnary + ?Sized> FieldTask for Of<fn(&K)> {
            type Output = Body<'static, 2>;

            fn run<T: Element<Wide: Field>>(self) -> Body<'static, 2> {
                Body::unary(|x: T| T::narrow(K::apply(x.widen())))
            }
        }

        dtype.with_field(Of::<fn(&Self)>(PhantomData))
    }
}

/// A real number from a real number.
pub(super) trait FloatUnary: 'static {
    fn apply<T: Float>(x: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 2>> {
        struct Of<K>(PhantomData<K>);

        impl<K: FloatUnary + ?Sized> FloatTask for Of<fn(&K)> {
            type Output = Body<'static, 2>;

            fn run<T: Element<Wide: Float>>(self) -> Body<'static, 2> {
                Body::unary(|x: T| T::narrow(K::apply(x.widen())))
            }
        }

        dtype.with_float(Of::<fn(&Self)>(PhantomData))
    }
}

/// Whether something holds for a value.
pub(super) trait Question: 'static {
    fn apply<T: Scalar>(x: T) -> bool;

    fn body(dtype: DType) -> Option<Body<'static, 2>> {
        struct Of<K>(PhantomData<K>);

        impl<K: Question + ?Sized> AnyTask for Of<fn(&K)> {
            type Output = Body<'static, 2>;

            fn run<T: Element>(self) -> Body<'static, 2> {
                Body::unary(|x: T| Bool::from(K::apply(x.widen())))
            }
        }

        Some(dtype.with_any(Of::<fn(&Self)>(PhantomData)))
    }
}

/// A number from two numbers.
pub(super) trait NumberBinary: 'static {
    fn apply<T: Number>(x: T, y: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 3>> {
        struct Of<K>(PhantomData<K>);

        impl<K: NumberBinary + ?Sized> NumberTask for Of<fn(&K)> {
            type Output = Body<'static, 3>;

            fn run<T: Element<Wide: Number>>(self) -> Body<'static, 3> {
                Body::binary(|x: T, y: T| T::narrow(K::apply(x.widen(), y.widen())))
            }
        }

        dtype.with_number(Of::<fn(&Self)>(PhantomData))
    }
}

/// A value from two that have an order.
pub(super) trait OrderedBinary: 'static {
    fn apply<T: Comparable>(x: T, y: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 3>> {
        struct Of<K>(PhantomData<K>);

        impl<K: OrderedBinary + ?Sized> OrderedTask for Of<fn(&K)> {
            type Output = Body<'static, 3>;

            fn run<T: Element<Wide: Comparable>>(self) -> Body<'static, 3> {
                Body::binary(|x: T, y: T| T::narrow(K::apply(x.widen(), y.widen())))
            }
        }

        dtype.with_ordered(Of::<fn(&Self)>(PhantomData))
    }
}

/// A floating-point number from two, real or complex.
pub(super) trait FieldBinary: 'static {
    fn apply<T: Field>(x: T, y: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 3>> {
        struct Of<K>(PhantomData<K>);

        impl<K: FieldBinary + ?Sized> FieldTask for Of<fn(&K)> {
            type Output = Body<'static, 3>;

            fn run<T: Element<Wide: Field>>(self) -> Body<'static, 3> {
                Body::binary(|x: T, y: T| T::narrow(K::apply(x.widen(), y.widen())))
            }
        }

        dtype.with_field(Of::<fn(&Self)>(PhantomData))
    }
}

/// A real number from two.
pub(super) trait FloatBinary: 'static {
    fn apply<T: Float>(x: T, y: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 3>> {
        struct Of<K>(PhantomData<K>);

        impl<K: FloatBinary + ?Sized> FloatTask for Of<fn(&K)> {
            type Output = Body<'static, 3>;

            fn run<T: Element<Wide: Float>>(self) -> Body<'static, 3> {
                Body::binary(|x: T, y: T| T::narrow(K::apply(x.widen(), y.widen())))
            }
        }

        dtype.with_float(Of::<fn(&Self)>(PhantomData))
    }
}

/// A real number from three.
pub(super) trait FloatTernary: 'static {
    fn apply<T: Float>(x: T, y: T, z: T) -> T;

    fn body(dtype: DType) -> Option<Body<'static, 4>> {
        struct Of<K>(PhantomData<K>);

        impl<K: FloatTernary + ?Sized> FloatTask for Of<fn(&K)> {
            type Output = Body<'static, 4>;

            fn run<T: Element<Wide: Float>>(self) -> Body<'static, 4> {
                Body::ternary(|x: T, y: T, z: T| {
                    T::narrow(K::apply(x.widen(), y.widen(), z.widen()))
                })
            }
        }

        dtype.with_float(Of::<fn(&Self)>(PhantomData))
    }
}

/// Whether something holds for two values of any kind.
pub(super) trait Relation: 'static {
    fn apply<T: Scalar>(x: T, y: T) -> bool;

    fn body(dtype: DType) -> Option<Body<'static, 3>> {
        struct Of<K>(PhantomData<K>);

        impl<K: Relation + ?Sized> AnyTask for Of<fn(&K)> {
            type Output = Body<'static, 3>;

            fn run<T: Element>(self) -> Body<'static, 3> {
                Body::binary(|x: T, y: T| Bool::from(K::apply(x.widen(), y.widen())))
            }
        }

        Some(dtype.with_any(Of::<fn(&Self)>(PhantomData)))
    }
}

/// Whether something holds for two values that have an order.
pub(super) trait OrderedRelation: 'static {
    fn apply<T: Comparable>(x: T, y: T) -> bool;

    fn body(dtype: DType) -> Option<Body<'static, 3>> {
        struct Of<K>(PhantomData<K>);

        impl<K: OrderedRelation + ?Sized> OrderedTask for Of<fn(&K)> {
            type Output = Body<'static, 3>;

            fn run<T: Element<Wide: Comparable>>(self) -> Body<'static, 3> {
                Body::binary(|x: T, y: T| Bool::from(K::apply(x.widen(), y.widen())))
            }
        }

        dtype.with_ordered(Of::<fn(&Self)>(PhantomData))
    }
}

//! How to add an operation on elements.
//!
//! It is an entry in the file of its chapter: what it is, with an example; its names; which types have
//! it; and what it does.
//!
//! ```text
//! unary! {
//!     /// The square root, element by element; a NaN for negative real numbers.
//!     ///
//!     /// (the example)
//!     SQRT: sqrt, sqrt_into = Field vectors |x| x.sqrt()
//! }
//!
//! binary! {
//!     /// The sum, element by element; integers wrap around.
//!     ///
//!     /// (the example)
//!     ADD: add, add_into, add_assign = Number vectors |x, y| x.plus(y)
//! }
//! ```
//!
//! That makes the constant `SQRT`, the method [`Tensor::sqrt`](crate::Tensor::sqrt) with what it
//! refuses and what it costs at the end of its documentation, and the function `sqrt_into` with its
//! own. `binary!` has a third name if there is a method that assigns; `several!` has two names;
//! `comparison!` is a `binary!` whose result is `bool`.
//!
//! **Which types have it** is the name of a class. What is written behind it works on the type that
//! is calculated in, `T`, with the functions of a trait of `dtype/scalar.rs`:
//!
//! | class | trait | types |
//! |---|---|---|
//! | `Any` | `Scalar` | all |
//! | `Number` | `Number` | all but `bool` |
//! | `Ordered` | `Comparable` | all but the complex ones |
//! | `Real` | `Real` | integers and real floats |
//! | `Integer` | `Integer` | integers |
//! | `Bits` | `Integer` | integers and `bool` |
//! | `Field` | `Field` | floats, real and complex; integers become `float64` |
//! | `Float` | `Float` | real floats; integers become `float64` |
//!
//! **How it is compiled**: `vectors` once for each instruction set that pays; `fused` the same, also for
//! the widest vectors, for what has functions of `dtype/math/` in it, which ask how to multiply and add
//! (`x.exp::<M>()`); `calls` once, for what is a call of another function for each element
//! anyway. `by function` is for what has no single line for all types: the function gives a body
//! for a type, or none.
//!
//! **What it does**: `|x, y| value`, or `|x, y| -> bool value` if the result is `bool`.
//!
//! Then it wants a line in `tests/numpy/elementwise.rs`.

/// A function that gives the body of an operation for a type, if it exists for it: a class, how it is
/// compiled, and what it does.
macro_rules! body {
    ($class:ident by $function:expr) => { $function };
    (Any $($rest:tt)+) => { body!(@AnyTask Scalar with_any, $($rest)+) };
    (Number $($rest:tt)+) => { body!(@NumberTask Number with_number, $($rest)+) };
    (Ordered $($rest:tt)+) => { body!(@OrderedTask Comparable with_ordered, $($rest)+) };
    (Real $($rest:tt)+) => { body!(@RealTask Real with_real, $($rest)+) };
    (Integer $($rest:tt)+) => { body!(@IntegerTask Integer with_integer, $($rest)+) };
    (Bits $($rest:tt)+) => { body!(@IntegerTask Integer with_bits, $($rest)+) };
    (Field $($rest:tt)+) => { body!(@FieldTask Field with_field, $($rest)+) };
    (Float $($rest:tt)+) => { body!(@FloatTask Float with_float, $($rest)+) };

    (@$task:ident $trait:ident $with:ident, $how:ident |$($x:ident),+| -> bool $value:expr) => {
        body!(@$task $trait $with, $how |$($x),+| bool $value, |value| crate::Bool::from(value))
    };
    (@$task:ident $trait:ident $with:ident, $how:ident |$($x:ident),+| $value:expr) => {
        body!(@$task $trait $with, $how |$($x),+| T $value, |value| E::narrow(value))
    };
    (@$task:ident $trait:ident $with:ident, $how:ident |$($x:ident),+| $out:ident $value:expr,
     |$result:ident| $stored:expr) => {{
        struct Entry;

        impl crate::dtype::$task for Entry {
            type Output = crate::kernel::body::Body<'static, { 1 + [$(stringify!($x)),+].len() }>;

            fn run<E: crate::Element<Wide: crate::dtype::$trait>>(self) -> Self::Output {
                // Most functions do not ask how to multiply and add.
                #[allow(clippy::extra_unused_type_parameters)]
                #[inline(always)]
                fn apply<T: crate::dtype::$trait, M: crate::dtype::MulAdd>($($x: T),+) -> $out {
                    $value
                }

                constructor!(
                    $how $($x)+,
                    |$($x: E),+| {
                        let $result =
                            apply::<E::Wide, crate::dtype::Instruction>($($x.widen()),+);
                        $stored
                    },
                    |$($x: E),+| {
                        let $result = apply::<E::Wide, crate::dtype::Plain>($($x.widen()),+);
                        $stored
                    }
                )
            }
        }

        |dtype: crate::DType| Option::from(dtype.$with(Entry))
    }};
}

/// Makes a body of one of two closures or of both, by the number of their arguments.
macro_rules! constructor {
    (vectors $a:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::unary($plain)
    };
    (vectors $a:ident $b:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::binary($plain)
    };
    (vectors $a:ident $b:ident $c:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::ternary($plain)
    };
    (vectors $a:ident $b:ident $c:ident $d:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::quaternary($plain)
    };
    (fused $a:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::unary_fused($fused, $plain)
    };
    (fused $a:ident $b:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::binary_fused($fused, $plain)
    };
    (fused $a:ident $b:ident $c:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::ternary_fused($fused, $plain)
    };
    (calls $a:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::unary_calls($plain)
    };
    (calls $a:ident $b:ident, $fused:expr, $plain:expr) => {
        crate::kernel::body::Body::binary_calls($plain)
    };
}

/// An operation: its name, and what stands behind the equals sign of an entry.
macro_rules! operation {
    ($name:expr, Field $($body:tt)+) => {
        $crate::op::elementwise::Elementwise::new($name, body!(Field $($body)+)).in_floats()
    };
    ($name:expr, Float $($body:tt)+) => {
        $crate::op::elementwise::Elementwise::new($name, body!(Float $($body)+)).in_floats()
    };
    ($name:expr, $($body:tt)+) => {
        $crate::op::elementwise::Elementwise::new($name, body!($($body)+))
    };
}

/// What becomes of integers, as a sentence, if something does.
macro_rules! integers_become {
    (Field) => {
        "Integers become `float64`.\n\n"
    };
    (Float) => {
        "Integers become `float64`.\n\n"
    };
    ($class:ident) => {
        ""
    };
}

/// The types that a class refuses, as the end of a sentence behind what is given.
macro_rules! refuses {
    (Any, $before:literal, $otherwise:literal) => {
        $otherwise
    };
    (Field, $before:literal, $otherwise:literal) => {
        $otherwise
    };
    (Number, $before:literal, $otherwise:literal) => {
        concat!($before, "the type is `bool`.")
    };
    (Ordered, $before:literal, $otherwise:literal) => {
        concat!($before, "the type is complex.")
    };
    (Float, $before:literal, $otherwise:literal) => {
        concat!($before, "the type is complex.")
    };
    (Real, $before:literal, $otherwise:literal) => {
        concat!($before, "the type is `bool` or complex.")
    };
    (Integer, $before:literal, $otherwise:literal) => {
        concat!($before, "the type is no integer.")
    };
    (Bits, $before:literal, $otherwise:literal) => {
        concat!($before, "the type is neither an integer nor `bool`.")
    };
}

/// The end of the documentation of a method.
macro_rules! method_sections {
    (unary $class:ident) => {
        concat!(
            "\n",
            integers_become!($class),
            "# Errors\n",
            refuses!($class, "If ", "If there is not enough memory."),
            "\n\n# Memory\nThe result is new."
        )
    };
    (several $class:ident) => {
        concat!(
            "\n",
            integers_become!($class),
            "# Errors\nIf the shapes do not broadcast",
            refuses!($class, ", or ", "."),
            "\n\n# Memory\nThe result is new. An operand that is broadcast is copied first where that ",
            "saves time ([`Estimate`](crate::plan::Estimate))."
        )
    };
}

/// The documentation of a function that writes to an output.
macro_rules! into_documentation {
    ($of:expr, $may_be:literal) => {
        concat!(
            "Writes ", $of, " to `out`, which may be ", $may_be, ".\n\n",
            "# Errors\nAs for the method; and if `out` has another shape, cannot hold the type, or ",
            "cannot be written to.\n\n",
            "# Memory\nCopies an operand first if it shares elements with `out`, and the two do not ",
            "lie by the same strides; or if it is broadcast and that saves time ",
            "([`Estimate`](crate::plan::Estimate))."
        )
    };
}

/// The documentation of a step of an expression.
macro_rules! lazy_documentation {
    ($method:ident) => {
        concat!(
            "[`Tensor::",
            stringify!($method),
            "`](crate::Tensor::",
            stringify!($method),
            "), when the expression is calculated."
        )
    };
}

/// An operation on one operand.
macro_rules! unary {
    ($(#[$doc:meta])* $name:ident: $method:ident, $into:ident = $class:ident $($body:tt)+) => {
        pub(in crate::op) const $name: crate::op::elementwise::Unary =
            operation!(stringify!($method), $class $($body)+);

        impl crate::Tensor {
            $(#[$doc])*
            #[doc = method_sections!(unary $class)]
            #[track_caller]
            pub fn $method(&self) -> Result<crate::Tensor, crate::Error> {
                $name.compute([self.into()])
            }
        }

        impl<'a> crate::Lazy<'a> {
            #[doc = lazy_documentation!($method)]
            pub fn $method(&self) -> crate::Lazy<'a> {
                crate::Lazy::call(crate::op::lazy::Operation::One(&$name), vec![self.clone()])
            }
        }

        #[doc = into_documentation!(
            concat!(
                "[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method),
                ") of `x`"
            ),
            "`x` itself"
        )]
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<crate::Operand<'a>>,
            out: impl Into<crate::Target<'a>>,
        ) -> Result<(), crate::Error> {
            $name.compute_into([x.into()], out.into(), std::panic::Location::caller())
        }
    };
}

/// An operation on two operands, with or without a method that assigns.
macro_rules! binary {
    ($(#[$doc:meta])* $name:ident: $method:ident, $into:ident, $assign:ident =
     $class:ident $($body:tt)+) => {
        binary! { $(#[$doc])* $name: $method, $into = $class $($body)+ }

        impl crate::Tensor {
            #[doc = concat!(
                "Changes every element to [`Tensor::", stringify!($method), "`](crate::Tensor::",
                stringify!($method), ") of it and the other. `other` is read as it was before the ",
                "call, also if the two share memory.\n\n",
                "# Errors\nAs for that; and if it would change the shape or the kind of type, or ",
                "the elements cannot be written to.\n\n",
                "# Memory\nCopies `other` first if the two share elements, and do not lie by the ",
                "same strides; or if it is broadcast and that saves time ",
                "([`Estimate`](crate::plan::Estimate))."
            )]
            #[track_caller]
            pub fn $assign<'a>(
                &self,
                other: impl Into<crate::Operand<'a>>,
            ) -> Result<(), crate::Error> {
                let caller = std::panic::Location::caller();
                $name.compute_two_into([self.into(), other.into()], self.into(), caller)
            }
        }
    };
    ($(#[$doc:meta])* $name:ident: $method:ident, $into:ident = $class:ident $($body:tt)+) => {
        pub(in crate::op) const $name: crate::op::elementwise::Binary =
            operation!(stringify!($method), $class $($body)+);

        binary! { @methods $(#[$doc])* $name: $method, $into, $class }
    };
    (@methods $(#[$doc:meta])* $name:ident: $method:ident, $into:ident, $class:ident) => {
        impl crate::Tensor {
            $(#[$doc])*
            #[doc = method_sections!(several $class)]
            #[track_caller]
            pub fn $method<'a>(
                &self,
                other: impl Into<crate::Operand<'a>>,
            ) -> Result<crate::Tensor, crate::Error> {
                $name.compute_two([self.into(), other.into()])
            }
        }

        impl<'a> crate::Operand<'a> {
            #[doc = concat!(
                "[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method),
                ") of this and another operand, of which either may be a number."
            )]
            #[doc = method_sections!(several $class)]
            #[track_caller]
            #[allow(clippy::should_implement_trait, reason = "operators give tensors, not errors")]
            pub fn $method(
                self,
                other: impl Into<crate::Operand<'a>>,
            ) -> Result<crate::Tensor, crate::Error> {
                $name.compute([self, other.into()])
            }
        }

        impl<'a> crate::Lazy<'a> {
            #[doc = lazy_documentation!($method)]
            pub fn $method(&self, other: impl Into<crate::Lazy<'a>>) -> crate::Lazy<'a> {
                let operands = vec![self.clone(), other.into()];
                crate::Lazy::call(crate::op::lazy::Operation::Two(&$name), operands)
            }
        }

        #[doc = into_documentation!(
            concat!(
                "[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method),
                ") of `x` and `y`"
            ),
            "one of them"
        )]
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<crate::Operand<'a>>,
            y: impl Into<crate::Operand<'a>>,
            out: impl Into<crate::Target<'a>>,
        ) -> Result<(), crate::Error> {
            $name.compute_two_into([x.into(), y.into()], out.into(), std::panic::Location::caller())
        }
    };
}

/// A question about two operands. Signed integers and `uint64` meet in no type that has the values of
/// both, so they are compared as they are.
macro_rules! comparison {
    ($(#[$doc:meta])* $name:ident: $method:ident, $into:ident =
     $class:ident |$x:ident, $y:ident| $value:expr) => {
        pub(in crate::op) const $name: crate::op::elementwise::Binary =
            operation!(stringify!($method), $class vectors |$x, $y| -> bool $value).or_apart(
                |types| integers_apart(
                    types,
                    || crate::kernel::body::Body::binary(|x: i64, y: u64| {
                        let ($x, $y) = (i128::from(x), i128::from(y));
                        crate::Bool::from($value)
                    }),
                    || crate::kernel::body::Body::binary(|x: u64, y: i64| {
                        let ($x, $y) = (i128::from(x), i128::from(y));
                        crate::Bool::from($value)
                    }),
                ),
            );

        binary! { @methods $(#[$doc])* $name: $method, $into, $class }
    };
}

/// An operation on three operands, as a method of the first. Their names are those of the arguments.
macro_rules! several {
    ($(#[$doc:meta])* $name:ident: $method:ident, $into:ident =
     $class:ident $how:ident |$x:ident, $($y:ident),+| $($value:tt)+) => {
        pub(in crate::op) const $name: crate::op::elementwise::Elementwise<
            { 1 + [$(stringify!($y)),+].len() },
            { 2 + [$(stringify!($y)),+].len() },
        > = operation!(stringify!($method), $class $how |$x, $($y),+| $($value)+);

        impl crate::Tensor {
            $(#[$doc])*
            #[doc = method_sections!(several $class)]
            #[track_caller]
            pub fn $method<'a>(
                &self,
                $($y: impl Into<crate::Operand<'a>>),+
            ) -> Result<crate::Tensor, crate::Error> {
                $name.compute([self.into(), $($y.into()),+])
            }
        }

        impl<'a> crate::Lazy<'a> {
            #[doc = lazy_documentation!($method)]
            pub fn $method(&self, $($y: impl Into<crate::Lazy<'a>>),+) -> crate::Lazy<'a> {
                let operands = vec![self.clone(), $($y.into()),+];
                crate::Lazy::call(crate::op::lazy::Operation::from(&$name), operands)
            }
        }

        #[doc = into_documentation!(
            concat!("[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method), ")"),
            "one of the operands"
        )]
        #[track_caller]
        pub fn $into<'a>(
            $x: impl Into<crate::Operand<'a>>,
            $($y: impl Into<crate::Operand<'a>>,)+
            out: impl Into<crate::Target<'a>>,
        ) -> Result<(), crate::Error> {
            let operands = [$x.into(), $($y.into()),+];
            $name.compute_into(operands, out.into(), std::panic::Location::caller())
        }
    };
}

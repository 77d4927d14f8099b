//! Macros that define elementwise operations.
//!
//! An operation is an entry in the file of its family: its documentation; an example (`entry_doc.rs`); its
//! names; its dtypes; and its function.
//!
//! ```text
//! unary! {
//!     /// Computes the elementwise square root; NaN for negative real numbers.
//!     example(tensor![4.0, 9.0] => f64 [2.0, 3.0])
//!     SQRT: sqrt, sqrt_into = Field vectors |x| x.sqrt()
//! }
//!
//! binary! {
//!     /// Computes the elementwise sum; integers wrap around.
//!     example(tensor![1, 2, 3], &tensor![10, 20, 30] => i32 [11, 22, 33])
//!     ADD: add, add_into, add_assign = Number vectors |x, y| x.plus(y)
//! }
//! ```
//!
//! This defines the constant `SQRT`, the method [`Tensor::sqrt`](crate::Tensor::sqrt), with sections on errors
//! and memory at the end of its documentation, and the function `sqrt_into`. `binary!` takes a third name for
//! a method that computes in place, and `comparison` in front of the class if the result is `bool`;
//! `several!` takes two to four operands, and has their names in the documentation.
//!
//! **Its dtypes** are given by a class. The function is generic over the type it computes in, `T`, which
//! implements a trait of `dtype/scalar.rs`:
//!
//! | class | trait | types |
//! |---|---|---|
//! | `Any` | `Scalar` | all |
//! | `Number` | `Number` | all but `bool` |
//! | `Ordered` | `Comparable` | all but the complex ones |
//! | `Real` | `Real` | integers and real floats |
//! | `Integer` | `Integer` | integers |
//! | `Bits` | `Integer` | integers and `bool` |
//! | `Field` | `Field` | real and complex floats; integers are cast to `float64` |
//! | `Float` | `Float` | real floats; integers are cast to `float64` |
//!
//! **How it is compiled**: `vectors` for the baseline and for AVX2; `wide_vectors` also for AVX-512, for functions that take
//! longer than memory does, such as a division; `fused` for the same, for functions of
//! `dtype/math/`, which take the implementation of multiply-add as a parameter (`x.exp::<M>()`), for `f32` and `f64` only:
//! half-precision floats are converted, some at a time; `calls` once,
//! for functions that call another one for each element, which vectors do not speed up. `by function` is for
//! operations without one expression for all types: the function returns the body for a dtype, or `None`.
//!
//! `complex F or …` is for a class with a vectorized function `F` of complex numbers
//! (`dtype/complex_functions.rs`), and how the others are compiled.
//!
//! **Its function**: `|x, y| value`, or `|x, y| -> bool value` if the result is `bool`.
//!
//! An operation also needs a record in `operations/`, from which its Python function, its stub, its rows in the guides and
//! its tests are generated.

/// A function that returns the body of an operation for a dtype, if it exists for it: a class, how it is
/// compiled, and the function of elements. `@construct` makes the body from a closure, by the number of its arguments;
/// `@implement` and `@construct_fused` from a type with a method that takes an FMA.
macro_rules! body {
    ($class:ident by $function:expr) => { $function };

    (@construct vectors $a:ident, $plain:expr) => {
        crate::kernel::body::Body::unary($plain)
    };
    (@construct vectors $a:ident $b:ident, $plain:expr) => {
        crate::kernel::body::Body::binary($plain)
    };
    (@construct wide_vectors $a:ident $b:ident, $plain:expr) => {
        crate::kernel::body::Body::binary_wide($plain)
    };
    (@construct vectors $a:ident $b:ident $c:ident, $plain:expr) => {
        crate::kernel::body::Body::ternary($plain)
    };
    (@construct vectors $a:ident $b:ident $c:ident $d:ident, $plain:expr) => {
        crate::kernel::body::Body::quaternary($plain)
    };
    (@construct_fused $a:ident) => {
        crate::kernel::body::Body::unary_fused::<E, ElementFunction>()
    };
    (@construct_fused $a:ident $b:ident) => {
        crate::kernel::body::Body::binary_fused::<E, ElementFunction>()
    };
    (@construct_fused $a:ident $b:ident $c:ident) => {
        crate::kernel::body::Body::ternary_fused::<E, ElementFunction>()
    };
    (@construct calls $a:ident, $plain:expr) => {
        crate::kernel::body::Body::unary_calls($plain)
    };
    (@construct calls $a:ident $b:ident, $plain:expr) => {
        crate::kernel::body::Body::binary_calls($plain)
    };

    (Field complex $complex:ident or $($real:tt)+) => {
        |dtype: crate::DType| match dtype.is_complex() {
            true => crate::kernel::body::Body::complex_with_fast_path::<
                crate::dtype::complex_functions::$complex,
            >(dtype),
            false => body!(Float $($real)+)(dtype),
        }
    };

    (Any $($rest:tt)+) => { body!(@AnyTask Scalar with_any, $($rest)+) };
    (Number $($rest:tt)+) => { body!(@NumberTask Number with_number, $($rest)+) };
    (Ordered $($rest:tt)+) => { body!(@OrderedTask Comparable with_ordered, $($rest)+) };
    (Real $($rest:tt)+) => { body!(@RealTask Real with_real, $($rest)+) };
    (Integer $($rest:tt)+) => { body!(@IntegerTask Integer with_integer, $($rest)+) };
    (Bits $($rest:tt)+) => { body!(@IntegerTask Integer with_bits, $($rest)+) };
    (Field $($rest:tt)+) => { body!(@FieldTask Field with_field, $($rest)+) };
    (Float $($rest:tt)+) => { body!(@FloatTask Float with_float, $($rest)+) };

    (@$task:ident $trait:ident $with:ident, fused |$($x:ident),+| $value:expr) => {{
        struct FusedBodyTask;
        struct ElementFunction;

        body!(@implement $trait |$($x),+| $value);

        impl crate::dtype::$task for FusedBodyTask {
            type Output = crate::kernel::body::Body<'static, { 1 + [$(stringify!($x)),+].len() }>;

            fn run<E: crate::Element<Wide: crate::dtype::$trait>>(self) -> Self::Output {
                body!(@construct_fused $($x)+)
            }
        }

        |dtype: crate::DType| Option::from(dtype.$with(FusedBodyTask))
    }};
    (@implement $trait:ident |$x:ident| $value:expr) => {
        body!(@implement_as UnaryFunction $trait |$x| $value);
    };
    (@implement $trait:ident |$x:ident, $y:ident| $value:expr) => {
        body!(@implement_as BinaryFunction $trait |$x, $y| $value);
    };
    (@implement $trait:ident |$x:ident, $y:ident, $z:ident| $value:expr) => {
        body!(@implement_as TernaryFunction $trait |$x, $y, $z| $value);
    };
    (@implement_as $function:ident $trait:ident |$($x:ident),+| $value:expr) => {
        impl<T: crate::dtype::$trait> crate::kernel::function::$function<T> for ElementFunction {
            #[inline(always)]
            fn call<M: crate::dtype::MulAdd>($($x: T),+) -> T {
                $value
            }
        }
    };
    (@$task:ident $trait:ident $with:ident, $how:ident |$($x:ident),+| -> bool $value:expr) => {
        body!(@$task $trait $with, $how |$($x),+| bool $value, |value| crate::Bool::from(value))
    };
    (@$task:ident $trait:ident $with:ident, $how:ident |$($x:ident),+| $value:expr) => {
        body!(@$task $trait $with, $how |$($x),+| T $value, |value| E::narrow(value))
    };
    (@$task:ident $trait:ident $with:ident, $how:ident |$($x:ident),+| $out:ident $value:expr,
     |$result:ident| $stored:expr) => {{
        struct BodyTask;

        impl crate::dtype::$task for BodyTask {
            type Output = crate::kernel::body::Body<'static, { 1 + [$(stringify!($x)),+].len() }>;

            fn run<E: crate::Element<Wide: crate::dtype::$trait>>(self) -> Self::Output {
                #[inline(always)]
                fn apply<T: crate::dtype::$trait>($($x: T),+) -> $out {
                    $value
                }

                body!(
                    @construct $how $($x)+,
                    |$($x: E),+| {
                        let $result = apply::<E::Wide>($($x.widen()),+);
                        $stored
                    }
                )
            }
        }

        |dtype: crate::DType| Option::from(dtype.$with(BodyTask))
    }};
}

/// An [`Elementwise`](crate::op::elementwise::Elementwise): its name, and what follows the equals sign of an
/// entry.
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

/// Defines an operation on one operand.
macro_rules! unary {
    ($(#[$doc:meta])* example $example:tt
     $name:ident: $method:ident, $into:ident = $class:ident $($body:tt)+) => {
        pub(in crate::op) const $name: crate::op::elementwise::UnaryOp =
            operation!(stringify!($method), $class $($body)+);

        impl crate::Tensor {
            $(#[$doc])*
            #[doc = elementwise_doc!(example method $method $example)]
            #[doc = elementwise_doc!(unary $class)]
            #[track_caller]
            pub fn $method(&self) -> Result<crate::Tensor, crate::Error> {
                $name.compute([self.into()])
            }
        }

        impl<'a> crate::Lazy<'a> {
            #[doc = elementwise_doc!(lazy $method)]
            #[doc = elementwise_doc!(example lazy $method $example)]
            pub fn $method(&self) -> crate::Lazy<'a> {
                crate::Lazy::call(crate::op::lazy::Operation::One(&$name), vec![self.clone()])
            }
        }

        #[doc = elementwise_doc!(into
            concat!(
                "[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method),
                ") of `x`"
            ),
            "`x` itself",
            elementwise_doc!(example into $into $example)
        )]
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<crate::Operand<'a>>,
            out: impl Into<crate::Target<'a>>,
        ) -> Result<(), crate::Error> {
            let call = crate::trace::Call::new($name.name);
            $name.compute_into([x.into()], out.into(), call)
        }
    };
}

/// Defines an operation on two operands, with or without a method that computes in place.
macro_rules! binary {
    // Signed integers and `uint64` have no common integer dtype, so they are compared as `i128`.
    ($(#[$doc:meta])* example $example:tt $name:ident: $method:ident, $into:ident =
     comparison $class:ident |$x:ident, $y:ident| $value:expr) => {
        pub(in crate::op) const $name: crate::op::elementwise::BinaryOp =
            operation!(stringify!($method), $class vectors |$x, $y| -> bool $value)
            .with_mixed_integers(
                |types| mixed_integer_body(
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

        binary! { @methods $(#[$doc])* example $example $name: $method, $into, $class }
    };
    ($(#[$doc:meta])* example $example:tt $name:ident: $method:ident, $into:ident, $assign:ident =
     $class:ident $($body:tt)+) => {
        binary! { $(#[$doc])* example $example $name: $method, $into = $class $($body)+ }

        impl crate::Tensor {
            #[doc = concat!(
                "Computes [`Tensor::", stringify!($method), "`](crate::Tensor::",
                stringify!($method), ") in place. `other` is read as it was before the call, also if ",
                "the two share memory.\n",
                elementwise_doc!(example assign $assign $example),
                "\n# Errors\nThose of the method; and if the result has another shape or a dtype of a ",
                "greater kind, or the elements cannot be written to.\n\n",
                "# Memory\nCopies `other` first if it overlaps the tensor with other strides, or if it is ",
                "broadcast and the copy saves time ([`Estimate`](crate::plan::Estimate))."
            )]
            #[track_caller]
            pub fn $assign<'a>(
                &self,
                other: impl Into<crate::Operand<'a>>,
            ) -> Result<(), crate::Error> {
                let call = crate::trace::Call::new($name.name);
                $name.compute_two_into([self.into(), other.into()], self.into(), call)
            }
        }
    };
    ($(#[$doc:meta])* example $example:tt
     $name:ident: $method:ident, $into:ident = $class:ident $($body:tt)+) => {
        pub(in crate::op) const $name: crate::op::elementwise::BinaryOp =
            operation!(stringify!($method), $class $($body)+);

        binary! { @methods $(#[$doc])* example $example $name: $method, $into, $class }
    };
    (@methods $(#[$doc:meta])* example $example:tt $name:ident: $method:ident, $into:ident, $class:ident) => {
        impl crate::Tensor {
            $(#[$doc])*
            #[doc = elementwise_doc!(example method $method $example)]
            #[doc = elementwise_doc!(several $class)]
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
                "Computes [`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method),
                ") of this operand and another; either may be a number.\n"
            )]
            #[doc = elementwise_doc!(example operand $method $example)]
            #[doc = elementwise_doc!(several $class)]
            #[track_caller]
            #[allow(clippy::should_implement_trait, reason = "operators return tensors, not results")]
            pub fn $method(
                self,
                other: impl Into<crate::Operand<'a>>,
            ) -> Result<crate::Tensor, crate::Error> {
                $name.compute_two([self, other.into()])
            }
        }

        impl<'a> crate::Lazy<'a> {
            #[doc = elementwise_doc!(lazy $method)]
            #[doc = elementwise_doc!(example lazy $method $example)]
            pub fn $method(&self, other: impl Into<crate::Lazy<'a>>) -> crate::Lazy<'a> {
                let operands = vec![self.clone(), other.into()];
                crate::Lazy::call(crate::op::lazy::Operation::Two(&$name), operands)
            }
        }

        #[doc = elementwise_doc!(into
            concat!(
                "[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method),
                ") of `x` and `y`"
            ),
            "one of them",
            elementwise_doc!(example into $into $example)
        )]
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<crate::Operand<'a>>,
            y: impl Into<crate::Operand<'a>>,
            out: impl Into<crate::Target<'a>>,
        ) -> Result<(), crate::Error> {
            let call = crate::trace::Call::new($name.name);
            $name.compute_two_into([x.into(), y.into()], out.into(), call)
        }
    };
}

/// Defines an operation on two to four operands, as a method of the first. The names of the others are those
/// of the arguments.
macro_rules! several {
    ($(#[$doc:meta])* example $example:tt $name:ident: $method:ident, $into:ident =
     $class:ident $how:ident |$x:ident, $($y:ident),+| $($value:tt)+) => {
        pub(in crate::op) const $name: crate::op::elementwise::Elementwise<
            { 1 + [$(stringify!($y)),+].len() },
            { 2 + [$(stringify!($y)),+].len() },
        > = operation!(stringify!($method), $class $how |$x, $($y),+| $($value)+);

        impl crate::Tensor {
            $(#[$doc])*
            #[doc = elementwise_doc!(example method $method $example)]
            #[doc = elementwise_doc!(several $class)]
            #[track_caller]
            pub fn $method<'a>(
                &self,
                $($y: impl Into<crate::Operand<'a>>),+
            ) -> Result<crate::Tensor, crate::Error> {
                $name.compute([self.into(), $($y.into()),+])
            }
        }

        impl<'a> crate::Lazy<'a> {
            #[doc = elementwise_doc!(lazy $method)]
            #[doc = elementwise_doc!(example lazy $method $example)]
            pub fn $method(&self, $($y: impl Into<crate::Lazy<'a>>),+) -> crate::Lazy<'a> {
                let operands = vec![self.clone(), $($y.into()),+];
                crate::Lazy::call(crate::op::lazy::Operation::from(&$name), operands)
            }
        }

        #[doc = elementwise_doc!(into
            concat!("[`Tensor::", stringify!($method), "`](crate::Tensor::", stringify!($method), ")"),
            "one of the operands",
            elementwise_doc!(example into $into $example)
        )]
        #[track_caller]
        pub fn $into<'a>(
            $x: impl Into<crate::Operand<'a>>,
            $($y: impl Into<crate::Operand<'a>>,)+
            out: impl Into<crate::Target<'a>>,
        ) -> Result<(), crate::Error> {
            let call = crate::trace::Call::new($name.name);
            $name.compute_into([$x.into(), $($y.into()),+], out.into(), call)
        }
    };
}

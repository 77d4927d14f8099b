//! The documentation of elementwise operations: the text and the examples that the macros of `entry.rs` write.
//!
//! An entry gives one example, `example(x, y => type [elements])`: the operands as Rust expressions, and the type
//! and the elements of the result; `type near [elements]` if they are rounded to four decimals. It becomes the
//! example of the method, of the method that computes in place, of the function `…_into`, and of the methods of
//! `Operand` and `Lazy`.

/// The sections of the documentation of methods and functions: what a class of dtypes does with integers,
/// what it refuses, what is copied, and the examples.
macro_rules! elementwise_doc {
    (@integers Field) => { "Integers are cast to `float64`.\n\n" };
    (@integers Float) => { "Integers are cast to `float64`.\n\n" };
    (@integers $class:ident) => { "" };

    (@refuses Any, $before:literal, $otherwise:literal) => { $otherwise };
    (@refuses Field, $before:literal, $otherwise:literal) => { $otherwise };
    (@refuses Number, $before:literal, $otherwise:literal) => {
        concat!($before, "the dtype is `bool`.")
    };
    (@refuses Ordered, $before:literal, $otherwise:literal) => {
        concat!($before, "the dtype is complex.")
    };
    (@refuses Float, $before:literal, $otherwise:literal) => {
        concat!($before, "the dtype is complex.")
    };
    (@refuses Real, $before:literal, $otherwise:literal) => {
        concat!($before, "the dtype is `bool` or complex.")
    };
    (@refuses Integer, $before:literal, $otherwise:literal) => {
        concat!($before, "the dtype is not an integer type.")
    };
    (@refuses Bits, $before:literal, $otherwise:literal) => {
        concat!($before, "the dtype is neither an integer type nor `bool`.")
    };

    (unary $class:ident) => {
        concat!(
            "\n",
            elementwise_doc!(@integers $class),
            "# Errors\n",
            elementwise_doc!(@refuses $class, "If ", "If there is not enough memory."),
            "\n\n# Memory\nAllocates the result."
        )
    };
    (several $class:ident) => {
        concat!(
            "\n",
            elementwise_doc!(@integers $class),
            "# Errors\nIf the shapes do not broadcast",
            elementwise_doc!(@refuses $class, ", or ", "."),
            "\n\n# Memory\nAllocates the result. A broadcast operand is copied first where that saves time ",
            "([`Estimate`](crate::plan::Estimate))."
        )
    };
    (into $of:expr, $may_be:literal, $example:expr) => {
        concat!(
            "Writes ", $of, " to `out`, which may be ", $may_be, ".\n", $example,
            "\n# Errors\nThose of the method; and if `out` has another shape, cannot hold the dtype, or ",
            "cannot be written to.\n\n",
            "# Memory\nCopies an operand first if it overlaps `out` with other strides, or if it is ",
            "broadcast and the copy saves time ([`Estimate`](crate::plan::Estimate))."
        )
    };
    (lazy $method:ident) => {
        concat!(
            "Adds [`Tensor::",
            stringify!($method),
            "`](crate::Tensor::",
            stringify!($method),
            ") to the expression, which applies it when it is evaluated."
        )
    };

    // The examples. `x` is the first operand, the others are arguments.
    (example method $method:ident
     ($x:expr $(, $y:expr)* => $type:ident $($result:tt)+)) => {
        concat!(
            "\n```\nuse belvedere::prelude::*;\n\nlet x = ", stringify!($x), ";\n",
            "let y = x.", stringify!($method), "(", elementwise_doc!(@list $($y),*), ")?;\n",
            elementwise_doc!(@check "y", $type $($result)+)
        )
    };
    (example lazy $method:ident
     ($x:expr $(, $y:expr)* => $type:ident $($result:tt)+)) => {
        concat!(
            "\n```\nuse belvedere::{lazy, prelude::*};\n\nlet x = ", stringify!($x), ";\n",
            "let y = lazy(&x).", stringify!($method), "(", elementwise_doc!(@list $($y),*),
            ").eval()?;\n",
            elementwise_doc!(@check "y", $type $($result)+)
        )
    };
    (example operand $method:ident
     ($x:expr $(, $y:expr)* => $type:ident $($result:tt)+)) => {
        concat!(
            "\n```\nuse belvedere::{Operand, prelude::*};\n\nlet x = ", stringify!($x), ";\n",
            "let y = Operand::from(&x).", stringify!($method), "(",
            elementwise_doc!(@list $($y),*), ")?;\n",
            elementwise_doc!(@check "y", $type $($result)+)
        )
    };
    (example assign $method:ident
     ($x:expr $(, $y:expr)* => $type:ident $($result:tt)+)) => {
        concat!(
            "\n```\nuse belvedere::prelude::*;\n\nlet x = ", stringify!($x), ";\n",
            "x.", stringify!($method), "(", elementwise_doc!(@list $($y),*), ")?;\n",
            elementwise_doc!(@check "x", $type $($result)+)
        )
    };
    (example into $function:ident
     ($x:expr $(, $y:expr)* => $type:ident $($result:tt)+)) => {
        concat!(
            "\n```\nuse belvedere::prelude::*;\n\nlet x = ", stringify!($x), ";\n",
            "let out = Tensor::zeros(x.shape(), DType::", elementwise_doc!(@dtype $type), ")?;\n",
            "belvedere::", stringify!($function), "(&x, ", $(stringify!($y), ", ",)* "&out)?;\n",
            elementwise_doc!(@check "out", $type $($result)+)
        )
    };
    (@list) => { "" };
    (@list $y:expr $(, $more:expr)*) => {
        concat!(stringify!($y) $(, ", ", stringify!($more))*)
    };
    (@check $of:literal, $type:ident near $result:expr) => {
        concat!(
            "assert!(", $of, ".allclose_with(&tensor!", stringify!($result),
            ", 0.0, 1e-4)?.holds());\n# Ok::<(), belvedere::Error>(())\n```\n"
        )
    };
    (@check $of:literal, $type:ident $result:expr) => {
        concat!(
            "assert_eq!(", $of, ".to_vec::<", stringify!($type), ">()?, ", stringify!($result),
            ");\n# Ok::<(), belvedere::Error>(())\n```\n"
        )
    };
    (@dtype f64) => { "Float64" };
    (@dtype i32) => { "Int32" };
    (@dtype bool) => { "Bool" };
}

//! Activation functions with a parameter, and their gradients.

use crate::op::elementwise::{BinaryOp, TernaryOp};
use crate::op::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;

/// Defines an activation with a parameter, and its gradient, from a function and its derivative.
macro_rules! activation_with {
    ($(#[$doc:meta])* example $example:tt gradient $gradient:tt
     $name:ident: $method:ident, $into:ident; $grad_name:ident: $grad:ident, $grad_into:ident;
     $how:ident |$x:ident, $alpha:ident| $value:expr, slope $slope:expr) => {
        const $name: BinaryOp = operation!(stringify!($method), Float $how |$x, $alpha| $value);
        const $grad_name: TernaryOp = operation!(
            stringify!($grad),
            Float $how |$x, upstream, $alpha| upstream.times($slope)
        );

        impl Tensor {
            $(#[$doc])*
            #[doc = elementwise_doc!(example method $method $example)]
            #[doc = elementwise_doc!(unary Float)]
            #[track_caller]
            pub fn $method(&self, $alpha: f64) -> Result<Tensor, Error> {
                $name.compute([self.into(), $alpha.into()])
            }

            #[doc = concat!("Computes the gradient of [`Tensor::", stringify!($method),
                "`]: the gradient of its output, `upstream`, times its derivative.\n")]
            #[doc = elementwise_doc!(example method $grad $gradient)]
            #[doc = elementwise_doc!(several Float)]
            #[track_caller]
            pub fn $grad<'a>(
                &self,
                upstream: impl Into<Operand<'a>>,
                $alpha: f64,
            ) -> Result<Tensor, Error> {
                $grad_name.compute([self.into(), upstream.into(), $alpha.into()])
            }
        }

        #[doc = elementwise_doc!(into
            concat!("[`Tensor::", stringify!($method), "`] of `x`"),
            "`x` itself",
            elementwise_doc!(example into $into $example)
        )]
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<Operand<'a>>,
            $alpha: f64,
            out: impl Into<Target<'a>>,
        ) -> Result<(), Error> {
            $name.compute_into([x.into(), $alpha.into()], out.into(), Location::caller())
        }

        #[doc = elementwise_doc!(into
            concat!("[`Tensor::", stringify!($grad), "`] of `x`"),
            "one of the operands",
            elementwise_doc!(example into $grad_into $gradient)
        )]
        #[track_caller]
        pub fn $grad_into<'a>(
            x: impl Into<Operand<'a>>,
            upstream: impl Into<Operand<'a>>,
            $alpha: f64,
            out: impl Into<Target<'a>>,
        ) -> Result<(), Error> {
            let operands = [x.into(), upstream.into(), $alpha.into()];
            $grad_name.compute_into(operands, out.into(), Location::caller())
        }
    };
}

activation_with! {
    /// Computes the leaky rectified linear unit: `x` if positive, else `alpha · x`.
    example(tensor![-1.0, 2.0], 0.5 => f64 [-0.5, 2.0])
    gradient(tensor![-1.0, 2.0], 10.0, 0.5 => f64 [5.0, 10.0])
    LEAKY_RELU: leaky_relu, leaky_relu_into;
    LEAKY_RELU_GRAD: leaky_relu_grad, leaky_relu_grad_into;
    vectors |x, alpha| if x > T::ZERO { x } else { x.times(alpha) },
    slope if x > T::ZERO { T::ONE } else { alpha }
}

activation_with! {
    /// Computes the exponential linear unit: `x` if positive, else `alpha · (exp(x) - 1)`.
    example(tensor![-1.0, 2.0], 1.0 => f64 near [-0.6321, 2.0])
    gradient(tensor![-1.0, 2.0], 10.0, 1.0 => f64 near [3.6788, 10.0])
    ELU: elu, elu_into;
    ELU_GRAD: elu_grad, elu_grad_into;
    fused |x, alpha| {
        let below = x.exp_m1().times(alpha);
        if x > T::ZERO { x } else { below }
    },
    slope {
        let below = x.exp::<M>().times(alpha);
        if x > T::ZERO { T::ONE } else { below }
    }
}

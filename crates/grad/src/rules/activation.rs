//! Activation functions. Those whose derivative is made of differentiable operations have second derivatives, too.

use super::{Rule, Rules, Saves};
use belvedere::where_;

pub(super) const RULES: Rules = &[
    ("relu", Rule::unary(|x, g| where_(&x.greater(0.0)?, g, 0.0))),
    ("relu6", Rule::unary(|x, g| where_(&x.greater(0.0)?.logical_and(&x.less(6.0)?)?, g, 0.0))),
    (
        "sigmoid",
        Rule::unary(|x, g| {
            let y = x.sigmoid()?;
            g.mul(&y.sub(&y.square()?)?)
        }),
    ),
    ("softplus", Rule::unary(|x, g| g.mul(&x.sigmoid()?))),
    (
        "swish",
        Rule::unary(|x, g| {
            let s = x.sigmoid()?;
            g.mul(&x.mul(&s.sub(&s.square()?)?)?.add(&s)?)
        }),
    ),
    ("gelu", Rule::unary(|x, g| x.gelu_grad(g))),
    ("gelu_tanh", Rule::unary(|x, g| x.gelu_tanh_grad(g))),
    ("hard_sigmoid", Rule::unary(|x, g| x.hard_sigmoid_grad(g))),
    ("hard_swish", Rule::unary(|x, g| x.hard_swish_grad(g))),
    (
        "leaky_relu",
        Rule::general(Saves::All, |p| {
            let (x, alpha, g) = (p.input(0)?, p.input(1)?, p.g());
            let is_positive = x.greater(0.0)?;
            p.add(0, where_(&is_positive, &g, &g.mul(&alpha)?)?);
            p.add(1, where_(&is_positive, 0.0, &g.mul(&x)?)?);
            Ok(())
        }),
    ),
    (
        "elu",
        Rule::general(Saves::All, |p| {
            let (x, alpha, g) = (p.input(0)?, p.input(1)?, p.g());
            let is_positive = x.greater(0.0)?;
            // The exponential of large numbers is infinite, and so is its derivative.
            let x = where_(&is_positive, 0.0, &x)?;
            let below = g.mul(&x.exp()?)?.mul(&alpha)?;
            p.add(0, where_(&is_positive, &g, &below)?);
            p.add(1, where_(&is_positive, 0.0, &g.mul(&x.expm1()?)?)?);
            Ok(())
        }),
    ),
];

//! Second derivatives of every case of `differences.rs` by nested tapes, against central differences of gradients.

use crate::differences::{Case, all_cases, components, operand, weights};
use belvedere::prelude::*;
use belvedere_grad::Tape;

/// Returns `Σ weight · gradient` over the operands of a case; of complex gradients the real part of the products.
fn weighted_gradient(case: &Case, operands: &[(Tensor, Layout)]) -> Result<Tensor, Error> {
    let tape = Tape::new();
    operands.iter().try_for_each(|(memory, _)| tape.watch(memory))?;
    let y = tape.record(|| case.value(operands))?;
    let grads = tape.backward_with(&y, &weights(&y)?)?;
    let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
    for (memory, _) in operands {
        let factors = weights(&memory.flip([0])?)?.conj()?;
        sum = sum.add(&grads.wrt(memory)?.mul(&factors)?.real()?.sum(())?)?;
    }
    Ok(sum)
}

/// Compares the second derivatives of a case with differences; `None` if they agree.
fn disagreement(case: &Case) -> Result<Option<String>, Error> {
    let operands = (0..case.n_operands()).map(|n| operand(case, n, n));
    let operands: Vec<(Tensor, Layout)> = operands.collect::<Result<_, _>>()?;
    let outer = Tape::new();
    operands.iter().try_for_each(|(memory, _)| outer.watch(memory))?;
    let g = outer.record(|| weighted_gradient(case, &operands))?;
    let grads = match outer.backward(&g) {
        Ok(grads) => Some(grads),
        // The gradient is constant.
        Err(error) if error.to_string().contains("did not record") => None,
        Err(error) => return Err(error),
    };
    let value = || weighted_gradient(case, &operands)?.item::<f64>();
    for (n, (memory, _)) in operands.iter().enumerate() {
        let found = grads.as_ref().map_or_else(|| memory.zeros_like(), |it| it.wrt(memory))?;
        let (found, memory) = (components(&found)?, components(memory)?);
        for (at, found) in found.to_vec::<f64>()?.into_iter().enumerate() {
            let (old, h) = (memory.get::<f64>([at])?, 1e-5);
            memory.set([at], old + h)?;
            let above = value()?;
            memory.set([at], old - h)?;
            let below = value()?;
            memory.set([at], old)?;
            let expected = (above - below) / (2.0 * h);
            if (found - expected).abs() > 1e-5 * (1.0 + expected.abs()) {
                let what = format!("operand {n}, element {at}: {found}, expected {expected}");
                return Ok(Some(what));
            }
        }
    }
    Ok(None)
}

#[test]
fn second_derivatives_are_the_limits_of_differences_of_gradients() {
    let mut failures = Vec::new();
    for case in all_cases() {
        let outcome = disagreement(case).unwrap_or_else(|error| Some(error.to_string()));
        failures.extend(outcome.map(|what| format!("{}: {what}", case.name)));
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

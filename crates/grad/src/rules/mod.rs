//! Derivative rules, one family of operations a file, keyed by the name that an operation announces.
//!
//! An operation is recorded by the outermost event that has a rule: one that is made of others and has none is
//! differentiated through its parts. Every rule adds its contributions through [`Pullback`]; the sum is in
//! `backward.rs`.

mod activation;
mod activation_gradients;
mod arithmetic;
mod copies;
mod eigenvalues;
mod factorizations;
mod fourier;
mod functions;
mod indexing;
mod joining;
mod linalg;
mod log_sums;
mod missing;
mod movement;
mod normalization;
mod products;
mod quantiles;
mod reductions;
mod scans;
mod selection;
mod windows;

use crate::entry::{Entry, EntryInput, Region};
use crate::hash::FastMap;
use crate::pullback::Pullback;
use belvedere::trace::{ObservedOperation, Param};
use belvedere::{Error, Tensor, where_};
use std::cell::Cell;
use std::sync::LazyLock;

pub(crate) use copies::COPY;

/// How the gradient of an operation's results becomes that of its inputs.
#[derive(Debug)]
pub struct Rule {
    saves: Saves,
    pull: Pull,
    old: OldContents,
    /// Whether the gradient of the first input is that of the output, unchanged: `x += y` leaves it in place.
    passes_first: bool,
    complex: ComplexNumbers,
}

/// What a rule does with complex numbers.
///
/// The gradient of a complex number `z` is `∂L/∂Re z + i ∂L/∂Im z`, so that of `z` from `y = f(z)` is the gradient of `y` times the
/// conjugate of `f′(z)`. If `f` is real for real operands, that is `f′` of the conjugate of `z`: the rule for real
/// numbers, applied to conjugated operands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ComplexNumbers {
    Refused,
    Conjugated,
    AsTheyAre,
    /// The derivative is zero for real numbers.
    Only,
}

/// Which inputs a rule saves.
#[derive(Clone, Copy, Debug)]
enum Saves {
    Nothing,
    All,
    /// Those for which another input has a gradient.
    Others,
    /// This one.
    Only(usize),
    /// This one and all after it.
    From(usize),
    AllButLast,
    /// All but the first and the last.
    Inner,
}

/// Whether a rule passes a gradient on to what the output contained before.
#[derive(Clone, Copy, Debug)]
enum OldContents {
    Overwritten,
    /// An operation that writes some of the elements only, or adds to them.
    Kept,
    /// If the parameter `accumulate` is true.
    IfAccumulated,
}

/// The function of a rule.
#[derive(Clone, Copy, Debug)]
enum Pull {
    /// Of the saved input and the gradient of the output: an elementwise function of one operand.
    Unary(fn(&Tensor, &Tensor) -> Result<Tensor, Error>),
    General(fn(&mut Pullback<'_>) -> Result<(), Error>),
}

impl Rule {
    /// Returns the rule of a function of one operand that needs its value.
    const fn unary(pull: fn(&Tensor, &Tensor) -> Result<Tensor, Error>) -> Rule {
        Rule::new(Saves::Only(0), Pull::Unary(pull))
    }

    /// Returns the rule as one of a holomorphic function that is real for real operands.
    const fn holomorphic(self) -> Rule {
        Rule { complex: ComplexNumbers::Conjugated, ..self }
    }

    /// Returns the rule as one whose function treats complex numbers itself, or needs no operands.
    const fn complex(self) -> Rule {
        Rule { complex: ComplexNumbers::AsTheyAre, ..self }
    }

    /// Returns a rule of any form.
    const fn general(saves: Saves, pull: fn(&mut Pullback<'_>) -> Result<(), Error>) -> Rule {
        Rule::new(saves, Pull::General(pull))
    }

    const fn new(saves: Saves, pull: Pull) -> Rule {
        Rule {
            saves,
            pull,
            old: OldContents::Overwritten,
            passes_first: false,
            complex: ComplexNumbers::Refused,
        }
    }

    /// Returns the rule of an operation that passes the gradient of its output on to its first input unchanged.
    const fn passing_first(self) -> Rule {
        Rule { passes_first: true, ..self }
    }

    const fn with_old(self, old: OldContents) -> Rule {
        Rule { old, ..self }
    }

    /// Returns the rule as one of a function that is piecewise constant for real operands.
    const fn only_complex(self) -> Rule {
        Rule { complex: ComplexNumbers::Only, ..self }
    }

    /// Returns whether the derivative is zero for real operands.
    pub(crate) fn is_only_complex(&self) -> bool {
        self.complex == ComplexNumbers::Only
    }

    /// Returns whether the rule is right for complex numbers. Otherwise a complex operand is an error.
    ///
    /// ```
    /// use belvedere_grad::{Differentiability, differentiability};
    ///
    /// let is_complex = |op: &str| match differentiability(op) {
    ///     Differentiability::Rule(rule) => rule.is_complex(),
    ///     _ => false,
    /// };
    /// assert!(is_complex("exp") && !is_complex("relu"));
    /// ```
    pub fn is_complex(&self) -> bool {
        self.complex != ComplexNumbers::Refused
    }

    /// Returns whether the function of the rule receives the conjugates of the operands.
    pub(crate) fn conjugates(&self) -> bool {
        self.complex == ComplexNumbers::Conjugated
    }

    /// Returns whether input `n` of `n_inputs` is saved. `is_other_tracked` says whether one of the others has a gradient.
    pub(crate) fn saves(&self, n: usize, n_inputs: usize, is_other_tracked: bool) -> bool {
        match self.saves {
            Saves::Nothing => false,
            Saves::All => true,
            Saves::Others => is_other_tracked,
            Saves::Only(at) => n == at,
            Saves::From(first) => n >= first,
            Saves::AllButLast => n + 1 < n_inputs,
            Saves::Inner => n > 0 && n + 1 < n_inputs,
        }
    }

    /// Returns whether what the output contained before matters, also if no input has a gradient.
    pub(crate) fn reads_old(&self, operation: &ObservedOperation<'_>, is_recorded: bool) -> bool {
        let is_accumulated = || operation.params.contains(&("accumulate", Param::Bool(true)));
        match self.old {
            OldContents::Overwritten => false,
            OldContents::Kept => true,
            OldContents::IfAccumulated => is_recorded && is_accumulated(),
        }
    }

    /// Returns whether the gradient of an entry's output stays in place as that of its first input.
    pub(crate) fn keeps_gradient(&self, entry: &Entry) -> bool {
        let is_same = |input: &EntryInput| {
            let Region { storage, layout, .. } = &entry.outputs[0];
            input.tracked == Some(*storage) && input.layout() == Some(layout)
        };
        let first = entry.inputs.first().filter(|_| self.passes_first && !entry.is_fresh);
        first.is_some_and(is_same)
    }

    /// Adds the contributions of an entry.
    pub(crate) fn pull(&self, pullback: &mut Pullback<'_>) -> Result<(), Error> {
        match self.pull {
            Pull::General(pull) => pull(pullback),
            Pull::Unary(pull) => {
                let (x, g) = (pullback.input(0)?, pullback.g());
                pullback.add(0, pull(&x, &g)?);
                Ok(())
            }
        }
    }
}

/// What is known about the derivative of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Differentiability {
    /// It has a rule.
    Rule(&'static Rule),
    /// Its derivative is zero, or its results carry no gradient; with the reason.
    Constant(&'static str),
    /// It is made of other operations, through which it is differentiated.
    Parts,
    /// It is an error on elements with a gradient; with the reason.
    Missing(&'static str),
    /// Nothing is known of it: it is an error, unless it is a copy or made of others that have rules.
    None,
}

impl Differentiability {
    /// Returns whether the parts of the operation are not differentiated.
    pub(crate) fn hides_parts(self) -> bool {
        matches!(self, Differentiability::Rule(_) | Differentiability::Constant(_))
    }
}

/// Returns a quotient, and 0 where the divisor is 0. Its derivative is finite there, too: that of a quotient that is computed and
/// not used would be NaN.
fn quotient_or_zero(numerator: &Tensor, divisor: &Tensor) -> Result<Tensor, Error> {
    let is_zero = divisor.equal(0.0)?;
    where_(&is_zero, 0.0, &numerator.div(&where_(&is_zero, 1.0, divisor)?)?)
}

/// Returns `numerator / √square`, and 0 where the square is 0. The root is not computed there: its derivative is infinite.
fn over_root_or_zero(numerator: &Tensor, square: &Tensor) -> Result<Tensor, Error> {
    let is_zero = square.equal(0.0)?;
    where_(&is_zero, 0.0, &numerator.div(&where_(&is_zero, 1.0, square)?.sqrt()?)?)
}

/// A table of rules: the name of the operation, and its rule.
type Rules = &'static [(&'static str, Rule)];

static TABLES: [Rules; 19] = [
    activation::RULES,
    activation_gradients::RULES,
    arithmetic::RULES,
    copies::RULES,
    eigenvalues::RULES,
    factorizations::RULES,
    fourier::RULES,
    functions::RULES,
    indexing::RULES,
    joining::RULES,
    linalg::RULES,
    movement::RULES,
    normalization::RULES,
    products::RULES,
    quantiles::RULES,
    reductions::RULES,
    scans::RULES,
    selection::RULES,
    windows::RULES,
];

static BY_NAME: LazyLock<FastMap<&'static str, Differentiability>> = LazyLock::new(|| {
    let rules = TABLES.iter().copied().flatten();
    let rules = rules.map(|(name, rule)| (*name, Differentiability::Rule(rule)));
    let constants = missing::CONSTANTS.iter();
    let constants = constants.map(|(name, why)| (*name, Differentiability::Constant(why)));
    let parts = missing::PARTS.iter().map(|name| (*name, Differentiability::Parts));
    let missing = missing::MISSING.iter();
    let missing = missing.map(|(name, why)| (*name, Differentiability::Missing(why)));
    rules.chain(constants).chain(parts).chain(missing).collect()
});

/// Returns what is known about the derivative of an operation, by the name that it announces.
///
/// ```
/// use belvedere_grad::{Differentiability, differentiability};
///
/// assert!(matches!(differentiability("exp"), Differentiability::Rule(_)));
/// assert!(matches!(differentiability("floor"), Differentiability::Constant(_)));
/// ```
pub fn differentiability(op: &str) -> Differentiability {
    BY_NAME.get(op).copied().unwrap_or(Differentiability::None)
}

/// The number of names that a thread finds without the table.
const N_RECENT: usize = 64;

thread_local! {
    /// What is known of names that were looked up lately, by their addresses.
    static RECENT: [Cell<(&'static str, Differentiability)>; N_RECENT] =
        const { [const { Cell::new(("", Differentiability::None)) }; N_RECENT] };
}

/// Returns the same as [`differentiability`] for the name of an observed operation, which is the same text each time.
pub(crate) fn differentiability_of(op: &'static str) -> Differentiability {
    RECENT.with(|recent| {
        let slot = &recent[(op.as_ptr().addr() / 8 + op.len()) % N_RECENT];
        let (known, found) = slot.get();
        if std::ptr::eq(known, op) {
            return found;
        }
        let found = differentiability(op);
        slot.set((op, found));
        found
    })
}

/// Iterates over the names of the operations that have a rule, or are differentiated through their parts.
///
/// ```
/// assert!(belvedere_grad::rule_names().any(|it| it == "matmul"));
/// ```
pub fn rule_names() -> impl Iterator<Item = &'static str> {
    let rules = TABLES.iter().copied().flatten().map(|(name, _)| *name);
    rules.chain(missing::PARTS.iter().copied())
}

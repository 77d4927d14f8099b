//! Operations without a rule: those whose derivative is zero, and those that cannot be differentiated, with the reasons.

/// Operations whose results carry no gradient, and why.
pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("floor", "piecewise constant"),
    ("ceil", "piecewise constant"),
    ("trunc", "piecewise constant"),
    ("round", "piecewise constant"),
    ("sign", "piecewise constant"),
    ("floor_divide", "piecewise constant"),
    ("nextafter", "neighbouring numbers have no derivative"),
    ("zeros_like", "constant"),
    ("ones_like", "constant"),
    ("isclose", "a comparison"),
];

/// Operations that have no rule, and why.
const WITHOUT_RULE: &[(&str, &str)] = &[
    ("eval", "lazy expressions are not differentiated yet"),
    ("eval_into", "lazy expressions are not differentiated yet"),
    ("map", "a closure has no derivative"),
    ("zip", "a closure has no derivative"),
    ("for_each", "a closure has no derivative"),
    ("fold", "a closure has no derivative"),
    ("bitcast", "the bits of a number have no derivative"),
    ("nanmedian", "not implemented yet"),
];

/// Returns why an operation has no rule, if that is known.
pub(crate) fn missing_reason(op: &str) -> Option<&'static str> {
    WITHOUT_RULE.iter().find(|(name, _)| *name == op).map(|(_, reason)| *reason)
}

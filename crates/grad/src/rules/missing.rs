//! Operations without a rule: those whose derivative is zero, and those that cannot be differentiated, with the reasons.

/// Operations whose results carry no gradient, and why.
pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("floor", "piecewise constant"),
    ("ceil", "piecewise constant"),
    ("trunc", "piecewise constant"),
    ("round", "piecewise constant"),
    ("imag", "zero for real numbers; of complex numbers it is a view"),
    ("floor_divide", "piecewise constant"),
    ("nextafter", "neighbouring numbers have no derivative"),
    ("zeros_like", "constant"),
    ("ones_like", "constant"),
    ("empty_like", "constant"),
    ("fftfreq", "constant"),
    ("rfftfreq", "constant"),
    ("all", "its results are booleans"),
    ("any", "its results are booleans"),
    ("allclose", "its results are booleans"),
    ("isclose", "its results are booleans"),
    ("isfinite", "its results are booleans"),
    ("isinf", "its results are booleans"),
    ("isnan", "its results are booleans"),
    ("isin", "its results are booleans"),
    ("logical_not", "its results are booleans"),
    ("signbit", "its results are booleans"),
    ("argmax", "its results are integers"),
    ("argmin", "its results are integers"),
    ("argpartition", "its results are integers"),
    ("argsort", "its results are integers"),
    ("argwhere", "its results are integers"),
    ("count_nonzero", "its results are integers"),
    ("digitize", "its results are integers"),
    ("nonzero", "its results are integers"),
    ("searchsorted", "its results are integers"),
    ("matrix_rank", "its results are integers"),
    ("tril_indices", "its results are integers"),
    ("triu_indices", "its results are integers"),
    ("one_hot", "its results are integers"),
];

/// Operations that are made of others with rules.
pub(super) const PARTS: &[&str] = &[
    "ptp",
    "diff",
    "trapezoid",
    "tril",
    "triu",
    "outer",
    "inner",
    "kron",
    "cross",
    "trace",
    "matvec",
    "vecmat",
    "einsum",
    "sum_to_shape",
    "masked_fill",
    "matrix_power",
    "matrix_norm",
    "batch_norm",
    "full",
    "full_like",
    "softmax_grad",
    "log_softmax_grad",
    "fftshift",
    "ifftshift",
    "cond",
];

/// Why a draw whose parameters transform standard numbers has no rule: a rule would need the numbers that were drawn, and an
/// event has the operands only.
const REPARAMETRIZE: &str =
    "random numbers are constants: draw standard ones and transform them, such as mean + std * z";

/// Why a draw has no rule at all.
const NOT_REPARAMETRIZABLE: &str =
    "random numbers are constants, and these are no elementary function of standard ones";

/// Why lazy expressions have no rule: their event names the operands of the fused pass, and not the operations.
const LAZY: &str = "a fused pass does not say what it computes: use the methods of tensors";

/// Operations that have no rule, and why.
pub(super) const MISSING: &[(&str, &str)] = &[
    ("eval", LAZY),
    ("eval_into", LAZY),
    ("map", "a closure has no derivative"),
    ("zip", "a closure has no derivative"),
    ("for_each", "a closure has no derivative"),
    ("fold", "a closure has no derivative"),
    (
        "bitcast",
        "the bits of a number have no derivative; complex numbers as pairs of real ones do",
    ),
    ("unique", "the shape depends on the values: take the elements by index"),
    ("unique_all", "the shape depends on the values: take the elements by index"),
    ("unique_counts", "the shape depends on the values: take the elements by index"),
    ("unique_inverse", "the shape depends on the values: take the elements by index"),
    ("unique_values", "the shape depends on the values: take the elements by index"),
    ("union1d", "the shape depends on the values: take the elements by index"),
    ("intersect1d", "the shape depends on the values: take the elements by index"),
    ("setdiff1d", "the shape depends on the values: take the elements by index"),
    ("setxor1d", "the shape depends on the values: take the elements by index"),
    (
        "histogram",
        "counts are piecewise constant: use bincount of digitize for the gradient of weights",
    ),
    ("permuted", "draw a permutation and take the elements by index"),
    ("shuffle", "draw a permutation and take the elements by index"),
    ("choice", "draw indices and take the elements by index"),
    ("normal", REPARAMETRIZE),
    ("uniform", REPARAMETRIZE),
    ("exponential", REPARAMETRIZE),
    ("gumbel", REPARAMETRIZE),
    ("laplace", REPARAMETRIZE),
    ("logistic", REPARAMETRIZE),
    ("lognormal", REPARAMETRIZE),
    ("multivariate_normal", REPARAMETRIZE),
    ("pareto", REPARAMETRIZE),
    ("power", REPARAMETRIZE),
    ("rayleigh", REPARAMETRIZE),
    ("triangular", REPARAMETRIZE),
    ("weibull", REPARAMETRIZE),
    ("beta", NOT_REPARAMETRIZABLE),
    ("chisquare", NOT_REPARAMETRIZABLE),
    ("dirichlet", NOT_REPARAMETRIZABLE),
    ("f", NOT_REPARAMETRIZABLE),
    ("gamma", NOT_REPARAMETRIZABLE),
    ("multinomial", NOT_REPARAMETRIZABLE),
    ("noncentral_chisquare", NOT_REPARAMETRIZABLE),
    ("noncentral_f", NOT_REPARAMETRIZABLE),
    ("standard_t", NOT_REPARAMETRIZABLE),
    ("vonmises", NOT_REPARAMETRIZABLE),
    ("wald", NOT_REPARAMETRIZABLE),
];

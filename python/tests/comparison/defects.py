"""The differences from NumPy that are not intended: what is left to do."""

from __future__ import annotations

from .differences import Difference

DEFECTS = [
    Difference(
        "*",
        "refused",
        "Arithmetic of bool: add is or, multiply is and; others are int8.",
        detail="*not supported for bool",
    ),
    Difference("Array.__pow__", "dtype", "Powers of bool are int8.", dtypes="bool"),
    Difference(
        "*",
        "refused",
        "NumPy casts fill values and outputs of reductions without a check.",
        detail="*cannot cast int|*cannot cast float|*has dtype float64, not",
    ),
    Difference("reciprocal", "dtype", "The reciprocal of an integer is an integer."),
    Difference("reciprocal", "value", "The reciprocal of an integer is an integer."),
    Difference("reciprocal", "written", "The reciprocal of an integer is an integer."),
    Difference(
        "floor_divide divmod floor_divide.*",
        "value",
        "An infinity divided by a number is NaN, a number by an infinity 0 or -1.",
    ),
    Difference(
        "Array.__ifloordiv__",
        "value",
        "An infinity divided by a number is NaN, a number by an infinity 0 or -1.",
    ),
    Difference(
        "Array.__ifloordiv__",
        "written",
        "An infinity divided by a number is NaN, a number by an infinity 0 or -1.",
    ),
    Difference(
        "*quantile *percentile",
        "dtype",
        "Methods that select keep the dtype; an array of quantiles is promoted.",
    ),
    Difference("setdiff1d setxor1d intersect1d", "dtype", "The dtype of lists and numbers as operands."),
    Difference("setdiff1d setxor1d union1d", "shape", "NaN is equal to NaN."),
    Difference("pad", "refused", "Modes with statistics and ramps, odd reflections, and no values."),
    Difference("pad", "shape", "Widths as a dictionary.", call="f(x, {0: 1})"),
    Difference("atleast_*", "refused", "Several arrays."),
    Difference("tril triu", "refused", "1-D arrays.", call="f(v)"),
    Difference("argsort", "refused", "0-d arrays.", call="f(s)"),
    Difference(
        "take bincount",
        "refused",
        "An empty list is an index; so is a float with an integer value.",
        detail="*for float64",
    ),
    Difference("bincount", "accepted", "Arrays of more than one axis are refused.", call="f(x)"),
    Difference("digitize", "accepted", "Complex numbers are refused."),
    Difference("digitize", "error", "Complex numbers are refused."),
    Difference("argmax argmin nanargmax nanargmin", "accepted", "The output must have an integer dtype."),
    Difference("*partition", "error", "A position that is out of range is a ValueError."),
    Difference("take_along_axis", "error", "Shapes that do not broadcast are an IndexError."),
    Difference("roll", "refused", "Several shifts along one axis."),
    Difference("sinc", "refused", "Complex numbers."),
    Difference("einsum_path", "type", "The result is a path and a text."),
    Difference("einsum_path", "length", "The result is a path and a text."),
    Difference("histogram", "refused", "Rules for the number of bins.", detail="*BinsArgument"),
    Difference("finfo", "refused", "The attribute tiny."),
    Difference("fft.*freq", "refused", "The number of points by name.", call="f(n=4)"),
    Difference("min Array.max Array.min", "dtype", "An initial value has no dtype of its own."),
    Difference("nanvar std Array.mean", "dtype", "A mask keeps the precision.", dtypes="complex64"),
    Difference("nan_to_num", "refused", "Integers need no write.", call="f(x, copy=False)"),
    Difference("permute_dims", "refused", "The axes are optional.", call="f(x)"),
    Difference("Array.__setitem__", "error", "A list for a number is a TypeError."),
    Difference("Array.__setitem__", "written", "NaN as an integer is the least integer."),
    Difference("Array.fill", "error", "An array for a number is a TypeError."),
    Difference("Array.__pow__", "error", "A negative exponent of an unsigned integer is an OverflowError."),
    Difference(
        "*.reduce",
        "value",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.reduce",
        "written",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.reduce",
        "dtype",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.reduce",
        "error",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.reduce",
        "accepted",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.reduce",
        "refused",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.accumulate",
        "dtype",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.accumulate",
        "accepted",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.accumulate",
        "refused",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference(
        "*.accumulate",
        "value",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
    Difference("*.at", "refused", "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals."),
    Difference(
        "*.reduceat",
        "value",
        "Methods of ufuncs: initial values, identities, masks, orders, dtypes and refusals.",
    ),
]

"""The differences from NumPy that are intended, each with its reason.

A row that no call needs any more is an error.
"""

from __future__ import annotations

import dataclasses
import fnmatch

from .evaluate import Mismatch


@dataclasses.dataclass(frozen=True)
class Difference:
    """An intended difference: of which functions, of which kind (see `Mismatch`), and why."""

    #: Patterns of function names, separated by spaces.
    functions: str
    kind: str
    reason: str
    #: A pattern of the call, as ``*dtype=*``.
    call: str = "*"
    #: The dtypes of the operands for which it occurs, separated by spaces; all, if it is empty.
    dtypes: str = ""
    #: Patterns of the description, separated by ``|``.
    detail: str = "*"

    def concerns(self, function: str) -> bool:
        """Whether a function is one of those of this row."""
        return any(fnmatch.fnmatchcase(function, pattern) for pattern in self.functions.split())

    def covers(self, it: Mismatch) -> bool:
        """Whether a difference is an instance of this row."""
        return (
            it.kind == self.kind
            and self.concerns(it.function)
            and (not self.dtypes or it.dtype in self.dtypes.split())
            and _matches(it.call, self.call)
            and any(_matches(it.detail, pattern) for pattern in self.detail.split("|"))
        )


def _matches(text: str, pattern: str) -> bool:
    """Whether a text has the parts that asterisks separate, in this order."""
    at = 0
    for part in pattern.split("*"):
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


#: The refusals of functions that need an order of the elements.
_NO_ORDER = "|".join(
    f"UnsupportedError({name}* is not supported for complex"
    for name in ("arg", "clip", "fm", "greater", "histogram", "less", "max", "median", "min", "nan", "ptp")
)
_COMPLEX = "complex64 complex128"
_SMALL = "bool int8 uint8 int16 uint16"
_WIDE = "int32 int64"

DIFFERENCES = [
    Difference("*", "scalar", "Results that NumPy returns as scalars are 0-d arrays."),
    Difference("Array.ravel Array.flatten", "view", "Both are views whenever one exists."),
    Difference("meshgrid", "view", "Views wherever they are possible: the grids are broadcast."),
    Difference("conj conjugate Array.conj Array.conjugate", "view", "The conjugate of a real array is the array."),
    Difference(
        "*",
        "dtype",
        "Integers of any width are cast to float64, so that the precision does not depend on the width.",
        dtypes=_SMALL,
        detail="float64 instead of float*",
    ),
    Difference(
        "*",
        "value",
        "NumPy computes with 8- and 16-bit integers in float16 and float32; float64 is more accurate.",
        call="*out=o*",
        dtypes=_SMALL,
    ),
    Difference("*", "written", "The same, in the output.", call="*out=o*", dtypes=_SMALL),
    Difference("*", "refused", "Complex numbers have no order (Array API).", dtypes=_COMPLEX, detail=_NO_ORDER),
    Difference("*", "error", "Of two mistakes the dtype is reported first.", detail="UnsupportedError(*instead of*"),
    Difference("*", "error", "Of two mistakes the shape of the output is reported first.", call="*o_wrong*"),
    Difference(
        "*",
        "refused",
        "A cast from complex to real loses the imaginary part; NumPy warns.",
        detail="*cannot cast complex*",
    ),
    Difference("*", "refused", "A 0-d array has no axis 0.", call="*s, axis=0*", detail="AxisError*"),
    Difference("array asarray asanyarray", "refused", "There is no dtype for text.", call="f('text')"),
    Difference("array asarray asanyarray", "refused", "There is no dtype for objects.", call="f(None)"),
    Difference(
        "*",
        "error",
        "Of two mistakes the shapes are reported first.",
        call="f(x, v*",
        detail="ValueError(shapes",
    ),
    Difference(
        "*",
        "error",
        "An empty number of parts or points is a ValueError that says so, not a division by zero.",
        detail="ValueError(*instead of ZeroDivisionError",
    ),
    Difference("*", "accepted", "Statistics take bool as 0 and 1.", dtypes="bool", detail="*numpy boolean subtract"),
    Difference("median nanmedian", "written", "The operand is never overwritten.", call="f(x, 0, None, True)"),
    Difference("median nanmedian", "accepted", "The operand is never overwritten.", call="f(x, 0, None, True)"),
    Difference("real imag isreal", "type", "Results for numbers are 0-d arrays.", detail="Array instead of"),
    Difference("linalg.*", "accepted", "float16 is computed in float32.", dtypes="float16"),
    Difference("linalg.matmul linalg.tensordot", "accepted", "They are the functions of the main namespace."),
    Difference("linalg.matmul linalg.tensordot", "error", "They are the functions of the main namespace."),
    Difference(
        "fft.*",
        "dtype",
        "float16 is computed in float32.",
        dtypes="float16",
        detail="float32 instead of float16",
    ),
    Difference("fft.*", "refused", "A repeated axis is an error, as elsewhere.", call="f(t, axes=(1, 1))"),
    Difference("finfo", "accepted", "An array stands for its dtype, as in the standard.", call="float(f(o).eps)"),
    Difference(
        "meshgrid",
        "type",
        "The result is a tuple; NumPy's is a list if nothing is copied.",
        call="*copy=False)",
    ),
    Difference(
        "quantile percentile nan*",
        "value",
        "An exact quantile beside an infinity is not NaN.",
        call="f(nan, *",
    ),
    Difference("may_share_memory", "value", "The answer is exact; NumPy compares the bounds of the memory."),
    Difference("trim_zeros", "accepted", "Nested lists are arrays; NumPy slices the list itself.", call="f([[*"),
    Difference("unique_values", "value", "The values are sorted; NumPy's order is that of a hash table."),
    # dtypes
    Difference("*", "refused", "There is no dtype for objects.", call="*'object'*"),
    Difference("conj conjugate", "dtype", "The conjugate of bool is bool.", detail="bool instead of int8"),
    Difference("conj conjugate", "accepted", "The conjugate of bool is bool.", dtypes="bool"),
    Difference(
        "clip Array.clip",
        "accepted",
        "Without bounds it returns any array.",
        dtypes="bool",
        detail="*positive",
    ),
    Difference("linspace", "dtype", "A 0-d array is taken as a number.", call="f(s, 5, 3)"),
    Difference("arange", "dtype", "A 0-d array is taken as a number.", call="f(s)"),
    Difference("arange", "refused", "The bounds are real numbers.", call="f(s)", dtypes=_COMPLEX),
    Difference("spacing nextafter", "value", "Integers have the spacing of float64.", dtypes=_SMALL),
    Difference("spacing", "value", "The sign is that of the operand in float16, too.", dtypes="float16"),
    Difference("spacing", "written", "The sign is that of the operand in float16, too.", dtypes="float16"),
    Difference("trapezoid", "value", "Statistics take bool as 0 and 1.", dtypes="bool"),
    Difference("histogram", "dtype", "Weights are summed in float64.", call="*weights=w"),
    Difference("nanstd", "accepted", "The result is cast to the dtype that is asked for.", call="f(x, dtype=xp.int32)"),
    Difference("linalg.lstsq", "dtype", "The rank has the default integer dtype.", detail="int64 instead of int32"),
    Difference("linalg.eig linalg.eigvals", "dtype", "Eigenvalues are complex, as the standard requires."),
    Difference(
        "linalg.eig linalg.eigvals",
        "value",
        "Eigenvalues are complex, as the standard requires.",
        call="form(",
    ),
    Difference("linalg.matrix_rank", "type", "Results that NumPy returns as numbers are 0-d arrays.", call="f(v)"),
    Difference("einsum", "dtype", "A permutation has the dtype that is asked for.", call="*dtype=xp.float32)"),
    Difference("einsum", "copy", "A permutation has the dtype that is asked for.", call="*dtype=xp.float32)"),
    Difference("ldexp", "dtype", "A weak number has the default dtype.", call="f(2, x)"),
    Difference("ldexp", "accepted", "Exponents of any integer dtype are taken.", call="*dtype=xp.float32)"),
    # errors
    Difference("quantile percentile", "accepted", "The quantile of no elements is NaN.", call="f(e, "),
    Difference("histogram", "error", "The density is a bool.", call="f(v, 3, (0, 2), w)"),
    Difference(
        "fft.*",
        "error",
        "The axes are checked before the dtype.",
        dtypes=_COMPLEX,
        detail="AxisError|ValueError(rfftn",
    ),
    Difference("fft.*freq", "error", "A number of points that is no integer is a TypeError.", call="f(2.5)"),
    Difference("fft.hfft", "refused", "The output has the shape of the result.", call="*out="),
    Difference("tril triu", "error", "A 0-d array has no triangle.", call="f(s)"),
    Difference("ptp", "error", "Of two mistakes the axis is reported first.", call="f(s, axis=0)"),
    Difference("Array.__itruediv__", "error", "Of two mistakes the shape is reported first.", detail="ValueError(div"),
    Difference("polyfit", "accepted", "float16 is computed in float32.", dtypes="float16"),
    Difference("polyfit", "value", "Rounding errors of a covariance that is zero.", call="*cov=True)"),
    # powers and quotients
    Difference(
        "floor_divide divmod floor_divide.*",
        "value",
        "Infinities by the standard's special cases, floor(x1 / x2): inf // 2 is inf, -1 // inf and 1 // -inf are -0. "
        "NumPy pairs // with %: NaN and -1. The standard notes that libraries diverge here.",
    ),
    Difference("floor_divide.reduce", "written", "The same, in the output."),
    Difference("Array.__ifloordiv__", "value", "The same, by the operator."),
    Difference("Array.__ifloordiv__", "written", "The same, by the operator."),
    Difference("reciprocal", "value", "The reciprocal of the integer 0 is 0, as 1 // 0 is.", dtypes=_WIDE),
    Difference("reciprocal", "written", "The reciprocal of the integer 0 is 0, as 1 // 0 is.", dtypes=_WIDE),
    Difference("Array.__pow__", "dtype", "The dtype is that of pow(); NumPy squares bools in int8.", dtypes="bool"),
    Difference(
        "Array.__pow__",
        "error",
        "A negative exponent is a ValueError for every integer dtype; for unsigned ones NumPy's is an OverflowError.",
    ),
    Difference(
        "round around Array.round",
        "accepted",
        "Bools are rounded as numbers, with any number of digits.",
        dtypes="bool",
        detail="*UFuncTypeError(Cannot cast",
    ),
    # statistics
    Difference(
        "nanquantile nanpercentile",
        "accepted",
        "Weights along one axis, for which NumPy raises an IndexError.",
        call="*weights=[",
        detail="*IndexError",
    ),
    Difference("pad", "refused", "There is no mean of no elements.", call="*stat_length=0"),
    Difference("pad", "refused", "An unknown reflect_type is an error.", call="*reflect_type='x'"),
    # casts
    Difference("Array.__setitem__", "written", "NaN as an integer is 0; C leaves it undefined.", call="*nan"),
    Difference("*divide.at", "value", "NaN and infinity as an integer: C leaves them undefined.", dtypes=_WIDE),
    Difference("*divide.at", "written", "NaN and infinity as an integer: C leaves them undefined.", dtypes=_WIDE),
    Difference(
        "Array.__setitem__ Array.fill",
        "error",
        "A value that does not broadcast is a ValueError for every dtype; NumPy's depends on the dtype.",
        detail="ValueError(*broadcast",
    ),
    # scalars
    Difference("poly", "type", "Results that NumPy returns as numbers are 0-d arrays.", call="f([])"),
    Difference("Array.__float__", "accepted", "An array with one element converts to a number.", call="float(v[:1])"),
    Difference("Array.__float__", "refused", "A complex number converts to a real one by .real only.", dtypes=_COMPLEX),
    Difference("Array.__round__", "accepted", "0-d arrays round as NumPy's scalars do.", call="round(s)"),
    Difference("Array.all Array.any", "accepted", "The third parameter is keepdims.", call="*(0, None, True)"),
    # methods of ufuncs
    Difference(
        "arctan2.* atan2.* pow.* power.*",
        "value",
        "NumPy reduces contiguous floats wrongly: power.reduce([2.0, 3.0, 2.0]) is 4, not 64.",
        call="f(",
    ),
    Difference("arctan2.reduce atan2.reduce pow.reduce power.reduce", "written", "The same, in the output."),
    Difference("lcm.reduce", "accepted", "The order of the axes does not matter.", detail="*reorderable"),
    Difference(
        "*.at", "accepted", "A Python number beside uint64 is weakly typed, as in a call.", dtypes="uint64"
    ),
    Difference("*.at", "value", "The same: there is no float64 between.", dtypes="uint64"),
    Difference("*.at", "written", "The same: there is no float64 between.", dtypes="uint64"),
]

"""Names of NumPy that are left out on purpose, with the reason and what to use instead."""

from __future__ import annotations

import difflib
import functools

_DATES = "there are no dates and times: use integers with a unit of your choice"
_TEXT = "there are no arrays of text: use lists of str"
_RECORDS = "there are no records: use one array for each field"
_MATRIX = "there is no matrix class: use arrays with 2 axes and the operator @"
_WIDE = "there is no type of more than 64 bits: use float64 or complex128"
_OBJECTS = "there are no arrays of Python objects: use lists"
_BUILD = "it describes how NumPy was built: see belvedere.__version__"
_ITERATION = "operations are vectorised and fused: use nditer for a loop in Python"
_TYPES = "types are dtypes: use dtype and issubdtype"

#: The names of NumPy's main namespace, and of others with a prefix, that are left out.
LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(("datetime64", "timedelta64", "datetime_as_string", "datetime_data", "isnat"), _DATES),
    **dict.fromkeys(("busday_count", "busday_offset", "busdaycalendar", "is_busday"), _DATES),
    **dict.fromkeys(("str_", "bytes_", "char", "character", "strings"), _TEXT),
    **dict.fromkeys(("rec", "recarray", "record", "void", "flexible"), _RECORDS),
    **dict.fromkeys(("matrix", "asmatrix", "bmat"), _MATRIX),
    **dict.fromkeys(("longdouble", "clongdouble", "float128", "complex256"), _WIDE),
    **dict.fromkeys(("float96", "complex192"), _WIDE),
    **dict.fromkeys(("show_config", "show_runtime", "get_include", "f2py"), _BUILD),
    **dict.fromkeys(("ScalarType", "sctypeDict", "dtypes"), _TYPES),
    "object_": _OBJECTS,
    "frompyfunc": "its results are Python objects: use vectorize",
    "fromregex": "its results are records: use re.findall and array",
    "memmap": 'use load(file, mmap_mode="r"), or frombuffer of a mmap.mmap',
    "ma": "there are no masked arrays: use NaN with the nan functions, or a mask with where",
    "nested_iters": _ITERATION,
    "flatiter": "x.flat is an iterator of its own class",
    "ctypeslib": "arrays export their memory: use the buffer protocol or __dlpack__",
    "core": "it is private in NumPy",
    "typing": "annotate with belvedere.Array and belvedere.DType",
    "info": "use help",
    "test": "the tests are in the source repository",
    "einsum_call": "use einsum",
    "ndarray.resize": "an array does not change its shape: use x = resize(x, shape)",
    "ndarray.byteswap": "elements have the byte order of the machine",
    **dict.fromkeys(("ndarray.getfield", "ndarray.setfield"), _RECORDS),
    **dict.fromkeys(("ndarray.dump", "ndarray.dumps"), "use pickle"),
    "polynomial.chebyshev": "only power series are supported",
}

#: Names that NumPy has removed, and those that have taken their place.
RENAMED: dict[str, str] = {
    "Inf": "inf",
    "NaN": "nan",
    "alltrue": "all",
    "asfarray": "asarray",
    "bool8": "bool",
    "cfloat": "complex128",
    "complex": "complex128",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float": "float64",
    "float_": "float64",
    "in1d": "isin",
    "infty": "inf",
    "int": "int64",
    "int0": "int64",
    "mat": "asarray",
    "msort": "sort",
    "object": "array",
    "product": "prod",
    "round_": "round",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "trapz": "trapezoid",
    "uint0": "uint64",
}


@functools.lru_cache(maxsize=256)
def explanation(name: str, names: tuple[str, ...]) -> str:
    """Returns why the package has no such name, and which of its names may be meant."""
    begin = f"belvedere has no {name!r}"
    if name in LEFT_OUT:
        return f"{begin}: {LEFT_OUT[name]}"
    if name in RENAMED:
        return f"{begin}: use {RENAMED[name]}"
    close = difflib.get_close_matches(name, names, n=3)
    return f"{begin}: did you mean {' or '.join(map(repr, close))}?" if close else begin

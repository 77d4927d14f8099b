"""The source text of traced operations: the expression, and the variable that it is assigned to."""

import ast
import functools
import linecache


def describe(file, line, start, end):
    """Returns the variable and the expression at columns of a line, or None if the source is not available."""
    linecache.checkcache(file)
    text = linecache.getline(file, line)
    if not text:
        return None
    if start is None or end is None:
        return None, text.strip()
    expression = text.encode()[start:end].decode(errors="replace")
    source = "".join(linecache.getlines(file))
    return _assignments(source).get((line, start, end)), expression


@functools.lru_cache(maxsize=64)
def _assignments(source):
    """The variables that expressions of a source are assigned to, by line and columns."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        if value.lineno == value.end_lineno:
            found[value.lineno, value.col_offset, value.end_col_offset] = name
    return found

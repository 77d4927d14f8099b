"""The source text of traced operations: the expression, and the variable that it is assigned to."""

import ast
import builtins
import functools
import linecache

#: Builtin functions whose result is that of the last operation that they call.
_PASSED_ON = {"abs", "bool", "complex", "float", "int", "pow", "round", "sum"}


def describe(file, line, start, end_line, end):
    """Returns the variable and the expression between two positions, or None if the source is not available.

    An expression on several lines is joined to one. Without columns, it is the first line of the statement.
    """
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    if not 0 < line <= len(lines):
        return None
    source = _Source.of("".join(lines))
    if start is None or end is None:
        return None, source.first_line(lines, line)
    node = source.node(line, start, end_line, end)
    if node in source.texts:
        return None, source.texts[node]
    if node is not None and node.lineno != node.end_lineno:
        return source.names.get(node), ast.unparse(node)
    if line != end_line:
        return None, lines[line - 1].strip() + " …"
    if node is not None:
        start, end = node.col_offset, node.end_col_offset
    expression = lines[line - 1].encode()[start:end].decode(errors="replace")
    return source.names.get(node), expression


class _Source:
    """The expressions of a source text, by their position."""

    def __init__(self, text):
        #: The expressions and statements that end at a line and a column.
        self.by_end = {}
        #: The variable that an expression is assigned to.
        self.names = {}
        #: The text of an expression, if it is not that of the source.
        self.texts = {}
        #: The statement that writes to an element or a slice.
        self.writes = {}
        #: The statements without a body.
        self.statements = []
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.expr, ast.AugAssign)):
                self.by_end.setdefault((node.end_lineno, node.end_col_offset), []).append(node)
            if isinstance(node, ast.stmt) and not hasattr(node, "body") and not isinstance(node, ast.Match):
                self.statements.append(node)
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_named(value):
                    self.names[value] = name
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if _is_named(value):
                    self.names[value] = name
                case ast.NamedExpr(target=ast.Name(id=name), value=value) if _is_named(value):
                    self.names[value] = name
                case ast.Assign(targets=[ast.Subscript() as target]):
                    self.writes[target] = node
                case ast.For(target=target, iter=ast.Name(id=name) as iterated):
                    self.texts[iterated] = f"for {ast.unparse(target)} in {name}"

    @staticmethod
    @functools.lru_cache(maxsize=64)
    def of(text):
        return _Source(text)

    def node(self, line, start, end_line, end):
        """Returns the expression between two positions, or the statement that writes to it, or None.

        A method call whose name is on another line than its object begins at the name, for the interpreter.
        """
        ending = self.by_end.get((end_line, end), ())
        exact = [it for it in ending if (it.lineno, it.col_offset) == (line, start)]
        if exact:
            return self.writes.get(exact[0], exact[0])
        calls = [it for it in ending if isinstance(it, (ast.Attribute, ast.Call, ast.Subscript)) and it.lineno < line]
        return max(calls, key=lambda it: (it.lineno, it.col_offset), default=None)

    def first_line(self, lines, line):
        """Returns the first line of the statement that a line belongs to, with … if there are more."""
        for it in self.statements:
            if it.lineno <= line <= it.end_lineno and it.lineno < it.end_lineno:
                return lines[it.lineno - 1].strip() + " …"
        return lines[line - 1].strip()


def _is_named(value):
    """Whether the result of the last operation at the position of an expression is the value of the expression."""
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name in _PASSED_ON or not hasattr(builtins, name)
        case ast.Compare(ops=operators):
            # A chain calls several operations, and its result need not be that of the last one.
            return len(operators) == 1 and isinstance(operators[0], (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE))
        case ast.UnaryOp(op=ast.Not()):
            return False
    return isinstance(value, (ast.Attribute, ast.BinOp, ast.Call, ast.Subscript, ast.UnaryOp))

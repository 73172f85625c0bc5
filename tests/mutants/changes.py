"""The small changes of a module's code of which its tests should notice each."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
"""A comparison turned round, and one moved by its limit."""
COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
}
DROPPED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Break, ast.Continue)
"""Statements that are left out."""
OTHER = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Change:
    """One change of a module."""

    where: str
    """The function or class, by its dotted name; empty for the module itself."""
    before: str
    after: str
    _tree: ast.AST = field(repr=False, compare=False)
    _place: "Place" = field(repr=False, compare=False)
    _other: ast.AST = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """What tells it from the module's others, also when lines have moved."""
        return f"{self.where or 'module'}: {self.before} -> {self.after}"

    @property
    def code(self) -> str:
        """The whole module with the change, written when it is asked for: nothing else here takes as long."""
        _, parent, named, index = self._place
        node = _at(parent, named, index)
        _put(parent, named, index, self._other)
        try:
            return ast.unparse(ast.fix_missing_locations(self._tree))
        finally:
            _put(parent, named, index, node)


def changes(source: str) -> list[Change]:
    """Every change of a module, in its order; those that read alike are numbered."""
    tree = ast.parse(source)
    found: list[Change] = []
    seen: dict[str, int] = {}
    for place in list(_places(tree)):
        where, parent, named, index = place
        node = _at(parent, named, index)
        for other in _others(node):
            change = Change(where, _line(node), _line(other), tree, place, other)
            seen[change.name] = count = seen.get(change.name, 0) + 1
            found.append(change if count == 1 else replace(change, after=f"{change.after} ({count})"))
    return found


Place = tuple[str, ast.AST, str, int | None]
"""Where a node stands: the function's name, the node above, its field, and the index in that."""


def _places(tree: ast.AST, where: str = "") -> Iterator[Place]:
    for named, value in ast.iter_fields(tree):
        if named in {"annotation", "returns", "decorator_list", "type_comment"}:
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or _says_nothing(node):
                continue
            yield where, tree, named, index
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from _places(node, f"{where}.{node.name}".strip(".") if inside else where)  # type: ignore[attr-defined]


def _says_nothing(node: ast.AST) -> bool:
    """Whether no test should notice a change of it: docstrings, imports, types, and what is only logged."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Assign):
        names = {ast.unparse(target) for target in node.targets}
        return bool(names & {"log", "__all__"}) or any(
            name[:1].isupper() and not name.isupper() for name in names
        )
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Constant):
        return True
    return isinstance(value, ast.Call) and ast.unparse(value.func).startswith(("log.", "logs."))


def _others(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in the node's place, one by one."""
    if isinstance(node, DROPPED):
        yield ast.Pass()
    match node:
        case ast.Compare(ops=[op]):
            for turned in TURNED[type(op)]:
                yield _with(node, ops=[turned()])
        case ast.BinOp(op=op) if type(op) in COUNTED and not _is_a_type(node):
            yield _with(node, op=COUNTED[type(op)]())
        case ast.AugAssign(op=op) if type(op) in COUNTED:
            yield _with(node, op=COUNTED[type(op)]())
        case ast.BoolOp(op=op):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)  # type: ignore[operator]
        case ast.Name(id=name) if name in OTHER:
            yield ast.Name(OTHER[name], node.ctx)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if _is_plain(test):
            yield _with(node, test=ast.UnaryOp(ast.Not(), test))


def _is_plain(test: ast.AST) -> bool:
    """Whether a condition is not changed anyhow, as a comparison or a `not` is."""
    return not isinstance(test, ast.Compare | ast.BoolOp | ast.Constant) and not (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )


def _is_a_type(node: ast.BinOp) -> bool:
    return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _at(parent: ast.AST, field: str, index: int | None) -> ast.AST:
    value = getattr(parent, field)
    return value if index is None else value[index]  # type: ignore[no-any-return]


def _put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _line(node: ast.AST) -> str:
    """The node's code in one line; of what has a body, its head alone."""
    lines = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()
    return lines[0].strip() if hasattr(node, "body") else " ".join(line.strip() for line in lines)

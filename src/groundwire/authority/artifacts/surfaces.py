"""Surfaces: what a program promises to others, and which of its promises a change takes back.

A program is no contract, and most changes of one touch none: what is looked for is a route, a
field, a check of input that stood there before and does not afterwards. What is only added takes
nothing back. Frameworks that are not named here, names that are computed, and a promise that is
kept in words and broken in deeds are not seen.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from typing import Final

from groundwire.authority.artifacts.places import LOCKS, ending, file_name
from groundwire.targets.places.patterns import folded

_LARGEST: Final = 1 << 20
_VERBS: Final = frozenset(
    [
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
        "options",
        "trace",
        "route",
        "api_route",
        "websocket",
    ]
)
_SCRIPTS: Final = frozenset(["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"])
_GENERATED: Final = frozenset({"generated", "__generated__", "gen"})
_MOST: Final = 100_000

# Without one of these a program in Python promises nothing that is looked for, and is not parsed.
_PERHAPS: Final = re.compile(
    rb"BaseModel|SQLModel|@[\s(]{0,20}[\w.)\s\\]{1,100}?\.[\s\\]{0,9}(?:"
    + "|".join(sorted(_VERBS)).encode()
    + rb")\b"
)
_ROUTE: Final = re.compile(
    r"""\b(?:app|router|server|api|fastify|[a-z]\w*Router)\s*\.\s*"""
    r"""(?:get|post|put|patch|delete|all)\(\s*["'`](/[^"'`\n]{0,300})["'`]"""
)
_DECORATOR: Final = re.compile(
    r"""@(?:Get|Post|Put|Patch|Delete|All|Controller|Is[A-Z]\w{1,40}|Min|Max|MinLength|MaxLength|"""
    r"""Length|Matches|ValidateNested|ArrayMinSize|ArrayMaxSize|Equals|Allow)\([^()\n]{0,200}\)"""
)
_RULES_OF_INPUT: Final = re.compile(r"class-validator|@nestjs/")
_FIELD_OF_INPUT: Final = re.compile(r"""\b(\w{1,80}\s*:\s*z\.[^,\n;]{1,300})""")
_PROCEDURE: Final = re.compile(r"\btrpc\b|[pP]rocedure\b|\.input\(", re.IGNORECASE)
_PROPERTY: Final = re.compile(
    r"""^[ \t]*(?:readonly[ \t]+)?["']?[\w$-]{1,80}["']?\??[ \t]*:[ \t]*[^{\n]{1,200};""",
    re.MULTILINE,
)
_IN_BRACES: Final = re.compile(
    r"""\bexport\s+(?:interface|type|class|enum|const)\s+\w{1,80}[^\n]{0,2000}""", re.MULTILINE
)
_TAG: Final = re.compile(
    r"""^[ \t]*\w{1,80}[ \t][^\n`]{1,200}`protobuf:"[^"\n]{1,200}\"""", re.MULTILINE
)
# Texts, which stay, and comments, which do not. What is not closed ends with the file: each is
# read once, whatever stands in it.
_TEXT_OR_COMMENT: Final = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)"""
    r"""|//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?""",
    re.DOTALL,
)
_SOURCE_OF_PACKAGE: Final = re.compile(
    rb"""\b(?:resolved|tarball|registry|url|git)["']?[ \t]{0,4}[:= ][ \t]{0,4}["']?"""
    rb"""(?:git\+)?\w{2,6}://([^/"'\s]{1,253})"""
)


def taken_back(path: str, before: bytes, after: bytes | None) -> tuple[str, ...]:
    """The promises of the file that stood before and do not after, sorted; none: an empty tuple.

    Looks at files of at most a megabyte. Never raises, whatever the bytes are.
    """
    if len(before) > _LARGEST:
        return ()
    stood = promises(path, before)
    if not stood:
        return ()
    stands = promises(path, after or b"") if after is None or len(after) <= _LARGEST else Counter()
    return tuple(sorted((stood - stands).elements()))[:_MOST]


def new_sources(path: str, before: bytes, after: bytes) -> tuple[str, ...]:
    """Hosts that packages come from afterwards and did not before; only of a lock file."""
    if file_name(path) not in LOCKS:
        return ()
    known, told = (set(_SOURCE_OF_PACKAGE.findall(each)) for each in (before, after))
    return tuple(host.decode("utf-8", "replace") for host in sorted(told - known))


def promises(path: str, content: bytes) -> Counter[str]:
    """What the file promises to others, each as often as it stands there."""
    kind = ending(path)
    if kind in {"py", "pyi"}:
        return _of_python(content)
    if kind == "go":
        return _spelled(_TAG.findall(_text(content))) if path.endswith(".pb.go") else Counter()
    if kind in _SCRIPTS:
        text = _text(content)
        if not _of_script(path, text):  # taking comments out adds nothing
            return Counter()
        return _of_script(path, _TEXT_OR_COMMENT.sub(lambda found: found[1] or "", text))
    return Counter()


def _of_python(content: bytes) -> Counter[str]:
    if not _PERHAPS.search(content):
        return Counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
        return Counter(_routes(tree) + _fields(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Counter()


def _routes(tree: ast.Module) -> list[str]:
    """Every decorator such as `@router.get("/users", …)`, whole."""
    return [
        ast.unparse(decorator)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr in _VERBS
        and decorator.args
        and isinstance(decorator.args[0], ast.Constant)
        and str(decorator.args[0].value).startswith("/")
    ]


def _fields(tree: ast.Module) -> list[str]:
    """Every field of a class that is one of pydantic's, by itself or by a class of this file."""
    models: set[str] = set()
    found: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        if not bases & ({"BaseModel", "SQLModel"} | models):
            continue
        models.add(node.name)
        if node.name.startswith("_"):
            continue  # nobody else is to use it
        found += [
            f"{node.name}.{ast.unparse(each)}"
            for each in node.body
            if isinstance(each, ast.AnnAssign)
        ]
    return found


def _of_script(path: str, text: str) -> Counter[str]:
    found = _spelled(_ROUTE.findall(text))
    if _RULES_OF_INPUT.search(text):
        found += _spelled(_DECORATOR.findall(text))
    if _PROCEDURE.search(text):
        found += _spelled(_FIELD_OF_INPUT.findall(text))
    if _is_generated(path):
        found += _spelled(_PROPERTY.findall(text)) + _spelled(_IN_BRACES.findall(text))
    return found


def _is_generated(path: str) -> bool:
    folders = {folded(part) for part in path.split("/")[:-1]}
    name = file_name(path)
    return bool(folders & _GENERATED) or (
        name.endswith(".d.ts") and any(word in name for word in ("openapi", "api", "schema"))
    )


def _spelled(found: list[str]) -> Counter[str]:
    return Counter(" ".join(each.split()) for each in found)


def _text(content: bytes) -> str:
    return content[:_LARGEST].decode("utf-8-sig", "replace")

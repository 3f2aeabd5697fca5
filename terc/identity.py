"""`identity_of`: tells one function or object from another, in this process and in a later one."""

from __future__ import annotations

import copyreg
import dis
import hashlib
import sys
from collections.abc import Sequence
from functools import cached_property, partial
from types import CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

UNTOLD = "#?"
"""End of an identity that nothing later can be compared with."""

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
DESCRIPTORS = (FunctionType, classmethod, staticmethod, property)


def identity_of(thing: object) -> str:
    """A text that is the same for the same thing only, today and in another process.

    What a module can be asked for has the name `module:name`; a later change of that module's code is not
    seen. A lambda, a partial, an object, or what stands in a script or a notebook may change under one name.
    Behind the name comes a digest of what it is made of: byte code, defaults, closure, the globals it reads,
    attributes, and all that these are made of. It may differ without need: another version of Python has
    other byte code, and a function that counts its calls has another count. It does not see what the code
    looks up by a text (`globals()["size"]`) or reads from a file. Where something has no lasting form, such
    as an open file, the text ends in `UNTOLD`, and the thing must not be taken for a former one.

    Example:
        >>> identity_of(np.linalg.norm)
        'numpy.linalg:norm'
        >>> identity_of(lambda: 5) == identity_of(lambda: 5), identity_of(lambda: 5) == identity_of(lambda: 6)
        (True, False)
        >>> identity_of(partial(print, (number for number in range(3))))
        'builtins:print#?'
    """
    named = _importable_name(thing)
    if named is not None:
        return named
    target = thing
    while isinstance(target, partial):
        target = target.func
    target = target if hasattr(target, "__qualname__") else type(target)
    digest = content_digest(thing)
    return f"{target.__module__}:{target.__qualname__}" + (UNTOLD if digest is None else f"#{digest}")


def content_digest(thing: object) -> str | None:
    """Digest of all that a thing is made of, or None where a part of it has no lasting form.

    Example:
        >>> content_digest([np.zeros(2)]) == content_digest([np.zeros(2)])
        True
        >>> content_digest([np.zeros(2)]) == content_digest([np.zeros(3)])
        False
        >>> content_digest(number for number in range(3)) is None
        True
    """
    try:
        parts = _Parts().of(thing)
    except Exception:  # whatever a foreign object raises when it is asked for its state, it has not told it
        return None
    return hashlib.sha256(repr(parts).encode("utf8", "surrogatepass")).hexdigest()[:16]


class _Parts:
    """Takes things apart into nested lists of text; remembers what it met: things refer in circles."""

    def __init__(self) -> None:
        # The things too, not their ids alone: the id of one that is gone would be given to another.
        self.met: dict[int, tuple[int, object]] = {}

    def of(self, thing: Any) -> Any:
        if type(thing) in PLAIN:
            return [type(thing).__name__, repr(thing)]
        if isinstance(thing, ModuleType):
            return ["module", thing.__name__]
        named = _importable_name(thing)
        if named is not None:
            return ["name", named]
        if isinstance(thing, CodeType):
            return self.of_code(thing)
        if type(thing) is tuple:
            return ["tuple", *map(self.of, thing)]
        if type(thing) in (set, frozenset):
            # Sorted by what each holds: the order of a set is another one in each process.
            return ["set", *map(self.of, sorted(thing, key=lambda one: repr(_Parts().of(one))))]
        if id(thing) in self.met:
            return ["again", self.met[id(thing)][0]]
        self.met[id(thing)] = (len(self.met), thing)
        return [type(thing).__qualname__, self.inside(thing)]

    def inside(self, thing: Any) -> Any:
        """What a thing that may be met again holds."""
        if isinstance(thing, FunctionType):
            return self.of_function(thing)
        if isinstance(thing, type):
            return self.of_class(thing)
        behind = _behind(thing)
        if behind is not None:
            return [self.of(part) for part in behind]
        if type(thing) is list:
            return [self.of(one) for one in thing]
        if type(thing) is dict:
            return [(self.of(key), self.of(value)) for key, value in thing.items()]
        array = _as_array(thing)
        return self.of_state(thing) if array is None else _of_array(array)

    def of_code(self, code: CodeType) -> Any:
        # No line numbers and no file name: a cell of a notebook that is run again has others.
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        jumps = code.co_exceptiontable
        return ["code", code.co_code, jumps, names, counts, [self.of(one) for one in code.co_consts]]

    def of_function(self, function: FunctionType) -> Any:
        known = function.__globals__
        parts = (function.__code__, function.__defaults__, function.__kwdefaults__, function.__dict__)
        return [
            [self.of(part) for part in parts],
            [self.of(cell) for cell in function.__closure__ or ()],
            [(name, self.of(known[name])) for name in sorted(_reads(function.__code__)) if name in known],
        ]

    def of_class(self, thing: type) -> Any:
        # Of the names with two underscores only functions: the rest is Python's own book-keeping.
        own = {
            name: value
            for name, value in vars(thing).items()
            if name != "_abc_impl" and (not name.startswith("__") or isinstance(value, DESCRIPTORS))
        }
        return [thing.__qualname__, self.of(thing.__bases__), self.of(own)]

    def of_state(self, thing: Any) -> Any:
        """What pickle would store; it raises where that is impossible."""
        special = copyreg.dispatch_table.get(type(thing))
        parts = special(thing) if special is not None else thing.__reduce_ex__(4)
        if isinstance(parts, str):
            raise TypeError(f"only a name: {parts}")
        # How to make it, its state, and iterators over what a list or a mapping holds.
        return [*map(self.of, map(_unused, parts[:3])), *(self.of(list(part or ())) for part in parts[3:5])]


def _behind(thing: Any) -> Sequence[Any] | None:
    """What a wrapper stands for; None for what is no wrapper."""
    if isinstance(thing, CellType):
        return [thing.cell_contents]
    if isinstance(thing, property):
        return [thing.fget, thing.fset, thing.fdel]
    if isinstance(thing, classmethod | staticmethod):
        return [thing.__func__]
    if isinstance(thing, cached_property):
        return [thing.func]
    if isinstance(thing, MappingProxyType):
        return [dict(thing)]
    # functools.cache: what it remembers is no part of what it does.
    return [thing.__wrapped__] if hasattr(thing, "cache_info") else None


def _unused(state: Any) -> Any:
    """The state but for the random stream of Gymnasium's spaces, which moves on with every use."""
    if type(state) is not dict:
        return state
    return {key: value for key, value in state.items() if key != "_np_random"}


def _importable_name(thing: Any) -> str | None:
    """`module:name` if the thing can be found there again; a script and a notebook are no such place."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    # A class method is bound anew each time it is asked for.
    same = found is thing or (isinstance(thing, MethodType) and type(found) is MethodType and found == thing)
    return f"{module}:{name}" if same else None


def _reads(code: CodeType) -> set[str]:
    """Names of the globals that the code and the functions in it read."""
    found = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(_reads(one) for one in code.co_consts if isinstance(one, CodeType)))


def _as_array(thing: Any) -> np.ndarray[Any, Any] | None:
    """The numbers of an array or of a torch tensor, whose own stored form holds addresses in memory."""
    if type(thing) is np.ndarray:
        return None if thing.dtype.hasobject else thing
    if hasattr(thing, "detach") and hasattr(thing, "cpu"):
        return np.asarray(thing.detach().cpu().numpy())
    return None


def _of_array(array: np.ndarray[Any, Any]) -> list[str]:
    content = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    return [str(array.dtype), str(array.shape), content]

"""Finding and loading models: a board size, a model of the collection by name, or a file by path.

A model file is a Python file with a function ``build(...)`` that returns a `Model`. Those of the collection are loaded the
same way as a user's own. Files of other tools are read by nqueens_cp/formats/.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from nqueens_cp.checks import integer, integer_at_least, items, shown, truth
from nqueens_cp.errors import InvalidType, InvalidValue, NQueensError
from nqueens_cp.formats import SUFFIXES, reader_of
from nqueens_cp.model import Model
from nqueens_cp.variants import queens

MODULE_PREFIX = "nqueens_cp_model_"
"""The names of loaded model files, as modules, begin with this."""


def load_model(target: int | str | Path, /, **parameters: Any) -> Model:
    """Return the model that `target` names, built with `parameters`.

    Parameters
    ----------
    target : int, str or Path
        The size of a classic board, the name of a model of the collection, or the path of a file: a model file (ending in
        ``.py``), FlatZinc (``.fzn``), DIMACS (``.cnf``, ``.dimacs``), pseudo-Boolean (``.opb``) or XCSP3 (``.xml``).
    **parameters
        What the model's ``build`` takes; for a board size the rules that `queens` takes.

    Raises
    ------
    InvalidValue
        There is no such model, its file has errors, or the parameters do not fit.
    UnsupportedModel
        Another tool's file states something that the modelling language lacks; the message names it and its line.

    Examples
    --------
    >>> from nqueens_cp import count, load_model
    >>> count(load_model("toroidal_queens", n=7))
    28
    """
    if not isinstance(target, str | Path):
        known = [name for name in inspect.signature(queens).parameters if name != "n"]
        for name, value in parameters.items():
            if name not in known:
                from difflib import get_close_matches

                near = get_close_matches(name, known, 1)
                hint = f"; do you mean {near[0]}?" if near else ""
                raise InvalidValue(
                    f"{name}={shown(value)}: a board size takes the rules {', '.join(known)}, not {name!r}{hint}"
                )
        return queens(target, **parameters)
    reader = reader_of(target)
    if reader is not None:
        for name, value in parameters.items():
            raise InvalidValue(f"{name}={shown(value)}: {target} is another tool's file, which takes no parameters")
        return reader(existing_file(target))
    module = load_module(target)
    _check_parameters(module, parameters, str(target))
    try:
        model = module.build(**parameters)
    except NQueensError as error:
        if module.__file__ is None or Path(module.__file__).parent == _collection():
            raise
        raise type(error)(f"{module.__file__}{_place(module, error)}: {error}") from error
    except (Exception, SystemExit, GeneratorExit) as error:  # somebody's own file may raise anything
        given = ", ".join(f"{name}={shown(value)}" for name, value in parameters.items())
        place = _place(module, error)
        raise InvalidValue(f"{module.__file__}: build({given}) failed{place}: {_text(error)}") from error
    if not isinstance(model, Model):
        raise InvalidType(
            f"{module.__file__}: build() must return a Model, not {shown(model)} ({type(model).__name__})"
        )
    return model


def load_module(target: str | Path) -> ModuleType:
    """Return the module of a model: by name from the collection, or from the path of a file."""
    module = load_python(_path(target), MODULE_PREFIX)
    if not inspect.isfunction(getattr(module, "build", None)):
        raise InvalidValue(f"{module.__file__}: has no function build(...) that returns a Model{_backend_hint(module)}")
    return module


def load_python(path: Path, prefix: str) -> ModuleType:
    """Return the module of somebody's Python file; `prefix` begins its name as a module.

    Raises
    ------
    InvalidValue
        It is no Python file or cannot be loaded; the message names the line.
    """
    # Kept in sys.modules so that functions in it can be pickled and sent to worker processes.
    name = f"{prefix}{path.stem}_{abs(hash(path)):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidValue(f"{path}: files that are read end in .py, {', '.join(SUFFIXES)}{_way_out(path)}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit, GeneratorExit) as error:  # somebody's own file may raise anything
        sys.modules.pop(name, None)
        raise InvalidValue(f"{path}: cannot be loaded{_place(module, error)}: {_text(error)}") from error
    return module


def model_names() -> list[str]:
    """Return the names of the models of the collection."""
    return sorted(path.stem for path in _collection().glob("*.py") if path.stem != "__init__")


def parameters_of(module: ModuleType) -> str:
    """Return the parameters of a model's ``build`` as text, like ``n, placed=()``."""
    return ", ".join(
        str(p).split(":")[0] + _default_text(p) for p in inspect.signature(module.build).parameters.values()
    )


def _default_text(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else f"={parameter.default!r}"


def _collection() -> Path:
    spec = importlib.util.find_spec("nqueens_cp.models")
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(__file__).parent.parent / "models"  # a clone that was not installed


def _path(target: str | Path) -> Path:
    path = Path(target)
    if path.suffix == ".py" or len(path.parts) > 1 or _way_out(path):
        return existing_file(path).resolve()
    known = model_names()
    if str(target) not in known:
        from difflib import get_close_matches

        near = [f"./{target}.py"] if Path(f"{target}.py").is_file() else get_close_matches(str(target), known, 1, 0.75)
        raise InvalidValue(
            f"{shown(str(target))} is neither a board size, nor a model (`nqueens-cp models` lists them), nor the path of a "
            f"file (.py, {', '.join(SUFFIXES)}){f'; do you mean {near[0]}?' if near else ''}"
        )
    return _collection() / f"{target}.py"


def _backend_hint(module: ModuleType) -> str:
    """Return what to do with a program that searches by itself."""
    if not callable(getattr(module, "solutions", None)):
        return ""
    return f"; a program of your own goes beside a board size: 8 --backend {module.__file__}"


def _way_out(path: Path) -> str:
    """Return what to do with a file that this package writes and does not read."""
    if path.suffix.lower() == ".mzn":
        return (
            f"; MiniZinc itself reads it: minizinc --solver nqueens-cp {path.name}; and minizinc -c --solver nqueens-cp "
            f"{path.name} writes the .fzn of it, which can be read here (nqueens-cp fzn --install sets that up)"
        )
    return "; .lp is written and not read" if path.suffix.lower() == ".lp" else ""


def existing_file(target: str | Path) -> Path:
    """Return the path of a file that must be there."""
    path = Path(target)
    try:
        if path.exists() and not path.is_dir():  # it may be a pipe
            return path
        problem = "is a directory, not a file" if path.is_dir() else "there is no such file"
    except (OSError, ValueError) as error:  # a name that no file can have
        problem = getattr(error, "strerror", None) or str(error)
    raise InvalidValue(f"{shown(str(path))[1:-1]}: {problem}")


def _check_parameters(module: ModuleType, parameters: dict[str, Any], target: str) -> None:
    wanted = inspect.signature(module.build).parameters
    takes = f"{target} takes {parameters_of(module) or 'no parameters'}"
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in wanted.values()):
        for name, value in parameters.items():
            if name not in wanted:
                raise InvalidValue(f"{name}={shown(value)}: there is no parameter {name!r}; {takes}")
    for name, parameter in wanted.items():
        if name in parameters:
            _check_value(name, parameters[name], str(getattr(parameter.annotation, "__name__", parameter.annotation)))
        variadic = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if parameter.default is parameter.empty and not variadic and name not in parameters:
            raise InvalidValue(f"the parameter {name!r} is missing; {takes}")


def _check_value(name: str, value: Any, annotation: str) -> None:
    """Refuse a value that the annotation of its parameter does not allow, as far as that is plain."""
    if annotation == "int" or (annotation == "int | None" and value is not None):
        integer_at_least(value, 0, name) if name == "n" else integer(value, name)
    elif annotation == "bool":
        truth(value, name)
    elif annotation.startswith(("Iterable", "Sequence")) and not isinstance(value, str):
        items(value, name)


def _place(module: ModuleType, error: BaseException) -> str:
    """Return " in line N" for the last line of the module's own file that the error came through."""
    if isinstance(error, SyntaxError):
        return f" in line {error.lineno}"
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == module.__file__:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" in line {line}" if line else ""


def _text(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {' '.join(text.split())}" if text else type(error).__name__

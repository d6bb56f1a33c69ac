"""The commands that tell what there is: ``backends``, ``models`` and ``show``."""

from __future__ import annotations

from nqueens_cp.cli.options import AsJson, Exit, Parameters, Target
from nqueens_cp.cli.terminal import load, print_json


def backends(as_json: AsJson = False) -> int:
    """List the backends, the solvers that may be asked: name, version, what each can do, and why one is not there.

    Examples:
      nqueens-cp backends
      nqueens-cp backends --json
    """
    from nqueens_cp.comparison.report import backend_records, backends_text

    records = backend_records()
    print_json(records) if as_json else print(backends_text(records))
    return Exit.ANSWERED


def models(as_json: AsJson = False) -> int:
    """List the models that come along, with what they take.

    Examples:
      nqueens-cp models
      nqueens-cp models --json
    """
    from nqueens_cp.loader import load_module, model_names, parameters_of

    records = []
    for name in model_names():
        module = load_module(name)
        statement = (module.__doc__ or "").strip().partition("\n\n")[0]
        records.append({"name": name, "parameters": parameters_of(module), "statement": " ".join(statement.split())})
    if as_json:
        print_json(records)
    else:
        for record in records:
            print(f"{record['name']} ({record['parameters']})\n    {record['statement']}")
    return Exit.ANSWERED


def show(target: Target, parameters: Parameters = None) -> int:
    """Print a model: its variables and constraints.

    Examples:
      nqueens-cp show 4
      nqueens-cp show toroidal_queens n=5
    """
    print(load(target, parameters))
    return Exit.ANSWERED

"""Reads XCSP3 files with CPMpy, which uses pycsp3's parser, and tries every assignment; run by the tests of exports.

In a process of its own, because the parser changes what Python's built-in types can do. Prints a list with one entry for each
file: the solutions, each a list of the values of the variables in the order of the file.
"""

from __future__ import annotations

import itertools
import json
import sys

from cpmpy.expressions.utils import argval
from cpmpy.expressions.variables import _ignore_strict_variable_name_check
from cpmpy.tools.xcsp3.parser import _parse_xcsp3
from cpmpy.tools.xcsp3.parser_callbacks import CallbacksCPMPy
from pycsp3.classes.nodes import Node

# What always or never holds would be reduced to 0 and 1, which CPMpy does not take everywhere.
Node.canonization = lambda self: self


def solutions(path: str) -> list[tuple[int, ...]]:
    """Return all the solutions of a file; of one with an objective, the best ones."""
    from pycsp3.parser.xparser import CallbackerXCSP3

    parser = _parse_xcsp3(path)
    callbacks = CallbacksCPMPy()
    callbacks.force_exit = True  # rather than ignore what is not understood
    with _ignore_strict_variable_name_check():
        CallbackerXCSP3(parser, callbacks).load_instance()
    model, variables = callbacks.cpm_model, list(callbacks.cpm_variables.values())
    found = []
    for values in itertools.product(*(range(int(v.lb), int(v.ub) + 1) for v in variables)):
        for variable, value in zip(variables, values, strict=True):
            variable._value = value
        if all(bool(argval(constraint)) for constraint in model.constraints):
            found.append((values, argval(model.objective_) if model.objective_ is not None else 0))
    if model.objective_ is not None and found:
        best = (min if model.objective_is_min else max)(value for _, value in found)
        found = [pair for pair in found if pair[1] == best]
    return [values for values, _ in found]


print(json.dumps([solutions(path) for path in sys.argv[1:]]))

"""``python -m nqueens_cp`` is the command line."""

from nqueens_cp.cli import run

run()

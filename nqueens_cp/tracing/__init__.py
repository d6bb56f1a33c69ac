"""Searches shown step by step: what the textbook backtrackers do, recorded as they run."""

from nqueens_cp.tracing.record import LARGEST_BOARD, PROGRAMS, Step, Trace, record

__all__ = ["LARGEST_BOARD", "PROGRAMS", "Step", "Trace", "record"]

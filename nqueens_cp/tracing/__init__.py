"""Searches shown step by step: what the textbook backtrackers do, recorded as they run."""

from nqueens_cp.tracing.record import PROGRAMS, Step, Trace, record

__all__ = ["PROGRAMS", "Step", "Trace", "record"]

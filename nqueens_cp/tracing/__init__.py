"""Searches shown step by step: what the textbook backtrackers do, recorded as they run; and the problem rule by rule."""

from nqueens_cp.tracing.record import LARGEST_BOARD, MOST_STEPS, PROGRAMS, Step, Trace, record
from nqueens_cp.tracing.rules import as_digits, rule_by_rule, rules

__all__ = ["LARGEST_BOARD", "MOST_STEPS", "PROGRAMS", "Step", "Trace", "as_digits", "record", "rule_by_rule", "rules"]

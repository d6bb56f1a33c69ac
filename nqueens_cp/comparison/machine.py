"""On what a comparison was made: processor, memory, system, Python, and how busy the machine was."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Return a record of this machine; what the system does not tell is None."""
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "memory_mib": _memory_mib(),
        "system": f"{platform.system()} {platform.release()} ({platform.machine()})",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def load() -> float | None:
    """Return how many processes wanted a processor in the last minute, on average."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def a_processor() -> int | None:
    """Return a processor that this process may run on, to pin measurements to, where the system can do that."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _memory_mib() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (AttributeError, ValueError, OSError):
        return None

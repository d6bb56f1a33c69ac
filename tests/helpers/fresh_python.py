"""Python in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run_python(code: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run code to its end; `cwd` is where it finds modules."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=120)

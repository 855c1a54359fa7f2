"""What the figures were measured on."""

import os
import platform
from pathlib import Path

from arcwise import _core

__all__ = ["machine"]


def machine() -> str:
    """Return the processor, its cores and instructions, and the Python version in one line."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores, {_core.instructions()}, Python {platform.python_version()}"

"""Files that hold networks."""

from arcwise.io.bif import format_bif, parse_bif, read_bif, write_bif

__all__ = ["format_bif", "parse_bif", "read_bif", "write_bif"]

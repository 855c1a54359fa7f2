"""``python -m arcwise``: the same as the command `arcwise`."""

from arcwise.cli import app

if __name__ == "__main__":
    app(prog_name="arcwise")

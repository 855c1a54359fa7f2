"""The program `arcwise` itself: its options, and how it ends."""

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arcwise.cli.vocabulary import Options
from arcwise.support.errors import ArcwiseError, ArcwiseWarning
from arcwise.support.messages import said
from arcwise.support.names import did_you_mean, one_of
from arcwise.support.quoting import quoted

__all__ = ["BAD_INPUT", "INTERRUPTED", "NO", "app", "command_of", "examples", "warned"]

NO, BAD_INPUT, INTERNAL_ERROR, INTERRUPTED = 1, 2, 70, 130
"""How the program ends where it does not end well; see docs/commands.md."""

ORDER = (
    "learn",
    "parents",
    "search",
    "exact",
    "score",
    "compare",
    "query",
    "sample",
    "bootstrap",
    "posterior",
    "plot",
    "report",
    "convert",
    "examples",
)
"""The commands as help lists them."""

_warnings: list[str] = []
_words = Options()


class Program(TyperGroup):
    """The commands; whatever goes wrong in one becomes one line and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands."""
        return [name for name in ORDER if name in self.commands]

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Command that the arguments begin with, and the others."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            one_of("the command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and end the process with its exit code; without arguments, show the help."""
        given = list(sys.argv[1:] if args is None else args)
        run = super().main

        def work() -> Any:
            return run(given or ["--help"], prog_name, complete_var, False, windows_expand_args, obj=given, **extra)

        global _words
        _warnings.clear()
        _words = Options(self.commands[given[0]].params if given and given[0] in self.commands else ())
        if not standalone_mode:
            return work()
        if sys.stdout is None:  # closed by the shell's >&-
            sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - for as long as the program lives
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            code = _exit_code(work, given)
        sys.exit(code)


def _exit_code(work: Callable[[], Any], given: list[str]) -> int:
    try:
        outcome = work()
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        outcome = INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO
    except Exception as error:
        if "ARCWISE_TRACEBACK" in os.environ:
            raise
        message = _message(error, given)
        _show("Error:", typer.colors.RED, message or _report(error))
        return BAD_INPUT if message else INTERNAL_ERROR
    if outcome == INTERRUPTED:
        _show("Interrupted", typer.colors.YELLOW, "")
    return outcome if isinstance(outcome, int) else 0


def _message(error: Exception, given: list[str]) -> str:
    """One line about what the user can mend; empty for a mistake of the program's own."""
    if isinstance(error, ArcwiseError | ArcwiseWarning):  # a warning that PYTHONWARNINGS=error makes an error
        text = said(error.message, _words)
    elif hasattr(error, "format_message"):
        text = _usage(error, given)
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    elif isinstance(error, OSError | UnicodeError):
        text = str(error) or type(error).__name__
    elif isinstance(error, MemoryError):
        text = "there is not enough memory for this; use fewer variables, rows, states or parents"
    else:
        text = ""
    return " ".join(text.split())


def _usage(error: Any, given: list[str]) -> str:
    """What is wrong with the options, in a sentence, and where to read about them."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "arcwise"
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        parameters = context.command.get_params(context) if context is not None else []
        options = [option for parameter in parameters for option in parameter.opts]
        message = f"there is no option {error.option_name}{did_you_mean(error.option_name, options)}"
    elif wrong := _wrong_kind(error, given):
        message = wrong
    else:
        message = error.format_message().rstrip(".")
        message = message[:1].lower() + message[1:]
    return f"{message} (see {command} --help)"


def _wrong_kind(error: Any, given: list[str]) -> str:
    """What is wrong with the value of an option that has to be a number; empty for any other error."""
    kinds = {"integer": "a whole number", "number": "a number", "float": "a number"}
    parameter = getattr(error, "param", None)
    kind = next((words for word, words in kinds.items() if word in error.format_message()), None)
    for option in getattr(parameter, "opts", ()):
        for word, following in zip(given, [*given[1:], ""], strict=True):
            name, equals, value = word.partition("=")
            if kind and name == option:
                return f"{option} must be {kind}, not {quoted(value if equals else following)}"
    return ""


def _report(error: Exception) -> str:
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"arcwise has made a mistake, please report it: {what} (ARCWISE_TRACEBACK=1 shows where)"


def _show(label: str, colour: str, message: str) -> None:
    with suppress(OSError):  # a full disk behind stderr must not take the result along
        typer.secho(label, fg=colour, err=True, nl=False)
        typer.echo(f" {message}".rstrip(), err=True)


def _show_warning(message: Warning | str, *_: Any) -> None:
    text = said(message.message, _words) if isinstance(message, ArcwiseWarning) else str(message)
    _warnings.append(" ".join(text.split()))
    _show("Warning:", typer.colors.YELLOW, _warnings[-1])


def warned() -> tuple[str, ...]:
    """What this command has warned of so far."""
    return tuple(_warnings)


def command_of(context: typer.Context, seed: int) -> str:
    """Command that does again what this one does, with the seed where it was drawn."""
    given: list[str] = context.obj or []
    has_seed = any(word == "--seed" or word.startswith("--seed=") for word in given)
    return shlex.join(["arcwise", *given, *(() if has_seed else ("--seed", str(seed)))])


def examples(*commands: str) -> str:
    """Text under a command's help: how it is used."""
    lines = ["\b", "Examples:", *(f"  {command}" for command in commands)]
    return "\n".join([*lines, "", "Exit codes, JSON output and completion: docs/commands.md"])


app = typer.Typer(
    name="arcwise",
    cls=Program,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"arcwise {version('arcwise')}")
        raise typer.Exit


@app.callback(epilog=examples("arcwise learn alarm", "arcwise learn patients.csv --score bdeu -o patients.bif"))
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn the structure of Bayesian networks from data."""

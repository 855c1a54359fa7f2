"""Files with small damages, the same ones every time, and what reading them must not do."""

import copy
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from arcwise.support.errors import ArcwiseError, ArcwiseWarning

#: No message is longer, however much there is in the file.
LONGEST_MESSAGE = 1000

Read = Callable[[Path], object]
Mutate = Callable[[bytes, Random], bytes]

_TOKENS = tuple(
    token.encode()
    for token in (
        *(
            "",
            " ",
            "\n",
            "\r\n",
            "\r",
            "\t",
            ",",
            ";",
            '"',
            "'",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "<",
            ">",
            "=",
            "->",
            "*",
        ),
        *("#", "\\", "|", "&", "\0", "é", "\ud7ff", "\ufeff", "0", "-1", "1", "1.5", "1e999", "-1e999", "nan", "inf"),
        *(
            "1e-320",
            "null",
            "true",
            "9" * 20,
            "9" * 400,
            "9" * 5000,
            "[" * 3000,
            '{"a":' * 3000,
            "a" * 5000,
            "é " * 2000,
        ),
        *('"' * 501, "a,b\n" * 300, "1" + "0" * 30, "0x10", "1_000", "\u0661", "<!ENTITY x 'y'>", "]]>", '"a"b', 'a"b'),
        *("[[]]" * 3, "{}", "[]", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")),
    )
)


def mutated_text(content: bytes, random: Random) -> bytes:
    """Give a text with one to three changes: words replaced, tokens put in, pieces cut, repeated or moved."""
    for _ in range(random.randint(1, 3)):
        words = [match.span() for match in re.finditer(rb"[\w.+-]+", content)] or [(0, 0)]
        begin, end = random.choice(words)
        at, other = sorted(random.randint(0, len(content)) for _ in range(2))
        kind = random.randrange(8)
        if kind == 0:
            content = content[:begin] + random.choice(_TOKENS) + content[end:]
        elif kind == 1:
            first, last = random.choice(words)
            content = content[:begin] + content[first:last] + content[end:]
        elif kind == 2:
            content = content[:at] + random.choice(_TOKENS) + content[at:]
        elif kind == 3:
            content = content[:at] + content[min(other, at + random.randint(1, 30)) :]
        elif kind == 4:
            content = content[:other] + content[at:other] + content[other:]
        elif kind == 5:
            lines = content.splitlines(keepends=True)
            random.shuffle(lines)
            content = b"".join(lines)
        elif kind == 6:
            content = content[:at]
        else:
            content = mutated_bytes(content, random)
    return content


def mutated_bytes(content: bytes, random: Random) -> bytes:
    """Give bytes of which some are changed, cut or repeated."""
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(len(changed) + 1)
        kind = random.randrange(6)
        if kind <= 2 and at < len(changed):
            changed[at] = random.choice((changed[at] ^ 1 << random.randrange(8), random.randrange(256), 0, 255))
        elif kind == 3:
            del changed[at : at + random.randint(1, 8)]
        elif kind == 4:
            changed[at:at] = random.randbytes(random.randint(1, 8))
        else:
            changed[at : at + 4] = random.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\x80"))
    return bytes(changed)


def mutated_values(content: bytes, random: Random) -> bytes:
    """Give JSON in which one to three values are of another kind, missing, huge or nested deep."""
    whole = json.loads(content)
    for _ in range(random.randint(1, 3)):
        parents = list(_containers(whole))
        if not parents:
            break
        parent, key = random.choice(parents)
        wrong = random.choice(_WRONG)
        if wrong is _MISSING:
            del parent[key]
        else:
            parent[key] = copy.deepcopy(wrong if random.random() < 0.7 else random.choice(parents)[0])
    nested = "[" * 3000 + "]" * 3000
    return json.dumps(whole).replace(_NESTED, nested).replace('"digits"', "9" * 5000).encode()


_MISSING = object()
_NESTED = '"nested"'
_WRONG: tuple[Any, ...] = (
    *(
        None,
        "x",
        "x" * 5000,
        "",
        -1,
        0,
        7,
        0.5,
        -0.0,
        [],
        {},
        True,
        1.5,
        [["a"]],
        {"a": [1]},
        [None],
        ["a", "a"],
        _MISSING,
    ),
    *(10**19, 10**30, 10**400, -(10**400), 1e308, "nested", "digits", "\ud800", "\0", [[[[[[]]]]]], [1e308] * 3, "0.5"),
)


def _containers(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        yield value, key
        yield from _containers(item)


_DTYPES = ("c8", "c16", "f8", "f4", "f2", "i8", "i4", "u8", "b1", "U4", "S3", "m8[s]", "M8[s]", "u1", ">f8", ">i4")


def mutated_arrays(content: bytes, random: Random) -> bytes:
    """Give an archive of arrays of which one has another type, shape or content, or bytes that are damaged."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice(list(members))
    kind = random.randrange(5)
    array = np.load(io.BytesIO(members[name]))
    if kind == 0:
        array = array.astype(random.choice(_DTYPES))
    elif kind == 1:
        array = array.reshape(random.choice(((-1,), (1, -1), (-1, 1), (1, 1, -1))))
    elif kind == 2 and array.size:
        array = array.ravel()[: random.randrange(array.size)]
    elif kind == 3 and array.size:
        flat = array.copy().ravel()
        limits = np.finfo(flat.dtype) if flat.dtype.kind == "f" else np.iinfo(flat.dtype)
        flat[random.randrange(flat.size)] = random.choice((0, 1, limits.max, limits.min, flat[0]))
        array = flat.reshape(array.shape)
    file = io.BytesIO()
    np.save(file, array)
    members[name] = mutated_bytes(members[name], random) if kind == 4 else file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for each, data in members.items():
            archive.writestr(each, data)
    return file.getvalue()


def mutants(content: bytes, mutate: Mutate, n: int, seed: int) -> Iterator[bytes]:
    """Give so many damaged versions of a file."""
    for number in range(n):
        yield mutate(content, Random(f"{seed}/{number}"))


def fault_of(read: Read, path: Path) -> str | None:
    """Say what is wrong with how a file is read or refused; None where all is well.

    Reading succeeds, or an `ArcwiseError` says why not in a few words; nothing else is raised, and nobody but arcwise
    warns.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read(path)
        except ArcwiseError as error:
            message = str(error)
            if len(message) > LONGEST_MESSAGE:
                return f"a message of {len(message)} characters: {message[:300]}"
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of polars is not an Exception
            return f"{type(error).__name__}: {str(error)[:300]}"
    for warning in caught:
        if not issubclass(warning.category, ArcwiseWarning):
            return f"warning {warning.category.__name__}: {str(warning.message)[:300]}"
        if len(str(warning.message)) > LONGEST_MESSAGE:
            return f"a warning of {len(str(warning.message))} characters: {str(warning.message)[:300]}"
    return None

"""XML documents as trees of elements with their lines, read without the dangers of XML and written.

A document type may be declared, since the files of some formats do, but nothing outside the file is ever loaded, and a
declaration of entities is refused: they are what makes a short text expand to gigabytes.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import UnpackingError, read_bytes
from arcwise.support.quoting import cut, quoted

__all__ = ["Element", "escaped", "parse_xml", "read_xml"]

# What XML 1.0 has no way to write, not even as a reference: most control characters, and what is not a character.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


@dataclass(slots=True)
class Element:
    """An element: what it is called, where it begins, and what is in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text directly in the element, without blanks around it."""
        return "".join(self.pieces).strip()

    def all(self, tag: str) -> list["Element"]:
        """Children with this tag."""
        return [child for child in self.children if child.tag == tag]


def read_xml(path: str | os.PathLike[str]) -> Element:
    """Root of the document in a file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_xml`."""
    try:
        data = read_bytes(path)
    except UnpackingError as error:
        raise FormatError(f"the file cannot be decompressed: {error}", path=os.fspath(path)) from error
    return parse_xml(data, path=os.fspath(path))


def parse_xml(text: str | bytes, *, path: str | None = None) -> Element:
    r"""Root of a document, in the encoding that bytes declare; tags are without prefixes.

    Raises
    ------
    FormatError
        With the line, for what is not XML, for a declared entity and for a reference to an unknown one.

    Examples
    --------
    >>> root = parse_xml("<net>\n<node id='a'> x &amp; y </node></net>")
    >>> root.tag, root.children[0].text, root.children[0].line
    ('net', 'x & y', 2)
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    document = Element("", {}, 0)
    open_elements = [document]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def refuse(what: str) -> FormatError:
        return FormatError(f"{what}; take it out of the file", path=path, line=parser.CurrentLineNumber)

    def entity(name: str, *_: object) -> None:
        raise refuse(f"the document declares the entity {quoted(name)}, which is not allowed here")

    def skipped(name: str, _: bool) -> None:
        raise refuse(f"the entity {quoted(name)} is not known")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = lambda data: open_elements[-1].pieces.append(data)
    parser.EntityDeclHandler = entity
    parser.SkippedEntityHandler = skipped
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise FormatError(f"this is not XML: {expat.ErrorString(error.code)}", path=path, line=error.lineno) from None
    except (LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"the text cannot be decoded: {cut(str(error))}", path=path) from None
    return document.children[0]


def escaped(text: str, what: str) -> str:
    """Text with references for characters that mean something in XML; `what` is the format, for the message.

    Raises
    ------
    ParameterError
        For characters that XML cannot hold.
    """
    if _FORBIDDEN.search(text):
        raise ParameterError(
            f"{quoted(text)} cannot be written in {what}: XML has no such characters; use another name"
        )
    return "".join(_REFERENCES.get(character, character) for character in text)


def only(parent: Element, tag: str, *, path: str | None) -> Element:
    """The one child with this tag."""
    found = parent.all(tag)
    if len(found) != 1:
        line = found[1].line if found else parent.line
        raise FormatError(f"{parent.tag} must have one {tag}, not {len(found)}", path=path, line=line)
    return found[0]


def refuse_others(parent: Element, allowed: Iterable[str], *, path: str | None) -> None:
    """Refuse children with other tags than the allowed ones."""
    listed = list(allowed)
    for child in parent.children:
        if child.tag not in listed:
            message = f"{cut(child.tag)} cannot stand in {parent.tag}; expected {', '.join(listed)}"
            raise FormatError(message, path=path, line=child.line)

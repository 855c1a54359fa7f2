"""What is in the svg of a picture, read back as any program would."""

import re
from xml.etree import ElementTree

from arcwise import Picture

SVG = "{http://www.w3.org/2000/svg}"


class Parts:
    """The groups and texts of a picture."""

    def __init__(self, picture: Picture) -> None:
        self.root = ElementTree.fromstring(picture.content("svg"))

    def group(self, identifier: str) -> list[dict[str, str]]:
        """Style of each shape in a group."""
        (group,) = [item for item in self.root.iter(f"{SVG}g") if item.get("id") == identifier]
        return [_style(item.get("style", "")) for item in group if item.tag in (f"{SVG}path", f"{SVG}use")]

    def has(self, identifier: str) -> bool:
        return any(item.get("id") == identifier for item in self.root.iter(f"{SVG}g"))

    def texts(self, identifier: str = "") -> list[str]:
        """Texts, of the groups with this identifier where one is given."""
        groups = [item for item in self.root.iter(f"{SVG}g") if re.fullmatch(identifier or ".*", item.get("id", ""))]
        return ["".join(text.itertext()) for group in groups for text in group.findall(f"{SVG}text")]

    def titles(self) -> list[str]:
        return [str(item.text) for group in self.root.iter(f"{SVG}g") for item in group.findall(f"{SVG}title")]

    def shapes(self, identifier: str) -> list[str]:
        """Path of each shape in a group."""
        (group,) = [item for item in self.root.iter(f"{SVG}g") if item.get("id") == identifier]
        return [item.get("d", "") for item in group.iter(f"{SVG}path")]


def _style(text: str) -> dict[str, str]:
    pairs = (item.split(":", 1) for item in text.split(";") if ":" in item)
    return {name.strip(): value.strip() for name, value in pairs}


def width(style: dict[str, str]) -> float:
    """Width of a line; svg has 1 where nothing is said."""
    return float(style.get("stroke-width", 1))

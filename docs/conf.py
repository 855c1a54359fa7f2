"""How the documentation is built: ``sphinx-build -W --keep-going docs build/docs``.

Sphinx, because it reads the numpydoc docstrings that the code has, and is looked after; MkDocs and its Material theme
are in maintenance mode. Nothing is fetched while it builds: no intersphinx. Pages are Markdown, read by MyST; their
code runs in tests/test_documents.py. Formulas become MathML, which browsers draw without a script, so that nothing is
fetched by readers either: MathJax would come from another server, or be 2 MB of each copy.
"""

from importlib.metadata import version as version_of
from typing import Any

import numpy.typing as npt
from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import stringify_annotation
from sphinx.writers.html5 import HTML5Translator

project = "arcwise"
author = "the arcwise developers"
release = version = version_of("arcwise")
language = "en_GB"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_math_renderer = "mathml"
source_suffix = {".md": "markdown"}
exclude_patterns = ["_static"]
nitpicky = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

# Single backticks link to the public name they say, and are code where they say something else.
default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autoclass_content = "class"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
# Attributes of dataclasses are listed in the text of the class, not as entries of their own.
napoleon_google_docstring = False
napoleon_use_ivar = True
# Sphinx looks such an attribute up by its bare name, and several classes have one of this name.
suppress_warnings = ["ref.python"]
napoleon_use_rtype = False
napoleon_preprocess_types = False

html_theme = "furo"
html_title = "arcwise"
html_static_path = ["_static"]
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def formula(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula as MathML; what has no counterpart there would be shown as a command, and is a warning."""
    is_block = isinstance(node, nodes.math_block)
    written = convert(node.astext(), display="block" if is_block else "inline")
    if "\\" in written:
        logging.getLogger(__name__).warning("no MathML for %s", node.astext(), location=node)
    translator.body.append(f'<div class="math">{written}</div>\n' if is_block else written)
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Write formulas as MathML, and array-likes as numpy calls them, not as the seven types the name stands for."""
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    spelt_out = stringify_annotation(npt.ArrayLike, "smart")

    def named(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, *texts: str | None) -> Any:
        return tuple(text and text.replace(spelt_out, "ArrayLike") for text in texts)

    app.connect("autodoc-process-signature", named)

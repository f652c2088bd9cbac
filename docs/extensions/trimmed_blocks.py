"""Shows examples on the site without the blank line that ends a doctest block.

In the sources a blank line ends the expected output of the last example.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to pages that were read."""
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def trim(app: Sphinx, page: nodes.document) -> None:
    """Trim every block of a page, in place."""
    for block in page.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        block.rawsource = text
        block[:] = [nodes.Text(text)]

"""The settings of the documentation site.

Built by ``make docs``. Nothing is fetched, neither when building nor when reading.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

import symbed

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "symbed"
author = "symbed developers"
copyright = f"{author}, BSD 3-Clause license"
version = release = symbed.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "trimmed_blocks",
    "mathml_renderer",
]
exclude_patterns = ["extensions", "static"]
nitpicky = True
smartquotes = False  # quotes in these pages are often those of a command
# Types of NumPy and Python in signatures have no page here.
nitpick_ignore_regex = [("py:(class|exc|obj)", r".*")]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings name the types
autodoc_preserve_defaults = True
maximum_signature_line_length = 90

napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # several names may share one entry
napoleon_custom_sections = [("Attributes", "params_style")]  # fields, not entries of their own

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"symbed {release}"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["symbed.css"]
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}


def setup(app: Sphinx) -> None:
    """Show no constructor of a class that only verbs make."""
    app.connect("autodoc-process-signature", _without_constructor)


def _without_constructor(
    app: Sphinx, what: str, name: str, item: object, *told: object
) -> tuple[str, str] | None:
    """An empty signature for a class whose docstring has no Parameters."""
    if what == "class" and "\n    Parameters\n" not in (item.__doc__ or ""):
        return "", ""
    return None

"""The settings of the documentation: the pages of this folder go in, a site comes out.

Built by ``make docs``. Nothing is fetched, neither when building nor when reading.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symbed

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "symbed"
author = "symbed developers"
copyright = f"{author}, BSD 3-Clause licence"
version = release = symbed.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "docstrings",
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
autodoc_typehints = "none"  # docstrings.py shows them as they are written
maximum_signature_line_length = 90

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

"""Writes the page of the documentation from results of ``symbed reproduce``.

``python reproduction/tools/publish.py results docs/reproduction`` writes the page, and copies the
tables and figures that it links to.
"""

from __future__ import annotations

import argparse
import sys

from symbed.errors import SymbedError
from symbed_reproduction.core.pages import publish


def main() -> int:
    """Publish one folder of results."""
    parser = argparse.ArgumentParser(description="Write the page of the reproduction.")
    parser.add_argument("results", help="the folder that symbed reproduce wrote")
    parser.add_argument("page", help="the folder of the page, such as docs/reproduction")
    arguments = parser.parse_args()
    try:
        print(publish(arguments.results, arguments.page))
    except SymbedError as error:
        print(f"publish: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

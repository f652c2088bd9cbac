"""``symbed explore``: the local web page."""

from __future__ import annotations

import argparse


def configure_explore(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("paths", nargs="*", metavar="FILE", help="formulas, data or atlases to show on the page")
    add(
        "--data", action="append", default=[], metavar="FILE", help="a file of data, said to be one"
    )
    add("--port", type=int, metavar="N", help="port (default: 8765, or a free one)")
    add("--host", default="127.0.0.1", help="address to serve at (default: 127.0.0.1)")
    add("--public", action="store_true", help="allow a host that other machines can reach")
    add("--no-browser", action="store_true", help="print the link and open nothing")


def run_explore(arguments: argparse.Namespace) -> None:
    """Serve the local web page until Ctrl+C."""
    # The page is not part of the command line, which only starts it.
    from symbed.web.server import explore

    explore(
        arguments.host,
        arguments.port,
        public=arguments.public,
        browser=not arguments.no_browser,
        paths=arguments.paths,
        data=arguments.data,
        as_json=arguments.json,
    )

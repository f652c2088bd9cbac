"""``symbed explore``: an address goes in, the local web page runs there."""

from __future__ import annotations

import argparse


def configure_explore(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``explore``."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="FILE", help="atlases and formula files to offer on the page")
    add("--port", type=int, metavar="N", help="port (default: 8765, or a free one)")
    add("--host", default="127.0.0.1", help="address to serve at (default: 127.0.0.1)")
    add("--public", action="store_true", help="allow a host that other machines can reach")
    add("--no-browser", action="store_true", help="print the link and open nothing")


def explore(arguments: argparse.Namespace) -> None:
    """``symbed explore``."""
    # The page lies outside of the command line, which is only its doorbell.
    from symbed.web.server import explore as serve

    serve(
        arguments.host,
        arguments.port,
        public=arguments.public,
        browser=not arguments.no_browser,
        paths=arguments.paths,
        as_json=arguments.json,
    )

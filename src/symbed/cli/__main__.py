"""``python -m symbed.cli`` is the ``symbed`` command."""

import sys

from symbed.cli import main

sys.exit(main())

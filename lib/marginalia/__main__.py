"""``python -m marginalia`` is the command ``marginalia``."""

import sys

from marginalia.cli import main

if __name__ == "__main__":
    sys.exit(main())

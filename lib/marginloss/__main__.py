"""``python -m marginloss`` is the command ``marginloss``."""

import sys

from marginloss.companion.command import main

if __name__ == "__main__":
    sys.exit(main())
